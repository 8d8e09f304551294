//! LLVM's instructions in the place of assembly.
//!
//! A cell's content is kept as a number of 64 bits. As in the processor, writing 32 bits
//! clears the rest, writing fewer leaves it. What nobody has put into a register is 0 here,
//! which is one of the things it may be. Flags are made only where they are asked for.

use super::decode::{
    AX, Arithmetic, BX, Base, Bit, CX, Cell, Condition, DX, Fence, Memory, Output, Place, Program,
    Step, Test,
};
use crate::ir::{Binary, Builder, Comparison, Kind, Ordering, RmwOp, Type, Unit, Value};
use rustc_hash::FxHashMap as HashMap;

/// Puts what the program does in the place of the call.
pub fn replace(unit: Unit, function: Value, call: Value, program: &Program) {
    let builder = Builder::new(unit);
    builder.before(call, function, unit);
    let cells = HashMap::default();
    let mut machine = Machine { unit, builder, call, cells, flags: Flags::default() };
    for (cell, argument) in &program.inputs {
        machine.enter(*cell, call.operand(*argument));
    }
    for step in &program.steps {
        machine.step(*step);
    }
    machine.leave(&program.outputs);
    call.erase();
}

/// Has the runtime tell the time where the compiler would read the processor's counter.
pub fn replace_clock(unit: Unit, function: Value, call: Value) {
    let builder = Builder::new(unit);
    builder.before(call, function, unit);
    let now = clock(unit, &builder);
    let ty = call.ty();
    let result = if ty.kind() == Kind::LLVMStructTypeKind {
        builder.insert(unit.null(ty), now, 0)
    } else {
        builder.resize(now, ty)
    };
    call.replace_with(result);
    call.erase();
}

fn clock(unit: Unit, builder: &Builder) -> Value {
    let hook = unit.runtime_function("__leno_time_stamp", unit.int(64), &[]);
    builder.call(hook, &[])
}

const ACQUIRE: Ordering = Ordering::LLVMAtomicOrderingAcquire;
const RELEASE: Ordering = Ordering::LLVMAtomicOrderingRelease;
const SEQ_CST: Ordering = Ordering::LLVMAtomicOrderingSequentiallyConsistent;

struct Machine {
    unit: Unit,
    builder: Builder,
    call: Value,
    cells: HashMap<usize, Value>,
    flags: Flags,
}

/// What the flags can be computed from.
#[derive(Clone, Copy, Default)]
struct Flags {
    zero: Option<Truth>,
    sign: Option<Truth>,
    carry: Option<Truth>,
    overflow: Option<Truth>,
}

#[derive(Clone, Copy)]
enum Truth {
    /// A bit.
    Bit(Value),
    /// Follows from what arithmetic has made of two numbers.
    Of(Arithmetic, Value, Value),
}

