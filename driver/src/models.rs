//! The models of functions that are not instrumented: `models/*.toml`, and files of the
//! user's in the same form (docs/models.md).

mod expression;

use crate::error::Error;
use leno_model::{
    AccessKind,
    effect::{Effect, Model},
};
use std::{
    collections::{HashMap, HashSet},
    fs,
    ops::Range,
    path::{Path, PathBuf},
    sync::LazyLock,
};
use toml::de::{DeTable, DeValue};

/// The models that leno brings along.
const STANDARD: [(&str, &str); 5] = [
    ("models/libc.toml", include_str!("../../models/libc.toml")),
    ("models/posix.toml", include_str!("../../models/posix.toml")),
    ("models/libm.toml", include_str!("../../models/libm.toml")),
    ("models/libstdc++.toml", include_str!("../../models/libstdc++.toml")),
    ("models/libc++.toml", include_str!("../../models/libc++.toml")),
];

/// Those of libraries whose functions' names others may have, too, by the beginning of the
/// library's name.
const OF_LIBRARIES: [(&str, &str, &str); 1] =
    [("libz.so", "models/zlib.toml", include_str!("../../models/zlib.toml"))];

/// A file of models: where it comes from and what is in it. A trace keeps the user's,
/// so that it can be replayed.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Source {
    pub name: String,
    pub text: String,
}

/// What is known about one function.
#[derive(Clone, Debug, Default)]
struct Known {
    model: Model,
    /// It stays inside, but nobody says what it does to memory that it is given.
    unseen: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Models {
    functions: HashMap<String, Known>,
    /// Beginnings of names, the longest first.
    prefixes: Vec<(String, Known)>,
    /// Names of hidden state, in the order of their numbers.
    hidden: Vec<String>,
}

static EMBEDDED: LazyLock<Models> = LazyLock::new(|| {
    let mut models = Models::default();
    for (name, text) in STANDARD {
        models.add(name, text, false).expect("leno's own models are right, a test says so");
    }
    models
});

/// The models that leno brings along.
pub fn standard() -> &'static Models {
    &EMBEDDED
}

/// Reads files of the user's.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Source>, Error> {
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path);
        let text = text.map_err(|source| Error::Read { path: path.clone(), source })?;
        Ok(Source { name: path.display().to_string(), text })
    };
    paths.iter().map(read).collect()
}

impl Models {
    /// The models that leno brings along for a program with these libraries and, before them,
    /// the user's; of two files that speak of one function the later one is right. None if
    /// those for all programs are all.
    pub fn with(libraries: &[String], sources: &[Source]) -> Result<Option<Self>, Error> {
        let is_linked = |name: &str| libraries.iter().any(|library| library.starts_with(name));
        let own = OF_LIBRARIES.iter().filter(|(library, ..)| is_linked(library));
        let own = own.map(|(_, name, text)| (*name, *text));
        let theirs = sources.iter().map(|source| (source.name.as_str(), source.text.as_str()));
        let mut models = None;
        for (name, text) in own.chain(theirs) {
            models.get_or_insert_with(|| standard().clone()).add(name, text, true)?;
        }
        Ok(models)
    }

    /// Adds a file. A name that is there already is an error unless it may be replaced;
    /// one that comes twice in the file always is.
    fn add(&mut self, file: &str, text: &str, replace: bool) -> Result<(), Error> {
        let wrong = |span: Range<usize>, what: String| {
            let line = text[..span.start].matches('\n').count() + 1;
            Error::Model { path: Path::new(file).to_path_buf(), line, what }
        };
        let table = DeTable::parse(text).map_err(|error| {
            wrong(error.span().unwrap_or_default(), error.message().to_string())
        })?;
        let mut seen = HashSet::new();
        let mut aliases = Vec::new();
        for (names, entry) in table.get_ref() {
            let mut reader = Reader { models: self, known: Known::default(), same_as: None };
            reader
                .entry(entry.get_ref(), entry.span())
                .map_err(|Mistake(span, what)| wrong(span, what))?;
            let Reader { known, same_as, .. } = reader;
            for name in names.get_ref().split_ascii_whitespace() {
                let twice = !seen.insert(name.to_string());
                if twice || !replace && self.functions.contains_key(name) {
                    return Err(wrong(names.span(), format!("{name} has a model already")));
                }
                if let Some(other) = &same_as {
                    aliases.push((name.to_string(), other.clone(), names.span()));
                } else if let Some(prefix) = name.strip_suffix('*') {
                    self.prefixes.retain(|(known, _)| known != prefix);
                    self.prefixes.push((prefix.to_string(), known.clone()));
                } else {
                    self.functions.insert(name.to_string(), known.clone());
                }
            }
        }
        for (name, other, span) in aliases {
            let Some(known) = self.functions.get(&other).cloned() else {
                return Err(wrong(
                    span,
                    format!("{name} is the same as {other}, which has no model"),
                ));
            };
            self.functions.insert(name, known);
        }
        self.prefixes.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        Ok(())
    }

