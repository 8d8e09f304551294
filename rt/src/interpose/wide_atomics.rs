//! Atomics of any size, as libatomic has them: `__atomic_load(size, …)` and its like, with
//! values by pointer. Those of up to 16 bytes the pass turns into hooks. libatomic takes a
//! lock for the others, so what each does to its object is one event.

use super::real;
use crate::{
    accesses,
    execution::{call_site, running},
    hooks,
};
use alloc::vec;
use leno_entry::entry;
use leno_model::{AccessKind, Order, Varies};

type Bytes = *mut u8;

/// As C numbers them; consume is acquire.
fn order_of(number: i32) -> Order {
    match number {
        0 => Order::Relaxed,
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcqRel,
        _ => Order::SeqCst,
    }
}

/// One event: what is done to the object, when the turn has come.
fn event(object: Bytes, len: usize, how: impl Fn() -> (AccessKind, i32)) {
    let access = || {
        let (kind, order) = how();
        vec![accesses::one(kind, object as u64, len as u64, Some(order_of(order)))]
    };
    // Calls at one place of the program are told apart by the object.
    hooks::called(call_site(), false, Varies::Somehow(object as u64), access);
}

/// The values are ordinary memory, mostly the thread's own.
fn plain(kind: AccessKind, at: Bytes, len: usize) {
    hooks::plain(call_site(), &[accesses::one(kind, at as u64, len as u64, None)]);
}

unsafe fn copy(from: *const u8, to: Bytes, len: usize) {
    // SAFETY: as the caller says. Fibers share one kernel thread, so a plain copy is as good
    // as an atomic one; the two may be the same.
    unsafe { core::ptr::copy(from, to, len) };
}

/// # Safety
/// As libatomic's.
#[entry]
pub unsafe extern "C" fn __atomic_load(len: usize, object: Bytes, out: Bytes, order: i32) {
    if running().is_none() {
        return real!(__atomic_load(len => usize, object => Bytes, out => Bytes, order => i32) -> ());
    }
    event(object, len, || (AccessKind::Read, order));
    // SAFETY: as the caller says.
    let value = unsafe { core::slice::from_raw_parts(object, len).to_vec() };
    plain(AccessKind::Write, out, len);
    // SAFETY: as the caller says.
    unsafe { copy(value.as_ptr(), out, len) };
}

/// # Safety
/// As libatomic's.
#[entry]
pub unsafe extern "C" fn __atomic_store(len: usize, object: Bytes, value: Bytes, order: i32) {
    if running().is_none() {
        return real!(__atomic_store(len => usize, object => Bytes, value => Bytes, order => i32) -> ());
    }
    plain(AccessKind::Read, value, len);
    event(object, len, || (AccessKind::Write, order));
    // SAFETY: as the caller says.
    unsafe { copy(value, object, len) };
}

/// # Safety
/// As libatomic's.
#[entry]
pub unsafe extern "C" fn __atomic_exchange(
    len: usize,
    object: Bytes,
    value: Bytes,
    out: Bytes,
    order: i32,
) {
    if running().is_none() {
        return real!(__atomic_exchange(len => usize, object => Bytes, value => Bytes,
            out => Bytes, order => i32) -> ());
    }
    plain(AccessKind::Read, value, len);
    event(object, len, || (AccessKind::ReadWrite, order));
    // SAFETY: as the caller says; `out` may be `value`.
    let old = unsafe {
        let old = core::slice::from_raw_parts(object, len).to_vec();
        copy(value, object, len);
        old
    };
    plain(AccessKind::Write, out, len);
    // SAFETY: as the caller says.
    unsafe { copy(old.as_ptr(), out, len) };
}

/// # Safety
/// As libatomic's.
#[entry]
pub unsafe extern "C" fn __atomic_compare_exchange(
    len: usize,
    object: Bytes,
    expected: Bytes,
    new: Bytes,
    order: i32,
    failure_order: i32,
) -> bool {
    if running().is_none() {
        return real!(__atomic_compare_exchange(len => usize, object => Bytes, expected => Bytes,
            new => Bytes, order => i32, failure_order => i32) -> bool);
    }
    // SAFETY: as the caller says.
    let equal = || unsafe {
        core::slice::from_raw_parts(object, len) == core::slice::from_raw_parts(expected, len)
    };
    plain(AccessKind::Read, expected, len);
    plain(AccessKind::Read, new, len);
    event(object, len, || match equal() {
        true => (AccessKind::ReadWrite, order),
        false => (AccessKind::Read, failure_order),
    });
    if equal() {
        // SAFETY: as the caller says.
        unsafe { copy(new, object, len) };
        return true;
    }
    // SAFETY: as the caller says.
    let found = unsafe { core::slice::from_raw_parts(object, len).to_vec() };
    plain(AccessKind::Write, expected, len);
    // SAFETY: as the caller says.
    unsafe { copy(found.as_ptr(), expected, len) };
    false
}
