//! Mutexes.

use super::{is_internal, real};
use crate::{
    accesses::Accesses,
    describe,
    execution::{self, call_site, event, running},
    trace::FailureText,
};
use alloc::string::String;
use leno_model::{MutexKind, Op, Outcome, Property};

type Mutex = *mut libc::pthread_mutex_t;

/// The kind that a mutex was initialised with, statically or not: it lies behind
/// four words (lock, count, owner, users) in glibc's ABI.
fn kind(mutex: Mutex) -> MutexKind {
    // SAFETY: the program's mutex.
    match unsafe { *mutex.cast::<u32>().add(4) } & 3 {
        1 => MutexKind::Recursive,
        2 => MutexKind::ErrorCheck,
        _ => MutexKind::Normal,
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_init(
    mutex: Mutex,
    attributes: *const libc::pthread_mutexattr_t,
) -> i32 {
    let result = real!(pthread_mutex_init(mutex => Mutex, attributes => *const libc::pthread_mutexattr_t) -> i32);
    if result == 0 && running().is_some() && !is_internal(mutex as u64) {
        event(
            Op::MutexInit { mutex: mutex as u64, kind: kind(mutex) },
            &Accesses::none(),
            call_site(),
        );
    }
    result
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_destroy(mutex: Mutex) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_destroy(mutex => Mutex) -> i32);
    }
    event(Op::MutexDestroy { mutex: mutex as u64 }, &Accesses::none(), call_site());
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_lock(mutex: Mutex) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_lock(mutex => Mutex) -> i32);
    }
    let op = Op::Lock { mutex: mutex as u64, kind: kind(mutex) };
    match event(op, &Accesses::none(), call_site()).outcome {
        Outcome::Acquired(false) => libc::EDEADLK,
        _ => 0,
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_trylock(mutex: Mutex) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_trylock(mutex => Mutex) -> i32);
    }
    let op = Op::TryLock { mutex: mutex as u64, kind: kind(mutex) };
    match event(op, &Accesses::none(), call_site()).outcome {
        Outcome::Acquired(false) => libc::EBUSY,
        _ => 0,
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_unlock(mutex: Mutex) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_unlock(mutex => Mutex) -> i32);
    }
    let site = call_site();
    match event(Op::Unlock { mutex: mutex as u64 }, &Accesses::none(), site).outcome {
        Outcome::Released(false) if kind(mutex) == MutexKind::Normal => {
            let what = String::from("unlocks a mutex that it does not hold");
            let object = Some(describe::object(mutex as u64));
            execution::fail(Property::Lock, 1, site, FailureText::Misuse { what, object })
        }
        Outcome::Released(false) => libc::EPERM,
        _ => 0,
    }
}
