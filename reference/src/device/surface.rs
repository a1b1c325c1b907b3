//! What the grammar makes of a source: names are still text. The [parser](super::parse) finds
//! out what each stands for.

use super::record::Layout;
use super::syntax::{AtomicOp, Builtin, Element, Lit, Sc, Scope, Space, UnOp, Wide};
use crate::kit::lex::out_of_range;
use crate::kit::nested::Nested;
use crate::kit::scalar::BinOp;
use crate::kit::surface::{self, Tree};
use crate::kit::text::{Rejected, Span};

pub(crate) use crate::kit::surface::{Act, Name, bin, expr, user};

/// `b.[o] strides (s, …)`; without strides, elements in a row.
#[derive(Clone, Debug)]
pub(crate) struct Strided<'s> {
    pub(crate) first: Expr<'s>,
    pub(crate) strides: Option<Vec<Expr<'s>>>,
}

/// A type.
#[derive(Clone, Debug)]
pub(crate) enum Type<'s> {
    Scalar(Sc),
    Vector(Sc, u8),
    Array(Box<Type<'s>>, u32),
    Struct(Name<'s>),
    Ptr(Space, Box<Type<'s>>),
    Block(Element),
    Atomic(Sc),
}

/// An expression, or a place.
pub(crate) type Expr<'s> = surface::Expr<ExprKind<'s>>;

#[derive(Clone, Debug)]
pub(crate) enum ExprKind<'s> {
    Lit(Lit),
    Name(&'s str),
    Builtin(Builtin),
    Un(UnOp, Box<Expr<'s>>),
    Bin(BinOp, Box<Expr<'s>>, Box<Expr<'s>>),
    Select(Box<[Expr<'s>; 3]>),
    Cast(Sc, Box<Expr<'s>>),
    Bitcast(Sc, Box<Expr<'s>>),
    Make(Type<'s>, Vec<Expr<'s>>),
    /// `e[i]`
    At(Box<Expr<'s>>, Box<Expr<'s>>),
    /// `e#k`
    Field(Box<Expr<'s>>, u32),
    /// `e.[i]`
    Element(Box<Expr<'s>>, Box<Expr<'s>>),
    /// `*e`
    Deref(Box<Expr<'s>>),
    /// `&e`
    Ref(Box<Expr<'s>>),
    /// `load e`: the value in a place, on which operators on values work.
    Load(Box<Expr<'s>>),
    Length(Box<Expr<'s>>),
    Base(Box<Expr<'s>>),
    Block(Element, Box<Expr<'s>>, Box<Expr<'s>>),
}

impl<'s> Expr<'s> {
    /// The name that parts are taken of, if it is a name.
    pub(crate) fn root(&self) -> Option<(&'s str, Span)> {
        match &self.kind {
            ExprKind::Name(text) => Some((text, self.span)),
            ExprKind::At(inner, _) | ExprKind::Field(inner, _) => inner.root(),
            _ => None,
        }
    }
}

impl<'s> Tree for ExprKind<'s> {
    fn bin(op: BinOp, a: Box<Expr<'s>>, b: Box<Expr<'s>>) -> Self {
        ExprKind::Bin(op, a, b)
    }

    fn parts(&self) -> Vec<&Expr<'s>> {
        match self {
            ExprKind::Lit(_) | ExprKind::Name(_) | ExprKind::Builtin(_) => Vec::new(),
            ExprKind::Un(_, a)
            | ExprKind::Cast(_, a)
            | ExprKind::Bitcast(_, a)
            | ExprKind::Field(a, _)
            | ExprKind::Deref(a)
            | ExprKind::Ref(a)
            | ExprKind::Load(a)
            | ExprKind::Length(a)
            | ExprKind::Base(a) => vec![a],
            ExprKind::Bin(_, a, b)
            | ExprKind::At(a, b)
            | ExprKind::Element(a, b)
            | ExprKind::Block(_, a, b) => vec![a, b],
            ExprKind::Select(parts) => parts.iter().collect(),
            ExprKind::Make(_, parts) => parts.iter().collect(),
        }
    }
}

/// The literal `k` of type `sc`, with a minus if `negative`.
pub(crate) fn number<'s>(sc: Sc, negative: bool, k: u64, l: usize, r: usize) -> Act<'s, Expr<'s>> {
    let value = if negative { -i128::from(k) } else { i128::from(k) };
    let lit = match sc {
        Sc::I32 => i32::try_from(value).ok().map(Lit::I32),
        Sc::U32 => u32::try_from(value).ok().map(Lit::U32),
        Sc::I64 => i64::try_from(value).ok().map(|k| Lit::I64(Wide(k))),
        Sc::Bool | Sc::F32 | Sc::F64 => None,
    };
    let span = Span::new(l, r);
    match lit {
        Some(lit) => expr(ExprKind::Lit(lit), l, r),
        None if sc == Sc::I32 => Err(user(out_of_range(span, 1 << 31))),
        None => Err(user(not_of_its_type(l, r))),
    }
}

/// The literal of a type of floats that is written so.
pub(crate) fn float<'s>(
    sc: Sc,
    negative: bool,
    text: &str,
    l: usize,
    r: usize,
) -> Act<'s, Expr<'s>> {
    // The lexer knows floats only in a form that parses.
    let single: f32 = text.parse().unwrap_or(f32::NAN);
    let double: f64 = text.parse().unwrap_or(f64::NAN);
    let is_finite = if sc == Sc::F64 { double.is_finite() } else { single.is_finite() };
    if !is_finite {
        return Err(user(not_of_its_type(l, r)));
    }
    let bits = match sc {
        Sc::F64 => if negative { -double } else { double }.to_bits(),
        _ => if negative { -single } else { single }.to_bits().into(),
    };
    bits_of(sc, bits, l, r)
}

/// The float of these bits.
pub(crate) fn bits_of<'s>(sc: Sc, bits: u64, l: usize, r: usize) -> Act<'s, Expr<'s>> {
    let lit = match sc {
        Sc::F32 => u32::try_from(bits).ok().map(Lit::F32),
        Sc::F64 => Some(Lit::F64(Wide(bits as i64))),
        Sc::Bool | Sc::I32 | Sc::U32 | Sc::I64 => None,
    };
    match lit {
        Some(lit) => expr(ExprKind::Lit(lit), l, r),
        None => Err(user(not_of_its_type(l, r))),
    }
}

/// A literal whose type has no such number.
fn not_of_its_type(l: usize, r: usize) -> Rejected {
    Rejected::new(Span::new(l, r), "a number that its type does not have", "this")
}

/// The atomic operation of that name.
pub(crate) fn atomic<'s>(name: Name<'s>) -> Act<'s, AtomicOp> {
    AtomicOp::ALL.into_iter().find(|op| op.name() == name.text).ok_or_else(|| {
        let names: Vec<&str> = AtomicOp::ALL.iter().map(|op| op.name()).collect();
        let error = Rejected::new(name.span, "no atomic operation", "not known");
        user(error.help(format!("there are {}", names.join(", "))))
    })
}

/// `let x = e`, in which the type is missing.
pub(crate) fn untyped<'s, T>(name: Name<'s>) -> Act<'s, T> {
    let error = Rejected::new(name.span, "a `let` in a kernel or function has a type", "of this");
    Err(user(error.help(format!("for example `let {} : u32 = …`", name.text))))
}

/// A number that counts something of the program.
pub(crate) fn small<'s>(k: u64, l: usize, r: usize) -> Act<'s, u32> {
    u32::try_from(k).map_err(|_| {
        let error = Rejected::new(Span::new(l, r), "a number out of range", "too large");
        user(error)
    })
}

/// A statement; its span ends before its first body.
#[derive(Clone, Debug)]
pub(crate) struct Stm<K> {
    pub(crate) span: Span,
    pub(crate) kind: K,
}

#[derive(Clone, Debug)]
pub(crate) struct If<'s, K> {
    pub(crate) cond: Expr<'s>,
    pub(crate) then: Vec<Stm<K>>,
    pub(crate) orelse: Vec<Stm<K>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Switch<'s> {
    pub(crate) value: Expr<'s>,
    /// The literals, with what is done.
    pub(crate) cases: Vec<(Expr<'s>, Vec<Stm<Kind<'s>>>)>,
    pub(crate) orelse: Vec<Stm<Kind<'s>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Loop<'s, K> {
    pub(crate) carried: Vec<(Name<'s>, Type<'s>, Expr<'s>)>,
    pub(crate) cond: Expr<'s>,
    pub(crate) fuel: Option<Expr<'s>>,
    pub(crate) body: Vec<Stm<K>>,
    pub(crate) next: Vec<Expr<'s>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Check<'s> {
    pub(crate) cause: Name<'s>,
    pub(crate) operands: Vec<Expr<'s>>,
    pub(crate) path: Vec<Expr<'s>>,
    pub(crate) order: Option<Vec<Expr<'s>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Par<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) count: Expr<'s>,
    pub(crate) body: Vec<Stm<Kind<'s>>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind<'s> {
    Let(Name<'s>, Type<'s>, Expr<'s>),
    Var(Name<'s>, Type<'s>, Option<Expr<'s>>),
    Store(Expr<'s>, Expr<'s>),
    Atomic(Option<Name<'s>>, AtomicOp, Vec<Expr<'s>>),
    UniformLoad(Name<'s>, Expr<'s>),
    If(If<'s, Kind<'s>>),
    Switch(Switch<'s>),
    Loop(Loop<'s, Kind<'s>>),
    Call(Option<Name<'s>>, Name<'s>, Vec<Expr<'s>>),
    Check(Check<'s>),
    Barrier(Scope),
    Par(Par<'s>),
}

#[derive(Clone, Debug)]
pub(crate) enum Host<'s> {
    Let(Name<'s>, Type<'s>, Expr<'s>),
    Assign(Vec<Name<'s>>, Vec<Expr<'s>>),
    Alloc(Name<'s>, Element, Expr<'s>),
    Free(Expr<'s>),
    Launch(Name<'s>, Vec<Expr<'s>>, Expr<'s>, Option<Expr<'s>>),
    Copy(Vec<Expr<'s>>, Strided<'s>, Strided<'s>),
    Read(Name<'s>, Expr<'s>),
    Write(Expr<'s>, Expr<'s>),
    If(If<'s, Host<'s>>),
    Loop(Loop<'s, Host<'s>>),
    Check(Check<'s>),
    Par(Par<'s>),
}

/// A name with its type.
pub(crate) type Typed<'s> = (Name<'s>, Type<'s>);

#[derive(Clone, Debug)]
pub(crate) struct Struct<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) fields: Vec<Typed<'s>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Function<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) params: Vec<Typed<'s>>,
    pub(crate) body: Vec<Stm<Kind<'s>>>,
    pub(crate) result: Option<(Type<'s>, Expr<'s>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Kernel<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) params: Vec<Typed<'s>>,
    pub(crate) group: u32,
    pub(crate) workgroup: Vec<Typed<'s>>,
    pub(crate) private: Vec<Typed<'s>>,
    pub(crate) record: Option<Layout>,
    pub(crate) body: Vec<Stm<Kind<'s>>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Output<'s> {
    pub(crate) shown: Shown<'s>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Shown<'s> {
    Scalar(Sc, Expr<'s>),
    Array {
        sc: Sc,
        block: Expr<'s>,
        shape: Vec<Expr<'s>>,
        offset: Expr<'s>,
        strides: Vec<Expr<'s>>,
    },
    Words(Nested, Expr<'s>),
}

#[derive(Clone, Debug)]
pub(crate) enum Given<'s> {
    Scalar(Sc),
    Array(Sc, Vec<Expr<'s>>),
    Words(Nested),
}

pub(crate) type Param<'s> = (Name<'s>, Given<'s>);

#[derive(Clone, Debug)]
pub(crate) struct Program<'s> {
    pub(crate) structs: Vec<Struct<'s>>,
    pub(crate) workgroup: Vec<Typed<'s>>,
    pub(crate) private: Vec<Typed<'s>>,
    pub(crate) functions: Vec<Function<'s>>,
    pub(crate) kernels: Vec<Kernel<'s>>,
    pub(crate) params: Vec<Param<'s>>,
    pub(crate) host: Vec<Stm<Host<'s>>>,
    pub(crate) results: Vec<Output<'s>>,
}
