//! Places that get stuck.

use super::scope::{Held, Here, Making, Mode};
use reference::device::syntax::{
    AtomicOp, Builtin, Check, Element, Exp, I32, If, Kind, MAX_GROUP, Place, Precedence, Sc, Ty,
};
use reference::fcl::rules::{GROWTH, LENGTH, LEVEL, TAKEN};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;

/// Every index with bit 2 set is beyond it.
const VECTOR: Ty = Ty::Vector(Sc::U32, 3);

impl Making<'_, '_> {
    /// Adds what gets stuck, for all invocations or for some.
    pub(super) fn get_stuck(&mut self) {
        self.trouble = false;
        if self.here.group.is_none() || self.draw.chance(30) {
            self.wrong();
            return;
        }
        let span = self.span();
        let id = self.draw.pick(&[Builtin::LocalId, Builtin::GlobalId]);
        let op = self.draw.pick(&[BinOp::Ge, BinOp::Eq]);
        let from = Exp::u32(self.draw.below(4) as u32);
        let cond = Exp::bin(op, Exp::Builtin(id), from);
        let here = Here { uniform: false, ..self.here.clone() };
        let (then, ()) = self.body(1, here, |making| making.wrong());
        self.emit_at(span, Kind::If(If { cond, then, orelse: Vec::new() }));
    }

    /// What gets stuck, and perhaps something that would, too: it is not evaluated by an invocation that came so far.
    fn wrong(&mut self) {
        self.wrong_once();
        if !self.draw.chance(30) {
            return;
        }
        match self.draw.below(4) {
            0 | 1 => {
                let span = self.span();
                let op = self.draw.pick(&[BinOp::Gt, BinOp::Eq, BinOp::Lt]);
                let cond = Exp::bin(op, self.no_quotient(), self.scalar(Sc::I32, 1));
                let here = Here { uniform: false, ..self.here.clone() };
                let (then, ()) = self.body(1, here, |making| making.statements(1));
                self.emit_at(span, Kind::If(If { cond, then, orelse: Vec::new() }));
            }
            2 => {
                let exp = self.no_quotient();
                let var = self.fresh('x');
                self.emit(Kind::Var(var, I32, None));
                self.emit(Kind::Store(Place::Var(var), exp));
                self.use_of(Sc::I32, Exp::load(Place::Var(var)));
            }
            _ => self.wrong_once(),
        }
    }

    fn wrong_once(&mut self) {
        let input = self.held.iter().find(|held| held.mode == Mode::Input).cloned();
        match (self.draw.below(7), input) {
            (0, _) => {
                let exp = self.no_quotient();
                self.use_of(Sc::I32, exp);
            }
            (1, Some(held)) => {
                let length = Exp::Length(Box::new(held.exp()));
                let beyond = Exp::u32(self.draw.below(3) as u32);
                let at = Exp::bin(BinOp::Add, length, beyond);
                let exp = Exp::load(Place::Element(held.exp(), at));
                self.use_of(held.element, exp);
            }
            (2, _) => {
                let exp = self.no_component();
                self.use_of(Sc::U32, exp);
            }
            (3, _) => self.two_at_once(),
            _ => self.failing_check(),
        }
    }

    /// A component beyond a vector, a u32.
    fn no_component(&mut self) -> Exp {
        let vector = self.value(&VECTOR, 1);
        Exp::at(vector, self.beyond_vector())
    }

    fn beyond_vector(&mut self) -> Exp {
        Exp::bin(BinOp::Or, self.scalar(Sc::U32, 1), Exp::u32(4))
    }

    /// A statement with two reasons to get stuck, of which the one counts that is evaluated first: the left
    /// operand, and of a store the place.
    fn two_at_once(&mut self) {
        if self.draw.chance(60) && self.two_in_an_access() {
            return;
        }
        let quotient = Exp::Cast(Sc::U32, Box::new(self.no_quotient()));
        match self.draw.below(4) {
            0 => {
                let exp = Exp::bin(BinOp::Sub, quotient, self.no_component());
                self.use_of(Sc::U32, exp);
            }
            1 => {
                let exp = Exp::bin(BinOp::Sub, self.no_component(), quotient);
                self.use_of(Sc::U32, exp);
            }
            2 => {
                let operands = vec![quotient, self.no_component()];
                self.check_of(Cause::Index, operands);
            }
            _ => {
                let var = self.fresh('w');
                self.emit(Kind::Var(var, VECTOR, None));
                let place = Place::At(Box::new(Place::Var(var)), self.beyond_vector());
                self.emit(Kind::Store(place, quotient));
            }
        }
    }

    /// A store beyond a block or an atomic operation there, with a division by zero in what is stored, which counts.
    /// `false` if there is no block.
    fn two_in_an_access(&mut self) -> bool {
        let written = |held: &&Held| !matches!(held.mode, Mode::Input | Mode::Padded);
        let open: Vec<Held> = self.held.iter().filter(written).cloned().collect();
        if open.is_empty() {
            return false;
        }
        let held = open[self.draw.below(open.len())].clone();
        let length = Exp::Length(Box::new(held.exp()));
        let beyond = Exp::u32(self.draw.below(3) as u32);
        let place = Place::Element(held.exp(), Exp::bin(BinOp::Add, length, beyond));
        let value = Exp::Cast(held.element, Box::new(self.no_quotient()));
        let kind = match held.mode.element(held.element) {
            Element::Plain(_) => Kind::Store(place, value),
            Element::Atomic(_) => {
                let op = self.draw.pick(&[AtomicOp::Add, AtomicOp::Store, AtomicOp::Max]);
                Kind::Atomic { into: None, op, place, operands: vec![value] }
            }
        };
        self.emit(kind);
        true
    }

