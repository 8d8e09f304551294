//! Events: what a thread does that another thread could notice.
//!
//! A thread always stands *at* its next event. While it stands there the event is
//! pending: an [`Op`] and its accesses. When the thread is chosen, the event
//! happens, gets its [`Outcome`] and is appended to the execution; the private
//! code behind it, up to the thread's next event, belongs to it.
//!
//! All types are `Copy` and hold no pointers, so that an execution can be recorded
//! in memory shared with another process.

use crate::{SiteRef, ThreadId, rmw};
use serde::{Deserialize, Serialize};

/// A memory order of C11; relaxed is the weakest that is still atomic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    #[inline]
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    #[inline]
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum AccessKind {
    Read,
    Write,
    /// A read-modify-write that has written (a failed compare-exchange is a `Read`).
    ReadWrite,
    /// One that has put back what it found. It commutes with reads as if it were one, because
    /// no value tells the difference; for C11 it is a write all the same, and races as one.
    Kept,
}

impl AccessKind {
    #[inline]
    pub fn reads(self) -> bool {
        self != AccessKind::Write
    }

    #[inline]
    pub fn writes(self) -> bool {
        matches!(self, AccessKind::Write | AccessKind::ReadWrite)
    }

    /// Whether it modifies in the sense of data races.
    #[inline]
    pub fn modifies(self) -> bool {
        self != AccessKind::Read
    }
}

/// A range of bytes that an event reads or writes.
///
/// `addr` is an address of the program. Inside one check it serves as a name,
/// because the runtime places every object where its name says: globals where the
/// linker put them (no address space randomisation), each thread's stack and heap
/// in a region of its own that depends on its [`ThreadId`] only.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Access {
    pub addr: u64,
    pub len: u64,
    pub kind: AccessKind,
    /// None for a plain access.
    pub atomic: Option<Order>,
}

impl Access {
    #[inline]
    pub fn end(&self) -> u64 {
        self.addr.saturating_add(self.len)
    }

    #[inline]
    pub fn overlaps(&self, other: &Access) -> bool {
        self.addr < other.end() && other.addr < self.end()
    }

    /// Overlapping, and at least one of the two writes.
    #[inline]
    pub fn conflicts(&self, other: &Access) -> bool {
        (self.kind.writes() || other.kind.writes()) && self.overlaps(other)
    }

