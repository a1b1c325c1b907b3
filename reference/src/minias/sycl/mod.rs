//! MiniSYCL: C++ whose pointers do not say their space, deduced as SYCL 1.2.1 does (seed 001, readings Y1 to Y4).
//!
//! [`parse`] reads the text as [`syntax`], whose names are words, since templates are instantiated before names stand for
//! something; [`print`] writes it. [`elaborate`] makes a program of MiniAS of it by [`rules`] of its own, under [`options`]
//! that answer what the paper leaves open; [`table`] says which of them decide. What types and runs is that program, so
//! there is no `types.rs`, no `values.rs` and no `eval.rs`.

pub mod elaborate;
mod lex;
pub mod options;
pub mod parse;
pub mod print;
pub mod rules;
pub mod syntax;
pub mod table;

use crate::kit::derivation::Recorder;
use crate::kit::fit::{Param, Size, Takes};
use crate::kit::language::{Choice, How, Language, Settings, Variant};
use crate::kit::outcome::{Ending, Outcome, Value, Why};
use crate::kit::rules::Roll;
use crate::kit::text::{Rejected, Second, Span};
use crate::minias::launch::{LAUNCH, Launch};
use crate::minias::rules::Rule as MiniasRule;
use crate::minias::syntax::{Program as Minias, Space};
use crate::minias::{Minias as OfMinias, infer};
use options::{Answers, QUESTIONS, SPACE};
use syntax::{Base, Function, Options, Place, Program};

/// MiniSYCL, as a language.
pub struct Sycl;

impl Language for Sycl {
    const NAME: &'static str = "sycl";
    const VARIANTS: &'static [Variant] =
        &[Variant { name: "", about: "MiniSYCL by the MiniAS program that it is: the reference" }];
    const RACES_AT: &'static str = "E-LAUNCH";
    const HAS_MEMORY: bool = false;
    const OPTIONS: &'static [Choice] = options::ALL;
    type Program = Program;
    type Rule = rules::Rule;

    fn parse(text: &str) -> Result<Self::Program, Rejected> {
        parse::program(text)
    }

    fn print(program: &Self::Program) -> String {
        print::program(program)
    }

    fn under(program: Self::Program, settings: &Settings) -> Self::Program {
        let launch = Launch::read(settings.get(&LAUNCH)).unwrap_or_default();
        Program { options: Options { answers: Answers::of(settings), launch }, ..program }
    }

    fn options_of(program: &Self::Program) -> Settings {
        let mut settings = program.options.answers.settings();
        settings.put(&program.options.launch.settings());
        settings
    }

    fn has_rule(name: &str) -> bool {
        let own = rules::Rule::ALL.iter().any(|rule| rule.info().name == name);
        own || OfMinias::has_rule(name)
    }

    /// Elaborates the program, and infers the types of what it is.
    fn check(program: &Self::Program, to: &mut Recorder<Self::Rule>) -> Result<(), Rejected> {
        let Options { answers, launch } = &program.options;
        let checked = elaborate::elaborate(program, *answers, launch, to).and_then(|made| {
            let mut lent = to.lend::<MiniasRule>();
            let typed = infer::types_of(&made, answers.mode(), &mut lent);
            to.take_back(lent);
            typed.map(drop).map_err(in_its_words)
        });
        checked.map_err(|refused| with_options(program, refused))
    }

    fn parameters(program: &Self::Program) -> Vec<String> {
        let params = program.kernel().into_iter().flat_map(|kernel| &kernel.params);
        params
            .map(|param| param.name.as_ref().map_or(String::new(), |name| name.text.clone()))
            .collect()
    }

    fn takes(program: &Self::Program) -> Takes<'_> {
        let (mut params, mut span) = (Vec::new(), Span::default());
        if let Some((kernel, vars)) = program.kernel().zip(program.params()) {
            span = kernel.span;
            params.extend(kernel.params.iter().zip(vars).map(|(param, var)| {
                let array = matches!(param.ty.base, Base::Pointer(Place::Named(space), _) if space != Space::Local);
                Param::of_ints(var, array.then(|| vec![Size::Any]))
            }));
        }
        Takes { names: &program.names, params, span }
    }

    fn fit(program: &Self::Program, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
        let Options { answers, launch } = &program.options;
        let (made, bools) =
            elaborate::with_bools(program, *answers, launch, &mut Recorder::counting())?;
        let fitted = launch.fit(&made, input)?;
        for (param, value) in launch.kernel(&made)?.params.iter().zip(&fitted) {
            let cells =
                value.as_ints().filter(|_| param.var.is_some_and(|var| bools.contains(&var)));
            let other = cells.into_iter().flatten().find(|cell| !matches!(cell, 0 | 1));
            if let Some(other) = other {
                let message = format!("an array of bools has the element {other}");
                let refused = Rejected::new(param.span, message, "points to bools");
                return Err(refused.help("a bool is 0 or 1"));
            }
        }
        Ok(fitted)
    }

    fn run(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Outcome {
        let made = match elaborated(program) {
            Ok(made) => made,
            Err(refused) => {
                return Ending::Unknown(Why::Refused(refused.message)).into();
            }
        };
        let mut lent = to.lend::<MiniasRule>();
        let outcome = OfMinias::run(&made, input, how, &mut lent);
        to.take_back(lent);
        outcome
    }

    /// The principal types of the functions of MiniAS that the program becomes.
    fn bindings(program: &Self::Program) -> Vec<String> {
        elaborated(program).map(|made| OfMinias::bindings(&made)).unwrap_or_default()
    }
}

