//! What the runtime is told, and where.
//!
//! First a [`Plan`] of one function is made: which instructions get which hook.
//! Nothing is changed by that, so that the frame record can be laid out with the
//! plan in hand (a value needs a slot only if it lives across a hook or a call).
//! Then the plan is carried out.

use crate::{
    assembly,
    atomics::{self, Atomic},
    escape::Private,
    frame::{Record, point_after},
    ir::{Builder, Callee, Layout, Opcode, Ordering, Type, Unit, Value},
    points::Points,
    table::Table,
};
use leno_model::site::SiteKind;

/// What is done about one instruction.
#[derive(Clone, Debug)]
pub enum Action {
    /// A plain load.
    Read,
    /// A plain store.
    Write,
    /// A destructor's store of the address of its class's vtable, which is there already
    /// unless a derived class was destroyed before.
    Vtable,
    /// `memset`.
    Fill,
    /// `memcpy` and `memmove`; what is private is not mentioned.
    Copy {
        read: bool,
        write: bool,
    },
    /// Replaced by a call of the runtime.
    Atomic(Atomic),
    /// Inline assembly of which it is known what it may access.
    Assembly(Vec<assembly::Range>),
    Call(Call),
}

#[derive(Clone, Debug)]
pub struct Call {
    /// By name, if it has one.
    callee: Option<String>,
    /// The code is not seen by this unit's pass and gets pointers: `__leno_extern`.
    announced: bool,
    /// Arguments that the call itself copies out of shared memory.
    copied: Vec<u32>,
    /// It is not a call for the frame record: inline assembly.
    assembly: bool,
}

impl Action {
    /// The runtime gets control before the instruction does.
    pub fn interrupts(&self) -> bool {
        match self {
            Action::Call(call) => call.announced || !call.copied.is_empty(),
            _ => true,
        }
    }

    /// The runtime gets control once more when the instruction has run.
    pub fn is_announced(&self) -> bool {
        matches!(self, Action::Call(call) if call.announced && !call.assembly)
    }

    /// Other code runs, and returns, while the instruction does.
    pub fn calls(&self) -> bool {
        matches!(self, Action::Call(call) if !call.assembly)
    }
}

/// The hooks of one function, in the order of its instructions.
pub type Plan = Vec<(Value, Action)>;

pub fn plan(function: Value, private: &Private, layout: Layout) -> Plan {
    let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
    let destructor = is_destructor(&function.name());
    instructions
        .filter_map(|instruction| Some((instruction, action(instruction, private, layout)?)))
        .map(|(instruction, action)| match action {
            Action::Write if destructor && stores_vtable(instruction) => {
                (instruction, Action::Vtable)
            }
            action => (instruction, action),
        })
        .collect()
}

fn action(instruction: Value, private: &Private, layout: Layout) -> Option<Action> {
    let atomic = || atomics::of(instruction, layout).map(Action::Atomic);
    match instruction.opcode() {
        Opcode::LLVMLoad => {
            let plain = instruction.ordering() == Ordering::LLVMAtomicOrderingNotAtomic;
            (!private.for_reading(instruction.operand(0)))
                .then(|| (!plain).then(atomic).flatten().unwrap_or(Action::Read))
        }
        Opcode::LLVMStore => {
            let plain = instruction.ordering() == Ordering::LLVMAtomicOrderingNotAtomic;
            (!private.for_writing(instruction.operand(1)))
                .then(|| (!plain).then(atomic).flatten().unwrap_or(Action::Write))
        }
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
            // An operation that the runtime has no number for stays native and is
            // announced as a write. One on 16 bytes must not stay, private or not: not
            // every target has an instruction for it.
            let wide = layout.store_size(instruction.operand(1).ty()) == 16;
            (wide || !private.for_writing(instruction.operand(0)))
                .then(|| atomic().unwrap_or(Action::Write))
        }
        Opcode::LLVMFence => atomic(),
        Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr => {
            if instruction.callee().intrinsic() {
                intrinsic(instruction, private)
            } else {
                atomics::of(instruction, layout)
                    .map(Action::Atomic)
                    .or_else(|| call(instruction, private, layout))
            }
        }
        _ => None,
    }
}

