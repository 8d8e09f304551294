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
//!
//! Of the files' data only those pages are kept and put back that have ever been written.
//! They are write-protected at first; the first write to one faults, has the page kept,
//! makes it writable for good and has it put back from then on. That needs no help from whoever writes, and
//! the pages that a program writes are soon known. A stack is protected below the deepest
//! page that was ever written, and zero above it is what it starts with.

use crate::{cell::Global, fiber, heap, interpose, kernel, sys, units};
use alloc::{vec, vec::Vec};
use leno_model::ThreadId;

const PAGE: usize = 4096;
/// Bytes of glibc's `struct link_map`, rounded down; what the destructors change lies
/// well inside.
const LINK_MAP: usize = 1024;

/// Up to which size a library's data is taken to be written. libc's has 60 K.
const LIBRARY: usize = 1 << 20;

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
        let Self { start, bytes } = self;
        // SAFETY: the same range; the program does not run, and none of it is ours.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), *start as *mut u8, bytes.len()) };
    }
}

/// The writable data of a loaded file. Its first and last page may hold something
/// else too; protection is by whole pages all the same.
struct Data {
    start: usize,
    end: usize,
    /// Pages that are write-protected, by number from the first.
    protected: Vec<bool>,
    /// What to put back: a region inside for each page that has been written.
    written: Vec<Region>,
}

impl Data {
    fn keep(start: usize, end: usize) -> Self {
        let pages = (end.next_multiple_of(PAGE) - (start & !(PAGE - 1))) / PAGE;
        let first = start & !(PAGE - 1);
        sys::protect(first, pages * PAGE, libc::PROT_READ);
        Self { start, end, protected: vec![true; pages], written: Vec::new() }
    }

    /// A write to a page: true if that page was protected and is writable now.
    fn unprotect(&mut self, addr: usize) -> bool {
        let first = self.start & !(PAGE - 1);
        let Some(page) = addr.checked_sub(first).map(|offset| offset / PAGE) else { return false };
        if !core::mem::replace(self.protected.get_mut(page).unwrap_or(&mut false), false) {
            return false;
        }
        let low = first + page * PAGE;
        self.written.push(Region::keep(low.max(self.start), (low + PAGE).min(self.end)));
        sys::protect(low, PAGE, libc::PROT_READ | libc::PROT_WRITE);
        true
    }

    fn contains(&self, addr: u64) -> bool {
        (self.start as u64..self.end as u64).contains(&addr)
    }

    fn unprotect_range(&mut self, from: usize, to: usize) {
        let to = to.min(self.end);
        for page in (from & !(PAGE - 1)..to).step_by(PAGE) {
            self.unprotect(page.max(self.start));
        }
    }

    fn put_back(&self) {
        self.written.iter().for_each(Region::put_back);
    }

    fn release(&self) {
        let first = self.start & !(PAGE - 1);
        sys::protect(first, self.protected.len() * PAGE, libc::PROT_READ | libc::PROT_WRITE);
    }
}

/// A thread's stack: zero before its thread starts. It grows down, so one mark says
/// how far it has ever been written; below, it is write-protected.
struct Stack {
    low: usize,
    mark: usize,
    top: usize,
}

impl Stack {
    /// Where the page faults of the next use cost less than the zeros.
    const DEEP: usize = 1 << 18;

    fn keep(thread: ThreadId) -> Self {
        let (low, top) = fiber::stack_range(thread);
        let mut stack = Self { low, mark: top, top };
        stack.empty();
        stack
    }

    /// Gives the pages back, and protects them.
    fn empty(&mut self) {
        let mark = (self.top & !(PAGE - 1)).saturating_sub(PAGE);
        sys::discard(self.low, mark - self.low);
        sys::protect(self.low, mark - self.low, libc::PROT_READ);
        self.mark = mark;
        self.zero();
    }

    fn zero(&self) {
        // SAFETY: a part of the stack that is writable, and no fiber uses now.
        unsafe { (self.mark as *mut u8).write_bytes(0, self.top - self.mark) };
    }

    /// A write below the mark: true if the stack is writable there now.
    fn unprotect(&mut self, addr: usize) -> bool {
        let below = (self.low..self.mark).contains(&addr);
        if below {
            let page = addr & !(PAGE - 1);
            sys::protect(page, self.mark - page, libc::PROT_READ | libc::PROT_WRITE);
            self.mark = page;
        }
        below
    }

    fn put_back(&mut self) {
        if self.top - self.mark > Self::DEEP { self.empty() } else { self.zero() }
    }

    fn release(&self) {
        sys::protect(self.low, self.mark - self.low, libc::PROT_READ | libc::PROT_WRITE);
    }
}

/// A write fault at `addr`: true if it was the first write to a page of the snapshot,
/// which may be made again now.
pub fn first_write(addr: usize) -> bool {
    SNAPSHOT.get().as_mut().is_some_and(|s| {
        s.data.iter_mut().any(|data| data.unprotect(addr))
            || s.stacks.iter_mut().any(|stack| stack.unprotect(addr))
    })
}

