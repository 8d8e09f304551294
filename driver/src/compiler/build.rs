//! The steps from sources to objects and to a program.

use super::{
    Clang, Error, Failure,
    cache::{Cache, Key},
    command_line::{CommandLine, Goal, Input, Item, is_dropped},
};
use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

const STUB: &str = "libleno_stub.so";

/// Quiets clang about options that matter in another step than the one they are
/// given in.
const QUIET: &str = "-Wno-unused-command-line-argument";

/// And about options of which it has said in the first step what there is to say.
const SAID: [&str; 2] = ["-Wno-unknown-warning-option", "-Wno-deprecated"];

/// Faults of C that the compilers of old only warn of, and many a program has. clang takes
/// them for errors, and the user may still say so: this comes first.
const OLD: [&str; 6] = [
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
];

/// What the front end is told in addition: see [`Build::front`].
const POSITIONS: [&str; 3] = ["-Xclang", "-disable-O0-optnone", "-g"];
const UNTOUCHED: [&str; 3] = ["-Xclang", "-disable-llvm-passes", "-emit-llvm"];

pub struct Build<'a> {
    clang: &'a Clang,
    line: &'a CommandLine,
    /// Everything in between goes here, and goes away with it.
    scratch: TempDir,
}

fn args<const N: usize>(words: [&str; N]) -> [OsString; N] {
    words.map(OsString::from)
}

impl<'a> Build<'a> {
    pub fn new(clang: &'a Clang, line: &'a CommandLine) -> Result<Self, Error> {
        let scratch = tempfile::Builder::new()
            .prefix("leno-cc-")
            .tempdir()
            .map_err(|reason| Error::File { path: env::temp_dir(), reason })?;
        Ok(Self { clang, line, scratch })
    }

    pub fn run(&self) -> Result<(), Failure> {
        match self.line.goal {
            Goal::Link => self.link(),
            _ => self.compile_only(),
        }
    }

    fn compile_only(&self) -> Result<(), Failure> {
        let sources = self.line.inputs().filter(|input| input.is_source()).enumerate();
        for (number, input) in sources {
            let output = self.line.output.clone().unwrap_or_else(|| self.default_output(input));
            self.object(number, input, Path::new(&output))?;
        }
        Ok(())
    }

    /// What clang calls the output if nobody says.
    fn default_output(&self, input: &Input) -> OsString {
        let mut name = input.stem();
        name.push(if self.line.goal == Goal::Assembly { ".s" } else { ".o" });
        name
    }

