//! What to make of an execution that ended behind the runtime's back: by a raw system
//! call, a signal that nobody handles, the kernel's hunt for memory, a `kill` from
//! outside.
//!
//! The record, which outlives the process, holds the events until then. Their schedule is
//! run once more, in a child process. If that dies too, the program did it: a signal is
//! then a bug (but for SIGKILL, which may be the kernel's), with the trace of a third run
//! that stops at the last event before the end. Anything else ends the check with a
//! report of how far it came and where the program was last seen. A check never goes on
//! behind such an execution, because nobody knows what it would have done next.

use crate::{
    channel,
    execution::{self, Settings},
    host::{self, Shown},
    record::record,
    sys, units,
};
use alloc::{boxed::Box, format, rc::Rc, string::String, vec::Vec};
use leno_checker::{Plan, PlannedStep};
use leno_model::{
    Event, Property, SiteRef, Step, ThreadId,
    wire::{Fault, Message, Summary},
};

/// A signal that ended the process.
#[derive(Clone, Copy)]
pub struct Death {
    pub thread: ThreadId,
    /// Where the thread was last seen.
    pub site: SiteRef,
    pub signal: i32,
}

/// Where the program was when its process ended.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Scene {
    events: usize,
    thread: ThreadId,
    site: SiteRef,
}

/// Reports an execution that ended with this wait status before its end, and ends the
/// check.
pub fn hold(status: i32, keep_going: bool) -> ! {
    let record = record();
    if let [counts] = record.counts.as_slice() {
        channel::send(&Message::Progress(*counts));
    }
    let scene = look_around();
    let step = |event: &Event| PlannedStep {
        step: Step { thread: event.thread, choice: event.choice },
        fingerprint: 0,
    };
    let steps: Vec<PlannedStep> = record.events.as_slice().iter().map(step).collect();
    // All that happened in it is to be possible, whatever kind of search it was.
    let plan = Rc::new(Plan { steps, patient: true, ..Plan::default() });

    let again = run(&plan, keep_going, false);
    if record.execution().is_some() {
        let how = format!("{}; run again, the same schedule goes on from there", words(status));
        report(how, scene);
    }
    let there = look_around();
    if there.events != scene.events {
        report(format!("{}; run again, it ended elsewhere", words(status)), scene);
    }
    let signal = libc::WTERMSIG(again);
    let is_bug = libc::WIFSIGNALED(again) && signal != libc::SIGKILL;
    let failed_before = !record.failures.as_slice().is_empty();
    if !is_bug || failed_before || !host::looks_for(Property::Crash) {
        report(words(again), there);
    }
    host::want(Some(Shown::Died(Death { thread: there.thread, site: there.site, signal })));
    run(&plan, false, true);
    let counts = record.counts.as_slice().first().copied().unwrap_or_default();
    channel::send(&Message::Done(Box::new(Summary {
        counts,
        exhausted: false,
        steps_limited: false,
        unrolled: Vec::new(),
        unasked: Vec::new(),
        weak_atomics: false,
        unseen: Vec::new(),
        narrowed: Vec::new(),
        phases: None,
    })));
    sys::exit_group(0)
}

fn run(plan: &Rc<Plan>, keep_going: bool, traced: bool) -> i32 {
    host::provide_stacks();
    record().reset();
    let settings = Settings { keep_going, traced, cut: traced, ..host::settings() };
    host::in_a_child(plan, &settings)
}

fn look_around() -> Scene {
    let (thread, site) = record().last_hook();
    Scene { events: record().events.len(), thread, site }
}

fn report(how: String, scene: Scene) -> ! {
    host::fault(Fault::Died {
        how,
        thread: record().threads().path(scene.thread),
        site: units::site_id(scene.site),
    })
}

/// A wait status in words.
fn words(status: i32) -> String {
    if libc::WIFSTOPPED(status) {
        format!("the program stopped itself by {}", name(libc::WSTOPSIG(status)))
    } else if libc::WIFSIGNALED(status) {
        format!("the program was ended by {}", name(libc::WTERMSIG(status)))
    } else {
        let status = libc::WEXITSTATUS(status);
        format!("the program ended with status {status} in a way that leno does not see")
    }
}

/// The name of a signal.
pub fn name(signal: i32) -> String {
    const NAMES: [&str; 31] = [
        "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
        "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
        "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ];
    match NAMES.get((signal - 1) as usize) {
        Some(name) => format!("SIG{name}"),
        None => format!("signal {signal}"),
    }
}

/// The stack to show for a death: what the last hook was passed in, if that was an event,
/// because then the thread's frames are still those.
pub fn stack(death: &Death) -> Vec<leno_model::site::SiteId> {
    let last = record().events.as_slice().last().map(|event| event.site);
    if last == Some(death.site) {
        return crate::describe::stack(death.site, execution::frames_of(death.thread));
    }
    units::site_id(death.site).into_iter().collect()
}
