//! What a shader says that the judge is to find: the lines `// verdict:` in its first comments.

use super::super::problem::Problem;
use super::flags::header;
use crate::judge::{Class, Judge, Level, Report, Verdict};
use reference::kit::text::Span;

/// What a shader is said to be of which there is no answer.
const NOT_MODELLED: &str = "not-modelled";

/// Is it what a shader may be said to be?
pub(super) fn is_verdict(word: &str) -> bool {
    ["clean", NOT_MODELLED].contains(&word) || Class::named(word).is_some()
}

/// What a shader is said to be.
enum What {
    Clean,
    /// Words and lines that its report has.
    Found(Class, Vec<String>),
    /// There is no answer, for a reason that has these words.
    NotModelled(Vec<String>),
}

/// A line that says it.
pub(super) struct Said {
    what: What,
    /// Where it stands.
    at: Span,
}

/// What a shader says that is not so.
pub(super) struct Differs {
    /// Behind `the shader`.
    pub(super) what: String,
    at: Option<Span>,
    help: Option<String>,
}

impl Differs {
    /// As it is told, at the line that says it.
    pub(super) fn problem(&self, report: &Report, (name, text): (&str, &str)) -> Problem {
        let what = format!("the shader {}, which is not what the judge finds", self.what);
        let help = self.help.clone().unwrap_or_else(|| found(report));
        match self.at {
            Some(at) => Problem::new(what).help(help).at(at, name, text),
            None => Problem::new(format!("{name}: {what}")).help(help),
        }
    }
}

/// What would have been right.
fn found(report: &Report) -> String {
    let mut classes: Vec<&str> = report.verdicts.iter().map(|it| it.class.name()).collect();
    classes.dedup();
    match (classes.as_slice(), report.unanswered.first()) {
        ([], None) => "it finds nothing: `clean`".to_owned(),
        ([], Some(why)) => format!("it has no answer: {why}"),
        (classes, _) => format!("it finds `{}`", classes.join("`, `")),
    }
}

impl Said {
    /// The word behind `verdict:`.
    pub(super) fn word(&self) -> &'static str {
        match &self.what {
            What::Clean => "clean",
            What::Found(class, _) => class.name(),
            What::NotModelled(_) => NOT_MODELLED,
        }
    }

    /// Does it say something of this class?
    pub(super) fn is_of(&self, class: Class) -> bool {
        matches!(&self.what, What::Found(said, _) if *said == class)
    }

    /// What it says that the report does not hold.
    pub(super) fn differs(&self, report: &Report, judge: &Judge) -> Option<Differs> {
        let (holds, what) = match &self.what {
            What::Clean => (
                report.verdicts.is_empty() && report.unanswered.is_empty(),
                "is said to be clean".to_owned(),
            ),
            What::NotModelled(words) => {
                let has = |why: &String| {
                    why.starts_with("not modelled: ") && words.iter().all(|word| why.contains(word))
                };
                let found = report.verdicts.is_empty() && report.unanswered.iter().any(has);
                (found, "is said to be not modelled".to_owned())
            }
            What::Found(class, words) => {
                let has = |verdict: &Verdict| {
                    let spots = verdict.at.iter().chain(&verdict.other);
                    let lines: Vec<String> = spots.map(|spot| spot.line.to_string()).collect();
                    let element = verdict.element.as_deref().unwrap_or_default();
                    let holds = |word: &String| {
                        lines.contains(word) || *word == element || *word == verdict.variable()
                    };
                    verdict.class == *class && words.iter().all(holds)
                };
                let words: String = words.iter().map(|word| format!(" {word}")).collect();
                let what = format!("is said to have {}{words}", class.name());
                (report.verdicts.iter().any(has), what)
            }
        };
        (!holds).then(|| Differs { what, at: Some(self.at), help: self.lacks(judge) })
    }

    /// The option without which its class is never found, if that is not given.
    fn lacks(&self, judge: &Judge) -> Option<String> {
        let What::Found(class, _) = &self.what else { return None };
        Some(match class {
            Class::SubgroupDependent if judge.subgroups.len() < 2 => {
                let size = judge.subgroups.first().copied().unwrap_or(32);
                let other = if size == 64 { 32 } else { 64 };
                format!(
                    "only subgroups of {size} are tried: --subgroup {size},{other} tries two sizes"
                )
            }
            Class::OrderDependent | Class::NeedsProgress if judge.orders < 2 => {
                "only one order is tried: --orders says how many".to_owned()
            }
            Class::WrongResult if judge.expected.is_empty() => {
                "nothing is expected: --expect says what a buffer is to hold".to_owned()
            }
            Class::Engine => "it is found on adapters: --engines names some".to_owned(),
            class if judge.levels.of(*class) == Level::Allow => {
                format!("`{}` is allowed, so it is not told", class.name())
            }
            _ => return None,
        })
    }
}

