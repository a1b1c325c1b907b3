//! The type system of FCL (section 5.1): kinds, instances of schemes, `Δ, Γ ⊢γ e : τ`, by inference.
//!
//! What a rule guesses is a variable, and where it says that two types are the same they are made so. A
//! level is part of types and is inferred like them; the turnstile's `γ` is one too. [`terms`] has types with
//! variables, [`kinds`] the judgement `Δ ⊢ τ : κ` for types that a program writes, [`instances`] schemes,
//! [`exps`] the typing of expressions, [`defs`] that of definitions and of the program.

mod defs;
mod exps;
mod figure;
mod instances;
mod kinds;
mod refusals;
mod show;
mod terms;
mod typed;

use super::print;
use super::rules::Rule;
use super::syntax::{Exp, Op, Program};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::names::Names;
use crate::kit::rules::Roll;
use crate::kit::text::{Rejected, Span};
use instances::Poly;
use std::rc::Rc;
use terms::{Arena, Gamma, LevelVar, Ty};

pub use typed::{Param, Typed};

type Checked<T = ()> = Result<T, Rejected>;

/// The most parts of a type that is generalised, and of what [`Typed::exp`] answers.
pub const MAX_TYPE: usize = 4096;

/// The types of a program.
///
/// # Errors
/// The first rule that does not apply, with the premise that fails and the place; or types that are too large.
pub fn infer(program: &Program, to: &mut Recorder<Rule>) -> Result<Typed, Rejected> {
    infer_with(program, Planted::NONE, to)
}

/// The same by rules that carry a fault.
///
/// # Errors
/// As [`infer`], but for the fault.
pub fn infer_with(
    program: &Program,
    planted: Planted,
    to: &mut Recorder<Rule>,
) -> Result<Typed, Rejected> {
    if !to.keeps_tree() {
        return Infer::new(program, planted, to, None).program().0;
    }
    // A derivation shows the types that are known at the end, so it is made when they are: inference takes the
    // same steps again.
    let (_, solved) = Infer::new(program, planted, &mut Recorder::counting(), None).program();
    Infer::new(program, planted, to, Some(solved)).program().0
}

/// What is assumed of a variable.
#[derive(Clone, Default)]
enum Entry {
    #[default]
    None,
    /// `x : τ`
    Mono(Ty),
    /// `x : σ`
    Poly(Rc<Poly>),
    /// A type variable of `Δ`.
    Type(Ty),
    /// A level variable of `Δ`.
    Level(LevelVar),
}

/// The state of an inference.
struct Infer<'p, 'r> {
    program: &'p Program,
    names: &'p Names,
    to: &'r mut Recorder<Rule>,
    arena: Arena,
    /// The fault that the rules carry, if any.
    planted: Planted,
    /// The types that are known at the end, if this is the second time.
    solved: Option<Arena>,
    /// `Δ` and `Γ`, by variable.
    entries: Vec<Entry>,
    /// The types of the operators that were asked for.
    figure: Vec<Option<Rc<Poly>>>,
    /// How many `let`s, definitions and `fn <α>` are around.
    rank: u32,
    /// The types of the expressions of the program's last definition, in preorder.
    exps: Vec<Ty>,
    /// Is that definition being looked at?
    keeps: bool,
    /// Is this a function that `main` is, whose body is at the program's level?
    spine: bool,
}

impl<'p, 'r> Infer<'p, 'r> {
    fn new(
        program: &'p Program,
        planted: Planted,
        to: &'r mut Recorder<Rule>,
        solved: Option<Arena>,
    ) -> Self {
        Self {
            program,
            names: &program.names,
            to,
            arena: Arena::with(planted),
            planted,
            solved,
            entries: vec![Entry::None; program.names.len()],
            figure: vec![None; Op::ALL.len()],
            rank: 0,
            exps: Vec::new(),
            keeps: false,
            spine: false,
        }
    }

    /// Opens a node: a rule is applied to an expression.
    fn enter(&mut self, rule: Rule, exp: &'p Exp) {
        let names = self.names;
        self.to.enter(rule, || shortened(print::exp(names, exp)));
    }

    /// Closes it: the expression has this type at this level.
    fn leave(&mut self, ty: Ty, at: Gamma) {
        let arena = self.solved.as_ref().unwrap_or(&self.arena);
        let names = self.names;
        self.to.leave(|| {
            let show = show::Show::new(arena, names);
            format!("{} at {}", show.ty(ty), show.level(at))
        });
    }

    /// A premise of a rule fails.
    fn fail<T>(&mut self, rule: Rule, premise: &'static str, refused: Rejected) -> Checked<T> {
        self.to.fail(rule, premise);
        Err(refused.by_rule(rule.info().name, premise))
    }

    /// Types become too large at a place.
    fn room(&self, span: Span) -> Checked {
        if self.arena.is_full() { Err(refusals::too_large(span)) } else { Ok(()) }
    }
}

/// The beginning of a text.
fn shortened(text: String) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