impl Machine {
    fn step(&mut self, step: Step) {
        match step {
            Step::Idle => {}
            Step::Move { to, from, width } => {
                let value = self.read(from, width);
                self.write(to, value, width);
            }
            Step::Widen { to, from, width, from_width } => {
                let value = self.read(from, from_width);
                let value = self.builder.resize(value, self.unit.int(width));
                self.write(Place::Cell(to), value, width);
            }
            Step::Update { what, lock, to, by, width, keeps_carry } => {
                let by = self.read(by, width);
                let old = self.update(rmw(what), what.into(), lock, to, by, width);
                let carry = self.flags.carry;
                self.flags = Flags::of(what, old, by);
                if keeps_carry {
                    self.flags.carry = carry;
                }
            }
            Step::Complement { lock, to, width } => {
                let ones = self.constant(width, u64::MAX);
                self.update(RmwOp::LLVMAtomicRMWBinOpXor, Binary::Xor, lock, to, ones, width);
            }
            Step::Shift { left, to, by, width } => {
                let value = self.read(Place::Cell(to), width);
                let by = self.constant(width, u64::from(by));
                let how = if left { Binary::ShiftLeft } else { Binary::ShiftRight };
                let value = self.builder.binary(how, value, by);
                self.write(Place::Cell(to), value, width);
            }
            Step::Exchange { to, with, width } => {
                let new = self.read(Place::Cell(with), width);
                let old = match to {
                    Place::Memory(memory) => {
                        let operation = RmwOp::LLVMAtomicRMWBinOpXchg;
                        let at = self.address(memory);
                        self.builder.atomic_update(operation, at, new, SEQ_CST)
                    }
                    place => {
                        let old = self.read(place, width);
                        self.write(place, new, width);
                        old
                    }
                };
                self.write(Place::Cell(with), old, width);
            }
            Step::ExchangeAdd { lock, to, with, width } => {
                let by = self.read(Place::Cell(with), width);
                let what = Arithmetic::Add;
                let old = self.update(rmw(what), what.into(), lock, to, by, width);
                if to != Place::Cell(with) {
                    self.write(Place::Cell(with), old, width);
                }
                self.flags = Flags::of(what, old, by);
            }
            Step::CompareExchange { lock, to, new, width } => {
                let expected = self.read(Place::Cell(AX), width);
                let new = self.read(Place::Cell(new), width);
                let old = match to {
                    Place::Memory(memory) if lock => {
                        let at = self.address(memory);
                        let pair = self.builder.atomic_compare_exchange(at, expected, new, SEQ_CST);
                        self.builder.extract(pair, 0)
                    }
                    place => {
                        let old = self.read(place, width);
                        let same = self.builder.compare(Comparison::Equal, old, expected);
                        let stored = self.builder.select(same, new, old);
                        self.write(place, stored, width);
                        old
                    }
                };
                // If the two were equal, this leaves the register as it was.
                self.write(Place::Cell(AX), old, width);
                self.flags = Flags::of(Arithmetic::Sub, expected, old);
            }
            Step::CompareExchangePair { to, width } => self.compare_exchange_pair(to, width),
            Step::Bit { what, lock, to, index, width } => self.bit(what, lock, to, index, width),
            Step::Set { to, when } => {
                let value = self.condition(when);
                let value = self.builder.resize(value, self.unit.int(8));
                self.write(to, value, 8);
            }
            Step::Spread { to, width } => {
                let carry = self.carry();
                let value = self.builder.resize_signed(carry, self.unit.int(width));
                self.write(Place::Cell(to), value, width);
                self.flags = Flags { carry: Some(Truth::Bit(carry)), ..Flags::default() };
            }
            Step::Fence(fence) => self.builder.fence(match fence {
                Fence::Acquire => ACQUIRE,
                Fence::Release => RELEASE,
                Fence::Full => SEQ_CST,
            }),
            Step::Clock { processor } => {
                let now = clock(self.unit, &self.builder);
                let by = self.constant(64, 32);
                let high = self.builder.binary(Binary::ShiftRight, now, by);
                let low = self.builder.resize(now, self.unit.int(32));
                let high = self.builder.resize(high, self.unit.int(32));
                self.write(Place::Cell(AX), low, 32);
                self.write(Place::Cell(DX), high, 32);
                if processor {
                    let none = self.constant(32, 0);
                    self.write(Place::Cell(CX), none, 32);
                }
            }
        }
    }

    /// Replaces a number by what an operation makes of it; gives the old one.
    fn update(
        &mut self,
        atomic: RmwOp,
        operation: Binary,
        lock: bool,
        to: Place,
        by: Value,
        width: u32,
    ) -> Value {
        if let Place::Memory(memory) = to
            && lock
        {
            let at = self.address(memory);
            return self.builder.atomic_update(atomic, at, by, SEQ_CST);
        }
        let old = self.read(to, width);
        let new = self.builder.binary(operation, old, by);
        self.write(to, new, width);
        old
    }

