//! `@file` arguments, by the rules of GNU tools: words are separated by white
//! space, quotes of both kinds keep it, a backslash takes the next character as it
//! is. A file that cannot be read leaves the argument as it stands.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::{OsStrExt, OsStringExt},
};

/// Files may name other files; one that names itself is not followed for ever.
const MAX_DEPTH: u32 = 20;

pub fn expand(args: Vec<OsString>) -> Vec<OsString> {
    let mut expanded = Vec::with_capacity(args.len());
    args.into_iter().for_each(|arg| expand_one(arg, MAX_DEPTH, &mut expanded));
    expanded
}

fn expand_one(arg: OsString, depth: u32, into: &mut Vec<OsString>) {
    let file = arg.as_bytes().strip_prefix(b"@").filter(|_| depth > 0);
    match file.and_then(|name| fs::read(OsStr::from_bytes(name)).ok()) {
        Some(content) => {
            words(&content).into_iter().for_each(|word| expand_one(word, depth - 1, into));
        }
        None => into.push(arg),
    }
}

fn words(content: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = content.iter().copied();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (_, b'\\') => word.get_or_insert_default().extend(bytes.next()),
            (Some(open), _) if byte == open => quote = None,
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (None, _) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_gnu_tools_do() {
        let content = b"-c  'a b.c'\n-DX=\\\"q\\\" \"\" -o\tx\"y z\"";
        assert_eq!(words(content), ["-c", "a b.c", "-DX=\"q\"", "", "-o", "xy z"]);
    }
}
