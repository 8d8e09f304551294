//! What a program of `testsuite/` says about itself, in comments at its head:
//!
//! ```text
//! // leno: verdict=safe executions=6
//! // leno[--search naive]: cflags="-DN=2 -O1" args="a b" verdict=bug kind=race object=x
//! ```
//!
//! In the brackets stand the options that the line holds for. `cflags` and `args` say how
//! the program is built and run. `kind`, `message`, `object` and `accesses` (how many) are
//! those of one and the same bug, and `related` is what led to it (`T1 (f) freed it here,
//! line 7; …`), `bugs` is the number of all; `symmetric` and `apart` are the comparisons of
//! threads that came out one way or the other (`T1 T2 at 7, …`); every other word is a field
//! of the JSON report. `=` is equality, `~` is "contains".

use serde_json::Value;
use std::{fs, path::Path};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub options: Vec<String>,
    pub cflags: Vec<String>,
    pub args: Vec<String>,
    pub fields: Vec<Field>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    pub name: String,
    pub contains: bool,
    pub value: String,
}

/// All expectations of a program.
pub fn read(source: &Path) -> Result<Vec<Expectation>, String> {
    let text = fs::read_to_string(source).map_err(|error| error.to_string())?;
    let lines = text.lines().filter_map(|line| line.strip_prefix("// leno"));
    let lines = lines.filter(|line| line.starts_with([':', '[']));
    let found: Vec<_> = lines.map(parse).collect::<Result<_, _>>()?;
    if found.is_empty() { Err("it has no `// leno:` line".to_string()) } else { Ok(found) }
}

fn parse(line: &str) -> Result<Expectation, String> {
    let bad = || format!("cannot read `// leno{line}`");
    let (options, rest) = match line.strip_prefix('[') {
        Some(rest) => rest.split_once("]:").ok_or_else(bad)?,
        None => ("", line.strip_prefix(':').ok_or_else(bad)?),
    };
    let words = |text: &str| shlex::split(text).ok_or_else(bad);
    let mut expectation =
        Expectation { options: words(options)?, cflags: vec![], args: vec![], fields: vec![] };
    for word in words(rest)? {
        let at = word.find(['=', '~']).ok_or_else(bad)?;
        let (name, value) = (&word[..at], &word[at + 1..]);
        match name {
            "cflags" => expectation.cflags = words(value)?,
            "args" => expectation.args = words(value)?,
            _ => expectation.fields.push(Field {
                name: name.to_string(),
                contains: word[at..].starts_with('~'),
                value: value.to_string(),
            }),
        }
    }
    Ok(expectation)
}

impl Expectation {
    /// How the report differs from what is expected: one line for each field.
    pub fn differences(&self, report: &Value) -> Vec<String> {
        if let Some(error) = report.get("error") {
            return vec![format!("leno failed: {}", shown(&error["message"]))];
        }
        let bugs = report["bugs"].as_array().map_or(&[][..], Vec::as_slice);
        let (of_bug, of_report): (Vec<_>, Vec<_>) = self.fields.iter().partition(|field| {
            matches!(&*field.name, "kind" | "object" | "accesses" | "message" | "related")
        });
        let mut differences: Vec<_> = of_report
            .iter()
            .filter_map(|field| {
                let found = match &*field.name {
                    "bugs" => bugs.len().to_string(),
                    "symmetric" => compared(report, true),
                    "apart" => compared(report, false),
                    name => shown(&report[name]),
                };
                field.difference(&found)
            })
            .collect();
        let fits = |bug: &Value| of_bug.iter().all(|f| f.difference(&f.of_bug(bug)).is_none());
        if !of_bug.is_empty() && !bugs.iter().any(fits) {
            match bugs.first() {
                None => differences.push("no bug was found".to_string()),
                Some(bug) => {
                    differences.extend(of_bug.iter().filter_map(|f| f.difference(&f.of_bug(bug))));
                }
            }
        }
        differences
    }
}

impl Field {
    fn of_bug(&self, bug: &Value) -> String {
        match &bug[&self.name] {
            Value::Array(parts) if self.name == "related" => {
                let part =
                    |part: &Value| format!("{}, line {}", shown(&part["what"]), part["line"]);
                parts.iter().map(part).collect::<Vec<_>>().join("; ")
            }
            Value::Array(accesses) => accesses.len().to_string(),
            other => shown(other),
        }
    }

    fn difference(&self, found: &str) -> Option<String> {
        let fits = if self.contains { found.contains(&self.value) } else { found == self.value };
        let Field { name, value, .. } = self;
        (!fits).then(|| format!("{name}: expected {value}, found {found}"))
    }
}

/// The comparisons that came out one way: `T1 T2 at 7, …`, where several at one place are
/// one; or `T1 T2 at 7 and 9: value, x in f is 1 and 2`.
fn compared(report: &Value, symmetric: bool) -> String {
    let line = |place: &Value| {
        let place = place.as_str().unwrap_or_default();
        let number = place.split([':', ' ']).nth(1).and_then(|text| text.parse::<u32>().ok());
        number.unwrap_or(0)
    };
    let mut found: Vec<String> = Vec::new();
    for one in report["symmetry"]["compared"].as_array().into_iter().flatten() {
        if one["symmetric"] != symmetric {
            continue;
        }
        let threads = (shown(&one["threads"][0]), shown(&one["threads"][1]));
        let (a, b) = (line(&one["at"][0]), line(&one["at"][1]));
        let at = if a == b { a.to_string() } else { format!("{a} and {b}") };
        let mut text = format!("{} {} at {at}", threads.0, threads.1);
        if !symmetric {
            text += &format!(": {} {}", shown(&one["kind"]), shown(&one["why"]));
        }
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found.join(", ")
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_is_read_and_compared() {
        let line = "[--search naive]: cflags=\"-DN=2 -O1\" verdict=bug kind=race object~heap";
        let expectation = parse(line).unwrap();
        assert_eq!(expectation.options, ["--search", "naive"]);
        assert_eq!(expectation.cflags, ["-DN=2", "-O1"]);
        let report = json!({ "verdict": "bug", "bugs": [
            { "kind": "assert", "object": null }, { "kind": "race", "object": "heap block" }] });
        assert_eq!(expectation.differences(&report), [""; 0]);
        let report = json!({ "verdict": "safe", "bugs": [] });
        let expected = ["verdict: expected bug, found safe", "no bug was found"];
        assert_eq!(expectation.differences(&report), expected);
        assert!(parse(" verdict=safe").is_err() && parse(": verdict").is_err());
    }
}
