//! Who else refers to two threads, or to what would change places with them.
//!
//! Every word of the program's data, of its heap and of what third threads still need
//! counts as a pointer if it has the value of one, at whatever address it lies: there are
//! packed structures. Where nobody knows what a third thread needs (it is in a library
//! function, say), all of that part of its stack is looked at. A variable of a third thread
//! that its own code needs no more is looked at if somebody points to it.
//!
//! A thread's handle is found here too, but judged elsewhere (`handles.rs`). The words that
//! refer to a thread before it exists are glibc's own: its list of stacks, the table of
//! thread-local storage. They are known, and do not count as long as they stay the same.

use super::{
    frames::{Stack, Whose},
    incomparable,
    memory::Process,
    name, pristine, used_alone,
};
use crate::{
    cell::Global,
    describe,
    execution::{self, director, running},
    fiber, heap, snapshot, units,
};
use alloc::{format, vec::Vec};
use hashbrown::HashSet;
use leno_checker::exchange::{Exchange, Kind, Memory};
use leno_model::{
    Op, ThreadId,
    symmetry::{Difference, DifferenceKind},
};

/// What others know of the two threads.
#[derive(Default)]
pub struct Found {
    /// One of their handles.
    pub handles: bool,
}

/// Bytes that are looked through at most.
const MOST: usize = 16 << 20;

/// Words that refer to stacks before there are threads: where they lie, and what they are.
static EARLY: Global<Option<HashSet<(usize, u64)>>> = Global::new(None);

/// The words of a range that look like pointers to what is a thread's, at any address.
pub fn pointers(start: usize, end: usize) -> impl Iterator<Item = (usize, u64)> {
    // SAFETY: memory of the program that is mapped.
    let word = |addr: usize| unsafe { (addr as *const u64).read_unaligned() };
    let mut next = start;
    core::iter::from_fn(move || {
        while next + 8 <= end {
            // Most memory is zeros, and what lies across two words of them is zero too.
            let zeros = next.is_multiple_of(8) && word(next) == 0;
            if zeros && (next + 16 > end || word(next + 8) == 0) {
                next += if next + 16 > end { 1 } else { 8 };
                continue;
            }
            let addr = next;
            next += 1;
            let found = word(addr);
            // Stacks and arenas; most words are nothing of the kind.
            if (found >> 44).wrapping_sub(1) < 3 {
                return Some((addr, found));
            }
        }
        None
    })
}

/// Notes who refers to stacks before there are threads.
pub fn keep() {
    let blocks = heap::before_main().map(|block| (block.start, block.start + block.size));
    let ranges = units::writable().into_iter().chain(blocks);
    let words = ranges.flat_map(|(start, end)| pointers(start, end));
    *EARLY.get() = Some(words.filter(|(_, word)| fiber::is_stack(*word as usize)).collect());
}

/// The stacks of all threads but two.
pub fn stacks(a: ThreadId, b: ThreadId) -> Vec<Stack> {
    let x = running().expect("threads are compared in an execution");
    // Also those that have failed: what is on their stacks can be looked at.
    let there = |thread: &ThreadId| *thread != a && *thread != b && !execution::has_ended(*thread);
    let others: Vec<ThreadId> = x.created().filter(there).collect();
    let stack = |thread: ThreadId| {
        let state = running().and_then(|x| x.thread_numbered(thread))?;
        let mut stack = Stack::of(thread, state, Whose::Other).unwrap_or_else(|_| {
            let (low, top) = fiber::stack_range(thread);
            let from = running().map_or(low, |x| x.stack_of(thread));
            Stack { thread, frames: Vec::new(), gaps: alloc::vec![(from, top)] }
        });
        if !stack.gaps.is_empty() {
            stack.gaps.extend(running().map(|x| x.registers_of(thread)));
        }
        Some(stack)
    };
    others.into_iter().filter_map(stack).collect()
}

struct Scan<'a> {
    process: &'a Process<'a>,
    exchange: &'a Exchange,
    /// Blocks that nobody may lead to.
    lost: &'a HashSet<u64>,
    found: Found,
    looked_at: usize,
    /// Not in a gap, which is full of what the runtime has left there.
    strict: bool,
    /// Variables of third threads that somebody points to: seen, and still to be looked at.
    variables: HashSet<u64>,
    open: Vec<u64>,
}

