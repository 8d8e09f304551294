//! Mutexes.

use super::{
    blocking::{Patience, acquire},
    is_internal, real,
};
use crate::{
    execution::{call_site, running},
    hooks::{synchronise, synchronise_as},
    misuse,
};
use leno_model::{MutexKind, Op, Outcome};

type Mutex = *mut libc::pthread_mutex_t;

/// The kind that a mutex was initialised with, statically or not: it lies behind
/// four words (lock, count, owner, users) in glibc's ABI.
pub fn kind(mutex: Mutex) -> MutexKind {
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
        synchronise(Op::MutexInit { mutex: mutex as u64, kind: kind(mutex) }, call_site());
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
    synchronise(Op::MutexDestroy { mutex: mutex as u64 }, call_site());
    misuse::mark_destroyed(mutex as u64);
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
    match synchronise(op, call_site()).outcome {
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
    match synchronise(op, call_site()).outcome {
        Outcome::Acquired(false) => libc::EBUSY,
        _ => 0,
    }
}

type Time = *const libc::timespec;

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_timedlock(mutex: Mutex, until: Time) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_timedlock(mutex => Mutex, until => Time) -> i32);
    }
    timed_lock(mutex)
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_mutex_clocklock(mutex: Mutex, clock: i32, until: Time) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_clocklock(mutex => Mutex, clock => i32, until => Time) -> i32);
    }
    timed_lock(mutex)
}

fn timed_lock(mutex: Mutex) -> i32 {
    let (mutex, kind) = (mutex as u64, kind(mutex));
    let (attempt, wait) = (Op::TryLock { mutex, kind }, Op::Lock { mutex, kind });
    if acquire(attempt, wait, Patience::Limited, call_site()) { 0 } else { libc::ETIMEDOUT }
}

type Spin = *mut libc::pthread_spinlock_t;

/// A spin lock is a mutex that differs only in how it wastes time.
fn spin(lock: Spin) -> (u64, MutexKind) {
    (lock as u64, MutexKind::Normal)
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_spin_init(lock: Spin, shared: i32) -> i32 {
    let result = real!(pthread_spin_init(lock => Spin, shared => i32) -> i32);
    if running().is_some() {
        let (mutex, kind) = spin(lock);
        synchronise(Op::MutexInit { mutex, kind }, call_site());
    }
    result
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_spin_destroy(lock: Spin) -> i32 {
    if running().is_none() {
        return real!(pthread_spin_destroy(lock => Spin) -> i32);
    }
    synchronise(Op::MutexDestroy { mutex: lock as u64 }, call_site());
    misuse::mark_destroyed(lock as u64);
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_spin_lock(lock: Spin) -> i32 {
    if running().is_none() {
        return real!(pthread_spin_lock(lock => Spin) -> i32);
    }
    let (mutex, kind) = spin(lock);
    synchronise(Op::Lock { mutex, kind }, call_site());
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_spin_trylock(lock: Spin) -> i32 {
    if running().is_none() {
        return real!(pthread_spin_trylock(lock => Spin) -> i32);
    }
    let (mutex, kind) = spin(lock);
    match synchronise(Op::TryLock { mutex, kind }, call_site()).outcome {
        Outcome::Acquired(false) => libc::EBUSY,
        _ => 0,
    }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_spin_unlock(lock: Spin) -> i32 {
    if running().is_none() {
        return real!(pthread_spin_unlock(lock => Spin) -> i32);
    }
    unlock(lock as u64, MutexKind::Normal)
}

fn unlock(mutex: u64, kind: MutexKind) -> i32 {
    match synchronise_as(Op::Unlock { mutex }, call_site(), kind).outcome {
        Outcome::Released(false) if kind != MutexKind::Normal => libc::EPERM,
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
    unlock(mutex as u64, kind(mutex))
}
