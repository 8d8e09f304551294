//! Model programs that show what a part of the rule for symmetry is for.

use super::{
    ACQ, Instr, Loc, OWN, OWN_MUTEX, PLAIN, Program, REL, RLX, SC, X, Y, own_mutex_of, own_of,
};
use leno_model::Order;

/// What the threads compete for.
const GATE: Loc = Loc(16, 8);

/// A word that nobody writes.
const LEFT: Loc = Loc(32, 8);

fn exchange(to: u64) -> Instr {
    Instr::Update { loc: GATE, order: RLX, operation: 0, operand: to, reg: 1 }
}

fn store(loc: Loc, order: super::Atomic) -> Instr {
    Instr::Store { loc, order, value: 1 }
}

fn load(loc: Loc, order: super::Atomic, reg: u8) -> Instr {
    Instr::Load { loc, order, reg }
}

fn program(threads: &[&[Instr]]) -> Program {
    let threads = threads.iter().map(|code| code.to_vec()).collect();
    Program { threads, ..Program::default() }
}

/// The programs, by what they are about.
pub fn all() -> Vec<(&'static str, Program)> {
    let mut all = vec![];
    let create = Instr::Create;
    for [first, second] in [[1, 2], [2, 1]] {
        // What main does comes before one of the threads and not before the other: the
        // published rule loses the assertion.
        let code = [
            Instr::Cas { loc: X, order: SC, from: 0, to: 1, reg: 0 },
            Instr::If { reg: 0, is: 0, skip: 2 },
            load(Y, SC, 1),
            Instr::Assert { reg: 1, is: 1 },
        ];
        let main = [create(first), store(Y, SC), create(second), Instr::Join(1), Instr::Join(2)];
        all.push(("different pasts", program(&[&main, &code, &code])));
        // One of them has read what the next fence makes it acquire.
        let common = [
            Instr::SemPost(0),
            exchange(1),
            Instr::If { reg: 1, is: 2, skip: 2 },
            Instr::Fence(Order::Acquire),
            load(X, PLAIN, 0),
        ];
        let main = [
            create(1),
            create(2),
            store(X, PLAIN),
            store(Y, REL),
            Instr::Cas { loc: GATE, order: RLX, from: 0, to: 2, reg: 0 },
        ];
        let reads = [&[load(Y, RLX, 0), Instr::Assume { reg: 0, is: 1 }], &common[..]].concat();
        let both: [&[Instr]; 2] = [&reads, &common];
        let [a, b] = [both[first as usize - 1], both[second as usize - 1]];
        all.push(("what a fence will acquire", program(&[&main, a, b])));
        // One of them releases more by its relaxed stores than the other.
        let common =
            [Instr::SemPost(0), exchange(1), Instr::If { reg: 1, is: 0, skip: 1 }, store(Y, RLX)];
        let fenced = [&[Instr::Fence(Order::Release)], &common[..]].concat();
        let main = [create(3), store(X, PLAIN), create(1), create(2)];
        let reader = [load(Y, ACQ, 0), Instr::If { reg: 0, is: 1, skip: 1 }, load(X, PLAIN, 1)];
        let both: [&[Instr]; 2] = [&fenced, &common];
        let [a, b] = [both[first as usize - 1], both[second as usize - 1]];
        all.push(("what a fence has released", program(&[&main, a, b, &reader])));
    }
    all.extend(about_pasts());
    all.extend(about_choices());
    all.extend(about_own_things());
    all.extend(about_hidden_races());
    all.extend(about_what_changes_places());
    all
}

/// Main does x between the creation of two threads, of whom the first to come does e. Then
/// main waits for both and looks. What e does before x only the one can do that was created
/// first, and it is cut if the other one goes first.
fn about_pasts() -> Vec<(&'static str, Program)> {
    let mut all = vec![];
    for [first, second] in [[2, 3], [3, 2]] {
        let past = |before: &[Instr], x: &[Instr], e: &[Instr], look: &[Instr], third: &[Instr]| {
            let create = Instr::Create;
            let joins = [Instr::Join(2), Instr::Join(3)];
            let main = [before, &[create(first)], x, &[create(second)], &joins[..], look].concat();
            let won = Instr::If { reg: 1, is: 0, skip: e.len() as u8 };
            let code = [&[exchange(1), won], e].concat();
            program(&[&main, third, &code, &code])
        };
        let (attempt, lock, unlock) =
            (Instr::TryLock { mutex: 0, reg: 0 }, Instr::Lock(0), Instr::Unlock(0));
        let barrier = Instr::Barrier { barrier: 0, reg: 0 };
        let made = Instr::BarrierInit { barrier: 0, count: 2 };
        let held = Instr::Assert { reg: 0, is: 0 };
        all.extend([
            ("an unlock of what is not held", past(&[], &[unlock], &[lock], &[attempt, held], &[])),
            ("a lock that is never had", past(&[], &[lock], &[lock], &[], &[])),
            ("rounds", past(&[made, Instr::Create(1)], &[barrier], &[barrier], &[], &[barrier])),
            (
                "across a line",
                past(
                    &[],
                    &[store(Loc(64, 4), SC)],
                    &[load(Loc(60, 8), SC, 0), Instr::Assert { reg: 0, is: 1 << 32 }],
                    &[],
                    &[],
                ),
            ),
        ]);
        // It is the first that waits for the semaphore who has the unit, if there is one.
        let made = Instr::SemInit { sem: 0, value: 1 };
        let wait = Instr::SemWait(0);
        all.push(("a unit that is never had", past(&[made], &[wait], &[wait], &[], &[])));
    }
    all
}

