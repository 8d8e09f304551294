//! `leno-cc`, and `leno-c++` when called by that name.

use leno_driver::compiler::{self, Language};
use std::{env, path::Path, process::ExitCode};

fn main() -> ExitCode {
    let mut args = env::args_os();
    let program = args.next().unwrap_or_default();
    compiler::main(Language::of_program(Path::new(&program)), args.collect())
}
