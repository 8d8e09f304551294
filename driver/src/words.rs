//! Events in words: what a step of a trace does, short enough for a column.

use crate::{
    image::{Images, Named, Threads},
    program::Journal,
    watchdog::Stuck,
};
use leno_model::{
    AccessKind, Order,
    object::Object,
    site::{SiteId, SiteKind},
    wire::{Operand, StepKind, TraceStep},
};

/// `1 execution`, `2 executions`, `12 345 executions`.
pub fn count(number: u64, word: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {word}{plural}", grouped(number))
}

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let head = digits.len() % 3;
    let mut groups: Vec<_> =
        (head..digits.len()).step_by(3).map(|at| &digits[at..at + 3]).collect();
    if head > 0 {
        groups.insert(0, &digits[..head]);
    }
    groups.join(" ")
}

/// The step as in `write x = 1` or `lock m`.
pub fn step(step: &TraceStep, images: &Images, threads: &Threads) -> String {
    let operands: Vec<_> = step
        .operands
        .iter()
        .map(|operand| (operand, images.name(&operand.object, operand.len.max(1), threads)))
        .collect();
    let object = operands.iter().find(|(operand, _)| operand.access.is_none());
    let on = |verb: &str| match object.or(operands.first()) {
        Some((_, named)) => format!("{verb} {}", named.name),
        None => verb.to_string(),
    };
    match step.kind {
        StepKind::Access => {
            let kind = step.stack.first().and_then(|site| images.kind(*site));
            let parts: Vec<_> =
                operands.iter().map(|(o, named)| access(o, named, kind, images)).collect();
            if parts.is_empty() { "access".to_string() } else { parts.join(", ") }
        }
        StepKind::Fence { order } => format!("fence {}", order_name(order)),
        StepKind::Create { child } => format!("create {}", threads.name(child)),
        StepKind::Join { thread } => format!("join {}", threads.name(thread)),
        StepKind::End => "end".to_string(),
        StepKind::MutexInit | StepKind::CondInit | StepKind::RwInit => on("init"),
        StepKind::MutexDestroy
        | StepKind::CondDestroy
        | StepKind::RwDestroy
        | StepKind::SemDestroy
        | StepKind::BarrierDestroy => on("destroy"),
        StepKind::Lock { acquired: true } => on("lock"),
        StepKind::Lock { acquired: false } => format!("{}: refused", on("lock")),
        StepKind::TryLock { acquired: true } => on("trylock"),
        StepKind::TryLock { acquired: false } => format!("{}: busy", on("trylock")),
        StepKind::Unlock => on("unlock"),
        StepKind::Wait => on("wait"),
        StepKind::Rewait => on("woken from"),
        StepKind::Signal { woken: Some(thread) } => {
            format!("{} → {}", on("signal"), threads.name(thread))
        }
        StepKind::Signal { woken: None } => format!("{}: nobody waits", on("signal")),
        StepKind::Broadcast => on("broadcast"),
        StepKind::Unwait => format!("{}: timeout", on("wait")),
        StepKind::ReadLock { acquired: true } => on("read lock"),
        StepKind::ReadLock { acquired: false } => format!("{}: busy", on("read lock")),
        StepKind::WriteLock { acquired: true } => on("write lock"),
        StepKind::WriteLock { acquired: false } => format!("{}: busy", on("write lock")),
        StepKind::RwUnlock => on("unlock"),
        StepKind::SemInit { value } => format!("{} = {value}", on("init")),
        StepKind::SemWait { acquired: true } => on("take"),
        StepKind::SemWait { acquired: false } => format!("{}: none left", on("take")),
        StepKind::SemPost => on("post"),
        StepKind::BarrierInit { count } => format!("{} for {count}", on("init")),
        StepKind::BarrierArrive => on("arrive at"),
        StepKind::BarrierLeave { serial: true } => format!("{} as the serial one", on("leave")),
        StepKind::BarrierLeave { serial: false } => on("leave"),
        StepKind::Interrupt { thread } => format!("signal to {}", threads.name(thread)),
        StepKind::Interruption { comes: true } => "gets a signal".to_string(),
        StepKind::Interruption { comes: false } => "gets no signal".to_string(),
        StepKind::Cancel { thread } => format!("cancel {}", threads.name(thread)),
        StepKind::CancellationPoint { acts: true } => "is cancelled".to_string(),
        StepKind::CancellationPoint { acts: false } => "is not cancelled".to_string(),
        StepKind::SemValue { value } => format!("{} = {value}", on("value of")),
        StepKind::FutexWait { waits: true } => on("futex wait"),
        StepKind::FutexWait { waits: false } => format!("{}: another value", on("futex wait")),
        StepKind::FutexResume => on("woken from futex"),
        StepKind::FutexLeave { timed_out: true } => format!("{}: timeout", on("futex wait")),
        StepKind::FutexLeave { timed_out: false } => on("woken from futex"),
        StepKind::FutexWake { woken: Some(thread) } => {
            format!("{} → {}", on("futex wake"), threads.name(thread))
        }
        StepKind::FutexWake { woken: None } | StepKind::FutexWakeAll { count: 0 } => {
            format!("{}: nobody waits", on("futex wake"))
        }
        StepKind::FutexWakeAll { count } => format!("{} → {count}", on("futex wake all")),
        StepKind::FutexRequeue { count } => format!("{}: {count}", on("futex requeue")),
        StepKind::Choose { value, alternatives } => format!("choose {value} of {alternatives}"),
        StepKind::Hidden => "state inside libc".to_string(),
        StepKind::Await => "tries again".to_string(),
        StepKind::Exit => "exit".to_string(),
    }
}

