//! Signals that threads send to each other, to the process or to themselves.
//!
//! A signal that its target has blocked is *pending*: it waits for the target to unblock
//! it, or to ask for it (`sigwait` and its like, `sigsuspend`, `pause`). What is pending for
//! a thread, with its mask, is a thing that sender and target have in common (see
//! `kernel::things`), and so is what is pending for the process; to ask for a signal is to
//! wait until the thing has one. A thread that signals itself, or unblocks what is pending,
//! runs the handler at once, as a call.
//!
//! A signal that is not blocked and needs no handler is known to do nothing, or to end the
//! process, which is a crash.
//!
//! One that runs a handler in *another* thread interrupts that thread before its next event.
//! It is pending, and a post of a semaphore that belongs to the target says so; before each
//! event the target tries that semaphore ([`interruptions`]). So whether the handler runs
//! before or after an event is a matter of the order of the post and the attempt, which the
//! search varies. Where the event may have to wait, the search chooses beforehand whether
//! the thread waits for a signal first: as for cancellation, nobody waits for two things,
//! and a choice that turns out wrong is dropped. All this happens only to threads that
//! another one interrupts in some execution. A post may turn out to be for nothing, because
//! the target has blocked the signal or taken it otherwise.

use super::{
    attributes, cancellation, handlers::touched_handler, real, refused::refuse, threads, timers,
};
use crate::{
    cell::Global,
    execution::{
        self, Patience, call_site, current_thread, event, event_patient, finish, may_happen,
        running,
    },
    interpose::{
        set_errno, store, time,
        words::{self, Word},
    },
    kernel::{
        handlers::{self, Pending, bit},
        things::{self, Changes, Looks, Own, Thing, thing},
    },
    sharing, signals, stacks,
    trace::FailureText,
};
use alloc::vec::Vec;
use leno_entry::entry;
use leno_model::{AccessKind, End, Op, Outcome, Property, SiteRef, ThreadId};

type Set = *const u64;
type Info = *mut libc::siginfo_t;

const LAST: i32 = 64;

/// What a thread has pending, and its mask.
pub fn of_thread(thread: ThreadId) -> Thing {
    things::own(Own { owner: thread, kind: "signals of thread", number: 0 })
}

/// What the process has pending.
pub fn of_process() -> Thing {
    thing("signals of", b"the process")
}

