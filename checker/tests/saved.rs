//! A search is data: written down after every execution and read back, it goes on as if
//! nothing had happened.

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
