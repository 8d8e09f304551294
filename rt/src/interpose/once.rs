//! `pthread_once`, and what libc++ has instead.
//!
//! Who finds it done goes on: all that orders it behind the routine is the mark, which is
//! read to acquire and was written to release, so that two such callers order nothing
//! between them. Otherwise a mutex around the test has one caller run the routine and the
//! others wait.
//!
//! An exception, or the end of the thread, may leave the routine. It counts as not called
//! from then on, and not from where the exception is caught: a destructor on the way may
//! wait for a thread that calls it in turn. So the routine has a frame of ours below it,
//! [`guarded`], and the unwinder says when it passes that.

use super::{address, is_internal, unwinding::CLEANUP_PHASE};
use crate::{
    accesses,
    execution::{call_site, running},
    hooks::{self, synchronise},
    stacks::{self, Then},
};
use core::arch::naked_asm;
use leno_entry::entry;
use leno_model::{AccessKind, MutexKind, Op, Order, SiteRef};

/// glibc's mark for "has been done".
const DONE: i32 = 2;

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn pthread_once(control: *mut i32, routine: extern "C" fn()) -> i32 {
    if running().is_none() || is_internal(control as u64) {
        let arguments = [control as u64, routine as *const () as u64, 0];
        stacks::call(address!(pthread_once), arguments, stacks::result, [0; 2]);
        return 0;
    }
    begin(control, DONE, routine as *const () as usize, 0, returned);
    0
}

extern "C" fn returned(_: u64, control: u64, site: u64) -> u64 {
    end(control as *mut i32, DONE, SiteRef(site));
    0
}

/// libc++'s mark for the same.
const CALLED: u64 = u64::MAX;

/// `std::__1::__call_once(unsigned long volatile&, void*, void (*)(void*))` of libc++. Its
/// template has looked at the word before, with an access of its own.
///
/// # Safety
/// As libc++'s.
#[entry(calls)]
pub unsafe extern "C" fn _ZNSt3__111__call_onceERVmPvPFvS2_E(
    control: *mut u64,
    argument: u64,
    routine: usize,
) {
    if running().is_none() {
        let function = address!(_ZNSt3__111__call_onceERVmPvPFvS2_E);
        let arguments = [control as u64, argument, routine as u64];
        stacks::call(function, arguments, stacks::result, [0; 2]);
        return;
    }
    begin(control, CALLED, routine, argument, called);
}

extern "C" fn called(_: u64, control: u64, site: u64) -> u64 {
    end(control as *mut u64, CALLED, SiteRef(site));
    0
}

/// Has the routine called unless the word says that it has been, and `then` behind it.
fn begin<Word: Copy + PartialEq>(
    control: *mut Word,
    done: Word,
    routine: usize,
    argument: u64,
    then: Then,
) {
    let (mutex, site) = (control as u64, call_site());
    mark(control, site, AccessKind::Read, Order::Acquire);
    // SAFETY: the program's control word. It changes when its turn has come.
    if unsafe { *control } == done {
        return;
    }
    synchronise(Op::Lock { mutex, kind: MutexKind::Normal }, site);
    // SAFETY: as above; no other thread changes it now.
    if unsafe { *control } != done {
        let routines = &mut running().expect("still running").thread().routines;
        routines.push(mutex);
        let guarded = guarded as *const () as usize;
        stacks::call(guarded, [argument, routine as u64, 0], then, [mutex, site.0]);
        return;
    }
    synchronise(Op::Unlock { mutex }, site);
}

/// The routine has returned.
fn end<Word>(control: *mut Word, done: Word, site: SiteRef) {
    running().expect("still running").thread().routines.pop();
    mark(control, site, AccessKind::Write, Order::Release);
    // SAFETY: the program's control word, which no other thread changes now.
    unsafe { *control = done };
    synchronise(Op::Unlock { mutex: control as u64 }, site);
}

fn mark<Word>(control: *mut Word, site: SiteRef, kind: AccessKind, order: Order) {
    let len = size_of::<Word>() as u64;
    hooks::access(site, &[accesses::one(kind, control as u64, len, Some(order))]);
}

/// Calls the routine, which is its second argument, with the first.
#[unsafe(naked)]
unsafe extern "C" fn guarded() {
    naked_asm!(
        ".cfi_startproc",
        // Found relative to here, through a word that holds its address.
        ".cfi_personality 0x9b, {personality}",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov r11, rsi",
        "xor esi, esi",
        "xor eax, eax",
        "call r11",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        personality = sym PERSONALITY,
    )
}

unsafe extern "C" {
    /// The thunk of the function below.
    #[link_name = "__leno_unwinds_once"]
    fn unwinds_once();
}

static PERSONALITY: unsafe extern "C" fn() = unwinds_once;

/// There is nothing to be run in this frame.
const CONTINUE_UNWIND: i32 = 8;

/// The unwinder has come to the frame of [`guarded`] that was made last.
#[entry]
pub extern "C" fn __leno_unwinds_once(_version: i32, actions: i32) -> i32 {
    if actions & CLEANUP_PHASE != 0
        && let Some(running) = running()
        && let Some(mutex) = running.thread().routines.pop()
    {
        synchronise(Op::Unlock { mutex }, call_site());
    }
    CONTINUE_UNWIND
}

/// The running thread ends in the middle of routines, or of the initialisers of static
/// variables, without having unwound them.
pub fn abandon() {
    let thread = || running().expect("in an execution").thread();
    while let Some(mutex) = thread().routines.pop().or_else(|| thread().initialises.pop()) {
        synchronise(Op::Unlock { mutex }, call_site());
    }
}
