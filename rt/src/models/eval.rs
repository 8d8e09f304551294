//! Evaluates the expressions of models with the arguments of a call.
//!
//! They read the program's memory just as the function that is called is about to, or
//! has. A pointer that leads nowhere gives no number, and the range that it belongs to
//! is left out: the call itself will show what is wrong with it.

use core::ffi::c_char;
use leno_model::effect::{Binary, Builtin, Expr, Range, Start};

/// One call.
pub struct Call<'a> {
    pub args: &'a [u64],
    /// Where the variadic arguments lie.
    pub rest: u64,
    pub result: Option<i64>,
}

/// Nothing of a program's lies in the first page.
fn leads_somewhere(pointer: i64) -> Option<u64> {
    (!(0..4096).contains(&pointer)).then_some(pointer as u64)
}

impl Call<'_> {
    pub fn eval(&self, expr: &Expr) -> Option<i64> {
        Some(match expr {
            Expr::Int(value) => *value,
            Expr::Arg(place) => *self.args.get(usize::from(*place))? as i64,
            Expr::Result => self.result?,
            Expr::Load(size, at) => {
                let at = leads_somewhere(self.eval(at)?)?;
                // SAFETY: the function reads it too.
                unsafe {
                    match size {
                        4 => i64::from((at as *const i32).read_unaligned()),
                        _ => (at as *const i64).read_unaligned(),
                    }
                }
            }
            Expr::Binary(operation, left, right) => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                match operation {
                    Binary::Add => left.wrapping_add(right),
                    Binary::Sub => left.wrapping_sub(right),
                    Binary::Mul => left.checked_mul(right)?,
                    Binary::Eq => i64::from(left == right),
                    Binary::Ne => i64::from(left != right),
                    Binary::Lt => i64::from(left < right),
                }
            }
            Expr::Call(builtin, operands) => self.builtin(*builtin, operands)?,
        })
    }

    fn builtin(&self, builtin: Builtin, operands: &[Expr]) -> Option<i64> {
        let operand = |place: usize| operands.get(place).and_then(|operand| self.eval(operand));
        let pointer = |place: usize| operand(place).and_then(leads_somewhere);
        let limit = |place: usize| operand(place).map(|limit| limit as u64 as usize);
        // SAFETY: the function reads the same bytes, no further than its own limits.
        let count = unsafe {
            match builtin {
                Builtin::Min => return Some(operand(0)?.min(operand(1)?)),
                Builtin::Max => return Some(operand(0)?.max(operand(1)?)),
                Builtin::Odd => return Some(operand(0)? & 1),
                Builtin::Strlen => libc::strlen(pointer(0)? as *const c_char),
                Builtin::Strnlen => libc::strnlen(pointer(0)? as *const c_char, limit(1)?),
                Builtin::Wcslen => libc::wcslen(pointer(0)? as *const i32),
                Builtin::Wcsnlen => {
                    let text = elements(pointer(0)? as *const i32, limit(1)?);
                    text.take_while(|c| *c != 0).count()
                }
                Builtin::Searched => {
                    let (start, limit) = (pointer(0)?, limit(2)?);
                    let found = libc::memchr(start as *const _, operand(1)? as i32, limit) as u64;
                    if found == 0 { limit } else { (found - start + 1) as usize }
                }
                Builtin::Wsearched => {
                    let (wanted, limit) = (operand(1)? as i32, limit(2)?);
                    let other = |c: &i32| *c != wanted;
                    let before = elements(pointer(0)? as *const i32, limit).take_while(other);
                    (before.count() + 1).min(limit)
                }
                Builtin::Compared => compared(pointer(0)?, pointer(1)?, limit(2)?, |c: u8| c),
                Builtin::ComparedCase => {
                    compared(pointer(0)?, pointer(1)?, limit(2)?, |c: u8| c.to_ascii_lowercase())
                }
                Builtin::Wcompared => compared(pointer(0)?, pointer(1)?, limit(2)?, |c: i32| c),
                Builtin::WcomparedCase => {
                    compared(pointer(0)?, pointer(1)?, limit(2)?, |c: i32| {
                        u8::try_from(c).map_or(c, |c| i32::from(c.to_ascii_lowercase()))
                    })
                }
                Builtin::Found => {
                    let (text, wanted) =
                        (pointer(0)? as *const c_char, pointer(1)? as *const c_char);
                    let found = libc::strstr(text, wanted);
                    match found.is_null() {
                        true => libc::strlen(text) + 1,
                        false => found.offset_from(text) as usize + libc::strlen(wanted),
                    }
                }
                Builtin::Number => number(elements(pointer(0)? as *const u8, usize::MAX)),
                Builtin::Wnumber => {
                    let text = elements(pointer(0)? as *const i32, usize::MAX);
                    number(text.map(|c| u8::try_from(c).unwrap_or(0)))
                }
                Builtin::Tree => return head_of_tree(pointer(0)?),
            }
        };
        i64::try_from(count).ok()
    }

    /// Calls `add` with the memory that a range stands for.
    pub fn range(&self, range: &Range, mut add: impl FnMut(u64, u64)) {
        if range.when.as_ref().is_some_and(|when| self.eval(when).unwrap_or(0) == 0) {
            return;
        }
        match &range.start {
            Start::At(start) => {
                if let Some((start, bytes)) = self.eval(start).zip(self.eval(&range.bytes))
                    && bytes > 0
                    && leads_somewhere(start).is_some()
                {
                    add(start as u64, bytes as u64);
                }
            }
            Start::Vector { array, count } => {
                let array = self.eval(array).and_then(leads_somewhere);
                let Some((array, count)) = array.zip(self.eval(count)) else { return };
                let mut left = self.eval(&range.bytes).unwrap_or(0).max(0) as u64;
                for place in 0..count.max(0) as usize {
                    // SAFETY: the function reads the same array.
                    let piece = unsafe { *(array as *const libc::iovec).add(place) };
                    let len = left.min(piece.iov_len as u64);
                    add(piece.iov_base as u64, len);
                    left -= len;
                }
            }
        }
    }
}

