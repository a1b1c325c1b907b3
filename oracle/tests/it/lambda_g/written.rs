//! Terms over named axes as programs of λG: what enters comes out again, and does the same.

use super::shares::drawn;
use oracle::generate::Made;
use oracle::optimize::lambda_g::Request;
use oracle::optimize::lambda_g::said::{border, said};
use oracle::optimize::said::Unsaid;
use oracle::optimize::subject::Subject;
use reference::axes::syntax::Program as Term;
use reference::kit::header;
use reference::kit::language::Language;
use reference::kit::outcome::{Budget, Value};
use reference::kit::value::parse_values;
use reference::lambda_g::LambdaG;
use reference::lambda_g::syntax::Program;
use std::fs;
use std::path::{Path, PathBuf};

/// The term that a program enters as, if it does.
fn entered(program: &Program, input: &[Value]) -> Option<Term> {
    let subject = Subject::LambdaG(program.clone());
    let (regions, _) = subject.regions(&subject.sizes(input)).ok()?;
    Some(regions.into_iter().next()?.term)
}

/// What became of a round trip.
#[derive(Default, Debug)]
struct Trips {
    tried: u32,
    /// Programs that λG cannot say, with operators on bits.
    beyond: u32,
    /// Programs that came out and enter again.
    again: u32,
    /// Those that do not.
    stay_out: Vec<String>,
}

impl Trips {
    /// In, out, and in again, if the program enters: the results are the same.
    fn trip(&mut self, program: &Program, input: &[Value]) {
        let Some(term) = entered(program, input) else { return };
        self.tried += 1;
        let budget = Budget { fuel: 1_000_000, ..Budget::default() };
        match said(&term, program, input, &Request { budget, ..Request::default() }) {
            Ok(said) => match entered(&said.program, input) {
                Some(_) => self.again += 1,
                None => self.stay_out.push(LambdaG::print(&said.program)),
            },
            Err(Unsaid::Beyond(_)) => self.beyond += 1,
            Err(Unsaid::Wrong(why)) => panic!("{why}\n\n{}", LambdaG::print(program)),
        }
    }
}

#[test]
#[allow(clippy::print_stdout)]
fn programs_of_the_corpus_go_in_and_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/lambda_g/pass");
    let mut trips = Trips::default();
    let files = fs::read_dir(folder).expect("it is there");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it is read").path()).collect();
    files.sort();
    for file in files {
        let text = fs::read_to_string(&file).expect("it is text");
        let program = LambdaG::parse(&text).expect("it is a program");
        let header = header::parse(&text, &[]).expect("it has a header");
        for case in &header.cases {
            let input = LambdaG::fit(&program, case.input.clone()).expect("the input fits");
            trips.trip(&program, &input);
        }
    }
    println!("{trips:?}");
    assert!(trips.tried >= 40 && trips.beyond == 0, "{trips:?}");
    // A loop of 2,000 rounds whose state is counted too stays out.
    assert_eq!(trips.again + 1, trips.tried, "{trips:?}");
}

#[test]
#[allow(clippy::print_stdout)]
fn drawn_programs_go_in_and_out() {
    let mut trips = Trips::default();
    for index in 0..200 {
        let Made { program, input, .. } = drawn(47, index);
        let input = LambdaG::fit(&program, input).expect("the input fits");
        trips.trip(&program, &input);
    }
    println!("{trips:?}");
    assert!(trips.tried >= 130 && trips.beyond * 20 <= trips.tried, "{trips:?}");
    assert!(trips.again * 10 >= trips.tried * 9, "{trips:?}");
}

/// The text of a term, in one line, with and without a region of the device.
fn written(source: &str, input: &str) -> [String; 2] {
    let program = LambdaG::parse(source).unwrap_or_else(|no| panic!("{}: {source}", no.message));
    let input = LambdaG::fit(&program, parse_values(input).expect("values")).expect("it fits");
    let term = entered(&program, &input).expect("it enters");
    let border = border(&program).expect("it has a type");
    [None, Some(64)].map(|words| {
        let text = compiler::rewrite::lambda_g::text(&term, &border, words).expect("it is said");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

/// `on` comes back from its mark, with what it makes in a region of its own, and the place of an array is a variable.
#[test]
fn marks_and_places_come_back() {
    let source = "param v : Vec int; on parmap (fn x => x + 1) v";
    let [alone, on] = written(source, "[1, 2, 3]");
    assert_eq!(alone, "param v : Vec (int); (parmap (fn i => ((v ! i) + 1)) (iota (3)))");
    assert_eq!(
        on,
        "param v : Vec (int); letregion q of 64 in let d = (on ((parmap (fn i => \
         (((v ! i) + (0 at q) at q) + (1 at q) at q) at q) (iota (3 at q) at q) at q)) at q) in \
         (parmap (fn x => ((x) + 0)) (d))"
    );
    let source = "param v : Vec int; let w = parmap (fn x => x * 2) v in parmap (fn i => w ! i < 4) (iota 3)";
    let [alone, on] = written(source, "[1, 2, 3]");
    assert_eq!(alone, on);
    assert_eq!(
        alone,
        "param v : Vec (int); let s = (parmap (fn i => ((v ! i) * 2)) (iota (3))) in \
         (parmap (fn i1 => ((s ! i1) < 4)) (iota (3)))"
    );
    let source = "param v : Vec int; let f = fix f . fn i => if i < length v then v ! i + f (i + 1) else 0 in f 0";
    let [alone, _] = written(source, "[1, 2, 3]");
    assert!(alone.contains("fix f . fn p =>") && alone.ends_with(" in r"), "{alone}");
}
