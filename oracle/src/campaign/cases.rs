//! The cases of a campaign: number `n` of a seed is the same on every machine, whatever came
//! before it, as long as the weights are.

use super::finding::values;
use crate::check::Depth;
use crate::engine::{Artifact, Case, Origin};
use crate::generate::{self, Generate, Intent, Material, Weights, digest};
use crate::language::Listed;
use crate::mutate::{Sources, Tries, Unread};
use crate::rolls::Rolls;
use compiler::emit::style::Style;
use reference::kit::dice::Dice;
use reference::kit::language::Settings;
use reference::kit::outcome::Budget;
use reference::translate::expand_memory::Form;
use reference::with_language;
use std::sync::Arc;

/// A case and what it was made for.
pub struct Drawn {
    /// The case.
    pub case: Case,
    /// It was made to run to its end.
    pub meant_to_run: bool,
    /// How its shaders are written.
    pub style: Style,
    /// The seed of the decisions of passes, of a program for which they are drawn.
    pub chaos: Option<u64>,
}

impl Drawn {
    /// Sets options that the campaign sets, if the program is accepted with them: it is well typed and its input fits, which
    /// it does not where a launch names no kernel of it. Else it keeps the options that were drawn for it. Are they set?
    pub(super) fn set(&mut self, options: &Settings) -> bool {
        let case = &mut self.case;
        let program = case.program.clone();
        let mut settings = case.settings.clone();
        settings.put(options);
        let is_set = options.iter().next().is_none() || {
            let program = program.clone().under(&settings);
            let is_accepted = || {
                let typed = program.check(&mut Rolls::default());
                typed.is_ok() && program.fit(case.input.clone()).is_ok()
            };
            // A panic is a finding, which the examination tells.
            crate::panics::catch(is_accepted).unwrap_or(true)
        };
        if is_set {
            case.settings = settings;
        }
        case.program = program.under(&case.settings);
        is_set
    }
}

/// What a program of a campaign may use. Generated programs are small: one that is not is a
/// mistake of the generator, and is to show.
const BUDGET: Budget = Budget { fuel: 20_000_000, memory: 256 << 20 };

/// Draws case `number` of a seed.
pub fn draw(seed: u64, number: u64, weights: &Weights) -> Drawn {
    let material = generate::case(seed, number, weights);
    let origin = Origin::Generated { seed, number };
    Drawn { chaos: chaos(seed, number), ..drawn(material, schedule(seed, number), origin) }
}

/// What a mutant may use: less, since it may well run for ever.
const BUDGET_OF_MUTANTS: Budget = Budget { fuel: 200_000, memory: 512 << 10 };

/// Case `number` of a seed in a campaign that starts from programs: a mutant of them or, where their share
/// leaves it so, a generated one. Beside it stands how often something was tried to make a mutant.
///
/// # Errors
/// A text on which a parser or checker panicked or hung.
pub fn draw_with(
    sources: &Arc<Sources>,
    seed: u64,
    number: u64,
    weights: &Weights,
) -> Result<(Drawn, Tries), Box<Unread>> {
    let (mutant, tries) = sources.mutant(seed, number)?;
    let Some(mutant) = mutant else { return Ok((draw(seed, number, weights), tries)) };
    let schedule = schedule(seed, number);
    let case = Case {
        settings: settings(&mutant.program, schedule),
        program: mutant.program,
        input: mutant.input,
        schedule,
        budget: BUDGET_OF_MUTANTS,
        origin: Origin::Mutated { seed, number, of: mutant.made_of },
    };
    let (style, chaos) = (generate::style(seed, number), chaos(seed, number));
    Ok((Drawn { case, meant_to_run: false, style, chaos }, tries))
}

/// Of one program in so many what passes decide is drawn.
const CHAOS: u64 = 8;

