//! `libleno_stub.so`: what an instrumented program runs on without leno.
//!
//! Every hook does nothing; an atomic operation, which the pass has taken out of
//! the program, is performed. The preloaded runtime defines the same symbols and
//! comes first, so under `leno check` nothing of this file is used.
//!
//! The processor performs everything sequentially consistently except plain loads
//! and stores, so the only order that matters here is that of a store. The
//! compiler is kept from moving anything by the call itself.

#![no_std]

mod atomic;
mod offers;
mod wide;

use core::{cell::UnsafeCell, ffi::c_void, ptr};

/// One word of each thread.
#[repr(transparent)]
pub struct ThreadWord(UnsafeCell<*mut c_void>);

// SAFETY: every thread has a copy of its own, and nobody here touches it.
unsafe impl Sync for ThreadWord {}

/// The thread's innermost frame record. Stable Rust has no thread-local statics
/// with a symbol, but LLVM gives everything in a section of this name the flag and
/// the type of thread-local storage. It must not be used by its Rust name: that
/// would be the address of the template.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".tbss")]
pub static __leno_frame: ThreadWord = ThreadWord(UnsafeCell::new(ptr::null_mut()));

/// How often loops may go round: without end.
#[unsafe(no_mangle)]
pub static __leno_unroll: u32 = 0;

/// A loop goes round.
#[unsafe(no_mangle)]
pub extern "C" fn __leno_round(_site: *const c_void, _counter: *mut u32, _before: u32) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_register(_unit: *const c_void) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_read(_site: *const c_void, _at: *const c_void, _len: u64) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_write(_site: *const c_void, _at: *mut c_void, _len: u64) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_vtable(_site: *const c_void, _at: *mut c_void, _new: *const c_void) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_copy(
    _site: *const c_void,
    _to: *mut c_void,
    _from: *const c_void,
    _len: u64,
) {
}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_assembly(_site: *const c_void, _ranges: *const u64, _count: u64) {}

/// What `rdtsc` would have given.
#[unsafe(no_mangle)]
pub extern "C" fn __leno_time_stamp() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    unsafe { core::arch::x86_64::_rdtsc() }
}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_number(_number: u64) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_number_in(_at: *const c_void, _len: u64) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_part(_at: *const c_void, _len: u64) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_order(_one: *const c_void, _other: *const c_void) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_distance(_one: *const c_void, _other: *const c_void) {}

/// The arguments that follow the count are of no interest to a function that does
/// nothing, and in C's calling convention it need not know of them.
#[unsafe(no_mangle)]
pub extern "C" fn __leno_extern(_site: *const c_void, _callee: *const c_void, _count: u32) {}

/// As above.
#[unsafe(no_mangle)]
pub extern "C" fn __leno_returned(_site: *const c_void, _callee: *const c_void, _count: u32) {}

#[cfg(not(test))]
unsafe extern "C" {
    fn abort() -> !;
}

/// Nothing here panics; the compiler wants the function all the same. (A build for
/// tests, which clippy makes, has std's.)
#[cfg(not(test))]
#[panic_handler]
fn panic(_info: &core::panic::PanicInfo) -> ! {
    // SAFETY: may be called at any time.
    unsafe { abort() }
}

// Referred to by the parts of `core` that were compiled to unwind, never called, and
// not to be seen by a Rust program that has the real one.
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2",
);
