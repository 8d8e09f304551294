//! What the tables say about the places and objects that the runtime reports.
//!
//! Everything that a person reads goes through here: sites become functions and
//! lines, objects become variables.

use crate::{
    demangle,
    error::Error,
    tables::Tables,
    types::{self, part},
    words,
};
use leno_model::{
    ThreadId,
    object::Object,
    site::{Function, Position, SiteId, SiteKind, UnitTable, Variable, digest},
    thread::{ThreadName, ThreadTable},
    wire::{Trace, Unit},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The instrumented files of a program.
#[derive(Default)]
pub struct Images {
    units: Vec<Unit>,
    /// By the name that the runtime uses for the file.
    tables: BTreeMap<String, Tables>,
    /// For each unit its place in its file's tables.
    places: Vec<Option<usize>>,
}

/// A function that was being executed, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    pub function: String,
    pub file: String,
    /// Where to look for the file.
    pub path: PathBuf,
    pub line: u32,
    /// The line's text when the bug was found, where that is kept.
    pub source: Option<String>,
    /// The function of the C++ library that is called there, if that is where the thread
    /// is: the library's own functions are no frames.
    #[serde(default)]
    pub within: Option<String>,
}

impl Frame {
    /// Whether the code is the C++ library's, whose templates are compiled with the
    /// program, or what leno-c++ has in its place (`include/leno-c++`).
    fn is_library(&self) -> bool {
        ["/include/c++/", "/include/leno-c++/"].iter().any(|folder| self.file.contains(folder))
    }
}

/// An object, or a part of one, in the user's words.
pub struct Named<'a> {
    /// Short enough to stand in a sentence.
    pub name: String,
    /// What kind of object this is and where it comes from.
    pub origin: Option<String>,
    pub ty: Option<(&'a UnitTable, u32)>,
}

impl Images {
    /// Reads the tables of all units that the runtime has found.
    pub fn load(units: Vec<Unit>) -> Result<Self, Error> {
        let mut images = Self { units, ..Self::default() };
        for unit in &images.units {
            let path = Path::new(&unit.image);
            if !images.tables.contains_key(&unit.image) {
                let tables = Tables::read(path)
                    .map_err(|source| Error::Table { path: path.to_path_buf(), source })?;
                images.tables.insert(unit.image.clone(), tables);
            }
            let known = &images.tables[&unit.image].units;
            let place = known.iter().position(|(address, header, _)| {
                *address == unit.address && header.digest == unit.digest
            });
            images.places.push(place);
        }
        Ok(images)
    }

    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// A unit's table, by its number in the runtime's list.
    pub fn unit(&self, number: u32) -> Option<&UnitTable> {
        let place = (*self.places.get(number as usize)?)?;
        let image = &self.units[number as usize].image;
        Some(&self.tables[image].units[place].2)
    }

    /// All sites.
    pub fn sites(&self) -> impl Iterator<Item = (SiteId, &SiteKind)> {
        let units = (0..self.units.len() as u32).filter_map(|unit| Some((unit, self.unit(unit)?)));
        units.flat_map(|(unit, table)| {
            let sites = table.sites.iter().enumerate();
            sites.map(move |(index, site)| (SiteId { unit, index: index as u32 }, &site.kind))
        })
    }

