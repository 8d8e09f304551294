//! Handles of threads that somebody else has: `pthread_t t[N]`, and `std::thread`.
//!
//! A handle that is used for nothing but joining the thread does not tell two threads
//! apart, provided that both are joined together. Let c be a thread whose events, from the
//! first join of a or b to the last, are joins, and accesses to memory that no other thread
//! touches in a way that would matter (it writes the array of handles, others read it at
//! most). Let E be an execution from
//! a symmetric state s in which b goes first. Exchange a and b in it, everything but the
//! handles that others have: what comes out is an execution from s as far as nobody uses
//! one of these handles. The first use is c's join of a or of b. A join changes
//! nothing but that the thread has been joined; it can happen whenever the thread has
//! ended, and then at any later time; and what c does until it has joined both is
//! independent of everything else. So
//! c's joins of the two, in whichever order, can be put where the later one is, with what
//! is between them, and the
//! rest of the two executions is the same. If one of the two never ends, c stays where it
//! is in both, waiting for one of them, and it can matter which (see the checker's
//! `in_vain`): then they count as joined by themselves. The results of the threads would be
//! exchanged too: if c asks for them they must be the same.
//!
//! That the handles are used for nothing else, and that the joins come together, cannot be
//! seen in a state: it is assumed, and every execution is looked at. What has been seen is
//! kept for the whole check. When an execution shows that an assumption was wrong which a
//! branch has been cut on, the search begins anew and knows better, as it does when memory
//! turns out to be shared. That nothing is missed has the same reason as there: the
//! shortest prefix of an execution in which a handle is used otherwise has nothing before
//! it that was told apart wrongly, so the search covers it.

use super::{difference, name};
use crate::{cell::Global, record::record};
use alloc::{format, vec, vec::Vec};
use leno_checker::joined_in_vain;
use leno_model::{
    Access, Execution, Op, ThreadId,
    symmetry::{Difference, DifferenceKind, Handles},
};

static KNOWN: Global<Handles> =
    Global::new(Handles { used: Vec::new(), together: Vec::new(), assumed: Vec::new() });

/// Who was joined together in the execution before.
static LAST: Global<Vec<Vec<Joined>>> = Global::new(Vec::new());

/// What is known of handles.
pub fn known() -> &'static Handles {
    KNOWN.get()
}

/// Takes over what was known when the check was stopped.
pub fn keep_in_mind(handles: &Handles) {
    KNOWN.get().clone_from(handles);
}

/// A handle of the thread is used for something else than a join, or the thread has asked
/// for it.
pub fn used(thread: ThreadId) {
    if super::is_wanted() && !known().used.contains(&thread) {
        record().handles_used.push(thread);
    }
}

/// Somebody has joined a thread and got this result.
pub fn gives(thread: ThreadId, result: u64) {
    if super::is_wanted() {
        record().given.push((thread, result));
    }
}

fn difference_of(a: ThreadId, b: ThreadId) -> Option<Difference> {
    let known = known();
    let used = [a, b].into_iter().find(|thread| {
        known.used.contains(thread) || record().handles_used.as_slice().contains(thread)
    });
    if let Some(used) = used {
        let text = format!("the handle of {} is used for more than a join", name(used));
        return Some(difference(DifferenceKind::Referenced, text));
    }
    let parted = |one: ThreadId, other: ThreadId| {
        let with = known.together.iter().find(|(thread, _)| *thread == one);
        with.is_some_and(|(_, with)| !with.contains(&other))
    };
    (parted(a, b) || parted(b, a)).then(|| {
        let text = format!("{} and {} are not joined together", name(a), name(b));
        difference(DifferenceKind::Referenced, text)
    })
}

/// Whether others that have handles of two threads may be expected not to tell them apart.
pub fn are_alike(a: ThreadId, b: ThreadId) -> Result<(), Difference> {
    difference_of(a, b).map_or(Ok(()), Err)
}

/// Takes over what an execution has shown. True if a branch was cut that should not have
/// been.
pub fn learn(run: &Execution<'_>) -> bool {
    if !super::is_wanted() {
        return false;
    }
    let known = KNOWN.get();
    for thread in record().handles_used.as_slice() {
        if !known.used.contains(thread) {
            known.used.push(*thread);
        }
    }
    let mut all = joined_together(run);
    all.extend(joined_in_vain(run).into_iter().map(|thread| vec![(thread, None)]));
    // Most executions join as the last one did, and then there is nothing to learn.
    let last = LAST.get();
    let news = if *last == all { &[][..] } else { &all };
    for joined in news {
        for (thread, result) in joined {
            let alike = joined.iter().filter(|(_, other)| other == result);
            let alike: Vec<ThreadId> = alike.map(|(thread, _)| *thread).collect();
            match known.together.iter_mut().find(|(known, _)| known == thread) {
                Some((_, with)) => with.retain(|other| alike.contains(other)),
                None => known.together.push((*thread, alike)),
            }
        }
    }
    *last = all;
    for pair in record().assumed.as_slice() {
        if !known.assumed.contains(pair) {
            known.assumed.push(*pair);
        }
    }
    let assumed = known.assumed.clone();
    let wrong = assumed.into_iter().any(|(a, b)| difference_of(a, b).is_some());
    if wrong {
        KNOWN.get().assumed.clear();
    }
    wrong
}

/// A thread that has been joined, and what its result was if that was wanted.
type Joined = (ThreadId, Option<u64>);

/// What a thread has done since it last did something that tells its joins from others.
#[derive(Default)]
struct Joining {
    joined: Vec<Joined>,
    /// What it has accessed since the last join, or when joining.
    accesses: Vec<Access>,
}

/// The sets of threads that some thread has joined without doing anything else in between,
/// and then did something else.
fn joined_together(run: &Execution<'_>) -> Vec<Vec<Joined>> {
    let mut under_way: Vec<Joining> = Vec::new();
    let mut done = Vec::new();
    for event in run.events {
        let place = event.thread.index();
        if under_way.len() <= place {
            under_way.resize_with(place + 1, Joining::default);
        }
        let so_far = &mut under_way[place];
        let accesses = run.accesses_of(event);
        match event.op {
            Op::Join { thread } => {
                if so_far.is_noticed(run, event.thread) {
                    done.push(core::mem::take(&mut so_far.joined));
                }
                let given = record().given.as_slice().iter();
                let given = given.copied().find(|(joined, _)| *joined == thread);
                so_far.joined.push((thread, given.map(|(_, result)| result)));
                so_far.accesses.clear();
                so_far.accesses.extend(accesses);
            }
            _ if so_far.joined.is_empty() => {}
            Op::Access => so_far.accesses.extend(accesses),
            _ => done.push(core::mem::take(&mut so_far.joined)),
        }
    }
    for (place, joining) in under_way.into_iter().enumerate() {
        if joining.is_noticed(run, ThreadId(place as u32)) {
            done.push(joining.joined);
        }
    }
    done
}

impl Joining {
    /// Whether another thread has anything to do with what has been accessed since the last
    /// join.
    fn is_noticed(&self, run: &Execution<'_>, thread: ThreadId) -> bool {
        let others = run.events.iter().filter(|event| event.thread != thread);
        let mut others = others.flat_map(|event| run.accesses_of(event));
        !self.accesses.is_empty()
            && others.any(|other| self.accesses.iter().any(|access| access.conflicts(other)))
    }
}
