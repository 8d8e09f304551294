//! Residual code: what a function may still do from a given point on, as a digest.
//!
//! Two points with equal digests have the same code before them: there is a bijection
//! between the local variables and labels of the one and those of the other under which
//! the two are the same text. That is what the rules R0–R13 of the paper on transition
//! symmetry infer from two syntax trees. We need no second tree: the code that is
//! reachable from a point is written down in a canonical form, locals and labels
//! numbered in the order in which they are met, and everything else (globals, callees,
//! constants, operators, types, orderings, the order of successors) as what it is. Equal
//! texts then *are* a derivation, and equal numbers are the bijection. The converse is
//! not claimed: code that does the same in another way has another digest.
//!
//! The canonical form has *effects*, in their order: what calls, jumps, touches memory
//! that others may see, writes a variable, or may trap. What only computes is written
//! where it is first used, as a tree, so that `x + y` and `y + x` can be made the same.
//! A read of a variable that no one else can reach is a leaf of such a tree; it carries
//! how often the variable has been written so far in its block, because the tree may be
//! written down later than the read takes place. A value that is used in another block is
//! a definition at its place.
//!
//! A function that is called counts by its name or, where its body is certain, by the
//! digest of its body. Recursion is no problem: all functions of the unit start out
//! alike and are told apart by what they do and whom they call until that brings no new
//! distinction ([`Bodies::of`]).

use crate::{
    escape::{Private, root},
    frame::{is_computed_from_frame, is_static_alloca, static_allocas},
    ir::{Block, Opcode, Ordering, Type, Unit, Value},
};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use xxhash_rust::xxh3::xxh3_128;

/// A canonical text: bytes, with gaps where the digests of callees go.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    callees: Vec<(usize, Value)>,
    /// It names something that only this unit knows by that name.
    local: bool,
}

impl Text {
    fn mark(&mut self, mark: u8) {
        self.bytes.push(mark);
    }

    fn number(&mut self, number: u64) {
        self.bytes.extend(number.to_le_bytes());
    }

    fn words(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    fn ty(&mut self, ty: Type) {
        let (parts, number) = ty.parts();
        self.mark(ty.kind() as u8);
        self.number(number);
        self.number(parts.len() as u64);
        parts.into_iter().for_each(|part| self.ty(part));
    }

    fn append(&mut self, piece: &Text) {
        let offset = self.bytes.len();
        self.bytes.extend(&piece.bytes);
        self.callees.extend(piece.callees.iter().map(|(at, callee)| (offset + at, *callee)));
        self.local |= piece.local;
    }

    fn digest(&self, bodies: &HashMap<Value, Body>) -> u128 {
        let mut bytes = self.bytes.clone();
        for (at, callee) in &self.callees {
            bytes[*at..*at + 16].copy_from_slice(&bodies[callee].digest.to_le_bytes());
        }
        xxh3_128(&bytes)
    }

    fn is_local(&self, bodies: &HashMap<Value, Body>) -> bool {
        self.local || self.callees.iter().any(|(_, callee)| bodies[callee].local)
    }
}

#[derive(Clone, Copy, Default)]
struct Body {
    digest: u128,
    local: bool,
}

/// The functions of a unit whose calls can be judged by what they do.
#[derive(Default)]
pub struct Bodies {
    known: HashMap<Value, Body>,
}

impl Bodies {
    pub fn of(unit: Unit) -> Self {
        let by_name = unit.may_be_interposed();
        let functions: Vec<Value> = unit
            .functions()
            .into_iter()
            .filter(|function| function.is_strong() && (!by_name || function.is_local()))
            .collect();
        let known = functions.iter().map(|function| (*function, Body::default())).collect();
        let mut bodies = Self { known };
        let texts: Vec<(Value, Text)> = functions
            .iter()
            .map(|function| (*function, Code::of(*function, &bodies).whole()))
            .collect();
        let mut classes = 0;
        loop {
            let next: HashMap<Value, Body> = texts
                .iter()
                .map(|(function, text)| {
                    let digest = text.digest(&bodies.known);
                    (*function, Body { digest, local: text.is_local(&bodies.known) })
                })
                .collect();
            let distinct: HashSet<u128> = next.values().map(|body| body.digest).collect();
            let local = next.values().filter(|body| body.local).count();
            let settled = distinct.len() + local == classes;
            classes = distinct.len() + local;
            bodies.known = next;
            if settled {
                return bodies;
            }
        }
    }
}

/// The residual code at one point.
pub struct Residual {
    pub digest: u128,
    /// The digest says something only in comparison with others of this unit.
    pub local: bool,
    /// What comes from before the point, in the order of the bijection: parameters,
    /// values, variables. Not all of it needs to be live.
    pub free: Vec<Value>,
}

/// An instruction, as far as it can be written down once for all points.
struct Step {
    value: Value,
    role: Role,
    /// Used in another block than its own, or by a phi node.
    travels: bool,
    used: bool,
    block: usize,
    place: usize,
    /// What it is, without its operands.
    head: Text,
    operands: Vec<Operand>,
    is_commutative: bool,
    successors: Vec<usize>,
    /// The blocks that the operands of a phi node come from.
    sources: Vec<usize>,
    /// Private variables that it may write, or that it reads.
    variables: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Computes and does nothing else, and the same wherever in its block it does.
    Pure,
    /// The same, from nothing but the place of the frame.
    FrameAddress,
    /// A variable in the frame.
    Variable,
    Phi,
    Effect,
    /// Says nothing about what the program does.
    Remark,
}

enum Operand {
    /// What is the same everywhere.
    Constant(Text),
    /// A parameter or an instruction, by its number.
    Local(usize),
}

/// A function as residual code is read off it.
pub struct Code<'b> {
    function: Value,
    bodies: &'b Bodies,
    /// Parameters and instructions have numbers: parameters first.
    params: Vec<Value>,
    steps: Vec<Step>,
    numbers: HashMap<Value, usize>,
    /// The instructions of each block.
    blocks: Vec<std::ops::Range<usize>>,
}

