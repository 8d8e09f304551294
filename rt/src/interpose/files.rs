//! Files by name: each call uses names, as events where threads share them, and tells
//! the journal before it changes anything.

use super::{descriptors, random, real, set_errno};
use crate::{
    execution::running,
    kernel::{
        files, open, paths,
        things::{Changes, Looks, Thing, thing, touch, touch_if},
    },
};
use core::ffi::c_char;
use leno_entry::entry;
use leno_model::AccessKind;

pub type Path = *const c_char;
const HERE: i32 = libc::AT_FDCWD;

/// What lies at a path.
fn name(path: &[u8]) -> Thing {
    thing("name", path)
}

/// What a directory has in it. Giving and taking away different names commute, so they
/// count as looks, and looking at all of them as a change.
fn listing(path: &[u8]) -> Thing {
    thing("directory", path)
}

/// A name is given or taken away.
fn entry(path: &[u8]) -> [(Thing, AccessKind); 2] {
    [(name(path), Changes), (listing(paths::parent(path)), Looks)]
}

/// Something about the file at a path is asked or changed.
fn inspect(directory: i32, path: Path, kind: AccessKind) -> Option<alloc::vec::Vec<u8>> {
    running()?;
    let path = paths::absolute(directory, path)?;
    touch(&[(name(&path), Looks), (thing("file", &path), kind)]);
    Some(path)
}

/// A file is about to be opened.
pub fn before_open(directory: i32, path: Path, flags: i32) {
    if running().is_none() {
        return;
    }
    let Some(path) = paths::absolute(directory, path) else { return };
    let truncates = flags & libc::O_TRUNC != 0;
    if flags & (libc::O_CREAT | libc::O_TRUNC) == 0 {
        touch(&[(name(&path), Looks), open::own_numbers()]);
    } else {
        let [entry, listing] = entry(&path);
        let uses = [entry, listing, (thing("file", &path), Changes), open::own_numbers()];
        touch_if(&uses, || truncates || leno_undo::metadata(&path, true).is_none());
    }
    if flags & libc::O_NONBLOCK == 0
        && leno_undo::metadata(&path, true).is_some_and(|m| m.mode & libc::S_IFMT == libc::S_IFIFO)
    {
        super::refused::refuse("opening a FIFO, which waits for its other end");
    }
    files::opened(&path, flags);
}

fn open_at(directory: i32, path: Path, flags: i32, open: impl FnOnce() -> i32) -> i32 {
    super::cancellation::point();
    before_open(directory, path, flags);
    let fd = open();
    if running().is_some() { open::file(fd) } else { fd }
}

macro_rules! opens {
    ($($name:ident($($arg:ident: $type:ty),*) = ($directory:expr, $path:expr, $flags:expr);)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> i32 {
            open_at($directory, $path, $flags, || real!($name($($arg => $type),*) -> i32))
        }
    )*};
}

const CREATES: i32 = libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC;

opens! {
    open(path: Path, flags: i32, mode: u32) = (HERE, path, flags);
    open64(path: Path, flags: i32, mode: u32) = (HERE, path, flags);
    openat(directory: i32, path: Path, flags: i32, mode: u32) = (directory, path, flags);
    openat64(directory: i32, path: Path, flags: i32, mode: u32) = (directory, path, flags);
    creat(path: Path, mode: u32) = (HERE, path, CREATES);
    creat64(path: Path, mode: u32) = (HERE, path, CREATES);
    __open_2(path: Path, flags: i32) = (HERE, path, flags);
    __open64_2(path: Path, flags: i32) = (HERE, path, flags);
    __openat_2(directory: i32, path: Path, flags: i32) = (directory, path, flags);
    __openat64_2(directory: i32, path: Path, flags: i32) = (directory, path, flags);
}

/// One name is given or taken away; `tell` tells the journal.
fn change(directory: i32, path: Path, tell: impl FnOnce(&[u8])) {
    if running().is_none() {
        return;
    }
    let Some(path) = paths::absolute(directory, path) else { return };
    touch(&entry(&path));
    tell(&path);
}

