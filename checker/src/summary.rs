//! What is done below a node of the search: by whom, to what.
//!
//! Where a part of the tree is not explored, because it is another one with two threads
//! exchanged (see `symmetry`), the search must still know what would have been seen in it.
//! So each explored part has a summary: the set of *deeds* in it. A deed is an event
//! without when and how often. There are few of them even where there are many events, so
//! each is kept once and has a number, and a summary is a set of bits. The union of two,
//! which is made whenever a node is left, costs a few instructions.
//!
//! Part of a deed is what orders it for C11 whatever else happens: the locks that its
//! thread holds, and the threads whose end it comes after (its *guard*).

use crate::{ThreadSet, dependence::tried, plan::Digest, plan::op_words};
use alloc::vec::Vec;
use hashbrown::HashMap;
use leno_model::{Access, Event, Op, Outcome, SiteRef, ThreadId, Varies};
use serde::{Deserialize, Serialize};

/// A set of deeds.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summary {
    bits: Vec<u64>,
}

impl Summary {
    pub fn insert(&mut self, deed: u32) {
        let (word, bit) = (deed as usize / 64, 1 << (deed % 64));
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= bit;
    }

    pub fn extend(&mut self, other: &Summary) {
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        for (own, bits) in self.bits.iter_mut().zip(&other.bits) {
            *own |= bits;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.bits.iter().enumerate().flat_map(|(word, bits)| {
            let mut left = *bits;
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(word as u32 * 64 + bit)
            })
        })
    }
}

/// An event without when and how often.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Deed {
    pub event: Event,
    pub footprint: Vec<Access>,
    pub guard: u32,
    /// A bit for each thing that it touches: deeds without one in common commute, but for
    /// an exit.
    pub marks: u64,
}

/// What orders a deed.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Guard {
    /// The locks that the thread holds, with those held several times as often; not held
    /// alone if for reading.
    pub locks: Vec<Held>,
    /// Threads whose end comes before.
    pub joined: ThreadSet,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Held {
    pub lock: u64,
    pub alone: bool,
}

impl Guard {
    /// Whether two that are so guarded exclude each other.
    pub fn excludes(&self, other: &Guard) -> bool {
        self.locks.iter().any(|own| {
            other.locks.iter().any(|held| own.lock == held.lock && (own.alone || held.alone))
        })
    }

    pub fn holds(&self, lock: u64) -> bool {
        self.locks.iter().any(|held| held.lock == lock)
    }

    /// The guard of what comes behind an event of the same thread.
    fn after(&self, event: &Event, ended: Option<&Guard>) -> Option<Guard> {
        let take = |lock, alone| {
            let mut guard = self.clone();
            guard.locks.push(Held { lock, alone });
            Some(guard)
        };
        let release = |lock: u64| {
            let place = self.locks.iter().rposition(|held| held.lock == lock)?;
            let mut guard = self.clone();
            guard.locks.remove(place);
            Some(guard)
        };
        let got = event.outcome != Outcome::Acquired(false);
        match event.op {
            Op::Lock { mutex, .. } | Op::TryLock { mutex, .. } if got => take(mutex, true),
            Op::Rewait { mutex, .. } => take(mutex, true),
            Op::Unlock { mutex } | Op::Wait { mutex, .. }
                if event.outcome != Outcome::Released(false) =>
            {
                release(mutex)
            }
            Op::ReadLock { rwlock } | Op::TryReadLock { rwlock } if got => take(rwlock, false),
            Op::WriteLock { rwlock } | Op::TryWriteLock { rwlock } if got => take(rwlock, true),
            Op::RwUnlock { rwlock } => release(rwlock),
            Op::Join { thread } => {
                let mut guard = self.clone();
                guard.joined.insert(thread);
                let before = ended.into_iter().flat_map(|ended| ended.joined.iter());
                before.for_each(|thread| guard.joined.insert(thread));
                Some(guard)
            }
            _ => None,
        }
    }
}

/// All deeds and guards that were ever seen.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Deeds {
    deeds: Vec<Deed>,
    known: HashMap<u64, Vec<u32>>,
    guards: Vec<Guard>,
}

