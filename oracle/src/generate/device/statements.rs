//! Statements of kernels, functions and parallel loops.

use super::scope::{Held, Here, Into, Making, Mode, Numbered, Phase, Shared, Variable, What};
use reference::device::syntax::{
    AtomicOp, Block, Builtin, Case, Check, Exp, I32, If, Kind, Lit, Par, Place, Sc, Scope, Site,
    Space, Switch, Ty,
};
use reference::kit::names::Var;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;

/// Makes a statement, if it can be made here.
type Make<'u, 'b> = fn(&mut Making<'u, 'b>) -> bool;

impl<'u, 'b> Making<'u, 'b> {
    /// Adds up to `most` statements, each perhaps with those that make what it needs.
    pub(super) fn statements(&mut self, most: usize) {
        for _ in 0..most {
            if !self.is_roomy(1) {
                break;
            }
            if self.trouble && self.draw.chance(3) {
                self.get_stuck();
            }
            self.statement();
        }
    }

    fn statement(&mut self) {
        let or0 = |weight: u32, fits: bool| if fits { weight } else { 0 };
        let nested = |weight: u32| if self.here.depth < 4 { weight >> self.here.depth } else { 0 };
        let roomy = self.is_roomy(4);
        let kernel = self.here.group.is_some();
        let synchronises = self.here.uniform && kernel && !self.shared.is_empty();
        let guards = kernel && self.here.one.is_none() && roomy;
        let kinds: [(u32, Make<'u, 'b>); 20] = [
            (12, |_| false),
            (8, Self::variable),
            (16, Self::store),
            (or0(nested(10), roomy), Self::branch),
            (or0(nested(6), roomy), Self::switch),
            (or0(nested(12), roomy), Self::repeat),
            (or0(8, roomy), Self::call),
            (or0(8, synchronises), Self::barrier),
            (or0(8, synchronises), Self::exchange),
            (or0(6, synchronises), Self::uniform_load),
            (or0(9, self.updates()), Self::update),
            (or0(5, kernel), Self::look_at_counter),
            (6, Self::pointer),
            (or0(nested(14), guards), Self::guarded),
            (or0(nested(3), roomy && self.here.path.len() < 2), Self::parallel),
            (4, Self::check),
            (or0(5, self.reads_blocks()), Self::block_value),
            (or0(3, self.here.one.is_some()), Self::own_atomic),
            (or0(nested(5), roomy), Self::shrinking),
            (or0(20, kernel && self.ordered.is_some()), Self::by_order),
        ];
        let made = kinds[self.draw.weighed(&kinds.map(|(weight, _)| weight))].1;
        if !made(self) {
            self.bind();
        }
    }

    /// `let v : τ = e`
    fn bind(&mut self) {
        let ty = match self.draw.below(8) {
            0 => self.storable(1),
            1 => self.vector(),
            _ => Ty::Scalar(self.scalar_type()),
        };
        let uniform = self.draw.chance(20);
        let (exp, varies) = self.watched(|making| match uniform {
            true => making.for_all(|making| making.value(&ty, 2)),
            false => making.value(&ty, 2),
        });
        let var = self.fresh('v');
        self.emit(Kind::Let(var, ty.clone(), exp));
        self.know(var, ty, varies);
    }

    /// `var x : τ = e`
    fn variable(&mut self) -> bool {
        let ty = self.storable(2);
        self.variable_of(ty);
        true
    }

    /// A variable of this type.
    pub(super) fn variable_of(&mut self, ty: Ty) {
        // Without a value it is zero, in a loop each time anew.
        let init = (!self.draw.chance(30)).then(|| self.value(&ty, 2));
        let var = self.fresh('x');
        self.emit(Kind::Var(var, ty.clone(), init));
        self.variables.push(Variable {
            place: Place::Var(var),
            ty,
            space: Space::Function,
            root: var,
        });
    }

    /// `place = e`
    fn store(&mut self) -> bool {
        let targets = self.targets();
        if targets.is_empty() {
            return false;
        }
        let at = self.draw.below(targets.len()).max(self.draw.below(targets.len()));
        let ty = self.part_of(targets[at].clone());
        let Some(place) = self.target(&ty) else { return false };
        let exp = self.value(&ty, 3);
        self.emit(Kind::Store(place, exp));
        true
    }

