//! What a failed check is: its condition, what the invocation remembers of it and how it is
//! written down.

use super::Tells;
use crate::pass::types::Types;
use reference::device::parts::Statement;
use reference::device::record::{self, Layout};
use reference::device::syntax::{
    AtomicOp, BOOL, Block, Builtin, Carried, Check, Element, Exp, Host, HostBlock, If, Kernel,
    Kind, Lit, Loop, Place, Sc, Scope, Site, Stm, Ty, U32,
};
use reference::device::visit::any_stm;
use reference::kit::cause::{Cause, Comparison, Relation, Term, Test};
use reference::kit::names::{Names, Var};
use reference::kit::scalar::BinOp;
use reference::kit::text::{Refused, Span};

/// What the checks of a kernel are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checks {
    /// Are there any?
    pub(super) any: bool,
    /// Is every operand an i32, or as small as one? No block has 2³¹ elements or more.
    pub(super) narrow: bool,
    /// The most components of an order.
    pub(super) order: u32,
}

impl Checks {
    /// # Errors
    /// A check of a slice whose operands are not all i32: of wider ones the sums need more than 64 bits.
    pub(super) fn of(kernel: &Kernel, sites: &[Site], types: &Types) -> Result<Self, Refused> {
        let is_i32 = |exp: &Exp| types.sc(exp) == Some(Sc::I32);
        let mut checks = Self { any: false, narrow: true, order: 0 };
        let of_wide_slice = any_stm(&kernel.body, &mut |kind| {
            let Kind::Check(check) = kind else { return false };
            checks.any = true;
            checks.order = checks.order.max(check.components().len() as u32);
            let mut wide = check.operands.iter().filter(|operand| !is_i32(operand));
            checks.narrow &= wide.clone().all(|operand| matches!(operand, Exp::Length(_)));
            sites[check.site as usize].cause.test() == Test::Fits && wide.next().is_some()
        });
        match of_wide_slice {
            false => Ok(checks),
            true => Err(Refused {
                span: kernel.span,
                statement: format!("kernel {}", kernel.name),
                reason: "a check of a slice whose operands are not all i32".to_owned(),
                second: None,
            }),
        }
    }
}

/// What an invocation remembers of its failure; both variables of the function space.
pub(super) struct Memory {
    pub(super) alive: Var,
    /// The words of the record, if it remembers more than that it failed.
    words: Option<Words>,
    /// Is its failure one of those that are written down? A variable of the function space, where checks have orders.
    least: Option<Var>,
}

/// The words of a record and behind them the keys of its order: one array, so that to remember is one store.
#[derive(Clone, Copy)]
struct Words {
    failed: Var,
    layout: Layout,
    /// The most components of an order.
    order: u32,
}

impl Memory {
    pub(super) fn new(tells: Tells, names: &mut Names) -> Self {
        let alive = names.fresh("alive");
        let words = match tells {
            Tells::Flag(_) => None,
            Tells::Record(layout, order) => {
                Some(Words { failed: names.fresh("failed"), layout, order })
            }
        };
        let has_order = words.is_some_and(|words| words.order > 0);
        let least = has_order.then(|| names.fresh("least"));
        Self { alive, words, least }
    }

    /// Everybody starts alive.
    pub(super) fn declare(&self, span: Span) -> Block {
        let alive = Kind::Var(self.alive, BOOL, Some(Exp::Lit(Lit::Bool(true))));
        let failed = self.words.map(|words| Kind::Var(words.failed, words.ty(), None));
        std::iter::once(alive).chain(failed).map(|kind| Stm { span, kind }).collect()
    }

    /// The failure of a check is remembered, and the invocation dies of it.
    pub(super) fn remember(&self, span: Span, check: Check, types: &Types) -> Block {
        let dead = Kind::Store(Place::Var(self.alive), Exp::Lit(Lit::Bool(false)));
        let failed = self.words.map(|words| {
            let told = Exp::make(words.ty(), words.of(check, types));
            Kind::Store(Place::Var(words.failed), told)
        });
        std::iter::once(dead).chain(failed).map(|kind| Stm { span, kind }).collect()
    }

