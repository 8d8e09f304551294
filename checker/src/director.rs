//! The director says whose turn it is, in the process that executes.
//!
//! It repeats the plan's steps, then takes those whom the plan prefers, then stays
//! with the running thread as long as that can go on (so that counterexamples have
//! few switches), then takes the first thread that can. It keeps everything that decides who *can*:
//! the synchronisation state, the awaits and the sleep set.
//!
//! No thread stays for more than [`STINT`] events if another one can go on: one that never ends
//! would keep the others from showing anything before the limit of steps. Any continuation will
//! do for the searches, if it depends on the events before alone.

use crate::{
    Compare, Limits, Past, Plan, PlannedStep, Sleeper,
    awaits::{Awaits, Repeat, Stretch, waits_apart},
    dependence::sleeps_on,
    exchange::Swap,
    fingerprint,
    plan::{Digest, op_words},
    sync::{SyncState, exit_is_due},
};
use alloc::{rc::Rc, vec::Vec};
use core::ops::Range;
use leno_model::{Access, End, Event, Op, Outcome, SiteRef, Step, ThreadId, Varies};

/// A thread reaches its next event.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    pub thread: ThreadId,
    pub ordinal: u32,
    pub site: SiteRef,
    pub op: Op,
    pub accesses: &'a [Access],
    /// A digest of all that decides what the thread does next, besides shared
    /// memory. None: not known; then the thread never awaits.
    pub local_state: Option<u64>,
    /// The operation may block, and does so with a timeout. That the timeout fires
    /// is another choice of a `Choose` before it, so here it does not fire. Of a `Choose`:
    /// it is of that kind, and not the program's own.
    pub timed: bool,
    /// If it is an await, it ends by itself, because the loop looks at the clock. That it
    /// does is another choice of a `Choose` before it.
    pub clocked: bool,
    /// A semaphore that also ends the wait when it is posted: the thread's
    /// cancellation. That it is waited for instead is another choice too.
    pub cancel: Option<u64>,
    /// The same for a signal, whose handler interrupts the wait.
    pub signal: Option<u64>,
    /// Whether the accesses depend on what is found when the event happens.
    pub varies: Varies,
}

/// What a thread that has reached an event stands at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stands {
    AtIt,
    /// At an `Op::Await` that comes before it, and that never happens.
    BeforeIt,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    Run(ThreadId),
    /// Threads are to be compared first: see [`Director::to_compare`].
    Compare,
    Over(End),
}

/// A thread that stands at an event, for [`leno_model::Pending`].
#[derive(Clone, Copy, Debug)]
pub struct PendingView<'a> {
    pub thread: ThreadId,
    pub ordinal: u32,
    pub site: SiteRef,
    pub op: Op,
    pub accesses: &'a [Access],
    pub awaiting: bool,
    pub iteration: u32,
    pub timed: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Status {
    /// Not created, or created and not yet at its first event, or in the private
    /// code behind an event.
    #[default]
    Away,
    Standing,
    Failed,
    /// It assumed something that does not hold, or went round a loop too often.
    Refuted,
    Ended,
}

#[derive(Clone, Debug)]
struct Thread {
    status: Status,
    ordinal: u32,
    site: SiteRef,
    op: Op,
    accesses: Vec<Access>,
    timed: bool,
    cancel: Option<u64>,
    signal: Option<u64>,
    varies: Varies,
    found: Option<u64>,
}

impl Default for Thread {
    fn default() -> Self {
        let (status, site) = (Status::Away, SiteRef(0));
        let (op, accesses) = (Op::Access, Vec::new());
        let (cancel, signal) = (None, None);
        let (varies, found) = (Varies::Never, None);
        let (ordinal, timed) = (0, false);
        Self { status, ordinal, site, op, accesses, timed, cancel, signal, varies, found }
    }
}

/// How many events of one thread may come in a row while others can go on. Few programs have
/// so many, and where one does not end, the others have their turn long before the default
/// limit of steps.
const STINT: u32 = 1000;

