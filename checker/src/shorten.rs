//! A shorter way to the same bug.
//!
//! An execution that shows a bug comes out of the search's order, with switches that
//! served to reverse some race and have nothing to do with the bug. Every order of its
//! events that keeps trace happens-before is the same execution. So we look for the one
//! with the fewest preemptions (a preemption is a switch away from a thread that could
//! have gone on) and, among those, the fewest switches. If the bug shows at an event,
//! only what comes before that event is needed at all: the rest never happens.
//!
//! A thread that runs may as well run as far as the order lets it: that enables others
//! and disables nobody. So a step of the search is a whole stretch of one thread, and
//! there are few states: how far each thread has got. They are visited by their cost
//! (Dijkstra). With many threads that interleave much there may still be too many; then
//! what is left is ordered greedily.
//!
//! What this gives is a proposal. That the bug shows there too is for who runs it to see.

use crate::{happens::Happens, search::Log};
use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec,
    vec::Vec,
};
use leno_model::{Execution, Op};

/// What must be kept of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    /// Everything: the bug is where the execution has got to.
    End,
    /// This event, and what comes before it.
    Event(u32),
}

/// States that are visited before the rest is ordered greedily.
const PATIENCE: usize = 20_000;
/// Beyond this length the analysis alone would be felt.
const LONGEST: usize = 20_000;

/// The events to be repeated, in their new order.
pub fn shorten(run: &Execution<'_>, aim: Aim) -> Vec<u32> {
    let everything = || (0..run.events.len() as u32).collect();
    if run.events.len() > LONGEST {
        return everything();
    }
    let order = Order::of(run, aim);
    let found = order.cheapest();
    // The order that there was is one of those looked through, but not of those that
    // patience sufficed for.
    let given: Vec<u32> = (0..run.events.len() as u32).filter(|at| order.keeps(*at)).collect();
    if order.cost(&found) < order.cost(&given) { found } else { given }
}

/// The events that are kept, with what each has to wait for.
struct Order<'r> {
    run: &'r Execution<'r>,
    threads: Vec<Vec<Kept>>,
    /// Which events are kept.
    kept: Vec<bool>,
}

struct Kept {
    event: u32,
    /// How many events of which threads come before it.
    after: Vec<(usize, u32)>,
    /// It waits for others, and is not merely put behind them.
    blocks: bool,
}

/// Preemptions, switches.
type Cost = (u32, u32);

/// How far each thread has got, and which of them ran last.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    done: Vec<u32>,
    last: usize,
}

impl<'r> Order<'r> {
    fn of(run: &'r Execution<'r>, aim: Aim) -> Self {
        let mut log = Log::default();
        let mut happens = Happens::default();
        let mut races = Vec::new();
        let mut all: Vec<(usize, Kept)> = Vec::new();
        for event in run.events {
            let place = log.push(run);
            happens.examine(&log.trace, place, place, false, &mut races);
            let after = log
                .trace
                .threads()
                .filter(|thread| *thread != event.thread)
                .map(|thread| (thread.index(), happens.seen(thread)))
                .filter(|(_, count)| *count > 0)
                .collect();
            happens.commit(&log.trace, place);
            let blocks = may_block(&event.op);
            all.push((event.thread.index(), Kept { event: place, after, blocks }));
        }
        let needed: Option<Vec<u32>> = match aim {
            Aim::End => None,
            Aim::Event(last) => all.get(last as usize).map(|(thread, kept)| {
                let mut needed = vec![0; log.trace.threads().count()];
                kept.after.iter().for_each(|(other, count)| needed[*other] = *count);
                needed[*thread] = log.trace.position(last);
                needed
            }),
        };
        let mut threads: Vec<Vec<Kept>> = Vec::new();
        let mut is_kept = vec![false; run.events.len()];
        for (thread, kept) in all {
            if threads.len() <= thread {
                threads.resize_with(thread + 1, Vec::new);
            }
            let position = threads[thread].len() as u32;
            if needed.as_ref().is_none_or(|needed| position < needed[thread]) {
                is_kept[kept.event as usize] = true;
                threads[thread].push(kept);
            }
        }
        Self { run, threads, kept: is_kept }
    }

    fn keeps(&self, event: u32) -> bool {
        self.kept[event as usize]
    }

    fn next(&self, done: &[u32], thread: usize) -> Option<&Kept> {
        self.threads[thread].get(done[thread] as usize)
    }

    fn can_run(&self, done: &[u32], thread: usize) -> bool {
        let is_done = |(other, count): &(usize, u32)| {
            // What is not kept is not waited for.
            done[*other] >= (*count).min(self.threads[*other].len() as u32)
        };
        self.next(done, thread).is_some_and(|kept| kept.after.iter().all(is_done))
    }

