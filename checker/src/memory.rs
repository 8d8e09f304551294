//! Who has accessed which memory, on the path that a search stands on.
//!
//! Memory is cut into *lines*, and what an access covers of a line is a *cell*: accesses
//! of the same bytes have the same cell, and which others they meet is decided by looking
//! at the few cells of a line. A cell knows the last access of each thread, and the last
//! that wrote. From each access there are links to those of the same thread before it: so
//! whoever looks for accesses that are not ordered before his own can stop, in each
//! thread, at the first that is. What a query costs depends on the number of threads and
//! on what it finds, not on how often the memory has been accessed.
//!
//! Like the path, this is a stack. Cells stay when it shrinks: the next execution mostly
//! needs the same ones.
//!
//! Long accesses have lines of their own, of another *level*, so that no access is of more
//! than a few dozen. Most programs have accesses of the lowest level only.

use alloc::vec::Vec;
use core::ops::Range;
use hashbrown::HashMap;
use leno_model::{Access, ThreadId};
use serde::{Deserialize, Serialize};

/// Lines of the lowest level have this many bits of address, those of each level more
/// so many more.
const LINE_BITS: u32 = 6;
const LEVEL_BITS: u32 = 6;

/// The end of a chain: an entry that is not there.
const NONE: u32 = u32::MAX;

/// Some bytes of a line.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Cell {
    start: u64,
    end: u64,
    level: u8,
    /// The first cell of its line, and the next one.
    line: u32,
    next: u32,
    /// The last entry that writes.
    written: u32,
    /// The last entry of each thread that has one, in the order of their first ones.
    latest: Vec<(ThreadId, u32)>,
}

impl Cell {
    fn meets(&self, start: u64, end: u64) -> bool {
        self.start < end && start < self.end
    }
}

/// What the accesses of an event to a cell are.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Kind {
    writes: bool,
    /// Writes, or puts back what it finds.
    modifies: bool,
    plain: bool,
    /// Atomic, and weaker than sequentially consistent.
    weak: bool,
}

/// An event's accesses to a cell.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Entry {
    event: u32,
    cell: u32,
    kind: Kind,
    /// What there is among this one and those of the thread before it.
    seen: Seen,
    /// Where its thread is in the cell's list.
    place: u32,
    /// For each [`Class`] the thread's last entry before it that belongs there.
    previous: [u32; 4],
    /// The last entry before it that writes, of any thread; kept if this one does.
    written: u32,
}

/// Which entries one is interested in: all, or those that modify, or are plain, or both.
#[derive(Clone, Copy, Debug)]
struct Class(usize);

impl Class {
    const ALL: Class = Class(0);

    /// Those that may be in a data race with an access of this kind.
    fn racing(own: Kind) -> Self {
        Self(usize::from(!own.modifies) | usize::from(!own.plain) << 1)
    }

    fn has(self, kind: Kind) -> bool {
        (kind.modifies || self.0 & 1 == 0) && (kind.plain || self.0 & 2 == 0)
    }
}

/// What kinds of accesses there have been, as far as weak atomics are concerned.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
struct Seen {
    write: bool,
    weak: bool,
    weak_write: bool,
}

impl Seen {
    fn add(&mut self, kind: Kind) {
        self.write |= kind.writes;
        self.weak |= kind.weak;
        self.weak_write |= kind.weak && kind.writes;
    }

    /// Whether an access of this kind and one of these conflict, and one of them is weak.
    fn meets_weakly(self, own: Kind) -> bool {
        match (own.writes, own.weak) {
            (true, true) => true,
            (true, false) => self.weak,
            (false, true) => self.write,
            (false, false) => self.weak_write,
        }
    }
}

/// The entries of an event, and the accesses they are of.
#[derive(Clone, Copy, Debug)]
pub struct Touched<'a> {
    pub event: u32,
    pub thread: ThreadId,
    pub first_entry: u32,
    pub end_entry: u32,
    pub accesses: &'a [Access],
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Memory {
    /// The first cell of each line, by its number and level.
    lines: HashMap<u64, u32>,
    cells: Vec<Cell>,
    entries: Vec<Entry>,
    /// Which levels have cells, a bit each.
    levels: u32,
}

impl Memory {
    /// How many entries there are.
    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Adds an event. `weak`: whether an access, given by its place, counts as weak.
    pub fn push(
        &mut self,
        event: u32,
        thread: ThreadId,
        accesses: &[Access],
        weak: impl Fn(usize) -> bool,
    ) {
        let first = self.len();
        for (place, access) in accesses.iter().enumerate() {
            let kind = Kind {
                writes: access.kind.writes(),
                modifies: access.kind.modifies(),
                plain: access.atomic.is_none(),
                weak: weak(place),
            };
            let level = level(access);
            for line in lines(access, level) {
                let cell = self.cell(access, level, line);
                self.enter(event, thread, cell, kind, first);
            }
        }
    }

