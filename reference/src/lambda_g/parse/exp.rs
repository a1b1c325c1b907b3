//! Expressions.

use super::{Parsed, Parser, Tall};
use crate::kit::lex::{Token, out_of_range};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};
use crate::lambda_g::syntax::{
    Comparison, Exp, Kind, Lambda, Op, Over, Region, RegionLambda, Type,
};

/// The absolute value of the smallest int.
const LARGEST: u64 = 1 << 31;

impl<'s> Parser<'s> {
    /// `e`
    pub(super) fn exp(&mut self) -> Parsed<Tall> {
        self.nested(|parser| {
            let start = parser.span();
            match parser.token(0) {
                Some(Token::Keyword("fn")) => parser.lambda(start),
                Some(Token::Keyword("rfn")) => parser.region_lambda(start),
                Some(Token::Keyword("fix")) => parser.fix(start),
                Some(Token::Keyword("letregion")) => parser.let_region(start),
                Some(Token::Keyword("let")) => parser.let_in(start),
                Some(Token::Keyword("if")) => parser.conditional(start),
                Some(Token::Keyword("on")) => parser.on(start),
                _ => parser.par(start),
            }
        })
    }

    /// `"fn" ( "(" x ":" τ ")" | x ) ["!" φ] "=>" e ["at" ρ]`
    fn lambda(&mut self, start: Span) -> Parsed<Tall> {
        self.at += 1;
        let (name, ty) = self.parameter()?;
        let latent = self.latent()?;
        self.expect("=>")?;
        let param = self.scope.bind(name);
        let body = self.exp()?;
        self.scope.leave(name);
        let lambda = Lambda { param, ty, latent, body: body.exp, at: self.at(start)? };
        self.tall(start.to(self.last()), Kind::Fn(Box::new(lambda)), [body.height])
    }

    /// `"(" x ":" τ ")"`, or `x` alone
    fn parameter(&mut self) -> Parsed<(&'s str, Type)> {
        if !self.takes("(") {
            let (name, span) = self.name("`(` and a parameter, or its name alone")?;
            return Ok((name, self.holes.ty(span)));
        }
        let (name, _) = self.name("a parameter")?;
        self.expect(":")?;
        let ty = self.ty()?;
        self.expect(")")?;
        Ok((name, ty))
    }

    /// `"rfn" ρ' ">=" φ' ["!" φ] "=>" e ["at" ρ]`
    fn region_lambda(&mut self, start: Span) -> Parsed<Tall> {
        self.at += 1;
        let (name, region, bound, latent) = self.bounded()?;
        self.expect("=>")?;
        let body = self.exp()?;
        self.scope.leave(name);
        let lambda = RegionLambda { region, bound, latent, body: body.exp, at: self.at(start)? };
        self.tall(start.to(self.last()), Kind::RegionFn(Box::new(lambda)), [body.height])
    }

    /// `"fix" f [":" τ] "." e`
    fn fix(&mut self, start: Span) -> Parsed<Tall> {
        self.at += 1;
        let (name, span) = self.name("the name of a function")?;
        let ty = if self.takes(":") { self.ty()? } else { self.holes.ty(span) };
        self.expect(".")?;
        let var = self.scope.bind(name);
        let body = self.exp()?;
        self.scope.leave(name);
        self.tall(start.to(self.last()), Kind::Fix(var, ty, Box::new(body.exp)), [body.height])
    }

    /// `"letregion" ρ ["of" i] "in" e`
    fn let_region(&mut self, start: Span) -> Parsed<Tall> {
        self.at += 1;
        let (name, region) = self.binder()?;
        let size = if self.takes_keyword("of") { Some(self.size()?) } else { None };
        self.expect_keyword("in")?;
        let body = self.exp()?;
        self.scope.leave(name);
        let kind = Kind::LetRegion(region, size, Box::new(body.exp));
        self.tall(start.to(self.last()), kind, [body.height])
    }

    /// The words of a region.
    fn size(&mut self) -> Parsed<u32> {
        match self.token(0) {
            Some(Token::Int(k)) if k < LARGEST => {
                self.at += 1;
                Ok(k as u32)
            }
            Some(Token::Int(_)) => Err(out_of_range(self.span(), LARGEST)),
            _ => Err(self.wanted("how many words the region has")),
        }
    }

