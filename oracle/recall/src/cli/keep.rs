//! Faults as files: the shader, and above it what is known of the fault.

use crate::campaign::Bucket;
use crate::shrinking::Small;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes a fault into the folder.
pub(super) fn write(
    folder: &Path,
    version: &str,
    bucket: &Bucket,
    small: &Small,
) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let name = format!("naga-{version}-{}.wgsl", bucket.signature.slug());
    let path = folder.join(&name);
    let unfinished = folder.join(format!(".{name}.{}", std::process::id()));
    fs::write(&unfinished, text(version, bucket, small))?;
    fs::rename(&unfinished, &path)?;
    Ok(path)
}

fn text(version: &str, bucket: &Bucket, small: &Small) -> String {
    let mut text = String::new();
    let mut line = |key: &str, value: &str| {
        for line in value.lines() {
            text.push_str(format!("// {key}{line}").trim_end());
            text.push('\n');
        }
    };
    line("naga ", version);
    line("", &bucket.signature.to_string());
    match bucket.known {
        Some(known) => {
            line("known: ", known.name);
            line("thread: ", known.thread.unwrap_or("none"));
            line("why: ", known.why);
        }
        None => line("", "unexplained"),
    }
    line("seen: ", &small.text);
    line("style: ", &small.style);
    line("input: ", &small.input);
    line("program:", " ");
    line("  ", &small.program);
    text.push_str(&small.wgsl);
    text
}
