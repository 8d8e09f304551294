//! `leno replay` and `leno report`: what a saved trace has to show.

use crate::{
    check::{Calls, calls, fault_error, require_tables},
    cli::{Format, ReplayArgs, ReportArgs},
    columns,
    error::{BrokenOff, EXIT_BUG, EXIT_SAFE, Error},
    human,
    image::{Images, Threads},
    input::Input,
    json,
    models::{self, Models},
    output,
    program::{self, Journal, Launch, Next, Obituary, Running},
    story::Story,
    trace_file::{TraceFile, traces_in},
    words,
};
use leno_model::wire::{Bug, Job, Message, Mode, Trace, Unit};
use leno_model::{Step, site::SiteId};
use serde_json::json;
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// Runs a trace's execution again and shows it; the status says whether the bug showed.
pub fn replay(args: &ReplayArgs) -> Result<u8, Error> {
    let file = TraceFile::read(&args.trace)?;
    let path = absolute(&args.trace);
    let seen = run(&file, args.show_output)?;
    let again = seen.bugs.iter().any(|bug| same_bug(bug, &file.bug));
    let images = &seen.images;
    let story = Story::of(&file.bug, &seen.trace, images);
    if args.format == Format::Json {
        let threads = Threads::of(&seen.trace, images);
        let steps: Vec<_> = story
            .steps
            .iter()
            .map(|step| {
                let place = step.place.as_ref();
                json!({
                    "thread": threads.name(step.thread),
                    "file": place.map(|frame| &frame.file),
                    "line": place.map(|frame| frame.line),
                    "function": place.map(|frame| &frame.function),
                    "op": step.what,
                })
            })
            .collect();
        let report = json!({
            "schema": 1,
            "version": env!("CARGO_PKG_VERSION"),
            "reproduced": again,
            "bug": json::bug(&story.bug, &path),
            "steps": steps,
        });
        output::say(format_args!("{report}\n"));
    } else {
        output::say(format_args!(
            "{}\n{}",
            columns::render(&story, width()),
            human::bug(&story.bug)
        ));
        if again {
            output::say(format_args!("The same execution shows the same bug again.\n"));
        } else {
            output::say(format_args!("The execution was the same, but it did not show the bug.\n"));
        }
    }
    Ok(if again { EXIT_BUG } else { EXIT_SAFE })
}

/// Shows saved traces without running anything.
pub fn report(args: &ReportArgs) -> Result<u8, Error> {
    let paths = if args.path.is_dir() {
        let failed = |source| Error::Read { path: args.path.clone(), source };
        traces_in(&args.path).map_err(failed)?
    } else {
        vec![args.path.clone()]
    };
    if paths.is_empty() {
        return Err(Error::Usage(format!("there are no traces in {}", args.path.display())));
    }
    let mut bugs = Vec::new();
    for path in paths {
        let file = TraceFile::read(&path)?;
        let story = &file.story;
        match args.format {
            Format::Json => bugs.push(json::bug(&story.bug, &absolute(&path))),
            Format::Human => {
                output::say(columns::render(story, width()));
                output::say(format_args!("\n{}", human::bug(&story.bug)));
                output::say(format_args!(
                    "  replay it: {}\n\n",
                    human::replay_command(&absolute(&path))
                ));
            }
        }
    }
    if args.format == Format::Json {
        output::say(format_args!(
            "{}\n",
            json!({ "schema": 1, "version": env!("CARGO_PKG_VERSION"), "bugs": bugs })
        ));
    }
    Ok(EXIT_SAFE)
}

/// What a replayed execution showed.
struct Seen {
    images: Images,
    trace: Trace,
    bugs: Vec<Bug>,
}

fn run(file: &TraceFile, show_output: bool) -> Result<Seen, Error> {
    if !file.program.exists() {
        let program = file.program.display();
        return Err(Error::Changed(format!("the program {program} is gone")));
    }
    if !file.directory.is_dir() {
        let directory = file.directory.display();
        return Err(Error::Changed(format!("it ran in {directory}, which is gone")));
    }
    let libraries = require_tables(&file.program)?.libraries;
    let runtime = program::runtime()?;
    let input = file.options["input"].as_str().map(|input| file.directory.join(input));
    let input = Input::open(input.as_deref(), &file.program)?;
    let models = Models::with(&libraries, &file.models)?;
    let models = models.as_ref().unwrap_or_else(|| models::standard());
    let launch = Launch {
        program: &file.program,
        args: &file.args,
        directory: Some(&file.directory),
        runtime: &runtime,
        show_output,
        input: &input,
        journal: &Journal::create(),
        libraries: &file.libraries,
        patience: PATIENCE,
    };
    let mut running = Running::start(&launch)?;
    let (mut images, mut loaded) = (Images::default(), Vec::new());
    let (mut trace, mut bugs) = (None, Vec::new());
    loop {
        match running.next(None) {
            Next::Quiet => {}
            Next::TimedOut | Next::Interrupted => {
                return Err(broken_off("the replay was interrupted".into()));
            }
            Next::Ended(Obituary { how, .. }) => return Err(broken_off(how)),
            Next::Stuck(stuck) => {
                return Err(broken_off(words::stuck(&stuck, launch.journal, &loaded, &images)));
            }
            Next::Message(Message::Hello { units, loaded: tables, .. }) => {
                loaded = tables;
                images = Images::load(units)?;
                unchanged(file, &images)?;
                let calls = calls(&images, &program::exports(&runtime)?, models);
                let job = job(file, show_output, running.scratch()?, calls);
                running.send(&job);
            }
            Next::Message(Message::Replayed(seen)) => trace = Some(seen),
            Next::Message(Message::Bug(bug)) => bugs.push(bug),
            Next::Message(
                Message::Notice(_)
                | Message::Progress(_)
                | Message::Saved(_)
                | Message::Compared { .. }
                | Message::Ran(_),
            ) => {}
            Next::Message(Message::Fault(fault)) => return Err(fault_error(fault, &images)),
            Next::Message(Message::Done(_)) => break,
        }
    }
    let Some(trace) = trace else {
        return Err(Error::Runtime("it ended the replay without the execution".into()));
    };
    compare(&file.bug.trace, &trace, &images)?;
    Ok(Seen { images, trace, bugs })
}

