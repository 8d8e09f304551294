//! Naive enumeration: every enabled thread in every state, with every choice.
//!
//! The baseline that the reductions are compared with. It has to know who was
//! enabled in each state, which an execution does not say. But it says what each
//! thread stood at, namely its next event or what is pending at the end; so the
//! synchronisation state is replayed beside the events.

use crate::{
    Finding, Plan, PlannedStep, Search, ThreadSet,
    awaits::ends_wait,
    fingerprint,
    search::{Log, divergence},
    sync::{SyncState, exit_is_due},
};
use alloc::vec::Vec;
use leno_model::{Execution, Op, Step, ThreadId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Node {
    step: Step,
    choices: u32,
    fingerprint: u64,
    /// Enabled, and not yet taken here.
    left: ThreadSet,
}

#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Naive {
    log: Log,
    nodes: Vec<Node>,
    started: bool,
    diverged: bool,
}

impl Naive {
    pub fn new() -> Self {
        Self::default()
    }

    fn plan(&mut self, fingerprint: u64) -> Plan {
        self.log.truncate(self.nodes.len() - 1);
        let last = self.nodes.last_mut().expect("a plan branches off somewhere");
        last.fingerprint = fingerprint;
        let step = |node: &Node| PlannedStep { step: node.step, fingerprint: node.fingerprint };
        Plan { steps: self.nodes.iter().map(step).collect(), ..Plan::default() }
    }
}

impl Search for Naive {
    fn next(&mut self) -> Option<Plan> {
        if !core::mem::replace(&mut self.started, true) {
            return Some(Plan::default());
        }
        if self.diverged {
            return None;
        }
        while let Some(node) = self.nodes.last_mut() {
            if node.step.choice + 1 < node.choices {
                node.step.choice += 1;
                let fingerprint = node.fingerprint;
                return Some(self.plan(fingerprint));
            }
            let next = node.left.iter().next();
            if let Some(thread) = next {
                node.left.remove(thread);
                node.step = Step { thread, choice: 0 };
                return Some(self.plan(0));
            }
            self.nodes.pop();
        }
        None
    }

    fn absorb(&mut self, run: &Execution<'_>) -> Vec<Finding> {
        if let Some(at) = divergence(run, self.nodes.len()) {
            self.diverged = true;
            return alloc::vec![Finding::Diverged { at }];
        }
        let known = self.nodes.len();
        while self.log.trace.len() < run.events.len() {
            self.log.push(run);
        }
        let mut sync = SyncState::default();
        for (place, event) in run.events.iter().enumerate() {
            let step = Step { thread: event.thread, choice: event.choice };
            let fingerprint = fingerprint(event, run.accesses_of(event));
            let choices = event.choices;
            if place >= known {
                let mut left = self.enabled(run, &sync, place as u32);
                left.remove(event.thread);
                self.nodes.push(Node { step, choices, fingerprint, left });
            } else if place + 1 == known {
                let node = &mut self.nodes[place];
                (node.choices, node.fingerprint) = (choices, fingerprint);
            }
            sync.apply(event.thread, &event.op, event.choice);
        }
        self.log.finish(run)
    }

    fn log(&self) -> &Log {
        &self.log
    }
}

impl Naive {
    /// Who can go on in the state before the event `at`.
    fn enabled(&self, run: &Execution<'_>, sync: &SyncState, at: u32) -> ThreadSet {
        let trace = &self.log.trace;
        let mut ready: Vec<(ThreadId, Op)> = Vec::new();
        let mut refuted = false;
        for thread in trace.threads() {
            let created = trace.creation(thread).is_some_and(|creation| creation < at);
            if thread != ThreadId::MAIN && !created {
                continue;
            }
            let events = trace.events_of(thread);
            let past = events.partition_point(|e| *e < at);
            let next = match events.get(past) {
                Some(next) => Some((trace.event(*next).op, 0)),
                None => {
                    run.pending.iter().find(|p| p.thread == thread).map(|p| (p.op, p.iteration))
                }
            };
            match next {
                Some((op, iteration)) => {
                    let iteration = &events[past - iteration as usize..past];
                    if sync.enabled(thread, &op) && !self.idles(iteration, at) {
                        ready.push((thread, op));
                    }
                }
                None => {
                    let failed = run.failures.iter().any(|failure| failure.thread == thread);
                    refuted |= !failed && !sync.has_ended(thread);
                }
            }
        }
        let exit = !refuted && exit_is_due(ready.iter().map(|(_, op)| op));
        let enabled = ready.iter().filter(|(_, op)| exit || *op != Op::Exit);
        enabled.map(|(thread, _)| *thread).collect()
    }

    /// Whether nothing of what the iteration read had been changed before `at`.
    fn idles(&self, iteration: &[u32], at: u32) -> bool {
        let trace = &self.log.trace;
        let changes = |read: u32, change: u32| {
            let (event, accesses) = (trace.event(change), trace.accesses(change));
            ends_wait(trace.event(read), trace.accesses(read), event, accesses)
        };
        !iteration.is_empty()
            && !iteration.iter().any(|read| (read + 1..at).any(|change| changes(*read, change)))
    }
}
