//! The host of a check: stands before the program's `main`, runs the search, and
//! has each execution carried out by a child process.
//!
//! `__libc_start_main` is interposed: constructors have run when our main is called
//! in the program's place. The child of an execution calls the program's main on the
//! same stack, below our frames.

use crate::{
    cell::Global,
    channel,
    execution::{self, Settings},
    fiber, hooks,
    inquest::{self, Death},
    interpose,
    kernel::{self, descriptors},
    leaks, models,
    phases::{self, Phase},
    record::{self, record},
    saved::{self, Timer},
    sharing, showing, signals, snapshot, symmetry, sys,
    trace::place,
    units,
};
use alloc::{boxed::Box, format, rc::Rc, vec::Vec};
use leno_checker::{Blocked, Finding, Plan, PlannedStep, Search, Strategy, findings};
use leno_model::{
    Access, End, Event, Execution, Property, Step,
    wire::{
        CHANNEL, Counts, Fault, JOURNAL, Job, LIBRARIES, Message, Mode, Ran, Saved, SearchKind,
        Summary, Unasked,
    },
};

pub type Main = unsafe extern "C" fn(i32, *mut *mut libc::c_char, *mut *mut libc::c_char) -> i32;
type Hook = Option<unsafe extern "C" fn()>;
type StartMain = unsafe extern "C" fn(
    Main,
    i32,
    *mut *mut libc::c_char,
    Hook,
    Hook,
    Hook,
    *mut libc::c_void,
) -> i32;

/// The program's main and what it is called with.
#[derive(Clone, Copy)]
struct Program {
    main: Main,
    argc: i32,
    argv: *mut *mut libc::c_char,
    envp: *mut *mut libc::c_char,
}

static PROGRAM: Global<Option<Program>> = Global::new(None);
static RTLD_FINI: Global<Hook> = Global::new(None);
static JOB: Global<Option<Job>> = Global::new(None);
/// What the execution under way is to show, where it is one to be shown.
static WANTED: Global<Option<Shown>> = Global::new(None);

/// A bug that an execution shows.
#[derive(Clone)]
pub enum Shown {
    Found(Finding),
    /// The process ended with a status that is not 0.
    Status(i32),
    /// The process was ended by a signal.
    Died(Death),
}

/// # Safety
/// Called by the program's start-up code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __libc_start_main(
    main: Main,
    argc: i32,
    argv: *mut *mut libc::c_char,
    init: Hook,
    fini: Hook,
    rtld_fini: Hook,
    stack_end: *mut libc::c_void,
) -> i32 {
    // SAFETY: libc's own function of this name; it gets what it was to get, but for
    // our main and, behind all destructors, our last words.
    unsafe {
        let real: StartMain = core::mem::transmute(interpose::next(c"__libc_start_main"));
        let Some(fd) = descriptor(CHANNEL) else {
            return real(main, argc, argv, init, fini, rtld_fini, stack_end);
        };
        channel::open(fd);
        *JOURNAL_FILE.get() = descriptor(JOURNAL).map(descriptors::reserve);
        interpose::process::expect_quick_exit();
        *PROGRAM.get() = Some(Program { main, argc, argv, envp: core::ptr::null_mut() });
        *RTLD_FINI.get() = rtld_fini;
        real(host_main, argc, argv, init, fini, Some(last_words), stack_end)
    }
}

/// The descriptor of the journal, before it is mapped.
static JOURNAL_FILE: Global<Option<i32>> = Global::new(None);

/// A descriptor that the driver has left open.
fn descriptor(variable: &str) -> Option<i32> {
    let name = format!("{variable}\0");
    // SAFETY: a string that ends with a zero; the result is one too.
    unsafe {
        let value = libc::getenv(name.as_ptr().cast());
        let text = (!value.is_null()).then(|| core::ffi::CStr::from_ptr(value))?;
        text.to_str().ok()?.parse().ok()
    }
}

/// Whether leno checks the program of this process, which may not have come to its main yet.
pub fn is_checking() -> bool {
    PROGRAM.get().is_some() || descriptor(CHANNEL).is_some()
}

/// The program's main and its arguments.
pub fn main() -> (usize, [u64; 3]) {
    let program = PROGRAM.get().expect("the program's main is known");
    let arguments = [program.argc as u64, program.argv as u64, program.envp as u64];
    (program.main as *const () as usize, arguments)
}

