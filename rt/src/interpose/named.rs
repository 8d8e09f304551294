//! Semaphores with a name. The names are those of one execution: it begins without any,
//! and nothing is left behind in the file system.
//!
//! A name has a mutex, by which opening and unlinking are ordered, and a semaphore at
//! another address for each time that it was created. Both addresses are made from the
//! name, so that they do not depend on who comes first; nothing lies there.

use super::{real, set_errno};
use crate::execution::{call_site, event, running};
use alloc::{string::String, vec::Vec};
use core::ffi::{CStr, c_char};
use leno_entry::entry;
use leno_model::{MutexKind, Op};

type Semaphore = *mut libc::sem_t;

/// Where the addresses begin, how many names there can be and what each has.
const NAMES: u64 = 0x5000_0000_0000;
const COUNT: u64 = 1 << 28;
const SPACE: u64 = 4096;

/// A semaphore that was created with a name.
pub struct Named {
    text: String,
    name: u64,
    semaphore: u64,
    /// How often it is open.
    open: u32,
    unlinked: bool,
}

/// The name behind an address, for people.
pub fn text_of(addr: u64) -> Option<String> {
    let all = NAMES..NAMES + COUNT * SPACE;
    let named = &running().filter(|_| all.contains(&addr))?.named;
    named.iter().find(|n| n.semaphore == addr || n.name == addr).map(|n| n.text.clone())
}

/// The address that stands for a name; none if it is not allowed.
fn name_of(name: *const c_char) -> Result<u64, i32> {
    // SAFETY: the program's string.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    let start = bytes.iter().position(|byte| *byte != b'/').unwrap_or(bytes.len());
    let bytes = &bytes[start..];
    if bytes.is_empty() || bytes.contains(&b'/') {
        return Err(libc::EINVAL);
    }
    if bytes.len() > 251 {
        return Err(libc::ENAMETOOLONG);
    }
    let digest = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Ok(NAMES + (digest ^ digest >> 32) % COUNT * SPACE)
}

/// Does something with the names while no other thread does with this one.
fn exclusively<T>(name: u64, action: impl FnOnce(&mut Vec<Named>) -> T) -> T {
    let site = call_site();
    let kind = MutexKind::Normal;
    event(Op::Lock { mutex: name, kind }, &[], site);
    let result = action(&mut running().expect("in an execution").named);
    event(Op::Unlock { mutex: name }, &[], site);
    result
}

fn failed<T>(error: i32, result: T) -> T {
    set_errno(error);
    result
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_open(
    name: *const c_char,
    flags: i32,
    mode: u32,
    value: u32,
) -> Semaphore {
    if running().is_none() {
        return real!(sem_open(name => *const c_char, flags => i32, mode => u32, value => u32) -> Semaphore);
    }
    // SAFETY: the program's string.
    let text = || unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
    let (text, name) = match name_of(name) {
        Ok(name) => (text(), name),
        Err(error) => return failed(error, core::ptr::null_mut()),
    };
    let creates = flags & libc::O_CREAT != 0;
    let opened = exclusively(name, |named| {
        let known = named.iter().position(|n| n.name == name && !n.unlinked);
        match known {
            Some(_) if creates && flags & libc::O_EXCL != 0 => Err(libc::EEXIST),
            Some(place) => {
                named[place].open += 1;
                Ok(named[place].semaphore)
            }
            None if !creates => Err(libc::ENOENT),
            None if value > i32::MAX as u32 => Err(libc::EINVAL),
            None => {
                let generation = named.iter().filter(|n| n.name == name).count() as u64;
                let semaphore = name + 32 * (1 + generation % (SPACE / 32 - 1));
                named.push(Named { text, name, semaphore, open: 1, unlinked: false });
                let init = Op::SemInit { sem: semaphore, value };
                event(init, &[], call_site());
                Ok(semaphore)
            }
        }
    });
    match opened {
        Ok(semaphore) => semaphore as Semaphore,
        Err(error) => failed(error, core::ptr::null_mut()),
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_close(sem: Semaphore) -> i32 {
    let Some(x) = running() else { return real!(sem_close(sem => Semaphore) -> i32) };
    let known = x.named.iter().find(|n| n.semaphore == sem as u64).map(|n| n.name);
    let Some(name) = known else { return failed(libc::EINVAL, -1) };
    let closed = exclusively(name, |named| {
        let open = named.iter_mut().find(|n| n.semaphore == sem as u64 && n.open > 0);
        open.map(|n| n.open -= 1).is_some()
    });
    if closed { 0 } else { failed(libc::EINVAL, -1) }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn sem_unlink(name: *const c_char) -> i32 {
    if running().is_none() {
        return real!(sem_unlink(name => *const c_char) -> i32);
    }
    // glibc says of a name that is not allowed that there is none.
    let Ok(name) = name_of(name) else { return failed(libc::ENOENT, -1) };
    let unlinked = exclusively(name, |named| {
        let linked = named.iter_mut().find(|n| n.name == name && !n.unlinked);
        linked.map(|n| n.unlinked = true).is_some()
    });
    if unlinked { 0 } else { failed(libc::ENOENT, -1) }
}
