//! Programs of λG as terms over named axes, and `lockstep optimize` with them.

use super::shares::{drawn, run};
use oracle::generate::Made;
use oracle::optimize::subject::Subject;
use reference::axes::meaning;
use reference::fun::Fun;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::header;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Cause, Ending, Value};
use reference::lambda_g::LambdaG;
use reference::lambda_g::syntax::Program;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What the term of a program gives on an input; `None` if the program does not enter.
fn by_term(program: &Program, input: &[Value]) -> Option<Ending> {
    let subject = Subject::LambdaG(program.clone());
    let (regions, _) = subject.regions(&subject.sizes(input)).ok()?;
    let meaning = meaning::program(&regions[0].term).expect("a term means a program of FUN");
    let given = Fun::fit(&meaning, subject.given(input));
    let given = given.unwrap_or_else(|no| panic!("{}: {}", no.message, LambdaG::print(program)));
    let how = How {
        variant: Fun::VARIANTS[0].name,
        schedule: 0,
        budget: &Budget { fuel: 1_000_000, memory: 1 << 26 },
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    let mut recorder = Recorder::counting();
    Fun::check(&meaning, &mut recorder).expect("it has a type");
    Some(Fun::run(&meaning, &given, how, &mut recorder).ending)
}

/// Holds a program against its term; did it enter?
fn holds(program: &Program, input: &[Value]) -> bool {
    let Some(found) = by_term(program, input) else { return false };
    let text = || LambdaG::print(program);
    match run(program, input).ending {
        Ending::Value(results) => {
            let wanted = Subject::LambdaG(program.clone()).as_of_plans(results);
            let wanted = wanted.unwrap_or_else(|| panic!("its results are arrays\n{}", text()));
            assert_eq!(found, Ending::Value(wanted), "{}", text());
        }
        // A term has no regions, and a program that enters gets stuck by nothing else.
        Ending::Stuck(stuck) => {
            assert_eq!(stuck.site.cause, Cause::RegionFull, "{}", text());
        }
        Ending::Unknown(_) => {}
        Ending::Broken(broken) => panic!("{broken:?}\n{}", text()),
    }
    true
}

#[test]
#[allow(clippy::print_stdout)]
fn what_is_drawn_enters_as_what_it_does() {
    let mut entered = 0;
    for index in 0..600 {
        let Made { program, input, .. } = drawn(43, index);
        let input = LambdaG::fit(&program, input).expect("the input fits");
        entered += u32::from(holds(&program, &input));
    }
    println!("{entered} of 600 programs enter");
    assert!(entered >= 400, "{entered} of 600 programs enter");
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/lambda_g/pass")
}

/// The programs of the corpus, by which of their inputs they enter.
#[test]
fn of_the_corpus_these_stay_out() {
    let mut out = Vec::new();
    let mut files: Vec<PathBuf> = std::fs::read_dir(corpus())
        .expect("it is there")
        .map(|entry| entry.expect("it is read").path())
        .collect();
    files.sort();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("it is text");
        let program = LambdaG::parse(&text).expect("it is a program");
        let header = header::parse(&text, &[]).expect("it has a header");
        for case in &header.cases {
            let input = LambdaG::fit(&program, case.input.clone()).expect("the input fits");
            if !holds(&program, &input) {
                let name = file.file_stem().expect("it has a name").to_string_lossy().into_owned();
                out.push(name);
            }
        }
    }
    out.dedup();
    // Rows of different lengths, functions in vectors or chosen by data, and recursion that data ends.
    let wanted = [
        "allocation_in_nested_parmap",
        "closures_brought_back",
        "left_out_branches",
        "left_out_rows",
        "nested_parmap",
        "sum_in_a_kernel",
        "tree_in_a_region",
        "triangle",
    ];
    assert_eq!(out, wanted, "of {} files", files.len());
}

