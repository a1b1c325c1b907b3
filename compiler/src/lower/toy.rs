//! The toy language to the device language: the host computes the sums.
//!
//! | before | any program |
//! | after | no kernel; each binding is one of the host |
//! | stuck | never |

use crate::route::{Compiled, Lang, Pass, Route, Step, TRUNK, run};
use reference::device::syntax::{Exp, Host, Lit, Param, Program, Sc, Shown, Stm, Ty};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use reference::toy::Toy;
use reference::toy::syntax::{Program as Source, Term};

impl Compiled for Toy {
    const ROUTE: Route = Route { from: Lang::Toy, to: TRUNK, steps: &[Step::of(&LOWER_TOY)] };
}

/// The toy language to the device language.
static LOWER_TOY: Pass = Pass::new(
    "lower_toy",
    Lang::Toy,
    TRUNK,
    run!(reads Toy => Device, |program, _cx| Ok(lower(program))),
);

fn lower(program: &Source) -> Program {
    let bind = |nth: usize, var, sum: &[Term]| Stm {
        span: Span::nth(nth as u32),
        kind: Host::Let(var, Ty::Scalar(Sc::I32), self::sum(sum)),
    };
    let (lets, params) = (program.lets.iter().enumerate(), program.params.iter());
    Program {
        names: program.names.clone(),
        params: params.map(|var| Param::scalar(*var, Sc::I32)).collect(),
        host: lets.map(|(nth, (var, sum))| bind(nth, *var, sum)).collect(),
        results: vec![Shown::Scalar(Sc::I32, sum(&program.result)).into()],
        ..Program::default()
    }
}

fn sum(terms: &[Term]) -> Exp {
    let exp = |term: &Term| match term {
        Term::Var(var) => Exp::Var(*var),
        Term::Int(k) => Exp::Lit(Lit::I32(*k)),
    };
    let add = |left, right| Exp::Bin(BinOp::Add, Box::new([left, right]));
    terms.iter().map(exp).reduce(add).unwrap_or(Exp::Lit(Lit::I32(0)))
}
