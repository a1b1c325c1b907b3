//! What names stand for. Variables and regions share one name space (L50).

use super::{Parsed, by};
use crate::kit::names::{Names, Var};
use crate::kit::text::{Rejected, Span};
use crate::lambda_g::rules::Rule;
use rustc_hash::FxHashMap;

/// What a name is bound to.
#[derive(Clone, Copy)]
struct Bound {
    var: Var,
    /// Where, if it is a region; `r0` is bound nowhere.
    region: Option<Option<Span>>,
}

/// The names in scope.
pub(super) struct Scope<'s> {
    names: Names,
    bound: FxHashMap<&'s str, Vec<Bound>>,
}

impl Default for Scope<'_> {
    /// `r0` alone.
    fn default() -> Self {
        let mut scope = Scope { names: Names::new(), bound: FxHashMap::default() };
        let var = scope.names.fresh("r0");
        scope.bound.insert("r0", vec![Bound { var, region: Some(None) }]);
        scope
    }
}

impl<'s> Scope<'s> {
    /// The names of the program.
    pub(super) fn names(self) -> Names {
        self.names
    }

    /// A name as it is written.
    pub(super) fn text(&self, var: Var) -> &str {
        self.names.written(var)
    }

    /// Brings a variable into scope.
    pub(super) fn bind(&mut self, text: &'s str) -> Var {
        self.push(text, None)
    }

    fn push(&mut self, text: &'s str, region: Option<Option<Span>>) -> Var {
        let var = self.names.fresh(text.to_owned());
        self.bound.entry(text).or_default().push(Bound { var, region });
        var
    }

    /// Brings a region into scope, unless one of this name is: the premise `fresh` of `REG-CONS` (L47, L59).
    pub(super) fn bind_region(&mut self, text: &'s str, span: Span) -> Parsed<Var> {
        let there = self.bound.get(text).into_iter().flatten().rev().find_map(|it| it.region);
        let Some(there) = there else { return Ok(self.push(text, Some(Some(span)))) };
        let message = format!("there is a region `{text}` already");
        let refused = Rejected::new(span, message, "bound again");
        let refused = by(Rule::RegCons, "fresh", refused);
        Err(match there {
            Some(first) => refused.with(first, "the first one").help("call one of them otherwise"),
            None => refused.help("`r0` is the region of the parameters; call this one otherwise"),
        })
    }

    /// Takes a name out of scope.
    pub(super) fn leave(&mut self, text: &str) {
        self.bound.get_mut(text).and_then(Vec::pop);
    }

    fn innermost(&self, text: &str) -> Option<Bound> {
        self.bound.get(text).and_then(|all| all.last()).copied()
    }

    /// Is it a region?
    pub(super) fn is_region(&self, text: &str) -> bool {
        self.innermost(text).is_some_and(|bound| bound.region.is_some())
    }

    /// A variable where it is used: the premise `scope` of `T-VAR`.
    pub(super) fn variable(&self, text: &str, span: Span) -> Parsed<Var> {
        let (message, label) = match self.innermost(text) {
            Some(Bound { var, region: None }) => return Ok(var),
            Some(_) => (format!("`{text}` is a region, and no variable"), "a region"),
            None => (format!("`{text}` is not in scope"), "not bound"),
        };
        let refused = by(Rule::TVar, "scope", Rejected::new(span, message, label));
        Err(self.with_near(refused, text, false))
    }

    /// A region where it is used: the premise `scope` of `PLACE`.
    pub(super) fn region(&self, text: &str, span: Span) -> Parsed<Var> {
        let (message, label) = match self.innermost(text) {
            Some(Bound { var, region: Some(_) }) => return Ok(var),
            Some(_) => (format!("`{text}` is a variable, and no region"), "a variable"),
            None => (format!("the region `{text}` is not in scope"), "not bound"),
        };
        let refused = by(Rule::Place, "scope", Rejected::new(span, message, label));
        Err(self.with_near(refused, text, true))
    }

    /// Names the thing of its kind in scope that is most like `text`, if one is.
    fn with_near(&self, refused: Rejected, text: &str, region: bool) -> Rejected {
        let names = self.bound.iter().filter_map(|(name, all)| {
            let last = all.last()?;
            (last.region.is_some() == region && *name != text).then_some(*name)
        });
        let scored = names.map(|name| (strsim::jaro_winkler(name, text), name));
        let order = |a: &(f64, &str), b: &(f64, &str)| a.0.total_cmp(&b.0).then(b.1.cmp(a.1));
        match scored.filter(|(like, _)| *like > 0.8).max_by(order) {
            Some((_, near)) => refused.help(format!("there is `{near}`")),
            None if region => refused.help("`letregion` makes a region, and `r0` is always there"),
            None => refused,
        }
    }
}
