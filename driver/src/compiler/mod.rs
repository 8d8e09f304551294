//! `leno-cc` and `leno-c++`: a drop-in compiler that instruments what it compiles.
//!
//! clang does all the work. Where a source would be compiled, it is compiled to
//! bitcode with the optimiser off ([`build::front`]), the pass instruments that,
//! and clang makes an object of the result with the user's own optimisation
//! ([`build::back`]). A link gets the stub library in addition. Whatever is neither
//! (`-E`, `-fsyntax-only`, `--version`, no input at all) goes to clang as it came.
//!
//! Build systems refuse flags they do not know, so what can be set is set by the
//! environment; see [`VARIABLES`].

mod build;
mod cache;
mod command_line;
mod response;
mod spelling;

use crate::interrupt;
use cache::Cache;
use command_line::{CommandLine, Goal};
use std::{
    env,
    ffi::OsString,
    fs,
    io::{self, Write},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, ExitStatus, Stdio},
};

/// What a wrapper compiles if nobody says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
}

impl Language {
    /// By the name the wrapper was called by: `leno-c++` is a link to `leno-cc`,
    /// because cargo cannot build a program of that name.
    pub fn of_program(name: &Path) -> Self {
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with("++") { Language::Cxx } else { Language::C }
    }

    fn clang(self) -> &'static str {
        match self {
            Language::C => "clang-22",
            Language::Cxx => "clang++-22",
        }
    }
}

/// Names a clang to use instead of the one on the path. It must be of version 22.
const CLANG: &str = "LENO_CLANG";

/// The variables that mean something to some part of leno (docs/building.md). A typo in one
/// of them would silently do nothing, so others that begin like them are warned about.
const VARIABLES: [&str; 22] = [
    CLANG,
    cache::PLACE,
    cache::SIZE,
    // Of leno.mk and of the CMake package; make puts what it is told into the environment.
    "LENO",
    "LENO_CC",
    "LENO_CXX",
    "LENO_BUILD",
    "LENO_CHECKS",
    "LENO_OPTIONS",
    "LENO_MAKE",
    "LENO_EXCLUDE",
    "LENO_OBJECTS",
    "LENO_ALLOW_UNKNOWN",
    "LENO_CMAKE_ARGS",
    leno_model::wire::CHANNEL,
    // Of the project's own tests.
    "LENO_TOOLS",
    "LENO_ONLY",
    "LENO_SEED",
    "LENO_FUZZ",
    "LENO_FUZZ_C",
    "LENO_FUZZ_MODES",
    "LENO_TEST_SCRIPT",
];

/// Behind these stands the name of a program (leno.mk).
const VARIABLES_OF_PROGRAMS: [&str; 2] = ["LENO_ARGS_", "LENO_OPTIONS_"];

/// Why nothing was compiled, other than clang's own reasons.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{program} cannot be started: {reason}{}", hint(.reason))]
    Clang { program: PathBuf, reason: io::Error },
    #[error("{option} is not supported: {reason}")]
    Refused { option: String, reason: &'static str },
    #[error("libleno_stub.so is neither in {0} nor in {1}: is leno installed completely?")]
    NoStub(PathBuf, PathBuf),
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: io::Error },
    #[error(transparent)]
    Pass(#[from] leno_pass::Error),
}

fn hint(reason: &io::Error) -> &'static str {
    match reason.kind() {
        io::ErrorKind::NotFound => {
            " (install clang-22, or set LENO_CLANG to the path of a clang of version 22)"
        }
        _ => "",
    }
}

/// A step that did not work out: clang has said why, or we have to.
#[derive(Debug)]
enum Failure {
    Clang(ExitStatus),
    /// The user has had enough.
    Interrupted,
    Ours(Error),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Ours(error.into())
    }
}

/// What the wrapper is called `leno-cc` or `leno-c++` in messages.
fn own_name(language: Language) -> &'static str {
    match language {
        Language::C => "leno-cc",
        Language::Cxx => "leno-c++",
    }
}

/// Compiles and links as the arguments (without the program's name) say.
pub fn main(language: Language, args: Vec<OsString>) -> ExitCode {
    let language =
        match args.iter().rev().find_map(|arg| arg.to_str()?.strip_prefix("--driver-mode=")) {
            Some("g++") => Language::Cxx,
            Some("gcc") => Language::C,
            _ => language,
        };
    let warn = |text: &str| eprintln!("{}: warning: {text}", own_name(language));
    for name in unknown_variables(env::vars_os().filter_map(|(name, _)| name.into_string().ok())) {
        warn(&format!("the environment variable {name} means nothing to leno"));
    }
    if let Some(size) = Cache::unreadable_size() {
        let name = cache::SIZE;
        warn(&format!("{name} is {size}, which is no size such as 500M; 2G is taken instead"));
    }
    // clang ends by the signal itself; what is ours in between goes away then.
    interrupt::listen();
    match run(language, args, &warn) {
        Ok(()) => ExitCode::SUCCESS,
        // A clang that was killed is reported as a shell would.
        Err(Failure::Clang(status)) => {
            let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            ExitCode::from(code as u8)
        }
        Err(Failure::Interrupted) => ExitCode::from(130),
        Err(Failure::Ours(error)) => {
            eprintln!("{}: error: {error}", own_name(language));
            ExitCode::from(2)
        }
    }
}

fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
    let known = |name: &str| {
        VARIABLES.contains(&name)
            || VARIABLES_OF_PROGRAMS.iter().any(|beginning| name.starts_with(beginning))
    };
    names.filter(|name| name.starts_with("LENO_") && !known(name)).collect()
}

fn run(language: Language, args: Vec<OsString>, warn: &dyn Fn(&str)) -> Result<(), Failure> {
    let args = response::expand(args);
    let clang = Clang::find(language);
    let line = CommandLine::parse(&args, language);
    match line.goal {
        Goal::Other => clang.run(&args),
        Goal::Compile | Goal::Assembly | Goal::Link => {
            line.refuse_unsupported()?;
            for (option, why) in line.dropped_options() {
                warn(&format!("{option} is ignored: {why}"));
            }
            for input in line.inputs().filter(|input| input.is_for_32_bits()) {
                warn(&format!(
                    "{} was preprocessed for 32 bits: its types are smaller than those of the \
                     library here (pthread_attr_t has 36 bytes and is given 56), so the program \
                     will overwrite its own variables; compile the source instead",
                    Path::new(&input.path).display()
                ));
            }
            build::Build::new(&clang, &line)?.run()
        }
    }
}

/// The compiler that does the work.
struct Clang {
    program: PathBuf,
}

impl Clang {
    fn find(language: Language) -> Self {
        let program = env::var_os(CLANG).filter(|name| !name.is_empty());
        Self { program: program.map_or_else(|| language.clang().into(), PathBuf::from) }
    }

    fn run(&self, args: &[OsString]) -> Result<(), Failure> {
        let status = self.command(args).status();
        self.succeeded(status)
    }

    /// Runs it and hands on what it says; gives whether that was nothing.
    fn run_and_listen(&self, args: &[OsString]) -> Result<bool, Failure> {
        let child = self.command(args).stderr(Stdio::piped()).spawn();
        let output = child.and_then(Child::wait_with_output);
        let (status, said) = match output {
            Ok(output) => (Ok(output.status), output.stderr),
            Err(error) => (Err(error), Vec::new()),
        };
        let _ = io::stderr().write_all(&said);
        self.succeeded(status)?;
        Ok(said.is_empty())
    }

    fn command(&self, args: &[OsString]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args);
        for (variable, directories) in INCLUDE_PATHS {
            let users = env::var_os(variable).filter(|path| !path.is_empty());
            let users = users.iter().flat_map(env::split_paths);
            let ours = directories.iter().filter_map(|directory| own_headers(directory));
            if let Ok(path) = env::join_paths(users.chain(ours)).as_ref()
                && !path.is_empty()
            {
                command.env(variable, path);
            }
        }
        command
    }

    fn succeeded(&self, status: io::Result<ExitStatus>) -> Result<(), Failure> {
        let status =
            status.map_err(|reason| Error::Clang { program: self.program.clone(), reason })?;
        match status.success() {
            true if interrupt::requested() => Err(Failure::Interrupted),
            true => Ok(()),
            false => Err(Failure::Clang(status)),
        }
    }
}

/// Where clang looks for headers of C and of C++ after all directories that it is told by
/// options, and before its own; they count as the system's. And what it is to find there:
/// `leno.h`, and what is to come before a header of the C++ library.
const INCLUDE_PATHS: [(&str, &[&str]); 2] =
    [("C_INCLUDE_PATH", &[""]), ("CPLUS_INCLUDE_PATH", &["", "leno-c++"])];

/// A directory of our headers: that of the sources if the wrapper lies where cargo leaves it,
/// or the one that `make install` uses. None if clang looks there anyway.
fn own_headers(directory: &str) -> Option<PathBuf> {
    let program = env::current_exe().and_then(fs::canonicalize).ok()?;
    let beside = program.parent()?;
    let places = ["../../include", "../include"].map(|place| beside.join(place));
    let ours = places.into_iter().find(|place| place.join("leno.h").exists())?;
    let ours = fs::canonicalize(ours.join(directory)).ok()?;
    let standard = ["/usr/include", "/usr/local/include"].map(Path::new);
    (!standard.contains(&&*ours)).then_some(ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides_about_the_language() {
        assert_eq!(Language::of_program(Path::new("/usr/bin/leno-cc")), Language::C);
        assert_eq!(Language::of_program(Path::new("leno-c++")), Language::Cxx);
    }

    #[test]
    fn a_misspelt_variable_is_noticed() {
        let names = ["PATH", "LENO_CLANG", "LENO_CLANGG"].map(String::from);
        assert_eq!(unknown_variables(names.into_iter()), ["LENO_CLANGG"]);
    }
}
