//! Kernels of work groups.
//!
//! What a chunk does outside of elements, its *spine*, all invocations do alike. Elements are dealt to them in
//! rounds. Between what different invocations write and read stands a barrier, and nowhere else; what steers
//! the spine is uniform.
//!
//! How it tells what failed is in [`telling`](super::telling).

use super::code::Item;
use super::places::{Base, Places};
use super::telling::Telling;
use super::warps::Warps;
use super::{Context, Failing, Lower, Lowered, code, fold};
use reference::device::syntax::{
    AtomicOp, Builtin, Carried, Exp, I32, Kind, Place, Sc, Scope, Ty, U32,
};
use reference::device::visit;
use reference::kit::faults::WrongFcl;
use reference::kit::names::{Names, Var};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use rustc_hash::FxHashSet;

/// An array that invocations share.
#[derive(Clone, Copy)]
pub(super) struct Shared {
    /// How far barriers order its accesses, if they do.
    scope: Option<Scope>,
    /// Its number among those in the memory of the group, if it is one.
    pub(super) number: Option<usize>,
}

/// What a kernel of work groups has besides its statements.
#[derive(Clone)]
pub(super) struct Group {
    /// Invocations of each group.
    pub(super) size: u32,
    /// The number of the failure that the invocation remembers, 0 for none.
    pub(super) failed: Var,
    /// The element that it is of, from 1; 0 for the spine.
    at: Var,
    /// Its operands.
    operands: [Var; 2],
    /// Elements, from 1, of arrays that are made in that element.
    pub(super) inner: Vec<Var>,
    /// Words of the group.
    pub(super) words: Var,
    /// Where arrays lie in them.
    pub(super) places: Places,
    /// `u32::MAX` less the lowest element that failed, 0 if none did; an atomic of the group.
    lowest: Var,
    /// The same for all.
    pub(super) flag: Var,
    /// What the first invocation tells the others.
    told: Var,
    tells: bool,
    pub(super) settles: bool,
    /// What its warps have, if it makes chunks by them.
    pub(super) warps: Option<Warps>,
    /// How it tells what failed.
    pub(super) telling: Telling,
    /// What may fail: the site, and how many numbers of elements are told.
    pub(super) failures: Vec<(u32, usize)>,
    /// Arrays that invocations share.
    pub(super) shared: Vec<Shared>,
    /// Accesses since the last barrier: the array, and whether it was written.
    pub(super) pending: Vec<(u32, bool)>,
    /// The number of the element that is dealt, if one is.
    pub(super) dealt: Option<Var>,
    /// Accesses of the elements at hand.
    touched: Vec<(u32, bool)>,
    /// Accesses of the chunks of warps at hand to arrays that are not theirs.
    pub(super) outer: Vec<(u32, bool)>,
    uniform: FxHashSet<Var>,
}

impl Group {
    /// Words of work-group memory that a kernel takes besides its arrays, at most.
    pub(super) const OWN_WORDS: u32 = 3;

    pub(super) fn new(size: u32, places: Places, telling: Telling, names: &mut Names) -> Self {
        Self {
            size,
            failed: names.fresh("failed"),
            at: names.fresh("failed_at"),
            operands: [names.fresh("operand_a"), names.fresh("operand_b")],
            inner: Vec::new(),
            words: names.fresh("words"),
            places,
            lowest: names.fresh("lowest"),
            flag: names.fresh("flag"),
            told: names.fresh("told"),
            tells: false,
            settles: false,
            warps: None,
            telling,
            failures: Vec::new(),
            shared: Vec::new(),
            pending: Vec::new(),
            dealt: None,
            touched: Vec::new(),
            outer: Vec::new(),
            uniform: FxHashSet::default(),
        }
    }

    /// A number for an array of a block that invocations share.
    pub(super) fn share_block(&mut self) -> u32 {
        self.share(Shared { scope: Some(Scope::Storage), number: None })
    }

    /// A number for an array of so many words of the group, and its place, if it has one. Barriers order its accesses
    /// unless a planted fault forgets it.
    pub(super) fn share_words(&mut self, words: u32, ordered: bool) -> Option<(u32, Base)> {
        let (number, place) = self.places.make(words)?;
        let scope = ordered.then_some(Scope::Workgroup);
        Some((self.share(Shared { scope, number: Some(number) }), place))
    }

