//! The command line.
//!
//! Every option of the finished tool parses from the beginning, so that scripts can
//! be written against it. What is not built yet is listed in [`CheckArgs::refuse`]
//! only: such an option accepts the value that leaves it without effect and
//! refuses the others.

use crate::error::Error;
use clap::{Args, Parser, Subcommand, ValueEnum, builder::ArgPredicate};
use leno_model::{
    Property,
    symmetry::{Explain, State},
    wire::{SearchKind, Values},
};
use serde::Serialize;
use std::{ffi::OsString, path::PathBuf, time::Duration};

/// Runs a multithreaded program under every thread interleaving that matters.
#[derive(Parser, Debug)]
#[command(name = "leno", version, after_help = STATUS_HELP)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const STATUS_HELP: &str = "Exit status: 0 safe, 1 a bug was found, 2 the tool or its input is at \
                           fault, 3 no bug was found but not everything was run.";

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check a program that was built with leno-cc
    #[command(after_help = STATUS_HELP)]
    Check(Box<CheckArgs>),
    /// Run the execution of a saved trace again and show it, one column a thread
    Replay(ReplayArgs),
    /// Show a saved trace, or all in a directory, without running the program
    Report(ReportArgs),
    /// Compile and link C, as leno-cc does
    #[command(disable_help_flag = true)]
    Cc(Compiler),
    /// Compile and link C++, as leno-c++ does
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(Compiler),
}

