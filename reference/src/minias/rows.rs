//! Rows, types, predicates, and their unification by inserters (figs. 4, 6 and 7; readings M3, M5 and M9).
//!
//! A row is a set of spaces and an end: nothing, or a variable. That two rows with the same names are equal in any order
//! is so by construction. Of each variable is kept which spaces it lacks and why, so a predicate is never lost: whoever
//! binds the variable discharges its predicates first.

use super::rules::Rule;
use super::syntax::{Space, Spaces};
use crate::kit::derivation::Recorder;
use crate::kit::faults::{Fault, Planted, WrongMinias};
use crate::kit::text::Span;
use std::rc::Rc;

/// A row variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowVar(pub(super) u32);

/// A variable of kind `*`: a pointee of NULL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeVar(u32);

/// `{a, … | r}`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The names.
    pub names: Spaces,
    /// The variable at its end; `{}` if there is none.
    pub end: Option<RowVar>,
}

impl Row {
    /// `{a, …}`
    pub fn closed(names: Spaces) -> Self {
        Self { names, end: None }
    }

    /// `r`
    pub fn var(var: RowVar) -> Self {
        Self { names: Spaces::NONE, end: Some(var) }
    }

    /// The row, with a row in the place of the variable at its end.
    pub fn under(self, rows: &[(RowVar, Row)]) -> Self {
        let known = |end: RowVar| rows.iter().find(|(var, _)| *var == end);
        match self.end.and_then(known) {
            Some((_, row)) => Row { names: self.names.or(row.names), end: row.end },
            None => self,
        }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// The result of a function without one.
    Void,
    /// `int`
    Int,
    /// `ρ·τ`
    Pointer(Rc<Pointer>),
    /// Some type.
    Var(TypeVar),
}

/// `ρ·τ`: `ASpace ρ (τ *)`
#[derive(Debug, PartialEq)]
pub struct Pointer {
    /// `ρ`
    pub row: Row,
    /// Was the row written, and is it closed? Then it is opened where the pointer flows (reading M7). Unification does
    /// not look at it.
    pub written: bool,
    /// `τ`
    pub to: Ty,
}

impl Ty {
    /// `ρ·τ`
    pub fn pointer(row: Row, written: bool, to: Ty) -> Ty {
        Ty::Pointer(Rc::new(Pointer { row, written, to }))
    }

    /// The row of a pointer.
    pub fn row(&self) -> Option<Row> {
        match self {
            Ty::Pointer(pointer) => Some(pointer.row),
            _ => None,
        }
    }

    /// The type, with rows in the place of row variables.
    pub fn under(&self, rows: &[(RowVar, Row)]) -> Ty {
        let Ty::Pointer(pointer) = self else { return self.clone() };
        Ty::pointer(pointer.row.under(rows), pointer.written, pointer.to.under(rows))
    }
}

/// Why a row lacks a space, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The place.
    pub span: Span,
    /// The reason.
    pub because: Because,
}

/// Why a row lacks a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// A pointer of a written row flows there and brings these names.
    Opened(Spaces),
    /// The row is written with these names.
    Written(Spaces),
    /// The pointer is cast to this space.
    Cast(Space),
    /// Something is stored there, which is not constant.
    Stored,
    /// The pointer is kept in local memory, where no item sees private memory of others.
    KeptLocal,
}

/// Why two types do not unify, or why a row cannot have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clash {
    /// A variable is to be a row, or a type, that it stands in.
    Occurs,
    /// Two rows with other names have one end.
    Tail,
    /// This name cannot be put into a row that is closed.
    Closed(Space),
    /// An int and a pointer.
    Shape,
    /// A row lacks this name.
    Lacks(Space, Origin),
    /// A second name in a row that may have one (reading M14): the first name, and who brought it.
    Single(Space, Origin, Space),
}

/// What is known of a row variable.
#[derive(Clone, Debug, Default)]
struct Known {
    bound: Option<Row>,
    /// By space.
    lacks: [Option<Origin>; 4],
    /// The name that stands before the variable, in the mode that allows one name.
    behind: Option<(Space, Origin)>,
    /// Where the names that it is bound to came in, by space.
    came: [Option<Span>; 4],
    /// Where it was bound to a row that is closed.
    closed: Option<Span>,
}

/// The variables, and the substitution so far.
#[derive(Debug, Default)]
pub struct Rows {
    rows: Vec<Known>,
    types: Vec<Option<Ty>>,
    /// At most one name in a row (mode `single`).
    one_name: bool,
    planted: Planted,
    /// The place of what flows somewhere.
    at: Span,
}

