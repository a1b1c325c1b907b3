//! What is said of a shader: findings of the executor in the words of its source.

use super::class::{Class, Level, Levels};
use super::shader::{Loaded, called};
use reference::kit::rules::Roll;
use reference::kit::text::Span;
use reference::spirv::rules::Rule;
use reference::spirv::values::{Cell, Clash, Finding, Note, Place, Remark, Repeats};
use serde::Serialize;
use std::fmt;

/// One thing that is wrong with a shader, or open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Its class.
    pub class: Class,
    /// How much that weighs.
    pub level: Level,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Where, if that is known.
    pub at: Option<Spot>,
    /// The other place, of two that do not go together.
    pub other: Option<Spot>,
    /// The element of memory that it is about.
    pub element: Option<String>,
    /// What may mend it.
    pub help: Option<String>,
    /// In which order of invocations it was seen.
    pub order: Option<String>,
    /// The line of what hung on an open float before, if anything did; 0 if that has none.
    pub behind: Option<u32>,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// The line, from 1.
    pub line: u32,
    /// Its bytes in the text.
    #[serde(skip)]
    pub span: Span,
    /// What happens there.
    pub label: String,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Deny => "finding",
            _ => "warning",
        };
        write!(f, "{level} {}: {}", self.class.name(), self.message)?;
        if let Some(spot) = &self.at {
            write!(f, " (line {})", spot.line)?;
        }
        Ok(())
    }
}

impl Verdict {
    /// One without a place.
    pub(super) fn new(class: Class, message: String) -> Self {
        Self {
            class,
            level: class.usual(),
            message,
            at: None,
            other: None,
            element: None,
            help: None,
            order: None,
            behind: None,
        }
    }

    /// The same, with what hung on an open float before the finding.
    pub(super) fn behind(self, finding: &Finding) -> Self {
        Self { behind: finding.behind.as_ref().map(|place| place.line.unwrap_or(0)), ..self }
    }

    /// Sets its level. What comes behind something that hangs on an open float only warns, unless its class is denied by name.
    pub(super) fn weigh(&mut self, levels: &Levels) {
        self.level = levels.of(self.class);
        if let Some(line) = self.behind.filter(|_| self.level == Level::Deny)
            && !levels.insists(self.class)
        {
            self.level = Level::Warn;
            let before = match line {
                0 => "something before it".to_owned(),
                line => format!("line {line}, which comes before it,"),
            };
            self.help = Some(format!(
                "{before} hangs on a float of which devices may make another one, so this only warns"
            ));
        }
    }

    /// The invocation of a finding.
    pub(super) fn who(finding: &Finding, loaded: &Loaded) -> String {
        finding.invocation.map_or_else(String::new, |who| invocation(loaded, who))
    }

    /// What a finding of a run says.
    pub(super) fn of(finding: &Finding, loaded: &Loaded, order: &str) -> Self {
        let who = finding.invocation.map_or_else(String::new, |who| invocation(loaded, who));
        let verdict = match &finding.clash {
            Some(clash) => race(finding, clash, loaded, &who),
            None => alone(finding, loaded, &who),
        };
        Self { order: Some(order.to_owned()), ..verdict }
    }

    /// What a remark of a run says.
    pub(super) fn remarked(note: &Note, loaded: &Loaded, order: &str) -> Self {
        let (class, help) = match note.remark {
            Remark::BadRead => (
                Class::DiscardedRead,
                "read where the index is known to be inside: select() evaluates both of its values",
            ),
            Remark::Translator => (
                Class::Translator,
                "bring the operand into its range first, as by `% 32u`: then nothing hangs on how it is translated",
            ),
            Remark::Rounding => {
                (Class::RoundingDependent, "compare with a tolerance, or compute with integers")
            }
            Remark::NotFinite => (Class::NotFinite, "check the operands before the operation"),
        };
        let who = invocation(loaded, note.invocation);
        let origin = note.origin.as_ref();
        Self {
            element: note.element.clone(),
            at: spot(&note.place, loaded, "here".to_owned()),
            other: origin.and_then(|place| spot(place, loaded, "open since here".to_owned())),
            help: Some(help.to_owned()),
            order: Some(order.to_owned()),
            ..Verdict::new(class, format!("{who}: {}", note.text))
        }
    }

