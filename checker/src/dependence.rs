//! When two events of different threads do not commute.
//!
//! Two events are *independent* if, in every state in which both are enabled, each
//! leaves the other enabled and both orders lead to the same state with the same
//! outcomes. Everything else is dependent. Reduction is sound for every relation
//! that is at least as large as this one, so where exactness would need more than
//! the two events themselves the rule is coarse, and says so.
//!
//! A second, smaller relation is what *enables* an event: creation and the child's
//! first event, end and join, wake-up and the second half of a wait, the write
//! that an await waits for. These pairs are never enabled together, so they are no
//! matter of commuting; the trace happens-before (`happens`) adds their edges.
//!
//! All rules but that for memory come from one table, [`touches`]: an event
//! touches at most two objects, each with a [`Touch`].

use leno_model::{Access, AccessKind, Event, Op, Outcome};
use serde::{Deserialize, Serialize};

/// Something other than memory that events have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Object {
    Mutex(u64),
    Cond(u64),
    RwLock(u64),
    /// Whether those who hold a read-write lock still do when they unlock it: only
    /// its initialisation and destruction take it away from them.
    Holding(u64),
    Sem(u64),
    Barrier(u64),
    /// Who waits at a futex. Its word is memory.
    Futex(u64),
    Hidden(u64),
}

impl Object {
    /// The address, if an attempt at the object can fail and be repeated.
    pub fn triable(self) -> Option<u64> {
        match self {
            Object::Mutex(addr)
            | Object::RwLock(addr)
            | Object::Sem(addr)
            | Object::Futex(addr) => Some(addr),
            _ => None,
        }
    }
}

/// What an event does to an object. Two touches of the same object commute if
/// both look or both are quiet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Touch {
    /// Depends on the object's state and commutes with others that do.
    Looks,
    /// Commutes with its like only: a signal that finds nobody waiting, what a
    /// reader does to a read-write lock, a post. Two arrivals at a barrier are so
    /// only in the same round: see [`same_round`].
    Quiet,
    Changes,
}

impl Touch {
    pub fn conflicts(self, other: Touch) -> bool {
        self != other || self == Touch::Changes
    }
}

