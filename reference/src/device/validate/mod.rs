//! The validator: `⊢ program`. Types, definition before use, limits and uniformity of barriers.

mod host;
mod statements;
mod uniform;

pub use uniform::{Parted, Spoiled, uniform};

use super::globals::Globals;
use super::print;
use super::rules::Rule;
use super::syntax::{Function, Kernel, MAX_GROUP, Program, Sc, Space, Ty};
use super::types::{Bound, Context, Found, MAX_CELLS, Typed, Types, Wrong, wrong};
use crate::kit::derivation::Recorder;
use crate::kit::names::Var;
use crate::kit::rules::Roll;
use crate::kit::text::{Rejected, Second, Span};
use rustc_hash::FxHashMap;

/// `⊢ program`
///
/// Each declaration, statement and binder has a node in the derivation; the rules of expressions, places and types
/// are counted, and have none.
///
/// # Errors
/// The first premise that fails.
pub fn check(program: &Program, recorder: &mut Recorder<Rule>) -> Result<(), Rejected> {
    let mut check = Check {
        types: Types::empty(program),
        globals: Globals::of(program),
        once: vec![false; program.names.len()],
        scope: Vec::new(),
        roots: FxHashMap::default(),
        callable: 0,
        nested: false,
        span: Span::default(),
        recorder,
    };
    let result = check.program();
    let Check { types, span, recorder, .. } = check;
    for (rule, times) in Rule::ALL.iter().zip(&types.applied) {
        recorder.fire(*rule, *times);
    }
    result.map_err(|wrong| {
        recorder.fail(wrong.rule, wrong.premise);
        let refused = Rejected::new(span, wrong.message, "here")
            .by_rule(wrong.rule.info().name, wrong.premise);
        Rejected { second: wrong.second.map(Box::new), help: wrong.help.map(Into::into), ..refused }
    })
}

/// A validation.
struct Check<'p> {
    types: Types<'p>,
    globals: Globals<'p>,
    /// Variables that are bound somewhere.
    once: Vec<bool>,
    /// Variables in scope, in the order of their binders.
    scope: Vec<Var>,
    /// For let-bound pointers, the variable that they point into.
    roots: FxHashMap<Var, Var>,
    /// Functions below this number may be called.
    callable: u32,
    /// Inside a parallel loop.
    nested: bool,
    /// The statement that is checked.
    span: Span,
    recorder: &'p mut Recorder<Rule>,
}

type Checked<T = ()> = Found<T>;

impl<'p> Check<'p> {
    fn program(&mut self) -> Checked {
        let program = self.types.program;
        for number in 0..program.structs.len() {
            let text = |program: &Program| format!("struct {}", program.structs[number].name);
            self.by(Rule::TStruct, text, |to| to.t_struct(number as u32))?;
        }
        self.variables(Space::Workgroup, &[], &program.workgroup)?;
        self.variables(Space::Private, &[], &program.private)?;
        for (number, function) in program.functions.iter().enumerate() {
            let text = |_: &Program| format!("fn {}", function.name);
            self.by(Rule::TFunction, text, |to| to.t_function(number as u32, function))?;
        }
        for kernel in &program.kernels {
            let text = |_: &Program| format!("kernel {}", kernel.name);
            self.by(Rule::TKernel, text, |to| to.t_kernel(kernel))?;
        }
        self.t_host()
    }

    /// Applies a rule to what this text says: opens a node of the derivation, closes it when the premises hold.
    fn by(
        &mut self,
        rule: Rule,
        text: impl FnOnce(&Program) -> String,
        premises: impl FnOnce(&mut Self) -> Checked,
    ) -> Checked {
        let program = self.types.program;
        self.recorder.enter(rule, || text(program));
        premises(self)?;
        self.recorder.leave(String::new);
        Ok(())
    }

    /// `D-T-BIND`
    ///
    /// ```text
    /// no other binder of the program binds x      (once)      ⊢ τ
    /// ───────────────────────────────────────────────────────────
    /// Γ ⊣ Γ, x : τ
    /// ```
    fn bind(&mut self, var: Var, bound: Bound<'p>) -> Checked {
        let (Bound::Value(ty) | Bound::Place(_, ty)) = bound;
        let text = |program: &Program| print::binder(program, var, &ty.ty());
        self.by(Rule::TBind, text, |to| to.t_bind(var, bound))
    }