#[derive(Clone, Default, Debug)]
pub struct Director {
    plan: Rc<Plan>,
    /// Who of the plan's sleepers still sleeps.
    asleep: Vec<u32>,
    /// Whom the plan prefers and who has not gone on yet.
    prefer: Vec<ThreadId>,
    limits: Limits,
    sync: SyncState,
    awaits: Awaits,
    threads: Vec<Thread>,
    /// Events so far, which is also the place in the plan.
    steps: usize,
    /// Whose event was the last, and how many of this thread's came in a row.
    last: Option<ThreadId>,
    stint: u32,
    diverged: Option<u32>,
    /// Of the threads that were refuted, one has assumed what does not hold, or one was
    /// in this loop, or has done without an event for too long.
    assumed: bool,
    awaited: bool,
    unrolled: SiteRef,
    stopped: bool,
    /// The step before which threads were compared last, counted from 1, and whether they
    /// were found to be symmetric.
    compared: usize,
    symmetric: Option<End>,
    /// Who would go on by itself.
    candidate: Option<ThreadId>,
    /// For `perform`.
    footprint: Vec<Access>,
}

impl Director {
    /// An execution is about to begin; the main thread has not arrived yet.
    pub fn new(plan: Plan, limits: Limits) -> Self {
        let mut director = Self::default();
        director.begin(Rc::new(plan), limits);
        director
    }

    /// The same again, in the memory of the execution before.
    pub fn begin(&mut self, plan: Rc<Plan>, limits: Limits) {
        self.asleep.clear();
        self.asleep.extend(0..plan.sleep.len() as u32);
        self.prefer.clone_from(&plan.prefer);
        self.plan = plan;
        self.limits = limits;
        self.sync.clear();
        self.awaits.clear();
        self.threads.iter_mut().for_each(|thread| thread.status = Status::Away);
        self.steps = 0;
        (self.last, self.stint) = (None, 0);
        self.diverged = None;
        self.assumed = false;
        self.awaited = false;
        self.stopped = false;
        self.unrolled = SiteRef(0);
        self.compared = 0;
        self.symmetric = None;
    }

    /// The thread stands at its next event. All that has happened so far is in `past`.
    pub fn arrive(&mut self, at: Arrival<'_>, past: Past<'_>) -> Stands {
        let thread = self.thread(at.thread);
        thread.status = Status::Standing;
        thread.ordinal = at.ordinal;
        thread.site = at.site;
        thread.op = at.op;
        thread.timed = at.timed;
        (thread.cancel, thread.signal) = (at.cancel, at.signal);
        (thread.varies, thread.found) = (at.varies, None);
        thread.accesses.clear();
        thread.accesses.extend_from_slice(at.accesses);
        let local_state = at.local_state.map(|state| visit(state, &at.op, at.accesses));
        let Self { awaits, plan, .. } = self;
        awaits.arrive(at.thread, at.site, local_state, &past, plan);
        let Repeat { iteration, idle, .. } = self.awaits.standing(at.thread);
        let repeats = iteration != 0;
        self.awaited |= repeats && !idle;
        let thread = self.thread(at.thread);
        if repeats && !idle {
            thread.status = Status::Refuted;
        }
        if !repeats || !waits_apart(&at.op) {
            thread.timed |= repeats && at.clocked;
            return Stands::AtIt;
        }
        (thread.op, thread.timed) = (Op::Await, at.clocked);
        (thread.cancel, thread.signal) = (None, None);
        thread.varies = Varies::Never;
        thread.accesses.clear();
        Stands::BeforeIt
    }

    /// If the thread would repeat an iteration by arriving like this: how many events that
    /// has.
    pub fn would_repeat(
        &mut self,
        thread: ThreadId,
        site: SiteRef,
        op: &Op,
        accesses: &[Access],
        local_state: u64,
    ) -> Option<u32> {
        self.awaits.would_repeat(thread, site, visit(local_state, op, accesses))
    }

    /// Whether the thread may be in a round of attempts, so that it matters where it stands
    /// when it gives something back.
    pub fn may_go_round(&self, thread: ThreadId) -> bool {
        self.awaits.has_attempted(thread)
    }

    /// Whether the thread's last event was an attempt in vain.
    pub fn has_just_attempted(&self, thread: ThreadId) -> bool {
        self.awaits.has_just_attempted(thread)
    }

