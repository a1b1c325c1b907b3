//! Generates the parsers from the grammar files beside the rooms.

// A build script talks to cargo by printing.
#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A new grammar file counts too.
    println!("cargo:rerun-if-changed=src");
    lalrpop::Configuration::new().use_cargo_dir_conventions().emit_rerun_directives(true).process()
}
