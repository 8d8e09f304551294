//! Fibers: program threads as contexts of one kernel thread.
//!
//! Each fiber has the stack and the thread control block of a real pthread that is
//! parked for good, so that glibc has set up thread-local storage, locale and
//! robust lists as it likes them. Stack number `i` belongs to thread number `i` and
//! lies at a fixed address; glibc puts the control block at its upper end. So
//! neither addresses on the stack, nor those of thread-locals, nor `pthread_t`
//! depend on the order in which threads come to be. At the lower end of the same part of
//! the address space is the stack that the runtime itself uses on the thread's behalf
//! (`stacks.rs`). A thread that was created with memory of the program's for its stack runs
//! there instead (`given_stacks.rs`); all else of it lies where its number says.

use crate::{cell::Global, given_stacks::Given, stacks, sys};
use alloc::vec::Vec;
use core::{
    arch::{asm, naked_asm},
    ops::Range,
};
use leno_model::ThreadId;

const STACKS: usize = 0x1000_0000_0000;
/// From one region to the next, but for their colours.
const STRIDE: usize = 256 << 20;
/// Regions begin at so many different pages of a stride. If all began at the same one, the
/// stacks of all threads would contend for the same few lines of the caches.
const COLOURS: usize = 32;
/// A thread's region of the address space. Its stack lies at the upper end. The lowest page of
/// a stack is a guard: it is not mapped.
pub const REGION: usize = STRIDE - COLOURS * PAGE;
/// As large as Linux makes a thread's stack by default.
const SIZE: usize = 8 << 20;
/// The largest that a program can ask for.
pub const LARGEST: usize = REGION - stacks::SIZE - RESERVE - 2 * PAGE;
/// What instrumented code may not use at the lower end of a stack: libc's functions that it
/// calls find room there. If one of them overflowed, it might leave a lock behind.
const RESERVE: usize = 64 << 10;
const PAGE: usize = 4096;
/// More than there can be threads.
const MAX_STACKS: usize = 1 << 16;

/// A context that does not run: where its registers are saved, and its thread pointer.
#[derive(Clone, Copy)]
pub struct Context {
    pub stack_pointer: usize,
    pub thread_pointer: usize,
}

/// The stack and thread pointer of a parked pthread. The main thread has a stack of
/// ours too, so that it is known where its stack ends.
#[derive(Clone, Copy)]
struct Parked {
    /// Where the mapping of the stack begins, with its guard.
    low: usize,
    /// Where a fiber's stack starts (it grows down).
    top: usize,
    thread_pointer: usize,
}

static POOL: Global<Vec<Parked>> = Global::new(Vec::new());

/// The thread-local head of the shadow stack: see docs/architecture.md, "Frame record".
///
/// Stable Rust has no `#[thread_local]`, but LLVM gives a section called `.tbss` the
/// TLS flag and its symbols the TLS type. Never use it by its Rust name: its address
/// is an offset to the thread pointer.
#[allow(non_upper_case_globals)]
#[unsafe(no_mangle)]
#[unsafe(link_section = ".tbss")]
pub static __leno_frame: Global<usize> = Global::new(0);

/// Where `__leno_frame` lies, relative to a thread pointer.
fn frame_offset() -> usize {
    let offset;
    // SAFETY: reads the offset that the dynamic linker has entered.
    unsafe {
        asm!("mov {0}, qword ptr [rip + {1}@gottpoff]", out(reg) offset, sym __leno_frame,
            options(nostack, pure, readonly, preserves_flags));
    }
    offset
}

/// The innermost frame record of the thread with this thread pointer, or null.
pub fn frame_of(thread_pointer: usize) -> *const FrameRecord {
    // SAFETY: every thread has its copy of the thread-local, which holds a record on
    // its own stack.
    unsafe { *(thread_pointer.wrapping_add(frame_offset()) as *const *const FrameRecord) }
}

/// Where a thread's `__leno_frame` lies.
pub fn frame_place(thread: ThreadId) -> u64 {
    handle(thread).wrapping_add(frame_offset() as u64)
}

