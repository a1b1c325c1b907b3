//! From FUN to terms over named axes, for given sizes.
//!
//! - A nest of kernels is a tensor: a `build` for each kernel, the outermost one `grid`.
//! - An array that a kernel makes and somebody reads is a `store`; slices and transposes are indices
//!   of `get`. To inline a store is the business of a law.
//! - A loop with one scalar is a `seq`. An `if` over arrays chooses element by element.
//!
//! FUN evaluates every statement, a term only what its result needs, and a law may drop or move a
//! part. So a program enters only if nothing in it can get stuck: each divisor is shown not to be 0,
//! each index to be inside. What cannot enter is said with its place, and [`segments`] gives the
//! runs of statements around it that can.

mod arrays;
pub mod fcl;
pub mod lambda_g;
mod names;
mod scalars;
mod segments;
mod terms;

pub(super) use segments::uses;
pub use segments::{Segment, segments, size_params};

use arrays::{Array, View};
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Kind, Name, Param, Program, Term};
use reference::axes::total;
use reference::axes::types;
use reference::fun::syntax::{Atom, Body, Exp, Fun, Program as Source, Stm, Ty};
use reference::kit::names::Var;
use reference::kit::text::{Rejected, Span};
use terms::Terms;

/// Why a program or a statement stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct StaysOut {
    /// The statement.
    pub span: Span,
    /// The reason, without a full stop.
    pub reason: String,
}

impl From<StaysOut> for Rejected {
    fn from(out: StaysOut) -> Self {
        Rejected::new(out.span, out.reason, "this is not rewritten")
    }
}

type Enters<T = ()> = Result<T, StaysOut>;

fn out<T>(span: Span, reason: impl Into<String>) -> Enters<T> {
    Err(StaysOut { span, reason: reason.into() })
}

/// The most nodes of a term.
const NODES: usize = 1 << 14;
/// How deeply a term may be nested.
const HEIGHT: usize = 100;

/// The program as a term, where its `int` parameters have the `sizes` that are given. Parameters
/// without one stay scalars.
///
/// # Errors
/// The first statement that cannot enter, and why. A size that is given for no parameter, is
/// missing for an array, is negative, or makes an array of more elements than an int counts.
pub fn import(program: &Source<Fun>, sizes: &[(String, i32)]) -> Result<Program, StaysOut> {
    let mut importer = Importer::new(program, sizes)?;
    importer.stms(&program.body)?;
    let span = program.body.span;
    let outs = program.body.results.iter().map(|result| {
        let value = importer.value(*result, span)?;
        importer.terms.out(&value, span)
    });
    let term = Term::results(outs.collect::<Enters<_>>()?);
    let params = program.params.iter().map(|param| importer.param(param.var));
    let program = Program { params: params.collect(), term };
    checked(program, span)
}

/// The program, if it is one and never gets stuck.
fn checked(program: Program, span: Span) -> Enters<Program> {
    let term = bounded(program.term, span)?;
    let program = Program { term, ..program };
    let scope = types::check(&program)
        .or_else(|wrong| out(span, format!("its term is not well formed: {}", wrong.message)))?;
    match total::is_total(&program.term, &scope) {
        true => Ok(program),
        false => out(span, "its term is not shown never to get stuck"),
    }
}

/// A term that is not too large.
fn bounded(term: Term, span: Span) -> Enters<Term> {
    match term.height() > HEIGHT || term.nodes() > NODES {
        true => out(
            span,
            format!("its term would have more than {NODES} nodes, or be nested over {HEIGHT} deep"),
        ),
        false => Ok(term),
    }
}

/// What a variable stands for.
#[derive(Clone)]
enum Value {
    Scalar(Term),
    Array(Array),
    /// An array that stays out, and whose sizes are not known numbers.
    Unsized,
}

/// The body that is being imported, so that a result is known to be its own.
type Home = usize;

