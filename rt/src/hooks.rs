//! The hooks that instrumented code calls; docs/architecture.md has the table.
//!
//! A hook stands before a plain access, which the program makes itself as soon as the
//! hook returns. Atomics are performed here, when their turn has come.

use crate::{
    accesses::{self, Accesses},
    back_off,
    cell::Global,
    describe,
    execution::{self, Patience, current_thread, event, private, running},
    fiber, given_stacks, heap, host,
    interpose::streams,
    kernel, misuse, models, sharing, snapshot, symmetry,
    trace::FailureText,
};
use alloc::{string::String, vec::Vec};
use core::arch::naked_asm;
use leno_entry::entry;
use leno_model::{
    Access, AccessKind, Event, MutexKind, Op, Order, Property, SiteRef, ThreadId, Varies, noted,
    rmw,
};

#[entry]
pub extern "C" fn __leno_read(site: u64, ptr: u64, len: u64) {
    plain(SiteRef(site), &[accesses::one(AccessKind::Read, ptr, len, None)]);
}

#[entry]
pub extern "C" fn __leno_write(site: u64, ptr: u64, len: u64) {
    plain(SiteRef(site), &[accesses::one(AccessKind::Write, ptr, len, None)]);
}

/// A destructor stores where its class's vtable is: a write only if something else is there.
#[entry]
pub extern "C" fn __leno_vtable(site: u64, ptr: u64, new: u64) {
    let (site, write) = (SiteRef(site), accesses::one(AccessKind::Write, ptr, 8, None));
    let Some(thread) = current_thread() else { return };
    let mut accesses = Accesses::first_of(&[write]);
    if !sharing::is_event(thread, &accesses) || borrows(thread, &accesses) {
        return plain(site, &accesses);
    }
    execution::access_settled(&mut accesses, site, false, Varies::Perhaps, |accesses| {
        // SAFETY: the program is about to store there.
        if unsafe { (ptr as *const u64).read_unaligned() } == new {
            accesses[0].kind = AccessKind::Read;
        }
    });
    check(&accesses, site);
}

#[entry]
pub extern "C" fn __leno_copy(site: u64, to: u64, from: u64, len: u64) {
    let read = accesses::one(AccessKind::Read, from, len, None);
    plain(SiteRef(site), &[read, accesses::one(AccessKind::Write, to, len, None)]);
}

/// Inline assembly is about to run. What it may access is told in triples of words: address,
/// length, whether it is written.
///
/// # Safety
/// `ranges` points to `count` of them.
#[entry]
pub unsafe extern "C" fn __leno_assembly(site: u64, ranges: *const [u64; 3], count: u64) {
    if running().is_none() {
        return;
    }
    // SAFETY: as the caller promises.
    let ranges = unsafe { core::slice::from_raw_parts(ranges, count as usize) };
    called(SiteRef(site), false, Varies::Never, || {
        let access = |[addr, len, write]: &[u64; 3]| {
            let kind = if *write != 0 { AccessKind::Write } else { AccessKind::Read };
            accesses::one(kind, *addr, *len, None)
        };
        ranges.iter().map(access).collect()
    });
}

/// Memory is about to be accessed, perhaps on behalf of an interposed function.
#[inline(always)]
pub fn plain(site: SiteRef, accesses: &[Access]) {
    access(site, accesses);
    check(accesses, site);
}

/// Memory is about to be accessed: an event if it is shared. All ranges have the same
/// length, which may be 0.
#[inline(always)]
pub fn access(site: SiteRef, accesses: &[Access]) {
    let Some(thread) = current_thread() else { return };
    if accesses.iter().all(|access| access.len == 0) {
        return;
    }
    execution::require_room(site);
    let event = sharing::is_event(thread, accesses);
    if borrows(thread, accesses) {
        execution::access(&with_lives(accesses, thread), site);
    } else if event {
        execution::access(accesses, site);
    } else {
        private(site, accesses);
    }
}

/// Whether the thread uses another thread's stack, which is gone when that one ends.
#[inline(always)]
fn borrows(thread: ThreadId, accesses: &[Access]) -> bool {
    accesses.iter().any(|access| owner(access).is_some_and(|owner| owner != thread))
}

