//! Types and effects as judgements have them: equal if they are the same but for the names of bound regions and the
//! order in effects (L54).
//!
//! All regions of a judgement are of its world (L56), so the world is not in the types.

use crate::kit::names::{Names, Var};
use std::fmt::Write;
use std::rc::Rc;

/// A region: a variable, or the one that so many `Pi`s further out bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Rho {
    Free(Var),
    Bound(u32),
}

/// `φ`
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Phi {
    /// In ascending order, each once.
    regions: Vec<Rho>,
    /// `host` (L55)
    pub(crate) host: bool,
}

/// `τ`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    Bool,
    Boxed(Rc<Node>, Rho),
}

/// `μ`, and how large it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) mu: Mu,
    size: usize,
}

/// `μ`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mu {
    Int,
    Vec(Ty),
    Pair(Ty, Ty),
    Fn(Ty, Phi, Ty),
    /// The bound, and under the binder the latent effect and the type.
    Pi(Called, Phi, Phi, Ty),
}

/// What a bound region is called, which makes no difference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called(pub(crate) Var);

impl PartialEq for Called {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Called {}

impl Phi {
    pub(crate) fn new(regions: impl IntoIterator<Item = Rho>, host: bool) -> Self {
        let mut regions: Vec<Rho> = regions.into_iter().collect();
        regions.sort_unstable();
        regions.dedup();
        Self { regions, host }
    }

    pub(crate) fn regions(&self) -> impl Iterator<Item = Rho> + '_ {
        self.regions.iter().copied()
    }

    /// The region variables.
    pub(crate) fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.regions.iter().filter_map(|region| match region {
            Rho::Free(var) => Some(*var),
            Rho::Bound(_) => None,
        })
    }

    pub(crate) fn contains(&self, region: Var) -> bool {
        self.regions.binary_search(&Rho::Free(region)).is_ok()
    }

    /// With one more region.
    pub(crate) fn with(&self, region: Var) -> Self {
        Self::new(self.regions().chain([Rho::Free(region)]), self.host)
    }

    /// The regions alone.
    pub(crate) fn without_host(self) -> Self {
        Self { host: false, ..self }
    }

    fn map(&self, change: impl Fn(Rho) -> Rho) -> Self {
        Self::new(self.regions().map(change), self.host)
    }

    /// `[ρ₂/ρ]` where the innermost `Pi` binds `ρ`.
    pub(crate) fn opened(&self, with: Var) -> Self {
        self.map(|region| open(region, 0, with))
    }

    pub(crate) fn closed(&self, over: Var) -> Self {
        self.map(|region| close(region, 0, over))
    }
}

fn open(region: Rho, depth: u32, with: Var) -> Rho {
    match region {
        Rho::Bound(at) if at == depth => Rho::Free(with),
        Rho::Bound(at) if at > depth => Rho::Bound(at - 1),
        region => region,
    }
}

fn close(region: Rho, depth: u32, over: Var) -> Rho {
    match region {
        Rho::Free(var) if var == over => Rho::Bound(depth),
        Rho::Bound(at) if at >= depth => Rho::Bound(at + 1),
        region => region,
    }
}

impl Ty {
    pub(crate) fn boxed(mu: Mu, region: Rho) -> Self {
        let size = 1 + match &mu {
            Mu::Int => 0,
            Mu::Vec(of) => of.size(),
            Mu::Pair(a, b) => a.size().saturating_add(b.size()),
            Mu::Fn(a, phi, b) => {
                a.size().saturating_add(b.size()).saturating_add(phi.regions.len())
            }
            Mu::Pi(_, bound, latent, of) => {
                of.size().saturating_add(bound.regions.len() + latent.regions.len())
            }
        };
        Ty::Boxed(Rc::new(Node { mu, size }), region)
    }

    /// How large the type is, written out.
    pub(crate) fn size(&self) -> usize {
        match self {
            Ty::Bool => 1,
            Ty::Boxed(node, _) => node.size,
        }
    }

    /// `τ[ρ₂/ρ]` where the innermost `Pi` binds `ρ`. Bound regions have no names that could be caught (L59).
    pub(crate) fn opened(&self, with: Var) -> Self {
        self.map(0, &|region, depth| open(region, depth, with))
    }

    /// The type under a `Pi` that binds this region.
    pub(crate) fn closed(&self, over: Var) -> Self {
        self.map(0, &|region, depth| close(region, depth, over))
    }

