//! What may stand in the place of what in the tree that a program is serialized as, whatever its language.
//!
//! A node has a *place*: the field, the variant or the element of an array that it is. Two places have the
//! same *sort* if nodes of the same variant stand in both. This is as fine as needed: what does not fit
//! is no program, and what fits is held against the type rules.

use serde_json::Value as Tree;
use std::collections::{BTreeMap, BTreeSet};

/// The sorts of the places of a language, and what stands in all programs alike.
#[derive(Debug, Default)]
pub(super) struct Sorts {
    parents: BTreeMap<String, String>,
    /// By sort: nodes without names and numbers, such as types and operators.
    closed: BTreeMap<String, Vec<Tree>>,
    /// Places of numbers that are no names: literals and sizes.
    literals: BTreeSet<String>,
}

/// Where a node is: the steps to it from the root.
pub(super) type Path = Vec<Step>;

/// A step into a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To a field or a variant.
    Field(String),
    /// To an element.
    At(usize),
}

/// Is this the name of a variant? Those of fields are in small letters.
fn is_variant(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
}

/// What the node is a variant of, if it is one.
fn tag(node: &Tree) -> Option<String> {
    match node {
        Tree::String(name) if is_variant(name) => Some(name.clone()),
        Tree::Object(fields) if fields.len() == 1 => {
            let (name, inner) = fields.iter().next()?;
            let kind = match inner {
                Tree::Array(_) => "[]",
                Tree::Object(_) => "{}",
                _ => "",
            };
            is_variant(name).then(|| format!("{name}{kind}"))
        }
        _ => None,
    }
}

/// What holds names and places of the text: no mutant has others.
const FIXED: [&str; 2] = ["names", "span"];

/// Calls `each` for every node with its place and the path to it, the outer ones first.
pub(super) fn nodes<'t>(
    node: &'t Tree,
    place: &str,
    path: &mut Path,
    each: &mut dyn FnMut(&str, &Path, &'t Tree),
) {
    each(place, path, node);
    match node {
        Tree::Array(elements) => {
            for (at, element) in elements.iter().enumerate() {
                // The parts of a variant have places of their own, elements of a list have one.
                let within = match is_variant(place) && !place.contains(['.', '[']) {
                    true => format!("{place}.{at}"),
                    false => format!("{place}[]"),
                };
                path.push(Step::At(at));
                nodes(element, &within, path, each);
                path.pop();
            }
        }
        Tree::Object(fields) => {
            for (name, inner) in fields {
                if FIXED.contains(&name.as_str()) {
                    continue;
                }
                path.push(Step::Field(name.clone()));
                nodes(inner, name, path, each);
                path.pop();
            }
        }
        _ => {}
    }
}

/// The node at the path.
pub(super) fn at<'t>(root: &'t mut Tree, path: &[Step]) -> Option<&'t mut Tree> {
    path.iter().try_fold(root, |node, step| match step {
        Step::Field(name) => node.get_mut(name),
        Step::At(at) => node.get_mut(at),
    })
}

impl Sorts {
    /// The sorts that these programs show.
    pub(super) fn of(programs: &[Tree]) -> Self {
        let mut sorts = Sorts::default();
        for program in programs {
            let known = program["names"]["texts"].as_array().map_or(0, Vec::len) as f64;
            nodes(program, "program", &mut Path::new(), &mut |place, _, node| {
                if let Some(tag) = tag(node) {
                    sorts.join(place, &format!("={tag}"));
                }
                if node.as_f64().is_some_and(|number| !(0.0..known).contains(&number)) {
                    sorts.literals.insert(place.to_owned());
                }
            });
        }
        for program in programs {
            nodes(program, "program", &mut Path::new(), &mut |place, _, node| {
                if tag(node).is_some() && is_closed(node) {
                    let closed = sorts.closed.entry(sorts_root(&sorts.parents, place)).or_default();
                    if !closed.contains(node) {
                        closed.push(node.clone());
                    }
                }
            });
        }
        sorts
    }

    fn join(&mut self, a: &str, b: &str) {
        let (a, b) = (sorts_root(&self.parents, a), sorts_root(&self.parents, b));
        if a != b {
            self.parents.insert(a, b);
        }
    }

    /// The sort of a place.
    pub(super) fn sort(&self, place: &str) -> String {
        sorts_root(&self.parents, place)
    }

    /// What stands at places of this sort in any program, whatever its names.
    pub(super) fn closed(&self, sort: &str) -> &[Tree] {
        self.closed.get(sort).map_or(&[], Vec::as_slice)
    }

    /// Is a number at the place a literal or a size?
    pub(super) fn is_literal(&self, place: &str) -> bool {
        self.literals.contains(place)
    }
}

fn sorts_root(parents: &BTreeMap<String, String>, place: &str) -> String {
    let mut root = place;
    while let Some(parent) = parents.get(root) {
        root = parent;
    }
    root.to_owned()
}

/// Has the node no numbers? Names are numbers in a tree.
fn is_closed(node: &Tree) -> bool {
    match node {
        Tree::Number(_) => false,
        Tree::Array(elements) => elements.iter().all(is_closed),
        Tree::Object(fields) => {
            fields.iter().all(|(name, inner)| name != "span" && is_closed(inner))
        }
        Tree::Null | Tree::Bool(_) | Tree::String(_) => true,
    }
}
