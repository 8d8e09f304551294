//! The data races of an execution by the words of the standard: every edge of
//! synchronizes-with, then the closure, then every pair. Nothing is shared with the
//! clocks of the searches.

use super::Recorded;
use leno_checker::sync::SyncState;
use leno_model::{Access, Op, Outcome, SiteRef};
use std::collections::{BTreeSet, HashMap};

pub fn races(run: &Recorded) -> BTreeSet<(SiteRef, SiteRef)> {
    let execution = run.execution();
    let events = &run.events;
    let accesses = |event: usize| execution.accesses_of(&events[event]);
    let atomic_of = |event: usize, wanted: fn(&Access) -> bool| {
        accesses(event).iter().find(|a| a.atomic.is_some() && wanted(a))
    };
    let sequenced = |a: usize, b: usize| a < b && events[a].thread == events[b].thread;
    // The writes whose bytes an event's atomic reads take their values from. An atomic
    // section may have several, all of one order.
    let reads_from = |event: usize| -> BTreeSet<usize> {
        let writes = |w: &usize, byte: u64| {
            accesses(*w).iter().any(|a| a.kind.writes() && (a.addr..a.end()).contains(&byte))
        };
        let last = |byte| (0..event).rev().find(|w| writes(w, byte));
        let reads = accesses(event).iter().filter(|a| a.atomic.is_some() && a.kind.reads());
        reads.flat_map(|read| read.addr..read.end()).filter_map(last).collect()
    };
    // All X such that the event reads X or something of the release sequence that X
    // heads, or would head: X and the chain of read-modify-writes behind it.
    let heads = |event: usize| {
        let mut heads = BTreeSet::new();
        let mut left: Vec<usize> = reads_from(event).into_iter().collect();
        while let Some(write) = left.pop() {
            let Some(access) = atomic_of(write, |a| a.kind.writes()) else { continue };
            if heads.insert(write) && access.kind.reads() {
                left.extend(reads_from(write));
            }
        }
        heads
    };
    let fence = |event: usize, wanted: fn(leno_model::Order) -> bool| matches!(events[event].op, Op::Fence(order) if wanted(order));
    // What synchronizes with an acquire operation or fence through this read.
    let released_to = |read: usize| {
        let mut released = BTreeSet::new();
        for head in heads(read) {
            let write = atomic_of(head, |a| a.kind.writes()).expect("heads are atomic writes");
            if write.atomic.is_some_and(|order| order.releases()) {
                released.insert(head);
            }
            released
                .extend((0..head).filter(|f| sequenced(*f, head) && fence(*f, |o| o.releases())));
        }
        released
    };
    let mut before: Vec<u128> = vec![];
    let mut sync = SyncState::default();
    let mut released: HashMap<u64, usize> = HashMap::new();
    for (j, event) in events.iter().enumerate() {
        let mut direct: BTreeSet<usize> = (0..j).filter(|i| sequenced(*i, j)).collect();
        if atomic_of(j, |a| a.kind.reads()).and_then(|a| a.atomic).is_some_and(|o| o.acquires()) {
            direct.extend(released_to(j));
        }
        if fence(j, |order| order.acquires()) {
            direct.extend((0..j).filter(|r| sequenced(*r, j)).flat_map(released_to));
        }
        let used = event.outcome != Outcome::Acquired(false);
        // Whether the object was made anew between the two.
        let reset = |object: u64, i: usize, j: usize| {
            events[i + 1..j].iter().any(|between| match between.op {
                Op::RwInit { rwlock } => rwlock == object,
                Op::SemInit { sem, .. } => sem == object,
                Op::BarrierInit { barrier, .. } => barrier == object,
                _ => false,
            })
        };
        for (i, earlier) in events[..j].iter().enumerate() {
            let synchronizes = match (earlier.op, event.op) {
                (Op::Create { child }, _) => child == event.thread,
                (Op::End, Op::Join { thread }) => thread == earlier.thread,
                (
                    Op::SemPost { sem },
                    Op::SemWait { sem: other } | Op::SemTryWait { sem: other },
                ) => sem == other && event.outcome == Outcome::Acquired(true) && !reset(sem, i, j),
                (
                    Op::SemInit { sem, .. },
                    Op::SemWait { sem: other }
                    | Op::SemTryWait { sem: other }
                    | Op::SemPost { sem: other },
                ) => sem == other && used && !reset(sem, i, j),
                (
                    Op::RwUnlock { rwlock },
                    Op::WriteLock { rwlock: other } | Op::TryWriteLock { rwlock: other },
                ) => {
                    let released = earlier.outcome != Outcome::Released(false);
                    rwlock == other && used && released && !reset(rwlock, i, j)
                }
                (
                    Op::RwUnlock { rwlock },
                    Op::ReadLock { rwlock: other } | Op::TryReadLock { rwlock: other },
                ) => {
                    let released = earlier.outcome == Outcome::Released(true);
                    rwlock == other && used && released && !reset(rwlock, i, j)
                }
                (
                    Op::RwInit { rwlock },
                    Op::ReadLock { rwlock: other }
                    | Op::TryReadLock { rwlock: other }
                    | Op::WriteLock { rwlock: other }
                    | Op::TryWriteLock { rwlock: other }
                    | Op::RwUnlock { rwlock: other },
                ) => rwlock == other && used && !reset(rwlock, i, j),
                (Op::BarrierInit { barrier, .. }, Op::BarrierArrive { barrier: other }) => {
                    barrier == other && !reset(barrier, i, j)
                }
                (Op::BarrierArrive { barrier }, Op::BarrierLeave { barrier: other }) => {
                    // The round is that of the thread's arrival.
                    let own = (0..j).rev().find(|k| events[*k].thread == event.thread);
                    let round = |outcome| match outcome {
                        Outcome::Arrived { round, .. } => Some(round),
                        _ => None,
                    };
                    barrier == other
                        && own.is_some_and(|k| round(events[k].outcome) == round(earlier.outcome))
                }
                _ => false,
            };
            if synchronizes {
                direct.insert(i);
            }
        }
        // A lock synchronizes with what freed the mutex, which may be a misuse: the
        // unlock of a normal mutex by a thread that does not hold it.
        let acquires = event.outcome != Outcome::Acquired(false);
        if let Op::Lock { mutex, .. } | Op::TryLock { mutex, .. } | Op::Rewait { mutex, .. } =
            event.op
        {
            direct.extend(released.get(&mutex).filter(|_| acquires));
        }
        let held = |sync: &SyncState, mutex| sync.mutex(mutex).is_some_and(|m| m.owner.is_some());
        if let Op::Unlock { mutex } | Op::Wait { mutex, .. } = event.op {
            let was_held = held(&sync, mutex);
            sync.apply(event.thread, &event.op, event.choice);
            if was_held && !held(&sync, mutex) {
                released.insert(mutex, j);
            }
        } else {
            sync.apply(event.thread, &event.op, event.choice);
        }
        before.push(direct.iter().fold(0, |past, i| past | 1 << i | before[*i]));
    }
    let mut races = BTreeSet::new();
    for j in 0..events.len() {
        for i in (0..j).filter(|i| before[j] >> i & 1 == 0) {
            let race = accesses(i).iter().any(|a| {
                accesses(j)
                    .iter()
                    .any(|b| a.conflicts(b) && (a.atomic.is_none() || b.atomic.is_none()))
            });
            if race {
                let (a, b) = (events[i].site, events[j].site);
                races.insert((a.min(b), a.max(b)));
            }
        }
    }
    races
}
