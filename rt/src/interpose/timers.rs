//! The timer of the process, which sends it SIGALRM: `alarm`, `ualarm`, `setitimer`.
//!
//! It is kept here and never set in the kernel, whose signal would come at a moment that
//! nobody has chosen. Time passes where threads sleep: if one has slept for as long as the
//! timer was set to, the signal comes in the middle of its sleep. And it may come where a
//! thread waits for a signal (`pause`, `sigsuspend`), which the search chooses, as for a
//! timeout. That it comes at other moments is not tried: where it would run a handler, the
//! verdict is at best `unknown`, and says why. If all threads wait for ever
//! while the timer runs, and its signal is not one that would simply end the process, the
//! program is not stuck, but what it would do is not known: the check ends there, and says so.
//!
//! Other timers (of processor time, and those of `timer_create`) are refused when they are set.

use super::{choices, real, refused::refuse, set_errno, signalling, store};
use crate::{
    execution::{call_site, current_thread, finish, running},
    host,
    kernel::things::{self, Changes, Thing, thing},
    units,
};
use alloc::vec::Vec;
use leno_entry::entry;
use leno_model::{
    End, SiteRef, ThreadId,
    wire::{Fault, TIMER},
};

/// The timer, while it runs. Times are in nanoseconds.
pub struct Timer {
    after: u64,
    /// If it begins again then: how long it takes.
    every: u64,
    /// For how long each thread has slept since it was set.
    slept: Vec<(ThreadId, u64)>,
    set_at: SiteRef,
}

fn of_process() -> Thing {
    thing("timer of", b"the process")
}

impl Timer {
    fn new(after: u64, every: u64, set_at: SiteRef) -> Option<Self> {
        (after > 0).then(|| Self { after, every, slept: Vec::new(), set_at })
    }

    fn left(&self) -> u64 {
        let longest = self.slept.iter().map(|(_, slept)| *slept).max().unwrap_or(0);
        self.after.saturating_sub(longest).max(1)
    }

    /// The thread sleeps; true if for longer than the timer runs.
    fn sleeps(&mut self, thread: ThreadId, nanoseconds: u64) -> bool {
        let place = self.slept.iter().position(|(sleeper, _)| *sleeper == thread);
        let place = place.unwrap_or_else(|| {
            self.slept.push((thread, 0));
            self.slept.len() - 1
        });
        let slept = &mut self.slept[place].1;
        *slept = slept.saturating_add(nanoseconds);
        *slept >= self.after
    }
}

/// Sets the timer, or stops it. Gives the one that ran.
fn set(after: u64, every: u64) -> Option<Timer> {
    if !things::is_contested(of_process()) {
        // Sleeps, and waits for signals, are to be ordered with this.
        things::contest(of_process());
        finish(End::Bounded);
    }
    things::touch(&[(of_process(), Changes)]);
    if after > 0 && signalling::is_caught(libc::SIGALRM) {
        // It could come at any moment, and is not tried at all of them.
        choices::narrow(TIMER);
    }
    let timer = Timer::new(after, every, call_site());
    core::mem::replace(&mut running().expect("in an execution").timer, timer)
}

/// The timer has run out: it stops, or begins again.
fn run_out() {
    let timer = &mut running().expect("in an execution").timer;
    *timer = timer.take().and_then(|old| Timer::new(old.every, old.every, old.set_at));
}

/// Whether the timer runs, for a thread that waits for a signal.
pub fn runs() -> bool {
    if things::is_contested(of_process()) {
        things::touch_if(&[(of_process(), Changes)], || false);
    }
    running().is_some_and(|x| x.timer.is_some())
}

/// The timer's signal comes now. True if its handler has run in this thread.
pub fn fires() -> bool {
    things::touch(&[(of_process(), Changes)]);
    run_out();
    signalling::comes(libc::SIGALRM)
}

/// The running thread sleeps. True if that is ended by the timer's signal.
pub fn ends_sleep(nanoseconds: u64) -> bool {
    let Some(me) = current_thread().filter(|_| things::is_contested(of_process())) else {
        return false;
    };
    let mut due = false;
    things::touch_if(&[(of_process(), Changes)], || {
        let timer = &mut running().expect("in an execution").timer;
        due = timer.as_mut().is_some_and(|timer| timer.sleeps(me, nanoseconds));
        if due {
            run_out();
        }
        due
    });
    due && signalling::comes(libc::SIGALRM)
}

