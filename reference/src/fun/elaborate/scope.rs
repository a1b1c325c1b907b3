//! Scopes: what a name means, what a variable stands for, and which expression has a name.

use super::{Elaborator, Front};
use crate::fun::surface::Name;
use crate::fun::syntax::{Atom, Se};
use crate::kit::names::Var;
use crate::kit::text::Rejected;

/// What a variable stands for, as far as the elaboration must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Int,
    Mem,
    /// An array of these sizes.
    Array(Vec<Atom>),
}

impl<'s, D: Front> Elaborator<'s, D> {
    /// A new variable, called `wish` or nearly so. It is not in scope yet.
    pub(super) fn fresh(&mut self, wish: &str) -> Var {
        self.shapes.push(Shape::Int);
        self.names.fresh(wish.to_owned())
    }

    /// From here to the end of the body `text` means `var`.
    pub(super) fn bring(&mut self, text: &'s str, var: Var) {
        self.scope.entry(text).or_default().push(var);
        self.bound.push(text);
    }

    /// What the variable stands for.
    pub(super) fn shape(&self, var: Var) -> &Shape {
        &self.shapes[var.slot()]
    }

    /// What the variable stands for.
    pub(crate) fn shape_of(&self, var: Var) -> Shape {
        self.shape(var).clone()
    }

    /// Says what the variable stands for.
    pub(super) fn set_shape(&mut self, var: Var, shape: Shape) {
        self.shapes[var.slot()] = shape;
    }

    /// The expression has a name from here to the end of the body, unless it had one already.
    pub(super) fn number(&mut self, se: Se, var: Var) {
        if !self.numbered.contains_key(&se) {
            self.numbered.insert(se.clone(), var);
            self.numbers.push(se);
        }
    }

    /// The variable that a name means.
    pub(crate) fn lookup(&mut self, name: Name<'s>) -> Result<Var, Rejected> {
        match self.scope.get(name.text).and_then(|vars| vars.last()) {
            Some(&var) => {
                if self.open.contains(&var.0) {
                    self.open_uses += 1;
                }
                Ok(var)
            }
            None => Err(self.unbound(name)),
        }
    }

    fn unbound(&self, name: Name<'s>) -> Rejected {
        let message = format!("the name `{}` is not bound", brief(name.text));
        let rejected = Rejected::new(name.span, message, "not in scope").by_rule("T-VAR", "scope");
        let visible = self.scope.iter().filter(|(_, vars)| !vars.is_empty());
        // One letter in three may be wrong, none in a name of one or two.
        let wrong = match name.text.len() {
            0..=2 => 0,
            letters => letters.div_ceil(3),
        };
        let near = visible
            .filter_map(|(text, _)| Some((distance(name.text, text)?, *text)))
            .min()
            .filter(|(distance, _)| *distance <= wrong);
        match near {
            Some((_, text)) => rejected.help(format!("did you mean `{text}`?")),
            None => rejected,
        }
    }
}

/// The text, or its beginning if it is long.
pub(super) fn brief(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.get(..LONGEST) {
        Some(start) if text.len() > LONGEST => format!("{start}…"),
        _ => text.to_owned(),
    }
}

/// How many letters must be changed, added or dropped to make one of the other; `None` for texts
/// that are too long to be mistyped.
fn distance(a: &str, b: &str) -> Option<usize> {
    if a.len().max(b.len()) > 32 {
        return None;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let change = diagonal + usize::from(!x.eq_ignore_ascii_case(&y));
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied()
}
