//! The size of an allocation, computed in front of the construct that it leaves.
//!
//! What the size depends on is computed there once more, by a copy that cannot get stuck: a
//! divisor that is zero becomes one, an element outside its array becomes zero, a negative count
//! zero. Where the original gets stuck, nothing reads the copy. A size that differs between the
//! threads of a kernel or the rounds of a loop becomes the largest of them, found by a loop over
//! ints only.

use super::{Expansion, Header, let_int};
use crate::fun::syntax::{Atom, Dim, Se};
use crate::funmem::syntax::{Binding, Body, Exp, FunMem, MemTy, Stm};
use crate::kit::names::{Var, Wish};
use crate::kit::scalar::BinOp;
use crate::kit::text::Span;
use crate::translate::symbolic::{self, shows_not_negative};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How many statements may be looked at for one size.
const WORK: usize = 20_000;

/// Why a size cannot be computed outside.
type Reason = String;

/// What a loop carries, its counter, its number of rounds and its body.
type Repeat<'s> = (&'s [(Binding<FunMem>, Atom)], Var, Atom, &'s Body<FunMem>);

/// What a slice is made of, from the last statement to the first.
struct Slicing<'s> {
    /// The names that are still to be computed.
    needed: &'s mut BTreeSet<Var>,
    /// Statements that may still be looked at.
    work: &'s mut usize,
    backwards: &'s mut Vec<Stm<FunMem>>,
}

/// These bindings of a statement.
fn picked(stm: &Stm<FunMem>, hits: &[usize]) -> Vec<Binding<FunMem>> {
    hits.iter().map(|&at| stm.pattern[at].clone()).collect()
}

