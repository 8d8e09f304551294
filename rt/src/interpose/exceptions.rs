//! C++ exceptions that threads share, and the end of a program that nobody catches one of.
//!
//! Throwing and catching is the library's business. What it hides is the count of
//! references to an exception that several threads hold (`std::exception_ptr`, a future's
//! error): who gives up the last one destroys the exception, behind all that the others
//! did with it. Only giving one up orders anything; taking one needs one.

use super::{address, real};
use crate::{
    accesses, back_off,
    cell::Global,
    execution::{self, call_site, running},
    hooks, stacks,
    trace::FailureText,
    units,
};
use alloc::{format, string::String, vec::Vec};
use core::ffi::{CStr, c_char, c_void};
use leno_entry::entry;
use leno_model::{AccessKind, Order, Property};

/// The class of an exception: of libstdc++ and of libc++abi, the last byte left out. That
/// byte says that it stands for another one, which is shared.
const GNU: u64 = u64::from_be_bytes(*b"GNUCC++\0");
const CLANG: u64 = u64::from_be_bytes(*b"CLNGC++\0");
/// Bytes from the count of references to the exception itself, in both libraries: it
/// stands in front of all that the library keeps of the exception.
const GNU_COUNT: u64 = 128;
const CLANG_COUNT: u64 = 120;

/// A reference is given up: what was done before comes before what the last one does.
fn give_up(count: u64) {
    let count = accesses::one(AccessKind::ReadWrite, count, 4, Some(Order::AcqRel));
    hooks::access(call_site(), &[count]);
}

/// Where the count of references to the exception is that is being handled.
unsafe fn count_of_caught() -> Option<u64> {
    type Globals = *const *const u8;
    let globals = real!(__cxa_get_globals() -> Globals);
    // SAFETY: as the ABI says, the first word of what a thread keeps is the exception that
    // it caught last; its layout is the libraries', and part of their ABI.
    unsafe {
        let header = *globals;
        if header.is_null() {
            return None;
        }
        let word = |at: usize| header.add(at).cast::<u64>().read_unaligned();
        if word(80) & !0xff == GNU {
            let exception = if word(80) == GNU { header as u64 + 112 } else { word(0) };
            Some(exception - GNU_COUNT)
        } else if word(96) & !0xff == CLANG {
            let exception = if word(96) == CLANG { header as u64 + 128 } else { word(8) };
            Some(exception - CLANG_COUNT)
        } else {
            None
        }
    }
}

/// An exception has been caught: what it left on its way has been left for good.
///
/// # Safety
/// As the ABI says.
#[entry(calls)]
pub unsafe extern "C" fn __cxa_begin_catch(exception: *mut c_void) -> *mut c_void {
    if running().is_some() {
        back_off::left();
    }
    library(address!(__cxa_begin_catch), exception as u64);
    core::ptr::null_mut()
}

/// What the library does itself: it may destroy an exception, which is the program's.
fn library(function: usize, argument: u64) {
    stacks::call(function, [argument, 0, 0], stacks::result, [0; 2]);
}

/// # Safety
/// As the ABI says.
#[entry(calls)]
pub unsafe extern "C" fn __cxa_end_catch() {
    if running().is_some()
        // SAFETY: called where an exception has been caught.
        && let Some(count) = unsafe { count_of_caught() }
    {
        give_up(count);
    }
    library(address!(__cxa_end_catch), 0);
}

/// `std::__exception_ptr::exception_ptr::_M_release()` of libstdc++.
///
/// # Safety
/// As the library's.
#[entry(calls)]
pub unsafe extern "C" fn _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(this: *mut u64) {
    // SAFETY: the program's own, which points to an exception or to nothing.
    let exception = unsafe { *this };
    if running().is_some() && exception != 0 {
        give_up(exception - GNU_COUNT);
    }
    library(address!(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv), this as u64);
}

/// `std::exception_ptr::~exception_ptr()` of libc++.
///
/// # Safety
/// As the library's.
#[entry(calls)]
pub unsafe extern "C" fn __cxa_decrement_exception_refcount(exception: u64) {
    if running().is_some() && exception != 0 {
        give_up(exception - CLANG_COUNT);
    }
    library(address!(__cxa_decrement_exception_refcount), exception);
}

type Handler = extern "C" fn();
type CurrentType = extern "C" fn() -> *const *const c_char;
type GetGlobals = extern "C" fn() -> *const *const u8;

/// Functions of libc++ that make something when they are first called, which then is
/// there for all threads.
const MAKES_ONCE: [&CStr; 5] = [
    c"_ZNSt3__119__thread_local_dataEv",
    c"_ZNSt3__116generic_categoryEv",
    c"_ZNSt3__115system_categoryEv",
    c"_ZNSt3__117iostream_categoryEv",
    c"_ZNSt3__115future_categoryEv",
];

