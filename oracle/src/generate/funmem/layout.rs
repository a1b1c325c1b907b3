//! LMADs of edited programs: other layouts of fresh arrays, and the annotations that follow from
//! them.

use reference::fun::syntax::{Atom, Dim, Se};
use reference::funmem::syntax::{ArrayTy, Body, Exp, FunMem, Lmad, MemTy, Program};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

fn add(a: Se, b: Se) -> Se {
    match (&a, &b) {
        (Se::Atom(Atom::Const(0)), _) => b,
        (_, Se::Atom(Atom::Const(0))) => a,
        _ => Se::bin(BinOp::Add, a, b),
    }
}

fn mul(a: Se, b: Se) -> Se {
    match (&a, &b) {
        (Se::Atom(Atom::Const(1)), _) | (_, Se::Atom(Atom::Const(0))) => b,
        (_, Se::Atom(Atom::Const(1))) | (Se::Atom(Atom::Const(0)), _) => a,
        _ => Se::bin(BinOp::Mul, a, b),
    }
}

/// Another layout of a fresh array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// The first two dimensions change places: column-major.
    Swapped,
    /// A dimension runs backward, from its other end.
    Reversed(usize),
    /// Everything a few elements further on.
    Shifted(i32),
    /// A dimension does not move at all.
    Flat(usize),
    /// A dimension moves one element less than it should.
    Tight(usize),
    /// All dimensions move as many times as far.
    Spread(i32),
}

impl Layout {
    /// The LMAD in this layout, and the room that it needs where `room` was enough.
    pub(super) fn of(self, lmad: &Lmad, room: Se) -> (Lmad, Se) {
        let mut lmad = lmad.clone();
        match self {
            Layout::Swapped => {
                // Row-major over the dimensions in the other order.
                let [a, b, ..] = &mut lmad.dims[..] else { return (lmad, room) };
                let inner = b.stride.clone();
                b.stride = mul(a.extent.into(), inner.clone());
                a.stride = inner;
            }
            Layout::Reversed(at) => {
                let Some(dim) = lmad.dims.get_mut(at) else { return (lmad, room) };
                let last = Se::bin(BinOp::Sub, dim.extent, 1);
                lmad.offset = add(lmad.offset, mul(last, dim.stride.clone()));
                dim.stride = mul(dim.stride.clone(), (-1).into());
            }
            Layout::Shifted(by) => {
                lmad.offset = add(lmad.offset, by.into());
                return (lmad, add(room, by.into()));
            }
            Layout::Flat(at) => {
                if let Some(dim) = lmad.dims.get_mut(at) {
                    dim.stride = 0.into();
                }
            }
            Layout::Tight(at) => {
                if let Some(dim) = lmad.dims.get_mut(at) {
                    dim.stride = Se::bin(BinOp::Sub, dim.stride.clone(), 1);
                }
            }
            Layout::Spread(by) => {
                for dim in &mut lmad.dims {
                    dim.stride = mul(dim.stride.clone(), by.into());
                }
                return (lmad, mul(room, by.into()));
            }
        }
        (lmad, room)
    }
}

/// `slice_f(L, …)` (eq. 2 with reading FUNMEM 1).
fn slice(lmad: &Lmad, slice: &[Dim]) -> Lmad {
    let mut result = lmad.clone();
    for (dim, of) in result.dims.iter_mut().zip(slice) {
        let skipped = match of.offset {
            Atom::Const(k) => Se::from(k.wrapping_sub(1)),
            Atom::Var(var) => Se::bin(BinOp::Sub, var, 1),
        };
        result.offset = add(result.offset, mul(skipped, dim.stride.clone()));
        dim.stride = mul(of.stride.into(), dim.stride.clone());
        dim.extent = of.size;
    }
    result
}

/// Gives every array that is derived from a changed one the annotation that follows from its
/// operand's, up to the results of branches and loops, whose offsets and strides are bound to
/// names where they are returned.
pub(super) struct Reannotation {
    /// Annotations of arrays, by slot, once they are bound.
    types: Vec<Option<ArrayTy>>,
    changed: Vec<bool>,
}

