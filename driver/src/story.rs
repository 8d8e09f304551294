//! What a trace has to tell, in words: each step with its place, and the bug. It is
//! kept with the trace, so that a report needs neither the program nor its sources as
//! they were.

use crate::{
    explain::{Explanation, explain},
    human,
    image::{Frame, Images, Threads},
    words,
};
use leno_model::{
    ThreadId,
    wire::{Bug, Trace},
};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Story {
    pub bug: Explanation,
    pub steps: Vec<Told>,
    /// What the threads are called, by their numbers.
    threads: Vec<String>,
}

/// One step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Told {
    pub thread: ThreadId,
    pub place: Option<Frame>,
    pub what: String,
}

impl Story {
    /// Tells what happened in `trace`, in which `bug` showed.
    pub fn of(bug: &Bug, trace: &Trace, images: &Images) -> Self {
        let threads = Threads::of(trace, images);
        let steps = trace.steps.iter().map(|step| Told {
            thread: step.thread,
            place: images.stack(&step.stack).into_iter().next(),
            what: words::step(step, images, &threads),
        });
        let mut explained = explain(bug, images);
        for scene in &mut explained.scenes {
            let related = scene.because.iter_mut().flat_map(|(_, stack)| stack);
            for frame in scene.stack.iter_mut().chain(related) {
                frame.source = human::source_line(frame);
            }
        }
        let numbers = 0..=trace.threads.len() as u32;
        let labels = numbers.map(|number| threads.label(ThreadId(number)));
        Self { bug: explained, steps: steps.collect(), threads: labels.collect() }
    }

    pub fn label(&self, thread: ThreadId) -> &str {
        self.threads.get(thread.index()).map_or("?", String::as_str)
    }
}
