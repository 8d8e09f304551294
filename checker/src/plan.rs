//! What the director is told: the steps of a prefix and who is asleep there.

use crate::Repertoire;
use alloc::vec::Vec;
use leno_model::{Access, Event, MutexKind, Op, Step, ThreadId};
use serde::{Deserialize, Serialize};

/// The prefix of an execution, to be repeated exactly; after it the director goes
/// on by itself.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub steps: Vec<PlannedStep>,
    /// The sleep set of the state in which the *last* step is taken. The director
    /// takes out whom that step wakes: the search cannot, because this step leaves
    /// the known path and how it comes out is not known yet.
    pub sleep: Vec<Sleeper>,
    /// Who goes on as soon as it can, until it has: the first in the list first.
    pub prefer: Vec<ThreadId>,
    /// Whom to compare before the last step is taken.
    pub compare: Compare,
    /// Behind the last step too, who goes on is compared with those who are asleep.
    pub symmetry: bool,
    /// The last step may turn out to be impossible.
    pub tentative: bool,
    /// A loop may go round once more if something was read in it (see `glances`).
    pub patient: bool,
    /// What events that vary might access.
    pub repertoire: Repertoire,
}

/// Which threads could be symmetric in the state in which a plan's last step is taken. If
/// two of them are, the execution ends there.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub enum Compare {
    #[default]
    Nothing,
    /// The thread that takes the step, and these.
    Taker(Vec<ThreadId>),
    /// The thread that the step's choice is about, and those of the choices before it.
    Chosen,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlannedStep {
    pub step: Step,
    /// Of the event that was seen here before; 0 if none was.
    pub fingerprint: u64,
}

/// A thread whose next event has been explored from here, with all that follows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sleeper {
    /// The event as it came out.
    pub event: Event,
    /// Its accesses.
    pub accesses: Vec<Access>,
}

/// Bounds on one execution.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Limits {
    /// Events; 0 is "no limit".
    pub max_steps: u64,
}

/// A digest of what must be the same when an event is repeated: who does what,
/// where, to which addresses. How it comes out is left out, because the other
/// choice of a choosing event is still the same event. Never 0.
#[inline]
pub fn fingerprint(event: &Event, accesses: &[Access]) -> u64 {
    let mut digest = Digest::default();
    digest.add(u64::from(event.thread.0) << 32 | u64::from(event.ordinal));
    digest.add(event.site.0);
    for word in op_words(&event.op) {
        digest.add(word);
    }
    for access in accesses {
        digest.add(access.addr);
        digest.add(access.len);
    }
    digest.finish()
}

/// An operation as three words: which one, and its operands.
#[inline]
pub(crate) fn op_words(op: &Op) -> [u64; 3] {
    let of_kind = |kind: MutexKind| kind as u64;
    match *op {
        Op::Access => [0, 0, 0],
        Op::Fence(order) => [1, order as u64, 0],
        Op::Create { child } => [2, child.0.into(), 0],
        Op::Join { thread } => [3, thread.0.into(), 0],
        Op::End => [4, 0, 0],
        Op::MutexInit { mutex, kind } => [5, mutex, of_kind(kind)],
        Op::MutexDestroy { mutex } => [6, mutex, 0],
        Op::Lock { mutex, kind } => [7, mutex, of_kind(kind)],
        Op::TryLock { mutex, kind } => [8, mutex, of_kind(kind)],
        Op::Unlock { mutex } => [9, mutex, 0],
        Op::CondInit { cond } => [10, cond, 0],
        Op::CondDestroy { cond } => [11, cond, 0],
        Op::Wait { cond, mutex } => [12, cond, mutex],
        Op::Rewait { cond, mutex } => [13, cond, mutex],
        Op::Signal { cond } => [14, cond, 0],
        Op::Broadcast { cond } => [15, cond, 0],
        Op::Choose { alternatives } => [16, alternatives.into(), 0],
        Op::Hidden { object } => [17, object, 0],
        Op::Exit => [18, 0, 0],
        Op::Unwait { cond } => [19, cond, 0],
        Op::RwInit { rwlock } => [20, rwlock, 0],
        Op::RwDestroy { rwlock } => [21, rwlock, 0],
        Op::ReadLock { rwlock } => [22, rwlock, 0],
        Op::WriteLock { rwlock } => [23, rwlock, 0],
        Op::TryReadLock { rwlock } => [24, rwlock, 0],
        Op::TryWriteLock { rwlock } => [25, rwlock, 0],
        Op::RwUnlock { rwlock } => [26, rwlock, 0],
        Op::SemInit { sem, value } => [27, sem, value.into()],
        Op::SemDestroy { sem } => [28, sem, 0],
        Op::SemWait { sem } => [29, sem, 0],
        Op::SemTryWait { sem } => [30, sem, 0],
        Op::SemPost { sem } => [31, sem, 0],
        Op::BarrierInit { barrier, count } => [32, barrier, count.into()],
        Op::BarrierDestroy { barrier } => [33, barrier, 0],
        Op::BarrierArrive { barrier } => [34, barrier, 0],
        Op::BarrierLeave { barrier } => [35, barrier, 0],
        Op::SemValue { sem } => [36, sem, 0],
        Op::FutexWait { futex, bits } => [37, futex, bits.into()],
        Op::FutexDiffers { futex } => [38, futex, 0],
        Op::FutexResume { futex } => [39, futex, 0],
        Op::FutexLeave { futex } => [40, futex, 0],
        Op::FutexWake { futex, bits } => [41, futex, bits.into()],
        Op::FutexWakeAll { futex, bits } => [42, futex, bits.into()],
        Op::Await => [45, 0, 0],
        Op::FutexRequeue { from, to, all } => [43 + u64::from(all), from, to],
    }
}

/// A multiplicative hash over words: it runs once for each event, so it must cost
/// a few nanoseconds; it need not withstand anybody who wants collisions.
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Digest {
    #[inline]
    pub(crate) fn add(&mut self, word: u64) {
        // Folding the 128-bit product lets every bit of the word reach every bit
        // of the digest in one multiplication.
        let product = u128::from(self.0 ^ word) * 0xd6e8_feb8_6659_fd93_u128;
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(word.rotate_left(32) | 1);
    }

    #[inline]
    pub(crate) fn finish(&self) -> u64 {
        self.0.max(1)
    }
}