    /// Takes the entries from this one on away.
    pub fn truncate(&mut self, entries: u32) {
        for entry in self.entries.drain(entries as usize..).rev() {
            let cell = &mut self.cells[entry.cell as usize];
            if entry.kind.writes {
                cell.written = entry.written;
            }
            match entry.previous[Class::ALL.0] {
                // Threads that came later have gone by now.
                NONE => drop(cell.latest.pop()),
                previous => cell.latest[entry.place as usize].1 = previous,
            }
        }
    }

    /// The cell that an access has in a line, which is made if it is new.
    fn cell(&mut self, access: &Access, level: u8, line: u64) -> u32 {
        let (from, to) = bounds(level, line);
        let (start, end) = (access.addr.max(from), access.end().min(to));
        let new = self.cells.len() as u32;
        let first = *self.lines.entry(line_key(level, line)).or_insert(new);
        let mut last = NONE;
        let mut next = first;
        while let Some(cell) = self.cells.get(next as usize) {
            if cell.start == start && cell.end == end {
                return next;
            }
            (last, next) = (next, cell.next);
        }
        if let Some(last) = self.cells.get_mut(last as usize) {
            last.next = new;
        }
        self.levels |= 1 << level;
        let (latest, line) = (Vec::new(), first);
        self.cells.push(Cell { start, end, level, line, next: NONE, written: NONE, latest });
        new
    }

    /// Adds an entry, or to that which the event has. `first` is the event's first.
    fn enter(&mut self, event: u32, thread: ThreadId, cell: u32, kind: Kind, first: u32) {
        let at = &mut self.cells[cell as usize];
        let place = at.latest.iter().position(|(other, _)| *other == thread);
        let latest = place.map_or(NONE, |place| at.latest[place].1);
        if let Some(own) = self.entries.get_mut(latest as usize).filter(|_| latest >= first) {
            if kind.writes && !own.kind.writes {
                (own.written, at.written) = (at.written, latest);
            }
            own.kind.writes |= kind.writes;
            own.kind.modifies |= kind.modifies;
            own.kind.plain |= kind.plain;
            own.kind.weak |= kind.weak;
            own.seen.add(kind);
            return;
        }
        let new = self.entries.len() as u32;
        let place = place.unwrap_or(at.latest.len());
        match at.latest.get_mut(place) {
            Some(own) => own.1 = new,
            None => at.latest.push((thread, new)),
        }
        let (mut previous, mut seen) = ([NONE; 4], Seen::default());
        if let Some(before) = self.entries.get(latest as usize) {
            previous = [0, 1, 2, 3].map(|class| {
                if Class(class).has(before.kind) { latest } else { before.previous[class] }
            });
            seen = before.seen;
        }
        seen.add(kind);
        let written = at.written;
        if kind.writes {
            at.written = new;
        }
        let place = place as u32;
        self.entries.push(Entry { event, cell, kind, seen, place, previous, written });
    }

    fn entry(&self, link: u32) -> Option<&Entry> {
        self.entries.get(link as usize)
    }

    /// The entries that write a cell and are of events before this one, the latest first.
    fn writes(&self, cell: &Cell, before: u32) -> impl Iterator<Item = &Entry> {
        let all = core::iter::successors(self.entry(cell.written), |e| self.entry(e.written));
        all.skip_while(move |entry| entry.event >= before)
    }

    /// A thread's entries of a class, from the one at `latest` back.
    fn of_thread(&self, latest: u32, class: Class) -> impl Iterator<Item = &Entry> {
        let before = move |entry: &Entry| self.entry(entry.previous[class.0]);
        let latest = self.entry(latest);
        let first = latest.filter(|entry| class.has(entry.kind)).or(latest.and_then(before));
        core::iter::successors(first, move |entry| before(entry))
    }

