//! What a failed check is: its condition, what the invocation remembers of it and how it is
//! written down.

use crate::pass::types::Types;
use reference::device::record::{self, Layout};
use reference::device::syntax::{
    AtomicOp, BOOL, Block, Builtin, Check, Exp, Host, HostBlock, If, Kernel, Kind, Lit, Place, Sc,
    Stm, Ty, U32,
};
use reference::kit::names::{Names, Var};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// What an invocation remembers of its failure; all variables of the function space.
pub(super) struct Memory {
    pub(super) alive: Var,
    site: Var,
    path_length: Var,
    path: Vec<Var>,
    /// Low and high word of each operand.
    operands: Vec<(Var, Var)>,
}

impl Memory {
    pub(super) fn new(layout: Layout, names: &mut Names) -> Self {
        Self {
            alive: names.fresh("alive"),
            site: names.fresh("failed_site"),
            path_length: names.fresh("failed_path_length"),
            path: (0..layout.path).map(|_| names.fresh("failed_path")).collect(),
            operands: (0..layout.operands)
                .map(|_| (names.fresh("failed_low"), names.fresh("failed_high")))
                .collect(),
        }
    }

    /// Everybody starts alive.
    pub(super) fn declare(&self, span: Span) -> Block {
        let alive = Kind::Var(self.alive, BOOL, Some(Exp::Lit(Lit::Bool(true))));
        let words = [self.site, self.path_length].into_iter().chain(self.path.iter().copied());
        let operands = self.operands.iter().flat_map(|(low, high)| [*low, *high]);
        let words = words.chain(operands).map(|var| Kind::Var(var, U32, None));
        std::iter::once(alive).chain(words).map(|kind| Stm { span, kind }).collect()
    }

    /// The failure of `check` is remembered, and the invocation dies of it.
    pub(super) fn remember(&self, span: Span, check: &Check, types: &Types) -> Block {
        let mut stores = vec![
            (self.alive, Exp::Lit(Lit::Bool(false))),
            (self.site, Exp::u32(check.site)),
            (self.path_length, Exp::u32(check.path.len() as u32)),
        ];
        for (var, place) in self.path.iter().zip(&check.path) {
            stores.push((*var, Exp::Bitcast(Sc::U32, Box::new(place.clone()))));
        }
        for ((low, high), operand) in self.operands.iter().zip(&check.operands) {
            let words = words(operand, types);
            stores.extend([(*low, words.0), (*high, words.1)]);
        }
        let store = |(var, exp)| Stm { span, kind: Kind::Store(Place::Var(var), exp) };
        stores.into_iter().map(store).collect()
    }

    /// At the end, whoever died writes down of what. Each half word of the record is kept by an
    /// atomic maximum with the invocation's number in the work group, counted downwards, above
    /// it; the header likewise with the work group's.
    pub(super) fn write_down(
        &self,
        span: Span,
        record: Var,
        layout: Layout,
        names: &mut Names,
    ) -> Stm<Kind> {
        let load = |var: Var| Exp::load(Place::Var(var));
        let mut words = vec![load(self.site), Exp::Builtin(Builtin::GlobalId)];
        words.push(load(self.path_length));
        words.extend(self.path.iter().map(|var| load(*var)));
        words.extend(self.operands.iter().flat_map(|(low, high)| [load(*low), load(*high)]));
        let (key, base) = (names.fresh("key"), names.fresh("at"));
        let group = || Exp::Builtin(Builtin::GroupId);
        let local = Exp::Builtin(Builtin::LocalId);
        let downwards = Exp::bin(BinOp::Sub, Exp::u32(record::HIGHEST_KEY), local);
        let shifted = Exp::bin(BinOp::Shl, downwards, Exp::u32(16));
        let stride = Exp::bin(BinOp::Mul, group(), Exp::u32(layout.stride()));
        let mut kinds = vec![
            Kind::Let(key, U32, shifted),
            Kind::Let(base, U32, Exp::bin(BinOp::Add, stride, Exp::u32(1))),
        ];
        let max = |offset: Exp, value: Exp| Kind::Atomic {
            into: None,
            op: AtomicOp::Max,
            place: Place::Element(Exp::Var(record), offset),
            operands: vec![value],
        };
        for (i, word) in words.into_iter().enumerate() {
            let low = Exp::bin(BinOp::And, word.clone(), Exp::u32(0xffff));
            let high = Exp::bin(BinOp::Shr, word, Exp::u32(16));
            for (j, half) in [low, high].into_iter().enumerate() {
                let offset = Exp::u32((2 * i + j) as u32);
                let offset = Exp::bin(BinOp::Add, Exp::Var(base), offset);
                kinds.push(max(offset, Exp::bin(BinOp::Or, Exp::Var(key), half)));
            }
        }
        kinds.push(max(Exp::u32(0), Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), group())));
        let then = kinds.into_iter().map(|kind| Stm { span, kind }).collect();
        let cond = super::not(load(self.alive));
        Stm { span, kind: Kind::If(If { cond, then, orelse: Vec::new() }) }
    }
}

