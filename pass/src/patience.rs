//! Loops that only put off a wait.
//!
//! Before it sleeps, libstdc++'s `atomic::wait` (and with it latches, barriers, semaphores)
//! looks sixteen times whether there is still something to wait for. Each look is an event,
//! and a write may come between any two of them; but whoever sleeps looks once more, so
//! what a program can do after one look it can do after sixteen. One is left.

use crate::ir::{Opcode, Unit};

/// `std::__detail::__atomic_spin`, whatever it looks at.
const SPIN: &str = "_ZNSt8__detail13__atomic_spinI";
/// How often it does.
const COUNT: u64 = 16;

pub fn lose(unit: Unit) {
    for function in unit.functions().into_iter().filter(|f| f.name().starts_with(SPIN)) {
        for instruction in function.blocks().into_iter().flat_map(|block| block.instructions()) {
            let is_limit = instruction.opcode() == Opcode::LLVMICmp
                && instruction.operand(1).constant_int() == Some(COUNT);
            if is_limit {
                let width = instruction.operand(1).ty().int_width();
                instruction.set_operand(1, unit.const_int(width, 1));
            }
        }
    }
}
