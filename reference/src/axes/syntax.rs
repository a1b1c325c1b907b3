//! Syntactic objects of axes: terms over named axes.
//!
//! ```text
//! e ::= k | {index} | x | e ⊕ e | if e e e | get X e … e | seq x k n e e      scalars; indices count from 0
//! T ::= e | build l i n T | red ⊕ k n T | merge i a b T | keep T | if e T T   tensors: a set of named axes
//! X ::= x | store p T i … i                                                  arrays: axes in the order of the layout
//! P ::= out T i … i | results P … P                                          what a program gives
//! ```
//!
//! A tensor is a function of named axes, not of positions: nothing in a term says which axis is
//! the first, except where an array is made or read. So two loops change places by one law and
//! leave nothing behind.
//!
//! `l` is who runs the rounds, `grid`, `group`, `lane`, `seq` or `vec`; `p` is where an array is,
//! `glob`, `group`, `group+c` with `c` words between its rows, or `priv`. [`super::levels`] says
//! where they may stand.
//!
//! Everything is one kind of node, [`Term`], whose [`Head`] says what it is: operators, levels,
//! sizes and the names that a binder binds are leaves of their own. So matching, positions and
//! an e-graph need to know nothing of the constructs.

use super::index::Index;
use crate::kit::scalar::{BinOp, Notation};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// The name of an axis, a parameter or a state. It is ordered by its text, so that what is decided
/// by it is the same in every run.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Name(Arc<str>);

impl Name {
    /// A name.
    pub fn new(text: &str) -> Self {
        Name(Arc::from(text))
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Who runs the rounds of a `build`. The order is that of a path to the root: what is less stands
/// further in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Level {
    /// One thread, all rounds as one vector: at most four of them, each a scalar.
    Vec,
    /// One thread, one round after the other.
    Seq,
    /// Invocations of a work group, one a round or, where there are more rounds, several.
    Lane,
    /// Work groups, one a round.
    Group,
    /// Threads of a launch, one a round.
    Grid,
}

impl Level {
    /// Every level.
    pub const ALL: [Level; 5] = [Level::Seq, Level::Grid, Level::Group, Level::Lane, Level::Vec];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Level::Vec => "vec",
            Level::Seq => "seq",
            Level::Lane => "lane",
            Level::Group => "group",
            Level::Grid => "grid",
        }
    }
}

/// Where a stored array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Place {
    /// In memory that all threads see.
    Glob,
    /// In memory of the work group; so many words stand between its rows.
    Group {
        /// How many.
        pad: u32,
    },
    /// In memory of the invocation.
    Priv,
}

impl Place {
    /// Every place, without words between rows.
    pub const ALL: [Place; 3] = [Place::Glob, Place::Group { pad: 0 }, Place::Priv];

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Place::Glob => "glob",
            Place::Group { .. } => "group",
            Place::Priv => "priv",
        }
    }

    /// The most words that an array in such a place may take: of the memory of a work group as many
    /// as WebGPU promises, and of an invocation what may be held in registers.
    pub fn most_words(self) -> u64 {
        match self {
            Place::Glob => i32::MAX as u64,
            Place::Group { .. } => 4096,
            Place::Priv => 64,
        }
    }

    /// How many words an array of these sizes takes there.
    pub fn words(self, sizes: &[u32]) -> u64 {
        let pad = if let Place::Group { pad } = self { u64::from(pad) } else { 0 };
        let Some((row, rows)) = sizes.split_last() else { return 1 };
        let rows = rows.iter().map(|size| u64::from(*size));
        rows.fold(u64::from(*row).saturating_add(pad), u64::saturating_mul)
    }
}

/// What a node is, with the arguments that it has in [`Term::args`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Head {
    // Leaves.
    /// `k`: a scalar.
    Const(i32),
    /// An index that is computed from axes: a scalar.
    Index(Index),
    /// `x`: a parameter or a state, a scalar.
    Scalar(Name),
    /// `x`: an array parameter.
    Array(Name),
    /// The axis that a binder binds, or one of a layout.
    Axis(Name),
    /// The state that `seq` binds.
    State(Name),
    /// How many rounds.
    Size(u32),
    /// `⊕`
    Op(BinOp),
    /// Of a `build`.
    Level(Level),
    /// Of a `store`.
    Place(Place),
    /// Any term: patterns have these.
    Hole(Name),
    // Scalars.
    /// `a ⊕ b`: `[⊕, a, b]`.
    Apply,
    /// `[c, a, b]`: `a` where `c` is not 0.
    If,
    /// `[X, e, …]`: one index for each axis of the array.
    Get,
    /// `[x, k, n, z, e]`: `x` starts as `z` and becomes `e` in each round `k`.
    Seq,
    // Tensors.
    /// `[l, i, n, T]`: `T` for each `i` below `n`.
    Build,
    /// `[⊕, k, n, T]`: the tensors `T` for each `k` below `n`, combined from the identity of ⊕ on.
    Red,
    /// `[i, a, b, T]`: axis `i` counts through `a` and `b`: `i = a · |b| + b`.
    Merge,
    /// `[T]`: `T`, whose accumulators are memory of the thread.
    Keep,
    // Arrays.
    /// `[p, T, i, …]`: `T` in memory, laid out in the order of these axes, the last one densest.
    Store,
    // Programs.
    /// `[T, i, …]`: a result, with the order of its axes.
    Out,
    /// `[P, …]`: several results.
    Results,
}

