//! What is said of symmetric threads, tried by execution: wherever two threads are found to
//! be interchangeable, what can follow when the one goes first is what can follow when the
//! other does. On random programs, by naive enumeration.
//!
//! And whatever naive enumeration sees of such a program, the searches that cut what is
//! symmetric see too: the same statuses, the same bugs in the same lines.
//!
//! `LENO_FUZZ_SYMMETRY` is the number of programs (1000, and 100), `LENO_SEED` the first
//! seed (1).

use leno_tests::{compile, leno, on_all_cores, root, scratch, threads};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashMap},
    env, fs,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

/// Programs that are one file.
const TOGETHER: u64 = 50;

#[test]
fn symmetric_threads_have_the_same_future() {
    let (tried, found, count) = on_programs(1000, judge);
    println!("{tried} of {count} programs, {found} states in which two threads are symmetric");
    assert!(tried > count / 2 && found > count / 2, "{tried} programs, {found} states");
}

#[test]
fn cutting_what_is_symmetric_loses_no_outcome() {
    let (tried, cuts, count) = on_programs(100, compare);
    println!("{tried} of {count} programs, {cuts} cuts");
    assert!(tried > count / 2 && cuts > count / 4, "{tried} programs, {cuts} cuts");
}

/// Judges random programs. How many could be, and what was found in all, and how many there
/// were to be.
fn on_programs(
    default: u64,
    judge: impl Fn(&Path, u64) -> Result<Judged, Option<String>> + Sync,
) -> (u64, u64, u64) {
    let number = |name: &str, default| {
        env::var(name).map_or(default, |text| text.parse().expect("a number"))
    };
    let (first, count): (u64, u64) =
        (number("LENO_SEED", 1), number("LENO_FUZZ_SYMMETRY", default));
    let files: Vec<u64> =
        (0..count.div_ceil(TOGETHER)).map(|file| first + file * TOGETHER).collect();
    let (tried, found) = (AtomicU64::new(0), AtomicU64::new(0));
    let wrong = on_all_cores(&files, |seed| {
        let directory = scratch();
        let source = directory.path().join("programs.c");
        let many = TOGETHER.min(count);
        fs::write(&source, threads::programs(*seed, many)).expect("there is room for a program");
        if let Err(error) = compile(&source, &["-Wno-unused"], &directory.path().join("programs")) {
            return vec![format!("seed {seed}: it does not compile:\n{error}")];
        }
        let mut wrong = Vec::new();
        for number in 0..many {
            match judge(directory.path(), number) {
                Ok(Judged { states, differ }) => {
                    tried.fetch_add(1, Ordering::Relaxed);
                    found.fetch_add(states, Ordering::Relaxed);
                    let seed = seed + number;
                    let tell = |how: String| format!("seed {seed}: {how}\n{}", threads::one(seed));
                    wrong.extend(differ.map(tell));
                }
                Err(None) => {}
                Err(Some(error)) => wrong.push(format!("seed {}: {error}", seed + number)),
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "\n\n{}\n", wrong.join("\n"));
    (tried.into_inner(), found.into_inner(), count)
}

/// Compares what searches see that cut with what naive enumeration sees.
fn compare(directory: &Path, number: u64) -> Result<Judged, Option<String>> {
    let naive = seen(directory, number, &["--search", "naive", "--symmetry", "off"])?;
    let mut judged = Judged { states: 0, differ: None };
    for search in ["source", "optimal"] {
        let cut = seen(directory, number, &["--search", search, "--symmetry", "on"])?;
        judged.states += cut.cuts;
        if cut.outcomes != naive.outcomes {
            let (all, cut) = (&naive.outcomes, &cut.outcomes);
            judged.differ = Some(format!("naive sees\n{all:?}\nand {search}\n{cut:?}"));
        }
    }
    Ok(judged)
}

/// The report of a check and its executions, which it has put into a file. None: there are
/// too many of them.
fn executions(
    directory: &Path,
    args: &[&str],
    file: &str,
) -> Result<(Value, Vec<Value>), Option<String>> {
    let report = leno(directory, args).json().map_err(Some)?;
    if let Some(error) = report.get("error") {
        return Err(Some(error["message"].to_string()));
    }
    if report["coverage"] != "exhaustive" {
        return Err(None);
    }
    let file = directory.join(file);
    let text = fs::read_to_string(&file).map_err(|error| Some(error.to_string()))?;
    let lines = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
    fs::remove_file(&file).ok();
    Ok((report, lines.map_err(|error| Some(error.to_string()))?))
}

struct Seen {
    outcomes: BTreeSet<String>,
    cuts: u64,
}

/// How the executions of a search end, and the bugs that it finds. None: it takes too long.
fn seen(directory: &Path, number: u64, search: &[&str]) -> Result<Seen, Option<String>> {
    let file = format!("seen-{number}");
    let program = number.to_string();
    let options = ["check", "--format", "json", "--keep-going", "--executions", &file];
    let limits = ["--max-executions", "4000", "--timeout", "60s"];
    let args = [&options[..], &limits, search, &["./programs", &program]].concat();
    let (report, executions) = executions(directory, &args, &file)?;
    let mut outcomes = BTreeSet::new();
    for ran in executions {
        // Others are not run to an end.
        if ran["end"] == "Stuck" || ran["end"].get("Completed").is_some() {
            outcomes.insert(ran["end"].to_string());
        }
    }
    for bug in report["bugs"].as_array().into_iter().flatten() {
        let accesses = bug["accesses"].as_array().into_iter().flatten();
        let mut lines: Vec<String> = accesses.map(|access| access["line"].to_string()).collect();
        lines.sort();
        outcomes.insert(format!("{} {}", bug["kind"], lines.join(" ")));
    }
    Ok(Seen { outcomes, cuts: report["pruned"]["symmetry"].as_u64().unwrap_or(0) })
}

struct Judged {
    /// In how many states two threads were found symmetric that both went first; or, how
    /// often something was cut.
    states: u64,
    /// Where that was wrong.
    differ: Option<String>,
}

/// A state: who took which choice until then.
type State = Vec<(u64, u64)>;

/// What was said of two threads in a state, and what followed.
#[derive(Default)]
struct Said {
    symmetric: u64,
    after: [BTreeSet<String>; 2],
}

/// What was said of a program. None: there are too many executions.
fn judge(directory: &Path, number: u64) -> Result<Judged, Option<String>> {
    let file = format!("executions-{number}");
    let limits = ["--max-executions", "2000", "--timeout", "60s"];
    let options = ["check", "--format", "json", "--keep-going", "--explain-symmetry"];
    let search = ["--search", "naive", "--property", "assert,deadlock", "--executions", &file];
    let program = number.to_string();
    let args = [&options[..], &limits, &search, &["./programs", &program]].concat();
    let (_, executions) = executions(directory, &args, &file)?;
    let mut visits: HashMap<State, u64> = HashMap::new();
    let mut said: HashMap<(State, u64, u64), Said> = HashMap::new();
    for ran in executions {
        let list = |field: &str| ran[field].as_array().cloned().unwrap_or_default();
        let steps: State = list("steps")
            .iter()
            .map(|step| {
                (step["thread"].as_u64().unwrap_or(0), step["choice"].as_u64().unwrap_or(0))
            })
            .collect();
        for at in 0..steps.len() {
            *visits.entry(steps[..at].to_vec()).or_default() += 1;
        }
        let places = |field: &str| {
            let mut places: Vec<String> = list(field).iter().map(Value::to_string).collect();
            places.sort();
            places.join(" ")
        };
        let outcome = format!("{} {} {}", ran["end"], places("failed"), places("pending"));
        for one in list("symmetric") {
            let number = |place: usize| one[place].as_u64().unwrap_or(0);
            let (at, a, b) = (number(0) as usize, number(1), number(2));
            let Some((next, _)) = steps.get(at) else { continue };
            let said = said.entry((steps[..at].to_vec(), a, b)).or_default();
            said.symmetric += 1;
            for (side, thread) in [a, b].into_iter().enumerate() {
                if *next == thread {
                    said.after[side].insert(outcome.clone());
                }
            }
        }
    }
    // What handles are used for is known when it has been seen, and a search would begin
    // anew then: what was said before does not count.
    let lasting = said.iter().filter(|((state, ..), said)| visits[state] == said.symmetric);
    let both = lasting.filter(|(_, said)| said.after.iter().all(|after| !after.is_empty()));
    let mut judged = Judged { states: 0, differ: None };
    for ((state, a, b), said) in both {
        judged.states += 1;
        if said.after[0] != said.after[1] {
            let path: Vec<String> = state.iter().map(|(thread, _)| thread.to_string()).collect();
            judged.differ = Some(format!(
                "threads {a} and {b} are symmetric after [{}], but what follows is\n{:?}\nand\n{:?}",
                path.join(" "),
                said.after[0],
                said.after[1]
            ));
        }
    }
    Ok(judged)
}

/// A check that is stopped says what comparing has come to until then, and goes on from there.
#[test]
fn a_check_that_is_stopped_says_what_symmetry_has_saved() {
    let directory = scratch();
    let here = directory.path();
    let source = root().join("testsuite/symmetry/aget.c");
    compile(&source, &["-DWORKERS=6", "-DBLOCKS=1", "-DCLAIM", "-O2"], &here.join("program"))
        .unwrap();
    let stopped = |limits: &[&str]| {
        let fixed = ["check", "--format", "json", "--symmetry", "on", "--save-every", "5ms"];
        let report = leno(here, &[&fixed, limits, &["./program"]].concat()).json().unwrap();
        assert_eq!(report["verdict"], "unknown", "{report}");
        let saved = (&report["symmetry"], report["pruned"]["symmetry"].as_u64().unwrap());
        let count = |field: &str| saved.0[field].as_u64().unwrap();
        assert!(saved.1 > 0 && count("successes") >= saved.1, "{report}");
        assert!(count("analyses") > count("successes"), "{report}");
        assert!(saved.0["seconds"].as_f64().unwrap() > 0.0, "{report}");
        count("analyses")
    };
    stopped(&["--timeout", "1s"]);
    let before = stopped(&["--max-executions", "50", "--output", "saved"]);
    let both = stopped(&["--max-executions", "60", "--resume", "saved"]);
    assert!(both > before, "{both} comparisons, and {before} of them before");
}

/// What one of two threads has touched alone is made an event for the sake of symmetry, if
/// there is little of it.
#[test]
fn what_was_used_alone_is_made_known() {
    let executions = |much: &str| {
        let directory = scratch();
        let here = directory.path();
        let source = root().join("testsuite/symmetry/used-alone.c");
        compile(&source, &[much], &here.join("program")).unwrap();
        let args = ["check", "--format", "json", "--symmetry", "on", "./program"];
        leno(here, &args).json().unwrap()["executions"].as_u64().unwrap()
    };
    let (little, much) = (executions("-DMUCH=1"), executions("-DMUCH=100"));
    assert!(little < much, "{little} executions, and {much} with more");
}

/// The listing of all states names them, and each can be asked for by its name.
#[test]
fn a_state_can_be_chosen() {
    let directory = scratch();
    let here = directory.path();
    let source = root().join("testsuite/symmetry/create-loop.c");
    compile::<&str>(&source, &[], &here.join("program")).unwrap();
    let ask = |option: &str| leno(here, &["check", "--format", "json", option, "./program"]);
    let compared = |option: &str| {
        let report = ask(option).json().unwrap();
        report["symmetry"]["compared"].as_array().cloned().unwrap()
    };
    let all = compared("--explain-symmetry");
    assert!(all.iter().any(|one| one["symmetric"] == true), "{all:?}");
    assert!(all.iter().any(|one| one["symmetric"] == false), "{all:?}");
    for one in &all {
        let state = one["state"].as_str().unwrap();
        let there = compared(&format!("--explain-symmetry={state}"));
        assert!(there.contains(one), "{one} is not in {there:?}");
        assert!(there.iter().all(|other| other["state"] == state), "{there:?}");
    }
    assert_eq!(compared("--explain-symmetry=1.9999"), [] as [Value; 0]);
    for wrong in ["--explain-symmetry=3", "--explain-symmetry=a.b", "--explain-symmetry="] {
        let refused = ask(wrong);
        assert_eq!(refused.status, Some(2), "{wrong}: {}", refused.stdout);
        assert!(refused.stdout.contains("--explain-symmetry"), "{wrong}: {}", refused.stdout);
    }
}
