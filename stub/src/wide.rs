//! Atomic operations on 16 bytes, all made of the one instruction there is.
//!
//! libatomic does it the same way, so code that was not instrumented can work on
//! the same object.

use crate::atomic::{Mode, update};
use core::ffi::c_void;

/// A compare-exchange that gives what it found. In assembly, because `core`'s own
/// `cmpxchg16b` may end in a call of libatomic. Every x86-64 processor since 2006
/// has the instruction.
///
/// # Safety
/// `at` is aligned to 16 bytes and valid for writing: the instruction writes even
/// if it does not exchange.
unsafe fn exchange(at: *mut u128, expected: u128, new: u128) -> u128 {
    let (low, high): (u64, u64);
    // SAFETY: as the caller promises. The instruction wants a half in `rbx`, which
    // the compiler keeps for itself, so it is put back.
    unsafe {
        core::arch::asm!(
            "xchg rsi, rbx",
            "lock cmpxchg16b xmmword ptr [rdi]",
            "mov rbx, rsi",
            in("rdi") at,
            inout("rsi") new as u64 => _,
            in("rcx") (new >> 64) as u64,
            inout("rax") expected as u64 => low,
            inout("rdx") (expected >> 64) as u64 => high,
            options(nostack),
        );
    }
    u128::from(high) << 64 | u128::from(low)
}

/// # Safety
/// As for [`exchange`].
unsafe fn replace(at: *mut u128, compute: impl Fn(u128) -> u128) -> u128 {
    update(
        // SAFETY: as the caller promises. Zero for zero changes nothing.
        || unsafe { exchange(at, 0, 0) },
        |old, new| unsafe { exchange(at, old, new) == old },
        compute,
    )
}

/// # Safety
/// `at` is valid for a 16-byte atomic, `out` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_atomic_load_16(
    _site: *const c_void,
    at: *mut u128,
    out: *mut u128,
    _mode: Mode,
) {
    // SAFETY: as the caller promises.
    unsafe { *out = exchange(at, 0, 0) }
}

/// # Safety
/// `at` is valid for a 16-byte atomic, `value` for a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_atomic_store_16(
    _site: *const c_void,
    at: *mut u128,
    value: *const u128,
    _mode: Mode,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let value = *value;
        replace(at, |_| value);
    }
}

/// # Safety
/// `at` is valid for a 16-byte atomic, `operand` for a read, `out` for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_atomic_rmw_16(
    _site: *const c_void,
    at: *mut u128,
    operand: *const u128,
    out: *mut u128,
    mode: Mode,
) {
    // SAFETY: as the caller promises.
    unsafe {
        let operand = *operand;
        *out = replace(at, |old| computed(mode, old, operand));
    }
}

/// # Safety
/// `at` is valid for a 16-byte atomic, `expected` for reading and writing, `new`
/// for a read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_atomic_cas_16(
    _site: *const c_void,
    at: *mut u128,
    expected: *mut u128,
    new: *const u128,
    _mode: Mode,
) -> u64 {
    // SAFETY: as the caller promises.
    unsafe {
        let wanted = *expected;
        let old = exchange(at, wanted, *new);
        *expected = old;
        u64::from(old == wanted)
    }
}

fn computed(mode: Mode, old: u128, operand: u128) -> u128 {
    match mode.operation() {
        0 => operand,
        1 => old.wrapping_add(operand),
        2 => old.wrapping_sub(operand),
        3 => old & operand,
        4 => !(old & operand),
        5 => old | operand,
        6 => old ^ operand,
        7 => (old as i128).max(operand as i128) as u128,
        8 => (old as i128).min(operand as i128) as u128,
        9 => old.max(operand),
        10 => old.min(operand),
        15 if old >= operand => 0,
        15 => old + 1,
        16 if old == 0 || old > operand => operand,
        16 => old - 1,
        17 if old >= operand => old - operand,
        18 => old.saturating_sub(operand),
        _ => old,
    }
}
