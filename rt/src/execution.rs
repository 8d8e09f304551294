//! One execution: the program's threads, and whose turn it is.
//!
//! The runtime records and does not switch: a thread runs on through its hooks, and
//! another one gets the processor only where the director says so. When a fiber that
//! stood at its next event is switched to, its turn has come and that event happens.
//! (The one exception is the creator of a thread: it gets the processor back when
//! the new thread has reached its first event.)

use crate::{
    accesses, back_off,
    beforehand::{self, Choice, Chosen},
    cell::Global,
    describe,
    fiber::{self, Context, FrameRecord},
    given_stacks::{Given, Tenant},
    glanced::{self, Looks},
    host,
    interpose::{
        identity,
        named::Named,
        refused::refuse,
        signalling,
        time::{self, Seen},
        timers::{self, Timer},
    },
    kernel, local_state,
    phases::{self, Phase},
    record::record,
    sharing, stacks, symmetry,
    trace::{FailureText, Tracer},
    units,
};
use alloc::{rc::Rc, vec::Vec};
use core::sync::atomic::{Ordering, compiler_fence};
use leno_checker::{Arrival, Decision, Director, Limits, Past, Plan, Stands, Stretch};
use leno_model::{
    Access, AccessKind, End, Event, Failure, Op, Order, Outcome, Pending, Property, SiteRef,
    ThreadId, Varies, object::Object, thread::ThreadName, wire::Part,
};

/// A thread's function; null is a mistake of the program's that a call of it shows.
pub type Start = Option<extern "C" fn(*mut libc::c_void) -> *mut libc::c_void>;

/// What can be said about a thread that has no effect here, and is inherited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Manners {
    pub name: Option<[u8; 16]>,
    /// Policy and priority.
    pub scheduling: (i32, i32),
    /// The processors that it may use, if somebody said so.
    pub processors: Option<[u8; size_of::<libc::cpu_set_t>()]>,
}

impl Default for Manners {
    fn default() -> Self {
        Self { name: None, scheduling: (libc::SCHED_OTHER, 0), processors: None }
    }
}

/// A thread of the program.
pub struct Thread {
    context: Context,
    pub start: Option<Start>,
    pub argument: *mut libc::c_void,
    pub result: *mut libc::c_void,
    pub detached: bool,
    /// Somebody joins it, has joined it or has detached it.
    pub claimed: bool,
    /// Somebody has joined it.
    pub joined: bool,
    /// It looks for signals: see `signalling`.
    pub looks_for_signals: bool,
    /// A handler runs in it that has interrupted it.
    pub in_handler: bool,
    /// The top of its stack of the runtime, if that is not where it was first.
    top: Option<usize>,
    /// Whether it lets itself be cancelled, and how.
    pub cancellable: bool,
    pub asynchronous: bool,
    /// It has asked for its own cancellation.
    pub cancels_itself: bool,
    pub manners: Manners,
    /// The robust mutexes that it holds, as often as it does.
    pub robust: Vec<u64>,
    /// A digest of its thread-specific data.
    specific: u64,
    /// It is about to choose whether time passes where it stands.
    pub asks: bool,
    /// The read-write locks that it has locked for writing.
    pub writes: Vec<u64>,
    /// Handlers that run in the middle of the runtime: where they began on the program's
    /// stack, and the top of the runtime's for them.
    pub interruptions: Vec<(usize, usize)>,
    pub alive: bool,
    /// How many of its weak compare-exchanges have failed for no reason.
    pub weak_failures: u32,
    /// How many of its waits for condition variables have ended for no reason.
    pub spurious: u32,
    /// How many choices the program has asked for in it.
    choices: u32,
    /// Hooks so far, and events.
    ordinal: u32,
    pub events: u32,
    /// Threads it has created.
    pub children: u32,
    /// Its own clock, in nanoseconds since the start.
    pub clock: u64,
    pub seen: Seen,
    /// State of its own source of random numbers.
    pub random: u64,
    /// The site of its last hook.
    pub last_site: SiteRef,
    /// Private writes so far: a thread that has made one since is not where it was.
    private_writes: u64,
    /// Those to its own stack since then, besides its variables, which are looked at themselves.
    stack_writes: Vec<StackWrite>,
    /// Private hooks since its last event.
    quiet: u64,
    /// Rounds of loops since then, if it can be cancelled at any instruction.
    rounds: u64,
    landmark: Landmark,
    looks: Looks,
    section: Option<Section>,
    /// It is in the hook before a call, which announces what the callee will access.
    announcing: bool,
    /// The memory of the program's that it runs on.
    pub given: Option<Given>,
    /// Its start function has returned, or it has called `pthread_exit`.
    finishing: bool,
    /// It has looked at who it is, or where something lies, as a number.
    pub observed: Option<&'static str>,
    /// Controls of `pthread_once` whose routine it is in, the innermost last.
    pub routines: Vec<u64>,
    /// Guards of static variables that it initialises.
    pub initialises: Vec<u64>,
    /// What it has tried to acquire since instrumented code last called a function.
    acquisitions: u32,
    /// The call of `std::lock` whose last attempt has failed.
    pub backs_off: Option<*const FrameRecord>,
}

pub struct Running {
    director: Director,
    threads: Vec<Thread>,
    current: ThreadId,
    /// The creator that waits for a new thread to reach its first event.
    creator: Option<ThreadId>,
    keep_going: bool,
    /// With a tracer the execution is one to be shown, and ends with its plan.
    tracer: Option<Tracer>,
    plan_len: usize,
    cut: bool,
    /// Events; 0 is "no limit". And as in the job.
    max_steps: u64,
    all_steps: u64,
    /// What `exit` was called with.
    pub status: Option<i32>,
    /// And from where.
    pub exits_at: Option<SiteRef>,
    /// Where the stack of the thread that did stood then: what lies above is in use.
    pub exited_at: usize,
    /// Semaphores with a name.
    pub named: Vec<Named>,
    /// Which locks are taken together and which are tried.
    pub locks: back_off::Locks,
    /// What will send SIGALRM.
    pub timer: Option<Timer>,
    /// Who runs, or has run, on memory of the program's.
    pub tenants: Vec<Tenant>,
    /// How the execution ended.
    end: Option<End>,
}

