//! Signals by which the user ends a check: it stops with the verdict so far.

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ},
    flag::register,
};
use std::sync::{
    Arc, LazyLock,
    atomic::{AtomicBool, Ordering},
};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on these signals are only noted. One that says that a file has reached its
/// limit is noted too, for nobody: the write then fails, and that is reported.
pub fn listen() {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // It can fail only for signals that cannot be caught.
        let _ = register(signal, INTERRUPTED.clone());
    }
    let _ = register(SIGXFSZ, Arc::default());
}

/// Whether the user has had enough.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