    /// Whose event happens next. `running` is the thread whose event was the last.
    pub fn decide(&mut self, running: ThreadId) -> Decision {
        if let Some(at) = self.diverged {
            return Decision::Over(End::Diverged { at });
        }
        if let Some(end) = self.symmetric {
            return Decision::Over(end);
        }
        if let Some(planned) = self.plan.steps.get(self.steps) {
            let thread = planned.step.thread;
            let is_last = self.steps + 1 == self.plan.steps.len();
            return if !self.can_go_on(thread) {
                Decision::Over(if is_last && self.plan.tentative {
                    End::Disabled
                } else {
                    End::Diverged { at: self.steps as u32 }
                })
            } else if is_last && !self.has_compared() && self.to_compare().is_some() {
                Decision::Compare
            } else {
                Decision::Run(thread)
            };
        }
        if self.limits.max_steps != 0 && self.steps as u64 >= self.limits.max_steps {
            return Decision::Over(End::Bounded);
        }
        let count = self.threads.len() as u32;
        let stays = self.last != Some(running) || self.stint < STINT;
        // If it does not stay, those behind it have their turn first.
        let from = if stays { 0 } else { running.0 + 1 };
        let others = (from..count).chain(0..from.min(count)).map(ThreadId);
        let preferred = self.prefer.iter().copied();
        let mut asleep = false;
        for thread in preferred.chain(stays.then_some(running)).chain(others) {
            if self.can_go_on(thread) {
                let sleeper = |place: &u32| &self.plan.sleep[*place as usize].event;
                if !self.asleep.iter().any(|place| sleeper(place).thread == thread) {
                    self.candidate = Some(thread);
                    let asks = self.plan.symmetry && !self.asleep.is_empty();
                    let compares = asks && !self.has_compared() && self.to_compare().is_some();
                    return if compares { Decision::Compare } else { Decision::Run(thread) };
                }
                asleep = true;
            }
        }
        Decision::Over(if asleep { End::Asleep } else { self.end() })
    }

    /// The thread that is to be compared, and with whom, in the state as it is. The answer
    /// goes to [`Director::compared`].
    pub fn to_compare(&self) -> Option<(ThreadId, Vec<ThreadId>)> {
        let Some(PlannedStep { step, .. }) = self.plan.steps.get(self.steps) else {
            let candidate = self.candidate?;
            let at = self.threads.get(candidate.index())?;
            let sleepers = self.asleep.iter().map(|place| &self.plan.sleep[*place as usize]);
            // At the same event at least: that is soon seen, and rules most of them out.
            let alike = |thread: &ThreadId| {
                let asleep = &self.threads[thread.index()];
                asleep.op == at.op && asleep.accesses == at.accesses
            };
            let asleep = sleepers.map(|sleeper| sleeper.event.thread).filter(alike);
            let asleep: Vec<ThreadId> = asleep.collect();
            return (!asleep.is_empty()).then_some((candidate, asleep));
        };
        match &self.plan.compare {
            Compare::Nothing => None,
            Compare::Taker(others) => Some((step.thread, others.clone())),
            Compare::Chosen => {
                let op = self.threads.get(step.thread.index())?.op;
                let mut chosen = self.sync.chosen(step.thread, &op, step.choice);
                chosen.pop().map(|thread| (thread, chosen))
            }
        }
    }

    fn has_compared(&self) -> bool {
        self.compared == self.steps + 1
    }

    /// To whom of those, and at which place among them, the thread is symmetric.
    pub fn compared(&mut self, thread: ThreadId, to: Option<(usize, ThreadId)>) {
        self.compared = self.steps + 1;
        self.symmetric = to.map(|(place, to)| End::Symmetric { thread, to, place: place as u32 });
    }

    /// The operation of a thread that was told to run turns out to be another one: what
    /// it depends on in memory is known only now.
    pub fn settle(&mut self, thread: ThreadId, op: Op) {
        self.thread(thread).op = op;
    }

    /// What the thread that was told to run finds where its single access goes.
    pub fn finds(&mut self, thread: ThreadId, found: Option<u64>) {
        self.thread(thread).found = found;
    }

