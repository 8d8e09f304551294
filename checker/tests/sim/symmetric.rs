//! Symmetry of model programs: when two threads can change places, and what is the same
//! about executions that differ in nothing else.

use super::{Instr, Machine, Program, Recorded, Thread};
use leno_checker::exchange::Swap;
use leno_model::{SiteRef, ThreadId};
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
        self.director.compared(thread, place.map(|place| (place, others[place])));
    }

    fn are_symmetric(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.threads[a], &self.threads[b]);
        let program = self.program;
        let alive = |thread: &usize| self.threads[*thread].exists;
        let left = |thread: usize| residual(program, thread, &self.threads[thread]);
        let exchanged = |thread: usize| exchanged(&left(thread), a as u32, b as u32);
        let others = (0..self.threads.len()).filter(|thread| *thread != a && *thread != b);
        let swap =
            Swap { threads: (ThreadId(a as u32), ThreadId(b as u32)), address: &|addr| addr };
        a != 0
            && b != 0
            && !x.exited
            && !y.exited
            && (x.phase, x.awaits) == (y.phase, y.awaits)
            && (x.back_at == Some(x.ordinal)) == (y.back_at == Some(y.ordinal))
            && joined(&exchanged(a)) == joined(&left(b))
            && live(&left(b)).into_iter().all(|reg| x.regs[reg] == y.regs[reg])
            && others.filter(alive).all(|other| joined(&exchanged(other)) == joined(&left(other)))
            && self.director.told_apart(&swap).is_none()
    }
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
    let code = code.iter().map(|instr| match *instr {
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
    let mut left: Vec<u64> = vec![];
    for pending in &out.pending {
        let thread = pending.thread.index();
        let state = &threads[thread];
        left.push(place(program, thread, state.pc, state.exited, state.phase, pending.awaiting));
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
    let (thread, pc, exited, phase) = parts(site);
    place(program, thread, pc, exited, phase, false)
}

/// Whether a thread is joined there.
pub fn joins(program: &Program, site: SiteRef) -> bool {
    let (thread, pc, exited, _) = parts(site);
    let code = if exited { &program.handler } else { &program.threads[thread] };
    matches!(code.get(pc), Some(Instr::Join(_)))
}

/// Thread, instruction, whether it is of the handler, and its phase.
fn parts(site: SiteRef) -> (usize, usize, bool, u8) {
    let (phase, rest) = ((site.0 - 1) % 10, (site.0 - 1) / 10);
    let (pc, rest) = ((rest % 100) as usize, rest / 100);
    ((rest / 2) as usize, pc, rest % 2 == 1, phase as u8)
}

fn place(
    program: &Program,
    thread: usize,
    pc: usize,
    exited: bool,
    phase: u8,
    awaits: bool,
) -> u64 {
    let state = Thread { pc, exited, ..Thread::default() };
    let mut code = residual(program, thread, &state);
    // Who joins several threads waits for all of them, whichever it is at.
    let joins = code.iter().take_while(|instr| matches!(instr, Instr::Join(_))).count();
    code.drain(..joins.saturating_sub(1));
    if let Some(Instr::Join(last)) = code.first_mut() {
        *last = 0;
    }
    // By whom a thread is, not by its number.
    let named = code.iter().map(|instr| match instr {
        Instr::Join(thread) | Instr::Create(thread) => {
            let kind = matches!(instr, Instr::Join(_));
            format!("{kind} {:?}", program.threads[*thread as usize])
        }
        instr => format!("{instr:?}"),
    });
    let mut hasher = DefaultHasher::new();
    (named.collect::<Vec<_>>(), phase, awaits, thread == 0).hash(&mut hasher);
    hasher.finish()
}
