//! What `leno.h` offers to the program, and the same by the names of SV-COMP.

use crate::{
    accesses,
    cell::Global,
    execution::{self, call_site, refute, running},
    hooks,
    record::List,
    trace::FailureText,
};
use alloc::{string::String, vec::Vec};
use leno_entry::entry;
use leno_model::{AccessKind, Property, wire::Values};

/// A number from `0..n`, each of them in some execution.
#[entry]
pub extern "C" fn leno_choose(n: i32) -> i32 {
    if n < 2 { 0 } else { choose(n as u32) as i32 }
}

fn choose(alternatives: u32) -> u32 {
    if running().is_none() {
        return 0;
    }
    if let Some(number) = execution::choose_in_section(alternatives) {
        return number;
    }
    execution::choose_in_turn(alternatives, call_site())
}

/// Executions in which the condition is false are not looked at further.
#[entry]
pub extern "C" fn leno_assume(condition: i32) {
    if running().is_some() && condition == 0 {
        refute();
    }
}

/// The assumption of a function that is called `assume_abort_if_not`.
#[entry]
pub extern "C" fn __leno_assume(condition: i32) {
    leno_assume(condition);
}

#[entry]
pub extern "C" fn __VERIFIER_assume(condition: i32) {
    leno_assume(condition);
}

/// What follows, up to the end, is one step.
#[entry]
pub extern "C" fn leno_atomic_begin() {
    if running().is_some() {
        execution::enter_section(call_site());
    }
}

#[entry]
pub extern "C" fn leno_atomic_end() {
    if running().is_some() {
        execution::leave_section();
    }
}

#[entry]
pub extern "C" fn __VERIFIER_atomic_begin() {
    leno_atomic_begin();
}

#[entry]
pub extern "C" fn __VERIFIER_atomic_end() {
    leno_atomic_end();
}

/// A function called `reach_error` is entered.
#[entry]
pub extern "C" fn __leno_reach_error() {
    fail("reaches a call of reach_error");
}

/// The running thread fails, if there is one.
fn fail(what: &str) {
    if running().is_some() {
        let text =
            FailureText::Misuse { what: String::from(what), object: None, parts: Vec::new() };
        execution::fail(Property::Assert, 0, call_site(), text);
    }
}

/// # Safety
/// May be called at any time. A program that has this function itself never comes here.
#[entry]
pub unsafe extern "C" fn __VERIFIER_assert(condition: i32) {
    if condition == 0 {
        fail("calls __VERIFIER_assert for what is false");
        // SAFETY: ends the process.
        unsafe { super::process::abort() }
    }
}

#[entry]
pub extern "C" fn __ESBMC_assume(condition: i32) {
    leno_assume(condition);
}

#[entry]
pub extern "C" fn __CPROVER_assume(condition: i32) {
    leno_assume(condition);
}

/// # Safety
/// May be called at any time.
#[entry]
pub unsafe extern "C" fn __ESBMC_assert(condition: i32, _text: *const u8) {
    // SAFETY: as here.
    unsafe { __VERIFIER_assert(condition) }
}

/// # Safety
/// May be called at any time.
#[entry]
pub unsafe extern "C" fn __CPROVER_assert(condition: i32, _text: *const u8) {
    // SAFETY: as here.
    unsafe { __VERIFIER_assert(condition) }
}

#[entry]
pub extern "C" fn __ESBMC_atomic_begin() {
    leno_atomic_begin();
}

#[entry]
pub extern "C" fn __ESBMC_atomic_end() {
    leno_atomic_end();
}

#[entry]
pub extern "C" fn __CPROVER_atomic_begin() {
    leno_atomic_begin();
}

#[entry]
pub extern "C" fn __CPROVER_atomic_end() {
    leno_atomic_end();
}

/// Of a program that has forgotten `assert.h`, as many examples for checkers have.
///
/// # Safety
/// May be called at any time.
#[entry]
pub unsafe extern "C" fn assert(condition: i32) {
    if condition == 0 {
        fail("calls assert for what is false");
        // SAFETY: ends the process.
        unsafe { super::process::abort() }
    }
}

/// A program that has this function itself never comes here.
#[entry]
pub extern "C" fn assume_abort_if_not(condition: i32) {
    leno_assume(condition);
}

/// # Safety
/// May be called at any time.
#[entry]
pub unsafe extern "C" fn __goblint_check(condition: i32) {
    // SAFETY: as here.
    unsafe { __VERIFIER_assert(condition) }
}

/// # Safety
/// May be called at any time.
#[entry]
pub unsafe extern "C" fn __goblint_assert(condition: i32) {
    // SAFETY: as here.
    unsafe { __VERIFIER_assert(condition) }
}

#[entry]
pub extern "C" fn __goblint_assume(condition: i32) {
    leno_assume(condition);
}

