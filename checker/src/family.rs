//! A family of sets, given one after the other.
//!
//! The sets of readers that can have come and gone before a writer are as many as there
//! are traces with them: exponentially many. A search that is to do with little memory
//! keeps what they are made of and the one that is next.
//!
//! A set is a union of *parts*, and several choices of parts may have the same union. So
//! a set stands for the choice of all parts that it contains, which is the largest, and
//! these choices are gone through in the order of Ganter's NextClosure: the next one is
//! found from the present one alone, in time polynomial in the number of parts.

use alloc::{collections::BTreeSet, vec::Vec};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Family {
    /// What all sets have.
    least: Vec<u32>,
    parts: Vec<Vec<u32>>,
    /// Of each of these a set must have something.
    required: Vec<Vec<u32>>,
    /// Which parts the present set has.
    present: Vec<bool>,
}

impl Family {
    /// The family at its first set, if there is one.
    pub fn new(
        mut least: Vec<u32>,
        mut parts: Vec<Vec<u32>>,
        required: Vec<Vec<u32>>,
    ) -> Option<Self> {
        // What only one part has, and is required, all sets have.
        for wanted in &required {
            let meets = |set: &Vec<u32>| set.iter().any(|event| wanted.contains(event));
            let mut meeting = parts.iter().filter(|part| meets(part));
            match (meets(&least), meeting.next(), meeting.next()) {
                (false, None, _) => return None,
                (false, Some(only), None) => least.extend(only),
                _ => {}
            }
        }
        least.sort_unstable();
        least.dedup();
        parts.sort_unstable();
        parts.dedup();
        parts.retain(|part| !part.iter().all(|event| least.contains(event)));
        let present = alloc::vec![false; parts.len()];
        let mut family = Self { least, parts, required, present };
        (family.is_allowed() || family.advance()).then_some(family)
    }

    /// The present set, in order.
    pub fn set(&self) -> Vec<u32> {
        let mut set = self.least.clone();
        set.extend(self.chosen(&self.present).flatten());
        set.sort_unstable();
        set.dedup();
        set
    }

    /// Everything that is in some set, in order.
    pub fn all(&self) -> Vec<u32> {
        let mut all = self.least.clone();
        all.extend(self.parts.iter().flatten());
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Goes on to the next set; false if there is none.
    pub fn advance(&mut self) -> bool {
        loop {
            let Some(next) = (0..self.parts.len()).rev().find_map(|part| self.with(part)) else {
                return false;
            };
            self.present = next;
            if self.is_allowed() {
                return true;
            }
        }
    }

    /// The choice of this part, all before it that are present and what they contain, if
    /// that is nothing before it that is not present.
    fn with(&self, part: usize) -> Option<Vec<bool>> {
        if self.present[part] {
            return None;
        }
        let mut choice = self.present.clone();
        choice[part..].fill(false);
        choice[part] = true;
        let mut union: BTreeSet<u32> = self.least.iter().copied().collect();
        union.extend(self.chosen(&choice).flatten());
        let contained = self.parts.iter().map(|part| part.iter().all(|e| union.contains(e)));
        let closed: Vec<bool> = contained.collect();
        (closed[..part] == self.present[..part]).then_some(closed)
    }

    fn chosen<'a>(&'a self, choice: &'a [bool]) -> impl Iterator<Item = &'a Vec<u32>> {
        self.parts.iter().zip(choice).filter(|(_, chosen)| **chosen).map(|(part, _)| part)
    }

    fn is_allowed(&self) -> bool {
        let set = self.set();
        self.required.iter().all(|wanted| wanted.iter().any(|e| set.binary_search(e).is_ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut family: Family) -> Vec<Vec<u32>> {
        let mut sets = alloc::vec![family.set()];
        while family.advance() {
            sets.push(family.set());
        }
        sets
    }

    #[test]
    fn every_union_is_given_once() {
        let parts = [&[1, 2][..], &[2], &[3], &[1, 2, 3], &[5, 1]].map(<[u32]>::to_vec);
        let given = all(Family::new([9].to_vec(), parts.to_vec(), Vec::new()).expect("a set"));
        let mut unions = BTreeSet::new();
        for choice in 0..1 << parts.len() {
            let chosen = parts.iter().enumerate().filter(|(k, _)| choice >> k & 1 == 1);
            let mut set: BTreeSet<u32> = chosen.flat_map(|(_, part)| part.clone()).collect();
            set.insert(9);
            unions.insert(set.into_iter().collect::<Vec<_>>());
        }
        assert_eq!(given.len(), unions.len());
        assert_eq!(given.into_iter().collect::<BTreeSet<_>>(), unions);
    }

    #[test]
    fn what_is_required_is_there() {
        let parts = [&[1][..], &[2], &[1, 3]].map(<[u32]>::to_vec).to_vec();
        let given =
            all(Family::new(Vec::new(), parts.clone(), [[1].to_vec()].to_vec()).expect("a set"));
        assert_eq!(given.len(), 4, "{given:?}");
        assert!(given.iter().all(|set| set.contains(&1)), "{given:?}");
        let only =
            all(Family::new(Vec::new(), parts.clone(), [[3].to_vec()].to_vec()).expect("a set"));
        assert_eq!(only.len(), 2, "{only:?}");
        assert!(Family::new(Vec::new(), parts, [[7].to_vec()].to_vec()).is_none());
    }
}
