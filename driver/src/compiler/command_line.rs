//! What a compiler's command line asks for.
//!
//! Only as much of clang's options is known here as it takes to tell inputs from
//! options and their values; everything else is handed on. The two tables below are
//! all of it.

use super::{Error, Language, spelling};
use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::Path,
};

/// Options whose value is the next argument. (Joined forms like `-Idir` are one
/// argument and need no mention.)
const WITH_VALUE: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-F",
    "-include",
    "-imacros",
    "-include-pch",
    "-isystem",
    "-isystem-after",
    "-idirafter",
    "-iquote",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-iframework",
    "-isysroot",
    "--sysroot",
    "-ivfsoverlay",
    "-cxx-isystem",
    "-c-isystem",
    "-stdlib++-isystem",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xanalyzer",
    "-Xarch_host",
    "-mllvm",
    "-T",
    "-u",
    "-z",
    "-e",
    "-target",
    "-arch",
    "-rpath",
    "-G",
    "-A",
    "--param",
    "-working-directory",
    "-gcc-toolchain",
    "-B",
    "-framework",
    "-fplugin-arg",
    "-dumpdir",
    "--config",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-undefined",
    "-wrapper",
    "--rtlib",
    "--std",
    "--stdlib",
    "--analyzer-output",
    "--assert",
    "--dyld-prefix",
    "--no-system-header-prefix",
    "--print-file-name",
    "--print-prog-name",
    "--system-header-prefix",
    "-V",
    "-Xarch_device",
    "-Xclangas",
    "-Xopenmp-target",
    "-Zlinker-input",
    "-b",
    "-ccc-gcc-name",
    "-ccc-install-dir",
    "-dependency-dot",
    "-dependency-file",
    "-fdebug-compilation-dir",
    "-filelist",
    "-fmodule-implementation-of",
    "-fmodules-user-build-path",
    "-fnew-alignment",
    "-ftrapv-handler",
    "-gen-cdb-fragment-path",
    "-iframeworkwithsysroot",
    "-imultilib",
    "-init",
    "-mmlir",
    "-module-dependency-dir",
    "-mthread-model",
    "-object-file-name",
    "-resource-dir",
    "-specs",
    "--specs",
    "-vfsoverlay",
    "--vfsoverlay",
];

/// Options that make clang do something else than objects and programs. The last
/// group only tells something, whatever the inputs are.
const OTHER_GOALS: &[&str] = &[
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "--analyze",
    "-emit-llvm",
    "-emit-ast",
    "--precompile",
    "-###",
    "-cc1",
    "-cc1as",
    "-emit-interface-stubs",
    "-extract-api",
    "-fdriver-only",
    "-module-file-info",
    "-rewrite-objc",
    "-verify-pch",
    "--version",
    "--help",
    "-help",
    "-dumpmachine",
    "-dumpversion",
    "--print-diagnostic-options",
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Objects, one for each input (`-c`).
    Compile,
    /// Assembly, one for each input (`-S`): some builds make their objects of it.
    Assembly,
    /// A program or a shared library.
    Link,
    /// Nothing that has to be instrumented.
    Other,
}

/// One argument, with its value where that is an argument of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    Input(Input),
    Option(Vec<OsString>),
}

/// A file to work on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    pub path: OsString,
    /// The language that `-x` says, or the file's name.
    pub language: Option<String>,
    /// `-x` was said.
    pub explicit: bool,
}

impl Input {
    /// It passes through the pass.
    pub fn is_instrumented(&self) -> bool {
        matches!(
            self.language.as_deref(),
            Some("c" | "cpp-output" | "c++" | "c++-cpp-output" | "ir")
        ) || self.is_module()
    }

    /// A unit of a C++20 module that others import, as source or as what was made of it
    /// for them.
    pub fn is_module(&self) -> bool {
        matches!(self.language.as_deref(), Some("c++-module" | "c++-module-cpp-output" | "pcm"))
    }

    pub fn is_c(&self) -> bool {
        matches!(self.language.as_deref(), Some("c" | "cpp-output"))
    }

    pub fn is_bitcode(&self) -> bool {
        self.language.as_deref() == Some("ir")
    }

    /// It is compiled to an object, with or without the pass.
    pub fn is_source(&self) -> bool {
        self.language.is_some()
    }

