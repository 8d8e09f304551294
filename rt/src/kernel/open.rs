//! What the program's descriptors are open on, in one execution.
//!
//! A descriptor's number must not depend on the interleaving. The main thread gets the
//! lowest free one, as everywhere. Every other thread has a range of its own, of which
//! it gets the lowest free one: what it opens is moved there. Whoever closes another
//! thread's descriptor uses that thread's range.

use super::{
    epoll, paths,
    things::{self, Changes, Looks, Own, Thing, own, thing},
};
use crate::{cell::Global, execution::current_thread, sys};
use alloc::{format, vec::Vec};
use hashbrown::HashMap;
use leno_model::{AccessKind, ThreadId};

/// The first range begins here, and so long they are.
const RANGES_FROM: u32 = 64;
const RANGE: u32 = 24;
/// So many ranges end below the runtime's own descriptors; threads beyond that share.
const RANGES: u32 = 36;

/// What a descriptor stands for.
#[derive(Clone)]
pub struct Open {
    /// Whose number it is.
    owner: ThreadId,
    /// What duplicates have in common: the offset.
    pub position: Thing,
    /// The bytes of the file, or what comes in: of a pipe, a socket.
    pub content: Thing,
    /// What goes out: that of a pipe too, of a socket what its partner gets.
    pub sends: Thing,
    /// Of a file or directory.
    pub path: Option<Vec<u8>>,
    pub kind: Kind,
}

/// What it takes to be ready.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    File,
    /// A read waits for a write, by a thread of this process.
    Channel,
    /// The same, but who writes is not known.
    Foreign,
    /// Others are, that it watches (see `epoll`).
    Set,
}

impl Open {
    /// A read waits for a write.
    pub fn waits(&self) -> bool {
        matches!(self.kind, Kind::Channel | Kind::Foreign)
    }
}

#[derive(Default)]
struct Table {
    open: HashMap<i32, Open>,
    /// How many things each thread has made.
    made: HashMap<u32, u32>,
    /// How often each thing that comes in or goes out was written to and read from.
    traffic: HashMap<u64, Traffic>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    pub written: u32,
    pub read: u32,
}

static TABLE: Global<Option<Table>> = Global::new(None);

fn table() -> &'static mut Table {
    TABLE.get().get_or_insert_with(Table::default)
}

/// An execution begins.
pub fn begin() {
    if let Some(table) = TABLE.get() {
        table.open.clear();
        table.made.clear();
        table.traffic.clear();
    }
}

fn me() -> ThreadId {
    current_thread().unwrap_or(ThreadId::MAIN)
}

/// Whether a thread has a descriptor of its own. (How many it has had decides on nothing
/// but what the next one is called.)
pub fn has_own(thread: ThreadId) -> bool {
    let table = TABLE.get().as_ref();
    table.is_some_and(|table| table.open.values().any(|open| open.owner == thread))
}

/// The numbers that a thread gets.
fn numbers(thread: ThreadId) -> Thing {
    own(Own { owner: thread, kind: "descriptors of thread", number: 0 })
}

/// The numbers that the running thread gets: to be used by whatever opens.
pub fn own_numbers() -> (Thing, AccessKind) {
    (numbers(me()), Changes)
}

/// A name for the next thing that the running thread makes.
fn fresh(kind: &'static str) -> Thing {
    let owner = me();
    let made = table().made.entry(owner.0).or_default();
    *made += 1;
    own(Own { owner, kind, number: *made })
}

/// How many things a thread has made.
pub fn count_made(thread: ThreadId) -> u32 {
    TABLE.get().as_ref().and_then(|table| table.made.get(&thread.0)).copied().unwrap_or(0)
}

fn control(fd: i32, command: i32, argument: u32) -> i64 {
    // SAFETY: touches no memory.
    unsafe { sys::call(libc::SYS_fcntl, [fd as u64, command as u64, u64::from(argument), 0, 0, 0]) }
}