    /// Calls `visit` with all cells that the event's accesses meet, those of the accesses
    /// themselves included.
    fn meet<'a>(&'a self, own: &Touched<'_>, mut visit: impl FnMut(Kind, &'a Cell)) {
        let entries = &self.entries[own.first_entry as usize..own.end_entry as usize];
        for entry in entries {
            let cell = &self.cells[entry.cell as usize];
            self.meet_in_line(cell.line, cell.start, cell.end, |met| visit(entry.kind, met));
        }
        if self.levels.count_ones() < 2 {
            return;
        }
        let weak = entries.iter().any(|entry| entry.kind.weak);
        for access in own.accesses.iter().filter(|access| access.len > 0) {
            let (writes, plain) = (access.kind.writes(), access.atomic.is_none());
            let kind = Kind { writes, modifies: access.kind.modifies(), plain, weak };
            let others = self.levels & !(1 << level(access));
            for level in (0..u32::BITS as u8).filter(|level| others >> level & 1 != 0) {
                self.meet_in_level(access, level, |met| visit(kind, met));
            }
        }
    }

    fn meet_in_line<'a>(
        &'a self,
        first: u32,
        start: u64,
        end: u64,
        mut visit: impl FnMut(&'a Cell),
    ) {
        let mut next = first;
        while let Some(cell) = self.cells.get(next as usize) {
            if cell.meets(start, end) {
                visit(cell);
            }
            next = cell.next;
        }
    }

    fn meet_in_level<'a>(&'a self, access: &Access, level: u8, mut visit: impl FnMut(&'a Cell)) {
        let (start, end) = (access.addr, access.end());
        let lines = lines(access, level);
        if lines.end - lines.start > self.cells.len() as u64 {
            let cells = self.cells.iter().filter(|cell| cell.level == level);
            cells.filter(|cell| cell.meets(start, end)).for_each(visit);
        } else {
            for line in lines {
                if let Some(first) = self.lines.get(&line_key(level, line)) {
                    self.meet_in_line(*first, start, end, &mut visit);
                }
            }
        }
    }

    /// Adds to `found` the events before `before` with which the event's accesses conflict,
    /// but for those that are certain to come before another one of these, or before the
    /// event by its own thread.
    pub fn conflicting(&self, own: &Touched<'_>, before: u32, found: &mut Vec<u32>) {
        self.meet(own, |kind, cell| {
            let write = self.writes(cell, before).next().map(|entry| entry.event);
            found.extend(write);
            if kind.writes {
                let others = cell.latest.iter().filter(|(thread, _)| *thread != own.thread);
                for (_, latest) in others {
                    let mut earlier = self.of_thread(*latest, Class::ALL);
                    let last = earlier.find(|entry| entry.event < before).map(|entry| entry.event);
                    found.extend(last.filter(|last| Some(*last) > write));
                }
            }
        });
    }

    /// Adds to `found` the events before it, of other threads, that are not ordered before
    /// it and may be in a data race with it. Says whether it conflicts with one of another
    /// thread and one of the two is a weak atomic.
    pub fn racing(
        &self,
        own: &Touched<'_>,
        is_ordered: impl Fn(u32) -> bool,
        found: &mut Vec<u32>,
    ) -> bool {
        let mut weakly = false;
        self.meet(own, |kind, cell| {
            for (_, latest) in cell.latest.iter().filter(|(thread, _)| *thread != own.thread) {
                let earlier = self.of_thread(*latest, Class::racing(kind)).map(|e| e.event);
                found.extend(earlier.take_while(|event| !is_ordered(*event)));
                weakly |= self.entries[*latest as usize].seen.meets_weakly(kind);
            }
        });
        weakly
    }

    /// Calls `visit` with the events before this one that may have written what it reads
    /// of some bytes, and with the bytes concerned, the latest first for each part of them,
    /// until it says that this one has.
    pub fn sources(
        &self,
        own: &Touched<'_>,
        bytes: Range<u64>,
        mut visit: impl FnMut(u32, Range<u64>) -> bool,
    ) {
        self.meet(own, |_, cell| {
            let part = cell.start.max(bytes.start)..cell.end.min(bytes.end);
            if !part.is_empty() {
                let mut writes = self.writes(cell, own.event).map(|entry| entry.event);
                writes.find(|event| visit(*event, part.clone()));
            }
        });
    }
}

/// The lowest level in which the access has lines enough.
fn level(access: &Access) -> u8 {
    let bits = u64::BITS - access.len.leading_zeros();
    (bits.saturating_sub(LINE_BITS + 1) / LEVEL_BITS) as u8
}

fn bits(level: u8) -> u32 {
    (LINE_BITS + LEVEL_BITS * u32::from(level)).min(u64::BITS - 1)
}

/// The lines of a level that an access lies in.
fn lines(access: &Access, level: u8) -> Range<u64> {
    let first = access.addr >> bits(level);
    first..if access.len == 0 { first } else { ((access.end() - 1) >> bits(level)) + 1 }
}

/// The first byte of a line, and the first behind it.
fn bounds(level: u8, line: u64) -> (u64, u64) {
    let start = line << bits(level);
    (start, start.saturating_add(1 << bits(level)))
}

/// Lines of all levels in one table: their numbers leave the upper bits free.
fn line_key(level: u8, line: u64) -> u64 {
    line | u64::from(level) << (u64::BITS - LINE_BITS)
}