    fn is_header(&self) -> bool {
        self.language.as_deref().is_some_and(|language| language.ends_with("-header"))
    }

    /// It went through a preprocessor for a machine with 32 bits, which only its types tell.
    pub fn is_for_32_bits(&self) -> bool {
        let preprocessed =
            matches!(self.language.as_deref(), Some("cpp-output" | "c++-cpp-output"));
        let text = if preprocessed { std::fs::read(&self.path) } else { return false };
        let says = |line: &[u8]| {
            line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).eq([
                &b"typedef"[..],
                b"unsigned",
                b"int",
                b"size_t;",
            ])
        };
        text.is_ok_and(|text| text.split(|byte| *byte == b'\n').any(says))
    }

    /// The file's name without directory and extension; what outputs are named after.
    pub fn stem(&self) -> OsString {
        Path::new(&self.path).file_stem().unwrap_or(&self.path).to_owned()
    }
}

fn language_of(path: &OsStr, wrapper: Language) -> Option<&'static str> {
    let extension = Path::new(path).extension()?.to_str()?;
    Some(match extension {
        // clang++ takes C for C++, and so do build systems that rely on it.
        "c" if wrapper == Language::Cxx => "c++",
        "c" => "c",
        "i" => "cpp-output",
        "cc" | "cp" | "cxx" | "cpp" | "c++" | "C" | "CC" | "CPP" | "CXX" | "C++" => "c++",
        "ii" => "c++-cpp-output",
        "cppm" | "ccm" | "cxxm" | "c++m" => "c++-module",
        "iim" => "c++-module-cpp-output",
        "pcm" => "pcm",
        "ll" | "bc" => "ir",
        "s" => "assembler",
        "S" | "sx" => "assembler-with-cpp",
        "h" | "H" | "hh" | "hp" | "hxx" | "hpp" | "h++" => "c-header",
        _ => return None,
    })
}

#[derive(Clone, Debug)]
pub struct CommandLine {
    pub goal: Goal,
    pub items: Vec<Item>,
    pub output: Option<OsString>,
}

