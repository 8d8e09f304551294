//! Model programs, run as the runtime runs real ones: through a [`Director`].
#![allow(dead_code)] // each test file uses its part

pub mod c11;
pub mod canonical;
pub mod directed;
pub mod generate;
pub mod oracle;
pub mod symmetric;

use leno_checker::{Arrival, Decision, Director, Limits, Past, Plan, Stands};
use leno_model::{
    Access, AccessKind, End, Event, Exchanged, Execution, Failure, MutexKind, Op, Order, Outcome,
    Pending, Property, SiteRef, ThreadId, Varies, rmw::apply,
};
use std::{
    collections::BTreeSet,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

/// A place in memory: an offset and a length in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Loc(pub u64, pub u64);

pub const X: Loc = Loc(0, 8);
pub const Y: Loc = Loc(8, 8);

/// A word of whoever uses it: each thread has its own.
pub const OWN: Loc = Loc(1 << 16, 8);
/// And a mutex.
pub const OWN_MUTEX: u8 = 32;

/// The own word of a thread, for others that have a pointer to it.
pub fn own_of(thread: u32) -> Loc {
    Loc(OWN.0 + 8 * (1 + u64::from(thread)), 8)
}

pub fn own_mutex_of(thread: u32) -> u8 {
    OWN_MUTEX + 1 + thread as u8
}

/// Memory that is common to all; what is a thread's own lies behind it.
const COMMON: u64 = 128;

pub type Atomic = Option<Order>;
pub const PLAIN: Atomic = None;
pub const RLX: Atomic = Some(Order::Relaxed);
pub const ACQ: Atomic = Some(Order::Acquire);
pub const REL: Atomic = Some(Order::Release);
pub const SC: Atomic = Some(Order::SeqCst);

/// An instruction. `reg` is the register that gets what was read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Instr {
    Load {
        loc: Loc,
        order: Atomic,
        reg: u8,
    },
    Store {
        loc: Loc,
        order: Atomic,
        value: u64,
    },
    /// Stores a register, plus one.
    StoreNext {
        loc: Loc,
        order: Atomic,
        reg: u8,
    },
    Cas {
        loc: Loc,
        order: Atomic,
        from: u64,
        to: u64,
        reg: u8,
    },
    Add {
        loc: Loc,
        order: Atomic,
        reg: u8,
    },
    /// An update that only reads if it changes nothing: `or`, `and`, an exchange ….
    Update {
        loc: Loc,
        order: Atomic,
        operation: u8,
        operand: u64,
        reg: u8,
    },
    /// Copies memory in one event.
    Copy {
        from: Loc,
        to: Loc,
    },
    /// An atomic section: what it does to `then` or to `other` depends on what it reads.
    Section {
        test: Loc,
        is: u64,
        then: Loc,
        other: Loc,
        reg: u8,
    },
    Fence(Order),
    Lock(u8),
    Unlock(u8),
    TryLock {
        mutex: u8,
        reg: u8,
    },
    Init(u8),
    Wait {
        cond: u8,
        mutex: u8,
    },
    Signal(u8),
    Broadcast(u8),
    /// Tries the lock, then chooses whether the timeout fires, then locks.
    TimedLock {
        mutex: u8,
        reg: u8,
    },
    /// Chooses whether the timeout fires, then waits.
    TimedWait {
        cond: u8,
        mutex: u8,
        reg: u8,
    },
    ReadLock(u8),
    WriteLock(u8),
    TryReadLock {
        rwlock: u8,
        reg: u8,
    },
    TryWriteLock {
        rwlock: u8,
        reg: u8,
    },
    TimedWriteLock {
        rwlock: u8,
        reg: u8,
    },
    RwUnlock(u8),
    RwInit(u8),
    RwDestroy(u8),
    UntilTryWriteLock(u8),
    SemInit {
        sem: u8,
        value: u32,
    },
    SemDestroy(u8),
    SemWait(u8),
    SemTryWait {
        sem: u8,
        reg: u8,
    },
    TimedSemWait {
        sem: u8,
        reg: u8,
    },
    UntilSemTryWait(u8),
    SemPost(u8),
    SemValue {
        sem: u8,
        reg: u8,
    },
    /// Waits if the place has the value. The register gets 0 if it has not, 1 if the
    /// thread was woken, 2 if it timed out, which only a timed wait does.
    FutexWait {
        loc: Loc,
        is: u64,
        bits: u32,
        timed: bool,
        reg: u8,
    },
    FutexWake {
        loc: Loc,
        bits: u32,
        all: bool,
        reg: u8,
    },
    /// Waits for a semaphore, as a cancellation point does it: another one may end it. The
    /// register gets 1 for the first, 2 for the other.
    CancellableSemWait {
        sem: u8,
        cancel: u8,
        reg: u8,
    },
    /// The same for a condition variable. Who is cancelled has the mutex again, and
    /// passes a signal on that it was woken by.
    CancellableWait {
        cond: u8,
        mutex: u8,
        cancel: u8,
        reg: u8,
    },
    FutexRequeue {
        from: Loc,
        to: Loc,
        all: bool,
    },
    BarrierInit {
        barrier: u8,
        count: u32,
    },
    BarrierDestroy(u8),
    /// The register gets whether the thread is the serial one.
    Barrier {
        barrier: u8,
        reg: u8,
    },
    Create(u32),
    Join(u32),
    Choose {
        alternatives: u32,
        reg: u8,
    },
    Hidden(u8),
    Exit,
    /// Leaves out the next instructions unless the register has the value.
    If {
        reg: u8,
        is: u64,
        skip: u8,
    },
    /// Goes back so many instructions unless the register has the value.
    Again {
        reg: u8,
        is: u64,
        back: u8,
    },
    Assert {
        reg: u8,
        is: u64,
    },
    Assume {
        reg: u8,
        is: u64,
    },
    /// Loads until the value is there.
    Until {
        loc: Loc,
        order: Atomic,
        is: u64,
    },
    /// Loads two places until one of them has the value.
    UntilEither {
        a: Loc,
        b: Loc,
        order: Atomic,
        is: u64,
    },
    /// Compare-exchanges until it succeeds.
    UntilCas {
        loc: Loc,
        order: Atomic,
        from: u64,
        to: u64,
    },
    /// Reads, then compare-exchanges; again until it succeeds.
    UntilTestAndCas {
        loc: Loc,
        order: Atomic,
        from: u64,
        to: u64,
    },
    UntilTryLock(u8),
    /// Loads the place and tries the mutex, until one of them will do.
    UntilEitherLock {
        loc: Loc,
        order: Atomic,
        is: u64,
        mutex: u8,
    },
}

