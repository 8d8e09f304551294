//! Symmetry of model programs: when two threads can change places, and what is the same
//! about executions that differ in nothing else.

use super::{
    BASE, COMMON, Instr, Loc, Machine, OWN_MUTEX, Program, Recorded, Thread, mutex_at,
    own_mutex_of, own_of,
};
use leno_checker::exchange::Swap;
use leno_model::{End, Exchanged, SiteRef, ThreadId};
use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
};

impl Machine<'_> {
    /// Tells the director whether the threads are symmetric that it asks about.
    pub(super) fn compare(&mut self) {
        let (thread, others) = self.director.to_compare().expect("somebody to compare");
        let symmetric = |other: &ThreadId| self.are_symmetric(other.index(), thread.index());
        let place = others.iter().position(symmetric);
        if let Some(place) = place {
            self.out.exchanged = exchanged_memory(others[place].index(), thread.index());
        }
        self.director.compared(thread, place.map(|place| (place, others[place])));
    }

    fn are_symmetric(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.threads[a], &self.threads[b]);
        let program = self.program;
        let left = |thread: usize| residual(program, thread, &self.threads[thread]);
        let exchanged = |thread: usize| exchanged(&left(thread), a as u32, b as u32);
        // Also those that are yet to be created.
        let mut others = (0..self.threads.len()).filter(|thread| *thread != a && *thread != b);
        let moved = exchanged_memory(a, b);
        let address = |addr: u64| {
            let within = |start: u64, len: u64| addr.checked_sub(start).filter(|at| *at < len);
            let there = |m: &Exchanged| within(m.at, m.len).map(|at| m.to + at);
            let back = |m: &Exchanged| within(m.to, m.len).map(|at| m.at + at);
            moved.iter().find_map(|m| there(m).or_else(|| back(m))).unwrap_or(addr)
        };
        let swap = Swap {
            threads: (ThreadId(a as u32), ThreadId(b as u32)),
            children: &[],
            address: &address,
        };
        a != 0
            && b != 0
            && ![a, b].iter().any(|thread| self.in_vain.contains(&ThreadId(*thread as u32)))
            && !x.exited
            && !y.exited
            && (x.phase, x.awaits) == (y.phase, y.awaits)
            && self.own_memory(a) == self.own_memory(b)
            && (x.back_at == Some(x.ordinal)) == (y.back_at == Some(y.ordinal))
            && joined(&exchanged(a)) == joined(&left(b))
            && live(&left(b)).into_iter().all(|reg| x.regs[reg] == y.regs[reg])
            && others.all(|other| joined(&exchanged(other)) == joined(&left(other)))
            && self.director.told_apart(&swap).is_none()
    }

    fn own_memory(&self, thread: usize) -> &[u8] {
        own_memory(&self.memory, thread)
    }
}

fn own_memory(memory: &[u8], thread: usize) -> &[u8] {
    &memory[COMMON as usize + 64 * thread..][..64]
}

/// What is each thread's own: its words and its mutex.
fn exchanged_memory(a: usize, b: usize) -> Vec<Exchanged> {
    let words = |thread: usize| BASE + COMMON + 64 * thread as u64;
    let mutex = |thread: usize| mutex_at(own_mutex_of(thread as u32));
    vec![
        Exchanged { at: words(a), to: words(b), len: 64 },
        Exchanged { at: mutex(a), to: mutex(b), len: 64 },
    ]
}

/// The code that a thread may still run: from where it stands or, if there are loops, all of
/// it with that place marked.
fn residual(program: &Program, thread: usize, state: &Thread) -> Vec<Instr> {
    let code = if state.exited { &program.handler } else { &program.threads[thread] };
    if code.iter().any(|instr| matches!(instr, Instr::Again { .. })) {
        let mut code = code.clone();
        code.insert(state.pc.min(code.len()), Instr::Hidden(u8::MAX));
        return code;
    }
    code.get(state.pc..).unwrap_or(&[]).to_vec()
}

fn exchanged(code: &[Instr], a: u32, b: u32) -> Vec<Instr> {
    let swap = |thread| match thread {
        _ if thread == a => b,
        _ if thread == b => a,
        _ => thread,
    };
    let place = |loc: Loc| match [a, b].into_iter().find(|thread| own_of(*thread) == loc) {
        Some(thread) => own_of(swap(thread)),
        None => loc,
    };
    let lock = |mutex: u8| match [a, b].into_iter().find(|t| own_mutex_of(*t) == mutex) {
        Some(thread) => own_mutex_of(swap(thread)),
        None => mutex,
    };
    let code = code.iter().map(|instr| match instr.with(place, lock) {
        Instr::Join(thread) => Instr::Join(swap(thread)),
        // Both are there, so this does nothing.
        Instr::Create(thread) if swap(thread) != thread => Instr::Create(a),
        instr => instr,
    });
    code.collect()
}

