fn main() -> std::process::ExitCode {
    leno_driver::main(std::env::args_os().collect())
}
