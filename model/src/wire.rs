//! What the driver and the runtime in the checked process say to each other.
//!
//! They share one stream socket. A message is its length (4 bytes, little-endian)
//! and then itself in postcard's encoding. The runtime says `Hello`, the driver
//! answers with one [`Job`], and the runtime sends [`Message`]s of which `Done` or
//! `Fault` is the last. Both
//! sides come out of one build, so there is no version to negotiate.

use crate::{
    AccessKind, End, Order, Property, Step, ThreadId,
    effect::Model,
    object::{Object, SharedRange},
    site::SiteId,
    symmetry::{self, Compared},
    thread::ThreadName,
};
use alloc::{boxed::Box, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// The environment variable that holds the number of the socket's descriptor.
pub const CHANNEL: &str = "LENO_CHANNEL";

/// The environment variable that holds the descriptor of the journal: memory that the
/// driver owns and the runtime keeps its records in, so that they outlive the process.
pub const JOURNAL: &str = "LENO_JOURNAL";

/// The environment variable that names libraries, one a line, which the program opens by
/// `dlopen` while it runs. They are loaded before its `main` is called, so that what is
/// known of a program does not depend on how far an execution has come.
pub const LIBRARIES: &str = "LENO_LIBRARIES";

/// The last hook that the program passed. It stands in the journal at
/// [`LAST_HOOK`], where the driver can see it at any time.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct LastHook {
    /// As it is in the process: 0 before the first hook.
    pub site: u64,
    pub thread: u32,
    /// How many hooks have been passed, modulo 2^32.
    pub passed: u32,
    /// The process that executes the program; 0 while none does.
    pub process: i32,
}

impl LastHook {
    pub const SIZE: usize = size_of::<Self>();

    pub fn decode(bytes: &[u8; Self::SIZE]) -> Self {
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[at + i]));
        Self {
            site: u64::from(word(4)) << 32 | u64::from(word(0)),
            thread: word(8),
            passed: word(12),
            process: word(16) as i32,
        }
    }
}

/// Behind the page with the length of this list of one entry.
pub const LAST_HOOK: u64 = 4096;

/// Where the list of threads' names is in the journal, as pairs of parent and index: its length,
/// then a page behind it the names.
pub const NAMES: u64 = 8192;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchKind {
    Optimal,
    Source,
    Dpor,
    Naive,
}

/// What the runtime is to do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    pub mode: Mode,
    pub properties: Vec<Property>,
    /// 0 is "no limit".
    pub max_steps: u64,
    /// How often a loop may go round; 0 is "no limit".
    pub unroll: u32,
    /// How many threads an execution may create; 0 is "no limit".
    pub max_threads: u32,
    /// How often the weak compare-exchanges of a thread may fail for no reason.
    pub weak_failures: u32,
    /// How often the waits of a thread for condition variables may end for no reason.
    pub spurious: u32,
    /// Let the program write to the driver's stderr instead of throwing its output away.
    pub show_output: bool,
    /// Record private accesses too.
    pub record_all: bool,
    /// Run every execution in a process of its own.
    pub isolate: bool,
    /// The program calls functions that change what the kernel holds.
    pub kernel: bool,
    /// A folder for the journal of what the program does to files. None: nothing is undone.
    pub scratch: String,
    /// Measure where the time goes.
    pub profile: bool,
    /// Compare all threads in every branching state and say what comes out.
    pub explain_symmetry: Option<symmetry::Explain>,
    /// Tell of every execution; see [`Message::Ran`].
    pub tell: bool,
    /// What the functions `__VERIFIER_nondet_…` are to give.
    pub nondet: Vec<Values>,
    /// Call sites whose callee nobody knows anything about; see `Unseen`.
    pub unknown_callees: Vec<SiteId>,
    /// What functions do that are not instrumented but known.
    pub models: Vec<Model>,
    /// Call sites and the place of their callee in `models`.
    pub modelled: Vec<(SiteId, u32)>,
    /// The same by name, for functions that are called by pointer; a name that ends in
    /// `*` stands for all that begin so. None: it is not known what the function does.
    pub named: Vec<(String, Option<u32>)>,
}

