//! The programs of docs/minias.md do what they say.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

#[test]
fn programs_of_the_page_do_what_they_say() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/minias.md");
    let page = std::fs::read_to_string(page).expect("it is there");
    let folder = TempDir::new().expect("a folder");
    let mut count = 0;
    // Every other part stands between fences.
    for block in page.split("```").skip(1).step_by(2) {
        let (language, program) = block.split_once('\n').expect("the language stands first");
        let extension = match language {
            "minias" => "mas",
            "sycl" => "sycl",
            "text" => continue,
            other => panic!("{other} is no language of the page"),
        };
        let path = folder.path().join(format!("{count}.{extension}"));
        std::fs::write(&path, program).expect("the folder can be written");
        let ran = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(["test", "--engines", "sycl,minias,device,spirv"])
            .arg(&path)
            .output()
            .expect("lockstep starts");
        let told = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert_eq!(ran.status.code(), Some(0), "{program}\n{told}");
        assert!(told.starts_with("1 file, 1 case, 0 failed"), "{program}\n{told}");
        count += 1;
    }
    assert!(count >= 5, "{count} programs");
}

/// Each reading of the notes names what shows it: programs of the corpus, or tests.
#[test]
fn every_reading_names_what_shows_it() {
    let notes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs-notes");
    let text = std::fs::read_to_string(notes.join("minias.md")).expect("they are there");
    let (mut readings, mut shown, mut in_table) = (0, String::new(), false);
    for line in text.lines() {
        if line.starts_with("| place |") {
            assert_eq!(line, "| place | reading | program |");
            in_table = true;
        } else if !line.starts_with('|') {
            in_table = false;
        } else if in_table && !line.starts_with("|---") {
            readings += 1;
            let last = line.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
            if last != "the same" {
                last.clone_into(&mut shown);
            }
            // Behind each bracket that closes stands the file of a link.
            let links =
                shown.split("](").skip(1).map(|link| link.split(')').next().unwrap_or_default());
            let links: Vec<&str> = links.collect();
            assert!(!links.is_empty(), "nothing shows it: {line}");
            for link in links {
                let is_shown = link.starts_with("../corpus/") || link.contains("tests/");
                assert!(is_shown, "{link} is no program and no test: {line}");
                assert!(notes.join(link).is_file(), "{link} is not there: {line}");
            }
        }
    }
    assert!(readings > 50, "{readings} readings");
}
