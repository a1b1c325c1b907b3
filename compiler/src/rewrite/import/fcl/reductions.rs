//! Reductions of the prelude by an operator that associates are a `red`, and not what their loops are written out to.
//!
//! `reduce` combines neighbours, so it needs no more. `red` combines what is half of the array apart: that is the same
//! since each of these operators on ints commutes too, and as long as no element is dropped, of 2, 4, 8, … elements.

use super::values::{Binding, Env, Lazy, Val};
use super::{Enters, Importer};
use crate::rewrite::import::bounded;
use reference::axes::syntax::{Head, Term, identity};
use reference::fcl::syntax::Def;
use reference::kit::scalar::BinOp;
use std::rc::Rc;

/// A reduction of the prelude, with what it was given so far.
#[derive(Clone)]
pub(super) struct Reduction<'p> {
    of: Prelude,
    env: Env<'p>,
    def: &'p Def,
    level: Option<u32>,
    args: Vec<Lazy<'p>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Prelude {
    /// `reduce <l> f z a`
    Reduce,
    /// `red <l> f a`
    Red,
}

impl Prelude {
    fn arity(self) -> usize {
        match self {
            Prelude::Reduce => 3,
            Prelude::Red => 2,
        }
    }
}

impl<'p> Reduction<'p> {
    /// A definition, if it is one of these.
    pub(super) fn of(def: &'p Def, name: &str, env: &Env<'p>) -> Option<Self> {
        let of = match name {
            "reduce" => Prelude::Reduce,
            "red" => Prelude::Red,
            _ => return None,
        };
        def.prelude.then(|| Reduction { of, env: env.clone(), def, level: None, args: Vec::new() })
    }

    pub(super) fn at(self, level: u32) -> Self {
        Reduction { level: Some(level), ..self }
    }
}

impl<'p> Importer<'p> {
    /// One argument more of a reduction.
    pub(super) fn reduces(
        &mut self,
        reduction: &Reduction<'p>,
        argument: Lazy<'p>,
    ) -> Enters<Val<'p>> {
        let mut reduction = reduction.clone();
        reduction.args.push(argument);
        if reduction.args.len() < reduction.of.arity() {
            return Ok(Val::Reduction(Rc::new(reduction)));
        }
        if let Some(value) = self.reduced(&reduction)? {
            return Ok(value);
        }
        let Reduction { env, def, level, args, .. } = reduction;
        let mut function = self.eval(&def.body, &env)?;
        if let (Val::LevelFn(env, var, body), Some(level)) = (&function, level) {
            function = self.eval(body, &env.with(*var, Binding::Level(level)))?;
        }
        for arg in args {
            function = self.apply(function, arg)?;
        }
        Ok(function)
    }

    /// A reduction with all of its arguments as a `red`; `None` if its loop is not known to be one.
    fn reduced(&mut self, reduction: &Reduction<'p>) -> Enters<Option<Val<'p>>> {
        let Some(level) = reduction.level else { return Ok(None) };
        let args = reduction.args.iter().map(|arg| self.value(arg));
        let args: Vec<Val<'p>> = args.collect::<Enters<_>>()?;
        let Some((Val::Pull(array), f)) = args.last().zip(args.first()) else { return Ok(None) };
        let length = array.length;
        match reduction.of {
            Prelude::Reduce if length == 0 => return Ok(args.get(1).cloned()),
            Prelude::Red if length < 2 || !length.is_power_of_two() => return Ok(None),
            _ => {}
        }
        self.respects(level)?;
        let axis = self.axis_of(array)?;
        let element = self.inside(Some(&axis), 0, |to| {
            let element = to.element(array, &Term::at(&axis))?;
            to.settled(element)
        })?;
        let Val::Scalar(element) = element else { return Ok(None) };
        let Some(op) = self.attempt(|to| to.combines(f)) else { return Ok(None) };
        let sum = bounded(Term::red(op, &axis, length, element), self.at)?;
        let single = self.single(&Val::Scalar(sum))?;
        Ok(Some(match reduction.of {
            Prelude::Reduce => self.element(&single, &Term::constant(0))?,
            Prelude::Red => Val::Push(single, level),
        }))
    }

    /// The operator that a function of two arguments is, if it associates, commutes and has an identity.
    fn combines(&mut self, f: &Val<'p>) -> Enters<Option<BinOp>> {
        let [a, b] = ["a", "b"].map(|name| Term::leaf(Head::Scalar(self.named(name))));
        let mut value = f.clone();
        for arg in [&a, &b] {
            value = self.apply(value, Lazy::Val(Val::Scalar(arg.clone())))?;
        }
        let Val::Scalar(term) = value else { return Ok(None) };
        let op = term.args.first().and_then(Term::as_op).filter(|_| term.head == Head::Apply);
        let is_of = |x: &Term, y: &Term| term.args[1..] == [x.clone(), y.clone()];
        Ok(op.filter(|op| (is_of(&a, &b) || is_of(&b, &a)) && identity(*op).is_some()))
    }
}
