//! From text to the device language: every name becomes a variable. A name that is not in scope
//! becomes a variable that nothing binds, and one that is bound again is bound twice; the
//! validator rejects both.

use super::rules::NO_PLACE;
use super::surface::{self, Expr, ExprKind, Name, Type, Typed};
use super::syntax::{
    Block, Carried, Case, Check, Copy, Exp, Function, Given, Host, HostBlock, If, Kernel, Kind,
    Launch, Loop, Output, Par, Param, Place, Precedence, Program, Shown, Site, Size, Stm, Strided,
    Struct, Switch, Ty,
};
use crate::kit::lex::{self, Lexicon};
use crate::kit::names::{Names, Var};
use crate::kit::text::{Rejected, Span};
use rustc_hash::FxHashMap;
use std::collections::HashMap;

pub(super) const LEXICON: Lexicon = Lexicon {
    keywords: &[
        "struct",
        "fn",
        "return",
        "kernel",
        "group",
        "workgroup",
        "private",
        "function",
        "storage",
        "record",
        "param",
        "result",
        "at",
        "order",
        "strides",
        "let",
        "var",
        "atomic",
        "call",
        "if",
        "switch",
        "else",
        "loop",
        "while",
        "fuel",
        "next",
        "check",
        "barrier",
        "par",
        "alloc",
        "read",
        "write",
        "free",
        "launch",
        "for",
        "copy",
        "from",
        "to",
        "bool",
        "i32",
        "u32",
        "i64",
        "f32",
        "f64",
        "vec2",
        "vec3",
        "vec4",
        "array",
        "ptr",
        "block",
        "true",
        "false",
        "global_id",
        "local_id",
        "group_id",
        "invocations",
        "neg",
        "not",
        "complement",
        "select",
        "bitcast",
        "make",
        "length",
        "base",
        "load",
        "uniform",
        "store",
        "min",
        "max",
        "words",
    ],
    opens: &[],
    closes: &[],
    // The bits of an f64 are a number too.
    largest: u64::MAX,
};

/// The program that `source` writes. Each `check` is a site of its own, at its statement.
///
/// # Errors
/// Wrong syntax, numbers out of range, causes that are none, functions, kernels and structures
/// that are not there, sources that are too long or nested too deeply.
pub fn program(source: &str) -> Result<Program, Rejected> {
    let tokens = lex::tokens(source, &LEXICON)?;
    let surface = super::grammar::ProgramParser::new()
        .parse(tokens)
        .map_err(|error| lex::unexpected(error, source))?;
    let mut scope = Scope::default();
    let texts = |names: &mut dyn Iterator<Item = &'_ str>| names.map(str::to_owned).collect();
    scope.structs = texts(&mut surface.structs.iter().map(|it| it.name.text));
    scope.functions = texts(&mut surface.functions.iter().map(|it| it.name.text));
    scope.kernels = texts(&mut surface.kernels.iter().map(|it| it.name.text));
    scope.program(surface)
}

/// What a name stands for.
#[derive(Clone, Copy)]
struct Bound {
    var: Var,
    place: bool,
}

#[derive(Default)]
struct Scope<'s> {
    names: Names,
    declared: FxHashMap<Var, Span>,
    bound: HashMap<&'s str, Bound>,
    order: Vec<&'s str>,
    structs: Vec<String>,
    functions: Vec<String>,
    kernels: Vec<String>,
    sites: Vec<Site>,
}

type Parsed<T> = Result<T, Rejected>;

impl<'s> Scope<'s> {
    fn program(mut self, program: surface::Program<'s>) -> Parsed<Program> {
        let mut structs = Vec::new();
        for surface::Struct { name, fields } in program.structs {
            let fields = fields.into_iter();
            let fields = fields.map(|(field, ty)| Ok((field.text.to_owned(), self.ty(ty)?)));
            let fields = fields.collect::<Parsed<_>>()?;
            structs.push(Struct { name: name.text.to_owned(), fields, span: name.span });
        }
        let workgroup = self.typed(program.workgroup, true)?;
        let private = self.typed(program.private, true)?;
        let functions = program.functions.into_iter();
        let functions = functions.map(|function| self.scoped(|scope| scope.function(function)));
        let functions = functions.collect::<Parsed<_>>()?;
        let kernels = program.kernels.into_iter();
        let kernels = kernels.map(|kernel| self.scoped(|scope| scope.kernel(kernel)));
        let kernels = kernels.collect::<Parsed<_>>()?;
        let mut params = Vec::new();
        for (name, given) in program.params {
            let var = self.declare(name, false);
            let given = match given {
                surface::Given::Scalar(sc) => Given::Scalar(sc),
                surface::Given::Array(sc, sizes) => Given::Array(sc, self.exps(sizes)?),
                surface::Given::Words(nested) => Given::Words(nested),
            };
            params.push(Param { var, given });
        }
        let host = self.host(program.host)?;
        let results = program.results.into_iter().map(|output| self.output(output));
        let results = results.collect::<Parsed<_>>()?;
        let Self { names, declared, sites, .. } = self;
        Ok(Program {
            names,
            declared,
            structs,
            workgroup,
            private,
            functions,
            kernels,
            sites,
            params,
            host,
            results,
        })
    }

