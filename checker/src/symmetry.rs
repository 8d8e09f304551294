//! Threads that can change places.
//!
//! Two threads a and b are *symmetric* in a state s if exchanging them leaves s as it is:
//! they have the same code before them and the same values to run it on, and nothing else
//! tells them apart. Who says so is whoever runs the program. Then everything that can
//! follow from s with b taking the next step is what can follow with a taking it, with a
//! and b exchanged, and if one has been explored the other need not be (Yang, Chen,
//! Gopalakrishnan, Wang: Automatic discovery of transition symmetry in multithreaded
//! programs using dynamic analysis, SPIN 2009).
//!
//! **What would be lost.** A search that finds out as it goes where to branch, as all DPOR
//! does, learns from what it explores at a node what is to be explored at those before it.
//! The pasts of a and b differ although their futures are the same: an event x before s may
//! come before a, by creation say, and not before b. Below b it would have been in a race
//! that it is not in below a. So what is not explored must be looked at all the same. For
//! each part of the tree that has been explored there is a summary of what was done in it
//! (`summary`). When b is cut because of a, the summary below a, with a and b exchanged, is
//! taken for the summary of what is cut: each deed in it that does not commute with an event
//! x on the path, and does not come after x by its own thread, counts as a race with x,
//! which is to be reversed. It also counts for the summaries of all nodes above.
//!
//! (The published rule does none of this. One that looks only at those x that come before
//! one of a and b and not before the other is not enough either: where x has wiped out
//! what told a and b apart, reversing its race with a's event does not replace reversing
//! that with b's. `docs/symmetry.md` has the program.)
//!
//! **Which threads.** A race of x and a deed e is reversed by an execution that does at x's
//! node what comes behind x without coming after it, and then e. What of that is on the
//! path is known; if there is something, then who can begin it can begin the whole. If
//! not, only those who are in the summary can have a part in it, and all of them are tried.
//!
//! **Data races.** All but one kind are found as they are without cuts: two events behind s
//! race if and only if their images do; and if x races with e, the image of e races with x in
//! what was explored, if for C11 x comes before both of a and b in s, or before neither.
//! Else that is not certain, and the cut is refused, unless something orders x and e in any
//! case: a lock that both hold, or the end of a thread that e comes after and x before.

use crate::{
    ThreadSet,
    clock::Clocks,
    dependence::sleeps_on,
    race::Races,
    summary::{Deed, Deeds, Guard, Held, Summary, marks, threads},
    trace::Trace,
};
use alloc::vec::Vec;
use leno_model::{Access, End, Event, Exchanged, Op, Outcome, ThreadId};

/// Two threads change places, with what is each one's own.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    pub a: ThreadId,
    pub b: ThreadId,
    pub memory: &'a [Exchanged],
}

impl<'a> Exchange<'a> {
    pub fn of(end: End, memory: &'a [Exchanged]) -> Option<Self> {
        match end {
            End::Symmetric { thread, to, .. } => Some(Self { a: to, b: thread, memory }),
            _ => None,
        }
    }

    fn thread(&self, thread: ThreadId) -> ThreadId {
        match thread {
            _ if thread == self.a => self.b,
            _ if thread == self.b => self.a,
            _ => thread,
        }
    }

    fn address(&self, address: u64) -> u64 {
        let moved = self.memory.iter().find_map(|Exchanged { at, to, len }| {
            let within = |start: &u64| address.checked_sub(*start).filter(|offset| offset < len);
            let there = within(at).map(|offset| to + offset);
            there.or_else(|| within(to).map(|offset| at + offset))
        });
        moved.unwrap_or(address)
    }

    fn op(&self, mut op: Op) -> Op {
        for object in op.objects_mut().into_iter().flatten() {
            *object = self.address(*object);
        }
        match &mut op {
            Op::Create { child: thread } | Op::Join { thread } => *thread = self.thread(*thread),
            _ => {}
        }
        op
    }

    fn event(&self, event: &Event) -> Event {
        let outcome = match event.outcome {
            Outcome::Woken(Some(woken)) => Outcome::Woken(Some(self.thread(woken))),
            outcome => outcome,
        };
        Event { thread: self.thread(event.thread), op: self.op(event.op), outcome, ..*event }
    }

    fn guard(&self, guard: &Guard) -> Guard {
        let held = |held: &Held| Held { lock: self.address(held.lock), ..*held };
        Guard {
            locks: guard.locks.iter().map(held).collect(),
            joined: guard.joined.iter().map(|thread| self.thread(thread)).collect(),
        }
    }

    /// The summary of what was explored, as that of what is cut.
    pub fn summary(&self, deeds: &mut Deeds, summary: &Summary) -> Summary {
        let mut exchanged = Summary::default();
        let mut footprint: Vec<Access> = Vec::new();
        for deed in summary.iter() {
            let Deed { event, footprint: own, guard, .. } = deeds.deed(deed);
            let (event, guard) = (self.event(event), *guard);
            footprint.clear();
            let moved = |access: &Access| Access { addr: self.address(access.addr), ..*access };
            footprint.extend(own.iter().map(moved));
            let guard = self.guard(&deeds.guard(guard));
            let guard = deeds.number_of_guard(guard);
            exchanged.insert(deeds.number(&event, &footprint, guard));
        }
        exchanged
    }
}

/// The path to a state, and what is known of it.
pub struct Path<'a> {
    pub trace: &'a Trace,
    pub happens: &'a Clocks,
    pub races: &'a Races,
    pub deeds: &'a Deeds,
    /// The guard behind each event.
    pub guards: &'a [u32],
}