/// Sites times instructions of a function up to which residual code is written out. In
/// larger functions a point is equal to itself alone.
const EFFORT: usize = 250_000;

impl<'b> Code<'b> {
    pub fn of(function: Value, bodies: &'b Bodies) -> Self {
        let params = function.params();
        let mut numbers: HashMap<Value, usize> =
            params.iter().enumerate().map(|(number, param)| (*param, number)).collect();
        let mut blocks = Vec::new();
        let mut order = Vec::new();
        for block in function.blocks() {
            let start = order.len();
            order.extend(block.instructions());
            blocks.push(params.len() + start..params.len() + order.len());
        }
        numbers.extend(order.iter().enumerate().map(|(at, value)| (*value, params.len() + at)));
        let labels = function.blocks().into_iter().enumerate();
        let scribe = Scribe {
            function,
            bodies,
            private: Private::among(static_allocas(function).into_iter()),
            labels: labels.map(|(label, block)| (block, label)).collect(),
            numbers: &numbers,
        };
        let mut steps = Vec::with_capacity(order.len());
        for (number, block) in blocks.iter().enumerate() {
            for at in block.clone() {
                let value = order[at - params.len()];
                steps.push(scribe.step(value, number, at - block.start));
            }
        }
        for at in 0..steps.len() {
            let block = steps[at].block;
            let travels = steps[at].value.users().any(|user| {
                user.opcode() == Opcode::LLVMPHI
                    || numbers.get(&user).is_none_or(|user| {
                        user.checked_sub(params.len()).is_none_or(|user| steps[user].block != block)
                    })
            });
            steps[at].travels = travels;
        }
        Self { function, bodies, params, steps, numbers, blocks }
    }

    /// Whether the points of this function are compared by their code, if there are so
    /// many of them.
    pub fn is_written_out(&self, points: usize) -> bool {
        points.saturating_mul(self.steps.len()) <= EFFORT
    }

    fn step(&self, number: usize) -> Option<&Step> {
        number.checked_sub(self.params.len()).map(|at| &self.steps[at])
    }

    fn value(&self, number: usize) -> Value {
        self.step(number).map_or_else(|| self.params[number], |step| step.value)
    }

    /// The function from its entry. Parameters come first: a call pairs them by place.
    fn whole(&self) -> Text {
        let mut writer = Writer::new(self);
        writer.text.ty(self.function.value_type());
        for (number, _) in self.params.iter().enumerate() {
            writer.everywhere(number);
            if let Some(ty) = self.function.byval_param(number as u32) {
                writer.text.ty(ty);
            }
        }
        writer.label(0);
        writer.finish();
        writer.text
    }

    /// The code from this instruction on, itself included.
    pub fn before(&self, instruction: Value) -> Residual {
        let mut writer = Writer::new(self);
        writer.begin(self.numbers[&instruction], 0);
        writer.residual()
    }