fn me() -> ThreadId {
    current_thread().unwrap_or(ThreadId::MAIN)
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn pthread_kill(handle: u64, number: i32) -> i32 {
    if running().is_none() {
        return real!(pthread_kill(handle => u64, number => i32) -> i32);
    }
    to_thread(handle, number, libc::SI_TKILL, 0)
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn pthread_sigqueue(handle: u64, number: i32, value: u64) -> i32 {
    if running().is_none() {
        return real!(pthread_sigqueue(handle => u64, number => i32, value => u64) -> i32);
    }
    to_thread(handle, number, libc::SI_QUEUE, value)
}

fn to_thread(handle: u64, number: i32, code: i32, value: u64) -> i32 {
    let Some(thread) = attributes::thread_of(handle) else { return libc::ESRCH };
    if !(0..=LAST).contains(&number) {
        return libc::EINVAL;
    }
    threads::require_lifetime(thread, "signals");
    // Who has ended does not get it any more.
    if number != 0 && (thread == me() || !threads::has_ended(thread)) {
        send(Pending { target: Some(thread), number, code, value }, false);
    }
    0
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn raise(number: i32) -> i32 {
    if running().is_none() {
        return real!(raise(number => i32) -> i32);
    }
    if !(1..=LAST).contains(&number) {
        set_errno(libc::EINVAL);
        return -1;
    }
    send(Pending { target: Some(me()), number, code: libc::SI_TKILL, value: 0 }, false);
    0
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn kill(process: i32, number: i32) -> i32 {
    if running().is_none() {
        return real!(kill(process => i32, number => i32) -> i32);
    }
    to_process(process, number, libc::SI_USER, 0, "kill of another process or of a group")
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn sigqueue(process: i32, number: i32, value: u64) -> i32 {
    if running().is_none() {
        return real!(sigqueue(process => i32, number => i32, value => u64) -> i32);
    }
    to_process(process, number, libc::SI_QUEUE, value, "sigqueue to another process")
}

fn to_process(process: i32, number: i32, code: i32, value: u64, other: &str) -> i32 {
    // SAFETY: plain use of libc.
    if process != unsafe { libc::getpid() } {
        if number == 0 {
            return real!(kill(process => i32, number => i32) -> i32);
        }
        refuse(other);
    }
    if !(0..=LAST).contains(&number) {
        set_errno(libc::EINVAL);
        return -1;
    }
    if number != 0 {
        send(Pending { target: None, number, code, value }, false);
    }
    0
}

/// The kernel sends the process a signal, in the middle of whatever the runtime does for the
/// running thread. True if its handler has run in this thread.
pub fn comes(number: i32) -> bool {
    send(Pending { target: None, number, code: libc::SI_KERNEL, value: 0 }, true)
}

/// Whether a signal does something else than to end the process or nothing.
pub fn is_caught(number: i32) -> bool {
    let mut threads = running().expect("in an execution").alive();
    has_handler(number) || threads.any(|thread| *handlers::mask_of(thread) & bit(number) != 0)
}

/// Nobody would continue it.
const STOPPING: [i32; 4] = [libc::SIGSTOP, libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU];
const IGNORED: [i32; 4] = [libc::SIGCHLD, libc::SIGCONT, libc::SIGURG, libc::SIGWINCH];

/// True if a handler has run in this thread. `at_once`: one that does runs here and now, else
/// when the runtime returns to the program.
fn send(signal: Pending, at_once: bool) -> bool {
    let number = signal.number;
    let candidates: Vec<ThreadId> = match signal.target {
        Some(thread) => alloc::vec![thread],
        None => running().expect("in an execution").alive().collect(),
    };
    let mut uses: Vec<(Thing, AccessKind)> = alloc::vec![(touched_handler(number), Looks)];
    match signal.target {
        Some(thread) => uses.push((of_thread(thread), Changes)),
        None => {
            uses.push((of_process(), Changes));
            uses.extend(candidates.iter().map(|thread| (of_thread(*thread), Looks)));
        }
    }
    things::exchange_all(&uses);
    let open = |thread: &ThreadId| *handlers::mask_of(*thread) & bit(number) == 0;
    let open: Vec<ThreadId> = candidates.into_iter().filter(open).collect();
    if open.is_empty() {
        handlers::pend(signal);
    } else if !has_handler(number) {
        act(&signal, false);
    } else {
        let target = match open[..] {
            [target] => target,
            _ => {
                let op = Op::Choose { alternatives: open.len() as u32 };
                let Outcome::Chosen(which) = event(op, &[], call_site()).outcome else {
                    unreachable!("a choice comes out as one")
                };
                things::exchange(of_thread(open[which as usize]));
                open[which as usize]
            }
        };
        if target == me() {
            act(&signal, at_once);
            return at_once;
        }
        interrupt(target, signal);
    }
    false
}

/// Whether some thread is interrupted by another one in some execution.
static INTERRUPTS: Global<bool> = Global::new(false);

/// Memory has turned out to be shared: perhaps what stands for the signals of a thread.
pub fn learn(addr: u64) {
    *INTERRUPTS.get() |= words::thread_of(addr, Word::Signal).is_some();
}

/// Has a signal run its handler in another thread.
fn interrupt(target: ThreadId, signal: Pending) {
    let sem = words::word(target, Word::Signal);
    if !sharing::is_marked(sem) {
        // From the next execution on the target looks for signals.
        sharing::reveal(&words::read(sem));
        finish(End::Bounded);
    }
    handlers::pend(Pending { target: Some(target), ..signal });
    event(Op::SemPost { sem }, &[], call_site());
}

/// Whether another thread interrupts this one in some execution.
pub fn interrupted_by_others(thread: ThreadId) -> bool {
    *INTERRUPTS.get() && sharing::is_marked(words::word(thread, Word::Signal))
}

/// The running thread's semaphore, if another thread may interrupt it.
fn semaphore() -> Option<u64> {
    let thread = current_thread()?;
    interrupted_by_others(thread).then(|| words::word(thread, Word::Signal))
}

/// The running thread arrives at an event: runs the handlers of signals that have come. If
/// the event may have to wait: gives the semaphore that would end the wait.
pub fn interruptions(op: &Op, site: SiteRef) -> Option<u64> {
    let sem = semaphore()?;
    let thread = running()?.thread();
    let looks = !thread.looks_for_signals && !matches!(op, Op::End | Op::Exit);
    let looks = looks && !thread.is_in_section();
    let waits = matches!(
        op,
        Op::Lock { .. }
            | Op::Rewait { .. }
            | Op::ReadLock { .. }
            | Op::WriteLock { .. }
            | Op::SemWait { .. }
            | Op::BarrierLeave { .. }
            | Op::FutexResume { .. }
            | Op::Join { .. }
    );
    while looks && (has_come(sem, site) || waits && comes_first(sem, site)) {
        deliver();
    }
    waits.then_some(sem)
}

/// Makes events before which the thread does not look for signals.
pub fn looking<T>(events: impl FnOnce() -> T) -> T {
    running().expect("in an execution").thread().looks_for_signals = true;
    let result = events();
    running().expect("in an execution").thread().looks_for_signals = false;
    result
}

/// Whether an operation is of looking for signals.
pub fn is_look(op: &Op) -> bool {
    let Op::SemTryWait { sem } = op else { return false };
    *INTERRUPTS.get() && words::thread_of(*sem, Word::Signal).is_some()
}

fn has_come(sem: u64, site: SiteRef) -> bool {
    let tried = looking(|| event(Op::SemTryWait { sem }, &[], site));
    tried.outcome == Outcome::Acquired(true)
}

/// Whether the thread waits for a signal instead of what it is about to wait for.
fn comes_first(sem: u64, site: SiteRef) -> bool {
    looking(|| {
        let comes = may_happen(site);
        if comes {
            let patience = Patience { timed: true, cancel: None };
            event_patient(Op::SemWait { sem }, &[], site, patience);
        }
        comes
    })
}

/// What handlers that have run do to a call that they interrupted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Interrupted {
    /// None has run.
    No,
    /// All want it to go on (`SA_RESTART`).
    GoesOn,
    Ends,
}

/// Runs the handlers of all signals that are pending and not blocked, in the middle of
/// whatever the runtime does for the thread.
fn deliver() -> Interrupted {
    let mut interrupted = Interrupted::No;
    while let Some(signal) = take_open() {
        if has_handler(signal.number) {
            let goes_on = action(signal.number).sa_flags & libc::SA_RESTART != 0;
            let ends = !goes_on || interrupted == Interrupted::Ends;
            interrupted = if ends { Interrupted::Ends } else { Interrupted::GoesOn };
        }
        act(&signal, true);
    }
    interrupted
}

/// Takes a signal that is pending and not blocked.
fn take_open() -> Option<Pending> {
    let mut taken = None;
    looking(|| {
        things::exchange_if(&[of_thread(me()), of_process()], || {
            taken = handlers::take(me(), !*handlers::mask());
            taken.is_some()
        })
    });
    taken
}

/// What a handler has in common with the thread that it interrupts is shared by the two, as
/// if they were two threads: so there are events between which it can run.
fn in_handler(handler: impl FnOnce()) {
    let before = {
        let thread = running().expect("in an execution").thread();
        core::mem::replace(&mut thread.in_handler, true)
    };
    sharing::in_handler(true);
    handler();
    running().expect("in an execution").thread().in_handler = before;
    sharing::in_handler(before);
}

/// A call that takes its time, though it waits for nobody: runs the handlers of the signals
/// that have come.
pub fn interrupts() -> Interrupted {
    match semaphore() {
        Some(sem) if has_come(sem, call_site()) => deliver(),
        _ => Interrupted::No,
    }
}

/// A call is about to wait that a handler may end: whether one does. If not, the wait comes
/// next, and it does not look for signals again.
pub fn interrupts_wait(site: SiteRef) -> bool {
    let Some(sem) = semaphore() else { return false };
    interrupts();
    while comes_first(sem, site) {
        if deliver() == Interrupted::Ends {
            return true;
        }
    }
    false
}

/// Waits with another mask, if there is one: by `wait`, unless a signal that it lets through
/// is pending. None if a handler has run instead.
pub fn with_mask<T>(mask: Set, wait: impl FnOnce() -> Option<T>) -> Option<T> {
    if mask.is_null() {
        return wait();
    }
    let before = *handlers::mask();
    // SAFETY: the program's own set.
    replace_mask(unsafe { *mask });
    let result = if deliver() == Interrupted::No { wait() } else { None };
    replace_mask(before);
    deliver();
    result
}

/// Waits until a handler has run.
fn await_handler() {
    let (sem, site) = (words::word(me(), Word::Signal), call_site());
    let wait = |patience| looking(|| event_patient(Op::SemWait { sem }, &[], site, patience));
    loop {
        if handlers::pending(me()) & !*handlers::mask() != 0 && deliver() != Interrupted::No {
            return;
        }
        let timed = timers::runs();
        if timed && may_happen(site) {
            if timers::fires() {
                return;
            }
            continue;
        }
        cancellation::wait(timed, site, wait, || {});
    }
}

/// What the signal does. That the sender looks at it is part of its sending.
fn action(number: i32) -> libc::sigaction {
    type Action = *mut libc::sigaction;
    // SAFETY: all zeros is the default action.
    let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
    if number == libc::SIGSEGV {
        return handlers::fault().unwrap_or(action);
    }
    let place = &raw mut action;
    real!(sigaction(number => i32, core::ptr::null_mut() => Action, place => Action) -> i32);
    action
}

fn has_handler(number: i32) -> bool {
    let handler = action(number).sa_sigaction;
    !matches!(handler, libc::SIG_IGN | libc::SIG_DFL) && !signals::is_ours(handler)
}

/// What the signal does to a thread that has not blocked it; if that is to run a handler,
/// the thread is the running one. `interrupts`: at once; else when the runtime returns to the
/// program.
fn act(signal: &Pending, interrupts: bool) {
    let number = signal.number;
    let action = action(number);
    match action.sa_sigaction {
        libc::SIG_IGN => {}
        libc::SIG_DFL if IGNORED.contains(&number) => {}
        libc::SIG_DFL if STOPPING.contains(&number) => refuse("a signal that stops the process"),
        default if default == libc::SIG_DFL || signals::is_ours(default) => ends(number),
        handler => {
            let mask = *handlers::mask();
            // SAFETY: the first word of a set has all signals.
            let blocked = unsafe { *(&raw const action.sa_mask).cast::<u64>() };
            let itself = if action.sa_flags & libc::SA_NODEFER == 0 { bit(number) } else { 0 };
            *handlers::mask() |= blocked | itself;
            if action.sa_flags & libc::SA_RESETHAND != 0 {
                // SAFETY: plain use of libc.
                unsafe { libc::signal(number, libc::SIG_DFL) };
            }
            if interrupts {
                in_handler(|| stacks::interrupt(handler, number as u64, signal.info()));
                replace_mask(mask);
                return;
            }
            stacks::call(handler, [number as u64, 0, 0], handled, [mask, 0]);
            if action.sa_flags & libc::SA_SIGINFO != 0 {
                stacks::pass(signal.info());
            }
        }
    }
}

/// A handler has returned: the thread has the mask again that it had before.
extern "C" fn handled(_: u64, mask: u64, _: u64) -> u64 {
    set_mask(mask);
    0
}

/// The signal ends the process: the thread that sends it has failed.
fn ends(number: i32) -> ! {
    let name = signals::name(number);
    let text = FailureText::Signal { number: number as u32, name, object: None };
    execution::fail(Property::Crash, number as u32, call_site(), text)
}

/// The running thread's mask becomes another one, and what is pending and no longer blocked
/// takes place: the last of it when the runtime returns to the program.
pub fn set_mask(new: u64) {
    replace_mask(new);
    while !stacks::calls() && handlers::pending(me()) & !*handlers::mask() != 0 {
        if let Some(signal) = take_open() {
            act(&signal, false);
        }
    }
}

/// The same where the handlers are to run now: before a jump, or before a function gives a
/// result, which theirs would replace.
pub fn set_mask_at_once(new: u64) {
    replace_mask(new);
    deliver();
}

fn replace_mask(new: u64) {
    // These two cannot be blocked.
    let new = new & !(bit(libc::SIGKILL) | bit(libc::SIGSTOP));
    things::touch_if(&[(of_thread(me()), Changes), (of_process(), Looks)], || {
        core::mem::replace(handlers::mask(), new) != new
    });
}

/// Waits for one of these signals to be pending, and takes it.
fn take(set: u64) -> Pending {
    let mut taken = None;
    things::exchange_when(&[of_thread(me()), of_process()], || {
        taken = handlers::take(me(), set);
        taken.is_some()
    });
    taken.expect("it was there")
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigwait(set: Set, number: *mut i32) -> i32 {
    if running().is_none() {
        return real!(sigwait(set => Set, number => *mut i32) -> i32);
    }
    cancellation::point();
    // SAFETY: the program's own set.
    let signal = take(unsafe { *set });
    store(number, signal.number);
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigwaitinfo(set: Set, info: Info) -> i32 {
    if running().is_none() {
        return real!(sigwaitinfo(set => Set, info => Info) -> i32);
    }
    cancellation::point();
    // SAFETY: the program's own set.
    let signal = take(unsafe { *set });
    store(info, signal.info());
    signal.number
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigtimedwait(set: Set, info: Info, limit: *const libc::timespec) -> i32 {
    if running().is_none() {
        return real!(sigtimedwait(set => Set, info => Info, limit => *const libc::timespec) -> i32);
    }
    cancellation::point();
    // SAFETY: the program's own structures.
    let (set, at_once) = unsafe {
        (*set, limit.as_ref().is_some_and(|limit| limit.tv_sec == 0 && limit.tv_nsec == 0))
    };
    // Without a limit it waits like `sigwaitinfo`.
    let deadline = if limit.is_null() { None } else { time::deadline_after(limit) };
    if deadline.is_none() && !limit.is_null() {
        set_errno(libc::EINVAL);
        return -1;
    }
    let things = [of_thread(me()), of_process()];
    let mut timed = false;
    loop {
        let mut taken = None;
        things::try_exchange(&things, timed, || {
            taken = handlers::take(me(), set);
            taken.is_some()
        });
        if let Some(signal) = taken {
            store(info, signal.info());
            return signal.number;
        }
        things::require_shared(&things);
        let may_fire = !at_once && !timed;
        let fires = deadline.filter(|_| may_fire && looking(|| may_happen(call_site())));
        if let Some(deadline) = fires {
            time::pass_until(deadline);
        }
        if at_once || fires.is_some() {
            set_errno(libc::EAGAIN);
            return -1;
        }
        timed = deadline.is_some();
        cancellation::point();
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigpending(set: *mut u64) -> i32 {
    if running().is_none() {
        return real!(sigpending(set => *mut u64) -> i32);
    }
    things::touch(&[(of_thread(me()), Looks), (of_process(), Looks)]);
    store(set, handlers::pending(me()) & *handlers::mask());
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pause() -> i32 {
    if running().is_none() {
        return real!(pause() -> i32);
    }
    cancellation::point();
    // One that comes before it waits is none that it waits for.
    interrupts();
    await_handler();
    set_errno(libc::EINTR);
    -1
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sigsuspend(set: Set) -> i32 {
    if running().is_none() {
        return real!(sigsuspend(set => Set) -> i32);
    }
    cancellation::point();
    interrupts();
    let before = *handlers::mask();
    // SAFETY: the program's own set.
    replace_mask(unsafe { *set });
    await_handler();
    replace_mask(before);
    deliver();
    set_errno(libc::EINTR);
    -1
}
