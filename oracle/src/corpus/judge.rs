//! Holds a file against what its folder and its header say.

use super::counted::after;
use crate::campaign::not_compared;
use crate::campaign::{AnswerText, order_dependent, unanswered, wrong};
use crate::check::orders::Orders;
use crate::check::{
    Answer, Class, Depth, Examination, Kind, OrderDependent, Skipped, Tester, Verdict,
};
use crate::engine::{Artifact, Case, EngineId, Origin, StageId};
use crate::language::Lang;
use crate::rolls::Counts;
use reference::kit::derivation::RACEFREE;
use reference::kit::header::{self, Failure, Header, Open};
use reference::kit::language::{Language, Settings};
use reference::kit::outcome::{Budget, Ending, Outcome, Value, Why};
use reference::kit::text::{Rejected, Span};
use reference::kit::value::agree_all;
use reference::kit::verdict::Verdict as Folder;
use reference::languages::place;
use reference::with_language;
use std::collections::BTreeMap;
use std::fmt;

/// What came of a file.
#[derive(Debug, Default)]
pub struct Judged {
    /// What it does not do as it says; none if it passes.
    pub failures: Vec<Fault>,
    /// Is all that it cannot be used, or has no answer?
    pub unusable: bool,
    /// How many times each engine ran.
    pub ran: BTreeMap<EngineId, u64>,
    /// What was not compared.
    pub skipped: Vec<Skipped>,
    /// The cases that end otherwise in another order of their threads, though none race.
    pub order_dependent: Vec<OrderDependent>,
    /// Those of them of which the header does not say so.
    pub notes: Vec<Fault>,
    /// The examinations, one a case.
    pub cases: u64,
}

/// What a file does not do as it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line and column, if it is about a place: `3:5`.
    pub place: Option<String>,
    /// What it is.
    pub text: String,
}

impl Fault {
    /// About a place of the source.
    fn at(source: &str, span: Span, text: String) -> Self {
        Self { place: Some(place(source, span.start)), text }
    }

    /// About a case, at the line of the header that opens it.
    fn of_case(case: &header::Case, number: usize, told: &str) -> Self {
        let place = (case.line > 0).then(|| format!("{}:1", case.line));
        Self { place, text: format!("case {number}: {told}") }
    }

    /// As one line about the file of this name: `sum.fun:3:5: TEXT`.
    pub fn of(&self, name: &str) -> String {
        let blank = if self.place.is_some() { "" } else { " " };
        format!("{name}:{blank}{self}")
    }
}

impl From<String> for Fault {
    fn from(text: String) -> Self {
        Self { place: None, text }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.text),
            None => f.write_str(&self.text),
        }
    }
}

/// What stands behind `schedule:` in a header.
///
/// # Errors
/// It is no schedule.
pub fn schedule(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a schedule is a number from 0 to {}, not `{text}`", u64::MAX))
}

/// What a program of the corpus may use: less than on the command line, so that one that wants
/// to run out does so soon.
pub fn budget() -> Budget {
    Budget { fuel: 200_000_000, memory: 1 << 30 }
}

/// What is said of a file on the command line, instead of what its header says.
#[derive(Clone, Debug)]
pub struct Instead {
    /// One input. Nothing is known of what comes of it but that all engines agree.
    pub input: Option<Vec<Value>>,
    /// Options of its language, each with its value.
    pub options: Vec<(String, String)>,
    /// What a run may use.
    pub budget: Budget,
}

impl Default for Instead {
    /// All is as the header says it.
    fn default() -> Self {
        Self { input: None, options: Vec::new(), budget: budget() }
    }
}

/// Judges a file by its folder, if that is a verdict, and its header. `name` is where it stands,
/// for example `corpus/fun/pass/figure_2.fun`.
pub fn judge(tester: &mut Tester, name: &str, lang: Lang, text: &str) -> Judged {
    judge_with(tester, name, lang, text, &Instead::default())
}

