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

impl Accesses {
    #[inline(always)]
    pub const fn none() -> Self {
        Self { items: [MaybeUninit::uninit(); MOST], len: 0 }
    }

    #[inline(always)]
    pub fn one(kind: AccessKind, addr: u64, len: u64, atomic: Option<Order>) -> Self {
        Self::none().and(kind, addr, len, atomic)
    }

    /// As many of these as one event has.
    pub fn first_of(list: &[Access]) -> Self {
        let add = |all: Self, a: &Access| all.and(a.kind, a.addr, a.len, a.atomic);
        list.iter().fold(Self::none(), add)
    }

    /// Adds a range; an empty one adds nothing.
    #[inline(always)]
    pub fn and(mut self, kind: AccessKind, addr: u64, len: u64, atomic: Option<Order>) -> Self {
        self.add(kind, addr, len, atomic);
        self
    }

    /// The same in place: moving one costs more than filling it.
    #[inline(always)]
    pub fn add(&mut self, kind: AccessKind, addr: u64, len: u64, atomic: Option<Order>) {
        if len > 0 && self.len < MOST {
            self.items[self.len].write(Access { addr, len, kind, atomic });
            self.len += 1;
        }
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
