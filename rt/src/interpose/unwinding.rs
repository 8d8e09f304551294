//! Frames that are left without a return, and their records.
//!
//! Instrumented code puts the list of records in order wherever control comes back to it. But
//! what is unwound or jumped over may first come back to code that is not: to a destructor, or
//! a `catch`, of a library's. If that calls instrumented code, the list would go on at a record
//! which is gone, and whose memory is perhaps that of the new one by now.
//!
//! So the records of frames that are gone are taken off the list before: the unwinder asks the
//! personality of each function that may have something to do what that is, and the
//! personalities of C++ and of C are the runtime's, which asks the library's own then.

use super::{address, next_if_any};
use crate::{cell::Global, execution::running, fiber, stacks};
use core::arch::naked_asm;
use leno_entry::entry;

/// Frames are being left, and not only looked at for one that catches.
pub const CLEANUP_PHASE: i32 = 2;

/// The program's stack is about to be as high as that.
pub fn leaves(stack: usize) {
    if running().is_some() {
        fiber::forget_frames(stacks::program()..stack);
    }
}

type StackOf = unsafe extern "C" fn(usize) -> usize;

/// The unwinder has come to a frame: all those below are gone.
fn comes_to(actions: i32, context: usize) {
    static STACK_OF: Global<Option<StackOf>> = Global::new(None);
    if actions & CLEANUP_PHASE == 0 || running().is_none() {
        return;
    }
    // Where the stack of this frame ends is where that of the one it called begins.
    // SAFETY: the function's type in unwind.h.
    let find = || unsafe { core::mem::transmute(next_if_any(c"_Unwind_GetCFA")) };
    if let Some(stack_of) = STACK_OF.get().or_else(find) {
        *STACK_OF.get() = Some(stack_of);
        // SAFETY: the unwinder's own context.
        leaves(unsafe { stack_of(context) });
    }
}

macro_rules! personality {
    ($name:ident, $hook:ident, $function:ident) => {
        /// Gives the library's own personality, for the thunk below.
        #[entry]
        pub extern "C" fn $hook(_version: i32, actions: i32, context: usize) -> usize {
            comes_to(actions, context);
            address!($name)
        }

        /// It passes on all five arguments, and the library's returns to the unwinder.
        #[unsafe(naked)]
        #[unsafe(export_name = stringify!($name))]
        unsafe extern "C" fn $function() {
            naked_asm!(
                ".cfi_startproc",
                ".irp register, rdi, rsi, rdx, rcx, r8",
                "push \\register",
                ".cfi_adjust_cfa_offset 8",
                ".endr",
                "mov rdx, r8",
                concat!("call ", stringify!($hook), "@PLT"),
                ".irp register, r8, rcx, rdx, rsi, rdi",
                "pop \\register",
                ".cfi_adjust_cfa_offset -8",
                ".endr",
                "jmp rax",
                ".cfi_endproc",
            )
        }
    };
}

personality! { __gxx_personality_v0, __leno_unwinds_cxx, personality_of_cxx }
personality! { __gcc_personality_v0, __leno_unwinds_c, personality_of_c }