    /// The event of a thread that was told to run happens, with these accesses.
    pub fn perform(&mut self, thread: ThreadId, accesses: &[Access], first_access: u32) -> Event {
        let at = &self.threads[thread.index()];
        debug_assert_eq!(at.status, Status::Standing, "a thread acts where it stands");
        let (ordinal, site, timed) = (at.ordinal, at.site, at.timed);
        let mut op = at.op;
        self.sync.settle(thread, &mut op);
        let choices = self.sync.choices(thread, &op);
        let planned = self.plan.steps.get(self.steps).copied();
        let wanted = planned.map_or(0, |planned| planned.step.choice);
        let choice = wanted.min(choices - 1);
        let mut event = Event {
            thread,
            ordinal,
            site,
            op,
            outcome: Outcome::Done,
            choice,
            choices,
            first_access,
            access_count: accesses.len() as u32,
            varies: at.varies,
            found: at.found,
        };
        // Most events have none, and a copy would wait for it.
        if op != Op::Access {
            event.outcome = self.sync.apply(thread, &op, choice);
        }
        if let Some(planned) = planned {
            let changed =
                planned.fingerprint != 0 && planned.fingerprint != fingerprint(&event, accesses);
            if changed || wanted != choice || planned.step.thread != thread {
                self.diverged.get_or_insert(self.steps as u32);
            }
        }
        self.steps += 1;
        self.stint = if self.last == Some(thread) { self.stint.saturating_add(1) } else { 1 };
        self.last = Some(thread);
        // The plan's sleep set is that of the state before the plan's last step.
        if self.steps >= self.plan.steps.len() && !self.asleep.is_empty() {
            let Self { plan, asleep, footprint, .. } = self;
            footprint.clear();
            footprint.extend_from_slice(accesses);
            footprint.extend_from_slice(plan.repertoire.of(&event, accesses));
            asleep.retain(|place| {
                let Sleeper { event: sleeper, accesses } = &plan.sleep[*place as usize];
                sleeps_on(sleeper, accesses, &event, footprint)
            });
        }
        if self.steps > self.plan.steps.len() && !self.prefer.is_empty() {
            self.prefer.retain(|preferred| *preferred != thread);
        }
        if self.awaits.perform(&event, accesses, timed) {
            for (number, at) in self.threads.iter_mut().enumerate() {
                let standing = self.awaits.standing(ThreadId(number as u32));
                if at.status == Status::Standing && standing.iteration != 0 && !standing.idle {
                    at.status = Status::Refuted;
                    self.awaited = true;
                }
            }
        }
        let ended = op == Op::End;
        self.thread(thread).status = if ended { Status::Ended } else { Status::Away };
        event
    }

    /// The thread has failed: it does nothing more and keeps what it holds.
    pub fn fail(&mut self, thread: ThreadId) {
        self.thread(thread).status = Status::Failed;
    }

    /// The thread has assumed something that does not hold. It does nothing more;
    /// the others go on, because what they do could have happened before, and then
    /// the execution ends as [`End::Assumed`]. Ending it at once would not do: an
    /// execution that is not maximal hides the races of those who never ran.
    pub fn refute(&mut self, thread: ThreadId) {
        self.thread(thread).status = Status::Refuted;
        self.assumed = true;
    }

    /// The thread is in a loop that may not go round again: as if it had assumed that it
    /// does not.
    pub fn bound(&mut self, thread: ThreadId, site: SiteRef) {
        self.thread(thread).status = Status::Refuted;
        self.unrolled = site;
    }

    /// The thread goes on without an event for longer than the limit of steps allows.
    pub fn stop(&mut self, thread: ThreadId) {
        self.thread(thread).status = Status::Refuted;
        self.stopped = true;
    }

    /// Whether a thread does nothing more although it has not come to its end.
    pub fn has_cut(&self) -> bool {
        let cut = |at: &Thread| matches!(at.status, Status::Refuted | Status::Failed);
        self.threads.iter().any(cut)
    }

    /// What a thread stands at.
    pub fn standing(&self, thread: ThreadId) -> Option<(SiteRef, Op)> {
        let at = self.threads.get(thread.index())?;
        (at.status == Status::Standing).then_some((at.site, at.op))
    }

    /// Whether a thread's event can happen now.
    pub fn is_enabled(&self, thread: ThreadId) -> bool {
        self.can_go_on(thread)
    }

    /// The memory was freed; synchronisation objects in it are no more, when these events have
    /// happened too.
    pub fn forget(&mut self, range: &Range<u64>) -> Vec<(u64, Op)> {
        self.sync.forget(range);
        self.sync.remains(range)
    }

