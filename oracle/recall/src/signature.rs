//! What makes two findings one fault: kind, instruction or message, shape.

use compiler::emit::style::Construct;
use compiler::run::launcher::is_unconfirmed;
use oracle::check::agree::{StuckPolicy, agree};
use oracle::engines::spirv::{Evidence, Fault, Maker};
use oracle::generate::digest;
use reference::kit::outcome::{Broken, Ending, Outcome};
use reference::kit::rules::Roll;
use reference::spirv::values::Finding;
use serde::Serialize;
use std::fmt;

/// Kinds of faults of a compiler of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The shader ends otherwise than the program.
    WrongValue,
    /// The shader does what SPIR-V leaves undefined.
    Undefined,
    /// The SPIR-V breaks a rule of structure.
    InvalidSpirv,
    /// The WGSL is valid and is refused.
    Refused,
    /// The compiler panics.
    Panic,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::WrongValue => "wrong value",
            Kind::Undefined => "undefined result",
            Kind::InvalidSpirv => "invalid SPIR-V",
            Kind::Refused => "refuses valid WGSL",
            Kind::Panic => "panic",
        })
    }
}

/// What is wrong in one run of one program's shaders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The kind.
    pub kind: Kind,
    /// The instruction and its premise, or the message, without what differs from program to
    /// program; empty where only the end differs.
    pub what: String,
    /// What was seen, in a sentence.
    pub text: String,
    /// The shader that is wrong, where one is known to be.
    pub wgsl: Option<String>,
}

/// What one release made of a program's shaders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The end of the program, and nothing undefined on the way.
    Agrees,
    /// Nothing that could be compared, and why.
    NotCompared(String),
    /// A fault.
    Wrong(Wrong),
}

impl Seen {
    /// Holds the end of the shaders against that of their program; `faults` are what the executor
    /// of SPIR-V saw.
    pub fn of(truth: &Outcome, found: &Outcome, faults: &[Fault]) -> Seen {
        if let Ending::Unknown(why) = &found.ending
            && !is_unconfirmed(&found.ending)
        {
            return Seen::NotCompared(oracle::profiles::reason(why));
        }
        // An invocation that fails stops, the others run on: they may race behind it.
        let races = matches!(truth.ending, Ending::Value(_)) && !found.races.is_empty();
        let fault = match &found.ending {
            Ending::Broken(_) => faults.last(),
            _ if races => faults.first(),
            _ => None,
        };
        if let Some(fault) = fault {
            return Seen::Wrong(Wrong::of(fault, &found.ending));
        }
        // What the shaders of a program leave for its host is a value like any other: where the host
        // cannot make sense of it, it is wrong.
        match agree(truth, found, StuckPolicy::Same) {
            Ok(()) => Seen::Agrees,
            Err(difference) => Seen::Wrong(Wrong {
                kind: Kind::WrongValue,
                what: String::new(),
                text: difference.text,
                wgsl: None,
            }),
        }
    }
}

impl Wrong {
    fn of(fault: &Fault, ending: &Ending) -> Wrong {
        let (kind, what) = match &fault.evidence {
            Evidence::Refused(message) => (Kind::Refused, refusal(message)),
            Evidence::Panicked(message) => (Kind::Panic, message_of(message)),
            Evidence::Premise(finding) => match ending {
                Ending::Broken(Broken::Invalid(_)) => (Kind::InvalidSpirv, broken_rule(finding)),
                // The program neither races nor leaves its blocks: its shader went astray before.
                _ if fault.maker == Maker::Compiler => (Kind::WrongValue, String::new()),
                _ => (Kind::Undefined, undefined(fault)),
            },
        };
        Wrong { kind, what, text: fault.text.clone(), wgsl: Some(fault.wgsl.clone()) }
    }

    /// Can it be told from other faults of its kind without the shape of the shader? The words of a
    /// panic say what broke in the compiler, not on what.
    pub fn tells_itself(&self) -> bool {
        matches!(self.kind, Kind::Undefined | Kind::Refused)
    }
}

/// `OpSRem (negative)`
fn undefined(fault: &Fault) -> String {
    match fault.undefined() {
        Some((instruction, Some(premise))) => format!("{instruction} ({premise})"),
        Some((instruction, None)) => instruction,
        None => String::new(),
    }
}

/// `Universal Validation Rules: ids (defined)`
fn broken_rule(finding: &Finding) -> String {
    format!("{} ({}) at {}", finding.rule.info().name, finding.premise, finding.place.opcode)
}

