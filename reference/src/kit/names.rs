//! Names of a program's variables. A variable is a slot: names are unique in the core of every
//! language, so a run keeps its environment in a vector and a lookup is an index.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

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
///
/// Passes make many variables, and few programs are ever printed: what a new variable is called
/// is settled when a text is asked for, in the order in which the variables were made.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Names {
    /// Shared, since a pass may start from a copy of the names.
    settled: Arc<Settled>,
    /// What the variables after the settled ones are to be called.
    wishes: Vec<Wish>,
    /// These with the others, once asked for.
    asked: OnceLock<Arc<Settled>>,
}

/// What a new variable is to be called.
#[derive(Clone, Debug)]
pub enum Wish {
    /// So.
    Text(Arc<str>),
    /// So, as the code that makes it has it.
    Fixed(&'static str),
    /// Like another variable.
    Like(Var),
    /// After another variable and what it is to it: `x_mem`.
    Of(Var, &'static str),
    /// A letter and its own place: `x7`.
    Numbered(char),
}

impl From<&'static str> for Wish {
    fn from(text: &'static str) -> Self {
        Wish::Fixed(text)
    }
}

impl From<String> for Wish {
    fn from(text: String) -> Self {
        Wish::Text(text.into())
    }
}

/// Texts of variables.
#[derive(Clone, Debug, Default)]
struct Settled {
    /// By slot.
    texts: Vec<Arc<str>>,
    /// By slot, without what tells variables of one name apart. Empty if it is not known.
    written: Vec<Arc<str>>,
    /// For each text, the number that the next variable of this stem tries first.
    taken: FxHashMap<Arc<str>, u32>,
}

impl Settled {
    /// Names a variable as wished or, if that is taken, `wish_1`, `wish_2` and so on.
    fn settle(&mut self, wish: &Wish) {
        if self.taken.is_empty() && !self.texts.is_empty() {
            self.taken = self.texts.iter().map(|text| (text.clone(), 1)).collect();
        }
        let mut text: Arc<str> = match wish {
            Wish::Text(text) => Arc::clone(text),
            Wish::Fixed(text) => Arc::from(*text),
            Wish::Like(var) => Arc::clone(&self.texts[var.slot()]),
            Wish::Of(var, what) => format!("{}_{what}", self.texts[var.slot()]).into(),
            Wish::Numbered(letter) => format!("{letter}{}", self.texts.len()).into(),
        };
        if self.written.len() == self.texts.len() {
            self.written.push(Arc::clone(&text));
        }
        if self.taken.contains_key(&text) {
            let stem = Arc::<str>::from(stem(&text));
            let mut next = self.taken.get(&stem).copied().unwrap_or(1);
            loop {
                text = format!("{stem}_{next}").into();
                next += 1;
                if !self.taken.contains_key(&text) {
                    break;
                }
            }
            self.taken.insert(stem, next);
        }
        self.taken.insert(Arc::clone(&text), 1);
        self.texts.push(text);
    }
}

impl Names {
    /// No variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// No variables, and none will have one of these texts.
    pub fn avoiding(words: impl Iterator<Item = &'static str>) -> Self {
        let taken = words.map(|word| (Arc::from(word), 1)).collect();
        Self { settled: Arc::new(Settled { taken, ..Settled::default() }), ..Self::default() }
    }

    /// No variables, and room for so many.
    pub fn with_capacity(variables: usize) -> Self {
        Self { wishes: Vec::with_capacity(variables), ..Self::default() }
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
        Stored { texts: texts.into_iter().map(Into::into).collect() }.into()
    }

    /// A new variable, called as wished or, if that is taken, `wish_1`, `wish_2` and so on.
    pub fn fresh(&mut self, wish: impl Into<Wish>) -> Var {
        if let Some(settled) = self.asked.take() {
            self.settled = settled;
            self.wishes.clear();
        }
        self.wishes.push(wish.into());
        Var(self.len() as u32 - 1)
    }

