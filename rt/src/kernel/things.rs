//! Things outside the program's memory that its threads have in common: names and
//! bytes of files, open files with their offsets, pipes.
//!
//! Each has an address, in a range where no memory is. So what holds for memory holds
//! for them: to use one is an access; it is an event only if a second thread uses the
//! same one; and what overlaps depends on each other. The address is a function of a
//! name that does not depend on the interleaving: a path, or who made the thing and as
//! the how-manieth.
//!
//! The kernel orders what is done to a file, but no program may rely on that for its
//! memory: uses of files count as relaxed. What came through a pipe was sent before.

use crate::{
    accesses,
    cell::Global,
    execution::{self, Patience, call_site, current_thread, finish, private},
    interpose::cancellation,
    sharing,
};
use alloc::{format, string::String, vec::Vec};
use hashbrown::HashMap;
use leno_model::{Access, AccessKind, End, Order, ThreadId, Varies, object::OUTSIDE};

pub use AccessKind::{Read as Looks, ReadWrite as Changes};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thing(u64);

impl Thing {
    pub fn address(self) -> u64 {
        self.0
    }
}

/// Whether uses of the thing are events.
pub fn is_contested(thing: Thing) -> bool {
    sharing::is_marked(thing.0)
}

/// Has uses of the thing be events from the next execution on.
pub fn contest(thing: Thing) {
    sharing::reveal(&accesses(&[(thing, Looks)], Order::Relaxed));
}

/// Something that belongs to a thread, as its stack does.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Own {
    pub owner: ThreadId,
    pub kind: &'static str,
    /// Of those that it has made, the how-manieth, from 1. 0 if there is one, and always was.
    pub number: u32,
}

/// What belongs to threads, by address.
static OWNERS: Global<Option<HashMap<u64, Own>>> = Global::new(None);

/// What things are called in traces, by address.
static LABELS: Global<Option<HashMap<u64, String>>> = Global::new(None);

/// The thing of this kind and name.
pub fn thing(kind: &'static str, name: &[u8]) -> Thing {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in kind.bytes().chain(name.iter().copied()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let places = (OUTSIDE.end - OUTSIDE.start) / 8;
    let address = OUTSIDE.start + (hash ^ hash >> 40) % places * 8;
    let labels = LABELS.get().get_or_insert_with(HashMap::new);
    labels.entry(address).or_insert_with(|| {
        let mut label = String::from(kind);
        label.push(' ');
        label.push_str(&String::from_utf8_lossy(name));
        label
    });
    Thing(address)
}

/// A thing that belongs to a thread.
pub fn own(own: Own) -> Thing {
    let Own { owner: ThreadId(owner), kind, number } = own;
    let name = match number {
        0 => format!("{owner}"),
        _ => format!("{number} of thread {owner}"),
    };
    let thing = thing(kind, name.as_bytes());
    OWNERS.get().get_or_insert_with(HashMap::new).insert(thing.0, own);
    thing
}

/// Whose the thing at an address is.
pub fn owner(address: u64) -> Option<ThreadId> {
    Some(OWNERS.get().as_ref()?.get(&address)?.owner)
}

/// All things of a thread that were ever spoken of.
pub fn owned_by(thread: ThreadId) -> Vec<Own> {
    let all = OWNERS.get().iter().flat_map(HashMap::values);
    all.filter(|own| own.owner == thread).copied().collect()
}

/// What the thing at an address is called.
pub fn label(address: u64) -> Option<String> {
    LABELS.get().as_ref()?.get(&address).cloned()
}

fn accesses(uses: &[(Thing, AccessKind)], order: Order) -> Vec<Access> {
    uses.iter().map(|(thing, kind)| accesses::one(*kind, thing.0, 8, Some(order))).collect()
}

/// The running thread is about to use things: waits for its turn if others do so too.
pub fn touch(uses: &[(Thing, AccessKind)]) {
    settle(uses, Order::Relaxed, None, || true);
}