impl Expansion<'_> {
    /// The size `se` of the block `z` as an expression in front of the construct `header`, whose
    /// body is `stms` with the allocation at `at`; what it needs is put into `out`. Sizes that
    /// were asked for before are in `sizes`.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn size_outside(
        &mut self,
        se: &Se,
        span: Span,
        z: Var,
        stms: &[Stm<FunMem>],
        at: usize,
        header: Header<'_>,
        sizes: &mut Vec<(Se, Se)>,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<Se, Reason> {
        if let Some((_, size)) = sizes.iter().find(|(asked, _)| asked == se) {
            return Ok(size.clone());
        }
        let mut work = WORK;
        let mut needed = BTreeSet::new();
        vars(se, &mut needed);
        let slice = self.slice(&stms[..at], &mut needed, &mut work)?;
        let varies = match header {
            Header::If => false,
            Header::Kernel { thread, .. } => needed.contains(&thread),
            Header::Loop { carried, counter, .. } => {
                needed.contains(&counter)
                    || carried.iter().any(|(binding, _)| needed.contains(&binding.var))
            }
        };
        let size = if varies {
            self.largest(se, span, z, slice, needed, stms, header, &mut work, out)?
        } else {
            let mut renamed = FxHashMap::default();
            self.copy(&slice, &mut renamed, out)?;
            rename(se, &renamed)
        };
        sizes.push((se.clone(), size.clone()));
        Ok(size)
    }

    /// The largest size over the threads or rounds, by
    ///
    /// ```text
    /// let m = loop (top = 0) … for x ≤ max(0, y) do s̄ let size = se in (max(top, size), …)
    /// ```
    ///
    /// where `se` [saturates](Expansion::saturated): sizes are exact, names are ints.
    #[allow(clippy::too_many_arguments)]
    fn largest(
        &mut self,
        se: &Se,
        span: Span,
        z: Var,
        mut slice: Vec<Stm<FunMem>>,
        mut needed: BTreeSet<Var>,
        stms: &[Stm<FunMem>],
        header: Header<'_>,
        work: &mut usize,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<Se, Reason> {
        let (counter, count, carried, ends) = match header {
            Header::If => unreachable!("an `if` binds nothing in its branches"),
            Header::Kernel { thread, count } => (thread, count, &[][..], &[][..]),
            Header::Loop { carried, counter, count, results } => (counter, count, carried, results),
        };
        // The carried ints that the size depends on, and those that they depend on.
        let mut kept = BTreeSet::new();
        loop {
            let more: Vec<usize> = (0..carried.len())
                .filter(|at| needed.contains(&carried[*at].0.var) && !kept.contains(at))
                .collect();
            if more.is_empty() {
                break;
            }
            for &at in &more {
                if carried[at].0.ty != MemTy::Int {
                    return Err("its size depends on an array that a loop carries".to_owned());
                }
            }
            kept.extend(more);
            needed.clear();
            vars(se, &mut needed);
            needed.extend(kept.iter().filter_map(|&at| ends[at].var()));
            slice = self.slice(stms, &mut needed, work)?;
        }

        let count = symbolic::at_least_zero(count.into());
        let count = self.atom(span, z, &count, out);
        if let Atom::Var(rounds) = count {
            self.of_mut(rounds).rounds = true;
        }
        let int = |var| Binding { var, ty: MemTy::Int };
        let mut renamed = FxHashMap::default();
        let round = self.fresh("x", MemTy::Int);
        renamed.insert(counter, Atom::Var(round));
        let top = self.fresh("top", MemTy::Int);
        let mut inner = vec![(int(top), Atom::Const(0))];
        for &at in &kept {
            let (binding, init) = &carried[at];
            let var = self.fresh(Wish::Like(binding.var), MemTy::Int);
            renamed.insert(binding.var, var.into());
            inner.push((int(var), *init));
        }
        let mut body = Vec::new();
        self.copy(&slice, &mut renamed, &mut body)?;
        let size = self.saturated(se, &renamed, (span, z), &mut body)?;
        let larger = Se::bin(BinOp::Max, top, size);
        let larger = self.name(span, z, "size", larger, &mut body);
        let mut results = vec![larger.into()];
        results.extend(kept.iter().map(|&at| rename_atom(ends[at], &renamed)));
        let largest = self.fresh(Wish::Of(z, "size"), MemTy::Int);
        let mut pattern = vec![int(largest)];
        for _ in &kept {
            pattern.push(int(self.fresh("end", MemTy::Int)));
        }
        let body = Body { stms: body, results, span };
        let exp = Exp::Loop { carried: inner, counter: round, count, body };
        out.push(Stm { span, pattern, exp });
        Ok(largest.into())
    }

    /// An int that is the exact value of the size `se`, its names `renamed`, or the largest int
    /// where that is larger, which no memory holds; what it needs is put into `out`.
    fn saturated(
        &mut self,
        se: &Se,
        renamed: &FxHashMap<Var, Atom>,
        (span, z): (Span, Var),
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<Atom, Reason> {
        let (op, [a, b]) = match se {
            Se::Atom(atom) => return Ok(rename_atom(*atom, renamed)),
            Se::Bin(op, ab) => (*op, &**ab),
        };
        let negative = |part| !self.never_negative(part) && !shows_not_negative(part);
        if matches!(op, BinOp::Add | BinOp::Mul) && (negative(a) || negative(b)) {
            return Err("a part of its size may be negative".to_owned());
        }
        let a = self.saturated(a, renamed, (span, z), out)?;
        let b = self.saturated(b, renamed, (span, z), out)?;
        let most = i32::MAX;
        let room = match op {
            BinOp::Add => Se::bin(BinOp::Sub, most, b),
            BinOp::Mul => Se::bin(BinOp::Div, most, Se::bin(BinOp::Max, 1, b)),
            BinOp::Max | BinOp::Min => return Ok(self.atom(span, z, &Se::bin(op, a, b), out)),
            _ => return Err("its size is no sum or product".to_owned()),
        };
        let beyond = self.name(span, z, "beyond", Se::bin(BinOp::Gt, a, room), out);
        let within = Se::bin(BinOp::Mul, Se::bin(op, a, b), Se::bin(BinOp::Sub, 1, beyond));
        let value = Se::bin(BinOp::Max, within, Se::bin(BinOp::Mul, beyond, most));
        Ok(self.atom(span, z, &value, out))
    }

    /// The statements that compute the ints in `needed`, made total; `needed` is then what they
    /// need in turn.
    fn slice(
        &mut self,
        stms: &[Stm<FunMem>],
        needed: &mut BTreeSet<Var>,
        work: &mut usize,
    ) -> Result<Vec<Stm<FunMem>>, Reason> {
        let mut backwards = Vec::new();
        for stm in stms.iter().rev() {
            *work = work.checked_sub(1).ok_or("too much would be computed for its size")?;
            let hits: Vec<usize> = (0..stm.pattern.len())
                .filter(|&at| needed.contains(&stm.pattern[at].var))
                .collect();
            if hits.is_empty() {
                continue;
            }
            if hits.iter().any(|&at| stm.pattern[at].ty != MemTy::Int) {
                return Err("its size depends on an array that is made inside".to_owned());
            }
            for &at in &hits {
                needed.remove(&stm.pattern[at].var);
            }
            let mut to = Slicing { needed, work, backwards: &mut backwards };
            self.slice_stm(stm, &hits, &mut to)?;
        }
        backwards.reverse();
        Ok(backwards)
    }

    /// A statement of the slice, of which the names at `hits` are needed.
    fn slice_stm(
        &mut self,
        stm: &Stm<FunMem>,
        hits: &[usize],
        to: &mut Slicing<'_>,
    ) -> Result<(), Reason> {
        match &stm.exp {
            Exp::Scalar(se) => {
                vars(se, to.needed);
                let exp = Exp::Scalar(made_total(se));
                to.backwards.push(Stm { span: stm.span, pattern: picked(stm, hits), exp });
                Ok(())
            }
            Exp::Index { array, index } => {
                self.slice_index(stm, hits, (*array, index), to);
                Ok(())
            }
            Exp::If { cond, then, orelse } => self.slice_if(stm, hits, (*cond, then, orelse), to),
            Exp::Loop { carried, counter, count, body } => {
                self.slice_loop(stm, hits, (carried, *counter, *count, body), to)
            }
            _ => Err("its size depends on an array that is made inside".to_owned()),
        }
    }

    /// An element of an array, made total: 0 where the index is outside.
    fn slice_index(
        &mut self,
        stm: &Stm<FunMem>,
        hits: &[usize],
        (array, index): (Var, &[Atom]),
        to: &mut Slicing<'_>,
    ) {
        let span = stm.span;
        to.needed.insert(array);
        to.needed.extend(index.iter().filter_map(|atom| atom.var()));
        let MemTy::Array(ty) = &self.of(array).ty else { unreachable!("typing promises an array") };
        to.needed.extend(ty.shape.iter().filter_map(|size| size.var()));
        let inside = index.iter().zip(&ty.shape).map(|(&at, &size)| {
            let from = Se::bin(BinOp::Le, 1, at);
            Se::bin(BinOp::And, from, Se::bin(BinOp::Le, at, size))
        });
        let inside = inside.reduce(|a, b| Se::bin(BinOp::And, a, b));
        let cond = self.fresh("inside", MemTy::Int);
        let element = self.fresh("element", MemTy::Int);
        let exp = Exp::Index { array, index: index.to_vec() };
        let stms = vec![let_int(span, element, exp)];
        let then = Body { stms, results: vec![element.into()], span };
        let orelse = Body { stms: Vec::new(), results: vec![0.into()], span };
        let exp = Exp::If { cond: cond.into(), then, orelse };
        to.backwards.push(Stm { span, pattern: picked(stm, hits), exp });
        to.backwards.push(let_int(span, cond, Exp::Scalar(inside.unwrap_or(1.into()))));
    }

    /// Both branches, for what is needed of their results.
    fn slice_if(
        &mut self,
        stm: &Stm<FunMem>,
        hits: &[usize],
        (cond, then, orelse): (Atom, &Body<FunMem>, &Body<FunMem>),
        to: &mut Slicing<'_>,
    ) -> Result<(), Reason> {
        let mut branch = |body: &Body<FunMem>| {
            let results: Vec<Atom> = hits.iter().map(|&at| body.results[at]).collect();
            let mut inner = results.iter().filter_map(|atom| atom.var()).collect();
            let stms = self.slice(&body.stms, &mut inner, to.work)?;
            to.needed.extend(inner);
            Ok::<_, Reason>(Body { stms, results, span: body.span })
        };
        let (then, orelse) = (branch(then)?, branch(orelse)?);
        to.needed.extend(cond.var());
        let exp = Exp::If { cond, then, orelse };
        to.backwards.push(Stm { span: stm.span, pattern: picked(stm, hits), exp });
        Ok(())
    }

    /// A loop over what is needed of what it carries, and over what that needs from round to
    /// round; of no rounds where their number is negative.
    fn slice_loop(
        &mut self,
        stm: &Stm<FunMem>,
        hits: &[usize],
        (carried, counter, count, body): Repeat<'_>,
        to: &mut Slicing<'_>,
    ) -> Result<(), Reason> {
        let mut kept: BTreeSet<usize> = hits.iter().copied().collect();
        let (stms, mut inner) = loop {
            let mut inner: BTreeSet<Var> =
                kept.iter().filter_map(|&at| body.results[at].var()).collect();
            let stms = self.slice(&body.stms, &mut inner, to.work)?;
            let own = |at: &usize| inner.contains(&carried[*at].0.var);
            let more: Vec<usize> =
                (0..carried.len()).filter(|at| own(at) && !kept.contains(at)).collect();
            if more.is_empty() {
                break (stms, inner);
            }
            kept.extend(more);
        };
        if kept.iter().any(|&at| carried[at].0.ty != MemTy::Int) {
            return Err("its size depends on an array that a loop carries".to_owned());
        }
        inner.remove(&counter);
        for (binding, _) in carried {
            inner.remove(&binding.var);
        }
        to.needed.extend(inner);
        to.needed.extend(kept.iter().filter_map(|&at| carried[at].1.var()));
        to.needed.extend(count.var());
        let kept: Vec<usize> = kept.into_iter().collect();
        let is_made = match count {
            Atom::Var(var) => self.of(var).rounds,
            Atom::Const(k) => k >= 0,
        };
        let rounds = match is_made {
            true => count,
            false => self.fresh("rounds", MemTy::Int).into(),
        };
        let results = kept.iter().map(|&at| body.results[at]).collect();
        let exp = Exp::Loop {
            carried: kept.iter().map(|&at| carried[at].clone()).collect(),
            counter,
            count: rounds,
            body: Body { stms, results, span: body.span },
        };
        to.backwards.push(Stm { span: stm.span, pattern: picked(stm, &kept), exp });
        if let (false, Atom::Var(rounds)) = (is_made, rounds) {
            self.of_mut(rounds).rounds = true;
            let count = symbolic::at_least_zero(count.into());
            to.backwards.push(let_int(stm.span, rounds, Exp::Scalar(count)));
        }
        Ok(())
    }

    /// Puts a copy of the statements of a slice into `out`, with fresh names for what they bind,
    /// which are noted in `renamed`.
    ///
    /// # Errors
    /// There is no room for them.
    fn copy(
        &mut self,
        stms: &[Stm<FunMem>],
        renamed: &mut FxHashMap<Var, Atom>,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<(), Reason> {
        for stm in stms {
            self.makes(1 + stm.pattern.len())?;
            let exp = match &stm.exp {
                Exp::Scalar(se) => {
                    self.makes(symbolic::size(se))?;
                    Exp::Scalar(rename(se, renamed))
                }
                Exp::Index { array, index } => Exp::Index {
                    array: *array,
                    index: index.iter().map(|&atom| rename_atom(atom, renamed)).collect(),
                },
                Exp::If { cond, then, orelse } => Exp::If {
                    cond: rename_atom(*cond, renamed),
                    then: self.copy_body(then, renamed)?,
                    orelse: self.copy_body(orelse, renamed)?,
                },
                Exp::Loop { carried, counter, count, body } => {
                    let count = rename_atom(*count, renamed);
                    let inits: Vec<Atom> =
                        carried.iter().map(|(_, init)| rename_atom(*init, renamed)).collect();
                    let bindings: Vec<Binding<FunMem>> =
                        carried.iter().map(|(binding, _)| self.rebind(binding, renamed)).collect();
                    let own = Binding { var: *counter, ty: MemTy::Int };
                    let counter = self.rebind(&own, renamed).var;
                    let body = self.copy_body(body, renamed)?;
                    let carried = bindings.into_iter().zip(inits).collect();
                    Exp::Loop { carried, counter, count, body }
                }
                _ => unreachable!("a slice holds statements over ints only"),
            };
            let pattern = stm.pattern.iter().map(|b| self.rebind(b, renamed)).collect();
            out.push(Stm { span: stm.span, pattern, exp });
        }
        Ok(())
    }

    fn copy_body(
        &mut self,
        body: &Body<FunMem>,
        renamed: &mut FxHashMap<Var, Atom>,
    ) -> Result<Body<FunMem>, Reason> {
        let mut stms = Vec::new();
        self.copy(&body.stms, renamed, &mut stms)?;
        let results = body.results.iter().map(|&atom| rename_atom(atom, renamed)).collect();
        Ok(Body { stms, results, span: body.span })
    }

    fn rebind(
        &mut self,
        binding: &Binding<FunMem>,
        renamed: &mut FxHashMap<Var, Atom>,
    ) -> Binding<FunMem> {
        let var = self.fresh(Wish::Like(binding.var), MemTy::Int);
        renamed.insert(binding.var, var.into());
        self.of_mut(var).rounds = self.of(binding.var).rounds;
        Binding { var, ty: MemTy::Int }
    }
}

/// The names in `se`.
pub(super) fn vars(se: &Se, into: &mut BTreeSet<Var>) {
    match se {
        Se::Atom(atom) => into.extend(atom.var()),
        Se::Bin(_, ab) => ab.iter().for_each(|operand| vars(operand, into)),
    }
}

/// The names of a slice's dimension.
pub(super) fn atoms(dim: &Dim) -> [Atom; 3] {
    [dim.offset, dim.size, dim.stride]
}

/// `se`, which divides by one instead of zero.
fn made_total(se: &Se) -> Se {
    match se {
        Se::Atom(_) => se.clone(),
        Se::Bin(op, ab) => {
            let [a, b] = &**ab;
            let (a, b) = (made_total(a), made_total(b));
            let b = match op.is_partial() && !never_zero(&b) {
                true => {
                    let zero = Se::bin(BinOp::Eq, b.clone(), 0);
                    Se::bin(BinOp::Add, b, zero)
                }
                false => b,
            };
            Se::bin(*op, a, b)
        }
    }
}

/// Does the form of a divisor show that it is not zero? That of those made here does: a size that
/// leaves one construct after the other is made total each time, and would double each time.
fn never_zero(divisor: &Se) -> bool {
    match divisor {
        Se::Atom(_) => symbolic::constant(divisor).is_some_and(|k| k != 0),
        Se::Bin(BinOp::Max, ab) => {
            ab.iter().any(|se| symbolic::constant(se).is_some_and(|k| k > 0))
        }
        Se::Bin(BinOp::Add, ab) => {
            let [a, b] = &**ab;
            matches!(b, Se::Bin(BinOp::Eq, is) if is[0] == *a && is[1] == Se::from(0))
        }
        Se::Bin(..) => false,
    }
}

fn rename_atom(atom: Atom, renamed: &FxHashMap<Var, Atom>) -> Atom {
    match atom {
        Atom::Var(var) => renamed.get(&var).copied().unwrap_or(atom),
        Atom::Const(_) => atom,
    }
}

fn rename(se: &Se, renamed: &FxHashMap<Var, Atom>) -> Se {
    match se {
        Se::Atom(atom) => rename_atom(*atom, renamed).into(),
        Se::Bin(op, ab) => {
            let [a, b] = &**ab;
            Se::bin(*op, rename(a, renamed), rename(b, renamed))
        }
    }
}