    /// The threads that stand at an event.
    pub fn pending(&self) -> impl Iterator<Item = PendingView<'_>> {
        self.threads.iter().enumerate().filter(|(_, t)| t.status == Status::Standing).map(
            |(number, at)| {
                let thread = ThreadId(number as u32);
                let Repeat { iteration, idle, .. } = self.awaits.standing(thread);
                PendingView {
                    thread,
                    ordinal: at.ordinal,
                    site: at.site,
                    op: at.op,
                    accesses: &at.accesses,
                    awaiting: idle,
                    iteration,
                    timed: self.gives_up(at),
                }
            },
        )
    }

    /// What tells two threads apart that stand at an event each, besides their own memory:
    /// what they stand at and wait for, what they hold, who waits for what.
    pub fn told_apart(&self, swap: &Swap<'_>) -> Option<Apart> {
        let at = |thread: ThreadId| {
            self.threads.get(thread.index()).filter(|at| at.status == Status::Standing)
        };
        let (a, b) = swap.threads;
        let (Some(first), Some(second)) = (at(a), at(b)) else { return Some(Apart::Event) };
        let to = |addr: u64| (swap.address)(addr);
        let accesses = |of: &Thread| -> Vec<Access> {
            of.accesses.iter().map(|access| Access { addr: to(access.addr), ..*access }).collect()
        };
        let leaves = matches!(first.op, Op::BarrierLeave { .. });
        let alike = operation_after(&first.op, swap) == operation(&second.op)
            && accesses(first) == second.accesses
            && first.timed == second.timed
            && first.varies == second.varies
            && first.cancel.map(to) == second.cancel
            && (!leaves || self.sync.leave_alike(a, b));
        if !alike {
            return Some(Apart::Event);
        }
        let all = self.threads.iter().enumerate().map(|(number, at)| (ThreadId(number as u32), at));
        let others = all
            .filter(|(thread, at)| *thread != a && *thread != b && at.status == Status::Standing);
        for (thread, other) in others {
            let moved = operation_after(&other.op, swap) != operation(&other.op)
                || accesses(other) != other.accesses;
            if moved {
                return Some(Apart::Other(thread));
            }
        }
        let object = self.sync.told_apart(swap).map(Apart::Object);
        // Who is at his end repeats nothing.
        let alike = first.op == Op::End || self.awaits.are_alike(a, b);
        object.or_else(|| (!alike).then_some(Apart::Await))
    }

    /// What a thread would repeat that does nothing more.
    pub fn repeated(&self, thread: ThreadId) -> &[Stretch] {
        self.awaits.repeated(thread)
    }

    /// Whether loops are let go round once more.
    pub fn is_patient(&self) -> bool {
        self.plan.patient
    }

    /// The events that were glances (see there).
    pub fn glances(&self) -> impl Iterator<Item = u32> + '_ {
        self.awaits.glances()
    }

    /// Those in what this thread would repeat.
    pub fn glances_of(&self, thread: ThreadId) -> &[u32] {
        self.awaits.glances_of(thread)
    }

    /// The memory of a destroyed synchronisation object was made anew without a call.
    pub fn renew(&mut self, object: u64) {
        self.sync.renew(object);
    }

    /// How many events have happened.
    pub fn events(&self) -> u32 {
        self.steps as u32
    }

    /// Whether the thread sees, by these accesses, what another one has written after so many
    /// events.
    pub fn has_changed(&self, thread: ThreadId, since: u32, accesses: &[Access]) -> bool {
        self.awaits.has_changed(thread, since, accesses)
    }

    /// What a thread that idles waits for somebody to change.
    pub fn awaited(&self, thread: ThreadId) -> Option<u64> {
        self.awaits.wanted(thread)
    }

    /// The synchronisation state, for messages.
    #[inline]
    pub fn sync(&self) -> &SyncState {
        &self.sync
    }

    /// The steps taken so far can be found in the record; this is the next one's
    /// place in the plan, if it is still being followed.
    pub fn planned(&self) -> Option<Step> {
        self.plan.steps.get(self.steps).map(|planned| planned.step)
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        &mut self.threads[thread.index()]
    }

    /// Enabled as far as the thread itself and the objects go: all but exits.
    #[inline]
    fn is_ready(&self, thread: ThreadId, at: &Thread) -> bool {
        at.status == Status::Standing
            && !self.awaits.standing(thread).idle
            && self.sync.enabled(thread, &at.op)
    }

    #[inline]
    fn can_go_on(&self, thread: ThreadId) -> bool {
        let Some(at) = self.threads.get(thread.index()) else { return false };
        self.is_ready(thread, at) && (at.op != Op::Exit || self.exit_is_due())
    }

    fn exit_is_due(&self) -> bool {
        // With a false assumption about, there is no process end worth looking at.
        let refuted = self.threads.iter().any(|at| at.status == Status::Refuted);
        let all = self.threads.iter().enumerate();
        let ready = all.filter(|(number, at)| self.is_ready(ThreadId(*number as u32), at));
        !refuted && exit_is_due(ready.map(|(_, at)| &at.op))
    }

    /// Whether the thread, if it is blocked, will not stay so: it has a timeout, or has
    /// been cancelled or sent a signal. It had chosen not to go on by that.
    fn gives_up(&self, at: &Thread) -> bool {
        let posted = |sem: Option<u64>| sem.is_some_and(|sem| self.sync.sem(sem) > 0);
        at.timed || posted(at.cancel) || posted(at.signal)
    }

    /// How the execution ends if nobody can go on.
    ///
    /// If somebody is blocked with a timeout, the program is not stuck: the timeout
    /// will fire. Before it blocked, the thread has chosen that it does not. As the
    /// choice concerns nobody else, the same events can happen up to here with the
    /// other one, where the thread goes on instead: that continuation is explored,
    /// and if it gets stuck without a thread that waits with a timeout, that is a
    /// deadlock. So the choice was an assumption that has turned out to be false. The
    /// same goes for who is blocked and has been cancelled, and for who idles but
    /// would do something else if it began anew.
    fn end(&self) -> End {
        let any = |status| self.threads.iter().any(|at| at.status == status);
        let all = self.threads.iter().enumerate();
        let mut standing = all.filter(|(_, at)| at.status == Status::Standing);
        let differs = |thread: usize| {
            let thread = ThreadId(thread as u32);
            let mut attempts = self.awaits.attempts(thread);
            self.awaits.standing(thread).chosen
                || attempts.any(|attempt| !self.sync.enabled(thread, &attempt))
        };
        if self.stopped {
            End::Bounded
        } else if self.unrolled != SiteRef(0) && !self.assumed {
            End::Unrolled { site: self.unrolled }
        } else if self.awaited && !self.assumed {
            End::Awaited
        } else if any(Status::Refuted) {
            End::Assumed
        } else if standing.any(|(n, at)| self.gives_up(at) || differs(n)) {
            End::Awaited
        } else if any(Status::Standing) || any(Status::Failed) {
            End::Stuck
        } else {
            End::Completed { status: 0 }
        }
    }
}

