//! DPOR with source sets and sleep sets.
//!
//! Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction (POPL
//! 2014); Source sets: a foundation for optimal DPOR (J. ACM 64, 2017), Algorithm 1.
//! At each node a set of threads is explored such that every trace from there can
//! begin with one of them. The set grows as executions show reversible races: for a
//! race of e and e', some execution must begin, where e happened, with what does not
//! come after e and then e'. Any thread of I(v), which can begin that v, will do, and
//! if one is in the set or asleep there already, nothing has to be added: asleep
//! means that everything that begins with it has been explored elsewhere.
//!
//! Where this differs from the paper:
//! - Races are looked for in a whole recorded execution, in its new events only: the
//!   races of the others were seen when they were new. That includes executions that
//!   ended asleep, as in Algorithm 1, where a race is seen when its later event is
//!   explored and not when its execution is complete.
//! - Blocking operations: see `happens`. Threads that are blocked at the end have
//!   their pending operation examined as if it were an event.
//! - An event with a choice is explored with all its choices before its thread counts
//!   as explored. They share the node's sleep set: two choices of one event are no
//!   more independent than two events of one thread.
//! - With symmetry, a thread is not explored at a node if it is symmetric to one that has
//!   been, or is asleep: see `symmetry`. Whether it is, is asked when it is to be explored,
//!   of whoever runs the program; no state is kept. A thread that is not explored sleeps.
//!   Of the choices of an event those that are about threads are compared in the same way.
//! - An exit is explored when nobody else can go on. It ends the others, so threads
//!   that stand at an exit race with each other, and what a thread is pending at is
//!   compared with the events before the exit only.

use crate::{
    Compare, Finding, Plan, PlannedStep, Search, Sleeper, ThreadSet,
    blocking::Race,
    dependence::sleeps_on,
    fingerprint,
    happens::{Happens, Initials},
    search::{Log, as_event, divergence, explored, is_blocked},
    summary::{Deeds, Summary},
    symmetry::{Beginners, Exchange, Path},
};
use alloc::vec::Vec;
use core::ops::Range;
use leno_model::{Access, End, Event, Execution, Op, Pending, Step, ThreadId, Varies};
use serde::{Deserialize, Serialize};

/// A state on the path and what is to be explored from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Node {
    step: Step,
    choices: u32,
    fingerprint: u64,
    /// The source set.
    backtrack: ThreadSet,
    /// The sleep set: who was asleep when the node was reached, and who has been
    /// explored here since.
    asleep: ThreadSet,
    /// Where the node's part of each array below begins.
    first_place: u32,
    first_sleeper: u32,
    first_access: u32,
    below: Below,
}

/// What symmetry has to know of a node.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
struct Below {
    /// What has been done below the step that is being explored.
    now: Summary,
    /// The same for each choice of its event before, and that event.
    choices: Vec<Summary>,
    taken: Option<Sleeper>,
    /// Below all steps that have been explored or cut.
    all: Summary,
    /// Those in the source set who perhaps cannot go on here, and those who cannot.
    tentative: ThreadSet,
    disabled: ThreadSet,
    /// As long as nobody has been explored here: who else stands at an event.
    others: Vec<ThreadId>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Asleep {
    event: Event,
    accesses: Range<u32>,
    /// What is done when it is awake.
    summary: Summary,
}

/// Which threads stand for a reversal at a node.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Rule {
    /// Those that can begin it.
    #[default]
    Source,
    /// Those that have a part in it: see `dpor`.
    Persistent,
}

/// What becomes of the step that was planned last.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Fate {
    #[default]
    Taken,
    /// It was not taken, and will not be.
    Cut,
    /// It was not taken, but has to be.
    Due,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Source {
    rule: Rule,
    symmetry: bool,
    taken: Fate,
    deeds: Deeds,
    /// The guard behind each event of the path (see `summary`).
    guards: Vec<u32>,
    log: Log,
    happens: Happens,
    nodes: Vec<Node>,
    /// The sleep sets of all nodes, one behind the other, as places in `sleepers`.
    sleeping: Vec<u32>,
    /// Each sleeper lies with the node where it was explored and serves all below.
    sleepers: Vec<Asleep>,
    accesses: Vec<Access>,
    races: Vec<Race>,
    initials: Initials,
    started: bool,
    diverged: bool,
}