    fn share(&mut self, shared: Shared) -> u32 {
        self.shared.push(shared);
        self.shared.len() as u32 - 1
    }

    /// Are accesses of the array ordered by barriers of this scope?
    pub(super) fn is_ordered_by(&self, array: u32, scope: Scope) -> bool {
        self.shared[array as usize].scope == Some(scope)
    }

    /// Does an access conflict with one that no barrier orders yet?
    fn conflicts(&self, (array, writes): (u32, bool)) -> bool {
        let number = |array: u32| self.shared[array as usize].number;
        let meet = |other: u32| {
            let words = number(array).zip(number(other));
            other == array || words.is_some_and(|(a, b)| self.places.overlap(a, b))
        };
        self.pending.iter().any(|(other, wrote)| (*wrote || writes) && meet(*other))
    }

    /// The variables of the group.
    pub(super) fn variables(&self) -> Vec<(Var, Ty)> {
        let mut variables = Vec::new();
        let used = self.places.used();
        if used > 0 {
            variables.push((self.words, Ty::Array(Box::new(U32), used)));
        }
        if !self.failures.is_empty() {
            variables.push((self.lowest, Ty::Atomic(Sc::U32)));
        }
        if self.settles {
            variables.push((self.flag, U32));
        }
        if self.tells {
            variables.push((self.told, I32));
        }
        if let Some(warps) = &self.warps {
            variables.extend(warps.variables(!self.failures.is_empty()));
        }
        variables
    }

    /// Those of an invocation.
    pub(super) fn private(&self) -> Vec<(Var, Ty)> {
        if self.failures.is_empty() {
            return Vec::new();
        }
        self.record().into_iter().map(|var| (var, I32)).collect()
    }

    /// The words of a record: the failure, two operands, the element, elements in it.
    fn record(&self) -> Vec<Var> {
        let [a, b] = self.operands;
        [self.failed, a, b, self.at].into_iter().chain(self.inner.iter().copied()).collect()
    }

    /// How many words a record has.
    pub(super) fn stride(&self) -> u32 {
        self.record().len() as u32
    }
}

pub(super) fn load(var: Var) -> Exp {
    Exp::load(Place::Var(var))
}

/// What an invocation remembers of a failure that another one of its warp tells.
pub(super) const NOT_TOLD: i32 = -1;

/// Does the invocation remember a failure that it tells?
pub(super) fn is_told(failed: Var) -> Exp {
    Exp::bin(BinOp::Lt, Exp::i32(0), load(failed))
}

/// Is the invocation the first one of its group?
pub(super) fn is_first() -> Exp {
    Exp::bin(BinOp::Eq, Exp::Builtin(Builtin::LocalId), Exp::u32(0))
}

impl<'p> Lower<'p> {
    /// The kernel of work groups at hand.
    ///
    /// # Panics
    /// If none is.
    pub(super) fn group(&mut self) -> &mut Group {
        self.group.as_mut().expect("a kernel of work groups is written")
    }

    /// Has every invocation that computes it the same value?
    pub(super) fn is_uniform(&self, exp: &Exp) -> bool {
        let Some(group) = &self.group else { return true };
        !visit::any_exp(exp, &mut |part| match part {
            Exp::Var(var) => !self.host.contains_key(var) && !group.uniform.contains(var),
            Exp::Builtin(Builtin::GlobalId | Builtin::LocalId) | Exp::Load(_) | Exp::Ref(_) => true,
            _ => false,
        })
    }

    /// Invocations have different values of it from now on.
    pub(super) fn vary(&mut self, var: Var) {
        if let Some(group) = &mut self.group {
            group.uniform.remove(&var);
        }
    }

    pub(super) fn mark_uniform(&mut self, var: Var) {
        if let Some(group) = &mut self.group {
            group.uniform.insert(var);
        }
    }

    /// What the spine is steered by: the same for all invocations.
    pub(super) fn steering(&mut self, span: Span, cond: Exp) -> Exp {
        // All invocations of a warp have the same value.
        let of_warp = self.context.warp().is_some();
        if !self.context.is_spine() || of_warp || self.is_uniform(&cond) {
            return cond;
        }
        let told = self.told(span, fold::cast(Sc::I32, cond));
        Exp::bin(BinOp::Ne, told, Exp::i32(0))
    }

