//! Sets of descriptors that are watched together (`epoll`).
//!
//! The kernel keeps a list of what has become ready, in the order in which it did, which is
//! the order of writes to different things: for us these commute. So the kernel is told who
//! is in a set, and says what may not be, but whether a member is ready is found out by
//! looking at each, and in which order several are told is a choice of the search.
//!
//! A member that is *edge-triggered* is told once for each time that something has come in
//! or room was made: the set notes how much traffic there had been ([`open::Traffic`]).
//!
//! Who is in a set may change while a thread waits for it. So a set counts its changes, and
//! who looks at its members looks whether they are still those that he has asked for.

use super::{
    open::{self, Kind, Traffic},
    things::{self, Thing},
};
use crate::cell::Global;
use alloc::vec::Vec;
use hashbrown::HashMap;

const EDGE: u32 = libc::EPOLLET as u32;
const ONCE: u32 = libc::EPOLLONESHOT as u32;
/// What `poll` knows by the same bits.
const EVENTS: u32 = 0x3fff;

#[derive(Clone, Copy)]
pub struct Member {
    fd: i32,
    events: u32,
    pub data: u64,
    /// What came in and what went out, of a channel.
    things: Option<(Thing, Thing)>,
    /// What was told last: the traffic of both until then.
    told: Option<(Traffic, Traffic)>,
    /// It was to be told once, and has been.
    over: bool,
}

impl Member {
    fn new(fd: i32, events: u32, data: u64) -> Self {
        let open = open::of(fd).filter(|open| open.waits());
        let things = open.map(|open| (open.content, open.sends));
        Self { fd, events, data, things, told: None, over: false }
    }

    fn traffic(&self) -> (Traffic, Traffic) {
        self.things.map_or_else(Default::default, |(content, sends)| {
            (open::traffic(content), open::traffic(sends))
        })
    }

    /// Whether something has happened since it was told that it may be told for.
    fn has_edge(&self) -> bool {
        let wants = |event: i32| self.events & event as u32 != 0;
        self.told.is_none_or(|(incoming, outgoing)| {
            let (content, sends) = self.traffic();
            incoming.written != content.written
                || wants(libc::EPOLLOUT) && outgoing.read != sends.read
        })
    }

    /// What is to be told of it now: 0 if nothing is.
    fn ready(&self) -> u32 {
        if self.over || self.events & EDGE != 0 && !self.has_edge() {
            return 0;
        }
        let events = (self.events & EVENTS) as i16;
        let mut asked = [libc::pollfd { fd: self.fd, events, revents: 0 }];
        open::ready(&mut asked);
        u32::from(asked[0].revents as u16) & EVENTS & !(libc::POLLNVAL as u32)
    }

    /// Whether telling it changes the set.
    fn is_told_once(&self) -> bool {
        self.events & (EDGE | ONCE) != 0
    }
}

#[derive(Default)]
struct Set {
    members: Vec<Member>,
    changes: u32,
}

/// By the address of the thing that stands for the set.
static SETS: Global<Option<HashMap<u64, Set>>> = Global::new(None);

fn sets() -> &'static mut HashMap<u64, Set> {
    SETS.get().get_or_insert_with(HashMap::new)
}

fn set(thing: Thing) -> &'static mut Set {
    sets().entry(thing.address()).or_default()
}

/// An execution begins.
pub fn begin() {
    if let Some(sets) = SETS.get() {
        sets.clear();
    }
}

/// The kernel has added a descriptor to the set, changed or removed it.
pub fn changed(thing: Thing, operation: i32, fd: i32, events: u32, data: u64) {
    let set = set(thing);
    set.changes += 1;
    let member = Member::new(fd, events, data);
    match operation {
        libc::EPOLL_CTL_ADD => set.members.push(member),
        libc::EPOLL_CTL_DEL => set.members.retain(|old| old.fd != fd),
        _ => set.members.iter_mut().filter(|old| old.fd == fd).for_each(|old| *old = member),
    }
}

/// A descriptor has been closed. (Who closes one that has duplicates is still told of them by
/// the kernel, under the number that is gone; not here.)
pub fn closed(fd: i32) {
    for set in SETS.get().iter_mut().flat_map(HashMap::values_mut) {
        let before = set.members.len();
        set.members.retain(|member| member.fd != fd);
        set.changes += u32::from(set.members.len() != before);
    }
}

/// What decides whether some descriptors are ready.
#[derive(Clone, Default)]
pub struct Watched {
    pub things: Vec<Thing>,
    /// Sets, and how often each had changed.
    sets: Vec<(Thing, u32)>,
    /// One of them waits for what is not known.
    pub foreign: bool,
}

impl Watched {
    /// What decides on these. Looking for the members of a set is an event.
    pub fn by(descriptors: impl IntoIterator<Item = i32>) -> Self {
        let mut all = Self::default();
        let mut left: Vec<i32> = descriptors.into_iter().collect();
        left.reverse();
        while let Some(fd) = left.pop() {
            let Some(open) = open::of(fd) else { continue };
            match open.kind {
                Kind::Channel => [open.content, open.sends].into_iter().for_each(|it| all.add(it)),
                Kind::Set if !all.things.contains(&open.content) => {
                    all.add(open.content);
                    let (changes, members) = things::look(&[open.content], false, || {
                        let set = set(open.content);
                        (
                            set.changes,
                            set.members.iter().map(|member| member.fd).collect::<Vec<_>>(),
                        )
                    });
                    all.sets.push((open.content, changes));
                    left.extend(members.into_iter().rev());
                }
                Kind::Set => {}
                // One that is not ready at once, as files are, is none of ours.
                Kind::File | Kind::Foreign => all.foreign = true,
            }
        }
        all
    }

    fn add(&mut self, thing: Thing) {
        if !self.things.contains(&thing) {
            self.things.push(thing);
        }
    }

    /// Whether the sets are as they were.
    pub fn holds(&self) -> bool {
        self.sets.iter().all(|(thing, changes)| set(*thing).changes == *changes)
    }
}

/// The members of a set that are to be told of now, in the order in which they were added,
/// each with what is to be told.
pub fn ready(thing: Thing) -> Vec<(Member, u32)> {
    let members = set(thing).members.iter();
    members.map(|member| (*member, member.ready())).filter(|(_, events)| *events != 0).collect()
}

/// These members are told of: if that changes the set, makes sure in one event that they still
/// are to be, and takes note. False if they are not.
pub fn tell(thing: Thing, watched: &Watched, told: &[(Member, u32)]) -> bool {
    if !told.iter().any(|(member, _)| member.is_told_once()) {
        return true;
    }
    things::exchange_if_still(thing, &watched.things, || {
        let same = |(member, events): &(Member, u32)| {
            ready(thing).iter().any(|(now, told)| now.fd == member.fd && told == events)
        };
        let holds = watched.holds() && told.iter().all(same);
        if holds {
            for member in &mut set(thing).members {
                if told.iter().any(|(it, _)| it.fd == member.fd) {
                    member.told = Some(member.traffic());
                    member.over |= member.events & ONCE != 0;
                }
            }
        }
        holds
    })
}
