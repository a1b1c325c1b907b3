//! Well-typed FUN programs with their inputs, by construction.
//!
//! The inputs are drawn first, so the sizes of parameters are known, and every int carries the
//! range that its values surely keep to. Indices, slices, divisors and counts are chosen within
//! what is known, so a program runs to its end unless it is made to get stuck.

mod branches;
mod builder;
mod expr;
mod failures;
mod input;
mod kernels;
mod loops;
mod sizes;
mod types;
mod views;

use super::draw::Draw;
use super::weights::{Weights, raised};
use super::{Generate, Generator, Intent, Made};
use arbitrary::Unstructured;
use builder::Builder;
use reference::fun::syntax::{Atom, Exp, Fun, Program};
use types::{Array, Range};

impl Generate for Fun {
    const GENERATOR: Generator<Fun> = program;
    const HAS_REST: bool = true;

    fn steer(weights: &mut Weights, rule: &str, premise: &str) {
        let weight = match rule {
            "E-INDEX" => &mut weights.index,
            "E-SLICE" => &mut weights.slice,
            "E-TRANSPOSE" => &mut weights.transpose,
            "E-KERNEL" => &mut weights.kernel,
            "E-IF-TRUE" | "E-IF-FALSE" => &mut weights.branch,
            "E-LOOP" => &mut weights.repeat,
            "E-UPDATE" => &mut weights.update,
            _ => &mut weights.scalar,
        };
        *weight = raised(*weight);
        let causes = ["index", "slice", "division", "size", "count"];
        if let Some(cause) = causes.into_iter().position(|name| name == premise) {
            weights.causes[cause] = raised(weights.causes[cause]);
            weights.stuck = (weights.stuck + 1).min(25);
        }
    }
}

/// Makes a program from bytes. Few bytes make a small program, none the smallest.
pub fn program(bytes: &mut Unstructured<'_>, weights: &Weights) -> Made<Program<Fun>> {
    Builder::new(Draw::new(bytes), weights).program()
}

impl Builder<'_, '_> {
    fn program(&mut self) -> Made<Program<Fun>> {
        self.varying = self.draw.chance(self.weights.varying);
        let (params, input) = self.parameters();
        let stuck = self.draw.chance(self.weights.stuck);
        if stuck {
            self.trouble = 1 + u32::from(self.draw.chance(12));
            self.trouble_outside = self.draw.chance(self.weights.stuck_outside);
        }
        self.left = 60;
        self.room = self.draw.pick(&[300, 80, 150, 500, 800, 1200, 1800, 600]);
        if let Some(threads) = self.wide {
            self.room += 3 * self.range(threads).hi;
        }
        // Planted faults and mutants of the passes show sooner in many small programs than in fewer large
        // ones.
        let size = 1 + self.draw.below(6);
        let (body, ()) = self.body(|builder| {
            if builder.wide.is_some() {
                builder.kernel();
            }
            builder.statements(size);
            builder.kernel_at_the_top();
            if builder.trouble > 0 && stuck {
                if builder.trouble_outside {
                    builder.get_stuck();
                } else {
                    builder.kernel_in_trouble();
                }
            }
            (builder.program_results(), ())
        });
        let intent = if stuck { Intent::Stuck } else { Intent::Runs };
        Made { program: Program { names: self.names(), params, body }, input, intent }
    }

    /// Adds a kernel where none stands at the top, if there is room: one in a branch or a loop may never be
    /// launched.
    fn kernel_at_the_top(&mut self) {
        let has_one = self.stms.iter().any(|stm| matches!(stm.exp, Exp::Kernel { .. }));
        if !has_one && self.here() >= 4 && !self.draw.is_spent() {
            self.kernel();
        }
    }

    /// Adds up to `most` statements to the body that is being made, each perhaps with those that
    /// name its operands.
    pub(super) fn statements(&mut self, most: usize) {
        for _ in 0..most {
            if self.left <= 0 || self.here() < 1 || self.draw.is_spent() {
                break;
            }
            if self.wants_trouble() {
                self.get_stuck();
            }
            self.statement();
        }
    }

    fn statement(&mut self) {
        let weights = self.weights;
        let kernels = self.threads.len();
        // Bodies in bodies get rarer; nothing is nested more than three kernels deep.
        let nested = |weight: u32| weight >> self.depth.saturating_sub(1).min(3);
        let kernel = match kernels {
            0 => weights.kernel,
            1 => weights.kernel * 2 / 3,
            2 => weights.kernel / 4,
            _ => 0,
        };
        let roomy = self.here() >= 4 && self.depth < 6;
        let or0 = |weight: u32, fits: bool| if fits { weight } else { 0 };
        let inside = if kernels > 0 { 2 } else { 1 };
        let kinds = [
            weights.scalar * inside / 2,
            weights.index * inside / 2,
            weights.slice,
            weights.transpose,
            or0(kernel, roomy),
            or0(nested(weights.branch), self.depth < 6),
            or0(nested(weights.repeat), roomy),
            weights.update,
        ];
        let made = match self.draw.weighed(&kinds) {
            1 => self.read().is_some(),
            2 => self.slice().is_some(),
            3 => self.transposition().is_some(),
            4 => {
                self.kernel();
                true
            }
            5 => {
                if self.draw.chance(15) {
                    self.guarded();
                } else {
                    self.branch();
                }
                true
            }
            6 => {
                self.repeat();
                true
            }
            7 => self.update().is_some(),
            _ => false,
        };
        if !made {
            let (se, range) = self.expression(2);
            self.bind_int(Exp::Scalar(se), range, None);
        }
    }

    /// Up to four results, the latest first.
    fn program_results(&mut self) -> Vec<Atom> {
        let number = [1, 2, 3, 4][self.draw.weighed(&[3, 4, 3, 1])];
        let mut results: Vec<Atom> = Vec::with_capacity(number);
        for _ in 0..number {
            let fresh = |_: &Self, array: &Array| !results.contains(&array.var.into());
            let unused = self.choose(|builder, array| !array.used && fresh(builder, array));
            match unused.or_else(|| self.choose(fresh)) {
                Some(array) if !self.draw.chance(12) => results.push(array.var.into()),
                _ => {
                    let int = self.choose_int(|_, var| !results.contains(&var.into()));
                    results.extend(int.map(Atom::from));
                }
            }
        }
        if results.is_empty() {
            let hash = self.hash();
            results.push(self.named(hash, Range::FULL, None));
        }
        results
    }
}
