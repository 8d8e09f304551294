//! `leno-cc` as a build system uses it, and its programs without leno.

use leno_tests::{root, scratch, tool};
use std::{
    ffi::OsStr,
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

const HELLO: &str = r#"
#include <stdio.h>
#ifndef WHO
#define WHO "world"
#endif
int main(void) { printf("hello %s\n", WHO); return 0; }
"#;

/// A directory with sources in it.
struct Project {
    directory: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { directory: scratch() };
        for (name, content) in files {
            fs::create_dir_all(project.path(name).parent().unwrap()).unwrap();
            fs::write(project.path(name), content).unwrap();
        }
        project
    }

    fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, program: impl AsRef<OsStr>, args: &str) -> Command {
        let mut command = Command::new(program);
        command.args(args.split_whitespace()).current_dir(self.directory.path());
        // Temporary files land where the test can see whether they are removed.
        fs::create_dir_all(self.path("tmp")).unwrap();
        command.env("TMPDIR", self.path("tmp")).env("XDG_CACHE_HOME", self.path("caches"));
        for variable in ["LENO_CLANG", "LENO_CACHE", "LENO_CACHE_SIZE"] {
            command.env_remove(variable);
        }
        command
    }

    fn cc(&self, args: &str) -> Output {
        let output = self.command(tool("leno-cc"), args).output().unwrap();
        let left = fs::read_dir(self.path("tmp")).unwrap().count();
        assert_eq!(left, 0, "leno-cc {args} leaves temporary files");
        output
    }

    /// Compiles what must compile.
    fn build(&self, args: &str) {
        let output = self.cc(args);
        assert!(output.status.success(), "leno-cc {args}: {}", stderr(&output));
        assert_eq!(stderr(&output), "", "leno-cc {args} is silent");
    }

    fn run(&self, program: &str) -> (Option<i32>, String) {
        let output = self.command(self.path(program), "").output().unwrap();
        (output.status.code(), stdout(&output))
    }

    fn shell(&self, program: &str, args: &str) -> String {
        stdout(&self.command(program, args).output().unwrap())
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn is_instrumented(&self, file: &str) -> bool {
        self.shell("readelf", &format!("-SW {file}")).contains(" .leno ")
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn one_step_makes_a_program() {
    let project = Project::new(&[("hello.c", HELLO)]);
    project.build("-Wall -Werror hello.c -o hello");
    assert_eq!(project.run("hello"), (Some(0), "hello world\n".into()));
    assert!(project.is_instrumented("hello"));
    project.build("hello.c -DWHO=\"you\"");
    assert_eq!(project.run("a.out").1, "hello you\n");
    assert!(!project.has("hello.o"));
}

#[test]
fn objects_archives_and_assembly_are_linked_in_the_users_order() {
    let project = Project::new(&[
        ("main.c", "int f(void), g(void), h(void); int main(void) { return f() + g() + h(); }"),
        ("sub/f.c", "#include \"f.h\"\nint f(void) { return F; }"),
        ("inc/f.h", "#define F 1"),
        ("g.s", ".globl g\ng: mov $2, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n"),
        (
            "h.S",
            "#define H 4\n.globl h\nh: mov $H, %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n",
        ),
    ]);
    project.build("-c -O2 -I inc sub/f.c main.c g.s h.S");
    for object in ["f.o", "main.o", "g.o", "h.o"] {
        assert!(project.has(object), "{object}");
    }
    assert!(project.is_instrumented("f.o") && !project.is_instrumented("g.o"));
    project.build("main.o f.o g.o h.o -o all");
    assert_eq!(project.run("all").0, Some(7));
    project.shell("ar", "rc libfgh.a f.o g.o h.o");
    project.build("main.c -L . -lfgh -o archived");
    assert_eq!(project.run("archived").0, Some(7));
    project.build("-Iinc main.c sub/f.c g.s h.S -o mixed");
    assert_eq!(project.run("mixed").0, Some(7));
}

#[test]
fn shared_libraries_are_instrumented_too() {
    let project = Project::new(&[
        ("lib.c", "int value = 5; int get(void) { return value; }"),
        ("main.c", "int get(void); extern int value; int main(void) { value++; return get(); }"),
    ]);
    project.build("-fPIC -shared lib.c -o libvalue.so");
    project.build("main.c -o main -L. -lvalue -Wl,-rpath,$ORIGIN");
    assert_eq!(project.run("main").0, Some(6));
    assert!(project.is_instrumented("libvalue.so"));
}

#[test]
fn the_stub_is_needed_whatever_the_linker_is_told() {
    let project = Project::new(&[("hello.c", HELLO)]);
    for options in ["-Wl,--as-needed", "-Wl,--gc-sections -ffunction-sections", "-fuse-ld=lld"] {
        project.build(&format!("-Wl,-O1 {options} hello.c -o hello"));
        let needed = project.shell("readelf", "-d hello");
        assert!(needed.contains("[libleno_stub.so]"), "{options}: {needed}");
        assert_eq!(project.run("hello").0, Some(0));
        assert!(project.is_instrumented("hello"), "{options}");
    }
}

#[test]
fn dependency_files_name_the_users_files() {
    let project = Project::new(&[
        ("a.c", "#include \"a.h\"\nint main(void) { return A; }"),
        ("a.h", "#define A 0"),
    ]);
    project.build("-MMD -c a.c -o out.o");
    assert_eq!(project.read("out.d"), "out.o: a.c a.h\n");
    project.build("-MD -MF deps -MT goal -c a.c");
    assert!(project.read("deps").starts_with("goal: a.c"));
    project.build("-MMD -MP -c a.c");
    assert!(project.read("a.d").starts_with("a.o: a.c a.h\n"));
    project.build("-Wp,-MMD,passed.d -c a.c -o passed.o");
    assert_eq!(project.read("passed.d"), "passed.o: a.c a.h\n");
    project.build("-MMD -MT x -MT y -MQ z$ -MF three.d -c a.c");
    assert_eq!(project.read("three.d"), "x y z$$: a.c a.h\n");
    project.build("-MMD a.c -o prog");
    assert_eq!(project.read("prog.d"), "prog: a.c a.h\n");
    project.build("-MJ compilation.json -c a.c -o b.o");
    assert!(project.read("compilation.json").contains("\"output\": \"b.o\""));
    let arguments = project.read("compilation.json");
    assert!(!arguments.contains("emit-llvm") && !arguments.contains("-Xclang"), "{arguments}");
    project.build("--compile --write-user-dependencies --output=long.o a.c");
    assert_eq!(project.read("long.d"), "long.o: a.c a.h\n");
    // make would take it for two goals.
    let mut spaced = project.command(tool("leno-cc"), "-MMD -c a.c -o");
    assert!(spaced.arg("a b.o").status().unwrap().success());
    assert_eq!(project.read("a b.d"), "a\\ b.o: a.c a.h\n");
    let printed = project.cc("-MM a.c");
    assert_eq!(stdout(&printed), "a.o: a.c a.h\n");
}

#[test]
fn what_is_not_compiled_is_clangs_business() {
    let project = Project::new(&[("hello.c", HELLO)]);
    let same = |args: &str| {
        let (ours, theirs) =
            (project.cc(args), project.command("clang-22", args).output().unwrap());
        assert_eq!(ours.status.code(), theirs.status.code(), "{args}");
        assert_eq!(stdout(&ours), stdout(&theirs), "{args}");
        assert_eq!(stderr(&ours), stderr(&theirs), "{args}");
    };
    for args in [
        "--version",
        "-v",
        "-dumpmachine",
        "-print-search-dirs",
        "-print-prog-name=ld",
        "",
        "-E hello.c",
        "-E -dM hello.c",
        "-fsyntax-only hello.c",
        "-E -P -x c hello.c",
        "-S -emit-llvm -o - hello.c",
        "-print-file-name=crt1.o",
        "-print-resource-dir",
        "-dumpversion",
        "-M -MG hello.c",
        "missing.c",
        "-c missing.c",
        "-c",
        "-c hello.c hello.c -o x.o",
        "--no-such-option hello.c",
        "-c -Wall -Wunused hello.c -lm",
    ] {
        same(args);
    }
}

#[test]
fn diagnostics_and_status_are_clangs() {
    let project = Project::new(&[
        ("bad.c", "int main(void) { return x; }"),
        ("warn.c", "int main(void) { int unused; return 0; }"),
        ("undefined.c", "int f(void); int main(void) { return f(); }"),
    ]);
    let output = project.cc("bad.c -o bad");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("bad.c:1:25: error: use of undeclared identifier 'x'"));
    assert!(!project.has("bad"));
    let output = project.cc("-Wall -c warn.c");
    assert_eq!(stderr(&output).matches("warning:").count(), 1);
    assert_eq!(project.cc("-Wall -Werror -c warn.c").status.code(), Some(1));
    // What clang says of its options it says once, however many steps get them.
    for option in ["-Wno-no-such-warning", "-Ofast", "-O4", "-O9"] {
        let args = format!("{option} -c warn.c");
        let theirs = project.command("clang-22", &args).output().unwrap();
        assert!(!stderr(&theirs).is_empty());
        assert_eq!(stderr(&project.cc(&args)), stderr(&theirs), "{args}");
    }
    // As configure scripts and Kbuild ask whether there is an option.
    let output = project.cc("-Werror -O1 -x c -c /dev/null -o probe.o");
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let output = project.cc("undefined.c");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("undefined reference to `f'"));
}

