//! From text to IMP: every name becomes a variable, and `x ← y` an assignment of ints or of
//! blocks.
//!
//! A declaration is in scope to the end of the sequence it stands in. A name that is not in
//! scope becomes a variable that nothing declares, which the type rules then reject.

use super::surface::{self, Expr, ExprKind, Kind, Name};
use super::syntax::{self, Output, Param, Program, Stm, Ty};
use crate::fun::syntax::{Atom, Se};
use crate::kit::lex::{self, Lexicon, out_of_range};
use crate::kit::names::{Names, Var};
use crate::kit::text::{Rejected, Span};
use std::collections::HashMap;

const LEXICON: Lexicon = Lexicon {
    keywords: &[
        "param", "results", "var", "int", "mem", "skip", "alloc", "check", "if", "then", "else",
        "fi", "kernel", "for", "do", "done", "min", "max",
    ],
    opens: &["if", "do"],
    closes: &["fi", "done"],
    largest: 1 << 31,
};

/// The program that `source` writes.
///
/// # Errors
/// Wrong syntax, numbers out of range, causes that are none, sources that are too long or nested
/// too deeply.
pub fn program(source: &str) -> Result<Program, Rejected> {
    let tokens = lex::tokens(source, &LEXICON)?;
    let program = super::grammar::ProgramParser::new()
        .parse(tokens)
        .map_err(|error| lex::unexpected(error, source))?;
    Scope::default().program(program)
}

/// The names in scope, and how to leave it.
#[derive(Default)]
struct Scope<'s> {
    names: Names,
    bound: HashMap<&'s str, Vec<(Var, Ty)>>,
    order: Vec<&'s str>,
}

impl<'s> Scope<'s> {
    fn program(mut self, program: surface::Program<'s>) -> Result<Program, Rejected> {
        let mut params = Vec::new();
        for param in program.params {
            let shape = match param.shape {
                None => None,
                Some(sizes) => Some(self.atoms(sizes)?),
            };
            let ty = if shape.is_some() { Ty::Mem } else { Ty::Int };
            params.push(Param { var: self.bind(param.name, ty), shape });
        }
        let body = self.sequence(program.body)?;
        let mut results = Vec::new();
        for output in program.results {
            results.push(self.output(output)?);
        }
        Ok(Program { names: self.names, params, body, results })
    }

    fn output(&mut self, output: surface::Output<'s>) -> Result<Output, Rejected> {
        let (block, shape, offset, dims) = match output {
            surface::Output::Int(atom) => return Ok(Output::Int(self.atom(atom)?)),
            surface::Output::Array { block, shape, offset, dims } => (block, shape, offset, dims),
        };
        let span = block.span;
        let block = self.find(block.text).0;
        let shape = self.atoms(shape)?;
        let offset = self.scalar(offset)?;
        let mut strides = Vec::new();
        for (nth, (extent, stride)) in dims.into_iter().enumerate() {
            let extent = self.atom(extent)?;
            if shape.get(nth).is_some_and(|&size| size != extent) {
                let message = format!("extent {} is not the size of the array", nth + 1);
                return Err(Rejected::new(span, message, "this array"));
            }
            strides.push(self.scalar(stride)?);
        }
        Ok(Output::Array { block, shape, offset, strides })
    }

    fn bind(&mut self, name: Name<'s>, ty: Ty) -> Var {
        let var = self.names.fresh(name.text.to_owned());
        self.bound.entry(name.text).or_default().push((var, ty));
        self.order.push(name.text);
        var
    }

    /// What the name stands for.
    fn find(&mut self, text: &'s str) -> (Var, Option<Ty>) {
        match self.bound.get(text).and_then(|bound| bound.last()) {
            Some(&(var, ty)) => (var, Some(ty)),
            None => (self.names.fresh(text.to_owned()), None),
        }
    }

    /// What `within` binds is in scope in it only.
    fn scoped<T>(
        &mut self,
        within: impl FnOnce(&mut Self) -> Result<T, Rejected>,
    ) -> Result<T, Rejected> {
        let outer = self.order.len();
        let result = within(self);
        for text in self.order.drain(outer..) {
            if let Some(bound) = self.bound.get_mut(text) {
                bound.pop();
            }
        }
        result
    }

