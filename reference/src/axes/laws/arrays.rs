//! Laws of arrays in memory.

use super::super::index::Index;
use super::super::syntax::{Head, Kind, Level, Name, Place, Term};
use super::super::{total, types};
use super::apply::{At, is_scalar, substituted};
use super::{Class, Line, computed, declare, law};

pub(super) const LINES: &[Line] = &[
    law("layout-2", &["(get (store p T i j) x y)"], "(get (store p T j i) y x)", Class::Cost),
    law(
        "layout-3",
        &["(get (store p T i j k) x y z)"],
        "(get (store p T j i k) y x z)",
        Class::Cost,
    ),
    law(
        "layout-3-inner",
        &["(get (store p T i j k) x y z)"],
        "(get (store p T i k j) x z y)",
        Class::Cost,
    ),
    computed(
        "inline",
        &[
            "(get (store p T i) x)",
            "(get (store p T i j) x y)",
            "(get (store p T i j k) x y z)",
            "(get (store p T i j k l) x y z w)",
        ],
        "e[i := x, ...], where T is (build ... e)",
        Class::Cost,
        inline,
    )
    .guarded("e is total, the indices are inside, no name is captured"),
    computed(
        "materialise",
        &["e"],
        "(get (store glob (build seq i_m n ... e[i := i_m, ...]) i_m ...) i ...)",
        Class::Cost,
        materialise,
    )
    .guarded("e is total"),
    computed(
        "pack",
        &["(get X x y)"],
        "(get (store glob (build seq j n (build seq i m (get X i j))) j i) y x)",
        Class::Cost,
        pack,
    ),
    computed(
        "pack-rows",
        &["(get X x y)"],
        "(get (store glob (build seq i_o n/t (build seq j m (build seq i_i t (get X t*i_o+i_i j)))) i_o j i_i) x/t y x%t)",
        Class::Cost,
        |at| pack_tiles(at, 0),
    )
    .tiles()
    .guarded("t divides n"),
    computed(
        "pack-columns",
        &["(get X x y)"],
        "(get (store glob (build seq j_o m/t (build seq i n (build seq j_i t (get X i t*j_o+j_i)))) j_o i j_i) y/t x y%t)",
        Class::Cost,
        |at| pack_tiles(at, 1),
    )
    .tiles()
    .guarded("t divides m"),
];

fn inline(at: &mut At<'_>) -> Option<Term> {
    let axes = ["i", "j", "k", "l"].into_iter().zip(["x", "y", "z", "w"]);
    let there = axes.filter(|(hole, _)| at.found.contains_key(&Name::new(hole)));
    let there: Vec<(Name, Index)> = there
        .map(|(hole, index)| Some((at.axis(hole)?.clone(), at.term(index).as_index()?)))
        .collect::<Option<_>>()?;
    let mut body = at.term("T").clone();
    let mut left = there.len();
    while let Head::Build = body.head {
        let axis = body.args[1].as_axis()?;
        if !there.iter().any(|(name, _)| name == axis) {
            return None;
        }
        left -= 1;
        body = body.args[3].clone();
    }
    if left > 0 || !is_scalar(&body, at.scope) {
        return None;
    }
    at.guard(|at| total::is_total(&body, at.scope))?;
    for (axis, index) in &there {
        let (least, largest) = index.range(&at.scope.sizes)?;
        let size = i64::from(at.scope.size(axis)?);
        at.guard(|_| least >= 0 && largest < size)?;
    }
    // One after the other is all at once, if no index mentions an axis that is replaced later.
    let clash = |(_, index): &(Name, Index)| there.iter().any(|(axis, _)| index.mentions(axis));
    at.guard(|_| !there.iter().any(clash))?;
    there.iter().try_fold(body, |body, (axis, index)| substituted(&body, axis, index, at.scope))
}

/// The most axes of an array that a law makes.
const RANK: usize = 4;

