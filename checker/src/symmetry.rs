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
//! path is known; if there is something, then who does the first of it can begin the whole.
//! If not, only those who are in the summary can have a part in it, and all are tried.
//!
//! **Data races.** All but one kind are found as they are without cuts: two events behind s
//! race if and only if their images do; and if x races with e, the image of e races with x in
//! what was explored, if x is not an access to something that changes places, and what x
//! happens before in s is the same when a and b are exchanged. Else that is not certain, and
//! the cut is refused, unless something orders x and e in any case: a lock that both hold, or
//! the end of a thread that e comes after and x before.

use crate::{
    ThreadSet,
    clock::Clocks,
    dependence::sleeps_on,
    race::Races,
    summary::{Deed, Deeds, Guard, Held, Summary, marks, threads},
    trace::Trace,
};
use alloc::vec::Vec;
use leno_model::{Access, End, Event, Exchanged, Execution, Op, Outcome, ThreadId};

/// Two threads change places, with what is each one's own.
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    pub a: ThreadId,
    pub b: ThreadId,
    pub memory: &'a [Exchanged],
    /// Threads that one of them will create, and those of the other.
    pub children: &'a [(ThreadId, ThreadId)],
}

impl<'a> Exchange<'a> {
    pub fn of(run: &Execution<'a>) -> Option<Self> {
        let (memory, children) = (run.exchanged, run.children);
        match run.end {
            End::Symmetric { thread, to, .. } => Some(Self { a: to, b: thread, memory, children }),
            _ => None,
        }
    }

    fn thread(&self, thread: ThreadId) -> ThreadId {
        let pairs = [(self.a, self.b)].into_iter().chain(self.children.iter().copied());
        let other = |(one, two)| match thread {
            _ if thread == one => Some(two),
            _ if thread == two => Some(one),
            _ => None,
        };
        pairs.into_iter().find_map(other).unwrap_or(thread)
    }

    fn address(&self, address: u64) -> u64 {
        let moved = self.memory.iter().find_map(|Exchanged { at, to, len }| {
            let within = |start: &u64| address.checked_sub(*start).filter(|offset| offset < len);
            let there = within(at).map(|offset| to + offset);
            there.or_else(|| within(to).map(|offset| at + offset))
        });
        moved.unwrap_or(address)
    }

    fn moves(&self, access: &Access) -> bool {
        let meets = |start: u64, len: u64| access.addr < start + len && start < access.end();
        self.memory.iter().any(|Exchanged { at, to, len }| meets(*at, *len) || meets(*to, *len))
    }

