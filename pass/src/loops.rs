//! The loops of a function, and the hook at which they go round.
//!
//! `--unroll K` ends a thread that begins the body of a loop more than K times in a row,
//! so the runtime has to hear of every round of a loop. It only wants to if the option is
//! given: on an edge that each round takes lies a block that looks at a word of the
//! runtime's, which is the same for the whole run, and a loop that nobody bounds pays a
//! comparison. The rounds are counted in a variable of the function that is no part of
//! its frame record: how often a loop has gone round is no state of the program.
//!
//! A loop is what lies on a cycle of the control flow. Where its head dominates it, which
//! is so for everything but jumps into the middle of a loop, the count begins anew
//! whenever the loop is entered. Where it does not, an entry cannot be told from a round,
//! and the count is that of the whole call. The same goes for edges on which nothing can
//! be put: those of a computed `goto`.
//!
//! K rounds are to be enough for a loop that runs its body K times and is then left by its
//! condition, and no loop is to run its body more often. So what is counted is how often
//! the body begins, and the condition of a loop that is tested first is none of the body
//! (as far as it writes to nothing but local variables). Nidhugg and GenMC count how often the first block is run,
//! with the condition: there such a loop needs a bound of K + 1.

use crate::{
    escape::root,
    hooks::Emitter,
    ir::{Block, Opcode, Value},
};
use leno_model::site::SiteKind;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// A cycle of the control flow.
pub struct Loop {
    /// A terminator with the position that the loop is known by: the branch that closes it
    /// has that of the statement.
    place: Value,
    /// The edges on which its body begins; if it is not tested before that, those on which
    /// it begins once more.
    begins: Vec<(Block, Block)>,
    tested_first: bool,
    /// The blocks from which it is entered; none if it can be entered elsewhere.
    entries: Option<Vec<Block>>,
}

/// Counts the rounds of the loops of a function, whose hooks are in place.
pub fn count(emitter: &mut Emitter, loops: &[Loop]) {
    for found in loops {
        let split = |(from, to): &(Block, Block)| can_be_split(terminator(*from), *to);
        let (edges, other): (Vec<_>, Vec<_>) = found.begins.iter().partition(|edge| split(edge));
        if !edges.is_empty() {
            let counter = counter(emitter, found.entries.as_deref());
            for (from, to) in edges {
                let point = point_on(emitter, from, to);
                emitter.builder.at(point, found.place, emitter.function, emitter.unit);
                call(emitter, found, counter);
            }
        }
        for (from, _) in other {
            let counter = counter(emitter, None);
            let point = terminator(from);
            emitter.builder.at(point, found.place, emitter.function, emitter.unit);
            call(emitter, found, counter);
        }
    }
}

fn terminator(block: Block) -> Value {
    *block.instructions().last().expect("a block has a terminator")
}

/// Whether a block can be put on the edge.
fn can_be_split(terminator: Value, to: Block) -> bool {
    let lands = to.instructions().iter().any(|at| {
        matches!(
            at.opcode(),
            Opcode::LLVMLandingPad
                | Opcode::LLVMCatchSwitch
                | Opcode::LLVMCatchPad
                | Opcode::LLVMCleanupPad
        )
    });
    let direct =
        matches!(terminator.opcode(), Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMInvoke);
    direct && !lands
}

/// A variable that is 0 whenever one of the blocks is left, or else when the function is
/// entered.
fn counter(emitter: &Emitter, entries: Option<&[Block]>) -> Value {
    let (builder, unit) = (&emitter.builder, emitter.unit);
    let first = emitter.function.blocks()[0];
    builder.silently_before(first.instructions()[0]);
    let counter = builder.alloca(unit.int(32), 4, c"leno.rounds");
    let zero = unit.const_int(32, 0);
    match entries {
        Some(entries) => {
            for entry in entries {
                builder.silently_before(terminator(*entry));
                builder.store(zero, counter, 4);
            }
        }
        None => builder.store(zero, counter, 4),
    }
    counter
}

