//! Choices inside of an atomic section, made before it.
//!
//! A section is one event, and an event of memory has one outcome. So what the program chooses
//! inside of a section (`leno_choose`, `__VERIFIER_nondet_…`) the search chooses before: for
//! each choice that the section was seen to make there is an event of the thread's own, and
//! then comes the section, which takes the numbers in turn.
//!
//! Whether a section chooses, and among how many alternatives, depends on what it finds. What
//! it has asked for in any execution is known by its site; when it asks for more, the search
//! begins anew. So there may be numbers that it does not ask for, or greater ones than it can
//! use. An execution with a number in vain that is not 0 is dropped, as if the program had
//! assumed otherwise: the one with 0 in its place is the same and stays.
//!
//! **Nothing is lost or added.** A choice touches nothing, so it commutes with all events of
//! other threads, and to choose before the section is to choose in it: all combinations are
//! run, and what others do between the choice and the section cannot depend on it.
//!
//! What is known is kept with what is known of shared memory, because it has to go the same
//! ways: into traces, into a search that is saved, to the next process. Each section has a
//! place outside of memory, with some granules for each of its choices; the granules that are
//! marked are the bits of the number of alternatives. So a section that was seen to choose
//! among 2 and, elsewhere, among 5 is taken to choose among 7.

use crate::{
    execution::{self, finish},
    sharing::{self, GRANULE},
    units,
};
use alloc::vec::Vec;
use leno_model::{End, Outcome, SiteRef, object::OUTSIDE};

/// Behind the addresses of things that are not memory, and the one that `back_off` uses.
const FIRST: u64 = OUTSIDE.end + 0x10000;
/// So many sections have places of their own; where two share one, each is taken for both.
const PLACES: u64 = 1 << 20;
/// Alternatives are numbers of so many bits.
const BITS: u64 = 32;
/// The most choices of one section.
const CHOICES: u64 = 64;

/// What has been chosen for a section.
#[derive(Default)]
pub struct Chosen {
    place: u64,
    /// What was chosen, of how many alternatives.
    numbers: Vec<(u32, u32)>,
    taken: usize,
}

/// How a section that chooses may go on.
pub enum Choice {
    Is(u32),
    /// There is no such alternative; the execution is one of another number as well.
    Dropped,
    /// Too many choices for one section.
    TooMany,
}

fn place(site: SiteRef) -> u64 {
    // The same in each process.
    let name = units::site_id(site);
    let name = name.map_or(site.0, |id| u64::from(id.unit) << 32 | u64::from(id.index));
    let number = name.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
    FIRST + number % PLACES * CHOICES * BITS * GRANULE
}

fn bit(place: u64, choice: usize, bit: u64) -> u64 {
    place + (choice as u64 * BITS + bit) * GRANULE
}

/// Among how many alternatives the section at this site is known to choose, one choice after
/// the other.
fn asked(place: u64) -> Vec<u32> {
    let alternatives = |choice| {
        let marked = (0..BITS).filter(|at| sharing::is_marked(bit(place, choice, *at)));
        marked.fold(0, |number, at| number | 1 << at)
    };
    (0..CHOICES as usize).map(alternatives).take_while(|number| *number > 0).collect()
}

/// Chooses what the section at this site is known to choose.
pub fn choose(site: SiteRef) -> Chosen {
    let place = place(site);
    let mut numbers = Vec::new();
    for alternatives in asked(place) {
        let event = if numbers.is_empty() {
            execution::choose(alternatives, site)
        } else {
            // A loop begins anew with the first.
            execution::choose_further(alternatives, site)
        };
        let Outcome::Chosen(number) = event.outcome else {
            unreachable!("a choice came out as {:?}", event.outcome)
        };
        numbers.push((number, alternatives));
        // Neither loops nor threads are compared by this.
        execution::holds_choices();
    }
    Chosen { place, numbers, taken: 0 }
}

impl Chosen {
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The next choice.
    pub fn take(&mut self, alternatives: u32) -> Choice {
        let at = self.taken;
        if at as u64 == CHOICES {
            return Choice::TooMany;
        }
        self.taken += 1;
        match self.numbers.get(at) {
            Some((_, known)) if *known < alternatives => self.learn(at, alternatives),
            Some((number, _)) if *number < alternatives => Choice::Is(*number),
            Some(_) => Choice::Dropped,
            None => self.learn(at, alternatives),
        }
    }

    fn learn(&self, choice: usize, alternatives: u32) -> ! {
        for at in (0..BITS).filter(|at| alternatives >> at & 1 == 1) {
            sharing::reveal_at(bit(self.place, choice, at));
        }
        finish(End::Bounded)
    }

    /// Whether a number in vain is one for which the execution is dropped.
    pub fn is_in_vain(&self) -> bool {
        self.numbers[self.taken.min(self.numbers.len())..].iter().any(|(number, _)| *number != 0)
    }
}
