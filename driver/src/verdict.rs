//! How a check ended: all ways, as one type. `human.rs` and `json.rs` render it.

use crate::{
    cli::{CheckArgs, Unseen},
    error,
    image::Images,
    program::Usage,
    suppressions::Suppression,
    symmetry::Explained,
};
use leno_model::wire::{Bug, Counts, Phases};
use std::{path::PathBuf, time::Duration};

/// The result of a check.
pub struct Outcome<'a> {
    pub args: &'a CheckArgs,
    pub images: Images,
    pub ending: Ending,
    pub counts: Counts,
    pub time: Duration,
    pub bugs: Vec<Found>,
    /// What is not to be reported, with what that has hidden.
    pub suppressions: Vec<Suppression>,
    /// Functions without a model that were given shared memory, by name.
    pub unseen: Vec<String>,
    pub notes: Vec<String>,
    /// What leno and the program have used.
    pub usage: Usage,
    /// Where the search lies that can be gone on with.
    pub resume: Option<PathBuf>,
    /// What was not tried in full although all executions were run.
    pub narrowed: Option<&'static str>,
    /// Where the time went, if that was asked for.
    pub phases: Option<Phases>,
    /// The comparisons themselves, if they were asked for.
    pub compared: Vec<Explained>,
}

/// A bug and the file that its trace is in.
pub struct Found {
    pub bug: Bug,
    pub trace: PathBuf,
}

/// Why no more executions were run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// There are no more.
    Exhausted,
    /// There are no more, but some were cut by `--max-steps`.
    StepsLimited,
    /// There are no more, but in some a thread was cut by `--max-threads`.
    ThreadsLimited,
    /// There are no more, but in some a loop was cut by `--unroll`.
    Unrolled,
    /// `--max-executions` was reached, or a bug was enough.
    Enough,
    TimedOut,
    Interrupted,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Safe,
    Bug,
    Unknown,
}

impl Outcome<'_> {
    /// What one execution cost on average, in microseconds, if it was measured.
    pub fn profile(&self) -> Option<[(&'static str, f64); 4]> {
        let runs = (self.counts.executions + self.blocked()).max(1) as f64;
        let each = |nanoseconds: u64| nanoseconds as f64 / 1000.0 / runs;
        self.phases.map(|phases| {
            [
                ("program", each(phases.program)),
                ("scheduling", each(phases.scheduling)),
                ("restore", each(phases.restoring)),
                ("analysis", each(phases.analysing)),
            ]
        })
    }

    pub fn verdict(&self) -> Verdict {
        let unseen = self.args.unseen != Unseen::Ignore && !self.unseen.is_empty();
        if !self.bugs.is_empty() {
            Verdict::Bug
        } else if self.exhaustive() && !unseen {
            Verdict::Safe
        } else {
            Verdict::Unknown
        }
    }

    /// How many executions there are in all: exactly, if all were run.
    pub fn estimate(&self) -> Option<u64> {
        match self.ending {
            Ending::Exhausted => Some(self.counts.executions),
            _ => Some(self.counts.estimate).filter(|estimate| *estimate > 0),
        }
    }

    /// How many bugs were found and not reported.
    pub fn suppressed(&self) -> u64 {
        self.suppressions.iter().map(|suppression| suppression.hidden).sum()
    }

    pub fn exhaustive(&self) -> bool {
        self.ending == Ending::Exhausted && self.narrowed.is_none() && !self.in_vain()
    }

    /// No execution came to an end, and not because of what the program assumes: in all of them
    /// somebody waits in a loop that would end by another choice. Then it is not known that any
    /// choice ends it.
    pub fn in_vain(&self) -> bool {
        self.counts.executions == 0 && self.counts.blocked_by_await > 0
    }

    pub fn is_assumed_away(&self) -> bool {
        is_assumed_away(&self.counts)
    }

    pub fn blocked(&self) -> u64 {
        let counts = &self.counts;
        counts.blocked_by_sleep
            + counts.blocked_by_assume
            + counts.blocked_by_await
            + counts.blocked_by_unroll
    }

    pub fn exit_status(&self) -> u8 {
        match self.verdict() {
            Verdict::Safe => error::EXIT_SAFE,
            Verdict::Bug => error::EXIT_BUG,
            Verdict::Unknown => error::EXIT_UNKNOWN,
        }
    }
}

/// No execution came to an end, because in all of them the program assumes what does not hold.
/// That is `safe`: an assumption says which executions there are, and of none there is nothing to
/// be said against. But who did not mean that is to know.
pub fn is_assumed_away(counts: &Counts) -> bool {
    counts.executions == 0 && counts.blocked_by_assume > 0 && counts.blocked_by_await == 0
}
