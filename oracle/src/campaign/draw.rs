//! The cases of a campaign: number `n` of a seed is the same on every machine, whatever came
//! before it, as long as the weights are.

use crate::engine::{Artifact, Case, Origin};
use crate::generate::fun::Intent;
use crate::generate::{self, Material, Start, Weights};
use compiler::emit::style::Style;
use reference::kit::outcome::Budget;

/// A case and what it was made for.
pub struct Drawn {
    /// The case.
    pub case: Case,
    /// It was made to run to its end.
    pub meant_to_run: bool,
    /// How its shaders are written.
    pub style: Style,
}

/// What a program of a campaign may use. Generated programs are small: one that is not is a
/// mistake of the generator, and is to show.
const BUDGET: Budget = Budget { fuel: 20_000_000, memory: 256 << 20 };

/// Draws case `number` of a seed.
pub fn draw(seed: u64, number: u64, weights: &Weights) -> Drawn {
    let schedule = seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let material = generate::case(seed, number, weights);
    drawn(material, schedule, Origin::Generated { seed, number })
}

/// Makes a case of any bytes.
pub fn drawn_from(bytes: &[u8]) -> Drawn {
    let material = generate::material(bytes, &Weights::default());
    drawn(material, bytes.len() as u64, Origin::File("bytes".to_owned()))
}

fn drawn(material: Material, schedule: u64, origin: Origin) -> Drawn {
    let fun = matches!(material.start, Start::Fun(_));
    let program = match material.start {
        Start::Fun(program) => Artifact::Fun(program),
        Start::FunMem { program, .. } => Artifact::FunMem(program),
    };
    let case = Case { program, input: material.input, schedule, budget: BUDGET, origin };
    // An edited program may do anything.
    Drawn { case, meant_to_run: fun && material.intent == Intent::Runs, style: material.style }
}
