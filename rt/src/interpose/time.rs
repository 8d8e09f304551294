//! Time: each thread has a clock of its own that depends on its own past only, and
//! sleeping orders nothing.
//!
//! Clocks go by whole seconds, and a look at one moves it by one, as if much time had
//! passed since the last. A sleep takes whole seconds too. So a loop that polls until a
//! deadline comes to an end after a few rounds; and what a thread has noted of the time can
//! be told in its variables, as a number of seconds, milliseconds, microseconds or
//! nanoseconds not far from the start. That is needed to see that a loop repeats itself
//! which computes a new deadline in each round: its variables are the same if times are
//! taken relative to what the thread saw last ([`Seen::relative`]).
//!
//! Times that are elsewhere (a deadline in an object of the heap) are not told. So a loop
//! that looks at the clock and would repeat itself is like a wait with a timeout: before it
//! waits for somebody to write, the search chooses whether so much time passes instead that
//! whatever it waits for is over ([`pass_much`]; `execution::arrive`).
//!
//! Before `main` there is a clock too, which the main thread's goes on from: so times that
//! constructors note are the same in every process, and not later than all others. Who sleeps
//! or waits there does so by the system's clocks ([`outside`]).

use super::{
    cancellation, real, set_errno,
    signalling::{self, Interrupted},
    store, timers,
};
use crate::{cell::Global, execution::running, host};
use leno_entry::entry;

/// A day in November 2026; what matters is that it is the same in every run.
const START: u64 = 1_794_787_200 * SECOND;
const SECOND: u64 = 1_000_000_000;
/// More than a program waits.
const MUCH: u64 = 24 * 3_600 * SECOND;
/// Times that far from the start are told as such.
const KNOWN: u64 = 100 * MUCH;

/// What a thread has seen of the time.
#[derive(Clone, Copy, Default)]
pub struct Seen {
    /// Its clock when it last looked; 0 if it never did.
    pub last: u64,
    /// How many events it had made then.
    pub events: u32,
    /// Before which event of the execution so much time has passed that no more makes a
    /// difference, until the thread sees that something has changed since.
    pub passed: Option<u32>,
}

impl Seen {
    /// A word of the thread's variables, if it is a time, relative to what was seen last.
    pub fn relative(&self, word: u64) -> u64 {
        let unit = match word {
            _ if self.last == 0 => return word,
            SECONDS.. if word < SECONDS + KNOWN / SECOND => SECOND,
            MILLISECONDS.. if word < MILLISECONDS + KNOWN / 1_000_000 => 1_000_000,
            MICROSECONDS.. if word < MICROSECONDS + KNOWN / 1_000 => 1_000,
            START.. if word < START + KNOWN => 1,
            _ => return word,
        };
        word.wrapping_sub((START + self.last) / unit)
    }
}

const SECONDS: u64 = START / SECOND;
const MILLISECONDS: u64 = START / 1_000_000;
const MICROSECONDS: u64 = START / 1_000;

/// The clock before `main`, in nanoseconds since the start.
static BEFORE_MAIN: Global<u64> = Global::new(0);

/// What the main thread's clock begins with.
pub fn at_main() -> u64 {
    *BEFORE_MAIN.get()
}

/// The clock that the program goes by, if leno checks it.
fn own_clock() -> Option<&'static mut u64> {
    match running() {
        Some(x) => Some(&mut x.thread().clock),
        None => host::is_checking().then(|| BEFORE_MAIN.get()),
    }
}

/// The running thread's time in nanoseconds since the epoch, if leno checks the program.
fn now() -> Option<u64> {
    advance(SECOND);
    if let Some(x) = running() {
        let thread = x.thread();
        (thread.seen.last, thread.seen.events) = (thread.clock, thread.events);
    }
    own_clock().map(|clock| START + *clock)
}

/// Sleeps, in an execution: only the thread's clock moves. A cancellation point. False if a
/// signal ends it.
pub fn sleep_for(nanoseconds: u64) -> bool {
    cancellation::point();
    let sleeps = signalling::interrupts() == Interrupted::No && !timers::ends_sleep(nanoseconds);
    if sleeps {
        advance(nanoseconds);
    }
    sleeps
}

/// What a function gives back that sleeps.
pub fn interrupted_unless(slept: bool) -> i32 {
    if slept {
        return 0;
    }
    set_errno(libc::EINTR);
    -1
}

