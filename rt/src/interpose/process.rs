//! The end of the process: exit, abort, failed assertions.

use super::real;
use crate::{
    accesses::Accesses,
    execution::{self, call_site, event, finish, running},
    sys,
    trace::FailureText,
};
use alloc::string::String;
use core::ffi::{CStr, c_char};
use leno_model::{End, Op, Property};

/// Waits until all other threads have ended or cannot go on.
fn wait_for_the_others(status: i32) {
    event(Op::Exit, &Accesses::none(), call_site());
    running().expect("in an execution").status = Some(status & 0xff);
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn exit(status: i32) -> ! {
    if running().is_some() {
        wait_for_the_others(status);
    }
    real!(exit(status => i32) -> ());
    unreachable!("exit returned")
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _exit(status: i32) -> ! {
    if running().is_some() {
        wait_for_the_others(status);
        finish(End::Completed { status: status & 0xff });
    }
    sys::exit_group(status)
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Exit(status: i32) -> ! {
    // SAFETY: the same function by C's name.
    unsafe { _exit(status) }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn abort() -> ! {
    if running().is_some() {
        let number = libc::SIGABRT as u32;
        let text = FailureText::Signal { number, name: "SIGABRT", object: None };
        execution::fail(Property::Crash, number, call_site(), text);
    }
    real!(abort() -> ());
    unreachable!("abort returned")
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __assert_fail(
    expression: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) -> ! {
    if running().is_some() {
        // SAFETY: strings of the program, or null.
        let text = |s: *const c_char| unsafe {
            if s.is_null() { String::new() } else { CStr::from_ptr(s).to_string_lossy().into_owned() }
        };
        let text =
            FailureText::Assertion { expression: text(expression), file: text(file), line, function: text(function) };
        execution::fail(Property::Assert, line, call_site(), text);
    }
    real!(__assert_fail(expression => *const c_char, file => *const c_char, line => u32,
        function => *const c_char) -> ());
    unreachable!("__assert_fail returned")
}
