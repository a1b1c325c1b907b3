//! Places: what can be read and written here, and the way to a part of it.

use super::scope::{
    Held, Into, Known, Making, Mode, Numbered, Phase, Pointer, Shared, Update, What,
};
use reference::device::syntax::{Builtin, Exp, Lit, Place, Sc, Ty, U32};
use reference::kit::scalar::BinOp;

/// A step from a value or a place to a part of it.
enum Step {
    At(Exp),
    Field(u32),
}

/// Where something can be read.
#[derive(Clone, Copy)]
enum Source {
    Value(usize),
    Variable(usize),
    Shared(usize),
    Held(usize),
    Pointer(usize),
    Length,
    Builtin(Builtin),
}

impl Making<'_, '_> {
    /// A name, a builtin or a load of this type, if there is one.
    pub(super) fn leaf(&mut self, ty: &Ty) -> Option<Exp> {
        let mut sources: Vec<Source> = Vec::new();
        let lower = if self.values.len() > 48 { self.values.len() - 48 } else { 0 };
        for (at, known) in self.values.iter().enumerate().skip(lower) {
            if self.has(&known.ty, ty) && !(self.same_for_all && known.varies) {
                sources.push(Source::Value(at));
            }
        }
        if self.here.group.is_some() && *ty == U32 {
            sources.extend([Builtin::GroupId, Builtin::Invocations].map(Source::Builtin));
            if !self.same_for_all {
                sources.extend([Builtin::GlobalId, Builtin::LocalId].map(Source::Builtin));
            }
        }
        if !self.same_for_all {
            sources.extend(self.sources(ty, false));
            if *ty == U32 && !self.held.is_empty() {
                sources.push(Source::Length);
            }
        }
        if sources.is_empty() {
            return None;
        }
        match self.draw.pick(&sources) {
            Source::Value(at) => {
                let Known { var, ty: from, varies } = self.values[at].clone();
                self.varies |= varies;
                let steps = self.way(from, ty);
                Some(steps.into_iter().fold(Exp::Var(var), |of, step| match step {
                    Step::At(index) => Exp::at(of, index),
                    Step::Field(field) => Exp::Field(Box::new(of), field),
                }))
            }
            Source::Builtin(builtin) => {
                self.varies |= matches!(builtin, Builtin::GlobalId | Builtin::LocalId);
                Some(Exp::Builtin(builtin))
            }
            Source::Length => {
                self.varies = true;
                let block = self.held[self.draw.below(self.held.len())].exp();
                Some(Exp::Length(Box::new(block)))
            }
            source => {
                self.varies = true;
                let place = self.place_of(source, ty);
                Some(Exp::load(place))
            }
        }
    }

    /// A place of this type that may be written here, if there is one.
    pub(super) fn target(&mut self, ty: &Ty) -> Option<Place> {
        let targets = self.sources(ty, true);
        if targets.is_empty() {
            return None;
        }
        let target = self.draw.pick(&targets);
        Some(self.place_of(target, ty))
    }

    /// Types of places that may be written here.
    pub(super) fn targets(&self) -> Vec<Ty> {
        let variables = self.variables.iter().map(|variable| variable.ty.clone());
        let shared = self.shared.iter().filter(|shared| self.is_own(shared)).map(Shared::part);
        let held = self.held.iter().filter(|held| self.may_write(held));
        let held = held.map(|held| Ty::Scalar(held.element));
        let pointers = self.pointers.iter().filter(|pointer| self.leads_to(pointer, true));
        let pointers = pointers.map(|pointer| pointer.ty.clone());
        variables.chain(shared).chain(held).chain(pointers).collect()
    }

    /// What has a part of this type and may be read here, or written.
    fn sources(&self, ty: &Ty, write: bool) -> Vec<Source> {
        let mut sources = Vec::new();
        for (at, variable) in self.variables.iter().enumerate() {
            if self.has(&variable.ty, ty) {
                sources.push(Source::Variable(at));
            }
        }
        for (at, shared) in self.shared.iter().enumerate() {
            let open = self.is_own(shared)
                || !write
                    && shared.phase == Phase::Read
                    && !matches!(shared.what, What::Counters(..));
            if open && self.has(&shared.part(), ty) {
                sources.push(Source::Shared(at));
            }
        }
        for (at, held) in self.held.iter().enumerate() {
            let open = self.may_write(held) || !write && held.mode == Mode::Input;
            if open && Ty::Scalar(held.element) == *ty {
                sources.push(Source::Held(at));
            }
        }
        for (at, pointer) in self.pointers.iter().enumerate() {
            if self.leads_to(pointer, write) && self.has(&pointer.ty, ty) {
                sources.push(Source::Pointer(at));
            }
        }
        sources
    }

