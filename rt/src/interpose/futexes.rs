//! Futexes, by the system call.
//!
//! The kernel reads the word as a relaxed atomic load would; a wake-up touches no
//! memory at all, which matters where the word may have been freed meanwhile. What the
//! waiters are is the checker's business (`checker::futex`). Not modelled, and refused
//! by name: those that inherit priorities, and descriptors.

use super::{blocking::times_out, time};
use crate::{
    accesses,
    execution::{Patience, call_site, current_thread, event, event_patient, event_settled},
    hooks, sharing,
};
use leno_model::{Access, AccessKind, Event, Op, Order, Outcome};

const WAIT: i32 = 0;
const WAKE: i32 = 1;
const REQUEUE: i32 = 3;
const CMP_REQUEUE: i32 = 4;
const WAKE_OP: i32 = 5;
const WAIT_BITSET: i32 = 9;
const WAKE_BITSET: i32 = 10;
/// Private to the process, and which clock a timeout is of: all the same here.
const FLAGS: i32 = 128 | REALTIME;
const REALTIME: i32 = 256;
const ANY: u32 = u32::MAX;

/// More waiters than there can be threads.
const ALL: u32 = 1 << 16;

/// The call with its arguments as in futex(2); gives the result or `-errno`.
pub fn call(word: u64, op: u64, value: u64, timeout: u64, other: u64, value3: u64) -> i64 {
    let (value, count, value3) = (value as u32, timeout as u32, value3 as u32);
    if !word.is_multiple_of(4) {
        return error(libc::EINVAL);
    }
    match op as i32 & !FLAGS {
        WAIT => wait(word, value, ANY, timeout, time::deadline_after),
        WAIT_BITSET | WAKE_BITSET if value3 == 0 => error(libc::EINVAL),
        WAIT_BITSET => wait(word, value, value3, timeout, time::deadline),
        WAKE => wake(word, value, ANY),
        WAKE_BITSET => wake(word, value, value3),
        REQUEUE => requeue(word, other, value, count).0,
        CMP_REQUEUE => match differs(word, value3) {
            true => error(libc::EAGAIN),
            false => {
                let (woken, moved) = requeue(word, other, value, count);
                woken + moved
            }
        },
        WAKE_OP => wake_op(word, other, value, count, value3),
        2 => super::refused::refuse("futex (FUTEX_FD)"),
        6 | 7 | 8 | 11 | 12 | 13 => super::refused::refuse("futex (priority inheritance)"),
        _ => error(libc::ENOSYS),
    }
}

/// The timeout of a call that the kernel gets, outside of an execution.
pub fn outside(op: u64, timeout: u64, place: &mut Option<libc::timespec>) -> u64 {
    let op = op as i32;
    let clock = if op & REALTIME != 0 { libc::CLOCK_REALTIME } else { libc::CLOCK_MONOTONIC };
    match op & !FLAGS {
        WAIT_BITSET => time::outside(clock, timeout as *const libc::timespec, place) as u64,
        _ => timeout,
    }
}

fn error(number: i32) -> i64 {
    -i64::from(number)
}

fn read(word: u64) -> [Access; 1] {
    [accesses::one(AccessKind::Read, word, 4, Some(Order::Relaxed))]
}

fn load(word: u64) -> u32 {
    // SAFETY: the program's word; a pointer that leads nowhere is found as a crash.
    unsafe { (word as *const u32).read_volatile() }
}

/// An event that is `op` if the word has the value, and only a read otherwise.
fn compare(op: Op, word: u64, value: u32) -> Event {
    let reads = read(word);
    if let Some(thread) = current_thread() {
        sharing::is_event(thread, &reads);
    }
    let event = event_settled(op, &reads, call_site(), Patience::default(), || {
        if load(word) == value { op } else { Op::FutexDiffers { futex: word } }
    });
    hooks::check(&reads, call_site());
    event
}

