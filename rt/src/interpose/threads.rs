//! Creating, joining and ending threads.

use super::{
    attributes,
    blocking::times_out,
    cancellation, early, mutexes, once, process, real,
    refused::refuse,
    words::{self, Word},
};
use crate::{
    accesses,
    cell::Global,
    execution::{self, Start, call_site, event, event_patient, running},
    fiber, host,
    phases::{self, Phase},
    sharing,
};
use alloc::vec::Vec;
use leno_model::{AccessKind, Op, Order, ThreadId, Varies};

type Value = *mut libc::c_void;

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    handle: *mut u64,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: Value,
) -> i32 {
    let Some(x) = running() else {
        return real!(pthread_create(handle => *mut u64, attributes => *const libc::pthread_attr_t,
            start => Start, argument => Value) -> i32);
    };
    let mut size = 0usize;
    if !attributes.is_null() {
        type Attributes = *const libc::pthread_attr_t;
        real!(pthread_attr_getstacksize(attributes => Attributes, &raw mut size => *mut usize) -> i32);
    }
    if size > fiber::LARGEST {
        refuse("pthread_create with a stack of more than 255 MiB");
    }
    let child = x.next_child(size);
    // glibc has stored the handle when the new thread starts.
    let stored = [accesses::one(AccessKind::Write, handle as u64, 8, None)];
    sharing::is_event(execution::current_thread().unwrap_or(ThreadId::MAIN), &stored);
    event(Op::Create { child }, &stored, call_site());
    let mut state = libc::PTHREAD_CREATE_JOINABLE;
    if !attributes.is_null() {
        type Attributes = *const libc::pthread_attr_t;
        real!(pthread_attr_getdetachstate(attributes => Attributes, &raw mut state => *mut i32) -> i32);
    }
    let x = running().expect("in an execution");
    x.add_thread(child, start, argument, state == libc::PTHREAD_CREATE_DETACHED);
    // SAFETY: the program's own place for the handle.
    unsafe { *handle = fiber::handle(child) };
    execution::start_thread(child);
    0
}

/// The body of every fiber.
pub extern "C" fn run_thread() {
    fiber::clear_frames();
    phases::enter(Phase::Program);
    let x = running().expect("fibers run in an execution");
    match x.thread().start {
        Some(start) => {
            let argument = x.thread().argument;
            let result = start(argument);
            running().expect("still running").thread().result = result;
        }
        // SAFETY: the return of main is a call of `exit`.
        None => unsafe {
            execution::end_if_cut();
            early::tell();
            process::exit(host::call_main())
        },
    }
}

/// Behind the body, or where `pthread_exit` has unwound to.
pub extern "C" fn finish_thread() -> ! {
    fiber::clear_frames();
    real!(__call_tls_dtors() -> ());
    run_destructors();
    once::abandon();
    mutexes::abandon();
    if execution::end_thread() {
        // The last thread has gone: the process exits as if main had returned 0.
        running().expect("still running").status = Some(0);
        real!(exit(0 => i32) -> ());
    }
    execution::leave_ended()
}

/// How long a join waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    Endless,
    Limited,
    None,
}

fn state(thread: ThreadId) -> &'static mut execution::Thread {
    running().and_then(|x| x.thread_numbered(thread)).expect("a thread of the execution")
}

/// Sees to it that nobody else joins the thread; false if somebody does already, or it is
/// detached.
fn claim(thread: ThreadId) -> bool {
    let mut free = false;
    words::exchange(words::word(thread, Word::Joined), || {
        free = !core::mem::replace(&mut state(thread).claimed, true);
        free
    });
    free
}

fn give_up(thread: ThreadId) {
    words::exchange(words::word(thread, Word::Joined), || {
        state(thread).claimed = false;
        true
    });
}

fn has_ended(thread: ThreadId) -> bool {
    let mut read = [accesses::one(AccessKind::Read, fiber::life(thread), 1, Some(Order::SeqCst))];
    let mut ended = false;
    execution::access_settled(&mut read, call_site(), true, Varies::Never, |_| {
        ended = !state(thread).alive;
    });
    ended
}

