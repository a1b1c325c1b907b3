//! Syntactic objects of the device language: a host program over kernels.
//!
//! Values are let-bound and never change; *places* are what can be stored to: variables of the
//! function, private and work-group spaces, what pointers point to, and elements of blocks.
//! Host variables are plain and may be assigned.

use crate::kit::names::{Names, Var};
use crate::kit::scalar::BinOp;
use crate::kit::text::Span;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use super::atomic::AtomicOp;
pub use super::border::{Given, Output, Param, Shown};
pub use super::copy::{Copy, Size, Strided};
pub use crate::kit::outcome::Site;

/// Scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Sc {
    /// `bool`; not an element of blocks.
    Bool,
    /// `i32`, two's complement.
    I32,
    /// `u32`
    U32,
    /// `i64`, two's complement.
    I64,
    /// `f32`, IEEE binary32.
    F32,
    /// `f64`, IEEE binary64.
    F64,
}

impl Sc {
    /// 32-bit words that an element of a block, an argument or a result takes.
    pub fn words(self) -> u32 {
        if matches!(self, Sc::I64 | Sc::F64) { 2 } else { 1 }
    }

    /// Is it a type of floats?
    pub fn is_float(self) -> bool {
        matches!(self, Sc::F32 | Sc::F64)
    }

    /// What a parameter or a result of this type is in the program: a bool is an i32 there, since blocks have
    /// no bools.
    pub fn inside(self) -> Sc {
        if self == Sc::Bool { Sc::I32 } else { self }
    }
}

/// Elements of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Element {
    /// Scalars that are loaded and stored; not bool.
    Plain(Sc),
    /// i32 or u32 on which atomic operations work, and nothing else in a kernel.
    Atomic(Sc),
}

impl Element {
    /// The type of the number.
    pub fn sc(self) -> Sc {
        let (Element::Plain(sc) | Element::Atomic(sc)) = self;
        sc
    }

    /// 32-bit words that it takes.
    pub fn words(self) -> u32 {
        self.sc().words()
    }

    /// The type of a place that holds it.
    pub fn ty(self) -> Ty {
        match self {
            Element::Plain(sc) => Ty::Scalar(sc),
            Element::Atomic(sc) => Ty::Atomic(sc),
        }
    }
}

/// Address spaces of pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Space {
    /// Variables of a body ([`Kind::Var`]), one for each invocation.
    Function,
    /// Variables of a kernel or of the program, one for each invocation.
    Private,
    /// Variables of a kernel or of the program, one for each work group.
    Workgroup,
    /// Elements of blocks.
    Storage,
}

/// Types.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ty {
    /// A scalar.
    Scalar(Sc),
    /// `vec2<i32>` to `vec4<f32>`; components are not bool and not i64.
    Vector(Sc, u8),
    /// `array<ty, n>`, n ≥ 1; what has no fixed length is a block.
    Array(Box<Ty>, u32),
    /// The structure with this number in [`Program::structs`].
    Struct(u32),
    /// A pointer. Pointers are let-bound or parameters of functions, never stored.
    Ptr(Space, Box<Ty>),
    /// A block: its base (in 32-bit words of its [region](super::arena::Region), 0 for no block) and
    /// its length (in elements), both `u32`. Elements count from 0.
    Block(Element),
    /// `atomic<i32>` or `atomic<u32>`, in work-group variables and blocks only.
    Atomic(Sc),
}

/// `bool`
pub const BOOL: Ty = Ty::Scalar(Sc::Bool);
/// `i32`
pub const I32: Ty = Ty::Scalar(Sc::I32);
/// `u32`
pub const U32: Ty = Ty::Scalar(Sc::U32);
/// `i64`
pub const I64: Ty = Ty::Scalar(Sc::I64);
/// `f32`
pub const F32: Ty = Ty::Scalar(Sc::F32);
/// `f64`
pub const F64: Ty = Ty::Scalar(Sc::F64);

/// An i64 that is aligned as the other numbers are: else every expression would be larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(Rust, packed(4))]
pub struct Wide(pub i64);

/// Literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Lit {
    /// `true`, `false`
    Bool(bool),
    /// `7`
    I32(i32),
    /// `u32 7`
    U32(u32),
    /// `i64 7`
    I64(Wide),
    /// `7.0`: the bits.
    F32(u32),
    /// `f64 7.0`: the bits.
    F64(Wide),
}

impl Lit {
    /// Its type.
    pub fn sc(self) -> Sc {
        match self {
            Lit::Bool(_) => Sc::Bool,
            Lit::I32(_) => Sc::I32,
            Lit::U32(_) => Sc::U32,
            Lit::I64(_) => Sc::I64,
            Lit::F32(_) => Sc::F32,
            Lit::F64(_) => Sc::F64,
        }
    }
}

