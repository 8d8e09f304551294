//! rustc's list of exported symbols takes `__leno_frame`, which is thread-local, for data.
//! GNU ld refuses that, lld does not mind; some builds of rustc link by the one, some by the
//! other.
//!
//! The stub says that it needs the C library, for programs that are linked without.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-B/usr/lib/llvm-22/bin");
    println!("cargo:rustc-cdylib-link-arg=-fuse-ld=lld");
    println!("cargo:rustc-cdylib-link-arg=-lc");
}
