//! Global state of a runtime that has exactly one kernel thread.

use core::cell::UnsafeCell;

/// A global that only the runtime's one kernel thread touches.
pub struct Global<T>(UnsafeCell<T>);

// SAFETY: program threads are fibers, and the parked kernel threads behind them
// never run any code of ours, so there is no second thread to share it with.
unsafe impl<T> Sync for Global<T> {}

impl<T> Global<T> {
    pub const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The value. The caller does not keep the reference across a switch of fibers
    /// or a call into the program.
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub fn get(&self) -> &mut T {
        // SAFETY: one kernel thread (see `Sync` above); the caller's promise rules
        // out that another fiber uses the value while this reference is alive.
        unsafe { &mut *self.0.get() }
    }
}