/// Joins a thread. A cancellation point, if it may wait.
fn join(handle: u64, result: *mut Value, patience: Patience) -> i32 {
    let Some(thread) = attributes::thread_of(handle) else { return libc::ESRCH };
    if Some(thread) == execution::current_thread() {
        return libc::EDEADLK;
    }
    if patience == Patience::None && !has_ended(thread) {
        return libc::EBUSY;
    }
    if patience != Patience::None {
        cancellation::point();
    }
    if !claim(thread) {
        return libc::EINVAL;
    }
    let site = call_site();
    let timed = patience == Patience::Limited && !has_ended(thread);
    if timed && times_out(site) {
        give_up(thread);
        return libc::ETIMEDOUT;
    }
    let stored = [accesses::one(AccessKind::Write, result as u64, 8, None)];
    let stored = if result.is_null() { &[] } else { &stored[..] };
    sharing::is_event(execution::current_thread().unwrap_or(ThreadId::MAIN), stored);
    let wait = |patience| event_patient(Op::Join { thread }, stored, site, patience);
    if patience == Patience::None {
        wait(execution::Patience::default());
    } else {
        cancellation::wait(timed, site, wait, || give_up(thread));
    }
    if !result.is_null() {
        // SAFETY: the program's own place for the result.
        unsafe { *result = state(thread).result };
    }
    0
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_join(handle: u64, result: *mut Value) -> i32 {
    if running().is_none() {
        return real!(pthread_join(handle => u64, result => *mut Value) -> i32);
    }
    join(handle, result, Patience::Endless)
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_tryjoin_np(handle: u64, result: *mut Value) -> i32 {
    if running().is_none() {
        return real!(pthread_tryjoin_np(handle => u64, result => *mut Value) -> i32);
    }
    join(handle, result, Patience::None)
}

type Time = *const libc::timespec;

/// Without a time it waits for ever.
fn until(time: Time) -> Patience {
    if time.is_null() { Patience::Endless } else { Patience::Limited }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_timedjoin_np(handle: u64, result: *mut Value, time: Time) -> i32 {
    if running().is_none() {
        return real!(pthread_timedjoin_np(handle => u64, result => *mut Value, time => Time) -> i32);
    }
    join(handle, result, until(time))
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_clockjoin_np(
    handle: u64,
    result: *mut Value,
    clock: i32,
    time: Time,
) -> i32 {
    if running().is_none() {
        return real!(pthread_clockjoin_np(handle => u64, result => *mut Value, clock => i32, time => Time) -> i32);
    }
    join(handle, result, until(time))
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_detach(handle: u64) -> i32 {
    if running().is_none() {
        return real!(pthread_detach(handle => u64) -> i32);
    }
    let Some(thread) = attributes::thread_of(handle) else { return libc::ESRCH };
    let mut twice = false;
    words::exchange(words::word(thread, Word::Joined), || {
        let state = state(thread);
        twice = state.detached;
        // Whom somebody joins is left to him.
        let free = !core::mem::replace(&mut state.claimed, true);
        state.detached |= free;
        free
    });
    if twice { libc::EINVAL } else { 0 }
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_exit(result: Value) -> ! {
    if let Some(x) = running() {
        x.thread().result = result;
    }
    real!(pthread_exit(result => Value) -> ());
    unreachable!("pthread_exit returned")
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_self() -> u64 {
    fiber::own_handle()
}

#[unsafe(no_mangle)]
pub extern "C" fn pthread_equal(a: u64, b: u64) -> i32 {
    i32::from(a == b)
}

pub type Destructor = Option<unsafe extern "C" fn(Value)>;

/// The destructors of thread-specific data, by key. libc keeps the values; it would
/// run the destructors only when the kernel thread ends.
static DESTRUCTORS: Global<Vec<Destructor>> = Global::new(Vec::new());

pub type Destructors = Vec<Destructor>;

pub fn destructors() -> Destructors {
    DESTRUCTORS.get().clone()
}

pub fn restore_destructors(kept: &Destructors) {
    DESTRUCTORS.get().clone_from(kept);
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_key_create(key: *mut u32, destructor: Destructor) -> i32 {
    // Which number a key gets depends on the others that there are.
    if running().is_some() {
        event(Op::Hidden { object: &raw const DESTRUCTORS as u64 }, &[], call_site());
    }
    let result = real!(pthread_key_create(key => *mut u32, destructor => Destructor) -> i32);
    if result == 0 {
        // SAFETY: libc has stored the key there.
        let key = unsafe { *key } as usize;
        let destructors = DESTRUCTORS.get();
        if destructors.len() <= key {
            destructors.resize(key + 1, None);
        }
        destructors[key] = destructor;
    }
    result
}

/// # Safety
/// As libc's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_key_delete(key: u32) -> i32 {
    if let Some(destructor) = DESTRUCTORS.get().get_mut(key as usize) {
        *destructor = None;
    }
    real!(pthread_key_delete(key => u32) -> i32)
}

/// Runs the destructors of the running thread's data, as often as they make new
/// data, but no more often than POSIX demands.
fn run_destructors() {
    const ROUNDS: usize = 4;
    for _ in 0..ROUNDS {
        let mut any = false;
        for key in 0..DESTRUCTORS.get().len() {
            let Some(destructor) = DESTRUCTORS.get()[key] else { continue };
            // SAFETY: a key that exists; the value is given to its own destructor.
            unsafe {
                let value = libc::pthread_getspecific(key as u32);
                if !value.is_null() {
                    any = true;
                    libc::pthread_setspecific(key as u32, core::ptr::null());
                    destructor(value);
                }
            }
        }
        if !any {
            return;
        }
    }
}
