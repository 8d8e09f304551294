//! What functions that are not instrumented do to memory.
//!
//! They are not interposed: the pass puts a hook before each call and one behind it,
//! and the call's effects, which the driver sends as data (`leno_model::effect`),
//! become events there; the function itself does them. What the arguments tell is an
//! event before the call. What only the result tells (how much `read` has read) is one
//! behind it. There it comes too late for a thread that looks in between, which in a
//! program without data races none does; and if one does, the two are still
//! unordered, and the race is reported.
//!
//! What a call reads may change while its thread waits for its turn (the string gets
//! longer): the effects are computed again when the turn has come. The dependence is
//! right all the same, because a write that changes them is to bytes that they have
//! been computed from, and read.

mod eval;
mod format;
mod pointers;
mod standard_streams;

use crate::{
    accesses, cell::Global, execution, heap, hooks, interpose::refused::refuse, record::List,
    sharing, symmetry, units,
};
use alloc::vec::Vec;
use eval::Call;
use hashbrown::HashMap;
use leno_model::{
    Access, AccessKind, Execution, Op, Order, SiteRef, ThreadId, Varies,
    effect::{Effect, Model},
    site::SiteId,
    wire::Job,
};
use standard_streams::Stream;

/// What is known of a callee.
#[derive(Clone, Copy, Default)]
struct Callee {
    /// Its place in `MODELS`.
    model: Option<u32>,
    unknown: bool,
}

static MODELS: Global<Vec<Model>> = Global::new(Vec::new());
static CALLEES: Global<Option<HashMap<SiteRef, Callee>>> = Global::new(None);
/// Memory that was given to unknown functions: site, thread, start, length.
type Given = (SiteRef, ThreadId, u64, u64);
static GIVEN: Global<Option<List<Given>>> = Global::new(None);
static UNSEEN: Global<Vec<SiteId>> = Global::new(Vec::new());

/// Takes over what the driver knows about the functions that are called.
pub fn prepare(job: &Job) {
    let mut callees: HashMap<SiteRef, Callee> = HashMap::new();
    for (site, model) in &job.modelled {
        callees.entry(units::site_ref(*site)).or_default().model = Some(*model);
    }
    for site in &job.unknown_callees {
        callees.entry(units::site_ref(*site)).or_default().unknown = true;
    }
    standard_streams::find();
    pointers::prepare(&job.named);
    *MODELS.get() = job.models.clone();
    *CALLEES.get() = Some(callees);
    *GIVEN.get() = Some(List::new(1 << 16));
}

/// What is known of the function that a call leads to: by its name where it has one there,
/// else by its address.
fn callee(site: SiteRef, address: u64, args: &[u64]) -> Option<Callee> {
    if units::calls_by_pointer(site) {
        return pointers::callee(address, args);
    }
    CALLEES.get().as_ref()?.get(&site).copied()
}

/// A call is about to be made. `rest` is where its variadic arguments lie, laid out as
/// on the stack.
pub fn call(site: SiteRef, address: u64, args: &[u64], rest: u64) {
    let Some(callee) = callee(site, address, args) else { return };
    if let Some(model) = callee.model.and_then(|place| MODELS.get().get(place as usize)) {
        if model.blocks {
            refuse("a function that waits for other threads, as its model says");
        }
        perform(site, &model.before, &Call { args, rest, result: None });
        if model.looks {
            look(&model.before, &Call { args, rest, result: None });
        } else if symmetry::is_wanted() {
            take(&model.before, &Call { args, rest, result: None });
        }
        if model.outside {
            execution::stir();
        }
    }
    if callee.unknown {
        execution::stir();
        symmetry::observes("called what nobody knows");
        args.iter().filter(|pointer| **pointer > 4096).for_each(|pointer| give(site, *pointer));
    }
}

/// A call has returned.
pub fn returned(site: SiteRef, address: u64, args: &[u64], rest: u64, result: u64) {
    let model =
        callee(site, address, args).and_then(|callee| MODELS.get().get(callee.model? as usize));
    if let Some(model) = model {
        perform(site, &model.after, &Call { args, rest, result: Some(result as i64) });
    }
}

/// The name of standard input as state that all threads share; see `interpose::random`.
const STANDARD_INPUT: u64 = 0x70;

