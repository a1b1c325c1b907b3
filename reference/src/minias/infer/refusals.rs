//! What is said where types do not go together: both places and both spaces.

use super::{Entry, Goal, Infer, Inferred};
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;
use crate::kit::text::{Rejected, Second, Span};
use crate::minias::rows::{Because, Clash, Origin, Row, Ty};
use crate::minias::rules::Rule;
use crate::minias::syntax::{Exp, Kind, Op, Space};
use crate::minias::types::RowNames;

/// A place beside the others, and what stands there.
pub(super) type Told = (Span, String);

/// That a type is written with a space.
pub(super) fn written_with(span: Span, space: Space) -> Told {
    (span, format!("written with {space}"))
}

/// The refusal with more places. One that has a place in it which is told already says nothing new.
fn beside(refused: Rejected, told: Vec<Told>) -> Rejected {
    told.into_iter().fold(refused, |refused, (span, label)| {
        let says = |known: Span| span.start <= known.start && known.end <= span.end;
        let known = says(refused.span)
            || Second::all(refused.second.as_deref()).any(|second| says(second.span));
        if known { refused } else { refused.with(span, label) }
    })
}

impl Infer<'_, '_> {
    /// `found`, which stands at a place, is not the wanted type.
    pub(super) fn does_not_unify<T>(
        &mut self,
        clash: Clash,
        (found, exp): (&Ty, &Exp),
        wanted: &Ty,
        goal: Goal,
    ) -> Inferred<T> {
        let span = exp.span;
        let told = match clash {
            Clash::Closed(space) | Clash::Lacks(space, _) | Clash::Single(_, _, space) => {
                let stored =
                    matches!(clash, Clash::Lacks(_, Origin { because: Because::Stored, .. }));
                let declared = self.declared(exp).filter(|_| stored);
                self.came(space, [(found, declared), (wanted, goal.span)])
            }
            Clash::Shape | Clash::Occurs | Clash::Tail => Vec::new(),
        };
        let why = match clash {
            Clash::Lacks(..) | Clash::Single(..) => {
                return self.breaks_predicate(clash, span, goal.to, told);
            }
            Clash::Closed(space) => format!("a row is closed that has no {space}"),
            Clash::Shape => self.shapes(found, wanted).to_owned(),
            Clash::Occurs => "a row would stand in its own end".to_owned(),
            Clash::Tail => "two rows with other names have one end".to_owned(),
        };
        let shape = clash == Clash::Shape;
        let (found, wanted) = (self.rows.whole(found), self.rows.whole(wanted));
        let mut names = RowNames::default();
        let (found, wanted) = (names.ty(&found), names.ty(&wanted));
        let message = format!("`{found}` does not go where `{wanted}` is wanted: {why}");
        let mut refused = Rejected::new(span, message, format!("`{found}`"));
        if let Some(other) = goal.span {
            refused = refused.with(other, format!("`{wanted}`"));
        }
        let mut refused = beside(refused, told);
        if shape {
            refused = self.with_declared(refused, exp);
        }
        self.refuse(goal.rule, goal.premise, refused)
    }

