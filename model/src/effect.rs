//! What a function that is not instrumented does to memory, as data.
//!
//! The driver reads it from `models/*.toml` (docs/models.md says how it is written);
//! the runtime evaluates it at each call, with the call's arguments. It knows no
//! function by name.

use crate::AccessKind;
use alloc::{boxed::Box, vec::Vec};
use serde::{Deserialize, Serialize};

/// What one function does.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Model {
    /// Known from the arguments: an event before the call.
    pub before: Vec<Effect>,
    /// Known from the result: an event when the function has returned.
    pub after: Vec<Effect>,
    /// It waits for other threads, which the runtime cannot schedule then.
    pub blocks: bool,
    /// It computes with the bytes that it reads, or lets them out of the process.
    pub looks: bool,
    /// Some of what it does lies outside the program's memory.
    pub outside: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Effect {
    Range(Range),
    /// A format of `printf`'s: the strings that it reads, the counts that it writes.
    Print(Format),
    /// A format of `scanf`'s: what the conversions that succeeded have written.
    Scan(Format),
    /// An object with a lock of its own, such as a `FILE`: calls on it do not race,
    /// but their order matters.
    Object(Expr),
    /// State that the library keeps for all threads together, by number.
    Hidden(u64),
    Acquire(Expr),
    Release(Expr),
}

impl Effect {
    /// Whether what is accessed depends on what memory holds, and not only on the
    /// arguments and the result.
    pub fn varies(&self) -> bool {
        match self {
            Effect::Range(Range { start: Start::At(at), bytes, when, .. }) => {
                at.looks() || bytes.looks() || when.as_ref().is_some_and(Expr::looks)
            }
            Effect::Range(_) | Effect::Print(_) | Effect::Scan(_) => true,
            Effect::Object(at) | Effect::Acquire(at) | Effect::Release(at) => at.looks(),
            Effect::Hidden(_) => false,
        }
    }
}

impl Expr {
    /// Whether its value depends on what memory holds.
    fn looks(&self) -> bool {
        match self {
            Expr::Int(_) | Expr::Arg(_) | Expr::Result => false,
            Expr::Load(..) => true,
            Expr::Binary(_, left, right) => left.looks() || right.looks(),
            Expr::Call(Builtin::Min | Builtin::Max | Builtin::Odd, operands) => {
                operands.iter().any(Expr::looks)
            }
            Expr::Call(..) => true,
        }
    }
}

/// Memory that is read or written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Range {
    pub kind: AccessKind,
    pub start: Start,
    /// Nothing happens if this is not above 0.
    pub bytes: Expr,
    /// Nothing happens if this is 0.
    pub when: Option<Expr>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Start {
    At(Expr),
    /// The pieces of a `struct iovec` array, in its order.
    Vector {
        array: Expr,
        count: Expr,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Format {
    pub text: Expr,
    /// Of `wchar_t`.
    pub wide: bool,
    /// The `va_list` with the arguments; none if they are the call's own.
    pub list: Option<Expr>,
}

/// A number: all arithmetic is on 64 bits, with a sign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Expr {
    Int(i64),
    /// An argument of the call, from 0.
    Arg(u8),
    /// What the call has returned.
    Result,
    /// A number of that many bytes in the program's memory.
    Load(u8, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Call(Builtin, Vec<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Eq,
    Ne,
    Lt,
}

/// Functions of the expressions; docs/models.md has the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Builtin {
    Min,
    Max,
    Odd,
    Strlen,
    Strnlen,
    Wcslen,
    Wcsnlen,
    Searched,
    Wsearched,
    Compared,
    ComparedCase,
    Wcompared,
    WcomparedCase,
    Found,
    Number,
    Wnumber,
    Tree,
}

impl Builtin {
    /// Its name and how many operands it takes.
    pub const ALL: [(&'static str, usize, Builtin); 17] = [
        ("min", 2, Builtin::Min),
        ("max", 2, Builtin::Max),
        ("odd", 1, Builtin::Odd),
        ("strlen", 1, Builtin::Strlen),
        ("strnlen", 2, Builtin::Strnlen),
        ("wcslen", 1, Builtin::Wcslen),
        ("wcsnlen", 2, Builtin::Wcsnlen),
        ("searched", 3, Builtin::Searched),
        ("wsearched", 3, Builtin::Wsearched),
        ("compared", 3, Builtin::Compared),
        ("compared_case", 3, Builtin::ComparedCase),
        ("wcompared", 3, Builtin::Wcompared),
        ("wcompared_case", 3, Builtin::WcomparedCase),
        ("found", 2, Builtin::Found),
        ("number", 1, Builtin::Number),
        ("wnumber", 1, Builtin::Wnumber),
        ("tree", 1, Builtin::Tree),
    ];
}

impl Expr {
    /// Whether it can be computed only when the call has returned.
    pub fn needs_result(&self) -> bool {
        match self {
            Expr::Result => true,
            Expr::Int(_) | Expr::Arg(_) => false,
            Expr::Load(_, at) => at.needs_result(),
            Expr::Binary(_, a, b) => a.needs_result() || b.needs_result(),
            Expr::Call(_, operands) => operands.iter().any(Expr::needs_result),
        }
    }
}

impl Effect {
    pub fn needs_result(&self) -> bool {
        match self {
            Effect::Range(range) => {
                let start = match &range.start {
                    Start::At(at) => at.needs_result(),
                    Start::Vector { array, count } => array.needs_result() || count.needs_result(),
                };
                start
                    || range.bytes.needs_result()
                    || range.when.as_ref().is_some_and(Expr::needs_result)
            }
            Effect::Scan(_) => true,
            Effect::Print(_) | Effect::Object(_) | Effect::Hidden(_) => false,
            Effect::Acquire(at) | Effect::Release(at) => at.needs_result(),
        }
    }
}
