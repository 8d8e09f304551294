//! The frame record: what a function in progress holds, where others find it.
//!
//! A function with a hook or a call keeps its variables, and the values that live
//! across a hook or a call, in one piece of its stack: three words (the caller's
//! record, the function, the call in progress) and then the slots. The record is
//! linked into the list that starts at `__leno_frame` for as long as the function
//! runs. Because its address is known outside, the optimiser must have every slot
//! up to date whenever a hook is called, and because variables *are* their slots,
//! a debugger finds them where it expects them.
//!
//! Laid out before any hook is put in, from the plan of the hooks; see
//! [`Record::build`].

use crate::{
    escape::Private,
    hooks::{self, Emitter, Plan},
    ir::{Layout, Node, Opcode, Value},
    liveness::is_kept,
    table::Described,
};
use leno_model::site::{Frame, Slot};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

const FUNCTION: u64 = 8;
const SITE: u64 = 16;
const HEADER: u64 = 24;
const ALIGN: u64 = 16;

/// What goes into a function's record.
pub struct Contents {
    /// `alloca`s that become slots.
    variables: Vec<Value>,
    /// Parameters that arrive as a copy in the caller's hands: copied once more.
    copies: Vec<(Value, u64)>,
    /// Instructions and parameters that are stored when they are known.
    values: Vec<Value>,
    /// The source variable behind an address.
    names: HashMap<Value, Node>,
    /// There is memory whose size is known only when the function runs.
    dynamic: bool,
}

impl Contents {
    /// None if the function needs no record.
    pub fn of(function: Value, plan: &Plan, private: &Private, layout: Layout) -> Option<Self> {
        // A coroutine's frame outlives its call: it cannot be in such a list.
        let linked = plan.iter().any(|(_, action)| action.interrupts() || action.calls());
        if !linked || function.has_attribute("presplitcoroutine") {
            return None;
        }
        let interruptions = Interruptions::of(function, plan);
        let names = names(function);
        let variables = static_allocas(function)
            .into_iter()
            .filter(|alloca| {
                let named = names.contains_key(alloca);
                let used = alloca.users().next().is_some();
                named || (used && !interruptions.spare(*alloca, private))
            })
            .collect();
        let copies = function
            .params()
            .into_iter()
            .enumerate()
            .filter_map(|(index, param)| {
                Some((param, layout.size(function.byval_param(index as u32)?)))
            })
            .collect::<Vec<_>>();
        let values = function
            .params()
            .into_iter()
            .filter(|param| copies.iter().all(|(copied, _)| copied != param))
            .chain(function.blocks().into_iter().flat_map(|block| block.instructions()))
            .filter(|value| interruptions.lived_through(*value))
            .filter(|value| !value.is_instruction() || point_after(*value).is_some())
            .collect();
        let known: HashSet<Value> = static_allocas(function).into_iter().collect();
        let mut instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        let dynamic = instructions
            .any(|value| value.opcode() == Opcode::LLVMAlloca && !known.contains(&value));
        Some(Self { variables, copies, values, names, dynamic })
    }

    /// What has a slot, in the order of the slots.
    pub fn slots(&self) -> impl Iterator<Item = Value> {
        let copies = self.copies.iter().map(|(param, _)| param);
        self.variables.iter().chain(copies).chain(&self.values).copied()
    }
}

/// The source variables of a function by the memory that they lie in.
fn names(function: Value) -> HashMap<Value, Node> {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    instructions
        .flat_map(|instruction| instruction.debug_variables())
        .map(|found| (found.value, found.variable))
        .collect()
}

/// The `alloca`s that have one place in every frame of the function.
pub fn static_allocas(function: Value) -> Vec<Value> {
    let Some(entry) = function.blocks().into_iter().next() else { return Vec::new() };
    entry
        .instructions()
        .into_iter()
        .filter(|value| is_static_alloca(*value) && value.ty().is_pointer())
        .collect()
}

pub fn is_static_alloca(value: Value) -> bool {
    value.is_instruction()
        && value.opcode() == Opcode::LLVMAlloca
        && value.operand(0).constant_int().is_some()
        && value.allocated_type().is_storable()
}

/// When, inside each block, other code gets control.
///
/// Time in a block: five ticks for each instruction, in which its hook is called, its
/// operands are used, its callee runs, its result comes into being, and the runtime is
/// told of that.
struct Interruptions {
    /// Block and place of each instruction.
    places: HashMap<Value, (usize, i64)>,
    /// The moments of each block, ascending.
    moments: Vec<Vec<i64>>,
}

const USED: i64 = 1;
const CALLED: i64 = 2;
const DEFINED: i64 = 3;
const RETURNED: i64 = 4;
const TICKS: i64 = 5;

