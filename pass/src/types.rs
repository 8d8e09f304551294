//! Debug info's types, in the words of the site table.
//!
//! Only what it takes to call a part of an object by its name: qualifiers and
//! `typedef`s are looked through (a `typedef` lends its name to a record that has
//! none), and a type that says nothing about memory becomes opaque.

use crate::ir::{Node, NodeKind, Nodes};
use leno_model::site::{Field, Type};
use rustc_hash::FxHashMap as HashMap;

// DWARF's numbers (DWARF 5, table 7.3) and LLVM's flags of a type (DebugInfoFlags.def).
mod tag {
    pub const ARRAY: u16 = 0x01;
    pub const CLASS: u16 = 0x02;
    pub const ENUMERATION: u16 = 0x04;
    pub const MEMBER: u16 = 0x0d;
    pub const POINTER: u16 = 0x0f;
    pub const REFERENCE: u16 = 0x10;
    pub const STRUCTURE: u16 = 0x13;
    pub const TYPEDEF: u16 = 0x16;
    pub const UNION: u16 = 0x17;
    pub const INHERITANCE: u16 = 0x1c;
    pub const CONST: u16 = 0x26;
    pub const VOLATILE: u16 = 0x35;
    pub const RESTRICT: u16 = 0x37;
    pub const RVALUE_REFERENCE: u16 = 0x42;
    pub const ATOMIC: u16 = 0x47;
}
const FLAG_FORWARD: i32 = 1 << 2;
const FLAG_STATIC_MEMBER: i32 = 1 << 12;

// Places of operands (LLVM's DebugInfoMetadata.h).
const BASE_TYPE: usize = 5;
const ELEMENTS: usize = 6;

pub struct Types {
    nodes: Nodes,
    known: HashMap<Node, u32>,
    pub list: Vec<Type>,
}

impl Types {
    pub fn new(nodes: Nodes) -> Self {
        Self { nodes, known: HashMap::default(), list: Vec::new() }
    }

    /// The type's place in the list; it and what it is made of are added when new.
    pub fn index(&mut self, node: Node) -> u32 {
        if let Some(known) = self.known.get(&node) {
            return *known;
        }
        if let Some(inner) = self.looked_through(node) {
            let index = self.index(inner);
            if node.tag() == tag::TYPEDEF {
                self.lend_name(index, node);
            }
            self.known.insert(node, index);
            return index;
        }
        // The place is taken before the parts are looked at: a type may contain
        // pointers to itself.
        let index = self.list.len() as u32;
        self.known.insert(node, index);
        self.list.push(Type::Opaque { name: node.type_name(), size: node.size_in_bits() / 8 });
        let described = self.describe(node);
        if let Some(described) = described {
            self.list[index as usize] = described;
        }
        index
    }

    fn looked_through(&self, node: Node) -> Option<Node> {
        let transparent = is_derived(node)
            && matches!(
                node.tag(),
                tag::TYPEDEF | tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC
            );
        transparent.then(|| self.nodes.operand(node, BASE_TYPE))?
    }

    fn lend_name(&mut self, index: u32, typedef: Node) {
        if let Type::Record { name, .. } | Type::Enum { name, .. } = &mut self.list[index as usize]
            && name.is_empty()
        {
            *name = typedef.type_name();
        }
    }

    fn describe(&mut self, node: Node) -> Option<Type> {
        match node.kind() {
            NodeKind::LLVMDIBasicTypeMetadataKind => self.basic(node),
            NodeKind::LLVMDIDerivedTypeMetadataKind => match node.tag() {
                tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => {
                    let to = self.nodes.operand(node, BASE_TYPE);
                    Some(Type::Pointer { to: to.map(|to| self.index(to)) })
                }
                _ => None,
            },
            NodeKind::LLVMDICompositeTypeMetadataKind if node.type_flags() & FLAG_FORWARD == 0 => {
                match node.tag() {
                    tag::ARRAY => self.array(node),
                    tag::ENUMERATION => Some(self.enumeration(node)),
                    tag::STRUCTURE | tag::CLASS | tag::UNION => Some(self.record(node)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn basic(&self, node: Node) -> Option<Type> {
        let (name, size) = (node.type_name(), node.size_in_bits() / 8);
        let text = self.nodes.print(node);
        match scalar(&text, "encoding: ")? {
            "DW_ATE_signed" => Some(Type::Signed { name, size }),
            "DW_ATE_unsigned" => Some(Type::Unsigned { name, size }),
            "DW_ATE_float" => Some(Type::Float { name, size }),
            "DW_ATE_boolean" => Some(Type::Bool { size }),
            "DW_ATE_signed_char" | "DW_ATE_unsigned_char" | "DW_ATE_UTF" => {
                Some(Type::Char { size })
            }
            _ => None,
        }
    }

    /// An array of several dimensions is an array of arrays.
    fn array(&mut self, node: Node) -> Option<Type> {
        let mut element = self.nodes.operand(node, BASE_TYPE).map(|base| self.index(base))?;
        let dimensions =
            self.nodes.operand(node, ELEMENTS).map(|list| self.nodes.operands(list))?;
        let counts: Vec<u64> =
            dimensions.iter().map(|range| self.nodes.integer(*range, 0).unwrap_or(0)).collect();
        let whole = node.size_in_bits() / 8;
        let outer: u64 = counts.iter().product();
        let mut size = whole.checked_div(outer).unwrap_or(0);
        for (place, count) in counts.iter().enumerate().rev() {
            size *= count;
            let array = Type::Array { element, count: *count, size };
            if place == 0 {
                return Some(array);
            }
            element = self.list.len() as u32;
            self.list.push(array);
        }
        None
    }

    fn enumeration(&self, node: Node) -> Type {
        let values = self.nodes.operand(node, ELEMENTS).map(|list| self.nodes.operands(list));
        let values = values
            .unwrap_or_default()
            .into_iter()
            .filter_map(|enumerator| {
                let text = self.nodes.print(enumerator);
                let value = scalar(&text, "value: ")?;
                // What lies beyond i64 is an unsigned number.
                let value = value.parse().ok().or_else(|| Some(value.parse::<u64>().ok()? as i64));
                Some((self.nodes.string(enumerator, 0)?, value?))
            })
            .collect();
        Type::Enum { name: node.type_name(), size: node.size_in_bits() / 8, values }
    }

    fn record(&mut self, node: Node) -> Type {
        let parts = self.nodes.operand(node, ELEMENTS).map(|list| self.nodes.operands(list));
        let mut fields = Vec::new();
        for part in parts.unwrap_or_default() {
            let is_part = is_derived(part)
                && matches!(part.tag(), tag::MEMBER | tag::INHERITANCE)
                && part.type_flags() & FLAG_STATIC_MEMBER == 0;
            let Some(ty) = self.nodes.operand(part, BASE_TYPE).filter(|_| is_part) else {
                continue;
            };
            let name = match part.tag() {
                tag::INHERITANCE => ty.type_name(),
                _ => part.type_name(),
            };
            let ty = self.index(ty);
            fields.push(Field { name, offset: part.offset_in_bits() / 8, ty });
        }
        Type::Record { name: node.type_name(), size: node.size_in_bits() / 8, fields }
    }
}

fn is_derived(node: Node) -> bool {
    matches!(node.kind(), NodeKind::LLVMDIDerivedTypeMetadataKind)
}

/// What stands behind `key` in a printed node.
fn scalar<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let start = text.find(key)? + key.len();
    text[start..].split([',', ')']).next()
}
