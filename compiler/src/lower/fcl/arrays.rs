//! Lengths and elements of arrays, and what a branch chooses.

use super::code::{self, Item};
use super::hoist::Hoisted;
use super::value::{Env, Pull, Push, Val};
use super::{Lower, Lowered, Space, fold, refused};
use reference::device::syntax::{Exp, Sc};
use reference::fcl::syntax::{self as fcl, Op};
use reference::kit::names::Var;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::rc::Rc;

impl<'p> Lower<'p> {
    /// The length of a pull array; no element of it is evaluated.
    pub(super) fn length(&mut self, pull: &Pull<'p>) -> Exp {
        match pull {
            Pull::Literal(_, elements) => Exp::i32(elements.len() as i32),
            Pull::Empty(_) => Exp::i32(0),
            Pull::Generate(size, ..) => size.clone(),
            Pull::Map(_, of, _) => self.length(of),
            Pull::Either(cond, of) => {
                let (then, orelse) = (self.length(&of[0]), self.length(&of[1]));
                fold::select(cond.clone(), then, orelse)
            }
            Pull::Stored(stored) => stored.length.clone(),
        }
    }

    /// `index a i`
    pub(super) fn index(
        &mut self,
        span: Span,
        pull: &Rc<Pull<'p>>,
        index: Exp,
    ) -> Lowered<Val<'p>> {
        let length = self.length(pull);
        let length = self.named(span, "n", Sc::I32, length);
        self.check(span, Cause::OutsideBlock, vec![index.clone(), length])?;
        self.element(span, pull, index)
    }

    /// An element that is there, from 0.
    pub(super) fn element(&mut self, span: Span, pull: &Pull<'p>, index: Exp) -> Lowered<Val<'p>> {
        match pull {
            Pull::Literal(env, elements) => match fold::literal(&index) {
                Some(k) if (k as usize) < elements.len() => {
                    let (env, element) = (env.clone(), &elements[k as usize]);
                    self.eval(element, &env)
                }
                _ => self.literal(span, env, elements, 0, index),
            },
            Pull::Empty(element) => self.missing(span, element.as_ref()),
            Pull::Generate(_, f, at) => self.apply(f.clone(), Val::int(index), *at),
            Pull::Map(f, of, at) => {
                let element = match f {
                    Val::Op(Op::Concat | Op::Interleave, ..) => {
                        Val::LazyElement(Rc::clone(of), index)
                    }
                    _ => self.element(span, of, index)?,
                };
                self.apply(f.clone(), element, *at)
            }
            // The one without elements has none with this number.
            Pull::Either(_, of) if of[0].is_without_elements() => self.element(span, &of[1], index),
            Pull::Either(_, of) if of[1].is_without_elements() => self.element(span, &of[0], index),
            Pull::Either(cond, of) => {
                let [then, orelse] = [Rc::clone(&of[0]), Rc::clone(&of[1])];
                let other = index.clone();
                self.branch(
                    span,
                    cond.clone(),
                    |to| to.element(span, &then, index),
                    |to| to.element(span, &orelse, other),
                )
            }
            Pull::Stored(stored) => self.load(span, stored, index),
        }
    }

    /// One of these elements, the first of which has the number `first`: the index is not known.
    fn literal(
        &mut self,
        span: Span,
        env: &Env<'p>,
        elements: &'p [fcl::Exp],
        first: i32,
        index: Exp,
    ) -> Lowered<Val<'p>> {
        match elements {
            [only] => self.eval(only, env),
            _ => {
                let (low, high) = elements.split_at(elements.len() / 2);
                let middle = first + low.len() as i32;
                let is_low = fold::bin(BinOp::Lt, index.clone(), Exp::i32(middle));
                let other = index.clone();
                self.branch(
                    span,
                    is_low,
                    |to| to.literal(span, env, low, first, index),
                    |to| to.literal(span, env, high, middle, other),
                )
            }
        }
    }

    /// One of two values; what computes the other one is not evaluated.
    pub(super) fn branch(
        &mut self,
        span: Span,
        cond: Exp,
        then: impl FnOnce(&mut Self) -> Lowered<Val<'p>>,
        orelse: impl FnOnce(&mut Self) -> Lowered<Val<'p>>,
    ) -> Lowered<Val<'p>> {
        if let Some(known) = fold::truth(&cond) {
            return if known { then(self) } else { orelse(self) };
        }
        let cond = self.steering(span, cond);
        let cond = self.named(span, "c", Sc::Bool, cond);
        let (fails, before) = (self.fails, self.pending());
        let mut targets = Vec::new();
        let (first, then) = self.side(span, then, &mut targets)?;
        // Where warps differ, some make the second one when others have made the first.
        let after = match self.context.warp() {
            Some(_) => {
                self.add_pending(before);
                self.pending()
            }
            None => self.replace_pending(before),
        };
        let (second, orelse) = self.side(span, orelse, &mut targets)?;
        self.add_pending(after);
        let quiet = first.quiet && second.quiet;
        let (mut then, mut orelse, mut hoisted) = (then, orelse, Hoisted::default());
        let scalars = is_scalars(&first.value) && is_scalars(&second.value);
        if !(quiet || scalars) {
            self.hoist(span, &mut then, &mut hoisted);
            self.hoist(span, &mut orelse, &mut hoisted);
        }
        if !quiet {
            for (var, sc) in &targets {
                self.emit(span, Item::Var(*var, code::ty(*sc), zero(*sc)));
            }
            hoisted.before.into_iter().for_each(|(span, item)| self.emit(span, item));
            self.emit(span, Item::If(cond.clone(), then, orelse));
            self.after(span, fails)?;
            hoisted.behind.into_iter().for_each(|(span, item)| self.emit(span, item));
        }
        let targets: Vec<Exp> = targets.into_iter().map(|(var, _)| self.read(var)).collect();
        let mut targets = targets.into_iter();
        let targets = (!quiet).then_some(&mut targets as &mut dyn Iterator<Item = Exp>);
        merged(span, &cond, (first.value, second.value), targets)
    }

    /// What a side of a branch computes. Its scalars are assigned to variables, those of the other side.
    fn side(
        &mut self,
        span: Span,
        write: impl FnOnce(&mut Self) -> Lowered<Val<'p>>,
        targets: &mut Vec<(Var, Sc)>,
    ) -> Lowered<(Side<'p>, code::Items)> {
        self.scope(|to| {
            let value = write(to)?;
            let quiet = to.code.is_quiet();
            let mut scalars = Vec::new();
            scalars_of(&value, &mut scalars);
            if targets.is_empty() {
                for (sc, _) in &scalars {
                    let var = to.names.fresh("r");
                    if to.context.memory == Space::Kernel {
                        to.places.insert(var);
                    }
                    targets.push((var, *sc));
                }
            }
            let sets: Vec<_> =
                targets.iter().zip(scalars).map(|((var, _), (_, exp))| (*var, exp)).collect();
            if !sets.is_empty() {
                to.emit(span, Item::Set(sets));
            }
            Ok(Side { value, quiet })
        })
    }
}