    /// The option for what is made of a source.
    fn kind(&self) -> &'static str {
        if self.line.goal == Goal::Assembly { "-S" } else { "-c" }
    }

    /// Makes an object of a source; with the pass if it is of a language that the
    /// pass knows.
    fn object(&self, number: usize, input: &Input, output: &Path) -> Result<(), Failure> {
        if !input.is_instrumented() {
            let mut command = self.options();
            // An option that one of several inputs has no use for is for the others.
            if self.line.inputs().count() > 1 {
                command.push(QUIET.into());
            }
            command.extend(input_args(input));
            command.extend(args(["-c", "-o"]));
            command.push(output.into());
            return self.clang.run(&command);
        }
        let bitcode = self.scratch.path().join(format!("{number}.bc"));
        self.front(input, &bitcode)?;
        self.name_output(&bitcode, output)?;
        if !bitcode.exists() {
            // Asked for something else, as with `-Xclang -ast-dump`.
            return Ok(());
        }
        let content = read(&bitcode)?;
        let (cache, key) = self.cached(&content, output).unzip();
        if let Some(object) = cache.as_ref().zip(key.as_ref()).and_then(|(c, key)| c.get(key)) {
            return Ok(replace(output, &object)?);
        }
        let instrumented = leno_pass::instrument(&content, &input.path.to_string_lossy())?;
        write(&bitcode, &instrumented.bitcode)?;
        let silent = self.back(&bitcode, output)?;
        if let (true, Some(cache), Some(key)) = (silent, cache, key) {
            cache.put(&key, &read(output)?);
        }
        Ok(())
    }

    /// Where the object may have been kept, and by which name; none if more than the
    /// object is made of the bitcode, or if it is made of more than the bitcode.
    fn cached(&self, bitcode: &[u8], output: &Path) -> Option<(Cache, Key)> {
        let options = self.back_options();
        let unknown = options.iter().any(|option| {
            let option = option.to_string_lossy();
            UNCACHED.iter().any(|prefix| option.starts_with(prefix))
        });
        let ordinary = fs::symlink_metadata(output).map_or(true, |file| file.is_file());
        if unknown || !ordinary || output.as_os_str() == "-" {
            return None;
        }
        let mut options = options;
        options.push(self.kind().into());
        Some((Cache::find()?, Cache::key(&self.clang.program, &options, bitcode)?))
    }

    /// Source to bitcode. The optimiser stays off, so that every access in the
    /// source is one in the bitcode, and functions are not marked as not to be
    /// optimised. Positions are wanted whatever the user says, hence `-g` at the end.
    fn front(&self, input: &Input, bitcode: &Path) -> Result<(), Failure> {
        let mut command = Vec::new();
        if input.is_c() {
            command.extend(args(OLD));
        }
        command.extend(self.options());
        command.extend(self.dependency_options(input));
        command.extend(self.module_options(input));
        command.extend(input_args(input));
        if self.line.goal == Goal::Link {
            command.push(QUIET.into());
        }
        if input.is_bitcode() {
            command.push(QUIET.into());
        } else {
            command.extend(args(POSITIONS));
        }
        command.extend(args(UNTOUCHED));
        command.extend(args(["-c", "-o"]));
        command.push(bitcode.into());
        self.clang.run(&command)
    }

    /// Instrumented bitcode to object, optimised as the user wants it and no more: the
    /// optimiser may drop a division by zero whose result it does not need, and the
    /// program that is checked is to be the user's.
    ///
    /// Gives whether clang had nothing to say.
    fn back(&self, bitcode: &Path, output: &Path) -> Result<bool, Failure> {
        let mut command = self.back_options();
        command.extend(args(SAID));
        command.extend(args([QUIET, "-x", "ir"]));
        command.push(bitcode.into());
        command.extend(args([self.kind(), "-o"]));
        command.push(output.into());
        self.clang.run_and_listen(&command)
    }

    /// Of the preprocessor, of the language and of dependency files nothing is left to do.
    fn back_options(&self) -> Vec<OsString> {
        let mut options = Vec::new();
        let mut words = self.line.options();
        while let Some(option) = words.next() {
            let value = option.get(1).map(|value| value.to_string_lossy());
            match (option[0].to_str(), value.as_deref()) {
                // As CMake says it; the value comes with another `-Xclang`.
                (Some("-Xclang"), Some("-include" | "-include-pch")) => drop(words.next()),
                // There is no more than 3, as clang has said.
                (Some(level), None) if is_above_all(level) => options.push("-O3".into()),
                _ if is_for_back(option) => options.extend(option.iter().cloned()),
                _ => {}
            }
        }
        options
    }

    /// What clang has written about its output names a file of ours: put in the user's.
    fn name_output(&self, bitcode: &Path, output: &Path) -> Result<(), Error> {
        for words in self.line.options().filter(|words| words[0] == "-MJ") {
            let Some(path) = words.get(1).map(PathBuf::from) else { continue };
            if let Ok(text) = fs::read_to_string(&path) {
                let (from, to) = (bitcode.to_string_lossy(), output.to_string_lossy());
                let mut text = text.replace(&*from, &to);
                for ours in [&POSITIONS[..], &UNTOUCHED[..]] {
                    let words: String = ours.iter().map(|word| format!("\"{word}\", ")).collect();
                    text = text.replace(&words, "");
                }
                write(&path, text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// The user's options in their order, as far as they are for the front end.
    fn options(&self) -> Vec<OsString> {
        let kept = self.line.options().filter(|words| !is_dropped(&words[0].to_string_lossy()));
        kept.flatten().cloned().collect()
    }

    /// clang derives the names in dependency files from its output, which is ours
    /// here and not the user's: say them.
    fn dependency_options(&self, input: &Input) -> Vec<OsString> {
        let line = self.line;
        let said =
            |name: &str| line.options().any(|words| words[0].to_string_lossy().starts_with(name));
        // `-Wp,-MD,file`, as the preprocessor of old was told.
        let passed_on = said("-Wp,-MD") || said("-Wp,-MMD");
        if !passed_on && !["-MD", "-MMD"].iter().any(|option| line.has_option(option)) {
            return Vec::new();
        }
        // clang names an object here, also where it makes assembly.
        let object = Path::new(&input.stem()).with_extension("o");
        let output = line.output.as_ref().map_or(object, PathBuf::from);
        let mut options = Vec::new();
        if !said("-MF") && !passed_on {
            options.extend([OsString::from("-MF"), output.with_extension("d").into()]);
        }
        if !said("-MT") && !said("-MQ") {
            options.extend([OsString::from("-MQ"), output.into()]);
        }
        options
    }

    /// What those who import a module need is written beside the object, which is ours here.
    fn module_options(&self, input: &Input) -> Vec<OsString> {
        let said = self
            .line
            .options()
            .any(|words| words[0].to_string_lossy().starts_with("-fmodule-output="));
        if said || !input.is_module() || input.language.as_deref() == Some("pcm") {
            return Vec::new();
        }
        let object = self.line.output.as_ref().filter(|_| self.line.goal != Goal::Link);
        let name = object.map_or_else(|| input.stem().into(), PathBuf::from);
        let mut option = OsString::from("-fmodule-output=");
        option.push(name.with_extension("pcm"));
        vec![option]
    }

    /// Compiles what has to be, then links everything in the user's order.
    fn link(&self) -> Result<(), Failure> {
        let mut command: Vec<OsString> = Vec::new();
        for (number, item) in self.line.items.iter().enumerate() {
            match item {
                Item::Option(words) if is_for_link(words) => command.extend(words.iter().cloned()),
                Item::Option(_) => {}
                Item::Input(input) if input.is_source() => {
                    // Named after the source, because the linker's messages name it.
                    let folder = self.scratch.path().join(number.to_string());
                    fs::create_dir(&folder)
                        .map_err(|reason| Error::File { path: folder.clone(), reason })?;
                    let mut name = input.stem();
                    name.push(".o");
                    let object = folder.join(name);
                    self.object(number, input, &object)?;
                    command.push(object.into());
                }
                Item::Input(input) => {
                    command.extend(input_args(input));
                    if input.explicit {
                        command.extend(args(["-x", "none"]));
                    }
                }
            }
        }
        if let Some(output) = &self.line.output {
            command.extend([OsString::from("-o"), output.clone()]);
        }
        command.push(QUIET.into());
        if self.line.inputs().any(Input::is_source) {
            command.extend(args(SAID));
        }
        if !self.line.makes_object() {
            command.extend(stub_options(&stub_directory()?));
        }
        self.clang.run(&command)
    }
}

/// The stub is needed even if, as with `-Wl,--as-needed`, no object seems to need
/// it: the runtime takes its place by name. And it is a shared library also behind a
/// `-Wl,-Bstatic` that was meant for others.
fn stub_options(directory: &Path) -> Vec<OsString> {
    let with_directory = |option: &str| {
        let mut option = OsString::from(option);
        option.push(directory);
        option
    };
    let mut options = vec![with_directory("-L")];
    const STATE: &str = "-Wl,--push-state,--no-as-needed,-Bdynamic";
    options.extend(args([STATE, "-lleno_stub", "-Wl,--pop-state"]));
    options.push(with_directory("-Wl,-rpath,"));
    options.push("-pthread".into());
    options
}

/// Beside the wrapper, as cargo leaves it, or where `make install` puts it.
fn stub_directory() -> Result<PathBuf, Error> {
    let program = env::current_exe()
        .and_then(fs::canonicalize)
        .map_err(|reason| Error::File { path: "/proc/self/exe".into(), reason })?;
    let beside = program.parent().unwrap_or(Path::new("/")).to_owned();
    let installed = beside.parent().unwrap_or(&beside).join("lib/leno");
    if beside.join(STUB).exists() {
        Ok(beside)
    } else if installed.join(STUB).exists() {
        Ok(installed)
    } else {
        Err(Error::NoStub(beside, installed))
    }
}

/// An input as an argument; a language that was said is said again.
fn input_args(input: &Input) -> Vec<OsString> {
    let mut command = Vec::new();
    if let Some(language) = input.language.as_ref().filter(|_| input.explicit) {
        command.extend([OsString::from("-x"), language.into()]);
    }
    command.push(input.path.clone());
    command
}

/// Options by which the last step writes other files besides, reads some, or may do
/// anything; `-v` is to be seen to do something.
const UNCACHED: &[&str] = &[
    "-gsplit-dwarf",
    "-ftime-trace",
    "-ftime-report",
    "-fstack-usage",
    "-fprofile",
    "-fcs-profile",
    "-fauto-profile",
    "-fcoverage",
    "-ftest-coverage",
    "--coverage",
    "-coverage",
    "-fplugin",
    "-fpass-plugin",
    "-fsave-optimization-record",
    "-foptimization-record",
    "-fthin",
    "-fxray",
    "-fbasic-block",
    "-R",
    "-B",
    "-Wa,",
    "-Xassembler",
    "-mllvm",
    "-Xclang",
    "--config",
    "-v",
];

/// `-O9`, which is as good as `-O3`.
fn is_above_all(option: &str) -> bool {
    let level = option.strip_prefix("-O").and_then(|level| level.parse::<u32>().ok());
    level.is_some_and(|level| level > 4)
}

fn is_for_back(words: &[OsString]) -> bool {
    let name = words[0].to_string_lossy();
    const SPENT: [&str; 12] = [
        "-M",
        "-I",
        "-D",
        "-U",
        "-i",
        "-std=",
        "--std",
        "-Wp,",
        "-L",
        "-fmodule",
        "-fprebuilt-module-path",
        "-fimplicit-module",
    ];
    !is_dropped(&name) && !SPENT.iter().any(|prefix| name.starts_with(prefix))
}

fn is_for_link(words: &[OsString]) -> bool {
    let name = words[0].to_string_lossy();
    !is_dropped(&name) && !name.starts_with("-M")
}

/// Makes a file anew, so that others who have it open or by another name keep theirs.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let _ = fs::remove_file(path);
    write(path, bytes)
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|reason| Error::File { path: path.to_owned(), reason })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(|reason| Error::File { path: path.to_owned(), reason })
}
