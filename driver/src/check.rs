//! `leno check`.

use crate::{
    cli::{CheckArgs, Format, Switch, Unseen, property_name},
    demangle,
    error::{BrokenOff, Error},
    human,
    image::Images,
    input::Input,
    json,
    models::{self, Models, Source},
    output::say,
    program::{self, Journal, Launch, Next, Obituary, Running},
    progress::Progress,
    restart::{self, Restart},
    search_file::{self, SearchFile},
    story::Story,
    suppressions::{self, Suppression},
    symmetry::{self, Explained},
    tables::Tables,
    trace_file::{Output, SCHEMA, TraceFile},
    verdict::{self, Ending, Found, Outcome},
    words,
};
use leno_model::{
    effect::Model,
    site::{SiteId, SiteKind},
    wire::{Bug, Counts, Fault, Job, Message, Mode, Ran, Saved, Summary, TIMER, Unasked},
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
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
    let Tables { stripped, libraries, .. } = require_tables(&program)?;
    let runtime = program::runtime()?;
    let sources = models::read(&args.models)?;
    let models = Models::with(&libraries, &sources)?;
    let suppressions = suppressions::read(&args.suppressions)?;
    let started = Instant::now();
    let deadline = args.timeout.map(|time| started + time);
    let progress = Progress::start(args.quiet || args.format == Format::Json);
    let input = Input::open(args.input.as_deref(), &program)?;
    let mut check = Check {
        args,
        runtime,
        images: Images::default(),
        loaded: Vec::new(),
        early_threads: false,
        output: match &args.resume {
            Some(directory) => Output::resume(directory)?,
            None => Output::open(&args.output)?,
        },
        program,
        words,
        input,
        journal: Journal::create(),
        libraries: match &args.resume {
            Some(directory) => SearchFile::read(directory)?.libraries,
            None => Vec::new(),
        },
        progress,
        sources,
        models,
        suppressions,
        has_enough: false,
        counts: Counts::default(),
        bugs: Vec::new(),
        notes: Vec::new(),
        started,
        before: Duration::ZERO,
        saved: false,
        compared: Vec::new(),
        executions: match &args.executions {
            Some(path) => Some((path.clone(), create(path)?)),
            None => None,
        },
    };
    if stripped {
        let note = "the program is stripped: its variables have no names here";
        check.notes.push(note.to_string());
    }
    let mode = Mode::Check {
        search,
        symmetry: args.symmetry == Switch::On,
        // Behind a bug that is hidden there may be others.
        keep_going: args.keep_going || !args.suppressions.is_empty(),
        max_executions: args.max_executions,
        // It is known when the program is.
        resume: None,
        save_every: args.save_every.as_millis() as u64,
    };
    let (ending, summary) = match check.converse(mode, deadline)? {
        Heard::Done(ending, summary) => (ending, summary),
        Heard::Silence(obituary) => check.inquest(obituary)?,
    };
    check.finish(ending, summary)
}

/// How a conversation with the runtime ended.
enum Heard {
    Done(Ending, Option<Box<Summary>>),
    /// The process ended and did not say so.
    Silence(Obituary),
}

/// How long an execution may take in which the process has died before. Schedules take a
/// fraction of a second; but one that was killed from outside may never come to its end.
const INQUEST: Duration = Duration::from_secs(10);

/// A check in progress.
struct Check<'a> {
    args: &'a CheckArgs,
    runtime: PathBuf,
    images: Images,
    /// Where the units' tables lie in the process.
    loaded: Vec<u64>,
    /// There are threads that a constructor has started.
    early_threads: bool,
    output: Output,
    program: PathBuf,
    words: Vec<String>,
    input: Input,
    journal: Journal,
    /// Instrumented libraries that it is known to open while it runs.
    libraries: Vec<String>,
    progress: Progress,
    /// The user's models.
    sources: Vec<Source>,
    /// These and leno's own; none if there are only those for all programs.
    models: Option<Models>,
    suppressions: Vec<Suppression>,
    /// There is a bug, and one is all that is wanted.
    has_enough: bool,
    counts: Counts,
    bugs: Vec<Found>,
    notes: Vec<String>,
    started: Instant,
    /// What the check had taken when it was stopped before.
    before: Duration,
    /// The search is on disk.
    saved: bool,
    /// What comparing threads has shown.
    compared: Vec<Explained>,
    /// Where executions are written to.
    executions: Option<(PathBuf, fs::File)>,
}