#[test]
fn languages_standard_input_and_response_files() {
    let project = Project::new(&[
        ("hello.txt", HELLO),
        ("hello.c", HELLO),
        ("args", "-DWHO='\"me\"' hello.c\n-o \"hello\""),
    ]);
    project.build("-x c hello.txt -o plain");
    assert_eq!(project.run("plain").1, "hello world\n");
    project.build("@args");
    assert_eq!(project.run("hello").1, "hello me\n");
    let mut child =
        project.command(tool("leno-cc"), "-x c - -o piped").stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(HELLO.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(project.run("piped").1, "hello world\n");
    project.shell("clang-22", "-g -Xclang -disable-llvm-passes -emit-llvm -c hello.c -o hello.bc");
    project.build("hello.bc -o from_bitcode");
    assert!(project.is_instrumented("from_bitcode"));
    assert_eq!(project.run("from_bitcode").1, "hello world\n");
}

#[test]
fn what_cannot_be_honoured_is_refused_or_said() {
    let project = Project::new(&[("hello.c", HELLO), ("bare.c", "int f(void) { return 0; }")]);
    for option in [
        "-static",
        "--static",
        "-fsanitize=address",
        "-fopenmp",
        "-m32",
        "--target=aarch64-linux-gnu",
    ] {
        let output = project.cc(&format!("{option} -c bare.c -o hello.o"));
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(stderr(&output).starts_with("leno-cc: error: "), "{option}: {}", stderr(&output));
        assert!(!project.has("hello.o"), "{option}");
    }
    project.build("-fno-lto -fno-sanitize=all -fopenmp-simd -c bare.c");
    // Counters have a runtime that writes files, and a timer.
    let output = project.cc("--coverage -pg -fprofile-instr-generate -O1 hello.c -o hello");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("is ignored").count(), 3, "{}", stderr(&output));
    assert_eq!(project.run("hello").0, Some(0));
    assert!(!project.has("gmon.out"));
    let output = project.cc("-flto -fwhole-program-vtables -O2 -c bare.c");
    assert_eq!(stderr(&output).matches("is ignored").count(), 2, "{}", stderr(&output));
    assert!(project.is_instrumented("bare.o"));
    let output = project.cc("-flto -O2 hello.c -o hello");
    assert!(output.status.success());
    assert!(stderr(&output).starts_with("leno-cc: warning: -flto is ignored"));
    assert_eq!(project.run("hello").0, Some(0));
}

