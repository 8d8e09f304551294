//! System calls without libc: libc's wrappers would write the program's `errno`,
//! and some of them are interposed by ourselves.

use crate::cell::Global;

pub use leno_undo::call;

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
            call(
                libc::SYS_read,
                [fd as u64, bytes.as_mut_ptr() as u64, bytes.len() as u64, 0, 0, 0],
            )
        };
        match n {
            n if n > 0 => bytes = &mut bytes[n as usize..],
            n if n == -i64::from(libc::EINTR) => {}
            _ => return false,
        }
    }
    true
}

/// Where the runtime's own memory lies. Apart from it there is only the data of its
/// file, and the program has no business in either.
pub const OWN: core::ops::Range<u64> = 0x6000_0000_0000..0x6800_0000_0000;

/// Where the next mapping of our own goes.
static NEXT: Global<u64> = Global::new(OWN.start);

/// What is behind a mapping of our own: memory of this process, memory that it shares
/// with its children, or a file from a place on.
#[derive(Clone, Copy)]
pub enum Backing {
    Private,
    Shared,
    File(i32, usize),
}

/// Maps `len` bytes for the runtime itself.
pub fn map_own(len: usize, backing: Backing) -> Option<*mut u8> {
    let next = NEXT.get();
    let at = *next;
    // A page in between catches what runs over.
    *next += (len as u64).next_multiple_of(4096) + 4096;
    if *next > OWN.end {
        return None;
    }
    map_backed(at as usize, len, backing)
}

/// Makes a file at least so long.
pub fn grow(file: i32, len: usize) -> bool {
    // SAFETY: these calls touch no memory but `stat` and `limit`.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        // Growing beyond the limit would end the process.
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        let place = &raw mut limit as u64;
        call(libc::SYS_getrlimit, [libc::RLIMIT_FSIZE as u64, place, 0, 0, 0, 0]);
        call(libc::SYS_fstat, [file as u64, &raw mut stat as u64, 0, 0, 0, 0]) == 0
            && (stat.st_size as usize >= len
                || limit.rlim_cur >= len as u64
                    && call(libc::SYS_ftruncate, [file as u64, len as u64, 0, 0, 0, 0]) == 0)
    }
}

/// Maps `len` zero bytes at `at`, readable and writable, not reserved in advance.
pub fn map(at: usize, len: usize) -> Option<*mut u8> {
    map_backed(at, len, Backing::Private)
}

fn map_backed(at: usize, len: usize, backing: Backing) -> Option<*mut u8> {
    let (kind, file, offset) = match backing {
        Backing::Private => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0),
        Backing::Shared => (libc::MAP_SHARED | libc::MAP_ANONYMOUS, -1, 0),
        Backing::File(file, offset) => (libc::MAP_SHARED, file, offset),
    };
    let flags = (kind | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE) as u64;
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
    // SAFETY: a new mapping that replaces none.
    let result = unsafe {
        call(
            libc::SYS_mmap,
            [at as u64, len as u64, protection, flags, i64::from(file) as u64, offset as u64],
        )
    };
    (result as usize == at).then_some(at as *mut u8)
}

/// Changes what may be done with a range of pages.
pub fn protect(at: usize, len: usize, protection: i32) {
    // SAFETY: takes away no more than the caller, who owns the range, has in mind.
    unsafe { call(libc::SYS_mprotect, [at as u64, len as u64, protection as u64, 0, 0, 0]) };
}

/// Makes a range of pages zero by giving them back to the kernel.
pub fn discard(at: usize, len: usize) {
    let advice = libc::MADV_DONTNEED as u64;
    // SAFETY: private anonymous memory, of which the caller owns the range.
    unsafe { call(libc::SYS_madvise, [at as u64, len as u64, advice, 0, 0, 0]) };
}

/// Nanoseconds of the monotonic clock, the real one.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let clock = libc::CLOCK_MONOTONIC as u64;
    // SAFETY: the kernel writes `time` only.
    unsafe { call(libc::SYS_clock_gettime, [clock, &raw mut time as u64, 0, 0, 0, 0]) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// How many kernel threads this process has; 1 where nobody can tell.
pub fn threads() -> u64 {
    let path = c"/proc/self/task".as_ptr() as u64;
    // SAFETY: the kernel reads a string that ends with a zero and writes `stat`. The
    // directory has a link for each thread, besides its own two.
    unsafe {
        let mut stat: libc::stat = core::mem::zeroed();
        match call(libc::SYS_stat, [path, &raw mut stat as u64, 0, 0, 0, 0]) {
            0 => stat.st_nlink.saturating_sub(2),
            _ => 1,
        }
    }
}

/// Sleeps for a millisecond.
pub fn nap() {
    let time = libc::timespec { tv_sec: 0, tv_nsec: 1_000_000 };
    // SAFETY: the kernel reads `time` only.
    unsafe { call(libc::SYS_nanosleep, [&raw const time as u64, 0, 0, 0, 0, 0]) };
}

/// A child process that is a copy of this one.
///
/// Not libc's `fork`: its child takes the stacks of all other threads, our parked
/// ones, for free memory.
pub fn fork() -> i64 {
    // SAFETY: the child has a copy of everything, and only this kernel thread.
    unsafe { call(libc::SYS_clone, [libc::SIGCHLD as u64, 0, 0, 0, 0, 0]) }
}

/// Waits for a child and gives its wait status. A child that stops is killed: nobody
/// would wake it up.
pub fn wait(pid: i64) -> i32 {
    let (mut status, mut stopped) = (0i32, None);
    loop {
        let options = libc::WUNTRACED as u64;
        // SAFETY: the kernel writes `status` only; the process is our own child.
        unsafe {
            let place = &raw mut status as u64;
            let result = call(libc::SYS_wait4, [pid as u64, place, options, 0, 0, 0]);
            if result == pid && libc::WIFSTOPPED(status) {
                stopped = Some(status);
                call(libc::SYS_kill, [pid as u64, libc::SIGKILL as u64, 0, 0, 0, 0]);
            } else if result != -i64::from(libc::EINTR) {
                return stopped.unwrap_or(status);
            }
        }
    }
}

/// For a new child process: it is a process group of its own, so that what it sends to
/// its group does not reach the host, and it dies when the host does.
pub fn detach_child() {
    // SAFETY: these calls touch no memory.
    unsafe {
        call(libc::SYS_setpgid, [0; 6]);
        let (option, signal) = (libc::PR_SET_PDEATHSIG as u64, libc::SIGKILL as u64);
        call(libc::SYS_prctl, [option, signal, 0, 0, 0, 0]);
    }
}
