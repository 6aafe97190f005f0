//! The sealift binary: everything is in the library.

fn main() -> std::process::ExitCode {
    sealift::cli::main()
}
