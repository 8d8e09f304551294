//! Optimal DPOR: one execution for each trace, with memory that is polynomial in the
//! length of one execution.
//!
//! The idea is that of parsimonious optimal DPOR (Abdulla, Atig, Das, Jonsson, Sagonas,
//! CAV 2024) and of TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022):
//! a race is reversed as soon as it is seen, and of all executions that show the same
//! race with the same reversal exactly one reverses it, which is decided by looking at
//! that execution alone. So nothing has to be remembered about what was explored: there
//! are no sleep sets and no wakeup trees, only schedules that wait for their turn. How
//! duplicates are told is different here from both papers.
//!
//! **Traces as sequences.** The director does one thing by itself in each state: call it
//! D(P) after the sequence P. A maximal trace T is written as a sequence in one way.
//! Begin with the empty sequence. Where P has been written and x = D(P):
//! - If x is an event of T that has all before it in P, write x. It is *free*.
//! - If it is, but with another choice (of `Choose`, of whom a signal wakes), write that.
//!   It is a *head*.
//! - Else T has events that do not commute with x. Take those before which, in T, there
//!   is no other such event (behind P), and of these h, the one of the thread with the
//!   lowest number. Write what comes before h in T, which is *kept*, and then h, a head.
//!   We say that h takes the place of x, and that x is put off.
//!
//! **The search** runs the empty schedule first. An execution is its schedule (all that
//! was planned, up to a head) and free events. When it is over, each of its events h
//! that is new, so free or the last head, is compared with the free events x before it
//! with which it races (`reversal` says what that is): let P be the sequence before x,
//! and K what is kept, the past of h behind x without x. The schedule P K h is put on
//! the stack if
//! 1. x is free, and so are all events behind x that are not kept, and
//! 2. P K h is a beginning of the sequence of some trace: h is the lowest. That can only
//!    be wrong if x has been put off before, just before P, for a head of a thread with
//!    a higher number; then nothing that does not commute with x may come before h.
//!
//! For the other choices of a new event a schedule is put on the stack as well.
//!
//! **Each trace once.** Sequences of traces are unique, so it is enough that for each
//! beginning P K h of one, with x = D(P), exactly one execution puts it on the stack.
//! Which one? Go from P x, by free events, towards the state in which all of K has
//! happened and h can: let d be what the director would do. If d does not conflict with
//! what is missing of K and h, or is part of it, let it happen. Else it must not happen
//! yet, so write the head that takes its place there, by the rule above, looking only at
//! what is missing of K and h. The result P x … h is a beginning of a sequence, smaller
//! in the order in which D(P) is less than everything else, so by induction it is run;
//! in it h races with x, and everything behind x that is not free is in K. Conversely,
//! where h races with x and K is its past and 1. holds, the sequence is the one just
//! described: an event that is free and not in K conflicts with nothing in K, and a head
//! behind x is in K, or h itself, and is the lowest there. So there is exactly one.
//!
//! If x makes h impossible (it takes the lock) then "until h happens" is replaced by
//! "to the end": go on freely when all of K has happened. Whether h happens later or
//! waits for ever, it is seen there to have been possible before x; and 1. now says that
//! all heads behind x are in K, wherever h is.
//!
//! **None in vain.** A beginning P K h of a sequence is a beginning of that of the
//! execution which the director makes of it if the director never writes what the
//! sequence must not have: a lower head for the same x. So it prefers, of all threads,
//! the one that was put off (`Plan::prefer`). Once x has happened, whatever does not
//! commute with it comes after it. And if x cannot happen because of h, then whatever
//! conflicts with x conflicts with h too.
//!
//! **Events that vary.** Whether a compare-exchange writes depends on what it finds. In
//! the place of x, with what is kept before it, h finds what x has found there, since
//! nothing that is kept conflicts with x. So it is known how h will come out, and rule 2
//! and K are judged with that. Where it is not known (x is a plain access, so that there is
//! a data race, or an atomic section, or of another size of more than eight bytes) and it matters,
//! the search begins anew, and takes h for all that it might do (`repertoire`), as it does
//! with events whose accesses vary beyond one place. So the relation is larger there.
//!
//! **Readers that need each other.** One thing is left: x writes a read-write lock, and h
//! reads it. Then x cannot happen because of h, and other readers conflict with x but not
//! with h. If a reader r of a lower thread comes before x, and not after h, then the execution
//! has *strayed*: its trace has r for the head that takes the place of x. This only happens
//! if the reader h has to wait for somebody else inside of its section, and r comes first
//! there. Whether it has to is not known before it is tried. So the search begins anew, and
//! from then on two acquisitions like h and r (of these threads, at these sites) do not
//! commute (`Repertoire::set_apart`). As the relation is larger by pairs of labels, all of the
//! above holds for it; r now comes after h in every trace that has h for a head, and there is
//! no straying by this pair. There are finitely many pairs; in the search that comes to its
//! end nothing has strayed, so each trace of its relation was run once, and none in vain.
//!
//! With awaits and assumptions executions can end without having completed; they still
//! are one for each trace. An await changes nothing of the above: whether the event is
//! enabled is a matter of the trace, and nothing disables it again (see `awaits`).
//!
//! **Conditions on dependence.** The rules compare events as they came out in different
//! places: x as it is without h, h as it is without x (`event_without` for objects).
//! What decides how an event comes out is what it touches; if two events as they came
//! out apart do not conflict, then they come out the same one behind the other. All
//! choices of an event conflict with the same. Of a round of a barrier nobody is the
//! last: that is a matter of the order of arrivals, which commute. So where those who
//! fill a round are to come before one who would have been in it, the head is the one
//! with the highest number, and the others are kept although they do not come before it.
//!
//! **In pieces.** So a schedule that waits is explored, with all that comes out of it, in
//! the same way whatever else has been explored, and can be handed to somebody else
//! ([`Optimal::split`]). Only what has been learnt about events that vary is shared.
//!
//! **Memory.** A head is never reversed with what it took the place of while both are on
//! the path, so a chain of schedules each of which comes out of the execution of the one
//! before has at most as many links as there are pairs of events. Each execution puts at
//! most one entry for each pair of its events, and one for each choice, on the stack, and
//! the last entry is run, with all that comes out of it, before the one below it: on the
//! stack are the entries of one chain. An entry has a head and what is kept for it; that
//! of a writer that takes the place of a reader has the parts of which such sets are made
//! (`family`). So with n events in an execution there are at most n² times n² entries of
//! size n² each. Common beginnings are kept once (`schedules`).

