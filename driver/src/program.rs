//! The checked program: finding it, looking at it before it runs, running it.

use crate::{
    channel::{read_frame, write_frame},
    error::Error,
    input::Input,
    interrupt,
    scratch::Scratch,
    watchdog::{Stuck, Watchdog},
};
use leno_model::{
    ThreadId,
    thread::{ThreadName, ThreadTable},
    wire::{CHANNEL, JOURNAL, Job, LAST_HOOK, LIBRARIES, LastHook, Message, NAMES},
};
use object::{
    Architecture, Object as _, ObjectSymbol as _,
    read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _},
};
use std::{
    collections::HashSet,
    env,
    ffi::OsStr,
    fs,
    io::{self, Read, Write},
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd},
        unix::{
            fs::{FileExt, PermissionsExt},
            net::UnixStream,
            process::{CommandExt, ExitStatusExt},
        },
    },
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    rc::Rc,
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// The absolute path of the program that the user means: a path, a file in the
/// current directory, or a command.
pub fn find(name: &Path) -> Result<PathBuf, Error> {
    let commands = || {
        let path = env::var_os("PATH")?;
        env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
    };
    let bare = name.components().count() == 1 && !name.exists();
    let file = bare.then(commands).flatten().unwrap_or_else(|| name.to_path_buf());
    let file = fs::canonicalize(&file).map_err(|source| Error::Program { path: file, source })?;
    match file.to_str() {
        Some(_) => Ok(file),
        None => Err(unfit(&file, "the path is not UTF-8, and a trace has to name it")),
    }
}

/// Refuses what cannot be run under the runtime, and says why.
pub fn inspect(path: &Path) -> Result<(), Error> {
    let failed = |source| Error::Program { path: path.to_path_buf(), source };
    let metadata = fs::metadata(path).map_err(failed)?;
    if !metadata.is_file() {
        return Err(unfit(path, "not a program but a directory or a special file"));
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(unfit(path, "not executable (chmod +x would make it so)"));
    }
    let bytes = fs::read(path).map_err(failed)?;
    if !bytes.starts_with(b"\x7fELF") {
        return Err(unfit(
            path,
            "not an ELF program; a script cannot be checked itself (if it is libtool's: \
             libtool --mode=execute leno check …)",
        ));
    }
    let Ok(elf) = ElfFile64::<object::Endianness>::parse(&*bytes) else {
        return Err(unfit(path, "not a 64-bit ELF file that leno can read"));
    };
    if elf.architecture() != Architecture::X86_64 {
        let what = format!("built for {:?}; leno runs x86-64", elf.architecture());
        return Err(unfit(path, &what));
    }
    let header = elf.elf_header();
    let mut segments = header.program_headers(elf.endian(), &*bytes).unwrap_or_default().iter();
    if !segments.any(|segment| segment.p_type(elf.endian()) == object::elf::PT_INTERP) {
        return Err(unfit(
            path,
            "statically linked or not a program: leno's runtime cannot be preloaded; \
             link it without -static",
        ));
    }
    Ok(())
}

fn unfit(path: &Path, what: &str) -> Error {
    Error::Unfit { path: path.to_path_buf(), what: what.to_string() }
}

/// The runtime that belongs to this leno.
pub fn runtime() -> Result<PathBuf, Error> {
    let exe = env::current_exe()
        .map_err(|source| Error::Program { path: "/proc/self/exe".into(), source })?;
    let dir = exe.parent().unwrap_or(Path::new("/"));
    let places = [dir.join("libleno_rt.so"), dir.join("../lib/leno/libleno_rt.so")];
    let found = places.iter().find_map(|place| fs::canonicalize(place).ok());
    found.ok_or_else(|| Error::NoRuntime { beside: exe.clone() })
}

/// What a shared library offers to the programs that load it.
pub fn exports(library: &Path) -> Result<HashSet<String>, Error> {
    let bytes =
        mapped(library).map_err(|source| Error::Read { path: library.to_path_buf(), source })?;
    let elf = ElfFile64::<object::Endianness>::parse(bytes)
        .map_err(|error| unfit(library, &error.to_string()))?;
    let defined = elf.dynamic_symbols().filter(|symbol| symbol.is_definition());
    Ok(defined.filter_map(|symbol| symbol.name().ok().map(str::to_string)).collect())
}

