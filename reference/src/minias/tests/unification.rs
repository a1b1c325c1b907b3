//! Unification of rows: by hand, and all of it against all substitutions (theorem 4.1).

use crate::kit::derivation::Recorder;
use crate::kit::text::Span;
use crate::minias::rows::{Because, Clash, Origin, Row, RowVar, Rows, Ty, entails};
use crate::minias::syntax::{Space, Spaces};

const WRITTEN: Origin =
    Origin { span: Span { start: 0, end: 0 }, because: Because::Written(Spaces::NONE) };

/// `{a, … | v}`, where the variables are numbers.
type Problem = (Spaces, Option<usize>);

fn spaces(names: &[Space]) -> Spaces {
    names.iter().fold(Spaces::NONE, |all, name| all.with(*name))
}

/// The rows of a problem over three variables. Those that stand behind names lack them, if `guarded`.
fn rows(problem: &[Problem], guarded: bool) -> (Rows, [RowVar; 3], Vec<Row>) {
    let mut rows = Rows::new(false);
    let vars = [rows.fresh(), rows.fresh(), rows.fresh()];
    let made =
        problem.iter().map(|(names, end)| Row { names: *names, end: end.map(|at| vars[at]) });
    let made: Vec<Row> = made.collect();
    if guarded {
        for row in &made {
            if let Some(end) = row.end {
                row.names.iter().for_each(|name| rows.lack(end, name, WRITTEN));
            }
        }
    }
    (rows, vars, made)
}

fn unified(left: Problem, right: Problem) -> Result<[Row; 3], Clash> {
    let (mut rows, vars, made) = rows(&[left, right], true);
    rows.unify_rows(made[0], made[1], &mut Recorder::counting())?;
    Ok(vars.map(|var| rows.row(Row::var(var))))
}

#[test]
fn rows_unify_as_the_paper_says() {
    use Space::{Global, Local, Private};
    let (g, l, p) = (spaces(&[Global]), spaces(&[Local]), spaces(&[Private]));
    let both = spaces(&[Global, Local]);
    let [r, s, _] = unified((g, Some(0)), (l, Some(1))).expect("each gets the other's name");
    assert_eq!((r.names, s.names), (l, g));
    assert_eq!(r.end, s.end);
    assert!(r.end.is_some());
    assert_eq!(unified((p, Some(0)), (l, Some(0))), Err(Clash::Tail));
    assert_eq!(unified((Spaces::NONE, Some(0)), (p, Some(0))), Err(Clash::Occurs));
    assert_eq!(unified((p, Some(0)), (Spaces::NONE, Some(0))), Err(Clash::Occurs));
    assert_eq!(unified((p, None), (l, Some(0))), Err(Clash::Closed(Local)));
    assert_eq!(unified((Spaces::NONE, None), (l, Some(0))), Err(Clash::Closed(Local)));
    let [r, ..] = unified((both, None), (l, Some(0))).expect("the rest is global");
    assert_eq!(r, Row::closed(g));
    let [r, ..] = unified((g, Some(0)), (g, None)).expect("the rest is nothing");
    assert_eq!(r, Row::closed(Spaces::NONE));
    // A predicate is kept through a substitution.
    let (mut rows, [r, s, t], _) = rows(&[], false);
    rows.lack(r, Global, WRITTEN);
    let to = &mut Recorder::counting();
    assert_eq!(rows.unify_rows(Row::var(r), Row { names: l, end: Some(s) }, to), Ok(()));
    assert_eq!(rows.unify_rows(Row::var(s), Row { names: p, end: Some(t) }, to), Ok(()));
    let lacks = Err(Clash::Lacks(Global, WRITTEN));
    assert_eq!(rows.unify_rows(Row::var(t), Row::closed(g), to), lacks);
}

#[test]
fn types_unify_to_their_depth() {
    let mut rows = Rows::new(false);
    let to = &mut Recorder::counting();
    let pointer = |rows: &mut Rows, to: Ty| {
        let row = Row::var(rows.fresh());
        Ty::pointer(row, false, to)
    };
    let one = pointer(&mut rows, Ty::Int);
    let two = pointer(&mut rows, one.clone());
    assert_eq!(rows.unify(&one, &two, to), Err(Clash::Shape));
    let null = rows.fresh_type();
    let of_null = pointer(&mut rows, null.clone());
    assert_eq!(rows.unify(&of_null, &two, to), Ok(()));
    assert_eq!(rows.unify(&null, &one, to), Ok(()));
    let own = rows.fresh_type();
    let of_own = pointer(&mut rows, own.clone());
    assert_eq!(rows.unify(&own, &of_own, to), Err(Clash::Occurs));
}