fn perform(site: SiteRef, effects: &[Effect], call: &Call) {
    if effects.is_empty() {
        return;
    }
    for effect in effects {
        if let Effect::Hidden(object) = effect {
            execution::event(Op::Hidden { object: *object }, &[], site);
        }
    }
    let errno = errno();
    let varies = if effects.iter().any(Effect::varies) {
        let (args, result) = (call.args.iter().copied(), call.result.unwrap_or(0) as u64);
        let mix = |all: u64, word: u64| (all ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Varies::Somehow(args.chain([result]).fold(1, mix) | 1)
    } else {
        Varies::Never
    };
    let gather = || {
        let mut accesses = Gathered::default();
        effects.iter().for_each(|effect| accesses.effect(effect, call));
        accesses
    };
    if gather().reads_input {
        execution::event(Op::Hidden { object: STANDARD_INPUT }, &[], site);
    }
    hooks::called(site, call.result.is_some(), varies, || gather().list);
    crate::interpose::set_errno(errno);
}

/// A function looks at the bytes that it reads: an address there becomes a number.
fn look(effects: &[Effect], call: &Call) {
    let mut accesses = Gathered::default();
    effects.iter().for_each(|effect| accesses.effect(effect, call));
    let read = accesses.list.iter().filter(|access| access.kind == AccessKind::Read);
    read.for_each(|access| symmetry::looks_into(access.addr, access.len));
}

/// A function copies the bytes that it reads, if it writes at all: perhaps a part of an address.
fn take(effects: &[Effect], call: &Call) {
    let writes = |effect: &Effect| match effect {
        Effect::Range(range) => range.kind == AccessKind::Write,
        effect => matches!(effect, Effect::Print(_)),
    };
    if !effects.iter().any(writes) {
        return;
    }
    let mut accesses = Gathered::default();
    effects.iter().for_each(|effect| accesses.effect(effect, call));
    let read = accesses.list.iter().filter(|access| access.kind == AccessKind::Read);
    read.for_each(|access| symmetry::takes(access.addr, access.len));
}

fn errno() -> i32 {
    // SAFETY: libc says where it is.
    unsafe { *libc::__errno_location() }
}

/// The accesses of one call.
#[derive(Default)]
pub struct Gathered {
    list: Vec<Access>,
    /// A stream of C++ that reads standard input is used. Calls on it do not race.
    reads_input: bool,
}

impl Gathered {
    fn effect(&mut self, effect: &Effect, call: &Call) {
        match effect {
            Effect::Range(range) => {
                call.range(range, |addr, len| self.plain(range.kind, addr, len));
            }
            Effect::Print(format) => format::print(self, format, call),
            Effect::Scan(format) => format::scan(self, format, call),
            Effect::Object(at) => self.atomic(AccessKind::ReadWrite, call.eval(at), Order::SeqCst),
            Effect::Acquire(at) => self.atomic(AccessKind::Read, call.eval(at), Order::Acquire),
            Effect::Release(at) => self.atomic(AccessKind::ReadWrite, call.eval(at), Order::AcqRel),
            Effect::Hidden(_) => {}
        }
    }

    pub fn plain(&mut self, kind: AccessKind, addr: u64, len: u64) {
        // What is constant is nobody's concern, and every format is.
        let constant = kind == AccessKind::Read && units::is_constant(addr);
        if addr == 0 || len == 0 || constant {
            return;
        }
        match standard_streams::of(addr) {
            None => self.list.push(Access { addr, len, kind, atomic: None }),
            Some(Stream::Output) => {}
            Some(Stream::Input) => self.reads_input = true,
        }
    }

    fn atomic(&mut self, kind: AccessKind, addr: Option<i64>, order: Order) {
        match addr.map(|addr| (addr as u64, standard_streams::of(addr as u64))) {
            None | Some((0, _) | (_, Some(Stream::Output))) => {}
            Some((_, Some(Stream::Input))) => self.reads_input = true,
            Some((addr, None)) => {
                self.list.push(Access { addr, len: 1, kind, atomic: Some(order) });
            }
        }
    }
}

/// Whether an address is in what the C++ library keeps for itself.
pub fn is_the_librarys(addr: u64) -> bool {
    standard_streams::of(addr) == Some(Stream::Output)
}

/// Memory is given to a function of which nobody knows what it does with it. It counts
/// as touched, so that it is seen if others touch it too.
fn give(site: SiteRef, pointer: u64) {
    let Some(thread) = execution::current_thread() else { return };
    let (start, len) = match heap::around(pointer as usize) {
        Some((_, block)) => (block.start as u64, block.size as u64),
        // How much lies behind a pointer to a global or a stack is not known; a cache
        // line is a guess.
        None => (pointer, 64),
    };
    sharing::is_event(thread, &[accesses::one(AccessKind::Read, start, len, None)]);
    let given = GIVEN.get().as_ref().expect("prepared");
    if !given.as_slice().contains(&(site, thread, start, len)) {
        given.push((site, thread, start, len));
    }
}

/// After an execution: was what unknown functions were given shared?
pub fn note_sharing(run: &Execution<'_>) {
    let given = GIVEN.get().as_ref().expect("prepared");
    for (site, thread, start, len) in given.as_slice() {
        let Some(id) = units::site_id(*site).filter(|id| !UNSEEN.get().contains(id)) else {
            continue;
        };
        let overlaps = |from: u64, to: u64| from < start + len && *start < to;
        let accessed = run.events.iter().filter(|e| e.thread != *thread);
        let mut accessed = accessed.flat_map(|e| run.accesses_of(e)).map(|a| (a.addr, a.end()));
        let mut others = given.as_slice().iter().filter(|other| other.1 != *thread);
        if accessed.any(|(from, to)| overlaps(from, to)) || others.any(|o| overlaps(o.2, o.2 + o.3))
        {
            UNSEEN.get().push(id);
        }
    }
    given.clear();
}

/// Takes over what was unseen before.
pub fn assume_unseen(sites: &[SiteId]) {
    UNSEEN.get().extend_from_slice(sites);
}

pub fn unseen() -> Vec<SiteId> {
    UNSEEN.get().clone()
}
