//! From the text of inline assembly to what it does.
//!
//! The text is split into instructions, and each into mnemonic and operands, in AT&T
//! syntax. All of them must be known, else nothing is: a text of which only a part is
//! understood does who knows what. Everything that [`super::emit`] relies on is checked
//! here: widths, kinds of operands, flags that are known when they are asked for.

use super::constraints::{Constraints, Operand, Place as Constraint, Role};
use crate::ir::{Kind, Layout, Type, Value};

/// A register, or the unnamed place that the compiler chooses for an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell(pub usize);

/// The general registers; a cell's number is the place here. Operands come behind.
const REGISTERS: [&str; 16] = [
    "ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    "r15",
];
pub const AX: Cell = Cell(0);
pub const BX: Cell = Cell(1);
pub const CX: Cell = Cell(2);
pub const DX: Cell = Cell(3);
const SP: Cell = Cell(7);

/// An address: an argument of the call or what a register holds, and a displacement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    pub base: Base,
    pub displacement: i64,
    /// The compiler may put a register here and copy it: an access of no special kind.
    pub plain: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    Argument(u32),
    Cell(Cell),
}

/// An operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    Cell(Cell),
    Immediate(i64),
    Memory(Memory),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    Add,
    Sub,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bit {
    Set,
    Reset,
    Complement,
}

/// A condition of the flags, and whether it is negated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    pub test: Test,
    pub negated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Test {
    Zero,
    Carry,
    Sign,
    Overflow,
    /// Unsigned `<=`.
    BelowOrEqual,
    /// Signed `<`.
    Less,
    LessOrEqual,
}

/// One instruction. Widths are in bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Nothing that anybody could notice: `nop`, `pause`, prefetches.
    Idle,
    Move {
        to: Place,
        from: Place,
        width: u32,
    },
    /// The source is shorter and made longer by zeros.
    Widen {
        to: Cell,
        from: Place,
        width: u32,
        from_width: u32,
    },
    /// `keeps_carry`: an increment or decrement.
    Update {
        what: Arithmetic,
        lock: bool,
        to: Place,
        by: Place,
        width: u32,
        keeps_carry: bool,
    },
    /// `not`, which leaves the flags alone.
    Complement {
        lock: bool,
        to: Place,
        width: u32,
    },
    Shift {
        left: bool,
        to: Cell,
        by: u32,
        width: u32,
    },
    Exchange {
        to: Place,
        with: Cell,
        width: u32,
    },
    ExchangeAdd {
        lock: bool,
        to: Place,
        with: Cell,
        width: u32,
    },
    CompareExchange {
        lock: bool,
        to: Place,
        new: Cell,
        width: u32,
    },
    /// `lock cmpxchg8b` and `16b`; the width is that of the whole.
    CompareExchangePair {
        to: Memory,
        width: u32,
    },
    Bit {
        what: Bit,
        lock: bool,
        to: Place,
        index: Place,
        width: u32,
    },
    Set {
        to: Place,
        when: Condition,
    },
    /// `sbb` of a register with itself: all ones if there is a carry, else 0.
    Spread {
        to: Cell,
        width: u32,
    },
    Fence(Fence),
    /// `rdtsc`, and with the processor's number `rdtscp`.
    Clock {
        processor: bool,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fence {
    Acquire,
    Release,
    Full,
}

/// What a piece of assembly does.
#[derive(Debug)]
pub struct Program {
    pub steps: Vec<Step>,
    /// Which arguments are in which cells at the start.
    pub inputs: Vec<(Cell, u32)>,
    /// What the call's results are at the end, in their order.
    pub outputs: Vec<Output>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    Cell(Cell),
    Condition(Condition),
}

impl Program {
    /// Nobody can tell that it has run.
    pub fn is_idle(&self) -> bool {
        self.steps.iter().all(|step| *step == Step::Idle) && self.outputs.is_empty()
    }
}

/// What a call of inline assembly does, if all of it is understood.
pub fn decode(call: Value, layout: Layout) -> Option<Program> {
    let callee = call.callee();
    let text = callee.asm_text();
    if text.trim().is_empty() || !callee.is_att_asm() {
        return None;
    }
    let constraints = Constraints::of(&callee.asm_constraints())?;
    let widths = widths(call, &constraints, layout)?;
    let mut decoder = Decoder { operands: &constraints.operands, widths, flags: 0 };
    let steps = decoder.steps(&text)?;
    decoder.program(steps)
}

/// How many bits each operand has; 0 of one in memory that no instruction handles at once.
/// `None` if a value is of a type that is not in general registers.
fn widths(call: Value, constraints: &Constraints, layout: Layout) -> Option<Vec<u32>> {
    let arguments = call.arguments();
    let mut results = results(call).into_iter();
    let operands = constraints.operands.iter();
    operands
        .map(|operand| match operand.argument {
            Some(place) if operand.indirect => {
                let size = layout.store_size(call.element_type(place)?);
                Some(if matches!(size, 1 | 2 | 4 | 8) { size as u32 * 8 } else { 0 })
            }
            Some(place) => width(arguments.get(place as usize)?.ty()),
            None => width(results.next()?),
        })
        .collect()
}

/// The types of the call's results.
fn results(call: Value) -> Vec<Type> {
    let ty = call.ty();
    match ty.kind() {
        Kind::LLVMVoidTypeKind => Vec::new(),
        Kind::LLVMStructTypeKind => ty.parts().0,
        _ => vec![ty],
    }
}

fn width(ty: Type) -> Option<u32> {
    match ty.kind() {
        Kind::LLVMIntegerTypeKind if ty.int_width() <= 64 => {
            Some(ty.int_width().next_power_of_two().max(8))
        }
        Kind::LLVMDoubleTypeKind => Some(64),
        Kind::LLVMFloatTypeKind => Some(32),
        _ => ty.is_pointer().then_some(64),
    }
}

/// Bits for the flags that are known.
const CARRY: u8 = 1;
const ZERO: u8 = 2;
const SIGN: u8 = 4;
const OVERFLOW: u8 = 8;
const ALL: u8 = CARRY | ZERO | SIGN | OVERFLOW;

struct Decoder<'c> {
    operands: &'c [Operand],
    widths: Vec<u32>,
    flags: u8,
}