/// The content of one of leno's own files, for good. What is not looked at is not read,
/// and most of a library is debug information.
fn mapped(path: &Path) -> io::Result<&'static [u8]> {
    let file = fs::File::open(path)?;
    let len = file.metadata()?.len() as usize;
    // SAFETY: a new mapping of the whole file, which is never removed.
    unsafe {
        let (access, fd) = (libc::PROT_READ, file.as_raw_fd());
        match libc::mmap(std::ptr::null_mut(), len, access, libc::MAP_PRIVATE, fd, 0) {
            libc::MAP_FAILED => Err(io::Error::last_os_error()),
            base => Ok(std::slice::from_raw_parts(base.cast(), len)),
        }
    }
}

/// What is to be run, and how.
pub struct Launch<'a> {
    pub program: &'a Path,
    pub args: &'a [String],
    /// Where it runs; none is the driver's own directory.
    pub directory: Option<&'a Path>,
    pub runtime: &'a Path,
    pub show_output: bool,
    pub input: &'a Input,
    pub journal: &'a Journal,
    /// Libraries that the program opens while it runs; see [`LIBRARIES`].
    pub libraries: &'a [String],
    /// How long an execution may stand still; see `watchdog.rs`.
    pub patience: Duration,
}

/// Memory that the runtime keeps its records in: it is there when the process is not any
/// more. None where the system has no such thing; then less is known in that case.
#[derive(Clone)]
pub struct Journal(Option<Rc<OwnedFd>>);

impl Journal {
    pub fn create() -> Self {
        // SAFETY: makes a new descriptor, which is then owned here.
        let file = unsafe {
            let fd = libc::memfd_create(c"leno".as_ptr(), libc::MFD_CLOEXEC);
            (fd >= 0).then(|| Rc::new(OwnedFd::from_raw_fd(fd)))
        };
        Self(file)
    }

    /// The last hook that the program passed, and who executes it.
    pub fn last_hook(&self) -> Option<LastHook> {
        let mut bytes = [0; LastHook::SIZE];
        self.read(&mut bytes, LAST_HOOK)?;
        Some(LastHook::decode(&bytes))
    }

    /// What a thread is called, as a path from the main thread.
    pub fn thread(&self, thread: u32) -> Vec<u32> {
        let names = || {
            let mut count = [0; 4];
            self.read(&mut count, NAMES)?;
            let mut bytes = vec![0; 8 * u32::from_le_bytes(count) as usize];
            self.read(&mut bytes, NAMES + 4096)?;
            let word = |bytes: &[u8]| u32::from_le_bytes([0, 1, 2, 3].map(|i| bytes[i]));
            let name =
                |pair: &[u8]| ThreadName { parent: ThreadId(word(pair)), index: word(&pair[4..]) };
            Some(bytes.chunks_exact(8).map(name).collect())
        };
        ThreadTable::from_names(names().unwrap_or_default()).path(ThreadId(thread))
    }

    fn read(&self, bytes: &mut [u8], at: u64) -> Option<()> {
        let file = fs::File::from(self.0.as_ref()?.try_clone().ok()?);
        file.read_exact_at(bytes, at).ok()
    }
}

/// What the program or the user did next.
#[derive(Debug)]
pub enum Next {
    Message(Message),
    /// The stream has ended, and this is how the process did.
    Ended(Obituary),
    TimedOut,
    /// Nothing has been heard for [`QUIET`].
    Quiet,
    /// The execution stands still, and nothing will be heard any more.
    Stuck(Stuck),
    /// SIGINT, SIGTERM or SIGHUP.
    Interrupted,
}

/// A runtime in good health says something about ten times a second, unless a single
/// execution takes longer than that.
pub const QUIET: Duration = Duration::from_secs(5);

/// How long a process may be stopped or half dead before that counts as its end.
const STILL: Duration = Duration::from_secs(1);

/// How a process ended.
#[derive(Debug)]
pub struct Obituary {
    pub how: String,
    /// Its wait status.
    pub status: i32,
}

/// The running program. It is killed with all its processes when this is dropped.
pub struct Running {
    child: Child,
    journal: Journal,
    watchdog: Watchdog,
    stream: UnixStream,
    messages: Receiver<io::Result<Message>>,
    output: Shown,
    /// When something was heard the last time, until that has been too long ago.
    heard: Option<Instant>,
    /// Since when the process looks as if it never went on.
    still: Option<Instant>,
    /// Dropped behind the process: what it did to files is undone then.
    scratch: Option<Scratch>,
}

