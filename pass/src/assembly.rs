//! Inline assembly, taken for what it does.
//!
//! Systems code has its atomic operations in assembly: `lock; xadd`, `xchg`, a `mov`
//! that the compiler must not split. The front end hands it over as a text with
//! constraints, which LLVM does not look into. Here it is read, one instruction after the
//! other ([`decode`]), and replaced by LLVM's own instructions that do the same
//! ([`emit`]), so that everything else in the pass sees ordinary atomics.
//!
//! What an instruction means is what x86-64 says:
//!
//! - One with a `lock` prefix, and `xchg` with memory, is a sequentially consistent
//!   read-modify-write.
//! - A read or write of memory by any other instruction is atomic too: whoever writes
//!   assembly for it wants one access of this size and not what C11 calls a data race. The
//!   processor keeps loads in order and stores in order, so a load acquires and a store
//!   releases. Without `lock`, an addition is a load and a store, and another thread may
//!   come in between.
//! - `mfence` is a sequentially consistent fence, and so is a locked addition of 0 to the
//!   stack; `lfence` and `sfence` are fences that acquire and release.
//! - `rdtsc` is a look at the clock, which is the runtime's to give.
//!
//! Text that is not understood to its last instruction stays as it is. If it has all its
//! memory in operands (`"m"`) and does not say that it touches other memory besides
//! (`"memory"`), which bytes it may read and write is known nevertheless ([`ranges`]);
//! else it is like a function that nobody knows ([`may_touch_anything`]).

mod constraints;
mod decode;
mod emit;

use crate::ir::{Layout, Opcode, Unit, Value};
use constraints::{Constraints, Role};

/// Replaces the assembly that is understood, in all functions, and what the compiler has
/// for reading the clock.
pub fn translate(unit: Unit, layout: Layout) {
    let functions = unit.functions().into_iter();
    for function in functions.filter(|f| !f.is_declaration() && !f.has_attribute("naked")) {
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        for call in instructions.filter(|at| at.opcode() == Opcode::LLVMCall) {
            let callee = call.callee();
            if callee.is_inline_asm() {
                if let Some(program) = decode::decode(call, layout)
                    && !program.is_idle()
                {
                    emit::replace(unit, function, call, &program);
                }
            } else if callee.intrinsic() && reads_the_clock(&callee.name()) {
                emit::replace_clock(unit, function, call);
            }
        }
    }
}

fn reads_the_clock(intrinsic: &str) -> bool {
    matches!(
        intrinsic,
        "llvm.x86.rdtsc" | "llvm.x86.rdtscp" | "llvm.readcyclecounter" | "llvm.readsteadycounter"
    )
}

/// Memory that assembly names in an operand.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Which argument its address is.
    pub argument: u32,
    pub size: u64,
    pub write: bool,
}

/// What assembly that was not translated reads and writes, if its constraints tell.
pub fn ranges(call: Value, layout: Layout) -> Option<Vec<Range>> {
    let constraints = Constraints::of(&call.callee().asm_constraints())?;
    if constraints.clobbers_memory {
        return None;
    }
    let arguments = call.arguments();
    let mut found = Vec::new();
    for operand in &constraints.operands {
        let Some(place) = operand.argument else { continue };
        if operand.indirect {
            let ty = call.element_type(place)?;
            let write = matches!(operand.role, Role::Output);
            found.push(Range { argument: place, size: layout.store_size(ty), write });
        } else if arguments.get(place as usize)?.ty().is_pointer() {
            return None;
        }
    }
    Some(found)
}

/// Whether assembly that was not translated may access memory that nobody knows of. `false`
/// also where it does nothing to memory at all: it has no text, or only waits.
pub fn may_touch_anything(call: Value, layout: Layout) -> bool {
    let callee = call.callee();
    if callee.asm_text().trim().is_empty() {
        return false;
    }
    if decode::decode(call, layout).is_some_and(|program| program.is_idle()) {
        return false;
    }
    let clobbers_memory = Constraints::of(&callee.asm_constraints())
        .is_none_or(|constraints| constraints.clobbers_memory);
    let arguments = call.arguments();
    let address = |argument: &Value| {
        let ty = argument.ty();
        // A number may be an address, as a system call has it.
        ty.is_pointer() || (clobbers_memory && ty.is_int() && ty.int_width() == 64)
    };
    arguments.iter().any(address)
}