/// What makes two threads unlike that is not in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Apart {
    /// They stand at different events.
    Event,
    /// One of them repeats itself and the other does not.
    Await,
    /// What this thread stands at has to do with one of them.
    Other(ThreadId),
    /// The state of this synchronisation object.
    Object(u64),
}

/// An operation without its objects, and these.
fn operation(op: &Op) -> ([u64; 3], [Option<u64>; 2]) {
    let objects = op.objects();
    let mut words = op_words(op);
    let count = objects.iter().flatten().count();
    words[1..][..count].fill(0);
    (words, objects)
}

/// The same when threads and objects have changed places. (Who is joined is not a matter of
/// objects: that has a rule of its own.)
fn operation_after(op: &Op, swap: &Swap<'_>) -> ([u64; 3], [Option<u64>; 2]) {
    let (words, objects) = match op {
        Op::Create { child } => operation(&Op::Create { child: swap.thread(*child) }),
        _ => operation(op),
    };
    (words, objects.map(|object| object.map(|addr| (swap.address)(addr))))
}

/// The local state with what the thread is about to do: one call of a library may be
/// several events at one site.
fn visit(state: u64, op: &Op, accesses: &[Access]) -> u64 {
    let mut digest = Digest::default();
    digest.add(state);
    op_words(op).into_iter().for_each(|word| digest.add(word));
    accesses.iter().for_each(|access| digest.add(access.addr));
    digest.finish()
}
