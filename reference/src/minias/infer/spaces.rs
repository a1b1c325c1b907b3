//! What written types stand for: the mode decides of spaces that are elided (reading M6).

use super::{Infer, Inferred};
use crate::kit::text::Rejected;
use crate::minias::rows::{Because, Origin, Row, RowVar, Ty};
use crate::minias::rules::Rule;
use crate::minias::syntax::{Space, SpaceAt, Spaces, Type, Written};
use crate::minias::types::Mode;

impl Infer<'_, '_> {
    /// The type that is written.
    pub(super) fn ty(&mut self, written: &Type) -> Inferred<Ty> {
        let mut ty = if written.void { Ty::Void } else { Ty::Int };
        for star in &written.stars {
            let (row, closed) = self.row(*star)?;
            ty = Ty::pointer(row, closed, ty);
        }
        Ok(ty)
    }

    /// The row of a space before a star, and whether it is written and closed.
    fn row(&mut self, at: SpaceAt) -> Inferred<(Row, bool)> {
        match (at.written, self.mode) {
            (Written::Elided | Written::Generic, Mode::Infer | Mode::Single) => {
                Ok(match self.guess.pop_front() {
                    None => (Row::var(self.rows.fresh()), false),
                    Some(guessed) => (Row::closed(guessed), false),
                })
            }
            (Written::Elided | Written::Generic, Mode::Generic) => {
                Ok((Row::closed(Spaces::GENERIC), true))
            }
            (Written::Elided, Mode::Private) => {
                Ok((Row::closed(Spaces::one(Space::Private)), true))
            }
            (Written::Name(space), _) => Ok((Row::closed(Spaces::one(space)), true)),
            (Written::Generic, Mode::Private) | (Written::Row { .. }, _) => self.k_row(at),
        }
    }

    /// `K-ROW`
    ///
    /// ```text
    /// {a₂, … | ρ} lacks a₁                                          (lacks)
    /// constant is none of the aᵢ, or the only one, and ρ is {}       (constant)
    /// the row is not `generic` where there is none                   (generic)
    /// ──────────────────────────────────────────
    /// {a₁, a₂, … | ρ} :: row
    /// ```
    fn k_row(&mut self, at: SpaceAt) -> Inferred<(Row, bool)> {
        let names = &self.program.names;
        self.to.enter(Rule::KRow, || crate::minias::print::space(names, at.written));
        let Written::Row { names, twice, end } = at.written else {
            let message = "there is no generic space in the mode `private`";
            let refused = Rejected::new(at.span, message, "as in OpenCL 1.x");
            return self.refuse(Rule::KRow, "generic", refused.help("name a space"));
        };
        if let Some(space) = twice {
            let message = format!("a row has {space} twice");
            let refused = Rejected::new(at.span, message, "it lacks what it is extended by");
            return self.refuse(Rule::KRow, "lacks", refused);
        }
        let alone = names.len() == 1 && end.is_none();
        if names.has(Space::Constant) && !alone {
            let message = "constant is alone in its row";
            let refused = Rejected::new(at.span, message, "with another space or a variable")
                .help("nothing converts to or from constant (reading M4)");
            return self.refuse(Rule::KRow, "constant", refused);
        }
        if self.rows.allows_one_name() && names.len() > 1 {
            let told: Vec<&str> = names.iter().map(Space::name).collect();
            let message = format!("a row has {}; `single` allows one", told.join(" and "));
            self.to.enter(Rule::QualElim, String::new);
            return self.refuse(
                Rule::QualElim,
                "single",
                Rejected::new(at.span, message, "written here"),
            );
        }
        self.to.leave(String::new);
        let Some(end) = end else { return Ok((Row::closed(names), true)) };
        let fresh = &mut self.rows;
        let end: RowVar = *self.written.entry(end).or_insert_with(|| fresh.fresh());
        let origin = Origin { span: at.span, because: Because::Written(names) };
        self.brings(end, names, origin)?;
        Ok((Row { names, end: Some(end) }, false))
    }

    /// A written `{a, … | r}` brings `r\a`. The variable may be bound already: it is shared within its function.
    fn brings(&mut self, end: RowVar, names: Spaces, origin: Origin) -> Inferred<()> {
        let row = self.rows.row(Row::var(end));
        for space in names.iter() {
            if let Err(clash) = self.rows.forbid(row, space, origin) {
                let told = self.came_into(Row::var(end), space);
                return self.breaks_predicate(clash, origin.span, None, told);
            }
        }
        if let Some(end) = row.end {
            self.rows.stands_behind(end, names, origin);
        }
        Ok(())
    }
}
