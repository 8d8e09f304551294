//! Waiting for several descriptors at once: `poll`, `select`, `epoll_wait` and their like.
//!
//! Such a wait is an await, as that for one pipe is: a look at all that decides, which changes
//! nothing, repeated until somebody changes some of it. What the kernel says of descriptors
//! it is asked without waiting, in the event that looks. A timeout fires only if nothing is
//! ready at the first look; then the search chooses.
//!
//! Where one of the descriptors waits for something outside the process (the network, a
//! terminal, a timer) and nothing is ready, the kernel does the waiting: nobody else goes on
//! meanwhile.

use super::{
    cancellation, copy_out, descriptors, real, set_errno,
    signalling::{self, Interrupted},
    store, time,
};
use crate::{
    accesses,
    execution::{Patience, call_site, current_thread, event_patient, may_happen, running},
    hooks,
    kernel::{
        self,
        epoll::{self, Watched},
        open::{self, Kind},
        things::{self, touch},
    },
    sharing, sys,
};
use alloc::{vec, vec::Vec};
use leno_entry::entry;
use leno_model::{AccessKind, Op, Outcome};

/// How long a call waits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    AtOnce,
    /// So many nanoseconds.
    After(u64),
    Endless,
}

impl Limit {
    fn milliseconds(limit: i32) -> Self {
        match limit {
            ..0 => Limit::Endless,
            0 => Limit::AtOnce,
            limit => Limit::After(limit as u64 * 1_000_000),
        }
    }

    fn of(time: *const libc::timespec) -> Self {
        // SAFETY: null, or the program's own time.
        match unsafe { time.as_ref() } {
            None => Limit::Endless,
            Some(time) => Limit::nanoseconds(time.tv_sec, time.tv_nsec),
        }
    }

    fn nanoseconds(seconds: i64, nanoseconds: i64) -> Self {
        let whole = (seconds.max(0) as u64).saturating_mul(1_000_000_000);
        match whole.saturating_add(nanoseconds.max(0) as u64) {
            0 => Limit::AtOnce,
            wait => Limit::After(wait),
        }
    }
}

/// How it came out.
enum Waited<T> {
    Ready(T),
    TimedOut,
    /// By a handler.
    Interrupted,
    /// Only the kernel knows.
    Foreign,
}

/// Waits until `look` finds something, at what decides on these descriptors.
fn wait<T>(
    descriptors: &[i32],
    limit: Limit,
    mut look: impl FnMut(&Watched) -> Option<T>,
) -> Waited<T> {
    let mut timed = false;
    loop {
        let watched = Watched::by(descriptors.iter().copied());
        let (found, holds) = signalling::looking(|| {
            things::look(&watched.things, timed, || match watched.holds() {
                true => (look(&watched), true),
                false => (None, false),
            })
        });
        if let Some(found) = found {
            return Waited::Ready(found);
        }
        if !holds {
            continue;
        }
        if limit == Limit::AtOnce {
            return Waited::TimedOut;
        }
        if watched.foreign {
            return Waited::Foreign;
        }
        if signalling::interrupts() != Interrupted::No {
            return Waited::Interrupted;
        }
        if let (Limit::After(wait), false) = (limit, timed) {
            if signalling::looking(|| may_happen(call_site())) {
                time::pass_until(time::after(wait));
                return Waited::TimedOut;
            }
            timed = true;
        }
        things::require_shared(&watched.things);
        cancellation::point();
    }
}

/// What a function gives back for the kernel's result.
fn given_back(result: i64) -> i32 {
    if result < 0 {
        set_errno(-result as i32);
        return -1;
    }
    result as i32
}

fn interrupted() -> i32 {
    set_errno(libc::EINTR);
    -1
}

/// What the program asks for, in its memory.
fn read_array<T: Copy>(from: *const T, count: usize) -> Vec<T> {
    let bytes = (count * size_of::<T>()) as u64;
    hooks::plain(call_site(), &[accesses::one(AccessKind::Read, from as u64, bytes, None)]);
    // SAFETY: the program's own array.
    (0..count).map(|place| unsafe { from.add(place).read_unaligned() }).collect()
}

