//! Programs whose number of executions, or whose bug, is known. A change of a count
//! is a change of meaning.

mod sim;

use leno_checker::{Finding, Naive, Optimal, Search, Source};
use leno_model::{Op, Order, ThreadId};
use sim::{
    ACQ, Atomic, Instr, Loc, PLAIN, Program, REL, RLX, SC, X, Y,
    oracle::{Bug, Explored, explore},
};
use std::collections::HashSet;

/// What the searches that reduce agree on; with optimal DPOR nothing is in vain.
fn source(program: &Program) -> Explored {
    let explored = explore(&mut Source::new(), program, 100_000, None);
    let optimal = explore(&mut Optimal::new(), program, 100_000, None);
    let ends = |e: &Explored| {
        let counts = &e.counts;
        let dropped = [counts.blocked_by_assume, counts.blocked_by_await];
        (counts.executions, dropped, e.bugs.clone())
    };
    assert_eq!(ends(&optimal), ends(&explored));
    assert_eq!(optimal.states, explored.states);
    assert_eq!(optimal.counts.blocked_by_sleep, 0);
    explored
}

/// Main creates the threads and joins them.
fn parallel(threads: Vec<Vec<Instr>>) -> Program {
    let count = threads.len() as u32;
    let main = (1..=count).map(Instr::Create).chain((1..=count).map(Instr::Join)).collect();
    Program { threads: std::iter::once(main).chain(threads).collect(), ..Program::default() }
}

fn load(loc: Loc, order: Atomic) -> Instr {
    Instr::Load { loc, order, reg: 0 }
}

fn store(loc: Loc, order: Atomic, value: u64) -> Instr {
    Instr::Store { loc, order, value }
}

fn assert_safe(explored: &Explored) {
    assert_eq!(explored.bugs.iter().collect::<Vec<_>>(), Vec::<&Bug>::new());
}

#[test]
fn critical_sections_of_n_threads_have_n_factorial_orders() {
    for (n, factorial) in [(2, 2), (3, 6), (4, 24), (5, 120), (6, 720)] {
        let count = vec![
            Instr::Lock(0),
            load(X, PLAIN),
            Instr::StoreNext { loc: X, order: PLAIN, reg: 0 },
            Instr::Unlock(0),
        ];
        let explored = source(&parallel(vec![count; n]));
        assert_safe(&explored);
        assert_eq!(explored.counts.executions, factorial);
        assert_eq!(explored.counts.blocked_by_sleep, 0);
        assert_eq!(explored.counts.threads, n as u64 + 1);
    }
}

#[test]
fn threads_on_different_variables_have_one_execution() {
    for n in 1..=8 {
        let threads =
            (0..n).map(|k| vec![store(Loc(8 * k, 8), PLAIN, 1), load(Loc(8 * k, 8), PLAIN)]);
        let explored = source(&parallel(threads.collect()));
        assert_safe(&explored);
        assert_eq!(explored.counts.executions, 1);
    }
}

/// The rows of docs/dependence.md that say of two operations that they commute.
#[test]
fn what_changes_nothing_for_its_like_has_one_execution() {
    let cond = 0;
    let quiet = [
        ("posts", vec![], vec![Instr::SemPost(0)]),
        ("signals to nobody", vec![], vec![Instr::Signal(cond)]),
        (
            "wake-ups of nobody",
            vec![],
            vec![Instr::FutexWake { loc: X, bits: 1, all: false, reg: 0 }],
        ),
        ("failed attempts", vec![Instr::Lock(0)], vec![Instr::TryLock { mutex: 0, reg: 0 }]),
        (
            "failed attempts to write",
            vec![Instr::WriteLock(0)],
            vec![Instr::TryWriteLock { rwlock: 0, reg: 0 }],
        ),
        (
            "failed attempts to read",
            vec![Instr::WriteLock(0)],
            vec![Instr::TryReadLock { rwlock: 0, reg: 0 }],
        ),
        ("failed attempts to take", vec![], vec![Instr::SemTryWait { sem: 0, reg: 0 }]),
        ("looks at a value", vec![], vec![Instr::SemValue { sem: 0, reg: 0 }]),
    ];
    for (what, before, each) in quiet {
        let mut program = parallel(vec![each; 3]);
        program.threads[0].splice(0..0, before);
        assert_eq!(source(&program).counts.executions, 1, "{what}");
    }
    // Waits, each with a mutex of its own, so that these do not order them.
    let wait = |mutex| vec![Instr::Lock(mutex), Instr::Wait { cond, mutex }];
    assert_eq!(source(&parallel(vec![wait(0), wait(1)])).counts.executions, 1);
}

