//! Statements that get stuck. Of some two parts fail, perhaps each in other threads: which of them is told is
//! a matter of the order of evaluation.

use super::scope::{Block, Builder, sum};
use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax::{Kind, Output, Stm, Ty};
use reference::kit::names::{Var, Wish};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;

/// Which parts of a statement fail: its first one, its second one.
#[derive(Clone, Copy)]
struct Fails(bool, bool);

impl Builder<'_, '_> {
    fn which_fail(&mut self) -> Fails {
        if self.draw.chance(self.two_fail) {
            return Fails(true, true);
        }
        let first = self.draw.chance(50);
        Fails(first, !first)
    }

    /// Adds a statement that gets stuck, in some thread at least.
    pub(super) fn get_stuck(&mut self, to: &mut Vec<Stm>) {
        if self.trouble == 0 {
            return;
        }
        self.trouble -= 1;
        let fails = self.which_fail();
        match self.draw.weighed(&[8, 5, 3, 3, 2, 4, 2]) {
            1 => self.stuck_read(fails, to),
            2 => {
                let value = self.divided(fails);
                let var = self.wild('x');
                let declared = self.stm(Kind::Var(var, Ty::Int));
                let assigned = self.stm(Kind::Assign(var, value));
                to.extend([declared, assigned]);
            }
            3 if self.threads.is_empty() => {
                let size = self.size_or_quotient(fails);
                let var = self.unassigned(to);
                let made = self.stm(Kind::Alloc(var, size));
                to.push(made);
            }
            4 => self.stuck_count(fails, to),
            5 => self.stuck_check(fails, to),
            6 => {
                let (var, from) = (self.unassigned(to), self.unassigned(to));
                let assigned = self.stm(Kind::AssignMem(var, from));
                to.push(assigned);
            }
            _ => self.stuck_write(fails, to),
        }
    }

    /// 0 for some thread at least, if there are several for that one only.
    fn zero(&mut self) -> Se {
        match self.threads.last().copied() {
            Some((thread, threads)) if self.draw.chance(80) => {
                Se::bin(BinOp::Sub, thread, self.draw.between(1, threads.max(1)) as i32)
            }
            _ => match self.draw.chance(60) {
                true => Se::bin(BinOp::And, self.leaf(), 0),
                false => Se::from(0),
            },
        }
    }

    fn quotient(&mut self) -> Se {
        let op = self.draw.pick(&[BinOp::Div, BinOp::Rem]);
        let dividend = self.leaf();
        Se::bin(op, dividend, self.zero())
    }

    /// A value that is computed of two, of which some divide by zero.
    fn divided(&mut self, Fails(first, second): Fails) -> Se {
        let op = self.draw.pick(&[BinOp::Add, BinOp::Sub, BinOp::Xor, BinOp::Min, BinOp::Div]);
        let [a, b] = [first, second].map(|fails| match fails {
            true => self.quotient(),
            false => self.value(1),
        });
        match op.is_partial() && !second {
            true => Se::bin(op, a, Se::bin(BinOp::Or, b, 1)),
            false => Se::bin(op, a, b),
        }
    }

    fn size_or_quotient(&mut self, Fails(first, second): Fails) -> Se {
        match (first, second) {
            (true, true) => self.divided(Fails(true, true)),
            (true, false) => self.quotient(),
            _ => self.negative(),
        }
    }

    /// A negative number for some thread at least.
    fn negative(&mut self) -> Se {
        match self.threads.last().copied() {
            Some((thread, threads)) if self.draw.chance(80) => {
                let from = self.draw.between(0, (threads - 1).max(0));
                Se::bin(BinOp::Sub, from as i32, thread)
            }
            _ => Se::from(self.draw.pick(&[-1, -3, i32::MIN])),
        }
    }

    /// A name of a block that has none.
    fn unassigned(&mut self, to: &mut Vec<Stm>) -> Var {
        let var = self.names.fresh(Wish::Numbered('u'));
        let declared = self.stm(Kind::Var(var, Ty::Mem));
        to.push(declared);
        var
    }

    /// A block with an offset that some thread may not use, or that gets stuck.
    fn beyond(&mut self, write: bool, to: &mut Vec<Stm>) -> (Var, Se) {
        let fits = |block: &&Block| block.writable || !write;
        let blocks: Vec<Block> = self.blocks.iter().filter(fits).cloned().collect();
        if blocks.is_empty() || self.draw.chance(12) {
            let offset = match self.draw.chance(self.two_fail) {
                true => self.quotient(),
                false => Se::from(0),
            };
            return (self.unassigned(to), offset);
        }
        let block = self.draw.pick(&blocks.iter().collect::<Vec<_>>()).clone();
        let length = block.length;
        let beyond = match self.threads.last().copied() {
            // The last threads only.
            Some((thread, threads)) if self.draw.chance(60) => {
                let good = self.draw.between(0, threads - 1);
                sum(Se::from(thread), Se::from((length - good - 1) as i32))
            }
            _ => match self.draw.below(5) {
                0 => Se::from(-1),
                1 => self.quotient(),
                2 => sum(Se::from(self.known(length)), Se::from(1 << 20)),
                _ => Se::from(self.known(length)),
            },
        };
        (block.var, beyond)
    }