/// Tells the runtime that the body begins.
fn call(emitter: &mut Emitter, found: &Loop, counter: Value) {
    let unit = emitter.unit;
    let (pointer, number) = (unit.pointer(), unit.int(32));
    let site = emitter.site(SiteKind::Loop, found.place);
    let hook = emitter.runtime("__leno_round", unit.void(), &[pointer, pointer, number]);
    let before = unit.const_int(32, (!found.tested_first).into());
    emitter.builder.call(hook, &[site, counter, before]);
}

/// An instruction before which something happens on an edge, if loops are bounded.
fn point_on(emitter: &Emitter, from: Block, to: Block) -> Value {
    let (builder, unit) = (&emitter.builder, emitter.unit);
    let [asks, rounds, goes_on] = [(); 3].map(|()| unit.block(emitter.function, c"leno.loop"));
    builder.at_end(asks, terminator(from), emitter.function, unit);
    let bound = builder.load_invariant(unit, unit.int(32), unit.loop_bound());
    let bounded = builder.is_not_zero(unit, bound);
    builder.branch_if(bounded, rounds, goes_on);
    builder.at_end(rounds, terminator(from), emitter.function, unit);
    let point = builder.branch(goes_on);
    builder.at_end(goes_on, terminator(from), emitter.function, unit);
    builder.branch(to);
    to.comes_from(from, goes_on);
    terminator(from).lead(to, asks);
    point
}

/// The loops of a function that is still as the front end made it.
pub fn of(function: Value) -> Vec<Loop> {
    let graph = Graph::of(function);
    let mut latches: Vec<(usize, Vec<usize>)> = Vec::new();
    for (from, to) in graph.edges_back() {
        match latches.iter_mut().find(|(head, _)| *head == to) {
            Some((_, latches)) => latches.push(from),
            None => latches.push((to, vec![from])),
        }
    }
    latches.iter().map(|(head, latches)| graph.describe(*head, latches)).collect()
}

/// The blocks that can be reached, in reverse postorder: a block's number is below those
/// of all it leads to, but for edges that lead back.
struct Graph {
    blocks: Vec<Block>,
    next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    /// The immediate dominator of each block.
    above: Vec<usize>,
}

