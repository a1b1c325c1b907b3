//! Expressions, from left to right; `&&`, `||` and `?:` are lazy.

use super::{Form, MAX_DEPTH, Run};
use crate::kit::cause::Cause;
use crate::kit::names::Var;
use crate::kit::outcome::Why;
use crate::kit::run::Eval;
use crate::kit::scalar::BinOp;
use crate::kit::text::Span;
use crate::minias::rules::Rule;
use crate::minias::syntax::{Builtin, Exp, Kind, Op, Type, UnOp};
use crate::minias::values::{Pointer, Word};

impl<'p, E: Form> Run<'p, '_, E> {
    /// The value of an expression.
    pub(super) fn exp(&mut self, exp: &'p E) -> Eval<Word> {
        if self.depth == MAX_DEPTH {
            let what = format!("expressions and calls nested deeper than {MAX_DEPTH}");
            return Err(Why::NotModelled(what).into());
        }
        self.depth += 1;
        let word = E::rule(self, exp)?;
        self.depth -= 1;
        Ok(word)
    }

    /// `E-UNARY`
    pub(super) fn e_unary(&mut self, op: UnOp, part: &'p E) -> Eval<Word> {
        let word = self.exp(part)?;
        Ok(Word::Int(match op {
            UnOp::Neg => word.int().wrapping_neg(),
            UnOp::Flip => !word.int(),
            UnOp::Not => i32::from(!word.holds()),
        }))
    }

    /// `E-LOGIC`, which is lazy.
    pub(super) fn e_logic(&mut self, op: Op, left: &'p E, right: &'p E) -> Eval<Word> {
        let decided = self.exp(left)?.holds() == (op == Op::Or);
        let holds = if decided { op == Op::Or } else { self.exp(right)?.holds() };
        Ok(Word::Int(holds.into()))
    }

    /// `E-COND`, which is lazy.
    pub(super) fn e_cond(&mut self, parts: &'p [E; 3]) -> Eval<Word> {
        let [condition, then, otherwise] = parts;
        if self.exp(condition)?.holds() { self.exp(then) } else { self.exp(otherwise) }
    }

    /// A node of the derivation: `rule` applied to an expression.
    pub(super) fn by(
        &mut self,
        rule: Rule,
        exp: &'p E,
        premises: impl FnOnce(&mut Self) -> Eval<Word>,
    ) -> Eval<Word> {
        self.enter(rule, exp);
        let word = premises(self)?;
        self.leave(word);
        Ok(word)
    }

    /// What tells the item where it is.
    pub(super) fn e_builtin(&self, builtin: Builtin) -> Word {
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

    /// `E-OP`: of pointers the rules `E-OFFSET`, `E-DIFF` and `E-COMPARE` say what they come to, of ints the scalar table
    /// (division).
    pub(super) fn e_op(&mut self, exp: &'p E, op: BinOp, words: [Word; 2]) -> Eval<Word> {
        match (op, words) {
            (_, [Word::Int(a), Word::Int(b)]) => match op.checked(a, b) {
                Some(k) => Ok(Word::Int(k)),
                None => {
                    self.stuck(Rule::EOp, exp.span(), Cause::DivisionByZero, &[a.into(), b.into()])
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
    fn e_offset(&mut self, exp: &'p E, at: Word, by: i64) -> Eval<Word> {
        self.by(Rule::EOffset, exp, |run| match at {
            Word::Pointer(at) => {
                Ok(Word::Pointer(Pointer { offset: at.offset.saturating_add(by), ..at }))
            }
            Word::Thin(at) => Ok(Word::Thin(at.moved(by))),
            Word::Pair(tag, at) => Ok(Word::Pair(tag, at.moved(by))),
            Word::Null | Word::Int(_) => run.stuck(Rule::EOffset, exp.span(), Cause::Null, &[]),
        })
    }

    /// `E-COMPARE`: pointers to other blocks or spaces are not equal, and have no order (same_block).
    fn e_compare(&mut self, exp: &'p E, op: BinOp, words: [Word; 2]) -> Eval<Word> {
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
    fn same_block(&mut self, rule: Rule, exp: &'p E, words: [Word; 2]) -> Eval<i64> {
        let [Word::Pointer(left), Word::Pointer(right)] = words else {
            return if words == [Word::Null; 2] {
                Ok(0)
            } else {
                self.stuck(rule, exp.span(), Cause::SameBlock, &[])
            };
        };
        let block = |pointer: Pointer| (pointer.space, pointer.block);
        if block(left) != block(right) {
            return self.stuck(rule, exp.span(), Cause::SameBlock, &[]);
        }
        Ok(left.offset.saturating_sub(right.offset))
    }

    /// `E-APP`: the arguments, then the body in a new activation. A call of `void` concludes nothing.
    pub(super) fn e_app(
        &mut self,
        exp: &'p E,
        (name, args): (Var, &'p [E]),
        passed: impl FnOnce(&Self) -> E::Passed,
    ) -> Eval<Word> {
        self.enter(Rule::EApp, exp);
        let mut words = Vec::with_capacity(args.len());
        for arg in args {
            words.push(self.exp(arg)?);
        }
        self.meter.charge(1)?;
        let passed = passed(self);
        let outer = std::mem::replace(&mut self.item.passed, passed);
        let code = self.code;
        match code.functions[name.slot()] {
            Some(number) => {
                let word = self.call(&code.layouts[number], &words)?;
                self.item.passed = outer;
                match word {
                    Some(word) => self.leave(word),
                    None => self.close(self.open - 1),
                }
                Ok(word.unwrap_or(Word::Null))
            }
            None => {
                let what = format!(
                    "the prototype `{}`, which has no body",
                    self.program.names.written(name)
                );
                Err(Why::NotModelled(what).into())
            }
        }
    }
}

impl Form for Exp {
    const STORE: Rule = Rule::EStore;
    type Passed = ();

    fn span(&self) -> Span {
        self.span
    }

    fn variable(&self) -> Option<Var> {
        match self.kind {
            Kind::Var(var) => Some(var),
            _ => None,
        }
    }

    fn argument(at: Pointer) -> Word {
        Word::Pointer(at)
    }

    fn place<'p>(run: &mut Run<'p, '_, Exp>, place: &'p Exp) -> Eval<Word> {
        match &place.kind {
            Kind::Load(address) => run.exp(address),
            other => unreachable!("typing promised a place, and there is {other:?}"),
        }
    }

    fn rule<'p>(run: &mut Run<'p, '_, Exp>, exp: &'p Exp) -> Eval<Word> {
        match &exp.kind {
            Kind::Int(k) => run.by(Rule::EInt, exp, |_| Ok(Word::Int(*k))),
            Kind::Null => run.by(Rule::ENull, exp, |_| Ok(Word::Null)),
            Kind::Var(var) => run.by(Rule::EVar, exp, |run| match run.home(*var) {
                (at, true) => Ok(Word::Pointer(at)),
                (at, false) => run.read(Rule::EVar, Word::Pointer(at), exp.span),
            }),
            Kind::Builtin(builtin) => {
                run.by(Rule::EBuiltin, exp, |run| Ok(run.e_builtin(*builtin)))
            }
            Kind::Unary(op, part) => run.by(Rule::EUnary, exp, |run| run.e_unary(*op, part)),
            Kind::Binary(Op::Scalar(op), left, right) => run.by(Rule::EOp, exp, |run| {
                let words = [run.exp(left)?, run.exp(right)?];
                run.e_op(exp, *op, words)
            }),
            Kind::Binary(op, left, right) => {
                run.by(Rule::ELogic, exp, |run| run.e_logic(*op, left, right))
            }
            Kind::Load(part) => run.by(Rule::ELoad, exp, |run| {
                let at = run.exp(part)?;
                run.read(Rule::ELoad, at, exp.span)
            }),
            Kind::Address(place) => run.by(Rule::EAddress, exp, |run| match &place.kind {
                Kind::Load(part) => run.exp(part),
                Kind::Var(var) => Ok(Word::Pointer(run.home(*var).0)),
                other => unreachable!("typing promised a place, and there is {other:?}"),
            }),
            Kind::Cond(parts) => run.by(Rule::ECond, exp, |run| run.e_cond(parts)),
            Kind::Call(name, args) => run.e_app(exp, (*name, args), |_| ()),
            Kind::Cast(target, part) => {
                run.by(Rule::ECast, exp, |run| run.e_cast(target, part, exp))
            }
            Kind::Dynamic(target, part) => {
                run.by(Rule::EDynamic, exp, |run| run.e_dynamic(target, part))
            }
        }
    }
}

impl<'p> Run<'p, '_, Exp> {
    /// `E-CAST`: to one space, the pointer is NULL or of that space (space).
    fn e_cast(&mut self, target: &'p Type, part: &'p Exp, exp: &'p Exp) -> Eval<Word> {
        let word = self.exp(part)?;
        let wanted = target.points_to();
        if let (Word::Pointer(pointer), Some(wanted)) = (word, wanted) {
            let spaces = [pointer.space as i64, wanted as i64];
            self.require(Rule::ECast, exp.span, Cause::Space, spaces)?;
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