impl Source {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn with(rule: Rule) -> Self {
        Self { rule, ..Self::default() }
    }

    /// Does not explore a thread where it is symmetric to one that has been explored.
    pub fn with_symmetry(self) -> Self {
        Self { symmetry: true, ..self }
    }

    /// The same search from the beginning.
    pub fn anew(&self) -> Self {
        Self { symmetry: self.symmetry, ..Self::with(self.rule) }
    }

    /// The plan that leads to the last node and takes its step.
    fn plan(&mut self) -> Plan {
        let last = self.nodes.len() - 1;
        let step = |node: &Node| PlannedStep { step: node.step, fingerprint: node.fingerprint };
        let steps = self.nodes.iter().map(step).collect();
        let asleep = self.sleeping[self.nodes[last].first_place as usize..].iter().map(|place| {
            let sleeper = &self.sleepers[*place as usize];
            let accesses = self.accesses_of(sleeper).to_vec();
            Sleeper { event: sleeper.event, accesses }
        });
        let sleep: Vec<Sleeper> = asleep.collect();
        self.log.truncate(last);
        self.happens.truncate(last);
        let repertoire = self.log.repertoire.clone();
        let Node { step, below, .. } = &self.nodes[last];
        let tentative = below.tentative.contains(step.thread);
        let compare = if !self.symmetry || self.taken == Fate::Due {
            Compare::Nothing
        } else if step.choice > 0 {
            Compare::Chosen
        } else if sleep.is_empty() {
            Compare::Nothing
        } else {
            Compare::Taker(sleep.iter().map(|sleeper| sleeper.event.thread).collect())
        };
        self.taken = Fate::Taken;
        let symmetry = self.symmetry;
        Plan { steps, sleep, compare, symmetry, tentative, repertoire, ..Plan::default() }
    }

    fn accesses_of(&self, sleeper: &Asleep) -> &[Access] {
        &self.accesses[sleeper.accesses.start as usize..sleeper.accesses.end as usize]
    }

    /// The last node's thread has been explored with everything behind it.
    fn put_to_sleep(&mut self) {
        let place = self.nodes.len() - 1;
        let below = &mut self.nodes[place].below;
        let mut summary = core::mem::take(&mut below.now);
        below.choices.drain(..).for_each(|choice| summary.extend(&choice));
        let taken = below.taken.take().unwrap_or_else(|| Sleeper {
            event: *self.log.trace.event(place as u32),
            accesses: self.log.trace.footprint(place as u32).to_vec(),
        });
        self.sleeps(taken, summary);
    }

    /// Everything that begins with this event at the last node is dealt with.
    fn sleeps(&mut self, Sleeper { event, accesses }: Sleeper, summary: Summary) {
        let first = self.accesses.len() as u32;
        self.accesses.extend(accesses);
        self.sleeping.push(self.sleepers.len() as u32);
        let accesses = first..self.accesses.len() as u32;
        let node = self.nodes.last_mut().expect("where it was explored");
        node.asleep.insert(event.thread);
        node.below.all.extend(&summary);
        self.sleepers.push(Asleep { event, accesses, summary });
    }

    fn pop(&mut self) {
        if let Some(node) = self.nodes.pop() {
            self.sleeping.truncate(node.first_place as usize);
            self.sleepers.truncate(node.first_sleeper as usize);
            self.accesses.truncate(node.first_access as usize);
            if let Some(parent) = self.nodes.last_mut() {
                parent.below.now.extend(&node.below.all);
            }
        }
    }