    /// Changes each region, told how many `Pi`s are around it.
    fn map(&self, depth: u32, change: &impl Fn(Rho, u32) -> Rho) -> Self {
        let Ty::Boxed(node, region) = self else { return Ty::Bool };
        let phi = |phi: &Phi, depth| phi.map(|region| change(region, depth));
        let mu = match &node.mu {
            Mu::Int => Mu::Int,
            Mu::Vec(of) => Mu::Vec(of.map(depth, change)),
            Mu::Pair(a, b) => Mu::Pair(a.map(depth, change), b.map(depth, change)),
            Mu::Fn(a, latent, b) => {
                Mu::Fn(a.map(depth, change), phi(latent, depth), b.map(depth, change))
            }
            Mu::Pi(called, bound, latent, of) => {
                let inner = depth + 1;
                Mu::Pi(*called, phi(bound, depth), phi(latent, inner), of.map(inner, change))
            }
        };
        Ty::boxed(mu, change(*region, depth))
    }

    /// Does the type name this region?
    pub(crate) fn names(&self, region: Var) -> bool {
        let Ty::Boxed(node, at) = self else { return false };
        let inside = match &node.mu {
            Mu::Int => false,
            Mu::Vec(of) => of.names(region),
            Mu::Pair(a, b) => a.names(region) || b.names(region),
            Mu::Fn(a, phi, b) => a.names(region) || phi.contains(region) || b.names(region),
            Mu::Pi(_, bound, latent, of) => {
                bound.contains(region) || latent.contains(region) || of.names(region)
            }
        };
        inside || *at == Rho::Free(region)
    }

    /// Is a function or a region abstraction in it?
    pub(crate) fn has_functions(&self) -> bool {
        let Ty::Boxed(node, _) = self else { return false };
        match &node.mu {
            Mu::Int => false,
            Mu::Vec(of) => of.has_functions(),
            Mu::Pair(a, b) => a.has_functions() || b.has_functions(),
            Mu::Fn(..) | Mu::Pi(..) => true,
        }
    }

    /// The type as it is written.
    pub(crate) fn text(&self, names: &Names) -> String {
        let mut show = Show { names, bound: Vec::new(), text: String::new() };
        show.ty(self);
        show.text
    }
}

impl Phi {
    /// The effect as it is written.
    pub(crate) fn text(&self, names: &Names) -> String {
        let mut show = Show { names, bound: Vec::new(), text: String::new() };
        show.phi(self);
        show.text
    }
}

struct Show<'n> {
    names: &'n Names,
    /// What the bound regions are called, the innermost last.
    bound: Vec<Var>,
    text: String,
}

impl Show<'_> {
    fn region(&mut self, region: Rho) {
        let var = match region {
            Rho::Free(var) => var,
            Rho::Bound(at) => self.bound[self.bound.len() - 1 - at as usize],
        };
        self.text.push_str(self.names.written(var));
    }

    fn phi(&mut self, phi: &Phi) {
        self.text.push('{');
        for (number, region) in phi.regions().enumerate() {
            if number > 0 {
                self.text.push_str(", ");
            }
            self.region(region);
        }
        if phi.host {
            self.text.push_str(if phi.regions.is_empty() { "host" } else { ", host" });
        }
        self.text.push('}');
    }

    fn ty(&mut self, ty: &Ty) {
        let Ty::Boxed(node, region) = ty else { return self.text.push_str("bool") };
        self.text.push('(');
        match &node.mu {
            Mu::Int => self.text.push_str("int"),
            Mu::Vec(of) => {
                self.text.push_str("Vec ");
                self.ty(of);
            }
            Mu::Pair(a, b) => {
                self.ty(a);
                self.text.push_str(" * ");
                self.ty(b);
            }
            Mu::Fn(from, latent, to) => {
                self.ty(from);
                self.text.push_str(" -> ");
                self.phi(latent);
                self.text.push(' ');
                self.ty(to);
            }
            Mu::Pi(called, bound, latent, of) => {
                let name = self.names.written(called.0);
                write!(self.text, "Pi {name} >= ").expect("a text takes any text");
                self.phi(bound);
                self.bound.push(called.0);
                self.text.push_str(" ! ");
                self.phi(latent);
                self.text.push_str(" . ");
                self.ty(of);
                self.bound.pop();
            }
        }
        self.text.push_str(", ");
        self.region(*region);
        self.text.push(')');
    }
}