    /// The type or that of one of its parts.
    fn part_of(&mut self, mut ty: Ty) -> Ty {
        while self.draw.chance(60) {
            ty = match ty {
                Ty::Vector(sc, _) => Ty::Scalar(sc),
                Ty::Array(part, _) => *part,
                Ty::Struct(k) => {
                    let fields = self.program.structs[k as usize].fields.len();
                    let field = self.draw.below(fields);
                    self.program.structs[k as usize].fields[field].1.clone()
                }
                _ => return ty,
            };
        }
        ty
    }

    /// `if`
    fn branch(&mut self) -> bool {
        let span = self.span();
        let uniform = self.here.uniform && self.draw.chance(40);
        let cond = match uniform {
            true => self.for_all(Self::condition),
            false => self.condition(),
        };
        let sizes =
            [1 + self.draw.below(3), if self.draw.chance(45) { 1 + self.draw.below(2) } else { 0 }];
        let [then, orelse] = sizes.map(|size| self.one_of_blocks(uniform, size));
        self.emit_at(span, Kind::If(If { cond, then, orelse }));
        true
    }

    /// `switch`, mostly by a number to which one of the cases may belong.
    fn switch(&mut self) -> bool {
        let span = self.span();
        let uniform = self.here.uniform && self.draw.chance(40);
        let below = 2 + self.draw.below(4) as u32;
        let sc = self.draw.pick(&[Sc::I32, Sc::U32]);
        let small = self.draw.chance(80);
        let by = |making: &mut Self| match small {
            true => making.unsigned_below(below),
            false => making.scalar(Sc::U32, 2),
        };
        let number = if uniform { self.for_all(by) } else { by(self) };
        let value = if sc == Sc::I32 { Exp::Cast(sc, Box::new(number)) } else { number };
        let mut literals: Vec<u32> = Vec::new();
        for _ in 0..1 + self.draw.below(4) {
            let literal = match self.draw.chance(90) {
                true => self.draw.below(below as usize) as u32,
                false => self.draw.pick(&[u32::MAX, 1 << 31, (1 << 31) - 1, 65_536]),
            };
            if !literals.contains(&literal) {
                literals.push(literal);
            }
        }
        let cases = literals.into_iter().map(|k| {
            let literal = if sc == Sc::I32 { Lit::I32(k as i32) } else { Lit::U32(k) };
            let size = self.draw.below(3);
            Case { literal, body: self.one_of_blocks(uniform, size) }
        });
        let cases = cases.collect();
        let size = self.draw.below(3);
        let orelse = self.one_of_blocks(uniform, size);
        self.emit_at(span, Kind::Switch(Switch { value, cases, orelse }));
        true
    }

    /// A block of so many statements, of several of which one is taken: the same for all if it is `uniform`.
    fn one_of_blocks(&mut self, uniform: bool, size: usize) -> Block {
        let here = Here { uniform: self.here.uniform && uniform, ..self.here.clone() };
        let make = |making: &mut Self| making.as_before(|making| making.statements(size));
        self.body(1, here, make).0
    }

    /// `if global_id < invocations { … }`: what each invocation that was asked for does for itself.
    pub(super) fn guarded(&mut self) -> bool {
        let span = self.span();
        let number = Exp::Builtin(Builtin::GlobalId);
        let of = Exp::Builtin(Builtin::Invocations);
        let cond = Exp::bin(BinOp::Lt, number.clone(), of.clone());
        let one = Some(Numbered { number, of, sc: Sc::U32 });
        let here = Here { uniform: false, one, ..self.here.clone() };
        let size = 1 + self.draw.below(4);
        let (then, ()) = self.body(1, here, |making| {
            making.statements(size);
            if making.is_roomy(1) {
                making.store();
            }
        });
        self.emit_at(span, Kind::If(If { cond, then, orelse: Vec::new() }));
        true
    }