/// The running thread's innermost frame record.
#[inline(always)]
pub fn frame() -> *const FrameRecord {
    frame_of(thread_pointer())
}

/// Starts a thread with an empty shadow stack.
pub fn clear_frames() {
    let place = thread_pointer().wrapping_add(frame_offset()) as *mut *const FrameRecord;
    // SAFETY: as above.
    unsafe { *place = core::ptr::null() };
}

/// Takes the running thread's innermost records off the list as long as they lie in this part of
/// the stack.
pub fn forget_frames(gone: Range<usize>) {
    let place = thread_pointer().wrapping_add(frame_offset()) as *mut *const FrameRecord;
    // SAFETY: as above; nothing has been written yet where the frames were.
    unsafe {
        while gone.contains(&(*place as usize)) {
            *place = (**place).caller;
        }
    }
}

/// The head of a frame record; the function's slots follow.
#[repr(C)]
pub struct FrameRecord {
    pub caller: *const FrameRecord,
    pub function: u64,
    pub site: u64,
}

/// Makes sure that threads up to `count` have a stack. Call it from the host only.
pub fn provide(count: usize) -> Result<(), i32> {
    let pool = POOL.get();
    if pool.is_empty() {
        let low = map_stacks(0)?;
        pool.push(Parked {
            low,
            top: region(ThreadId::MAIN) + REGION,
            thread_pointer: thread_pointer(),
        });
    }
    // Each starts while the next ones are made.
    let first = pool.len();
    let mut reports = alloc::vec![Parked::NOT_YET; count.saturating_sub(first)];
    let mut result = Ok(());
    let mut begun = 0;
    while begun < reports.len() && result.is_ok() {
        result = start(first + begun, &raw mut reports[begun]);
        begun += usize::from(result.is_ok());
    }
    pool.extend(reports[..begun].iter().map(Parked::await_it));
    if let (None, Some(parked)) = (*STACK_BLOCK.get(), pool.get(1)) {
        *STACK_BLOCK.get() = stack_block(parked);
    }
    result
}

/// Where glibc notes in the control block of a thread, counted from its start, where its stack
/// begins and how long it is: the unwinder compares frames by that.
static STACK_BLOCK: Global<Option<usize>> = Global::new(None);

/// The place has no name, but it is known what is there of a thread that has been started with
/// a stack of ours.
fn stack_block(parked: &Parked) -> Option<usize> {
    let noted = |place: &usize| {
        let words = (parked.thread_pointer + place) as *const [usize; 2];
        // SAFETY: inside the control block.
        unsafe { *words == [parked.low, SIZE + RESERVE] }
    };
    (0..CONTROL_BLOCK - 16).step_by(8).find(noted)
}

/// Whether a thread can run on memory of the program's.
pub fn can_be_given() -> bool {
    STACK_BLOCK.get().is_some()
}

/// How much of a thread's stack glibc keeps for itself.
pub fn control_size() -> usize {
    *RESERVED.get()
}

/// How large a stack a thread can have that is about to be created.
pub fn size(thread: ThreadId) -> usize {
    let end = region(thread) + REGION;
    POOL.get().get(thread.index()).map_or(0, |parked| end - parked.low - RESERVE)
}

/// Gives a thread a larger stack. Call it from the host only.
pub fn enlarge(thread: ThreadId, size: usize) -> Result<(), i32> {
    let parked = &mut POOL.get()[thread.index()];
    let low = region(thread) + REGION - size.next_multiple_of(PAGE) - RESERVE;
    if low < parked.low {
        sys::map(low + PAGE, parked.low - low).ok_or(libc::ENOMEM)?;
        parked.low = low;
    }
    Ok(())
}

/// How many threads have a stack.
pub fn provided() -> usize {
    POOL.get().len()
}

/// The range of a thread's stack, without what glibc keeps at its upper end.
pub fn stack_range(thread: ThreadId) -> (usize, usize) {
    let Parked { low, top, .. } = POOL.get()[thread.index()];
    (low + PAGE, top)
}

