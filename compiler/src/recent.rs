//! A map of texts that keeps what was asked for last: a campaign makes ever new shaders, and a few
//! of them again and again.

use rustc_hash::FxHashMap;

/// At most so many values, by their texts, and texts of at most so many bytes: what is made of a long
/// text is large. It has two halves: when the young one is full it becomes the old one, whose place it
/// takes, and what is asked for is young again.
#[derive(Debug)]
pub struct Recent<V> {
    /// Values of a half, and bytes of its texts.
    half: (usize, usize),
    young: FxHashMap<String, V>,
    old: FxHashMap<String, V>,
    /// Bytes of the texts of the young half.
    bytes: usize,
}

impl<V: Clone> Recent<V> {
    /// Nothing yet, and never more than `most` values, nor texts of more than `bytes`. A text that is
    /// longer than half of that is kept alone.
    pub fn new(most: usize, bytes: usize) -> Self {
        let half = ((most / 2).max(1), bytes / 2);
        Self { half, young: FxHashMap::default(), old: FxHashMap::default(), bytes: 0 }
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
        let (most, bytes) = self.half;
        let full = self.young.len() >= most || self.bytes + text.len() > bytes;
        if full && !self.young.is_empty() {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += text.len();
        self.young.insert(text, value);
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn what_is_asked_for_stays() {
        let mut recent = Recent::new(8, 1 << 10);
        recent.insert("often".to_owned(), 0);
        for number in 1..100 {
            recent.insert(number.to_string(), number);
            assert_eq!(recent.get("often"), Some(0));
            assert_eq!(recent.get(&number.to_string()), Some(number));
            assert!(recent.young.len() + recent.old.len() <= 8);
        }
        assert_eq!(recent.get("50"), None);
    }

    /// Of long texts fewer are kept, and of one that is too long by itself nothing else.
    #[test]
    fn long_texts_are_bounded() {
        let mut recent = Recent::new(1000, 100);
        for number in 0..50 {
            recent.insert(format!("{number:010}"), number);
            let kept = recent.young.keys().chain(recent.old.keys());
            assert!(kept.map(String::len).sum::<usize>() <= 100);
            assert_eq!(recent.get(&format!("{:010}", number)), Some(number));
        }
        assert_eq!(recent.young.len() + recent.old.len(), 10);
        for number in 50..53 {
            recent.insert(format!("{number:0200}"), number);
            assert!(
                recent.young.len() == 1 && recent.get(&format!("{number:0200}")) == Some(number)
            );
        }
        assert_eq!(recent.young.len() + recent.old.len(), 2);
    }
}
