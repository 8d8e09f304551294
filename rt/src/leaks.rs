//! Leaks: blocks of the heap that nothing points to any more when the process ends.
//!
//! A conservative scan, as LeakSanitizer makes it: every aligned word of the loaded
//! files' data, of other writable mappings, of the stacks and thread-local storage of
//! threads that have not ended, and of blocks that have been reached, counts as a
//! pointer if it has the value of one, also to the middle of a block. What was
//! allocated before `main` counts as reached.

use crate::{
    describe,
    execution::{self, running},
    fiber,
    given_stacks::Given,
    heap::{self, Block},
    host,
    kernel::listing,
    stacks, sys,
    trace::FailureText,
    units,
};
use alloc::{format, string::String, vec::Vec};
use hashbrown::HashSet;
use leno_model::{Property, ThreadId, wire::Part};

/// The process is about to end, and everything above `stack_pointer` on the running
/// thread's stack is still in use.
pub fn report(stack_pointer: usize) {
    if !host::looks_for(Property::Leak) {
        return;
    }
    let mut scan = Scan::default();
    for (start, end) in roots(stack_pointer) {
        scan.range(start, end);
    }
    // Who runs on a block refers to it.
    for memory in given() {
        scan.word(0, memory.low);
    }
    scan.follow();
    let lost: Vec<Block> = heap::living().filter(|block| !scan.reached(block)).collect();
    if lost.is_empty() {
        return;
    }
    // A block that only others which are lost point to is not where it began.
    let mut inner = Scan::default();
    lost.iter().for_each(|block| inner.range(block.start, block.start + block.size));
    let first = lost.iter().find(|block| !inner.reached(block)).unwrap_or(&lost[0]);
    let bytes: usize = lost.iter().map(|block| block.size).sum();
    let what = match lost.len() {
        1 => {
            format!("a block of {bytes} bytes is lost: nothing points to it when the program ends")
        }
        n => format!("{n} blocks of {bytes} bytes in all are lost, this one among them"),
    };
    let object = describe::object(first.start as u64);
    let unknown = || Part { thread: ThreadId::MAIN, what: String::new(), stack: Vec::new() };
    let history = execution::history(first.start as u64);
    let allocated = history.into_iter().next().unwrap_or_else(unknown);
    let text = FailureText::Leak { what, object, allocated };
    execution::fail(Property::Leak, 1, first.allocated_at, text);
}

#[derive(Default)]
struct Scan {
    /// Starts of blocks.
    seen: HashSet<usize>,
    /// Those of which the inside has yet to be looked at.
    open: Vec<Block>,
}

impl Scan {
    fn reached(&self, block: &Block) -> bool {
        self.seen.contains(&block.start)
    }

    fn range(&mut self, start: usize, end: usize) {
        for addr in (start.next_multiple_of(8)..end & !7).step_by(8) {
            // SAFETY: memory that can be read, as the caller knows.
            let word = unsafe { (addr as *const usize).read_volatile() };
            self.word(addr, word);
        }
    }

    /// What was found at an address.
    fn word(&mut self, addr: usize, word: usize) {
        if let Some((_, block)) = heap::around(word)
            && block.freed_at.is_none()
            && block.start != addr
            && self.seen.insert(block.start)
        {
            self.open.push(block);
        }
    }

    fn follow(&mut self) {
        while let Some(block) = self.open.pop() {
            self.range(block.start, block.start + block.size);
        }
    }
}

/// Memory of the program's that threads run on which have not ended.
fn given() -> Vec<Given> {
    let x = running().expect("a process ends in an execution");
    let alive = x.created().filter(|thread| !execution::has_ended(*thread));
    alive.filter_map(|thread| running()?.thread_numbered(thread)?.given).collect()
}

/// Where pointers of the program may lie, apart from its heap.
fn roots(stack_pointer: usize) -> Vec<(usize, usize)> {
    let x = running().expect("a process ends in an execution");
    let mut roots = units::writable();
    roots.extend(other_mappings(&roots));
    roots.extend(heap::before_main().map(|block| (block.start, block.start + block.size)));
    let me = execution::current_thread();
    let alive: Vec<ThreadId> =
        x.created().filter(|thread| !execution::has_ended(*thread)).collect();
    for thread in alive {
        let given = running().and_then(|x| x.thread_numbered(thread)?.given);
        let (low, top) =
            given.map_or_else(|| fiber::stack_range(thread), |Given { low, high }| (low, high));
        let own_top = fiber::own_top(thread);
        let from = if Some(thread) == me {
            stack_pointer
        } else {
            // Registers of the program's are on the runtime's stack.
            roots.push((x.own_stack_pointer(thread), own_top));
            stacks::program_of(own_top)
        };
        if (low..top).contains(&from) {
            roots.push((from, top));
        }
        roots.push(fiber::control_range(thread));
    }
    roots
}

/// Writable mappings that are neither a file's data nor the heap nor a stack of ours nor
/// the runtime's.
fn other_mappings(known: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let text = String::from_utf8(listing::text(c"/proc/self/maps")).unwrap_or_default();
    let ours = |start: usize| {
        fiber::is_stack(start)
            || heap::is_arena(start)
            || sys::OWN.contains(&(start as u64))
            || known.iter().any(|(low, high)| (low & !4095..*high).contains(&start))
            || host::owns_address(start as u64)
    };
    let mapping = |line: &str| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let number = |text: &str| usize::from_str_radix(text, 16).ok();
        let (start, end) = (number(start)?, number(end)?);
        let mapped = rest.starts_with("rw") && !rest.ends_with("[stack]");
        (mapped && !ours(start)).then_some((start, end))
    };
    text.lines().filter_map(mapping).collect()
}