/// Only here for the list of commands: the compilers read their arguments themselves.
#[derive(Args, Debug)]
pub struct Compiler {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Human,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Search {
    Optimal,
    Source,
    Dpor,
    Naive,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stateful {
    On,
    Off,
    Auto,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Prune {
    Locksets,
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    Pct,
    Pos,
    Surw,
    Walk,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unseen {
    Warn,
    Error,
    Ignore,
}

/// The options of `leno check`. They are written to the report as they were in
/// effect, defaults included.
#[derive(Args, Debug, Serialize)]
pub struct CheckArgs {
    /// How the interleavings are enumerated
    #[arg(long, value_enum, default_value = "optimal")]
    pub search: Search,
    /// What to look for, separated by commas: race, deadlock, assert, crash, memory,
    /// lock, termination (these by default), exit, leak, progress
    #[arg(long = "property", value_delimiter = ',', value_parser = parse_property, value_name = "NAMES",
          default_value = "race,deadlock,assert,crash,memory,lock,termination")]
    pub properties: Vec<Property>,
    /// Go on after a bug and report all of them
    #[arg(long)]
    pub keep_going: bool,
    /// Stop after this many executions; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub max_executions: u64,
    /// Cut an execution after this many events; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_steps: u64,
    /// Cut a thread that begins the body of a loop more than K times in a row; 0 is no
    /// limit
    #[arg(long, value_name = "K", default_value = "0", value_parser = parse_bound)]
    pub unroll: u32,
    /// Cut a thread that creates one when an execution has created N already; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub max_threads: u32,
    /// How often the weak compare-exchanges of a thread may fail for no reason
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub weak_failures: u32,
    /// How often the waits of a thread for condition variables may end though nobody has
    /// woken it
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub spurious: u32,
    /// Stop after this time: 30s, 500ms, 5m, 1h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    #[serde(serialize_with = "seconds")]
    pub timeout: Option<Duration>,
    /// How long an execution may stand still in a system call or library that leno does not
    /// model, ten times as long while it computes; 0 is for ever
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "10s")]
    #[serde(skip)]
    pub patience: Duration,
    /// What to do about functions without a model that are given shared memory
    #[arg(long, value_enum, default_value = "warn")]
    pub unseen: Unseen,
    /// Explore threads that can change places only once (with `--search optimal` or
    /// `source`; the others enumerate as they are)
    #[arg(long, value_enum, default_value = "on",
          default_value_ifs([("search", ArgPredicate::from("naive"), "off"),
                             ("search", ArgPredicate::from("dpor"), "off"),
                             ("explain_symmetry", ArgPredicate::IsPresent, "off")]))]
    pub symmetry: Switch,
    /// More models of functions that are not instrumented (docs/models.md); may be
    /// given several times
    #[arg(long, value_name = "FILE")]
    pub models: Vec<PathBuf>,
    /// Bugs that are known and not to be reported, as ThreadSanitizer has them; may be
    /// given several times
    #[arg(long, value_name = "FILE")]
    pub suppressions: Vec<PathBuf>,
    /// Run each execution in a process of its own instead of restarting it in place
    #[arg(long)]
    pub isolate: bool,
    /// Show what the program writes, on stderr
    #[arg(long)]
    pub show_output: bool,
    /// Where traces go
    #[arg(long, value_name = "DIR", default_value = "leno.out")]
    pub output: PathBuf,
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
    /// No progress, no notes, only the verdict
    #[arg(long, short)]
    pub quiet: bool,

    /// Cut executions at states that have been seen
    #[arg(long, value_enum, default_value = "off", help_heading = NOT_BUILT)]
    pub stateful: Stateful,
    /// Order writes only where a read tells them apart
    #[arg(long, value_enum, default_value = "off", help_heading = NOT_BUILT)]
    pub observers: Switch,
    /// Let critical sections that do not conflict commute
    #[arg(long, value_enum, default_value = "off", help_heading = NOT_BUILT)]
    pub lock_aware: Switch,
    #[arg(long, value_enum, default_value = "none", help_heading = NOT_BUILT)]
    pub prune: Prune,
    /// Memory that the search may use
    #[arg(long, value_name = "SIZE", default_value = "0", help_heading = NOT_BUILT)]
    pub max_memory: String,
    /// Bound the preemptions of an execution
    #[arg(long, value_name = "K", default_value = "none", help_heading = NOT_BUILT)]
    pub preemptions: String,
    /// Bound the delays of an execution
    #[arg(long, value_name = "K", default_value = "none", help_heading = NOT_BUILT)]
    pub delays: String,
    /// Sample this many executions instead of enumerating them
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = NOT_BUILT)]
    pub random: u64,
    #[arg(long, value_enum, help_heading = NOT_BUILT)]
    pub strategy: Option<Strategy>,
    #[arg(long, value_name = "D", default_value_t = 0, help_heading = NOT_BUILT)]
    pub depth: u64,
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = NOT_BUILT)]
    pub seed: u64,
    /// Worker processes
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = NOT_BUILT)]
    pub jobs: u64,
    /// What the program reads from stdin, the same in every execution
    #[arg(long, value_name = "FILE", help_heading = NOT_BUILT)]
    pub input: Option<PathBuf>,
    /// Values that __VERIFIER_nondet_TYPE gives, both ends included
    #[arg(long, value_delimiter = ',', value_parser = parse_values, value_name = "TYPE=LOW..HIGH")]
    pub nondet: Vec<Values>,
    /// Go on with the check that was stopped in this output directory
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub resume: Option<PathBuf>,
    /// How often the search is saved
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "2s", hide = true)]
    #[serde(skip)]
    pub save_every: Duration,
    /// Say of all threads whether they are interchangeable, or why not: in every branching
    /// state, or in one, by the number that it has there. Nothing is cut meanwhile
    #[arg(
        long,
        value_name = "STATE",
        value_parser = parse_explain,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "each"
    )]
    pub explain_symmetry: Option<Explain>,
    /// Say where the time went
    #[arg(long)]
    pub profile: bool,
    /// Write what every execution did to this file, one JSON object a line
    #[arg(long, value_name = "FILE", hide = true)]
    #[serde(skip)]
    pub executions: Option<PathBuf>,
    /// Record private accesses too: slower, the same verdict
    #[arg(long, hide = true)]
    pub record_all: bool,

    /// The program and its arguments: all that follows the program is its own
    #[arg(value_names = ["PROG", "ARGS"], required = true, num_args = 1..,
          trailing_var_arg = true)]
    #[serde(skip)]
    pub command: Vec<OsString>,
}

const NOT_BUILT: &str = "Not built yet (only the default is accepted)";

#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// Show what the program writes, on stderr
    #[arg(long)]
    pub show_output: bool,
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
}

