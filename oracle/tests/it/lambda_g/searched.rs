//! Programs of λG that a search by laws makes cheaper, and their certificates.

use super::optimized::lockstep;
use super::shares::drawn;
use oracle::check::{Depth, Tester, Verdict};
use oracle::engine::{Case, Origin};
use oracle::generate::Made;
use oracle::optimize::lambda_g::certificate::Certificate;
use oracle::optimize::lambda_g::{Found, Request, Stop, search};
use oracle::optimize::replay::Replay;
use oracle::stages::{OPTIMIZE, Plan};
use reference::cost::{Machine, NAMED, machine_of};
use reference::kit::faults::{Fault, Planted, WrongLambdaG};
use reference::kit::header;
use reference::kit::language::{Language, Settings};
use reference::kit::outcome::{Budget, Value};
use reference::kit::value::parse_values;
use reference::lambda_g::LambdaG;
use reference::lambda_g::syntax::Program;
use reference::languages::Listed;
use std::fs;
use std::path::{Path, PathBuf};

fn read(source: &str, input: &str) -> (Program, Vec<Value>) {
    let program = LambdaG::parse(source).unwrap_or_else(|no| panic!("{}: {source}", no.message));
    let input = parse_values(input).expect("they are values");
    let input = LambdaG::fit(&program, input).expect("the input fits");
    (program, input)
}

fn found(source: &str, input: &str, request: &Request) -> (Found, Certificate) {
    let (program, input) = read(source, input);
    let found = search(&program, &input, request).unwrap_or_else(|no| panic!("{no}: {source}"));
    let certificate = Certificate::of(&found, &input, request);
    (found, certificate)
}

/// The steps to the cheapest program, and its text in one line.
fn best(source: &str, input: &str) -> (Vec<String>, String) {
    let (found, _) = found(source, input, &Request::default());
    assert_eq!(found.stop, Stop::Whole, "{source}");
    let (program, time) = found.best().unwrap_or_else(|| panic!("something costs less: {source}"));
    assert!(time < found.before, "{time} of {}", found.before);
    let steps = found.chain.iter().map(|link| match &link.region {
        Some(region) => format!("{} {region}", link.law.name),
        None => link.law.name.to_owned(),
    });
    let text = LambdaG::print(program).split_whitespace().collect::<Vec<_>>().join(" ");
    (steps.collect(), text)
}

const ADD: &str = "fn (x : (int, r0)) ! {r0} => x + 1 at r0 at r0 at r0";

#[test]
fn the_cheapest_program_is_found_by_these_steps() {
    let vector = "param v : (Vec (int, r0), r0); ";
    let (steps, text) =
        best(&format!("{vector}parmap ({ADD}) (parmap ({ADD}) v at r0) at r0"), "[1, 2, 3]");
    assert_eq!(steps, ["parmap-fuse"], "{text}");
    // Two elements are not worth the transfers.
    let (steps, text) = best(&format!("{vector}on parmap ({ADD}) v at r0 at r0"), "[1, 2]");
    assert_eq!(steps, ["on-drop"], "{text}");
    // Many elements of which each takes long are, beside a host that takes one after the other.
    let product = (0..20).fold("x".to_owned(), |of, _| format!("({of} * x at q)"));
    let source = format!(
        "{vector}letregion q of 40000 in \
         let w = parmap (fn (x : (int, r0)) ! {{r0, q}} => {product} at q) v at q in \
         (w ! (0 at q)) + (0 at q) at r0"
    );
    let numbers = vec!["1"; 1024].join(", ");
    let machine = Machine { processors: 1, ..machine_of(NAMED[1].1).expect("it is one") };
    let request = Request { machine, ..Request::default() };
    let (found, certificate) = found(&source, &format!("[{numbers}]"), &request);
    let steps: Vec<_> = found.chain.iter().map(|link| (link.law.name, &link.region)).collect();
    assert_eq!(steps, [("on-put", &Some("q".to_owned()))], "{} before", found.before);
    assert_eq!(certificate.replay(&Replay::default()).map(|of| of.not_run), Ok(None));
}