/// Moves a new descriptor into the range of the thread that opened it.
fn into_range(fd: i32) -> i32 {
    let thread = me();
    if fd < 0 || thread == ThreadId::MAIN {
        return fd;
    }
    let low = RANGES_FROM + RANGE * ((thread.0 - 1) % RANGES);
    let closes = control(fd, libc::F_GETFD, 0) as i32 & libc::FD_CLOEXEC != 0;
    let command = if closes { libc::F_DUPFD_CLOEXEC } else { libc::F_DUPFD };
    let moved = control(fd, command, low);
    if moved < 0 {
        return fd;
    }
    // SAFETY: closes the number that the program has not seen.
    unsafe { sys::call(libc::SYS_close, [fd as u64, 0, 0, 0, 0, 0]) };
    moved as i32
}

/// A file has been opened; gives the number for the program.
pub fn file(fd: i32) -> i32 {
    if fd < 0 {
        return fd;
    }
    let fd = into_range(fd);
    reopened(fd);
    fd
}

/// A descriptor is open on another file than before.
pub fn reopened(fd: i32) {
    let path = path_of(fd);
    let position = fresh("open file");
    let content = path.as_ref().map_or(position, |path| thing("file", path));
    let kind = Kind::File;
    let open = Open { owner: me(), position, content, sends: content, path, kind };
    table().open.insert(fd, open);
}

/// The path of the file behind a descriptor, if it has one that does not depend on
/// the process.
fn path_of(fd: i32) -> Option<Vec<u8>> {
    let path = paths::of_descriptor(fd)?;
    if !path.starts_with(b"/") || path.ends_with(b" (deleted)") {
        return None;
    }
    let process = path.strip_prefix(b"/proc/").unwrap_or_default();
    let digits = process.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match digits {
        0 => Some(path),
        _ => Some([b"/proc/self", &process[digits..]].concat()),
    }
}

/// The two ends of a pipe, or one that is both.
pub fn pipe(ends: &mut [i32]) {
    let content = fresh("pipe");
    for end in ends {
        *end = made(*end, Kind::Channel, content, content);
    }
}

/// Two sockets, each of which gets what the other one sends.
pub fn pair(ends: &mut [i32]) {
    let (here, there) = (fresh("socket"), fresh("socket"));
    ends[0] = made(ends[0], Kind::Channel, here, there);
    ends[1] = made(ends[1], Kind::Channel, there, here);
}

/// A set of descriptors that are watched.
pub fn set(fd: i32) -> i32 {
    let content = fresh("epoll");
    made(fd, Kind::Set, content, content)
}

fn made(fd: i32, kind: Kind, content: Thing, sends: Thing) -> i32 {
    let fd = into_range(fd);
    let open = Open { owner: me(), position: content, content, sends, path: None, kind };
    table().open.insert(fd, open);
    fd
}

/// What a descriptor stands for; nothing for standard output and error, whose order is
/// not explored, and for what is not open.
pub fn of(fd: i32) -> Option<Open> {
    if let Some(open) = table().open.get(&fd) {
        return Some(open.clone());
    }
    if matches!(fd, 1 | 2) {
        return None;
    }
    let kind = paths::of_descriptor(fd)?;
    let path = path_of(fd);
    let position = thing("descriptor", format!("{fd}").as_bytes());
    let content = match &path {
        Some(path) => thing("file", path),
        // Who is at the other end is not known: what is sent anywhere may have come.
        None if kind.starts_with(b"socket:") => thing("sockets", b"of this process"),
        None => position,
    };
    let waits = kind.starts_with(b"pipe:") || kind.starts_with(b"socket:");
    let kind = if waits { Kind::Foreign } else { Kind::File };
    let open = Open { owner: ThreadId::MAIN, position, content, sends: content, path, kind };
    table().open.insert(fd, open.clone());
    Some(open)
}

/// A descriptor has been duplicated; gives the number for the program.
pub fn duplicated(old: i32, new: i32) -> i32 {
    if new < 0 {
        return new;
    }
    let open = of(old);
    let new = into_range(new);
    inherited(new, open);
    new
}

