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
pub mod files;
mod listing;
mod mappings;
pub mod open;
pub mod paths;
mod settings;
pub mod things;

use crate::cell::Global;

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
    files::begin();
}

/// After an execution in place.
pub fn put_back() {
    if kept() {
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
