//! Which memory is shared, and therefore whose accesses are events.
//!
//! A location is private until a second thread touches it in the same execution. A
//! private access is dependent on nothing, so it is not recorded; it costs a look at
//! a table. When an execution shows that a location is shared, what it recorded so
//! far is incomplete: the location is noted, the execution does not count, and the
//! search begins anew with what is known now. That ends, as the set only grows, and
//! it is mostly the first execution or two that find something.
//!
//! Why nothing is missed: suppose that some execution of the program has two threads
//! touch a location that the finished search held for private, and take the shortest
//! prefix of one that ends with such a second touch. Before it nothing private was
//! touched twice, so what was recorded orders everything that is dependent there, and
//! the search covers the prefix up to reordering independent events: it ran an
//! execution with that prefix in which the second touch is the same thread's next
//! access. It would have seen it.
//!
//! The unit is a granule of eight bytes. Each page that is touched has a table with a
//! word for each granule: who touched it and in which execution, or that it is shared.

use crate::{cell::Global, fiber, heap, interpose::signalling, record::record, units};
use alloc::{boxed::Box, vec::Vec};
use hashbrown::HashMap;
use leno_model::{
    Access, ThreadId,
    object::{Place, SharedRange},
};

/// What is shared is told apart by so many bytes.
pub const GRANULE: u64 = 8;
const PAGE: u64 = 4096;
const GRANULES: usize = (PAGE / GRANULE) as usize;
/// Bits of an owner that are the thread's number. A process of this kind has fewer threads.
const THREADS: u32 = 16;

const UNTOUCHED: u32 = 0;
const SHARED: u32 = u32::MAX;
/// Nobody's concern.
const LEFT_OUT: u32 = u32::MAX - 1;
/// The number of no execution: the thread has touched it in one that it may be in a race with
/// (see `glanced`).
const GLANCED: u32 = (u32::MAX >> THREADS) - 1;

/// How many pages are found without a search. A thread mostly goes to and fro between its
/// stack, some of the heap and some data.
const RECENT: usize = 64;

/// By granule: who touched it (see [`Sharing::owner`]), or one of the constants.
type Page = [u32; GRANULES];

struct Sharing {
    pages: HashMap<u64, Box<Page>>,
    /// Counts executions, from 1, and begins again when there is no room for the number.
    execution: u32,
    /// Everything is to be recorded.
    all: bool,
    /// Pages that were looked at lately, each at the place that its number says: the number
    /// and where its table is, or 0.
    recent: [(u64, usize); RECENT],
}

/// The running thread is in a handler that has interrupted it.
static IN_HANDLER: Global<bool> = Global::new(false);

/// Whether what is touched from now on is touched by a handler.
pub fn in_handler(is: bool) {
    *IN_HANDLER.get() = is;
}

static SHARING: Global<Option<Sharing>> = Global::new(None);

#[inline(always)]
fn sharing() -> &'static mut Sharing {
    SHARING.get().get_or_insert_with(|| Sharing {
        pages: HashMap::default(),
        execution: 0,
        all: false,
        recent: [(0, 0); RECENT],
    })
}

/// With `all`, every access is an event.
pub fn record_everything(all: bool) {
    sharing().all = all;
}

/// A new execution starts: nobody has touched anything.
pub fn begin() {
    in_handler(false);
    let sharing = sharing();
    sharing.execution += 1;
    if sharing.execution == GLANCED {
        sharing.execution = 1;
        for owner in sharing.pages.values_mut().flat_map(|page| page.iter_mut()) {
            *owner = if *owner >> THREADS >= GLANCED { *owner } else { UNTOUCHED };
        }
    }
}

impl Sharing {
    /// Where the table of a page is, if it was looked at lately; else 0.
    #[inline(always)]
    fn recent(&self, number: u64) -> usize {
        let (page, table) = self.recent[number as usize % RECENT];
        if page == number { table } else { 0 }
    }

    fn page(&mut self, number: u64) -> &mut Page {
        let mut table = self.recent(number);
        if table == 0 {
            // What nobody can write is nobody's concern: vtables, literals.
            let (first, last) = (number * PAGE, number * PAGE + PAGE - 1);
            let constant = || units::is_constant(first) && units::is_constant(last);
            let owner = || if constant() { LEFT_OUT } else { UNTOUCHED };
            let fresh = || Box::new([owner(); GRANULES]);
            let page = self.pages.entry(number).or_insert_with(fresh);
            table = &raw mut **page as usize;
            self.recent[number as usize % RECENT] = (number, table);
        }
        // SAFETY: pages are boxed and never dropped, so the address stays good.
        unsafe { &mut *(table as *mut Page) }
    }

    /// What stands for a granule that the thread has touched in this execution.
    #[inline(always)]
    fn owner(&self, thread: ThreadId) -> u32 {
        // A handler that has interrupted the thread is another one.
        let number = if *IN_HANDLER.get() { !thread.0 } else { thread.0 };
        self.execution << THREADS | (number & ((1 << THREADS) - 1))
    }

