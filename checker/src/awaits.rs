//! Awaits: a thread that would only repeat itself does not go on.
//!
//! Without this a spin lock has infinitely many executions. A thread *repeats* if
//! it comes back to a site with the local state that it had there before, and has
//! since executed nothing but events that leave nothing behind. Those events are the
//! *iteration*:
//! - it reads: loads, failed compare-exchanges, failed attempts at locks and
//!   semaphores, fences;
//! - it locks and unlocks: what the iteration has acquired it has released again, and
//!   it has released nothing else, so it holds at its end what it held at its start;
//! - it waits with a timeout, which fires, and it chooses (`Choose`).
//!
//! Such a thread does nothing more in this execution. If, when the others have come to an end,
//! none of what the iteration read has been changed by another thread since it was read, the
//! thread *idles*: it waits for ever, and that is a hang. Otherwise it has looked in vain, and
//! too early: the execution is dropped, as if the program had assumed that the loop is left at
//! once. That it locked something, after waiting or by an attempt that succeeded, is no reading
//! of the lock.
//!
//! **Nothing is lost.** Take any execution in which a thread begins anew after such an
//! iteration, and remove the iteration: the thread is in the same state without it.
//! The others are too. The iteration wrote nothing, so they read the same; a lock that
//! it held kept some of them waiting, who now need not; a signal found it in no wait.
//! There is one way to notice it: an attempt at the lock that fails, or whatever else
//! touches a thing while the thread has it. Then the iteration counts for none (`floor`
//! in the code), and the thread may begin anew; unless the attempt is an iteration by
//! itself, of a loop that does nothing else, and can be removed as well, or belongs to a round
//! that can be removed together with this one (`rounds`). What is lost, by C11, is
//! that the iteration released what came before it, and that it acquired what others had
//! released; so at most there are more races. So what
//! remains is an execution, with the same bugs, the same final state and fewer
//! iterations, and in the end there are none left behind which a thread begins anew. The next
//! iteration need not be like the one that is removed: it may choose differently, meet a write
//! half way or find a lock taken that was free. (A race of a read *in* the removed iteration with
//! a later write is one of the execution that is dropped behind it, in which the others run on;
//! unless that write waits for the thread to get away: `glances` sees to these.)
//!
//! An iteration that counts (a bounded retry loop) has a different local state each
//! time and is no repetition. If nobody is left to make the write, the program
//! would spin for ever: the execution is stuck, and that is a hang. Not so if the
//! iteration has made a choice of the program's own (`leno_choose`): then the
//! loop ends by another choice, which is another execution, and this one is dropped.
//! That a timeout fires is no such choice: where nothing else happens any more, it does.
//! And not so if an attempt that succeeded would fail now.
//!
//! **For the reduction** this is a program whose loops have an assumption at their end, and
//! needs nothing more. Whether the thread has come to repeat itself is a matter of its own past
//! and of whether the iteration was noticed, which is part of the trace. The write that comes too
//! late races with the read of the iteration, and reversing that race is how the loop is
//! tried later. The executions that are dropped are fewer than those that they stand for: each is
//! a beginning of at least one in which the loop goes round again, and loops that wait for
//! several writes go round in very many ways. (Kokologiannakis, Ren and
//! Vafeiadis, "Dynamic Partial Order Reductions for Spinloops", 2021, do this to loops that the
//! compiler can prove to have no effect.)
//!
//! A thread whose event itself can be blocked by an object would then wait for two things. So
//! it does not: it stands at an event of its own, `Op::Await`, which waits for the write and
//! never happens.

use crate::{
    Plan, Repertoire,
    dependence::{Object, Touch, touches},
    plan::Digest,
    rounds::{Past, Rounds},
};
use alloc::vec::Vec;
use hashbrown::HashMap;
use leno_model::{Access, Event, Op, Outcome, SiteRef, ThreadId, Varies};

/// Where a thread stands in view of this file.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Repeat {
    /// How many of its events make up the iteration it would repeat; 0: it does not.
    pub iteration: u32,
    /// Nothing of what the iteration read has been changed.
    pub idle: bool,
    /// The program has chosen to repeat it, and could have chosen otherwise.
    pub chosen: bool,
}

