//! Near misses: well-typed programs in which one type, kind, level or turnstile is changed. Most of them are ill typed
//! then; the others are programs like any, which must keep to the semantics.

use super::super::draw::Draw;
use reference::fcl::syntax::{Exp, Kind, Let, Op, Program};
use reference::fcl::types;
use reference::kit::derivation::Recorder;
use reference::kit::names::Names;

/// How often another place is tried, where a change does not fit or makes an ill-typed program.
const TRIES: usize = 12;

/// How many ways there are to change an expression.
pub(crate) const WAYS: usize = 5;

/// The program with one change that leaves it well typed, or else as it was.
pub(super) fn miss(draw: &mut Draw<'_, '_>, program: Program) -> (Program, bool) {
    for _ in 0..TRIES {
        let (at, way) = (draw.below(places(&program)), draw.below(WAYS));
        if let Some(changed) = changed(&program, at, way)
            && types::infer(&changed, &mut Recorder::counting()).is_ok()
        {
            return (changed, true);
        }
    }
    (program, false)
}

/// How many expressions there are to change.
pub(crate) fn places(program: &Program) -> usize {
    let mut count = 0;
    if let Some(main) = program.defs.last() {
        main.body.walk(&mut |_| count += 1);
    }
    count
}

/// The program with a change at one expression, if it fits there; it may be ill typed.
pub(crate) fn changed(program: &Program, at: usize, way: usize) -> Option<Program> {
    let mut changed = program.clone();
    let exp = changed.defs.last_mut()?.body.nth_mut(at).ok()?;
    change(exp, way, &mut changed.names)?;
    Some(changed)
}

fn change(exp: &mut Exp, way: usize, names: &mut Names) -> Option<()> {
    let span = exp.span;
    match &mut exp.kind {
        Kind::LevelApp(_, level) => match way {
            0 => level.succs += 1,
            _ => level.succs = level.succs.checked_sub(1)?,
        },
        Kind::Op(op) => *op = like(*op, way)?,
        Kind::Int(k) => {
            exp.kind = match way {
                0 => Kind::Bool(*k != 0),
                1 => Kind::Double(f64::from(*k).into()),
                2 => Kind::Array(vec![Exp { span, kind: Kind::Int(*k) }]),
                _ => return None,
            }
        }
        // `force xs` becomes `xs`, and `xs` becomes `force xs`.
        Kind::App(parts) => match (&parts[0].kind, way) {
            (Kind::Op(Op::Force), _) => *exp = parts[1].clone(),
            (Kind::LevelApp(..), 0) => *exp = parts[1].clone(),
            (_, 1) => {
                let force = Exp { span, kind: Kind::Op(Op::Force) };
                *exp = Exp { span, kind: Kind::App(Box::new([force, exp.clone()])) };
            }
            _ => parts.swap(0, 1),
        },
        Kind::Pair(parts) => parts.swap(0, 1),
        // What is bound is used as an int and as a bool too.
        Kind::Let(inner) if way > 2 => {
            let op = if way == 3 { Op::Not } else { Op::Neg };
            let parts = [Kind::Op(op), Kind::Var(inner.var)].map(|kind| Exp { span, kind });
            let bound = Exp { span, kind: Kind::App(Box::new(parts)) };
            let (var, body) = (names.fresh("x"), inner.body.clone());
            inner.body =
                Exp { span, kind: Kind::Let(Box::new(Let { var, sig: None, bound, body })) };
        }
        Kind::Let(inner) => std::mem::swap(&mut inner.bound, &mut inner.body),
        _ => return None,
    }
    Some(())
}

/// Another operator, of another type or kind.
fn like(op: Op, way: usize) -> Option<Op> {
    let others = match op {
        Op::LengthPull => [Op::LengthPush, Op::Not, Op::Fst, Op::Force],
        Op::MapPull => [Op::MapPush, Op::Generate, Op::Concat, Op::Index],
        Op::MapPush => [Op::MapPull, Op::Concat, Op::Generate, Op::Index],
        Op::Concat => [Op::Generate, Op::MapPush, Op::Index, Op::MapPull],
        Op::Generate => [Op::MapPull, Op::Concat, Op::Index, Op::MapPush],
        Op::Fst => [Op::Snd, Op::LengthPull, Op::Neg, Op::Not],
        Op::Snd => [Op::Fst, Op::LengthPull, Op::Neg, Op::Not],
        Op::Add => [Op::AddD, Op::Lt, Op::Index, Op::Eq],
        Op::Lt => [Op::LtD, Op::Sub, Op::Index, Op::Le],
        Op::Eq => [Op::EqD, Op::Add, Op::Index, Op::Neq],
        _ => return None,
    };
    others.get(way).copied()
}
