//! An execution as a table: one column a thread, one row an event, time runs down.

use crate::story::Story;
use console::{Alignment, measure_text_width, pad_str, style};
use leno_model::ThreadId;
use std::{collections::BTreeSet, path::Path};

/// Below this width a column cannot be read; then the threads share one.
const NARROWEST: usize = 22;
/// Wider columns only tear the rows apart.
const WIDEST: usize = 48;

/// A cell: who, where, what.
type Cell = (ThreadId, String, String);

/// The rows of the table for a terminal of this width: the execution, and at its end what
/// the bug has the threads do, if that is no event any more.
pub fn render(story: &Story, width: usize) -> String {
    let (file, cells) = cells(story);
    let events = story.steps.len();
    let shown: Vec<ThreadId> =
        cells.iter().map(|(thread, ..)| *thread).collect::<BTreeSet<_>>().into_iter().collect();
    let number = events.to_string().len().max(3);
    let room = width.saturating_sub(number + 3) / shown.len().max(1);
    let mut text = file.map_or(String::new(), |file| format!("{}\n", style(file).dim()));
    if room < NARROWEST {
        return text + &list(&cells, story, number);
    }
    let widest = cells.iter().map(|(_, place, what)| place.len() + 2 + measure_text_width(what));
    let column = (widest.max().unwrap_or(0) + 2).clamp(NARROWEST, room.min(WIDEST));
    let heads: Vec<_> = shown.iter().map(|t| fit(story.label(*t), column)).collect();
    text.push_str(&format!("{:number$}   {}\n", "", style(heads.concat().trim_end()).bold()));
    let mut last = None;
    for (at, (thread, place, what)) in cells.iter().enumerate() {
        let before = shown.iter().position(|other| other == thread).unwrap_or(0);
        let switched = last.is_some_and(|last| last != *thread);
        if at == events || switched && at < events {
            let rule = "─".repeat(column * shown.len() - 2);
            text.push_str(&format!("{:number$}   {}\n", "", style(rule).dim()));
        }
        last = Some(*thread);
        let empty = " ".repeat(column * before);
        for (row, part) in wrap(place, what, column - 2).into_iter().enumerate() {
            let is_event = at < events;
            let label = if row == 0 && is_event { (at + 1).to_string() } else { String::new() };
            let part = if is_event { part } else { style(part).red().to_string() };
            text.push_str(&format!("{label:>number$}   {empty}{part}\n"));
        }
    }
    text
}

/// All cells in the order of time; and the file, where all of them are in one, so that
/// the cells need only the line.
fn cells(story: &Story) -> (Option<String>, Vec<Cell>) {
    let events =
        story.steps.iter().map(|step| (step.thread, step.place.clone(), step.what.clone()));
    let ends = story
        .bug
        .scenes
        .iter()
        .filter_map(|scene| Some((scene.id, scene.stack.first().cloned(), scene.end.clone()?)));
    let all: Vec<_> = events.chain(ends).collect();
    let files: BTreeSet<_> =
        all.iter().filter_map(|(_, place, _)| Some(place.as_ref()?.file.clone())).collect();
    let only = if files.len() == 1 { files.into_iter().next() } else { None };
    let cells = all
        .into_iter()
        .map(|(thread, place, what)| {
            let place = match place {
                None => String::new(),
                Some(frame) if only.is_some() => format!("{:>4}", frame.line),
                Some(frame) => {
                    let file = Path::new(&frame.file).file_name().unwrap_or_default();
                    format!("{}:{}", file.to_string_lossy(), frame.line)
                }
            };
            (thread, place, what)
        })
        .collect();
    (only, cells)
}

/// The event's place and description in lines of at most `width`.
fn wrap(place: &str, what: &str, width: usize) -> Vec<String> {
    let whole = place.len() + 2 + measure_text_width(what);
    if whole <= width {
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
fn list(cells: &[Cell], story: &Story, number: usize) -> String {
    let name = cells.iter().map(|(thread, ..)| story.label(*thread).len()).max().unwrap_or(0);
    let places = cells.iter().map(|(_, place, _)| place.len()).max().unwrap_or(0);
    let mut text = String::new();
    let mut last = None;
    for (at, (thread, place, what)) in cells.iter().enumerate() {
        let label = if last == Some(*thread) { "" } else { story.label(*thread) };
        last = Some(*thread);
        let label = style(format!("{label:name$}")).bold();
        let place = style(format!("{place:places$}")).dim();
        let row = if at < story.steps.len() { (at + 1).to_string() } else { String::new() };
        text.push_str(&format!("{row:>number$}   {label}  {place}  {what}\n"));
    }
    text
}
