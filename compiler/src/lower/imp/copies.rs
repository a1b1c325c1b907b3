//! Copies between arrays at the top of a program: nests of kernels that read an element and write it.
//!
//! Where the arrays stand, their strides and their sizes are evaluated by the host, and are arguments of
//! the kernel. So what is left of that says only how many dimensions there are, and all copies of as
//! many are one shader, which is compiled once.
//!
//! An offset or a stride has 32 bits, like any argument. If there are elements, the offset is that of
//! the first one, and if there are several in a dimension, the stride is how far the second one is from
//! it. So where they do not fit the copy could not come through either, and the host gives up
//! ([`Cause::Width`]). Otherwise nobody looks at them.

use super::{Bound, Lower};
use crate::lower::address::{self, Exact, Scope};
use reference::device::syntax::{
    Block, Exp, Host, HostBlock, I32, If, Kind, Level, Par, Place, Sc, Stm, Ty,
};
use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax as imp;
use reference::kit::names::{Var, Wish};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// A copy.
pub(super) struct Copy {
    /// From the outermost one on.
    dims: Vec<Dim>,
    read: Access,
    write: Access,
}

/// A dimension, which has a kernel of its own.
struct Dim {
    span: Span,
    thread: Var,
    size: Atom,
}

/// An access of `block[offset + ∑ (threadᵢ - 1) · strideᵢ]`.
struct Access {
    span: Span,
    block: Var,
    offset: Se,
    strides: Vec<Se>,
}

impl Copy {
    /// The copy that a kernel of the host is, if its offsets are linear and cannot get stuck.
    pub(super) fn of(kernel: &imp::Stm) -> Option<Self> {
        let mut dims = Vec::new();
        let mut at = kernel;
        while let imp::Kind::Kernel { thread, count: Se::Atom(size), body } = &at.kind {
            dims.push(Dim { span: at.span, thread: *thread, size: *size });
            let [inner] = body.as_slice() else { return Self::of_element(dims, body) };
            at = inner;
        }
        None
    }

    /// The same, of the kernel of the last dimension.
    fn of_element(dims: Vec<Dim>, body: &[imp::Stm]) -> Option<Self> {
        let [declared, read, write] = body else { return None };
        let imp::Kind::Var(element, imp::Ty::Int) = declared.kind else { return None };
        let imp::Kind::Read { into, block: from, offset: read_at } = &read.kind else {
            return None;
        };
        let imp::Kind::Write { block: to, offset: write_at, value } = &write.kind else {
            return None;
        };
        let is_own = |var: Var| var == element || dims.iter().any(|dim| dim.thread == var);
        let sized_outside = |dim: &Dim| !matches!(dim.size, Atom::Var(var) if is_own(var));
        if *into != element || *value != Se::from(element) || !dims.iter().all(sized_outside) {
            return None;
        }
        let access = |stm: &imp::Stm, block: Var, at: &Se| {
            let (offset, strides) = linear(at, &dims)?;
            let is_of_host = |se: &Se| {
                let own = dims.iter().any(|dim| address::mentions(se, dim.thread));
                !own && !address::mentions(se, element) && !address::partial(se)
            };
            let all = strides.iter().chain([&offset]).all(is_of_host);
            all.then_some(Access { span: stm.span, block, offset, strides })
        };
        let (read, write) = (access(read, *from, read_at)?, access(write, *to, write_at)?);
        Some(Self { dims, read, write })
    }
}

/// The offset and the strides of `o + (k₁ - 1) · s₁ + … + (kₙ - 1) · sₙ`, where what is 0 or a factor
/// of 1 may be left out.
fn linear(at: &Se, dims: &[Dim]) -> Option<(Se, Vec<Se>)> {
    let (mut at, zero) = (at, Se::from(0));
    let mut strides = vec![zero.clone(); dims.len()];
    for (dim, stride) in dims.iter().zip(&mut strides).rev() {
        let (before, last) = match at {
            Se::Bin(BinOp::Add, ab) => (&ab[0], &ab[1]),
            alone => (&zero, alone),
        };
        if let Some(step) = stride_of(last, dim.thread) {
            *stride = step;
            at = before;
        }
    }
    Some((at.clone(), strides))
}

/// The stride in `(k - 1) · s`.
fn stride_of(term: &Se, thread: Var) -> Option<Se> {
    let steps = Se::bin(BinOp::Sub, thread, 1);
    match term {
        Se::Bin(BinOp::Mul, ab) if ab[0] == steps => Some(ab[1].clone()),
        alone => (*alone == steps).then(|| 1.into()),
    }
}

/// An access whose block, offset and strides are variables of the host.
struct Named {
    span: Span,
    block: Var,
    /// The offset in it.
    at: Se,
}

/// What an argument has to be for the copy to come through, if there are elements, and several in
/// this dimension.
type Needs = (Option<usize>, Exact);

