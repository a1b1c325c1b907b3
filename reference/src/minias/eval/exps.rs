//! Expressions, from left to right; `&&`, `||` and `?:` are lazy.

use super::{MAX_DEPTH, Run};
use crate::kit::cause::Cause;
use crate::kit::names::Var;
use crate::kit::outcome::Why;
use crate::kit::run::Eval;
use crate::kit::scalar::BinOp;
use crate::minias::rules::{self, Rule};
use crate::minias::syntax::{Builtin, Exp, Kind, Op, Type, UnOp};
use crate::minias::values::{Pointer, Word};

impl<'p> Run<'p, '_> {
    /// The value of an expression.
    pub(super) fn exp(&mut self, exp: &'p Exp) -> Eval<Word> {
        if self.depth == MAX_DEPTH {
            let what = format!("expressions and calls nested deeper than {MAX_DEPTH}");
            return Err(Why::NotModelled(what).into());
        }
        self.depth += 1;
        let word = self.rule(exp)?;
        self.depth -= 1;
        Ok(word)
    }

    fn rule(&mut self, exp: &'p Exp) -> Eval<Word> {
        match &exp.kind {
            Kind::Int(k) => self.by(Rule::EInt, exp, |_| Ok(Word::Int(*k))),
            Kind::Null => self.by(Rule::ENull, exp, |_| Ok(Word::Null)),
            Kind::Var(var) => self.by(Rule::EVar, exp, |run| match run.home(*var) {
                (at, true) => Ok(Word::Pointer(at)),
                (at, false) => run.read(Rule::EVar, Word::Pointer(at), exp.span),
            }),
            Kind::Builtin(builtin) => {
                self.by(Rule::EBuiltin, exp, |run| Ok(run.e_builtin(*builtin)))
            }
            Kind::Unary(op, part) => self.by(Rule::EUnary, exp, |run| {
                let word = run.exp(part)?;
                Ok(Word::Int(match op {
                    UnOp::Neg => word.int().wrapping_neg(),
                    UnOp::Flip => !word.int(),
                    UnOp::Not => i32::from(!word.holds()),
                }))
            }),
            Kind::Binary(Op::Scalar(op), left, right) => {
                self.by(Rule::EOp, exp, |run| run.e_op(exp, *op, left, right))
            }
            Kind::Binary(op, left, right) => self.by(Rule::ELogic, exp, |run| {
                let decided = run.exp(left)?.holds() == (*op == Op::Or);
                let holds = if decided { *op == Op::Or } else { run.exp(right)?.holds() };
                Ok(Word::Int(holds.into()))
            }),
            Kind::Load(part) => self.by(Rule::ELoad, exp, |run| {
                let at = run.exp(part)?;
                run.read(Rule::ELoad, at, exp.span)
            }),
            Kind::Address(place) => self.by(Rule::EAddress, exp, |run| match &place.kind {
                Kind::Load(part) => run.exp(part),
                Kind::Var(var) => Ok(Word::Pointer(run.home(*var).0)),
                other => unreachable!("typing promised a place, and there is {other:?}"),
            }),
            Kind::Cond(parts) => self.by(Rule::ECond, exp, |run| {
                let [condition, then, otherwise] = &**parts;
                if run.exp(condition)?.holds() { run.exp(then) } else { run.exp(otherwise) }
            }),
            Kind::Call(name, args) => self.by(Rule::EApp, exp, |run| run.e_app(*name, args)),
            Kind::Cast(target, part) => {
                self.by(Rule::ECast, exp, |run| run.e_cast(target, part, exp))
            }
            Kind::Dynamic(target, part) => {
                self.by(Rule::EDynamic, exp, |run| run.e_dynamic(target, part))
            }
        }
    }

    fn by(
        &mut self,
        rule: Rule,
        exp: &'p Exp,
        premises: impl FnOnce(&mut Self) -> Eval<Word>,
    ) -> Eval<Word> {
        self.enter(rule, exp);
        let word = premises(self)?;
        self.leave(word);
        Ok(word)
    }

    fn e_builtin(&self, builtin: Builtin) -> Word {
        let (number, items, size) = (self.item.number, self.launch.items, self.launch.size);
        Word::Int(match builtin {
            Builtin::GlobalId => number,
            Builtin::LocalId => number % size,
            Builtin::GroupId => number / size,
            Builtin::GlobalSize => items,
            Builtin::LocalSize => size,
            Builtin::NumGroups => items / size,
        } as i32)
    }

    /// `E-OP`: the operands, from left to right. Of pointers the rules `E-OFFSET`, `E-DIFF` and `E-COMPARE` say what they
    /// come to, of ints the scalar table (division).
    fn e_op(&mut self, exp: &'p Exp, op: BinOp, left: &'p Exp, right: &'p Exp) -> Eval<Word> {
        let words = [self.exp(left)?, self.exp(right)?];
        match (op, words) {
            (_, [Word::Int(a), Word::Int(b)]) => match op.checked(a, b) {
                Some(k) => Ok(Word::Int(k)),
                None => {
                    self.stuck(Rule::EOp, exp.span, Cause::DivisionByZero, &[a.into(), b.into()])
                }
            },
            (BinOp::Add, [at, Word::Int(by)] | [Word::Int(by), at]) => {
                self.e_offset(exp, at, by.into())
            }
            (BinOp::Sub, [at, Word::Int(by)]) => self.e_offset(exp, at, -i64::from(by)),
            (BinOp::Sub, _) => self.by(Rule::EDiff, exp, |run| {
                let by = run.same_block(Rule::EDiff, exp, words)?;
                Ok(Word::Int(by as i32))
            }),
            _ => self.by(Rule::ECompare, exp, |run| run.e_compare(exp, op, words)),
        }
    }

    /// `E-OFFSET`: the pointer is not NULL (null). Whether the offset is in the block is tested at access.
    fn e_offset(&mut self, exp: &'p Exp, at: Word, by: i64) -> Eval<Word> {
        self.by(Rule::EOffset, exp, |run| match at {
            Word::Pointer(pointer) => Ok(Self::moved(pointer, by)),
            _ => run.stuck(Rule::EOffset, exp.span, rules::NULL, &[]),
        })
    }

    /// `E-COMPARE`: pointers to other blocks or spaces are not equal, and have no order (same_block).
    fn e_compare(&mut self, exp: &'p Exp, op: BinOp, words: [Word; 2]) -> Eval<Word> {
        let holds = match op {
            BinOp::Eq => words[0] == words[1],
            BinOp::Ne => words[0] != words[1],
            _ => {
                let by = self.same_block(Rule::ECompare, exp, words)?;
                op.checked(by.signum() as i32, 0).is_some_and(|holds| holds != 0)
            }
        };
        Ok(Word::Int(holds.into()))
    }

    /// How far two pointers to one block are apart; NULL is no block (same_block).
    fn same_block(&mut self, rule: Rule, exp: &'p Exp, words: [Word; 2]) -> Eval<i64> {
        let [Word::Pointer(left), Word::Pointer(right)] = words else {
            return if words == [Word::Null; 2] {
                Ok(0)
            } else {
                self.stuck(rule, exp.span, rules::SAME_BLOCK, &[])
            };
        };
        let block = |pointer: Pointer| (pointer.space, pointer.block);
        if block(left) != block(right) {
            return self.stuck(rule, exp.span, rules::SAME_BLOCK, &[]);
        }
        Ok(left.offset.saturating_sub(right.offset))
    }

    /// `E-APP`: the arguments, then the body in a new activation.
    fn e_app(&mut self, name: Var, args: &'p [Exp]) -> Eval<Word> {
        let mut words = Vec::with_capacity(args.len());
        for arg in args {
            words.push(self.exp(arg)?);
        }
        self.meter.charge(1)?;
        let code = self.code;
        match code.functions[name.slot()] {
            Some(number) => self.call(&code.layouts[number], &words),
            None => {
                let what = format!(
                    "the prototype `{}`, which has no body",
                    self.program.names.written(name)
                );
                Err(Why::NotModelled(what).into())
            }
        }
    }

    /// `E-CAST`: to one space, the pointer is NULL or of that space (space).
    fn e_cast(&mut self, target: &'p Type, part: &'p Exp, exp: &'p Exp) -> Eval<Word> {
        let word = self.exp(part)?;
        let wanted = target.points_to();
        if let (Word::Pointer(pointer), Some(wanted)) = (word, wanted) {
            let spaces = [pointer.space as i64, wanted as i64];
            self.require(Rule::ECast, exp.span, rules::SPACE, spaces)?;
        }
        Ok(word)
    }

    /// `E-DYNAMIC`: the pointer, if it is of the space; else NULL.
    fn e_dynamic(&mut self, target: &'p Type, part: &'p Exp) -> Eval<Word> {
        let word = self.exp(part)?;
        let wanted = target.points_to();
        Ok(match word {
            Word::Pointer(pointer) if Some(pointer.space) == wanted => word,
            _ => Word::Null,
        })
    }
}