impl Graph {
    fn of(function: Value) -> Self {
        let blocks = reverse_postorder(function.blocks()[0]);
        let numbers: HashMap<Block, usize> =
            blocks.iter().enumerate().map(|(number, block)| (*block, number)).collect();
        let mut before = vec![Vec::new(); blocks.len()];
        let mut next = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            let mut after: Vec<usize> =
                terminator(*block).successors().iter().map(|to| numbers[to]).collect();
            after.sort_unstable();
            after.dedup();
            after.iter().for_each(|to| before[*to].push(number));
            next.push(after);
        }
        let mut graph = Self { blocks, next, before, above: Vec::new() };
        graph.above = graph.dominators();
        graph
    }

    fn describe(&self, head: usize, latches: &[usize]) -> Loop {
        let closing = latches.iter().map(|latch| terminator(self.blocks[*latch]));
        let mut own = closing.chain([terminator(self.blocks[head])]);
        let located = own.find(|at| at.location().is_some());
        let inside = self.inside(head, latches);
        let proper = latches.iter().all(|latch| self.dominates(head, *latch));
        let outside = self.before[head].iter().filter(|before| !inside.contains(before));
        let tests = self.tests(head, &inside);
        let mut begins: Vec<(usize, usize)> = tests
            .iter()
            .flat_map(|from| self.next[*from].iter().map(|to| (*from, *to)))
            .filter(|(_, to)| inside.contains(to) && !tests.contains(to))
            .collect();
        begins.sort_unstable();
        let tested_first = proper && !begins.is_empty();
        let back = || latches.iter().map(|latch| (*latch, head)).collect();
        let begins = if tested_first { begins } else { back() };
        let blocks = |(from, to): (usize, usize)| (self.blocks[from], self.blocks[to]);
        Loop {
            place: located.unwrap_or(terminator(self.blocks[latches[0]])),
            begins: begins.into_iter().map(blocks).collect(),
            tested_first,
            entries: proper.then(|| outside.map(|before| self.blocks[*before]).collect()),
        }
    }

    /// The blocks at the head of a loop that do nothing but test whether it is to be left.
    /// (That an assertion fails is not to leave it.)
    fn tests(&self, head: usize, inside: &HashSet<usize>) -> HashSet<usize> {
        let leaves = |block: usize| {
            self.next[block].iter().any(|next| {
                let fails = terminator(self.blocks[*next]).opcode() == Opcode::LLVMUnreachable;
                !inside.contains(next) && !fails
            })
        };
        // In the order of their numbers, so that what comes before a block is decided.
        let mut order: Vec<usize> = inside.iter().copied().collect();
        order.sort_unstable();
        let mut quiet: Vec<usize> = Vec::new();
        for block in order {
            let first = block == head || self.before[block].iter().all(|b| quiet.contains(b));
            if first && self.blocks[block].instructions().into_iter().all(only_looks) {
                quiet.push(block);
            }
        }
        let mut tests: HashSet<usize> = HashSet::default();
        for block in quiet.into_iter().rev() {
            let goes_on = |next: &usize| *next > block && tests.contains(next);
            if leaves(block) || self.next[block].iter().any(goes_on) {
                tests.insert(block);
            }
        }
        tests
    }

    /// Those edges without which there would be no cycle.
    fn edges_back(&self) -> Vec<(usize, usize)> {
        let from = self.next.iter().enumerate();
        from.flat_map(|(from, next)| next.iter().map(move |to| (from, *to)))
            .filter(|(from, to)| to <= from)
            .collect()
    }

    /// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
    fn dominators(&self) -> Vec<usize> {
        let mut above: Vec<Option<usize>> = vec![None; self.blocks.len()];
        above[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for block in 1..self.blocks.len() {
                let mut common: Option<usize> = None;
                for before in self.before[block].iter().filter(|before| above[**before].is_some()) {
                    common = Some(match common {
                        None => *before,
                        Some(mut one) => {
                            let mut other = *before;
                            while one != other {
                                let higher = if one > other { &mut one } else { &mut other };
                                *higher = above[*higher].expect("it has been reached");
                            }
                            one
                        }
                    });
                }
                changed |= above[block] != common;
                above[block] = common;
            }
        }
        above.into_iter().map(|above| above.expect("all can be reached")).collect()
    }

    fn dominates(&self, upper: usize, block: usize) -> bool {
        let mut at = block;
        while at > upper {
            at = self.above[at];
        }
        at == upper
    }

    /// The blocks from which the latches are reached without the head, and these.
    fn inside(&self, head: usize, latches: &[usize]) -> HashSet<usize> {
        let mut inside: HashSet<usize> = HashSet::default();
        inside.insert(head);
        let mut waiting = latches.to_vec();
        while let Some(block) = waiting.pop() {
            if inside.insert(block) {
                waiting.extend(&self.before[block]);
            }
        }
        inside
    }
}

fn is_local(pointer: Value) -> bool {
    let root = root(pointer);
    root.is_instruction() && root.opcode() == Opcode::LLVMAlloca
}

/// Whether an instruction may belong to a test.
fn only_looks(instruction: Value) -> bool {
    match instruction.opcode() {
        Opcode::LLVMStore => is_local(instruction.operand(1)),
        Opcode::LLVMAtomicRMW
        | Opcode::LLVMAtomicCmpXchg
        | Opcode::LLVMFence
        | Opcode::LLVMInvoke
        | Opcode::LLVMCallBr => false,
        Opcode::LLVMCall => instruction.callee().intrinsic(),
        _ => true,
    }
}

fn reverse_postorder(entry: Block) -> Vec<Block> {
    let mut seen: HashSet<Block> = HashSet::default();
    seen.insert(entry);
    let mut order = Vec::new();
    let mut path = vec![(entry, terminator(entry).successors())];
    while let Some((block, next)) = path.last_mut() {
        match next.pop() {
            Some(to) if seen.insert(to) => path.push((to, terminator(to).successors())),
            Some(_) => {}
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}
