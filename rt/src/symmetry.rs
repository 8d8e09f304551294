//! Whether two threads are interchangeable in the state that the program is in.
//!
//! A state is symmetric in threads a and b if it is the same state when the two have
//! changed places: then whatever can follow when a goes on can follow when b does, with a
//! and b exchanged. What changes places with a thread is its stack, its thread-local
//! storage, and the blocks of the heap that only it refers to (`checker::exchange`). What
//! has to be the same then:
//!
//! - **their code**: the stacks of residual digests, frame by frame (`frames.rs`);
//! - **their memory**: the variables that this code needs, with all that they lead to, and
//!   what has changed in their thread-local storage and control blocks since they were
//!   made: `errno`, thread-specific data, cleanup handlers;
//! - **what the runtime keeps for them**: signal masks, clocks, cancellation, names;
//! - **what they stand at**, hold and wait for (`Director::told_apart`);
//! - **everything else**: no global variable, no block of the heap, no stack of a third
//!   thread may refer to what changes places (`others.rs`). The scan is conservative, as
//!   that for leaks is. Handles have a rule of their own (`handles.rs`).
//!
//! And what they have done must be known, as far as it is not theirs: accesses to what nobody
//! else has touched are no events, but would be in the other's place. If that is all that
//! stands against it, they are made events, unless there are many, and the search begins anew.
//!
//! What is not understood makes two threads incomparable, and so does having looked at an
//! address or at one's own identity as a number: numbers do not change places.
//!
//! **What is not looked at**, and why that is right. Dead variables: no code reads them.
//! Stack between the frames' records: the values that live across a hook or a call are in
//! the records, and a pointer to something else there makes a thread incomparable. Freed
//! blocks: who touches one is a bug in both worlds. How often hooks were passed, and what
//! the search keeps to recognise loops that wait: that decides when a thread is found to
//! repeat itself, not what it does. Which numbers its threads, descriptors and mappings
//! will get: they are names, and exchanged as such (`futures.rs`). That threads have different identities, and may ask for them
//! later: which is whose is nowhere promised, and the program with the two identities
//! exchanged is the same program; a check looks at one assignment of them.

mod frames;
mod futures;
mod handles;
mod looks;
mod memory;
mod others;
mod report;

pub use handles::{gives, keep_in_mind, known, learn, used};
pub use looks::{looks_at, looks_into, may_look_at, measures, observes, orders, takes};
pub use report::{
    Explanations, compare_all, compare_with, counts, go_on_counting, is_wanted, want,
};

use crate::{
    cell::Global,
    describe,
    execution::{Thread, director, running},
    fiber, given_stacks, heap,
    interpose::signalling,
    kernel::{handlers, open, regions, things},
    record::record,
    sharing, units,
};
use alloc::{format, string::String, vec::Vec};
use frames::{Frame, Stack, Whose};
use hashbrown::HashSet;
use leno_checker::{
    Apart,
    exchange::{Exchange, Memory, Mismatch, Swap, Why},
};
use leno_model::{
    Exchanged, ThreadId,
    symmetry::{Difference, DifferenceKind},
};
use memory::Process;

fn difference(kind: DifferenceKind, text: String) -> Difference {
    Difference { kind, text, object: None }
}

fn incomparable(text: String) -> Difference {
    difference(DifferenceKind::Incomparable, text)
}

/// What a thread is called.
fn name(thread: ThreadId) -> String {
    leno_model::thread::name_of(&record().threads().path(thread))
}

/// Bytes that are compared at most. More is not worth it: an execution takes some
/// microseconds.
const MOST: u64 = 4 << 20;

/// Control blocks and thread-local storage as they are before a thread is created.
static PRISTINE: Global<Vec<Vec<u8>>> = Global::new(Vec::new());

/// Keeps what control blocks look like before any execution, and who refers to them. Call
/// it from the host only.
pub fn keep() {
    let pristine = PRISTINE.get();
    if !is_wanted() || pristine.len() == fiber::provided() {
        return;
    }
    // Also those that were there: glibc has linked the new ones to them.
    pristine.clear();
    for thread in 0..fiber::provided() {
        let (low, high) = fiber::control_range(ThreadId(thread as u32));
        // SAFETY: mapped as long as the process lives.
        let bytes = unsafe { core::slice::from_raw_parts(low as *const u8, high - low) };
        pristine.push(bytes.to_vec());
    }
    others::keep();
}

/// A word of a control block or of thread-local storage as it was before its thread was
/// created.
fn pristine(thread: ThreadId, word: usize) -> u64 {
    let all = PRISTINE.get().get(thread.index());
    let bytes = all.and_then(|all| all.get(8 * word..8 * word + 8));
    bytes.map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
}

