//! A finding as a program file: its header says what each side answered, and the file is read
//! back by `replay` and `shrink`.

use super::answers::{AnswerLine, AnswerText};
use super::confirm::Shown;
use super::file;
use super::source_map::SourceMap;
use crate::check::{Answer, Class, Examination, Finding, Kind, Signature};
use crate::engine::{Case, Engine, EngineId, Origin, Stage, StageId};
use crate::engines::LanguageEngine;
use crate::rolls::{Counts, Rolls};
use crate::shrink;
use crate::stages::Plan;
use compiler::emit::style::Style;
use compiler::emit::workarounds::Workarounds;
use compiler::target::Adapter;
use reference::kit::coverage::Coverage;
use reference::kit::decisions::Policy;
use reference::kit::derivation::RACEFREE;
use reference::kit::language::Language;
use reference::kit::outcome::{Ending, Value};
use reference::kit::text::Span;
use reference::translate::expand_memory::Form;
use reference::with_language;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// A case that shows a finding, with what each side answered.
#[derive(Clone, Debug)]
pub struct Record {
    /// The program and its input.
    pub case: Case,
    /// What is wrong.
    pub finding: Finding,
    /// How the program ends by its own semantics.
    pub class: Class,
    /// The same as its header says it: key and text.
    pub expectation: (&'static str, String),
    /// What each side answered.
    pub replies: Vec<AnswerText>,
    /// The form of memory expansion that it was compiled with.
    pub expansion: Form,
    /// How its shaders were written.
    pub style: Style,
    /// Which bugs of the toolchain its shaders work around.
    pub workarounds: Workarounds,
    /// How passes decided what they may leave undone.
    pub decisions: Policy,
    /// Was it rewritten by laws first?
    pub optimize: bool,
    /// The fault that was planted, by its identifier.
    pub fault: Option<String>,
    /// The adapter that showed it, with its driver.
    pub adapter: Option<String>,
    /// How surely it is shown.
    pub shown: Shown,
    /// How many programs show it.
    pub members: u64,
}

/// What each side answered: once, where an engine answered the same to another look.
fn replies(sides: &[Answer]) -> Vec<AnswerText> {
    let mut replies = Vec::with_capacity(sides.len());
    for side in sides {
        let reply = AnswerText::of(side);
        if !replies.contains(&reply) {
            replies.push(reply);
        }
    }
    replies
}

impl Record {
    /// The record of an examination that ended with a finding.
    pub fn of(case: &Case, seen: &Examination, plan: &Plan) -> Option<Record> {
        let finding = seen.finding()?.clone();
        let replies = replies(&seen.sides);
        let expectation = expectation(case, seen);
        let case = case.clone();
        Some(Record {
            case,
            finding,
            class: seen.class.clone(),
            expectation,
            replies,
            expansion: plan.form,
            style: plan.style,
            workarounds: plan.workarounds,
            decisions: plan.decisions,
            optimize: plan.optimize,
            fault: None,
            adapter: None,
            shown: Shown::Always,
            members: 1,
        })
    }

    /// Names the adapter that showed it, if one of these did.
    pub fn name_adapter<'a>(&mut self, adapters: impl IntoIterator<Item = &'a Adapter>) {
        let engine = &self.finding.engine;
        let named = adapters.into_iter().find(|adapter| EngineId::of(adapter) == *engine);
        self.adapter = named.map(|Adapter { id, driver, driver_info, .. }| {
            format!("{id} ({driver} {driver_info})")
        });
    }

    /// How many statements the program has.
    pub fn statements(&self) -> usize {
        shrink::statements(&self.case.program)
    }

    /// The file. Its places are those of the file itself.
    pub fn text(&self) -> String {
        let (places, lines) = self.places();
        let mut text = self.header(&|span| places.place(span, lines));
        text.push_str(&places.text);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }

    /// What each side answered, with the places of the file.
    pub fn told(&self) -> Vec<AnswerLine> {
        let place = self.placing();
        self.replies.iter().map(|reply| reply.told(&place)).collect()
    }

    /// Line and column, in the file, of what is wrong, if the kind of finding has a place.
    pub fn place(&self) -> Option<String> {
        self.placing()(self.finding.site?.span)
    }

    /// Gives line and column, in the file, of a statement.
    pub fn placing(&self) -> impl Fn(Span) -> Option<String> + use<> {
        let (places, lines) = self.places();
        move |span| places.place(span, lines)
    }

    /// Where the statements stand in the text of the program, and how many lines stand before it.
    fn places(&self) -> (SourceMap, usize) {
        let lines = self.header(&|_| None).lines().count();
        (SourceMap::of(&self.case.program), lines)
    }