impl Instr {
    /// The same about other memory and other mutexes.
    fn with(mut self, place: impl Fn(Loc) -> Loc, lock: impl Fn(u8) -> u8) -> Self {
        match &mut self {
            Instr::Load { loc, .. }
            | Instr::Store { loc, .. }
            | Instr::StoreNext { loc, .. }
            | Instr::Cas { loc, .. }
            | Instr::Add { loc, .. }
            | Instr::Update { loc, .. } => *loc = place(*loc),
            Instr::Lock(mutex) | Instr::Unlock(mutex) | Instr::TryLock { mutex, .. } => {
                *mutex = lock(*mutex);
            }
            _ => {}
        }
        self
    }

    /// As a thread does it: with what is its own.
    fn of(self, thread: u32) -> Self {
        let own = |loc: Loc| if loc == OWN { own_of(thread) } else { loc };
        let place = |loc: Loc| match own(loc).0.checked_sub(OWN.0) {
            Some(beyond) => Loc(COMMON + 64 * (beyond / 8 - 1), loc.1),
            None => loc,
        };
        let lock = |mutex| if mutex == OWN_MUTEX { own_mutex_of(thread) } else { mutex };
        self.with(place, lock)
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// Thread 0 is main. Its return is an exit.
    pub threads: Vec<Vec<Instr>>,
    /// What the exiting thread does behind its exit.
    pub handler: Vec<Instr>,
    /// Main ends like any other thread.
    pub main_ends: bool,
    /// The kinds of the mutexes; normal if there is none.
    pub kinds: Vec<MutexKind>,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (thread, instrs) in self.threads.iter().enumerate() {
            writeln!(f, "thread {thread}:")?;
            for (place, instr) in instrs.iter().enumerate() {
                writeln!(f, "  {place:2} {instr:?}")?;
            }
        }
        if !self.handler.is_empty() {
            writeln!(f, "at exit: {:?}", self.handler)?;
        }
        if self.main_ends {
            writeln!(f, "main ends without exit")?;
        }
        if self.kinds.iter().any(|kind| *kind != MutexKind::Normal) {
            writeln!(f, "mutexes: {:?}", self.kinds)?;
        }
        Ok(())
    }
}

/// A recorded execution.
pub struct Recorded {
    pub events: Vec<Event>,
    pub accesses: Vec<Access>,
    pub pending: Vec<Pending>,
    pub failures: Vec<Failure>,
    pub end: End,
    /// What changes places with two threads, if they were found to be symmetric.
    pub exchanged: Vec<Exchanged>,
    pub glances: Vec<u32>,
    /// A digest of everything observable.
    pub outcome: u64,
    /// The same without how often a loop went round.
    pub state: u64,
    /// A digest of how it ended that is the same if symmetric threads are exchanged.
    pub shape: u64,
}