use crate::{
    Finding, Plan, PlannedStep, Repertoire, Search,
    clock::Clocks,
    dependence::{same_round, sleeps_on},
    family::Family,
    fingerprint,
    reversal::{Kept, Race, Reversals, Standing, event_without},
    schedules::{Schedules, Turn},
    search::{Log, as_event, divergence, is_blocked},
    trace::Trace,
};
use alloc::{boxed::Box, vec::Vec};
use leno_model::{Access, AccessKind, End, Event, Execution, Op, Step, ThreadId, Varies};
use serde::{Deserialize, Serialize};

/// Why an event stands where it stands in the sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Place {
    /// It was what the director did by itself.
    Free,
    /// It was kept, to make a head possible.
    Kept,
    Head,
}

/// The event that takes another one's place, on the path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    /// Where it takes place, and where what was kept for it begins.
    place: u32,
    start: u32,
    thread: ThreadId,
    /// The event that would have happened at `start`; none if that is the head itself
    /// with another choice.
    reversed: Option<Box<Reversed>>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Reversed {
    event: Event,
    footprint: Vec<Access>,
}

/// A branch that the execution at hand has shown.
struct Branch {
    /// How much of the path it has in common with the execution.
    start: u32,
    kept: Set,
    head: Head,
    step: Step,
}

/// How an event would come out elsewhere is not known.
struct Unforeseen;

/// What is kept behind the start of a branch.
enum Set {
    One(Vec<u32>),
    /// Each of these makes a branch.
    Each(Family),
}