    /// `"let" x "=" e "in" e`
    fn let_in(&mut self, start: Span) -> Parsed<Tall> {
        self.at += 1;
        let (name, _) = self.name("a name")?;
        self.expect("=")?;
        let bound = self.exp()?;
        self.expect_keyword("in")?;
        let var = self.scope.bind(name);
        let body = self.exp()?;
        self.scope.leave(name);
        let kind = Kind::Let(var, Box::new([bound.exp, body.exp]));
        self.tall(start.to(self.last()), kind, [bound.height, body.height])
    }

    /// `"if" e "then" e "else" e`
    fn conditional(&mut self, start: Span) -> Parsed<Tall> {
        self.at += 1;
        let cond = self.exp()?;
        self.expect_keyword("then")?;
        let then = self.exp()?;
        self.expect_keyword("else")?;
        let orelse = self.exp()?;
        self.choice(start.to(self.last()), cond, then, orelse)
    }

    fn choice(&self, span: Span, cond: Tall, then: Tall, orelse: Tall) -> Parsed<Tall> {
        let heights = [cond.height, then.height, orelse.height];
        self.tall(span, Kind::If(Box::new([cond.exp, then.exp, orelse.exp])), heights)
    }

    /// `"on" e ["at" ρ]`
    fn on(&mut self, start: Span) -> Parsed<Tall> {
        self.at += 1;
        let body = self.exp()?;
        let at = self.at(start)?;
        self.tall(start.to(self.last()), Kind::On(Box::new(body.exp), at), [body.height])
    }

    /// `or ["||" or ["at" ρ]]`
    fn par(&mut self, start: Span) -> Parsed<Tall> {
        let left = self.or()?;
        if !self.takes("||") {
            return Ok(left);
        }
        let right = self.or()?;
        let at = self.at(start)?;
        let heights = [left.height, right.height];
        let kind = Kind::Par(Box::new([left.exp, right.exp]), at);
        self.tall(start.to(self.last()), kind, heights)
    }

    /// A bool that stands for what an operator at this place leaves out.
    fn constant(place: Span, value: bool) -> Tall {
        Tall { exp: Exp { span: place, kind: Kind::Bool(value) }, height: 1 }
    }

    /// `and { "or" and }`, where `a or b` is `if a then true else b` (L51).
    fn or(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let mut left = self.and()?;
        while self.takes_keyword("or") {
            let place = self.last();
            let right = self.and()?;
            let span = start.to(self.last());
            left = self.choice(span, left, Self::constant(place, true), right)?;
        }
        Ok(left)
    }

    /// `cmp { "and" cmp }`, where `a and b` is `if a then b else false` (L51).
    fn and(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let mut left = self.comparison()?;
        while self.takes_keyword("and") {
            let place = self.last();
            let right = self.comparison()?;
            let span = start.to(self.last());
            left = self.choice(span, left, right, Self::constant(place, false))?;
        }
        Ok(left)
    }

    fn comparison_here(&self) -> Option<Comparison> {
        let Some(Token::Symbol(symbol)) = self.token(0) else { return None };
        Comparison::ALL.into_iter().find(|op| op.text() == symbol)
    }

    /// `arith [ ("<" | …) arith ]`
    fn comparison(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let left = self.arithmetic()?;
        let Some(op) = self.comparison_here() else { return self.no_greater(left) };
        self.at += 1;
        let right = self.arithmetic()?;
        if self.comparison_here().is_some() {
            let refused =
                Rejected::new(self.span(), "comparisons do not chain", "a second comparison");
            return Err(refused.help("write `a < b and b < c`"));
        }
        let heights = [left.height, right.height];
        let kind = Kind::Compare(op, Box::new([left.exp, right.exp]));
        self.tall(start.to(self.last()), kind, heights)
    }

