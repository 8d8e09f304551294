//! Exchanging two threads: which object of the one stands for which of the other.
//!
//! Two threads are interchangeable in a state if there is a permutation of the objects in
//! memory under which the state is the same when the threads have changed places. It is
//! found by walking both threads' memory together from what their frames still need. Two
//! words in the same place are
//! - the same number, or
//! - the same pointer, and then its object must stay where it is, or
//! - pointers into two objects at the same place of each, and then these two are
//!   exchanged, and what is in them is looked at in the same way.
//!
//! An object that is exchanged for one is exchanged for no other: that makes it a
//! permutation, and it is its own inverse. The walk visits a pair once, so that cyclic
//! structures come to an end; and it meets the objects in an order that depends on the
//! structure alone, which is the canonical order of heap symmetry without ever being
//! written down.
//!
//! Nothing in memory says what is a pointer: a word is one if it leads into an object.

use alloc::vec::Vec;
use hashbrown::{HashMap, HashSet};
use leno_model::ThreadId;

/// What an address leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    /// Tells objects apart.
    pub start: u64,
    pub len: u64,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// It stays where it is.
    Common,
    /// It may be exchanged for one of the same length and shape.
    Own { shape: u64, inside: Inside },
    /// Nobody knows what lies there.
    Unknown,
}

/// What is to be looked at when two objects are exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inside {
    Everything,
    /// Somebody else compares it, or it does not matter.
    Nothing,
}

/// The program's memory.
pub trait Memory {
    /// The object that a word leads into, if it is a pointer.
    fn object(&self, word: u64) -> Option<Object>;
    /// What lies there. Inside an object that [`Memory::object`] has given, or a range that
    /// was given to [`Exchange::compare`].
    fn bytes(&self, start: u64, len: u64) -> &[u8];
    /// The parts of an object that mean nothing: from where to where, counted from its
    /// start, ascending.
    fn padding(&self, _: &Object) -> &[(u64, u64)] {
        &[]
    }
}

/// Two threads change places, and objects with them.
pub struct Swap<'a> {
    pub threads: (ThreadId, ThreadId),
    /// Those that they will create change places too.
    pub children: &'a [(ThreadId, ThreadId)],
    /// Where something lies afterwards that lies there now.
    pub address: &'a dyn Fn(u64) -> u64,
}

impl Swap<'_> {
    pub fn thread(&self, thread: ThreadId) -> ThreadId {
        let pairs = [self.threads].into_iter().chain(self.children.iter().copied());
        let other = |pair| match pair {
            (a, b) if thread == a => Some(b),
            (a, b) if thread == b => Some(a),
            _ => None,
        };
        pairs.into_iter().find_map(other).unwrap_or(thread)
    }

    /// The same threads afterwards, in the order of their numbers.
    pub fn all(&self, threads: &[ThreadId]) -> Vec<ThreadId> {
        let mut all: Vec<ThreadId> = threads.iter().map(|t| self.thread(*t)).collect();
        all.sort_unstable();
        all
    }
}

/// Where two threads were found to differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// What the walk came from, as it was called there.
    pub root: u32,
    /// Where the words lie, and what they are.
    pub places: (u64, u64),
    pub words: (u64, u64),
    pub why: Why,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// Different numbers, or a number and a pointer.
    Values,
    /// Pointers to objects that are not alike, or to different places in them.
    Shapes,
    /// One of the objects is exchanged for another one already, or stays where it is.
    Twice,
    /// Both point to something that has to be exchanged.
    Same,
    /// A pointer leads to where nobody knows what lies there.
    Unknown,
    /// There is more than is worth looking at.
    Much,
}

/// A permutation of objects that is its own inverse, as far as it is known.
#[derive(Default)]
pub struct Exchange {
    images: HashMap<u64, u64>,
    /// The same, from the first thread's to the second's only.
    given: Vec<(u64, u64)>,
    /// Objects that must stay where they are.
    fixed: HashSet<u64>,
    /// Those of the first thread that have been led to, so that what is in them counts.
    entered: HashSet<u64>,
    open: Vec<Pair>,
    /// Bytes that may still be looked at.
    budget: u64,
}

