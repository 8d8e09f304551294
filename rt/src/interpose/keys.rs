//! Keys of thread-specific data.
//!
//! libc keeps the values; it would run the destructors only when the kernel thread ends, so
//! they are kept here. Which number a key gets depends on the others that there are. To use
//! a key touches nothing that others notice, unless somebody deletes it: then using it and
//! deleting it are uses of a thing that the threads have in common (see `kernel::things`),
//! and to use it behind that is a misuse.

use super::{real, threads};
use crate::{
    cell::Global,
    execution::{self, call_site, current_thread, event, finish, running},
    kernel::things::{self, Changes, Looks, Thing, thing},
    misuse, stacks,
};
use alloc::{format, string::String, vec::Vec};
use leno_entry::entry;
use leno_model::{End, Op, ThreadId};

type Value = *mut libc::c_void;
pub type Destructor = Option<unsafe extern "C" fn(Value)>;

/// What is known of a key, by its number.
#[derive(Clone, Copy, Default)]
pub struct Key {
    destructor: Destructor,
    /// It was made, and not deleted since.
    exists: bool,
    deleted: bool,
    /// Who has used it, if one thread only; or if more.
    user: Option<ThreadId>,
    users: bool,
}

static KEYS: Global<Vec<Key>> = Global::new(Vec::new());

pub type Keys = Vec<Key>;

pub fn kept() -> Keys {
    KEYS.get().clone()
}

pub fn restore(kept: &Keys) {
    KEYS.get().clone_from(kept);
}

fn known(key: u32) -> Option<&'static mut Key> {
    KEYS.get().get_mut(key as usize)
}

fn of(key: u32) -> Thing {
    thing("key", format!("{key}").as_bytes())
}

/// The running thread uses a key.
fn uses(key: u32, does: &str) {
    let (Some(me), Some(known)) = (current_thread(), known(key)) else { return };
    known.users |= known.user.replace(me).is_some_and(|user| user != me);
    if !known.deleted && !things::is_contested(of(key)) {
        return;
    }
    things::touch(&[(of(key), Looks)]);
    if !known.exists {
        report(key, &format!("{does} a key that has been deleted"));
    }
}

fn report(key: u32, what: &str) {
    misuse::report(String::from(what), of(key).address(), call_site());
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_key_create(key: *mut u32, destructor: Destructor) -> i32 {
    if running().is_some() {
        event(Op::Hidden { object: &raw const KEYS as u64 }, &[], call_site());
    }
    let result = real!(pthread_key_create(key => *mut u32, destructor => Destructor) -> i32);
    if result == 0 {
        // SAFETY: libc has stored the key there.
        let key = unsafe { *key } as usize;
        let keys = KEYS.get();
        if keys.len() <= key {
            keys.resize(key + 1, Key::default());
        }
        keys[key] = Key { destructor, exists: true, ..Key::default() };
    }
    result
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_key_delete(key: u32) -> i32 {
    if let (Some(me), Some(known)) = (current_thread(), known(key)) {
        let others = known.users || known.user.is_some_and(|user| user != me);
        if others && !things::is_contested(of(key)) {
            // What they do to it is to be ordered with this.
            things::contest(of(key));
            finish(End::Bounded);
        }
        event(Op::Hidden { object: &raw const KEYS as u64 }, &[], call_site());
        things::touch(&[(of(key), Changes)]);
        if !known.exists {
            misuse::refused("deletes a key twice", of(key).address(), call_site());
        }
    }
    if let Some(known) = known(key) {
        execution::note(of(key).address(), "deleted it here");
        *known = Key { deleted: true, user: known.user, users: known.users, ..Key::default() };
    }
    real!(pthread_key_delete(key => u32) -> i32)
}

fn get(key: u32) -> Value {
    real!(pthread_getspecific(key => u32) -> Value)
}

fn set(key: u32, value: *const libc::c_void) -> i32 {
    let before = get(key);
    let result = real!(pthread_setspecific(key => u32, value => *const libc::c_void) -> i32);
    if let Some(x) = running().filter(|_| result == 0) {
        x.thread().sets(key, before as u64, value as u64);
    }
    result
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_getspecific(key: u32) -> Value {
    uses(key, "gets the value of");
    get(key)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pthread_setspecific(key: u32, value: *const libc::c_void) -> i32 {
    uses(key, "sets the value of");
    set(key, value)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn tss_get(key: u32) -> Value {
    uses(key, "gets the value of");
    get(key)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn tss_set(key: u32, value: *const libc::c_void) -> i32 {
    uses(key, "sets the value of");
    // As in threads.h: 0 is success, 2 an error.
    if set(key, value) == 0 { 0 } else { 2 }
}

/// Runs the destructors of the running thread's data from a key on, as often as they make new
/// data, but no more often than POSIX demands; then the thread ends. `round` counts, and its
/// lowest bit says that there has been one in this round.
pub extern "C" fn destroy(_: u64, round: u64, key: u64) -> u64 {
    const ROUNDS: u64 = 4;
    for key in key as usize..KEYS.get().len() {
        let Some(destructor) = KEYS.get()[key].destructor else { continue };
        let value = get(key as u32);
        if !value.is_null() {
            set(key as u32, core::ptr::null());
            let state = [round | 1, key as u64 + 1];
            stacks::call(destructor as *const () as usize, [value as u64, 0, 0], destroy, state);
            return 0;
        }
    }
    if round & 1 != 0 && round / 2 + 1 < ROUNDS {
        return destroy(0, round + 1, 0);
    }
    threads::end();
    0
}
