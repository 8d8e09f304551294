//! A search is data: written down after every execution and read back, it goes on as if
//! nothing had happened; and it can be cut into pieces that know nothing of each other.

mod sim;

use leno_checker::{Naive, Optimal, Search, Source};
use serde::{Serialize, de::DeserializeOwned};
use sim::generate;

/// Runs a search to its end, or to a thousand executions; what `between` makes of it is
/// what goes on.
fn executions<S: Search>(mut search: S, seed: u64, between: impl Fn(S) -> S) -> Vec<String> {
    let program = generate::program(seed);
    let mut seen = Vec::new();
    while let Some(plan) = search.next() {
        let run = sim::run(&program, plan, None);
        let findings = search.absorb(&run.execution());
        seen.push(format!("{:?} {findings:?} {:?}", run.execution().events, search.counts()));
        if seen.len() == 1000 {
            break;
        }
        search = between(search);
    }
    seen
}

fn written_and_read<S: Serialize + DeserializeOwned>(search: S) -> S {
    let bytes = postcard::to_allocvec(&search).expect("a search can be written");
    postcard::from_bytes(&bytes).expect("and read back")
}

#[test]
fn a_search_that_was_saved_goes_on_the_same() {
    for seed in 0..100 {
        let plain = executions(Source::new(), seed, |search| search);
        assert_eq!(executions(Source::new(), seed, written_and_read), plain, "seed {seed}");
        let plain = executions(Optimal::new(), seed, |search| search);
        assert_eq!(executions(Optimal::new(), seed, written_and_read), plain, "seed {seed}");
        let plain = executions(Naive::new(), seed, |search| search);
        assert_eq!(executions(Naive::new(), seed, written_and_read), plain, "seed {seed}");
    }
}

/// The executions of a search and of all pieces that it is cut into, in any order; none if a
/// search has begun anew.
fn in_pieces(seed: u64, cut: bool) -> Option<Vec<String>> {
    let program = generate::program(seed);
    let mut seen = Vec::new();
    let mut left = vec![Optimal::new()];
    while let Some(mut search) = left.pop() {
        let mut runs = 0;
        while let Some(plan) = search.next() {
            let run = sim::run(&program, plan, None);
            search.absorb(&run.execution());
            seen.push(format!("{:?}", run.execution().events));
            runs += 1;
            let counts = search.counts();
            let dropped = counts.blocked_by_assume + counts.blocked_by_await;
            let ended = counts.executions + counts.blocked_by_sleep + dropped;
            if ended != runs || seen.len() == 1000 {
                return None;
            }
            // Written down and read elsewhere, too.
            if cut {
                left.extend(search.split().map(written_and_read));
            }
        }
    }
    seen.sort();
    Some(seen)
}

#[test]
fn pieces_of_a_search_explore_together_what_the_whole_does() {
    let mut compared = 0;
    for seed in 0..300 {
        if let Some(whole) = in_pieces(seed, false) {
            compared += u32::from(whole.len() > 2);
            assert!(in_pieces(seed, true) == Some(whole), "seed {seed}");
        }
    }
    assert!(compared > 50, "only {compared} had anything to cut");
}
