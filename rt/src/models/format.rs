//! The formats of `printf` and `scanf`: which of their arguments point to memory.
//!
//! First all conversions are found, then the arguments are fetched, in their order:
//! where each lies depends on the types of those before it, and a format may number
//! them (`%2$s`).

use super::{Gathered, eval::Call};
use crate::symmetry;
use alloc::vec::Vec;
use leno_model::{
    AccessKind,
    effect::{Builtin, Expr, Format},
};

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// In a register for integers or pointers, or 8 bytes of the stack.
    Word,
    Double,
    LongDouble,
}

/// One conversion that has an argument.
struct Conversion {
    letter: u8,
    /// The length modifiers together: `h` is 1, `hh` 2, `l` 3, `ll` and its like 4, `L` 5.
    length: Length,
    argument: usize,
    /// Of printf a number; of scanf the width.
    limit: Limit,
    /// `m` of scanf's.
    allocates: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    None,
    Char,
    Short,
    Long,
    /// `ll`, `q`, `j`, `z`, `t`: 8 bytes each; `L` is also this for an integer.
    LongLong,
    LongDouble,
}

#[derive(Clone, Copy)]
enum Limit {
    None,
    Fixed(u64),
    /// As the argument with this number says.
    Argument(usize),
}

/// The characters of a format.
fn characters(format: &Format, call: &Call) -> Option<(u64, Vec<u32>)> {
    let start = call.eval(&format.text)? as u64;
    let length = if format.wide { Builtin::Wcslen } else { Builtin::Strlen };
    let count = call.eval(&Expr::Call(length, alloc::vec![format.text.clone()]))? as usize;
    // SAFETY: the function reads the same string.
    let characters = unsafe {
        if format.wide {
            core::slice::from_raw_parts(start as *const u32, count).to_vec()
        } else {
            let bytes = core::slice::from_raw_parts(start as *const u8, count);
            bytes.iter().map(|byte| u32::from(*byte)).collect()
        }
    };
    Some((start, characters))
}

struct Reader<'a> {
    rest: &'a [u32],
    next_argument: usize,
    classes: Vec<Class>,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.rest.first().map_or(0, |c| u8::try_from(*c).unwrap_or(0))
    }

    fn take(&mut self) -> u8 {
        let c = self.peek();
        self.rest = self.rest.get(1..).unwrap_or_default();
        c
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let there = self.peek() == wanted;
        if there {
            self.take();
        }
        there
    }

    fn digits(&mut self) -> Option<u64> {
        let mut value = None;
        while let digit @ b'0'..=b'9' = self.peek() {
            self.take();
            let before: u64 = value.unwrap_or(0);
            value = Some(before.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
        }
        value
    }

    /// `2$`, if it comes next.
    fn position(&mut self) -> Option<usize> {
        let before = self.rest;
        match self.digits() {
            Some(number @ 1..) if self.eat(b'$') => Some(number as usize - 1),
            _ => {
                self.rest = before;
                None
            }
        }
    }

    /// Notes an argument and gives its number.
    fn argument(&mut self, position: Option<usize>, class: Class) -> usize {
        let place = position.unwrap_or(self.next_argument);
        if position.is_none() {
            self.next_argument += 1;
        }
        while self.classes.len() <= place {
            self.classes.push(Class::Word);
        }
        self.classes[place] = class;
        place
    }

    fn length(&mut self) -> Length {
        match self.peek() {
            b'h' => {
                self.take();
                if self.eat(b'h') { Length::Char } else { Length::Short }
            }
            b'l' => {
                self.take();
                if self.eat(b'l') { Length::LongLong } else { Length::Long }
            }
            b'L' => {
                self.take();
                Length::LongDouble
            }
            b'q' | b'j' | b'z' | b'Z' | b't' => {
                self.take();
                Length::LongLong
            }
            _ => Length::None,
        }
    }

    /// Goes behind the next `%`; false if there is none.
    fn percent(&mut self) -> bool {
        let place = self.rest.iter().position(|c| *c == u32::from(b'%'));
        self.rest = place.map_or(&[], |place| &self.rest[place + 1..]);
        place.is_some()
    }
}

/// The arguments behind a `va_list`, in the layout of the x86-64 ABI.
#[derive(Clone, Copy)]
#[repr(C)]
struct List {
    general: u32,
    floating: u32,
    overflow: u64,
    registers: u64,
}

impl List {
    fn of(format: &Format, call: &Call) -> Option<List> {
        match &format.list {
            // SAFETY: the function was given this list.
            Some(list) => Some(unsafe { *(call.eval(list)? as *const List) }),
            None if call.rest == 0 => None,
            // All of them lie on the stack.
            None => Some(List { general: 48, floating: 176, overflow: call.rest, registers: 0 }),
        }
    }

    fn next(&mut self, class: Class) -> u64 {
        let at = match class {
            Class::Word if self.general < 48 => {
                self.general += 8;
                self.registers + u64::from(self.general - 8)
            }
            Class::Double if self.floating < 176 => {
                self.floating += 16;
                self.registers + u64::from(self.floating - 16)
            }
            Class::LongDouble => {
                self.overflow = self.overflow.next_multiple_of(16) + 16;
                self.overflow - 16
            }
            _ => {
                self.overflow += 8;
                self.overflow - 8
            }
        };
        // SAFETY: an argument that the format speaks of and the call has.
        unsafe { (at as *const u64).read_unaligned() }
    }
}

/// The arguments' values; of those that are no words, their first eight bytes.
fn values(classes: &[Class], format: &Format, call: &Call) -> Vec<u64> {
    let Some(mut list) = List::of(format, call) else { return Vec::new() };
    classes.iter().map(|class| list.next(*class)).collect()
}

