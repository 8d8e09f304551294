//! Signal handlers and masks.
//!
//! Handlers belong to the process: those that an execution has changed are put back.
//! The handler for faults stays the runtime's, which needs it; the program's is kept
//! here and called by it. Masks belong to threads, and threads are fibers of one kernel
//! thread: each has its mask here, and the kernel's is not changed.

use crate::{cell::Global, execution::current_thread, sys};
use alloc::vec::Vec;
use hashbrown::HashMap;
use leno_model::ThreadId;

/// The kernel's form of an action: handler, flags, restorer, mask.
type Action = [u64; 4];

#[derive(Default)]
struct Handlers {
    /// Signals with a changed handler, and what they had before.
    changed: Vec<(i32, Action)>,
    /// The program's handler for SIGSEGV.
    fault: Option<libc::sigaction>,
    masks: HashMap<u32, u64>,
}

static HANDLERS: Global<Option<Handlers>> = Global::new(None);

fn handlers() -> &'static mut Handlers {
    HANDLERS.get().get_or_insert_with(Handlers::default)
}

/// An execution begins.
pub fn begin() {
    let handlers = handlers();
    handlers.fault = None;
    handlers.masks.clear();
}

pub fn put_back() {
    for (number, action) in handlers().changed.drain(..) {
        let action = action.as_ptr() as u64;
        // SAFETY: gives back what the kernel had.
        unsafe { sys::call(libc::SYS_rt_sigaction, [number as u64, action, 0, 8, 0, 0]) };
    }
}

/// A signal's handler is about to be changed.
pub fn changing(number: i32) {
    let handlers = handlers();
    if handlers.changed.iter().any(|(changed, _)| *changed == number) {
        return;
    }
    let mut action: Action = [0; 4];
    let place = action.as_mut_ptr() as u64;
    // SAFETY: the kernel writes `action` only.
    let known = unsafe { sys::call(libc::SYS_rt_sigaction, [number as u64, 0, place, 8, 0, 0]) };
    if known == 0 {
        handlers.changed.push((number, action));
    }
}

/// The program's handler for faults, where it has set one.
pub fn fault() -> &'static mut Option<libc::sigaction> {
    &mut handlers().fault
}

/// The running thread's mask.
pub fn mask() -> &'static mut u64 {
    let thread = current_thread().unwrap_or(ThreadId::MAIN);
    handlers().masks.entry(thread.0).or_insert(0)
}

/// A new thread has its creator's mask.
pub fn inherit(child: ThreadId) {
    let mask = *mask();
    handlers().masks.insert(child.0, mask);
}
