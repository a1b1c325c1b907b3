//! Evidence by both readings, and what the two have in common.

use crate::kit::derivation::Recorder;
use crate::minias::evidence::{Evidence, Reading, Table, evidence, id, table};
use crate::minias::rows::{Row, RowVar, Rows};
use crate::minias::rules::Rule;
use crate::minias::syntax::{Space, Spaces};

/// All sets of three names.
fn sets() -> impl Iterator<Item = Spaces> {
    let names = [Space::Global, Space::Local, Space::Private];
    (0..8_u8).map(move |bits| {
        let chosen = names.into_iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        chosen.fold(Spaces::NONE, |all, (_, name)| all.with(name))
    })
}

fn to() -> Recorder<Rule> {
    Recorder::counting()
}

fn var() -> RowVar {
    Rows::new(false).fresh()
}

#[test]
fn evidence_is_that_of_figure_9() {
    let r = var();
    let row = |names: &[Space], end| Row {
        names: names.iter().fold(Spaces::NONE, |all, name| all.with(*name)),
        end,
    };
    let name = |_: RowVar, space: Space| format!("v_{space}");
    let places =
        |row, space| evidence(row, space, Reading::Places, &mut to()).map(|found| found.text(name));
    use Space::{Global, Local, Private};
    assert_eq!(places(row(&[Local], Some(r)), Global).as_deref(), Some("v_global"));
    assert_eq!(places(row(&[Local], Some(r)), Private).as_deref(), Some("v_private + 1"));
    assert_eq!(places(row(&[Global, Local], Some(r)), Private).as_deref(), Some("v_private + 2"));
    assert_eq!(places(row(&[Local], None), Private).as_deref(), Some("1"));
    assert_eq!(places(row(&[], None), Private).as_deref(), Some("0"));
    assert_eq!(places(row(&[Private], Some(r)), Private), None);
    let fixed =
        |row, space| evidence(row, space, Reading::Fixed, &mut to()).map(|found| found.text(name));
    assert_eq!(fixed(row(&[Local], Some(r)), Private).as_deref(), Some("2"));
    assert_eq!(fixed(row(&[], None), Local).as_deref(), Some("1"));
    assert_eq!(fixed(row(&[Local], None), Local), None);
    // A load by its place alone takes global for local memory, since local is at 0 in {local}.
    let local =
        evidence(row(&[], None), Local, Reading::Places, &mut to()).expect("it lacks local");
    assert_eq!((local.number(|_, _| 0), id(Global)), (0, 0));
    assert_eq!(closed_table(Spaces::one(Local)), [id(Local)]);
}

fn closed_table(names: Spaces) -> Vec<u32> {
    table(Row::closed(names), &mut to()).by_place(|_| Vec::new(), |_, _| 0)
}

/// What is computed with a variable at the end is, for each closed row that the variable may be, what that row has: places
/// and tables commute with substitution, so a function that is passed them is right wherever it is called.
#[test]
fn evidence_and_tables_commute_with_substitution() {
    let r = var();
    let mut compared = 0;
    for names in sets() {
        for end in sets().filter(|end| end.and(names).is_empty()) {
            let whole = Row::closed(names.or(end));
            let open = Row { names, end: Some(r) };
            let assumed = |_: RowVar, space: Space| {
                let found = evidence(Row::closed(end), space, Reading::Places, &mut to());
                found.expect("the end lacks it").number(|_, _| 0)
            };
            let found = table(open, &mut to()).by_place(|_| closed_table(end), assumed);
            assert_eq!(found, closed_table(whole.names));
            assert!(found.is_sorted(), "places are in the order of the spaces: {found:?}");
            for space in Space::ALL.into_iter().filter(|space| !whole.names.has(*space)) {
                for reading in [Reading::Fixed, Reading::Places] {
                    let [one, other] =
                        [open, whole].map(|row| evidence(row, space, reading, &mut to()));
                    let number =
                        |found: Option<Evidence>| found.expect("it lacks it").number(assumed);
                    assert_eq!(number(one), number(other));
                    compared += 1;
                }
                // The place leads through the table of the longer row to the id: both readings find the same space.
                let at = evidence(open, space, Reading::Places, &mut to())
                    .expect("it lacks it")
                    .number(assumed);
                let longer = closed_table(whole.names.with(space));
                let fixed = evidence(open, space, Reading::Fixed, &mut to()).expect("it lacks it");
                assert_eq!(longer[at as usize], fixed.number(assumed));
            }
        }
    }
    assert!(compared >= 80, "{compared}");
}

#[test]
fn the_readings_agree_at_the_full_row() {
    let full = Spaces::GENERIC;
    assert_eq!(closed_table(full), [0, 1, 2]);
    let no_end = Table { ids: Vec::new(), end: None };
    assert_eq!(table(Row::closed(Spaces::NONE), &mut to()), no_end);
}
