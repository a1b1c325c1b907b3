//! What tests put into buffers and read from them.

/// A scalar of a shader, or an array of them: of `array<vec4f>` an element is `[f32; 4]`. Of a vector of three the padding
/// is part of it.
pub trait Data: Copy {
    /// How many words it has.
    const WORDS: usize;

    /// Writes its words behind others.
    fn write(self, to: &mut Vec<u32>);

    /// Reads so many words.
    fn read(words: &[u32]) -> Self;
}

macro_rules! scalars {
    ($($scalar:ty: $write:expr, $read:expr;)*) => {$(
        impl Data for $scalar {
            const WORDS: usize = 1;

            fn write(self, to: &mut Vec<u32>) {
                to.push($write(self));
            }

            fn read(words: &[u32]) -> Self {
                $read(words[0])
            }
        }
    )*};
}

scalars! {
    u32: |word| word, |word| word;
    i32: |number| number as u32, |word| word as i32;
    f32: f32::to_bits, f32::from_bits;
}

impl<T: Data, const N: usize> Data for [T; N] {
    const WORDS: usize = N * T::WORDS;

    fn write(self, to: &mut Vec<u32>) {
        self.into_iter().for_each(|part| part.write(to));
    }

    fn read(words: &[u32]) -> Self {
        std::array::from_fn(|part| T::read(&words[part * T::WORDS..]))
    }
}

/// The words of these.
pub(super) fn words_of<T: Data>(data: &[T]) -> Vec<u32> {
    let mut words = Vec::with_capacity(data.len() * T::WORDS);
    data.iter().for_each(|part| part.write(&mut words));
    words
}

/// What these words are; of a last one that is cut off nothing.
pub(super) fn read_of<T: Data>(words: &[u32]) -> Vec<T> {
    match T::WORDS {
        0 => Vec::new(),
        size => words.chunks_exact(size).map(T::read).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::{read_of, words_of};

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(words_of(&[1.0f32, -0.0]), [0x3f80_0000, 0x8000_0000]);
        assert_eq!(read_of::<i32>(&words_of(&[-1, i32::MIN])), [-1, i32::MIN]);
        let points = [[1.0f32, 2.0], [3.0, 4.0]];
        assert_eq!(words_of(&points).len(), 4);
        assert_eq!(read_of::<[f32; 2]>(&words_of(&points)), points);
        assert_eq!(read_of::<[u32; 2]>(&[1, 2, 3]), [[1, 2]]);
        assert_eq!(read_of::<[u32; 0]>(&[1, 2, 3]).len(), 0);
    }
}