/// Makes room for what the kernel writes: it does not fault on a protected page, it
/// refuses. `args` are those of a call out of the program. Where one of them leads into
/// protected data, as many bytes as another one, or the product of two neighbours, could
/// stand for are made writable, or a page, which no structure of a system call exceeds. Too much costs nothing but time.
pub fn expect_writes(args: &[u64]) {
    let Some(snapshot) = SNAPSHOT.get() else { return };
    for arg in args {
        let Some(data) = snapshot.data.iter_mut().find(|data| data.contains(*arg)) else {
            continue;
        };
        let size = |size: u64| if size < 1 << 32 { size } else { 0 };
        let products = args.windows(2).map(|pair| size(pair[0]) * size(pair[1]));
        let most = args.iter().map(|arg| size(*arg)).chain(products).max().unwrap_or(0);
        let most = most.max(PAGE as u64);
        data.unprotect_range(*arg as usize, (*arg).saturating_add(most) as usize);
    }
}

/// Makes data writable that is about to be a stack: what calls of the system are given there is
/// not seen.
pub fn expect_use(low: usize, high: usize) {
    let Some(snapshot) = SNAPSHOT.get() else { return };
    for data in snapshot.data.iter_mut().filter(|data| low < data.end && data.start < high) {
        data.unprotect_range(low.max(data.start), high);
    }
}

pub struct Snapshot {
    data: Vec<Data>,
    link_maps: Vec<Region>,
    /// By thread.
    controls: Vec<Region>,
    stacks: Vec<Stack>,
    heap: heap::Snapshot,
    keys: interpose::keys::Keys,
}

static SNAPSHOT: Global<Option<Snapshot>> = Global::new(None);

/// Takes the snapshot, or takes it anew when there are more threads than before.
/// Nothing of an execution may be in the memory then.
pub fn take() {
    if SNAPSHOT.get().as_ref().is_some_and(|s| s.controls.len() == fiber::provided()) {
        return;
    }
    release();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    // SAFETY: plain use of dl_iterate_phdr; `visit` gets the list back.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut ranges).cast()) };
    let link_maps = link_maps();
    // A library has the kernel write to its own data too.
    let is_library = |(start, end): &(usize, usize)| {
        kernel::kept() && end - start < LIBRARY && !units::has_unit(*start as u64)
    };
    // Asked before anything is protected, the dynamic linker's own data included.
    let libraries: Vec<bool> = ranges.iter().map(is_library).collect();
    let data = |((start, end), library): (&(usize, usize), bool)| {
        let mut data = Data::keep(*start, *end);
        if library {
            data.unprotect_range(*start, *end);
        }
        data
    };
    let control = |thread: usize| {
        let (start, end) = fiber::control_range(ThreadId(thread as u32));
        Region::keep(start, end)
    };
    *SNAPSHOT.get() = Some(Snapshot {
        data: ranges.iter().zip(libraries).map(data).collect(),
        link_maps,
        controls: (0..fiber::provided()).map(control).collect(),
        stacks: (0..fiber::provided()).map(|i| Stack::keep(ThreadId(i as u32))).collect(),
        heap: heap::snapshot(),
        keys: interpose::keys::kept(),
    });
}

/// The parts of the files' data that have ever been written, if they are known.
pub fn written() -> Option<Vec<(usize, usize)>> {
    let snapshot = SNAPSHOT.get().as_ref()?;
    let regions = snapshot.data.iter().flat_map(|data| &data.written);
    Some(regions.map(|region| (region.start, region.start + region.bytes.len())).collect())
}

/// Lifts the protection: the host is about to change things for good.
pub fn release() {
    if let Some(snapshot) = SNAPSHOT.get().take() {
        snapshot.data.iter().for_each(Data::release);
        snapshot.stacks.iter().for_each(Stack::release);
    }
}

/// Puts everything back. `used` are the threads that there were.
pub fn restore(used: &[ThreadId]) {
    let snapshot = SNAPSHOT.get().as_mut().expect("taken before the first execution");
    snapshot.data.iter().for_each(Data::put_back);
    snapshot.link_maps.iter().for_each(Region::put_back);
    for thread in used {
        snapshot.controls[thread.index()].put_back();
        snapshot.stacks[thread.index()].put_back();
    }
    heap::restore(&snapshot.heap);
    interpose::keys::restore(&snapshot.keys);
}

/// Keeps the writable data of one loaded file.
unsafe extern "C" fn visit(
    info: *mut libc::dl_phdr_info,
    _: usize,
    list: *mut libc::c_void,
) -> i32 {
    // SAFETY: libc gives valid headers; `list` is the one of `take`.
    unsafe {
        let list = &mut *list.cast::<Vec<(usize, usize)>>();
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
        let sealed = headers
            .iter()
            .find(|h| h.p_type == libc::PT_GNU_RELRO)
            .map_or(0, |h| range(h).1 & !(PAGE - 1));
        for header in headers.iter().filter(is_loaded).filter(|h| h.p_flags & libc::PF_W != 0) {
            let (start, end) = range(header);
            let start = if (start..=end).contains(&sealed) { sealed } else { start };
            if start < end {
                list.push((start, end));
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
        let mut map: *const LinkMap =
            libc::dlopen(core::ptr::null(), libc::RTLD_NOW | libc::RTLD_NOLOAD).cast();
        while let Some(this) = map.as_ref() {
            maps.push(Region::keep(map as usize, map as usize + LINK_MAP));
            map = this.next;
        }
    }
    maps
}
