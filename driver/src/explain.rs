//! A bug, explained: what happened to which object, and where each thread was. The
//! human report, the JSON and the notes of a replay are all renderings of this.

use crate::{
    cli::property_name,
    image::{Frame, Images, Threads},
    words,
};
use leno_model::{
    Property, ThreadId,
    object::Object,
    wire::{Bug, Detail, Part, StepKind, TraceStep, Wait, WaitsOn},
};
use serde::{Deserialize, Serialize};

/// The bug in the user's words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Explanation {
    pub kind: Property,
    /// One line that says it all.
    pub message: String,
    pub object: Option<String>,
    /// What kind of thing the object is.
    pub origin: Option<String>,
    pub scenes: Vec<Scene>,
}

/// One thread's part in it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scene {
    pub id: ThreadId,
    pub thread: String,
    /// `write`, `lock`, `SIGSEGV` …
    pub operation: String,
    pub headline: String,
    /// What ends the thread's column in a replay, where that is no event.
    pub end: Option<String>,
    /// Innermost first.
    pub stack: Vec<Frame>,
    /// What else belongs here: who holds the lock, since when; who freed the block.
    pub because: Vec<(String, Vec<Frame>)>,
}

pub fn explain(bug: &Bug, images: &Images) -> Explanation {
    let threads = Threads::of(&bug.trace, images);
    let teller = Teller { bug, images, threads };
    let kind = bug.property;
    match &bug.detail {
        Detail::Race { first, second, object, len } => teller.race(*first, *second, object, *len),
        Detail::Deadlock { waits } => teller.waits(kind, waits),
        Detail::Hang { waits } => teller.waits(kind, waits),
        Detail::Assertion { thread, expression, file, line, function, stack } => {
            let mut stack = images.stack(stack);
            // The position that `assert` was given is the better one.
            let path = match stack.first() {
                Some(frame) if frame.line == *line => frame.path.clone(),
                _ => file.into(),
            };
            let (function, line) = (function.clone(), *line);
            let at = Frame { function, file: file.clone(), path, line, source: None, within: None };
            if stack.first().is_some_and(|frame| frame.function == at.function) {
                stack.remove(0);
            }
            stack.insert(0, at);
            let message = format!("assertion failed: {expression}");
            teller.failure(kind, message, "assert", *thread, stack, None)
        }
        Detail::Signal { thread, name, object, stack, .. } => {
            let message = match name.as_str() {
                "SIGSEGV" => "invalid memory access (SIGSEGV)".to_string(),
                "stack overflow" => "stack overflow (SIGSEGV)".to_string(),
                "SIGBUS" => "bus error (SIGBUS)".to_string(),
                "SIGFPE" => "arithmetic error, such as a division by zero (SIGFPE)".to_string(),
                "SIGILL" => "illegal instruction (SIGILL)".to_string(),
                "SIGABRT" => "the program called abort (SIGABRT)".to_string(),
                other => format!("the program was ended by {other}"),
            };
            teller.failure(kind, message, name, *thread, images.stack(stack), object.as_ref())
        }
        Detail::Misuse { thread, what, object, stack, parts } => {
            let stack = images.stack(stack);
            let mut told = teller.failure(
                kind,
                what.clone(),
                property_name(kind),
                *thread,
                stack,
                object.as_ref(),
            );
            for scene in &mut told.scenes {
                scene.because.extend(parts.iter().map(|part| teller.part(*thread, part)));
            }
            told
        }
        Detail::Status { status } => Explanation {
            kind,
            message: format!("the program ends with status {status}"),
            object: None,
            origin: None,
            scenes: Vec::new(),
        },
    }
}

struct Teller<'a> {
    bug: &'a Bug,
    images: &'a Images,
    threads: Threads,
}

