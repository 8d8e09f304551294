//! Where a thread stands, as far as it decides what the thread does next.
//!
//! A thread that comes back to a site is where it was before if it will go on in the same
//! way. That is so if it is inside the same calls and all that it still needs is the same.
//! The rest may differ: the value that it read in the round before, which it is about to
//! read again; a count that nobody looks at. What it needs, the pass has worked out
//! (`pass/src/liveness.rs`): for each hook which slots of the frame record the code from
//! there on reads before it writes them, and the same for the code behind each call. What
//! others may have the address of counts as needed in any case, because the pass does not
//! know when they use it; but not those of its bytes that are shared: others write them, and
//! whoever reads them, this thread too, does so by an event. Where the table has no answer,
//! all of the record counts.
//!
//! **Functions that a library calls** (a comparison for `qsort`). How far the library has come
//! its frames do not show; it may call the function as often as it likes and then go on. So
//! two such calls are never the same place, whatever the program's frames say. A function that
//! may be called by pointer keeps in its record where it returns to; if that is a library, the
//! runtime notes there, when it comes by for the first time, the how-manieth such call this is.

use crate::{
    cell::Global,
    fiber::{self, FrameRecord},
    interpose::time::Seen,
    sharing,
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
        // The call in progress. The innermost frame has none, and the last one means nothing.
        let calls = !innermost || site.0 == record.site;
        if calls {
            digest.add(record.site);
        }
        if let Some(returns) = returns_to(record) {
            digest.add(returns.call(record));
        }
        match innermost {
            true => digest.innermost(record, site, op, calls),
            false => digest.needed(record, units::needed_behind(record, SiteRef(record.site))),
        }
        innermost = false;
        frame = record.caller;
    }
    digest.hash
}

/// An execution begins.
pub fn begin() {
    *CALLS.get() = 0;
}

/// How many functions in progress were found to have been called by a library.
static CALLS: Global<u16> = Global::new(0);

/// The word of a frame record that says where the function returns to. Its upper part, which
/// no address of the program's uses, is the number of the call.
pub struct Returns(*mut u64);

/// None if the function is never called by pointer.
#[inline(always)]
pub fn returns_to(record: &FrameRecord) -> Option<Returns> {
    let offset = units::frame_shape(record)?.returns as usize;
    let place = (&raw const *record).cast::<u8>().wrapping_add(offset);
    (offset != 0).then_some(Returns(place.cast_mut().cast()))
}

impl Returns {
    const BITS: u32 = 48;

    #[inline(always)]
    pub fn address(&self) -> u64 {
        // SAFETY: a word of a frame record of a function in progress.
        unsafe { *self.0 & ((1 << Self::BITS) - 1) }
    }

    /// The how-manieth call of a library this is, from 1; 0 if it is none.
    /// A function that was inlined returns, by this word, to where the one does that it is a
    /// part of: so who was called by name was not called by a library.
    #[inline(always)]
    fn call(&self, record: &FrameRecord) -> u64 {
        // SAFETY: as above; nobody but the runtime reads it, and a call writes it anew.
        unsafe {
            if *self.0 >> Self::BITS == 0
                && units::is_foreign_code(*self.0)
                && !units::is_called_by_name(record)
            {
                let calls = CALLS.get();
                *calls = calls.wrapping_add(1).max(1);
                *self.0 |= u64::from(*calls) << Self::BITS;
            }
            *self.0 >> Self::BITS
        }
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

    /// Adds what the innermost frame needs. It stands before the instruction of the site; or it
    /// makes the call that the site is, and the operation is the callee's, who knows the
    /// arguments.
    #[inline(always)]
    fn innermost(&mut self, record: &FrameRecord, site: SiteRef, op: &Op, calls: bool) {
        let before = units::needed_before(record, site);
        if !calls {
            return self.needed(record, before);
        }
        match (before, units::needed_behind(record, site)) {
            (Some(before), Some(behind)) => {
                self.live(record, &before);
                self.needed(record, Some(behind));
            }
            (None, behind) if *op != Op::Access => self.needed(record, behind),
            _ => self.whole(record),
        }
    }

    /// Adds what is needed of a record; all of it where that is not known.
    #[inline(always)]
    fn needed(&mut self, record: &FrameRecord, needed: Option<Needed>) {
        let Some(needed) = needed else { return self.whole(record) };
        for slot in needed.escaping() {
            // SAFETY: the record is as long as its function's table says.
            unsafe { self.own(record, slot.offset, slot.size) };
        }
        self.live(record, &needed);
    }

    #[inline(always)]
    fn live(&mut self, record: &FrameRecord, needed: &Needed) {
        for slot in needed.live() {
            // SAFETY: as above.
            unsafe { self.bytes(record, slot.offset, slot.size) };
        }
    }

    #[cold]
    fn whole(&mut self, record: &FrameRecord) {
        let size = units::frame_size(record);
        let head = size_of::<FrameRecord>() as u64;
        // SAFETY: as above. The head, with the caller's address, is left out.
        unsafe { self.bytes(record, head as u32, size.saturating_sub(head) as u32) };
    }

    /// Adds what of an escaping variable is the thread's own.
    ///
    /// # Safety
    /// The record has these bytes.
    #[inline(always)]
    unsafe fn own(&mut self, record: &FrameRecord, offset: u32, len: u32) {
        let first = (&raw const *record) as u64 + u64::from(offset);
        let end = first + u64::from(len);
        let mut at = first;
        while at < end {
            let next = end.min((at / sharing::GRANULE + 1) * sharing::GRANULE);
            if !sharing::is_known(at) {
                // SAFETY: as the caller says.
                unsafe { self.bytes(record, offset + (at - first) as u32, (next - at) as u32) };
            }
            at = next;
        }
    }

    /// Adds a part of a record.
    ///
    /// # Safety
    /// The record has these bytes.
    #[inline(always)]
    unsafe fn bytes(&mut self, record: &FrameRecord, offset: u32, len: u32) {
        let start = (&raw const *record).cast::<u8>().wrapping_add(offset as usize);
        // SAFETY: as the caller says.
        unsafe {
            match len {
                4 => self.word(u64::from(start.cast::<u32>().read_unaligned())),
                8 => self.word(start.cast::<u64>().read_unaligned()),
                _ => self.many(start, len as usize),
            }
        }
    }

    /// Adds bytes, however many.
    ///
    /// # Safety
    /// They can be read.
    unsafe fn many(&mut self, start: *const u8, len: usize) {
        for at in (0..len).step_by(8) {
            let mut word = [0u8; 8];
            let part = (len - at).min(8);
            // SAFETY: as the caller says; both are of `part` bytes.
            unsafe { start.add(at).copy_to_nonoverlapping(word.as_mut_ptr(), part) };
            self.word(u64::from_le_bytes(word));
        }
    }

    fn word(&mut self, word: u64) {
        self.add(self.seen.relative(word));
    }
}
