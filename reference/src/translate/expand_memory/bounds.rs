//! Which numbers cannot be negative: what may be said of a size without running the program.

use super::Expansion;
use crate::fun::syntax::{Atom, Se};
use crate::funmem::syntax::{Binding, FunMem, MemTy};
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;

impl Expansion<'_> {
    /// From here on the atom is known not to be negative.
    pub(super) fn learn(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom
            && !std::mem::replace(&mut self.of_mut(var).not_negative, true)
        {
            self.known.push(var);
        }
    }

    /// The sizes of an array that exists are not negative.
    pub(super) fn learn_binding(&mut self, binding: &Binding<FunMem>) {
        if let MemTy::Array(ty) = &binding.ty {
            for &size in &ty.shape {
                self.learn(size);
            }
        }
    }

    /// What became known since `outer` is no longer known.
    pub(super) fn forget(&mut self, outer: usize) {
        for var in self.known.drain(outer..) {
            self.noted[var.slot()].not_negative = false;
        }
    }

    fn known(&self, var: Var) -> bool {
        self.of(var).not_negative
    }

    /// Is the exact value of `se` never negative?
    pub(super) fn never_negative(&self, se: &Se) -> bool {
        match se {
            Se::Bin(BinOp::Add | BinOp::Mul, ab) => ab.iter().all(|se| self.never_negative(se)),
            _ => self.bounded(se, &|se| self.never_negative(se)),
        }
    }

    /// Is the value of `se` modulo 2³² never negative?
    pub(super) fn wraps_not_negative(&self, se: &Se) -> bool {
        self.bounded(se, &|se| self.wraps_not_negative(se))
    }

    /// Operators whose result is no further from 0 than an operand.
    fn bounded(&self, se: &Se, inner: &dyn Fn(&Se) -> bool) -> bool {
        match se {
            Se::Atom(Atom::Const(k)) => *k >= 0,
            Se::Atom(Atom::Var(var)) => self.known(*var),
            Se::Bin(op, ab) => match op {
                BinOp::Max | BinOp::And => ab.iter().any(inner),
                BinOp::Min | BinOp::Or | BinOp::Xor | BinOp::Div => ab.iter().all(inner),
                BinOp::Shr | BinOp::Rem => inner(&ab[0]),
                BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => true,
                BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl => false,
            },
        }
    }

    /// Can the evaluation of `se` not get stuck?
    pub(super) fn total(&self, se: &Se) -> bool {
        match se {
            Se::Atom(_) => true,
            Se::Bin(op, ab) => {
                let [a, b] = &**ab;
                let divisor = matches!(b, Se::Atom(Atom::Const(k)) if *k != 0);
                (!op.is_partial() || divisor) && self.total(a) && self.total(b)
            }
        }
    }
}
