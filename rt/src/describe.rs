//! Addresses in words: what goes into traces and messages.

use crate::{
    execution,
    fiber::{self, FrameRecord},
    given_stacks,
    heap::{self, Misuse},
    interpose::named,
    kernel::things,
    units,
};
use alloc::{format, string::String};
use leno_model::{Access, SiteRef, ThreadId, object::Object};

/// What an address is part of, now.
pub fn object(addr: u64) -> Object {
    if let Some(variable) = given_stacks::tenant_of(addr).and_then(|owner| in_frame(addr, owner)) {
        return variable;
    }
    if let Some((owner, block)) = heap::around(addr as usize) {
        return Object::Heap {
            thread: owner.unwrap_or(ThreadId::MAIN),
            index: block.index,
            size: block.size as u64,
            offset: addr - block.start as u64,
            allocated_at: units::site_id(block.allocated_at),
            freed: block.freed_at.is_some(),
        };
    }
    if let Some(owner) = fiber::owner_of(addr as usize) {
        return on_stack(addr, owner);
    }
    if let Some(name) = named::text_of(addr) {
        return Object::Outside { name };
    }
    match units::image_of(addr) {
        Some((image, bias)) => Object::Global { image, offset: addr - bias },
        None if is_control(addr, ThreadId::MAIN) => on_stack(addr, ThreadId::MAIN),
        None => match things::label(addr) {
            Some(name) => Object::Outside { name },
            None => Object::Unknown { addr },
        },
    }
}

fn on_stack(addr: u64, owner: ThreadId) -> Object {
    let thread_pointer = fiber::handle(owner);
    if is_control(addr, owner) {
        let offset = addr as i64 - thread_pointer as i64;
        let (image, offset) = match units::thread_local_at(offset) {
            Some((image, offset)) => (Some(image), offset),
            None => (None, offset),
        };
        return Object::ThreadLocal { thread: owner, image, offset };
    }
    let (_, top) = fiber::stack_range(owner);
    let somewhere = Object::Stack { thread: owner, offset: (top as u64).wrapping_sub(addr) };
    in_frame(addr, owner).unwrap_or(somewhere)
}

/// The variable of a function in progress that an address is in.
fn in_frame(addr: u64, owner: ThreadId) -> Option<Object> {
    let mut frame = execution::frames_of(owner);
    // SAFETY: the chain of frame records of a thread that exists.
    while let Some(record) = unsafe { frame.as_ref() } {
        let start = frame as u64;
        if (start..start + units::frame_size(record)).contains(&addr)
            && let Some(function) = units::site_id(SiteRef(record.function))
        {
            return Some(Object::Frame { thread: owner, function, offset: addr - start });
        }
        frame = record.caller;
    }
    None
}

/// Whether an address is in a thread's thread-local storage or control block.
fn is_control(addr: u64, owner: ThreadId) -> bool {
    let (low, high) = fiber::control_range(owner);
    (low as u64..high as u64).contains(&addr)
}

/// The calls that lead to where a thread is, innermost first. `site` is where it
/// stands itself, or 0 if that is the call that its innermost frame is making. Of a deep
/// recursion only the innermost calls are given: a trace has a stack for each step.
pub fn stack(
    site: SiteRef,
    mut frame: *const FrameRecord,
) -> alloc::vec::Vec<leno_model::site::SiteId> {
    let mut sites = alloc::vec::Vec::new();
    let mut inner = site;
    // SAFETY: the chain of frame records of a thread that exists.
    while let Some(record) = unsafe { frame.as_ref() }
        && sites.len() < DEEPEST
    {
        let here = if inner.0 != 0 { inner } else { SiteRef(record.site) };
        inner = SiteRef(0);
        sites.extend(units::site_id(here));
        frame = record.caller;
    }
    if inner.0 != 0 {
        sites.extend(units::site_id(inner));
    }
    sites
}

const DEEPEST: usize = 100;

/// What an access does: `reads 4 bytes`. What these are, or should have been, part of comes
/// behind it.
pub fn deed(access: &Access) -> String {
    let does = if access.kind.writes() { "writes" } else { "reads" };
    let bytes =
        if access.len == 1 { String::from("1 byte") } else { format!("{} bytes", access.len) };
    format!("{does} {bytes}")
}

/// A sentence about an access to the stack, or thread-local storage, of a thread that
/// has ended.
pub fn outlived(deed: &str) -> String {
    format!("{deed} of the stack of a thread that has ended")
}

/// A sentence about an access to memory that is not there.
pub fn misuse(deed: &str, access: &Access, wrong: &Misuse) -> String {
    match wrong {
        Misuse::Freed(block) => {
            format!("{deed} of a block of {} bytes that has been freed", block.size)
        }
        Misuse::Past(block, _) if access.addr < (block.start + block.size) as u64 => {
            format!("{deed} across the end of a block of {} bytes", block.size)
        }
        Misuse::Past(block, 0) => {
            format!("{deed} right behind a block of {} bytes", block.size)
        }
        Misuse::Past(block, past) => {
            format!("{deed}, {past} past the end of a block of {} bytes", block.size)
        }
        Misuse::Before(block, before) => {
            format!("{deed}, {before} before the start of a block of {} bytes", block.size)
        }
    }
}