    /// The lines before the program, with the place of a span as it is told. How many they are does
    /// not depend on it.
    fn header(&self, told: &dyn Fn(Span) -> Option<String>) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: &str| {
            // A header is lines: what an engine said may have several.
            let value = value.replace(['\n', '\r'], " ");
            text.push_str(format!("-- {key}{value}").trim_end());
            text.push('\n');
        };
        line("Lockstep found this. ", &self.finding.text);
        line("input: ", &values(&self.case.input));
        line(self.expectation.0, &self.expectation.1);
        line("stage: ", self.finding.stage.0);
        line("kind: ", self.finding.kind.name());
        if let Some(site) = self.finding.site {
            line("cause: ", site.cause.name());
        }
        for reply in &self.replies {
            line("answer: ", &reply.told(told).line());
        }
        line("seed: ", &self.case.origin.to_string());
        line("schedule: ", &self.case.schedule.to_string());
        for (option, value) in self.case.settings.iter() {
            line(&format!("{option}: "), value);
        }
        line("expansion: ", self.expansion.name());
        line("style: ", &self.style.to_string());
        if self.workarounds != Workarounds::All {
            line("workarounds: ", self.workarounds.name());
        }
        if let Some(chaos) = self.decisions.chaos {
            line("chaos: ", &chaos.to_string());
        }
        if let Some(limit) = self.decisions.limit {
            line("decisions: ", &limit.to_string());
        }
        if self.optimize {
            line("optimize: ", "yes");
        }
        line("members: ", &members(self.members));
        line("version: ", crate::VERSION);
        if let Some(adapter) = &self.adapter {
            line("adapter: ", adapter);
        }
        if self.shown != Shown::Always {
            line("alone: shown ", &self.shown.to_string());
        }
        if let Some(fault) = &self.fault {
            line("fault: ", fault);
        }
        text
    }

    /// The name of its file: what is wrong, and a number that tells programs apart.
    pub fn file_name(&self) -> String {
        let Signature { stage, kind, cause, .. } = self.finding.signature();
        let cause = cause.map(|cause| format!("-{}", cause.replace(' ', "-"))).unwrap_or_default();
        let number = match &self.case.origin {
            Origin::Generated { seed, number } | Origin::Mutated { seed, number, .. } => {
                format!("{seed}-{number}")
            }
            Origin::File(path) => Path::new(path)
                .file_stem()
                .map_or_else(|| "file".to_owned(), |stem| stem.to_string_lossy().into_owned()),
        };
        let extension = self.case.program.lang().extension();
        format!("{stage}-{kind}{cause}-{number}.{extension}")
    }

    /// Writes the file into a folder: it is there whole or not at all.
    ///
    /// # Errors
    /// The folder or file cannot be written.
    pub fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        file::write(folder, &self.file_name(), &self.text())
    }
}

/// How many programs show a finding, as its header says it.
pub(super) fn members(programs: u64) -> String {
    match programs {
        1 => "1 program".to_owned(),
        programs => format!("{programs} programs"),
    }
}

/// The text of a finding with so many members; `None` if it says so, or is none.
pub(super) fn with_members(text: &str, programs: u64) -> Option<String> {
    const KEY: &str = "-- members: ";
    let line = text.lines().find(|line| line.starts_with(KEY))?;
    let told = format!("{KEY}{}", members(programs));
    (line != told).then(|| text.replacen(line, &told, 1))
}

/// Values as a header writes them.
pub fn values(values: &[Value]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What a program does by its own semantics, as its header says it.
fn expectation(case: &Case, seen: &Examination) -> (&'static str, String) {
    let Some(own) = seen.sides.first() else {
        let is_typed = seen.finding().is_none_or(|finding| finding.kind != Kind::Types);
        return ("unknown: ", if is_typed { "broken" } else { "types" }.to_owned());
    };
    let outcome = seen.wrong_order().map_or(&own.outcome, |(_, outcome)| outcome);
    match (&seen.class, &outcome.ending) {
        (Class::Race, _) => ("race: ", raced_at(case).to_owned()),
        (Class::Invalid, _) => ("invalid: ", invalid(seen)),
        (_, Ending::Value(results)) => ("result: ", values(results)),
        (_, Ending::Stuck(stuck)) => {
            ("stuck: ", format!("{} {}", stuck.rule, stuck.site.cause.name()))
        }
        (_, Ending::Unknown(_) | Ending::Broken(_)) => ("unknown: ", "broken".to_owned()),
    }
}

/// The rule at which the threads of a program race: that whose premise fails when it is run again.
fn raced_at(case: &Case) -> &'static str {
    let lang = case.program.lang();
    let mut rolls = Rolls::default();
    let source = Stage { id: StageId::SOURCE, artifact: Cow::Borrowed(&case.program) };
    LanguageEngine::own(lang).run(&source, case, &mut rolls);
    let rooms = Counts::of(&rolls).rooms;
    let mut lines = rooms.iter().filter(|room| room.room == lang.name()).flat_map(Coverage::lines);
    let raced = lines.find(|(info, _, failed)| {
        let mut premises = info.premises().iter().zip(*failed);
        premises.any(|(premise, times)| *premise == RACEFREE && *times > 0)
    });
    raced.map_or(with_language!(lang, |L| L::RACES_AT), |(info, ..)| info.name)
}

