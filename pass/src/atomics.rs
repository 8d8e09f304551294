//! Atomic operations, which the runtime performs itself.
//!
//! They come in two forms: LLVM's instructions, and calls of libatomic
//! (`__atomic_load_16` and so on), which the front end emits where the target has
//! no instruction it may rely on. Both become the same calls of the runtime. A
//! value travels as its bits, in 64 of them or, when it has 16 bytes, in memory.

use crate::{
    hooks::Emitter,
    ir::{Layout, Opcode, Ordering, RmwOp, Type, Value},
};
use leno_model::site::SiteKind;

/// One atomic operation.
#[derive(Clone, Debug)]
pub struct Atomic {
    operation: Operation,
    /// In bytes: 1, 2, 4, 8 or 16; 0 of a fence.
    size: u64,
    order: u64,
    form: Form,
    weak: bool,
    volatile: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Load,
    Store,
    Rmw(u64),
    Exchange { failure: u64 },
    Fence,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Instruction,
    /// `__atomic_…_N`: values are arguments and results.
    Sized,
    /// `__atomic_…(size, …)`: values are passed by pointer.
    Generic,
}

const RELAXED: u64 = 0;
const ACQUIRE: u64 = 1;
const RELEASE: u64 = 2;
const ACQ_REL: u64 = 3;
const SEQ_CST: u64 = 4;

/// LLVM's names of the operations, in the order of the runtime's numbers.
const RMW_NAMES: [&str; 19] = [
    "xchg",
    "add",
    "sub",
    "and",
    "nand",
    "or",
    "xor",
    "max",
    "min",
    "umax",
    "umin",
    "fadd",
    "fsub",
    "fmax",
    "fmin",
    "uinc_wrap",
    "udec_wrap",
    "usub_cond",
    "usub_sat",
];

impl Atomic {
    fn mode(&self) -> u64 {
        let (failure, operation) = match self.operation {
            Operation::Exchange { failure } => (failure, 0),
            Operation::Rmw(operation) => (0, operation),
            _ => (0, 0),
        };
        self.size
            | self.order << 8
            | failure << 12
            | operation << 16
            | u64::from(self.weak) << 24
            | u64::from(self.volatile) << 25
    }
}

/// The atomic operation that an instruction is, if the runtime can perform it.
pub fn of(instruction: Value, layout: Layout) -> Option<Atomic> {
    let whole = |operation, size, order| Atomic {
        operation,
        size,
        order,
        form: Form::Instruction,
        weak: false,
        volatile: false,
    };
    let atomic = match instruction.opcode() {
        Opcode::LLVMCall => return library_call(instruction),
        Opcode::LLVMInvoke | Opcode::LLVMCallBr => return None,
        Opcode::LLVMFence => whole(Operation::Fence, 0, order_of(instruction.ordering())),
        Opcode::LLVMLoad => {
            let size = layout.store_size(instruction.ty());
            whole(Operation::Load, size, order_of(instruction.ordering()))
        }
        Opcode::LLVMStore => {
            let size = layout.store_size(instruction.operand(0).ty());
            whole(Operation::Store, size, order_of(instruction.ordering()))
        }
        Opcode::LLVMAtomicRMW => {
            let size = layout.store_size(instruction.operand(1).ty());
            let operation = Operation::Rmw(rmw_number(instruction.rmw_op())?);
            whole(operation, size, order_of(instruction.ordering()))
        }
        Opcode::LLVMAtomicCmpXchg => {
            let size = layout.store_size(instruction.operand(1).ty());
            let (success, failure) = instruction.exchange_orderings();
            let exchange = Operation::Exchange { failure: order_of(failure) };
            Atomic { weak: instruction.is_weak(), ..whole(exchange, size, order_of(success)) }
        }
        _ => return None,
    };
    // Atomicity with regard to a signal handler is none between threads.
    if instruction.is_single_thread() {
        return None;
    }
    if atomic.operation == Operation::Fence {
        return Some(atomic);
    }
    let volatile = instruction.is_volatile();
    has_hook(atomic.size).then_some(Atomic { volatile, ..atomic })
}

