//! Algorithm W (fig. 8 is lost; reading M10): statements from left to right, predicates and substitution threaded through
//! [`Rows`]. What calls each other is inferred together and generalised after (reading M11); a function is generalised over
//! the row variables of its type, and those that are only inside close (reading M12).

mod calls;
mod exps;
mod functions;
mod refusals;
mod spaces;
mod stmts;

use super::print;
use super::rows::{Origin, Rows, Ty};
use super::rules::Rule;
use super::syntax::{Exp, Function, Program, Spaces, Stmt};
use super::types::{Mode, Note, Scheme, Typed};
use crate::kit::derivation::Recorder;
use crate::kit::faults::{Fault, Planted, WrongMinias};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};
use std::collections::{HashMap, VecDeque};

type Inferred<T> = Result<T, Rejected>;

/// Infers the types of a program.
///
/// # Errors
/// The rule and premise that fail, both places, and the modes that accept the program.
pub fn infer(program: &Program, mode: Mode, to: &mut Recorder<Rule>) -> Result<Typed, Rejected> {
    types_of(program, mode, to).map_err(|refused| with_modes(program, mode, refused))
}

/// Infers the types of a program, whose modes somebody else knows.
///
/// # Errors
/// The rule and premise that fail, and both places.
pub fn types_of(program: &Program, mode: Mode, to: &mut Recorder<Rule>) -> Result<Typed, Rejected> {
    with_planted(program, mode, Planted::NONE, to)
}

/// The same, with a fault.
///
/// # Errors
/// The rule and premise that fail, and both places.
pub fn with_planted(
    program: &Program,
    mode: Mode,
    planted: Planted,
    to: &mut Recorder<Rule>,
) -> Result<Typed, Rejected> {
    of_program(program, mode, &[], planted, to)
}

/// Has the program types in the mode `infer`, if the rows that are elided are these, in order: closed, and not written? By
/// theorem 4.2 it has exactly if they are an instance of what W finds.
pub fn holds_of(program: &Program, guess: &[Spaces]) -> bool {
    of_program(program, Mode::Infer, guess, Planted::NONE, &mut Recorder::counting()).is_ok()
}

/// The refusal, with the modes that accept the program.
fn with_modes(program: &Program, mode: Mode, mut refused: Rejected) -> Rejected {
    let accepts = |other: &Mode| {
        *other != mode && types_of(program, *other, &mut Recorder::counting()).is_ok()
    };
    let others: Vec<String> =
        Mode::ALL.into_iter().filter(accepts).map(|other| format!("`{}`", other.name())).collect();
    let Some((last, rest)) = others.split_last() else { return refused };
    let told = match rest {
        [] => format!("the mode {last} accepts the program"),
        _ => format!("the modes {} and {last} accept the program", rest.join(", ")),
    };
    let help = refused.help.take().map_or(told.clone(), |help| format!("{help}; {told}"));
    refused.help(help)
}

/// The types of a program. A row that is elided is the next of the guessed ones, if there are some: closed, and not
/// written.
///
/// # Errors
/// The rule and premise that fail, and both places.
fn of_program(
    program: &Program,
    mode: Mode,
    guess: &[Spaces],
    planted: Planted,
    to: &mut Recorder<Rule>,
) -> Inferred<Typed> {
    let rows = Rows::new(mode == Mode::Single).with(planted);
    let entries = vec![Entry::None; program.names.len()];
    let infer = Infer {
        program,
        mode,
        planted,
        rows,
        to,
        entries,
        bound: Vec::new(),
        guess: guess.iter().copied().collect(),
        notes: Vec::new(),
        starts: Vec::new(),
        written: HashMap::new(),
        around: Around::default(),
    };
    infer.t_program()
}

/// `Γ`: what a variable stands for.
#[derive(Clone, Debug, Default)]
enum Entry {
    /// Not in scope yet.
    #[default]
    None,
    /// A variable.
    Variable(Variable),
    /// A function that is being inferred: one type for all calls.
    Mono(Mono),
    /// A function with its scheme.
    Poly(Scheme, Vec<Span>),
    /// A kernel, which is not called.
    Kernel,
}

#[derive(Clone, Debug)]
struct Variable {
    /// Its type; of an array, that of its name.
    ty: Ty,
    /// Where it is declared.
    span: Span,
    /// Where it lies.
    lies: super::syntax::Space,
    /// Is it an array?
    array: bool,
}

#[derive(Clone, Debug)]
struct Mono {
    params: Vec<Ty>,
    result: Ty,
    /// Where the parameters are declared.
    spans: Vec<Span>,
}

/// What stands around a statement.
#[derive(Clone, Debug, Default)]
struct Around {
    kernel: bool,
    /// Is it the outermost block of the function?
    outermost: bool,
    result: Option<(Ty, Span)>,
}