/// Runs behind all `atexit` handlers and destructors.
unsafe extern "C" fn last_words() {
    // SAFETY: what libc would have called.
    unsafe {
        if let Some(fini) = *RTLD_FINI.get() {
            fini();
        }
        interpose::process::entry_of_ends();
        if let Some(x) = execution::running() {
            libc::fflush(core::ptr::null_mut());
            let status = x.status.unwrap_or(0);
            leaks::report(x.exited_at);
            execution::finish(End::Completed { status });
        }
    }
}

unsafe extern "C" fn host_main(
    _: i32,
    _: *mut *mut libc::c_char,
    envp: *mut *mut libc::c_char,
) -> i32 {
    if let Some(program) = PROGRAM.get() {
        program.envp = envp;
    }
    load_libraries();
    if let Some(file) = units::damage() {
        let what = format!("the .leno section of {file} is damaged or of another version of leno");
        fault(Fault::Unsupported { what, site: None });
    }
    channel::send(&Message::Hello {
        units: units::list(),
        loaded: units::loaded(),
        early_threads: has_early_threads(),
    });
    let Some(job) = channel::receive_job() else { sys::exit_group(70) };
    // SAFETY: a call of libc's at start-up. Children of the program are not checked.
    unsafe {
        libc::unsetenv(c"LD_PRELOAD".as_ptr());
        libc::unsetenv(c"LD_BIND_NOW".as_ptr());
        libc::unsetenv(c"LENO_CHANNEL".as_ptr());
        libc::unsetenv(c"LENO_JOURNAL".as_ptr());
        libc::unsetenv(c"LENO_LIBRARIES".as_ptr());
    }
    interpose::identity::keep();
    fiber::probe();
    *OWN_DATA.get() = units::range_of(&raw const OWN_DATA as u64).unwrap_or_default();
    interpose::load_unwinder();
    units::find_constants();
    let journal = JOURNAL_FILE.get().take();
    record::create(journal);
    if let Some(journal) = journal {
        descriptors::give_up(journal);
    }
    models::prepare(&job);
    interpose::exceptions::settle_library();
    interpose::exceptions::expect_terminate();
    interpose::choices::declare(job.nondet.clone());
    signals::install();
    sharing::record_everything(job.record_all);
    if job.kernel {
        kernel::keep(&job.scratch);
        interpose::streams::prepare();
        if interpose::mappings::made_early() && !job.isolate {
            isolate("mmap before main");
        }
    }
    *hooks::ROUNDS.get() = job.unroll;
    *hooks::__leno_unroll.get() = job.unroll;
    *hooks::WEAK_FAILURES.get() = job.weak_failures;
    *interpose::conditions::SPURIOUS.get() = job.spurious;
    *interpose::threads::MAX_THREADS.get() = job.max_threads;
    if job.profile {
        phases::measure();
    }
    let cuts = matches!(job.mode, Mode::Check { symmetry: true, .. });
    symmetry::want(cuts, job.explain_symmetry.is_some());
    let mode = job.mode.clone();
    *PROPERTIES.get() = job.properties.iter().fold(0, |all, property| all | 1 << *property as u32);
    *JOB.get() = Some(job);
    match mode {
        Mode::Inquest { keep_going, status } => {
            sharing::remember();
            inquest::hold(status, keep_going)
        }
        Mode::Check { search, symmetry, keep_going, max_executions, resume, save_every } => {
            let timer = Timer::new(save_every);
            check((search, symmetry), keep_going, max_executions, resume, timer)
        }
        Mode::Replay { threads, steps, shared, patient } => {
            for name in threads {
                record().intern(name);
            }
            provide_stacks();
            sharing::assume(&shared);
            let steps =
                steps.iter().map(|step| PlannedStep { step: *step, fingerprint: 0 }).collect();
            let plan = Plan { steps, patient, ..Plan::default() };
            execute(&Rc::new(plan), false, Manner::Traced);
            if let Some(Execution { end: End::Diverged { at }, events, .. }) = record().execution()
            {
                nondeterminism(at, None, events);
            }
            channel::send(&Message::Done(Box::new(Summary {
                counts: Default::default(),
                exhausted: false,
                steps_limited: false,
                unrolled: Vec::new(),
                unasked: Vec::new(),
                weak_atomics: false,
                unseen: Vec::new(),
                narrowed: Vec::new(),
                phases: None,
            })));
        }
    }
    sys::exit_group(0)
}

