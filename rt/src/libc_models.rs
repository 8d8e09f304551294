//! What functions of libc read and write, as data; and what is known about those
//! that have no model.
//!
//! The functions themselves are not interposed: the pass puts `__leno_extern` before
//! a call, the call's effects become one event, and then libc's own function does
//! them.

use crate::{
    accesses::Accesses, cell::Global, execution, heap, hooks, record::List, sharing, units,
};
use alloc::vec::Vec;
use core::ffi::{CStr, c_char};
use hashbrown::HashMap;
use leno_model::{AccessKind, Execution, SiteRef, ThreadId, site::SiteId};

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
enum Effect {
    Access {
        kind: AccessKind,
        arg: usize,
        bytes: Bytes,
    },
    /// A string is written behind another one, over its zero.
    Append {
        to: usize,
        text: usize,
    },
    /// A format, and the first argument that it speaks of.
    Format {
        format: usize,
        first: usize,
    },
}

const fn reads(arg: usize, bytes: Bytes) -> Effect {
    Effect::Access { kind: AccessKind::Read, arg, bytes }
}

const fn formats(format: usize, first: usize) -> Effect {
    Effect::Format { format, first }
}

const fn writes(arg: usize, bytes: Bytes) -> Effect {
    Effect::Access { kind: AccessKind::Write, arg, bytes }
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
    ("strlen", &[reads(0, Text(0))]),
    ("strnlen", &[reads(0, TextAtMost(0, 1))]),
    ("strcpy", &[reads(1, Text(1)), writes(0, Text(1))]),
    ("stpcpy", &[reads(1, Text(1)), writes(0, Text(1))]),
    ("strncpy", &[reads(1, TextAtMost(1, 2)), writes(0, Arg(2))]),
    ("strcat", &[reads(1, Text(1)), reads(0, Text(0)), Effect::Append { to: 0, text: 1 }]),
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
    ("printf", &[reads(0, Text(0)), formats(0, 1)]),
    ("fprintf", &[reads(1, Text(1)), formats(1, 2)]),
    ("dprintf", &[reads(1, Text(1)), formats(1, 2)]),
    // How much these write is known only afterwards: the first byte is certain, and
    // they are named in the verdict if the buffer is shared.
    ("snprintf", &[writes(0, Exactly(1)), reads(2, Text(2)), formats(2, 3)]),
    ("sprintf", &[writes(0, Exactly(1)), reads(1, Text(1)), formats(1, 2)]),
    ("fwrite", &[reads(0, Product(1, 2))]),
    ("fread", &[writes(0, Product(1, 2))]),
    ("write", &[reads(1, Arg(2))]),
    ("read", &[writes(1, Arg(2))]),
    ("pread", &[writes(1, Arg(2))]),
    ("pwrite", &[reads(1, Arg(2))]),
];

/// What a call site's callee does: the effects that are known, and whether there are
/// others.
#[derive(Default)]
struct Callee {
    effects: &'static [Effect],
    unknown: bool,
}

static CALLEES: Global<Option<HashMap<SiteRef, Callee>>> = Global::new(None);
/// Memory that was given to unknown functions: site, thread, start, length.
type Given = (SiteRef, ThreadId, u64, u64);
static GIVEN: Global<Option<List<Given>>> = Global::new(None);
static UNSEEN: Global<Vec<SiteId>> = Global::new(Vec::new());

/// Looks up what all call sites call.
pub fn prepare(unknown: &[SiteId]) {
    let mut callees: HashMap<SiteRef, Callee> = HashMap::new();
    for (site, name) in units::callees() {
        if let Some((_, effects)) = MODELS.iter().find(|(known, _)| *known == name) {
            callees.insert(site, Callee { effects, unknown: false });
        }
    }
    for site in unknown {
        callees.entry(units::site_ref(*site)).or_default().unknown = true;
    }
    *CALLEES.get() = Some(callees);
    *GIVEN.get() = Some(List::new(1 << 16));
}

/// A call is about to be made.
pub fn call(site: SiteRef, args: &[u64]) {
    let Some(callee) = CALLEES.get().as_ref().and_then(|callees| callees.get(&site)) else {
        return;
    };
    let mut accesses = Accesses::none();
    for effect in callee.effects {
        accesses = match *effect {
            Effect::Access { kind, arg, bytes } => and_access(accesses, kind, arg, bytes, args),
            Effect::Append { to, text } => {
                let end = args
                    .get(to)
                    .copied()
                    .zip(length(Bytes::String(to), args))
                    .map(|(to, len)| to + len - 1);
                match end.zip(length(Bytes::String(text), args)) {
                    Some((end, len)) => accesses.and(AccessKind::Write, end, len, None),
                    None => accesses,
                }
            }
            Effect::Format { format, first } => and_format(accesses, format, first, args),
        };
    }
    hooks::modelled(site, &accesses);
    if callee.unknown {
        args.iter().filter(|pointer| **pointer > 4096).for_each(|pointer| give(site, *pointer));
    }
}

