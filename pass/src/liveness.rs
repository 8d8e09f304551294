//! What a function still needs at a point of it.
//!
//! The ordinary backward analysis, over values and over variables in memory alike: a
//! value is live if some path uses it, a variable if some path reads it before it has
//! been written as a whole. A use that serves only to compute what is dead itself (a count
//! of rounds that nobody looks at) is none. A dead variable is no state: two threads that
//! differ in it alone have the same future.
//!
//! A variable whose address others may hold is not analysed: it is live where the code
//! still to come mentions it. (If it does not, others reach the variable through what
//! holds its address, and find it there.) Functions that are handed an address and do
//! not keep it are listed; without them an array of thread handles would never die.

use crate::{
    escape::root,
    frame::{is_computed_from_frame, is_static_alloca, static_allocas},
    hooks::Plan,
    ir::{Block, Layout, Opcode, Value},
};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// A set of values, by their numbers.
#[derive(Clone, Default, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn with_room(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    fn insert(&mut self, at: usize) {
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn remove(&mut self, at: usize) {
        self.0[at / 64] &= !(1 << (at % 64));
    }

    fn contains(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    fn extend(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }
}

/// Bits that the analysis of one function may take: blocks times values.
const ROOM: usize = 1 << 28;

pub struct Liveness {
    numbers: HashMap<Value, usize>,
    /// Variables that somebody else may have the address of.
    kept: HashSet<Value>,
    before: HashMap<Value, Set>,
    behind: HashMap<Value, Set>,
}

impl Liveness {
    /// At the instructions of the plan. None if the function is too large.
    pub fn of(function: Value, plan: &Plan, layout: Layout) -> Option<Self> {
        let variables = static_allocas(function);
        let blocks = function.blocks();
        let instructions = blocks.iter().flat_map(|block| block.instructions());
        let values = function.params().into_iter().chain(instructions);
        let numbers: HashMap<Value, usize> = values
            .filter(|value| value.users().next().is_some())
            .enumerate()
            .map(|(number, value)| (value, number))
            .collect();
        if blocks.len().saturating_mul(numbers.len()) > ROOM {
            return None;
        }
        let kept = variables.into_iter().filter(|variable| is_kept(*variable)).collect();
        let mut liveness =
            Self { numbers, kept, before: HashMap::default(), behind: HashMap::default() };
        let entries = liveness.solve(&blocks, layout);
        let points: HashSet<Value> = plan.iter().map(|(instruction, _)| *instruction).collect();
        for block in &blocks {
            let mut live = liveness.at_end(*block, &entries);
            for instruction in block.instructions().into_iter().rev() {
                let point = points.contains(&instruction);
                if point {
                    liveness.behind.insert(instruction, live.clone());
                }
                liveness.step(&mut live, instruction, layout);
                if point {
                    liveness.before.insert(instruction, live.clone());
                }
            }
        }
        Some(liveness)
    }

    /// Which values that the code from the instruction on mentions are needed when it is
    /// about to run.
    pub fn before(&self, instruction: Value) -> impl Fn(Value) -> bool {
        self.in_set(&self.before[&instruction])
    }

    /// The same for when it has run: its own result is there.
    pub fn behind(&self, instruction: Value) -> impl Fn(Value) -> bool {
        self.in_set(&self.behind[&instruction])
    }

    fn in_set(&self, set: &Set) -> impl Fn(Value) -> bool {
        move |value| {
            self.numbers.get(&value).is_some_and(|number| set.contains(*number))
                || self.kept.contains(&value)
        }
    }

    /// What is live at the start of each block.
    fn solve(&self, blocks: &[Block], layout: Layout) -> HashMap<Block, Set> {
        let empty = Set::with_room(self.numbers.len());
        let mut entries: HashMap<Block, Set> =
            blocks.iter().map(|block| (*block, empty.clone())).collect();
        loop {
            let mut changed = false;
            for block in blocks.iter().rev() {
                let mut live = self.at_end(*block, &entries);
                for instruction in block.instructions().into_iter().rev() {
                    self.step(&mut live, instruction, layout);
                }
                if entries[block] != live {
                    entries.insert(*block, live);
                    changed = true;
                }
            }
            if !changed {
                return entries;
            }
        }
    }

