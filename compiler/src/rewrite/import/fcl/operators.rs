//! Operators on evaluated arguments, and the elements of arrays.

use super::values::{Cells, Delayed, Lazy, Of, Pull, Val};
use super::{Enters, Importer};
use crate::rewrite::import::bounded;
use reference::axes::syntax::{Head, Term};
use reference::fcl::syntax::Op;
use reference::kit::scalar::BinOp;
use std::rc::Rc;

/// The most elements of a literal array that is read where a value says.
const MOST_ELEMENTS: u32 = 32;

impl<'p> Importer<'p> {
    /// An operator with all of its arguments.
    pub(super) fn operator(
        &mut self,
        op: Op,
        level: Option<u32>,
        args: Vec<Lazy<'p>>,
    ) -> Enters<Val<'p>> {
        if let Op::Concat | Op::Interleave = op {
            let mut args = args.into_iter();
            let mut next = || args.next().expect("there are as many as it takes");
            let size = next();
            let order = (op == Op::Interleave).then(&mut next);
            return Ok(Val::Delayed(Rc::new(Delayed { size, order, chunks: next() })));
        }
        let args = args.iter().map(|arg| {
            let arg = self.value(arg)?;
            self.settled(arg)
        });
        let args: Vec<Val<'p>> = args.collect::<Enters<_>>()?;
        match (op, &args[..]) {
            (Op::Fst | Op::Snd, [Val::Pair(parts)]) => {
                Ok(parts[usize::from(op == Op::Snd)].clone())
            }
            (Op::Generate, [Val::Scalar(size), f]) => {
                let length = self.size_of(size, "the size of this array")?;
                Ok(Val::Pull(Rc::new(Pull { length, of: Of::Generate(f.clone()) })))
            }
            (Op::MapPull, [f, Val::Pull(of)]) => {
                let of_both = Of::Map(f.clone(), Rc::clone(of));
                Ok(Val::Pull(Rc::new(Pull { length: of.length, of: of_both })))
            }
            (Op::MapPush, [f, Val::Push(of, level)]) => {
                let mapped = Of::Map(f.clone(), Rc::clone(of));
                Ok(Val::Push(Rc::new(Pull { length: of.length, of: mapped }), *level))
            }
            (Op::MapPush, [f, Val::Delayed(of)]) => {
                let chunks = Lazy::Mapped(f.clone(), Rc::new(of.chunks.clone()));
                let (size, order) = (of.size.clone(), of.order.clone());
                Ok(Val::Delayed(Rc::new(Delayed { size, order, chunks })))
            }
            (Op::LengthPull, [Val::Pull(of)]) | (Op::LengthPush, [Val::Push(of, _)]) => {
                Ok(Val::Scalar(Term::constant(of.length as i32)))
            }
            (Op::LengthPush, [Val::Delayed(of)]) => {
                let (size, chunks) = self.chunks(of)?;
                let length = self.product(size, chunks.length)?;
                Ok(Val::Scalar(Term::constant(length as i32)))
            }
            (Op::Index, [Val::Pull(of), Val::Scalar(at)]) => {
                let (least, largest) = self.terms.range(at);
                if least < 0 || largest >= i64::from(of.length) {
                    let length = of.length;
                    return self
                        .refuse(format!("this index is not shown to be from 0 to below {length}"));
                }
                self.element(of, at)
            }
            (Op::Push, [Val::Pull(of)]) => {
                Ok(Val::Push(Rc::clone(of), level.expect("T-LAPP: `push` has a level")))
            }
            (Op::Force, [array]) => self.force(array),
            (Op::While, [cond, step, array]) => self.rounds(cond, step, array),
            (_, [Val::Scalar(a)]) => self.unary(op, a).map(Val::Scalar),
            (_, [Val::Scalar(a), Val::Scalar(b)]) => self.binary(op, a, b).map(Val::Scalar),
            _ => unreachable!("typing promises what an operator takes"),
        }
    }

    fn unary(&self, op: Op, a: &Term) -> Enters<Term> {
        let zero = || Term::constant(0);
        let of = |op, a: &Term, b: Term| self.terms.apply(op, a.clone(), b);
        let negative = || self.terms.apply(BinOp::Sub, zero(), a.clone());
        let term = match op {
            Op::B2i => a.clone(),
            Op::Not => of(BinOp::Eq, a, zero()),
            Op::Neg => negative(),
            // The least int is its own negative.
            Op::Abs => of(BinOp::Max, a, negative()),
            Op::Sign => {
                let below = of(BinOp::Lt, a, zero());
                of(BinOp::Sub, &of(BinOp::Gt, a, zero()), below)
            }
            Op::Clz => return self.refuse("terms have no `clz`"),
            _ => return self.refuse(format!("terms have no doubles, and no `{}`", op.name())),
        };
        bounded(term, self.at)
    }

    fn binary(&self, op: Op, a: &Term, b: &Term) -> Enters<Term> {
        let op = match op {
            Op::Add => BinOp::Add,
            Op::Sub => BinOp::Sub,
            Op::Mul => BinOp::Mul,
            Op::Div => BinOp::Div,
            Op::Mod => BinOp::Rem,
            Op::Min => BinOp::Min,
            Op::Max => BinOp::Max,
            Op::And => BinOp::And,
            Op::Or => BinOp::Or,
            Op::Xor => BinOp::Xor,
            Op::Sll => BinOp::Shl,
            Op::Srl => BinOp::Shr,
            Op::Eq => BinOp::Eq,
            Op::Neq => BinOp::Ne,
            Op::Lt => BinOp::Lt,
            Op::Le => BinOp::Le,
            Op::Gt => BinOp::Gt,
            Op::Ge => BinOp::Ge,
            _ => return self.refuse(format!("terms have no doubles, and no `{}`", op.name())),
        };
        if op.is_partial() {
            let (least, largest) = self.terms.range(b);
            if least <= 0 && largest >= 0 {
                return self.refuse("a divisor is not shown to be other than 0");
            }
        }
        let term = match (op, self.difference(a, b)) {
            (BinOp::Min, Some((_, ..=0))) | (BinOp::Max, Some((0.., _))) => a.clone(),
            (BinOp::Min, Some((0.., _))) | (BinOp::Max, Some((_, ..=0))) => b.clone(),
            _ => self.terms.apply(op, a.clone(), b.clone()),
        };
        bounded(term, self.at)
    }

    /// Between which bounds `a - b` is, of indices.
    fn difference(&self, a: &Term, b: &Term) -> Option<(i64, i64)> {
        let difference = a.as_index()?.plus(&b.as_index()?, -1)?;
        difference.range(&self.terms.scope.sizes)
    }

    /// A number that is known and not negative.
    pub(super) fn size_of(&self, term: &Term, what: &str) -> Enters<u32> {
        let (least, largest) = self.terms.range(term);
        if least != largest {
            return self.refuse(format!("{what} is not a known number"));
        }
        u32::try_from(least).or_else(|_| self.refuse(format!("{what} is negative: {least}")))
    }

    /// So many elements.
    pub(super) fn product(&self, m: u32, n: u32) -> Enters<u32> {
        self.terms.fits(&[m, n], self.at)?;
        Ok(m * n)
    }

    /// How many elements chunks have, and the chunks.
    pub(super) fn chunks(&mut self, of: &Delayed<'p>) -> Enters<(u32, Rc<Pull<'p>>)> {
        let size = self.value(&of.size)?;
        let Val::Scalar(size) = self.settled(size)? else {
            unreachable!("T-CONCAT: a size is an int")
        };
        let size = self.size_of(&size, "the size of chunks")?;
        match self.value(&of.chunks)? {
            Val::Pull(chunks) => Ok((size, chunks)),
            _ => unreachable!("T-CONCAT: chunks are an array"),
        }
    }

    /// The element at an index that is inside.
    pub(super) fn element(&mut self, array: &Rc<Pull<'p>>, at: &Term) -> Enters<Val<'p>> {
        match &array.of {
            Of::Generate(f) => self.apply(f.clone(), Lazy::Val(Val::Scalar(at.clone()))),
            Of::Map(f, of) => self.apply(f.clone(), Lazy::Element(Rc::clone(of), at.clone())),
            Of::Literal(env, elements) => match at.head {
                Head::Const(k) => self.eval(&elements[k as usize], env),
                _ if array.length > MOST_ELEMENTS => {
                    self.refuse("a long literal array is read where a value says")
                }
                _ => self.chosen(array, at, 0),
            },
            Of::Either(cond, [a, b]) => {
                let (cond, a, b) = (cond.clone(), Rc::clone(a), Rc::clone(b));
                self.branch(cond, |to| to.element(&a, at), |to| to.element(&b, at))
            }
            Of::Single(val) => Ok(val.clone()),
            Of::Cells(cells) => {
                let cells = cells.clone();
                self.cell(&cells, at)
            }
        }
    }

    /// An element of a literal from this one on.
    fn chosen(&mut self, array: &Rc<Pull<'p>>, at: &Term, nth: u32) -> Enters<Val<'p>> {
        let here = Term::constant(nth as i32);
        if nth + 1 == array.length {
            return self.element(array, &here);
        }
        let cond = self.terms.apply(BinOp::Eq, at.clone(), here.clone());
        self.branch(cond, |to| to.element(array, &here), |to| to.chosen(array, at, nth + 1))
    }

    fn cell(&mut self, cells: &Cells, at: &Term) -> Enters<Val<'p>> {
        match cells {
            Cells::Param(array) => {
                Ok(Val::Scalar(bounded(Term::get(array.clone(), [at.clone()]), self.at)?))
            }
            Cells::Forced(forced) if forced.is_single() => Ok(Val::Deferred(Rc::clone(forced))),
            Cells::Forced(forced) => Ok(Val::Scalar(self.read(forced, at)?)),
            Cells::Pair(parts) => {
                let first = self.cell(&parts[0], at)?;
                Ok(Val::pair(first, self.cell(&parts[1], at)?))
            }
        }
    }
}