fn has_hook(size: u64) -> bool {
    matches!(size, 1 | 2 | 4 | 8 | 16)
}

fn order_of(ordering: Ordering) -> u64 {
    match ordering {
        Ordering::LLVMAtomicOrderingAcquire => ACQUIRE,
        Ordering::LLVMAtomicOrderingRelease => RELEASE,
        Ordering::LLVMAtomicOrderingAcquireRelease => ACQ_REL,
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => SEQ_CST,
        _ => RELAXED,
    }
}

/// The order as libatomic is told it. One that is computed is taken for the
/// strongest, which is what compilers do too.
fn order_of_argument(argument: Value) -> u64 {
    match argument.constant_int() {
        Some(0) => RELAXED,
        Some(1 | 2) => ACQUIRE,
        Some(3) => RELEASE,
        Some(4) => ACQ_REL,
        _ => SEQ_CST,
    }
}

fn rmw_number(operation: RmwOp) -> Option<u64> {
    let number = operation as u64;
    ((number as usize) < RMW_NAMES.len()).then_some(number)
}

/// Recognises a call of libatomic whose size is one the runtime has.
fn library_call(call: Value) -> Option<Atomic> {
    let callee = call.callee();
    if !callee.is_function() || !callee.is_declaration() {
        return None;
    }
    let name = callee.name();
    let name = name.strip_prefix("__atomic_")?;
    let (name, form, size) = match name.rsplit_once('_') {
        Some((stem, digits)) if digits.parse::<u64>().is_ok() => {
            (stem, Form::Sized, digits.parse().ok()?)
        }
        _ => (name, Form::Generic, call.arguments().first()?.constant_int()?),
    };
    // The generic ones have the size before everything else.
    let first = usize::from(form == Form::Generic);
    let arguments = call.arguments();
    let order = |place: usize| arguments.get(place).map(|order| order_of_argument(*order));
    let (operation, order) = match name {
        "load" => (Operation::Load, order(1 + 2 * first)?),
        "store" => (Operation::Store, order(2 + first)?),
        "exchange" => (Operation::Rmw(0), order(2 + 2 * first)?),
        "compare_exchange" => {
            (Operation::Exchange { failure: order(4 + first)? }, order(3 + first)?)
        }
        _ => {
            let name = name.strip_prefix("fetch_").filter(|_| form == Form::Sized)?;
            let number = RMW_NAMES[..7].iter().position(|known| *known == name)?;
            (Operation::Rmw(number as u64), order(2)?)
        }
    };
    has_hook(size).then_some(Atomic { operation, size, order, form, weak: false, volatile: false })
}

/// Puts the call of the runtime in the instruction's place.
pub fn emit(emitter: &mut Emitter, instruction: Value, atomic: &Atomic) {
    let kind = match atomic.operation {
        Operation::Load => SiteKind::AtomicRead,
        Operation::Store => SiteKind::AtomicWrite,
        Operation::Rmw(number) => SiteKind::ReadModifyWrite(RMW_NAMES[number as usize].to_owned()),
        Operation::Exchange { .. } => SiteKind::CompareExchange,
        Operation::Fence => SiteKind::Fence,
    };
    let site = emitter.site(kind, instruction);
    let mut performer = Performer { emitter, site, atomic };
    match atomic.form {
        Form::Instruction => performer.instruction(instruction),
        Form::Sized => performer.sized(instruction),
        Form::Generic => performer.generic(instruction),
    }
    instruction.erase();
}

struct Performer<'e, 't> {
    emitter: &'e mut Emitter<'t>,
    site: Value,
    atomic: &'e Atomic,
}