#[test]
fn the_environment_is_read_with_care() {
    let project = Project::new(&[("hello.c", HELLO)]);
    let with = |name: &str, value: &str| {
        project.command(tool("leno-cc"), "-c hello.c").env(name, value).output().unwrap()
    };
    let output = with("LENO_CLANG", "/no/such/clang");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("/no/such/clang") && stderr(&output).contains("clang-22"));
    assert!(with("LENO_CLANG", "/usr/bin/clang-22").status.success());
    for known in ["LENO_CACHE", "LENO_CHECKS", "LENO_ARGS_prog"] {
        assert_eq!(stderr(&with(known, "off")), "", "{known}");
    }
    assert_eq!(stderr(&with("LENO_CACHE_SIZE", "5M")), "");
    let output = with("LENO_CACHE_SIZE", "5 megabytes");
    assert!(output.status.success());
    assert!(stderr(&output).contains("LENO_CACHE_SIZE is 5 megabytes"));
    let output = with("LENO_CLAGN", "x");
    assert!(output.status.success());
    assert!(stderr(&output).contains("LENO_CLAGN"));
}

#[test]
fn assembly_is_instrumented_as_objects_are() {
    let project = Project::new(&[("hello.c", HELLO)]);
    project.build("-S -O1 hello.c");
    assert!(project.read("hello.s").contains("__leno_register"));
    project.build("hello.s -o hello");
    assert!(project.is_instrumented("hello"));
    assert_eq!(project.run("hello").1, "hello world\n");
    assert!(stdout(&project.cc("-S hello.c -o -")).contains("__leno_register"));
}

