//! The reductions must agree with naive enumeration.

use super::{
    Program, Recorded, c11,
    canonical::{self, trace_of},
    run_knowing, symmetric,
};
use leno_checker::{
    Blocked, Dpor, Finding, Naive, Optimal, Repertoire, Search, Source, Strategy, joined_in_vain,
};
use leno_model::{
    Event, SiteRef, ThreadId,
    wire::{Counts, SearchKind},
};
use std::collections::{BTreeSet, HashSet};

/// A bug by what names it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Bug {
    Race(SiteRef, SiteRef),
    Deadlock(Vec<SiteRef>),
    Hang(Vec<SiteRef>),
    Failure(SiteRef),
}

#[derive(Default)]
pub struct Explored {
    pub outcomes: HashSet<u64>,
    pub states: HashSet<u64>,
    /// How executions ended, up to symmetry.
    pub shapes: HashSet<u64>,
    /// The states in which a thread awaits.
    pub hanging: HashSet<u64>,
    pub bugs: BTreeSet<Bug>,
    /// The races by definition.
    pub races: BTreeSet<Bug>,
    /// One for each complete execution. Events that vary count as if they had done all
    /// that they might.
    pub traces: Vec<u64>,
    complete: Vec<Recorded>,
    /// What that is, and for which events the search wants it.
    repertoire: Repertoire,
    pub counts: Counts,
    pub findings: Vec<(Finding, Vec<Event>)>,
    /// How often two threads were found to be symmetric.
    pub met: u64,
    /// Whom somebody joins in vain.
    in_vain: BTreeSet<ThreadId>,
    /// The budget was used up first, or an execution does not end.
    pub cut: bool,
}

/// Runs a search to its end, or through so many executions.
pub fn explore(
    search: &mut dyn Search,
    program: &Program,
    budget: u64,
    unroll: Option<u32>,
) -> Explored {
    let mut cut_short = vec![];
    let mut explored = survey(search, program, budget, unroll, &BTreeSet::new(), &mut cut_short);
    explored.repertoire = search.log().repertoire.clone();
    learn(&mut explored.repertoire, explored.complete.iter().chain(&cut_short));
    explored.traces = explored.traces_by(&explored.repertoire);
    // All executions of a trace have the same races.
    let mut seen = HashSet::new();
    for (recorded, trace) in explored.complete.iter().zip(&explored.traces) {
        if seen.insert(trace) {
            let races = c11::races(recorded).into_iter();
            explored.races.extend(races.map(|(a, b)| Bug::Race(a, b)));
        }
    }
    explored
}

/// The same without what can be said of its executions when all are known.
fn survey(
    search: &mut dyn Search,
    program: &Program,
    budget: u64,
    unroll: Option<u32>,
    in_vain: &BTreeSet<ThreadId>,
    cut_short: &mut Vec<Recorded>,
) -> Explored {
    let mut explored = Explored::default();
    let mut runs = 0;
    while let Some(plan) = search.next() {
        if runs == budget {
            explored.cut = true;
            break;
        }
        runs += 1;
        let recorded = run_knowing(in_vain, 2000, program, plan, unroll);
        explored.in_vain.extend(joined_in_vain(&recorded.execution()));
        for finding in search.absorb(&recorded.execution()) {
            explored.bugs.extend(name(&finding, &recorded.events));
            explored.findings.push((finding, recorded.events.clone()));
        }
        use leno_model::End;
        // Two loops that keep each other going.
        if recorded.events.len() > canonical::LONGEST {
            explored.cut = true;
            break;
        }
        explored.met += u64::from(matches!(recorded.end, End::Symmetric { .. }));
        match recorded.end {
            End::Asleep | End::Symmetric { .. } | End::Disabled => cut_short.push(recorded),
            End::Diverged { .. } | End::Bounded => break,
            _ => {
                explored.outcomes.insert(recorded.outcome);
                if !matches!(recorded.end, End::Assumed | End::Awaited) {
                    explored.shapes.insert(recorded.shape);
                    explored.states.insert(recorded.state);
                    if recorded.pending.iter().any(|pending| pending.awaiting) {
                        explored.hanging.insert(recorded.state);
                    }
                }
                explored.complete.push(recorded);
            }
        }
    }
    explored.counts = search.counts();
    explored
}