impl Running {
    pub fn start(launch: &Launch) -> Result<Self, Error> {
        let failed = |source| Error::Program { path: launch.program.to_path_buf(), source };
        let output = Shown::start(launch.show_output).map_err(failed)?;
        let (stream, theirs) = UnixStream::pair().map_err(failed)?;
        let mut command = Command::new(launch.program);
        command
            .args(launch.args)
            .env(CHANNEL, theirs.as_raw_fd().to_string())
            .env_remove(JOURNAL)
            .env(LIBRARIES, launch.libraries.join("\n"))
            .env("LD_BIND_NOW", "1")
            .env("LD_PRELOAD", preload(launch.runtime))
            .stdin(launch.input.stdio())
            .stdout(output.stdio().map_err(failed)?)
            .stderr(output.stdio().map_err(failed)?)
            // One kill reaches the processes of all executions.
            .process_group(0);
        if let Some(directory) = launch.directory {
            command.current_dir(directory);
        }
        let channel_fd = theirs.as_raw_fd();
        let journal_fd = launch.journal.0.as_ref().map(|file| file.as_raw_fd());
        if let Some(fd) = journal_fd {
            command.env(JOURNAL, fd.to_string());
        }
        // SAFETY: only async-signal-safe system calls on values copied in.
        unsafe {
            command.pre_exec(move || {
                // Refused in some containers. Then addresses differ from run to run,
                // which the runtime's own check for nondeterminism would notice.
                libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong);
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                for fd in [Some(channel_fd), journal_fd].into_iter().flatten() {
                    if libc::fcntl(fd, libc::F_SETFD, 0) == -1 {
                        return Err(io::Error::last_os_error());
                    }
                }
                Ok(())
            });
        }
        let messages = stream.try_clone().and_then(receive).map_err(failed)?;
        let child = command.spawn().map_err(failed)?;
        drop(theirs);
        let heard = Some(Instant::now());
        let watchdog = Watchdog::new(launch.patience, launch.show_output);
        let journal = launch.journal.clone();
        let (still, scratch) = (None, None);
        Ok(Self { child, journal, watchdog, stream, messages, output, heard, still, scratch })
    }

    /// Makes a folder for the runtime's journal of what is done to files.
    pub fn scratch(&mut self) -> Result<String, Error> {
        let failed = |source| Error::Read { path: env::temp_dir(), source };
        let scratch = self.scratch.insert(Scratch::new().map_err(failed)?);
        Ok(scratch.path().to_string())
    }

    pub fn send(&mut self, job: &Job) {
        // A failure means that the process is gone; `next` will say how it went.
        let _ = write_frame(&mut self.stream, job);
    }

    /// Waits for what comes next, until `deadline` where there is one.
    pub fn next(&mut self, deadline: Option<Instant>) -> Next {
        loop {
            match self.messages.recv_timeout(Duration::from_millis(50)) {
                Ok(Ok(message)) => {
                    self.heard = Some(Instant::now());
                    return Next::Message(message);
                }
                Ok(Err(error)) => {
                    let how = format!("its last message was cut: {error}");
                    return Next::Ended(Obituary { how, ..self.obituary() });
                }
                Err(RecvTimeoutError::Disconnected) => return Next::Ended(self.obituary()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let state = self.state();
            match (self.still, state) {
                (_, None) => self.still = None,
                (None, Some(_)) => self.still = Some(Instant::now()),
                // A process that is about to end looks like this for a moment.
                (Some(since), Some(how)) if since.elapsed() > STILL => {
                    return Next::Ended(Obituary { how: how.to_string(), status: 0 });
                }
                _ => {}
            }
            if interrupt::requested() {
                return Next::Interrupted;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Next::TimedOut;
            }
            if let Some(stuck) = self.watchdog.look(&self.journal) {
                return Next::Stuck(stuck);
            }
            if self.heard.take_if(|heard| heard.elapsed() > QUIET).is_some() {
                return Next::Quiet;
            }
        }
    }

    /// How the process ended, in words. It closes the socket a moment before it ends.
    fn obituary(&mut self) -> Obituary {
        for _ in 0..40 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Obituary { how: ended(status), status: status.into_raw() };
            }
            thread::sleep(Duration::from_millis(25));
        }
        let how = "the program closed its channel to leno but is still running".to_string();
        Obituary { how, status: 0 }
    }

    /// Whether the process will never say anything again though it has not ended: its one
    /// kernel thread that does anything has ended by itself, or is stopped.
    fn state(&self) -> Option<&'static str> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The state stands behind the name, which is in parentheses and may hold any.
        match stat.rsplit_once(')')?.1.trim_start().as_bytes().first()? {
            b'T' => Some("the program has stopped itself"),
            // A process that has ended is a zombie too, but then the stream ends.
            b'Z' if Path::new(&format!("/proc/{}/task", self.child.id()))
                .read_dir()
                .ok()?
                .count()
                > 1 =>
            {
                Some("the program ended its main thread by a raw system call")
            }
            _ => None,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // SAFETY: a plain system call; the group is the one that `start` made, and its
        // leader has not been waited for unless it has ended.
        unsafe { libc::kill(-(self.child.id() as i32), libc::SIGKILL) };
        let _ = self.child.wait();
        self.output.finish();
    }
}

