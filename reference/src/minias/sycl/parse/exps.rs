//! Expressions.

use super::{Parsed, Parser};
use crate::kit::lex::{Token, out_of_range};
use crate::kit::scalar::BinOp;
use crate::kit::text::{MAX_NESTING, Rejected, Span};
use crate::minias::cursor::too_tall;
use crate::minias::lex::LARGEST;
use crate::minias::sycl::syntax::{Captures, Exp, Kind, Lambda, Name};
use crate::minias::syntax::{Builtin, INFIX, Op, UnOp};

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
            parser.tall(span, kind, &heights)
        })
    }

    /// The infix operator that stands here, how tightly it binds, and of how many tokens it is: `>>` is two, since each
    /// closes a list of types.
    fn infix(&self) -> Option<(Op, u8, usize)> {
        let Some(Token::Symbol(symbol)) = self.token(0) else { return None };
        let touches = || self.tokens[self.at].1.end == self.tokens[self.at + 1].1.start;
        let shift = symbol == ">" && self.token(1) == Some(Token::Symbol(">")) && touches();
        let (text, count) = if shift { (">>", 2) } else { (symbol, 1) };
        let (_, strength, op) = INFIX.iter().find(|(known, ..)| *known == text)?;
        Some((*op, *strength, count))
    }

    /// Operators that bind tighter than `above`.
    fn binary(&mut self, above: u8) -> Parsed<Tall> {
        let mut left = self.unary()?;
        while let Some((op, strength, count)) = self.infix() {
            if strength <= above {
                break;
            }
            self.at += count;
            let right = self.binary(strength)?;
            left = self.both(op, left, right)?;
        }
        Ok(left)
    }

    /// `("-"|"!"|"~"|"*"|"&") unary | "(" type ")" unary | postfix`
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
                let (ty, height) = self.measured(Self::ty)?;
                self.expect(")")?;
                let part = self.nested(Self::unary)?;
                let kind = Kind::Cast(ty, Box::new(part.exp));
                return self.tall(self.from(start), kind, &[part.height, height]);
            }
            _ => return self.postfix(),
        };
        // The smallest int has no absolute value that is one.
        if let (UnOp::Neg, Some(Token::Int(k))) = (op, self.token(1))
            && self.token(2) != Some(Token::Symbol("["))
        {
            self.at += 2;
            return self.tall(self.from(start), Kind::Int((-(k as i64)) as i32), &[]);
        }
        self.prefix(|part| Kind::Unary(op, Box::new(part)))
    }

    /// An operator that stands before its operand.
    fn prefix(&mut self, kind: impl FnOnce(Exp) -> Kind) -> Parsed<Tall> {
        let start = self.span();
        self.at += 1;
        let part = self.nested(Self::unary)?;
        self.tall(self.from(start), kind(part.exp), &[part.height])
    }

    /// `primary {"[" expr "]" | "." ID}`
    fn postfix(&mut self) -> Parsed<Tall> {
        let mut exp = self.primary()?;
        let start = exp.exp.span;
        loop {
            if self.takes("[") {
                let index = self.exp()?;
                self.expect("]")?;
                let mut sum = self.both(Op::Scalar(BinOp::Add), exp, index)?;
                let span = self.from(start);
                sum.exp.span = span;
                exp = self.tall(span, Kind::Load(Box::new(sum.exp)), &[sum.height])?;
            } else if self.takes(".") {
                let field = self.named("the name of a field")?;
                let kind = Kind::Member(Box::new(exp.exp), field);
                exp = self.tall(self.from(start), kind, &[exp.height])?;
            } else {
                return Ok(exp);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Tall> {
        let start = self.span();
        match self.token(0) {
            Some(Token::Int(LARGEST)) => Err(out_of_range(start, LARGEST)),
            Some(Token::Int(k)) => {
                self.at += 1;
                self.tall(start, Kind::Int(k as i32), &[])
            }
            Some(Token::Keyword("NULL" | "nullptr")) => {
                self.at += 1;
                self.tall(start, Kind::Null, &[])
            }
            Some(Token::Keyword("dynamic_cast")) => {
                self.at += 1;
                self.expect("<")?;
                let (ty, height) = self.measured(Self::ty)?;
                self.expect(">")?;
                let part = self.in_brackets()?;
                let kind = Kind::Dynamic(ty, Box::new(part.exp));
                self.tall(self.from(start), kind, &[part.height, height])
            }
            Some(Token::Keyword(cast @ ("address_space_cast" | "dynamic_addrspace_cast"))) => {
                self.at += 1;
                self.expect("<")?;
                let to = self.place()?;
                self.expect(">")?;
                let part = self.in_brackets()?;
                let dynamic = cast == "dynamic_addrspace_cast";
                let kind = Kind::SpaceCast { dynamic, to, of: Box::new(part.exp) };
                self.tall(self.from(start), kind, &[part.height])
            }
            Some(Token::Name(_)) if self.has_no_space() => {
                Err(self.no_space("_ptr", "global_ptr<int>"))
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                self.named_exp(name, start)
            }
            Some(Token::Symbol("[")) => self.lambda(),
            Some(Token::Symbol("(")) => {
                let mut exp = self.in_brackets()?;
                exp.exp.span = self.from(start);
                Ok(exp)
            }
            _ => Err(self.wanted("an expression")),
        }
    }

    fn in_brackets(&mut self) -> Parsed<Tall> {
        self.expect("(")?;
        let exp = self.exp()?;
        self.expect(")")?;
        Ok(exp)
    }

    /// A variable or a call, behind its name.
    fn named_exp(&mut self, text: &'s str, start: Span) -> Parsed<Tall> {
        let opens_types = self.scope.templates.contains(text) && self.is("<");
        if !opens_types && !self.is("(") {
            return self.tall(start, Kind::Name(text.to_owned()), &[]);
        }
        let (mut types, mut heights) = (Vec::new(), Vec::new());
        if opens_types {
            self.at += 1;
            let (found, height) = self.measured(Self::types)?;
            (types, heights) = (found, vec![height]);
        }
        self.expect("(")?;
        if let Some(builtin) = Builtin::ALL.into_iter().find(|builtin| builtin.name() == text) {
            let at = self.span();
            if (self.token(0), self.token(1)) != (Some(Token::Int(0)), Some(Token::Symbol(")"))) {
                let message = format!("`{text}` takes the dimension 0");
                return Err(Rejected::new(at, message, "not the literal 0")
                    .help("launches have one dimension (reading M1)"));
            }
            self.at += 2;
            return self.tall(self.from(start), Kind::Builtin(builtin), &[]);
        }
        let mut args = Vec::new();
        for arg in self.list(")", Self::exp)? {
            args.push(arg.exp);
            heights.push(arg.height);
        }
        let name = Name { span: start, text: text.to_owned() };
        self.tall(self.from(start), Kind::Call(name, types, args), &heights)
    }

    /// `"[" ["=" | "&" | ID {"," ID}] "]" "(" params ")" block`
    fn lambda(&mut self) -> Parsed<Tall> {
        let start = self.span();
        self.at += 1;
        let captures = if self.takes("=") {
            self.expect("]")?;
            Captures::Copies
        } else if self.takes("&") {
            if !self.is("]") {
                let help = "`[&]` captures all by reference, `[x]` copies one";
                return Err(self.wanted("`]`").help(help));
            }
            self.at += 1;
            Captures::References
        } else {
            let names = self.list("]", |parser| parser.named("the name of a variable"))?;
            if names.is_empty() { Captures::Nothing } else { Captures::Names(names) }
        };
        self.expect("(")?;
        let (params, of_params) = self.measured(|parser| parser.list(")", Self::param))?;
        self.expect("{")?;
        let (body, of_body) = self.measured(Self::stmts)?;
        let kind = Kind::Lambda(Box::new(Lambda { captures, params, body }));
        self.tall(self.from(start), kind, &[of_params, of_body])
    }

    /// `a ⊕ b`
    fn both(&mut self, op: Op, a: Tall, b: Tall) -> Parsed<Tall> {
        let span = a.exp.span.to(b.exp.span);
        let heights = [a.height, b.height];
        self.tall(span, Kind::Binary(op, Box::new(a.exp), Box::new(b.exp)), &heights)
    }

    /// The expression, unless it is too tall: everything later may recurse over it.
    fn tall(&mut self, span: Span, kind: Kind, parts: &[usize]) -> Parsed<Tall> {
        let height = 1 + parts.iter().max().copied().unwrap_or(0);
        if height > MAX_NESTING {
            return Err(too_tall(span));
        }
        self.scope.tallest = self.scope.tallest.max(height);
        Ok(Tall { exp: Exp { span, kind }, height })
    }
}
