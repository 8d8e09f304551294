//! Mutexes.

use super::{
    blocking::{Patience, acquire},
    is_internal, real, time,
};
use crate::{
    accesses,
    execution::{access, call_site, current_thread, running, stir},
    hooks::{synchronise, synchronise_as},
    misuse, sharing,
};
use leno_entry::entry;
use leno_model::{AccessKind, MutexKind, Op, Order, Outcome, SiteRef};

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
#[entry]
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
#[entry]
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
#[entry]
pub unsafe extern "C" fn pthread_mutex_lock(mutex: Mutex) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_lock(mutex => Mutex) -> i32);
    }
    let op = Op::Lock { mutex: mutex as u64, kind: kind(mutex) };
    match synchronise(op, call_site()).outcome {
        Outcome::Acquired(false) => libc::EDEADLK,
        _ => acquired(mutex),
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_mutex_trylock(mutex: Mutex) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_trylock(mutex => Mutex) -> i32);
    }
    let op = Op::TryLock { mutex: mutex as u64, kind: kind(mutex) };
    match synchronise(op, call_site()).outcome {
        Outcome::Acquired(false) => libc::EBUSY,
        _ => acquired(mutex),
    }
}

type Time = *const libc::timespec;

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_mutex_timedlock(mutex: Mutex, until: Time) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_timedlock(mutex => Mutex,
            time::outside(libc::CLOCK_REALTIME, until, &mut None) => Time) -> i32);
    }
    timed_lock(mutex, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_mutex_clocklock(mutex: Mutex, clock: i32, until: Time) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_clocklock(mutex => Mutex, clock => i32,
            time::outside(clock, until, &mut None) => Time) -> i32);
    }
    timed_lock(mutex, until)
}

fn timed_lock(mutex: Mutex, until: Time) -> i32 {
    let Some(patience) = Patience::until(until) else {
        // A mutex that is free is taken all the same.
        // SAFETY: as the caller says.
        return match unsafe { pthread_mutex_trylock(mutex) } {
            libc::EBUSY => libc::EINVAL,
            result => result,
        };
    };
    let (object, mutex, kind) = (mutex, mutex as u64, kind(mutex));
    let (attempt, wait) = (Op::TryLock { mutex, kind }, Op::Lock { mutex, kind });
    if acquire(attempt, wait, patience, call_site()) { acquired(object) } else { libc::ETIMEDOUT }
}

/// A robust mutex, whose owner may have died. What became of it is kept where glibc
/// keeps it, in the word of the owner, which only the holder reads and writes.
const ROBUST: u32 = 16;
const INCONSISTENT: u32 = i32::MAX as u32;
const NOT_RECOVERABLE: u32 = i32::MAX as u32 - 1;

fn is_robust(mutex: Mutex) -> bool {
    // SAFETY: the program's mutex; see `kind`.
    unsafe { *mutex.cast::<u32>().add(4) & ROBUST != 0 }
}

fn owner(mutex: Mutex) -> *mut u32 {
    mutex.cast::<u32>().wrapping_add(2)
}

/// What a function that has acquired the mutex gives back. If it can never be used
/// again it is not kept.
pub fn acquired(mutex: Mutex) -> i32 {
    if !is_robust(mutex) {
        return 0;
    }
    // SAFETY: the program's mutex, which the thread holds.
    let owner = unsafe { *owner(mutex) };
    if owner == NOT_RECOVERABLE {
        synchronise(Op::Unlock { mutex: mutex as u64 }, call_site());
        return libc::ENOTRECOVERABLE;
    }
    let held = &mut running().expect("in an execution").thread().robust;
    let again = held.contains(&(mutex as u64));
    held.push(mutex as u64);
    if owner == INCONSISTENT && !again { libc::EOWNERDEAD } else { 0 }
}

/// The thread is about to release the mutex, if it holds it.
pub fn releases(mutex: Mutex) {
    let held = &mut running().expect("in an execution").thread().robust;
    let Some(place) = held.iter().rposition(|held| *held == mutex as u64) else { return };
    held.remove(place);
    if held.contains(&(mutex as u64)) {
        return;
    }
    // SAFETY: the program's mutex, which the thread holds.
    unsafe {
        if *owner(mutex) == INCONSISTENT {
            *owner(mutex) = NOT_RECOVERABLE;
            stir();
        }
    }
}

/// A thread ends: whoever locks what it holds of robust mutexes is told. So the mutex is not as
/// it was for a loop that has locked it and waits for this; the lock has read that byte.
pub fn abandon() {
    while let Some(mutex) = running().and_then(|x| x.thread().robust.pop()) {
        // SAFETY: the program's mutex, which the thread holds.
        unsafe { *owner(mutex as Mutex) = INCONSISTENT };
        let died = [accesses::one(AccessKind::Write, mutex, 1, Some(Order::SeqCst))];
        if current_thread().is_some_and(|thread| sharing::is_event(thread, &died)) {
            access(&died, SiteRef(0));
        }
        synchronise(Op::Unlock { mutex }, SiteRef(0));
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_mutex_consistent(mutex: Mutex) -> i32 {
    if running().is_none() {
        return real!(pthread_mutex_consistent(mutex => Mutex) -> i32);
    }
    // SAFETY: the program's mutex; the thread is to hold it.
    unsafe {
        if !is_robust(mutex) || *owner(mutex) != INCONSISTENT {
            return libc::EINVAL;
        }
        *owner(mutex) = 0;
    }
    stir();
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_mutex_consistent_np(mutex: Mutex) -> i32 {
    // SAFETY: the same function by its older name.
    unsafe { pthread_mutex_consistent(mutex) }
}

/// Locks the mutex for as long as it takes.
///
/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_mutex_setprioceiling(
    mutex: Mutex,
    ceiling: i32,
    old: *mut i32,
) -> i32 {
    if running().is_none() {
        return real!(pthread_mutex_setprioceiling(mutex => Mutex, ceiling => i32, old => *mut i32) -> i32);
    }
    // SAFETY: as the caller says.
    match unsafe { pthread_mutex_lock(mutex) } {
        0 => {}
        error => return error,
    }
    // Nobody holds libc's own lock.
    let result =
        real!(pthread_mutex_setprioceiling(mutex => Mutex, ceiling => i32, old => *mut i32) -> i32);
    // SAFETY: as the caller says.
    unsafe { pthread_mutex_unlock(mutex) };
    result
}

type Spin = *mut libc::pthread_spinlock_t;

/// A spin lock is a mutex that differs only in how it wastes time.
fn spin(lock: Spin) -> (u64, MutexKind) {
    (lock as u64, MutexKind::Normal)
}

/// # Safety
/// As libc's.
#[entry]
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
#[entry]
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
#[entry]
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
#[entry]
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
#[entry]
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
#[entry]
pub unsafe extern "C" fn pthread_mutex_unlock(mutex: Mutex) -> i32 {
    if running().is_none() || is_internal(mutex as u64) {
        return real!(pthread_mutex_unlock(mutex => Mutex) -> i32);
    }
    releases(mutex);
    unlock(mutex as u64, kind(mutex))
}