    /// What the first invocation has, for all of them. In the spine only.
    pub(super) fn told(&mut self, span: Span, value: Exp) -> Exp {
        self.trusts();
        let told = self.group().told;
        self.group().tells = true;
        let tell = Kind::Store(Place::Var(told), value);
        self.emit(span, Item::If(is_first(), vec![(span, Item::Kernel(tell))], Vec::new()));
        Exp::Var(self.uniform_load(span, "told", told))
    }

    /// At the end of a round of the spine: a barrier for what the next round does to the same arrays.
    pub(super) fn ends_round(&mut self, span: Span) {
        for scope in [Scope::Workgroup, Scope::Storage] {
            let group = self.group();
            if group.pending.iter().any(|(array, _)| group.is_ordered_by(*array, scope)) {
                self.barrier(span, scope);
            }
        }
    }

    pub(super) fn uniform_load(&mut self, span: Span, wish: &'static str, var: Var) -> Var {
        let into = self.names.fresh(wish);
        self.emit(span, Item::Kernel(Kind::UniformLoad { into, place: Place::Var(var) }));
        self.mark_uniform(into);
        self.passed(Scope::Workgroup);
        into
    }

    pub(super) fn barrier(&mut self, span: Span, scope: Scope) {
        self.emit(span, Item::Kernel(Kind::Barrier(scope)));
        self.passed(scope);
    }

    /// A barrier of this scope was passed.
    fn passed(&mut self, scope: Scope) {
        let group = self.group();
        let mut pending = std::mem::take(&mut group.pending);
        pending.retain(|(array, _)| !group.is_ordered_by(*array, scope));
        group.pending = pending;
    }

    /// A shared array is read or written.
    pub(super) fn touches(&mut self, span: Span, array: u32, writes: bool) {
        let group = self.group();
        if let Some(number) = group.shared[array as usize].number {
            group.places.touch(number);
        }
        if !self.context.is_spine() {
            self.group().touched.push((array, writes));
            return;
        }
        self.accesses(span, vec![(array, writes)]);
    }

    /// Accesses of a spine. In a warp those of arrays from before its chunk are ordered before it is made.
    fn accesses(&mut self, span: Span, of: Vec<(u32, bool)>) {
        let own = self.context.warp().map_or(0, |warp| warp.own);
        let (own, outer): (Vec<_>, Vec<_>) = of.into_iter().partition(|(array, _)| *array >= own);
        self.orders(span, &own);
        let group = self.group();
        group.pending.extend(own);
        group.outer.extend(outer);
    }

    /// A barrier where one of these accesses conflicts with one before.
    pub(super) fn orders(&mut self, span: Span, accesses: &[(u32, bool)]) {
        for scope in [Scope::Workgroup, Scope::Storage] {
            let group = self.group();
            let conflict = |access: &(u32, bool)| {
                group.is_ordered_by(access.0, scope) && group.conflicts(*access)
            };
            if accesses.iter().any(conflict) {
                self.barrier(span, scope);
            }
        }
    }

    /// Accesses that no barrier orders yet.
    pub(super) fn pending(&self) -> Vec<(u32, bool)> {
        self.group.as_ref().map_or(Vec::new(), |group| group.pending.clone())
    }

    /// The same, and others in their place.
    pub(super) fn replace_pending(&mut self, pending: Vec<(u32, bool)>) -> Vec<(u32, bool)> {
        match &mut self.group {
            Some(group) => std::mem::replace(&mut group.pending, pending),
            None => Vec::new(),
        }
    }

    pub(super) fn add_pending(&mut self, pending: Vec<(u32, bool)>) {
        if let Some(group) = &mut self.group {
            for access in pending {
                if !group.pending.contains(&access) {
                    group.pending.push(access);
                }
            }
        }
    }

    /// Has no check failed in this invocation?
    pub(super) fn is_well(&mut self) -> Exp {
        Exp::bin(BinOp::Eq, load(self.group().failed), Exp::i32(0))
    }

