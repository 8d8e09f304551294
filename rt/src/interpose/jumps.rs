//! Jumps out of functions and handlers.
//!
//! libc's do the work. But the kernel's mask, which `sigsetjmp` keeps and `siglongjmp` puts
//! back, is not the thread's: that is kept beside it, in a part of the `jmp_buf` that libc has
//! no use for. And who jumps out of a handler leaves behind what the runtime was doing when it
//! was interrupted.

use super::{address, signalling, unwinding};
use crate::{
    execution::{self, running},
    kernel::handlers,
    secrets, stacks,
};
use core::arch::naked_asm;
use leno_entry::entry;

/// Parts of a `jmp_buf` in glibc's ABI: the stack pointer, hidden; whether there is a mask; and
/// its place, of which the kernel's mask is the first of sixteen words.
const STACK: usize = 48;
const HAS_MASK: usize = 64;
const MASK: usize = 72 + 8 * 8;

/// Keeps the running thread's mask if that is wanted. Gives libc's function that does the rest.
///
/// # Safety
/// The place is a `jmp_buf`.
#[entry]
pub unsafe extern "C" fn __leno_sets_jump(place: usize, mask: i32) -> usize {
    if mask != 0 && running().is_some() {
        // SAFETY: as the caller says.
        unsafe { *((place + MASK) as *mut u64) = *handlers::mask() };
    }
    address!(__sigsetjmp)
}

/// It returns twice, so it has no frame of its own when libc's is called.
#[unsafe(naked)]
#[unsafe(export_name = "__sigsetjmp")]
unsafe extern "C" fn sets_jump() {
    naked_asm!(
        ".cfi_startproc",
        "push rdi",
        ".cfi_adjust_cfa_offset 8",
        "push rsi",
        ".cfi_adjust_cfa_offset 8",
        "sub rsp, 8",
        ".cfi_adjust_cfa_offset 8",
        "call __leno_sets_jump@PLT",
        "add rsp, 8",
        ".cfi_adjust_cfa_offset -8",
        "pop rsi",
        ".cfi_adjust_cfa_offset -8",
        "pop rdi",
        ".cfi_adjust_cfa_offset -8",
        "jmp rax",
        ".cfi_endproc",
    )
}

/// The running thread is about to jump: its mask, and where the runtime stands, are those of
/// the place that it jumps to.
fn leave(place: usize) {
    if running().is_none() || execution::current_thread().is_none() {
        return;
    }
    // SAFETY: the program's `jmp_buf`.
    let (stack, has_mask, mask) = unsafe {
        (
            *((place + STACK) as *const u64),
            *((place + HAS_MASK) as *const i32) != 0,
            *((place + MASK) as *const u64),
        )
    };
    if has_mask {
        signalling::set_mask_at_once(mask);
    }
    let stack = stack.rotate_right(17) ^ secrets::POINTER_GUARD;
    execution::leaves_handlers(stack as usize);
    unwinding::leaves(stack as usize);
}

macro_rules! jumps {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry(calls)]
        pub unsafe extern "C" fn $name(place: usize, value: i32) {
            leave(place);
            stacks::call(address!($name), [place as u64, value as u64, 0], stacks::result, [0; 2]);
        }
    )*};
}

jumps! { longjmp _longjmp siglongjmp __longjmp_chk }
