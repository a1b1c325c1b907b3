//! Kernels whose results may depend on the order of their invocations though none race: the old value of an atomic
//! decides where an invocation writes, which one of them writes, or what it computes with.

use super::scope::{Here, Making, Mode, Update};
use reference::device::syntax::{AtomicOp, Builtin, Element, Exp, If, Kind, Place, Sc, Ty};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// What an old value decides. A kernel has one of these, and does nothing else with its counter: so no two
/// invocations come to write the same element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decides {
    /// The element that the invocation writes, since each adds 1.
    Place,
    /// Whether it writes: the one that found 0, where each leaves another number.
    Winner,
    /// What it computes with.
    Sight,
}

/// An atomic of a kernel with that use, and the block that is written by it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ordered {
    decides: Decides,
    /// A block of atomics, or an atomic of the work group.
    counter: Var,
    of_group: bool,
    /// The type of the atomic.
    sc: Sc,
    /// The block, with an element for each invocation.
    written: Var,
    element: Sc,
}

impl Making<'_, '_> {
    /// Gives a kernel an atomic and a block of that use.
    pub(super) fn order_of(
        &mut self,
        params: &mut Vec<(Var, Ty)>,
        workgroup: &mut Vec<(Var, Ty)>,
    ) -> Ordered {
        let decides = self.draw.pick(&[Decides::Place, Decides::Sight, Decides::Winner]);
        let of_group = self.draw.chance(35);
        let sc = if decides == Decides::Sight { self.integer() } else { Sc::U32 };
        let counter = self.fresh(if of_group { 'w' } else { 'b' });
        match of_group {
            true => workgroup.push((counter, Ty::Atomic(sc))),
            false => params.push((counter, Ty::Block(Element::Atomic(sc)))),
        }
        let (written, element) = (self.fresh('b'), self.integer());
        params.push((written, Ty::Block(Element::Plain(element))));
        Ordered { decides, counter, of_group, sc, written, element }
    }

    /// An operation on that atomic, and what is done with the old value.
    pub(super) fn by_order(&mut self) -> bool {
        let (Some(ordered), Some(group)) = (self.ordered, self.here.group) else { return false };
        let sc = ordered.sc;
        let place = match (ordered.of_group, ordered.decides) {
            (true, _) => Place::Var(ordered.counter),
            (false, Decides::Sight) => {
                let length = Exp::Length(Box::new(Exp::Var(ordered.counter)));
                let at = Exp::bin(BinOp::Rem, self.scalar(Sc::U32, 1), length);
                Place::Element(Exp::Var(ordered.counter), at)
            }
            (false, _) => Place::Element(Exp::Var(ordered.counter), Exp::u32(0)),
        };
        let (op, operands) = match ordered.decides {
            Decides::Place => (AtomicOp::Add, vec![Exp::u32(1)]),
            Decides::Winner => {
                let id = Exp::Builtin(Builtin::LocalId);
                let left = match self.draw.chance(70) {
                    true => Exp::bin(BinOp::Add, id, Exp::u32(1)),
                    false => Exp::u32(7),
                };
                match self.draw.chance(50) {
                    true => (AtomicOp::CompareExchange, vec![Exp::u32(0), left]),
                    false => (AtomicOp::Exchange, vec![left]),
                }
            }
            Decides::Sight => {
                let ops = AtomicOp::ALL.into_iter().filter(|op| *op != AtomicOp::Store);
                let op = self.draw.pick(&ops.collect::<Vec<_>>());
                (op, (0..op.arity()).map(|_| self.scalar(sc, 1)).collect())
            }
        };
        let old = self.fresh('o');
        self.emit(Kind::Atomic { into: Some(old), op, place, operands });
        self.decided(ordered, group, old);
        if ordered.decides == Decides::Sight {
            self.know(old, Ty::Scalar(sc), true);
        }
        true
    }

    /// Writes what the old value decides.
    fn decided(&mut self, ordered: Ordered, group: u32, old: Var) {
        let Ordered { decides, of_group, sc, written, element, .. } = ordered;
        let length = Exp::Length(Box::new(Exp::Var(written)));
        let id = Exp::Builtin(Builtin::GlobalId);
        let first = || Exp::bin(BinOp::Mul, Exp::Builtin(Builtin::GroupId), Exp::u32(group));
        let in_group = |at: Exp| if of_group { Exp::bin(BinOp::Add, first(), at) } else { at };
        let below = |at: &Exp, most: Exp| Exp::bin(BinOp::Lt, at.clone(), most);
        let old = Exp::Var(old);
        let (cond, at, value) = match decides {
            Decides::Place => {
                let at = in_group(old.clone());
                let inside = below(&at, length);
                let own = below(&old, Exp::u32(group));
                let cond = if of_group { Exp::bin(BinOp::And, own, inside) } else { inside };
                (cond, at, Exp::Cast(element, Box::new(id)))
            }
            Decides::Winner => {
                let at = in_group(Exp::u32(0));
                let found = Exp::bin(BinOp::Eq, old, Exp::u32(0));
                let cond = Exp::bin(BinOp::And, found, below(&at, length));
                (cond, at, Exp::Cast(element, Box::new(id)))
            }
            Decides::Sight => {
                let seen = if sc == element { old } else { Exp::Cast(element, Box::new(old)) };
                (below(&id, length), id, seen)
            }
        };
        let value = match self.draw.chance(60) {
            true => value,
            false => Exp::bin(BinOp::Xor, value, self.scalar(element, 1)),
        };
        let span = self.span();
        let here = Here { uniform: false, ..self.here.clone() };
        let (then, ()) = self.body(1, here, |making| {
            making.emit(Kind::Store(Place::Element(Exp::Var(written), at), value));
        });
        self.emit_at(span, Kind::If(If { cond, then, orelse: Vec::new() }));
    }
}

impl Ordered {
    /// How a launch uses its blocks.
    pub(super) fn modes(&self) -> impl Iterator<Item = (Var, Mode)> + use<> {
        let update = Update { op: AtomicOp::Add, same: None };
        let counter = (!self.of_group).then_some((self.counter, Mode::Update(update)));
        counter.into_iter().chain([(self.written, Mode::Padded)])
    }
}