/// An operand as it is written, with its width where that is known.
#[derive(Clone, Copy)]
struct Written {
    place: Place,
    width: Option<u32>,
}

impl Decoder<'_> {
    fn steps(&mut self, text: &str) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let mut lock = false;
        let mut repeat = false;
        for statement in statements(text)? {
            let mut rest = statement.as_str();
            loop {
                let word = rest.split_ascii_whitespace().next().unwrap_or_default();
                match word {
                    "lock" => lock = true,
                    "rep" | "repe" | "repz" => repeat = true,
                    _ => break,
                }
                rest = rest[word.len()..].trim_start();
            }
            if rest.is_empty() {
                continue;
            }
            let step = self.step(rest, lock)?;
            if repeat && rest != "nop" {
                return None;
            }
            steps.push(step);
            (lock, repeat) = (false, false);
        }
        (!lock && !repeat).then_some(steps)
    }

    /// Adds to the steps what is there before and what is kept behind.
    fn program(&self, steps: Vec<Step>) -> Option<Program> {
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        for (index, operand) in self.operands.iter().enumerate() {
            match operand.role {
                _ if operand.indirect => {}
                Role::Input => inputs.push((self.cell(index)?, operand.argument?)),
                Role::Output => outputs.push(Output::Cell(self.cell(index)?)),
                Role::Condition => {
                    let Constraint::Named(name) = &operand.place else { return None };
                    outputs.push(Output::Condition(self.condition(name.strip_prefix("@cc")?)?));
                }
            }
        }
        Some(Program { steps, inputs, outputs })
    }

    /// Where an operand that is not in memory is.
    fn cell(&self, index: usize) -> Option<Cell> {
        match &self.operands.get(index)?.place {
            Constraint::Any => Some(Cell(REGISTERS.len() + index)),
            Constraint::Named(name) => register(name).map(|(cell, _)| cell),
            // An input in the place of an output in memory is that memory.
            Constraint::Same(output) if self.operands.get(*output)?.indirect => None,
            Constraint::Same(output) => self.cell(*output),
            Constraint::Other => None,
        }
    }

    fn condition(&self, name: &str) -> Option<Condition> {
        let (condition, needs) = condition(name)?;
        (self.flags & needs == needs).then_some(condition)
    }

    fn step(&mut self, text: &str, lock: bool) -> Option<Step> {
        let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mnemonic = mnemonic.to_ascii_lowercase();
        if mnemonic.contains(REFERENCE) {
            return None;
        }
        if mnemonic.starts_with("prefetch") && !lock {
            return Some(Step::Idle);
        }
        let operands = operands(rest);
        let written = operands.iter().map(|text| self.written(text)).collect::<Option<Vec<_>>>()?;
        if lock && is_fence(&mnemonic, &written) {
            self.flags = 0;
            return Some(Step::Fence(Fence::Full));
        }
        // The stack is where the compiler has put things.
        let on_the_stack = |written: &Written| matches!(written.place, Place::Memory(Memory { base, .. }) if base == Base::Cell(SP));
        if written.iter().any(on_the_stack) || written.iter().any(|at| at.place == Place::Cell(SP))
        {
            return None;
        }
        let step = match written.as_slice() {
            [] => self.bare(&mnemonic)?,
            [one] => self.unary(&mnemonic, lock, *one)?,
            [from, to] => self.binary(&mnemonic, lock, *from, *to)?,
            _ => return None,
        };
        (!lock || step.may_be_locked()).then_some(step)
    }

    fn bare(&mut self, mnemonic: &str) -> Option<Step> {
        match mnemonic {
            "nop" | "pause" => Some(Step::Idle),
            "mfence" => Some(Step::Fence(Fence::Full)),
            "lfence" => Some(Step::Fence(Fence::Acquire)),
            "sfence" => Some(Step::Fence(Fence::Release)),
            "rdtsc" => Some(Step::Clock { processor: false }),
            "rdtscp" => Some(Step::Clock { processor: true }),
            _ => None,
        }
    }

    fn unary(&mut self, mnemonic: &str, lock: bool, to: Written) -> Option<Step> {
        if let Some(name) = mnemonic.strip_prefix("set") {
            let when = self.condition(name)?;
            return is_place(to.place).then_some(Step::Set { to: to.place, when });
        }
        if let ("cmpxchg8b" | "cmpxchg16b", Place::Memory(memory)) = (mnemonic, to.place) {
            self.flags |= ZERO;
            let width = if mnemonic == "cmpxchg8b" { 64 } else { 128 };
            let step = Step::CompareExchangePair { to: memory, width };
            return lock.then_some(step);
        }
        let (name, suffix) = base(mnemonic, &["inc", "dec", "not"])?;
        let width = suffix.or(to.width)?;
        if !is_place(to.place) {
            return None;
        }
        if name == "not" {
            return Some(Step::Complement { lock, to: to.place, width });
        }
        let what = if name == "inc" { Arithmetic::Add } else { Arithmetic::Sub };
        self.flags |= ALL & !CARRY;
        let by = Place::Immediate(1);
        Some(Step::Update { what, lock, to: to.place, by, width, keeps_carry: true })
    }

    fn binary(&mut self, mnemonic: &str, lock: bool, from: Written, to: Written) -> Option<Step> {
        if let Some(sizes) = mnemonic.strip_prefix("movz") {
            return widening(sizes, from, to);
        }
        const NAMES: [&str; 16] = [
            "mov", "xchg", "xadd", "cmpxchg", "add", "sub", "and", "or", "xor", "bts", "btr",
            "btc", "sbb", "shl", "sal", "shr",
        ];
        let (name, suffix) = base(mnemonic, &NAMES)?;
        let in_memory = |written: Written| matches!(written.place, Place::Memory(_));
        let cell_width = |written: Written| written.width.filter(|_| !in_memory(written));
        let width = suffix.or(cell_width(to)).or(cell_width(from)).or(to.width).or(from.width)?;
        let both_in_memory = in_memory(from) && in_memory(to);
        let swapped = name == "xchg" && in_memory(from);
        let (from, to) = if swapped { (to, from) } else { (from, to) };
        if !is_place(to.place) || both_in_memory {
            return None;
        }
        let register = match from.place {
            Place::Cell(cell) => Some(cell),
            _ => None,
        };
        let (to, from) = (to.place, from.place);
        match name {
            "mov" => Some(Step::Move { to, from, width }),
            "xchg" => Some(Step::Exchange { to, with: register?, width }),
            "xadd" => {
                self.flags = ALL;
                Some(Step::ExchangeAdd { lock, to, with: register?, width })
            }
            "cmpxchg" => {
                self.flags = ALL;
                Some(Step::CompareExchange { lock, to, new: register?, width })
            }
            "bts" | "btr" | "btc" => {
                self.flags |= CARRY;
                let what = match name {
                    "bts" => Bit::Set,
                    "btr" => Bit::Reset,
                    _ => Bit::Complement,
                };
                let index = from;
                (width >= 16 && !matches!(index, Place::Memory(_))).then_some(Step::Bit {
                    what,
                    lock,
                    to,
                    index,
                    width,
                })
            }
            "sbb" => {
                let Place::Cell(cell) = to else { return None };
                let known = self.flags & CARRY != 0 && from == to;
                self.flags &= CARRY;
                known.then_some(Step::Spread { to: cell, width })
            }
            "shl" | "sal" | "shr" => {
                let (Place::Cell(to), Place::Immediate(by)) = (to, from) else { return None };
                let by = u32::try_from(by).ok().filter(|by| *by < width)?;
                self.flags = 0;
                Some(Step::Shift { left: name != "shr", to, by, width })
            }
            _ => {
                let what = match name {
                    "add" => Arithmetic::Add,
                    "sub" => Arithmetic::Sub,
                    "and" => Arithmetic::And,
                    "or" => Arithmetic::Or,
                    _ => Arithmetic::Xor,
                };
                self.flags = ALL;
                let by = from;
                Some(Step::Update { what, lock, to, by, width, keeps_carry: false })
            }
        }
    }

    /// Reads one operand: `$5`, `%rax`, `(%rax)`, `8(%rax)`, an operand of the call's in
    /// the place of a register or alone.
    fn written(&self, text: &str) -> Option<Written> {
        if let Some(number) = text.strip_prefix('$') {
            return Some(Written { place: Place::Immediate(integer(number)?), width: None });
        }
        if let Some((displacement, base)) = text.split_once('(') {
            let base = base.strip_suffix(')')?.trim();
            let displacement = match displacement.trim() {
                "" => 0,
                number => integer(number)?,
            };
            let Written { place: Place::Cell(cell), width: Some(64) } = self.written(base)? else {
                return None;
            };
            let base = Base::Cell(cell);
            let place = Place::Memory(Memory { base, displacement, plain: false });
            return Some(Written { place, width: None });
        }
        if let Some(name) = text.strip_prefix('%') {
            let (cell, width) = register(name)?;
            return Some(Written { place: Place::Cell(cell), width: Some(width) });
        }
        let reference = text.strip_prefix(REFERENCE)?.strip_suffix(REFERENCE)?;
        let (index, modifier) = reference.split_once(':')?;
        let index: usize = index.parse().ok()?;
        let own = *self.widths.get(index)?;
        let operand = self.operands.get(index)?;
        let in_memory = match operand.place {
            Constraint::Same(output) => Some(self.operands.get(output)?),
            _ => Some(operand),
        }
        .filter(|operand| operand.indirect);
        if let Some(operand) = in_memory {
            let (base, plain) = (Base::Argument(operand.argument?), !operand.only_memory);
            let place = Place::Memory(Memory { base, displacement: 0, plain });
            let width = (own != 0).then_some(own);
            return modifier.is_empty().then_some(Written { place, width });
        }
        let width = match modifier {
            "" => own,
            "b" => 8,
            "w" => 16,
            "k" => 32,
            "q" => 64,
            _ => return None,
        };
        Some(Written { place: Place::Cell(self.cell(index)?), width: Some(width) })
    }
}

