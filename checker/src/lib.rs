//! leno's search as pure data: no I/O, no `unsafe`, no operating system.
//!
//! Two halves, because in the isolated mode they live in different processes. The
//! [`Director`] sits where the program runs, follows a [`Plan`] and says who goes
//! on after it. A [`Search`] makes the plans and reads the recorded executions.
//! Everything else in here serves one of the two, one concept a file.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod awaits;
mod barrier;
mod blocking;
mod checkpoints;
mod clock;
mod deadlock;
pub mod dependence;
mod director;
mod dpor;
pub mod exchange;
mod family;
mod finding;
mod futex;
mod glances;
mod happens;
mod in_vain;
mod memory;
mod misuse;
mod naive;
mod optimal;
mod plan;
mod race;
mod repertoire;
mod reversal;
mod rounds;
mod rwlock;
mod schedules;
mod search;
pub mod shorten;
mod source;
mod strategy;
mod summary;
mod symmetry;
pub mod sync;
mod threads;
mod trace;

pub use awaits::Stretch;
pub use director::{Apart, Arrival, Decision, Director, PendingView, Stands};
pub use dpor::Dpor;
pub use finding::{Blocked, Finding};
pub use in_vain::joined_in_vain;
pub use misuse::Misuse;
pub use naive::Naive;
pub use optimal::Optimal;
pub use plan::{Compare, Limits, Plan, PlannedStep, Sleeper, fingerprint};
pub use repertoire::Repertoire;
pub use rounds::Past;
pub use search::{Search, findings};
pub use source::Source;
pub use strategy::Strategy;
pub use threads::ThreadSet;
