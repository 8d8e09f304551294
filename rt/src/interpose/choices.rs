//! What `leno.h` offers to the program.

use crate::{
    accesses::Accesses,
    execution::{call_site, event, refute, running},
};
use leno_model::{Op, Outcome};

/// A number from `0..n`, each of them in some execution.
#[unsafe(no_mangle)]
pub extern "C" fn leno_choose(n: i32) -> i32 {
    if running().is_none() || n < 2 {
        return 0;
    }
    match event(Op::Choose { alternatives: n as u32 }, &Accesses::none(), call_site()).outcome {
        Outcome::Chosen(value) => value as i32,
        other => unreachable!("a choice came out as {other:?}"),
    }
}

/// Executions in which the condition is false are not looked at further.
#[unsafe(no_mangle)]
pub extern "C" fn leno_assume(condition: i32) {
    if running().is_some() && condition == 0 {
        refute();
    }
}
