//! Whether executions may be restarted inside the process.
//!
//! The runtime puts memory back, not what the kernel holds. So a program is restarted
//! in place only if everything that it can call from outside is known to change
//! nothing but memory; else each execution is a process of its own.

use crate::known;
use std::collections::HashSet;

/// Known functions that change what the kernel holds (descriptors and their offsets,
/// mappings, signal handlers, files, settings of the process), or have it write to the
/// program's memory: the kernel does not fault on a page that is protected until its
/// first write (see the runtime's snapshot), it refuses.
const KERNEL: &str = "
    fopen fopen64 fdopen freopen fclose tmpfile remove rename unlink open_memstream fmemopen
    scanf vscanf fscanf vfscanf __isoc99_scanf __isoc99_fscanf __isoc23_scanf __isoc23_fscanf
    fread fgets fgetc getc getchar gets ungetc getline getdelim
    fseek fseeko ftell ftello rewind fgetpos fsetpos
    open open64 close read lseek lseek64 dup dup2 fsync
    mmap munmap mprotect madvise
    signal sigaction sigprocmask pthread_sigmask raise
    syscall uname getcwd gethostname getrlimit getrusage stat lstat fstat stat64 fstat64
    clock_getres sched_getaffinity pthread_getaffinity_np pthread_getname_np
    setlocale pthread_setname_np pthread_setaffinity_np sched_setaffinity pthread_setschedparam
";

/// Data that programs import, and what the linker or the compiler puts in.
const HARMLESS: &str = "
    stdin stdout stderr environ __environ optarg optind opterr optopt program_invocation_name
    __libc_start_main __cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable
    _ITM_registerTMCloneTable __stack_chk_fail __stack_chk_guard __tls_get_addr
";

/// The first function out of `imported` that stands in the way of a restart in place.
pub fn obstacle<'a>(
    imported: impl Iterator<Item = &'a str>,
    runtime: &HashSet<String>,
    instrumented: &HashSet<&str>,
) -> Option<&'a str> {
    let kernel: HashSet<&str> = KERNEL.split_ascii_whitespace().collect();
    let harmless: HashSet<&str> = HARMLESS.split_ascii_whitespace().collect();
    let mut imported: Vec<&str> = imported
        .map(|symbol| symbol.split('@').next().unwrap_or(symbol))
        .filter(|symbol| {
            let fine = symbol.starts_with("__leno_")
                || instrumented.contains(symbol)
                || harmless.contains(symbol)
                || (runtime.contains(*symbol) || known::is_known(symbol))
                    && !kernel.contains(symbol);
            !symbol.is_empty() && !fine
        })
        .collect();
    imported.sort_unstable();
    imported.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_holds_stands_in_the_way_and_so_does_what_nobody_knows() {
        let runtime = HashSet::from(["pthread_create".to_owned(), "syscall".to_owned()]);
        let instrumented = HashSet::from(["mine"]);
        let obstacle =
            |names: &[&'static str]| obstacle(names.iter().copied(), &runtime, &instrumented);
        assert_eq!(obstacle(&["pthread_create@GLIBC_2.34", "mine", "printf", "stdout"]), None);
        assert_eq!(obstacle(&["printf", "fopen"]), Some("fopen"));
        assert_eq!(obstacle(&["frobnicate"]), Some("frobnicate"));
        assert_eq!(obstacle(&["syscall"]), Some("syscall"));
    }

    #[test]
    fn every_function_of_the_list_is_a_known_one() {
        // The runtime exports `syscall` itself.
        for name in KERNEL.split_ascii_whitespace().filter(|name| *name != "syscall") {
            assert!(known::is_known(name), "{name}");
        }
    }
}