impl Step {
    fn may_be_locked(self) -> bool {
        let to = match self {
            Step::Update { to, .. }
            | Step::Complement { to, .. }
            | Step::Exchange { to, .. }
            | Step::ExchangeAdd { to, .. }
            | Step::CompareExchange { to, .. }
            | Step::Bit { to, .. } => to,
            Step::CompareExchangePair { to, .. } => Place::Memory(to),
            _ => return false,
        };
        matches!(to, Place::Memory(_))
    }
}

fn is_place(place: Place) -> bool {
    !matches!(place, Place::Immediate(_))
}

/// `lock; addl $0, (%rsp)` and its like.
fn is_fence(mnemonic: &str, written: &[Written]) -> bool {
    let [from, to] = written else { return false };
    base(mnemonic, &["add", "sub", "or", "xor"]).is_some()
        && from.place == Place::Immediate(0)
        && matches!(to.place, Place::Memory(Memory { base, .. }) if base == Base::Cell(SP))
}

/// A mnemonic without the letter for its width, and that width.
fn base<'n>(mnemonic: &str, names: &[&'n str]) -> Option<(&'n str, Option<u32>)> {
    let find = |text: &str| names.iter().copied().find(|name| *name == text);
    if let Some(name) = find(mnemonic) {
        return Some((name, None));
    }
    let (at, letter) = mnemonic.char_indices().last()?;
    Some((find(&mnemonic[..at])?, Some(letter_width(letter)?)))
}

