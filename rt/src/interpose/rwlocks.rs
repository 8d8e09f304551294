//! Read-write locks.

use super::{
    blocking::{Patience, acquire},
    real,
};
use crate::{
    execution::{call_site, running},
    hooks::synchronise,
    misuse,
};
use leno_entry::entry;
use leno_model::{Op, Outcome};

type Lock = *mut libc::pthread_rwlock_t;
type Attributes = *const libc::pthread_rwlockattr_t;
type Time = *const libc::timespec;

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_init(lock: Lock, attributes: Attributes) -> i32 {
    let result = real!(pthread_rwlock_init(lock => Lock, attributes => Attributes) -> i32);
    if result == 0 && running().is_some() {
        synchronise(Op::RwInit { rwlock: lock as u64 }, call_site());
    }
    result
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_destroy(lock: Lock) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_destroy(lock => Lock) -> i32);
    }
    synchronise(Op::RwDestroy { rwlock: lock as u64 }, call_site());
    misuse::mark_destroyed(lock as u64);
    0
}

#[derive(Clone, Copy)]
enum For {
    Reading,
    Writing,
}

fn lock(lock: Lock, purpose: For, patience: Patience) -> i32 {
    let rwlock = lock as u64;
    let (attempt, wait) = match purpose {
        For::Reading => (Op::TryReadLock { rwlock }, Op::ReadLock { rwlock }),
        For::Writing => (Op::TryWriteLock { rwlock }, Op::WriteLock { rwlock }),
    };
    if acquire(attempt, wait, patience, call_site()) { 0 } else { libc::ETIMEDOUT }
}

fn try_lock(op: Op) -> i32 {
    match synchronise(op, call_site()).outcome {
        Outcome::Acquired(false) => libc::EBUSY,
        _ => 0,
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_rdlock(rwlock: Lock) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_rdlock(rwlock => Lock) -> i32);
    }
    lock(rwlock, For::Reading, Patience::Endless)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_wrlock(rwlock: Lock) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_wrlock(rwlock => Lock) -> i32);
    }
    lock(rwlock, For::Writing, Patience::Endless)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_tryrdlock(rwlock: Lock) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_tryrdlock(rwlock => Lock) -> i32);
    }
    try_lock(Op::TryReadLock { rwlock: rwlock as u64 })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_trywrlock(rwlock: Lock) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_trywrlock(rwlock => Lock) -> i32);
    }
    try_lock(Op::TryWriteLock { rwlock: rwlock as u64 })
}

fn timed_lock(rwlock: Lock, purpose: For, until: Time) -> i32 {
    Patience::until(until).map_or(libc::EINVAL, |patience| lock(rwlock, purpose, patience))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_timedrdlock(rwlock: Lock, until: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_timedrdlock(rwlock => Lock, until => Time) -> i32);
    }
    timed_lock(rwlock, For::Reading, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_timedwrlock(rwlock: Lock, until: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_timedwrlock(rwlock => Lock, until => Time) -> i32);
    }
    timed_lock(rwlock, For::Writing, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_clockrdlock(rwlock: Lock, clock: i32, until: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_clockrdlock(rwlock => Lock, clock => i32, until => Time) -> i32);
    }
    timed_lock(rwlock, For::Reading, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_clockwrlock(rwlock: Lock, clock: i32, until: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_clockwrlock(rwlock => Lock, clock => i32, until => Time) -> i32);
    }
    timed_lock(rwlock, For::Writing, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_unlock(rwlock: Lock) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_unlock(rwlock => Lock) -> i32);
    }
    synchronise(Op::RwUnlock { rwlock: rwlock as u64 }, call_site());
    0
}
