//! What a program's file says about itself: leno's tables and the symbols.

use leno_model::site::{SECTION, Site, TableError, UnitHeader, UnitTable, Variable};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolKind};
use std::{collections::BTreeSet, fs, io, path::Path};

/// Why a file's tables cannot be used. The path is the caller's to add.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("not an executable or shared library: {0}")]
    Elf(#[from] object::Error),
    #[error(transparent)]
    Table(#[from] TableError),
}

/// A function or variable of a file. Addresses are those of its section headers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    pub name: String,
    pub address: u64,
    pub size: u64,
    /// The source file, of a symbol that is not visible outside it.
    pub file: Option<String>,
}

/// The tables and symbols of one file. A file that is not instrumented has no units.
#[derive(Debug)]
pub struct Tables {
    /// Each with the address of its header.
    pub units: Vec<(u64, UnitHeader, UnitTable)>,
    /// By address.
    symbols: Vec<Symbol>,
    /// Thread-local variables, by their place in the file's thread-local storage.
    thread_locals: Vec<Symbol>,
    /// There is no symbol table: only what the dynamic linker needs has a name.
    pub stripped: bool,
    /// Functions that other files are to provide.
    undefined: BTreeSet<String>,
    /// The libraries that it is linked with.
    pub libraries: Vec<String>,
    /// It uses a stream that reads standard input. That is a variable, which the linker may
    /// have copied into the program.
    pub reads_input: bool,
}

/// C's, and `std::cin` and `std::wcin` of libstdc++ and of libc++.
const STANDARD_INPUT: [&str; 5] =
    ["stdin", "_ZSt3cin", "_ZSt4wcin", "_ZNSt3__13cinE", "_ZNSt3__14wcinE"];

impl Tables {
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::parse(&fs::read(path)?)
    }

    fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let elf = object::File::parse(bytes)?;
        let mut units = Vec::new();
        if let Some(section) = elf.section_by_name(SECTION) {
            for (at, header, table) in UnitTable::decode_section(&section.uncompressed_data()?)? {
                units.push((section.address() + at, header, table));
            }
        }
        // What the linker found no definition of has no type: it may be a function.
        let data = |kind| matches!(kind, SymbolKind::Data | SymbolKind::Tls);
        let undefined = elf
            .symbols()
            .chain(elf.dynamic_symbols())
            .filter(|symbol| symbol.is_undefined() && !data(symbol.kind()))
            .filter_map(|symbol| Some(base_name(symbol.name().ok()?).to_owned()))
            .filter(|name| !name.is_empty())
            .collect();
        let named = |name: &str| elf.dynamic_symbols().any(|s| s.name().map(base_name) == Ok(name));
        let reads_input = STANDARD_INPUT.iter().any(|name| named(name));
        let symbols = |wanted: &[SymbolKind]| symbols(&elf, wanted);
        Ok(Self {
            units,
            stripped: elf.symbol_table().is_none(),
            symbols: symbols(&[SymbolKind::Text, SymbolKind::Data]),
            thread_locals: symbols(&[SymbolKind::Tls]),
            undefined,
            libraries: libraries(&elf),
            reads_input,
        })
    }

    /// The symbol whose object an address lies in.
    pub fn symbol_at(&self, address: u64) -> Option<&Symbol> {
        around(&self.symbols, address)
    }

    /// The variable that an address lies in, its unit, and the place inside it.
    /// Static variables of different files may have one name; the symbol table
    /// knows which file a symbol is from.
    pub fn variable_at(&self, address: u64) -> Option<(&UnitTable, &Variable, u64)> {
        self.variable_of(self.symbol_at(address)?, address)
    }

    /// The same for a place in the file's thread-local storage.
    pub fn thread_local_at(&self, offset: u64) -> Option<(&UnitTable, &Variable, u64)> {
        self.variable_of(around(&self.thread_locals, offset)?, offset)
    }

    fn variable_of(&self, symbol: &Symbol, address: u64) -> Option<(&UnitTable, &Variable, u64)> {
        let matching = self.units.iter().flat_map(|(_, _, unit)| {
            let named = unit.globals.iter().filter(|variable| variable.symbol == symbol.name);
            named.map(move |variable| (unit, variable))
        });
        let from_file = |unit: &UnitTable| {
            symbol.file.is_none() || symbol.file.as_deref() == last_part(&unit.source)
        };
        let mut matching = matching.collect::<Vec<_>>();
        matching.sort_by_key(|(unit, _)| !from_file(unit));
        let (unit, variable) = *matching.first()?;
        Some((unit, variable, address - symbol.address))
    }

    /// The unit whose table starts at an address.
    pub fn unit_at(&self, address: u64) -> Option<&UnitTable> {
        self.units.iter().find(|(at, _, _)| *at == address).map(|(_, _, unit)| unit)
    }

    /// The site `index` of the unit whose table starts at an address.
    pub fn site(&self, unit: u64, index: u32) -> Option<&Site> {
        self.unit_at(unit)?.sites.get(index as usize)
    }

    /// The names of functions that other files are to provide.
    pub fn undefined(&self) -> impl Iterator<Item = &str> {
        self.undefined.iter().map(String::as_str)
    }
}