/// All threads' events since each of them last left something behind.
#[derive(Clone, Default, Debug)]
pub struct Awaits {
    /// Events so far.
    now: u32,
    threads: Vec<Window>,
    /// How many of them stand idle.
    idle: u32,
    /// What was written or changed, when and by whom. Kept only once some thread has told
    /// its local state: before that no iteration can begin.
    changes: Vec<Change>,
    /// The first so many of them are in the tables below. A program that never repeats
    /// itself never asks for any.
    indexed: usize,
    /// When each byte was last written, by eights.
    written: HashMap<u64, [u32; 8]>,
    /// The same for writes too long to be spread over `written`.
    written_ranges: Vec<(Access, u32)>,
    changed: HashMap<Object, Changed>,
    watching: bool,
    /// How each event's thread stood before it.
    visits: Vec<u64>,
    rounds: Rounds,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    what: What,
    at: u32,
    by: ThreadId,
}

/// When an object was last changed and by whom, and when by somebody else before that.
#[derive(Clone, Copy, Debug)]
struct Changed {
    last: u32,
    by: ThreadId,
    by_others: u32,
}

/// A thread's last events, as long as they leave nothing behind.
#[derive(Clone, Default, Debug)]
struct Window {
    steps: Vec<Step>,
    /// Where the first `indexed` visits were last seen. A loop that only reads may go
    /// round many times and never be in the same state.
    latest: HashMap<u64, u32>,
    indexed: usize,
    reads: Vec<Read>,
    holds: Vec<Hold>,
    /// What is held of what was acquired in the window, and by which step.
    held: Vec<(Object, Touch, u32)>,
    /// No iteration may begin before this step: what it acquired was noticed.
    floor: u32,
    /// Who has noticed what was acquired in which step, and perhaps has not: that is
    /// known when it arrives at its next event.
    noticed: Vec<(ThreadId, u32)>,
    /// How many events there were when something was attempted in vain, the attempt included.
    attempted: Option<u32>,
    arrived: u64,
    standing: Repeat,
    /// The events that were glances in what it would repeat.
    glances: Vec<u32>,
    /// What it would repeat, and what others have done meanwhile that it takes with it.
    stretches: Vec<Stretch>,
    /// It would stand here by now, but goes on once more.
    forgiven: bool,
}

/// Events of a thread that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stretch {
    pub thread: ThreadId,
    /// The ordinal of the first.
    pub since: u32,
    pub events: u32,
}

/// What a thread that stands would repeat.
struct Round {
    repeat: Repeat,
    glances: Vec<u32>,
    stretches: Vec<Stretch>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Step {
    /// A digest of site and local state; 0 if the state is unknown.
    visit: u64,
    /// Where its reads and holds begin.
    first_read: u32,
    first_hold: u32,
    chosen: bool,
    /// How the thread goes on may depend on it.
    decides: bool,
    /// It might touch other bytes the next time, or in another way.
    varies: bool,
    /// The thread might have stopped before it, but was to go on once more (see `glances`).
    forgiven: bool,
    /// An attempt that succeeded.
    attempt: Option<Op>,
}

#[derive(Clone, Copy, Debug)]
struct Read {
    what: What,
    at: u32,
    /// It is what the event was for, and not the memory of an object that it used.
    meant: bool,
}

impl Read {
    fn is_of_memory(&self) -> bool {
        matches!(self.what, What::Bytes(_))
    }

    /// Whether this is something of what it read.
    fn is_of(&self, changed: &What) -> bool {
        match (&self.what, changed) {
            (What::Bytes(read), What::Bytes(write)) => read.overlaps(write),
            (What::Object(seen), What::Object(object)) => seen == object,
            _ => false,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Bytes(Access),
    Object(Object),
}

/// An object is acquired, or released.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    pub object: Object,
    pub acquired: bool,
}

/// What of a window may become part of an iteration, counted from its first step.
struct Repeatable<'a> {
    /// Without the states, of which `again` says what there is to compare.
    steps: Vec<Step>,
    /// For each step, and for where the thread stands: when it was first like this.
    again: Vec<Option<usize>>,
    reads: &'a [Read],
    holds: &'a [Hold],
    held: Vec<(Object, Touch, usize)>,
    floor: usize,
    /// Nobody has noticed anything of which it is not known yet whether that counts.
    is_settled: bool,
}

/// So many visits are looked through before they are indexed.
const UNINDEXED: usize = 64;

impl Window {
    /// The last event before which the thread stood like this.
    fn last_visit(&mut self, visit: u64) -> Option<usize> {
        if self.steps.len() - self.indexed > UNINDEXED {
            let new = self.steps[self.indexed..].iter().zip(self.indexed as u32..);
            self.latest.extend(new.map(|(step, place)| (step.visit, place)));
            self.indexed = self.steps.len();
        }
        let new = self.steps[self.indexed..].iter().rposition(|step| step.visit == visit);
        let indexed = || self.latest.get(&visit).map(|place| *place as usize);
        new.map(|place| self.indexed + place).or_else(indexed)
    }

