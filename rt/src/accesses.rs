//! The accesses of one event, gathered on the stack of whoever makes it.

use leno_model::{Access, AccessKind, Order};

/// The most ranges that one event of ours has (`memcpy` has two; a formatted print
/// is cut off here).
const MOST: usize = 8;

#[derive(Clone, Copy)]
pub struct Accesses {
    items: [Access; MOST],
    len: usize,
}

const NONE: Access = Access { addr: 0, len: 0, kind: AccessKind::Read, atomic: None };

impl Accesses {
    pub const fn none() -> Self {
        Self { items: [NONE; MOST], len: 0 }
    }

    pub fn one(kind: AccessKind, addr: u64, len: u64, atomic: Option<Order>) -> Self {
        Self::none().and(kind, addr, len, atomic)
    }

    /// Adds a range; an empty one adds nothing.
    pub fn and(mut self, kind: AccessKind, addr: u64, len: u64, atomic: Option<Order>) -> Self {
        if len > 0 && self.len < MOST {
            self.items[self.len] = Access { addr, len, kind, atomic };
            self.len += 1;
        }
        self
    }
}

impl core::ops::Deref for Accesses {
    type Target = [Access];
    fn deref(&self) -> &[Access] {
        &self.items[..self.len]
    }
}
