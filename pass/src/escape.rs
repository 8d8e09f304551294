//! Which memory belongs to one call of a function alone.
//!
//! A local variable whose address is used for nothing but reading and writing it
//! cannot be reached by another thread (nor by another function), so its accesses
//! are no events. The test is the simple one: the address, and what
//! `getelementptr` makes of it, may be the address of a load, a store, an atomic
//! or a memory intrinsic, and the argument of the intrinsics that only describe
//! memory. Anything else lets it escape.

use crate::ir::{Opcode, Value};
use rustc_hash::FxHashSet as HashSet;

/// The object that a pointer points into, as far as `getelementptr` tells.
pub fn root(pointer: Value) -> Value {
    let mut at = pointer;
    while let Some(base) = at.gep_base() {
        at = base;
    }
    at
}

/// A flag of glibc's that shared pointers look at. It says whether there has ever been a
/// second thread; when a program is checked there always is one.
const SINGLE_THREADED: &str = "__libc_single_threaded";

/// Memory that nobody but the running function can reach, and memory that nobody
/// can write.
pub struct Private {
    locals: HashSet<Value>,
}

impl Private {
    /// Looks at the variables (`alloca`s) of one function.
    pub fn among(variables: impl Iterator<Item = Value>) -> Self {
        Self { locals: variables.filter(|variable| !escapes(*variable)).collect() }
    }

    /// No other thread can notice a write through this pointer.
    pub fn for_writing(&self, pointer: Value) -> bool {
        !pointer.ty().is_pointer() || self.locals.contains(&root(pointer))
    }

    /// No other thread can have a say in what a read through this pointer finds.
    pub fn for_reading(&self, pointer: Value) -> bool {
        let root = root(pointer);
        self.for_writing(pointer)
            || root.is_constant_global()
            || (root.is_global_variable() && root.name() == SINGLE_THREADED)
    }

    pub fn contains(&self, variable: Value) -> bool {
        self.locals.contains(&variable)
    }
}

fn escapes(address: Value) -> bool {
    address.users().any(|user| !user.is_instruction() || use_escapes(address, user))
}

fn use_escapes(address: Value, user: Value) -> bool {
    match user.opcode() {
        Opcode::LLVMLoad => false,
        Opcode::LLVMStore => user.operand(0) == address,
        Opcode::LLVMAtomicRMW => user.operand(1) == address,
        Opcode::LLVMAtomicCmpXchg => user.operand(1) == address || user.operand(2) == address,
        Opcode::LLVMGetElementPtr => escapes(user),
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            let callee = user.callee();
            let known = callee.intrinsic() && keeps_addresses_in(&callee.name());
            !known && !only_copied(address, user)
        }
        _ => true,
    }
}

/// Whether a call gets copies of what is at the address, and never the address.
fn only_copied(address: Value, call: Value) -> bool {
    let arguments = call.arguments();
    let mut places = (0..arguments.len()).filter(|place| arguments[*place] == address);
    call.callee() != address && places.all(|place| call.byval_argument(place as u32).is_some())
}

/// Intrinsics that do not make the addresses they are given known to anybody.
pub fn keeps_addresses_in(intrinsic: &str) -> bool {
    [
        "llvm.lifetime.",
        "llvm.memcpy.",
        "llvm.memmove.",
        "llvm.memset.",
        "llvm.invariant.",
        "llvm.va_start",
        "llvm.va_end",
        "llvm.va_copy",
    ]
    .iter()
    .any(|prefix| intrinsic.starts_with(prefix))
}
