//! Which answers to the paper's questions decide what is accepted.

use super::options::{Answers, QUESTIONS, SPACE};
use super::syntax::Program;
use super::{accepts, parse};
use crate::kit::language::{Choice, Settings};
use crate::kit::text::Rejected;

/// An example of the seed, in the words of the reading that lists them.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Its name: S1 to S10.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// What stands in the kernel, behind `int *i = g;`.
    text: &'static str,
    /// What stands before the kernel.
    before: &'static str,
}

const FOO: &str = "template<typename T> struct Foo { T i; };\n";
const CALL: &str = "template<typename T> void funcCall(T i) {\n    static_assert(std::is_same<T, int*>::value && \"Invalid type T\");\n}\n";
const DEREF: &str = "template<typename T> void funcCall(T *i) { T t = *i; }\n";

/// The examples of the paper, in its order.
pub const EXAMPLES: [Example; 10] = [
    example("S1", "promotion", "", ""),
    example("S2", "conflict", "int *j = l; i = j;", ""),
    example("S3", "lambda capture", "auto f = [i]() {};", ""),
    example("S4", "decltype", "decltype(i) j = l;", ""),
    example("S5", "decltype of a lambda's parameter", "auto F = [=](decltype(i)) {}; F(l);", ""),
    example("S6", "decltype as an argument of a template", "Foo<decltype(i)> F = {i};", FOO),
    example("S7", "template instantiation", "funcCall(i);", CALL),
    example("S8", "a struct that carries a space", "Foo<decltype(i)> foo{i};", FOO),
    example("S9", "template parameter deduction", "funcCall(i);", DEREF),
    example("S10", "template instantiation, private", "int x; int *p = &x; funcCall(p);", CALL),
];

const fn example(
    name: &'static str,
    about: &'static str,
    text: &'static str,
    before: &'static str,
) -> Example {
    Example { name, about, text, before }
}

impl Example {
    /// The program.
    pub fn source(self) -> String {
        let Example { text, before, .. } = self;
        format!(
            "{before}kernel void k(global_ptr<int> g, local_ptr<int> l) {{\n    int *i = g;\n    {text}\n}}\n"
        )
    }
}

/// Is a program accepted?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is.
    Accepted,
    /// A rule refuses it.
    Rejected,
    /// It goes beyond a bound, before which no rule refuses it. The bound is Lockstep's, and not SYCL's.
    Unknown,
}

impl Verdict {
    /// The verdict, in words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Accepted => "accepted",
            Verdict::Rejected => "rejected",
            Verdict::Unknown => "no answer",
        }
    }
}

/// What is said of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Each combination of the questions that change the verdict, and the verdict.
    pub verdicts: Vec<(String, Verdict)>,
    /// Where it is rejected, in as few words as it takes: each of these is enough. Empty if it never is.
    pub rejected_if: Vec<String>,
    /// Where there is no answer, likewise.
    pub unknown_if: Vec<String>,
    /// The names of the questions that decide.
    pub decided_by: Vec<&'static str>,
}

/// All questions, that of the generic space first.
fn questions() -> Vec<Choice> {
    std::iter::once(SPACE).chain(QUESTIONS).collect()
}

/// The second value of a question.
fn second(question: &Choice) -> &'static str {
    question.values.listed()[1]
}

/// The answers whose bits are set take the second value.
fn answers(questions: &[Choice], bits: usize) -> Answers {
    let mut settings = Settings::default();
    for (at, question) in questions.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1) {
        let set = settings.set(questions, question.name, second(question));
        set.unwrap_or_else(|told| unreachable!("{at}: a question has its second value: {told}"));
    }
    Answers::of(&settings)
}

/// Says of a program which answers decide whether it is accepted.
///
/// # Errors
/// The source is no program.
pub fn said(source: &str) -> Result<Said, Rejected> {
    let program = parse::program(source)?;
    let questions = questions();
    let verdicts: Vec<Verdict> =
        (0..1 << questions.len()).map(|bits| verdict(&program, &questions, bits)).collect();
    Ok(of_verdicts(&questions, &verdicts))
}

