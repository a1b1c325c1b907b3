//! What is a term: names bound once, tensors with the axes that are asked of them, sizes that agree.

use super::index::Sizes;
use super::rules::Rule;
use super::syntax::{Head, Kind, Name, Program, Term};
use crate::kit::rules::Roll;
use crate::kit::text::{Rejected, Span};
use std::collections::{BTreeMap, BTreeSet};

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A tensor over these axes; a scalar has none.
    Tensor(BTreeSet<Name>),
    /// An array of these sizes, outermost first.
    Array(Vec<u32>),
    /// Results of a program.
    Results,
}

/// Why something is no term: at which position (arguments, from the root on), and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Where.
    pub position: Vec<usize>,
    /// What.
    pub message: String,
    /// The rule and premise that fail; none where no text says this.
    pub rule: Option<(Rule, &'static str)>,
}

impl Wrong {
    /// As it is told of a program without a text.
    pub fn rejected(self) -> Rejected {
        let rejected = Rejected::new(Span::default(), self.message, "here");
        match self.rule {
            Some((rule, premise)) => rejected.by_rule(rule.info().name, premise),
            None => rejected,
        }
    }
}

/// What stands around a term: the sizes of all axes of its program, and the parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Each axis has one size, wherever it is bound.
    pub sizes: Sizes,
    /// The parameters.
    pub params: BTreeMap<Name, Kind>,
    /// The states of all `seq`, none of which is an axis: an index is made of axes only.
    pub states: BTreeSet<Name>,
}

impl Scope {
    /// The scope of a program.
    ///
    /// # Errors
    /// An axis with two sizes, or a name that is used for two things.
    pub fn of(program: &Program) -> Result<Scope, Wrong> {
        let mut scope = Scope::default();
        for param in &program.params {
            if scope.params.insert(param.name.clone(), param.kind.clone()).is_some() {
                let message = format!("two parameters are called {}", param.name);
                let rule = Some((Rule::TProgram, "names"));
                return Err(Wrong { position: Vec::new(), message, rule });
            }
        }
        let mut position = Vec::new();
        scope.collect(&program.term, &mut position)?;
        Ok(scope)
    }

    fn collect(&mut self, term: &Term, position: &mut Vec<usize>) -> Result<(), Wrong> {
        for (nth, arg) in term.args.iter().enumerate() {
            position.push(nth);
            self.collect(arg, position)?;
            position.pop();
        }
        let fails = |premise| {
            let (position, rule) = (position.clone(), Some((Rule::TProgram, premise)));
            move |message: String| Wrong { position, message, rule }
        };
        let bound = match &term.head {
            Head::State(state) => {
                if self.params.contains_key(state) {
                    return Err(fails("names")(format!("{state} is a parameter, and no state")));
                }
                if self.sizes.contains_key(state) {
                    return Err(fails("names")(format!("{state} is an axis, and no state")));
                }
                self.states.insert(state.clone());
                None
            }
            Head::Merge => {
                let size = |nth: usize| {
                    let name = term.args.get(nth)?.as_axis()?;
                    self.sizes.get(name).copied()
                };
                match (term.args.first().and_then(Term::as_axis), size(1), size(2)) {
                    (Some(axis), Some(outer), Some(inner)) => {
                        Some((axis, outer.checked_mul(inner)))
                    }
                    _ => None,
                }
            }
            _ => term.binds().map(|(axis, size)| (axis, Some(size))),
        };
        let Some((axis, size)) = bound else { return Ok(()) };
        let size = size
            .filter(|size| i32::try_from(*size).is_ok())
            .ok_or_else(|| fails("sizes")(format!("axis {axis} is larger than an int")))?;
        if self.params.contains_key(axis) {
            return Err(fails("names")(format!("{axis} is a parameter, and no axis")));
        }
        if self.states.contains(axis) {
            return Err(fails("names")(format!("{axis} is the state of a `seq`, and no axis")));
        }
        self.declare(axis, size).map_err(fails("sizes"))
    }