/// A schedule that is still to be run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Waiting {
    /// Its last turn; none if it has none yet.
    end: Option<u32>,
    /// The rest, if there are several that differ in what they keep.
    rest: Option<Box<Rest>>,
    /// Its part in the whole, if all branches of an execution were equally large.
    weight: f64,
}

/// What comes behind the last turn that schedules have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Rest {
    family: Family,
    /// The events that may be kept, in order.
    events: Vec<(u32, PlannedStep)>,
    head: Head,
    step: Step,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Optimal {
    log: Log,
    reversals: Reversals,
    schedules: Schedules<Head>,
    /// The schedules that are still to be run; the last is the next.
    waiting: Vec<Waiting>,
    /// Of the present execution with all that comes out of it.
    weight: f64,
    /// The schedule of the present execution, as it is kept in `schedules`, and as
    /// far as it is.
    path: Vec<u32>,
    places: Vec<Place>,
    /// Which turns of the path are heads.
    heads: Vec<u32>,
    /// How many steps were planned.
    planned: usize,
    /// How many events of the last execution the present one repeats.
    shared: usize,
    /// The events by which the present execution came to be of a trace that is explored
    /// elsewhere, each with the head instead of which it should have been one.
    strayed: Vec<(u32, u32)>,
    /// Events of which it is not known how they would come out elsewhere.
    unforeseen: Vec<u32>,
    started: bool,
    diverged: bool,
}

impl Optimal {
    pub fn new() -> Self {
        Self::default()
    }

    /// The thread of the event whose place the present schedule's last step takes: it stands
    /// at that event when the step is taken.
    pub fn rival(&self) -> Option<ThreadId> {
        let head = self.schedules.turn(*self.heads.last()?).head.as_ref()?;
        let is_last = head.place as usize + 1 == self.planned;
        head.reversed.as_ref().filter(|_| is_last).map(|reversed| reversed.event.thread)
    }

    /// Takes the schedule that would be run last away, with all that comes out of it: a search
    /// of its own, which may run anywhere. What it explores depends on nothing that this one
    /// or others find. None if less than two schedules are left.
    pub fn split(&mut self) -> Option<Self> {
        if self.waiting.len() < 2 {
            return None;
        }
        let mut part = self.clone();
        let taken = self.waiting.remove(0);
        taken.end.into_iter().for_each(|end| self.schedules.let_go(end));
        for left in part.waiting.drain(1..) {
            left.end.into_iter().for_each(|end| part.schedules.let_go(end));
        }
        part.log.forget();
        part.reversals.truncate(0);
        Some(part)
    }

    /// The plan of a schedule, whose beginning that of the last execution may share.
    fn plan(&mut self, end: u32) -> Plan {
        if let Some(last) = self.path.last() {
            self.schedules.let_go(*last);
        }
        self.schedules.up_to(end, &mut self.path);
        self.heads.clear();
        self.places.clear();
        self.planned = self.path.len();
        let mut plan = Plan::default();
        let mut differs = false;
        self.shared = 0;
        for turn in &self.path {
            let Turn { planned, kept, head, .. } = self.schedules.turn(*turn);
            let place = plan.steps.len();
            if !differs && place < self.log.trace.len() && place + 1 < self.planned {
                let Event { thread, choice, .. } = *self.log.trace.event(place as u32);
                differs = Step { thread, choice } != planned.step;
                self.shared += usize::from(!differs);
            } else {
                differs = true;
            }
            plan.steps.push(*planned);
            plan.prefer.retain(|preferred| *preferred != planned.step.thread);
            self.places.push(match head {
                Some(_) => Place::Head,
                None if *kept => Place::Kept,
                None => Place::Free,
            });
            if let Some(head) = head {
                self.heads.push(*turn);
                plan.prefer.extend(head.reversed.as_ref().map(|reversed| reversed.event.thread));
            }
        }
        plan.prefer.reverse();
        self.log.truncate(self.shared);
        self.reversals.truncate(self.shared);
        plan
    }

