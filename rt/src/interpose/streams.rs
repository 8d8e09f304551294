//! Streams: objects like the files beneath them.
//!
//! What opens and closes a stream is interposed. All other functions are seen by the
//! hook before their call, which says what stream they are given; libc does the rest.
//! Standard output and error are no objects, unless they lead somewhere else.

use super::{address, files, real, refused::refuse};
use crate::{
    cell::Global,
    execution::running,
    kernel::{
        open,
        things::{Changes, Looks, thing, touch},
    },
    stacks, units,
};
use alloc::format;
use core::ffi::c_char;
use hashbrown::HashMap;
use leno_entry::entry;
use leno_model::{AccessKind, SiteRef};

type Stream = *mut libc::FILE;
type Path = *const c_char;

/// Functions on a stream: which argument it is, and whether the file is written.
#[rustfmt::skip]
const FUNCTIONS: &[(usize, AccessKind, &str)] = &[
    (0, Looks, "fgetc getc getc_unlocked fgetc_unlocked fscanf vfscanf __isoc99_fscanf
        __isoc99_vfscanf __isoc23_fscanf __isoc23_vfscanf fgetwc getwc ftell ftello ftello64 fgetpos
        fgetpos64 feof ferror feof_unlocked ferror_unlocked clearerr clearerr_unlocked"),
    (1, Looks, "ungetc"),
    (2, Looks, "fgets fgets_unlocked getline"),
    (3, Looks, "fread fread_unlocked getdelim __getdelim __fgets_chk"),
    (4, Looks, "__fread_chk"),
    (0, Changes, "fprintf vfprintf __fprintf_chk __vfprintf_chk fflush fflush_unlocked fseek fseeko
        fseeko64 rewind fsetpos fsetpos64 setvbuf setbuf setlinebuf setbuffer"),
    (1, Changes, "fputs fputs_unlocked fputc putc fputc_unlocked putc_unlocked"),
    (3, Changes, "fwrite fwrite_unlocked"),
];

static CALLS: Global<Option<HashMap<SiteRef, (usize, AccessKind)>>> = Global::new(None);

/// Looks up which call sites call one of the functions.
pub fn prepare() {
    let functions: HashMap<&str, (usize, AccessKind)> = FUNCTIONS
        .iter()
        .flat_map(|(arg, kind, names)| {
            names.split_ascii_whitespace().map(|name| (name, (*arg, *kind)))
        })
        .collect();
    let calls = units::callees().filter_map(|(site, name)| Some((site, *functions.get(name)?)));
    *CALLS.get() = Some(calls.collect());
}

/// A call is about to be made.
pub fn call(site: SiteRef, args: &[u64]) {
    let found = CALLS.get().as_ref().and_then(|calls| calls.get(&site));
    if let Some((arg, kind)) = found
        && let Some(stream) = args.get(*arg)
    {
        using(*stream as Stream, *kind);
    }
}

unsafe extern "C" {
    static stdout: Stream;
    static stderr: Stream;
}

fn number(stream: Stream) -> i32 {
    // SAFETY: the program's own stream.
    unsafe { libc::fileno(stream) }
}

/// A stream is about to be used.
fn using(stream: Stream, kind: AccessKind) {
    if stream.is_null() || running().is_none() {
        return;
    }
    let below = open::of(number(stream));
    // SAFETY: libc's own variables.
    let standard = unsafe { stream == stdout || stream == stderr };
    if standard && below.is_none() {
        return;
    }
    let stream = thing("stream", format!("{:#x}", stream as usize).as_bytes());
    match below {
        Some(open) => touch(&[(stream, Changes), (open.position, Changes), (open.content, kind)]),
        None => touch(&[(stream, Changes)]),
    }
}

/// The flags that `fopen` opens with.
fn flags(mode: Path) -> i32 {
    // SAFETY: the program's own string.
    let mode = unsafe { core::ffi::CStr::from_ptr(mode) }.to_bytes();
    let mode = mode.split(|byte| *byte == b',').next().unwrap_or_default();
    let both = mode.contains(&b'+');
    let access = |only| if both { libc::O_RDWR } else { only };
    let exclusive = if mode.contains(&b'x') { libc::O_EXCL } else { 0 };
    match mode.first() {
        Some(b'w') => access(libc::O_WRONLY) | libc::O_CREAT | libc::O_TRUNC | exclusive,
        Some(b'a') => access(libc::O_WRONLY) | libc::O_CREAT | libc::O_APPEND | exclusive,
        _ => access(libc::O_RDONLY),
    }
}

/// Where glibc keeps a stream's descriptor, in a structure that is part of its ABI.
const DESCRIPTOR: usize = 0x70;

/// A stream has been opened: its descriptor gets the number that it should have.
fn opened(stream: Stream) -> Stream {
    if stream.is_null() || running().is_none() {
        return stream;
    }
    // SAFETY: the new stream's own field, which holds what `fileno` says.
    unsafe {
        let place = stream.cast::<u8>().add(DESCRIPTOR).cast::<i32>();
        let fd = number(stream);
        if *place == fd {
            *place = open::file(fd);
        }
    }
    stream
}

macro_rules! opens {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name(path: Path, mode: Path) -> Stream {
            if running().is_some() {
                files::before_open(libc::AT_FDCWD, path, flags(mode));
            }
            opened(real!($name(path => Path, mode => Path) -> Stream))
        }
    )*};
}
opens! { fopen fopen64 }

macro_rules! reopens {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name(path: Path, mode: Path, stream: Stream) -> Stream {
            if running().is_some() {
                using(stream, Changes);
                files::before_open(libc::AT_FDCWD, path, flags(mode));
            }
            let stream = real!($name(path => Path, mode => Path, stream => Stream) -> Stream);
            if running().is_some() && !stream.is_null() {
                open::reopened(number(stream));
            }
            stream
        }
    )*};
}
reopens! { freopen freopen64 }

macro_rules! temporaries {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name() -> Stream {
            if running().is_some() {
                touch(&[open::own_numbers()]);
            }
            opened(real!($name() -> Stream))
        }
    )*};
}
temporaries! { tmpfile tmpfile64 }

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn fdopen(fd: i32, mode: Path) -> Stream {
    // libc would wait inside a read, and with it all threads.
    if running().is_some() && open::of(fd).is_some_and(|open| open.waits()) {
        refuse("fdopen of a pipe or socket");
    }
    real!(fdopen(fd => i32, mode => Path) -> Stream)
}

/// # Safety
/// As libc's.
#[entry(calls)]
pub unsafe extern "C" fn fclose(stream: Stream) -> i32 {
    if running().is_some() && !stream.is_null() {
        using(stream, Changes);
        open::closing(number(stream));
    }
    // A stream may be made of functions of the program's.
    stacks::call(address!(fclose), [stream as u64, 0, 0], stacks::result, [0; 2]);
    0
}