    /// `>` and `>=` compare nothing.
    fn no_greater(&self, left: Tall) -> Parsed<Tall> {
        match self.token(0) {
            Some(Token::Symbol(symbol @ (">" | ">="))) => {
                let less = if symbol == ">" { "<" } else { "<=" };
                let message = format!("there is no comparison `{symbol}`");
                Err(Rejected::new(self.span(), message, "not expected")
                    .help(format!("write `b {less} a` for `a {symbol} b`")))
            }
            _ => Ok(left),
        }
    }

    fn operator_here(&self) -> Option<Op> {
        let (Token::Symbol(text) | Token::Keyword(text)) = self.token(0)? else { return None };
        Op::ALL.into_iter().find(|op| op.text() == text)
    }

    /// `index { ("+" | …) index ["at" ρ] }`
    fn arithmetic(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let mut left = self.index()?;
        while let Some(op) = self.operator_here() {
            self.at += 1;
            let right = self.index()?;
            let at = self.at(start)?;
            let heights = [left.height, right.height];
            let kind = Kind::Binary(op, Box::new([left.exp, right.exp]), at);
            left = self.tall(start.to(self.last()), kind, heights)?;
        }
        Ok(left)
    }

    /// `app { "!" app }`
    fn index(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let mut left = self.app()?;
        while self.takes("!") {
            let right = self.app()?;
            let heights = [left.height, right.height];
            let kind = Kind::Index(Box::new([left.exp, right.exp]));
            left = self.tall(start.to(self.last()), kind, heights)?;
        }
        Ok(left)
    }

    /// `app`
    fn app(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let Some(Token::Keyword(word)) = self.token(0) else { return self.applied(start) };
        let (span_of, at) = (|parser: &Self| start.to(parser.last()), self.at);
        self.at += 1;
        match word {
            "fst" | "snd" => {
                let Tall { exp, height } = self.atom()?;
                let of = Box::new(exp);
                let kind = if word == "fst" { Kind::Fst(of) } else { Kind::Snd(of) };
                if self.starts_atom() {
                    let refused = self.wanted("an operator, or the end of the expression");
                    return Err(
                        refused.help(format!("`({word} p) e` applies a part of `p` to `e`"))
                    );
                }
                self.tall(span_of(self), kind, [height])
            }
            "not" => {
                let of = self.atom()?;
                let [no, yes] = [false, true].map(|it| Self::constant(start, it));
                self.choice(span_of(self), of, no, yes)
            }
            "iota" | "length" => {
                let Tall { exp, height } = self.atom()?;
                let (of, region) = (Box::new(exp), self.at(start)?);
                let iota = word == "iota";
                let kind = if iota { Kind::Iota(of, region) } else { Kind::Length(of, region) };
                self.tall(span_of(self), kind, [height])
            }
            "parmap" => self.parmap(start),
            _ => {
                self.at = at;
                self.applied(start)
            }
        }
    }

    /// `"parmap" atom { "[" ρ "]" } ( atom | "[" e {"," e} "]" ) ["at" ρ]`
    fn parmap(&mut self, start: Span) -> Parsed<Tall> {
        let place = self.span();
        let mut f = self.atom()?;
        while let Some(region) = self.instance()? {
            let (span, height) = (place.to(self.last()), f.height);
            f = self.tall(span, Kind::Instance(Box::new(f.exp), region), [height])?;
        }
        let (over, height) = if self.takes("[") {
            let (elements, height) = self.elements()?;
            (Over::Elements(elements), height)
        } else {
            let Tall { exp, height } = self.atom()?;
            (Over::Vector(exp), height)
        };
        let at = self.at(start)?;
        let heights = [f.height, height];
        let kind = Kind::ParMap(Box::new(f.exp), Box::new(over), at);
        self.tall(start.to(self.last()), kind, heights)
    }

    /// `"[" ρ "]"`, if a region in scope stands in the brackets.
    fn instance(&mut self) -> Parsed<Option<Region>> {
        let (Some(Token::Symbol("[")), Some(Token::Name(name))) = (self.token(0), self.token(1))
        else {
            return Ok(None);
        };
        if !self.scope.is_region(name) {
            return Ok(None);
        }
        self.at += 1;
        let region = self.region()?;
        self.expect("]")?;
        Ok(Some(region))
    }