    /// Takes in the next event and looks for branches if it is new.
    fn push(&mut self, run: &Execution<'_>, branches: &mut Vec<Branch>) {
        let place = self.log.push(run);
        let Self { log, reversals, schedules, heads, places, strayed, unforeseen, .. } = self;
        let Log { trace, repertoire, .. } = log;
        let event = trace.event(place);
        let path = Path { trace, repertoire, schedules, places, heads };
        let new = place as usize + 1 >= self.planned;
        reversals.examine(trace, place, place, Standing::Happened, |clocks, race| {
            // What another choice races with, the first one does too.
            if new && event.choice == 0 {
                match path.branch(clocks, &race, place) {
                    Ok(branch) => branches.extend(branch),
                    Err(Unforeseen) => unforeseen.push(place),
                }
            }
        });
        reversals.commit(trace, place);
        let thread = event.thread;
        if new && event.choice == 0 {
            let this = path.heads().next_back().filter(|head| head.place == place);
            let as_free = Head { place, start: place, thread, reversed: None };
            branches.extend((1..event.choices).map(|choice| Branch {
                start: place,
                kept: Set::One(Vec::new()),
                head: this.unwrap_or(&as_free).clone(),
                step: Step { thread, choice },
            }));
        }
        strayed.extend(path.strays(reversals.clocks(), place).map(|head| (place, head)));
    }

    /// Examines the operations that were pending at the end.
    fn examine_pending(&mut self, run: &Execution<'_>, branches: &mut Vec<Branch>) {
        let exit = run.events.iter().position(|event| event.op == Op::Exit);
        let limit = exit.unwrap_or(run.events.len()) as u32;
        let place = run.events.len() as u32;
        for pending in run.pending.iter().filter(|pending| !pending.awaiting) {
            let Self { log, reversals, schedules, heads, places, .. } = self;
            let Log { trace, repertoire, .. } = log;
            let (event, accesses) = (as_event(pending), run.accesses_of_pending(pending));
            trace.push(&event, accesses, repertoire.of(&event, accesses));
            let path = Path { trace, repertoire, schedules, places, heads };
            // How it would come out is not asked: it is what it was about to do.
            let branch =
                |clocks: &Clocks, race: &Race<'_>| path.branch(clocks, race, place).ok().flatten();
            let standing = match pending.op {
                Op::Exit => None,
                _ if is_blocked(trace, pending, place, limit) => Some(Standing::Blocked),
                // Those that could still go on race when they do. Where the limit of
                // steps keeps them from it, this is the last chance.
                _ => (run.end == End::Bounded).then_some(Standing::CutOff),
            };
            match (standing, exit) {
                (Some(standing), _) => {
                    reversals.examine(trace, place, limit, standing, |clocks, race| {
                        branches.extend(branch(clocks, &race));
                    });
                }
                // It could have exited instead.
                (None, Some(exit)) if pending.op == Op::Exit => {
                    let race = Race { first: exit as u32, kept: Kept::These(&[]), blocks: true };
                    branches.extend(branch(reversals.clocks(), &race));
                }
                _ => {}
            }
            self.log.trace.truncate(place as usize);
        }
    }

    /// Begins anew with a larger relation: those events are taken for all that they might do
    /// of which it was not known how they would come out, and readers that need each other
    /// do not commute.
    fn begin_anew(&mut self, run: &Execution<'_>) -> Vec<Finding> {
        let findings = self.log.finish(run);
        let Log { trace, repertoire, .. } = &mut self.log;
        for place in self.unforeseen.iter().copied() {
            repertoire.take_whole(trace.event(place), trace.accesses(place));
        }
        for (reader, head) in self.strayed.iter().copied() {
            repertoire.set_apart([trace.event(reader), trace.event(head)]);
        }
        self.log.forget();
        *self = Self { log: core::mem::take(&mut self.log), ..Self::default() };
        findings
    }