/// The same for a search that cuts what is symmetric. Who is joined in vain is told apart as
/// soon as that is known, and the search begins anew.
fn survey_with_symmetry(kind: SearchKind, program: &Program, budget: u64) -> Explored {
    let mut in_vain = BTreeSet::new();
    loop {
        let mut search = Strategy::new(kind, true);
        let explored = survey(&mut search, program, budget, None, &in_vain, &mut vec![]);
        if explored.cut || explored.met == 0 || explored.in_vain.is_subset(&in_vain) {
            return explored;
        }
        in_vain.extend(explored.in_vain);
    }
}

fn learn<'a>(repertoire: &mut Repertoire, runs: impl Iterator<Item = &'a Recorded>) {
    for run in runs {
        for event in &run.events {
            repertoire.learn(event, run.execution().accesses_of(event));
        }
    }
}

impl Explored {
    fn traces_by(&self, repertoire: &Repertoire) -> Vec<u64> {
        self.complete.iter().map(|run| trace_of(run, repertoire)).collect()
    }

    /// The traces of two searches, by the relation of this one.
    fn traces_with(&self, other: &Explored) -> [HashSet<u64>; 2] {
        if self.repertoire == other.repertoire {
            return [self, other].map(|explored| explored.traces.iter().copied().collect());
        }
        let mut repertoire = self.repertoire.clone();
        learn(&mut repertoire, other.complete.iter());
        [self, other].map(|explored| explored.traces_by(&repertoire).into_iter().collect())
    }
}

fn name(finding: &Finding, events: &[Event]) -> Option<Bug> {
    let sites = |waits: &[Blocked]| {
        let cycle = waits.iter().any(|w| w.in_cycle);
        let mut sites: Vec<_> =
            waits.iter().filter(|w| w.in_cycle == cycle).map(|w| w.site).collect();
        sites.sort();
        sites
    };
    Some(match finding {
        Finding::Race { first, second, .. } => {
            let (a, b) = (events[*first as usize].site, events[*second as usize].site);
            Bug::Race(a.min(b), a.max(b))
        }
        Finding::Deadlock { waits } => Bug::Deadlock(sites(waits)),
        Finding::Hang { waits } => Bug::Hang(sites(waits)),
        Finding::Failure(failure) => Bug::Failure(failure.site),
        Finding::Diverged { .. } => return None,
    })
}

/// What became of a program.
pub enum Verdict {
    /// Too many executions for the naive search.
    Skipped,
    Agree {
        naive: u64,
        traces: u64,
        /// What else there is to count.
        others: [u64; 3],
        bugs: usize,
    },
}

/// Compares the searches on one program.
pub fn check(program: &Program, budget: u64) -> Result<Verdict, String> {
    // With so many traces the naive search would not come to an end: do not wait for it.
    let source = explore(&mut Source::new(), program, budget / 20, None);
    let naive =
        explore(&mut Naive::new(), program, if source.cut { budget / 20 } else { budget }, None);
    if naive.cut {
        return Ok(Verdict::Skipped);
    }
    // A search that begins anew may take a little longer than there are executions.
    let budget = 2 * budget;
    let source =
        if source.cut { explore(&mut Source::new(), program, budget, None) } else { source };
    let found = naive.bugs.iter().filter(|bug| matches!(bug, Bug::Race(..)));
    if !naive.races.iter().eq(found) {
        return Err(format!("races: {:?}, found {:?}", naive.races, naive.bugs));
    }
    compare("source", &naive, &source)?;
    let dpor = explore(&mut Dpor::new(), program, budget, None);
    compare("dpor", &naive, &dpor)?;
    let optimal = explore(&mut Optimal::new(), program, budget, None);
    compare("optimal", &naive, &optimal)?;
    if optimal.counts.blocked_by_sleep != 0 {
        return Err("optimal: an execution was begun in vain".into());
    }
    Ok(Verdict::Agree {
        naive: naive.traces.len() as u64,
        traces: source.traces.len() as u64,
        others: [
            dpor.counts.blocked_by_sleep,
            source.counts.blocked_by_sleep,
            optimal.counts.executions.saturating_sub(source.counts.executions),
        ],
        bugs: source.bugs.len(),
    })
}

