//! `lockstep cost --symbolic`: what a program costs as a function of a size.

use super::graph::{Priced, Said};
use super::{Args, count, place};
use crate::cli::input::Source;
use crate::cli::out::Out;
use crate::cli::problem::Problem;
use crate::cli::{Answer, Status};
use reference::cost::symbolic::{Form, Sizes, at_once, forms};
use reference::cost::{Machine, Mode};
use reference::kit::language::Language;
use reference::kit::outcome::Budget;
use reference::lambda_g::LambdaG;
use reference::lambda_g::report::Report;
use reference::lambda_g::syntax::Program;
use serde::Serialize;
use std::collections::BTreeMap;

/// A name for a size.
pub(super) fn name(text: &str) -> Result<String, String> {
    let mut letters = text.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    let is_name = first && letters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| text.to_owned()).ok_or_else(|| format!("`{text}` is no name for a size"))
}

/// A program of which forms are to be found.
pub(super) struct Symbolic<'a> {
    pub(super) args: &'a Args,
    pub(super) name: &'a str,
    pub(super) machine: &'a Machine,
    pub(super) source: &'a Source,
    pub(super) program: &'a Program,
    pub(super) budget: Budget,
}

/// What a program costs in a mode as a function of a size.
#[derive(Serialize)]
struct Line<'a> {
    file: String,
    stage: &'static str,
    machine: &'a Machine,
    mode: Mode,
    symbolic: &'a str,
    sizes: Vec<String>,
    found: Vec<u64>,
    checked: Vec<u64>,
    end: Option<u64>,
    multiples: Option<Multiples>,
    costs: Vec<Cost>,
}

/// Sizes that are looked at where a cost has no form for all.
#[derive(Serialize)]
struct Multiples {
    of: u64,
    found: Vec<u64>,
    checked: Vec<u64>,
}

/// A cost.
#[derive(Serialize)]
struct Cost {
    name: String,
    /// For sizes of which 0, 1, ⋯ is left by as many as there are; none, if there is no such form.
    forms: Vec<String>,
    /// Is the form one of multiples alone?
    multiples: bool,
}

/// Costs by their names, in the order in which they are told: each at the sizes where forms are found, and where they are
/// checked.
struct Values {
    /// The sizes that have a price, and the first one that has none.
    at: Sizes,
    end: Option<u64>,
    names: Vec<String>,
    of: BTreeMap<String, [Vec<(u64, u64)>; 2]>,
}

impl Values {
    /// The forms of a cost. What is there at some sizes only, as an `on` in a branch, has none.
    fn forms(&self, machine: &Machine, name: &str) -> Option<Vec<Form>> {
        let [found, checked] = self.of.get(name)?;
        let whole = (found.len(), checked.len()) == (self.at.found.len(), self.at.checked.len());
        if whole { forms(machine, self.at.multiples_of, [found, checked]) } else { None }
    }
}

/// The costs of a run, each by its name.
fn costs(source: &Source, report: &Report) -> Vec<(String, u64)> {
    let schedules = &report.schedules;
    let name = |of: &str| of.replace('_', "-");
    let times = schedules.iter().map(|it| (name(it.name), it.scheduled.time));
    let words = schedules.iter().map(|it| (format!("words at most, {}", name(it.name)), it.space));
    let on = report.on.iter().map(|on| (format!("on {}", place(source, on.site)), on.device));
    let transfers = report.to_device.time.saturating_add(report.to_host.time);
    times
        .chain([("transfers".to_owned(), transfers)])
        .chain(on)
        .chain([("work".to_owned(), report.work), ("depth".to_owned(), report.depth)])
        .chain(words)
        .collect()
}