#[test]
fn one_writer_and_n_readers_have_two_to_the_n_executions() {
    for n in 0..=7 {
        let readers = std::iter::repeat_n(vec![load(X, SC)], n);
        let threads = std::iter::once(vec![store(X, SC, 1)]).chain(readers).collect();
        let explored = source(&parallel(threads));
        assert_safe(&explored);
        assert_eq!(explored.counts.executions, 1 << n);
    }
}

#[test]
fn bytes_that_only_share_a_word_are_independent() {
    let threads = (0..4).map(|k| vec![store(Loc(k, 1), PLAIN, 1)]).collect();
    assert_eq!(source(&parallel(threads)).counts.executions, 1);
    let overlapping = vec![vec![store(Loc(0, 4), RLX, 1)], vec![store(Loc(3, 4), RLX, 1)]];
    assert_eq!(source(&parallel(overlapping)).counts.executions, 2);
}

#[test]
fn a_spin_lock_is_safe_and_the_search_ends() {
    let spin = |from: usize| {
        let section = vec![
            Instr::UntilCas { loc: X, order: ACQ, from: 0, to: 1 },
            load(Y, PLAIN),
            Instr::StoreNext { loc: Y, order: PLAIN, reg: 0 },
            store(X, REL, 0),
        ];
        source(&parallel(vec![section; from]))
    };
    let explored = spin(3);
    assert_safe(&explored);
    assert!(!explored.cut);
    assert_eq!(spin(2).states.len(), 2, "which thread was first can be told from the registers");
    let relaxed = vec![
        Instr::UntilCas { loc: X, order: RLX, from: 0, to: 1 },
        store(Y, PLAIN, 1),
        store(X, RLX, 0),
    ];
    assert!(matches!(source(&parallel(vec![relaxed; 2])).bugs.first(), Some(Bug::Race(..))));
}

#[test]
fn a_spin_for_what_nobody_writes_is_a_hang() {
    let explored = source(&parallel(vec![vec![Instr::Until { loc: X, order: SC, is: 1 }]]));
    assert_eq!(explored.counts.executions, 1);
    assert!(matches!(explored.bugs.first(), Some(Bug::Hang(_))));
}

#[test]
fn a_bounded_retry_is_no_hang() {
    let tries = |n| std::iter::repeat_n(load(X, SC), n).collect::<Vec<_>>();
    let explored = source(&parallel(vec![tries(3), vec![store(X, SC, 1)]]));
    assert_safe(&explored);
    assert_eq!(explored.counts.executions, 4);
}

#[test]
fn dining_philosophers_deadlock_in_a_cycle() {
    for n in 2..=4u8 {
        let philosopher = |k: u8| {
            let (left, right) = (k, (k + 1) % n);
            vec![Instr::Lock(left), Instr::Lock(right), Instr::Unlock(right), Instr::Unlock(left)]
        };
        let explored = source(&parallel((0..n).map(philosopher).collect()));
        let deadlocks: Vec<_> = explored
            .findings
            .iter()
            .filter_map(|(finding, events)| match finding {
                Finding::Deadlock { waits } => Some((waits, events)),
                _ => None,
            })
            .collect();
        assert_eq!((deadlocks.len(), explored.findings.len()), (1, 1));
        let (waits, events) = deadlocks[0];
        let cycle: Vec<_> = waits.iter().filter(|wait| wait.in_cycle).collect();
        assert_eq!(cycle.len(), n.into());
        for (k, wait) in cycle.iter().enumerate() {
            assert_eq!(wait.holder, Some(cycle[(k + 1) % cycle.len()].thread));
            let since = &events[wait.since.expect("a mutex that is held was acquired") as usize];
            assert_eq!(Some(since.thread), wait.holder);
            assert!(matches!(since.op, Op::Lock { .. }));
        }
        // Main waits too, but not in the cycle.
        let main = waits.last().expect("main joins");
        assert_eq!((main.thread, main.in_cycle), (ThreadId::MAIN, false));
    }
}

#[test]
fn locking_in_one_order_is_safe() {
    let both = vec![Instr::Lock(0), Instr::Lock(1), Instr::Unlock(1), Instr::Unlock(0)];
    let explored = source(&parallel(vec![both; 3]));
    assert_safe(&explored);
    assert_eq!(explored.counts.executions, 6);
}

