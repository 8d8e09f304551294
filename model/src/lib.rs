//! The types that leno's parts share and that go to disk.
//!
//! Everything here is plain data. The crate is `no_std` because the preloaded
//! runtime, which must not touch `std`'s thread-locals or locks, uses it too.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod effect;
pub mod event;
pub mod execution;
pub mod object;
pub mod rmw;
pub mod site;
pub mod symmetry;
pub mod thread;
pub mod wire;

pub use event::{Access, AccessKind, Event, MutexKind, Op, Order, Outcome, Varies, noted};
pub use execution::{End, Exchanged, Execution, Failure, Pending, Property, Step};
pub use site::SiteRef;
pub use thread::ThreadId;
