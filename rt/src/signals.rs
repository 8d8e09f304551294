//! Fatal signals: a thread that crashes has failed.

use crate::{
    cell::Global,
    channel, describe,
    execution::{self, running},
    fiber,
    kernel::handlers,
    snapshot, stacks, sys,
    trace::FailureText,
};
use core::sync::atomic::{Ordering, compiler_fence};
use leno_model::{Property, object::Object, wire::Message};

const FATAL: [(i32, &str); 6] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGABRT, "SIGABRT"),
    (libc::SIGTRAP, "SIGTRAP"),
];

/// Others that end a process.
const DEADLY: [(i32, &str); 13] = [
    (libc::SIGHUP, "SIGHUP"),
    (libc::SIGINT, "SIGINT"),
    (libc::SIGQUIT, "SIGQUIT"),
    (libc::SIGKILL, "SIGKILL"),
    (libc::SIGUSR1, "SIGUSR1"),
    (libc::SIGUSR2, "SIGUSR2"),
    (libc::SIGPIPE, "SIGPIPE"),
    (libc::SIGALRM, "SIGALRM"),
    (libc::SIGTERM, "SIGTERM"),
    (libc::SIGVTALRM, "SIGVTALRM"),
    (libc::SIGPROF, "SIGPROF"),
    (libc::SIGXCPU, "SIGXCPU"),
    (libc::SIGSYS, "SIGSYS"),
];

pub fn name(number: i32) -> &'static str {
    FATAL.iter().chain(&DEADLY).find(|(n, _)| *n == number).map_or("a signal", |(_, name)| name)
}

/// Whether a handler is the one that stands for the default action.
pub fn is_ours(handler: usize) -> bool {
    handler == caught as *const () as usize
}

const STACK: usize = 1 << 18;

/// Catches the signals, on a stack of our own: the program's may have overflowed.
pub fn install() {
    let Some(stack) = sys::map_own(STACK, sys::Backing::Private) else { return };
    // SAFETY: plain use of sigaltstack and sigaction.
    unsafe {
        let alternate = libc::stack_t { ss_sp: stack.cast(), ss_flags: 0, ss_size: STACK };
        libc::sigaltstack(&alternate, core::ptr::null_mut());
        for (number, _) in FATAL {
            let mut action: libc::sigaction = core::mem::zeroed();
            action.sa_sigaction = caught as *const () as usize;
            // The thread never returns from the handler, so the signal must not stay blocked.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigaction(number, &action, core::ptr::null_mut());
        }
    }
}

/// A signal that is being described: its number, and what it is called. The program's memory is
/// looked at for that.
static DESCRIBING: Global<Option<(i32, &str)>> = Global::new(None);

/// A signal has come in the middle of a report: what it would show was damaged by the program. It
/// is made without that.
fn ends_report() -> ! {
    const DAMAGED: &str = "what a report would show of a stack could not be read: the program has \
                           written over it";
    channel::send(&Message::Notice(DAMAGED.into()));
    if let Some(property) = execution::failing() {
        execution::has_failed(property);
    }
    let (number, name) = DESCRIBING.get().take().expect("a report is being made");
    crashes(number, name, None)
}

fn crashes(number: i32, name: &'static str, object: Option<Object>) -> ! {
    let number = number as u32;
    let site = running().expect("threads crash in an execution").thread().last_site;
    execution::fail(Property::Crash, number, site, FailureText::Signal { number, name, object })
}

type Handler = extern "C" fn(i32, *const libc::siginfo_t, *mut libc::c_void);

extern "C" fn caught(number: i32, info: *const libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel gives a valid siginfo; this signal has an address.
    if number == libc::SIGSEGV && snapshot::first_write(unsafe { (*info).si_addr() } as usize) {
        return;
    }
    if running().is_none() || execution::is_over() {
        // SAFETY: with the default action the signal comes again and ends the process.
        unsafe { libc::signal(number, libc::SIG_DFL) };
        return;
    }
    if DESCRIBING.get().is_some() || execution::failing().is_some() {
        ends_report();
    }
    if let Some(action) = handlers::fault().filter(|_| number == libc::SIGSEGV)
        && !matches!(action.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN)
    {
        execution::settles_no_more();
        if action.sa_flags & libc::SA_RESETHAND != 0 {
            *handlers::fault() = None;
        }
        // SAFETY: the program's handler; one that takes fewer arguments ignores the rest.
        let handler: Handler = unsafe { core::mem::transmute(action.sa_sigaction) };
        // SAFETY: the kernel gives a valid context.
        let interrupted = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        let top = stacks::protect(interrupted[libc::REG_RSP as usize] as usize);
        handler(number, info, context);
        *stacks::TOP.get() = top;
        return;
    }
    let mut name = name(number);
    let mut object = None;
    if number == libc::SIGSEGV || number == libc::SIGBUS {
        // SAFETY: the kernel gives a valid siginfo; the address is there for these signals.
        let addr = unsafe { (*info).si_addr() } as usize;
        // SAFETY: the kernel gives a valid context.
        let registers = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
        if fiber::is_guard(addr, registers[libc::REG_RSP as usize] as usize) {
            name = execution::STACK_OVERFLOW;
        } else {
            *DESCRIBING.get() = Some((number, name));
            // A fault may come here, and this function looks at it then.
            compiler_fence(Ordering::SeqCst);
            object = Some(describe::object(addr as u64));
            *DESCRIBING.get() = None;
        }
    }
    crashes(number, name, object)
}