    /// A division by zero.
    pub(super) fn no_quotient(&mut self) -> Exp {
        self.trouble = false;
        let zero = Exp::bin(BinOp::And, self.scalar(Sc::I32, 1), Exp::i32(0));
        Exp::bin(BinOp::Div, self.scalar(Sc::I32, 1), zero)
    }

    /// A check that never holds, whatever its operands are computed of. Before it the same may stand where
    /// it is never reached: a compiler must not take that one for it.
    fn failing_check(&mut self) {
        let in_kernel = self.here.group.is_some();
        let before = self.draw.weighed(&[5, 2 * u32::from(in_kernel), 2]);
        if before == 2 {
            return self.check_of_what_changes();
        }
        let any = self.scalar(Sc::I32, 1);
        let (cause, operands) = match self.draw.below(8) {
            0 => (Cause::NegativeSize, vec![negative(any)]),
            1 => (Cause::NegativeCount, vec![negative(any)]),
            2 => (Cause::DivisionByZero, vec![any, Exp::i32(0)]),
            3 => (Cause::OutsideBlock, vec![negative(any), Exp::u32(7)]),
            4 => (Cause::Slice, vec![negative(any), Exp::i32(2), Exp::i32(1), Exp::i32(5)]),
            5 => match self.draw.below(8) {
                0 => (Cause::Annotation, Vec::new()),
                1 => (Cause::NoBlock, Vec::new()),
                2 => (TAKEN, vec![any]),
                3 => (LEVEL, vec![any.clone(), other_than(any)]),
                4 => (LENGTH, vec![any.clone(), other_than(any)]),
                _ => {
                    let odd = Exp::bin(BinOp::Or, any.clone(), Exp::i32(1));
                    (GROWTH, vec![odd, Exp::bin(BinOp::And, any, Exp::i32(-2))])
                }
            },
            6 => (Cause::Record, vec![any]),
            _ => (Cause::Index, vec![Exp::bin(BinOp::And, any, Exp::i32(-8)), Exp::i32(7)]),
        };
        if before == 1 {
            let span = self.span();
            let nobody = Exp::u32(MAX_GROUP);
            let cond = Exp::bin(BinOp::Ge, Exp::Builtin(Builtin::LocalId), nobody);
            let here = Here { uniform: false, ..self.here.clone() };
            let (then, ()) = self.body(1, here, |making| making.check_of(cause, operands.clone()));
            self.emit_at(span, Kind::If(If { cond, then, orelse: Vec::new() }));
        }
        self.check_of(cause, operands);
    }

    /// Gives some of the checks of kernels an order, in which invocations differ, and a path that does not tell which one
    /// it is.
    pub(super) fn put_in_order(&mut self, check: &mut Check) {
        if self.here.group.is_none() || !self.draw.chance(35) {
            return;
        }
        let count = self.draw.weighed(&[1, 6, 4, 2]);
        let order = (0..count).map(|_| self.component()).collect();
        check.order = Some(Box::new(Precedence(order)));
        if self.draw.chance(70) {
            let component = self.component();
            check.path.push(component);
        }
    }

    /// A component of an order, of few values or at an end of all.
    fn component(&mut self) -> Exp {
        let local = || Exp::Bitcast(Sc::I32, Box::new(Exp::Builtin(Builtin::LocalId)));
        let few = self.draw.below(4) as i32;
        match self.draw.weighed(&[4, 4, 3, 1, 1]) {
            0 => Exp::i32(few - 2),
            1 => Exp::bin(BinOp::Xor, local(), Exp::i32(few)),
            2 => Exp::bin(BinOp::And, local(), Exp::i32(few)),
            3 => Exp::i32(i32::MIN),
            _ => Exp::bin(BinOp::Sub, Exp::i32(i32::MAX), local()),
        }
    }

    /// Checks of a variable: the first holds, and then the variable changes.
    fn check_of_what_changes(&mut self) {
        let cause = self.draw.pick(&[Cause::NegativeSize, Cause::NegativeCount]);
        let var = self.fresh('w');
        let operand = || vec![Exp::load(Place::Var(var))];
        let size = Exp::i32(self.draw.below(9) as i32);
        self.emit(Kind::Var(var, I32, Some(size)));
        self.check_of(cause, operand());
        let any = self.scalar(Sc::I32, 1);
        self.emit(Kind::Store(Place::Var(var), negative(any)));
        self.check_of(cause, operand());
    }

    /// Binds what cannot be computed.
    fn use_of(&mut self, sc: Sc, exp: Exp) {
        let var = self.fresh('v');
        self.emit(Kind::Let(var, Ty::Scalar(sc), exp));
        self.know(var, Ty::Scalar(sc), true);
    }
}

/// An int that differs from this one.
fn other_than(any: Exp) -> Exp {
    Exp::bin(BinOp::Xor, any, Exp::i32(1))
}

fn negative(any: Exp) -> Exp {
    Exp::bin(BinOp::Or, any, Exp::i32(i32::MIN))
}