    /// Two registers are compared with memory, and two others put there.
    fn compare_exchange_pair(&mut self, to: Memory, width: u32) {
        let half = width / 2;
        let whole = self.unit.int(width);
        let shift = self.builder.resize(self.constant(64, u64::from(half)), whole);
        let join = |machine: &mut Self, low: Cell, high: Cell| {
            let low = machine.read(Place::Cell(low), half);
            let high = machine.read(Place::Cell(high), half);
            let low = machine.builder.resize(low, whole);
            let high = machine.builder.resize(high, whole);
            let high = machine.builder.binary(Binary::ShiftLeft, high, shift);
            machine.builder.binary(Binary::Or, low, high)
        };
        let expected = join(self, AX, DX);
        let new = join(self, BX, CX);
        let at = self.address(to);
        let pair = self.builder.atomic_compare_exchange(at, expected, new, SEQ_CST);
        let old = self.builder.extract(pair, 0);
        self.flags.zero = Some(Truth::Bit(self.builder.extract(pair, 1)));
        let high = self.builder.binary(Binary::ShiftRight, old, shift);
        let (low, high) = (
            self.builder.resize(old, self.unit.int(half)),
            self.builder.resize(high, self.unit.int(half)),
        );
        self.write(Place::Cell(AX), low, half);
        self.write(Place::Cell(DX), high, half);
    }

    /// A bit of memory that a register has the index of may lie anywhere: the index is
    /// not cut to the width, as it is where it is a constant or the bit in a register.
    fn bit(&mut self, what: Bit, lock: bool, to: Place, index: Place, width: u32) {
        let number = self.read(index, width);
        let inside = self.constant(width, u64::from(width) - 1);
        let place = self.builder.binary(Binary::And, number, inside);
        let one = self.constant(width, 1);
        let mask = self.builder.binary(Binary::ShiftLeft, one, place);
        let to = match (to, index) {
            (Place::Memory(memory), Place::Cell(_)) => {
                let words = self.constant(width, u64::from(width.trailing_zeros()));
                let words = self.builder.binary(Binary::ShiftRightSigned, number, words);
                let words = self.builder.resize_signed(words, self.unit.int(64));
                let at = self.address(memory);
                let at = self.builder.element(self.unit.int(width), at, words);
                Target::Address(at)
            }
            (place, _) => Target::Place(place),
        };
        let (atomic, operation, by) = match what {
            Bit::Set => (RmwOp::LLVMAtomicRMWBinOpOr, Binary::Or, mask),
            Bit::Complement => (RmwOp::LLVMAtomicRMWBinOpXor, Binary::Xor, mask),
            Bit::Reset => {
                let ones = self.constant(width, u64::MAX);
                let rest = self.builder.binary(Binary::Xor, mask, ones);
                (RmwOp::LLVMAtomicRMWBinOpAnd, Binary::And, rest)
            }
        };
        let old = match to {
            Target::Address(at) if lock => self.builder.atomic_update(atomic, at, by, SEQ_CST),
            Target::Address(at) => {
                let old = self.builder.atomic_load(self.unit.int(width), at, ACQUIRE);
                let new = self.builder.binary(operation, old, by);
                self.builder.atomic_store(new, at, RELEASE);
                old
            }
            Target::Place(place) => self.update(atomic, operation, lock, place, by, width),
        };
        let found = self.builder.binary(Binary::And, old, mask);
        self.flags.carry = Some(Truth::Bit(self.builder.is_not_zero(self.unit, found)));
    }
}

enum Target {
    Place(Place),
    Address(Value),
}

/// Cells and memory.
impl Machine {
    fn constant(&self, width: u32, value: u64) -> Value {
        let kept = if width >= 64 { value } else { value & ((1 << width) - 1) };
        self.unit.const_int(width, kept)
    }

    fn content(&self, cell: Cell) -> Value {
        self.cells.get(&cell.0).copied().unwrap_or_else(|| self.unit.const_int(64, 0))
    }