fn verdict(program: &Program, questions: &[Choice], bits: usize) -> Verdict {
    match accepts(program, answers(questions, bits)) {
        Ok(()) => Verdict::Accepted,
        Err(refused) if refused.limit.is_some() => Verdict::Unknown,
        Err(_) => Verdict::Rejected,
    }
}

/// Under which answers all examples but these are accepted, as they are in C++.
pub fn as_in_cpp(but: &[&str]) -> Vec<String> {
    let questions = questions();
    let programs = EXAMPLES.iter().filter(|example| !but.contains(&example.name));
    let programs: Vec<Program> = programs
        .map(|example| parse::program(&example.source()).expect("the examples are programs"))
        .collect();
    // Where all are accepted takes the place of where one is rejected.
    let all = |bits| {
        let accepts = |program| verdict(program, &questions, bits) == Verdict::Accepted;
        if programs.iter().all(accepts) { Verdict::Rejected } else { Verdict::Accepted }
    };
    let verdicts: Vec<Verdict> = (0..1 << questions.len()).map(all).collect();
    of_verdicts(&questions, &verdicts).rejected_if
}

fn of_verdicts(questions: &[Choice], found: &[Verdict]) -> Said {
    let changes = |at: usize| (0..found.len()).any(|bits| found[bits] != found[bits ^ 1 << at]);
    let decide: Vec<usize> = (0..questions.len()).filter(|at| changes(*at)).collect();
    // The number of a combination of the questions that decide.
    let spread = |bits: usize| -> usize {
        decide.iter().enumerate().map(|(place, at)| (bits >> place & 1) << at).sum()
    };
    let told = |cube: &[Option<bool>]| -> String {
        let parts = cube.iter().zip(&decide).filter_map(|(value, at)| {
            let question = &questions[*at];
            let value = if (*value)? { second(question) } else { question.default };
            Some(format!("{}={value}", question.name))
        });
        parts.collect::<Vec<_>>().join(", ")
    };
    let combinations = 0..1_usize << decide.len();
    let verdicts = combinations.map(|bits| {
        let cube: Vec<Option<bool>> =
            (0..decide.len()).map(|place| Some(bits >> place & 1 == 1)).collect();
        (told(&cube), found[spread(bits)])
    });
    let verdicts = verdicts.collect();
    let where_it_is = |verdict: Verdict| {
        let holds = |bits: usize| found[spread(bits)] == verdict;
        primes(decide.len(), &holds).iter().map(|cube| told(cube)).collect()
    };
    Said {
        verdicts,
        rejected_if: where_it_is(Verdict::Rejected),
        unknown_if: where_it_is(Verdict::Unknown),
        decided_by: decide.iter().map(|at| questions[*at].name).collect(),
    }
}

/// The largest cubes that lie in a set of combinations: its prime implicants.
fn primes(width: usize, holds: &dyn Fn(usize) -> bool) -> Vec<Vec<Option<bool>>> {
    let mut cubes: Vec<Vec<Option<bool>>> = vec![Vec::new()];
    for _ in 0..width {
        let longer = cubes.iter().flat_map(|cube| {
            [None, Some(false), Some(true)].map(|value| {
                let mut cube = cube.clone();
                cube.push(value);
                cube
            })
        });
        cubes = longer.collect();
    }
    let inside = |cube: &[Option<bool>], bits: usize| {
        cube.iter()
            .enumerate()
            .all(|(at, value)| value.is_none_or(|value| (bits >> at & 1 == 1) == value))
    };
    cubes.retain(|cube| (0..1 << width).all(|bits| !inside(cube, bits) || holds(bits)));
    let larger = |one: &[Option<bool>], other: &[Option<bool>]| {
        one != other && one.iter().zip(other).all(|(one, other)| one.is_none() || one == other)
    };
    let all = cubes.clone();
    cubes.retain(|cube| !all.iter().any(|other| larger(other, cube)));
    cubes
}
