//! The runtime's own stacks, and how the program gets there and back.
//!
//! A program may read its stack before it writes it. What it finds must be the same bytes
//! each time, in place and in a process of its own, whether an access is an event or not: what
//! the program or libc left there, and nothing of the runtime's. So the runtime works on a
//! stack of its own, one for each thread, because a thread stands in the middle of the
//! runtime while another one runs. A function that the program calls has a thunk in front
//! (`#[entry]`, in `entry/`), which goes over to that stack and, on the way back, clears the
//! registers that a call may change: a compiler takes a variable that nobody has written
//! from any of them.
//!
//! The rules that the thunks rely on:
//!
//! - **While the program runs, its thread's stack of the runtime is empty.** So a thunk always
//!   begins at its top, and it does not matter how the program left whatever it was in: by a
//!   return, an exception, `longjmp`, the end of the thread.
//! - Who is on the runtime's stack already, because libc calls `malloc` on the runtime's behalf,
//!   stays where it is; and so does everybody outside an execution. One comparison of the stack
//!   pointer tells.
//! - So the runtime does not call the program, but for handlers that interrupt it
//!   ([`interrupt`]). It asks for a call ([`call`]) and returns; the
//!   thunk (`#[entry(calls)]`) makes it on the program's stack and goes on with what is to be
//!   done then. This holds for libc's functions that may call the program, too.
//! - A thunk has a frame on the program's stack like any function, with its unwind table: an
//!   exception, a backtrace and a debugger find their way from the runtime's stack to the
//!   program's. The unwinder in glibc wants the frames of a thread below the top of its stack,
//!   where the runtime's are (`fiber.rs`).
//!
//! What is left on the program's stack by a thunk is a return address and the frame pointer of
//! its caller.

use crate::{cell::Global, execution};
use core::arch::naked_asm;

/// How large a stack of the runtime is. An event with a tracer uses some kilobytes; libc's
/// functions that the runtime calls do with some more (a path or two).
pub const SIZE: usize = 256 << 10;

/// The top of the running thread's stack of the runtime.
pub static TOP: Global<usize> = Global::new(0);

/// Who is less than this below the top does not change stacks.
pub static SPAN: Global<usize> = Global::new(EVERYWHERE);

const EVERYWHERE: usize = usize::MAX;

/// An execution begins: the program is entered.
pub fn begin() {
    *SPAN.get() = SIZE;
}

/// The execution is over: all that runs is the host, on the process's stack.
pub fn end() {
    *SPAN.get() = EVERYWHERE;
}

/// Where the program's stack stood when its running thread entered the runtime. All that is
/// in use lies above.
pub fn program() -> usize {
    program_of(*TOP.get())
}

/// The same for the thread whose stack of the runtime has this top.
pub fn program_of(top: usize) -> usize {
    // SAFETY: the thunk keeps it there; a thread that has started has come by one.
    unsafe { *((top - 8) as *const usize) }
}

/// The program's handler is about to be called for a fault. If that was the runtime's, in a
/// function of libc's that was given a bad pointer, what is in use of the runtime's stack stays
/// as it is. Gives the top to be put back.
pub fn protect(interrupted: usize) -> usize {
    let top = *TOP.get();
    if top.wrapping_sub(interrupted) < SIZE {
        *TOP.get() = (interrupted - RED_ZONE) & !15;
    }
    top
}

/// Calls a handler of the program's in the middle of the runtime, with a number and the place
/// of a value. What is in use of the runtime's stack stays as it is meanwhile: that of the
/// handler begins below. This is the one way in which the runtime calls the program itself. A
/// handler need not return: a jump out of it gives back what is no longer in use
/// (`execution::leaves_handlers`), and the end of its thread does so anyway.
#[inline(never)]
pub fn interrupt<T>(handler: usize, number: u64, value: T) {
    let (top, program) = (*TOP.get(), program());
    let stack = (program - RED_ZONE - size_of::<T>()) & !63;
    let lowered = (&raw const top as usize - ROOM) & !15;
    // SAFETY: below what is in use of the program's stack, and of the runtime's.
    unsafe {
        (stack as *mut T).write(value);
        ((lowered - 8) as *mut usize).write(stack);
    }
    execution::has_top(lowered);
    execution::begins_handler(stack, lowered);
    // SAFETY: the program's handler; one that takes fewer arguments ignores the rest.
    unsafe { on_stack(number, stack as u64, 0, stack, handler) };
    execution::ends_handler();
    execution::has_top(top);
}

/// What the frames between [`interrupt`] and the handler take.
const ROOM: usize = 4096;

/// Calls a function with three arguments on another stack.
#[unsafe(naked)]
unsafe extern "C" fn on_stack(a: u64, b: u64, c: u64, stack: usize, function: usize) {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov rsp, rcx",
        "xor eax, eax",
        "call r8",
        "mov rsp, rbp",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
    )
}