impl CommandLine {
    pub fn parse(args: &[OsString], wrapper: Language) -> Self {
        let mut line = Self { goal: Goal::Link, items: Vec::new(), output: None };
        let mut explicit: Option<String> = None;
        let mut only_inputs = false;
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let text = arg.to_string_lossy();
            let is_option = text.starts_with('-') && text != "-" && !only_inputs;
            if !is_option {
                let guessed = language_of(arg, wrapper).map(str::to_owned);
                line.items.push(Item::Input(Input {
                    path: arg.clone(),
                    language: explicit.clone().or(guessed),
                    explicit: explicit.is_some(),
                }));
                continue;
            }
            let (arg, joined) = spelling::short(arg);
            let text = arg.to_string_lossy();
            let value = match joined {
                None if WITH_VALUE.contains(&text.as_ref()) => args.next().cloned(),
                joined => joined,
            };
            match text.as_ref() {
                "--" => only_inputs = true,
                "-c" if line.goal == Goal::Link => line.goal = Goal::Compile,
                "-c" => {}
                "-S" if line.goal != Goal::Other => line.goal = Goal::Assembly,
                "-S" => {}
                "-o" => line.output = value,
                "-x" => explicit = value.and_then(|name| language_name(&name)),
                _ if text.starts_with("-x") && text.len() > 2 => {
                    explicit = language_name(OsStr::new(&text[2..]));
                }
                // `-ofile`; `-objc…` and the like are other languages' options.
                _ if text.starts_with("-o") && text.len() > 2 && !text.starts_with("-obj") => {
                    line.output = Some(OsStr::from_bytes(&arg.as_bytes()[2..]).to_owned());
                }
                _ => {
                    if OTHER_GOALS.contains(&text.as_ref())
                        || text.starts_with("-print-")
                        || text.starts_with("--print-")
                        || text.starts_with("--help-")
                    {
                        line.goal = Goal::Other;
                    }
                    line.items.push(Item::Option(std::iter::once(arg).chain(value).collect()));
                }
            }
        }
        line.settle_goal();
        line
    }

    /// clang itself says what is wrong with a command line that asks for nothing
    /// or for the impossible.
    fn settle_goal(&mut self) {
        let sources = self.inputs().filter(|input| input.is_source()).count();
        let nothing = self.inputs().next().is_none();
        let links = self.goal == Goal::Link;
        let ambiguous = !links && self.output.is_some() && sources > 1;
        let idle = !links && sources == 0;
        let foreign = self.goal == Goal::Assembly
            && self.inputs().any(|input| input.is_source() && !input.is_instrumented());
        if nothing || ambiguous || idle || foreign || self.inputs().any(Input::is_header) {
            self.goal = Goal::Other;
        }
    }

    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.items.iter().filter_map(|item| match item {
            Item::Input(input) => Some(input),
            Item::Option(_) => None,
        })
    }

    /// All options but those that say what to make of which inputs.
    pub fn options(&self) -> impl Iterator<Item = &Vec<OsString>> {
        self.items.iter().filter_map(|item| match item {
            Item::Option(words) => Some(words),
            Item::Input(_) => None,
        })
    }

    fn option_names(&self) -> impl Iterator<Item = String> {
        self.options().map(|words| words[0].to_string_lossy().into_owned())
    }

    pub fn has_option(&self, name: &str) -> bool {
        self.option_names().any(|option| option == name)
    }

    pub fn refuse_unsupported(&self) -> Result<(), Error> {
        for option in self.option_names() {
            let reason = if option == "-static" || option == "-static-pie" {
                "leno replaces functions of the dynamically linked C library"
            } else if option == "-m32" || option == "-mx32" {
                "leno checks programs for x86-64"
            } else if option.starts_with("-fsanitize=") {
                "a sanitizer has hooks and a runtime of its own, which cannot be checked along"
            } else if OPENMP.contains(&option.as_str()) {
                "threads of OpenMP wait for each other in a library that leno cannot look into \
                 (-fopenmp-simd is taken)"
            } else {
                continue;
            };
            return Err(Error::Refused { option, reason });
        }
        Ok(())
    }

    /// Options that cannot be honoured but do no harm, and why.
    pub fn dropped_options(&self) -> Vec<(String, &'static str)> {
        let why = |option: String| why_dropped(&option).map(|why| (option, why));
        self.option_names().filter_map(why).collect()
    }

    /// What the linker is told to make is no program and no library, but one more object.
    pub fn makes_object(&self) -> bool {
        self.options().any(|words| {
            let word = |index: usize| words.get(index).map(|word| word.to_string_lossy());
            let (name, value) = (word(0).unwrap_or_default(), word(1));
            let told =
                name.strip_prefix("-Wl,").or(value.as_deref().filter(|_| name == "-Xlinker"));
            name == "-r"
                || told.is_some_and(|told| told.split(',').any(|word| RELOCATABLE.contains(&word)))
        })
    }
}

/// How the linker is told.
const RELOCATABLE: [&str; 3] = ["-r", "-i", "--relocatable"];

/// Makes threads of OpenMP. (With another library's name clang makes none.)
const OPENMP: [&str; 3] = ["-fopenmp", "-fopenmp=libomp", "-fopenmp=libiomp5"];

pub fn is_dropped(option: &str) -> bool {
    why_dropped(option).is_some()
}

/// Why an option is left out, if it is: link-time optimisation would want bitcode where there
/// are instrumented objects, and the files in between are not those that somebody could
/// expect. Counting has a runtime that writes files when the program ends, and a timer.
pub fn why_dropped(option: &str) -> Option<&'static str> {
    const STEPS: [&str; 4] =
        ["-flto", "-ffat-lto-objects", "-fwhole-program-vtables", "-fsplit-lto-unit"];
    const STEPS_WITH: [&str; 5] =
        ["-flto=", "-fembed-bitcode", "-save-temps", "--save-temps", "-fvirtual-function-elim"];
    const COUNTS: [&str; 7] = [
        "-p",
        "-pg",
        "--coverage",
        "-fprofile-arcs",
        "-ftest-coverage",
        "-fcoverage-mapping",
        "-fcoverage-mcdc",
    ];
    const COUNTS_WITH: [&str; 5] = [
        "-fprofile-generate",
        "-fprofile-instr-generate",
        "-fcs-profile-generate",
        "-fprofile-update",
        "-fprofile-continuous",
    ];
    let is = |exactly: &[&str], beginnings: &[&str]| {
        exactly.contains(&option) || beginnings.iter().any(|prefix| option.starts_with(prefix))
    };
    if is(&STEPS, &STEPS_WITH) {
        Some("the steps between source and object are leno's own")
    } else if is(&COUNTS, &COUNTS_WITH) {
        Some("what a program does is not counted while it is checked")
    } else {
        None
    }
}

