//! The memory of the process as the comparison of two threads sees it.

use super::frames::Stack;
use crate::{fiber, heap};
use leno_checker::exchange::{Exchange, Inside, Kind, Memory, Object};
use leno_model::ThreadId;

/// Which kind of object a shape is of; the rest of the number says more.
const SLOT: u64 = 1 << 60;
const BLOCK: u64 = 2 << 60;
const CONTROL: u64 = 3 << 60;
const TOP: u64 = 4 << 60;

/// Bytes at the top of a stack that the fiber itself uses: `fiber::trampoline`.
const TRAMPOLINE: u64 = 512;

pub struct Process<'a> {
    pub stacks: [&'a Stack; 2],
    /// Those of third threads.
    pub others: &'a [Stack],
}

/// Where an object is that belongs to a thread's stack as a whole.
pub fn control_start(thread: ThreadId) -> u64 {
    fiber::control_range(thread).0 as u64
}

impl Process<'_> {
    fn is_one_of_them(&self, thread: ThreadId) -> Option<&Stack> {
        self.stacks.iter().copied().find(|stack| stack.thread == thread)
    }

    fn on_stack(&self, word: u64, stack: &Stack) -> Object {
        let thread = stack.thread;
        let (low, high) = fiber::control_range(thread);
        if (low as u64..high as u64).contains(&word) {
            let kind = Kind::Own { shape: CONTROL, inside: Inside::Nothing };
            return Object { start: low as u64, len: (high - low) as u64, kind };
        }
        if let Some((depth, frame, slot)) = stack.slot_at(word) {
            let shape = SLOT | (depth as u64) << 32 | slot.offset;
            let kind = Kind::Own { shape, inside: Inside::Everything };
            return Object { start: frame.record + slot.offset, len: slot.size, kind };
        }
        let (_, top) = fiber::stack_range(thread);
        let start = top as u64 - TRAMPOLINE;
        if word >= start {
            let kind = Kind::Own { shape: TOP, inside: Inside::Nothing };
            return Object { start, len: TRAMPOLINE, kind };
        }
        Object { start: fiber::region(thread) as u64, len: 0, kind: Kind::Unknown }
    }

    /// On the stack of a third thread: the variable, if it is one.
    fn elsewhere(&self, word: u64) -> Object {
        let slot = self.others.iter().find_map(|stack| stack.slot_at(word));
        let (start, len) =
            slot.map_or((word, 0), |(_, frame, slot)| (frame.record + slot.offset, slot.size));
        Object { start, len, kind: Kind::Common }
    }

    /// Where something lies when the two threads have changed places.
    pub fn after(&self, exchange: &Exchange, addr: u64) -> u64 {
        let [a, b] = self.stacks.map(|stack| stack.thread);
        for (from, to) in [(a, b), (b, a)] {
            if addr == fiber::life(from) {
                return fiber::life(to);
            }
            let (low, high) = fiber::control_range(from);
            if (low as u64..high as u64).contains(&addr) {
                return addr - low as u64 + control_start(to);
            }
        }
        let Some(object) = self.object(addr) else { return addr };
        exchange.image(object.start).map_or(addr, |image| addr - object.start + image)
    }
}

impl Memory for Process<'_> {
    fn object(&self, word: u64) -> Option<Object> {
        // Neither a stack nor an arena lies below or above.
        if !(1 << 44..4 << 44).contains(&word) {
            return None;
        }
        if let Some(owner) = fiber::owner_of(word as usize) {
            let one = self.is_one_of_them(owner);
            return Some(
                one.map_or_else(|| self.elsewhere(word), |stack| self.on_stack(word, stack)),
            );
        }
        if !heap::is_arena(word as usize) {
            return None;
        }
        let Some((arena, block)) = heap::pointed_to(word as usize) else {
            return Some(Object { start: word, len: 0, kind: Kind::Unknown });
        };
        let (start, len) = (block.start as u64, block.size as u64);
        let freed = block.freed_at.is_some();
        let inside = if freed { Inside::Nothing } else { Inside::Everything };
        let own = Kind::Own { shape: BLOCK | u64::from(freed), inside };
        let kind = if arena == 0 { Kind::Common } else { own };
        Some(Object { start, len, kind })
    }

    fn padding(&self, object: &Object) -> &[(u64, u64)] {
        let Kind::Own { shape, .. } = object.kind else { return &[] };
        let slot = || self.stacks.iter().find_map(|stack| stack.slot_at(object.start));
        match shape >> 60 == SLOT >> 60 {
            true => slot().map_or(&[], |(.., slot)| &slot.padding),
            false => &[],
        }
    }

    fn bytes(&self, start: u64, len: u64) -> &[u8] {
        // SAFETY: a variable, a block or a control block of threads that stand still.
        unsafe { core::slice::from_raw_parts(start as *const u8, len as usize) }
    }
}