/// What a function may use below its stack pointer.
const RED_ZONE: usize = 128;

/// A function that the thunk is to call on the program's stack, and what then.
#[repr(C)]
struct Call {
    function: usize,
    arguments: [u64; 3],
    then: Then,
    state: [u64; 2],
    /// Bytes below the thunk's frame that the arguments lie in.
    room: usize,
}

/// Goes on when the program has returned, with the result and what was kept; gives the result
/// of the entry, unless it asks for one more call.
pub type Then = extern "C" fn(u64, u64, u64) -> u64;

static CALL: Global<Call> =
    Global::new(Call { function: 0, arguments: [0; 3], then: result, state: [0; 2], room: 0 });

/// The result is that of the function.
pub extern "C" fn result(result: u64, _: u64, _: u64) -> u64 {
    result
}

/// Has a function called when the runtime returns to the program, instead of giving a result,
/// and `then` behind it. For functions that are entered by `#[entry(calls)]`.
pub fn call(function: usize, arguments: [u64; 3], then: Then, state: [u64; 2]) {
    let call = CALL.get();
    assert!(call.function == 0, "one call is made at a time");
    // 0 stands for "no call" there.
    let function = if function == 0 { null as *const () as usize } else { function };
    *call = Call { function, arguments, then, state, room: 0 };
}

/// A call of a null pointer: the fault is the program's.
#[unsafe(naked)]
unsafe extern "C" fn null() {
    naked_asm!("xor eax, eax", "jmp rax")
}

/// Whether a call is to be made.
pub fn calls() -> bool {
    CALL.get().function != 0
}

/// Has the function of [`call`] run further down the program's stack: so many bytes, of which
/// 16 are a multiple, stay as they are.
pub fn leave_room(bytes: usize) {
    CALL.get().room = bytes;
}

/// Has the function of [`call`] given, as its second argument, the place of a value on the
/// program's stack.
pub fn pass<T>(value: T) {
    let call = CALL.get();
    call.room = size_of::<T>().next_multiple_of(16) + KEPT;
    let place = (program() - call.room) as *mut T;
    // SAFETY: below the program's stack pointer, where nobody else is; the thunk makes the
    // call further below.
    unsafe { place.write(value) };
    call.arguments[1] = place as u64;
}

/// What a calling thunk keeps in its frame: `then` and its state, and 8 bytes for alignment.
const KEPT: usize = 32;

/// The common part of the thunks of functions that have the program called. r10: the function.
/// At most one argument is on the stack (`syscall` has seven).
#[unsafe(naked)]
pub unsafe extern "C" fn calling() {
    naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "mov r11, qword ptr [rip + {top}]",
        "mov rax, r11",
        "sub rax, rsp",
        "cmp rax, qword ptr [rip + {span}]",
        "jb 2f",
        "mov qword ptr [r11 - 8], rbp",
        "lea rsp, [r11 - 16]",
        "2:",
        "push 0",
        "push qword ptr [rbp + 16]",
        "call r10",
        // The loop: is there something to call?
        "3:",
        "mov rsp, rbp",
        "mov r11, qword ptr [rip + {call}]",
        "test r11, r11",
        "jz 5f",
        "mov qword ptr [rip + {call}], 0",
        "push qword ptr [rip + {call} + 40]",
        "push qword ptr [rip + {call} + 48]",
        "push qword ptr [rip + {call} + 32]",
        "push 0",
        "sub rsp, qword ptr [rip + {call} + 56]",
        "mov rdi, qword ptr [rip + {call} + 8]",
        "mov rsi, qword ptr [rip + {call} + 16]",
        "mov rdx, qword ptr [rip + {call} + 24]",
        "xor eax, eax",
        "xor ecx, ecx",
        "call r11",
        "mov rdi, rax",
        "mov rsi, qword ptr [rbp - 8]",
        "mov rdx, qword ptr [rbp - 16]",
        "mov rcx, qword ptr [rbp - 24]",
        "mov r11, qword ptr [rip + {top}]",
        "mov rax, r11",
        "sub rax, rsp",
        "cmp rax, qword ptr [rip + {span}]",
        "jb 4f",
        "mov qword ptr [r11 - 8], rbp",
        "lea rsp, [r11 - 16]",
        "4:",
        "call rcx",
        "jmp 3b",
        "5:",
        "pop rbp",
        ".cfi_def_cfa rsp, 8",
        ".irp register, ecx, edx, esi, edi, r8d, r9d, r10d, r11d",
        "xor \\register, \\register",
        ".endr",
        ".irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
        "xorps xmm\\number, xmm\\number",
        ".endr",
        "ret",
        ".cfi_endproc",
        top = sym TOP,
        span = sym SPAN,
        call = sym CALL,
    )
}
