//! What the journal says is undone, in whatever state the files are.

use leno_undo::{Entry, Journal, Kept, SIZE, metadata};
use std::{
    fs,
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, chown},
    },
    path::Path,
    ptr,
};

fn journal() -> Journal {
    // SAFETY: fresh memory that is never unmapped.
    unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let base = libc::mmap(ptr::null_mut(), SIZE, access, flags, -1, 0);
        assert_ne!(base, libc::MAP_FAILED);
        Journal::at(base.cast())
    }
}

fn bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

fn names(folder: &Path) -> Vec<String> {
    let names =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// Makes the changes of a program one by one and undoes them after each, and also
/// where the last one was written down but not made.
#[test]
fn every_prefix_of_the_changes_is_undone() {
    type Step = (fn(&Path) -> Entry, fn(&Path));
    let steps: [Step; 9] = [
        (
            |here| Entry::Changed {
                path: bytes(&here.join("a")),
                metadata: metadata(&bytes(&here.join("a")), false).unwrap(),
                kept: Kept::Here(fs::read(here.join("a")).unwrap()),
            },
            |here| fs::write(here.join("a"), "another text").unwrap(),
        ),
        (
            |here| {
                fs::copy(here.join("a"), here.join("scratch/1")).unwrap();
                Entry::Changed {
                    path: bytes(&here.join("a")),
                    metadata: metadata(&bytes(&here.join("a")), false).unwrap(),
                    kept: Kept::In(bytes(&here.join("scratch/1"))),
                }
            },
            |here| fs::write(here.join("a"), "").unwrap(),
        ),
        (
            |here| Entry::Metadata {
                path: bytes(&here.join("a")),
                metadata: metadata(&bytes(&here.join("a")), false).unwrap(),
            },
            |here| fs::set_permissions(here.join("a"), fs::Permissions::from_mode(0o400)).unwrap(),
        ),
        (
            |here| Entry::Metadata {
                path: bytes(&here.join("a")),
                metadata: metadata(&bytes(&here.join("a")), false).unwrap(),
            },
            // Only root may.
            |here| drop(chown(here.join("a"), Some(1), Some(2))),
        ),
        (
            |here| Entry::DirectoryMade { path: bytes(&here.join("folder")) },
            |here| fs::create_dir(here.join("folder")).unwrap(),
        ),
        (
            |here| {
                let (from, to) = (bytes(&here.join("a")), bytes(&here.join("folder/b")));
                Entry::Renamed { from, to }
            },
            |here| fs::rename(here.join("a"), here.join("folder/b")).unwrap(),
        ),
        (
            |here| {
                fs::hard_link(here.join("folder/b"), here.join("scratch/2")).unwrap();
                let (path, kept) = (here.join("folder/b"), here.join("scratch/2"));
                Entry::Removed { path: bytes(&path), kept: bytes(&kept) }
            },
            |here| fs::remove_file(here.join("folder/b")).unwrap(),
        ),
        (
            |here| Entry::DirectoryRemoved {
                path: bytes(&here.join("folder")),
                metadata: metadata(&bytes(&here.join("folder")), false).unwrap(),
            },
            |here| fs::remove_dir(here.join("folder")).unwrap(),
        ),
        (
            |here| Entry::Created { path: bytes(&here.join("a")) },
            |here| fs::write(here.join("a"), "new").unwrap(),
        ),
    ];
    for last in 0..steps.len() {
        for made in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let here = folder.path();
            fs::create_dir(here.join("scratch")).unwrap();
            fs::write(here.join("a"), "text").unwrap();
            fs::set_permissions(here.join("a"), fs::Permissions::from_mode(0o640)).unwrap();
            // This test reads the file itself, so its time of access tells nothing.
            let state = || {
                let found = metadata(&bytes(&here.join("a")), false).unwrap();
                (found.mode, found.owner, found.size, found.times[2..].to_vec())
            };
            let before = state();
            let journal = journal();
            for (number, (entry, change)) in steps[..=last].iter().enumerate() {
                assert!(journal.push(&entry(here)));
                if number < last || made {
                    change(here);
                }
            }
            journal.undo();
            assert!(journal.is_empty());
            assert_eq!(names(here), ["a", "scratch"], "after step {last}");
            assert_eq!(names(&here.join("scratch")), [""; 0], "after step {last}");
            assert_eq!(fs::read(here.join("a")).unwrap(), b"text", "after step {last}");
            assert_eq!(state(), before, "after step {last}");
        }
    }
}