/// Loads what the program is known to open later. Their constructors run now. A library that
/// cannot be loaded from here is left to the program.
fn load_libraries() {
    let name = format!("{LIBRARIES}\0");
    // SAFETY: strings that end with a zero.
    unsafe {
        let value = libc::getenv(name.as_ptr().cast());
        if value.is_null() {
            return;
        }
        for path in core::ffi::CStr::from_ptr(value).to_bytes().split(|byte| *byte == b'\n') {
            let mut path = path.to_vec();
            path.push(0);
            libc::dlopen(path.as_ptr().cast(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        }
    }
}

/// Whether there are kernel threads besides this one.
fn has_early_threads() -> bool {
    // One that has been joined may still be about to go.
    for _ in 0..20 {
        if sys::threads() <= 1 {
            return false;
        }
        sys::nap();
    }
    true
}

/// The runtime's own data in its file.
static OWN_DATA: Global<(u64, u64)> = Global::new((0, 0));

/// Whether an access is to the runtime's memory.
#[inline(always)]
pub fn owns(access: &Access) -> bool {
    let touches = |low: u64, high: u64| access.addr < high && low < access.end();
    let (low, high) = *OWN_DATA.get();
    touches(sys::OWN.start, sys::OWN.end) || touches(low, high)
}

/// Whether an address is in the data of the runtime's file.
pub fn owns_address(addr: u64) -> bool {
    let (low, high) = *OWN_DATA.get();
    (low..high).contains(&addr)
}

fn job() -> &'static Job {
    JOB.get().as_ref().expect("the job is known from the start")
}

/// Whether violations of a property are to be reported.
#[inline(always)]
pub fn looks_for(property: Property) -> bool {
    *PROPERTIES.get() >> property as u32 & 1 != 0
}

/// The properties of the job, a bit each.
static PROPERTIES: Global<u32> = Global::new(0);

pub fn replaying() -> bool {
    matches!(job().mode, Mode::Replay { .. })
}

/// Ticks of the processor between two messages on the progress: some tenth of a second.
const PROGRESS: u64 = 300_000_000;

fn check(
    (kind, symmetry): (SearchKind, bool),
    keep_going: bool,
    max_executions: u64,
    resume: Option<Box<Saved>>,
    mut timer: Timer,
) {
    let begin = || Strategy::new(kind, symmetry);
    let mut search = resume.as_ref().map_or_else(begin, |saved| saved::take_up(saved));
    let mut exhausted = true;
    let mut steps_limited = resume.as_ref().is_some_and(|saved| saved.steps_limited);
    let mut unrolled = resume.as_ref().map_or_else(Vec::new, |saved| saved.unrolled.clone());
    let mut unasked = resume.as_ref().map_or_else(Vec::new, |saved| saved.unasked.clone());
    let Counts { mut bugs, mut digest, .. } =
        resume.as_ref().map_or_else(Counts::default, |saved| saved.counts);
    // The searches that a check begins anew know nothing of each other's bugs.
    let mut reported: Vec<Vec<u64>> = resume.map_or_else(Vec::new, |saved| saved.reported);
    let mut last_progress = phases::ticks();
    let mut explained = symmetry::Explanations::default();
    let counts = |search: &Strategy, bugs: u64, digest: u64| {
        let counts = search.counts();
        let estimate = search.explored().map_or(0.0, |part| counts.executions as f64 / part);
        let symmetry = symmetry::counts();
        Counts { bugs, digest, estimate: estimate as u64, symmetry, ..counts }
    };
    let mut stage = Stage::first();
    loop {
        // Before the next plan is made: a search that is saved has none under way.
        let enough = max_executions != 0 && search.counts().executions >= max_executions;
        let from = phases::ticks();
        let saved = (timer.is_due() || enough && timer.is_wanted()).then(|| {
            let counts = counts(&search, bugs, digest);
            saved::save(&search, &reported, counts, steps_limited, &unrolled, &unasked)
        });
        let Some(plan) = search.next().map(Rc::new) else { break };
        if let Some(saved) = saved {
            channel::send(&Message::Saved(Box::new(saved)));
            timer.done(from);
        }
        if enough {
            exhausted = false;
            break;
        }
        let mut run = execute(&plan, keep_going, Manner::Searching { max_steps: stage.steps() });
        while run.end == End::Bounded && !sharing::has_learnt() && stage.advance() {
            let is_new = |bug: &Shown| !reported.contains(&name(bug, run.events));
            let early: Vec<Shown> = self::bugs(&run).into_iter().filter(is_new).collect();
            if !early.is_empty() && !keep_going {
                break;
            }
            let (events, accesses) = (run.events.to_vec(), run.accesses.to_vec());
            for bug in early {
                reported.push(name(&bug, &events));
                bugs += 1;
                showing::show(&bug, &events, &accesses);
            }
            run = execute(&plan, keep_going, Manner::Searching { max_steps: stage.steps() });
        }
        if sharing::learn() {
            // What was recorded until now lacks accesses that are events (see there).
            search = begin();
            digest = 0;
            steps_limited = false;
            unrolled.clear();
            unasked.clear();
            continue;
        }
        if let End::Diverged { at } = run.end {
            nondeterminism(at, search.planned(at), run.events);
        }
        // A failure ends an execution at once, also where it should not have come to that.
        let cut = matches!(run.end, End::Bounded | End::Symmetric { .. } | End::Disabled);
        if run.events.len() < plan.steps.len() && !cut {
            let at = run.events.len() as u32;
            nondeterminism(at, search.planned(at), run.events);
        }
        if symmetry::learn(&run) {
            // Threads were taken for symmetric that are not (see there).
            search = begin();
            digest = 0;
            steps_limited = false;
            unrolled.clear();
            unasked.clear();
            continue;
        }
        tell(&run, &mut explained);
        steps_limited |= run.end == End::Bounded;
        if let End::Unrolled { site } = run.end {
            let site = units::site_id(site);
            unrolled.extend(site.filter(|site| !unrolled.contains(site)));
        }
        digest = add_to_digest(digest, &run);
        models::note_sharing(&run);
        let mut shown: Vec<Shown> = search.absorb(&run).into_iter().map(Shown::Found).collect();
        let symmetry = symmetry::counts();
        record().counts.set(Counts { bugs, digest, symmetry, ..search.counts() });
        if let End::Completed { status: status @ 1.. } = run.end {
            shown.push(Shown::Status(status));
        }
        // The record is of the last execution, and showing a bug is one more.
        let (events, accesses) = match &shown[..] {
            [] => (Vec::new(), Vec::new()),
            _ => (run.events.to_vec(), run.accesses.to_vec()),
        };
        for bug in shown {
            let name = name(&bug, &events);
            if !looks_for(property(&bug)) {
                unasked.extend(unasked_end(&bug).filter(|end| !unasked.contains(end)));
                continue;
            }
            if reported.contains(&name) {
                continue;
            }
            reported.push(name);
            bugs += 1;
            showing::show(&bug, &events, &accesses);
            if !keep_going {
                exhausted = false;
                break;
            }
        }
        if !exhausted {
            break;
        }
        let now = phases::ticks();
        if now - last_progress > PROGRESS {
            last_progress = now;
            channel::send(&Message::Progress(counts(&search, bugs, digest)));
        }
    }
    channel::send(&Message::Done(Box::new(Summary {
        counts: counts(&search, bugs, digest),
        exhausted,
        steps_limited,
        unrolled,
        unasked,
        weak_atomics: search.weak_atomics(),
        unseen: models::unseen(),
        narrowed: interpose::choices::narrowed(),
        phases: phases::spent(),
    })));
}

/// How many events executions may have before they are looked at.
///
/// What an execution shows is seen at its end, and one that never ends, or not before the time
/// is up, would show nothing. So one that is longer than all before it is cut and looked at,
/// and then run again for ten times as long: a tenth more than it takes anyway.
struct Stage(u64);

impl Stage {
    /// A tenth of a second at most, if there are hardly any events.
    fn first() -> Self {
        Self(1000)
    }

    /// The limit of this stage: at last that of the job.
    fn steps(&self) -> u64 {
        const LAST: u64 = 1_000_000_000;
        let limit = job().max_steps;
        if self.0 > LAST || (limit != 0 && self.0 > limit) { limit } else { self.0 }
    }

    /// Goes on to the next stage, if there is one.
    fn advance(&mut self) -> bool {
        let before = self.steps();
        self.0 = self.0.saturating_mul(10);
        self.steps() != before
    }
}

/// Says what the last execution did, if somebody wants to know.
fn tell(run: &Execution<'_>, explained: &mut symmetry::Explanations) {
    if let Some(wanted) = job().explain_symmetry {
        let found = explained.of_last_execution(wanted);
        if !found.is_empty() {
            let threads = record().threads().names().to_vec();
            channel::send(&Message::Compared { threads, found });
        }
    }
    if job().tell {
        let step = |event: &Event| Step { thread: event.thread, choice: event.choice };
        channel::send(&Message::Ran(Ran {
            steps: run.events.iter().map(step).collect(),
            end: run.end,
            failed: run.failures.iter().map(|failure| failure.site.0).collect(),
            pending: run.pending.iter().map(|pending| pending.site.0).collect(),
            symmetric: record().symmetric.as_slice().to_vec(),
        }));
    }
}

/// What makes two bugs the same: the property and the places.
pub fn name(bug: &Shown, events: &[Event]) -> Vec<u64> {
    let waits = |waits: &[Blocked]| waits.iter().map(|wait| wait.site.0).collect();
    let mut places: Vec<u64> = match bug {
        Shown::Status(status) => alloc::vec![*status as u64],
        Shown::Died(death) => alloc::vec![death.site.0, death.signal as u64],
        Shown::Found(Finding::Race { first, second, .. }) => {
            [first, second].iter().map(|index| events[**index as usize].site.0).collect()
        }
        Shown::Found(Finding::Deadlock { waits: all } | Finding::Hang { waits: all }) => waits(all),
        Shown::Found(Finding::Failure(failure)) => {
            alloc::vec![failure.site.0, u64::from(failure.code)]
        }
        Shown::Found(Finding::Diverged { at }) => alloc::vec![u64::from(*at)],
    };
    places.sort_unstable();
    places.push(property(bug) as u64);
    places
}

/// Adds an execution to the digest of all of them.
fn add_to_digest(digest: u64, run: &Execution<'_>) -> u64 {
    let add = |digest: u64, word: u64| {
        (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    };
    let event = |digest: u64, event: &Event| {
        let who = u64::from(event.thread.0) << 48 ^ u64::from(event.ordinal) << 16;
        let digest = add(digest, who ^ u64::from(event.choice) ^ event.site.0.rotate_left(32));
        run.accesses_of(event).iter().fold(digest, |digest, access| {
            add(digest, access.addr ^ access.len << 56 ^ u64::from(access.kind.writes()) << 48)
        })
    };
    add(run.events.iter().fold(digest, event), run.pending.len() as u64)
}

/// Where the program was kept from going on by a bug that nobody looks for. What would have come
/// then nobody has seen.
fn unasked_end(bug: &Shown) -> Option<Unasked> {
    let site = match bug {
        Shown::Found(Finding::Failure(failure)) => failure.site,
        Shown::Found(Finding::Deadlock { waits } | Finding::Hang { waits }) => waits.first()?.site,
        _ => return None,
    };
    Some(Unasked { property: property(bug), site: units::site_id(site) })
}

/// Which property a bug violates.
pub fn property(bug: &Shown) -> Property {
    match bug {
        Shown::Status(_) => Property::Exit,
        Shown::Died(_) => Property::Crash,
        Shown::Found(finding) => match finding {
            Finding::Race { .. } => Property::Race,
            Finding::Deadlock { .. } => Property::Deadlock,
            Finding::Hang { .. } => Property::Termination,
            Finding::Failure(failure) => failure.property,
            Finding::Diverged { .. } => Property::Progress,
        },
    }
}

/// Says what the next traced execution is to report: all that it shows, if None.
pub fn want(bug: Option<Shown>) {
    *WANTED.get() = bug;
}

/// The bugs that the traced execution is to report.
pub fn wanted(run: &Execution<'_>) -> Vec<Shown> {
    if let Some(wanted) = WANTED.get() {
        return alloc::vec![wanted.clone()];
    }
    bugs(run)
}

/// The bugs that an execution shows by itself.
pub fn bugs(run: &Execution<'_>) -> Vec<Shown> {
    let mut shown: Vec<Shown> = findings(run).into_iter().map(Shown::Found).collect();
    if let End::Completed { status } = run.end {
        shown.push(Shown::Status(status));
    }
    shown.retain(|bug| looks_for(property(bug)) && !matches!(bug, Shown::Status(0)));
    shown
}

/// What an execution is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Searching {
        max_steps: u64,
    },
    /// To see whether a schedule does what it is hoped to: as if it had never been, so in a
    /// child, which has its own knowledge of what is shared. `cut`: no further than the plan.
    Rehearsed {
        cut: bool,
    },
    Traced,
}