impl Reannotation {
    /// After the types of `changed` were changed where they are bound.
    pub(super) fn run(program: &mut Program<FunMem>, changed: &[Var]) {
        let names = program.names.len();
        let mut this = Self { types: vec![None; names], changed: vec![false; names] };
        for var in changed {
            this.changed[var.slot()] = true;
        }
        for param in &program.params {
            this.bind(param.var, &param.ty);
        }
        this.body(&mut program.body);
    }

    fn bind(&mut self, var: Var, ty: &MemTy) {
        if let MemTy::Array(array) = ty {
            self.types[var.slot()] = Some(ArrayTy::clone(array));
        }
    }

    fn body(&mut self, body: &mut Body<FunMem>) {
        for at in 0..body.stms.len() {
            let (before, rest) = body.stms.split_at_mut(at);
            let stm = &mut rest[0];
            let derived = match &stm.exp {
                Exp::Slice { array, slice: dims } => self.changed(*array).map(|ty| ArrayTy {
                    lmad: slice(&ty.lmad, dims),
                    shape: dims.iter().map(|dim| dim.size).collect(),
                    block: ty.block,
                }),
                Exp::Transpose(array) => self.changed(*array).map(|ty| {
                    let mut ty = ty.clone();
                    ty.shape.reverse();
                    ty.lmad.dims.reverse();
                    ty
                }),
                // An update in place stays where its operand is.
                Exp::Update { array, .. } => {
                    let block = match &stm.pattern[0].ty {
                        MemTy::Array(ty) => Some(ty.block),
                        _ => None,
                    };
                    self.changed(*array).filter(|ty| Some(ty.block) == block).cloned()
                }
                _ => None,
            };
            if let Some(mut ty) = derived {
                let binding = &mut stm.pattern[0];
                if let MemTy::Array(old) = &binding.ty {
                    // The pattern keeps its own sizes.
                    for (dim, &size) in ty.lmad.dims.iter_mut().zip(&old.shape) {
                        dim.extent = size;
                    }
                    ty.shape.clone_from(&old.shape);
                }
                self.changed[binding.var.slot()] = true;
                binding.ty = ty.into();
            }
            match &mut stm.exp {
                Exp::If { then, orelse, .. } => {
                    for branch in [then, orelse] {
                        self.body(branch);
                        let results = branch.results.clone();
                        self.support(&mut branch.stms, &results);
                    }
                }
                Exp::Kernel { body, .. } => self.body(body),
                Exp::Loop { carried, body, .. } => {
                    let inits: Vec<Atom> = carried.iter().map(|(_, init)| *init).collect();
                    self.support(before, &inits);
                    for (binding, _) in carried.iter() {
                        self.bind(binding.var, &binding.ty);
                    }
                    self.body(body);
                    let results = body.results.clone();
                    self.support(&mut body.stms, &results);
                }
                _ => {}
            }
            for binding in &stm.pattern {
                self.bind(binding.var, &binding.ty);
            }
        }
    }

    fn changed(&self, array: Var) -> Option<&ArrayTy> {
        self.types[array.slot()].as_ref().filter(|_| self.changed[array.slot()])
    }

    /// Binds the names of a changed array's offset and strides, which stand before it among the
    /// results, to what they are now.
    fn support(&self, stms: &mut [reference::funmem::syntax::Stm<FunMem>], results: &[Atom]) {
        for (at, result) in results.iter().enumerate() {
            let Some(ty) = result.var().and_then(|var| self.changed(var)) else { continue };
            let values: Vec<Se> = std::iter::once(ty.lmad.offset.clone())
                .chain(ty.lmad.dims.iter().map(|dim| dim.stride.clone()))
                .collect();
            let Some(first) = at.checked_sub(values.len()) else { continue };
            for (name, value) in results[first..at].iter().zip(values) {
                let stm = stms
                    .iter_mut()
                    .find(|stm| stm.pattern.len() == 1 && Some(stm.pattern[0].var) == name.var());
                if let Some(stm) = stm {
                    stm.exp = Exp::Scalar(value);
                }
            }
        }
    }
}
