//! A term as an FCL program, where FCL can say its plan.
//!
//! - An array whose loops are all `grid` is a `push <grid>`, one invocation an element.
//! - Loops of work groups and their invocations are chunks: `interleave` of `push <block>`, or `concat` where the elements
//!   are in the order of the loops.
//! - An array in the memory of a work group is a `force` at block. Words between its rows are not said: FCL's compiler
//!   pads itself. One in memory that all see is a `force` at grid.
//! - What is computed in an element, reductions among it, is a `foldl` of one thread.
//!
//! What FCL cannot say is told: a loop of the host, an invocation that makes several elements in a row, accumulators
//! of several elements, and an array of a work group that is filled anew in rounds of a loop.

mod elements;

use reference::axes::index::Index;
use reference::axes::print;
use reference::axes::syntax::{Head, Kind, Level, Name, Place, Program, Term};
use reference::axes::types::{self, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// Why FCL cannot say a term.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsaid(pub String);

type Said<T = String> = Result<T, Unsaid>;

fn no<T>(why: impl Into<String>) -> Said<T> {
    Err(Unsaid(why.into()))
}

/// The text of an FCL program whose chunks, levels and arrays in memory are those of the term's plan.
///
/// # Errors
/// What FCL cannot say.
pub fn text(program: &Program) -> Result<String, Unsaid> {
    let scope = types::check(program).map_err(|wrong| Unsaid(wrong.message))?;
    let names = scope.params.keys().chain(scope.sizes.keys());
    let taken = names.map(|name| name.text().to_owned()).collect();
    let mut to = Writer { scope: &scope, taken, stored: BTreeMap::new(), lets: Vec::new() };
    let out = match program.term.head {
        Head::Out => &program.term,
        _ => return no("an FCL program has one result"),
    };
    let layout: Vec<&Name> = out.args[1..].iter().filter_map(Term::as_axis).collect();
    let flat = |kind: &Kind| !matches!(kind, Kind::Array(sizes) if sizes.len() != 1);
    if layout.len() != 1 || !program.params.iter().all(|param| flat(&param.kind)) {
        return no(
            "a result of FCL is an array of one dimension, and so are the arrays that it takes",
        );
    }
    let result = to.grid(&out.args[0], &layout)?;
    let types = program.params.iter().map(|param| match param.kind {
        Kind::Int(_) => "int -> ",
        Kind::Array(_) => "[int] -> ",
    });
    let params = program.params.iter().map(|param| format!(" {}", param.name));
    let (types, params) = (types.collect::<String>(), params.collect::<String>());
    let body = bindings(&to.lets, &result);
    let function = if params.is_empty() { body } else { format!("fn{params} => {body}") };
    Ok(format!("sig main : {types}[int]<grid>\nval main = {function}\n"))
}

/// An expression behind bindings.
fn bindings(lets: &[(String, String)], of: &str) -> String {
    if lets.is_empty() {
        return of.to_owned();
    }
    let lets: Vec<String> = lets.iter().map(|(name, is)| format!("{name} = {is}")).collect();
    format!("(let {} in {of})", lets.join("; "))
}

struct Writer<'s> {
    scope: &'s Scope,
    taken: BTreeSet<String>,
    /// Arrays in memory that have names, by the text of their terms.
    stored: BTreeMap<String, String>,
    /// The bindings around what is written.
    lets: Vec<(String, String)>,
}

/// A tensor as a nest.
struct Nest<'t> {
    loops: Vec<(Level, Name)>,
    /// Axes that count through two others, outer ones first.
    merges: Vec<[Name; 3]>,
    /// What the loops compute.
    body: &'t Term,
}

