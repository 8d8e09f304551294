//! Functions of libc and libpthread that the runtime takes the place of.
//!
//! Outside an execution (constructors, the host) they are libc's own; inside one
//! they are translated into events. What a synchronisation object does is not
//! decided here but by the checker's state machine.

pub mod allocation;
pub mod attributes;
pub mod barriers;
pub mod blocking;
pub mod c11;
pub mod cancellation;
pub mod choices;
pub mod conditions;
pub mod descriptors;
pub mod early;
pub mod exceptions;
pub mod files;
pub mod futexes;
pub mod guards;
pub mod handlers;
pub mod identity;
pub mod jumps;
pub mod keys;
pub mod mappings;
pub mod mutexes;
pub mod named;
pub mod old_signals;
pub mod once;
pub mod passed_on;
pub mod points;
pub mod process;
pub mod random;
pub mod readiness;
pub mod refused;
pub mod rwlocks;
pub mod semaphores;
pub mod signalling;
pub mod sockets;
pub mod stream_locks;
pub mod streams;
pub mod threads;
pub mod time;
pub mod timers;
pub mod unwinding;
pub mod wide_atomics;
pub mod words;

use crate::{accesses, cell::Global, execution::call_site, hooks, units};
use core::ffi::CStr;
use leno_model::AccessKind;

/// Where the unwinder, libgcc_s, lies.
static UNWINDER: Global<(u64, u64)> = Global::new((0, 0));

/// Loads the unwinder, which glibc would do at the first `pthread_exit`: in the middle
/// of an execution that is too late, as what is loaded then cannot be put back.
pub fn load_unwinder() {
    // Asking for its own stack makes glibc load it in the way it wants it.
    let mut frame = [core::ptr::null_mut(); 1];
    real!(backtrace(frame.as_mut_ptr() => *mut *mut libc::c_void, 1 => i32) -> i32);
    // SAFETY: plain use of dlopen and dlsym.
    let inside = unsafe {
        let handle = libc::dlopen(c"libgcc_s.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD);
        if handle.is_null() { handle } else { libc::dlsym(handle, c"_Unwind_Resume".as_ptr()) }
    };
    *UNWINDER.get() = units::range_of(inside as u64).unwrap_or_default();
}

/// Whether a synchronisation object is the unwinder's own. It holds no lock while it
/// calls anybody, so its locks are always free when a fiber runs, and they order
/// nothing that a program could see.
pub fn is_internal(object: u64) -> bool {
    let (low, high) = *UNWINDER.get();
    (low..high).contains(&object)
}

/// Writes a result to where the program wants it, if it does.
pub fn store<T>(out: *mut T, value: T) {
    if out.is_null() {
        return;
    }
    let written = [accesses::one(AccessKind::Write, out as u64, size_of::<T>() as u64, None)];
    hooks::plain(call_site(), &written);
    // SAFETY: the program's own place for the result.
    unsafe { out.write_unaligned(value) };
}

/// The same for bytes.
pub fn copy_out(out: *mut u8, bytes: &[u8]) {
    let written = [accesses::one(AccessKind::Write, out as u64, bytes.len() as u64, None)];
    hooks::plain(call_site(), &written);
    // SAFETY: the program's own place for the result.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), out, bytes.len()) };
}

/// Sets the running thread's `errno`.
pub fn set_errno(error: i32) {
    // SAFETY: libc says where it is.
    unsafe { *libc::__errno_location() = error };
}

/// libc's own function of this name.
pub fn next(name: &CStr) -> *mut libc::c_void {
    let function = next_if_any(name);
    assert!(!function.is_null(), "libc has no {}", name.to_string_lossy());
    function
}

/// The libraries of C++, which a program in C may have opened for a plugin and nobody else.
const OF_PLUGINS: [&CStr; 4] =
    [c"libstdc++.so.6", c"libc++abi.so.1", c"libgcc_s.so.1", c"libunwind.so.1"];

/// The function of this name that would be called if the runtime had none, or null.
pub fn next_if_any(name: &CStr) -> *mut libc::c_void {
    const LOADED: i32 = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
    // SAFETY: plain use of dlopen and dlsym.
    let open = |library: &&CStr| unsafe { libc::dlopen(library.as_ptr(), LOADED) };
    // SAFETY: as above.
    let find = |library| unsafe { libc::dlsym(library, name.as_ptr()) };
    let opened = OF_PLUGINS.iter().map(open).filter(|library| !library.is_null());
    let mut found = core::iter::once(libc::RTLD_NEXT).chain(opened).map(find);
    found.find(|function| !function.is_null()).unwrap_or(core::ptr::null_mut())
}

/// The address of libc's own function. It is looked up once for each place.
macro_rules! address {
    ($name:ident) => {{
        static FUNCTION: $crate::cell::Global<usize> = $crate::cell::Global::new(0);
        let place = FUNCTION.get();
        if *place == 0 {
            let name =
                core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes());
            *place = $crate::interpose::next(name.expect("ends with a zero")) as usize;
        }
        *place
    }};
}
pub(crate) use address;

/// Calls libc's own function: `real!(name(argument => its type, …) -> result)`. Not one that
/// may call the program, in an execution: see `stacks`.
macro_rules! real {
    ($name:ident ( $($arg:expr => $type:ty),* ) -> $result:ty) => {{
        let place = $crate::interpose::address!($name);
        // SAFETY: the function has this type in libc's headers, and the caller of the
        // interposed function keeps its promises.
        unsafe {
            let function: unsafe extern "C" fn($($type),*) -> $result = core::mem::transmute(place);
            function($($arg),*)
        }
    }};
}
pub(crate) use real;
