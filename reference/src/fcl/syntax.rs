//! Syntactic objects of FCL (section 5, with the concrete syntax of section 3).
//!
//! ```text
//! γ ::= α | Z | 1 + γ                                              levels
//! e ::= i | d | b | x | op | [e, …, e] | (e, e)                     expressions
//!     | fn x => e | fn <α> => e | e e | e <γ>
//!     | let x = e in e | if e then e else e
//! ```
//!
//! What the paper writes otherwise is read as one of these: an infix operator is its function applied
//! to two arguments, `e |> f` is `f e`, `f . g` is `fn x => f (g x)`, `&&` and `||` are `if`, a pattern of a
//! pair is `let`s with `fst` and `snd` of a variable, `map` and `length` are `mapPull` and `lengthPull`, and
//! `fst`, `snd` are operators. [`print`](super::print) writes them back in the short form.

use crate::kit::names::{Names, Var};
use crate::kit::text::Span;
use crate::kit::value::F64;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// The most often that `1 +` may stand in a level.
pub const MAX_LEVEL: u32 = 255;

/// A level: so often `1 +` before `Z` or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Level {
    /// How often.
    #[serde(deserialize_with = "within_max_level")]
    pub succs: u32,
    /// The variable, if it does not end in `Z`.
    pub var: Option<Var>,
}

/// No level that is stored is larger than one that can be written.
fn within_max_level<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let succs = u32::deserialize(from)?;
    match succs <= MAX_LEVEL {
        true => Ok(succs),
        false => Err(D::Error::custom(format_args!("a level above {MAX_LEVEL}"))),
    }
}

impl Level {
    /// `Z`
    pub const THREAD: Level = Level::number(0);
    /// `1 + Z`
    pub const WARP: Level = Level::number(1);
    /// `1 + 1 + Z`
    pub const BLOCK: Level = Level::number(2);
    /// `1 + 1 + 1 + Z`
    pub const GRID: Level = Level::number(3);

    /// The level of so many `1 +` before `Z`, as users write it: `block`, `1+grid`.
    pub(super) fn written(succs: u32) -> String {
        let (above, name) = match succs {
            0 => (0, "thread"),
            1 => (0, "warp"),
            2 => (0, "block"),
            _ => (succs - 3, "grid"),
        };
        "1+".repeat(above as usize) + name
    }

    /// So many `1 +` before `Z`.
    pub const fn number(succs: u32) -> Self {
        Self { succs, var: None }
    }

    /// A level variable.
    pub fn var(var: Var) -> Self {
        Self { succs: 0, var: Some(var) }
    }

    /// `1 + γ`
    pub fn above(self) -> Self {
        Self { succs: self.succs + 1, ..self }
    }
}

/// An expression and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exp {
    /// The place. In definitions of the prelude it counts from [`PRELUDE`](super::PRELUDE) on.
    pub span: Span,
    /// The expression.
    pub kind: Kind,
}

/// Expressions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// `i`
    Int(i32),
    /// `d`
    Double(F64),
    /// `b`
    Bool(bool),
    /// `x`: bound around it, or an earlier definition.
    Var(Var),
    /// A built-in operator.
    Op(Op),
    /// `[e, …, e]`
    Array(Vec<Exp>),
    /// `(e, e)`
    Pair(Box<[Exp; 2]>),
    /// `fn x => e`
    Fn(Var, Box<Exp>),
    /// `fn <α> => e`
    LevelFn(Var, Box<Exp>),
    /// `e e`
    App(Box<[Exp; 2]>),
    /// `e <γ>`
    LevelApp(Box<Exp>, Level),
    /// `let x = e in e`
    Let(Box<Let>),
    /// `if e then e else e`
    If(Box<[Exp; 3]>),
}

/// `let x = e in e`. The parser has put `fn <α> =>` of `let x <α> = e` into the bound expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Let {
    /// The variable.
    pub var: Var,
    /// The type that is written beside it.
    pub sig: Option<Scheme>,
    /// What it is bound to.
    pub bound: Exp,
    /// Where it is in scope.
    pub body: Exp,
}

/// `forall <γ, …> α … . τ`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scheme {
    /// Where it stands.
    pub span: Span,
    /// The variables, level variables among them, in order. Those of a `sig` without `forall` are here
    /// too. Their kinds are inferred.
    pub vars: Vec<Var>,
    /// The type.
    pub ty: Type,
}

