//! What a thread has touched in private, in a round of a loop that is not gone on with.
//!
//! Such a round is left out of the executions in which the thread gets away (see `glances` in
//! the checker). So what it has touched there, another thread may touch in other executions
//! only: in none do both, and it would stay private, and the race be lost. So where a thread
//! stops, it is kept who has touched what in the round; from then on the thread counts as
//! having touched that in every execution. If another one touches it too, it is shared. Mostly
//! these are reads. But what the thread writes on its own stack may leave it where it was; and
//! an event of a lock, or of several ranges, may touch what is private.
//!
//! To keep accesses that are no events costs time. So none are kept until some thread has
//! stopped in a round with private hooks in it; then the search begins anew, and with it the
//! watch. It begins anew also when there is something new to keep, since others may have
//! touched that before. They are forgotten when the thread has left something behind in
//! private, because then it is not where it was.

use crate::{
    cell::Global,
    fiber,
    sharing::{self, GRANULE},
};
use alloc::vec::Vec;
use core::ops::Range;
use leno_model::{Access, ThreadId, object::OUTSIDE};

/// The place outside of memory that is marked as shared when reads are to be kept: the one
/// behind that of `back_off`.
const WATCHING: u64 = OUTSIDE.end + GRANULE;

static IS_WATCHING: Global<bool> = Global::new(false);

/// An execution begins.
pub fn begin() {
    *IS_WATCHING.get() = sharing::is_marked(WATCHING);
}

#[inline(always)]
pub fn is_watching() -> bool {
    *IS_WATCHING.get()
}

/// Has private reads be kept from the next execution on.
pub fn watch() {
    sharing::reveal_at(WATCHING);
}

/// Keeps what an event of a round has touched, so far as nobody else has.
pub fn keep(thread: ThreadId, accesses: &[Access]) {
    for granule in accesses.iter().flat_map(granules) {
        sharing::keep(thread, granule * GRANULE);
    }
}

fn granules(access: &Access) -> Range<u64> {
    access.addr / GRANULE..access.end().div_ceil(GRANULE)
}

/// What a thread has touched in private since its last private write.
#[derive(Default)]
pub struct Looks {
    all: Vec<Look>,
    private_writes: u64,
    /// With so many of them, those that are there twice are thrown away.
    enough: usize,
}

#[derive(Clone, Copy)]
struct Look {
    granule: u64,
    /// The number of the hook.
    ordinal: u32,
}

impl Looks {
    pub fn add(&mut self, ordinal: u32, private_writes: u64, accesses: &[Access]) {
        if self.private_writes != private_writes {
            self.private_writes = private_writes;
            self.all.clear();
            self.enough = 1024;
        }
        for access in accesses {
            self.all.extend(granules(access).map(|granule| Look { granule, ordinal }));
        }
        if self.all.len() > self.enough {
            self.all.sort_unstable_by_key(|look| (look.granule, !look.ordinal));
            self.all.dedup_by_key(|look| look.granule);
            self.enough = 2 * self.all.len().max(512);
        }
    }

    /// Keeps what the thread has touched since a hook of this number; but not in its control
    /// block, where nothing is that could be in a race.
    pub fn keep(&self, thread: ThreadId, since: u32) {
        let is_control =
            |addr| addr >= fiber::handle(thread) && fiber::owner_of(addr as usize) == Some(thread);
        for look in self.all.iter().filter(|look| look.ordinal >= since) {
            let addr = look.granule * GRANULE;
            if !is_control(addr) {
                sharing::keep(thread, addr);
            }
        }
    }
}