fn rename_at(from_directory: i32, from: Path, to_directory: i32, to: Path) {
    if running().is_none() {
        return;
    }
    let from = paths::absolute(from_directory, from);
    let to = paths::absolute(to_directory, to);
    let Some((from, to)) = from.zip(to) else { return };
    let ([a, b], [c, d]) = (entry(&from), entry(&to));
    touch(&[a, b, c, d, (thing("file", &to), Changes)]);
    files::renamed(&from, &to);
}

fn link_at(from_directory: i32, from: Path, to_directory: i32, to: Path) {
    inspect(from_directory, from, Looks);
    change(to_directory, to, files::made);
}

fn remove_at(directory: i32, path: Path, is_directory: bool) {
    change(directory, path, |path| files::removed(path, is_directory));
}

fn metadata_at(directory: i32, path: Path) {
    if let Some(path) = inspect(directory, path, Changes) {
        files::metadata_changed(&path);
    }
}

/// Without a path it is the descriptor's file.
fn times_at(directory: i32, path: Path) {
    if !path.is_null() {
        metadata_at(directory, path);
    } else if running().is_some() {
        descriptors::metadata(directory);
    }
}

fn truncate_at(path: Path) {
    if let Some(path) = inspect(HERE, path, Changes) {
        files::changed(&path, "truncation");
    }
}

/// What `remove` removes.
fn is_directory(path: Path) -> bool {
    let metadata = paths::absolute(HERE, path).and_then(|path| leno_undo::metadata(&path, false));
    metadata.is_some_and(|m| m.mode & libc::S_IFMT == libc::S_IFDIR)
}

macro_rules! by_name {
    ($($name:ident($($arg:ident: $type:ty),*) = $before:expr;)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> i32 {
            $before;
            real!($name($($arg => $type),*) -> i32)
        }
    )*};
}

type Out = *mut u8;