#[test]
fn a_signal_before_the_wait_is_lost() {
    let waiter = vec![Instr::Lock(0), Instr::Wait { cond: 0, mutex: 0 }, Instr::Unlock(0)];
    let explored = source(&parallel(vec![waiter.clone(), vec![Instr::Signal(0)]]));
    assert_eq!(explored.counts.executions, 2);
    assert_eq!(explored.bugs.len(), 1);
    assert!(matches!(explored.bugs.first(), Some(Bug::Deadlock(_))));
    // The flag under the mutex mends it.
    let waiter = vec![
        Instr::Lock(0),
        load(X, PLAIN),
        Instr::If { reg: 0, is: 0, skip: 1 },
        Instr::Wait { cond: 0, mutex: 0 },
        Instr::Unlock(0),
    ];
    let signaller = vec![Instr::Lock(0), store(X, PLAIN, 1), Instr::Signal(0), Instr::Unlock(0)];
    let explored = source(&parallel(vec![waiter, signaller]));
    assert_safe(&explored);
    assert_eq!(explored.counts.executions, 2);
}

#[test]
fn a_signal_may_wake_any_waiter() {
    let waiter = |value| {
        vec![
            Instr::Lock(0),
            Instr::Wait { cond: 0, mutex: 0 },
            store(X, PLAIN, value),
            Instr::Unlock(0),
        ]
    };
    let mut program = parallel(vec![waiter(1), waiter(2), vec![Instr::Signal(0)]]);
    program.threads[0].truncate(3);
    let explored = source(&program);
    assert_eq!(explored.states.len(), 3, "nobody was woken, or the first, or the second");
    assert_safe(&explored); // who waits at the exit is in no cycle
}

/// Who has been woken already when the timeout fires has taken the signal from somebody else.
#[test]
fn a_signal_may_come_just_before_a_timeout() {
    let timed =
        vec![Instr::Lock(0), Instr::TimedWait { cond: 0, mutex: 0, reg: 0 }, Instr::Unlock(0)];
    let waiter = vec![
        Instr::Lock(0),
        store(Y, PLAIN, 1),
        Instr::Wait { cond: 0, mutex: 0 },
        store(Y, PLAIN, 2),
        Instr::Unlock(0),
    ];
    // Only if the other one waits: then somebody is woken in any case.
    let signaller = vec![
        Instr::Lock(0),
        load(Y, PLAIN),
        Instr::If { reg: 0, is: 1, skip: 1 },
        Instr::Signal(0),
        Instr::Unlock(0),
    ];
    let mut program = parallel(vec![timed, waiter, signaller]);
    program.threads[0].truncate(4);
    let explored = source(&program);
    assert_eq!(explored.states, explore(&mut Naive::new(), &program, 100_000, None).states);
    assert_eq!(explored.states.len(), 4, "no signal, one for each, and one that came to nothing");
}

#[test]
fn message_passing_races_unless_it_releases_and_acquires() {
    let passing = |publish: Vec<Instr>, order, fence: Option<Order>| {
        let sender = [vec![store(Y, PLAIN, 1)], publish].concat();
        let mut receiver = vec![load(X, order)];
        receiver.extend(fence.map(Instr::Fence));
        receiver.extend([
            Instr::If { reg: 0, is: 1, skip: 1 },
            Instr::Load { loc: Y, order: PLAIN, reg: 1 },
        ]);
        source(&parallel(vec![sender, receiver]))
    };
    let races = |explored: Explored| explored.bugs.len();
    assert_eq!(races(passing(vec![store(X, REL, 1)], ACQ, None)), 0);
    assert_eq!(races(passing(vec![store(X, SC, 1)], SC, None)), 0);
    assert_eq!(races(passing(vec![store(X, RLX, 1)], ACQ, None)), 1);
    assert_eq!(races(passing(vec![store(X, REL, 1)], RLX, None)), 1);
    assert_eq!(races(passing(vec![store(X, REL, 1)], RLX, Some(Order::Acquire))), 0);
    let fenced = vec![Instr::Fence(Order::Release), store(X, RLX, 1)];
    assert_eq!(races(passing(fenced.clone(), ACQ, None)), 0);
    assert_eq!(races(passing(fenced.clone(), RLX, Some(Order::Acquire))), 0);
    assert_eq!(races(passing(fenced, RLX, None)), 1);
    // A relaxed store of the same thread ends the release sequence (C++20) …
    let broken = vec![store(X, REL, 2), store(X, RLX, 1)];
    assert_eq!(races(passing(broken, ACQ, None)), 1);
    // … a read-modify-write carries it on.
    let carried = vec![store(X, REL, 0), Instr::Add { loc: X, order: RLX, reg: 1 }];
    assert_eq!(races(passing(carried, ACQ, None)), 0);
}