#[test]
fn precompiled_headers_are_used() {
    let project = Project::new(&[
        ("all.h", "#define ANSWER 42"),
        ("main.c", "int main(void) { return ANSWER; }"),
    ]);
    project.build("-O1 -x c-header all.h -o all.h.pch");
    const AS_CMAKE_SAYS_IT: &str =
        "-Xclang -include-pch -Xclang all.h.pch -Xclang -include -Xclang all.h";
    for way in ["-include-pch all.h.pch", "-include all.h", AS_CMAKE_SAYS_IT] {
        project.build(&format!("-O1 {way} main.c -o main"));
        assert_eq!(project.run("main").0, Some(42), "{way}");
        project.build(&format!("-O1 {way} -c main.c"));
    }
}

#[test]
fn a_header_that_is_included_by_a_long_option_is_no_input() {
    let project =
        Project::new(&[("all.h", "#define A 7"), ("main.c", "int main(void) { return A; }")]);
    for option in ["--include all.h", "--include=all.h", "--std=c99 -includeall.h"] {
        project.build(&format!("{option} main.c -o main"));
        assert!(project.is_instrumented("main"), "{option}");
        assert_eq!(project.run("main").0, Some(7), "{option}");
    }
}

#[test]
fn modules_are_instrumented() {
    const CXX: &str = "--driver-mode=g++ -std=c++20";
    let files = [
        ("count.cppm", "export module count; int n; export int next() { return ++n; }"),
        ("main.cpp", "import count; int main() { return next(); }"),
    ];
    // As one has clang do it in one step, in two, and in one with the program.
    for way in [
        &["-c count.cppm", "-fprebuilt-module-path=. main.cpp count.o -o main"],
        &[
            "-fmodule-output=x.pcm -c count.cppm",
            "-fmodule-file=count=x.pcm main.cpp count.o -o main",
        ],
        &["--precompile count.cppm -o y.pcm", "-fmodule-file=count=y.pcm main.cpp y.pcm -o main"],
        &["-x c++-module -c count.cppm", "-fmodule-file=count=count.pcm main.cpp count.o -o main"],
    ] {
        let project = Project::new(&files);
        for step in way {
            project.build(&format!("{CXX} {step}"));
        }
        assert_eq!(project.run("main").0, Some(1), "{way:?}");
        assert!(!project.has("count.o") || project.is_instrumented("count.o"), "{way:?}");
        assert!(project.shell("nm", "-C main").contains("count"), "{way:?}");
    }
}

#[test]
fn a_request_for_something_else_than_code_is_answered() {
    let project = Project::new(&[("hello.c", HELLO)]);
    let output = project.cc("-Xclang -ast-dump -c hello.c -o hello.o");
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("FunctionDecl"));
    assert!(!project.has("hello.o"));
}

#[test]
fn a_program_may_do_without_the_library() {
    let project = Project::new(&[(
        "bare.c",
        "void _start(void) { __asm__ volatile(\"syscall\" : : \"a\"(60), \"D\"(7)); }",
    )]);
    project.build("-nostdlib bare.c -o bare");
    assert_eq!(project.run("bare").0, Some(7));
}

#[test]
fn version_scripts_and_strict_links_work() {
    let project = Project::new(&[
        ("lib.c", "int hidden(void) { return 2; } int shown(void) { return 1 + hidden(); }"),
        ("lib.map", "ONE { global: shown; local: *; };"),
        ("main.c", "int shown(void); int main(void) { return shown(); }"),
    ]);
    for linker in ["", "-fuse-ld=lld"] {
        project.build(&format!(
            "{linker} -fPIC -shared -fvisibility=default -Wl,-z,defs -Wl,-soname,libx.so.1 \
             -Wl,--version-script,lib.map lib.c -o libx.so.1"
        ));
        project.build(&format!("{linker} main.c ./libx.so.1 -o main -Wl,-z,now,-rpath,$ORIGIN"));
        assert_eq!(project.run("main").0, Some(3), "{linker}");
        let symbols = project.shell("nm", "-D libx.so.1");
        assert!(symbols.contains("shown@@ONE") && !symbols.contains("hidden"), "{symbols}");
    }
}

