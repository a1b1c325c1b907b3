//! What FCL expressions are while they are lowered: scalars are expressions of the device language, arrays
//! and functions are what they are made of, so nothing of them is left where they are used.

use reference::device::syntax::{Exp, Sc};
use reference::fcl::syntax as fcl;
use reference::kit::names::Var;
use reference::kit::text::Span;
use std::rc::Rc;

/// A value.
#[derive(Clone)]
pub(super) enum Val<'p> {
    /// `int`, `bool` or `double`.
    Scalar(Sc, Exp),
    /// `(v, v)`
    Pair(Rc<[Val<'p>; 2]>),
    /// A pull array.
    Pull(Rc<Pull<'p>>),
    /// A push array.
    Push(Rc<Push<'p>>),
    /// `fn x => e`
    Fn(Env<'p>, Var, &'p fcl::Exp),
    /// `fn <α> => e`
    LevelFn(Env<'p>, Var, &'p fcl::Exp),
    /// An operator with the level and the arguments that it was given so far.
    Op(fcl::Op, Option<u32>, Rc<Vec<Val<'p>>>),
    /// The first function if the condition holds, else the second one.
    Either(Exp, Rc<[Val<'p>; 2]>),
    /// An argument that stays unevaluated.
    Lazy(Env<'p>, &'p fcl::Exp),
    /// An element, from 0, that stays so; it is there.
    LazyElement(Rc<Pull<'p>>, Exp),
}

/// A pull array. What makes an element stands where the array was made.
pub(super) enum Pull<'p> {
    /// `[e, …]`; who uses an element evaluates it.
    Literal(Env<'p>, &'p [fcl::Exp]),
    /// `[]`, whose elements would have this type, if it is known.
    Empty(Option<fcl::Type>),
    /// `generate n f`, where n is not negative.
    Generate(Exp, Val<'p>, Span),
    /// `mapPull f a`
    Map(Val<'p>, Rc<Pull<'p>>, Span),
    /// The first array if the condition holds, else the second one.
    Either(Exp, Rc<[Rc<Pull<'p>>; 2]>),
    /// One in memory.
    Stored(Stored),
}

impl Pull<'_> {
    /// Is it made of one that is written without elements, so that the program does not show what they would be?
    pub(super) fn is_without_elements(&self) -> bool {
        match self {
            Pull::Empty(_) => true,
            Pull::Map(_, of, _) => of.is_without_elements(),
            Pull::Either(_, of) => of.iter().all(|of| of.is_without_elements()),
            Pull::Literal(..) | Pull::Generate(..) | Pull::Stored(_) => false,
        }
    }
}

/// A push array.
pub(super) enum Push<'p> {
    /// `push <γ> a`
    Elements(u32, Rc<Pull<'p>>),
    /// `mapPush f a`
    Map(Val<'p>, Rc<Push<'p>>, Span),
    /// `concat m a` or `interleave m g a`.
    Chunks(Rc<Chunks<'p>>),
    /// The first array if the condition holds, else the second one.
    Either(Exp, Rc<[Rc<Push<'p>>; 2]>),
}

/// Chunks, and where their elements go.
pub(super) struct Chunks<'p> {
    /// How long each chunk is.
    pub(super) size: Val<'p>,
    /// The order; that of `concat` if there is none.
    pub(super) order: Option<Val<'p>>,
    /// The chunks.
    pub(super) chunks: Val<'p>,
    /// The application that made it.
    pub(super) span: Span,
}

/// The type of an element, without what its components are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A scalar.
    Scalar(Sc),
    /// A pair.
    Pair(Rc<[Shape; 2]>),
}

impl Shape {
    /// The types of its components.
    pub(super) fn leaves(&self) -> Vec<Sc> {
        match self {
            Shape::Scalar(sc) => vec![*sc],
            Shape::Pair(parts) => parts.iter().flat_map(Shape::leaves).collect(),
        }
    }

    /// The value of this shape that these components make.
    pub(super) fn value<'p>(&self, leaves: &mut impl Iterator<Item = Exp>) -> Val<'p> {
        match self {
            Shape::Scalar(sc) => {
                Val::Scalar(*sc, leaves.next().expect("as many components as the shape has"))
            }
            Shape::Pair(parts) => {
                let first = parts[0].value(leaves);
                Val::Pair(Rc::new([first, parts[1].value(leaves)]))
            }
        }
    }
}

/// An array in memory.
#[derive(Clone)]
pub(super) struct Stored {
    /// What its elements are.
    pub(super) shape: Shape,
    /// How many there are.
    pub(super) length: Exp,
    /// Where each component lies.
    pub(super) parts: Rc<Vec<Part>>,
    /// The number of the array in its kernel, for barriers; none for one that a kernel only reads, or whose
    /// elements only one invocation knows.
    pub(super) shared: Option<u32>,
}

impl Stored {
    /// Is it an array of a work group with so many elements?
    pub(super) fn is_of_group(&self, elements: i32) -> bool {
        let known = super::fold::literal(&self.length);
        known == Some(elements)
            && self.parts.iter().all(|part| matches!(part.memory, Memory::Group { .. }))
    }
}

/// Where a component of an array lies: the first element at the offset.
#[derive(Clone)]
pub(super) struct Part {
    /// In which memory.
    pub(super) memory: Memory,
    /// Of the first element.
    pub(super) offset: Exp,
}

/// A memory.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Memory {
    /// A block, of elements of the type of the component.
    Block(Exp),
    /// The words of the work group. The high words of 64-bit elements lie so far behind the low ones. Of a padded array
    /// words are [left out](super::places::padded).
    Group { high: u32, is_padded: bool },
    /// An array of the invocation.
    Private(Var),
}

/// What variables stand for.
#[derive(Clone, Default)]
pub(super) struct Env<'p>(Option<Rc<Bound<'p>>>);

struct Bound<'p> {
    var: Var,
    is: Binding<'p>,
    outer: Env<'p>,
}

/// What a variable stands for.
#[derive(Clone)]
pub(super) enum Binding<'p> {
    /// A value.
    Value(Val<'p>),
    /// A level.
    Level(u32),
    /// What a definition says, in the scope of those before it.
    Def(Env<'p>, &'p fcl::Exp),
}

impl<'p> Env<'p> {
    /// One more variable.
    pub(super) fn with(&self, var: Var, is: Binding<'p>) -> Self {
        Env(Some(Rc::new(Bound { var, is, outer: self.clone() })))
    }

    /// What the variable stands for.
    pub(super) fn get(&self, var: Var) -> Option<&Binding<'p>> {
        let mut at = self;
        while let Some(bound) = &at.0 {
            if bound.var == var {
                return Some(&bound.is);
            }
            at = &bound.outer;
        }
        None
    }

    /// The level.
    ///
    /// # Panics
    /// If the level variable is not bound: the program is well typed.
    pub(super) fn level(&self, level: fcl::Level) -> u32 {
        let base = level.var.map_or(0, |var| match self.get(var) {
            Some(Binding::Level(base)) => *base,
            _ => panic!("a level variable that is not bound"),
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

impl<'p> Val<'p> {
    /// An int.
    pub(super) fn int(exp: Exp) -> Self {
        Val::Scalar(Sc::I32, exp)
    }

    /// A bool.
    pub(super) fn bool(exp: Exp) -> Self {
        Val::Scalar(Sc::Bool, exp)
    }

    /// A pull array.
    pub(super) fn pull(pull: Pull<'p>) -> Self {
        Val::Pull(Rc::new(pull))
    }

    /// The scalar.
    ///
    /// # Panics
    /// If it is none: the program is well typed.
    pub(super) fn scalar(&self) -> Exp {
        match self {
            Val::Scalar(_, exp) => exp.clone(),
            _ => panic!("a scalar is wanted"),
        }
    }

    /// The pull array.
    ///
    /// # Panics
    /// If it is none: the program is well typed.
    pub(super) fn as_pull(&self) -> Rc<Pull<'p>> {
        match self {
            Val::Pull(pull) => Rc::clone(pull),
            _ => panic!("a pull array is wanted"),
        }
    }

    /// The push array.
    ///
    /// # Panics
    /// If it is none: the program is well typed.
    pub(super) fn as_push(&self) -> Rc<Push<'p>> {
        match self {
            Val::Push(push) => Rc::clone(push),
            _ => panic!("a push array is wanted"),
        }
    }

    /// The components of a base value and its shape; `None` if it is no base value.
    pub(super) fn base(&self) -> Option<(Shape, Vec<Exp>)> {
        match self {
            Val::Scalar(sc, exp) => Some((Shape::Scalar(*sc), vec![exp.clone()])),
            Val::Pair(parts) => {
                let (first, mut leaves) = parts[0].base()?;
                let (second, others) = parts[1].base()?;
                leaves.extend(others);
                Some((Shape::Pair(Rc::new([first, second])), leaves))
            }
            _ => None,
        }
    }
}
