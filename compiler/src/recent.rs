//! A cache of what was made of texts. It is emptied when it is full: a campaign makes new shaders all the time,
//! and few of them again.

use rustc_hash::FxHashMap;

/// Values by the texts that they were made of.
#[derive(Debug)]
pub struct Recent<V> {
    values: FxHashMap<String, V>,
    /// The most values, and the most bytes of all texts.
    most: usize,
    most_bytes: usize,
    /// Bytes of all texts.
    bytes: usize,
}

impl<V: Clone> Recent<V> {
    /// An empty cache for this many values and this many bytes of texts. A single text may be longer.
    pub fn new(most: usize, most_bytes: usize) -> Self {
        Self { values: FxHashMap::default(), most: most.max(1), most_bytes, bytes: 0 }
    }

    /// The value of a text, if it is in the cache.
    pub fn get(&self, text: &str) -> Option<V> {
        self.values.get(text).cloned()
    }

    /// Adds the value of a text, or replaces it.
    pub fn insert(&mut self, text: String, value: V) {
        if !self.values.contains_key(&text) {
            let is_full = self.values.len() >= self.most;
            if is_full || self.bytes + text.len() > self.most_bytes {
                self.values.clear();
                self.bytes = 0;
            }
            self.bytes += text.len();
        }
        self.values.insert(text, value);
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn it_is_emptied_when_it_is_full() {
        let mut recent = Recent::new(2, 10);
        recent.insert("one".to_owned(), 1);
        recent.insert("two".to_owned(), 2);
        recent.insert("two".to_owned(), 3);
        assert_eq!((recent.get("one"), recent.get("two")), (Some(1), Some(3)));
        recent.insert("more".to_owned(), 4);
        assert_eq!((recent.get("one"), recent.get("two")), (None, None));
        assert_eq!(recent.get("more"), Some(4));
        // Four bytes and seven are more than ten. A longer text is kept alone.
        recent.insert("seven..".to_owned(), 5);
        assert_eq!((recent.get("more"), recent.get("seven..")), (None, Some(5)));
        let long = "s".repeat(40);
        recent.insert(long.clone(), 6);
        assert_eq!((recent.get("seven.."), recent.get(&long)), (None, Some(6)));
        recent.insert("short".to_owned(), 7);
        assert_eq!((recent.get(&long), recent.get("short")), (None, Some(7)));
    }
}