#[inline(always)]
fn owner(access: &Access) -> Option<ThreadId> {
    fiber::owner_of(access.addr as usize)
}

/// Adds that the stacks of others must still be there.
fn with_lives(accesses: &[Access], thread: ThreadId) -> Accesses {
    let mut all = Accesses::first_of(accesses);
    for place in 0..all.len() {
        if let Some(owner) = owner(&all[place]).filter(|owner| *owner != thread) {
            all.push(accesses::one(AccessKind::Read, fiber::life(owner), 1, Some(Order::SeqCst)));
        }
    }
    all
}

/// An event of a synchronisation object. It reads the object, atomically: that makes it
/// dependent on whoever frees or overwrites the memory that the object lies in, and a
/// use after free be seen.
pub fn synchronise(op: Op, site: SiteRef) -> Event {
    with_objects(op, site, MutexKind::Normal, Patience::default())
}

/// The same for an operation on a mutex of this kind, which may not be known yet.
pub fn synchronise_as(op: Op, site: SiteRef, kind: MutexKind) -> Event {
    with_objects(op, site, kind, Patience::default())
}

/// The same for a wait whose timeout has been chosen not to fire.
pub fn synchronise_timed(op: Op, site: SiteRef) -> Event {
    synchronise_patient(op, site, Patience { timed: true, cancel: None })
}

/// The same for a wait that may come to another end.
pub fn synchronise_patient(op: Op, site: SiteRef, patience: Patience) -> Event {
    with_objects(op, site, MutexKind::Normal, patience)
}

fn with_objects(op: Op, site: SiteRef, kind: MutexKind, patience: Patience) -> Event {
    let thread = current_thread().unwrap_or(ThreadId::MAIN);
    let mut reads = reads_of(op.objects(), thread);
    if let Some(x) = running().filter(|_| acquires(&op)) {
        x.thread().acquires();
    }
    let left = leaves(&op);
    if left.is_none() {
        sharing::is_event(thread, &reads);
    }
    let varies = left.map_or(Varies::Never, |object| Varies::Somehow(object | 1));
    let mut wrong = None;
    let event = execution::event_varying(op, &mut reads, site, patience, varies, |reads| {
        wrong = misuse::look(thread, &op, kind);
        if left.is_some() {
            if execution::director().is_some_and(|d| d.sync().is_let_go(thread, &op)) {
                *reads = reads_of(
                    op.objects().map(|object| object.filter(|o| Some(*o) != left)),
                    thread,
                );
            }
            sharing::is_event(thread, reads);
        }
    });
    check_as(&reads, site, Some(&op));
    if let Some(wrong) = wrong {
        misuse::judge(&op, wrong, site);
    }
    back_off::happened(&event);
    event
}

fn reads_of(objects: [Option<u64>; 2], thread: ThreadId) -> Accesses {
    let mut reads = Accesses::none();
    for object in objects.into_iter().flatten() {
        reads.push(accesses::one(AccessKind::Read, object, 1, Some(Order::SeqCst)));
    }
    if borrows(thread, &reads) { with_lives(&reads, thread) } else { reads }
}

/// What the second half of a wait comes out of. It touches it, unless it was destroyed before:
/// who destroys a condition variable whose waiters have all been woken, or a barrier whose round
/// is full, may give the memory back.
fn leaves(op: &Op) -> Option<u64> {
    match *op {
        Op::Rewait { cond: object, .. }
        | Op::Unwait { cond: object }
        | Op::BarrierLeave { barrier: object } => Some(object),
        _ => None,
    }
}

fn acquires(op: &Op) -> bool {
    matches!(
        op,
        Op::Lock { .. }
            | Op::TryLock { .. }
            | Op::ReadLock { .. }
            | Op::TryReadLock { .. }
            | Op::WriteLock { .. }
            | Op::TryWriteLock { .. }
            | Op::SemWait { .. }
            | Op::SemTryWait { .. }
    )
}