/// `deadline` says when the timeout is over.
fn wait(
    futex: u64,
    value: u32,
    bits: u32,
    timeout: u64,
    deadline: impl Fn(*const libc::timespec) -> Option<u64>,
) -> i64 {
    let site = call_site();
    let timeout = (timeout != 0).then(|| deadline(timeout as *const libc::timespec));
    if timeout == Some(None) {
        return error(libc::EINVAL);
    }
    if let Op::FutexDiffers { .. } = compare(Op::FutexWait { futex, bits }, futex, value).op {
        return error(libc::EAGAIN);
    }
    if let Some(Some(deadline)) = timeout
        && times_out(deadline, site)
    {
        let left = event(Op::FutexLeave { futex }, &[], site);
        return if left.outcome == Outcome::Left(true) { error(libc::ETIMEDOUT) } else { 0 };
    }
    let patience = Patience { timed: timeout.is_some(), cancel: None };
    event_patient(Op::FutexResume { futex }, &[], site, patience);
    0
}

/// Wakes up to `count`, one by one or all at once; gives how many.
fn wake(futex: u64, count: u32, bits: u32) -> i64 {
    let site = call_site();
    if count >= ALL {
        let woken = event(Op::FutexWakeAll { futex, bits }, &[], site);
        return counted(woken.outcome);
    }
    let one = || event(Op::FutexWake { futex, bits }, &[], site).outcome;
    repeated(count, one)
}

/// Wakes some and moves others; gives how many of each.
fn requeue(from: u64, to: u64, wakes: u32, moves: u32) -> (i64, i64) {
    let site = call_site();
    let woken = wake(from, wakes, ANY);
    if moves >= ALL {
        let op = Op::FutexRequeue { from, to, all: true };
        return (woken, counted(event(op, &[], site).outcome));
    }
    let op = Op::FutexRequeue { from, to, all: false };
    (woken, repeated(moves, || event(op, &[], site).outcome))
}

/// Whether the word differs from the value. What a call does behind the comparison are
/// events of their own.
fn differs(word: u64, value: u32) -> bool {
    let reads = read(word);
    if let Some(thread) = current_thread() {
        sharing::is_event(thread, &reads);
    }
    let mut differs = false;
    event_settled(Op::Access, &reads, call_site(), Patience::default(), || {
        differs = load(word) != value;
        Op::Access
    });
    hooks::check(&reads, call_site());
    differs
}

/// Changes a second word, wakes at the first, and at the second if its old value is as
/// it should be; `code` says how, as in futex(2).
fn wake_op(first: u64, second: u64, wakes: u32, more: u32, code: u32) -> i64 {
    const SHIFT: u32 = 8;
    let (op, compare) = (code >> 28 & 0xf, code >> 24 & 0xf);
    let sign_extended = |bits: u32| ((bits << 20) as i32) >> 20;
    let (mut operand, against) = (sign_extended(code >> 12), sign_extended(code));
    if op & SHIFT != 0 {
        operand = 1 << (operand & 31);
    }
    if op & 7 > 4 || compare > 5 {
        return error(libc::ENOSYS);
    }
    let changes = [accesses::one(AccessKind::ReadWrite, second, 4, Some(Order::Relaxed))];
    if let Some(thread) = current_thread() {
        sharing::is_event(thread, &changes);
    }
    event(Op::Access, &changes, call_site());
    hooks::check(&changes, call_site());
    let old = load(second) as i32;
    let new = match op & 7 {
        0 => operand,
        1 => old.wrapping_add(operand),
        2 => old | operand,
        3 => old & !operand,
        _ => old ^ operand,
    };
    // SAFETY: the program's word.
    unsafe { (second as *mut i32).write_volatile(new) };
    let matches = match compare {
        0 => old == against,
        1 => old != against,
        2 => old < against,
        3 => old <= against,
        4 => old > against,
        _ => old >= against,
    };
    wake(first, wakes, ANY) + if matches { wake(second, more, ANY) } else { 0 }
}

/// Does it until it finds nobody, but no more than so often; gives how often it did.
fn repeated(times: u32, mut one: impl FnMut() -> Outcome) -> i64 {
    let mut done = 0;
    while done < i64::from(times) && counted(one()) == 1 {
        done += 1;
    }
    done
}

fn counted(outcome: Outcome) -> i64 {
    match outcome {
        Outcome::Count(count) => count.into(),
        Outcome::Woken(Some(_)) => 1,
        _ => 0,
    }
}
