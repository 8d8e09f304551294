//! Whether executions may be restarted inside the process.
//!
//! The runtime puts back memory, and much of what the kernel holds. So a program is
//! restarted in place if everything that it can call from outside is known to change
//! nothing else; else each execution is a process of its own.

use crate::{known, models::Models};
use std::collections::HashSet;

/// Known functions that change what the kernel holds (descriptors and their offsets,
/// settings of the process, files), or have it write to the program's memory, and that
/// the runtime can put back. It does so only where a program calls one of them.
const PUT_BACK: &str = "
    fopen fopen64 fdopen freopen freopen64 fclose tmpfile tmpfile64 remove rename unlink
    open_memstream fmemopen
    scanf vscanf fscanf vfscanf __isoc99_scanf __isoc99_fscanf __isoc23_scanf __isoc23_fscanf
    fread fgets fgetc getc getchar gets ungetc getline getdelim
    __getdelim getc_unlocked fgetc_unlocked getchar_unlocked fread_unlocked fgets_unlocked _IO_getc
    __uflow
    fseek fseeko ftell ftello rewind fgetpos fsetpos fseeko64 ftello64
    open open64 openat openat64 creat creat64 close read pread pread64 write pwrite pwrite64 readv writev
    lseek lseek64 dup dup2 dup3 fcntl fcntl64 fsync fdatasync pipe pipe2
    truncate truncate64 ftruncate ftruncate64 fallocate fallocate64
    posix_fallocate posix_fallocate64 unlinkat renameat mkdir mkdirat rmdir
    symlink symlinkat link linkat chmod fchmod fchmodat chown fchown utime utimes utimensat futimens futimes
    futimesat mkfifo
    mkstemp mkstemp64 mkostemp mkstemps mkostemps mkdtemp eventfd memfd_create faccessat
    eventfd_read eventfd_write epoll_create epoll_create1 epoll_ctl socketpair shutdown
    opendir fdopendir closedir readdir readdir64 rewinddir seekdir telldir dirfd
    readlink realpath access stat lstat fstat fstatat stat64 lstat64 fstat64 fstatat64
    chdir fchdir umask setlocale
    mmap mmap64 munmap mprotect madvise mremap msync
    signal sigaction sigprocmask pthread_sigmask syscall
    siginterrupt sigset sighold sigrelse sigignore bsd_signal sysv_signal __sysv_signal
    sigblock sigsetmask siggetmask __xpg_sigpause
    uname getcwd gethostname getrlimit getrusage clock_getres
    sched_getaffinity pthread_getaffinity_np pthread_getname_np
";

/// The same of the C++ libraries, by how their names begin: files, and random numbers,
/// which may be read from one. They call the functions above.
const PUT_BACK_OF_CXX: &str = "
    _ZNSt13basic_filebufI _ZNSt14basic_ifstreamI _ZNSt14basic_ofstreamI _ZNSt13basic_fstreamI
    _ZNSt12__basic_fileI _ZNSt10filesystem _ZNKSt10filesystem _ZNSt13random_device
    _ZNSt3__113basic_filebufI _ZNSt3__114basic_ifstreamI _ZNSt3__114basic_ofstreamI
    _ZNSt3__113basic_fstreamI _ZNSt3__14__fs10filesystem _ZNKSt3__14__fs10filesystem
    _ZNSt3__113random_device
";

/// Known functions that change what is not put back.
const NOT_PUT_BACK: &str = "
    sched_setaffinity killpg setpgid prlimit prlimit64 setpriority sched_setparam sched_setscheduler
";

/// What the linker or the compiler puts in.
const HARMLESS: &str = "
    __libc_start_main __cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable
    __pthread_register_cancel __pthread_unregister_cancel __pthread_register_cancel_defer
    __pthread_unregister_cancel_restore __pthread_unwind_next __register_atfork
    _ITM_registerTMCloneTable __stack_chk_fail __tls_get_addr
";

/// How executions can be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restart<'a> {
    /// In place. `kernel`: there is more than memory to put back.
    InPlace { kernel: bool },
    /// By processes of their own, because of this function.
    Isolated(&'a str),
}

/// How a program's executions can be repeated, by the functions that it imports and what is
/// known of them.
pub fn restart<'a>(
    imported: impl Iterator<Item = &'a str>,
    models: &Models,
    runtime: &HashSet<String>,
    instrumented: &HashSet<&str>,
) -> Restart<'a> {
    let words = |text: &'static str| text.split_ascii_whitespace().collect::<HashSet<_>>();
    let (put_back, not_put_back) = (words(PUT_BACK), words(NOT_PUT_BACK));
    let harmless = words(HARMLESS);
    let imported: Vec<&str> = imported
        .map(|symbol| symbol.split('@').next().unwrap_or(symbol))
        .filter(|symbol| !symbol.is_empty() && !instrumented.contains(symbol))
        .collect();
    let stands_in_the_way = |symbol: &&str| {
        // Transactional memory of GCC's is mentioned where libstdc++ is linked statically,
        // and is not there.
        let fine = symbol.starts_with("__leno_")
            || symbol.starts_with("_ITM_")
            || harmless.contains(symbol)
            || (runtime.contains(*symbol) || models.stays_inside(symbol))
                && !not_put_back.contains(known::plain(symbol));
        !fine
    };
    match imported.iter().copied().filter(stands_in_the_way).min() {
        Some(symbol) => Restart::Isolated(symbol),
        None => {
            let of_cxx: Vec<&str> = PUT_BACK_OF_CXX.split_ascii_whitespace().collect();
            let kernel = |symbol: &&str| {
                put_back.contains(known::plain(symbol))
                    || of_cxx.iter().any(|beginning| symbol.starts_with(beginning))
            };
            Restart::InPlace { kernel: imported.iter().any(kernel) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::standard;

    #[test]
    fn what_is_not_put_back_stands_in_the_way_and_so_does_what_nobody_knows() {
        let runtime = HashSet::from(["pthread_create".to_owned(), "syscall".to_owned()]);
        let instrumented = HashSet::from(["mine"]);
        let restart = |names: &[&'static str]| {
            restart(names.iter().copied(), standard(), &runtime, &instrumented)
        };
        let in_place = |kernel| Restart::InPlace { kernel };
        let harmless = ["pthread_create@GLIBC_2.34", "mine", "printf", "_Znwm", "_Unwind_Resume"];
        assert_eq!(restart(&harmless), in_place(false));
        assert_eq!(restart(&["printf", "fopen"]), in_place(true));
        assert_eq!(restart(&["printf", "__read_chk"]), in_place(true));
        assert_eq!(restart(&["fopen", "setns"]), Restart::Isolated("setns"));
        assert_eq!(restart(&["frobnicate"]), Restart::Isolated("frobnicate"));
        assert_eq!(restart(&["syscall"]), in_place(true));
        let open = "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode";
        assert_eq!(restart(&[open]), in_place(true));
    }

    #[test]
    fn every_function_of_the_lists_is_a_known_one() {
        // The runtime exports `syscall` itself.
        let all = PUT_BACK.split_ascii_whitespace().chain(NOT_PUT_BACK.split_ascii_whitespace());
        for name in all.filter(|name| *name != "syscall") {
            assert!(known::is_known(name), "{name}");
        }
    }
}
