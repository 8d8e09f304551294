//! What the synchronisation objects, creation, join and exit mean: one state
//! machine, used by the runtime (through the director), by the searches and by
//! the simulator of the tests.
//!
//! A semaphore is a number; one that was never initialised is 0. Read-write locks
//! and barriers have files of their own.
//!
//! Where POSIX leaves a misuse undefined the machine does what glibc does, since
//! that is what the program would meet: an unlock of a normal mutex releases it
//! whoever holds it. `misuse` says what is wrong with it. A destroyed semaphore is
//! one that nobody waits for in vain, so that who waits for it is seen to.

pub use crate::rwlock::RwLock;
use crate::{
    ThreadSet,
    barrier::Barriers,
    exchange::Swap,
    futex::Futexes,
    misuse::{ENDLESS, MOST, ROOMY},
};
use alloc::vec::Vec;
use core::ops::Range;
use hashbrown::{HashMap, HashSet};
use leno_model::{MutexKind, Op, Outcome, ThreadId};
use serde::{Deserialize, Serialize};

/// One mutex. It is `Copy` so that the trace can keep the state after each event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mutex {
    pub owner: Option<ThreadId>,
    /// How often the owner holds it.
    pub depth: u32,
    pub kind: MutexKind,
}

impl Mutex {
    pub fn new(kind: MutexKind) -> Self {
        Self { owner: None, depth: 0, kind }
    }

    /// Whether a `Lock` by this thread comes to an end (perhaps to be refused).
    pub fn lockable(&self, thread: ThreadId) -> bool {
        match self.owner {
            None => true,
            Some(owner) => owner == thread && self.kind != MutexKind::Normal,
        }
    }

    /// A `Lock` that is enabled, or a `TryLock`; says whether it was acquired. One that is free
    /// is what it is locked as: where it lies there may have been one of another kind before,
    /// and not every mutex is initialised by a call.
    pub fn lock(&mut self, thread: ThreadId, kind: MutexKind) -> bool {
        match self.owner {
            None => {
                self.kind = kind;
                self.acquire(thread);
            }
            Some(owner) if owner == thread && self.kind == MutexKind::Recursive => self.depth += 1,
            Some(_) => return false,
        }
        true
    }

    /// Says whether the thread held it.
    pub fn unlock(&mut self, thread: ThreadId) -> bool {
        if self.owner == Some(thread) {
            self.depth -= 1;
            if self.depth == 0 {
                self.owner = None;
            }
            return true;
        }
        if self.kind == MutexKind::Normal {
            *self = Self::new(self.kind);
        }
        false
    }

    /// The end of a wait, which gave a recursive mutex up no more than once.
    pub fn lock_again(&mut self, thread: ThreadId) {
        if self.owner == Some(thread) {
            self.depth += 1;
        } else {
            self.acquire(thread);
        }
    }

    pub fn acquire(&mut self, thread: ThreadId) {
        self.owner = Some(thread);
        self.depth = 1;
    }
}

/// A thread between the two halves of a wait.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Waiting {
    woken: bool,
    /// What is waited for and the mutex to be locked when the wait ends; none if the thread
    /// does not wait.
    cond: Option<u64>,
    mutex: Option<u64>,
    /// The condition variable has been destroyed since.
    let_go: bool,
}

/// All synchronisation objects of a program.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct SyncState {
    mutexes: HashMap<u64, Mutex>,
    /// Who can be woken, in the order of thread numbers: the order of the waits
    /// must not matter, so that two waits commute.
    conds: HashMap<u64, Vec<ThreadId>>,
    waiting: Vec<Waiting>,
    rwlocks: HashMap<u64, RwLock>,
    sems: HashMap<u64, u32>,
    barriers: Barriers,
    futexes: Futexes,
    /// Objects that were destroyed and not initialised since.
    destroyed: HashSet<u64>,
    ended: ThreadSet,
    exiting: Option<ThreadId>,
}

impl SyncState {
    /// Forgets everything but the memory it took.
    pub fn clear(&mut self) {
        let Self {
            mutexes,
            conds,
            waiting,
            rwlocks,
            sems,
            barriers,
            futexes,
            ended,
            exiting,
            destroyed,
        } = self;
        mutexes.clear();
        conds.clear();
        waiting.clear();
        rwlocks.clear();
        sems.clear();
        barriers.clear();
        futexes.clear();
        destroyed.clear();
        ended.clear();
        *exiting = None;
    }

