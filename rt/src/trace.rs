//! The trace of one execution, for people.
//!
//! While a search runs, an execution records no more than the search needs. When a
//! bug is found its schedule is run once more, with a tracer that writes down names,
//! values and stacks.

use crate::{
    channel, describe,
    execution::{self, Running},
    fiber,
    host::{self, Shown},
    inquest,
    interpose::words::{self, Word},
    record::Record,
    sharing, units,
};
use alloc::{string::String, vec, vec::Vec};
use hashbrown::HashMap;
use leno_checker::{Blocked, Finding};
use leno_model::{
    Access, End, Event, Op, Outcome, SiteRef, ThreadId,
    object::Object,
    wire::{Bug, Detail, Message, Operand, Part, StepKind, Trace, TraceStep, Wait, WaitsOn},
};

/// Bytes of a value that are kept.
const SHOWN: usize = 16;

/// What a failing thread says about its failure.
pub enum FailureText {
    Assertion { expression: String, file: String, line: u32, function: String },
    Signal { number: u32, name: &'static str, object: Option<Object> },
    Misuse { what: String, object: Option<Object>, parts: Vec<Part> },
    Leak { what: String, object: Object, allocated: Part },
}

#[derive(Default)]
pub struct Tracer {
    steps: Vec<TraceStep>,
    /// Writes whose value is known when their thread reaches its next hook: (step,
    /// operand, address), by thread.
    open: Vec<(ThreadId, usize, usize, u64)>,
    failure: Option<Detail>,
    /// By the address of something that can be misused: who allocated a block and who freed
    /// it, who joined or detached a thread, who deleted a key.
    histories: HashMap<u64, Vec<Part>>,
}

impl Tracer {
    /// The thread has made its last event's access and stands at the next one.
    pub fn arrived(&mut self, thread: ThreadId) {
        let (done, open): (Vec<_>, Vec<_>) = self.open.drain(..).partition(|w| w.0 == thread);
        self.open = open;
        for (_, step, operand, addr) in done {
            let operand = &mut self.steps[step].operands[operand];
            operand.after = Some(bytes_at(addr, operand.len));
        }
    }

    pub fn performed(&mut self, event: &Event, accesses: &[Access]) {
        let step = self.steps.len();
        let mut operands: Vec<Operand> = Vec::new();
        // That a synchronisation object is read goes without saying.
        let synchronises = event.op.objects()[0].is_some();
        // Nor does that somebody else's stack must still be there.
        let told = |access: &&Access| !synchronises && !fiber::is_life(access.addr);
        for access in accesses.iter().filter(told) {
            if access.kind.writes() {
                self.open.push((event.thread, step, operands.len(), access.addr));
            }
            operands.push(Operand {
                object: describe::object(access.addr),
                access: Some((access.kind, access.atomic)),
                len: access.len,
                before: access.kind.reads().then(|| bytes_at(access.addr, access.len)),
                after: None,
            });
        }
        operands.extend(event.op.objects().iter().flatten().map(|addr| Operand {
            object: describe::object(*addr),
            access: None,
            len: 0,
            before: None,
            after: None,
        }));
        self.steps.push(TraceStep {
            thread: event.thread,
            choice: event.choice,
            ordinal: event.ordinal,
            kind: step_kind(&event.op, &event.outcome),
            stack: describe::stack(event.site, fiber::frame()),
            operands,
        });
    }

    /// The running thread does something that matters if what is there is misused. `anew`:
    /// what was before does not matter any more.
    pub fn note(&mut self, addr: u64, what: &str, anew: bool) {
        let thread = execution::current_thread().unwrap_or(ThreadId::MAIN);
        let stack = describe::stack(SiteRef(0), fiber::frame());
        let history = self.histories.entry(addr).or_default();
        if anew {
            history.clear();
        }
        history.push(Part { thread, what: what.into(), stack });
    }

    /// What was noted there.
    pub fn history(&self, addr: u64) -> Vec<Part> {
        self.histories.get(&addr).cloned().unwrap_or_default()
    }

    pub fn failed(&mut self, text: FailureText) {
        let thread = execution::current_thread().unwrap_or(ThreadId::MAIN);
        let site = execution::running().map_or(SiteRef(0), |x| x.thread().last_site);
        // What has damaged the frames may keep more than this from being found out.
        let (mut calls, here) = (false, units::site_id(site).into_iter().collect());
        let failure = self.failure.insert(match text {
            FailureText::Assertion { expression, file, line, function } => {
                calls = true;
                Detail::Assertion { thread, expression, file, line, function, stack: here }
            }
            FailureText::Signal { number, name, object } => {
                calls = number == libc::SIGABRT as u32;
                Detail::Signal { thread, number, name: name.into(), object, stack: here }
            }
            FailureText::Misuse { what, object, parts } => {
                Detail::Misuse { thread, what, object, stack: here, parts }
            }
            FailureText::Leak { what, object, allocated: Part { thread, stack, .. } } => {
                let (object, parts) = (Some(object), Vec::new());
                self.failure = Some(Detail::Misuse { thread, what, object, stack, parts });
                return;
            }
        });
        let found = describe::stack(if calls { SiteRef(0) } else { site }, fiber::frame());
        if let Detail::Assertion { stack, .. }
        | Detail::Signal { stack, .. }
        | Detail::Misuse { stack, .. } = failure
        {
            *stack = found;
        }
    }

