//! Random small C programs that use threads, for comparing searches with each other.
//!
//! A program logs every value that it reads and prints a number made of all of them at its
//! end, in a line that starts with [`PREFIX`]: the set of its lines over all executions is
//! what can happen. Statements are data, which makes a failing program easy to shrink.

use std::fmt::Write as _;

/// What the lines of results begin with; other output may stand between them.
pub const PREFIX: &str = "leno-result:";

const ATOMICS: u32 = 2;
const PLAINS: u32 = 2;
const MUTEXES: u32 = 2;

#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    Load(u32),
    Store(u32, u32),
    Add(u32, u32),
    Exchange(u32, u32, u32),
    PlainRead(u32),
    PlainWrite(u32, u32),
    Locked(u32, Vec<Statement>),
    TryLocked(u32, Vec<Statement>),
    /// Waits for a flag under the first mutex, once and without a loop.
    AwaitFlag,
    /// Sets the flag and wakes one or all.
    SetFlag(bool),
    /// On the value of an atomic.
    Branch(u32, u32, Vec<Statement>, Vec<Statement>),
    Assert(u32, u32),
    /// As one step; accesses only.
    Section(Vec<Statement>),
    Locking(Locking, Vec<Statement>),
    Simple(Simple),
    /// A thread of its own that runs these, and what becomes of it after the others.
    Spawn(Vec<Statement>, Vec<Statement>, Joining),
    /// A cleanup handler around a block, and whether it is run at the end of it.
    Cleanup(Vec<Statement>, bool),
}

/// A lock around a block, which is left out where it is not acquired.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Locking {
    Timed,
    Clock,
    Read,
    Write,
    TryRead,
    TryWrite,
    TimedRead,
    TimedWrite,
    Spin,
    TrySpin,
    Recursive,
    /// Error-checking.
    Checking,
    /// Robust: who gets it after an owner that has ended makes it consistent.
    Robust,
}

/// What has no parts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Simple {
    Post,
    Take,
    TryTake,
    TimedTake,
    Value,
    Once,
    /// A barrier for two.
    Meet,
    FutexWait,
    FutexWake,
    TestCancel,
    /// Requests to cancel this thread are left aside from here on.
    NoCancel,
    /// Ends the thread, whatever it has locked.
    End,
    /// Gives the thread a value of its own, with a destructor.
    Own,
    /// Waits under the first mutex, for a limited time.
    TimedAwait,
    /// Keeps the signal that others send for later.
    Block,
    /// Takes such a signal.
    TakeSignal,
    /// A loop that waits, by an update that changes nothing.
    Spin,
    /// One that gives up when its time is over.
    SpinUntil,
    /// One of two.
    Choose,
    /// An input, which may be two values.
    Input,
    Assume,
    /// A compare-exchange that may fail for no reason.
    WeakExchange,
    /// Puts a new block in the place of the one that is there, which it frees.
    Replace,
    /// Looks into the block that is there.
    Use,
}

/// What a thread does with the one that it has created.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Joining {
    Join,
    Try,
    Timed,
    Cancel,
    Detach,
    /// Detached from the beginning.
    Detached,
    Signal,
}

/// The statements of main's threads, and of main itself between creating and joining.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    pub threads: Vec<Vec<Statement>>,
    pub main: Vec<Statement>,
}

/// Steele and Vigna's SplitMix64: small, and the same for ever.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u32) -> u32 {
        (self.next() % u64::from(bound)) as u32
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// One of `count` variables; the first is the most likely, so that threads meet.
    fn variable(&mut self, count: u32) -> u32 {
        self.below(2) * self.below(count)
    }
}

