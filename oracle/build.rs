//! Tells a release which commit it is of, and writes the list of the corpus for `src/mutate/corpus.rs`: in a
//! release the files themselves, so that the binary alone has them, else the folder. Other builds are not
//! built anew for each commit, nor for each file of the corpus.

// Cargo reads what a build script prints.
#![allow(clippy::print_stdout)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = if release { commit() } else { None };
    let told = commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=LOCKSTEP_COMMIT={told}");
    let variable = |name: &str| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let folder = variable("CARGO_MANIFEST_DIR").join("../corpus");
    fs::write(variable("OUT_DIR").join("corpus.rs"), corpus(&folder, release)?)
}

/// The expression that says what the build knows of the corpus.
fn corpus(folder: &Path, release: bool) -> io::Result<String> {
    if !release {
        return Ok(format!("Built::Folder({:?})", folder.to_string_lossy()));
    }
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    files.sort();
    let mut list = "Built::Files(&[\n".to_owned();
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().into_owned();
        let _ = writeln!(list, "    ({name:?}, include_str!({:?})),", file.to_string_lossy());
    }
    list.push_str("])\n");
    Ok(list)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

/// The commit, with a `+` where files differ from it; none outside of a repository.
fn commit() -> Option<String> {
    let git = |args: &[&str]| {
        // `git status` would write the index, which makes the next build think that it is another commit.
        let git = ["--no-optional-locks"].iter().chain(args);
        let output = Command::new("git").args(git).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    for file in ["HEAD", "logs/HEAD", "index"] {
        let path = git(&["rev-parse", "--git-path", file])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    let commit = git(&["rev-parse", "--short=10", "HEAD"])?;
    Some(format!("{commit}{}", if changed { "+" } else { "" }))
}