/// What a side of a branch gives.
struct Side<'p> {
    value: Val<'p>,
    /// Is nothing computed for it?
    quiet: bool,
}

fn scalars_of(value: &Val<'_>, scalars: &mut Vec<(Sc, Exp)>) {
    match value {
        Val::Scalar(sc, exp) => scalars.push((*sc, exp.clone())),
        Val::Pair(parts) => parts.iter().for_each(|part| scalars_of(part, scalars)),
        _ => {}
    }
}

/// The first value if the condition holds, else the second one. Their scalars were assigned, if something is
/// computed for them.
fn merged<'p>(
    span: Span,
    cond: &Exp,
    of: (Val<'p>, Val<'p>),
    mut assigned: Option<&mut dyn Iterator<Item = Exp>>,
) -> Lowered<Val<'p>> {
    Ok(match of {
        (Val::Scalar(sc, a), Val::Scalar(_, b)) => Val::Scalar(
            sc,
            match assigned {
                Some(assigned) => assigned.next().expect("each scalar was assigned"),
                None => fold::select(cond.clone(), a, b),
            },
        ),
        (Val::Pair(a), Val::Pair(b)) => {
            let [[a, c], [b, d]] = [(*a).clone(), (*b).clone()];
            let first = merged(span, cond, (a, b), assigned.as_mut().map(|it| &mut **it as _))?;
            Val::Pair(Rc::new([first, merged(span, cond, (c, d), assigned)?]))
        }
        (Val::Pull(a), Val::Pull(b)) => Val::pull(Pull::Either(cond.clone(), Rc::new([a, b]))),
        (Val::Push(a), Val::Push(b)) => {
            Val::Push(Rc::new(Push::Either(cond.clone(), Rc::new([a, b]))))
        }
        (a, b) if is_function(&a) && is_function(&b) => Val::Either(cond.clone(), Rc::new([a, b])),
        _ => return Err(refused(span, "an `if`", "its branches give different values")),
    })
}

fn is_function(value: &Val<'_>) -> bool {
    matches!(value, Val::Fn(..) | Val::LevelFn(..) | Val::Op(..) | Val::Either(..))
}

/// Is it made of scalars only?
fn is_scalars(value: &Val<'_>) -> bool {
    match value {
        Val::Scalar(..) => true,
        Val::Pair(parts) => parts.iter().all(is_scalars),
        _ => false,
    }
}

/// What a variable of this type starts from.
pub(super) fn zero(sc: Sc) -> Exp {
    match sc {
        Sc::Bool => fold::bool(false),
        Sc::F32 | Sc::F64 => fold::float(sc, 0.0),
        Sc::U32 => Exp::u32(0),
        Sc::I64 => Exp::i64(0),
        Sc::I32 => Exp::i32(0),
    }
}