/// The nodes that begin with a word, each with its word.
static WORDS: [(Head, &str); 10] = [
    (Head::If, "if"),
    (Head::Get, "get"),
    (Head::Seq, "seq"),
    (Head::Build, "build"),
    (Head::Red, "red"),
    (Head::Merge, "merge"),
    (Head::Keep, "keep"),
    (Head::Store, "store"),
    (Head::Out, "out"),
    (Head::Results, "results"),
];

impl Head {
    /// The word that a node begins with; of the others there is none.
    pub fn word(&self) -> Option<&'static str> {
        WORDS.iter().find(|(head, _)| head == self).map(|(_, word)| *word)
    }

    /// The node that begins with a word.
    pub fn begun_by(word: &str) -> Option<&'static Head> {
        WORDS.iter().find(|(_, of)| *of == word).map(|(head, _)| head)
    }
}

/// Words that no name may be.
pub static KEYWORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let operators = BinOp::ALL.iter().filter_map(|op| match op.notation() {
        Notation::Call(name) => Some(name),
        Notation::Infix(..) => None,
    });
    let words = WORDS.iter().map(|(_, word)| *word).chain(Level::ALL.map(Level::word));
    let words = words.chain(Place::ALL.map(Place::word)).chain(operators);
    ["param", "int"].into_iter().chain(words).collect()
});

/// A term: a node and its arguments, see [`Head`].
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Term {
    /// What it is.
    pub head: Head,
    /// Its arguments, leaves among them.
    pub args: Arc<[Term]>,
}

// Arguments that terms share are not gone through: a search compares many terms with large parts in common.
impl Ord for Term {
    fn cmp(&self, other: &Term) -> Ordering {
        self.head.cmp(&other.head).then_with(|| match Arc::ptr_eq(&self.args, &other.args) {
            true => Ordering::Equal,
            false => self.args.cmp(&other.args),
        })
    }
}

impl PartialOrd for Term {
    fn partial_cmp(&self, other: &Term) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A parameter of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub kind: Kind,
}

/// What a parameter is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// An int; where a number is given, the program holds for this number only.
    Int(Option<i32>),
    /// An array of ints, outermost size first.
    Array(Vec<u32>),
}

/// A program: what it takes, and its term, a [`Head::Out`] or [`Head::Results`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// The term.
    pub term: Term,
}

impl Term {
    /// A node.
    pub fn new(head: Head, args: impl Into<Arc<[Term]>>) -> Term {
        Term { head, args: args.into() }
    }

    /// A leaf.
    pub fn leaf(head: Head) -> Term {
        Term { head, args: Arc::new([]) }
    }

    /// `k`
    pub fn constant(k: i32) -> Term {
        Term::leaf(Head::Const(k))
    }

    /// An index; a constant one is a constant.
    pub fn index(index: Index) -> Term {
        match index.constant() {
            Some(k) => Term::constant(k),
            None => Term::leaf(Head::Index(index)),
        }
    }

    /// The index of an axis.
    pub fn at(axis: &Name) -> Term {
        Term::index(Index::axis(axis))
    }

    /// An axis as a binder or a layout names it.
    pub fn axis(name: &Name) -> Term {
        Term::leaf(Head::Axis(name.clone()))
    }

    /// A size.
    pub fn size(n: u32) -> Term {
        Term::leaf(Head::Size(n))
    }

    /// `a ⊕ b`
    pub fn apply(op: BinOp, a: Term, b: Term) -> Term {
        Term::new(Head::Apply, [Term::leaf(Head::Op(op)), a, b])
    }

    /// `if c a b`
    pub fn branch(c: Term, a: Term, b: Term) -> Term {
        Term::new(Head::If, [c, a, b])
    }

    /// `get X e …`
    pub fn get(array: Term, at: impl IntoIterator<Item = Term>) -> Term {
        Term::new(Head::Get, std::iter::once(array).chain(at).collect::<Vec<_>>())
    }

