//! Well-typed IMP programs with their inputs, by construction.
//!
//! The inputs are drawn first, so the value of every size is known. An int either is never assigned again,
//! and then its range is known, or it may be anything. A thread writes only into its own part of a block
//! ([`Block`]), and reads that part or blocks that no thread of its kernel writes, so a program neither
//! races nor gets stuck unless it is made to get stuck.

mod expr;
mod failures;
mod results;
mod scope;
mod statements;

use super::draw::Draw;
use super::range::Range;
use super::{Generate, Generator, Intent, Made, Weights};
use arbitrary::Unstructured;
use reference::fun::syntax::Atom;
use reference::imp::Imp;
use reference::imp::syntax::{Param, Program};
use reference::kit::outcome::Value;
use scope::{Block, Builder};

impl Generate for Imp {
    const GENERATOR: Generator<Imp> = program;
    const SHARE: u32 = 14;
}

/// Values of int parameters: mostly sizes.
const INTS: [i64; 12] = [3, 2, 4, 5, 1, 7, 8, 6, 16, 17, 33, 12];
/// Numbers of threads beyond one work group.
const WIDE: [i64; 8] = [65, 128, 100, 129, 257, 300, 256, 320];

/// Makes a program from bytes. Few bytes make a small program, none the smallest.
pub fn program(bytes: &mut Unstructured<'_>, weights: &Weights) -> Made<Program> {
    let mut builder = Builder::new(Draw::new(bytes), weights.two_fail);
    let (params, input) = builder.parameters(weights);
    let stuck = builder.draw.chance(weights.stuck);
    let most = 2 + builder.draw.below(7);
    if stuck {
        builder.trouble = 1 + builder.draw.below(2);
        builder.trouble_outside = builder.draw.chance(weights.stuck_outside * 2);
        // What gets stuck may as well stand at the end.
        builder.trouble_in_results = builder.draw.chance(6);
    }
    let body = builder.top(most);
    let results = builder.results();
    let intent = if stuck { Intent::Stuck } else { Intent::Runs };
    Made { program: Program { names: builder.names, params, body, results }, input, intent }
}

impl Builder<'_, '_> {
    /// Makes the parameters and their values.
    fn parameters(&mut self, weights: &Weights) -> (Vec<Param>, Vec<Value>) {
        let (mut params, mut input) = (Vec::new(), Vec::new());
        let ints = 1 + self.draw.below(3);
        let empty = self.draw.chance(weights.empty).then(|| self.draw.below(ints));
        let wide = self.draw.chance(weights.wide);
        for at in 0..ints {
            let value = match empty {
                Some(place) if place == at => 0,
                _ if wide && at == 0 => self.draw.pick(&WIDE),
                _ => self.draw.pick(&INTS),
            };
            let var = self.fixed('n', Range::exactly(value));
            params.push(Param { var, shape: None });
            input.push(Value::from(value as i32));
        }
        if self.draw.chance(40) {
            let var = self.wild('a');
            params.push(Param { var, shape: None });
            let value = self.corner();
            input.push(Value::from(value));
        }
        for _ in 0..self.draw.below(4) {
            let rank = 1 + self.draw.weighed(&[6, 3, 1]);
            let mut width = 1;
            let shape: Vec<(Atom, i64)> = (0..rank).map(|_| self.size_within(&mut width)).collect();
            let var = self.names.fresh(reference::kit::names::Wish::Numbered('p'));
            let extents = shape.iter().map(|(_, extent)| *extent as usize).collect();
            let data = self.data(width as usize);
            input.push(Value::ints(extents, data));
            params.push(Param { var, shape: Some(shape.iter().map(|(size, _)| *size).collect()) });
            let group = self.fresh_group();
            self.blocks.push(Block::whole(var, width, group, 0));
        }
        (params, input)
    }

    /// A size with its value; `elements` is multiplied by it and stays small.
    fn size_within(&mut self, elements: &mut i64) -> (Atom, i64) {
        let (size, extent) = self.size();
        let (size, extent) =
            if *elements * extent <= 400 { (size, extent) } else { (Atom::Const(2), 2) };
        *elements *= extent;
        (size, extent)
    }

    fn data(&mut self, elements: usize) -> Vec<i32> {
        let seed = self.draw.word();
        let small = self.draw.chance(40);
        let hash = |at: usize| {
            let x = (seed ^ (at as u32 + 1)).wrapping_mul(0x9e37_79b1);
            (x ^ (x >> 15)).wrapping_mul(0x85eb_ca6b) as i32
        };
        let plain = |at: usize| if small { hash(at).rem_euclid(7) } else { hash(at) };
        (0..elements).map(plain).collect()
    }
}
