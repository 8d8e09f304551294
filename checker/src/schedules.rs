//! Schedules that wait to be run, as a tree of their common beginnings.
//!
//! A step is in memory once for all schedules that begin alike, and only as long as
//! one of them waits.

use crate::PlannedStep;
use alloc::{boxed::Box, vec::Vec};
use serde::{Deserialize, Serialize};

/// A step in the schedules that begin with it and all before it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Turn<H> {
    pub planned: PlannedStep,
    /// Kept for a head that comes later.
    pub kept: bool,
    pub head: Option<Box<H>>,
    before: Option<u32>,
    /// How many turns, and ends of schedules, come behind it.
    users: u32,
}

impl<H> Turn<H> {
    pub fn new(planned: PlannedStep, kept: bool, head: Option<H>) -> Self {
        Self { planned, kept, head: head.map(Box::new), before: None, users: 0 }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Schedules<H> {
    turns: Vec<Turn<H>>,
    unused: Vec<u32>,
}

impl<H> Default for Schedules<H> {
    fn default() -> Self {
        Self { turns: Vec::new(), unused: Vec::new() }
    }
}

impl<H> Schedules<H> {
    pub fn turn(&self, turn: u32) -> &Turn<H> {
        &self.turns[turn as usize]
    }

    /// Adds a turn behind another one, or as a first one.
    pub fn add(&mut self, before: Option<u32>, turn: Turn<H>) -> u32 {
        before.into_iter().for_each(|before| self.hold(before));
        let turn = Turn { before, ..turn };
        match self.unused.pop() {
            Some(place) => {
                self.turns[place as usize] = turn;
                place
            }
            None => {
                self.turns.push(turn);
                self.turns.len() as u32 - 1
            }
        }
    }

    /// Keeps the turn, and all before it, until it is let go.
    pub fn hold(&mut self, turn: u32) {
        self.turns[turn as usize].users += 1;
    }

    pub fn let_go(&mut self, turn: u32) {
        let mut next = Some(turn);
        while let Some(turn) = next {
            let at = &mut self.turns[turn as usize];
            at.users -= 1;
            if at.users > 0 {
                break;
            }
            at.head = None;
            next = at.before;
            self.unused.push(turn);
        }
    }

    /// The turns up to and with this one, in their order.
    pub fn up_to(&self, turn: u32, path: &mut Vec<u32>) {
        path.clear();
        path.extend(core::iter::successors(Some(turn), |turn| self.turn(*turn).before));
        path.reverse();
    }
}