#[test]
fn a_failed_assertion_does_not_hide_what_the_others_do() {
    let threads = vec![
        vec![load(X, SC), Instr::Assert { reg: 0, is: 0 }, store(Y, SC, 1)],
        vec![store(X, SC, 1)],
        vec![load(Y, SC), Instr::Assert { reg: 0, is: 0 }],
    ];
    let explored = source(&parallel(threads));
    assert_eq!(explored.bugs.iter().filter(|bug| matches!(bug, Bug::Failure(_))).count(), 2);
    assert_eq!(explored.bugs.len(), 2, "who waits for a failed thread is no bug of its own");
}

#[test]
fn choices_are_all_taken() {
    let choose = Instr::Choose { alternatives: 3, reg: 0 };
    let explored = source(&parallel(vec![vec![choose], vec![choose]]));
    assert_eq!(explored.counts.executions, 9);
}

#[test]
fn what_weak_atomics_were_used_on_is_known() {
    let weak = |threads| {
        let mut search = Source::new();
        explore(&mut search, &parallel(threads), 1000, None);
        search.weak_atomics()
    };
    assert!(weak(vec![vec![store(X, RLX, 1)], vec![load(X, SC)]]));
    assert!(!weak(vec![vec![store(X, SC, 1)], vec![load(X, SC)]]));
    assert!(!weak(vec![vec![store(X, RLX, 1)], vec![load(Y, RLX)]]));
}

#[test]
fn readers_have_one_execution() {
    for n in 1..=6 {
        let reader = vec![Instr::ReadLock(0), load(X, PLAIN), Instr::RwUnlock(0)];
        let explored = source(&parallel(vec![reader; n]));
        assert_safe(&explored);
        assert_eq!((explored.counts.executions, explored.counts.blocked_by_sleep), (1, 0));
    }
}

#[test]
fn writers_and_a_semaphore_of_one_have_n_factorial_orders() {
    let count = [load(X, PLAIN), Instr::StoreNext { loc: X, order: PLAIN, reg: 0 }];
    for (n, factorial) in [(2, 2), (3, 6), (4, 24), (5, 120)] {
        let writer = [&[Instr::WriteLock(0)], &count[..], &[Instr::RwUnlock(0)]].concat();
        let explored = source(&parallel(vec![writer; n]));
        assert_safe(&explored);
        assert_eq!(explored.counts.executions, factorial);
        assert_eq!(explored.counts.blocked_by_sleep, 0);
        let taker = [&[Instr::SemWait(0)], &count[..], &[Instr::SemPost(0)]].concat();
        let mut program = parallel(vec![taker; n]);
        program.threads[0].insert(0, Instr::SemInit { sem: 0, value: 1 });
        let explored = source(&program);
        assert_safe(&explored);
        assert_eq!(explored.counts.executions, factorial);
        assert_eq!(explored.counts.blocked_by_sleep, 0);
    }
}

/// Each reader is before the writer or behind it, and that is all there is to tell.
#[test]
fn n_readers_and_a_writer_have_two_to_the_n_executions() {
    for n in 0..=5 {
        let reader = vec![Instr::ReadLock(0), load(X, PLAIN), Instr::RwUnlock(0)];
        let writer = vec![Instr::WriteLock(0), store(X, PLAIN, 1), Instr::RwUnlock(0)];
        let threads = std::iter::once(writer).chain(std::iter::repeat_n(reader, n)).collect();
        let explored = source(&parallel(threads));
        assert_safe(&explored);
        assert_eq!(explored.counts.executions, 1 << n);
    }
}

