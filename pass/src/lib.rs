//! Bitcode in, instrumented bitcode and site table out.
//!
//! What is emitted is said in `docs/architecture.md`. The pass runs on what the
//! front end made, before any optimisation: a shared access in the source is a
//! shared access here. The optimiser runs afterwards, over hooks that it knows
//! nothing about.

mod assembly;
mod atomics;
mod conventions;
mod escape;
mod frame;
mod hooks;
mod identity;
mod ir;
mod liveness;
mod loops;
mod numbers;
mod patience;
mod points;
mod residual;
mod table;
mod types;

use escape::Private;
use frame::{Contents, Record};
use hooks::Emitter;
use inkwell::{
    context::{AsContextRef, Context},
    memory_buffer::MemoryBuffer,
    module::Module,
};
use ir::{Builder, Layout, Unit, Value};
use leno_model::site::{SECTION, UnitTable};
use points::Points;
use residual::Bodies;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use table::Table;

/// Why a unit could not be instrumented.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{unit}: the bitcode cannot be read: {reason}")]
    Unreadable { unit: String, reason: String },
    #[error("{unit} is compiled for {triple}; leno checks programs for x86-64 Linux")]
    Target { unit: String, triple: String },
    #[error("{unit} has been instrumented already")]
    Instrumented { unit: String },
    /// A mistake in the pass.
    #[error("internal error: the instrumented code of {unit} is not valid: {reason}")]
    Invalid { unit: String, reason: String },
}

/// An instrumented unit.
pub struct Instrumented {
    pub bitcode: Vec<u8>,
    pub table: UnitTable,
}

/// Instruments one unit. `name` is what messages call it.
pub fn instrument(bitcode: &[u8], name: &str) -> Result<Instrumented, Error> {
    let context = Context::create();
    let buffer = MemoryBuffer::create_from_memory_range_copy(bitcode, name);
    let module = Module::parse_bitcode_from_buffer(&buffer, &context).map_err(|reason| {
        Error::Unreadable { unit: name.to_owned(), reason: reason.to_string() }
    })?;
    let unit = Unit { module: module.as_mut_ptr(), context: (&context).as_ctx_ref() };
    let triple = unit.triple();
    if !(triple.starts_with("x86_64") && triple.contains("linux")) || triple.ends_with("x32") {
        return Err(Error::Target { unit: name.to_owned(), triple });
    }
    if unit.has_function("__leno_register") {
        return Err(Error::Instrumented { unit: name.to_owned() });
    }
    let table = instrument_unit(unit);
    module
        .verify()
        .map_err(|reason| Error::Invalid { unit: name.to_owned(), reason: reason.to_string() })?;
    let bitcode = module.write_bitcode_to_memory().as_slice().to_vec();
    Ok(Instrumented { bitcode, table })
}

fn instrument_unit(unit: Unit) -> UnitTable {
    let layout = Layout::of(unit.module);
    let mut table = Table::new(unit);
    for global in unit.globals() {
        table.global(global, layout);
    }
    forget_promises(unit);
    patience::lose(unit);
    conventions::apply(unit);
    assembly::translate(unit, layout);
    let bodies = Bodies::of(unit);
    let place = unit.placeholder(c"leno.unit.placeholder");
    let mut numbers = HashMap::default();
    for function in functions(unit) {
        let number = instrument_function(unit, layout, &mut table, place, &bodies, function);
        numbers.insert(function, number);
    }
    for (name, function) in unit.function_aliases() {
        if let Some(number) = numbers.get(&function) {
            table.alias(name, *number);
        }
    }
    let table = table.finish();
    register(unit, place);
    unit.settle(place, &table.encode(), SECTION, 8);
    table
}

/// The functions that can be instrumented. Naked functions have no frame, and what
/// chooses an implementation while the program is being loaded runs before another
/// file's function can be called.
fn functions(unit: Unit) -> Vec<Value> {
    let early = reachable(unit.resolvers());
    unit.functions()
        .into_iter()
        .filter(|function| !function.is_declaration())
        .filter(|function| !early.contains(function) && !function.has_attribute("naked"))
        .collect()
}

/// These functions and all that they call by name.
fn reachable(functions: Vec<Value>) -> HashSet<Value> {
    let mut found = HashSet::default();
    let mut waiting = functions;
    while let Some(function) = waiting.pop() {
        if !function.is_function() || !found.insert(function) {
            continue;
        }
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        waiting.extend(instructions.filter(|at| at.is_call()).map(|call| call.callee()));
    }
    found
}

/// Takes back what the front end has promised about functions and calls and what
/// is no longer true when a hook may be called on the way: that nothing is read,
/// or written, or that a call may be left out or made at any time. (`optnone` goes
/// too: it would keep the optimiser from cleaning up behind the pass.)
///
/// The optimiser must not make the same promises again because it knows the C library, nor
/// leave out or replace a call that was announced: hence `no-builtins`. (clang's
/// `-fno-builtin` has no effect on bitcode.)
fn forget_promises(unit: Unit) {
    const PROMISES: [&str; 8] = [
        "memory",
        "speculatable",
        "nosync",
        "nofree",
        "willreturn",
        "allockind",
        "allocsize",
        "builtin",
    ];
    for function in unit.functions().into_iter().filter(|function| !function.intrinsic()) {
        function.remove_attribute("optnone");
        function.add_named_attribute(unit, "no-builtins");
        PROMISES.iter().for_each(|promise| function.remove_attribute(promise));
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        for call in instructions.filter(|at| at.is_call() && !at.callee().intrinsic()) {
            PROMISES.iter().for_each(|promise| call.remove_call_attribute(promise));
        }
    }
}

/// Gives its number in the table.
fn instrument_function(
    unit: Unit,
    layout: Layout,
    table: &mut Table,
    place: Value,
    bodies: &Bodies,
    function: Value,
) -> u32 {
    let index = table.function(function);
    // A coroutine has no frame record, so that nothing of it is part of its thread's local
    // state: its writes, at least, are to be noticed.
    let coroutine = function.has_attribute("presplitcoroutine");
    let variables = if coroutine { Vec::new() } else { frame::static_allocas(function) };
    let private = Private::among(variables.into_iter());
    let plan = hooks::plan(function, &private, layout);
    let loops = loops::of(function);
    let contents = Contents::of(function, &plan, &private, layout);
    let looks = identity::looks(function, &private, layout);
    let points = Points::of(function, &plan, contents.as_ref(), bodies, layout);
    let mut emitter = Emitter {
        unit,
        layout,
        builder: Builder::new(unit),
        table,
        place,
        function,
        index,
        points,
        wide: None,
        rest: None,
    };
    let record = contents.map(|contents| Record::build(&mut emitter, &contents));
    identity::tell(&emitter, &looks);
    emitter.emit(&plan, record.as_ref());
    if let Some(record) = &record {
        record.close(&emitter);
    }
    loops::count(&mut emitter, &loops);
    if let Some(record) = record {
        record.compute_nearby(&emitter);
    }
    index
}

/// Has the runtime told of this unit before any other code of it runs.
fn register(unit: Unit, place: Value) {
    let end = unit.add_first_constructor(c"leno.register");
    let hook = unit.runtime_function("__leno_register", unit.void(), &[unit.pointer()]);
    let builder = Builder::new(unit);
    builder.silently_before(end);
    builder.call(hook, &[place]);
}
