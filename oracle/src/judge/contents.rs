//! What buffers hold before a run and are to hold behind it, as `PLACE=SPEC` says.

use compiler::emit::foreign::{Element, Resource};
use reference::spirv::half::{from_bits, to_bits};
use std::fs;
use std::str::FromStr;

/// Which buffer: the name of its variable, or `GROUP.BINDING`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceName(pub String);

impl PlaceName {
    /// Is it this one?
    pub fn names(&self, resource: &Resource) -> bool {
        let Resource { name, group, binding, .. } = resource;
        !name.is_empty() && self.0 == *name || self.0 == format!("{group}.{binding}")
    }
}

/// The words of a buffer, and how they are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    /// Its bytes, four by four, little end first.
    pub words: Vec<u32>,
    /// What its scalars are, if that is said.
    pub element: Option<Element>,
}

/// The most words of a buffer: 1 GiB.
const MOST: u64 = 1 << 28;

/// What is said of the contents of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    /// The words themselves.
    Words(Contents),
    /// So many words of a kind.
    Filled(Kind, u32),
}

/// Words that need not be written one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Zeros.
    Zero,
    /// 0, 1, 2 and so on.
    Iota,
    /// Numbers that look drawn, always the same ones.
    Random,
}

impl Spec {
    /// How many words they are.
    pub fn words(&self) -> u64 {
        match self {
            Spec::Words(contents) => contents.words.len() as u64,
            Spec::Filled(_, words) => u64::from(*words),
        }
    }

    /// The contents.
    pub fn contents(&self) -> Contents {
        let words = match self {
            Spec::Words(contents) => return contents.clone(),
            Spec::Filled(Kind::Zero, words) => vec![0; *words as usize],
            Spec::Filled(Kind::Iota, words) => (0..*words).collect(),
            Spec::Filled(Kind::Random, words) => scattered(*words).collect(),
        };
        Contents { words, element: None }
    }
}

impl FromStr for Spec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some((kind, number)) if !text.starts_with('@') => filled(kind, number),
            _ => text.parse().map(Spec::Words),
        }
    }
}

impl FromStr for Contents {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix('@') {
            return of_file(path);
        }
        let list = text.strip_suffix(']').and_then(|text| text.split_once('['));
        let Some((kind, list)) = list else {
            return Err(format!(
                "`{text}` is none of @FILE, u32[..], i32[..], f32[..], f16[..], zero:N, iota:N and random:N"
            ));
        };
        let items = list.split(',').map(str::trim).filter(|item| !item.is_empty());
        let no = |item: &str| format!("`{item}` is no {kind}");
        let (words, element) = match kind {
            "u32" => (
                items
                    .map(|item| unsigned(item).ok_or_else(|| no(item)))
                    .collect::<Result<_, _>>()?,
                Element::Unsigned,
            ),
            "i32" => {
                let signed =
                    items.map(|item| item.parse::<i32>().map(|n| n as u32).map_err(|_| no(item)));
                (signed.collect::<Result<_, _>>()?, Element::Signed)
            }
            "f32" => {
                let float =
                    |item: &str| item.parse().ok().filter(|x: &f32| says(item, x.is_finite()));
                let floats =
                    items.map(|item| float(item).map(f32::to_bits).ok_or_else(|| no(item)));
                (floats.collect::<Result<_, _>>()?, Element::Float)
            }
            "f16" => {
                let halves: Vec<u32> = items
                    .map(|item| {
                        let bits = item.parse().ok().map(to_bits);
                        let bits = bits.filter(|bits| says(item, from_bits(*bits).is_finite()));
                        bits.map(u32::from).ok_or_else(|| no(item))
                    })
                    .collect::<Result<_, _>>()?;
                // Two of them are a word, the first one below.
                let word = |pair: &[u32]| pair[0] | pair.get(1).copied().unwrap_or(0) << 16;
                (halves.chunks(2).map(word).collect(), Element::Half)
            }
            _ => return Err(format!("`{kind}` is none of u32, i32, f32 and f16")),
        };
        Ok(Contents { words, element: Some(element) })
    }
}