/// The elements of an array, no more than `limit`.
///
/// # Safety
/// Whoever asks for an element knows that it is there.
unsafe fn elements<T: Copy>(start: *const T, limit: usize) -> impl Iterator<Item = T> {
    // SAFETY: as the caller says.
    (0..limit).map(move |place| unsafe { start.add(place).read_unaligned() })
}

/// How many elements of two strings are looked at until they differ or end.
///
/// # Safety
/// Both end with a zero or have `limit` elements.
unsafe fn compared<T: Copy + PartialEq + Default>(
    left: u64,
    right: u64,
    limit: usize,
    same: impl Fn(T) -> T,
) -> usize {
    // SAFETY: as the caller says.
    let (left, right) =
        unsafe { (elements(left as *const T, limit), elements(right as *const T, limit)) };
    let mut count = 0;
    for (left, right) in left.zip(right) {
        count += 1;
        if same(left) != same(right) || left == T::default() {
            break;
        }
    }
    count
}

/// The head of the tree (of `std::map` and its like, as libstdc++ has them) that a node
/// belongs to. A node is a color, which is 0 for red, and three pointers, of which the
/// first leads to the parent. The parent of the root is the head and the other way round,
/// and the head is red.
///
/// # Safety
/// The function goes through the same tree.
unsafe fn head_of_tree(node: u64) -> Option<i64> {
    const DEEPEST: usize = 128;
    // SAFETY: as the caller says.
    let parent = |node: u64| unsafe { *((node + 8) as *const u64) };
    let is_red = |node: u64| unsafe { *(node as *const u32) } == 0;
    let mut node = node;
    for _ in 0..DEEPEST {
        let above = leads_somewhere(parent(node) as i64)?;
        if parent(above) == node {
            return Some(if is_red(node) { node } else { above } as i64);
        }
        node = above;
    }
    None
}

/// How many characters a conversion to a number looks at: blanks, then all that can be
/// part of a number, then one that cannot.
fn number(text: impl Iterator<Item = u8>) -> usize {
    let mut count = 0;
    let mut begun = false;
    for c in text {
        count += 1;
        let blank = matches!(c, b' ' | b'\t'..=b'\r');
        let part = c.is_ascii_alphanumeric() || matches!(c, b'+' | b'-' | b'.');
        begun |= !blank;
        if begun && !part {
            break;
        }
    }
    count
}
