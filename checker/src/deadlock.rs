//! Who waits for whom when an execution is over.
//!
//! A blocked thread waits for another: the holder of a mutex, the writer of a
//! read-write lock or the thread that it joins. A writer may wait for several
//! readers, and for all of them; of these one is taken, one on a cycle if there is
//! one. So the waits form a graph with at most one edge out of each thread, and its
//! cycles do not meet. Who waits for a semaphore or a barrier waits for nobody in
//! particular. Nor does who waits with a timeout: it ends the wait, and what then
//! follows is another execution. A cycle is a deadlock however the execution
//! ended: nobody in it will ever go on. Without a cycle, being stuck is a deadlock
//! (a lost wake-up, a mutex whose holder has ended), unless a loop awaits a write:
//! then it is a hang. Where a thread has failed, those who wait for it, directly or
//! not, are its victims and no bug of their own.

use crate::{
    Blocked, Finding,
    blocking::{rwlock_before, rwlock_since},
    finding::Known,
    trace::Trace,
};
use alloc::vec::Vec;
use leno_model::{End, Execution, Op, Pending, ThreadId};

/// Adds the deadlocks and hangs of an execution that is over.
pub fn find(trace: &Trace, run: &Execution<'_>, known: &mut Known, found: &mut Vec<Finding>) {
    let cut = matches!(
        run.end,
        End::Asleep | End::Symmetric { .. } | End::Disabled | End::Diverged { .. }
    );
    if cut || run.pending.is_empty() {
        return;
    }
    let mut waits: Vec<Blocked> = run.pending.iter().map(|p| blocked(trace, p)).collect();
    choose_readers(trace, &mut waits);
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
    if pending.timed {
        return wait;
    }
    let now = trace.len() as u32;
    let wants = match op {
        Op::Lock { mutex, .. } => Some(mutex),
        Op::Rewait { cond, mutex } if trace.waker(thread, cond, now).is_some() => Some(mutex),
        _ => None,
    };
    match op {
        Op::Join { thread } => wait.holder = Some(thread),
        Op::ReadLock { rwlock } => wait.holder = rwlock_before(trace, rwlock, now).writer,
        Op::WriteLock { rwlock } => {
            let lock = rwlock_before(trace, rwlock, now);
            wait.holder = lock.writer.or_else(|| lock.readers().min());
        }
        _ => {}
    }
    if let Op::ReadLock { rwlock } | Op::WriteLock { rwlock } = op {
        wait.since = wait.holder.and_then(|holder| rwlock_since(trace, rwlock, holder, now));
    }
    if let Some(hold) = wants.map(|mutex| trace.hold(mutex)).filter(|h| !h.mutex.lockable(thread)) {
        (wait.holder, wait.since) = (hold.mutex.owner, hold.acquired);
    }
    wait
}

/// Who waits for several readers is said to wait for one that waits for him, if
/// there is one. All such edges lie on cycles, so one of these is left.
fn choose_readers(trace: &Trace, waits: &mut [Blocked]) {
    let now = trace.len() as u32;
    let readers = |wait: &Blocked| -> Vec<ThreadId> {
        let Op::WriteLock { rwlock } = wait.op else { return Vec::new() };
        let lock = rwlock_before(trace, rwlock, now);
        let mut readers: Vec<ThreadId> = lock.readers().filter(|_| wait.holder.is_some()).collect();
        readers.sort_unstable();
        readers
    };
    let edges: Vec<Vec<ThreadId>> = waits
        .iter()
        .map(|wait| {
            let several = readers(wait);
            if several.is_empty() { wait.holder.into_iter().collect() } else { several }
        })
        .collect();
    let reaches = |from: ThreadId, to: ThreadId| {
        let mut seen = alloc::vec![from];
        let mut next = 0;
        while next < seen.len() {
            if seen[next] == to {
                return true;
            }
            if let Some(place) = waits.iter().position(|wait| wait.thread == seen[next]) {
                let new = edges[place].iter().filter(|thread| !seen.contains(thread));
                let new: Vec<ThreadId> = new.copied().collect();
                seen.extend(new);
            }
            next += 1;
        }
        false
    };
    let chosen: Vec<Option<ThreadId>> = (0..waits.len())
        .map(|at| {
            let several = &edges[at];
            several.iter().copied().find(|reader| reaches(*reader, waits[at].thread))
        })
        .collect();
    for (wait, reader) in waits.iter_mut().zip(chosen) {
        if let (Some(reader), Op::WriteLock { rwlock }) = (reader, wait.op) {
            wait.holder = Some(reader);
            wait.since = rwlock_since(trace, rwlock, reader, now);
        }
    }
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