/// The values to try for a type, from the lowest to the highest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Values {
    /// As in the name of the function.
    pub of: String,
    pub low: i64,
    pub high: i64,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Mode {
    Check {
        search: SearchKind,
        /// Cut what is symmetric.
        symmetry: bool,
        keep_going: bool,
        /// 0 is "no limit".
        max_executions: u64,
        /// Go on from here.
        resume: Option<Box<Saved>>,
        /// Milliseconds between two [`Message::Saved`]; 0: none are wanted.
        save_every: u64,
    },
    /// Run this schedule once and send the trace of what happens.
    Replay {
        threads: Vec<ThreadName>,
        steps: Vec<Step>,
        shared: Vec<SharedRange>,
        /// As in [`Trace`].
        patient: bool,
    },
    /// The process that ran a check is dead, and the journal is what it left: say how far
    /// it came, and run the execution that it died in once more.
    Inquest {
        keep_going: bool,
        /// The wait status of the process.
        status: i32,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Message {
    /// The first message, before the program's `main`.
    Hello {
        units: Vec<Unit>,
        /// Where each unit's table lies in this process.
        loaded: Vec<u64>,
        /// Constructors have started threads that are there: no fibers, out of our control.
        early_threads: bool,
    },
    /// Something the user should know: a mode that was changed, a limit reached.
    Notice(String),
    /// Sent about ten times a second.
    Progress(Counts),
    Bug(Bug),
    /// The check as it stands; all bugs found until now have been sent before.
    Saved(Box<Saved>),
    /// Threads that were compared, and what came out for the first time.
    Compared {
        threads: Vec<ThreadName>,
        found: Vec<Compared>,
    },
    /// An execution has come to its end.
    Ran(Ran),
    /// The answer to [`Mode::Replay`].
    Replayed(Trace),
    Done(Box<Summary>),
    /// The check cannot go on.
    Fault(Fault),
}

/// What an execution did, in short.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ran {
    pub steps: Vec<Step>,
    pub end: End,
    /// The places of what failed and of what the threads stood at, in no order.
    pub failed: Vec<u64>,
    pub pending: Vec<u64>,
    /// Who was found symmetric, and behind how many steps.
    pub symmetric: Vec<(u32, ThreadId, ThreadId)>,
}

/// The timer of the process, among what was tried in part.
pub const TIMER: &str = "SIGALRM";

/// All that it takes to go on with a check in another process.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// The search, encoded. It is full of addresses.
    pub search: Vec<u8>,
    /// What lies where, for them to mean the same.
    pub biases: Vec<(String, u64)>,
    pub threads: Vec<ThreadName>,
    pub shared: Vec<SharedRange>,
    /// What was glanced at, and by whom.
    pub glanced: Vec<(SharedRange, u32)>,
    pub handles: symmetry::Handles,
    pub habits: Vec<(ThreadId, symmetry::Habit)>,
    /// What makes bugs the same, of those that have been reported.
    pub reported: Vec<Vec<u64>>,
    pub counts: Counts,
    pub steps_limited: bool,
    pub unrolled: Vec<SiteId>,
    pub unasked: Vec<Unasked>,
    pub unseen: Vec<SiteId>,
    pub narrowed: Vec<String>,
}

/// An instrumented unit of the program or of one of its libraries.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unit {
    /// The file it was loaded from.
    pub image: String,
    /// The table's address as in that file's section headers.
    pub address: u64,
    pub digest: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counts {
    pub executions: u64,
    pub blocked_by_sleep: u64,
    pub blocked_by_assume: u64,
    pub blocked_by_await: u64,
    pub blocked_by_unroll: u64,
    /// Cut before their last planned step, because of symmetry.
    pub symmetric: u64,
    pub events: u64,
    pub max_depth: u64,
    pub threads: u64,
    pub bugs: u64,
    /// How many executions there may be in all; 0 if nobody knows.
    pub estimate: u64,
    /// Of all events of all executions, in their order: two checks with the same
    /// digest have explored the same.
    pub digest: u64,
    /// What comparing threads has come to.
    pub symmetry: symmetry::Counts,
}

/// A bug of a property that is not looked for, behind which the thread did nothing more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unasked {
    pub property: Property,
    pub site: Option<SiteId>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summary {
    pub counts: Counts,
    /// Every interleaving that matters has been run, as far as it was let.
    pub exhausted: bool,
    /// Some execution reached `max_steps`.
    pub steps_limited: bool,
    /// Loops that were not let go round again.
    pub unrolled: Vec<SiteId>,
    /// By what executions ended early and nobody asked for, each place once.
    pub unasked: Vec<Unasked>,
    /// Atomics weaker than sequentially consistent were used on shared data.
    pub weak_atomics: bool,
    /// Call sites (out of `Job::unknown_callees`) that were given shared memory.
    pub unseen: Vec<SiteId>,
    /// Types of which `__VERIFIER_nondet_…` has given some values only, and [`TIMER`] if its
    /// signal was not tried at all moments.
    pub narrowed: Vec<String>,
    /// Where the time went, if that was asked for.
    pub phases: Option<Phases>,
}

/// Nanoseconds of a whole check.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Phases {
    /// The program's own code, with the hooks that make no event.
    pub program: u64,
    /// The director, switches of threads, the record.
    pub scheduling: u64,
    /// Putting back what an execution has changed.
    pub restoring: u64,
    /// The search: happens-before, races, what to run next.
    pub analysing: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Fault {
    /// The same schedule gave different events.
    Nondeterminism { step: u32, expected: Option<Place>, found: Option<Place> },
    /// The program did something that the runtime cannot check.
    Unsupported { what: String, site: Option<SiteId> },
    /// The program has opened an instrumented library that was not loaded before `main`.
    Library { path: String },
    /// An execution ended behind the runtime's back, last seen at this site in the thread
    /// with this path (see [`crate::thread::ThreadTable::path`]).
    Died { how: String, thread: Vec<u32>, site: Option<SiteId> },
    /// The runtime itself failed.
    Internal { what: String },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    pub thread: ThreadId,
    pub site: Option<SiteId>,
    pub what: StepKind,
}