    /// Notes the size of an axis.
    ///
    /// # Errors
    /// It has another one.
    pub fn declare(&mut self, axis: &Name, size: u32) -> Result<(), String> {
        match self.sizes.insert(axis.clone(), size) {
            Some(other) if other != size => {
                self.sizes.insert(axis.clone(), other);
                Err(format!("axis {axis} has size {other} elsewhere, and {size} here"))
            }
            _ => Ok(()),
        }
    }

    /// The size of an axis.
    pub fn size(&self, axis: &Name) -> Option<u32> {
        self.sizes.get(axis).copied()
    }
}

/// Holds a program against the rules.
///
/// # Errors
/// The first that does not hold, and where.
pub fn check(program: &Program) -> Result<Scope, Wrong> {
    let scope = Scope::of(program)?;
    let mut checker = Checker { scope: &scope, bound: Vec::new(), position: Vec::new() };
    match checker.sort(&program.term)? {
        Sort::Results => Ok(scope),
        _ => {
            Err(checker.fails(Rule::TProgram, "results", "a program ends with `out` or `results`"))
        }
    }
}

/// The sort of a term whose free axes and states are those of `bound`.
///
/// # Errors
/// The first rule that does not hold, and where.
pub fn sort(term: &Term, scope: &Scope, bound: Vec<Name>) -> Result<Sort, Wrong> {
    Checker { scope, bound, position: Vec::new() }.sort(term)
}

/// The axes of a tensor that is known to be one.
pub fn axes(term: &Term) -> BTreeSet<Name> {
    let args = &term.args;
    let name = |nth: usize| args.get(nth).and_then(Term::as_axis).cloned();
    match term.head {
        Head::Build => axes(&args[3]).into_iter().chain(name(1)).collect(),
        Head::Red => axes(&args[3]),
        Head::Keep => axes(&args[0]),
        Head::If => axes(&args[1]),
        Head::Merge => {
            let mut of = axes(&args[3]);
            name(1).iter().chain(&name(2)).for_each(|axis| {
                of.remove(axis);
            });
            of.into_iter().chain(name(0)).collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The axes and states that occur free in a term.
pub fn free(term: &Term) -> BTreeSet<Name> {
    match &term.head {
        Head::Index(index) => {
            let mut names = BTreeSet::new();
            index.axes(&mut |axis| {
                names.insert(axis.clone());
            });
            names
        }
        Head::Scalar(name) => BTreeSet::from([name.clone()]),
        _ => {
            let mut names: BTreeSet<Name> = BTreeSet::new();
            let last = term.args.len().saturating_sub(1);
            let binds = term.binds().map(|(axis, _)| axis);
            for (nth, arg) in term.args.iter().enumerate() {
                let mut inner = free(arg);
                if nth == last
                    && let Some(axis) = binds
                {
                    inner.remove(axis);
                    if let (Head::Seq, Head::State(state)) = (&term.head, &term.args[0].head) {
                        inner.remove(state);
                    }
                }
                names.extend(inner);
            }
            names
        }
    }
}

/// The axes and states that a term binds, at any depth.
pub fn binders(term: &Term) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    term.walk(&mut |term| match &term.head {
        Head::State(name) => {
            names.insert(name.clone());
        }
        Head::Merge => names.extend(term.args[..3].iter().filter_map(Term::as_axis).cloned()),
        _ => names.extend(term.binds().map(|(axis, _)| axis.clone())),
    });
    names
}

/// Is an axis that is bound around merged, so that one name is two axes on a path? That is a term, whose meaning keeps
/// the two apart.
pub fn merges_bound(term: &Term) -> bool {
    fn go<'t>(term: &'t Term, bound: &mut Vec<&'t Name>) -> bool {
        let merged = term.args.iter().take(3).filter_map(Term::as_axis);
        if term.head == Head::Merge && merged.clone().any(|axis| bound.contains(&axis)) {
            return true;
        }
        let outer = bound.len();
        bound.extend(term.binds().map(|(axis, _)| axis));
        let found = term.args.iter().any(|arg| go(arg, bound));
        bound.truncate(outer);
        found
    }
    go(term, &mut Vec::new())
}

struct Checker<'s> {
    scope: &'s Scope,
    /// What is bound around, outermost first.
    bound: Vec<Name>,
    position: Vec<usize>,
}