    fn granule(&mut self, addr: u64) -> &mut u32 {
        &mut self.page(addr / PAGE)[(addr / GRANULE) as usize % GRANULES]
    }

    /// What `touch` gives, where nothing is to be noted and that is seen at a glance, as for
    /// most accesses: one granule of a recent page, shared or touched by the thread before.
    #[inline(always)]
    fn seen_before(&self, thread: ThreadId, access: &Access) -> Option<bool> {
        let (first, last) = (access.addr / GRANULE, access.end().wrapping_sub(1) / GRANULE);
        let table = self.recent(first * GRANULE / PAGE);
        if access.len == 0 || first != last || table == 0 {
            return None;
        }
        // SAFETY: as in `page`.
        let page = unsafe { &*(table as *const Page) };
        match page[first as usize % GRANULES] {
            SHARED => Some(true),
            LEFT_OUT => Some(false),
            owner => {
                let me = self.owner(thread);
                (owner == me || owner == glanced_by(me)).then_some(false)
            }
        }
    }

    fn is_left_out(&mut self, addr: u64) -> bool {
        *self.granule(addr) == LEFT_OUT
    }

    /// Notes a touch of the granules of a range; true if one of them is shared.
    fn touch(&mut self, thread: ThreadId, access: &Access) -> bool {
        let (me, execution) = (self.owner(thread), self.execution);
        let mut shared = false;
        let mut granule = access.addr / GRANULE;
        let end = access.end().div_ceil(GRANULE);
        while granule < end {
            let number = granule * GRANULE / PAGE;
            let until = end.min((number + 1) * PAGE / GRANULE);
            let page = self.page(number);
            for granule in granule..until {
                let owner = &mut page[granule as usize % GRANULES];
                if *owner == SHARED {
                    shared = true;
                } else if *owner == LEFT_OUT {
                    // Nobody's concern.
                } else if ![execution, GLANCED].contains(&(*owner >> THREADS)) {
                    *owner = me;
                } else if *owner != me && *owner != glanced_by(me) {
                    *owner = SHARED;
                    record().discovered.push(granule * GRANULE);
                    shared = true;
                }
            }
            granule = until;
        }
        shared
    }
}

/// What stands for a granule that a thread has glanced at.
fn glanced_by(owner: u32) -> u32 {
    GLANCED << THREADS | (owner & ((1 << THREADS) - 1))
}

/// The thread is about to make these accesses: true if they are an event.
#[inline]
pub fn is_event(thread: ThreadId, accesses: &[Access]) -> bool {
    let sharing = sharing();
    if let ([access], false) = (accesses, sharing.all)
        && let Some(shared) = sharing.seen_before(thread, access)
    {
        return shared;
    }
    // All of them are looked at: each is to have its owner.
    if sharing.all {
        return accesses.iter().any(|access| !sharing.is_left_out(access.addr));
    }
    accesses.iter().fold(false, |event, access| sharing.touch(thread, access) | event)
}

/// What these two threads have touched in this execution and nobody else, so that it was no
/// event: addresses of granules.
pub fn touched_alone(threads: [ThreadId; 2]) -> impl Iterator<Item = u64> {
    let sharing = sharing();
    let owners = threads.map(|thread| sharing.owner(thread));
    let glanced = owners.map(glanced_by);
    sharing.pages.iter().flat_map(move |(number, page)| {
        let is_theirs = move |owner| owners.contains(owner) || glanced.contains(owner);
        let touched = page.iter().enumerate().filter(move |(_, owner)| is_theirs(owner));
        let first = number * PAGE;
        touched.map(move |(place, _)| first + place as u64 * GRANULE)
    })
}

/// Whether accesses of these bytes are events already.
pub fn is_known(addr: u64) -> bool {
    let sharing = sharing();
    sharing.all || *sharing.granule(addr) == SHARED
}

/// Whether it has been found out that these bytes are shared.
pub fn is_marked(addr: u64) -> bool {
    *sharing().granule(addr) == SHARED
}

/// Whether a thread counts as having touched this granule in every execution.
pub fn is_glanced(addr: u64) -> bool {
    *sharing().granule(addr) >> THREADS == GLANCED
}

/// Has the next execution know that the thread touches this granule, whether or not it does.
pub fn keep(thread: ThreadId, addr: u64) {
    let sharing = sharing();
    let owner = *sharing.granule(addr);
    if owner == sharing.owner(thread) {
        record().glanced.push((addr, owner & ((1 << THREADS) - 1)));
    }
}

/// The same for what is only an event if it is shared, whatever is to be recorded.
pub fn is_shared(thread: ThreadId, accesses: &[Access]) -> bool {
    accesses.iter().fold(false, |shared, access| sharing().touch(thread, access) | shared)
}

/// Has these accesses be events from the next execution on.
pub fn reveal(accesses: &[Access]) {
    for access in accesses {
        for granule in access.addr / GRANULE..access.end().div_ceil(GRANULE) {
            reveal_at(granule * GRANULE);
        }
    }
}

