//! What two threads have yet to make: blocks, mappings, files, threads.
//!
//! If a and b change places, so does what they will make: the block that a allocates next
//! stands for the one that b allocates next, and the thread that a creates next for the one
//! that b does. A search has to know that. It exchanges a and b in what it has seen below a,
//! and that is full of things which were not there yet in the state where the two were
//! compared. What it then looks for on the path are uses of the same things, and those are
//! not on the path *to that state*; but summaries are handed upwards, and one that was made
//! above may be used further down on another branch, where such things have come into being.
//! There everything has to have its right name.
//!
//! Everything is named by who made it as the how-manieth, and the two may have made different
//! numbers of things before: those are forgotten, or they change places by name. So the next
//! one of a stands for the next one of b, the one after it for the one after it, and so on.
//! For blocks that is a matter of addresses: an arena is filled from below, so from where the
//! next one will lie the two arenas look the same. Not so if one of them has ever asked for
//! blocks that are aligned more than others, which leave gaps; then their arenas must have
//! been filled to the same place. And not if freed blocks are used again.
//!
//! Threads that they have created before must be gone. Those that they will create have made
//! nothing: all that is theirs changes places, from the start.

use super::{incomparable, name};
use crate::{
    execution::{Thread, director, has_ended, running},
    fiber, heap,
    kernel::{
        open, regions,
        things::{self, Own},
    },
    record::record,
};
use alloc::{format, vec::Vec};
use hashbrown::HashSet;
use leno_model::{
    Exchanged, Op, ThreadId,
    symmetry::{Difference, Habit},
    thread::ThreadName,
};

/// What will change places with two threads.
#[derive(Default)]
pub struct Futures {
    pub memory: Vec<Exchanged>,
    /// Threads that the first will create, and those that the second will.
    pub children: Vec<(ThreadId, ThreadId)>,
}

/// How much a thread has made.
#[derive(Clone, Copy)]
struct Made {
    children: u32,
    blocks: usize,
    things: u32,
}

impl Made {
    /// By a thread that stands at its next event.
    fn by(thread: ThreadId, state: &Thread) -> Self {
        let at = director().and_then(|director| director.standing(thread));
        // That one is not there yet.
        let creates = at.is_some_and(|(_, op)| matches!(op, Op::Create { .. }));
        Self {
            children: state.children - u32::from(creates),
            blocks: heap::next(thread),
            things: open::count_made(thread),
        }
    }

    /// By a thread that is yet to be created.
    fn nothing() -> Self {
        Self { children: 0, blocks: 0, things: 0 }
    }
}

/// What two threads will make.
pub fn of(a: (ThreadId, &Thread), b: (ThreadId, &Thread)) -> Result<Futures, Difference> {
    let made = [a, b].map(|(thread, state)| Made::by(thread, state));
    let [a, b] = [a.0, b.0];
    for (thread, made) in [a, b].into_iter().zip(made) {
        let has = |habit| record().habits.as_slice().contains(&(thread, habit));
        if has(Habit::Reuses) {
            return Err(incomparable(format!("{} has used much memory", name(thread))));
        }
        if has(Habit::Aligns) && heap::next(a) != heap::next(b) {
            let what = "aligns blocks, and they have used different amounts of memory";
            return Err(incomparable(format!("{} {what}", name(thread))));
        }
        let children = (0..made.children).map(|index| ThreadName { parent: thread, index });
        if let Some(child) = children.map(|name| record().intern(name)).find(|t| !is_gone(*t)) {
            let (name, child) = (name(thread), name(child));
            return Err(incomparable(format!("{name} has created {child}, which is still there")));
        }
    }
    let mut futures = Futures::default();
    futures.add((a, made[0]), (b, made[1]));
    Ok(futures)
}

/// Whether a thread has ended and nobody can join it any more.
pub fn is_gone(thread: ThreadId) -> bool {
    let state = running().and_then(|x| x.thread_numbered(thread));
    has_ended(thread) && state.is_some_and(|thread| thread.joined || thread.detached)
}

impl Futures {
    /// Adds what two threads will make that have made so much.
    fn add(&mut self, (a, one): (ThreadId, Made), (b, two): (ThreadId, Made)) {
        let (at, to) = (fiber::region(a) as u64, fiber::region(b) as u64);
        self.memory.push(Exchanged { at, to, len: fiber::REGION as u64 });
        let start =
            |thread: ThreadId, made: Made| (heap::arena_base(thread.0 + 1) + made.blocks) as u64;
        let len = heap::room_behind(one.blocks.max(two.blocks)) as u64;
        self.memory.push(Exchanged { at: start(a, one), to: start(b, two), len });
        let ((at, room), (to, other)) = (regions::next(a), regions::next(b));
        self.memory.push(Exchanged { at, to, len: room.min(other) });
        self.things((a, one.things), (b, two.things));
        self.children((a, one.children), (b, two.children));
    }

    fn things(&mut self, a: (ThreadId, u32), b: (ThreadId, u32)) {
        let mut all: HashSet<(&'static str, u32)> = HashSet::new();
        for (thread, made) in [a, b] {
            let owned = things::owned_by(thread).into_iter();
            let lasting = owned.filter(|own| own.number == 0 || own.number > made);
            all.extend(lasting.map(|own| (own.kind, own.number.saturating_sub(made))));
        }
        for (kind, behind) in all {
            let [at, to] = [a, b].map(|(owner, made)| {
                let number = if behind == 0 { 0 } else { made + behind };
                things::own(Own { owner, kind, number }).address()
            });
            self.memory.push(Exchanged { at, to, len: 8 });
        }
    }

    fn children(&mut self, (a, one): (ThreadId, u32), (b, two): (ThreadId, u32)) {
        let known = |parent: ThreadId, made: u32| {
            let names = record().threads();
            let own = names.names().iter().filter(|name| name.parent == parent);
            own.map(|name| (name.index + 1).saturating_sub(made)).max().unwrap_or(0)
        };
        for index in 0..known(a, one).max(known(b, two)) {
            let [first, second] = [(a, one), (b, two)]
                .map(|(parent, made)| record().intern(ThreadName { parent, index: made + index }));
            self.children.push((first, second));
            self.add((first, Made::nothing()), (second, Made::nothing()));
        }
    }
}
