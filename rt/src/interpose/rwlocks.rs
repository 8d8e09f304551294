//! Read-write locks.
//!
//! The model prefers nobody: all orders in which readers and writers may come are tried, and
//! a preference would only forbid some. But a lock that prefers writers and does not let
//! its readers recur (`PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`; glibc treats all other
//! kinds alike) has deadlocks of its own: who reads and wants to read once more waits
//! for the writer that waits for him. So such a lock has a *gate*, a second read-write lock at an
//! address inside the first. A writer that has to wait holds it, with all others that do; a
//! reader goes through it, which it can when no writer waits. A reader that got through
//! before a writer came may still be the later one: as if the writer had come later. An attempt
//! to read does not look at the gate, for the same reason.

use super::{
    blocking::{Patience, acquire},
    real, time,
};
use crate::{
    execution::{call_site, running},
    hooks::synchronise,
    misuse,
};
use alloc::vec::Vec;
use leno_checker::Misuse;
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
        writes().retain(|held| *held != lock as u64);
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

/// The gate of a lock that prefers writers. Its kind lies behind twelve words in glibc's ABI.
fn gate(lock: Lock) -> Option<u64> {
    const PREFERS_WRITERS: u32 = 2;
    // SAFETY: the program's lock.
    let kind = unsafe { *lock.cast::<u32>().add(12) };
    (kind == PREFERS_WRITERS).then_some(lock as u64 + 8)
}

/// Does something while the lock is known to have a writer that waits.
fn waiting<T>(lock: Lock, wait: impl FnOnce() -> T) -> T {
    let Some(gate) = gate(lock) else { return wait() };
    synchronise(Op::ReadLock { rwlock: gate }, call_site());
    let result = wait();
    synchronise(Op::RwUnlock { rwlock: gate }, call_site());
    result
}

fn lock(lock: Lock, purpose: For, patience: Patience) -> i32 {
    let (rwlock, site) = (lock as u64, call_site());
    let (attempt, wait) = match purpose {
        For::Reading => (Op::TryReadLock { rwlock }, Op::ReadLock { rwlock }),
        For::Writing => (Op::TryWriteLock { rwlock }, Op::WriteLock { rwlock }),
    };
    if writes().contains(&rwlock) {
        // glibc notices that the thread would wait for itself.
        synchronise(attempt, site);
        misuse::judge(&wait, (Misuse::Relocked, true), site);
        return libc::EDEADLK;
    }
    let acquired = match (purpose, gate(lock)) {
        (For::Reading, Some(gate)) => {
            let (attempt_gate, wait_gate) =
                (Op::TryWriteLock { rwlock: gate }, Op::WriteLock { rwlock: gate });
            let passes = acquire(attempt_gate, wait_gate, patience, site);
            if passes {
                synchronise(Op::RwUnlock { rwlock: gate }, site);
            }
            passes && acquire(attempt, wait, patience, site)
        }
        (For::Writing, Some(_)) => {
            synchronise(attempt, site).outcome != Outcome::Acquired(false)
                || waiting(lock, || acquire(attempt, wait, patience, site))
        }
        _ => acquire(attempt, wait, patience, site),
    };
    if !acquired {
        return libc::ETIMEDOUT;
    }
    if let For::Writing = purpose {
        writes().push(rwlock);
    }
    0
}

/// What the running thread has locked for writing.
fn writes() -> &'static mut Vec<u64> {
    &mut running().expect("in an execution").thread().writes
}

fn try_lock(op: Op) -> i32 {
    match synchronise(op, call_site()).outcome {
        Outcome::Acquired(false) => return libc::EBUSY,
        _ => {
            if let Op::TryWriteLock { rwlock } = op {
                writes().push(rwlock);
            }
        }
    }
    0
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
        return real!(pthread_rwlock_timedrdlock(rwlock => Lock,
            time::outside(libc::CLOCK_REALTIME, until, &mut None) => Time) -> i32);
    }
    timed_lock(rwlock, For::Reading, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_timedwrlock(rwlock: Lock, until: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_timedwrlock(rwlock => Lock,
            time::outside(libc::CLOCK_REALTIME, until, &mut None) => Time) -> i32);
    }
    timed_lock(rwlock, For::Writing, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_clockrdlock(rwlock: Lock, clock: i32, until: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_clockrdlock(rwlock => Lock, clock => i32,
            time::outside(clock, until, &mut None) => Time) -> i32);
    }
    timed_lock(rwlock, For::Reading, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_rwlock_clockwrlock(rwlock: Lock, clock: i32, until: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_rwlock_clockwrlock(rwlock => Lock, clock => i32,
            time::outside(clock, until, &mut None) => Time) -> i32);
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
    writes().retain(|lock| *lock != rwlock as u64);
    synchronise(Op::RwUnlock { rwlock: rwlock as u64 }, call_site());
    0
}