    /// Of a run that comes back to where it was.
    pub(super) fn loops(
        finding: &Finding,
        repeats: &Repeats,
        loaded: &Loaded,
        order: &str,
    ) -> Self {
        let message = match repeats.invocation {
            Some(who) => format!(
                "{} comes back to a state in which it was, so its loop never ends",
                invocation(loaded, who)
            ),
            None => format!(
                "{} and others come back to a state in which they were, and none of them changes what ends their loops",
                Verdict::who(finding, loaded)
            ),
        };
        Self {
            at: spot(&repeats.place, loaded, "in this loop".to_owned()),
            order: Some(order.to_owned()),
            ..Verdict::new(Class::NeverEnds, message)
        }
    }

    /// Of a module that is not valid, whose lines are of this text.
    pub(super) fn invalid(finding: &Finding, class: Class, text: Option<&str>) -> Self {
        let rule = finding.rule.info();
        let whose = match class {
            Class::Translator => "naga made an invalid module of the shader: ",
            _ => "",
        };
        let at = finding.place.line.and_then(|line| spot_in(text, line, "here".to_owned()));
        let place = match &at {
            Some(_) => String::new(),
            None => format!(", at {}", finding.place),
        };
        let message = format!("{whose}{}{place} ({}, {})", finding.text, rule.source, rule.name);
        Self { at, ..Verdict::new(class, message) }
    }

    /// The variable of its element.
    pub fn variable(&self) -> &str {
        variable(self.element.as_deref().unwrap_or_default())
    }

    /// Is this of the line of the other one?
    pub(super) fn is_at(&self, other: &Verdict) -> bool {
        let line = |spot: &Option<Spot>| spot.as_ref().map(|spot| spot.line);
        let at = line(&other.at);
        at.is_some() && (line(&self.at) == at || line(&self.other) == at)
    }

    /// Do both tell of the same lines?
    pub(super) fn is_as(&self, other: &Verdict) -> bool {
        let lines = |verdict: &Verdict| {
            let line = |spot: &Option<Spot>| spot.as_ref().map(|spot| spot.line);
            let (a, b) = (line(&verdict.at), line(&verdict.other));
            (a.min(b), a.max(b))
        };
        self.class == other.class
            && lines(self) == lines(other)
            && self.variable() == other.variable()
            && (self.at.is_some() || self.message == other.message)
    }
}

/// An invocation as people count them: `invocation 5 of group (1, 0, 0)`.
fn invocation(loaded: &Loaded, who: u32) -> String {
    let size: u32 = loaded.module.group_size().iter().product();
    match size {
        0 => format!("invocation {who}"),
        size => format!("invocation {} of group {}", who % size, who / size),
    }
}