    fn at_end(&self, block: Block, entries: &HashMap<Block, Set>) -> Set {
        let mut live = Set::with_room(self.numbers.len());
        let Some(terminator) = block.instructions().last().copied() else { return live };
        for next in terminator.successors() {
            live.extend(&entries[&next]);
            let phis = next.instructions().into_iter();
            for phi in phis.take_while(|at| at.opcode() == Opcode::LLVMPHI) {
                for (value, from) in phi.incoming() {
                    if let Some(number) = self.numbers.get(&value).filter(|_| from == block) {
                        live.insert(*number);
                    }
                }
            }
        }
        live
    }

    /// From behind an instruction to before it.
    fn step(&self, live: &mut Set, instruction: Value, layout: Layout) {
        let is_live = |live: &Set, value: Value| {
            self.numbers.get(&value).is_some_and(|number| live.contains(*number))
        };
        // What is only computed from and stored into what nobody needs, is not needed.
        let in_vain = match effect(instruction) {
            Effect::Value => !is_live(live, instruction),
            Effect::Variable(variable) => {
                !self.kept.contains(&variable) && !is_live(live, variable)
            }
            Effect::Other => false,
        };
        if let Some(number) = self.numbers.get(&instruction) {
            live.remove(*number);
        }
        if instruction.opcode() == Opcode::LLVMPHI || in_vain {
            return;
        }
        if let Some(written) = overwritten(instruction, layout)
            && let Some(number) = self.numbers.get(&written)
        {
            live.remove(*number);
        }
        for (index, operand) in instruction.operands().enumerate() {
            let variable = root(operand);
            let used = match variable.is_instruction() && is_static_alloca(variable) {
                true if !is_read(instruction, index) => None,
                true => self.numbers.get(&variable),
                false => self.numbers.get(&operand),
            };
            if let Some(number) = used {
                live.insert(*number);
            }
        }
    }
}

/// What there is of an instruction besides its being run.
enum Effect {
    /// Its value.
    Value,
    /// What it stores into a variable.
    Variable(Value),
    /// It may be noticed, or fail.
    Other,
}

fn effect(instruction: Value) -> Effect {
    use Opcode::*;
    match instruction.opcode() {
        LLVMAdd | LLVMSub | LLVMMul | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFNeg
        | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMICmp | LLVMFCmp
        | LLVMTrunc | LLVMZExt | LLVMSExt | LLVMFPTrunc | LLVMFPExt | LLVMFPToSI | LLVMFPToUI
        | LLVMSIToFP | LLVMUIToFP | LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast | LLVMSelect
        | LLVMGetElementPtr | LLVMExtractValue | LLVMInsertValue => Effect::Value,
        LLVMLoad if !instruction.is_volatile() && variable_at(instruction.operand(0)).is_some() => {
            Effect::Value
        }
        LLVMStore if !instruction.is_volatile() => {
            variable_at(instruction.operand(1)).map_or(Effect::Other, Effect::Variable)
        }
        _ => Effect::Other,
    }
}

/// The variable that a pointer points into, at a place that is known.
fn variable_at(pointer: Value) -> Option<Value> {
    (pointer.is_instruction() && is_computed_from_frame(pointer)).then(|| root(pointer))
}