/// The seed of the decisions of passes, of a program for which they are drawn: of some of each kind that
/// [`turn`] tells apart.
fn chaos(seed: u64, number: u64) -> Option<u64> {
    // The digests of texts that differ at their end alone have much in common.
    let digest = digest(&format!("decisions of {number} {seed}"));
    let drawn = (digest ^ (digest >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (drawn >> 40).is_multiple_of(CHAOS).then_some(drawn >> 43)
}

/// The percentage of a campaign's programs that are rewritten by laws first, where it is not told.
pub const OPTIMIZED: u32 = 5;

/// Is the program rewritten by laws first? So many of a hundred are, of each kind that [`turn`] tells apart.
pub(super) fn is_optimized(seed: u64, number: u64, percent: u32) -> bool {
    let digest = digest(&format!("rewriting of {number} {seed}"));
    let drawn = (digest ^ (digest >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (drawn >> 40) % 100 < u64::from(percent)
}

/// What chooses the orders of threads, and whatever else is not looked at in all its ways.
fn schedule(seed: u64, number: u64) -> u64 {
    seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// One program in so many is looked at whole, which takes as long as some quick looks. What those miss is
/// an intermediate stage that is wrong and becomes right, or that is printed wrong, and the form of the
/// kernels that is not launched.
const WHOLE: u64 = 8;

/// How much a campaign looks at of program `number`, and in which form its memory is expanded: both forms
/// in turn, and each is looked at whole as often as the other.
pub fn turn(number: u64) -> (Depth, Form) {
    let form = [Form::Coalesced, Form::Paper][(number % 2) as usize];
    let whole = (number / 2).is_multiple_of(WHOLE);
    (if whole { Depth::Whole } else { Depth::Quick }, form)
}

/// Do the semantics look for reads of memory that nothing wrote, in a program of this schedule? In half of them.
pub(super) fn watches(schedule: u64) -> bool {
    (schedule >> 52).is_multiple_of(2)
}

/// Makes a case of any bytes.
pub fn drawn_from(bytes: &[u8]) -> Drawn {
    let material = generate::material(bytes, &Weights::default());
    drawn(material, bytes.len() as u64, Origin::File("bytes".to_owned()))
}

fn drawn(material: Material, schedule: u64, origin: Origin) -> Drawn {
    let Material { program, input, intent, style } = material;
    let settings = settings(&program, schedule);
    let case = Case { program, input, schedule, settings, budget: BUDGET, origin };
    Drawn { case, meant_to_run: intent == Intent::Runs, style, chaos: None }
}

/// Which number of the schedule the options of a language are drawn from: no other choice uses those behind it.
const OPTIONS_AT: u64 = 1 << 20;

/// The options of its language that a program is run with, where the campaign sets none.
fn settings(program: &Artifact, schedule: u64) -> Settings {
    let mut dice = Dice::new(Dice::at(schedule, OPTIONS_AT));
    with_language!(program.lang(), |L| {
        L::of(program).map_or_else(Settings::default, |program| L::settings(program, &mut dice))
    })
}

/// How many programs tell what is drawn.
const TELLING: u64 = 24;

/// A digest of what this build draws: another generator, or another steering of it, has another.
/// Campaigns go on only with the programs that they began with.
pub(super) fn fingerprint() -> String {
    let mut steered = Weights::default();
    let missing = ["E-KERNEL size", "E-SLICE slice", "E-TRANSPOSE", "E-LOOP count"];
    steered.steer(&missing.map(|line| ("fun", line)));
    let told = [Weights::default(), steered].map(|weights| told(0, &weights)).concat();
    format!("{:016x}", digest(&told))
}

/// The first programs of a seed, with their inputs and styles.
fn told(seed: u64, weights: &Weights) -> String {
    let drawn = (0..TELLING).map(|number| draw(seed, number, weights));
    let told = drawn.map(|Drawn { case, style, chaos, .. }| {
        let Case { program, input, settings, .. } = &case;
        format!("{}{}{settings}{style}{chaos:?}\n", program.print(), values(input))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::{
        CHAOS, OPTIMIZED, WHOLE, Weights, chaos, fingerprint, is_optimized, schedule, told, turn,
        watches,
    };
    use crate::check::Depth;
    use crate::generate::digest;
    use std::collections::BTreeMap;

    /// Other programs, as another generator draws them, and other weights have other digests.
    #[test]
    fn a_fingerprint_tells_what_is_drawn() {
        assert_eq!(fingerprint(), fingerprint());
        let usual = Weights::default();
        let other = Weights { scalar: usual.scalar + 20, ..usual.clone() };
        let digests = [(0, &usual), (1, &usual), (0, &other)];
        let [this, seed, weights] = digests.map(|(seed, weights)| digest(&told(seed, weights)));
        assert!(this != seed && this != weights);
    }

    /// Whatever goes by turns goes with nothing else: each way of looking at a program is taken with both
    /// forms of expansion, as often, and with both answers of the schedule to what it chooses.
    #[test]
    fn what_a_campaign_chooses_is_chosen_with_everything_else() {
        const DRAWN: u64 = 8_000;
        for seed in [1, 2] {
            let mut seen: BTreeMap<_, u64> = BTreeMap::new();
            for number in 0..DRAWN {
                let (depth, form) = turn(number);
                let schedule = schedule(seed, number);
                let chosen = [2, 7].map(|of| (schedule >> 32) % of);
                *seen.entry((depth == Depth::Whole, form.name(), chosen)).or_default() += 1;
            }
            assert_eq!(seen.len(), 2 * 2 * 2 * 7);
            for ((whole, ..), times) in seen {
                let mean = DRAWN / WHOLE * if whole { 1 } else { WHOLE - 1 } / 28;
                assert!((mean / 2..mean * 2).contains(&times), "{times}, {mean} on the mean");
            }
        }
    }

    /// Half of the programs, with either form of expansion and depth.
    #[test]
    fn half_of_the_programs_are_watched() {
        const DRAWN: u64 = 8_000;
        for seed in [1, 2] {
            let mut seen: BTreeMap<_, [u64; 2]> = BTreeMap::new();
            for number in 0..DRAWN {
                let (depth, form) = turn(number);
                let watched = usize::from(watches(schedule(seed, number)));
                seen.entry((depth == Depth::Whole, form.name())).or_default()[watched] += 1;
            }
            assert_eq!(seen.len(), 4);
            for (turn, [not, watched]) in seen {
                assert!(not.abs_diff(watched) < (not + watched) / 5, "{turn:?}: {not}, {watched}");
            }
        }
    }

    /// What passes decide is drawn for one program in eight, with either form of expansion and depth.
    #[test]
    fn some_programs_have_decisions_drawn() {
        const DRAWN: u64 = 16_000;
        let mut seen: BTreeMap<_, u64> = BTreeMap::new();
        for number in (0..DRAWN).filter(|number| chaos(1, *number).is_some()) {
            let (depth, form) = turn(number);
            *seen.entry((depth == Depth::Whole, form.name())).or_default() += 1;
        }
        let all: u64 = seen.values().sum();
        assert!((DRAWN / CHAOS * 9 / 10..DRAWN / CHAOS * 11 / 10).contains(&all), "{all}");
        assert_eq!(seen.len(), 4);
        assert!(seen.values().all(|times| *times > 50), "{seen:?}");
    }

    /// Five programs of a hundred are rewritten first, with either form of expansion and depth; all or none of them
    /// where that is told.
    #[test]
    fn some_programs_are_rewritten() {
        const DRAWN: u64 = 16_000;
        let mut seen: BTreeMap<_, u64> = BTreeMap::new();
        for number in (0..DRAWN).filter(|number| is_optimized(1, *number, OPTIMIZED)) {
            let (depth, form) = turn(number);
            *seen.entry((depth == Depth::Whole, form.name())).or_default() += 1;
        }
        let all: u64 = seen.values().sum();
        let wanted = DRAWN * u64::from(OPTIMIZED) / 100;
        assert!((wanted * 8 / 10..wanted * 12 / 10).contains(&all), "{all}");
        assert_eq!(seen.len(), 4);
        assert!((0..DRAWN).all(|number| is_optimized(1, number, 100)));
        assert!(!(0..DRAWN).any(|number| is_optimized(1, number, 0)));
    }

    /// Values of the authors of FNV.
    #[test]
    fn a_digest_is_the_same_everywhere() {
        assert_eq!(digest(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(digest("foobar"), 0x8594_4171_f739_67e8);
    }
}
