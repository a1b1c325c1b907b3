//! What is said where types do not go together: both places and both spaces.

use super::{Goal, Infer, Inferred};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};
use crate::minias::rows::{Because, Clash, Origin, Ty};
use crate::minias::rules::Rule;
use crate::minias::syntax::Space;
use crate::minias::types::RowNames;

impl Infer<'_, '_> {
    /// `found`, which stands at a place, is not the wanted type.
    pub(super) fn does_not_unify<T>(
        &mut self,
        clash: Clash,
        (found, span): (&Ty, Span),
        wanted: &Ty,
        goal: Goal,
    ) -> Inferred<T> {
        let why = match clash {
            Clash::Lacks(..) | Clash::Single(..) => {
                return self.breaks_predicate(clash, span, goal.to);
            }
            Clash::Closed(space) => format!("a row is closed that has no {space}"),
            Clash::Shape => "an int is no pointer".to_owned(),
            Clash::Occurs => "a row would stand in its own end".to_owned(),
            Clash::Tail => "two rows with other names have one end".to_owned(),
        };
        let came = match clash {
            Clash::Closed(space) => self.came(space, found, wanted),
            _ => None,
        };
        let (found, wanted) = (self.rows.whole(found), self.rows.whole(wanted));
        let mut names = RowNames::default();
        let (found, wanted) = (names.ty(&found), names.ty(&wanted));
        let message = format!("`{found}` does not go where `{wanted}` is wanted: {why}");
        let mut refused = Rejected::new(span, message, format!("`{found}`"));
        if let Some(other) = goal.span {
            refused = refused.with(other, format!("`{wanted}`"));
        }
        if let Some((other, space)) = came.filter(|(other, _)| *other != span) {
            refused = refused.with(other, format!("{space} comes in here"));
        }
        self.refuse(goal.rule, goal.premise, refused)
    }

    /// Where a space came in that decides, of two pointers of which the row of one is closed and has no `space`: that of the
    /// closed row, if it was inferred, else `space`.
    fn came(&mut self, space: Space, found: &Ty, wanted: &Ty) -> Option<(Span, Space)> {
        let rows = [wanted, found].map(|ty| self.rows.shape(ty).row());
        let [Some(wanted), Some(found)] = rows else { return None };
        for (closed, other) in [(wanted, found), (found, wanted)] {
            let whole = self.rows.row(closed);
            if whole.end.is_some() || whole.names.has(space) {
                continue;
            }
            let at = self.rows.closed(closed).zip(whole.names.first());
            return at.or_else(|| self.rows.came(other, space).map(|at| (at, space)));
        }
        None
    }

    /// A row gets a name that it lacks, or a second one where one is allowed. What it lacks because something is stored
    /// there, or because it is kept in local memory, is a premise of the rule that stored it.
    pub(super) fn breaks_predicate<T>(
        &mut self,
        clash: Clash,
        span: Span,
        to: Option<Var>,
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
            return self.refuse(Rule::QualElim, "single", refused);
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
        self.refuse(rule, premise, refused)
    }
}
