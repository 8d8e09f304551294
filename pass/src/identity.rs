//! Where a program looks at an address as a number.
//!
//! Two threads that do the same do it to different objects, at different addresses. As long
//! as addresses only lead to objects, and are equal or not, nothing depends on which they
//! are. It may where one is turned into a number, or where the order of two is asked for:
//! then the runtime is told which addresses these were, and the objects there are taken for
//! known by their addresses.
//!
//! What is harmless: the difference of two pointers, which must be into one object; a
//! comparison for equality; the lowest four bits, which are the same for all objects in the
//! same role; turning the number back into a pointer at once. A number that is stored is
//! not followed any further, and counts as looked at. The handles that `pthread_create`
//! stores are numbers from the start: what is computed with one is looked at too.

use crate::{
    escape::root,
    hooks::Emitter,
    ir::{Opcode, Value},
};
use rustc_hash::FxHashSet as HashSet;

/// What is done with addresses at an instruction.
#[derive(Clone, Copy)]
pub enum Look {
    /// One is turned into a number.
    Number,
    /// A handle is computed with.
    Handle,
    /// The order of two is asked for.
    Order,
}

/// All such instructions of a function. (What is asked of an instruction is its operands:
/// those may be replaced before the runtime is told.)
pub fn looks(function: Value) -> Vec<(Value, Look)> {
    let instructions = || function.blocks().into_iter().flat_map(|block| block.instructions());
    let handles: HashSet<Value> = instructions()
        .filter(|at| at.is_call() && at.callee().name() == "pthread_create")
        .filter_map(|call| call.arguments().first().copied())
        .map(root)
        .collect();
    instructions().filter_map(|at| Some((at, look(at, &handles)?))).collect()
}

fn look(at: Value, handles: &HashSet<Value>) -> Option<Look> {
    match at.opcode() {
        Opcode::LLVMPtrToInt if can_move(at.operand(0)) => {
            let harmless = at.users().all(|user| is_harmless(at, user));
            (!harmless).then_some(Look::Number)
        }
        Opcode::LLVMLoad if handles.contains(&root(at.operand(0))) && at.ty().is_int() => {
            let harmless = at.users().all(only_passes_on);
            (!harmless).then_some(Look::Handle)
        }
        Opcode::LLVMICmp if !at.is_equality() => {
            let (a, b) = (pointer(at.operand(0))?, pointer(at.operand(1))?);
            (can_move(a) && can_move(b)).then_some(Look::Order)
        }
        _ => None,
    }
}

/// The pointer that a value is, perhaps as a number.
fn pointer(value: Value) -> Option<Value> {
    if value.ty().is_pointer() {
        return Some(value);
    }
    (is_number(value)).then(|| value.operand(0))
}

fn is_number(value: Value) -> bool {
    value.is_instruction() && value.opcode() == Opcode::LLVMPtrToInt
}

/// Whether the object behind a pointer may be a thread's own.
fn can_move(pointer: Value) -> bool {
    let root = root(pointer);
    pointer.ty().is_pointer() && !root.is_global() && !root.is_constant()
}

fn is_harmless(number: Value, user: Value) -> bool {
    let other = || {
        let place = usize::from(user.operand(0) == number);
        user.operand(place as u32)
    };
    user.is_instruction()
        && match user.opcode() {
            Opcode::LLVMSub => is_number(other()),
            Opcode::LLVMICmp => user.is_equality() || is_number(other()),
            Opcode::LLVMAnd => other().constant_int().is_some_and(|bits| bits < 16),
            Opcode::LLVMIntToPtr => true,
            _ => false,
        }
}

/// Whether a handle is only handed on, or compared.
fn only_passes_on(user: Value) -> bool {
    user.is_instruction()
        && match user.opcode() {
            Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMStore | Opcode::LLVMRet => true,
            Opcode::LLVMICmp => user.is_equality(),
            _ => false,
        }
}

/// Has the runtime told.
pub fn tell(emitter: &Emitter, looks: &[(Value, Look)]) {
    let (unit, builder) = (emitter.unit, &emitter.builder);
    let one = emitter.runtime("__leno_number", unit.void(), &[unit.pointer()]);
    let two = emitter.runtime("__leno_order", unit.void(), &[unit.pointer(), unit.pointer()]);
    for (at, look) in looks {
        builder.before(*at, emitter.function, unit);
        match look {
            Look::Number => {
                builder.call(one, &[at.operand(0)]);
            }
            Look::Handle => {
                let Some(behind) = at.next() else { continue };
                builder.before(behind, emitter.function, unit);
                let handle = builder.resize(*at, unit.int(64));
                builder.call(one, &[builder.int_to_pointer(handle, unit.pointer())]);
            }
            Look::Order => {
                let of = |value: Value| pointer(value).expect("as when it was looked at");
                builder.call(two, &[of(at.operand(0)), of(at.operand(1))]);
            }
        }
    }
}