/// Has the C++ library make what it makes once, before an execution: libc++ takes locks for
/// it, and who comes first would be tried in all orders.
pub fn settle_library() {
    if lookup(MAKES_ONCE[0]).is_null() {
        return;
    }
    for name in MAKES_ONCE.into_iter().chain([c"__cxa_get_globals"]) {
        let function = lookup(name);
        if !function.is_null() {
            // SAFETY: they take nothing and give a pointer or a reference.
            unsafe {
                core::mem::transmute::<*mut c_void, extern "C" fn() -> *const u8>(function)()
            };
        }
    }
}

/// Functions of the C++ library, if there is one; looked up before an execution.
#[derive(Clone, Copy)]
struct Library {
    current_type: CurrentType,
    get_globals: GetGlobals,
    demangle: Option<Demangle>,
    /// `typeid(std::exception)`.
    exception: *const *const Catches,
}

type Demangle = extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut i32) -> *mut c_char;

/// What a `type_info` can do, as far as it matters: in both libraries the fifth virtual
/// function says whether it catches another type, and adjusts the pointer.
#[repr(C)]
struct Catches {
    others: [usize; 4],
    catches: extern "C" fn(*const c_void, *const c_void, *mut *const u8, u32) -> bool,
}

static LIBRARY: Global<Option<Library>> = Global::new(None);

fn lookup(name: &CStr) -> *mut c_void {
    // SAFETY: plain use of dlsym.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Takes the place of the library's handler of `std::terminate`, unless the program has
/// one of its own.
pub fn expect_terminate() {
    let get = lookup(c"_ZSt13get_terminatev");
    let set = lookup(c"_ZSt13set_terminatePFvvE");
    let (current_type, get_globals) =
        (lookup(c"__cxa_current_exception_type"), lookup(c"__cxa_get_globals"));
    if get.is_null() || set.is_null() || current_type.is_null() || get_globals.is_null() {
        return;
    }
    // SAFETY: these functions have these types in both libraries.
    unsafe {
        let get: extern "C" fn() -> u64 = core::mem::transmute(get);
        let set: extern "C" fn(Handler) = core::mem::transmute(set);
        let demangle = lookup(c"__cxa_demangle");
        *LIBRARY.get() = Some(Library {
            current_type: core::mem::transmute::<*mut c_void, CurrentType>(current_type),
            get_globals: core::mem::transmute::<*mut c_void, GetGlobals>(get_globals),
            demangle: core::mem::transmute::<*mut c_void, Option<Demangle>>(demangle),
            exception: lookup(c"_ZTISt9exception").cast(),
        });
        if !units::has_unit(get()) {
            set(terminated);
        }
    }
}

extern "C" fn terminated() {
    if running().is_some() {
        let text = FailureText::Misuse { what: reason(), object: None, parts: Vec::new() };
        execution::fail(Property::Crash, libc::SIGABRT as u32, call_site(), text);
    }
    real!(abort() -> ());
}

/// Why the program is terminated, in words.
fn reason() -> String {
    let nothing = || String::from("std::terminate was called, and no exception is in flight");
    let Some(library) = *LIBRARY.get() else { return nothing() };
    let thrown = (library.current_type)();
    if thrown.is_null() {
        return nothing();
    }
    // SAFETY: a type_info's second word is its name. What the library keeps of the
    // exception in flight is as `count_of_caught` says.
    unsafe {
        let mangled = *thrown.add(1);
        let mangled = if *mangled == b'*' as c_char { mangled.add(1) } else { mangled };
        let demangled = library.demangle.map_or(core::ptr::null_mut(), |demangle| {
            use core::ptr::null_mut;
            demangle(mangled, null_mut(), null_mut(), null_mut())
        });
        let name = if demangled.is_null() { mangled } else { demangled.cast_const() };
        // As in the source: libc++ has an inner namespace.
        let name = CStr::from_ptr(name).to_string_lossy().replace("std::__1::", "std::");
        match what(&library, thrown.cast()) {
            Some(what) => format!("uncaught exception of type {name}: {what}"),
            None => format!("uncaught exception of type {name}"),
        }
    }
}

/// What the exception in flight says of itself, if it is a `std::exception`.
unsafe fn what(library: &Library, thrown: *const c_void) -> Option<String> {
    // SAFETY: as above. The third virtual function of a `std::exception` is `what`.
    unsafe {
        let header = *(library.get_globals)();
        if header.is_null() || library.exception.is_null() {
            return None;
        }
        let word = |at: usize| header.add(at).cast::<u64>().read_unaligned();
        let mut exception = match (word(80), word(96)) {
            (GNU, _) => header.add(112),
            (class, _) if class & !0xff == GNU => word(0) as *const u8,
            (_, CLANG) => header.add(128),
            (_, class) if class & !0xff == CLANG => word(8) as *const u8,
            _ => return None,
        };
        let base = library.exception;
        if !((**base).catches)(base.cast(), thrown, &mut exception, 1) {
            return None;
        }
        let functions = *exception.cast::<*const extern "C" fn(*const u8) -> *const c_char>();
        let text = (*functions.add(2))(exception);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    }
}