    /// How many things are known.
    pub fn size(&self) -> usize {
        let objects = self.mutexes.len() + self.conds.len() + self.rwlocks.len() + self.sems.len();
        let others = self.barriers.size() + self.futexes.size() + self.destroyed.len();
        objects + others + self.waiting.len()
    }

    /// Forgets what can play no part any more.
    pub fn compact(&mut self) {
        self.barriers.compact();
    }

    #[inline]
    pub fn mutex(&self, mutex: u64) -> Option<&Mutex> {
        self.mutexes.get(&mutex)
    }

    pub fn rwlock(&self, rwlock: u64) -> Option<&RwLock> {
        self.rwlocks.get(&rwlock)
    }

    /// The value of a semaphore.
    #[inline]
    pub fn sem(&self, sem: u64) -> u32 {
        self.sems.get(&sem).copied().unwrap_or(0)
    }

    pub fn is_destroyed(&self, object: u64) -> bool {
        self.destroyed.contains(&object)
    }

    /// The memory of a destroyed object is seen to have been made anew, without a call.
    pub fn renew(&mut self, object: u64) {
        self.destroyed.remove(&object);
    }

    /// Who waits for a condition variable.
    pub fn waiters(&self, cond: u64) -> &[ThreadId] {
        self.conds.get(&cond).map_or(&[], Vec::as_slice)
    }

    /// Whether the condition variable or the barrier that a thread is about to leave was
    /// destroyed since it came.
    pub fn is_let_go(&self, thread: ThreadId, op: &Op) -> bool {
        match op {
            Op::BarrierLeave { .. } => self.barriers.is_let_go(thread),
            _ => self.waiting.get(thread.index()).is_some_and(|waiting| waiting.let_go),
        }
    }

    /// The mutex that a thread in a wait is going to lock.
    pub fn waits_with(&self, thread: ThreadId) -> Option<u64> {
        self.waiting.get(thread.index())?.mutex
    }

    /// The first thread in a wait whose mutex this is.
    pub fn waiter_with(&self, wanted: impl Fn(&u64) -> bool) -> Option<ThreadId> {
        let waits = |waiting: &Waiting| waiting.mutex.as_ref().is_some_and(&wanted);
        self.waiting.iter().position(waits).map(|place| ThreadId(place as u32))
    }

    pub fn barriers(&self) -> &Barriers {
        &self.barriers
    }

    #[inline]
    pub fn has_ended(&self, thread: ThreadId) -> bool {
        self.ended.contains(thread)
    }

    /// The thread whose `Exit` has happened.
    pub fn exiting(&self) -> Option<ThreadId> {
        self.exiting
    }

    /// Whether the synchronisation objects let this happen. `Exit` has one more
    /// condition, on what the other threads stand at: see [`exit_is_due`].
    #[inline]
    pub fn enabled(&self, thread: ThreadId, op: &Op) -> bool {
        // Once somebody exits, nobody else goes on: the exit waited for the others
        // to end or to block, and its handlers are the last of the process.
        if self.exiting.is_some_and(|exiting| exiting != thread) {
            return false;
        }
        match op {
            Op::Lock { mutex, .. } => self.mutexes.get(mutex).is_none_or(|m| m.lockable(thread)),
            Op::Rewait { mutex, .. } => {
                self.waiting.get(thread.index()).is_some_and(|waiting| waiting.woken)
                    && self.mutexes.get(mutex).is_none_or(|m| m.lockable(thread))
            }
            Op::ReadLock { rwlock } => self.rwlocks.get(rwlock).is_none_or(|l| l.readable()),
            Op::WriteLock { rwlock } => self.rwlocks.get(rwlock).is_none_or(|l| l.writable()),
            Op::SemWait { sem } => self.sem(*sem) > 0,
            Op::BarrierLeave { .. } => self.barriers.can_leave(thread),
            Op::FutexResume { .. } => self.futexes.is_woken(thread),
            Op::Join { thread } => self.ended.contains(*thread),
            _ => true,
        }
    }

    /// How many ways there are for this to happen now.
    #[inline]
    pub fn choices(&self, thread: ThreadId, op: &Op) -> u32 {
        match op {
            Op::Signal { cond } => {
                self.conds.get(cond).map_or(1, |waiters| waiters.len().max(1) as u32)
            }
            Op::BarrierLeave { .. } => self.barriers.choices(thread),
            Op::FutexWake { futex, bits } => self.futexes.choices(*futex, *bits),
            Op::FutexRequeue { from, all: false, .. } => self.futexes.choices(*from, u32::MAX),
            Op::Choose { alternatives } => (*alternatives).max(1),
            _ => 1,
        }
    }