    /// Puts a branch among the schedules that wait.
    fn add(&mut self, branch: Branch, weight: f64) {
        let start = branch.start as usize;
        self.keep_path(start);
        let common = start.checked_sub(1).map(|last| self.path[last]);
        let Branch { kept, head, step, .. } = branch;
        let trace = &self.log.trace;
        let planned = |event: u32| {
            let Event { thread, choice, .. } = *trace.event(event);
            let fingerprint = fingerprint(trace.event(event), trace.accesses(event));
            PlannedStep { step: Step { thread, choice }, fingerprint }
        };
        let (end, rest) = match kept {
            Set::One(kept) => {
                let kept = kept.into_iter().map(planned);
                (Some(append(&mut self.schedules, common, kept, head, step)), None)
            }
            Set::Each(family) => {
                let events = family.all().into_iter().map(|event| (event, planned(event)));
                let events = events.collect();
                (common, Some(Box::new(Rest { family, events, head, step })))
            }
        };
        end.into_iter().for_each(|end| self.schedules.hold(end));
        self.waiting.push(Waiting { end, rest, weight });
    }

    /// The end of the schedule that is next, which is held.
    fn take(&mut self) -> Option<u32> {
        let mut waiting = self.waiting.pop()?;
        self.weight = waiting.weight;
        let Some(rest) = &mut waiting.rest else { return waiting.end };
        let Rest { family, events, head, step } = &mut **rest;
        let kept = family.set();
        let head = Head { place: head.start + kept.len() as u32, ..head.clone() };
        let planned = |event: &u32| {
            let place = events.binary_search_by_key(event, |(event, _)| *event);
            events[place.expect("it may be kept")].1
        };
        let kept = kept.iter().map(planned);
        let end = append(&mut self.schedules, waiting.end, kept, head, *step);
        self.schedules.hold(end);
        if family.advance() {
            self.weight /= 2.0;
            waiting.weight = self.weight;
            self.waiting.push(waiting);
        } else {
            waiting.end.into_iter().for_each(|end| self.schedules.let_go(end));
        }
        Some(end)
    }

    /// Sees to it that so much of the present path is among the schedules.
    fn keep_path(&mut self, len: usize) {
        let old = self.path.last().copied();
        if self.path.len() >= len {
            return;
        }
        for place in self.path.len()..len {
            let event = self.log.trace.event(place as u32);
            let planned = PlannedStep {
                step: Step { thread: event.thread, choice: event.choice },
                fingerprint: fingerprint(event, self.log.trace.accesses(place as u32)),
            };
            let before = self.path.last().copied();
            self.path.push(self.schedules.add(before, Turn::new(planned, false, None)));
        }
        self.schedules.hold(*self.path.last().expect("it was made longer"));
        old.into_iter().for_each(|old| self.schedules.let_go(old));
    }
}

/// Adds what is kept and a head behind a turn.
fn append(
    schedules: &mut Schedules<Head>,
    common: Option<u32>,
    kept: impl Iterator<Item = PlannedStep>,
    head: Head,
    step: Step,
) -> u32 {
    let mut end = common;
    for planned in kept {
        end = Some(schedules.add(end, Turn::new(planned, true, None)));
    }
    schedules.add(end, Turn::new(PlannedStep { step, fingerprint: 0 }, false, Some(head)))
}

/// The execution at hand as a sequence of free events and of heads with what was kept.
struct Path<'a> {
    trace: &'a Trace,
    repertoire: &'a Repertoire,
    schedules: &'a Schedules<Head>,
    places: &'a [Place],
    heads: &'a [u32],
}