const SIMPLE: [Simple; 26] = [
    Simple::Post,
    Simple::Post,
    Simple::Take,
    Simple::Take,
    Simple::TryTake,
    Simple::TimedTake,
    Simple::Value,
    Simple::Once,
    Simple::Meet,
    Simple::FutexWait,
    Simple::FutexWake,
    Simple::TestCancel,
    Simple::NoCancel,
    Simple::End,
    Simple::Own,
    Simple::TimedAwait,
    Simple::Block,
    Simple::TakeSignal,
    Simple::Spin,
    Simple::SpinUntil,
    Simple::Choose,
    Simple::Input,
    Simple::Assume,
    Simple::WeakExchange,
    Simple::Replace,
    Simple::Use,
];
const LOCKING: [Locking; 14] = [
    Locking::Timed,
    Locking::Clock,
    Locking::Read,
    Locking::Write,
    Locking::Write,
    Locking::TryRead,
    Locking::TryWrite,
    Locking::TimedRead,
    Locking::TimedWrite,
    Locking::Spin,
    Locking::TrySpin,
    Locking::Recursive,
    Locking::Checking,
    Locking::Robust,
];
const JOINING: [Joining; 9] = [
    Joining::Join,
    Joining::Try,
    Joining::Timed,
    Joining::Cancel,
    Joining::Cancel,
    Joining::Detach,
    Joining::Detached,
    Joining::Signal,
    Joining::Signal,
];

/// The program of a seed. It has few events, because one of the searches is naive.
pub fn generate(seed: u64) -> Program {
    let mut random = Random(seed);
    let mut budget = 5 + random.below(3);
    let count = if random.below(4) == 0 { 3 } else { 2 };
    let mut threads = vec![Vec::new(); count as usize];
    let mut main = Vec::new();
    while budget > 0 {
        // Main, which has to create and to join besides, gets little.
        let which = random.below(4 * count + 1) as usize / 4;
        let statement = statement(&mut random, &mut budget, 0);
        threads.get_mut(which).unwrap_or(&mut main).push(statement);
    }
    Program { threads, main }
}

fn statement(random: &mut Random, budget: &mut u32, depth: u32) -> Statement {
    *budget = budget.saturating_sub(1);
    // Compound statements stop two levels down and when there is nothing left to fill them.
    let kinds = if depth < 2 && *budget > 1 { 25 } else { 14 };
    let (atomic, value) = (random.variable(ATOMICS), random.below(3));
    let mut block = |random: &mut Random| {
        let length = 1 + random.below(2);
        (0..length).map(|_| statement(random, budget, depth + 1)).collect::<Vec<_>>()
    };
    match random.below(kinds) {
        0 | 1 => Statement::Load(atomic),
        2 | 3 => Statement::Store(atomic, 1 + value),
        4 => Statement::Add(atomic, 1),
        5 => Statement::Exchange(atomic, random.below(2), 1 + value),
        6 => Statement::PlainRead(random.variable(PLAINS)),
        7 | 8 => Statement::PlainWrite(random.variable(PLAINS), 1 + value),
        9 => Statement::Assert(atomic, 1 + value),
        10..=13 => Statement::Simple(random.pick(&SIMPLE)),
        14 | 15 => Statement::Locked(random.variable(MUTEXES), block(random)),
        16 => Statement::TryLocked(random.variable(MUTEXES), block(random)),
        17 => Statement::Branch(atomic, random.below(2), block(random), block(random)),
        18 => Statement::AwaitFlag,
        19 => Statement::SetFlag(random.below(2) == 0),
        20 | 21 => Statement::Locking(random.pick(&LOCKING), block(random)),
        22 => Statement::Section((0..2).map(|_| access(random)).collect()),
        23 => Statement::Cleanup(block(random), random.below(2) == 0),
        _ => Statement::Spawn(block(random), block(random), random.pick(&JOINING)),
    }
}

/// A statement that only accesses memory.
fn access(random: &mut Random) -> Statement {
    let (atomic, value) = (random.variable(ATOMICS), random.below(3));
    match random.below(6) {
        0 => Statement::Load(atomic),
        1 => Statement::Store(atomic, 1 + value),
        2 => Statement::Add(atomic, 1),
        3 => Statement::PlainRead(random.variable(PLAINS)),
        4 => Statement::Assert(atomic, 1 + value),
        _ => Statement::PlainWrite(random.variable(PLAINS), 1 + value),
    }
}