    /// What makes a data race of the two, if neither happens before the other.
    #[inline]
    pub fn races(&self, other: &Access) -> bool {
        (self.atomic.is_none() || other.atomic.is_none())
            && (self.kind.modifies() || other.kind.modifies())
            && self.overlaps(other)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum MutexKind {
    /// A second lock by the holder blocks for ever.
    Normal,
    Recursive,
    /// A second lock by the holder fails, and so does an unlock by another thread.
    ErrorCheck,
}

/// What an event does, besides its memory accesses. Synchronisation objects are
/// named by their address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Op {
    /// Nothing but the memory accesses: loads, stores, atomics, copies, `free`.
    Access,
    /// The thread waits for a change of what a loop of its has read (see the checker's
    /// `awaits`), before an operation that may have to wait for something else.
    Await,
    Fence(Order),
    /// Starts `child`, which at once runs to its own first event.
    Create {
        child: ThreadId,
    },
    /// Enabled when `thread` has ended.
    Join {
        thread: ThreadId,
    },
    /// The thread's last event.
    End,
    MutexInit {
        mutex: u64,
        kind: MutexKind,
    },
    MutexDestroy {
        mutex: u64,
    },
    /// Enabled when nobody else holds the mutex. `kind` is the kind of a mutex
    /// that was initialised statically.
    Lock {
        mutex: u64,
        kind: MutexKind,
    },
    TryLock {
        mutex: u64,
        kind: MutexKind,
    },
    Unlock {
        mutex: u64,
    },
    CondInit {
        cond: u64,
    },
    CondDestroy {
        cond: u64,
    },
    /// The first half of a wait: releases the mutex and joins the waiters.
    Wait {
        cond: u64,
        mutex: u64,
    },
    /// The second half: enabled when the thread was woken and the mutex is free.
    Rewait {
        cond: u64,
        mutex: u64,
    },
    /// Wakes one waiter, if there is one; which one is a choice, over the waiters
    /// in the order of their thread numbers.
    Signal {
        cond: u64,
    },
    Broadcast {
        cond: u64,
    },
    /// Instead of the second half, where a timed wait has timed out: the thread
    /// leaves the waiters. If it was woken in between it just goes on. The mutex
    /// is locked by a `Lock` behind it.
    Unwait {
        cond: u64,
    },
    RwInit {
        rwlock: u64,
    },
    RwDestroy {
        rwlock: u64,
    },
    /// Enabled when nobody holds the lock for writing. Waiting writers are not
    /// preferred, and a thread may hold it for reading several times.
    ReadLock {
        rwlock: u64,
    },
    /// Enabled when nobody holds the lock, the thread itself included.
    WriteLock {
        rwlock: u64,
    },
    TryReadLock {
        rwlock: u64,
    },
    TryWriteLock {
        rwlock: u64,
    },
    RwUnlock {
        rwlock: u64,
    },
    SemInit {
        sem: u64,
        value: u32,
    },
    SemDestroy {
        sem: u64,
    },
    /// Enabled when the value is above 0, and takes one off.
    SemWait {
        sem: u64,
    },
    SemTryWait {
        sem: u64,
    },
    SemPost {
        sem: u64,
    },
    BarrierInit {
        barrier: u64,
        count: u32,
    },
    BarrierDestroy {
        barrier: u64,
    },
    /// The first half of a wait at a barrier: the thread joins the round.
    BarrierArrive {
        barrier: u64,
    },
    /// The second half: enabled when the thread's round is full. Which thread of
    /// the round is the serial one is a choice of the leave of its lowest thread,
    /// which the others leave behind.
    BarrierLeave {
        barrier: u64,
    },
    /// The value of a semaphore is read.
    SemValue {
        sem: u64,
    },
    /// The first half of a futex wait that found the word as it should be: the thread
    /// joins the waiters, for wake-ups that have a bit in common with `bits`.
    FutexWait {
        futex: u64,
        bits: u32,
    },
    /// Instead of it, and of other calls that compare, where the word is different:
    /// nothing but a read.
    FutexDiffers {
        futex: u64,
    },
    /// The second half: enabled when the thread was woken.
    FutexResume {
        futex: u64,
    },
    /// Instead of the second half, where the wait has timed out: the thread leaves
    /// the waiters. `futex` is where it waits now; it may have been moved.
    FutexLeave {
        futex: u64,
    },
    /// Wakes one waiter, if there is one; which one is a choice, over the waiters in
    /// the order of their thread numbers.
    FutexWake {
        futex: u64,
        bits: u32,
    },
    FutexWakeAll {
        futex: u64,
        bits: u32,
    },
    /// Lets a waiter, chosen as in a wake-up, or all of them wait at another futex.
    FutexRequeue {
        from: u64,
        to: u64,
        all: bool,
    },
    /// A value from `0..alternatives` that the search chooses.
    Choose {
        alternatives: u32,
    },
    /// State inside libc (`rand`, `strtok`, the environment) read and changed.
    Hidden {
        object: u64,
    },
    /// The return of main, or `exit`: enabled when every other thread has ended or
    /// cannot go on.
    Exit,
}

impl Op {
    /// The addresses of the synchronisation objects that the operation is on.
    #[inline]
    pub fn objects(&self) -> [Option<u64>; 2] {
        let mut op = *self;
        op.objects_mut().map(|object| object.map(|object| *object))
    }