    /// Whether an event leaves something for others to synchronise with where it lies in what
    /// changes places.
    fn moves_what_is_left(&self, event: &Event, accesses: &[Access]) -> bool {
        let left = |access: &&Access| access.atomic.is_some() && access.kind.writes();
        let mut objects = event.op.objects().into_iter().flatten();
        objects.any(|object| self.address(object) != object)
            || accesses.iter().filter(left).any(|access| self.moves(access))
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

    fn has_ended(&self, thread: ThreadId) -> bool {
        self.trace
            .events_of(thread)
            .last()
            .is_some_and(|last| self.trace.event(*last).op == Op::End)
    }

    /// Whether a cut might hide a data race of an event on the path with something below.
    pub fn may_hide_race(&self, exchange: &Exchange<'_>, cut: &Summary) -> bool {
        let Exchange { a, b, .. } = *exchange;
        let fenced = |event: u32, thread: ThreadId| {
            self.races.fenced(event, self.trace.events_of(thread).last().copied())
        };
        let all = 0..self.trace.len() as u32;
        let left = |event: &u32| {
            exchange.moves_what_is_left(self.trace.event(*event), self.trace.accesses(*event))
        };
        let moved: Vec<u32> = all.clone().filter(left).collect();
        let known = |event: u32| {
            self.happens_before(event, a) == self.happens_before(event, b)
                && fenced(event, a) == fenced(event, b)
                && !self.trace.accesses(event).iter().any(|access| exchange.moves(access))
                && !moved.iter().any(|left| event <= *left && self.races.ordered(event, *left))
        };
        all.filter(|event| !known(*event)).any(|event| {
            let (e, accesses) = (self.trace.event(event), self.trace.accesses(event));
            let marks = marks(e, accesses);
            cut.iter().any(|deed| {
                let deed = self.deeds.deed(deed);
                let conflict = |a: &Access| deed.footprint.iter().any(|b| a.races(b));
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
        // What the thread had joined before is the other one's doing, or in its clock.
        let to_end = |thread: &ThreadId| !self.has_ended(*thread);
        own.excludes(&guard)
            || self.happens_before(event, deed.event.thread)
            || guard.joined.iter().filter(to_end).any(|thread| self.happens_before(event, thread))
    }

    /// Calls `reverse` for each event of the path that is in a race with something of what is
    /// cut, with who must be explored in its place.
    pub fn reverse(&self, cut: &Summary, mut reverse: impl FnMut(u32, Beginners<'_>)) {
        let is_there = |thread: &ThreadId| self.last(*thread).is_some();
        let mut taking_part: ThreadSet = threads(self.deeds, cut).iter().filter(is_there).collect();
        for event in (0..self.trace.len() as u32).rev() {
            // Who is created here is not there before.
            if let Op::Create { child } = self.trace.event(event).op {
                taking_part.remove(child);
            }
            let (e, footprint) = (self.trace.event(event), self.trace.footprint(event));
            let own = marks(e, footprint);
            let races = |deed: &u32| {
                let deed = self.deeds.deed(*deed);
                let may_meet = deed.marks & own != 0;
                let races = || {
                    deed.event.thread != e.thread
                        && !sleeps_on(e, footprint, &deed.event, &deed.footprint)
                        && !self.enables(event, deed)
                        && !self.comes_before(event, deed.event.thread)
                };
                debug_assert!(may_meet || !races(), "{e:?} and {deed:?} have marks in common");
                may_meet && races()
            };
            let mut racing = cut.iter().filter(races).peekable();
            if racing.peek().is_none() {
                continue;
            }
            // A writer may have to come before readers that do not come after each other.
            let of_writer =
                racing.any(|deed| matches!(self.deeds.deed(deed).event.op, Op::WriteLock { .. }));
            let behind = event + 1..self.trace.len() as u32;
            if of_writer {
                let mut all = taking_part.clone();
                behind.for_each(|event| all.insert(self.trace.event(event).thread));
                reverse(event, Beginners::All(&all));
            } else {
                let mut behind = behind.filter(|later| !self.happens.ordered(event, *later));
                let first = behind.next().map(|first| self.trace.event(first).thread);
                reverse(event, first.map_or(Beginners::All(&taking_part), Beginners::One));
            }
        }
    }

    /// Whether an event with which a deed does not commute has made it possible: then what
    /// the deed could have come before is what made it impossible.
    fn enables(&self, event: u32, deed: &Deed) -> bool {
        let e = self.trace.event(event);
        let frees =
            |mutex| self.trace.hold_before(event, mutex, event).mutex.owner == Some(e.thread);
        match (e.op, deed.event.op) {
            // These are in no race: all they depend on makes them possible, or comes of them.
            (_, Op::Create { .. } | Op::Exit | Op::Join { .. }) => true,
            (
                Op::Unlock { mutex } | Op::Wait { mutex, .. },
                Op::Lock { .. } | Op::Rewait { .. },
            ) => frees(mutex),
            // Who holds it has taken it, and that is what was made possible.
            (
                Op::Unlock { mutex } | Op::Wait { mutex, .. },
                Op::Unlock { .. } | Op::Wait { .. },
            ) => frees(mutex) && self.deeds.guard(deed.guard).holds(mutex),
            (Op::RwUnlock { .. }, Op::ReadLock { .. } | Op::WriteLock { .. }) => true,
            _ => false,
        }
    }
}

/// Who is to be explored in an event's place.
#[derive(Clone, Copy, Debug)]
pub enum Beginners<'a> {
    One(ThreadId),
    /// Those of them that can go on there.
    All(&'a ThreadSet),
}