    fn t_bind(&mut self, var: Var, bound: Bound<'p>) -> Checked {
        let outer = self.span;
        self.declared(var);
        if std::mem::replace(&mut self.once[var.slot()], true) {
            let name = self.types.program.names.written(var);
            return wrong(Rule::TBind, "once", format!("`{name}` is bound at two places"));
        }
        match bound {
            Bound::Value(ty) | Bound::Place(_, ty) => self.types.typed_well(ty)?,
        }
        self.types.bind(var, bound);
        self.scope.push(var);
        self.span = outer;
        Ok(())
    }

    /// What is checked now is the declaration of this variable, if its place is known.
    fn declared(&mut self, var: Var) {
        if let Some(span) = self.types.program.declared.get(&var) {
            self.span = *span;
        }
    }

    /// Runs with a scope of its own.
    fn scoped(&mut self, inside: impl FnOnce(&mut Self) -> Checked) -> Checked {
        let bottom = self.scope.len();
        inside(self)?;
        for var in self.scope.drain(bottom..) {
            self.types.unbind(var);
        }
        Ok(())
    }

    /// `D-T-STRUCT`
    ///
    /// ```text
    /// n ≥ 1                                                           (field)
    /// ⊢ τᵢ, which can be stored and names earlier structures only     (earlier)
    /// ─────────────────────────────────────────────────────────────────────────
    /// ⊢ struct S { f₁ : τ₁, …, fₙ : τₙ }
    /// ```
    ///
    /// Every shader wants a field.
    fn t_struct(&mut self, number: u32) -> Checked {
        fn latest(ty: &Ty) -> Option<u32> {
            match ty {
                Ty::Struct(k) => Some(*k),
                Ty::Array(part, _) => latest(part),
                _ => None,
            }
        }
        let declared = &self.types.program.structs[number as usize];
        self.span = declared.span;
        if declared.fields.is_empty() {
            let message = format!("structure `{}` has no field", declared.name);
            return wrong(Rule::TStruct, "field", message);
        }
        for (name, ty) in &declared.fields {
            if latest(ty).is_some_and(|k| k >= number) {
                let message = format!("field `{name}` is of a structure that comes later");
                return wrong(Rule::TStruct, "earlier", message);
            }
            self.types.well_formed(ty)?;
            if !self.types.storable(ty) {
                return wrong(Rule::TType, "type", format!("field `{name}` cannot be stored"));
            }
        }
        self.types.well_formed(&Ty::Struct(number))
    }

    /// `D-T-FUNCTION`
    ///
    /// ```text
    /// parameters are values, blocks, or pointers to the function or private space  (parameter)
    /// Γ, x̄ : τ̄ ⊢ s̄ ⊣ Γ'      Γ' ⊢ e : τ, which is no pointer  (type)
    /// ──────────────────────────────────────────────────────
    /// ⊢ fn f(x̄ : τ̄) -> τ { s̄; return e }
    /// ```
    fn t_function(&mut self, number: u32, function: &'p Function) -> Checked {
        self.span = function.span;
        self.types.context = Context::Function;
        self.callable = number;
        self.scoped(|check| {
            for (var, ty) in &function.params {
                check.declared(*var);
                let pointer = matches!(ty, Ty::Ptr(Space::Function | Space::Private, _));
                if !pointer && !check.types.storable(ty) {
                    let message =
                        format!("{} is no type of a parameter", check.types.said(Typed::of(ty)));
                    return wrong(Rule::TFunction, "parameter", message);
                }
                check.bind(*var, Bound::Value(Typed::of(ty)))?;
            }
            for stm in &function.body {
                check.stm(stm)?;
            }
            check.span = function.span;
            let Some((ty, exp)) = &function.result else { return Ok(()) };
            check.types.well_formed(ty)?;
            let given = check.types.exp(exp)?;
            if given != Typed::of(ty) || !check.types.storable(ty) {
                let message = format!(
                    "it returns {}, not {}",
                    check.types.said(given),
                    check.types.said(Typed::of(ty))
                );
                return wrong(Rule::TFunction, "type", message);
            }
            Ok(())
        })
    }