type Unified = Result<(), Clash>;

impl Rows {
    /// No variables; rows of any number of names, or of one (mode `single`).
    pub fn new(one_name: bool) -> Self {
        Self { one_name, ..Self::default() }
    }

    /// The same, with a fault.
    pub fn with(self, planted: Planted) -> Self {
        Self { planted, ..self }
    }

    fn is_wrong(&self, wrong: WrongMinias) -> bool {
        self.planted.is(Fault::Minias(wrong))
    }

    /// What is unified from now on stands there.
    pub fn stand_at(&mut self, at: Span) {
        self.at = at;
    }

    /// Where a name came into a row that has it by its variables.
    pub fn came(&mut self, row: Row, space: Space) -> Option<Span> {
        self.row(row);
        row.end.and_then(|end| self.rows[end.0 as usize].came[space as usize])
    }

    /// Where a row that ends with a variable was closed.
    pub fn closed(&mut self, row: Row) -> Option<Span> {
        self.row(row);
        row.end.and_then(|end| self.rows[end.0 as usize].closed)
    }

    /// Has a row at most one name?
    pub fn allows_one_name(&self) -> bool {
        self.one_name
    }

    /// A new row variable.
    pub fn fresh(&mut self) -> RowVar {
        self.rows.push(Known::default());
        RowVar(self.rows.len() as u32 - 1)
    }

    /// A new variable of kind `*`.
    pub fn fresh_type(&mut self) -> Ty {
        self.types.push(None);
        Ty::Var(TypeVar(self.types.len() as u32 - 1))
    }

    /// How many row variables there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// `{a, … | r}` for a new `r`, with the predicates `r\a` and, unless the names are constant, `r\constant`.
    pub fn extended(&mut self, names: Spaces, origin: Origin) -> Row {
        let end = self.fresh();
        self.stands_behind(end, names, origin);
        Row { names, end: Some(end) }
    }

    /// The variable stands behind these names.
    pub fn stands_behind(&mut self, end: RowVar, names: Spaces, origin: Origin) {
        let Some(first) = names.first() else { return };
        let constant = !self.is_wrong(WrongMinias::ConstantInRow);
        let lacking = if constant { names.with(Space::Constant) } else { names };
        for space in lacking.iter() {
            self.lack(end, space, origin);
        }
        if self.one_name {
            self.rows[end.0 as usize].behind.get_or_insert((first, origin));
        }
    }

    /// `r\a`, of a variable that is not bound.
    pub fn lack(&mut self, var: RowVar, space: Space, origin: Origin) {
        self.rows[var.0 as usize].lacks[space as usize].get_or_insert(origin);
    }