    fn function(&mut self, function: surface::Function<'s>) -> Parsed<Function> {
        Ok(Function {
            name: function.name.text.to_owned(),
            params: self.typed(function.params, false)?,
            body: self.block(function.body)?,
            result: match function.result {
                Some((ty, e)) => Some((self.ty(ty)?, self.exp(e)?)),
                None => None,
            },
            span: function.name.span,
        })
    }

    fn kernel(&mut self, kernel: surface::Kernel<'s>) -> Parsed<Kernel> {
        Ok(Kernel {
            name: kernel.name.text.to_owned(),
            params: self.typed(kernel.params, false)?,
            group: kernel.group,
            workgroup: self.typed(kernel.workgroup, true)?,
            private: self.typed(kernel.private, true)?,
            record: kernel.record,
            body: self.block(kernel.body)?,
            span: kernel.name.span,
        })
    }

    fn typed(&mut self, typed: Vec<Typed<'s>>, place: bool) -> Parsed<Vec<(Var, Ty)>> {
        let typed = typed.into_iter();
        typed.map(|(name, ty)| Ok((self.declare(name, place), self.ty(ty)?))).collect()
    }

    fn output(&mut self, output: surface::Output<'s>) -> Parsed<Output> {
        let shown = match output.shown {
            surface::Shown::Scalar(sc, e) => Shown::Scalar(sc, self.exp(e)?),
            surface::Shown::Array { sc, block, shape, offset, strides } => Shown::Array {
                sc,
                block: self.exp(block)?,
                shape: self.exps(shape)?,
                offset: self.exp(offset)?,
                strides: self.exps(strides)?,
            },
            surface::Shown::Words(nested, block) => Shown::Words(nested, self.exp(block)?),
        };
        Ok(Output { shown, span: output.span })
    }

    /// Binds a name that is declared, and notes where.
    fn declare(&mut self, name: Name<'s>, place: bool) -> Var {
        let span = name.span;
        let var = self.bind(name, place);
        self.declared.insert(var, span);
        var
    }

    /// Binds a name. One that is in scope stays what it is.
    fn bind(&mut self, name: Name<'s>, place: bool) -> Var {
        if let Some(bound) = self.bound.get(name.text) {
            return bound.var;
        }
        let var = self.names.fresh(name.text.to_owned());
        self.bound.insert(name.text, Bound { var, place });
        self.order.push(name.text);
        var
    }

    fn find(&mut self, text: &'s str) -> Bound {
        match self.bound.get(text) {
            Some(bound) => *bound,
            None => Bound { var: self.names.fresh(text.to_owned()), place: false },
        }
    }

    /// What `within` binds is in scope in it only.
    fn scoped<T>(&mut self, within: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let outer = self.order.len();
        let result = within(self);
        for text in self.order.drain(outer..) {
            self.bound.remove(text);
        }
        result
    }

    fn ty(&mut self, ty: Type<'s>) -> Parsed<Ty> {
        Ok(match ty {
            Type::Scalar(sc) => Ty::Scalar(sc),
            Type::Vector(sc, n) => Ty::Vector(sc, n),
            Type::Array(part, n) => Ty::Array(Box::new(self.ty(*part)?), n),
            Type::Ptr(space, to) => Ty::Ptr(space, Box::new(self.ty(*to)?)),
            Type::Block(element) => Ty::Block(element),
            Type::Atomic(sc) => Ty::Atomic(sc),
            Type::Struct(name) => match number(&self.structs, name) {
                Some(number) => Ty::Struct(number),
                None => {
                    let message = format!("there is no structure `{}`", name.text);
                    let error = Rejected::new(name.span, message, "not declared");
                    return Err(error.by_rule("D-T-TYPE", "type"));
                }
            },
        })
    }