    /// At the end, a poisoned invocation fails a check of this site.
    pub(super) fn set_flag(&self, span: Span, site: u32) -> Stm<Kind> {
        let fails = Check { site, operands: Vec::new(), path: Vec::new(), order: None };
        let cond = super::not(Exp::load(Place::Var(self.alive)));
        let then = vec![Stm { span, kind: Kind::Check(fails) }];
        Stm { span, kind: Kind::If(If { cond, then, orelse: Vec::new() }) }
    }

    /// At the end, where checks have orders, all invocations find out which failures have the least one. For each key of
    /// the orders, the first one first, there is a variable of the work group that holds the greatest of the failures
    /// that are as low in the keys before it.
    pub(super) fn choose(&self, span: Span, names: &mut Names) -> (Block, Vec<(Var, Ty)>) {
        let (Some(least), Some(words)) = (self.least, self.words) else {
            return Default::default();
        };
        let dead = super::not(Exp::load(Place::Var(self.alive)));
        let mut kinds = vec![Kind::Var(least, BOOL, Some(dead))];
        let mut variables = Vec::new();
        for key in words.layout.words_told()..words.all() {
            let [greatest, found] = ["greatest", "found"].map(|wish| names.fresh(wish));
            variables.push((greatest, Ty::Atomic(Sc::U32)));
            let place = || Place::Var(greatest);
            let own = Place::At(Box::new(Place::Var(words.failed)), Exp::u32(key));
            let own = || Exp::load(own.clone());
            let is_least = || Exp::load(Place::Var(least));
            let (op, operands) = (AtomicOp::Max, vec![own()]);
            let notes = Kind::Atomic { into: None, op, place: place(), operands };
            let then = vec![Stm { span, kind: notes }];
            kinds.push(Kind::If(If { cond: is_least(), then, orelse: Vec::new() }));
            kinds.push(Kind::Barrier(Scope::Workgroup));
            let (op, operands) = (AtomicOp::Load, Vec::new());
            kinds.push(Kind::Atomic { into: Some(found), op, place: place(), operands });
            let same = Exp::bin(BinOp::Eq, Exp::Var(found), own());
            kinds.push(Kind::Store(Place::Var(least), Exp::bin(BinOp::And, is_least(), same)));
        }
        (kinds.into_iter().map(|kind| Stm { span, kind }).collect(), variables)
    }

    /// At the end, a poisoned invocation writes the record of its failure, word by word. Each half word of the record is
    /// kept by an atomic maximum with the invocation's number in the work group, counted downwards,
    /// above it; the header likewise with the work group's.
    ///
    /// # Panics
    /// If no more is remembered than that a check failed.
    pub(super) fn write_down(&self, span: Span, record: Var, names: &mut Names) -> Stm<Kind> {
        let Some(Words { failed, layout, .. }) = self.words else {
            panic!("no words are remembered")
        };
        let block = |kinds: Vec<Kind>| kinds.into_iter().map(|kind| Stm { span, kind }).collect();
        let [key, base] = ["key", "at"].map(|wish| names.fresh(wish));
        let [word, told, half] = ["word", "told", "half"].map(|wish| names.fresh(wish));
        let group = || Exp::Builtin(Builtin::GroupId);
        let local = Exp::Builtin(Builtin::LocalId);
        let downwards = Exp::bin(BinOp::Sub, Exp::u32(record::HIGHEST_KEY), local);
        let shifted = Exp::bin(BinOp::Shl, downwards, Exp::u32(16));
        let stride = Exp::bin(BinOp::Mul, group(), Exp::u32(layout.stride()));
        let max = |offset: Exp, value: Exp| Kind::Atomic {
            into: None,
            op: AtomicOp::Max,
            place: Place::Element(Exp::Var(record), offset),
            operands: vec![value],
        };
        let keyed = |half: Exp| Exp::bin(BinOp::Or, Exp::Var(key), half);
        let of_word = Place::At(Box::new(Place::Var(failed)), Exp::Var(word));
        let first = Exp::bin(BinOp::Mul, Exp::Var(word), Exp::u32(2));
        let low = Exp::bin(BinOp::And, Exp::Var(told), Exp::u32(0xffff));
        let high = Exp::bin(BinOp::Shr, Exp::Var(told), Exp::u32(16));
        let body = vec![
            Kind::Let(told, U32, Exp::load(of_word)),
            Kind::Let(half, U32, Exp::bin(BinOp::Add, Exp::Var(base), first)),
            max(Exp::Var(half), keyed(low)),
            max(Exp::bin(BinOp::Add, Exp::Var(half), Exp::u32(1)), keyed(high)),
        ];
        let words = Exp::u32(layout.words_told());
        let then = vec![
            Kind::Let(key, U32, shifted),
            Kind::Let(base, U32, Exp::bin(BinOp::Add, stride, Exp::u32(1))),
            Kind::Loop(Box::new(Loop {
                carried: vec![Carried { var: word, ty: U32, init: Exp::u32(0) }],
                cond: Exp::bin(BinOp::Lt, Exp::Var(word), words),
                fuel: None,
                body: block(body),
                next: vec![Exp::bin(BinOp::Add, Exp::Var(word), Exp::u32(1))],
            })),
            max(Exp::u32(0), Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), group())),
        ];
        let cond = match self.least {
            Some(least) => Exp::load(Place::Var(least)),
            None => super::not(Exp::load(Place::Var(self.alive))),
        };
        Stm { span, kind: Kind::If(If { cond, then: block(then), orelse: Vec::new() }) }
    }
}

