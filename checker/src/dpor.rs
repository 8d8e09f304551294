//! The DPOR of 2005, as a baseline.
//!
//! Flanagan, Godefroid: Dynamic partial-order reduction for model checking software
//! (POPL 2005), with clock vectors and sleep sets. For a race of e and e' the threads
//! are looked at that can begin what comes before e' without e, and e' itself; if one of
//! them is to be explored where e happened, that is enough, else one is added. (In the
//! paper every thread counts that has a part in it, wherever. That is not enough where e'
//! waits for what e has closed and a third thread opens it: the thread that opens it has a
//! part, but e' could have come before e without it.) What else it is differs from source
//! sets in this rule only (there, threads count that can begin anything that does not come
//! after e, and those asleep), so it shares the code.

use crate::{
    Finding, Plan, Search,
    search::Log,
    source::{Rule, Source},
};
use alloc::vec::Vec;
use leno_model::Execution;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dpor(Source);

impl Dpor {
    pub fn new() -> Self {
        Self::default()
    }
}

impl Default for Dpor {
    fn default() -> Self {
        Self(Source::with(Rule::Persistent))
    }
}

impl Search for Dpor {
    fn next(&mut self) -> Option<Plan> {
        self.0.next()
    }

    fn absorb(&mut self, run: &Execution<'_>) -> Vec<Finding> {
        self.0.absorb(run)
    }

    fn log(&self) -> &Log {
        self.0.log()
    }

    fn explored(&self) -> Option<f64> {
        self.0.explored()
    }
}
