//! Barriers: rounds of threads that go on when they are complete.
//!
//! A wait is two events, so that a thread can arrive, and be seen to, before it can
//! leave. The first `count` threads to arrive are a round, and a round is a set: in
//! which order its members came makes no difference to anybody, so their arrivals
//! commute. Arrivals of different rounds do not: had the later one been earlier, it
//! would have been in the other round.
//!
//! **The serial thread** may be any member; POSIX leaves it open, and a program may
//! depend on it by mistake. It cannot be the one who filled the round, or arrivals
//! would not commute. So it is a choice: of the leave of the member with the lowest
//! number, which the others wait for. That loses nothing, since this leave is
//! enabled as soon as the round is full, concerns nobody but the round, and can be
//! put at once behind the last arrival in every execution. The price is one
//! execution for each member and round.
//!
//! A full round needs its barrier no more: the serial thread may destroy it while
//! the others have yet to leave.

use crate::exchange::Swap;
use alloc::vec::Vec;
use hashbrown::HashMap;
use leno_model::{Outcome, ThreadId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
struct Barrier {
    /// None: not initialised, and never full.
    count: Option<u32>,
    /// The number of the round that is open. It only grows, so that rounds at one
    /// address can be told apart whatever becomes of the barrier.
    number: u32,
    /// The number of the first round since it was destroyed last.
    renewed: u32,
    /// Its place in `rounds`, once somebody has come.
    open: Option<usize>,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
struct Round {
    barrier: u64,
    number: u32,
    /// In the order of their numbers.
    members: Vec<ThreadId>,
    full: bool,
    serial: Option<ThreadId>,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Barriers {
    barriers: HashMap<u64, Barrier>,
    rounds: Vec<Round>,
    /// The round that each thread came to last.
    of_thread: Vec<Option<usize>>,
}

impl Barriers {
    /// Forgets everything but the memory it took.
    pub fn clear(&mut self) {
        let Self { barriers, rounds, of_thread } = self;
        barriers.clear();
        rounds.clear();
        of_thread.clear();
    }

    /// How many things are known.
    pub fn size(&self) -> usize {
        self.barriers.len() + self.rounds.len() + self.of_thread.len()
    }

    /// Forgets the rounds that nobody is in.
    pub fn compact(&mut self) {
        let mut left = Vec::new();
        let of_threads = self.of_thread.iter_mut().flatten();
        for place in of_threads.chain(self.barriers.values_mut().filter_map(|b| b.open.as_mut())) {
            let known = left.iter().position(|old| old == place);
            let new = known.unwrap_or(left.len());
            if known.is_none() {
                left.push(*place);
            }
            *place = new;
        }
        self.rounds = left.iter().map(|place| core::mem::take(&mut self.rounds[*place])).collect();
    }

    /// Initialises the barrier, or destroys it. Who is in an open round stays in it.
    pub fn reset(&mut self, barrier: u64, count: Option<u32>) {
        let barrier = self.barriers.entry(barrier).or_default();
        let number = barrier.number + 1;
        let renewed = if count.is_none() { number } else { barrier.renewed };
        *barrier = Barrier { count, number, renewed, open: None };
    }

    /// Whether the barrier that a thread came to last was destroyed since.
    pub fn is_let_go(&self, thread: ThreadId) -> bool {
        self.round(thread).is_some_and(|round| {
            self.barriers.get(&round.barrier).is_some_and(|b| round.number < b.renewed)
        })
    }

    /// Those at which somebody waits for others to come, with how many they wait for.
    pub fn open(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        let open =
            |(addr, b): (&u64, &Barrier)| Some((*addr, b.count.filter(|_| b.open.is_some())?));
        self.barriers.iter().filter_map(open)
    }

    pub fn is_initialised(&self, barrier: u64) -> bool {
        self.barriers.get(&barrier).is_some_and(|barrier| barrier.count.is_some())
    }

    /// A thread that waits at the barrier for others to come.
    pub fn arrived(&self, barrier: u64) -> Option<ThreadId> {
        let place = self.barriers.get(&barrier)?.open?;
        self.rounds[place].members.first().copied()
    }

    pub fn arrive(&mut self, barrier: u64, thread: ThreadId) -> Outcome {
        let address = barrier;
        let barrier = self.barriers.entry(barrier).or_default();
        let place = *barrier.open.get_or_insert(self.rounds.len());
        if place == self.rounds.len() {
            let number = barrier.number;
            self.rounds.push(Round { barrier: address, number, ..Round::default() });
        }
        let round = &mut self.rounds[place];
        if let Err(rank) = round.members.binary_search(&thread) {
            round.members.insert(rank, thread);
        }
        round.full = barrier.count.is_some_and(|count| round.members.len() as u32 >= count);
        let outcome = Outcome::Arrived { round: barrier.number, full: round.full };
        if round.full {
            barrier.number += 1;
            barrier.open = None;
        }
        if self.of_thread.len() <= thread.index() {
            self.of_thread.resize(thread.index() + 1, None);
        }
        self.of_thread[thread.index()] = Some(place);
        outcome
    }

    /// A barrier that is in another state when threads have changed places. Not so what a
    /// full round has yet to do: who stands there is told apart by his number (see above).
    pub fn told_apart(&self, swap: &Swap<'_>) -> Option<u64> {
        let members = |barrier: Option<&Barrier>| -> &[ThreadId] {
            let open = barrier.and_then(|barrier| barrier.open);
            open.map_or(&[], |place| &self.rounds[place].members)
        };
        let changed = |(addr, barrier): (&u64, &Barrier)| {
            let there = self.barriers.get(&(swap.address)(*addr));
            let same = there.and_then(|there| there.count) == barrier.count
                && members(there) == swap.all(members(Some(barrier)));
            (!same).then_some(*addr)
        };
        self.barriers.iter().find_map(changed)
    }

    pub fn can_leave(&self, thread: ThreadId) -> bool {
        self.round(thread).is_some_and(|round| {
            round.full && (round.serial.is_some() || round.members.first() == Some(&thread))
        })
    }

    /// How many threads may become the serial one when this one leaves.
    pub fn choices(&self, thread: ThreadId) -> u32 {
        let undecided = self.round(thread).filter(|round| round.full && round.serial.is_none());
        undecided.map_or(1, |round| round.members.len() as u32)
    }

    /// Who may become the serial thread when this one leaves.
    pub fn candidates(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> + '_ {
        let undecided = self.round(thread).filter(|round| round.full && round.serial.is_none());
        undecided.into_iter().flat_map(|round| round.members.iter().copied())
    }

    /// Whether it makes no difference to the round that two threads are about to leave
    /// which of them is which. Who is to decide on the serial thread is different from
    /// the others, and so is that thread.
    pub fn are_alike(&self, a: ThreadId, b: ThreadId) -> bool {
        let round_of = |thread: ThreadId| self.of_thread.get(thread.index()).copied().flatten();
        round_of(a) == round_of(b)
            && self.round(a).is_some_and(|round| {
                let special = round.serial.or(round.members.first().copied());
                special.is_some_and(|special| special != a && special != b)
            })
    }

    /// Says whether the thread is the serial one.
    pub fn leave(&mut self, thread: ThreadId, choice: u32) -> bool {
        let place = self.of_thread.get(thread.index()).copied().flatten();
        let Some(round) = place.map(|place| &mut self.rounds[place]) else { return false };
        let serial = *round.serial.get_or_insert(round.members[choice as usize]);
        serial == thread
    }

    fn round(&self, thread: ThreadId) -> Option<&Round> {
        let place = self.of_thread.get(thread.index()).copied().flatten()?;
        Some(&self.rounds[place])
    }
}