    /// Adds what an event does to what is known to be done below the last node.
    fn note(&mut self, place: u32) {
        let trace = &self.log.trace;
        let event = trace.event(place);
        let previous = trace.previous(place);
        let before = previous.or_else(|| trace.creation(event.thread));
        let inherited = before.map_or(0, |before| self.guards[before as usize]);
        // Who has been created holds nothing of what its creator does.
        let own = if previous.is_some() { inherited } else { self.deeds.unlocked(inherited) };
        let deed = self.deeds.number(event, trace.footprint(place), own);
        // Where nothing has happened there is nothing that it could be in a race with.
        if let Some(node) = self.nodes.last_mut() {
            node.below.now.insert(deed);
        }
        if place as usize == self.guards.len() {
            let ended = match event.op {
                Op::Join { thread } => trace.events_of(thread).last().copied(),
                _ => None,
            };
            let ended = ended.map(|ended| self.guards[ended as usize]);
            self.guards.push(self.deeds.guard_after(own, event, ended));
        }
    }

    /// An execution has come to a state in which two threads are symmetric.
    fn meet(&mut self, run: &Execution<'_>, exchange: &Exchange<'_>) -> Vec<Finding> {
        if run.events.len() == self.nodes.len() {
            // Nobody had planned this: who was about to go on is not to, but others are.
            self.push_node(&as_event(standing(run, exchange.b)), 0);
            let others = run.pending.iter().rev().map(|pending| pending.thread);
            let others = others.filter(|thread| *thread != exchange.b).collect();
            self.nodes.last_mut().expect("it is there").below.others = others;
        }
        let End::Symmetric { place, .. } = run.end else { return Vec::new() };
        if !self.cut(run, exchange, place) {
            self.taken = Fate::Due;
            return Vec::new();
        }
        self.taken = Fate::Cut;
        self.log.finish(run)
    }

    /// Two threads have turned out to be symmetric before the last node's step was taken. If
    /// that is why it need not be taken, what it would have shown is dealt with.
    fn cut(&mut self, run: &Execution<'_>, exchange: &Exchange<'_>, place: u32) -> bool {
        let last = self.nodes.len() - 1;
        let Node { step, below, .. } = &self.nodes[last];
        let (step, by_choice) = (*step, step.choice > 0);
        // What begins with one who sleeps is not below the other choice.
        if by_choice
            && [exchange.a, exchange.b].iter().any(|t| self.nodes[last].asleep.contains(*t))
        {
            return false;
        }
        let like = if by_choice {
            &below.choices[place as usize]
        } else {
            &self.sleepers[self.sleeper(exchange.a)].summary
        };
        let summary = exchange.summary(&mut self.deeds, like);
        let Self { log, happens, deeds, guards, nodes, .. } = self;
        let (trace, races) = (&log.trace, log.races());
        let path = Path { trace, happens: happens.clocks(), races, deeds, guards };
        if path.may_hide_race(exchange, &summary) {
            return false;
        }
        path.reverse(&summary, |event, beginners| nodes[event as usize].add(beginners));
        if by_choice {
            self.nodes[last].below.choices.push(summary);
        } else {
            self.cut_off(run, step.thread, exchange.a, summary);
        }
        true
    }

    /// Where the thread is kept that sleeps at the last node.
    fn sleeper(&self, thread: ThreadId) -> usize {
        let first = self.nodes.last().map_or(0, |node| node.first_place as usize);
        let mut asleep = self.sleeping[first..].iter().map(|place| *place as usize);
        asleep.find(|place| self.sleepers[*place].event.thread == thread).expect("it is asleep")
    }

    /// The thread that was to take the last node's step is not explored.
    fn cut_off(&mut self, run: &Execution<'_>, thread: ThreadId, like: ThreadId, summary: Summary) {
        let last = self.nodes.len() - 1;
        let pending = standing(run, thread);
        let Event { outcome, varies, .. } = self.sleepers[self.sleeper(like)].event;
        let event = Event { outcome, varies, ..as_event(pending) };
        let accesses = run.accesses_of_pending(pending);
        if let Varies::Somehow(_) = varies {
            // What else it might access is not known: it does not sleep below this node.
            self.nodes[last].asleep.insert(thread);
            self.nodes[last].below.all.extend(&summary);
            return;
        }
        self.log.trace.push(&event, accesses, &[]);
        let accesses = self.log.trace.footprint(last as u32).to_vec();
        self.log.trace.truncate(last);
        self.sleeps(Sleeper { event, accesses }, summary);
    }