/// Whoever comes first of 1 and 2 tells 3 and 4 that it was there, and who comes first of
/// these looks whether main has done x. For 1 and 3 it has.
fn about_choices() -> Vec<(&'static str, Program)> {
    let create = Instr::Create;
    let look = [load(X, SC, 0), Instr::Assert { reg: 0, is: 1 }];
    let told = |then: &[Instr]| {
        [&[Instr::Until { loc: Y, order: SC, is: 1 }, store(OWN, RLX)], then].concat()
    };
    let tell = |then: &[Instr]| {
        let won = Instr::If { reg: 1, is: 0, skip: 1 + then.len() as u8 };
        [&[exchange(1), won, store(Y, SC)], then].concat()
    };
    let main = [create(2), create(4), store(X, SC), create(1), create(3)];
    // The next gate.
    let gate = Instr::Update { loc: Loc(24, 8), order: RLX, operation: 0, operand: 1, reg: 1 };
    let won = Instr::If { reg: 1, is: 0, skip: 2 };
    let (teller, listener) = (tell(&[]), told(&[gate, won, look[0], look[1]]));
    let twice = program(&[&main, &teller, &teller, &listener, &listener]);
    let (lock, wait, unlock) =
        (Instr::Lock(0), Instr::Wait { cond: 0, mutex: 0 }, Instr::Unlock(0));
    let teller = tell(&[Instr::Signal(0)]);
    let listener = told(&[&[lock, wait, unlock], &look[..]].concat());
    let woken = program(&[&main, &teller, &teller, &listener, &listener]);
    // Two wait. Then two others come, each of which may wake either.
    let come = Instr::Add { loc: Y, order: RLX, reg: 0 };
    let both = [lock, load(Y, RLX, 0), Instr::Assume { reg: 0, is: 2 }, unlock];
    let main = [&[create(1), create(2)], &both[..], &[create(4), store(X, SC), create(3)]].concat();
    let wake = [Instr::Signal(0), exchange(1), won, look[0], look[1]];
    let waiter = [lock, come, wait, unlock, load(LEFT, SC, 0)];
    let waking = program(&[&main, &waiter[..4], &waiter, &wake, &wake]);
    vec![
        ("what was cut is part of what was done", twice),
        ("a choice that was cut is part of what was done", woken),
        ("all choices are what was done", waking),
    ]
}

/// Main does something with what is one of the threads' own, which does not come before
/// either of them.
fn about_what_changes_places() -> Vec<(&'static str, Program)> {
    let same = |loc: Loc, order| Instr::Store { loc, order, value: 0 };
    let said = Instr::Cas { loc: GATE, order: RLX, from: 0, to: 2, reg: 0 };
    let mut all = vec![];
    for [first, second] in [[1, 2], [2, 1]] {
        let hidden = |x: &[Instr], e: &[Instr]| {
            let main = [&[Instr::Create(1), Instr::Create(2)], x, &[said]].concat();
            let won = Instr::If { reg: 1, is: 2, skip: e.len() as u8 };
            let code = [&[exchange(1), won], e].concat();
            program(&[&main, &code, &code])
        };
        let touched = [same(own_of(second), PLAIN)];
        all.push(("what is its own", hidden(&touched, &[load(OWN, PLAIN, 0)])));
        let told = [store(X, PLAIN), same(own_of(first), REL)];
        let read = [load(OWN, ACQ, 0), load(X, PLAIN, 0)];
        all.push(("what is left in its own word", hidden(&told, &read)));
        let mutex = own_mutex_of(first);
        let told = [store(X, PLAIN), Instr::Lock(mutex), Instr::Unlock(mutex)];
        let read = [Instr::Lock(OWN_MUTEX), load(X, PLAIN, 0)];
        all.push(("what is left in its own mutex", hidden(&told, &read)));
        // Only one of them has joined the third.
        let won = Instr::If { reg: 1, is: 2, skip: 1 };
        let code = [store(OWN, RLX), exchange(1), won, load(X, PLAIN, 0)];
        let joins = [&[Instr::Join(3)], &code[..]].concat();
        let both: [&[Instr]; 2] = [&joins, &code];
        let [a, b] = [both[first as usize - 1], both[second as usize - 1]];
        let main = [1, 2, 3].map(Instr::Create);
        all.push(("a join of long ago", program(&[&main, a, b, &[store(X, PLAIN), said]])));
    }
    all
}