/// The program of MiniAS that a program is, under its options.
///
/// # Errors
/// What it is refused by, and where.
pub fn elaborated(program: &Program) -> Result<Minias, Rejected> {
    let Options { answers, launch } = &program.options;
    elaborate::elaborate(program, *answers, launch, &mut Recorder::counting())
}

/// Is the program accepted under these answers?
///
/// # Errors
/// What it is refused by, and where.
pub fn accepts(program: &Program, answers: Answers) -> Result<(), Rejected> {
    let launch = Launch::default();
    let made = elaborate::elaborate(program, answers, &launch, &mut Recorder::counting())?;
    infer::types_of(&made, answers.mode(), &mut Recorder::counting()).map(drop)
}

/// The refusal of a rule of MiniAS, in words of MiniSYCL.
fn in_its_words(mut refused: Rejected) -> Rejected {
    if refused.rule == Some(("T-KERNEL", "parameter")) {
        let help = "name the space, as in `global_ptr<int> p`: a kernel has no caller that says it";
        refused = refused.help(help);
    }
    refused.message = in_types_of_cpp(&refused.message)
        .replace("`single` allows one", "`space=inferred` allows one")
        .replace("a row is closed that has no ", "it does not point to ");
    refused.label = in_types_of_cpp(&refused.label);
    let mut second = refused.second.as_deref_mut();
    while let Some(Second { label, more, .. }) = second {
        *label = in_types_of_cpp(label);
        second = more.as_deref_mut();
    }
    refused
}

/// A text, with `global int *` in the place of `{global} int *` or `{global | r} int *`, and `int *` in that of `r int *`.
fn in_types_of_cpp(text: &str) -> String {
    let mut made = String::new();
    for (at, part) in text.split('`').enumerate() {
        if at > 0 {
            made.push('`');
        }
        let is_type = at % 2 == 1 && part.contains(" int *");
        if is_type { made += &without_rows(part) } else { made += part }
    }
    made
}

/// A type of MiniAS, with the spaces of its rows and without their ends.
fn without_rows(ty: &str) -> String {
    let mut stars = Vec::new();
    for star in ty.trim_end_matches('*').split('*') {
        let (row, base) = match star.trim().split_once(" int") {
            Some((row, _)) => (row, " int"),
            None => (star.trim(), ""),
        };
        let names = row.trim_start_matches('{').trim_end_matches('}');
        let names = names.split('|').next().unwrap_or_default().trim();
        let space = match names {
            "global, local, private" => "generic".to_owned(),
            _ if row.starts_with('{') => names.replace(", ", " or "),
            _ => String::new(),
        };
        stars.push(format!("{space}{base}").trim().to_owned());
    }
    let joined = stars.join(" * ");
    format!("{joined} *")
}

/// The refusal, with the options of which one alone accepts the program. A bound is no verdict, so nothing changes it.
fn with_options(program: &Program, mut refused: Rejected) -> Rejected {
    if refused.limit.is_some() {
        return refused;
    }
    let settings = Sycl::options_of(program);
    let mut others = Vec::new();
    for question in QUESTIONS.iter().chain([&SPACE]) {
        for value in question.values.listed() {
            let mut changed = settings.clone();
            let set = changed.set(options::ALL, question.name, value);
            if set.is_ok() && changed != settings && accepts(program, Answers::of(&changed)).is_ok()
            {
                others.push(format!("`{}={value}`", question.name));
            }
        }
    }
    let Some((last, rest)) = others.split_last() else { return refused };
    let told = match rest {
        [] => format!("the option {last} accepts the program"),
        _ => format!("each of the options {} and {last} accepts the program", rest.join(", ")),
    };
    let help = refused.help.take().map_or(told.clone(), |help| format!("{help}; {told}"));
    refused.help(help)
}

impl Program {
    /// The kernel that is launched, if it is there.
    fn kernel(&self) -> Option<&Function> {
        self.kernel_at().map(|(_, kernel)| kernel)
    }

    fn kernels(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            syntax::Item::Function(function) if function.kernel => Some(function),
            _ => None,
        })
    }

    /// The kernel that is launched, and how many parameters the kernels before it have.
    fn kernel_at(&self) -> Option<(usize, &Function)> {
        let mut before = 0;
        self.kernels().find_map(|kernel| {
            let at = before;
            before += kernel.params.len();
            self.options.launch.is_of(&kernel.name.text).then_some((at, kernel))
        })
    }

    /// The variables of its parameters.
    fn params(&self) -> Option<impl Iterator<Item = crate::kit::names::Var>> {
        let (before, kernel) = self.kernel_at()?;
        let vars = before..before + kernel.params.len();
        Some(vars.map(|at| crate::kit::names::Var(at as u32)))
    }
}

#[cfg(test)]
mod tests;