    /// Lets a body end in the phases that it began in, with a barrier where it went through others.
    pub(super) fn as_before(&mut self, make: impl FnOnce(&mut Self)) {
        let before: Vec<Phase> = self.shared.iter().map(|shared| shared.phase).collect();
        make(self);
        let changed: Vec<usize> =
            (0..before.len()).filter(|at| self.shared[*at].phase != before[*at]).collect();
        for at in &changed {
            self.shared[*at].phase = before[*at];
        }
        self.order(&changed);
    }

    /// Adds the barriers that order what was done to these before from what is done to them later.
    fn order(&mut self, shared: &[usize]) {
        let counts = |at: &usize| matches!(self.shared[*at].what, What::Counters(..));
        // Atomic operations do not race with each other, so that it would not be seen that their order
        // matters.
        let plain = !shared.iter().any(counts);
        if plain && self.forgetful && self.draw.chance(80) {
            return;
        }
        let is_block = |at: &usize| matches!(self.shared[*at].what, What::Block(..));
        let blocks = shared.iter().any(is_block);
        let variables = !shared.iter().all(is_block);
        if variables {
            self.emit(Kind::Barrier(Scope::Workgroup));
        }
        if blocks {
            self.emit(Kind::Barrier(Scope::Storage));
        }
    }

    /// Some of what the work group shares comes into another phase.
    fn barrier(&mut self) -> bool {
        let surely = self.draw.below(self.shared.len());
        let mut changed = Vec::new();
        for at in 0..self.shared.len() {
            if at == surely || self.draw.chance(30) {
                self.shared[at].phase = self.phase_of(at);
                changed.push(at);
            }
        }
        self.order(&changed);
        if self.here.leads.is_none() {
            self.lead();
        }
        true
    }

    /// `let v = uniform load w`, of what one invocation writes: it waits for that one, and whoever
    /// writes the variable next waits for it. All know the same of it afterwards.
    fn uniform_load(&mut self) -> bool {
        let loads = |ty: &Ty| match ty {
            Ty::Scalar(sc) => *sc != Sc::Bool,
            Ty::Vector(..) => true,
            _ => false,
        };
        let open = self.shared.iter().enumerate().filter_map(|(at, shared)| match &shared.what {
            What::One(w, ty, _) if loads(ty) => Some((at, *w, ty.clone())),
            _ => None,
        });
        let open: Vec<_> = open.collect();
        if open.is_empty() {
            return false;
        }
        let (at, w, ty) = open[self.draw.below(open.len())].clone();
        let into = self.fresh('v');
        self.emit(Kind::UniformLoad { into, place: Place::Var(w) });
        self.know(into, ty, false);
        self.shared[at].phase = if self.draw.chance(50) { Phase::Read } else { Phase::Own };
        if self.here.leads.is_none() {
            self.lead();
        }
        true
    }

    /// Each invocation writes its part of something, and behind a barrier reads another's.
    pub(super) fn exchange(&mut self) -> bool {
        let parts = |shared: &Shared| matches!(shared.what, What::Slots(..) | What::Block(..));
        let open = self.shared.iter().enumerate();
        let open = open.filter(|(_, shared)| shared.phase == Phase::Own && parts(shared));
        let open: Vec<usize> = open.map(|(at, _)| at).collect();
        if open.is_empty() {
            return false;
        }
        let at = self.draw.pick(&open);
        let ty = self.shared[at].part();
        let value = self.value(&ty, 2);
        let own = self.shared_place(&self.shared[at].clone());
        self.emit(Kind::Store(own, value));
        self.shared[at].phase = Phase::Read;
        self.order(&[at]);
        let any = self.shared_place(&self.shared[at].clone());
        let var = self.fresh('v');
        self.emit(Kind::Let(var, ty.clone(), Exp::load(any)));
        self.know(var, ty, true);
        true
    }

    /// A phase for what is shared, not the one that it is in.
    pub(super) fn phase_of(&mut self, at: usize) -> Phase {
        let phase = self.shared[at].phase;
        match &self.shared[at].what {
            What::Counters(_, sc, _) if phase == Phase::Read || self.draw.chance(30) => {
                let sc = *sc;
                Phase::Update(self.update_of(sc))
            }
            What::Counters(..) => Phase::Read,
            _ if phase == Phase::Read => Phase::Own,
            _ => Phase::Read,
        }
    }