impl Path<'_> {
    fn heads(&self) -> impl DoubleEndedIterator<Item = &Head> {
        self.heads.iter().filter_map(|turn| self.schedules.turn(*turn).head.as_deref())
    }

    fn place(&self, event: u32) -> Place {
        self.places.get(event as usize).copied().unwrap_or(Place::Free)
    }

    /// The branch in which `second`, the event that is examined, takes the place of the
    /// race's first, if it is this execution that has to make it.
    fn branch(
        &self,
        clocks: &Clocks,
        race: &Race<'_>,
        second: u32,
    ) -> Result<Option<Branch>, Unforeseen> {
        let Race { first, kept, blocks } = *race;
        if self.place(first) != Place::Free {
            return Ok(None);
        }
        if let Kept::Readers(least, parts) = kept {
            return self.writers_branch(clocks, race, second, least, parts);
        }
        let mut behind = self.heads().rev().take_while(|head| head.place > first);
        let stays = |event| if event == second { !blocks } else { kept.contains(clocks, event) };
        if !behind.all(|head| stays(head.place) && self.needed(head, first).all(stays)) {
            return Ok(None);
        }
        let there = self.without(clocks, race, second);
        if !self.belongs(clocks, race, second, there.as_ref(), |_| false)? {
            return Ok(None);
        }
        let kept = race.kept.events(self.trace, clocks, first);
        if self.fills_for_another(clocks, race, &kept, second)
            || !self.needs_all(clocks, &kept, second, there.as_ref())?
        {
            return Ok(None);
        }
        let head = Head { place: first + kept.len() as u32, ..self.head(first, second) };
        let step = Step { thread: head.thread, choice: 0 };
        Ok(Some(Branch { start: first, kept: Set::One(kept), head, step }))
    }

    /// The same for a writer that takes the place of a reader: what other readers have come
    /// and gone before is open.
    fn writers_branch(
        &self,
        clocks: &Clocks,
        race: &Race<'_>,
        second: u32,
        least: &[u32],
        parts: &[Vec<u32>],
    ) -> Result<Option<Branch>, Unforeseen> {
        let first = race.first;
        let mut required: Vec<Vec<u32>> = Vec::new();
        for head in self.heads().rev().take_while(|head| head.place > first) {
            if head.place == second {
                return Ok(None);
            }
            required.push(alloc::vec![head.place]);
            required.extend(self.needed(head, first).map(|event| alloc::vec![event]));
        }
        let there = self.without(clocks, race, second);
        self.belongs(clocks, race, second, there.as_ref(), |rivals| {
            let mut after: Vec<u32> = least.iter().chain(parts.iter().flatten()).copied().collect();
            after.retain(|event| rivals.iter().any(|rival| clocks.ordered(*rival, *event)));
            required.push(after);
            true
        })?;
        let family = Family::new(least.to_vec(), parts.to_vec(), required);
        let head = self.head(first, second);
        let step = Step { thread: head.thread, choice: 0 };
        Ok(family.map(|family| Branch { start: first, kept: Set::Each(family), head, step }))
    }

    /// A head without anything kept.
    fn head(&self, first: u32, second: u32) -> Head {
        let footprint = self.trace.footprint(first).to_vec();
        let reversed = Reversed { event: *self.trace.event(first), footprint };
        Head {
            place: first,
            start: first,
            thread: self.trace.event(second).thread,
            reversed: Some(Box::new(reversed)),
        }
    }

    /// The heads instead of which an event should have been one, for what was put off there,
    /// because it is of a lower thread. That happens only where what was put off cannot take
    /// place at once: a writer that has to wait for the head, which reads, and another reader
    /// comes before it.
    fn strays(&self, clocks: &Clocks, event: u32) -> impl Iterator<Item = u32> {
        let Event { thread, op, .. } = *self.trace.event(event);
        let reads = matches!(op, Op::ReadLock { .. } | Op::TryReadLock { .. });
        let heads = self.heads().filter(move |head| reads && head.thread > thread);
        let strays = move |head: &&Head| {
            head.place < event
                && head.reversed.as_ref().is_some_and(|reversed| {
                    let rival =
                        |rival| clocks.ordered(rival, event) && self.conflicts(reversed, rival);
                    matches!(reversed.event.op, Op::WriteLock { .. })
                        && self.puts_off(head, event)
                        && self.conflicts(reversed, event)
                        && !(head.start..event).any(rival)
                })
        };
        heads.filter(strays).map(|head| head.place)
    }

    /// What was kept for a head behind `first` and does not come before it: those who
    /// fill a round of a barrier together with it.
    fn needed(&self, head: &Head, first: u32) -> impl Iterator<Item = u32> {
        let op = self.trace.event(head.place).op;
        let arrives = matches!(op, Op::BarrierArrive { .. });
        let start = if arrives { head.start.max(first + 1) } else { head.place };
        (start..head.place).filter(move |event| self.trace.event(*event).op == op)
    }

    /// Of those who fill a round of a barrier, so that the first of the race comes too
    /// late for it, any could be the last. It is to be the one with the highest number.
    fn fills_for_another(
        &self,
        clocks: &Clocks,
        race: &Race<'_>,
        kept: &[u32],
        second: u32,
    ) -> bool {
        let Event { op, thread, .. } = *self.trace.event(second);
        let arrives = matches!(op, Op::BarrierArrive { .. });
        arrives && self.trace.event(race.first).op == op && {
            let there = event_without(self.trace, clocks, second, race.first, race.kept);
            kept.iter().map(|event| self.trace.event(*event)).any(|other| {
                other.op == op && other.thread > thread && same_round(other.outcome, there.outcome)
            })
        }
    }

    /// Whether the branch belongs to this path and not to one where `first` has been put off
    /// for `second` earlier. It does not if `first` has been put off already, for a head of a
    /// thread with a higher number, and nothing with which `first` races comes before
    /// `second`. `there`: the second as it comes out in the place of the first, if that is
    /// known. `kept_after`: whether something of what is kept, besides the past of the
    /// second, comes after one of these rivals.
    fn belongs(
        &self,
        clocks: &Clocks,
        race: &Race<'_>,
        second: u32,
        there: Option<&Reversed>,
        mut kept_after: impl FnMut(&[u32]) -> bool,
    ) -> Result<bool, Unforeseen> {
        let (trace, first) = (self.trace, race.first);
        let x = trace.event(first);
        for head in self.heads().rev().filter(|head| head.place < first) {
            let Some(reversed) = &head.reversed else { continue };
            let same = reversed.event.thread == x.thread;
            let waits = matches!(reversed.event.op, Op::WriteLock { .. });
            if !(same || waits)
                || trace.event(second).thread > head.thread
                || !self.puts_off(head, first)
            {
                continue;
            }
            let rivals = || (head.start..first).filter(|event| self.conflicts(reversed, *event));
            if rivals().any(|rival| clocks.covers(rival)) {
                continue;
            }
            let there = there.ok_or(Unforeseen)?;
            let as_now = same
                && reversed.event.op == x.op
                && reversed.event.outcome == x.outcome
                && reversed.footprint == trace.footprint(first);
            let raced =
                !sleeps_on(&reversed.event, &reversed.footprint, &there.event, &there.footprint);
            if !as_now && !raced {
                continue;
            }
            let from_rival = |event: &u32| {
                rivals().any(|rival| {
                    rival == *event || (rival < *event && clocks.ordered(rival, *event))
                })
            };
            let mut between = (head.start..first).filter(from_rival);
            if !between.any(|event| self.conflicts(there, event))
                && !kept_after(&rivals().collect::<Vec<_>>())
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether an event's accesses depend on what it finds, and it is not taken for all that
    /// it might access.
    fn varies(&self, event: u32) -> bool {
        let (e, accesses) = (self.trace.event(event), self.trace.accesses(event));
        match e.varies {
            Varies::Never | Varies::Somehow(_) => false,
            Varies::WritesIf(_) | Varies::Updates { .. } | Varies::Perhaps => {
                self.repertoire.of(e, accesses).is_empty()
            }
        }
    }

    /// Whether all that is kept comes before `second` in the place of the first, too. It does
    /// if the second comes out as it did.
    fn needs_all(
        &self,
        clocks: &Clocks,
        kept: &[u32],
        second: u32,
        there: Option<&Reversed>,
    ) -> Result<bool, Unforeseen> {
        if !self.varies(second) {
            return Ok(true);
        }
        let until = |event: u32, last: u32| event == last || clocks.ordered(event, last);
        let previous = self.trace.previous(second);
        for event in kept.iter().copied() {
            let own = previous.is_some_and(|last| event <= last && until(event, last));
            let mut behind = kept.iter().filter(|last| **last > event);
            if own || behind.any(|last| clocks.ordered(event, *last)) {
                continue;
            }
            if !self.conflicts(there.ok_or(Unforeseen)?, event) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the event for which the head took its place has not happened since,
    /// before an event.
    fn puts_off(&self, head: &Head, before: u32) -> bool {
        let Some(reversed) = &head.reversed else { return false };
        let of_thread = self.trace.events_of(reversed.event.thread);
        let past = &of_thread[..of_thread.partition_point(|event| *event < before)];
        past.last().is_none_or(|last| *last < head.place)
    }

    /// The second event of a race as it would come out in the place of the first, if that
    /// is known. Nothing that is kept conflicts with the first: what is there is what the
    /// first has found.
    fn without(&self, clocks: &Clocks, race: &Race<'_>, second: u32) -> Option<Reversed> {
        let (trace, first) = (self.trace, race.first);
        let event = event_without(trace, clocks, second, first, race.kept);
        let mut footprint = trace.footprint(second).to_vec();
        let written = |read: &Access| {
            let mut writes = trace.footprint(first).iter().filter(|a| a.kind.writes());
            writes.any(|write| write.overlaps(read))
        };
        if self.varies(second) && written(footprint.first()?) {
            let (own, other) = (footprint.first_mut()?, trace.accesses(first).first()?);
            let found = merged(own, event.found?, other, trace.event(first).found?)?;
            let writes = event.varies.writes(found)?;
            own.kind = if writes { AccessKind::ReadWrite } else { AccessKind::Read };
        }
        Some(Reversed { event, footprint })
    }

    fn conflicts(&self, reversed: &Reversed, event: u32) -> bool {
        let (e, footprint) = (self.trace.event(event), self.trace.footprint(event));
        !sleeps_on(&reversed.event, &reversed.footprint, e, footprint)
    }
}

/// The value of an access, with the bytes that another one has as that one has them; none
/// if one of them has more than eight, of which there is no more than a digest.
fn merged(own: &Access, found: u64, other: &Access, others: u64) -> Option<u64> {
    if (own.addr, own.len) == (other.addr, other.len) {
        return Some(others);
    }
    if own.len > 8 || other.len > 8 {
        return None;
    }
    let (mut bytes, others) = (found.to_le_bytes(), others.to_le_bytes());
    for (place, byte) in (own.addr..own.end()).zip(&mut bytes) {
        if (other.addr..other.end()).contains(&place) {
            *byte = others[(place - other.addr) as usize];
        }
    }
    Some(u64::from_le_bytes(bytes))
}

impl Search for Optimal {
    fn next(&mut self) -> Option<Plan> {
        if !core::mem::replace(&mut self.started, true) {
            self.weight = 1.0;
            return Some(Plan::default());
        }
        if self.diverged {
            return None;
        }
        let end = self.take()?;
        Some(self.plan(end))
    }

    fn absorb(&mut self, run: &Execution<'_>) -> Vec<Finding> {
        if let Some(at) = divergence(run, self.planned) {
            self.diverged = true;
            return alloc::vec![Finding::Diverged { at }];
        }
        if self.log.begins_anew(run) {
            *self = Self { log: core::mem::take(&mut self.log), ..Self::default() };
            return Vec::new();
        }
        let mut branches = Vec::new();
        while self.log.trace.len() < run.events.len() {
            self.push(run, &mut branches);
        }
        if !self.unforeseen.is_empty() || !self.strayed.is_empty() {
            return self.begin_anew(run);
        }
        self.examine_pending(run, &mut branches);
        // Those that share most with this execution are run first.
        branches.sort_by_key(|branch| branch.start);
        let weight = self.weight / (branches.len() + 1) as f64;
        branches.into_iter().for_each(|branch| self.add(branch, weight));
        self.log.finish(run)
    }

    fn log(&self) -> &Log {
        &self.log
    }

    fn explored(&self) -> Option<f64> {
        Some(1.0 - self.waiting.iter().map(|waiting| waiting.weight).sum::<f64>())
    }
}