fn access(operand: &Operand, named: &Named, site: Option<&SiteKind>, images: &Images) -> String {
    let value = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|b| images.value(named, b));
    let (before, after) = (value(&operand.before), value(&operand.after));
    let name = &named.name;
    let equals = |value: &Option<String>| match value {
        Some(value) if operand.len <= 16 => format!(" = {value}"),
        _ => String::new(),
    };
    let exchange = matches!(site, Some(SiteKind::CompareExchange));
    let verb = || match site {
        Some(SiteKind::ReadModifyWrite(operation)) => operation.as_str(),
        _ if exchange => "cas",
        _ => "update",
    };
    match operand.access.map_or(AccessKind::Read, |(kind, _)| kind) {
        AccessKind::Read if exchange => format!("cas {name} failed, found{}", equals(&before)),
        AccessKind::Read => format!("read {name}{}", equals(&before)),
        AccessKind::Kept => format!("{} {name}, kept{}", verb(), equals(&before)),
        AccessKind::Write => format!("write {name}{}", equals(&after)),
        AccessKind::ReadWrite => {
            let verb = verb();
            match (before, after) {
                (Some(before), Some(after)) => format!("{verb} {name}: {before} → {after}"),
                (_, after) => format!("{verb} {name}{}", equals(&after)),
            }
        }
    }
}

/// What an access is called in a report: `write`, `atomic read`.
pub fn operation(operand: &Operand) -> String {
    let (kind, atomic) = operand.access.unwrap_or((AccessKind::Read, None));
    let word = match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::ReadWrite | AccessKind::Kept => "read-modify-write",
    };
    if atomic.is_some() { format!("atomic {word}") } else { word.to_string() }
}

pub fn order_name(order: Order) -> &'static str {
    match order {
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "seq_cst",
    }
}