/// Memory is accessed by a function that is not instrumented. What it accesses is
/// computed again when its turn has come: it may depend on what is there. More ranges
/// than an event has are further events. Only the first before a call may be one of a
/// loop that waits: a second one is at the same site, and behind the call its result is
/// not part of the local state yet.
pub fn called(
    site: SiteRef,
    has_returned: bool,
    varies: Varies,
    accesses: impl Fn() -> Vec<Access>,
) {
    let Some(thread) = current_thread() else { return };
    let planned = accesses();
    for first in (0..planned.len()).step_by(accesses::MOST) {
        let part = |all: &[Access]| Accesses::first_of(all.get(first..).unwrap_or_default());
        let mut part_of_it = part(&planned);
        if !sharing::is_event(thread, &part_of_it) {
            private(site, &part_of_it);
        } else {
            let may_spin = first == 0 && !has_returned;
            let varies = match varies {
                Varies::Somehow(arguments) => Varies::Somehow(arguments + 2 * first as u64),
                same => same,
            };
            execution::access_settled(&mut part_of_it, site, may_spin, varies, |done| {
                *done = part(&accesses());
                sharing::is_event(thread, done);
            });
        }
        check(&part_of_it, site);
    }
}

/// Fails if an access that is about to be made is not to a living object, or is to
/// the runtime's own.
#[inline(always)]
pub fn check(accesses: &[Access], site: SiteRef) {
    check_as(accesses, site, None);
}

/// The same for the accesses of an operation on synchronisation objects, which lie there.
#[inline(always)]
fn check_as(accesses: &[Access], site: SiteRef, op: Option<&Op>) {
    if running().is_none() {
        return;
    }
    for access in accesses {
        let owner = owner(access);
        if host::owns(access) || owner.is_some_and(|owner| is_of_the_runtime(access, owner)) {
            trespasses(site);
        }
        if !host::looks_for(Property::Memory) {
            continue;
        }
        if let Some(owner) = owner.filter(|owner| execution::has_ended(*owner)) {
            outlived(access, owner, site, op);
        }
        if let Some(wrong) = heap::misuse(access.addr as usize, access.len as usize) {
            misuses(access, &wrong, site, op);
        }
    }
}

/// Whether an access is to the runtime's stack of a thread. The running thread's is empty while
/// the program runs, so that there is nothing to be trespassed on; and where a function of libc's
/// calls the program on the runtime's behalf, it is the program's too.
fn is_of_the_runtime(access: &Access, owner: ThreadId) -> bool {
    fiber::is_own_stack(access.addr as usize) && Some(owner) != current_thread()
}

#[cold]
fn trespasses(site: SiteRef) -> ! {
    let what =
        String::from("accesses memory of leno's runtime, which no pointer of the program leads to");
    let text = FailureText::Misuse { what, object: None, parts: Vec::new() };
    execution::fail(Property::Memory, 5, site, text)
}

/// What the program does there: with an object, if it is that which it means.
fn deed(access: &Access, op: Option<&Op>) -> String {
    op.map_or_else(|| describe::deed(access), |op| misuse::deed(op, access.addr))
}

#[cold]
fn misuses(access: &Access, wrong: &heap::Misuse, site: SiteRef, op: Option<&Op>) -> ! {
    let text = FailureText::Misuse {
        what: describe::misuse(&deed(access, op), access, wrong),
        object: Some(describe::object(wrong.block().start as u64)),
        parts: execution::history(wrong.block().start as u64),
    };
    execution::fail(Property::Memory, wrong.code(), site, text)
}

/// Fails if the stack, which is that of a thread that has ended, is not the own one (the
/// last thread runs the `atexit` handlers).
#[cold]
fn outlived(access: &Access, owner: ThreadId, site: SiteRef, op: Option<&Op>) {
    if Some(owner) == current_thread() || fiber::is_life(access.addr) {
        return;
    }
    let text = FailureText::Misuse {
        what: describe::outlived(&deed(access, op)),
        object: Some(describe::object(access.addr)),
        parts: given_stacks::creation(owner),
    };
    execution::fail(Property::Memory, 7, site, text);
}

#[entry]
pub extern "C" fn __leno_fence(site: u64, order: u32) {
    if running().is_some() {
        event(Op::Fence(order_of(order)), &[], SiteRef(site));
    }
    core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);
}

/// How often a loop may go round; 0: without end.
pub static ROUNDS: Global<u32> = Global::new(0);

/// Whether the runtime is told when a loop goes round. The program's code looks at it.
#[allow(non_upper_case_globals)]
#[unsafe(no_mangle)]
pub static __leno_unroll: Global<u32> = Global::new(0);