/// The two words of an integer as an i64.
fn words(operand: &Exp, types: &Types) -> (Exp, Exp) {
    let boxed = || Box::new(operand.clone());
    match types.exp(operand) {
        Ty::Scalar(Sc::I32) => {
            let sign = Exp::bin(BinOp::Shr, operand.clone(), Exp::i32(31));
            (Exp::Bitcast(Sc::U32, boxed()), Exp::Bitcast(Sc::U32, Box::new(sign)))
        }
        Ty::Scalar(Sc::I64) => {
            let high = Exp::bin(BinOp::Shr, operand.clone(), Exp::i64(32));
            (Exp::Cast(Sc::U32, boxed()), Exp::Cast(Sc::U32, Box::new(high)))
        }
        _ => (operand.clone(), Exp::u32(0)),
    }
}

/// When `cause` holds ([`reference::kit::outcome::holds`]), as an expression that cannot get
/// stuck and in which nothing wraps that should not; `None` if it never does.
pub(super) fn holds(cause: Cause, operands: &[Exp], types: &Types) -> Option<Exp> {
    let all_i32 = operands.iter().all(|exp| types.exp(exp) == Ty::Scalar(Sc::I32));
    let zero = |exp: &Exp| match types.exp(exp) {
        Ty::Scalar(Sc::I64) => Exp::i64(0),
        Ty::Scalar(Sc::U32) => Exp::u32(0),
        _ => Exp::i32(0),
    };
    Some(match (cause, operands) {
        (Cause::Index, [index, extent]) if all_i32 => between(Exp::i32(1), index, extent),
        (Cause::Index, [index, extent]) => between(Exp::i64(1), &wide(index), &wide(extent)),
        (Cause::Slice, [offset, size, stride, extent]) if all_i32 => {
            slice(offset, size, stride, extent)
        }
        // Of wider operands the sums need more than 64 bits: the room's own rules make none.
        (Cause::Slice, _) => return None,
        (Cause::DivisionByZero, [_, divisor]) => {
            Exp::bin(BinOp::Ne, divisor.clone(), zero(divisor))
        }
        (Cause::NegativeSize | Cause::NegativeCount, [size]) => {
            Exp::bin(BinOp::Ge, size.clone(), zero(size))
        }
        (Cause::OutsideBlock, [offset, length]) => {
            let length_is_u32 = types.exp(length) == U32;
            match types.exp(offset) {
                Ty::Scalar(Sc::U32) if length_is_u32 => {
                    Exp::bin(BinOp::Lt, offset.clone(), length.clone())
                }
                // No block has 2³¹ elements or more: what is negative is above every length.
                Ty::Scalar(Sc::I32) if length_is_u32 => {
                    let offset = Exp::Bitcast(Sc::U32, Box::new(offset.clone()));
                    Exp::bin(BinOp::Lt, offset, length.clone())
                }
                _ => {
                    let (offset, length) = (wide(offset), wide(length));
                    let positive = Exp::bin(BinOp::Le, Exp::i64(0), offset.clone());
                    Exp::bin(BinOp::And, positive, Exp::bin(BinOp::Lt, offset, length))
                }
            }
        }
        _ => return None,
    })
}

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
    let select = |c, a, b| Exp::Select(Box::new(c), Box::new(a), Box::new(b));
    let minus_one = |exp: &Exp| Exp::bin(BinOp::Sub, exp.clone(), Exp::i32(1));
    let forward = Exp::bin(BinOp::Gt, stride.clone(), Exp::i32(0));
    let ahead = Exp::bin(BinOp::Sub, extent.clone(), offset.clone());
    let room = u32(select(forward.clone(), ahead, minus_one(offset)));
    let magnitude = u32(stride.clone());
    let negated = Exp::bin(BinOp::Sub, Exp::u32(0), magnitude.clone());
    let step = Exp::bin(BinOp::Max, select(forward, magnitude, negated), Exp::u32(1));
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
    let mut out = Vec::with_capacity(body.len());
    for Stm { span, mut kind } in std::mem::take(body) {
        match &mut kind {
            Host::If(branch) => {
                bring_records(&mut branch.then, kernels, names);
                bring_records(&mut branch.orelse, kernels, names);
            }
            Host::Loop(rounds) => bring_records(&mut rounds.body, kernels, names),
            Host::Launch(launch) => {
                let kernel = &kernels[launch.kernel as usize];
                if let Some(layout) = kernel.record {
                    let record = names.fresh("record");
                    let size = record_words(launch.count.clone(), kernel.group, layout);
                    let alloc = Host::Alloc { block: record, element: Sc::U32, size };
                    out.push(Stm { span, kind: alloc });
                    launch.args.push(Exp::Var(record));
                    launch.record = Some(Exp::Var(record));
                    out.push(Stm { span, kind });
                    out.push(Stm { span, kind: Host::Free(Exp::Var(record)) });
                    continue;
                }
            }
            _ => {}
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
