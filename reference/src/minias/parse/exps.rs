//! Expressions.

use super::{Parsed, Parser, too_tall};
use crate::kit::lex::{Token, out_of_range};
use crate::kit::scalar::BinOp;
use crate::kit::text::{MAX_NESTING, Rejected, Span};
use crate::minias::lex::LARGEST;
use crate::minias::rules::Rule;
use crate::minias::syntax::{Builtin, Exp, INFIX, Kind, Op, UnOp};

/// An expression and its height, at most [`MAX_NESTING`].
pub(super) struct Tall {
    pub(super) exp: Exp,
    height: usize,
}

impl<'s> Parser<'s> {
    /// `bin ["?" expr ":" expr]`
    pub(super) fn exp(&mut self) -> Parsed<Tall> {
        self.nested(|parser| {
            let condition = parser.binary(0)?;
            if !parser.takes("?") {
                return Ok(condition);
            }
            let then = parser.exp()?;
            if !parser.takes(":") {
                return Err(parser.wanted("`:` and what holds otherwise"));
            }
            let otherwise = parser.exp()?;
            let span = condition.exp.span.to(otherwise.exp.span);
            let heights = [condition.height, then.height, otherwise.height];
            let kind = Kind::Cond(Box::new([condition.exp, then.exp, otherwise.exp]));
            tall(span, kind, &heights)
        })
    }

    /// Operators that bind tighter than `above`.
    fn binary(&mut self, above: u8) -> Parsed<Tall> {
        let mut left = self.unary()?;
        while let Some(Token::Symbol(symbol)) = self.token(0) {
            let Some((_, strength, op)) = INFIX.iter().find(|(text, ..)| *text == symbol) else {
                break;
            };
            if *strength <= above {
                break;
            }
            self.at += 1;
            let right = self.binary(*strength)?;
            left = binary(*op, left, right)?;
        }
        Ok(left)
    }

    /// `("-"|"!"|"~"|"*") unary | "&" place | "(" type ")" unary | postfix`
    fn unary(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let op = match self.token(0) {
            Some(Token::Symbol("-")) => UnOp::Neg,
            Some(Token::Symbol("!")) => UnOp::Not,
            Some(Token::Symbol("~")) => UnOp::Flip,
            Some(Token::Symbol("*")) => return self.prefix(|part| Kind::Load(Box::new(part))),
            Some(Token::Symbol("&")) => return self.prefix(|part| Kind::Address(Box::new(part))),
            Some(Token::Symbol("(")) if self.type_starts(1) => {
                self.at += 1;
                let ty = self.type_of_value()?;
                self.expect(")")?;
                let part = self.nested(Self::unary)?;
                let span = start.to(part.exp.span);
                return tall(span, Kind::Cast(ty, Box::new(part.exp)), &[part.height]);
            }
            _ => return self.postfix(),
        };
        // The smallest int has no absolute value that is one.
        if let (UnOp::Neg, Some(Token::Int(k))) = (op, self.token(1))
            && self.token(2) != Some(Token::Symbol("["))
        {
            self.at += 2;
            return tall(self.from(start), Kind::Int((-(k as i64)) as i32), &[]);
        }
        self.prefix(|part| Kind::Unary(op, Box::new(part)))
    }

    /// An operator that stands before its operand.
    fn prefix(&mut self, kind: impl FnOnce(Exp) -> Kind) -> Parsed<Tall> {
        let start = self.span();
        self.at += 1;
        let part = self.nested(Self::unary)?;
        tall(start.to(part.exp.span), kind(part.exp), &[part.height])
    }

    /// `primary {"[" expr "]"}`
    fn postfix(&mut self) -> Parsed<Tall> {
        let mut exp = self.primary()?;
        while self.takes("[") {
            let start = exp.exp.span;
            let index = self.exp()?;
            self.expect("]")?;
            let span = self.from(start);
            let mut sum = binary(Op::Scalar(BinOp::Add), exp, index)?;
            sum.exp.span = span;
            exp = tall(span, Kind::Load(Box::new(sum.exp)), &[sum.height])?;
        }
        Ok(exp)
    }

    fn primary(&mut self) -> Parsed<Tall> {
        let start = self.span();
        match self.token(0) {
            Some(Token::Int(LARGEST)) => Err(out_of_range(start, LARGEST)),
            Some(Token::Int(k)) => {
                self.at += 1;
                tall(start, Kind::Int(k as i32), &[])
            }
            Some(Token::Keyword("NULL")) => {
                self.at += 1;
                tall(start, Kind::Null, &[])
            }
            Some(Token::Keyword("dynamic_cast")) => {
                self.at += 1;
                self.expect("<")?;
                let ty = self.type_of_value()?;
                self.expect(">")?;
                self.expect("(")?;
                let part = self.exp()?;
                self.expect(")")?;
                let kind = Kind::Dynamic(ty, Box::new(part.exp));
                tall(self.from(start), kind, &[part.height])
            }
            // A name before `int` is meant to be a space.
            Some(Token::Name(_)) if self.token(1) == Some(Token::Keyword("int")) => {
                Err(self.no_type("an expression"))
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                if self.takes("(") { self.call(name, start) } else { self.variable(name, start) }
            }
            Some(Token::Symbol("(")) => {
                self.at += 1;
                let mut exp = self.exp()?;
                self.expect(")")?;
                exp.exp.span = self.from(start);
                Ok(exp)
            }
            _ => Err(self.wanted("an expression")),
        }
    }

    fn variable(&self, name: &str, span: Span) -> Parsed<Tall> {
        let assigned = self.token(0) == Some(Token::Symbol("="));
        let rule = if assigned { Rule::TAssign } else { Rule::TVar };
        let var = self.scope.find(name).ok_or_else(|| self.scope.unknown(name, span, rule))?;
        tall(span, Kind::Var(var), &[])
    }

    /// `f(e, …)`, behind its bracket.
    fn call(&mut self, name: &'s str, start: Span) -> Parsed<Tall> {
        let builtin = Builtin::ALL.into_iter().find(|builtin| builtin.name() == name);
        if let Some(builtin) = builtin {
            let at = self.span();
            if (self.token(0), self.token(1)) != (Some(Token::Int(0)), Some(Token::Symbol(")"))) {
                let message = format!("`{name}` takes the dimension 0");
                return Err(Rejected::new(at, message, "not the literal 0")
                    .help("launches have one dimension (reading M1)"));
            }
            self.at += 2;
            return tall(self.from(start), Kind::Builtin(builtin), &[]);
        }
        let unknown = |parser: &Self| parser.scope.unknown(name, start, Rule::TApp);
        let var = self.scope.find(name).ok_or_else(|| unknown(self))?;
        let (mut args, mut heights) = (Vec::new(), Vec::new());
        for arg in self.list(")", Self::exp)? {
            args.push(arg.exp);
            heights.push(arg.height);
        }
        tall(self.from(start), Kind::Call(var, args), &heights)
    }
}

/// `a ⊕ b`
fn binary(op: Op, a: Tall, b: Tall) -> Parsed<Tall> {
    let span = a.exp.span.to(b.exp.span);
    let heights = [a.height, b.height];
    tall(span, Kind::Binary(op, Box::new(a.exp), Box::new(b.exp)), &heights)
}

/// The expression, unless it is too tall: everything later may recurse over it.
fn tall(span: Span, kind: Kind, parts: &[usize]) -> Parsed<Tall> {
    let height = 1 + parts.iter().max().copied().unwrap_or(0);
    if height > MAX_NESTING {
        Err(too_tall(span))
    } else {
        Ok(Tall { exp: Exp { span, kind }, height })
    }
}
