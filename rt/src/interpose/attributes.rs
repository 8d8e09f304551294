//! What can be asked and said about a thread: its attributes, its name, how it is
//! scheduled. A search decides who runs, so priorities and processors are kept and given
//! back, and have no other effect.

use super::{
    real, store,
    words::{self, Word},
};
use crate::{
    execution::{Manners, Thread, current_thread, running},
    fiber,
    given_stacks::Given,
    symmetry, sys,
};
use core::ffi::{CStr, c_char};
use leno_entry::entry;
use leno_model::ThreadId;

type Attributes = *mut libc::pthread_attr_t;
type Parameters = libc::sched_param;

/// glibc's limit, with the zero.
const NAME: usize = 16;

/// The thread behind a handle that is used for something: as [`thread_behind`].
pub fn thread_of(handle: u64) -> Option<ThreadId> {
    let thread = thread_behind(handle);
    if let Some(thread) = thread {
        symmetry::used(thread);
    }
    thread
}

/// The thread behind a handle, if it is one of the execution's.
pub fn thread_behind(handle: u64) -> Option<ThreadId> {
    let thread = fiber::of_handle(handle)?;
    running()?.thread_numbered(thread).map(|_| thread)
}

fn state(thread: ThreadId) -> &'static mut Thread {
    running().and_then(|x| x.thread_numbered(thread)).expect("a thread of the execution")
}

/// What a thread gets that is created with these attributes.
pub fn inherited(attributes: *const libc::pthread_attr_t) -> Manners {
    let me = current_thread().expect("a thread creates others");
    let mut manners = Manners::default();
    words::look(words::word(me, Word::Name), || manners.name = state(me).manners.name);
    words::look(words::word(me, Word::Scheduling), || {
        manners = Manners { name: manners.name, ..state(me).manners };
    });
    let (mut explicit, mut policy, mut parameters) = (0, 0, Parameters { sched_priority: 0 });
    if !attributes.is_null() {
        // SAFETY: the program's attributes, and our own places.
        unsafe {
            libc::pthread_attr_getinheritsched(attributes, &mut explicit);
            libc::pthread_attr_getschedpolicy(attributes, &mut policy);
            libc::pthread_attr_getschedparam(attributes, &mut parameters);
        }
    }
    if explicit == libc::PTHREAD_EXPLICIT_SCHED {
        manners.scheduling = (policy, parameters.sched_priority);
    }
    manners
}

/// What size of stack the attributes want, and on which memory.
pub fn stack(attributes: *const libc::pthread_attr_t) -> Result<(usize, Option<Given>), i32> {
    type Attributes = *const libc::pthread_attr_t;
    let (mut end, mut low, mut size) = (0usize, 0usize, 0usize);
    // One says where it ends, the other where it begins, if the size was set.
    real!(pthread_attr_getstackaddr(attributes => Attributes, &raw mut end => *mut usize) -> i32);
    if end != 0 {
        real!(pthread_attr_getstack(attributes => Attributes, &raw mut low => *mut usize,
            &raw mut size => *mut usize) -> i32);
        return Given::by(end, size).map(|memory| (0, memory));
    }
    real!(pthread_attr_getstacksize(attributes => Attributes, &raw mut size => *mut usize) -> i32);
    Ok((size, None))
}

