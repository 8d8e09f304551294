//! The two secrets of a process, made known.
//!
//! glibc has two random numbers for each process in every thread's control block: one that
//! functions leave on the stack to find out whether somebody has overwritten it, and one that
//! hides the pointers in a `jmp_buf`. Both come to lie on the program's stack, and who reads
//! it before it is written would find other bytes in a replay than in the check. Here they are
//! constants. This must be done before anybody has used one: the library is marked so that
//! its constructor is the first of all (build.rs). New threads get their creator's.

use core::arch::asm;

/// As from glibc, the lowest byte is zero: a string that overflows cannot put it back.
const CANARY: u64 = 0x5eed_1e00_5eed_1e00;
pub const POINTER_GUARD: u64 = 0x1e00_5eed_1e00_5eed;

#[used]
#[unsafe(link_section = ".init_array")]
static FIRST: extern "C" fn() = make_known;

extern "C" fn make_known() {
    // SAFETY: these words of the control block have their place in the ABI, and no function
    // that has looked at one of them is still to look again.
    unsafe {
        asm!("mov qword ptr fs:[0x28], {canary}", "mov qword ptr fs:[0x30], {guard}",
            canary = in(reg) CANARY, guard = in(reg) POINTER_GUARD,
            options(nostack, preserves_flags));
    }
}