/// Does it say the number that it is read as? One with digits is no infinity.
fn says(item: &str, is_finite: bool) -> bool {
    is_finite || !item.contains(|c: char| c.is_ascii_digit())
}

fn unsigned(item: &str) -> Option<u32> {
    match item.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => item.parse().ok(),
    }
}

fn of_file(path: &str) -> Result<Contents, String> {
    let no = |error| format!("{path} cannot be read: {error}");
    let about = fs::metadata(path).map_err(no)?;
    if !about.is_file() {
        return Err(format!("{path} is no file"));
    }
    if about.len() > 4 * MOST {
        return Err(format!("{path} has {} bytes: a buffer has {} at most", about.len(), 4 * MOST));
    }
    let bytes = fs::read(path).map_err(no)?;
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(format!("{path} has {} bytes, which is no multiple of 4", bytes.len()));
    }
    let words = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
    Ok(Contents { words, element: None })
}

fn filled(kind: &str, number: &str) -> Result<Spec, String> {
    let words = number.parse::<u64>().ok().filter(|words| *words <= MOST);
    let words = words.ok_or_else(|| format!("`{number}` is no number of words up to {MOST}"))?;
    let kind = match kind {
        "zero" => Kind::Zero,
        "iota" => Kind::Iota,
        "random" => Kind::Random,
        _ => return Err(format!("`{kind}` is none of zero, iota and random")),
    };
    Ok(Spec::Filled(kind, words as u32))
}

/// Numbers that look drawn, always the same ones.
fn scattered(words: u32) -> impl Iterator<Item = u32> {
    (0..words).map(|word| {
        // The finalizer of MurmurHash3.
        let mut word = word.wrapping_add(0x9e37_79b9);
        word = (word ^ word >> 16).wrapping_mul(0x85eb_ca6b);
        word = (word ^ word >> 13).wrapping_mul(0xc2b2_ae35);
        word ^ word >> 16
    })
}

impl Contents {
    /// What a buffer gets that nobody says anything of: zeros where the shader writes, and `1, 2, 3, …` where it only reads;
    /// room for this many elements, if it ends with an array of no stated length.
    pub fn made_up(resource: &Resource, elements: u32) -> Self {
        let more = resource.step.map_or(0, |step| step.saturating_mul(elements.saturating_sub(1)));
        let words = u64::from(resource.least.saturating_add(more)).min(MOST) as u32;
        let half = |number: u32| u32::from(to_bits(f64::from(number)));
        let word = |number: u32| match (resource.written, resource.element) {
            (true, _) => 0,
            (false, Element::Float) => ((number + 1) as f32).to_bits(),
            (false, Element::Half) => half(2 * number + 1) | half(2 * number + 2) << 16,
            (false, Element::Unsigned | Element::Signed) => number + 1,
        };
        Self { words: (0..words).map(word).collect(), element: Some(resource.element) }
    }
}

/// What begins at byte `part` of a word, as `PLACE=SPEC` has it between brackets.
pub(super) fn scalar(word: u32, part: u32, element: Element) -> String {
    match element {
        Element::Unsigned => word.to_string(),
        Element::Signed => (word as i32).to_string(),
        Element::Float => f32::from_bits(word).to_string(),
        Element::Half => half(word, part).to_string(),
    }
}

fn half(word: u32, part: u32) -> f64 {
    from_bits((word >> (8 * part)) as u16)
}

/// Words as `PLACE=SPEC` has them.
pub fn written(words: &[u32], element: Element) -> String {
    let (name, parts): (_, &[u32]) = match element {
        Element::Unsigned => ("u32", &[0]),
        Element::Signed => ("i32", &[0]),
        Element::Float => ("f32", &[0]),
        Element::Half => ("f16", &[0, 2]),
    };
    let scalars = words.iter().flat_map(|word| parts.iter().map(|part| (*word, *part)));
    let scalars: Vec<_> = scalars.map(|(word, part)| scalar(word, part, element)).collect();
    format!("{name}[{}]", scalars.join(","))
}

