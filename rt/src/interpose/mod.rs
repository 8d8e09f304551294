//! Functions of libc and libpthread that the runtime takes the place of.
//!
//! Outside an execution (constructors, the host) they are libc's own; inside one
//! they are translated into events. What a synchronisation object does is not
//! decided here but by the checker's state machine.

pub mod allocation;
pub mod choices;
pub mod conditions;
pub mod mutexes;
pub mod process;
pub mod random;
pub mod refused;
pub mod threads;
pub mod time;

use core::ffi::CStr;

/// libc's own function of this name.
pub fn next(name: &CStr) -> *mut libc::c_void {
    // SAFETY: plain use of dlsym.
    let function = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    assert!(!function.is_null(), "libc has no {}", name.to_string_lossy());
    function
}

/// Calls libc's own function: `real!(name(argument => its type, …) -> result)`. It is
/// looked up once for each place.
macro_rules! real {
    ($name:ident ( $($arg:expr => $type:ty),* ) -> $result:ty) => {{
        static FUNCTION: $crate::cell::Global<usize> = $crate::cell::Global::new(0);
        let place = FUNCTION.get();
        if *place == 0 {
            let name = core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes());
            *place = $crate::interpose::next(name.expect("ends with a zero")) as usize;
        }
        // SAFETY: the function has this type in libc's headers, and the caller of the
        // interposed function keeps its promises.
        unsafe {
            let function: unsafe extern "C" fn($($type),*) -> $result = core::mem::transmute(*place);
            function($($arg),*)
        }
    }};
}
pub(crate) use real;