#[derive(Args, Debug)]
pub struct ReportArgs {
    #[arg(long, value_enum, default_value = "human")]
    pub format: Format,
    #[arg(value_name = "TRACE|DIR")]
    pub path: PathBuf,
}

/// The names of `--property`.
pub const PROPERTIES: [(&str, Property); 10] = [
    ("race", Property::Race),
    ("deadlock", Property::Deadlock),
    ("assert", Property::Assert),
    ("crash", Property::Crash),
    ("memory", Property::Memory),
    ("lock", Property::Lock),
    ("termination", Property::Termination),
    ("exit", Property::Exit),
    ("progress", Property::Progress),
    ("leak", Property::Leak),
];

pub fn property_name(property: Property) -> &'static str {
    let entry = PROPERTIES.iter().find(|(_, p)| *p == property);
    entry.expect("every property has a name").0
}

/// The types of `--nondet`.
const NONDET: [&str; 15] = [
    "bool",
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "long",
    "ulong",
    "longlong",
    "ulonglong",
    "int128",
    "uint128",
    "float",
    "double",
];

/// More values than this nobody waits for.
const MOST_VALUES: i128 = 1 << 16;

fn parse_values(text: &str) -> Result<Values, String> {
    let form = || "expected TYPE=LOW..HIGH, such as int=-1..3".to_string();
    let (of, range) = text.split_once('=').ok_or_else(form)?;
    let (low, high) = range.split_once("..").ok_or_else(form)?;
    let number =
        |text: &str| text.trim().parse::<i64>().map_err(|error| format!("{text}: {error}"));
    let (low, high) = (number(low)?, number(high)?);
    if !NONDET.contains(&of) && of != "memory" {
        return Err(format!("{of} is none of {}, memory", NONDET.join(", ")));
    }
    if low > high {
        return Err(format!("{low} is above {high}"));
    }
    let count = i128::from(high) - i128::from(low) + 1;
    if count > MOST_VALUES {
        return Err(format!("{count} values are more than {MOST_VALUES}"));
    }
    Ok(Values { of: of.to_string(), low, high })
}

fn parse_property(text: &str) -> Result<Property, String> {
    let entry = PROPERTIES.iter().find(|(name, _)| *name == text);
    entry.map(|(_, property)| *property).ok_or_else(|| {
        let names: Vec<_> = PROPERTIES.iter().map(|(name, _)| *name).collect();
        format!("the properties are {}", names.join(", "))
    })
}

/// A bound, or the word that there is none.
fn parse_bound(text: &str) -> Result<u32, String> {
    if text == "none" { Ok(0) } else { text.parse().map_err(|e| format!("{e}")) }
}

fn parse_explain(text: &str) -> Result<Explain, String> {
    if text == "each" {
        return Ok(Explain::Each);
    }
    let (execution, events) = text.split_once('.').unwrap_or_default();
    match (execution.parse(), events.parse()) {
        (Ok(execution), Ok(events)) => Ok(Explain::Only(State { execution, events })),
        _ => Err("a state looks like 3.17, as --explain-symmetry without it says".to_string()),
    }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let unit = match &text[digits..] {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("{other} is no unit of time; use ms, s, m or h")),
    };
    let number: f64 = text[..digits].parse().map_err(|_| "a time looks like 30s".to_string())?;
    Duration::try_from_secs_f64(number * unit).map_err(|e| e.to_string())
}

fn seconds<S: serde::Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    time.map(|t| t.as_secs_f64()).serialize(to)
}

impl Command {
    pub fn format(&self) -> Format {
        match self {
            Command::Check(args) => args.format,
            Command::Replay(args) => args.format,
            Command::Report(args) => args.format,
            Command::Cc(_) | Command::Cxx(_) => Format::Human,
        }
    }
}

