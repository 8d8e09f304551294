//! A bug shows again where `shorten` says that it does, and there with fewer switches.

mod sim;

use leno_checker::{
    Finding, Plan, PlannedStep, Search, Source, fingerprint,
    shorten::{Aim, shorten},
};
use leno_model::{Event, SiteRef, Step};
use sim::{Instr, Loc, PLAIN, Program, Recorded, X, Y, generate, run};

fn plan(order: &[u32], recorded: &Recorded) -> Plan {
    let step = |place: &u32| {
        let event = &recorded.events[*place as usize];
        let accesses = recorded.execution().accesses_of(event);
        PlannedStep {
            step: Step { thread: event.thread, choice: event.choice },
            fingerprint: fingerprint(event, accesses),
        }
    };
    Plan { steps: order.iter().map(step).collect(), ..Plan::default() }
}

fn aim(finding: &Finding, events: &[Event]) -> Option<Aim> {
    Some(match finding {
        Finding::Race { first, second, .. } => Aim::Event(*first.max(second)),
        Finding::Failure(failure) => {
            let mut before = events[..failure.after as usize].iter();
            Aim::Event(before.rposition(|event| event.thread == failure.thread)? as u32)
        }
        Finding::Deadlock { .. } | Finding::Hang { .. } => Aim::End,
        Finding::Diverged { .. } => return None,
    })
}

fn name(finding: &Finding, events: &[Event]) -> (u32, Vec<SiteRef>) {
    let (kind, mut sites) = match finding {
        Finding::Race { first, second, .. } => {
            (0, [first, second].map(|at| events[*at as usize].site).to_vec())
        }
        Finding::Deadlock { waits } => (1, waits.iter().map(|wait| wait.site).collect()),
        Finding::Hang { waits } => (2, waits.iter().map(|wait| wait.site).collect()),
        Finding::Failure(failure) => (3, vec![failure.site]),
        Finding::Diverged { .. } => (4, vec![]),
    };
    sites.sort();
    (kind, sites)
}

fn switches(events: &[Event]) -> usize {
    events.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// Each bug of a program with the execution that shows it.
fn bugs(program: &Program) -> Vec<(Finding, Recorded)> {
    let mut search = Source::new();
    let mut found = Vec::new();
    for _ in 0..60 {
        let Some(plan) = search.next() else { break };
        let recorded = run(program, plan, None);
        let findings = search.absorb(&recorded.execution());
        for finding in findings {
            found.push((finding, run(program, plan_of(&recorded), None)));
        }
    }
    found
}

fn plan_of(recorded: &Recorded) -> Plan {
    plan(&(0..recorded.events.len() as u32).collect::<Vec<_>>(), recorded)
}

#[test]
fn a_shorter_way_leads_to_the_same_bug() {
    let (mut tried, mut shorter) = (0, 0);
    for seed in 0..1500 {
        let program = generate::program(seed);
        for (finding, recorded) in bugs(&program) {
            let Some(aim) = aim(&finding, &recorded.events) else { continue };
            let order = shorten(&recorded.execution(), aim);
            let again = run(&program, plan(&order, &recorded), None);
            let mut search = Source::new();
            search.next();
            let wanted = name(&finding, &recorded.events);
            let found = search.absorb(&again.execution());
            assert!(
                found.iter().any(|found| name(found, &again.events) == wanted),
                "seed {seed}: {finding:?} does not show in {order:?}: {found:?}, {:?}\n{program}",
                again.end
            );
            tried += 1;
            let kept: Vec<Event> =
                order.iter().map(|place| recorded.events[*place as usize]).collect();
            assert!(switches(&kept) <= switches(&recorded.events), "seed {seed}");
            shorter += u32::from(switches(&kept) < switches(&recorded.events));
        }
    }
    assert!(tried > 1000 && shorter > tried / 5, "{shorter} of {tried}");
}

/// The third thread has nothing to do with the race, and the first two need one switch.
#[test]
fn what_has_nothing_to_do_with_it_is_left_out() {
    let store = |loc: Loc| Instr::Store { loc, order: PLAIN, value: 1 };
    let thread = vec![Instr::Load { loc: X, order: PLAIN, reg: 0 }, store(X)];
    let program = Program {
        threads: vec![
            (1..=3).map(Instr::Create).chain((1..=3).map(Instr::Join)).collect(),
            thread.clone(),
            thread,
            vec![store(Y), store(Y)],
        ],
        ..Program::default()
    };
    for (finding, recorded) in bugs(&program) {
        let aim = aim(&finding, &recorded.events).unwrap();
        let order = shorten(&recorded.execution(), aim);
        let kept: Vec<Event> = order.iter().map(|at| recorded.events[*at as usize]).collect();
        assert!(kept.iter().all(|event| event.thread.0 != 3), "{kept:?}");
        assert_eq!(switches(&kept), 2, "{kept:?}");
    }
}
