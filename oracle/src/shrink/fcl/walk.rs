//! Walks over the expressions of a program.

use reference::fcl::syntax::{Exp, Kind, Level, Program};
use reference::kit::names::Var;

/// The bodies of the definitions that a program shows.
pub(super) fn bodies(program: &Program) -> impl Iterator<Item = &Exp> {
    program.defs.iter().filter(|def| !def.prelude).map(|def| &def.body)
}

/// Calls `each` for every expression of the definitions that a program shows.
pub(super) fn all<'p>(program: &'p Program, each: &mut dyn FnMut(&'p Exp)) {
    bodies(program).for_each(|body| body.walk(each));
}

/// The same, to be changed.
pub(super) fn all_mut(program: &mut Program, each: &mut dyn FnMut(&mut Exp)) {
    let shown = program.defs.iter_mut().filter(|def| !def.prelude);
    shown.for_each(|def| def.body.walk_mut(each));
}

/// How many expressions there are.
pub(super) fn count(program: &Program) -> usize {
    let mut count = 0;
    all(program, &mut |_| count += 1);
    count
}

/// The expression of this number, as [`all`] counts them.
pub(super) fn nth_mut(program: &mut Program, mut number: usize) -> Option<&mut Exp> {
    for def in program.defs.iter_mut().filter(|def| !def.prelude) {
        match def.body.nth_mut(number) {
            Ok(found) => return Some(found),
            Err(less) => number = less,
        }
    }
    None
}

/// How often a variable is used.
pub(super) fn uses(exp: &Exp, var: Var) -> usize {
    let mut uses = 0;
    exp.walk(&mut |part| {
        uses += usize::from(matches!(part.kind, Kind::Var(other) if other == var))
    });
    uses
}

/// Does it bind no variable? Then it may stand at several places.
pub(super) fn binds_nothing(exp: &Exp) -> bool {
    let mut binds = false;
    exp.walk(&mut |part| {
        binds |= matches!(part.kind, Kind::Fn(..) | Kind::LevelFn(..) | Kind::Let(_));
    });
    !binds
}

/// Puts an expression in the place of each use of a variable.
pub(super) fn substitute(exp: &mut Exp, var: Var, by: &Exp) {
    if matches!(exp.kind, Kind::Var(other) if other == var) {
        *exp = by.clone();
        return;
    }
    exp.parts_mut().into_iter().for_each(|part| substitute(part, var, by));
}

/// Calls `each` for every level that is written in an expression.
pub(super) fn levels_mut(exp: &mut Exp, each: &mut dyn FnMut(&mut Level)) {
    exp.walk_mut(&mut |part| {
        if let Kind::LevelApp(_, level) = &mut part.kind {
            each(level);
        }
    });
}