    fn known(&self, symbol: &str) -> Option<&Known> {
        let begins = |(prefix, _): &&(String, Known)| symbol.starts_with(prefix.as_str());
        let by_prefix = || self.prefixes.iter().find(begins).map(|(_, known)| known);
        self.functions.get(symbol).or_else(by_prefix)
    }

    /// What a function does, if that is known.
    pub fn model(&self, symbol: &str) -> Option<&Model> {
        self.known(symbol).filter(|known| !known.unseen).map(|known| &known.model)
    }

    /// All models by name; a name that ends in `*` stands for all that begin so. The
    /// longest such name that fits is right, and a whole name before all.
    pub fn all(&self) -> impl Iterator<Item = (String, Option<&Model>)> {
        let whole = self.functions.iter().map(|(name, known)| (name.clone(), known));
        let begun = self.prefixes.iter().map(|(name, known)| (format!("{name}*"), known));
        whole.chain(begun).map(|(name, known)| (name, (!known.unseen).then_some(&known.model)))
    }

    /// Whether all that a function does lies in the program's memory.
    pub fn stays_inside(&self, symbol: &str) -> bool {
        self.known(symbol).is_some_and(|known| !known.model.outside)
    }

    /// The names of all functions that are known by their whole name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// The number of a library's hidden state. The runtime has numbers of its own below.
    fn hidden(&mut self, name: &str) -> u64 {
        const FIRST: u64 = 0x800;
        let place = self.hidden.iter().position(|known| known == name).unwrap_or_else(|| {
            self.hidden.push(name.to_string());
            self.hidden.len() - 1
        });
        FIRST + place as u64
    }
}

/// What is wrong, and where.
struct Mistake(Range<usize>, String);

/// Reads one entry.
struct Reader<'a> {
    models: &'a mut Models,
    known: Known,
    same_as: Option<String>,
}

const KEYS: &str = "read, write, format, wide_format, scan, wide_scan, object, hidden, acquire, \
                    release, blocks, looks, outside, unseen, same_as";

impl Reader<'_> {
    fn entry(&mut self, entry: &DeValue, span: Range<usize>) -> Result<(), Mistake> {
        let DeValue::Table(fields) = entry else {
            return Err(Mistake(span, "a model is a table: name = { read = …, write = … }".into()));
        };
        for (key, value) in fields {
            let span = value.span();
            let value = value.get_ref();
            match key.get_ref().as_ref() {
                "read" => self.ranges(AccessKind::Read, value, span)?,
                "write" => self.ranges(AccessKind::Write, value, span)?,
                "format" => self.format(value, span, false, Effect::Print)?,
                "wide_format" => self.format(value, span, true, Effect::Print)?,
                "scan" => self.format(value, span, false, Effect::Scan)?,
                "wide_scan" => self.format(value, span, true, Effect::Scan)?,
                "object" => self.place(value, span, Effect::Object)?,
                "acquire" => self.place(value, span, Effect::Acquire)?,
                "release" => self.place(value, span, Effect::Release)?,
                "hidden" => {
                    let number = self.models.hidden(text(value, span)?);
                    self.known.model.before.push(Effect::Hidden(number));
                }
                "blocks" => self.known.model.blocks = flag(value, span)?,
                "looks" => self.known.model.looks = flag(value, span)?,
                "outside" => self.known.model.outside = flag(value, span)?,
                "unseen" => self.known.unseen = flag(value, span)?,
                "same_as" => self.same_as = Some(text(value, span)?.to_string()),
                other => {
                    let what = format!("{other} is no part of a model; there are {KEYS}");
                    return Err(Mistake(key.span(), what));
                }
            }
        }
        if self.same_as.is_some() && fields.len() > 1 {
            return Err(Mistake(span, "same_as stands alone".into()));
        }
        Ok(())
    }

    fn add(&mut self, effect: Effect) {
        let after = effect.needs_result() || matches!(effect, Effect::Acquire(_));
        let model = &mut self.known.model;
        if after { &mut model.after } else { &mut model.before }.push(effect);
    }

    /// One range, or an array of them.
    fn ranges(
        &mut self,
        kind: AccessKind,
        value: &DeValue,
        span: Range<usize>,
    ) -> Result<(), Mistake> {
        let DeValue::Array(list) = value else {
            let range = expression::range(kind, text(value, span.clone())?);
            self.add(Effect::Range(range.map_err(|what| Mistake(span, what))?));
            return Ok(());
        };
        list.iter().try_for_each(|item| self.ranges(kind, item.get_ref(), item.span()))
    }

    fn format(
        &mut self,
        value: &DeValue,
        span: Range<usize>,
        wide: bool,
        effect: fn(leno_model::effect::Format) -> Effect,
    ) -> Result<(), Mistake> {
        let format = expression::format(wide, text(value, span.clone())?);
        self.add(effect(format.map_err(|what| Mistake(span, what))?));
        Ok(())
    }

    fn place(
        &mut self,
        value: &DeValue,
        span: Range<usize>,
        effect: fn(leno_model::effect::Expr) -> Effect,
    ) -> Result<(), Mistake> {
        let place = expression::whole(text(value, span.clone())?);
        self.add(effect(place.map_err(|what| Mistake(span, what))?));
        Ok(())
    }
}

