//! What functions of libc read and write, as data; and what is known about those
//! that have no model.
//!
//! The functions themselves are not interposed: the pass puts `__leno_extern` before
//! a call, the call's effects become one event, and then libc's own function does
//! them.

use crate::{accesses::Accesses, cell::Global, heap, hooks, units};
use alloc::vec::Vec;
use core::ffi::{CStr, c_char};
use hashbrown::HashMap;
use leno_model::{AccessKind, Execution, SiteRef, site::SiteId};

/// How many bytes an argument points to.
#[derive(Clone, Copy)]
enum Bytes {
    /// As another argument says.
    Arg(usize),
    /// As the product of two arguments says.
    Product(usize, usize),
    /// A string with its zero.
    String(usize),
    /// A string, but no more than another argument says.
    StringAtMost(usize, usize),
    Exactly(u64),
}

#[derive(Clone, Copy)]
struct Effect {
    kind: AccessKind,
    arg: usize,
    bytes: Bytes,
}

const fn reads(arg: usize, bytes: Bytes) -> Effect {
    Effect { kind: AccessKind::Read, arg, bytes }
}

const fn writes(arg: usize, bytes: Bytes) -> Effect {
    Effect { kind: AccessKind::Write, arg, bytes }
}

use Bytes::{Arg, Exactly, Product, String as Text, StringAtMost as TextAtMost};

#[rustfmt::skip]
const MODELS: &[(&str, &[Effect])] = &[
    ("memcpy", &[reads(1, Arg(2)), writes(0, Arg(2))]),
    ("memmove", &[reads(1, Arg(2)), writes(0, Arg(2))]),
    ("mempcpy", &[reads(1, Arg(2)), writes(0, Arg(2))]),
    ("memset", &[writes(0, Arg(2))]),
    ("bzero", &[writes(0, Arg(1))]),
    ("memcmp", &[reads(0, Arg(2)), reads(1, Arg(2))]),
    ("bcmp", &[reads(0, Arg(2)), reads(1, Arg(2))]),
    ("memchr", &[reads(0, Arg(2))]),
    ("strlen", &[reads(0, Text(0))]),
    ("strnlen", &[reads(0, TextAtMost(0, 1))]),
    ("strcpy", &[reads(1, Text(1)), writes(0, Text(1))]),
    ("stpcpy", &[reads(1, Text(1)), writes(0, Text(1))]),
    ("strncpy", &[reads(1, TextAtMost(1, 2)), writes(0, Arg(2))]),
    ("strcat", &[reads(1, Text(1)), reads(0, Text(0))]),
    ("strcmp", &[reads(0, Text(0)), reads(1, Text(1))]),
    ("strncmp", &[reads(0, TextAtMost(0, 2)), reads(1, TextAtMost(1, 2))]),
    ("strcasecmp", &[reads(0, Text(0)), reads(1, Text(1))]),
    ("strncasecmp", &[reads(0, TextAtMost(0, 2)), reads(1, TextAtMost(1, 2))]),
    ("strchr", &[reads(0, Text(0))]),
    ("strrchr", &[reads(0, Text(0))]),
    ("strstr", &[reads(0, Text(0)), reads(1, Text(1))]),
    ("strspn", &[reads(0, Text(0)), reads(1, Text(1))]),
    ("strcspn", &[reads(0, Text(0)), reads(1, Text(1))]),
    ("strpbrk", &[reads(0, Text(0)), reads(1, Text(1))]),
    ("strdup", &[reads(0, Text(0))]),
    ("strndup", &[reads(0, TextAtMost(0, 1))]),
    ("atoi", &[reads(0, Text(0))]),
    ("atol", &[reads(0, Text(0))]),
    ("atoll", &[reads(0, Text(0))]),
    ("atof", &[reads(0, Text(0))]),
    ("strtol", &[reads(0, Text(0))]),
    ("strtoul", &[reads(0, Text(0))]),
    ("strtoll", &[reads(0, Text(0))]),
    ("strtoull", &[reads(0, Text(0))]),
    ("strtod", &[reads(0, Text(0))]),
    ("puts", &[reads(0, Text(0))]),
    ("fputs", &[reads(0, Text(0))]),
    ("printf", &[reads(0, Text(0))]),
    ("fprintf", &[reads(1, Text(1))]),
    ("snprintf", &[reads(2, Text(2)), writes(0, Arg(1))]),
    ("sprintf", &[reads(1, Text(1)), writes(0, Exactly(1))]),
    ("fwrite", &[reads(0, Product(1, 2))]),
    ("fread", &[writes(0, Product(1, 2))]),
    ("write", &[reads(1, Arg(2))]),
    ("read", &[writes(1, Arg(2))]),
    ("pread", &[writes(1, Arg(2))]),
    ("pwrite", &[reads(1, Arg(2))]),
];