/// What is put in the place of the three forms.
impl Performer<'_, '_> {
    fn instruction(&mut self, instruction: Value) {
        match self.atomic.operation {
            Operation::Load => {
                let bits = self.load(instruction.operand(0));
                instruction.replace_with(self.value_of(bits, instruction.ty()));
            }
            Operation::Store => {
                let bits = self.bits_of(instruction.operand(0));
                self.store(instruction.operand(1), bits);
            }
            Operation::Rmw(_) => {
                let operand = self.bits_of(instruction.operand(1));
                let old = self.rmw(instruction.operand(0), operand);
                instruction.replace_with(self.value_of(old, instruction.ty()));
            }
            Operation::Exchange { .. } => {
                let value_type = instruction.operand(1).ty();
                let expected = self.bits_of(instruction.operand(1));
                let new = self.bits_of(instruction.operand(2));
                let (old, ok) = self.exchange(instruction.operand(0), expected, new);
                let old = self.value_of(old, value_type);
                let pair = self.emitter.unit.undefined(instruction.ty());
                let pair = self.emitter.builder.insert(pair, old, 0);
                let pair = self.emitter.builder.insert(pair, ok, 1);
                instruction.replace_with(pair);
            }
            Operation::Fence => self.fence(),
        }
    }

    fn sized(&mut self, call: Value) {
        let argument = |index| call.operand(index);
        match self.atomic.operation {
            Operation::Load => {
                let bits = self.load(argument(0));
                call.replace_with(self.value_of(bits, call.ty()));
            }
            Operation::Store => {
                let bits = self.bits_of(argument(1));
                self.store(argument(0), bits);
            }
            Operation::Rmw(_) => {
                let bits = self.bits_of(argument(1));
                let old = self.rmw(argument(0), bits);
                call.replace_with(self.value_of(old, call.ty()));
            }
            Operation::Exchange { .. } => {
                let new = self.bits_of(argument(2));
                self.library_exchange(call, argument(0), argument(1), new);
            }
            Operation::Fence => unreachable!("libatomic's fences are instructions"),
        }
    }

    fn generic(&mut self, call: Value) {
        let argument = |index| call.operand(index);
        let bits = self.bits();
        match self.atomic.operation {
            Operation::Load => {
                let value = self.load(argument(1));
                self.emitter.builder.store(value, argument(2), 1);
            }
            Operation::Store => {
                let value = self.emitter.builder.load_unaligned(bits, argument(2));
                self.store(argument(1), value);
            }
            Operation::Rmw(_) => {
                let value = self.emitter.builder.load_unaligned(bits, argument(2));
                let old = self.rmw(argument(1), value);
                self.emitter.builder.store(old, argument(3), 1);
            }
            Operation::Exchange { .. } => {
                let new = self.emitter.builder.load_unaligned(bits, argument(3));
                self.library_exchange(call, argument(1), argument(2), new);
            }
            Operation::Fence => unreachable!("libatomic's fences are instructions"),
        }
    }

    /// The library's compare-exchange leaves what it found in `expected`. After a
    /// success that is what was there before, so it is written in both cases.
    fn library_exchange(&mut self, call: Value, pointer: Value, expected: Value, new: Value) {
        let bits = self.bits();
        let wanted = self.emitter.builder.load_unaligned(bits, expected);
        let (old, ok) = self.exchange(pointer, wanted, new);
        self.emitter.builder.store(old, expected, 1);
        call.replace_with(self.emitter.builder.resize(ok, call.ty()));
    }
}

/// Values and their bits.
impl Performer<'_, '_> {
    /// The integer type of the operation's size.
    fn bits(&self) -> Type {
        self.emitter.unit.int(self.atomic.size as u32 * 8)
    }

    fn bits_of(&self, value: Value) -> Value {
        let builder = &self.emitter.builder;
        let ty = value.ty();
        if ty.is_int() {
            builder.resize(value, self.bits())
        } else if ty.is_pointer() {
            builder.pointer_to_int(value, self.bits())
        } else {
            builder.bit_cast(value, self.bits())
        }
    }

    fn value_of(&self, bits: Value, ty: Type) -> Value {
        let builder = &self.emitter.builder;
        if ty.is_int() {
            builder.resize(bits, ty)
        } else if ty.is_pointer() {
            builder.int_to_pointer(bits, ty)
        } else {
            builder.bit_cast(bits, ty)
        }
    }