    /// The failure of a check is remembered; what follows stands behind its condition.
    pub(super) fn remember(
        &mut self,
        span: Span,
        site: u32,
        cond: Exp,
        operands: Vec<Exp>,
        path: Vec<Exp>,
    ) -> Lowered {
        let cond = self.named(span, "holds", Sc::Bool, cond);
        while self.group().inner.len() + 1 < path.len() {
            let inner = self.names.fresh("failed_inside");
            self.group().inner.push(inner);
        }
        let is_spine = self.context.is_spine();
        let of_warp = self.context.warp().filter(|_| is_spine).cloned();
        let group = self.group();
        let failure = (site, path.len());
        let number = group.failures.iter().position(|other| *other == failure);
        let number = number.unwrap_or_else(|| {
            group.failures.push(failure);
            group.failures.len() - 1
        });
        let number = Exp::i32(number as i32 + 1);
        let number = match &of_warp {
            // One invocation of the warp tells it.
            Some(warp) => fold::select(warp.is_first_lane(), number, Exp::i32(NOT_TOLD)),
            None => number,
        };
        let mut sets = vec![(group.failed, number)];
        let places = std::iter::once(group.at).chain(group.inner.iter().copied());
        sets.extend(places.zip(path));
        sets.extend(group.operands.into_iter().zip(operands));
        let fails = vec![(span, Item::Set(sets))];
        self.emit(span, Item::If(fold::not(cond.clone()), fails, Vec::new()));
        self.fails += 1;
        if is_spine && of_warp.is_none() && !self.is_uniform(&cond) {
            self.settle(span);
        } else {
            self.code.guard(span, cond);
        }
        Ok(())
    }

    /// Where a check may have failed in what was written since there were so many: the rest is only for those in which
    /// none did.
    pub(super) fn after(&mut self, span: Span, fails: usize) -> Lowered {
        if self.fails == fails {
            return Ok(());
        }
        if self.context.is_spine() {
            self.settle(span);
        } else {
            let well = self.is_well();
            self.code.guard(span, well);
        }
        Ok(())
    }

    /// What is the lowest of the failure that is told: the element.
    fn order_of_failure(&mut self) -> Exp {
        match self.has(WrongFcl::LowestInvocation) {
            true => Exp::Builtin(Builtin::LocalId),
            false => fold::cast(Sc::U32, load(self.group().at)),
        }
    }