struct Importer<'p> {
    program: &'p Source<Fun>,
    terms: Terms,
    env: Vec<Option<Value>>,
}

impl<'p> Importer<'p> {
    fn new(program: &'p Source<Fun>, sizes: &[(String, i32)]) -> Enters<Self> {
        let mut importer =
            Importer { program, terms: Terms::default(), env: vec![None; program.names.len()] };
        let span = program.body.span;
        let is_int = |name: &str| {
            let named = |param: &&reference::fun::syntax::Binding<Fun>| {
                program.names.written(param.var) == name
            };
            program.params.iter().find(named).is_some_and(|param| param.ty == Ty::Int)
        };
        for (nth, (name, size)) in sizes.iter().enumerate() {
            if !is_int(name) {
                return out(span, format!("a size is given for {name}, which is no int parameter"));
            }
            if sizes[..nth].iter().any(|(other, before)| other == name && before != size) {
                return out(span, format!("two sizes are given for {name}"));
            }
        }
        for param in &program.params {
            let written = program.names.written(param.var);
            let given = sizes.iter().find(|(name, _)| name == written).map(|(_, size)| *size);
            importer.outside(param.var, &param.ty, given, span)?;
        }
        Ok(importer)
    }

    /// Binds a variable to what is known of it from outside: its type, perhaps its number.
    fn outside(&mut self, var: Var, ty: &Ty, given: Option<i32>, span: Span) -> Enters {
        let name = self.terms.naming.of(var, &self.program.names);
        let (kind, value) = match ty {
            Ty::Int => {
                let leaf = Term::leaf(Head::Scalar(name.clone()));
                (Kind::Int(given), Value::Scalar(given.map_or(leaf, Term::constant)))
            }
            Ty::Array(atoms) => {
                let what = format!("a size of {}", self.written(var));
                let sizes = atoms.iter().map(|atom| self.size(*atom, &what, span));
                let sizes = sizes.collect::<Enters<Vec<_>>>()?;
                self.terms.fits(&sizes, span)?;
                let view = View::Param(name.clone());
                (Kind::Array(sizes.clone()), Value::Array(Array { sizes, view }))
            }
        };
        self.terms.scope.params.insert(name, kind);
        self.bind(var, value);
        Ok(())
    }

    /// A parameter as the term has it.
    fn param(&mut self, var: Var) -> Param {
        let name = self.terms.naming.of(var, &self.program.names);
        let kind = self.terms.scope.params[&name].clone();
        Param { name, kind }
    }

    fn bind(&mut self, var: Var, value: Value) {
        self.env[var.slot()] = Some(value);
    }

