//! Where a program may look at an address as a number without ever having turned a pointer
//! into one.
//!
//! Memory has no types: a pointer that is stored can be read again as a number, by a union,
//! after a `memcpy`, in halves, byte by byte. So every number that the function has not made
//! itself may be an address: what it reads from memory, what it is given, what a call gives
//! back. As long as such a number is only handed on nothing comes of it; where it is computed
//! with, the runtime is asked to look whether it is an address.
//!
//! What hands a whole number on: a store, a return, a call of a function that is instrumented
//! with this one (it looks at its arguments itself) or that takes handles of threads, a
//! comparison for equality, the exchange of an atomic variable; and a local variable of the
//! function, from each store to each load. Other parts of the program may be instrumented
//! too, but that is not known here: handing a number to them counts as computing with it.
//!
//! A part of an address is no address any more, so parts are not handed on: they are looked
//! for where they are read, in the aligned word of memory that they come from. That is asked
//! behind the load. Nobody else has run since. So it is where memory is copied, from the middle
//! of a word or to the middle of one.
//!
//! Not seen: a store to a part of a word that holds an address, also an atomic update of it
//! (what is there behind it is looked at, not what was there before); and parts of an address
//! that lies askew, in a packed structure.

use crate::{
    escape::{Private, root},
    hooks::is_unseen,
    identity::Look,
    ir::{Layout, Opcode, RmwOp, Type, Value},
};
use rustc_hash::FxHashSet as HashSet;

/// All places in a function where it computes with a number that may be an address.
pub fn looks(function: Value, private: &Private, layout: Layout) -> Vec<(Value, Look)> {
    let numbers = Numbers { private, layout };
    let params = function.params().into_iter().filter(|param| is_whole(param.ty()));
    let params = params.filter(|param| numbers.is_computed_with(*param));
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    params
        .map(|param| (param, Look::Value))
        .chain(instructions.filter_map(|at| Some((at, numbers.look(at)?))))
        .collect()
}

struct Numbers<'a> {
    private: &'a Private,
    layout: Layout,
}

/// A number that an address fits into, and nothing else.
fn is_whole(ty: Type) -> bool {
    ty.is_int() && ty.int_width() == 64
}

