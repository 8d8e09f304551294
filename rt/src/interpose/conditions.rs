//! Condition variables.

use super::{
    blocking::{Patience, times_out},
    cancellation, mutexes, real, time,
};
use crate::{
    cell::Global,
    execution::{call_site, may_happen, running},
    hooks::{synchronise, synchronise_as, synchronise_patient},
    misuse,
};
use leno_entry::entry;
use leno_model::{Op, Outcome, SiteRef};

type Cond = *mut libc::pthread_cond_t;
type Mutex = *mut libc::pthread_mutex_t;

/// # Safety
/// As libc's.
#[entry]
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
#[entry]
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
#[entry]
pub unsafe extern "C" fn pthread_cond_wait(cond: Cond, mutex: Mutex) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_wait(cond => Cond, mutex => Mutex) -> i32);
    }
    wait(cond, mutex, Patience::Endless)
}

type Time = *const libc::timespec;

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_cond_timedwait(cond: Cond, mutex: Mutex, until: Time) -> i32 {
    if running().is_none() {
        let (clock, mut place) = (libc::CLOCK_MONOTONIC, None);
        let outside = time::outside(clock, until, &mut place);
        if place.is_some() {
            // Whatever clock the condition variable is told to go by.
            return real!(pthread_cond_clockwait(cond => Cond, mutex => Mutex, clock => i32, outside => Time) -> i32);
        }
        return real!(pthread_cond_timedwait(cond => Cond, mutex => Mutex, until => Time) -> i32);
    }
    timed_wait(cond, mutex, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_cond_clockwait(
    cond: Cond,
    mutex: Mutex,
    clock: i32,
    until: Time,
) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_clockwait(cond => Cond, mutex => Mutex, clock => i32,
            time::outside(clock, until, &mut None) => Time) -> i32);
    }
    timed_wait(cond, mutex, until)
}

/// How often the waits of a thread may end though nobody has woken it.
pub static SPURIOUS: Global<u32> = Global::new(0);

/// Whether a wait is to end for no reason: a choice, as long as the thread has not had its share
/// of that. How many it has had is its own state, and where it waits again it is not where it was.
fn ends_for_no_reason(site: SiteRef) -> bool {
    let had = || running().map_or(u32::MAX, |x| x.thread().spurious);
    let ends = had() < *SPURIOUS.get() && may_happen(site);
    if let Some(x) = running().filter(|_| ends) {
        x.thread().spurious += 1;
        x.thread().changes();
    }
    ends
}

fn timed_wait(cond: Cond, mutex: Mutex, until: Time) -> i32 {
    Patience::until(until).map_or(libc::EINVAL, |patience| wait(cond, mutex, patience))
}

/// A cancellation point: who is cancelled has locked the mutex again before its handlers
/// run, and passes a signal on that it was to have.
fn wait(cond: Cond, mutex: Mutex, patience: Patience) -> i32 {
    cancellation::point();
    let (object, kind) = (mutex, mutexes::kind(mutex));
    let (cond, mutex, site) = (cond as u64, mutex as u64, call_site());
    mutexes::releases(object);
    // Refused, if the thread does not hold a mutex that keeps book of it.
    let begun = synchronise_as(Op::Wait { cond, mutex }, site, kind).outcome;
    if begun == Outcome::Released(false) {
        return libc::EPERM;
    }
    let leave = || {
        let left = synchronise(Op::Unwait { cond }, site).outcome;
        synchronise(Op::Lock { mutex, kind }, site);
        left == Outcome::Left(true)
    };
    if let Patience::Until(deadline) = patience
        && times_out(deadline, site)
    {
        leave();
        return match mutexes::acquired(object) {
            0 => libc::ETIMEDOUT,
            error => error,
        };
    }
    if ends_for_no_reason(site) {
        leave();
        return mutexes::acquired(object);
    }
    let rewait = |patience| synchronise_patient(Op::Rewait { cond, mutex }, site, patience);
    cancellation::wait(patience != Patience::Endless, site, rewait, || {
        if !leave() {
            synchronise(Op::Signal { cond }, site);
        }
        mutexes::acquired(object);
    });
    mutexes::acquired(object)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_cond_signal(cond: Cond) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_signal(cond => Cond) -> i32);
    }
    synchronise(Op::Signal { cond: cond as u64 }, call_site());
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_cond_broadcast(cond: Cond) -> i32 {
    if running().is_none() {
        return real!(pthread_cond_broadcast(cond => Cond) -> i32);
    }
    synchronise(Op::Broadcast { cond: cond as u64 }, call_site());
    0
}
