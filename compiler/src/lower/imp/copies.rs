//! Copies between arrays at the top of a program: nests of kernels that read an element and write it.
//!
//! They are a statement of the host, which evaluates where the arrays stand, their strides and their sizes
//! exactly, as IMP does, and finds out before it copies whether all elements are there. So no kernel is
//! compiled, and a machine copies in the way that is quickest there.

use super::Lower;
use crate::lower::address::{self, Scope};
use reference::device::syntax::{self as device, Host, Size, Strided};
use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax as imp;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// A copy.
pub(super) struct Copy {
    /// From the outermost one on.
    dims: Vec<Dim>,
    read: Access,
    write: Access,
}

/// A dimension: a kernel.
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

impl Lower<'_> {
    /// Do both blocks of the copy surely exist?
    pub(super) fn has_blocks(&self, copy: &Copy) -> bool {
        [&copy.read, &copy.write].iter().all(|access| self.assigned.has(access.block))
    }

    /// The copy as a statement of the host.
    pub(super) fn copy(&self, copy: &Copy) -> Host {
        let sizes =
            copy.dims.iter().map(|dim| Size { span: dim.span, exp: self.atom(dim.size) }).collect();
        let side = |access: &Access| Strided {
            span: access.span,
            block: self.value(access.block),
            offset: self.se(&access.offset),
            strides: access.strides.iter().map(|stride| self.se(stride)).collect(),
        };
        let (from, to) = (side(&copy.read), side(&copy.write));
        Host::Copy(Box::new(device::Copy { sizes, from, to }))
    }
}