    fn read(&mut self, place: Place, width: u32) -> Value {
        let ty = self.unit.int(width);
        match place {
            Place::Immediate(value) => self.constant(width, value as u64),
            Place::Cell(cell) => self.builder.resize(self.content(cell), ty),
            Place::Memory(memory) => {
                let at = self.address(memory);
                if memory.plain {
                    self.builder.load_unaligned(ty, at)
                } else {
                    self.builder.atomic_load(ty, at, ACQUIRE)
                }
            }
        }
    }

    fn write(&mut self, place: Place, value: Value, width: u32) {
        match place {
            Place::Immediate(_) => unreachable!("decoded as a place"),
            Place::Cell(cell) => {
                let long = self.builder.resize(value, self.unit.int(64));
                let whole = if width < 32 {
                    let kept = self.constant(64, u64::MAX << width);
                    let kept = self.builder.binary(Binary::And, self.content(cell), kept);
                    self.builder.binary(Binary::Or, kept, long)
                } else {
                    long
                };
                self.cells.insert(cell.0, whole);
            }
            Place::Memory(memory) => {
                let at = self.address(memory);
                if memory.plain {
                    self.builder.store(value, at, 1);
                } else {
                    self.builder.atomic_store(value, at, RELEASE);
                }
            }
        }
    }

    fn address(&self, memory: Memory) -> Value {
        let base = match memory.base {
            Base::Argument(argument) => self.call.operand(argument),
            Base::Cell(cell) => {
                self.builder.int_to_pointer(self.content(cell), self.unit.pointer())
            }
        };
        if memory.displacement == 0 {
            return base;
        }
        let offset = self.unit.const_int(64, memory.displacement as u64);
        self.builder.element(self.unit.int(8), base, offset)
    }

    /// An argument is put into a cell.
    fn enter(&mut self, cell: Cell, value: Value) {
        let long = self.unit.int(64);
        let ty = value.ty();
        let bits = if ty.is_pointer() {
            self.builder.pointer_to_int(value, long)
        } else if ty.is_int() {
            self.builder.resize(value, long)
        } else {
            let bits = self.builder.bit_cast(value, self.unit.int(float_bits(ty)));
            self.builder.resize(bits, long)
        };
        self.cells.insert(cell.0, bits);
    }

    /// What the call gave is now what the cells hold.
    fn leave(&mut self, outputs: &[Output]) {
        let ty = self.call.ty();
        let structure = ty.kind() == Kind::LLVMStructTypeKind;
        let types = if structure { ty.parts().0 } else { vec![ty] };
        let mut results = Vec::new();
        for (output, ty) in outputs.iter().zip(types) {
            let bits = match output {
                Output::Cell(cell) => self.content(*cell),
                Output::Condition(condition) => self.condition(*condition),
            };
            results.push(if ty.is_int() {
                self.builder.resize(bits, ty)
            } else if ty.is_pointer() {
                self.builder.int_to_pointer(bits, ty)
            } else {
                let bits = self.builder.resize(bits, self.unit.int(float_bits(ty)));
                self.builder.bit_cast(bits, ty)
            });
        }
        if structure {
            let mut whole = self.unit.undefined(ty);
            for (index, result) in results.into_iter().enumerate() {
                whole = self.builder.insert(whole, result, index as u32);
            }
            self.call.replace_with(whole);
        } else if let Some(result) = results.first() {
            self.call.replace_with(*result);
        }
    }
}

fn float_bits(ty: Type) -> u32 {
    if ty.kind() == Kind::LLVMFloatTypeKind { 32 } else { 64 }
}