    /// Whether the thread has gone on once although it stood like this before.
    fn was_forgiven(&self, visit: u64) -> bool {
        self.steps.iter().any(|step| step.forgiven && step.visit == visit)
    }

    /// The thread has done something else.
    fn clear(&mut self) {
        self.steps.clear();
        self.reads.clear();
        self.holds.clear();
        self.held.clear();
        self.floor = 0;
        self.noticed.clear();
        self.attempted = None;
        self.arrived = 0;
        self.standing = Repeat::default();
        self.forgiven = false;
        if core::mem::take(&mut self.indexed) > 0 {
            self.latest.clear();
        }
    }

    /// What the iteration read.
    fn repeated(&self) -> &[Read] {
        let first = self.steps.len() - self.standing.iteration as usize;
        self.steps.get(first).map_or(&[], |step| &self.reads[step.first_read as usize..])
    }

    /// Whether the steps from `first` on have released what they have acquired, and
    /// nothing else, and nobody has noticed.
    fn leaves_nothing(&self, first: usize) -> bool {
        let mut held: Vec<Object> = Vec::new();
        let released = self.holds[self.steps[first].first_hold as usize..].iter().all(|hold| {
            if hold.acquired {
                held.push(hold.object);
                return true;
            }
            let own = held.iter().rposition(|object| *object == hold.object);
            own.map(|own| held.swap_remove(own)).is_some()
        });
        first >= self.floor as usize && released && held.is_empty()
    }

    /// The part of the window that may become part of an iteration: an iteration begins at
    /// a step before which the thread's state is known, and nothing before the first such
    /// step will ever matter again.
    fn repeatable(&self) -> Repeatable<'_> {
        let is_known = |step: &Step| step.visit != 0;
        let first = self.steps.iter().position(is_known).unwrap_or(self.steps.len());
        let begin = self.steps.get(first);
        let (read, hold) = begin.map_or((self.reads.len(), self.holds.len()), |step| {
            (step.first_read as usize, step.first_hold as usize)
        });
        let steps = &self.steps[first..];
        let seen = |visit: u64| steps.iter().position(|step| step.visit == visit);
        let since = |step: u32| (step as usize).checked_sub(first);
        Repeatable {
            steps: steps
                .iter()
                .map(|step| Step {
                    visit: 0,
                    first_read: step.first_read - read as u32,
                    first_hold: step.first_hold - hold as u32,
                    ..*step
                })
                .collect(),
            again: steps.iter().map(|step| step.visit).chain([self.arrived]).map(seen).collect(),
            reads: &self.reads[read..],
            holds: &self.holds[hold..],
            held: self
                .held
                .iter()
                .filter_map(|(object, touch, step)| Some((*object, *touch, since(*step)?)))
                .collect(),
            floor: since(self.floor).unwrap_or(0),
            is_settled: self.noticed.iter().all(|(_, step)| since(*step).is_none()),
        }
    }

    /// Where an iteration has begun that a visit would repeat.
    fn begun(&mut self, visit: u64) -> Option<usize> {
        let earlier = if visit == 0 { None } else { self.last_visit(visit) };
        earlier.filter(|first| self.leaves_nothing(*first))
    }

    /// Another thread's event touches an object.
    fn notice(&mut self, by: ThreadId, object: Object, touch: Touch) {
        let noticed =
            self.held.iter().filter(|(held, own, _)| *held == object && own.conflicts(touch));
        if let Some(step) = noticed.map(|(.., step)| *step).max() {
            self.noticed.push((by, step));
        }
    }

    /// What others have noticed they have noticed.
    fn settle(&mut self, by: impl Fn(ThreadId) -> bool) {
        let Self { noticed, floor, .. } = self;
        noticed.retain(|(thread, step)| {
            if by(*thread) {
                *floor = (*floor).max(step + 1);
            }
            !by(*thread)
        });
    }
}

/// Longer writes are kept as ranges.
const SPREAD: u64 = 256;