/// What a call site's callee does.
enum Callee {
    Modelled(&'static [Effect]),
    /// Nobody knows.
    Unknown,
}

static CALLEES: Global<Option<HashMap<SiteRef, Callee>>> = Global::new(None);
/// Memory that was given to unknown functions: site, start, length.
static GIVEN: Global<Option<crate::record::List<(SiteRef, u64, u64)>>> = Global::new(None);
static UNSEEN: Global<Vec<SiteId>> = Global::new(Vec::new());

/// Looks up what all call sites call.
pub fn prepare(unknown: &[SiteId]) {
    let mut callees = HashMap::new();
    for (site, name) in units::callees() {
        if let Some((_, effects)) = MODELS.iter().find(|(known, _)| *known == name) {
            callees.insert(site, Callee::Modelled(effects));
        }
    }
    for site in unknown {
        callees.insert(units::site_ref(*site), Callee::Unknown);
    }
    *CALLEES.get() = Some(callees);
    *GIVEN.get() = Some(crate::record::List::new(1 << 16));
}

/// A call is about to be made.
pub fn call(site: SiteRef, args: &[u64]) {
    match CALLEES.get().as_ref().and_then(|callees| callees.get(&site)) {
        None => {}
        Some(Callee::Modelled(effects)) => {
            let mut accesses = Accesses::none();
            for effect in *effects {
                let Some(pointer) = args.get(effect.arg).copied().filter(|p| *p != 0) else {
                    continue;
                };
                let Some(len) = length(effect.bytes, args) else { continue };
                accesses = accesses.and(effect.kind, pointer, len, None);
            }
            hooks::modelled(site, &accesses);
        }
        Some(Callee::Unknown) => {
            let given = GIVEN.get().as_ref().expect("prepared");
            for pointer in args {
                let (start, len) = match heap::around(*pointer as usize) {
                    Some((_, block)) => (block.start as u64, block.size as u64),
                    // What lies behind a pointer to a global or a stack is not known;
                    // a cache line is a guess.
                    None => (*pointer, 64),
                };
                if !given.as_slice().contains(&(site, start, len)) {
                    given.push((site, start, len));
                }
            }
        }
    }
}

fn length(bytes: Bytes, args: &[u64]) -> Option<u64> {
    // SAFETY: the program is about to hand the same string to libc.
    let text = |arg: usize| {
        unsafe { CStr::from_ptr(*args.get(arg)? as *const c_char) }.count_bytes().checked_add(1)
    };
    Some(match bytes {
        Bytes::Arg(arg) => *args.get(arg)?,
        Bytes::Product(a, b) => args.get(a)?.checked_mul(*args.get(b)?)?,
        Bytes::String(arg) => text(arg)? as u64,
        Bytes::StringAtMost(arg, most) => {
            let (start, most) = (*args.get(arg)? as *const c_char, *args.get(most)? as usize);
            // SAFETY: as above, and no further than the program says.
            let len = unsafe { libc::strnlen(start, most) };
            (len + 1).min(most) as u64
        }
        Bytes::Exactly(n) => n,
    })
}

/// After an execution: was what unknown functions were given shared?
pub fn note_sharing(run: &Execution<'_>) {
    let given = GIVEN.get().as_ref().expect("prepared");
    for (site, start, len) in given.as_slice() {
        let Some(id) = units::site_id(*site).filter(|id| !UNSEEN.get().contains(id)) else {
            continue;
        };
        let mut threads = run
            .events
            .iter()
            .filter(|e| run.accesses_of(e).iter().any(|a| a.addr < start + len && *start < a.end()))
            .map(|e| e.thread);
        let first = threads.next();
        if threads.any(|t| Some(t) != first) {
            UNSEEN.get().push(id);
        }
    }
    given.clear();
}

pub fn unseen() -> Vec<SiteId> {
    UNSEEN.get().clone()
}
