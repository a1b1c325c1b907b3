//! The programs of docs/lambda_g.md do what they say.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

#[test]
fn programs_of_the_page_do_what_they_say() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/lambda_g.md");
    let page = std::fs::read_to_string(page).expect("it is there");
    let folder = TempDir::new().expect("a folder");
    let mut count = 0;
    // Every other part stands between fences.
    for block in page.split("```").skip(1).step_by(2) {
        let (language, program) = block.split_once('\n').expect("the language stands first");
        assert_eq!(language, "lambda_g");
        let path = folder.path().join(format!("{count}.lg"));
        std::fs::write(&path, program).expect("the folder can be written");
        let ran = Command::new(env!("CARGO_BIN_EXE_lockstep"))
            .args(["test", "--engines", "lambda_g,device,spirv"])
            .arg(&path)
            .output()
            .expect("lockstep starts");
        let told = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert_eq!(ran.status.code(), Some(0), "{program}\n{told}");
        assert!(told.starts_with("1 file, 1 case, 0 failed"), "{program}\n{told}");
        count += 1;
    }
    assert!(count >= 3, "{count} programs");
}
