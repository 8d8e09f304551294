//! malloc and its family.
//!
//! An allocation is no event: its address depends on the allocating thread's past
//! only. Freeing is a write of the whole block.

use super::set_errno;
use crate::{
    accesses, describe,
    execution::{self, call_site, current_thread, running},
    fiber, given_stacks,
    heap::{self, Found},
    hooks, host,
    trace::FailureText,
    units,
};
use alloc::{format, string::String};
use core::ptr::null_mut;
use leno_entry::entry;
use leno_model::{AccessKind, Order, Property, SiteRef};

type Pointer = *mut u8;

fn allocate(size: usize, align: usize) -> (Pointer, bool) {
    let site = if running().is_some() { call_site() } else { SiteRef(0) };
    if running().is_some() {
        execution::require_room(site);
    }
    let (block, reused) = heap::allocate(current_thread(), size, align, site);
    if block.is_null() {
        set_errno(libc::ENOMEM);
    }
    execution::note(block as u64, "allocated it here");
    (block, reused)
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn malloc(size: usize) -> Pointer {
    allocate(size, 16).0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn calloc(count: usize, size: usize) -> Pointer {
    let Some(bytes) = count.checked_mul(size) else {
        set_errno(libc::ENOMEM);
        return null_mut();
    };
    let (block, reused) = allocate(bytes, 16);
    if reused {
        // SAFETY: a block of that size.
        unsafe { block.write_bytes(0, bytes) };
    }
    block
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn free(pointer: Pointer) {
    if !pointer.is_null() {
        release(pointer, "frees");
    }
}

fn release(pointer: Pointer, does: &str) {
    let site = call_site();
    let (owner, place) = match heap::find_start(pointer as usize) {
        Found::Block { owner, place } => (owner, place),
        Found::Foreign => return misused(no_block(does, pointer), pointer, 3, site),
    };
    let block = *heap::block(owner, place);
    let size = block.size as u64;
    if let Some(what) = mismatch(block.allocated_at, site) {
        return misused(what, pointer, 8, site);
    }
    let freed = match counts_references(site) {
        false => accesses::one(AccessKind::Write, pointer as u64, size, None),
        true => accesses::one(AccessKind::ReadWrite, pointer as u64, size, Some(Order::SeqCst)),
    };
    let gone = heap::block(owner, place).freed_at.is_some()
        || !given_stacks::leaves(freed, pointer as u64, size, does, site);
    if gone {
        hooks::access(site, &[freed]);
    }
    if heap::block(owner, place).freed_at.is_some() {
        return misused(format!("{does} a block that has been freed"), pointer, 4, site);
    }
    give_back(owner, place, site);
}

/// A sentence about a pointer that no block starts at.
fn no_block(does: &str, pointer: Pointer) -> String {
    let what = if heap::around(pointer as usize).is_some() {
        "the middle of a block"
    } else if fiber::owner_of(pointer as usize).is_some() {
        "memory of a stack"
    } else if units::image_of(pointer as u64).is_some() {
        "a global variable"
    } else {
        "what is no block"
    };
    format!("{does} {what}")
}

/// The families of functions, by how they allocate and how they free.
const FAMILIES: [(&str, &str); 3] = [("malloc", "free"), ("new", "delete"), ("new[]", "delete[]")];

/// The family of a function that is called by name, by its place in [`FAMILIES`].
fn family(site: SiteRef) -> Option<usize> {
    let name = units::callee(site)?;
    match name {
        "malloc" | "calloc" | "realloc" | "reallocarray" | "aligned_alloc" | "memalign"
        | "posix_memalign" | "valloc" | "pvalloc" | "free" => Some(0),
        _ if name.starts_with("_Znw") || name.starts_with("_Zdl") => Some(1),
        _ if name.starts_with("_Zna") || name.starts_with("_Zda") => Some(2),
        _ => None,
    }
}

/// Whether the C++ library frees something of its own, in a function of its own: it has
/// counted the references to it, where we do not look (an exception's text, a locale).
fn counts_references(site: SiteRef) -> bool {
    let own = ["_ZNSt", "_ZNKSt", "_ZSt", "__cxa_"];
    let name = units::callee(site).unwrap_or_default();
    own.iter().any(|beginning| name.starts_with(beginning))
}

/// What is wrong if a block is freed by a function that does not belong to the one that
/// allocated it. Where one of the two was called out of sight nothing is known.
fn mismatch(allocated_at: SiteRef, freed_at: SiteRef) -> Option<String> {
    let (from, to) = (family(allocated_at)?, family(freed_at)?);
    let (allocates, frees) = (FAMILIES[from].0, FAMILIES[to].1);
    (from != to).then(|| format!("frees with {frees} what was allocated with {allocates}"))
}

fn give_back(owner: usize, place: usize, site: SiteRef) {
    let block = *heap::block(owner, place);
    execution::note_further(block.start as u64, "freed it here");
    heap::release(owner, place, current_thread(), site);
    execution::forget(block.start as u64, block.size as u64, site);
}

fn misused(what: String, pointer: Pointer, code: u32, site: SiteRef) {
    if running().is_some() && host::looks_for(Property::Memory) {
        let object = Some(describe::object(pointer as u64));
        let start = heap::around(pointer as usize).map_or(0, |(_, block)| block.start as u64);
        let parts = execution::history(start);
        execution::fail(Property::Memory, code, site, FailureText::Misuse { what, object, parts });
    }
    // If it is nobody's to report: as if it had not been called.
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn realloc(pointer: Pointer, size: usize) -> Pointer {
    if pointer.is_null() {
        return allocate(size, 16).0;
    }
    if size == 0 {
        release(pointer, "reallocates");
        return null_mut();
    }
    let Found::Block { owner, place } = heap::find_start(pointer as usize) else {
        misused(no_block("reallocates", pointer), pointer, 3, call_site());
        return null_mut();
    };
    // Never in place: whoever still uses the old block must be found out.
    let old = heap::block(owner, place).size;
    let (new, _) = allocate(size, 16);
    if new.is_null() {
        return null_mut();
    }
    let all = accesses::one(AccessKind::ReadWrite, pointer as u64, old as u64, None);
    if !given_stacks::leaves(all, pointer as u64, old as u64, "reallocates", call_site()) {
        hooks::access(call_site(), &[all]);
    }
    // SAFETY: both blocks are that long, and they are different ones.
    unsafe { core::ptr::copy_nonoverlapping(pointer, new, old.min(size)) };
    if heap::block(owner, place).freed_at.is_some() {
        misused(String::from("reallocates a block that has been freed"), pointer, 4, call_site());
        return null_mut();
    }
    give_back(owner, place, call_site());
    new
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn reallocarray(pointer: Pointer, count: usize, size: usize) -> Pointer {
    match count.checked_mul(size) {
        // SAFETY: as the caller says.
        Some(bytes) => unsafe { realloc(pointer, bytes) },
        None => {
            set_errno(libc::ENOMEM);
            null_mut()
        }
    }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn memalign(align: usize, size: usize) -> Pointer {
    if !align.is_power_of_two() {
        set_errno(libc::EINVAL);
        return null_mut();
    }
    allocate(size, align).0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn aligned_alloc(align: usize, size: usize) -> Pointer {
    // SAFETY: the same function.
    unsafe { memalign(align, size) }
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn posix_memalign(out: *mut Pointer, align: usize, size: usize) -> i32 {
    if !align.is_power_of_two() || align < 8 {
        return libc::EINVAL;
    }
    let (block, _) = allocate(size, align);
    if block.is_null() {
        return libc::ENOMEM;
    }
    hooks::access(call_site(), &[accesses::one(AccessKind::Write, out as u64, 8, None)]);
    // SAFETY: the program's own place for the result.
    unsafe { *out = block };
    0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn valloc(size: usize) -> Pointer {
    allocate(size, 4096).0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn pvalloc(size: usize) -> Pointer {
    allocate(size.checked_next_multiple_of(4096).unwrap_or(usize::MAX), 4096).0
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn malloc_usable_size(pointer: Pointer) -> usize {
    match heap::find_start(pointer as usize) {
        Found::Block { owner, place } => heap::block(owner, place).size,
        Found::Foreign => 0,
    }
}

/// Nothing to be tuned and nothing to be given back.
#[entry]
pub extern "C" fn malloc_trim(_: usize) -> i32 {
    0
}