impl Awaits {
    /// Forgets everything but the memory it took.
    pub fn clear(&mut self) {
        let Self {
            now,
            threads,
            idle,
            changes,
            indexed,
            written,
            written_ranges,
            changed,
            watching,
            visits,
            rounds,
        } = self;
        *now = 0;
        visits.clear();
        rounds.clear();
        threads.iter_mut().for_each(Window::clear);
        *idle = 0;
        changes.clear();
        if core::mem::take(indexed) > 0 {
            written.clear();
            written_ranges.clear();
            changed.clear();
        }
        *watching = false;
    }

    /// The thread stands at its next event.
    pub fn arrive(
        &mut self,
        thread: ThreadId,
        site: SiteRef,
        local_state: Option<u64>,
        past: &Past<'_>,
        plan: &Plan,
    ) {
        self.watching |= local_state.is_some();
        let visit = local_state.map_or(0, |state| visit(site, state));
        let was_idle = self.window(thread).standing.idle;
        self.idle -= u32::from(was_idle);
        let window = &mut self.threads[thread.index()];
        window.arrived = visit;
        window.standing = Repeat::default();
        window.forgiven = false;
        window.settle(|_| true);
        if let Some(round) = self.repeats(thread, visit, past, plan) {
            let window = &mut self.threads[thread.index()];
            let Round { repeat, glances, stretches, .. } = round;
            (window.standing, window.glances, window.stretches) = (repeat, glances, stretches);
            self.idle += u32::from(repeat.idle);
        }
        let alone = self.standing(thread).iteration == 1;
        for window in self.threads.iter_mut().filter(|window| !window.noticed.is_empty()) {
            if alone {
                window.noticed.retain(|(by, _)| *by != thread);
            } else {
                window.settle(|by| by == thread);
            }
        }
    }

    /// What a thread that arrives like this would repeat, if it does nothing more. A patient
    /// search lets it go on once.
    fn repeats(
        &mut self,
        thread: ThreadId,
        visit: u64,
        past: &Past<'_>,
        plan: &Plan,
    ) -> Option<Round> {
        let window = &mut self.threads[thread.index()];
        let last = if visit == 0 { None } else { window.last_visit(visit) }?;
        let round = if window.leaves_nothing(last) {
            self.index_changes();
            self.round_of_its_own(thread, last, past)
        } else {
            self.round_with_others(thread, visit, past, &plan.repertoire)?
        };
        let window = &mut self.threads[thread.index()];
        window.forgiven = plan.patient && !window.was_forgiven(visit);
        (!window.forgiven).then_some(round)
    }

    fn round_of_its_own(&self, thread: ThreadId, first: usize, past: &Past<'_>) -> Round {
        let window = &self.threads[thread.index()];
        let (steps, reads) = (&window.steps[first..], &window.reads);
        let iteration = steps.len() as u32;
        let reads_of = |step: &Step| &reads[step.first_read as usize..];
        let idle = !reads_of(&steps[0]).iter().any(|read| self.changed_since(thread, read));
        let chosen = steps.iter().any(|step| step.chosen);
        let all = reads_of(&steps[0]);
        // What decides touches the same in each round, if it does not vary itself.
        let decision = steps.iter().position(|step| step.decides);
        let behind = decision.and_then(|at| steps.get(at + usize::from(!steps[at].varies)));
        let behind = behind.map_or(&[][..], reads_of);
        // An object that the thread uses more than once in a round it uses in the beginning.
        let before = &all[..all.len() - behind.len()];
        let is_glance = |read: &&Read| {
            let again = || before.iter().any(|earlier| earlier.what == read.what);
            read.is_of_memory() && (read.meant || !again())
        };
        let glances = behind.iter().filter(is_glance).map(|read| read.at - 1);
        let mut own = past.events.iter().rev().filter(|event| event.thread == thread);
        let since = own.nth(steps.len() - 1).map_or(0, |event| event.ordinal);
        Round {
            repeat: Repeat { iteration, idle, chosen },
            glances: glances.collect(),
            stretches: alloc::vec![Stretch { thread, since, events: iteration }],
        }
    }

