//! Where a thread stands, as far as it decides what the thread does next.
//!
//! A thread that comes back to a site is where it was before if it will go on in the same
//! way. That is so if it is inside the same calls and all that it still needs is the same.
//! The rest may differ: the value that it read in the round before, which it is about to
//! read again; a count that nobody looks at. What it needs, the pass has worked out
//! (`pass/src/liveness.rs`): for each hook which slots of the frame record the code from
//! there on reads before it writes them, and the same for the code behind each call. What
//! others may have the address of counts as needed in any case, because the pass does not
//! know when they use it. Where the table has no answer, all of the record counts.

use crate::{
    fiber::{self, FrameRecord},
    interpose::time::Seen,
    units::{self, Needed},
};
use leno_model::{Op, SiteRef};

/// A digest of what the running thread needs of its frames at a site where it is about to
/// perform an operation. `private_writes`: how often it has written to its other memory. Times
/// count relative to what it has `seen` of the clock.
pub fn digest(site: SiteRef, op: &Op, private_writes: u64, seen: Seen) -> u64 {
    let mut digest = Digest { hash: 0xcbf2_9ce4_8422_2325 ^ private_writes, seen };
    let mut frame = fiber::frame();
    let mut innermost = true;
    // SAFETY: the chain of frame records of the running thread.
    while let Some(record) = unsafe { frame.as_ref() } {
        digest.add(record.function);
        let needed = match innermost {
            true => at_site(record, site, op),
            false => units::needed_behind(record, SiteRef(record.site)),
        };
        // The call in progress. The innermost frame has none, and the last one means nothing.
        if !innermost || site.0 == record.site {
            digest.add(record.site);
        }
        match needed {
            // SAFETY: the record is as long as its function's table says.
            Some(needed) => needed.each(|offset, len| unsafe { digest.bytes(record, offset, len) }),
            None => {
                let size = units::frame_size(record);
                let head = size_of::<FrameRecord>() as u64;
                // SAFETY: as above. The head, with the caller's address, is left out.
                unsafe { digest.bytes(record, head as u32, size.saturating_sub(head) as u32) };
            }
        }
        innermost = false;
        frame = record.caller;
    }
    digest.hash
}

/// What the innermost frame needs. It stands before the instruction of the site; or it
/// makes the call that the site is, and the operation is the callee's, who knows the
/// arguments.
fn at_site(record: &FrameRecord, site: SiteRef, op: &Op) -> Option<Needed> {
    let before = units::needed_before(record, site);
    if site.0 != record.site {
        return before;
    }
    let behind = units::needed_behind(record, site)?;
    match before {
        Some(before) => Some(behind.and(before)),
        None if *op == Op::Access => None,
        None => Some(behind),
    }
}

struct Digest {
    hash: u64,
    seen: Seen,
}

impl Digest {
    fn add(&mut self, word: u64) {
        self.hash = (self.hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }

    /// Adds a part of a record.
    ///
    /// # Safety
    /// The record has these bytes.
    unsafe fn bytes(&mut self, record: &FrameRecord, offset: u32, len: u32) {
        let start = (&raw const *record).cast::<u8>().wrapping_add(offset as usize);
        for at in (0..len as usize).step_by(8) {
            let mut word = [0u8; 8];
            let part = (len as usize - at).min(8);
            // SAFETY: as the caller says; both are of `part` bytes.
            unsafe { start.add(at).copy_to_nonoverlapping(word.as_mut_ptr(), part) };
            self.add(self.seen.relative(u64::from_le_bytes(word)));
        }
    }
}
