//! House rules that a compiler does not check: the arrows between crates and rooms, the floor
//! plan, the length of files, who prints, and the links of the notes.

mod circles;

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
        if name == "oracle/tests/it/tidy.rs" {
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
        let command_lines = ["oracle/src/cli", "oracle/recall/src/cli"];
        if !name.contains("/src/") || command_lines.iter().any(|cli| name.starts_with(cli)) {
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

/// The rooms: whatever stands beside `kit`, `cost` and `translate`, but not behind a feature.
fn rooms() -> Vec<String> {
    let crate_root = fs::read_to_string(root().join("reference/src/lib.rs")).expect("there is one");
    let lines: Vec<&str> = crate_root.lines().collect();
    let behind = lines.windows(2).filter(|pair| pair[0].starts_with("#[cfg(feature"));
    let behind: Vec<String> =
        behind.map(|pair| pair[1].trim_start_matches("pub ").to_owned()).collect();
    let folders = fs::read_dir(root().join("reference/src")).expect("the languages are there");
    let mut rooms: Vec<String> = folders
        .map(|entry| entry.expect("it is listed"))
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !["kit", "cost", "translate"].contains(&name.as_str()))
        .filter(|name| !behind.contains(&format!("mod {name};")))
        .collect();
    rooms.sort();
    assert!(rooms.len() >= 4, "{rooms:?}");
    rooms
}

/// Where one paper builds on the other a room looks into another; no other room does.
/// A term over axes means a FUN program. The semantics of λG makes cost graphs.
const BUILDS_ON: [(&str, &[&str]); 4] = [
    ("axes", &["fun"]),
    ("funmem", &["fun"]),
    ("imp", &["fun", "funmem"]),
    ("lambda_g", &["cost"]),
];

/// What a part of `reference` may not look into: `kit <- rooms <- translate`, and `kit <- cost`. Runs tell what they do
/// through a trait of the kit.
fn closed(part: &str) -> Vec<String> {
    let rooms = rooms();
    match part {
        "kit" | "cost" => {
            let beside = ["cost", "translate"].map(str::to_owned);
            rooms.into_iter().chain(beside).filter(|name| name != part).collect()
        }
        // The papers' own translations know none of the languages that are ours.
        "translate" => ["cost", "axes", "device", "spirv"].map(str::to_owned).to_vec(),
        room => {
            let open = BUILDS_ON.iter().find(|(name, _)| *name == room);
            let open = open.map_or(&[][..], |(_, rooms)| rooms);
            let others = rooms.into_iter().filter(|name| name != room);
            let closed = others.chain(["cost", "translate"].map(str::to_owned));
            closed.filter(|name| !open.contains(&name.as_str())).collect()
        }
    }
}

/// `kit <- rooms <- translate <- compiler <- oracle <- fuzz`, `kit <- cost` and `oracle <- recall`
#[test]
fn the_arrows_point_one_way() {
    let forbidden: [(&str, &[&str]); 3] = [
        ("reference/src/", &["std::fs", "std::net", "std::process", "std::env", "wgpu", "naga"]),
        ("compiler/src/", &["::eval::run", "Evaluator", "oracle::"]),
        ("fuzz/", &["reference::", "compiler::"]),
    ];
    let mut broken = Vec::new();
    for (name, text) in code() {
        let text = without_tests(&text);
        if name.ends_with("/tests.rs") || name.contains("/tests/") || name.ends_with("/laws.rs") {
            continue;
        }
        let code: Vec<&str> =
            text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let code = code.join("\n");
        for (_, words) in forbidden.iter().filter(|(folder, _)| name.starts_with(folder)) {
            for word in words.iter().filter(|word| is_used(&code, word)) {
                broken.push(format!("{name}: `{word}`"));
            }
        }
        let part = name.strip_prefix("reference/src/").and_then(|name| name.split_once('/'));
        if let Some((part, _)) = part {
            let looked_into = looked_into(&code);
            for room in closed(part).iter().filter(|room| looked_into.contains(&room.as_str())) {
                broken.push(format!("{name}: `crate::{room}`"));
            }
        }
    }
    none(&broken);
}

/// The code before its tests: what only they use is no arrow. A module of tests in a file of its own
/// may be declared anywhere.
fn without_tests(text: &str) -> String {
    let mut parts = text.split("#[cfg(test)]");
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let declared = part.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        if declared.trim_end().ends_with('{') {
            break;
        }
        code.push_str(part);
    }
    code
}