/// The body of a loop begins, which it has done `before` times without being told.
///
/// # Safety
/// `counter` is a variable of the function that the loop is in.
#[entry]
pub unsafe extern "C" fn __leno_round(site: u64, counter: *mut u32, before: u32) {
    if running().is_none() {
        return;
    }
    execution::goes_round();
    let bound = *ROUNDS.get();
    if bound == 0 {
        return;
    }
    // SAFETY: as the caller says.
    let rounds = unsafe {
        *counter = (*counter).saturating_add(1);
        *counter
    };
    if rounds.saturating_add(before) > bound {
        execution::bound(SiteRef(site));
    }
}

fn order_of(number: u32) -> Order {
    match number & 0xf {
        0 => Order::Relaxed,
        1 => Order::Acquire,
        2 => Order::Release,
        3 => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

/// The `mode` argument of an atomic hook, taken apart.
#[derive(Clone, Copy)]
struct Mode(u32);

impl Mode {
    fn size(self) -> u64 {
        u64::from(self.0 & 0xff)
    }
    /// The bits of a number of up to eight bytes.
    fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.size())
    }
    fn order(self) -> Order {
        order_of(self.0 >> 8)
    }
    fn failure_order(self) -> Order {
        order_of(self.0 >> 12)
    }
    fn operation(self) -> u32 {
        self.0 >> 16 & 0xff
    }
    fn is_weak(self) -> bool {
        self.0 >> 24 & 1 != 0
    }
    /// What a read-modify-write stores.
    fn apply(self, old: u128, operand: u128) -> u128 {
        rmw::apply(self.operation(), self.size() as u32, old, operand)
    }
}

/// Lets an atomic access take place in its turn. `kind` says, when the turn has come,
/// whether it will write, and with which order it counts.
fn atomic(
    site: u64,
    ptr: u64,
    mode: Mode,
    planned: AccessKind,
    varies: Varies,
    settle: impl FnOnce() -> (AccessKind, Order),
) {
    let Some(thread) = current_thread() else { return };
    let site = SiteRef(site);
    execution::require_room(site);
    // Made anew for each use: a copy would have to wait until all of the first is in the cache,
    // and so would one of what `becomes` has changed.
    let planned = || [accesses::one(planned, ptr, mode.size(), Some(mode.order()))];
    let shared = sharing::is_event(thread, &planned());
    let found = || {
        // SAFETY: the program is about to access these bytes.
        execution::finds(noted(unsafe { load(ptr, mode.size()) }, mode.size()));
    };
    let becomes = |access: &mut Access, (kind, order): (AccessKind, Order)| {
        if (access.kind, access.atomic) != (kind, Some(order)) {
            (access.kind, access.atomic) = (kind, Some(order));
        }
    };
    if borrows(thread, &planned()) {
        let mut all = with_lives(&planned(), thread);
        execution::access_settled(&mut all, site, true, varies, |all| {
            found();
            becomes(&mut all[0], settle());
        });
    } else if shared {
        execution::access_settled(&mut planned(), site, true, varies, |done| {
            found();
            becomes(&mut done[0], settle());
        });
    } else {
        // A loop that waits changes nothing, though it might: it is to be found out.
        execution::stands_at(site);
        let mut done = planned();
        becomes(&mut done[0], settle());
        private(site, &done);
    }
    check(&planned(), site);
}

/// Reads `size` bytes (1 to 16) as a number.
///
/// # Safety
/// The program accesses these bytes itself.
unsafe fn load(ptr: u64, size: u64) -> u128 {
    // SAFETY: as the caller says; fibers share one kernel thread, so a plain access
    // is as good as an atomic one.
    unsafe {
        match size {
            1 => u128::from((ptr as *const u8).read_volatile()),
            2 => u128::from((ptr as *const u16).read_volatile()),
            4 => u128::from((ptr as *const u32).read_volatile()),
            8 => u128::from((ptr as *const u64).read_volatile()),
            _ => (ptr as *const u128).read_volatile(),
        }
    }
}

