//! `P|Γ ⊢ e ⇝ e' : τ`

use super::{Translation, is_thin, without};
use crate::kit::names::Var;
use crate::kit::text::Span;
use crate::minias::rows::Ty;
use crate::minias::rules::Rule;
use crate::minias::syntax::{self, Op};
use crate::minias::target::{Exp, Kind};
use crate::minias::types::{More, Note};

impl<'t> Translation<'t, '_> {
    /// What is inferred of the next expression.
    fn note(&mut self, span: Span) -> &'t Note {
        let note = self.notes.next().expect("each expression has a note");
        assert_eq!(note.span, span, "the notes are in the order of the expressions");
        note
    }

    /// The translation of an expression, and its type.
    pub(super) fn exp(&mut self, exp: &syntax::Exp) -> (Exp, &'t Ty) {
        let span = exp.span;
        let note = self.note(span);
        let ty = &note.ty;
        let kind = match &exp.kind {
            syntax::Kind::Int(k) => Kind::Int(*k),
            syntax::Kind::Null => Kind::Null,
            syntax::Kind::Builtin(builtin) => Kind::Builtin(*builtin),
            syntax::Kind::Var(var) => {
                if self.addressed.contains(var) && !self.arrays.contains(var) {
                    return (self.unpaired(span, Kind::Var(*var), ty), ty);
                }
                Kind::Var(*var)
            }
            syntax::Kind::Unary(op, part) => Kind::Unary(*op, Box::new(self.exp(part).0)),
            syntax::Kind::Binary(op, left, right) => self.binary(*op, left, right),
            syntax::Kind::Load(part) => {
                let (pointer, at) = self.exp(part);
                let at = self.at(at.row().expect("what is loaded from is a pointer"));
                return (self.unpaired(span, Kind::Load(at, Box::new(pointer)), ty), ty);
            }
            syntax::Kind::Address(place) => match &place.kind {
                syntax::Kind::Load(part) => return (self.exp(part).0, ty),
                syntax::Kind::Var(var) => {
                    self.grown |= self.addressed.insert(*var);
                    Kind::Address(*var)
                }
                other => unreachable!("typing promised a place, and there is {other:?}"),
            },
            syntax::Kind::Cond(parts) => {
                let condition = self.exp(&parts[0]).0;
                let [then, otherwise] = [1, 2].map(|at| self.flows(&parts[at], ty, false));
                Kind::Cond(Box::new([condition, then, otherwise]))
            }
            syntax::Kind::Call(name, args) => return (self.call(span, *name, args, note), ty),
            syntax::Kind::Cast(target, part) => match target.points_to() {
                Some(space) => {
                    let (pointer, from) = self.exp(part);
                    let row = from.row().expect("what is cast is a pointer");
                    if is_thin(row) {
                        return (pointer, ty);
                    }
                    let wanted = self.evidence(without(row, space), space);
                    Kind::Cast(wanted, space, self.at(row), Box::new(pointer))
                }
                None => return (self.flows(part, ty, false), ty),
            },
            syntax::Kind::Dynamic(target, part) => {
                let More::Opened(opened) = &note.more else { unreachable!("a cast is noted so") };
                let space = target.points_to().expect("typing promised that it names a space");
                let pointer = self.flows(part, opened, false);
                let row = opened.row().expect("what is cast is a pointer");
                if is_thin(row) {
                    return (pointer, ty);
                }
                Kind::Dynamic(self.evidence(without(row, space), space), Box::new(pointer))
            }
        };
        (Exp { span, kind }, ty)
    }

    /// An expression that flows where a type is wanted.
    pub(super) fn flows(&mut self, exp: &syntax::Exp, wanted: &Ty, pairs: bool) -> Exp {
        let (exp, ty) = self.exp(exp);
        self.flow(exp, ty, wanted, pairs)
    }

    fn binary(&mut self, op: Op, left: &syntax::Exp, right: &syntax::Exp) -> Kind {
        let ((left, of_left), (right, of_right)) = (self.exp(left), self.exp(right));
        match (op, of_left.row(), of_right.row()) {
            (Op::Scalar(op), Some(one), Some(other)) => {
                let sides = [(self.at(one), left), (self.at(other), right)];
                Kind::Compare(op, Box::new(sides))
            }
            _ => Kind::Binary(op, Box::new(left), Box::new(right)),
        }
    }

    /// `C=>E`
    ///
    /// ```text
    /// P|Γ ⊢ e ⇝ e' : π ⇒ ρ      P ⊨ e'' : π
    /// ────────────────────
    /// P|Γ ⊢ e ⇝ e' e'' : ρ
    /// ```
    fn call(&mut self, span: Span, name: Var, args: &[syntax::Exp], note: &Note) -> Exp {
        let scheme = self.schemes[&name];
        let rows = match &note.more {
            More::Instance(rows) => &rows[..],
            _ => &[],
        };
        let mut passed = Vec::new();
        for (arg, param) in args.iter().zip(&scheme.params) {
            let pairs = param.row().is_some_and(|row| !is_thin(row));
            passed.push(self.flows(arg, &param.under(rows), pairs));
        }
        let wanted = self.passed[&name].clone();
        let mut numbers = Vec::new();
        for (row, space) in wanted.numbers {
            self.fires(Rule::CElim);
            numbers.push(self.evidence(Self::here(&note.more, row), space));
        }
        let tables = wanted.tables.into_iter();
        let tables = tables.map(|row| self.table(Self::here(&note.more, row))).collect();
        let kind = Kind::Call(name, Box::new((numbers, tables)), passed);
        match scheme.result.row() {
            Some(row) if !is_thin(row) => self.unpaired(span, kind, &note.ty),
            _ => Exp { span, kind },
        }
    }
}