/// Types, as programs write them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Type {
    /// `int`
    Int,
    /// `double`
    Double,
    /// `bool`
    Bool,
    /// `α`
    Var(Var),
    /// `(τ, τ)`
    Pair(Box<[Type; 2]>),
    /// `τ -> τ`
    Fn(Box<[Type; 2]>),
    /// `<α> -> τ`
    LevelFn(Var, Box<Type>),
    /// `[τ]`: a pull array.
    Pull(Box<Type>),
    /// `[τ]<γ>`: a push array.
    Push(Box<Type>, Level),
}

/// `sig f : σ` with `fun f <α> x = e` or `val f = e`. The parser has put the parameters into the body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Def {
    /// Where it stands.
    pub span: Span,
    /// Its name.
    pub name: Var,
    /// Is it of the prelude? Such definitions are not printed; the parser adds those that a program uses.
    pub prelude: bool,
    /// The type that its `sig` gives.
    pub sig: Option<Scheme>,
    /// What it is.
    pub body: Exp,
}

/// A program: it is what its definition `main` is, or else its last one. A definition sees those before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Program {
    /// Every name; each variable is bound at one place.
    pub names: Names,
    /// Those of the prelude first.
    pub defs: Vec<Def>,
}

macro_rules! ops {
    ($($op:ident = $name:literal, $arity:literal;)*) => {
        /// Built-in operators.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Op { $(#[doc = concat!("`", $name, "`")] $op,)* }

        impl Op {
            /// All of them.
            pub const ALL: &[Op] = &[$(Op::$op),*];

            /// What it is called.
            pub fn name(self) -> &'static str {
                match self { $(Op::$op => $name,)* }
            }

            /// How many arguments it takes until it steps. The level of `push` is none.
            pub fn arity(self) -> usize {
                match self { $(Op::$op => $arity,)* }
            }
        }
    };
}

ops! {
    Add = "addi", 2; Sub = "subi", 2; Mul = "muli", 2; Div = "divi", 2; Mod = "modi", 2;
    Min = "mini", 2; Max = "maxi", 2; And = "andi", 2; Or = "ori", 2; Xor = "xor", 2;
    Sll = "sll", 2; Srl = "srl", 2;
    Eq = "eqi", 2; Neq = "neqi", 2; Lt = "lti", 2; Le = "lei", 2; Gt = "gti", 2; Ge = "gei", 2;
    Neg = "negi", 1; Abs = "absi", 1; Sign = "signi", 1; Clz = "clz", 1;
    AddD = "addd", 2; SubD = "subd", 2; MulD = "muld", 2; DivD = "divd", 2;
    MinD = "mind", 2; MaxD = "maxd", 2; NegD = "negd", 1; AbsD = "absd", 1;
    EqD = "eqd", 2; LtD = "ltd", 2; LeD = "led", 2;
    I2d = "i2d", 1; D2i = "d2i", 1; B2i = "b2i", 1; Not = "not", 1;
    Fst = "fst", 1; Snd = "snd", 1;
    BlockSize = "#BlockSize", 0; WarpSize = "#WarpSize", 0;
    Generate = "generate", 2; Index = "index", 2; LengthPull = "lengthPull", 1; LengthPush = "lengthPush", 1;
    MapPull = "mapPull", 2; MapPush = "mapPush", 2; Push = "push", 1; Force = "force", 1;
    Concat = "concat", 2; Interleave = "interleave", 3; While = "while", 3;
}

impl Op {
    /// The operator of this name.
    pub fn named(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name)
    }
}

impl Exp {
    /// An expression at a place.
    pub fn new(span: Span, kind: Kind) -> Self {
        Self { span, kind }
    }

    /// `f a`
    pub fn app(f: Exp, a: Exp) -> Self {
        Self { span: f.span.to(a.span), kind: Kind::App(Box::new([f, a])) }
    }