#[test]
fn code_behind_a_declaration_of_tests_is_seen() {
    let text =
        "mod a;\n#[cfg(test)]\nmod tests;\nuse oracle::b;\n#[cfg(test)]\nmod c {\n  use d;\n}\n";
    let code = without_tests(text);
    assert!(code.contains("oracle::b") && !code.contains("use d"), "{code}");
}

/// Is the word there as a whole? After `::` anything may follow.
fn is_used(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let next = code[at + word.len()..].chars().next();
        word.ends_with(':') || !next.is_some_and(|next| next.is_alphanumeric() || next == '_')
    })
}

/// The parts of its crate that code names: `crate::a::b`, `crate::{a, b::c}`, and `a` of
/// `super::super::a`, which leads out of a folder.
fn looked_into(code: &str) -> Vec<&str> {
    fn first(text: &str) -> &str {
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
        &text[..end.unwrap_or(text.len())]
    }
    let mut parts = Vec::new();
    for start in ["crate::", "super::super::"] {
        for (at, _) in code.match_indices(start) {
            let path = &code[at + start.len()..];
            let Some(group) = path.strip_prefix('{') else {
                parts.push(first(path));
                continue;
            };
            let mut depth = 0;
            let mut begin = true;
            for (at, c) in group.char_indices() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => begin = true,
                    c if begin && !c.is_whitespace() => {
                        parts.push(first(&group[at..]));
                        begin = false;
                    }
                    _ => {}
                }
            }
        }
    }
    parts
}

/// The test of the arrows is not blind: each of these leads into a room.
#[test]
fn what_code_looks_into_is_seen() {
    assert_eq!(looked_into("use crate::funmem::memory::Lmad;"), ["funmem"]);
    assert_eq!(looked_into("use crate::{\n    fun::{self, eval},\n    imp,\n};"), ["fun", "imp"]);
    assert_eq!(looked_into("use super::super::device::rules;"), ["device"]);
    assert_eq!(looked_into("fn f(x: crate::function::F) {}"), ["function"]);
    assert!(closed("kit").contains(&"funmem".to_owned()));
    assert!(closed("device").contains(&"funmem".to_owned()));
    assert!(!closed("funmem").contains(&"fun".to_owned()));
}

