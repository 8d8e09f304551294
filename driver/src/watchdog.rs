//! An execution that stands still where leno does not look: in a system call that is not
//! modelled (a read from a terminal, `poll`, a futex inside a library), or in a loop of code
//! that is not instrumented. The runtime is not asked there, and all threads are one thread of
//! the kernel's, so nothing would ever happen again.
//!
//! What is looked at: whether the execution has passed a hook, which the runtime counts in the
//! journal, and what the kernel says of its process. A process that sleeps, uses no time and
//! passes no hook for as long as the user has patience is stuck. One that computes gets ten times
//! as long: a library may well have to do for a while. While the runtime itself computes,
//! between executions, no process is noted in the journal and none is watched; and a process
//! that only waits for its turn on a loaded machine does not sleep.

use crate::program::Journal;
use leno_model::wire::LastHook;
use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// How much longer a process may compute than sleep.
const COMPUTING: u32 = 10;

/// How often it is looked.
const EVERY: Duration = Duration::from_millis(200);

pub struct Watchdog {
    /// None: for ever.
    patience: Option<Duration>,
    /// A process that waits for its output to be read is not stuck.
    shows_output: bool,
    looked: Instant,
    /// The process and its hooks, and since when they are the same.
    hooks: (i32, u32),
    hooks_since: Instant,
    /// The time that the process has used, while it sleeps, and since when.
    asleep: Option<(u64, Instant)>,
}

/// Where an execution stands that will not go on.
#[derive(Debug)]
pub struct Stuck {
    pub last: LastHook,
    /// What it does, as a clause: `has been waiting for 10s …`.
    pub does: String,
}

impl Watchdog {
    pub fn new(patience: Duration, shows_output: bool) -> Self {
        let now = Instant::now();
        Self {
            patience: Some(patience).filter(|patience| !patience.is_zero()),
            shows_output,
            looked: now,
            hooks: (0, 0),
            hooks_since: now,
            asleep: None,
        }
    }

    /// Has a look, if it is time to.
    pub fn look(&mut self, journal: &Journal) -> Option<Stuck> {
        let (patience, now) = (self.patience?, Instant::now());
        if now - self.looked < EVERY {
            return None;
        }
        self.looked = now;
        let last = journal.last_hook()?;
        let hooks = (last.process, last.passed);
        if last.process == 0 || hooks != self.hooks {
            (self.hooks, self.hooks_since, self.asleep) = (hooks, now, None);
            return None;
        }
        let (state, used) = process(last.process)?;
        match (state, self.asleep) {
            // Somebody looks at it with a debugger, or it is stopped, which is seen elsewhere.
            ('t' | 'T', _) => (self.hooks_since, self.asleep) = (now, None),
            ('S', Some((before, since))) if before == used => {
                if now - since >= patience {
                    let call = call(last.process);
                    if self.shows_output && call.as_ref().is_some_and(Call::writes) {
                        self.asleep = None;
                        return None;
                    }
                    let call = call.map_or_else(String::new, |call| call.words(last.process));
                    let does = format!("has been waiting for {patience:?}{call}");
                    return Some(Stuck { last, does });
                }
            }
            ('S', _) => self.asleep = Some((used, now)),
            _ => self.asleep = None,
        }
        let longer = patience * COMPUTING;
        (now - self.hooks_since >= longer && state == 'R').then(|| {
            let does = format!("has been computing for {longer:?}");
            Stuck { last, does }
        })
    }
}

/// The state of a process and the time it has used, in the kernel's ticks.
fn process(number: i32) -> Option<(char, u64)> {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    // Behind the name, which is in parentheses and may hold any.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let mut times = fields.skip(10).map(|field| field.parse::<u64>().unwrap_or(0));
    Some((state, times.next()? + times.next()?))
}

/// A system call that a process is in.
struct Call {
    number: i64,
    first: u64,
    /// Where the instruction is.
    at: u64,
}

/// None if the kernel does not say.
fn call(process: i32) -> Option<Call> {
    let text = fs::read_to_string(format!("/proc/{process}/syscall")).ok()?;
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    let hexadecimal = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    Some(Call {
        number: fields.first()?.parse().ok()?,
        first: hexadecimal(fields.get(1)?)?,
        at: hexadecimal(fields.last()?)?,
    })
}

/// Calls that a process may wait in; those in the second list for a descriptor.
const WAITING: [(i64, &str); 15] = [
    (libc::SYS_futex, "futex"),
    (libc::SYS_poll, "poll"),
    (libc::SYS_ppoll, "ppoll"),
    (libc::SYS_select, "select"),
    (libc::SYS_pselect6, "pselect6"),
    (libc::SYS_epoll_wait, "epoll_wait"),
    (libc::SYS_epoll_pwait, "epoll_pwait"),
    (libc::SYS_nanosleep, "nanosleep"),
    (libc::SYS_clock_nanosleep, "clock_nanosleep"),
    (libc::SYS_pause, "pause"),
    (libc::SYS_rt_sigsuspend, "rt_sigsuspend"),
    (libc::SYS_rt_sigtimedwait, "rt_sigtimedwait"),
    (libc::SYS_wait4, "wait4"),
    (libc::SYS_waitid, "waitid"),
    (libc::SYS_msgrcv, "msgrcv"),
];
const WAITING_FOR: [(i64, &str); 13] = [
    (libc::SYS_read, "read"),
    (libc::SYS_readv, "readv"),
    (libc::SYS_pread64, "pread64"),
    (libc::SYS_write, "write"),
    (libc::SYS_writev, "writev"),
    (libc::SYS_recvfrom, "recvfrom"),
    (libc::SYS_recvmsg, "recvmsg"),
    (libc::SYS_sendto, "sendto"),
    (libc::SYS_sendmsg, "sendmsg"),
    (libc::SYS_accept, "accept"),
    (libc::SYS_accept4, "accept4"),
    (libc::SYS_connect, "connect"),
    (libc::SYS_flock, "flock"),
];

impl Call {
    fn writes(&self) -> bool {
        matches!(self.number, libc::SYS_write | libc::SYS_writev)
    }

    /// ` in the system call read of descriptor 3, made by libc.so.6`.
    fn words(&self, process: i32) -> String {
        let named = |list: &[(i64, &'static str)]| {
            list.iter().find(|(number, _)| *number == self.number).map(|(_, name)| *name)
        };
        let what = match (named(&WAITING), named(&WAITING_FOR)) {
            (Some(name), _) => name.to_string(),
            (_, Some(name)) => format!("{name} of descriptor {}", self.first),
            _ => format!("number {}", self.number),
        };
        let by = file_at(process, self.at).map_or_else(String::new, |by| format!(", made by {by}"));
        format!(" in the system call {what}{by}")
    }
}

/// The name of the file that an address of a process belongs to.
fn file_at(process: i32, address: u64) -> Option<String> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
    let path = maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (start, end) = range.split_once('-')?;
        let number = |text: &str| u64::from_str_radix(text, 16).ok();
        let inside = (number(start)?..number(end)?).contains(&address);
        rest.split_ascii_whitespace().nth(4).filter(|_| inside)
    })?;
    Some(Path::new(path).file_name()?.to_string_lossy().into_owned())
}