/// The names that the dynamic section has of them.
fn libraries(elf: &object::File) -> Vec<String> {
    let data = |name| elf.section_by_name(name).and_then(|section| section.data().ok());
    let (Some(entries), Some(names)) = (data(".dynamic"), data(".dynstr")) else {
        return Vec::new();
    };
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or_default();
    let entries = entries.chunks_exact(16).map(|entry| (word(&entry[..8]), word(&entry[8..])));
    let needed = entries.filter(|(tag, _)| *tag == object::elf::DT_NEEDED.0 as u64);
    let name = |at: u64| names.get(at as usize..)?.split(|byte| *byte == 0).next();
    let names = needed.filter_map(|(_, at)| name(at));
    names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

/// A linker may write a symbol's version behind its name.
fn base_name(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}

fn last_part(path: &str) -> Option<&str> {
    Path::new(path).file_name()?.to_str()
}

/// The symbol whose object an address lies in. Symbols may overlap (aliases, symbols
/// inside others): of those around the address the one that starts last is the closest.
fn around(symbols: &[Symbol], address: u64) -> Option<&Symbol> {
    let behind = symbols.partition_point(|symbol| symbol.address <= address);
    symbols[..behind].iter().rev().find(|symbol| address - symbol.address < symbol.size)
}

/// The symbols of these kinds that have an address, in its order. A stripped file has only those
/// that the dynamic linker needs.
fn symbols(elf: &object::File, wanted: &[SymbolKind]) -> Vec<Symbol> {
    let mut file = None;
    let mut found = Vec::new();
    for symbol in elf.symbols() {
        let Ok(name) = symbol.name() else { continue };
        if symbol.kind() == SymbolKind::File {
            // The local symbols of a source follow its name.
            file = last_part(name).map(str::to_owned);
        } else if let Some(named) = placed(&symbol, wanted) {
            found.push(Symbol { file: file.clone().filter(|_| symbol.is_local()), ..named });
        }
    }
    if found.is_empty() {
        found.extend(elf.dynamic_symbols().filter_map(|symbol| placed(&symbol, wanted)));
    }
    found.sort_by_key(|symbol| symbol.address);
    found
}

fn placed<'d>(symbol: &impl object::ObjectSymbol<'d>, wanted: &[SymbolKind]) -> Option<Symbol> {
    // Of a thread-local one `is_definition` knows nothing.
    let defined = symbol.is_definition() || symbol.kind() == SymbolKind::Tls;
    let placed =
        wanted.contains(&symbol.kind()) && defined && !symbol.is_undefined() && symbol.size() > 0;
    let name = base_name(symbol.name().ok()?).to_owned();
    placed.then(|| Symbol { name, address: symbol.address(), size: symbol.size(), file: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_is_refused() {
        assert!(matches!(Tables::parse(b"#!/bin/sh\n"), Err(Error::Elf(_))));
        assert!(matches!(Tables::read(Path::new("/does/not/exist")), Err(Error::Io(_))));
    }

    #[test]
    fn this_very_program_has_symbols_but_no_tables() {
        let tables = Tables::read(&std::env::current_exe().unwrap()).unwrap();
        assert!(tables.units.is_empty());
        assert!(tables.undefined().any(|name| name == "malloc"));
        let main = tables.symbols.iter().find(|symbol| symbol.name == "main").unwrap();
        assert_eq!(tables.symbol_at(main.address + 1).unwrap().name, "main");
        assert!(tables.symbol_at(0).is_none());
    }
}
