//! `leno check`.

use crate::{
    cli::{CheckArgs, Format, Unseen, property_name},
    error::Error,
    human,
    image::Images,
    json, known,
    output::say,
    program::{self, Launch, Next, Running},
    progress::Progress,
    restart::{self, Restart},
    story::Story,
    tables::Tables,
    trace_file::{Output, SCHEMA, TraceFile},
    verdict::{Ending, Found, Outcome},
    words,
};
use leno_model::{
    site::{SiteId, SiteKind},
    wire::{Bug, Counts, Fault, Job, Message, Mode, Summary},
};
use std::{
    collections::{BTreeSet, HashSet},
    env,
    path::{Path, PathBuf},
    time::Instant,
};

/// Checks the program, prints the verdict, and gives the exit status.
pub fn run(args: &CheckArgs) -> Result<u8, Error> {
    let outcome = check(args)?;
    if args.unseen == Unseen::Error && !outcome.unseen.is_empty() {
        return Err(Error::Unseen(outcome.unseen.join(", ")));
    }
    match args.format {
        Format::Human => say(human::outcome(&outcome)),
        Format::Json => say(format_args!("{}\n", json::outcome(&outcome))),
    }
    Ok(outcome.exit_status())
}

fn check(args: &CheckArgs) -> Result<Outcome<'_>, Error> {
    let search = args.refuse()?;
    let (program, words) = args.command.split_first().expect("the program is required");
    let program = program::find(Path::new(program))?;
    let words: Vec<String> = words.iter().map(utf8).collect::<Result<_, _>>()?;
    require_tables(&program)?;
    let runtime = program::runtime()?;
    let started = Instant::now();
    let deadline = args.timeout.map(|time| started + time);
    let progress = Progress::start(args.quiet || args.format == Format::Json);
    let launch = Launch {
        program: &program,
        args: &words,
        directory: None,
        runtime: &runtime,
        show_output: args.show_output,
        input: args.input.as_deref(),
    };
    let mut running = Running::start(&launch)?;
    let mut check = Check {
        args,
        images: Images::default(),
        output: Output::open(&args.output)?,
        program,
        words,
        counts: Counts::default(),
        bugs: Vec::new(),
        notes: Vec::new(),
    };
    let (ending, summary) = loop {
        match running.next(deadline) {
            Next::TimedOut => break (Ending::TimedOut, None),
            Next::Interrupted => break (Ending::Interrupted, None),
            Next::Ended(how) => return Err(Error::BrokenOff(check.with_bugs(how))),
            Next::Message(Message::Hello { units }) => {
                check.images = Images::load(units)?;
                let (isolate, kernel) = check.restart(&runtime)?;
                let scratch = running.scratch();
                running.send(&Job {
                    mode: Mode::Check {
                        search,
                        keep_going: args.keep_going,
                        max_executions: args.max_executions,
                    },
                    properties: args.properties.clone(),
                    max_steps: args.max_steps,
                    show_output: args.show_output,
                    record_all: args.record_all,
                    isolate,
                    kernel,
                    scratch,
                    profile: args.profile,
                    nondet: args.nondet.clone(),
                    unknown_callees: unknown_callees(&check.images, &runtime)?,
                });
            }
            Next::Message(Message::Notice(note)) => check.notes.push(note),
            Next::Message(Message::Progress(counts)) => {
                progress.show(&counts);
                check.counts = counts;
            }
            Next::Message(Message::Bug(bug)) => check.save(bug)?,
            Next::Message(Message::Replayed(_)) => {}
            Next::Message(Message::Fault(fault)) => return Err(fault_error(fault, &check.images)),
            Next::Message(Message::Done(summary)) => break (ending(&summary), Some(summary)),
        }
    };
    drop(running);
    drop(progress);
    Ok(check.finish(ending, summary, started))
}

/// A check in progress.
struct Check<'a> {
    args: &'a CheckArgs,
    images: Images,
    output: Output,
    program: PathBuf,
    words: Vec<String>,
    counts: Counts,
    bugs: Vec<Found>,
    notes: Vec<String>,
}

impl<'a> Check<'a> {
    /// How executions are repeated: whether each must be a process of its own, which is
    /// said with the reason if the user did not ask for it, and whether there is more
    /// than memory to put back.
    fn restart(&mut self, runtime: &Path) -> Result<(bool, bool), Error> {
        let ours = program::exports(runtime)?;
        let instrumented: HashSet<_> = self.images.functions().collect();
        match restart::restart(self.images.imported(), &ours, &instrumented) {
            Restart::InPlace { kernel } => Ok((self.args.isolate, kernel)),
            Restart::Isolated(function) => {
                if !self.args.isolate {
                    let note = format!(
                        "each execution is a process of its own, because the program calls \
                         {function}, whose effects are not put back in place"
                    );
                    self.notes.push(note);
                }
                Ok((true, true))
            }
        }
    }

