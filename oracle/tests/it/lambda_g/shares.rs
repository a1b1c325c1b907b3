//! What the generator of λG draws, over 10,000 programs; what it draws has a type, is read as it is printed, and ends.

use arbitrary::Unstructured;
use oracle::generate::{Intent, Made, Weights, case_bytes, lambda_g};
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Ending, Outcome, Value};
use reference::kit::same::same;
use reference::lambda_g::LambdaG;
use reference::lambda_g::syntax::{Exp, Kind, Program, World};
use reference::lambda_g::types::{Facts, facts};
use reference::lambda_g::visit::parts;
use std::collections::{BTreeMap, BTreeSet};

const PROGRAMS: u64 = 10_000;

pub(crate) fn drawn(seed: u64, index: u64) -> Made<Program> {
    lambda_g::program(&mut Unstructured::new(&case_bytes(seed, index)), &Weights::default())
}

pub(crate) fn run(program: &Program, input: &[Value]) -> Outcome {
    let how = How {
        variant: "",
        schedule: 7,
        budget: &Budget { fuel: 200_000, memory: 1 << 24 },
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    LambdaG::run(program, input, how, &mut Recorder::counting())
}

#[test]
fn shares_of_what_is_drawn() {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for index in 0..PROGRAMS {
        let Made { program, input, intent } = drawn(36, index);
        let facts = facts(&program)
            .unwrap_or_else(|no| panic!("{index}: {no:?}\n{}", LambdaG::print(&program)));
        let text = LambdaG::print(&program);
        let read = LambdaG::parse(&text).unwrap_or_else(|no| panic!("{index}: {no:?}\n{text}"));
        assert!(same(&program, &read), "{index}: {text}");
        let input = LambdaG::fit(&program, input).unwrap_or_else(|no| panic!("{index}: {no:?}"));
        let outcome = run(&program, &input);
        let mut found = BTreeSet::new();
        if program.inferred {
            found.insert("annotations left out".to_owned());
        }
        match &outcome.ending {
            Ending::Value(_) => {}
            Ending::Stuck(stuck) => {
                found.extend(["stuck".to_owned(), stuck.site.cause.name().to_owned()]);
                if intent == Intent::Runs {
                    found.insert("stuck, though not meant to be".to_owned());
                }
            }
            Ending::Unknown(_) => {
                found.insert("no answer".to_owned());
            }
            Ending::Broken(_) => panic!("{index}: {outcome:?}\n{text}"),
        }
        let mut seen = Seen { facts: &facts, made: BTreeMap::new(), found };
        seen.exp(&program.body, World::C, 0);
        for what in seen.found {
            *counts.entry(what).or_default() += 1;
        }
    }
    let shares = [
        ("on", 50, 95),
        ("a closure across worlds", 10, 40),
        ("fix", 15, 40),
        ("two regions in one on", 30, 70),
        ("branches in branches", 20, 60),
        ("both sides of a region", 15, 40),
        ("stuck", 10, 18),
        ("region_full", 1, 10),
        ("division", 2, 10),
        ("inside", 2, 10),
        ("no answer", 0, 1),
        ("annotations left out", 20, 24),
    ];
    let mut wrong = Vec::new();
    for (what, least, most) in shares {
        let share = counts.get(what).copied().unwrap_or(0) as f64 * 100.0 / PROGRAMS as f64;
        if share < f64::from(least) || share > f64::from(most) {
            wrong.push(format!("{what}: {share:.1} %, and not {least} to {most}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{counts:?}", wrong.join("\n"));
}

/// What a program has.
struct Seen<'f> {
    facts: &'f Facts,
    /// The world in which the function was made that a variable is bound to.
    made: BTreeMap<Var, World>,
    found: BTreeSet<String>,
}

impl Seen<'_> {
    fn has(&mut self, what: &str) {
        self.found.insert(what.to_owned());
    }

    /// An expression, in a world, in so many `||` and `parmap`.
    fn exp(&mut self, e: &Exp, world: World, branches: usize) {
        match &e.kind {
            Kind::On(body, at) => {
                self.has("on");
                let mut used: BTreeSet<Var> =
                    self.facts.pushes[&e.span].vars.iter().copied().collect();
                used.insert(at.var);
                if used.len() > 1 {
                    self.has("two regions in one on");
                }
                return self.exp(body, World::G, branches);
            }
            Kind::Fix(..) => self.has("fix"),
            Kind::Let(var, parts) => {
                if let Some(made) = self.made_in(&parts[0], world) {
                    self.made.insert(*var, made);
                }
            }
            Kind::App(parts) => self.applies(&parts[0], world),
            Kind::Par(parts, _) => {
                if branches > 0 {
                    self.has("branches in branches");
                }
                let device = regions_of_device(&parts[0], world);
                let host = regions_of_host(&parts[1], world);
                if world == World::C && device.intersection(&host).next().is_some() {
                    self.has("both sides of a region");
                }
            }
            Kind::ParMap(f, ..) => {
                if branches > 0 {
                    self.has("branches in branches");
                }
                self.applies(f, world);
                let device = regions_of_device(f, world);
                if device.intersection(&regions_of_host(f, world)).next().is_some() {
                    self.has("both sides of a region");
                }
            }
            _ => {}
        }
        let inner = usize::from(matches!(e.kind, Kind::Par(..) | Kind::ParMap(..)));
        parts(e).into_iter().for_each(|part| self.exp(part, world, branches + inner));
    }

    fn applies(&mut self, f: &Exp, world: World) {
        if self.made_in(f, world).is_some_and(|made| made != world) {
            self.has("a closure across worlds");
        }
    }

    /// The world in which a function is made.
    fn made_in(&self, f: &Exp, world: World) -> Option<World> {
        match &f.kind {
            Kind::Fn(_) | Kind::RegionFn(_) | Kind::Fix(..) => Some(world),
            Kind::Var(var) => self.made.get(var).copied(),
            Kind::On(body, _) => self.made_in(body, World::G),
            Kind::Let(_, parts) => self.made_in(&parts[1], world),
            Kind::LetRegion(_, _, of) | Kind::Instance(of, _) => self.made_in(of, world),
            _ => None,
        }
    }
}

/// The regions in which an expression makes values on the device.
fn regions_of_device(e: &Exp, world: World) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    allocations(e, world, World::G, &mut found);
    found
}

/// Those in which it does on the host.
fn regions_of_host(e: &Exp, world: World) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    allocations(e, world, World::C, &mut found);
    found
}

fn allocations(e: &Exp, world: World, of: World, to: &mut BTreeSet<Var>) {
    let at = match &e.kind {
        Kind::Int(_, at) | Kind::Binary(_, _, at) | Kind::Pair(_, at) | Kind::Par(_, at) => at.var,
        Kind::Vector(_, at) | Kind::ParMap(_, _, at) => at.var,
        Kind::Length(_, at) | Kind::Iota(_, at) => at.var,
        Kind::Fn(lambda) => lambda.at.var,
        Kind::RegionFn(lambda) => lambda.at.var,
        Kind::On(body, _) => return allocations(body, World::G, of, to),
        _ => return parts(e).into_iter().for_each(|part| allocations(part, world, of, to)),
    };
    if world == of {
        to.insert(at);
    }
    parts(e).into_iter().for_each(|part| allocations(part, world, of, to));
}
