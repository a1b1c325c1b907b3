//! Facts: verdicts of other implementations and of the papers, each in a program. What Lockstep decides otherwise names its
//! reading.
//!
//! ```text
//! A7 F generic: IAS/AMDGPU/basic.ll load_constant_from_flat     id, frame, mode or `sycl` with options: source
//! constant int *a = (constant int *) e; n = *a;                 the program in its frame
//! with int rd(int *p) { return *p; }                            more functions
//! launch k 2 2
//! says accept                                                   what the source says
//! decides reject by M4                                          what Lockstep says instead, and the reading
//! why LLVM has constant inside flat
//! ```
//!
//! Verdicts are `accept`, `reject` with or without rule and premise, `infer a: {global}; b: {| r}`, `leaves x = 1; y = 2`,
//! `stuck null`, `race`, and `nothing`. A fact whose frame is `-` is no program.

use super::sycl::{self, Sycl};
use super::syntax::Program;
use super::types::{MODE, Typed};
use super::{Minias, infer};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::fit::Type;
use crate::kit::language::{How, Language, Settings};
use crate::kit::memory::Memory;
use crate::kit::outcome::{Budget, Ending, Outcome, Value};
use crate::kit::text::Rejected;
use crate::kit::value::parse_values;
use std::collections::HashSet;

/// A fact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact<'t> {
    /// Its name.
    pub id: &'t str,
    /// Where it comes from.
    pub source: &'t str,
    /// Its line, from 1.
    pub line: usize,
    frame: &'t str,
    /// The mode, or `sycl` and options.
    mode: &'t str,
    program: &'t str,
    with: &'t str,
    launch: &'t str,
    says: &'t str,
    decides: Option<(&'t str, &'t str)>,
}

/// What came of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'t> {
    /// Lockstep says what the source says.
    Passed,
    /// Lockstep decides otherwise, by this reading.
    Otherwise(&'t str),
    /// It is no program.
    NotExpressible,
    /// It is neither as the source says nor as the file.
    Wrong(String),
}

/// The facts of a file.
///
/// # Errors
/// The line that is none of a fact, and why.
pub fn parse(text: &str) -> Result<Vec<Fact<'_>>, (usize, String)> {
    let (mut facts, mut open): (Vec<Fact<'_>>, Option<Fact<'_>>) = (Vec::new(), None);
    for (at, line) in text.lines().enumerate() {
        let line_number = at + 1;
        if line.trim().is_empty() || line.starts_with("--") {
            facts.extend(open.take());
            continue;
        }
        let Some(fact) = &mut open else {
            let no_head = || (line_number, "expected `ID FRAME MODE: SOURCE`".to_owned());
            let (head, source) = line.split_once(": ").unwrap_or((line, ""));
            let mut words = head.splitn(3, ' ');
            let (id, frame) = words.next().zip(words.next()).ok_or_else(no_head)?;
            let mode = words.next().unwrap_or_default();
            if !["F", "N", "K", "P", "S", "-"].contains(&frame) {
                return Err((line_number, format!("there is no frame `{frame}`")));
            }
            open = Some(Fact { id, source, frame, mode, line: line_number, ..Fact::default() });
            continue;
        };
        match line.split_once(' ') {
            Some(("with", text)) => fact.with = text,
            Some(("launch", text)) => fact.launch = text,
            Some(("says", text)) => fact.says = text,
            Some(("why", _)) => {}
            Some(("decides", text)) => {
                let told = || (line_number, "expected `decides VERDICT by READING`".to_owned());
                fact.decides = Some(text.rsplit_once(" by ").ok_or_else(told)?);
            }
            _ if fact.program.is_empty() => fact.program = line,
            _ => return Err((line_number, "a fact has one line of program".to_owned())),
        }
    }
    facts.extend(open);
    let mut ids = HashSet::new();
    for Fact { id, line, frame, program, says, .. } in &facts {
        let told = match () {
            () if !ids.insert(*id) => format!("there is a fact `{id}` already"),
            () if *frame == "-" => continue,
            () if program.is_empty() => format!("the fact `{id}` has no program"),
            () if says.is_empty() => format!("the fact `{id}` does not say what its source says"),
            () => continue,
        };
        return Err((*line, told));
    }
    Ok(facts)
}

