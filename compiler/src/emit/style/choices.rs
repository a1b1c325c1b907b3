//! Styles drawn from bytes. Most are plain, and most others have one construct: a driver takes longer for what is
//! not plain.

use super::{Construct, Sites, Style};

/// How many bytes a style is drawn from at most.
pub const STYLE_BYTES: usize = 16;

/// Shares, of 256: of styles that are plain, and of others that have one construct more than the
/// number before it.
const PLAIN: u8 = 160;
const ANOTHER: u8 = 96;

/// The most constructs that are drawn together.
const MOST: usize = 5;

impl Style {
    /// The style that is drawn from these bytes, the first [`STYLE_BYTES`] of them. None are plain.
    pub fn drawn(bytes: &[u8]) -> Style {
        let mut bytes = bytes.iter().copied().take(STYLE_BYTES);
        let mut style = Style::PLAIN;
        if bytes.next().is_none_or(|first| first < PLAIN) {
            return style;
        }
        for _ in 0..MOST {
            let (Some(which), Some(sites)) = (bytes.next(), bytes.next()) else { break };
            let construct = Construct::ALL[(usize::from(which) * Construct::ALL.len()) >> 8];
            let sites = match sites % 4 {
                0 => Sites::Odd,
                1 => Sites::Even,
                _ => Sites::All,
            };
            style = style.with(construct, sites);
            if bytes.next().is_none_or(|more| more >= ANOTHER) {
                break;
            }
        }
        style
    }
}

#[cfg(test)]
mod tests {
    use super::{STYLE_BYTES, Style};
    use crate::emit::style::Construct;

    /// Bytes that look like chance, the same ones each time.
    fn bytes(number: u32) -> Vec<u8> {
        let mut state = number.wrapping_mul(0x9e37_79b9) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 24) as u8
        };
        (0..STYLE_BYTES).map(|_| next()).collect()
    }

    #[test]
    fn most_styles_are_plain_or_nearly_so() {
        let styles: Vec<Style> = (1..=10_000).map(|number| Style::drawn(&bytes(number))).collect();
        let with = |range: std::ops::RangeInclusive<usize>| {
            styles.iter().filter(|style| range.contains(&style.constructs().count())).count()
        };
        assert!((5_800..6_700).contains(&with(0..=0)), "{} are plain", with(0..=0));
        assert!((1_900..2_800).contains(&with(1..=1)), "{} have one", with(1..=1));
        assert!((900..1_900).contains(&with(2..=9)), "{} have more", with(2..=9));
        for construct in Construct::ALL {
            let has = |style: &&Style| style.constructs().any(|c| c == *construct);
            let count = styles.iter().filter(has).count();
            assert!(count >= 100, "{} is drawn {count} times in 10,000", construct.name());
        }
    }

    #[test]
    fn no_bytes_are_plain() {
        assert_eq!(Style::drawn(&[]), Style::PLAIN);
        assert_eq!(Style::drawn(&[255]), Style::PLAIN);
    }
}
