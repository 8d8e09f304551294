//! Comparisons that somebody has asked for: counted, and explained where that is wanted.

use super::{Symmetric, symmetric, used_alone};
use crate::{
    cell::Global,
    execution::{director, running},
    record::record,
    sharing, sys, units,
};
use alloc::vec::Vec;
use hashbrown::HashSet;
use leno_model::{
    SiteRef, ThreadId,
    symmetry::{Compared, Counts, DifferenceKind, Explain, State},
};

#[derive(Clone, Copy, Default)]
struct Wanted {
    /// Threads are compared at all.
    compared: bool,
    /// All threads are compared in every branching state, and what comes out is told.
    explained: bool,
}

static WANTED: Global<Wanted> = Global::new(Wanted { compared: false, explained: false });

/// Says what the check wants of comparisons.
pub fn want(compared: bool, explained: bool) {
    *WANTED.get() = Wanted { compared: compared || explained, explained };
}

pub fn is_wanted() -> bool {
    WANTED.get().compared
}

/// What the comparisons of the check have come to.
pub fn counts() -> Counts {
    record().symmetry.as_slice().first().copied().unwrap_or_default()
}

/// Goes on with the counts of a check that is taken up again.
pub fn go_on_counting(before: Counts) {
    record().symmetry.set(before);
}

/// How much of what a thread has touched alone is made known for the sake of symmetry. A
/// table that threads fill part by part would be thousands of events.
const REVEALED: usize = 64;

/// Compares two threads.
fn compare(a: ThreadId, b: ThreadId) -> Option<Symmetric> {
    let from = sys::now();
    let result = symmetric(a, b).and_then(|found| match found.unrecorded[..] {
        [] => Ok(found),
        [first, ..] => {
            // Who only wants an explanation gets it as things are.
            if found.unrecorded.len() <= REVEALED && !WANTED.get().explained {
                found.unrecorded.iter().for_each(|addr| sharing::reveal_at(*addr));
            }
            Err(used_alone(first))
        }
    });
    let mut counts = counts();
    counts.analyses += 1;
    counts.successes += u64::from(result.is_ok());
    let unknown = |kind| kind == DifferenceKind::Incomparable;
    counts.incomparable += u64::from(result.as_ref().is_err_and(|found| unknown(found.kind)));
    counts.nanoseconds += sys::now().saturating_sub(from);
    record().symmetry.set(counts);
    if WANTED.get().explained {
        let site = |thread: ThreadId| {
            let at = director().and_then(|director| director.standing(thread));
            at.and_then(|(site, _): (SiteRef, _)| units::site_id(site))
        };
        let path = |thread: ThreadId| record().threads().path(thread);
        let at = record().events.len() as u32;
        let compared = Compared {
            state: State { execution: 0, events: at },
            threads: (path(a), path(b)),
            sites: (site(a), site(b)),
            difference: result.as_ref().err().cloned(),
        };
        if let Ok(bytes) = postcard::to_allocvec(&compared) {
            let explanations = &record().explanations;
            let len = (bytes.len() as u32).to_le_bytes();
            if explanations.extend(&len) {
                explanations.extend(&bytes);
            }
        }
        if result.is_ok() {
            record().symmetric.push((at, a, b));
        }
    }
    result.ok()
}

/// To whom of these a thread is symmetric, and at which place among them: the search cuts a
/// branch on that.
pub fn compare_with(thread: ThreadId, others: &[ThreadId]) -> Option<(usize, ThreadId)> {
    // Without having looked at what handles are used for, nothing is known.
    let others = if is_wanted() { others } else { &[] };
    others.iter().copied().enumerate().find(|(_, other)| {
        let Some(found) = compare(*other, thread) else { return false };
        let Symmetric { exchanged, children, assumed, .. } = found;
        record().exchanged.clear();
        record().children.clear();
        if assumed {
            record().assumed.push((*other, thread));
        }
        // What does not fit is not known to the search.
        record().exchanged.extend(&exchanged) && record().children.extend(&children)
    })
}

/// Compares all threads that can go on, if that is wanted and there are several.
pub fn compare_all() {
    if !WANTED.get().explained {
        return;
    }
    let Some(x) = running() else { return };
    let enabled = |thread: &ThreadId| {
        *thread != ThreadId::MAIN && director().is_some_and(|d| d.is_enabled(*thread))
    };
    let threads: Vec<ThreadId> = x.alive().filter(enabled).collect();
    for (place, a) in threads.iter().enumerate() {
        for b in &threads[place + 1..] {
            compare(*a, *b);
        }
    }
}

/// What the comparisons of a check have shown.
#[derive(Default)]
pub struct Explanations {
    executions: u64,
    known: HashSet<Vec<u8>>,
}

impl Explanations {
    /// Those of the last execution that are wanted.
    pub fn of_last_execution(&mut self, wanted: Explain) -> Vec<Compared> {
        self.executions += 1;
        let mut found = Vec::new();
        let mut rest = record().explanations.as_slice();
        while let Some((len, more)) = rest.split_first_chunk::<4>() {
            let len = u32::from_le_bytes(*len) as usize;
            let Some((bytes, more)) = more.split_at_checked(len) else { break };
            rest = more;
            let Ok(compared) = postcard::from_bytes::<Compared>(bytes) else { continue };
            let state = State { execution: self.executions, ..compared.state };
            let is_wanted = match wanted {
                Explain::Only(only) => only == state,
                Explain::Each => {
                    let anywhere = Compared { state: State::default(), ..compared.clone() };
                    postcard::to_allocvec(&anywhere).is_ok_and(|bytes| self.known.insert(bytes))
                }
            };
            found.extend(is_wanted.then_some(Compared { state, ..compared }));
        }
        found
    }
}