impl<'a> Check<'a> {
    /// What to go on from, if this is not a new check.
    fn resume(&mut self) -> Result<Option<Saved>, Error> {
        let Some(directory) = &self.args.resume else { return Ok(None) };
        let file = SearchFile::read(directory)?;
        file.fits(&self.search_file(file.saved.clone())?, directory)?;
        self.output.keep_only(&file.traces)?;
        for (trace, path) in file.bugs(self.output.directory())? {
            self.bugs.push(Found { bug: trace.bug, trace: path });
        }
        self.before = file.time;
        self.saved = true;
        Ok(Some(file.saved))
    }

    fn search_file(&self, saved: Saved) -> Result<SearchFile, Error> {
        let name = |found: &Found| found.trace.file_name().unwrap_or_default().to_owned();
        let traces = self.bugs.iter().map(|found| name(found).to_string_lossy().into_owned());
        Ok(SearchFile {
            leno: env!("CARGO_PKG_VERSION").to_string(),
            program: self.program.clone(),
            args: self.words.clone(),
            files: self.images.files()?,
            libraries: self.libraries.clone(),
            options: search_file::options(self.args),
            time: self.before + self.started.elapsed(),
            traces: traces.collect(),
            saved,
        })
    }

    /// Starts the program, gives the runtime its job, and listens to it.
    fn converse(&mut self, mode: Mode, deadline: Option<Instant>) -> Result<Heard, Error> {
        let mut running = Running::start(&Launch {
            program: &self.program,
            args: &self.words,
            directory: None,
            runtime: &self.runtime,
            show_output: self.args.show_output,
            input: &self.input,
            journal: &self.journal,
            libraries: &self.libraries,
            patience: self.args.patience,
        })?;
        // While the program is being loaded.
        let ours = program::exports(&self.runtime)?;
        self.models();
        let mut has_job = false;
        loop {
            match running.next(deadline) {
                Next::Quiet if self.args.quiet => {}
                Next::Quiet => self.progress.note(&self.not_heard_of()),
                Next::Stuck(stuck) => {
                    drop(running);
                    let how = words::stuck(&stuck, &self.journal, &self.loaded, &self.images);
                    return Err(self.broken_off(how));
                }
                Next::TimedOut => return Ok(Heard::Done(Ending::TimedOut, None)),
                Next::Interrupted => return Ok(Heard::Done(Ending::Interrupted, None)),
                Next::Ended(obituary) if has_job => return Ok(Heard::Silence(obituary)),
                Next::Ended(Obituary { how, .. }) => {
                    return Err(self.broken_off(format!("{how}, before its main was called")));
                }
                Next::Message(Message::Hello { units, loaded, early_threads }) => {
                    self.images = Images::load(units)?;
                    self.loaded = loaded;
                    self.early_threads = early_threads;
                    let mut mode = mode.clone();
                    if let Mode::Check { resume, .. } = &mut mode {
                        *resume = self.resume()?.map(Box::new);
                    }
                    let mut job = self.job(mode, &ours);
                    if job.kernel {
                        job.scratch = running.scratch()?;
                    }
                    running.send(&job);
                    has_job = true;
                }
                Next::Message(Message::Notice(note)) => {
                    if !self.notes.contains(&note) {
                        self.notes.push(note);
                    }
                }
                Next::Message(Message::Progress(counts)) => {
                    self.progress.show(&counts);
                    self.counts = counts;
                    if self.has_enough {
                        return Ok(Heard::Done(Ending::Enough, None));
                    }
                }
                Next::Message(Message::Bug(_)) if self.has_enough => {}
                Next::Message(Message::Bug(bug)) => {
                    if !suppressions::hide(&mut self.suppressions, &bug, &self.images) {
                        self.save(bug)?;
                        self.has_enough = !self.args.keep_going && !self.suppressions.is_empty();
                    }
                }
                Next::Message(Message::Saved(saved)) => {
                    self.counts = saved.counts;
                    self.search_file(*saved)?.write(self.output.directory())?;
                    self.saved = true;
                }
                Next::Message(Message::Compared { threads, found }) => {
                    for explained in symmetry::explain(&found, threads, &self.images) {
                        if !self.compared.iter().any(|known| known.says_the_same(&explained)) {
                            self.compared.push(explained);
                        }
                    }
                }
                Next::Message(Message::Ran(ran)) => self.write(&ran)?,
                Next::Message(Message::Replayed(_)) => {}
                Next::Message(Message::Fault(Fault::Library { path })) => {
                    drop(running);
                    self.open(path)?;
                    return self.converse(mode, deadline);
                }
                Next::Message(Message::Fault(Fault::Died { how, thread, site })) => {
                    let place = words::last_seen(&thread, site, &self.images);
                    return Err(self.broken_off(format!("{how}{place}")));
                }
                Next::Message(Message::Fault(fault)) => {
                    return Err(fault_error(fault, &self.images));
                }
                Next::Message(Message::Done(summary)) => {
                    return Ok(Heard::Done(ending(&summary, &self.images), Some(summary)));
                }
            }
        }
    }

