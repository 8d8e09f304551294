//! `pthread_once`.

use super::{is_internal, real};
use crate::{
    execution::{call_site, running},
    hooks::synchronise,
};
use leno_model::{MutexKind, Op};

/// glibc's mark for "has been done".
const DONE: i32 = 2;

/// The first caller runs the routine, and the others wait for it: what a mutex around
/// the test does, which is how it is modelled.
///
/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_once(control: *mut i32, routine: extern "C" fn()) -> i32 {
    if running().is_none() || is_internal(control as u64) {
        return real!(pthread_once(control => *mut i32, routine => extern "C" fn()) -> i32);
    }
    let (mutex, site) = (control as u64, call_site());
    synchronise(Op::Lock { mutex, kind: MutexKind::Normal }, site);
    // SAFETY: the program's control word, which no other thread looks at now.
    unsafe {
        if *control != DONE {
            routine();
            *control = DONE;
        }
    }
    synchronise(Op::Unlock { mutex }, site);
    0
}