impl Program {
    /// The program as C. Mutexes are not taken twice by one thread on purpose, but it may
    /// happen: that is a deadlock, and both searches must see it.
    pub fn to_c(&self) -> String {
        let mut writer = Writer::default();
        let bodies: Vec<_> = self.threads.iter().map(|body| writer.thread(body)).collect();
        let main_body = writer.block(&self.main, 1);
        let mut text = format!("{HEAD}{}int main(void)\n{{\n    LOG_STARTS;\n", writer.functions);
        for (object, init) in INITIALISED {
            if writer.functions.contains(object) || main_body.contains(object) {
                text += &format!("    {init}\n");
            }
        }
        for number in &bodies {
            text += &format!("    pthread_t t{number};\n");
            text += &format!("    pthread_create(&t{number}, NULL, thread{number}, NULL);\n");
        }
        text += &main_body;
        for number in &bodies {
            text += &format!("    JOIN(t{number});\n");
        }
        text += &format!("    printf(\"{PREFIX} %lx %d %d %d %d\\n\", log, a0, a1, p0, p1);\n");
        text + "    fflush(stdout);\n    return 0;\n}\n"
    }

    /// Programs that are a little smaller: one statement less, or a block without its head.
    pub fn smaller(&self) -> Vec<Program> {
        let mut found = Vec::new();
        if self.threads.len() > 1 {
            for at in 0..self.threads.len() {
                let mut program = self.clone();
                program.threads.remove(at);
                found.push(program);
            }
        }
        for at in 0..self.threads.len() {
            found.extend(smaller(&self.threads[at]).into_iter().map(|body| {
                let mut program = self.clone();
                program.threads[at] = body;
                program
            }));
        }
        let mains = smaller(&self.main).into_iter();
        found.extend(mains.map(|main| Program { main, ..self.clone() }));
        found
    }
}

fn smaller(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut found = Vec::new();
    for (at, statement) in body.iter().enumerate() {
        let mut with = |replacement: Vec<Statement>| {
            found.push([&body[..at], &replacement, &body[at + 1..]].concat());
        };
        with(Vec::new());
        // Without its head, and with a smaller block.
        match statement {
            Statement::Locked(mutex, inner) => {
                with(inner.clone());
                smaller(inner).into_iter().for_each(|i| with(vec![Statement::Locked(*mutex, i)]));
            }
            Statement::TryLocked(mutex, inner) => {
                with(inner.clone());
                let less = smaller(inner).into_iter();
                less.for_each(|i| with(vec![Statement::TryLocked(*mutex, i)]));
            }
            Statement::Locking(how, inner) => {
                with(inner.clone());
                smaller(inner).into_iter().for_each(|i| with(vec![Statement::Locking(*how, i)]));
            }
            Statement::Section(inner) => {
                with(inner.clone());
                smaller(inner).into_iter().for_each(|i| with(vec![Statement::Section(i)]));
            }
            Statement::Cleanup(inner, run) => {
                with(inner.clone());
                smaller(inner).into_iter().for_each(|i| with(vec![Statement::Cleanup(i, *run)]));
            }
            Statement::Branch(a, v, one, other) => {
                with(one.clone());
                with(other.clone());
                let branch = |one, other| vec![Statement::Branch(*a, *v, one, other)];
                smaller(one).into_iter().for_each(|one| with(branch(one, other.clone())));
                smaller(other).into_iter().for_each(|other| with(branch(one.clone(), other)));
            }
            Statement::Spawn(one, other, joining) => {
                with(one.clone());
                with(other.clone());
                let spawn = |one, other| vec![Statement::Spawn(one, other, *joining)];
                smaller(one).into_iter().for_each(|one| with(spawn(one, other.clone())));
                smaller(other).into_iter().for_each(|other| with(spawn(one.clone(), other)));
            }
            _ => {}
        }
    }
    found
}

