//! The syntax of MiniAS (fig. 3, reading M1), with every name resolved.
//!
//! `p[i]` is read as `*(p + i)`, and `(decl) != NULL` as a condition as the declaration alone. A variable, a function, a
//! constant and a row variable are each a [`Var`], bound at one place.

use super::launch::Launch;
use super::types::Mode;
use crate::kit::names::{Names, Var};
use crate::kit::scalar::BinOp;
use crate::kit::text::Span;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An address space: the names of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Space {
    /// Seen by all items.
    Global,
    /// Seen by the items of a group.
    Local,
    /// Seen by one item.
    Private,
    /// Seen by all items, and never written (reading M4).
    Constant,
}

impl Space {
    /// All of them, in the order in which rows are printed.
    pub const ALL: [Space; 4] = [Space::Global, Space::Local, Space::Private, Space::Constant];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Space::Global => "global",
            Space::Local => "local",
            Space::Private => "private",
            Space::Constant => "constant",
        }
    }

    /// The space of this name.
    pub fn named(name: &str) -> Option<Space> {
        Space::ALL.into_iter().find(|space| space.name() == name)
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of spaces.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Spaces(u8);

impl Spaces {
    /// No space.
    pub const NONE: Spaces = Spaces(0);
    /// What `generic` is in OpenCL 2.0.
    pub const GENERIC: Spaces = Spaces(0b111);

    /// This space alone.
    pub fn one(space: Space) -> Self {
        Spaces(1 << space as u8)
    }

    /// These and one more.
    #[must_use]
    pub fn with(self, space: Space) -> Self {
        self.or(Self::one(space))
    }

    /// These without one.
    #[must_use]
    pub fn without(self, space: Space) -> Self {
        Spaces(self.0 & !Self::one(space).0)
    }

    /// What is in either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Spaces(self.0 | other.0)
    }

    /// These without others.
    #[must_use]
    pub fn minus(self, others: Self) -> Self {
        Spaces(self.0 & !others.0)
    }

    /// What is in both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Spaces(self.0 & other.0)
    }

    /// Is the space one of them?
    pub fn has(self, space: Space) -> bool {
        self.0 & Self::one(space).0 != 0
    }

    /// Are there none?
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// They, in order.
    pub fn iter(self) -> impl Iterator<Item = Space> {
        Space::ALL.into_iter().filter(move |space| self.has(*space))
    }

    /// The first of them.
    pub fn first(self) -> Option<Space> {
        self.iter().next()
    }

    /// `global, local`
    pub fn text(self) -> String {
        self.iter().map(Space::name).collect::<Vec<_>>().join(", ")
    }
}

/// How a space is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Written {
    /// Not at all; the mode says what that means (reading M6).
    Elided,
    /// `generic`, the long form of nothing.
    Generic,
    /// `a`
    Name(Space),
    /// `ASpace {a, … | r}`; without names and with an end, `ASpace r`.
    Row {
        /// The names.
        names: Spaces,
        /// A name that is written twice, if one is: typing refuses it.
        twice: Option<Space>,
        /// The row variable at its end.
        end: Option<Var>,
    },
}

/// A space where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpaceAt {
    /// Where; if it is elided, where it would stand.
    pub span: Span,
    /// How.
    pub written: Written,
}

impl SpaceAt {
    /// The one name that is written, if there is one and nothing else.
    pub fn name(self) -> Option<Space> {
        match self.written {
            Written::Name(space) => Some(space),
            Written::Row { names, end: None, .. } if names.len() == 1 => names.first(),
            _ => None,
        }
    }
}

/// `void`, or `s int * s * … s`: the space before a star says where that star points, the last one where the variable
/// lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Type {
    /// The place.
    pub span: Span,
    /// Is it `void`?
    pub void: bool,
    /// The space before each star.
    pub stars: Vec<SpaceAt>,
    /// Where the variable lies.
    pub lies: SpaceAt,
}

impl Type {
    /// The one space that a pointer of the type is written to point to.
    pub fn points_to(&self) -> Option<Space> {
        self.stars.last().and_then(|star| star.name())
    }
}

/// A unary operator of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnOp {
    /// `-`
    Neg,
    /// `!`
    Not,
    /// `~`
    Flip,
}

impl UnOp {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            UnOp::Neg => "-",
            UnOp::Not => "!",
            UnOp::Flip => "~",
        }
    }
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Op {
    /// `||`
    Or,
    /// `&&`
    And,
    /// One of the scalar table, which some pointers take too.
    Scalar(BinOp),
}

/// Infix operators with how tightly they bind, as in C. All associate to the left.
pub(super) const INFIX: [(&str, u8, Op); 18] = [
    ("||", 1, Op::Or),
    ("&&", 2, Op::And),
    ("|", 3, Op::Scalar(BinOp::Or)),
    ("^", 4, Op::Scalar(BinOp::Xor)),
    ("&", 5, Op::Scalar(BinOp::And)),
    ("==", 6, Op::Scalar(BinOp::Eq)),
    ("!=", 6, Op::Scalar(BinOp::Ne)),
    ("<", 7, Op::Scalar(BinOp::Lt)),
    ("<=", 7, Op::Scalar(BinOp::Le)),
    (">", 7, Op::Scalar(BinOp::Gt)),
    (">=", 7, Op::Scalar(BinOp::Ge)),
    ("<<", 8, Op::Scalar(BinOp::Shl)),
    (">>", 8, Op::Scalar(BinOp::Shr)),
    ("+", 9, Op::Scalar(BinOp::Add)),
    ("-", 9, Op::Scalar(BinOp::Sub)),
    ("*", 10, Op::Scalar(BinOp::Mul)),
    ("/", 10, Op::Scalar(BinOp::Div)),
    ("%", 10, Op::Scalar(BinOp::Rem)),
];

