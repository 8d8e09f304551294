//! What comparing threads has shown, in words (`--explain-symmetry`).

use crate::{
    image::{Images, Threads},
    words,
};
use leno_model::{
    symmetry::{Compared, State},
    thread::ThreadName,
};
use serde::Serialize;

/// A comparison as it is told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Explained {
    /// In which state: the execution, and how many events have happened.
    pub state: String,
    pub threads: [String; 2],
    /// What the threads were about to do, and where.
    pub at: [String; 2],
    pub symmetric: bool,
    /// What kind of difference there is: `incomparable`, `code`, `value`, `state`, `lock`,
    /// `referenced`.
    pub kind: Option<leno_model::symmetry::DifferenceKind>,
    pub why: Option<String>,
}

/// Puts comparisons into words.
pub fn explain(found: &[Compared], threads: Vec<ThreadName>, images: &Images) -> Vec<Explained> {
    let threads = Threads::named(threads);
    let one = |compared: &Compared| {
        let place = |site| words::place(site, images);
        let why = compared.difference.as_ref().map(|difference| match &difference.object {
            Some(object) => {
                format!("{}: {}", images.name(object, 1, &threads).name, difference.text)
            }
            None => difference.text.clone(),
        });
        let State { execution, events } = compared.state;
        Explained {
            state: format!("{execution}.{events}"),
            threads: [&compared.threads.0, &compared.threads.1]
                .map(|path| words::thread_name(path)),
            at: [compared.sites.0, compared.sites.1].map(place),
            symmetric: compared.difference.is_none(),
            kind: compared.difference.as_ref().map(|difference| difference.kind),
            why,
        }
    };
    found.iter().map(one).collect()
}

impl Explained {
    /// Whether both say the same of the same threads, in whatever states.
    pub fn says_the_same(&self, other: &Self) -> bool {
        *self == Self { state: self.state.clone(), ..other.clone() }
    }

    /// As one line.
    pub fn line(&self) -> String {
        let ([a, b], state) = (&self.threads, &self.state);
        let at = match &self.at {
            [one, other] if one == other => format!("both at {one}"),
            [one, other] => format!("at {one} and {other}"),
        };
        match &self.why {
            None => format!("{state}: {a} and {b}, {at}: symmetric"),
            Some(why) => format!("{state}: {a} and {b}, {at}: not symmetric, {why}"),
        }
    }
}
