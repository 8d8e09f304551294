//! Creating, joining and ending threads.

use super::{
    address, attributes,
    blocking::times_out,
    cancellation, early, keys, mutexes, once, process, real,
    refused::refuse,
    signalling, time,
    words::{self, Word},
};
use crate::{
    accesses,
    cell::Global,
    execution::{self, Start, call_site, event, event_patient, running},
    fiber, given_stacks, host, misuse,
    phases::{self, Phase},
    sharing, stacks, symmetry,
};
use alloc::{format, string::String};
use leno_entry::entry;
use leno_model::{Access, AccessKind, Op, Order, ThreadId, Varies};

type Value = *mut libc::c_void;

/// How many threads an execution may create; 0 is "no limit".
pub static MAX_THREADS: Global<u32> = Global::new(0);

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_create(
    handle: *mut u64,
    given: *const libc::pthread_attr_t,
    start: Start,
    argument: Value,
) -> i32 {
    let Some(x) = running() else {
        return real!(pthread_create(handle => *mut u64, given => *const libc::pthread_attr_t,
            start => Start, argument => Value) -> i32);
    };
    let (mut size, mut memory) = (0usize, None);
    if !given.is_null() {
        match attributes::stack(given) {
            Ok(found) => (size, memory) = found,
            Err(error) => return error,
        }
    }
    if memory.is_some() && !fiber::can_be_given() {
        refuse("pthread_create with a stack of the program's, under this version of libc");
    }
    if size > fiber::LARGEST {
        refuse("pthread_create with a stack of more than 255 MiB");
    }
    let max = *MAX_THREADS.get() as usize;
    if max != 0 && x.created().count() > max {
        execution::bound(call_site());
    }
    let manners = attributes::inherited(given);
    if let Some(memory) = memory {
        given_stacks::take(memory);
    }
    let child = x.next_child(size);
    // glibc has stored the handle when the new thread starts.
    let stored = [accesses::one(AccessKind::Write, handle as u64, 8, None)];
    sharing::is_event(execution::current_thread().unwrap_or(ThreadId::MAIN), &stored);
    event(Op::Create { child }, &stored, call_site());
    let mut state = libc::PTHREAD_CREATE_JOINABLE;
    if !given.is_null() {
        type Attributes = *const libc::pthread_attr_t;
        real!(pthread_attr_getdetachstate(given => Attributes, &raw mut state => *mut i32) -> i32);
    }
    let detached = state == libc::PTHREAD_CREATE_DETACHED;
    if detached {
        execution::note(words::word(child, Word::Joined), "created it detached here");
    }
    let x = running().expect("in an execution");
    x.add_thread(child, start, argument, detached, manners, memory);
    if let Some(memory) = memory {
        given_stacks::taken(child, memory);
    }
    // SAFETY: the program's own place for the handle.
    unsafe { *handle = fiber::handle(child) };
    execution::start_thread(child);
    0
}

/// The body of every fiber.
#[entry(calls)]
pub extern "C" fn __leno_begin_thread() {
    fiber::clear_frames();
    phases::enter(Phase::Program);
    let x = running().expect("fibers run in an execution");
    match x.thread().start {
        Some(start) => {
            let argument = x.thread().argument as u64;
            let start = start.map_or(0, |start| start as usize);
            stacks::call(start, [argument, 0, 0], returned, [0; 2]);
        }
        None => {
            execution::end_if_cut();
            early::tell();
            let (main, arguments) = host::main();
            stacks::call(main, arguments, main_returned, [0; 2]);
        }
    }
}

extern "C" fn returned(result: u64, _: u64, _: u64) -> u64 {
    signalling::interrupts();
    running().expect("still running").thread().result = result as Value;
    0
}

/// The return of main is a call of `exit`.
extern "C" fn main_returned(status: u64, _: u64, _: u64) -> u64 {
    signalling::interrupts();
    // SAFETY: as libc would call it.
    unsafe { process::exit(status as i32) };
    stacks::leave_room(FRAME_OF_MAIN);
    0
}

/// Other threads may still use local variables of main's. What runs when it has returned would
/// overwrite them, and nothing says when: so it runs below, and leaves them as they were.
const FRAME_OF_MAIN: usize = 64 << 10;

/// Behind the body, or where `pthread_exit` has unwound to.
#[entry(calls)]
pub extern "C" fn __leno_end_thread() {
    execution::finishes();
    fiber::clear_frames();
    stacks::call(address!(__call_tls_dtors), [0; 3], keys::destroy, [0; 2]);
}

