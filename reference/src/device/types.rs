//! Types of expressions and places, with their rules. The validator, the evaluator and whoever
//! emits code ask here.

use super::print;
use super::rules::Rule;
use super::syntax::{Block, Function, Host, HostBlock, Kind, Loop, Program, Sc, Space, Ty};
use super::visit;
use crate::kit::names::Var;
use crate::kit::rules::Roll;
use crate::kit::text::Second;
use std::fmt;

mod exp;
mod place;
mod typed;
mod well_formed;

pub use typed::Typed;
pub use well_formed::MAX_CELLS;

/// What a variable stands for, with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound<'p> {
    /// A value: let-bound, a parameter, carried, or a variable of the host.
    Value(Typed<'p>),
    /// A place of this space.
    Place(Space, Typed<'p>),
}

/// Why something has no type: the premise of a rule that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The rule.
    pub rule: Rule,
    /// The premise.
    pub premise: &'static str,
    /// One sentence.
    pub message: String,
    /// What to write instead, if that is known.
    pub help: Option<String>,
    /// The other place, where two do not go together.
    pub second: Option<Second>,
}

/// What is found, or why it is not. It is boxed, for nearly all that is asked has a type.
pub(super) type Found<T> = Result<T, Box<Wrong>>;

#[cold]
pub(super) fn wrong<T>(rule: Rule, premise: &'static str, message: impl Into<String>) -> Found<T> {
    Err(Box::new(Wrong { rule, premise, message: message.into(), help: None, second: None }))
}

/// The same, with what to write instead.
#[cold]
pub(super) fn wrong_with<T>(
    rule: Rule,
    premise: &'static str,
    message: impl Into<String>,
    help: impl Into<String>,
) -> Found<T> {
    let help = Some(help.into());
    Err(Box::new(Wrong { rule, premise, message: message.into(), help, second: None }))
}

/// How a value of the one type becomes one of the other.
#[cold]
pub(super) fn conversion(given: Typed<'_>, wanted: Typed<'_>) -> Option<String> {
    let (Typed::Scalar(given), Typed::Scalar(wanted)) = (given, wanted) else { return None };
    let (given, wanted) = (print::scalar(given), print::scalar(wanted));
    let literal = match (given, wanted) {
        ("i32", "u32" | "i64") => format!("; a literal of {wanted} is written as in `{wanted} 4`"),
        ("i32", "f32") => "; a literal of f32 has a point, as in `4.0`".to_owned(),
        ("i32" | "f32", "f64") => "; a literal of f64 is written as in `f64 4.0`".to_owned(),
        _ => String::new(),
    };
    Some(format!("`{wanted}(e)` converts it{literal}"))
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// Among the statements of the host.
    Host,
    /// In the body of a parallel loop of the host.
    HostPar,
    /// In a kernel.
    Kernel,
    /// In a function.
    Function,
}

/// The environment `Γ`: what variables stand for, and which are in scope.
pub struct Types<'p> {
    /// The program.
    pub program: &'p Program,
    /// Where the expressions stand.
    pub context: Context,
    bound: Vec<Option<Bound<'p>>>,
    /// Cells of each structure; a wrong structure has too many.
    structs: Vec<u64>,
    /// How often each rule applied.
    pub(super) applied: Vec<u64>,
}

impl<'p> Types<'p> {
    /// Nothing in scope.
    pub(super) fn empty(program: &'p Program) -> Self {
        let mut types = Self {
            program,
            context: Context::Host,
            bound: vec![None; program.names.len()],
            structs: Vec::new(),
            applied: vec![0; Rule::ALL.len()],
        };
        for declared in &program.structs {
            let cells = declared.fields.iter().map(|(_, ty)| types.cells(ty));
            let cells = cells.fold(0, u64::saturating_add);
            types.structs.push(cells);
        }
        types
    }

    /// Every variable of a valid program.
    pub fn of(program: &'p Program) -> Self {
        let mut types = Self::empty(program);
        // Of a valid program each expression stands where it may; a kernel may have any.
        types.context = Context::Kernel;
        for param in &program.params {
            types.bind(param.var, Bound::Value(Typed::of_param(param)));
        }
        types.places(Space::Workgroup, &program.workgroup);
        types.places(Space::Private, &program.private);
        types.host(&program.host);
        for Function { params, body, .. } in &program.functions {
            types.values(params);
            types.block(body);
        }
        for kernel in &program.kernels {
            types.values(&kernel.params);
            types.places(Space::Workgroup, &kernel.workgroup);
            types.places(Space::Private, &kernel.private);
            types.block(&kernel.body);
        }
        types
    }