    /// The code behind a call that is still in progress. None where control does not
    /// come back to one place.
    pub fn behind(&self, call: Value) -> Option<Residual> {
        let mut writer = Writer::new(self);
        let number = self.numbers[&call];
        writer.everywhere(number);
        match call.opcode() {
            Opcode::LLVMCallBr => return None,
            Opcode::LLVMInvoke => {
                let step = self.step(number)?;
                writer.point = Some(step.block);
                step.successors.iter().for_each(|to| writer.label(*to));
                writer.finish();
            }
            _ => writer.begin(number, 1),
        }
        Some(writer.residual())
    }

    /// A point that is equal to itself alone.
    pub fn nowhere_else(&self, instruction: Value, behind: bool, free: Vec<Value>) -> Residual {
        let mut text = Text::default();
        text.mark(b'?');
        text.words(&self.function.name());
        text.number(self.numbers[&instruction] as u64);
        text.mark(u8::from(behind));
        Residual { digest: text.digest(&self.bodies.known), local: true, free }
    }
}

/// Writes single instructions down, before any point is asked for.
struct Scribe<'c> {
    function: Value,
    bodies: &'c Bodies,
    private: Private,
    labels: HashMap<Block, usize>,
    numbers: &'c HashMap<Value, usize>,
}

impl Scribe<'_> {
    fn step(&self, value: Value, block: usize, place: usize) -> Step {
        let opcode = value.opcode();
        let role = self.role(value);
        let mut head = Text::default();
        head.number(opcode as u64);
        head.ty(value.ty());
        value.particulars(opcode).into_iter().for_each(|particular| head.number(particular));
        let mut operands = Vec::new();
        if role != Role::Remark {
            self.operands(value, &mut head, &mut operands);
        }
        let private = |pointer: &Value| self.private.contains(root(*pointer));
        let roots = value.operands().filter(|operand| operand.ty().is_pointer());
        let variables = match opcode {
            Opcode::LLVMPHI => Vec::new(),
            _ => roots.filter(private).map(|pointer| self.numbers[&root(pointer)]).collect(),
        };
        let successors = match is_terminator(value) {
            true => value.successors().iter().map(|to| self.labels[to]).collect(),
            false => Vec::new(),
        };
        let sources = match opcode {
            Opcode::LLVMPHI => value.incoming().iter().map(|(_, from)| self.labels[from]).collect(),
            _ => Vec::new(),
        };
        Step {
            value,
            role,
            travels: false,
            used: value.users().next().is_some(),
            block,
            place,
            head,
            operands,
            is_commutative: is_commutative(value),
            successors,
            sources,
            variables,
        }
    }

    fn role(&self, value: Value) -> Role {
        use Opcode::*;
        if is_static_alloca(value) {
            return Role::Variable;
        }
        if is_computed_from_frame(value) {
            return Role::FrameAddress;
        }
        if is_remark(value) {
            return Role::Remark;
        }
        let pure = match value.opcode() {
            LLVMPHI => return Role::Phi,
            LLVMLoad => {
                self.private.for_reading(value.operand(0))
                    && !value.is_volatile()
                    && value.ordering() == Ordering::LLVMAtomicOrderingNotAtomic
            }
            LLVMGetElementPtr | LLVMAdd | LLVMSub | LLVMMul | LLVMFAdd | LLVMFSub | LLVMFMul
            | LLVMFDiv | LLVMFRem | LLVMFNeg | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr
            | LLVMXor | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPToUI | LLVMFPToSI | LLVMUIToFP
            | LLVMSIToFP | LLVMFPTrunc | LLVMFPExt | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast
            | LLVMAddrSpaceCast | LLVMICmp | LLVMFCmp | LLVMSelect | LLVMExtractValue
            | LLVMInsertValue | LLVMExtractElement | LLVMInsertElement | LLVMShuffleVector
            | LLVMFreeze => true,
            _ => false,
        };
        if pure { Role::Pure } else { Role::Effect }
    }

    fn operands(&self, value: Value, head: &mut Text, operands: &mut Vec<Operand>) {
        use Opcode::*;
        let mut add = |operand: Value| operands.push(self.operand(operand));
        match value.opcode() {
            LLVMCall | LLVMInvoke | LLVMCallBr => {
                head.ty(value.called_type());
                let arguments = value.arguments();
                head.number(arguments.len() as u64);
                for (index, argument) in arguments.into_iter().enumerate() {
                    if let Some(ty) = value.byval_argument(index as u32) {
                        head.number(index as u64);
                        head.ty(ty);
                    }
                    add(argument);
                }
                if value.has_bundles() {
                    self.opaque(head, value);
                }
                let callee = value.callee();
                if self.bodies.known.contains_key(&callee) {
                    head.mark(b'b');
                    head.callees.push((head.bytes.len(), callee));
                    head.bytes.extend([0; 16]);
                } else {
                    add(callee);
                }
            }
            LLVMSwitch => {
                add(value.operand(0));
                value.cases().into_iter().for_each(add);
            }
            LLVMBr => {
                if value.successors().len() == 2 {
                    add(value.operand(0));
                }
            }
            LLVMCleanupRet | LLVMCatchRet | LLVMCatchSwitch | LLVMCatchPad | LLVMCleanupPad => {
                self.opaque(head, value);
            }
            LLVMIndirectBr => add(value.operand(0)),
            LLVMAlloca => {
                head.ty(value.allocated_type());
                head.number(value.alignment());
                add(value.operand(0));
            }
            LLVMPHI => value.incoming().into_iter().for_each(|(operand, _)| add(operand)),
            LLVMGetElementPtr => {
                head.ty(value.gep_element());
                value.operands().for_each(add);
            }
            LLVMLoad => {
                head.mark(u8::from(self.private.for_reading(value.operand(0))));
                add(value.operand(0));
            }
            _ => value.operands().for_each(add),
        }
    }

    fn operand(&self, value: Value) -> Operand {
        if let Some(number) = self.numbers.get(&value) {
            return Operand::Local(*number);
        }
        let mut text = Text::default();
        if value.is_inline_asm() {
            text.mark(b'a');
            text.words(&value.asm_text());
            text.words(&value.asm_constraints());
        } else if value.is_constant() {
            self.constant(&mut text, value, 0);
        } else {
            // Metadata of an intrinsic. A string is itself; the text of other nodes
            // refers to still others by numbers.
            let printed = value.print();
            if !printed.contains("!\"") {
                self.opaque(&mut text, value);
            }
            text.words(&printed);
        }
        Operand::Constant(text)
    }

    /// Something that is not equal to anything but itself.
    fn opaque(&self, text: &mut Text, at: Value) {
        text.mark(b'?');
        text.words(&self.function.name());
        text.number(self.numbers.get(&at).map_or(u64::MAX, |number| *number as u64));
        text.local = true;
    }

    fn constant(&self, text: &mut Text, value: Value, depth: u32) {
        if value.is_global() {
            let content = value.is_global_variable() && value.is_nameless_constant() && depth < 8;
            match content.then(|| value.initializer()).flatten() {
                Some(content) => {
                    text.mark(b'"');
                    self.constant(text, content, depth + 1);
                }
                None => {
                    text.mark(b'@');
                    text.words(&value.name());
                    text.local |= value.is_local();
                }
            }
            return;
        }
        if value.is_block_address() {
            self.opaque(text, value);
            text.words(&value.print());
            return;
        }
        text.mark(b'c');
        text.ty(value.ty());
        if let Some(opcode) = value.constant_opcode() {
            text.number(opcode as u64);
            value.particulars(opcode).into_iter().for_each(|particular| text.number(particular));
            if opcode == Opcode::LLVMGetElementPtr {
                text.ty(value.gep_element());
            }
        }
        if let Some(number) = value.constant_int() {
            text.number(number);
            return;
        }
        let operands: Vec<Value> = value.operands().collect();
        text.number(operands.len() as u64);
        if operands.is_empty() {
            text.words(&value.print());
        }
        operands.into_iter().for_each(|operand| self.constant(text, operand, depth));
    }
}

