//! Threads that somebody joins in vain.
//!
//! Two threads that are joined together are taken for symmetric although the one who joins
//! them names one first (the runtime's `symmetry::handles` says why). As long as both end
//! that is nobody's business. But let c hold a lock and join first a, then b; whoever of
//! these comes first never ends, and the other one wants the lock. If b never ends, c and a
//! wait for each other; if a never ends, c waits for a, which waits for nobody. The first is
//! a deadlock of its own, the second is not.
//!
//! So what must be told apart is told by where c stands at the end, and that is in the report
//! in two cases only: nobody can go on, or c is in a cycle of threads that wait for each
//! other, and then somebody waits for c. Each is the same for an execution and its image
//! with a and b exchanged. Where c stands, at the first of its joins whose thread has not
//! ended, can differ if one of the two has ended and the other one has not, say a: either b
//! comes first and c stands there, or c has joined a and stands somewhere behind it. Therefore
//! the executions that are explored show it, also if those that were cut are the ones in which
//! it is a bug: by whom c joins in vain, and whom it has joined before. These are
//! from then on no longer taken for joined together with anybody.

use alloc::vec::Vec;
use leno_model::{End, Execution, Op, ThreadId};

/// The threads that are joined in vain when an execution is over, and those that have been
/// joined by who does, where it could matter which of them it is. They may be more than those
/// of which it does.
pub fn joined_in_vain(run: &Execution<'_>) -> Vec<ThreadId> {
    let cut = matches!(
        run.end,
        End::Asleep | End::Symmetric { .. } | End::Disabled | End::Diverged { .. }
    );
    let joins = |op: &Op| matches!(op, Op::Join { .. });
    let pending = run.pending.iter().filter(|pending| !cut && joins(&pending.op));
    let by = pending.map(|pending| pending.thread);
    let by: Vec<ThreadId> =
        by.filter(|by| run.end == End::Stuck || may_be_waited_for(*by, run)).collect();
    let done = run.events.iter().map(|event| (event.thread, event.op));
    let all = done.chain(run.pending.iter().map(|pending| (pending.thread, pending.op)));
    all.filter(|(thread, _)| by.contains(thread))
        .filter_map(|(_, op)| match op {
            Op::Join { thread } => Some(thread),
            _ => None,
        })
        .collect()
}

/// Whether somebody joins the thread, or waits for something that it has had to do with.
fn may_be_waited_for(thread: ThreadId, run: &Execution<'_>) -> bool {
    let has_touched = |object: &u64| {
        let own = run.events.iter().filter(|event| event.thread == thread);
        own.flat_map(|event| event.op.objects()).flatten().any(|other| other == *object)
    };
    run.pending.iter().filter(|pending| pending.thread != thread).any(|pending| {
        pending.op == Op::Join { thread } || pending.op.objects().iter().flatten().any(has_touched)
    })
}