/// Awaits against the real thing: loops that go round up to a limit, and executions
/// that reach it thrown away. The final states must be the same, but for those in
/// which a thread awaits, which only awaits can see. A loop need not go round more
/// often than there are writes in the programs of [`super::generate::spinning`].
pub fn check_awaits(program: &Program, budget: u64) -> Result<Verdict, String> {
    let rounds = explore(&mut Naive::new(), program, 4 * budget, Some(6));
    if rounds.cut {
        return Ok(Verdict::Skipped);
    }
    let bugs = |e: &Explored| -> BTreeSet<Bug> {
        e.bugs.iter().filter(|bug| !matches!(bug, Bug::Hang(_))).cloned().collect()
    };
    let mut traces = 0;
    for kind in [SearchKind::Naive, SearchKind::Source, SearchKind::Optimal] {
        let awaits = explore(&mut Strategy::new(kind, false), program, budget, None);
        if awaits.cut {
            return Ok(Verdict::Skipped);
        }
        let ended: HashSet<u64> = awaits.states.difference(&awaits.hanging).copied().collect();
        if ended != rounds.states {
            return Err(format!("{kind:?}: {} and {} states", ended.len(), rounds.states.len()));
        }
        if bugs(&awaits) != bugs(&rounds) {
            return Err(format!("{kind:?}: bugs: {:?} and {:?}", awaits.bugs, rounds.bugs));
        }
        traces = awaits.traces.len() as u64;
    }
    let (naive, bugs) = (rounds.traces.len() as u64, rounds.bugs.len());
    Ok(Verdict::Agree { naive, traces, others: [0; 3], bugs })
}

/// What a reduction must have in common with the naive search.
fn compare(which: &str, naive: &Explored, reduced: &Explored) -> Result<(), String> {
    for explored in [naive, reduced] {
        if let Some((finding, _)) =
            explored.findings.iter().find(|(f, _)| matches!(f, Finding::Diverged { .. }))
        {
            return Err(format!("{which}: {finding:?}"));
        }
    }
    if reduced.cut {
        return Err(format!("{which} does not come to an end"));
    }
    let [reached, traces] = reduced.traces_with(naive);
    if naive.bugs != reduced.bugs {
        return Err(format!("{which}: bugs: naive {:?}, {:?}", naive.bugs, reduced.bugs));
    }
    if naive.outcomes != reduced.outcomes {
        let (n, s) = (naive.outcomes.len(), reduced.outcomes.len());
        return Err(format!("{which}: outcomes: naive {n}, {s}"));
    }
    if traces != reached {
        return Err(format!("{which}: traces: naive {}, {}", traces.len(), reached.len()));
    }
    let Counts { executions, blocked_by_assume, blocked_by_await, .. } = reduced.counts;
    let executions = executions + blocked_by_assume + blocked_by_await;
    if executions != reached.len() as u64 {
        return Err(format!("{which}: {executions} executions of {} traces", reached.len()));
    }
    Ok(())
}

/// What is the same about executions of a program that differ in the names of symmetric
/// threads only.
#[derive(PartialEq, Debug)]
pub struct Anonymous {
    bugs: BTreeSet<Bug>,
    shapes: HashSet<u64>,
}

impl Anonymous {
    fn of(program: &Program, explored: &Explored) -> Self {
        let bugs = explored.bugs.iter().map(|bug| anonymous(program, bug)).collect();
        Self { bugs, shapes: explored.shapes.clone() }
    }
}

/// What a search that cuts must find: what naive enumeration finds or, where that would take
/// too long, source sets, which are compared with it elsewhere. And in how many executions.
pub fn reference(program: &Program, budget: u64) -> Option<(Anonymous, [u64; 2])> {
    let explore = |kind| {
        let search = &mut Strategy::new(kind, false);
        survey(search, program, budget, None, &BTreeSet::new(), &mut vec![])
    };
    let source = explore(SearchKind::Source);
    if source.cut {
        return None;
    }
    let mut executions = [0, source.counts.executions];
    let mut found = Anonymous::of(program, &source);
    if source.counts.executions < budget / 20 {
        let naive = explore(SearchKind::Naive);
        if !naive.cut {
            executions[0] = naive.counts.executions;
            found = Anonymous::of(program, &naive);
        }
    }
    Some((found, executions))
}