fn is_remark(instruction: Value) -> bool {
    const REMARKS: [&str; 7] = [
        "llvm.dbg.",
        "llvm.lifetime.",
        "llvm.assume",
        "llvm.experimental.noalias.scope.decl",
        "llvm.donothing",
        "llvm.invariant.",
        "llvm.pseudoprobe",
    ];
    instruction.opcode() == Opcode::LLVMCall
        && instruction.callee().intrinsic()
        && REMARKS.iter().any(|remark| instruction.callee().name().starts_with(remark))
}

fn is_terminator(instruction: Value) -> bool {
    use Opcode::*;
    matches!(
        instruction.opcode(),
        LLVMRet
            | LLVMBr
            | LLVMSwitch
            | LLVMIndirectBr
            | LLVMInvoke
            | LLVMUnreachable
            | LLVMCallBr
            | LLVMResume
            | LLVMCleanupRet
            | LLVMCatchRet
            | LLVMCatchSwitch
    )
}

fn is_commutative(instruction: Value) -> bool {
    use Opcode::*;
    match instruction.opcode() {
        LLVMAdd | LLVMMul | LLVMAnd | LLVMOr | LLVMXor | LLVMFAdd | LLVMFMul => true,
        LLVMICmp => instruction.is_equality(),
        _ => false,
    }
}