by_name! {
    unlink(path: Path) = remove_at(HERE, path, false);
    unlinkat(directory: i32, path: Path, flags: i32) =
        remove_at(directory, path, flags & libc::AT_REMOVEDIR != 0);
    remove(path: Path) = remove_at(HERE, path, running().is_some() && is_directory(path));
    rmdir(path: Path) = remove_at(HERE, path, true);
    mkdir(path: Path, mode: u32) = change(HERE, path, files::directory_made);
    mkdirat(directory: i32, path: Path, mode: u32) = change(directory, path, files::directory_made);
    mkfifo(path: Path, mode: u32) = change(HERE, path, files::made);
    rename(from: Path, to: Path) = rename_at(HERE, from, HERE, to);
    renameat(a: i32, from: Path, b: i32, to: Path) = rename_at(a, from, b, to);
    link(from: Path, to: Path) = link_at(HERE, from, HERE, to);
    linkat(a: i32, from: Path, b: i32, to: Path, flags: i32) = link_at(a, from, b, to);
    symlink(target: Path, path: Path) = change(HERE, path, files::made);
    symlinkat(target: Path, directory: i32, path: Path) = change(directory, path, files::made);
    chmod(path: Path, mode: u32) = metadata_at(HERE, path);
    fchmodat(directory: i32, path: Path, mode: u32, flags: i32) = metadata_at(directory, path);
    chown(path: Path, user: u32, group: u32) = metadata_at(HERE, path);
    utime(path: Path, times: Out) = metadata_at(HERE, path);
    utimes(path: Path, times: Out) = metadata_at(HERE, path);
    utimensat(directory: i32, path: Path, times: Out, flags: i32) = times_at(directory, path);
    futimesat(directory: i32, path: Path, times: Out) = times_at(directory, path);
    truncate(path: Path, size: i64) = truncate_at(path);
    truncate64(path: Path, size: i64) = truncate_at(path);
    access(path: Path, mode: i32) = inspect(HERE, path, Looks);
    faccessat(directory: i32, path: Path, mode: i32, flags: i32) = inspect(directory, path, Looks);
    stat(path: Path, out: Out) = inspect(HERE, path, Looks);
    stat64(path: Path, out: Out) = inspect(HERE, path, Looks);
    lstat(path: Path, out: Out) = inspect(HERE, path, Looks);
    lstat64(path: Path, out: Out) = inspect(HERE, path, Looks);
    fstatat(directory: i32, path: Path, out: Out, flags: i32) = inspect(directory, path, Looks);
    fstatat64(directory: i32, path: Path, out: Out, flags: i32) = inspect(directory, path, Looks);
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn opendir(path: Path) -> *mut libc::DIR {
    if running().is_some()
        && let Some(path) = paths::absolute(HERE, path)
    {
        touch(&[(name(&path), Looks), (listing(&path), Changes), open::own_numbers()]);
    }
    real!(opendir(path => Path) -> *mut libc::DIR)
}

fn read_directory(directory: *mut libc::DIR) {
    if running().is_some() && !directory.is_null() {
        // SAFETY: the program's own directory stream.
        let fd = unsafe { libc::dirfd(directory) };
        if let Some(path) = open::of(fd).and_then(|open| open.path) {
            touch(&[(listing(&path), Changes)]);
        }
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn readdir(directory: *mut libc::DIR) -> *mut libc::dirent {
    read_directory(directory);
    real!(readdir(directory => *mut libc::DIR) -> *mut libc::dirent)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn readdir64(directory: *mut libc::DIR) -> *mut libc::dirent64 {
    read_directory(directory);
    real!(readdir64(directory => *mut libc::DIR) -> *mut libc::dirent64)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn closedir(directory: *mut libc::DIR) -> i32 {
    if running().is_some() && !directory.is_null() {
        // SAFETY: the program's own directory stream.
        open::closing(unsafe { libc::dirfd(directory) });
    }
    real!(closedir(directory => *mut libc::DIR) -> i32)
}

/// Makes something under a name that ends in six characters of the running thread's
/// own choice, which stand in a template `suffix` bytes before its end.
fn temporary(template: *mut c_char, suffix: i32, mut make: impl FnMut(Path) -> i32) -> i32 {
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    // SAFETY: the program's own template, a string.
    let end = unsafe { core::ffi::CStr::from_ptr(template) }.count_bytes();
    let place = end.checked_sub(suffix.max(0) as usize + 6);
    // SAFETY: inside the template, if there is room.
    let marks = place.map(|place| unsafe {
        core::slice::from_raw_parts_mut(template.cast::<u8>().add(place), 6)
    });
    let Some(marks) = marks.filter(|marks| **marks == *b"XXXXXX") else {
        set_errno(libc::EINVAL);
        return -1;
    };
    for _ in 0..10_000 {
        random::fill(marks.as_mut_ptr(), 6);
        for mark in marks.iter_mut() {
            *mark = LETTERS[*mark as usize % LETTERS.len()];
        }
        let made = make(template);
        // SAFETY: libc says where it is.
        if made >= 0 || unsafe { *libc::__errno_location() } != libc::EEXIST {
            return made;
        }
    }
    -1
}

fn temporary_file(template: *mut c_char, suffix: i32, flags: i32) -> i32 {
    let flags = flags & !libc::O_ACCMODE | libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
    // SAFETY: the template is a path.
    temporary(template, suffix, |path| unsafe { open(path, flags, 0o600) })
}

macro_rules! temporaries {
    ($($name:ident($($arg:ident: $type:ty),*) = ($template:expr, $suffix:expr, $flags:expr);)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> i32 {
            if running().is_none() {
                return real!($name($($arg => $type),*) -> i32);
            }
            temporary_file($template, $suffix, $flags)
        }
    )*};
}

temporaries! {
    mkstemp(template: *mut c_char) = (template, 0, 0);
    mkstemp64(template: *mut c_char) = (template, 0, 0);
    mkostemp(template: *mut c_char, flags: i32) = (template, 0, flags);
    mkstemps(template: *mut c_char, suffix: i32) = (template, suffix, 0);
    mkostemps(template: *mut c_char, suffix: i32, flags: i32) = (template, suffix, flags);
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn mkdtemp(template: *mut c_char) -> *mut c_char {
    if running().is_none() {
        return real!(mkdtemp(template => *mut c_char) -> *mut c_char);
    }
    // SAFETY: the template is a path.
    let made = temporary(template, 0, |path| unsafe { mkdir(path, 0o700) });
    if made < 0 { core::ptr::null_mut() } else { template }
}
