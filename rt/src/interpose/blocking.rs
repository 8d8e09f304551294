//! Functions that wait, but not longer than until a given time.
//!
//! The clock plays no part in it: a timeout may fire whenever the thread would have
//! to wait. So such a function tries first; if that fails, the search chooses between
//! the timeout and the wait. The wait is then one that cannot be stuck for ever, which
//! the director is told: where it would be, the other choice is what happens.

use super::time;
use crate::{
    execution::may_happen,
    hooks::{synchronise, synchronise_timed},
};
use leno_model::{Op, Outcome, SiteRef};

/// How a function that waits is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// For ever.
    Endless,
    /// Until a timeout.
    Limited,
}

/// Acquires by `wait`, or times out (false). `attempt` is the same without waiting.
pub fn acquire(attempt: Op, wait: Op, patience: Patience, site: SiteRef) -> bool {
    if patience == Patience::Endless {
        synchronise(wait, site);
        return true;
    }
    if synchronise(attempt, site).outcome != Outcome::Acquired(false) {
        return true;
    }
    if times_out(site) {
        return false;
    }
    synchronise_timed(wait, site);
    true
}

/// Lets the search choose whether a timeout fires.
pub fn times_out(site: SiteRef) -> bool {
    let fires = may_happen(site);
    if fires {
        time::pass();
    }
    fires
}