/// The range of a thread's thread-local storage and control block.
pub fn control_range(thread: ThreadId) -> (usize, usize) {
    let pointer = POOL.get()[thread.index()].thread_pointer;
    (pointer - *TLS_SIZE.get(), pointer + CONTROL_BLOCK)
}

/// Bytes of glibc's `struct pthread` that are put back. 2.36 has 0x940; at its end is what
/// the kernel and glibc tell each other (`rseq`), which is of the kernel's thread.
const CONTROL_BLOCK: usize = 0x900;
/// Static thread-local storage and control block, with what is reserved for files to come.
static RESERVED: Global<usize> = Global::new(0);
/// Bytes of static thread-local storage below the thread pointer.
static TLS_SIZE: Global<usize> = Global::new(0);

/// Where the region of a thread's stack begins.
pub fn region(thread: ThreadId) -> usize {
    let index = thread.index();
    STACKS + index * STRIDE + index % COLOURS * PAGE
}

/// An address that stands for the life of a thread's stack: its end writes it, and who
/// uses the stack of another thread reads it, so that both orders are tried. It lies
/// where nothing else can.
pub fn life(thread: ThreadId) -> u64 {
    region(thread) as u64
}

pub fn is_life(addr: u64) -> bool {
    owner_of(addr as usize).is_some_and(|owner| life(owner) == addr)
}

/// Whether an address is in the part of the address space that stacks are in.
pub fn is_stack(addr: usize) -> bool {
    addr.checked_sub(STACKS).is_some_and(|offset| offset / STRIDE < provided())
}

/// What is to be known about the stack of the running fiber.
struct Bounds {
    /// It is memory of the program's.
    given: bool,
    /// A stack pointer between these is in the reserve.
    floor: usize,
    full: usize,
    /// The part of the address space that the stack is in.
    low: usize,
    high: usize,
}

static BOUNDS: Global<Bounds> =
    Global::new(Bounds { given: false, floor: 0, full: 0, low: 0, high: 0 });

/// How far below the memory that a program gave for a stack one looks for what has overflowed.
/// There is no reserve: it is as large as the program wants it.
const BELOW: usize = 1 << 20;

/// This thread's fiber is about to run.
#[inline(always)]
pub fn runs(thread: ThreadId, given: Option<Given>) {
    *BOUNDS.get() = match given {
        None => {
            let full = POOL.get()[thread.index()].low + PAGE + RESERVE;
            let low = STACKS + thread.index() * STRIDE;
            Bounds { given: false, floor: STACKS, full, low, high: low + STRIDE }
        }
        Some(Given { low, high }) => {
            Bounds { given: true, floor: low.saturating_sub(BELOW), full: low, low, high }
        }
    };
    *stacks::TOP.get() = own_top(thread);
}

/// Whether a fiber runs into the reserve of its stack.
#[inline(always)]
pub fn is_full() -> bool {
    let pointer = stacks::program();
    let bounds = BOUNDS.get();
    // A handler runs on a stack of its own, which lies elsewhere.
    pointer < bounds.full && pointer > bounds.floor
}

/// Whether an address is on the stack that the running fiber runs on.
#[inline(always)]
pub fn is_own(addr: u64) -> bool {
    let bounds = BOUNDS.get();
    (bounds.low..bounds.high).contains(&(addr as usize))
}

/// Whether a fault at this address is what an overflow of a stack looks like: it is the
/// stack's lowest page, or between that and the stack before. Of memory that the program gave
/// nobody knows where the guard is: it is where the stack pointer has come to.
pub fn is_guard(addr: usize, stack_pointer: usize) -> bool {
    let bounds = BOUNDS.get();
    if bounds.given && (bounds.floor..bounds.high).contains(&addr) {
        return addr.abs_diff(stack_pointer) < PAGE;
    }
    let offset = addr.wrapping_sub(STACKS);
    let below = |parked: &Parked| addr < parked.low + PAGE;
    offset < MAX_STACKS * STRIDE && POOL.get().get(offset / STRIDE).is_none_or(below)
}

/// Whose stack an address lies on.
#[inline(always)]
pub fn owner_of(addr: usize) -> Option<ThreadId> {
    let index = addr.checked_sub(STACKS)? / STRIDE;
    (index < provided()).then_some(ThreadId(index as u32))
}

