//! The site table: what the pass knows about the places it hooked.
//!
//! Each instrumented unit carries one table in the ELF section [`SECTION`]. The
//! linker concatenates the sections of all units, so a file's section is a
//! sequence of [`UnitHeader`]s, each followed by its payload: a [`UnitTable`] in
//! postcard's encoding, padded with zeros.
//!
//! The table is also the address space of sites at run time: a hook gets the
//! address `unit + index` for the site `index`, where `unit` is where the header
//! lies in memory, and a frame record gets `unit + index` for the function
//! `index`. (A payload is never shorter than the longer of the two lists.) That
//! costs one `lea` and no table of numbers has to be agreed on by separate units.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

/// The section's name in an object file.
pub const SECTION: &str = ".leno";
pub const MAGIC: [u8; 4] = *b"LENO";
/// Raised with every change of what the table means.
pub const VERSION: u32 = 6;

/// A site (or, where a field says so, a function): its address in the checked
/// process. Zero is "not known". It means something inside one check only; what
/// goes to disk is a [`SiteId`].
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct SiteRef(pub u64);

/// A site's name outside the process: the unit (as numbered in the list of units
/// that the runtime announces) and the place in its table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SiteId {
    pub unit: u32,
    pub index: u32,
}

/// What stands at the head of a unit's table, little-endian, at a multiple of 8.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnitHeader {
    pub version: u32,
    /// Bytes from the start of this header to the next; a multiple of 8.
    pub size: u64,
    /// Bytes of the payload before the padding.
    pub payload: u32,
    pub sites: u32,
    /// A digest of the payload: tells a changed program from the one a trace is of.
    pub digest: u64,
}

impl UnitHeader {
    /// Bytes of an encoded header.
    pub const SIZE: usize = 32;

    pub fn encode(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[0..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&self.version.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.size.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.payload.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.sites.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.digest.to_le_bytes());
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, TableError> {
        let head: &[u8; Self::SIZE] =
            bytes.get(..Self::SIZE).and_then(|b| b.try_into().ok()).ok_or(TableError::Truncated)?;
        if head[0..4] != MAGIC {
            return Err(TableError::Foreign);
        }
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let long = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        let header = Self {
            version: word(4),
            size: long(8),
            payload: word(16),
            sites: word(20),
            digest: long(24),
        };
        if header.version != VERSION {
            return Err(TableError::Version { found: header.version });
        }
        let room = header.size.checked_sub(Self::SIZE as u64).ok_or(TableError::Corrupt)?;
        if !header.size.is_multiple_of(8) || u64::from(header.payload) > room {
            return Err(TableError::Corrupt);
        }
        Ok(header)
    }
}

/// Why a section is not a sequence of unit tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableError {
    Truncated,
    /// No leno table at all.
    Foreign,
    Version {
        found: u32,
    },
    Corrupt,
}

impl core::fmt::Display for TableError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            TableError::Truncated => write!(f, "the section ends in the middle of a table"),
            TableError::Foreign => write!(f, "the section does not hold leno's tables"),
            TableError::Version { found } => write!(
                f,
                "built by {} leno-cc (its table is of version {found}, this leno reads version \
                 {VERSION}): rebuild the program with the leno-cc that belongs to this leno",
                if *found > VERSION { "a newer" } else { "an older" }
            ),
            TableError::Corrupt => write!(f, "the table is damaged"),
        }
    }
}

impl core::error::Error for TableError {}

/// All that is known about one unit. Files, functions, types and slots are
/// referred to by their place in the lists.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UnitTable {
    /// The unit's primary source file, as the compiler was told.
    pub source: String,
    /// The directory that relative file names are relative to.
    pub directory: String,
    pub files: Vec<String>,
    pub functions: Vec<Function>,
    pub sites: Vec<Site>,
    pub globals: Vec<Variable>,
    pub types: Vec<Type>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Function {
    /// As in the source.
    pub name: String,
    /// As in the symbol table.
    pub symbol: String,
    pub file: u32,
    pub line: u32,
    pub frame: Frame,
}

/// A function's frame record: three words (the caller's record, the function, the
/// call in progress) and then the slots.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// Bytes, the three words included; 0 for a function without a record.
    pub size: u64,
    pub slots: Vec<Slot>,
    /// The function has memory on the stack that is no slot: arrays of variable length.
    pub dynamic: bool,
    /// Where in the record the address is that the function returns to. None if nobody can
    /// call it by pointer.
    pub returns: Option<u64>,
}

/// A source variable, or a value (without a name) that lives across a hook.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Slot {
    pub name: Option<String>,
    /// From the start of the record.
    pub offset: u64,
    pub size: u64,
    pub ty: Option<u32>,
    pub line: u32,
    /// Others may have its address: it may be used where the function does not use it.
    pub escapes: bool,
    /// Bytes that no member lies in: from where to where, counted from its start, ascending.
    pub padding: Vec<(u64, u64)>,
}

/// A place in the program where the runtime is told something.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Site {
    pub kind: SiteKind,
    pub function: u32,
    pub at: Position,
    /// Where an inlined function was called, innermost first: (function, position).
    pub inlined_at: Vec<(u32, Position)>,
    /// A call whose result nobody looks at.
    pub ignored: bool,
    /// When the hook is called: what the function may still do.
    pub before: Option<Residual>,
    /// The same while the callee of a call runs.
    pub behind: Option<Residual>,
}

