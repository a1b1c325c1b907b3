//! The examples that `--help` shows can be run.

use std::path::Path;
use std::process::Command;

/// Commands whose examples are of the corpus, and take no time.
const COMMANDS: [&str; 6] = ["check", "compile", "cost", "explain", "place", "run"];

/// Ends with this status, run where the examples are to be run; what it says.
fn lockstep(args: &[String]) -> (Option<i32>, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    let output = command.args(args).current_dir(root).output().expect("lockstep starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// The words of a command line; those in quotes are one.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

#[test]
fn examples_of_help_can_be_run() {
    let mut ran = 0;
    for command in COMMANDS {
        let (_, help) = lockstep(&[command, "--help"].map(str::to_owned));
        let (_, examples) = help.split_once("Example: ").expect("help has an example");
        for example in examples.split("lockstep ").skip(1) {
            let args = words(example);
            // What is piped, or written to a file, is left out.
            if args.iter().any(|word| ["|", "-", "-o"].contains(&word.as_str())) {
                continue;
            }
            let (status, said) = lockstep(&args);
            assert!(matches!(status, Some(0 | 1)), "{example}: {status:?} {said}");
            ran += 1;
        }
    }
    assert!(ran >= 13, "{ran} examples");
}
