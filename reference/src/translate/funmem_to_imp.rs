//! Translation to IMP: FunMemToImp and Copy (section 4).
//!
//! Index functions are applied symbolically, so that the only thing left of an array is the
//! address of each of its elements; arrays that come out of `if` and `loop` are reached through
//! the annotation of the pattern. A `check` stands in front of whatever FUNMEM tests, with the
//! same span and operands, and before any address that it guards is computed.

use super::symbolic;
use crate::fun::syntax::{Atom, Dim, Se};
use crate::funmem::syntax::{ArrayTy, Binding, Body, Exp, FunMem, MemExp, MemTy, Program, Stm};
use crate::imp::syntax as imp;
use crate::imp::syntax::{Kind, Output, Param, Ty};
use crate::kit::faults::{Fault, Planted};
use crate::kit::names::{Names, Var, Wish};
use crate::kit::outcome::Cause;
use crate::kit::text::Span;
use smallvec::SmallVec;

/// The IMP program of a well-typed FUNMEM program.
///
/// A parameter that is a block takes the value of the array parameter that stands in it; results
/// that are blocks are not observed.
pub fn translate(program: &Program<FunMem>, planted: Planted) -> imp::Program {
    let mut types = vec![&MemTy::Int; program.names.len()];
    note_bindings(&program.params, &mut types);
    note_body(&program.body, &mut types);
    let mut translation = Translation { names: program.names.clone(), types, planted };

    let mut params = Vec::new();
    for param in &program.params {
        match &param.ty {
            MemTy::Int => params.push(Param { var: param.var, shape: None }),
            MemTy::Mem => {}
            MemTy::Array(ty) => {
                params.push(Param { var: ty.block, shape: Some(ty.shape.clone()) });
            }
        }
    }
    let mut body = Vec::new();
    translation.body(&program.body, &mut body);
    let mut results = Vec::new();
    for &result in &program.body.results {
        match translation.ty(result) {
            MemTy::Int => results.push(Output::Int(result)),
            MemTy::Mem => {}
            MemTy::Array(ty) => results.push(Output::Array {
                block: ty.block,
                shape: ty.shape.clone(),
                offset: ty.lmad.offset.clone(),
                strides: ty.lmad.dims.iter().map(|dim| dim.stride.clone()).collect(),
            }),
        }
    }
    imp::Program { names: translation.names, params, body, results }
}

/// The FUNMEM type environment `Γ` of all patterns in the program, by slot.
fn note_body<'p>(body: &'p Body<FunMem>, types: &mut [&'p MemTy]) {
    for stm in &body.stms {
        note_bindings(&stm.pattern, types);
        if let Exp::Loop { carried, .. } = &stm.exp {
            note_bindings(carried.iter().map(|(binding, _)| binding), types);
        }
        for inner in stm.exp.bodies() {
            note_body(inner, types);
        }
    }
}

fn note_bindings<'p>(
    bindings: impl IntoIterator<Item = &'p Binding<FunMem>>,
    types: &mut [&'p MemTy],
) {
    for binding in bindings {
        types[binding.var.slot()] = &binding.ty;
    }
}

struct Translation<'p> {
    names: Names,
    types: Vec<&'p MemTy>,
    planted: Planted,
}

/// What a copy reads.
enum Source<'a> {
    /// The elements of an array.
    Array(&'a ArrayTy),
    /// The same int for each element.
    Int(Atom),
}

fn push(span: Span, kind: Kind, out: &mut Vec<imp::Stm>) {
    out.push(imp::Stm { span, kind });
}

/// `check cause(…)`, left out where constants pass it.
fn check(span: Span, cause: Cause, operands: &[Atom], out: &mut Vec<imp::Stm>) {
    let constants: Option<SmallVec<[i64; 4]>> = operands
        .iter()
        .map(|operand| match operand {
            Atom::Const(k) => Some(i64::from(*k)),
            Atom::Var(_) => None,
        })
        .collect();
    if constants.is_some_and(|operands| crate::kit::outcome::holds(cause, &operands)) {
        return;
    }
    let operands = operands.iter().map(|&operand| operand.into()).collect();
    push(span, Kind::Check { cause, operands }, out);
}

/// One check for each dimension, left to right.
fn check_slice(span: Span, shape: &[Atom], slice: &[Dim], out: &mut Vec<imp::Stm>) {
    for (dim, &extent) in slice.iter().zip(shape) {
        check(span, Cause::Slice, &[dim.offset, dim.size, dim.stride, extent], out);
    }
}

