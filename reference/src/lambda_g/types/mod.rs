//! The region type system of λG (section 3.2 and appendix A): `Ω; Δ; Γ ⊢ω e : τ, φ`.
//!
//! `φ` bounds what an expression may do, so it is given and not found: of the program it is `{r0, host}` (L55), of the
//! body of a function what is written behind `!`. [`regions`] has the judgements of figs. 15 and 17 about regions,
//! [`formed`] those of fig. 16, [`exps`] those of figs. 2 and 14, [`functions`] those of functions among these,
//! [`refusals`] what is said where a premise fails. Contexts are only ever extended by what is well formed, so they are
//! held against fig. 17 where they grow, and not at each rule that asks for it.

mod exps;
mod facts;
mod formed;
mod functions;
mod refusals;
mod regions;
pub(crate) mod ty;

pub use facts::{Facts, Pushes, facts};
pub(super) use facts::{found, written};

use super::print;
use super::rules::Rule;
use super::syntax::{Exp, Kind, Program, R0, World};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::names::{Names, Var};
use crate::kit::rules::Roll;
use crate::kit::text::{Rejected, Span};
use rustc_hash::FxHashMap;
use ty::{Phi, Rho, Ty};

type Checked<T = ()> = Result<T, Rejected>;

/// The most parts of a type, written out.
pub const MAX_TYPE: usize = 4096;

/// Holds a program against the type rules: the type of what it computes, as it is written.
///
/// # Errors
/// The first rule that does not apply, with the premise that fails and the places; or types that are too large.
pub fn check(program: &Program, to: &mut Recorder<Rule>) -> Result<String, Rejected> {
    Ok(typed(program, to)?.ty.text(&program.names))
}

/// The types of the parameters and of the outermost bindings of a program, and the type and effect of what it comes to; nothing
/// if it has no type.
pub fn lines(program: &Program) -> Vec<String> {
    let names = &program.names;
    let mut to = Recorder::counting();
    let mut check = Check::new(program, &mut to);
    let Ok(ty) = check.program(program) else { return Vec::new() };
    let mut vars: Vec<Var> = program.params.iter().map(|param| param.var).collect();
    let mut exp = &program.body;
    loop {
        exp = match &exp.kind {
            Kind::Let(var, parts) => {
                vars.push(*var);
                &parts[1]
            }
            Kind::LetRegion(.., body) => body,
            _ => break,
        };
    }
    let of = |var: &Var| {
        let entry = check.gamma[var.slot()].as_ref()?;
        Some(format!("{} : {}", names.written(*var), entry.ty.text(names)))
    };
    let (ty, effect) = (ty.text(names), check.bound.phi.text(names));
    let result = format!("the result : {ty}, with the effect {effect}");
    vars.iter().filter_map(of).chain([result]).collect()
}

/// The same: what a run has to know of the types.
///
/// # Errors
/// As [`check`].
pub(super) fn typed(program: &Program, to: &mut Recorder<Rule>) -> Result<Typed, Rejected> {
    typed_with(program, Planted::NONE, to)
}

/// The same with a fault.
///
/// # Errors
/// As [`check`].
pub(super) fn typed_with(
    program: &Program,
    planted: Planted,
    to: &mut Recorder<Rule>,
) -> Result<Typed, Rejected> {
    let mut check = Check { planted, ..Check::new(program, to) };
    let ty = check.program(program)?;
    Ok(Typed { ty, pushes: check.pushes, bounds: check.bounds })
}

/// What a run has to know of the types of a program.
#[derive(Debug)]
pub(super) struct Typed {
    /// The type of what it computes.
    pub(super) ty: Ty,
    /// As in [`Facts`].
    pub(super) pushes: FxHashMap<Span, Pushes>,
    /// As in [`Facts`].
    pub(super) bounds: FxHashMap<Span, Vec<Var>>,
}

/// The regions that an `on` uses.
#[derive(Default)]
struct Used {
    /// How many regions are around it.
    around: usize,
    vars: Vec<Var>,
    /// The regions of the effects of what it applies.
    latent: Vec<Var>,
}

/// `φ` of a judgement, and the effect in the program that says so.
#[derive(Clone)]
struct Bound {
    phi: Phi,
    /// Without a place it is that of the program.
    span: Option<Span>,
}

/// A variable of `Γ`.
#[derive(Clone)]
struct Entry {
    ty: Ty,
}

/// What the judgements are about.
struct Check<'p, 'r> {
    names: &'p Names,
    to: &'r mut Recorder<Rule>,
    /// `Ω`, the oldest first, with the places where they are bound.
    omega: Vec<(Var, Option<Span>)>,
    /// `Δ`, by region.
    delta: Vec<Option<Phi>>,
    /// `Γ`, by variable.
    gamma: Vec<Option<Entry>>,
    /// `ω`
    world: World,
    /// The keyword `on` of what is around, in world G.
    on: Option<Span>,
    /// `φ`
    bound: Bound,
    /// What the `on` around uses.
    used: Used,
    pushes: FxHashMap<Span, Pushes>,
    bounds: FxHashMap<Span, Vec<Var>>,
    planted: Planted,
}

impl<'p, 'r> Check<'p, 'r> {
    fn new(program: &'p Program, to: &'r mut Recorder<Rule>) -> Self {
        let slots = program.names.len();
        Self {
            names: &program.names,
            to,
            omega: Vec::new(),
            delta: vec![None; slots],
            gamma: vec![None; slots],
            world: World::C,
            on: None,
            bound: Bound { phi: Phi::new([Rho::Free(R0)], true), span: None },
            used: Used::default(),
            pushes: FxHashMap::default(),
            bounds: FxHashMap::default(),
            planted: Planted::NONE,
        }
    }

    /// `T-PROGRAM`
    ///
    /// ```text
    /// {r0}; · ⊢type τᵢ    no functions in τᵢ                              (parameter)
    /// {r0}; ·; x₁ : τ₁, …, xₙ : τₙ ⊢C e : τ, {r0, host}
    /// ──────────────────────────────────────────────────
    /// ⊢ param x₁ : τ₁; … param xₙ : τₙ; e : τ
    /// ```
    fn program(&mut self, program: &'p Program) -> Checked<Ty> {
        self.enter(Rule::TProgram, &program.body);
        self.begin();
        for param in &program.params {
            let ty = self.ty(&param.ty)?;
            if ty.has_functions() {
                let refused = refusals::parameter(self, param, &ty);
                return self.fail(Rule::TProgram, "parameter", refused);
            }
            self.bind(param.var, ty);
        }
        let ty = self.exp(&program.body)?;
        self.leave(&ty);
        Ok(ty)
    }

    /// Opens a node: a rule is applied to an expression.
    fn enter(&mut self, rule: Rule, exp: &Exp) {
        let names = self.names;
        self.to.enter(rule, || shortened(print::exp(names, exp)));
    }

    /// Closes it: the expression has this type.
    fn leave(&mut self, ty: &Ty) {
        let (names, world, bound) = (self.names, self.world, &self.bound);
        let conclude = || format!("{}, {} on {world}", ty.text(names), bound.phi.text(names));
        self.to.leave(|| shortened(conclude()));
    }

    /// A premise of a rule fails.
    fn fail<T>(&mut self, rule: Rule, premise: &'static str, refused: Rejected) -> Checked<T> {
        self.to.fail(rule, premise);
        Err(refused.by_rule(rule.info().name, premise))
    }
}

/// The beginning of a text.
pub(super) fn shortened(text: String) -> String {
    const LONGEST: usize = 100;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