    /// The state that the trace's last event led to, in which `event` happens next.
    fn push_node(&mut self, event: &Event, fingerprint: u64) {
        let first_place = self.sleeping.len() as u32;
        let mut asleep = ThreadSet::default();
        if let Some(parent) = self.nodes.last() {
            let place = self.nodes.len() as u32 - 1;
            let (taken, accesses) = (self.log.trace.event(place), self.log.trace.footprint(place));
            for k in parent.first_place..first_place {
                let sleeper = &self.sleepers[self.sleeping[k as usize] as usize];
                if sleeps_on(&sleeper.event, self.accesses_of(sleeper), taken, accesses) {
                    asleep.insert(sleeper.event.thread);
                    self.sleeping.push(self.sleeping[k as usize]);
                }
            }
        }
        self.nodes.push(Node {
            step: Step { thread: event.thread, choice: event.choice },
            choices: event.choices,
            fingerprint,
            backtrack: [event.thread].into_iter().collect(),
            asleep,
            first_place,
            first_sleeper: self.sleepers.len() as u32,
            first_access: self.accesses.len() as u32,
            below: Below::default(),
        });
    }

    /// Sees to it that the races found last, with `second`, are reversed.
    fn reverse(&mut self, second: u32, limit: u32) {
        for k in 0..self.races.len() {
            let Self { log, happens, initials, races, nodes, .. } = self;
            let persistent = self.rule == Rule::Persistent;
            happens.initials(&log.trace, &races[k], second, limit, persistent, initials);
            let node = &mut nodes[races[k].first as usize];
            let covered = |t: &ThreadId| node.backtrack.contains(*t) || node.asleep.contains(*t);
            let done = match self.rule {
                Rule::Source => initials.threads.iter().any(covered),
                Rule::Persistent => initials.threads.iter().any(|t| node.backtrack.contains(*t)),
            };
            let awake = initials.threads.iter().find(|t| !node.asleep.contains(**t));
            if let Some(thread) = awake.filter(|_| !done) {
                node.backtrack.insert(*thread);
            }
        }
    }

    /// Examines the operations that were pending at the end.
    fn reverse_pending(&mut self, run: &Execution<'_>) {
        let exit = run.events.iter().position(|event| event.op == Op::Exit);
        let limit = exit.unwrap_or(run.events.len()) as u32;
        let place = run.events.len() as u32;
        for pending in run.pending.iter().filter(|pending| !pending.awaiting) {
            if pending.op == Op::Exit {
                if let Some(exit) = exit {
                    let node = &mut self.nodes[exit];
                    if !node.asleep.contains(pending.thread) {
                        node.backtrack.insert(pending.thread);
                    }
                }
                continue;
            }
            self.log.trace.push(&as_event(pending), run.accesses_of_pending(pending), &[]);
            // Those that could still go on race when they do. Where the limit of
            // steps keeps them from it, this is the last chance.
            if run.end == End::Bounded || is_blocked(&self.log.trace, pending, place, limit) {
                let trace = &self.log.trace;
                self.happens.examine(trace, place, limit, true, &mut self.races);
                self.reverse(place, limit);
                if self.symmetry {
                    self.note(place);
                    self.guards.truncate(place as usize);
                }
            }
            self.log.trace.truncate(place as usize);
        }
    }
}

/// What a thread stands at.
fn standing<'a>(run: &'a Execution<'_>, thread: ThreadId) -> &'a Pending {
    let pending = run.pending.iter().find(|pending| pending.thread == thread);
    pending.expect("who is about to go on stands at an event")
}

impl Node {
    /// Who is to be explored next. If nobody has been because of symmetry, anybody will do.
    fn next(&mut self) -> Option<ThreadId> {
        loop {
            let next = self.backtrack.iter().find(|thread| !self.asleep.contains(*thread));
            if next.is_some() {
                return next;
            }
            let other = self.below.others.pop()?;
            if !self.asleep.contains(other) && !self.below.disabled.contains(other) {
                self.backtrack.insert(other);
                self.below.tentative.insert(other);
            }
        }
    }

