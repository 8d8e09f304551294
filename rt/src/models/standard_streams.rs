//! The standard streams of C and C++, and what else the C++ library keeps for itself.
//!
//! Their order is not explored, as that of all that goes to standard output and error is
//! not. The standard says that using `std::cout` from several threads is no data race; so
//! what inlined code does to the object itself is left out too, and so is the data of the
//! C++ library's own file: the buffers below, its locales, its locks' pool. What is read
//! from `std::cin` depends on who reads first: its calls are events.

use crate::{cell::Global, sharing, units};
use alloc::vec::Vec;
use core::ffi::CStr;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Input,
    /// Or the library's own.
    Output,
}

/// Bytes of a stream object and its base: 272 in libstdc++, 160 in libc++.
const OBJECTS: [(&CStr, u64, Stream); 16] = [
    (c"_ZSt3cin", 280, Stream::Input),
    (c"_ZSt4wcin", 280, Stream::Input),
    (c"_ZSt4cout", 272, Stream::Output),
    (c"_ZSt4cerr", 272, Stream::Output),
    (c"_ZSt4clog", 272, Stream::Output),
    (c"_ZSt5wcout", 272, Stream::Output),
    (c"_ZSt5wcerr", 272, Stream::Output),
    (c"_ZSt5wclog", 272, Stream::Output),
    (c"_ZNSt3__13cinE", 168, Stream::Input),
    (c"_ZNSt3__14wcinE", 168, Stream::Input),
    (c"_ZNSt3__14coutE", 160, Stream::Output),
    (c"_ZNSt3__14cerrE", 160, Stream::Output),
    (c"_ZNSt3__14clogE", 160, Stream::Output),
    (c"_ZNSt3__15wcoutE", 160, Stream::Output),
    (c"_ZNSt3__15wcerrE", 160, Stream::Output),
    (c"_ZNSt3__15wclogE", 160, Stream::Output),
];

/// Functions of the C++ libraries, by which their files are found: of libstdc++ or libc++abi,
/// and of libc++.
const LIBRARIES: [&CStr; 2] = [c"__cxa_get_globals", c"_ZNSt3__16locale7classicEv"];

/// Where they lie; the objects before the files, which may be around them.
static PLACES: Global<Vec<(u64, u64, Stream)>> = Global::new(Vec::new());

fn lookup(name: &CStr) -> u64 {
    // SAFETY: plain use of dlsym.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) as u64 }
}

/// Looks them up, before an execution: libc allocates memory for that.
pub fn find() {
    unsafe extern "C" {
        static stdout: u64;
        static stderr: u64;
    }
    let mut places: Vec<(u64, u64, Stream)> = Vec::new();
    for (name, size, stream) in OBJECTS {
        let start = lookup(name);
        if start != 0 {
            places.push((start, start + size, stream));
        }
    }
    for name in LIBRARIES {
        let own = lookup(name);
        // A library that is linked into the program is no file of its own.
        let file = units::range_of(own).filter(|_| own != 0 && !units::has_unit(own));
        let Some((low, high)) = file else { continue };
        let inside = |data: &(usize, usize)| (low..high).contains(&(data.0 as u64));
        let data = units::writable().into_iter().filter(inside);
        places.extend(data.map(|(low, high)| (low as u64, high as u64, Stream::Output)));
    }
    for (low, high, _) in &places {
        sharing::leave_out(*low, *high);
    }
    // SAFETY: libc's own variables. Their inside is libc's.
    let own = unsafe { [stdout, stderr] };
    places.extend(own.map(|stream| (stream, stream + 1, Stream::Output)));
    *PLACES.get() = places;
}

/// The standard stream that an address belongs to.
pub fn of(addr: u64) -> Option<Stream> {
    let inside = |place: &&(u64, u64, Stream)| (place.0..place.1).contains(&addr);
    PLACES.get().iter().find(inside).map(|place| place.2)
}