    /// What it costs to go on with `next` where `last` has run as far as it could.
    fn switch(&self, done: &[u32], last: usize, next: usize) -> Cost {
        if last == next {
            return (0, 0);
        }
        let ended = || {
            let last =
                self.threads[last].last().map(|kept| self.run.events[kept.event as usize].op);
            matches!(last, Some(Op::End | Op::Exit))
        };
        let waits = match self.next(done, last) {
            Some(kept) => kept.blocks && !self.can_run(done, last),
            None => ended() || done[last] == 0,
        };
        (u32::from(!waits), 1)
    }

    /// Runs a thread as far as it can.
    fn run(&self, state: &State, thread: usize) -> State {
        let mut done = state.done.clone();
        while self.can_run(&done, thread) {
            done[thread] += 1;
        }
        State { done, last: thread }
    }

    fn is_done(&self, done: &[u32]) -> bool {
        self.threads.iter().zip(done).all(|(thread, done)| thread.len() == *done as usize)
    }

    fn cheapest(&self) -> Vec<u32> {
        let start = State { done: vec![0; self.threads.len()], last: 0 };
        let mut open: BTreeSet<(Cost, State)> = BTreeSet::from([((0, 0), start.clone())]);
        // The way to each state that has been met: the one before, and the cost.
        let mut met: BTreeMap<State, (Option<State>, Cost)> =
            BTreeMap::from([(start.clone(), (None, (0, 0)))]);
        let mut furthest = start;
        let mut visited = 0;
        while let Some((cost, state)) = open.pop_first() {
            if met.get(&state).is_some_and(|(_, known)| *known < cost) {
                continue;
            }
            let far = |state: &State| state.done.iter().sum::<u32>();
            if far(&state) > far(&furthest) || self.is_done(&state.done) {
                furthest = state.clone();
            }
            visited += 1;
            if self.is_done(&state.done) || visited > PATIENCE {
                break;
            }
            for thread in 0..self.threads.len() {
                if !self.can_run(&state.done, thread) {
                    continue;
                }
                let (preemptions, switches) = self.switch(&state.done, state.last, thread);
                let cost = (cost.0 + preemptions, cost.1 + switches);
                let next = self.run(&state, thread);
                if met.get(&next).is_none_or(|(_, known)| cost < *known) {
                    met.insert(next.clone(), (Some(state.clone()), cost));
                    open.insert((cost, next));
                }
            }
        }
        let mut way = vec![furthest.clone()];
        let mut at = &furthest;
        while let Some((Some(before), _)) = met.get(at) {
            way.push(before.clone());
            at = before;
        }
        way.reverse();
        self.greedily(way)
    }

    /// Writes down the events of a way, and goes on from its end.
    fn greedily(&self, mut way: Vec<State>) -> Vec<u32> {
        let mut events = Vec::new();
        for step in way.windows(2) {
            self.stretch(&step[0], &step[1], &mut events);
        }
        let Some(mut state) = way.pop() else { return events };
        while let Some(next) = (0..self.threads.len())
            .filter(|thread| self.can_run(&state.done, *thread))
            .min_by_key(|thread| self.switch(&state.done, state.last, *thread))
        {
            let after = self.run(&state, next);
            self.stretch(&state, &after, &mut events);
            state = after;
        }
        events
    }

    fn stretch(&self, from: &State, to: &State, events: &mut Vec<u32>) {
        let (first, last) = (from.done[to.last] as usize, to.done[to.last] as usize);
        events.extend(self.threads[to.last][first..last].iter().map(|kept| kept.event));
    }

    /// Of any order.
    fn cost(&self, events: &[u32]) -> Cost {
        let mut done = vec![0; self.threads.len()];
        let mut last = 0;
        let mut cost = (0, 0);
        for event in events {
            let thread = self.run.events[*event as usize].thread.index();
            let (preemptions, switches) = self.switch(&done, last, thread);
            cost = (cost.0 + preemptions, cost.1 + switches);
            done[thread] += 1;
            last = thread;
        }
        cost
    }
}

/// Whether the thread itself waits at the operation until it is its turn.
fn may_block(op: &Op) -> bool {
    matches!(
        op,
        Op::Join { .. }
            | Op::Exit
            | Op::Lock { .. }
            | Op::Rewait { .. }
            | Op::ReadLock { .. }
            | Op::WriteLock { .. }
            | Op::SemWait { .. }
            | Op::BarrierLeave { .. }
            | Op::FutexResume { .. }
    )
}
