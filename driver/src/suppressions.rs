//! Suppressions, as ThreadSanitizer has them: bugs that are known and not to be reported.
//!
//! A line is `kind:pattern`; `#` begins a comment. The kinds are those of ThreadSanitizer
//! (`race`, `race_top`, `mutex`, `deadlock`, `called_from_lib`; `thread` and `signal`,
//! of which leno reports nothing) and the names of leno's properties. A pattern is part of
//! the name of a function, of a source file, of the variable that the bug is about or of
//! the file that the code is in: `*` stands for anything, `^` and `$` for the beginning
//! and the end. Any function on any of the bug's stacks will do, for `race_top` one that
//! makes one of the two accesses.

use crate::{cli::PROPERTIES, demangle, error::Error, explain::explain, image::Images};
use leno_model::{
    Property,
    site::SiteId,
    wire::{Bug, Detail, WaitsOn},
};
use std::{
    fs,
    path::{Path, PathBuf},
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Of(Property),
    /// The innermost function only.
    Top(Property),
    /// Whatever it is, if it is in this library.
    Library,
    /// Of something that leno does not report.
    Nothing,
}

#[derive(Debug)]
pub struct Suppression {
    kind: Kind,
    pattern: String,
    /// As it was written.
    pub text: String,
    /// How many bugs it has hidden.
    pub hidden: u64,
}

/// Reads files of suppressions.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Suppression>, Error> {
    let mut all = Vec::new();
    for path in paths {
        let text = fs::read_to_string(path);
        let text = text.map_err(|source| Error::Read { path: path.clone(), source })?;
        all.extend(parse(path, &text)?);
    }
    Ok(all)
}

fn parse(path: &Path, text: &str) -> Result<Vec<Suppression>, Error> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong =
            |what: String| Error::Suppression { path: path.to_path_buf(), line: number + 1, what };
        let form = || wrong("expected kind:pattern, such as race:counter".to_string());
        let (kind, pattern) = line.split_once(':').ok_or_else(form)?;
        let kind = kind_named(kind).map_err(wrong)?;
        if pattern.trim_matches(['*', '^', '$']).is_empty() {
            return Err(wrong("the pattern is empty and would hide everything".to_string()));
        }
        found.push(Suppression {
            kind,
            pattern: pattern.to_string(),
            text: line.to_string(),
            hidden: 0,
        });
    }
    Ok(found)
}

fn kind_named(name: &str) -> Result<Kind, String> {
    match name {
        "race_top" => Ok(Kind::Top(Property::Race)),
        "mutex" => Ok(Kind::Of(Property::Lock)),
        "called_from_lib" => Ok(Kind::Library),
        "thread" | "signal" => Ok(Kind::Nothing),
        _ => match PROPERTIES.iter().find(|(property, _)| *property == name) {
            Some((_, property)) => Ok(Kind::Of(*property)),
            None => {
                let names: Vec<_> = PROPERTIES.iter().map(|(name, _)| *name).collect();
                Err(format!(
                    "{name} is no kind of suppression; there are {}, race_top, mutex, \
                     called_from_lib, thread and signal",
                    names.join(", ")
                ))
            }
        },
    }
}

/// Whether a bug is not to be reported. Who hides it is counted.
pub fn hide(suppressions: &mut [Suppression], bug: &Bug, images: &Images) -> bool {
    if suppressions.is_empty() {
        return false;
    }
    let object = explain(bug, images).object;
    let stacks = stacks(bug);
    let hides = |suppression: &&mut Suppression| suppression.fits(bug, &stacks, &object, images);
    match suppressions.iter_mut().find(hides) {
        Some(suppression) => {
            suppression.hidden += 1;
            true
        }
        None => false,
    }
}

impl Suppression {
    fn fits(
        &self,
        bug: &Bug,
        stacks: &[Vec<SiteId>],
        object: &Option<String>,
        images: &Images,
    ) -> bool {
        let named = |name: &String| matches(&self.pattern, name);
        let anywhere = |count: usize| {
            let sites = stacks.iter().flat_map(|stack| stack.iter().take(count));
            sites.copied().any(|site| names(site, images).iter().any(named))
        };
        match self.kind {
            Kind::Of(property) if property == bug.property => {
                object.iter().any(named) || anywhere(usize::MAX)
            }
            Kind::Top(property) if property == bug.property => {
                object.iter().any(named) || anywhere(1)
            }
            Kind::Library => stacks.iter().flatten().any(|site| {
                images.units().get(site.unit as usize).is_some_and(|unit| named(&unit.image))
            }),
            Kind::Of(_) | Kind::Top(_) | Kind::Nothing => false,
        }
    }
}

