//! Gathers the site table while the pass goes through the unit.

use crate::{
    ir::{Layout, Node, NodeKind, Nodes, Unit, Value},
    types::Types,
};
use leno_model::site::{Frame, Function, Position, Residual, Site, SiteKind, UnitTable, Variable};
use rustc_hash::FxHashMap as HashMap;

// Places of operands (LLVM's DebugInfoMetadata.h).
const SCOPE: usize = 1;
const SUBPROGRAM_NAME: usize = 2;
const SUBPROGRAM_SYMBOL: usize = 3;
const VARIABLE_NAME: usize = 1;
const VARIABLE_TYPE: usize = 3;

pub struct Table {
    nodes: Nodes,
    unit: UnitTable,
    files: HashMap<String, u32>,
    functions: HashMap<Node, u32>,
    types: Types,
}

/// What debug info says about a variable.
pub struct Described {
    pub name: Option<String>,
    pub ty: Option<u32>,
    pub line: u32,
}

impl Table {
    pub fn new(unit: Unit) -> Self {
        let nodes = Nodes::new(unit.context);
        let file = unit.compile_unit().and_then(|node| nodes.operand(node, 0));
        let (source, directory) =
            file.map_or_else(|| (unit.source_name(), String::new()), Node::file_name);
        let mut table = Self {
            nodes,
            unit: UnitTable { source: source.clone(), directory, ..UnitTable::default() },
            files: HashMap::default(),
            functions: HashMap::default(),
            types: Types::new(nodes),
        };
        table.file_named(source);
        table
    }

    pub fn finish(mut self) -> UnitTable {
        self.unit.types = self.types.list;
        self.unit
    }

    fn file_named(&mut self, name: String) -> u32 {
        let next = self.unit.files.len() as u32;
        *self.files.entry(name).or_insert_with_key(|name| {
            self.unit.files.push(name.clone());
            next
        })
    }

    /// Names are relative to the unit's directory; a file that debug info relates
    /// to another directory is named with that.
    fn file(&mut self, node: Option<Node>) -> u32 {
        let Some((name, directory)) = node.map(Node::file_name) else { return 0 };
        let elsewhere = !directory.is_empty() && directory != self.unit.directory;
        let name =
            if elsewhere && !name.starts_with('/') { format!("{directory}/{name}") } else { name };
        self.file_named(name)
    }

    /// Adds a function of this unit, before any of its sites. A body that is only there to
    /// be inlined has no symbol: who calls that symbol may get another file's function.
    pub fn function(&mut self, function: Value) -> u32 {
        let inlined = function.is_only_for_inlining();
        let symbol = if inlined { String::new() } else { function.name() };
        match function.subprogram() {
            // It may be known already: inlined into another one.
            Some(node) => {
                let index = self.subprogram(node);
                self.unit.functions[index as usize].symbol = symbol;
                index
            }
            None => {
                self.unit.functions.push(Function {
                    name: function.name(),
                    symbol,
                    file: 0,
                    line: 0,
                    frame: Frame::default(),
                });
                self.unit.functions.len() as u32 - 1
            }
        }
    }

    /// Adds another name under which a function that is known may be called.
    pub fn alias(&mut self, symbol: String, function: u32) {
        let known = &self.unit.functions[function as usize];
        let alias = Function { symbol, frame: Frame::default(), ..known.clone() };
        self.unit.functions.push(alias);
    }

    pub fn set_frame(&mut self, function: u32, frame: Frame) {
        self.unit.functions[function as usize].frame = frame;
    }

    fn subprogram(&mut self, node: Node) -> u32 {
        if let Some(known) = self.functions.get(&node) {
            return *known;
        }
        let name = self.nodes.string(node, SUBPROGRAM_NAME).unwrap_or_default();
        let symbol = self.nodes.string(node, SUBPROGRAM_SYMBOL).unwrap_or_else(|| name.clone());
        let file = self.file(node.file());
        let line = node.subprogram_line();
        let index = self.unit.functions.len() as u32;
        self.unit.functions.push(Function { name, symbol, file, line, frame: Frame::default() });
        self.functions.insert(node, index);
        index
    }

    /// The function around a scope.
    fn function_of_scope(&mut self, scope: Option<Node>) -> Option<u32> {
        let mut at = scope;
        while let Some(node) = at {
            match node.kind() {
                NodeKind::LLVMDISubprogramMetadataKind => return Some(self.subprogram(node)),
                NodeKind::LLVMDILexicalBlockMetadataKind
                | NodeKind::LLVMDILexicalBlockFileMetadataKind => {
                    at = self.nodes.operand(node, SCOPE);
                }
                _ => return None,
            }
        }
        None
    }

    /// The function and the place that a location names.
    fn place(&mut self, location: Node, function: u32) -> (u32, Position) {
        let scope = location.location_scope();
        let file = self.file(scope.and_then(Node::file));
        let function = self.function_of_scope(scope).unwrap_or(function);
        (function, Position { file, line: location.line(), column: location.column() })
    }

    /// Adds a site at an instruction of `function`; gives its index.
    pub fn site(&mut self, kind: SiteKind, instruction: Value, function: u32) -> u32 {
        let location = instruction.location();
        let mut chain = std::iter::successors(location, |at| at.inlined_at());
        let own_file = self.unit.functions[function as usize].file;
        let (function, at) = match chain.next() {
            Some(location) => self.place(location, function),
            None => (function, Position { file: own_file, line: 0, column: 0 }),
        };
        let inlined_at = chain.map(|location| self.place(location, function)).collect();
        let ignored = matches!(kind, SiteKind::Call(_)) && instruction.users().next().is_none();
        self.unit.sites.push(Site {
            kind,
            function,
            at,
            inlined_at,
            ignored,
            before: None,
            behind: None,
        });
        self.unit.sites.len() as u32 - 1
    }

    pub fn set_residual(&mut self, site: u32, before: Option<Residual>, behind: Option<Residual>) {
        let site = &mut self.unit.sites[site as usize];
        (site.before, site.behind) = (before, behind);
    }

    /// Looks a `DILocalVariable` or `DIGlobalVariable` up.
    pub fn describe(&mut self, variable: Node) -> Described {
        let ty = self.nodes.operand(variable, VARIABLE_TYPE);
        Described {
            name: self.nodes.string(variable, VARIABLE_NAME),
            ty: ty.map(|ty| self.types.index(ty)),
            line: variable.variable_line(),
        }
    }

    /// Adds a variable that this unit defines. What has no symbol (string
    /// literals and the like) cannot be told from an address and is left out.
    pub fn global(&mut self, global: Value, layout: Layout) {
        if global.is_declaration() || global.is_private() {
            return;
        }
        let symbol = global.name();
        if symbol.starts_with("llvm.") {
            return;
        }
        let mut variable = Variable {
            name: symbol.clone(),
            symbol,
            function: None,
            file: 0,
            line: 0,
            size: layout.size(global.value_type()),
            ty: None,
            thread_local: global.is_thread_local(),
        };
        let nodes = global.global_debug_nodes();
        if let Some(node) = nodes.first().and_then(|node| node.global_variable()) {
            let described = self.describe(node);
            variable.name = described.name.unwrap_or(variable.name);
            variable.ty = described.ty;
            variable.line = described.line;
            variable.file = self.file(node.variable_file());
            variable.function = self.function_of_scope(node.variable_scope());
        }
        self.unit.globals.push(variable);
    }
}