    /// Sees to it that what is to begin here does.
    fn add(&mut self, beginners: Beginners<'_>) {
        match beginners {
            Beginners::One(thread) => {
                if !self.asleep.contains(thread) {
                    self.backtrack.insert(thread);
                }
            }
            Beginners::All(threads) => {
                for thread in threads.iter() {
                    if !self.backtrack.contains(thread)
                        && !self.asleep.contains(thread)
                        && !self.below.disabled.contains(thread)
                    {
                        self.backtrack.insert(thread);
                        self.below.tentative.insert(thread);
                    }
                }
            }
        }
    }
}

impl Search for Source {
    fn next(&mut self) -> Option<Plan> {
        if !core::mem::replace(&mut self.started, true) {
            return Some(Plan::default());
        }
        if self.diverged {
            return None;
        }
        if self.taken == Fate::Due {
            return Some(self.plan());
        }
        while let Some(node) = self.nodes.last_mut() {
            let by_choice = node.step.choice > 0;
            if self.taken == Fate::Taken && node.choices > 1 && self.symmetry {
                node.below.choices.push(core::mem::take(&mut node.below.now));
                let place = self.nodes.len() - 1;
                let event = *self.log.trace.event(place as u32);
                let accesses = self.log.trace.footprint(place as u32).to_vec();
                let below = &mut self.nodes[place].below;
                below.taken.get_or_insert(Sleeper { event, accesses });
            }
            let node = self.nodes.last_mut().expect("it was there");
            let explored = by_choice || self.taken == Fate::Taken;
            if explored && node.step.choice + 1 < node.choices {
                node.step.choice += 1;
                return Some(self.plan());
            }
            self.taken = Fate::Taken;
            if explored {
                self.put_to_sleep();
            }
            let node = self.nodes.last_mut().expect("it was there");
            if let Some(thread) = node.next() {
                (node.step, node.fingerprint) = (Step { thread, choice: 0 }, 0);
                return Some(self.plan());
            }
            self.pop();
        }
        None
    }

    fn absorb(&mut self, run: &Execution<'_>) -> Vec<Finding> {
        if let Some(at) = divergence(run, self.nodes.len()) {
            self.diverged = true;
            return alloc::vec![Finding::Diverged { at }];
        }
        if self.log.begins_anew(run) {
            let symmetry = self.symmetry;
            let log = core::mem::take(&mut self.log);
            *self = Self { log, symmetry, ..Self::with(self.rule) };
            return Vec::new();
        }
        if run.end == End::Disabled {
            let node = self.nodes.last_mut().expect("where it was to go on");
            node.backtrack.remove(node.step.thread);
            node.below.disabled.insert(node.step.thread);
            self.taken = Fate::Cut;
            return Vec::new();
        }
        self.guards.truncate(self.log.trace.len());
        while self.log.trace.len() < run.events.len() {
            let event = &run.events[self.log.trace.len()];
            let fingerprint = fingerprint(event, run.accesses_of(event));
            if self.log.trace.len() == self.nodes.len() {
                self.push_node(event, fingerprint);
            } else {
                let node = self.nodes.last_mut().expect("the node where it branches off");
                (node.choices, node.fingerprint) = (event.choices, fingerprint);
                node.below.others.clear();
            }
            let place = self.log.push(run);
            self.happens.examine(&self.log.trace, place, place, false, &mut self.races);
            self.reverse(place, place);
            self.happens.commit(&self.log.trace, place);
            if self.symmetry {
                self.note(place);
            }
        }
        if let Some(exchange) = Exchange::of(run) {
            return self.meet(run, &exchange);
        }
        self.reverse_pending(run);
        self.log.finish(run)
    }

    fn log(&self) -> &Log {
        &self.log
    }

    fn explored(&self) -> Option<f64> {
        // A thread counts as many times as it has choices; of threads that have not
        // been taken that is not known, so once.
        Some(explored(self.nodes.iter().map(|node| {
            let done = node.backtrack.iter().filter(|t| node.asleep.contains(*t)).count() as u32;
            let all = node.backtrack.iter().count() as u32;
            (done + node.step.choice, all + node.choices.saturating_sub(1))
        })))
    }
}