    /// `build l i n T`
    pub fn build(level: Level, axis: &Name, size: u32, of: Term) -> Term {
        let level = Term::leaf(Head::Level(level));
        Term::new(Head::Build, [level, Term::axis(axis), Term::size(size), of])
    }

    /// `red ⊕ k n T`
    pub fn red(op: BinOp, axis: &Name, size: u32, of: Term) -> Term {
        Term::new(Head::Red, [Term::leaf(Head::Op(op)), Term::axis(axis), Term::size(size), of])
    }

    /// `merge i a b T`
    pub fn merge(axis: &Name, outer: &Name, inner: &Name, of: Term) -> Term {
        Term::new(Head::Merge, [Term::axis(axis), Term::axis(outer), Term::axis(inner), of])
    }

    /// `seq x k n z e`
    pub fn seq(state: &Name, axis: &Name, size: u32, start: Term, next: Term) -> Term {
        let state = Term::leaf(Head::State(state.clone()));
        Term::new(Head::Seq, [state, Term::axis(axis), Term::size(size), start, next])
    }

    /// `store p T i …`
    pub fn store(place: Place, of: Term, axes: &[Name]) -> Term {
        let front = [Term::leaf(Head::Place(place)), of];
        Term::new(
            Head::Store,
            front.into_iter().chain(axes.iter().map(Term::axis)).collect::<Vec<_>>(),
        )
    }

    /// `out T i …`
    pub fn out(of: Term, axes: &[Name]) -> Term {
        Term::new(
            Head::Out,
            std::iter::once(of).chain(axes.iter().map(Term::axis)).collect::<Vec<_>>(),
        )
    }

    /// The results of a program: one `out`, or several.
    pub fn results(mut outs: Vec<Term>) -> Term {
        match outs.len() {
            1 => outs.remove(0),
            _ => Term::new(Head::Results, outs),
        }
    }

    /// The name of an axis leaf.
    pub fn as_axis(&self) -> Option<&Name> {
        match &self.head {
            Head::Axis(name) => Some(name),
            _ => None,
        }
    }

    /// The number of a size leaf.
    pub fn as_size(&self) -> Option<u32> {
        match self.head {
            Head::Size(n) => Some(n),
            _ => None,
        }
    }

    /// The operator of an operator leaf.
    pub fn as_op(&self) -> Option<BinOp> {
        match self.head {
            Head::Op(op) => Some(op),
            _ => None,
        }
    }

    /// The index of a scalar, if it is computed from axes and constants alone.
    pub fn as_index(&self) -> Option<Index> {
        match &self.head {
            Head::Index(index) => Some(index.clone()),
            Head::Const(k) => Some(Index::number(*k)),
            _ => None,
        }
    }

    /// How many nodes it has, leaves included.
    pub fn nodes(&self) -> usize {
        1 + self.args.iter().map(Term::nodes).sum::<usize>()
    }

    /// How deeply it is nested.
    pub fn height(&self) -> usize {
        1 + self.args.iter().map(Term::height).max().unwrap_or(0)
    }

    /// The axis that a node binds in its last argument, with its size.
    pub fn binds(&self) -> Option<(&Name, u32)> {
        match self.head {
            Head::Build | Head::Red | Head::Seq => {
                Some((self.args[1].as_axis()?, self.args[2].as_size()?))
            }
            _ => None,
        }
    }

    /// The subterm at a position: which argument, of which argument, and so on.
    pub fn at_position(&self, position: &[usize]) -> Option<&Term> {
        position.iter().try_fold(self, |term, at| term.args.get(*at))
    }

    /// The term with the subterm at a position replaced.
    pub fn replaced(&self, position: &[usize], by: Term) -> Option<Term> {
        let Some((first, rest)) = position.split_first() else { return Some(by) };
        let inner = self.args.get(*first)?.replaced(rest, by)?;
        let mut args = self.args.to_vec();
        args[*first] = inner;
        Some(Term::new(self.head.clone(), args))
    }

    /// Visits every subterm, outer ones first.
    pub fn walk<'t>(&'t self, visit: &mut impl FnMut(&'t Term)) {
        visit(self);
        self.args.iter().for_each(|arg| arg.walk(visit));
    }
}

/// The identity of an operator that combines in any order, over `int`: what a reduction of no
/// round gives. `None` for the operators of which there is none.
pub fn identity(op: BinOp) -> Option<i32> {
    match op {
        BinOp::Add | BinOp::Or | BinOp::Xor => Some(0),
        BinOp::Mul => Some(1),
        BinOp::And => Some(-1),
        BinOp::Min => Some(i32::MAX),
        BinOp::Max => Some(i32::MIN),
        _ => None,
    }
}
