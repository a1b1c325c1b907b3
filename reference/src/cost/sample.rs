//! What of a run is executed where only its price is wanted: some work groups, and of long loops some rounds. What is
//! executed stands for what is not, with weights that add up to all of it.

use crate::kit::regular::Loops;

/// How much of a run is executed. Groups and rounds are chosen by their numbers alone, so a price is the same each time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// Loops, inner kernels and calls of which rounds may be left out, by their statements.
    pub loops: Loops,
    /// Times that groups run at once which are executed, at most.
    pub rounds: u64,
    /// Groups that are executed of each of these, at most.
    pub groups: u64,
    /// Rounds of all loops that a thread executes, roughly: a nest of `h` loops has the `h`-th root of it of each.
    pub of_thread: u64,
}

impl Sampling {
    /// With the numbers that the tests' bounds were found with.
    pub fn new(loops: Loops) -> Self {
        Self { loops, rounds: 3, groups: 3, of_thread: 1024 }
    }
}

/// Fewest rounds of a loop that are executed, if it has so many.
const FEWEST: u64 = 4;
/// Most rounds in a row that are executed of a loop that is not executed whole: more than the words of a line, so that it
/// is seen which rounds find their lines at hand.
const IN_A_ROW: u64 = 32;

/// Which rounds of a loop are executed: the loop is cut into equal stretches, and of each the rounds in the middle stand
/// for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    count: u64,
    stretches: u64,
    /// Rounds that are executed of each.
    each: u64,
}

impl Part {
    /// All rounds.
    pub(super) const WHOLE: Part = Part { count: u64::MAX, stretches: 1, each: u64::MAX };

    /// So many of `count` rounds, at most.
    pub(super) fn of(count: u64, most: u64) -> Self {
        let most = most.max(1);
        if count <= most {
            return Self::WHOLE;
        }
        let each = (most / 2).clamp(1, IN_A_ROW);
        Self { count, stretches: most / each, each }
    }

    /// How many rounds are executed, of a loop of `count`.
    fn executed(self, count: u64) -> u64 {
        count.min(self.stretches.saturating_mul(self.each))
    }

    /// The stretch that a round is in, its length, and the first round of it that is executed.
    fn stretch(self, number: u64) -> (u64, u64, u64) {
        // `⌊b · count / stretches⌋` is where the stretch `b` starts; the product of two numbers of 32 bits fits.
        let start = |b: u64| b * self.count / self.stretches;
        let mut b = number * self.stretches / self.count;
        if start(b + 1) <= number {
            b += 1;
        }
        let (from, to) = (start(b), start(b + 1));
        let middle = from + (to - from - self.each) / 2;
        // At the nearest multiple of the rounds in a row, where lines start.
        let aligned = (middle + self.each / 2) / self.each * self.each;
        let fits = aligned >= from && aligned + self.each <= to;
        (to, to - from, if fits { aligned } else { middle })
    }

    /// The first round from this one on that is executed.
    pub(super) fn next(self, number: u64) -> u64 {
        if self == Self::WHOLE || number >= self.count {
            return number;
        }
        let (end, _, first) = self.stretch(number);
        match number {
            before if before < first => first,
            inside if inside < first + self.each => inside,
            _ if end >= self.count => self.count,
            _ => self.stretch(end).2,
        }
    }

    /// For how many rounds one that is executed stands.
    pub(super) fn weight(self, number: u64) -> u64 {
        if self == Self::WHOLE || number >= self.count {
            return 1;
        }
        let (_, length, first) = self.stretch(number);
        length / self.each + u64::from(number - first < length % self.each)
    }
}

/// How rounds are shared between nested loops.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    /// Rounds that a thread may execute of the loops from here on.
    left: u64,
}

impl Share {
    pub(super) fn new(sampling: Option<&Sampling>) -> Self {
        Self { left: sampling.map_or(0, |sampling| sampling.of_thread) }
    }