/// A descriptor has been duplicated to a number of the program's choice.
pub fn duplicated_to(old: i32, new: i32) {
    let open = of(old);
    inherited(new, open);
}

fn inherited(new: i32, open: Option<Open>) {
    match open {
        Some(open) => table().open.insert(new, Open { owner: me(), ..open }),
        None => table().open.remove(&new),
    };
}

/// A descriptor is about to be closed.
pub fn closing(fd: i32) {
    let Some(open) = of(fd) else { return };
    if open.waits() || open.kind == Kind::Set {
        let uses = [(open.content, Changes), (open.sends, Changes)];
        things::exchange_all(if open.content == open.sends { &uses[..1] } else { &uses });
        count(open.content, |traffic| traffic.read += 1);
        count(open.sends, |traffic| traffic.written += 1);
    }
    things::touch(&[(numbers(open.owner), Changes), (open.position, Changes)]);
    table().open.remove(&fd);
    epoll::closed(fd);
}

/// The descriptor is about to be read from where it stands.
pub fn reading(fd: i32) {
    let Some(open) = of(fd) else { return };
    if open.waits() {
        receiving(fd, &open, false);
    } else {
        things::touch(&[(open.position, Changes), (open.content, Looks)]);
    }
}

/// The descriptor is about to be written to, where it stands.
pub fn writing(fd: i32) {
    let Some(open) = of(fd) else { return };
    if open.waits() {
        sending(fd, &open, false);
    } else {
        things::touch(&[(open.position, Changes), (open.content, Changes)]);
    }
}

/// What has come in is about to be read. `at_once`: by a call that does not wait.
pub fn receiving(fd: i32, open: &Open, at_once: bool) {
    if wait(fd, open.content, libc::POLLIN, at_once) {
        count(open.content, |traffic| traffic.read += 1);
    }
}

/// Something is about to go out.
pub fn sending(fd: i32, open: &Open, at_once: bool) {
    if wait(fd, open.sends, libc::POLLOUT, at_once) {
        count(open.sends, |traffic| traffic.written += 1);
    }
}

/// Nothing more comes in, or goes out, or both.
pub fn shutting_down(open: &Open) {
    things::exchange_all(&[(open.content, Changes), (open.sends, Changes)]);
    count(open.content, |traffic| traffic.read += 1);
    count(open.content, |traffic| traffic.written += 1);
    count(open.sends, |traffic| traffic.written += 1);
}

/// What has happened to a thing that comes in or goes out, so far.
pub fn traffic(thing: Thing) -> Traffic {
    table().traffic.get(&thing.address()).copied().unwrap_or_default()
}

fn count(thing: Thing, what: impl FnOnce(&mut Traffic)) {
    what(table().traffic.entry(thing.address()).or_default());
}

/// The descriptor is about to be read from or written to at a place of its own.
pub fn placed(fd: i32, kind: AccessKind) {
    if let Some(open) = of(fd) {
        things::touch(&[(open.content, kind)]);
    }
}

/// The descriptor's offset or flags are about to be asked for or changed.
pub fn moving(fd: i32) {
    if let Some(open) = of(fd) {
        things::touch(&[(open.position, Changes), (open.content, Looks)]);
    }
}

/// Waits until there is something to read, or room. False if the call is not to wait and will
/// find nothing: then it may try again.
fn wait(fd: i32, thing: Thing, events: i16, at_once: bool) -> bool {
    let is_ready = || ready(&mut [libc::pollfd { fd, events, revents: 0 }]) != 0;
    if at_once || control(fd, libc::F_GETFL, 0) as i32 & libc::O_NONBLOCK != 0 {
        return things::try_exchange(&[thing], false, is_ready);
    }
    things::exchange_when(&[thing], is_ready);
    true
}

/// How many of these are ready now, as the kernel says.
pub fn ready(of: &mut [libc::pollfd]) -> i64 {
    let (start, len) = (of.as_mut_ptr() as u64, of.len() as u64);
    // SAFETY: the kernel writes to `of` only, and does not wait.
    unsafe { sys::call(libc::SYS_poll, [start, len, 0, 0, 0, 0]) }
}
