//! What `optimize` tells a machine.

use super::{Told, lambda_g, timed};
use crate::optimize::certificate::Certificate;
use crate::optimize::lambda_g::said as of_lambda_g;
use crate::optimize::price::Cost;
use crate::optimize::said::{Said, Unsaid};
use reference::axes::print;
use reference::cost::Mode;
use reference::languages::Lang;
use reference::languages::place;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct Line {
    file: String,
    mode: Mode,
    sizes: BTreeMap<String, i32>,
    original: Cost,
    /// What the program with the plans costs.
    best: Option<Cost>,
    /// The language of this program.
    language: Option<Lang>,
    /// Is it cheaper than the original?
    cheaper: bool,
    segments: Vec<Searched>,
    outside: Vec<Outside>,
    /// The engines that gave the results of the original.
    same_on: Vec<String>,
    /// Why not all terms of the certificates were run.
    not_run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timed: Option<Vec<timed::Timed>>,
    /// Of a program of FCL: its plan as another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    fcl: Option<InFcl>,
    /// Of a program of λG: what the laws from λG to λG make of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    lambda_g: Option<lambda_g::Line>,
    /// Of a program of λG: a plan of it as another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_in_lambda_g: Option<lambda_g::Plan>,
}

/// A plan as a program of FCL, or why FCL cannot say it.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum InFcl {
    Said {
        program: String,
        /// Did it give the results of the original? Not if a run did not end within the budget.
        compared: bool,
    },
    Beyond {
        why: String,
    },
}

impl InFcl {
    /// What there is to tell of it.
    pub(super) fn of(said: Result<Said, Unsaid>) -> Self {
        match said {
            Ok(Said { program, compared }) => InFcl::Said { program: program.print(), compared },
            Err(Unsaid::Beyond(why) | Unsaid::Wrong(why)) => InFcl::Beyond { why },
        }
    }
}

/// A segment of the program.
#[derive(Serialize)]
struct Searched {
    place: String,
    /// The first of its outermost statements, from 0, and the one behind the last.
    statements: [usize; 2],
    original: Cost,
    /// Is its first plan in the program that is handed out?
    used: bool,
    /// The plans, the cheapest first.
    front: Vec<Entry>,
    /// Cheaper plans that were left out, since the steps to them lead through what is no term.
    unexplained: usize,
    certificate: Option<Certificate>,
    nodes: usize,
    classes: usize,
    stop: &'static str,
    /// Were plans of work groups left out, since other statements stand beside the segment?
    groups_left_out: bool,
    laws: Vec<Applied>,
}

/// A statement that stays as it is.
#[derive(Serialize)]
struct Outside {
    place: String,
    why: String,
}

#[derive(Serialize)]
struct Entry {
    term: String,
    /// The language of the plan.
    language: Lang,
    cost: Cost,
}

#[derive(Serialize)]
struct Applied {
    law: &'static str,
    applied: usize,
    merged: usize,
    /// Did its budget end before its matches?
    stopped: bool,
}

impl Told<'_> {
    /// The object.
    pub(super) fn line(
        &self,
        same_on: Vec<String>,
        timed: Option<Vec<timed::Timed>>,
        fcl: Option<InFcl>,
        plan_in_lambda_g: Option<&Result<of_lambda_g::Said, Unsaid>>,
    ) -> Line {
        let found = &self.found;
        let searched = found.segments.iter().enumerate().map(|(nth, segment)| {
            let front = segment.front.iter().map(|priced| Entry {
                term: print::term(&priced.program.term),
                language: priced.plan.lang(),
                cost: priced.cost.clone(),
            });
            let laws = segment.profile.iter().map(|of| Applied {
                law: of.law,
                applied: of.applied,
                merged: of.merged,
                stopped: of.stopped,
            });
            Searched {
                place: self.place(segment),
                statements: [segment.region.statements.start, segment.region.statements.end],
                original: segment.original.clone(),
                used: found.is_used(segment, self.args.mode),
                front: front.collect(),
                unexplained: segment.unexplained,
                certificate: self.certificates.get(nth).cloned().flatten(),
                nodes: segment.size.0,
                classes: segment.size.1,
                stop: segment.stop.text(),
                groups_left_out: segment.groups_left_out,
                laws: laws.collect(),
            }
        });
        let outside = found.outside.iter().map(|out| Outside {
            place: place(self.text, out.span.start),
            why: out.reason.clone(),
        });
        Line {
            file: self.name.clone(),
            mode: self.args.mode,
            sizes: found.sizes.iter().cloned().collect(),
            original: found.original.cost.clone(),
            best: found.best.as_ref().map(|best| best.cost.clone()),
            language: found.best.as_ref().map(|best| best.program.lang()),
            cheaper: found.is_cheaper(self.args.mode),
            segments: searched.collect(),
            outside: outside.collect(),
            same_on,
            not_run: self.not_run.clone(),
            timed,
            fcl,
            lambda_g: self.in_lambda_g.as_ref().map(lambda_g::Rewritten::line),
            plan_in_lambda_g: plan_in_lambda_g.map(lambda_g::Plan::of),
        }
    }
}