#[test]
fn manifests_follow_the_arrows() {
    let uses = |part: &str, name: &str| {
        let manifest =
            fs::read_to_string(root().join(part).join("Cargo.toml")).expect("a manifest");
        manifest.lines().any(|line| line.starts_with(name))
    };
    for (part, forbidden) in [
        ("reference", &["compiler", "oracle", "recall", "wgpu", "naga"][..]),
        ("compiler", &["oracle", "recall"]),
        ("oracle", &["recall", "naga"]),
        ("fuzz", &["reference", "compiler", "recall"]),
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
    for room in rooms() {
        let folder = root().join("reference/src").join(&room);
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

/// Every rule of every roll stands beside its judgement, in the table of rules, and no other does.
#[test]
fn the_notes_name_every_rule() {
    let path = root().join("proofs-notes/judgements.md");
    let notes = fs::read_to_string(path).expect("there are notes");
    let (_, table) = notes.split_once("## The rules").expect("the notes have a table of rules");
    let mut broken = Vec::new();
    for room in rooms() {
        let roll = root().join("reference/src").join(&room).join("rules.rs");
        let roll = fs::read_to_string(roll).unwrap_or_else(|_| panic!("{room} has no roll"));
        // `ELoop = "E-LOOP", "fig. 4", ["count"];`
        let declared = roll.lines().filter_map(|line| line.split_once(" = \"")?.1.split_once('"'));
        let names = declared.map(|(name, _)| name);
        // Names of causes, which stand on the rolls too, begin with a small letter.
        let rules: Vec<&str> = names.filter(|name| name.starts_with(char::is_uppercase)).collect();
        assert!(!rules.is_empty(), "{room} has no rules");
        let rows = table.lines().filter_map(|line| line.strip_prefix(&format!("| {room} | ")));
        let cells = rows.filter_map(|row| row.rsplit(" | ").next());
        let named: Vec<&str> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
        for rule in rules.iter().filter(|rule| !named.contains(rule)) {
            broken.push(format!("{room}: {rule} stands beside no judgement"));
        }
        for name in named.iter().filter(|name| !rules.contains(name)) {
            broken.push(format!("{room}: `{name}` is on no roll"));
        }
    }
    none(&broken);
}

/// The file of a pass says at its head what holds before and after it, and where it gets stuck.
#[test]
fn passes_say_what_they_keep() {
    let mut broken = Vec::new();
    for place in compiler::pipeline::ROUTES.places() {
        let pass = place.step().pass.name;
        let path = root().join("compiler/src/pass").join(format!("{pass}.rs"));
        // The others stand in `translate` and `emit`.
        let Ok(text) = fs::read_to_string(path) else { continue };
        for row in ["| before |", "| after |", "| stuck |"] {
            if !text.lines().any(|line| line.starts_with(&format!("//! {row}"))) {
                broken.push(format!("{pass} has no row `{row}`"));
            }
        }
    }
    none(&broken);
}

/// Names and folders of the languages, by the lines of the table.
fn languages() -> Vec<(String, String)> {
    let table = root().join("reference/src/languages.rs");
    let table = fs::read_to_string(table).expect("the table is there");
    let lines = table.lines().filter_map(|line| line.trim().strip_suffix(';')?.split_once(" = "));
    let plain = |word: &str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let lines = lines.filter(|(name, room)| plain(name) && plain(room));
    let found: Vec<_> = lines.map(|(name, room)| (name.to_owned(), room.to_owned())).collect();
    assert!(found.len() >= 4, "{found:?}");
    found
}

/// Only a language's own folders name it; other code goes through the table of languages.
#[test]
fn no_code_lists_the_languages() {
    let languages = languages();
    let mut broken = Vec::new();
    for (name, text) in code() {
        let tests = ["/tests/", "/tests.rs"].iter().any(|part| name.contains(part));
        let table = name == "reference/src/languages.rs"
            || ["/pipeline/", "/route/"].iter().any(|folder| name.contains(folder));
        if tests || table {
            continue;
        }
        let code = without_tests(&text);
        let parts: Vec<&str> = name.split(['/', '.']).collect();
        for (language, room) in languages.iter().filter(|(_, room)| !parts.contains(&&**room)) {
            for word in ["Artifact", "Lang"].map(|kind| format!("{kind}::{language}")) {
                if is_used(&code, &word) {
                    broken.push(format!("{name}: `{word}` stands outside of `{room}`"));
                }
            }
        }
    }
    none(&broken);
}

/// Links from the notes to files lead somewhere.
#[test]
fn links_of_the_notes_exist() {
    let root = root();
    let mut notes = files("proofs-notes", "md");
    notes.extend(files("docs", "md"));
    for name in ["README.md", "ARCHITECTURE.md"] {
        if let Ok(text) = fs::read_to_string(root.join(name)) {
            notes.push((name.to_owned(), text));
        }
    }
    let mut broken = Vec::new();
    for (name, text) in notes {
        let folder = root.join(&name);
        let folder = folder.parent().unwrap_or(&root);
        // Programs between fences have no links.
        let prose = text.split("```").step_by(2).collect::<String>();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            let outside = link.contains("://") || path.is_empty();
            if !outside && !folder.join(path).exists() && !root.join(path).exists() {
                broken.push(format!("{name}: {link}"));
            }
        }
    }
    none(&broken);
}

/// The map is short enough to be read in one go. Measurements stand in `docs/`.
#[test]
fn the_map_is_short() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("there is a map");
    let words = map.split_whitespace().count();
    assert!(words <= 1500, "ARCHITECTURE.md has {words} words");
}

#[test]
fn targets_fit_on_a_card() {
    for (name, text) in files("fuzz", "rs") {
        assert!(text.lines().count() <= 20, "{name} holds logic");
    }
}
