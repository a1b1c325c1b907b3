//! What axes are called: as FUN calls them, where that is no word of terms.

use reference::axes::syntax::{KEYWORDS, Name};
use reference::kit::names::{Names, Var, stem};
use std::collections::{BTreeMap, BTreeSet};

/// The names so far. All of them differ, wherever they are bound.
pub(super) struct Naming {
    taken: BTreeSet<String>,
    of: BTreeMap<Var, Name>,
}

impl Default for Naming {
    fn default() -> Self {
        let taken = KEYWORDS.iter().map(|word| (*word).to_owned()).collect();
        Naming { taken, of: BTreeMap::new() }
    }
}

impl Naming {
    /// What a variable is called: as the text has it, if nothing before it is called so.
    pub(super) fn of(&mut self, var: Var, names: &Names) -> Name {
        if let Some(name) = self.of.get(&var) {
            return name.clone();
        }
        let written = names.written(var);
        let name = match self.taken.insert(written.to_owned()) {
            true => Name::new(written),
            false => self.fresh(written),
        };
        self.of.insert(var, name.clone());
        name
    }

    /// A new name like this one.
    pub(super) fn fresh(&mut self, like: &str) -> Name {
        let stem = stem(like);
        let numbered = (1..).map(|nth| format!("{stem}_{nth}"));
        let mut wishes = std::iter::once(stem.to_owned()).chain(numbered);
        let text = wishes.find(|text| !self.taken.contains(text)).expect("numbers do not end");
        self.taken.insert(text.clone());
        Name::new(&text)
    }
}
