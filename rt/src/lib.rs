//! The runtime that leno preloads into the checked program.
//!
//! It turns the program's threads into fibers of one kernel thread, stands between
//! the program and libpthread, and hosts the search. All of it runs on that one
//! kernel thread, some of it with the program's
//! thread pointer. Therefore: no `std` (its thread-locals, locks and hashers would
//! be the program's), an allocator of its own, raw system calls, and no panic that
//! unwinds.

#![no_std]

extern crate alloc;

mod accesses;
mod back_off;
mod beforehand;
mod cell;
mod channel;
mod describe;
mod execution;
mod fiber;
mod given_stacks;
mod glanced;
mod heap;
mod hooks;
mod host;
mod inquest;
mod interpose;
mod kernel;
mod leaks;
mod local_state;
mod memory;
mod misuse;
mod models;
mod phases;
mod record;
mod saved;
mod secrets;
mod sharing;
mod showing;
mod signals;
mod snapshot;
mod stacks;
mod symmetry;
mod sys;
mod trace;
mod units;

#[global_allocator]
static RUNTIME_MEMORY: memory::RuntimeMemory = memory::RuntimeMemory;

/// The runtime has a bug: say where, and end the process. The driver sees the
/// channel close and reports a fault of the tool.
#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    channel::internal_fault(alloc::format!("{info}"));
    sys::exit_group(70)
}

/// Where unwinding would end up (see build.rs). Nothing here unwinds.
#[unsafe(no_mangle)]
extern "C" fn __leno_no_unwinding() -> ! {
    sys::exit_group(70)
}
