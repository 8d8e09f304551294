//! What a compiler's command line asks for.
//!
//! Only as much of clang's options is known here as it takes to tell inputs from
//! options and their values; everything else is handed on. The two tables below are
//! all of it.

use super::{Error, Language};
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
    "--preprocess",
    "-emit-interface-stubs",
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
        )
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
        "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" => "c++",
        "ii" => "c++-cpp-output",
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
            let value = WITH_VALUE.contains(&text.as_ref()).then(|| args.next()).flatten();
            match text.as_ref() {
                "--" => only_inputs = true,
                "-c" if line.goal == Goal::Link => line.goal = Goal::Compile,
                "-c" => {}
                "-S" | "--assemble" if line.goal != Goal::Other => line.goal = Goal::Assembly,
                "-S" | "--assemble" => {}
                "-o" => line.output = value.cloned(),
                "-x" => explicit = value.and_then(|name| language_name(name)),
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
                    line.items
                        .push(Item::Option(std::iter::once(arg).chain(value).cloned().collect()));
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
            } else {
                continue;
            };
            return Err(Error::Refused { option, reason });
        }
        Ok(())
    }

    /// Options that cannot be honoured but do no harm.
    pub fn dropped_options(&self) -> Vec<String> {
        self.option_names().filter(|option| is_dropped(option)).collect()
    }
}

/// Link-time optimisation would want bitcode where there are instrumented objects,
/// and the files in between are not those that somebody could expect.
pub fn is_dropped(option: &str) -> bool {
    const EXACTLY: [&str; 4] =
        ["-flto", "-ffat-lto-objects", "-fwhole-program-vtables", "-fsplit-lto-unit"];
    const BEGINNINGS: [&str; 5] =
        ["-flto=", "-fembed-bitcode", "-save-temps", "--save-temps", "-fvirtual-function-elim"];
    EXACTLY.contains(&option) || BEGINNINGS.iter().any(|prefix| option.starts_with(prefix))
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
        assert!(parse("-m32 -c a.c").refuse_unsupported().is_err());
        assert!(parse("a.c -static-libgcc -fno-sanitize=all").refuse_unsupported().is_ok());
        assert_eq!(parse("a.c -flto=thin -O2").dropped_options(), ["-flto=thin"]);
    }
}