static RUNNING: Global<Option<Running>> = Global::new(None);

/// The execution, if the program is running in one and not, say, in a constructor.
#[inline(always)]
pub fn running() -> Option<&'static mut Running> {
    RUNNING.get().as_mut()
}

/// Whether a thread's last event has happened.
#[inline]
pub fn has_ended(thread: ThreadId) -> bool {
    director().is_some_and(|director| director.sync().has_ended(thread))
}

/// Who says whose turn it is.
pub fn director() -> Option<&'static mut Director> {
    running().map(|x| &mut x.director)
}

/// The thread that runs, if an execution does.
pub fn current_thread() -> Option<ThreadId> {
    running().map(|x| x.current)
}

/// The innermost call that instrumented code of the running thread is making.
pub fn call_site() -> SiteRef {
    let frame = fiber::frame();
    // SAFETY: a frame record on the running thread's stack, or null.
    SiteRef(unsafe { frame.as_ref() }.map_or(0, |f| f.site))
}

/// How an execution is to be run.
pub struct Settings {
    pub keep_going: bool,
    /// How many events this execution may have, and any.
    pub max_steps: u64,
    pub all_steps: u64,
    pub traced: bool,
    /// End right behind the plan's last event: what comes then is fatal to the process.
    pub cut: bool,
}

/// Where the host waits for the end of the execution.
static HOST: Global<Context> = Global::new(Context { stack_pointer: 0, thread_pointer: 0 });

/// Runs the program's main under `plan` and comes back when the execution is over;
/// gives the threads that there were.
pub fn run(plan: Rc<Plan>, settings: &Settings) -> Vec<ThreadId> {
    *SETTLING.get() = None;
    sharing::begin();
    glanced::begin();
    local_state::begin();
    kernel::begin();
    let plan_len = plan.steps.len();
    let mut main = Thread::new(fiber::fresh_main(), ThreadId::MAIN);
    main.clock = time::at_main();
    let first = main.context;
    let Idle { mut director, mut threads } = IDLE.get().take().unwrap_or_default();
    director.begin(plan, Limits { max_steps: settings.max_steps });
    threads.push(main);
    *RUNNING.get() = Some(Running {
        director,
        threads,
        current: ThreadId::MAIN,
        creator: None,
        keep_going: settings.keep_going && !settings.traced,
        tracer: settings.traced.then(Tracer::default),
        plan_len,
        cut: settings.cut,
        max_steps: settings.max_steps,
        all_steps: settings.all_steps,
        status: None,
        exits_at: None,
        exited_at: 0,
        named: Vec::new(),
        locks: back_off::Locks::default(),
        timer: None,
        tenants: Vec::new(),
        end: None,
    });
    phases::enter(Phase::Program);
    fiber::runs(ThreadId::MAIN, None);
    record().executes(identity::process());
    stacks::begin();
    let host = HOST.get();
    host.thread_pointer = first.thread_pointer;
    // SAFETY: a fresh context; `finish` resumes this one.
    unsafe { fiber::switch(host, first) };
    stacks::end();
    record().executes(0);
    wind_up();
    phases::enter(Phase::Analysing);
    let Some(Running { director, mut threads, .. }) = RUNNING.get().take() else {
        return Vec::new();
    };
    let used = used(&threads).collect();
    threads.clear();
    *IDLE.get() = Some(Idle { director, threads });
    used
}

/// What is kept between executions for the memory it has.
#[derive(Default)]
struct Idle {
    director: Director,
    threads: Vec<Thread>,
}

static IDLE: Global<Option<Idle>> = Global::new(None);

/// The threads that have been created, the main thread included.
fn used(threads: &[Thread]) -> impl Iterator<Item = ThreadId> {
    let used = |(_, t): &(usize, &Thread)| t.context.thread_pointer != 0;
    threads.iter().enumerate().filter(used).map(|(i, _)| ThreadId(i as u32))
}

impl Thread {
    fn new(context: Context, thread: ThreadId) -> Self {
        Self {
            context,
            start: None,
            argument: core::ptr::null_mut(),
            result: core::ptr::null_mut(),
            detached: false,
            claimed: false,
            joined: false,
            looks_for_signals: false,
            in_handler: false,
            top: None,
            cancellable: true,
            asynchronous: false,
            cancels_itself: false,
            manners: Manners::default(),
            robust: Vec::new(),
            specific: 0,
            asks: false,
            writes: Vec::new(),
            interruptions: Vec::new(),
            alive: true,
            weak_failures: 0,
            spurious: 0,
            choices: 0,
            ordinal: 0,
            events: 0,
            children: 0,
            clock: 0,
            seen: Seen::default(),
            random: seed(thread),
            last_site: SiteRef(0),
            private_writes: 0,
            stack_writes: Vec::new(),
            quiet: 0,
            rounds: 0,
            landmark: Landmark { site: SiteRef(0), private_writes: 0, state: 0 },
            looks: Looks::default(),
            section: None,
            announcing: false,
            given: None,
            finishing: false,
            observed: None,
            routines: Vec::new(),
            initialises: Vec::new(),
            acquisitions: 0,
            backs_off: None,
        }
    }
}

/// What tells threads apart that the runtime keeps for them.
impl Thread {
    pub fn is_announcing(&self) -> bool {
        self.announcing
    }

    pub fn is_finishing(&self) -> bool {
        self.finishing
    }

    pub fn cancellation(&self) -> (bool, bool, bool) {
        (self.cancellable, self.asynchronous, self.cancels_itself)
    }

    /// Whether it has drawn random numbers, which are its own.
    pub fn has_random_numbers(&self, thread: ThreadId) -> bool {
        self.random != seed(thread)
    }

    /// Whether a library started it, which has a function of its own around the program's.
    pub fn is_library_start(&self) -> bool {
        self.library_start().is_some()
    }

    pub fn library_start(&self) -> Option<usize> {
        let start = self.start.flatten().map(|start| start as usize);
        start.filter(|start| units::is_foreign_code(*start as u64))
    }
}

/// The state of a thread's source of random numbers when it starts.
fn seed(thread: ThreadId) -> u64 {
    0x9e37_79b9_7f4a_7c15 ^ u64::from(thread.0) << 32
}

