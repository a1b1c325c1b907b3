//! Types and effects of the programs that are made, and how they are written.

use reference::kit::names::Var;
use std::collections::BTreeSet;
use std::rc::Rc;

/// `τ`
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ty {
    Bool,
    /// `(μ, ρ)`
    Boxed(Rc<Mu>, Var),
}

/// `μ`
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mu {
    Int,
    Vec(Ty),
    Pair(Ty, Ty),
    Fn(Ty, Phi, Ty),
    /// `Pi ρ >= φ' ! φ . τ`
    Pi(Var, Phi, Phi, Ty),
}

/// `φ`
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Phi {
    pub(super) regions: BTreeSet<Var>,
    pub(super) host: bool,
}

impl Phi {
    pub(super) fn of(regions: impl IntoIterator<Item = Var>) -> Self {
        Self { regions: regions.into_iter().collect(), host: false }
    }

    /// `φ[ρ₂/ρ]`
    pub(super) fn with(&self, old: Var, new: Var) -> Self {
        let regions = self.regions.iter().map(|var| if *var == old { new } else { *var });
        Self { regions: regions.collect(), host: self.host }
    }
}

impl Ty {
    pub(super) fn boxed(mu: Mu, at: Var) -> Self {
        Ty::Boxed(Rc::new(mu), at)
    }

    pub(super) fn int(at: Var) -> Self {
        Ty::boxed(Mu::Int, at)
    }

    pub(super) fn vec(of: Ty, at: Var) -> Self {
        Ty::boxed(Mu::Vec(of), at)
    }

    pub(super) fn pair(a: Ty, b: Ty, at: Var) -> Self {
        Ty::boxed(Mu::Pair(a, b), at)
    }

    pub(super) fn function(from: Ty, latent: Phi, to: Ty, at: Var) -> Self {
        Ty::boxed(Mu::Fn(from, latent, to), at)
    }

    /// `ρ` of `(μ, ρ)`
    pub(super) fn at(&self) -> Option<Var> {
        match self {
            Ty::Bool => None,
            Ty::Boxed(_, at) => Some(*at),
        }
    }

    /// `μ` of `(μ, ρ)`
    pub(super) fn mu(&self) -> Option<&Mu> {
        match self {
            Ty::Bool => None,
            Ty::Boxed(mu, _) => Some(mu),
        }
    }

    /// The regions in which values of the type lie, those that functions make apart.
    pub(super) fn regions(&self, to: &mut BTreeSet<Var>) {
        let Ty::Boxed(mu, at) = self else { return };
        to.insert(*at);
        match &**mu {
            Mu::Int | Mu::Fn(..) | Mu::Pi(..) => {}
            Mu::Vec(of) => of.regions(to),
            Mu::Pair(a, b) => {
                a.regions(to);
                b.regions(to);
            }
        }
    }

    /// `τ[ρ₂/ρ]`
    pub(super) fn with(&self, old: Var, new: Var) -> Self {
        let Ty::Boxed(mu, at) = self else { return Ty::Bool };
        let mu = match &**mu {
            Mu::Int => Mu::Int,
            Mu::Vec(of) => Mu::Vec(of.with(old, new)),
            Mu::Pair(a, b) => Mu::Pair(a.with(old, new), b.with(old, new)),
            Mu::Fn(a, phi, b) => Mu::Fn(a.with(old, new), phi.with(old, new), b.with(old, new)),
            Mu::Pi(var, bound, latent, of) => {
                Mu::Pi(*var, bound.with(old, new), latent.with(old, new), of.with(old, new))
            }
        };
        Ty::boxed(mu, if *at == old { new } else { *at })
    }
}
