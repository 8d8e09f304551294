//! The searches as one type: what is chosen by name, saved and taken up again.

use crate::{Dpor, Finding, Naive, Optimal, Plan, Search, Source, search::Log};
use alloc::vec::Vec;
use leno_model::{Execution, wire::SearchKind};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Strategy {
    Naive(Naive),
    Dpor(Dpor),
    Source(Source),
    Optimal(Optimal),
}

impl Strategy {
    pub fn new(kind: SearchKind) -> Self {
        match kind {
            SearchKind::Naive => Self::Naive(Naive::new()),
            SearchKind::Dpor => Self::Dpor(Dpor::new()),
            SearchKind::Source => Self::Source(Source::new()),
            SearchKind::Optimal => Self::Optimal(Optimal::new()),
        }
    }

    fn search(&self) -> &dyn Search {
        match self {
            Self::Naive(search) => search,
            Self::Dpor(search) => search,
            Self::Source(search) => search,
            Self::Optimal(search) => search,
        }
    }

    fn search_mut(&mut self) -> &mut dyn Search {
        match self {
            Self::Naive(search) => search,
            Self::Dpor(search) => search,
            Self::Source(search) => search,
            Self::Optimal(search) => search,
        }
    }
}

impl Search for Strategy {
    fn next(&mut self) -> Option<Plan> {
        self.search_mut().next()
    }

    fn absorb(&mut self, run: &Execution<'_>) -> Vec<Finding> {
        self.search_mut().absorb(run)
    }

    fn log(&self) -> &Log {
        self.search().log()
    }

    fn explored(&self) -> Option<f64> {
        self.search().explored()
    }
}
