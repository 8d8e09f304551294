//! The command line tools: `leno`, and the compiler wrappers `leno-cc` and `leno-c++`.

pub mod channel;
pub mod check;
pub mod cli;
pub mod columns;
pub mod compiler;
pub mod demangle;
pub mod error;
pub mod explain;
pub mod human;
pub mod image;
pub mod input;
pub mod interrupt;
pub mod json;
pub mod known;
pub mod models;
pub mod output;
pub mod program;
pub mod progress;
pub mod replay;
pub mod restart;
pub mod scratch;
pub mod search_file;
pub mod story;
pub mod suppressions;
pub mod symmetry;
pub mod tables;
pub mod trace_file;
pub mod types;
pub mod verdict;
pub mod watchdog;
pub mod words;

use clap::Parser;
use cli::{Cli, Command, Format};
use error::{EXIT_FAULT, EXIT_SAFE, Error};
use output::say;
use std::{
    ffi::OsString,
    os::unix::process::CommandExt,
    process::{self, ExitCode},
};

/// The command `leno`: runs what the arguments say and gives the exit status. The one
/// place where errors are printed.
///
/// The compilers are another program, `leno-cc`: it needs LLVM, which takes longer to load
/// than most checks to run. It is called for `leno cc` and `leno c++`, and for `leno` itself
/// under a name that ends in `cc` or `++`, such as that of a link.
pub fn main(mut args: Vec<OsString>) -> ExitCode {
    let own_name = args.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if own_name.ends_with("cc") || own_name.ends_with("++") {
        return compile(OsString::from(own_name), args.split_off(1));
    }
    match args.get(1).and_then(|arg| arg.to_str()) {
        Some("cc") => return compile("leno-cc".into(), args.split_off(2)),
        Some("c++") => return compile("leno-c++".into(), args.split_off(2)),
        _ => {}
    }
    let asked = wants_json(&args);
    let (json, done) = match Cli::try_parse_from(args) {
        Ok(cli) => (cli.command.format() == Format::Json, run(&cli.command)),
        Err(error) if !error.use_stderr() || !asked => {
            // A closed pipe (`leno --help | head`) is no failure.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { EXIT_FAULT } else { EXIT_SAFE });
        }
        Err(error) => (true, Err(Error::Usage(error.render().to_string().trim_end().to_string()))),
    };
    match done {
        Ok(status) => return ExitCode::from(status),
        Err(error) if json => say(format_args!("{}\n", json::error(&error))),
        Err(error) => {
            let label = console::style("leno: error:").for_stderr().red().bold();
            output::complain(format_args!("{label} {error}"));
        }
    }
    ExitCode::from(EXIT_FAULT)
}

/// Becomes the compiler, under this name.
fn compile(name: OsString, args: Vec<OsString>) -> ExitCode {
    let own = std::env::current_exe().and_then(|path| path.canonicalize()).unwrap_or_default();
    let compiler = own.with_file_name("leno-cc");
    let error = process::Command::new(&compiler).arg0(&name).args(args).exec();
    output::complain(format_args!("leno: error: {}: {error}", compiler.display()));
    ExitCode::from(EXIT_FAULT)
}

fn run(command: &Command) -> Result<u8, Error> {
    if matches!(command, Command::Check(_) | Command::Replay(_)) {
        interrupt::listen();
    }
    match command {
        Command::Check(args) => check::run(args),
        Command::Replay(args) => replay::replay(args),
        Command::Report(args) => replay::report(args),
        Command::Cc(_) | Command::Cxx(_) => unreachable!("the compilers are called before"),
    }
}

/// Whether the answer has to be JSON even if the arguments cannot be read.
fn wants_json(args: &[OsString]) -> bool {
    let own = args.split(|arg| arg == "--").next().unwrap_or_default();
    let apart = own.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
    apart || own.iter().any(|arg| arg == "--format=json")
}