/// The stack is the one that the thread really runs on.
///
/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_getattr_np(handle: u64, out: Attributes) -> i32 {
    if running().is_none() {
        return real!(pthread_getattr_np(handle => u64, out => Attributes) -> i32);
    }
    let Some(thread) = thread_of(handle) else { return libc::ESRCH };
    let mut detached = false;
    words::look(words::word(thread, Word::Joined), || detached = state(thread).detached);
    let (low, high) = match state(thread).given {
        Some(Given { low, high }) => (low, high),
        None => fiber::stack_range(thread),
    };
    let given = state(thread).given.is_some();
    // SAFETY: plain use of libc's functions on an object of our own.
    let attributes = unsafe {
        let mut attributes: libc::pthread_attr_t = core::mem::zeroed();
        libc::pthread_attr_init(&mut attributes);
        libc::pthread_attr_setstack(&mut attributes, low as *mut _, high - low);
        let state = i32::from(detached);
        libc::pthread_attr_setdetachstate(&mut attributes, state);
        if given {
            libc::pthread_attr_setguardsize(&mut attributes, 0);
        }
        attributes
    };
    store(out, attributes);
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_setname_np(handle: u64, name: *const c_char) -> i32 {
    if running().is_none() {
        return real!(pthread_setname_np(handle => u64, name => *const c_char) -> i32);
    }
    let Some(thread) = thread_of(handle) else { return libc::ESRCH };
    // SAFETY: the program's string.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    if bytes.len() >= NAME {
        return libc::ERANGE;
    }
    words::exchange(words::word(thread, Word::Name), || {
        let mut name = [0; NAME];
        name[..bytes.len()].copy_from_slice(bytes);
        state(thread).manners.name = Some(name);
        true
    });
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_getname_np(handle: u64, out: *mut c_char, len: usize) -> i32 {
    if running().is_none() {
        return real!(pthread_getname_np(handle => u64, out => *mut c_char, len => usize) -> i32);
    }
    let Some(thread) = thread_of(handle) else { return libc::ESRCH };
    if len < NAME {
        return libc::ERANGE;
    }
    let mut name = None;
    words::look(words::word(thread, Word::Name), || name = state(thread).manners.name);
    store(out.cast::<[u8; NAME]>(), name.unwrap_or_else(program_name));
    0
}

/// What a thread is called that nobody has named.
fn program_name() -> [u8; NAME] {
    let mut name = [0; NAME];
    let place = super::next(c"program_invocation_short_name").cast::<*const c_char>();
    // SAFETY: libc's variable, which holds a string.
    let bytes = unsafe { CStr::from_ptr(*place) }.to_bytes();
    let len = bytes.len().min(NAME - 1);
    name[..len].copy_from_slice(&bytes[..len]);
    name
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_setschedparam(
    handle: u64,
    policy: i32,
    parameters: *const Parameters,
) -> i32 {
    if running().is_none() {
        return real!(pthread_setschedparam(handle => u64, policy => i32, parameters => *const Parameters) -> i32);
    }
    let Some(thread) = thread_of(handle) else { return libc::ESRCH };
    // SAFETY: the program's own.
    let priority = unsafe { (*parameters).sched_priority };
    if !is_priority(policy, priority) {
        return libc::EINVAL;
    }
    words::exchange(words::word(thread, Word::Scheduling), || {
        state(thread).manners.scheduling = (policy, priority);
        true
    });
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_setschedprio(handle: u64, priority: i32) -> i32 {
    if running().is_none() {
        return real!(pthread_setschedprio(handle => u64, priority => i32) -> i32);
    }
    let Some(thread) = thread_of(handle) else { return libc::ESRCH };
    let mut fits = false;
    words::exchange(words::word(thread, Word::Scheduling), || {
        let (policy, old) = &mut state(thread).manners.scheduling;
        fits = is_priority(*policy, priority);
        if fits {
            *old = priority;
        }
        fits
    });
    if fits { 0 } else { libc::EINVAL }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_getschedparam(
    handle: u64,
    policy: *mut i32,
    parameters: *mut Parameters,
) -> i32 {
    if running().is_none() {
        return real!(pthread_getschedparam(handle => u64, policy => *mut i32, parameters => *mut Parameters) -> i32);
    }
    let Some(thread) = thread_of(handle) else { return libc::ESRCH };
    let mut found = (0, 0);
    words::look(words::word(thread, Word::Scheduling), || found = state(thread).manners.scheduling);
    store(policy, found.0);
    store(parameters, Parameters { sched_priority: found.1 });
    0
}

fn is_priority(policy: i32, priority: i32) -> bool {
    // SAFETY: these ask for constants of the system.
    let (low, high) =
        unsafe { (libc::sched_get_priority_min(policy), libc::sched_get_priority_max(policy)) };
    low >= 0 && (low..=high).contains(&priority)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_setaffinity_np(
    handle: u64,
    size: usize,
    set: *const libc::cpu_set_t,
) -> i32 {
    if running().is_none() {
        return real!(pthread_setaffinity_np(handle => u64, size => usize, set => *const libc::cpu_set_t) -> i32);
    }
    let Some(thread) = thread_of(handle) else { return libc::ESRCH };
    let mut wanted = [0; PROCESSORS];
    let size = size.min(PROCESSORS);
    // SAFETY: the program's own.
    unsafe { core::ptr::copy_nonoverlapping(set.cast(), wanted.as_mut_ptr(), size) };
    let there = match processors() {
        Ok(there) => there,
        Err(error) => return error,
    };
    wanted.iter_mut().zip(there).for_each(|(wanted, there)| *wanted &= there);
    if wanted == [0; PROCESSORS] {
        return libc::EINVAL;
    }
    words::exchange(words::word(thread, Word::Scheduling), || {
        state(thread).manners.processors = Some(wanted);
        true
    });
    0
}

const PROCESSORS: usize = size_of::<libc::cpu_set_t>();

/// The processors that leno may use.
fn processors() -> Result<[u8; PROCESSORS], i32> {
    let mut set = [0; PROCESSORS];
    let arguments = [0, PROCESSORS as u64, set.as_mut_ptr() as u64, 0, 0, 0];
    // SAFETY: the kernel writes no more than the set has.
    let result = unsafe { sys::call(libc::SYS_sched_getaffinity, arguments) };
    if result < 0 { Err(-result as i32) } else { Ok(set) }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_getaffinity_np(
    handle: u64,
    size: usize,
    out: *mut libc::cpu_set_t,
) -> i32 {
    if running().is_none() {
        return real!(pthread_getaffinity_np(handle => u64, size => usize, out => *mut libc::cpu_set_t) -> i32);
    }
    let Some(thread) = thread_of(handle) else { return libc::ESRCH };
    let mut found = None;
    words::look(words::word(thread, Word::Scheduling), || {
        found = state(thread).manners.processors;
    });
    match found.map_or_else(processors, Ok) {
        Ok(set) => super::copy_out(out.cast(), &set[..size.min(PROCESSORS)]),
        Err(error) => return error,
    }
    0
}

/// Every thread has one clock; see `time`.
///
/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_getcpuclockid(handle: u64, out: *mut i32) -> i32 {
    if running().is_none() || current_thread().is_none() {
        return real!(pthread_getcpuclockid(handle => u64, out => *mut i32) -> i32);
    }
    if thread_of(handle).is_none() {
        return libc::ESRCH;
    }
    store(out, libc::CLOCK_THREAD_CPUTIME_ID);
    0
}