impl Words {
    /// How many words are remembered: those of the record, and a key for each component of the longest order and for
    /// the length, if there are any.
    fn all(self) -> u32 {
        self.layout.words_told() + if self.order > 0 { self.order + 1 } else { 0 }
    }

    /// The type of what is remembered.
    fn ty(self) -> Ty {
        Ty::Array(Box::new(U32), self.all())
    }

    /// What is remembered of a failed check.
    fn of(self, check: Check, types: &Types) -> Vec<Exp> {
        let mut words = Vec::with_capacity(self.all() as usize);
        words.push(Exp::u32(check.site));
        words.push(Exp::Builtin(Builtin::GlobalId));
        let whole = if check.order.is_some() { record::WHOLE } else { 0 };
        words.push(Exp::u32(check.path.len() as u32 | whole));
        words.extend(check.path.into_iter().map(|place| Exp::Bitcast(Sc::U32, Box::new(place))));
        words.resize(self.layout.operand(0) as usize, Exp::u32(0));
        for operand in check.operands {
            let high = (!self.layout.narrow).then(|| high(&operand, types));
            words.push(low(operand, types));
            words.extend(high);
        }
        words.resize(self.layout.words_told() as usize, Exp::u32(0));
        if self.order > 0 {
            words.extend(self.keys(check.order.map_or_else(Vec::new, |order| order.0)));
        }
        words
    }

    /// Keys of an order, of which the first ones that differ tell which order is less: the one with the greater key. A component
    /// that is missing counts as the least i32, and then the shorter order is less.
    fn keys(self, order: Vec<Exp>) -> Vec<Exp> {
        let length = order.len() as u32;
        let downwards = |component: Exp| match component {
            Exp::Lit(Lit::I32(k)) => Exp::u32(k as u32 ^ i32::MAX as u32),
            other => {
                let bits = Exp::Bitcast(Sc::U32, Box::new(other));
                Exp::bin(BinOp::Xor, bits, Exp::u32(i32::MAX as u32))
            }
        };
        let mut keys: Vec<Exp> = order.into_iter().map(downwards).collect();
        keys.resize(self.order as usize, Exp::u32(u32::MAX));
        keys.push(Exp::u32(self.order - length));
        keys
    }
}

/// The low word of an integer as an i64.
fn low(operand: Exp, types: &Types) -> Exp {
    match types.sc(&operand) {
        Some(Sc::I32) => Exp::Bitcast(Sc::U32, Box::new(operand)),
        Some(Sc::I64) => Exp::Cast(Sc::U32, Box::new(operand)),
        _ => operand,
    }
}

/// The high word of an integer as an i64.
fn high(operand: &Exp, types: &Types) -> Exp {
    match types.sc(operand) {
        Some(Sc::I32) => {
            let sign = Exp::bin(BinOp::Shr, operand.clone(), Exp::i32(31));
            Exp::Bitcast(Sc::U32, Box::new(sign))
        }
        Some(Sc::I64) => {
            let high = Exp::bin(BinOp::Shr, operand.clone(), Exp::i64(32));
            Exp::Cast(Sc::U32, Box::new(high))
        }
        _ => Exp::u32(0),
    }
}

