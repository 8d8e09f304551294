//! What every search is, and the bookkeeping that all share.

use crate::{
    Finding, Plan, Repertoire, blocking::rwlock_before, deadlock, finding::Known, race::Races,
    trace::Trace,
};
use alloc::vec::Vec;
use leno_model::{End, Event, Execution, Op, Outcome, Pending, Varies, wire::Counts};
use serde::{Deserialize, Serialize};

/// A strategy: which executions there are to run. A plan is asked for, run, and
/// its execution absorbed, then the next one.
pub trait Search {
    /// The next execution; none when the search is at its end, or has met a
    /// divergence and cannot go on.
    fn next(&mut self) -> Option<Plan>;
    /// The execution of the last plan. Each bug is reported once in a search.
    fn absorb(&mut self, run: &Execution<'_>) -> Vec<Finding>;
    /// `executions` ended as completed or stuck (which includes every failure,
    /// deadlock and hang); those cut by the sleep set, by an assumption, by the bound of a loop,
    /// because a loop has looked in vain (see `awaits`) or because a wait was in vain that could
    /// have ended otherwise are counted apart; one that reached the limit of steps is in neither,
    /// since it was not run to an end and its coverage is not known.
    fn counts(&self) -> Counts {
        self.log().counts
    }
    /// Whether two threads met at an atomic weaker than sequentially consistent.
    fn weak_atomics(&self) -> bool {
        self.log().races.weak_atomics()
    }
    /// An event of the path that the last plan was to repeat.
    fn planned(&self, place: u32) -> Option<&Event> {
        let trace = &self.log().trace;
        ((place as usize) < trace.len()).then(|| trace.event(place))
    }
    /// The path, and what was found.
    fn log(&self) -> &Log;
    /// Which part of the whole is behind the search, if the subtrees of a node are all
    /// the same size: the weighted backtrack estimator of Kilby, Slaney, Thiébaux and
    /// Walsh (AAAI 2006), with the branches that are known by now.
    fn explored(&self) -> Option<f64> {
        None
    }
}

/// The path that a search stands on and what has been found on all of them.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Log {
    pub trace: Trace,
    pub repertoire: Repertoire,
    races: Races,
    known: Known,
    counts: Counts,
    found: Vec<Finding>,
}

impl Log {
    /// Goes back to a state that the last execution went through.
    pub fn truncate(&mut self, events: usize) {
        self.trace.truncate(events);
        self.races.truncate(events);
    }

    pub fn races(&self) -> &Races {
        &self.races
    }

    /// Learns what events that vary might access. If that is more than they were taken for,
    /// what has been explored is worth nothing, and the log is empty again.
    #[must_use]
    pub fn begins_anew(&mut self, run: &Execution<'_>) -> bool {
        let mut grown = false;
        for event in &run.events[self.trace.len()..] {
            grown |= self.repertoire.learn(event, run.accesses_of(event));
        }
        if grown {
            self.forget();
        }
        grown
    }

    /// What has been explored is worth nothing, but for the bugs that were found.
    pub fn forget(&mut self) {
        self.truncate(0);
        self.counts = Counts { bugs: self.counts.bugs, ..Counts::default() };
    }

    /// Takes in the execution's next event.
    pub fn push(&mut self, run: &Execution<'_>) -> u32 {
        let place = self.trace.len() as u32;
        let event = &run.events[place as usize];
        let accesses = run.accesses_of(event);
        self.trace.push(event, accesses, self.repertoire.of(event, accesses));
        self.counts.threads = self.counts.threads.max(self.trace.alive().into());
        let Self { trace, races, known, found, .. } = self;
        races.push(trace, place, |first, addr, len| {
            if known.is_new_race(trace.event(first), trace.event(place)) {
                found.push(Finding::Race { first, second: place, addr, len });
            }
        });
        place
    }

    /// The execution is over and all its events are taken in.
    pub fn finish(&mut self, run: &Execution<'_>) -> Vec<Finding> {
        let counts = &mut self.counts;
        match run.end {
            End::Completed { .. } | End::Stuck => counts.executions += 1,
            End::Asleep => counts.blocked_by_sleep += 1,
            End::Assumed => counts.blocked_by_assume += 1,
            End::Awaited => counts.blocked_by_await += 1,
            End::Unrolled { .. } => counts.blocked_by_unroll += 1,
            End::Symmetric { .. } => counts.symmetric += 1,
            End::Bounded | End::Disabled | End::Diverged { .. } => {}
        }
        counts.events += run.events.len() as u64;
        counts.max_depth = counts.max_depth.max(run.events.len() as u64);
        counts.threads = counts.threads.max(1);
        for failure in run.failures {
            if self.known.is_new_failure(failure) {
                self.found.push(Finding::Failure(*failure));
            }
        }
        deadlock::find(&self.trace, run, &mut self.known, &mut self.found);
        counts.bugs = self.known.len() as u64;
        core::mem::take(&mut self.found)
    }
}

/// The bugs that an execution shows by itself, whatever a search knows of others.
pub fn findings(run: &Execution<'_>) -> Vec<Finding> {
    let mut log = Log::default();
    while log.trace.len() < run.events.len() {
        log.push(run);
    }
    log.finish(run)
}

/// The part that is explored, from each node's branches, those done and all of them.
/// The one that is under way is not done.
pub fn explored(nodes: impl Iterator<Item = (u32, u32)>) -> f64 {
    let (mut done, mut weight) = (0.0, 1.0);
    for (finished, all) in nodes {
        weight /= f64::from(all.max(1));
        done += weight * f64::from(finished);
    }
    // The last execution itself.
    done + weight
}

/// Where the execution is not the one that was planned: it says so itself, or it is
/// too short to have taken all `planned` steps.
pub fn divergence(run: &Execution<'_>, planned: usize) -> Option<u32> {
    match run.end {
        End::Diverged { at } => Some(at),
        End::Symmetric { .. } | End::Disabled => None,
        _ if run.events.len() < planned => Some(run.events.len() as u32),
        _ => None,
    }
}

/// The event that a pending operation would be.
pub fn as_event(pending: &Pending) -> Event {
    let Pending { thread, ordinal, site, op, .. } = *pending;
    Event {
        thread,
        ordinal,
        site,
        op,
        // For none of the operations whose outcome matters is this the quiet one.
        outcome: Outcome::Done,
        choice: 0,
        choices: 1,
        first_access: 0,
        access_count: 0,
        varies: Varies::Never,
        found: None,
    }
}

/// Whether an object keeps the pending operation from happening, and it could have
/// happened before it did.
pub fn is_blocked(trace: &Trace, pending: &Pending, place: u32, limit: u32) -> bool {
    let before = limit.min(place);
    match pending.op {
        Op::Lock { mutex, .. } | Op::Rewait { mutex, .. } => {
            let owner = trace.hold_before(place, mutex, limit).mutex.owner;
            owner.is_some_and(|owner| owner != pending.thread)
        }
        Op::ReadLock { rwlock } => !rwlock_before(trace, rwlock, before).readable(),
        Op::WriteLock { rwlock } => !rwlock_before(trace, rwlock, before).writable(),
        Op::SemWait { sem } => trace.value(sem, before) == 0,
        _ => false,
    }
}