/// What a kernel knows of where it runs; all `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Builtin {
    /// Number of the invocation in the launch, from 0, flattened. The last work group may
    /// have numbers from [`Builtin::Invocations`] on: padding that the kernel must guard.
    GlobalId,
    /// Number of the invocation in its work group, from 0.
    LocalId,
    /// Number of the work group, from 0, flattened.
    GroupId,
    /// How many invocations the launch asked for.
    Invocations,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnOp {
    /// `-a` of i32, i64 (wraps) and f32.
    Neg,
    /// `!a` of bool.
    Not,
    /// `~a` of i32, u32, i64.
    Complement,
}

/// Expressions. They have no effect, but can get stuck: a zero divisor, an access outside an
/// array or a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Exp {
    /// A literal.
    Lit(Lit),
    /// A let-bound value, a parameter, a carried variable or, on the host, a host variable.
    Var(Var),
    /// Kernels only.
    Builtin(Builtin),
    /// `⊖a`
    Un(UnOp, Box<Exp>),
    /// `a ⊕ b`, operands of one type. i32 as the scalar table has it, u32 and i64 likewise
    /// (shift amounts take the low 5 or 6 bits; u32 shifts right with zeros); comparisons give
    /// bool; `& | ^ == !=` also of bool; f32 has `+ - * / min max` and comparisons. On vectors
    /// the operators that cannot get stuck, but for comparisons and shifts, go by components.
    Bin(BinOp, Box<[Exp; 2]>),
    /// `select(c, a, b)`: a if c, else b; both are evaluated. Scalars, vectors and blocks.
    Select(Box<[Exp; 3]>),
    /// Conversion of a scalar: ints wrap, int to f32 rounds to nearest, f32 to int truncates and
    /// saturates (NaN is 0), to bool tests `!= 0`, from bool gives 0 or 1.
    Cast(Sc, Box<Exp>),
    /// The same bits: between i32, u32 and f32.
    Bitcast(Sc, Box<Exp>),
    /// A vector, an array or a structure of these parts. It is rare, and boxed, as every other
    /// expression would be larger.
    Make(Box<(Ty, Vec<Exp>)>),
    /// Element `i` (from 0; i32 or u32) of an array or vector that is a value.
    At(Box<[Exp; 2]>),
    /// Field of a structure that is a value.
    Field(Box<Exp>, u32),
    /// The value in a place; not of atomic type.
    Load(Box<Place>),
    /// `&place`
    Ref(Box<Place>),
    /// Length of a block in elements, `u32`.
    Length(Box<Exp>),
    /// Base of a block in words, `u32`; 0 for no block.
    Base(Box<Exp>),
    /// The block of this element type with base and length, both `u32`. `block(T, 0u, 0u)` is
    /// no block.
    Block(Element, Box<[Exp; 2]>),
}

// Passes make, copy and drop expressions all the time.
const _: () = assert!(size_of::<Exp>() <= 16);

/// Places, which only kernels and functions have.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Place {
    /// A variable of the function, private or work-group space.
    Var(Var),
    /// `*p`
    Deref(Exp),
    /// Element `i` (from 0; i32, u32 or i64) of a block.
    Element(Exp, Exp),
    /// Element `i` (from 0; i32 or u32) of an array or vector.
    At(Box<Place>, Exp),
    /// Field of a structure.
    Field(Box<Place>, u32),
}

impl Place {
    /// Is it a variable, or a field of one, so that where it stands is known before the program
    /// runs?
    pub fn is_fixed(&self) -> bool {
        match self {
            Place::Var(_) => true,
            Place::Field(inner, _) => inner.is_fixed(),
            Place::Deref(_) | Place::Element(..) | Place::At(..) => false,
        }
    }
}

/// What a barrier orders besides the invocations of its work group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// Accesses of work-group variables.
    Workgroup,
    /// Accesses of blocks, within the work group.
    Storage,
}

/// A statement and its place in the source: the site of what gets stuck in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stm<K> {
    /// The place.
    pub span: Span,
    /// The statement itself.
    pub kind: K,
}

/// A sequence of statements of kernels and functions.
pub type Block = Vec<Stm<Kind>>;

/// A sequence of statements of the host.
pub type HostBlock = Vec<Stm<Host>>;

/// `if cond { then } else { orelse }`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct If<K> {
    /// bool
    pub cond: Exp,
    /// Taken when it is true.
    pub then: Vec<Stm<K>>,
    /// Taken when it is false.
    pub orelse: Vec<Stm<K>>,
}