    /// If all is as it was when the thread stood here before.
    fn round_with_others(
        &mut self,
        thread: ThreadId,
        visit: u64,
        past: &Past<'_>,
        repertoire: &Repertoire,
    ) -> Option<Round> {
        let Self { threads, visits, rounds, .. } = self;
        let window = &threads[thread.index()];
        let visited = window.steps.iter().map(|step| step.visit).enumerate().rev();
        let earlier = visited.filter(|(_, other)| *other == visit);
        let mut ago = earlier.map(|(place, _)| window.steps.len() - place);
        let stood = |thread: ThreadId, before: Option<u32>| match before {
            Some(event) => visits[event as usize],
            None => threads[thread.index()].arrived,
        };
        let round = |ago| Some((ago, rounds.between(thread, ago, past, repertoire, stood)?));
        let (ago, between) = ago.find_map(round)?;
        let mut stretches: Vec<Stretch> = Vec::new();
        for event in between.iter().map(|event| &past.events[*event as usize]) {
            match stretches.iter_mut().find(|stretch| stretch.thread == event.thread) {
                Some(stretch) => stretch.events += 1,
                None => {
                    let (thread, since) = (event.thread, event.ordinal);
                    stretches.push(Stretch { thread, since, events: 1 });
                }
            }
        }
        let repeat = Repeat { iteration: ago as u32, ..Repeat::default() };
        Some(Round { repeat, glances: between, stretches })
    }

    /// If the thread would repeat an iteration by arriving like this: how many events that
    /// has.
    pub fn would_repeat(
        &mut self,
        thread: ThreadId,
        site: SiteRef,
        local_state: u64,
    ) -> Option<u32> {
        let window = self.window(thread);
        window.settle(|_| true);
        let first = window.begun(visit(site, local_state))?;
        let window = &self.threads[thread.index()];
        let reads = &window.reads[window.steps[first].first_read as usize..];
        (!self.has_seen_change(thread, reads)).then(|| (window.steps.len() - first) as u32)
    }

    /// Whether the thread has attempted something in vain, and may be about to do so again.
    pub fn has_attempted(&self, thread: ThreadId) -> bool {
        self.threads.get(thread.index()).is_some_and(|window| window.attempted.is_some())
    }

    /// Whether its last event was such an attempt.
    pub fn has_just_attempted(&self, thread: ThreadId) -> bool {
        let window = self.threads.get(thread.index());
        window.is_some_and(|window| window.attempted == Some(window.steps.len() as u32))
    }

    #[inline]
    pub fn standing(&self, thread: ThreadId) -> Repeat {
        self.threads.get(thread.index()).map_or(Repeat::default(), |window| window.standing)
    }

    /// Whether two threads have come to where they stand in the same way, as far as that
    /// decides when they will be seen to repeat themselves: since they last left something
    /// behind they have read the same, of which the same has been changed, and have been in
    /// the same state as before at the same times. (What is compared across threads is never
    /// a state itself: that has addresses in it.)
    pub fn are_alike(&self, a: ThreadId, b: ThreadId) -> bool {
        let none = Window::default();
        let window = |thread: ThreadId| self.threads.get(thread.index()).unwrap_or(&none);
        let (x, y) = (window(a).repeatable(), window(b).repeatable());
        let same_reads = || {
            x.reads.iter().zip(y.reads).all(|(x, y)| {
                x.what == y.what
                    && x.meant == y.meant
                    && self.has_changed_since(a, x) == self.has_changed_since(b, y)
            })
        };
        window(a).standing == window(b).standing
            && window(a).forgiven == window(b).forgiven
            && x.steps == y.steps
            && x.again == y.again
            && x.reads.len() == y.reads.len()
            && x.holds == y.holds
            && x.held == y.held
            && x.floor == y.floor
            && x.is_settled
            && y.is_settled
            && same_reads()
    }

    /// As [`Awaits::changed_since`], by looking through what was changed.
    fn has_changed_since(&self, thread: ThreadId, read: &Read) -> bool {
        let later = self.changes.iter().rev().take_while(|change| change.at > read.at);
        later.filter(|change| change.by != thread).any(|change| read.is_of(&change.what))
    }

    /// Whether another thread has written, after so many events, what these accesses read.
    pub fn has_changed(&self, thread: ThreadId, since: u32, accesses: &[Access]) -> bool {
        let reads = accesses.iter().filter(|access| access.kind.reads());
        let mut reads = reads.map(|read| Read { what: What::Bytes(*read), at: since, meant: true });
        reads.any(|read| self.has_changed_since(thread, &read))
    }