    /// What the variable is called.
    pub fn text(&self, var: Var) -> &str {
        &self.texts()[var.slot()]
    }

    /// The name of the variable in the text that the program was parsed from, for messages about that text. Other
    /// variables may have the same name there. A variable that was not parsed has the name of [`Names::text`].
    pub fn written(&self, var: Var) -> &str {
        let settled = self.all_settled();
        settled.written.get(var.slot()).unwrap_or(&settled.texts[var.slot()])
    }

    /// The same variables with the names of [`Names::written`]. Several may have one name, so a program with these
    /// names can be shown, and cannot be parsed again.
    pub fn as_written(&self) -> Self {
        let vars = (0..self.len() as u32).map(Var);
        let texts = vars.map(|var| self.written(var).into()).collect();
        Stored { texts }.into()
    }

    /// What each variable is called, by slot.
    fn texts(&self) -> &[Arc<str>] {
        &self.all_settled().texts
    }

    fn all_settled(&self) -> &Settled {
        if self.wishes.is_empty() {
            return &self.settled;
        }
        self.asked.get_or_init(|| {
            let mut settled = Settled::clone(&self.settled);
            self.wishes.iter().for_each(|wish| settled.settle(wish));
            Arc::new(settled)
        })
    }

    /// How many variables there are: the length of an environment.
    pub fn len(&self) -> usize {
        self.settled.texts.len() + self.wishes.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Names as they are stored and sent: their texts.
#[derive(Serialize, Deserialize)]
struct Stored {
    texts: Vec<Arc<str>>,
}

impl From<Stored> for Names {
    fn from(Stored { texts }: Stored) -> Self {
        let settled = Settled { texts, ..Settled::default() };
        Self { settled: Arc::new(settled), ..Self::default() }
    }
}

impl From<Names> for Stored {
    fn from(names: Names) -> Self {
        Self { texts: names.texts().to_vec() }
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.texts() == other.texts()
    }
}

impl Eq for Names {}

/// What a name is called but for the number that tells it from others: `x` of `x_12`.
pub fn stem(text: &str) -> &str {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_distinct_whenever_they_are_asked_for() {
        let wishes = |names: &mut Names| {
            let first = names.fresh("x");
            let second = names.fresh("x".to_owned());
            names.fresh(Wish::Numbered('x'));
            (second, names.fresh(Wish::Of(first, "1")))
        };
        let mut late = Names::of_distinct(vec!["x".into(), "x_1_1".into()]);
        let (_, of) = wishes(&mut late);
        let more = late.fresh(Wish::Of(of, "mem"));
        let mut early = Names::of_distinct(vec!["x".into(), "x_1_1".into()]);
        let (second, of) = wishes(&mut early);
        assert_eq!((early.text(second), early.text(of)), ("x_2", "x_1_2"));
        assert_eq!(early.fresh(Wish::Of(of, "mem")), more);
        assert_eq!(early.text(more), "x_1_2_mem");
        assert_eq!((early.len(), &early), (7, &late));
        assert_eq!(late.text(Var(4)), "x4");
    }
    #[test]
    fn words_to_avoid_are_no_texts() {
        let mut names = Names::avoiding(["x"].into_iter());
        let var = names.fresh("x".to_owned());
        assert_eq!((names.text(var), names.written(var)), ("x_1", "x"));
    }

    #[test]
    fn what_was_written_is_known() {
        let mut names = Names::new();
        let (outer, inner) = (names.fresh("x".to_owned()), names.fresh("x".to_owned()));
        assert_eq!([names.text(outer), names.text(inner)], ["x", "x_1"]);
        assert_eq!([names.written(outer), names.written(inner)], ["x", "x"]);
        let after = names.fresh(Wish::Like(inner));
        assert_eq!([names.text(after), names.written(after)], ["x_2", "x_1"]);
        assert_eq!(names.as_written().text(inner), "x");
    }
}
