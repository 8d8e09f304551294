//! `threads.h`: the same things by C11's names. glibc's types are those of pthreads.

use super::{conditions, keys, mutexes, once, store, threads, time};
use crate::execution::{Start, running};
use leno_entry::entry;

const SUCCESS: i32 = 0;
const BUSY: i32 = 1;
const ERROR: i32 = 2;
const TIMED_OUT: i32 = 4;

type Mutex = *mut libc::pthread_mutex_t;
type Cond = *mut libc::pthread_cond_t;
type Time = *const libc::timespec;

fn result(error: i32) -> i32 {
    match error {
        0 => SUCCESS,
        libc::EBUSY => BUSY,
        libc::ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn thrd_create(
    handle: *mut u64,
    start: Start,
    argument: *mut libc::c_void,
) -> i32 {
    // A function that returns an int leaves it in the register of a pointer; `thrd_join`
    // looks at the lower half only.
    // SAFETY: as the caller says.
    result(unsafe { threads::pthread_create(handle, core::ptr::null(), start, argument) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn thrd_join(handle: u64, out: *mut i32) -> i32 {
    if running().is_none() {
        let mut value = core::ptr::null_mut();
        // SAFETY: as the caller says.
        unsafe {
            let error = threads::pthread_join(handle, &mut value);
            if error == 0 {
                store(out, value as usize as i32);
            }
            return result(error);
        }
    }
    result(threads::join_for_int(handle, out))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn thrd_detach(handle: u64) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { threads::pthread_detach(handle) })
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn thrd_exit(value: i32) {
    // SAFETY: as the caller says.
    unsafe { threads::pthread_exit(value as isize as *mut libc::c_void) }
}

#[entry]
pub extern "C" fn thrd_current() -> u64 {
    threads::pthread_self()
}

#[entry]
pub extern "C" fn thrd_equal(a: u64, b: u64) -> i32 {
    threads::pthread_equal(a, b)
}

#[entry]
pub extern "C" fn thrd_yield() {
    time::sched_yield();
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn thrd_sleep(wanted: Time, left: *mut libc::timespec) -> i32 {
    // SAFETY: as the caller says.
    unsafe { time::nanosleep(wanted, left) }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn mtx_lock(mutex: Mutex) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { mutexes::pthread_mutex_lock(mutex) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn mtx_trylock(mutex: Mutex) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { mutexes::pthread_mutex_trylock(mutex) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn mtx_timedlock(mutex: Mutex, until: Time) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { mutexes::pthread_mutex_timedlock(mutex, until) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn mtx_unlock(mutex: Mutex) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { mutexes::pthread_mutex_unlock(mutex) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn mtx_init(mutex: Mutex, kind: i32) -> i32 {
    const RECURSIVE: i32 = 1;
    // SAFETY: as the caller says; the attributes are our own.
    unsafe {
        let mut attributes: libc::pthread_mutexattr_t = core::mem::zeroed();
        libc::pthread_mutexattr_init(&mut attributes);
        let kind = if kind & RECURSIVE != 0 {
            libc::PTHREAD_MUTEX_RECURSIVE
        } else {
            libc::PTHREAD_MUTEX_NORMAL
        };
        libc::pthread_mutexattr_settype(&mut attributes, kind);
        result(mutexes::pthread_mutex_init(mutex, &attributes))
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn mtx_destroy(mutex: Mutex) {
    // SAFETY: as the caller says.
    unsafe { mutexes::pthread_mutex_destroy(mutex) };
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn cnd_init(cond: Cond) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { conditions::pthread_cond_init(cond, core::ptr::null()) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn cnd_destroy(cond: Cond) {
    // SAFETY: as the caller says.
    unsafe { conditions::pthread_cond_destroy(cond) };
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn cnd_wait(cond: Cond, mutex: Mutex) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { conditions::pthread_cond_wait(cond, mutex) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn cnd_timedwait(cond: Cond, mutex: Mutex, until: Time) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { conditions::pthread_cond_timedwait(cond, mutex, until) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn cnd_signal(cond: Cond) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { conditions::pthread_cond_signal(cond) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn cnd_broadcast(cond: Cond) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { conditions::pthread_cond_broadcast(cond) })
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn call_once(control: *mut i32, routine: extern "C" fn()) {
    // SAFETY: as the caller says.
    unsafe { once::pthread_once(control, routine) };
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn tss_create(key: *mut u32, destructor: keys::Destructor) -> i32 {
    // SAFETY: as the caller says.
    result(unsafe { keys::pthread_key_create(key, destructor) })
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn tss_delete(key: u32) {
    // SAFETY: as the caller says.
    unsafe { keys::pthread_key_delete(key) };
}