    /// The glances of iterations that are not repeated.
    pub fn glances(&self) -> impl Iterator<Item = u32> + '_ {
        let cut = |window: &&Window| window.standing.iteration > 0;
        self.threads.iter().filter(cut).flat_map(|window| window.glances.iter().copied())
    }

    /// The same of one thread.
    pub fn glances_of(&self, thread: ThreadId) -> &[u32] {
        let window = self.threads.get(thread.index());
        let standing = window.filter(|window| window.standing.iteration > 0);
        standing.map_or(&[], |window| &window.glances)
    }

    /// What a thread that stands would repeat: its own events, and those of others that would
    /// be removed with them.
    pub fn repeated(&self, thread: ThreadId) -> &[Stretch] {
        let window = self.threads.get(thread.index());
        let standing = window.filter(|window| window.standing.iteration > 0);
        standing.map_or(&[], |window| &window.stretches)
    }

    /// What the iteration has attempted and got, as if it had waited for it.
    pub fn attempts(&self, thread: ThreadId) -> impl Iterator<Item = Op> + '_ {
        let window = self.threads.get(thread.index());
        let iteration = self.standing(thread).iteration as usize;
        let steps = window.map_or(&[][..], |w| &w.steps[w.steps.len() - iteration..]);
        steps.iter().filter_map(|step| step.attempt)
    }

    /// The address of something that the thread waits for, to be named.
    pub fn wanted(&self, thread: ThreadId) -> Option<u64> {
        let repeated = self.threads.get(thread.index())?.repeated();
        let read = repeated.iter().find(|read| read.meant).or(repeated.first())?;
        match read.what {
            What::Bytes(access) => Some(access.addr),
            What::Object(object) => object.triable(),
        }
    }

    /// An event happens. `environs`: if it is a choice, it is not the program's own.
    /// Whether it changes what a thread waits for that idles.
    pub fn perform(&mut self, event: &Event, accesses: &[Access], environs: bool) -> bool {
        let idle = self.idle;
        self.now += 1;
        let now = self.now;
        let watching = self.watching;
        let thread = event.thread;
        if watching {
            for write in accesses.iter().filter(|access| access.kind.writes()) {
                self.note(What::Bytes(*write), thread);
            }
            for (object, touch) in touches(&event.op, event.outcome).into_iter().flatten() {
                let others = self.threads.iter_mut().enumerate();
                let others = others.filter(|(number, _)| *number != thread.index());
                others.for_each(|(_, window)| window.notice(thread, object, touch));
                if touch != Touch::Looks {
                    self.note(What::Object(object), thread);
                }
            }
        }
        let wakes = self.idle < idle;
        let was_idle = core::mem::take(&mut self.window(thread).standing).idle;
        self.idle -= u32::from(was_idle);
        let window = &mut self.threads[thread.index()];
        let visit = core::mem::take(&mut window.arrived);
        let forgiven = core::mem::take(&mut window.forgiven);
        self.visits.push(visit);
        if watching && leaves_nothing(event, accesses) {
            let step = window.steps.len() as u32;
            if event.outcome == Outcome::Acquired(false) {
                window.attempted = Some(step + 1);
            }
            window.steps.push(Step {
                visit,
                first_read: window.reads.len() as u32,
                first_hold: window.holds.len() as u32,
                chosen: matches!(event.op, Op::Choose { .. }) && !environs,
                decides: decides(event),
                varies: varies(event, accesses),
                forgiven,
                attempt: waiting(event),
            });
            let loads = event.op == Op::Access;
            let bytes = accesses.iter().map(|access| (What::Bytes(*access), loads));
            let objects = seen(event).map(|object| (What::Object(object), true));
            let reads = bytes.chain(objects);
            window.reads.extend(reads.map(|(what, meant)| Read { what, at: now, meant }));
            for hold in holds(event).into_iter().flatten() {
                window.holds.push(hold);
                if hold.acquired {
                    window.held.push((hold.object, holding(event, hold.object), step));
                } else {
                    let own = window.held.iter().rposition(|(held, ..)| *held == hold.object);
                    own.map(|own| window.held.swap_remove(own));
                }
            }
        } else {
            window.clear();
        }
        wakes
    }

    fn window(&mut self, thread: ThreadId) -> &mut Window {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Window::default);
        }
        &mut self.threads[thread.index()]
    }

    /// These bytes or this object are changed now.
    fn note(&mut self, what: What, by: ThreadId) {
        self.changes.push(Change { what, at: self.now, by });
        if self.idle > 0 {
            self.end_idling(&what);
        }
    }

    /// Lets go the threads whose iteration has read something of this. A thread does not
    /// let itself go: it does nothing while it idles.
    fn end_idling(&mut self, changed: &What) {
        for window in self.threads.iter_mut().filter(|window| window.standing.idle) {
            if window.repeated().iter().any(|read| read.is_of(changed)) {
                window.standing.idle = false;
                self.idle -= 1;
            }
        }
    }

    /// Brings the tables up to date.
    fn index_changes(&mut self) {
        for Change { what, at, by } in self.changes[self.indexed..].iter().copied() {
            match what {
                What::Object(object) => {
                    let new = Changed { last: at, by, by_others: 0 };
                    let changed = self.changed.entry(object).or_insert(new);
                    if changed.by != by {
                        (changed.by, changed.by_others) = (by, changed.last);
                    }
                    changed.last = at;
                }
                What::Bytes(write) if write.len > SPREAD => self.written_ranges.push((write, at)),
                What::Bytes(write) => {
                    for addr in write.addr..write.end() {
                        self.written.entry(addr / 8).or_default()[(addr % 8) as usize] = at;
                    }
                }
            }
        }
        self.indexed = self.changes.len();
    }

    /// Whether somebody else has changed what an iteration has read before its end, and it
    /// has read that too.
    fn has_seen_change(&self, thread: ThreadId, reads: &[Read]) -> bool {
        let (Some(first), Some(last)) = (reads.first(), reads.last()) else { return false };
        let later = self.changes.iter().rev().take_while(|change| change.at > first.at);
        let mut within = later.filter(|change| change.at < last.at && change.by != thread);
        within.any(|change| {
            let (before, behind) = reads.split_at(reads.partition_point(|r| r.at < change.at));
            let concerns = |reads: &[Read]| reads.iter().any(|read| read.is_of(&change.what));
            concerns(before) && concerns(behind)
        })
    }

    /// Whether somebody else has changed what the thread has read.
    fn changed_since(&self, thread: ThreadId, read: &Read) -> bool {
        match &read.what {
            What::Object(object) => self.changed.get(object).is_some_and(|changes| {
                let at = if changes.by == thread { changes.by_others } else { changes.last };
                at > read.at
            }),
            // The thread itself writes nothing without leaving its window.
            What::Bytes(access) => {
                let spread = (access.addr..access.end()).any(|addr| {
                    let bytes = self.written.get(&(addr / 8));
                    bytes.is_some_and(|at| at[(addr % 8) as usize] > read.at)
                });
                let ranges = &self.written_ranges;
                spread || ranges.iter().any(|(write, at)| *at > read.at && write.overlaps(access))
            }
        }
    }
}

