//! Terms that are a little smaller; some of them are no terms.

use super::super::numbers;
use reference::axes::apply::substituted;
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Kind, Level, Name, Place, Program, Term};
use reference::axes::types::{self, Scope};
use reference::kit::outcome::Scalar;
use std::collections::BTreeSet;

/// Makes programs that are smaller than one.
pub(super) type Candidates = fn(&Program) -> Vec<Program>;

/// Calls `each` with every subterm and its position, outer ones first.
fn everywhere(program: &Program, each: &mut impl FnMut(&[usize], &Term)) {
    fn go(term: &Term, position: &mut Vec<usize>, each: &mut impl FnMut(&[usize], &Term)) {
        each(position, term);
        for (nth, arg) in term.args.iter().enumerate() {
            position.push(nth);
            go(arg, position, each);
            position.pop();
        }
    }
    go(&program.term, &mut Vec::new(), each);
}

/// The program with others in the places of subterms.
fn with(program: &Program, others: impl Fn(&Term) -> Vec<Term>) -> Vec<Program> {
    let mut found = Vec::new();
    everywhere(program, &mut |position, term| {
        let terms = others(term).into_iter().filter_map(|by| program.term.replaced(position, by));
        found.extend(terms.map(|term| Program { params: program.params.clone(), term }));
    });
    found
}

/// The body of a binder in its first round.
fn first_round(term: &Term, scope: &Scope) -> Option<Term> {
    let (axis, _) = term.binds()?;
    substituted(term.args.last()?, axis, &Index::number(0), scope)
}

/// One result of several, a part in the place of the whole, a number in the place of a scalar.
pub(super) fn parts_less(program: &Program) -> Vec<Program> {
    let scope = Scope::of(program).unwrap_or_default();
    with(program, |term| match term.head {
        Head::Results => {
            let one = |nth: usize| Term::results(vec![term.args[nth].clone()]);
            (0..term.args.len()).map(one).collect()
        }
        Head::Const(_)
        | Head::Build
        | Head::Merge
        | Head::Store
        | Head::Out
        | Head::Array(_)
        | Head::Axis(_)
        | Head::State(_)
        | Head::Size(_)
        | Head::Op(_)
        | Head::Level(_)
        | Head::Place(_)
        | Head::Hole(_) => Vec::new(),
        Head::Index(_) | Head::Scalar(_) => vec![Term::constant(0), Term::constant(1)],
        Head::Apply | Head::If => {
            let mut less = vec![Term::constant(0), Term::constant(1)];
            less.extend(term.args[1..].iter().cloned());
            less
        }
        Head::Get => {
            let mut less = vec![Term::constant(0), Term::constant(1)];
            less.extend(read(term, &scope));
            less
        }
        Head::Seq => {
            let state = |by: Term| {
                let Head::State(name) = &term.args[0].head else { return None };
                first_round(term, &scope).map(|round| stated(&round, name, &by))
            };
            let mut less = vec![Term::constant(0), Term::constant(1), term.args[3].clone()];
            less.extend(state(Term::constant(0)));
            less.extend(state(term.args[3].clone()));
            less
        }
        Head::Red => {
            let mut less = vec![Term::constant(0), Term::constant(1)];
            less.extend(first_round(term, &scope));
            less
        }
        Head::Keep => vec![term.args[0].clone()],
    })
}

/// The element that a read of a store reads, its axes at 0.
fn read(get: &Term, scope: &Scope) -> Option<Term> {
    let store = get.args.first().filter(|of| of.head == Head::Store)?;
    let mut body = store.args[1].clone();
    while body.head == Head::Build {
        body = first_round(&body, scope)?;
    }
    Some(body)
}

fn stated(term: &Term, state: &Name, by: &Term) -> Term {
    match &term.head {
        Head::Scalar(name) if name == state => by.clone(),
        head => {
            let args = term.args.iter().map(|arg| stated(arg, state, by));
            Term::new(head.clone(), args.collect::<Vec<_>>())
        }
    }
}