    fn block(&mut self, body: Vec<surface::Stm<surface::Kind<'s>>>) -> Parsed<Block> {
        body.into_iter().map(|stm| self.stm(stm)).collect()
    }

    fn host(&mut self, body: Vec<surface::Stm<surface::Host<'s>>>) -> Parsed<HostBlock> {
        body.into_iter().map(|stm| self.host_stm(stm)).collect()
    }

    fn stm(&mut self, stm: surface::Stm<surface::Kind<'s>>) -> Parsed<Stm<Kind>> {
        use surface::Kind as S;
        let span = stm.span;
        let kind = match stm.kind {
            S::Let(name, ty, e) => {
                let (ty, e) = (self.ty(ty)?, self.exp(e)?);
                Kind::Let(self.bind(name, false), ty, e)
            }
            S::Var(name, ty, init) => {
                let ty = self.ty(ty)?;
                let init = init.map(|e| self.exp(e)).transpose()?;
                Kind::Var(self.bind(name, true), ty, init)
            }
            S::Store(place, e) => Kind::Store(self.place(place)?, self.exp(e)?),
            S::Atomic(into, op, list) => {
                let mut list = list.into_iter();
                let Some(place) = list.next() else {
                    return Err(Rejected::new(span, "an atomic operation on nothing", "no place"));
                };
                let place = self.place(place)?;
                let operands = self.exps(list.collect())?;
                Kind::Atomic { into: into.map(|name| self.bind(name, false)), op, place, operands }
            }
            S::If(branch) => Kind::If(If {
                cond: self.exp(branch.cond)?,
                then: self.scoped(|scope| scope.block(branch.then))?,
                orelse: self.scoped(|scope| scope.block(branch.orelse))?,
            }),
            S::Switch(switch) => {
                let value = self.exp(switch.value)?;
                let case = |(literal, body): (Expr<'s>, _)| {
                    let ExprKind::Lit(literal) = literal.kind else {
                        unreachable!("the grammar has literals there")
                    };
                    Ok(Case { literal, body: self.scoped(|scope| scope.block(body))? })
                };
                let cases = switch.cases.into_iter().map(case).collect::<Parsed<_>>()?;
                let orelse = self.scoped(|scope| scope.block(switch.orelse))?;
                Kind::Switch(Switch { value, cases, orelse })
            }
            S::Loop(rounds) => {
                let (carried, cond, fuel) =
                    self.loop_head(rounds.carried, rounds.cond, rounds.fuel)?;
                let (body, next) =
                    self.scoped(|scope| Ok((scope.block(rounds.body)?, scope.exps(rounds.next)?)))?;
                Kind::Loop(Box::new(Loop { carried, cond, fuel, body, next }))
            }
            S::Call(into, name, args) => {
                let Some(function) = number(&self.functions, name) else {
                    let message = format!("there is no function `{}`", name.text);
                    let error = Rejected::new(name.span, message, "not declared");
                    return Err(error.by_rule("D-T-CALL", "earlier"));
                };
                let args = self.exps(args)?;
                Kind::Call { into: into.map(|name| self.bind(name, false)), function, args }
            }
            S::Check(check) => Kind::Check(self.check(span, check)?),
            S::Barrier(scope) => Kind::Barrier(scope),
            S::UniformLoad(name, place) => {
                let place = self.place(place)?;
                Kind::UniformLoad { into: self.bind(name, false), place }
            }
            S::Par(par) => Kind::Par(self.par(par)?),
        };
        Ok(Stm { span, kind })
    }