/// The answer is written. To memory of its own who asks again and again writes nothing new, and
/// may be waiting.
fn answer<T: Copy + PartialEq>(to: *mut T, old: T, new: T) {
    let written = [accesses::one(AccessKind::Write, to as u64, size_of::<T>() as u64, None)];
    if old != new || current_thread().is_some_and(|thread| sharing::is_event(thread, &written)) {
        store(to, new);
    }
}

/// Nothing to wait for but time, or a handler.
fn sleep(limit: Limit) -> i32 {
    match limit {
        Limit::AtOnce => time::interrupted_unless(time::sleep_for(0)),
        Limit::After(wait) => time::interrupted_unless(time::sleep_for(wait)),
        // SAFETY: takes no arguments.
        Limit::Endless => unsafe { signalling::pause() },
    }
}

type Polled = *mut libc::pollfd;
type Mask = *const u64;

/// Such a call begins: a handler that runs before it does not end it.
fn begin() {
    cancellation::point();
    signalling::interrupts();
}

fn poll_for(
    files: Polled,
    count: u64,
    limit: Limit,
    mask: Mask,
    foreign: impl FnOnce() -> i32,
) -> i32 {
    if count == 0 {
        return signalling::with_mask(mask, || Some(sleep(limit))).unwrap_or_else(interrupted);
    }
    begin();
    let asked = read_array(files, count as usize);
    let descriptors: Vec<i32> = asked.iter().map(|one| one.fd).filter(|fd| *fd >= 0).collect();
    let waited = signalling::with_mask(mask, || {
        Some(wait(&descriptors, limit, |_| {
            let mut all = asked.clone();
            let ready = open::ready(&mut all);
            (ready != 0).then_some((ready, all))
        }))
    });
    let (ready, answers) = match waited.unwrap_or(Waited::Interrupted) {
        Waited::Ready(found) => found,
        Waited::TimedOut => {
            (0, asked.iter().map(|one| libc::pollfd { revents: 0, ..*one }).collect())
        }
        Waited::Interrupted => return interrupted(),
        Waited::Foreign => {
            kernel::isolate("poll of descriptors");
            return foreign();
        }
    };
    for (place, (old, new)) in asked.iter().zip(&answers).enumerate() {
        // SAFETY: inside the program's own array.
        let revents = unsafe { &raw mut (*files.add(place)).revents };
        answer(revents, old.revents, new.revents);
    }
    given_back(ready)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn poll(files: Polled, count: u64, limit: i32) -> i32 {
    let real = || real!(poll(files => Polled, count => u64, limit => i32) -> i32);
    if running().is_none() {
        return real();
    }
    poll_for(files, count, Limit::milliseconds(limit), core::ptr::null(), real)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn ppoll(
    files: Polled,
    count: u64,
    limit: *const libc::timespec,
    mask: Mask,
) -> i32 {
    let real = || {
        real!(ppoll(files => Polled, count => u64, limit => *const libc::timespec, mask => Mask)
            -> i32)
    };
    if running().is_none() {
        return real();
    }
    poll_for(files, count, Limit::of(limit), mask, real)
}

type Descriptors = *mut u64;

/// The three sets of `select`, as words.
type Sets = [Vec<u64>; 3];

fn select_for(
    count: i32,
    places: [Descriptors; 3],
    limit: Limit,
    mask: Mask,
    foreign: impl FnOnce() -> i32,
) -> i32 {
    begin();
    let words = (count.clamp(0, 1024) as usize).div_ceil(64);
    let asked: Sets =
        places.map(|place| if place.is_null() { Vec::new() } else { read_array(place, words) });
    let has = |set: &Vec<u64>, fd: i32| {
        set.get(fd as usize / 64).is_some_and(|word| word >> (fd % 64) & 1 != 0)
    };
    let descriptors: Vec<i32> =
        (0..count.min(1024)).filter(|fd| asked.iter().any(|set| has(set, *fd))).collect();
    let waited = if descriptors.is_empty() {
        signalling::with_mask(mask, || Some(sleep(limit)))
            .filter(|slept| *slept == 0)
            .map_or(Waited::Interrupted, |_| Waited::TimedOut)
    } else {
        let wait = || {
            Some(wait(&descriptors, limit, |_| {
                let mut all = asked.clone();
                let ready = select_now(count, &mut all);
                (ready != 0).then_some((ready, all))
            }))
        };
        signalling::with_mask(mask, wait).unwrap_or(Waited::Interrupted)
    };
    let (ready, answers) = match waited {
        Waited::Ready(found) => found,
        Waited::TimedOut => (0, asked.clone().map(|set| vec![0; set.len()])),
        Waited::Interrupted => return interrupted(),
        Waited::Foreign => {
            kernel::isolate("select of descriptors");
            return foreign();
        }
    };
    if ready >= 0 {
        for (place, (old, new)) in places.iter().zip(asked.iter().zip(&answers)) {
            for (word, (old, new)) in old.iter().zip(new).enumerate() {
                // SAFETY: inside the program's own set.
                answer(unsafe { place.add(word) }, *old, *new);
            }
        }
    }
    given_back(ready)
}

/// What the kernel says of the sets now.
fn select_now(count: i32, sets: &mut Sets) -> i64 {
    let places = sets.each_mut().map(|set| match set.is_empty() {
        true => 0,
        false => set.as_mut_ptr() as u64,
    });
    let mut at_once = libc::timeval { tv_sec: 0, tv_usec: 0 };
    let limit = &raw mut at_once as u64;
    // SAFETY: the kernel writes to the sets, which have a bit for each descriptor, and to the
    // time, and does not wait.
    unsafe {
        sys::call(libc::SYS_select, [count as u64, places[0], places[1], places[2], limit, 0])
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn select(
    count: i32,
    read: Descriptors,
    write: Descriptors,
    except: Descriptors,
    limit: *mut libc::timeval,
) -> i32 {
    let real = || {
        real!(select(count => i32, read => Descriptors, write => Descriptors,
            except => Descriptors, limit => *mut libc::timeval) -> i32)
    };
    if running().is_none() {
        return real();
    }
    // SAFETY: null, or the program's own time.
    let wanted = unsafe { limit.as_ref() }.map_or(Limit::Endless, |limit| {
        Limit::nanoseconds(limit.tv_sec, limit.tv_usec.saturating_mul(1_000))
    });
    let ready = select_for(count, [read, write, except], wanted, core::ptr::null(), real);
    // SAFETY: as above.
    if let (0, Some(limit)) = (ready, unsafe { limit.as_mut() }) {
        // Linux says how much of the time is left.
        answer(&raw mut limit.tv_sec, limit.tv_sec, 0);
        answer(&raw mut limit.tv_usec, limit.tv_usec, 0);
    }
    ready
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pselect(
    count: i32,
    read: Descriptors,
    write: Descriptors,
    except: Descriptors,
    limit: *const libc::timespec,
    mask: Mask,
) -> i32 {
    let real = || {
        real!(pselect(count => i32, read => Descriptors, write => Descriptors,
            except => Descriptors, limit => *const libc::timespec, mask => Mask) -> i32)
    };
    if running().is_none() {
        return real();
    }
    select_for(count, [read, write, except], Limit::of(limit), mask, real)
}

fn new_set(make: impl FnOnce() -> i32) -> i32 {
    if running().is_none() {
        return make();
    }
    touch(&[open::own_numbers()]);
    let fd = make();
    if fd < 0 { fd } else { open::set(fd) }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn epoll_create(size: i32) -> i32 {
    new_set(|| real!(epoll_create(size => i32) -> i32))
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn epoll_create1(flags: i32) -> i32 {
    new_set(|| real!(epoll_create1(flags => i32) -> i32))
}

type Told = *mut libc::epoll_event;

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn epoll_ctl(set: i32, operation: i32, fd: i32, event: Told) -> i32 {
    let call = || real!(epoll_ctl(set => i32, operation => i32, fd => i32, event => Told) -> i32);
    let thing = running().and_then(|_| open::of(set)).filter(|open| open.kind == Kind::Set);
    let Some(thing) = thing.map(|open| open.content) else { return call() };
    let [wanted] = match event.is_null() {
        true => [libc::epoll_event { events: 0, u64: 0 }],
        false => [read_array(event, 1)[0]],
    };
    let mut result = 0;
    things::exchange_if(&[thing], || {
        result = call();
        if result == 0 {
            epoll::changed(thing, operation, fd, wanted.events, wanted.u64);
        }
        result == 0
    });
    result
}

fn epoll_for(
    set: i32,
    out: Told,
    room: i32,
    limit: Limit,
    mask: Mask,
    foreign: impl FnOnce() -> i32,
) -> i32 {
    begin();
    let thing = open::of(set).filter(|open| open.kind == Kind::Set && room > 0);
    let Some(thing) = thing.map(|open| open.content) else { return foreign() };
    let waited = signalling::with_mask(mask, || {
        Some(loop {
            let mut by = Watched::default();
            let waited = wait(&[set], limit, |watched| {
                let ready = epoll::ready(thing);
                by = watched.clone();
                (!ready.is_empty()).then_some(ready)
            });
            let Waited::Ready(ready) = waited else { break waited };
            let told = in_some_order(ready, room as usize);
            if epoll::tell(thing, &by, &told) {
                break Waited::Ready(told);
            }
        })
    });
    match waited.unwrap_or(Waited::Interrupted) {
        Waited::Ready(told) => {
            for (place, (member, events)) in told.iter().enumerate() {
                let mut bytes = [0; size_of::<libc::epoll_event>()];
                bytes[..4].copy_from_slice(&events.to_ne_bytes());
                bytes[4..].copy_from_slice(&member.data.to_ne_bytes());
                // SAFETY: there is room for so many.
                copy_out(unsafe { out.add(place) }.cast(), &bytes);
            }
            told.len() as i32
        }
        Waited::TimedOut => 0,
        Waited::Interrupted => interrupted(),
        Waited::Foreign => {
            kernel::isolate("epoll_wait for descriptors of others");
            foreign()
        }
    }
}

/// As many as there is room for. Which come first is up to the kernel.
fn in_some_order<T>(mut all: Vec<T>, room: usize) -> Vec<T> {
    let mut chosen = Vec::new();
    while !all.is_empty() && chosen.len() < room {
        let first = signalling::looking(|| choose(all.len() as u32));
        chosen.push(all.remove(first as usize));
    }
    chosen
}

fn choose(alternatives: u32) -> u32 {
    if alternatives < 2 {
        return 0;
    }
    let patience = Patience { timed: true, cancel: None };
    match event_patient(Op::Choose { alternatives }, &[], call_site(), patience).outcome {
        Outcome::Chosen(value) => value,
        other => unreachable!("a choice came out as {other:?}"),
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn epoll_wait(set: i32, out: Told, room: i32, limit: i32) -> i32 {
    let real = || real!(epoll_wait(set => i32, out => Told, room => i32, limit => i32) -> i32);
    if running().is_none() {
        return real();
    }
    epoll_for(set, out, room, Limit::milliseconds(limit), core::ptr::null(), real)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn epoll_pwait(
    set: i32,
    out: Told,
    room: i32,
    limit: i32,
    mask: Mask,
) -> i32 {
    let real = || real!(epoll_pwait(set => i32, out => Told, room => i32, limit => i32, mask => Mask) -> i32);
    if running().is_none() {
        return real();
    }
    epoll_for(set, out, room, Limit::milliseconds(limit), mask, real)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn epoll_pwait2(
    set: i32,
    out: Told,
    room: i32,
    limit: *const libc::timespec,
    mask: Mask,
) -> i32 {
    let real = || {
        real!(epoll_pwait2(set => i32, out => Told, room => i32, limit => *const libc::timespec,
            mask => Mask) -> i32)
    };
    if running().is_none() {
        return real();
    }
    epoll_for(set, out, room, Limit::of(limit), mask, real)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn eventfd_read(fd: i32, value: *mut u64) -> i32 {
    // SAFETY: as libc does it.
    let read = unsafe { descriptors::read(fd, value.cast(), 8) };
    if read == 8 { 0 } else { -1 }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn eventfd_write(fd: i32, value: u64) -> i32 {
    // SAFETY: as libc does it.
    let written = unsafe { descriptors::write(fd, (&raw const value).cast_mut().cast(), 8) };
    if written == 8 { 0 } else { -1 }
}