    /// The same, to be changed.
    #[inline]
    pub fn objects_mut(&mut self) -> [Option<&mut u64>; 2] {
        match self {
            Op::MutexInit { mutex: object, .. }
            | Op::MutexDestroy { mutex: object }
            | Op::Lock { mutex: object, .. }
            | Op::TryLock { mutex: object, .. }
            | Op::Unlock { mutex: object }
            | Op::CondInit { cond: object }
            | Op::CondDestroy { cond: object }
            | Op::Signal { cond: object }
            | Op::Broadcast { cond: object }
            | Op::Unwait { cond: object }
            | Op::RwInit { rwlock: object }
            | Op::RwDestroy { rwlock: object }
            | Op::ReadLock { rwlock: object }
            | Op::WriteLock { rwlock: object }
            | Op::TryReadLock { rwlock: object }
            | Op::TryWriteLock { rwlock: object }
            | Op::RwUnlock { rwlock: object }
            | Op::SemInit { sem: object, .. }
            | Op::SemDestroy { sem: object }
            | Op::SemWait { sem: object }
            | Op::SemTryWait { sem: object }
            | Op::SemPost { sem: object }
            | Op::SemValue { sem: object }
            | Op::FutexWait { futex: object, .. }
            | Op::FutexDiffers { futex: object }
            | Op::FutexResume { futex: object }
            | Op::FutexLeave { futex: object }
            | Op::FutexWake { futex: object, .. }
            | Op::FutexWakeAll { futex: object, .. }
            | Op::BarrierInit { barrier: object, .. }
            | Op::BarrierDestroy { barrier: object }
            | Op::BarrierArrive { barrier: object }
            | Op::BarrierLeave { barrier: object } => [Some(object), None],
            Op::Wait { cond, mutex } | Op::Rewait { cond, mutex } => [Some(cond), Some(mutex)],
            Op::FutexRequeue { from, to, .. } => [Some(from), Some(to)],
            Op::Access
            | Op::Await
            | Op::Fence(_)
            | Op::Create { .. }
            | Op::Join { .. }
            | Op::End
            | Op::Choose { .. }
            | Op::Hidden { .. }
            | Op::Exit => [None, None],
        }
    }
}

/// How an event came out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// As the operation says, with nothing left open.
    Done,
    /// Of `Lock` (a relock of an error-checking mutex is refused), of `ReadLock` and
    /// `WriteLock` (always true) and of the operations that only try.
    Acquired(bool),
    /// Of `Unlock` and `RwUnlock`: whether the thread held the lock. Of a `Wait` that
    /// is refused because it did not: false. Of `SemPost`: whether there was room.
    Released(bool),
    /// Of `RwUnlock`: the thread held the lock for reading.
    ReleasedShared,
    /// Of `SemPost`: there was room, but there is little left.
    ReleasedNearLimit,
    /// Of `Signal` and `FutexWake`, and of a `FutexRequeue` of one: who was woken, or
    /// moved.
    Woken(Option<ThreadId>),
    /// Of `FutexWakeAll` and of a `FutexRequeue` of all: how many they were. Of
    /// `SemValue`: the value.
    Count(u32),
    /// Of `Unwait` and `FutexLeave`: whether the thread was still waiting.
    Left(bool),
    /// Of `Choose`.
    Chosen(u32),
    /// Of `BarrierArrive`: the how-manieth round at this address the thread is in,
    /// and whether it is the last to come.
    Arrived { round: u32, full: bool },
    /// Of `BarrierLeave`: whether the thread is the serial one of its round.
    Serial(bool),
}

/// How an event's accesses depend on what it finds in memory.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Varies {
    /// They are what they are.
    #[default]
    Never,
    /// It writes if it finds this value (see [`noted`]), and else only reads: a
    /// compare-exchange.
    WritesIf(u64),
    /// It stores what the operation (see [`crate::rmw`]) makes of so many bytes, and only
    /// reads if that is what is there: an exchange for the same value, bits that are set.
    Updates { operation: u8, size: u8, operand: u64 },
    /// It has one access, and whether that writes turns out when it is made.
    Perhaps,
    /// Which they are turns out when they are made: an atomic section, a string whose
    /// end is looked for. The number tells calls at one site apart by their arguments;
    /// 0: by the first access, which does not depend on anything that is found.
    Somehow(u64),
}

impl Varies {
    /// Whether an event that varies like this writes where it finds that value, if it is
    /// known.
    pub fn writes(self, found: u64) -> Option<bool> {
        match self {
            Varies::WritesIf(value) => Some(found == value),
            Varies::Updates { operation, size, operand } => {
                let (old, operand) = (u128::from(found), u128::from(operand));
                Some(rmw::apply(operation.into(), size.into(), old, operand) != old)
            }
            Varies::Never | Varies::Perhaps | Varies::Somehow(_) => None,
        }
    }
}

/// A value of so many bytes as events hold it: itself, or a digest of it if it has more than
/// eight.
#[inline]
pub fn noted(value: u128, size: u64) -> u64 {
    let (low, high) = (value as u64, (value >> 64) as u64);
    if size <= 8 {
        return low;
    }
    let product = u128::from(low ^ 0x9e37_79b9_7f4a_7c15) * u128::from(high | 1);
    let folded = product as u64 ^ (product >> 64) as u64;
    let product = u128::from(folded ^ high) * 0xd6e8_feb8_6659_fd93_u128;
    product as u64 ^ (product >> 64) as u64 ^ low.rotate_left(32)
}

/// One event of an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Event {
    pub thread: ThreadId,
    /// The thread's how-manieth hook this is, the private ones included.
    pub ordinal: u32,
    pub site: SiteRef,
    pub op: Op,
    pub outcome: Outcome,
    /// Which of `choices` alternatives was taken, from 0.
    pub choice: u32,
    /// How many alternatives there were; 1 where there is nothing to choose.
    pub choices: u32,
    /// This event's accesses are `accesses[first_access..][..access_count]` of the
    /// execution.
    pub first_access: u32,
    pub access_count: u32,
    /// Whether what it does to memory depends on what it finds there.
    pub varies: Varies,
    /// What it found where its first access goes, if that is atomic (see [`noted`]).
    pub found: Option<u64>,
}
