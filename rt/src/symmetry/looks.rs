//! Addresses that the program has looked at as numbers.
//!
//! An object that is known by its address cannot change places with another one: the
//! number, or what was computed from it, stays behind. Of variables on a stack, and of a
//! handle, the whole thread is meant. What the order of two addresses says is the same when
//! they change places, as long as the order of what changes places does: the regions of the
//! address space come in a fixed order (stacks, arenas, the rest), the main thread's
//! before others', and inside one arena the exchange must keep the order.

use super::{incomparable, others::pointers};
use crate::{
    execution::{current_thread, has_ended, running},
    fiber, heap, stacks,
};
use alloc::vec::Vec;
use leno_checker::exchange::Exchange;
use leno_model::{ThreadId, symmetry::Difference};

/// An address has been turned into a number.
pub fn looks_at(addr: u64) {
    if !super::is_wanted() || current_thread().is_none() {
        return;
    }
    if let Some(thread) = fiber::owner_of(addr as usize) {
        if let Some(thread) = running().and_then(|x| x.thread_numbered(thread)) {
            thread.observed.get_or_insert("had an address looked at");
        }
    } else if heap::is_arena(addr as usize) {
        heap::look_at(addr as usize);
    }
}

/// A word of memory has been read as a number, or a part of it. It counts if it leads somewhere:
/// what was left beside a variable of four bytes may make an address of it.
pub fn may_look_at(word: u64) {
    let at = word as usize;
    let leads = match fiber::owner_of(at).filter(|owner| !has_ended(*owner)) {
        Some(owner) if current_thread() == Some(owner) => at >= stacks::program(),
        Some(owner) => running().is_some_and(|x| at >= x.stack_of(owner)),
        None => heap::pointed_to(at).is_some(),
    };
    if leads {
        looks_at(word);
    }
}

/// A function computes with what is in memory, or lets it out of the process.
pub fn looks_into(start: u64, len: u64) {
    if super::is_wanted() {
        let (start, end) = (start & !7, (start + len).next_multiple_of(8));
        pointers(start as usize, end as usize).for_each(|(_, word)| may_look_at(word));
    }
}

/// Memory is taken from one place to another. What is taken whole is as good as a pointer there;
/// a part of a word is a number.
pub fn takes(start: u64, len: u64) {
    if !super::is_wanted() || len == 0 {
        return;
    }
    for end in [start, start + len] {
        if !end.is_multiple_of(8) {
            // SAFETY: some of the word is read, and a word lies in one page.
            may_look_at(unsafe { *((end & !7) as *const u64) });
        }
    }
}

/// The running thread has done what nobody knows, such as to ask where its stack is.
pub fn observes(what: &'static str) {
    let thread = current_thread().and_then(|thread| running()?.thread_numbered(thread));
    if let Some(thread) = thread {
        thread.observed.get_or_insert(what);
    }
}

/// The distance between two addresses was asked for. That of two places in one object, or on one
/// stack, is the same wherever these lie.
pub fn measures(a: u64, b: u64) {
    if !super::is_wanted() || a == b {
        return;
    }
    let stacks = (fiber::owner_of(a as usize), fiber::owner_of(b as usize));
    let block = |addr: u64| heap::pointed_to(addr as usize).map(|(_, block)| block.start);
    let together = match stacks {
        (None, None) => block(a).is_some() && block(a) == block(b),
        (one, other) => one == other,
    };
    if !together {
        looks_at(a);
        looks_at(b);
    }
}

/// The order of two addresses was asked for.
pub fn orders(a: u64, b: u64) {
    // Stacks and arenas; the rest of the address space is nobody's own.
    if a >> 44 != b >> 44 || (a >> 44).wrapping_sub(1) >= 3 || !super::is_wanted() {
        return;
    }
    let stacks = (fiber::owner_of(a as usize), fiber::owner_of(b as usize));
    let arenas = (heap::arena_of(a as usize), heap::arena_of(b as usize));
    let sides = match (stacks, arenas) {
        ((Some(one), Some(other)), _) if one == other => return,
        ((Some(one), Some(other)), _) => [one == ThreadId::MAIN, other == ThreadId::MAIN],
        (_, (Some((one, _)), Some((other, _)))) if one == other => return heap::orders(one),
        // The first is of the time before main, the second the main thread's.
        (_, (Some((one, _)), Some((other, _)))) => [one <= 1, other <= 1],
        _ => return,
    };
    if !sides.contains(&true) {
        looks_at(a);
        looks_at(b);
    }
}

/// Whether what changes places may do so in view of what was looked at.
pub fn were_harmless(exchange: &Exchange) -> Result<(), Difference> {
    let mut pairs: Vec<(u64, u64)> = exchange
        .given()
        .iter()
        .copied()
        .filter(|(block, _)| heap::is_arena(*block as usize))
        .collect();
    let looked_at = |block: u64| heap::is_looked_at(block as usize);
    if pairs.iter().any(|(a, b)| looked_at(*a) || looked_at(*b)) {
        let text = "the address of a block that is its own was looked at";
        return Err(incomparable(text.into()));
    }
    let ordered = |block: u64| heap::is_ordered(block as usize);
    pairs.retain(|(a, b)| ordered(*a) || ordered(*b));
    pairs.sort_unstable();
    if pairs.windows(2).any(|pair| pair[0].1 >= pair[1].1) {
        let text = "the order of blocks was asked for, and theirs is another one";
        return Err(incomparable(text.into()));
    }
    Ok(())
}
