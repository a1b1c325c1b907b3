//! From FCL to terms over named axes, for given sizes.
//!
//! The program is evaluated as far as it is known: definitions are unfolded, functions and levels applied, and delayed
//! arrays are what they are made of. What is left are scalars, and the arrays that are forced.
//!
//! - A push array is a `build`, one round an element. Levels are left out: laws give a loop its level, so the
//!   outermost loop is `grid` and the others are `seq`.
//! - `concat` and `interleave` are a `merge` of the axis of chunks and that of their elements. An order has to be
//!   one of tiles: then it is a permutation, and neither `inside` nor `taken` can fail.
//! - What is forced and read is a `store`, for all rounds of the loops around. To inline it is the business of a law.
//! - A loop over one element is a `seq`, if a component counts its rounds; another one is written out. A reduction of
//!   the prelude by `+ * & | ^ min max` is a `red`.
//! - An axis of which only quotient and remainder by a number are used is a `merge` of two.
//!
//! FCL evaluates an argument before a function is applied, a term only what its result needs. So what may get stuck
//! is refused where FCL evaluates it: a division, an index, the level or the length of what is forced.

mod eval;
mod force;
mod loops;
mod nest;
mod operators;
mod orders;
mod reductions;
mod values;

use super::terms::Terms;
use super::{Enters, StaysOut, checked, out};
use reference::axes::syntax::{Head, Kind, Name, Param, Program, Term};
use reference::fcl::location::Machine;
use reference::fcl::syntax::{Op, Program as Source, Type};
use reference::fcl::types::{self, Typed};
use reference::fcl::{Fcl, PRELUDE};
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::text::Span;
use std::rc::Rc;
use values::{Cells, Env, Lazy, Pull, Val};

/// The program as a term: its parameters have the `sizes` that are given, an int its number and an array its length. An
/// array of pairs is an array for each component.
///
/// # Errors
/// What cannot enter, and why; a size that is missing, or that is no size.
pub fn import(
    program: &Source,
    sizes: &[(String, i32)],
    machine: Machine,
) -> Result<Program, StaysOut> {
    let typed = types::infer(program, &mut Recorder::counting());
    let typed = typed.map_err(|no| StaysOut { span: no.span, reason: no.message })?;
    let Some(main) = program.main() else { return out(Span::default(), "there is no program") };
    let mut importer = Importer {
        program,
        terms: Terms::default(),
        machine,
        level: typed.level,
        at: main.span,
        steps: 0,
        depth: 0,
    };
    if components(&typed.element).iter().any(|ty| **ty != Type::Int) {
        return out(main.span, "its elements are no ints, which is all that terms have");
    }
    let (params, args) = importer.params(&typed, sizes)?;
    let env = Env::of(program, main);
    let mut result = importer.eval(&main.body, &env)?;
    for arg in args {
        result = importer.apply(result, Lazy::Val(arg))?;
    }
    let outs = importer.results(result, components(&typed.element).len())?;
    checked(Program { params, term: Term::results(outs) }, main.span)
}

/// The scalar types of which a type is pairs.
fn components(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Pair(parts) => parts.iter().flat_map(components).collect(),
        Type::Pull(element) => components(element),
        other => vec![other],
    }
}

struct Importer<'p> {
    program: &'p Source,
    terms: Terms,
    machine: Machine,
    /// The level of the location that evaluates.
    level: u32,
    /// What of the user's text is evaluated.
    at: Span,
    steps: usize,
    depth: usize,
}

impl<'p> Importer<'p> {
    /// Refuses what is evaluated.
    fn refuse<T>(&self, reason: impl Into<String>) -> Enters<T> {
        out(self.at, reason)
    }

    /// Notes the place of what is evaluated, where it is in the user's text.
    fn visits(&mut self, span: Span) {
        if span.start < PRELUDE && span != Span::default() {
            self.at = span;
        }
    }

    /// What is refused next is at this place, or where the user's text uses the definition of the prelude that it lies in.
    fn points_at(&mut self, span: Span) {
        self.visits(span);
        if let [used] = Fcl::uses(self.program, span)[..] {
            self.at = used;
        }
    }

    /// A name that a term may have, like that of a variable.
    fn named(&mut self, written: &str) -> Name {
        let letters: String = written.chars().filter(char::is_ascii_alphanumeric).collect();
        let is_name = letters.starts_with(|first: char| first.is_ascii_alphabetic());
        self.terms.naming.fresh(if is_name { &letters } else { "i" })
    }

    fn params(
        &mut self,
        typed: &Typed,
        sizes: &[(String, i32)],
    ) -> Enters<(Vec<Param>, Vec<Val<'p>>)> {
        let mut params = Vec::new();
        let mut args = Vec::new();
        for param in &typed.params {
            let name = self.program.names.written(param.var);
            let mut made = Vec::new();
            let arg = self.param(&param.ty, name, sizes, &mut made)?;
            params.extend(made);
            args.push(arg);
        }
        Ok((params, args))
    }

    /// A parameter: a scalar, or an array with its cells.
    fn param(
        &mut self,
        ty: &Type,
        name: &str,
        sizes: &[(String, i32)],
        made: &mut Vec<Param>,
    ) -> Enters<Val<'p>> {
        match ty {
            Type::Int => {
                let k = self.size(name, sizes)?;
                let kind = Kind::Int(Some(k));
                let name = self.named(name);
                self.terms.scope.params.insert(name.clone(), kind.clone());
                made.push(Param { name, kind });
                Ok(Val::Scalar(Term::constant(k)))
            }
            Type::Pull(element) => {
                let mut lengths = Vec::new();
                let cells = self.cells(element, name, sizes, made, &mut lengths)?;
                Ok(Val::Pull(Rc::new(Pull::cells(lengths[0], cells))))
            }
            _ => self.refuse(format!("parameter {name} is no int and no array of ints")),
        }
    }

    fn cells(
        &mut self,
        element: &Type,
        name: &str,
        sizes: &[(String, i32)],
        made: &mut Vec<Param>,
        lengths: &mut Vec<u32>,
    ) -> Enters<Cells> {
        match element {
            Type::Pair(parts) => {
                let first = self.cells(&parts[0], name, sizes, made, lengths)?;
                let second = self.cells(&parts[1], name, sizes, made, lengths)?;
                Ok(Cells::Pair(Box::new([first, second])))
            }
            Type::Int => {
                let k = self.size(name, sizes)?;
                let length = u32::try_from(k);
                let length = length.or_else(|_| self.refuse(format!("{name} has {k} elements")))?;
                let kind = Kind::Array(vec![length]);
                let name = self.named(name);
                self.terms.scope.params.insert(name.clone(), kind.clone());
                made.push(Param { name: name.clone(), kind });
                lengths.push(length);
                Ok(Cells::Param(Term::leaf(Head::Array(name))))
            }
            _ => self.refuse(format!(
                "the elements of {name} are no ints, which is all that terms have"
            )),
        }
    }

    fn size(&self, name: &str, sizes: &[(String, i32)]) -> Enters<i32> {
        match sizes.iter().find(|(of, _)| of == name) {
            Some((_, k)) => Ok(*k),
            None => self.refuse(format!("no size is given for {name}")),
        }
    }

    /// Threads of a block or a warp.
    fn of_machine(&self, op: Op) -> Term {
        let k = match op {
            Op::WarpSize => self.machine.warp,
            _ => self.machine.threads_of_block(),
        };
        // At most 1024 times 1024.
        Term::constant(k as i32)
    }
}