/// Writes `size` bytes.
///
/// # Safety
/// As for [`load`].
unsafe fn store(ptr: u64, size: u64, value: u128) {
    // SAFETY: as the caller says.
    unsafe {
        match size {
            1 => (ptr as *mut u8).write_volatile(value as u8),
            2 => (ptr as *mut u16).write_volatile(value as u16),
            4 => (ptr as *mut u32).write_volatile(value as u32),
            8 => (ptr as *mut u64).write_volatile(value as u64),
            _ => (ptr as *mut u128).write_volatile(value),
        }
    }
}

/// # Safety
/// The program loads these bytes.
#[entry]
pub unsafe extern "C" fn __leno_atomic_load(site: u64, ptr: u64, mode: u32) -> u64 {
    let mode = Mode(mode);
    atomic(site, ptr, mode, AccessKind::Read, Varies::Never, || (AccessKind::Read, mode.order()));
    // SAFETY: as the caller says.
    unsafe { load(ptr, mode.size()) as u64 }
}

/// # Safety
/// The program stores these bytes.
#[entry]
pub unsafe extern "C" fn __leno_atomic_store(site: u64, ptr: u64, value: u64, mode: u32) {
    let mode = Mode(mode);
    atomic(site, ptr, mode, AccessKind::Write, Varies::Never, || (AccessKind::Write, mode.order()));
    // SAFETY: as the caller says.
    unsafe { store(ptr, mode.size(), u128::from(value)) }
}

/// # Safety
/// The program updates these bytes.
#[entry]
pub unsafe extern "C" fn __leno_atomic_rmw(site: u64, ptr: u64, operand: u64, mode: u32) -> u64 {
    // SAFETY: as the caller says.
    unsafe { rmw(site, ptr, u128::from(operand), Mode(mode)) as u64 }
}

/// An update that leaves the value as it was commutes with reads, like a compare-exchange
/// that failed: so a loop of them waits. No value tells the difference; in a data race it is
/// a write all the same. What is given up is that such a no-op releases, and nobody may rely
/// on that: who finds the value would find the same one before the no-op, and then what it
/// was to publish is not there yet.
unsafe fn rmw(site: u64, ptr: u64, operand: u128, mode: Mode) -> u128 {
    let (planned, varies) = match mode.operation() {
        // Adding and subtracting 0, and all else is a change.
        1 | 2 if mode.apply(0, operand) == 0 => (AccessKind::Kept, Varies::Never),
        1 | 2 => (AccessKind::ReadWrite, Varies::Never),
        operation if mode.size() <= 8 => {
            let (operation, size) = (operation as u8, mode.size() as u8);
            let operand = operand as u64 & mode.mask();
            (AccessKind::ReadWrite, Varies::Updates { operation, size, operand })
        }
        _ => (AccessKind::ReadWrite, Varies::Perhaps),
    };
    atomic(site, ptr, mode, planned, varies, || {
        // SAFETY: as the caller says.
        let old = unsafe { load(ptr, mode.size()) };
        if mode.apply(old, operand) == old {
            (AccessKind::Kept, mode.order())
        } else {
            (AccessKind::ReadWrite, mode.order())
        }
    });
    // SAFETY: as the caller says.
    unsafe {
        let old = load(ptr, mode.size());
        store(ptr, mode.size(), mode.apply(old, operand));
        old
    }
}

/// The result of a compare-exchange, in two registers.
#[repr(C)]
pub struct Exchanged {
    old: u64,
    ok: u64,
}

/// # Safety
/// The program updates these bytes.
#[entry]
pub unsafe extern "C" fn __leno_atomic_cas(
    site: u64,
    ptr: u64,
    expected: u64,
    new: u64,
    mode: u32,
) -> Exchanged {
    let mask = Mode(mode).mask();
    // SAFETY: as the caller says.
    let (old, ok) =
        unsafe { cas(site, ptr, u128::from(expected & mask), u128::from(new & mask), Mode(mode)) };
    Exchanged { old: old as u64, ok: u64::from(ok) }
}

/// How often the weak compare-exchanges of a thread may fail for no reason.
pub static WEAK_FAILURES: Global<u32> = Global::new(0);