    /// The program opens an instrumented library: the check begins anew with it.
    fn open(&mut self, path: String) -> Result<(), Error> {
        let path = library(path)?;
        if self.libraries.contains(&path) {
            return Err(Error::Unsupported(format!(
                "dlopen of {path}, which cannot be loaded before main"
            )));
        }
        self.notes.push(format!(
            "{path}, which the program opens by dlopen, is loaded before main: its constructors \
             run there"
        ));
        self.libraries.push(path);
        self.journal = Journal::create();
        self.counts = Counts::default();
        Ok(())
    }

    /// What is known of functions that are not instrumented.
    fn models(&self) -> &Models {
        self.models.as_ref().unwrap_or_else(|| models::standard())
    }

    /// `ours`: what the runtime stands in for.
    fn job(&mut self, mode: Mode, ours: &HashSet<String>) -> Job {
        let (isolate, kernel) = self.restart(ours);
        let calls = calls(&self.images, ours, self.models());
        Job {
            mode,
            properties: self.args.properties.clone(),
            max_steps: self.args.max_steps,
            unroll: self.args.unroll,
            max_threads: self.args.max_threads,
            weak_failures: self.args.weak_failures,
            spurious: self.args.spurious,
            show_output: self.args.show_output,
            record_all: self.args.record_all,
            isolate,
            kernel,
            scratch: String::new(),
            profile: self.args.profile,
            explain_symmetry: self.args.explain_symmetry,
            tell: self.args.executions.is_some(),
            nondet: self.args.nondet.clone(),
            unknown_callees: calls.unknown,
            models: calls.models,
            modelled: calls.modelled,
            named: calls.named,
        }
    }

    /// The process has died: another one reads the journal and says what it makes of it.
    fn inquest(&mut self, found: Obituary) -> Result<(Ending, Option<Box<Summary>>), Error> {
        let keep_going = self.args.keep_going || !self.suppressions.is_empty();
        let mode = Mode::Inquest { keep_going, status: found.status };
        match self.converse(mode, Some(Instant::now() + INQUEST))? {
            Heard::Done(ending, Some(summary)) => Ok((ending, Some(summary))),
            Heard::Done(_, None) | Heard::Silence(_) => Err(self.broken_off(found.how)),
        }
    }

