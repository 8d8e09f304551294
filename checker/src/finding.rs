//! What a search has to say about an execution, each bug once.

use alloc::vec::Vec;
use hashbrown::HashSet;
use leno_model::{Event, Failure, Op, Property, SiteRef, ThreadId};
use serde::{Deserialize, Serialize};

/// Numbers of events are places in `Execution::events`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// Two accesses, at least one of them plain and at least one a write, that
    /// C11's happens-before does not order. `addr` and `len` are where they overlap.
    Race {
        first: u32,
        second: u32,
        addr: u64,
        len: u64,
    },
    Deadlock {
        waits: Vec<Blocked>,
    },
    /// A loop waits for a write that nobody is left to make.
    Hang {
        waits: Vec<Blocked>,
    },
    Failure(Failure),
    /// The same schedule gave different events; the search cannot go on.
    Diverged {
        at: u32,
    },
}

/// A thread that cannot go on. Those in a cycle come first, in its order: each
/// waits for the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Blocked {
    pub thread: ThreadId,
    pub op: Op,
    pub site: SiteRef,
    /// Who holds the lock that the thread waits for (one of its readers, if there are
    /// several), or whom it joins.
    pub holder: Option<ThreadId>,
    /// The event in which the holder acquired the lock.
    pub since: Option<u32>,
    pub in_cycle: bool,
}

/// What makes two findings the same bug.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
enum Name {
    Race(SiteRef, SiteRef),
    Stuck(bool, Vec<SiteRef>),
    Failure(Property, SiteRef, u32),
}

/// The bugs that have been reported.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Known(HashSet<Name>);

impl Known {
    /// Whether the race of these two has not been seen yet.
    pub fn is_new_race(&mut self, a: &Event, b: &Event) -> bool {
        self.0.insert(Name::Race(a.site.min(b.site), a.site.max(b.site)))
    }

    pub fn is_new_failure(&mut self, failure: &Failure) -> bool {
        self.0.insert(Name::Failure(failure.property, failure.site, failure.code))
    }

    /// Whether this deadlock or hang has not been seen yet. A cycle is its own
    /// name, whoever else waits.
    pub fn is_new_stuck(&mut self, hang: bool, waits: &[Blocked]) -> bool {
        let cycle = waits.iter().any(|wait| wait.in_cycle);
        let named = waits.iter().filter(|wait| wait.in_cycle == cycle);
        let mut sites: Vec<SiteRef> = named.map(|wait| wait.site).collect();
        sites.sort_unstable();
        self.0.insert(Name::Stuck(hang, sites))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}