impl Thread {
    pub fn is_in_section(&self) -> bool {
        self.section.is_some()
    }

    /// The thread's own state has changed in a way that its frames need not show.
    pub fn changes(&mut self) {
        self.private_writes += 1;
    }

    /// What decides how it goes on and lies neither in its frames nor in shared memory.
    fn own_state(&self) -> u64 {
        let manners = u64::from(self.cancellable) << 62 | u64::from(self.asynchronous) << 63;
        self.private_writes ^ self.specific ^ manners
    }

    /// A key of the thread has another value.
    pub fn sets(&mut self, key: u32, before: u64, now: u64) {
        let mix = |value: u64| {
            (value ^ u64::from(key) << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        };
        self.specific ^= mix(before) ^ mix(now);
    }

    /// Instrumented code calls a function that is not.
    pub fn calls_out(&mut self) {
        self.acquisitions = 0;
    }

    /// The thread is about to acquire something. A second time in one call it is a library
    /// that does so, and how far that has come its frames do not show: it is not where it was.
    pub fn acquires(&mut self) {
        self.acquisitions += 1;
        if self.acquisitions > 1 {
            self.changes();
        }
    }
}

impl Running {
    /// Whether its loops are let go round once more.
    pub fn is_patient(&self) -> bool {
        self.director.is_patient()
    }

    pub fn current(&self) -> ThreadId {
        self.current
    }

    pub fn thread(&mut self) -> &mut Thread {
        &mut self.threads[self.current.index()]
    }

    /// Writes the execution down, if it is one to be shown.
    pub fn tracer(&mut self) -> Option<&mut Tracer> {
        self.tracer.as_mut()
    }

    /// Whether the running thread holds a mutex or a read-write lock.
    pub fn holds(&self, lock: u64) -> bool {
        let sync = self.director.sync();
        sync.mutex(lock).is_some_and(|mutex| mutex.owner == Some(self.current))
            || sync.rwlock(lock).is_some_and(|rwlock| rwlock.is_held_by(self.current))
    }

    pub fn threads(&self) -> impl Iterator<Item = &Thread> {
        self.threads.iter()
    }

    pub fn thread_numbers(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len() as u32).map(ThreadId)
    }

    pub fn thread_numbered(&mut self, thread: ThreadId) -> Option<&mut Thread> {
        self.threads.get_mut(thread.index())
    }

    /// How far down the runtime's stack of a thread that does not run is in use.
    pub fn own_stack_pointer(&self, thread: ThreadId) -> usize {
        self.threads[thread.index()].context.stack_pointer
    }

    /// What threads have as their results that have been created and that nobody has joined.
    pub fn results(&self) -> impl Iterator<Item = (ThreadId, u64)> {
        let unjoined = self.created().filter(|thread| !self.threads[thread.index()].joined);
        unjoined.map(|thread| (thread, self.threads[thread.index()].result as u64))
    }

    /// How far down a thread's stack was in use when it entered the runtime.
    pub fn stack_of(&self, thread: ThreadId) -> usize {
        stacks::program_of(fiber::own_top(thread))
    }

    /// The part of the runtime's stack of a thread that is in use: registers of the program's
    /// are there.
    pub fn registers_of(&self, thread: ThreadId) -> (usize, usize) {
        let marker = 0u64;
        let pointer = match thread == self.current {
            true => &raw const marker as usize,
            false => self.own_stack_pointer(thread),
        };
        (pointer, fiber::own_top(thread))
    }

    /// How a thread's floating-point units are set.
    pub fn floating_point(&self, thread: ThreadId) -> u64 {
        match thread == self.current {
            true => fiber::own_floating_point(),
            false => self.threads[thread.index()].context.floating_point(),
        }
    }

    /// The number of the thread that the running one would create next, with a stack of
    /// this size at least.
    pub fn next_child(&mut self, stack_size: usize) -> ThreadId {
        let index = self.thread().children;
        self.thread().children += 1;
        let child = record().intern(ThreadName { parent: self.current, index });
        if fiber::size(child) < stack_size.max(1) {
            // Only the host can make stacks: it does, and runs this execution again.
            record().want_stack(child, stack_size);
            finish(End::Bounded);
        }
        child
    }

    /// How much a thread may do without an event.
    fn private_limit(&self) -> u64 {
        // In the plan only what has been cut in all executions is: it was made of one that went
        // on for as long as it wanted.
        let is_planned = record().events.len() < self.plan_len;
        match if is_planned { self.all_steps } else { self.max_steps } {
            0 => u64::MAX,
            steps => steps.saturating_mul(PRIVATE_STEPS),
        }
    }

    /// The threads that have not ended.
    pub fn alive(&self) -> impl Iterator<Item = ThreadId> {
        self.created().filter(|thread| self.threads[thread.index()].alive)
    }

    /// The threads that have been created, the main thread included.
    pub fn created(&self) -> impl Iterator<Item = ThreadId> {
        used(&self.threads)
    }

    /// Adds a thread that is about to start.
    pub fn add_thread(
        &mut self,
        child: ThreadId,
        start: Start,
        argument: *mut libc::c_void,
        detached: bool,
        manners: Manners,
        given: Option<Given>,
    ) {
        while self.threads.len() <= child.index() {
            let number = ThreadId(self.threads.len() as u32);
            let mut absent = Thread::new(Context { stack_pointer: 0, thread_pointer: 0 }, number);
            absent.alive = false;
            self.threads.push(absent);
        }
        let mut thread = Thread::new(fiber::fresh(child, given), child);
        thread.given = given;
        thread.start = Some(start);
        thread.argument = argument;
        (thread.detached, thread.claimed) = (detached, detached);
        thread.manners = manners;
        (thread.clock, thread.seen.last) = (self.thread().clock, self.thread().seen.last);
        kernel::handlers::inherit(child);
        self.threads[child.index()] = thread;
    }
}

/// Runs a new thread to its first event.
pub fn start_thread(child: ThreadId) {
    let x = running().expect("threads start in an execution");
    x.creator = Some(x.current);
    switch_to(child);
}