const RW_UNLOCK: &str = "rwlock_unlock(&rwlock)";

/// Objects that are not initialised statically, by how their uses begin.
const INITIALISED: [(&str, &str); 7] = [
    ("sem_", "sem_init(&sem, 0, 0);"),
    ("pthread_barrier_wait", "pthread_barrier_init(&barrier, NULL, 2);"),
    ("pthread_kill", "signal(SIGUSR1, on_signal);"),
    ("pthread_spin_", "pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);"),
    ("pthread_setspecific", "pthread_key_create(&key, on_end);"),
    ("lock_robust", "make_robust();"),
    ("&detached", "make_detached();"),
];

const HEAD: &str = "\
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <leno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern int __VERIFIER_nondet_int(void);

static atomic_int a0, a1;
static _Atomic(int *) block;
static int p0, p1, flag;
static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t sem;
static pthread_key_t key;
static pthread_attr_t detached;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t robust;
static const struct timespec soon = { 1, 0 };

static void make(void)
{
    p0++;
}

static void on_signal(int number)
{
    (void)number;
    atomic_store(&a1, 1 + atomic_load(&a0));
}

/* A destructor of a key's values and a cleanup handler. */
static void on_end(void *unused)
{
    (void)unused;
    atomic_fetch_add(&a1, 2);
}

static sigset_t usr1(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    return set;
}

static void make_robust(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
}

static int lock_robust(void)
{
    int result = pthread_mutex_lock(&robust);
    if (result != EOWNERDEAD)
        return result;
    atomic_fetch_add(&a0, 3);
    return pthread_mutex_consistent(&robust);
}

static void make_detached(void)
{
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
}

/* What a thread has read: a local number, because logging must be no event. It is also
   what the thread returns, and goes into the log of the thread that joins it. */
#define LOG_STARTS unsigned long log = 1
#define LOG(value) (log = log * 31 + (unsigned long)(value) + 2)
#define JOIN(thread) do { void *result; pthread_join(thread, &result); LOG(result); } while (0)

";

#[derive(Default)]
struct Writer {
    functions: String,
    threads: u32,
}

impl Writer {
    /// Writes a thread's function and gives its number.
    fn thread(&mut self, body: &[Statement]) -> u32 {
        let body = self.block(body, 1);
        let number = self.threads;
        self.threads += 1;
        writeln!(self.functions, "static void *thread{number}(void *unused)\n{{")
            .expect("no failure");
        self.functions.push_str("    (void)unused;\n    LOG_STARTS;\n");
        self.functions.push_str(&body);
        self.functions.push_str("    return (void *)log;\n}\n\n");
        number
    }

    fn block(&mut self, body: &[Statement], depth: usize) -> String {
        body.iter().map(|statement| self.statement(statement, depth)).collect()
    }

