//! Which arrays of a FUN program may share elements when each derived array stays where its
//! operand is: what insertion of memory must know before it updates an array in place.
//!
//! Facts are computed by going over the program until nothing changes; they only grow, so it
//! ends.

use crate::fun::syntax::{Atom, Body, Dim, Exp, Fun, Program, Stm, Ty};
use crate::kit::names::Var;
use smallvec::{SmallVec, smallvec};

/// The arrays that made the elements of an array: parameters, kernels, carried variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Roots {
    /// Too many to count: anything.
    any: bool,
    /// In ascending order. Most arrays have few.
    set: SmallVec<[Var; 4]>,
}

/// More roots than these are no longer told apart, so that long programs stay linear.
const MANY: usize = 64;

impl Roots {
    fn of(var: Var) -> Self {
        Self { any: false, set: smallvec![var] }
    }

    fn add(&mut self, other: &Roots) {
        self.any |= other.any;
        if self.set.is_empty() {
            self.set = SmallVec::from_slice(&other.set);
        }
        for &var in &other.set {
            if let Err(at) = self.set.binary_search(&var) {
                self.set.insert(at, var);
            }
        }
        self.any |= self.set.len() > MANY;
        if self.any {
            self.set.clear();
        }
    }

    /// May arrays with these roots share elements?
    pub(super) fn meet(&self, other: &Roots) -> bool {
        match (self.any, other.any) {
            (false, false) => self.set.iter().any(|var| other.set.binary_search(var).is_ok()),
            _ => true,
        }
    }

    /// Is each root one that `allowed` allows?
    pub(super) fn all(&self, allowed: impl Fn(Var) -> bool) -> bool {
        !self.any && self.set.iter().all(|&var| allowed(var))
    }
}

/// What is known of each variable, by slot.
pub(super) struct Facts {
    roots: Vec<Roots>,
    /// Two indices of the array are never the same place.
    injective: Vec<bool>,
    /// A carried variable that the body of its loop updates: it must own its elements.
    updated: Vec<bool>,
    /// The kernel or loop body in which a variable is bound, by number. Bodies inside others
    /// have higher numbers, so what a body made itself is its number or more.
    home: Vec<u32>,
    /// There is one: only from it do facts flow back.
    loops: bool,
    changed: bool,
    /// Roots stop at carried variables that are updated, since those start from copies.
    cut: bool,
}

impl Facts {
    /// The facts of a program.
    pub(super) fn new(program: &Program<Fun>) -> Self {
        let n = program.names.len();
        let updated = vec![false; n];
        // Of a program that updates nothing no other fact is asked for, so none has a place.
        let n = if updates(&program.body) { n } else { 0 };
        let mut facts = Facts {
            roots: vec![Roots::default(); n],
            injective: vec![true; n],
            updated,
            home: vec![0; n],
            loops: false,
            changed: true,
            cut: false,
        };
        if n == 0 {
            return facts;
        }
        let mut bodies = 0;
        facts.place(&program.body, 0, &mut bodies);
        facts.settle(program);
        // Where nothing carried is updated a cut changes nothing.
        if facts.loops && facts.updated.contains(&true) {
            facts.roots = vec![Roots::default(); n];
            facts.cut = true;
            facts.settle(program);
        }
        facts
    }

    /// The roots of an atom; a constant has none.
    pub(super) fn roots(&self, atom: Atom) -> Roots {
        atom.var().map_or_else(Roots::default, |var| self.roots[var.slot()].clone())
    }