#[test]
fn an_archive_may_hold_objects_of_other_compilers() {
    let project = Project::new(&[
        ("ours.c", "int theirs(void); int ours(void) { return theirs() + 1; }"),
        ("theirs.c", "int theirs(void) { return 1; }"),
        ("main.c", "int ours(void); int main(void) { return ours(); }"),
    ]);
    project.build("-c ours.c");
    project.shell("gcc", "-c theirs.c");
    project.shell("ar", "rcs libmixed.a ours.o theirs.o");
    project.build("main.c libmixed.a -o main");
    assert_eq!(project.run("main").0, Some(2));
    project.build("main.c -Wl,--whole-archive libmixed.a -Wl,--no-whole-archive -o main");
    assert_eq!(project.run("main").0, Some(2));
    // What is meant for other libraries is not meant for ours.
    project.build("-shared -fPIC -nostdlib ours.c -Wl,-Bstatic libmixed.a -o libboth.so");
    project.build("main.c ./libboth.so -o main");
    assert_eq!(project.run("main").0, Some(2));
    for together in ["-r", "-no-pie -nostdlib -Wl,-r", "-no-pie -nostdlib -Xlinker -r"] {
        project.build(&format!("{together} ours.o theirs.o -o both.o"));
        project.build("main.c both.o -o main");
        assert_eq!(project.run("main").0, Some(2), "{together}");
    }
}

#[test]
fn objects_are_kept_by_content() {
    let project = Project::new(&[("hello.c", HELLO)]);
    let entries = || {
        let folders = fs::read_dir(project.path("caches/leno")).into_iter().flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
        files.map(|file| file.unwrap().path()).collect::<Vec<_>>()
    };
    project.build("-c -O2 hello.c -o one.o");
    assert_eq!(entries().len(), 1);
    project.build("-c -O2 hello.c -o two.o");
    assert_eq!(entries().len(), 1);
    let object = |name: &str| fs::read(project.path(name)).unwrap();
    assert_eq!(object("one.o"), object("two.o"));
    // What is kept is what is used: nobody would make this object of the source.
    let entry = entries().remove(0);
    let kept = fs::read(&entry).unwrap();
    project.build("-c -O1 hello.c -o one.o");
    project.build("-c -O2 -DWHO=1+2 -Wno-format -c hello.c -o one.o");
    assert_eq!(entries().len(), 3);
    fs::write(&entry, &kept[..kept.len() / 2]).unwrap();
    project.build("-c -O2 hello.c -o three.o");
    assert_eq!(object("three.o"), object("two.o"), "half an entry is none");
    assert_eq!(fs::read(&entry).unwrap(), kept);
    // Not kept: what is more than one file, and what nobody wants kept.
    project.build("-c -g -gsplit-dwarf -O2 hello.c -o split.o");
    assert!(project.has("split.dwo"));
    let off = project.command(tool("leno-cc"), "-c -O3 hello.c").env("LENO_CACHE", "off").output();
    assert!(off.unwrap().status.success());
    assert_eq!(entries().len(), 3);
    let unusable =
        project.command(tool("leno-cc"), "-c -O3 hello.c").env("LENO_CACHE", "/proc/no").output();
    let unusable = unusable.unwrap();
    assert!(unusable.status.success() && stderr(&unusable).is_empty(), "{}", stderr(&unusable));
}

#[test]
fn many_compilers_may_share_a_cache() {
    let project = Project::new(&[("hello.c", HELLO)]);
    let compile = |number: usize| {
        project
            .command(tool("leno-cc"), &format!("-c -O{} hello.c -o {number}.o", number % 3))
            .spawn()
            .unwrap()
    };
    let children: Vec<_> = (0..12).map(compile).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    for number in 3..12 {
        let object = |number: usize| fs::read(project.path(format!("{number}.o"))).unwrap();
        assert_eq!(object(number), object(number % 3));
    }
}

#[test]
fn it_works_through_a_link_and_by_a_name_for_cxx() {
    let project = Project::new(&[(
        "hello.cpp",
        "#include <iostream>\nint main() { std::cout << \"hi\\n\"; }",
    )]);
    let link = project.path("leno-c++");
    std::os::unix::fs::symlink(tool("leno-cc").canonicalize().unwrap(), &link).unwrap();
    let output = project.command(&link, "hello.cpp -o hello").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(project.run("hello").1, "hi\n");
}

