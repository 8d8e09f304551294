//! Functions whose calls leave nothing behind outside the program's memory, as leno's
//! models say. (What the runtime exports itself is known without being listed.)

use crate::models;

/// Whether all that the function does stays in the program's memory.
pub fn is_known(symbol: &str) -> bool {
    models::standard().stays_inside(symbol)
}

/// `-D_FORTIFY_SOURCE` calls `__printf_chk` for `printf`.
pub fn plain(symbol: &str) -> &str {
    symbol.strip_prefix("__").and_then(|s| s.strip_suffix("_chk")).unwrap_or(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_program_is_not_known() {
        assert!(is_known("printf") && is_known("__printf_chk"));
        assert!(!is_known("frobnicate") && !is_known("socket"));
    }
}