impl Path<'_> {
    /// The last event before what a thread does next, or its creation.
    fn last(&self, thread: ThreadId) -> Option<u32> {
        self.trace.events_of(thread).last().copied().or_else(|| self.trace.creation(thread))
    }

    fn comes_before(&self, event: u32, thread: ThreadId) -> bool {
        self.last(thread).is_some_and(|last| event <= last && self.happens.ordered(event, last))
    }

    fn happens_before(&self, event: u32, thread: ThreadId) -> bool {
        self.last(thread).is_some_and(|last| event <= last && self.races.ordered(event, last))
    }

    /// Whether a cut might hide a data race of an event on the path with something below.
    pub fn may_hide_race(&self, exchange: &Exchange<'_>, cut: &Summary) -> bool {
        let Exchange { a, b, .. } = *exchange;
        let fenced = |event: u32, thread: ThreadId| {
            self.races.fenced(event, self.trace.events_of(thread).last().copied())
        };
        let known = |event: u32| {
            self.happens_before(event, a) == self.happens_before(event, b)
                && fenced(event, a) == fenced(event, b)
        };
        (0..self.trace.len() as u32).filter(|event| !known(*event)).any(|event| {
            let (e, accesses) = (self.trace.event(event), self.trace.accesses(event));
            let marks = marks(e, accesses);
            cut.iter().any(|deed| {
                let deed = self.deeds.deed(deed);
                let conflict = |a: &Access| {
                    let plain = |b: &Access| a.atomic.is_none() || b.atomic.is_none();
                    deed.footprint.iter().any(|b| plain(b) && a.conflicts(b))
                };
                deed.marks & marks != 0
                    && deed.event.thread != e.thread
                    && accesses.iter().any(conflict)
                    && !self.is_ordered(event, deed)
            })
        })
    }

    /// Whether an event happens before a deed in any case.
    fn is_ordered(&self, event: u32, deed: &Deed) -> bool {
        let guard = self.deeds.guard(deed.guard);
        let own = self.deeds.guard(self.guards[event as usize]);
        own.excludes(&guard)
            || self.happens_before(event, deed.event.thread)
            || guard.joined.iter().any(|thread| self.happens_before(event, thread))
    }

    /// Calls `reverse` for each event of the path that is in a race with something of what is
    /// cut, with those of whom at least one must be explored in its place; all of them, if
    /// it is not known who.
    pub fn reverse(&self, cut: &Summary, mut reverse: impl FnMut(u32, Beginners<'_>)) {
        let taking_part = threads(self.deeds, cut);
        let mut initials = Vec::new();
        for event in (0..self.trace.len() as u32).rev() {
            let (e, footprint) = (self.trace.event(event), self.trace.footprint(event));
            let own = marks(e, footprint);
            let races = |deed: &u32| {
                let deed = self.deeds.deed(*deed);
                deed.marks & own != 0
                    && deed.event.thread != e.thread
                    && !is_enabled_by(e, &deed.event)
                    && !sleeps_on(e, footprint, &deed.event, &deed.footprint)
                    && !self.comes_before(event, deed.event.thread)
            };
            let mut racing = cut.iter().filter(races).peekable();
            if racing.peek().is_none() {
                continue;
            }
            // A writer may have to come before readers that do not come after each other.
            let of_writer =
                racing.any(|deed| matches!(self.deeds.deed(deed).event.op, Op::WriteLock { .. }));
            self.initials(event, &mut initials);
            if of_writer {
                let behind = event + 1..self.trace.len() as u32;
                let mut all = taking_part.clone();
                behind.for_each(|event| all.insert(self.trace.event(event).thread));
                reverse(event, Beginners::All(&all));
            } else if initials.is_empty() {
                reverse(event, Beginners::All(&taking_part));
            } else {
                reverse(event, Beginners::OneOf(&initials));
            }
        }
    }

    /// The threads that can begin what on the path is behind an event and does not come
    /// after it.
    fn initials(&self, event: u32, initials: &mut Vec<ThreadId>) {
        initials.clear();
        let mut firsts: Vec<u32> = Vec::new();
        for later in event + 1..self.trace.len() as u32 {
            let thread = self.trace.event(later).thread;
            let known = firsts.iter().any(|first| self.trace.event(*first).thread == thread);
            if !known && !self.happens.ordered(event, later) {
                if !firsts.iter().any(|first| self.happens.ordered(*first, later)) {
                    initials.push(thread);
                }
                firsts.push(later);
            }
        }
    }
}

/// Who is to be explored in an event's place.
#[derive(Clone, Copy, Debug)]
pub enum Beginners<'a> {
    OneOf(&'a [ThreadId]),
    /// Those of them that can go on there.
    All(&'a ThreadSet),
}

/// Whether the second could not have happened before the first, which made it possible.
/// What it could have come before is what kept it from happening.
fn is_enabled_by(first: &Event, second: &Event) -> bool {
    let held = first.outcome != Outcome::Released(false);
    match (first.op, second.op) {
        (_, Op::Exit | Op::Join { .. }) => true,
        (
            Op::Unlock { mutex: freed } | Op::Wait { mutex: freed, .. },
            Op::Lock { mutex, .. } | Op::Rewait { mutex, .. },
        ) => held && freed == mutex,
        // Who frees it has taken it before, and that is what is in a race.
        (
            Op::Lock { mutex: taken, .. }
            | Op::Unlock { mutex: taken }
            | Op::Rewait { mutex: taken, .. },
            Op::Unlock { mutex } | Op::Wait { mutex, .. },
        ) => second.outcome != Outcome::Released(false) && taken == mutex,
        (Op::RwUnlock { rwlock: freed }, Op::ReadLock { rwlock } | Op::WriteLock { rwlock }) => {
            held && freed == rwlock
        }
        _ => false,
    }
}