fn text<'a>(value: &'a DeValue, span: Range<usize>) -> Result<&'a str, Mistake> {
    match value {
        DeValue::String(text) => Ok(text),
        _ => Err(Mistake(span, "this has to be a string".into())),
    }
}

fn flag(value: &DeValue, span: Range<usize>) -> Result<bool, Mistake> {
    match value {
        DeValue::Boolean(flag) => Ok(*flag),
        _ => Err(Mistake(span, "this has to be true or false".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Models, String> {
        let mut models = Models::default();
        models.add("mine.toml", text, true).map_err(|error| error.to_string())?;
        Ok(models)
    }

    #[test]
    fn the_models_that_leno_brings_along_can_be_read() {
        let mut models = Models::default();
        let of_libraries = OF_LIBRARIES.iter().map(|(_, name, text)| (*name, *text));
        for (name, text) in STANDARD.into_iter().chain(of_libraries) {
            models.add(name, text, false).unwrap();
        }
        assert!(models.functions.len() > 500, "{}", models.functions.len());
        assert!(models.model("memcpy").is_some() && models.model("frobnicate").is_none());
    }

    #[test]
    fn effects_that_need_the_result_come_after_the_call() {
        let models =
            one("read = { write = 'arg1[ret]' }\nwrite = { read = 'arg1[arg2]' }").unwrap();
        let (read, write) = (models.model("read").unwrap(), models.model("write").unwrap());
        assert_eq!((read.before.len(), read.after.len()), (0, 1));
        assert_eq!((write.before.len(), write.after.len()), (1, 0));
    }

    #[test]
    fn the_longest_prefix_is_right_and_a_whole_name_before_all() {
        let text =
            "'lib_*' = {}\n'lib_get_*' = { read = 'arg0[4]' }\nlib_get_x = { blocks = true }";
        let models = one(text).unwrap();
        assert!(models.model("lib_set").unwrap().before.is_empty());
        assert_eq!(models.model("lib_get_y").unwrap().before.len(), 1);
        assert!(models.model("lib_get_x").unwrap().blocks);
    }

    #[test]
    fn mistakes_are_told_with_file_and_line() {
        let wrong = [
            ("a = {}\nb = { reed = 'arg0[1]' }", "mine.toml:2: reed is no part of a model"),
            ("a = { read = 'arg0(1]' }", "mine.toml:1: "),
            ("a = { read = 7 }", "mine.toml:1: this has to be a string"),
            ("\n\na = 3", "mine.toml:3: a model is a table"),
            ("a = {", "mine.toml:1: "),
            ("'a b a' = {}", "mine.toml:1: a has a model already"),
            ("a = { same_as = 'b' }", "mine.toml:1: a is the same as b, which has no model"),
            ("a = {\n  read = 'arg0[strlen(arg0, 1)]' }", "mine.toml:2: "),
        ];
        for (text, message) in wrong {
            let error = one(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
