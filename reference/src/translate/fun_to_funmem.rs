//! Insertion of memory: TransformProgram, TransformStms, TransformStm and Support (section 3.5),
//! with readings FUNMEM 4, 6 and 7 and FUN's extensions.
//!
//! Whatever is inserted carries the span of the statement that it belongs to.

use super::alias::{Facts, steps_apart};
use super::symbolic;
use crate::fun::syntax::{Atom, Dim, Fun, Se, Ty};
use crate::funmem::syntax::{
    ArrayTy, Binding, Body, Exp, FunMem, Lmad, LmadDim, MemExp, MemTy, Program, Stm,
};
use crate::kit::faults::{Fault, Planted};
use crate::kit::names::{Names, Var, Wish};
use crate::kit::scalar::BinOp;
use crate::kit::text::Span;
use std::sync::Arc;

/// `TransformProgram`: a FUNMEM program with the values of the well-typed FUN program `program`.
///
/// Each array parameter comes after its own block. Each array of the result is copied to a
/// row-major block of its own and returned as the pair of block and array (reading FUNMEM 6).
pub fn transform_program(program: &Program<Fun>, planted: Planted) -> Program<FunMem> {
    let facts = Facts::new(program);
    let types = vec![None; program.names.len()];
    let mut insertion = Insertion { names: program.names.clone(), types, facts, planted };
    let mut params = Vec::new();
    for param in &program.params {
        match &param.ty {
            Ty::Int => params.push(Binding { var: param.var, ty: MemTy::Int }),
            Ty::Array(shape) => {
                let block = insertion.fresh(param.var, "mem");
                params.push(Binding { var: block, ty: MemTy::Mem });
                params.push(insertion.bind(param.var, shape, block, Lmad::row_major(shape)));
            }
        }
    }
    let span = program.body.span;
    let mut stms = Vec::new();
    insertion.transform_stms(&program.body.stms, &mut stms);
    let mut results = Vec::new();
    for &result in &program.body.results {
        if let Some(array) = insertion.array(result) {
            let (block, copy) = insertion.copy(span, array, &mut stms);
            results.push(block.into());
            results.push(copy.into());
        } else {
            results.push(result);
        }
    }
    Program { names: insertion.names, params, body: Body { stms, results, span } }
}

/// The names, and of the type environment `Γ` of FUNMEM what it says of arrays, by slot.
struct Insertion {
    names: Names,
    types: Vec<Option<Arc<ArrayTy>>>,
    facts: Facts,
    planted: Planted,
}

/// What `Support` gives for an array: the names of its block, offset and strides.
struct Support {
    block: Var,
    offset: Var,
    strides: Vec<Var>,
}

impl Support {
    /// In the order in which results and patterns hold them.
    fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        [self.block, self.offset].into_iter().chain(self.strides.iter().copied()).map(Atom::Var)
    }
}

/// An LMAD with more operators and operands than this is bound to names before it grows on, so
/// that a chain of slices stays linear.
pub(super) const LARGE: usize = 24;

impl Insertion {
    fn fresh(&mut self, of: Var, what: &'static str) -> Var {
        let var = self.names.fresh(Wish::Of(of, what));
        self.types.push(None);
        var
    }

    /// The binding of an array, noted in `Γ`.
    fn bind(&mut self, var: Var, shape: &[Atom], block: Var, lmad: Lmad) -> Binding<FunMem> {
        let ty = Arc::new(ArrayTy { shape: shape.to_vec(), block, lmad });
        self.types[var.slot()] = Some(Arc::clone(&ty));
        Binding { var, ty: MemTy::Array(ty) }
    }

    /// `lookup(x, Γ)` of an array.
    ///
    /// # Panics
    /// If `x` is not an array: the program is not well typed.
    fn lookup(&self, array: Var) -> Arc<ArrayTy> {
        self.types[array.slot()].clone().expect("typing promises an array")
    }

    /// The name of an array, if the atom is one.
    fn array(&self, atom: Atom) -> Option<Var> {
        atom.var().filter(|var| self.types[var.slot()].is_some())
    }