#[test]
fn the_same_source_gives_the_same_object() {
    let project = Project::new(&[("hello.c", HELLO)]);
    project.build("-c -O2 hello.c -o one.o");
    project.build("-c -O2 hello.c -o two.o");
    assert_eq!(fs::read(project.path("one.o")).unwrap(), fs::read(project.path("two.o")).unwrap());
}

/// The programs in `tests/programs` do with `leno-cc` what they do with clang.
fn behaves_as_compiled_by_clang(program: &str, libraries: &str) {
    let project = Project::new(&[]);
    let source = root().join("tests/programs").join(program);
    let source = source.display();
    let cxx = program.ends_with(".cpp");
    let (clang, mode) = if cxx { ("clang++-22", "--driver-mode=g++") } else { ("clang-22", "") };
    let options = format!("{source} -w -pthread {libraries}");
    project.shell(clang, &format!("{options} -o expected"));
    let expected = project.run("expected");
    assert!(!expected.1.is_empty());
    for level in ["", "-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -g0", "-O1 -fPIC -D_FORTIFY_SOURCE=2"]
    {
        project.build(&format!("{mode} {level} {options} -o program"));
        assert_eq!(project.run("program"), expected, "{level}");
    }
}

#[test]
fn atomics_of_all_sizes_and_operations_are_performed() {
    behaves_as_compiled_by_clang("atomics.c", "");
}

#[test]
fn wide_atomics_are_performed() {
    behaves_as_compiled_by_clang("wide.c", "-latomic");
}

#[test]
fn all_of_c_still_works() {
    behaves_as_compiled_by_clang("features.c", "-lm");
}

#[test]
fn exceptions_pass_through_instrumented_frames() {
    behaves_as_compiled_by_clang("exceptions.cpp", "");
}

#[test]
fn a_debugger_shows_local_variables() {
    let source = "\
#include <stdio.h>
struct point { int x, y; };
static int shared;
int inner(int depth, struct point where) {
    int local = depth * 2;
    shared = local;
    where.x += local;
    puts(\"here\"); // line 8
    return local + where.x + where.y;
}
int main(void) {
    int kept = 17;
    struct point p = {3, 4};
    return inner(5, p) + kept == 44;
}
";
    let project = Project::new(&[("locals.c", source)]);
    for level in ["-O0", "-O2 -g0"] {
        project.build(&format!("{level} locals.c -o locals"));
        let output = Command::new("gdb")
            .args(["-batch", "-ex", "break locals.c:8", "-ex", "run", "-ex", "print local"])
            .args(["-ex", "print depth", "-ex", "print where", "-ex", "up", "-ex", "print kept"])
            .arg("./locals")
            .current_dir(project.directory.path())
            .output()
            .expect("gdb is installed");
        let shown = stdout(&output);
        for line in ["$1 = 10", "$2 = 5", "$3 = {x = 13, y = 4}", "$4 = 17"] {
            assert!(shown.contains(line), "{level}: {line} is not in\n{shown}{}", stderr(&output));
        }
    }
}

/// `tests/programs/frames.c` in the runtime's place looks at the list of frame
/// records in every hook, through exceptions and jumps out of frames.
#[test]
fn frames_form_a_list_that_fits_the_stack() {
    let project = Project::new(&[]);
    let programs = root().join("tests/programs");
    let programs = programs.display();
    project.shell("clang-22", &format!("-w -shared -fPIC -O1 {programs}/frames.c -o frames.so"));
    for (program, mode) in [("features.c", "-lm"), ("exceptions.cpp", "--driver-mode=g++")] {
        for level in ["-O0", "-O2", "-O3"] {
            project.build(&format!("-w {level} {programs}/{program} {mode} -o program"));
            let output = project
                .command(project.path("program"), "")
                .env("LD_PRELOAD", project.path("frames.so"))
                .output()
                .unwrap();
            assert_eq!(stderr(&output), "frames: good\n", "{program} {level}");
        }
    }
}

#[test]
fn a_file_that_was_preprocessed_for_32_bits_is_warned_about() {
    let small = "typedef unsigned int size_t;\nint main(void) { return 0; }\n";
    let large = "typedef unsigned long size_t;\nint main(void) { return 0; }\n";
    let project = Project::new(&[("small.i", small), ("large.i", large), ("own.c", small)]);
    for (name, warned) in [("small.i", true), ("large.i", false), ("own.c", false)] {
        let output = project.cc(&format!("-w -c {name}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let text = format!("warning: {name} was preprocessed for 32 bits");
        assert_eq!(said.contains(&text), warned, "{said}");
    }
}