    fn written(&self, var: Var) -> &'p str {
        self.program.names.written(var)
    }

    fn value(&self, atom: Atom, span: Span) -> Enters<Value> {
        match atom {
            Atom::Const(k) => Ok(Value::Scalar(Term::constant(k))),
            Atom::Var(var) => match &self.env[var.slot()] {
                Some(Value::Unsized) => {
                    out(span, format!("the sizes of {} are not known numbers", self.written(var)))
                }
                Some(value) => Ok(value.clone()),
                None => out(span, format!("{} stays out", self.written(var))),
            },
        }
    }

    fn array(&self, var: Var, span: Span) -> Enters<Array> {
        match self.value(var.into(), span)? {
            Value::Array(array) => Ok(array),
            _ => out(span, format!("{} is no array", self.written(var))),
        }
    }

    /// A number that is known.
    fn number(&self, atom: Atom, what: &str, span: Span) -> Enters<i32> {
        let term = self.atom(atom, span)?;
        match term.head {
            Head::Const(k) => Ok(k),
            _ => {
                let name = atom.var().map(|var| format!("{}, ", self.written(var)));
                let name = name.unwrap_or_default();
                out(span, format!("{name}{what}, is not a known number"))
            }
        }
    }

    /// A number that is known and not negative.
    fn size(&self, atom: Atom, what: &str, span: Span) -> Enters<u32> {
        let k = self.number(atom, what, span)?;
        u32::try_from(k).or_else(|_| out(span, format!("{what} is negative: {k}")))
    }

    fn stms(&mut self, body: &Body<Fun>) -> Enters {
        body.stms.iter().try_for_each(|stm| self.stm(stm))
    }

    /// The results of a body inside, and its home.
    fn body(&mut self, body: &Body<Fun>) -> Enters<(Vec<Value>, Home)> {
        self.terms.homes += 1;
        let home = self.terms.homes;
        let outer = std::mem::replace(&mut self.terms.home, home);
        self.stms(body)?;
        let results = body.results.iter().map(|result| self.value(*result, body.span));
        let results = results.collect::<Enters<_>>()?;
        self.terms.home = outer;
        Ok((results, home))
    }

    fn stm(&mut self, stm: &Stm<Fun>) -> Enters {
        let span = stm.span;
        let values = match &stm.exp {
            Exp::Scalar(se) => vec![Value::Scalar(self.scalar(se, span)?)],
            Exp::Index { array, index } => vec![Value::Scalar(self.index(*array, index, span)?)],
            Exp::Slice { array, slice } => vec![Value::Array(self.slice(*array, slice, span)?)],
            Exp::Transpose(array) => vec![Value::Array(self.array(*array, span)?.transposed())],
            Exp::If { cond, then, orelse } => self.branch(*cond, then, orelse, span)?,
            Exp::Kernel { thread, count, body } => {
                match self.size(*count, "the count of this kernel", span)? {
                    0 => self.no_threads(stm)?,
                    count => self.kernel(*thread, count, body, span)?,
                }
            }
            Exp::Loop { carried, counter, count, body } => {
                let count = self.size(*count, "the count of this loop", span)?;
                match carried.as_slice() {
                    _ if count == 0 => {
                        let starts = carried.iter().map(|(_, start)| self.value(*start, span));
                        starts.collect::<Enters<_>>()?
                    }
                    [(state, start)] if state.ty == Ty::Int => {
                        let start = self.atom(*start, span)?;
                        vec![Value::Scalar(
                            self.seq(state.var, start, *counter, count, body, span)?,
                        )]
                    }
                    [_] => return out(span, "this loop carries an array"),
                    _ => return out(span, format!("this loop carries {} values", carried.len())),
                }
            }
            Exp::Update { .. } => return out(span, "`with` writes into an array"),
            Exp::Extra(never) => match *never {},
        };
        stm.pattern.iter().zip(values).for_each(|(binding, value)| self.bind(binding.var, value));
        Ok(())
    }

    fn branch(
        &mut self,
        cond: Atom,
        then: &Body<Fun>,
        orelse: &Body<Fun>,
        span: Span,
    ) -> Enters<Vec<Value>> {
        let cond = self.atom(cond, span)?;
        if let Head::Const(k) = cond.head {
            let (mut values, home) = self.body(if k != 0 { then } else { orelse })?;
            let here = self.terms.home;
            values.iter_mut().for_each(|value| value.moved(home, here));
            return Ok(values);
        }
        let mut side = |holds: bool, body: &Body<Fun>| {
            self.terms.given.push((cond.clone(), holds));
            let values = self.body(body);
            self.terms.given.pop();
            values
        };
        let (thens, then_home) = side(true, then)?;
        let (orelses, else_home) = side(false, orelse)?;
        let mut values = Vec::new();
        for (a, b) in thens.iter().zip(&orelses) {
            values.push(match (a, b) {
                // As a size is.
                (Value::Scalar(a), Value::Scalar(b)) if a == b && a.as_index().is_some() => {
                    Value::Scalar(a.clone())
                }
                (Value::Scalar(a), Value::Scalar(b)) => {
                    let term = Term::branch(cond.clone(), a.clone(), b.clone());
                    Value::Scalar(bounded(term, span)?)
                }
                (Value::Array(a), Value::Array(b)) => {
                    if a.sizes != b.sizes {
                        return out(span, "the branches give arrays of different sizes");
                    }
                    let axes = self.terms.fresh_axes(&a.sizes, span)?;
                    let a = self.terms.element(a, &axes, then_home, span)?;
                    let b = self.terms.element(b, &axes, else_home, span)?;
                    let element = bounded(Term::branch(cond.clone(), a, b), span)?;
                    let order = (0..axes.len()).collect();
                    Value::Array(self.terms.tensor(axes, order, element, span)?)
                }
                _ => return out(span, "the branches give values of different types"),
            });
        }
        Ok(values)
    }

    fn kernel(
        &mut self,
        thread: Var,
        count: u32,
        body: &Body<Fun>,
        span: Span,
    ) -> Enters<Vec<Value>> {
        let axis = self.counter(thread, count, span)?;
        self.terms.around.push(axis.clone());
        let (results, home) = self.body(body)?;
        let mut nests = Vec::new();
        for result in &results {
            nests.push(match result {
                Value::Scalar(element) => (Vec::new(), Vec::new(), element.clone()),
                Value::Array(row) => self.terms.nest(row, home, span)?,
                Value::Unsized => return out(span, "the sizes of a result are not known numbers"),
            });
        }
        self.terms.around.pop();
        let mut values = Vec::new();
        for (mut axes, order, element) in nests {
            axes.insert(0, axis.clone());
            let order = std::iter::once(0).chain(order.iter().map(|nth| nth + 1)).collect();
            values.push(Value::Array(self.terms.tensor(axes, order, element, span)?));
        }
        Ok(values)
    }

    /// The arrays of a kernel that runs no thread: its body may be what gets stuck.
    fn no_threads(&mut self, stm: &Stm<Fun>) -> Enters<Vec<Value>> {
        let mut values = Vec::new();
        for binding in &stm.pattern {
            let Ty::Array(atoms) = &binding.ty else {
                return out(stm.span, "this kernel gives no array");
            };
            let what = format!("a size of {}", self.written(binding.var));
            let sizes = atoms.iter().map(|atom| self.size(*atom, &what, stm.span));
            let sizes = sizes.collect::<Enters<Vec<_>>>()?;
            let axes = self.terms.fresh_axes(&sizes, stm.span)?;
            let order = (0..axes.len()).collect();
            values.push(Value::Array(self.terms.tensor(
                axes,
                order,
                Term::constant(0),
                stm.span,
            )?));
        }
        Ok(values)
    }

    fn seq(
        &mut self,
        state: Var,
        start: Term,
        counter: Var,
        count: u32,
        body: &Body<Fun>,
        span: Span,
    ) -> Enters<Term> {
        let axis = self.counter(counter, count, span)?;
        let name = self.terms.naming.of(state, &self.program.names);
        self.bind(state, Value::Scalar(Term::leaf(Head::Scalar(name.clone()))));
        self.terms.around.push(axis.clone());
        let (results, _) = self.body(body)?;
        self.terms.around.pop();
        match results.as_slice() {
            [Value::Scalar(next)] => {
                bounded(Term::seq(&name, &axis, count, start, next.clone()), span)
            }
            _ => out(span, "this loop carries no scalar"),
        }
    }

    /// The axis of a kernel or loop; its counter counts from 1.
    fn counter(&mut self, counter: Var, count: u32, span: Span) -> Enters<Name> {
        let axis = self.terms.naming.of(counter, &self.program.names);
        self.terms.fits(&[count], span)?;
        self.terms.declare(&axis, count, span)?;
        let index = Index::axis(&axis).plus(&Index::number(1), 1);
        let index = index.map_or_else(|| out(span, "this index is too large"), Ok)?;
        self.bind(counter, Value::Scalar(Term::index(index)));
        Ok(axis)
    }
}