/// All that the functions around a site are called, and the files that they are in.
fn names(site: SiteId, images: &Images) -> Vec<String> {
    let mut names = Vec::new();
    for (name, symbol, file) in images.functions_at(site) {
        names.extend([demangle::full(symbol), name.to_string(), file.to_string()]);
        names.push(symbol.to_string());
    }
    names.extend(images.units().get(site.unit as usize).map(|unit| unit.image.clone()));
    names
}

/// The stacks that a bug is reported with.
fn stacks(bug: &Bug) -> Vec<Vec<SiteId>> {
    let step = |at: u32| bug.trace.steps.get(at as usize).map(|step| step.stack.clone());
    match &bug.detail {
        Detail::Race { first, second, .. } => {
            [step(*first), step(*second)].into_iter().flatten().collect()
        }
        Detail::Deadlock { waits } | Detail::Hang { waits } => {
            let since = waits.iter().filter_map(|wait| match &wait.on {
                WaitsOn::Mutex { since: Some(since), .. } => step(*since),
                _ => None,
            });
            waits.iter().map(|wait| wait.stack.clone()).chain(since).collect()
        }
        Detail::Assertion { stack, .. } | Detail::Signal { stack, .. } => vec![stack.clone()],
        Detail::Misuse { stack, parts, .. } => {
            let parts = parts.iter().map(|part| part.stack.clone());
            [stack.clone()].into_iter().chain(parts).collect()
        }
        Detail::Status { .. } => Vec::new(),
    }
}

/// Whether a pattern is found in a text.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, from_start) = match pattern.strip_prefix('^') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let (pattern, to_end) = match pattern.strip_suffix('$') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let parts: Vec<&str> = pattern.split('*').collect();
    let mut rest = text;
    for (place, part) in parts.iter().enumerate() {
        let (first, last) = (place == 0, place + 1 == parts.len());
        if last && to_end {
            let whole = first && from_start;
            return if whole { rest == *part } else { rest.ends_with(part) };
        }
        if first && from_start {
            let Some(behind) = rest.strip_prefix(part) else { return false };
            rest = behind;
        } else {
            let Some(at) = rest.find(part) else { return false };
            rest = &rest[at + part.len()..];
        }
    }
    true
}

/// `race:counter (2)`, for all that have hidden something.
pub fn told(suppressions: &[Suppression]) -> Vec<String> {
    let used = suppressions.iter().filter(|suppression| suppression.hidden > 0);
    used.map(|suppression| format!("{} ({})", suppression.text, suppression.hidden)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_thread_sanitizer() {
        for (pattern, text) in [
            ("push", "Stack<int>::push(int)"),
            ("Stack*push", "Stack<int>::push(int)"),
            ("^Stack", "Stack<int>::push(int)"),
            ("(int)$", "Stack<int>::push(int)"),
            ("^a*c$", "abbbc"),
            ("^abc$", "abc"),
            ("a*b*c", "xaxbxcx"),
        ] {
            assert!(matches(pattern, text), "{pattern} in {text}");
        }
        for (pattern, text) in [
            ("pop", "push"),
            ("^push", "Stack::push"),
            ("push$", "push(int)"),
            ("^abc$", "abcd"),
            ("b*a", "ab"),
        ] {
            assert!(!matches(pattern, text), "{pattern} not in {text}");
        }
    }

    #[test]
    fn mistakes_are_told_with_file_and_line() {
        let read = |text: &str| parse(Path::new("mine"), text).map_err(|error| error.to_string());
        assert_eq!(read("# nothing\n\nrace:x\ndeadlock:y*\nmutex:z\n").unwrap().len(), 3);
        for (text, message) in [
            ("race:x\nnothing here", "mine:2: expected kind:pattern"),
            ("\nraces:x", "mine:2: races is no kind of suppression"),
            ("race:", "mine:1: the pattern is empty"),
            ("race:*", "mine:1: the pattern is empty"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