    /// The lowest element that failed is made known to the group.
    fn notes(&mut self) -> (Span, Item) {
        let at = self.order_of_failure();
        let group = self.group();
        let note = Kind::Atomic {
            into: None,
            op: AtomicOp::Max,
            place: Place::Var(group.lowest),
            operands: vec![Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), at)],
        };
        let failed = is_told(group.failed);
        (Span::default(), Item::If(failed, vec![(Span::default(), Item::Kernel(note))], Vec::new()))
    }

    /// All invocations of the spine ask whether a check failed in one of them; what follows is for where none did.
    fn settle(&mut self, span: Span) {
        if let Some(warp) = self.context.warp().cloned() {
            return self.settle_warp(span, &warp);
        }
        let (_, notes) = self.notes();
        self.emit(span, notes);
        self.barrier(span, Scope::Workgroup);
        let (lowest, flag) = (self.group().lowest, self.group().flag);
        self.group().settles = true;
        let into = self.names.fresh("lowest_now");
        let first = vec![
            (span, Item::Kernel(atomic_load(into, Place::Var(lowest)))),
            (span, Item::Kernel(Kind::Store(Place::Var(flag), Exp::Var(into)))),
        ];
        self.emit(span, Item::If(is_first(), first, Vec::new()));
        let flag = self.uniform_load(span, "flag_now", flag);
        self.code.guard(span, Exp::bin(BinOp::Eq, Exp::Var(flag), Exp::u32(0)));
    }

    /// Elements `0, …, n - 1` are dealt to the invocations of the group, or of the warp.
    pub(super) fn deal<T>(
        &mut self,
        span: Span,
        length: &Exp,
        write: impl FnOnce(&mut Self, &Exp) -> Lowered<T>,
    ) -> Lowered<T> {
        self.steps_on();
        let fails = self.fails;
        let (size, first) = match self.context.warp() {
            Some(warp) => (self.target.machine.warp, warp.lane.clone()),
            None => (self.group().size, Exp::Builtin(Builtin::LocalId)),
        };
        let Failing::Group(path) = self.context.failing.clone() else {
            unreachable!("elements are dealt in kernels of work groups")
        };
        let in_element = |of: Exp| Failing::Group(path.iter().cloned().chain([of]).collect());
        let number = self.names.fresh("number");
        let few = self.most(length).is_some_and(|most| most <= size);
        let most = self.range(length).map_or(i64::from(i32::MAX), |range| range.1);
        self.ranges.insert(number, (0, most.max(1) - 1));
        let context = Context { level: 0, ..self.context.clone() };
        let touched = std::mem::take(&mut self.group().touched);
        let begin = self.group().places.begins();
        let dealt = self.group().dealt.replace(number);
        let made = self.inside(context, |to| {
            to.context.failing = in_element(Exp::i32(0));
            let index = fold::cast(Sc::I32, Exp::Var(number));
            let index = to.named(span, "j", Sc::I32, index);
            to.is_below(&index, length);
            let of_element = fold::bin(BinOp::Add, index.clone(), Exp::i32(1));
            to.context.failing = in_element(of_element);
            write(to, &index)
        });
        self.group().dealt = dealt;
        let (made, body) = made?;
        let touched = std::mem::replace(&mut self.group().touched, touched);
        self.group().places.at_once(begin);
        self.accesses(span, touched);
        let mut end = fold::cast(Sc::U32, length.clone());
        if !few && self.has(WrongFcl::IncompleteRound) {
            let rest = Exp::bin(BinOp::Rem, end.clone(), Exp::u32(size));
            end = Exp::bin(BinOp::Sub, end, rest);
        }
        let below = Exp::bin(BinOp::Lt, Exp::Var(number), end);
        if few {
            self.emit(span, Item::Let(number, U32, first));
            self.emit(span, Item::If(below, body, Vec::new()));
        } else {
            let cond = if self.fails > fails { fold::and(below, self.is_well()) } else { below };
            let carried = vec![Carried { var: number, ty: U32, init: first }];
            let next = vec![Exp::bin(BinOp::Add, Exp::Var(number), Exp::u32(size))];
            self.emit(span, Item::Loop { carried, cond, body, next });
        }
        Ok(made)
    }

    /// The end of the kernel: the failure of the lowest element is written down, for this group, into the
    /// blocks `header` and `records`.
    pub(super) fn write_down(&mut self, span: Span, [header, records]: [Var; 2]) {
        let (_, notes) = self.notes();
        self.emit(span, notes);
        self.barrier(span, Scope::Workgroup);
        let Group { failed, at, lowest, .. } = *self.group();
        let (record, stride) = (self.group().record(), self.group().stride());
        let into = self.names.fresh("lowest_at_end");
        self.emit(span, Item::Kernel(atomic_load(into, Place::Var(lowest))));
        let own = Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), self.order_of_failure());
        let of_element = Exp::bin(BinOp::Ne, load(at), Exp::i32(0));
        let one = Exp::bin(BinOp::Or, of_element, is_first());
        let fails = is_told(failed);
        let lowest = Exp::bin(BinOp::Eq, Exp::Var(into), own);
        let cond = Exp::bin(BinOp::And, Exp::bin(BinOp::And, fails, lowest), one);
        let group = || Exp::Builtin(Builtin::GroupId);
        let first = Exp::bin(BinOp::Mul, group(), Exp::u32(stride));
        let mut told: code::Items = record
            .into_iter()
            .zip(0..)
            .map(|(var, word)| {
                let at = Exp::bin(BinOp::Add, first.clone(), Exp::u32(word));
                let store = Kind::Store(Place::Element(Exp::Var(records), at), load(var));
                (span, Item::Kernel(store))
            })
            .collect();
        let note = Kind::Atomic {
            into: None,
            op: AtomicOp::Max,
            place: Place::Element(Exp::Var(header), Exp::u32(0)),
            operands: vec![Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), group())],
        };
        told.push((span, Item::Kernel(note)));
        let told = self.lowest_of_warp(span, told);
        self.emit(span, Item::If(cond, told, Vec::new()));
    }
}

pub(super) fn atomic_load(into: Var, place: Place) -> Kind {
    Kind::Atomic { into: Some(into), op: AtomicOp::Load, place, operands: Vec::new() }
}
