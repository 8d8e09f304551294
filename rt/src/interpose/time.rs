//! Time: each thread has a clock of its own that depends on its own past only, and
//! sleeping orders nothing.

use super::{cancellation, real, store};
use crate::{execution::running, kernel};
use leno_entry::entry;

/// A day in November 2026; what matters is that it is the same in every run.
const START: u64 = 1_794_787_200_000_000_000;
/// How far a look at the clock moves it.
const TICK: u64 = 1_000;
const SECOND: u64 = 1_000_000_000;

/// The running thread's time in nanoseconds since the epoch, if in an execution.
fn now() -> Option<u64> {
    let thread = running()?.thread();
    thread.clock += TICK;
    // What it sees does not come again, so a loop that looks at it does not repeat itself.
    thread.changes();
    Some(START + thread.clock)
}

/// Sleeps, if in an execution: only the thread's clock moves. A cancellation point.
fn sleep_for(nanoseconds: u64) -> bool {
    cancellation::point();
    advance(nanoseconds)
}

fn advance(nanoseconds: u64) -> bool {
    let Some(x) = running() else { return false };
    let thread = x.thread();
    thread.clock = thread.clock.saturating_add(nanoseconds);
    true
}

/// Time passes until some timeout; how long that is does not matter to anybody.
pub fn pass() {
    advance(SECOND);
}

fn timespec(nanoseconds: u64) -> libc::timespec {
    libc::timespec { tv_sec: (nanoseconds / SECOND) as i64, tv_nsec: (nanoseconds % SECOND) as i64 }
}

fn nanoseconds(time: &libc::timespec) -> u64 {
    (time.tv_sec.max(0) as u64).saturating_mul(SECOND).saturating_add(time.tv_nsec.max(0) as u64)
}

/// The processor's counter, for a program that reads it.
#[entry]
pub extern "C" fn __leno_time_stamp() -> u64 {
    // SAFETY: every x86-64 processor has the instruction.
    now().unwrap_or_else(|| unsafe { core::arch::x86_64::_rdtsc() })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn clock_gettime(clock: i32, out: *mut libc::timespec) -> i32 {
    match now() {
        Some(time) => {
            store(out, timespec(time));
            0
        }
        None => real!(clock_gettime(clock => i32, out => *mut libc::timespec) -> i32),
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn timespec_get(out: *mut libc::timespec, base: i32) -> i32 {
    match now() {
        Some(time) => {
            store(out, timespec(time));
            base
        }
        None => real!(timespec_get(out => *mut libc::timespec, base => i32) -> i32),
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn gettimeofday(out: *mut libc::timeval, zone: *mut libc::c_void) -> i32 {
    match now() {
        Some(time) => {
            store(
                out,
                libc::timeval {
                    tv_sec: (time / SECOND) as i64,
                    tv_usec: (time % SECOND / 1_000) as i64,
                },
            );
            0
        }
        None => real!(gettimeofday(out => *mut libc::timeval, zone => *mut libc::c_void) -> i32),
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn time(out: *mut i64) -> i64 {
    let Some(time) = now() else { return real!(time(out => *mut i64) -> i64) };
    let seconds = (time / SECOND) as i64;
    store(out, seconds);
    seconds
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn clock() -> i64 {
    match now() {
        Some(time) => ((time - START) / 1_000) as i64,
        None => real!(clock() -> i64),
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn nanosleep(
    wanted: *const libc::timespec,
    left: *mut libc::timespec,
) -> i32 {
    // SAFETY: the program's own time.
    if sleep_for(nanoseconds(unsafe { &*wanted })) {
        return 0;
    }
    real!(nanosleep(wanted => *const libc::timespec, left => *mut libc::timespec) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn clock_nanosleep(
    clock: i32,
    flags: i32,
    wanted: *const libc::timespec,
    left: *mut libc::timespec,
) -> i32 {
    // SAFETY: the program's own time.
    let mut wait = nanoseconds(unsafe { &*wanted });
    if let (true, Some(x)) = (flags & libc::TIMER_ABSTIME != 0, running()) {
        wait = wait.saturating_sub(START + x.thread().clock);
    }
    if sleep_for(wait) {
        return 0;
    }
    real!(clock_nanosleep(clock => i32, flags => i32, wanted => *const libc::timespec,
        left => *mut libc::timespec) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn usleep(microseconds: u32) -> i32 {
    if sleep_for(u64::from(microseconds) * 1_000) {
        return 0;
    }
    real!(usleep(microseconds => u32) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sleep(seconds: u32) -> u32 {
    if sleep_for(u64::from(seconds) * SECOND) {
        return 0;
    }
    real!(sleep(seconds => u32) -> u32)
}

/// Without descriptors to wait for, it is a way to sleep.
///
/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn poll(files: *mut libc::pollfd, count: libc::nfds_t, limit: i32) -> i32 {
    if count == 0 && limit >= 0 && sleep_for(limit as u64 * 1_000_000) {
        return 0;
    }
    kernel::isolate("poll of descriptors");
    real!(poll(files => *mut libc::pollfd, count => libc::nfds_t, limit => i32) -> i32)
}

/// As [`poll`].
///
/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn select(
    count: i32,
    read: *mut libc::fd_set,
    write: *mut libc::fd_set,
    except: *mut libc::fd_set,
    limit: *mut libc::timeval,
) -> i32 {
    let nothing = count == 0 || (read.is_null() && write.is_null() && except.is_null());
    // SAFETY: the caller gives null or a time.
    if let (true, Some(limit)) = (nothing, unsafe { limit.as_mut() }) {
        let microseconds = limit.tv_sec.max(0) as u64 * 1_000_000 + limit.tv_usec.max(0) as u64;
        if sleep_for(microseconds.saturating_mul(1_000)) {
            // Linux says how much of the time is left.
            *limit = libc::timeval { tv_sec: 0, tv_usec: 0 };
            return 0;
        }
    }
    kernel::isolate("select of descriptors");
    real!(select(count => i32, read => *mut libc::fd_set, write => *mut libc::fd_set,
        except => *mut libc::fd_set, limit => *mut libc::timeval) -> i32)
}

/// Yielding is a hint: where another thread goes on is the director's to say.
#[entry]
pub extern "C" fn sched_yield() -> i32 {
    if running().is_some() {
        return 0;
    }
    real!(sched_yield() -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub extern "C" fn pthread_yield() -> i32 {
    sched_yield()
}