fn is_destructor(symbol: &str) -> bool {
    symbol.starts_with("_Z") && ["D0Ev", "D1Ev", "D2Ev"].iter().any(|end| symbol.ends_with(end))
}

/// Whether an instruction stores the address of a vtable. (In a constructor that is a store
/// like any other: it makes an object of what was none.)
fn stores_vtable(instruction: Value) -> bool {
    let table = || instruction.operand(0).gep_base();
    instruction.opcode() == Opcode::LLVMStore
        && table().is_some_and(|it| it.is_global_variable() && it.name().starts_with("_ZTV"))
}

fn intrinsic(instruction: Value, private: &Private) -> Option<Action> {
    let name = instruction.callee().name();
    let write = || !private.for_writing(instruction.operand(0));
    if name.starts_with("llvm.memset.") {
        return write().then_some(Action::Fill);
    }
    if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
        let read = !private.for_reading(instruction.operand(1));
        return (read || write()).then(|| Action::Copy { read, write: write() });
    }
    None
}

fn call(instruction: Value, private: &Private, layout: Layout) -> Option<Action> {
    let callee = instruction.callee();
    let arguments = instruction.arguments();
    let takes_pointer = arguments.iter().any(|argument| argument.ty().is_pointer());
    if callee.is_inline_asm() {
        return inline_assembly(instruction, private, layout);
    }
    let copied = (0..arguments.len() as u32)
        .filter(|index| instruction.byval_argument(*index).is_some())
        .filter(|index| !private.for_reading(arguments[*index as usize]))
        .collect();
    Some(Action::Call(Call {
        callee: callee.is_global().then(|| symbol(callee)),
        announced: is_unseen(callee)
            && takes_pointer
            && !instruction.call_has_attribute("noreturn"),
        copied,
        assembly: false,
    }))
}

/// Assembly that has not been translated: its operands tell what it accesses, or it is like a
/// function that nobody knows.
fn inline_assembly(call: Value, private: &Private, layout: Layout) -> Option<Action> {
    if !assembly::may_touch_anything(call, layout) {
        return None;
    }
    if let Some(mut ranges) = assembly::ranges(call, layout) {
        ranges.retain(|range| {
            let pointer = call.operand(range.argument);
            if range.write { !private.for_writing(pointer) } else { !private.for_reading(pointer) }
        });
        return (!ranges.is_empty()).then_some(Action::Assembly(ranges));
    }
    Some(Action::Call(Call {
        callee: Some("asm".into()),
        announced: true,
        copied: Vec::new(),
        assembly: true,
    }))
}

/// A function's name for the linker. LLVM marks one that was given in the source
/// (`__asm__("__isoc99_sscanf")`) by a first character of 1.
fn symbol(function: Value) -> String {
    let name = function.name();
    name.strip_prefix('\u{1}').map_or_else(|| name.clone(), str::to_owned)
}

/// Whether a callee's code is not in this unit, or is not known here. A body that is only
/// there to be inlined counts as none: what is called may be the library's.
pub fn is_unseen(callee: Value) -> bool {
    !callee.is_global()
        || (callee.is_function() && (callee.is_declaration() || callee.is_only_for_inlining()))
}

/// Carries the plan of one function out.
pub struct Emitter<'t> {
    pub unit: Unit,
    pub layout: Layout,
    pub builder: Builder,
    pub table: &'t mut Table,
    /// The global that the unit's table will be.
    pub place: Value,
    pub function: Value,
    /// The function's index in the table.
    pub index: u32,
    /// What is known of the frame at its instructions.
    pub points: Points,
    /// Memory in which 16-byte values travel, when some do.
    pub wide: Option<(Value, Value)>,
    /// Memory in which variadic arguments are shown to the runtime, when some are.
    pub rest: Option<Value>,
}

