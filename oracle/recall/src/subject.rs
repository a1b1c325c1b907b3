//! A release at work: what it makes of programs, and what that is worth.

use crate::lacks;
use crate::program::Program;
use crate::releases::Release;
use crate::signature::{Avoided, Kind, Seen, Signature, Wrong};
use compiler::emit::style::{Construct, Sites, Style};
use compiler::emit::wgsl::Writing;
use compiler::emit::workarounds::{self, Workarounds};
use compiler::route::Plan;
use oracle::engine::Engine;
use oracle::engines::SpirvEngine;
use oracle::engines::spirv::Options;
use oracle::rolls::Rolls;
use std::sync::Arc;

/// A release whose SPIR-V is executed.
pub struct Subject {
    /// The release.
    pub release: &'static Release,
    engine: SpirvEngine,
    rolls: Rolls,
}

/// A fault, with the style that shows it.
#[derive(Clone, Debug)]
pub struct Found {
    /// What makes it one with others.
    pub signature: Signature,
    /// What was seen.
    pub wrong: Wrong,
    /// How the shaders are written that show it.
    pub style: Style,
}

impl Subject {
    /// A release that has made nothing yet.
    pub fn new(release: &'static Release) -> Self {
        let engine = SpirvEngine::by(Arc::new(*release), Options::default());
        Self { release, engine, rolls: Rolls::default() }
    }

    /// The style without the constructs that the release lacks.
    pub fn masked(&self, style: Style) -> Style {
        lacks::masked(self.release, style)
    }

    /// What the release makes of the shaders in this writing.
    pub fn judge(&mut self, program: &Program, writing: Writing) -> Seen {
        let Writing { workarounds, style, .. } = writing;
        self.engine.options.plan = Plan { workarounds, style, ..Plan::default() };
        self.engine.options.first = program.first;
        let outcome = self.engine.run(&program.stage, &program.case, &mut self.rolls);
        Seen::of(&program.truth, &outcome, self.engine.faults())
    }

    /// The same, with no bug worked around.
    pub fn bare(&mut self, program: &Program, style: Style) -> Seen {
        self.judge(program, Writing { workarounds: Workarounds::None, style, ..Writing::default() })
    }

    /// The fault that was seen with this style, with its signature: the plainest style is looked
    /// for that shows it, and whether the workarounds avoid it, where that tells it from others.
    pub fn found(&mut self, program: &Program, wrong: Wrong, style: Style) -> Found {
        if wrong.tells_itself() {
            return Found { signature: Signature::plain(&wrong), wrong, style };
        }
        let (style, wrong) = self.plainest(program, wrong, style);
        Found { signature: self.signature(program, &wrong, style), wrong, style }
    }

    /// The signature of a fault that this style shows, and no plainer one. A construct without which
    /// another fault is seen, or nothing that could be compared, only keeps that from being in front.
    fn signature(&mut self, program: &Program, wrong: &Wrong, style: Style) -> Signature {
        let avoided = self.avoided(program, wrong, style);
        let uncovers = |construct: &Construct| {
            !matches!(self.bare(program, style.with(*construct, Sites::None)), Seen::Agrees)
        };
        let (covers, makes): (Vec<_>, Vec<_>) = style.constructs().partition(uncovers);
        match makes.as_slice() {
            [] => Signature::shaped(wrong, &covers, avoided).behind_others(covers.len() > 1),
            makes => Signature::shaped(wrong, makes, avoided),
        }
    }

    /// Takes from the style what the fault does not need.
    pub fn plainest(
        &mut self,
        program: &Program,
        mut wrong: Wrong,
        mut style: Style,
    ) -> (Style, Wrong) {
        'smaller: loop {
            for smaller in plainer(&style) {
                match self.bare(program, smaller) {
                    Seen::Wrong(again) if again.kind == wrong.kind && again.what == wrong.what => {
                        (style, wrong) = (smaller, again);
                        continue 'smaller;
                    }
                    _ => {}
                }
            }
            return (style, wrong);
        }
    }

    /// Do the workarounds avoid the fault, and which?
    fn avoided(&mut self, program: &Program, wrong: &Wrong, style: Style) -> Avoided {
        let mut shown = |workarounds| {
            let seen = self.judge(program, Writing { workarounds, style, ..Writing::default() });
            matches!(seen, Seen::Wrong(again) if again.kind == wrong.kind && again.what == wrong.what)
        };
        if shown(Workarounds::All) {
            return Avoided::No;
        }
        let table = workarounds::TABLE.iter().enumerate();
        let mut needed = table.filter(|(at, _)| shown(Workarounds::Without(*at)));
        Avoided::By(needed.next().map(|(_, one)| one.name))
    }

    /// Does the program show this very fault in this style?
    pub fn shows(&mut self, program: &Program, wanted: &Signature, style: Style) -> Option<Wrong> {
        let Seen::Wrong(wrong) = self.bare(program, style) else { return None };
        if (wrong.kind, &wrong.what) != (wanted.kind, &wanted.what) {
            return None;
        }
        if wanted.avoided.is_none() {
            return Some(wrong);
        }
        let needed = !plainer(&style).into_iter().any(|smaller| {
            matches!(self.bare(program, smaller), Seen::Wrong(again)
                if again.kind == wrong.kind && again.what == wrong.what)
        });
        (needed && self.signature(program, &wrong, style) == *wanted).then_some(wrong)
    }

    /// The entry of the table of what releases lack by which this refusal is none of theirs.
    pub fn lacks(&self, wrong: &Wrong) -> Option<&'static lacks::Lack> {
        let refuses = matches!(wrong.kind, Kind::Refused);
        refuses.then(|| lacks::excuse(self.release, &wrong.text)).flatten()
    }
}

/// Styles with less than this one: plain text, one construct less, the same at all sites of the
/// others, since which sites are every other one depends on the constructs beside, and each construct
/// alone at all of its sites.
fn plainer(style: &Style) -> Vec<Style> {
    let mut plainer = style.smaller();
    let constructs: Vec<Construct> = style.constructs().collect();
    let of = |some: &[Construct]| {
        some.iter().fold(Style::PLAIN, |style, one| style.with(*one, Sites::All))
    };
    let less = |without: usize| [&constructs[..without], &constructs[without + 1..]].concat();
    if constructs.len() > 2 {
        plainer.extend((0..constructs.len()).map(|without| of(&less(without))));
    }
    if constructs.len() > 1 {
        plainer.extend(constructs.iter().map(|one| of(&[*one])));
    }
    plainer
}
