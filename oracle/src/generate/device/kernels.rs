//! Kernels: what their invocations share, and how they use blocks.

use super::scope::{Held, Here, Making, Mode, Phase, Shared, Update, Variable, What};
use reference::device::syntax::{
    AtomicOp, Builtin, Exp, If, Kernel, Kind, Lit, Place, Sc, Space, Ty,
};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// Sizes of work groups.
const GROUPS: [u32; 14] = [4, 1, 2, 3, 8, 5, 16, 7, 32, 64, 33, 6, 100, 128];

/// Those of kernels that depend on an order.
const GROUPS_IN_ORDER: [u32; 5] = [4, 2, 8, 3, 1];

/// Most scalars in a slot of each invocation.
const MOST_CELLS: u32 = 24;

impl Making<'_, '_> {
    /// Makes a kernel.
    pub(super) fn kernel(&mut self) {
        let room = self.draw.pick(&[40, 15, 80, 25]);
        self.leave(room);
        self.left = self.left.max(20);
        let span = self.span();
        let group = match self.orders {
            true => self.draw.pick(&GROUPS_IN_ORDER),
            false => self.draw.pick(&GROUPS),
        };
        let mut params = self.kernel_parameters();
        self.private.clear();
        let mut workgroup = self.work_group(group);
        self.ordered = self.orders.then(|| self.order_of(&mut params, &mut workgroup));
        let vector = self.forgetful && self.draw.chance(20);
        let vector = vector.then(|| self.vector_of_all(&mut workgroup));
        self.recording = std::mem::take(&mut self.records).then(|| self.record(&mut params));
        self.share_globals(group);
        self.know_globals();
        let here = Here { group: Some(group), uniform: true, ..Here::default() };
        let size = 3 + self.draw.below(7);
        let (body, ()) = self.body(1, here, |making| {
            for _ in 0..making.draw.below(3) {
                let ty = making.storable(1);
                making.private_of(ty);
            }
            making.lead();
            if let Some((vector, sc, size)) = vector {
                making.write_component(vector, sc, size);
            }
            if making.forgetful || making.draw.chance(15) {
                making.exchange();
            }
            making.statements(size);
            if making.trouble && making.draw.chance(60) {
                making.get_stuck();
            }
            making.by_order();
            making.show();
            if let Some(recording) = making.recording {
                making.write_record(recording);
            }
        });
        let name = format!("k{}", self.program.kernels.len());
        let private = std::mem::take(&mut self.private);
        let record = self.recording.map(|recording| recording.layout());
        let kernel = Kernel { name, params, group, workgroup, private, body, record, span };
        self.program.kernels.push(kernel);
    }

    /// Scalars and blocks: at least one block to write to.
    fn kernel_parameters(&mut self) -> Vec<(Var, Ty)> {
        let mut params = Vec::new();
        for _ in 0..self.draw.below(3) {
            let (var, ty) = (self.fresh('n'), Ty::Scalar(self.scalar_type()));
            self.know(var, ty.clone(), false);
            params.push((var, ty));
        }
        let modes =
            [0, 1].into_iter().chain((0..self.draw.below(3)).map(|_| 2)).collect::<Vec<_>>();
        for at in modes {
            let element = self.element();
            let whole = matches!(element, Sc::I32 | Sc::U32);
            let mode = match (at, self.draw.weighed(&[3, 4, 4, 4, 2])) {
                (0, _) | (2, 0) => Mode::Input,
                (2, 2) => Mode::Padded,
                (2, 3) if whole => Mode::Update(self.update_of(element)),
                (_, which) => Mode::Own {
                    each: 1 + self.draw.below(3) as u32,
                    reversed: self.draw.chance(25),
                    atomic: at == 2 && which == 4 && whole,
                },
            };
            let block = self.fresh('b');
            params.push((block, Ty::Block(mode.element(element))));
            match mode {
                Mode::Padded => {
                    let phase = if self.draw.chance(60) { Phase::Own } else { Phase::Read };
                    self.shared.push(Shared { what: What::Block(block, element), phase });
                }
                _ => self.held.push(Held { block, element, mode, variable: false }),
            }
        }
        params
    }

    /// Work-group variables, each in some phase.
    fn work_group(&mut self, group: u32) -> Vec<(Var, Ty)> {
        let mut variables = Vec::new();
        let least = usize::from(self.forgetful);
        for _ in 0..self.draw.weighed(&[3, 4, 4, 1]).max(least) {
            let var = self.fresh('w');
            let (what, ty) = match self.draw.weighed(&[6, 3, 4]) {
                0 => {
                    let slot = self.slot();
                    (What::Slots(var, slot.clone()), Ty::Array(Box::new(slot), group))
                }
                1 => {
                    let ty = self.slot();
                    let leader = self.draw.below(group as usize) as u32;
                    (What::One(var, ty.clone(), leader), ty)
                }
                _ => {
                    let sc = self.integer();
                    let count = self.draw.chance(50).then(|| 1 + self.draw.below(4) as u32);
                    let atomic = Ty::Atomic(sc);
                    let ty = match count {
                        Some(count) => Ty::Array(Box::new(atomic), count),
                        None => atomic,
                    };
                    (What::Counters(var, sc, count), ty)
                }
            };
            variables.push((var, ty));
            self.shared.push(Shared { what, phase: Phase::Read });
            // What was not written is zero.
            if self.draw.chance(85) {
                let at = self.shared.len() - 1;
                self.shared[at].phase = self.phase_of(at);
            }
        }
        variables
    }

