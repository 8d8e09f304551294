//! The synchronisation objects as they were before an event of the path.
//!
//! How an event would have come out elsewhere is found by letting the others happen
//! again (see `reversal`). To begin with the first one each time would make a long
//! execution cost time quadratic in its length. So the state is kept at some places
//! when it is asked for. They are as far apart as a state is large, so that all of them
//! together are no larger than the path, and to copy one takes no longer than to go on
//! from it.

use crate::sync::SyncState;
use alloc::vec::Vec;
use core::cell::RefCell;
use leno_model::Event;

/// At least so many events lie between two places.
const APART: usize = 64;

#[derive(Clone, Default, Debug)]
pub struct Checkpoints {
    /// How many events have happened, and the state then.
    states: RefCell<Vec<(usize, SyncState)>>,
}

impl Checkpoints {
    /// The state behind these events, with which the path begins.
    pub fn behind(&self, events: &[Event]) -> SyncState {
        let mut states = self.states.borrow_mut();
        let next = states.partition_point(|(place, _)| *place <= events.len());
        let is_last = next == states.len();
        let last = next.checked_sub(1).map(|last| &states[last]);
        let (mut place, mut sync) = last.cloned().unwrap_or_default();
        let mut due = place + APART.max(sync.size());
        for event in &events[place..] {
            if place == due && is_last {
                sync.compact();
                states.push((place, sync.clone()));
                due = place + APART.max(sync.size());
            }
            sync.apply(event.thread, &event.op, event.choice);
            place += 1;
        }
        sync
    }

    pub fn truncate(&mut self, events: usize) {
        let states = self.states.get_mut();
        states.truncate(states.partition_point(|(place, _)| *place <= events));
    }
}
