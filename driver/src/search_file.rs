//! A search on disk, for `--resume`.
//!
//! While a check runs, its state is written to the output directory every few seconds,
//! beside the traces; a check that comes to its end removes it. It holds what the
//! runtime says that it needs to go on, and what it was that was checked: a search goes
//! on with the same build, arguments and options only.

use crate::{cli::CheckArgs, error::Error, trace_file::TraceFile};
use leno_model::wire::Saved;
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The name of the file.
pub const NAME: &str = "search.leno";

/// How the file begins; the number is raised when the rest means something else.
const MAGIC: &[u8] = b"leno search 2\n";

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchFile {
    /// The version of leno: another one may search in another way.
    pub leno: String,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// The instrumented files with a digest of each.
    pub files: Vec<(String, String)>,
    /// Those of them that the program opens while it runs.
    pub libraries: Vec<String>,
    /// The options that decide what is explored, as JSON.
    pub options: String,
    /// How long the check has taken until now.
    pub time: Duration,
    /// The names of the traces that belong to it.
    pub traces: Vec<String>,
    pub saved: Saved,
}

impl SearchFile {
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(NAME);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Error::NoSearch { path });
            }
            other => other.map_err(|source| Error::Read { path: path.clone(), source })?,
        };
        let foreign = |what: &str| Error::NotASearch { path: path.clone(), what: what.to_string() };
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(foreign("it does not begin like one of this leno's"));
        };
        let file: Self =
            postcard::from_bytes(rest).map_err(|_| foreign("it is damaged, or cut off"))?;
        if file.leno != env!("CARGO_PKG_VERSION") {
            return Err(foreign(&format!("leno {} wrote it", file.leno)));
        }
        Ok(file)
    }

    /// Writes the file in one go: nobody ever sees half of it.
    pub fn write(&self, directory: &Path) -> Result<(), Error> {
        let path = directory.join(NAME);
        let failed = |source: io::Error| Error::Write { path: path.clone(), source };
        let rest = postcard::to_allocvec(self).map_err(|error| failed(io::Error::other(error)))?;
        fs::create_dir_all(directory).map_err(failed)?;
        let temporary = path.with_extension("leno.partial");
        fs::write(&temporary, [MAGIC, &rest].concat()).map_err(failed)?;
        fs::rename(&temporary, &path).map_err(failed)
    }

    /// Refuses to go on with anything but what was checked.
    pub fn fits(&self, now: &SearchFile, directory: &Path) -> Result<(), Error> {
        let differs = |what: &str| Error::NotASearch {
            path: directory.join(NAME),
            what: format!("it is of a check with {what}"),
        };
        if self.program != now.program {
            return Err(differs(&format!("another program, {}", self.program.display())));
        }
        if self.args != now.args {
            return Err(differs(&format!("other arguments: {}", self.args.join(" "))));
        }
        if self.files != now.files {
            return Err(differs("another build of the program"));
        }
        if self.options != now.options {
            return Err(differs(&format!("other options: {}", self.options)));
        }
        Ok(())
    }

    /// The traces that were found before.
    pub fn bugs(&self, directory: &Path) -> Result<Vec<(TraceFile, PathBuf)>, Error> {
        let paths = self.traces.iter().map(|name| directory.join(name));
        paths.map(|path| Ok((TraceFile::read(&path)?, path))).collect()
    }
}

/// Removes what an earlier check has left, if there is any.
pub fn remove(directory: &Path) -> Result<(), Error> {
    let path = directory.join(NAME);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::Write { path, source: error })
        }
        _ => Ok(()),
    }
}

/// The options that decide what is explored.
pub fn options(args: &CheckArgs) -> String {
    const OTHERS: [&str; 11] = [
        "output",
        "format",
        "quiet",
        "resume",
        "timeout",
        "max_executions",
        "show_output",
        "profile",
        "max_memory",
        "jobs",
        "unseen",
    ];
    let mut value = serde_json::to_value(args).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, _| !OTHERS.contains(&name.as_str()));
    }
    value.to_string()
}
