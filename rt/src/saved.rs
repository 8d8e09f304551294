//! A check that is stopped and gone on with, perhaps by another process.
//!
//! The search is plain data. What it refers to goes with it: the numbers of threads, the
//! memory that is shared, and where the files lie whose addresses it is full of. (Stacks
//! and arenas are always in the same place.)

use crate::{
    host::{fault, provide_stacks},
    interpose::choices,
    models, phases,
    record::record,
    sharing, symmetry, units,
};
use alloc::vec::Vec;
use leno_checker::Strategy;
use leno_model::{
    site::SiteId,
    wire::{Counts, Fault, Saved, Unasked},
};

/// When to save next, in ticks of the processor.
pub struct Timer {
    every: u64,
    due: u64,
}

impl Timer {
    /// About so many ticks pass in a millisecond.
    const MILLISECOND: u64 = 3_000_000;

    pub fn new(milliseconds: u64) -> Self {
        let every = milliseconds * Self::MILLISECOND;
        Self { every, due: phases::ticks() + every }
    }

    /// Whether a check is to be saved at all.
    pub fn is_wanted(&self) -> bool {
        self.every > 0
    }

    pub fn is_due(&self) -> bool {
        self.is_wanted() && phases::ticks() > self.due
    }

    /// Has been saved, which began at `from`. What takes long is done less often.
    pub fn done(&mut self, from: u64) {
        let now = phases::ticks();
        self.due = now + self.every.max(50 * (now - from));
    }
}

/// The check as it stands between two executions.
pub fn save(
    search: &Strategy,
    reported: &[Vec<u64>],
    counts: Counts,
    steps_limited: bool,
    unrolled: &[SiteId],
    unasked: &[Unasked],
) -> Saved {
    Saved {
        search: postcard::to_allocvec(search).expect("plain data can be encoded"),
        biases: units::biases(),
        threads: record().threads().names().to_vec(),
        shared: sharing::ranges(),
        glanced: sharing::glanced(),
        handles: symmetry::known().clone(),
        habits: record().habits.as_slice().to_vec(),
        reported: reported.to_vec(),
        counts,
        steps_limited,
        unrolled: unrolled.to_vec(),
        unasked: unasked.to_vec(),
        unseen: models::unseen(),
        narrowed: choices::narrowed(),
    }
}

/// Takes a check up again and gives its search.
pub fn take_up(saved: &Saved) -> Strategy {
    if saved.biases != units::biases() {
        fault(Fault::Unsupported {
            what: "a search that was saved when the program lay at other addresses".into(),
            site: None,
        });
    }
    for name in &saved.threads {
        record().intern(*name);
    }
    provide_stacks();
    sharing::assume(&saved.shared);
    sharing::assume_glanced(&saved.glanced);
    symmetry::keep_in_mind(&saved.handles);
    symmetry::go_on_counting(saved.counts.symmetry);
    record().habits.extend(&saved.habits);
    models::assume_unseen(&saved.unseen);
    choices::assume_narrowed(&saved.narrowed);
    postcard::from_bytes(&saved.search).unwrap_or_else(|_| {
        fault(Fault::Unsupported { what: "a saved search that is damaged".into(), site: None })
    })
}
