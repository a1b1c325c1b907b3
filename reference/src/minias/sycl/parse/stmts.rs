//! Statements and declarations.

use super::{Parsed, Parser};
use crate::kit::lex::Token;
use crate::kit::text::Rejected;
use crate::minias::sycl::syntax::{Assert, Cond, Decl, Exp, For, Init, Stmt, StmtKind, Type};
use crate::minias::syntax::Space;

impl Parser<'_> {
    /// `{stmt} "}"`, behind the bracket.
    pub(super) fn stmts(&mut self) -> Parsed<Vec<Stmt>> {
        let mut stmts = Vec::new();
        while !self.takes("}") {
            if self.token(0).is_none() {
                return Err(self.wanted("a statement or `}`"));
            }
            stmts.push(self.stmt()?);
        }
        Ok(stmts)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = match parser.token(0) {
                Some(Token::Keyword("if")) => parser.conditional()?,
                Some(Token::Keyword("while")) => parser.while_loop()?,
                Some(Token::Keyword("for")) => parser.for_loop()?,
                Some(Token::Keyword("static_assert")) => parser.assertion()?,
                Some(Token::Keyword("return")) => {
                    parser.at += 1;
                    let exp = if parser.is(";") { None } else { Some(parser.exp()?.exp) };
                    parser.semicolon(StmtKind::Return(exp))?
                }
                Some(Token::Keyword("barrier")) => parser.barrier()?,
                Some(Token::Symbol("{")) => {
                    parser.at += 1;
                    StmtKind::Block(parser.stmts()?)
                }
                Some(Token::Symbol(";")) => parser.semicolon(StmtKind::Empty)?,
                _ => {
                    let simple = parser.simple(true)?;
                    parser.semicolon(simple)?
                }
            };
            Ok(Stmt { span: parser.from(start), kind })
        })
    }

    fn semicolon(&mut self, kind: StmtKind) -> Parsed<StmtKind> {
        self.expect(";")?;
        Ok(kind)
    }

    /// `decl | assign`, or `expr` too.
    fn simple(&mut self, expressions: bool) -> Parsed<StmtKind> {
        if self.type_starts(0) {
            return Ok(StmtKind::Decl(self.decl()?));
        }
        let exp = self.exp()?.exp;
        if self.takes("=") {
            return Ok(StmtKind::Assign(exp, self.exp()?.exp));
        }
        if expressions { Ok(StmtKind::Exp(exp)) } else { Err(self.wanted("`=`")) }
    }

    /// A simple statement of a `for`, up to `end`.
    fn part_of_for(&mut self, end: &str, declares: bool) -> Parsed<Option<Stmt>> {
        if self.takes(end) {
            return Ok(None);
        }
        let start = self.span();
        if !declares && self.type_starts(0) {
            return Err(self.wanted("an assignment"));
        }
        let kind = self.simple(false)?;
        let stmt = Stmt { span: self.from(start), kind };
        self.expect(end)?;
        Ok(Some(stmt))
    }

    /// `type ID ["[" INT "]"] ["=" expr | "=" init | init]`
    fn decl(&mut self) -> Parsed<Decl> {
        let start = self.span();
        let ty = self.ty()?;
        self.declared(start, ty)
    }

    /// A declaration, behind its type.
    fn declared(&mut self, start: crate::kit::text::Span, ty: Type) -> Parsed<Decl> {
        let name = self.named("a name")?;
        let extent = self.extent()?;
        let init = match self.takes("=") {
            true if !self.is("{") => Some(Init::One(self.exp()?.exp)),
            assigned if assigned || self.is("{") => Some(Init::Many(self.values()?)),
            _ => None,
        };
        Ok(Decl { span: self.from(start), ty, name, extent, init })
    }

    /// `["[" INT "]"]`
    fn extent(&mut self) -> Parsed<Option<u32>> {
        if !self.takes("[") {
            return Ok(None);
        }
        let extent = match self.token(0) {
            Some(Token::Int(0)) => {
                let label = "expected at least 1";
                return Err(Rejected::new(self.span(), "an array without elements", label));
            }
            Some(Token::Int(k)) if k < 1 << 31 => k as u32,
            _ => return Err(self.wanted("the number of elements")),
        };
        self.at += 1;
        self.expect("]")?;
        Ok(Some(extent))
    }

    /// `"{" expr {"," expr} "}"`
    fn values(&mut self) -> Parsed<Vec<Exp>> {
        self.expect("{")?;
        let exps: Vec<Exp> = self.list("}", Self::exp)?.into_iter().map(|tall| tall.exp).collect();
        if exps.is_empty() {
            let label = "expected an expression";
            return Err(Rejected::new(self.last(), "an initialiser without values", label));
        }
        Ok(exps)
    }

    /// `"if" "(" cond ")" stmt ["else" stmt]`
    fn conditional(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        let cond = self.cond()?;
        self.expect(")")?;
        let then = self.stmt()?;
        let otherwise =
            if self.takes_keyword("else") { Some(Box::new(self.stmt()?)) } else { None };
        Ok(StmtKind::If(cond, Box::new(then), otherwise))
    }

    /// `expr | decl | "(" decl ")" "!=" "NULL"`
    fn cond(&mut self) -> Parsed<Cond> {
        let start = self.at;
        let bracket = self.is("(") && self.type_starts(1);
        if !bracket && !self.type_starts(0) {
            return Ok(Cond::Exp(self.exp()?.exp));
        }
        self.at += usize::from(bracket);
        let at = self.span();
        let ty = self.ty()?;
        if bracket && self.is(")") {
            // A cast.
            self.at = start;
            return Ok(Cond::Exp(self.exp()?.exp));
        }
        let decl = self.declared(at, ty)?;
        if !matches!(decl.init, Some(Init::One(_))) || decl.extent.is_some() {
            let message = "a condition that declares says what its variable starts with";
            return Err(Rejected::new(decl.span, message, "no value of a condition")
                .help("for example `if (int *q = p)`"));
        }
        if bracket {
            self.expect(")")?;
            self.expect("!=")?;
            if !self.takes_keyword("NULL") && !self.takes_keyword("nullptr") {
                return Err(self.wanted("`nullptr`"));
            }
        }
        Ok(Cond::Decl(Box::new(decl)))
    }

    /// `"while" "(" expr ")" stmt`
    fn while_loop(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        let condition = self.exp()?.exp;
        self.expect(")")?;
        Ok(StmtKind::While(condition, Box::new(self.stmt()?)))
    }

    /// `"for" "(" [decl | assign] ";" expr ";" [assign] ")" stmt`
    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        let first = self.part_of_for(";", true)?;
        let while_ = self.exp()?.exp;
        self.expect(";")?;
        let next = self.part_of_for(")", false)?;
        let body = self.stmt()?;
        Ok(StmtKind::For(Box::new(For { first, while_, next, body })))
    }

    /// `"barrier" "(" ("local" | "global") ")" ";"`
    fn barrier(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        let space = match self.token(0) {
            Some(Token::Name("local")) => Space::Local,
            Some(Token::Name("global")) => Space::Global,
            _ => return Err(self.wanted("`local` or `global`")),
        };
        self.at += 1;
        self.expect(")")?;
        self.semicolon(StmtKind::Barrier(space))
    }

    /// `"static_assert" "(" "std::is_same" "<" type "," type ">" "::value" ["&&" STRING] ["," STRING] ")" ";"`
    fn assertion(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        let std = self.takes_name("std") && self.takes("::");
        if !std || !self.takes_name("is_same") {
            return Err(self.wanted("`std::is_same<type, type>::value`"));
        }
        self.expect("<")?;
        let first = self.ty()?;
        self.expect(",")?;
        let second = self.ty()?;
        self.expect(">")?;
        self.expect("::")?;
        if !self.takes_name("value") {
            return Err(self.wanted("`value`"));
        }
        let and = if self.takes("&&") { Some(self.text()?) } else { None };
        let text = if self.takes(",") { Some(self.text()?) } else { None };
        self.expect(")")?;
        self.semicolon(StmtKind::Assert(Box::new(Assert { types: [first, second], and, text })))
    }

    /// A text in quotes.
    fn text(&mut self) -> Parsed<String> {
        match self.token(0) {
            Some(Token::Symbol(text)) if text.starts_with('"') => {
                self.at += 1;
                Ok(text.trim_matches('"').to_owned())
            }
            _ => Err(self.wanted("a text in quotes")),
        }
    }
}
