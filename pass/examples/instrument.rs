//! For looking at what the pass does: `cargo run --example instrument IN.bc OUT.bc`
//! instruments a file (made with the options that `leno-cc` uses) and prints its
//! table. `llvm-dis-22 OUT.bc -o -` shows the code.

use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let [input, output] =
        env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "IN OUT")?;
    let instrumented = leno_pass::instrument(&fs::read(&input)?, &input)?;
    fs::write(output, instrumented.bitcode)?;
    println!("{:#?}", instrumented.table);
    Ok(())
}