/// The message of a refusal; of one that says that something overflows also of which type it is.
fn refusal(text: &str) -> String {
    let message = message_of(text);
    if !message.contains("overflow") {
        return message;
    }
    let code = marked(text);
    let suffixed = |suffix: char| {
        let mut before = ' ';
        code.chars().any(|c| std::mem::replace(&mut before, c).is_ascii_digit() && c == suffix)
    };
    match (suffixed('u'), suffixed('i') || code.contains("i32")) {
        (true, _) => format!("{message} (u32)"),
        (_, true) => format!("{message} (i32)"),
        _ => message,
    }
}

/// The code that a message underlines, in the line below it; empty if there is none.
pub fn marked(text: &str) -> &str {
    let lines: Vec<&str> = text.lines().collect();
    let marks = |line: &&str| {
        line.split_once('│').is_some_and(|(_, marks)| marks.trim_start().starts_with('^'))
    };
    let marked = lines.iter().position(marks);
    marked.filter(|at| *at > 0).map_or("", |at| {
        let (line, marks) = (lines[at - 1], lines[at]);
        let of = |mark: Option<usize>| mark.map_or(0, |at| marks[..at].chars().count());
        let (from, to) = (of(marks.find('^')), of(marks.rfind('^')) + 1);
        let byte = |n: usize| line.char_indices().nth(n).map_or(line.len(), |(at, _)| at);
        &line[byte(from)..byte(to)]
    })
}

/// Longest message that is kept, in characters.
const LONGEST: usize = 160;

/// The first line of a message, without names, numbers and the folders of files.
fn message_of(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut message = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let closing = match c {
            '`' | '"' => Some(c),
            // An apostrophe inside of a word opens nothing.
            '\'' if !message.ends_with(char::is_alphanumeric) => Some(c),
            _ => None,
        };
        if let Some(closing) = closing
            && let Some(end) = rest[1..].find(closing)
        {
            message.push_str(&format!("{c}_{c}"));
            rest = &rest[end + 2..];
        } else if c.is_ascii_digit() {
            message.push('_');
            rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            message.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    let message = without_folders(&message);
    match message.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &message[..at]),
        None => message,
    }
}

/// `(at /home/me/naga-0.11.0/src/front/wgsl/mod.rs:7)` without what is before `src`.
fn without_folders(message: &str) -> String {
    let Some((text, place)) = message.rsplit_once(" (at ") else { return message.to_owned() };
    let file = place.rsplit_once("/src/").map_or(place, |(_, file)| file);
    format!("{text} (at {}", file.replace(":_", ""))
}

/// What makes two findings one fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Signature {
    /// The kind.
    pub kind: Kind,
    /// The instruction and its premise, or the message.
    pub what: String,
    /// The constructs of the style without which nothing is wrong, by name; none where the kind and
    /// what was seen tell the fault.
    pub shape: Vec<&'static str>,
    /// Are there none of those in a style of several, since without any of them something else is
    /// wrong? Then the shape is all of the style, and which of it makes the fault is not known.
    pub behind_others: bool,
    /// Is the fault gone when known bugs are worked around? AnswerLine where the shape is.
    pub avoided: Option<bool>,
    /// The first workaround without which the others do not avoid it. None where any of several
    /// does.
    pub by: Option<&'static str>,
}

/// Whether the workarounds avoid a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Avoided {
    /// They do not.
    No,
    /// They do, and this one, if any, is the first without which the others do not.
    By(Option<&'static str>),
}

impl Signature {
    /// The signature of a fault that tells itself.
    pub fn plain(wrong: &Wrong) -> Signature {
        Signature {
            kind: wrong.kind,
            what: wrong.what.clone(),
            shape: Vec::new(),
            behind_others: false,
            avoided: None,
            by: None,
        }
    }

    /// The signature of a fault that is told by constructs of the style that shows it.
    pub fn shaped(wrong: &Wrong, constructs: &[Construct], avoided: Avoided) -> Signature {
        let shape = constructs.iter().map(|construct| construct.name()).collect();
        let (avoided, by) = match avoided {
            Avoided::No => (Some(false), None),
            Avoided::By(by) => (Some(true), by),
        };
        Signature { shape, avoided, by, ..Signature::plain(wrong) }
    }

    /// The same of a fault that other faults may hide, whatever construct is missing.
    pub fn behind_others(self, behind_others: bool) -> Signature {
        Signature { behind_others, ..self }
    }

    /// Is it shown by some of these constructs, and by no other but those `besides`? Behind other
    /// faults, any other may keep those away.
    pub fn needs_only(&self, some: &[Construct], besides: &[Construct]) -> bool {
        let among = |list: &[Construct], name: &&str| list.iter().any(|one| one.name() == *name);
        let fits = |name| self.behind_others || among(some, name) || among(besides, name);
        self.shape.iter().any(|name| among(some, name)) && self.shape.iter().all(fits)
    }

