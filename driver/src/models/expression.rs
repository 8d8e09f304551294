//! The small language in which a model says which bytes it means.
//!
//! ```text
//! range    = place "[" number "]" [ "if" number ]
//! place    = number | "iovec(" number "," number ")"
//! number   = sum [ ( "==" | "!=" | "<" ) sum ]
//! sum      = product { ( "+" | "-" ) product }
//! product  = prefix { "*" prefix }
//! prefix   = "*" prefix | "int" prefix | atom
//! atom     = digits | "arg" digits | "ret" | name "(" number { "," number } ")" | "(" number ")"
//! ```

use leno_model::{
    AccessKind,
    effect::{Binary, Builtin, Expr, Format, Range, Start},
};

/// The runtime hears of that many arguments.
const ARGUMENTS: u8 = 6;

pub fn range(kind: AccessKind, text: &str) -> Result<Range, String> {
    let mut parser = Parser::new(text);
    let start = if parser.eat("iovec") {
        parser.expect("(")?;
        let array = parser.number()?;
        parser.expect(",")?;
        let count = parser.number()?;
        parser.expect(")")?;
        Start::Vector { array, count }
    } else {
        Start::At(parser.sum()?)
    };
    parser.expect("[")?;
    let bytes = parser.number()?;
    parser.expect("]")?;
    let when = if parser.eat("if") { Some(parser.number()?) } else { None };
    parser.end()?;
    Ok(Range { kind, start, bytes, when })
}

/// `text` or `text, va_list`.
pub fn format(wide: bool, text: &str) -> Result<Format, String> {
    let mut parser = Parser::new(text);
    let text = parser.number()?;
    let list = if parser.eat(",") { Some(parser.number()?) } else { None };
    parser.end()?;
    Ok(Format { text, wide, list })
}

pub fn whole(text: &str) -> Result<Expr, String> {
    let mut parser = Parser::new(text);
    let expr = parser.number()?;
    parser.end()?;
    Ok(expr)
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, rest: text }
    }

    fn wrong(&self, expected: &str) -> String {
        let found = if self.rest.trim().is_empty() { "the end" } else { self.rest.trim() };
        format!("in “{}”: expected {expected} and found “{found}”", self.text)
    }

    /// Takes a word or a sign, if it comes next.
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start();
        let Some(behind) = rest.strip_prefix(token) else { return false };
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if token.ends_with(word) && behind.starts_with(word) {
            return false;
        }
        self.rest = behind;
        true
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(self.wrong(token)) }
    }

    fn end(&self) -> Result<(), String> {
        if self.rest.trim().is_empty() { Ok(()) } else { Err(self.wrong("the end")) }
    }

    fn number(&mut self) -> Result<Expr, String> {
        let left = self.sum()?;
        for (sign, operation) in [("==", Binary::Eq), ("!=", Binary::Ne), ("<", Binary::Lt)] {
            if self.eat(sign) {
                return Ok(binary(operation, left, self.sum()?));
            }
        }
        Ok(left)
    }

    fn sum(&mut self) -> Result<Expr, String> {
        let mut left = self.product()?;
        loop {
            let operation = if self.eat("+") {
                Binary::Add
            } else if self.eat("-") {
                Binary::Sub
            } else {
                return Ok(left);
            };
            left = binary(operation, left, self.product()?);
        }
    }

    fn product(&mut self) -> Result<Expr, String> {
        let mut left = self.prefix()?;
        while self.eat("*") {
            left = binary(Binary::Mul, left, self.prefix()?);
        }
        Ok(left)
    }

    fn prefix(&mut self) -> Result<Expr, String> {
        if self.eat("*") {
            Ok(Expr::Load(8, Box::new(self.prefix()?)))
        } else if self.eat("int") {
            Ok(Expr::Load(4, Box::new(self.prefix()?)))
        } else {
            self.atom()
        }
    }

    fn atom(&mut self) -> Result<Expr, String> {
        if self.eat("(") {
            let inner = self.number()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        if let Ok(value) = word.parse::<i64>() {
            self.rest = behind;
            return Ok(Expr::Int(value));
        }
        if word == "ret" {
            self.rest = behind;
            return Ok(Expr::Result);
        }
        if let Some(Ok(place)) = word.strip_prefix("arg").map(str::parse::<u8>) {
            if place >= ARGUMENTS {
                return Err(format!("in “{}”: leno sees arg0 to arg5 of a call", self.text));
            }
            self.rest = behind;
            return Ok(Expr::Arg(place));
        }
        let Some((_, count, builtin)) = Builtin::ALL.iter().find(|(name, ..)| *name == word) else {
            return Err(self.wrong("a number, arg0 to arg5, ret or a function"));
        };
        self.rest = behind;
        self.expect("(")?;
        let mut operands = vec![self.number()?];
        while self.eat(",") {
            operands.push(self.number()?);
        }
        self.expect(")")?;
        if operands.len() != *count {
            return Err(format!("in “{}”: {word} takes {count} operands", self.text));
        }
        Ok(Expr::Call(*builtin, operands))
    }
}

fn binary(operation: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operation, Box::new(left), Box::new(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Expr {
        whole(text).unwrap()
    }

    #[test]
    fn expressions_are_read_as_in_c() {
        let (one, two) = (|| Expr::Int(1), || Expr::Int(2));
        let product = binary(Binary::Mul, Expr::Arg(3), two());
        assert_eq!(plain("1 + arg3*2"), binary(Binary::Add, one(), product));
        let minus = binary(Binary::Sub, Expr::Result, Expr::Arg(0));
        assert_eq!(plain("(ret - arg0) == 1"), binary(Binary::Eq, minus, one()));
        let load = Expr::Load(8, Box::new(binary(Binary::Add, Expr::Arg(0), Expr::Int(8))));
        assert_eq!(plain("*(arg0 + 8) * 2"), binary(Binary::Mul, load, two()));
        let min =
            Expr::Call(Builtin::Min, vec![Expr::Result, Expr::Load(4, Box::new(Expr::Arg(1)))]);
        assert_eq!(plain("min(ret, int arg1)"), min);
    }

    #[test]
    fn ranges_have_a_place_a_length_and_perhaps_a_condition() {
        let range = range(AccessKind::Write, "*arg0[ret + 1] if ret != 0").unwrap();
        assert_eq!(range.start, Start::At(Expr::Load(8, Box::new(Expr::Arg(0)))));
        assert!(range.when.is_some());
        let vector = super::range(AccessKind::Read, "iovec(arg1, arg2)[ret]").unwrap();
        assert_eq!(vector.start, Start::Vector { array: Expr::Arg(1), count: Expr::Arg(2) });
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for text in ["arg0", "arg0[", "arg0[1] unless ret", "arg6[1]", "strlen[1]", "arg0[1 1]"] {
            assert!(range(AccessKind::Read, text).is_err(), "{text}");
        }
    }
}
