//! Expressions and places to flat code.

use super::code::{GLOBAL_ID, GROUP_ID, INVOCATIONS, LOCAL_ID, NONE, Op, Reg};
use super::compile::Compiler;
use crate::device::floats;
use crate::device::rules::Rule;
use crate::device::scalar;
use crate::device::syntax::{Builtin, Exp, Place, Sc, Space, Ty, U32};
use crate::device::types::Bound;
use crate::kit::scalar::BinOp;

/// Where a place is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Address {
    /// Function and private space.
    Frame { base: Reg, at: Reg },
    /// Work-group space.
    Group { base: u32, at: Reg },
    /// An element of a block, which is two registers.
    Element { block: Reg, index: Reg, sc: Sc },
    /// What a pointer into a block points to.
    Word { at: Reg, sc: Sc },
}

impl Compiler<'_, '_> {
    /// Evaluates into the register given.
    pub(super) fn exp_into(&mut self, exp: &Exp, dst: Reg) {
        let start = self.here();
        let (src, ty) = self.exp(exp);
        if src == dst {
            return;
        }
        // The last instruction may write there itself.
        let cells = self.cells(&ty);
        if cells == 1 && self.here() > start && self.retarget(src, dst) {
            return;
        }
        self.copy(dst, src, cells);
    }

    /// Makes the last instruction write to `to` instead of `from`, if it is one that writes a
    /// temporary there.
    fn retarget(&mut self, from: Reg, to: Reg) -> bool {
        match self.code.ops.last_mut() {
            Some(
                Op::Un { dst, .. }
                | Op::Bin { dst, .. }
                | Op::AddI32 { dst, .. }
                | Op::SubI32 { dst, .. }
                | Op::MulI32 { dst, .. }
                | Op::AddU32 { dst, .. }
                | Op::Less { dst, .. }
                | Op::LessEqual { dst, .. }
                | Op::Equal { dst, .. }
                | Op::Divide { dst, .. }
                | Op::LoadElement { dst, .. }
                | Op::LoadWord { dst, .. },
            ) if *dst == from => {
                *dst = to;
                true
            }
            _ => false,
        }
    }

    /// Evaluates; says where the value is.
    pub(super) fn exp(&mut self, exp: &Exp) -> (Reg, Ty) {
        match exp {
            Exp::Lit(lit) => {
                self.rules.push(Rule::Lit);
                (self.constants[&scalar::literal(*lit)], Ty::Scalar(lit.sc()))
            }
            Exp::Var(var) => {
                self.rules.push(Rule::Var);
                match self.types.bound(*var) {
                    Some(Bound::Value(ty)) => (self.places[var], ty.ty()),
                    _ => unreachable!("validated: a value is bound"),
                }
            }
            Exp::Builtin(builtin) => {
                self.rules.push(Rule::Builtin);
                let reg = match builtin {
                    Builtin::GlobalId => GLOBAL_ID,
                    Builtin::LocalId => LOCAL_ID,
                    Builtin::GroupId => GROUP_ID,
                    Builtin::Invocations => INVOCATIONS,
                };
                (reg, U32)
            }
            Exp::Un(op, a) => {
                let (a, ty) = self.exp(a);
                self.rules.push(Rule::Un);
                let f = scalar::unary(*op, self.sc(&ty)).expect("validated: the operator exists");
                self.watch((self.sc(&ty) == Sc::F32).then_some(floats::unary), a, a);
                (self.unary(f, a), ty)
            }
            Exp::Bin(op, ab) => self.binary(*op, ab),
            Exp::Select(parts) => {
                let [c, a, b] = &**parts;
                let (c, _) = self.exp(c);
                let (a, ty) = self.exp(a);
                let (b, _) = self.exp(b);
                self.rules.push(Rule::Select);
                let n = self.cells(&ty);
                let dst = self.take(n);
                self.op(Op::Select { dst, c, a, b, n });
                (dst, ty)
            }
            Exp::Cast(to, a) => {
                let (a, ty) = self.exp(a);
                self.rules.push(Rule::Cast);
                let f = scalar::cast(self.sc(&ty), *to);
                self.watch(floats::cast(self.sc(&ty), *to), a, a);
                (self.unary(f, a), Ty::Scalar(*to))
            }
            Exp::Bitcast(to, a) => {
                let (a, ty) = self.exp(a);
                self.rules.push(Rule::Bitcast);
                let f = scalar::bitcast(self.sc(&ty), *to).expect("validated: as wide");
                self.watch(floats::bitcast(self.sc(&ty), *to), a, a);
                (self.unary(f, a), Ty::Scalar(*to))
            }
            Exp::Make(made) => {
                let (ty, parts) = &**made;
                self.rules.push(Rule::Make);
                let cells = self.cells(ty);
                let dst = self.take(cells);
                let mut at = dst;
                for part in parts {
                    let top = self.top;
                    let (src, part) = self.exp(part);
                    let cells = self.cells(&part);
                    self.copy(at, src, cells);
                    at += cells;
                    self.top = top;
                }
                (dst, ty.clone())
            }
            Exp::At(parts) => {
                let [a, index] = &**parts;
                let (base, ty) = self.exp(a);
                self.rules.push(Rule::At);
                let at = self.index(&ty, NONE, index);
                let part = self.element(&ty);
                let n = self.cells(&part);
                let dst = self.take(n);
                self.op(Op::LoadFrame { dst, base, at, n });
                (dst, part)
            }
            Exp::Field(a, k) => {
                let (base, ty) = self.exp(a);
                self.rules.push(Rule::Field);
                let (before, ty) = self.field(&ty, *k);
                (base + before, ty)
            }
            Exp::Load(place) => {
                let (address, ty) = self.place(place);
                self.rules.push(Rule::Load);
                (self.load(address, &ty), ty)
            }
            Exp::Ref(place) => {
                let (address, ty) = self.place(place);
                self.rules.push(Rule::Ref);
                self.pointer(address, ty)
            }
            Exp::Length(block) => {
                let (block, _) = self.exp(block);
                self.rules.push(Rule::Length);
                (block + 1, U32)
            }
            Exp::Base(block) => {
                let (block, _) = self.exp(block);
                self.rules.push(Rule::Base);
                (block, U32)
            }
            Exp::Block(element, parts) => {
                let [base, length] = &**parts;
                self.rules.push(Rule::Block);
                let dst = self.take(2);
                self.exp_into(base, dst);
                self.exp_into(length, dst + 1);
                (dst, Ty::Block(*element))
            }
        }
    }

