//! Where the time of a check goes (`--profile`).
//!
//! One kernel thread does everything, so a clock that is told what is done from now on
//! is enough: what has passed since the last time counts for what was done until now.
//! It counts the processor's own ticks, which cost a few nanoseconds to read, and turns
//! them into time at the end.
//!
//! `Scheduling` is what happens between a thread's arrival at an event and the return
//! to the program: the director, the switch, the record. Hooks that make no event count
//! as the program's.

use crate::{cell::Global, sys};
use leno_model::wire::Phases;

#[derive(Clone, Copy)]
pub enum Phase {
    Program,
    Scheduling,
    Restoring,
    Analysing,
}

struct Clock {
    on: bool,
    phase: Phase,
    since: u64,
    ticks: [u64; 4],
    /// Both clocks at the start.
    started: (u64, u64),
}

static CLOCK: Global<Clock> = Global::new(Clock {
    on: false,
    phase: Phase::Analysing,
    since: 0,
    ticks: [0; 4],
    started: (0, 0),
});

/// The processor's clock.
#[inline(always)]
pub fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has it.
    unsafe { core::arch::x86_64::_rdtsc() }
}

pub fn measure() {
    let clock = CLOCK.get();
    clock.on = true;
    clock.started = (ticks(), sys::now());
    clock.since = clock.started.0;
}

/// From now on this is done.
#[inline(always)]
pub fn enter(phase: Phase) {
    let clock = CLOCK.get();
    if clock.on {
        let now = ticks();
        clock.ticks[clock.phase as usize] += now - clock.since;
        (clock.phase, clock.since) = (phase, now);
    }
}

/// The nanoseconds that each phase took, if they were measured.
pub fn spent() -> Option<Phases> {
    enter(Phase::Analysing);
    let clock = CLOCK.get();
    let passed = (ticks() - clock.started.0).max(1) as u128;
    let time = (sys::now() - clock.started.1) as u128;
    let of = |phase: Phase| (u128::from(clock.ticks[phase as usize]) * time / passed) as u64;
    clock.on.then(|| Phases {
        program: of(Phase::Program),
        scheduling: of(Phase::Scheduling),
        restoring: of(Phase::Restoring),
        analysing: of(Phase::Analysing),
    })
}
