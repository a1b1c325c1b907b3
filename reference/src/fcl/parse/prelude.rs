//! The prelude: definitions of FCL that programs see before their own. Those that a program uses become
//! definitions of it.

use super::definitions;
use crate::fcl::PRELUDE;
use crate::fcl::syntax::{Def, Program};
use crate::kit::names::{Names, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::OnceLock;

/// Its text. The places of its definitions count from [`PRELUDE`] on.
pub const TEXT: &str = include_str!("prelude.fcl");

/// The prelude as a program sees it.
pub(super) struct Prelude {
    /// What each variable is called.
    names: Names,
    defs: Vec<Def>,
    numbers: FxHashMap<String, usize>,
    /// For each definition, those that it uses.
    uses: Vec<Vec<usize>>,
}

/// The prelude, which is read once.
pub(super) fn prelude() -> &'static Prelude {
    static PARSED: OnceLock<Prelude> = OnceLock::new();
    PARSED.get_or_init(|| {
        let parsed = definitions(TEXT, PRELUDE, None);
        let (defs, scope) = parsed.unwrap_or_else(|no| panic!("the prelude is FCL: {no:?}"));
        Prelude::new(scope.program(defs))
    })
}

impl Prelude {
    fn new(program: Program) -> Self {
        let mut defs = program.defs;
        let of_var: FxHashMap<Var, usize> =
            defs.iter().enumerate().map(|(number, def)| (def.name, number)).collect();
        let mut uses = Vec::new();
        for (number, def) in defs.iter_mut().enumerate() {
            def.prelude = true;
            let mut used = FxHashSet::default();
            def.vars_mut(&mut |var| used.extend(of_var.get(var)));
            used.remove(&number);
            uses.push(used.into_iter().collect());
        }
        let named = defs.iter().enumerate();
        let numbers = named.map(|(number, def)| (program.names.text(def.name).to_owned(), number));
        Self { numbers: numbers.collect(), names: program.names, defs, uses }
    }

    /// The number of the definition of this name.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The names of its definitions.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(String::as_str)
    }

    /// These definitions and those that they use, in order, each with a new variable that is called as here.
    pub(super) fn used(
        &self,
        wanted: impl Iterator<Item = usize>,
        names: &mut Names,
    ) -> Vec<(usize, Var)> {
        let mut used = vec![false; self.defs.len()];
        let mut open: Vec<usize> = wanted.collect();
        while let Some(number) = open.pop() {
            if !std::mem::replace(&mut used[number], true) {
                open.extend(&self.uses[number]);
            }
        }
        let used = (0..self.defs.len()).filter(|number| used[*number]);
        used.map(|number| {
            let text = self.names.text(self.defs[number].name).to_owned();
            (number, names.fresh(text))
        })
        .collect()
    }

    /// Copies of the definitions that [`Prelude::used`] gave, over new variables.
    pub(super) fn copies(&self, used: &[(usize, Var)], names: &mut Names) -> Vec<Def> {
        let mut here: FxHashMap<Var, Var> =
            used.iter().map(|(number, var)| (self.defs[*number].name, *var)).collect();
        let mut copy = |number: usize| {
            let mut def = self.defs[number].clone();
            def.vars_mut(&mut |var| {
                let text = || names.fresh(self.names.written(*var).to_owned());
                *var = *here.entry(*var).or_insert_with(text);
            });
            def
        };
        used.iter().map(|(number, _)| copy(*number)).collect()
    }
}