#[derive(Clone, Copy)]
struct Pair {
    a: u64,
    b: u64,
    len: u64,
    root: u32,
}

impl Exchange {
    /// Looks at so many bytes at most.
    pub fn with_budget(budget: u64) -> Self {
        Self { budget, ..Self::default() }
    }

    /// The start of the object that one is exchanged for.
    pub fn image(&self, object: u64) -> Option<u64> {
        self.images.get(&object).copied()
    }

    /// The objects that change places: of the first thread, and of the second.
    pub fn given(&self) -> &[(u64, u64)] {
        &self.given
    }

    /// The objects that must stay where they are.
    pub fn fixed(&self) -> impl Iterator<Item = u64> + '_ {
        self.fixed.iter().copied()
    }

    /// Demands that two ranges, of which the first belongs to the one thread and the
    /// second to the other, be the same under the exchange.
    pub fn compare(
        &mut self,
        memory: &impl Memory,
        root: u32,
        a: u64,
        b: u64,
        len: u64,
    ) -> Result<(), Mismatch> {
        self.range(memory, Pair { a, b, len, root })?;
        while let Some(pair) = self.open.pop() {
            self.range(memory, pair)?;
        }
        Ok(())
    }

    /// The same for two words that lie nowhere.
    pub fn compare_words(
        &mut self,
        memory: &impl Memory,
        root: u32,
        a: u64,
        b: u64,
    ) -> Result<(), Mismatch> {
        self.words(memory, root, (0, 0), (a, b))?;
        while let Some(pair) = self.open.pop() {
            self.range(memory, pair)?;
        }
        Ok(())
    }

    /// Demands that two objects be exchanged, whatever is in them until somebody leads to
    /// them.
    pub fn exchange(&mut self, root: u32, a: u64, b: u64) -> Result<(), Mismatch> {
        let mismatch = Mismatch { root, places: (0, 0), words: (a, b), why: Why::Twice };
        self.pair(a, b).map_err(|why| Mismatch { why, ..mismatch })
    }

    fn range(&mut self, memory: &impl Memory, pair: Pair) -> Result<(), Mismatch> {
        let Pair { a, b, len, root } = pair;
        let different = |at: u64, words: (u64, u64), why: Why| Mismatch {
            root,
            places: (a + at, b + at),
            words,
            why,
        };
        match self.budget.checked_sub(len) {
            Some(left) => self.budget = left,
            None => return Err(different(0, (0, 0), Why::Much)),
        }
        let (left, right) = (memory.bytes(a, len), memory.bytes(b, len));
        // Words lie at multiples of their size; what is before and behind is no pointer.
        let first = (a.next_multiple_of(8) - a).min(len);
        if a % 8 != b % 8 {
            return match left == right {
                true => Ok(()),
                false => Err(different(0, (0, 0), Why::Shapes)),
            };
        }
        // A pointer that lies askew would be taken for bytes.
        let askew = |bytes: &[u8], start: u64| {
            (0..len.saturating_sub(7)).filter(|at| !(start + at).is_multiple_of(8)).find(|at| {
                let word = bytes[*at as usize..][..8].try_into().map_or(0, u64::from_le_bytes);
                memory.object(word).is_some_and(|object| object.kind != Kind::Common)
            })
        };
        if let Some(at) = askew(left, a).or_else(|| askew(right, b)) {
            return Err(different(at, (0, 0), Why::Unknown));
        }
        let mut at = 0;
        while at < len {
            let next = if at < first { first } else { (at + 8).min(len) };
            let word = |bytes: &[u8]| {
                let mut word = [0; 8];
                let part = &bytes[at as usize..next as usize];
                word[..part.len()].copy_from_slice(part);
                u64::from_le_bytes(word)
            };
            let words = (word(left), word(right));
            if next - at == 8 {
                self.words(memory, root, (a + at, b + at), words)?;
            } else if words.0 != words.1 {
                return Err(different(at, words, Why::Values));
            }
            at = next;
        }
        Ok(())
    }

    fn words(
        &mut self,
        memory: &impl Memory,
        root: u32,
        places: (u64, u64),
        words: (u64, u64),
    ) -> Result<(), Mismatch> {
        let different = |why| Err(Mismatch { root, places, words, why });
        let (a, b) = match (memory.object(words.0), memory.object(words.1)) {
            (None, None) if words.0 == words.1 => return Ok(()),
            (Some(a), Some(b)) => (a, b),
            _ => return different(Why::Values),
        };
        if a.kind == Kind::Unknown || b.kind == Kind::Unknown {
            return different(Why::Unknown);
        }
        if words.0 == words.1 {
            if self.images.contains_key(&a.start) {
                return different(Why::Same);
            }
            self.fixed.insert(a.start);
            return Ok(());
        }
        let (Kind::Own { inside, .. }, Kind::Own { .. }) = (a.kind, b.kind) else {
            return different(Why::Values);
        };
        let alike = (a.kind, a.len) == (b.kind, b.len);
        if !alike || words.0.wrapping_sub(a.start) != words.1.wrapping_sub(b.start) {
            return different(Why::Shapes);
        }
        if let Err(why) = self.pair(a.start, b.start) {
            return different(why);
        }
        if inside == Inside::Everything && self.entered.insert(a.start) {
            let mut from = 0;
            for (gap, next) in memory.padding(&a).iter().chain(&[(a.len, a.len)]) {
                let (a, b, len) = (a.start + from, b.start + from, gap - from);
                self.open.push(Pair { a, b, len, root });
                from = *next;
            }
        }
        Ok(())
    }

    /// Notes that two objects are exchanged.
    fn pair(&mut self, a: u64, b: u64) -> Result<(), Why> {
        match (self.images.get(&a), self.images.get(&b)) {
            (Some(image), Some(_)) if *image == b => return Ok(()),
            (None, None) => {}
            _ => return Err(Why::Twice),
        }
        if self.fixed.contains(&a) || self.fixed.contains(&b) {
            return Err(Why::Same);
        }
        self.given.push((a, b));
        self.images.insert(a, b);
        self.images.insert(b, a);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Memory of sixteen words an object: those below 0x1000 are common ones, the others
    /// may be exchanged if the shape, which is the number in their last word, is the same.
    struct Words(HashMap<u64, Vec<u8>>);

    const LEN: u64 = 128;

    impl Memory for Words {
        fn object(&self, word: u64) -> Option<Object> {
            let start = word / LEN * LEN;
            let bytes = self.0.get(&start)?;
            let shape = u64::from(bytes[LEN as usize - 1]);
            let own = Kind::Own { shape, inside: Inside::Everything };
            let kind = if start < 0x1000 { Kind::Common } else { own };
            Some(Object { start, len: LEN, kind })
        }

        fn bytes(&self, start: u64, len: u64) -> &[u8] {
            let object = start / LEN * LEN;
            &self.0[&object][(start - object) as usize..][..len as usize]
        }
    }

    fn memory(objects: &[(u64, &[u64])]) -> Words {
        let object = |(start, words): &(u64, &[u64])| {
            let mut bytes = vec![0; LEN as usize];
            for (place, word) in words.iter().enumerate() {
                bytes[8 * place..][..8].copy_from_slice(&word.to_le_bytes());
            }
            (*start, bytes)
        };
        Words(objects.iter().map(object).collect())
    }

    const A: u64 = 0x10000;
    const B: u64 = 0x20000;

    /// Compares the objects at A and B.
    fn compare(memory: &Words) -> Result<Exchange, Why> {
        let mut exchange = Exchange::with_budget(1 << 20);
        exchange.exchange(0, A, B).map_err(|found| found.why)?;
        exchange.compare(memory, 0, A, B, LEN).map_err(|found| found.why)?;
        Ok(exchange)
    }

    #[test]
    fn numbers_must_be_the_same() {
        assert!(compare(&memory(&[(A, &[5, 7]), (B, &[5, 7])])).is_ok());
        assert_eq!(compare(&memory(&[(A, &[5, 7]), (B, &[5, 9])])).err(), Some(Why::Values));
    }

    #[test]
    fn a_list_of_the_same_length_and_content_is_the_same_list() {
        let (x, y, z, w) = (0x30000, 0x30080, 0x40000, 0x40080);
        let lists = |last: u64| {
            memory(&[
                (A, &[x]),
                (B, &[z]),
                (x, &[y, 7]),
                (y, &[0, 8]),
                (z, &[w, 7]),
                (w, &[0, last]),
            ])
        };
        let exchange = compare(&lists(8)).map_err(|_| ()).unwrap();
        assert_eq!((exchange.image(y), exchange.image(w)), (Some(w), Some(y)));
        assert_eq!(compare(&lists(9)).err(), Some(Why::Values));
    }

    #[test]
    fn cycles_come_to_an_end() {
        let (x, y) = (0x30000, 0x40000);
        assert!(compare(&memory(&[(A, &[x]), (B, &[y]), (x, &[A, x]), (y, &[B, y])])).is_ok());
        // One is a cycle of one, the other of two.
        let z = 0x40080;
        let memory = memory(&[(A, &[x]), (B, &[y]), (x, &[x]), (y, &[z]), (z, &[y])]);
        assert_eq!(compare(&memory).err(), Some(Why::Twice));
    }

    #[test]
    fn what_is_shared_on_one_side_must_be_shared_on_the_other() {
        let (x, y, z) = (0x30000, 0x40000, 0x40080);
        let memory = memory(&[(A, &[x, x]), (B, &[y, z]), (x, &[]), (y, &[]), (z, &[])]);
        assert_eq!(compare(&memory).err(), Some(Why::Twice));
    }

    #[test]
    fn common_objects_stay_where_they_are() {
        let global = 0x800;
        assert!(compare(&memory(&[(A, &[global]), (B, &[global]), (global, &[])])).is_ok());
        let two = memory(&[(A, &[global]), (B, &[0x880]), (global, &[]), (0x880, &[])]);
        assert_eq!(compare(&two).err(), Some(Why::Values));
        // Both refer to what is the first one's own.
        assert_eq!(compare(&memory(&[(A, &[A]), (B, &[A])])).err(), Some(Why::Same));
        // Each refers to the other's.
        assert!(compare(&memory(&[(A, &[B]), (B, &[A])])).is_ok());
        // One block is held by both, and then one of them holds it as its own.
        let x = 0x30000;
        let memory = memory(&[(A, &[x, x]), (B, &[x, 0x40000]), (x, &[]), (0x40000, &[])]);
        assert_eq!(compare(&memory).err(), Some(Why::Same));
    }

    #[test]
    fn pointers_lead_to_the_same_place_of_objects_that_are_alike() {
        let (x, y) = (0x30000, 0x40000);
        let inside = |offset| memory(&[(A, &[x + 8]), (B, &[y + offset]), (x, &[]), (y, &[])]);
        assert!(compare(&inside(8)).is_ok());
        assert_eq!(compare(&inside(16)).err(), Some(Why::Shapes));
        let mut unlike = inside(8);
        unlike.0.get_mut(&x).unwrap()[LEN as usize - 1] = 1;
        assert_eq!(compare(&unlike).err(), Some(Why::Shapes));
    }

    #[test]
    fn parts_of_words_are_bytes() {
        let memory = memory(&[(A, &[0x11_2233_4455]), (B, &[0x66_2233_4477])]);
        let mut exchange = Exchange::with_budget(1 << 20);
        assert!(exchange.compare(&memory, 3, A + 1, B + 1, 3).is_ok());
        let found = exchange.compare(&memory, 3, A + 1, B + 1, 4).unwrap_err();
        assert_eq!((found.root, found.why), (3, Why::Values));
    }

    #[test]
    fn a_pointer_that_lies_askew_is_not_compared_as_bytes() {
        let mut memory = memory(&[(A, &[]), (B, &[])]);
        for object in [A, B] {
            memory.0.get_mut(&object).unwrap()[3..11].copy_from_slice(&A.to_le_bytes());
        }
        assert_eq!(compare(&memory).err(), Some(Why::Unknown));
    }

    #[test]
    fn more_than_the_budget_is_not_looked_at() {
        let memory = memory(&[(A, &[]), (B, &[])]);
        let mut exchange = Exchange::with_budget(LEN - 1);
        let found = exchange.compare(&memory, 0, A, B, LEN).unwrap_err();
        assert_eq!(found.why, Why::Much);
    }
}
