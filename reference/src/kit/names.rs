//! Names of a program's variables. A variable is a slot: names are unique in the core of every
//! language, so a run keeps its environment in a vector and a lookup is an index.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A variable: its place in the [`Names`] of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Var(pub u32);

impl Var {
    /// The slot.
    #[inline]
    pub fn slot(self) -> usize {
        self.0 as usize
    }
}

/// The variables of one program. Every variable is bound at exactly one place, and its text
/// stands for no other variable of the program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Names {
    /// Shared, since every pass starts from a copy of the names.
    texts: Vec<Arc<str>>,
    /// For each text, the number that the next variable of this stem tries first.
    #[serde(skip)]
    taken: FxHashMap<Arc<str>, u32>,
}

impl Names {
    /// No variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// The variables that are called so, in order. Quicker than one by one.
    ///
    /// # Panics
    /// In debug builds, if two texts are equal.
    pub fn of_distinct(texts: Vec<String>) -> Self {
        debug_assert!(
            texts.iter().collect::<std::collections::HashSet<_>>().len() == texts.len(),
            "two variables of one name"
        );
        let texts = texts.into_iter().map(Into::into).collect();
        Self { texts, taken: FxHashMap::default() }
    }

    /// A new variable, called `wish` or, if that is taken, `wish_1`, `wish_2` and so on.
    pub fn fresh(&mut self, wish: &str) -> Var {
        if self.taken.is_empty() && !self.texts.is_empty() {
            self.taken = self.texts.iter().map(|text| (text.clone(), 1)).collect();
        }
        let mut text: Arc<str> = wish.into();
        if self.taken.contains_key(&text) {
            let stem = stem(wish);
            let mut next = self.taken.get(stem).copied().unwrap_or(1);
            loop {
                text = format!("{stem}_{next}").into();
                next += 1;
                if !self.taken.contains_key(&text) {
                    break;
                }
            }
            self.taken.insert(stem.into(), next);
        }
        self.taken.insert(Arc::clone(&text), 1);
        self.texts.push(text);
        Var(self.texts.len() as u32 - 1)
    }

    /// What the variable is called.
    pub fn text(&self, var: Var) -> &str {
        &self.texts[var.slot()]
    }

    /// How many variables there are: the length of an environment.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl Eq for Names {}

/// `x` of `x_12`.
fn stem(text: &str) -> &str {
    match text.rsplit_once('_') {
        Some((stem, digits))
            if !stem.is_empty()
                && !digits.is_empty()
                && digits.bytes().all(|b| b.is_ascii_digit()) =>
        {
            stem
        }
        _ => text,
    }
}
