//! Expressions.

use super::scope::Space;
use super::{Parsed, Parser, Tall};
use crate::fcl::syntax::{Exp, Kind, Let, Level, Op, Scheme, Type};
use crate::kit::lex::{Token, out_of_range};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};

/// `x` or `(pat, pat)`
enum Pattern<'s> {
    Name(&'s str, Span),
    Pair(Box<[Pattern<'s>; 2]>, Span),
}

impl Pattern<'_> {
    fn span(&self) -> Span {
        match self {
            Pattern::Name(_, span) | Pattern::Pair(_, span) => *span,
        }
    }
}

/// `x = e` of a `let`.
struct Bind<'s> {
    span: Span,
    text: &'s str,
    var: Var,
    sig: Option<Scheme>,
    bound: Tall,
}

/// An infix operator.
#[derive(Clone, Copy)]
enum Infix {
    Pipe,
    Or,
    And,
    Op(Op),
}

/// Infix operators with how tightly they bind.
const INFIX: [(Token<'static>, u8, Infix); 20] = [
    (Token::Symbol("|>"), 0, Infix::Pipe),
    (Token::Symbol("||"), 1, Infix::Or),
    (Token::Symbol("&&"), 2, Infix::And),
    (Token::Symbol("=="), COMPARISON, Infix::Op(Op::Eq)),
    (Token::Symbol("!="), COMPARISON, Infix::Op(Op::Neq)),
    (Token::Symbol("<"), COMPARISON, Infix::Op(Op::Lt)),
    (Token::Symbol("<="), COMPARISON, Infix::Op(Op::Le)),
    (Token::Symbol(">"), COMPARISON, Infix::Op(Op::Gt)),
    (Token::Symbol(">="), COMPARISON, Infix::Op(Op::Ge)),
    (Token::Symbol("<<"), 4, Infix::Op(Op::Sll)),
    (Token::Symbol(">>"), 4, Infix::Op(Op::Srl)),
    (Token::Symbol("&"), 4, Infix::Op(Op::And)),
    (Token::Symbol("+"), 5, Infix::Op(Op::Add)),
    (Token::Symbol("-"), 5, Infix::Op(Op::Sub)),
    (Token::Symbol("*"), 6, Infix::Op(Op::Mul)),
    (Token::Symbol("/"), 6, Infix::Op(Op::Div)),
    (Token::Symbol("%"), 6, Infix::Op(Op::Mod)),
    (Token::Keyword("div"), 6, Infix::Op(Op::Div)),
    (Token::Keyword("mod"), 6, Infix::Op(Op::Mod)),
    (Token::Symbol("."), COMPOSITION, Infix::Pipe),
];

/// How tightly comparisons bind, which do not chain.
const COMPARISON: u8 = 3;

/// How tightly `.` binds, which groups to the right and is read apart.
const COMPOSITION: u8 = 7;

impl<'s> Parser<'s> {
    /// An expression.
    pub(super) fn exp(&mut self) -> Parsed<Tall> {
        self.nested(|parser| match parser.token(0) {
            Some(Token::Keyword("fn")) => parser.lambda(),
            Some(Token::Keyword("let")) => parser.lets(),
            Some(Token::Keyword("if")) => parser.conditional(),
            _ => parser.binary(0),
        })
    }

    /// `"fn" (lvars | pat {pat}) "=>" e`
    fn lambda(&mut self) -> Parsed<Tall> {
        let span = self.span();
        self.at += 1;
        let levels = self.level_names()?;
        let body = |parser: &mut Self| {
            parser.expect("=>")?;
            parser.exp()
        };
        let mut tall = if levels.is_empty() {
            self.function(levels, span, body)?
        } else {
            self.levels(levels, span, body)?
        };
        tall.exp.span.start = span.start;
        Ok(tall)
    }

    /// `<α, …> pat {pat} e`: functions of levels and of values around a body.
    pub(super) fn function(
        &mut self,
        levels: Vec<(&'s str, Span)>,
        span: Span,
        body: impl FnOnce(&mut Self) -> Parsed<Tall>,
    ) -> Parsed<Tall> {
        self.levels(levels, span, |parser| {
            let mut patterns = vec![parser.pattern()?];
            while !parser.is("=") && !parser.is("=>") {
                patterns.push(parser.pattern()?);
            }
            let (mut params, mut parts) = (Vec::new(), Vec::new());
            for pattern in &patterns {
                let param = parser.bind_pattern(pattern);
                parser.take_apart(pattern, param, &mut parts);
                params.push(param);
            }
            let mut tall = body(parser)?;
            for (var, exp) in parts.into_iter().rev() {
                tall = parser.let_in(var, None, Tall { exp, height: 2, depth: 2 }, tall)?;
            }
            for (pattern, param) in patterns.iter().zip(&params).rev() {
                parser.leave_pattern(pattern);
                let span = pattern.span().to(tall.exp.span);
                let size = tall.size();
                tall = parser.tall(span, Kind::Fn(*param, Box::new(tall.exp)), &[size])?;
            }
            Ok(tall)
        })
    }

    /// `<α, …> e`: functions of levels around a body.
    pub(super) fn levels(
        &mut self,
        levels: Vec<(&'s str, Span)>,
        span: Span,
        body: impl FnOnce(&mut Self) -> Parsed<Tall>,
    ) -> Parsed<Tall> {
        let vars: Vec<Var> =
            levels.iter().map(|(name, _)| self.scope.bind(Space::Level, name)).collect();
        let mut tall = body(self)?;
        for ((name, _), var) in levels.iter().zip(vars).rev() {
            self.scope.leave(Space::Level, name);
            let (span, size) = (span.to(tall.exp.span), tall.size());
            tall = self.tall(span, Kind::LevelFn(var, Box::new(tall.exp)), &[size])?;
        }
        Ok(tall)
    }

    fn pattern(&mut self) -> Parsed<Pattern<'s>> {
        if !self.is("(") {
            let (name, span) = self.name("a parameter")?;
            return Ok(Pattern::Name(name, span));
        }
        self.nested(|parser| {
            let start = parser.span();
            parser.at += 1;
            let first = parser.pattern()?;
            parser.expect(",")?;
            let second = parser.pattern()?;
            if parser.is(",") {
                return Err(parser.wanted("`)`").help("nest pairs for more: `(x, (y, z))`"));
            }
            parser.expect(")")?;
            Ok(Pattern::Pair(Box::new([first, second]), start.to(parser.last())))
        })
    }

    /// Brings the variable of a pattern into scope; that of a pair has no name of its own.
    fn bind_pattern(&mut self, pattern: &Pattern<'s>) -> Var {
        match pattern {
            Pattern::Name(name, _) => self.scope.bind(Space::Value, name),
            Pattern::Pair(..) => self.scope.unnamed("pair"),
        }
    }

    /// What the names in a pattern are of the pair that `var` is: outer pairs first.
    fn take_apart(&mut self, pattern: &Pattern<'s>, var: Var, to: &mut Vec<(Var, Exp)>) {
        let Pattern::Pair(parts, span) = pattern else { return };
        let vars = [self.bind_pattern(&parts[0]), self.bind_pattern(&parts[1])];
        for (part, op) in vars.iter().zip([Op::Fst, Op::Snd]) {
            let of = Exp::new(*span, Kind::Var(var));
            to.push((*part, Exp::app(Exp::new(*span, Kind::Op(op)), of)));
        }
        self.take_apart(&parts[0], vars[0], to);
        self.take_apart(&parts[1], vars[1], to);
    }

    fn leave_pattern(&mut self, pattern: &Pattern<'s>) {
        match pattern {
            Pattern::Name(name, _) => self.scope.leave(Space::Value, name),
            Pattern::Pair(parts, _) => parts.iter().for_each(|part| self.leave_pattern(part)),
        }
    }

    /// `"let" bind {[";"] bind} "in" e`, and those that follow behind `in` at once, since there may be many.
    fn lets(&mut self) -> Parsed<Tall> {
        let mut binds = Vec::new();
        while self.takes_keyword("let") {
            binds.push(self.bind()?);
            while !self.takes_keyword("in") {
                let separated = self.takes(";");
                if !separated && !matches!(self.token(0), Some(Token::Name(_))) {
                    return Err(self.wanted("`in` or another binding"));
                }
                binds.push(self.bind()?);
            }
        }
        let mut tall = self.exp()?;
        for bind in binds.into_iter().rev() {
            self.scope.leave(Space::Value, bind.text);
            tall = self.let_in(bind.var, bind.sig, bind.bound, tall)?;
            tall.exp.span = bind.span.to(tall.exp.span);
        }
        Ok(tall)
    }

    /// `let x : σ = e in e`
    fn let_in(&self, var: Var, sig: Option<Scheme>, bound: Tall, body: Tall) -> Parsed<Tall> {
        let span = bound.exp.span.to(body.exp.span);
        let sizes = [bound.size(), (body.height.saturating_sub(1), body.depth)];
        let parts = Let { var, sig, bound: bound.exp, body: body.exp };
        self.tall(span, Kind::Let(Box::new(parts)), &sizes)
    }

    /// `x [lvars] [":" σ] "=" e`
    fn bind(&mut self) -> Parsed<Bind<'s>> {
        let (name, span) = self.name("a name")?;
        let levels = self.level_names()?;
        let sig = if self.takes(":") { Some(self.bind_scheme(&levels)?) } else { None };
        let bound = self.levels(levels, span, Self::body)?;
        Ok(Bind { span, text: name, var: self.scope.bind(Space::Value, name), sig, bound })
    }

    /// The type beside the name: of what stands behind `=` if it does not begin with levels, and
    /// the levels before it are in scope there.
    fn bind_scheme(&mut self, levels: &[(&'s str, Span)]) -> Parsed<Scheme> {
        let starts = |token| self.token(0) == Some(token);
        if levels.is_empty() || starts(Token::Symbol("<")) || starts(Token::Keyword("forall")) {
            return self.scheme();
        }
        let names = levels.iter().map(|(name, _)| *name);
        let vars: Vec<Var> =
            names.clone().map(|name| self.scope.bind(Space::Level, name)).collect();
        let scheme = self.scheme()?;
        names.for_each(|name| self.scope.leave(Space::Level, name));
        let function = |ty, var| Type::LevelFn(var, Box::new(ty));
        Ok(Scheme { ty: vars.into_iter().rev().fold(scheme.ty, function), ..scheme })
    }

    /// `"if" e "then" e "else" e`
    fn conditional(&mut self) -> Parsed<Tall> {
        let start = self.span();
        self.at += 1;
        let cond = self.exp()?;
        self.expect_keyword("then")?;
        let then = self.exp()?;
        self.expect_keyword("else")?;
        let orelse = self.exp()?;
        self.choice(start, cond, then, orelse)
    }

    fn choice(&self, start: Span, cond: Tall, then: Tall, orelse: Tall) -> Parsed<Tall> {
        let sizes = [cond.size(), then.size(), orelse.size()];
        let span = start.to(orelse.exp.span);
        let kind = Kind::If(Box::new([cond.exp, then.exp, orelse.exp]));
        self.tall(span, kind, &sizes)
    }

    /// Operands between infix operators that bind at least so tightly.
    fn binary(&mut self, least: u8) -> Parsed<Tall> {
        let start = self.span();
        let mut left = self.composition()?;
        let mut compared = false;
        while let Some((strength, infix)) = self.infix().filter(|(strength, _)| *strength >= least)
        {
            if strength == COMPARISON && std::mem::replace(&mut compared, true) {
                let message = "comparisons do not chain";
                return Err(Rejected::new(self.span(), message, "a second one")
                    .help("write `a < b && b < c`, or put one of them in brackets"));
            }
            compared &= strength >= COMPARISON;
            let place = self.span();
            self.at += 1;
            let right = self.binary(strength + 1)?;
            left = self.infixed(infix, place, left, right)?;
            left.exp.span = start.to(self.last());
        }
        Ok(left)
    }

    fn infix(&self) -> Option<(u8, Infix)> {
        let token = self.token(0)?;
        let found = INFIX.iter().find(|(infix, ..)| *infix == token);
        found.filter(|(_, strength, _)| *strength < COMPOSITION).map(|row| (row.1, row.2))
    }

    fn infixed(&self, infix: Infix, place: Span, left: Tall, right: Tall) -> Parsed<Tall> {
        let constant = |b: bool| Tall { exp: Exp::new(place, Kind::Bool(b)), height: 1, depth: 1 };
        match infix {
            Infix::Pipe => self.apply(right, left),
            Infix::And => {
                let span = left.exp.span.to(right.exp.span);
                self.choice(span, left, right, constant(false))
            }
            Infix::Or => {
                let start = left.exp.span;
                self.choice(start, left, constant(true), right)
            }
            Infix::Op(op) => {
                let head = Tall { exp: Exp::new(place, Kind::Op(op)), height: 1, depth: 1 };
                let partial = self.apply(head, left)?;
                self.apply(partial, right)
            }
        }
    }

    /// `f e`
    fn apply(&self, f: Tall, argument: Tall) -> Parsed<Tall> {
        let sizes = [f.size(), argument.size()];
        let Exp { span, kind } = Exp::app(f.exp, argument.exp);
        self.tall(span, kind, &sizes)
    }

    /// `app {"." app}`, where `f . g` is `fn x => f (g x)`.
    fn composition(&mut self) -> Parsed<Tall> {
        let first = self.app()?;
        if !self.is(".") {
            return Ok(first);
        }
        let (mut parts, mut places) = (vec![first], Vec::new());
        while self.is(".") {
            places.push(self.span());
            self.at += 1;
            parts.push(self.app()?);
        }
        let last = parts.pop().unwrap_or_else(|| unreachable!("there are two at least"));
        parts.into_iter().zip(places).rev().try_fold(last, |g, (f, place)| {
            let x = self.scope.unnamed("x");
            let span = f.exp.span.to(g.exp.span);
            let argument = Tall { exp: Exp::new(place, Kind::Var(x)), height: 1, depth: 1 };
            let body = self.apply(g, argument).and_then(|inner| self.apply(f, inner))?;
            let size = body.size();
            self.tall(span, Kind::Fn(x, Box::new(body.exp)), &[size])
        })
    }

    /// `term { term | "<" γ {"," γ} ">" }`
    fn app(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let mut head = self.operand()?;
        loop {
            if self.is("<") && self.levels_follow() {
                self.at += 1;
                let levels = self.list(Self::level)?;
                self.expect_close()?;
                for level in levels {
                    head = self.level_apply(head, level)?;
                    head.exp.span = start.to(self.last());
                }
            } else if self.starts_term() {
                let argument = self.term()?;
                head = self.apply(head, argument)?;
                head.exp.span = start.to(self.last());
            } else {
                return Ok(head);
            }
        }
    }

    fn level_apply(&self, head: Tall, level: Level) -> Parsed<Tall> {
        let (span, size) = (head.exp.span.to(self.last()), head.size());
        self.tall(span, Kind::LevelApp(Box::new(head.exp), level), &[size])
    }

    /// Does a term start here? A name before `=` starts the next binding of a `let`.
    fn starts_term(&self) -> bool {
        match self.token(0) {
            Some(Token::Name(_)) => self.token(1) != Some(Token::Symbol("=")),
            Some(Token::Int(_) | Token::Float(_) | Token::Keyword("true" | "false")) => true,
            Some(Token::Symbol(symbol)) => matches!(symbol, "(" | "["),
            _ => false,
        }
    }

    /// A term, or a number behind a minus.
    fn operand(&mut self) -> Parsed<Tall> {
        if !self.is("-") {
            return self.term();
        }
        let place = self.span();
        self.at += 1;
        let (token, span) = (self.token(0), place.to(self.span()));
        self.at += 1;
        match token {
            Some(Token::Int(k)) => {
                self.tall(span, Kind::Int((k as i64).wrapping_neg() as i32), &[])
            }
            Some(Token::Float(text)) => self.double(text, true, span),
            _ => {
                self.at -= 1;
                Err(self
                    .wanted("a number")
                    .help("`-` stands before a number; write `0 - x` or `negi x`"))
            }
        }
    }

    fn term(&mut self) -> Parsed<Tall> {
        let (token, span) = (self.token(0), self.span());
        let kind = match token {
            Some(Token::Int(k)) => {
                Kind::Int(i32::try_from(k).map_err(|_| out_of_range(span, 1 << 31))?)
            }
            Some(Token::Float(text)) => {
                self.at += 1;
                return self.double(text, false, span);
            }
            Some(Token::Keyword("true")) => Kind::Bool(true),
            Some(Token::Keyword("false")) => Kind::Bool(false),
            Some(Token::Name(name)) if !name.starts_with('\'') => self.scope.value(name, span)?,
            Some(Token::Symbol("(")) => return self.bracketed(),
            Some(Token::Symbol("[")) => return self.array(),
            Some(Token::Keyword("fn" | "let" | "if")) => {
                return Err(self.wanted("an operand").help("put it in brackets here"));
            }
            _ => return Err(self.wanted("an expression")),
        };
        self.at += 1;
        self.tall(span, kind, &[])
    }

    fn double(&self, text: &str, negative: bool, span: Span) -> Parsed<Tall> {
        match text.parse::<f64>() {
            Ok(d) if d.is_finite() => {
                let d = if negative { -d } else { d };
                self.tall(span, Kind::Double(d.into()), &[])
            }
            _ => Err(Rejected::new(span, "a number out of range", "does not fit a double")),
        }
    }

    /// `"(" e ["," e] ")"`
    fn bracketed(&mut self) -> Parsed<Tall> {
        let start = self.span();
        self.at += 1;
        let first = self.exp()?;
        if self.takes(")") {
            return Ok(first);
        }
        if !self.takes(",") {
            return Err(self.wanted("`)`, `,` or an operator"));
        }
        let second = self.exp()?;
        if self.is(",") {
            return Err(self.wanted("`)`").help("nest pairs for more: `(x, (y, z))`"));
        }
        self.expect(")")?;
        let sizes = [first.size(), second.size()];
        let kind = Kind::Pair(Box::new([first.exp, second.exp]));
        self.tall(start.to(self.last()), kind, &sizes)
    }

    /// `"[" [e {"," e}] "]"`
    fn array(&mut self) -> Parsed<Tall> {
        let start = self.span();
        self.at += 1;
        let parts = if self.is("]") { Vec::new() } else { self.list(Self::exp)? };
        if !self.takes("]") {
            return Err(self.wanted("`]`, `,` or an operator"));
        }
        let sizes: Vec<_> = parts.iter().map(Tall::size).collect();
        let kind = Kind::Array(parts.into_iter().map(|part| part.exp).collect());
        self.tall(start.to(self.last()), kind, &sizes)
    }
}