/// The same, where some of it is said otherwise. With an input neither the folder nor what the header says
/// of other inputs is held against it.
pub fn judge_with(
    tester: &mut Tester,
    name: &str,
    lang: Lang,
    text: &str,
    instead: &Instead,
) -> Judged {
    let mut judged = Judged::default();
    let (mut header, schedule) = match headed(text, lang) {
        Ok(headed) => headed,
        Err(error) => {
            let told = format!("its header: {}{}", error.message, advice(&error));
            judged.failures.push(Fault::at(text, error.span, told));
            judged.unusable = true;
            return judged;
        }
    };
    if let Some(input) = &instead.input {
        header.cases = vec![header::Case { input: input.clone(), ..header::Case::default() }];
        (header.after, header.fires) = Default::default();
    }
    // A file in the folder of the command line stands in that folder too.
    let file = std::path::absolute(name).unwrap_or_else(|_| name.into());
    let folder = Folder::of(&file).filter(|_| instead.input.is_none());
    if let Some(Err(told)) = folder.map(|folder| folder.holds(&header)) {
        judged.failures.push(told.into());
    }
    let before = Counts::of(&tester.rolls);
    if let Some(told) = no_rule(&header, lang, &before) {
        judged.failures.push(told.into());
        judged.unusable = true;
        return judged;
    }
    let settings = match settings(&header, lang, instead) {
        Ok(settings) => settings,
        Err(told) => {
            judged.failures.push(told.into());
            judged.unusable = true;
            return judged;
        }
    };
    let typed = lang.read_under(text, &settings, &mut tester.rolls);
    match (typed, &header.rejects) {
        (Err(error), Some(failure)) => {
            let told = rejects(&error, failure);
            judged.failures.extend(told.map(|told| Fault::at(text, error.span, told)));
        }
        // What a kept finding shows is that it is refused.
        (Err(_), None) if is_kept(name) && is_ill_typed(&header) => {}
        (Err(error), None) => {
            judged.unusable = judged.failures.is_empty();
            judged.failures.push(Fault::at(text, error.span, refused(&error)));
            return judged;
        }
        (Ok(_), Some(failure)) => {
            let told = format!("it is accepted, and {} was to refuse it", failure.rule);
            judged.failures.push(told.into());
        }
        (Ok(program), None) => {
            let source =
                Source { name, text, header: &header, schedule, instead, settings: &settings };
            let mut without = run(tester, &source, &program, &before, &mut judged);
            // Where no input fits, nothing else of its header is tried; where a run gave up, not what would have fired.
            if without == 0 {
                fires(lang, &header, &before, &Counts::of(&tester.rolls), &mut judged);
            }
            if judged.cases > 0 {
                without += after(tester, &program, (&header, instead.budget), &mut judged);
            }
            judged.unusable = without > 0 && judged.failures.len() == without;
            return judged;
        }
    }
    fires(lang, &header, &before, &Counts::of(&tester.rolls), &mut judged);
    judged
}

/// Does the file stand in a folder of findings that are kept?
fn is_kept(name: &str) -> bool {
    name.split(['/', '\\']).any(|folder| folder == "found")
}

/// Is it the header of a finding whose program is not well typed?
fn is_ill_typed(header: &Header) -> bool {
    let types = (Kind::Types.name(), StageId::SOURCE.0);
    header.note("kind").zip(header.note("stage")) == Some(types)
}

/// The header of a file, and the schedule that it names.
fn headed(text: &str, lang: Lang) -> Result<(Header, Option<u64>), Rejected> {
    let header = header::judged(text, lang.options())?;
    let Some(note) = header.noted("schedule") else { return Ok((header, None)) };
    match schedule(&note.text) {
        Ok(schedule) => Ok((header, Some(schedule))),
        Err(told) => Err(Rejected::new(note.span, told, "here")),
    }
}

/// A file that is judged.
#[derive(Clone, Copy)]
struct Source<'s> {
    name: &'s str,
    text: &'s str,
    header: &'s Header,
    /// The schedule of all its cases, if it names one.
    schedule: Option<u64>,
    /// What is said instead of what its header says.
    instead: &'s Instead,
    /// The options of its language that are set.
    settings: &'s Settings,
}

impl Source<'_> {
    /// What an engine answered to it.
    fn answer(&self, side: &Answer) -> String {
        AnswerText::of(side).told_in(self.text).answer
    }
}

