//! The target's expressions. What it shares with MiniAS is by MiniAS's rules.

use super::{Form, Run, Touch};
use crate::kit::cause::Cause;
use crate::kit::derivation::Recorder;
use crate::kit::names::Var;
use crate::kit::outcome::{Budget, Outcome, Value};
use crate::kit::run::Eval;
use crate::kit::schedule::Order;
use crate::kit::text::Span;
use crate::minias::launch::Launch;
use crate::minias::rules::Rule;
use crate::minias::syntax::{Op, Space};
use crate::minias::target::{At, Exp, Kind, Number, Program, Table};
use crate::minias::values::{Address, Pointer, Word};

/// Runs a program of the target as [`run`](super::run) the one that it was translated from, and tells its loads and stores,
/// if `touches` are wanted.
///
/// # Panics
/// If the program is no translation, or the launch no kernel of it.
pub fn run_target(
    program: &Program,
    launch: &Launch,
    input: &[Value],
    order: Order,
    budget: &Budget,
    touches: bool,
    to: &mut Recorder<Rule>,
) -> (Outcome, Vec<Touch>) {
    let touched = touches.then(Vec::new);
    let (outcome, touched) =
        super::runs(&program.program, launch, input, order, budget, touched, to);
    (outcome, touched.unwrap_or_default())
}

/// What a function is passed beside its arguments.
#[derive(Debug, Default)]
pub(in crate::minias) struct Passed {
    numbers: Vec<u32>,
    tables: Vec<Vec<u32>>,
}

impl Passed {
    fn number(&self, number: Number) -> u32 {
        number.plus + number.of.map_or(0, |at| self.numbers[at])
    }

    fn table(&self, table: &Table) -> Vec<u32> {
        let mut ids = table.of.map_or_else(Vec::new, |at| self.tables[at].clone());
        for (at, id) in &table.ids {
            ids.insert(self.number(*at) as usize, *id);
        }
        ids
    }
}

impl Form for Exp {
    const STORE: Rule = Rule::XStore;
    type Passed = Passed;

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
        Word::Thin(Address { block: at.block, offset: at.offset })
    }

    fn place<'p>(run: &mut Run<'p, '_, Exp>, place: &'p Exp) -> Eval<Word> {
        match &place.kind {
            Kind::Load(at, part) => run.pointer(at, part),
            other => unreachable!("a translation stores in places, and there is {other:?}"),
        }
    }

    fn rule<'p>(run: &mut Run<'p, '_, Exp>, exp: &'p Exp) -> Eval<Word> {
        match &exp.kind {
            Kind::Int(k) => run.by(Rule::EInt, exp, |_| Ok(Word::Int(*k))),
            Kind::Null => run.by(Rule::ENull, exp, |_| Ok(Word::Null)),
            Kind::Var(var) => run.by(Rule::EVar, exp, |run| match run.home(*var) {
                (at, true) => Ok(Exp::argument(at)),
                (at, false) => run.read(Rule::EVar, Word::Pointer(at), exp.span),
            }),
            Kind::Address(var) => {
                run.by(Rule::EAddress, exp, |run| Ok(Exp::argument(run.home(*var).0)))
            }
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
            Kind::Compare(op, parts) => run.by(Rule::EOp, exp, |run| {
                let [(at, left), (other, right)] = &**parts;
                let words = [run.pointer(at, left)?, run.pointer(other, right)?];
                run.e_op(exp, *op, words)
            }),
            Kind::Cond(parts) => run.by(Rule::ECond, exp, |run| run.e_cond(parts)),
            Kind::Load(at, part) => run.by(Rule::XLoad, exp, |run| {
                let pointer = run.pointer(at, part)?;
                run.read(Rule::XLoad, pointer, exp.span)
            }),
            Kind::Call(name, passed, args) => run.e_app(exp, (*name, args), |run| Passed {
                numbers: passed.0.iter().map(|it| run.item.passed.number(*it)).collect(),
                tables: passed.1.iter().map(|it| run.item.passed.table(it)).collect(),
            }),
            Kind::Pair(tag, part) => run.by(Rule::XPair, exp, |run| {
                let word = run.exp(part)?;
                let tag = run.item.passed.number(*tag);
                Ok(run.address(word).map_or(Word::Null, |(_, at)| Word::Pair(tag, at)))
            }),
            Kind::Retag(tags, part) => run.by(Rule::XRetag, exp, |run| {
                let word = run.exp(part)?;
                Ok(run.address(word).map_or(Word::Null, |(tag, at)| {
                    Word::Pair(run.item.passed.number(tags[tag as usize]), at)
                }))
            }),
            Kind::Thin(part) => run.by(Rule::XThin, exp, |run| {
                let word = run.exp(part)?;
                Ok(run.address(word).map_or(Word::Null, |(_, at)| Word::Thin(at)))
            }),
            Kind::Dynamic(wanted, part) => run.by(Rule::XDynamic, exp, |run| {
                let word = run.exp(part)?;
                let wanted = run.item.passed.number(*wanted);
                Ok(match run.address(word) {
                    Some((tag, at)) if tag == wanted => Word::Thin(at),
                    _ => Word::Null,
                })
            }),
            Kind::Cast(wanted, space, at, part) => {
                run.by(Rule::XCast, exp, |run| run.x_cast(exp, (*wanted, *space), at, part))
            }
        }
    }
}

impl<'p> Run<'p, '_, Exp> {
    /// The tag and the address of a word, unless it is NULL; an address alone has the tag 0.
    fn address(&self, word: Word) -> Option<(u32, Address)> {
        match word {
            Word::Null => None,
            Word::Thin(at) => Some((0, at)),
            Word::Pair(tag, at) => Some((tag, at)),
            other => panic!("the translation promised a pointer, and there is {other:?}"),
        }
    }

    /// The space that a tag stands for.
    fn space(&self, at: &At, tag: u32) -> Space {
        match at {
            At::Space(space) => *space,
            At::Tag => Space::ALL[tag as usize],
            At::Table(table) => Space::ALL[self.item.passed.table(table)[tag as usize] as usize],
        }
    }

    /// The pointer that the expression is, with its space.
    fn pointer(&mut self, at: &At, part: &'p Exp) -> Eval<Word> {
        let word = self.exp(part)?;
        Ok(match self.address(word) {
            None => Word::Null,
            Some((tag, address)) => address.in_space(self.space(at, tag)),
        })
    }

    /// `X-CAST`: the pair has the tag, or is NULL (space).
    fn x_cast(
        &mut self,
        exp: &'p Exp,
        (wanted, space): (Number, Space),
        at: &At,
        part: &'p Exp,
    ) -> Eval<Word> {
        let word = self.exp(part)?;
        let Some((tag, address)) = self.address(word) else { return Ok(Word::Null) };
        if tag != self.item.passed.number(wanted) {
            let spaces = [self.space(at, tag) as i64, space as i64];
            let cause = Cause::Space;
            return self.stuck(Rule::XCast, exp.span, cause, &spaces);
        }
        Ok(Word::Thin(address))
    }
}
