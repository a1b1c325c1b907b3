//! What is shown of a source around a place: all of it, unless its lines are longer than anybody reads. Line and
//! column are those of the whole source.

use super::problem::plain;
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use reference::kit::text::Span;

/// Longest line around a place that is shown whole, in bytes.
const LONGEST: usize = 400;

/// How much of a longer one is shown on either side of the place.
const BESIDE: usize = 60;

/// The most lines of a place that are marked.
const MOST_LINES: usize = 12;

/// A part of a source.
#[derive(Debug)]
pub(super) struct Window {
    name: String,
    shown: String,
    /// Where it starts: byte, line and column, each from 0.
    from: usize,
    line: usize,
    column: usize,
}

impl Window {
    /// What is shown around a byte of the source of this name.
    pub(super) fn around(name: &str, source: &str, at: usize) -> Self {
        let (from, shown) = cut(source, at);
        let before = &source.as_bytes()[..from];
        let line = before.iter().filter(|byte| **byte == b'\n').count();
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
        Self { name: plain(name), shown: plain(shown), from, line, column }
    }

    /// A span of the source, as far as it is shown: of one over many lines the first.
    pub(super) fn clip(&self, span: Span) -> Span {
        let clip = |at: u32| (at as usize).saturating_sub(self.from).min(self.shown.len());
        let (start, end) = (clip(span.start), clip(span.end));
        let mut ends = self.shown.bytes().enumerate().skip(start).take(end.saturating_sub(start));
        let mut ends = ends.by_ref().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at);
        let (first, last) = (ends.next(), ends.nth(MOST_LINES - 2));
        Span::new(start, if last.is_some() { first.unwrap_or(end) } else { end })
    }
}

impl SourceCode for Window {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = self.shown.read_span(span, before, after)?;
        let column = if read.line() == 0 { self.column } else { 0 };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            read.data(),
            *read.span(),
            read.line() + self.line,
            read.column() + column,
            read.line_count(),
        )))
    }
}

/// What is shown around a byte, and where that starts.
fn cut(source: &str, at: usize) -> (usize, &str) {
    let boundary = |mut at: usize| {
        at = at.min(source.len());
        while !source.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (from, to) = (boundary(at.saturating_sub(LONGEST)), boundary(at + LONGEST));
    // One line before the place and one behind it are shown with it.
    if source[from..to].bytes().filter(|byte| *byte == b'\n').count() >= 3
        || source.len() <= 2 * LONGEST
    {
        return (0, source);
    }
    let (from, to) = (boundary(at.saturating_sub(BESIDE)), boundary(at + BESIDE));
    (from, &source[from..to])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_in_a_long_line_is_that_of_the_whole_source() {
        for (before, line, column) in [("", 0, 2000), ("one\ntwo\n", 2, 2000)] {
            let source = format!("{before}{}wrong{}", "x".repeat(2000), "y".repeat(2000));
            let at = before.len() + 2000;
            let window = Window::around("a.fun", &source, at);
            let span = window.clip(Span::new(at, at + 5));
            let read = window.read_span(&span.into(), 0, 0).expect("it is shown");
            assert_eq!((read.line(), read.column(), read.data()), (line, column, &b"wrong"[..]));
        }
    }

    #[test]
    fn of_a_place_over_many_lines_the_first_is_marked() {
        let source = "in (1 +\n".repeat(100);
        let window = Window::around("a.fun", &source, 3);
        assert_eq!(window.clip(Span::new(3, 800)), Span::new(3, 7));
        let few = Span::new(3, 8 * MOST_LINES - 1);
        assert_eq!(window.clip(few), few);
    }

    #[test]
    fn short_lines_are_shown_whole() {
        let source = "in (1 + )\n".repeat(100);
        let window = Window::around("a.fun", &source, 500);
        assert_eq!((window.from, window.shown.as_str()), (0, source.as_str()));
        assert_eq!(window.clip(Span::new(506, 507)), Span::new(506, 507));
    }
}