impl Deeds {
    pub fn deed(&self, deed: u32) -> &Deed {
        &self.deeds[deed as usize]
    }

    pub fn guard(&self, guard: u32) -> Guard {
        // The first has not been made before it is asked for.
        self.guards.get(guard as usize).cloned().unwrap_or_default()
    }

    /// The number of a deed, which has no number yet if it is new.
    pub fn number(&mut self, event: &Event, footprint: &[Access], guard: u32) -> u32 {
        let event = essence(event);
        let mut digest = Digest::default();
        digest.add(u64::from(event.thread.0) << 32 | u64::from(guard));
        op_words(&event.op).into_iter().for_each(|word| digest.add(word));
        for access in footprint {
            digest.add(access.addr ^ access.len << 48 ^ (access.kind as u64) << 60);
        }
        let alike = self.known.entry(digest.finish()).or_default();
        let same = |deed: &&u32| {
            let deed = &self.deeds[**deed as usize];
            deed.guard == guard && deed.event == event && deed.footprint == footprint
        };
        if let Some(deed) = alike.iter().find(same) {
            return *deed;
        }
        let number = self.deeds.len() as u32;
        alike.push(number);
        let marks = marks(&event, footprint);
        self.deeds.push(Deed { event, footprint: footprint.to_vec(), guard, marks });
        number
    }

    pub fn number_of_guard(&mut self, guard: Guard) -> u32 {
        if self.guards.is_empty() {
            self.guards.push(Guard::default());
        }
        let known = self.guards.iter().position(|known| *known == guard);
        known.unwrap_or_else(|| {
            self.guards.push(guard);
            self.guards.len() - 1
        }) as u32
    }

    /// The guard of a new thread whose creator has this one.
    pub fn unlocked(&mut self, guard: u32) -> u32 {
        let Guard { joined, locks } = self.guard(guard);
        if locks.is_empty() {
            return guard;
        }
        self.number_of_guard(Guard { joined, locks: Vec::new() })
    }

    /// The guard behind an event whose own is `guard`; `ended`: that of the end of the
    /// thread which it joins.
    pub fn guard_after(&mut self, guard: u32, event: &Event, ended: Option<u32>) -> u32 {
        let ended = ended.map(|ended| self.guard(ended));
        match self.guard(guard).after(event, ended.as_ref()) {
            Some(after) => self.number_of_guard(after),
            None => guard,
        }
    }
}

/// What makes an event the same deed as another one.
fn essence(event: &Event) -> Event {
    let Event { thread, op, outcome, .. } = *event;
    let (site, varies) = (SiteRef(0), Varies::Never);
    Event {
        thread,
        ordinal: 0,
        site,
        op,
        outcome,
        choice: 0,
        choices: 1,
        first_access: 0,
        access_count: 0,
        varies,
        found: None,
    }
}

/// A bit for each line of memory and each object.
pub fn marks(event: &Event, footprint: &[Access]) -> u64 {
    let bit = |thing: u64| 1 << (thing.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
    let mut marks = 0;
    for access in footprint {
        let lines = access.addr / 64..=(access.addr + access.len.max(1) - 1) / 64;
        if lines.clone().count() > 64 {
            return u64::MAX;
        }
        marks |= lines.fold(0, |marks, line| marks | bit(line));
    }
    let hidden = if let Op::Hidden { object } = event.op { Some(object) } else { None };
    let objects = event.op.objects().into_iter().chain([hidden]).flatten();
    marks |= objects.fold(0, |marks, object| marks | bit(tried(object).addr / 64));
    match event.op {
        Op::Create { .. } | Op::Join { .. } | Op::End | Op::Exit => u64::MAX,
        _ => marks,
    }
}

/// Who takes part.
pub fn threads(deeds: &Deeds, summary: &Summary) -> ThreadSet {
    let all = summary.iter().map(|deed| deeds.deed(deed).event.thread);
    all.collect::<Vec<ThreadId>>().into_iter().collect()
}