/// The same for the accesses to one granule.
pub fn reveal_at(addr: u64) {
    record().discovered.push(addr);
}

/// Whether the last execution has found something to be shared.
pub fn has_learnt() -> bool {
    !record().discovered.as_slice().is_empty() || !record().glanced.as_slice().is_empty()
}

/// Takes over what an execution, perhaps in another process, has found to be shared.
/// True if there is anything new.
pub fn learn() -> bool {
    let discovered = record().discovered.as_slice();
    for addr in discovered {
        mark(*addr, GRANULE);
        record().shared.push(*addr);
    }
    let glanced = record().glanced.as_slice();
    glanced.iter().for_each(|(addr, thread)| touch_for_good(*addr, *thread));
    !discovered.is_empty() || !glanced.is_empty()
}

/// A thread, by the number that stands for it here, has glanced at a granule.
fn touch_for_good(addr: u64, thread: u32) {
    let owner = sharing().granule(addr);
    if *owner == glanced_by(thread) || *owner >= LEFT_OUT {
        return;
    }
    if *owner >> THREADS == GLANCED {
        mark(addr, GRANULE);
    } else {
        *owner = glanced_by(thread);
    }
}

/// Takes over what the process before this one, whose journal we have, knew.
pub fn remember() {
    for addr in record().shared.as_slice() {
        mark(*addr, GRANULE);
    }
}

/// Has what is touched there be no event, whoever touches it.
pub fn leave_out(low: u64, high: u64) {
    for granule in low.div_ceil(GRANULE)..high / GRANULE {
        sharing().page(granule * GRANULE / PAGE)[granule as usize % GRANULES] = LEFT_OUT;
    }
}

fn mark(addr: u64, len: u64) {
    for granule in addr / GRANULE..(addr + len).div_ceil(GRANULE) {
        *sharing().granule(granule * GRANULE) = SHARED;
        signalling::learn(granule * GRANULE);
    }
}

/// What is shared, by names that mean the same in another process.
pub fn ranges() -> Vec<SharedRange> {
    let mut granules: Vec<u64> = granules(|owner| owner == SHARED).map(|(addr, _)| addr).collect();
    granules.sort_unstable();
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for addr in granules {
        match ranges.last_mut() {
            Some((start, len)) if *start + *len == addr => *len += GRANULE,
            _ => ranges.push((addr, GRANULE)),
        }
    }
    ranges.into_iter().map(|(addr, len)| SharedRange { place: place_of(addr), len }).collect()
}

/// What was glanced at, in the same way, and by which thread.
pub fn glanced() -> Vec<(SharedRange, u32)> {
    let mut glanced: Vec<(u64, u32)> = granules(|owner| owner >> THREADS == GLANCED).collect();
    glanced.sort_unstable();
    let range = |addr| SharedRange { place: place_of(addr), len: GRANULE };
    glanced.into_iter().map(|(addr, owner)| (range(addr), glanced_by(owner))).collect()
}

fn granules(which: impl Fn(u32) -> bool) -> impl Iterator<Item = (u64, u32)> {
    let which = alloc::rc::Rc::new(which);
    sharing().pages.iter().flat_map(move |(number, page)| {
        let which = which.clone();
        let wanted = page.iter().enumerate().filter(move |(_, owner)| which(**owner));
        wanted.map(move |(place, owner)| (number * PAGE + place as u64 * GRANULE, *owner))
    })
}

/// Takes over what another process has seen glanced at.
pub fn assume_glanced(glanced: &[(SharedRange, u32)]) {
    for (range, thread) in glanced {
        if let Some(addr) = address_of(&range.place) {
            touch_for_good(addr, *thread);
        }
    }
}

/// Takes over what another process found.
pub fn assume(ranges: &[SharedRange]) {
    for range in ranges {
        if let Some(addr) = address_of(&range.place) {
            mark(addr, range.len);
        }
    }
}

fn place_of(addr: u64) -> Place {
    if let Some((arena, offset)) = heap::arena_of(addr as usize) {
        return Place::Heap { arena, offset };
    }
    if let Some(thread) = fiber::owner_of(addr as usize) {
        return Place::Stack { thread, offset: addr - fiber::region(thread) as u64 };
    }
    match units::image_of(addr) {
        Some((image, bias)) => Place::Image { image, offset: addr - bias },
        None => Place::Control { offset: addr.wrapping_sub(fiber::handle(ThreadId::MAIN)) as i64 },
    }
}

fn address_of(place: &Place) -> Option<u64> {
    Some(match place {
        Place::Heap { arena, offset } => heap::arena_base(*arena) as u64 + offset,
        Place::Stack { thread, offset } => fiber::region(*thread) as u64 + offset,
        Place::Image { image, offset } => units::bias_of(image)? + offset,
        Place::Control { offset } => fiber::handle(ThreadId::MAIN).wrapping_add_signed(*offset),
    })
}
