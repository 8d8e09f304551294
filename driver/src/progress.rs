//! The live line on a terminal.

use crate::{
    output,
    words::{count, grouped},
};
use indicatif::{ProgressBar, ProgressStyle};
use leno_model::wire::Counts;
use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

pub struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// Shows nothing where stderr is no terminal or the user wants it quiet.
    pub fn start(quiet: bool) -> Self {
        let bar = if quiet || !io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            let bar = ProgressBar::new_spinner().with_message("starting the program");
            let template = ProgressStyle::with_template("{spinner} {msg}");
            bar.set_style(template.expect("the template is well formed"));
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        };
        Self { bar, started: Instant::now() }
    }

    pub fn show(&self, counts: &Counts) {
        let rate = counts.executions as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        let mut parts = vec![
            count(counts.executions, "execution"),
            format!("{}/s", grouped(rate as u64)),
            format!("up to {}", count(counts.max_depth, "event")),
            count(counts.threads, "thread"),
        ];
        if counts.estimate > counts.executions {
            let left = (counts.estimate - counts.executions) as f64 / rate.max(1.0);
            let all = grouped(counts.estimate);
            parts.insert(1, format!("of about {all}, {} to go", duration(left)));
        }
        if counts.bugs > 0 {
            parts.push(count(counts.bugs, "bug"));
        }
        self.bar.set_message(parts.join(" · "));
    }

    /// Writes a line to stderr without disturbing the live one.
    pub fn note(&self, text: &str) {
        self.bar.suspend(|| output::complain(format_args!("leno: {text}")));
    }
}

/// A rough time, in words that do not pretend to know more.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 360_000.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{} days", grouped((s / 86_400.0) as u64)),
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
