//! What symmetry saves, and that it saves no more.

mod sim;

use leno_checker::{Search, Source};
use leno_model::wire::Counts;
use sim::{
    Instr, PLAIN, Program, SC, X, directed,
    oracle::{Bug, Explored, check_symmetry, explore},
};

fn with_symmetry(program: &Program) -> Explored {
    let explored = explore(&mut Source::new().with_symmetry(), program, 100_000, None);
    assert!(!explored.cut);
    explored
}

fn without(program: &Program) -> Counts {
    let mut search = Source::new();
    explore(&mut search, program, 10_000_000, None);
    search.counts()
}

/// Main creates so many threads with this code and joins them.
fn alike(threads: u32, code: &[Instr]) -> Program {
    let main = (1..=threads).map(Instr::Create).chain((1..=threads).map(Instr::Join)).collect();
    let others = (0..threads).map(|_| code.to_vec());
    Program { threads: std::iter::once(main).chain(others).collect(), ..Program::default() }
}

#[test]
fn equal_threads_with_a_lock_make_one_execution() {
    let count = [Instr::Lock(0), Instr::Add { loc: X, order: PLAIN, reg: 0 }, Instr::Unlock(0)];
    for threads in 2..=8 {
        let counts = with_symmetry(&alike(threads, &count)).counts;
        assert_eq!((counts.executions, counts.blocked_by_sleep), (1, 0), "{threads} threads");
    }
}

#[test]
fn racy_increments_are_as_many_as_they_were_for_one_order_of_the_threads() {
    let increment =
        [Instr::Load { loc: X, order: SC, reg: 0 }, Instr::StoreNext { loc: X, order: SC, reg: 0 }];
    for (threads, all, most) in [(2, 4, 2), (3, 36, 6), (4, 576, 24)] {
        let program = alike(threads, &increment);
        assert_eq!(without(&program).executions, all);
        let counts = with_symmetry(&program).counts;
        assert!(counts.executions <= most, "{threads} threads: {counts:?}");
    }
}

#[test]
fn waiters_of_one_kind_are_woken_in_one_order() {
    // Three wait, and are woken one by one.
    let wait = [Instr::Lock(0), Instr::Wait { cond: 0, mutex: 0 }, Instr::Unlock(0)];
    let mut program = alike(3, &wait);
    program.threads[0].splice(3..3, [Instr::Signal(0); 3]);
    let (all, cut) = (without(&program).executions, with_symmetry(&program).counts.executions);
    assert!(3 * cut <= all, "{cut} of {all}");
}

/// Each of these is lost without a part of the rule.
#[test]
fn nothing_is_lost_in_programs_made_for_it() {
    for (name, program) in directed::all() {
        check_symmetry(&program, 100_000).unwrap_or_else(|why| panic!("{name}: {why}\n{program}"));
    }
}

/// The program with which the published rule loses an assertion.
#[test]
fn what_comes_before_one_of_two_threads_is_reversed_with_the_other() {
    for (_, program) in directed::all().iter().filter(|(name, _)| *name == "different pasts") {
        let explored = with_symmetry(program);
        assert!(explored.bugs.iter().any(|bug| matches!(bug, Bug::Failure(_))), "{program}");
        assert!(explored.counts.symmetric > 0, "nothing was cut");
    }
}
