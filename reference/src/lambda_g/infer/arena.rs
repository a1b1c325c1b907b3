//! Types, regions and effects that are not known yet, and unification of them.

use crate::kit::names::Var;
use rustc_hash::FxHashMap;

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tv(pub(super) u32);

/// A region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Rv(pub(super) u32);

/// An effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ev(pub(super) u32);

/// What is known of a type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Unknown,
    Bool,
    Boxed(Mu, Rv),
}

/// What is known of a boxed type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mu {
    Unknown,
    Int,
    Vec(Tv),
    Pair(Tv, Tv),
    Fn(Tv, Ev, Tv),
    /// The region that it binds, the bound, the latent effect and the type.
    Pi(Var, Ev, Ev, Tv),
}

/// An effect that is written.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    pub(super) regions: Vec<Rv>,
    pub(super) host: bool,
}

/// What is known of an effect.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) written: Option<Written>,
    /// It has what these have, with a region in place of the one that a `Pi` binds.
    pub(super) copies: Vec<(Ev, Var, Rv)>,
}

/// Types nested deeper are not copied: none could be written.
const DEEPEST: usize = 300;

/// All of them. What is equal is in one class; the last step to its root is a link.
#[derive(Default)]
pub(super) struct Arena {
    types: Vec<Result<Shape, Tv>>,
    regions: Vec<Result<Option<Var>, Rv>>,
    effects: Vec<Result<Known, Ev>>,
    /// The regions that have names.
    named: FxHashMap<Var, Rv>,
    /// Do some types that should be equal differ? The checker says which.
    pub(super) differ: bool,
    /// Two regions that should be equal and have names.
    pub(super) apart: Option<(Var, Var)>,
    /// Is some type nested too deeply?
    pub(super) deep: bool,
}

impl Arena {
    pub(super) fn ty(&mut self, shape: Shape) -> Tv {
        self.types.push(Ok(shape));
        Tv(self.types.len() as u32 - 1)
    }

    pub(super) fn unknown(&mut self) -> Tv {
        self.ty(Shape::Unknown)
    }

    pub(super) fn boxed(&mut self, mu: Mu, region: Rv) -> Tv {
        self.ty(Shape::Boxed(mu, region))
    }

    pub(super) fn region(&mut self) -> Rv {
        self.regions.push(Ok(None));
        Rv(self.regions.len() as u32 - 1)
    }

    /// The region that has a name.
    pub(super) fn named(&mut self, var: Var) -> Rv {
        if let Some(region) = self.named.get(&var) {
            return *region;
        }
        let region = self.region();
        self.regions[region.0 as usize] = Ok(Some(var));
        self.named.insert(var, region);
        region
    }

    pub(super) fn effect(&mut self, known: Known) -> Ev {
        self.effects.push(Ok(known));
        Ev(self.effects.len() as u32 - 1)
    }

    pub(super) fn regions(&self) -> usize {
        self.regions.len()
    }

    pub(super) fn effects(&self) -> usize {
        self.effects.len()
    }

    pub(super) fn types(&self) -> usize {
        self.types.len()
    }

    pub(super) fn root(&self, mut ty: Tv) -> Tv {
        while let Err(next) = self.types[ty.0 as usize] {
            ty = next;
        }
        ty
    }

    pub(super) fn shape(&self, ty: Tv) -> Shape {
        self.types[self.root(ty).0 as usize].unwrap_or(Shape::Unknown)
    }

    pub(super) fn root_region(&self, mut region: Rv) -> Rv {
        while let Err(next) = self.regions[region.0 as usize] {
            region = next;
        }
        region
    }

    /// The name of a region, if it has one.
    pub(super) fn name(&self, region: Rv) -> Option<Var> {
        self.regions[self.root_region(region).0 as usize].ok().flatten()
    }

    pub(super) fn root_effect(&self, mut effect: Ev) -> Ev {
        while let Err(next) = self.effects[effect.0 as usize] {
            effect = next;
        }
        effect
    }

    pub(super) fn known(&self, effect: Ev) -> &Known {
        match &self.effects[self.root_effect(effect).0 as usize] {
            Ok(known) => known,
            Err(_) => unreachable!("a root is no link"),
        }
    }

    pub(super) fn unify_regions(&mut self, one: Rv, other: Rv) {
        let (one, other) = (self.root_region(one), self.root_region(other));
        if one == other {
            return;
        }
        match (self.name(one), self.name(other)) {
            (Some(a), Some(b)) => {
                self.differ = true;
                self.apart.get_or_insert((a, b));
            }
            (_, None) => self.regions[other.0 as usize] = Err(one),
            (None, _) => self.regions[one.0 as usize] = Err(other),
        }
    }