/// Has an execution carried out and gives its record: in place where that is
/// possible, else, and where it is to be traced, by a child process.
pub fn execute(plan: &Rc<Plan>, keep_going: bool, manner: Manner) -> Execution<'static> {
    record().discovered.clear();
    loop {
        provide_stacks();
        symmetry::keep();
        record().reset();
        let traced = manner == Manner::Traced;
        let cut = manner == Manner::Rehearsed { cut: true };
        let all = settings();
        if let Manner::Searching { max_steps } = manner {
            *LAST.get() = Last { limit: Some(max_steps), patient: plan.patient };
        }
        let max_steps = LAST.get().limit.unwrap_or(all.max_steps);
        // One that is shown is cut where the one was that has found the bug.
        let searching = matches!(manner, Manner::Searching { .. });
        let all_steps = if searching { all.all_steps } else { max_steps };
        let settings = Settings { keep_going, max_steps, all_steps, traced, cut };
        let apart = !searching;
        let status = if job().isolate || *ISOLATED.get() || apart {
            in_a_child(plan, &settings)
        } else {
            in_place(plan, &settings);
            0
        };
        if let Some(what) = kernel::obstacle() {
            snapshot::release();
            isolate(&what);
            continue;
        }
        if record().wanted_stack().is_some() {
            continue;
        }
        match record().execution() {
            Some(run) => return run,
            None => inquest::hold(status, keep_going),
        }
    }
}

