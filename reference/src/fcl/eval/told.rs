//! What derivations say of values.

use super::code::Code;
use crate::fcl::syntax::{Kind, Level};
use crate::fcl::values::{Closure, Partial, Pull, Val};
use crate::kit::names::Names;

/// Elements of an array that are shown.
const SHOWN: usize = 8;

/// Values in one another that are shown.
const NESTED: usize = 3;

/// What is known for texts.
pub(crate) struct Told<'t, 'p> {
    pub(crate) names: &'t Names,
    pub(crate) code: &'t Code<'p>,
}

impl Told<'_, '_> {
    /// The value, cut short.
    pub(crate) fn val(&self, val: &Val) -> String {
        self.nested(val, NESTED)
    }

    fn nested(&self, val: &Val, nested: usize) -> String {
        let Some(inner) = nested.checked_sub(1) else { return "…".to_owned() };
        match val {
            Val::Int(k) => k.to_string(),
            Val::Bool(b) => b.to_string(),
            Val::Double(x) => x.to_string(),
            Val::Level(level) => format!("<{}>", Level::written(*level)),
            Val::Pair(pair) => {
                let [a, b] = &pair.parts;
                format!("({}, {})", self.nested(a, inner), self.nested(b, inner))
            }
            Val::Fn(closure) | Val::LevelFn(closure) => self.closure(closure),
            Val::Op(op) => op.name().to_owned(),
            Val::PushAt(level) => format!("push <{}>", Level::written(*level)),
            Val::Partial(partial) => format!("({})", self.partial(partial)),
            Val::Pull(pull) => self.pull(pull, inner),
            Val::Push(push) => {
                format!("{}<{}>", self.pull(&push.elements, inner), Level::written(push.level))
            }
            Val::Delayed(delayed) => match delayed.order {
                None => "concatDelay … …".to_owned(),
                Some(_) => "interleaveDelay … … …".to_owned(),
            },
        }
    }

    fn closure(&self, closure: &Closure) -> String {
        // What a function is, is said where its body stands.
        let body = &self.code.source(closure.body).kind;
        match body {
            Kind::Fn(..) | Kind::LevelFn(..) => "fn … => fn …".to_owned(),
            Kind::Var(var) => format!("fn … => {}", self.names.text(*var)),
            _ => "fn … => …".to_owned(),
        }
    }

    fn partial(&self, partial: &Partial) -> String {
        let missing = partial.op.arity() - partial.args.len();
        format!(
            "{} with {} of {}",
            partial.op.name(),
            partial.args.len(),
            partial.args.len() + missing
        )
    }

    fn pull(&self, pull: &Pull, nested: usize) -> String {
        let count = pull.len();
        let Pull::Cells(cells) = pull else {
            return match count {
                0 => "[]".to_owned(),
                1 => "[e₁]".to_owned(),
                _ => format!("[e₁, …, e_{count}]"),
            };
        };
        let shown =
            (0..cells.len().min(SHOWN)).map(|at| self.nested(&cells.get(at), nested.max(1)));
        let mut shown: Vec<String> = shown.collect();
        if cells.len() > SHOWN {
            shown.push(format!("… {count} in all"));
        }
        format!("[{}]", shown.join(", "))
    }
}
