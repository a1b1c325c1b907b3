//! Scalars as expressions of a kernel, behind the statements that they need.

use super::super::{NoPlan, no, number, plus, strides, without_single};
use super::kernel::{Flow, Kernel};
use super::{Array, Env, Memory};
use reference::axes::index::{Atom, Index};
use reference::axes::print;
use reference::axes::syntax::{Head, Kind, Term, identity};
use reference::kit::scalar::{BinOp, Notation};

impl Kernel<'_> {
    /// The expression of a scalar.
    pub(super) fn scalar(&mut self, of: &Term, env: &Env) -> Result<String, NoPlan> {
        match &of.head {
            Head::Const(k) => Ok(number(*k)),
            Head::Index(of) => Ok(format!("({})", index(of, env))),
            Head::Scalar(name) => match env.get(name) {
                Some(text) => Ok(text.clone()),
                None => Ok(self.param(name, "i32")),
            },
            Head::Keep => self.scalar(&of.args[0], env),
            Head::Apply => {
                let op = of.args[0].as_op().expect("the term was checked");
                let a = self.scalar(&of.args[1], env)?;
                let b = self.scalar(&of.args[2], env)?;
                Ok(apply(op, &a, &b))
            }
            Head::Get => self.get(of, env),
            Head::If => {
                let cond = self.scalar(&of.args[0], env)?;
                let cond = self.named(&cond);
                let name = self.variable("0");
                let flow = std::mem::replace(&mut self.flow, Flow::Some);
                let stored = self.stored.clone();
                for (nth, open, close) in
                    [(1, format!("if {cond} != 0 {{"), "} else {"), (2, String::new(), "}")]
                {
                    self.within(&open, close, |kernel| {
                        let value = kernel.scalar(&of.args[nth], env)?;
                        kernel.line(&format!("{name} = {value};"));
                        Ok(())
                    })?;
                    self.stored.clone_from(&stored);
                }
                self.flow = flow;
                Ok(name)
            }
            Head::Red => {
                let op = of.args[0].as_op().expect("the term was checked");
                let (axis, size) = of.binds().expect("the term was checked");
                let sum = self.variable(&number(identity(op).unwrap_or(0)));
                self.rounds(axis, size, env, Some(&of.args[3]), |kernel, env| {
                    let next = kernel.scalar(&of.args[3], env)?;
                    kernel.line(&format!("{sum} = {};", apply(op, &sum, &next)));
                    Ok(())
                })?;
                Ok(sum)
            }
            Head::Seq => {
                let Head::State(state) = &of.args[0].head else { return no("no state") };
                let (axis, size) = of.binds().expect("the term was checked");
                let start = self.scalar(&of.args[3], env)?;
                let sum = self.variable(&start);
                let mut env = env.clone();
                env.insert(state.clone(), sum.clone());
                self.rounds(axis, size, &env, Some(&of.args[4]), |kernel, env| {
                    let next = kernel.scalar(&of.args[4], env)?;
                    kernel.line(&format!("{sum} = {next};"));
                    Ok(())
                })?;
                Ok(sum)
            }
            _ => no("a tensor stands where a scalar is wanted"),
        }
    }

    fn get(&mut self, of: &Term, env: &Env) -> Result<String, NoPlan> {
        let array = self.array(&of.args[0])?;
        let mut offset = Index::number(0);
        let mut rest = Vec::new();
        for (at, stride) in of.args[1..].iter().zip(&array.strides) {
            match at.as_index() {
                Some(at) => offset = plus(&offset, &at, *stride)?,
                // Offsets are computed exactly, and an int that is an index wraps.
                None => {
                    let at = self.scalar(at, env)?;
                    let at = self.named(&at);
                    rest.push(format!("{at} * {stride}"));
                }
            }
        }
        let offset = index(&without_single(&offset, self.scope)?, env);
        let offset = rest.into_iter().fold(offset, |sum, part| format!("{sum} + {part}"));
        Ok(self.loaded(&array, &offset))
    }

    /// The array that is read.
    fn array(&mut self, of: &Term) -> Result<Array, NoPlan> {
        if let Head::Array(name) = &of.head {
            let Some(Kind::Array(sizes)) = self.scope.params.get(name) else {
                return no(format!("{name} is no array"));
            };
            let strides = strides(sizes);
            let name = self.param(name, "block[i32]");
            return Ok(Array { name, memory: Memory::Block, strides });
        }
        let key = print::term(of);
        let array = self.stored.get(&key).or_else(|| self.blocks.get(&key)).cloned();
        let array = array.ok_or_else(|| NoPlan("an array is not stored".to_owned()))?;
        if array.memory == Memory::Block {
            self.block(&array.name);
        }
        Ok(array)
    }
}

/// `a ⊕ b`, of ints: what compares gives 0 or 1.
pub(super) fn apply(op: BinOp, a: &str, b: &str) -> String {
    match op.notation() {
        Notation::Call(name) => format!("{name}({a}, {b})"),
        Notation::Infix(symbol, _) => match op {
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                format!("select({a} {symbol} {b}, 1, 0)")
            }
            _ => format!("({a} {symbol} {b})"),
        },
    }
}

/// The text of an index.
pub(super) fn index(of: &Index, env: &Env) -> String {
    let mut sum: Vec<String> = Vec::new();
    for (part, factor) in of.parts() {
        let atom = match part {
            Atom::Axis(name) => env.get(name).cloned().unwrap_or_else(|| name.to_string()),
            Atom::Div(of, by) => format!("({}) / {by}", index(of, env)),
            Atom::Rem(of, by) => format!("({}) % {by}", index(of, env)),
        };
        sum.push(match factor {
            1 => atom,
            factor => format!("({atom}) * {}", literal(factor)),
        });
    }
    if of.offset() != 0 || sum.is_empty() {
        sum.push(literal(of.offset()));
    }
    sum.join(" + ")
}

fn literal(k: i64) -> String {
    if k < 0 { format!("({k})") } else { k.to_string() }
}