    /// Are two indices of the array never the same place?
    pub(super) fn injective(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| self.injective[var.slot()])
    }

    /// Does the body of its loop update the carried variable?
    pub(super) fn updated(&self, carried: Var) -> bool {
        self.updated[carried.slot()]
    }

    /// May `result` of a loop's body become the updated carried variable `at` of the next round
    /// as it is? Its elements must belong to no other array: made in this body or owned by a
    /// carried variable that is updated, and not part of another result.
    pub(super) fn owned(&self, carried: &[Var], results: &[Atom], at: usize, counter: Var) -> bool {
        let roots = self.roots(results[at]);
        let home = self.home[counter.slot()];
        let alone = results
            .iter()
            .enumerate()
            .all(|(other, &result)| other == at || !roots.meet(&self.roots(result)));
        let ours = roots.all(|root| {
            let is_carried = carried.contains(&root);
            self.home[root.slot()] >= home && (!is_carried || self.updated(root))
        });
        alone && ours && self.injective(results[at])
    }

    /// Notes in which body each variable is bound. A branch belongs to the body around it.
    fn place(&mut self, body: &Body<Fun>, home: u32, bodies: &mut u32) {
        for stm in &body.stms {
            for binding in &stm.pattern {
                self.home[binding.var.slot()] = home;
            }
            match &stm.exp {
                Exp::If { then, orelse, .. } => {
                    self.place(then, home, bodies);
                    self.place(orelse, home, bodies);
                }
                Exp::Kernel { thread: own, body, .. } => {
                    *bodies += 1;
                    let inner = *bodies;
                    self.home[own.slot()] = inner;
                    self.place(body, inner, bodies);
                }
                Exp::Loop { carried, counter, body, .. } => {
                    self.loops = true;
                    *bodies += 1;
                    let inner = *bodies;
                    self.home[counter.slot()] = inner;
                    for (binding, _) in carried {
                        self.home[binding.var.slot()] = inner;
                    }
                    self.place(body, inner, bodies);
                }
                _ => {}
            }
        }
    }

    fn settle(&mut self, program: &Program<Fun>) {
        for param in &program.params {
            if matches!(param.ty, Ty::Array(_)) {
                self.grow(param.var, &Roots::of(param.var));
            }
        }
        loop {
            self.changed = false;
            self.body(&program.body);
            if !self.changed || !self.loops {
                break;
            }
        }
    }

    fn grow(&mut self, var: Var, by: &Roots) {
        let roots = &mut self.roots[var.slot()];
        let before = (roots.any, roots.set.len());
        roots.add(by);
        self.changed |= before != (roots.any, roots.set.len());
    }

    fn spoil(&mut self, var: Var, injective: bool) {
        let known = &mut self.injective[var.slot()];
        self.changed |= *known && !injective;
        *known &= injective;
    }

    fn body(&mut self, body: &Body<Fun>) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }

    fn stm(&mut self, stm: &Stm<Fun>) {
        match &stm.exp {
            Exp::Scalar(_) | Exp::Index { .. } => {}
            Exp::Slice { array, slice } => {
                let distinct = slice.iter().all(steps_apart);
                self.derive(stm.pattern[0].var, *array, distinct);
            }
            Exp::Transpose(array) => self.derive(stm.pattern[0].var, *array, true),
            Exp::Update { array, .. } => {
                let z = stm.pattern[0].var;
                if !self.cut && self.roots[array.slot()].any {
                    self.updated.fill(true);
                } else if !self.cut {
                    for at in 0..self.roots[array.slot()].set.len() {
                        let root = self.roots[array.slot()].set[at];
                        self.updated[root.slot()] = true;
                    }
                }
                if self.injective[array.slot()] {
                    self.derive(z, *array, true);
                } else {
                    self.grow(z, &Roots::of(z));
                }
            }
            Exp::Kernel { body, .. } => {
                self.body(body);
                for binding in &stm.pattern {
                    self.grow(binding.var, &Roots::of(binding.var));
                }
            }
            Exp::If { then, orelse, .. } => {
                self.body(then);
                self.body(orelse);
                for (at, binding) in stm.pattern.iter().enumerate() {
                    for result in [then.results[at], orelse.results[at]] {
                        self.flow(binding.var, result);
                    }
                }
            }
            Exp::Loop { carried, body, .. } => {
                let own: Vec<Var> = carried.iter().map(|(binding, _)| binding.var).collect();
                for (binding, _) in carried {
                    if matches!(binding.ty, Ty::Array(_)) {
                        self.grow(binding.var, &Roots::of(binding.var));
                    }
                }
                self.body(body);
                for (at, (binding, init)) in carried.iter().enumerate() {
                    if matches!(binding.ty, Ty::Int) {
                        continue;
                    }
                    let (c, z, result) = (binding.var, stm.pattern[at].var, body.results[at]);
                    let copied = self.cut && self.updated[c.slot()];
                    if !copied {
                        self.flow(c, *init);
                        self.flow(c, result);
                        self.flow(z, *init);
                    }
                    let mut after = self.roots(result);
                    after.set.retain(|root| !own.contains(root));
                    after.add(&Roots::of(z));
                    self.grow(z, &after);
                    self.spoil(z, copied || self.injective(result));
                }
            }
            Exp::Extra(never) => match *never {},
        }
    }

    /// `z` is another view of `array`.
    fn derive(&mut self, z: Var, array: Var, injective: bool) {
        self.flow(z, array.into());
        self.spoil(z, injective);
    }

    /// `z` may be `from`.
    fn flow(&mut self, z: Var, from: Atom) {
        let roots = self.roots(from);
        self.grow(z, &roots);
        self.spoil(z, self.injective(from));
    }
}

/// Does the body update an array?
fn updates(body: &Body<Fun>) -> bool {
    body.stms.iter().any(|stm| match &stm.exp {
        Exp::Update { .. } => true,
        Exp::If { then, orelse, .. } => updates(then) || updates(orelse),
        Exp::Kernel { body, .. } | Exp::Loop { body, .. } => updates(body),
        _ => false,
    })
}

/// Do the elements of the dimension stand at different places, whatever the names in it are?
pub(super) fn steps_apart(dim: &Dim) -> bool {
    match (dim.stride, dim.size) {
        (_, Atom::Const(..=1)) => true,
        (Atom::Const(stride), _) => stride != 0,
        (Atom::Var(_), _) => false,
    }
}
