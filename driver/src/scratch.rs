//! The folder in which the runtime keeps how to undo what the program does to files.
//!
//! The runtime undoes it after each execution. If the process is killed in the middle
//! of one, by the user, by the system or by its own bug, the journal in the folder
//! says what is left to undo.

use leno_undo::{JOURNAL, Journal, SIZE};
use std::{fs::File, io, os::fd::AsRawFd, ptr};
use tempfile::TempDir;

pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub fn new() -> io::Result<Self> {
        Ok(Self { folder: tempfile::Builder::new().prefix("leno-").tempdir()? })
    }

    /// Its path; none (which is empty) if that is not UTF-8.
    pub fn path(&self) -> &str {
        self.folder.path().to_str().unwrap_or_default()
    }

    fn undo(&self) -> io::Result<()> {
        let path = self.folder.path().join(JOURNAL);
        let file = match File::options().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        };
        if file.metadata()?.len() < SIZE as u64 {
            return Ok(());
        }
        // SAFETY: maps the journal, whose process has ended, for as long as it takes.
        unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let base =
                libc::mmap(ptr::null_mut(), SIZE, access, libc::MAP_SHARED, file.as_raw_fd(), 0);
            if base == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            Journal::at(base.cast()).undo();
            libc::munmap(base, SIZE);
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = self.undo() {
            eprintln!("leno: what the program did to files could not be undone: {error}");
        }
    }
}
