//! Why an input cannot be used, shown with its source around the place.

use super::input::Source;
use super::look::Look;
use super::window::Window;
use crate::corpus::Fault;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, SourceCode, ThemeCharacters, ThemeStyles,
};
use reference::kit::language::Library;
use reference::kit::text::{Rejected, Second, Span};
use reference::languages::{self, place};
use serde_json::{Value, json};
use std::fmt;

/// What is wrong with an input.
#[derive(Debug)]
pub(super) struct Problem {
    message: String,
    help: Option<String>,
    place: Option<Box<Place>>,
    /// What it is about, while it is not known of which program: a place, and others.
    about: Option<(Span, Option<Box<Second>>)>,
}

/// Where it is wrong.
#[derive(Debug)]
struct Place {
    rejected: Rejected,
    source: Window,
    /// What the text is called, and line and column in it.
    at: (String, String),
    /// Line and column of other places, and what stands there.
    others: Vec<(String, String)>,
}

impl Problem {
    /// A problem without a place.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: plain(&message.into()), help: None, place: None, about: None }
    }

    /// The same with advice.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(plain(&help.into()));
        self
    }

    /// What is wrong, in one line, behind the line and column where it is.
    pub(super) fn line(&self) -> String {
        match &self.place {
            Some(place) => format!("{}: {}", place.at.1, self.message),
            None => self.message.clone(),
        }
    }

    /// A problem in a text.
    pub(super) fn rejected(mut rejected: Rejected, name: &str, source: &str) -> Self {
        let at = (name.to_owned(), place(source, rejected.span.start));
        let library = languages::library(rejected.span.start);
        // Places of a library count from where it starts; what stands in another text is not shown.
        let start = library.map_or(0, |library| library.start);
        let within = |span: Span| {
            let same = (span.start >= start)
                && library.is_some() == languages::library(span.start).is_some();
            same.then(|| Span { start: span.start - start, end: span.end.max(start) - start })
        };
        rejected.span = within(rejected.span).unwrap_or_default();
        let second = rejected.second.take();
        let others = Second::all(second.as_deref()).filter_map(|other| {
            let at = place(source, other.span.start);
            Some((within(other.span)?, plain(&other.label), at))
        });
        let others: Vec<(Span, String, String)> = others.collect();
        let (name, source) =
            library.map_or((name, source), |Library { name, text, .. }| (name, text));
        let source = Window::around(name, source, rejected.span.start as usize);
        rejected.span = source.clip(rejected.span);
        rejected.label = plain(&rejected.label);
        for (span, label, _) in &others {
            let span = source.clip(*span);
            // One that is far from the place is not shown.
            if span.start < span.end {
                rejected = rejected.with(span, label);
            }
        }
        let others = others.into_iter().map(|(_, label, at)| (at, label)).collect();
        rejected.help = rejected.help.as_deref().map(|help| plain(help).into());
        let message = plain(&rejected.message);
        let place = Some(Box::new(Place { rejected, source, at, others }));
        Self { message, help: None, place, about: None }
    }

    /// The same, at this place of the text of this name.
    pub(super) fn at(self, span: Span, name: &str, source: &str) -> Self {
        self.at_places(span, None, name, source)
    }

    fn at_places(self, span: Span, second: Option<Box<Second>>, name: &str, source: &str) -> Self {
        let Self { message, help, .. } = self;
        let rejected = Rejected { second, ..Rejected::new(span, message, "here") };
        Self { help, ..Self::rejected(rejected, name, source) }
    }

    /// The same, about a place, and others, of a program that it is [placed](Problem::placed) in.
    pub(super) fn about(self, span: Span, second: Option<Box<Second>>) -> Self {
        Self { about: (span.start < span.end).then_some((span, second)), ..self }
    }

    /// The same at the place of this program that it is about, if there is one. A place in a library is told beside
    /// that where the program uses it.
    pub(super) fn placed(mut self, program: &Source) -> Self {
        let Some((span, second)) = self.about.take() else { return self };
        let (name, text) = (program.name(), &program.text);
        if languages::library(span.start).is_none() {
            let of_text = span.end as usize <= text.len();
            return if of_text { self.at_places(span, second, &name, text) } else { self };
        }
        match program.program.uses(span).first() {
            Some(used) => {
                let help = format!("the place is {}", place(text, span.start));
                self.help(help).at(*used, &name, text)
            }
            None => self.at(span, &name, text),
        }
    }

    /// The type rule and premise that refuse the program, if that is the problem.
    pub(super) fn rule(&self) -> Option<(&'static str, &'static str)> {
        self.place.as_ref().and_then(|place| place.rejected.rule)
    }

    /// What a machine reads: `problem` and, where they are known, `file`, `place` (line and column), `others`,
    /// `rule` with `premise`, and `help`.
    pub(super) fn json(&self) -> Value {
        let mut object = json!({ "problem": self.message });
        if let Some(Place { at: (file, place), others, .. }) = self.place.as_deref() {
            object["file"] = json!(file);
            object["place"] = json!(place);
            if !others.is_empty() {
                let other =
                    |(place, label): &(String, String)| json!({ "place": place, "label": label });
                object["others"] = others.iter().map(other).collect();
            }
        }
        if let Some((rule, premise)) = self.rule() {
            object["rule"] = json!(rule);
            object["premise"] = json!(premise);
        }
        if let Some(help) = self.help_text() {
            object["help"] = json!(help);
        }
        object
    }

    /// A command line that is none, as clap tells it: what is wrong, and how it would be right.
    pub(super) fn usage(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        let (message, help) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let problem = Problem::new(message.trim());
        match help.trim() {
            "" => problem,
            help => problem.help(help),
        }
    }

    /// What is wrong with a file, as the judge of corpora has it.
    pub(super) fn fault(&self) -> Fault {
        let place = self.place.as_ref().map(|place| place.at.1.clone());
        Fault { place, text: self.to_string() }
    }

    fn help_text(&self) -> Option<&str> {
        let of_place = self.place.as_ref().and_then(|place| place.rejected.help.as_deref());
        self.help.as_deref().or(of_place)
    }
}