/// Whether a weak compare-exchange of shared memory is to fail for no reason: a choice, as
/// long as its thread has not had its share of that. How many it has had is the thread's
/// own state.
fn fails_for_no_reason(site: u64, ptr: u64, mode: Mode) -> bool {
    if *WEAK_FAILURES.get() == 0 || !mode.is_weak() || execution::in_section() {
        return false;
    }
    let read = accesses::one(AccessKind::Read, ptr, mode.size(), Some(mode.failure_order()));
    let share = |x: &mut execution::Running| x.thread().weak_failures < *WEAK_FAILURES.get();
    let is_choice = running().is_some_and(share)
        && current_thread().is_some_and(|thread| sharing::is_event(thread, &[read]));
    is_choice && execution::may_happen(SiteRef(site))
}

unsafe fn cas(site: u64, ptr: u64, expected: u128, new: u128, mode: Mode) -> (u128, bool) {
    if fails_for_no_reason(site, ptr, mode) {
        let settle = || (AccessKind::Read, mode.failure_order());
        atomic(site, ptr, mode, AccessKind::Read, Varies::Never, settle);
        if let Some(x) = running() {
            x.thread().weak_failures += 1;
            x.thread().changes();
        }
        // SAFETY: as the caller says.
        return (unsafe { load(ptr, mode.size()) }, false);
    }
    // SAFETY: as the caller says.
    let matches = || unsafe { load(ptr, mode.size()) } == expected;
    // If it puts back what is there it is no update: see `rmw`.
    let (planned, varies) = if expected == new {
        (AccessKind::Kept, Varies::Never)
    } else {
        (AccessKind::ReadWrite, Varies::WritesIf(noted(expected, mode.size())))
    };
    atomic(site, ptr, mode, planned, varies, || {
        if matches() { (planned, mode.order()) } else { (AccessKind::Read, mode.failure_order()) }
    });
    // SAFETY: as the caller says.
    unsafe {
        let old = load(ptr, mode.size());
        let ok = old == expected;
        if ok {
            store(ptr, mode.size(), new);
        }
        (old, ok)
    }
}

/// # Safety
/// The program loads these bytes; `out` takes 16.
#[entry]
pub unsafe extern "C" fn __leno_atomic_load_16(site: u64, ptr: u64, out: *mut u128, mode: u32) {
    let mode = Mode(mode);
    atomic(site, ptr, mode, AccessKind::Read, Varies::Never, || (AccessKind::Read, mode.order()));
    // SAFETY: as the caller says.
    unsafe { out.write_unaligned(load(ptr, 16)) }
}

/// # Safety
/// The program stores these bytes; `value` has 16.
#[entry]
pub unsafe extern "C" fn __leno_atomic_store_16(
    site: u64,
    ptr: u64,
    value: *const u128,
    mode: u32,
) {
    let mode = Mode(mode);
    atomic(site, ptr, mode, AccessKind::Write, Varies::Never, || (AccessKind::Write, mode.order()));
    // SAFETY: as the caller says.
    unsafe { store(ptr, 16, value.read_unaligned()) }
}

/// # Safety
/// The program updates these bytes; `operand` has, `out` takes 16.
#[entry]
pub unsafe extern "C" fn __leno_atomic_rmw_16(
    site: u64,
    ptr: u64,
    operand: *const u128,
    out: *mut u128,
    mode: u32,
) {
    // SAFETY: as the caller says.
    unsafe { out.write_unaligned(rmw(site, ptr, operand.read_unaligned(), Mode(mode))) }
}

/// # Safety
/// The program updates these bytes; `expected` has and takes, `new` has 16.
#[entry]
pub unsafe extern "C" fn __leno_atomic_cas_16(
    site: u64,
    ptr: u64,
    expected: *mut u128,
    new: *const u128,
    mode: u32,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let (old, ok) = cas(site, ptr, expected.read_unaligned(), new.read_unaligned(), Mode(mode));
        expected.write_unaligned(old);
        u64::from(ok)
    }
}

/// A number that the program computes with may be an address. Most are none, and go no
/// further: only stacks and arenas are anybody's own, and their addresses begin alike.
///
/// # Safety
/// For the program: it leaves alone all registers but `rax`, which a call may change.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_number(number: u64) {
    naked_asm!(
        "mov rax, rdi",
        "shr rax, 44",
        "dec rax",
        "cmp rax, 3",
        "mov eax, 0",
        "jb __leno_address@PLT",
        "ret",
    )
}

