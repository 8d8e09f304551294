//! The constraints of inline assembly, as LLVM writes them.
//!
//! A list with commas: outputs (`=r`, `={ax}`, `=*m`), inputs (`r`, `*m`, `0` for the place
//! of an output), clobbers (`~{memory}`). Outputs and inputs are the operands, `$0`, `$1` and
//! so on in the text. One that is in memory (`*`) takes an address from the arguments, other
//! outputs are results of the call, other inputs are arguments.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Output,
    Input,
    /// An output that is a condition of the flags: `={@ccz}`.
    Condition,
}

#[derive(Clone, Debug)]
pub struct Operand {
    pub role: Role,
    /// In memory, at the address that the argument is.
    pub indirect: bool,
    /// In memory and nowhere else.
    pub only_memory: bool,
    /// Which argument it is or has its address from.
    pub argument: Option<u32>,
    pub place: Place,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// Any general register, or an immediate value.
    Any,
    /// This register, condition, or whatever stands in braces.
    Named(String),
    /// Where that output is.
    Same(usize),
    /// A register of another kind, or something that is not known here.
    Other,
}

#[derive(Clone, Debug)]
pub struct Constraints {
    pub operands: Vec<Operand>,
    pub clobbers_memory: bool,
}

/// Letters for general registers, memory and immediate values.
const GENERAL: &str = "rqQRlgimnoVsXeZIJKLMNO";

impl Constraints {
    /// `None` where there are alternatives or labels.
    pub fn of(text: &str) -> Option<Self> {
        let mut found = Self { operands: Vec::new(), clobbers_memory: false };
        let mut arguments = 0;
        for item in text.split(',').filter(|item| !item.is_empty()) {
            if item.contains('|') || item.starts_with('!') {
                return None;
            }
            if let Some(clobber) = item.strip_prefix('~') {
                found.clobbers_memory |= clobber == "{memory}";
                continue;
            }
            let output = item.starts_with('=');
            let codes = item.trim_start_matches(['=', '&', '%', '+']);
            let indirect = codes.starts_with('*');
            let codes = codes.trim_start_matches('*');
            let place = place(codes);
            let condition = matches!(&place, Place::Named(name) if name.starts_with("@cc"));
            let argument = (!output || indirect).then(|| {
                arguments += 1;
                arguments - 1
            });
            found.operands.push(Operand {
                role: match (output, condition) {
                    (true, true) => Role::Condition,
                    (true, false) => Role::Output,
                    _ => Role::Input,
                },
                indirect,
                only_memory: codes == "m",
                argument,
                place,
            });
        }
        Some(found)
    }
}

fn place(codes: &str) -> Place {
    if let Some(name) = codes.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Place::Named(name.to_owned());
    }
    if let Ok(output) = codes.parse() {
        return Place::Same(output);
    }
    if codes.chars().all(|code| GENERAL.contains(code)) { Place::Any } else { Place::Other }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_know_their_arguments() {
        let text = "=*m,={@ccz},={ax},q,*m,2,~{memory},~{cc},~{dirflag},~{fpsr},~{flags}";
        let constraints = Constraints::of(text).unwrap();
        assert!(constraints.clobbers_memory);
        let arguments: Vec<_> = constraints.operands.iter().map(|o| o.argument).collect();
        assert_eq!(arguments, [Some(0), None, None, Some(1), Some(2), Some(3)]);
        let roles: Vec<_> = constraints.operands.iter().map(|o| o.role).collect();
        use Role::*;
        assert_eq!(roles, [Output, Condition, Output, Input, Input, Input]);
        assert_eq!(constraints.operands[5].place, Place::Same(2));
        assert_eq!(constraints.operands[2].place, Place::Named("ax".into()));
    }

    #[test]
    fn labels_and_alternatives_are_not_for_us() {
        assert!(Constraints::of("*m,!i").is_none());
        assert!(Constraints::of("=r|m,r|r").is_none());
    }
}