    /// What is executed of a loop in which so many are nested, itself counted, and what is left for those.
    pub(super) fn of(self, count: u64, height: u32) -> (Part, Share) {
        let root = (self.left as f64).powf(1.0 / f64::from(height.max(1)));
        let part = Part::of(count, (root.round() as u64).max(FEWEST));
        (part, Share { left: self.left / part.executed(count).max(1) })
    }
}

/// The loops that the host is in.
#[derive(Clone, Debug)]
pub(super) struct HostLoops {
    /// For each of them what is executed of it, and of what is around it how often it counts and what is left for it.
    levels: Vec<(Part, u64, Share)>,
    /// How often what is executed now counts.
    times: u64,
    share: Share,
    /// The round that comes next.
    round: u64,
    /// Was something left out?
    skipped: bool,
}

impl HostLoops {
    pub(super) fn new(sampling: Option<&Sampling>) -> Self {
        Self { levels: Vec::new(), times: 1, share: Share::new(sampling), round: 0, skipped: false }
    }

    /// How often what is executed now counts.
    pub(super) fn times(&self) -> u64 {
        self.times
    }

    /// Was something left out?
    pub(super) fn is_sampled(&self) -> bool {
        self.skipped
    }

    /// The host comes to a loop, of which so many rounds may be left out if a number of loops is nested in it.
    pub(super) fn enter(&mut self, sampled: Option<(u64, u32)>) {
        let (part, inside) = match sampled {
            None => (Part::WHOLE, self.share),
            Some((count, height)) => self.share.of(count, height),
        };
        self.levels.push((part, self.times, self.share));
        self.share = inside;
    }

    /// The first round from this one on that is executed.
    pub(super) fn next(&mut self, number: u64) -> u64 {
        let Some((part, ..)) = self.levels.last() else { return number };
        self.round = part.next(number);
        self.skipped |= self.round > number;
        self.round
    }

    /// That round starts.
    pub(super) fn starts(&mut self) {
        if let Some((part, around, _)) = self.levels.last() {
            self.times = around.saturating_mul(part.weight(self.round));
        }
    }

    pub(super) fn leave(&mut self) {
        if let Some((_, times, share)) = self.levels.pop() {
            (self.times, self.share) = (times, share);
        }
    }
}

/// A work group that is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    /// Its number.
    pub(super) group: u64,
    /// Which of the times it is that groups run at once, of those that are executed; for how many of them this one stands,
    /// and for how many groups of each.
    pub(super) round: u64,
    pub(super) rounds: u64,
    pub(super) groups: u64,
}

/// Which groups of a launch are executed.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// All, so many of which run at once.
    Whole(u64),
    /// These.
    Some(Vec<Chosen>),
}

impl Choice {
    /// Of so many groups: the last one, which may have fewer threads, and others evenly spread; likewise of the times that
    /// groups run at once.
    pub(super) fn new(groups: u64, at_once: u64, sampling: Option<&Sampling>) -> Self {
        let rounds = groups.div_ceil(at_once);
        let Some(sampling) = sampling else { return Choice::Whole(at_once) };
        if groups.min(at_once) <= sampling.groups && rounds <= sampling.rounds {
            return Choice::Whole(at_once);
        }
        let mut chosen = Vec::new();
        for (round, (number, stands)) in (0..).zip(spread(rounds, sampling.rounds)) {
            let first = number * at_once;
            let own = at_once.min(groups - first);
            for (group, weight) in spread(own, sampling.groups) {
                let group = first + group;
                chosen.push(Chosen { group, round, rounds: stands, groups: weight });
            }
        }
        Choice::Some(chosen)
    }

    /// The first group from this one on that is executed; any number beyond the last for none.
    pub(super) fn next(&self, group: u64) -> u64 {
        match self {
            Choice::Whole(_) => group,
            Choice::Some(chosen) => {
                let at = chosen.partition_point(|of| of.group < group);
                chosen.get(at).map_or(u64::MAX, |of| of.group)
            }
        }
    }

    /// What a group stands for.
    pub(super) fn of(&self, group: u64) -> Chosen {
        match self {
            Choice::Whole(at_once) => {
                Chosen { group, round: group / at_once, rounds: 1, groups: 1 }
            }
            Choice::Some(chosen) => {
                let at = chosen.partition_point(|of| of.group < group).min(chosen.len() - 1);
                chosen[at]
            }
        }
    }
}