/// Readers that let go only when others have come: the race of a writer with one can
/// only be reversed together with that of the other.
#[test]
fn readers_that_need_each_other_are_passed_together() {
    let writer = vec![Instr::WriteLock(0), Instr::RwUnlock(0)];
    let first = vec![Instr::ReadLock(0), Instr::SemWait(0), Instr::RwUnlock(0)];
    let second = vec![Instr::ReadLock(0), Instr::SemPost(0), Instr::RwUnlock(0)];
    let explored = source(&parallel(vec![first.clone(), second, writer.clone()]));
    assert_safe(&explored);
    // The writer is before both, behind both, or between the sections of the second
    // and the first; behind the first alone it cannot be.
    assert_eq!(explored.counts.executions, 3);
    // If each needs the other, the writer is before both or behind both.
    let meet = |mine, theirs| {
        vec![Instr::ReadLock(0), Instr::SemPost(mine), Instr::SemWait(theirs), Instr::RwUnlock(0)]
    };
    let explored = source(&parallel(vec![meet(0, 1), meet(1, 0), writer.clone()]));
    assert_safe(&explored);
    assert_eq!(explored.counts.executions, 2);
    // That neither can come and go without the other shows when it is tried. From then on
    // the two readers do not commute (docs/dependence.md), and there are four traces.
    let late = parallel(vec![writer.clone(), meet(0, 1), meet(1, 0)]);
    let optimal = explore(&mut Optimal::new(), &late, 100, None);
    assert_eq!((optimal.counts.executions, optimal.counts.blocked_by_sleep), (4, 0));
    assert_eq!(optimal.traces.iter().collect::<HashSet<_>>().len(), 4);
    // Who never lets go closes the lock for ever.
    let explored = source(&parallel(vec![first, writer]));
    assert!(matches!(explored.bugs.first(), Some(Bug::Deadlock(_))));
}

#[test]
fn a_semaphore_of_two_lets_two_in() {
    let taker = vec![Instr::SemWait(0), store(X, PLAIN, 1), Instr::SemPost(0)];
    let mut program = parallel(vec![taker; 2]);
    program.threads[0].insert(0, Instr::SemInit { sem: 0, value: 2 });
    assert!(matches!(source(&program).bugs.first(), Some(Bug::Race(..))));
    // What was done before a post is seen behind the wait.
    let consumer = vec![Instr::SemWait(0), load(X, PLAIN)];
    let explored =
        source(&parallel(vec![vec![store(X, PLAIN, 1), Instr::SemPost(0)], consumer.clone()]));
    assert_safe(&explored);
    assert_eq!(explored.counts.executions, 1);
    let explored = source(&parallel(vec![consumer]));
    assert!(matches!(explored.bugs.first(), Some(Bug::Deadlock(_))));
}

/// Who is the serial one is a choice; besides that a barrier has one execution.
#[test]
fn a_barrier_of_n_has_one_execution_for_each_serial_thread() {
    for n in 1..=5u32 {
        let wait = Instr::Barrier { barrier: 0, reg: 0 };
        let threads = (0..n).map(|k| {
            let own = Loc(8 * u64::from(k), 8);
            let next = Loc(8 * u64::from((k + 1) % n), 8);
            vec![store(own, PLAIN, 1), wait, Instr::Load { loc: next, order: PLAIN, reg: 1 }]
        });
        let mut program = parallel(threads.collect());
        program.threads[0].insert(0, Instr::BarrierInit { barrier: 0, count: n });
        let explored = source(&program);
        assert_safe(&explored);
        assert_eq!((explored.counts.executions, explored.counts.blocked_by_sleep), (n.into(), 0));
        assert_eq!(explored.states.len(), n as usize);
        // One thread too many waits for ever, whichever it is.
        program.threads.push(vec![wait]);
        program.threads[0].insert(1, Instr::Create(n + 1));
        program.threads[0].push(Instr::Join(n + 1));
        let explored = source(&program);
        let stuck = |bug: &&Bug| matches!(bug, Bug::Deadlock(_));
        if n > 1 {
            assert_eq!(explored.bugs.iter().filter(stuck).count(), n as usize + 1);
        }
    }
}

