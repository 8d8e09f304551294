//! What `leno.h` and SV-COMP offer to a program, when nobody searches.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

unsafe extern "C" {
    fn exit(status: i32) -> !;
    fn abort() -> !;
    fn pthread_self() -> u64;
    fn sched_yield() -> i32;
}

/// Without a search there is one value to choose.
#[unsafe(no_mangle)]
pub extern "C" fn leno_choose(_alternatives: i32) -> i32 {
    0
}

/// An execution that is of no interest ends.
#[unsafe(no_mangle)]
pub extern "C" fn leno_assume(condition: i32) {
    if condition == 0 {
        // SAFETY: the program asked for it.
        unsafe { exit(0) }
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __VERIFIER_assume(condition: i32) {
    leno_assume(condition);
}

#[unsafe(no_mangle)]
pub extern "C" fn __ESBMC_assume(condition: i32) {
    leno_assume(condition);
}

#[unsafe(no_mangle)]
pub extern "C" fn __CPROVER_assume(condition: i32) {
    leno_assume(condition);
}

#[unsafe(no_mangle)]
pub extern "C" fn __VERIFIER_assert(condition: i32) {
    if condition == 0 {
        __VERIFIER_error()
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __ESBMC_assert(condition: i32, _text: *const u8) {
    __VERIFIER_assert(condition);
}

#[unsafe(no_mangle)]
pub extern "C" fn __CPROVER_assert(condition: i32, _text: *const u8) {
    __VERIFIER_assert(condition);
}

/// For a program that has forgotten `assert.h`.
#[unsafe(no_mangle)]
pub extern "C" fn assert(condition: i32) {
    __VERIFIER_assert(condition);
}

/// For a program that calls it and has none of its own.
#[unsafe(no_mangle)]
pub extern "C" fn assume_abort_if_not(condition: i32) {
    leno_assume(condition);
}

#[unsafe(no_mangle)]
pub extern "C" fn __goblint_check(condition: i32) {
    __VERIFIER_assert(condition);
}

#[unsafe(no_mangle)]
pub extern "C" fn __goblint_assert(condition: i32) {
    __VERIFIER_assert(condition);
}

#[unsafe(no_mangle)]
pub extern "C" fn __goblint_assume(condition: i32) {
    leno_assume(condition);
}

/// What only helps an analysis of the source means nothing here.
macro_rules! hint {
    ($($function:ident),* $(,)?) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $function() {}
        )*
    };
}

hint! {
    __goblint_assume_join,
    __goblint_globalize,
    __goblint_split_begin,
    __goblint_split_end,
    __goblint_bounded,
    __ESBMC_yield,
    __VERIFIER_loop_bound,
}

/// What the program's own function does comes next.
#[unsafe(no_mangle)]
pub extern "C" fn __leno_assume(_condition: i32) {}

#[unsafe(no_mangle)]
pub extern "C" fn __leno_reach_error() {}

#[unsafe(no_mangle)]
pub extern "C" fn __VERIFIER_error() -> ! {
    // SAFETY: may be called at any time.
    unsafe { abort() }
}

/// For a program that calls it and has none of its own.
#[unsafe(no_mangle)]
pub extern "C" fn reach_error() -> ! {
    __VERIFIER_error()
}

/// The thread in an atomic section, 0 if none is, and how deep.
static INSIDE: AtomicU64 = AtomicU64::new(0);
static DEPTH: AtomicU32 = AtomicU32::new(0);

/// One section at a time. Accesses outside of sections are not held up.
#[unsafe(no_mangle)]
pub extern "C" fn leno_atomic_begin() {
    // SAFETY: may be called at any time.
    let me = unsafe { pthread_self() };
    if INSIDE.load(Ordering::Relaxed) != me {
        while INSIDE.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed).is_err() {
            // SAFETY: may be called at any time.
            unsafe { sched_yield() };
        }
    }
    DEPTH.fetch_add(1, Ordering::Relaxed);
}

#[unsafe(no_mangle)]
pub extern "C" fn leno_atomic_end() {
    if DEPTH.fetch_sub(1, Ordering::Relaxed) == 1 {
        INSIDE.store(0, Ordering::Release);
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn __VERIFIER_atomic_begin() {
    leno_atomic_begin();
}

#[unsafe(no_mangle)]
pub extern "C" fn __VERIFIER_atomic_end() {
    leno_atomic_end();
}

#[unsafe(no_mangle)]
pub extern "C" fn __ESBMC_atomic_begin() {
    leno_atomic_begin();
}

#[unsafe(no_mangle)]
pub extern "C" fn __ESBMC_atomic_end() {
    leno_atomic_end();
}

#[unsafe(no_mangle)]
pub extern "C" fn __CPROVER_atomic_begin() {
    leno_atomic_begin();
}

#[unsafe(no_mangle)]
pub extern "C" fn __CPROVER_atomic_end() {
    leno_atomic_end();
}

macro_rules! zero {
    ($($function:ident $type:ty),* $(,)?) => {
        $(
            #[unsafe(no_mangle)]
            pub extern "C" fn $function() -> $type {
                0 as $type
            }
        )*
    };
}

zero! {
    __VERIFIER_nondet_bool u8,
    __VERIFIER_nondet_char i8,
    __VERIFIER_nondet_uchar u8,
    __VERIFIER_nondet_short i16,
    __VERIFIER_nondet_ushort u16,
    __VERIFIER_nondet_int i32,
    __VERIFIER_nondet_uint u32,
    __VERIFIER_nondet_unsigned u32,
    __VERIFIER_nondet_unsigned_int u32,
    __VERIFIER_nondet_u8 u8,
    __VERIFIER_nondet_u16 u16,
    __VERIFIER_nondet_u32 u32,
    __VERIFIER_nondet_unsigned_char u8,
    __VERIFIER_nondet_unsigned_short u16,
    __VERIFIER_nondet_unsigned_long u64,
    __VERIFIER_nondet_u64 u64,
    __VERIFIER_nondet_u128 u128,
    __VERIFIER_nondet_S8 i8,
    nondet_bool u8,
    nondet_char i8,
    nondet_uchar u8,
    nondet_short i16,
    nondet_ushort u16,
    nondet_int i32,
    nondet_uint u32,
    nondet_unsigned u32,
    nondet_long i64,
    nondet_ulong u64,
    nondet_float f32,
    nondet_double f64,
    __VERIFIER_nondet_long i64,
    __VERIFIER_nondet_ulong u64,
    __VERIFIER_nondet_longlong i64,
    __VERIFIER_nondet_ulonglong u64,
    __VERIFIER_nondet_loff_t i64,
    __VERIFIER_nondet_sector_t u64,
    __VERIFIER_nondet_size_t u64,
    __VERIFIER_nondet_int128 i128,
    __VERIFIER_nondet_uint128 u128,
    __VERIFIER_nondet_float f32,
    __VERIFIER_nondet_double f64,
    // Pointers, as numbers.
    __VERIFIER_nondet_pointer u64,
    __VERIFIER_nondet_pchar u64,
    __VERIFIER_nondet_charp u64,
    __VERIFIER_nondet_const_char_pointer u64,
}

/// # Safety
/// The memory is the program's. It may stay as it is: that is one of its values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __VERIFIER_nondet_memory(_start: *mut u8, _len: usize) {}
