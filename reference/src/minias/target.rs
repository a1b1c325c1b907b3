//! The target of the translations by evidence (section 5, reading M16): MiniAS without types, in which a pointer does not say
//! its space.
//!
//! A pointer is an address, or a pair of a tag and an address. An access says the space of an address, or how the tag leads
//! to it: by itself, or through a row table. Functions are passed numbers and row tables before their arguments. Statements,
//! memory and launches are those of MiniAS.

use super::print::{Text, infix, with_passed};
use super::syntax::{self, Builtin, Op, Space, UnOp};
use super::values::Expression;
use crate::kit::names::{Names, Var};
use crate::kit::scalar::BinOp;
use crate::kit::text::Span;
use std::collections::HashMap;

/// A program of the target.
#[derive(Clone, Debug)]
pub struct Program {
    /// Constants and functions.
    pub program: syntax::Program<Exp>,
    /// How many numbers and how many row tables each function is passed.
    pub passed: HashMap<Var, (usize, usize)>,
}

/// A number: what is passed at a place among the numbers of the function, if one is, plus another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// What is passed.
    pub of: Option<usize>,
    /// What is added to it.
    pub plus: u32,
}

/// A row table: what is passed at a place among the tables of the function, or the empty table; with ids put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What is passed.
    pub of: Option<usize>,
    /// Ids, each put in at its place, one after the other.
    pub ids: Vec<(Number, u32)>,
}

/// Where a pointer points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// It is an address of this space.
    Space(Space),
    /// It is a pair, and the tag is the id of the space.
    Tag,
    /// It is a pair, and the tag is a place in this table, which has the id.
    Table(Table),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Exp {
    /// The place in the text of the program that was translated.
    pub span: Span,
    /// What it is.
    pub kind: Kind,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// `k`
    Int(i32),
    /// `NULL`
    Null,
    /// `x`: what the variable holds; of an array, its address.
    Var(Var),
    /// `&x`: its address.
    Address(Var),
    /// `get_global_id(0)`
    Builtin(Builtin),
    /// `⊕ e`
    Unary(UnOp, Box<Exp>),
    /// `e ⊕ e`: of ints, of a pointer and an int, or a lazy one.
    Binary(Op, Box<Exp>, Box<Exp>),
    /// A comparison or a difference of two pointers.
    Compare(BinOp, Box<[(At, Exp); 2]>),
    /// `e ? e : e`
    Cond(Box<[Exp; 3]>),
    /// What is at a pointer; as a place, that place.
    Load(At, Box<Exp>),
    /// A call: numbers, tables and arguments.
    Call(Var, Box<(Vec<Number>, Vec<Table>)>, Vec<Exp>),
    /// The address with a tag. NULL has none.
    Pair(Number, Box<Exp>),
    /// The pair with the tag that stands at the place of its own in the list.
    Retag(Vec<Number>, Box<Exp>),
    /// The address of a pair.
    Thin(Box<Exp>),
    /// The address of a pair with this tag, or NULL if it has another one.
    Dynamic(Number, Box<Exp>),
    /// The address of a pair with this tag, whose space is named; stuck if it has another one.
    Cast(Number, Space, At, Box<Exp>),
}

impl Number {
    fn text(self) -> String {
        match self.of {
            None => self.plus.to_string(),
            Some(at) if self.plus == 0 => format!("e{at}"),
            Some(at) => format!("e{at} + {}", self.plus),
        }
    }
}

impl Table {
    /// `[0, 2]`, if nothing is passed; else `put(t0, e0, 2)`.
    fn text(&self) -> String {
        let Some(of) = self.of else {
            let mut ids = Vec::new();
            self.ids.iter().for_each(|(at, id)| ids.insert(at.plus as usize, id.to_string()));
            return format!("[{}]", ids.join(", "));
        };
        let put = |table, (at, id): &(Number, u32)| format!("put({table}, {}, {id})", at.text());
        self.ids.iter().fold(format!("t{of}"), put)
    }
}