    fn sc(&self, ty: &Ty) -> Sc {
        match ty {
            Ty::Scalar(sc) | Ty::Vector(sc, _) => *sc,
            _ => unreachable!("validated: operands are scalars"),
        }
    }

    fn unary(&mut self, f: scalar::Unary, a: Reg) -> Reg {
        let dst = self.take(1);
        self.op(Op::Un { f, dst, a });
        dst
    }

    fn watch(&mut self, open: Option<floats::Open>, a: Reg, b: Reg) {
        if let Some(open) = open {
            self.op(Op::Watch { open, a, b });
        }
    }

    /// `D-BIN`
    ///
    /// ```text
    /// E ⊢ a ⇓ v      E ⊢ b ⇓ w      v ⊕ w is defined  (division)
    /// ──────────────────────────────────────────────────────
    /// E ⊢ a ⊕ b ⇓ v ⊕ w
    /// ```
    fn binary(&mut self, op: BinOp, [a, b]: &[Exp; 2]) -> (Reg, Ty) {
        let (a, ty) = self.exp(a);
        let (b, _) = self.exp(b);
        self.rules.push(Rule::Bin);
        let sc = self.sc(&ty);
        let cells = self.cells(&ty);
        let dst = self.take(cells);
        for i in 0..cells {
            let (dst, a, b) = (dst + i, a + i, b + i);
            let ints = sc != Sc::F32;
            self.watch((!ints).then(|| floats::binary(op)), a, b);
            let instruction = match (op, sc) {
                (BinOp::Add, Sc::I32) => Op::AddI32 { dst, a, b },
                (BinOp::Sub, Sc::I32) => Op::SubI32 { dst, a, b },
                (BinOp::Mul, Sc::I32) => Op::MulI32 { dst, a, b },
                (BinOp::Add, Sc::U32) => Op::AddU32 { dst, a, b },
                (BinOp::Lt, _) if ints => Op::Less { dst, a, b },
                (BinOp::Gt, _) if ints => Op::Less { dst, a: b, b: a },
                (BinOp::Le, _) if ints => Op::LessEqual { dst, a, b },
                (BinOp::Ge, _) if ints => Op::LessEqual { dst, a: b, b: a },
                (BinOp::Eq, _) if ints => Op::Equal { dst, a, b },
                _ => match scalar::binary(op, sc) {
                    Some(f) => Op::Bin { f, dst, a, b },
                    None => Op::Divide { op, sc, dst, a, b },
                },
            };
            self.op(instruction);
        }
        let ty = match ty {
            Ty::Scalar(_) => Ty::Scalar(scalar::result(op, sc).expect("validated")),
            ty => ty,
        };
        (dst, ty)
    }

    /// The cells before element `index` of an array or vector, behind those in `from`.
    fn index(&mut self, ty: &Ty, from: Reg, index: &Exp) -> Reg {
        let (index, _) = self.exp(index);
        let length = match ty {
            Ty::Array(_, n) => *n,
            Ty::Vector(_, n) => u32::from(*n),
            _ => unreachable!("validated: only arrays and vectors have elements"),
        };
        let part = self.element(ty);
        let stride = self.cells(&part);
        let dst = self.take(1);
        self.op(Op::Index { dst, from, index, length, stride });
        dst
    }