    /// A vector of the work group, of integers, for several invocations to write to.
    fn vector_of_all(&mut self, workgroup: &mut Vec<(Var, Ty)>) -> (Var, Sc, u8) {
        let (var, sc, size) = (self.fresh('w'), self.integer(), self.draw.pick(&[4, 2, 3]));
        workgroup.push((var, Ty::Vector(sc, size)));
        (var, sc, size)
    }

    /// The first invocations write a component each, which may touch the others.
    fn write_component(&mut self, vector: Var, sc: Sc, size: u8) {
        let span = self.span();
        let id = Exp::Builtin(Builtin::LocalId);
        let cond = Exp::bin(BinOp::Lt, id.clone(), Exp::u32(size.into()));
        let value = self.scalar(sc, 1);
        let here = Here { uniform: false, ..self.here.clone() };
        let (then, ()) = self.body(1, here, |making| {
            let place = Place::At(Box::new(Place::Var(vector)), id);
            making.emit(Kind::Store(place, value));
        });
        self.emit_at(span, Kind::If(If { cond, then, orelse: Vec::new() }));
    }

    /// Variables of the program: some private ones, and work-group variables of types that do not depend on
    /// the size of a group.
    pub(super) fn globals(&mut self) {
        for _ in 0..self.draw.weighed(&[6, 3, 1]) {
            let (var, ty) = (self.fresh('g'), self.storable(1));
            self.program.private.push((var, ty));
        }
        for _ in 0..self.draw.weighed(&[6, 3, 1]) {
            let var = self.fresh('g');
            let ty = match self.draw.chance(50) {
                true => self.slot(),
                false => Ty::Atomic(self.integer()),
            };
            self.program.workgroup.push((var, ty));
        }
    }

    /// The private variables of the program are in scope.
    pub(super) fn know_globals(&mut self) {
        for (var, ty) in self.program.private.clone() {
            let (place, space) = (Place::Var(var), Space::Private);
            self.variables.push(Variable { place, ty, space, root: var });
        }
    }

    /// Work-group variables of the program, each in some phase. What nobody wrote is zero.
    fn share_globals(&mut self, group: u32) {
        for (var, ty) in self.program.workgroup.clone() {
            if !self.draw.chance(70) {
                continue;
            }
            let what = match ty {
                Ty::Atomic(sc) => What::Counters(var, sc, None),
                ty => What::One(var, ty, self.draw.below(group as usize) as u32),
            };
            self.shared.push(Shared { what, phase: Phase::Read });
            if self.draw.chance(85) {
                let at = self.shared.len() - 1;
                self.shared[at].phase = self.phase_of(at);
            }
        }
    }

    /// The type of what an invocation has in the work group.
    fn slot(&mut self) -> Ty {
        let ty = self.storable(1);
        if self.cells(&ty) <= MOST_CELLS { ty } else { Ty::Scalar(self.scalar_type()) }
    }

    /// Another private variable of the kernel at hand; functions and parallel loops of the host have
    /// none.
    pub(super) fn private_of(&mut self, ty: Ty) -> Option<Variable> {
        self.here.group?;
        let var = self.fresh('q');
        self.private.push((var, ty.clone()));
        let variable = Variable { place: Place::Var(var), ty, space: Space::Private, root: var };
        self.variables.push(variable.clone());
        Some(variable)
    }

    /// An operation on integers that leaves the same in any order.
    pub(super) fn update_of(&mut self, sc: Sc) -> Update {
        let op = self.draw.pick(&[
            AtomicOp::Add,
            AtomicOp::Xor,
            AtomicOp::Max,
            AtomicOp::Min,
            AtomicOp::Or,
            AtomicOp::And,
            AtomicOp::Exchange,
            AtomicOp::CompareExchange,
            AtomicOp::Store,
        ]);
        let same = match op {
            AtomicOp::Exchange | AtomicOp::CompareExchange | AtomicOp::Store => {
                // Zero is what most of them hold.
                let mut literal = |zero: bool| match (zero, self.literal(sc)) {
                    (false, Exp::Lit(lit)) => lit,
                    _ if sc == Sc::U32 => Lit::U32(0),
                    _ => Lit::I32(0),
                };
                Some([literal(op == AtomicOp::CompareExchange), literal(false)])
            }
            _ => None,
        };
        Update { op, same }
    }

    /// Ends a body of a kernel: what can be seen goes to the blocks that are the invocation's own.
    fn show(&mut self) {
        self.left = self.left.max(4);
        self.room = self.room.max(6);
        for at in 0..self.shared.len() {
            if let (What::Block(block, element), Phase::Own) =
                (self.shared[at].what.clone(), self.shared[at].phase)
            {
                let exp = self.scalar(element, 2);
                let number = Exp::Builtin(Builtin::GlobalId);
                self.emit(Kind::Store(Place::Element(Exp::Var(block), number), exp));
            }
        }
        self.guarded();
    }
}