/// The kernel that calls the function of the frame F.
const START: &str = "kernel void start(global int *g, global int *h, local int *l, local int *m, constant int *c) { int p[4]; int q[4]; f(g, h, l, m, p, q, c, g, 0); }";

/// What an int of the input is, by the space that it lies in: the facts count on it.
const INPUT: &str = "[10, 11, 12, 13], [14, 15, 16, 17]";

impl<'t> Fact<'t> {
    /// Holds the fact against what Lockstep says.
    pub fn judge(&self) -> Found<'t> {
        if self.frame == "-" {
            return Found::NotExpressible;
        }
        let (wanted, reading) = match self.decides {
            Some((verdict, reading)) => (verdict, Some(reading)),
            None => (self.says, None),
        };
        let found = if self.mode.starts_with("sycl") {
            self.verdict::<Sycl>(wanted)
        } else {
            self.verdict::<Minias>(wanted)
        };
        match (found, reading) {
            (Ok(found), None) if found == wanted => Found::Passed,
            (Ok(found), Some(reading)) if found == wanted => Found::Otherwise(reading),
            (Ok(found), _) => Found::Wrong(format!("{found}, and not {wanted}")),
            (Err(told), _) => Found::Wrong(told),
        }
    }

    /// The program in its frame, with statements behind it. A function is called by a kernel if it is to run.
    fn framed(&self, behind: &str, runs: bool) -> String {
        let Fact { program, with, .. } = self;
        let start = if runs { START } else { "" };
        match self.frame {
            "F" => format!(
                "void f(global int *g, global int *h, local int *l, local int *m, private int *p, private int *q, constant int *c, int *e, int n) {{ {program} {behind} }}\n{start}"
            ),
            "N" => format!(
                "void f(global int *g, local int *l, global int * private *gg, global int * private *hh, local int * private *ll) {{ {program} {behind} }}"
            ),
            "K" => format!(
                "kernel void k(global int *g, local int *l, constant int *c, int n) {{ {program} {behind} }}"
            ),
            "S" => format!(
                "template<typename T> struct Foo {{ T i; }};\ntemplate<typename T> void funcCall(T i) {{ static_assert(std::is_same<T, int*>::value, \"\"); }}\ntemplate<typename T> void deref(T* i) {{ T t = *i; }}\n{with}\nkernel void k(global_ptr<int> g, local_ptr<int> l, constant_ptr<int> c) {{ int x = 0; int y; {{ {program} {behind} }} }}"
            ),
            _ => (*program).to_owned(),
        }
    }

    fn settings<L: Language>(&self) -> Result<Settings, String> {
        let mut settings = Settings::default();
        let mut words = self.mode.split(' ');
        match words.next() {
            Some("sycl") => {
                for word in words {
                    let (name, value) = word.split_once('=').unwrap_or((word, ""));
                    settings.set(L::OPTIONS, name, value)?;
                }
            }
            mode => settings.set(L::OPTIONS, MODE.name, mode.unwrap_or_default())?,
        }
        if !self.launch.is_empty() {
            settings.set(L::OPTIONS, "launch", self.launch)?;
        }
        Ok(settings)
    }

    /// The verdict, in the words of the one that is wanted where it has some.
    fn verdict<L: Elaborates>(&self, wanted: &str) -> Result<String, String> {
        let settings = self.settings::<L>()?;
        let read = |text: &str| {
            L::parse(text).map(|program| L::under(program, &settings)).and_then(|program| {
                L::check(&program, &mut Recorder::counting())?;
                Ok(program)
            })
        };
        let (kind, more) = wanted.split_once(' ').unwrap_or((wanted, ""));
        let runs = ["leaves", "stuck", "race"].contains(&kind);
        let program = match read(&self.framed("", runs)) {
            Ok(program) => program,
            Err(refused) => return Ok(rejected(&refused, kind == "reject" && !more.is_empty())),
        };
        match kind {
            "infer" => {
                let (made, typed) = L::typed(&program).map_err(|no| no.message)?;
                rows(&made, &typed, more)
            }
            "leaves" => {
                let values = more.split("; ").map(|part| {
                    let (place, _) = part.rsplit_once(" = ").ok_or("expected `x = 1`")?;
                    let behind = match place {
                        "*g" | "*h" => String::new(),
                        place => format!("*g = {place};"),
                    };
                    let program = read(&self.framed(&behind, runs)).map_err(|no| no.message)?;
                    let outcome = run::<L>(&program)?;
                    left(&outcome, usize::from(place == "*h"))
                        .map(|value| format!("{place} = {value}"))
                });
                let values: Result<Vec<String>, String> = values.collect();
                values.map(|values| format!("leaves {}", values.join("; ")))
            }
            "stuck" | "race" => Ok(ended(&run::<L>(&program)?)),
            _ => Ok("accept".to_owned()),
        }
    }
}

