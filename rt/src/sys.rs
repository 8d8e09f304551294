//! System calls without libc: libc's wrappers would write the program's `errno`,
//! and some of them are interposed by ourselves.

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

pub fn exit_group(status: i32) -> ! {
    loop {
        // SAFETY: ends the process.
        unsafe { call(libc::SYS_exit_group, [status as u64, 0, 0, 0, 0, 0]) };
    }
}

/// Writes all of `bytes`; false if the descriptor does not take them.
pub fn write_all(fd: i32, mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the kernel reads `bytes` only.
        let n = unsafe {
            call(libc::SYS_write, [fd as u64, bytes.as_ptr() as u64, bytes.len() as u64, 0, 0, 0])
        };
        match n {
            n if n > 0 => bytes = &bytes[n as usize..],
            n if n == -i64::from(libc::EINTR) => {}
            _ => return false,
        }
    }
    true
}

/// Fills `bytes`; false at the end of the stream.
pub fn read_all(fd: i32, mut bytes: &mut [u8]) -> bool {
    while !bytes.is_empty() {
        // SAFETY: the kernel writes `bytes` only.
        let n = unsafe {
            call(libc::SYS_read, [fd as u64, bytes.as_mut_ptr() as u64, bytes.len() as u64, 0, 0, 0])
        };
        match n {
            n if n > 0 => bytes = &mut bytes[n as usize..],
            n if n == -i64::from(libc::EINTR) => {}
            _ => return false,
        }
    }
    true
}

/// Maps `len` zero bytes, readable and writable, not reserved in advance; at `at`
/// where that is not 0 (then nothing else may be there).
pub fn map(at: usize, len: usize, shared: bool) -> Option<*mut u8> {
    let mut flags = libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    flags |= if shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    if at != 0 {
        flags |= libc::MAP_FIXED_NOREPLACE;
    }
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
    // SAFETY: a new mapping that replaces none.
    let result = unsafe {
        call(libc::SYS_mmap, [at as u64, len as u64, protection, flags as u64, u64::MAX, 0])
    };
    (result > 0 && (at == 0 || result as usize == at)).then_some(result as *mut u8)
}

/// Changes what may be done with a range of pages.
pub fn protect(at: usize, len: usize, protection: i32) {
    // SAFETY: takes away no more than the caller, who owns the range, has in mind.
    unsafe { call(libc::SYS_mprotect, [at as u64, len as u64, protection as u64, 0, 0, 0]) };
}

/// Nanoseconds of the monotonic clock, the real one.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let clock = libc::CLOCK_MONOTONIC as u64;
    // SAFETY: the kernel writes `time` only.
    unsafe { call(libc::SYS_clock_gettime, [clock, &raw mut time as u64, 0, 0, 0, 0]) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A child process that is a copy of this one.
///
/// Not libc's `fork`: its child takes the stacks of all other threads, our parked
/// ones, for free memory.
pub fn fork() -> i64 {
    // SAFETY: the child has a copy of everything, and only this kernel thread.
    unsafe { call(libc::SYS_clone, [libc::SIGCHLD as u64, 0, 0, 0, 0, 0]) }
}

/// Waits for a child and gives its wait status.
pub fn wait(pid: i64) -> i32 {
    let mut status = 0i32;
    loop {
        // SAFETY: the kernel writes `status` only.
        let result = unsafe { call(libc::SYS_wait4, [pid as u64, &raw mut status as u64, 0, 0, 0, 0]) };
        if result != -i64::from(libc::EINTR) {
            return status;
        }
    }
}