fn invalid(seen: &Examination) -> String {
    seen.invalid.as_ref().map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Record, Shown, replies, with_members};
    use crate::check::{Answer, Class, Depth, Finding, Kind, Tester};
    use crate::engine::{Artifact, Case, EngineId, Origin, StageId};
    use crate::language::Lang;
    use crate::stages::Plan;
    use compiler::emit::style::Style;
    use compiler::emit::workarounds::Workarounds;
    use reference::fun;
    use reference::kit::decisions::Policy;
    use reference::kit::header;
    use reference::kit::language::Settings;
    use reference::kit::outcome::{Budget, Cause, Ending, Site, Stuck};
    use reference::kit::text::Span;
    use reference::translate::expand_memory::Form;
    use std::time::Duration;

    /// A statement of a generated program is named by its number; the file says the line.
    #[test]
    fn a_file_says_where_it_gets_stuck() {
        let source = "let (x : int) = 1\nlet (y : int) = x / 0\nin (y)\n";
        let mut program = fun::parse::program(source).expect("a program");
        program.body.stms[0].span = Span::nth(3);
        program.body.stms[1].span = Span::nth(7);
        let stuck = Ending::Stuck(Stuck {
            site: Site { span: Span::nth(7), cause: Cause::DivisionByZero },
            rule: "E-SCALAR".to_owned(),
            thread: vec![],
            operands: vec![1, 0],
        });
        let found =
            Finding::of(StageId::SOURCE, EngineId::own(Lang::Fun), Kind::Stuck, "wrong".to_owned());
        let mut record = Record {
            case: Case {
                program: Artifact::Fun(program),
                input: vec![],
                schedule: 1,
                settings: Settings::default(),
                budget: Budget::default(),
                origin: Origin::Generated { seed: 1, number: 2 },
            },
            finding: found,
            class: Class::Stuck(Cause::DivisionByZero),
            expectation: ("stuck: ", "E-SCALAR divisor".to_owned()),
            replies: replies(&[1, 2].map(|ms| Answer {
                engine: EngineId::own(Lang::Fun),
                stage: StageId::SOURCE,
                outcome: stuck.clone().into(),
                took: Duration::from_millis(ms),
            })),
            expansion: Form::Paper,
            style: Style::default(),
            workarounds: Workarounds::All,
            decisions: Policy::default(),
            optimize: false,
            fault: None,
            adapter: None,
            shown: Shown::Always,
            members: 1,
        };
        for fault in [None, Some("B1".to_owned())] {
            record.fault = fault;
            let text = record.text();
            let at = 1 + text.lines().position(|line| line.contains("x / 0")).expect("a line");
            let answer = format!("stuck at E-SCALAR (division: dividend 1, divisor 0), at {at}:1");
            assert!(text.contains(&format!("-- answer: fun after source: {answer}\n")), "{text}");
            assert_eq!(record.told()[0].answer, answer);
            assert_eq!(text.matches("-- answer: ").count(), 1, "{text}");
        }
    }

    /// What a finding says of a program that is not well typed is read back.
    #[test]
    fn a_file_of_an_ill_typed_program_is_read_back() {
        let source = "param (n : int) (xs : [n])\nlet (x : int) = n + xs\nin (x)\n";
        let case = Case {
            program: Artifact::Fun(fun::parse::program(source).expect("it is read")),
            input: Vec::new(),
            schedule: 1,
            settings: Settings::default(),
            budget: Budget::default(),
            origin: Origin::Generated { seed: 1, number: 2 },
        };
        let mut tester = Tester::new(Vec::new(), Plan::default());
        let seen = tester.examine(&case, Depth::Quick);
        let record = Record::of(&case, &seen, &tester.plan).expect("it is not well typed");
        assert_eq!(record.finding.kind, Kind::Types);
        let header = header::parse(&record.text(), &[]).expect("it is read back");
        assert_eq!(header.cases[0].unknown.as_deref(), Some("types"));
    }

    #[test]
    fn a_file_says_how_many_members_it_has() {
        let text = "-- input: 1\n-- members: 1 program\nparam (n : int)\n-- members: 7\nin (n)\n";
        assert_eq!(with_members(text, 1), None);
        let many = text.replacen("1 program", "12 programs", 1);
        assert_eq!(with_members(text, 12), Some(many));
        assert_eq!(with_members("in (1)", 12), None);
    }
}