/// What the last execution of the search was allowed.
struct Last {
    /// How many events.
    limit: Option<u64>,
    patient: bool,
}

static LAST: Global<Last> = Global::new(Last { limit: None, patient: false });

/// Whether the last execution of the search was a patient one (see [`Plan`]).
pub fn was_patient() -> bool {
    LAST.get().patient
}

/// Executions have turned out not to be restartable in place.
static ISOLATED: Global<bool> = Global::new(false);

fn isolate(what: &str) {
    *ISOLATED.get() = true;
    channel::send(&Message::Notice(format!(
        "each execution is a process of its own, because the program calls {what}, whose effects \
         are not put back in place"
    )));
}

/// How the job wants executions to be run.
pub fn settings() -> Settings {
    let max_steps = job().max_steps;
    Settings { keep_going: false, max_steps, all_steps: max_steps, traced: false, cut: false }
}

/// Makes stacks for all threads that have been heard of.
pub fn provide_stacks() {
    let threads = record().thread_count();
    let wanted = record().wanted_stack();
    if threads > fiber::provided() || wanted.is_some() {
        snapshot::release();
    }
    // Twice as many each time: every one that is missing costs a run.
    let provided = fiber::provide(threads.next_power_of_two().max(8));
    // Fewer will do.
    let provided = if fiber::provided() >= threads { Ok(()) } else { provided };
    let enlarged = || wanted.map_or(Ok(()), |w| fiber::enlarge(w.thread, w.size));
    if let Err(error) = provided.and_then(|()| enlarged()) {
        fault(Fault::Unsupported {
            what: format!(
                "it has {threads} threads, and there is no room for their stacks (error {error}; \
                 ulimit -v, -d and -u must leave room for some gigabytes of address space, and the \
                 system for so many threads)"
            ),
            site: None,
        });
    }
}