/// Nothing of the thread's is left that the program would have to see to.
pub fn end() {
    once::abandon();
    mutexes::abandon();
    given_stacks::ends();
    if !execution::end_thread() {
        execution::leave_ended();
    }
    // The last thread has gone: the process exits as if main had returned 0.
    running().expect("still running").status = Some(0);
    stacks::call(address!(exit), [0; 3], stacks::result, [0; 2]);
}

/// How long a join waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    Endless,
    /// Until a time, in nanoseconds.
    Until(u64),
    None,
}

fn state(thread: ThreadId) -> &'static mut execution::Thread {
    running().and_then(|x| x.thread_numbered(thread)).expect("a thread of the execution")
}

/// Sees to it that nobody else joins the thread. If somebody does already, or it is detached,
/// whether it has been joined by then.
fn claim(thread: ThreadId) -> Result<(), bool> {
    let (mut free, mut joined) = (false, false);
    words::exchange(words::word(thread, Word::Joined), || {
        let state = state(thread);
        joined = state.joined;
        free = !core::mem::replace(&mut state.claimed, true);
        free
    });
    if !free {
        return Err(joined);
    }
    execution::note(words::word(thread, Word::Joined), "joins it here");
    Ok(())
}

/// A thread is used by its handle that may have been joined: then there is none any more.
pub fn require_lifetime(thread: ThreadId, does: &str) {
    let mut joined = false;
    words::look(words::word(thread, Word::Joined), || joined = state(thread).joined);
    if joined {
        lives_no_more(thread, format!("{does} a thread that has been joined"));
    }
}

fn lives_no_more(thread: ThreadId, what: String) {
    misuse::report(what, words::word(thread, Word::Joined), call_site());
}

/// A thread is joined or detached that somebody else has claimed, or has been detached.
/// Its handle is good only as long as it lives, or nobody has joined it.
fn claimed(thread: ThreadId, does: &str, joined: bool) -> i32 {
    let (word, site) = (words::word(thread, Word::Joined), call_site());
    if joined {
        lives_no_more(thread, format!("{does} a thread that has been joined"));
    } else if !state(thread).detached {
        misuse::refused(&format!("{does} a thread that somebody else joins"), word, site);
    } else if has_ended(thread) {
        lives_no_more(thread, format!("{does} a thread that was detached and has ended"));
    } else {
        misuse::refused(&format!("{does} a thread that was detached"), word, site);
    }
    libc::EINVAL
}

fn give_up(thread: ThreadId) {
    words::exchange(words::word(thread, Word::Joined), || {
        state(thread).claimed = false;
        true
    });
}

pub fn has_ended(thread: ThreadId) -> bool {
    let mut read = [accesses::one(AccessKind::Read, fiber::life(thread), 1, Some(Order::SeqCst))];
    let mut ended = false;
    execution::access_settled(&mut read, call_site(), true, Varies::Never, |_| {
        ended = !state(thread).alive;
    });
    ended
}

/// Where the result of a thread that is joined goes.
#[derive(Clone, Copy)]
enum Place {
    Pointer(*mut Value),
    /// The lower half.
    Int(*mut i32),
}

impl Place {
    /// None: nobody wants it.
    fn written(self) -> Option<Access> {
        let (addr, len) = match self {
            Self::Pointer(place) => (place as u64, 8),
            Self::Int(place) => (place as u64, 4),
        };
        (addr != 0).then(|| accesses::one(AccessKind::Write, addr, len, None))
    }

    /// Gives what was stored there.
    fn store(self, result: Value) -> u64 {
        // SAFETY: the program's own place for the result.
        unsafe {
            match self {
                Self::Pointer(place) => place.write(result),
                Self::Int(place) => place.write(result as i32),
            }
        }
        match self {
            Self::Pointer(_) => result as u64,
            Self::Int(_) => u64::from(result as u32),
        }
    }
}

