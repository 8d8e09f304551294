//! Futexes: who waits at which address.
//!
//! The word itself is memory, and comparing it is an access of the waiting event. What
//! is left is a set of waiters for each address, much as with a condition variable.
//! Which one a wake-up wakes is a choice: the kernel takes them in their order, but
//! promises nothing, and with a choice two waits commute.
//!
//! A call that wakes or moves several, but not all, is as many events. Others may come
//! in between: a thread that began to wait late may be woken early, as it may be by any
//! wake-up in the kernel.

use crate::{dependence::Object, exchange::Swap, trace::Trace};
use alloc::vec::Vec;
use hashbrown::HashMap;
use leno_model::{Op, Outcome, ThreadId};
use serde::{Deserialize, Serialize};

/// A thread's last wait.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Waiting {
    /// Where it waits, or was woken; none if it has not waited or gone on since.
    futex: Option<u64>,
    bits: u32,
    woken: bool,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Futexes {
    /// Who waits, in the order of thread numbers.
    queues: HashMap<u64, Vec<ThreadId>>,
    waiting: Vec<Waiting>,
}

impl Futexes {
    /// Forgets everything but the memory it took.
    pub fn clear(&mut self) {
        let Self { queues, waiting } = self;
        queues.clear();
        waiting.clear();
    }

    /// How many things are known.
    pub fn size(&self) -> usize {
        self.queues.len() + self.waiting.len()
    }

    pub fn wait(&mut self, futex: u64, bits: u32, thread: ThreadId) {
        self.enter(futex, thread);
        if self.waiting.len() <= thread.index() {
            self.waiting.resize(thread.index() + 1, Waiting::default());
        }
        self.waiting[thread.index()] = Waiting { futex: Some(futex), bits, woken: false };
    }

    pub fn is_woken(&self, thread: ThreadId) -> bool {
        self.waiting.get(thread.index()).is_some_and(|waiting| waiting.woken)
    }

    /// Where the thread waits, or was woken.
    pub fn place(&self, thread: ThreadId) -> Option<u64> {
        self.waiting.get(thread.index()).and_then(|waiting| waiting.futex)
    }

    pub fn resume(&mut self, thread: ThreadId) {
        if let Some(waiting) = self.waiting.get_mut(thread.index()) {
            *waiting = Waiting::default();
        }
    }

    /// Says whether the thread was still waiting.
    pub fn leave(&mut self, thread: ThreadId) -> bool {
        let waits = !self.is_woken(thread);
        if let Some(queue) = self.place(thread).and_then(|futex| self.queues.get_mut(&futex)) {
            queue.retain(|waiter| *waiter != thread);
        }
        self.resume(thread);
        waits
    }

    /// How many ways there are to wake one.
    pub fn choices(&self, futex: u64, bits: u32) -> u32 {
        self.candidates(futex, bits).count().max(1) as u32
    }

    pub fn wake(&mut self, futex: u64, bits: u32, choice: u32) -> Option<ThreadId> {
        let woken = self.candidates(futex, bits).nth(choice as usize)?;
        self.queues.get_mut(&futex)?.retain(|waiter| *waiter != woken);
        self.waiting[woken.index()].woken = true;
        Some(woken)
    }

    /// Says how many were woken.
    pub fn wake_all(&mut self, futex: u64, bits: u32) -> u32 {
        let mut count = 0;
        while self.wake(futex, bits, 0).is_some() {
            count += 1;
        }
        count
    }

    pub fn requeue(&mut self, from: u64, to: u64, choice: u32) -> Option<ThreadId> {
        let moved = self.candidates(from, u32::MAX).nth(choice as usize)?;
        self.queues.get_mut(&from)?.retain(|waiter| *waiter != moved);
        self.enter(to, moved);
        self.waiting[moved.index()].futex = Some(to);
        Some(moved)
    }

    /// Says how many were moved.
    pub fn requeue_all(&mut self, from: u64, to: u64) -> u32 {
        let count = self.candidates(from, u32::MAX).count() as u32;
        for _ in 0..count {
            self.requeue(from, to, 0);
        }
        count
    }

    /// A futex that is in another state when threads have changed places.
    pub fn told_apart(&self, swap: &Swap<'_>) -> Option<u64> {
        let to = |addr: &u64| (swap.address)(*addr);
        let queue = |(addr, queue): (&u64, &Vec<ThreadId>)| {
            let there = self.queues.get(&to(addr)).map_or(&[][..], |queue| queue);
            (there != swap.all(queue)).then_some(*addr)
        };
        let waiting = |number: u32| {
            let of = |thread: ThreadId| self.waiting.get(thread.index()).copied();
            let (now, then) = (of(ThreadId(number)), of(swap.thread(ThreadId(number))));
            let (now, then) = (now.unwrap_or_default(), then.unwrap_or_default());
            let same = now.futex.as_ref().map(to) == then.futex
                && (now.bits, now.woken) == (then.bits, then.woken);
            (!same).then_some(now.futex.or(then.futex).unwrap_or(0))
        };
        let queues = self.queues.iter().find_map(queue);
        queues.or_else(|| (0..self.waiting.len() as u32).find_map(waiting))
    }

    fn enter(&mut self, futex: u64, thread: ThreadId) {
        let queue = self.queues.entry(futex).or_default();
        if let Err(place) = queue.binary_search(&thread) {
            queue.insert(place, thread);
        }
    }

    /// Whom a wake-up may wake.
    pub fn candidates(&self, futex: u64, bits: u32) -> impl Iterator<Item = ThreadId> + '_ {
        let queue = self.queues.get(&futex).map_or(&[][..], |queue| queue);
        queue.iter().copied().filter(move |waiter| self.waiting[waiter.index()].bits & bits != 0)
    }
}

/// The event that woke the thread from its last wait, before an event.
pub fn waker(trace: &Trace, thread: ThreadId, before: u32) -> Option<u32> {
    let of_thread = trace.events_of(thread);
    let past = &of_thread[..of_thread.partition_point(|event| *event < before)];
    let wait = past.iter().rev().map(|event| (*event, trace.event(*event).op));
    let (mut since, mut place, own) = wait
        .filter_map(|(event, op)| match op {
            Op::FutexWait { futex, bits } => Some((event, futex, bits)),
            _ => None,
        })
        .next()?;
    loop {
        let history = trace.history(Object::Futex(place), before);
        let mut later: Vec<u32> = history.take_while(|event| *event > since).collect();
        later.reverse();
        let mut moved = None;
        for at in later {
            let event = trace.event(at);
            let chosen = event.outcome == Outcome::Woken(Some(thread));
            match event.op {
                Op::FutexWake { .. } if chosen => return Some(at),
                Op::FutexWakeAll { bits, .. } if bits & own != 0 => return Some(at),
                Op::FutexRequeue { from, to, all } if (all || chosen) && from == place => {
                    moved = Some((at, to));
                    break;
                }
                _ => {}
            }
        }
        (since, place) = moved?;
    }
}
