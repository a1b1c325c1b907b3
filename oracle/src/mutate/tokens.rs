//! Mutations of a text: of its tokens, and by lines of another text. Most of what comes of them is refused.

use super::typed::INTERESTING;
use crate::generate::Draw;
use std::ops::Range;

/// The tokens of a text: words, numbers, runs of symbols. White space and comments are none.
pub(super) fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if first.is_whitespace() {
            continue;
        }
        if text[start..].starts_with("--") {
            while chars.next_if(|(_, next)| *next != '\n').is_some() {}
            continue;
        }
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let mut end = start + first.len_utf8();
        if word(first) {
            while let Some((at, next)) = chars.next_if(|(_, next)| word(*next)) {
                end = at + next.len_utf8();
            }
        }
        found.push(start..end);
    }
    found
}

/// Is the token the name of something, or a keyword?
pub(super) fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The text with one to three tokens changed.
pub(super) fn mutate(text: &str, draw: &mut Draw<'_, '_>) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + draw.weighed(&[6, 3, 1]) {
        text = once(&text, draw);
    }
    text
}

fn once(text: &str, draw: &mut Draw<'_, '_>) -> String {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return text.to_owned();
    }
    let here = tokens[draw.below(tokens.len())].clone();
    let there = tokens[draw.below(tokens.len())].clone();
    let token = &text[here.clone()];
    let with = |new: &str| format!("{}{new}{}", &text[..here.start], &text[here.end..]);
    if token.starts_with(|first: char| first.is_ascii_digit()) && draw.chance(70) {
        return with(&draw.pick(&INTERESTING).to_string());
    }
    match draw.below(8) {
        0 => with(""),
        1 => with(&format!("{token} {token}")),
        2 => {
            let (first, second) =
                if here.start <= there.start { (here, there) } else { (there, here) };
            if first.end > second.start {
                return text.to_owned();
            }
            [
                &text[..first.start],
                &text[second.clone()],
                &text[first.end..second.start],
                &text[first.clone()],
                &text[second.end..],
            ]
            .concat()
        }
        _ => {
            // Words give way to words, symbols to symbols.
            let kind = is_word(token);
            let alike: Vec<&str> = tokens
                .iter()
                .map(|token| &text[token.clone()])
                .filter(|other| is_word(other) == kind && *other != token)
                .collect();
            match alike.is_empty() {
                true => with(""),
                false => with(draw.pick(&alike)),
            }
        }
    }
}

/// Lines of `donor` at some place between two lines of `text`, and where they stand there. The lines are so
/// many that what they open they close.
pub(super) fn mixed(
    text: &str,
    donor: &str,
    draw: &mut Draw<'_, '_>,
) -> Option<(String, Range<usize>)> {
    let lines: Vec<&str> = donor.split_inclusive('\n').collect();
    let first = draw.below(lines.len());
    let most = lines.len().min(first + 24);
    let mut balanced = Vec::new();
    let mut depth = Depth::default();
    for (at, line) in lines.iter().enumerate().take(most).skip(first) {
        depth.line(line);
        if depth.is_below() {
            break;
        }
        if depth.is_level() {
            balanced.push(at + 1);
        }
    }
    if balanced.is_empty() {
        return None;
    }
    let end = balanced[draw.below(balanced.len().min(6))];
    let part: String = lines[first..end].concat();
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let at = starts[draw.below(starts.len())];
    // Statements of some languages are separated.
    let part = match draw.below(3) {
        0 => format!("{};\n", part.trim_end().trim_end_matches(';')),
        _ => part,
    };
    Some((format!("{}{part}{}", &text[..at], &text[at..]), at..at + part.len()))
}

/// How many brackets and blocks are open.
#[derive(Default)]
struct Depth {
    brackets: i64,
    blocks: i64,
}

impl Depth {
    fn line(&mut self, line: &str) {
        for token in tokens(line) {
            match &line[token] {
                "(" | "[" | "{" => self.brackets += 1,
                ")" | "]" | "}" => self.brackets -= 1,
                "do" | "then" => self.blocks += 1,
                "done" | "fi" => self.blocks -= 1,
                _ => {}
            }
        }
    }

    fn is_below(&self) -> bool {
        self.brackets < 0 || self.blocks < 0
    }

    fn is_level(&self) -> bool {
        self.brackets == 0 && self.blocks == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbitrary::Unstructured;

    #[test]
    fn a_text_falls_into_tokens() {
        let text = "-- say\nx_1 <- a[2]; -- end\n";
        let tokens: Vec<&str> = tokens(text).into_iter().map(|token| &text[token]).collect();
        assert_eq!(tokens, ["x_1", "<", "-", "a", "[", "2", "]", ";"]);
    }

    #[test]
    fn lines_of_a_donor_close_what_they_open() {
        let donor = "kernel k() {\n  x;\n}\nlet y = 1;\n";
        for seed in 0..200 {
            let bytes = crate::generate::case_bytes(seed, 0);
            let mut bytes = Unstructured::new(&bytes);
            let mut draw = Draw::new(&mut bytes);
            if let Some((text, part)) = mixed("a\nb\n", donor, &mut draw) {
                let part = &text[part];
                assert_eq!(part.matches('{').count(), part.matches('}').count(), "{part}");
            }
        }
    }
}