/// The thread behind a `pthread_t`, which is the address of its control block.
pub fn of_handle(handle: u64) -> Option<ThreadId> {
    let thread = owner_of(handle as usize).unwrap_or(ThreadId::MAIN);
    // A process may die, and be looked into, before it has any stacks.
    let parked = POOL.get().get(thread.index())?;
    (parked.thread_pointer == handle as usize).then_some(thread)
}

pub fn handle(thread: ThreadId) -> u64 {
    POOL.get()[thread.index()].thread_pointer as u64
}

/// The running thread's own `pthread_t`.
pub fn own_handle() -> u64 {
    thread_pointer() as u64
}

type Create = unsafe extern "C" fn(
    *mut libc::pthread_t,
    *const libc::pthread_attr_t,
    extern "C" fn(*mut libc::c_void) -> *mut libc::c_void,
    *mut libc::c_void,
) -> i32;

/// Maps a thread's stack and the runtime's.
fn map_stacks(index: usize) -> Result<usize, i32> {
    let thread = ThreadId(index as u32);
    let low = region(thread) + REGION - SIZE - RESERVE;
    sys::map(low + PAGE, SIZE + RESERVE - PAGE).ok_or(libc::ENOMEM)?;
    sys::map(region(thread) + PAGE, stacks::SIZE).ok_or(libc::ENOMEM)?;
    Ok(low)
}

/// The top of the runtime's stack for a thread. Below is the page with [`life`], which is not
/// mapped. The tops are at different places of their pages, for the same reason as
/// [`COLOURS`]: the processor takes a load for one of what was stored at the same place of
/// another page.
#[inline(always)]
pub fn own_top(thread: ThreadId) -> usize {
    region(thread) + PAGE + stacks::SIZE - thread.index() % 8 * 448
}

/// Whether an address, which is in the part of the address space for stacks, lies on one of the
/// runtime's.
pub fn is_own_stack(addr: usize) -> bool {
    owner_of(addr).is_some_and(|owner| {
        let low = region(owner) + PAGE;
        (low..low + stacks::SIZE).contains(&addr)
    })
}

/// Starts a pthread on stack `index`, which parks and says so in `report`.
fn start(index: usize, report: *mut Parked) -> Result<(), i32> {
    let low = map_stacks(index)?;
    // SAFETY: the thread has not been started yet.
    unsafe { (*report).low = low };
    // SAFETY: plain use of the pthread interface with libc's own functions. All
    // signals are blocked in the new thread, so it never runs a handler.
    unsafe {
        let create: Create = core::mem::transmute(crate::interpose::next(c"pthread_create"));
        let mut attributes: libc::pthread_attr_t = core::mem::zeroed();
        libc::pthread_attr_init(&mut attributes);
        libc::pthread_attr_setstack(&mut attributes, low as *mut _, SIZE + RESERVE);
        let (mut all, mut old): (libc::sigset_t, libc::sigset_t) = core::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &all, &mut old);
        let mut handle = 0;
        let result = create(&mut handle, &attributes, parked_thread, report.cast());
        libc::sigprocmask(libc::SIG_SETMASK, &old, core::ptr::null_mut());
        libc::pthread_attr_destroy(&mut attributes);
        if result == 0 { Ok(()) } else { Err(result) }
    }
}

impl Parked {
    const NOT_YET: Self = Self { low: 0, top: 0, thread_pointer: 0 };

    /// Waits until the thread has reported here.
    fn await_it(&self) -> Self {
        // SAFETY: reads of a word that another thread writes once, behind the other.
        unsafe {
            while core::ptr::read_volatile(&raw const self.thread_pointer) == 0 {
                sys::call(libc::SYS_sched_yield, [0; 6]);
            }
            core::ptr::read_volatile(self)
        }
    }
}

