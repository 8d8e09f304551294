//! The projects in `testsuite/projects`, each built by its own build system with `leno-cc`
//! and checked.

use leno_tests::{root, scratch, tool};
use std::{env, fs, path::Path, process::Command};
use tempfile::TempDir;

/// A project's sources where they can be built.
fn copy(project: &str) -> TempDir {
    let here = scratch();
    let sources = root().join("testsuite/projects").join(project);
    for file in fs::read_dir(sources).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), here.path().join(file.file_name())).unwrap();
    }
    here
}

/// Runs a shell's command line with leno's tools on the path; status and everything said.
fn shell(here: &Path, line: &str) -> (Option<i32>, String) {
    let tools = tool("leno").parent().unwrap().to_path_buf();
    let path = env::var_os("PATH").unwrap();
    let path = env::join_paths([tools].into_iter().chain(env::split_paths(&path))).unwrap();
    let output = Command::new("bash")
        .args(["-e", "-c", &format!("exec 2>&1; {line}")])
        .current_dir(here)
        .env("PATH", path)
        .env("SHARE", root().join("share"))
        .env("XDG_CACHE_HOME", here.join("caches"))
        .env("NO_COLOR", "1")
        .env_remove("MAKEFLAGS")
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn succeeds(here: &Path, line: &str) -> String {
    let (status, said) = shell(here, line);
    assert_eq!(status, Some(0), "{line}:\n{said}");
    said
}

/// The race of `queue_length` without the lock, in the user's words.
fn shows_the_race(said: &str) {
    for part in ["bug: data race on heap block", "in queue_length", "queue.c:49", "in queue_put"] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
}

#[test]
fn two_lines_in_a_makefile_give_a_check() {
    let here = copy("make");
    let here = here.path();
    // The ordinary objects are there, and are not taken.
    succeeds(here, "make -I $SHARE CC=gcc");
    let said = succeeds(here, "make -j4 -I $SHARE leno-check");
    assert!(said.contains("safe: every interleaving"), "{said}");
    assert!(!succeeds(here, "readelf -SW queue.o").contains(".leno"));
    // Nothing has changed, so nothing is built; then something has.
    let said = succeeds(here, "make -I $SHARE leno-check LENO_ARGS_queue-test=1");
    assert!(said.contains("up to date") && said.contains("safe:"), "{said}");
    let (status, said) =
        shell(here, "touch queue.c; make -I $SHARE leno-check CFLAGS='-O2 -DHASTY'");
    assert_eq!(status, Some(2), "{said}");
    shows_the_race(&said);
    let limited = "make -I $SHARE leno-check LENO_OPTIONS='--max-executions 1'";
    succeeds(here, "touch queue.c");
    assert_eq!(shell(here, limited).0, Some(2));
    succeeds(here, &format!("{limited} LENO_ALLOW_UNKNOWN=yes"));
    succeeds(here, "make -I $SHARE leno-clean && test ! -e leno.build");
}

#[test]
fn cmake_checks_by_ctest() {
    let here = copy("cmake");
    let here = here.path();
    let configure = "cmake -B build -Dleno_DIR=$SHARE/cmake";
    let said = succeeds(
        here,
        &format!(
            "CC=leno-cc CXX=leno-c++ {configure} && cmake --build build -j4 &&
             ctest --test-dir build --output-on-failure &&
             DESTDIR=$PWD/root cmake --install build --prefix /usr"
        ),
    );
    assert!(said.contains("C compiler identification is Clang 22"), "{said}");
    assert!(said.contains("100% tests passed, 0 tests failed out of 4"), "{said}");
    // What is installed still finds what it needs.
    succeeds(here, "LD_LIBRARY_PATH=root/usr/lib root/usr/bin/queue-test");
    let (_, said) = shell(
        here,
        "cmake -B build -DHASTY=ON && cmake --build build && ctest --test-dir build -V || true",
    );
    shows_the_race(&said);
    assert!(said.contains("queue-test (Failed)"), "{said}");
}

#[test]
fn cmake_builds_a_second_time_if_it_has_to() {
    let here = copy("cmake");
    let said = succeeds(
        here.path(),
        "CC=gcc CXX=g++ cmake -G Ninja -B build -Dleno_DIR=$SHARE/cmake && cmake --build build &&
         ctest --test-dir build --output-on-failure -j4",
    );
    assert!(said.contains("100% tests passed, 0 tests failed out of 6"), "{said}");
}

#[test]
fn autotools_and_libtool_build_and_check() {
    let here = copy("autotools");
    let here = here.path();
    let said = succeeds(
        here,
        "autoreconf --install && mkdir build && cd build && ../configure CC=leno-cc && make -j4 &&
         make leno-check && ./queue-test && make install DESTDIR=$PWD/root",
    );
    assert!(said.contains("safe: every interleaving"), "{said}");
    let (status, said) = shell(
        here,
        "mkdir hasty && cd hasty && ../configure -q CC=leno-cc CPPFLAGS=-DHASTY && make leno-check",
    );
    assert_eq!(status, Some(2), "{said}");
    shows_the_race(&said);
    // The same answers as clang gives: configure must not find another machine.
    succeeds(
        here,
        "mkdir plain && cd plain && ../configure -q CC=clang-22 && cmp config.h ../build/config.h",
    );
}

#[test]
fn meson_builds_and_checks() {
    let here = copy("meson");
    let here = here.path();
    let said = succeeds(
        here,
        "CC=leno-cc meson setup build && meson compile -C build && meson test -C build",
    );
    assert!(said.contains("Fail:               0"), "{said}");
    let (status, said) = shell(
        here,
        "meson configure build -Dc_args=-DHASTY && meson compile -C build &&
         meson test -C build --print-errorlogs",
    );
    assert_eq!(status, Some(1), "{said}");
    shows_the_race(&said);
}

#[test]
fn ccache_may_stand_in_front() {
    let here = copy("make");
    let said = succeeds(
        here.path(),
        "export CCACHE_DIR=$PWD/ccache; make -I $SHARE CC='ccache leno-cc' &&
         make -I $SHARE clean && make -I $SHARE CC='ccache leno-cc' && leno check ./queue-test &&
         ccache --show-stats --verbose",
    );
    assert!(said.contains("safe: every interleaving"), "{said}");
    let hits = said.lines().find(|line| line.trim_start().starts_with("Hits:")).unwrap_or(&said);
    assert!(hits.contains(" 2 /"), "{hits}");
}

const PLUGIN: &str = "
int counter;
void bump(void) { counter++; }
";

const SECOND: &str = "
#include <string.h>
static char text[8];
static int ready;
__attribute__((constructor)) static void prepare(void) { ready = 1; }
int tell(const char *word) { strcpy(text, word); return ready; }
";

const OPENER: &str = r#"
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
static void (*bump)(void);
static int (*tell)(const char *);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void visit(const char *word) {
    if (LOCKED) pthread_mutex_lock(&lock);
    if (TELL) assert(tell(word) == 1); else bump();
    if (LOCKED) pthread_mutex_unlock(&lock);
}
static void *work(void *unused) { visit("two"); return unused; }
int main(void) {
    void *first = dlopen("./plugin.so", RTLD_NOW);
    void *second = dlopen("./second.so", RTLD_NOW | RTLD_GLOBAL);
    assert(first && second && !dlopen("./none.so", RTLD_NOW));
    bump = (void (*)(void))dlsym(first, "bump");
    tell = (int (*)(const char *))dlsym(second, "tell");
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    visit("one");
    pthread_join(thread, 0);
    return dlclose(first);
}
"#;

/// Their positions, the names of their variables and the models of what they call are known
/// as if they had been linked, and a trace of them can be replayed.
#[test]
fn libraries_opened_by_dlopen_are_checked_too() {
    let here = scratch();
    let here = here.path();
    for (name, text) in [("plugin.c", PLUGIN), ("second.c", SECOND), ("opener.c", OPENER)] {
        fs::write(here.join(name), text).unwrap();
    }
    succeeds(
        here,
        "leno-cc -fPIC -shared plugin.c -o plugin.so; leno-cc -fPIC -shared second.c -o second.so",
    );
    let check = |options: &str| {
        succeeds(here, &format!("leno-cc -pthread {options} opener.c -o opener && ./opener"));
        shell(here, "leno check ./opener")
    };
    let (status, said) = check("-DLOCKED=0 -DTELL=0");
    assert_eq!(status, Some(1), "{said}");
    for part in ["data race on counter", "declared at plugin.c:2", "plugin.c:3 in bump"] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
    let (status, said) = shell(here, "leno replay leno.out/race-1.json");
    assert_eq!(status, Some(1), "{said}");
    let (status, said) = check("-DLOCKED=0 -DTELL=1");
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("data race on text") && said.contains("second.c:6 in tell"), "{said}");
    for which in ["-DTELL=0", "-DTELL=1"] {
        let (status, said) = check(&format!("-DLOCKED=1 {which}"));
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains("2 executions") && said.contains("before main"), "{said}");
    }
}
