//! The cases of a campaign: number `n` of a seed is the same on every machine, whatever came
//! before it, as long as the weights are.

use super::finding::values;
use crate::engine::{Artifact, Case, Origin};
use crate::generate::fun::Intent;
use crate::generate::{self, Material, Start, Weights};
use crate::language;
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

/// How many programs tell what is drawn.
const TELLING: u64 = 24;

/// A digest of what this build draws: another generator, or another steering of it, has another.
/// Campaigns go on only with the programs that they began with.
pub(super) fn fingerprint() -> String {
    let mut steered = Weights::default();
    steered.steer(&["E-KERNEL size", "E-SLICE slice", "E-TRANSPOSE", "E-MEM-LOOP count"]);
    let told = [Weights::default(), steered].map(|weights| told(0, &weights)).concat();
    format!("{:016x}", digest(&told))
}

/// The first programs of a seed, with their inputs and styles.
fn told(seed: u64, weights: &Weights) -> String {
    let drawn = (0..TELLING).map(|number| draw(seed, number, weights));
    let told = drawn.map(|Drawn { case, style, .. }| {
        format!("{}{}{style}\n", language::print(&case.program), values(&case.input))
    });
    told.collect()
}

/// The digest of a text by FNV-1a, which is the same in every build.
pub fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::{Weights, digest, fingerprint, told};

    /// Other programs, as another generator draws them, and other weights have other digests.
    #[test]
    fn a_fingerprint_tells_what_is_drawn() {
        assert_eq!(fingerprint(), fingerprint());
        let usual = Weights::default();
        let edited = Weights { edited: usual.edited + 20, ..usual.clone() };
        let digests = [(0, &usual), (1, &usual), (0, &edited)];
        let [this, seed, weights] = digests.map(|(seed, weights)| digest(&told(seed, weights)));
        assert!(this != seed && this != weights);
    }

    /// Values of the authors of FNV.
    #[test]
    fn a_digest_is_the_same_everywhere() {
        assert_eq!(digest(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(digest("foobar"), 0x8594_4171_f739_67e8);
    }
}