impl Interruptions {
    fn of(function: Value, plan: &Plan) -> Self {
        let mut places = HashMap::default();
        let blocks = function.blocks();
        for (number, block) in blocks.iter().enumerate() {
            for (place, instruction) in block.instructions().into_iter().enumerate() {
                places.insert(instruction, (number, place as i64 * TICKS));
            }
        }
        let mut moments = vec![Vec::new(); blocks.len()];
        for (instruction, action) in plan {
            let (block, time) = places[instruction];
            if action.interrupts() {
                moments[block].push(time);
            }
            if action.calls() {
                moments[block].push(time + CALLED);
            }
            if action.is_announced() {
                moments[block].push(time + RETURNED);
            }
        }
        Self { places, moments }
    }

    fn between(&self, block: usize, from: i64, to: i64) -> bool {
        let moments = &self.moments[block];
        let next = moments.partition_point(|moment| *moment <= from);
        moments.get(next).is_some_and(|moment| *moment < to)
    }

    /// Whether a value may still be needed after other code had control. What is
    /// used in another block counts without a closer look.
    fn lived_through(&self, value: Value) -> bool {
        if !value.ty().is_storable() || (value.is_instruction() && is_computed_from_frame(value)) {
            return false;
        }
        let (block, defined) = match self.places.get(&value) {
            Some((block, time)) => (*block, time + DEFINED),
            None => (0, -1),
        };
        value.users().any(|user| match self.places.get(&user) {
            Some((used_in, time)) if *used_in == block && user.opcode() != Opcode::LLVMPHI => {
                self.between(block, defined, time + USED)
            }
            Some(_) => true,
            None => false,
        })
    }

    /// Whether a variable is a mere temporary: written and read inside one block
    /// with nothing in between that could look at it.
    fn spare(&self, alloca: Value, private: &Private) -> bool {
        let mut uses = Vec::new();
        for user in alloca.users() {
            let (Some((block, time)), Opcode::LLVMLoad | Opcode::LLVMStore) =
                (self.places.get(&user), user.opcode())
            else {
                return false;
            };
            uses.push((*block, *time, user));
        }
        uses.sort_by_key(|(block, time, _)| (*block, *time));
        let (Some(first), Some(last)) = (uses.first(), uses.last()) else { return true };
        private.contains(alloca)
            && first.0 == last.0
            && first.2.opcode() == Opcode::LLVMStore
            && first.2.operand(0).ty() == alloca.allocated_type()
            && !self.between(first.0, first.1 + DEFINED, last.1 + USED)
    }
}

/// Values that are the same in every frame at the same place: addresses in it.
pub fn is_computed_from_frame(instruction: Value) -> bool {
    match instruction.opcode() {
        Opcode::LLVMAlloca => is_static_alloca(instruction),
        Opcode::LLVMGetElementPtr => instruction.operands().all(|operand| {
            operand.is_constant() || (operand.is_instruction() && is_computed_from_frame(operand))
        }),
        _ => false,
    }
}

/// A record that is in place.
pub struct Record {
    record: Value,
    /// Where the site of the call in progress is put.
    pub site: Value,
    /// The addresses in it that were computed at the entry, by their offsets.
    addresses: HashMap<Value, u64>,
}

impl Record {
    /// Puts the record into the function: moves the variables into it, links it at
    /// the entry, and stores the values. [`Record::close`] must follow.
    pub fn build(emitter: &mut Emitter, contents: &Contents) -> Self {
        let mut plan = SlotPlan::default();
        let layout = emitter.layout;
        for variable in &contents.variables {
            let ty = variable.allocated_type();
            let count = variable.operand(0).constant_int().unwrap_or(1);
            let align = variable.alignment().max(1);
            plan.add(*variable, layout.size(ty) * count, align, emitter, contents);
            if count == 1 {
                plan.has_padding(layout.padding(ty));
            }
        }
        for (param, size) in &contents.copies {
            plan.add(*param, *size, ALIGN, emitter, contents);
        }
        for value in &contents.values {
            let ty = value.ty();
            plan.add(*value, layout.store_size(ty), layout.alignment(ty), emitter, contents);
        }
        let returns = may_be_called_by_pointer(emitter.function).then(|| plan.word());
        let size = plan.end.next_multiple_of(8);
        let record = Self::place(emitter, contents, &plan, size);
        let slots = plan.slots.into_iter().map(|(_, slot)| slot).collect();
        let dynamic = contents.dynamic;
        emitter.table.set_frame(emitter.index, Frame { size, slots, dynamic, returns });
        if let Some(offset) = returns {
            record.keep_return_address(emitter, offset);
        }
        record
    }

