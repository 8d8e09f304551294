//! The driver against a scripted peer instead of the runtime: this very program, started
//! again with [`SCRIPT`] set, speaks the protocol and does what its script says.

use leno_driver::{
    channel::{read_frame, write_frame},
    input::Input,
    program::{Journal, Launch, Next, Obituary, Running},
};
use leno_model::wire::{CHANNEL, Counts, Job, Message, Mode, SearchKind, Summary};
use std::{
    env,
    os::{fd::FromRawFd, unix::net::UnixStream},
    path::Path,
    thread,
    time::{Duration, Instant},
};

const SCRIPT: &str = "LENO_TEST_SCRIPT";

fn main() {
    if let Ok(script) = env::var(SCRIPT) {
        return peer(&script);
    }
    a_conversation_goes_to_its_end();
    an_end_without_a_word_is_noticed();
    a_signal_is_told_from_a_status();
    a_deadline_is_kept();
    println!("conversation: ok");
}

fn peer(script: &str) {
    let fd = env::var(CHANNEL).unwrap().parse().unwrap();
    // SAFETY: the descriptor was left open for this process by its parent.
    let mut stream = unsafe { UnixStream::from_raw_fd(fd) };
    write_frame(
        &mut stream,
        &Message::Hello { units: vec![], loaded: vec![], early_threads: false },
    )
    .unwrap();
    let job: Job = read_frame(&mut stream).unwrap().unwrap();
    let counts = Counts { executions: job.max_steps, ..Counts::default() };
    match script {
        "done" => {
            write_frame(&mut stream, &Message::Progress(counts)).unwrap();
            let summary = Summary {
                counts,
                exhausted: true,
                steps_limited: false,
                unrolled: Vec::new(),
                unasked: Vec::new(),
                weak_atomics: false,
                unseen: vec![],
                narrowed: vec![],
                phases: None,
            };
            write_frame(&mut stream, &Message::Done(Box::new(summary))).unwrap();
        }
        "status" => std::process::exit(7),
        "signal" => std::process::abort(),
        _ => thread::sleep(Duration::from_secs(600)),
    }
}

fn start(script: &str) -> Running {
    // SAFETY: no other thread runs yet that could read the environment.
    unsafe { env::set_var(SCRIPT, script) };
    let program = env::current_exe().unwrap();
    let launch = Launch {
        program: &program,
        args: &[],
        directory: None,
        // Preloading a file that is not there only makes the loader complain.
        runtime: Path::new(""),
        show_output: false,
        input: &Input::none(),
        journal: &Journal::create(),
        libraries: &[],
        patience: Duration::ZERO,
    };
    let mut running = Running::start(&launch).unwrap();
    assert!(matches!(running.next(None), Next::Message(Message::Hello { .. })));
    running.send(&Job {
        mode: Mode::Check {
            symmetry: false,
            search: SearchKind::Source,
            keep_going: false,
            max_executions: 0,
            resume: None,
            save_every: 0,
        },
        properties: vec![],
        max_steps: 42,
        max_threads: 0,
        unroll: 0,
        weak_failures: 0,
        spurious: 0,
        show_output: false,
        isolate: false,
        kernel: false,
        scratch: String::new(),
        profile: false,
        explain_symmetry: None,
        tell: false,
        nondet: vec![],
        record_all: false,
        unknown_callees: vec![],
        models: vec![],
        modelled: vec![],
        named: vec![],
    });
    running
}

fn a_conversation_goes_to_its_end() {
    let mut running = start("done");
    let Next::Message(Message::Progress(counts)) = running.next(None) else { panic!() };
    assert_eq!(counts.executions, 42);
    let Next::Message(Message::Done(summary)) = running.next(None) else { panic!() };
    assert!(summary.exhausted);
}

fn an_end_without_a_word_is_noticed() {
    let Next::Ended(Obituary { how, .. }) = start("status").next(None) else { panic!() };
    assert!(how.contains("status 7"), "{how}");
}

fn a_signal_is_told_from_a_status() {
    let Next::Ended(Obituary { how, .. }) = start("signal").next(None) else { panic!() };
    assert!(how.contains("SIGABRT"), "{how}");
}

fn a_deadline_is_kept() {
    let deadline = Instant::now() + Duration::from_millis(100);
    assert!(matches!(start("sleep").next(Some(deadline)), Next::TimedOut));
    assert!(deadline.elapsed() < Duration::from_secs(5), "the peer was killed, not awaited");
}