/// Reports where it is and sleeps for ever; the fiber uses the stack below it.
extern "C" fn parked_thread(report: *mut libc::c_void) -> *mut libc::c_void {
    let marker = 0u32;
    let report: *mut Parked = report.cast();
    // SAFETY: `await_it` waits for the thread pointer, which is written last.
    unsafe {
        // A page and a half keeps the fiber clear of the frames of this thread.
        (*report).top = (&raw const marker as usize - 6144) & !4095;
        core::ptr::write_volatile(&raw mut (*report).thread_pointer, thread_pointer());
        loop {
            let word = &raw const marker as u64;
            sys::call(libc::SYS_futex, [word, libc::FUTEX_WAIT as u64, 0, 0, 0, 0]);
        }
    }
}

fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: word 2 of the control block is its own address in glibc's ABI.
    unsafe {
        asm!("mov {}, qword ptr fs:[0x10]", out(reg) pointer, options(nostack, readonly, preserves_flags))
    };
    pointer
}

/// A context that enters [`trampoline`] on the thread's own stack, or the one that it was given.
pub fn fresh(thread: ThreadId, given: Option<Given>) -> Context {
    let Parked { top, thread_pointer, .. } = POOL.get()[thread.index()];
    let Some(Given { low, high }) = given else {
        return fresh_with(thread_pointer, top, floating_point());
    };
    if let Some(place) = *STACK_BLOCK.get() {
        // SAFETY: words of the thread's control block, which is put back; as glibc has them.
        unsafe { ((thread_pointer + place) as *mut [usize; 2]).write([low, high - low]) };
    }
    let top = high & !63;
    // SAFETY: the program's own, which it has given; glibc's control block would lie there.
    unsafe { ((top - BEGINNING) as *mut u8).write_bytes(0, BEGINNING) };
    fresh_with(thread_pointer, top, floating_point())
}

/// What [`trampoline`] finds empty: its frame and that of [`fresh_with`].
const BEGINNING: usize = 512;

/// The same for the main thread, which starts with what the constructors left.
pub fn fresh_main() -> Context {
    let Parked { top, thread_pointer, .. } = POOL.get()[ThreadId::MAIN.index()];
    fresh_with(thread_pointer, top, *INITIAL.get())
}

/// The state of the floating-point units: a new thread gets its creator's.
static INITIAL: Global<u64> = Global::new(0);

/// Control words and sticky flags, as [`switch`] keeps them.
fn floating_point() -> u64 {
    let mut words = 0u64;
    // SAFETY: stores six bytes.
    unsafe {
        asm!("stmxcsr dword ptr [{0}]", "fnstcw word ptr [{0} + 4]", in(reg) &raw mut words,
            options(nostack, preserves_flags));
    }
    words
}

fn fresh_with(thread_pointer: usize, top: usize, floating_point: u64) -> Context {
    // As `switch` pops it: FP control words, six registers, return address; then a
    // zero return address that ends backtraces.
    let words: [u64; 9] = [floating_point, 0, 0, 0, 0, 0, 0, trampoline as *const () as u64, 0];
    let stack_pointer = top - core::mem::size_of_val(&words);
    // SAFETY: the top of an unused stack.
    unsafe { (stack_pointer as *mut [u64; 9]).write(words) };
    Context { stack_pointer, thread_pointer }
}

/// Saves the running context in `from` and goes on with `to`.
///
/// # Safety
/// `to` was saved by this function or made by [`fresh`], and is not running.
pub unsafe fn switch(from: *mut Context, to: Context) {
    // SAFETY: as the caller promises. `from.thread_pointer` is already right: a
    // context's thread pointer never changes.
    unsafe {
        if *crate::fiber::FSGSBASE.get() {
            switch_stacks(&raw mut (*from).stack_pointer, to.stack_pointer, to.thread_pointer);
        } else {
            sys::call(libc::SYS_arch_prctl, [0x1002, to.thread_pointer as u64, 0, 0, 0, 0]);
            switch_stacks(&raw mut (*from).stack_pointer, to.stack_pointer, 0);
        }
    }
}

/// Whether user code may write the FS base (Linux 5.9 on, told by the kernel).
static FSGSBASE: Global<bool> = Global::new(false);