/// Every program of the corpus: each step holds, and the last program costs what is said.
#[test]
#[allow(clippy::print_stdout)]
fn programs_of_the_corpus_are_rewritten_and_certified() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/lambda_g/pass");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("it is there")
        .map(|entry| entry.expect("it is read").path())
        .collect();
    files.sort();
    let request = Request { programs: 40, ..Request::default() };
    let mut cheaper = 0;
    for file in &files {
        let text = fs::read_to_string(file).expect("it is text");
        let program = LambdaG::parse(&text).expect("it is a program");
        let header = header::parse(&text, &[]).expect("it has a header");
        let Some(case) = header.cases.first() else { continue };
        let input = LambdaG::fit(&program, case.input.clone()).expect("the input fits");
        let Ok(found) = search(&program, &input, &request) else { continue };
        let name = file.display();
        assert!(found.wrong.is_none(), "{name}: {:?}", found.wrong);
        cheaper += u32::from(found.best().is_some());
        let certificate = Certificate::of(&found, &input, &request);
        let text = serde_json::to_string(&certificate).expect("it is written");
        let again: Certificate = serde_json::from_str(&text).expect("it is read");
        assert_eq!(again, certificate);
        let replayed = again.replay(&Replay::default());
        assert!(replayed.is_ok_and(|replayed| replayed.not_run.is_none()), "{name}");
    }
    println!("{cheaper} of {} programs cost less", files.len());
    assert!(cheaper >= 24, "{cheaper} of {}", files.len());
}

/// Whatever is changed in a certificate, it is refused, at the step where it was changed.
#[test]
fn certificates_that_were_changed_are_refused() {
    let source = "letregion q in let a = on 1 at q at q in \
         let b = on a + 2 at q at q in (fst (a + b at q || 3 at q at q)) + b at r0";
    let (_, right) = found(source, "", &Request::default());
    assert!(right.steps.len() >= 3, "{:#?}", right.steps);
    assert_eq!(right.replay(&Replay::default()).map(|of| of.not_run), Ok(None));
    let refused = |step: usize, why: &str, change: &dyn Fn(&mut Certificate)| {
        let mut wrong = right.clone();
        change(&mut wrong);
        let no = wrong.replay(&Replay::default()).expect_err("it was changed");
        assert!(no.step == step && no.why.contains(why), "{why}: {no:?}");
    };
    refused(1, "there is no law", &|of| of.steps[0].law = "on-dropped".to_owned());
    refused(2, "leads to another program", &|of| of.steps[1].program = of.program.clone());
    refused(1, "does not apply there", &|of| of.steps[0].position = 0);
    refused(1, "no region z in scope", &|of| of.steps[0].region = Some("z".to_owned()));
    refused(1, "does not apply there", &|of| of.steps[0].region = Some("r0".to_owned()));
    refused(1, "the guard", &|of| of.steps[0].guard = Some("none".to_owned()));
    refused(0, "do not lead to the goal", &|of| drop(of.steps.pop()));
    refused(0, "says that the original costs", &|of| of.costs.before += 1);
    refused(0, "says that the last program costs", &|of| of.costs.after -= 1);
    refused(0, "law book", &|of| of.laws.push('0'));
    refused(0, "its input", &|of| of.costs.input.push("1".to_owned()));
    refused(0, "are of fun", &|of| of.language = "fun".to_owned());
    refused(1, "", &|of| of.steps[0].program.push(')'));
}

/// A law that lets branches change places is found out by the search, and its steps by the replay.
#[test]
fn a_wrong_law_is_found_out() {
    let source = "fst (1 at r0 || 2 at r0 at r0)";
    let planted = Planted::new(Fault::LambdaG(WrongLambdaG::BranchesSwapped));
    let request = Request { planted, ..Request::default() };
    let (found, mut certificate) = found(source, "", &request);
    let (chain, why) = found.wrong.clone().expect("it gives 2");
    let last = chain.last().expect("a step leads to it");
    assert_eq!((last.law.name, why.as_str()), ("par-seq", "it gives other results"));
    // A certificate of it, as if the search had taken it.
    let wrong = Found { chain, wrong: None, ..found };
    certificate =
        Certificate { costs: certificate.costs, ..Certificate::of(&wrong, &[], &request) };
    let no = certificate.replay(&Replay::default()).expect_err("the law is another one");
    assert!(no.why.contains("par-seq leads to another program"), "{no:?}");
    let (found, _) = self::found(source, "", &Request::default());
    assert!(found.wrong.is_none());
}