    /// `let x = se`, for a fresh int `x`.
    fn name(
        &mut self,
        span: Span,
        of: Var,
        what: &'static str,
        se: Se,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Var {
        let var = self.fresh(of, what);
        let pattern = vec![Binding { var, ty: MemTy::Int }];
        out.push(Stm { span, pattern, exp: Exp::Scalar(se) });
        var
    }

    /// `let (mem : mem) = alloc ∏ max(0, zᵢ)`, for the array `of`.
    fn alloc(&mut self, span: Span, of: Var, shape: &[Atom], out: &mut Vec<Stm<FunMem>>) -> Var {
        let block = self.fresh(of, "mem");
        let pattern = vec![Binding { var: block, ty: MemTy::Mem }];
        let exp = Exp::Extra(MemExp::Alloc(symbolic::elements(shape)));
        out.push(Stm { span, pattern, exp });
        block
    }

    /// A copy of `array`, row-major in a block of its own: the block and the copy.
    fn copy(&mut self, span: Span, array: Var, out: &mut Vec<Stm<FunMem>>) -> (Var, Var) {
        let shape = &self.lookup(array).shape;
        let copy = self.fresh(array, "copy");
        let block = self.alloc(span, copy, shape, out);
        let pattern = vec![self.bind(copy, shape, block, Lmad::row_major(shape))];
        out.push(Stm { span, pattern, exp: Exp::Extra(MemExp::Copy(array)) });
        (block, copy)
    }

    /// `Support(τ)` of an array: offset and strides are bound to names, by statements in `out`.
    fn support(&mut self, span: Span, array: Var, out: &mut Vec<Stm<FunMem>>) -> Support {
        let ty = self.lookup(array);
        let offset = self.name(span, array, "offset", ty.lmad.offset.clone(), out);
        let strides = ty.lmad.dims.iter().map(|dim| dim.stride.clone());
        let strides = strides.map(|stride| self.name(span, array, "stride", stride, out)).collect();
        Support { block: ty.block, offset, strides }
    }

    /// Bindings of the supporting information of the array `z`, then of `z`, whose sizes stay its
    /// own; `z` then stands where they say.
    fn supported(&mut self, z: Var, shape: &[Atom], out: &mut Vec<Binding<FunMem>>) {
        let block = self.fresh(z, "mem");
        let offset = self.fresh(z, "offset");
        out.push(Binding { var: block, ty: MemTy::Mem });
        out.push(Binding { var: offset, ty: MemTy::Int });
        let mut dims = Vec::new();
        for &extent in shape {
            let stride = self.fresh(z, "stride");
            out.push(Binding { var: stride, ty: MemTy::Int });
            dims.push(LmadDim { extent, stride: stride.into() });
        }
        out.push(self.bind(z, shape, block, Lmad { offset: offset.into(), dims }));
    }

    /// `TransformStms`
    fn transform_stms(&mut self, stms: &[Stm<Fun>], out: &mut Vec<Stm<FunMem>>) {
        // Some come with an allocation or a copy.
        out.reserve(2 * stms.len());
        for stm in stms {
            self.transform_stm(stm, out);
        }
    }

    /// `TransformStm`
    fn transform_stm(&mut self, stm: &Stm<Fun>, out: &mut Vec<Stm<FunMem>>) {
        let span = stm.span;
        match &stm.exp {
            Exp::Scalar(se) => self.int(stm, Exp::Scalar(se.clone()), out),
            Exp::Index { array, index } => {
                self.int(stm, Exp::Index { array: *array, index: index.clone() }, out);
            }
            Exp::Slice { array, slice } => {
                let ty = self.lookup(*array);
                let mut lmad = symbolic::slice(&ty.lmad, slice);
                if self.planted.is(Fault::L1) {
                    let from_zero = Lmad { offset: 0.into(), dims: ty.lmad.dims.clone() };
                    lmad.offset = symbolic::slice(&from_zero, slice).offset;
                }
                let exp = Exp::Slice { array: *array, slice: slice.clone() };
                self.derived(stm, ty.block, lmad, exp, out);
            }
            Exp::Transpose(array) => {
                let ty = self.lookup(*array);
                let mut lmad = symbolic::transpose(&ty.lmad);
                if self.planted.is(Fault::L3) {
                    for (dim, old) in lmad.dims.iter_mut().zip(&ty.lmad.dims) {
                        dim.stride = old.stride.clone();
                    }
                }
                self.derived(stm, ty.block, lmad, Exp::Transpose(*array), out);
            }
            Exp::Kernel { thread, count, body } => {
                let body = self.transform_body(body, &mut Vec::new());
                let mut pattern = Vec::new();
                for binding in &stm.pattern {
                    let shape = sizes(&binding.ty);
                    let block = self.alloc(span, binding.var, shape, out);
                    pattern.push(self.bind(binding.var, shape, block, Lmad::row_major(shape)));
                }
                out.push(Stm {
                    span,
                    pattern,
                    exp: Exp::Kernel { thread: *thread, count: *count, body },
                });
            }
            Exp::If { cond, then, orelse } => {
                let then = self.transform_branch(span, then);
                let orelse = self.transform_branch(span, orelse);
                let mut pattern = Vec::new();
                for binding in &stm.pattern {
                    match &binding.ty {
                        Ty::Int => pattern.push(Binding { var: binding.var, ty: MemTy::Int }),
                        Ty::Array(shape) => self.supported(binding.var, shape, &mut pattern),
                    }
                }
                out.push(Stm { span, pattern, exp: Exp::If { cond: *cond, then, orelse } });
            }
            Exp::Loop { .. } => self.transform_loop(stm, out),
            Exp::Update { array, slice, value } => {
                self.transform_update(stm, *array, slice, *value, out);
            }
            Exp::Extra(never) => match *never {},
        }
    }

    /// A statement that binds an int needs no processing.
    fn int(&mut self, stm: &Stm<Fun>, exp: Exp<FunMem>, out: &mut Vec<Stm<FunMem>>) {
        let pattern = stm.pattern.iter();
        let pattern = pattern.map(|binding| Binding { var: binding.var, ty: MemTy::Int }).collect();
        out.push(Stm { span: stm.span, pattern, exp });
    }

    /// A statement whose array is another view of a block. A large LMAD gets names first.
    fn derived(
        &mut self,
        stm: &Stm<Fun>,
        block: Var,
        mut lmad: Lmad,
        exp: Exp<FunMem>,
        out: &mut Vec<Stm<FunMem>>,
    ) {
        let z = &stm.pattern[0];
        if symbolic::size(&lmad.offset) > LARGE {
            lmad.offset = self.name(stm.span, z.var, "offset", lmad.offset, out).into();
        }
        for dim in &mut lmad.dims {
            if symbolic::size(&dim.stride) > LARGE {
                let stride = std::mem::replace(&mut dim.stride, 0.into());
                dim.stride = self.name(stm.span, z.var, "stride", stride, out).into();
            }
        }
        // The pattern keeps its own sizes, which are the LMAD's extents.
        let shape = sizes(&z.ty);
        for (dim, &extent) in lmad.dims.iter_mut().zip(shape) {
            dim.extent = extent;
        }
        let pattern = vec![self.bind(z.var, shape, block, lmad)];
        out.push(Stm { span: stm.span, pattern, exp });
    }

    /// A body whose results stay as they are; what goes before its results is in `stms`.
    fn transform_body(&mut self, body: &Body<Fun>, stms: &mut Vec<Stm<FunMem>>) -> Body<FunMem> {
        self.transform_stms(&body.stms, stms);
        Body { stms: std::mem::take(stms), results: body.results.clone(), span: body.span }
    }

    /// A branch: each array of its results comes after its supporting information.
    fn transform_branch(&mut self, span: Span, body: &Body<Fun>) -> Body<FunMem> {
        let mut body = self.transform_body(body, &mut Vec::new());
        let mut results = Vec::new();
        for result in body.results {
            if let Some(array) = self.array(result) {
                let support = self.support(span, array, &mut body.stms);
                results.extend(support.atoms());
            }
            results.push(result);
        }
        Body { results, ..body }
    }

    /// A loop carries block, offset and strides beside each array, as an `if` returns them.
    ///
    /// A carried array that the body updates must own its elements: it starts from a copy, and
    /// what the body gives for it is copied unless that has no other owner.
    fn transform_loop(&mut self, stm: &Stm<Fun>, out: &mut Vec<Stm<FunMem>>) {
        let Exp::Loop { carried, counter, count, body } = &stm.exp else {
            unreachable!("called for loops only")
        };
        let span = stm.span;
        let mut bindings = Vec::new();
        let mut inits = Vec::new();
        for (binding, init) in carried {
            match (&binding.ty, self.array(*init)) {
                (Ty::Array(shape), Some(array)) => {
                    let array = if self.facts.updated(binding.var) {
                        self.copy(span, array, out).1
                    } else {
                        array
                    };
                    inits.extend(self.support(span, array, out).atoms());
                    inits.push(array.into());
                    self.supported(binding.var, shape, &mut bindings);
                }
                _ => {
                    inits.push(*init);
                    bindings.push(Binding { var: binding.var, ty: MemTy::Int });
                }
            }
        }
        let names: Vec<Var> = carried.iter().map(|(binding, _)| binding.var).collect();
        let inner = self.transform_body(body, &mut Vec::new());
        let mut stms = inner.stms;
        let mut results = Vec::new();
        for (at, &result) in body.results.iter().enumerate() {
            let Some(mut array) = self.array(result) else {
                results.push(result);
                continue;
            };
            let updated = self.facts.updated(names[at]);
            if updated && !self.facts.owned(&names, &body.results, at, *counter) {
                array = self.copy(span, array, &mut stms).1;
            }
            results.extend(self.support(span, array, &mut stms).atoms());
            results.push(array.into());
        }
        let body = Body { stms, results, span: inner.span };
        let carried = bindings.into_iter().zip(inits).collect();
        let mut pattern = Vec::new();
        for binding in &stm.pattern {
            match &binding.ty {
                Ty::Int => pattern.push(Binding { var: binding.var, ty: MemTy::Int }),
                Ty::Array(shape) => self.supported(binding.var, shape, &mut pattern),
            }
        }
        let exp = Exp::Loop { carried, counter: *counter, count: *count, body };
        out.push(Stm { span, pattern, exp });
    }

    /// An update happens in place where no two indices of the array are the same place, else in
    /// a fresh block. A value that may share elements with the array is copied first.
    fn transform_update(
        &mut self,
        stm: &Stm<Fun>,
        array: Var,
        slice: &[Dim],
        value: Atom,
        out: &mut Vec<Stm<FunMem>>,
    ) {
        let span = stm.span;
        let (slice, mut value) = self.last_writes(span, array, slice, value, out);
        let ty = self.lookup(array);
        let z = &stm.pattern[0];
        let (block, lmad) = if self.facts.injective(array.into()) {
            // The facts are about the names of the source, of which a view inserted by
            // `last_writes` is not one.
            let given = match &stm.exp {
                Exp::Update { value, .. } => *value,
                _ => value,
            };
            if let Some(from) = self.array(value)
                && self.facts.roots(given).meet(&self.facts.roots(array.into()))
            {
                value = self.copy(span, from, out).1.into();
            }
            (ty.block, ty.lmad.clone())
        } else {
            (self.alloc(span, z.var, &ty.shape, out), Lmad::row_major(&ty.shape))
        };
        let shape = sizes(&z.ty);
        let pattern = vec![self.bind(z.var, shape, block, lmad)];
        out.push(Stm { span, pattern, exp: Exp::Update { array, slice, value } });
    }

    /// Where a stride may be zero, several elements of the slice are one element of the array,
    /// of which FUN keeps the last one written; writing them all would race. So such a dimension
    /// `o : n : s` becomes `o : n' : s` with the last n' elements of the value, where n' is
    /// min(n, 1) for s = 0, and n otherwise. The test of the slice stays in front, as a slice.
    fn last_writes(
        &mut self,
        span: Span,
        array: Var,
        slice: &[Dim],
        value: Atom,
        out: &mut Vec<Stm<FunMem>>,
    ) -> (Vec<Dim>, Atom) {
        if slice.iter().all(steps_apart) {
            return (slice.to_vec(), value);
        }
        let ty = self.lookup(array);
        let tested = self.fresh(array, "tested");
        let shape: Vec<Atom> = slice.iter().map(|dim| dim.size).collect();
        let pattern = vec![self.bind(tested, &shape, ty.block, symbolic::slice(&ty.lmad, slice))];
        let exp = Exp::Slice { array, slice: slice.to_vec() };
        out.push(Stm { span, pattern, exp });

        let mut narrow = Vec::new();
        let mut last = Vec::new();
        for dim in slice {
            if steps_apart(dim) {
                narrow.push(*dim);
                last.push(Dim { offset: 1.into(), size: dim.size, stride: 1.into() });
                continue;
            }
            let dropped = symbolic::mul(
                Se::bin(BinOp::Eq, dim.stride, 0),
                Se::bin(BinOp::Max, 0, symbolic::sub(dim.size.into(), 1.into())),
            );
            let dropped = self.name(span, array, "dropped", dropped, out);
            let size = Se::bin(BinOp::Sub, dim.size, dropped);
            let size: Atom = self.name(span, array, "size", size, out).into();
            let first = Se::bin(BinOp::Add, dropped, 1);
            let first = self.name(span, array, "first", first, out).into();
            narrow.push(Dim { size, ..*dim });
            last.push(Dim { offset: first, size, stride: 1.into() });
        }
        let Some(from) = self.array(value) else { return (narrow, value) };
        let ty = self.lookup(from);
        let z = self.fresh(from, "last");
        let shape: Vec<Atom> = last.iter().map(|dim| dim.size).collect();
        let pattern = vec![self.bind(z, &shape, ty.block, symbolic::slice(&ty.lmad, &last))];
        out.push(Stm { span, pattern, exp: Exp::Slice { array: from, slice: last } });
        (narrow, z.into())
    }
}

/// The sizes of an array's type.
///
/// # Panics
/// If it is `int`: the program is not well typed.
fn sizes(ty: &Ty) -> &[Atom] {
    match ty {
        Ty::Array(shape) => shape,
        Ty::Int => unreachable!("typing promises an array"),
    }
}
