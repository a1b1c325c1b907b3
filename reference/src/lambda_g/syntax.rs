//! The syntax of λG (fig. 13, in the concrete form of readings L49 to L51).

use crate::kit::names::{Names, Var};
use crate::kit::text::Span;
use serde::{Deserialize, Serialize};
use std::fmt;

/// `ω`: where something is computed, and where its regions lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum World {
    /// The host.
    C,
    /// The device.
    G,
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            World::C => "C",
            World::G => "G",
        })
    }
}

/// `ρ_ω` where it is used: `r`, `r@C`, `r@G`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// The place.
    pub span: Span,
    /// The region variable.
    pub var: Var,
    /// The world, if it is written. It must be the one of the place (L50).
    pub world: Option<World>,
}

/// An item of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item {
    /// Reads and writes of a region, and of those that outlive it (L54).
    Region(Region),
    /// `host`: makes regions, or runs something on the device (L55).
    Host {
        /// The place.
        span: Span,
    },
}

impl Item {
    /// The place.
    pub fn span(self) -> Span {
        match self {
            Item::Region(region) => region.span,
            Item::Host { span } => span,
        }
    }
}

/// `φ`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// The place.
    pub span: Span,
    /// What is in it, as it is written.
    pub items: Vec<Item>,
}

/// `τ`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Type {
    /// `bool`
    Bool {
        /// The place.
        span: Span,
    },
    /// `(μ, ρ)`
    Boxed {
        /// The place.
        span: Span,
        /// `μ`
        of: Box<Boxed>,
        /// `ρ`
        region: Region,
    },
}

impl Type {
    /// The place.
    pub fn span(&self) -> Span {
        match self {
            Type::Bool { span } | Type::Boxed { span, .. } => *span,
        }
    }
}

/// `μ`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Boxed {
    /// `int`
    Int,
    /// `Vec τ`
    Vec(Type),
    /// `τ₁ * τ₂`
    Pair(Type, Type),
    /// `τ₁ -> φ τ₂`
    Fn(Type, Effect, Type),
    /// `Pi ρ >= φ' ! φ . τ` (L46)
    Pi(Binder, Effect, Effect, Type),
}

/// A region variable where it is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binder {
    /// The place.
    pub span: Span,
    /// The variable.
    pub var: Var,
    /// The world, if it is written.
    pub world: Option<World>,
}

/// An operator on two ints that comes to an int. All but `*` are extensions (L51).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `min`
    Min,
    /// `max`
    Max,
}

impl Op {
    /// All of them.
    pub const ALL: [Op; 7] = [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Min, Op::Max];

    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            Op::Add => "+",
            Op::Sub => "-",
            Op::Mul => "*",
            Op::Div => "/",
            Op::Mod => "%",
            Op::Min => "min",
            Op::Max => "max",
        }
    }
}

/// An operator on two ints that comes to a bool. All but `<` are extensions (L51).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
}

impl Comparison {
    /// All of them.
    pub const ALL: [Comparison; 4] =
        [Comparison::Lt, Comparison::Le, Comparison::Eq, Comparison::Ne];

    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
        }
    }
}

/// `λx : τ.^φ e at ρ`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lambda {
    /// `x`
    pub param: Var,
    /// `τ`
    pub ty: Type,
    /// `φ`
    pub latent: Effect,
    /// `e`
    pub body: Exp,
    /// `ρ`
    pub at: Region,
}

/// `λρ' >= φ'.^φ e at ρ`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionLambda {
    /// `ρ'`
    pub region: Binder,
    /// `φ'`
    pub bound: Effect,
    /// `φ`
    pub latent: Effect,
    /// `e`
    pub body: Exp,
    /// `ρ`
    pub at: Region,
}

/// What `parmap` goes over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Over {
    /// Fig. 6's `[e₁, …, eₙ]`: each element is evaluated in its branch.
    Elements(Vec<Exp>),
    /// A vector (L51).
    Vector(Exp),
}

/// `e`, where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exp {
    /// The place.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
}

/// `e`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// `i at ρ`
    Int(i32, Region),
    /// `true`, `false`
    Bool(bool),
    /// `x`
    Var(Var),
    /// `e₁ * e₂ at ρ` and its like
    Binary(Op, Box<[Exp; 2]>, Region),
    /// `e₁ < e₂` and its like
    Compare(Comparison, Box<[Exp; 2]>),
    /// `if e then e_t else e_f`; `and`, `or` and `not` are this too (L51).
    If(Box<[Exp; 3]>),
    /// `let x = e₁ in e₂` (L51)
    Let(Var, Box<[Exp; 2]>),
    /// `fn (x : τ) ! φ => e at ρ`
    Fn(Box<Lambda>),
    /// `rfn ρ' >= φ' ! φ => e at ρ`
    RegionFn(Box<RegionLambda>),
    /// `e₁ e₂`
    App(Box<[Exp; 2]>),
    /// `e [ρ]`
    Instance(Box<Exp>, Region),
    /// `(e₁, e₂) at ρ`
    Pair(Box<[Exp; 2]>, Region),
    /// `fst e`
    Fst(Box<Exp>),
    /// `snd e`
    Snd(Box<Exp>),
    /// `letregion ρ of i in e`: of so many words at first, if that is said (L61)
    LetRegion(Binder, Option<u32>, Box<Exp>),
    /// `fix f : τ . u`
    Fix(Var, Type, Box<Exp>),
    /// `e₁ || e₂ at ρ`
    Par(Box<[Exp; 2]>, Region),
    /// `[e₁, …, eₙ] at ρ`
    Vector(Vec<Exp>, Region),
    /// `parmap f over at ρ`
    ParMap(Box<Exp>, Box<Over>, Region),
    /// `on e at ρ`
    On(Box<Exp>, Region),
    /// `e₁ ! e₂`, from 0 (L51)
    Index(Box<[Exp; 2]>),
    /// `length e at ρ` (L51)
    Length(Box<Exp>, Region),
    /// `iota e at ρ` (L51)
    Iota(Box<Exp>, Region),
}

/// `param x : τ;`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The place of the name.
    pub span: Span,
    /// The variable.
    pub var: Var,
    /// Its type.
    pub ty: Type,
}

/// A program (L49).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// What its variables and region variables are called.
    pub names: Names,
    /// What it takes.
    pub params: Vec<Param>,
    /// What it computes.
    pub body: Exp,
    /// Was something left out, which was found by [`infer`](super::infer)?
    #[serde(default)]
    pub inferred: bool,
}

/// The region that every program has, in which its parameters lie.
pub const R0: Var = Var(0);
