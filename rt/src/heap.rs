//! The program's heap.
//!
//! Each thread allocates from an arena of its own at a fixed address, so an
//! allocation's address depends on the thread's own past only and allocations of
//! different threads commute. A freed block is used again only by the thread that
//! allocated it, only if that thread freed it itself (else its address would depend
//! on the interleaving), and only when the arena has grown large: until then a
//! dangling pointer points to a block that is known to be freed.
//!
//! What is known about blocks lies in the runtime's memory. A word before each block
//! gives its number, checked against what is known there.

use crate::{cell::Global, record::record, sys};
use alloc::{collections::VecDeque, vec::Vec};
use leno_model::{SiteRef, ThreadId, symmetry::Habit};

pub const ARENAS: usize = 0x2000_0000_0000;
/// Nobody has that many threads.
pub const ARENAS_END: usize = 0x4000_0000_0000;
/// Address space of one arena.
const STRIDE: usize = 4 << 30;
/// Bytes before each block: its number, and a gap between neighbours.
const GAP: usize = 16;
/// From this size on an arena hands freed blocks out again.
const REUSE_FROM: usize = 64 << 20;

/// A block, in the order of addresses; its place in the list is its number.
#[derive(Clone, Copy)]
pub struct Block {
    pub start: usize,
    pub size: usize,
    /// Bytes that the block can grow to.
    room: usize,
    pub allocated_at: SiteRef,
    pub freed_at: Option<SiteRef>,
    /// The owner's how-manieth allocation.
    pub index: u32,
    /// Its address was looked at as a number.
    looked_at: bool,
}

#[derive(Default)]
struct Arena {
    blocks: Vec<Block>,
    used: usize,
    allocations: u32,
    /// The order of addresses in it was asked for.
    ordered: bool,
    /// Numbers of blocks to be used again, by the logarithm of their room.
    free: Vec<VecDeque<u32>>,
    /// The number of the block that was used last: mostly it is the next one too.
    recent: usize,
}

/// Arena 0 is of the time before `main` and of the host, arena `i + 1` of thread `i`.
static ARENA: Global<Vec<Arena>> = Global::new(Vec::new());

/// Where an arena lies.
pub fn arena_base(number: u32) -> usize {
    ARENAS + number as usize * STRIDE
}

/// The arena around an address, and the place in it.
pub fn arena_of(addr: usize) -> Option<(u32, u64)> {
    let offset = addr.checked_sub(ARENAS)?;
    let number = offset / STRIDE;
    (number < ARENA.get().len()).then_some((number as u32, (offset % STRIDE) as u64))
}

fn arena(number: usize) -> &'static mut Arena {
    let arenas = ARENA.get();
    while arenas.len() <= number {
        arenas.push(Arena::default());
    }
    &mut arenas[number]
}

/// Who allocates: a thread, or the host.
fn number_of(owner: Option<ThreadId>) -> usize {
    owner.map_or(0, |t| t.index() + 1)
}

/// A new block, or null. Its bytes are not cleared if `reused` comes back true.
pub fn allocate(
    owner: Option<ThreadId>,
    size: usize,
    align: usize,
    site: SiteRef,
) -> (*mut u8, bool) {
    const FAILED: (*mut u8, bool) = (core::ptr::null_mut(), false);
    let number = number_of(owner);
    let arena = arena(number);
    let base = ARENAS + number * STRIDE;
    if size > STRIDE / 2 || align > STRIDE / 4 {
        return FAILED;
    }
    let room = size.max(1).next_multiple_of(16);
    arena.allocations += 1;
    let index = arena.allocations - 1;
    if align > 16 {
        has_habit(owner, Habit::Aligns);
    }
    if arena.used > REUSE_FROM && align <= 16 {
        let class = room.next_power_of_two().trailing_zeros() as usize;
        let reusable = arena.free.get_mut(class).and_then(|list| list.pop_front());
        if let Some(place) = reusable {
            has_habit(owner, Habit::Reuses);
            let block = &mut arena.blocks[place as usize];
            *block = Block {
                size,
                allocated_at: site,
                freed_at: None,
                index,
                looked_at: false,
                ..*block
            };
            return (block.start as *mut u8, true);
        }
    }
    if arena.used == 0 && sys::map(base, STRIDE).is_none() {
        return FAILED;
    }
    // Room is a power of two for blocks that may be used again.
    let room = if room <= 1 << 16 { room.next_power_of_two() } else { room };
    let start = (base + arena.used.max(GAP)).next_multiple_of(align.max(16));
    if start + room + GAP > base + STRIDE {
        return FAILED;
    }
    arena.used = start + room + GAP - base;
    let place = arena.blocks.len();
    let (freed_at, looked_at) = (None, false);
    arena.blocks.push(Block { start, size, room, allocated_at: site, freed_at, index, looked_at });
    // SAFETY: inside the arena's mapping, in the gap before the block.
    unsafe { ((start - 8) as *mut u64).write(place as u64) };
    (start as *mut u8, false)
}