/// The code with those who are joined one behind the other in order: whoever joins them goes
/// on when all have ended.
fn joined(code: &[Instr]) -> Vec<Instr> {
    let mut code = code.to_vec();
    let loops = code.iter().any(|instr| matches!(instr, Instr::Again { .. }));
    let is_join = |instr: &Instr| matches!(instr, Instr::Join(_));
    let number = |instr: &Instr| if let Instr::Join(thread) = instr { *thread } else { 0 };
    for run in code.chunk_by_mut(|a, b| is_join(a) && is_join(b)).filter(|_| !loops) {
        run.sort_by_key(number);
    }
    code
}

/// The registers that code may read before it writes them; more, if it is not simple.
fn live(code: &[Instr]) -> BTreeSet<usize> {
    let used = code.iter().filter_map(|instr| match instr {
        Instr::StoreNext { reg, .. }
        | Instr::If { reg, .. }
        | Instr::Again { reg, .. }
        | Instr::Assert { reg, .. }
        | Instr::Assume { reg, .. } => Some(*reg as usize),
        _ => None,
    });
    used.collect()
}

/// A digest of how an execution ended: the memory, and for each thread that has not come to
/// its end the code that it has left, but not which thread it is.
pub(super) fn shape(program: &Program, threads: &[Thread], out: &Recorded, memory: &[u8]) -> u64 {
    let mut own: Vec<&[u8]> = (0..threads.len()).map(|t| own_memory(memory, t)).collect();
    own.sort_unstable();
    let memory = (&memory[..COMMON as usize], own);
    let mut left: Vec<u64> = vec![];
    for pending in &out.pending {
        let thread = pending.thread.index();
        let state = &threads[thread];
        let mut code = residual(program, thread, state);
        if out.end != End::Stuck {
            is_somewhere_among_joins(&mut code);
        }
        left.push(place(program, thread, &code, state.phase, pending.awaiting));
    }
    for failure in &out.failures {
        left.push(at(program, failure.site));
    }
    left.sort_unstable();
    let mut hasher = DefaultHasher::new();
    (std::mem::discriminant(&out.end), memory, left).hash(&mut hasher);
    hasher.finish()
}

/// A site, but not in which thread.
pub fn at(program: &Program, site: SiteRef) -> u64 {
    let (phase, rest) = ((site.0 - 1) % 10, (site.0 - 1) / 10);
    let (pc, rest) = ((rest % 100) as usize, rest / 100);
    let (thread, exited) = ((rest / 2) as usize, rest % 2 == 1);
    let state = Thread { pc, exited, ..Thread::default() };
    place(program, thread, &residual(program, thread, &state), phase as u8, false)
}

/// Who joins several threads waits for all of them, whichever it is at.
fn is_somewhere_among_joins(code: &mut Vec<Instr>) {
    let joins = code.iter().take_while(|instr| matches!(instr, Instr::Join(_))).count();
    code.drain(..joins.saturating_sub(1));
    if let Some(Instr::Join(last)) = code.first_mut() {
        *last = 0;
    }
}

fn place(program: &Program, thread: usize, code: &[Instr], phase: u8, awaits: bool) -> u64 {
    // By whom a thread is, not by its number.
    let named = code.iter().map(|instr| match instr {
        Instr::Join(thread) | Instr::Create(thread) => {
            let kind = matches!(instr, Instr::Join(_));
            format!("{kind} {:?}", program.threads[*thread as usize])
        }
        instr => {
            let whose = (0..program.threads.len()).find(|thread| {
                let thread = *thread as u32;
                let other = instr.with(
                    |loc| if loc == own_of(thread) { Loc(0, 0) } else { loc },
                    |mutex| if mutex == own_mutex_of(thread) { OWN_MUTEX } else { mutex },
                );
                other != *instr
            });
            match whose {
                Some(whose) => {
                    let (other, code) = (instr.with(|_| Loc(0, 0), |_| 0), &program.threads[whose]);
                    format!("{other:?} of {code:?}")
                }
                None => format!("{instr:?}"),
            }
        }
    });
    let mut hasher = DefaultHasher::new();
    (named.collect::<Vec<_>>(), phase, awaits, thread == 0).hash(&mut hasher);
    hasher.finish()
}