/// `switch value { k { … } … else { … } }`: the block of the case whose literal is the value, or else the last
/// one. No case goes on with the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// i32 or u32
    pub value: Exp,
    /// No two have the same literal.
    pub cases: Vec<Case>,
    /// Taken when the value is none of the literals.
    pub orelse: Block,
}

/// `k { … }`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Of the type of the value.
    pub literal: Lit,
    /// Taken when it is the value.
    pub body: Block,
}

/// `loop (x : ty = init, …) while cond fuel n { body } next (e, …)`
///
/// While `cond` holds, but for at most `fuel` rounds, the body runs and all carried variables
/// are assigned at once. They keep their last values after the loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop<K> {
    /// The carried variables; their types are storable, not arrays or structures.
    pub carried: Vec<Carried>,
    /// bool, over the carried variables; evaluated before each round.
    pub cond: Exp,
    /// `u32`, evaluated once, before the first round: the most rounds.
    pub fuel: Option<Exp>,
    /// The body.
    pub body: Vec<Stm<K>>,
    /// One for each carried variable; may use what the body's outermost statements bind.
    pub next: Vec<Exp>,
}

/// A variable that a loop carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    /// The name.
    pub var: Var,
    /// Its type.
    pub ty: Ty,
    /// What it starts from; evaluated outside the loop.
    pub init: Exp,
}

/// `par x <= count { body }`: iterations `x = 1, …, count` in parallel.
///
/// On the host it is a launch of one invocation for each iteration, whose body reads host
/// variables but assigns none. In a kernel its iterations run in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Par {
    /// The iteration, `i32`.
    pub var: Var,
    /// `i32`; a negative count is 0.
    pub count: Exp,
    /// The body. Barriers cannot stand in it.
    pub body: Block,
}

/// `check site(operands) at path order (e, …)`: stuck unless [`holds`](crate::kit::outcome::holds) for the
/// site's cause and the operands. A check of [`Cause::Width`](crate::kit::outcome::Cause::Width) is none
/// of a premise: there compiled code gives up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Its number in [`Program::sites`].
    pub site: u32,
    /// As many as the cause [takes](crate::kit::outcome::Cause::takes); each i32, u32 or i64.
    pub operands: Vec<Exp>,
    /// Iterations (i32) of the nested kernels around it, outermost first. In a kernel or a `par`
    /// of the host the number of the invocation, from 1, comes before them and is not written; a check
    /// with an order is told without it.
    pub path: Vec<Exp>,
    /// Which failure of a work group is told; in a kernel only.
    pub order: Option<Box<Precedence>>,
}

/// `order (e, …)`, each i32: of the checks that fail in a work group the one with the least order is told, compared
/// lexicographically. A check without an order has the empty one, which is the least. Of equal orders the lowest
/// invocation's is told.
// Boxed in a check, or every other statement would be larger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Precedence(pub Vec<Exp>);

impl Check {
    /// The components of its order, which may be none.
    pub fn components(&self) -> &[Exp] {
        self.order.as_ref().map_or(&[], |order| &order.0)
    }

    /// The same, to change them.
    pub fn components_mut(&mut self) -> &mut [Exp] {
        self.order.as_mut().map_or(&mut [], |order| &mut order.0)
    }
}

/// Statements of kernels and functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// `let x : ty = e`
    Let(Var, Ty, Exp),
    /// `var x : ty = e`: a variable of the function space; zero without `e`, each time anew.
    Var(Var, Ty, Option<Exp>),
    /// `place = e`
    Store(Place, Exp),
    /// `x = atomic op(place, e, …)`: on a place of atomic type.
    Atomic {
        /// The old value.
        into: Option<Var>,
        /// What is done.
        op: AtomicOp,
        /// Where.
        place: Place,
        /// As many as the operation wants.
        operands: Vec<Exp>,
    },
    /// `if`
    If(If<Kind>),
    /// `switch`
    Switch(Switch),
    /// `loop`. It is boxed, as every other statement would be larger.
    Loop(Box<Loop<Kind>>),
    /// `x = f(e, …)`: the function must stand earlier in the program than its caller.
    Call {
        /// The result, if the function has one.
        into: Option<Var>,
        /// Its number in [`Program::functions`].
        function: u32,
        /// Arguments, of the types of the parameters.
        args: Vec<Exp>,
    },
    /// `check`
    Check(Check),
    /// `barrier workgroup`: in uniform control flow only.
    Barrier(Scope),
    /// `x = uniform load place`: all invocations of the work group wait, read a work-group
    /// variable, and wait again, so all have the same value.
    UniformLoad {
        /// The value.
        into: Var,
        /// A work-group variable or a field of one; a scalar that is not bool, or a vector.
        place: Place,
    },
    /// `par` in a kernel, in a function or nested in another; gone after the pass `map_levels`.
    Par(Par),
}

