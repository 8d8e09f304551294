//! Functions of the C library whose calls hide nothing from the search.
//!
//! The list is data (`libc.txt`): one name a word, `#` starts a comment. A function
//! is in it if it keeps nothing of what it is given, and touches no memory but through
//! its arguments. What the runtime exports itself is known without being listed. A star
//! before a name says that what it does to its arguments is not modelled.

use std::{collections::HashSet, sync::LazyLock};

static LIBC: LazyLock<HashSet<&str>> = LazyLock::new(|| words(include_str!("libc.txt")).collect());

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .flat_map(|line| line.split('#').next().unwrap_or_default().split_ascii_whitespace())
}

/// Whether the function is in the list: what it does stays in its arguments.
pub fn is_known(symbol: &str) -> bool {
    LIBC.contains(plain(symbol)) || LIBC.contains(format!("*{}", plain(symbol)).as_str())
}

/// Whether leno knows that a call of this function hides nothing.
pub fn is_seen(symbol: &str) -> bool {
    LIBC.contains(plain(symbol))
}

/// `-D_FORTIFY_SOURCE` calls `__printf_chk` for `printf`.
pub fn plain(symbol: &str) -> &str {
    symbol.strip_prefix("__").and_then(|s| s.strip_suffix("_chk")).unwrap_or(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_listed_once() {
        assert_eq!(words(include_str!("libc.txt")).count(), LIBC.len());
    }

    #[test]
    fn the_fortified_variant_is_known_by_its_plain_name() {
        assert!(is_known("printf") && is_known("__printf_chk"));
        assert!(!is_known("frobnicate") && !is_known("#"));
        assert!(is_known("qsort") && !is_seen("qsort") && is_seen("printf"));
    }
}