    fn stuck_read(&mut self, Fails(first, second): Fails, to: &mut Vec<Stm>) {
        let (block, mut offset) = self.beyond(false, to);
        if first && second {
            offset = Se::bin(BinOp::Add, self.quotient(), offset);
        }
        let into = self.wild('x');
        let declared = self.stm(Kind::Var(into, Ty::Int));
        let read = self.stm(Kind::Read { into, block, offset });
        to.extend([declared, read]);
    }

    fn stuck_write(&mut self, Fails(value, place): Fails, to: &mut Vec<Stm>) {
        let written = match value {
            true => self.quotient(),
            false => self.value(1),
        };
        let own = if place { None } else { self.own_element() };
        let (block, offset) = match own {
            Some(own) => own,
            None => self.beyond(true, to),
        };
        let write = self.stm(Kind::Write { block, offset, value: written });
        to.push(write);
    }

    /// An element that may be written here.
    fn own_element(&mut self) -> Option<(Var, Se)> {
        let fits = |block: &&Block| block.writable && block.width > 0;
        let block = self.blocks.iter().rev().find(fits).cloned()?;
        Some((block.var, self.offset(&block)))
    }

    fn stuck_count(&mut self, fails: Fails, to: &mut Vec<Stm>) {
        let count = self.size_or_quotient(fails);
        let kernel = self.draw.chance(60) && self.threads.len() < 3;
        // A count that is not negative in some thread stays small.
        let count = Se::bin(BinOp::Min, count, 3);
        let var = self.names.fresh(Wish::Numbered('k'));
        let kind = match kernel {
            true => Kind::Kernel { thread: var, count, body: Vec::new() },
            false => Kind::For { counter: var, count, body: Vec::new() },
        };
        let stuck = self.stm(kind);
        to.push(stuck);
    }

    fn stuck_check(&mut self, Fails(first, second): Fails, to: &mut Vec<Stm>) {
        let (size, extent) = self.size();
        let high = Se::bin(BinOp::Add, size, 1);
        let first_part = |builder: &mut Self, wrong: Se| match first && second {
            true => builder.divided(Fails(true, false)),
            false => wrong,
        };
        let (cause, operands) = match self.draw.below(6) {
            0 => (Cause::Index, vec![first_part(self, high), size.into()]),
            1 => (Cause::OutsideBlock, vec![first_part(self, size.into()), size.into()]),
            2 => {
                let wrong = first_part(self, Se::from(extent as i32));
                (Cause::Slice, vec![wrong, 2.into(), 1.into(), size.into()])
            }
            3 => (Cause::NegativeSize, vec![self.size_or_quotient(Fails(first, second))]),
            4 => (Cause::NegativeCount, vec![self.size_or_quotient(Fails(first, second))]),
            _ => {
                let dividend = match second {
                    true => self.quotient(),
                    false => self.leaf().into(),
                };
                (Cause::DivisionByZero, vec![dividend, self.zero()])
            }
        };
        let check = self.stm(Kind::Check { cause, operands });
        to.push(check);
    }

    /// A result of which one part fails or two: its block, its sizes, its offset, a stride, an element.
    pub(super) fn stuck_result(&mut self) -> Output {
        let Some(block) = self.blocks.iter().next_back().cloned() else {
            return Output::Int(self.leaf());
        };
        self.trouble -= 1;
        let Fails(first, second) = self.which_fail();
        let quotient = Se::bin(BinOp::Div, 7, 0);
        let (size, offset) = match self.draw.below(3) {
            0 => (if first { -1 } else { 1 }, if second { quotient } else { Se::from(-1) }),
            1 => (if first { -2 } else { 2 }, Se::from(block.length as i32)),
            _ => (if first { block.length as i32 + 1 } else { -1 }, Se::from(0)),
        };
        let stride = match second && self.draw.chance(40) {
            true => Se::bin(BinOp::Rem, 5, 0),
            false => Se::from(1),
        };
        let shape = vec![Atom::Const(size)];
        Output::Array { block: block.var, shape, offset, strides: vec![stride] }
    }
}
