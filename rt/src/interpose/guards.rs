//! The guards of static variables in functions, as the Itanium C++ ABI has them.
//!
//! The first byte says that the variable is there. Compiled code looks at it itself, to
//! acquire, and calls here if it is not set. As with `pthread_once`, a mutex around the
//! test has one caller run the initialiser and the others wait; an initialiser that
//! throws frees it with the byte unset. An initialiser that comes back to its own
//! variable is a deadlock, as it is with every mutex.

use super::real;
use crate::{
    accesses,
    execution::{call_site, running},
    hooks::{self, synchronise},
    models,
};
use leno_entry::entry;
use leno_model::{AccessKind, MutexKind, Op, Order};

type Guard = *mut u8;

/// Outside an execution there is one thread; the library's own variables are its business.
fn is_checked(guard: Guard) -> bool {
    running().is_some() && !models::is_the_librarys(guard as u64)
}

fn mark(guard: Guard, kind: AccessKind, order: Order) {
    hooks::access(call_site(), &[accesses::one(kind, guard as u64, 1, Some(order))]);
}

/// # Safety
/// As the ABI says.
#[entry]
pub unsafe extern "C" fn __cxa_guard_acquire(guard: Guard) -> i32 {
    if !is_checked(guard) {
        return real!(__cxa_guard_acquire(guard => Guard) -> i32);
    }
    let (mutex, site) = (guard as u64, call_site());
    synchronise(Op::Lock { mutex, kind: MutexKind::Normal }, site);
    mark(guard, AccessKind::Read, Order::Acquire);
    // SAFETY: the program's guard; no other thread changes it now.
    if unsafe { *guard } != 0 {
        synchronise(Op::Unlock { mutex }, site);
        return 0;
    }
    running().expect("still running").thread().initialises.push(mutex);
    1
}

/// # Safety
/// As the ABI says.
#[entry]
pub unsafe extern "C" fn __cxa_guard_release(guard: Guard) {
    if !is_checked(guard) {
        return real!(__cxa_guard_release(guard => Guard) -> ());
    }
    mark(guard, AccessKind::Write, Order::Release);
    // SAFETY: the program's guard, which its thread has acquired.
    unsafe { *guard = 1 };
    free(guard);
}

/// # Safety
/// As the ABI says.
#[entry]
pub unsafe extern "C" fn __cxa_guard_abort(guard: Guard) {
    if !is_checked(guard) {
        return real!(__cxa_guard_abort(guard => Guard) -> ());
    }
    free(guard);
}

fn free(guard: Guard) {
    let mutex = guard as u64;
    running().expect("still running").thread().initialises.retain(|other| *other != mutex);
    synchronise(Op::Unlock { mutex }, call_site());
}
