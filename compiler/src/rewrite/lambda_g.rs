//! A term as a program of λG.
//!
//! - An array is a nest of `parmap` over `iota`, each element computed from its indices: as a term means it. Levels, but for
//!   `grid`, and the orders of loops in an element are not said.
//! - A `store` is a variable that is bound where all that it depends on is known, and a reduction is a `fix` that counts its
//!   rounds.
//! - A nest whose outermost loops are `grid` stands in an `on`, if a region is asked for that the device uses: what is made
//!   there lies in it, and what the host reads of it is copied. Other regions, effects and types of functions are left out,
//!   so that inference finds them.
//!
//! Parameters and results are nested values again, of which a term has an array for each component. What λG cannot say are
//! operators on bits.

mod elements;

use reference::axes::print;
use reference::axes::syntax::{Head, Level, Name, Program, Term};
use reference::axes::total::is_total;
use reference::axes::types::{self, Scope};
use reference::kit::nested::Nested;
use std::collections::{BTreeMap, BTreeSet};

/// Why λG cannot say a term.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unsaid(pub String);

type Said<T = String> = Result<T, Unsaid>;

fn no<T>(why: impl Into<String>) -> Said<T> {
    Err(Unsaid(why.into()))
}

/// What a program of λG takes and gives.
pub struct Border {
    /// The parameters, with their names.
    pub params: Vec<(String, Nested)>,
    /// The result.
    pub result: Nested,
}

/// The text of a program of λG that means what the term means. With a number of words, nests that are launched stand in an `on`
/// that makes its values in a region of so many words; without, there is no `on`.
///
/// # Errors
/// What λG cannot say.
pub fn text(program: &Program, border: &Border, words: Option<u32>) -> Result<String, Unsaid> {
    let scope = types::check(program).map_err(|wrong| Unsaid(wrong.message))?;
    let mut paths = Vec::new();
    for (name, ty) in &border.params {
        leaves(ty, name, &mut Vec::new(), &mut paths);
    }
    if paths.len() != program.params.len() {
        return no("the term takes other arrays than the program");
    }
    let given = program.params.iter().map(|param| param.name.clone()).zip(paths).collect();
    let names = border.params.iter().map(|(name, _)| name.clone());
    let mut to = Writer {
        scope: &scope,
        given,
        taken: names.collect(),
        stored: BTreeMap::new(),
        lets: Vec::new(),
        words,
        on_device: false,
        uses_device: false,
        region: String::new(),
        in_loops: 0,
    };
    to.region = to.fresh("q");
    to.hoist(&program.term, &Env::new())?;
    let outs = match program.term.head {
        Head::Results => &program.term.args[..],
        _ => std::slice::from_ref(&program.term),
    };
    let mut results = outs.iter().map(|out| Leaf {
        of: &out.args[0],
        axes: out.args[1..].iter().filter_map(Term::as_axis).cloned().collect(),
        at: Env::new(),
    });
    let result = to.results(&border.result, &mut results)?;
    let body = block(&to.lets, &result);
    let params =
        border.params.iter().map(|(name, ty)| format!("param {name} : {};\n", written(ty)));
    let head: String = params.collect();
    Ok(match words.filter(|_| to.uses_device) {
        Some(words) => format!("{head}letregion {} of {words} in\n{body}\n", to.region),
        None => format!("{head}{body}\n"),
    })
}

/// A type with its regions left out.
fn written(ty: &Nested) -> String {
    match ty {
        Nested::Int => "int".to_owned(),
        Nested::Bool => "bool".to_owned(),
        Nested::Pair(parts) => format!("({} * {})", written(&parts[0]), written(&parts[1])),
        Nested::Vector(of) => format!("Vec ({})", written(of)),
        Nested::Function => "int".to_owned(),
    }
}

/// Where a component of a parameter is: a step from its whole to it.
#[derive(Clone, Copy)]
enum Part {
    First,
    Second,
    /// An element, by the next index.
    Element,
}

/// A component of a parameter.
struct Given {
    param: String,
    path: Vec<Part>,
    is_bool: bool,
}

/// The components of a parameter, from left to right.
fn leaves(ty: &Nested, param: &str, path: &mut Vec<Part>, to: &mut Vec<Given>) {
    let mut inside = |part: Part, of: &Nested| {
        path.push(part);
        leaves(of, param, path, to);
        path.pop();
    };
    match ty {
        Nested::Pair(parts) => {
            inside(Part::First, &parts[0]);
            inside(Part::Second, &parts[1]);
        }
        Nested::Vector(of) => inside(Part::Element, of),
        Nested::Int | Nested::Bool | Nested::Function => {
            let is_bool = *ty == Nested::Bool;
            to.push(Given { param: param.to_owned(), path: path.clone(), is_bool });
        }
    }
}

