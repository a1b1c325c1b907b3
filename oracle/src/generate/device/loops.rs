//! Loops of kernels, functions and parallel loops.

use super::scope::{Here, Making};
use reference::device::syntax::{Carried, Element, Exp, Kind, Loop, Place, Sc, Stm, Ty, U32};
use reference::device::visit_mut::change_exp;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

impl Making<'_, '_> {
    /// `loop`, by a counter, with something else that it carries.
    pub(super) fn repeat(&mut self) -> bool {
        let span = self.span();
        let kind = if self.here.uniform { self.draw.percentile() } else { 99 };
        let (uniform, by_variable) = (kind < 60, kind < 20);
        let most = 1 + self.draw.below(4) as u32;
        let fixed = self.draw.chance(50);
        let bound = match fixed {
            true => Exp::u32(most),
            false if uniform => self.for_all(|making| making.unsigned_below(most + 1)),
            false => self.unsigned_below(most + 1),
        };
        // The validator has to see that the loop ends for all at once.
        let counter = self.fresh('i');
        let mut carried = vec![Carried { var: counter, ty: U32, init: Exp::u32(0) }];
        for _ in 0..self.draw.weighed(&[4, 4, 2]) {
            let ty = self.carried_type();
            let init = self.value(&ty, 1);
            carried.push(Carried { var: self.fresh('c'), ty, init });
        }
        let mut cond = Exp::bin(BinOp::Lt, Exp::Var(counter), bound);
        let fuel = self.draw.chance(12).then(|| Exp::u32(self.draw.pick(&[2, 1, 3, 100])));
        if self.draw.chance(25) {
            let also = match uniform {
                true => self.for_all(Self::condition),
                false => self.condition(),
            };
            cond = Exp::bin(BinOp::And, cond, also);
        }
        let here = Here { uniform: self.here.uniform && uniform, ..self.here.clone() };
        let size = 1 + self.draw.below(4);
        let (body, next) = self.body(most.into(), here, |making| {
            for (at, it) in carried.iter().enumerate() {
                making.carry(it.var, &it.ty, at > 0 || !uniform);
            }
            making.as_before(|making| making.statements(size));
            let step = Exp::bin(BinOp::Add, Exp::Var(counter), Exp::u32(1));
            let rest = carried[1..].iter().map(|it| making.value(&it.ty, 2));
            std::iter::once(step).chain(rest.collect::<Vec<_>>()).collect()
        });
        let mut known: Vec<_> = carried.iter().map(|it| (it.var, it.ty.clone())).collect();
        let mut rounds = Loop { carried, cond, fuel, body, next };
        let counts = by_variable.then(|| self.counts_by_variable(&mut rounds));
        self.emit_at(span, Kind::Loop(Box::new(rounds)));
        if let Some(variable) = counts {
            known[0].0 = self.fresh('i');
            let count = Kind::Let(known[0].0, U32, Exp::load(Place::Var(variable)));
            let span = self.span();
            self.stms.push(Stm { span, kind: count });
        }
        for (at, (var, ty)) in known.into_iter().enumerate() {
            self.carry(var, &ty, at > 0 || !uniform);
        }
        true
    }

    /// Lets a loop count by a variable, which is declared before it, instead of the first that it carries. What is in the
    /// loop stays as it is, and the statements that are added are not counted, so that all else is drawn alike.
    fn counts_by_variable(&mut self, rounds: &mut Loop<Kind>) -> Var {
        let Carried { var: counter, ty, init } = rounds.carried.remove(0);
        let variable = self.fresh('x');
        let now = || Exp::load(Place::Var(variable));
        let span = self.span();
        self.stms.push(Stm { span, kind: Kind::Var(variable, ty.clone(), Some(init)) });
        change_exp(&mut rounds.cond, &mut |part| {
            if *part == Exp::Var(counter) {
                *part = now();
            }
        });
        let span = self.span();
        rounds.body.insert(0, Stm { span, kind: Kind::Let(counter, ty, now()) });
        let span = self.span();
        let step = Kind::Store(Place::Var(variable), rounds.next.remove(0));
        rounds.body.push(Stm { span, kind: step });
        variable
    }

    /// The type of what a loop carries beside its counter.
    fn carried_type(&mut self) -> Ty {
        match self.draw.below(8) {
            0 | 1 => self.vector(),
            2 => match self.input_element() {
                Some(element) => Ty::Block(Element::Plain(element)),
                None => Ty::Scalar(Sc::U32),
            },
            _ => Ty::Scalar(self.scalar_type()),
        }
    }

    /// What a loop carries is in scope.
    fn carry(&mut self, var: Var, ty: &Ty, varies: bool) {
        match ty {
            Ty::Block(element) => self.hold(var, element.sc()),
            _ => self.know(var, ty.clone(), varies),
        }
    }

    /// `loop (x : u32 = e % k) while x > 0 { … } next (x / 2)`: as many rounds as that takes, not the same
    /// for all.
    pub(super) fn shrinking(&mut self) -> bool {
        let span = self.span();
        let (below, most) = self.draw.pick(&[(8, 3), (30, 5), (2, 1), (81, 4)]);
        let init = self.unsigned_below(below);
        let var = self.fresh('x');
        let carried = vec![Carried { var, ty: U32, init }];
        let cond = match self.draw.chance(50) {
            true => Exp::bin(BinOp::Gt, Exp::Var(var), Exp::u32(0)),
            false => Exp::bin(BinOp::Ne, Exp::Var(var), Exp::u32(0)),
        };
        let here = Here { uniform: false, ..self.here.clone() };
        let size = 1 + self.draw.below(3);
        let (body, next) = self.body(most, here, |making| {
            making.know(var, U32, true);
            making.statements(size);
            let x = || Exp::Var(var);
            vec![match (below, making.draw.chance(50)) {
                (81, _) => Exp::bin(BinOp::Div, x(), Exp::u32(3)),
                (_, true) => Exp::bin(BinOp::Shr, x(), Exp::u32(1)),
                (_, false) => Exp::bin(BinOp::Div, x(), Exp::u32(2)),
            }]
        });
        let rounds = Loop { carried, cond, fuel: None, body, next };
        self.emit_at(span, Kind::Loop(Box::new(rounds)));
        self.know(var, U32, true);
        true
    }
}