/// When `cause` holds ([`reference::kit::cause::holds`]), as an expression that cannot get
/// stuck and in which nothing wraps that should not; `None` if it never does.
pub(crate) fn holds(cause: Cause, operands: &[Exp], types: &Types) -> Option<Exp> {
    let comparisons = match (cause.test(), operands) {
        (Test::Fits, [offset, size, stride, extent]) => {
            let all_i32 = operands.iter().all(|exp| types.sc(exp) == Some(Sc::I32));
            return all_i32.then(|| slice(offset, size, stride, extent));
        }
        (Test::All(comparisons), _) if operands.len() == cause.operands().len() => comparisons,
        _ => return None,
    };
    if let Some(inside) = inside_block(comparisons, operands, types) {
        return Some(inside);
    }
    let tests = comparisons.iter().filter_map(|test| comparison(test, operands, types));
    let all = tests.reduce(|before, test| Exp::bin(BinOp::And, before, test));
    Some(all.unwrap_or(Exp::Lit(Lit::Bool(true))))
}

/// A comparison, in the type of the operands if they have one that also has the number, or else in
/// i64; `None` if it always holds.
fn comparison(test: &Comparison, operands: &[Exp], types: &Types) -> Option<Exp> {
    let terms = [test.left, test.right];
    let is_of = |sc: Sc, least: i64, most: i64| {
        terms.iter().all(|term| match *term {
            Term::Operand(i) => types.sc(&operands[i]) == Some(sc),
            Term::Number(k) => least <= k && k <= most,
        })
    };
    let is_u32 = is_of(Sc::U32, 0, u32::MAX.into());
    if is_u32 && (test.left, test.relation) == (Term::Number(0), Relation::Le) {
        return None;
    }
    let is_i32 = is_of(Sc::I32, i32::MIN.into(), i32::MAX.into());
    let [left, right] = terms.map(|term| match term {
        Term::Operand(i) if is_i32 || is_u32 => operands[i].clone(),
        Term::Operand(i) => wide(&operands[i]),
        Term::Number(k) if is_i32 => Exp::i32(k as i32),
        Term::Number(k) if is_u32 => Exp::u32(k as u32),
        Term::Number(k) => Exp::i64(k),
    });
    let op = match test.relation {
        Relation::Le => BinOp::Le,
        Relation::Lt => BinOp::Lt,
        Relation::Ne => BinOp::Ne,
    };
    Some(Exp::bin(op, left, right))
}

/// `0 <= i, i < length` of an i32 and the length of a block. No block has 2³¹ elements or more, so a
/// negative number, read as u32, is above every length, and one comparison will do.
fn inside_block(tests: &[Comparison], operands: &[Exp], types: &Types) -> Option<Exp> {
    let [least, most] = tests else { return None };
    let (Term::Number(0), Term::Operand(i)) = (least.left, least.right) else { return None };
    let (Term::Operand(j), Term::Operand(n)) = (most.left, most.right) else { return None };
    let (index, length) = (&operands[i], &operands[n]);
    let inside = (least.relation, most.relation) == (Relation::Le, Relation::Lt) && i == j;
    let narrow = types.sc(index) == Some(Sc::I32) && types.sc(length) == Some(Sc::U32);
    (inside && narrow && is_length(length)).then(|| {
        let index = Exp::Bitcast(Sc::U32, Box::new(index.clone()));
        Exp::bin(BinOp::Lt, index, length.clone())
    })
}

/// Is it the length of a block, or a literal below 2³¹?
fn is_length(exp: &Exp) -> bool {
    match exp {
        Exp::Length(_) => true,
        Exp::Lit(Lit::U32(k)) => *k <= i32::MAX as u32,
        _ => false,
    }
}

/// The number as an i64.
fn wide(exp: &Exp) -> Exp {
    Exp::Cast(Sc::I64, Box::new(exp.clone()))
}

fn between(low: Exp, exp: &Exp, high: &Exp) -> Exp {
    let above = Exp::bin(BinOp::Le, low, exp.clone());
    Exp::bin(BinOp::And, above, Exp::bin(BinOp::Le, exp.clone(), high.clone()))
}

