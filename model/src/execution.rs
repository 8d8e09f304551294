//! One run of the program, as the search sees it.

use crate::{Access, Event, Op, SiteRef, ThreadId};
use serde::{Deserialize, Serialize};

/// What leno looks for. The order is that of `--property` in the documentation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Property {
    Race,
    Deadlock,
    Assert,
    Crash,
    Memory,
    Lock,
    Termination,
    Exit,
    Progress,
    Leak,
}

/// One decision of a schedule: this thread's next event happens, with this choice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Step {
    pub thread: ThreadId,
    pub choice: u32,
}

/// A thread that stands at an event when the execution is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Pending {
    pub thread: ThreadId,
    pub ordinal: u32,
    pub site: SiteRef,
    pub op: Op,
    pub first_access: u32,
    pub access_count: u32,
    /// Waiting for another thread to write what it would read.
    pub awaiting: bool,
    /// As [`Event::iteration`]; not 0 also when the write has come already.
    pub iteration: u32,
    /// It waits with a timeout that did not fire: that it fires was the other
    /// choice of an event before this one.
    pub timed: bool,
}

/// A thread that failed by itself: a failed assertion, a signal, misuse of memory
/// or of a lock. It happened in the private code behind the thread's last event
/// (`after` counts the execution's events up to and including that one) and the
/// thread does nothing more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    pub property: Property,
    pub thread: ThreadId,
    pub after: u32,
    pub site: SiteRef,
    /// Tells failures of one property at one site apart: the signal's number and
    /// the like. What it means is the runtime's to say.
    pub code: u32,
}

/// Why an execution went no further.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum End {
    /// The process ended with this status.
    Completed { status: i32 },
    /// No thread can go on and the process has not ended. Whether that is a
    /// deadlock, a hang of an await, or the consequence of a failure is read off
    /// the pending operations.
    Stuck,
    /// Every thread that could go on is in the sleep set: what would follow has
    /// been explored elsewhere.
    Asleep,
    /// `leno_assume` was given a false condition.
    Assumed,
    /// A loop that waits has looked for what came later: the execution in which it looks later
    /// shows the same. Or nobody can go on, but somebody waits who had chosen how the wait is to
    /// end, or whether a loop is to go round: what comes of the other choice is explored too.
    Awaited,
    /// A loop went round more often than it may: this one, or one before it.
    Unrolled { site: SiteRef },
    /// The limit of steps was reached.
    Bounded,
    /// Before the plan's last step was taken: everything that follows from it is, with these
    /// two threads exchanged, what follows from a step that has been explored: the one whose
    /// thread, or whose choice, has this place in what was to be compared.
    Symmetric { thread: ThreadId, to: ThreadId, place: u32 },
    /// The plan's last step, which was only worth a try, cannot be taken.
    Disabled,
    /// A planned step could not be taken or was not the planned event: the
    /// program does not behave the same under the same schedule. `at` is the step.
    Diverged { at: u32 },
}

/// Two ranges of memory that change places when two threads do: what is at `at` for the one
/// is at `to` for the other, and the other way round.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Exchanged {
    pub at: u64,
    pub to: u64,
    pub len: u64,
}

/// A recorded execution. `pending` and `failures` are complete: every thread that
/// has been created and has not ended is in exactly one of them.
#[derive(Clone, Copy, Debug)]
pub struct Execution<'a> {
    pub events: &'a [Event],
    pub accesses: &'a [Access],
    pub pending: &'a [Pending],
    pub failures: &'a [Failure],
    /// What is each thread's own, if the execution ends as [`End::Symmetric`].
    pub exchanged: &'a [Exchanged],
    /// Threads that change places with these two: those that they will create.
    pub children: &'a [(ThreadId, ThreadId)],
    /// Events that have read in rounds of loops that are not gone on with, and that another
    /// round may not have.
    pub glances: &'a [u32],
    pub end: End,
}

impl<'a> Execution<'a> {
    #[inline]
    pub fn accesses_of(&self, event: &Event) -> &'a [Access] {
        &self.accesses[event.first_access as usize..][..event.access_count as usize]
    }

    pub fn accesses_of_pending(&self, pending: &Pending) -> &'a [Access] {
        &self.accesses[pending.first_access as usize..][..pending.access_count as usize]
    }
}
