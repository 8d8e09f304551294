//! The end of the process: exit, abort, failed assertions.

use super::{
    address, descriptors, files, futexes, identity, mappings, random, readiness, real, set_errno,
    signalling,
};
use crate::{
    execution::{self, call_site, event, finish, running},
    kernel::{self, things},
    stacks, sys,
    trace::FailureText,
};
use alloc::{format, string::String};
use core::ffi::{CStr, c_char};
use leno_entry::entry;
use leno_model::{End, Op, Property, SiteRef};

/// The process ends when all other threads have ended or cannot go on.
fn wait_for_the_others(site: SiteRef) {
    event(Op::Exit, &[], site);
}

/// The process is about to end by the running thread, which has the handlers called while the
/// others go on. If another thread does so already, this one only waits for the end.
fn begin_end(status: i32) {
    let end = things::thing("end", b"of the process");
    let first = things::exchange_if(&[end], || {
        let x = running().expect("in an execution");
        let first = x.status.is_none();
        if first {
            (x.status, x.exits_at) = (Some(status & 0xff), Some(call_site()));
        }
        first
    });
    if !first {
        wait_for_the_others(call_site());
        complete();
    }
}

fn complete() -> ! {
    let status = running().expect("in an execution").status.unwrap_or(0);
    finish(End::Completed { status })
}

