//! What a branch computes is known behind it, where the array that it chooses needs it.
//!
//! A value `x` that a branch binds has another name in it, is assigned to a variable there, and is bound behind the
//! branch to what is in the variable.

use super::arrays::zero;
use super::code::{Item, Items};
use super::{Lower, Space};
use reference::device::syntax::{Exp, Host, Kind, Ty};
use reference::device::visit_mut::{self, Visitor};
use reference::kit::names::{Var, Wish};
use reference::kit::text::Span;
use rustc_hash::FxHashMap;

/// What stands before a branch and behind it.
#[derive(Default)]
pub(super) struct Hoisted {
    pub(super) before: Items,
    pub(super) behind: Items,
}

/// Other names for variables.
struct Renamed<'r>(&'r FxHashMap<Var, Var>);

impl Visitor for Renamed<'_> {
    fn uses(&mut self, var: &mut Var) {
        if let Some(other) = self.0.get(var) {
            *var = *other;
        }
    }

    fn binds(&mut self, var: &mut Var) {
        self.uses(var);
    }
}

impl Lower<'_> {
    /// Hoists what the statements of a side of a branch bind.
    pub(super) fn hoist(&mut self, span: Span, items: &mut Items, to: &mut Hoisted) {
        let mut names = FxHashMap::default();
        self.hoist_from(span, items, &mut names, to);
        if !names.is_empty() {
            items.iter_mut().for_each(|(_, item)| rename(item, &names));
        }
    }

    fn hoist_from(
        &mut self,
        span: Span,
        items: &mut Items,
        names: &mut FxHashMap<Var, Var>,
        to: &mut Hoisted,
    ) {
        for (at, mut item) in std::mem::take(items) {
            let bound: Vec<(Var, Ty)> = match &mut item {
                // It is declared before the branch, and zero.
                Item::Kernel(Kind::Var(..)) => {
                    to.before.push((at, item));
                    continue;
                }
                Item::Let(var, ty, _) => vec![(*var, ty.clone())],
                Item::Loop { carried, .. } => {
                    carried.iter().map(|carried| (carried.var, carried.ty.clone())).collect()
                }
                Item::Host(Host::Read { into, .. }) => {
                    let ty = self.host.get(into).cloned();
                    ty.map(|ty| (*into, ty)).into_iter().collect()
                }
                Item::Host(Host::Alloc { block, element, .. }) => {
                    vec![(*block, Ty::Block(*element))]
                }
                Item::Kernel(Kind::UniformLoad { .. } | Kind::Atomic { .. }) => Vec::new(),
                // What a scope goes on in.
                Item::If(_, then, orelse) if orelse.is_empty() => {
                    self.hoist_from(span, then, names, to);
                    Vec::new()
                }
                Item::Var(var, ty, _) => {
                    // It keeps its name: it is a variable already.
                    let before = Item::Var(*var, ty.clone(), nothing(ty));
                    to.before.push((at, before));
                    let Item::Var(var, _, exp) = item else { unreachable!("it was just one") };
                    items.push((at, Item::Set(vec![(var, exp)])));
                    continue;
                }
                _ => Vec::new(),
            };
            items.push((at, item));
            for (var, ty) in bound {
                self.keeps(span, (var, ty), names, (items, to));
            }
        }
    }

    /// A value of the branch is kept behind it.
    fn keeps(
        &mut self,
        span: Span,
        (var, ty): (Var, Ty),
        names: &mut FxHashMap<Var, Var>,
        (items, to): (&mut Items, &mut Hoisted),
    ) {
        let inside = self.names.fresh(Wish::Like(var));
        let place = self.names.fresh(Wish::Like(var));
        names.insert(var, inside);
        match self.context.memory {
            Space::Kernel => drop(self.places.insert(place)),
            Space::Host => {
                for other in [inside, place] {
                    self.host.insert(other, ty.clone());
                }
            }
        }
        self.vary(var);
        to.before.push((span, Item::Var(place, ty.clone(), nothing(&ty))));
        items.push((span, Item::Set(vec![(place, Exp::Var(inside))])));
        to.behind.push((span, Item::Let(var, ty, self.read(place))));
    }
}

/// What a variable of this type starts from.
fn nothing(ty: &Ty) -> Exp {
    match ty {
        Ty::Block(element) => Exp::block(*element, Exp::u32(0), Exp::u32(0)),
        Ty::Scalar(sc) => zero(*sc),
        other => unreachable!("{other:?} is no type of a variable here"),
    }
}

fn rename(item: &mut Item, names: &FxHashMap<Var, Var>) {
    let mut renamed = Renamed(names);
    let to = &mut renamed;
    let inside = |items: &mut Items| items.iter_mut().for_each(|(_, item)| rename(item, names));
    match item {
        Item::Let(var, _, exp) | Item::Var(var, _, exp) => {
            visit_mut::exp(exp, to);
            to.uses(var);
        }
        Item::Set(pairs) => pairs.iter_mut().for_each(|(var, exp)| {
            to.uses(var);
            visit_mut::exp(exp, to);
        }),
        Item::If(cond, then, orelse) => {
            visit_mut::exp(cond, to);
            inside(then);
            inside(orelse);
        }
        Item::Loop { carried, cond, body, next } => {
            for carried in carried {
                visit_mut::exp(&mut carried.init, to);
                to.uses(&mut carried.var);
            }
            visit_mut::exp(cond, to);
            next.iter_mut().for_each(|exp| visit_mut::exp(exp, to));
            inside(body);
        }
        Item::Check(check) => {
            check
                .operands
                .iter_mut()
                .chain(&mut check.path)
                .for_each(|exp| visit_mut::exp(exp, to));
            check.components_mut().iter_mut().for_each(|exp| visit_mut::exp(exp, to));
        }
        Item::Kernel(kind) => visit_mut::kind(kind, to),
        Item::Host(kind) => visit_mut::kind(kind, to),
    }
}