/// A digest of where a thread stands, and with which local state.
fn visit(site: SiteRef, local_state: u64) -> u64 {
    let mut digest = Digest::default();
    digest.add(site.0);
    digest.add(local_state);
    digest.finish()
}

/// Whether an event may be part of an iteration.
pub fn leaves_nothing(event: &Event, accesses: &[Access]) -> bool {
    let op = match event.op {
        Op::Access
        | Op::Fence(_)
        | Op::FutexDiffers { .. }
        | Op::SemValue { .. }
        | Op::TryLock { .. }
        | Op::TryReadLock { .. }
        | Op::TryWriteLock { .. }
        | Op::SemTryWait { .. }
        | Op::ReadLock { .. }
        | Op::WriteLock { .. }
        | Op::SemWait { .. }
        | Op::FutexWait { .. }
        | Op::Choose { .. } => true,
        Op::Lock { .. } => event.outcome != Outcome::Acquired(false),
        Op::Unlock { .. } | Op::RwUnlock { .. } | Op::SemPost { .. } | Op::Wait { .. } => {
            event.outcome != Outcome::Released(false)
        }
        Op::Unwait { .. } | Op::FutexLeave { .. } => event.outcome == Outcome::Left(true),
        _ => false,
    };
    op && accesses.iter().all(|access| !access.kind.writes())
}

/// Whether a thread may go on in another way because of how this event of an iteration came
/// out.
fn decides(event: &Event) -> bool {
    let waits = matches!(event.op, Op::Lock { .. } | Op::ReadLock { .. } | Op::WriteLock { .. });
    let passes = matches!(event.op, Op::Unlock { .. } | Op::RwUnlock { .. } | Op::Fence(_));
    let failed = event.outcome == Outcome::Acquired(false);
    !passes && (failed || !waits)
}

/// Whether an event of an iteration might touch other bytes the next time, or only read where
/// it has put back what it found.
fn varies(event: &Event, accesses: &[Access]) -> bool {
    let keeps = || accesses.iter().any(|access| access.kind.modifies());
    matches!(event.varies, Varies::Somehow(_)) || keeps()
}