    /// How executions are repeated: whether each must be a process of its own, which is
    /// said with the reason if the user did not ask for it, and whether there is more
    /// than memory to put back.
    fn restart(&mut self, ours: &HashSet<String>) -> (bool, bool) {
        let instrumented: HashSet<_> = self.images.functions().collect();
        let imported = self.images.imported();
        let reason = match restart::restart(imported, self.models(), ours, &instrumented) {
            _ if self.early_threads => "there are threads before main, which are not in it".into(),
            Restart::InPlace { kernel } => {
                return (self.args.isolate, kernel || self.images.reads_input());
            }
            Restart::Isolated(function) => {
                format!("the program calls {function}, whose effects are not put back in place")
            }
        };
        let note = format!("each execution is a process of its own, because {reason}");
        if !self.args.isolate && !self.notes.contains(&note) {
            self.notes.push(note);
        }
        (true, true)
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
            libraries: self.libraries.clone(),
            max_steps: self.args.max_steps,
            models: self.sources.clone(),
            options: serde_json::to_value(self.args).unwrap_or_default(),
            bug,
            story,
            checksum: String::new(),
        };
        let trace = self.output.write(property_name(file.bug.property), &file)?;
        self.bugs.push(Found { bug: file.bug, trace });
        Ok(())
    }

    /// Writes down what an execution did.
    fn write(&mut self, ran: &Ran) -> Result<(), Error> {
        let Some((path, file)) = &mut self.executions else { return Ok(()) };
        let line = serde_json::to_string(ran).unwrap_or_default();
        writeln!(file, "{line}").map_err(|source| Error::Write { path: path.clone(), source })
    }

    /// What to tell somebody who waits for an execution that does not end.
    fn not_heard_of(&self) -> String {
        let last = self.journal.last_hook().filter(|last| last.site != 0);
        let site = last.and_then(|last| words::site_at(last.site, &self.loaded));
        let place = match site {
            Some(site) => format!(", last seen at {}", words::place(Some(site), &self.images)),
            None => String::new(),
        };
        format!(
            "an execution has been running for {} s without an end{place}; \
             --unroll limits the rounds of a loop, --max-steps the length of an execution, \
             --timeout the time",
            program::QUIET.as_secs()
        )
    }

    /// The check cannot go on: what is known until now.
    fn broken_off(&self, how: String) -> Error {
        let (counts, traces) = (self.counts, self.bugs.iter().map(|bug| bug.trace.clone()));
        Error::BrokenOff(Box::new(BrokenOff { how, counts, traces: traces.collect() }))
    }

    fn finish(self, ending: Ending, summary: Option<Box<Summary>>) -> Result<Outcome<'a>, Error> {
        let mut notes = self.notes;
        let mut unseen = BTreeSet::new();
        let mut narrowed = None;
        let phases = summary.as_ref().and_then(|summary| summary.phases);
        let counts = summary.as_ref().map_or(self.counts, |summary| summary.counts);
        if self.early_threads {
            unseen.insert("a thread that was started before main".to_string());
        }
        if let Some(summary) = summary {
            unseen.extend(summary.unseen.iter().map(|site| callee(*site, &self.images)));
            let (timer, types): (Vec<_>, Vec<_>) =
                summary.narrowed.iter().cloned().partition(|what| what == TIMER);
            if !timer.is_empty() {
                narrowed = Some("the signal of a timer was not tried at all moments");
                notes.push(
                    "SIGALRM of a timer was tried only where a thread sleeps long enough, or \
                     waits for a signal"
                        .to_string(),
                );
            }
            if !types.is_empty() {
                narrowed = Some("not all inputs were tried");
                let types = types.join(", ");
                notes.push(format!(
                    "of {types}, __VERIFIER_nondet gave 0 and 1 only (null for a pointer); \
                     --nondet TYPE=LOW..HIGH says which values to try"
                ));
            }
            let place = |site: &SiteId| words::place(Some(*site), &self.images);
            let mut cut = |what: &str, sites: Vec<SiteId>| {
                let mut places: Vec<String> = sites.iter().map(place).collect();
                places.sort_unstable();
                if !places.is_empty() {
                    notes.push(format!("{what}: {}", places.join("; ")));
                }
            };
            let (calls, loops) = cut_sites(&summary, &self.images);
            cut("not let go round again (--unroll)", loops);
            cut("not let create more threads (--max-threads)", calls);
            let ends = summary.unasked.iter().map(|Unasked { property, site }| {
                format!("{} ({})", property_name(*property), words::place(*site, &self.images))
            });
            let ends: Vec<String> = ends.collect();
            if !ends.is_empty() {
                notes.push(format!(
                    "what was not asked for (--property) kept executions from going on: {}",
                    ends.join("; ")
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
        if matches!(ending, Ending::Exhausted) && verdict::is_assumed_away(&counts) {
            notes.push(
                "in every execution the program assumes what does not hold: what it would do \
                 behind that was not run"
                    .to_string(),
            );
        }
        // What came to its end, or to its bug, is not gone on with.
        let over = match ending {
            Ending::Exhausted
            | Ending::StepsLimited
            | Ending::ThreadsLimited
            | Ending::Unrolled => true,
            Ending::Enough => !self.bugs.is_empty() && !self.args.keep_going,
            Ending::TimedOut | Ending::Interrupted => false,
        };
        if over {
            search_file::remove(self.output.directory())?;
        }
        Ok(Outcome {
            args: self.args,
            images: self.images,
            ending,
            counts,
            time: self.before + self.started.elapsed(),
            resume: (self.saved && !over).then(|| self.output.directory().to_path_buf()),
            bugs: self.bugs,
            suppressions: self.suppressions,
            unseen: unseen.into_iter().collect(),
            notes,
            usage: program::usage(),
            narrowed,
            phases,
            compared: self.compared,
        })
    }
}

/// Where threads were cut: the calls that were to create one too many, and the loops.
fn cut_sites(summary: &Summary, images: &Images) -> (Vec<SiteId>, Vec<SiteId>) {
    let is_call = |site: &SiteId| matches!(images.kind(*site), Some(SiteKind::Call(_)));
    summary.unrolled.iter().copied().partition(is_call)
}

fn ending(summary: &Summary, images: &Images) -> Ending {
    if !summary.exhausted {
        Ending::Enough
    } else if summary.steps_limited {
        Ending::StepsLimited
    } else if summary.unrolled.is_empty() {
        Ending::Exhausted
    } else if cut_sites(summary, images).1.is_empty() {
        Ending::ThreadsLimited
    } else {
        Ending::Unrolled
    }
}

/// Refuses a program that cannot be checked before anything is started.
pub fn require_tables(program: &Path) -> Result<Tables, Error> {
    program::inspect(program)?;
    let tables = Tables::read(program)
        .map_err(|source| Error::Table { path: program.to_path_buf(), source })?;
    if tables.units.is_empty() {
        return Err(Error::NotInstrumented(program.to_path_buf()));
    }
    Ok(tables)
}

/// What is known about the functions that a program calls.
#[derive(Default)]
pub struct Calls {
    /// Sites whose callee is neither instrumented nor the runtime's nor has a model.
    pub unknown: Vec<SiteId>,
    pub models: Vec<Model>,
    /// Sites whose callee is not instrumented, and the place of its model.
    pub modelled: Vec<(SiteId, u32)>,
    /// Functions by name, for calls by pointer: the place of the model, if there is one.
    pub named: Vec<(String, Option<u32>)>,
}

pub fn calls(images: &Images, ours: &HashSet<String>, models: &Models) -> Calls {
    let instrumented: HashSet<_> = images.functions().collect();
    let mut calls = Calls::default();
    let mut places: HashMap<&str, u32> = HashMap::new();
    for (site, kind) in images.sites() {
        let SiteKind::Call(Some(name)) = kind else { continue };
        if instrumented.contains(name.as_str()) {
            continue;
        }
        match models.model(name) {
            Some(model) => {
                let place = *places.entry(name).or_insert_with(|| {
                    calls.models.push(model.clone());
                    calls.models.len() as u32 - 1
                });
                calls.modelled.push((site, place));
            }
            None if ours.contains(name) => {}
            None => calls.unknown.push(site),
        }
    }
    // Of a function that is called by pointer the name is known when it is called.
    if images.sites().any(|(_, kind)| *kind == SiteKind::Call(None)) {
        for (name, model) in models.all() {
            let place = model.map(|model| {
                calls.models.push(model.clone());
                calls.models.len() as u32 - 1
            });
            calls.named.push((name, place));
        }
    }
    calls
}

fn callee(site: SiteId, images: &Images) -> String {
    match images.kind(site) {
        Some(SiteKind::Call(Some(name))) => demangle::full(name),
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
        Fault::Library { path } => {
            Error::Changed(format!("the program opens {path}, which it did not open before"))
        }
        Fault::Unsupported { what, site: None } => Error::Unsupported(what),
        Fault::Unsupported { what, site } => {
            Error::Unsupported(format!("{what}, at {}", words::place(site, images)))
        }
        Fault::Died { how, thread, site } => {
            let how = format!("{how}{}", words::last_seen(&thread, site, images));
            Error::BrokenOff(Box::new(BrokenOff { how, ..BrokenOff::default() }))
        }
        Fault::Internal { what } => Error::Runtime(what),
    }
}

fn create(path: &Path) -> Result<fs::File, Error> {
    fs::File::create(path).map_err(|source| Error::Write { path: path.to_path_buf(), source })
}

/// A library's name that does not depend on the current directory.
fn library(path: String) -> Result<String, Error> {
    let failed = |source| Error::Read { path: path.clone().into(), source };
    Ok(fs::canonicalize(&path).map_err(failed)?.to_string_lossy().into_owned())
}

fn utf8(word: &std::ffi::OsString) -> Result<String, Error> {
    word.to_str().map(str::to_string).ok_or_else(|| {
        Error::Usage(format!("the argument {word:?} is not UTF-8, and a trace has to hold it"))
    })
}