/// The term of a program, without its parameters and line breaks; or why it stays out.
fn term(source: &str, input: &str) -> String {
    let program = LambdaG::parse(source).unwrap_or_else(|no| panic!("{}: {source}", no.message));
    let values = reference::kit::value::parse_values(input).expect("they are values");
    let input = LambdaG::fit(&program, values).expect("the input fits");
    let subject = Subject::LambdaG(program);
    let sizes = subject.sizes(&input);
    match subject.regions(&sizes) {
        Ok((regions, _)) => {
            let text = reference::axes::print::term(&regions[0].term.term);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        Err(oracle::optimize::No::StaysOut(no, _)) => no.message.clone(),
        Err(_) => panic!("it stays out by nothing else"),
    }
}

const VECTOR: &str = "param v : Vec int; ";

/// `on` is the outermost level of a nest, and a vector that is read is in memory.
#[test]
fn on_is_a_mark_and_a_region_a_place() {
    let of = |body: &str| term(&format!("{VECTOR}{body}"), "[1, 2, 3]");
    assert_eq!(of("on parmap (fn x => x + 1) v"), "(out (build grid x 3 (+ (get v x) 1)) x)");
    assert_eq!(of("parmap (fn x => x + 1) v"), "(out (build seq x 3 (+ (get v x) 1)) x)");
    assert_eq!(
        of("let w = on parmap (fn x => x * 2) v in parmap (fn i => w ! i) (iota 3)"),
        "(out (build seq i 3 (get (store glob (build grid x 3 (* (get v x) 2)) x) i)) i)"
    );
    assert_eq!(
        of("parmap (fn x => parmap (fn y => (x, y < x)) v) v"),
        "(results (out (build seq x 3 (build seq y 3 (get v x))) x y) \
         (out (build seq x 3 (build seq y 3 (< (get v y) (get v x)))) x y))"
    );
}

/// A function that applies itself is a reduction, a loop with a state, a loop backwards, or written out.
#[test]
fn recursion_is_a_fold() {
    let of = |body: &str| term(&format!("{VECTOR}{body}"), "[1, 2, 3]");
    let up =
        |e: &str| of(&format!("let f = fix f . fn i => if i < length v then {e} else 7 in f 0"));
    assert_eq!(up("v ! i + f (i + 1)"), "(out (+ (red + k 3 (get v k)) 7))");
    assert_eq!(up("f (i + 1) max v ! i"), "(out (max (red max k 3 (get v k)) 7))");
    assert_eq!(up("v ! i - f (i + 1)"), "(out (seq r k_1 3 7 (- (get v {-k_1 + 2}) r)))");
    assert_eq!(
        of("let f = fix f . fn i => if i < 1 then 0 else v ! (i - 1) + f (i - 1) in f (length v)"),
        "(out (red + k 3 (get v {-k + 2})))"
    );
    assert_eq!(
        of(
            "let f = fix f . fn p => if fst p < 3 then f (fst p + 1, snd p * 2 + v ! fst p) else snd p in f (0, 1)"
        ),
        "(out (seq s_1 k_1 3 1 (+ (* s_1 2) (get v k_1))))"
    );
    // The function applies itself twice, which no fold does.
    assert_eq!(
        of("let f = fix f . fn i => if i < 2 then i else f (i - 1) + f (i - 2) in f 6"),
        "(out 8)"
    );
}

/// What stays out, and why.
#[test]
fn what_stays_out_says_why() {
    let of = |body: &str| term(&format!("{VECTOR}{body}"), "[1, 2, 3]");
    for (body, why) in [
        ("v ! (v ! 0)", "this index is not shown to be inside of a vector of 3 elements"),
        ("1 / (v ! 0)", "a divisor is not shown to be other than 0"),
        ("iota (v ! 0)", "how long this vector is is not a known number"),
        ("parmap (fn x => iota x) v", "how long this vector is is not a known number"),
        ("parmap (fn x => fn y => x + y) v", "its result has a function, which no term has"),
        (
            "(if v ! 0 < 1 then fn x => x + 1 else fn x => x + 2) 3",
            "which function it is depends on what is not known",
        ),
        (
            "if v ! 0 < 1 then v else iota 2",
            "vectors of different lengths are chosen from by what is not known",
        ),
        (
            "let f = fix f . fn i => if i < v ! 0 then f (i + 1) else i in f 0",
            "how often this function applies itself is not known",
        ),
        (
            "let f = fix f . fn i => if i < 3 then f i else i in f 0",
            "no component of the argument of this function counts how often it applies itself",
        ),
        (
            "let f = fix f . fn i => f (i + 1) in f 0",
            "this function applies itself, and is not a fold",
        ),
    ] {
        assert_eq!(of(body), why, "{body}");
    }
    let rows = "param m : Vec (Vec int); parmap (fn row => row ! 0) m";
    assert_eq!(term(rows, "{[1], [2, 3]}"), "the rows of m are not equally long");
    // An int is a number only where the program enters for no other one.
    let both = "param n : int; param k : int; parmap (fn i => i * k) (iota n)";
    assert_eq!(term(both, "2, 5"), "(out (build seq i 2 (* i k)) i)");
}

/// A command without drivers, given this to read: its status, and what it wrote.
pub(super) fn lockstep(args: &[&str], stdin: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lockstep"))
        .env("VK_DRIVER_FILES", "/nonexistent")
        .env("VK_ICD_FILENAMES", "/nonexistent")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("lockstep starts");
    child.stdin.take().expect("a pipe").write_all(stdin.as_bytes()).expect("it reads");
    let out = child.wait_with_output().expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// Nested values go in as arrays, the plan gives what the program does, and its certificate is replayed by the program
/// itself.
#[test]
fn a_program_is_optimized_and_certified() {
    let file = corpus().join("section_7.lg");
    let file = file.to_str().expect("the name is plain");
    let args = ["optimize", file, "--size", "arrs=64"];
    let (status, json, no) =
        lockstep(&[&args[..], &["--json", "--engines", "imp,device"]].concat(), "");
    assert_eq!(status, Some(0), "{json}{no}");
    let found: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!((&found["cheaper"], &found["sizes"]["arrs"]), (&true.into(), &64.into()), "{json}");
    let same = found["same_on"].to_string();
    assert!(["lambda_g", "imp:shuffled", "device"].iter().all(|on| same.contains(on)), "{same}");
    let (_, certificate, _) = lockstep(&[&args[..], &["--emit", "certificate"]].concat(), "");
    let certify = ["certify", "-", "--program", file];
    let (status, told, no) = lockstep(&certify, &certificate);
    assert!(status == Some(0) && told.matches("each right").count() == 2, "{told}{no}");
    // Behind that of a program of λG.
    let plan = certificate.rfind("\n{\n").map_or(0, |at| at + 1);
    let certificate = &certificate[plan..];
    for (from, to, why) in [
        ("fst p * snd p", "fst p * fst p", "enters as another program"),
        ("\"arrs\": 64", "\"arrs\": 63", "enters as another program"),
        ("\"language\": \"lambda_g\"", "\"language\": \"device\"", "is not rewritten"),
    ] {
        assert!(certificate.contains(from), "{from}: {certificate}");
        let (status, told, _) = lockstep(&certify[..2], &certificate.replace(from, to));
        assert!(status == Some(1) && told.contains(why), "{from}: {told}");
    }
    let (status, told, no) = lockstep(&["run", "--optimize", file], "");
    assert!(status == Some(0) && told.contains("[6, 20, -7]"), "{told}{no}");
}