// Passes move statements all the time.
const _: () = assert!(size_of::<Stm<Kind>>() <= 80 && size_of::<Stm<Host>>() <= 80);

/// Statements of the host. Expressions are those without builtins, places and pointers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Host {
    /// `let x : ty = e`: a host variable, a scalar or a block. It may be assigned.
    Let(Var, Ty, Exp),
    /// `x = e`, all at once: `(x, y) = (y, x)` swaps.
    Assign(Vec<(Var, Exp)>),
    /// `x = alloc T(size)` or `alloc atomic[T](size)`: a fresh block of zeros, bound to a new host variable. The size is an
    /// expression of i32 or i64 and is evaluated exactly, never wrapped; negative is stuck.
    Alloc {
        /// The host variable.
        block: Var,
        /// The elements.
        element: Element,
        /// How many.
        size: Exp,
    },
    /// `free b`: the block that `b` stands for is not used again. It has no elements then, until
    /// another block takes its place, which cannot be told from it.
    Free(Exp),
    /// `launch`
    Launch(Launch),
    /// `copy`: elements of one type, each on its own, atomic or not. Sizes, offsets and strides are exact.
    Copy(Box<Copy>),
    /// `x = read b[i]`: one element; the offset is exact.
    Read {
        /// A new host variable.
        into: Var,
        /// The block.
        block: Exp,
        /// From 0.
        offset: Exp,
    },
    /// `write b[i] = e`
    Write {
        /// The block.
        block: Exp,
        /// From 0; exact.
        offset: Exp,
        /// Of the block's element type.
        value: Exp,
    },
    /// `if`
    If(If<Host>),
    /// `loop`. It is boxed, as is a copy: every other statement would be larger.
    Loop(Box<Loop<Host>>),
    /// `check`
    Check(Check),
    /// `par`: gone after the pass `map_levels`, which makes a launch of it.
    Par(Par),
}

/// `launch kernel<count>(args) record b`: as many work groups as it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Number of the kernel in [`Program::kernels`].
    pub kernel: u32,
    /// How many invocations, exact; nothing is launched for 0 or less.
    pub count: Exp,
    /// Arguments, of the types of the parameters.
    pub args: Vec<Exp>,
    /// After the pass `poison_checks`: the block of atomic u32 that failed checks are written to, laid
    /// out as [`record`](super::record) says. It is also among the arguments, zero before the
    /// launch, and the host looks into it after the launch.
    pub record: Option<Exp>,
}

/// `struct S { f : ty, … }`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Struct {
    /// The name.
    pub name: String,
    /// Names and types; only structures that stand earlier.
    pub fields: Vec<(String, Ty)>,
    /// Where it stands.
    pub span: Span,
}

/// `fn f(x : ty, …) -> ty { body; return e }`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The name.
    pub name: String,
    /// Parameters: values, blocks, and pointers to the function or private space.
    pub params: Vec<(Var, Ty)>,
    /// The body.
    pub body: Block,
    /// The result and its type.
    pub result: Option<(Ty, Exp)>,
    /// Where it stands.
    pub span: Span,
}

/// `kernel k(x : ty, …) group n { workgroup w : ty; private p : ty; body }`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The name.
    pub name: String,
    /// Parameters: scalars and blocks.
    pub params: Vec<(Var, Ty)>,
    /// Invocations in a work group, at least 1, at most [`MAX_GROUP`].
    pub group: u32,
    /// Variables of the work group; zero when the group starts.
    pub workgroup: Vec<(Var, Ty)>,
    /// Variables of each invocation; zero when it starts.
    pub private: Vec<(Var, Ty)>,
    /// The body.
    pub body: Block,
    /// After the pass `poison_checks`: how failed checks are written down.
    pub record: Option<super::record::Layout>,
    /// Where it stands.
    pub span: Span,
}

/// Most invocations in a work group.
pub const MAX_GROUP: u32 = 1024;

/// A program. Every variable is bound at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Every name of a variable.
    pub names: Names,
    /// Where parameters and variables of the program and of kernels are declared, if it was parsed.
    pub declared: FxHashMap<Var, Span>,
    /// The structures.
    pub structs: Vec<Struct>,
    /// Variables of the work group that kernels and functions name; zero when the group starts.
    pub workgroup: Vec<(Var, Ty)>,
    /// Variables of each invocation, likewise.
    pub private: Vec<(Var, Ty)>,
    /// The functions; each calls only earlier ones.
    pub functions: Vec<Function>,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// What checks test and where: the place is the statement of the source program.
    pub sites: Vec<Site>,
    /// The initial environment of the host.
    pub params: Vec<Param>,
    /// What the host does.
    pub host: HostBlock,
    /// What is observed at the end.
    pub results: Vec<Output>,
}