    /// One invocation writes the work-group variables that only one may write now.
    pub(super) fn lead(&mut self) {
        let open = self.shared.iter().filter_map(|shared| match &shared.what {
            What::One(var, ty, leader) if shared.phase == Phase::Own => {
                Some((*var, ty.clone(), *leader))
            }
            _ => None,
        });
        let open: Vec<_> = open.collect();
        for (var, ty, leader) in open {
            if !self.is_roomy(2) || !self.draw.chance(80) {
                continue;
            }
            let span = self.span();
            let cond = Exp::bin(BinOp::Eq, Exp::Builtin(Builtin::LocalId), Exp::u32(leader));
            let here = Here { uniform: false, leads: Some(var), ..self.here.clone() };
            let (then, ()) = self.body(1, here, |making| {
                let exp = making.value(&ty, 2);
                making.emit(Kind::Store(Place::Var(var), exp));
                let size = making.draw.below(3);
                making.statements(size);
            });
            self.emit_at(span, Kind::If(If { cond, then, orelse: Vec::new() }));
        }
    }

    /// Is there something that all update here?
    fn updates(&self) -> bool {
        let shared = self.shared.iter().any(|it| matches!(it.phase, Phase::Update(_)));
        shared || self.held.iter().any(|it| matches!(it.mode, Mode::Update(_)))
    }

    /// `atomic op(place, e)`; what was there before depends on the order, and may not be read.
    fn update(&mut self) -> bool {
        let Some((place, sc, update)) = self.updated() else { return false };
        let operands = match update.same {
            Some(same) => same[..update.op.arity()].iter().map(|lit| Exp::Lit(*lit)).collect(),
            None => vec![self.scalar(sc, 2)],
        };
        let bound = update.op != AtomicOp::Store && self.draw.chance(25);
        let into = bound.then(|| self.fresh('o'));
        self.emit(Kind::Atomic { into, op: update.op, place, operands });
        true
    }

    /// An atomic operation on an element that no other invocation accesses, of which all is known.
    fn own_atomic(&mut self) -> bool {
        let own = |held: &&Held| matches!(held.mode, Mode::Own { atomic: true, .. });
        let open: Vec<Held> = self.held.iter().filter(own).cloned().collect();
        let pointed =
            self.pointers.iter().filter_map(|pointer| match (pointer.into, &pointer.ty) {
                (Into::OwnAtomic, Ty::Atomic(sc)) => Some((pointer.var, *sc)),
                _ => None,
            });
        let pointed: Vec<(Var, Sc)> = pointed.collect();
        if open.is_empty() {
            return false;
        }
        let at = self.draw.below(open.len() + pointed.len());
        let (place, sc) = match open.get(at) {
            Some(held) => (self.held_place(held), held.element),
            None => {
                let (pointer, sc) = pointed[at - open.len()];
                (Place::Deref(Exp::Var(pointer)), sc)
            }
        };
        let op = self.draw.pick(&AtomicOp::ALL);
        let operands = (0..op.arity()).map(|_| self.scalar(sc, 1)).collect();
        let into = (op != AtomicOp::Store && self.draw.chance(80)).then(|| self.fresh('o'));
        self.emit(Kind::Atomic { into, op, place, operands });
        if let Some(var) = into {
            self.know(var, Ty::Scalar(sc), true);
        }
        true
    }

    /// `v = atomic load(w)`
    fn look_at_counter(&mut self) -> bool {
        let Some((place, sc)) = self.read_counter() else { return false };
        let var = self.fresh('v');
        let operands = Vec::new();
        self.emit(Kind::Atomic { into: Some(var), op: AtomicOp::Load, place, operands });
        self.know(var, Ty::Scalar(sc), true);
        true
    }

