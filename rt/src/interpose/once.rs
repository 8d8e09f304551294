//! `pthread_once`.
//!
//! Who finds it done goes on: all that orders it behind the routine is the mark, which is
//! read to acquire and was written to release, so that two such callers order nothing
//! between them. Otherwise a mutex around the test has one caller run the routine and the
//! others wait.

use super::{address, is_internal};
use crate::{
    accesses,
    execution::{call_site, running},
    hooks::{self, synchronise},
    stacks,
};
use leno_entry::entry;
use leno_model::{AccessKind, MutexKind, Op, Order, SiteRef};

/// glibc's mark for "has been done".
const DONE: i32 = 2;

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn pthread_once(control: *mut i32, routine: extern "C" fn()) -> i32 {
    if running().is_none() || is_internal(control as u64) {
        let arguments = [control as u64, routine as *const () as u64, 0];
        stacks::call(address!(pthread_once), arguments, stacks::result, [0; 2]);
        return 0;
    }
    let (mutex, site) = (control as u64, call_site());
    mark(control, site, AccessKind::Read, Order::Acquire);
    // SAFETY: the program's control word. It changes when its turn has come.
    if unsafe { *control } == DONE {
        return 0;
    }
    synchronise(Op::Lock { mutex, kind: MutexKind::Normal }, site);
    // SAFETY: as above; no other thread changes it now.
    if unsafe { *control } != DONE {
        let routines = &mut running().expect("still running").thread().routines;
        routines.push((mutex, stacks::program()));
        stacks::call(routine as *const () as usize, [0; 3], returned, [mutex, site.0]);
        return 0;
    }
    synchronise(Op::Unlock { mutex }, site);
    0
}

/// The routine has returned.
extern "C" fn returned(_: u64, control: u64, site: u64) -> u64 {
    let (mutex, control, site) = (control, control as *mut i32, SiteRef(site));
    running().expect("still running").thread().routines.pop();
    mark(control, site, AccessKind::Write, Order::Release);
    // SAFETY: the program's control word, which no other thread changes now.
    unsafe { *control = DONE };
    synchronise(Op::Unlock { mutex }, site);
    0
}

fn mark(control: *mut i32, site: SiteRef, kind: AccessKind, order: Order) {
    hooks::access(site, &[accesses::one(kind, control as u64, 4, Some(order))]);
}

/// The running thread ends in the middle of routines, by cancellation or by its own will:
/// they count as not having been called.
pub fn abandon() {
    left(usize::MAX);
}

/// The same for routines that an exception has left: it was caught above them, with the
/// stack at `caught`.
pub fn left(caught: usize) {
    let routines = || &mut running().expect("in an execution").thread().routines;
    while let Some((mutex, _)) = routines().pop_if(|(_, frame)| *frame < caught) {
        synchronise(Op::Unlock { mutex }, call_site());
    }
}
