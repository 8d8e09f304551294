//! What an event might have accessed, by what others of its kind were seen to access.
//!
//! The accesses of an atomic section, and of a call that looks for the end of a string,
//! depend on what they find. So what commutes with such an event would depend on what
//! came before it, even on what commutes with it: moved before another event it may
//! touch what it did not touch before, and what should have come before *that* is not to
//! be seen in the execution at hand. No reduction can have this, neither one that has
//! sleep sets nor one that has not.
//!
//! So they all take such an event for one that accesses everything that the thread has
//! accessed at this site, with these arguments, in any execution. That is a larger relation
//! than is needed, and a sound one. When it turns out to be too small the search begins anew
//! with what is known by now; mostly that is after the first execution or two.
//!
//! An update of one place, such as a compare-exchange, needs none of this: whatever changes
//! what it does conflicts with it there in any case. Only optimal DPOR has to foresee how it
//! would come out in another place. Where it cannot (see there), such updates are taken for
//! all that they were seen to do as well, from then on. And where it finds that two readers of
//! a lock need each other, they are *set apart*: both are taken to write a byte of their own,
//! where no memory is, so that they do not commute any more.

use alloc::vec::Vec;
use hashbrown::HashMap;
use leno_model::{Access, AccessKind, Event, Op, SiteRef, ThreadId, Varies};
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Repertoire {
    seen: HashMap<Key, Vec<Access>>,
    /// How many pairs have been set apart.
    apart: u64,
}

type Key = (ThreadId, SiteRef, u64);

/// Where the bytes of those lie that are set apart: no address of a program, nor one that
/// stands for an object.
const APART: u64 = 1 << 63;

fn key(event: &Event, accesses: &[Access]) -> Option<Key> {
    let first = || accesses.first().map_or(0, |access| access.addr);
    let arguments = match (event.op, event.varies) {
        (Op::ReadLock { rwlock } | Op::TryReadLock { rwlock }, _) => rwlock,
        (_, Varies::Never) => return None,
        (
            _,
            Varies::WritesIf(_) | Varies::Updates { .. } | Varies::Perhaps | Varies::Somehow(0),
        ) => first(),
        (_, Varies::Somehow(arguments)) => arguments,
    };
    Some((event.thread, event.site, arguments))
}

impl Repertoire {
    /// Takes in what the event has accessed. Says whether that is more than events before
    /// it were taken for.
    pub fn learn(&mut self, event: &Event, accesses: &[Access]) -> bool {
        let Some(key) = key(event, accesses) else { return false };
        let Some(seen) = self.seen.get_mut(&key) else {
            if let Varies::Somehow(_) = event.varies {
                self.seen.insert(key, accesses.to_vec());
            }
            return false;
        };
        let known = seen.len();
        for access in accesses {
            if !seen.iter().any(|other| covers(other, access)) {
                seen.push(*access);
            }
        }
        known < seen.len()
    }

    /// From now on an update like this is taken for all that it was seen to do.
    pub fn take_whole(&mut self, event: &Event, accesses: &[Access]) {
        let key = key(event, accesses);
        key.map(|key| self.seen.entry(key).or_insert_with(|| accesses.to_vec()));
    }

    /// From now on acquisitions for reading like these two do not commute.
    pub fn set_apart(&mut self, readers: [&Event; 2]) {
        let addr = APART + self.apart;
        self.apart += 1;
        for key in readers.into_iter().filter_map(|reader| key(reader, &[])) {
            let byte = Access { addr, len: 1, kind: AccessKind::Write, atomic: None };
            self.seen.entry(key).or_default().push(byte);
        }
    }

    /// What the event might have accessed.
    pub fn of(&self, event: &Event, accesses: &[Access]) -> &[Access] {
        if self.seen.is_empty() {
            return &[];
        }
        let seen = key(event, accesses).and_then(|key| self.seen.get(&key));
        seen.map_or(&[], |seen| seen.as_slice())
    }
}

/// Whether what conflicts with the second conflicts with the first.
fn covers(first: &Access, second: &Access) -> bool {
    let writes = first.kind.writes() || !second.kind.writes();
    writes && first.addr <= second.addr && second.end() <= first.end()
}
