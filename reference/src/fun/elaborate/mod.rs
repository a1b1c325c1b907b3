//! From the surface to the core: scopes are resolved, names made unique, every part of an
//! expression that the core wants named is named (administrative normal form), and derived forms
//! are expanded. Equal scalar expressions that are named in one scope get one name, so that
//! `[n + 1]` and `iota (n + 1)` have the same size.
//!
//! Array accesses inside an expression are named before it, from left to right.

mod derived;
mod expr;
mod scope;

pub(crate) use scope::Shape;

use super::surface::{self, Kind};
use super::syntax::{Atom, Binding, Body, Dialect, Exp, Program, Se, Stm};
use crate::kit::lex::too_deep;
use crate::kit::names::{Names, Var};
use crate::kit::text::{MAX_NESTING, Rejected, Span};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What the elaboration must know of a dialect.
pub(crate) trait Front: Dialect {
    /// The type that an annotation writes.
    fn ty<'s>(
        front: &mut Elaborator<'s, Self>,
        ty: &surface::Type<'s>,
    ) -> Result<(Self::Ty, Shape), Rejected>;

    /// The type of what the elaboration itself names.
    fn unwritten(shape: &Shape, span: Span) -> Result<Self::Ty, Rejected>;

    /// `copy x`
    fn copy(
        front: &mut Elaborator<'_, Self>,
        array: Var,
        span: Span,
    ) -> Result<(Exp<Self>, Shape), Rejected>;

    /// `alloc se`
    fn alloc<'s>(
        front: &mut Elaborator<'s, Self>,
        size: &surface::Expr<'s>,
        span: Span,
    ) -> Result<Exp<Self>, Rejected>;
}

/// Elements that the array literals of one program may have together: each becomes statements.
const MAX_LITERALS: usize = 1 << 15;

/// How much the printed core may be nested beyond bodies and scalar expressions: brackets of
/// patterns, annotations and indices.
const BRACKETS: usize = 4;

/// The state of an elaboration.
pub(crate) struct Elaborator<'s, D: Front> {
    names: Names,
    /// What each variable stands for.
    shapes: Vec<Shape>,
    /// What each text means here, innermost last.
    scope: HashMap<&'s str, Vec<Var>>,
    /// Texts in the order in which they were bound, to leave a scope by.
    bound: Vec<&'s str>,
    /// Scalar expressions that have a name here.
    numbered: HashMap<Se, Var>,
    /// The same in the order in which they were named, to leave a scope by.
    numbers: Vec<Se>,
    /// Statements of the innermost body so far.
    stms: Vec<Stm<D>>,
    /// How many bodies are open.
    depth: usize,
    /// Variables of the pattern whose types are being elaborated: nothing that uses them can
    /// be named before the statement.
    open: Range<u32>,
    /// How often one of them was used.
    open_uses: usize,
    /// Are these the parameters? Before them nothing can be named at all.
    params: bool,
    /// Elements of array literals so far.
    literals: usize,
}

/// The core of `program`.
///
/// # Errors
/// Names that are not bound or bound twice, and what cannot be named for want of a type.
pub(crate) fn program<D: Front>(program: &surface::Program<'_>) -> Result<Program<D>, Rejected> {
    let mut front = Elaborator {
        names: Names::new(),
        shapes: Vec::new(),
        scope: HashMap::new(),
        bound: Vec::new(),
        numbered: HashMap::new(),
        numbers: Vec::new(),
        stms: Vec::new(),
        depth: 0,
        open: 0..0,
        open_uses: 0,
        params: false,
        literals: 0,
    };
    front.distinct(program.params.iter().map(|param| param.name))?;
    front.params = true;
    for param in &program.params {
        front.fresh(param.name.text);
    }
    // A size may name a parameter that comes later: T-PARAM refuses it.
    let params = match program.params.len() as u32 {
        0 => Vec::new(),
        n => front.bind(&program.params, Var(0)..=Var(n - 1))?,
    };
    front.params = false;
    let body = front.body(&program.body, |_| Ok(()))?;
    Ok(Program { names: front.names, params, body })
}

impl<'s, D: Front> Elaborator<'s, D> {
    /// A surface body; `bind` binds what is in scope only there.
    fn body(
        &mut self,
        body: &surface::Body<'s>,
        bind: impl FnOnce(&mut Self) -> Result<(), Rejected>,
    ) -> Result<Body<D>, Rejected> {
        self.nested(body.span, |front| {
            bind(front)?;
            for stm in &body.stms {
                front.stm(stm)?;
            }
            body.results.iter().map(|result| front.atom(result)).collect()
        })
    }

    /// A body whose statements and results `fill` gives, in a scope of its own.
    fn nested(
        &mut self,
        span: Span,
        fill: impl FnOnce(&mut Self) -> Result<Vec<Atom>, Rejected>,
    ) -> Result<Body<D>, Rejected> {
        self.depth += 1;
        if self.depth + BRACKETS > MAX_NESTING {
            return Err(too_deep(span));
        }
        let outer = std::mem::take(&mut self.stms);
        let (bound, numbers) = (self.bound.len(), self.numbers.len());
        let results = fill(self)?;
        for text in self.bound.drain(bound..) {
            self.scope.get_mut(text).expect("what was bound is in the scope").pop();
        }
        for se in self.numbers.drain(numbers..) {
            self.numbered.remove(&se);
        }
        self.depth -= 1;
        let stms = std::mem::replace(&mut self.stms, outer);
        Ok(Body { stms, results, span })
    }

