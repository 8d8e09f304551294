//! Semaphores without a name.

use super::{
    blocking::{Patience, times_out},
    cancellation, early, real, set_errno, signalling, store, time,
};
use crate::{
    execution::{call_site, running},
    hooks::{synchronise, synchronise_patient},
    misuse,
};
use leno_entry::entry;
use leno_model::{Op, Outcome};

type Semaphore = *mut libc::sem_t;
type Time = *const libc::timespec;

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_init(sem: Semaphore, shared: i32, value: u32) -> i32 {
    let result = real!(sem_init(sem => Semaphore, shared => i32, value => u32) -> i32);
    if running().is_none() {
        early::note(Op::SemInit { sem: sem as u64, value });
    } else {
        if result == 0 {
            synchronise(Op::SemInit { sem: sem as u64, value }, call_site());
        } else {
            let what = "initialises a semaphore with more than the largest value";
            misuse::refused(what, sem as u64, call_site());
        }
    }
    result
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_destroy(sem: Semaphore) -> i32 {
    if running().is_none() {
        early::note(Op::SemDestroy { sem: sem as u64 });
        return real!(sem_destroy(sem => Semaphore) -> i32);
    }
    synchronise(Op::SemDestroy { sem: sem as u64 }, call_site());
    misuse::mark_destroyed(sem as u64);
    0
}

/// A cancellation point.
fn wait(sem: Semaphore, patience: Patience) -> i32 {
    cancellation::point();
    let (sem, site) = (sem as u64, call_site());
    let timed = patience != Patience::Endless;
    if timed || cancellation::is_awaited() {
        if synchronise(Op::SemTryWait { sem }, site).outcome != Outcome::Acquired(false) {
            return 0;
        }
        if let Patience::Until(deadline) = patience
            && times_out(deadline, site)
        {
            set_errno(libc::ETIMEDOUT);
            return -1;
        }
    }
    if signalling::interrupts_wait(site) {
        set_errno(libc::EINTR);
        return -1;
    }
    let take =
        |patience| signalling::looking(|| synchronise_patient(Op::SemWait { sem }, site, patience));
    cancellation::wait(timed, site, take, || {});
    0
}

fn timed_wait(sem: Semaphore, until: Time) -> i32 {
    let Some(patience) = Patience::until(until) else {
        set_errno(libc::EINVAL);
        return -1;
    };
    wait(sem, patience)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_getvalue(sem: Semaphore, out: *mut i32) -> i32 {
    if running().is_none() {
        return real!(sem_getvalue(sem => Semaphore, out => *mut i32) -> i32);
    }
    if let Outcome::Count(value) =
        synchronise(Op::SemValue { sem: sem as u64 }, call_site()).outcome
    {
        store(out, value as i32);
    }
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_wait(sem: Semaphore) -> i32 {
    if running().is_none() {
        return real!(sem_wait(sem => Semaphore) -> i32);
    }
    wait(sem, Patience::Endless)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_timedwait(sem: Semaphore, until: Time) -> i32 {
    if running().is_none() {
        return real!(sem_timedwait(sem => Semaphore,
            time::outside(libc::CLOCK_REALTIME, until, &mut None) => Time) -> i32);
    }
    timed_wait(sem, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_clockwait(sem: Semaphore, clock: i32, until: Time) -> i32 {
    if running().is_none() {
        return real!(sem_clockwait(sem => Semaphore, clock => i32,
            time::outside(clock, until, &mut None) => Time) -> i32);
    }
    timed_wait(sem, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_trywait(sem: Semaphore) -> i32 {
    if running().is_none() {
        return real!(sem_trywait(sem => Semaphore) -> i32);
    }
    match synchronise(Op::SemTryWait { sem: sem as u64 }, call_site()).outcome {
        Outcome::Acquired(false) => {
            set_errno(libc::EAGAIN);
            -1
        }
        _ => 0,
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_post(sem: Semaphore) -> i32 {
    if running().is_none() {
        return real!(sem_post(sem => Semaphore) -> i32);
    }
    match synchronise(Op::SemPost { sem: sem as u64 }, call_site()).outcome {
        Outcome::Released(false) => {
            set_errno(libc::EOVERFLOW);
            -1
        }
        _ => 0,
    }
}
