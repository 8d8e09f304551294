//! A set of threads.

use alloc::vec::Vec;
use leno_model::ThreadId;
use serde::{Deserialize, Serialize};

/// A set of threads: one word for the first 64, and as many more as it takes.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThreadSet {
    low: u64,
    /// Threads from 64 on, 64 a word. Empty, so no allocation, for most programs.
    high: Vec<u64>,
}

impl ThreadSet {
    #[inline]
    fn place(thread: ThreadId) -> (usize, u64) {
        (thread.index() / 64, 1 << (thread.index() % 64))
    }

    #[inline]
    pub fn insert(&mut self, thread: ThreadId) {
        let (word, bit) = Self::place(thread);
        if word == 0 {
            self.low |= bit;
        } else {
            if self.high.len() < word {
                self.high.resize(word, 0);
            }
            self.high[word - 1] |= bit;
        }
    }

    pub fn clear(&mut self) {
        self.low = 0;
        self.high.clear();
    }

    pub fn remove(&mut self, thread: ThreadId) {
        let (word, bit) = Self::place(thread);
        if word == 0 {
            self.low &= !bit;
        } else if let Some(high) = self.high.get_mut(word - 1) {
            *high &= !bit;
        }
    }

    #[inline]
    pub fn contains(&self, thread: ThreadId) -> bool {
        let (word, bit) = Self::place(thread);
        let held = if word == 0 { self.low } else { self.high.get(word - 1).copied().unwrap_or(0) };
        held & bit != 0
    }

    pub fn meets(&self, other: &ThreadSet) -> bool {
        self.low & other.low != 0 || self.high.iter().zip(&other.high).any(|(a, b)| a & b != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.iter().all(|word| *word == 0)
    }

    /// The members in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = ThreadId> + '_ {
        core::iter::once(&self.low).chain(&self.high).enumerate().flat_map(|(word, bits)| {
            let mut left = *bits;
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(ThreadId(word as u32 * 64 + bit))
            })
        })
    }
}

impl FromIterator<ThreadId> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(threads: I) -> Self {
        let mut set = Self::default();
        threads.into_iter().for_each(|thread| set.insert(thread));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in_beyond_one_word_too() {
        let some = [3, 63, 64, 200].map(ThreadId);
        let mut set: ThreadSet = some.into_iter().collect();
        assert!(set.iter().eq(some));
        assert!(set.contains(ThreadId(200)) && !set.contains(ThreadId(199)));
        assert!(set.meets(&[ThreadId(64)].into_iter().collect()));
        assert!(!set.meets(&[ThreadId(65)].into_iter().collect()));
        some.into_iter().for_each(|thread| set.remove(thread));
        assert!(set.is_empty());
    }
}
