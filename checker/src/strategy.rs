//! The searches as one type: what is chosen by name, saved and taken up again.
//!
//! **Symmetry with optimal DPOR.** To cut what is symmetric, a search must be done with one
//! part of the tree before it comes to another (see `symmetry`). Source sets go through the
//! tree in that way; optimal DPOR, as it is here, does not, and that is why its memory does
//! not grow. So optimal DPOR only *looks out* for symmetry: where it is about to reverse a
//! race in the state where the first of the two events happened, the two threads are
//! compared. While they are not symmetric, that is all, and a program without symmetry is
//! explored by one execution for each trace. The first time they are, the search begins
//! anew with source sets, which cut. Source sets begin executions in vain, though, and where
//! these are by far the most, what is cut does not make up for them: then the search begins
//! anew once more, with optimal DPOR, and cuts nothing.

use crate::{
    Compare, Dpor, Finding, Naive, Optimal, Plan, Search, Source, glances::Glances, search::Log,
};
use alloc::vec::Vec;
use leno_model::{
    End, Execution,
    wire::{Counts, SearchKind},
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Strategy {
    method: Method,
    glances: Glances,
    /// How many steps the last plan had.
    planned: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Method {
    Naive(Naive),
    Dpor(Dpor),
    Source(Source),
    Optimal(Optimal),
    LookingOut(Optimal, Lookout),
    /// What looking out has come to.
    Cutting(Source),
}

/// Whether so much is begun in vain that it is better to cut nothing. The bounds are generous:
/// as long as the search is short it does not matter, and programs with locks, where symmetry
/// saves most, have fewer executions in vain than others.
fn is_in_vain(counts: Counts) -> bool {
    counts.blocked_by_sleep > 4 * counts.executions + 5000
}

/// How often threads have been compared in vain.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
struct Lookout {
    compared: u32,
}

impl Lookout {
    /// Comparing is cheap but not free: where it was in vain so often, it is done less.
    fn is_due(&mut self) -> bool {
        const ALWAYS: u32 = 1000;
        self.compared += 1;
        self.compared < ALWAYS || self.compared.is_power_of_two()
    }
}

impl Method {
    fn new(kind: SearchKind, symmetry: bool) -> Self {
        match kind {
            SearchKind::Naive => Self::Naive(Naive::new()),
            SearchKind::Dpor => Self::Dpor(Dpor::new()),
            SearchKind::Source if symmetry => Self::Source(Source::new().with_symmetry()),
            SearchKind::Source => Self::Source(Source::new()),
            SearchKind::Optimal if symmetry => Self::LookingOut(Optimal::new(), Lookout::default()),
            SearchKind::Optimal => Self::Optimal(Optimal::new()),
        }
    }

    /// The same from the beginning.
    fn anew(&self) -> Self {
        match self {
            Self::Naive(_) => Self::Naive(Naive::new()),
            Self::Dpor(_) => Self::Dpor(Dpor::new()),
            Self::Source(search) => Self::Source(search.anew()),
            Self::Optimal(_) => Self::Optimal(Optimal::new()),
            Self::LookingOut(..) => Self::LookingOut(Optimal::new(), Lookout::default()),
            Self::Cutting(search) => Self::Cutting(search.anew()),
        }
    }

    fn search(&self) -> &dyn Search {
        match self {
            Self::Naive(search) => search,
            Self::Dpor(search) => search,
            Self::Source(search) | Self::Cutting(search) => search,
            Self::Optimal(search) | Self::LookingOut(search, _) => search,
        }
    }

    fn search_mut(&mut self) -> &mut dyn Search {
        match self {
            Self::Naive(search) => search,
            Self::Dpor(search) => search,
            Self::Source(search) | Self::Cutting(search) => search,
            Self::Optimal(search) | Self::LookingOut(search, _) => search,
        }
    }
}

impl Strategy {
    /// `symmetry`: what is symmetric is cut, by those searches that can.
    pub fn new(kind: SearchKind, symmetry: bool) -> Self {
        let method = Method::new(kind, symmetry);
        Self { method, glances: Glances::default(), planned: 0 }
    }
}

impl Search for Strategy {
    fn next(&mut self) -> Option<Plan> {
        let mut plan = self.method.search_mut().next()?;
        if let Method::LookingOut(search, lookout) = &mut self.method {
            let compare = match (search.rival(), plan.steps.last()) {
                (Some(rival), _) => Compare::Taker(alloc::vec![rival]),
                (None, Some(last)) if last.step.choice > 0 => Compare::Chosen,
                _ => Compare::Nothing,
            };
            if compare != Compare::Nothing && lookout.is_due() {
                plan.compare = compare;
            }
        }
        plan.patient = self.glances.matter();
        self.planned = plan.steps.len();
        Some(plan)
    }

    fn absorb(&mut self, run: &Execution<'_>) -> Vec<Finding> {
        if let (Method::LookingOut(..), End::Symmetric { .. }) = (&self.method, run.end) {
            self.method = Method::Cutting(Source::new().with_symmetry());
            return Vec::new();
        }
        let found = self.method.search_mut().absorb(run);
        if matches!(self.method, Method::Cutting(_)) && is_in_vain(self.counts()) {
            self.method = Method::Optimal(Optimal::new());
        }
        // The last of the steps is the one that is new.
        let known = self.planned.saturating_sub(1);
        if self.glances.learn(run, known) {
            self.method = self.method.anew();
        }
        found
    }

    fn log(&self) -> &Log {
        self.method.search().log()
    }

    fn explored(&self) -> Option<f64> {
        self.method.search().explored()
    }
}