/// What tells an item where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Builtin {
    /// Number of the item in the launch.
    GlobalId,
    /// Number of the item in its group.
    LocalId,
    /// Number of the group.
    GroupId,
    /// Items of the launch.
    GlobalSize,
    /// Items of a group.
    LocalSize,
    /// Groups of the launch.
    NumGroups,
}

impl Builtin {
    /// All of them.
    pub const ALL: [Builtin; 6] = [
        Builtin::GlobalId,
        Builtin::LocalId,
        Builtin::GroupId,
        Builtin::GlobalSize,
        Builtin::LocalSize,
        Builtin::NumGroups,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::GlobalId => "get_global_id",
            Builtin::LocalId => "get_local_id",
            Builtin::GroupId => "get_group_id",
            Builtin::GlobalSize => "get_global_size",
            Builtin::LocalSize => "get_local_size",
            Builtin::NumGroups => "get_num_groups",
        }
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exp {
    /// The place.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// `k`
    Int(i32),
    /// `NULL`
    Null,
    /// `x`
    Var(Var),
    /// `⊕ e`
    Unary(UnOp, Box<Exp>),
    /// `e ⊕ e`
    Binary(Op, Box<Exp>, Box<Exp>),
    /// `*e`
    Load(Box<Exp>),
    /// `&place`
    Address(Box<Exp>),
    /// `e ? e : e`
    Cond(Box<[Exp; 3]>),
    /// `f(e, …)`
    Call(Var, Vec<Exp>),
    /// `get_global_id(0)`
    Builtin(Builtin),
    /// `(τ) e`
    Cast(Type, Box<Exp>),
    /// `dynamic_cast<τ>(e)`
    Dynamic(Type, Box<Exp>),
}

/// `τ x`, `τ x = e`, `τ x[n] = {e, …}`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decl<E = Exp> {
    /// The place.
    pub span: Span,
    /// The variable.
    pub var: Var,
    /// The type; of an array, that of its elements.
    pub ty: Type,
    /// How many elements the array has.
    pub extent: Option<u32>,
    /// What it starts with.
    pub init: Option<Init<E>>,
}

/// What a variable starts with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Init<E = Exp> {
    /// `= e`
    One(E),
    /// `= {e, …}`
    Many(Vec<E>),
}

impl<E> Init<E> {
    /// The expressions.
    pub fn exps(&self) -> &[E] {
        match self {
            Init::One(exp) => std::slice::from_ref(exp),
            Init::Many(exps) => exps,
        }
    }
}

/// What a conditional asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cond<E = Exp> {
    /// Is it neither 0 nor NULL?
    Exp(E),
    /// Is what the variable starts with?
    Decl(Box<Decl<E>>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stmt<E = Exp> {
    /// The place.
    pub span: Span,
    /// What it is.
    pub kind: StmtKind<E>,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StmtKind<E = Exp> {
    /// `;`
    Empty,
    /// `τ x = e;`
    Decl(Decl<E>),
    /// `e;`
    Exp(E),
    /// `place = e;`
    Assign(E, E),
    /// `return e;`
    Return(Option<E>),
    /// `{ s … }`
    Block(Vec<Stmt<E>>),
    /// `if (c) s else s`
    If(Cond<E>, Box<Stmt<E>>, Option<Box<Stmt<E>>>),
    /// `while (e) s`
    While(E, Box<Stmt<E>>),
    /// `for (s; e; s) s`
    For(Box<For<E>>),
    /// `barrier(local);`
    Barrier(Space),
}

/// `for (first; while_; next) body`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct For<E = Exp> {
    /// A declaration or an assignment.
    pub first: Option<Stmt<E>>,
    /// The condition.
    pub while_: E,
    /// An assignment.
    pub next: Option<Stmt<E>>,
    /// The statement that is repeated.
    pub body: Stmt<E>,
}

/// A parameter. A prototype may leave its name out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The place.
    pub span: Span,
    /// The variable.
    pub var: Option<Var>,
    /// Its type.
    pub ty: Type,
}

/// A function, a prototype or a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function<E = Exp> {
    /// The line that declares it, up to its body.
    pub span: Span,
    /// The name. A prototype and its function share it.
    pub name: Var,
    /// Does `kernel` stand before it?
    pub kernel: bool,
    /// The type of its result.
    pub result: Type,
    /// The parameters.
    pub params: Vec<Param>,
    /// The statements; none for a prototype.
    pub body: Option<Vec<Stmt<E>>>,
}

/// What a program consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item<E = Exp> {
    /// `constant int x = k;`
    Constant(Decl),
    /// A function, a prototype or a kernel.
    Function(Function<E>),
}

/// A program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Program<E = Exp> {
    /// The names of the variables.
    pub names: Names,
    /// Constants and functions, in order.
    pub items: Vec<Item<E>>,
    /// How it is typed and launched, which its text does not say.
    pub options: Options,
}

/// The options that decide whether a program is well typed, and what it takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// What an elided space means.
    pub mode: Mode,
    /// Which kernel is launched, and by how many items.
    pub launch: Launch,
}

impl<E> Program<E> {
    /// The functions, prototypes and kernels.
    pub fn functions(&self) -> impl Iterator<Item = &Function<E>> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            Item::Constant(_) => None,
        })
    }

    /// The kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &Function<E>> {
        self.functions().filter(|function| function.kernel)
    }

    /// The constants.
    pub fn constants(&self) -> impl Iterator<Item = &Decl> {
        self.items.iter().filter_map(|item| match item {
            Item::Constant(decl) => Some(decl),
            Item::Function(_) => None,
        })
    }
}