fn advance(nanoseconds: u64) {
    let Some(clock) = own_clock() else { return };
    let whole = nanoseconds.div_ceil(SECOND).saturating_mul(SECOND);
    // Far from the end of all times.
    *clock = clock.saturating_add(whole).min(u64::MAX / 4 / SECOND * SECOND);
}

/// Time passes until a deadline.
pub fn pass_until(deadline: u64) {
    if let Some(clock) = own_clock() {
        let now = START + *clock;
        advance(deadline.saturating_sub(now).max(SECOND));
    }
}

/// So much time passes that all that may be waited for is over.
pub fn pass_much() {
    advance(MUCH);
}

/// What another thread has seen was before.
pub fn meet(clock: u64) {
    if let Some(x) = running() {
        let thread = x.thread();
        thread.clock = thread.clock.max(clock);
    }
}

/// When a timeout of the program's is over; none if that is no time.
pub fn deadline(time: *const libc::timespec) -> Option<u64> {
    // SAFETY: the program's own time.
    let time = unsafe { &*time };
    (0..SECOND as i64).contains(&time.tv_nsec).then(|| nanoseconds(time))
}

/// The same if it is relative to now.
pub fn deadline_after(time: *const libc::timespec) -> Option<u64> {
    // SAFETY: the program's own time.
    let ahead = unsafe { (*time).tv_sec >= 0 };
    deadline(time).filter(|_| ahead).map(after)
}

/// When so many nanoseconds from now will have passed.
pub fn after(wait: u64) -> u64 {
    let now = START + own_clock().map_or(0, |clock| *clock);
    now.saturating_add(wait)
}

/// A deadline of the program's for libc's own functions, outside of an execution: by the
/// system's clock. What is none goes to them as it is.
pub fn outside(
    clock: i32,
    until: *const libc::timespec,
    place: &mut Option<libc::timespec>,
) -> *const libc::timespec {
    if until.is_null() || !host::is_checking() {
        return until;
    }
    let Some(deadline) = deadline(until) else { return until };
    let wait = deadline.saturating_sub(after(0));
    let mut now = timespec(0);
    real!(clock_gettime(clock => i32, &raw mut now => *mut libc::timespec) -> i32);
    place.insert(timespec(nanoseconds(&now).saturating_add(wait)))
}

/// A sleep outside of an execution has come to its end.
fn slept(result: i32, until: Option<u64>) -> i32 {
    if let (0, Some(deadline)) = (result, until) {
        pass_until(deadline);
    }
    result
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
    if running().is_some() {
        let Some(time) = deadline(wanted) else {
            set_errno(libc::EINVAL);
            return -1;
        };
        let slept = sleep_for(time);
        if !slept {
            store(left, timespec(time));
        }
        return interrupted_unless(slept);
    }
    let until = deadline_after(wanted);
    let result =
        real!(nanosleep(wanted => *const libc::timespec, left => *mut libc::timespec) -> i32);
    slept(result, until)
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
    if let Some(x) = running() {
        let Some(mut wait) = deadline(wanted) else { return libc::EINVAL };
        let absolute = flags & libc::TIMER_ABSTIME != 0;
        if absolute {
            wait = wait.saturating_sub(START + x.thread().clock);
        }
        if sleep_for(wait) {
            return 0;
        }
        if !absolute {
            store(left, timespec(wait));
        }
        return libc::EINTR;
    }
    let (mut place, absolute) = (None, flags & libc::TIMER_ABSTIME != 0);
    let (until, wanted) = match absolute {
        true => (deadline(wanted), outside(clock, wanted, &mut place)),
        false => (deadline_after(wanted), wanted),
    };
    let result = real!(clock_nanosleep(clock => i32, flags => i32,
        wanted => *const libc::timespec, left => *mut libc::timespec) -> i32);
    slept(result, until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn usleep(microseconds: u32) -> i32 {
    if running().is_some() {
        return interrupted_unless(sleep_for(u64::from(microseconds) * 1_000));
    }
    let until = after(u64::from(microseconds) * 1_000);
    slept(real!(usleep(microseconds => u32) -> i32), Some(until))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sleep(seconds: u32) -> u32 {
    if running().is_some() {
        // What is left of it.
        return if sleep_for(u64::from(seconds) * SECOND) { 0 } else { seconds };
    }
    let until = after(u64::from(seconds) * SECOND);
    let left = real!(sleep(seconds => u32) -> u32);
    slept(left as i32, Some(until));
    left
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
