//! The accesses of one event, gathered on the stack of whoever makes it.

use core::mem::MaybeUninit;
use leno_model::{Access, AccessKind, Order};

/// The most ranges that one event of ours has (`memcpy` has two; what a formatted print
/// reads may be spread over several events).
pub const MOST: usize = 8;

/// Most events have one access, so the room for the others is never touched.
#[derive(Clone, Copy)]
pub struct Accesses {
    items: [MaybeUninit<Access>; MOST],
    len: usize,
}

/// A range of bytes that is accessed.
#[inline(always)]
pub const fn one(kind: AccessKind, addr: u64, len: u64, atomic: Option<Order>) -> Access {
    Access { addr, len, kind, atomic }
}

impl Accesses {
    #[inline(always)]
    pub const fn none() -> Self {
        Self { items: [MaybeUninit::uninit(); MOST], len: 0 }
    }

    /// As many of these as one event has.
    pub fn first_of(list: &[Access]) -> Self {
        let mut all = Self::none();
        list.iter().for_each(|access| all.push(*access));
        all
    }

    /// Adds a range; an empty one adds nothing.
    #[inline(always)]
    pub fn push(&mut self, access: Access) {
        if access.len > 0 && self.len < MOST {
            self.items[self.len].write(access);
            self.len += 1;
        }
    }
}

impl AsRef<[Access]> for Accesses {
    fn as_ref(&self) -> &[Access] {
        self
    }
}

impl core::ops::Deref for Accesses {
    type Target = [Access];
    #[inline(always)]
    fn deref(&self) -> &[Access] {
        // SAFETY: the first `len` items have been written.
        unsafe { core::slice::from_raw_parts(self.items.as_ptr().cast(), self.len) }
    }
}

impl core::ops::DerefMut for Accesses {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Access] {
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(self.items.as_mut_ptr().cast(), self.len) }
    }
}