    /// The threads that the first choices of an operation are about, up to this one; none if
    /// its choices are about no threads.
    pub fn chosen(&self, thread: ThreadId, op: &Op, choice: u32) -> Vec<ThreadId> {
        let upto = choice as usize + 1;
        match op {
            Op::Signal { cond } => self.waiters(*cond).iter().take(upto).copied().collect(),
            Op::BarrierLeave { .. } => self.barriers.candidates(thread).take(upto).collect(),
            Op::FutexWake { futex, bits } => {
                self.futexes.candidates(*futex, *bits).take(upto).collect()
            }
            Op::FutexRequeue { from, all: false, .. } => {
                self.futexes.candidates(*from, u32::MAX).take(upto).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether two threads that are about to leave a barrier play the same part there.
    pub fn leave_alike(&self, a: ThreadId, b: ThreadId) -> bool {
        self.barriers.are_alike(a, b)
    }

    /// What an operation turns out to be when its turn has come: a thread leaves the
    /// futex that it waits at now.
    #[inline]
    pub fn settle(&self, thread: ThreadId, op: &mut Op) {
        if let Op::FutexLeave { futex } = op {
            *futex = self.futexes.place(thread).unwrap_or(*futex);
        }
    }

    /// Lets an enabled operation happen.
    pub fn apply(&mut self, thread: ThreadId, op: &Op, choice: u32) -> Outcome {
        match *op {
            Op::Lock { mutex, kind } | Op::TryLock { mutex, kind } => {
                let mutex = self.mutexes.entry(mutex).or_insert_with(|| Mutex::new(kind));
                return Outcome::Acquired(mutex.lock(thread, kind));
            }
            Op::Unlock { mutex } => {
                let held = self.mutexes.get_mut(&mutex).is_some_and(|m| m.unlock(thread));
                return Outcome::Released(held);
            }
            Op::MutexInit { mutex, kind } => {
                self.mutexes.insert(mutex, Mutex::new(kind));
                self.destroyed.remove(&mutex);
            }
            Op::MutexDestroy { mutex } => {
                self.mutexes.remove(&mutex);
                self.destroyed.insert(mutex);
            }
            Op::Wait { cond, mutex } => {
                if let Some(known) = self.mutexes.get_mut(&mutex) {
                    if known.owner != Some(thread) && known.kind != MutexKind::Normal {
                        return Outcome::Released(false);
                    }
                    known.unlock(thread);
                }
                let waiters = self.conds.entry(cond).or_default();
                if let Err(place) = waiters.binary_search(&thread) {
                    waiters.insert(place, thread);
                }
                *self.waiting_mut(thread) =
                    Waiting { cond: Some(cond), mutex: Some(mutex), ..Waiting::default() };
            }
            Op::Rewait { mutex, .. } => {
                *self.waiting_mut(thread) = Waiting::default();
                let mutex =
                    self.mutexes.entry(mutex).or_insert_with(|| Mutex::new(MutexKind::Normal));
                mutex.lock_again(thread);
            }
            Op::Signal { cond } => {
                let waiters = self.conds.get_mut(&cond).filter(|waiters| !waiters.is_empty());
                let woken = waiters.map(|waiters| waiters.remove(choice as usize));
                if let Some(woken) = woken {
                    self.waiting_mut(woken).woken = true;
                }
                return Outcome::Woken(woken);
            }
            Op::Broadcast { cond } => {
                let waiters = self.conds.get_mut(&cond).map(core::mem::take).unwrap_or_default();
                for woken in &waiters {
                    self.waiting_mut(*woken).woken = true;
                }
            }
            Op::CondInit { cond } => {
                self.conds.remove(&cond);
                self.destroyed.remove(&cond);
            }
            Op::CondDestroy { cond } => {
                self.conds.remove(&cond);
                self.destroyed.insert(cond);
                let leaving = |waiting: &&mut Waiting| waiting.cond == Some(cond);
                self.waiting.iter_mut().filter(leaving).for_each(|w| w.let_go = true);
            }
            Op::Unwait { cond } => {
                if let Some(waiters) = self.conds.get_mut(&cond) {
                    waiters.retain(|waiter| *waiter != thread);
                }
                let waiting = core::mem::take(self.waiting_mut(thread));
                return Outcome::Left(!waiting.woken);
            }
            Op::RwInit { rwlock } => {
                self.rwlocks.remove(&rwlock);
                self.destroyed.remove(&rwlock);
            }
            Op::RwDestroy { rwlock } => {
                self.rwlocks.remove(&rwlock);
                self.destroyed.insert(rwlock);
            }
            Op::ReadLock { rwlock } | Op::TryReadLock { rwlock } => {
                return Outcome::Acquired(self.rwlocks.entry(rwlock).or_default().read(thread));
            }
            Op::WriteLock { rwlock } | Op::TryWriteLock { rwlock } => {
                return Outcome::Acquired(self.rwlocks.entry(rwlock).or_default().write(thread));
            }
            Op::RwUnlock { rwlock } => {
                return self.rwlocks.entry(rwlock).or_default().unlock(thread);
            }
            Op::SemInit { sem, .. } => {
                self.sems.insert(sem, sem_after(0, op));
                self.destroyed.remove(&sem);
            }
            Op::SemDestroy { sem } => {
                self.sems.insert(sem, sem_after(0, op));
                self.destroyed.insert(sem);
            }
            Op::SemWait { sem } | Op::SemTryWait { sem } => {
                let value = self.sems.entry(sem).or_default();
                let acquired = *value > 0;
                *value = sem_after(*value, op);
                return Outcome::Acquired(acquired);
            }
            Op::SemPost { sem } => {
                let value = self.sems.entry(sem).or_default();
                let fits = *value < MOST;
                *value = sem_after(*value, op);
                return match *value {
                    ..=ROOMY => Outcome::Released(true),
                    _ if fits => Outcome::ReleasedNearLimit,
                    _ => Outcome::Released(false),
                };
            }
            Op::BarrierInit { barrier, count } => {
                self.barriers.reset(barrier, Some(count.max(1)));
                self.destroyed.remove(&barrier);
            }
            Op::BarrierDestroy { barrier } => {
                self.barriers.reset(barrier, None);
                self.destroyed.insert(barrier);
            }
            Op::SemValue { sem } => return Outcome::Count(self.sem(sem).min(MOST)),
            Op::FutexWait { futex, bits } => self.futexes.wait(futex, bits, thread),
            Op::FutexResume { .. } => self.futexes.resume(thread),
            Op::FutexLeave { .. } => return Outcome::Left(self.futexes.leave(thread)),
            Op::FutexWake { futex, bits } => {
                return Outcome::Woken(self.futexes.wake(futex, bits, choice));
            }
            Op::FutexWakeAll { futex, bits } => {
                return Outcome::Count(self.futexes.wake_all(futex, bits));
            }
            Op::FutexRequeue { from, to, all: false } => {
                return Outcome::Woken(self.futexes.requeue(from, to, choice));
            }
            Op::FutexRequeue { from, to, all: true } => {
                return Outcome::Count(self.futexes.requeue_all(from, to));
            }
            Op::BarrierArrive { barrier } => return self.barriers.arrive(barrier, thread),
            Op::BarrierLeave { .. } => {
                return Outcome::Serial(self.barriers.leave(thread, choice));
            }
            Op::End => self.ended.insert(thread),
            Op::Exit => self.exiting = Some(thread),
            Op::Choose { .. } => return Outcome::Chosen(choice),
            Op::Access
            | Op::Await
            | Op::Fence(_)
            | Op::Create { .. }
            | Op::Join { .. }
            | Op::FutexDiffers { .. }
            | Op::Hidden { .. } => {}
        }
        Outcome::Done
    }

    /// The operations by which objects that were not destroyed become nothing, in the order of
    /// their places: the memory was freed, and what lies there next is another object. They are
    /// events, for they let whoever waits go on, and the searches go by the events alone. A condition
    /// variable or a barrier is not destroyed by them: whoever leaves it then touches the freed
    /// memory all the same. Not so for a futex: for the kernel it is an address, whatever lies
    /// there.
    pub fn remains(&self, range: &Range<u64>) -> Vec<(u64, Op)> {
        let left = |object: &u64| range.contains(object) && !self.destroyed.contains(object);
        let held = self.mutexes.iter().filter(|(_, mutex)| mutex.owner.is_some());
        let mutexes = held.map(|(mutex, _)| (*mutex, Op::MutexDestroy { mutex: *mutex }));
        let awaited = self.conds.iter().filter(|(_, waiters)| !waiters.is_empty());
        let conds = awaited.map(|(cond, _)| (*cond, Op::CondInit { cond: *cond }));
        let held = self.rwlocks.iter().filter(|(_, lock)| !lock.writable());
        let rwlocks = held.map(|(rwlock, _)| (*rwlock, Op::RwDestroy { rwlock: *rwlock }));
        let posted = self.sems.iter().filter(|(_, value)| **value > 0);
        let sems = posted.map(|(sem, _)| (*sem, Op::SemInit { sem: *sem, value: 0 }));
        let open = self.barriers.open();
        let barriers = open.map(|(barrier, count)| (barrier, Op::BarrierInit { barrier, count }));
        let all = mutexes.chain(conds).chain(rwlocks).chain(sems).chain(barriers);
        let mut remains: Vec<_> = all.filter(|(object, _)| left(object)).collect();
        remains.sort_unstable_by_key(|(object, _)| *object);
        remains
    }

    /// The memory was freed: nobody is blamed for what was destroyed there before.
    pub fn forget(&mut self, range: &Range<u64>) {
        self.destroyed.retain(|addr| !range.contains(addr));
    }

    /// A synchronisation object that is in another state when two threads, and objects with
    /// them, have changed places; the threads if it is what they wait for.
    pub fn told_apart(&self, swap: &Swap<'_>) -> Option<u64> {
        let to = |addr: &u64| (swap.address)(*addr);
        let mutex = |(addr, mutex): (&u64, &Mutex)| {
            let owner = mutex.owner.map(|owner| swap.thread(owner));
            let there = self.mutexes.get(&to(addr));
            let same = there.map_or(owner.is_none(), |m| *m == Mutex { owner, ..*mutex });
            (!same).then_some(*addr)
        };
        let cond = |(addr, waiters): (&u64, &Vec<ThreadId>)| {
            (self.waiters(to(addr)) != swap.all(waiters)).then_some(*addr)
        };
        let waiting = |number: u32| {
            let of = |thread: ThreadId| self.waiting.get(thread.index()).copied();
            let (now, then) = (of(ThreadId(number)), of(swap.thread(ThreadId(number))));
            let (now, then) = (now.unwrap_or_default(), then.unwrap_or_default());
            let same = (now.woken, now.let_go) == (then.woken, then.let_go)
                && now.mutex.as_ref().map(to) == then.mutex
                && now.cond.as_ref().map(to) == then.cond;
            (!same).then_some(now.mutex.or(then.mutex).unwrap_or(0))
        };
        let rwlock = |(addr, lock): (&u64, &RwLock)| {
            let there = self.rwlocks.get(&to(addr)).cloned().unwrap_or_default();
            (!there.is_after(lock, swap)).then_some(*addr)
        };
        let sem = |(addr, value): (&u64, &u32)| (self.sem(to(addr)) != *value).then_some(*addr);
        let destroyed = |addr: &u64| (!self.destroyed.contains(&to(addr))).then_some(*addr);
        // Once somebody exits, only he goes on.
        let exits = |thread: &ThreadId| swap.thread(*thread) != *thread;
        let mutexes = self.mutexes.iter().find_map(mutex);
        mutexes
            .or_else(|| self.conds.iter().find_map(cond))
            .or_else(|| (0..self.waiting.len() as u32).find_map(waiting))
            .or_else(|| self.rwlocks.iter().find_map(rwlock))
            .or_else(|| self.sems.iter().find_map(sem))
            .or_else(|| self.destroyed.iter().find_map(destroyed))
            .or_else(|| self.barriers.told_apart(swap))
            .or_else(|| self.futexes.told_apart(swap))
            .or_else(|| self.exiting.filter(exits).map(|_| 0))
    }

    fn waiting_mut(&mut self, thread: ThreadId) -> &mut Waiting {
        if self.waiting.len() <= thread.index() {
            self.waiting.resize(thread.index() + 1, Waiting::default());
        }
        &mut self.waiting[thread.index()]
    }
}

/// The value of a semaphore after an operation on it.
pub fn sem_after(value: u32, op: &Op) -> u32 {
    match *op {
        Op::SemInit { value, .. } => value,
        Op::SemDestroy { .. } => ENDLESS,
        _ if value == ENDLESS => value,
        Op::SemPost { .. } => value.saturating_add(1).min(MOST),
        Op::SemWait { .. } | Op::SemTryWait { .. } => value.saturating_sub(1),
        _ => value,
    }
}

/// `Exit` is enabled when nobody can go on who is not at an `Exit` too.
pub fn exit_is_due<'a>(enabled: impl IntoIterator<Item = &'a Op>) -> bool {
    enabled.into_iter().all(|op| matches!(op, Op::Exit))
}