/// Joins a thread. A cancellation point, if it may wait.
fn join(handle: u64, result: Place, patience: Patience) -> i32 {
    // What joins mean for symmetry is read off their events.
    let plain = patience == Patience::Endless;
    let known =
        if plain { attributes::thread_behind(handle) } else { attributes::thread_of(handle) };
    let Some(thread) = known else { return libc::ESRCH };
    if Some(thread) == execution::current_thread() {
        misuse::refused("joins itself", words::word(thread, Word::Joined), call_site());
        return libc::EDEADLK;
    }
    if patience == Patience::None && !has_ended(thread) {
        return libc::EBUSY;
    }
    if patience != Patience::None {
        cancellation::point();
    }
    if let Err(joined) = claim(thread) {
        return claimed(thread, "joins", joined);
    }
    let site = call_site();
    let timed = matches!(patience, Patience::Until(_)) && !has_ended(thread);
    if let Patience::Until(deadline) = patience
        && timed
        && times_out(deadline, site)
    {
        give_up(thread);
        return libc::ETIMEDOUT;
    }
    let stored = result.written();
    let stored = stored.as_slice();
    sharing::is_event(execution::current_thread().unwrap_or(ThreadId::MAIN), stored);
    let wait = |patience| event_patient(Op::Join { thread }, stored, site, patience);
    if patience == Patience::None {
        wait(execution::Patience::default());
    } else {
        cancellation::wait(timed, site, wait, || give_up(thread));
    }
    // To find it joined is another thing than to find somebody waiting for it.
    words::exchange(words::word(thread, Word::Joined), || {
        state(thread).joined = true;
        true
    });
    execution::note(words::word(thread, Word::Joined), "joined it here");
    time::meet(state(thread).clock);
    if !stored.is_empty() {
        symmetry::gives(thread, result.store(state(thread).result));
    }
    0
}

/// Joins a thread of C11's.
pub fn join_for_int(handle: u64, result: *mut i32) -> i32 {
    join(handle, Place::Int(result), Patience::Endless)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_join(handle: u64, result: *mut Value) -> i32 {
    if running().is_none() {
        return real!(pthread_join(handle => u64, result => *mut Value) -> i32);
    }
    join(handle, Place::Pointer(result), Patience::Endless)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_tryjoin_np(handle: u64, result: *mut Value) -> i32 {
    if running().is_none() {
        return real!(pthread_tryjoin_np(handle => u64, result => *mut Value) -> i32);
    }
    join(handle, Place::Pointer(result), Patience::None)
}

type Time = *const libc::timespec;

/// Without a time it waits for ever. None if it is not one.
fn until(time: Time) -> Option<Patience> {
    if time.is_null() {
        return Some(Patience::Endless);
    }
    time::deadline(time).map(Patience::Until)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_timedjoin_np(handle: u64, result: *mut Value, time: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_timedjoin_np(handle => u64, result => *mut Value,
            time::outside(libc::CLOCK_REALTIME, time, &mut None) => Time) -> i32);
    }
    until(time).map_or(libc::EINVAL, |patience| join(handle, Place::Pointer(result), patience))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_clockjoin_np(
    handle: u64,
    result: *mut Value,
    clock: i32,
    time: Time,
) -> i32 {
    if running().is_none() {
        return real!(pthread_clockjoin_np(handle => u64, result => *mut Value, clock => i32,
            time::outside(clock, time, &mut None) => Time) -> i32);
    }
    until(time).map_or(libc::EINVAL, |patience| join(handle, Place::Pointer(result), patience))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_detach(handle: u64) -> i32 {
    if running().is_none() {
        return real!(pthread_detach(handle => u64) -> i32);
    }
    let Some(thread) = attributes::thread_of(handle) else { return libc::ESRCH };
    let (mut twice, mut free, mut joined) = (false, false, false);
    words::exchange(words::word(thread, Word::Joined), || {
        let state = state(thread);
        (twice, joined) = (state.detached, state.joined);
        // Whom somebody joins is left to him.
        free = !core::mem::replace(&mut state.claimed, true);
        state.detached |= free;
        free
    });
    if twice || joined {
        return claimed(thread, "detaches", joined);
    }
    if free {
        execution::note(words::word(thread, Word::Joined), "detached it here");
    }
    0
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn pthread_exit(result: Value) {
    if let Some(x) = running() {
        x.thread().result = result;
    }
    stacks::call(address!(pthread_exit), [result as u64, 0, 0], stacks::result, [0; 2]);
}

#[entry]
pub extern "C" fn pthread_self() -> u64 {
    if let Some(thread) = execution::current_thread() {
        execution::observes("asked who it is");
        symmetry::used(thread);
    }
    fiber::own_handle()
}

#[entry]
pub extern "C" fn pthread_equal(a: u64, b: u64) -> i32 {
    [a, b].into_iter().filter_map(fiber::of_handle).for_each(symmetry::used);
    i32::from(a == b)
}