impl Lower<'_> {
    /// Do both blocks of the copy surely exist?
    pub(super) fn has_blocks(&self, copy: &Copy) -> bool {
        [&copy.read, &copy.write].iter().all(|access| self.assigned.has(access.block))
    }

    /// The kernel of a copy, whose outermost size is in `size`.
    pub(super) fn copy(&mut self, copy: &Copy, size: Exp, out: &mut HostBlock) -> Par {
        let span = copy.dims[0].span;
        let mut sizes = vec![size];
        for dim in &copy.dims[1..] {
            let size = self.argument("n", I32, self.atom(dim.size), span, out);
            sizes.push(Exp::Var(size));
        }
        let mut needs = Vec::new();
        let [read, write] =
            [&copy.read, &copy.write].map(|access| self.named(access, &copy.dims, &mut needs, out));
        let checks = self.checks(span, needs, &sizes);
        out.extend(checks);
        self.nest(copy, &sizes, &read, &write)
    }

    /// A variable of the host that holds this.
    fn argument(
        &mut self,
        wish: impl Into<Wish>,
        ty: Ty,
        value: Exp,
        span: Span,
        out: &mut HostBlock,
    ) -> Var {
        let var = self.names.fresh(wish);
        out.push(Stm { span, kind: Host::Let(var, ty, value) });
        var
    }

    fn named(
        &mut self,
        access: &Access,
        dims: &[Dim],
        needs: &mut Vec<Needs>,
        out: &mut HostBlock,
    ) -> Named {
        let Access { span, block, offset, strides } = access;
        let wish = Wish::Like(*block);
        let block = self.argument(wish, Ty::Block(Sc::I32), self.value(*block), *span, out);
        let mut number = |to: &mut Self, wish: &'static str, dim, se| {
            let exact = address::exact(se, to);
            let var = to.argument(wish, I32, exact.value.clone(), *span, out);
            needs.push((dim, exact));
            to.bind(var, Bound::Value(var, imp::Ty::Int));
            Se::from(var)
        };
        let mut at = number(self, "offset", None, offset);
        for (which, (dim, stride)) in dims.iter().zip(strides).enumerate() {
            let stride = number(self, "stride", Some(which), stride);
            let steps = Se::bin(BinOp::Sub, dim.thread, 1);
            at = Se::bin(BinOp::Add, at, Se::bin(BinOp::Mul, steps, stride));
        }
        Named { span: *span, block, at }
    }

    /// Whether 32 bits do for the arguments that somebody looks at.
    fn checks(&mut self, span: Span, needs: Vec<Needs>, sizes: &[Exp]) -> HostBlock {
        let mut checks = HostBlock::new();
        for (dim, Exact { conditions, .. }) in needs {
            let mut own = HostBlock::new();
            for condition in conditions {
                self.condition(span, condition, &[], Host::If, Host::Check, &mut own);
            }
            match dim {
                Some(dim) if !own.is_empty() => {
                    checks.push(Stm { span, kind: Host::If(at_least(2, &sizes[dim], own)) });
                }
                _ => checks.append(&mut own),
            }
        }
        if checks.is_empty() {
            return checks;
        }
        sizes.iter().rev().fold(checks, |checks, size| {
            vec![Stm { span, kind: Host::If(at_least(1, size, checks)) }]
        })
    }

    /// The kernels, each around the next.
    fn nest(&mut self, copy: &Copy, sizes: &[Exp], read: &Named, write: &Named) -> Par {
        let threads: Vec<Var> = copy.dims.iter().map(|dim| dim.thread).collect();
        for thread in &threads {
            self.bind(*thread, Bound::Count(*thread));
        }
        let mut body = Block::new();
        let path = &threads[1..];
        let from = self.exactly(read.span, &read.at, path, &mut body);
        let element = self.names.fresh("e");
        let value = Exp::load(Place::Element(Exp::Var(read.block), from));
        body.push(Stm { span: read.span, kind: Kind::Let(element, I32, value) });
        let to = self.exactly(write.span, &write.at, path, &mut body);
        let place = Place::Element(Exp::Var(write.block), to);
        body.push(Stm { span: write.span, kind: Kind::Store(place, Exp::Var(element)) });
        for at in (1..copy.dims.len()).rev() {
            let Dim { span, thread, .. } = copy.dims[at];
            let (cause, size) = (Cause::NegativeSize, &sizes[at]);
            let check = self.check(span, cause, vec![size.clone()], &threads[1..at]);
            let par = Par { level: Level::Thread, var: thread, count: size.clone(), body };
            body = [Kind::Check(check), Kind::Par(par)].map(|kind| Stm { span, kind }).into();
        }
        Par { level: Level::Grid, var: threads[0], count: sizes[0].clone(), body }
    }
}

/// `if size ≥ least { then }`
fn at_least(least: i32, size: &Exp, then: HostBlock) -> If<Host> {
    let cond = Exp::bin(BinOp::Ge, size.clone(), Exp::i32(least));
    If { cond, then, orelse: HostBlock::new() }
}