/// The same where it turns out only then whether anything will change.
pub fn touch_if(uses: &[(Thing, AccessKind)], changes: impl FnOnce() -> bool) {
    settle(uses, Order::Relaxed, None, changes);
}

/// Uses a thing through which threads talk to each other.
pub fn exchange(thing: Thing) {
    settle(&[(thing, Changes)], Order::SeqCst, None, || true);
}

/// The same for several, each as it is said.
pub fn exchange_all(uses: &[(Thing, AccessKind)]) {
    settle(uses, Order::SeqCst, None, || true);
}

/// Uses such things if they are ready, else only looks at them.
pub fn exchange_if(things: &[Thing], ready: impl FnOnce() -> bool) -> bool {
    let uses: Vec<_> = things.iter().map(|thing| (*thing, Changes)).collect();
    settle(&uses, Order::SeqCst, None, ready)
}

/// Uses one such thing if it and others, which are only looked at, are still as they were.
pub fn exchange_if_still(thing: Thing, others: &[Thing], holds: impl FnOnce() -> bool) -> bool {
    let others = others.iter().filter(|other| **other != thing).map(|other| (*other, Looks));
    let uses: Vec<_> = core::iter::once((thing, Changes)).chain(others).collect();
    settle(&uses, Order::SeqCst, None, holds)
}

/// Uses such things if they are ready; says whether they were. The thread may come back here
/// to try again; if it is `timed`, it has a timeout then, of which it has been chosen that it
/// does not fire.
pub fn try_exchange(things: &[Thing], timed: bool, ready: impl FnOnce() -> bool) -> bool {
    let uses: Vec<_> = things.iter().map(|thing| (*thing, Changes)).collect();
    settle(&uses, Order::SeqCst, Some(Patience { timed, cancel: None }), ready)
}

/// Looks at such things, in one event, with the same patience.
pub fn look<T>(things: &[Thing], timed: bool, look: impl FnOnce() -> T) -> T {
    let uses: Vec<_> = things.iter().map(|thing| (*thing, Looks)).collect();
    let mut seen = None;
    let patience = Patience { timed, cancel: None };
    settle(&uses, Order::SeqCst, Some(patience), || {
        seen = Some(look());
        false
    });
    seen.expect("has looked")
}

/// Uses such things as soon as they are ready. Until then the thread comes back to where
/// it was having changed nothing: that is an await, and it is woken by whoever changes
/// one of them. A cancellation point while it waits.
pub fn exchange_when(things: &[Thing], mut ready: impl FnMut() -> bool) {
    while !try_exchange(things, false, &mut ready) {
        require_shared(things);
        cancellation::point();
    }
}

/// An await has to be seen, also if nobody else has used the things so far.
pub fn require_shared(things: &[Thing]) {
    let uses: Vec<_> = things.iter().map(|thing| (*thing, Looks)).collect();
    if !things.iter().all(|thing| sharing::is_known(thing.0)) {
        sharing::reveal(&accesses(&uses, Order::SeqCst));
        finish(End::Bounded);
    }
}

/// `again`: the thread may come back here to try again, with this patience. Other uses may
/// follow each other in one call, where nothing but the thing is another.
fn settle(
    uses: &[(Thing, AccessKind)],
    order: Order,
    again: Option<Patience>,
    changes: impl FnOnce() -> bool,
) -> bool {
    let Some(thread) = current_thread() else { return changes() };
    let mut uses = accesses(uses, order);
    if !sharing::is_event(thread, &uses) {
        private(call_site(), &uses);
        return changes();
    }
    let mut changed = true;
    // Which things these are is a matter of the arguments.
    let varies = match &uses[..] {
        uses if uses.iter().all(|access| access.kind == Looks) => Varies::Never,
        [_] => Varies::Perhaps,
        _ => Varies::Somehow(0),
    };
    execution::access_patient(&mut uses, call_site(), again, varies, |uses| {
        changed = changes();
        if !changed {
            uses.iter_mut().for_each(|access| access.kind = Looks);
        }
    });
    changed
}
