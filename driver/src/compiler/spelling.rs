//! Options that have a second spelling, in the one that the rest knows: `--output=prog` is
//! `-o prog`. Only those that say what is made of which inputs, whose value could be taken
//! for an input, or that are not handed on to every step.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
};

/// With the short form, which has its value behind it if it has one.
const LONG: &[(&str, &str)] = &[
    ("--assemble", "-S"),
    ("--compile", "-c"),
    ("--define-macro", "-D"),
    ("--dependencies", "-M"),
    ("--for-linker", "-Xlinker"),
    ("--force-link", "-u"),
    ("--imacros", "-imacros"),
    ("--include", "-include"),
    ("--include-directory", "-I"),
    ("--include-directory-after", "-idirafter"),
    ("--include-prefix", "-iprefix"),
    ("--include-with-prefix", "-iwithprefix"),
    ("--include-with-prefix-after", "-iwithprefix"),
    ("--include-with-prefix-before", "-iwithprefixbefore"),
    ("--language", "-x"),
    ("--library-directory", "-L"),
    ("--output", "-o"),
    ("--prefix", "-B"),
    ("--preprocess", "-E"),
    ("--profile", "-p"),
    ("--shared", "-shared"),
    ("--static", "-static"),
    ("--undefine-macro", "-U"),
    ("--user-dependencies", "-MM"),
    ("--verbose", "-v"),
    ("--write-dependencies", "-MD"),
    ("--write-user-dependencies", "-MMD"),
    ("-Xclang", "-Xclang"),
    ("-coverage", "--coverage"),
];

/// An option in its short form, and its value if that was joined by `=`.
pub fn short(arg: &OsStr) -> (OsString, Option<OsString>) {
    let (name, value) = match arg.as_bytes().iter().position(|byte| *byte == b'=') {
        Some(at) => (&arg.as_bytes()[..at], Some(OsStr::from_bytes(&arg.as_bytes()[at + 1..]))),
        None => (arg.as_bytes(), None),
    };
    match LONG.iter().find(|(long, _)| long.as_bytes() == name) {
        Some((_, short)) => (short.into(), value.map(OsStr::to_owned)),
        None => (arg.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_option_is_the_short_one() {
        let spelt = |text: &str| {
            let (name, value) = short(OsStr::new(text));
            (name.into_string().unwrap(), value.map(|value| value.into_string().unwrap()))
        };
        let two = |name: &str, value: &str| (name.to_string(), Some(value.to_string()));
        let one = |name: &str| (name.to_string(), None);
        assert_eq!(spelt("--compile"), one("-c"));
        assert_eq!(spelt("--output=x=y"), two("-o", "x=y"));
        assert_eq!(spelt("--output"), one("-o"));
        for same in ["-DX=1", "-L=d", "--std=c17", "--param=x=1", "--sysroot=/", "-coverage-file"] {
            assert_eq!(spelt(same), one(same));
        }
    }
}
