//! A map of texts that keeps what was asked for last: a campaign makes ever new shaders, and a few
//! of them again and again.

use std::collections::HashMap;

/// At most so many values, by their texts. It has two halves: when the young one is full it
/// becomes the old one, whose place it takes, and what is asked for is young again.
#[derive(Debug)]
pub struct Recent<V> {
    half: usize,
    young: HashMap<String, V>,
    old: HashMap<String, V>,
}

impl<V: Clone> Recent<V> {
    /// Nothing yet, and never more than `most` values.
    pub fn new(most: usize) -> Self {
        Self { half: (most / 2).max(1), young: HashMap::new(), old: HashMap::new() }
    }

    /// The value of this text, if it is still there.
    pub fn get(&mut self, text: &str) -> Option<V> {
        if let Some(value) = self.young.get(text) {
            return Some(value.clone());
        }
        let (text, value) = self.old.remove_entry(text)?;
        self.insert(text, value.clone());
        Some(value)
    }

    /// Keeps a value.
    pub fn insert(&mut self, text: String, value: V) {
        if self.young.len() >= self.half {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(text, value);
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn what_is_asked_for_stays() {
        let mut recent = Recent::new(8);
        recent.insert("often".to_owned(), 0);
        for number in 1..100 {
            recent.insert(number.to_string(), number);
            assert_eq!(recent.get("often"), Some(0));
            assert_eq!(recent.get(&number.to_string()), Some(number));
            assert!(recent.young.len() + recent.old.len() <= 8);
        }
        assert_eq!(recent.get("50"), None);
    }
}