/// `it is refused: ... (T-INDEX, premise rank)`
fn refused(error: &Rejected) -> String {
    let rule = error.rule.map(|(rule, premise)| format!(" ({rule}, premise {premise})"));
    format!("it is refused: {}{}{}", error.message, rule.unwrap_or_default(), advice(error))
}

/// `; minus is written as -`, if there is advice.
fn advice(error: &Rejected) -> String {
    error.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default()
}

/// What a header calls the refusal of a text that is no program.
const SYNTAX: &str = "syntax";

fn rejects(error: &Rejected, expected: &Failure) -> Option<String> {
    let (rule, premise) = error.rule.unwrap_or((SYNTAX, ""));
    let right =
        rule == expected.rule && expected.premise.as_ref().is_none_or(|wanted| wanted == premise);
    (!right).then(|| {
        let wanted = expected.premise.as_deref().unwrap_or_default();
        format!("{rule} {premise} refuses it, not {} {wanted}: {}", expected.rule, error.message)
    })
}

/// The options of a file: what is said on the command line takes the place of what its header says.
fn settings(header: &Header, lang: Lang, instead: &Instead) -> Result<Settings, String> {
    let mut settings = header.settings(lang.options());
    for (name, value) in &instead.options {
        settings.set(lang.options(), name, value)?;
    }
    Ok(settings)
}

/// Runs every case; how many of the failures are inputs that do not fit and runs without an answer.
fn run(
    tester: &mut Tester,
    source: &Source<'_>,
    program: &Artifact,
    before: &Counts,
    judged: &mut Judged,
) -> usize {
    let header = source.header;
    let mut without = 0;
    let alone = [header::Case::default()];
    let cases = if header.cases.is_empty() { &alone[..] } else { &header.cases };
    for (number, case) in cases.iter().enumerate() {
        let number = number + 1;
        let input = match program.fit(case.input.clone()) {
            Ok(input) => input,
            Err(error) => {
                judged.failures.push(Fault::of_case(case, number, &error.message));
                without += 1;
                continue;
            }
        };
        let examined = Case {
            program: program.clone(),
            input,
            schedule: source.schedule.unwrap_or(number as u64),
            settings: source.settings.clone(),
            budget: source.instead.budget,
            origin: Origin::File(source.name.to_owned()),
        };
        let seen = tester.examine(&examined, Depth::Whole);
        judged.cases += 1;
        for side in &seen.sides {
            *judged.ran.entry(side.engine.clone()).or_default() += 1;
        }
        judged.skipped.extend(seen.skipped.iter().cloned());
        if let Verdict::OrderDependent(found) = &seen.verdict {
            judged.order_dependent.push(found.clone());
            if case.any_order.is_none() {
                judged.notes.push(Fault::of_case(case, number, &order_dependent(found)));
            }
        }
        if let Err(told) = verdict(source, program.lang(), tester, &seen) {
            let mut fault = Fault::of_case(case, number, &told);
            let at = |span: Span| place(source.text, span.start);
            let finding = seen.finding();
            fault.place = finding.and_then(|finding| Some(at(finding.site?.span))).or(fault.place);
            if let Some(instead) = finding.and_then(|finding| finding.instead) {
                fault.text.push_str(&format!("; it got stuck at {}", at(instead)));
            }
            judged.failures.push(fault);
        }
        if let (None, Some((told, stopped))) = (&case.unknown, unanswered(&seen, source.text)) {
            let Fault { place, text } = Fault::of_case(case, number, &told);
            judged.failures.push(Fault { place: stopped.or(place), text });
            without += 1;
        } else if let Err(told) = expectation(case, source, program.lang(), &seen, before, tester) {
            judged.failures.push(Fault::of_case(case, number, &told));
        }
    }
    without
}

/// All engines agree; a file in `found` shows its finding.
fn verdict(
    source: &Source<'_>,
    lang: Lang,
    tester: &Tester,
    seen: &Examination,
) -> Result<(), String> {
    let Source { name, header, .. } = *source;
    let wanted = header.note("kind").zip(header.note("stage")).filter(|_| is_kept(name));
    match (&seen.verdict, wanted) {
        (Verdict::Finding(finding), Some((kind, stage))) => {
            if finding.kind.name() == kind && finding.stage.0 == stage {
                return Ok(());
            }
            Err(format!("{} instead of {kind} in {stage}: {}", finding.signature(), finding.text))
        }
        (Verdict::Finding(finding), None) => {
            Err(format!("{}: {}", finding.signature(), finding.text))
        }
        (_, Some((kind, stage))) => match not_compared(header, lang, tester, seen) {
            // Without what showed it there is nothing to see.
            Some(_) => Ok(()),
            None => Err(format!("{kind} in {stage} is not there any more: move it to pass")),
        },
        (_, None) => Ok(()),
    }
}

