//! docs/supported.md, as the tests read it.

use crate::root;
use std::{collections::BTreeMap, fs};

/// Each function's header and what is done with it.
pub fn table() -> BTreeMap<String, (String, String)> {
    let text = fs::read_to_string(root().join("docs/supported.md")).expect("it is there");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut table = BTreeMap::new();
    for row in rows {
        let cells: Vec<_> = row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [functions, header, how, ..] = cells[..] else { panic!("an odd row: {row}") };
        for function in functions.split("`, `") {
            let twice = table.insert(function.to_owned(), (header.to_owned(), how.to_owned()));
            assert!(twice.is_none(), "{function} is listed twice");
        }
    }
    table
}
