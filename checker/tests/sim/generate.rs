//! Random concurrent programs, small enough to be enumerated.

use super::{
    ACQ, Atomic, Instr, Loc, OWN, OWN_MUTEX, PLAIN, Program, REL, RLX, SC, own_mutex_of, own_of,
};
use leno_model::{MutexKind, Order};
use std::sync::OnceLock;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// What a program is about: most draw from one part of the instructions, so that
/// they meet each other.
#[derive(Clone, Copy, Debug)]
enum Theme {
    Memory,
    Sections,
    Locks,
    Conditions,
    Spins,
    Polls,
    Rounds,
    Glances,
    Readers,
    Semaphores,
    Barriers,
    Timeouts,
    Futexes,
    Cancellation,
    All,
}

pub fn program(seed: u64) -> Program {
    let mut r = Random(seed);
    let theme = only().unwrap_or_else(|| r.pick(&THEMES));
    about(theme, &mut r)
}

/// What `LENO_THEME` says that all programs are to be about.
fn only() -> Option<Theme> {
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    let name = NAME.get_or_init(|| std::env::var("LENO_THEME").ok()).as_ref()?;
    let named = |theme: &&Theme| format!("{theme:?}").eq_ignore_ascii_case(name);
    Some(*THEMES.iter().find(named).expect("LENO_THEME is the name of a theme"))
}

const THEMES: [Theme; 21] = [
    Theme::Memory,
    Theme::Sections,
    Theme::Locks,
    Theme::Conditions,
    Theme::Spins,
    Theme::Polls,
    Theme::Polls,
    Theme::Rounds,
    Theme::Glances,
    Theme::Readers,
    Theme::Readers,
    Theme::Semaphores,
    Theme::Semaphores,
    Theme::Barriers,
    Theme::Timeouts,
    Theme::Futexes,
    Theme::Futexes,
    Theme::Cancellation,
    Theme::Cancellation,
    Theme::All,
    Theme::All,
];

fn about(theme: Theme, r: &mut Random) -> Program {
    let threads = r.pick(&[2, 3, 3, 3, 4]) as usize;
    let total = r.below(7) as usize + 3;
    let mut program = Program { threads: vec![vec![]; threads], ..Program::default() };
    for _ in 0..total {
        let thread = r.below(threads as u64) as usize;
        let group = instr(r, theme, threads as u32);
        program.threads[thread].extend(group);
    }
    if r.one_in(2) {
        let (barrier, count) = (0, r.pick(&[2, 2, 3]));
        match theme {
            Theme::Semaphores => {
                let value = r.pick(&[0, 1, 2, i32::MAX as u32 - 1]);
                program.threads[0].insert(0, Instr::SemInit { sem: 0, value });
            }
            Theme::Barriers => {
                program.threads[0].insert(0, Instr::BarrierInit { barrier, count });
            }
            _ => {}
        }
    }
    for child in 1..threads {
        let creator = if r.one_in(4) { r.below(child as u64) as usize } else { 0 };
        let code = &mut program.threads[creator];
        let place = if r.one_in(3) { r.below(code.len() as u64 + 1) as usize } else { 0 };
        code.insert(place, Instr::Create(child as u32));
        if r.one_in(3) {
            let last = code.len() as u64 - place as u64;
            let place = place + 1 + r.below(last) as usize;
            code.insert(place, Instr::Join(child as u32));
        }
    }
    if r.one_in(8) {
        let thread = r.below(threads as u64) as usize;
        program.threads[thread].push(Instr::Exit);
    }
    if r.one_in(8) {
        program.handler = instr(r, theme, threads as u32);
    }
    program.main_ends = r.one_in(6);
    if r.one_in(4) {
        let kinds = [MutexKind::Normal, MutexKind::Recursive, MutexKind::ErrorCheck];
        program.kinds = (0..2).map(|_| r.pick(&kinds)).collect();
    }
    program
}