/// A text as a terminal may have it: what would drive it, or turn the direction of what follows, is replaced
/// by what takes as many bytes and one column, so that spans and places stay as they are.
pub(super) fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_line = c == '\n' || c == '\r' && rest.peek() == Some(&'\n');
        let turns = matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}');
        shown.push(match c.len_utf8() {
            _ if ends_line || c == '\t' || !(c.is_control() || turns) => c,
            1 => '?',
            2 => '\u{BF}',
            _ => char::REPLACEMENT_CHARACTER,
        });
    }
    shown
}

/// A diagnostic as text. Long lines are left as they are: what is advised may be copied.
pub(super) fn render(diagnostic: &dyn Diagnostic, look: Look) -> String {
    let theme = GraphicalTheme {
        characters: if look.ascii { ThemeCharacters::ascii() } else { ThemeCharacters::unicode() },
        styles: if look.colours { ThemeStyles::ansi() } else { ThemeStyles::none() },
    };
    let mut text = String::new();
    let handler =
        GraphicalReportHandler::new_themed(theme).with_wrap_lines(false).with_links(false);
    match handler.render_report(&mut text, diagnostic) {
        Ok(()) => text,
        Err(_) => format!("{diagnostic}\n"),
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some((rule, premise)) = self.rule() {
            write!(f, " ({rule}, premise {premise})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.help_text()?))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.place.as_ref().map(|place| &place.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        self.place.as_ref().and_then(|place| place.rejected.labels())
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_that_drives_a_terminal_is_shown() {
        for (text, shown) in [
            ("a\tb\r\nc\n", "a\tb\r\nc\n"),
            ("a \u{1b}[31m b\u{7}\0\u{7f}", "a ?[31m b???"),
            ("a\rb \u{9b}31m é", "a?b \u{BF}31m é"),
            ("a \u{202e}b\u{2069}", "a \u{FFFD}b\u{FFFD}"),
        ] {
            assert_eq!(plain(text), shown);
            assert_eq!(text.len(), shown.len(), "spans move");
        }
    }
}