/// Where a comparison came from, for messages.
#[derive(Clone, Copy)]
enum Root {
    /// Of the frame at this depth.
    Slot(usize, &'static leno_model::site::Slot),
    ThreadLocal,
    Argument,
    Result,
}

/// What changes places with two symmetric threads.
pub struct Symmetric {
    /// Ranges of memory: what the first has at `at`, the second has at `to`.
    pub exchanged: Vec<Exchanged>,
    /// Threads that the first will create, and those that the second will in their places.
    pub children: Vec<(ThreadId, ThreadId)>,
    /// Somebody has a handle of one of them, which is assumed to make no difference.
    pub assumed: bool,
    /// What one of them has touched alone, so that it was no event: until it is, they cannot
    /// be exchanged.
    pub unrecorded: Vec<u64>,
}

/// Compares two threads that stand at an event each. Every other thread must do so too, or
/// have ended.
pub fn symmetric(a: ThreadId, b: ThreadId) -> Result<Symmetric, Difference> {
    let x = running().expect("threads are compared in an execution");
    for thread in [a, b] {
        if thread == ThreadId::MAIN {
            return Err(incomparable(format!("{} is the main thread", name(thread))));
        }
    }
    if given_stacks::any() {
        return Err(incomparable("a thread runs on memory of the program's".into()));
    }
    let stacks = [a, b].map(|thread| {
        let state = &*x.thread_numbered(thread).expect("a thread of the execution");
        Stack::of(thread, state, Whose::Compared)
    });
    let [first, second] = stacks;
    let (first, second) = (first?, second?);
    let of = |thread: ThreadId| running().and_then(|x| x.thread_numbered(thread));
    let (Some(one), Some(two)) = (of(a), of(b)) else {
        return Err(incomparable("a thread is not there".into()));
    };
    runtime_state(a, one, b, two)?;
    let others = others::stacks(a, b);
    let process = Process { stacks: [&first, &second], others: &others };
    let exchange = own_memory(&process, one, two)?;
    looks::were_harmless(&exchange)?;
    let after = |addr: u64| process.after(&exchange, addr);
    let futures = futures::of((a, one), (b, two))?;
    let swap = Swap { threads: (a, b), children: &futures.children, address: &after };
    if !one.robust.iter().map(|addr| after(*addr)).eq(two.robust.iter().copied()) {
        return Err(difference(DifferenceKind::Lock, "they hold different robust mutexes".into()));
    }
    match director().and_then(|director| director.told_apart(&swap)) {
        None => {}
        Some(apart) => return Err(in_words(apart)),
    }
    let History { lost, unrecorded } = history(&process, &exchange);
    let found = others::refer_to(&process, &exchange, &lost)?;
    let assumed = found.handles || one.claimed != two.claimed;
    if assumed {
        handles::are_alike(a, b)?;
    }
    let blocks = exchange.given().iter().filter(|(at, _)| heap::is_arena(*at as usize));
    let block = |(at, to): &(u64, u64)| {
        let len = process.object(*at).map_or(0, |object| object.len);
        Exchanged { at: *at, to: *to, len }
    };
    let mut exchanged: Vec<Exchanged> = blocks.map(block).collect();
    exchanged.extend(futures.memory);
    Ok(Symmetric { exchanged, children: futures.children, assumed, unrecorded })
}

/// What one of the threads has touched, and nobody else, was no event: nobody knows that it
/// may be in a race with what the other one does, which will touch it in its place. So it must
/// be what changes places with the thread, or be gone: freed, of a thread that is no more, or a
/// block that nobody has a pointer to any more. (What it has glanced at is made known in any
/// case: who else touches that may do so in an execution that has the two exchanged.)
fn history(process: &Process<'_>, exchange: &Exchange) -> History {
    let threads = process.stacks.map(|stack| stack.thread);
    let (mut lost, mut unrecorded) = (HashSet::new(), Vec::new());
    for addr in sharing::touched_alone(threads) {
        if sharing::is_glanced(addr) {
            unrecorded.push(addr);
            continue;
        }
        let owner = fiber::owner_of(addr as usize).or_else(|| things::owner(addr));
        let is_away = |owner: ThreadId| threads.contains(&owner) || futures::is_gone(owner);
        if owner.is_some_and(is_away) {
            continue;
        }
        match heap::around(addr as usize) {
            Some((_, block)) if block.freed_at.is_some() => {}
            Some((_, block)) if exchange.image(block.start as u64).is_some() => {}
            // A number may lead to it.
            Some((_, block)) if !heap::is_looked_at(block.start) => {
                lost.insert(block.start as u64);
            }
            _ => unrecorded.push(addr),
        }
    }
    History { lost, unrecorded }
}

struct History {
    /// Blocks of which it is yet to be shown that nobody has a pointer to them.
    lost: HashSet<u64>,
    /// All else that only one of the two has touched.
    unrecorded: Vec<u64>,
}

fn used_alone(addr: u64) -> Difference {
    Difference {
        kind: DifferenceKind::State,
        text: "one of them has used it, and nobody else has until now".into(),
        object: Some(describe::object(addr)),
    }
}

fn in_words(apart: Apart) -> Difference {
    match apart {
        Apart::Event => difference(DifferenceKind::Lock, "they stand at different events".into()),
        Apart::Await => {
            difference(DifferenceKind::Lock, "one of them waits in a loop in another way".into())
        }
        Apart::Other(thread) => {
            let text = format!("{} is about to use what belongs to one of them", name(thread));
            difference(DifferenceKind::Referenced, text)
        }
        Apart::Object(object) => Difference {
            kind: DifferenceKind::Lock,
            text: "one of them holds it, or waits for it".into(),
            object: Some(describe::object(object)),
        },
    }
}

/// What the runtime keeps for a thread.
fn runtime_state(a: ThreadId, one: &Thread, b: ThreadId, two: &Thread) -> Result<(), Difference> {
    for (thread, state) in [(a, one), (b, two)] {
        if let Some(what) = state.observed {
            return Err(incomparable(format!("{} has {what}", name(thread))));
        }
        let unfinished = if state.is_finishing() && !stands_at_end(thread) {
            Some("is at its end")
        } else if state.is_library_start() && !is_known_start(state) {
            Some("was started by a library")
        } else if state.backs_off.is_some() {
            Some("takes several locks at once")
        } else if signalling::interrupted_by_others(thread) {
            Some("is interrupted by signals")
        } else if open::has_own(thread) {
            Some("has files open")
        } else {
            None
        };
        if let Some(what) = unfinished {
            return Err(incomparable(format!("{} {what}", name(thread))));
        }
    }
    if regions::any() {
        return Err(incomparable("the program has mapped memory".into()));
    }
    let modes = |thread| running().map(|x| x.floating_point(thread));
    let parts = [
        ("cancellation", one.cancellation() == two.cancellation()),
        ("being detached", one.detached == two.detached),
        ("names", one.manners.name == two.manners.name),
        ("scheduling", one.manners == two.manners),
        ("clocks", one.clock == two.clock && one.seen.last == two.seen.last),
        ("failures for no reason", one.weak_failures == two.weak_failures),
        ("spurious wake-ups", one.spurious == two.spurious),
        ("random numbers", !one.has_random_numbers(a) && !two.has_random_numbers(b)),
        ("signal masks", *handlers::mask_of(a) == *handlers::mask_of(b)),
        ("pending signals", !handlers::any_for(a) && !handlers::any_for(b)),
        ("floating-point modes", modes(a) == modes(b)),
        ("start", one.library_start() == two.library_start()),
    ];
    match parts.iter().find(|(_, same)| !same) {
        Some((what, _)) => Err(difference(DifferenceKind::State, format!("different {what}"))),
        None => Ok(()),
    }
}

/// Whether the library function that a thread began with is that of `std::thread`, which has
/// nothing but its argument.
fn is_known_start(state: &Thread) -> bool {
    state.start.flatten().is_some_and(|start| units::is_libstdcxx(start as usize as u64))
}

fn stands_at_end(thread: ThreadId) -> bool {
    let at = director().and_then(|director| director.standing(thread));
    at.is_some_and(|(_, op)| op == leno_model::Op::End)
}

/// Compares what the two threads need, and finds out what changes places.
fn own_memory(process: &Process<'_>, one: &Thread, two: &Thread) -> Result<Exchange, Difference> {
    let [first, second] = process.stacks;
    if first.frames.len() != second.frames.len() {
        let depths = (first.frames.len(), second.frames.len());
        let text = format!("their stacks are {} and {} calls deep", depths.0, depths.1);
        return Err(difference(DifferenceKind::Code, text));
    }
    let mut roots: Vec<Root> = Vec::new();
    let mut exchange = Exchange::with_budget(MOST);
    let pairs = || first.frames.iter().zip(&second.frames);
    let mut needed = Vec::new();
    // What is theirs changes places before anything is looked at, so that nothing that
    // refers to it can be taken for common.
    let controls = [first, second].map(|stack| memory::control_start(stack.thread));
    let explain = |found: Mismatch, roots: &[Root]| in_memory(process, &found, roots);
    let empty = |found: Mismatch| explain(found, &[]);
    exchange.exchange(0, controls[0], controls[1]).map_err(empty)?;
    let regions = [first, second].map(|stack| fiber::region(stack.thread) as u64);
    for (a, b) in pairs() {
        needed.push(a.needs(b)?);
        if a.record - regions[0] != b.record - regions[1] {
            let text = format!("{} lies elsewhere on the stack", a.function.name);
            return Err(incomparable(text));
        }
        for slot in &a.function.frame.slots {
            let (one, two) = (a.record + slot.offset, b.record + slot.offset);
            exchange.exchange(0, one, two).map_err(empty)?;
        }
    }
    for (depth, (a, b)) in pairs().enumerate() {
        for slot in needed[depth].iter().filter(|slot| slot.size > 0) {
            roots.push(Root::Slot(depth, slot));
            let root = roots.len() as u32 - 1;
            let (from, to) = (a.record + slot.offset, b.record + slot.offset);
            exchange
                .compare_words(process, root, from, to)
                .map_err(|found| explain(found, &roots))?;
        }
    }
    roots.push(Root::ThreadLocal);
    let root = roots.len() as u32 - 1;
    for (from, to) in changed_words(first.thread, second.thread) {
        exchange.compare(process, root, from, to, 8).map_err(|found| explain(found, &roots))?;
    }
    // The library that started a thread has its argument.
    if one.is_library_start() {
        roots.push(Root::Argument);
        let (a, b) = (one.argument as u64, two.argument as u64);
        let root = roots.len() as u32 - 1;
        exchange.compare_words(process, root, a, b).map_err(|found| explain(found, &roots))?;
    }
    roots.push(Root::Result);
    let (a, b) = (one.result as u64, two.result as u64);
    let root = roots.len() as u32 - 1;
    exchange.compare_words(process, root, a, b).map_err(|found| explain(found, &roots))?;
    Ok(exchange)
}

/// The words of two threads' local storage and control blocks of which one has changed
/// since the threads were made. What has not is the same in both, or is what glibc knows
/// them by.
fn changed_words(a: ThreadId, b: ThreadId) -> Vec<(u64, u64)> {
    let (low, high) = fiber::control_range(a);
    let (other, _) = fiber::control_range(b);
    let words = (high - low) / 8;
    let shadow = fiber::frame_place(a) as usize;
    let is_changed = |word: &usize| {
        let place = 8 * word;
        // SAFETY: words of control blocks, which are always mapped.
        let (one, two) =
            unsafe { (*((low + place) as *const u64), *((other + place) as *const u64)) };
        low + place != shadow && (one != pristine(a, *word) || two != pristine(b, *word))
    };
    (0..words)
        .filter(is_changed)
        .map(|word| ((low + 8 * word) as u64, (other + 8 * word) as u64))
        .collect()
}

/// A difference in memory, in words.
fn in_memory(process: &Process<'_>, found: &Mismatch, roots: &[Root]) -> Difference {
    let stack = process.stacks[0];
    let (what, place) = match roots.get(found.root as usize) {
        Some(Root::Slot(depth, slot)) => {
            let frame: &Frame = &stack.frames[*depth];
            let start = frame.record + slot.offset;
            let variable = match &slot.name {
                Some(name) => format!("{name} in {}", frame.function.name),
                None => format!("a value in {}", frame.function.name),
            };
            let inside = (start..start + slot.size).contains(&found.places.0);
            (if inside { variable } else { format!("what {variable} leads to") }, slot.line)
        }
        Some(Root::ThreadLocal) => ("thread-local storage".into(), 0),
        Some(Root::Argument) => ("what the thread was started with".into(), 0),
        Some(Root::Result) => ("the thread's result".into(), 0),
        None => ("their stacks".into(), 0),
    };
    let what = if place > 0 { format!("{what} (declared in line {place})") } else { what };
    let (a, b) = found.words;
    let shown = |word: u64| match process.object(word) {
        Some(_) => String::from("a pointer"),
        None if word >> 63 == 1 => format!("{}", word as i64),
        None => format!("{word}"),
    };
    let (kind, why) = match found.why {
        Why::Values => (DifferenceKind::Value, format!("is {} and {}", shown(a), shown(b))),
        Why::Shapes => (DifferenceKind::Value, "points to things that are not alike".into()),
        Why::Twice => (DifferenceKind::Value, "points to things with different places".into()),
        Why::Same => (DifferenceKind::Referenced, "is in both what belongs to one of them".into()),
        Why::Unknown => (DifferenceKind::Incomparable, "points to memory without a name".into()),
        Why::Much => (DifferenceKind::Incomparable, "is too much to compare".into()),
    };
    Difference { kind, text: format!("{what} {why}"), object: None }
}
