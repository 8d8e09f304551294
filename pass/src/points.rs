//! The points at which a frame may be looked at, with what the site table says of them:
//! the residual code there, and which slots of the frame record it needs.
//!
//! A frame stands *before* an instruction, whose hook has been called, or *behind* a
//! call, whose callee is running; the runtime is told when an announced call is over,
//! and then the frame stands behind it with its result in hand. A point for which there
//! is no answer (a live value has no slot, the function is too large for the analysis, or
//! may return to where it called `setjmp`)
//! is comparable with nothing.

use crate::{
    frame::{Contents, is_static_alloca},
    hooks::Plan,
    ir::{Layout, Value},
    liveness::Liveness,
    residual::{Bodies, Code, Residual},
};
use leno_model::site;
use rustc_hash::FxHashMap as HashMap;
use xxhash_rust::xxh3::xxh3_128;

#[derive(Default)]
pub struct Points {
    before: HashMap<Value, site::Residual>,
    behind: HashMap<Value, site::Residual>,
    returned: HashMap<Value, site::Residual>,
}

impl Points {
    /// Of a function that is still as the front end made it.
    pub fn of(
        function: Value,
        plan: &Plan,
        contents: Option<&Contents>,
        bodies: &Bodies,
        layout: Layout,
    ) -> Self {
        let mut points = Self::default();
        // What is needed behind a second return is needed wherever that may come from.
        let Some(contents) = contents.filter(|_| !returns_twice(function)) else { return points };
        let Some(liveness) = Liveness::of(function, plan, layout) else { return points };
        let code = Code::of(function, bodies);
        let slots: HashMap<Value, u32> =
            contents.slots().enumerate().map(|(slot, value)| (value, slot as u32)).collect();
        let written_out = code.is_written_out(plan.len());
        let everything = || contents.slots().collect::<Vec<_>>();

        for (instruction, action) in plan {
            let at = *instruction;
            if action.interrupts() {
                let residual = match written_out {
                    true => code.before(at),
                    false => code.nowhere_else(at, false, everything()),
                };
                let live = liveness.before(at);
                points.before.extend(entry(&residual, &slots, live).map(|found| (at, found)));
            }
            if !action.calls() {
                continue;
            }
            let residual = match written_out {
                true => code.behind(at),
                false => Some(code.nowhere_else(at, true, everything())),
            };
            let Some(residual) = residual else { continue };
            let live = liveness.behind(at);
            let unless_result = |value| value != at && live(value);
            points.behind.extend(entry(&residual, &slots, unless_result).map(|found| (at, found)));
            if action.is_announced() {
                points.returned.extend(entry(&residual, &slots, live).map(|found| (at, found)));
            }
        }
        points
    }

    pub fn before(&self, instruction: Value) -> Option<site::Residual> {
        self.before.get(&instruction).cloned()
    }

    pub fn behind(&self, call: Value) -> Option<site::Residual> {
        self.behind.get(&call).cloned()
    }

    pub fn returned(&self, call: Value) -> Option<site::Residual> {
        self.returned.get(&call).cloned()
    }
}

fn returns_twice(function: Value) -> bool {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    instructions.filter(|at| at.is_call()).any(|call| call.call_has_attribute("returns_twice"))
}

/// What goes into the table. None if something that is needed has no slot.
fn entry(
    residual: &Residual,
    slots: &HashMap<Value, u32>,
    live: impl Fn(Value) -> bool,
) -> Option<site::Residual> {
    let mut needed = Vec::new();
    // Which of the locals are needed is a matter of the function as a whole (somebody may
    // have the address of one), so it belongs to what must be the same.
    let mut text = residual.digest.to_le_bytes().to_vec();
    let places = residual.free.iter().copied().enumerate();
    for (place, value) in places.filter(|(_, value)| live(*value)) {
        match slots.get(&value) {
            Some(slot) => {
                text.extend((place as u64).to_le_bytes());
                needed.push(*slot);
            }
            // A temporary that nothing comes between the write and the read of.
            None if value.is_instruction() && is_static_alloca(value) => {}
            None => return None,
        }
    }
    Some(site::Residual { digest: xxh3_128(&text), local: residual.local, live: needed })
}