/// Nobody can go on: that is no end if the timer does something about it.
pub fn require_none() {
    let Some(timer) = running().and_then(|x| x.timer.as_ref()) else { return };
    if signalling::is_caught(libc::SIGALRM) {
        let what = "a wait that nothing but the signal of a timer can end, which was set".into();
        host::fault(Fault::Unsupported { what, site: units::site_id(timer.set_at) });
    }
}

const SECOND: u64 = 1_000_000_000;
const MICROSECOND: u64 = 1_000;

#[entry]
pub extern "C" fn alarm(seconds: u32) -> u32 {
    if running().is_none() {
        return real!(alarm(seconds => u32) -> u32);
    }
    let before = set(u64::from(seconds) * SECOND, 0);
    before.map_or(0, |timer| timer.left().div_ceil(SECOND) as u32)
}

#[entry]
pub extern "C" fn ualarm(after: u32, every: u32) -> u32 {
    if running().is_none() {
        return real!(ualarm(after => u32, every => u32) -> u32);
    }
    let before = set(u64::from(after) * MICROSECOND, u64::from(every) * MICROSECOND);
    before.map_or(0, |timer| timer.left().div_ceil(MICROSECOND) as u32)
}

type Times = *const libc::itimerval;

fn nanoseconds(time: libc::timeval) -> u64 {
    let (seconds, rest) = (time.tv_sec.max(0) as u64, time.tv_usec.max(0) as u64);
    seconds.saturating_mul(SECOND).saturating_add(rest.saturating_mul(MICROSECOND))
}

fn timeval(time: u64) -> libc::timeval {
    let microseconds = time.div_ceil(MICROSECOND) as i64;
    libc::timeval { tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000 }
}

fn tell(timer: Option<&Timer>, out: *mut libc::itimerval) {
    let (left, every) = timer.map_or((0, 0), |timer| (timer.left(), timer.every));
    store(out, libc::itimerval { it_interval: timeval(every), it_value: timeval(left) });
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn setitimer(which: i32, new: Times, old: *mut libc::itimerval) -> i32 {
    if running().is_none() {
        return real!(setitimer(which => i32, new => Times, old => *mut libc::itimerval) -> i32);
    }
    // SAFETY: null, or the program's own times.
    let wanted = unsafe { new.as_ref() };
    let (after, every) = wanted
        .map_or((0, 0), |times| (nanoseconds(times.it_value), nanoseconds(times.it_interval)));
    match which {
        libc::ITIMER_REAL => tell(set(after, every).as_ref(), old),
        libc::ITIMER_VIRTUAL | libc::ITIMER_PROF => {
            if after > 0 {
                refuse("a timer of processor time (setitimer)");
            }
            tell(None, old);
        }
        _ => {
            set_errno(libc::EINVAL);
            return -1;
        }
    }
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn getitimer(which: i32, out: *mut libc::itimerval) -> i32 {
    if running().is_none() {
        return real!(getitimer(which => i32, out => *mut libc::itimerval) -> i32);
    }
    let runs = which == libc::ITIMER_REAL && runs();
    tell(running().and_then(|x| x.timer.as_ref()).filter(|_| runs), out);
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn timer_settime(
    timer: u64,
    flags: i32,
    new: *const libc::itimerspec,
    old: *mut libc::itimerspec,
) -> i32 {
    type Times = *const libc::itimerspec;
    // SAFETY: null, or the program's own times.
    let first = unsafe { new.as_ref() }.map(|times| times.it_value);
    if running().is_some() && first.is_some_and(|time| time.tv_sec != 0 || time.tv_nsec != 0) {
        refuse("timer_settime");
    }
    real!(timer_settime(timer => u64, flags => i32, new => Times, old => *mut libc::itimerspec) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn timer_create(
    clock: i32,
    event: *mut libc::sigevent,
    timer: *mut u64,
) -> i32 {
    // SAFETY: null, or the program's own structure.
    let notifies = unsafe { event.as_ref() }.map(|event| event.sigev_notify);
    // That makes a thread, inside libc.
    if running().is_some() && notifies == Some(libc::SIGEV_THREAD) {
        refuse("timer_create with SIGEV_THREAD");
    }
    real!(timer_create(clock => i32, event => *mut libc::sigevent, timer => *mut u64) -> i32)
}
