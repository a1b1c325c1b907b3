//! A loop, and behind it a store to a private array or vector that is read both at an index that is known at run
//! time only and at a constant one, in a kernel with work-group variables.
//!
//! NVIDIA's driver takes the branch behind the loop that tells that its rounds are used up, also where the loop
//! runs for no round, or for two.

use super::private_of;
use reference::device::parts::Statement;
use reference::device::syntax::{Block, Exp, Kernel, Kind, Lit, Place};
use reference::device::visit;
use reference::kit::names::Var;

/// Does a body have such a store?
pub(super) fn any_stored(body: &Block, kernel: &Kernel) -> bool {
    let (mut by_constant, mut by_run_time) = (Vec::new(), Vec::new());
    visit::block(body, &mut |exp| {
        if let Exp::Load(place) = exp
            && let Some(var) = private_of(place, kernel)
            && let Some(is_constant) = is_constant(place)
        {
            if is_constant { &mut by_constant } else { &mut by_run_time }.push(var);
        }
    });
    by_run_time.retain(|var| by_constant.contains(var));
    !by_run_time.is_empty() && stores(body, kernel, &by_run_time, &mut false)
}

/// Are all indices of a place literals? None without an index.
fn is_constant(place: &Place) -> Option<bool> {
    match place {
        Place::At(inner, index) => {
            let literal = matches!(index, Exp::Lit(Lit::I32(_) | Lit::U32(_)));
            Some(literal && is_constant(inner).unwrap_or(true))
        }
        Place::Field(inner, _) => is_constant(inner),
        Place::Deref(Exp::Ref(inner)) => is_constant(inner),
        Place::Var(_) | Place::Deref(_) | Place::Element(..) => None,
    }
}

/// Does a body store to one of the variables behind a loop?
fn stores(body: &Block, kernel: &Kernel, vars: &[Var], behind: &mut bool) -> bool {
    body.iter().any(|stm| {
        let found = stm.kind.blocks().into_iter().any(|inner| stores(inner, kernel, vars, behind));
        *behind |= matches!(stm.kind, Kind::Loop(_));
        let stored = match &stm.kind {
            Kind::Store(place, _) => private_of(place, kernel),
            _ => None,
        };
        found || *behind && stored.is_some_and(|var| vars.contains(&var))
    })
}
