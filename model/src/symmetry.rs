//! What comparing two threads has shown.

use crate::{ThreadId, object::Object, site::SiteId};
use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// A state of the check: of its how-manieth execution, from 1, behind so many events. Two
/// checks with the same options have the same ones.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct State {
    pub execution: u64,
    pub events: u32,
}

/// Which comparisons are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Explain {
    /// Those of every state, what is the same once.
    Each,
    Only(State),
}

/// Two threads that were compared in some state, and why they are not interchangeable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Compared {
    /// In which state; where that was seen several times, the first.
    pub state: State,
    /// By their paths (see [`crate::thread::ThreadTable::path`]).
    pub threads: (Vec<u32>, Vec<u32>),
    /// What they stood at.
    pub sites: (Option<SiteId>, Option<SiteId>),
    /// None: they are symmetric.
    pub difference: Option<Difference>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Difference {
    pub kind: DifferenceKind,
    /// In words.
    pub text: String,
    /// What this is about.
    pub object: Option<Object>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// Something about one of them is not understood: nothing is known.
    Incomparable,
    /// The code before them is not the same.
    Code,
    /// A variable, or something that it leads to, has different values.
    Value,
    /// What the runtime keeps for them is different: masks, clocks, cancellation.
    State,
    /// They hold different locks, or wait for different things.
    Lock,
    /// Somebody else refers to one of them.
    Referenced,
}

/// What is known of the handles of threads: see the runtime's `handles.rs`.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Handles {
    /// Threads whose handle was used for something else than a join.
    pub used: Vec<ThreadId>,
    /// With whom a thread was joined in all executions in which that came to an end.
    pub together: Vec<(ThreadId, Vec<ThreadId>)>,
    /// Pairs that a branch has been cut on.
    pub assumed: Vec<(ThreadId, ThreadId)>,
}

/// Something that a thread has done with its heap in some execution, so that the addresses of
/// its next blocks are not decided by where the last one ends: see the runtime's `futures.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Habit {
    /// It asks for blocks that are aligned more than others.
    Aligns,
    /// It gets blocks again that it has freed.
    Reuses,
}

/// What the comparisons of a check came to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counts {
    pub analyses: u64,
    pub successes: u64,
    pub incomparable: u64,
    pub nanoseconds: u64,
}