/// The objects that an event touches. `outcome` is how it came out.
pub fn touches(op: &Op, outcome: Outcome) -> [Option<(Object, Touch)>; 2] {
    use Touch::{Changes, Looks, Quiet};
    match *op {
        // An attempt that was refused has only seen that the mutex is held. Two of
        // them commute; with whatever takes or frees the mutex they do not.
        Op::Lock { mutex, .. } | Op::TryLock { mutex, .. } => {
            let touch = if outcome == Outcome::Acquired(false) { Looks } else { Changes };
            [Some((Object::Mutex(mutex), touch)), None]
        }
        // Coarse: an unlock that is refused, and the inner locks and unlocks of a
        // recursive mutex, change nothing that others can see.
        Op::Unlock { mutex } | Op::MutexInit { mutex, .. } | Op::MutexDestroy { mutex } => {
            [Some((Object::Mutex(mutex), Changes)), None]
        }
        // The waiters are a set, so two waits commute as far as the condition
        // variable goes. With everything that reads the set they do not.
        Op::Wait { cond, mutex } => {
            [Some((Object::Mutex(mutex), Changes)), Some((Object::Cond(cond), Looks))]
        }
        // A thread that has been woken has left the set: nothing that is done to
        // the condition variable concerns it any more, only the mutex does.
        Op::Rewait { mutex, .. } => [Some((Object::Mutex(mutex), Changes)), None],
        // Whom a signal may wake is its set of choices, and that is what others
        // change. Two signals to nobody change nothing.
        Op::Signal { cond } => {
            let touch = if outcome == Outcome::Woken(None) { Quiet } else { Changes };
            [Some((Object::Cond(cond), touch)), None]
        }
        // Coarse: a broadcast to nobody is no different from a signal to nobody,
        // but its outcome does not say so.
        Op::Broadcast { cond } | Op::CondInit { cond } | Op::CondDestroy { cond } => {
            [Some((Object::Cond(cond), Changes)), None]
        }
        // To leave the waiters commutes with joining and leaving by others.
        Op::Unwait { cond } => [Some((Object::Cond(cond), Looks)), None],
        // Readers do not notice each other, and what they do commutes, their unlocks
        // included. Coarse: an attempt that failed commutes with readers that come
        // while others read. An attempt not yet made could come out in any way.
        Op::ReadLock { rwlock } | Op::TryReadLock { rwlock } => {
            let touch = match (op, outcome) {
                (_, Outcome::Acquired(true)) | (Op::ReadLock { .. }, _) => Quiet,
                (_, Outcome::Acquired(false)) => Looks,
                _ => Changes,
            };
            [Some((Object::RwLock(rwlock), touch)), None]
        }
        Op::WriteLock { rwlock } | Op::TryWriteLock { rwlock } => {
            let touch = if outcome == Outcome::Acquired(false) { Looks } else { Changes };
            [Some((Object::RwLock(rwlock), touch)), None]
        }
        // An unlock that is refused changes nothing, and that the thread holds
        // nothing is its own doing, or that of who has made the lock anew.
        Op::RwUnlock { rwlock } => match outcome {
            Outcome::Released(false) => [Some((Object::Holding(rwlock), Looks)), None],
            Outcome::ReleasedShared => [Some((Object::RwLock(rwlock), Quiet)), None],
            _ => [Some((Object::RwLock(rwlock), Changes)), None],
        },
        Op::RwInit { rwlock } | Op::RwDestroy { rwlock } => {
            [Some((Object::RwLock(rwlock), Changes)), Some((Object::Holding(rwlock), Changes))]
        }
        // Two waits compete for the last unit (coarse: if there are more they do
        // not). A post and a wait would commute whenever both are possible, but for
        // C11 a wait comes after all posts before it, so their order must be part
        // of the trace. Posts commute with each other.
        Op::SemWait { sem } | Op::SemTryWait { sem } => {
            let touch = if outcome == Outcome::Acquired(false) { Looks } else { Changes };
            [Some((Object::Sem(sem), touch)), None]
        }
        // But one that is refused, as there are too many, is so because of the others,
        // and those before it were not because they came first.
        Op::SemPost { sem } => {
            let roomy = !matches!(outcome, Outcome::Released(false) | Outcome::ReleasedNearLimit);
            let touch = if roomy { Quiet } else { Changes };
            [Some((Object::Sem(sem), touch)), None]
        }
        Op::SemInit { sem, .. } | Op::SemDestroy { sem } => {
            [Some((Object::Sem(sem), Changes)), None]
        }
        Op::BarrierArrive { barrier } => [Some((Object::Barrier(barrier), Quiet)), None],
        Op::BarrierInit { barrier, .. } | Op::BarrierDestroy { barrier } => {
            [Some((Object::Barrier(barrier), Changes)), None]
        }
        Op::SemValue { sem } => [Some((Object::Sem(sem), Looks)), None],
        // As with condition variables: waiters are a set, whom a wake-up may wake is its
        // set of choices, and one that finds nobody changes nothing. That the word is
        // read is an access. Two that leave commute, as do those that come. Who found
        // another value has not come, but would have, had the write to the word been
        // later; and that write commutes with wake-ups. So it counts as if it had: what
        // an event depends on must not become less by events that commute with it.
        Op::FutexWait { futex, .. } | Op::FutexDiffers { futex } | Op::FutexLeave { futex } => {
            [Some((Object::Futex(futex), Looks)), None]
        }
        Op::FutexWake { futex, .. } | Op::FutexWakeAll { futex, .. } => {
            [Some((Object::Futex(futex), touch_of_wake(outcome))), None]
        }
        // Where a thread waits decides what its leaving and its wake-up touch, so that
        // nobody was moved must be as much of an event as that somebody was.
        Op::FutexRequeue { from, to, .. } => {
            [Some((Object::Futex(from), Changes)), Some((Object::Futex(to), Changes))]
        }
        // State inside libc: what a call does to it is not known.
        Op::Hidden { object } => [Some((Object::Hidden(object), Changes)), None],
        // What an await depends on is what it waits for: see `awaits`.
        // Fences order events of their own thread for C11's happens-before, which
        // is not the trace's. A choice is the thread's own. Creation, join and end
        // only enable, and a full round of a barrier is nobody else's business: its
        // leaves come after its arrivals and after that of its lowest thread. Who has
        // been woken from a futex has left it. Exit is special: see `dependent`.
        Op::Access
        | Op::Await
        | Op::Fence(_)
        | Op::Create { .. }
        | Op::Join { .. }
        | Op::End
        | Op::Choose { .. }
        | Op::BarrierLeave { .. }
        | Op::FutexResume { .. }
        | Op::Exit => [None, None],
    }
}