const NONE: u32 = u32::MAX;

/// Writes the canonical text of one point.
struct Writer<'c, 'b> {
    code: &'c Code<'b>,
    text: Text,
    /// Canonical numbers of locals that mean the same in all blocks.
    everywhere: Vec<u32>,
    /// Those locals, in the order of their canonical numbers.
    free: Vec<usize>,
    phis: Vec<usize>,
    /// Canonical labels of blocks; the point itself is 0.
    labels: Vec<u32>,
    /// Blocks in the order of their labels.
    waiting: Vec<usize>,
    /// The block of the point, if the point is not the entry.
    point: Option<usize>,
    run: Run,
}

/// What holds in one run through a block.
#[derive(Default)]
struct Run {
    block: usize,
    first: usize,
    /// Canonical numbers of values that are used in their own block alone, by place.
    here: Vec<u32>,
    count: u32,
    /// How often a variable has been written: few, so a list.
    written: Vec<(usize, u64)>,
    /// The same at the time of each read, by place.
    seen: Vec<u64>,
}

impl Run {
    fn writes_of(&self, variable: usize) -> u64 {
        self.written.iter().find(|(known, _)| *known == variable).map_or(0, |(_, count)| *count)
    }

    fn write(&mut self, variable: usize) {
        match self.written.iter_mut().find(|(known, _)| *known == variable) {
            Some((_, count)) => *count += 1,
            None => self.written.push((variable, 1)),
        }
    }

    fn name(&mut self, place: usize) {
        self.here[place] = self.count;
        self.count += 1;
    }
}

impl<'c, 'b> Writer<'c, 'b> {
    fn new(code: &'c Code<'b>) -> Self {
        Self {
            code,
            text: Text::default(),
            everywhere: vec![NONE; code.params.len() + code.steps.len()],
            free: Vec::new(),
            phis: Vec::new(),
            labels: vec![NONE; code.blocks.len()],
            waiting: Vec::new(),
            point: None,
            run: Run { block: usize::MAX, ..Run::default() },
        }
    }

    fn begin(&mut self, number: usize, skip: usize) {
        if let Some(step) = self.code.step(number) {
            self.point = Some(step.block);
            self.run(step.block, step.place + skip);
        }
        self.finish();
    }

    fn residual(self) -> Residual {
        let bodies = &self.code.bodies.known;
        let digest = self.text.digest(bodies);
        let free = self.free.into_iter().map(|number| self.code.value(number)).collect();
        Residual { digest, local: self.text.is_local(bodies), free }
    }

    /// Writes what is left: blocks in the order of their labels, then phi nodes, whose
    /// incoming edges can be named only when all labels are known.
    fn finish(&mut self) {
        let mut next = 0;
        while let Some(block) = self.waiting.get(next).copied() {
            next += 1;
            self.run(block, 0);
        }
        self.run.block = usize::MAX;
        let mut next = 0;
        while let Some(phi) = self.phis.get(next).copied() {
            next += 1;
            self.phi(phi);
        }
    }

    fn phi(&mut self, number: usize) {
        let code = self.code;
        let Some(phi) = code.step(number) else { return };
        // The point lies behind it, and nothing leads back: its value comes from before.
        if self.labels[phi.block] == NONE {
            return;
        }
        self.text.mark(b'p');
        self.text.number(u64::from(self.everywhere[number]));
        self.text.append(&phi.head);
        let mut edges = Vec::new();
        for (value, block) in phi.operands.iter().zip(&phi.sources) {
            let from_point = (self.point == Some(*block)).then_some(0);
            let label = Some(self.labels[*block]).filter(|label| *label != NONE);
            edges.extend(from_point.into_iter().chain(label).map(|label| (label, value)));
        }
        edges.sort_by_key(|(label, _)| *label);
        for (label, value) in edges {
            self.text.number(u64::from(label));
            self.operand(value);
        }
    }

    fn label(&mut self, block: usize) {
        if self.labels[block] == NONE {
            self.waiting.push(block);
            self.labels[block] = self.waiting.len() as u32;
        }
        self.text.mark(b'l');
        self.text.number(u64::from(self.labels[block]));
    }

