//! Near misses: well-typed programs in which one type, kind, level or turnstile is changed. Most of them are ill typed
//! then; the others are programs like any, which must keep to the semantics.

use super::super::draw::Draw;
use reference::fcl::syntax::{Exp, Kind, Let, Op, Program};
use reference::fcl::types;
use reference::kit::derivation::Recorder;
use reference::kit::names::Names;

/// How many changes are tried at most, where one makes an ill-typed program, and how far apart they are: a prime, so that
/// all are tried if they are few.
const TRIES: usize = 60;
const APART: usize = 7_919;

/// A change of one expression of `main`: which expression, and which of the ways to change one of its form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    at: usize,
    way: usize,
    /// Does it change a level, or how a bound variable is used? Few changes do, and rules of their own look at these.
    pub(crate) is_rare: bool,
}

/// The program with one change that leaves it well typed, or else as it was.
pub(super) fn miss(draw: &mut Draw<'_, '_>, program: Program) -> (Program, bool) {
    let changes = changes(&program);
    let first = draw.below(changes.len());
    for nth in 0..TRIES.min(changes.len()) {
        let change = changes[(first + nth * APART) % changes.len()];
        if let Some(changed) = changed(&program, change)
            && types::infer(&changed, &mut Recorder::counting()).is_ok()
        {
            return (changed, true);
        }
    }
    (program, false)
}

/// All changes that fit somewhere in the program.
pub(crate) fn changes(program: &Program) -> Vec<Change> {
    let (mut changes, mut at) = (Vec::new(), 0);
    if let Some(main) = program.defs.last() {
        main.body.walk(&mut |exp| {
            let is_rare = matches!(exp.kind, Kind::LevelApp(..) | Kind::Let(_));
            changes.extend(ways(exp).iter().map(|way| Change { at, way: *way, is_rare }));
            at += 1;
        });
    }
    changes
}

/// The program with a change that fits; it may be ill typed.
pub(crate) fn changed(program: &Program, change: Change) -> Option<Program> {
    let mut changed = program.clone();
    let exp = changed.defs.last_mut()?.body.nth_mut(change.at).ok()?;
    apply(exp, change.way, &mut changed.names)?;
    Some(changed)
}

/// The ways to change the expression itself.
fn ways(exp: &Exp) -> &'static [usize] {
    match &exp.kind {
        Kind::LevelApp(_, level) if level.succs == 0 => &[0],
        Kind::LevelApp(..) => &[0, 1],
        Kind::Op(op) if like(*op, 0).is_some() => &[0, 1, 2, 3],
        Kind::Int(_) => &[0, 1, 2],
        Kind::App(parts) => match parts[0].kind {
            Kind::Op(Op::Force) => &[0],
            Kind::LevelApp(..) => &[0, 1, 2],
            _ => &[1, 2],
        },
        Kind::Pair(_) => &[0],
        Kind::Let(_) => &[0, 3, 4],
        _ => &[],
    }
}

fn apply(exp: &mut Exp, way: usize, names: &mut Names) -> Option<()> {
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