    fn statement(&mut self, statement: &Statement, depth: usize) -> String {
        let pad = "    ".repeat(depth);
        let log = |value: String| format!("{pad}LOG({value});\n");
        match statement {
            Statement::Load(a) => log(format!("atomic_load(&a{a})")),
            Statement::Store(a, v) => format!("{pad}atomic_store(&a{a}, {v});\n"),
            Statement::Add(a, v) => log(format!("atomic_fetch_add(&a{a}, {v})")),
            Statement::Exchange(a, old, new) => format!(
                "{pad}{{\n{pad}    int expected = {old};\n    {}{pad}}}\n",
                log(format!("atomic_compare_exchange_strong(&a{a}, &expected, {new})"))
            ),
            Statement::PlainRead(p) => log(format!("p{p}")),
            Statement::PlainWrite(p, v) => format!("{pad}p{p} = {v};\n"),
            Statement::Locked(m, body) => {
                let body = self.block(body, depth);
                let lock = |what: &str| format!("{pad}pthread_mutex_{what}(&m{m});\n");
                format!("{}{body}{}", lock("lock"), lock("unlock"))
            }
            Statement::TryLocked(m, body) => {
                let body = self.block(body, depth + 1);
                format!(
                    "{pad}if (pthread_mutex_trylock(&m{m}) == 0) {{\n{body}\
                     {pad}    pthread_mutex_unlock(&m{m});\n{pad}}} else {{\n    {}{pad}}}\n",
                    log("-1".to_string())
                )
            }
            Statement::AwaitFlag => format!(
                "{pad}pthread_mutex_lock(&m0);\n{pad}if (!flag)\n\
                 {pad}    pthread_cond_wait(&woken, &m0);\n{pad}pthread_mutex_unlock(&m0);\n"
            ),
            Statement::SetFlag(all) => {
                let wake = if *all { "broadcast" } else { "signal" };
                format!(
                    "{pad}pthread_mutex_lock(&m0);\n{pad}flag = 1;\n\
                     {pad}pthread_cond_{wake}(&woken);\n{pad}pthread_mutex_unlock(&m0);\n"
                )
            }
            Statement::Branch(a, v, one, other) => {
                let one = self.block(one, depth + 1);
                let other = self.block(other, depth + 1);
                format!(
                    "{pad}if (atomic_load(&a{a}) == {v}) {{\n{one}{pad}}} else {{\n{other}{pad}}}\n"
                )
            }
            Statement::Section(body) => {
                let body = self.block(body, depth);
                format!("{pad}leno_atomic_begin();\n{body}{pad}leno_atomic_end();\n")
            }
            Statement::Assert(a, v) => format!("{pad}assert(atomic_load(&a{a}) != {v});\n"),
            Statement::Locking(how, body) => {
                let body = self.block(body, depth + 1);
                let (lock, unlock) = match how {
                    Locking::Timed => ("pthread_mutex_timedlock(&m0, &soon)", "mutex_unlock(&m0)"),
                    Locking::Clock => (
                        "pthread_mutex_clocklock(&m1, CLOCK_MONOTONIC, &soon)",
                        "mutex_unlock(&m1)",
                    ),
                    Locking::Read => ("pthread_rwlock_rdlock(&rwlock)", RW_UNLOCK),
                    Locking::Write => ("pthread_rwlock_wrlock(&rwlock)", RW_UNLOCK),
                    Locking::TryRead => ("pthread_rwlock_tryrdlock(&rwlock)", RW_UNLOCK),
                    Locking::TryWrite => ("pthread_rwlock_trywrlock(&rwlock)", RW_UNLOCK),
                    Locking::TimedRead => ("pthread_rwlock_timedrdlock(&rwlock, &soon)", RW_UNLOCK),
                    Locking::TimedWrite => {
                        ("pthread_rwlock_timedwrlock(&rwlock, &soon)", RW_UNLOCK)
                    }
                    Locking::Spin => ("pthread_spin_lock(&spin)", "spin_unlock(&spin)"),
                    Locking::TrySpin => ("pthread_spin_trylock(&spin)", "spin_unlock(&spin)"),
                    Locking::Recursive => {
                        ("pthread_mutex_lock(&recursive)", "mutex_unlock(&recursive)")
                    }
                    Locking::Checking => {
                        ("pthread_mutex_lock(&checking)", "mutex_unlock(&checking)")
                    }
                    Locking::Robust => ("lock_robust()", "mutex_unlock(&robust)"),
                };
                format!(
                    "{pad}if ({lock} == 0) {{\n{body}{pad}    pthread_{unlock};\n\
                     {pad}}} else {{\n    {}{pad}}}\n",
                    log("-2".to_string())
                )
            }
            Statement::Cleanup(body, run) => {
                let body = self.block(body, depth);
                format!(
                    "{pad}pthread_cleanup_push(on_end, NULL);\n{body}\
                     {pad}pthread_cleanup_pop({});\n",
                    i32::from(*run)
                )
            }
            Statement::Simple(simple) => match simple {
                Simple::Post => format!("{pad}sem_post(&sem);\n"),
                Simple::Take => format!("{pad}sem_wait(&sem);\n"),
                Simple::TryTake => log("sem_trywait(&sem)".to_string()),
                Simple::TimedTake => log("sem_timedwait(&sem, &soon)".to_string()),
                Simple::Value => {
                    format!("{pad}{{ int value; sem_getvalue(&sem, &value); LOG(value); }}\n")
                }
                Simple::Once => format!("{pad}pthread_once(&once, make);\n"),
                Simple::Meet => log("pthread_barrier_wait(&barrier)".to_string()),
                Simple::FutexWait => {
                    log("syscall(SYS_futex, &a0, FUTEX_WAIT, 0, NULL)".to_string())
                }
                Simple::FutexWake => log("syscall(SYS_futex, &a0, FUTEX_WAKE, 1)".to_string()),
                Simple::Spin => {
                    format!("{pad}while (atomic_fetch_add(&a0, 0) == 0)\n{pad}    ;\n")
                }
                Simple::SpinUntil => format!(
                    "{pad}for (time_t end = time(NULL) + 2; time(NULL) < end;)\n\
                     {pad}    if (atomic_load(&a1))\n{pad}        break;\n"
                ),
                Simple::Choose => log("leno_choose(2)".to_string()),
                Simple::Input => log("__VERIFIER_nondet_int()".to_string()),
                Simple::Assume => format!("{pad}leno_assume(atomic_load(&a0) != 2);\n"),
                Simple::WeakExchange => format!(
                    "{pad}{{ int none = 0; \
                     LOG(atomic_compare_exchange_weak(&a0, &none, 2)); }}\n"
                ),
                Simple::Replace => {
                    format!("{pad}free(atomic_exchange(&block, calloc(1, sizeof(int))));\n")
                }
                Simple::Use => {
                    format!("{pad}{{ int *it = atomic_load(&block); if (it) LOG(*it); }}\n")
                }
                Simple::TestCancel => format!("{pad}pthread_testcancel();\n"),
                Simple::NoCancel => {
                    format!("{pad}pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);\n")
                }
                Simple::End => format!("{pad}pthread_exit((void *)log);\n"),
                Simple::Own => format!("{pad}pthread_setspecific(key, &key);\n"),
                Simple::TimedAwait => format!(
                    "{pad}pthread_mutex_lock(&m0);\n{pad}if (!flag)\n\
                     {pad}    LOG(pthread_cond_timedwait(&woken, &m0, &soon));\n\
                     {pad}pthread_mutex_unlock(&m0);\n"
                ),
                Simple::Block => format!(
                    "{pad}{{ sigset_t set = usr1(); pthread_sigmask(SIG_BLOCK, &set, NULL); }}\n"
                ),
                Simple::TakeSignal => format!(
                    "{pad}{{ sigset_t set = usr1(); LOG(sigtimedwait(&set, NULL, &soon)); }}\n"
                ),
            },
            Statement::Spawn(theirs, mine, joining) => {
                let number = self.thread(theirs);
                let mine = self.block(mine, depth + 1);
                let join = match joining {
                    Joining::Join => "JOIN(other)",
                    Joining::Try => "if (pthread_tryjoin_np(other, NULL) == EBUSY) JOIN(other)",
                    Joining::Timed => {
                        "if (pthread_timedjoin_np(other, NULL, &soon) != 0) JOIN(other)"
                    }
                    Joining::Cancel => "pthread_cancel(other); JOIN(other)",
                    Joining::Detach => "pthread_detach(other)",
                    Joining::Detached => "(void)other",
                    Joining::Signal => "pthread_kill(other, SIGUSR1); JOIN(other)",
                };
                let how = if *joining == Joining::Detached { "&detached" } else { "NULL" };
                format!(
                    "{pad}{{\n{pad}    pthread_t other;\n\
                     {pad}    pthread_create(&other, {how}, thread{number}, NULL);\n\
                     {mine}{pad}    {join};\n{pad}}}\n"
                )
            }
        }
    }
}