    fn host_stm(&mut self, stm: surface::Stm<surface::Host<'s>>) -> Parsed<Stm<Host>> {
        use surface::Host as S;
        let span = stm.span;
        let kind = match stm.kind {
            S::Let(name, ty, e) => {
                let (ty, e) = (self.ty(ty)?, self.exp(e)?);
                Host::Let(self.bind(name, false), ty, e)
            }
            S::Assign(names, list) => {
                if names.len() != list.len() {
                    let message = format!("{} names, but {} values", names.len(), list.len());
                    return Err(Rejected::new(span, message, "as many on both sides"));
                }
                let list = self.exps(list)?;
                let vars = names.iter().map(|name| self.find(name.text).var);
                Host::Assign(vars.zip(list).collect())
            }
            S::Alloc(name, element, size) => {
                let size = self.exp(size)?;
                Host::Alloc { block: self.bind(name, false), element, size }
            }
            S::Free(block) => Host::Free(self.exp(block)?),
            S::Launch(name, args, count, record) => {
                let Some(kernel) = number(&self.kernels, name) else {
                    let message = format!("there is no kernel `{}`", name.text);
                    let error = Rejected::new(name.span, message, "not declared");
                    return Err(error.by_rule("D-T-LAUNCH", "kernel"));
                };
                let (args, count) = (self.exps(args)?, self.exp(count)?);
                let record = record.map(|e| self.exp(e)).transpose()?;
                Host::Launch(Launch { kernel, count, args, record })
            }
            S::Copy(sizes, from, to) => {
                let size = |exp: Expr<'s>| Ok(Size { span: exp.span, exp: self.exp(exp)? });
                let sizes = sizes.into_iter().map(size).collect::<Parsed<_>>()?;
                let (from, to) = (self.strided(from)?, self.strided(to)?);
                Host::Copy(Box::new(Copy { sizes, from, to }))
            }
            S::Read(name, from) => {
                let (block, offset) = self.element(from)?;
                Host::Read { into: self.bind(name, false), block, offset }
            }
            S::Write(to, e) => {
                let (block, offset) = self.element(to)?;
                Host::Write { block, offset, value: self.exp(e)? }
            }
            S::If(branch) => Host::If(If {
                cond: self.exp(branch.cond)?,
                then: self.scoped(|scope| scope.host(branch.then))?,
                orelse: self.scoped(|scope| scope.host(branch.orelse))?,
            }),
            S::Loop(rounds) => {
                let (carried, cond, fuel) =
                    self.loop_head(rounds.carried, rounds.cond, rounds.fuel)?;
                let (body, next) =
                    self.scoped(|scope| Ok((scope.host(rounds.body)?, scope.exps(rounds.next)?)))?;
                Host::Loop(Box::new(Loop { carried, cond, fuel, body, next }))
            }
            S::Check(check) => Host::Check(self.check(span, check)?),
            S::Par(par) => Host::Par(self.par(par)?),
        };
        Ok(Stm { span, kind })
    }