/// A program of which no term can be made is rewritten too: told, printed, certified.
#[test]
fn the_command_rewrites_a_program_that_is_no_term() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/lambda_g/pass/nested_parmap.lg");
    let file = file.to_str().expect("the name is plain");
    let (status, told, no) = lockstep(&["optimize", file, "--engines", "device"], "");
    assert_eq!(status, Some(0), "{told}{no}");
    for has in
        ["as a program of λG it costs", "1. parmap-fuse (cost), at ", "no plan was searched: "]
    {
        assert!(told.contains(has), "{has}: {told}");
    }
    let (status, json, no) = lockstep(&["optimize", file, "--engines", "device", "--json"], "");
    assert_eq!(status, Some(0), "{json}{no}");
    let line: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let of = &line["lambda_g"];
    assert!(of["after"].as_u64() < of["before"].as_u64(), "{json}");
    assert!(of["same_on"].to_string().contains("device"), "{json}");
    let (status, program, no) = lockstep(&["optimize", file, "--emit", "lg"], "");
    assert_eq!(status, Some(0), "{no}");
    let again = LambdaG::parse(&program).expect("it is a program");
    assert_eq!(LambdaG::print(&again), program);
    assert_eq!(of["program"], program);
    let (_, certificate, _) = lockstep(&["optimize", file, "--emit", "certificate"], "");
    let (status, told, no) = lockstep(&["certify", "-", "--program", file], &certificate);
    assert!(status == Some(0) && told.contains("each right; "), "{told}{no}");
    let wrong = certificate.replacen("parmap-fuse", "on-join", 1);
    let (status, told, _) = lockstep(&["certify", "-"], &wrong);
    assert!(status == Some(1) && told.contains("step 1 is wrong"), "{told}");
    let (status, _, no) = lockstep(&["certify", "-"], &certificate[..certificate.len() / 2]);
    assert!(status == Some(2) && no.contains("truncated"), "{no}");
}

/// The plan of a program comes as a program of λG, and is printed where it costs less than what the laws lead to.
#[test]
fn the_command_says_a_plan_in_lambda_g() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let file = folder.path().join("twice.lg");
    let text = "-- input: [1, 2, 3]\nparam v : Vec int;\n\
        let w = parmap (fn x => x * 2) v in parmap (fn i => w ! i + 1) (iota (length v))\n";
    fs::write(&file, text).expect("it can be written");
    let file = file.to_str().expect("the name is plain");
    let args = ["optimize", file, "--engines", "device"];
    let (status, json, no) = lockstep(&[&args[..], &["--json"]].concat(), "");
    assert_eq!(status, Some(0), "{json}{no}");
    let line: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let (laws, plan) = (&line["lambda_g"], &line["plan_in_lambda_g"]);
    assert!(plan["compared"] == true && plan["time"].as_u64() < laws["before"].as_u64(), "{json}");
    assert!(laws["after"].is_null() || plan["time"].as_u64() < laws["after"].as_u64(), "{json}");
    let (status, program, no) = lockstep(&[&args[..], &["--emit", "lg"]].concat(), "");
    assert_eq!((status, plan["program"].as_str()), (Some(0), Some(program.as_str())), "{no}");
    let (status, told, no) = lockstep(&args, "");
    let has = "a plan as a program of λG; it costs ";
    assert!(status == Some(0) && told.contains(has), "{told}{no}");
}

/// Drawn programs that a campaign rewrites: by laws or by a plan, with their certificates, and compiled.
#[test]
#[allow(clippy::print_stdout)]
fn drawn_programs_are_rewritten_by_a_campaign() {
    let plan = Plan { optimize: true, ..Plan::default() };
    let mut tester = Tester::new(Vec::new(), plan);
    tester.only = vec!["lambda_g".to_owned(), "device".to_owned()];
    let mut rewritten = 0;
    const PROGRAMS: u64 = 24;
    for index in 0..PROGRAMS {
        let Made { program, input, .. } = drawn(53, index);
        let input = LambdaG::fit(&program, input).expect("the input fits");
        let case = Case {
            program: LambdaG::artifact(program),
            input,
            schedule: 1,
            settings: Settings::default(),
            budget: Budget { fuel: 200_000, ..Budget::default() },
            origin: Origin::File("drawn".to_owned()),
        };
        let seen = tester.examine(&case, Depth::Quick);
        if let Verdict::Finding(finding) = &seen.verdict {
            panic!("{}: {}\n{}", finding.stage, finding.text, case.program.print());
        }
        rewritten += u64::from(seen.sides.iter().any(|side| side.stage == OPTIMIZE));
    }
    println!("{rewritten} of {PROGRAMS} programs are rewritten");
    assert!(rewritten * 2 >= PROGRAMS, "{rewritten} of {PROGRAMS} programs are rewritten");
}