/// A bug and one execution that shows it. Numbers of steps are places in
/// `trace.steps`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bug {
    pub property: Property,
    pub detail: Detail,
    pub trace: Trace,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// Two accesses of which at least one is plain, unordered by happens-before.
    /// `object` is where they overlap.
    Race { first: u32, second: u32, object: Object, len: u64 },
    /// Nobody can go on, or some wait for each other in a cycle.
    Deadlock { waits: Vec<Wait> },
    /// A loop waits for a write that nobody is left to make.
    Hang { waits: Vec<Wait> },
    /// `expression` failed; the position is the one that `assert` was given.
    Assertion {
        thread: ThreadId,
        expression: String,
        file: String,
        line: u32,
        function: String,
        stack: Vec<SiteId>,
    },
    /// A fatal signal, `abort` included.
    Signal {
        thread: ThreadId,
        number: u32,
        name: String,
        object: Option<Object>,
        stack: Vec<SiteId>,
    },
    /// Misuse of memory or of a lock, described by the runtime. `parts` are what led
    /// to it: the allocation, the free; who holds the lock.
    Misuse {
        thread: ThreadId,
        what: String,
        object: Option<Object>,
        stack: Vec<SiteId>,
        parts: Vec<Part>,
    },
    /// The process ended with a status that is not 0 (property `exit`).
    Status { status: i32 },
}

/// Something that a thread did before; `what` goes with its name: `freed it here`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Part {
    pub thread: ThreadId,
    pub what: String,
    pub stack: Vec<SiteId>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Wait {
    pub thread: ThreadId,
    pub on: WaitsOn,
    pub stack: Vec<SiteId>,
    /// Part of the cycle, in the cycle's order; others merely wait too.
    pub in_cycle: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitsOn {
    /// A mutex or a read-write lock; `since` is the step in which the holder (of
    /// several readers, one) acquired it.
    Mutex {
        mutex: Object,
        holder: Option<ThreadId>,
        since: Option<u32>,
    },
    Condition {
        cond: Object,
    },
    Semaphore {
        sem: Object,
    },
    Barrier {
        barrier: Object,
    },
    Futex {
        futex: Object,
    },
    /// A signal, in `pause`.
    Signal,
    Thread {
        thread: ThreadId,
    },
    /// A write to this place.
    Write {
        object: Object,
    },
}

/// One execution, step by step, without a raw address.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    pub threads: Vec<ThreadName>,
    /// The memory whose accesses are steps; others are private to a thread.
    pub shared: Vec<SharedRange>,
    /// Loops were let go round once more than they need.
    #[serde(default)]
    pub patient: bool,
    pub steps: Vec<TraceStep>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TraceStep {
    pub thread: ThreadId,
    pub choice: u32,
    pub ordinal: u32,
    pub kind: StepKind,
    /// Innermost first; empty where no instrumented code was on the stack.
    pub stack: Vec<SiteId>,
    /// Memory that is read or written, or the synchronisation object.
    pub operands: Vec<Operand>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    Access,
    Fence {
        order: Order,
    },
    Create {
        child: ThreadId,
    },
    Join {
        thread: ThreadId,
    },
    End,
    MutexInit,
    MutexDestroy,
    Lock {
        acquired: bool,
    },
    TryLock {
        acquired: bool,
    },
    Unlock,
    CondInit,
    CondDestroy,
    Wait,
    Rewait,
    Signal {
        woken: Option<ThreadId>,
    },
    Broadcast,
    Unwait,
    RwInit,
    RwDestroy,
    ReadLock {
        acquired: bool,
    },
    WriteLock {
        acquired: bool,
    },
    RwUnlock,
    SemInit {
        value: u32,
    },
    SemDestroy,
    SemWait {
        acquired: bool,
    },
    SemPost,
    BarrierInit {
        count: u32,
    },
    BarrierDestroy,
    BarrierArrive,
    BarrierLeave {
        serial: bool,
    },
    SemValue {
        value: u32,
    },
    /// A request that the thread be cancelled.
    Cancel {
        thread: ThreadId,
    },
    /// A signal that is to interrupt the thread.
    Interrupt {
        thread: ThreadId,
    },
    /// The thread looks for signals, or waits for one: whether there is one.
    Interruption {
        comes: bool,
    },
    /// A cancellation point: whether the thread is cancelled there.
    CancellationPoint {
        acts: bool,
    },
    /// The word had the expected value, or not.
    FutexWait {
        waits: bool,
    },
    FutexResume,
    FutexLeave {
        timed_out: bool,
    },
    FutexWake {
        woken: Option<ThreadId>,
    },
    FutexWakeAll {
        count: u32,
    },
    FutexRequeue {
        count: u32,
    },
    Choose {
        value: u32,
        alternatives: u32,
    },
    Hidden,
    Await,
    Exit,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Operand {
    pub object: Object,
    /// None for a synchronisation object.
    pub access: Option<(AccessKind, Option<Order>)>,
    pub len: u64,
    /// What a read found (the first 16 bytes).
    pub before: Option<Vec<u8>>,
    /// What a write left.
    pub after: Option<Vec<u8>>,
}
