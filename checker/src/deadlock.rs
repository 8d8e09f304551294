//! Who waits for whom when an execution is over.
//!
//! Each blocked thread waits for at most one other: the holder of a mutex or the
//! thread that it joins. So the waits form a graph with at most one edge out of each
//! thread, and its cycles do not meet. A cycle is a deadlock however the execution
//! ended: nobody in it will ever go on. Without a cycle, being stuck is a deadlock
//! (a lost wake-up, a mutex whose holder has ended), unless a loop awaits a write:
//! then it is a hang. Where a thread has failed, those who wait for it, directly or
//! not, are its victims and no bug of their own.

use crate::{Blocked, Finding, finding::Known, trace::Trace};
use alloc::vec::Vec;
use leno_model::{End, Execution, Op, Pending, ThreadId};

/// Adds the deadlocks and hangs of an execution that is over.
pub fn find(trace: &Trace, run: &Execution<'_>, known: &mut Known, found: &mut Vec<Finding>) {
    if matches!(run.end, End::Asleep | End::Diverged { .. }) || run.pending.is_empty() {
        return;
    }
    let mut waits: Vec<Blocked> = run.pending.iter().map(|p| blocked(trace, p)).collect();
    let cycles = cycles(&waits);
    for cycle in &cycles {
        let in_cycle = cycle.iter().map(|at| Blocked { in_cycle: true, ..waits[*at] });
        let rest = (0..waits.len()).filter(|at| !cycle.contains(at)).map(|at| waits[at]);
        let others = rest.filter(|wait| run.end == End::Stuck || wait.holder.is_some());
        let waits: Vec<Blocked> = in_cycle.chain(others).collect();
        if known.is_new_stuck(false, &waits) {
            found.push(Finding::Deadlock { waits });
        }
    }
    if cycles.is_empty() && run.end == End::Stuck && run.failures.is_empty() {
        waits.sort_by_key(|wait| wait.thread);
        let hang = run.pending.iter().any(|pending| pending.awaiting);
        if known.is_new_stuck(hang, &waits) {
            found.push(if hang { Finding::Hang { waits } } else { Finding::Deadlock { waits } });
        }
    }
}

fn blocked(trace: &Trace, pending: &Pending) -> Blocked {
    let Pending { thread, op, site, .. } = *pending;
    let mut wait = Blocked { thread, op, site, holder: None, since: None, in_cycle: false };
    let now = trace.len() as u32;
    let wants = match op {
        Op::Lock { mutex, .. } => Some(mutex),
        Op::Rewait { cond, mutex } if trace.waker(thread, cond, now).is_some() => Some(mutex),
        _ => None,
    };
    if let Op::Join { thread } = op {
        wait.holder = Some(thread);
    }
    if let Some(hold) = wants.map(|mutex| trace.hold(mutex)).filter(|h| !h.mutex.lockable(thread)) {
        (wait.holder, wait.since) = (hold.mutex.owner, hold.acquired);
    }
    wait
}

/// The cycles, each as places in `waits` in its order, from its lowest thread on.
fn cycles(waits: &[Blocked]) -> Vec<Vec<usize>> {
    let place = |thread: ThreadId| waits.iter().position(|wait| wait.thread == thread);
    let next = |at: usize| waits[at].holder.and_then(place);
    let mut cycles = Vec::new();
    for start in 0..waits.len() {
        let mut path = alloc::vec![start];
        while let Some(at) = next(path[path.len() - 1]) {
            if at == start {
                // Each cycle is met once from each of its threads.
                if path.iter().all(|at| waits[*at].thread >= waits[start].thread) {
                    cycles.push(path);
                }
                break;
            }
            if path.contains(&at) {
                break;
            }
            path.push(at);
        }
    }
    cycles
}