struct Infer<'p, 'r> {
    program: &'p Program,
    mode: Mode,
    planted: Planted,
    rows: Rows,
    to: &'r mut Recorder<Rule>,
    /// By slot.
    entries: Vec<Entry>,
    /// The variables, in the order in which they are bound.
    bound: Vec<Var>,
    /// Guessed rows that are left.
    guess: VecDeque<Spaces>,
    /// What is inferred of the expressions, as far as it is known.
    notes: Vec<Note>,
    /// The functions with a body, and where their notes start.
    starts: Vec<(Var, usize)>,
    /// The written row variables.
    written: HashMap<Var, super::rows::RowVar>,
    around: Around,
}

/// Where a value flows to.
#[derive(Clone, Copy)]
struct Goal {
    rule: Rule,
    premise: &'static str,
    /// The other place, if there is one.
    span: Option<Span>,
    /// The variable, if it is one.
    to: Option<Var>,
}

impl<'p> Infer<'p, '_> {
    fn name(&self, var: Var) -> &'p str {
        self.program.names.written(var)
    }

    /// Is this the fault that is planted?
    fn is_wrong(&self, wrong: WrongMinias) -> bool {
        self.planted.is(Fault::Minias(wrong))
    }

    fn text(&self, exp: &Exp) -> String {
        print::exp(&self.program.names, exp)
    }

    /// A node of the derivation: `rule` applied to an expression.
    fn by(
        &mut self,
        rule: Rule,
        exp: &Exp,
        premises: impl FnOnce(&mut Self) -> Inferred<Ty>,
    ) -> Inferred<Ty> {
        let names = &self.program.names;
        self.to.enter(rule, || print::exp(names, exp));
        let ty = premises(self)?;
        if self.to.keeps_tree() {
            let whole = self.rows.whole(&ty);
            self.to.leave(|| super::types::RowNames::default().ty(&whole));
        }
        Ok(ty)
    }

    /// A node of the derivation: `rule` applied to a statement.
    fn by_stmt(
        &mut self,
        rule: Rule,
        stmt: &Stmt,
        premises: impl FnOnce(&mut Self) -> Inferred<()>,
    ) -> Inferred<()> {
        let names = &self.program.names;
        self.to.enter(rule, || print::head(names, stmt));
        premises(self)?;
        self.to.leave(String::new);
        Ok(())
    }

    /// A premise of the rule fails.
    fn refuse<T>(&mut self, rule: Rule, premise: &'static str, refused: Rejected) -> Inferred<T> {
        self.to.fail(rule, premise);
        Err(rule.refuses(premise, refused))
    }

    /// Opens the row of a pointer where it flows: a written, closed row `{a, …}` becomes `{a, … | r}` (reading M7).
    fn opened(&mut self, ty: &Ty, span: Span) -> Ty {
        let Ty::Pointer(pointer) = self.rows.shape(ty) else { return ty.clone() };
        let names = pointer.row.names;
        if !pointer.written || names.is_empty() || names.has(super::syntax::Space::Constant) {
            return ty.clone();
        }
        let origin = Origin { span, because: super::rows::Because::Opened(names) };
        Ty::pointer(self.rows.extended(names, origin), false, pointer.to.clone())
    }

    /// The value of an expression flows where a type is wanted.
    fn flow(&mut self, from: &Ty, exp: &Exp, wanted: &Ty, goal: Goal) -> Inferred<()> {
        let opened = self.opened(from, exp.span);
        self.rows.stand_at(exp.span);
        match self.rows.unify(&opened, wanted, self.to) {
            Ok(()) => Ok(()),
            Err(clash) => self.does_not_unify(clash, (from, exp), wanted, goal),
        }
    }

    /// The types are the same: that of an expression, and one that is wanted.
    fn unify(&mut self, found: &Ty, exp: &Exp, wanted: &Ty, goal: Goal) -> Inferred<()> {
        self.rows.stand_at(exp.span);
        match self.rows.unify(found, wanted, self.to) {
            Ok(()) => Ok(()),
            Err(clash) => self.does_not_unify(clash, (found, exp), wanted, goal),
        }
    }
}

/// The functions of a program with one name: a prototype, a definition, or both.
#[derive(Clone, Copy, Default)]
struct Declared<'p> {
    prototype: Option<&'p Function>,
    definition: Option<&'p Function>,
}

impl<'p> Declared<'p> {
    /// The definition if there is one, else the prototype.
    fn main(self) -> &'p Function {
        self.definition.or(self.prototype).expect("one of them declares the name")
    }
}

/// The place of a type, or of the parameter that has it.
fn places(function: &Function) -> Vec<Span> {
    function.params.iter().map(|param| param.span).collect()
}