fn integer_size(length: Length) -> u64 {
    match length {
        Length::Char => 1,
        Length::Short => 2,
        Length::None => 4,
        Length::Long | Length::LongLong | Length::LongDouble => 8,
    }
}

fn element_size(wide: bool) -> u64 {
    if wide { 4 } else { 1 }
}

/// The length of a string with its end, in bytes, no more than `limit` characters.
fn string(start: u64, limit: Option<u64>, wide: bool) -> u64 {
    let call = Call { args: &[start, limit.unwrap_or(u64::MAX >> 1)], rest: 0, result: None };
    let builtin = if wide { Builtin::Wcsnlen } else { Builtin::Strnlen };
    let len = call.eval(&Expr::Call(builtin, alloc::vec![Expr::Arg(0), Expr::Arg(1)]));
    let characters = len.map_or(0, |len| (len as u64 + 1).min(limit.unwrap_or(u64::MAX)));
    characters * element_size(wide)
}

/// What a format of printf's reads, and the counts that it writes.
pub fn print(accesses: &mut Gathered, format: &Format, call: &Call) {
    let Some((start, text)) = characters(format, call) else { return };
    accesses.plain(AccessKind::Read, start, (text.len() as u64 + 1) * element_size(format.wide));
    let mut reader = Reader { rest: &text, next_argument: 0, classes: Vec::new() };
    let mut conversions = Vec::new();
    while reader.percent() {
        let position = reader.position();
        while b"#0-+ 'I".contains(&reader.peek()) {
            reader.take();
        }
        // The width matters only for the arguments that it takes.
        if reader.eat(b'*') {
            let position = reader.position();
            reader.argument(position, Class::Word);
        } else {
            reader.digits();
        }
        let mut limit = Limit::None;
        if reader.eat(b'.') {
            limit = if reader.eat(b'*') {
                let position = reader.position();
                Limit::Argument(reader.argument(position, Class::Word))
            } else {
                Limit::Fixed(reader.digits().unwrap_or(0))
            };
        }
        let length = reader.length();
        let letter = reader.take();
        let class = match letter {
            b'%' | b'm' => continue,
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => match length {
                Length::LongDouble | Length::LongLong => Class::LongDouble,
                _ => Class::Double,
            },
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'c' | b'C' | b's' | b'S' | b'p' | b'n' => {
                Class::Word
            }
            // The program has taught printf something: what comes is not known.
            _ => break,
        };
        let argument = reader.argument(position, class);
        conversions.push(Conversion { letter, length, argument, limit, allocates: false });
    }
    let values = values(&reader.classes, format, call);
    for conversion in conversions {
        let Some(value) = values.get(conversion.argument).copied() else { continue };
        match conversion.letter {
            b's' | b'S' if value >= 4096 => {
                let limit = match conversion.limit {
                    Limit::None => None,
                    Limit::Fixed(limit) => Some(limit),
                    // A negative precision is none.
                    Limit::Argument(place) => {
                        values.get(place).and_then(|limit| u64::try_from(*limit as i32).ok())
                    }
                };
                let wide = conversion.letter == b'S' || conversion.length == Length::Long;
                accesses.plain(AccessKind::Read, value, string(value, limit, wide));
            }
            b'n' => accesses.plain(AccessKind::Write, value, integer_size(conversion.length)),
            // An address or a handle, as a number.
            b'p' | b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => symmetry::looks_at(value),
            _ => {}
        }
    }
}

/// What the conversions of scanf's that succeeded have written: as many as it returned.
pub fn scan(accesses: &mut Gathered, format: &Format, call: &Call) {
    let Some((start, text)) = characters(format, call) else { return };
    accesses.plain(AccessKind::Read, start, (text.len() as u64 + 1) * element_size(format.wide));
    let assigned = call.result.unwrap_or(0);
    let mut reader = Reader { rest: &text, next_argument: 0, classes: Vec::new() };
    let mut conversions = Vec::new();
    while reader.percent() {
        let position = reader.position();
        let mut suppressed = false;
        while b"*'I".contains(&reader.peek()) {
            suppressed |= reader.take() == b'*';
        }
        let limit = reader.digits().map_or(Limit::None, Limit::Fixed);
        let allocates = reader.eat(b'm');
        let length = reader.length();
        let letter = reader.take();
        if letter == b'[' {
            // A bracket that comes first is a member of the set.
            reader.eat(b'^');
            reader.eat(b']');
            while !matches!(reader.take(), b']' | 0) {}
        }
        if letter == b'%' || suppressed {
            continue;
        }
        let argument = reader.argument(position, Class::Word);
        conversions.push(Conversion { letter, length, argument, limit, allocates });
    }
    let values = values(&reader.classes, format, call);
    let mut count = 0;
    for conversion in conversions {
        let Some(value) = values.get(conversion.argument).copied() else { continue };
        if conversion.letter == b'n' {
            if count <= assigned {
                accesses.plain(AccessKind::Write, value, integer_size(conversion.length));
            }
            continue;
        }
        count += 1;
        if count > assigned {
            break;
        }
        let wide = conversion.length == Length::Long || b"SC".contains(&conversion.letter);
        let size = match conversion.letter {
            _ if conversion.allocates => 8,
            b's' | b'S' | b'[' => string(value, None, wide),
            b'c' | b'C' => match conversion.limit {
                Limit::Fixed(width) => width * element_size(wide),
                _ => element_size(wide),
            },
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => match conversion.length {
                Length::LongDouble | Length::LongLong => 16,
                Length::Long => 8,
                _ => 4,
            },
            b'p' => 8,
            _ => integer_size(conversion.length),
        };
        accesses.plain(AccessKind::Write, value, size);
    }
}