impl Numbers<'_> {
    fn look(&self, at: Value) -> Option<Look> {
        match at.opcode() {
            Opcode::LLVMLoad if !self.is_free_of_addresses(at.operand(0)) => {
                self.of_memory(at, at.ty())
            }
            Opcode::LLVMAtomicRMW => self.of_memory(at, at.ty()),
            Opcode::LLVMAtomicCmpXchg => {
                let ty = at.operand(1).ty();
                (!is_whole(ty)).then(|| self.of_memory(at, ty))?
            }
            Opcode::LLVMCall if is_copy(at.callee()) => {
                let from = at.operand(1);
                (from.ty().is_pointer() && !self.is_free_of_addresses(from)).then_some(Look::Part)
            }
            Opcode::LLVMCall | Opcode::LLVMInvoke
                if !at.callee().intrinsic() || is_register(at.callee()) =>
            {
                self.of_value(at)
            }
            // Of a call's result, or of what a compare-exchange has found.
            Opcode::LLVMExtractValue => self.of_value(at),
            _ => None,
        }
    }

    fn of_value(&self, at: Value) -> Option<Look> {
        (is_whole(at.ty()) && self.is_computed_with(at)).then_some(Look::Value)
    }

    /// What has been read from the memory that `at` is about.
    fn of_memory(&self, at: Value, ty: Type) -> Option<Look> {
        if ty.is_pointer() || !ty.is_storable() {
            return None;
        }
        if is_whole(ty) {
            return self.of_value(at);
        }
        // Memory that is addressed relative to a segment register is nothing that anybody shares.
        if !at.operand(0).ty().is_pointer() {
            return None;
        }
        let len = self.layout.store_size(ty);
        let is_used = if len < 8 { at.users().next().is_some() } else { self.is_computed_with(at) };
        is_used.then_some(Look::Memory { len })
    }

    /// Whether no address can be in the memory that is read.
    fn is_free_of_addresses(&self, pointer: Value) -> bool {
        let root = root(pointer);
        if root.is_global_variable() {
            let ty = root.value_type();
            return root.is_constant_global() || ty.is_sized() && self.layout.size(ty) < 8;
        }
        // Whole numbers that the function keeps are followed.
        self.private.contains(root) && (is_whole_variable(root) || !self.may_hold(root))
    }

    /// Whether something as large as an address is ever put into a local variable.
    fn may_hold(&self, address: Value) -> bool {
        address.users().any(|user| match user.opcode() {
            Opcode::LLVMLoad => false,
            Opcode::LLVMStore => self.layout.store_size(user.operand(0).ty()) >= 8,
            Opcode::LLVMGetElementPtr => self.may_hold(user),
            Opcode::LLVMCall => {
                let name = user.callee().name();
                let is = |prefix: &str| name.starts_with(prefix);
                let harmless = is("llvm.memset.") || is("llvm.lifetime.") || is("llvm.invariant.");
                let copies = is_copy(user.callee());
                let from_constant =
                    || user.operand(0) != address || root(user.operand(1)).is_constant_global();
                !(harmless || copies && from_constant())
            }
            _ => true,
        })
    }

    fn is_computed_with(&self, number: Value) -> bool {
        self.flows_into_computation(number, &mut HashSet::default())
    }

    fn flows_into_computation(&self, value: Value, seen: &mut HashSet<Value>) -> bool {
        if !seen.insert(value) {
            return false;
        }
        value.users().any(|user| {
            if !user.is_instruction() {
                return true;
            }
            match user.opcode() {
                Opcode::LLVMStore => {
                    let variable = user.operand(1);
                    is_whole(value.ty())
                        && is_whole_variable(variable)
                        && seen.insert(variable)
                        && variable
                            .users()
                            .filter(|load| load.opcode() == Opcode::LLVMLoad)
                            .any(|load| self.flows_into_computation(load, seen))
                }
                Opcode::LLVMPHI
                | Opcode::LLVMSelect
                | Opcode::LLVMFreeze
                | Opcode::LLVMBitCast
                | Opcode::LLVMInsertValue
                | Opcode::LLVMExtractValue => {
                    !user.ty().is_pointer() && self.flows_into_computation(user, seen)
                }
                Opcode::LLVMICmp => !user.is_equality(),
                Opcode::LLVMAtomicRMW => user.rmw_op() != RmwOp::LLVMAtomicRMWBinOpXchg,
                // The lowest bits are the same for all objects in the same role.
                Opcode::LLVMAnd => {
                    let bits = [0, 1].map(|place| user.operand(place).constant_int());
                    !bits.into_iter().flatten().any(|bits| bits < 16)
                }
                Opcode::LLVMSwitch | Opcode::LLVMIntToPtr | Opcode::LLVMAtomicCmpXchg => false,
                // What is not one whole number, nor made of such, is not asked about there.
                Opcode::LLVMRet => !is_whole(value.ty()) && !value.ty().is_struct(),
                Opcode::LLVMCall | Opcode::LLVMInvoke => {
                    !(is_whole(value.ty()) && passes_on(user.callee()))
                }
                _ => true,
            }
        })
    }
}

/// A variable that holds one whole number, and is read and written as that.
fn is_whole_variable(variable: Value) -> bool {
    variable.is_instruction()
        && variable.opcode() == Opcode::LLVMAlloca
        && variable.users().all(|user| {
            user.is_instruction()
                && match user.opcode() {
                    Opcode::LLVMLoad => is_whole(user.ty()),
                    Opcode::LLVMStore => {
                        user.operand(0) != variable && is_whole(user.operand(0).ty())
                    }
                    Opcode::LLVMCall => user.callee().name().starts_with("llvm.lifetime."),
                    _ => false,
                }
        })
}

/// Whether a function looks at its arguments itself, or takes them for handles.
fn passes_on(callee: Value) -> bool {
    let handles = || ["pthread_", "thrd_"].iter().any(|prefix| callee.name().starts_with(prefix));
    callee.is_function() && !callee.intrinsic() && (!is_unseen(callee) || handles())
}

/// Whether a function is the compiler's way to copy memory.
fn is_copy(callee: Value) -> bool {
    let name = callee.name();
    ["llvm.memcpy.", "llvm.memmove."].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a function gives what is in a register, such as the end of the stack.
fn is_register(callee: Value) -> bool {
    let name = callee.name();
    let ways = ["llvm.read_register.", "llvm.read_volatile_register.", "llvm.x86.rd"];
    ways.iter().any(|prefix| name.starts_with(prefix))
}