fn race(finding: &Finding, clash: &Clash, loaded: &Loaded, who: &str) -> Verdict {
    let class = if clash.equal { Class::SameValue } else { Class::Race };
    let element = name_of(clash.cell, loaded);
    let variable = variable(&element).to_owned();
    let size: u32 = loaded.module.group_size().iter().product();
    let same_group =
        finding.invocation.map(|who| who / size.max(1)) == Some(clash.other / size.max(1));
    let here = finding.place.line;
    let one_line =
        here.is_some() && clash.other_place.as_ref().is_some_and(|other| other.line == here);
    let help = match (same_group, clash.cell) {
        _ if loaded.is_spirv() && (same_group || one_line) => {
            let (memory, class) = match clash.cell {
                Cell::Group(_) => ("WorkgroupMemory", "the group"),
                Cell::Buffer(..) => ("UniformMemory", "buffers"),
            };
            format!(
                "OpControlBarrier with {memory} between them orders memory of {class}; atomic operations do not race"
            )
        }
        _ if one_line && clash.equal => {
            format!("let one invocation write `{variable}`, or use atomicStore")
        }
        _ if one_line && clash.wrote && clash.other_wrote => {
            format!(
                "let each invocation write its own element of `{variable}`, or use an atomic operation"
            )
        }
        (true, Cell::Group(_)) => {
            format!(
                "workgroupBarrier() between them orders `{variable}`; storageBarrier() does not"
            )
        }
        (true, Cell::Buffer(..)) => {
            format!(
                "storageBarrier() between them orders `{variable}`; workgroupBarrier() does not"
            )
        }
        (false, _) => {
            "no barrier orders work groups: two dispatches do, and atomic operations do not race"
                .to_owned()
        }
    };
    let shown = match element.split_once(", ") {
        Some((variable, component)) => format!("{component} of `{variable}`"),
        None => format!("`{element}`"),
    };
    let did = |wrote: bool| if wrote { "writes" } else { "reads" };
    let other = invocation(loaded, clash.other);
    let message = match clash.equal {
        false => format!(
            "{who} {} {shown}, and {other} {} it, with no barrier between",
            did(clash.wrote),
            did(clash.other_wrote)
        ),
        true => {
            format!("{who} and {other} write the same value to {shown}, with no barrier between")
        }
    };
    let verb = did(clash.other_wrote);
    let verdict = Verdict::new(class, message);
    Verdict {
        at: spot(&finding.place, loaded, format!("{who} {}", did(clash.wrote))),
        other: clash
            .other_place
            .as_ref()
            .and_then(|place| spot(place, loaded, format!("{other} {verb}"))),
        element: Some(element),
        help: Some(help),
        ..verdict
    }
}

/// What a cell of memory is called.
fn name_of(cell: Cell, loaded: &Loaded) -> String {
    let translated = loaded.translated.as_ref();
    match cell {
        Cell::Group(slot) => {
            let named = translated.and_then(|translated| translated.shared_component(slot));
            let variable = || match loaded.module.group_variable(slot)? {
                (name, Some(component)) => Some(format!("{name}, component {component}")),
                (name, None) => Some(name),
            };
            named.or_else(variable).unwrap_or_else(|| cell.to_string())
        }
        Cell::Buffer(set, binding, word) => {
            let resource = loaded
                .resources
                .iter()
                .find(|resource| (resource.group, resource.binding) == (set, binding));
            match (resource, translated) {
                (Some(resource), Some(translated)) => translated.word_of(resource, word),
                (Some(resource), None) => format!("{}[{word}]", called(resource)),
                (None, _) => cell.to_string(),
            }
        }
    }
}

/// Of one invocation.
fn alone(finding: &Finding, loaded: &Loaded, who: &str) -> Verdict {
    let unwritten = (finding.rule, finding.premise) == (Rule::Load, "written");
    // The value of a bad read gets somewhere: the finding is the read.
    let chained = |place: &Place| place.opcode.ends_with("AccessChain");
    let read = matches!(finding.failed, Some("bounds" | "length"))
        && finding.origin.as_ref().is_some_and(chained);
    let wrote = read && (finding.rule, finding.premise) == (Rule::Store, "inside");
    let class = match (finding.rule, finding.premise) {
        _ if read => Class::OutOfBounds,
        (Rule::Barrier, _) => Class::Barrier,
        (Rule::Load | Rule::Store | Rule::Atomic, "inside") => Class::OutOfBounds,
        _ if unwritten => Class::Uninitialised,
        _ if !loaded.is_spirv() => Class::Indeterminate,
        _ => Class::Undefined,
    };
    let message = match class {
        Class::Barrier => format!(
            "{who} waits at a barrier that not all invocations of its group reach: {}",
            in_groups(&finding.text)
        ),
        _ if wrote => format!("{who} writes outside of memory: {}", finding.text),
        _ if read && finding.element.is_some() => {
            format!("{who} reads outside of memory, and {}: {}", gets(finding.rule), finding.text)
        }
        _ if read => format!("{who} reads outside of memory, and {}", gets(finding.rule)),
        Class::Indeterminate | Class::Undefined => {
            let why = finding.failed.and_then(why_undefined);
            let why = why.map_or_else(String::new, |why| format!(", since {why}"));
            let text = match class {
                Class::Indeterminate => finding.text.replace("undefined", "indeterminate"),
                _ => finding.text.clone(),
            };
            format!("{who}: {text}{why}")
        }
        _ => format!("{who}: {}", finding.text),
    };
    let help = match class {
        Class::Barrier => Some("let all invocations of the group come to the same barrier: return behind the last one, and branch on values that are the same in a group".to_owned()),
        Class::OutOfBounds if loaded.is_spirv() => Some("compare the index with OpArrayLength, or with the length of the array, before the access".to_owned()),
        Class::OutOfBounds => Some("compare the index with arrayLength, or with the length of the array, before the access".to_owned()),
        _ => None,
    };
    let origin = finding.origin.as_ref();
    let by_origin = || {
        let opcode = origin.filter(|_| class == Class::Undefined).map(|place| &place.opcode)?;
        (opcode != "OpUndef")
            .then(|| format!("{opcode} has no result for these operands: keep them in its domain"))
    };
    let help = help.or_else(by_origin);
    let (here, since) = match class {
        _ if wrote => ("it is written here", "the element is taken here"),
        _ if read => ("the value gets here", "it is read here"),
        Class::Barrier => ("it waits here", "another one waits here"),
        _ => ("here", "undefined since here"),
    };
    let here = spot(&finding.place, loaded, here.to_owned());
    let since = origin.and_then(|place| spot(place, loaded, since.to_owned()));
    let (at, other) = if read && since.is_some() { (since, here) } else { (here, since) };
    let other = other.filter(|other| at.as_ref().is_none_or(|at| at.span != other.span));
    let element = finding.element.clone();
    Verdict { at, other, element, help, ..Verdict::new(class, message) }
}