    pub(super) fn unify_effects(&mut self, one: Ev, other: Ev) {
        let (one, other) = (self.root_effect(one), self.root_effect(other));
        if one == other {
            return;
        }
        let Ok(from) = std::mem::replace(&mut self.effects[other.0 as usize], Err(one)) else {
            unreachable!("a root is no link");
        };
        let Ok(to) = &mut self.effects[one.0 as usize] else {
            unreachable!("a root is no link");
        };
        to.copies.extend(from.copies);
        to.written = to.written.take().or(from.written);
    }

    /// Makes two types equal as far as they can be.
    pub(super) fn unify(&mut self, one: Tv, other: Tv) {
        let mut pairs = vec![(one, other)];
        while let Some((one, other)) = pairs.pop() {
            let (one, other) = (self.root(one), self.root(other));
            if one == other {
                continue;
            }
            let (left, right) = (self.shape(one), self.shape(other));
            match (left, right) {
                (_, Shape::Unknown) | (Shape::Bool, Shape::Bool) => self.link(other, one),
                (Shape::Unknown, _) => self.link(one, other),
                (Shape::Boxed(a, at), Shape::Boxed(b, place)) => {
                    self.unify_regions(at, place);
                    match (a, b) {
                        (_, Mu::Unknown) => self.link(other, one),
                        (Mu::Unknown, _) => self.link(one, other),
                        _ if std::mem::discriminant(&a) == std::mem::discriminant(&b) => {
                            self.link(other, one);
                            self.unify_parts(a, b, &mut pairs);
                        }
                        _ => self.differ = true,
                    }
                }
                _ => self.differ = true,
            }
        }
    }

    fn link(&mut self, from: Tv, to: Tv) {
        self.types[from.0 as usize] = Err(to);
    }

    fn unify_parts(&mut self, a: Mu, b: Mu, pairs: &mut Vec<(Tv, Tv)>) {
        match (a, b) {
            (Mu::Vec(a), Mu::Vec(b)) => pairs.push((a, b)),
            (Mu::Pair(a, c), Mu::Pair(b, d)) => pairs.extend([(a, b), (c, d)]),
            (Mu::Fn(a, phi, c), Mu::Fn(b, psi, d)) => {
                self.unify_effects(phi, psi);
                pairs.extend([(a, b), (c, d)]);
            }
            (Mu::Pi(p, bound, latent, a), Mu::Pi(q, other, psi, b)) => {
                self.unify_effects(bound, other);
                let with = self.named(p);
                let (psi, b) = match p == q {
                    true => (psi, b),
                    false => (self.opened_effect(psi, q, with), self.opened(b, q, with)),
                };
                self.unify_effects(latent, psi);
                pairs.push((a, b));
            }
            _ => {}
        }
    }

    /// `φ[ρ/p]`
    pub(super) fn opened_effect(&mut self, effect: Ev, p: Var, with: Rv) -> Ev {
        let written = self.known(effect).written.clone();
        let Some(written) = written else {
            return self.effect(Known { written: None, copies: vec![(effect, p, with)] });
        };
        let change = |region: Rv| if self.name(region) == Some(p) { with } else { region };
        let regions = written.regions.iter().map(|region| change(*region)).collect();
        let written = Some(Written { regions, host: written.host });
        self.effect(Known { written, copies: Vec::new() })
    }

    /// `τ[ρ/p]`. What is not known of the type has no `p`.
    pub(super) fn opened(&mut self, ty: Tv, p: Var, with: Rv) -> Tv {
        self.copied(ty, (p, with), &mut FxHashMap::default(), 0)
    }

    fn copied(
        &mut self,
        ty: Tv,
        change: (Var, Rv),
        seen: &mut FxHashMap<Tv, Tv>,
        depth: usize,
    ) -> Tv {
        let root = self.root(ty);
        let Shape::Boxed(mu, at) = self.shape(root) else { return root };
        if let Some(copy) = seen.get(&root) {
            return *copy;
        }
        if depth > DEEPEST {
            self.deep = true;
            return root;
        }
        // A type within itself is refused later, and copied in part.
        seen.insert(root, root);
        let at = if self.name(at) == Some(change.0) { change.1 } else { at };
        let mut part = |arena: &mut Self, ty| arena.copied(ty, change, seen, depth + 1);
        let mu = match mu {
            Mu::Unknown | Mu::Int => mu,
            Mu::Vec(of) => Mu::Vec(part(self, of)),
            Mu::Pair(a, b) => Mu::Pair(part(self, a), part(self, b)),
            Mu::Fn(a, phi, b) => {
                let (a, b) = (part(self, a), part(self, b));
                Mu::Fn(a, self.opened_effect(phi, change.0, change.1), b)
            }
            Mu::Pi(q, bound, latent, of) => {
                let of = part(self, of);
                let bound = self.opened_effect(bound, change.0, change.1);
                Mu::Pi(q, bound, self.opened_effect(latent, change.0, change.1), of)
            }
        };
        let copy = self.boxed(mu, at);
        seen.insert(root, copy);
        copy
    }
}