    /// `par i <= n { … }` in a body: its iterations run in order.
    fn parallel(&mut self) -> bool {
        let span = self.span();
        let count = self.draw.below(4) as i32;
        let var = self.fresh('t');
        let mut path = self.here.path.clone();
        path.push(var);
        let here = Here { uniform: false, path, ..self.here.clone() };
        let size = 1 + self.draw.below(3);
        let (body, ()) = self.body(count.into(), here, |making| {
            making.know(var, I32, true);
            making.statements(size);
        });
        self.emit_at(span, Kind::Par(Par { var, count: Exp::i32(count), body }));
        true
    }

    /// A check that holds.
    fn check(&mut self) -> bool {
        let (cause, operands) = match self.draw.below(6) {
            0 => {
                let n = 1 + self.draw.below(9) as u32;
                let index = Exp::bin(BinOp::Add, self.unsigned_below(n), Exp::u32(1));
                (Cause::Index, vec![self.as_integer(index), self.as_integer(Exp::u32(n))])
            }
            4 => {
                // From the first element on, forwards, or from the last on backwards.
                let (k, n) = (self.draw.below(4) as i32, 4 + self.draw.below(5) as i32);
                let first = Exp::bin(BinOp::And, self.scalar(Sc::I32, 1), Exp::i32(3));
                let first = Exp::bin(BinOp::Add, first, Exp::i32(1));
                let size = Exp::i32(if k == 0 { 0 } else { 1 });
                (Cause::Slice, vec![first, size, Exp::i32(k - 2), Exp::i32(n)])
            }
            5 if self.wide && self.draw.chance(60) => (Cause::Width, vec![self.narrow_number()]),
            5 if self.wide => {
                let count = Exp::bin(BinOp::And, self.scalar(Sc::I64, 1), Exp::i64(i64::MAX));
                (Cause::NegativeCount, vec![count])
            }
            1 => {
                let divisor = Exp::bin(BinOp::Or, self.scalar(Sc::I32, 1), Exp::i32(1));
                (Cause::DivisionByZero, vec![self.scalar(Sc::I32, 1), divisor])
            }
            2 => {
                let n = 1 + self.draw.below(9) as u32;
                let offset = self.unsigned_below(n);
                (Cause::OutsideBlock, vec![self.as_integer(offset), self.as_integer(Exp::u32(n))])
            }
            _ => {
                let size = Exp::bin(BinOp::And, self.scalar(Sc::I32, 1), Exp::i32(i32::MAX));
                (Cause::NegativeSize, vec![size])
            }
        };
        self.check_of(cause, operands);
        true
    }

    /// An i64 that is an i32: mostly made of integers of 32 bits, as offsets are.
    fn narrow_number(&mut self) -> Exp {
        let wide = |exp: Exp| Exp::Cast(Sc::I64, Box::new(exp));
        if self.draw.chance(20) {
            return Exp::bin(BinOp::Shr, self.scalar(Sc::I64, 1), Exp::i64(33));
        }
        let small = Exp::bin(BinOp::Shr, self.scalar(Sc::I32, 1), Exp::i32(17));
        let smaller = Exp::bin(BinOp::Shr, self.scalar(Sc::U32, 1), Exp::u32(18));
        let product = Exp::bin(BinOp::Mul, wide(small), wide(smaller));
        let op = self.draw.pick(&[BinOp::Add, BinOp::Sub]);
        let sum = Exp::bin(BinOp::Shr, self.scalar(Sc::I32, 1), Exp::i32(1));
        Exp::bin(op, product, wide(sum))
    }

    /// A small u32 as some type of integers.
    fn as_integer(&mut self, small: Exp) -> Exp {
        match self.draw.below(4) {
            0 => Exp::Cast(Sc::I32, Box::new(small)),
            1 if self.wide => Exp::Cast(Sc::I64, Box::new(small)),
            _ => small,
        }
    }

    /// `check cause(…)`
    pub(super) fn check_of(&mut self, cause: Cause, operands: Vec<Exp>) {
        let span = self.span();
        let site = self.program.sites.len() as u32;
        self.program.sites.push(Site { span, cause });
        let path = self.here.path.iter().map(|var| Exp::Var(*var)).collect();
        let mut check = Check { site, operands, path, order: None };
        self.put_in_order(&mut check);
        self.emit_at(span, Kind::Check(check));
    }
}
