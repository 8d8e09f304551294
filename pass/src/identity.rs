//! Where a program looks at an address as a number.
//!
//! Two threads that do the same do it to different objects, at different addresses. As long
//! as addresses only lead to objects, and are equal or not, nothing depends on which they
//! are. It may where one is turned into a number, or where the order of two is asked for:
//! then the runtime is told which addresses these were, and the objects there are taken for
//! known by their addresses.
//!
//! What is harmless: the difference of two pointers into one object, which the runtime is asked
//! about; a comparison for equality; the lowest four bits, which are the same for all objects in
//! the same role; turning the number back into a pointer at once. A number that is stored is
//! not followed any further, and counts as looked at. What else may be an address, such as
//! what is read from memory as a number, and the handles of threads, is told by `numbers`.

use crate::{
    conventions::entry,
    escape::{Private, root},
    frame::point_after,
    hooks::Emitter,
    ir::{Layout, Opcode, Value},
    numbers,
};

/// What is done with addresses at an instruction.
#[derive(Clone, Copy)]
pub enum Look {
    /// One is turned into a number.
    Number,
    /// What comes out may be one.
    Value,
    /// What is read from memory may be one, or a part of one.
    Memory { len: u64 },
    /// A part of memory is copied, perhaps not all of an address that begins or ends there.
    Part,
    /// The order of two is asked for.
    Order,
    /// The distance between two is asked for.
    Distance,
}

/// All such instructions of a function, and arguments. (What is asked of an instruction is its
/// operands: those may be replaced before the runtime is told.)
pub fn looks(function: Value, private: &Private, layout: Layout) -> Vec<(Value, Look)> {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    let pointers = instructions.filter_map(|at| Some((at, look(at)?)));
    pointers.chain(numbers::looks(function, private, layout)).collect()
}

fn look(at: Value) -> Option<Look> {
    match at.opcode() {
        Opcode::LLVMPtrToInt if can_move(at.operand(0)) => {
            let harmless = at.users().all(|user| is_harmless(at, user));
            (!harmless).then_some(Look::Number)
        }
        Opcode::LLVMICmp if !at.is_equality() => {
            let (a, b) = (pointer(at.operand(0))?, pointer(at.operand(1))?);
            (can_move(a) && can_move(b)).then_some(Look::Order)
        }
        Opcode::LLVMSub if is_number(at.operand(0)) && is_number(at.operand(1)) => {
            let (a, b) = (at.operand(0).operand(0), at.operand(1).operand(0));
            let are_apart = root(a) != root(b) && (can_move(a) || can_move(b));
            (are_apart && a.ty().is_pointer() && b.ty().is_pointer()).then_some(Look::Distance)
        }
        // An address without its lowest bits: what is behind it is a number.
        Opcode::LLVMCall if at.callee().name().starts_with("llvm.ptrmask.") => {
            let harmless = at.operand(1).constant_int().is_some_and(|mask| !mask < 16);
            (!harmless && can_move(at.operand(0))).then_some(Look::Number)
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

/// Has the runtime told. Before the atomic operations are replaced, whose results count.
pub fn tell(emitter: &Emitter, looks: &[(Value, Look)]) {
    let (unit, builder, function) = (emitter.unit, &emitter.builder, emitter.function);
    let (place_type, long) = (unit.pointer(), unit.int(64));
    let number = emitter.runtime("__leno_number", unit.void(), &[long]);
    let read = emitter.runtime("__leno_number_in", unit.void(), &[place_type, long]);
    let order = emitter.runtime("__leno_order", unit.void(), &[place_type, place_type]);
    let distance = emitter.runtime("__leno_distance", unit.void(), &[place_type, place_type]);
    let taken = emitter.runtime("__leno_part", unit.void(), &[place_type, long]);
    for (at, look) in looks {
        match look {
            Look::Number => {
                builder.before(*at, function, unit);
                let address = builder.pointer_to_int(at.operand(0), long);
                builder.call(number, &[address]);
            }
            Look::Value => {
                let is_argument = !at.is_instruction();
                let place = if is_argument { entry(function) } else { point_after(*at) };
                let Some(place) = place else { continue };
                builder.at(place, if is_argument { place } else { *at }, function, unit);
                builder.call(number, &[*at]);
            }
            Look::Memory { len } => {
                let Some(place) = point_after(*at) else { continue };
                builder.at(place, *at, function, unit);
                for start in (0..*len).step_by(8) {
                    let part = builder.offset(unit, at.operand(0), start, "");
                    builder.call(read, &[part, unit.const_int(64, (len - start).min(8))]);
                }
            }
            Look::Part => {
                builder.before(*at, function, unit);
                let len = builder.resize(at.operand(2), long);
                builder.call(taken, &[at.operand(1), len]);
            }
            Look::Order | Look::Distance => {
                builder.before(*at, function, unit);
                let of = |value: Value| pointer(value).expect("as when it was looked at");
                let told = if matches!(look, Look::Order) { order } else { distance };
                builder.call(told, &[of(at.operand(0)), of(at.operand(1))]);
            }
        }
    }
}