/// Compares a search that cuts what is symmetric with what it must find.
pub fn loses_nothing(
    kind: SearchKind,
    program: &Program,
    budget: u64,
    expected: &Anonymous,
) -> Result<Explored, String> {
    let cut = survey_with_symmetry(kind, program, budget);
    if let Some((finding, _)) =
        cut.findings.iter().find(|(f, _)| matches!(f, Finding::Diverged { .. }))
    {
        return Err(format!("{finding:?}"));
    }
    if cut.cut {
        return Err("does not come to an end".into());
    }
    let found = Anonymous::of(program, &cut);
    if expected.bugs != found.bugs {
        return Err(format!("bugs: {:?}, not {:?}", found.bugs, expected.bugs));
    }
    if expected.shapes != found.shapes {
        return Err(format!("shapes: {}, not {}", found.shapes.len(), expected.shapes.len()));
    }
    Ok(cut)
}

/// Whether threads of the program are ever found to be symmetric.
pub fn has_symmetry(program: &Program, budget: u64) -> bool {
    let mut search = Source::new().with_symmetry();
    survey(&mut search, program, budget, None, &BTreeSet::new(), &mut vec![]).met > 0
}

/// Compares searches that cut what is symmetric with those that do not.
pub fn check_symmetry(program: &Program, budget: u64) -> Result<Verdict, String> {
    if !has_symmetry(program, budget) {
        return Ok(Verdict::Skipped);
    }
    let Some((expected, [naive, traces])) = reference(program, budget) else {
        return Ok(Verdict::Skipped);
    };
    let mut all = vec![];
    for kind in [SearchKind::Source, SearchKind::Optimal] {
        let found = loses_nothing(kind, program, 4 * budget, &expected);
        all.push(found.map_err(|why| format!("{kind:?}: {why}"))?.counts);
    }
    let others = [all[0].symmetric, all[0].executions, all[0].blocked_by_sleep];
    Ok(Verdict::Agree { naive, traces, others, bugs: expected.bugs.len() })
}

/// A bug without which threads it is about.
fn anonymous(program: &Program, bug: &Bug) -> Bug {
    let site = |site: &SiteRef| SiteRef(symmetric::at(program, *site));
    let all = |sites: &Vec<SiteRef>| {
        let mut sites: Vec<_> = sites.iter().map(site).collect();
        sites.sort();
        sites
    };
    match bug {
        Bug::Race(a, b) => Bug::Race(site(a).min(site(b)), site(a).max(site(b))),
        Bug::Deadlock(sites) => Bug::Deadlock(all(sites)),
        Bug::Hang(sites) => Bug::Hang(all(sites)),
        Bug::Failure(failure) => Bug::Failure(site(failure)),
    }
}

/// The smallest program, by leaving things out, on which the searches still differ.
pub fn shrink(program: &Program, check: impl Fn(&Program) -> Result<Verdict, String>) -> Program {
    let mut best = program.clone();
    loop {
        let mut candidates = vec![];
        for thread in 0..best.threads.len() {
            for place in 0..best.threads[thread].len() {
                let mut smaller = best.clone();
                smaller.threads[thread].remove(place);
                candidates.push(smaller);
            }
            let mut emptied = best.clone();
            emptied.threads[thread].clear();
            if emptied != best {
                candidates.insert(0, emptied);
            }
        }
        for place in 0..best.handler.len() {
            let mut smaller = best.clone();
            smaller.handler.remove(place);
            candidates.push(smaller);
        }
        if !best.kinds.is_empty() {
            candidates.push(Program { kinds: vec![], ..best.clone() });
        }
        if best.main_ends {
            candidates.push(Program { main_ends: false, ..best.clone() });
        }
        match candidates.into_iter().find(|smaller| check(smaller).is_err()) {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}
