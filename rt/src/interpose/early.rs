//! Semaphores and barriers that a constructor has initialised, before `main`. There is
//! no execution then that could know of it, so each begins by saying so.

use super::real;
use crate::{cell::Global, hooks::synchronise};
use alloc::vec::Vec;
use leno_model::{Op, SiteRef};

static KNOWN: Global<Vec<Op>> = Global::new(Vec::new());

/// An object is initialised or, if there is no count, destroyed before `main`.
pub fn note(op: Op) {
    let known = KNOWN.get();
    known.retain(|other| other.objects() != op.objects());
    if matches!(op, Op::SemInit { .. } | Op::BarrierInit { .. }) {
        known.push(op);
    }
}

/// The main thread's first events.
pub fn tell() {
    for op in KNOWN.get().clone() {
        let op = match op {
            Op::SemInit { sem, .. } => {
                let mut value = 0i32;
                real!(sem_getvalue(sem => u64, &raw mut value => *mut i32) -> i32);
                Op::SemInit { sem, value: value.max(0) as u32 }
            }
            other => other,
        };
        synchronise(op, SiteRef(0));
    }
}
