//! Which variables scalar expressions use, for [`regular`](crate::kit::regular): FUNMEM and IMP share them.

use super::syntax::Se;
use crate::kit::names::Var;

/// The variables of an expression.
pub(crate) fn vars(se: &Se) -> Vec<Var> {
    let mut all = Vec::new();
    each(se, &mut |se| all.extend(atom(se)));
    all
}

/// The variables of what an expression divides by.
pub(crate) fn divisors(se: &Se) -> Vec<Var> {
    let mut all = Vec::new();
    each(se, &mut |se| {
        if let Se::Bin(op, parts) = se
            && op.is_partial()
        {
            all.extend(vars(&parts[1]));
        }
    });
    all
}

fn atom(se: &Se) -> Option<Var> {
    match se {
        Se::Atom(atom) => atom.var(),
        Se::Bin(..) => None,
    }
}

fn each(se: &Se, visit: &mut impl FnMut(&Se)) {
    visit(se);
    if let Se::Bin(_, parts) = se {
        parts.iter().for_each(|part| each(part, visit));
    }
}