/// Finds out what others know. `lost`: blocks that the two have used and that must be out of
/// everybody's reach.
pub fn refer_to(
    process: &Process<'_>,
    exchange: &Exchange,
    lost: &HashSet<u64>,
) -> Result<Found, Difference> {
    let mut scan = Scan {
        process,
        exchange,
        lost,
        found: Found::default(),
        looked_at: 0,
        strict: true,
        variables: HashSet::new(),
        open: Vec::new(),
    };
    if let Some(block) = exchange.fixed().find(|object| lost.contains(object)) {
        return Err(used_alone(block));
    }
    exchange.fixed().for_each(|object| scan.leads_to(object));
    let [a, b] = process.stacks.map(|stack| stack.thread);
    for stack in process.others {
        if let Some((_, Op::Join { thread })) = director().and_then(|d| d.standing(stack.thread)) {
            scan.found.handles |= thread == a || thread == b;
        }
        scan.stack(stack)?;
    }
    // What has ended and has not been joined has left a result.
    let results = running().map_or_else(Vec::new, |x| x.results().collect());
    for (thread, result) in results {
        if thread != a && thread != b && scan.is_spoilt_by(0, result)? {
            let text =
                format!("the result of {} leads to {} or {}", name(thread), name(a), name(b));
            return Err(super::difference(DifferenceKind::Referenced, text));
        }
    }
    for (start, end) in snapshot::written().unwrap_or_else(units::writable) {
        scan.range(start, end)?;
    }
    for block in heap::before_main().chain(heap::living()) {
        let start = block.start as u64;
        if exchange.image(start).is_none() && !lost.contains(&start) {
            scan.range(block.start, block.start + block.size)?;
        }
    }
    while let Some(variable) = scan.open.pop() {
        if let Some(object) = process.object(variable) {
            scan.range(object.start as usize, (object.start + object.len) as usize)?;
        }
    }
    Ok(scan.found)
}

impl Scan<'_> {
    /// What a third thread needs.
    fn stack(&mut self, stack: &Stack) -> Result<(), Difference> {
        for frame in &stack.frames {
            for slot in frame.needed() {
                let start = (frame.record + slot.offset) as usize;
                self.range(start, start + slot.size as usize)?;
            }
        }
        self.strict = false;
        for (start, end) in &stack.gaps {
            self.range(*start, *end)?;
        }
        self.strict = true;
        let thread = stack.thread;
        let (low, high) = fiber::control_range(thread);
        for word in 0..(high - low) / 8 {
            let addr = low + 8 * word;
            // SAFETY: a word of a control block.
            if unsafe { *(addr as *const u64) } != pristine(thread, word) {
                self.range(addr, addr + 8)?;
            }
        }
        Ok(())
    }

    fn range(&mut self, start: usize, end: usize) -> Result<(), Difference> {
        self.looked_at += end.saturating_sub(start);
        if self.looked_at > MOST {
            return Err(incomparable("there is too much memory to look through".into()));
        }
        for (addr, word) in pointers(start, end) {
            if self.is_spoilt_by(addr, word)? {
                let [a, b] = self.process.stacks.map(|stack| name(stack.thread));
                return Err(Difference {
                    kind: DifferenceKind::Referenced,
                    text: format!("refers to {a} or {b}"),
                    object: Some(describe::object(addr as u64)),
                });
            }
        }
        Ok(())
    }

    /// Whether a word leads to what changes places. Nor may it lead to what is lost.
    fn is_spoilt_by(&mut self, addr: usize, word: u64) -> Result<bool, Difference> {
        let stacks = self.process.stacks;
        if let Some(owner) = fiber::owner_of(word as usize) {
            let Some(stack) = stacks.iter().find(|stack| stack.thread == owner) else {
                self.leads_to(word);
                return Ok(false);
            };
            if EARLY.get().as_ref().is_some_and(|early| early.contains(&(addr, word))) {
                return Ok(false);
            }
            if word == fiber::handle(owner) {
                self.found.handles = true;
                return Ok(false);
            }
            let (low, high) = fiber::control_range(owner);
            return Ok(self.strict
                || (low..high).contains(&(word as usize))
                || stack.slot_at(word).is_some());
        }
        let Some(object) = self.process.object(word) else { return Ok(false) };
        // It may be meant for a block that it does not lead into, as one to before an array is.
        if object.kind == Kind::Unknown {
            let arena = heap::arena_of(word as usize).map(|(number, _)| number);
            return Ok(stacks.iter().any(|stack| arena == Some(stack.thread.0 + 1)));
        }
        if self.lost.contains(&object.start) {
            return Err(used_alone(object.start));
        }
        Ok(self.exchange.image(object.start).is_some())
    }

    /// Somebody may point to a variable of a third thread.
    fn leads_to(&mut self, word: u64) {
        let stack = self.process.others.iter().find_map(|stack| stack.slot_at(word));
        if let Some((_, frame, slot)) = stack {
            let start = frame.record + slot.offset;
            if self.variables.insert(start) {
                self.open.push(start);
            }
        }
    }
}
