//! Typed mutations: a node of a program's tree gives way to another of its sort. What comes of it is printed
//! and read again, and held against the type rules.

use super::sorts::{Path, Sorts, at, nodes};
use crate::generate::Draw;
use serde_json::{Value as Tree, json};

/// Numbers at which something is special: arithmetic, sizes of work groups and of vectors.
pub(super) const INTERESTING: [i64; 20] = [
    0,
    1,
    2,
    -1,
    3,
    4,
    5,
    7,
    8,
    31,
    32,
    33,
    63,
    64,
    65,
    255,
    256,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
];

/// A node that may be changed.
struct Node {
    place: String,
    path: Path,
}

/// Changes the tree once, if what is drawn can be done there.
pub(super) fn mutate(tree: &mut Tree, sorts: &Sorts, draw: &mut Draw<'_, '_>) -> Option<()> {
    match draw.weighed(&[6, 3, 4, 3]) {
        0 => exchange(tree, sorts, draw),
        1 => number(tree, sorts, draw),
        2 => elements(tree, draw),
        _ => closed(tree, sorts, draw),
    }
}

/// The nodes of which this holds.
fn those(tree: &Tree, holds: &dyn Fn(&str, &Tree) -> bool) -> Vec<Node> {
    let mut found = Vec::new();
    nodes(tree, "program", &mut Path::new(), &mut |place, path, node| {
        if holds(place, node) {
            found.push(Node { place: place.to_owned(), path: path.clone() });
        }
    });
    found
}

fn one(mut nodes: Vec<Node>, draw: &mut Draw<'_, '_>) -> Option<Node> {
    (!nodes.is_empty()).then(|| nodes.swap_remove(draw.below(nodes.len())))
}

/// A node gives way to another of its sort in the same program: an expression, a statement, a type, a name.
fn exchange(tree: &mut Tree, sorts: &Sorts, draw: &mut Draw<'_, '_>) -> Option<()> {
    let small = |_: &str, node: &Tree| !node.is_array() && !node.is_null();
    let all = those(tree, &small);
    let node = one(all, draw)?;
    let sort = sorts.sort(&node.place);
    let old = at(tree, &node.path)?.clone();
    let mut others =
        those(tree, &|place, node| small(place, node) && sorts.sort(place) == sort && *node != old);
    // Nothing is put into itself.
    others.retain(|other| !node.path.starts_with(&other.path));
    let other = one(others, draw)?;
    let new = at(tree, &other.path)?.clone();
    *at(tree, &node.path)? = new;
    Some(())
}

/// A literal or a size becomes another number, mostly an interesting one.
fn number(tree: &mut Tree, sorts: &Sorts, draw: &mut Draw<'_, '_>) -> Option<()> {
    let literals = those(tree, &|place, node| node.is_number() && sorts.is_literal(place));
    let node = one(literals, draw)?;
    let place = at(tree, &node.path)?;
    let old = place.as_i64().unwrap_or(0);
    let new = match draw.below(4) {
        0 => old.saturating_add(1),
        1 => old.saturating_sub(1),
        _ => draw.pick(&INTERESTING),
    };
    *place = json!(new);
    Some(())
}

/// An element of a list goes, stands there twice, or changes places with another: a statement, a parameter, a
/// result, a kernel.
fn elements(tree: &mut Tree, draw: &mut Draw<'_, '_>) -> Option<()> {
    let lists = those(tree, &|place, node| {
        let elements = node.as_array();
        // The parts of a variant are no list.
        let is_list = !place.starts_with(|first: char| first.is_ascii_uppercase());
        is_list && elements.is_some_and(|elements| !elements.is_empty())
    });
    let node = one(lists, draw)?;
    let elements = at(tree, &node.path)?.as_array_mut()?;
    let (from, to) = (draw.below(elements.len()), draw.below(elements.len()));
    match draw.below(4) {
        0 => drop(elements.remove(from)),
        1 => elements.insert(to, elements[from].clone()),
        2 => {
            let moved = elements.remove(from);
            elements.insert(to, moved);
        }
        _ => elements.swap(from, to),
    }
    Some(())
}

/// A node becomes one that stands at such places in any program: another type, another operator.
fn closed(tree: &mut Tree, sorts: &Sorts, draw: &mut Draw<'_, '_>) -> Option<()> {
    let nodes = those(tree, &|place, _| !sorts.closed(&sorts.sort(place)).is_empty());
    let node = one(nodes, draw)?;
    let closed = sorts.closed(&sorts.sort(&node.place));
    let new = closed[draw.below(closed.len())].clone();
    let place = at(tree, &node.path)?;
    if *place == new {
        return None;
    }
    *place = new;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbitrary::Unstructured;

    #[test]
    fn what_gives_way_gives_way_to_its_sort() {
        let tree = json!({"body": [
            {"span": 1, "kind": {"Assign": [0, {"Bin": ["Add", {"Const": 500}]}]}},
            {"span": 2, "kind": {"Skip": null}},
        ], "names": {"texts": ["x"]}});
        let sorts = Sorts::of(std::slice::from_ref(&tree));
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..2_000u64 {
            let bytes = crate::generate::case_bytes(seed, 0);
            let mut changed = tree.clone();
            let mut bytes = Unstructured::new(&bytes[..40]);
            if mutate(&mut changed, &sorts, &mut Draw::new(&mut bytes)).is_some() {
                assert_eq!(changed["names"], tree["names"]);
                seen.insert(changed.to_string());
            }
        }
        assert!(seen.iter().any(|text| text.contains("2147483647")));
        assert!(seen.iter().any(|text| text.matches("Skip").count() == 2));
        assert!(seen.iter().any(|text| !text.contains("Skip")));
        assert!(seen.iter().all(|text| !text.contains("\"Add\":")));
    }
}