#[test]
fn a_timeout_is_no_deadlock() {
    // The lost wake-up of above, with a timeout.
    let waiter =
        vec![Instr::Lock(0), Instr::TimedWait { cond: 0, mutex: 0, reg: 0 }, Instr::Unlock(0)];
    let explored = source(&parallel(vec![waiter, vec![Instr::Signal(0)]]));
    assert_safe(&explored);
    assert!(explored.counts.blocked_by_await > 0);
    // Two locks in opposite orders: one timeout is enough.
    let timed = vec![
        Instr::Lock(0),
        Instr::TimedLock { mutex: 1, reg: 0 },
        Instr::If { reg: 0, is: 1, skip: 1 },
        Instr::Unlock(1),
        Instr::Unlock(0),
    ];
    let other = vec![Instr::Lock(1), Instr::Lock(0), Instr::Unlock(0), Instr::Unlock(1)];
    assert_safe(&source(&parallel(vec![timed.clone(), other])));
    // It does not help those who wait for each other without.
    let mut behind = timed;
    behind[1] = Instr::Lock(1);
    behind.truncate(2);
    let other = vec![Instr::Lock(1), Instr::Lock(0)];
    let explored =
        source(&parallel(vec![behind, other, vec![Instr::TimedSemWait { sem: 0, reg: 0 }]]));
    assert!(explored.bugs.iter().any(|bug| matches!(bug, Bug::Deadlock(_))));
    // What happens after the timeout is seen.
    let late = vec![Instr::TimedSemWait { sem: 0, reg: 0 }, Instr::Assert { reg: 0, is: 1 }];
    let explored = source(&parallel(vec![late, vec![Instr::SemPost(0)]]));
    assert!(matches!(explored.bugs.first(), Some(Bug::Failure(_))));
}

#[test]
fn readers_in_a_cycle_are_named() {
    // Each reads one lock and wants to write the other; a third thread reads too.
    let crossed = |a, b| vec![Instr::ReadLock(a), Instr::WriteLock(b)];
    let reader = vec![Instr::ReadLock(0), Instr::RwUnlock(0)];
    let explored = source(&parallel(vec![reader, crossed(0, 1), crossed(1, 0)]));
    let cycles = explored.findings.iter().filter_map(|(finding, events)| match finding {
        Finding::Deadlock { waits } => Some((waits, events)),
        _ => None,
    });
    let crossed: Vec<_> =
        cycles.filter(|(waits, _)| waits.iter().filter(|w| w.in_cycle).count() == 2).collect();
    assert_eq!(crossed.len(), 1);
    let (waits, events) = crossed[0];
    for (wait, other) in [(&waits[0], &waits[1]), (&waits[1], &waits[0])] {
        assert_eq!(wait.holder, Some(other.thread));
        let since = &events[wait.since.expect("it was acquired") as usize];
        assert_eq!((since.thread, true), (other.thread, matches!(since.op, Op::ReadLock { .. })));
    }
    // Who wants to write what he reads waits for himself.
    let upgrade = vec![Instr::ReadLock(0), Instr::WriteLock(0)];
    let explored = source(&parallel(vec![upgrade]));
    let Some((Finding::Deadlock { waits }, _)) = explored.findings.first() else { panic!() };
    assert_eq!((waits[0].in_cycle, waits[0].holder), (true, Some(waits[0].thread)));
}

/// A wait and a wake-up that finds it, or comes first and is lost.
#[test]
fn a_futex_wakes_who_waits_already() {
    let wait = Instr::FutexWait { loc: X, is: 0, bits: u32::MAX, timed: false, reg: 0 };
    let wake = Instr::FutexWake { loc: X, bits: u32::MAX, all: false, reg: 0 };
    let program = parallel(vec![vec![wait], vec![wake]]);
    let found = source(&program);
    assert_eq!(found.counts.executions, 2);
    assert_eq!(found.findings.len(), 1, "the lost wake-up is a deadlock");
    // Behind a store of another value no wake-up is needed.
    let store = Instr::Store { loc: X, order: SC, value: 1 };
    let program = parallel(vec![vec![wait], vec![store, wake]]);
    assert_eq!(source(&program).findings.len(), 0);
}

/// A loop that looks for a 1 under the first mutex.
fn poll() -> Vec<Instr> {
    vec![
        Instr::Lock(0),
        Instr::Load { loc: X, order: PLAIN, reg: 0 },
        Instr::Unlock(0),
        Instr::Again { reg: 0, is: 1, back: 3 },
    ]
}

#[test]
fn loops_that_look_under_a_lock_end() {
    let set = vec![Instr::Lock(0), store(X, PLAIN, 1), Instr::Unlock(0)];
    for (pollers, in_vain) in [(1, 1), (2, 4)] {
        let mut threads = vec![poll(); pollers as usize];
        threads.push(set.clone());
        let explored = source(&parallel(threads));
        assert_safe(&explored);
        // Who looks before the store looks in vain; the others come in any order behind it.
        assert_eq!(explored.counts.executions, pollers);
        assert_eq!(explored.counts.blocked_by_await, in_vain);
    }
    let explored = source(&parallel(vec![poll(), poll()]));
    assert!(matches!(explored.findings[..], [(Finding::Hang { .. }, _)]));
}