    fn loop_head(
        &mut self,
        carried: Vec<(Name<'s>, Type<'s>, Expr<'s>)>,
        cond: Expr<'s>,
        fuel: Option<Expr<'s>>,
    ) -> Parsed<(Vec<Carried>, Exp, Option<Exp>)> {
        let fuel = fuel.map(|e| self.exp(e)).transpose()?;
        let mut heads = Vec::new();
        for (name, ty, init) in carried {
            heads.push((name, self.ty(ty)?, self.exp(init)?));
        }
        let carried = heads
            .into_iter()
            .map(|(name, ty, init)| Carried { var: self.bind(name, false), ty, init })
            .collect();
        Ok((carried, self.exp(cond)?, fuel))
    }

    fn check(&mut self, span: Span, check: surface::Check<'s>) -> Parsed<Check> {
        // Passes check for what is no premise, too: that compiled code has to give up.
        let cause = check.cause.cause()?;
        self.sites.push(Site { span, cause });
        let site = self.sites.len() as u32 - 1;
        let (operands, path) = (self.exps(check.operands)?, self.exps(check.path)?);
        let order = check.order.map(|order| self.exps(order)).transpose()?;
        Ok(Check { site, operands, path, order: order.map(|order| Box::new(Precedence(order))) })
    }

    fn par(&mut self, par: surface::Par<'s>) -> Parsed<Par> {
        let count = self.exp(par.count)?;
        self.scoped(|scope| {
            let var = scope.bind(par.name, false);
            Ok(Par { var, count, body: scope.block(par.body)? })
        })
    }

    fn exps(&mut self, list: Vec<Expr<'s>>) -> Parsed<Vec<Exp>> {
        list.into_iter().map(|e| self.exp(e)).collect()
    }

    fn boxed(&mut self, e: Expr<'s>) -> Parsed<Box<Exp>> {
        Ok(Box::new(self.exp(e)?))
    }

    fn exp(&mut self, e: Expr<'s>) -> Parsed<Exp> {
        if self.is_place(&e) {
            return Ok(Exp::Load(Box::new(self.place(e)?)));
        }
        Ok(match e.kind {
            ExprKind::Lit(lit) => Exp::Lit(lit),
            ExprKind::Name(text) => Exp::Var(self.find(text).var),
            ExprKind::Builtin(builtin) => Exp::Builtin(builtin),
            ExprKind::Un(op, a) => Exp::Un(op, self.boxed(*a)?),
            ExprKind::Bin(op, a, b) => Exp::bin(op, self.exp(*a)?, self.exp(*b)?),
            ExprKind::Select(parts) => {
                let [c, a, b] = *parts;
                Exp::select(self.exp(c)?, self.exp(a)?, self.exp(b)?)
            }
            ExprKind::Cast(sc, a) => Exp::Cast(sc, self.boxed(*a)?),
            ExprKind::Bitcast(sc, a) => Exp::Bitcast(sc, self.boxed(*a)?),
            ExprKind::Make(ty, parts) => Exp::make(self.ty(ty)?, self.exps(parts)?),
            ExprKind::At(a, i) => Exp::at(self.exp(*a)?, self.exp(*i)?),
            ExprKind::Field(a, k) => Exp::Field(self.boxed(*a)?, k),
            ExprKind::Ref(place) => Exp::Ref(Box::new(self.place(*place)?)),
            ExprKind::Load(place) => Exp::Load(Box::new(self.loaded(*place)?)),
            ExprKind::Length(a) => Exp::Length(self.boxed(*a)?),
            ExprKind::Base(a) => Exp::Base(self.boxed(*a)?),
            ExprKind::Block(element, a, b) => Exp::block(element, self.exp(*a)?, self.exp(*b)?),
            ExprKind::Element(..) | ExprKind::Deref(_) => unreachable!("they are places"),
        })
    }

    /// Does the expression say where something is, so that its value must be loaded?
    fn is_place(&self, e: &Expr<'s>) -> bool {
        match &e.kind {
            ExprKind::Name(text) => self.bound.get(text).is_some_and(|bound| bound.place),
            ExprKind::Element(..) | ExprKind::Deref(_) => true,
            ExprKind::At(inner, _) | ExprKind::Field(inner, _) => self.is_place(inner),
            _ => false,
        }
    }

    /// The place of a `load` that is written out. The printer leaves the word away where it can,
    /// so what is loaded has to be a place without it.
    fn loaded(&mut self, e: Expr<'s>) -> Parsed<Place> {
        match e.root() {
            Some((text, span)) if !self.bound.contains_key(text) => {
                let error =
                    Rejected::new(span, format!("`{text}` is not in scope"), "no such name");
                Err(error.by_rule("D-T-VAR", "scope"))
            }
            Some((text, span)) if !self.bound[text].place => {
                let message = format!("`{text}` is a value, not a place");
                let error = Rejected::new(span, message, "no place").help(NO_PLACE);
                Err(error.by_rule("D-T-PLACE", "place"))
            }
            _ => self.place(e),
        }
    }

    fn place(&mut self, e: Expr<'s>) -> Parsed<Place> {
        Ok(match e.kind {
            ExprKind::Name(text) => Place::Var(self.find(text).var),
            ExprKind::Deref(pointer) => Place::Deref(self.exp(*pointer)?),
            ExprKind::Element(block, index) => Place::Element(self.exp(*block)?, self.exp(*index)?),
            ExprKind::At(inner, index) => {
                Place::At(Box::new(self.place(*inner)?), self.exp(*index)?)
            }
            ExprKind::Field(inner, k) => Place::Field(Box::new(self.place(*inner)?), k),
            _ => {
                let error = Rejected::new(e.span, "a value where a place is wanted", "no place")
                    .help("`&` in front of a variable is a pointer to it; the conjunction of `a` and `b` is written `a & b`");
                return Err(error.by_rule("D-T-PLACE", "place"));
            }
        })
    }

    /// `b.[i] strides (s, …)`
    fn strided(&mut self, strided: surface::Strided<'s>) -> Parsed<Strided> {
        let span = strided.first.span;
        let (block, offset) = self.element(strided.first)?;
        let strides = match strided.strides {
            Some(strides) => self.exps(strides)?,
            None => vec![Exp::i32(1)],
        };
        Ok(Strided { span, block, offset, strides })
    }

    /// Block and offset of `b.[i]`.
    fn element(&mut self, e: Expr<'s>) -> Parsed<(Exp, Exp)> {
        match e.kind {
            ExprKind::Element(block, offset) => Ok((self.exp(*block)?, self.exp(*offset)?)),
            _ => Err(Rejected::new(e.span, "an element of a block is wanted", "not `b.[i]`")),
        }
    }
}

/// The place of a name in a list.
fn number(list: &[String], name: Name<'_>) -> Option<u32> {
    list.iter().position(|text| text == name.text).map(|number| number as u32)
}
