//! The syntax of MiniSYCL (reading Y1). Statements and expressions are those of MiniAS and what C++ has besides.
//!
//! `p[i]` is read as `*(p + i)`, and `(decl) != NULL` as a condition as the declaration alone. `a_ptr<τ>` is
//! `multi_ptr<τ, a_space>`.

use super::options::Answers;
use crate::kit::names::Names;
use crate::kit::text::Span;
use crate::minias::launch::Launch;
use crate::minias::syntax::{Builtin, Op, Space, UnOp};
use serde::{Deserialize, Serialize};

/// A name where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The place.
    pub span: Span,
    /// The word.
    pub text: String,
}

/// A space that C++ names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// `a_space`
    Named(Space),
    /// `generic_space`
    Generic,
}

/// A type: a base, and stars and references behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Type {
    /// The place.
    pub span: Span,
    /// Does `const` stand before it?
    pub is_const: bool,
    /// What it begins with.
    pub base: Base,
    /// What stands behind, from left to right.
    pub behind: Vec<Behind>,
}

/// `*` or `&`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Behind {
    /// A pointer to what stands before.
    Star,
    /// A reference to it.
    Reference,
}

/// What a type begins with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Base {
    /// `int`
    Int,
    /// `bool`
    Bool,
    /// `void`
    Void,
    /// `auto`
    Auto,
    /// `decltype(e)`
    Decltype(Box<Exp>),
    /// A parameter of a template, or a struct with types for its own.
    Named(Name, Vec<Type>),
    /// `a_ptr<τ>`, `multi_ptr<τ, a_space>`
    Pointer(Place, Box<Type>),
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
    /// `NULL`, `nullptr`
    Null,
    /// `x`
    Name(String),
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
    /// `f(e, …)`, `f<τ, …>(e, …)`
    Call(Name, Vec<Type>, Vec<Exp>),
    /// `get_global_id(0)`
    Builtin(Builtin),
    /// `(τ) e`
    Cast(Type, Box<Exp>),
    /// `dynamic_cast<τ>(e)`
    Dynamic(Type, Box<Exp>),
    /// `address_space_cast<a_space>(e)`; `dynamic_addrspace_cast<a_space>(e)`, if it may fail.
    SpaceCast {
        /// May it fail, with NULL?
        dynamic: bool,
        /// To which space.
        to: Place,
        /// What is cast.
        of: Box<Exp>,
    },
    /// `e.x`
    Member(Box<Exp>, Name),
    /// `[captures](params) { s … }`
    Lambda(Box<Lambda>),
}

/// What a lambda captures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Captures {
    /// `[]`
    Nothing,
    /// `[=]`
    Copies,
    /// `[&]`
    References,
    /// `[x, …]`
    Names(Vec<Name>),
}

/// A lambda.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lambda {
    /// What it captures.
    pub captures: Captures,
    /// The parameters.
    pub params: Vec<Param>,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// A variable, and what it starts with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decl {
    /// The place.
    pub span: Span,
    /// The type; of an array, that of its elements.
    pub ty: Type,
    /// The variable.
    pub name: Name,
    /// How many elements the array has.
    pub extent: Option<u32>,
    /// What it starts with.
    pub init: Option<Init>,
}

/// What a variable starts with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Init {
    /// `= e`
    One(Exp),
    /// `= {e, …}`, `{e, …}`
    Many(Vec<Exp>),
}

/// What a conditional asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cond {
    /// Is it neither 0 nor NULL?
    Exp(Exp),
    /// Is what the variable starts with?
    Decl(Box<Decl>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stmt {
    /// The place.
    pub span: Span,
    /// What it is.
    pub kind: StmtKind,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `τ x = e;`
    Decl(Decl),
    /// `e;`
    Exp(Exp),
    /// `place = e;`
    Assign(Exp, Exp),
    /// `return e;`
    Return(Option<Exp>),
    /// `{ s … }`
    Block(Vec<Stmt>),
    /// `if (c) s else s`
    If(Cond, Box<Stmt>, Option<Box<Stmt>>),
    /// `while (e) s`
    While(Exp, Box<Stmt>),
    /// `for (s; e; s) s`
    For(Box<For>),
    /// `barrier(local);`
    Barrier(Space),
    /// `static_assert(std::is_same<τ, τ>::value && "text", "text");`
    Assert(Box<Assert>),
}

/// `for (first; while_; next) body`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct For {
    /// A declaration or an assignment.
    pub first: Option<Stmt>,
    /// The condition.
    pub while_: Exp,
    /// An assignment.
    pub next: Option<Stmt>,
    /// The statement that is repeated.
    pub body: Stmt,
}

/// Two types that must be the same, and what is said if they are not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assert {
    /// The types.
    pub types: [Type; 2],
    /// The text behind `&&`, without its quotes.
    pub and: Option<String>,
    /// The text behind the comma, without its quotes.
    pub text: Option<String>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// The place.
    pub span: Span,
    /// Its type.
    pub ty: Type,
    /// The variable, if it has a name.
    pub name: Option<Name>,
}

/// A function, a kernel, or a template of functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The line that declares it, up to its body.
    pub span: Span,
    /// The parameters of the template; none of a function.
    pub types: Vec<Name>,
    /// Does `kernel` stand before it?
    pub kernel: bool,
    /// The type of its result.
    pub result: Type,
    /// The name.
    pub name: Name,
    /// The parameters.
    pub params: Vec<Param>,
    /// The statements.
    pub body: Vec<Stmt>,
}

/// A struct, or a template of structs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Struct {
    /// The line that declares it, up to its fields.
    pub span: Span,
    /// The parameters of the template; none of a struct.
    pub types: Vec<Name>,
    /// The name.
    pub name: Name,
    /// The fields.
    pub fields: Vec<(Type, Name)>,
}

/// What a program consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item {
    /// A struct.
    Struct(Struct),
    /// A function.
    Function(Function),
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Structs and functions, in order.
    pub items: Vec<Item>,
    /// The names of the parameters of its kernels, in order.
    pub(crate) names: Names,
    /// How it is typed and launched, which its text does not say.
    pub options: Options,
}

/// The options that decide whether a program is well typed, and what it takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The answers to the paper's questions.
    pub answers: Answers,
    /// Which kernel is launched, and by how many items.
    pub launch: Launch,
}
