//! Sketches: patterns that say what a program shall look like, and searches that are led by them.
//!
//! A sketch is a term in which `_` stands for anything, and a name that begins with `_` for the same
//! term wherever it stands. Other names are axes, parameters and states. It is found anywhere in a
//! program. (Koehler, Trinder and Steuwer, *Sketch-Guided Equality Saturation*, 2021, section 4.)

use super::explain::{Link, chain};
use super::search::{Limits, Searched, Stop, search};
use super::{Found, Wanted, extract};
use reference::axes::parse;
use reference::axes::syntax::{Head, Kind, Name, Program, Term};
use reference::axes::types::Scope;
use reference::kit::text::{Rejected, Span};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A sketch as it is written.
#[derive(Clone, Debug)]
pub struct Sketch {
    text: String,
    pattern: Term,
    names: Vec<(Name, Span)>,
}

/// Does the name stand for whatever is there?
fn is_hole(name: &Name) -> bool {
    name.text().starts_with('_')
}

impl Sketch {
    /// Reads a sketch.
    ///
    /// # Errors
    /// Wrong syntax, or a sketch that has no name: it says nothing of any axis.
    pub fn read(text: &str) -> Result<Sketch, Rejected> {
        let (pattern, mut names) = parse::named_pattern(text)?;
        names.retain(|(name, _)| !is_hole(name));
        if names.is_empty() {
            let all = Span::new(0, text.len());
            return Err(Rejected::new(all, "this sketch names no axis", "here"));
        }
        // Each `_` is a hole of its own.
        let mut count = 0;
        let pattern = numbered(&pattern, &mut count);
        Ok(Sketch { text: text.to_owned(), pattern, names })
    }

    /// How it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The pattern, with names that stand for what a search knows by them.
    ///
    /// # Errors
    /// A name that nothing has, and where.
    pub fn pattern(&self, searched: &Searched) -> Result<Term, Rejected> {
        let scope = searched.scope();
        let states = states(&searched.program.term);
        let known = |name: &Name| {
            scope.size(name).is_some() || scope.params.contains_key(name) || states.contains(name)
        };
        if let Some((name, span)) = self.names.iter().find(|(name, _)| !known(name)) {
            let axes: Vec<&str> = scope.sizes.keys().map(Name::text).collect();
            let message = format!("no axis is called {name} here; there are {}", axes.join(", "));
            return Err(Rejected::new(*span, message, "here"));
        }
        let is_axis = |(name, _): &&(Name, Span)| scope.size(name).is_some();
        if !self.names.iter().any(|named| is_axis(&named)) {
            let all = Span::new(0, self.text.len());
            return Err(Rejected::new(all, "this sketch names no axis", "here"));
        }
        Ok(resolved(&self.pattern, scope))
    }
}

/// The states that a term binds.
fn states(term: &Term) -> BTreeSet<Name> {
    let mut states = BTreeSet::new();
    term.walk(&mut |term| {
        if let Head::State(name) = &term.head {
            states.insert(name.clone());
        }
    });
    states
}

fn numbered(pattern: &Term, count: &mut usize) -> Term {
    match &pattern.head {
        Head::Hole(name) if name.text() == "_" => {
            *count += 1;
            Term::leaf(Head::Hole(Name::new(&format!("_ {count}"))))
        }
        head => {
            let args: Vec<Term> = pattern.args.iter().map(|arg| numbered(arg, count)).collect();
            Term::new(head.clone(), args)
        }
    }
}

/// The names of a pattern as what they are where they stand.
fn resolved(pattern: &Term, scope: &Scope) -> Term {
    let axes = match pattern.head {
        Head::Build | Head::Red | Head::Seq => 1..2,
        Head::Merge => 0..3,
        Head::Store => 2..pattern.args.len(),
        Head::Out => 1..pattern.args.len(),
        _ => 0..0,
    };
    let arg = |(nth, arg): (usize, &Term)| match &arg.head {
        Head::Hole(name) if is_hole(name) => arg.clone(),
        Head::Hole(name) if axes.contains(&nth) => Term::axis(name),
        Head::Hole(name) if pattern.head == Head::Seq && nth == 0 => {
            Term::leaf(Head::State(name.clone()))
        }
        Head::Hole(name) => scalar(name, scope),
        _ => resolved(arg, scope),
    };
    Term::new(pattern.head.clone(), pattern.args.iter().enumerate().map(arg).collect::<Vec<_>>())
}

/// A name where a scalar or an array stands.
fn scalar(name: &Name, scope: &Scope) -> Term {
    match scope.params.get(name) {
        Some(Kind::Array(_)) => Term::leaf(Head::Array(name.clone())),
        Some(Kind::Int(_)) => Term::leaf(Head::Scalar(name.clone())),
        None if scope.size(name).is_some() => Term::at(name),
        None => Term::leaf(Head::Scalar(name.clone())),
    }
}

/// Why no sketch leads on.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Astray {
    /// A sketch is wrong, with its place in the text.
    #[error("{}", .1.message)]
    Wrong(Box<Sketch>, Box<Rejected>),
    /// No term that was found is like it.
    #[error("no term that was found is like the sketch {}; {}", .0.text(), .1.text())]
    NotReached(Box<Sketch>, Stop),
    /// The program is no term.
    #[error("{0}")]
    NoTerm(String),
}

/// A search that was led by sketches.
pub struct Led {
    /// The searches before the last one, each with the term that it was left by.
    before: Vec<(Searched, Program)>,
    /// The last search.
    pub last: Searched,
    /// What its results are restricted to.
    under: Option<Term>,
}

/// Searches from a program to the first sketch, from the cheapest term like it to the next one, and so
/// on. What comes out of the last search is like the last sketch. Without sketches it is one search.
///
/// # Errors
/// A sketch with a name that nothing has, or one that is not reached.
pub fn led(
    program: &Program,
    sketches: &[Sketch],
    limits: &Limits,
    wanted: &Wanted,
) -> Result<Led, Astray> {
    let start = Instant::now();
    let mut before = Vec::new();
    let mut from = program.clone();
    let mut rest = sketches.iter().peekable();
    loop {
        let limits = Limits { time: limits.time.saturating_sub(start.elapsed()), ..limits.clone() };
        let searched = search(&from, &limits).map_err(|wrong| Astray::NoTerm(wrong.message))?;
        let Some(sketch) = rest.next() else {
            return Ok(Led { before, last: searched, under: None });
        };
        let own = || Box::new(sketch.clone());
        let under =
            sketch.pattern(&searched).map_err(|wrong| Astray::Wrong(own(), Box::new(wrong)))?;
        let found = extract(&searched, wanted, Some(&under));
        let Some(first) = found.into_iter().next() else {
            return Err(Astray::NotReached(own(), searched.stop));
        };
        if rest.peek().is_none() {
            return Ok(Led { before, last: searched, under: Some(under) });
        }
        from = first.program;
        before.push((searched, from.clone()));
    }
}

impl Led {
    /// The cheapest programs of the last search that are like the last sketch.
    pub fn extract(&self, wanted: &Wanted) -> Vec<Found> {
        extract(&self.last, wanted, self.under.as_ref())
    }

    /// The steps from the program to a term that came out, through those that the sketches led to.
    ///
    /// # Errors
    /// As of [`chain`].
    pub fn chain(
        &self,
        limits: &Limits,
        to: &Program,
        time: Duration,
    ) -> Result<Vec<Link>, String> {
        let mut links = Vec::new();
        for (searched, to) in &self.before {
            links.extend(chain(searched, limits, to, time)?);
        }
        links.extend(chain(&self.last, limits, to, time)?);
        Ok(links)
    }
}