    fn mode(&self) -> Value {
        self.emitter.unit.const_int(32, self.atomic.mode())
    }

    fn is_wide(&self) -> bool {
        self.atomic.size == 16
    }
}

/// The runtime's functions.
impl Performer<'_, '_> {
    fn call(&self, name: &str, result: Type, arguments: &[Value]) -> Value {
        let parameters: Vec<Type> = arguments.iter().map(|argument| argument.ty()).collect();
        let hook = self.emitter.runtime(name, result, &parameters);
        self.emitter.builder.call(hook, arguments)
    }

    fn void(&self) -> Type {
        self.emitter.unit.void()
    }

    fn long(&self) -> Type {
        self.emitter.unit.int(64)
    }

    fn lengthened(&self, bits: Value) -> Value {
        self.emitter.builder.resize(bits, self.long())
    }

    fn shortened(&self, long: Value) -> Value {
        self.emitter.builder.resize(long, self.bits())
    }

    fn load(&mut self, pointer: Value) -> Value {
        if self.is_wide() {
            let (out, _) = self.emitter.wide_memory();
            self.call(
                "__leno_atomic_load_16",
                self.void(),
                &[self.site, pointer, out, self.mode()],
            );
            return self.emitter.builder.load(self.bits(), out);
        }
        let arguments = [self.site, pointer, self.mode()];
        self.shortened(self.call("__leno_atomic_load", self.long(), &arguments))
    }

    fn store(&mut self, pointer: Value, bits: Value) {
        if self.is_wide() {
            let (value, _) = self.emitter.wide_memory();
            self.emitter.builder.store(bits, value, 16);
            let arguments = [self.site, pointer, value, self.mode()];
            self.call("__leno_atomic_store_16", self.void(), &arguments);
            return;
        }
        let arguments = [self.site, pointer, self.lengthened(bits), self.mode()];
        self.call("__leno_atomic_store", self.void(), &arguments);
    }

    fn rmw(&mut self, pointer: Value, operand: Value) -> Value {
        if self.is_wide() {
            let (value, out) = self.emitter.wide_memory();
            self.emitter.builder.store(operand, value, 16);
            let arguments = [self.site, pointer, value, out, self.mode()];
            self.call("__leno_atomic_rmw_16", self.void(), &arguments);
            return self.emitter.builder.load(self.bits(), out);
        }
        let arguments = [self.site, pointer, self.lengthened(operand), self.mode()];
        self.shortened(self.call("__leno_atomic_rmw", self.long(), &arguments))
    }

    /// Gives the old value and whether the new one has been written.
    fn exchange(&mut self, pointer: Value, expected: Value, new: Value) -> (Value, Value) {
        let unit = self.emitter.unit;
        if self.is_wide() {
            let (old, value) = self.emitter.wide_memory();
            self.emitter.builder.store(expected, old, 16);
            self.emitter.builder.store(new, value, 16);
            let arguments = [self.site, pointer, old, value, self.mode()];
            let ok = self.call("__leno_atomic_cas_16", self.long(), &arguments);
            let old = self.emitter.builder.load(self.bits(), old);
            return (old, self.emitter.builder.is_not_zero(unit, ok));
        }
        let (expected, new) = (self.lengthened(expected), self.lengthened(new));
        let arguments = [self.site, pointer, expected, new, self.mode()];
        let result = unit.pair(self.long(), self.long());
        let pair = self.call("__leno_atomic_cas", result, &arguments);
        let old = self.shortened(self.emitter.builder.extract(pair, 0));
        let ok = self.emitter.builder.extract(pair, 1);
        (old, self.emitter.builder.is_not_zero(unit, ok))
    }

    fn fence(&mut self) {
        let order = self.emitter.unit.const_int(32, self.atomic.order);
        self.call("__leno_fence", self.void(), &[self.site, order]);
    }
}
