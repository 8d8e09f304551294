//! The report for a person.

use crate::{
    cli::{Unseen, property_name},
    explain::{Explanation, explain},
    image::Frame,
    suppressions,
    verdict::{Ending, Outcome, Verdict},
    words::{count, grouped},
};
use console::style;
use leno_model::symmetry::{Explain, State};
use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// The verdict with everything that led to it.
pub fn outcome(outcome: &Outcome) -> String {
    let mut text = String::new();
    for found in &outcome.bugs {
        text.push_str(&bug(&explain(&found.bug, &outcome.images)));
        line(&mut text, "trace", &shown(&found.trace));
        line(&mut text, "replay", &style(replay_command(&found.trace)).bold().to_string());
        text.push('\n');
    }
    if let Some(wanted) = outcome.args.explain_symmetry {
        outcome.compared.iter().for_each(|one| line(&mut text, "compared", &one.line()));
        if let (Explain::Only(state), []) = (wanted, &outcome.compared[..]) {
            let State { execution, events } = state;
            let what = format!(
                "state {execution}.{events} was not met, or fewer than two threads besides main \
                 can go on there"
            );
            line(&mut text, "compared", &what);
        }
        text.push('\n');
    }
    text.push_str(&verdict(outcome));
    text
}

/// A line of the form `label   content`, labels in one column.
fn line(text: &mut String, label: &str, content: &str) {
    let label = style(format!("{label:<9}")).dim();
    writeln!(text, "  {label} {content}").expect("a string takes all text");
}

fn verdict(outcome: &Outcome) -> String {
    let mut text = String::new();
    let (word, sentence) = match outcome.verdict() {
        Verdict::Safe if outcome.is_assumed_away() => (
            style("safe").green().bold(),
            "no execution came to its end, each makes an assumption that does not hold; none shows \
             a bug before that"
                .to_string(),
        ),
        Verdict::Safe => (style("safe").green().bold(), {
            let other = if outcome.suppressed() > 0 { " that is not suppressed" } else { "" };
            format!("every interleaving that matters was run, none shows a bug{other}")
        }),
        Verdict::Bug => (style("bug").red().bold(), bugs_found(outcome)),
        Verdict::Unknown => (style("unknown").yellow().bold(), "no bug found, but ".to_string()),
    };
    let sentence = if outcome.verdict() == Verdict::Unknown {
        sentence + &why_unknown(outcome)
    } else {
        sentence
    };
    writeln!(text, "{word}: {sentence}").expect("a string takes all text");
    let properties: Vec<_> = outcome.args.properties.iter().map(|p| property_name(*p)).collect();
    line(&mut text, "searched", &searched(outcome));
    line(&mut text, "for", &properties.join(", "));
    if outcome.counts.symmetric > 0 || outcome.args.explain_symmetry.is_some() {
        line(&mut text, "symmetry", &saved(outcome));
    }
    if outcome.suppressed() > 0 {
        let hidden = count(outcome.suppressed(), "bug");
        let by = suppressions::told(&outcome.suppressions).join(", ");
        line(&mut text, "hidden", &format!("{hidden}, by {by}"));
    }
    if let Some(parts) = outcome.profile() {
        let parts = parts.map(|(name, time)| format!("{name} {time:.2} µs"));
        line(&mut text, "each", &parts.join(", "));
    }
    if !outcome.args.quiet {
        if outcome.args.unseen == Unseen::Warn && !outcome.unseen.is_empty() {
            let what = format!(
                "{} got shared memory, and leno cannot see what they do with it",
                outcome.unseen.join(", ")
            );
            line(&mut text, "unseen", &what);
        }
        if let Some(directory) = &outcome.resume {
            line(&mut text, "go on", &format!("with --resume {}", quoted(&shown(directory))));
        }
        for note in &outcome.notes {
            line(&mut text, "note", note);
        }
    }
    text
}

fn bugs_found(outcome: &Outcome) -> String {
    let found = format!("{} found", count(outcome.bugs.len() as u64, "bug"));
    match outcome.ending {
        Ending::Exhausted => format!("{found}, every interleaving that matters was run"),
        Ending::StepsLimited => format!("{found}, some executions were cut by --max-steps"),
        Ending::ThreadsLimited => format!("{found}, some executions were cut by --max-threads"),
        Ending::Unrolled => format!("{found}, some executions were cut by --unroll"),
        Ending::Enough if outcome.args.keep_going => {
            format!("{found} until --max-executions was reached")
        }
        Ending::Enough => format!("{found}, the search stopped there (--keep-going finds all)"),
        Ending::TimedOut => format!("{found} until the time was up"),
        Ending::Interrupted => format!("{found} until the check was interrupted"),
    }
}

