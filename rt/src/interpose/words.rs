//! What libc keeps about a thread and other threads can ask for or change: whether it
//! is joined, is cancelled, what it is called.
//!
//! Each of these has a word in the thread's control block that stands for it in
//! events. Nobody reads or writes the word itself; the state is the runtime's. Like all
//! memory it is private until a second thread has to do with it: a program that never
//! cancels or detaches a thread from another one pays nothing.

use crate::{
    accesses,
    execution::{self, call_site, current_thread, private},
    fiber, sharing,
};
use leno_model::{Access, AccessKind, Order, ThreadId, Varies};

#[derive(Clone, Copy)]
pub enum Word {
    /// Somebody joins it, has joined or detached it.
    Joined,
    /// As a semaphore: posts are requests to cancel it.
    Cancel,
    Name,
    Scheduling,
    /// As a semaphore: posts say that a signal has come for which it has a handler.
    Signal,
}

/// Behind the fields of the control block that compiled code reads.
const FIRST: u64 = 0x100;

/// The address that stands for a thread's state.
pub fn word(thread: ThreadId, word: Word) -> u64 {
    fiber::handle(thread) + FIRST + 8 * word as u64
}

/// The thread whose word of this kind an address is.
pub fn thread_of(addr: u64, kind: Word) -> Option<ThreadId> {
    let handle = addr.checked_sub(FIRST + 8 * kind as u64)?;
    fiber::of_handle(handle).filter(|thread| fiber::handle(*thread) == handle)
}

fn access(word: u64, kind: AccessKind) -> [Access; 1] {
    [accesses::one(kind, word, 8, Some(Order::SeqCst))]
}

/// A look at the state.
pub fn read(word: u64) -> [Access; 1] {
    access(word, AccessKind::Read)
}

/// Whether more than one thread has to do with the word; notes that this one has.
pub fn is_shared(word: u64) -> bool {
    current_thread().is_some_and(|thread| sharing::is_shared(thread, &read(word)))
}

/// Looks at the state, and perhaps changes it, in one event: `change` says whether it did.
pub fn exchange(word: u64, change: impl FnOnce() -> bool) {
    let mut accesses = access(word, AccessKind::ReadWrite);
    if is_shared(word) {
        execution::access_settled(&mut accesses, call_site(), true, Varies::Perhaps, |[access]| {
            if !change() {
                access.kind = AccessKind::Read;
            }
        });
    } else {
        private(call_site(), &accesses);
        change();
    }
}

/// Looks at the state in one event.
pub fn look(word: u64, look: impl FnOnce()) {
    if is_shared(word) {
        execution::access_settled(&mut read(word), call_site(), true, Varies::Never, |_| look());
    } else {
        private(call_site(), &read(word));
        look();
    }
}
