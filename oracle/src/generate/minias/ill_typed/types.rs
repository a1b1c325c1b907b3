//! Types that break a premise: rows that are none.

use super::sites::{At, Edit};
use super::{ALL, Way, way};
use reference::minias::syntax::{Space, Spaces, Type, Written};
use reference::minias::types::Mode;

pub(super) const WAYS: &[Way] = &[
    way("K-ROW", "lacks", ALL, At::Type(name_twice)),
    way("K-ROW", "constant", ALL, At::Type(constant_with_another)),
    way("K-ROW", "generic", &[Mode::Private], At::Type(generic_where_there_is_none)),
    way("=>E", "single", &[Mode::Single], At::Type(two_names)),
];

fn write(ty: &mut Type, edit: &mut Edit<'_>, written: Written) -> bool {
    let at = edit.dice.below(ty.stars.len() as u64) as usize;
    ty.stars[at].written = written;
    true
}

fn name_twice(ty: &mut Type, edit: &mut Edit<'_>) -> bool {
    let space = [Space::Global, Space::Local, Space::Private][edit.dice.below(3) as usize];
    write(ty, edit, Written::Row { names: Spaces::one(space), twice: Some(space), end: None })
}

fn constant_with_another(ty: &mut Type, edit: &mut Edit<'_>) -> bool {
    let constant = Spaces::one(Space::Constant);
    let (names, end) = match edit.dice.below(2) {
        0 => (constant.with(Space::Local), None),
        _ => (constant, Some(edit.names.fresh("r"))),
    };
    write(ty, edit, Written::Row { names, twice: None, end })
}

fn generic_where_there_is_none(ty: &mut Type, edit: &mut Edit<'_>) -> bool {
    write(ty, edit, Written::Generic)
}

fn two_names(ty: &mut Type, edit: &mut Edit<'_>) -> bool {
    let names = Spaces::one(Space::Global).with(Space::Private);
    write(ty, edit, Written::Row { names, twice: None, end: None })
}