#[test]
fn entailment_goes_by_names_and_the_end() {
    let (mut rows, [r, ..], _) = rows(&[], false);
    let to = &mut Recorder::counting();
    let local = Row { names: spaces(&[Space::Local]), end: Some(r) };
    assert!(entails(local, Space::Global, to));
    assert!(!entails(local, Space::Local, to));
    assert!(entails(Row::closed(Spaces::NONE), Space::Private, to));
    assert_eq!(rows.forbid(local, Space::Local, WRITTEN), Err(Clash::Lacks(Space::Local, WRITTEN)));
    assert_eq!(rows.forbid(local, Space::Global, WRITTEN), Ok(()));
    assert_eq!(rows.lacks(r).collect::<Vec<_>>(), [(Space::Global, WRITTEN)]);
}

const NAMES: [Space; 3] = [Space::Global, Space::Local, Space::Private];

/// All sets of three names.
fn sets() -> Vec<Spaces> {
    (0..8_u8)
        .map(|bits| {
            let chosen = NAMES.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
            chosen.fold(Spaces::NONE, |all, (_, name)| all.with(*name))
        })
        .collect()
}

/// A row under a substitution; none if it has a name twice then.
fn under(unifier: &[Row; 3], (names, end): Problem) -> Option<Row> {
    let Some(at) = end else { return Some(Row::closed(names)) };
    let Row { names: more, end } = unifier[at];
    names.and(more).is_empty().then(|| Row { names: names.or(more), end })
}

/// Theorem 4.1 over all problems of two rows of three names and three variables: there is a unifier if some substitution
/// by closed rows, under which no row has a name twice, makes the two the same; what is found makes them the same; and every
/// such is an instance of it.
#[test]
fn unifiers_are_found_and_most_general() {
    let mut problems: Vec<Problem> = Vec::new();
    for names in sets() {
        problems.extend([None, Some(0), Some(1), Some(2)].map(|end| (names, end)));
    }
    let (mut solved, mut refused) = (0, 0);
    for left in &problems {
        for right in &problems {
            let solutions = solutions(*left, *right);
            match unified(*left, *right) {
                Err(_) => {
                    refused += 1;
                    assert!(solutions.is_empty(), "{left:?} ~ {right:?} has {solutions:?}");
                }
                Ok(unifier) => {
                    solved += 1;
                    let [one, other] = [left, right].map(|row| under(&unifier, *row));
                    assert!(one.is_some() && one == other, "{left:?} ~ {right:?}: {unifier:?}");
                    assert!(!solutions.is_empty(), "{left:?} ~ {right:?}: {unifier:?}");
                    for solution in solutions {
                        assert!(
                            is_instance(&unifier, solution),
                            "{left:?} ~ {right:?}: {unifier:?} {solution:?}"
                        );
                    }
                }
            }
        }
    }
    assert_eq!(solved + refused, 1024);
    assert!(solved > 200 && refused > 200, "{solved} {refused}");
}

/// Every substitution of the variables by closed rows that makes the two rows the same, none with a name twice.
fn solutions(left: Problem, right: Problem) -> Vec<[Spaces; 3]> {
    let mut found = Vec::new();
    let value = |(names, end): Problem, to: &[Spaces; 3]| match end {
        None => Some(names),
        Some(at) if names.and(to[at]).is_empty() => Some(names.or(to[at])),
        Some(_) => None,
    };
    for a in sets() {
        for b in sets() {
            for c in sets() {
                let to = [a, b, c];
                if let (Some(one), Some(two)) = (value(left, &to), value(right, &to))
                    && one == two
                {
                    found.push(to);
                }
            }
        }
    }
    found
}

/// Do the variables that are left have values for which the unifier is the solution?
fn is_instance(unifier: &[Row; 3], solution: [Spaces; 3]) -> bool {
    let mut values: Vec<(RowVar, Spaces)> = Vec::new();
    unifier.iter().zip(solution).all(|(row, wanted)| {
        if row.names.and(wanted) != row.names {
            return false;
        }
        let rest = wanted.minus(row.names);
        match row.end {
            None => rest.is_empty(),
            Some(end) => match values.iter().find(|(var, _)| *var == end) {
                Some((_, value)) => *value == rest,
                None => {
                    values.push((end, rest));
                    true
                }
            },
        }
    })
}

/// The most general inserter of a name exists if some substitution puts it into the row, by theorem 4.1 too.
#[test]
fn inserters_are_found() {
    for names in sets() {
        for end in [None, Some(0)] {
            for name in NAMES {
                let (mut rows, vars, made) = rows(&[(names, end)], true);
                let inserted = rows.insert(name, made[0], &mut Recorder::counting());
                assert_eq!(inserted.is_ok(), names.has(name) || end.is_some());
                if inserted.is_ok() {
                    assert!(rows.row(made[0]).names.has(name));
                    let grown = rows.row(Row::var(vars[0]));
                    let wanted = if names.has(name) { Spaces::NONE } else { Spaces::one(name) };
                    assert_eq!(grown.names, wanted);
                }
            }
        }
    }
}