    /// `D-T-KERNEL`
    ///
    /// ```text
    /// parameters are scalars or blocks  (parameter)      1 ≤ n ≤ 1024  (group)
    /// a record tells at most 2¹⁶ words  (record)
    /// its variables of each space and those of the program together are not too large  (size)
    /// Γ ⊢ s̄
    /// barriers stand in uniform control flow
    /// ──────────────────────────────────────────────────────────────
    /// ⊢ kernel k(x̄ : τ̄) group n { workgroup w̄; private p̄; s̄ }
    /// ```
    fn t_kernel(&mut self, kernel: &'p Kernel) -> Checked {
        self.span = kernel.span;
        self.types.context = Context::Kernel;
        self.callable = self.types.program.functions.len() as u32;
        if kernel.group == 0 || kernel.group > MAX_GROUP {
            let message = format!("a group of {}, not of 1 to {MAX_GROUP}", kernel.group);
            return wrong(Rule::TKernel, "group", message);
        }
        if kernel.record.is_some_and(|record| !record.is_small()) {
            let message = "a record of more words than 65536";
            return wrong(Rule::TKernel, "record", message);
        }
        self.scoped(|check| {
            for (var, ty) in &kernel.params {
                check.declared(*var);
                if !matches!(ty, Ty::Scalar(_) | Ty::Block(_)) {
                    let message = format!(
                        "{} is no type of a parameter of a kernel",
                        check.types.said(Typed::of(ty))
                    );
                    return wrong(Rule::TKernel, "parameter", message);
                }
                check.bind(*var, Bound::Value(Typed::of(ty)))?;
            }
            let program = check.types.program;
            check.variables(Space::Workgroup, &program.workgroup, &kernel.workgroup)?;
            check.variables(Space::Private, &program.private, &kernel.private)?;
            for stm in &kernel.body {
                check.stm(stm)?;
            }
            Ok(())
        })?;
        match uniform(kernel, self.types.program.names.len()) {
            Ok(variables) => {
                self.types.applied[Rule::TUniformVariable.number()] += variables;
                Ok(())
            }
            Err(parted) => self.parted(parted),
        }
    }

    /// A barrier that stands where invocations part. If they part by a variable that is not uniform, the premise that
    /// fails is one of `D-T-UNIFORM-VARIABLE`.
    #[cold]
    fn parted(&mut self, Parted { barrier, rule, control, variable }: Parted) -> Checked {
        self.span = barrier;
        let message = "a barrier that only some invocations of a group may reach";
        let (rule, premise, message, second) = match variable {
            None => {
                let label = "invocations of the group may part here".to_owned();
                (rule, "uniform", message.to_owned(), Second::new(control, label))
            }
            Some(Spoiled { var, premise, at }) => {
                let name = self.types.program.names.written(var);
                let label = match premise {
                    "value" => {
                        format!("`{name}` gets a value here that may differ among invocations")
                    }
                    "control" => {
                        format!("only some invocations may come to a store to `{name}` in here")
                    }
                    _ => format!("here is a pointer into `{name}`"),
                };
                let message = format!("{message}: `{name}` may differ among them");
                (Rule::TUniformVariable, premise, message, Second::new(at, label))
            }
        };
        wrong(rule, premise, message).map_err(|mut wrong: Box<Wrong>| {
            wrong.second = Some(second);
            wrong
        })
    }

    /// Variables of this space, beside those that are there.
    fn variables(
        &mut self,
        space: Space,
        beside: &[(Var, Ty)],
        variables: &'p [(Var, Ty)],
    ) -> Checked {
        fn atomic(ty: &Ty) -> bool {
            match ty {
                Ty::Atomic(_) => true,
                Ty::Array(part, _) => atomic(part),
                _ => false,
            }
        }
        let there = beside.iter().map(|(_, ty)| self.types.cells(ty));
        let mut cells = there.fold(0, u64::saturating_add);
        for (var, ty) in variables {
            let text = |program: &Program| {
                format!("{} {}", print::space(space), print::binder(program, *var, ty))
            };
            self.by(Rule::TVariable, text, |to| {
                to.declared(*var);
                let shared = space == Space::Workgroup && atomic(ty);
                if !shared && !to.types.storable(ty) {
                    let no = format!("no variable is of {}", to.types.said(Typed::of(ty)));
                    return wrong(Rule::TVariable, "type", no);
                }
                to.bind(*var, Bound::Place(space, Typed::of(ty)))
            })?;
            cells = cells.saturating_add(self.types.cells(ty));
        }
        if cells > MAX_CELLS {
            let message = format!("{cells} scalars in variables of a space, not {MAX_CELLS}");
            return wrong(Rule::TKernel, "size", message);
        }
        Ok(())
    }
}

/// Is it an integer type?
fn integer(ty: Typed<'_>) -> bool {
    matches!(ty, Typed::Scalar(Sc::I32 | Sc::U32 | Sc::I64))
}