/// `size = 0` and `0 <= offset <= extent + 1`, or `size > 0`, the first element inside and
/// `size - 1` steps of `stride` from there too.
///
/// Where `1 <= offset <= extent` the room in the direction of the stride is `extent - offset` or
/// `offset - 1`, which does not wrap, and `(size - 1) * |stride| <= room` is
/// `size - 1 <= room / |stride|`, in u32, where `|MIN|` is 2³¹. Elsewhere the value of the
/// division does not count. `offset <= extent + 1` is `offset - 1 <= extent`, where `0 <= offset`.
fn slice(offset: &Exp, size: &Exp, stride: &Exp, extent: &Exp) -> Exp {
    let u32 = |exp: Exp| Exp::Bitcast(Sc::U32, Box::new(exp));
    let and = |a, b| Exp::bin(BinOp::And, a, b);
    let or = |a, b| Exp::bin(BinOp::Or, a, b);
    let minus_one = |exp: &Exp| Exp::bin(BinOp::Sub, exp.clone(), Exp::i32(1));
    let forward = Exp::bin(BinOp::Gt, stride.clone(), Exp::i32(0));
    let ahead = Exp::bin(BinOp::Sub, extent.clone(), offset.clone());
    let room = u32(Exp::select(forward.clone(), ahead, minus_one(offset)));
    let magnitude = u32(stride.clone());
    let negated = Exp::bin(BinOp::Sub, Exp::u32(0), magnitude.clone());
    let step = Exp::bin(BinOp::Max, Exp::select(forward, magnitude, negated), Exp::u32(1));
    let steps = Exp::bin(BinOp::Div, room, step);
    let reaches = Exp::bin(BinOp::Le, u32(minus_one(size)), steps);
    let stays = Exp::bin(BinOp::Eq, stride.clone(), Exp::i32(0));
    let last = or(stays, reaches);
    let some = and(
        Exp::bin(BinOp::Gt, size.clone(), Exp::i32(0)),
        and(between(Exp::i32(1), offset, extent), last),
    );
    let none = and(
        Exp::bin(BinOp::Eq, size.clone(), Exp::i32(0)),
        and(
            Exp::bin(BinOp::Le, Exp::i32(0), offset.clone()),
            Exp::bin(BinOp::Le, minus_one(offset), extent.clone()),
        ),
    );
    or(some, none)
}

/// Each launch of a kernel that keeps a record brings a block for it.
pub(super) fn bring_records(body: &mut HostBlock, kernels: &[Kernel], names: &mut Names) {
    let launches = body.iter().filter(|stm| matches!(stm.kind, Host::Launch(_))).count();
    let mut out = Vec::with_capacity(body.len() + 2 * launches);
    for Stm { span, mut kind } in body.drain(..) {
        match &mut kind {
            Host::Launch(launch) => {
                let kernel = &kernels[launch.kernel as usize];
                if let Some(layout) = kernel.record {
                    let record = names.fresh("record");
                    let size = record_words(launch.count.clone(), kernel.group, layout);
                    let alloc =
                        Host::Alloc { block: record, element: Element::Atomic(Sc::U32), size };
                    out.push(Stm { span, kind: alloc });
                    launch.args.push(Exp::Var(record));
                    launch.record = Some(Exp::Var(record));
                    out.push(Stm { span, kind });
                    out.push(Stm { span, kind: Host::Free(Exp::Var(record)) });
                    continue;
                }
            }
            other => {
                let inner = other.blocks_mut().into_iter();
                inner.for_each(|inner| bring_records(inner, kernels, names));
            }
        }
        out.push(Stm { span, kind });
    }
    *body = out;
}

/// `1 + ⌈count / group⌉ · stride`, exactly.
fn record_words(count: Exp, group: u32, layout: Layout) -> Exp {
    let literal = |k: u32| Exp::i64(k.into());
    let count = Exp::Cast(Sc::I64, Box::new(count));
    let positive = Exp::bin(BinOp::Max, count, Exp::i64(0));
    let up = Exp::bin(BinOp::Add, positive, literal(group - 1));
    let groups = Exp::bin(BinOp::Div, up, literal(group));
    let records = Exp::bin(BinOp::Mul, groups, literal(layout.stride()));
    Exp::bin(BinOp::Add, records, Exp::i64(1))
}