/// Flags.
impl Machine {
    fn condition(&mut self, condition: Condition) -> Value {
        let value = match condition.test {
            Test::Zero => self.zero(),
            Test::Carry => self.carry(),
            Test::Sign => self.sign(),
            Test::Overflow => self.overflow(),
            Test::BelowOrEqual => {
                let (carry, zero) = (self.carry(), self.zero());
                self.builder.binary(Binary::Or, carry, zero)
            }
            Test::Less => self.less(),
            Test::LessOrEqual => {
                let (less, zero) = (self.less(), self.zero());
                self.builder.binary(Binary::Or, less, zero)
            }
        };
        if condition.negated {
            self.builder.binary(Binary::Xor, value, self.unit.const_int(1, 1))
        } else {
            value
        }
    }

    fn less(&mut self) -> Value {
        let (sign, overflow) = (self.sign(), self.overflow());
        self.builder.binary(Binary::Xor, sign, overflow)
    }

    fn zero(&mut self) -> Value {
        self.truth(self.flags.zero, |machine, what, a, b| {
            let result = machine.builder.binary(what.into(), a, b);
            let zero = machine.unit.null(result.ty());
            machine.builder.compare(Comparison::Equal, result, zero)
        })
    }

    fn sign(&mut self) -> Value {
        self.truth(self.flags.sign, |machine, what, a, b| {
            let result = machine.builder.binary(what.into(), a, b);
            machine.is_negative(result)
        })
    }

    fn carry(&mut self) -> Value {
        self.truth(self.flags.carry, |machine, what, a, b| match what {
            Arithmetic::Add => {
                let sum = machine.builder.binary(Binary::Add, a, b);
                machine.builder.compare(Comparison::Below, sum, a)
            }
            Arithmetic::Sub => machine.builder.compare(Comparison::Below, a, b),
            _ => machine.unit.const_int(1, 0),
        })
    }

    /// Two numbers of one sign (of different signs, if subtracted) have given one of the
    /// other.
    fn overflow(&mut self) -> Value {
        self.truth(self.flags.overflow, |machine, what, a, b| {
            if !matches!(what, Arithmetic::Add | Arithmetic::Sub) {
                return machine.unit.const_int(1, 0);
            }
            let result = machine.builder.binary(what.into(), a, b);
            let first = machine.builder.binary(Binary::Xor, a, result);
            let other = if what == Arithmetic::Add { result } else { a };
            let second = machine.builder.binary(Binary::Xor, b, other);
            let both = machine.builder.binary(Binary::And, first, second);
            machine.is_negative(both)
        })
    }

    fn is_negative(&mut self, value: Value) -> Value {
        let zero = self.unit.null(value.ty());
        self.builder.compare(Comparison::Less, value, zero)
    }

    fn truth(
        &mut self,
        truth: Option<Truth>,
        compute: impl Fn(&mut Self, Arithmetic, Value, Value) -> Value,
    ) -> Value {
        match truth.expect("decoded as known") {
            Truth::Bit(value) => value,
            Truth::Of(what, a, b) => compute(self, what, a, b),
        }
    }
}

impl Flags {
    fn of(what: Arithmetic, a: Value, b: Value) -> Self {
        let truth = Some(Truth::Of(what, a, b));
        Self { zero: truth, sign: truth, carry: truth, overflow: truth }
    }
}

impl From<Arithmetic> for Binary {
    fn from(what: Arithmetic) -> Self {
        match what {
            Arithmetic::Add => Binary::Add,
            Arithmetic::Sub => Binary::Sub,
            Arithmetic::And => Binary::And,
            Arithmetic::Or => Binary::Or,
            Arithmetic::Xor => Binary::Xor,
        }
    }
}

fn rmw(what: Arithmetic) -> RmwOp {
    match what {
        Arithmetic::Add => RmwOp::LLVMAtomicRMWBinOpAdd,
        Arithmetic::Sub => RmwOp::LLVMAtomicRMWBinOpSub,
        Arithmetic::And => RmwOp::LLVMAtomicRMWBinOpAnd,
        Arithmetic::Or => RmwOp::LLVMAtomicRMWBinOpOr,
        Arithmetic::Xor => RmwOp::LLVMAtomicRMWBinOpXor,
    }
}
