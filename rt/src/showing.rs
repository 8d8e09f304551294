//! How a bug that has been found is shown: its schedule, or a shorter one to the same
//! bug, is run once more by a child with a tracer.

use crate::host::{Manner, Shown, bugs, execute, name, nondeterminism, want, was_patient};
use alloc::rc::Rc;
use leno_checker::{
    Finding, Plan, PlannedStep, fingerprint,
    shorten::{Aim, shorten},
};
use leno_model::{Access, End, Event, Execution, Step};

/// Runs the schedule of a bug once more, or a shorter one, and has it sent as a trace.
pub fn show(bug: &Shown, events: &[Event], accesses: &[Access]) {
    let (bug, plan) = shorter(bug, events, accesses).unwrap_or_else(|| {
        (bug.clone(), schedule(events[..seen_by(bug, events.len())].iter(), accesses))
    });
    want(Some(bug));
    let run = execute(&Rc::new(plan), false, Manner::Traced);
    if let End::Diverged { at } = run.end {
        nondeterminism(at, events.get(at as usize), run.events);
    }
    want(None);
}

fn schedule<'e>(events: impl Iterator<Item = &'e Event>, accesses: &[Access]) -> Plan {
    let step = |event: &Event| PlannedStep {
        step: Step { thread: event.thread, choice: event.choice },
        fingerprint: fingerprint(
            event,
            &accesses[event.first_access as usize..][..event.access_count as usize],
        ),
    };
    Plan { steps: events.map(step).collect(), patient: was_patient(), ..Plan::default() }
}

/// A schedule with fewer preemptions that leads to the same bug, as it shows there. It is
/// run once to see that it does.
fn shorter(bug: &Shown, events: &[Event], accesses: &[Access]) -> Option<(Shown, Plan)> {
    let aim = match bug {
        Shown::Found(Finding::Race { first, second, .. }) => Aim::Event(*first.max(second)),
        Shown::Found(Finding::Failure(failure)) => {
            let mut before = events[..failure.after as usize].iter();
            Aim::Event(before.rposition(|event| event.thread == failure.thread)? as u32)
        }
        Shown::Found(Finding::Diverged { .. }) | Shown::Died(_) => return None,
        Shown::Found(Finding::Deadlock { .. } | Finding::Hang { .. }) | Shown::Status(_) => {
            Aim::End
        }
    };
    let run = Execution {
        events,
        accesses,
        pending: &[],
        failures: &[],
        exchanged: &[],
        children: &[],
        glances: &[],
        end: End::Stuck,
    };
    let order = shorten(&run, aim);
    let plan = schedule(order.iter().map(|event| &events[*event as usize]), accesses);
    let wanted = name(bug, events);
    // A race has shown with its second access; who knows what comes behind it.
    let cut = matches!(bug, Shown::Found(Finding::Race { .. }));
    let run = execute(&Rc::new(plan), false, Manner::Rehearsed { cut });
    let found = bugs(&run).into_iter().find(|found| name(found, run.events) == wanted)?;
    let len = seen_by(&found, run.events.len());
    // What comes behind the proposal is the continuation that anybody would choose.
    let plan = schedule(run.events[..len].iter(), run.accesses);
    Some((found, plan))
}

/// After how many of an execution's events a bug has shown.
fn seen_by(bug: &Shown, events: usize) -> usize {
    match bug {
        Shown::Found(Finding::Race { first, second, .. }) => *first.max(second) as usize + 1,
        Shown::Found(Finding::Failure(failure)) => failure.after as usize,
        _ => events,
    }
}
