//! A cost as a function of a size: found from its values at several sizes, and checked at others.
//!
//! A [`Form`] is a sum of [`Term`]s with rational factors. It is solved for exactly, so it is the cost at each of the sizes
//! that were looked at, or there is none. Costs often depend on whether a size is even, as on two processors, or on what is
//! left of it by four, as where transfers are of four words: then each of these classes has a form of its own.

use super::Machine;
use std::collections::BTreeSet;
use std::fmt;

/// What a cost is a sum of, where the size is `n`, a warp has `w` threads and a work group `p` warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// `n`
    Size,
    /// How often as many work groups run as the device takes at once.
    Rounds,
    /// `⌈n/(w p)⌉`: work groups.
    Groups,
    /// `⌈n/w⌉`: warps.
    Warps,
    /// `n ⌈log₂ n⌉`
    Log,
    /// 1
    One,
}

impl Term {
    /// All of them. Of several that are alike on a machine the first one is used.
    const ALL: [Term; 6] =
        [Term::Size, Term::One, Term::Rounds, Term::Groups, Term::Warps, Term::Log];
    /// As they are written.
    const WRITTEN: [Term; 6] =
        [Term::Log, Term::Size, Term::Rounds, Term::Groups, Term::Warps, Term::One];

    fn at(self, machine: &Machine, n: u64) -> u64 {
        let group = machine.width.saturating_mul(machine.warps);
        match self {
            Term::Size => n,
            Term::Rounds => n.div_ceil(at_once(machine)),
            Term::Groups => n.div_ceil(group),
            Term::Warps => n.div_ceil(machine.width),
            Term::Log => n.saturating_mul(u64::from(n.max(1).next_power_of_two().ilog2())),
            Term::One => 1,
        }
    }
}

/// The threads that run at once: those of whole work groups.
pub fn at_once(machine: &Machine) -> u64 {
    let group = machine.width.saturating_mul(machine.warps).max(1);
    (machine.threads / group).max(1).saturating_mul(group)
}

/// A number as a fraction in lowest terms, of which the lower part is not negative or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ratio(i128, i128);

impl Ratio {
    fn new(upper: i128, lower: i128) -> Option<Self> {
        let (mut a, mut b) = (upper.checked_abs()?, lower.checked_abs()?);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let by = a * lower.signum();
        (by != 0).then(|| Ratio(upper / by, lower / by))
    }

    fn minus(self, other: Self) -> Option<Self> {
        let upper = self.0.checked_mul(other.1)?.checked_sub(other.0.checked_mul(self.1)?)?;
        Self::new(upper, self.1.checked_mul(other.1)?)
    }

    fn times(self, other: Self) -> Option<Self> {
        Self::new(self.0.checked_mul(other.0)?, self.1.checked_mul(other.1)?)
    }

    fn over(self, other: Self) -> Option<Self> {
        self.times(Self::new(other.1, other.0)?)
    }
}

/// A sum of terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The factors of [`Term::ALL`].
    factors: [Ratio; Term::ALL.len()],
}

impl Form {
    /// The form that has these values, each beside its size: one that uses the first terms, if there are several.
    fn of(machine: &Machine, values: &[(u64, u64)]) -> Option<Form> {
        const TERMS: usize = Term::ALL.len();
        let row = |(n, value): &(u64, u64)| {
            let of = |at: usize| match Term::ALL.get(at) {
                Some(term) => Ratio(term.at(machine, *n).into(), 1),
                None => Ratio((*value).into(), 1),
            };
            std::array::from_fn::<Ratio, { TERMS + 1 }, _>(of)
        };
        let mut rows: Vec<_> = values.iter().map(row).collect();
        // By columns: a row in which the term stands alone, and no other row has it.
        let (mut solved, mut of_term) = (0, [None; TERMS]);
        for term in 0..TERMS {
            let Some(found) = (solved..rows.len()).find(|at| rows[*at][term].0 != 0) else {
                continue;
            };
            rows.swap(solved, found);
            let first = rows[solved][term];
            for cell in &mut rows[solved] {
                *cell = cell.over(first)?;
            }
            let pivot = rows[solved];
            for (at, row) in rows.iter_mut().enumerate() {
                let times = row[term];
                if at != solved && times.0 != 0 {
                    for (cell, of) in row.iter_mut().zip(pivot) {
                        *cell = cell.minus(times.times(of)?)?;
                    }
                }
            }
            of_term[term] = Some(solved);
            solved += 1;
        }
        // What is left has to say 0 = 0, and that twice at least: else any values would have a form.
        let left = &rows[solved..];
        let holds = left.len() >= 2 && left.iter().all(|row| row[TERMS].0 == 0);
        let factor = |at: Option<usize>| at.map_or(Ratio(0, 1), |at| rows[at][TERMS]);
        holds.then(|| Form { factors: of_term.map(factor) })
    }

    /// Is this its value at that size?
    fn is(&self, machine: &Machine, (n, value): (u64, u64)) -> bool {
        let mut left = Some(Ratio(value.into(), 1));
        for (term, factor) in Term::ALL.into_iter().zip(self.factors) {
            let part = factor.times(Ratio(term.at(machine, n).into(), 1));
            left = left.zip(part).and_then(|(left, part)| left.minus(part));
        }
        left.is_some_and(|left| left.0 == 0)
    }

