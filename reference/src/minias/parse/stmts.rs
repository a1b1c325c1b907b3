//! Statements and declarations.

use super::{Parsed, Parser};
use crate::kit::lex::Token;
use crate::kit::text::Rejected;
use crate::minias::rules::Rule;
use crate::minias::syntax::{Cond, Decl, Exp, For, Init, Space, Stmt, StmtKind};

impl<'s> Parser<'s> {
    /// `{stmt} "}"`, behind the bracket, in the block that is open.
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
                Some(Token::Keyword("return")) => {
                    parser.at += 1;
                    let exp = if parser.is(";") { None } else { Some(parser.exp()?.exp) };
                    parser.semicolon(StmtKind::Return(exp))?
                }
                Some(Token::Keyword("barrier")) => parser.barrier()?,
                Some(Token::Symbol("{")) => {
                    parser.at += 1;
                    parser.scope.open();
                    let stmts = parser.stmts()?;
                    parser.scope.close();
                    StmtKind::Block(stmts)
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

    /// `type ID ["[" INT "]"] ["=" init]`
    fn decl(&mut self) -> Parsed<Decl> {
        let start = self.span();
        let ty = self.ty()?;
        if ty.void {
            let message = "`void` is the type of a result only";
            return Err(Rejected::new(ty.span, message, "of a variable")
                .help("a variable is an int or a pointer"));
        }
        let (name, at) = self.name("a name")?;
        let extent = self.extent()?;
        let init = if self.takes("=") { Some(self.init()?) } else { None };
        // The variable is not in scope in what it starts with.
        let var = self.scope.bind(name, at, Rule::TDecl)?;
        Ok(Decl { span: self.from(start), var, ty, extent, init })
    }

    /// `["[" INT "]"]`
    pub(super) fn extent(&mut self) -> Parsed<Option<u32>> {
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

    /// `expr | "{" expr {"," expr} "}"`
    pub(super) fn init(&mut self) -> Parsed<Init> {
        if !self.takes("{") {
            return Ok(Init::One(self.exp()?.exp));
        }
        let exps: Vec<Exp> = self.list("}", Self::exp)?.into_iter().map(|tall| tall.exp).collect();
        if exps.is_empty() {
            let label = "expected an expression";
            return Err(Rejected::new(self.last(), "an initialiser without values", label));
        }
        Ok(Init::Many(exps))
    }

    /// `"if" "(" cond ")" stmt ["else" stmt]`
    fn conditional(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        self.scope.open();
        let cond = self.cond()?;
        self.expect(")")?;
        let then = self.body()?;
        let otherwise =
            if self.takes_keyword("else") { Some(Box::new(self.body()?)) } else { None };
        self.scope.close();
        Ok(StmtKind::If(cond, Box::new(then), otherwise))
    }

    /// `expr | decl | "(" decl ")" "!=" "NULL"`
    fn cond(&mut self) -> Parsed<Cond> {
        let bracket = self.is("(") && self.type_starts(1) && {
            self.at += 1;
            let declares = self.declares();
            self.at -= 1;
            declares
        };
        if !bracket && !self.type_starts(0) {
            return Ok(Cond::Exp(self.exp()?.exp));
        }
        self.at += usize::from(bracket);
        let decl = self.decl()?;
        if !matches!(decl.init, Some(Init::One(_))) || decl.extent.is_some() {
            let message = "a condition that declares says what its variable starts with";
            return Err(Rejected::new(decl.span, message, "no value of a condition")
                .help("for example `if (local int *q = dynamic_cast<local int *>(p))`"));
        }
        if bracket {
            self.expect(")")?;
            self.expect("!=")?;
            if !self.takes_keyword("NULL") {
                return Err(self.wanted("`NULL`"));
            }
        }
        Ok(Cond::Decl(Box::new(decl)))
    }

    /// A statement with a scope of its own.
    fn body(&mut self) -> Parsed<Stmt> {
        self.scope.open();
        let stmt = self.stmt()?;
        self.scope.close();
        Ok(stmt)
    }

    /// `"while" "(" expr ")" stmt`
    fn while_loop(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        let condition = self.exp()?.exp;
        self.expect(")")?;
        Ok(StmtKind::While(condition, Box::new(self.body()?)))
    }

    /// `"for" "(" [decl | assign] ";" expr ";" [assign] ")" stmt`
    fn for_loop(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        self.scope.open();
        let first = self.part_of_for(";", true)?;
        let while_ = self.exp()?.exp;
        self.expect(";")?;
        let next = self.part_of_for(")", false)?;
        let body = self.body()?;
        self.scope.close();
        Ok(StmtKind::For(Box::new(For { first, while_, next, body })))
    }

    /// `"barrier" "(" ("local" | "global") ")" ";"`
    fn barrier(&mut self) -> Parsed<StmtKind> {
        self.at += 1;
        self.expect("(")?;
        let space = match self.token(0) {
            Some(Token::Keyword("local")) => Space::Local,
            Some(Token::Keyword("global")) => Space::Global,
            _ => return Err(self.wanted("`local` or `global`")),
        };
        self.at += 1;
        self.expect(")")?;
        self.semicolon(StmtKind::Barrier(space))
    }
}