/// What a shader says that the judge is to find: a line each.
pub(super) fn said(text: &str, name: &str) -> Result<Vec<Said>, Problem> {
    let mut all: Vec<Said> = Vec::new();
    for (at, line) in header(text, "verdict:") {
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        let whole = Span::new(at, at + text[at..end].trim_end().len());
        let start =
            if line.is_empty() { at } else { line.as_ptr() as usize - text.as_ptr() as usize };
        let wrong = |word: &str, why: String, help: String| {
            let start = match word.is_empty() {
                true => return Err(Problem::new(why).help(help).at(whole, name, text)),
                false => word.as_ptr() as usize - text.as_ptr() as usize,
            };
            let span = Span::new(start, start + word.len());
            Err(Problem::new(why).help(help).at(span, name, text))
        };
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        let others: Vec<String> = words.clone().map(str::to_owned).collect();
        let what = match (first, Class::named(first)) {
            ("clean", _) if others.is_empty() => What::Clean,
            ("clean", _) => {
                let why = "nothing stands behind `clean`".to_owned();
                return wrong(
                    words.next().unwrap_or_default(),
                    why,
                    "a shader is clean as a whole".to_owned(),
                );
            }
            (NOT_MODELLED, _) => What::NotModelled(others),
            (_, Some(class)) => What::Found(class, others),
            (_, None) => {
                let known: Vec<_> = Class::ALL.iter().map(|class| class.name()).collect();
                let why = match first {
                    "" => "the verdict is missing".to_owned(),
                    first => format!("`{first}` is no class of verdicts"),
                };
                let help = format!("one is `clean`, `{NOT_MODELLED}`, {}", known.join(", "));
                return wrong(first, why, help);
            }
        };
        let said = Said { what, at: Span::new(start, at + text[at..end].trim_end().len()) };
        if let Some(other) = all.iter().find(|other| {
            let alone = |it: &Said| !matches!(it.what, What::Found(..));
            alone(other) && other.word() != said.word()
                || alone(&said) && said.word() != other.word()
        }) {
            let why = format!("it is said to be `{}` too", other.word());
            let help = "a shader is `clean`, or `not-modelled`, or has findings of the classes that it says";
            return wrong(first, why, help.to_owned());
        }
        all.push(said);
    }
    Ok(all)
}

/// A finding of a class that the shader says nothing of, though it says others.
pub(super) fn unsaid(said: &[Said], report: &Report) -> Option<Differs> {
    let finding =
        |it: &&Verdict| it.level == Level::Deny && !said.iter().any(|said| said.is_of(it.class));
    let finding = report.verdicts.iter().find(finding).filter(|_| !said.is_empty())?;
    let what = format!("says nothing of {}", finding.class.name());
    let help = format!("`verdict: {}` in another line says it", finding.class.name());
    Some(Differs { what, at: said.last().map(|said| said.at), help: Some(help) })
}