/// What a third thread does to what is one thread's own comes before the other one's life.
fn about_own_things() -> Vec<(&'static str, Program)> {
    let main = [Instr::Create(3)];
    let (create, won) = (Instr::Create, Instr::If { reg: 1, is: 0, skip: 2 });
    let set = |thread| store(own_of(thread), SC);
    let third = [set(1), create(1), create(2), set(2)];
    // The second may come too early, the first may not.
    let code = [exchange(1), won, load(OWN, SC, 0), Instr::Assert { reg: 0, is: 1 }];
    let words = program(&[&main, &code, &code, &third]);
    let lock = |thread| Instr::Lock(own_mutex_of(thread));
    let third = [lock(1), create(1), create(2), lock(2)];
    let attempt = Instr::TryLock { mutex: OWN_MUTEX, reg: 0 };
    let code = [exchange(1), won, attempt, Instr::Assert { reg: 0, is: 0 }];
    let mutexes = program(&[&main, &code, &code, &third]);
    vec![("words of one's own", words), ("mutexes of one's own", mutexes)]
}

/// Main does x, then says that it has, and creates thread 1, for which x has happened before.
/// For thread 2 it has not, and whoever comes first from then on does e: if that is 2, it is in
/// a race with x. If it comes earlier it does nothing, so that reversing x and e does not show
/// the race.
fn about_hidden_races() -> Vec<(&'static str, Program)> {
    let (plain, read) = (store(X, PLAIN), load(X, PLAIN, 0));
    let hidden = |before: &[Instr], x: &[Instr], e: &[Instr]| {
        let said = Instr::Cas { loc: GATE, order: RLX, from: 0, to: 2, reg: 0 };
        let main = [before, &[Instr::Create(2)], x, &[said, Instr::Create(1)]].concat();
        let won = Instr::If { reg: 1, is: 2, skip: e.len() as u8 };
        let code = [&[store(OWN, RLX), exchange(1), won], e].concat();
        program(&[&main, &code, &code, &[]])
    };
    let within = |lock, instr, unlock| [lock, instr, unlock];
    let [locked, other] = [0, 1].map(|m| (Instr::Lock(m), Instr::Unlock(m)));
    let shared = (Instr::ReadLock(0), Instr::RwUnlock(0));
    let mine = (Instr::Lock(OWN_MUTEX), Instr::Unlock(OWN_MUTEX));
    let first = own_mutex_of(1);
    let firsts = (Instr::Lock(first), Instr::Unlock(first));
    let around = |(lock, unlock), instr| within(lock, instr, unlock);
    let attempt = Instr::TryLock { mutex: 0, reg: 0 };
    let mut all = vec![
        ("a hidden race", hidden(&[], &[plain], &[read])),
        ("a hidden race with an atomic", hidden(&[], &[plain], &[load(X, RLX, 0)])),
        ("different locks", hidden(&[], &around(locked, plain), &around(other, read))),
        ("readers", hidden(&[], &around(shared, plain), &around(shared, read))),
        ("locks of one's own", hidden(&[], &around(firsts, plain), &around(mine, read))),
        ("a join", hidden(&[Instr::Create(3)], &[plain], &[Instr::Join(3), read])),
        ("a failed attempt", hidden(&[], &[locked.0, plain], &[attempt, read])),
        ("behind a lock", hidden(&[], &[locked.0, locked.1, plain], &around(locked, read))),
        ("created under a lock", hidden(&[locked.0], &[plain], &[read])),
    ];
    // For the search x comes before both.
    let code = [store(OWN, RLX), exchange(1), Instr::If { reg: 1, is: 0, skip: 1 }, read];
    let told = [&[load(Y, RLX, 0), Instr::Assume { reg: 0, is: 1 }], &code[..]].concat();
    let main = [Instr::Create(2), plain, store(Y, RLX), Instr::Create(1)];
    all.push(("an order that is none for C11", program(&[&main, &code, &told])));
    all
}