    /// The symbols of all functions that are instrumented.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        let tables = (0..self.units.len() as u32).filter_map(|unit| self.unit(unit));
        tables.flat_map(|table| &table.functions).map(|function| function.symbol.as_str())
    }

    /// The instrumented files, each with a digest of its content.
    pub fn files(&self) -> Result<Vec<(String, String)>, Error> {
        let file = |image: &String| {
            let read = fs::read(image);
            let bytes = read.map_err(|source| Error::Read { path: image.into(), source })?;
            Ok((image.clone(), format!("{:016x}", digest(&bytes))))
        };
        self.tables.keys().map(file).collect()
    }

    /// Whether one of them uses a stream that reads standard input.
    pub fn reads_input(&self) -> bool {
        self.tables.values().any(|tables| tables.reads_input)
    }

    /// The functions that the instrumented files want from others.
    pub fn imported(&self) -> impl Iterator<Item = &str> {
        self.tables.values().flat_map(Tables::undefined)
    }

    pub fn kind(&self, site: SiteId) -> Option<&SiteKind> {
        Some(&self.unit(site.unit)?.sites.get(site.index as usize)?.kind)
    }

    /// The functions of one site, more than one where they were inlined; innermost first.
    pub fn frames(&self, site: SiteId) -> Vec<Frame> {
        let Some(table) = self.unit(site.unit) else { return Vec::new() };
        let Some(site) = table.sites.get(site.index as usize) else { return Vec::new() };
        let places = [(site.function, site.at)].into_iter().chain(site.inlined_at.iter().copied());
        places
            .map(|(function, at)| {
                let function = table.functions.get(function as usize);
                frame(table, &function.map_or_else(|| "?".into(), called), at.file, at.line)
            })
            .collect()
    }

    /// The functions at a site as [`Images::frames`] has them: the name in the source, the
    /// symbol, and the file.
    pub fn functions_at(&self, site: SiteId) -> Vec<(&str, &str, &str)> {
        let Some(table) = self.unit(site.unit) else { return Vec::new() };
        let Some(site) = table.sites.get(site.index as usize) else { return Vec::new() };
        let places = [(site.function, site.at)].into_iter().chain(site.inlined_at.iter().copied());
        let described = |(function, at): (u32, Position)| {
            let function = table.functions.get(function as usize)?;
            let file = table.files.get(at.file as usize).unwrap_or(&table.source);
            Some((function.name.as_str(), function.symbol.as_str(), file.as_str()))
        };
        places.filter_map(described).collect()
    }

    /// A stack of sites as frames, innermost first. Frames of the C++ library are left
    /// out, unless there are no others: what was called of it is told with its caller.
    pub fn stack(&self, sites: &[SiteId]) -> Vec<Frame> {
        let all: Vec<_> = sites.iter().flat_map(|site| self.frames(*site)).collect();
        if all.iter().all(Frame::is_library) {
            return all;
        }
        let mut frames = Vec::new();
        let mut within = None;
        for mut frame in all {
            if frame.is_library() {
                within = Some(frame.function);
                continue;
            }
            frame.within = within.take();
            frames.push(frame);
        }
        frames
    }

    /// What to call the `len` bytes at this place.
    pub fn name(&self, object: &Object, len: u64, threads: &Threads) -> Named<'_> {
        match object {
            Object::Global { image, offset } => self.global(image, *offset, len),
            Object::Heap { thread, index, size, offset, allocated_at, freed } => {
                let inside = if *offset == 0 { String::new() } else { format!(" + {offset}") };
                let place = allocated_at.and_then(|site| self.frames(site).into_iter().next());
                let (short, long) = match &place {
                    Some(at) => (
                        format!("allocated at {}:{}", at.file, at.line),
                        format!(" at {}:{} in {}", at.file, at.line, at.function),
                    ),
                    None => (format!("#{index} of {}", threads.name(*thread)), String::new()),
                };
                let freed = if *freed { ", freed since" } else { "" };
                Named {
                    name: format!("heap block ({short}){inside}"),
                    origin: Some(format!(
                        "a block of {size} bytes, allocated by {}{long}{freed}",
                        threads.name(*thread)
                    )),
                    ty: None,
                }
            }
            Object::Frame { thread, function, offset } => {
                self.local(*thread, *function, *offset, len, threads)
            }
            Object::Stack { thread, offset } => {
                plain(format!("the stack of {} at −{offset}", threads.name(*thread)))
            }
            Object::ThreadLocal { thread, image, offset } => {
                let thread = threads.name(*thread);
                let tables = image.as_ref().and_then(|image| self.tables.get(image));
                match tables.and_then(|tables| tables.thread_local_at(*offset as u64)) {
                    Some((table, variable, inside)) => {
                        let mut named = self.variable(table, variable, inside, len);
                        named.name += &format!(" of {thread}");
                        named
                    }
                    None => plain(format!("thread-local storage of {thread} at {offset}")),
                }
            }
            Object::Outside { name } => plain(name.clone()),
            Object::Unknown { addr } => plain(format!("address {addr:#x}")),
        }
    }

    fn global(&self, image: &str, offset: u64, len: u64) -> Named<'_> {
        let file = || Path::new(image).file_name().unwrap_or_default().to_string_lossy();
        let Some(tables) = self.tables.get(image) else {
            return plain(format!("{} at {offset:#x}", file()));
        };
        let Some((table, variable, inside)) = tables.variable_at(offset) else {
            // Data of code that is not instrumented has a symbol at best.
            return plain(match tables.symbol_at(offset) {
                Some(symbol) if symbol.address == offset => demangle::plain(&symbol.name),
                Some(symbol) => {
                    format!("{} + {}", demangle::plain(&symbol.name), offset - symbol.address)
                }
                None => format!("{} at {offset:#x}", file()),
            });
        };
        self.variable(table, variable, inside, len)
    }

    /// A part of a variable that has one place in memory, or one for each thread.
    fn variable<'a>(
        &self,
        table: &'a UnitTable,
        variable: &Variable,
        inside: u64,
        len: u64,
    ) -> Named<'a> {
        let (path, leaf) = match variable.ty {
            Some(ty) => part(table, ty, inside, len),
            None if inside == 0 => (String::new(), None),
            None => (format!(" + {inside}"), None),
        };
        let owner = variable.function.and_then(|f| table.functions.get(f as usize));
        let kind = match owner {
            Some(function) => format!("static in {}", called(function)),
            None if variable.thread_local => "a thread-local variable".to_string(),
            None => "a global variable".to_string(),
        };
        let declared = frame(table, "", variable.file, variable.line);
        // A member of a class or a namespace.
        let name = match variable.symbol.starts_with("_ZN") {
            true => demangle::plain(&variable.symbol),
            false => variable.name.clone(),
        };
        Named {
            name: format!("{name}{path}"),
            origin: Some(format!(
                "{name} is {kind}, declared at {}:{}",
                declared.file, declared.line
            )),
            ty: leaf.map(|ty| (table, ty)),
        }
    }

    fn local(
        &self,
        thread: ThreadId,
        function: SiteId,
        offset: u64,
        len: u64,
        threads: &Threads,
    ) -> Named<'_> {
        let owner = self
            .unit(function.unit)
            .and_then(|table| Some((table, table.functions.get(function.index as usize)?)));
        let Some((table, function)) = owner else {
            return plain(format!("a local variable of {}", threads.name(thread)));
        };
        let inside = |from: u64, size: u64| from <= offset && offset < from + size;
        let slot = function.frame.slots.iter().find(|slot| inside(slot.offset, slot.size));
        let Some((slot, name)) = slot.and_then(|slot| Some((slot, slot.name.as_ref()?))) else {
            return plain(format!("a value of {} in {}", threads.name(thread), called(function)));
        };
        let (path, leaf) = match slot.ty {
            Some(ty) => part(table, ty, offset - slot.offset, len),
            None => (String::new(), None),
        };
        Named {
            name: format!("{name}{path}"),
            origin: Some(format!(
                "{name} is a local variable of {} in {}",
                called(function),
                threads.name(thread)
            )),
            ty: leaf.map(|ty| (table, ty)),
        }
    }

    /// The value of bytes that were read or written there.
    pub fn value(&self, named: &Named, bytes: &[u8]) -> String {
        types::value(named.ty, bytes)
    }
}

