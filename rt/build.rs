//! `core`'s objects refer to the unwinder, which this library never uses and must
//! not bring along or define for the program: the references end in a local symbol.
//!
//! The library's constructor runs before all others: see `src/secrets.rs`.
//!
//! Which linker, and why: see `stub/build.rs`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for symbol in ["_Unwind_Resume", "rust_eh_personality"] {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--defsym={symbol}=__leno_no_unwinding");
    }
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,initfirst");
    println!("cargo:rustc-cdylib-link-arg=-B/usr/lib/llvm-22/bin");
    println!("cargo:rustc-cdylib-link-arg=-fuse-ld=lld");
}