/// As long as a check has it by default.
const PATIENCE: Duration = Duration::from_secs(10);

fn broken_off(how: String) -> Error {
    Error::BrokenOff(Box::new(BrokenOff { how, ..BrokenOff::default() }))
}

fn job(file: &TraceFile, show_output: bool, scratch: String, calls: Calls) -> Job {
    let trace = &file.bug.trace;
    let step = |thread, choice| Step { thread, choice };
    Job {
        mode: Mode::Replay {
            threads: trace.threads.clone(),
            steps: trace.steps.iter().map(|s| step(s.thread, s.choice)).collect(),
            shared: trace.shared.clone(),
            patient: trace.patient,
        },
        properties: vec![file.bug.property],
        max_steps: file.max_steps,
        unroll: serde_json::from_value(file.options["unroll"].clone()).unwrap_or_default(),
        max_threads: serde_json::from_value(file.options["max_threads"].clone())
            .unwrap_or_default(),
        weak_failures: serde_json::from_value(file.options["weak_failures"].clone())
            .unwrap_or_default(),
        spurious: serde_json::from_value(file.options["spurious"].clone()).unwrap_or_default(),
        show_output,
        record_all: file.options["record_all"] == true,
        isolate: true,
        kernel: true,
        scratch,
        profile: false,
        explain_symmetry: None,
        tell: false,
        nondet: serde_json::from_value(file.options["nondet"].clone()).unwrap_or_default(),
        unknown_callees: calls.unknown,
        models: calls.models,
        modelled: calls.modelled,
        named: calls.named,
    }
}

/// Refuses a program that is not the one that the trace was made with.
fn unchanged(file: &TraceFile, now: &Images) -> Result<(), Error> {
    let then = &file.units;
    let changed = |unit: &Unit, what| {
        Err(Error::Changed(format!("{} {what} since the trace was made", unit.image)))
    };
    for (number, unit) in then.iter().enumerate() {
        match now.units().get(number) {
            Some(other) if other != unit => return changed(unit, "has been built anew"),
            Some(_) if now.unit(number as u32).is_none() => {
                return changed(unit, "has been built anew");
            }
            None => return changed(unit, "has lost code"),
            Some(_) => {}
        }
    }
    if let Some(unit) = now.units().get(then.len()) {
        return changed(unit, "has been added");
    }
    let files = now.files()?;
    match file.files.iter().find(|file| !files.contains(file)) {
        Some((name, _)) => {
            Err(Error::Changed(format!("{name} has changed since the trace was made")))
        }
        None => Ok(()),
    }
}

/// Both runs must consist of the same events. Values are not compared: there may be
/// addresses among them.
fn compare(then: &Trace, now: &Trace, images: &Images) -> Result<(), Error> {
    let threads = Threads::of(then, images);
    let key = |trace: &Trace, at: usize| {
        trace.steps.get(at).map(|step| (step.thread, step.ordinal, step.kind, step.stack.clone()))
    };
    let say = |trace: &Trace, at: usize| match trace.steps.get(at) {
        Some(step) => {
            let site: Option<SiteId> = step.stack.first().copied();
            let what = words::step(step, images, &threads);
            format!("{}: {what} at {}", threads.name(step.thread), words::place(site, images))
        }
        None => "nothing".to_string(),
    };
    let length = then.steps.len().max(now.steps.len());
    match (0..length).find(|at| key(then, *at) != key(now, *at)) {
        None => Ok(()),
        Some(at) => Err(Error::Nondeterminism(format!(
            "step {} was “{}” in the trace and is “{}” now",
            at + 1,
            say(then, at),
            say(now, at)
        ))),
    }
}

fn same_bug(a: &Bug, b: &Bug) -> bool {
    a.property == b.property
        && std::mem::discriminant(&a.detail) == std::mem::discriminant(&b.detail)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The terminal's width; a comfortable page where the output goes elsewhere.
fn width() -> usize {
    let terminal = console::Term::stdout();
    if terminal.is_term() { usize::from(terminal.size().1) } else { 100 }
}