fn switch_to(next: ThreadId) {
    let x = running().expect("switches happen in an execution");
    let from = &raw mut x.thread().context;
    let to = x.threads[next.index()].context;
    x.current = next;
    sharing::in_handler(x.threads[next.index()].in_handler);
    fiber::runs(next, x.threads[next.index()].given);
    if let Some(top) = x.threads[next.index()].top {
        *stacks::TOP.get() = top;
    }
    // SAFETY: `next` stands at its next event, or is fresh; it is not the one that runs.
    unsafe { fiber::switch(from, to) };
}

/// Makes the running thread's next event: waits for its turn, lets it happen and
/// records it.
pub fn event(op: Op, accesses: &[Access], site: SiteRef) -> Event {
    event_patient(op, accesses, site, Patience::default())
}

/// What may end a wait, besides what it waits for: it has been chosen that it does not.
#[derive(Clone, Copy, Default)]
pub struct Patience {
    /// A timeout.
    pub timed: bool,
    /// A post of this semaphore, by which the thread is cancelled.
    pub cancel: Option<u64>,
}

/// The same for a wait that may come to another end.
pub fn event_patient(op: Op, accesses: &[Access], site: SiteRef, patience: Patience) -> Event {
    event_settled(op, accesses, site, patience, || op)
}

/// Lets the search choose whether something happens to the running thread that is not
/// its own doing: a timeout, a request to cancel it.
pub fn may_happen(site: SiteRef) -> bool {
    let patience = Patience { timed: true, cancel: None };
    let op = Op::Choose { alternatives: 2 };
    event_patient(op, &[], site, patience).outcome == Outcome::Chosen(1)
}

/// Lets the program choose, once in this call: a loop that chooses and has otherwise changed
/// nothing when it chooses again may have begun anew.
pub fn choose(alternatives: u32, site: SiteRef) -> Event {
    let op = Op::Choose { alternatives };
    arrive(op, &[], site, Patience::default(), true, Varies::Never);
    perform(&[])
}

