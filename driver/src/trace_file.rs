//! Traces on disk: one JSON file for each bug, with all that it takes to replay it.

use crate::{cli::PROPERTIES, error::Error, models::Source, search_file, story::Story};
use leno_model::{
    site::digest,
    wire::{Bug, Unit},
};
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Raised when a file means something else than before.
pub const SCHEMA: u32 = 2;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TraceFile {
    pub schema: u32,
    /// The version of leno that wrote it.
    pub leno: String,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Where the program ran.
    pub directory: PathBuf,
    /// Its instrumented units with their digests.
    pub units: Vec<Unit>,
    /// The files that these are in, each with a digest of all of it: a trace is of this
    /// build only, and a changed constant changes no table.
    pub files: Vec<(String, String)>,
    /// Those of them that the program opens while it runs.
    #[serde(default)]
    pub libraries: Vec<String>,
    pub max_steps: u64,
    /// The models that the user had added.
    #[serde(default)]
    pub models: Vec<Source>,
    pub options: serde_json::Value,
    pub bug: Bug,
    pub story: Story,
    /// Of the file's text up to here; the last field, empty until it is written. A file
    /// that was damaged is not taken for a program that behaves differently.
    pub checksum: String,
}

impl TraceFile {
    pub fn read(path: &Path) -> Result<Self, Error> {
        #[derive(Deserialize)]
        struct Version {
            schema: u32,
        }
        let foreign = |what: String| Error::NotATrace { path: path.to_path_buf(), what };
        // A pipe may never be written to, and some devices never end.
        if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(foreign("it is a special file".into()));
        }
        let bytes =
            fs::read(path).map_err(|source| Error::Read { path: path.to_path_buf(), source })?;
        let version: Version =
            serde_json::from_slice(&bytes).map_err(|error| foreign(error.to_string()))?;
        if version.schema != SCHEMA {
            let found = version.schema;
            return Err(foreign(format!("its schema is {found}, this leno reads {SCHEMA}")));
        }
        let file: Self =
            serde_json::from_slice(&bytes).map_err(|error| foreign(error.to_string()))?;
        let signed = bytes.strip_suffix(format!("{}\"}}", file.checksum).as_bytes());
        if signed.is_none_or(|bytes| file.checksum != sum(bytes)) {
            return Err(foreign("it has been damaged or changed (its checksum is wrong)".into()));
        }
        let trace = &file.bug.trace;
        let threads = trace.threads.len() + 1;
        if trace.steps.iter().any(|step| step.thread.index() >= threads) {
            return Err(foreign("a step belongs to a thread that it does not name".into()));
        }
        Ok(file)
    }

    /// Writes the file in one go: nobody ever sees half of it.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let failed = |source: io::Error| Error::Write { path: path.to_path_buf(), source };
        let text = serde_json::to_string(self).map_err(|error| failed(error.into()))?;
        let text = text.strip_suffix("\"}").expect("an empty checksum is the last field");
        let text = format!("{text}{}\"}}", sum(text.as_bytes()));
        let temporary = path.with_extension("json.partial");
        let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, path));
        written.map_err(|error| {
            let _ = fs::remove_file(&temporary);
            failed(error)
        })
    }
}

fn sum(text: &[u8]) -> String {
    format!("{:016x}", digest(text))
}

/// The directory that a check writes its traces to.
pub struct Output {
    directory: PathBuf,
    written: Vec<(&'static str, u32)>,
}

impl Output {
    /// Takes the directory over: traces that an earlier check left there are removed,
    /// other files are not touched. It is created with the first trace.
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Write { path: directory.to_path_buf(), source };
        let directory = std::path::absolute(directory).map_err(failed)?;
        usable(&directory).map_err(failed)?;
        for old in traces_in(&directory).map_err(failed)? {
            fs::remove_file(&old).map_err(|source| Error::Write { path: old, source })?;
        }
        search_file::remove(&directory)?;
        Ok(Self { directory, written: Vec::new() })
    }

    /// Goes on with a directory; nothing is touched until it is known what it holds.
    pub fn resume(directory: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Write { path: directory.to_path_buf(), source };
        Ok(Self { directory: std::path::absolute(directory).map_err(failed)?, written: Vec::new() })
    }

    /// The traces that are named stay; others are of bugs that will be found again.
    pub fn keep_only(&mut self, traces: &[String]) -> Result<(), Error> {
        let failed = |source| Error::Write { path: self.directory.clone(), source };
        for path in traces_in(&self.directory).map_err(failed)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some((kind, number)) = key(name) else { continue };
            if !traces.iter().any(|kept| kept == name) {
                fs::remove_file(&path).map_err(|source| Error::Write { path, source })?;
                continue;
            }
            let kind = PROPERTIES[kind].0;
            match self.written.iter_mut().find(|(other, _)| *other == kind) {
                Some((_, last)) => *last = number.max(*last),
                None => self.written.push((kind, number)),
            }
        }
        Ok(())
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Writes a trace under the next free name of its kind: `race-1.json`.
    pub fn write(&mut self, kind: &'static str, trace: &TraceFile) -> Result<PathBuf, Error> {
        let failed = |source| Error::Write { path: self.directory.clone(), source };
        fs::create_dir_all(&self.directory).map_err(failed)?;
        let number = match self.written.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, number)) => {
                *number += 1;
                *number
            }
            None => {
                self.written.push((kind, 1));
                1
            }
        };
        let path = self.directory.join(format!("{kind}-{number}.json"));
        trace.write(&path)?;
        Ok(path)
    }
}

/// Fails if files cannot be made in a directory, which need not exist yet. Better now than
/// when the first bug has been found.
fn usable(directory: &Path) -> io::Result<()> {
    let mut made: Vec<&Path> = Vec::new();
    for ancestor in directory.ancestors().take_while(|ancestor| !ancestor.exists()) {
        made.push(ancestor);
    }
    let tried = fs::create_dir_all(directory).and_then(|()| {
        let probe = directory.join("leno.partial");
        fs::write(&probe, "").and_then(|()| fs::remove_file(&probe))
    });
    // It is left as it was.
    for ancestor in made {
        let _ = fs::remove_dir(ancestor);
    }
    tried
}

/// The traces in a directory by name, none if there is no such directory.
pub fn traces_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(key) = key(name) {
            found.push((key, path));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// The kind and number that a trace's file name consists of.
fn key(name: &str) -> Option<(usize, u32)> {
    let (kind, number) = name.strip_suffix(".json")?.rsplit_once('-')?;
    let kind = PROPERTIES.iter().position(|(property, _)| *property == kind)?;
    Some((kind, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_leno_gives_are_taken_for_traces() {
        assert!(key("race-1.json") < key("race-12.json"));
        assert!(key("race-12.json") < key("deadlock-1.json"));
        for other in ["race.json", "notes-1.json", "race-1.json.bak", "race-x.json", "package.json"]
        {
            assert_eq!(key(other), None);
        }
    }
}