/// Why an operation gives no value, by the premise that fails.
fn why_undefined(premise: &str) -> Option<&'static str> {
    Some(match premise {
        "divisor" => "the divisor is 0",
        "overflow" => "the quotient is beyond its type",
        "negative" => "an operand is negative",
        "width" => "the places that are asked for go beyond the width",
        "range" => "the integer does not hold the number",
        "domain" | "finite" | "origin" => "the function has no value for the operand",
        "order" => "the lower bound is above the upper one",
        "active" => "the lane whose value is taken does not exist or takes no part",
        "bounds" => "the index is beyond the last component",
        _ => return None,
    })
}

/// What becomes of a value that is no value.
fn gets(rule: Rule) -> &'static str {
    match rule {
        Rule::Store => "stores the value",
        Rule::Branch | Rule::Switch => "branches on the value",
        Rule::AccessChain => "takes the value for an index",
        Rule::Atomic => "uses the value in an atomic operation",
        _ => "uses the value",
    }
}

/// What the executor says of the other invocation, without the names of instructions.
fn in_groups(text: &str) -> String {
    let other = text.split(": ").last().unwrap_or(text);
    other.split(" at Op").next().unwrap_or(other).to_owned()
}

/// The line of an instruction, if the source has it.
pub(super) fn spot(place: &Place, loaded: &Loaded, label: String) -> Option<Spot> {
    spot_of(place.line?, loaded, label)
}

/// A line of the source.
pub(super) fn spot_of(line: u32, loaded: &Loaded, label: String) -> Option<Spot> {
    spot_in(loaded.text.as_deref(), line, label)
}

fn spot_in(text: Option<&str>, line: u32, label: String) -> Option<Spot> {
    Some(Spot { line, span: line_of(text?, line)?, label })
}

/// The variable of an element, such as `tile` of `tile[3].x`; a buffer without a name has its group and its binding for one.
fn variable(element: &str) -> &str {
    let end: &[char] = match element.starts_with(|first: char| first.is_ascii_digit()) {
        true => &['['],
        false => &['[', '.', ','],
    };
    element.split(end).next().unwrap_or_default()
}

/// What stands in a line.
fn line_of(text: &str, line: u32) -> Option<Span> {
    let start: usize =
        text.split_inclusive('\n').take((line as usize).checked_sub(1)?).map(str::len).sum();
    let line = text.get(start..)?.lines().next()?;
    let indent = line.len() - line.trim_start().len();
    Some(Span::new(start + indent, start + line.trim_end().len()))
}