    /// `atom { atom | "[" ρ "]" }`
    fn applied(&mut self, start: Span) -> Parsed<Tall> {
        let mut head = self.atom()?;
        loop {
            if let Some(region) = self.instance()? {
                let (span, height) = (start.to(self.last()), head.height);
                head = self.tall(span, Kind::Instance(Box::new(head.exp), region), [height])?;
            } else if self.starts_atom() {
                let argument = self.atom()?;
                let heights = [head.height, argument.height];
                let kind = Kind::App(Box::new([head.exp, argument.exp]));
                head = self.tall(start.to(self.last()), kind, heights)?;
            } else {
                return Ok(head);
            }
        }
    }

    /// Does an argument start here? `-` does not: it goes between two operands.
    fn starts_atom(&self) -> bool {
        match self.token(0) {
            Some(Token::Name(_) | Token::Int(_) | Token::Keyword("true" | "false")) => true,
            Some(Token::Symbol(symbol)) => matches!(symbol, "(" | "["),
            _ => false,
        }
    }

    /// `atom`
    fn atom(&mut self) -> Parsed<Tall> {
        let (token, start) = (self.token(0), self.span());
        self.at += 1;
        match token {
            Some(Token::Int(k)) => self.int(start, k, false),
            Some(Token::Symbol("-")) => match self.token(0) {
                Some(Token::Int(k)) => {
                    self.at += 1;
                    self.int(start, k, true)
                }
                _ => Err(self.wanted("a number").help("`0 at r - e at r` is the negative of `e`")),
            },
            Some(Token::Keyword(word @ ("true" | "false"))) => {
                Ok(Self::constant(start, word == "true"))
            }
            Some(Token::Name(name)) => {
                let var: Var = self.scope.variable(name, start)?;
                self.tall(start, Kind::Var(var), [])
            }
            Some(Token::Symbol("[")) => {
                let (elements, height) = self.elements()?;
                let at = self.at(start)?;
                self.tall(start.to(self.last()), Kind::Vector(elements, at), [height])
            }
            Some(Token::Symbol("(")) => self.brackets(start),
            Some(Token::Float(_)) => {
                let refused = Rejected::new(start, "a number with a point", "not an int");
                Err(refused.help("the numbers of λG are ints"))
            }
            _ => {
                self.at -= 1;
                Err(self.wanted("an expression"))
            }
        }
    }

    fn int(&mut self, start: Span, k: u64, negative: bool) -> Parsed<Tall> {
        let value = i64::try_from(k).map(|k| if negative { -k } else { k });
        let Some(value) = value.ok().and_then(|k| i32::try_from(k).ok()) else {
            return Err(out_of_range(start.to(self.last()), LARGEST));
        };
        let at = self.at(start)?;
        self.tall(start.to(self.last()), Kind::Int(value, at), [])
    }

    /// `e {"," e} "]"`, and how tall they are.
    fn elements(&mut self) -> Parsed<(Vec<Exp>, usize)> {
        if self.is("]") {
            let refused = Rejected::new(self.last().to(self.span()), "`[]` has no type", "empty");
            return Err(refused.help("`iota (0 at r) at r` is a vector of ints without elements"));
        }
        let elements = self.list(Self::exp)?;
        self.expect("]")?;
        let height = elements.iter().map(|element| element.height).max().unwrap_or(0);
        Ok((elements.into_iter().map(|element| element.exp).collect(), height))
    }

    /// `e ")"`, or `e "," e ")" ["at" ρ]`
    fn brackets(&mut self, start: Span) -> Parsed<Tall> {
        let first = self.exp()?;
        if !self.takes(",") {
            self.expect(")")?;
            return Ok(first);
        }
        let second = self.exp()?;
        if self.is(",") {
            return Err(self.wanted("`)`").help("nest pairs for more: `(a, (b, c) at r) at r`"));
        }
        self.expect(")")?;
        let at = self.at(start)?;
        let heights = [first.height, second.height];
        let kind = Kind::Pair(Box::new([first.exp, second.exp]), at);
        self.tall(start.to(self.last()), kind, heights)
    }
}