/// A program with threads that have code in common: created one by one with other things in
/// between, by main or by each other, with something of their own to do first, and things
/// that only the first of them to come does.
pub fn symmetric(seed: u64) -> Program {
    let mut r = Random(seed);
    let theme = only().unwrap_or_else(|| r.pick(&THEMES));
    let alike = r.pick(&[2, 2, 2, 3]) as u32;
    let others = r.below(2) as u32;
    let threads = 1 + alike + others;
    let passes = only().is_none() && r.one_in(4);
    let piece = |r: &mut Random| {
        let mut piece = match r.below(8) {
            0 => own(r, OWN, OWN_MUTEX),
            _ if passes => message(r),
            _ => instr(r, theme, threads),
        };
        // What was seen is to be seen in how it ends.
        let seen = piece.iter().rev().find_map(|instr| match instr {
            Instr::Load { reg, .. }
            | Instr::Add { reg, .. }
            | Instr::Cas { reg, .. }
            | Instr::Update { reg, .. }
            | Instr::TryLock { reg, .. }
            | Instr::TryReadLock { reg, .. }
            | Instr::TryWriteLock { reg, .. }
            | Instr::SemTryWait { reg, .. }
            | Instr::FutexWait { reg, .. }
            | Instr::FutexWake { reg, .. }
            | Instr::Section { reg, .. } => Some(*reg),
            _ => None,
        });
        if let Some(reg) = seen.filter(|_| r.one_in(2)) {
            piece.push(Instr::Assert { reg, is: r.below(2) });
        }
        piece
    };
    let mut common = vec![];
    // Behind a write nobody asks any more what was read before.
    if r.one_in(2) {
        common.push(Instr::Store { loc: OWN, order: RLX, value: 1 });
    }
    for _ in 0..1 + r.below(2) {
        let part = piece(&mut r);
        if r.one_in(2) {
            common.extend(first_come(&mut r));
            common.push(Instr::If { reg: 1, is: 0, skip: part.len() as u8 });
        }
        common.extend(part);
    }
    // What an other thread or main does, with pointers to what is not its own.
    let aside = |r: &mut Random| match r.below(6) {
        0 => {
            let whose = 1 + r.below(alike.into()) as u32;
            own(r, own_of(whose), own_mutex_of(whose))
        }
        _ => piece(r),
    };
    let mut program = Program { threads: vec![vec![]; threads as usize], ..Program::default() };
    for number in 1..threads {
        let mut code = vec![];
        if number > alike {
            code = aside(&mut r);
        } else if r.one_in(3) {
            // Something of its own, which may be over before the rest begins.
            code = piece(&mut r);
        }
        if number <= alike {
            code.extend(common.iter().copied());
        }
        program.threads[number as usize] = code;
    }
    for _ in 0..r.below(2) {
        let group = aside(&mut r);
        program.threads[0].extend(group);
    }
    for child in 1..threads {
        let creator = if r.one_in(8) { r.below(child.into()) as usize } else { 0 };
        let code = &mut program.threads[creator];
        let place = if r.one_in(2) { r.below(code.len() as u64 + 1) as usize } else { 0 };
        code.insert(place, Instr::Create(child));
    }
    match r.below(4) {
        0 | 1 => program.threads[0].extend((1..=alike).map(Instr::Join)),
        2 => program.threads[0].push(Instr::Join(1)),
        _ => {}
    }
    if r.one_in(2) {
        let last = aside(&mut r);
        program.threads[0].extend(last);
    }
    if r.one_in(2) {
        match theme {
            Theme::Semaphores => {
                let value = r.below(3) as u32;
                program.threads[0].insert(0, Instr::SemInit { sem: 0, value });
            }
            Theme::Barriers => {
                let count = r.pick(&[2, 2, 3]);
                program.threads[0].insert(0, Instr::BarrierInit { barrier: 0, count });
            }
            _ => {}
        }
    }
    program.main_ends = r.one_in(6);
    program
}

/// Who has come first finds 0.
fn first_come(r: &mut Random) -> Vec<Instr> {
    let order = r.pick(&[RLX, RLX, SC, ACQ, REL]);
    vec![Instr::Update { loc: Loc(16, 8), order, operation: 0, operand: 1, reg: 1 }]
}