    fn save(&mut self, bug: Bug) -> Result<(), Error> {
        let story = Story::of(&bug, &bug.trace, &self.images);
        let file = TraceFile {
            schema: SCHEMA,
            leno: env!("CARGO_PKG_VERSION").to_string(),
            program: self.program.clone(),
            args: self.words.clone(),
            directory: env::current_dir()
                .map_err(|source| Error::Read { path: ".".into(), source })?,
            units: self.images.units().to_vec(),
            files: self.images.files()?,
            max_steps: self.args.max_steps,
            options: serde_json::to_value(self.args).unwrap_or_default(),
            bug,
            story,
        };
        let trace = self.output.write(property_name(file.bug.property), &file)?;
        self.bugs.push(Found { bug: file.bug, trace });
        Ok(())
    }

    fn with_bugs(&self, how: String) -> String {
        match &self.bugs[..] {
            [] => how,
            bugs => {
                let traces: Vec<_> = bugs.iter().map(|bug| human::shown(&bug.trace)).collect();
                let found = words::count(bugs.len() as u64, "bug");
                format!("{how}; {found} had been found before: {}", traces.join(", "))
            }
        }
    }

    fn finish(self, ending: Ending, summary: Option<Summary>, started: Instant) -> Outcome<'a> {
        let mut notes = self.notes;
        let mut unseen = BTreeSet::new();
        let mut narrowed = false;
        let phases = summary.as_ref().and_then(|summary| summary.phases);
        let counts = summary.as_ref().map_or(self.counts, |summary| summary.counts);
        if let Some(summary) = summary {
            unseen.extend(summary.unseen.iter().map(|site| callee(*site, &self.images)));
            if !summary.narrowed.is_empty() {
                narrowed = true;
                let types = summary.narrowed.join(", ");
                notes.push(format!(
                    "of {types}, __VERIFIER_nondet gave 0 and 1 only (null for a pointer); \
                     --nondet TYPE=LOW..HIGH says which values to try"
                ));
            }
            if summary.weak_atomics {
                notes.push(
                    "atomics weaker than seq_cst are used on shared data; what they allow beyond \
                     sequential consistency was not explored"
                        .to_string(),
                );
            }
        }
        Outcome {
            args: self.args,
            images: self.images,
            ending,
            counts,
            time: started.elapsed(),
            bugs: self.bugs,
            unseen: unseen.into_iter().collect(),
            notes,
            narrowed,
            phases,
        }
    }
}

fn ending(summary: &Summary) -> Ending {
    if !summary.exhaustive && !summary.steps_limited {
        Ending::Enough
    } else if summary.steps_limited {
        Ending::StepsLimited
    } else {
        Ending::Exhausted
    }
}

/// Refuses a program that cannot be checked before anything is started.
pub fn require_tables(program: &Path) -> Result<(), Error> {
    program::inspect(program)?;
    let tables = Tables::read(program)
        .map_err(|source| Error::Table { path: program.to_path_buf(), source })?;
    if tables.units.is_empty() {
        return Err(Error::NotInstrumented(program.to_path_buf()));
    }
    Ok(())
}

/// The calls whose callee is neither instrumented nor the runtime's nor in the table
/// of the C library's.
pub fn unknown_callees(images: &Images, runtime: &Path) -> Result<Vec<SiteId>, Error> {
    let ours = program::exports(runtime)?;
    let instrumented: HashSet<_> = images.functions().collect();
    Ok(images.sites(|kind| match kind {
        SiteKind::Call(Some(name)) => {
            !instrumented.contains(name.as_str()) && !ours.contains(name) && !known::is_seen(name)
        }
        _ => false,
    }))
}

fn callee(site: SiteId, images: &Images) -> String {
    match images.kind(site) {
        Some(SiteKind::Call(Some(name))) => name.clone(),
        _ => format!("the function called at {}", words::place(Some(site), images)),
    }
}

/// What the runtime gave up on, as an error.
pub fn fault_error(fault: Fault, images: &Images) -> Error {
    match fault {
        Fault::Nondeterminism { step, expected, found } => {
            let side = |place: Option<leno_model::wire::Place>| match place {
                Some(place) => {
                    format!("{} at {}", words::verb(place.what), words::place(place.site, images))
                }
                None => "nothing".to_string(),
            };
            Error::Nondeterminism(format!(
                "step {} was {} before and is {} now",
                step + 1,
                side(expected),
                side(found)
            ))
        }
        Fault::Unsupported { what, site: None } => Error::Unsupported(what),
        Fault::Unsupported { what, site } => {
            Error::Unsupported(format!("{what}, at {}", words::place(site, images)))
        }
        Fault::Internal { what } => Error::Runtime(what),
    }
}

fn utf8(word: &std::ffi::OsString) -> Result<String, Error> {
    word.to_str().map(str::to_string).ok_or_else(|| {
        Error::Usage(format!("the argument {word:?} is not UTF-8, and a trace has to hold it"))
    })
}