impl Symbolic<'_> {
    /// Runs it at several sizes, and says what it costs.
    pub(super) fn tell(&self, out: &mut Out) -> Answer {
        let said = Said::of(self.args.schedule.as_deref())?;
        if matches!(said, Said::Order(..)) {
            let no = Problem::new("a schedule in a file is one of one size".to_owned());
            return Err(no.help("--schedule depth-first or breadth-first is one of all sizes"));
        }
        let takes = LambdaG::takes(self.program);
        let fixed = |name: &str| self.args.size.iter().any(|(said, _)| said == name);
        let open: Vec<&str> = takes.with_sizes().into_iter().filter(|name| !fixed(name)).collect();
        if open.is_empty() {
            let no = Problem::new(format!(
                "{}: no parameter has `{}` as its size",
                self.source.name(),
                self.name
            ));
            return Err(no.help("it is the size of each parameter that --size says nothing of"));
        }
        let modes = self.args.mode.map_or(Mode::ALL.to_vec(), |mode| vec![mode]);
        for mode in modes {
            match self.line(mode, &said, &open, out)? {
                Ok(line) if self.args.programs.json => out.json(&line),
                Ok(line) => self.text(&line, out),
                Err(status) => return Ok(status),
            }
        }
        Ok(Status::Clean)
    }

    /// What it costs in a mode, or how a run ended that has no price, of the smallest size.
    fn line(
        &self,
        mode: Mode,
        said: &Said,
        open: &[&str],
        out: &mut Out,
    ) -> Result<Result<Line<'_>, Status>, Problem> {
        let values = match self.values(Sizes::all(self.machine), mode, said, open, out)? {
            Ok(values) => values,
            Err(status) => return Ok(Err(status)),
        };
        let text = |forms: &[Form]| forms.iter().map(|form| form.text(self.name)).collect();
        let cost = |name: &String| {
            let forms = values.forms(self.machine, name).unwrap_or_default();
            Cost { name: name.clone(), forms: text(&forms), multiples: false }
        };
        let mut costs: Vec<Cost> = values.names.iter().map(cost).collect();
        let none = costs.iter().any(|cost| cost.forms.is_empty());
        let groups = if none { Sizes::of_whole_groups(self.machine) } else { None };
        let groups = groups.map(|groups| match values.end {
            Some(end) => groups.below(end),
            None => groups,
        });
        let mut multiples = None;
        if let Some(at) = groups.filter(|groups| !groups.found.is_empty())
            && let Ok(values) = self.values(at, mode, said, open, out)?
        {
            for cost in costs.iter_mut().filter(|cost| cost.forms.is_empty()) {
                let forms = values.forms(self.machine, &cost.name).unwrap_or_default();
                (cost.multiples, cost.forms) = (!forms.is_empty(), text(&forms));
            }
            let Sizes { multiples_of: of, found, checked } = values.at;
            multiples = Some(Multiples { of, found, checked });
        }
        Ok(Ok(Line {
            file: self.source.name(),
            stage: "source",
            machine: self.machine,
            mode,
            symbolic: self.name,
            sizes: self.sizes(open),
            found: values.at.found,
            checked: values.at.checked,
            end: values.end,
            multiples,
            costs,
        }))
    }

    /// What it costs at sizes, up to the first that has no price; how the run ended, if that is the first of all.
    fn values(
        &self,
        at: Sizes,
        mode: Mode,
        said: &Said,
        open: &[&str],
        out: &mut Out,
    ) -> Result<Result<Values, Status>, Problem> {
        let of = |part: usize, sizes: &[u64]| sizes.iter().map(move |n| (*n, part)).collect();
        let parts: [Vec<(u64, usize)>; 2] = [of(0, &at.found), of(1, &at.checked)];
        let mut sizes = parts.concat();
        sizes.sort_unstable();
        let mut values = Values { at, end: None, names: Vec::new(), of: BTreeMap::new() };
        for (number, (n, part)) in sizes.into_iter().enumerate() {
            let report = match self.at(n, mode, said, open, out)? {
                Ok(report) => report,
                Err(status) if number == 0 => return Ok(Err(status)),
                Err(_) => {
                    (values.at, values.end) = (values.at.below(n), Some(n));
                    break;
                }
            };
            for (name, value) in costs(self.source, &report) {
                if !values.names.contains(&name) {
                    values.names.push(name.clone());
                }
                values.of.entry(name).or_default()[part].push((n, value));
            }
        }
        Ok(Ok(values))
    }

    /// The sizes of parameters.
    fn sizes(&self, open: &[&str]) -> Vec<String> {
        let said = self.args.size.iter().map(|(name, size)| format!("{name} = {size}"));
        said.chain(open.iter().map(|of| format!("{of} = {}", self.name))).collect()
    }

    /// What it costs at a size.
    fn at(
        &self,
        n: u64,
        mode: Mode,
        said: &Said,
        open: &[&str],
        out: &mut Out,
    ) -> Result<Result<Report, Status>, Problem> {
        let Self { args, machine, source, program, budget, .. } = *self;
        let n = i32::try_from(n).unwrap_or(i32::MAX);
        let sized = open.iter().map(|name| ((*name).to_owned(), n));
        let sized: Vec<(String, i32)> = args.size.iter().cloned().chain(sized).collect();
        let input = super::sizes::input(&sized, source, None)?;
        let case = source.case(input, budget)?;
        let priced = Priced { args, machine, source, case: &case, program };
        let report = priced.price(mode, said, out)?;
        if report.is_err() {
            out.message(&format!("that was at {} = {n}", self.name));
        }
        Ok(report)
    }

    fn text(&self, line: &Line<'_>, out: &mut Out) {
        let Machine { width, warps, .. } = self.machine;
        let name = self.name;
        out.line(format!("{}, in {}", line.file, line.mode.name()));
        out.line(format!("input: {}", line.sizes.join(", ")));
        out.line(format!(
            "w = {width}, p = {warps}, rounds = ⌈{name}/{}⌉\n",
            count(at_once(self.machine))
        ));
        for Cost { name: cost, forms, multiples } in &line.costs {
            let classes = forms.len();
            let mut cost = &cost[..];
            for (class, form) in forms.iter().enumerate() {
                let of = match (classes, class) {
                    _ if *multiples => format!("  if w p divides {name}"),
                    (1, _) => String::new(),
                    (2, 0) => format!("  if {name} is even"),
                    (2, _) => format!("  if {name} is odd"),
                    _ => format!("  if {name} mod {classes} = {class}"),
                };
                out.line(format!("  {cost:<30}{form}{of}"));
                cost = "";
            }
            if forms.is_empty() {
                out.line(format!("  {cost:<30}no such form"));
            }
        }
        let told = |sizes: &[u64]| match sizes {
            [first, .., last] => {
                format!("{} sizes from {} to {}", sizes.len(), count(*first), count(*last))
            }
            [only] => count(*only),
            [] => "none".to_owned(),
        };
        out.line(format!("\nfound at {}, checked at {}", told(&line.found), told(&line.checked)));
        if let Some(Multiples { of, found, checked }) = &line.multiples {
            let (found, checked) = (told(found), told(checked));
            out.line(format!("multiples of {of}: found at {found}, checked at {checked}"));
        }
        if let Some(end) = line.end {
            out.line(format!("at {name} = {} there is no price", count(end)));
        }
        out.line(String::new());
    }
}
