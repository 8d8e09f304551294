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
    /// Until this time, in nanoseconds.
    Until(u64),
}

impl Patience {
    /// Until the time that the program has given; none if that is no time.
    pub fn until(time: *const libc::timespec) -> Option<Self> {
        time::deadline(time).map(Patience::Until)
    }
}

/// Acquires by `wait` (true), or times out. `attempt` is the same without waiting.
pub fn acquire(attempt: Op, wait: Op, patience: Patience, site: SiteRef) -> bool {
    let Patience::Until(deadline) = patience else {
        synchronise(wait, site);
        return true;
    };
    if synchronise(attempt, site).outcome != Outcome::Acquired(false) {
        return true;
    }
    if times_out(deadline, site) {
        return false;
    }
    synchronise_timed(wait, site);
    true
}

/// Lets the search choose whether a timeout fires. It does not before its time, as far as
/// the thread can tell.
pub fn times_out(deadline: u64, site: SiteRef) -> bool {
    let fires = may_happen(site);
    if fires {
        time::pass_until(deadline);
    }
    fires
}
