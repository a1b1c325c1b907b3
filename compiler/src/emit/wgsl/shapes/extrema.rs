//! `max(m, max(n, -n))`: an extremum of an extremum of the same kind that has a negation.
//!
//! NVIDIA's driver seems to make one instruction of three operands of both, and drops the negation. It finds
//! the inner one through names and variables, so these are followed here too: a value *may be* a negation, or
//! an extremum with one, if any that is assigned to its variable is. Values in arrays are not followed.

use crate::pass::types::Types;
use reference::device::syntax::{Block, Exp, Kind, Place, Sc, UnOp};
use reference::device::visit::{self, any_stm};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use rustc_hash::FxHashMap;

/// What a value may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct MayBe {
    /// `-n`
    negation: bool,
    /// `min(n, -n)`
    minimum: bool,
    /// `max(n, -n)`
    maximum: bool,
}

/// What variables may be.
type Variables = FxHashMap<Var, MayBe>;

/// Is there such an extremum of i32? One of a literal is compiled rightly.
pub(super) fn any_negated(body: &Block, types: &Types) -> bool {
    let is_extremum = |exp: &Exp| matches!(exp, Exp::Bin(BinOp::Min | BinOp::Max, _));
    let (mut extrema, mut negations) = (0, 0);
    visit::block(body, &mut |exp| {
        extrema += usize::from(is_extremum(exp));
        negations += usize::from(matches!(exp, Exp::Un(UnOp::Neg, _)));
    });
    if extrema < 2 || negations == 0 {
        return false;
    }
    let variables = variables(body, types);
    let mut found = false;
    visit::block(body, &mut |exp| {
        let Exp::Bin(op @ (BinOp::Min | BinOp::Max), ab) = exp else { return };
        let literal = ab.iter().any(|operand| matches!(operand, Exp::Lit(_)));
        found |= !literal
            && ab.iter().any(|operand| {
                let may_be = may_be(operand, &variables, types);
                if *op == BinOp::Max { may_be.maximum } else { may_be.minimum }
            });
    });
    found
}

/// What each variable may be, by all values that it gets.
fn variables(body: &Block, types: &Types) -> Variables {
    let mut variables = Variables::default();
    let mut more = true;
    while std::mem::take(&mut more) {
        let mut gets = |var: Var, value: &Exp| {
            let value = may_be(value, &variables, types);
            let known = variables.entry(var).or_default();
            let both = MayBe {
                negation: known.negation || value.negation,
                minimum: known.minimum || value.minimum,
                maximum: known.maximum || value.maximum,
            };
            more |= std::mem::replace(known, both) != both;
        };
        any_stm(body, &mut |kind| {
            match kind {
                Kind::Let(var, _, value)
                | Kind::Var(var, _, Some(value))
                | Kind::Store(Place::Var(var), value) => gets(*var, value),
                Kind::Loop(rounds) => {
                    for (carried, next) in rounds.carried.iter().zip(&rounds.next) {
                        gets(carried.var, &carried.init);
                        gets(carried.var, next);
                    }
                }
                _ => {}
            }
            false
        });
    }
    variables
}

fn may_be(exp: &Exp, variables: &Variables, types: &Types) -> MayBe {
    match exp {
        Exp::Var(var) => variables.get(var).copied().unwrap_or_default(),
        Exp::Load(place) => match &**place {
            Place::Var(var) => variables.get(var).copied().unwrap_or_default(),
            _ => MayBe::default(),
        },
        Exp::Un(UnOp::Neg, a) => {
            MayBe { negation: types.sc(a) == Some(Sc::I32), ..MayBe::default() }
        }
        Exp::Bin(op @ (BinOp::Min | BinOp::Max), ab) => {
            let negated = ab.iter().any(|operand| may_be(operand, variables, types).negation);
            MayBe {
                negation: false,
                minimum: negated && *op == BinOp::Min,
                maximum: negated && *op == BinOp::Max,
            }
        }
        _ => MayBe::default(),
    }
}
