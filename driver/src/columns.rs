//! An execution as a table: one column a thread, one row an event, time runs down.

use crate::{
    image::{Images, Threads},
    words,
};
use console::{Alignment, measure_text_width, pad_str, style};
use leno_model::{ThreadId, wire::Trace};
use std::{collections::BTreeSet, path::Path};

/// Below this width a column cannot be read; then the threads share one.
const NARROWEST: usize = 22;
/// Wider columns only tear the rows apart.
const WIDEST: usize = 48;

/// The rows of the table for a terminal of this width.
pub fn render(trace: &Trace, images: &Images, width: usize) -> String {
    let threads = Threads::of(trace, images);
    let shown: Vec<ThreadId> =
        trace.steps.iter().map(|step| step.thread).collect::<BTreeSet<_>>().into_iter().collect();
    let number = trace.steps.len().to_string().len().max(3);
    let room = width.saturating_sub(number + 3) / shown.len().max(1);
    let cells: Vec<(ThreadId, String, String)> = trace
        .steps
        .iter()
        .map(|step| {
            let place = images.stack(&step.stack).into_iter().next();
            let place = place.map_or(String::new(), |frame| {
                let file = Path::new(&frame.file).file_name().unwrap_or_default();
                format!("{}:{}", file.to_string_lossy(), frame.line)
            });
            (step.thread, place, words::step(step, images, &threads))
        })
        .collect();
    if room < NARROWEST {
        return list(&cells, &threads, number);
    }
    let widest = cells.iter().map(|(_, place, what)| place.len() + 2 + measure_text_width(what));
    let column = (widest.max().unwrap_or(0) + 2).clamp(NARROWEST, room.min(WIDEST));
    let mut text = String::new();
    let heads: Vec<_> = shown.iter().map(|t| fit(&threads.label(*t), column)).collect();
    text.push_str(&format!("{:number$}   {}\n", "", style(heads.concat().trim_end()).bold()));
    let mut last = None;
    for (at, (thread, place, what)) in cells.iter().enumerate() {
        let before = shown.iter().position(|other| other == thread).unwrap_or(0);
        if last.is_some_and(|last| last != *thread) {
            let rule = "─".repeat(column * shown.len() - 2);
            text.push_str(&format!("{:number$}   {}\n", "", style(rule).dim()));
        }
        last = Some(*thread);
        let empty = " ".repeat(column * before);
        for (row, part) in wrap(place, what, column - 2).into_iter().enumerate() {
            let label = if row == 0 { (at + 1).to_string() } else { String::new() };
            text.push_str(&format!("{label:>number$}   {empty}{part}\n"));
        }
    }
    text
}

/// The event's place and description in lines of at most `width`.
fn wrap(place: &str, what: &str, width: usize) -> Vec<String> {
    let one = format!("{place}  {what}");
    let trimmed = one.trim_start();
    if measure_text_width(trimmed) <= width {
        return vec![match place {
            "" => what.to_string(),
            _ => format!("{}  {what}", style(place).dim()),
        }];
    }
    let mut lines = Vec::new();
    if !place.is_empty() {
        lines.push(style(clip(place, width)).dim().to_string());
    }
    let mut line = String::new();
    for word in what.split(' ') {
        if !line.is_empty() && measure_text_width(&line) + 1 + measure_text_width(word) > width - 2
        {
            lines.push(format!("  {}", clip(&line, width - 2)));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(format!("  {}", clip(&line, width - 2)));
    lines
}

fn clip(text: &str, width: usize) -> String {
    console::truncate_str(text, width, "…").into_owned()
}

fn fit(text: &str, width: usize) -> String {
    pad_str(&clip(text, width - 2), width, Alignment::Left, None).into_owned()
}

/// Too many threads for columns: the thread's name leads each row.
fn list(cells: &[(ThreadId, String, String)], threads: &Threads, number: usize) -> String {
    let names = cells.iter().map(|(thread, ..)| threads.label(*thread).len());
    let name = names.max().unwrap_or(0);
    let places = cells.iter().map(|(_, place, _)| place.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut last = None;
    for (at, (thread, place, what)) in cells.iter().enumerate() {
        let label = if last == Some(*thread) { String::new() } else { threads.label(*thread) };
        last = Some(*thread);
        let label = style(format!("{label:name$}")).bold();
        let place = style(format!("{place:places$}")).dim();
        text.push_str(&format!("{:>number$}   {label}  {place}  {what}\n", at + 1));
    }
    text
}
