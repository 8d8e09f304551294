//! Restart in place: the program's memory as it was before `main`, put back after
//! each execution.
//!
//! What is kept and put back by copy: the writable data of every loaded file but
//! ours, the dynamic linker's descriptions of these files (its destructors tick them
//! off), the host's part of the heap, and the thread-local storage and control block
//! of every thread. What is made zero again: the threads' arenas and the used part
//! of their stacks. Nothing else of the process may change in an execution that is
//! restarted in place; the driver sees to that, by the functions that the program
//! calls.

use crate::{cell::Global, fiber, heap, interpose};
use alloc::vec::Vec;
use leno_model::ThreadId;

const PAGE: usize = 4096;
/// Bytes of glibc's `struct link_map`, rounded down; what the destructors change lies
/// well inside.
const LINK_MAP: usize = 1024;

struct Region {
    start: usize,
    bytes: Vec<u8>,
}

impl Region {
    fn keep(start: usize, end: usize) -> Self {
        // SAFETY: a range of the program's memory that is mapped.
        let bytes = unsafe { core::slice::from_raw_parts(start as *const u8, end - start) };
        Self { start, bytes: bytes.to_vec() }
    }

    fn put_back(&self) {
        // SAFETY: the same range; the program does not run, and none of it is ours.
        unsafe { core::ptr::copy_nonoverlapping(self.bytes.as_ptr(), self.start as *mut u8, self.bytes.len()) };
    }
}

pub struct Snapshot {
    regions: Vec<Region>,
    /// By thread.
    controls: Vec<Region>,
    heap: heap::Snapshot,
    destructors: interpose::threads::Destructors,
}

static SNAPSHOT: Global<Option<Snapshot>> = Global::new(None);

/// Takes the snapshot, or takes it anew when there are more threads than before.
/// Nothing of an execution may be in the memory then.
pub fn take() {
    let known = SNAPSHOT.get().as_ref().map_or(0, |s| s.controls.len());
    if known == fiber::provided() {
        return;
    }
    let mut regions = Vec::new();
    // SAFETY: plain use of dl_iterate_phdr; `visit` gets the list back.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut regions).cast()) };
    regions.extend(link_maps());
    let control = |thread: usize| {
        let (start, end) = fiber::control_range(ThreadId(thread as u32));
        Region::keep(start, end)
    };
    *SNAPSHOT.get() = Some(Snapshot {
        regions,
        controls: (0..fiber::provided()).map(control).collect(),
        heap: heap::snapshot(),
        destructors: interpose::threads::destructors(),
    });
}

/// Puts everything back. `used` are the threads that there were.
pub fn restore(used: &[ThreadId]) {
    let snapshot = SNAPSHOT.get().as_ref().expect("taken before the first execution");
    snapshot.regions.iter().for_each(Region::put_back);
    for thread in used {
        snapshot.controls[thread.index()].put_back();
        clear_stack(*thread);
    }
    heap::restore(&snapshot.heap);
    interpose::threads::restore_destructors(&snapshot.destructors);
}

/// Makes the used part of a stack zero: from its top down to where some pages have
/// never been touched. Stacks are used from the top without gaps of that size, but
/// for arrays of which only the far end is used; a program that reads such an array
/// before it writes it reads zeros or its own values of an earlier execution.
fn clear_stack(thread: ThreadId) {
    const UNTOUCHED: usize = 4;
    let (low, top) = fiber::stack_range(thread);
    let mut untouched = 0;
    let mut page = top & !(PAGE - 1);
    if page < top {
        // SAFETY: the topmost, incomplete page of the stack.
        unsafe { (page as *mut u8).write_bytes(0, top - page) };
    }
    while page > low && untouched < UNTOUCHED {
        page -= PAGE;
        // SAFETY: a page of the stack that no fiber uses now.
        let words = unsafe { core::slice::from_raw_parts_mut(page as *mut u64, PAGE / 8) };
        if words.iter().all(|w| *w == 0) {
            untouched += 1;
        } else {
            untouched = 0;
            words.fill(0);
        }
    }
}

/// Keeps the writable data of one loaded file.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, list: *mut libc::c_void) -> i32 {
    // SAFETY: libc gives valid headers; `list` is the one of `take`.
    unsafe {
        let list = &mut *list.cast::<Vec<Region>>();
        let info = &*info;
        let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
        let base = info.dlpi_addr as usize;
        let range = |h: &libc::Elf64_Phdr| {
            let start = base + h.p_vaddr as usize;
            (start, start + h.p_memsz as usize)
        };
        let ours = visit as *const () as usize;
        let is_loaded = |h: &&libc::Elf64_Phdr| h.p_type == libc::PT_LOAD;
        if headers.iter().filter(is_loaded).any(|h| (range(h).0..range(h).1).contains(&ours)) {
            return 0;
        }
        // What is read-only after relocation cannot be changed, and not put back either.
        let sealed = headers.iter().find(|h| h.p_type == libc::PT_GNU_RELRO).map_or(0, |h| range(h).1 & !(PAGE - 1));
        for header in headers.iter().filter(is_loaded).filter(|h| h.p_flags & libc::PF_W != 0) {
            let (start, end) = range(header);
            let start = if (start..=end).contains(&sealed) { sealed } else { start };
            if start < end {
                list.push(Region::keep(start, end));
            }
        }
        0
    }
}

/// Keeps the dynamic linker's descriptions of the loaded files.
fn link_maps() -> Vec<Region> {
    #[repr(C)]
    struct LinkMap {
        addr: u64,
        name: u64,
        dynamic: u64,
        next: *const LinkMap,
    }
    let mut maps = Vec::new();
    // SAFETY: the handle of the program itself is its link map, the first of the list.
    unsafe {
        let mut map: *const LinkMap = libc::dlopen(core::ptr::null(), libc::RTLD_NOW | libc::RTLD_NOLOAD).cast();
        while let Some(this) = map.as_ref() {
            maps.push(Region::keep(map as usize, map as usize + LINK_MAP));
            map = this.next;
        }
    }
    maps
}