    /// Why a type is not another one, where one is a pointer and the other is none.
    fn shapes(&self, found: &Ty, wanted: &Ty) -> &'static str {
        let (mut found, mut wanted) = (self.rows.shape(found), self.rows.shape(wanted));
        let mut inside = false;
        while let (Ty::Pointer(one), Ty::Pointer(other)) = (&found, &wanted) {
            (found, wanted) = (self.rows.shape(&one.to), self.rows.shape(&other.to));
            inside = true;
        }
        match (found, inside) {
            (Ty::Void, _) => "it has no value",
            (Ty::Pointer(_), false) => "a pointer is no int",
            (Ty::Pointer(_), true) => "it points to a pointer, and not to an int",
            (_, false) => "an int is no pointer",
            (_, true) => "it points to an int, and not to a pointer",
        }
    }

    /// A type, as a label has it.
    pub(super) fn told(&mut self, ty: &Ty) -> String {
        let whole = self.rows.whole(ty);
        format!("`{}`", RowNames::default().ty(&whole))
    }

    /// The refusal, with the place that says the type of the expression.
    pub(super) fn with_declared(&self, refused: Rejected, exp: &Exp) -> Rejected {
        let declared = self.declared(exp).map(|span| (span, "its type comes from here".to_owned()));
        beside(refused, declared.into_iter().collect())
    }

    /// The place that says the type of an expression: of a variable its declaration, also if it is moved or pointed through,
    /// and the type of a cast or of the result of a function.
    pub(super) fn declared(&self, exp: &Exp) -> Option<Span> {
        match &exp.kind {
            Kind::Var(var) => match &self.entries[var.slot()] {
                Entry::Variable(variable) => Some(variable.span),
                _ => None,
            },
            Kind::Load(part) | Kind::Address(part) => self.declared(part),
            Kind::Binary(Op::Scalar(BinOp::Add | BinOp::Sub), left, right) => {
                let pointer = |part: &Exp| self.points(part).then(|| self.declared(part)).flatten();
                pointer(left).or_else(|| pointer(right))
            }
            Kind::Cond(parts) => self.declared(&parts[1]).or_else(|| self.declared(&parts[2])),
            Kind::Cast(ty, _) | Kind::Dynamic(ty, _) => Some(ty.span),
            Kind::Call(name, _) => {
                let mut functions = self.program.functions();
                functions
                    .find(|function| function.name == *name)
                    .map(|function| function.result.span)
            }
            _ => None,
        }
    }

    /// Is it an expression whose declared type is that of a pointer?
    fn points(&self, exp: &Exp) -> bool {
        let pointer = |ty: &Ty| matches!(self.rows.shape(ty), Ty::Pointer(_));
        match &exp.kind {
            Kind::Var(var) => match &self.entries[var.slot()] {
                Entry::Variable(variable) => pointer(&variable.ty),
                _ => false,
            },
            Kind::Address(_) | Kind::Cast(..) | Kind::Dynamic(..) => true,
            Kind::Binary(_, left, right) => self.points(left) || self.points(right),
            Kind::Cond(parts) => self.points(&parts[1]),
            _ => false,
        }
    }

    /// What is told of two types that do not go together as one has `space` and the other has not: where each got the
    /// spaces that tell them apart, and where the other one was closed. A type that is written has its own place, if it has
    /// one.
    fn came(&mut self, space: Space, types: [(&Ty, Option<Span>); 2]) -> Vec<Told> {
        let written = types.map(|(_, span)| span);
        let mut types = types.map(|(ty, _)| ty.clone());
        loop {
            types = types.map(|ty| self.rows.shape(&ty));
            let [Ty::Pointer(one), Ty::Pointer(two)] = &types else { return Vec::new() };
            let rows = [one.row, two.row];
            let names = rows.map(|row| self.rows.row(row).names);
            let (with, without) = match names.map(|names| names.has(space)) {
                [true, false] => (0, 1),
                [false, true] => (1, 0),
                _ => {
                    types = [one.to.clone(), two.to.clone()];
                    continue;
                }
            };
            let mut told = self.came_into(rows[with], space);
            if told.is_empty()
                && let Some(span) = written[with]
            {
                told.push(written_with(span, space));
            }
            if let Some(other) = names[without].minus(names[with]).first() {
                told.extend(self.came_into(rows[without], other));
            }
            if let Some(span) = self.rows.closed(rows[without]) {
                let alone = names[without].text();
                let alone = if alone.is_empty() { "no space" } else { &*alone };
                told.push((span, format!("{alone}, and no other, from here on")));
            }
            return told;
        }
    }

    /// Where a space came into a row, if that was by its variables.
    pub(super) fn came_into(&mut self, row: Row, space: Space) -> Vec<Told> {
        let came = self.rows.came(row, space);
        came.map(|span| (span, format!("{space} comes in here"))).into_iter().collect()
    }

    /// A row gets a name that it lacks, or a second one where one is allowed. What it lacks because something is stored
    /// there, or because it is kept in local memory, is a premise of the rule that stored it. Beside both places it is told
    /// where the spaces came in.
    pub(super) fn breaks_predicate<T>(
        &mut self,
        clash: Clash,
        span: Span,
        to: Option<Var>,
        told: Vec<Told>,
    ) -> Inferred<T> {
        let (Clash::Lacks(space, origin) | Clash::Single(_, origin, space)) = clash else {
            unreachable!("{clash:?} is about no predicate")
        };
        let Origin { span: other, because } = origin;
        if let Clash::Single(first, ..) = clash {
            let what = to.map_or("a pointer".to_owned(), |var| format!("`{}`", self.name(var)));
            let message =
                format!("{what} gets {space} here and {first} there; `single` allows one");
            let refused = Rejected::new(span, message, space.name()).with(other, first.name());
            self.to.enter(Rule::QualElim, String::new);
            return self.refuse(Rule::QualElim, "single", beside(refused, told));
        }
        let here = format!("it gets {space}");
        let refuse =
            |message: &str, there: &str| Rejected::new(span, message, here).with(other, there);
        let (rule, premise, refused) = match because {
            Because::Stored => {
                (Rule::TStore, "constant", refuse("constant memory is stored to", "stored to here"))
            }
            Because::KeptLocal => (
                Rule::TDecl,
                "private",
                refuse("a pointer to private memory is kept in local memory", "kept here")
                    .help("no item sees the private memory of another one"),
            ),
            Because::Opened(names) => (Rule::QualElim, "lacks", {
                let what = to.map_or("a pointer".to_owned(), |var| format!("`{}`", self.name(var)));
                let names = names.text();
                let message = format!("{what} gets {space} here and {names} there");
                let refused = refuse(&message, &format!("it gets {names}"));
                refused.help("nothing converts to or from constant")
            }),
            Because::Written(names) => (
                Rule::QualElim,
                "lacks",
                refuse(
                    &format!("a row that lacks {space} gets it"),
                    &format!("written with {}", names.text()),
                ),
            ),
            Because::Cast(to) => (
                Rule::QualElim,
                "lacks",
                refuse(
                    &format!("a pointer to {space} memory is cast to {to}"),
                    &format!("cast to {to}"),
                ),
            ),
        };
        if rule == Rule::QualElim {
            self.to.enter(rule, String::new);
        }
        self.refuse(rule, premise, beside(refused, told))
    }
}