    /// May what this points to be read here, or written?
    fn leads_to(&self, pointer: &Pointer, write: bool) -> bool {
        match pointer.into {
            Into::Own => true,
            Into::Input => !write,
            Into::OwnAtomic | Into::Update(_) => false,
            Into::Shared { at, own } => match self.shared[at].phase {
                Phase::Own => own,
                Phase::Read => !write && !matches!(pointer.ty, Ty::Atomic(_)),
                Phase::Update(_) => false,
            },
        }
    }

    /// Does the invocation have a part of this for its own here?
    pub(super) fn is_own(&self, shared: &Shared) -> bool {
        let own = match &shared.what {
            What::One(var, ..) => self.here.leads == Some(*var),
            What::Counters(..) => false,
            What::Slots(..) | What::Block(..) => true,
        };
        own && shared.phase == Phase::Own
    }

    pub(super) fn may_write(&self, held: &Held) -> bool {
        matches!(held.mode, Mode::Own { atomic: false, .. }) && self.here.one.is_some()
    }

    fn place_of(&mut self, source: Source, ty: &Ty) -> Place {
        let (place, from) = match source {
            Source::Variable(at) => {
                let variable = &self.variables[at];
                (variable.place.clone(), variable.ty.clone())
            }
            Source::Shared(at) => {
                let shared = self.shared[at].clone();
                (self.shared_place(&shared), shared.part())
            }
            Source::Held(at) => {
                let held = self.held[at].clone();
                return self.held_place(&held);
            }
            Source::Pointer(at) => {
                let Pointer { var, ty, .. } = self.pointers[at].clone();
                (Place::Deref(Exp::Var(var)), ty)
            }
            Source::Value(_) | Source::Length | Source::Builtin(_) => {
                unreachable!("it is no place")
            }
        };
        let steps = self.way(from, ty);
        steps.into_iter().fold(place, |of, step| match step {
            Step::At(index) => Place::At(Box::new(of), index),
            Step::Field(field) => Place::Field(Box::new(of), field),
        })
    }

    /// The invocation's own part, or any where all read.
    pub(super) fn shared_place(&mut self, shared: &Shared) -> Place {
        let group = self.here.group.unwrap_or(1);
        let own = shared.phase == Phase::Own;
        match shared.what {
            What::One(var, ..) | What::Counters(var, ..) => Place::Var(var),
            What::Slots(var, _) => {
                let slot =
                    if own { Exp::Builtin(Builtin::LocalId) } else { self.unsigned_below(group) };
                Place::At(Box::new(Place::Var(var)), slot)
            }
            What::Block(var, _) => {
                let at = if own {
                    Exp::Builtin(Builtin::GlobalId)
                } else {
                    let first =
                        Exp::bin(BinOp::Mul, Exp::Builtin(Builtin::GroupId), Exp::u32(group));
                    Exp::bin(BinOp::Add, first, self.unsigned_below(group))
                };
                Place::Element(Exp::Var(var), at)
            }
        }
    }

    /// An element of the block that the invocation may use as the mode says.
    pub(super) fn held_place(&mut self, held: &Held) -> Place {
        let block = held.exp();
        let at = match (held.mode, self.here.one.clone()) {
            (Mode::Own { each, reversed, .. }, Some(one)) => self.own_element(one, each, reversed),
            _ => {
                let index = self.index(Sc::U32, 1);
                Exp::bin(BinOp::Rem, index, Exp::Length(Box::new(block.clone())))
            }
        };
        Place::Element(block, at)
    }

    /// One of the elements that belong to an invocation which has so many.
    fn own_element(&mut self, one: Numbered, each: u32, reversed: bool) -> Exp {
        let Numbered { number, of, sc } = one;
        let literal = |k: u32| match sc {
            Sc::I32 => Exp::i32(k as i32),
            _ => Exp::u32(k),
        };
        let from = match reversed {
            true => Exp::bin(BinOp::Sub, Exp::bin(BinOp::Sub, of, literal(1)), number),
            false => number,
        };
        if each == 1 {
            return from;
        }
        let part = self.draw.below(each as usize) as u32;
        Exp::bin(BinOp::Add, Exp::bin(BinOp::Mul, from, literal(each)), literal(part))
    }

    /// A block that all may update here, or such a work-group variable, with an element of it.
    pub(super) fn updated(&mut self) -> Option<(Place, Sc, Update)> {
        let mut open = Vec::new();
        for (at, shared) in self.shared.iter().enumerate() {
            if let Phase::Update(_) = shared.phase {
                open.push(Source::Shared(at));
            }
        }
        for (at, held) in self.held.iter().enumerate() {
            if let Mode::Update(_) = held.mode {
                open.push(Source::Held(at));
            }
        }
        let counters = self.pointers.iter().enumerate();
        let counters =
            counters.filter(|(_, it)| matches!(self.phase_behind(it), Some(Phase::Update(_))));
        open.extend(counters.map(|(at, _)| Source::Pointer(at)));
        if open.is_empty() {
            return None;
        }
        match self.draw.pick(&open) {
            Source::Shared(at) => {
                let Shared { what: What::Counters(var, sc, count), phase: Phase::Update(update) } =
                    self.shared[at].clone()
                else {
                    return None;
                };
                Some((self.counter(Place::Var(var), count), sc, update))
            }
            Source::Held(at) => {
                let held = self.held[at].clone();
                let Mode::Update(update) = held.mode else { return None };
                Some((self.held_place(&held), held.element, update))
            }
            Source::Pointer(at) => {
                let pointer = &self.pointers[at];
                let (Some(Phase::Update(update)), Ty::Atomic(sc)) =
                    (self.phase_behind(pointer), &pointer.ty)
                else {
                    return None;
                };
                Some((Place::Deref(Exp::Var(pointer.var)), *sc, update))
            }
            _ => None,
        }
    }

