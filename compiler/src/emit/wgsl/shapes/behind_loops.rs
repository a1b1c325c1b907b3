//! A store behind a loop, in a kernel with work-group variables. It goes to an array or vector that one invocation
//! owns. That array or vector is read at a run-time index, and read or stored to at a constant index.
//!
//! Behind the loop stands a branch that reports that the rounds of the loop are used up. NVIDIA's driver takes this
//! branch although rounds are left.

use reference::device::parts::Statement;
use reference::device::syntax::{Block, Exp, Kernel, Kind, Lit, Place};
use reference::device::visit;
use reference::kit::names::Var;

/// The variable that a place lies in, if an invocation has it for itself and no pointer hides it.
fn own_of(place: &Place, kernel: &Kernel) -> Option<Var> {
    match place {
        Place::Var(var) => kernel.workgroup.iter().all(|(shared, _)| shared != var).then_some(*var),
        Place::At(inner, _) | Place::Field(inner, _) => own_of(inner, kernel),
        Place::Deref(Exp::Ref(inner)) => own_of(inner, kernel),
        Place::Deref(_) | Place::Element(..) => None,
    }
}

/// Does a body have such a store?
pub(super) fn any_stored(body: &Block, kernel: &Kernel) -> bool {
    let (mut by_constant, mut by_run_time) = (Vec::new(), Vec::new());
    visit::block(body, &mut |exp| {
        if let Exp::Load(place) = exp
            && let Some(var) = own_of(place, kernel)
            && let Some(is_constant) = is_constant(place)
        {
            if is_constant { &mut by_constant } else { &mut by_run_time }.push(var);
        }
    });
    visit::stms(body, &mut |stm| {
        if let Kind::Store(place, _) = &stm.kind
            && is_constant(place) == Some(true)
        {
            by_constant.extend(own_of(place, kernel));
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
            Kind::Store(place, _) => own_of(place, kernel),
            _ => None,
        };
        found || *behind && stored.is_some_and(|var| vars.contains(&var))
    })
}