/// Something about a word or a mutex of somebody's own.
fn own(r: &mut Random, loc: Loc, mutex: u8) -> Vec<Instr> {
    let order = r.pick(&[PLAIN, RLX, SC]);
    let body = match r.below(4) {
        0 => Instr::Load { loc, order, reg: 0 },
        1 => Instr::Store { loc, order, value: 1 },
        2 => Instr::Add { loc, order: order.or(RLX), reg: 0 },
        _ => Instr::Load { loc: Loc(0, 8), order, reg: 0 },
    };
    match r.below(3) {
        0 => vec![Instr::Lock(mutex), body, Instr::Unlock(mutex)],
        1 => vec![body, Instr::Assert { reg: 0, is: 0 }],
        _ => vec![body],
    }
}

/// A part of passing something on: a plain access, an atomic one of another word, a fence.
fn message(r: &mut Random) -> Vec<Instr> {
    let (data, flag) = (Loc(0, 8), Loc(8, 8));
    let order = r.pick(&[RLX, RLX, RLX, ACQ, REL, SC]);
    vec![match r.below(7) {
        0 => Instr::Load { loc: data, order: PLAIN, reg: 0 },
        1 => Instr::Store { loc: data, order: PLAIN, value: 1 },
        2 | 3 => Instr::Load { loc: flag, order, reg: 0 },
        4 => Instr::Store { loc: flag, order, value: 1 },
        _ => Instr::Fence(r.pick(&[Order::Acquire, Order::Release, Order::AcqRel])),
    }]
}

/// A small program with a loop or two that wait.
pub fn spinning(seed: u64) -> Program {
    let mut r = Random(seed);
    let mut program = Program { threads: vec![vec![], vec![], vec![]], ..Program::default() };
    for k in 0..2 + r.below(3) as usize {
        let group = loop {
            let theme = only().unwrap_or(r.pick(&[
                Theme::Spins,
                Theme::Polls,
                Theme::Rounds,
                Theme::Glances,
            ]));
            let group = instr(&mut r, theme, 3);
            let waits = spins(&group);
            if waits == (k == 0) || (waits && r.one_in(4)) {
                break group;
            }
        };
        let thread = 1 + r.below(2) as usize;
        program.threads[thread].extend(group);
    }
    program.threads[0] = vec![Instr::Create(1), Instr::Create(2)];
    program
}

fn spins(group: &[Instr]) -> bool {
    group.iter().any(|instr| {
        matches!(
            instr,
            Instr::Again { .. }
                | Instr::Until { .. }
                | Instr::UntilEither { .. }
                | Instr::UntilCas { .. }
                | Instr::UntilTestAndCas { .. }
                | Instr::UntilTryLock(_)
                | Instr::UntilEitherLock { .. }
                | Instr::UntilTryWriteLock(_)
                | Instr::UntilSemTryWait(_)
        )
    })
}

