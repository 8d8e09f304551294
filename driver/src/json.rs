//! The report as JSON: exactly one object on stdout.

use crate::{
    cli::property_name,
    error::Error,
    explain::{Explanation, Scene, explain},
    image::Frame,
    verdict::{Found, Outcome, Verdict},
};
use serde_json::{Value, json};
use std::path::Path;

/// Raised when a field means something else than before.
const SCHEMA: u32 = 1;

pub fn outcome(outcome: &Outcome) -> Value {
    let counts = &outcome.counts;
    let seconds = outcome.time.as_secs_f64();
    let properties: Vec<_> = outcome.args.properties.iter().map(|p| property_name(*p)).collect();
    let bugs: Vec<_> = outcome
        .bugs
        .iter()
        .map(|Found { bug, trace }| self::bug(&explain(bug, &outcome.images), trace))
        .collect();
    json!({
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "verdict": match outcome.verdict() {
            Verdict::Safe => "safe",
            Verdict::Bug => "bug",
            Verdict::Unknown => "unknown",
        },
        "coverage": if outcome.exhaustive() { "exhaustive" } else { "bounded" },
        "memory_model": "sc",
        "properties": properties,
        "options": outcome.args,
        "executions": counts.executions,
        "blocked": outcome.blocked(),
        "blocked_by": {
            "sleep": counts.blocked_by_sleep,
            "assume": counts.blocked_by_assume,
            "await": counts.blocked_by_await,
            "unroll": counts.blocked_by_unroll,
        },
        "pruned": { "symmetry": counts.symmetric, "states": 0, "locksets": 0 },
        "symmetry": {
            "analyses": counts.symmetry.analyses,
            "successes": counts.symmetry.successes,
            "seconds": counts.symmetry.nanoseconds as f64 / 1e9,
            "incomparable": counts.symmetry.incomparable,
            "compared": outcome.args.explain_symmetry.map(|_| &outcome.compared),
        },
        "events": counts.events,
        "max_depth": counts.max_depth,
        "threads": counts.threads,
        "digest": format!("{:016x}", counts.digest),
        "seconds": seconds,
        "processor_seconds": outcome.usage.processor_time.as_secs_f64(),
        "peak_memory": outcome.usage.peak_memory,
        "executions_per_second": if seconds > 0.0 { counts.executions as f64 / seconds } else { 0.0 },
        "estimate": outcome.estimate(),
        "unseen": outcome.unseen,
        "bugs": bugs,
        "suppressed": outcome.suppressed(),
        "suppressions": outcome.suppressions.iter().map(|suppression| {
            json!({ "suppression": suppression.text, "bugs": suppression.hidden })
        }).collect::<Vec<_>>(),
        "notes": outcome.notes,
        "resume": outcome.resume,
        "profile": outcome.profile().map(|parts| {
            parts.into_iter().map(|(name, time)| (name.to_string(), json!(time))).collect::<serde_json::Map<_, _>>()
        }),
    })
}

pub fn bug(bug: &Explanation, trace: &Path) -> Value {
    json!({
        "kind": property_name(bug.kind),
        "message": bug.message,
        "object": bug.object,
        "accesses": bug.scenes.iter().map(scene).collect::<Vec<_>>(),
        "related": bug.scenes.iter().flat_map(|scene| &scene.because).map(related).collect::<Vec<_>>(),
        "trace": trace,
    })
}

fn scene(scene: &Scene) -> Value {
    let place = scene.stack.first();
    json!({
        "thread": scene.thread,
        "file": place.map(|frame| &frame.file),
        "line": place.map(|frame| frame.line),
        "function": place.map(|frame| &frame.function),
        "within": place.and_then(|frame| frame.within.as_ref()),
        "op": scene.operation,
    })
}

/// What led to it: who allocated, freed, locked, and where.
fn related((what, stack): &(String, Vec<Frame>)) -> Value {
    let place = stack.first();
    json!({
        "what": what.trim_end_matches(':'),
        "file": place.map(|frame| &frame.file),
        "line": place.map(|frame| frame.line),
        "function": place.map(|frame| &frame.function),
    })
}

pub fn error(error: &Error) -> Value {
    let mut value = json!({ "kind": error.kind(), "message": error.to_string() });
    if let Error::BrokenOff(broken) = error {
        value["executions"] = broken.counts.executions.into();
        value["events"] = broken.counts.events.into();
        value["traces"] = json!(broken.traces);
    }
    json!({ "error": value })
}