impl CheckArgs {
    /// The search to run, or why the options cannot be obeyed.
    pub fn refuse(&self) -> Result<SearchKind, Error> {
        let not_built = |option: &str, neutral: &str| Error::NotBuilt {
            option: option.into(),
            neutral: neutral.into(),
        };
        let only = |option: &str, given: bool, neutral: &str| {
            if given { Err(not_built(option, neutral)) } else { Ok(()) }
        };
        let cannot_cut = matches!(self.search, Search::Naive | Search::Dpor);
        if self.symmetry == Switch::On && cannot_cut {
            let why = "--symmetry on goes with --search optimal or source only";
            return Err(Error::Usage(why.into()));
        }
        let types: Vec<&str> = self.nondet.iter().map(|values| values.of.as_str()).collect();
        if let Some(twice) = (1..types.len()).find(|place| types[..*place].contains(&types[*place]))
        {
            let of = types[twice];
            let why = format!("--nondet gives values of {of} twice; one range goes for each type");
            return Err(Error::Usage(why));
        }
        let bound = "without it nothing is bounded";
        only("--stateful on", self.stateful == Stateful::On, "use --stateful off or auto")?;
        only("--observers on", self.observers == Switch::On, "use --observers off")?;
        only("--lock-aware on", self.lock_aware == Switch::On, "use --lock-aware off")?;
        only("--prune locksets", self.prune == Prune::Locksets, "use --prune none")?;
        only("--max-memory", self.max_memory != "0", "use --max-memory 0")?;
        // 0 is the strictest bound here, not the neutral one.
        only("--preemptions", self.preemptions != "none", bound)?;
        only("--delays", self.delays != "none", bound)?;
        only("--random", self.random != 0, "use --random 0")?;
        only("--strategy", self.strategy.is_some(), "it belongs to --random")?;
        only("--depth", self.depth != 0, "it belongs to --random")?;
        only("--seed", self.seed != 0, "it belongs to --random")?;
        only("--jobs", self.jobs != 1, "use --jobs 1")?;
        let progress = self.properties.contains(&Property::Progress);
        only("--property progress", progress, "leave it out")?;
        match self.search {
            Search::Source => Ok(SearchKind::Source),
            Search::Naive => Ok(SearchKind::Naive),
            Search::Optimal => Ok(SearchKind::Optimal),
            Search::Dpor => Ok(SearchKind::Dpor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn check(args: &[&str]) -> Box<CheckArgs> {
        let line = ["leno", "check"].iter().chain(args).copied();
        match Cli::try_parse_from(line).unwrap().command {
            Command::Check(args) => args,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn what_follows_the_program_is_the_programs() {
        let args = check(&["--keep-going", "./prog", "--quiet", "-x"]);
        assert!(args.keep_going && !args.quiet);
        assert_eq!(args.command, ["./prog", "--quiet", "-x"]);
        assert_eq!(check(&["--", "-odd", "--", "a"]).command, ["-odd", "--", "a"]);
        assert_eq!(check(&["prog", "--", "-a"]).command, ["prog", "--", "-a"]);
        assert!(Cli::try_parse_from(["leno", "check"]).is_err());
        assert!(Cli::try_parse_from(["leno", "check", "--frobnicate", "prog"]).is_err());
    }

    #[test]
    fn neutral_values_pass_and_others_are_refused() {
        let neutral: &[&[&str]] = &[
            &["--symmetry", "off"],
            &["--symmetry", "on"],
            &["--stateful", "auto"],
            &["--prune", "none"],
            &["--jobs", "1"],
            &["--search", "naive"],
            &["--search", "optimal"],
            &["--search", "dpor"],
            &["--max-memory", "0", "--random", "0"],
            &["--unroll", "0"],
            &["--unroll", "none"],
            &["--unroll", "7"],
        ];
        for options in neutral {
            let line: Vec<_> = options.iter().copied().chain(["p"]).collect();
            check(&line).refuse().unwrap();
        }
        let refused: &[&[&str]] = &[
            &["--stateful", "on"],
            &["--preemptions", "0"],
            &["--jobs", "4"],
            &["--strategy", "pct"],
            &["--property", "race,progress"],
        ];
        for options in refused {
            let line: Vec<_> = options.iter().copied().chain(["p"]).collect();
            let error = check(&line).refuse().unwrap_err();
            assert!(error.to_string().contains("not built yet"), "{error}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(parse_time("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_time("1.5m"), Ok(Duration::from_secs(90)));
        assert!(parse_time("soon").is_err() && parse_time("3 weeks").is_err());
    }
}
