//! Faults as files: the shader, and above it what is known of the fault.

use crate::campaign::Bucket;
use crate::shrinking::Small;
use oracle::campaign::file;
use std::io;
use std::path::{Path, PathBuf};

/// Writes a fault into the folder.
pub(super) fn write(
    folder: &Path,
    version: &str,
    bucket: &Bucket,
    small: &Small,
) -> io::Result<PathBuf> {
    let name = format!("naga-{version}-{}.wgsl", bucket.signature.slug());
    file::write(folder, &name, &text(version, bucket, small))
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