    /// A call by pointer does not say whom it calls. Where the callee returns to says whether
    /// it was this call, or one that a library made.
    fn keep_return_address(&self, emitter: &Emitter, offset: u64) {
        let (unit, builder) = (emitter.unit, &emitter.builder);
        let entry = emitter.function.blocks()[0];
        let record = self.record.next().unwrap_or_else(|| entry.instructions()[0]);
        builder.silently_before(record);
        let place = builder.offset(unit, self.record, offset, "");
        builder.store(builder.return_address(unit), place, 8);
    }

    fn place(emitter: &mut Emitter, contents: &Contents, plan: &SlotPlan, size: u64) -> Self {
        let unit = emitter.unit;
        let builder = &emitter.builder;
        let entry = emitter.function.blocks()[0];

        // Addresses first, while every instruction is still where it was.
        builder.silently_before(entry.instructions()[0]);
        let bytes = unit.array(unit.int(8), size);
        let record = builder.alloca(bytes, plan.align.max(ALIGN), c"leno.record");
        let function_word = builder.offset(unit, record, FUNCTION, "");
        let site = builder.offset(unit, record, SITE, "");
        let addresses: HashMap<Value, Value> = plan
            .slots
            .iter()
            .map(|(value, slot)| {
                let name = slot.name.as_deref().unwrap_or("");
                (*value, builder.offset(unit, record, slot.offset, name))
            })
            .collect();
        let mut preamble: HashSet<Value> = addresses.values().copied().collect();
        preamble.extend([function_word, site]);

        for variable in &contents.variables {
            let lifetimes: Vec<Value> =
                variable.users().filter(|user| is_lifetime_marker(*user)).collect();
            lifetimes.into_iter().for_each(Value::erase);
            variable.replace_with(addresses[variable]);
            variable.erase();
        }
        for (param, _) in &contents.copies {
            param.replace_with(addresses[param]);
        }

        let start = entry
            .instructions()
            .into_iter()
            .find(|at| at.opcode() != Opcode::LLVMAlloca && !preamble.contains(at))
            .expect("a block has a terminator");
        builder.silently_before(start);
        let frame = builder.frame_list(unit);
        let caller = builder.load(unit.pointer(), frame);
        builder.store(caller, record, 8);
        let index = unit.const_offset(emitter.place, u64::from(emitter.index));
        builder.store(index, function_word, 8);
        builder.store(unit.null(unit.pointer()), site, 8);
        builder.store(record, frame, 8);
        for (param, size) in &contents.copies {
            builder.copy(addresses[param], *param, unit.const_int(64, *size), ALIGN);
        }
        let offsets = plan.slots.iter().map(|(value, slot)| (addresses[value], slot.offset));
        let offsets = offsets.chain([(site, SITE)]).collect();
        let record = Self { record, site, addresses: offsets };
        record.keep_values(emitter, contents, &addresses, start);
        record
    }

    fn keep_values(
        &self,
        emitter: &Emitter,
        contents: &Contents,
        addresses: &HashMap<Value, Value>,
        start: Value,
    ) {
        for value in &contents.values {
            let at = if value.is_instruction() { point_after(*value) } else { Some(start) };
            let Some(at) = at else { continue };
            let align = emitter.layout.alignment(value.ty());
            emitter.builder.before(at, emitter.function, emitter.unit);
            emitter.builder.store(*value, addresses[value], align);
        }
    }

    /// Unlinks the record at every exit, and links it again behind landing pads and
    /// detours. Comes after the hooks: those of a guaranteed tail call, which is an
    /// exit, belong to the frame.
    pub fn close(&self, emitter: &Emitter) {
        for block in emitter.function.blocks() {
            let instructions = block.instructions();
            let landing = instructions.iter().any(|at| at.opcode() == Opcode::LLVMLandingPad);
            if let Some(at) = block.insertion_point().filter(|_| landing) {
                self.link(emitter, at);
            }
            // A guaranteed tail call leaves the frame before it jumps.
            let exit =
                instructions.iter().find(|at| at.is_call() && at.is_must_tail()).or_else(|| {
                    instructions
                        .last()
                        .filter(|at| matches!(at.opcode(), Opcode::LLVMRet | Opcode::LLVMResume))
                });
            if let Some(exit) = exit {
                let (builder, unit) = (&emitter.builder, emitter.unit);
                builder.before(*exit, emitter.function, unit);
                let caller = builder.load(unit.pointer(), self.record);
                builder.store(caller, builder.frame_list(unit), 8);
            }
        }
        for call in detours(emitter.function) {
            let at = match call.opcode() {
                Opcode::LLVMInvoke => call.normal_destination().insertion_point(),
                _ => point_after(call),
            };
            if let Some(at) = at {
                self.link(emitter, at);
            }
        }
    }

