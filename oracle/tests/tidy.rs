//! House rules that a compiler does not check: the arrows between crates and rooms, the floor
//! plan, the length of files, who prints, and the links of the notes.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("the crate stands in the workspace").to_owned()
}

/// Path from the root, and text, of the files with this extension below a folder.
fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let root = root();
    let mut found = Vec::new();
    for entry in walkdir::WalkDir::new(root.join(folder)).sort_by_file_name() {
        let Ok(entry) = entry else { continue };
        let path = entry.path();
        let of_tools = path.components().any(|part| part.as_os_str() == "target");
        if of_tools || path.extension().is_none_or(|found| found != extension) {
            continue;
        }
        let name = path.strip_prefix(&root).expect("it is below the root").display().to_string();
        found.push((name, fs::read_to_string(path).expect("the file is text")));
    }
    found
}

fn code() -> Vec<(String, String)> {
    ["reference", "compiler", "oracle", "fuzz"].iter().flat_map(|part| files(part, "rs")).collect()
}

fn none(broken: &[String]) {
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn files_are_short() {
    let long: Vec<String> = code()
        .into_iter()
        .map(|(name, text)| (name, text.lines().count()))
        .filter(|(_, lines)| *lines > 600)
        .map(|(name, lines)| format!("{name} has {lines} lines: something wants to move out"))
        .collect();
    none(&long);
}

#[test]
fn names_say_what_things_are() {
    let words = ["utils", "helper", "manager", "todo!(", "unimplemented!("];
    let mut broken = Vec::new();
    for (name, text) in code() {
        if name == "oracle/tests/tidy.rs" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            for word in words.iter().filter(|word| line.to_lowercase().contains(**word)) {
                broken.push(format!("{name}:{}: `{word}`", number + 1));
            }
            let ignored = line.trim_start().starts_with("#[ignore");
            if ignored {
                broken.push(format!("{name}:{}: a test that is ignored", number + 1));
            }
        }
    }
    none(&broken);
}

#[test]
fn every_module_says_what_it_is_for() {
    let silent: Vec<String> = code()
        .into_iter()
        .filter(|(name, text)| name.contains("/src/") && !text.starts_with("//!"))
        .map(|(name, _)| format!("{name} has no doc comment of its own"))
        .collect();
    none(&silent);
}

#[test]
fn only_the_command_line_prints() {
    let mut broken = Vec::new();
    for (name, text) in code() {
        if !name.contains("/src/") || name.starts_with("oracle/src/cli") {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let code = line.trim_start();
            let prints = ["println!", "eprintln!", "print!(", "eprint!(", "dbg!("];
            if !code.starts_with("//") && prints.iter().any(|print| code.contains(print)) {
                broken.push(format!("{name}:{}: {code}", number + 1));
            }
        }
    }
    none(&broken);
}

/// `kit <- rooms <- between <- compiler <- oracle <- fuzz`, and within the rooms `fun <- funmem`
/// and, for the scalar expressions, `fun <- imp`.
#[test]
fn the_arrows_point_one_way() {
    let forbidden: [(&str, &[&str]); 10] = [
        ("reference/src/kit/", &["crate::fun", "crate::imp", "crate::device", "crate::between"]),
        ("reference/src/fun/", &["crate::imp", "crate::device", "crate::between", "crate::funmem"]),
        ("reference/src/funmem/", &["crate::imp", "crate::device", "crate::between"]),
        ("reference/src/imp/", &["crate::funmem", "crate::device", "crate::between"]),
        ("reference/src/device/", &["crate::fun", "crate::imp", "crate::between"]),
        (
            "reference/src/spirv/",
            &["crate::fun", "crate::funmem", "crate::imp", "crate::device", "crate::between"],
        ),
        ("reference/src/between/", &["crate::device", "crate::spirv"]),
        ("reference/src/", &["std::fs", "std::net", "std::process", "std::env", "wgpu", "naga"]),
        ("compiler/src/", &["::eval::run", "Evaluator", "oracle::"]),
        ("fuzz/", &["reference::", "compiler::"]),
    ];
    let mut broken = Vec::new();
    for (name, text) in code() {
        // What only the tests of a room use is no arrow of the room.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        if name.ends_with("/tests.rs") || name.contains("/tests/") || name.ends_with("/laws.rs") {
            continue;
        }
        for (folder, words) in forbidden {
            if !name.starts_with(folder) {
                continue;
            }
            for (number, line) in text.lines().enumerate() {
                let code = line.trim_start();
                if code.starts_with("//") {
                    continue;
                }
                for word in words.iter().filter(|word| is_used(code, word)) {
                    broken.push(format!("{name}:{}: `{word}`: {code}", number + 1));
                }
            }
        }
    }
    none(&broken);
}

/// Is the path there as a whole, so that `crate::funmem` is not `crate::fun`?
fn is_used(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let next = code[at + word.len()..].chars().next();
        !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
    })
}

#[test]
fn manifests_follow_the_arrows() {
    let uses = |part: &str, name: &str| {
        let manifest =
            fs::read_to_string(root().join(part).join("Cargo.toml")).expect("a manifest");
        manifest.lines().any(|line| line.starts_with(name))
    };
    for (part, forbidden) in [
        ("reference", &["compiler", "oracle", "wgpu", "naga"][..]),
        ("compiler", &["oracle"]),
        ("fuzz", &["reference", "compiler"]),
    ] {
        for name in forbidden {
            assert!(!uses(part, name), "{part} depends on {name}");
        }
    }
}

/// Every room has the same files; one that lacks a file says why in its `mod.rs`.
#[test]
fn rooms_follow_the_floor_plan() {
    let mut missing = Vec::new();
    for room in ["fun", "funmem", "imp", "device", "spirv"] {
        let folder = root().join("reference/src").join(room);
        let about = fs::read_to_string(folder.join("mod.rs")).expect("a room has a mod.rs");
        for file in
            ["syntax", "values", "rules", "parse", "print", "types", "eval", "laws", "tests"]
        {
            let there = folder.join(format!("{file}.rs")).exists() || folder.join(file).is_dir();
            let explained = about.contains(&format!("`{file}.rs`"));
            if !there && !explained {
                missing.push(format!("{room} has no {file}.rs, and its mod.rs does not say why"));
            }
        }
    }
    none(&missing);
}

/// Links from the notes to files lead somewhere.
#[test]
fn links_of_the_notes_exist() {
    let root = root();
    let mut notes = files("proofs-notes", "md");
    for name in ["README.md", "ARCHITECTURE.md"] {
        if let Ok(text) = fs::read_to_string(root.join(name)) {
            notes.push((name.to_owned(), text));
        }
    }
    let mut broken = Vec::new();
    for (name, text) in notes {
        let folder = root.join(&name);
        let folder = folder.parent().unwrap_or(&root);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            let outside = link.contains("://") || path.is_empty();
            if !outside && !folder.join(path).exists() && !root.join(path).exists() {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    none(&broken);
}

#[test]
fn targets_fit_on_a_card() {
    for (name, text) in files("fuzz", "rs") {
        assert!(text.lines().count() <= 20, "{name} holds logic");
    }
}