/// Memory is given to a function of which nobody knows what it does with it. It counts
/// as touched, so that it is seen if others touch it too.
fn give(site: SiteRef, pointer: u64) {
    let Some(thread) = execution::current_thread() else { return };
    let (start, len) = match heap::around(pointer as usize) {
        Some((_, block)) => (block.start as u64, block.size as u64),
        // How much lies behind a pointer to a global or a stack is not known; a cache
        // line is a guess.
        None => (pointer, 64),
    };
    sharing::is_event(thread, &Accesses::one(AccessKind::Read, start, len, None));
    let given = GIVEN.get().as_ref().expect("prepared");
    if !given.as_slice().contains(&(site, thread, start, len)) {
        given.push((site, thread, start, len));
    }
}

fn and_access(
    accesses: Accesses,
    kind: AccessKind,
    arg: usize,
    bytes: Bytes,
    args: &[u64],
) -> Accesses {
    let pointer = args.get(arg).copied().filter(|pointer| *pointer != 0);
    match pointer.zip(length(bytes, args)) {
        // What is constant is nobody's concern, and every format is.
        Some((pointer, _)) if kind == AccessKind::Read && units::is_constant(pointer) => accesses,
        Some((pointer, len)) => accesses.and(kind, pointer, len, None),
        None => accesses,
    }
}

/// Adds the strings that a format of printf's reads and the counts that it writes, as
/// far as the arguments are known.
fn and_format(mut accesses: Accesses, format: usize, first: usize, args: &[u64]) -> Accesses {
    let Some(text) = args.get(format).filter(|p| **p != 0) else { return accesses };
    // SAFETY: the program is about to hand the same string to libc.
    let mut text = unsafe { CStr::from_ptr(*text as *const c_char) }.to_bytes();
    let mut arg = first;
    while let Some(start) = text.iter().position(|byte| *byte == b'%') {
        text = &text[start + 1..];
        let mut precision = None;
        let mut in_precision = false;
        // Flags, width, precision and length modifiers stand before the conversion.
        while let Some(byte) =
            text.first().filter(|byte| b"#0-+ '123456789.*hlLqjzt".contains(byte))
        {
            match byte {
                b'.' => {
                    in_precision = true;
                    precision = Some(0);
                }
                b'*' => {
                    if in_precision {
                        precision = args.get(arg).map(|limit| *limit as u32 as u64);
                    }
                    arg += 1;
                }
                digit @ b'0'..=b'9' if in_precision => {
                    precision = precision.map(|limit| limit * 10 + u64::from(digit - b'0'));
                }
                _ => {}
            }
            text = &text[1..];
        }
        let Some(conversion) = text.first() else { break };
        text = &text[1..];
        match conversion {
            b'%' | b'm' => continue,
            b's' => match precision {
                Some(limit) => {
                    let known = [args.get(arg).copied().unwrap_or(0), limit];
                    accesses = and_access(
                        accesses,
                        AccessKind::Read,
                        0,
                        Bytes::StringAtMost(0, 1),
                        &known,
                    );
                }
                None => {
                    accesses = and_access(accesses, AccessKind::Read, arg, Bytes::String(arg), args)
                }
            },
            b'n' => {
                accesses = and_access(accesses, AccessKind::Write, arg, Bytes::Exactly(4), args)
            }
            _ => {}
        }
        arg += 1;
    }
    accesses
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
    for (site, thread, start, len) in given.as_slice() {
        let Some(id) = units::site_id(*site).filter(|id| !UNSEEN.get().contains(id)) else {
            continue;
        };
        let overlaps = |from: u64, to: u64| from < start + len && *start < to;
        let accessed = run.events.iter().filter(|e| e.thread != *thread);
        let mut accessed = accessed.flat_map(|e| run.accesses_of(e)).map(|a| (a.addr, a.end()));
        let mut others = given.as_slice().iter().filter(|other| other.1 != *thread);
        if accessed.any(|(from, to)| overlaps(from, to)) || others.any(|o| overlaps(o.2, o.2 + o.3))
        {
            UNSEEN.get().push(id);
        }
    }
    given.clear();
}

pub fn unseen() -> Vec<SiteId> {
    UNSEEN.get().clone()
}