impl Checker<'_> {
    fn wrong(&self, message: impl Into<String>) -> Wrong {
        Wrong { position: self.position.clone(), message: message.into(), rule: None }
    }

    fn fails(&self, rule: Rule, premise: &'static str, message: impl Into<String>) -> Wrong {
        Wrong { rule: Some((rule, premise)), ..self.wrong(message) }
    }

    /// The sort of an argument.
    fn arg(&mut self, term: &Term, nth: usize) -> Result<Sort, Wrong> {
        self.position.push(nth);
        let arg = term.args.get(nth).ok_or_else(|| self.wrong("an argument is missing"))?;
        let sort = self.sort(arg)?;
        self.position.pop();
        Ok(sort)
    }

    fn scalar(&mut self, term: &Term, nth: usize) -> Result<(), Wrong> {
        let axes = self.tensor(term, nth)?;
        self.position.push(nth);
        match axes.first() {
            Some(axis) => Err(self.fails(
                Rule::TScalar,
                "scalar",
                format!("a scalar is wanted, and this has axis {axis}"),
            )),
            None => {
                self.position.pop();
                Ok(())
            }
        }
    }

    fn tensor(&mut self, term: &Term, nth: usize) -> Result<BTreeSet<Name>, Wrong> {
        match self.arg(term, nth)? {
            Sort::Tensor(axes) => Ok(axes),
            _ => {
                self.position.push(nth);
                Err(self.fails(Rule::TTensor, "tensor", "a tensor is wanted here"))
            }
        }
    }

    /// A leaf of a binder.
    fn axis<'t>(&self, term: &'t Term, nth: usize) -> Result<&'t Name, Wrong> {
        let axis = term.args.get(nth).and_then(Term::as_axis);
        axis.ok_or_else(|| self.wrong(format!("argument {} is an axis", nth + 1)))
    }

    /// The axis that the node binds and the sort of what it binds it in.
    fn within(&mut self, term: &Term, names: &[&Name]) -> Result<BTreeSet<Name>, Wrong> {
        for name in names {
            if self.bound.contains(name) {
                return Err(self.fails(
                    Rule::TBind,
                    "fresh",
                    format!("{name} is bound around this already"),
                ));
            }
            if self.scope.params.contains_key(*name) {
                return Err(self.fails(Rule::TBind, "fresh", format!("{name} is a parameter")));
            }
        }
        let outer = self.bound.len();
        self.bound.extend(names.iter().map(|name| (*name).clone()));
        let axes = self.tensor(term, term.args.len() - 1)?;
        self.bound.truncate(outer);
        match names.iter().find(|name| axes.contains(**name)) {
            Some(name) => Err(self.fails(
                Rule::TBind,
                "axis",
                format!("{name} is an axis of what it is bound in"),
            )),
            None => Ok(axes),
        }
    }

    fn arity(&self, term: &Term, least: usize, most: usize) -> Result<(), Wrong> {
        let given = term.args.len();
        if (least..=most).contains(&given) {
            return Ok(());
        }
        Err(self.wrong(format!("{given} arguments are not what this takes")))
    }

    fn sort(&mut self, term: &Term) -> Result<Sort, Wrong> {
        let scalar = || Ok(Sort::Tensor(BTreeSet::new()));
        let many = usize::MAX;
        match &term.head {
            Head::Const(_) => scalar(),
            Head::Index(index) => {
                let mut unknown = None;
                index.axes(&mut |axis| {
                    if !self.bound.contains(axis) {
                        unknown = Some(axis.clone());
                    }
                });
                if let Some(axis) = unknown {
                    return Err(self.fails(
                        Rule::TIndex,
                        "scope",
                        format!("axis {axis} is not bound here"),
                    ));
                }
                match index.fits(&self.scope.sizes) {
                    true => scalar(),
                    false => Err(self.fails(
                        Rule::TIndex,
                        "fits",
                        "this index may be too large for an int",
                    )),
                }
            }
            Head::Scalar(name) => match self.scope.params.get(name) {
                Some(Kind::Int(_)) => scalar(),
                Some(Kind::Array(_)) => Err(self.wrong(format!("{name} is an array"))),
                None if self.bound.contains(name) => scalar(),
                None => Err(self.fails(Rule::TName, "scope", format!("{name} is not bound here"))),
            },
            Head::Array(name) => match self.scope.params.get(name) {
                Some(Kind::Array(sizes)) => Ok(Sort::Array(sizes.clone())),
                _ => Err(self.wrong(format!("{name} is no array"))),
            },
            Head::Apply => {
                self.arity(term, 3, 3)?;
                term.args[0].as_op().ok_or_else(|| self.wrong("an operator is wanted"))?;
                self.scalar(term, 1)?;
                self.scalar(term, 2)?;
                scalar()
            }
            Head::If => {
                self.arity(term, 3, 3)?;
                self.scalar(term, 0)?;
                let (then, orelse) = (self.tensor(term, 1)?, self.tensor(term, 2)?);
                match then == orelse {
                    true => Ok(Sort::Tensor(then)),
                    false => {
                        Err(self.fails(Rule::TIf, "axes", "the sides of `if` have different axes"))
                    }
                }
            }
            Head::Get => {
                self.arity(term, 1, many)?;
                let Sort::Array(sizes) = self.arg(term, 0)? else {
                    return Err(self.fails(Rule::TGet, "array", "`get` reads an array"));
                };
                if sizes.len() != term.args.len() - 1 {
                    return Err(self.fails(
                        Rule::TGet,
                        "rank",
                        format!(
                            "an array of rank {} has {} indices here",
                            sizes.len(),
                            term.args.len() - 1
                        ),
                    ));
                }
                (1..term.args.len()).try_for_each(|nth| self.scalar(term, nth))?;
                scalar()
            }
            Head::Seq => {
                self.arity(term, 5, 5)?;
                let Head::State(state) = &term.args[0].head else {
                    return Err(self.wrong("`seq` binds a state"));
                };
                let axis = self.axis(term, 1)?;
                self.sized(term)?;
                self.scalar(term, 3)?;
                match self.within(term, &[state, axis])?.first() {
                    Some(_) => {
                        Err(self.fails(Rule::TScalar, "scalar", "the state of `seq` is a scalar"))
                    }
                    None => scalar(),
                }
            }
            Head::Build => {
                self.arity(term, 4, 4)?;
                if !matches!(term.args[0].head, Head::Level(_)) {
                    return Err(self.wrong("`build` has a level"));
                }
                let axis = self.axis(term, 1)?;
                self.sized(term)?;
                let mut axes = self.within(term, &[axis])?;
                axes.insert(axis.clone());
                Ok(Sort::Tensor(axes))
            }
            Head::Red => {
                self.arity(term, 4, 4)?;
                let op = term.args[0].as_op().and_then(super::syntax::identity);
                op.ok_or_else(|| {
                    self.fails(
                        Rule::TRed,
                        "identity",
                        "`red` wants an operator that has an identity",
                    )
                })?;
                let axis = self.axis(term, 1)?;
                self.sized(term)?;
                Ok(Sort::Tensor(self.within(term, &[axis])?))
            }
            Head::Merge => {
                self.arity(term, 4, 4)?;
                let names = [self.axis(term, 0)?, self.axis(term, 1)?, self.axis(term, 2)?];
                let mut axes = self.tensor(term, 3)?;
                for name in &names[1..] {
                    if !axes.remove(*name) {
                        return Err(self.fails(
                            Rule::TMerge,
                            "axes",
                            format!("{name} is no axis of what is merged"),
                        ));
                    }
                }
                if names[0] == names[1] || names[0] == names[2] || names[1] == names[2] {
                    return Err(self.fails(Rule::TMerge, "differ", "the axes of `merge` differ"));
                }
                if !axes.insert(names[0].clone()) {
                    return Err(self.fails(
                        Rule::TMerge,
                        "fresh",
                        format!("{} is an axis of it already", names[0]),
                    ));
                }
                Ok(Sort::Tensor(axes))
            }
            Head::Keep => {
                self.arity(term, 1, 1)?;
                Ok(Sort::Tensor(self.tensor(term, 0)?))
            }
            Head::Store => {
                self.arity(term, 2, many)?;
                if !matches!(term.args[0].head, Head::Place(_)) {
                    return Err(self.wrong("`store` has a place"));
                }
                let axes = self.tensor(term, 1)?;
                let sizes = self.layout(term, 2, axes)?;
                match term.args[0].head {
                    Head::Place(place) if place.words(&sizes) > place.most_words() => {
                        let (words, most) = (place.words(&sizes), place.most_words());
                        let why = format!("{words} words in a place that has {most} at most");
                        Err(self.fails(Rule::TStore, "room", why))
                    }
                    _ => Ok(Sort::Array(sizes)),
                }
            }
            Head::Out => {
                self.arity(term, 1, many)?;
                let axes = self.tensor(term, 0)?;
                self.layout(term, 1, axes)?;
                Ok(Sort::Results)
            }
            Head::Results => {
                for nth in 0..term.args.len() {
                    let sort = self.arg(term, nth)?;
                    if sort != Sort::Results || term.args[nth].head != Head::Out {
                        self.position.push(nth);
                        return Err(self.fails(Rule::TResults, "out", "a result is an `out`"));
                    }
                }
                Ok(Sort::Results)
            }
            Head::Axis(_)
            | Head::State(_)
            | Head::Size(_)
            | Head::Op(_)
            | Head::Level(_)
            | Head::Place(_)
            | Head::Hole(_) => Err(self.wrong("this is no term by itself")),
        }
    }

    fn sized(&self, term: &Term) -> Result<(), Wrong> {
        match term.args.get(2).and_then(Term::as_size) {
            Some(_) => Ok(()),
            None => Err(self.wrong("argument 3 is a size")),
        }
    }

    /// The sizes of the axes of a layout, which are all of the tensor's, each once.
    fn layout(
        &self,
        term: &Term,
        from: usize,
        mut axes: BTreeSet<Name>,
    ) -> Result<Vec<u32>, Wrong> {
        let mut sizes = Vec::new();
        for nth in from..term.args.len() {
            let axis = self.axis(term, nth)?;
            if !axes.remove(axis) {
                return Err(self.fails(
                    Rule::TLayout,
                    "axes",
                    format!("{axis} is no axis of this, or stands here twice"),
                ));
            }
            let size = self.scope.size(axis);
            sizes.push(size.ok_or_else(|| self.wrong(format!("{axis} has no size")))?);
        }
        match axes.first() {
            Some(axis) => Err(self.fails(
                Rule::TLayout,
                "axes",
                format!("axis {axis} has no place in the layout"),
            )),
            None if sizes
                .iter()
                .try_fold(1_i32, |n, s| n.checked_mul(i32::try_from(*s).ok()?))
                .is_none() =>
            {
                Err(self.fails(Rule::TLayout, "size", "the array is too large"))
            }
            None => Ok(sizes),
        }
    }
}
