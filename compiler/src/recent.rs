//! A map of texts that keeps what was asked for last: a campaign makes ever new shaders, and a few
//! of them again and again.

use rustc_hash::FxHashMap;

/// At most so many values, by their texts, and texts of at most so many bytes: what is made of a long
/// text is large. It has two halves: when the young one is full it becomes the old one, whose place it
/// takes, and what is asked for is young again.
#[derive(Debug)]
pub struct Recent<V> {
    /// Values of a half.
    most: usize,
    /// Bytes of all texts.
    bytes: usize,
    young: Half<V>,
    old: Half<V>,
}

#[derive(Debug)]
struct Half<V> {
    values: FxHashMap<String, V>,
    /// Bytes of its texts.
    bytes: usize,
}

impl<V> Half<V> {
    fn empty() -> Self {
        Self { values: FxHashMap::default(), bytes: 0 }
    }

    fn remove(&mut self, text: &str) -> Option<(String, V)> {
        let found = self.values.remove_entry(text)?;
        self.bytes -= text.len();
        Some(found)
    }
}

impl<V: Clone> Recent<V> {
    /// Nothing yet, and never more than `most` values, nor texts of more than `bytes`, but one that is
    /// longer alone.
    pub fn new(most: usize, bytes: usize) -> Self {
        Self { most: (most / 2).max(1), bytes, young: Half::empty(), old: Half::empty() }
    }

    /// The value of this text, if it is still there.
    pub fn get(&mut self, text: &str) -> Option<V> {
        if let Some(value) = self.young.values.get(text) {
            return Some(value.clone());
        }
        let (text, value) = self.old.remove(text)?;
        self.insert(text, value.clone());
        Some(value)
    }

    /// Keeps a value, in the place of what the text had.
    pub fn insert(&mut self, text: String, value: V) {
        self.young.remove(&text);
        self.old.remove(&text);
        let young = &self.young;
        let full = young.values.len() >= self.most || young.bytes + text.len() > self.bytes / 2;
        if full && !young.values.is_empty() {
            self.old = std::mem::replace(&mut self.young, Half::empty());
        }
        if self.old.bytes + self.young.bytes + text.len() > self.bytes {
            self.old = Half::empty();
        }
        self.young.bytes += text.len();
        self.young.values.insert(text, value);
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
            assert!(recent.young.values.len() + recent.old.values.len() <= 8);
        }
        assert_eq!(recent.get("50"), None);
    }

    /// Of long texts fewer are kept, and of one that is too long by itself nothing else.
    #[test]
    fn long_texts_are_bounded() {
        let mut recent = Recent::new(1000, 100);
        for number in 0..50 {
            recent.insert(format!("{number:010}"), number);
            let kept = recent.young.values.keys().chain(recent.old.values.keys());
            assert!(kept.map(String::len).sum::<usize>() <= 100);
            assert_eq!(recent.get(&format!("{:010}", number)), Some(number));
        }
        assert_eq!(recent.young.values.len() + recent.old.values.len(), 10);
        // A short one may stay beside one of more than half, as long as both fit.
        for (bytes, beside) in [(60, true), (200, false)] {
            let long = "l".repeat(bytes);
            recent.insert(long.clone(), 1);
            recent.insert("short".to_owned(), 2);
            assert_eq!(recent.get(&long).is_some(), beside, "{bytes} bytes");
            assert_eq!(recent.get("short"), Some(2));
            recent.insert("s".repeat(40), 3);
            assert!(recent.young.bytes + recent.old.bytes <= 100);
        }
    }

    /// A text that is kept again counts once, in whichever half it was.
    #[test]
    fn a_text_kept_again_counts_once() {
        let mut recent = Recent::new(100, 100);
        for value in 0..20 {
            recent.insert("often".to_owned(), value);
        }
        for number in 0..4 {
            recent.insert(format!("{number:010}"), number);
        }
        assert_eq!(recent.young.bytes, 45);
        for number in 4..9 {
            recent.insert(format!("{number:010}"), number);
        }
        assert!(!recent.young.values.contains_key("often"), "it is old");
        recent.insert("often".to_owned(), 7);
        assert_eq!(recent.get("often"), Some(7));
        let kept = |half: &super::Half<i32>| half.values.keys().map(String::len).sum::<usize>();
        assert_eq!(recent.young.bytes, kept(&recent.young));
        assert_eq!(recent.old.bytes, kept(&recent.old));
    }
}