/// The byte of a word at which it is another one: of two halves the first that differs.
pub(super) fn part(word: u32, other: u32, element: Element) -> u32 {
    let low = u32::from(u16::MAX);
    if element == Element::Half && word & low == other & low { 2 } else { 0 }
}

/// Where a word begins to be another one than was expected, if floats may differ by a share of themselves and this much more.
pub(super) fn differs(
    word: u32,
    wanted: u32,
    element: Element,
    (tolerance, error): (f32, f64),
) -> Option<u32> {
    let far = |a: f64, b: f64| {
        // The sign of a zero is open.
        let near = a == b || (a - b).abs() <= f64::from(tolerance) * b.abs() + error;
        !(near || a.is_nan() && b.is_nan())
    };
    let single = |word: u32| f64::from(f32::from_bits(word));
    match element {
        _ if word == wanted => None,
        Element::Unsigned | Element::Signed => Some(0),
        Element::Float => far(single(word), single(wanted)).then_some(0),
        Element::Half => {
            [0, 2].into_iter().find(|part| far(half(word, *part), half(wanted, *part)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Contents, Spec, differs, part, written};
    use compiler::emit::foreign::Element;

    #[test]
    fn contents_are_read_as_they_are_written() {
        for text in ["u32[1,2,4294967295]", "i32[-1,0]", "f32[0.5,-3]", "u32[]", "f16[0.5,-3]"] {
            let contents: Contents = text.parse().expect("contents");
            assert_eq!(written(&contents.words, contents.element.expect("said")), text);
        }
        let words = |text: &str| text.parse().map(|spec: Spec| spec.contents().words);
        assert_eq!(words("f16[1,-2,0.5]"), Ok(vec![0xc000_3c00, 0x3800]));
        assert_eq!(words("iota:3"), Ok(vec![0, 1, 2]));
        assert_eq!(words("f32[-inf]"), Ok(vec![0xff80_0000]));
        for (text, why) in [
            ("u32[1,x]", "`x` is no u32"),
            ("i32[2147483648]", "`2147483648` is no i32"),
            ("zero:-1", "`-1` is no number of words up to 268435456"),
            ("zeros:1", "`zeros` is none of zero, iota and random"),
            ("f32[1e39]", "`1e39` is no f32"),
            ("f16[0,70000]", "`70000` is no f16"),
            ("f64[1]", "`f64` is none of u32, i32, f32 and f16"),
        ] {
            assert_eq!(text.parse::<Spec>(), Err(why.to_owned()));
        }
    }

    #[test]
    fn floats_agree_within_a_share() {
        let near = |a: f32, b: f32, share| {
            differs(a.to_bits(), b.to_bits(), Element::Float, (share, 0.0)).is_none()
        };
        assert!(near(1.0, 1.01, 0.02) && !near(1.0, 1.01, 0.001) && near(f32::NAN, f32::NAN, 0.0));
        assert!(near(0.0, -0.0, 0.0) && near(f32::INFINITY, f32::INFINITY, 0.0));
        assert_eq!(differs(1, 2, Element::Unsigned, (10.0, 0.0)), Some(0));
    }

    /// Of two halves in a word each is asked by itself.
    #[test]
    fn halves_agree_within_a_share() {
        let words = |text: &str| text.parse::<Contents>().expect("contents").words[0];
        let [one, near, far] = ["f16[1,100]", "f16[1.01,100]", "f16[1,101]"].map(words);
        let differs = |a, b, share| differs(a, b, Element::Half, (share, 0.0));
        assert_eq!((differs(one, near, 0.02), differs(one, near, 0.001)), (None, Some(0)));
        assert_eq!((differs(one, far, 0.02), differs(one, far, 0.001)), (None, Some(2)));
        assert_eq!((part(one, near, Element::Half), part(one, far, Element::Half)), (0, 2));
    }
}