fn why_unknown(outcome: &Outcome) -> String {
    match outcome.ending {
        Ending::Exhausted if outcome.in_vain() => {
            "in every execution a loop that chooses waits in vain".to_string()
        }
        Ending::Exhausted => {
            outcome.narrowed.unwrap_or("some functions could not be seen into").to_string()
        }
        Ending::StepsLimited => {
            format!(
                "some executions were cut after {} events (--max-steps)",
                outcome.args.max_steps
            )
        }
        Ending::ThreadsLimited => format!(
            "some executions were cut where they had created {} (--max-threads)",
            count(outcome.args.max_threads.into(), "thread")
        ),
        Ending::Unrolled => format!(
            "some executions were cut where a loop went round more than {} (--unroll)",
            count(outcome.args.unroll.into(), "time")
        ),
        Ending::Enough => "the limit of executions was reached (--max-executions)".to_string(),
        Ending::TimedOut => "the time was up (--timeout)".to_string(),
        Ending::Interrupted => "the check was interrupted".to_string(),
    }
}

fn searched(outcome: &Outcome) -> String {
    let counts = &outcome.counts;
    let seconds = outcome.time.as_secs_f64();
    let mut parts = vec![count(counts.executions, "execution")];
    if outcome.blocked() > 0 {
        parts[0] += &format!(" and {} cut short", grouped(outcome.blocked()));
    }
    parts.push(count(counts.events, "event"));
    parts.push(count(counts.threads, "thread"));
    parts.push(if seconds < 10.0 { format!("{seconds:.2} s") } else { format!("{seconds:.0} s") });
    if seconds > 0.5 {
        parts
            .push(format!("{} executions/s", grouped((counts.executions as f64 / seconds) as u64)));
    }
    parts.join(", ")
}

/// What symmetry has saved, and what that took.
fn saved(outcome: &Outcome) -> String {
    let counts = &outcome.counts.symmetry;
    format!(
        "{} cut, {} of {} symmetric, {} not comparable, in {:.3} s",
        count(outcome.counts.symmetric, "subtree"),
        grouped(counts.successes),
        count(counts.analyses, "comparison"),
        grouped(counts.incomparable),
        counts.nanoseconds as f64 / 1e9
    )
}

/// What happened, thread by thread, with the source.
pub fn bug(bug: &Explanation) -> String {
    let mut text = String::new();
    writeln!(text, "{} {}", style("bug:").red().bold(), style(&bug.message).bold())
        .expect("a string takes all text");
    if let Some(origin) = &bug.origin {
        writeln!(text, "  {origin}").expect("a string takes all text");
    }
    text.push('\n');
    for scene in &bug.scenes {
        writeln!(text, "  {}", style(&scene.headline).cyan().bold())
            .expect("a string takes all text");
        stack(&mut text, &scene.stack, "    ");
        for (because, frames) in &scene.because {
            writeln!(text, "    {because}").expect("a string takes all text");
            stack(&mut text, frames, "      ");
        }
        text.push('\n');
    }
    text
}

/// Frames of a deep stack that are shown, at its inner and at its outer end.
const INNER: usize = 8;
const OUTER: usize = 3;

/// The innermost frame with its source line, the callers below it.
fn stack(text: &mut String, frames: &[Frame], indent: &str) {
    let place = |text: &mut String, what: &str, frame: &Frame| {
        let at = style(format!("{}:{}", frame.file, frame.line)).underlined();
        let within = frame.within.as_ref().map_or(String::new(), |name| format!(", in {name}"));
        writeln!(text, "{indent}{what} {at} in {}{within}", frame.function)
            .expect("a string takes all text");
        let source = || frame.source.clone().or_else(|| source_line(frame));
        if let Some(source) = source().filter(|_| what == "at") {
            let number = style(format!("{:>4} │", frame.line)).dim();
            writeln!(text, "{indent}{number} {source}").expect("a string takes all text");
        }
    };
    // Of a deep recursion the two ends tell enough.
    let folded = if frames.len() > INNER + OUTER + 1 { INNER..frames.len() - OUTER } else { 0..0 };
    for (depth, frame) in frames.iter().enumerate() {
        if depth == folded.start && !folded.is_empty() {
            writeln!(text, "{indent}({} more calls)", folded.len())
                .expect("a string takes all text");
        }
        if !folded.contains(&depth) {
            place(text, if depth == 0 { "at" } else { "called from" }, frame);
        }
    }
    if frames.is_empty() {
        writeln!(text, "{indent}in code that is not instrumented")
            .expect("a string takes all text");
    }
}

/// The line of the source, if the file is still there.
pub fn source_line(frame: &Frame) -> Option<String> {
    let text = fs::read_to_string(&frame.path).ok()?;
    let line = text.lines().nth((frame.line as usize).checked_sub(1)?)?;
    let line = line.trim_end().replace('\t', "    ");
    Some(line.trim_start().to_string()).filter(|line| !line.is_empty())
}

/// A path as short as it can be from here.
pub fn shown(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}

/// What to type to see this trace's execution again, from here.
pub fn replay_command(trace: &Path) -> String {
    let leno = env::args_os().next().map(PathBuf::from).unwrap_or_else(|| "leno".into());
    let trace = shown(trace);
    format!("{} replay {}", quoted(&leno.display().to_string()), quoted(&trace))
}

fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_string(), |quoted| quoted.into_owned())
}
