//! Stacks that the program gives: `pthread_attr_setstack`.
//!
//! Such a thread runs on the memory that it was given, so what is there is the program's and
//! nothing is known of it that is not known of all memory: it is put back as data, as a block
//! of the heap or as a mapping, and the variables of the thread are shared or not like others.
//! All else of the thread, its control block and its thread-local storage, lies where its number
//! says; glibc would put that at the upper end of the memory. So the program has a little
//! more room than it thinks, and needs it, as its frames have records in them.
//!
//! There is no reserve and no guard: whoever is found below the memory has overflowed.
//!
//! The memory is the thread's until it has ended. To be joined is the only way to know that.
//! Who takes the memory, to give it to another thread or to free it, therefore reads what
//! stands for the thread's life (`fiber::life`): both orders are tried, and to do so before
//! the end is a misuse. Those who take the same memory are ordered among themselves, by a write
//! of its beginning, so that everybody knows whose it is.
//!
//! Threads are not compared for symmetry where one runs on such memory.

use crate::{
    accesses, describe,
    execution::{self, call_site, running},
    fiber, hooks, host,
    interpose::refused::refuse,
    record, sharing, snapshot, trace,
    trace::FailureText,
};
use alloc::{format, vec::Vec};
use leno_model::{
    Access, AccessKind, Event, Op, Order, Property, SiteRef, ThreadId, Varies, wire::Part,
};

/// Memory for a stack: where it begins, and its end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Given {
    pub low: usize,
    pub high: usize,
}

/// Who has memory of the program's for a stack.
#[derive(Clone, Copy)]
pub struct Tenant {
    pub thread: ThreadId,
    memory: Given,
}

/// What glibc wants besides what it keeps for itself.
const LEAST: usize = 2048;

impl Given {
    /// What the attributes say, which are a stack's upper end and its size. An error if there is
    /// no room on it.
    pub fn by(end: usize, size: usize) -> Result<Option<Self>, i32> {
        if end == 0 {
            return Ok(None);
        }
        if size == 0 {
            refuse("pthread_create with pthread_attr_setstackaddr and no size");
        }
        if size < fiber::control_size() + LEAST {
            return Err(libc::EINVAL);
        }
        Ok(Some(Self { low: end.saturating_sub(size), high: end }))
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.low < other.high && other.low < self.high
    }
}

/// The thread that has an address on its stack, if that is memory of the program's.
pub fn tenant_of(addr: u64) -> Option<ThreadId> {
    let tenants = &running()?.tenants;
    let has = |tenant: &&Tenant| (tenant.memory.low..tenant.memory.high).contains(&(addr as usize));
    tenants.iter().find(has).map(|tenant| tenant.thread)
}

/// Whether a thread runs, or has run, on memory of the program's.
pub fn any() -> bool {
    running().is_some_and(|x| x.threads().any(|thread| thread.given.is_some()))
}

fn tenants(memory: Given) -> Vec<ThreadId> {
    let all = running().map_or(&[][..], |x| &x.tenants);
    let here = all.iter().filter(|tenant| tenant.memory.overlaps(&memory));
    here.map(|tenant| tenant.thread).collect()
}

fn lives(memory: Given) -> impl Iterator<Item = Access> {
    let life =
        |thread| accesses::one(AccessKind::Read, fiber::life(thread), 1, Some(Order::SeqCst));
    tenants(memory).into_iter().map(life)
}

/// The memory is about to become a thread's.
pub fn take(memory: Given) {
    let Given { low, high } = memory;
    let site = call_site();
    let me = execution::current_thread().unwrap_or(ThreadId::MAIN);
    hooks::check(&[accesses::one(AccessKind::Write, low as u64, (high - low) as u64, None)], site);
    let beginning = accesses::one(AccessKind::Write, low as u64, 8, Some(Order::Relaxed));
    sharing::is_event(me, &[beginning]);
    let planned = || core::iter::once(beginning).chain(lives(memory)).collect::<Vec<_>>();
    let mut all = planned();
    execution::access_settled(&mut all, site, false, Varies::Somehow(low as u64), |all| {
        *all = planned();
    });
    require_empty(memory, "gives a thread the stack of one that has not ended", site);
    execution::forget(low as u64, (high - low) as u64, site);
    // The kernel does not fault on a protected page, it refuses to write there.
    snapshot::expect_use(low, high);
}

/// The memory has a thread now.
pub fn taken(thread: ThreadId, memory: Given) {
    if let Some(x) = running() {
        x.tenants.push(Tenant { thread, memory });
    }
}

/// Memory is about to go away, by this access: true if a stack was there, and the access has been
/// made. `does`: how it goes away, in words.
pub fn leaves(gone: Access, start: u64, len: u64, does: &str, site: SiteRef) -> bool {
    let memory = Given { low: start as usize, high: start.saturating_add(len) as usize };
    if tenants(memory).is_empty() {
        return false;
    }
    let me = execution::current_thread().unwrap_or(ThreadId::MAIN);
    sharing::is_event(me, &[gone]);
    let planned = || core::iter::once(gone).chain(lives(memory)).collect::<Vec<_>>();
    let mut all = planned();
    execution::access_settled(&mut all, site, false, Varies::Somehow(start), |all| {
        *all = planned();
    });
    require_empty(memory, &format!("{does} the stack of a thread that has not ended"), site);
    true
}

/// Fails if somebody still runs on the memory, which has no tenant from now on.
fn require_empty(memory: Given, what: &str, site: SiteRef) {
    let here = tenants(memory);
    if let Some(x) = running() {
        x.tenants.retain(|tenant| !tenant.memory.overlaps(&memory));
    }
    let stays = here.iter().find(|thread| !execution::has_ended(**thread));
    let Some(tenant) = stays.filter(|_| host::looks_for(Property::Memory)) else { return };
    let object = Some(describe::object(memory.low as u64));
    let text = FailureText::Misuse { what: what.into(), object, parts: creation(*tenant) };
    execution::fail(Property::Memory, 9, site, text)
}

/// Where a thread was created.
pub fn creation(thread: ThreadId) -> Vec<Part> {
    let created = |event: &Event| event.op == (Op::Create { child: thread });
    let at = record::record().events.as_slice().iter().position(created);
    let tracer = running().and_then(|x| x.tracer());
    let part = tracer.zip(at).map(|(tracer, at)| trace::part(tracer, at, "created it here"));
    part.into_iter().collect()
}

/// The running thread is about to end: was its stack there until now? A block that was freed, or
/// a mapping that has gone, has been found out when that happened; not so another thread's stack.
pub fn ends() {
    let thread = execution::current_thread().and_then(|me| running()?.thread_numbered(me));
    let Some(Given { high, .. }) = thread.and_then(|thread| thread.given) else { return };
    if fiber::owner_of(high - 8).is_some() {
        let used = accesses::one(AccessKind::Read, high as u64 - 8, 8, None);
        hooks::plain(SiteRef(0), &[used]);
    }
}