/// What only helps an analysis of the source means nothing here.
macro_rules! hint {
    ($($function:ident),* $(,)?) => {
        $(
            #[entry]
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

/// # Safety
/// May be called at any time.
#[entry]
pub unsafe extern "C" fn __VERIFIER_error() -> ! {
    __leno_reach_error();
    // SAFETY: ends the process.
    unsafe { super::process::abort() }
}

/// # Safety
/// As above. A program that has this function itself never comes here.
#[entry]
pub unsafe extern "C" fn reach_error() -> ! {
    // SAFETY: the same by its newer name.
    unsafe { __VERIFIER_error() }
}

/// Which values the functions of the form `__VERIFIER_nondet_…` give, by type.
static VALUES: Global<Vec<Values>> = Global::new(Vec::new());
/// What was not tried in full: types, of which not all values were, and the timer.
static NARROWED: Global<Option<List<&'static str>>> = Global::new(None);

pub fn declare(values: Vec<Values>) {
    *VALUES.get() = values;
    *NARROWED.get() = Some(List::new(64));
}

/// This was tried in part.
pub fn narrow(name: &'static str) {
    if let Some(list) = NARROWED.get().as_ref().filter(|list| !list.as_slice().contains(&name)) {
        list.push(name);
    }
}

/// What has been tried in part: the types of which no values were declared, and the timer.
pub fn narrowed() -> Vec<String> {
    let names = NARROWED.get().as_ref().map_or(&[][..], |list| list.as_slice());
    names.iter().map(|name| String::from(*name)).collect()
}

/// Takes over what was narrowed before.
pub fn assume_narrowed(names: &[String]) {
    for name in names {
        // There are few, and they are known for as long as the process lives.
        narrow(String::leak(name.clone()));
    }
}

/// One of the values that were declared for the type; 0 or 1 if none were, which is
/// said in the verdict unless there are no others.
fn any(name: &'static str) -> i128 {
    let declared = VALUES.get().iter().find(|values| values.of == name);
    let (low, high) = declared.map_or((0, 1), |values| (values.low.into(), values.high.into()));
    if declared.is_none() && name != "bool" && running().is_some() {
        narrow(name);
    }
    let alternatives = u32::try_from(high - low + 1).expect("the driver lets no more through");
    if alternatives < 2 { low } else { low + i128::from(choose(alternatives)) }
}

macro_rules! any {
    ($($function:ident $name:literal $type:ty),* $(,)?) => {
        $(
            #[entry]
            pub extern "C" fn $function() -> $type {
                any($name) as $type
            }
        )*
    };
}

any! {
    __VERIFIER_nondet_bool "bool" u8,
    __VERIFIER_nondet_char "char" i8,
    __VERIFIER_nondet_uchar "uchar" u8,
    __VERIFIER_nondet_short "short" i16,
    __VERIFIER_nondet_ushort "ushort" u16,
    __VERIFIER_nondet_int "int" i32,
    __VERIFIER_nondet_uint "uint" u32,
    __VERIFIER_nondet_unsigned "uint" u32,
    __VERIFIER_nondet_unsigned_int "uint" u32,
    __VERIFIER_nondet_u8 "uchar" u8,
    __VERIFIER_nondet_u16 "ushort" u16,
    __VERIFIER_nondet_unsigned_char "uchar" u8,
    __VERIFIER_nondet_unsigned_short "ushort" u16,
    __VERIFIER_nondet_unsigned_long "ulong" u64,
    __VERIFIER_nondet_u32 "uint" u32,
    __VERIFIER_nondet_u64 "ulong" u64,
    __VERIFIER_nondet_u128 "uint128" u128,
    __VERIFIER_nondet_S8 "char" i8,
    nondet_bool "bool" u8,
    nondet_char "char" i8,
    nondet_uchar "uchar" u8,
    nondet_short "short" i16,
    nondet_ushort "ushort" u16,
    nondet_int "int" i32,
    nondet_uint "uint" u32,
    nondet_unsigned "uint" u32,
    nondet_long "long" i64,
    nondet_ulong "ulong" u64,
    nondet_float "float" f32,
    nondet_double "double" f64,
    __VERIFIER_nondet_long "long" i64,
    __VERIFIER_nondet_ulong "ulong" u64,
    __VERIFIER_nondet_longlong "longlong" i64,
    __VERIFIER_nondet_ulonglong "ulonglong" u64,
    __VERIFIER_nondet_loff_t "longlong" i64,
    __VERIFIER_nondet_sector_t "ulong" u64,
    __VERIFIER_nondet_size_t "ulong" u64,
    __VERIFIER_nondet_int128 "int128" i128,
    __VERIFIER_nondet_uint128 "uint128" u128,
    __VERIFIER_nondet_float "float" f32,
    __VERIFIER_nondet_double "double" f64,
}

/// A pointer that may be anything is null: there is no other that means something.
#[entry]
pub extern "C" fn __VERIFIER_nondet_pointer() -> *mut u8 {
    if running().is_some() {
        narrow("pointer");
    }
    core::ptr::null_mut()
}

#[entry]
pub extern "C" fn __VERIFIER_nondet_pchar() -> *mut u8 {
    __VERIFIER_nondet_pointer()
}

#[entry]
pub extern "C" fn __VERIFIER_nondet_charp() -> *mut u8 {
    __VERIFIER_nondet_pointer()
}

#[entry]
pub extern "C" fn __VERIFIER_nondet_const_char_pointer() -> *mut u8 {
    __VERIFIER_nondet_pointer()
}

/// Fills memory with bytes that are all the same, each of those declared for `uchar`.
///
/// # Safety
/// The memory is the program's.
#[entry]
pub unsafe extern "C" fn __VERIFIER_nondet_memory(start: *mut u8, len: usize) {
    if running().is_some() {
        let byte = any("memory") as u8;
        hooks::access(
            call_site(),
            &[accesses::one(AccessKind::Write, start as u64, len as u64, None)],
        );
        // SAFETY: as the caller says.
        unsafe { start.write_bytes(byte, len) };
    }
}