    /// Computes the addresses anew in each block that uses them, when all else is in place:
    /// without optimisation the code generator makes an address part of the instruction that
    /// uses it only if it was computed in the same block. From another one it is carried
    /// along, and every function would begin by computing and storing the address of
    /// each variable.
    pub fn compute_nearby(&self, emitter: &Emitter) {
        let (builder, unit) = (&emitter.builder, emitter.unit);
        for block in emitter.function.blocks().into_iter().skip(1) {
            let mut nearby: HashMap<u64, Value> = HashMap::default();
            for instruction in block.instructions() {
                // What a phi node takes is computed in another block.
                if instruction.opcode() == Opcode::LLVMPHI {
                    continue;
                }
                for (index, operand) in instruction.operands().enumerate() {
                    let Some(offset) = self.addresses.get(&operand) else { continue };
                    let near = *nearby.entry(*offset).or_insert_with(|| {
                        builder.before(instruction, emitter.function, unit);
                        builder.offset(unit, self.record, *offset, "")
                    });
                    instruction.set_operand(index as u32, near);
                }
            }
        }
    }

    fn link(&self, emitter: &Emitter, at: Value) {
        emitter.builder.before(at, emitter.function, emitter.unit);
        let list = emitter.builder.frame_list(emitter.unit);
        emitter.builder.store(self.record, list, 8);
    }
}

/// Calls after which the list may still start at a frame that is gone: those that
/// return a second time, like that of `setjmp`, and those of code without records
/// that may have caught an exception thrown through frames with records.
fn detours(function: Value) -> Vec<Value> {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    instructions
        .filter(|at| at.is_call() && !at.callee().is_inline_asm() && !at.callee().intrinsic())
        .filter(|at| {
            at.call_has_attribute("returns_twice")
                || (hooks::is_unseen(at.callee())
                    && !at.call_has_attribute("nounwind")
                    && !at.call_has_attribute("noreturn"))
        })
        .collect()
}

/// Where a value that has just been computed can be stored.
pub fn point_after(value: Value) -> Option<Value> {
    match value.opcode() {
        Opcode::LLVMPHI | Opcode::LLVMLandingPad => value.block().insertion_point(),
        // Other edges may lead there too; then the value has no place of its own.
        Opcode::LLVMInvoke => {
            let destination = value.normal_destination();
            (destination.predecessors() == 1).then(|| destination.insertion_point())?
        }
        Opcode::LLVMCallBr => None,
        _ if value.is_call() && value.is_must_tail() => None,
        _ => value.next(),
    }
}

fn is_lifetime_marker(user: Value) -> bool {
    user.is_instruction()
        && user.opcode() == Opcode::LLVMCall
        && user.callee().intrinsic()
        && user.callee().name().starts_with("llvm.lifetime.")
}

/// Slots as they are given their places.
struct SlotPlan {
    slots: Vec<(Value, Slot)>,
    end: u64,
    align: u64,
}

impl Default for SlotPlan {
    fn default() -> Self {
        Self { slots: Vec::new(), end: HEADER, align: ALIGN }
    }
}

impl SlotPlan {
    fn add(
        &mut self,
        value: Value,
        size: u64,
        align: u64,
        emitter: &mut Emitter,
        contents: &Contents,
    ) {
        let nothing = Described { name: None, ty: None, line: 0 };
        let variable = contents.names.get(&value);
        let described = variable.map_or(nothing, |variable| emitter.table.describe(*variable));
        let offset = self.end.next_multiple_of(align);
        self.end = offset + size;
        self.align = self.align.max(align);
        let Described { name, ty, line } = described;
        let copied = || contents.copies.iter().any(|(param, _)| *param == value);
        // Of a mere value others have a copy, if anything.
        let variable = (value.is_instruction() && value.opcode() == Opcode::LLVMAlloca) || copied();
        let escapes = variable && is_kept(value);
        let padding = Vec::new();
        self.slots.push((value, Slot { name, offset, size, ty, line, escapes, padding }));
    }

    /// Says which bytes of the last slot mean nothing.
    fn has_padding(&mut self, padding: Vec<(u64, u64)>) {
        if let Some((_, slot)) = self.slots.last_mut() {
            slot.padding = padding;
        }
    }

    /// Makes room for a word that is no slot.
    fn word(&mut self) -> u64 {
        let offset = self.end.next_multiple_of(8);
        self.end = offset + 8;
        offset
    }
}

/// Whether somebody may have the function's address.
fn may_be_called_by_pointer(function: Value) -> bool {
    let calls = |user: Value| {
        let callee = user.is_instruction() && user.is_call() && user.callee() == function;
        callee && !user.arguments().contains(&function)
    };
    !function.is_local() || !function.users().all(calls)
}
