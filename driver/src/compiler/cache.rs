//! Objects that were made before, by the content of what they are made of.
//!
//! The front end always runs (only it knows which headers a source includes); what is
//! saved is the pass and the optimiser. The key covers the bitcode, the options of the
//! step, the compiler and leno itself, so nothing ever has to be declared out of date.
//! An entry is written beside its place and renamed into it, and it ends with a digest of
//! itself: several builds share a cache without locks, and half a file is no entry.
//!
//! A cache that cannot be used is no reason to fail: one compiles without.

use sha2::{Digest, Sha256};
use std::{
    env,
    ffi::OsString,
    fs,
    io::Write,
    os::unix::{ffi::OsStrExt, fs::MetadataExt},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Where the cache lies; `off` is none.
pub const PLACE: &str = "LENO_CACHE";
/// How large it may become, as in `500M`; see [`DEFAULT_SIZE`].
pub const SIZE: &str = "LENO_CACHE_SIZE";

const DEFAULT_SIZE: u64 = 2 << 30;
/// The cache is bounded by bounding each of its folders, so that a compilation has to look
/// at a sixteenth of it only.
const FOLDERS: u64 = 16;
const DIGEST: usize = 32;

pub struct Cache {
    folder: PathBuf,
    /// Bytes of one folder.
    room: u64,
}

/// What an object is found by.
pub struct Key(String);

impl Cache {
    /// The cache that the environment names.
    pub fn find() -> Option<Self> {
        let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let folder = match set(PLACE) {
            Some(off) if off == "off" => return None,
            Some(place) => place.into(),
            None => match set("XDG_CACHE_HOME") {
                Some(caches) => PathBuf::from(caches).join("leno"),
                None => PathBuf::from(set("HOME")?).join(".cache/leno"),
            },
        };
        let size = set(SIZE).and_then(|size| bytes(size.to_str()?)).unwrap_or(DEFAULT_SIZE);
        Some(Self { folder, room: size / FOLDERS })
    }

    /// What the environment says of the size, if it is none.
    pub fn unreadable_size() -> Option<String> {
        let size = env::var_os(SIZE).filter(|size| !size.is_empty())?;
        let readable = size.to_str().and_then(bytes).is_some();
        (!readable).then(|| size.to_string_lossy().into_owned())
    }

    /// None if an object might depend on something that is not known here.
    pub fn key(compiler: &Path, options: &[OsString], bitcode: &[u8]) -> Option<Key> {
        let mut digest = Sha256::new();
        let mut add = |part: &[u8]| {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        };
        add(env!("CARGO_PKG_VERSION").as_bytes());
        for program in [env::current_exe().ok()?, which(compiler)?] {
            let file = fs::metadata(&program).ok()?;
            add(program.as_os_str().as_bytes());
            add(&file.len().to_le_bytes());
            add(&file.mtime().to_le_bytes());
            add(&file.mtime_nsec().to_le_bytes());
        }
        options.iter().for_each(|option| add(option.as_bytes()));
        add(bitcode);
        let digest = digest.finalize();
        Some(Key(digest.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    fn place(&self, key: &Key) -> PathBuf {
        self.folder.join(&key.0[..1]).join(&key.0[1..])
    }

    pub fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let place = self.place(key);
        let mut object = fs::read(&place).ok()?;
        let end = object.len().checked_sub(DIGEST)?;
        if Sha256::digest(&object[..end])[..] != object[end..] {
            return None;
        }
        object.truncate(end);
        // What is used lives longer.
        let file = fs::File::options().append(true).open(&place);
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        Some(object)
    }

    pub fn put(&self, key: &Key, object: &[u8]) {
        if (object.len() + DIGEST) as u64 > self.room {
            return;
        }
        let place = self.place(key);
        let Some(folder) = place.parent() else { return };
        let written = fs::create_dir_all(folder).and_then(|()| {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(object)?;
            file.write_all(&Sha256::digest(object))?;
            file.persist(&place)?;
            Ok(())
        });
        if written.is_ok() {
            self.trim(folder);
        }
    }

    /// Removes what was not used for longest until there is room again. Another process may
    /// do the same at the same time; then more is removed than had to be.
    fn trim(&self, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let file = entry.metadata().ok()?;
                Some((file.modified().ok()?, file.len(), entry.path()))
            })
            .collect();
        let mut total: u64 = entries.iter().map(|entry| entry.1).sum();
        if total <= self.room {
            return;
        }
        entries.sort();
        for (_, len, path) in entries {
            if total <= self.room / 4 * 3 {
                break;
            }
            let _ = fs::remove_file(path);
            total -= len;
        }
    }
}

/// A number of bytes with the usual letters.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = match text.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let factor = match unit {
        "" => 1,
        "k" | "K" => 1 << 10,
        "m" | "M" => 1 << 20,
        "g" | "G" => 1 << 30,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// The file of a program, as a shell finds it.
fn which(program: &Path) -> Option<PathBuf> {
    let found = if program.components().count() > 1 {
        program.to_path_buf()
    } else {
        let path = env::var_os("PATH")?;
        env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())?
    };
    fs::canonicalize(found).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(room: u64) -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache { folder: folder.path().join("cache"), room };
        (folder, cache)
    }

    fn key(number: u32) -> Key {
        Key(format!("0{number:08}"))
    }

    #[test]
    fn what_was_put_is_found() {
        let (_folder, cache) = cache(1000);
        assert_eq!(cache.get(&key(1)), None);
        cache.put(&key(1), b"object");
        assert_eq!(cache.get(&key(1)).as_deref(), Some(&b"object"[..]));
    }

    #[test]
    fn a_damaged_entry_is_none() {
        let (_folder, cache) = cache(1000);
        cache.put(&key(1), b"object");
        let place = cache.place(&key(1));
        let whole = fs::read(&place).unwrap();
        for damaged in [&whole[..whole.len() - 1], &whole[1..], b"", &[b'x'; 40]] {
            fs::write(&place, damaged).unwrap();
            assert_eq!(cache.get(&key(1)), None);
        }
    }

    #[test]
    fn it_does_not_grow_beyond_its_room() {
        let (_folder, cache) = cache(1000);
        for number in 0..50 {
            cache.put(&key(number), &[0; 100]);
        }
        let files: Vec<_> = fs::read_dir(cache.folder.join("0")).unwrap().flatten().collect();
        let total: u64 = files.iter().map(|file| file.metadata().unwrap().len()).sum();
        assert!((500..=1000).contains(&total), "{total}");
        assert!(cache.get(&key(49)).is_some());
        cache.put(&key(60), &[0; 1001]);
        assert!(cache.get(&key(60)).is_none());
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("12"), Some(12));
        assert_eq!(bytes("3G"), Some(3 << 30));
        assert_eq!(bytes("3 G"), None);
        assert_eq!(bytes("much"), None);
    }
}