    /// The predicates `r\a` of a variable, in the order of the spaces.
    pub fn lacks(&self, var: RowVar) -> impl Iterator<Item = (Space, Origin)> + '_ {
        let lacks = &self.rows[var.0 as usize].lacks;
        Space::ALL.into_iter().filter_map(|space| Some((space, lacks[space as usize]?)))
    }

    /// Does a name stand before the variable, in the mode that allows one name?
    pub fn is_behind_a_name(&self, var: RowVar) -> bool {
        self.rows[var.0 as usize].behind.is_some()
    }

    /// `ρ\a` for any row: a predicate of its end.
    ///
    /// # Errors
    /// [`Clash::Lacks`], if the name stands in the row.
    pub fn forbid(&mut self, row: Row, space: Space, origin: Origin) -> Unified {
        let row = self.row(row);
        if row.names.has(space) {
            return Err(Clash::Lacks(space, origin));
        }
        if let Some(end) = row.end {
            self.lack(end, space, origin);
        }
        Ok(())
    }

    /// The row under the substitution.
    pub fn row(&mut self, row: Row) -> Row {
        let mut found = row;
        while let Some(bound) = found.end.and_then(|end| self.rows[end.0 as usize].bound) {
            found = Row { names: found.names.or(bound.names), end: bound.end };
        }
        let first = row.end.and_then(|end| self.rows[end.0 as usize].bound);
        if first.is_some_and(|bound| bound.end != found.end) {
            self.shorten(row, found);
        }
        found
    }

    /// Whoever stands on the way from a row to what it is points at the end from now on.
    fn shorten(&mut self, row: Row, found: Row) {
        let mut way = Vec::new();
        let mut at = row;
        while let Some(end) = at.end
            && let Some(bound) = self.rows[end.0 as usize].bound
        {
            way.push((end, bound.names));
            at = bound;
        }
        let (mut names, mut came, mut closed) = (Spaces::NONE, [None; 4], None);
        for (end, own) in way.into_iter().rev() {
            let known = &mut self.rows[end.0 as usize];
            names = names.or(own);
            closed = known.closed.or(closed);
            for (own, behind) in known.came.iter_mut().zip(&mut came) {
                *own = own.or(*behind);
                *behind = *own;
            }
            known.closed = closed;
            known.bound = Some(Row { names, end: found.end });
        }
    }

    /// The type under the substitution, as far as its outermost constructor goes.
    pub fn shape(&self, ty: &Ty) -> Ty {
        let mut ty = ty;
        while let Ty::Var(var) = ty
            && let Some(bound) = &self.types[var.0 as usize]
        {
            ty = bound;
        }
        ty.clone()
    }

    /// The whole type under the substitution. A pointee of NULL that is not known is an int.
    pub fn whole(&mut self, ty: &Ty) -> Ty {
        match self.shape(ty) {
            Ty::Pointer(pointer) => {
                let row = self.row(pointer.row);
                Ty::pointer(row, pointer.written, self.whole(&pointer.to))
            }
            Ty::Var(_) => Ty::Int,
            other => other,
        }
    }

    /// The variable is the row from now on: each of its predicates is discharged (fig. 4), or becomes one of the end.
    ///
    /// # Errors
    /// The row has a name that the variable lacks.
    pub fn bind(&mut self, var: RowVar, row: Row, to: &mut Recorder<Rule>) -> Unified {
        let Known { lacks, behind, .. } = self.rows[var.0 as usize].clone();
        for space in Space::ALL {
            let Some(origin) = lacks[space as usize] else { continue };
            if !entails(row, space, to) {
                return Err(Clash::Lacks(space, origin));
            }
            let kept = row.end.filter(|_| !self.is_wrong(WrongMinias::PredicateLost));
            if let Some(end) = kept {
                self.lack(end, space, origin);
            }
        }
        if let Some((first, origin)) = behind {
            if let Some(second) = row.names.first() {
                return Err(Clash::Single(first, origin, second));
            }
            if let Some(end) = row.end {
                self.rows[end.0 as usize].behind.get_or_insert((first, origin));
            }
        }
        let at = self.at;
        let known = &mut self.rows[var.0 as usize];
        known.bound = Some(row);
        row.names.iter().for_each(|name| known.came[name as usize] = Some(at));
        known.closed = row.end.is_none().then_some(at);
        Ok(())
    }

    /// The variable ends with the names that it met: it is `{}`.
    pub fn close(&mut self, var: RowVar, to: &mut Recorder<Rule>) {
        if self.rows[var.0 as usize].bound.is_none() {
            let closed = self.bind(var, Row::closed(Spaces::NONE), to);
            assert_eq!(closed, Ok(()), "the empty row lacks every name");
        }
    }

    /// `C ~ C'` (fig. 6).
    ///
    /// # Errors
    /// Why there is no unifier.
    pub fn unify(&mut self, left: &Ty, right: &Ty, to: &mut Recorder<Rule>) -> Unified {
        match (self.shape(left), self.shape(right)) {
            (Ty::Pointer(left), Ty::Pointer(right)) => {
                to.enter(Rule::UApply, String::new);
                self.unify_rows(left.row, right.row, to)?;
                self.unify(&left.to, &right.to, to)?;
                to.leave(String::new);
                Ok(())
            }
            (left, right) if left == right => {
                fires(Rule::UId, to);
                Ok(())
            }
            (Ty::Var(var), ty) => self.bind_type(Rule::UBindL, var, ty, to),
            (ty, Ty::Var(var)) => self.bind_type(Rule::UBindR, var, ty, to),
            _ => fails(Rule::UApply, "clash", Clash::Shape, to),
        }
    }

    /// `α ~ τ`
    fn bind_type(&mut self, rule: Rule, var: TypeVar, ty: Ty, to: &mut Recorder<Rule>) -> Unified {
        let mut inside = ty.clone();
        while let Ty::Pointer(pointer) = &inside {
            inside = self.shape(&pointer.to);
        }
        if inside == Ty::Var(var) {
            return fails(rule, "occurs", Clash::Occurs, to);
        }
        if ty == Ty::Void {
            return fails(Rule::UApply, "clash", Clash::Shape, to);
        }
        fires(rule, to);
        self.types[var.0 as usize] = Some(ty);
        Ok(())
    }

    /// `ρ ~ ρ'` (fig. 6), with the condition that U-ROW needs besides (reading M9).
    ///
    /// # Errors
    /// Why there is no unifier.
    pub fn unify_rows(&mut self, left: Row, right: Row, to: &mut Recorder<Rule>) -> Unified {
        let (left, right) = (self.row(left), self.row(right));
        if left == right {
            fires(Rule::UId, to);
            return Ok(());
        }
        match (left, right) {
            (Row { names: Spaces::NONE, end: Some(var) }, row) => {
                self.bind_row(Rule::UBindL, var, row, to)
            }
            (row, Row { names: Spaces::NONE, end: Some(var) }) => {
                self.bind_row(Rule::UBindR, var, row, to)
            }
            _ => match left.names.first() {
                // The rule reads from the left; an empty row there needs the names of the right one.
                None => self.unify_rows(right, left, to),
                Some(name) => self.u_row(name, left, right, to),
            },
        }
    }

    /// `U-BIND-L`, `U-BIND-R`
    ///
    /// ```text
    /// α ∉ TV(C)              (occurs)
    /// ─────────────
    /// α ~[C/α]~ C
    /// ```
    fn bind_row(&mut self, rule: Rule, var: RowVar, row: Row, to: &mut Recorder<Rule>) -> Unified {
        if row.end == Some(var) {
            if self.is_wrong(WrongMinias::NoOccurs) {
                return Ok(());
            }
            return fails(rule, "occurs", Clash::Occurs, to);
        }
        to.enter(rule, String::new);
        self.bind(var, row, to)?;
        to.leave(String::new);
        Ok(())
    }

    /// `U-ROW`
    ///
    /// ```text
    /// I inserts a into r'        I does not bind the tail of r        (tail)
    /// I r ~U~ I r' - a
    /// ─────────────────
    /// {a | r} ~U I~ r'
    /// ```
    fn u_row(&mut self, name: Space, left: Row, right: Row, to: &mut Recorder<Rule>) -> Unified {
        if !right.names.has(name) && right.end.is_some() && right.end == left.end {
            if self.is_wrong(WrongMinias::NoTail) {
                return Ok(());
            }
            return fails(Rule::URow, "tail", Clash::Tail, to);
        }
        to.enter(Rule::URow, String::new);
        self.insert(name, right, to)?;
        let rest = |row: Row| Row { names: row.names.without(name), end: row.end };
        let right = self.row(right);
        self.unify_rows(rest(left), rest(right), to)?;
        to.leave(String::new);
        Ok(())
    }

    /// The most general inserter of a name into a row (fig. 7).
    ///
    /// # Errors
    /// The row is closed, or lacks the name.
    pub fn insert(&mut self, name: Space, row: Row, to: &mut Recorder<Rule>) -> Unified {
        let row = self.row(row);
        if row.names.has(name) {
            fires(Rule::IHead, to);
            return Ok(());
        }
        row.names.iter().for_each(|_| fires(Rule::ITail, to));
        let Some(end) = row.end else {
            return fails(Rule::IHead, "closed", Clash::Closed(name), to);
        };
        fires(Rule::IVar, to);
        let rest = self.fresh();
        self.bind(end, Row { names: Spaces::one(name), end: Some(rest) }, to)
    }
}

/// `P ⊨ ρ\a` (fig. 4), where P holds whatever is wanted of the variable at the end of the row.
pub fn entails(row: Row, space: Space, to: &mut Recorder<Rule>) -> bool {
    for name in row.names.iter() {
        if name == space {
            to.enter(Rule::LExt, String::new);
            to.fail(Rule::LExt, "distinct");
            return false;
        }
        fires(Rule::LExt, to);
    }
    fires(if row.end.is_some() { Rule::LAssume } else { Rule::LEmpty }, to);
    true
}

/// A node of the derivation without premises.
fn fires(rule: Rule, to: &mut Recorder<Rule>) {
    to.enter(rule, String::new);
    to.leave(String::new);
}

/// A premise of a rule fails.
fn fails(rule: Rule, premise: &'static str, clash: Clash, to: &mut Recorder<Rule>) -> Unified {
    to.enter(rule, String::new);
    to.fail(rule, premise);
    Err(clash)
}