fn touch_of_wake(outcome: Outcome) -> Touch {
    match outcome {
        Outcome::Woken(None) | Outcome::Count(0) => Touch::Quiet,
        _ => Touch::Changes,
    }
}

/// Whether two sets of accesses conflict: common bytes, at least one write.
pub fn accesses_conflict(a: &[Access], b: &[Access]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.conflicts(b)))
}

/// Whether two events do not commute. `a_accesses` and `b_accesses` are theirs.
pub fn dependent(a: &Event, a_accesses: &[Access], b: &Event, b_accesses: &[Access]) -> bool {
    a.thread == b.thread
        // An exit waits for everybody else to stop, so every event can delay it,
        // and after it nobody else goes on.
        || a.op == Op::Exit
        || b.op == Op::Exit
        || enables(a, b)
        || enables(b, a)
        || accesses_conflict(a_accesses, b_accesses)
        || touches_conflict(a, b)
}

/// Life and death of threads: the pairs of which the first makes the second possible.
fn enables(a: &Event, b: &Event) -> bool {
    match (a.op, b.op) {
        (Op::Create { child }, _) if child == b.thread => true,
        (Op::End, Op::Join { thread }) => thread == a.thread,
        _ => false,
    }
}

fn touches_conflict(a: &Event, b: &Event) -> bool {
    let of_b = touches(&b.op, b.outcome);
    touches(&a.op, a.outcome).iter().flatten().any(|(object, touch)| {
        of_b.iter().flatten().any(|(other, others)| {
            object == other && (touch.conflicts(*others) || !same_round(a.outcome, b.outcome))
        })
    })
}

/// Whether two quiet events of one object do commute: false for two arrivals at a
/// barrier that are not in the same round. The later of the two would have been in
/// the other round, had it come first.
pub fn same_round(a: Outcome, b: Outcome) -> bool {
    match (a, b) {
        (Outcome::Arrived { round, .. }, Outcome::Arrived { round: other, .. }) => round == other,
        _ => true,
    }
}

/// Whether a sleeping arrival finds its round full because of this event. The two
/// are in the same round as they came out, each first; not so one after the other.
fn fills_round_of(sleeper: &Event, event: &Event) -> bool {
    matches!(event.outcome, Outcome::Arrived { full: true, .. }) && sleeper.op == event.op
}

/// Whether a sleeping thread's event stays asleep when `event` happens: the two
/// are independent.
pub fn sleeps_on(
    sleeper: &Event,
    sleeper_accesses: &[Access],
    event: &Event,
    accesses: &[Access],
) -> bool {
    !(fills_round_of(sleeper, event) || dependent(sleeper, sleeper_accesses, event, accesses))
}

/// A byte that stands for an object, where no memory is.
pub fn tried(object: u64) -> Access {
    Access { addr: !object, len: 1, kind: AccessKind::Read, atomic: None }
}
