//! Functions that only read and write attribute objects, or hand on to libc what has no
//! effect here. They are libc's own; that they stand here says that they are known, and
//! docs/supported.md lists them.

use super::real;
use leno_entry::entry;

macro_rules! passed_on {
    ($($name:ident)*) => {$(
        /// # Safety
        /// As libc's.
        #[entry]
        pub unsafe extern "C" fn $name(a: u64, b: u64, c: u64) -> u64 {
            // All of them take at most three integers or pointers.
            real!($name(a => u64, b => u64, c => u64) -> u64)
        }
    )*};
}

passed_on! {
    pthread_attr_getsigmask_np pthread_attr_setsigmask_np
    pthread_attr_getstackaddr pthread_attr_setstackaddr
    pthread_getattr_default_np pthread_setattr_default_np
    pthread_barrierattr_init pthread_barrierattr_destroy
    pthread_barrierattr_getpshared pthread_barrierattr_setpshared
    pthread_mutexattr_getprioceiling pthread_mutexattr_setprioceiling
    pthread_mutexattr_getrobust_np pthread_mutexattr_setrobust_np
    pthread_mutex_getprioceiling
    pthread_rwlockattr_init pthread_rwlockattr_destroy
    pthread_rwlockattr_getpshared pthread_rwlockattr_setpshared
    pthread_rwlockattr_getkind_np pthread_rwlockattr_setkind_np
}
