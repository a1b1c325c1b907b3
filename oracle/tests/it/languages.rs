//! The page of the languages: its programs do what they say, and its lists of reserved words are those of the grammars.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn file(path: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(path).expect("it is there")
}

#[test]
fn programs_of_the_page_do_what_they_say() {
    let page = file("docs/languages.md");
    let folder = TempDir::new().expect("a folder");
    let mut languages = BTreeSet::new();
    // Every other part stands between fences.
    let programs = page.split("```").skip(1).step_by(2);
    for (number, block) in programs.enumerate() {
        let (language, program) =
            block.split_once('\n').expect("the language stands beside the fence");
        languages.insert(language);
        let path = folder.path().join(format!("{number}.program"));
        fs::write(&path, program).expect("the folder can be written");
        let output = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args([
                "test",
                "--language",
                language,
                "--engines",
                "axes,fun,funmem,imp,fcl,device,spirv",
            ])
            .arg(&path)
            .output()
            .expect("lockstep starts");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0), "{program}\n{told}");
        assert!(told.starts_with("1 file, 1 case, 0 failed"), "{program}\n{told}");
    }
    assert_eq!(languages, BTreeSet::from(["axes", "fun", "funmem", "imp", "fcl", "device"]));
}

/// The words in backquotes behind a text, up to the end of the paragraph.
fn listed(page: &str, behind: &str) -> BTreeSet<String> {
    let at = page.find(behind).unwrap_or_else(|| panic!("the page has `{behind}`"));
    let paragraph = page[at + behind.len()..].split("\n\n").next().unwrap_or_default();
    paragraph.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn keywords(grammar: &str) -> BTreeSet<String> {
    let parts = grammar.split("Token::Keyword(\"").skip(1);
    parts.filter_map(|part| Some(part.split_once('"')?.0.to_owned())).collect()
}

#[test]
fn reserved_words_are_those_of_the_grammars() {
    let page = file("docs/languages.md");
    for (section, behind, room) in [
        ("## FUN\n", "Reserved words of FUN and FUNMEM: ", "fun"),
        ("## IMP\n", "Reserved words: ", "imp"),
        ("## The device language\n", "Reserved words: ", "device"),
    ] {
        let section = &page[page.find(section).expect("the section")..];
        let grammar = file(&format!("reference/src/{room}/grammar.lalrpop"));
        assert_eq!(listed(section, behind), keywords(&grammar), "{room}");
    }
}