fn language_name(name: &OsStr) -> Option<String> {
    name.to_str().filter(|name| *name != "none").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> CommandLine {
        let args: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
        CommandLine::parse(&args, Language::C)
    }

    fn inputs(line: &CommandLine) -> Vec<(String, Option<String>)> {
        let name = |input: &Input| input.path.to_string_lossy().into_owned();
        line.inputs().map(|input| (name(input), input.language.clone())).collect()
    }

    #[test]
    fn values_of_options_are_no_inputs() {
        let line = parse("-o prog -I inc -MF x.d -include y.h a.c -Xlinker z.c -L lib b.o -lm");
        assert_eq!(line.goal, Goal::Link);
        assert_eq!(line.output, Some("prog".into()));
        assert_eq!(inputs(&line), [("a.c".into(), Some("c".into())), ("b.o".into(), None)]);
    }

    #[test]
    fn a_header_that_is_included_is_no_input() {
        for text in ["-include a.h", "-includea.h", "--include a.h", "--include=a.h"] {
            let line = parse(&format!("{text} -c b.c"));
            assert_eq!(line.goal, Goal::Compile, "{text}");
            assert_eq!(inputs(&line), [("b.c".into(), Some("c".into()))], "{text}");
        }
    }

    #[test]
    fn a_language_holds_until_the_next() {
        let line = parse("-c -x c one -xc++ two -x none three.c -x c -");
        let languages: Vec<_> = inputs(&line).into_iter().filter_map(|(_, l)| l).collect();
        assert_eq!(languages, ["c", "c++", "c", "c"]);
    }

    #[test]
    fn what_makes_no_object_is_left_to_clang() {
        for text in [
            "",
            "-v",
            "--version",
            "-dumpmachine",
            "-print-search-dirs",
            "-E a.c",
            "-S a.s",
            "-S -emit-llvm a.c",
            "-E -S a.c",
            "-M a.c",
            "-MM a.c",
            "-fsyntax-only a.c",
            "-c -E a.c",
            "-c",
            "-c a.o",
            "-c a.c b.c -o x.o",
            "-x c-header a",
            "-emit-llvm -c a.c",
            "-print-file-name=x",
        ] {
            assert_eq!(parse(text).goal, Goal::Other, "{text}");
        }
        for text in ["-c a.c", "-c a.c b.c", "-c a.s", "-MD -c a.c", "-v -c a.c"] {
            assert_eq!(parse(text).goal, Goal::Compile, "{text}");
        }
        for text in ["-S a.c", "-S a.c -o -", "-S -c a.c", "-c -S a.c b.i"] {
            assert_eq!(parse(text).goal, Goal::Assembly, "{text}");
        }
        for text in ["a.c", "a.o", "-shared a.o", "a.c b.s"] {
            assert_eq!(parse(text).goal, Goal::Link, "{text}");
        }
    }

    #[test]
    fn an_option_that_cannot_be_honoured_is_refused() {
        assert!(parse("a.c -static").refuse_unsupported().is_err());
        assert!(parse("a.c -fsanitize=thread").refuse_unsupported().is_err());
        assert!(parse("a.c --static").refuse_unsupported().is_err());
        assert!(parse("a.c -fopenmp").refuse_unsupported().is_err());
        assert!(parse("a.c -fopenmp-simd").refuse_unsupported().is_ok());
        assert!(parse("-m32 -c a.c").refuse_unsupported().is_err());
        assert!(parse("a.c -static-libgcc -fno-sanitize=all").refuse_unsupported().is_ok());
        assert_eq!(parse("a.c -flto=thin -O2").dropped_options().len(), 1);
        assert_eq!(parse("a.c -pthread -pipe -pie -pg").dropped_options()[0].0, "-pg");
    }
}
