//! The corpus, as this binary has it.

use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// What the build knows of the corpus.
#[allow(dead_code)] // Which of the two it is depends on the profile.
enum Built {
    /// The files: name below the folder, text.
    Files(&'static [(&'static str, &'static str)]),
    /// The folder: of a build to develop with.
    Folder(&'static str),
}

const BUILT: Built = include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// The files of the corpus, by name, `corpus/fun/pass/figure_2.fun`, with their texts.
pub(super) fn files() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = match BUILT {
        Built::Files(files) => {
            files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        }
        Built::Folder(folder) => below(Path::new(folder)),
    };
    for (name, _) in &mut files {
        *name = format!("corpus/{}", name.replace('\\', "/"));
    }
    files
}

/// The files below a folder that are text, each named from there, in the order of their names.
pub(super) fn below(folder: &Path) -> Vec<(String, String)> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_file());
    let read = files.filter_map(|entry| {
        let text = fs::read_to_string(entry.path()).ok()?;
        let name = entry.path().strip_prefix(folder).ok()?.to_string_lossy().into_owned();
        Some((name, text))
    });
    read.collect()
}
