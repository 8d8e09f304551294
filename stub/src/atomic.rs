//! Atomic operations on 1, 2, 4 and 8 bytes.

use core::{
    ffi::c_void,
    sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence},
};

/// What the pass says about an operation; see "What the pass emits" in
/// `docs/architecture.md`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Mode(pub u32);

impl Mode {
    pub fn size(self) -> u32 {
        self.0 & 0xff
    }

    pub fn is_seq_cst(self) -> bool {
        (self.0 >> 8) & 0xf == 4
    }

    pub fn operation(self) -> u32 {
        (self.0 >> 16) & 0xff
    }
}

/// The result of a compare-exchange.
#[repr(C)]
pub struct Exchanged {
    old: u64,
    ok: u64,
}

/// Does the same for each size: `$do!(AtomicU8, u8)` and so on.
macro_rules! by_size {
    ($mode:expr, $perform:ident) => {
        match $mode.size() {
            1 => $perform!(AtomicU8, u8),
            2 => $perform!(AtomicU16, u16),
            4 => $perform!(AtomicU32, u32),
            _ => $perform!(AtomicU64, u64),
        }
    };
}

/// # Safety
/// `at` is valid for an atomic load of the mode's size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_atomic_load(
    _site: *const c_void,
    at: *mut c_void,
    mode: Mode,
) -> u64 {
    macro_rules! load {
        ($atomic:ident, $int:ident) => {
            // SAFETY: as the caller promises.
            u64::from(unsafe { $atomic::from_ptr(at.cast()) }.load(Ordering::SeqCst))
        };
    }
    by_size!(mode, load)
}

/// # Safety
/// `at` is valid for an atomic store of the mode's size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_atomic_store(
    _site: *const c_void,
    at: *mut c_void,
    value: u64,
    mode: Mode,
) {
    let order = if mode.is_seq_cst() { Ordering::SeqCst } else { Ordering::Release };
    macro_rules! store {
        ($atomic:ident, $int:ident) => {
            // SAFETY: as the caller promises.
            unsafe { $atomic::from_ptr(at.cast()) }.store(value as $int, order)
        };
    }
    by_size!(mode, store)
}

/// # Safety
/// `at` is valid for an atomic update of the mode's size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_atomic_rmw(
    _site: *const c_void,
    at: *mut c_void,
    operand: u64,
    mode: Mode,
) -> u64 {
    macro_rules! rmw {
        ($atomic:ident, $int:ident) => {{
            // SAFETY: as the caller promises.
            let atomic = unsafe { $atomic::from_ptr(at.cast()) };
            let operand = operand as $int;
            let order = Ordering::SeqCst;
            u64::from(match mode.operation() {
                0 => atomic.swap(operand, order),
                1 => atomic.fetch_add(operand, order),
                2 => atomic.fetch_sub(operand, order),
                3 => atomic.fetch_and(operand, order),
                4 => atomic.fetch_nand(operand, order),
                5 => atomic.fetch_or(operand, order),
                6 => atomic.fetch_xor(operand, order),
                9 => atomic.fetch_max(operand, order),
                10 => atomic.fetch_min(operand, order),
                _ => update(
                    || atomic.load(order),
                    |old, new| atomic.compare_exchange(old, new, order, order).is_ok(),
                    |old| computed(mode, u64::from(old), u64::from(operand)) as $int,
                ),
            })
        }};
    }
    by_size!(mode, rmw)
}

/// # Safety
/// `at` is valid for an atomic update of the mode's size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __leno_atomic_cas(
    _site: *const c_void,
    at: *mut c_void,
    expected: u64,
    new: u64,
    mode: Mode,
) -> Exchanged {
    macro_rules! exchange {
        ($atomic:ident, $int:ident) => {{
            // SAFETY: as the caller promises.
            let atomic = unsafe { $atomic::from_ptr(at.cast()) };
            let order = Ordering::SeqCst;
            match atomic.compare_exchange(expected as $int, new as $int, order, order) {
                Ok(old) => Exchanged { old: u64::from(old), ok: 1 },
                Err(old) => Exchanged { old: u64::from(old), ok: 0 },
            }
        }};
    }
    by_size!(mode, exchange)
}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_fence(_site: *const c_void, order: u32) {
    match order {
        0 => {}
        1 => fence(Ordering::Acquire),
        2 => fence(Ordering::Release),
        3 => fence(Ordering::AcqRel),
        _ => fence(Ordering::SeqCst),
    }
}

/// Replaces a value by what is computed from it; gives the old one.
pub fn update<T: Copy>(
    load: impl Fn() -> T,
    exchange: impl Fn(T, T) -> bool,
    compute: impl Fn(T) -> T,
) -> T {
    loop {
        let old = load();
        if exchange(old, compute(old)) {
            return old;
        }
    }
}

/// The operations that the processor has no instruction for.
fn computed(mode: Mode, old: u64, operand: u64) -> u64 {
    let shift = 64 - mode.size() * 8;
    let signed = |value: u64| ((value << shift) as i64) >> shift;
    match mode.operation() {
        7 => signed(old).max(signed(operand)) as u64,
        8 => signed(old).min(signed(operand)) as u64,
        11..=14 => float(mode, old, operand),
        15 if old >= operand => 0,
        15 => old + 1,
        16 if old == 0 || old > operand => operand,
        16 => old - 1,
        17 if old >= operand => old - operand,
        17 => old,
        18 => old.saturating_sub(operand),
        _ => old,
    }
}

fn float(mode: Mode, old: u64, operand: u64) -> u64 {
    if mode.size() == 4 {
        let (old, operand) = (f32::from_bits(old as u32), f32::from_bits(operand as u32));
        u64::from(float_operation!(mode, old, operand).to_bits())
    } else {
        let (old, operand) = (f64::from_bits(old), f64::from_bits(operand));
        float_operation!(mode, old, operand).to_bits()
    }
}

macro_rules! float_operation {
    ($mode:expr, $old:expr, $operand:expr) => {
        match $mode.operation() {
            11 => $old + $operand,
            12 => $old - $operand,
            13 => $old.max($operand),
            _ => $old.min($operand),
        }
    };
}
use float_operation;