    /// The execution is over: send what it was, and the bug that it shows.
    pub fn report(mut self, x: &mut Running, record: &Record) {
        for thread in x.thread_numbers() {
            self.arrived(thread);
        }
        let execution = record.execution().expect("the end has been recorded");
        if let End::Diverged { .. } = execution.end {
            return; // the host says so
        }
        let bugs = host::wanted(&execution);
        let threads = record.threads().names().to_vec();
        let trace = Trace {
            threads,
            shared: sharing::ranges(),
            patient: x.is_patient(),
            steps: core::mem::take(&mut self.steps),
        };
        for bug in &bugs {
            let Some(detail) = self.detail(bug) else { continue };
            let property = host::property(bug);
            channel::send(&Message::Bug(Bug { property, detail, trace: trace.clone() }));
        }
        if host::replaying() {
            channel::send(&Message::Replayed(trace));
        } else if bugs.is_empty() {
            channel::internal_fault(String::from(
                "a bug did not show again when its schedule was run once more",
            ));
        }
    }

    fn detail(&mut self, bug: &Shown) -> Option<Detail> {
        Some(match bug {
            Shown::Status(status) => Detail::Status { status: *status },
            Shown::Died(death) => Detail::Signal {
                thread: death.thread,
                number: death.signal as u32,
                name: inquest::name(death.signal),
                object: None,
                stack: inquest::stack(death),
            },
            Shown::Found(Finding::Race { first, second, addr, len }) => {
                let object = describe::object(*addr);
                Detail::Race { first: *first, second: *second, object, len: *len }
            }
            Shown::Found(Finding::Deadlock { waits }) => {
                Detail::Deadlock { waits: waits_for(waits) }
            }
            Shown::Found(Finding::Hang { waits }) => Detail::Hang { waits: waits_for(waits) },
            Shown::Found(Finding::Failure(_)) => self.failure.take()?,
            Shown::Found(Finding::Diverged { .. }) => return None,
        })
    }
}

/// A step as something that led to a failure.
pub fn part(tracer: &Tracer, step: usize, what: &str) -> Part {
    let TraceStep { thread, stack, .. } = &tracer.steps[step];
    Part { thread: *thread, what: what.into(), stack: stack.clone() }
}

fn waits_for(waits: &[Blocked]) -> Vec<Wait> {
    let wait = |blocked: &Blocked| {
        let on = match blocked.op {
            Op::Lock { mutex, .. } => WaitsOn::Mutex {
                mutex: describe::object(mutex),
                holder: blocked.holder,
                since: blocked.since,
            },
            Op::Rewait { mutex, .. } if blocked.holder.is_some() => WaitsOn::Mutex {
                mutex: describe::object(mutex),
                holder: blocked.holder,
                since: blocked.since,
            },
            Op::Rewait { cond, .. } => WaitsOn::Condition { cond: describe::object(cond) },
            Op::Join { thread } => WaitsOn::Thread { thread },
            Op::ReadLock { rwlock } | Op::WriteLock { rwlock } => WaitsOn::Mutex {
                mutex: describe::object(rwlock),
                holder: blocked.holder,
                since: blocked.since,
            },
            Op::SemWait { sem } if words::thread_of(sem, Word::Signal).is_some() => WaitsOn::Signal,
            Op::SemWait { sem } => WaitsOn::Semaphore { sem: describe::object(sem) },
            Op::FutexResume { futex } => WaitsOn::Futex { futex: describe::object(futex) },
            Op::BarrierLeave { barrier } => WaitsOn::Barrier { barrier: describe::object(barrier) },
            _ => WaitsOn::Write { object: execution::awaited_object(blocked.thread) },
        };
        let stack = describe::stack(blocked.site, execution::frames_of(blocked.thread));
        Wait { thread: blocked.thread, on, stack, in_cycle: blocked.in_cycle }
    };
    waits.iter().map(wait).collect()
}

/// The first bytes of an object; none where nothing can be read.
fn bytes_at(addr: u64, len: u64) -> Vec<u8> {
    let mut bytes = vec![0; (len as usize).min(SHOWN)];
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let remote = libc::iovec { iov_base: addr as *mut _, iov_len: bytes.len() };
    // By system call, because the program may be about to crash on this address.
    // SAFETY: writes `bytes` only.
    let read = unsafe {
        let pid = crate::sys::call(libc::SYS_getpid, [0; 6]) as u64;
        let (local, remote) = (&raw const local as u64, &raw const remote as u64);
        crate::sys::call(libc::SYS_process_vm_readv, [pid, local, 1, remote, 1, 0])
    };
    bytes.truncate(read.max(0) as usize);
    bytes
}

pub fn step_kind(op: &Op, outcome: &Outcome) -> StepKind {
    let acquired = !matches!(outcome, Outcome::Acquired(false));
    let count = match *outcome {
        Outcome::Count(count) => count,
        Outcome::Woken(Some(_)) => 1,
        _ => 0,
    };
    match *op {
        Op::Access => StepKind::Access,
        Op::Await => StepKind::Await,
        Op::Fence(order) => StepKind::Fence { order },
        Op::Create { child } => StepKind::Create { child },
        Op::Join { thread } => StepKind::Join { thread },
        Op::End => StepKind::End,
        Op::MutexInit { .. } => StepKind::MutexInit,
        Op::MutexDestroy { .. } => StepKind::MutexDestroy,
        Op::Lock { .. } => StepKind::Lock { acquired },
        Op::TryLock { .. } => StepKind::TryLock { acquired },
        Op::Unlock { .. } => StepKind::Unlock,
        Op::CondInit { .. } => StepKind::CondInit,
        Op::CondDestroy { .. } => StepKind::CondDestroy,
        Op::Wait { .. } => StepKind::Wait,
        Op::Rewait { .. } => StepKind::Rewait,
        Op::Signal { .. } => StepKind::Signal {
            woken: if let Outcome::Woken(thread) = outcome { *thread } else { None },
        },
        Op::Broadcast { .. } => StepKind::Broadcast,
        Op::Unwait { .. } => StepKind::Unwait,
        Op::RwInit { .. } => StepKind::RwInit,
        Op::RwDestroy { .. } => StepKind::RwDestroy,
        Op::ReadLock { .. } | Op::TryReadLock { .. } => StepKind::ReadLock { acquired },
        Op::WriteLock { .. } | Op::TryWriteLock { .. } => StepKind::WriteLock { acquired },
        Op::RwUnlock { .. } => StepKind::RwUnlock,
        Op::SemInit { value, .. } => StepKind::SemInit { value },
        Op::SemDestroy { .. } => StepKind::SemDestroy,
        Op::SemWait { sem } | Op::SemTryWait { sem }
            if words::thread_of(sem, Word::Cancel).is_some() =>
        {
            StepKind::CancellationPoint { acts: acquired }
        }
        Op::SemWait { sem } | Op::SemTryWait { sem }
            if words::thread_of(sem, Word::Signal).is_some() =>
        {
            StepKind::Interruption { comes: acquired }
        }
        Op::SemWait { .. } | Op::SemTryWait { .. } => StepKind::SemWait { acquired },
        Op::SemPost { sem } => {
            let of = |word| words::thread_of(sem, word);
            match (of(Word::Cancel), of(Word::Signal)) {
                (Some(thread), _) => StepKind::Cancel { thread },
                (_, Some(thread)) => StepKind::Interrupt { thread },
                _ => StepKind::SemPost,
            }
        }
        Op::BarrierInit { count, .. } => StepKind::BarrierInit { count },
        Op::BarrierDestroy { .. } => StepKind::BarrierDestroy,
        Op::BarrierArrive { .. } => StepKind::BarrierArrive,
        Op::BarrierLeave { .. } => {
            StepKind::BarrierLeave { serial: *outcome == Outcome::Serial(true) }
        }
        Op::SemValue { .. } => StepKind::SemValue { value: count },
        Op::FutexWait { .. } => StepKind::FutexWait { waits: true },
        Op::FutexDiffers { .. } => StepKind::FutexWait { waits: false },
        Op::FutexResume { .. } => StepKind::FutexResume,
        Op::FutexLeave { .. } => {
            StepKind::FutexLeave { timed_out: *outcome == Outcome::Left(true) }
        }
        Op::FutexWake { .. } => StepKind::FutexWake {
            woken: if let Outcome::Woken(thread) = outcome { *thread } else { None },
        },
        Op::FutexWakeAll { .. } => StepKind::FutexWakeAll { count },
        Op::FutexRequeue { .. } => StepKind::FutexRequeue { count },
        Op::Choose { alternatives } => StepKind::Choose {
            value: if let Outcome::Chosen(v) = outcome { *v } else { 0 },
            alternatives,
        },
        Op::Hidden { .. } => StepKind::Hidden,
        Op::Exit => StepKind::Exit,
    }
}

/// Where an event was, for a report of nondeterminism.
pub fn place(event: &Event) -> leno_model::wire::Place {
    leno_model::wire::Place {
        thread: event.thread,
        site: units::site_id(event.site),
        what: step_kind(&event.op, &event.outcome),
    }
}