/// A scalar that has axes, is no constant and reads no store at its root.
fn materialise(at: &mut At<'_>) -> Option<Term> {
    let of = at.term("e").clone();
    let reads_store = of.head == Head::Get && of.args[0].head == Head::Store;
    if of.args.is_empty() || reads_store || !at.is_scalar("e") {
        return None;
    }
    at.guard(|at| at.is_total("e"))?;
    let free = types::free(&of).into_iter();
    let free: Vec<Name> = free.filter(|name| !at.scope.params.contains_key(name)).collect();
    // A state has no size.
    let sizes: Vec<u32> = free.iter().map(|name| at.scope.size(name)).collect::<Option<_>>()?;
    if free.is_empty() || free.len() > RANK {
        return None;
    }
    sizes.iter().try_fold(1_i32, |n, size| n.checked_mul(i32::try_from(*size).ok()?))?;
    let mut body = of;
    let mut own = Vec::new();
    for (name, size) in free.iter().zip(&sizes) {
        let new = Name::new(&format!("{name}_m"));
        declare(at, &[(&new, *size)])?;
        body = substituted(&body, name, &Index::axis(&new), at.scope)?;
        own.push(new);
    }
    for (name, size) in own.iter().zip(&sizes).rev() {
        body = Term::build(Level::Seq, name, *size, body);
    }
    let store = Term::store(Place::Glob, body, &own);
    Some(Term::get(store, free.iter().map(Term::at)))
}

/// A copy of a parameter, its axes the other way round.
fn pack(at: &mut At<'_>) -> Option<Term> {
    let array = at.term("X").clone();
    let Head::Array(name) = &array.head else { return None };
    let Some(Kind::Array(sizes)) = at.scope.params.get(name) else { return None };
    let [rows, columns] = sizes[..] else { return None };
    let (i, j) = (Name::new(&format!("{name}_p1")), Name::new(&format!("{name}_p2")));
    declare(at, &[(&i, rows), (&j, columns)])?;
    let copy = Term::get(array, [Term::at(&i), Term::at(&j)]);
    let copy = Term::build(Level::Seq, &i, rows, copy);
    let copy = Term::build(Level::Seq, &j, columns, copy);
    let store = Term::store(Place::Glob, copy, &[j, i]);
    Some(Term::get(store, [at.term("y").clone(), at.term("x").clone()]))
}

/// A copy of a parameter in tiles of one of its axes: tile after tile, in each of them the other axis,
/// and the elements of a tile in a row.
fn pack_tiles(at: &mut At<'_>, tiled: usize) -> Option<Term> {
    let array = at.term("X").clone();
    let Head::Array(name) = &array.head else { return None };
    let Some(Kind::Array(sizes)) = at.scope.params.get(name) else { return None };
    let [rows, columns] = sizes[..] else { return None };
    let (long, across) = if tiled == 0 { (rows, columns) } else { (columns, rows) };
    let tile = at.parameter;
    if tile < 2 || long <= tile {
        return None;
    }
    at.guard(|_| long.is_multiple_of(tile))?;
    let read = [at.term("x"), at.term("y")];
    let (outer, inner) = read[tiled].as_index()?.divided(tile, &at.scope.sizes)?;
    let other = read[1 - tiled].clone();
    let axis = |part: &str| Name::new(&format!("{name}_{part}{}_{tile}", tiled + 1));
    let axes = [axis("o"), axis("j"), axis("i")];
    let counts = [long / tile, across, tile];
    declare(at, &[(&axes[0], counts[0]), (&axes[1], counts[1]), (&axes[2], counts[2])])?;
    let along = Term::index(Index::axis(&axes[2]).plus(&Index::axis(&axes[0]), i64::from(tile))?);
    let own = Term::at(&axes[1]);
    let place = if tiled == 0 { [along, own] } else { [own, along] };
    let copy = axes.iter().zip(counts).rev();
    let copy = copy
        .fold(Term::get(array, place), |of, (axis, size)| Term::build(Level::Seq, axis, size, of));
    let store = Term::store(Place::Glob, copy, &axes);
    Some(Term::get(store, [Term::index(outer), other, Term::index(inner)]))
}
