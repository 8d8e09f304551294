//! Functions that would block the one kernel thread, or make threads and processes
//! behind our back, and that have no model yet: calling one ends the check with a
//! message that names it. So do message queues, and what System V has of them, of semaphores and
//! of shared memory with a key: they are the system's, what one execution leaves in them the
//! next one would find.

use super::real;
use crate::{
    execution::{call_site, running},
    host, units,
};
use leno_entry::entry;
use leno_model::wire::Fault;

macro_rules! refused {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64 {
            if running().is_some() {
                refuse(stringify!($name));
            }
            // All of them take at most six integers or pointers, but for `execl` and its
            // like, which nobody calls before `main` with more.
            real!($name(a => u64, b => u64, c => u64, d => u64, e => u64, f => u64) -> u64)
        }
    )*};
}

/// Ends the check: the program did what is not modelled.
pub fn refuse(name: &str) -> ! {
    host::fault(Fault::Unsupported { what: name.into(), site: units::site_id(call_site()) })
}

refused! {
    fork vfork posix_spawn posix_spawnp system popen
    execve execv execvp execvpe execl execlp execle fexecve daemon
    aio_read aio_read64 aio_write aio_write64 aio_fsync aio_fsync64 lio_listio lio_listio64
    aio_suspend aio_suspend64 getaddrinfo_a
    mq_open __mq_open_2 mq_unlink mq_notify
    msgget semget
}

/// # Safety
/// As libc's.
#[entry]
pub unsafe extern "C" fn shmget(key: i32, size: usize, flags: i32) -> i32 {
    if running().is_some() && key != libc::IPC_PRIVATE {
        refuse("shmget with a key");
    }
    real!(shmget(key => i32, size => usize, flags => i32) -> i32)
}