    /// Brings a variable into scope.
    pub(super) fn bind(&mut self, var: Var, bound: Bound<'p>) {
        self.bound[var.slot()] = Some(bound);
    }

    /// Takes a variable out of scope.
    pub(super) fn unbind(&mut self, var: Var) {
        self.bound[var.slot()] = None;
    }

    /// What a variable in scope stands for.
    #[inline]
    pub fn bound(&self, var: Var) -> Option<Bound<'p>> {
        self.bound[var.slot()]
    }

    pub(super) fn values(&mut self, vars: &'p [(Var, Ty)]) {
        for (var, ty) in vars {
            self.bind(*var, Bound::Value(Typed::of(ty)));
        }
    }

    pub(super) fn places(&mut self, space: Space, vars: &'p [(Var, Ty)]) {
        for (var, ty) in vars {
            self.bind(*var, Bound::Place(space, Typed::of(ty)));
        }
    }

    fn host(&mut self, body: &'p HostBlock) {
        visit::stms(body, &mut |stm| match &stm.kind {
            Host::Let(var, ty, _) => self.bind(*var, Bound::Value(Typed::of(ty))),
            Host::Alloc { block, element, .. } => {
                self.bind(*block, Bound::Value(Typed::Block(*element)));
            }
            Host::Read { into, block, .. } => {
                if let Ok(Typed::Block(element)) = self.exp(block) {
                    self.bind(*into, Bound::Value(Typed::Scalar(element.sc())));
                }
            }
            Host::Loop(rounds) => self.carried(rounds),
            Host::Par(par) => {
                self.bind(par.var, Bound::Value(Typed::Scalar(Sc::I32)));
                self.block(&par.body);
            }
            _ => {}
        });
    }

    fn carried<K>(&mut self, rounds: &'p Loop<K>) {
        for carried in &rounds.carried {
            self.bind(carried.var, Bound::Value(Typed::of(&carried.ty)));
        }
    }

    fn block(&mut self, body: &'p Block) {
        visit::stms(body, &mut |stm| match &stm.kind {
            Kind::Let(var, ty, _) => self.bind(*var, Bound::Value(Typed::of(ty))),
            Kind::Var(var, ty, _) => self.bind(*var, Bound::Place(Space::Function, Typed::of(ty))),
            Kind::Atomic { into: Some(into), place, .. } => {
                if let Ok((_, Typed::Other(Ty::Atomic(sc)))) = self.place(place) {
                    self.bind(*into, Bound::Value(Typed::Scalar(*sc)));
                }
            }
            Kind::UniformLoad { into, place } => {
                if let Ok((_, ty)) = self.place(place) {
                    self.bind(*into, Bound::Value(ty));
                }
            }
            Kind::Call { into: Some(into), function, .. } => {
                let function = self.program.functions.get(*function as usize);
                if let Some((ty, _)) = function.and_then(|function| function.result.as_ref()) {
                    self.bind(*into, Bound::Value(Typed::of(ty)));
                }
            }
            Kind::Loop(rounds) => self.carried(rounds),
            Kind::Par(par) => self.bind(par.var, Bound::Value(Typed::Scalar(Sc::I32))),
            _ => {}
        });
    }

    /// Applies a rule.
    pub(super) fn by(&mut self, rule: Rule) {
        self.applied[rule.number()] += 1;
    }

    /// There is no such operator for these types.
    #[cold]
    pub(super) fn none_of<T>(
        &self,
        rule: Rule,
        what: fmt::Arguments<'_>,
        types: &[Typed<'_>],
    ) -> Found<T> {
        let types: Vec<String> = types.iter().map(|ty| self.said(*ty)).collect();
        wrong(rule, "type", format!("{what} {}", types.join(" and ")))
    }

    /// The expression has another type than this: both are told and, where there is one, the conversion.
    #[cold]
    pub(super) fn other_type<T>(
        &self,
        rule: Rule,
        given: Typed<'_>,
        wanted: Typed<'_>,
    ) -> Found<T> {
        let message = format!("{} where {} is wanted", self.said(given), self.said(wanted));
        wrong(rule, "type", message).map_err(|mut wrong: Box<Wrong>| {
            wrong.help = conversion(given, wanted);
            wrong
        })
    }

    /// How a type is written.
    #[cold]
    pub(super) fn said(&self, ty: Typed<'_>) -> String {
        print::ty(&self.program.structs, &ty.ty())
    }
}