    fn sequence(&mut self, stms: Vec<surface::Stm<'s>>) -> Result<Vec<Stm>, Rejected> {
        stms.into_iter().map(|stm| self.stm(stm)).collect()
    }

    fn stm(&mut self, stm: surface::Stm<'s>) -> Result<Stm, Rejected> {
        let kind = match stm.kind {
            Kind::Skip => syntax::Kind::Skip,
            Kind::Var(x, ty) => syntax::Kind::Var(self.bind(x, ty), ty),
            Kind::Assign(x, se) => {
                let (x, ty) = self.find(x.text);
                match se.kind {
                    ExprKind::Name(y) => {
                        let (y, from) = self.find(y);
                        if from == Some(Ty::Mem) || ty == Some(Ty::Mem) {
                            syntax::Kind::AssignMem(x, y)
                        } else {
                            syntax::Kind::Assign(x, y.into())
                        }
                    }
                    _ => syntax::Kind::Assign(x, self.scalar(se)?),
                }
            }
            Kind::Alloc(x, se) => syntax::Kind::Alloc(self.find(x.text).0, self.scalar(se)?),
            Kind::Read(x, y, se) => syntax::Kind::Read {
                into: self.find(x.text).0,
                block: self.find(y.text).0,
                offset: self.scalar(se)?,
            },
            Kind::Write(x, at, se) => syntax::Kind::Write {
                block: self.find(x.text).0,
                offset: self.scalar(at)?,
                value: self.scalar(se)?,
            },
            Kind::If(cond, then, orelse) => syntax::Kind::If {
                cond: self.atom(cond)?,
                then: self.scoped(|scope| scope.sequence(then))?,
                orelse: self.scoped(|scope| scope.sequence(orelse))?,
            },
            Kind::Kernel(thread, count, body) => {
                let count = self.scalar(count)?;
                self.scoped(|scope| {
                    let thread = scope.bind(thread, Ty::Int);
                    Ok(syntax::Kind::Kernel { thread, count, body: scope.sequence(body)? })
                })?
            }
            Kind::For(counter, count, body) => {
                let count = self.scalar(count)?;
                self.scoped(|scope| {
                    let counter = scope.bind(counter, Ty::Int);
                    Ok(syntax::Kind::For { counter, count, body: scope.sequence(body)? })
                })?
            }
            Kind::Check(name, operands) => {
                let cause = name.cause()?;
                let operands: Result<Vec<Se>, Rejected> =
                    operands.into_iter().map(|operand| self.scalar(operand)).collect();
                syntax::Kind::Check { cause, operands: operands? }
            }
        };
        Ok(Stm { span: stm.span, kind })
    }

    fn scalar(&mut self, e: Expr<'s>) -> Result<Se, Rejected> {
        Ok(match e.kind {
            ExprKind::Int(k) => Se::from(int(k, e.span)?),
            ExprKind::Name(x) => self.find(x).0.into(),
            ExprKind::Bin(op, a, b) => {
                let a = self.scalar(*a)?;
                Se::bin(op, a, self.scalar(*b)?)
            }
        })
    }

    /// A name or a number, which is all that the grammar lets stand there.
    fn atom(&mut self, e: Expr<'s>) -> Result<Atom, Rejected> {
        match self.scalar(e)? {
            Se::Atom(atom) => Ok(atom),
            Se::Bin(..) => unreachable!("the grammar lets only names and numbers stand there"),
        }
    }

    fn atoms(&mut self, list: Vec<Expr<'s>>) -> Result<Vec<Atom>, Rejected> {
        list.into_iter().map(|e| self.atom(e)).collect()
    }
}

/// The number, which is an int but for one that wants a minus.
fn int(k: i64, span: Span) -> Result<i32, Rejected> {
    i32::try_from(k).map_err(|_| out_of_range(span, LEXICON.largest))
}