impl Recorded {
    pub fn execution(&self) -> Execution<'_> {
        Execution {
            events: &self.events,
            accesses: &self.accesses,
            pending: &self.pending,
            failures: &self.failures,
            exchanged: &self.exchanged,
            children: &[],
            glances: &self.glances,
            end: self.end,
        }
    }
}

const BASE: u64 = 0x1000;

#[derive(Clone, Default)]
struct Thread {
    exists: bool,
    exited: bool,
    pc: usize,
    phase: u8,
    regs: [u64; 4],
    ordinal: u32,
    log: Vec<u64>,
    /// Spins of the present loop.
    spins: u32,
    /// How often it has gone back, and how many events it had when it last did.
    rounds: u32,
    back_at: Option<u32>,
    /// It stands at an await before its next event.
    awaits: bool,
}

struct Machine<'a> {
    program: &'a Program,
    memory: Vec<u8>,
    threads: Vec<Thread>,
    director: Director,
    out: Recorded,
    /// Instead of awaits: a loop is given up after so many rounds.
    unroll: Option<u32>,
    /// Threads that are known to be joined in vain.
    in_vain: &'a BTreeSet<ThreadId>,
    completed: bool,
}

/// Runs one execution.
pub fn run(program: &Program, plan: Plan, unroll: Option<u32>) -> Recorded {
    run_knowing(&BTreeSet::new(), 2000, program, plan, unroll)
}

/// The same, with a limit of steps.
pub fn run_within(max_steps: u64, program: &Program, plan: Plan, unroll: Option<u32>) -> Recorded {
    run_knowing(&BTreeSet::new(), max_steps, program, plan, unroll)
}

/// The same, where it is known that some threads are joined in vain.
pub fn run_knowing(
    in_vain: &BTreeSet<ThreadId>,
    max_steps: u64,
    program: &Program,
    plan: Plan,
    unroll: Option<u32>,
) -> Recorded {
    let out = Recorded {
        events: vec![],
        accesses: vec![],
        pending: vec![],
        failures: vec![],
        end: End::Stuck,
        exchanged: vec![],
        glances: vec![],
        outcome: 0,
        state: 0,
        shape: 0,
    };
    let mut machine = Machine {
        program,
        memory: vec![0; COMMON as usize + 64 * program.threads.len()],
        threads: vec![Thread::default(); program.threads.len()],
        director: Director::new(plan, Limits { max_steps }),
        out,
        unroll,
        in_vain,
        completed: false,
    };
    machine.threads[0].exists = true;
    machine.advance(0);
    let mut running = ThreadId::MAIN;
    machine.out.end = loop {
        if machine.completed {
            break End::Completed { status: 0 };
        }
        match machine.director.decide(running) {
            Decision::Run(thread) => {
                machine.step(thread.index());
                running = thread;
            }
            Decision::Compare => machine.compare(),
            Decision::Over(end) => break end,
        }
    };
    machine.finish()
}

fn mutex_at(mutex: u8) -> u64 {
    0x8000 + u64::from(mutex) * 64
}

fn number(memory: &[u8], loc: Loc) -> u64 {
    let mut bytes = [0; 8];
    bytes[..loc.1 as usize].copy_from_slice(&memory[loc.0 as usize..][..loc.1 as usize]);
    u64::from_le_bytes(bytes)
}

enum Arrives {
    Event(Op, Vec<Access>),
    /// It blocks with a timeout that does not fire.
    Timed(Op),
    /// It blocks unless it is cancelled by a post of this semaphore, which is another choice.
    Cancellable(Op, u64),
    /// Nothing to do here: go on with the next instruction.
    Private,
    /// Or with another one.
    Jump(usize),
    Stopped,
}

impl Arrives {
    fn event(self) -> (Op, Vec<Access>) {
        match self {
            Arrives::Event(op, accesses) => (op, accesses),
            Arrives::Timed(op) | Arrives::Cancellable(op, _) => (op, vec![]),
            Arrives::Private | Arrives::Jump(_) | Arrives::Stopped => panic!("no event"),
        }
    }
}