fn ended(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(libc::SIGKILL), _) => {
            "the program was killed (SIGKILL; perhaps it used too much memory)".to_string()
        }
        (Some(signal), _) => format!("the program was ended by {}", signal_name(signal)),
        (_, Some(127)) => "the program ended with status 127: it could not be loaded; \
                           run it without leno to see why"
            .to_string(),
        (_, code) => format!(
            "the program ended with status {} and told leno nothing",
            code.unwrap_or_default()
        ),
    }
}

fn signal_name(signal: i32) -> String {
    match signal_hook::low_level::signal_name(signal) {
        Some(name) => name.to_string(),
        None => format!("signal {signal}"),
    }
}

fn preload(runtime: &Path) -> std::ffi::OsString {
    let mut list = runtime.as_os_str().to_os_string();
    if let Some(others) = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        list.push(OsStr::new(":"));
        list.push(others);
    }
    list
}

/// What the program writes, if it is to be shown: it goes to leno's stderr by a pipe that
/// is always read. Were it leno's stderr itself, a reader of that who has seen enough
/// (`leno check --show-output … 2>&1 | head`) would end the program.
struct Shown {
    to: Option<io::PipeWriter>,
    done: Receiver<()>,
}

impl Shown {
    fn start(show: bool) -> io::Result<Self> {
        let (sender, done) = channel();
        if !show {
            return Ok(Self { to: None, done });
        }
        let (mut from, to) = io::pipe()?;
        // Where the user may have no more threads, `thread::spawn` would panic.
        thread::Builder::new().spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(len @ 1..) = from.read(&mut buffer) {
                let _ = io::stderr().write_all(&buffer[..len]);
            }
            let _ = sender.send(());
        })?;
        Ok(Self { to: Some(to), done })
    }

    fn stdio(&self) -> io::Result<Stdio> {
        match &self.to {
            Some(pipe) => Ok(pipe.try_clone()?.into()),
            None => Ok(Stdio::null()),
        }
    }

    /// Waits until everything has been shown, now that nobody writes any more.
    fn finish(&mut self) {
        if self.to.take().is_some() {
            let _ = self.done.recv_timeout(Duration::from_secs(1));
        }
    }
}

fn receive(mut stream: UnixStream) -> io::Result<Receiver<io::Result<Message>>> {
    let (sender, receiver) = channel();
    thread::Builder::new().spawn(move || {
        while let Some(message) = read_frame(&mut stream).transpose() {
            let broken = message.is_err();
            if sender.send(message).is_err() || broken {
                break;
            }
        }
    })?;
    Ok(receiver)
}

/// What leno and the processes that it has started, as far as they have ended, have used.
pub struct Usage {
    /// The most memory that any of the processes has had, in bytes.
    pub peak_memory: u64,
    /// For how long they have had a processor, with leno itself.
    pub processor_time: Duration,
}

pub fn usage() -> Usage {
    let of = |who| {
        // SAFETY: all zeros is a valid value, and the kernel fills it in.
        unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(who, &mut usage);
            usage
        }
    };
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    let (own, others) = (of(libc::RUSAGE_SELF), of(libc::RUSAGE_CHILDREN));
    let times = [own.ru_utime, own.ru_stime, others.ru_utime, others.ru_stime];
    Usage {
        peak_memory: others.ru_maxrss as u64 * 1024,
        processor_time: times.into_iter().map(time).sum(),
    }
}