impl<'p> Translation<'p> {
    fn ty(&self, atom: Atom) -> &'p MemTy {
        atom.var().map_or(&MemTy::Int, |var| self.types[var.slot()])
    }

    /// `Γ(x)` of an array.
    ///
    /// # Panics
    /// If `x` is not an array: the program is not well typed.
    fn array(&self, array: Var) -> &'p ArrayTy {
        match self.types[array.slot()] {
            MemTy::Array(ty) => ty,
            other => unreachable!("typing promises an array, not {other:?}"),
        }
    }

    fn fresh(&mut self, wish: impl Into<Wish>) -> Var {
        self.types.push(&MemTy::Int);
        self.names.fresh(wish)
    }

    /// `var x : τ` for what is not an array; says whether it is one.
    fn declare(&self, span: Span, binding: &Binding<FunMem>, out: &mut Vec<imp::Stm>) {
        match binding.ty {
            MemTy::Int => push(span, Kind::Var(binding.var, Ty::Int), out),
            MemTy::Mem => push(span, Kind::Var(binding.var, Ty::Mem), out),
            MemTy::Array(_) => {}
        }
    }

    /// `x ← y` for what is not an array: arrays have no code.
    fn assign(&self, span: Span, into: &Binding<FunMem>, from: Atom, out: &mut Vec<imp::Stm>) {
        match (&into.ty, from) {
            (MemTy::Int, _) => push(span, Kind::Assign(into.var, from.into()), out),
            (MemTy::Mem, Atom::Var(block)) => {
                push(span, Kind::AssignMem(into.var, block), out);
            }
            (MemTy::Mem, Atom::Const(_)) => unreachable!("typing promises a block"),
            (MemTy::Array(_), _) => {}
        }
    }

    fn body(&mut self, body: &Body<FunMem>, out: &mut Vec<imp::Stm>) {
        // Declaration, assignment, and often a check.
        out.reserve(3 * body.stms.len());
        for stm in &body.stms {
            self.stm(stm, out);
        }
    }

    /// `FunMemToImp`
    fn stm(&mut self, stm: &Stm<FunMem>, out: &mut Vec<imp::Stm>) {
        let span = stm.span;
        match &stm.exp {
            Exp::Scalar(se) => {
                let x = stm.pattern[0].var;
                push(span, Kind::Var(x, Ty::Int), out);
                push(span, Kind::Assign(x, se.clone()), out);
            }
            Exp::Extra(MemExp::Alloc(se)) => {
                let x = stm.pattern[0].var;
                push(span, Kind::Var(x, Ty::Mem), out);
                push(span, Kind::Alloc(x, se.clone()), out);
            }
            Exp::Index { array, index } => {
                let into = stm.pattern[0].var;
                let ArrayTy { shape, block, lmad } = self.array(*array);
                for (&at, &extent) in index.iter().zip(shape) {
                    check(span, Cause::Index, &[at, extent], out);
                }
                push(span, Kind::Var(into, Ty::Int), out);
                let offset = symbolic::apply(lmad, index);
                push(span, Kind::Read { into, block: *block, offset }, out);
            }
            Exp::Slice { array, slice } => {
                check_slice(span, &self.array(*array).shape, slice, out);
            }
            Exp::Transpose(_) => {}
            Exp::Extra(MemExp::Copy(from)) => {
                let (to, from) = (self.array(stm.pattern[0].var), self.array(*from));
                self.copy(span, to, &[], Source::Array(from), out);
            }
            Exp::If { cond, then, orelse } => {
                for binding in &stm.pattern {
                    self.declare(span, binding, out);
                }
                let branch = |this: &mut Self, body: &Body<FunMem>| {
                    let mut stms = Vec::new();
                    this.body(body, &mut stms);
                    for (binding, &result) in stm.pattern.iter().zip(&body.results) {
                        this.assign(span, binding, result, &mut stms);
                    }
                    stms
                };
                let then = branch(self, then);
                let orelse = branch(self, orelse);
                push(span, Kind::If { cond: *cond, then, orelse }, out);
            }
            Exp::Kernel { thread, count, body } => {
                self.kernel(stm, *thread, *count, body, out);
            }
            Exp::Loop { .. } => self.loop_(stm, out),
            Exp::Update { array, slice, value } => {
                let (x, z) = (self.array(*array), self.array(stm.pattern[0].var));
                check_slice(span, &x.shape, slice, out);
                if x.block != z.block || x.lmad != z.lmad {
                    self.copy(span, z, &[], Source::Array(x), out);
                }
                let to = ArrayTy {
                    shape: slice.iter().map(|dim| dim.size).collect(),
                    block: z.block,
                    lmad: symbolic::slice(&z.lmad, slice),
                };
                match self.ty(*value) {
                    MemTy::Array(from) => self.copy(span, &to, &[], Source::Array(from), out),
                    _ => self.copy(span, &to, &[], Source::Int(*value), out),
                }
            }
        }
    }

    fn kernel(
        &mut self,
        stm: &Stm<FunMem>,
        thread: Var,
        count: Atom,
        body: &Body<FunMem>,
        out: &mut Vec<imp::Stm>,
    ) {
        let span = stm.span;
        let arrays: Vec<&ArrayTy> =
            stm.pattern.iter().map(|binding| self.array(binding.var)).collect();
        check(span, Cause::NegativeSize, &[count], out);
        for size in arrays.iter().flat_map(|ty| &ty.shape[1..]) {
            check(span, Cause::NegativeSize, &[*size], out);
        }
        let mut stms = Vec::new();
        self.body(body, &mut stms);
        for (&to, &result) in arrays.iter().zip(&body.results) {
            if self.planted.is(Fault::U1) && result == Atom::Const(0) {
                continue;
            }
            match self.ty(result) {
                MemTy::Array(from) => {
                    self.copy(span, to, &[thread.into()], Source::Array(from), &mut stms);
                }
                _ => self.copy(span, to, &[thread.into()], Source::Int(result), &mut stms),
            }
        }
        push(span, Kind::Kernel { thread, count: count.into(), body: stms }, out);
    }

    /// Carried values are assigned all at once: a result that is a carried variable itself goes
    /// through a temporary.
    fn loop_(&mut self, stm: &Stm<FunMem>, out: &mut Vec<imp::Stm>) {
        let Exp::Loop { carried, counter, count, body } = &stm.exp else {
            unreachable!("called for loops only")
        };
        let span = stm.span;
        check(span, Cause::NegativeCount, &[*count], out);
        for (binding, init) in carried {
            self.declare(span, binding, out);
            self.assign(span, binding, *init, out);
        }
        let mut stms = Vec::new();
        self.body(body, &mut stms);
        let is_carried = |atom: Atom| carried.iter().any(|(binding, _)| atom == binding.var.into());
        let mut assigned = Vec::new();
        for ((binding, _), &result) in carried.iter().zip(&body.results) {
            let itself = result == Atom::Var(binding.var);
            if itself || matches!(binding.ty, MemTy::Array(_)) {
                continue;
            }
            if is_carried(result) && !self.planted.is(Fault::D2) {
                let wish = Wish::Of(binding.var, "next");
                let next = Binding { var: self.fresh(wish), ty: binding.ty.clone() };
                self.declare(span, &next, &mut stms);
                self.assign(span, &next, result, &mut stms);
                assigned.push((binding, next.var.into()));
            } else {
                assigned.push((binding, result));
            }
        }
        for (binding, from) in assigned {
            self.assign(span, binding, from, &mut stms);
        }
        push(span, Kind::For { counter: *counter, count: (*count).into(), body: stms }, out);
        for (binding, (from, _)) in stm.pattern.iter().zip(carried) {
            self.declare(span, binding, out);
            self.assign(span, binding, from.var.into(), out);
        }
    }

    /// `Copy`: one nested kernel for each dimension of the array `to` after the indices that
    /// `given` fixes, since the elements of a memcopy count as parallel iterations.
    fn copy(
        &mut self,
        span: Span,
        to: &ArrayTy,
        given: &[Atom],
        from: Source<'_>,
        out: &mut Vec<imp::Stm>,
    ) {
        let sizes = &to.shape[given.len()..];
        let inner: SmallVec<[Var; 4]> = sizes.iter().map(|_| self.fresh("k")).collect();
        let atoms: SmallVec<[Atom; 4]> = inner.iter().map(|&var| var.into()).collect();
        let index: SmallVec<[Atom; 4]> = given.iter().chain(&atoms).copied().collect();
        let mut stms = Vec::new();
        let value = match from {
            Source::Int(value) => value.into(),
            Source::Array(from) => {
                let into = self.fresh("e");
                push(span, Kind::Var(into, Ty::Int), &mut stms);
                let offset = symbolic::apply(&from.lmad, &atoms);
                push(span, Kind::Read { into, block: from.block, offset }, &mut stms);
                Se::from(into)
            }
        };
        let offset = symbolic::apply(&to.lmad, &index);
        push(span, Kind::Write { block: to.block, offset, value }, &mut stms);
        for (&thread, &size) in inner.iter().zip(sizes).rev() {
            let kernel = Kind::Kernel { thread, count: size.into(), body: stms };
            stms = vec![imp::Stm { span, kind: kernel }];
        }
        out.append(&mut stms);
    }
}