    /// The phase of the atomic that this points to, if it points to one of the work group or one that all
    /// update.
    fn phase_behind(&self, pointer: &Pointer) -> Option<Phase> {
        match (pointer.into, &pointer.ty) {
            (Into::Shared { at, .. }, Ty::Atomic(_)) => Some(self.shared[at].phase),
            (Into::Update(update), _) => Some(Phase::Update(update)),
            _ => None,
        }
    }

    /// A work-group atomic that all may read here.
    pub(super) fn read_counter(&mut self) -> Option<(Place, Sc)> {
        let open = self.shared.iter().filter_map(|shared| match shared.what {
            What::Counters(var, sc, count) if shared.phase == Phase::Read => {
                Some((var, sc, Some(count)))
            }
            _ => None,
        });
        let pointed = self.pointers.iter().filter_map(|pointer| match pointer.ty {
            Ty::Atomic(sc) if self.phase_behind(pointer) == Some(Phase::Read) => {
                Some((pointer.var, sc, None))
            }
            _ => None,
        });
        let open: Vec<_> = open.chain(pointed).collect();
        if open.is_empty() {
            return None;
        }
        let (var, sc, count) = self.draw.pick(&open);
        let place = match count {
            Some(count) => self.counter(Place::Var(var), count),
            None => Place::Deref(Exp::Var(var)),
        };
        Some((place, sc))
    }

    pub(super) fn counter(&mut self, var: Place, count: Option<u32>) -> Place {
        match count {
            Some(count) => Place::At(Box::new(var), self.index_below(count)),
            None => var,
        }
    }

    /// The way from a type to a part of it.
    fn way(&mut self, mut from: Ty, to: &Ty) -> Vec<Step> {
        let mut steps = Vec::new();
        while from != *to {
            from = match from {
                Ty::Vector(sc, n) => {
                    steps.push(Step::At(self.index_below(n.into())));
                    Ty::Scalar(sc)
                }
                Ty::Array(part, n) => {
                    steps.push(Step::At(self.index_below(n)));
                    *part
                }
                Ty::Struct(k) => {
                    let fields = self.program.structs[k as usize].fields.clone();
                    let open = fields.iter().enumerate().filter(|(_, (_, ty))| self.has(ty, to));
                    let open: Vec<usize> = open.map(|(at, _)| at).collect();
                    let field = self.draw.pick(&open);
                    steps.push(Step::Field(field as u32));
                    fields[field].1.clone()
                }
                _ => unreachable!("it has such a part"),
            };
        }
        steps
    }

    /// An i32 or u32 from 0 to below `n`.
    pub(super) fn index_below(&mut self, n: u32) -> Exp {
        match self.draw.below(5) {
            0 | 1 => {
                let k = self.draw.below(n as usize) as u32;
                if self.draw.chance(50) { Exp::u32(k) } else { Exp::i32(k as i32) }
            }
            2 if n.is_power_of_two() => {
                Exp::bin(BinOp::And, self.index(Sc::I32, 0), Exp::i32(n as i32 - 1))
            }
            3 => Exp::bin(BinOp::Min, self.index(Sc::U32, 0), Exp::u32(n - 1)),
            _ => self.unsigned_below(n),
        }
    }

    /// What an index is made of. Indices in indices end.
    fn index(&mut self, sc: Sc, depth: u32) -> Exp {
        if self.indices >= 2 {
            return self.literal(sc);
        }
        self.indices += 1;
        let made = self.scalar(sc, depth);
        self.indices -= 1;
        made
    }

    /// A u32 from 0 to below `n`.
    pub(super) fn unsigned_below(&mut self, n: u32) -> Exp {
        Exp::bin(BinOp::Rem, self.index(Sc::U32, 1), Exp::Lit(Lit::U32(n)))
    }
}

impl Shared {
    /// The type of the part that an invocation has.
    pub(super) fn part(&self) -> Ty {
        match &self.what {
            What::Slots(_, ty) | What::One(_, ty, _) => ty.clone(),
            What::Counters(_, sc, _) => Ty::Atomic(*sc),
            What::Block(_, sc) => Ty::Scalar(*sc),
        }
    }
}