/// What an event of an iteration acquires and releases.
pub fn holds(event: &Event) -> [Option<Hold>; 2] {
    let acquired = |object| Some(Hold { object, acquired: true });
    let released = |object| Some(Hold { object, acquired: false });
    if event.outcome == Outcome::Acquired(false) {
        return [None, None];
    }
    match event.op {
        Op::Lock { mutex, .. } | Op::TryLock { mutex, .. } => {
            [acquired(Object::Mutex(mutex)), None]
        }
        Op::Unlock { mutex } => [released(Object::Mutex(mutex)), None],
        Op::ReadLock { rwlock }
        | Op::TryReadLock { rwlock }
        | Op::WriteLock { rwlock }
        | Op::TryWriteLock { rwlock } => [acquired(Object::RwLock(rwlock)), None],
        Op::RwUnlock { rwlock } => [released(Object::RwLock(rwlock)), None],
        Op::SemWait { sem } | Op::SemTryWait { sem } => [acquired(Object::Sem(sem)), None],
        Op::SemPost { sem } => [released(Object::Sem(sem)), None],
        // Who waits is found by signals until it leaves.
        Op::Wait { cond, mutex } => [released(Object::Mutex(mutex)), acquired(Object::Cond(cond))],
        Op::Unwait { cond } => [released(Object::Cond(cond)), None],
        Op::FutexWait { futex, .. } => [acquired(Object::Futex(futex)), None],
        Op::FutexLeave { futex } => [released(Object::Futex(futex)), None],
        _ => [None, None],
    }
}

/// How an object is touched as long as the event's thread has it: what conflicts with
/// that, notices it. It conflicts with the acquisition and with the release, so whether
/// it lies between the two is a matter of the trace.
fn holding(event: &Event, object: Object) -> Touch {
    let touches = touches(&event.op, event.outcome);
    let own = touches.iter().flatten().find(|(touched, _)| *touched == object);
    match (object, own) {
        // A post conflicts with a wait but not with the post that undoes it.
        (Object::Sem(_), _) => Touch::Quiet,
        (_, Some((_, touch))) => *touch,
        _ => Touch::Changes,
    }
}

/// The operation that waits for what the event attempted and got.
fn waiting(event: &Event) -> Option<Op> {
    let got = event.outcome == Outcome::Acquired(true);
    Some(match event.op {
        Op::TryLock { mutex, kind } => Op::Lock { mutex, kind },
        Op::TryReadLock { rwlock } => Op::ReadLock { rwlock },
        Op::TryWriteLock { rwlock } => Op::WriteLock { rwlock },
        Op::SemTryWait { sem } => Op::SemWait { sem },
        _ => return None,
    })
    .filter(|_| got)
}

/// The objects whose state an event of an iteration has seen: those that it attempted in
/// vain.
pub fn seen(event: &Event) -> impl Iterator<Item = Object> + use<> {
    let looks = match event.op {
        Op::SemValue { .. } | Op::FutexDiffers { .. } => touches(&event.op, event.outcome),
        _ if event.outcome == Outcome::Acquired(false) => touches(&event.op, event.outcome),
        _ => [None, None],
    };
    looks.into_iter().flatten().map(|(object, _)| object)
}

/// Whether an event lets another thread go on that idles and has read what `read`, an
/// event of its iteration, did.
pub fn ends_wait(read: &Event, reads: &[Access], event: &Event, accesses: &[Access]) -> bool {
    let writes =
        |access: &Access| access.kind.writes() && reads.iter().any(|read| read.overlaps(access));
    let changes = |(object, touch): &(Object, Touch)| {
        *touch != Touch::Looks && seen(read).any(|seen| seen == *object)
    };
    read.thread != event.thread
        && (accesses.iter().any(writes)
            || touches(&event.op, event.outcome).iter().flatten().any(changes))
}

/// Whether an awaited event can be the operation itself, or has to come before it: a
/// thread does not wait for two things at once.
pub fn waits_apart(op: &Op) -> bool {
    !matches!(
        op,
        Op::Access
            | Op::Fence(_)
            | Op::TryLock { .. }
            | Op::TryReadLock { .. }
            | Op::TryWriteLock { .. }
            | Op::SemTryWait { .. }
            | Op::SemValue { .. }
            | Op::FutexWait { .. }
            | Op::FutexDiffers { .. }
    )
}
