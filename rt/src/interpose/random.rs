//! Hidden state: what libc or the kernel keeps for all threads together (random numbers, the
//! string under `strtok`, the environment, the working directory) is an object. The system's
//! random numbers are a function of the thread's own past, and before `main` of the program's:
//! they are the same in every process.

use super::real;
use crate::{
    cell::Global,
    execution::{call_site, event, running},
    host,
};
use leno_entry::entry;
use leno_model::Op;

/// Names for libc's hidden state; no program has objects in the first page.
const RAND: u64 = 0x10;
const RAND48: u64 = 0x20;
const STRTOK: u64 = 0x30;
const CALENDAR: u64 = 0x40;
const ENVIRONMENT: u64 = 0x50;
const MESSAGE: u64 = 0x60;
const DIRECTORY: u64 = 0x80;
const CREATION_MASK: u64 = 0x90;

type Text = *mut libc::c_char;
type Calendar = *mut libc::tm;

fn hidden(object: u64) {
    if running().is_some() {
        event(Op::Hidden { object }, &[], call_site());
    }
}

macro_rules! stateful {
    ($($object:ident: fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> $result {
            hidden($object);
            real!($name($($arg => $type),*) -> $result)
        }
    )*};
}

stateful! {
    RAND: fn rand() -> i32;
    RAND: fn srand(seed: u32) -> ();
    RAND: fn random() -> i64;
    RAND: fn srandom(seed: u32) -> ();
    RAND48: fn drand48() -> f64;
    RAND48: fn lrand48() -> i64;
    RAND48: fn mrand48() -> i64;
    RAND48: fn srand48(seed: i64) -> ();
    STRTOK: fn strtok(text: Text, separators: Text) -> Text;
    CALENDAR: fn localtime(time: *const i64) -> Calendar;
    CALENDAR: fn gmtime(time: *const i64) -> Calendar;
    CALENDAR: fn ctime(time: *const i64) -> Text;
    CALENDAR: fn asctime(time: Calendar) -> Text;
    ENVIRONMENT: fn getenv(name: Text) -> Text;
    ENVIRONMENT: fn setenv(name: Text, value: Text, overwrite: i32) -> i32;
    ENVIRONMENT: fn unsetenv(name: Text) -> i32;
    ENVIRONMENT: fn putenv(text: Text) -> i32;
    ENVIRONMENT: fn clearenv() -> i32;
    MESSAGE: fn strerror(error: i32) -> Text;
    DIRECTORY: fn chdir(path: Text) -> i32;
    DIRECTORY: fn fchdir(directory: i32) -> i32;
    DIRECTORY: fn getcwd(path: Text, size: usize) -> Text;
    CREATION_MASK: fn umask(mask: u32) -> u32;
}

/// The generator before `main`; what it begins with is no thread's.
static BEFORE_MAIN: Global<u64> = Global::new(0xd1b5_4a32_d192_ed03);

/// Fills a buffer from the running thread's own generator (xorshift64*).
pub fn fill(out: *mut u8, len: usize) -> bool {
    let state = match running() {
        Some(x) => &mut x.thread().random,
        None if host::is_checking() => BEFORE_MAIN.get(),
        None => return false,
    };
    for i in 0..len {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        // SAFETY: the program's own buffer of that length.
        unsafe { out.add(i).write((state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 56) as u8) };
    }
    true
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn getrandom(out: *mut u8, len: usize, flags: u32) -> isize {
    if fill(out, len) {
        return len as isize;
    }
    real!(getrandom(out => *mut u8, len => usize, flags => u32) -> isize)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn getentropy(out: *mut u8, len: usize) -> i32 {
    if fill(out, len) {
        return 0;
    }
    real!(getentropy(out => *mut u8, len => usize) -> i32)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn arc4random_buf(out: *mut u8, len: usize) {
    if !fill(out, len) {
        real!(arc4random_buf(out => *mut u8, len => usize) -> ());
    }
}

/// Functions of the C++ libraries that ask the processor or the kernel for a number.
macro_rules! devices {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the library's.
        #[entry]
        pub unsafe extern "C" fn $name(this: *mut libc::c_void) -> u32 {
            let mut bytes = [0; 4];
            if fill(bytes.as_mut_ptr(), bytes.len()) {
                return u32::from_le_bytes(bytes);
            }
            real!($name(this => *mut libc::c_void) -> u32)
        }
    )*};
}

devices! {
    /// `std::random_device::_M_getval()` of libstdc++.
    _ZNSt13random_device9_M_getvalEv
    /// `std::random_device::operator()()` of libc++.
    _ZNSt3__113random_deviceclEv
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn arc4random() -> u32 {
    let mut bytes = [0; 4];
    // SAFETY: our own buffer.
    unsafe { arc4random_buf(bytes.as_mut_ptr(), 4) };
    u32::from_le_bytes(bytes)
}
