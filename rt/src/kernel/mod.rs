//! What the kernel holds for the process, put back after each execution.
//!
//! Wherever that is cheap, the state is not taken from what the interposed functions
//! have seen but put back whatever it is: libraries open and map things without
//! asking anybody. Two kinds of state are told apart. What belongs to the process
//! (its table of descriptors, its directory, its signal handlers) has to be put back
//! only where executions are restarted in place. What processes share (the offset of
//! an inherited descriptor, the files) survives the child that runs an isolated execution, and is
//! put back in both modes.
//!
//! A program that calls nothing of the kind pays nothing: the driver knows by the
//! functions that it imports.

pub mod descriptors;
pub mod epoll;
pub mod files;
pub mod handlers;
pub mod listing;
mod mappings;
pub mod open;
pub mod paths;
pub mod regions;
mod settings;
pub mod things;

use crate::{
    cell::Global,
    execution::{finish, running},
};
use alloc::string::String;
use leno_model::End;

static KEPT: Global<bool> = Global::new(false);

/// Keeps the state before the first execution.
pub fn keep(scratch: &str) {
    *KEPT.get() = true;
    files::keep(scratch);
    settings::keep();
    mappings::keep();
    // The last: it must know all descriptors of the runtime's own.
    descriptors::keep();
}

/// Whether there is anything to put back.
pub fn kept() -> bool {
    *KEPT.get()
}

/// Before each execution, in the process that runs it.
pub fn begin() {
    open::begin();
    epoll::begin();
    handlers::begin();
    regions::begin();
    files::begin();
}

/// After an execution in place.
pub fn put_back() {
    if kept() {
        handlers::put_back();
        regions::put_back();
        files::put_back();
        settings::put_back();
        descriptors::put_back();
        mappings::put_back();
    }
}

/// After an execution by a child.
pub fn put_back_shared() {
    if kept() {
        files::put_back();
        descriptors::put_back_shared();
    }
}

/// Whether the execution under way is to be restarted in place.
static IN_PLACE: Global<bool> = Global::new(false);
/// What the program was about to do that cannot be put back.
static OBSTACLE: Global<Option<String>> = Global::new(None);

pub fn in_place(whether: bool) {
    *IN_PLACE.get() = whether;
}

/// The program is about to do what cannot be put back. In place, the execution ends
/// here, and it and all others are repeated by processes of their own.
pub fn isolate(what: &str) {
    if *IN_PLACE.get() && running().is_some() {
        *OBSTACLE.get() = Some(what.into());
        finish(End::Bounded);
    }
}

/// What has turned out to stand in the way of a restart in place.
pub fn obstacle() -> Option<String> {
    OBSTACLE.get().take()
}
