//! The Mazurkiewicz trace of an execution, as a number, computed without the
//! index, the clocks and the happens-before of the searches.

use super::Recorded;
use leno_checker::{Repertoire, dependence::dependent};
use leno_model::{Access, Op, Outcome};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
};

/// The most events that an execution may have here.
pub const LONGEST: usize = 128;

/// `repertoire`: events that vary count as if they had done all of it.
pub fn trace_of(run: &Recorded, repertoire: &Repertoire) -> u64 {
    let execution = run.execution();
    let events = &run.events;
    assert!(events.len() <= LONGEST, "a set of events is one word");
    let footprints: Vec<Vec<Access>> = events
        .iter()
        .map(|event| {
            let accesses = execution.accesses_of(event);
            [accesses, repertoire.of(event, accesses)].concat()
        })
        .collect();
    let depends =
        |a: usize, b: usize| dependent(&events[a], &footprints[a], &events[b], &footprints[b]);
    let threads = run.events.iter().map(|e| e.thread.index() + 1).max().unwrap_or(0);
    let mut of_thread: Vec<Vec<usize>> = vec![vec![]; threads];
    let mut waits_for: Vec<Option<u64>> = vec![None; threads];
    let mut woken_by: Vec<Option<usize>> = vec![None; threads];
    // The arrivals in each round of each barrier, and its lowest thread's leave.
    let mut rounds: HashMap<(u64, u32), (Vec<usize>, Option<usize>)> = HashMap::new();
    let mut round_of: Vec<Option<(u64, u32)>> = vec![None; threads];
    // Where each thread waits at a futex, and for which bits.
    let mut parked: Vec<Option<(u64, u32)>> = vec![None; threads];
    // For each event the set of those before it.
    let mut before: Vec<u128> = vec![];
    for (j, b) in events.iter().enumerate() {
        let mut past = 0u128;
        for i in (0..j).rev() {
            let woken = matches!(b.op, Op::Rewait { .. } | Op::FutexResume { .. })
                && woken_by[b.thread.index()] == Some(i);
            let round = round_of[b.thread.index()].map(|round| &rounds[&round]);
            let released = matches!(b.op, Op::BarrierLeave { .. })
                && round.is_some_and(|(came, left)| came.contains(&i) || *left == Some(i));
            let follows = past >> i & 1 != 0 || depends(i, j) || woken || released;
            if follows {
                past |= 1 << i | before[i];
            }
        }
        match (b.op, b.outcome) {
            (Op::Wait { cond, .. }, _) => waits_for[b.thread.index()] = Some(cond),
            (Op::Unwait { .. }, _) => waits_for[b.thread.index()] = None,
            (Op::FutexWait { futex, bits }, _) => {
                parked[b.thread.index()] = Some((futex, bits));
            }
            (Op::FutexLeave { .. }, _) => parked[b.thread.index()] = None,
            (Op::FutexWake { .. }, Outcome::Woken(Some(thread))) => {
                parked[thread.index()] = None;
                woken_by[thread.index()] = Some(j);
            }
            (Op::FutexWakeAll { futex, bits }, _) => {
                for thread in 0..threads {
                    if parked[thread].is_some_and(|(at, for_)| at == futex && for_ & bits != 0) {
                        parked[thread] = None;
                        woken_by[thread] = Some(j);
                    }
                }
            }
            (Op::FutexRequeue { to, .. }, Outcome::Woken(Some(thread))) => {
                parked[thread.index()] = parked[thread.index()].map(|(_, bits)| (to, bits));
            }
            (Op::FutexRequeue { from, to, .. }, Outcome::Count(_)) => {
                for place in parked.iter_mut().flatten().filter(|(at, _)| *at == from) {
                    place.0 = to;
                }
            }
            (Op::BarrierArrive { barrier }, Outcome::Arrived { round, .. }) => {
                rounds.entry((barrier, round)).or_default().0.push(j);
                round_of[b.thread.index()] = Some((barrier, round));
            }
            (Op::BarrierLeave { .. }, _) => {
                let round = round_of[b.thread.index()].expect("it has arrived");
                let (came, left) = rounds.get_mut(&round).expect("it has arrived");
                if came.iter().all(|i| events[*i].thread >= b.thread) {
                    *left = Some(j);
                }
            }
            (Op::Signal { .. }, Outcome::Woken(Some(thread))) => {
                waits_for[thread.index()] = None;
                woken_by[thread.index()] = Some(j);
            }
            (Op::Broadcast { cond }, _) => {
                for thread in 0..threads {
                    if waits_for[thread] == Some(cond) {
                        waits_for[thread] = None;
                        woken_by[thread] = Some(j);
                    }
                }
            }
            _ => {}
        }
        before.push(past);
        of_thread[b.thread.index()].push(j);
    }
    // Thread by thread each event's choice and, of each thread, how many events are
    // in its past: these are always its first.
    let mut hasher = DefaultHasher::new();
    for own in &of_thread {
        own.len().hash(&mut hasher);
        for j in own {
            events[*j].choice.hash(&mut hasher);
            for others in &of_thread {
                let count = others.iter().filter(|i| before[*j] >> **i & 1 != 0).count();
                count.hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}