fn instr(r: &mut Random, theme: Theme, threads: u32) -> Vec<Instr> {
    // Two words, one that overlaps the first, one that lies across a line, and half of that.
    let (word, part) = (Loc(0, 8), Loc(4, 4));
    let locs = [word, word, word, word, Loc(8, 8), part, Loc(60, 8), Loc(64, 4)];
    let loc = r.pick(&locs);
    let orders: [Atomic; 8] = [PLAIN, PLAIN, RLX, RLX, ACQ, REL, SC, Some(Order::AcqRel)];
    let order = r.pick(&orders);
    let atomic = order.or(RLX);
    let (reg, value) = (r.below(2) as u8, r.below(3));
    let mutex = r.pick(&[0, 0, 0, 1]);
    let cond = r.pick(&[0, 0, 0, 1]);
    let memory = |r: &mut Random| match r.below(13) {
        0..3 => vec![Instr::Load { loc, order, reg }],
        3..6 => vec![Instr::Store { loc, order, value }],
        6 => vec![Instr::StoreNext { loc, order, reg }],
        7 => vec![Instr::Cas { loc, order: atomic, from: value, to: value + 1, reg }],
        8 => vec![Instr::Add { loc, order: atomic, reg }],
        9 => vec![Instr::Load { loc, order, reg }, Instr::If { reg, is: value, skip: 1 }],
        10 => {
            // Exchange, and, or, the larger, the smaller.
            let operation = r.pick(&[0, 3, 5, 9, 10]);
            vec![Instr::Update { loc, order: atomic, operation, operand: value, reg }]
        }
        11 => vec![Instr::Fence(r.pick(&[Order::Acquire, Order::Release, Order::SeqCst]))],
        _ => vec![Instr::Copy { from: loc, to: r.pick(&locs[..5]) }],
    };
    let sections = |r: &mut Random| match r.below(4) {
        0 | 1 => {
            let [test, then, other] = [0; 3].map(|_: u8| r.pick(&locs));
            vec![Instr::Section { test, is: value, then, other, reg }]
        }
        _ => memory(r),
    };
    let locks = |r: &mut Random| match r.below(10) {
        0..3 => vec![Instr::Lock(mutex), Instr::Unlock(mutex)],
        3 => vec![Instr::Lock(mutex)],
        4 => vec![Instr::Unlock(mutex)],
        5 => vec![Instr::TryLock { mutex, reg }],
        6 => vec![
            Instr::TryLock { mutex, reg },
            Instr::If { reg, is: 1, skip: 1 },
            Instr::Unlock(mutex),
        ],
        7 => vec![Instr::Lock(mutex), Instr::Load { loc, order, reg }, Instr::Unlock(mutex)],
        8 => vec![
            Instr::Lock(mutex),
            Instr::Lock(1 - mutex),
            Instr::Unlock(1 - mutex),
            Instr::Unlock(mutex),
        ],
        _ => vec![Instr::Init(mutex)],
    };
    let conditions = |r: &mut Random| match r.below(6) {
        0 | 1 => vec![Instr::Lock(mutex), Instr::Wait { cond, mutex }, Instr::Unlock(mutex)],
        2 => vec![Instr::Signal(cond)],
        3 => vec![Instr::Lock(mutex), Instr::Signal(cond), Instr::Unlock(mutex)],
        4 => vec![Instr::Broadcast(cond)],
        _ => vec![
            Instr::Lock(mutex),
            Instr::Load { loc, order: PLAIN, reg },
            Instr::If { reg, is: 0, skip: 1 },
            Instr::Wait { cond, mutex },
            Instr::Unlock(mutex),
        ],
    };
    let spins = |r: &mut Random| match r.below(7) {
        0 => vec![Instr::Until { loc, order: atomic, is: value }],
        1 => vec![Instr::UntilCas { loc, order: atomic, from: value, to: value + 1 }],
        2 => vec![
            Instr::UntilCas { loc, order: atomic, from: 0, to: 1 },
            Instr::Store { loc, order: REL, value: 0 },
        ],
        3 => vec![Instr::UntilEither { a: loc, b: r.pick(&locs), order: atomic, is: value }],
        4 => vec![Instr::UntilTestAndCas { loc, order: atomic, from: value, to: value + 1 }],
        5 => vec![Instr::UntilTryLock(mutex), Instr::Unlock(mutex)],
        _ => vec![Instr::UntilEitherLock { loc, order: atomic, is: value, mutex }],
    };
    let rwlock = r.pick(&[0, 0, 0, 1]);
    let section = |r: &mut Random, lock| {
        let inside = match r.below(3) {
            0 => vec![Instr::Load { loc, order, reg }],
            1 => vec![Instr::Store { loc, order, value }],
            _ => vec![],
        };
        [vec![lock], inside, vec![Instr::RwUnlock(rwlock)]].concat()
    };
    let readers = |r: &mut Random| match r.below(18) {
        0..4 => section(r, Instr::ReadLock(rwlock)),
        4..7 => section(r, Instr::WriteLock(rwlock)),
        7 => vec![Instr::ReadLock(rwlock)],
        8 => vec![Instr::RwUnlock(rwlock)],
        9 => vec![Instr::TryReadLock { rwlock, reg }],
        10 => vec![Instr::TryWriteLock { rwlock, reg }],
        11 => vec![
            Instr::TryWriteLock { rwlock, reg },
            Instr::If { reg, is: 1, skip: 1 },
            Instr::RwUnlock(rwlock),
        ],
        12 => vec![
            Instr::TryReadLock { rwlock, reg },
            Instr::If { reg, is: 1, skip: 1 },
            Instr::RwUnlock(rwlock),
        ],
        13 => vec![
            Instr::ReadLock(rwlock),
            Instr::ReadLock(1 - rwlock),
            Instr::RwUnlock(1 - rwlock),
            Instr::RwUnlock(rwlock),
        ],
        14 => vec![if r.one_in(3) { Instr::RwDestroy(rwlock) } else { Instr::RwInit(rwlock) }],
        15 => vec![Instr::UntilTryWriteLock(rwlock), Instr::RwUnlock(rwlock)],
        // Two that meet inside.
        _ => vec![
            Instr::ReadLock(0),
            Instr::SemPost(value as u8 % 2),
            Instr::SemWait(1 - value as u8 % 2),
            Instr::RwUnlock(0),
        ],
    };
    let sem = r.pick(&[0, 0, 0, 1]);
    let semaphores = |r: &mut Random| match r.below(13) {
        0..3 => vec![Instr::SemWait(sem)],
        3..6 => vec![Instr::SemPost(sem)],
        6..8 => vec![
            Instr::SemWait(sem),
            Instr::Store { loc, order: PLAIN, value },
            Instr::SemPost(sem),
        ],
        8 => vec![Instr::SemTryWait { sem, reg }],
        9 => vec![
            Instr::SemTryWait { sem, reg },
            Instr::If { reg, is: 1, skip: 1 },
            Instr::SemPost(sem),
        ],
        10 => vec![match r.below(5) {
            0 => Instr::SemDestroy(sem),
            // One more fits.
            1 => Instr::SemInit { sem, value: i32::MAX as u32 - 1 },
            value => Instr::SemInit { sem, value: value as u32 - 2 },
        }],
        11 => vec![Instr::SemValue { sem, reg }],
        _ => vec![Instr::UntilSemTryWait(sem)],
    };
    let barrier = r.pick(&[0, 0, 0, 1]);
    let barriers = |r: &mut Random| match r.below(10) {
        0 => vec![Instr::BarrierInit { barrier, count: r.pick(&[1, 2, 3]) }],
        1 if r.one_in(3) => vec![Instr::BarrierDestroy(barrier)],
        _ => vec![Instr::Barrier { barrier, reg }],
    };
    let timeouts = |r: &mut Random| match r.below(10) {
        0 => vec![Instr::TimedLock { mutex, reg }],
        1 => vec![
            Instr::TimedLock { mutex, reg },
            Instr::If { reg, is: 1, skip: 1 },
            Instr::Unlock(mutex),
        ],
        2 => vec![Instr::Lock(mutex), Instr::TimedWait { cond, mutex, reg }, Instr::Unlock(mutex)],
        3 => vec![Instr::TimedWriteLock { rwlock, reg }],
        4 => vec![Instr::TimedSemWait { sem, reg }],
        5 => vec![Instr::Signal(cond)],
        6 => vec![Instr::Lock(mutex), Instr::Unlock(mutex)],
        7 => vec![Instr::ReadLock(rwlock), Instr::RwUnlock(rwlock)],
        8 => vec![Instr::SemPost(sem)],
        _ => vec![Instr::Broadcast(cond)],
    };
    let word = r.pick(&[Loc(0, 8), Loc(0, 8), Loc(0, 8), Loc(8, 8)]);
    let bits = r.pick(&[u32::MAX, u32::MAX, u32::MAX, 1, 2]);
    let futexes = |r: &mut Random| match r.below(12) {
        0..3 => vec![Instr::FutexWait { loc: word, is: 0, bits, timed: false, reg }],
        3 => vec![Instr::FutexWait { loc: word, is: value, bits, timed: r.one_in(2), reg }],
        4 => vec![Instr::FutexWait { loc: word, is: 0, bits, timed: true, reg }],
        5 | 6 => vec![Instr::FutexWake { loc: word, bits, all: false, reg }],
        7 => vec![Instr::FutexWake { loc: word, bits, all: true, reg }],
        8 => vec![
            Instr::Store { loc: word, order: atomic, value: 1 },
            Instr::FutexWake { loc: word, bits, all: r.one_in(2), reg },
        ],
        9 => vec![Instr::FutexRequeue { from: word, to: Loc(8, 8), all: r.one_in(2) }],
        10 => vec![Instr::FutexRequeue { from: Loc(0, 8), to: Loc(8, 8), all: r.one_in(2) }],
        _ => vec![
            Instr::Load { loc: word, order: atomic, reg },
            Instr::If { reg, is: 0, skip: 1 },
            Instr::FutexWait { loc: word, is: 0, bits, timed: false, reg },
        ],
    };
    // A lock, and an attempt at another one; if that fails, all over again.
    let rounds = |r: &mut Random| {
        let back = |body: Vec<Instr>| {
            let failed = Instr::If { reg: 3, is: 0, skip: 1 + body.len() as u8 };
            let attempt = Instr::TryLock { mutex: 1 - mutex, reg: 3 };
            let round =
                [vec![Instr::Lock(mutex), attempt, failed], body, vec![Instr::Unlock(mutex)]]
                    .concat();
            let back = round.len() as u8;
            [round, vec![Instr::Again { reg: 3, is: 1, back }]].concat()
        };
        let look = Instr::Load { loc, order, reg };
        let within = Instr::Store { loc, order, value };
        let body = match r.below(4) {
            0 => vec![look],
            1 => vec![Instr::Lock(2), Instr::Unlock(2)],
            _ => vec![],
        };
        let has_both = match r.below(3) {
            0 => vec![within],
            1 => vec![Instr::TryLock { mutex: 2, reg }, Instr::Assert { reg, is: 1 }],
            _ => vec![],
        };
        let ends = vec![Instr::Unlock(1 - mutex), Instr::Unlock(mutex)];
        [back(body), has_both, if r.one_in(4) { vec![] } else { ends }].concat()
    };
    // A look between attempts, and who hears that they are over.
    let glances = |r: &mut Random| {
        let (data, flag) = (Loc(0, 8), Loc(8, 8));
        let look = Instr::Load { loc: data, order: PLAIN, reg };
        match r.below(4) {
            0 => vec![
                Instr::TryLock { mutex, reg: 3 },
                Instr::If { reg: 3, is: 0, skip: 1 },
                look,
                Instr::Again { reg: 3, is: 1, back: 3 },
                Instr::Unlock(mutex),
                Instr::Store { loc: flag, order: RLX, value: 1 },
            ],
            1 => vec![
                Instr::Lock(mutex),
                Instr::Load { loc: flag, order: RLX, reg: 2 },
                look,
                Instr::Unlock(mutex),
                Instr::Again { reg: 2, is: 1, back: 4 },
                Instr::Store { loc: flag, order: RLX, value: 2 },
            ],
            2 => vec![
                Instr::Lock(mutex),
                Instr::Store { loc: flag, order, value: 1 },
                Instr::Unlock(mutex),
            ],
            _ => vec![
                Instr::Load { loc: flag, order: RLX, reg },
                Instr::If { reg, is: 1 + value % 2, skip: 1 },
                Instr::Store { loc: data, order: PLAIN, value },
            ],
        }
    };
    // Loops that look under a lock. Who tries the lock notices them, and whether it
    // is free the others see by what they do to it; so only a few do.
    let polls = |r: &mut Random| {
        let again = |body: Vec<Instr>| {
            let back = body.len() as u8;
            [body, vec![Instr::Again { reg: 2, is: value.max(1), back }]].concat()
        };
        let look = Instr::Load { loc, order, reg: 2 };
        let set = Instr::Store { loc, order, value: value.max(1) };
        match r.below(16) {
            0..3 => again(vec![Instr::Lock(mutex), look, Instr::Unlock(mutex)]),
            3 => again(vec![Instr::ReadLock(rwlock), look, Instr::RwUnlock(rwlock)]),
            4 => again(vec![Instr::SemWait(sem), look, Instr::SemPost(sem)]),
            5 => again(vec![
                Instr::TryLock { mutex, reg: 3 },
                Instr::If { reg: 3, is: 1, skip: 2 },
                look,
                Instr::Unlock(mutex),
            ]),
            6 => {
                let wait = Instr::TimedWait { cond, mutex, reg: 3 };
                let around = again(vec![look, wait]);
                [vec![Instr::Lock(mutex)], around, vec![Instr::Unlock(mutex)]].concat()
            }
            7 => again(vec![Instr::TimedSemWait { sem, reg: 2 }]),
            8 => again(vec![
                Instr::Lock(mutex),
                Instr::Lock(1 - mutex),
                look,
                Instr::Unlock(1 - mutex),
                Instr::Load { loc: r.pick(&locs), order, reg: 3 },
                Instr::Unlock(mutex),
            ]),
            9 => again(vec![
                Instr::Lock(mutex),
                look,
                Instr::Unlock(mutex),
                Instr::Choose { alternatives: 2, reg: 3 },
            ]),
            10 => {
                again(vec![Instr::FutexWait { loc: word, is: 0, bits, timed: true, reg: 3 }, look])
            }
            11 => vec![Instr::Lock(mutex), set, Instr::Unlock(mutex)],
            12 => vec![Instr::WriteLock(rwlock), set, Instr::RwUnlock(rwlock)],
            13 => vec![set],
            14 => vec![Instr::TryLock { mutex, reg }, Instr::SemPost(sem)],
            _ => vec![Instr::Lock(mutex), Instr::Signal(cond), Instr::Unlock(mutex)],
        }
    };
    // Requests are posts of the third semaphore or, seldom, of one that others use.
    let cancel = if r.one_in(6) { sem } else { 2 };
    let cancellation = |r: &mut Random| match r.below(9) {
        0 | 1 => vec![Instr::CancellableSemWait { sem, cancel, reg }],
        2 | 3 => vec![
            Instr::Lock(mutex),
            Instr::CancellableWait { cond, mutex, cancel, reg },
            Instr::Unlock(mutex),
        ],
        4 | 5 => vec![Instr::SemPost(cancel)],
        6 => vec![Instr::SemPost(sem)],
        7 => vec![Instr::Signal(cond)],
        _ => vec![Instr::Broadcast(cond)],
    };
    let others = |r: &mut Random| match r.below(6) {
        0 => vec![Instr::Assert { reg, is: value }],
        1 => vec![Instr::If { reg, is: value, skip: 1 + r.below(2) as u8 }],
        2 => vec![Instr::Choose { alternatives: 2, reg }],
        3 => vec![Instr::Hidden(0)],
        4 => vec![Instr::Join(r.below(threads.into()) as u32)],
        _ => vec![Instr::Assume { reg, is: value }],
    };
    match (theme, r.below(5)) {
        (Theme::Memory, 0) => others(r),
        (Theme::Memory, _) => memory(r),
        (Theme::Sections, _) => sections(r),
        (Theme::Locks, 0) => memory(r),
        (Theme::Locks, _) => locks(r),
        (Theme::Conditions, 0) => memory(r),
        (Theme::Conditions, _) => conditions(r),
        (Theme::Spins, 0..2) => spins(r),
        (Theme::Spins, _) => memory(r),
        (Theme::Polls, 0) => memory(r),
        (Theme::Polls, _) => polls(r),
        (Theme::Rounds, 0) => memory(r),
        (Theme::Rounds, 1) => locks(r),
        (Theme::Glances, 0) => locks(r),
        (Theme::Glances, _) => glances(r),
        (Theme::Rounds, _) => rounds(r),
        (Theme::Readers, 0) => memory(r),
        (Theme::Readers, _) => readers(r),
        (Theme::Semaphores, 0) => memory(r),
        (Theme::Semaphores, _) => semaphores(r),
        (Theme::Barriers, 0) => memory(r),
        (Theme::Barriers, _) => barriers(r),
        (Theme::Timeouts, 0) => memory(r),
        (Theme::Timeouts, _) => timeouts(r),
        (Theme::Futexes, 0) => memory(r),
        (Theme::Futexes, _) => futexes(r),
        (Theme::Cancellation, 0) => memory(r),
        (Theme::Cancellation, _) => cancellation(r),
        (Theme::All, _) => match r.below(12) {
            0 => others(r),
            11 => sections(r),
            1 => memory(r),
            2 => locks(r),
            3 => conditions(r),
            4 => readers(r),
            5 => semaphores(r),
            6 => barriers(r),
            7 => timeouts(r),
            8 => futexes(r),
            9 => cancellation(r),
            10 => polls(r),
            _ => spins(r),
        },
    }
}
