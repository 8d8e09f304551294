//! One change, and how to get back.

use crate::file;
use alloc::vec::Vec;

/// Permissions, owner and times of a file.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Metadata {
    pub mode: u32,
    /// User and group.
    pub owner: [u32; 2],
    pub size: u64,
    /// Seconds and nanoseconds: last access, last change.
    pub times: [i64; 4],
}

/// Where the bytes of a changed file are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kept {
    Here(Vec<u8>),
    /// In this file of the scratch folder.
    In(Vec<u8>),
}

/// What is about to happen to a path. Paths are absolute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// There is nothing yet; a file or link is made.
    Created {
        path: Vec<u8>,
    },
    /// There is nothing yet; a directory is made.
    DirectoryMade {
        path: Vec<u8>,
    },
    /// A file may be given other bytes.
    Changed {
        path: Vec<u8>,
        metadata: Metadata,
        kept: Kept,
    },
    /// A file or link goes away; `kept` is another link to it in the scratch folder.
    Removed {
        path: Vec<u8>,
        kept: Vec<u8>,
    },
    /// The same where there could be no other link: a copy.
    RemovedCopied {
        path: Vec<u8>,
        metadata: Metadata,
        kept: Vec<u8>,
    },
    SymlinkRemoved {
        path: Vec<u8>,
        target: Vec<u8>,
    },
    DirectoryRemoved {
        path: Vec<u8>,
        metadata: Metadata,
    },
    /// There is nothing at `to`.
    Renamed {
        from: Vec<u8>,
        to: Vec<u8>,
    },
    /// Permissions, owner or times are changed.
    Metadata {
        path: Vec<u8>,
        metadata: Metadata,
    },
}

impl Entry {
    /// Takes the change back, if it has taken place.
    pub fn undo(&self) {
        let exists = |path: &[u8]| file::metadata(path, false).is_some();
        match self {
            Entry::Created { path } => {
                file::by_path(libc::SYS_unlink, path, 0);
            }
            Entry::DirectoryMade { path } => {
                file::by_path(libc::SYS_rmdir, path, 0);
            }
            Entry::Changed { path, metadata, kept } => {
                match kept {
                    Kept::Here(bytes) => file::overwrite(path, bytes),
                    Kept::In(kept) => {
                        file::copy(kept, path);
                        file::by_path(libc::SYS_unlink, kept, 0);
                    }
                }
                metadata.put_back(path);
            }
            Entry::Removed { path, kept } => {
                // If both are still there they are one file, and this does nothing.
                file::by_paths(libc::SYS_rename, kept, path);
                file::by_path(libc::SYS_unlink, kept, 0);
            }
            Entry::RemovedCopied { path, metadata, kept } => {
                if !exists(path) {
                    file::copy(kept, path);
                    metadata.put_back(path);
                }
                file::by_path(libc::SYS_unlink, kept, 0);
            }
            Entry::SymlinkRemoved { path, target } => {
                file::by_paths(libc::SYS_symlink, target, path);
            }
            Entry::DirectoryRemoved { path, metadata } => {
                if !exists(path) {
                    file::by_path(libc::SYS_mkdir, path, 0o700);
                    metadata.put_back(path);
                }
            }
            Entry::Renamed { from, to } => {
                if !exists(from) {
                    file::by_paths(libc::SYS_rename, to, from);
                }
            }
            Entry::Metadata { path, metadata } => metadata.put_back(path),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let (tag, paths, metadata): (u8, [&[u8]; 2], Option<&Metadata>) = match self {
            Entry::Created { path } => (0, [path, &[]], None),
            Entry::DirectoryMade { path } => (1, [path, &[]], None),
            Entry::Changed { path, metadata, kept: Kept::Here(bytes) } => {
                (2, [path, bytes], Some(metadata))
            }
            Entry::Changed { path, metadata, kept: Kept::In(kept) } => {
                (3, [path, kept], Some(metadata))
            }
            Entry::Removed { path, kept } => (4, [path, kept], None),
            Entry::RemovedCopied { path, metadata, kept } => (5, [path, kept], Some(metadata)),
            Entry::SymlinkRemoved { path, target } => (6, [path, target], None),
            Entry::DirectoryRemoved { path, metadata } => (7, [path, &[]], Some(metadata)),
            Entry::Renamed { from, to } => (8, [from, to], None),
            Entry::Metadata { path, metadata } => (9, [path, &[]], Some(metadata)),
        };
        out.push(tag);
        for path in paths {
            out.extend_from_slice(&(path.len() as u64).to_le_bytes());
            out.extend_from_slice(path);
        }
        let metadata = metadata.copied().unwrap_or_default();
        out.extend_from_slice(&u64::from(metadata.mode).to_le_bytes());
        metadata.owner.iter().for_each(|id| out.extend_from_slice(&u64::from(*id).to_le_bytes()));
        out.extend_from_slice(&metadata.size.to_le_bytes());
        metadata.times.iter().for_each(|time| out.extend_from_slice(&time.to_le_bytes()));
        out
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (tag, mut rest) = bytes.split_first()?;
        let word = |rest: &mut &[u8]| -> Option<u64> {
            let (word, behind) = rest.split_first_chunk::<8>()?;
            *rest = behind;
            Some(u64::from_le_bytes(*word))
        };
        let mut paths = [Vec::new(), Vec::new()];
        for path in &mut paths {
            let len = word(&mut rest)? as usize;
            *path = rest.get(..len)?.to_vec();
            rest = &rest[len..];
        }
        let mut metadata = Metadata { mode: word(&mut rest)? as u32, ..Default::default() };
        for id in &mut metadata.owner {
            *id = word(&mut rest)? as u32;
        }
        metadata.size = word(&mut rest)?;
        for time in &mut metadata.times {
            *time = word(&mut rest)? as i64;
        }
        let [path, other] = paths;
        Some(match tag {
            0 => Entry::Created { path },
            1 => Entry::DirectoryMade { path },
            2 => Entry::Changed { path, metadata, kept: Kept::Here(other) },
            3 => Entry::Changed { path, metadata, kept: Kept::In(other) },
            4 => Entry::Removed { path, kept: other },
            5 => Entry::RemovedCopied { path, metadata, kept: other },
            6 => Entry::SymlinkRemoved { path, target: other },
            7 => Entry::DirectoryRemoved { path, metadata },
            8 => Entry::Renamed { from: path, to: other },
            9 => Entry::Metadata { path, metadata },
            _ => return None,
        })
    }
}

impl Metadata {
    fn put_back(&self, path: &[u8]) {
        // To give a file away may take permissions from it.
        if file::metadata(path, true).is_some_and(|now| now.owner != self.owner) {
            file::set_owner(path, self.owner);
        }
        file::set_mode(path, self.mode);
        file::set_times(path, &self.times);
    }
}
