//! What is wrong with an operation on a synchronisation object.
//!
//! The state machine (`sync`) goes on after a misuse as glibc would. Here it is
//! said what the misuse is, and which other thread has a part in it. The answer is
//! a matter of the objects' state before the operation alone. All operations that
//! can change it are dependent on the one in question, so that every order of them
//! is tried; there is one exception, harmless because it comes out the same either
//! way: of two waits with different mutexes, the second is to blame.

use crate::sync::SyncState;
use leno_model::{MutexKind, Op, ThreadId};

/// The largest value of a semaphore.
pub const MOST: u32 = i32::MAX as u32;
/// Up to here nobody comes close to that. Further up, posts take room from each other.
pub const ROOMY: u32 = MOST - (1 << 16);
/// What one has that was destroyed: nobody waits for it, and every post is refused.
pub const ENDLESS: u32 = MOST + 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misuse {
    /// An unlock, or a wait, by a thread that does not hold the lock.
    NotHeld { holder: Option<ThreadId> },
    /// The object has been destroyed.
    Destroyed,
    /// Destroyed, or initialised, while somebody holds it.
    Held { holder: ThreadId },
    /// Destroyed, or initialised, while somebody waits for it; for a mutex: while a
    /// wait is going to end by locking it.
    WaitedFor { waiter: ThreadId },
    /// A wait with another mutex than the one `waiter` waits with.
    OtherMutex { waiter: ThreadId },
    /// A lock of an error-checking mutex that the thread holds.
    Relocked,
    /// A post of a semaphore that has the largest value.
    Full,
    /// A wait at a barrier that was never initialised.
    Uninitialised,
}

/// The misuse, and whether the function refuses it with an error: then it is up to
/// the program what to make of it.
pub type Verdict = (Misuse, bool);

impl SyncState {
    /// What is wrong with an operation that is about to happen. `kind` is the kind of
    /// its mutex, if that was never locked before.
    pub fn misuse(&self, thread: ThreadId, op: &Op, kind: MutexKind) -> Option<Verdict> {
        let initialises = matches!(
            op,
            Op::MutexInit { .. }
                | Op::CondInit { .. }
                | Op::RwInit { .. }
                | Op::SemInit { .. }
                | Op::BarrierInit { .. }
        );
        // A barrier's round may be left when the barrier is gone, and who leaves the
        // waiters because of a timeout was waiting when it went.
        let past = matches!(op, Op::BarrierLeave { .. } | Op::Unwait { .. });
        // The condition variable of a wait has played its part before the second half.
        let objects = match *op {
            Op::Rewait { mutex, .. } => [Some(mutex), None],
            _ => op.objects(),
        };
        let destroyed = objects.into_iter().flatten().any(|object| self.is_destroyed(object));
        if destroyed && !initialises && !past {
            return Some((Misuse::Destroyed, false));
        }
        let not_held = |mutex: u64| {
            let known = self.mutex(mutex);
            let holder = known.and_then(|mutex| mutex.owner);
            let refused = known.map_or(kind, |mutex| mutex.kind) != MutexKind::Normal;
            (holder != Some(thread)).then_some((Misuse::NotHeld { holder }, refused))
        };
        let held = |holder: Option<ThreadId>| holder.map(|holder| Misuse::Held { holder });
        let waited_for =
            |waiter: Option<ThreadId>| waiter.map(|waiter| Misuse::WaitedFor { waiter });
        let undefined = |misuse: Option<Misuse>| misuse.map(|misuse| (misuse, false));
        match *op {
            Op::Lock { mutex, .. } => {
                let mutex = self.mutex(mutex).filter(|mutex| mutex.owner == Some(thread))?;
                (mutex.kind == MutexKind::ErrorCheck).then_some((Misuse::Relocked, true))
            }
            Op::Unlock { mutex } => not_held(mutex),
            Op::MutexInit { mutex, .. } | Op::MutexDestroy { mutex } => {
                let holder = self.mutex(mutex).and_then(|mutex| mutex.owner);
                let waits_with = |waits: &u64| *waits == mutex;
                undefined(held(holder).or_else(|| waited_for(self.waiter_with(waits_with))))
            }
            Op::Wait { cond, mutex } => not_held(mutex).or_else(|| {
                let other = |waiter: &ThreadId| self.waits_with(*waiter) != Some(mutex);
                let waiter = self.waiters(cond).iter().copied().find(other)?;
                Some((Misuse::OtherMutex { waiter }, false))
            }),
            Op::CondInit { cond } | Op::CondDestroy { cond } => {
                undefined(waited_for(self.waiters(cond).first().copied()))
            }
            Op::RwUnlock { rwlock } => {
                let lock = self.rwlock(rwlock);
                let holds = lock.is_some_and(|lock| lock.is_held_by(thread));
                let holder = lock.and_then(|lock| lock.writer.or_else(|| lock.readers().min()));
                (!holds).then_some((Misuse::NotHeld { holder }, false))
            }
            Op::RwInit { rwlock } | Op::RwDestroy { rwlock } => {
                let lock = self.rwlock(rwlock);
                undefined(held(lock.and_then(|lock| lock.writer.or_else(|| lock.readers().min()))))
            }
            Op::SemPost { sem } => (self.sem(sem) >= MOST).then_some((Misuse::Full, true)),
            Op::BarrierArrive { barrier } => {
                let known = self.barriers().is_initialised(barrier);
                (!known).then_some((Misuse::Uninitialised, false))
            }
            Op::BarrierInit { barrier, .. } | Op::BarrierDestroy { barrier } => {
                undefined(waited_for(self.barriers().arrived(barrier)))
            }
            _ => None,
        }
    }
}