/// What a pointer given to `free` is.
pub enum Found {
    Block {
        owner: usize,
        place: usize,
    },
    /// Not the start of a block.
    Foreign,
}

/// Finds the block that starts at `addr`.
pub fn find_start(addr: usize) -> Found {
    let Some(number) = addr.checked_sub(ARENAS).map(|offset| offset / STRIDE) else {
        return Found::Foreign;
    };
    let Some(arena) = ARENA.get().get(number) else { return Found::Foreign };
    let base = ARENAS + number * STRIDE;
    if addr < base + GAP || addr >= base + arena.used {
        return Found::Foreign;
    }
    // SAFETY: inside the arena's mapping; the word may have been overwritten by the
    // program, therefore it is checked, and searched for if it is wrong.
    let hint = unsafe { ((addr - 8) as *const u64).read_unaligned() } as usize;
    let place = match arena.blocks.get(hint) {
        Some(block) if block.start == addr => hint,
        _ => match arena.blocks.binary_search_by_key(&addr, |b| b.start) {
            Ok(place) => place,
            Err(_) => return Found::Foreign,
        },
    };
    Found::Block { owner: number, place }
}

pub fn block(owner: usize, place: usize) -> &'static mut Block {
    &mut ARENA.get()[owner].blocks[place]
}

/// Marks a block as freed by `by`.
pub fn release(owner: usize, place: usize, by: Option<ThreadId>, site: SiteRef) {
    let arena = &mut ARENA.get()[owner];
    let block = &mut arena.blocks[place];
    block.freed_at = Some(site);
    if number_of(by) == owner && block.room <= 1 << 16 {
        let class = block.room.trailing_zeros() as usize;
        if arena.free.len() <= class {
            arena.free.resize_with(class + 1, VecDeque::new);
        }
        arena.free[class].push_back(place as u32);
    }
}

/// The block around an address and its owner (none for the host's arena).
pub fn around(addr: usize) -> Option<(Option<ThreadId>, Block)> {
    let number = addr.checked_sub(ARENAS)? / STRIDE;
    let arena = ARENA.get().get(number)?;
    let place = arena.blocks.partition_point(|b| b.start <= addr).checked_sub(1)?;
    let block = arena.blocks[place];
    let owner = number.checked_sub(1).map(|n| ThreadId(n as u32));
    (addr < block.start + block.size.max(1)).then_some((owner, block))
}

/// The block that a pointer leads to, its end included, and its arena.
pub fn pointed_to(addr: usize) -> Option<(usize, Block)> {
    let number = addr.checked_sub(ARENAS)? / STRIDE;
    let arena = ARENA.get().get(number)?;
    let place = arena.blocks.partition_point(|b| b.start <= addr).checked_sub(1)?;
    let block = arena.blocks[place];
    (addr <= block.start + block.size).then_some((number, block))
}

/// The block's address was looked at as a number.
pub fn look_at(addr: usize) {
    let number = addr.wrapping_sub(ARENAS) / STRIDE;
    let Some(arena) = ARENA.get().get_mut(number) else { return };
    let place = arena.blocks.partition_point(|b| b.start <= addr);
    // A pointer behind the end of a block may be meant for the next one.
    let next = place.min(arena.blocks.len().saturating_sub(1));
    for place in [place.saturating_sub(1), next] {
        if let Some(block) = arena.blocks.get_mut(place) {
            let near = block.start.saturating_sub(GAP)..=block.start + block.room + GAP;
            block.looked_at |= near.contains(&addr);
        }
    }
}

pub fn is_looked_at(addr: usize) -> bool {
    pointed_to(addr).is_some_and(|(_, block)| block.looked_at)
}

/// The order of addresses in an arena was asked for.
pub fn orders(arena: u32) {
    if let Some(arena) = ARENA.get().get_mut(arena as usize) {
        arena.ordered = true;
    }
}

pub fn is_ordered(addr: usize) -> bool {
    let arena = arena_of(addr).and_then(|(number, _)| ARENA.get().get(number as usize));
    arena.is_some_and(|arena| arena.ordered)
}

/// Keeps in mind what a thread does, for the whole check.
fn has_habit(owner: Option<ThreadId>, habit: Habit) {
    let Some(owner) = owner else { return };
    if !record().habits.as_slice().contains(&(owner, habit)) {
        record().habits.push((owner, habit));
    }
}

/// Where the next block of a thread will lie, counted from the start of its arena, if it is
/// not aligned more than others.
pub fn next(thread: ThreadId) -> usize {
    ARENA.get().get(thread.index() + 1).map_or(GAP, |arena| arena.used.max(GAP))
}

/// The room of an arena from there on.
pub fn room_behind(next: usize) -> usize {
    STRIDE - next
}

/// The blocks of the program's threads that have not been freed.
pub fn living() -> impl Iterator<Item = Block> {
    let of_threads = ARENA.get().iter().skip(1);
    of_threads.flat_map(|arena| &arena.blocks).filter(|b| b.freed_at.is_none()).copied()
}