/// The program's own engine gives what the case says.
fn expectation(
    case: &header::Case,
    source: &Source<'_>,
    lang: Lang,
    seen: &Examination,
    before: &Counts,
    tester: &Tester,
) -> Result<(), String> {
    let Some(own) = seen.sides.first() else { return Ok(()) };
    if let Some(rule) = &case.race {
        return race(rule, source, lang, seen, before, tester);
    }
    if seen.class == Class::Race {
        let told = wrong(seen, source.text).unwrap_or_else(|| source.answer(own));
        return Err(format!("it races: {told}"));
    }
    if let Some(words) = &case.invalid {
        return invalid(words, seen);
    }
    // Where the heap run gets stuck as it is to, the run by values may well end otherwise.
    if seen.class == Class::Invalid && case.stuck.is_none() {
        return invalid("", seen);
    }
    // An order that is stuck makes the program stuck; of the order of the semantics its results say so too.
    let said = case.unknown.is_some() || case.result.is_some() && seen.wrong_order().is_none();
    if let Some(stuck) = wrong(seen, source.text)
        && case.stuck.is_none()
        && !said
    {
        return Err(format!("it is {stuck}"));
    }
    if let Some(results) = &case.result {
        result(results, source, own)?;
    }
    if let Some(results) = &case.any_order {
        any_order(results, source, seen)?;
    }
    if let Some(Failure { rule, premise }) = &case.stuck {
        let said = |outcome: &Outcome| {
            matches!(&outcome.ending, Ending::Stuck(stuck) if stuck.rule == *rule
            && premise.as_ref().is_none_or(|premise| *premise == stuck.site.cause.name()))
        };
        let mut orders = seen.orders.iter().flat_map(Orders::ends);
        if !said(&own.outcome) && !orders.any(|(_, outcome)| said(outcome)) {
            let answer = wrong(seen, source.text).unwrap_or_else(|| source.answer(own));
            let premise = premise.as_ref().map_or(String::new(), |premise| format!(" {premise}"));
            return Err(format!("not stuck at {rule}{premise}: {answer}"));
        }
    }
    if let Some(wanted) = &case.unknown {
        let right = match &own.outcome.ending {
            Ending::Unknown(Why::Fuel) => wanted == "fuel",
            Ending::Unknown(Why::Memory(_)) => wanted == "memory",
            Ending::Broken(_) => wanted == "broken",
            _ => false,
        };
        if !right {
            let answer = source.answer(own);
            if ["types", "broken"].contains(&wanted.as_str()) {
                return Err(format!("its `unknown: {wanted}` is not so: {answer}"));
            }
            return Err(format!("not unknown for want of {wanted}: {answer}"));
        }
    }
    Ok(())
}

fn result(expected: &[Value], source: &Source<'_>, own: &Answer) -> Result<(), String> {
    let outcome = &own.outcome;
    let agrees = |found: &[Value]| agree_all(expected, found, [&[], &outcome.tolerances]).is_ok();
    match &outcome.ending {
        Ending::Value(found) if agrees(found) => Ok(()),
        _ => {
            let wanted = match expected {
                [] => "no result".to_owned(),
                expected => crate::campaign::values(expected),
            };
            Err(format!("{} instead of {wanted}", source.answer(own)))
        }
    }
}