    /// The form, where the size has this name.
    pub fn text(&self, name: &str) -> String {
        use fmt::Write;
        let mut text = String::new();
        for term in Term::WRITTEN {
            let factor = Term::ALL.iter().position(|of| *of == term).map(|at| self.factors[at]);
            let Some(Ratio(upper, lower)) = factor.filter(|factor| factor.0 != 0) else { continue };
            let of = match term {
                Term::Size => name.to_owned(),
                Term::Rounds => "rounds".to_owned(),
                Term::Groups => format!("⌈{name}/(w p)⌉"),
                Term::Warps => format!("⌈{name}/w⌉"),
                Term::Log => format!("{name} ⌈log₂ {name}⌉"),
                Term::One => String::new(),
            };
            let _ = match (text.is_empty(), upper < 0) {
                (true, true) => write!(text, "-"),
                (true, false) => Ok(()),
                (false, true) => write!(text, " - "),
                (false, false) => write!(text, " + "),
            };
            let number = match lower {
                1 => upper.unsigned_abs().to_string(),
                _ => format!("{}/{lower}", upper.unsigned_abs()),
            };
            let _ = match (of.is_empty(), &number[..]) {
                (true, _) => write!(text, "{number}"),
                (false, "1") => write!(text, "{of}"),
                (false, _) => write!(text, "{number} {of}"),
            };
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

/// Sizes that a program is run at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// What all of them are multiples of.
    pub multiples_of: u64,
    /// Those that forms are found at.
    pub found: Vec<u64>,
    /// Those that they are checked at.
    pub checked: Vec<u64>,
}

impl Sizes {
    /// Some of each class, small ones and, if that is not too many elements, of several rounds.
    pub fn all(machine: &Machine) -> Sizes {
        let found = [8, 20, 52, 100, 212, 420, 1000, 2100];
        let [found, checked] = in_rounds(
            at_once(machine).next_multiple_of(CLASSES),
            [(0, &found), (1, &[24]), (2, &[500])],
            [(0, &[36, 332, 1540]), (2, &[1300])],
        );
        let of_classes = |bases: BTreeSet<u64>| -> BTreeSet<u64> {
            bases.into_iter().flat_map(|base| (0..CLASSES).map(move |class| base + class)).collect()
        };
        Self::new(1, of_classes(found), &of_classes(checked))
    }

    /// Multiples of the threads of a work group, where these are more than there are classes: the accesses of whole groups
    /// are often regular where those of the last warp depend on where it begins in memory.
    pub fn of_whole_groups(machine: &Machine) -> Option<Sizes> {
        let group = machine.width.saturating_mul(machine.warps);
        if group <= CLASSES || group > MOST_THREADS {
            return None;
        }
        let [found, checked] = in_rounds(
            at_once(machine) / group,
            [(0, &[1, 2, 3, 5, 8, 13]), (1, &[1, 3]), (2, &[2])],
            [(0, &[4, 7, 11]), (2, &[5])],
        )
        .map(|groups| groups.into_iter().map(|groups| groups * group).collect());
        Some(Self::new(group, found, &checked))
    }

    /// Those that are smaller.
    pub fn below(&self, n: u64) -> Sizes {
        let below = |sizes: &[u64]| sizes.iter().copied().filter(|size| *size < n).collect();
        Sizes { found: below(&self.found), checked: below(&self.checked), ..*self }
    }

    /// Forms are checked at sizes at which they were not found.
    fn new(multiples_of: u64, found: BTreeSet<u64>, checked: &BTreeSet<u64>) -> Self {
        let checked = checked.difference(&found).copied().collect();
        Sizes { multiples_of, found: found.into_iter().collect(), checked }
    }
}

/// Sizes behind whole rounds; those behind one and more are left out where a round is of too many elements.
fn in_rounds<const A: usize, const B: usize>(
    round: u64,
    found: [(u64, &[u64]); A],
    checked: [(u64, &[u64]); B],
) -> [BTreeSet<u64>; 2] {
    let all = |parts: &[(u64, &[u64])]| -> BTreeSet<u64> {
        let few = parts.iter().filter(|(rounds, _)| *rounds == 0 || round <= MOST_THREADS);
        few.flat_map(|(rounds, sizes)| sizes.iter().map(move |size| rounds * round + size))
            .collect()
    };
    [all(&found), all(&checked)]
}

/// Most classes of sizes.
const CLASSES: u64 = 4;

/// The most threads at once of a machine whose rounds are looked at.
const MOST_THREADS: u64 = 1 << 15;

/// The forms of a cost, from its values at the sizes where they are found and where they are checked: one form, if that is
/// enough, or two, or four, for sizes of which 0, 1, ⋯ is left by as many as there are. Of multiples of a number there is one
/// form or none.
pub fn forms(
    machine: &Machine,
    multiples_of: u64,
    [found, checked]: [&[(u64, u64)]; 2],
) -> Option<Vec<Form>> {
    let of_class = |values: &[(u64, u64)], classes: u64, class: u64| -> Vec<(u64, u64)> {
        values.iter().filter(|(n, _)| n % classes == class).copied().collect()
    };
    let form = |classes: u64, class: u64| {
        let form = Form::of(machine, &of_class(found, classes, class))?;
        let others = of_class(checked, classes, class);
        others.iter().all(|value| form.is(machine, *value)).then_some(form)
    };
    let classes: &[u64] = if multiples_of == 1 { &[1, 2, CLASSES] } else { &[1] };
    let mut all =
        classes.iter().map(|classes| (0..*classes).map(|class| form(*classes, class)).collect());
    all.find_map(|forms: Option<Vec<Form>>| forms)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Machine {
        Machine { width: 4, warps: 2, threads: 32, ..Machine::default() }
    }

    /// The forms of a function of the size, as text.
    fn found(machine: &Machine, cost: impl Fn(u64) -> u64) -> Option<Vec<String>> {
        found_at(machine, &Sizes::all(machine), cost)
    }

    /// The same at these sizes.
    fn found_at(machine: &Machine, at: &Sizes, cost: impl Fn(u64) -> u64) -> Option<Vec<String>> {
        let of = |sizes: &[u64]| sizes.iter().map(|n| (*n, cost(*n))).collect::<Vec<_>>();
        let values = [of(&at.found), of(&at.checked)];
        let forms = forms(machine, at.multiples_of, [&values[0], &values[1]])?;
        Some(forms.iter().map(|form| form.text("n")).collect())
    }

    #[test]
    fn sums_of_terms_are_found() {
        for machine in [small(), Machine::default()] {
            let (w, group, round) =
                (machine.width, machine.width * machine.warps, at_once(&machine));
            let log = |n: u64| u64::from(n.next_power_of_two().ilog2());
            let one = |text: &str| Some(vec![text.to_owned()]);
            assert_eq!(found(&machine, |_| 0), one("0"));
            assert_eq!(found(&machine, |n| 5 * n - 2), one("5 n - 2"));
            assert_eq!(
                found(&machine, |n| 2001 * n.div_ceil(round) + 801),
                one("2001 rounds + 801")
            );
            assert_eq!(
                found(&machine, |n| n * log(n) + 3 * n.div_ceil(w) + n.div_ceil(group)),
                one("n ⌈log₂ n⌉ + ⌈n/(w p)⌉ + 3 ⌈n/w⌉")
            );
        }
    }

    #[test]
    fn classes_of_sizes_have_their_own_forms() {
        let odd = |n: u64| if n.is_multiple_of(2) { 5 * n - 2 } else { 5 * n + 1 };
        assert_eq!(found(&small(), odd), Some(vec!["5 n - 2".to_owned(), "5 n + 1".to_owned()]));
        let words =
            found(&Machine::default(), |n| 10_000 + (5 * n).div_ceil(4)).expect("they are found");
        assert_eq!(words.len(), 4);
        assert_eq!(words[..2], ["5/4 n + 10000", "5/4 n + 40003/4"]);
    }

    #[test]
    fn other_functions_have_no_form() {
        for machine in [small(), Machine::default()] {
            assert_eq!(found(&machine, |n| n * n), None);
            assert_eq!(found(&machine, |n| n.isqrt()), None);
            assert_eq!(found(&machine, |n| n % 7), None);
            // One value that is another one is enough, also where forms are only checked.
            let Sizes { found: at, checked, .. } = Sizes::all(&machine);
            for odd_one in [at, checked].concat() {
                assert_eq!(found(&machine, |n| n + u64::from(n == odd_one)), None, "{odd_one}");
            }
        }
        assert_eq!(found(&small(), |n| if n > 10 { u64::MAX - n } else { n }), None);
    }

    /// What no form tells of all sizes may have one of whole work groups.
    #[test]
    fn multiples_of_groups_have_a_form() {
        let machine = Machine::default();
        let groups = Sizes::of_whole_groups(&machine).expect("it has wide groups");
        let last_warp =
            |n: u64| 25 * n / 32 + 7 * n.div_ceil(at_once(&machine)) + (n % 32) * (n % 3);
        assert_eq!(found(&machine, last_warp), None);
        let form = Some(vec!["25/32 n + 7 rounds".to_owned()]);
        assert_eq!(found_at(&machine, &groups, last_warp), form);
        assert_eq!(found_at(&machine, &groups, |n| n / 256 % 2), None);
        for odd_one in [&groups.found[..], &groups.checked].concat() {
            let cost = |n| n + u64::from(n == odd_one);
            assert_eq!(found_at(&machine, &groups, cost), None, "{odd_one}");
        }
        let narrow = Machine { width: 2, warps: 2, ..machine };
        assert_eq!(Sizes::of_whole_groups(&narrow), None);
    }

    /// What is the same on a machine is one term.
    #[test]
    fn terms_that_are_alike_are_told_once() {
        let narrow = Machine { width: 1, warps: 1, threads: 1, ..Machine::default() };
        assert_eq!(found(&narrow, |n| 3 * n + 1), Some(vec!["3 n + 1".to_owned()]));
    }
}