impl Writer<'_> {
    fn fresh(&mut self, stem: &str) -> String {
        let numbered = (1..).map(|nth| format!("{stem}{nth}"));
        let mut wishes = std::iter::once(stem.to_owned()).chain(numbered);
        let name = wishes.find(|name| !self.taken.contains(name)).expect("numbers do not end");
        self.taken.insert(name.clone());
        name
    }

    fn size(&self, axis: &Name) -> u32 {
        self.scope.size(axis).unwrap_or(1)
    }

    fn sizes(&self, axes: &[&Name]) -> u32 {
        axes.iter().map(|axis| self.size(axis)).product()
    }

    fn nest<'t>(&self, of: &'t Term) -> Said<Nest<'t>> {
        let mut nest = Nest { loops: Vec::new(), merges: Vec::new(), body: of };
        loop {
            let of = nest.body;
            match (&of.head, of.args.first().map(|arg| &arg.head)) {
                (Head::Build, Some(Head::Level(level))) => {
                    let (axis, _) = of.binds().expect("the term was checked");
                    nest.loops.push((*level, axis.clone()));
                    nest.body = &of.args[3];
                }
                (Head::Merge, _) => {
                    let axis = |nth: usize| of.args[nth].as_axis().expect("it was checked").clone();
                    nest.merges.push([axis(0), axis(1), axis(2)]);
                    nest.body = &of.args[3];
                }
                (Head::Keep, _) => nest.body = &of.args[0],
                _ => break,
            }
        }
        match types::axes(nest.body).is_empty() {
            true => Ok(nest),
            false => no("several elements are computed at once, as accumulators or in a branch"),
        }
    }

    /// A push array at grid: the tensor, its elements in the order of this layout.
    fn grid(&mut self, of: &Term, layout: &[&Name]) -> Said {
        let nest = self.nest(of)?;
        let level = |(level, _): &(Level, Name)| *level;
        let is = |wanted: &[Level]| nest.loops.iter().map(level).all(|own| wanted.contains(&own));
        if nest.loops.iter().map(level).any(|own| own == Level::Seq || own == Level::Vec) {
            return match is(&[Level::Seq, Level::Vec]) {
                true => no("the host makes its elements, and no push array is the host's"),
                false => no("an invocation makes several elements in a row, and a push makes one"),
            };
        }
        match () {
            () if is(&[Level::Grid]) => {
                self.global_stores(nest.body)?;
                let elements = self.positions(&nest, layout, "p")?;
                Ok(format!("push <grid> ({elements})"))
            }
            () if is(&[Level::Group, Level::Lane]) => self.chunks(&nest, layout),
            () => no("an invocation of a grid and work groups stand in one array"),
        }
    }

    /// `generate n (fn p => e)`: the elements in the order of a layout.
    fn positions(&mut self, nest: &Nest<'_>, layout: &[&Name], stem: &str) -> Said {
        let place = self.fresh(stem);
        let mut lets = self.parts(&place, layout);
        for [axis, outer, inner] in &nest.merges {
            let by = self.size(inner).max(1);
            lets.push((outer.to_string(), format!("{axis} / {by}")));
            lets.push((inner.to_string(), format!("{axis} % {by}")));
        }
        let element = self.value(nest.body)?;
        let element = bindings(&lets, &element);
        Ok(format!("generate {} (fn {place} => {element})", self.sizes(layout)))
    }

    /// What axes are in the place of an array that has them as its dimensions.
    fn parts(&self, place: &str, axes: &[&Name]) -> Vec<(String, String)> {
        let mut below = 1;
        let mut parts = Vec::new();
        for (nth, axis) in axes.iter().enumerate().rev() {
            let size = self.size(axis).max(1);
            let whole = if below == 1 { place.to_owned() } else { format!("{place} / {below}") };
            let is = if nth == 0 { whole } else { format!("{whole} % {size}") };
            parts.push((axis.to_string(), is));
            below *= size;
        }
        parts.reverse();
        parts
    }

    /// Chunks of work groups.
    fn chunks(&mut self, nest: &Nest<'_>, layout: &[&Name]) -> Said {
        let at = |wanted: Level| {
            let loops = nest.loops.iter().filter(move |(level, _)| *level == wanted);
            loops.map(|(_, axis)| axis).collect::<Vec<_>>()
        };
        let (groups, lanes) = (at(Level::Group), at(Level::Lane));
        self.global_stores(nest.body)?;
        let place = self.place(nest, layout)?;
        let (group, lane) = (self.fresh("g"), self.fresh("j"));
        let (of_group, of_lane) = (self.parts(&group, &groups), self.parts(&lane, &lanes));
        let outer = std::mem::replace(&mut self.lets, of_group.clone());
        let stored = self.stored.clone();
        self.group_stores(nest.body, &groups)?;
        let element = bindings(&of_lane, &self.value(nest.body)?);
        let size = self.sizes(&lanes);
        let chunk = format!("push <block> (generate {size} (fn {lane} => {element}))");
        let chunk = bindings(&self.lets, &chunk);
        (self.lets, self.stored) = (outer, stored);
        let chunks = format!("generate {} (fn {group} => {chunk})", self.sizes(&groups));
        let axes: Vec<&Name> = groups.iter().chain(&lanes).copied().collect();
        if self.row_major(&axes) == Some(place.clone()) {
            return Ok(format!("concat {size} ({chunks})"));
        }
        let lets: Vec<(String, String)> = of_group.into_iter().chain(of_lane).collect();
        let order = bindings(&lets, &self.sum(&place));
        Ok(format!("interleave {size} (fn ({group}, {lane}) => {order}) ({chunks})"))
    }

    /// The place in an array with these dimensions.
    fn row_major(&self, axes: &[&Name]) -> Option<Index> {
        axes.iter().try_fold(Index::number(0), |sum, axis| {
            sum.times(self.size(axis).into())?.plus(&Index::axis(axis), 1)
        })
    }

    /// The place of an element of a nest by its loops.
    fn place(&self, nest: &Nest<'_>, layout: &[&Name]) -> Said<Index> {
        let mut place = self.row_major(layout);
        for [axis, outer, inner] in &nest.merges {
            let by = self.row_major(&[outer, inner]);
            place = place
                .zip(by)
                .and_then(|(place, by)| place.substituted(axis, &by, &self.scope.sizes));
        }
        place.map_or_else(|| no("an index is too large"), Ok)
    }

    /// Names the arrays in memory that all see, inner ones first.
    fn global_stores(&mut self, of: &Term) -> Said<()> {
        of.args.iter().try_for_each(|arg| self.global_stores(arg))?;
        let is_global = |term: &Term| term.head == Head::Store && place(term) == Some(Place::Glob);
        let key = if is_global(of) { print::term(of) } else { return Ok(()) };
        if self.stored.contains_key(&key) {
            return Ok(());
        }
        let layout: Vec<&Name> = of.args[2..].iter().filter_map(Term::as_axis).collect();
        let array = self.grid(&of.args[1], &layout)?;
        let name = self.fresh("stored");
        self.lets.push((name.clone(), format!("force ({array})")));
        self.stored.insert(key, name);
        Ok(())
    }

    /// Names the arrays of a work group, inner ones first.
    fn group_stores(&mut self, of: &Term, groups: &[&Name]) -> Said<()> {
        of.args.iter().try_for_each(|arg| self.group_stores(arg, groups))?;
        let key = if of.head == Head::Store { print::term(of) } else { return Ok(()) };
        if self.stored.contains_key(&key) {
            return Ok(());
        }
        if place(of) == Some(Place::Priv) {
            return no("an invocation has an array of its own");
        }
        let known = |name: &Name| self.scope.params.contains_key(name) || groups.contains(&name);
        if !types::free(of).iter().all(known) {
            return no("an array of a work group is filled anew in each round of a loop");
        }
        let layout: Vec<&Name> = of.args[2..].iter().filter_map(Term::as_axis).collect();
        let nest = self.nest(&of.args[1])?;
        let elements = self.positions(&nest, &layout, "e")?;
        let name = self.fresh("tile");
        self.lets.push((name.clone(), format!("force (push <block> ({elements}))")));
        self.stored.insert(key, name);
        Ok(())
    }
}

/// The place of a store.
fn place(store: &Term) -> Option<Place> {
    match store.args.first()?.head {
        Head::Place(place) => Some(place),
        _ => None,
    }
}