/// The variable that an instruction gives a new value to, all of it.
fn overwritten(instruction: Value, layout: Layout) -> Option<Value> {
    let is_variable = |value: Value| value.is_instruction() && is_static_alloca(value);
    let size = |variable: Value| {
        layout.size(variable.allocated_type()) * variable.operand(0).constant_int().unwrap_or(1)
    };
    match instruction.opcode() {
        Opcode::LLVMStore => {
            let variable = Some(instruction.operand(1)).filter(|to| is_variable(*to))?;
            let stored = layout.store_size(instruction.operand(0).ty());
            (stored >= size(variable)).then_some(variable)
        }
        Opcode::LLVMCall => {
            let callee = instruction.callee();
            let name = callee.name();
            if callee.intrinsic() && name.starts_with("llvm.lifetime.") {
                return instruction.arguments().into_iter().find(|to| is_variable(*to));
            }
            if callee.intrinsic() && (name.starts_with("llvm.mem")) {
                let variable = Some(instruction.operand(0)).filter(|to| is_variable(*to))?;
                let length = instruction.operand(2).constant_int()?;
                return (length >= size(variable)).then_some(variable);
            }
            let written = (0..instruction.arguments().len())
                .find(|index| borrowed(&name, *index) == Some(Borrowed::Filled(8)))?;
            let variable =
                Some(instruction.operand(written as u32)).filter(|to| is_variable(*to))?;
            (size(variable) <= 8).then_some(variable)
        }
        _ => None,
    }
}

/// Whether an instruction looks at the variable that its operand is the address of.
fn is_read(instruction: Value, operand: usize) -> bool {
    match instruction.opcode() {
        Opcode::LLVMGetElementPtr => false,
        Opcode::LLVMStore => operand == 0,
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            let callee = instruction.callee();
            let name = callee.name();
            if callee.intrinsic() {
                let writes = name.starts_with("llvm.mem") && operand == 0;
                return !writes && !name.starts_with("llvm.lifetime.");
            }
            !matches!(borrowed(&name, operand), Some(Borrowed::Filled(_)))
        }
        _ => true,
    }
}

/// What a function does with a variable whose address it is given and does not keep.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Borrowed {
    /// Writes so many bytes and reads none.
    Filled(u64),
    Used,
}

fn borrowed(function: &str, argument: usize) -> Option<Borrowed> {
    use Borrowed::{Filled, Used};
    Some(match (function, argument) {
        ("pthread_create" | "thrd_create", 0) => Filled(8),
        ("pthread_join" | "pthread_tryjoin_np" | "pthread_timedjoin_np", 1) => Filled(8),
        ("time", 0) => Filled(8),
        ("pthread_create", 1) | ("clock_gettime" | "nanosleep", 1) | ("nanosleep", 0) => Used,
        ("thrd_join", 1) | ("gettimeofday", 0 | 1) | ("sem_getvalue", 1) => Used,
        (name, 0) if name.starts_with("pthread_attr_") => Used,
        (name, 0) if name.starts_with("pthread_mutexattr_") => Used,
        ("pthread_mutex_init" | "pthread_cond_init" | "pthread_rwlock_init", 1) => Used,
        _ => return None,
    })
}

/// Whether somebody else may have this address, now or later.
pub fn is_kept(address: Value) -> bool {
    address.users().any(|user| {
        if !user.is_instruction() {
            return true;
        }
        match user.opcode() {
            Opcode::LLVMLoad => false,
            Opcode::LLVMStore => user.operand(0) == address,
            Opcode::LLVMAtomicRMW => user.operand(1) == address,
            Opcode::LLVMAtomicCmpXchg => user.operand(1) == address || user.operand(2) == address,
            Opcode::LLVMGetElementPtr => is_kept(user),
            Opcode::LLVMCall | Opcode::LLVMInvoke => {
                let callee = user.callee();
                let arguments = user.arguments();
                let mut places = (0..arguments.len()).filter(|place| arguments[*place] == address);
                let described =
                    callee.intrinsic() && crate::escape::keeps_addresses_in(&callee.name());
                callee == address
                    || !described
                        && places.any(|place| {
                            user.byval_argument(place as u32).is_none()
                                && borrowed(&callee.name(), place).is_none()
                        })
            }
            _ => true,
        }
    })
}