    fn stm(&mut self, stm: &surface::Stm<'s>) -> Result<(), Rejected> {
        self.distinct(stm.pattern.iter().map(|binding| binding.name))?;
        // Names of the pattern come first, so that they keep their texts where they can.
        let vars: Vec<Var> = stm.pattern.iter().map(|it| self.fresh(it.name.text)).collect();
        let exp = self.right_hand_side(&stm.exp.kind, stm.span)?;
        let pattern = match (vars.first(), vars.last()) {
            (Some(&first), Some(&last)) => self.bind(&stm.pattern, first..=last)?,
            _ => Vec::new(),
        };
        if let (Exp::Scalar(se @ Se::Bin(..)), [z]) = (&exp, pattern.as_slice())
            && *self.shape(z.var) == Shape::Int
        {
            self.number(se.clone(), z.var);
        }
        self.stms.push(Stm { span: stm.span, pattern, exp });
        Ok(())
    }

    /// Brings the names of a pattern, which are the variables `vars`, into scope, and gives them
    /// their types.
    fn bind(
        &mut self,
        pattern: &[surface::Binding<'s>],
        vars: std::ops::RangeInclusive<Var>,
    ) -> Result<Vec<Binding<D>>, Rejected> {
        let (first, last) = vars.into_inner();
        for (number, binding) in (first.0..).zip(pattern) {
            self.bring(binding.name.text, Var(number));
        }
        let open = std::mem::replace(&mut self.open, first.0..last.0 + 1);
        let mut bindings = Vec::with_capacity(pattern.len());
        for (number, binding) in (first.0..).zip(pattern) {
            let (ty, shape) = D::ty(self, &binding.ty)?;
            self.shapes[number as usize] = shape;
            bindings.push(Binding { var: Var(number), ty });
        }
        self.open = open;
        Ok(bindings)
    }

    fn right_hand_side(&mut self, exp: &Kind<'s>, span: Span) -> Result<Exp<D>, Rejected> {
        Ok(match exp {
            Kind::Expr(e) => self.exp(e)?.0,
            Kind::Alloc(size) => D::alloc(self, size, span)?,
            Kind::If { cond, then, orelse } => {
                let cond = self.atom(cond)?;
                let then = self.body(then, |_| Ok(()))?;
                let orelse = self.body(orelse, |_| Ok(()))?;
                Exp::If { cond, then, orelse }
            }
            Kind::Kernel { thread, count, body } => {
                let count = self.atom(count)?;
                let var = self.fresh(thread.text);
                let body = self.body(body, |front| {
                    front.bring(thread.text, var);
                    Ok(())
                })?;
                Exp::Kernel { thread: var, count, body }
            }
            Kind::Loop { carried, counter, count, body } => {
                self.loop_exp(carried, *counter, count, body)?
            }
            Kind::With { array, subs, value } => {
                let array = self.var(array)?;
                let slice = subs.iter().map(|sub| self.dim(sub)).collect::<Result<_, _>>()?;
                let value = self.atom(value)?;
                Exp::Update { array, slice, value }
            }
        })
    }

    fn loop_exp(
        &mut self,
        carried: &[(surface::Binding<'s>, surface::Expr<'s>)],
        counter: surface::Name<'s>,
        count: &surface::Expr<'s>,
        body: &surface::Body<'s>,
    ) -> Result<Exp<D>, Rejected> {
        self.distinct(carried.iter().map(|(binding, _)| binding.name).chain([counter]))?;
        let vars: Vec<Var> =
            carried.iter().map(|(binding, _)| self.fresh(binding.name.text)).collect();
        let inits = carried.iter().map(|(_, init)| self.atom(init)).collect::<Result<Vec<_>, _>>();
        let inits = inits?;
        let count = self.atom(count)?;
        let round = self.fresh(counter.text);
        // The types are in scope of the carried names, but what they name stands before the loop.
        let pattern: Vec<_> = carried.iter().map(|(binding, _)| binding.clone()).collect();
        let bound = self.bound.len();
        let pattern = match (vars.first(), vars.last()) {
            (Some(&first), Some(&last)) => self.bind(&pattern, first..=last)?,
            _ => Vec::new(),
        };
        for text in self.bound.drain(bound..) {
            self.scope.get_mut(text).expect("what was bound is in the scope").pop();
        }
        let body = self.body(body, |front| {
            for ((binding, _), var) in carried.iter().zip(&vars) {
                front.bring(binding.name.text, *var);
            }
            front.bring(counter.text, round);
            Ok(())
        })?;
        let carried = pattern.into_iter().zip(inits).collect();
        Ok(Exp::Loop { carried, counter: round, count, body })
    }

    /// No name is bound twice in one pattern.
    fn distinct(&self, names: impl Iterator<Item = surface::Name<'s>>) -> Result<(), Rejected> {
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name.text) {
                let message =
                    format!("`{}` is bound twice in one pattern", scope::brief(name.text));
                return Err(Rejected::new(name.span, message, "bound here again")
                    .help("give one of the two another name"));
            }
        }
        Ok(())
    }
}
