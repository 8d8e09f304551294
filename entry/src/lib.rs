//! `#[entry]`: a function by which the program enters the runtime.
//!
//! What the program calls is a thunk of that name. It goes over to the runtime's stack and
//! calls the function there, so that nothing of the runtime's is left where the program may
//! find it: neither on its stack nor, behind the call, in a register. `rt/src/stacks.rs` says
//! why, and what the thunk relies on.
//!
//! The function keeps its name in Rust: the runtime calls it directly, without a detour. It
//! has at most as many arguments as the thunk passes on from the stack, and gives back an
//! integer, a pointer, a float, or a pair in two registers.
//!
//! `#[entry(calls)]` is for a function that has the program called (`stacks::call`).

use proc_macro::{Delimiter, Spacing, TokenStream, TokenTree};
use std::fmt::Write;

#[proc_macro_attribute]
pub fn entry(kind: TokenStream, item: TokenStream) -> TokenStream {
    let function = Function::parse(item.clone());
    let asm = match kind.to_string().as_str() {
        "" => function.thunk(),
        "calls" => function.calling_thunk(),
        other => panic!("#[entry({other})] means nothing"),
    };
    let name = &function.name;
    let thunk: TokenStream = format!(
        "const _: () = {{
            #[unsafe(naked)]
            #[unsafe(export_name = \"{name}\")]
            unsafe extern \"C\" fn thunk() {{ ::core::arch::naked_asm!({asm}) }}
        }};"
    )
    .parse()
    .expect("a function");
    let lint: TokenStream = "#[allow(non_snake_case)]".parse().expect("an attribute");
    [lint, item, thunk].into_iter().collect()
}

struct Function {
    name: String,
    arguments: usize,
    result: String,
}

/// How many arguments are in registers.
const REGISTERS: usize = 6;

impl Function {
    fn parse(item: TokenStream) -> Self {
        let mut tokens = item.into_iter();
        tokens.find(|token| token.to_string() == "fn").expect("#[entry] is for functions");
        let name = tokens.next().expect("a function has a name").to_string();
        let Some(TokenTree::Group(arguments)) = tokens.next() else {
            panic!("{name} has no generics");
        };
        let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(g) if g.delimiter() == Delimiter::Brace);
        let result = tokens.take_while(|token| !is_body(token)).collect::<TokenStream>();
        let result = result.to_string().replace(' ', "");
        let result = result.strip_prefix("->").unwrap_or("()").into();
        Self { name, arguments: count(arguments.stream()), result }
    }

    fn thunk(&self) -> String {
        let mut asm = Assembly::default();
        // Where it is on the runtime's stack, or there is no execution, the thunk is not there.
        asm.lines(
            ".cfi_startproc
            mov r11, qword ptr [rip + {top}]
            mov rax, r11
            sub rax, rsp
            cmp rax, qword ptr [rip + {span}]
            jb {function}
            push rbp
            .cfi_def_cfa_offset 16
            .cfi_offset rbp, -16
            mov rbp, rsp
            .cfi_def_cfa_register rbp
            mov qword ptr [r11 - 8], rbp
            lea rsp, [r11 - 16]",
        );
        let on_stack = self.arguments.saturating_sub(REGISTERS);
        if on_stack % 2 == 1 {
            asm.lines("push 0");
        }
        for place in (0..on_stack).rev() {
            asm.lines(&format!("push qword ptr [rbp + {}]", 16 + 8 * place));
        }
        asm.lines("call {function}");
        asm.lines("mov rsp, rbp");
        asm.lines("pop rbp");
        asm.lines(".cfi_def_cfa rsp, 8");
        self.forget(&mut asm);
        asm.lines("ret");
        asm.lines(".cfi_endproc");
        asm.with(&format!(
            "function = sym {}, top = sym crate::stacks::TOP, span = sym crate::stacks::SPAN",
            self.name
        ))
    }

    fn calling_thunk(&self) -> String {
        assert!(self.arguments <= REGISTERS + 1, "{} has too many arguments", self.name);
        let mut asm = Assembly::default();
        asm.lines("lea r10, [rip + {function}]");
        asm.lines("jmp {calling}");
        asm.with(&format!("function = sym {}, calling = sym crate::stacks::calling", self.name))
    }

    /// Makes the registers zero that the caller does not count on.
    fn forget(&self, asm: &mut Assembly) {
        let pair = ["u128", "i128", "Exchanged"].contains(&self.result.as_str());
        let float = ["f32", "f64"].contains(&self.result.as_str());
        let nothing = ["()", "!"].contains(&self.result.as_str());
        if nothing || float {
            asm.lines("xor eax, eax");
        }
        if !pair {
            asm.lines("xor edx, edx");
        }
        for register in ["ecx", "esi", "edi", "r8d", "r9d", "r10d", "r11d"] {
            asm.lines(&format!("xor {register}, {register}"));
        }
        for register in usize::from(float)..16 {
            asm.lines(&format!("xorps xmm{register}, xmm{register}"));
        }
    }
}

/// How many arguments a list has: each has one colon, apart from those of paths.
fn count(arguments: TokenStream) -> usize {
    let mut count = 0;
    let mut in_path = false;
    for token in arguments {
        match &token {
            TokenTree::Punct(p) if p.as_char() == ':' && p.spacing() == Spacing::Joint => {
                in_path = true;
            }
            TokenTree::Punct(p) if p.as_char() == ':' => {
                count += usize::from(!in_path);
                in_path = false;
            }
            _ => {}
        }
    }
    count
}

/// The arguments of `naked_asm!`.
#[derive(Default)]
struct Assembly(String);

impl Assembly {
    fn lines(&mut self, lines: &str) {
        for line in lines.lines() {
            write!(self.0, "\"{}\", ", line.trim()).expect("there is room");
        }
    }

    fn with(self, operands: &str) -> String {
        self.0 + operands
    }
}