fn letter_width(letter: char) -> Option<u32> {
    match letter {
        'b' => Some(8),
        'w' => Some(16),
        'l' => Some(32),
        'q' => Some(64),
        _ => None,
    }
}

/// `movzbl` and its like; `sizes` is what stands behind `movz`.
fn widening(sizes: &str, from: Written, to: Written) -> Option<Step> {
    let Place::Cell(cell) = to.place else { return None };
    let mut letters = sizes.chars();
    let first = letters.next()?;
    let (from_width, width) = match (first, letters.next()) {
        ('x', None) => (from.width?, to.width?),
        (first, second) => {
            let second = second.map_or(to.width, letter_width)?;
            (letter_width(first)?, second)
        }
    };
    let sound = letters.next().is_none() && from_width < width && is_place(from.place);
    sound.then_some(Step::Widen { to: cell, from: from.place, width, from_width })
}

fn condition(name: &str) -> Option<(Condition, u8)> {
    use Test::*;
    let (test, needs, negated) = match name {
        "z" | "e" => (Zero, ZERO, false),
        "nz" | "ne" => (Zero, ZERO, true),
        "c" | "b" | "nae" => (Carry, CARRY, false),
        "nc" | "nb" | "ae" => (Carry, CARRY, true),
        "s" => (Sign, SIGN, false),
        "ns" => (Sign, SIGN, true),
        "o" => (Overflow, OVERFLOW, false),
        "no" => (Overflow, OVERFLOW, true),
        "be" | "na" => (BelowOrEqual, CARRY | ZERO, false),
        "a" | "nbe" => (BelowOrEqual, CARRY | ZERO, true),
        "l" | "nge" => (Less, SIGN | OVERFLOW, false),
        "ge" | "nl" => (Less, SIGN | OVERFLOW, true),
        "le" | "ng" => (LessOrEqual, ZERO | SIGN | OVERFLOW, false),
        "g" | "nle" => (LessOrEqual, ZERO | SIGN | OVERFLOW, true),
        _ => return None,
    };
    Some((Condition { test, negated }, needs))
}