/// What a step that is no memory access is called: `lock`, `join`.
pub fn verb(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Access => "access",
        StepKind::Fence { .. } => "fence",
        StepKind::Create { .. } => "create",
        StepKind::Join { .. } => "join",
        StepKind::End => "end",
        StepKind::MutexInit
        | StepKind::CondInit
        | StepKind::RwInit
        | StepKind::SemInit { .. }
        | StepKind::BarrierInit { .. } => "init",
        StepKind::MutexDestroy
        | StepKind::CondDestroy
        | StepKind::RwDestroy
        | StepKind::SemDestroy
        | StepKind::BarrierDestroy => "destroy",
        StepKind::Unwait => "timeout",
        StepKind::ReadLock { .. } => "read lock",
        StepKind::WriteLock { .. } => "write lock",
        StepKind::SemWait { .. } => "wait",
        StepKind::SemPost => "post",
        StepKind::BarrierArrive | StepKind::BarrierLeave { .. } => "barrier",
        StepKind::Lock { .. } => "lock",
        StepKind::TryLock { .. } => "trylock",
        StepKind::Unlock | StepKind::RwUnlock => "unlock",
        StepKind::Wait => "wait",
        StepKind::Rewait => "wake-up",
        StepKind::Signal { .. } => "signal",
        StepKind::Broadcast => "broadcast",
        StepKind::Interrupt { .. } => "signal to a thread",
        StepKind::Interruption { .. } => "signal",
        StepKind::Cancel { .. } => "cancel",
        StepKind::CancellationPoint { .. } => "cancellation point",
        StepKind::SemValue { .. } => "getvalue",
        StepKind::FutexWait { .. } => "futex wait",
        StepKind::FutexResume => "wake-up",
        StepKind::FutexLeave { .. } => "timeout",
        StepKind::FutexWake { .. } | StepKind::FutexWakeAll { .. } => "futex wake",
        StepKind::FutexRequeue { .. } => "futex requeue",
        StepKind::Choose { .. } => "choose",
        StepKind::Hidden => "hidden state",
        StepKind::Await => "wait",
        StepKind::Exit => "exit",
    }
}

/// `file:line in function`, as far as it is known.
pub fn place(site: Option<SiteId>, images: &Images) -> String {
    match site.and_then(|site| images.frames(site).into_iter().next()) {
        Some(frame) => format!("{}:{} in {}", frame.file, frame.line, frame.function),
        None => "a place without a name".to_string(),
    }
}

/// Where a program was when it ended: `, last seen in T1 at file:line in function`.
pub fn last_seen(thread: &[u32], site: Option<SiteId>, images: &Images) -> String {
    let Some(site) = site else { return String::new() };
    let name = thread_name(thread);
    format!(", last seen in {name} at {}", place(Some(site), images))
}

/// An execution that stands still: `T1 has been waiting …, last seen at file:line in function`.
pub fn stuck(stuck: &Stuck, journal: &Journal, loaded: &[u64], images: &Images) -> String {
    let thread = thread_name(&journal.thread(stuck.last.thread));
    let place = match site_at(stuck.last.site, loaded) {
        Some(site) => format!(", last seen at {}", place(Some(site), images)),
        None => String::new(),
    };
    format!(
        "{thread} {}, where leno does not see it{place} (--patience has it wait longer)",
        stuck.does
    )
}

/// The site behind an address of the process, where the units' tables lie at `loaded`.
pub fn site_at(address: u64, loaded: &[u64]) -> Option<SiteId> {
    let unit = loaded.iter().rposition(|start| *start <= address)?;
    let index = (address - loaded[unit]).try_into().ok()?;
    Some(SiteId { unit: unit as u32, index })
}

/// A thread by its path: `main`, `T1`, `T1.2`.
pub fn thread_name(path: &[u32]) -> String {
    leno_model::thread::name_of(path)
}

/// Whether two operands' objects have bytes in common.
pub fn overlap(a: &Object, a_len: u64, b: &Object, b_len: u64) -> bool {
    let ranges = |a: u64, b: u64| a < b.saturating_add(b_len) && b < a.saturating_add(a_len);
    match (a, b) {
        (Object::Global { image: one, offset: a }, Object::Global { image: other, offset: b }) => {
            one == other && ranges(*a, *b)
        }
        (
            Object::Heap { thread: one, index: m, offset: a, .. },
            Object::Heap { thread: other, index: n, offset: b, .. },
        ) => (one, m) == (other, n) && ranges(*a, *b),
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_easy_to_read() {
        assert_eq!(count(1, "execution"), "1 execution");
        assert_eq!(count(4096, "execution"), "4096 executions");
        assert_eq!(count(1_234_567, "event"), "1 234 567 events");
        assert_eq!(grouped(123_456), "123 456");
    }
}