/// The results depend on the order of threads, and are what the case says in every order that was run and gives results,
/// and on every engine.
fn any_order(expected: &[Open], source: &Source<'_>, seen: &Examination) -> Result<(), String> {
    if !matches!(seen.class, Class::OrderDependent | Class::Stuck(_)) {
        let answer = seen.sides.first().map(|own| source.answer(own)).unwrap_or_default();
        return Err(format!("it is not order-dependent, so `result:` says more: {answer}"));
    }
    let sides = seen.sides.iter().map(|side| (side.engine.to_string(), &side.outcome));
    let orders = seen.orders.iter().flat_map(Orders::ends);
    let orders = orders.map(|(order, outcome)| (order.to_string(), outcome));
    for (engine, outcome) in sides.chain(orders) {
        let Ending::Value(found) = &outcome.ending else { continue };
        let right = expected.len() == found.len()
            && expected.iter().zip(found).all(|(expected, found)| expected.admits(found));
        if !right {
            let values = crate::campaign::values(found);
            return Err(format!("{engine} gives {values}, which is not as `any order:` says"));
        }
    }
    Ok(())
}

fn race(
    rule: &str,
    source: &Source<'_>,
    lang: Lang,
    seen: &Examination,
    before: &Counts,
    tester: &Tester,
) -> Result<(), String> {
    if seen.class != Class::Race {
        let answer = seen.sides.first().map(|own| source.answer(own));
        return Err(format!("no race: {}", answer.unwrap_or_default()));
    }
    // The rule, where the roll of the language names a premise for races.
    let (was, is) = (failed(before, lang, rule), failed(&Counts::of(&tester.rolls), lang, rule));
    match (was, is) {
        (Some(was), Some(is)) if is == was => Err(format!("a race, but not at {rule}")),
        _ => Ok(()),
    }
}

/// A rule that the header names and the language has not, or at which no race is seen.
fn no_rule(header: &Header, lang: Lang, counts: &Counts) -> Option<String> {
    let room = counts.rooms.iter().find(|room| room.room == lang.name())?;
    let rejects = header.rejects.iter().filter(|failure| failure.rule != SYNTAX);
    let stuck = header.cases.iter().filter_map(|case| case.stuck.as_ref());
    let races = header.cases.iter().filter_map(|case| case.race.as_ref());
    let named = rejects.chain(stuck).map(|failure| &failure.rule).chain(races.clone());
    for rule in named {
        if !with_language!(lang, |L| L::has_rule(rule)) {
            return Some(format!("{lang} has no rule {rule}"));
        }
    }
    let racing = room.lines().filter(|(info, ..)| info.premises().contains(&RACEFREE));
    let mut racing: Vec<&str> = racing.map(|(info, ..)| info.name).collect();
    if racing.is_empty() {
        racing.push(with_language!(lang, |L| L::RACES_AT));
    }
    let wrong = races.clone().find(|rule| !racing.contains(&rule.as_str()))?;
    if racing == [""] {
        return Some(format!("programs of {lang} do not race"));
    }
    Some(format!("no race is seen at {wrong}; those of {lang} are seen at {}", racing.join(", ")))
}

/// How often a rule's premise `racefree` failed, if it has one.
fn failed(counts: &Counts, lang: Lang, rule: &str) -> Option<u64> {
    let room = counts.rooms.iter().find(|room| room.room == lang.name())?;
    let (info, _, failed) = room.lines().find(|(info, ..)| info.name == rule)?;
    let at = info.premises().iter().position(|premise| *premise == RACEFREE)?;
    failed.get(at).copied()
}

fn invalid(words: &str, seen: &Examination) -> Result<(), String> {
    match &seen.invalid {
        None => Err("it is valid".to_owned()),
        Some(reason) if !words.is_empty() && reason.to_string().contains(words) => Ok(()),
        Some(reason) => Err(format!("it is invalid: {reason}")),
    }
}

/// Every rule that the header names fired in the program's own language.
fn fires(lang: Lang, header: &Header, before: &Counts, after: &Counts, judged: &mut Judged) {
    let fired = |counts: &Counts, rule: &str| {
        let room = counts.rooms.iter().find(|room| room.room == lang.name())?;
        room.lines().find(|(info, ..)| info.name == rule).map(|(_, fired, _)| fired)
    };
    for rule in &header.fires {
        match (fired(before, rule), fired(after, rule)) {
            (Some(was), Some(is)) if is > was => {}
            (Some(_), Some(_)) => judged.failures.push(format!("{rule} does not fire").into()),
            _ => judged.failures.push(format!("{lang} has no rule {rule}").into()),
        }
    }
}
