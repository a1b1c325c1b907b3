//! Laws of work groups: who runs a loop, and where an array is. Both mean nothing, so all of these
//! are about cost. The laws of levels keep their order in what they match;
//! [`super::super::levels`] says what a plan asks for.

use super::super::syntax::{Head, Level, Name, Place, Term};
use super::super::total;
use super::apply::{At, substituted};
use super::{Class, Line, computed, law};

pub(super) const LINES: &[Line] = &[
    law("level-group", &["(build seq i n T)"], "(build group i n T)", Class::Cost)
        .both()
        .only(|at| !has_outer(at.term("T"), Level::Group)),
    law("level-lane", &["(build seq i n T)"], "(build lane i n T)", Class::Cost)
        .both()
        .only(|at| !has_outer(at.term("T"), Level::Lane)),
    computed(
        "hoist",
        &[
            "(get (store p T h i) a x)",
            "(get (store p T i h) x a)",
            "(get (store p T h i j) a x y)",
            "(get (store p T i h j) x a y)",
            "(get (store p T i j h) x y a)",
            "(get (store p T h i j k) a x y z)",
            "(get (store p T i h j k) x a y z)",
            "(get (store p T i j h k) x y a z)",
            "(get (store p T i j k h) x y z a)",
        ],
        "(get (store p U[h := a] i ...) x ...), where T is U in a build of h",
        Class::Cost,
        hoist,
    )
    .guarded("T is total, a is inside"),
    computed(
        "place-group",
        &[
            "(get (store glob T i) x)",
            "(get (store glob T i j) x y)",
            "(get (store glob T i j k) x y z)",
            "(get (store glob T i j k l) x y z w)",
        ],
        "(get (store group T i ...) x ...)",
        Class::Cost,
        |at| placed(at, Place::Group { pad: 0 }),
    )
    .guarded("it fits"),
    computed(
        "place-priv",
        &[
            "(get (store glob T i) x)",
            "(get (store glob T i j) x y)",
            "(get (store glob T i j k) x y z)",
        ],
        "(get (store priv T i ...) x ...)",
        Class::Cost,
        |at| placed(at, Place::Priv),
    )
    .guarded("it fits"),
    computed(
        "pad",
        &[
            "(get (store group T i j) x y)",
            "(get (store group T i j k) x y z)",
            "(get (store group T i j k l) x y z w)",
        ],
        "(get (store group+c T i ...) x ...)",
        Class::Cost,
        |at| {
            let pad = at.parameter;
            if pad == 0 { None } else { placed(at, Place::Group { pad }) }
        },
    )
    .words()
    .guarded("it fits with c words behind each row"),
];

/// Does a build of an outer level stand in a tensor? What an array is made by is not on the path.
fn has_outer(of: &Term, level: Level) -> bool {
    let own = match (&of.head, of.args.first().map(|arg| &arg.head)) {
        (Head::Build, Some(Head::Level(own))) => *own > level,
        _ => false,
    };
    own || of.head != Head::Store && of.args.iter().any(|arg| has_outer(arg, level))
}

/// The axes of the layout that the holes stand for.
fn axes(at: &At<'_>) -> Vec<Name> {
    let there = ["i", "j", "k", "l"].into_iter().map(Name::new);
    let there = there.filter_map(|hole| at.found.get(&hole)?.as_axis().cloned());
    there.collect()
}

/// The indices of the read.
fn indices(at: &At<'_>) -> Vec<Term> {
    let there = ["x", "y", "z", "w"].into_iter().map(Name::new);
    there.filter_map(|hole| at.found.get(&hole).cloned()).collect()
}

/// A store of all rounds of a loop, or one in each round.
fn hoist(at: &mut At<'_>) -> Option<Term> {
    let (axis, index) = (at.axis("h")?.clone(), at.term("a").as_index()?);
    let Head::Place(place) = at.term("p").head else { return None };
    let body = without_build(at.term("T"), &axis)?;
    at.guard(|at| {
        let size = at.scope.size(&axis).unwrap_or(0);
        let range = index.range(&at.scope.sizes);
        let inside = range.is_some_and(|(least, most)| least >= 0 && most < i64::from(size));
        inside && total::is_total(at.term("T"), at.scope)
    })?;
    let body = substituted(&body, &axis, &index, at.scope)?;
    Some(Term::get(Term::store(place, body, &axes(at)), indices(at)))
}

/// The tensor without the build of an axis, if there is one among its outermost builds.
fn without_build(of: &Term, axis: &Name) -> Option<Term> {
    let (bound, _) = of.binds().filter(|_| of.head == Head::Build)?;
    if bound == axis {
        return Some(of.args[3].clone());
    }
    let mut args = of.args.to_vec();
    args[3] = without_build(&args[3], axis)?;
    Some(Term::new(Head::Build, args))
}

/// The store in another place.
fn placed(at: &mut At<'_>, place: Place) -> Option<Term> {
    let axes = axes(at);
    let sizes: Vec<u32> = axes.iter().map(|axis| at.scope.size(axis)).collect::<Option<_>>()?;
    at.guard(|_| place.words(&sizes) <= place.most_words())?;
    Some(Term::get(Term::store(place, at.term("T").clone(), &axes), indices(at)))
}
