//! The command line of the recall.

/// Programs are trees, and a campaign makes and drops thousands a second.
#[global_allocator]
static HEAP: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    recall::cli::main()
}