/// A layout without an axis, which is at 0; a read of a store has an index less.
pub(super) fn axes_less(program: &Program) -> Vec<Program> {
    let scope = Scope::of(program).unwrap_or_default();
    with(program, |term| {
        let (layout, from) = match term.head {
            Head::Out => (term, 1),
            Head::Get if term.args[0].head == Head::Store => (&term.args[0], 2),
            _ => return Vec::new(),
        };
        let without = |nth: usize| {
            let axis = layout.args[nth].as_axis()?;
            let mut args = layout.args.to_vec();
            args[from - 1] = without_axis(&args[from - 1], axis, &scope)?;
            args.remove(nth);
            let layout = Term::new(layout.head.clone(), args);
            if term.head == Head::Out {
                return Some(layout);
            }
            let mut args = term.args.to_vec();
            args[0] = layout;
            args.remove(1 + nth - from);
            Some(Term::new(Head::Get, args))
        };
        (from..layout.args.len()).filter_map(without).collect()
    })
}

/// A tensor where one of its axes is 0.
fn without_axis(term: &Term, axis: &Name, scope: &Scope) -> Option<Term> {
    match term.head {
        Head::Build if term.args[1].as_axis() == Some(axis) => first_round(term, scope),
        Head::Merge if term.args[0].as_axis() == Some(axis) => {
            let inner = without_axis(&term.args[3], term.args[1].as_axis()?, scope)?;
            without_axis(&inner, term.args[2].as_axis()?, scope)
        }
        Head::Build | Head::Red | Head::Merge | Head::Keep | Head::If => {
            let from = if term.head == Head::If { 1 } else { term.args.len() - 1 };
            let mut args = term.args.to_vec();
            for arg in &mut args[from..] {
                if types::axes(arg).contains(axis) {
                    *arg = without_axis(arg, axis, scope)?;
                }
            }
            Some(Term::new(term.head.clone(), args))
        }
        _ => None,
    }
}

/// Sizes that are simpler than one.
fn smaller(size: u32) -> impl Iterator<Item = u32> {
    let sizes = [1, 2, 0, 3, size / 2, size.saturating_sub(1)];
    sizes.into_iter().filter(move |smaller| *smaller < size)
}

/// An axis of a smaller size wherever it is bound, and a parameter of smaller ones.
pub(super) fn sizes_less(program: &Program) -> Vec<Program> {
    let mut bound = BTreeSet::new();
    program.term.walk(&mut |term| {
        bound.extend(term.binds().map(|(axis, size)| (axis.clone(), size)));
    });
    let mut found = Vec::new();
    for (axis, size) in bound {
        for size in smaller(size) {
            let term = resized(&program.term, &axis, size);
            found.push(Program { params: program.params.clone(), term });
        }
    }
    for (nth, param) in program.params.iter().enumerate() {
        let mut changed = |kind: Kind| {
            let mut params = program.params.clone();
            params[nth].kind = kind;
            found.push(Program { params, term: program.term.clone() });
        };
        match &param.kind {
            Kind::Int(None) => {}
            Kind::Int(Some(_)) => changed(Kind::Int(None)),
            Kind::Array(sizes) => {
                for (at, size) in sizes.iter().enumerate() {
                    for size in smaller(*size) {
                        let mut sizes = sizes.clone();
                        sizes[at] = size;
                        changed(Kind::Array(sizes));
                    }
                }
            }
        }
    }
    found
}

fn resized(term: &Term, axis: &Name, size: u32) -> Term {
    let mut args: Vec<Term> = term.args.iter().map(|arg| resized(arg, axis, size)).collect();
    if term.binds().is_some_and(|(bound, _)| bound == axis) {
        args[2] = Term::size(size);
    }
    Term::new(term.head.clone(), args)
}

/// Plainer numbers, indices, levels and places.
pub(super) fn numbers_less(program: &Program) -> Vec<Program> {
    with(program, |term| match &term.head {
        Head::Const(k) => numbers::plainer(Scalar::I32(*k))
            .into_iter()
            .filter_map(|scalar| match scalar {
                Scalar::I32(k) => Some(Term::constant(k)),
                _ => None,
            })
            .collect(),
        Head::Index(index) => {
            let mut axes = Vec::new();
            index.axes(&mut |axis| axes.push(Term::at(axis)));
            axes.retain(|axis| axis != term);
            axes
        }
        Head::Level(level) if *level != Level::Seq => vec![Term::leaf(Head::Level(Level::Seq))],
        Head::Place(place) if *place != Place::Glob => {
            let padded = matches!(place, Place::Group { pad: 1.. });
            let plainer =
                [Place::Glob].into_iter().chain(padded.then_some(Place::Group { pad: 0 }));
            plainer.map(|of| Term::leaf(Head::Place(of))).collect()
        }
        _ => Vec::new(),
    })
}
