//! Functions that would block the one kernel thread, or make threads and processes
//! behind our back, and that have no model yet: calling one ends the check with a
//! message that names it.

use super::real;
use crate::{
    execution::{call_site, running},
    host, units,
};
use leno_model::wire::Fault;

macro_rules! refused {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> u64 {
            if running().is_some() {
                refuse(stringify!($name));
            }
            // All of them take at most six integers or pointers.
            real!($name(a => u64, b => u64, c => u64, d => u64, e => u64, f => u64) -> u64)
        }
    )*};
}

/// Ends the check: the program did what is not modelled.
pub fn refuse(name: &str) -> ! {
    host::fault(Fault::Unsupported { what: name.into(), site: units::site_id(call_site()) })
}

refused! {
    pthread_mutex_timedlock pthread_mutex_clocklock
    pthread_cond_timedwait pthread_cond_clockwait
    pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_tryrdlock pthread_rwlock_trywrlock
    pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_clockrdlock
    pthread_rwlock_clockwrlock pthread_rwlock_unlock
    pthread_spin_lock pthread_spin_trylock pthread_spin_unlock
    pthread_barrier_wait
    pthread_tryjoin_np pthread_timedjoin_np pthread_clockjoin_np
    pthread_cancel pthread_kill pthread_sigqueue
    sem_wait sem_trywait sem_timedwait sem_clockwait sem_post sem_open
    thrd_create thrd_join thrd_detach thrd_exit thrd_sleep
    mtx_lock mtx_timedlock mtx_trylock mtx_unlock
    cnd_wait cnd_timedwait cnd_signal cnd_broadcast call_once
    fork vfork posix_spawn posix_spawnp system popen
    execve execv execvp execvpe fexecve daemon
}