/// A register's cell and width by any of its names. The high bytes have none here.
fn register(name: &str) -> Option<(Cell, u32)> {
    let find = |text: &str| REGISTERS.iter().position(|register| *register == text).map(Cell);
    // r8 to r15, with the letter for a part of it.
    if name.starts_with('r') && name[1..].starts_with(|c: char| c.is_ascii_digit()) {
        let digits = name.trim_end_matches(['b', 'w', 'd']);
        let width = match &name[digits.len()..] {
            "" => 64,
            "b" => 8,
            "w" => 16,
            "d" => 32,
            _ => return None,
        };
        return Some((find(digits)?, width));
    }
    if let Some(cell) = name.strip_prefix('r').and_then(find) {
        return Some((cell, 64));
    }
    if let Some(cell) = name.strip_prefix('e').and_then(find) {
        return Some((cell, 32));
    }
    if let Some(cell) = find(name) {
        return Some((cell, 16));
    }
    let stem = name.strip_suffix('l')?;
    find(stem).or_else(|| find(&format!("{stem}x"))).map(|cell| (cell, 8))
}

fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()? as i64,
        // A number that begins with 0 is octal.
        None if digits.len() > 1 && digits.starts_with('0') => return None,
        None => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

/// Stands around a reference to an operand, `index:modifier`, in a statement.
const REFERENCE: char = '\u{1}';

/// The statements of a text in LLVM's form, in which `$` is special.
fn statements(text: &str) -> Option<Vec<String>> {
    let mut plain = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '$' {
            plain.push(character);
            continue;
        }
        match characters.next()? {
            '$' => plain.push('$'),
            '{' => {
                let inside: String = characters.by_ref().take_while(|c| *c != '}').collect();
                let (index, modifier) = inside.split_once(':')?;
                plain.extend([REFERENCE]);
                plain.push_str(&format!("{index}:{modifier}"));
                plain.push(REFERENCE);
            }
            digit if digit.is_ascii_digit() => {
                let mut index = String::from(digit);
                while let Some(digit) = characters.next_if(char::is_ascii_digit) {
                    index.push(digit);
                }
                plain.push(REFERENCE);
                plain.push_str(&format!("{index}:"));
                plain.push(REFERENCE);
            }
            // Alternatives for dialects.
            _ => return None,
        }
    }
    let lines = plain.split('\n').map(|line| line.split('#').next().unwrap_or_default());
    let statements = lines.flat_map(|line| line.split(';')).map(str::trim);
    let statements: Vec<_> = statements.filter(|one| !one.is_empty()).map(str::to_owned).collect();
    // Labels, directives and comments of other kinds are not read.
    let strange = |one: &String| one.contains(':') && !one.contains(REFERENCE);
    let directive = |one: &String| one.starts_with('.') || one.contains("/*");
    (!statements.iter().any(|one| strange(one) || directive(one))).then_some(statements)
}

/// Splits at the commas that are not inside brackets.
fn operands(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}
