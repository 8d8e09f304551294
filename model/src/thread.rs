//! Threads and their names.
//!
//! A thread's name is (parent, how many threads the parent had created before),
//! which no interleaving changes. Inside one check a name is interned to a small
//! [`ThreadId`]; the table of names goes with every trace, so that the numbers
//! mean the same threads when it is replayed.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use serde::{Deserialize, Serialize};

/// A thread of the program, as a dense number. The main thread is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(transparent)]
pub struct ThreadId(pub u32);

impl ThreadId {
    pub const MAIN: ThreadId = ThreadId(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a thread is called independently of the interleaving.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[repr(C)]
pub struct ThreadName {
    pub parent: ThreadId,
    /// The parent's how-manieth creation, from 0.
    pub index: u32,
}

/// The names behind the numbers. Entry 0 is the main thread and has no name.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThreadTable {
    names: Vec<ThreadName>,
}

impl ThreadTable {
    /// Makes a table from the names of threads 1, 2, …
    pub fn from_names(names: Vec<ThreadName>) -> Self {
        Self { names }
    }

    /// The name of a thread; none for the main thread.
    pub fn name(&self, thread: ThreadId) -> Option<ThreadName> {
        self.names.get(thread.index().checked_sub(1)?).copied()
    }

    /// The names of threads 1, 2, …
    pub fn names(&self) -> &[ThreadName] {
        &self.names
    }

    /// The number for a name, a new one if the name has not been seen yet.
    pub fn intern(&mut self, name: ThreadName) -> ThreadId {
        let known = self.names.iter().position(|n| *n == name);
        let place = known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        ThreadId(place as u32 + 1)
    }

    /// The creation indices on the way from the main thread to this one: `[]` is
    /// main, `[2]` its third child, `[2, 0]` that child's first child.
    pub fn path(&self, thread: ThreadId) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = thread;
        while let Some(name) = self.name(at) {
            path.push(name.index);
            at = name.parent;
        }
        path.reverse();
        path
    }
}

/// What a thread with this path is called: `main`, `T3`, `T3.1`.
pub fn name_of(path: &[u32]) -> String {
    let numbers: Vec<String> = path.iter().map(|index| (index + 1).to_string()).collect();
    if numbers.is_empty() { "main".to_string() } else { format!("T{}", numbers.join(".")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_always_gets_the_same_number_and_a_path_leads_to_it() {
        let mut table = ThreadTable::default();
        let name = |parent, index| ThreadName { parent: ThreadId(parent), index };
        let a = table.intern(name(0, 0));
        let b = table.intern(name(0, 1));
        let c = table.intern(name(b.0, 0));
        assert_eq!(table.intern(name(0, 1)), b);
        assert_eq!(table.path(ThreadId::MAIN), []);
        assert_eq!(table.path(a), [0]);
        assert_eq!(table.path(c), [1, 0]);
    }
}