fn plain(name: String) -> Named<'static> {
    Named { name, origin: None, ty: None }
}

fn frame(table: &UnitTable, function: &str, file: u32, line: u32) -> Frame {
    let file = &straight(table.files.get(file as usize).unwrap_or(&table.source));
    Frame {
        function: function.to_string(),
        file: file.clone(),
        path: Path::new(&table.directory).join(file),
        line,
        source: None,
        within: None,
    }
}

/// A path that begins at the root, without the detours that compilers make to their
/// headers (`/usr/lib/gcc/…/12/../../../../include`).
fn straight(path: &str) -> String {
    if !path.starts_with('/') || !path.contains("/..") {
        return path.to_string();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    format!("/{}", parts.join("/"))
}

/// What a function is called in reports.
fn called(function: &Function) -> String {
    match function.symbol.starts_with("_Z") {
        true => demangle::plain(&function.symbol),
        false => function.name.clone(),
    }
}

/// What the threads of a trace are called: `main`, `T1`, `T1.2`, by who created whom.
pub struct Threads {
    table: ThreadTable,
    /// The outermost function that each was seen in; not the C++ library's.
    starts: BTreeMap<ThreadId, String>,
}

impl Threads {
    pub fn of(trace: &Trace, images: &Images) -> Self {
        let mut starts = BTreeMap::new();
        for step in &trace.steps {
            if let Some(start) = images.stack(&step.stack).pop().filter(|s| !s.is_library()) {
                starts.entry(step.thread).or_insert(start.function);
            }
        }
        Self { table: ThreadTable::from_names(trace.threads.clone()), starts }
    }

    /// Threads of which only their names are known.
    pub fn named(names: Vec<ThreadName>) -> Self {
        Self { table: ThreadTable::from_names(names), starts: BTreeMap::new() }
    }

    pub fn name(&self, thread: ThreadId) -> String {
        let path = self.table.path(thread);
        if path.is_empty() && thread != ThreadId::MAIN {
            // A number that the trace does not name.
            return format!("thread {}", thread.0);
        }
        words::thread_name(&path)
    }

    /// The name with the start function: `T1 (worker)`.
    pub fn label(&self, thread: ThreadId) -> String {
        let name = self.name(thread);
        match self.starts.get(&thread) {
            Some(start) if thread != ThreadId::MAIN => format!("{name} ({start})"),
            _ => name,
        }
    }
}
