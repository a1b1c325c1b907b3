//! Where a program uses what the prelude defines.

use super::syntax::{Def, Kind, Program};
use crate::kit::names::Var;
use crate::kit::text::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The places in the user's text, of definitions that `main` uses, at which a definition of the prelude is used that
/// this place of the prelude lies in, or that uses such a one.
pub(super) fn uses(program: &Program, place: Span) -> Vec<Span> {
    let graph: FxHashMap<Var, Vec<(Var, Span)>> =
        program.defs.iter().map(|def| (def.name, variables(def))).collect();
    let Some(main) = program.main() else { return Vec::new() };
    let from_main = reached(main.name, &graph);
    let leads = |to: Var| reached(to, &graph).iter().any(|var| holds(program, *var, place));
    let of_prelude = |var: Var| program.defs.iter().any(|def| def.name == var && def.prelude);
    let own = program.defs.iter().filter(|def| !def.prelude && from_main.contains(&def.name));
    let mut found: Vec<Span> = own
        .flat_map(|def| &graph[&def.name])
        .filter(|(var, _)| of_prelude(*var) && leads(*var))
        .map(|(_, span)| *span)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The variables in a definition, with their places.
fn variables(def: &Def) -> Vec<(Var, Span)> {
    let mut found = Vec::new();
    def.body.walk(&mut |exp| {
        if let Kind::Var(var) = exp.kind {
            found.push((var, exp.span));
        }
    });
    found
}

/// The definition, and those that it uses.
fn reached(from: Var, graph: &FxHashMap<Var, Vec<(Var, Span)>>) -> FxHashSet<Var> {
    let mut seen = FxHashSet::default();
    let mut open = vec![from];
    while let Some(var) = open.pop() {
        if let (Some(used), true) = (graph.get(&var), seen.insert(var)) {
            open.extend(used.iter().map(|(var, _)| *var));
        }
    }
    seen
}

/// Does the place lie in the definition of this name?
fn holds(program: &Program, name: Var, place: Span) -> bool {
    let mut definitions = program.defs.iter().filter(|def| def.name == name && def.prelude);
    definitions.any(|def| {
        let mut found = false;
        def.body.walk(&mut |exp| {
            found |= exp.span.start <= place.start && place.end <= exp.span.end;
        });
        found
    })
}