    /// A name for files: what the signature says, cut, and a digest of all of it.
    pub fn slug(&self) -> String {
        let text = self.to_string();
        let mut slug = String::new();
        for c in text.chars().take(90) {
            match c {
                c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
                _ if slug.ends_with('-') => {}
                _ => slug.push('-'),
            }
        }
        format!("{}-{:016x}", slug.trim_matches('-'), digest(&text))
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        if !self.what.is_empty() {
            write!(f, ": {}", self.what)?;
        }
        match (self.avoided, self.by) {
            (None, _) => Ok(()),
            (Some(true), Some(by)) => write!(f, "; in {}, avoided by {by}", self.style()),
            (Some(true), None) => write!(f, "; in {}, avoided by the workarounds", self.style()),
            (Some(false), _) => write!(f, "; in {}", self.style()),
        }
    }
}

impl Signature {
    fn style(&self) -> String {
        if self.shape.is_empty() {
            return "plain text".to_owned();
        }
        let behind = if self.behind_others { ", behind other faults" } else { "" };
        format!("{}{behind}", self.shape.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Seen, Signature, message_of, refusal};
    use compiler::emit::style::Construct;
    use compiler::run::launcher::UNCONFIRMED;
    use reference::kit::outcome::{Ending, Why};

    fn shaped(what: &str, shape: &[Construct]) -> Signature {
        let shape = shape.iter().map(|construct| construct.name()).collect();
        Signature {
            kind: Kind::Refused,
            what: what.to_owned(),
            shape,
            behind_others: false,
            avoided: Some(false),
            by: None,
        }
    }

    #[test]
    fn long_signatures_have_files_of_their_own() {
        let long = "error: ".repeat(30);
        let slugs = ["a", "b"].map(|end| shaped(&format!("{long}{end}"), &[]).slug());
        assert_ne!(slugs[0], slugs[1]);
        assert!(slugs.iter().all(|slug| slug.len() < 120), "{slugs:?}");
    }

    /// A fast form that sets its flag where no check fails is wrong, though the full form is right.
    #[test]
    fn an_unconfirmed_flag_is_a_wrong_value() {
        let of = |why: Why| {
            let truth = Ending::Value(Vec::new()).into();
            Seen::of(&truth, &Ending::Unknown(why).into(), &[])
        };
        let Seen::Wrong(wrong) = of(Why::NotModelled(UNCONFIRMED.to_owned())) else {
            panic!("it is no agreement")
        };
        assert_eq!(wrong.kind, Kind::WrongValue);
        for why in [Why::Fuel, Why::NotModelled("subgroups".to_owned())] {
            assert!(matches!(of(why), Seen::NotCompared(_)));
        }
    }

    #[test]
    fn a_construct_explains_what_needs_no_other() {
        use Construct::{BreakIf, Compound, Function, Switch};
        let of =
            |shape: &[Construct]| shaped("", shape).needs_only(&[Switch, BreakIf], &[Function]);
        assert!(of(&[Switch]) && of(&[BreakIf]) && of(&[Switch, BreakIf]));
        assert!(of(&[BreakIf, Function]) && !of(&[Function]));
        assert!(!of(&[]) && !of(&[Compound]) && !of(&[Switch, Compound]));
        let behind =
            |shape: &[Construct]| shaped("", shape).behind_others(true).needs_only(&[Switch], &[]);
        assert!(behind(&[Switch, Compound]) && !behind(&[Compound]));
    }

    #[test]
    fn messages_lose_what_differs_from_program_to_program() {
        for (text, message) in [
            ("error: the name `x_12` is unknown\n  at 3", "error: the name `_` is unknown"),
            ("Function [3] 'h1' is invalid: it's", "Function [_] '_' is invalid: it's"),
            (
                "attempt to add with overflow (at /a/naga-0.11.0/src/front/wgsl/mod.rs:1234)",
                "attempt to add with overflow (at front/wgsl/mod.rs)",
            ),
            ("no end `", "no end `"),
        ] {
            assert_eq!(message_of(text), message);
        }
        assert!(message_of(&"é".repeat(1000)).len() < 400);
    }

    #[test]
    fn an_overflow_is_told_by_its_type() {
        let text = "error: addition operation overflowed\n  ┌─ wgsl:7:17\n  │\n\
                    7 │ const c3: u32 = c2 + 2u;\n  │                 ^^^^^^^ see msg\n";
        assert_eq!(refusal(text), "error: addition operation overflowed (u32)");
        let signed = text.replace("2u", "2i");
        assert_eq!(refusal(&signed), "error: addition operation overflowed (i32)");
        // The code may hold a `^` of its own.
        let xor = "error: overflow\n 8 │ (1i + 2i) ^ c\n   │  ^^^^^^^ see msg";
        assert_eq!(refusal(xor), "error: overflow (i32)");
        assert_eq!(refusal("overflow\n│ ^"), "overflow");
    }
}