/// The blocks from before `main` that have not been freed.
pub fn before_main() -> impl Iterator<Item = Block> {
    let host = ARENA.get().iter().take(1);
    host.flat_map(|arena| &arena.blocks).filter(|b| b.freed_at.is_none()).copied()
}

/// Whether an address is in the part of the address space that arenas are in.
pub fn is_arena(addr: usize) -> bool {
    addr.checked_sub(ARENAS).is_some_and(|offset| offset / STRIDE < ARENA.get().len())
}

/// What is wrong with an access to the heap, and the block that was probably meant.
pub enum Misuse {
    Freed(Block),
    /// This many bytes behind the end.
    Past(Block, usize),
    /// This many bytes before the start.
    Before(Block, usize),
}

impl Misuse {
    /// Tells the kinds apart in a record.
    pub fn code(&self) -> u32 {
        match self {
            Misuse::Freed(_) => 1,
            Misuse::Past(..) => 2,
            Misuse::Before(..) => 6,
        }
    }

    pub fn block(&self) -> &Block {
        match self {
            Misuse::Freed(block) | Misuse::Past(block, _) | Misuse::Before(block, _) => block,
        }
    }
}

/// Looks at an access of `len` bytes; nothing is said about memory off the heap.
#[inline(always)]
pub fn misuse(addr: usize, len: usize) -> Option<Misuse> {
    let number = addr.checked_sub(ARENAS)? / STRIDE;
    let arena = ARENA.get().get_mut(number)?;
    let holds = |b: &Block| b.start <= addr && addr.saturating_add(len) <= b.start + b.size;
    if arena.blocks.get(arena.recent).is_some_and(|b| holds(b) && b.freed_at.is_none()) {
        return None;
    }
    misuse_in(arena, addr, len)
}

fn misuse_in(arena: &mut Arena, addr: usize, len: usize) -> Option<Misuse> {
    let place = arena.blocks.partition_point(|b| b.start <= addr);
    arena.recent = place.saturating_sub(1);
    let (before, next) = (arena.blocks[..place].last().copied(), arena.blocks.get(place).copied());
    let past = |block: &Block| addr.max(block.start + block.size) - (block.start + block.size);
    match (before, next) {
        (Some(block), _) if addr.saturating_add(len) <= block.start + block.size => {
            block.freed_at.map(|_| Misuse::Freed(block))
        }
        // Between two blocks the nearer one is meant.
        (Some(block), Some(next)) if past(&block) > next.start - addr => {
            Some(Misuse::Before(next, next.start - addr))
        }
        (Some(block), _) => Some(Misuse::Past(block, past(&block))),
        (None, Some(next)) => Some(Misuse::Before(next, next.start - addr)),
        (None, None) => None,
    }
}

/// What is known about the heap at the start of every execution.
pub struct Snapshot {
    blocks: Vec<Block>,
    bytes: Vec<u8>,
    allocations: u32,
}

/// Keeps the host's arena. The threads' are empty when an execution starts.
pub fn snapshot() -> Snapshot {
    let host = arena(0);
    // SAFETY: the part of the arena that is in use.
    let bytes = unsafe { core::slice::from_raw_parts(ARENAS as *const u8, host.used) };
    Snapshot { blocks: host.blocks.clone(), bytes: bytes.to_vec(), allocations: host.allocations }
}

/// Puts the heap back to the start of an execution.
pub fn restore(snapshot: &Snapshot) {
    for (number, arena) in ARENA.get().iter_mut().enumerate() {
        let kept = if number == 0 { snapshot.bytes.len() } else { 0 };
        clear(ARENAS + number * STRIDE + kept, arena.used.saturating_sub(kept));
        arena.free.iter_mut().for_each(VecDeque::clear);
        arena.ordered = false;
        if number == 0 {
            arena.blocks.clear();
            arena.blocks.extend_from_slice(&snapshot.blocks);
            arena.allocations = snapshot.allocations;
            arena.used = kept;
        } else {
            arena.blocks.clear();
            arena.allocations = 0;
            // Used as far as the first gap, so that it is not mapped again.
            arena.used = arena.used.min(GAP);
        }
    }
    // SAFETY: the same bytes at the same place.
    unsafe {
        core::ptr::copy_nonoverlapping(
            snapshot.bytes.as_ptr(),
            ARENAS as *mut u8,
            snapshot.bytes.len(),
        )
    };
}

/// Makes memory zero again: by writing where it is little, else by giving it back.
fn clear(start: usize, len: usize) {
    /// About where the page faults of the next use cost less than the zeros.
    const MUCH: usize = 1 << 18;
    let (start, end) = (start, start + len);
    let (first, last) = (start.next_multiple_of(4096), end & !4095);
    let zero = |from: usize, to: usize| {
        // SAFETY: the part of an arena that has been in use.
        unsafe { (from as *mut u8).write_bytes(0, to.saturating_sub(from)) };
    };
    if len < MUCH {
        return zero(start, end);
    }
    zero(start, first);
    sys::discard(first, last - first);
    zero(last, end);
}