    /// The operator that is applied here, with its level if it is given one and its arguments in order.
    pub fn as_op(&self) -> Option<(Op, Option<Level>, Vec<&Exp>)> {
        let (mut head, mut args) = (self, Vec::new());
        while let Kind::App(parts) = &head.kind {
            args.push(&parts[1]);
            head = &parts[0];
        }
        args.reverse();
        match &head.kind {
            Kind::Op(op) => Some((*op, None, args)),
            Kind::LevelApp(inner, level) => match inner.kind {
                Kind::Op(op) => Some((op, Some(*level), args)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Exp {
    /// The parts, in the order of the text.
    pub fn parts(&self) -> Vec<&Exp> {
        match &self.kind {
            Kind::Int(_) | Kind::Double(_) | Kind::Bool(_) | Kind::Var(_) | Kind::Op(_) => {
                Vec::new()
            }
            Kind::Array(elements) => elements.iter().collect(),
            Kind::Pair(parts) | Kind::App(parts) => parts.iter().collect(),
            Kind::Fn(_, body) | Kind::LevelFn(_, body) | Kind::LevelApp(body, _) => vec![body],
            Kind::Let(inner) => vec![&inner.bound, &inner.body],
            Kind::If(parts) => parts.iter().collect(),
        }
    }

    /// The parts, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Exp> {
        match &mut self.kind {
            Kind::Int(_) | Kind::Double(_) | Kind::Bool(_) | Kind::Var(_) | Kind::Op(_) => {
                Vec::new()
            }
            Kind::Array(elements) => elements.iter_mut().collect(),
            Kind::Pair(parts) | Kind::App(parts) => parts.iter_mut().collect(),
            Kind::Fn(_, body) | Kind::LevelFn(_, body) | Kind::LevelApp(body, _) => vec![body],
            Kind::Let(inner) => vec![&mut inner.bound, &mut inner.body],
            Kind::If(parts) => parts.iter_mut().collect(),
        }
    }

    /// Calls `each` for the expression and all in it, outer ones first.
    pub fn walk<'e>(&'e self, each: &mut dyn FnMut(&'e Exp)) {
        each(self);
        self.parts().into_iter().for_each(|part| part.walk(each));
    }

    /// Calls `each` for the expression and all in it, outer ones first, to be changed.
    pub fn walk_mut(&mut self, each: &mut dyn FnMut(&mut Exp)) {
        each(self);
        self.parts_mut().into_iter().for_each(|part| part.walk_mut(each));
    }

    /// The expression of this number, as [`Exp::walk`] counts them from 0; what is left of the number if there are
    /// fewer.
    ///
    /// # Errors
    /// How much the number is too large.
    pub fn nth_mut(&mut self, number: usize) -> Result<&mut Exp, usize> {
        let Some(mut left) = number.checked_sub(1) else { return Ok(self) };
        for part in self.parts_mut() {
            match part.nth_mut(left) {
                Ok(found) => return Ok(found),
                Err(less) => left = less,
            }
        }
        Err(left)
    }
}

impl Program {
    /// The definition that the program is.
    pub fn main(&self) -> Option<&Def> {
        let main = |def: &&Def| !def.prelude && self.names.written(def.name) == "main";
        self.defs.iter().rev().find(main).or(self.defs.last())
    }
}

impl Def {
    /// Every variable in it, bound or used, that of its name first.
    pub fn vars_mut(&mut self, each: &mut impl FnMut(&mut Var)) {
        each(&mut self.name);
        if let Some(sig) = &mut self.sig {
            sig.vars_mut(each);
        }
        self.body.vars_mut(each);
    }
}

impl Exp {
    /// Every variable in it, bound or used.
    pub fn vars_mut(&mut self, each: &mut impl FnMut(&mut Var)) {
        self.walk_mut(&mut |exp| match &mut exp.kind {
            Kind::Var(var) | Kind::Fn(var, _) | Kind::LevelFn(var, _) => each(var),
            Kind::LevelApp(_, level) => level.var.iter_mut().for_each(&mut *each),
            Kind::Let(parts) => {
                each(&mut parts.var);
                if let Some(sig) = &mut parts.sig {
                    sig.vars_mut(each);
                }
            }
            _ => {}
        });
    }
}

impl Scheme {
    /// Every variable in it.
    pub fn vars_mut(&mut self, each: &mut impl FnMut(&mut Var)) {
        self.vars.iter_mut().for_each(&mut *each);
        self.ty.vars_mut(each);
    }
}

impl Type {
    /// Every variable in it.
    pub fn vars_mut(&mut self, each: &mut impl FnMut(&mut Var)) {
        match self {
            Type::Int | Type::Double | Type::Bool => {}
            Type::Var(var) => each(var),
            Type::Pair(parts) | Type::Fn(parts) => {
                parts.iter_mut().for_each(|part| part.vars_mut(each));
            }
            Type::LevelFn(var, ty) => {
                each(var);
                ty.vars_mut(each);
            }
            Type::Pull(ty) => ty.vars_mut(each),
            Type::Push(ty, level) => {
                ty.vars_mut(each);
                level.var.iter_mut().for_each(each);
            }
        }
    }
}