    /// Where a place is, and the type of what stands there.
    pub(super) fn place(&mut self, place: &Place) -> (Address, Ty) {
        match place {
            Place::Var(var) => {
                self.rules.push(Rule::PlaceVar);
                let base = self.places[var];
                match self.types.bound(*var) {
                    Some(Bound::Place(Space::Workgroup, ty)) => {
                        (Address::Group { base, at: NONE }, ty.ty())
                    }
                    Some(Bound::Place(_, ty)) => (Address::Frame { base, at: NONE }, ty.ty()),
                    _ => unreachable!("validated: a place is bound"),
                }
            }
            Place::Deref(pointer) => {
                let (at, ty) = self.exp(pointer);
                self.rules.push(Rule::Deref);
                let Ty::Ptr(space, ty) = ty else { unreachable!("validated: a pointer") };
                let address = match (space, &*ty) {
                    (Space::Function | Space::Private, _) => Address::Frame { base: 0, at },
                    (Space::Workgroup, _) => Address::Group { base: 0, at },
                    (Space::Storage, Ty::Scalar(sc)) => Address::Word { at, sc: *sc },
                    (Space::Storage, _) => unreachable!("blocks have scalars"),
                };
                (address, *ty)
            }
            Place::Element(block, index) => {
                let (block, ty) = self.exp(block);
                let (index, _) = self.exp(index);
                self.rules.push(Rule::Element);
                let Ty::Block(sc) = ty else { unreachable!("validated: a block") };
                (Address::Element { block, index, sc }, Ty::Scalar(sc))
            }
            Place::At(inner, index) => {
                let (address, ty) = self.place(inner);
                self.rules.push(Rule::At);
                let part = self.element(&ty);
                let address = match address {
                    Address::Frame { base, at } => {
                        Address::Frame { base, at: self.index(&ty, at, index) }
                    }
                    Address::Group { base, at } => {
                        Address::Group { base, at: self.index(&ty, at, index) }
                    }
                    _ => unreachable!("blocks have scalars"),
                };
                (address, part)
            }
            Place::Field(inner, k) => {
                let (address, ty) = self.place(inner);
                self.rules.push(Rule::Field);
                let (before, ty) = self.field(&ty, *k);
                let address = match address {
                    Address::Frame { base, at } => Address::Frame { base: base + before, at },
                    Address::Group { base, at } => Address::Group { base: base + before, at },
                    _ => unreachable!("blocks have scalars"),
                };
                (address, ty)
            }
        }
    }

    fn load(&mut self, address: Address, ty: &Ty) -> Reg {
        let n = self.cells(ty);
        if let Address::Frame { base, at: NONE } = address {
            // Expressions have no effects, so the variable itself serves as the value read.
            return base;
        }
        self.cost += n / 16;
        let dst = self.take(n);
        match address {
            Address::Frame { base, at } => self.op(Op::LoadFrame { dst, base, at, n }),
            Address::Group { base, at } => self.op(Op::LoadGroup { dst, base, at, n }),
            Address::Element { block, index, sc } => {
                self.op(Op::LoadElement { sc, dst, block, index });
            }
            Address::Word { at, sc } => self.op(Op::LoadWord { sc, dst, at }),
        }
        dst
    }

    pub(super) fn store(&mut self, address: Address, src: Reg, ty: &Ty) {
        let n = self.cells(ty);
        self.cost += n / 16;
        match address {
            Address::Frame { base, at: NONE } => self.copy(base, src, n),
            Address::Frame { base, at } => self.op(Op::StoreFrame { src, base, at, n }),
            Address::Group { base, at } => self.op(Op::StoreGroup { src, base, at, n }),
            Address::Element { block, index, sc } => {
                self.op(Op::StoreElement { sc, src, block, index });
            }
            Address::Word { at, sc } => self.op(Op::StoreWord { sc, src, at }),
        }
    }

    /// A pointer: a cell of the frame or of the group's memory, or a word of the arena.
    fn pointer(&mut self, address: Address, ty: Ty) -> (Reg, Ty) {
        let dst = self.take(1);
        let space = match address {
            // Both have one representation, so the type tells which it is.
            Address::Frame { base, at } => {
                self.address(dst, base, at);
                Space::Function
            }
            Address::Group { base, at } => {
                self.address(dst, base, at);
                Space::Workgroup
            }
            Address::Element { block, index, sc } => {
                self.op(Op::WordAddress { sc, dst, block, index });
                Space::Storage
            }
            Address::Word { at, .. } => {
                self.copy(dst, at, 1);
                Space::Storage
            }
        };
        (dst, Ty::Ptr(space, Box::new(ty)))
    }

    fn address(&mut self, dst: Reg, base: u32, at: Reg) {
        match at {
            NONE => self.op(Op::Const { dst, value: base.into() }),
            at => self.op(Op::Offset { dst, a: at, k: base }),
        }
    }
}
