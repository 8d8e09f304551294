//! Barriers.

use super::{early, real};
use crate::{
    execution::{call_site, running},
    hooks::synchronise,
    misuse,
};
use leno_entry::entry;
use leno_model::{Op, Outcome};

type Barrier = *mut libc::pthread_barrier_t;
type Attributes = *const libc::pthread_barrierattr_t;

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_barrier_init(
    barrier: Barrier,
    attributes: Attributes,
    count: u32,
) -> i32 {
    let result = real!(pthread_barrier_init(barrier => Barrier, attributes => Attributes, count => u32) -> i32);
    if running().is_none() {
        early::note(Op::BarrierInit { barrier: barrier as u64, count });
    } else {
        if result == 0 {
            synchronise(Op::BarrierInit { barrier: barrier as u64, count }, call_site());
        } else {
            misuse::refused("initialises a barrier for no thread", barrier as u64, call_site());
        }
    }
    result
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_barrier_destroy(barrier: Barrier) -> i32 {
    if running().is_none() {
        early::note(Op::BarrierDestroy { barrier: barrier as u64 });
        return real!(pthread_barrier_destroy(barrier => Barrier) -> i32);
    }
    synchronise(Op::BarrierDestroy { barrier: barrier as u64 }, call_site());
    misuse::mark_destroyed(barrier as u64);
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_barrier_wait(barrier: Barrier) -> i32 {
    if running().is_none() {
        return real!(pthread_barrier_wait(barrier => Barrier) -> i32);
    }
    let (barrier, site) = (barrier as u64, call_site());
    synchronise(Op::BarrierArrive { barrier }, site);
    match synchronise(Op::BarrierLeave { barrier }, site).outcome {
        Outcome::Serial(true) => libc::PTHREAD_BARRIER_SERIAL_THREAD,
        _ => 0,
    }
}