/// Behind all handlers.
#[entry]
pub extern "C" fn __leno_ends() {
    // Nobody has called `exit` if it was the end of the last thread that ended the process.
    if let Some(site) = running().and_then(|x| x.exits_at) {
        wait_for_the_others(site);
    }
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn exit(status: i32) {
    if let Some(x) = running() {
        x.exited_at = stacks::program();
        begin_end(status);
    }
    stacks::call(address!(exit), [status as u64, 0, 0], stacks::result, [0; 2]);
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn _exit(status: i32) -> ! {
    if running().is_some() {
        wait_for_the_others(call_site());
        finish(End::Completed { status: status & 0xff });
    }
    sys::exit_group(status)
}

/// Registers, before the program can, what is to run behind all its own handlers at a
/// quick exit.
pub fn expect_quick_exit() {
    type Handler = extern "C" fn(*mut libc::c_void);
    real!(__cxa_at_quick_exit(end_quickly => Handler, core::ptr::null_mut() => *mut libc::c_void)
        -> i32);
}

extern "C" fn end_quickly(_: *mut libc::c_void) {
    if running().is_some() {
        // SAFETY: the thunk changes to the runtime's stack, where one may wait.
        unsafe { entry_of_ends() };
        complete();
    }
}

unsafe extern "C" {
    /// [`__leno_ends`] as the program would call it.
    #[link_name = "__leno_ends"]
    pub fn entry_of_ends();
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn quick_exit(status: i32) {
    if running().is_some() {
        begin_end(status);
    }
    stacks::call(address!(quick_exit), [status as u64, 0, 0], stacks::result, [0; 2]);
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn _Exit(status: i32) -> ! {
    // SAFETY: the same function by C's name.
    unsafe { _exit(status) }
}

/// The function `syscall`, which in C takes as many arguments as the call needs: six
/// are always there in registers or on the stack.
///
/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn syscall(
    number: i64,
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    e: u64,
    f: u64,
) -> i64 {
    if running().is_some() {
        match number {
            // SAFETY: the same by libc's name.
            libc::SYS_exit | libc::SYS_exit_group => unsafe { _exit(a as i32) },
            libc::SYS_sched_yield => return 0,
            libc::SYS_futex => return given_back(futexes::call(a, b, c, d, e, f)),
            FUTEX_WAITV | FUTEX_WAKE..=FUTEX_REQUEUE => super::refused::refuse("syscall (futex2)"),
            libc::SYS_mq_open | libc::SYS_mq_unlink => super::refused::refuse("syscall (mq_open)"),
            libc::SYS_msgget => super::refused::refuse("syscall (msgget)"),
            libc::SYS_semget => super::refused::refuse("syscall (semget)"),
            libc::SYS_shmget if a as i32 != libc::IPC_PRIVATE => {
                super::refused::refuse("syscall (shmget with a key)")
            }
            libc::SYS_clone | libc::SYS_clone3 | libc::SYS_fork | libc::SYS_vfork => {
                super::refused::refuse("syscall (clone or fork)")
            }
            // SAFETY: the same by libc's names, as the caller says.
            _ => unsafe {
                if let Some(result) = by_name(number, [a, b, c, d, e, f]) {
                    return result;
                }
                kernel::isolate(&format!("syscall (number {number})"));
            },
        }
    }
    let (a, b) = match number {
        libc::SYS_tgkill => (identity::meant(a as i32) as u64, identity::meant(b as i32) as u64),
        libc::SYS_tkill | libc::SYS_prlimit64 | libc::SYS_setpgid | libc::SYS_pidfd_open => {
            (identity::meant(a as i32) as u64, b)
        }
        _ => (a, b),
    };
    let mut place = None;
    let d = if number == libc::SYS_futex { futexes::outside(b, d, &mut place) } else { d };
    // SAFETY: as the caller says.
    given_back(unsafe { sys::call(number, [a, b, c, d, e, f]) })
}

/// Carries out a system call by the function of libc's that does the same, where the
/// runtime has an eye on that.
unsafe fn by_name(number: i64, [a, b, c, d, e, f]: [u64; 6]) -> Option<i64> {
    // SAFETY: as the caller says.
    Some(unsafe {
        match number {
            libc::SYS_gettid => i64::from(gettid()),
            libc::SYS_getpid => i64::from(identity::getpid()),
            libc::SYS_getppid => i64::from(identity::getppid()),
            libc::SYS_kill => i64::from(signalling::kill(a as i32, b as i32)),
            libc::SYS_getrandom => random::getrandom(a as *mut u8, b as usize, c as u32) as i64,
            libc::SYS_read => descriptors::read(a as i32, b as *mut u8, c as usize) as i64,
            libc::SYS_write => descriptors::write(a as i32, b as *mut u8, c as usize) as i64,
            libc::SYS_close => i64::from(descriptors::close(a as i32)),
            libc::SYS_open => i64::from(files::open(a as *const c_char, b as i32, c as u32)),
            libc::SYS_openat => {
                i64::from(files::openat(a as i32, b as *const c_char, c as i32, d as u32))
            }
            libc::SYS_unlink => i64::from(files::unlink(a as *const c_char)),
            libc::SYS_lseek => descriptors::lseek(a as i32, b as i64, c as i32),
            libc::SYS_mmap => mappings::mmap(a, b, c as i32, d as i32, e as i32, f as i64) as i64,
            libc::SYS_munmap => i64::from(mappings::munmap(a, b)),
            libc::SYS_pipe2 => i64::from(descriptors::pipe2(a as *mut i32, b as i32)),
            libc::SYS_eventfd2 => i64::from(descriptors::eventfd(a as u32, b as i32)),
            libc::SYS_poll => i64::from(readiness::poll(a as *mut libc::pollfd, b, c as i32)),
            libc::SYS_epoll_create1 => i64::from(readiness::epoll_create1(a as i32)),
            libc::SYS_epoll_ctl => {
                let event = d as *mut libc::epoll_event;
                i64::from(readiness::epoll_ctl(a as i32, b as i32, c as i32, event))
            }
            libc::SYS_epoll_wait => {
                let out = b as *mut libc::epoll_event;
                i64::from(readiness::epoll_wait(a as i32, out, c as i32, d as i32))
            }
            libc::SYS_epoll_pwait => {
                let (out, mask) = (b as *mut libc::epoll_event, e as *const u64);
                i64::from(readiness::epoll_pwait(a as i32, out, c as i32, d as i32, mask))
            }
            _ => return None,
        }
    })
}

/// The system calls of Linux 6.7 that replace `futex`, and `futex_waitv` before them.
const FUTEX_WAITV: i64 = 449;
const FUTEX_WAKE: i64 = 454;
const FUTEX_REQUEUE: i64 = 456;

/// What `syscall` gives back for a result of the kernel's.
fn given_back(result: i64) -> i64 {
    match result {
        error @ -4095..=-1 => {
            set_errno(-error as i32);
            -1
        }
        result => result,
    }
}

/// # Safety
/// As libc's.
#[entry]
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
#[entry]
pub unsafe extern "C" fn __assert_fail(
    expression: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) -> ! {
    if running().is_some() {
        // SAFETY: strings of the program, or null.
        let text = |s: *const c_char| unsafe {
            if s.is_null() {
                String::new()
            } else {
                CStr::from_ptr(s).to_string_lossy().into_owned()
            }
        };
        let text = FailureText::Assertion {
            expression: text(expression),
            file: text(file),
            line,
            function: text(function),
        };
        execution::fail(Property::Assert, line, call_site(), text);
    }
    real!(__assert_fail(expression => *const c_char, file => *const c_char, line => u32,
        function => *const c_char) -> ());
    unreachable!("__assert_fail returned")
}

/// A number for each thread; the main thread's is that of the process, as in Linux.
#[entry]
pub extern "C" fn gettid() -> i32 {
    execution::observes("asked who it is");
    // SAFETY: a call without arguments.
    let process = unsafe { identity::getpid() };
    process + execution::current_thread().map_or(0, |thread| thread.0 as i32)
}
