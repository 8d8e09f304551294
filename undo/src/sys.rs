//! System calls without libc.

use core::arch::asm;

/// A raw system call; negative results are `-errno`.
///
/// # Safety
/// As the system call says.
#[inline(always)]
pub unsafe fn call(number: i64, args: [u64; 6]) -> i64 {
    let result: i64;
    // SAFETY: the kernel clobbers rax, rcx and r11 only.
    unsafe {
        asm!("syscall", inlateout("rax") number => result,
            in("rdi") args[0], in("rsi") args[1], in("rdx") args[2],
            in("r10") args[3], in("r8") args[4], in("r9") args[5],
            lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}