pub fn probe() {
    *INITIAL.get() = floating_point();
    // SAFETY: reads the auxiliary vector.
    *FSGSBASE.get() = unsafe { libc::getauxval(libc::AT_HWCAP2) } & 2 != 0;
    type StaticInfo = unsafe extern "C" fn(*mut usize, *mut usize);
    let (mut size, mut align) = (0, 0);
    // SAFETY: a function of the dynamic linker, for its own use, that has had this
    // type since thread-local storage exists. It counts the control block in.
    unsafe {
        let info: StaticInfo =
            core::mem::transmute(crate::interpose::next(c"_dl_get_tls_static_info"));
        info(&mut size, &mut align);
    }
    // SAFETY: a constant that glibc keeps for debuggers.
    let block = unsafe { *crate::interpose::next(c"_thread_db_sizeof_pthread").cast::<u32>() };
    *RESERVED.get() = size;
    let reserved = size.saturating_sub(block as usize);
    *TLS_SIZE.get() = used_storage().map_or(reserved, |used| used.min(reserved));
}

/// How far the static thread-local storage of the loaded files extends below the thread
/// pointer: what glibc has reserved beyond is for files that come later, and most of it. None
/// if there is a file whose storage is not known.
fn used_storage() -> Option<usize> {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _: usize,
        used: *mut libc::c_void,
    ) -> i32 {
        // SAFETY: libc gives valid headers; `used` is the one below.
        unsafe {
            let (info, used) = (&*info, &mut *used.cast::<Option<usize>>());
            let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize);
            if headers.iter().any(|h| h.p_type == libc::PT_TLS) {
                let start = info.dlpi_tls_data as usize;
                *used = used.filter(|_| start != 0).map(|used| {
                    // What lies elsewhere is not static.
                    let below = thread_pointer().wrapping_sub(start);
                    if below < STATIC { used.max(below) } else { used }
                });
            }
            0
        }
    }
    let mut used = Some(0);
    // SAFETY: `visit` gets `used` back.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut used).cast()) };
    used
}

/// More than there can be of static thread-local storage.
const STATIC: usize = 1 << 28;

impl Context {
    /// Control words and sticky flags of a context that does not run.
    pub fn floating_point(&self) -> u64 {
        // SAFETY: `switch_stacks` has put them where the stack ends.
        unsafe { *(self.stack_pointer as *const u64) }
    }
}

/// The same of the running one.
pub fn own_floating_point() -> u64 {
    floating_point()
}

/// rdi: where to save the stack pointer, rsi: the new one, rdx: the new FS base or 0.
#[unsafe(naked)]
unsafe extern "C" fn switch_stacks(save: *mut usize, load: usize, thread_pointer: usize) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr dword ptr [rsp]",
        "fnstcw word ptr [rsp + 4]",
        "mov eax, dword ptr [rsp]",
        "movzx ecx, word ptr [rsp + 4]",
        "mov qword ptr [rdi], rsp",
        "mov rsp, rsi",
        "test rdx, rdx",
        "jz 2f",
        "wrfsbase rdx",
        "2:",
        // Mostly they are the same, and loading them takes longer than the rest.
        "cmp eax, dword ptr [rsp]",
        "je 3f",
        "ldmxcsr dword ptr [rsp]",
        "3:",
        "cmp cx, word ptr [rsp + 4]",
        "je 4f",
        "fldcw word ptr [rsp + 4]",
        "4:",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Where a fiber starts: registers the place to which `pthread_exit` unwinds (in
/// assembly, because `setjmp` returns twice), runs the thread, and finishes it.
/// 256 bytes hold glibc's unwind buffer, zero as all of a new stack is; 8 more align the
/// stack.
#[unsafe(naked)]
unsafe extern "C" fn trampoline() {
    naked_asm!(
        "xor ebp, ebp",
        "sub rsp, 264",
        "mov rdi, rsp",
        "call _setjmp@PLT",
        "test eax, eax",
        "jnz 2f",
        "mov rdi, rsp",
        "call __pthread_register_cancel@PLT",
        "call __leno_begin_thread@PLT",
        "2:",
        "call __leno_end_thread@PLT",
        "ud2",
    )
}
