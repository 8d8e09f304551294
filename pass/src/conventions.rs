//! Functions with a meaning by their name, as the benchmarks of SV-COMP have them.
//!
//! - A function called `__VERIFIER_atomic_…` runs as one step: it begins and ends with
//!   the calls that programs also make themselves.
//! - `reach_error` must not be called, whatever its body does.
//! - `assume_abort_if_not` aborts what is of no interest: an assumption, not a crash.
//!
//! This comes before everything else of the pass, so that the calls are treated like
//! those of the program.

use crate::ir::{Builder, Opcode, Unit, Value};

pub fn apply(unit: Unit) {
    for function in unit.functions().into_iter().filter(|function| !function.is_declaration()) {
        match function.name().as_str() {
            "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => {}
            name if name.starts_with("__VERIFIER_atomic_") => make_atomic(unit, function),
            "reach_error" => at_entry(unit, function, "__leno_reach_error", &[]),
            "assume_abort_if_not" => {
                let condition = function.params().into_iter().next();
                if let Some(condition) = condition.filter(|c| c.ty().is_int()) {
                    assume(unit, function, condition);
                }
            }
            _ => {}
        }
    }
}

/// The first place of a function behind its variables.
pub fn entry(function: Value) -> Option<Value> {
    let first = function.blocks().into_iter().next()?;
    first.instructions().into_iter().find(|at| at.opcode() != Opcode::LLVMAlloca)
}

fn at_entry(unit: Unit, function: Value, name: &str, arguments: &[Value]) {
    let Some(place) = entry(function) else { return };
    let types: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
    let builder = Builder::new(unit);
    builder.before(place, function, unit);
    builder.call(unit.runtime_function(name, unit.void(), &types), arguments);
}

fn assume(unit: Unit, function: Value, condition: Value) {
    let Some(place) = entry(function) else { return };
    let builder = Builder::new(unit);
    builder.before(place, function, unit);
    let holds = builder.resize(builder.is_not_zero(unit, condition), unit.int(32));
    builder.call(unit.runtime_function("__leno_assume", unit.void(), &[unit.int(32)]), &[holds]);
}

fn make_atomic(unit: Unit, function: Value) {
    at_entry(unit, function, "__VERIFIER_atomic_begin", &[]);
    let builder = Builder::new(unit);
    for end in function.blocks().into_iter().filter_map(|block| block.instructions().pop()) {
        if matches!(end.opcode(), Opcode::LLVMRet | Opcode::LLVMResume) {
            builder.before(end, function, unit);
            let callee = unit.runtime_function("__VERIFIER_atomic_end", unit.void(), &[]);
            builder.call(callee, &[]);
        }
    }
}