impl At {
    /// `of(p)`, with what leads to the space.
    fn text(&self, of: &str, pointer: &str) -> String {
        match self {
            At::Space(space) => format!("{of}_{space}({pointer})"),
            At::Tag => format!("{of}({pointer})"),
            At::Table(table) => format!("{of}({}, {pointer})", table.text()),
        }
    }
}

impl Program {
    /// The program as text. Numbers are called `e0`, `e1` and so on, tables `t0`.
    pub fn text(&self) -> String {
        with_passed(&self.program, &|function| {
            let (numbers, tables) = self.passed.get(&function).copied().unwrap_or_default();
            let numbers = (0..numbers).map(|at| format!("number e{at}"));
            numbers.chain((0..tables).map(|at| format!("table t{at}"))).collect()
        })
    }
}

impl Text for Exp {
    fn text(&self, names: &Names) -> String {
        match &self.kind {
            Kind::Int(k) if *k < 0 => format!("({k})"),
            Kind::Int(k) => k.to_string(),
            Kind::Null => "NULL".to_owned(),
            Kind::Var(var) => names.text(*var).to_owned(),
            Kind::Address(var) => format!("&{}", names.text(*var)),
            Kind::Builtin(builtin) => format!("{}(0)", builtin.name()),
            Kind::Unary(op, part) => format!("{}({})", op.text(), part.text(names)),
            Kind::Binary(op, left, right) => {
                format!("({} {} {})", left.text(names), infix(*op).0, right.text(names))
            }
            Kind::Compare(op, parts) => {
                let [left, right] =
                    [0, 1].map(|at| parts[at].0.text("address", &parts[at].1.text(names)));
                format!("({left} {} {right})", infix(Op::Scalar(*op)).0)
            }
            Kind::Cond(parts) => {
                let [condition, then, otherwise] = [0, 1, 2].map(|at| parts[at].text(names));
                format!("({condition} ? {then} : {otherwise})")
            }
            Kind::Load(at, part) => at.text("at", &part.text(names)),
            Kind::Call(function, passed, args) => {
                let numbers = passed.0.iter().map(|number| number.text());
                let tables = passed.1.iter().map(Table::text);
                let args = args.iter().map(|arg| arg.text(names));
                let all: Vec<String> = numbers.chain(tables).chain(args).collect();
                format!("{}({})", names.text(*function), all.join(", "))
            }
            Kind::Pair(tag, part) => format!("pair({}, {})", tag.text(), part.text(names)),
            Kind::Retag(tags, part) => {
                let tags: Vec<String> = tags.iter().map(|tag| tag.text()).collect();
                format!("retag([{}], {})", tags.join(", "), part.text(names))
            }
            Kind::Thin(part) => format!("thin({})", part.text(names)),
            Kind::Dynamic(tag, part) => format!("dynamic({}, {})", tag.text(), part.text(names)),
            Kind::Cast(tag, space, at, part) => {
                let pointer = format!("{}, {}", tag.text(), part.text(names));
                at.text("cast", &format!("{space}, {pointer}"))
            }
        }
    }
}

impl Expression for Exp {
    fn takes_address(&self) -> bool {
        match &self.kind {
            Kind::Int(_) | Kind::Null | Kind::Var(_) | Kind::Builtin(_) => false,
            Kind::Address(_) => true,
            Kind::Unary(_, part)
            | Kind::Load(_, part)
            | Kind::Pair(_, part)
            | Kind::Retag(_, part)
            | Kind::Thin(part)
            | Kind::Dynamic(_, part)
            | Kind::Cast(.., part) => part.takes_address(),
            Kind::Binary(_, left, right) => left.takes_address() || right.takes_address(),
            Kind::Compare(_, parts) => parts.iter().any(|(_, part)| part.takes_address()),
            Kind::Cond(parts) => parts.iter().any(Exp::takes_address),
            Kind::Call(_, _, args) => args.iter().any(Exp::takes_address),
        }
    }
}
