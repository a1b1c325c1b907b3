//! What is left of a program.

use reference::fcl::syntax::{Exp, Kind, Let, Op};
use reference::kit::names::Var;
use rustc_hash::FxHashSet;

/// `let x = e … in e`
pub(super) fn within(bindings: Vec<(Var, Exp)>, body: Exp) -> Exp {
    bindings.into_iter().rev().fold(body, |body, (var, bound)| {
        let span = body.span;
        Exp::new(span, Kind::Let(Box::new(Let { var, sig: None, bound, body })))
    })
}

/// The expression without bindings that cannot get stuck and are not used.
pub(super) fn without_unused(mut exp: Exp) -> Exp {
    let mut used = FxHashSet::default();
    prune(&mut exp, &mut used);
    exp
}

/// Prunes an expression, and adds what it uses.
fn prune(exp: &mut Exp, used: &mut FxHashSet<Var>) {
    match &mut exp.kind {
        Kind::Int(_) | Kind::Double(_) | Kind::Bool(_) | Kind::Op(_) => {}
        Kind::Var(var) => drop(used.insert(*var)),
        Kind::Array(elements) => elements.iter_mut().for_each(|element| prune(element, used)),
        Kind::Pair(parts) | Kind::App(parts) => {
            parts.iter_mut().for_each(|part| prune(part, used));
        }
        Kind::Fn(_, body) | Kind::LevelFn(_, body) => prune(body, used),
        Kind::LevelApp(inner, _) => prune(inner, used),
        Kind::If(parts) => parts.iter_mut().for_each(|part| prune(part, used)),
        Kind::Let(binding) => {
            // What follows comes first: it says whether the binding is used.
            prune(&mut binding.body, used);
            if used.contains(&binding.var) || !is_total(&binding.bound) {
                prune(&mut binding.bound, used);
            } else {
                let nothing = Exp::new(exp.span, Kind::Bool(false));
                *exp = std::mem::replace(&mut binding.body, nothing);
            }
        }
    }
}

/// Does it take a step that cannot get stuck, whatever it computes of its operands?
fn is_total(exp: &Exp) -> bool {
    if matches!(exp.kind, Kind::Array(_)) {
        return true;
    }
    let Some((op, _, args)) = exp.as_op() else { return false };
    match op {
        Op::Generate => matches!(args.first().map(|n| &n.kind), Some(Kind::Int(0..))),
        Op::Div | Op::Mod | Op::Index | Op::LengthPush | Op::Force | Op::While => false,
        // Comparisons of doubles may be open.
        Op::EqD | Op::LtD | Op::LeD | Op::D2i => false,
        Op::AddD | Op::SubD | Op::MulD | Op::DivD | Op::MinD | Op::MaxD => false,
        _ => true,
    }
}
