//! What expressions are while a program is evaluated for its term.

use super::force::Forced;
use super::reductions::Reduction;
use reference::axes::syntax::Term;
use reference::fcl::syntax::{Def, Exp, Level, Op, Program};
use reference::kit::names::Var;
use std::rc::Rc;

/// A value.
#[derive(Clone)]
pub(super) enum Val<'p> {
    /// An int, or a bool as 0 or 1.
    Scalar(Term),
    /// `(v, v)`
    Pair(Rc<[Val<'p>; 2]>),
    /// `fn x => e`
    Fn(Env<'p>, Var, &'p Exp),
    /// `fn <α> => e`
    LevelFn(Env<'p>, Var, &'p Exp),
    /// An operator, its level, and what it was given so far.
    Op(Op, Option<u32>, Rc<Vec<Lazy<'p>>>),
    /// A pull array.
    Pull(Rc<Pull<'p>>),
    /// A push array of a level.
    Push(Rc<Pull<'p>>, u32),
    /// A reduction of the prelude.
    Reduction(Rc<Reduction<'p>>),
    /// A scalar that was computed there: it is computed anew, or read, where it is used.
    Deferred(Rc<Forced>),
    /// `concatDelay` or `interleaveDelay`.
    Delayed(Rc<Delayed<'p>>),
}

/// What may be unevaluated.
#[derive(Clone)]
pub(super) enum Lazy<'p> {
    Val(Val<'p>),
    Exp(Env<'p>, &'p Exp),
    /// An element of an array, at an index that is inside.
    Element(Rc<Pull<'p>>, Term),
    /// `mapPull (mapPush f) e`
    Mapped(Val<'p>, Rc<Lazy<'p>>),
}

/// Chunks that are put together when they are forced.
pub(super) struct Delayed<'p> {
    pub(super) size: Lazy<'p>,
    /// Where an element goes; one behind the other if there is none.
    pub(super) order: Option<Lazy<'p>>,
    pub(super) chunks: Lazy<'p>,
}

/// A pull array of so many elements.
pub(super) struct Pull<'p> {
    pub(super) length: u32,
    pub(super) of: Of<'p>,
}

/// Where its elements come from.
pub(super) enum Of<'p> {
    /// `[e, …]`
    Literal(Env<'p>, &'p [Exp]),
    /// `generate n f`
    Generate(Val<'p>),
    /// `mapPull f a`
    Map(Val<'p>, Rc<Pull<'p>>),
    /// The first where the condition holds, else the second: they are equally long.
    Either(Term, [Rc<Pull<'p>>; 2]),
    /// One element.
    Single(Val<'p>),
    /// An array in memory.
    Cells(Cells),
}

/// The arrays of the components of an array in memory.
#[derive(Clone)]
pub(super) enum Cells {
    /// A parameter.
    Param(Term),
    /// What was forced.
    Forced(Rc<Forced>),
    Pair(Box<[Cells; 2]>),
}

impl<'p> Val<'p> {
    pub(super) fn pair(first: Val<'p>, second: Val<'p>) -> Self {
        Val::Pair(Rc::new([first, second]))
    }

    /// The scalars of which a value is pairs; `None` of one that is no base value.
    pub(super) fn scalars(&self) -> Option<Vec<Term>> {
        match self {
            Val::Scalar(term) => Some(vec![term.clone()]),
            Val::Pair(parts) => {
                let mut first = parts[0].scalars()?;
                first.extend(parts[1].scalars()?);
                Some(first)
            }
            _ => None,
        }
    }

    /// A value of the same pairs with other scalars.
    pub(super) fn with(&self, scalars: &mut impl Iterator<Item = Term>) -> Val<'p> {
        match self {
            Val::Scalar(term) => Val::Scalar(scalars.next().unwrap_or_else(|| term.clone())),
            Val::Pair(parts) => {
                let first = parts[0].with(scalars);
                Val::pair(first, parts[1].with(scalars))
            }
            other => other.clone(),
        }
    }
}

impl<'p> Pull<'p> {
    pub(super) fn cells(length: u32, cells: Cells) -> Self {
        Pull { length, of: Of::Cells(cells) }
    }
}

/// What variables stand for.
#[derive(Clone, Default)]
pub(super) struct Env<'p>(Option<Rc<Bound<'p>>>);

pub(super) struct Bound<'p> {
    var: Var,
    is: Binding<'p>,
    outer: Env<'p>,
}

/// What a variable stands for.
#[derive(Clone)]
pub(super) enum Binding<'p> {
    Val(Val<'p>),
    Level(u32),
    /// What a definition says, in the scope of those before it.
    Def(Env<'p>, &'p Def),
}

impl<'p> Env<'p> {
    /// The definitions before this one.
    pub(super) fn of(program: &'p Program, main: &Def) -> Self {
        let mut env = Env::default();
        for def in program.defs.iter().take_while(|def| def.name != main.name) {
            env = env.with(def.name, Binding::Def(env.clone(), def));
        }
        env
    }

    pub(super) fn with(&self, var: Var, is: Binding<'p>) -> Self {
        Env(Some(Rc::new(Bound { var, is, outer: self.clone() })))
    }

    /// # Panics
    /// If the variable is not bound: the program is well typed.
    pub(super) fn get(&self, var: Var) -> &Binding<'p> {
        let mut at = self;
        loop {
            let bound = at.0.as_ref().expect("T-VAR: a variable is bound");
            if bound.var == var {
                return &bound.is;
            }
            at = &bound.outer;
        }
    }

    pub(super) fn level(&self, level: Level) -> u32 {
        let base = level.var.map_or(0, |var| match self.get(var) {
            Binding::Level(base) => *base,
            _ => unreachable!("K-VAR: a level variable stands for a level"),
        });
        base + level.succs
    }
}

impl Drop for Bound<'_> {
    /// Long lists of bindings are dropped one by one, not each inside of the one before it.
    fn drop(&mut self) {
        let mut outer = self.outer.0.take();
        while let Some(mut bound) = outer.and_then(Rc::into_inner) {
            outer = bound.outer.0.take();
        }
    }
}