/// A language that is typed as MiniAS.
trait Elaborates: Language {
    /// The program of MiniAS, and its types.
    fn typed(program: &Self::Program) -> Result<(Program, Typed), Rejected>;
}

impl Elaborates for Minias {
    fn typed(program: &Program) -> Result<(Program, Typed), Rejected> {
        let typed = infer::types_of(program, program.options.mode, &mut Recorder::counting())?;
        Ok((program.clone(), typed))
    }
}

impl Elaborates for Sycl {
    fn typed(program: &Self::Program) -> Result<(Program, Typed), Rejected> {
        Minias::typed(&sycl::elaborated(program)?)
    }
}

fn rejected(refused: &Rejected, with_rule: bool) -> String {
    match refused.rule {
        Some((rule, premise)) if with_rule => format!("reject {rule} {premise}"),
        _ => "reject".to_owned(),
    }
}

/// The rows of these variables: `a: {global}; b: {| r}`.
fn rows(program: &Program, typed: &Typed, wanted: &str) -> Result<String, String> {
    let parts = wanted.split("; ").map(|part| {
        let (name, _) = part.split_once(": ").unwrap_or((part, ""));
        let ty = typed.variable(&program.names, name);
        let ty = ty.ok_or_else(|| format!("there is no variable `{name}`"))?;
        Ok(format!("{name}: {}", ty.trim_end_matches(" int *")))
    });
    let parts: Result<Vec<String>, String> = parts.collect();
    parts.map(|parts| format!("infer {}", parts.join("; ")))
}

/// A run on the input that facts count on: a global and a constant array of four, a local one of four zeros.
fn run<L: Language>(program: &L::Program) -> Result<Outcome, String> {
    let mut ints = parse_values(INPUT).map_err(|no| no.to_string())?.into_iter();
    let takes = L::takes(program);
    let mut input = Vec::new();
    for (param, name) in takes.params.iter().zip(L::parameters(program)) {
        let constant = parse_values("[40, 41, 42, 43]").map_err(|no| no.to_string())?;
        input.extend(match (&param.ty, name.as_str()) {
            (Type::Array(..), "c") => constant.into_iter().next(),
            (Type::Array(..), _) => ints.next(),
            _ => Some(Value::from(4)),
        });
    }
    let input = L::fit(program, input).map_err(|no| no.message)?;
    let settings = L::options_of(program);
    let how = How {
        variant: L::VARIANTS[0].name,
        schedule: 0,
        budget: &Budget { fuel: 1_000_000, memory: 1 << 22 },
        settings: &settings,
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    Ok(L::run(program, &input, how, &mut Recorder::counting()))
}

/// The first cell of an array that a run leaves behind.
fn left(outcome: &Outcome, array: usize) -> Result<i32, String> {
    let Ending::Value(values) = &outcome.ending else { return Err(ended(outcome)) };
    let first = values.get(array).and_then(Value::as_ints).and_then(|cells| cells.first());
    first.copied().ok_or_else(|| "there is no such array".to_owned())
}

/// `stuck null`, `stuck inside 4 4`, `race`
fn ended(outcome: &Outcome) -> String {
    match &outcome.ending {
        _ if !outcome.races.is_empty() => "race".to_owned(),
        Ending::Stuck(stuck) => {
            let operands = stuck.operands.iter().map(|operand| format!(" {operand}"));
            format!("stuck {}{}", stuck.site.cause.name(), operands.collect::<String>())
        }
        Ending::Value(_) => "a value".to_owned(),
        other => format!("{other:?}"),
    }
}