impl Emitter<'_> {
    pub fn emit(&mut self, plan: &Plan, record: Option<&Record>) {
        self.make_room(plan);
        for (instruction, action) in plan {
            self.builder.before(*instruction, self.function, self.unit);
            match action {
                Action::Read => {
                    let size = self.size_of(instruction.ty());
                    self.touch(SiteKind::Read, *instruction, instruction.operand(0), size);
                    instruction.make_volatile();
                }
                Action::Write => {
                    let (pointer, value) = match instruction.opcode() {
                        Opcode::LLVMStore => (1, 0),
                        _ => (0, 1),
                    };
                    let size = self.size_of(instruction.operand(value).ty());
                    self.touch(SiteKind::Write, *instruction, instruction.operand(pointer), size);
                    instruction.make_volatile();
                }
                Action::Vtable => self.vtable(*instruction),
                Action::Fill => {
                    let size = self.length(*instruction);
                    self.touch(SiteKind::Write, *instruction, instruction.operand(0), size);
                    self.make_intrinsic_volatile(*instruction);
                }
                Action::Copy { read, write } => self.copy(*instruction, *read, *write),
                Action::Atomic(atomic) => atomics::emit(self, *instruction, atomic),
                Action::Assembly(ranges) => self.assembly(*instruction, ranges),
                Action::Call(call) => self.call(*instruction, call, record),
            }
        }
    }

    /// The address that stands for a new site.
    pub fn site(&mut self, kind: SiteKind, instruction: Value) -> Value {
        let index = self.table.site(kind, instruction, self.index);
        let (before, behind) = (self.points.before(instruction), self.points.behind(instruction));
        self.table.set_residual(index, before, behind);
        self.unit.const_offset(self.place, u64::from(index))
    }

    /// The same for what is told when a call has returned.
    fn site_behind(&mut self, kind: SiteKind, call: Value) -> Value {
        let index = self.table.site(kind, call, self.index);
        self.table.set_residual(index, self.points.returned(call), None);
        self.unit.const_offset(self.place, u64::from(index))
    }

    pub fn runtime(&self, name: &str, result: Type, parameters: &[Type]) -> Callee {
        self.unit.runtime_function(name, result, parameters)
    }

    /// Two pieces of memory in which 16-byte values travel to the runtime and back.
    pub fn wide_memory(&mut self) -> (Value, Value) {
        let (unit, function) = (self.unit, self.function);
        *self.wide.get_or_insert_with(|| {
            let builder = Builder::new(unit);
            builder.silently_before(function.blocks()[0].instructions()[0]);
            let first = builder.alloca(unit.int(128), 16, c"leno.wide");
            (first, builder.alloca(unit.int(128), 16, c"leno.wide"))
        })
    }

    fn size_of(&self, ty: Type) -> Value {
        self.unit.const_int(64, self.layout.store_size(ty))
    }

    /// The third argument of a memory intrinsic.
    fn length(&self, intrinsic: Value) -> Value {
        self.builder.resize(intrinsic.operand(2), self.unit.int(64))
    }

    fn touch(&mut self, kind: SiteKind, instruction: Value, pointer: Value, size: Value) {
        let name = if kind == SiteKind::Read { "__leno_read" } else { "__leno_write" };
        let site = self.site(kind, instruction);
        let (pointer_type, long) = (self.unit.pointer(), self.unit.int(64));
        let hook = self.runtime(name, self.unit.void(), &[pointer_type, pointer_type, long]);
        self.builder.call(hook, &[site, pointer, size]);
    }

    fn vtable(&mut self, store: Value) {
        let site = self.site(SiteKind::Write, store);
        let pointer = self.unit.pointer();
        let hook = self.runtime("__leno_vtable", self.unit.void(), &[pointer, pointer, pointer]);
        self.builder.call(hook, &[site, store.operand(1), store.operand(0)]);
        store.make_volatile();
    }

    fn copy(&mut self, instruction: Value, read: bool, write: bool) {
        let (to, from) = (instruction.operand(0), instruction.operand(1));
        let size = self.length(instruction);
        match (read, write) {
            (true, false) => self.touch(SiteKind::Read, instruction, from, size),
            (false, _) => self.touch(SiteKind::Write, instruction, to, size),
            (true, true) => {
                let site = self.site(SiteKind::Copy, instruction);
                let (pointer, long) = (self.unit.pointer(), self.unit.int(64));
                let hook = self.runtime(
                    "__leno_copy",
                    self.unit.void(),
                    &[pointer, pointer, pointer, long],
                );
                self.builder.call(hook, &[site, to, from, size]);
            }
        }
        self.make_intrinsic_volatile(instruction);
    }

    /// All that the assembly accesses is one event: it is performed behind the hook, so that
    /// nobody may come in between. The ranges are shown to the runtime as triples of words:
    /// address, length, whether it is written.
    fn assembly(&mut self, instruction: Value, ranges: &[assembly::Range]) {
        let kind = match (ranges.iter().any(|r| !r.write), ranges.iter().any(|r| r.write)) {
            (true, true) => SiteKind::Copy,
            (_, true) => SiteKind::Write,
            (_, false) => SiteKind::Read,
        };
        let site = self.site(kind, instruction);
        let (unit, pointer, long) = (self.unit, self.unit.pointer(), self.unit.int(64));
        let entry = Builder::new(unit);
        entry.silently_before(self.function.blocks()[0].instructions()[0]);
        let words = unit.array(long, 3 * ranges.len() as u64);
        let shown = entry.alloca(words, 8, c"leno.ranges");
        for (index, range) in ranges.iter().enumerate() {
            let address = self.builder.pointer_to_int(instruction.operand(range.argument), long);
            let size = unit.const_int(64, range.size);
            let write = unit.const_int(64, u64::from(range.write));
            for (place, word) in [address, size, write].into_iter().enumerate() {
                let at = self.builder.offset(unit, shown, 8 * (3 * index + place) as u64, "");
                self.builder.store(word, at, 8);
            }
        }
        let hook = self.runtime("__leno_assembly", unit.void(), &[pointer, pointer, long]);
        let count = unit.const_int(64, ranges.len() as u64);
        self.builder.call(hook, &[site, shown, count]);
    }

    /// The last argument of these intrinsics says whether they are volatile; only
    /// of those on atomic elements it is something else.
    fn make_intrinsic_volatile(&self, intrinsic: Value) {
        let flag = intrinsic.operand(3);
        if flag.ty().is_int() && flag.ty().int_width() == 1 {
            intrinsic.set_argument(3, self.unit.const_int(1, 1));
        }
    }

    fn call(&mut self, instruction: Value, call: &Call, record: Option<&Record>) {
        let site = self.site(SiteKind::Call(call.callee.clone()), instruction);
        instruction.clear_tail();
        if let Some(record) = record.filter(|_| !call.assembly) {
            self.builder.store(site, record.site, 8);
        }
        for index in &call.copied {
            if let Some(ty) = instruction.byval_argument(*index) {
                let size = self.unit.const_int(64, self.layout.size(ty));
                self.touch(SiteKind::Read, instruction, instruction.operand(*index), size);
            }
        }
        if call.announced {
            self.announce(instruction, site, call);
        }
    }

    /// Tells the runtime of a call before it is made and when it has returned. The site
    /// of the return is another one: to come back to a site is to repeat something.
    fn announce(&mut self, instruction: Value, site: Value, call: &Call) {
        let (pointer, long) = (self.unit.pointer(), self.unit.int(64));
        let arguments = instruction.arguments();
        // What is only there to be inlined may have no address.
        let callee = instruction.callee();
        let nowhere = call.assembly || (callee.is_function() && callee.is_only_for_inlining());
        let callee = if nowhere { self.unit.null(pointer) } else { callee };
        let count = self.unit.const_int(32, arguments.len() as u64);
        let mut values = vec![site, callee, count];
        for index in 0..6 {
            values.push(match arguments.get(index) {
                Some(argument) if argument.ty().is_pointer() => {
                    self.builder.pointer_to_int(*argument, long)
                }
                Some(argument) if argument.ty().is_int() && argument.ty().int_width() <= 64 => {
                    self.builder.resize(*argument, long)
                }
                _ => self.unit.const_int(64, 0),
            });
        }
        values.push(self.lay_out(instruction).unwrap_or_else(|| self.unit.null(pointer)));
        let mut parameters = vec![pointer, pointer, self.unit.int(32)];
        parameters.extend([long; 6]);
        parameters.push(pointer);
        let hook = self.runtime("__leno_extern", self.unit.void(), &parameters);
        self.builder.call(hook, &values);

        let twice = !call.assembly && instruction.call_has_attribute("returns_twice");
        let Some(point) = point_after(instruction).filter(|_| !call.assembly && !twice) else {
            return;
        };
        self.builder.at(point, instruction, self.function, self.unit);
        values[0] = self.site_behind(SiteKind::Call(call.callee.clone()), instruction);
        let ty = instruction.ty();
        values.push(if ty.is_pointer() {
            self.builder.pointer_to_int(instruction, long)
        } else if ty.is_int() && ty.int_width() <= 64 {
            self.builder.resize_signed(instruction, long)
        } else {
            self.unit.const_int(64, 0)
        });
        parameters.push(long);
        let hook = self.runtime("__leno_returned", self.unit.void(), &parameters);
        self.builder.call(hook, &values);
    }

    /// Memory for the variadic arguments of whichever call of the function has the most.
    fn make_room(&mut self, plan: &Plan) {
        let announced = plan.iter().filter(|(_, action)| match action {
            Action::Call(call) => call.announced && !call.assembly,
            _ => false,
        });
        let sizes = announced.filter_map(|(call, _)| Some(self.rest_of(*call).last()?.2));
        let Some(size) = sizes.max() else { return };
        let builder = Builder::new(self.unit);
        builder.silently_before(self.function.blocks()[0].instructions()[0]);
        let bytes = self.unit.array(self.unit.int(8), size);
        self.rest = Some(builder.alloca(bytes, 16, c"leno.rest"));
    }

    /// The variadic arguments of a call, each with where it begins and ends when all of
    /// them lie on the stack, as the x86-64 ABI says.
    fn rest_of(&self, call: Value) -> Vec<(Value, u64, u64)> {
        let Some(fixed) = call.fixed_arguments() else { return Vec::new() };
        let mut end = 0u64;
        let arguments = call.arguments().into_iter().enumerate().skip(fixed);
        arguments
            .map(|(index, argument)| {
                let ty = call.byval_argument(index as u32).unwrap_or_else(|| argument.ty());
                let (size, align) = match ty.is_storable() {
                    true => (self.layout.size(ty), self.layout.alignment(ty)),
                    false => (8, 8),
                };
                let start = end.next_multiple_of(align.clamp(8, 16));
                end = start + size.next_multiple_of(8);
                (argument, start, end)
            })
            .collect()
    }

    /// Puts the variadic arguments of a call where the runtime finds them.
    fn lay_out(&mut self, call: Value) -> Option<Value> {
        let fixed = call.fixed_arguments()?;
        let area = self.rest?;
        for (index, (argument, start, _)) in self.rest_of(call).into_iter().enumerate() {
            let place = self.builder.offset(self.unit, area, start, "");
            let ty = argument.ty();
            if let Some(ty) = call.byval_argument((fixed + index) as u32) {
                let size = self.unit.const_int(64, self.layout.size(ty));
                self.builder.copy(place, argument, size, 8);
            } else if ty.is_int() && ty.int_width() < 64 {
                let long = self.builder.resize(argument, self.unit.int(64));
                self.builder.store(long, place, 8);
            } else if ty.is_storable() {
                self.builder.store(argument, place, 8);
            }
        }
        Some(area)
    }
}