/// Of `count` numbers at most `most`, in order, and for how many each of them stands: the last one for itself, and the
/// middles of equal stretches for these.
fn spread(count: u64, most: u64) -> Vec<(u64, u64)> {
    if count <= most {
        return (0..count).map(|number| (number, 1)).collect();
    }
    let (others, stretches) = (count - 1, most.max(2) - 1);
    let start = |b: u64| b * others / stretches;
    let mut chosen: Vec<(u64, u64)> = (0..stretches)
        .map(|b| (start(b) + (start(b + 1) - start(b)) / 2, start(b + 1) - start(b)))
        .collect();
    chosen.push((count - 1, 1));
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the counts, the rounds that are executed are few, in order, and stand for all.
    #[test]
    fn the_rounds_of_a_part_stand_for_all() {
        for count in (0..300).chain([1_000, 1_024, 4_095, 65_537]) {
            for most in [1, 2, 3, 4, 7, 10, 32, 100, 1_024] {
                let part = Part::of(count, most);
                let (mut at, mut executed, mut weight) = (0, 0, 0);
                loop {
                    at = part.next(at);
                    if at >= count {
                        break;
                    }
                    assert_eq!(part.next(at), at, "{part:?}");
                    executed += 1;
                    weight += part.weight(at);
                    at += 1;
                }
                assert_eq!(weight, count, "{part:?}");
                assert_eq!(executed, part.executed(count), "{part:?}");
                assert!(executed <= most.max(1) && executed >= count.min(most / 2), "{part:?}");
            }
        }
    }

    /// A loop whose rounds cost what their number is has the same sum, up to the alignment of what is executed.
    #[test]
    fn middles_of_stretches_keep_linear_sums() {
        let part = Part::of(1 << 20, 1_024);
        let (mut at, mut sum) = (0, 0);
        while part.next(at) < 1 << 20 {
            at = part.next(at);
            sum += at * part.weight(at);
            at += 1;
        }
        let exact: u64 = (1 << 19) * ((1 << 20) - 1);
        assert!(sum.abs_diff(exact) * 1_000 < exact, "{sum} is not nearly {exact}");
    }

    #[test]
    fn a_nest_has_its_share_of_rounds() {
        let share = Share { left: 1_024 };
        let (outer, inside) = share.of(4, 2);
        assert_eq!((outer, inside.left), (Part::WHOLE, 256));
        let (outer, inside) = share.of(1_000_000, 2);
        assert_eq!((outer.executed(1_000_000), inside.left), (32, 32));
        let (inner, _) = inside.of(1_000_000, 1);
        assert_eq!(inner.executed(1_000_000), 32);
        // What is nested too deeply still has a few rounds.
        assert_eq!(share.of(100, 30).0.executed(100), 4);
    }

    #[test]
    fn groups_stand_for_all_groups() {
        let sampling = Sampling::new(Loops::default());
        for groups in [1, 2, 3, 4, 5, 63, 64, 65, 1_000, 4_096, 4_097] {
            for at_once in [1, 2, 64] {
                let choice = Choice::new(groups, at_once, Some(&sampling));
                let (mut at, mut all, mut executed) = (0, 0, 0);
                let mut rounds = std::collections::BTreeMap::new();
                while choice.next(at) < groups {
                    at = choice.next(at);
                    let of = choice.of(at);
                    assert_eq!(of.group, at);
                    all += of.groups * of.rounds;
                    executed += 1;
                    rounds.insert(of.round, of.rounds);
                    at += 1;
                }
                let own: u64 = rounds.values().sum();
                assert_eq!(own, groups.div_ceil(at_once), "{groups}, {at_once}: {choice:?}");
                assert!(executed <= 9, "{executed}");
                // The last round may be shorter, and stands for itself.
                assert_eq!(all, groups, "{groups}, {at_once}: {choice:?}");
            }
        }
    }
}