impl Teller<'_> {
    fn race(&self, first: u32, second: u32, object: &Object, len: u64) -> Explanation {
        let named = self.images.name(object, len, &self.threads);
        let scenes = [first, second]
            .iter()
            .filter_map(|at| self.bug.trace.steps.get(*at as usize))
            .map(|step| self.access(step, object, len, &named.name))
            .collect();
        Explanation {
            kind: self.bug.property,
            message: format!("data race on {}", named.name),
            object: Some(named.name),
            origin: named.origin,
            scenes,
        }
    }

    fn access(&self, step: &TraceStep, object: &Object, len: u64, name: &str) -> Scene {
        let mut operands = step.operands.iter();
        let operand = operands
            .find(|operand| words::overlap(&operand.object, operand.len.max(1), object, len.max(1)))
            .or(step.operands.first());
        let (operation, order) = match operand {
            Some(operand) => (words::operation(operand), operand.access.and_then(|(_, o)| o)),
            None => (words::verb(step.kind).to_string(), None),
        };
        let order = order.map_or(String::new(), |o| format!(" ({})", words::order_name(o)));
        Scene {
            id: step.thread,
            thread: self.threads.name(step.thread),
            headline: format!("{}: {operation} of {name}{order}", self.threads.label(step.thread)),
            operation,
            end: None,
            stack: self.images.stack(&step.stack),
            because: Vec::new(),
        }
    }

    /// A deadlock, or a loop that nobody ends.
    fn waits(&self, kind: Property, waits: &[Wait]) -> Explanation {
        let cycle: Vec<_> = waits.iter().filter(|wait| wait.in_cycle).collect();
        let others = waits.iter().filter(|wait| !wait.in_cycle);
        let names = |waits: &[&Wait]| {
            let names: Vec<_> = waits.iter().map(|wait| self.threads.name(wait.thread)).collect();
            names.join(" and ")
        };
        let message = match (&cycle[..], &self.bug.detail) {
            (_, Detail::Hang { .. }) => {
                let all: Vec<_> = waits.iter().collect();
                let verb = if all.len() == 1 { "waits" } else { "wait" };
                format!("no end: {} {verb} for a write that nobody is left to make", names(&all))
            }
            ([], _) => {
                let all: Vec<_> = waits.iter().collect();
                let verb = if all.len() == 1 { "waits" } else { "wait" };
                format!("deadlock: {} {verb} for ever", names(&all))
            }
            ([alone], _) => {
                format!("deadlock: {} waits for itself", self.threads.name(alone.thread))
            }
            _ => format!("deadlock: {} wait for each other", names(&cycle)),
        };
        let objects: Vec<_> = waits.iter().filter_map(|wait| self.awaited(&wait.on)).collect();
        Explanation {
            kind,
            message,
            object: objects.into_iter().next(),
            origin: None,
            scenes: cycle.into_iter().chain(others).map(|wait| self.wait(wait)).collect(),
        }
    }

    fn awaited(&self, on: &WaitsOn) -> Option<String> {
        match on {
            WaitsOn::Mutex { mutex: object, .. }
            | WaitsOn::Condition { cond: object }
            | WaitsOn::Semaphore { sem: object }
            | WaitsOn::Barrier { barrier: object }
            | WaitsOn::Futex { futex: object }
            | WaitsOn::Write { object } => Some(self.sync_name(object)),
            WaitsOn::Thread { .. } | WaitsOn::Signal => None,
        }
    }

    fn sync_name(&self, object: &Object) -> String {
        self.images.name(object, 1, &self.threads).name
    }

    fn wait(&self, wait: &Wait) -> Scene {
        let (operation, what, because) = match &wait.on {
            WaitsOn::Mutex { mutex, holder, since } => {
                let since = since.and_then(|at| self.bug.trace.steps.get(at as usize));
                let stack = since.map_or(Vec::new(), |step| self.images.stack(&step.stack));
                let because = holder.map(|holder| {
                    let mut steps = self.bug.trace.steps.iter();
                    let ended = steps.any(|s| s.thread == holder && s.kind == StepKind::End);
                    let ended = if ended { " and has ended" } else { "" };
                    let holder = if holder == wait.thread {
                        "the same thread".to_string()
                    } else {
                        self.threads.label(holder)
                    };
                    let name = self.sync_name(mutex);
                    (format!("{name} is held by {holder}, which took it here{ended}:"), stack)
                });
                ("lock", format!("to lock {}", self.sync_name(mutex)), because)
            }
            WaitsOn::Condition { cond } => {
                ("wait", format!("for a signal of {}", self.sync_name(cond)), None)
            }
            WaitsOn::Semaphore { sem } => {
                ("wait", format!("for a post of {}", self.sync_name(sem)), None)
            }
            WaitsOn::Barrier { barrier } => {
                ("wait", format!("for others at {}", self.sync_name(barrier)), None)
            }
            WaitsOn::Futex { futex } => {
                ("futex", format!("to be woken at the futex {}", self.sync_name(futex)), None)
            }
            WaitsOn::Signal => ("pause", "for a signal".to_string(), None),
            WaitsOn::Thread { thread } => {
                ("join", format!("for the end of {}", self.threads.label(*thread)), None)
            }
            WaitsOn::Write { object } => {
                ("read", format!("for another value of {}", self.sync_name(object)), None)
            }
        };
        Scene {
            id: wait.thread,
            thread: self.threads.name(wait.thread),
            operation: operation.to_string(),
            headline: format!("{} waits {what}", self.threads.label(wait.thread)),
            end: Some(format!("waits {what}")),
            stack: self.images.stack(&wait.stack),
            because: because.into_iter().collect(),
        }
    }

    /// What somebody did before: `T1 (worker) freed it here:`.
    fn part(&self, thread: ThreadId, part: &Part) -> (String, Vec<Frame>) {
        let who = if part.thread == thread {
            "the same thread".to_string()
        } else {
            self.threads.label(part.thread)
        };
        (format!("{who} {}:", part.what), self.images.stack(&part.stack))
    }

    fn failure(
        &self,
        kind: Property,
        message: String,
        operation: &str,
        thread: ThreadId,
        stack: Vec<Frame>,
        object: Option<&Object>,
    ) -> Explanation {
        let named = object.map(|object| self.images.name(object, 1, &self.threads));
        let (object, origin) = named.map_or((None, None), |n| (Some(n.name), n.origin));
        let scene = Scene {
            id: thread,
            thread: self.threads.name(thread),
            operation: operation.to_string(),
            headline: self.threads.label(thread),
            end: Some(message.clone()),
            stack,
            because: Vec::new(),
        };
        Explanation { kind, message, object, origin, scenes: vec![scene] }
    }
}