    fn everywhere(&mut self, number: usize) {
        if self.everywhere[number] == NONE {
            self.everywhere[number] = self.free.len() as u32;
            self.free.push(number);
            if self.code.step(number).is_some_and(|step| step.role == Role::Phi) {
                self.phis.push(number);
            }
        }
        self.text.mark(b'g');
        self.text.number(u64::from(self.everywhere[number]));
    }

    fn run(&mut self, block: usize, first: usize) {
        let code = self.code;
        let range = code.blocks[block].clone();
        self.run = Run {
            block,
            first,
            here: vec![NONE; range.len()],
            seen: vec![u64::MAX; range.len()],
            ..Run::default()
        };
        self.text.mark(b'{');
        for number in range.skip(first) {
            let Some(step) = code.step(number) else { continue };
            match step.role {
                Role::Phi | Role::Remark | Role::Variable | Role::FrameAddress => {}
                Role::Pure => {
                    if let [variable] = step.variables[..] {
                        self.run.seen[step.place] = self.run.writes_of(variable);
                    }
                    if step.travels {
                        self.text.mark(b'=');
                        self.everywhere(number);
                        self.inside(step);
                    }
                }
                Role::Effect => self.effect(number, step),
            }
        }
        self.text.mark(b'}');
    }

    fn effect(&mut self, number: usize, step: &Step) {
        self.text.mark(b'!');
        if step.travels {
            self.everywhere(number);
        } else if step.used {
            self.run.name(step.place);
            self.text.mark(b'n');
        }
        self.inside(step);
        step.successors.iter().for_each(|to| self.label(*to));
        step.variables.iter().for_each(|variable| self.run.write(*variable));
    }

    /// An instruction without its number.
    fn inside(&mut self, step: &Step) {
        self.text.append(&step.head);
        if self.run.block == step.block {
            self.text.number(self.run.seen[step.place]);
        }
        if let ([a, b], true) = (&step.operands[..], step.is_commutative) {
            let swapped = self.shape(a, 6) > self.shape(b, 6);
            let (a, b) = if swapped { (b, a) } else { (a, b) };
            self.operand(a);
            self.operand(b);
        } else {
            step.operands.iter().for_each(|operand| self.operand(operand));
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Constant(text) => self.text.append(text),
            Operand::Local(number) => self.local(*number),
        }
    }

    /// A local where it is used.
    fn local(&mut self, number: usize) {
        let code = self.code;
        let Some(step) = code.step(number) else { return self.everywhere(number) };
        match step.role {
            Role::Variable => {
                self.text.append(&step.head);
                self.everywhere(number);
            }
            Role::FrameAddress => self.inside(step),
            _ if step.travels || step.role == Role::Phi => self.everywhere(number),
            _ if self.run.block != step.block || step.place < self.run.first => {
                self.everywhere(number);
            }
            _ if self.run.here[step.place] != NONE => {
                self.text.mark(b'o');
                self.text.number(u64::from(self.run.here[step.place]));
            }
            _ => {
                self.run.name(step.place);
                self.text.mark(b'x');
                self.inside(step);
            }
        }
    }

    /// What is known of an operand before its locals have numbers: puts the operands of a
    /// commutative operator in order.
    fn shape(&self, operand: &Operand, depth: u32) -> u128 {
        let mut text = Text::default();
        let number = match operand {
            Operand::Constant(constant) => return xxh3_128(&constant.bytes),
            Operand::Local(number) => *number,
        };
        let step = self.code.step(number);
        let here = step.filter(|step| step.block == self.run.block);
        if self.everywhere[number] != NONE {
            text.mark(b'g');
            text.number(u64::from(self.everywhere[number]));
        } else if let Some(step) = here.filter(|step| self.run.here[step.place] != NONE) {
            text.mark(b'o');
            text.number(u64::from(self.run.here[step.place]));
        } else if let Some(step) = step.filter(|step| depth > 0 && step.role == Role::Pure) {
            text.append(&step.head);
            text.number(here.map_or(u64::MAX, |step| self.run.seen[step.place]));
            let mut operands: Vec<u128> =
                step.operands.iter().map(|operand| self.shape(operand, depth - 1)).collect();
            if step.is_commutative {
                operands.sort_unstable();
            }
            operands.iter().for_each(|operand| text.bytes.extend(operand.to_le_bytes()));
        }
        xxh3_128(&text.bytes)
    }
}
