//! Condition variables.

use super::{blocking::times_out, mutexes, real};
use crate::{
    execution::{call_site, running},
    hooks::{synchronise, synchronise_as, synchronise_timed},
    misuse,
};
use leno_model::{MutexKind, Op, Outcome, SiteRef};

type Cond = *mut libc::pthread_cond_t;
type Mutex = *mut libc::pthread_mutex_t;

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_init(
    cond: Cond,
    attributes: *const libc::pthread_condattr_t,
) -> i32 {
    let result = real!(pthread_cond_init(cond => Cond, attributes => *const libc::pthread_condattr_t) -> i32);
    if result == 0 && running().is_some() {
        synchronise(Op::CondInit { cond: cond as u64 }, call_site());
    }
    result
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_destroy(cond: Cond) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_destroy(cond => Cond) -> i32);
    }
    synchronise(Op::CondDestroy { cond: cond as u64 }, call_site());
    misuse::mark_destroyed(cond as u64);
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_wait(cond: Cond, mutex: Mutex) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_wait(cond => Cond, mutex => Mutex) -> i32);
    }
    let kind = mutexes::kind(mutex);
    let (cond, mutex, site) = (cond as u64, mutex as u64, call_site());
    if !begin_wait(cond, mutex, kind, site) {
        return libc::EPERM;
    }
    synchronise(Op::Rewait { cond, mutex }, site);
    0
}

type Time = *const libc::timespec;

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_timedwait(cond: Cond, mutex: Mutex, until: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_timedwait(cond => Cond, mutex => Mutex, until => Time) -> i32);
    }
    timed_wait(cond, mutex)
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_clockwait(
    cond: Cond,
    mutex: Mutex,
    clock: i32,
    until: Time,
) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_clockwait(cond => Cond, mutex => Mutex, clock => i32, until => Time) -> i32);
    }
    timed_wait(cond, mutex)
}

/// The first half of a wait; false if it is refused, as the thread does not hold a
/// mutex that keeps book of it.
fn begin_wait(cond: u64, mutex: u64, kind: MutexKind, site: SiteRef) -> bool {
    let wait = synchronise_as(Op::Wait { cond, mutex }, site, kind);
    wait.outcome != Outcome::Released(false)
}

fn timed_wait(cond: Cond, mutex: Mutex) -> i32 {
    let kind = mutexes::kind(mutex);
    let (cond, mutex, site) = (cond as u64, mutex as u64, call_site());
    if !begin_wait(cond, mutex, kind, site) {
        return libc::EPERM;
    }
    if times_out(site) {
        synchronise(Op::Unwait { cond }, site);
        synchronise(Op::Lock { mutex, kind }, site);
        return libc::ETIMEDOUT;
    }
    synchronise_timed(Op::Rewait { cond, mutex }, site);
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_signal(cond: Cond) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_signal(cond => Cond) -> i32);
    }
    synchronise(Op::Signal { cond: cond as u64 }, call_site());
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_cond_broadcast(cond: Cond) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_broadcast(cond => Cond) -> i32);
    }
    synchronise(Op::Broadcast { cond: cond as u64 }, call_site());
    0
}