/// The code that is reachable from a point of a function. Equal digests mean that the
/// code is the same but for the names of locals and labels, and that the live slots
/// correspond to each other in their order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Residual {
    pub digest: u128,
    /// Something in the code is known by its name to this unit alone: the digest means
    /// nothing beside one of another unit.
    pub local: bool,
    /// The slots of the frame record that the code needs.
    pub live: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Position {
    pub file: u32,
    /// 0 where the compiler made the code up.
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SiteKind {
    Read,
    Write,
    Copy,
    AtomicRead,
    AtomicWrite,
    /// With LLVM's name of the operation: `add`, `xchg` …
    ReadModifyWrite(String),
    CompareExchange,
    Fence,
    /// A call; the callee's symbol where it is called by name.
    Call(Option<String>),
    /// A loop goes round.
    Loop,
}

/// A global variable that this unit defines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub symbol: String,
    /// The function it is static in.
    pub function: Option<u32>,
    pub file: u32,
    pub line: u32,
    pub size: u64,
    pub ty: Option<u32>,
    pub thread_local: bool,
}

/// A type, as far as it takes to call a part of an object by its name and to show
/// its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Type {
    Signed {
        name: String,
        size: u64,
    },
    Unsigned {
        name: String,
        size: u64,
    },
    Float {
        name: String,
        size: u64,
    },
    Bool {
        size: u64,
    },
    Char {
        size: u64,
    },
    Pointer {
        to: Option<u32>,
    },
    Enum {
        name: String,
        size: u64,
        values: Vec<(String, i64)>,
    },
    Array {
        element: u32,
        count: u64,
        size: u64,
    },
    /// A struct, class or union.
    Record {
        name: String,
        size: u64,
        fields: Vec<Field>,
    },
    /// Nothing to say about the inside.
    Opaque {
        name: String,
        size: u64,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Field {
    pub name: String,
    pub offset: u64,
    pub ty: u32,
}

impl UnitTable {
    /// The section content for this unit: header, payload, padding.
    pub fn encode(&self) -> Vec<u8> {
        let payload = postcard::to_allocvec(self).expect("a table can always be encoded");
        let addressable = self.sites.len().max(self.functions.len());
        let size = (UnitHeader::SIZE + payload.len()).max(addressable + 1).next_multiple_of(8);
        let header = UnitHeader {
            version: VERSION,
            size: size as u64,
            payload: payload.len() as u32,
            sites: self.sites.len() as u32,
            digest: digest(&payload),
        };
        let mut bytes = Vec::with_capacity(size);
        bytes.extend_from_slice(&header.encode());
        bytes.extend_from_slice(&payload);
        bytes.resize(size, 0);
        bytes
    }

    /// Reads one table from the head of `bytes`; gives its header too.
    pub fn decode(bytes: &[u8]) -> Result<(UnitHeader, Self), TableError> {
        let header = UnitHeader::decode(bytes)?;
        let unit = bytes.get(..header.size as usize).ok_or(TableError::Truncated)?;
        let payload = &unit[UnitHeader::SIZE..][..header.payload as usize];
        if digest(payload) != header.digest {
            return Err(TableError::Corrupt);
        }
        let table: Self = postcard::from_bytes(payload).map_err(|_| TableError::Corrupt)?;
        Ok((header, table))
    }

    /// All tables of a section, each with its offset in it.
    pub fn decode_section(section: &[u8]) -> Result<Vec<(u64, UnitHeader, Self)>, TableError> {
        let mut units = Vec::new();
        let mut at = 0;
        while at < section.len() {
            let (header, table) = Self::decode(&section[at..])?;
            units.push((at as u64, header, table));
            at += header.size as usize;
        }
        Ok(units)
    }
}

/// FNV-1a, 64 bits: short, stable for ever, good enough to notice a change.
pub fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{string::ToString, vec};

    fn table() -> UnitTable {
        let position = Position { file: 0, line: 3, column: 5 };
        UnitTable {
            source: "a.c".to_string(),
            files: vec!["a.c".to_string()],
            sites: vec![Site {
                kind: SiteKind::Read,
                function: 0,
                at: position,
                inlined_at: vec![],
                ignored: false,
                before: None,
                behind: None,
            }],
            ..UnitTable::default()
        }
    }

    #[test]
    fn concatenated_tables_are_read_back() {
        let mut section = table().encode();
        let second = section.len() as u64;
        section.extend(table().encode());
        let units = UnitTable::decode_section(&section).unwrap();
        assert_eq!(units.iter().map(|(at, _, _)| *at).collect::<Vec<_>>(), [0, second]);
        assert!(units.iter().all(|(_, header, unit)| *unit == table() && header.sites == 1));
    }

    #[test]
    fn a_damaged_section_is_refused() {
        let good = table().encode();
        assert_eq!(UnitTable::decode(&good[..good.len() - 8]), Err(TableError::Truncated));
        let mut newer = good.clone();
        newer[4] = 99;
        assert_eq!(UnitTable::decode(&newer), Err(TableError::Version { found: 99 }));
        let mut flipped = good.clone();
        flipped[UnitHeader::SIZE + 1] ^= 1;
        assert_eq!(UnitTable::decode(&flipped), Err(TableError::Corrupt));
        assert_eq!(UnitTable::decode(&[7; 64]), Err(TableError::Foreign));
    }
}