fn in_place(plan: &Rc<Plan>, settings: &Settings) {
    snapshot::take();
    kernel::in_place(true);
    let used = execution::run(plan.clone(), settings);
    phases::enter(Phase::Restoring);
    kernel::in_place(false);
    snapshot::restore(&used);
    kernel::put_back();
    phases::enter(Phase::Analysing);
}

/// Gives the child's wait status, of use if it ended early.
pub fn in_a_child(plan: &Rc<Plan>, settings: &Settings) -> i32 {
    let pid = sys::fork();
    if pid < 0 {
        fault(Fault::Internal { what: format!("no child process (error {})", -pid) });
    }
    if pid == 0 {
        sys::detach_child();
        interpose::identity::begin_child();
        channel::leave_to_the_host();
        execution::run(plan.clone(), settings);
        sys::exit_group(0);
    }
    let status = sys::wait(pid);
    record().executes(0);
    kernel::put_back_shared();
    let said = record().outbox.as_slice();
    channel::pass_on(said);
    if record().execution().is_none() && !said.is_empty() {
        sys::exit_group(70); // it was a fault
    }
    status
}

pub fn nondeterminism(at: u32, expected: Option<&Event>, events: &[Event]) -> ! {
    let found = events.get(at as usize).or(events.last());
    fault(Fault::Nondeterminism {
        step: at,
        expected: expected.map(place),
        found: found.map(place),
    })
}

/// Ends the check with a fault.
pub fn fault(fault: Fault) -> ! {
    channel::send(&Message::Fault(fault));
    sys::exit_group(70)
}