impl Machine<'_> {
    fn instr(&self, thread: usize) -> Option<Instr> {
        let state = &self.threads[thread];
        let code = if state.exited { &self.program.handler } else { &self.program.threads[thread] };
        code.get(state.pc).map(|instr| instr.of(thread as u32))
    }

    fn read(&self, loc: Loc) -> u64 {
        number(&self.memory, loc)
    }

    fn write(&mut self, loc: Loc, value: u64) {
        let bytes = value.to_le_bytes();
        self.memory[loc.0 as usize..][..loc.1 as usize].copy_from_slice(&bytes[..loc.1 as usize]);
    }

    fn kind(&self, mutex: u8) -> MutexKind {
        self.program.kinds.get(mutex as usize).copied().unwrap_or(MutexKind::Normal)
    }

    /// Runs private code up to the next event and arrives there.
    fn advance(&mut self, thread: usize) {
        loop {
            let next = self.next(thread);
            let timed = matches!(next, Arrives::Timed(_));
            let cancel = if let Arrives::Cancellable(_, sem) = next { Some(sem) } else { None };
            match next {
                Arrives::Private => self.threads[thread].pc += 1,
                Arrives::Jump(pc) => self.threads[thread].pc = pc,
                Arrives::Stopped => return,
                Arrives::Timed(_) | Arrives::Cancellable(..) | Arrives::Event(..) => {
                    let (op, accesses) = next.event();
                    let phase = self.threads[thread].phase;
                    let varies = match self.instr(thread) {
                        Some(Instr::Cas { from, .. } | Instr::UntilCas { from, .. }) => {
                            Varies::WritesIf(from)
                        }
                        Some(Instr::UntilTestAndCas { from, .. }) if phase == 1 => {
                            Varies::WritesIf(from)
                        }
                        Some(Instr::Update { loc, operation, operand, .. }) => {
                            Varies::Updates { operation, size: loc.1 as u8, operand }
                        }
                        Some(Instr::Section { .. }) => Varies::Somehow(0),
                        _ => Varies::Never,
                    };
                    let state = &mut self.threads[thread];
                    let ordinal = state.ordinal;
                    state.ordinal += 1;
                    let mut hasher = DefaultHasher::new();
                    (state.pc, state.phase, state.regs, state.exited).hash(&mut hasher);
                    let exited = u64::from(state.exited);
                    let site = 1
                        + state.phase as u64
                        + 10 * (state.pc as u64 + 100 * (2 * thread as u64 + exited));
                    let arrival = Arrival {
                        thread: ThreadId(thread as u32),
                        ordinal,
                        site: SiteRef(site),
                        op,
                        accesses: &accesses,
                        local_state: self.unroll.is_none().then(|| hasher.finish()),
                        timed,
                        clocked: false,
                        cancel,
                        signal: None,
                        varies,
                    };
                    let past = Past { events: &self.out.events, accesses: &self.out.accesses };
                    let stands = self.director.arrive(arrival, past);
                    self.threads[thread].awaits = stands == Stands::BeforeIt;
                    return;
                }
            }
        }
    }

    fn next(&mut self, thread: usize) -> Arrives {
        use AccessKind::{Read, ReadWrite, Write};
        let state = &self.threads[thread];
        let access =
            |loc: Loc, kind, atomic| Access { addr: BASE + loc.0, len: loc.1, kind, atomic };
        let touch = |loc, kind, atomic| Arrives::Event(Op::Access, vec![access(loc, kind, atomic)]);
        let only = |op| Arrives::Event(op, vec![]);
        let m = mutex_at;
        let c = |cond: u8| 0x9000 + u64::from(cond) * 64;
        let rw = |rwlock: u8| 0xa000 + u64::from(rwlock) * 64;
        let s = |sem: u8| 0xb000 + u64::from(sem) * 64;
        let b = |barrier: u8| 0xc000 + u64::from(barrier) * 64;
        let fires = Op::Choose { alternatives: 2 };
        let Some(instr) = self.instr(thread) else {
            if state.exited {
                self.completed = true;
                return Arrives::Stopped;
            }
            let exits = thread == 0 && !self.program.main_ends;
            return only(if exits { Op::Exit } else { Op::End });
        };
        match instr {
            Instr::Load { loc, order, .. } | Instr::Until { loc, order, .. } => {
                touch(loc, Read, order)
            }
            Instr::UntilEither { a, b, order, .. } => {
                touch(if state.phase == 0 { a } else { b }, Read, order)
            }
            Instr::Store { loc, order, .. } | Instr::StoreNext { loc, order, .. } => {
                touch(loc, Write, order)
            }
            Instr::UntilTestAndCas { loc, order, .. } if state.phase == 0 => {
                touch(loc, Read, order)
            }
            Instr::Cas { loc, order, .. }
            | Instr::Update { loc, order, .. }
            | Instr::Add { loc, order, .. }
            | Instr::UntilCas { loc, order, .. }
            | Instr::UntilTestAndCas { loc, order, .. } => touch(loc, ReadWrite, order),
            Instr::Copy { from, to } => {
                Arrives::Event(Op::Access, vec![access(from, Read, None), access(to, Write, None)])
            }
            // What it will do is not known on arrival.
            Instr::Section { .. } => only(Op::Access),
            Instr::Fence(order) => only(Op::Fence(order)),
            Instr::Lock(mutex) => only(Op::Lock { mutex: m(mutex), kind: self.kind(mutex) }),
            Instr::Unlock(mutex) => only(Op::Unlock { mutex: m(mutex) }),
            Instr::Init(mutex) => only(Op::MutexInit { mutex: m(mutex), kind: self.kind(mutex) }),
            Instr::UntilEitherLock { loc, order, .. } if state.phase == 0 => {
                touch(loc, Read, order)
            }
            Instr::TryLock { mutex, .. }
            | Instr::UntilTryLock(mutex)
            | Instr::UntilEitherLock { mutex, .. } => {
                only(Op::TryLock { mutex: m(mutex), kind: self.kind(mutex) })
            }
            Instr::Wait { cond, mutex } => only(if state.phase == 0 {
                Op::Wait { cond: c(cond), mutex: m(mutex) }
            } else {
                Op::Rewait { cond: c(cond), mutex: m(mutex) }
            }),
            Instr::Signal(cond) => only(Op::Signal { cond: c(cond) }),
            Instr::Broadcast(cond) => only(Op::Broadcast { cond: c(cond) }),
            Instr::TimedLock { mutex, .. } => match state.phase {
                0 => only(Op::TryLock { mutex: m(mutex), kind: self.kind(mutex) }),
                1 => Arrives::Timed(fires),
                _ => Arrives::Timed(Op::Lock { mutex: m(mutex), kind: self.kind(mutex) }),
            },
            Instr::TimedWait { cond, mutex, .. } => match state.phase {
                0 => only(Op::Wait { cond: c(cond), mutex: m(mutex) }),
                1 => Arrives::Timed(fires),
                2 => Arrives::Timed(Op::Rewait { cond: c(cond), mutex: m(mutex) }),
                3 => only(Op::Unwait { cond: c(cond) }),
                _ => only(Op::Lock { mutex: m(mutex), kind: self.kind(mutex) }),
            },
            Instr::ReadLock(rwlock) => only(Op::ReadLock { rwlock: rw(rwlock) }),
            Instr::WriteLock(rwlock) => only(Op::WriteLock { rwlock: rw(rwlock) }),
            Instr::TryReadLock { rwlock, .. } => only(Op::TryReadLock { rwlock: rw(rwlock) }),
            Instr::TryWriteLock { rwlock, .. } | Instr::UntilTryWriteLock(rwlock) => {
                only(Op::TryWriteLock { rwlock: rw(rwlock) })
            }
            Instr::TimedWriteLock { rwlock, .. } => match state.phase {
                0 => only(Op::TryWriteLock { rwlock: rw(rwlock) }),
                1 => Arrives::Timed(fires),
                _ => Arrives::Timed(Op::WriteLock { rwlock: rw(rwlock) }),
            },
            Instr::RwUnlock(rwlock) => only(Op::RwUnlock { rwlock: rw(rwlock) }),
            Instr::RwInit(rwlock) => only(Op::RwInit { rwlock: rw(rwlock) }),
            Instr::RwDestroy(rwlock) => only(Op::RwDestroy { rwlock: rw(rwlock) }),
            Instr::SemInit { sem, value } => only(Op::SemInit { sem: s(sem), value }),
            Instr::SemDestroy(sem) => only(Op::SemDestroy { sem: s(sem) }),
            Instr::SemWait(sem) => only(Op::SemWait { sem: s(sem) }),
            Instr::SemTryWait { sem, .. } | Instr::UntilSemTryWait(sem) => {
                only(Op::SemTryWait { sem: s(sem) })
            }
            Instr::TimedSemWait { sem, .. } => match state.phase {
                0 => only(Op::SemTryWait { sem: s(sem) }),
                1 => Arrives::Timed(fires),
                _ => Arrives::Timed(Op::SemWait { sem: s(sem) }),
            },
            Instr::SemPost(sem) => only(Op::SemPost { sem: s(sem) }),
            Instr::SemValue { sem, .. } => only(Op::SemValue { sem: s(sem) }),
            Instr::FutexWait { loc, bits, .. } => {
                let futex = BASE + loc.0;
                match state.phase {
                    0 => {
                        let read = access(loc, Read, Some(Order::Relaxed));
                        Arrives::Event(Op::FutexWait { futex, bits }, vec![read])
                    }
                    1 => Arrives::Timed(fires),
                    2 => only(Op::FutexResume { futex }),
                    3 => Arrives::Timed(Op::FutexResume { futex }),
                    _ => only(Op::FutexLeave { futex }),
                }
            }
            Instr::FutexWake { loc, bits, all, .. } => {
                let futex = BASE + loc.0;
                only(if all {
                    Op::FutexWakeAll { futex, bits }
                } else {
                    Op::FutexWake { futex, bits }
                })
            }
            Instr::CancellableSemWait { sem, cancel, .. } => match state.phase {
                0 => only(Op::SemTryWait { sem: s(cancel) }),
                1 => only(Op::SemTryWait { sem: s(sem) }),
                2 => Arrives::Timed(fires),
                3 => Arrives::Cancellable(Op::SemWait { sem: s(sem) }, s(cancel)),
                _ => Arrives::Timed(Op::SemWait { sem: s(cancel) }),
            },
            Instr::CancellableWait { cond, mutex, cancel, .. } => {
                let (cond, mutex, kind) = (c(cond), m(mutex), self.kind(mutex));
                match state.phase {
                    0 => only(Op::SemTryWait { sem: s(cancel) }),
                    1 => only(Op::Wait { cond, mutex }),
                    2 => Arrives::Timed(fires),
                    3 => Arrives::Cancellable(Op::Rewait { cond, mutex }, s(cancel)),
                    4 => Arrives::Timed(Op::SemWait { sem: s(cancel) }),
                    5 => only(Op::Unwait { cond }),
                    // Woken by a signal, or not.
                    6 | 7 => only(Op::Lock { mutex, kind }),
                    _ => only(Op::Signal { cond }),
                }
            }
            Instr::FutexRequeue { from, to, all } => {
                only(Op::FutexRequeue { from: BASE + from.0, to: BASE + to.0, all })
            }
            Instr::BarrierInit { barrier, count } => {
                only(Op::BarrierInit { barrier: b(barrier), count })
            }
            Instr::BarrierDestroy(barrier) => only(Op::BarrierDestroy { barrier: b(barrier) }),
            Instr::Barrier { barrier, .. } => only(if state.phase == 0 {
                Op::BarrierArrive { barrier: b(barrier) }
            } else {
                Op::BarrierLeave { barrier: b(barrier) }
            }),
            // In a loop.
            Instr::Create(child) if self.threads[child as usize].exists => Arrives::Private,
            Instr::Create(child) => only(Op::Create { child: ThreadId(child) }),
            Instr::Join(other) => only(Op::Join { thread: ThreadId(other) }),
            Instr::Choose { alternatives, .. } => only(Op::Choose { alternatives }),
            Instr::Hidden(object) => only(Op::Hidden { object: object.into() }),
            Instr::Exit => only(Op::Exit),
            Instr::If { reg, is, skip } => {
                if state.regs[reg as usize] != is {
                    self.threads[thread].pc += skip as usize;
                }
                Arrives::Private
            }
            Instr::Again { reg, is, back } => {
                // A loop without an event is left.
                let idles = state.back_at == Some(state.ordinal);
                if state.regs[reg as usize] == is || idles {
                    self.threads[thread].rounds = 0;
                    return Arrives::Private;
                }
                let state = &mut self.threads[thread];
                state.rounds += 1;
                state.back_at = Some(state.ordinal);
                if self.unroll.is_some_and(|unroll| state.rounds > unroll) {
                    self.director.refute(ThreadId(thread as u32));
                    return Arrives::Stopped;
                }
                Arrives::Jump(state.pc.saturating_sub(back as usize))
            }
            Instr::Assert { reg, is } if state.regs[reg as usize] != is => {
                self.out.failures.push(Failure {
                    property: Property::Assert,
                    thread: ThreadId(thread as u32),
                    after: self.out.events.len() as u32,
                    site: SiteRef(1 + 10 * (state.pc as u64 + 100 * 2 * thread as u64)),
                    code: 0,
                });
                self.director.fail(ThreadId(thread as u32));
                Arrives::Stopped
            }
            Instr::Assume { reg, is } if state.regs[reg as usize] != is => {
                self.director.refute(ThreadId(thread as u32));
                Arrives::Stopped
            }
            Instr::Assert { .. } | Instr::Assume { .. } => Arrives::Private,
        }
    }

    /// The thread's event happens, with the private code behind it.
    fn step(&mut self, thread: usize) {
        let id = ThreadId(thread as u32);
        if std::mem::take(&mut self.threads[thread].awaits) {
            let event = self.director.perform(id, &[], self.out.accesses.len() as u32);
            self.out.events.push(event);
            return self.advance(thread);
        }
        let (_, mut accesses) = self.next(thread).event();
        let instr = self.instr(thread);
        let memory = self.memory.clone();
        let before = |loc: Loc| number(&memory, loc);
        let mut read = None;
        // None: this instruction goes on; the phase it does it with.
        let mut again = None;
        let phase = self.threads[thread].phase;
        let fails = |accesses: &mut Vec<Access>| accesses[0].kind = AccessKind::Read;
        match instr {
            Some(Instr::Load { loc, reg, .. }) => read = Some((reg, self.read(loc))),
            Some(Instr::Store { loc, value, .. }) => self.write(loc, value),
            Some(Instr::StoreNext { loc, reg, .. }) => {
                self.write(loc, self.threads[thread].regs[reg as usize].wrapping_add(1));
            }
            Some(Instr::Cas { loc, from, to, reg, .. }) => {
                let found = self.read(loc);
                read = Some((reg, found));
                if found == from { self.write(loc, to) } else { fails(&mut accesses) }
            }
            Some(Instr::Add { loc, reg, .. }) => {
                let found = self.read(loc);
                self.write(loc, found.wrapping_add(1));
                read = Some((reg, found));
            }
            Some(Instr::Update { loc, operation, operand, reg, .. }) => {
                let found = self.read(loc);
                let (old, operand) = (found.into(), operand.into());
                let new = apply(operation.into(), loc.1 as u32, old, operand) as u64;
                read = Some((reg, found));
                if new == found { fails(&mut accesses) } else { self.write(loc, new) }
            }
            Some(Instr::Section { test, is, then, other, reg }) => {
                let access = |loc: Loc, kind| Access {
                    addr: BASE + loc.0,
                    len: loc.1,
                    kind,
                    atomic: Some(Order::SeqCst),
                };
                let found = self.read(test);
                accesses.push(access(test, AccessKind::Read));
                if found == is {
                    self.write(then, found.wrapping_add(1));
                    accesses.push(access(then, AccessKind::Write));
                    read = Some((reg, found));
                } else {
                    read = Some((reg, self.read(other)));
                    accesses.push(access(other, AccessKind::Read));
                }
            }
            Some(Instr::Copy { from, to }) => self.write(to, self.read(from)),
            Some(Instr::Until { loc, is, .. }) => {
                read = Some((3, self.read(loc)));
                again = (self.read(loc) != is).then_some(0);
            }
            Some(Instr::UntilEither { a, b, is, .. }) => {
                let found = self.read(if phase == 0 { a } else { b });
                read = Some((2 + phase, found));
                again = (found != is).then_some(1 - phase);
            }
            Some(Instr::UntilCas { loc, from, to, .. }) => {
                let found = self.read(loc);
                if found == from {
                    self.write(loc, to);
                } else {
                    fails(&mut accesses);
                    again = Some(0);
                }
            }
            Some(Instr::UntilTestAndCas { loc, from, to, .. }) => {
                let found = self.read(loc);
                if phase == 0 {
                    again = Some(u8::from(found == from));
                } else if found == from {
                    self.write(loc, to);
                } else {
                    fails(&mut accesses);
                    again = Some(0);
                }
            }
            Some(Instr::FutexWait { loc, is, .. }) if phase == 0 && self.read(loc) != is => {
                self.director.settle(id, Op::FutexDiffers { futex: BASE + loc.0 });
            }
            Some(Instr::UntilEitherLock { loc, is, .. }) if phase == 0 => {
                again = (self.read(loc) != is).then_some(1);
            }
            _ => {}
        }
        let first = self.out.accesses.len() as u32;
        self.out.accesses.extend_from_slice(&accesses);
        if let [Access { addr, len, atomic: Some(_), .. }] = accesses[..] {
            self.director.finds(id, Some(before(Loc(addr - BASE, len))));
        }
        let event = self.director.perform(id, &accesses, first);
        self.out.events.push(event);
        match (instr, event.outcome) {
            (Some(Instr::TryLock { reg, .. }), Outcome::Acquired(got)) => {
                read = Some((reg, got.into()))
            }
            (Some(Instr::UntilTryLock(_)), Outcome::Acquired(false)) => again = Some(0),
            (Some(Instr::UntilEitherLock { .. }), Outcome::Acquired(false)) => again = Some(0),
            (
                Some(Instr::SemValue { reg, .. } | Instr::FutexWake { reg, .. }),
                Outcome::Count(n),
            ) => read = Some((reg, n.into())),
            (Some(Instr::FutexWake { reg, .. }), Outcome::Woken(woken)) => {
                read = Some((reg, woken.is_some().into()));
            }
            (Some(Instr::FutexWait { timed, reg, .. }), outcome) => match (phase, outcome) {
                (0, _) if matches!(event.op, Op::FutexDiffers { .. }) => read = Some((reg, 0)),
                (0, _) => again = Some(if timed { 1 } else { 2 }),
                (1, Outcome::Chosen(0)) => again = Some(3),
                (1, _) => again = Some(4),
                (_, Outcome::Left(true)) => read = Some((reg, 2)),
                _ => read = Some((reg, 1)),
            },
            (Some(Instr::CancellableSemWait { reg, .. }), outcome) => match (phase, outcome) {
                (0, Outcome::Acquired(false)) => again = Some(1),
                (1, Outcome::Acquired(false)) => again = Some(2),
                (2, Outcome::Chosen(chosen)) => again = Some(3 + chosen as u8),
                (0 | 4, _) => read = Some((reg, 2)),
                _ => read = Some((reg, 1)),
            },
            (Some(Instr::CancellableWait { reg, .. }), outcome) => match (phase, outcome) {
                (0, Outcome::Acquired(true)) => read = Some((reg, 2)),
                (2, Outcome::Chosen(chosen)) => again = Some(3 + chosen as u8),
                (5, Outcome::Left(waiting)) => again = Some(if waiting { 6 } else { 7 }),
                (0 | 1 | 4, _) => again = Some(phase + 1),
                (7, _) => again = Some(8),
                (3, _) => read = Some((reg, 1)),
                _ => read = Some((reg, 2)),
            },
            (Some(Instr::Choose { reg, .. }), Outcome::Chosen(value)) => {
                read = Some((reg, value.into()))
            }
            (Some(Instr::Wait { .. } | Instr::Barrier { .. }), _) if phase == 0 => again = Some(1),
            (Some(Instr::Barrier { reg, .. }), Outcome::Serial(serial)) => {
                read = Some((reg, serial.into()))
            }
            (
                Some(Instr::UntilTryWriteLock(_) | Instr::UntilSemTryWait(_)),
                Outcome::Acquired(false),
            ) => again = Some(0),
            (
                Some(
                    Instr::TryReadLock { reg, .. }
                    | Instr::TryWriteLock { reg, .. }
                    | Instr::SemTryWait { reg, .. },
                ),
                Outcome::Acquired(got),
            ) => read = Some((reg, got.into())),
            (
                Some(
                    Instr::TimedLock { reg, .. }
                    | Instr::TimedWriteLock { reg, .. }
                    | Instr::TimedSemWait { reg, .. },
                ),
                outcome,
            ) => match (phase, outcome) {
                (0, Outcome::Acquired(false)) => again = Some(1),
                (1, Outcome::Chosen(0)) => again = Some(2),
                (1, _) => read = Some((reg, 0)),
                _ => read = Some((reg, 1)),
            },
            (Some(Instr::TimedWait { reg, .. }), outcome) => match (phase, outcome) {
                (0, _) => again = Some(1),
                (1, Outcome::Chosen(0)) => again = Some(2),
                (1, _) => again = Some(3),
                (3, _) => again = Some(4),
                _ => read = Some((reg, u64::from(phase == 2))),
            },
            _ => {}
        }
        let state = &mut self.threads[thread];
        if let Some((reg, value)) = read {
            state.regs[reg as usize] = value;
            state.log.push(value);
        }
        if event.op == Op::Exit {
            state.exited = true;
            (state.pc, state.phase) = (0, 0);
        } else if event.op == Op::End {
            return;
        } else if let Some(phase) = again {
            state.phase = phase;
            state.spins += 1;
            if self.unroll.is_some_and(|unroll| state.spins > unroll) {
                self.director.refute(id);
                return;
            }
        } else {
            state.pc += 1;
            (state.phase, state.spins) = (0, 0);
        }
        if let Op::Create { child } = event.op {
            self.threads[child.index()].exists = true;
            self.advance(child.index());
        }
        self.advance(thread);
    }

    fn finish(mut self) -> Recorded {
        let mut out = self.out;
        for p in self.director.pending() {
            let first_access = out.accesses.len() as u32;
            out.accesses.extend_from_slice(p.accesses);
            out.pending.push(Pending {
                thread: p.thread,
                ordinal: p.ordinal,
                site: p.site,
                op: p.op,
                first_access,
                access_count: p.accesses.len() as u32,
                awaiting: p.awaiting,
                iteration: p.iteration,
                timed: p.timed,
            });
        }
        out.glances.extend(self.director.glances());
        let end = std::mem::discriminant(&out.end);
        let stuck: Vec<_> = out.pending.iter().map(|p| (p.thread, p.site, p.awaiting)).collect();
        let mut failed: Vec<_> = out.failures.iter().map(|f| (f.thread, f.site)).collect();
        failed.sort();
        let mut hasher = DefaultHasher::new();
        (end, &self.memory, &stuck, &failed).hash(&mut hasher);
        for thread in &mut self.threads {
            (thread.pc, thread.phase, thread.regs).hash(&mut hasher);
        }
        out.state = hasher.finish();
        for thread in &self.threads {
            thread.log.hash(&mut hasher);
        }
        out.outcome = hasher.finish();
        out.shape = symmetric::shape(self.program, &self.threads, &out, &self.memory);
        out
    }
}
