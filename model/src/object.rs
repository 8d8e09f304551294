//! What an address is part of, in words that do not depend on the interleaving.

use crate::{ThreadId, site::SiteId};
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// The object behind an address and the place inside it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Object {
    /// In a loaded file's data; `offset` is the address as in that file's symbol table.
    Global {
        image: String,
        offset: u64,
    },
    /// A block of the heap: the `index`th allocation of `thread`.
    Heap {
        thread: ThreadId,
        index: u32,
        size: u64,
        offset: u64,
        allocated_at: Option<SiteId>,
        freed: bool,
    },
    /// In the frame record of a function (named by its place in its unit's list of functions) that `thread` was executing.
    Frame {
        thread: ThreadId,
        function: SiteId,
        offset: u64,
    },
    /// On a thread's stack, but in no frame record; `offset` counts down from its top.
    Stack {
        thread: ThreadId,
        offset: u64,
    },
    /// A thread's thread-local storage; `offset` is relative to the thread pointer.
    ThreadLocal {
        thread: ThreadId,
        offset: i64,
    },
    Unknown {
        addr: u64,
    },
}