/// The same for the choices that the program asks for. The search tries 0 first wherever a new
/// choice turns up, so that a loop which goes on for 0 would never come to its end. Where a
/// thread has chosen often, what is tried first is another number each time: all of them are
/// tried, and how often it has chosen depends on nothing but its own past.
pub fn choose_in_turn(alternatives: u32, site: SiteRef) -> u32 {
    let op = Op::Choose { alternatives };
    arrive(op, &[], site, Patience::default(), true, Varies::Never);
    let thread = running().expect("choices are made in an execution").thread();
    let turn = match thread.choices {
        0..MANY_CHOICES => 0,
        many => (u64::from(many).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32,
    };
    thread.choices += 1;
    let turned = |number| (number + turn % alternatives) % alternatives;
    match perform_as(&[], |outcome| match outcome {
        Outcome::Chosen(number) => Outcome::Chosen(turned(number)),
        other => other,
    }) {
        Event { outcome: Outcome::Chosen(number), .. } => number,
        other => unreachable!("a choice came out as {:?}", other.outcome),
    }
}

/// After so many choices of a thread they are tried in another order.
const MANY_CHOICES: u32 = 16;

/// The same where it is not the first choice of the call.
pub fn choose_further(alternatives: u32, site: SiteRef) -> Event {
    event(Op::Choose { alternatives }, &[], site)
}

/// The same where the operation depends on what it finds when the turn has come.
pub fn event_settled(
    op: Op,
    accesses: &[Access],
    site: SiteRef,
    patience: Patience,
    settle: impl FnOnce() -> Op,
) -> Event {
    let may_spin = !matches!(op, Op::Choose { .. });
    arrive(op, accesses, site, patience, may_spin, Varies::Never);
    let settled = settle();
    let x = running().expect("events happen in an execution");
    if settled != op {
        x.director.settle(x.current, settled);
    }
    perform(accesses)
}

/// The same where it turns out only when the turn has come what it accesses.
pub fn event_varying<A: AsRef<[Access]>>(
    op: Op,
    accesses: &mut A,
    site: SiteRef,
    patience: Patience,
    varies: Varies,
    settle: impl FnOnce(&mut A),
) -> Event {
    arrive(op, accesses.as_ref(), site, patience, true, varies);
    settle(accesses);
    perform(accesses.as_ref())
}

/// Makes an event of accesses to shared memory, or a part of the step that the thread
/// is in.
pub fn access(accesses: &[Access], site: SiteRef) {
    if joins_section() {
        add_to_section(accesses);
    } else {
        arrive(Op::Access, accesses, site, Patience::default(), true, Varies::Never);
        perform(accesses);
    }
}

/// The same where it turns out only when the turn has come what the accesses are: a
/// failed compare-exchange writes nothing. `settle` makes `accesses` what they are.
/// `may_spin`: this may be the event of a loop that waits.
pub fn access_settled<A: AsRef<[Access]>>(
    accesses: &mut A,
    site: SiteRef,
    may_spin: bool,
    varies: Varies,
    settle: impl FnOnce(&mut A),
) {
    access_patient(accesses, site, may_spin.then(Patience::default), varies, settle);
}

/// The same; a loop that waits may come to another end.
#[inline]
pub fn access_patient<A: AsRef<[Access]>>(
    accesses: &mut A,
    site: SiteRef,
    spins: Option<Patience>,
    varies: Varies,
    settle: impl FnOnce(&mut A),
) {
    let joins = joins_section();
    if !joins {
        let patience = spins.unwrap_or_default();
        arrive(Op::Access, accesses.as_ref(), site, patience, spins.is_some(), varies);
    }
    if joins {
        settle(accesses);
        add_to_section(accesses.as_ref());
    } else {
        *SETTLING.get() = Some(accesses.as_ref());
        // A fault may come here, and its handler looks at this.
        compiler_fence(Ordering::SeqCst);
        settle(accesses);
        *SETTLING.get() = None;
        perform(accesses.as_ref());
    }
}

/// What the event that is being settled was announced as. To find out what it is, the runtime
/// reads where it goes, and there may be nothing there.
static SETTLING: Global<Option<*const [Access]>> = Global::new(None);

/// A handler of the program's takes care of a fault, and may jump out of what it interrupts.
pub fn settles_no_more() {
    *SETTLING.get() = None;
}

/// The running thread has failed where it was to be found out what its event is: that is the
/// event that it failed in. Who did away with the memory is in a race with it, and a replay
/// comes as far.
fn settle_failed() {
    if let Some(accesses) = SETTLING.get().take() {
        let x = running().expect("threads fail in an execution");
        x.director.finds(x.current, None);
        // SAFETY: the frame that they are in is there until the thread leaves, and has not
        // changed them, for it faults before.
        perform(unsafe { &*accesses });
    }
}

/// Whether there is a running thread and it is in an atomic section.
pub fn in_section() -> bool {
    running().is_some_and(|x| x.thread().section.is_some())
}

/// Whether the running thread is in an atomic section.
fn joins_section() -> bool {
    running().expect("accesses are made in an execution").thread().section.is_some()
}

fn add_to_section(accesses: &[Access]) {
    if let Some(section) = &mut running().expect("still running").thread().section {
        section.add(accesses);
    }
}

/// The running thread's turn has come, and this is what it finds where it accesses memory.
pub fn finds(value: u64) {
    let x = running().expect("accesses are made in an execution");
    if x.thread().section.is_none() {
        x.director.finds(x.current, Some(value));
    }
}

/// Has the running thread stand at its next event until its turn has come.
fn arrive(
    op: Op,
    accesses: &[Access],
    site: SiteRef,
    patience: Patience,
    may_spin: bool,
    varies: Varies,
) {
    require_room(site);
    let signal = signalling::interruptions(&op, site);
    phases::enter(Phase::Scheduling);
    let x = running().expect("events happen in an execution");
    let thread = x.thread();
    if thread.section.is_some() {
        refuse("anything but memory accesses inside an atomic section");
    }
    thread.last_site = site;
    (thread.quiet, thread.rounds) = (0, 0);
    let spins = match op {
        // What an atomic section does is not known yet.
        Op::Access => accesses.first().is_none_or(|a| a.kind.reads()),
        Op::TryLock { .. }
        | Op::TryReadLock { .. }
        | Op::TryWriteLock { .. }
        | Op::SemTryWait { .. }
        | Op::SemValue { .. }
        | Op::FutexWait { .. }
        | Op::Lock { .. }
        | Op::ReadLock { .. }
        | Op::WriteLock { .. }
        | Op::SemWait { .. }
        | Op::Choose { .. } => true,
        Op::Unlock { .. } | Op::RwUnlock { .. } | Op::SemPost { .. } => {
            x.director.may_go_round(x.current)
        }
        _ => false,
    };
    let own_state = || {
        let thread = running().expect("events happen in an execution").thread();
        settle_stack_writes(thread);
        Some(local_state::digest(site, &op, thread.own_state(), thread.seen))
    };
    // Whether a timeout fires is chosen inside of a call, which may choose several times; but
    // only once behind an attempt.
    let x = running().expect("events happen in an execution");
    let asks = x.thread().asks;
    let gives_up = patience.timed && spins && !asks && x.director.has_just_attempted(x.current);
    // Looking for signals may be part of what any one call does, several times.
    let may_spin = (may_spin || gives_up) && !signalling::is_look(&op);
    let local_state = if spins && may_spin { own_state() } else { None };
    let waits = local_state.and_then(|state| waits_by_the_clock(op, accesses, site, state));
    let local_state = if waits == Some(false) { own_state() } else { local_state };
    let Patience { timed, cancel } = patience;
    loop {
        let x = running().expect("events happen in an execution");
        let me = x.current;
        let ordinal = x.thread().ordinal;
        x.thread().ordinal = ordinal.wrapping_add(1);
        if let Some(tracer) = &mut x.tracer {
            tracer.arrived(me);
        }
        let arrival = Arrival {
            thread: me,
            ordinal,
            site,
            op,
            accesses,
            local_state,
            timed,
            clocked: waits == Some(true),
            cancel,
            signal,
            varies,
        };
        let record = record();
        let past = Past { events: record.events.as_slice(), accesses: record.accesses.as_slice() };
        let stands = x.director.arrive(arrival, past);
        keep_glances(x);
        wait_for_turn();
        record.passes(me, site);
        if stands == Stands::AtIt {
            return;
        }
        perform(&[]);
        phases::enter(Phase::Scheduling);
    }
}

/// If the running thread does nothing more: keeps what was looked at in the round that it would
/// repeat, or sees to it that this will be known.
fn keep_glances(x: &mut Running) {
    let (events, accesses) = (record().events.as_slice(), record().accesses.as_slice());
    let past = Past { events, accesses };
    for glance in x.director.glances_of(x.current) {
        let event = &events[*glance as usize];
        glanced::keep(event.thread, past.accesses_of(event));
    }
    for Stretch { thread, since, events } in x.director.repeated(x.current) {
        let Thread { ordinal, looks, .. } = &x.threads[thread.index()];
        // The hook that it stands in has been counted.
        let hooks = ordinal.wrapping_sub(*since).wrapping_sub(1);
        if glanced::is_watching() {
            looks.keep(*thread, *since);
        } else if hooks > *events {
            glanced::watch();
        }
    }
}

/// If the running thread is about to wait in a loop that looks at the clock: whether it
/// does. It may also be that time passes; then it goes round once more.
fn waits_by_the_clock(op: Op, accesses: &[Access], site: SiteRef, state: u64) -> Option<bool> {
    let x = running().expect("events happen in an execution");
    let (me, events, seen) = (x.current, x.thread().events, x.thread().seen);
    if seen.last == 0 || seen.passed.is_some() {
        return None;
    }
    let iteration = x.director.would_repeat(me, site, &op, accesses, state)?;
    let looks = events - seen.events < iteration;
    let passes = looks && {
        x.thread().asks = true;
        let passes = may_happen(site);
        running().expect("events happen in an execution").thread().asks = false;
        passes
    };
    if passes {
        let x = running().expect("events happen in an execution");
        let events = x.director.events();
        let thread = x.thread();
        thread.seen.passed = Some(events);
        thread.changes();
        time::pass_much();
    }
    looks.then_some(!passes)
}

/// Lets the event happen that the running thread stands at.
fn perform(accesses: &[Access]) -> Event {
    perform_as(accesses, |outcome| outcome)
}

/// The same; the program and who reads the trace see the outcome in their own way.
fn perform_as(accesses: &[Access], seen: impl FnOnce(Outcome) -> Outcome) -> Event {
    let x = running().expect("events happen in an execution");
    let record = record();
    let first_access = record.accesses.len() as u32;
    let room = accesses.iter().all(|a| record.accesses.push(*a));
    let event = x.director.perform(x.current, accesses, first_access);
    let passed = x.thread().seen.passed;
    let sees = passed.is_some_and(|since| x.director.has_changed(x.current, since, accesses));
    let thread = x.thread();
    thread.events += 1;
    thread.seen.passed = passed.filter(|_| !sees);
    if !room || !record.events.push(event) {
        finish(End::Bounded);
    }
    let event = Event { outcome: seen(event.outcome), ..event };
    if let Some(tracer) = &mut x.tracer {
        tracer.performed(&event, accesses);
    }
    end_if_cut();
    phases::enter(Phase::Program);
    event
}

/// What a thread does as one step: see [`enter_section`].
struct Section {
    /// Sections inside sections.
    depth: u32,
    accesses: Vec<Access>,
    chosen: Chosen,
}

impl Section {
    fn add(&mut self, accesses: &[Access]) {
        for access in accesses {
            let access = Access { atomic: Some(Order::SeqCst), ..*access };
            if !self.accesses.contains(&access) {
                self.accesses.push(access);
            }
        }
    }
}

/// From here to [`leave_section`] the running thread makes one step: a single event
/// with all accesses to shared memory. Nobody else runs in between, so that the event
/// may be recorded at the end, when it is known what it did. That it is not known on
/// arrival does no harm: only what is blocked is looked at before it happens, and this
/// never is. The accesses count as atomic ones, as those of other sections do.
pub fn enter_section(site: SiteRef) {
    let x = running().expect("sections are entered in an execution");
    if let Some(section) = &mut x.thread().section {
        section.depth += 1;
        return;
    }
    let observed = x.thread().observed;
    let chosen = beforehand::choose(site);
    let may_spin = chosen.is_empty();
    arrive(Op::Access, &[], site, Patience::default(), may_spin, Varies::Somehow(0));
    let thread = running().expect("still running").thread();
    thread.observed = observed;
    thread.section = Some(Section { depth: 1, accesses: Vec::new(), chosen });
}

/// The running thread has made choices for the section that it is about to enter: they are no
/// part of its local state, so until then it is comparable with no other.
pub fn holds_choices() {
    observes("chosen for an atomic section");
}

/// What the running thread chooses, if it is in a section.
pub fn choose_in_section(alternatives: u32) -> Option<u32> {
    let thread = running().expect("choices are made in an execution").thread();
    let choice = thread.section.as_mut()?.chosen.take(alternatives);
    Some(match choice {
        Choice::Is(number) => number,
        Choice::Dropped => refute(),
        Choice::TooMany => refuse("so many choices inside an atomic section"),
    })
}

pub fn leave_section() {
    let x = running().expect("sections are left in an execution");
    match &mut x.thread().section {
        Some(section) if section.depth > 1 => section.depth -= 1,
        Some(section) if section.chosen.is_in_vain() => refute(),
        _ => end_section(),
    }
}

/// Records the step that the running thread is in, if it is in one.
fn end_section() {
    let x = running().expect("sections are left in an execution");
    if let Some(section) = x.thread().section.take() {
        perform(&section.accesses);
    }
}

/// Ends an execution that is to end here (see [`Settings::cut`]).
pub fn end_if_cut() {
    if running().is_some_and(|x| x.cut && record().events.len() >= x.plan_len) {
        finish(End::Bounded);
    }
}

/// Fails if the running thread's stack is all but used up. An overflow in the middle of a
/// function of libc's would leave a mess.
#[inline(always)]
pub fn require_room(site: SiteRef) {
    if fiber::is_full() {
        overflow(site);
    }
}

#[cold]
fn overflow(site: SiteRef) -> ! {
    let number = libc::SIGSEGV as u32;
    let text = FailureText::Signal { number, name: STACK_OVERFLOW, object: None };
    running().expect("fibers run in an execution").thread().last_site = site;
    fail(Property::Crash, number, site, text)
}

/// What a crash is called that is the stack's.
pub const STACK_OVERFLOW: &str = "stack overflow";

/// The running thread has another top of its stack of the runtime.
pub fn has_top(top: usize) {
    running().expect("in an execution").thread().top = Some(top);
    *stacks::TOP.get() = top;
}

/// A handler begins in the middle of the runtime, at these places of the two stacks.
pub fn begins_handler(stack: usize, top: usize) {
    running().expect("in an execution").thread().interruptions.push((stack, top));
}

/// The handler that began last has returned.
pub fn ends_handler() {
    running().expect("in an execution").thread().interruptions.pop();
}

/// The running thread's handlers that began further down on its stack have been left.
pub fn leaves_handlers(stack: usize) {
    let x = running().expect("in an execution");
    let thread = x.thread();
    thread.interruptions.retain(|(began, _)| *began > stack);
    thread.in_handler = !thread.interruptions.is_empty();
    thread.top = thread.interruptions.last().map(|(_, top)| *top);
    sharing::in_handler(thread.in_handler);
    let top = thread.top;
    fiber::runs(x.current, x.thread().given);
    if let Some(top) = top {
        *stacks::TOP.get() = top;
    }
}

/// Where the running thread is, should it die there.
pub fn stands_at(site: SiteRef) {
    let x = running().expect("hooks are passed in an execution");
    record().passes(x.current, site);
    x.thread().last_site = site;
}

/// The running thread passes a hook that is no event.
#[inline(always)]
pub fn private(site: SiteRef, accesses: &[Access]) {
    let x = running().expect("hooks are passed in an execution");
    let current = x.current;
    record().passes(current, site);
    let thread = x.thread();
    thread.ordinal = thread.ordinal.wrapping_add(1);
    thread.last_site = site;
    if glanced::is_watching() {
        thread.looks.add(thread.ordinal, thread.private_writes, accesses);
    }
    for write in accesses.iter().filter(|access| access.kind.writes()) {
        if !fiber::is_own(write.addr) || thread.stack_writes.len() == STACK_WRITES {
            thread.private_writes += 1;
        } else if !is_in_record(write) {
            let (frame, call) = (fiber::frame(), call_site());
            thread.stack_writes.push(StackWrite { end: write.end(), frame, call });
        }
    }
    thread.quiet += 1;
    if thread.quiet.is_multiple_of(SPIN_CHECK) {
        find_private_spin(site, accesses);
    }
}

/// The running thread has changed something that nobody sees: it is not where it was.
pub fn stir() {
    if let Some(x) = running() {
        x.thread().private_writes += 1;
    }
}

/// How many private writes to the stack are kept until they are looked at.
const STACK_WRITES: usize = 32;

/// Whether an access is to variables of a function in progress. These are part of the local
/// state, and when the function has returned, they are gone. (A loop that passes a variable on
/// by reference, such as the expected value of a compare-exchange, writes to it on every round.)
fn is_in_record(access: &Access) -> bool {
    let mut frame = fiber::frame();
    // SAFETY: the chain of frame records of the running thread.
    while let Some(record) = unsafe { frame.as_ref() } {
        let low = frame as u64;
        if low <= access.addr && access.end() <= low + units::frame_size(record) {
            return true;
        }
        frame = record.caller;
    }
    false
}

/// A private write to the running thread's stack that was to no variable.
struct StackWrite {
    end: u64,
    /// The innermost frame record then, and the call that was in progress there.
    frame: *const FrameRecord,
    call: SiteRef,
}

impl StackWrite {
    /// Whether what was written is gone: it is below the stack pointer, or a library wrote it
    /// to its own frame, and the function that called it has gone on, because it has returned
    /// itself or calls another one. In an array of variable length, which is in no record, it
    /// may be of the function's own.
    fn is_over(&self, stack_pointer: u64) -> bool {
        let mut frame = fiber::frame();
        let mut over = self.end <= self.frame as u64;
        // SAFETY: the chain of frame records of the running thread.
        while let Some(record) = unsafe { frame.as_ref() } {
            let dynamic = || units::frame_shape(record).is_none_or(|shape| shape.dynamic);
            over &= frame != self.frame || (record.site != self.call.0 && !dynamic());
            frame = record.caller;
        }
        over || self.end <= stack_pointer
    }
}

/// Counts those private writes to the running thread's stack that are not over.
fn settle_stack_writes(thread: &mut Thread) {
    let Thread { stack_writes, private_writes, .. } = thread;
    let stack_pointer = stacks::program() as u64;
    *private_writes +=
        stack_writes.iter().filter(|write| !write.is_over(stack_pointer)).count() as u64;
    stack_writes.clear();
}

/// How many private hooks in a row count as much as one step when a limit is set: a
/// step takes about a thousand times as long.
const PRIVATE_STEPS: u64 = 1000;

/// How many private hooks in a row are looked at once for a loop that does nothing.
const SPIN_CHECK: u64 = 64;

/// A loop that only reads what no other thread has touched goes by without an event,
/// for ever if it waits for a write. It comes back to the same site with the same
/// local state (Brent's way of finding a cycle, with a sample of the hooks). Then what
/// it reads is made known as shared: the await is seen for what it is.
#[cold]
fn find_private_spin(site: SiteRef, accesses: &[Access]) {
    let x = running().expect("hooks are passed in an execution");
    let limit = x.private_limit();
    let thread = x.thread();
    if thread.quiet < 1024 {
        return;
    }
    if thread.quiet > limit {
        stop();
    }
    settle_stack_writes(thread);
    let own = thread.seen;
    let digest = |private_writes| local_state::digest(site, &Op::Access, private_writes, own);
    let seen = thread.landmark;
    if seen.site == site
        && seen.private_writes == thread.private_writes
        && digest(seen.private_writes) == seen.state
    {
        sharing::reveal(accesses);
        finish(End::Bounded);
    }
    if thread.quiet.is_power_of_two() {
        let private_writes = thread.private_writes;
        thread.landmark = Landmark { site, private_writes, state: digest(private_writes) };
    }
}

/// A loop of the running thread goes round. One that has no hook and no end is interrupted by
/// nobody, and who would cancel the thread does not come to it.
pub fn goes_round() {
    let x = running().expect("loops go round in an execution");
    let limit = x.private_limit();
    let thread = x.thread();
    if thread.asynchronous && thread.cancellable {
        thread.rounds += 1;
        if thread.rounds > limit {
            stop();
        }
    }
}

/// Where a thread has been in a long private stretch.
#[derive(Clone, Copy)]
struct Landmark {
    site: SiteRef,
    private_writes: u64,
    state: u64,
}

fn wait_for_turn() {
    let x = running().expect("events happen in an execution");
    match x.creator.take() {
        Some(creator) => switch_to(creator),
        None => {
            let next = next_thread();
            if next != running().expect("still running").current {
                switch_to(next);
            }
        }
    }
}

/// Asks the director who goes on; does not return if the execution is over.
fn next_thread() -> ThreadId {
    symmetry::compare_all();
    let x = running().expect("decisions are made in an execution");
    match x.director.decide(x.current) {
        Decision::Run(_) if x.tracer.is_some() && record().events.len() >= x.plan_len => {
            finish(End::Bounded)
        }
        Decision::Run(thread) => thread,
        Decision::Compare => {
            compare();
            next_thread()
        }
        Decision::Over(end) => {
            if end == End::Stuck {
                timers::require_none();
            }
            finish(end)
        }
    }
}

/// Tells the director whether threads that it asks about are symmetric.
fn compare() {
    let asked = director().and_then(|director| director.to_compare());
    if let Some((thread, others)) = asked {
        let to = symmetry::compare_with(thread, &others);
        running().expect("still running").director.compared(thread, to);
    }
}

/// Leaves the running thread for good.
fn leave() -> ! {
    let x = running().expect("threads end in an execution");
    let next = x.creator.take().unwrap_or_else(next_thread);
    switch_to(next);
    unreachable!("a thread that has ended was resumed")
}

/// The running thread announces a call, until `announced`.
pub fn announces(whether: bool) {
    if let Some(x) = running() {
        x.thread().announcing = whether;
    }
}

/// The running thread's function is over.
pub fn finishes() {
    if let Some(x) = running() {
        x.thread().finishing = true;
    }
}

/// The running thread has looked at something as a number that it should not depend on.
pub fn observes(what: &'static str) {
    if let Some(x) = running() {
        x.thread().observed.get_or_insert(what);
    }
}

/// The running thread's last event has happened. True if it was the last thread, and so the
/// end of the program: one that was cut would have gone on.
pub fn end_thread() -> bool {
    let x = running().expect("threads end in an execution");
    let life = fiber::life(x.current);
    event(Op::End, &[accesses::one(AccessKind::Write, life, 1, Some(Order::SeqCst))], SiteRef(0));
    x.thread().alive = false;
    !x.threads.iter().any(|t| t.alive) && !x.director.has_cut()
}

/// The running thread has ended and others are alive.
pub fn leave_ended() -> ! {
    leave()
}

/// The running thread fails: it does nothing more.
pub fn fail(property: Property, code: u32, site: SiteRef, text: FailureText) -> ! {
    settle_failed();
    end_section();
    let x = running().expect("threads fail in an execution");
    let record = record();
    let after = record.events.len() as u32;
    record.failures.push(Failure { property, thread: x.current, after, site, code });
    x.director.fail(x.current);
    x.thread().alive = false;
    *FAILING.get() = Some(property);
    // A fault may come here, and its handler looks at this.
    compiler_fence(Ordering::SeqCst);
    if let Some(tracer) = &mut x.tracer {
        tracer.failed(text);
    }
    has_failed(property)
}

/// Of which property the failure is that the running thread is about to describe. For that its
/// frames are looked at, which the program may have damaged.
static FAILING: Global<Option<Property>> = Global::new(None);

/// The property of the failure that is being described.
pub fn failing() -> Option<Property> {
    *FAILING.get()
}

/// Whether the execution is over, and only its record is completed.
pub fn is_over() -> bool {
    running().is_some_and(|x| x.end.is_some())
}

/// The rest of [`fail`], as far as it was described.
pub fn has_failed(property: Property) -> ! {
    *FAILING.get() = None;
    let x = running().expect("threads fail in an execution");
    let record = record();
    // If nobody looks for this, or there is more of the schedule to be shown, the others
    // go on: an execution that is not maximal hides what they would have done.
    let shown_later = x.tracer.is_some() && record.events.len() < x.plan_len;
    if !x.keep_going && !shown_later && host::looks_for(property) {
        finish(End::Stuck);
    }
    leave()
}

/// The running thread made an assumption that does not hold: it does nothing more, and
/// the execution does not count. The others run on, because the search must see what
/// they would have done.
pub fn refute() -> ! {
    end_section();
    let x = running().expect("threads run in an execution");
    x.director.refute(x.current);
    x.thread().alive = false;
    leave()
}

/// The running thread's loop may not go round again: it does nothing more, as if it had
/// assumed that.
pub fn bound(site: SiteRef) -> ! {
    end_section();
    let x = running().expect("threads run in an execution");
    x.director.bound(x.current, site);
    x.thread().alive = false;
    leave()
}

/// The running thread does not come to an event: it does nothing more in this execution. The
/// others run on, and show what they would have done.
fn stop() -> ! {
    let x = running().expect("threads run in an execution");
    if x.thread().section.is_some() {
        finish(End::Bounded);
    }
    x.director.stop(x.current);
    x.thread().alive = false;
    leave()
}

/// Memory is given back: synchronisation objects in it are no more. It is past the access by
/// which it was, so that what there was depends on the events before.
pub fn forget(addr: u64, len: u64, site: SiteRef) {
    let Some(x) = running() else { return };
    let range = addr..addr.saturating_add(len);
    x.thread().writes.retain(|lock| !range.contains(lock));
    x.thread().robust.retain(|lock| !range.contains(lock));
    for (object, op) in x.director.forget(&range) {
        event(op, &[], site);
        // What is used there now was freed, or is a new one.
        running().expect("still running").director.renew(object);
    }
}

/// The running thread makes something of what is there: to be told, if somebody misuses it.
pub fn note(addr: u64, what: &str) {
    if let Some(tracer) = running().and_then(|x| x.tracer()) {
        tracer.note(addr, what, true);
    }
}

/// As [`note`], and what was noted before still matters.
pub fn note_further(addr: u64, what: &str) {
    if let Some(tracer) = running().and_then(|x| x.tracer()) {
        tracer.note(addr, what, false);
    }
}

/// What was noted about what is there.
pub fn history(addr: u64) -> Vec<Part> {
    running().and_then(|x| x.tracer()).map_or_else(Vec::new, |tracer| tracer.history(addr))
}

/// The execution is over.
pub fn finish(end: End) -> ! {
    let x = running().expect("only an execution can end");
    x.end = Some(end);
    let mut abandoned = Context { stack_pointer: 0, thread_pointer: 0 };
    // SAFETY: the host waits in `run`.
    unsafe { fiber::switch(&mut abandoned, *HOST.get()) };
    unreachable!("an execution that is over was resumed")
}

/// Completes the record of an execution that is over, on the host's stack.
fn wind_up() {
    let x = running().expect("the execution is over, but still there");
    let end = x.end.expect("who comes back to the host has said why");
    let record = record();
    for pending in x.director.pending() {
        let first_access = record.accesses.len() as u32;
        for access in pending.accesses {
            record.accesses.push(*access);
        }
        record.pending.push(Pending {
            thread: pending.thread,
            ordinal: pending.ordinal,
            site: pending.site,
            op: pending.op,
            first_access,
            access_count: pending.accesses.len() as u32,
            awaiting: pending.awaiting,
            iteration: pending.iteration,
            timed: pending.timed,
        });
    }
    for event in x.director.glances() {
        record.glances.push(event);
    }
    back_off::wind_up(x, end);
    record.set_end(end);
    // An execution that wants a stack first is run again.
    if let Some(tracer) = x.tracer.take().filter(|_| record.wanted_stack().is_none()) {
        tracer.report(x, record);
    }
}

/// The innermost frame record of a thread.
pub fn frames_of(thread: ThreadId) -> *const FrameRecord {
    fiber::frame_of(fiber::handle(thread) as usize)
}

/// What a thread that is in an await waits for somebody to write.
pub fn awaited_object(thread: ThreadId) -> Object {
    let awaited = running().and_then(|x| x.director.awaited(thread));
    describe::object(awaited.unwrap_or(0))
}
