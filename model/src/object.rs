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
    /// A thread's thread-local storage. With an image, `offset` is as in that file's
    /// symbol table, without it is relative to the thread pointer.
    ThreadLocal {
        thread: ThreadId,
        image: Option<String>,
        offset: i64,
    },
    /// Outside the program's memory: a file, a pipe, a semaphore with a name.
    Outside {
        name: String,
    },
    Unknown {
        addr: u64,
    },
}

/// Addresses of things that are not memory. Whatever is done to such a thing counts as
/// an access there.
pub const OUTSIDE: core::ops::Range<u64> = 0x6900_0000_0000..0x6980_0000_0000;

/// Where memory lies, without saying what object it is part of: good for memory that
/// no object is at yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In a loaded file's data, as in its symbol table.
    Image { image: String, offset: u64 },
    /// In a heap's arena: number 0 is the time before `main`, `i + 1` thread `i`.
    Heap { arena: u32, offset: u64 },
    /// In the region of a thread's stack and thread-local storage.
    Stack { thread: ThreadId, offset: u64 },
    /// Relative to the main thread's thread pointer.
    Control { offset: i64 },
}

/// A range of memory that more than one thread touches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SharedRange {
    pub place: Place,
    pub len: u64,
}
