//! What the program reads from standard input: the same in every execution.
//!
//! A file's offset is put back by the runtime. What comes out of a pipe comes only
//! once, so it is read to its end before the program starts, and the program gets it
//! as a file. A pipe that stays open and silent would keep the check waiting for ever;
//! after a while what has come until then has to do.

use crate::{error::Error, output, tables::Tables};
use std::{
    fs::File,
    io::{self, IsTerminal, Read, Seek, Write},
    os::{
        fd::{AsFd, AsRawFd},
        unix::fs::FileTypeExt,
    },
    path::Path,
    process::Stdio,
};

/// How long standard input may say nothing.
const SILENCE_MS: i32 = 3000;

/// Standard input for the checked program.
pub struct Input {
    /// None is an empty one.
    file: Option<File>,
    /// Where it starts.
    offset: u64,
}

impl Input {
    /// What `program` is to read: the file that the user named, else leno's own input.
    pub fn open(file: Option<&Path>, program: &Path) -> Result<Self, Error> {
        let file = find(file, program)?;
        let offset = file.as_ref().and_then(|mut file| file.stream_position().ok()).unwrap_or(0);
        Ok(Self { file, offset })
    }

    /// An empty one.
    pub fn none() -> Self {
        Self { file: None, offset: 0 }
    }

    /// For a new process: the same as for the one before it.
    pub fn stdio(&self) -> Stdio {
        let Some(mut file) = self.file.as_ref() else { return Stdio::null() };
        // It is a file, and if it cannot be moved, nobody has moved it.
        let _ = file.seek(io::SeekFrom::Start(self.offset));
        file.try_clone().map_or_else(|_| Stdio::null(), Stdio::from)
    }
}

fn find(file: Option<&Path>, program: &Path) -> Result<Option<File>, Error> {
    if let Some(path) = file {
        let failed = |source| Error::Read { path: path.to_path_buf(), source };
        let file = File::open(path).map_err(failed)?;
        let kind = file.metadata().map_err(failed)?.file_type();
        if kind.is_dir() {
            return Err(failed(io::Error::from_raw_os_error(libc::EISDIR)));
        }
        return if kind.is_fifo() { spool(file).map_err(failed) } else { Ok(file) }.map(Some);
    }
    let failed = |source| Error::Read { path: "standard input".into(), source };
    let stdin = io::stdin();
    // In the background of a terminal the program could not read from it.
    if stdin.is_terminal() {
        return Ok(None);
    }
    let Ok(descriptor) = stdin.as_fd().try_clone_to_owned() else { return Ok(None) };
    let own = File::from(descriptor);
    if own.metadata().map_err(failed)?.is_file() {
        return Ok(Some(own));
    }
    if !reads_input(program) {
        return Ok(None);
    }
    Ok(Some(spool(own).map_err(failed)?))
}

/// Whether the program imports anything that can read standard input.
fn reads_input(program: &Path) -> bool {
    let reads = |name: &str| {
        let plain = name.trim_start_matches("__isoc99_").trim_start_matches("__isoc23_");
        let names = ["scanf", "vscanf", "getchar", "getchar_unlocked", "gets", "read"];
        names.contains(&plain)
            || ["readv", "__read_chk", "__gets_chk", "getwchar", "wscanf", "syscall"]
                .contains(&plain)
    };
    Tables::read(program).map_or(true, |tables| tables.reads_input || tables.undefined().any(reads))
}

/// Reads everything into a file that has no name.
fn spool(mut from: File) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let mut buffer = [0; 1 << 16];
    loop {
        let mut ready = libc::pollfd { fd: from.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor, which is open.
        if unsafe { libc::poll(&mut ready, 1, SILENCE_MS) } == 0 {
            let text = "leno: standard input stays open and silent; what has come is all there is";
            output::complain(text);
            break;
        }
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => file.write_all(&buffer[..n])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    file.rewind()?;
    Ok(file)
}