/// The same for what the program has read from memory, up to 8 bytes: the words that these
/// are in.
///
/// # Safety
/// The program has read these bytes.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_number_in(at: u64, len: u64) {
    naked_asm!(
        "lea rsi, [rdi + rsi - 1]",
        "and rdi, -8",
        "and rsi, -8",
        "mov rdi, [rdi]",
        "mov rsi, [rsi]",
        "mov rax, rdi",
        "shr rax, 44",
        "dec rax",
        "cmp rax, 3",
        "jb 2f",
        "mov rax, rsi",
        "shr rax, 44",
        "dec rax",
        "cmp rax, 3",
        "2:",
        "mov eax, 0",
        "mov ecx, 0",
        "jb __leno_words@PLT",
        "xor edi, edi",
        "xor esi, esi",
        "ret",
    )
}

/// An address is turned into a number.
#[entry]
pub extern "C" fn __leno_address(addr: u64) {
    symmetry::looks_at(addr);
}

/// Of two words of memory at least a part is looked at as a number. They look like addresses.
#[entry]
pub extern "C" fn __leno_words(one: u64, other: u64) {
    [one, other].into_iter().for_each(symmetry::may_look_at);
}

/// Memory is copied: of a word that it begins or ends in the middle of, only a part is.
///
/// # Safety
/// The program is about to read these bytes.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_part(at: u64, len: u64) {
    naked_asm!(
        "lea rax, [rdi + rsi]",
        "or eax, edi",
        "test al, 7",
        "je 5f",
        "test rsi, rsi",
        "je 5f",
        "add rsi, rdi",
        // What it does not begin in the middle of is no address here.
        "mov rax, rdi",
        "and rax, -8",
        "cmp rax, rdi",
        "mov edi, 0",
        "je 2f",
        "mov rdi, [rax]",
        "2:",
        "mov rax, rsi",
        "and rax, -8",
        "cmp rax, rsi",
        "mov esi, 0",
        "je 3f",
        "mov rsi, [rax]",
        "3:",
        "mov rax, rdi",
        "shr rax, 44",
        "dec rax",
        "cmp rax, 3",
        "jb 4f",
        "mov rax, rsi",
        "shr rax, 44",
        "dec rax",
        "cmp rax, 3",
        "4:",
        "mov eax, 0",
        "jb __leno_words@PLT",
        "5:",
        "mov eax, 0",
        "ret",
    )
}

/// The distance between two addresses is asked for.
#[entry]
pub extern "C" fn __leno_distance(a: u64, b: u64) {
    symmetry::measures(a, b);
}

/// The order of two addresses is asked for.
#[entry]
pub extern "C" fn __leno_order(a: u64, b: u64) {
    symmetry::orders(a, b);
}

/// A call out of the unit: what the callee reads and writes is an event, if there is
/// a model of it. `rest` is where the variadic arguments lie, or null.
#[entry]
#[allow(clippy::too_many_arguments)]
pub extern "C" fn __leno_extern(
    site: u64,
    callee: u64,
    n: u32,
    a0: u64,
    a1: u64,
    a2: u64,
    a3: u64,
    a4: u64,
    a5: u64,
    rest: u64,
) {
    if let Some(x) = running() {
        x.thread().calls_out();
        let args = [a0, a1, a2, a3, a4, a5];
        let args = &args[..(n as usize).min(6)];
        if kernel::kept() {
            snapshot::expect_writes(args);
        }
        execution::announces(true);
        models::call(SiteRef(site), callee, args, rest);
        streams::call(SiteRef(site), args);
        execution::announces(false);
    }
}

/// The call has returned `result`.
#[entry]
#[allow(clippy::too_many_arguments)]
pub extern "C" fn __leno_returned(
    site: u64,
    callee: u64,
    n: u32,
    a0: u64,
    a1: u64,
    a2: u64,
    a3: u64,
    a4: u64,
    a5: u64,
    rest: u64,
    result: u64,
) {
    if running().is_some() {
        let args = [a0, a1, a2, a3, a4, a5];
        models::returned(SiteRef(site), callee, &args[..(n as usize).min(6)], rest, result);
    }
}