/// An expression behind bindings.
fn block(lets: &[(String, String)], of: &str) -> String {
    let lets = lets.iter().map(|(name, is)| format!("let {name} = {is} in\n"));
    format!("{}{of}", lets.collect::<String>())
}

/// What axes and states are called.
type Env = BTreeMap<Name, String>;

/// A component of a result, with the axes that have no index yet, in the order of the array, and those that have one.
struct Leaf<'t> {
    of: &'t Term,
    axes: Vec<Name>,
    at: Env,
}

struct Writer<'s> {
    scope: &'s Scope,
    given: BTreeMap<Name, Given>,
    taken: BTreeSet<String>,
    /// The arrays that have names here, by the text of their terms.
    stored: BTreeMap<String, Stored>,
    /// The bindings around what is written.
    lets: Vec<(String, String)>,
    /// Of the region that the device uses.
    words: Option<u32>,
    on_device: bool,
    uses_device: bool,
    region: String,
    /// Functions around what is written.
    in_loops: usize,
}

/// An array that has a name.
#[derive(Clone)]
struct Stored {
    name: String,
    /// Did the device make it?
    by_device: bool,
}

impl Writer<'_> {
    fn fresh(&mut self, stem: &str) -> String {
        let numbered = (1..).map(|nth| format!("{stem}{nth}"));
        let mut wishes = std::iter::once(stem.to_owned()).chain(numbered);
        let name = wishes.find(|name| !self.taken.contains(name)).expect("numbers do not end");
        self.taken.insert(name.clone());
        name
    }

    /// Binds an expression to a new name.
    fn bind(&mut self, stem: &str, is: String) -> String {
        let name = self.fresh(stem);
        self.lets.push((name.clone(), is));
        name
    }

    /// Where what is made lies, if that is said.
    fn at(&self) -> String {
        if self.on_device { format!(" at {}", self.region) } else { String::new() }
    }

    /// What is written with its own bindings and names of arrays, in a function or a branch.
    fn within(&mut self, write: impl FnOnce(&mut Self) -> Said) -> Said {
        let outer = std::mem::take(&mut self.lets);
        let stored = self.stored.clone();
        self.in_loops += 1;
        let written = write(self);
        self.in_loops -= 1;
        self.stored = stored;
        let lets = std::mem::replace(&mut self.lets, outer);
        Ok(block(&lets, &written?))
    }

    /// Is a nest of this tensor launched? An `on` does not stand in another one, nor in a function here.
    fn is_launched(&self, of: &Term) -> bool {
        let is_grid = of.head == Head::Build && of.args[0].head == Head::Level(Level::Grid);
        self.words.is_some() && !self.on_device && self.in_loops == 0 && is_grid
    }

    /// An expression of the device, whose value lies in its region.
    fn on(&mut self, write: impl FnOnce(&mut Self) -> Said) -> Said {
        (self.on_device, self.uses_device) = (true, true);
        let written = self.within(write);
        self.on_device = false;
        Ok(format!("(on ({}) at {})", written?, self.region))
    }

    /// Names the arrays that depend on nothing but what `env` names, inner ones first. One that may get stuck stays where it
    /// is.
    fn hoist(&mut self, term: &Term, env: &Env) -> Said<()> {
        term.args.iter().try_for_each(|arg| self.hoist(arg, env))?;
        let known = |name: &Name| env.contains_key(name) || self.scope.params.contains_key(name);
        let here = term.head == Head::Store && types::free(term).iter().all(known);
        let key = if here { print::term(term) } else { return Ok(()) };
        if !self.stored.contains_key(&key) && is_total(term, self.scope) {
            let (is, by_device) = self.store(term, env)?;
            let name = self.bind("s", is);
            self.stored.insert(key, Stored { name, by_device });
        }
        Ok(())
    }

    /// An array that is stored, and whether the device makes it.
    fn store(&mut self, store: &Term, env: &Env) -> Said<(String, bool)> {
        let axes: Vec<Name> = store.args[2..].iter().filter_map(Term::as_axis).cloned().collect();
        let of = &store.args[1];
        let nest = |to: &mut Self| to.nest(of, &axes, env, &Env::new());
        match self.is_launched(of) {
            true => Ok((self.on(nest)?, true)),
            false => Ok((nest(self)?, self.on_device)),
        }
    }

    /// A tensor as an array with its axes in this order, or as a scalar.
    fn nest(&mut self, of: &Term, axes: &[Name], env: &Env, at: &Env) -> Said {
        let Some((axis, rest)) = axes.split_first() else {
            return self.element(of, at, env);
        };
        self.vector(axis, &mut |to, index| {
            let mut at = at.clone();
            at.insert(axis.clone(), index);
            to.nest(of, rest, env, &at)
        })
    }

    /// A vector with an element for each index of an axis.
    fn vector(&mut self, axis: &Name, element: &mut dyn FnMut(&mut Self, String) -> Said) -> Said {
        let size = self.scope.size(axis).unwrap_or(0);
        let index = self.fresh("i");
        let of = self.within(|to| element(to, index.clone()))?;
        let at = self.at();
        Ok(format!("(parmap (fn {index} => {of}{at}) (iota ({size}{at}){at}){at})"))
    }

    /// The result, or a part of it, from its components.
    fn results<'t>(&mut self, ty: &Nested, outs: &mut impl Iterator<Item = Leaf<'t>>) -> Said {
        let mut leaves = Vec::new();
        let mut paths = Vec::new();
        self::leaves(ty, "", &mut Vec::new(), &mut paths);
        for _ in paths {
            match outs.next() {
                Some(leaf) => leaves.push(leaf),
                None => return no("the term gives other arrays than the program"),
            }
        }
        self.result(ty, leaves)
    }

    fn result(&mut self, ty: &Nested, leaves: Vec<Leaf<'_>>) -> Said {
        let is_launched = leaves.iter().all(|leaf| self.is_launched(leaf.of));
        if is_launched && !leaves.is_empty() && matches!(ty, Nested::Vector(_)) {
            let made = self.on(|to| to.result(ty, leaves))?;
            let made = self.bind("d", made);
            return Ok(self.copied(ty, &made));
        }
        match ty {
            Nested::Int | Nested::Bool => {
                let [leaf] = &leaves[..] else { return no("a component has no array") };
                match ty {
                    Nested::Int => self.element(leaf.of, &leaf.at, &Env::new()),
                    _ => self.condition(leaf.of, &leaf.at, &Env::new()),
                }
            }
            Nested::Pair(parts) => {
                let mut leaves = leaves.into_iter();
                let a = self.results(&parts[0], &mut leaves)?;
                let b = self.results(&parts[1], &mut leaves)?;
                Ok(format!("(({a}), ({b})){}", self.at()))
            }
            Nested::Vector(of) => {
                let firsts: Option<Vec<Name>> =
                    leaves.iter().map(|leaf| leaf.axes.first().cloned()).collect();
                let Some(axis) = firsts.as_ref().and_then(|axes| axes.first()) else {
                    return no("a component has fewer axes than its type");
                };
                let sizes: BTreeSet<_> =
                    firsts.iter().flatten().map(|axis| self.scope.size(axis)).collect();
                if sizes.len() != 1 {
                    return no("the components of a vector are not equally long");
                }
                self.vector(axis, &mut |to, index| {
                    let inside = leaves.iter().map(|leaf| {
                        let mut at = leaf.at.clone();
                        at.insert(leaf.axes[0].clone(), index.clone());
                        Leaf { of: leaf.of, axes: leaf.axes[1..].to_vec(), at }
                    });
                    let inside: Vec<Leaf<'_>> = inside.collect();
                    to.result(of, inside)
                })
            }
            Nested::Function => no("its result has a function"),
        }
    }

    /// A value that the device made, made again by the host.
    fn copied(&mut self, ty: &Nested, of: &str) -> String {
        match ty {
            Nested::Int => format!("(({of}) + 0)"),
            Nested::Bool | Nested::Function => of.to_owned(),
            Nested::Pair(parts) => {
                let name = self.fresh("p");
                let a = self.copied(&parts[0], &format!("fst {name}"));
                let b = self.copied(&parts[1], &format!("snd {name}"));
                format!("(let {name} = {of} in (({a}), ({b})))")
            }
            Nested::Vector(inner) => {
                let name = self.fresh("x");
                let element = self.copied(inner, &name);
                format!("(parmap (fn {name} => {element}) ({of}))")
            }
        }
    }
}
