//! The command line of Lockstep.

fn main() -> std::process::ExitCode {
    oracle::cli::main()
}
