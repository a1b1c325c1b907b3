//! Programs whose results may depend on the order of their threads though none race: they are run in several
//! orders before anybody is blamed, and engines are held against what all orders share.
//!
//! Of each result that is
//! - the result itself, if all orders give the same;
//! - its elements in any order, if all orders give these (as a stream compaction does);
//! - nothing, if not.
//!
//! A program that races or gets stuck in one of the orders is wrong, whatever the others do. Then an engine may end as any
//! order may.
//!
//! A device may take an order that was not run. So further orders are drawn where all is looked at, until one is wrong, and
//! where an engine differs from all of this, until one shows that what the engine gave is left open, or until enough were run
//! ([`most`]). The later ones switch between invocations at each step.

use super::agree::{Difference, agree};
use super::look::policy;
use super::tester::Depth;
use super::verdict::{End, Kind, OrderDependent, ThreadOrder};
use crate::engine::{Case, Engine, EngineId, Stage};
use crate::engines::LanguageEngine;
use crate::rolls::Rolls;
use reference::kit::language::Variant;
use reference::kit::outcome::{Ending, Outcome, Value};
use reference::kit::value::{self, same_elements};

/// The ends of a program in orders other than that of its semantics.
#[derive(Debug, Default)]
pub struct Orders {
    ends: Vec<(ThreadOrder, Outcome)>,
    /// How many orders were drawn beside those that have names.
    drawn: u64,
}

impl Orders {
    /// The orders that were run, and how each ended.
    pub fn ends(&self) -> impl Iterator<Item = &(ThreadOrder, Outcome)> {
        self.ends.iter()
    }

    /// Takes the end of a run in another order, if it has one to compare.
    fn add(&mut self, order: ThreadOrder, outcome: Outcome) {
        if is_value(&outcome) || is_stuck(&outcome) {
            self.ends.push((order, outcome));
        }
    }

    /// An order that makes the program wrong though that of the semantics ends well: one with a race, else one in which a
    /// thread gets stuck. If a thread is stuck in the order of the semantics, others may race behind it unseen.
    pub(crate) fn wrong(&self, in_order: &Outcome) -> Option<&(ThreadOrder, Outcome)> {
        if !is_value(in_order) {
            return None;
        }
        let raced = self.ends.iter().find(|(_, outcome)| !outcome.races.is_empty());
        raced.or_else(|| self.ends.iter().find(|(_, outcome)| is_stuck(outcome)))
    }

    /// Two orders that give different results, if there are two: that of the semantics and the first that differs.
    pub(crate) fn differ(&self, own: EngineId, in_order: &Outcome) -> Option<OrderDependent> {
        let end = |order: &ThreadOrder, outcome: &Outcome| match &outcome.ending {
            Ending::Value(results) => Some(End { order: order.clone(), results: results.clone() }),
            Ending::Stuck(_) | Ending::Unknown(_) | Ending::Broken(_) => None,
        };
        let own = own.into();
        self.ends.iter().find_map(|(order, other)| {
            let ends = Box::new([end(&own, in_order)?, end(order, other)?]);
            let Difference { text, .. } = agree(in_order, other, policy(in_order)).err()?;
            Some(OrderDependent { ends, text })
        })
    }

    /// Holds the end of an engine against what all orders share.
    ///
    /// # Errors
    /// How it differs from the order of the semantics.
    pub(crate) fn agree(&self, in_order: &Outcome, found: &Outcome) -> Result<(), Difference> {
        let Err(difference) = agree(in_order, found, policy(in_order)) else { return Ok(()) };
        let by_order = matches!(difference.kind, Kind::Value | Kind::Stuck);
        let open = || {
            self.wrong(in_order).is_some() || self.gives(found) || self.leaves_open(in_order, found)
        };
        if by_order && open() {
            return Ok(());
        }
        Err(difference)
    }

    /// Does one of the other orders end so?
    fn gives(&self, found: &Outcome) -> bool {
        self.ends.iter().any(|(_, other)| agree(other, found, policy(other)).is_ok())
    }

    fn leaves_open(&self, in_order: &Outcome, found: &Outcome) -> bool {
        let all = || self.ends.iter().map(|(_, outcome)| outcome);
        if all().all(|other| agree(in_order, other, policy(in_order)).is_ok()) {
            return false;
        }
        match (&in_order.ending, &found.ending) {
            (Ending::Value(wanted), Ending::Value(found)) => {
                let same = |a: &Value, b: &Value| value::agree(a, b, &[]).is_ok();
                wanted.len() == found.len()
                    && wanted.iter().zip(found).enumerate().all(|(number, (wanted, found))| {
                        let others = || {
                            all().filter_map(|other| match &other.ending {
                                Ending::Value(results) => results.get(number),
                                _ => None,
                            })
                        };
                        let shared = |by: &dyn Fn(&Value, &Value) -> bool| {
                            others().all(|other| by(wanted, other))
                        };
                        if shared(&same) {
                            same(wanted, found)
                        } else {
                            !shared(&same_elements) || same_elements(wanted, found)
                        }
                    })
            }
            // Which thread gets stuck, and whether one does, may depend on the order too. A flag that nothing
            // confirms comes of two runs of a kernel, each in an order of its own.
            (_, Ending::Stuck(_) | Ending::Unknown(_)) => is_stuck(in_order),
            (_, Ending::Value(_)) => all().any(is_value),
            (_, Ending::Broken(_)) => false,
        }
    }

    /// Draws further orders of the program until they show something, or until enough were drawn; do they show it?
    pub(crate) fn until(
        &mut self,
        source: &Stage,
        case: &Case,
        in_order: &Outcome,
        shown: impl Fn(&Self) -> bool,
    ) -> bool {
        loop {
            if shown(self) {
                return true;
            }
            if !self.draw(source, case, in_order, &mut Rolls::default()) {
                return false;
            }
        }
    }

    /// Draws another order of the program, unless enough were drawn.
    fn draw(&mut self, source: &Stage, case: &Case, in_order: &Outcome, rolls: &mut Rolls) -> bool {
        let lang = source.artifact.lang();
        let variants = &lang.variants()[1..];
        if self.drawn == most(in_order) || variants.is_empty() {
            return false;
        }
        // The last variant is the one by small steps, and says most.
        let back = if self.drawn.is_multiple_of(4) { 1 } else { 0 };
        let variant = variants[variants.len() - 1 - back.min(variants.len() - 1)];
        self.drawn += 1;
        let seed = case.schedule.wrapping_add(self.drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut engine = LanguageEngine::new(lang, variant.name).seeded(seed);
        let outcome = engine.run(source, case, rolls);
        self.add(ThreadOrder { engine: engine.id(), schedule: Some(seed) }, outcome);
        true
    }
}

fn is_value(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::Value(_))
}

fn is_stuck(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::Stuck(_))
}

/// How many orders are drawn to see whether a program that ends well in order is wrong in another one: fewer of a program
/// that takes long, and none of one that takes very long.
fn many(in_order: &Outcome) -> u64 {
    const STATEMENTS: u64 = 20_000_000;
    (STATEMENTS / in_order.stats.statements.max(1)).min(48)
}

/// How many are drawn before an engine is blamed.
fn most(in_order: &Outcome) -> u64 {
    many(in_order).max(3)
}

/// Runs a program whose end may depend on the order of its threads in the other orders of its language, and then in
/// orders that are drawn until one is wrong; on a quick look in one of its language. `None` of another program: one order
/// stands for all.
pub(crate) fn run(
    source: &Stage,
    case: &Case,
    in_order: &Outcome,
    depth: Depth,
    rolls: &mut Rolls,
) -> Option<Orders> {
    if !source.artifact.is_open_to_order() {
        return None;
    }
    let lang = source.artifact.lang();
    let mut others: Vec<&Variant> = lang.variants()[1..].iter().collect();
    if depth == Depth::Quick && !others.is_empty() {
        others = vec![others[(case.schedule % others.len() as u64) as usize]];
    }
    let mut orders = Orders::default();
    for other in others {
        let mut engine = LanguageEngine::new(lang, other.name);
        let outcome = engine.run(source, case, rolls);
        orders.add(engine.id().into(), outcome);
    }
    let well = is_value(in_order) && in_order.races.is_empty();
    while depth == Depth::Whole
        && well
        && orders.drawn < many(in_order)
        && orders.wrong(in_order).is_none()
        && orders.draw(source, case, in_order, rolls)
    {}
    Some(orders)
}

/// May a program that races in the order of its semantics do so in none that an engine takes? Where an old value of an
/// atomic decides what is accessed, an order may come to its end without a race. As many are drawn as before an engine is
/// blamed.
pub(crate) fn may_not_race(source: &Stage, case: &Case, in_order: &Outcome) -> bool {
    let whole = Depth::Whole;
    let Some(mut orders) = run(source, case, in_order, whole, &mut Rolls::default()) else {
        return false;
    };
    let ends_well =
        |(_, outcome): &(ThreadOrder, Outcome)| is_value(outcome) && outcome.races.is_empty();
    orders.until(source, case, in_order, |orders| orders.ends().any(ends_well))
}

#[cfg(test)]
mod tests {
    use super::Orders;
    use crate::engine::EngineId;
    use crate::language::Listed;
    use reference::device::Device;
    use reference::kit::outcome::{Broken, Cause, Ending, Outcome, Race, Side, Site, Stuck};
    use reference::kit::text::Span;
    use reference::kit::value::parse_values;

    fn ends(results: &str) -> Outcome {
        Ending::Value(parse_values(results).expect("they parse")).into()
    }

    fn stuck(thread: i32) -> Outcome {
        let site = Site { span: Span::default(), cause: Cause::Index };
        let (rule, operands) = ("D-CHECK".to_owned(), vec![3, 3]);
        Ending::Stuck(Stuck { site, rule, thread: vec![thread], operands }).into()
    }

    fn orders(others: &[Outcome]) -> Orders {
        let mut orders = Orders::default();
        for other in others {
            orders.add(EngineId::Semantic(Device::LANG, "reversed").into(), other.clone());
        }
        orders
    }

    fn holds(in_order: &Outcome, others: &[Outcome], found: &Outcome) -> bool {
        orders(others).agree(in_order, found).is_ok()
    }

    /// The first result is the same in all orders, the second has the same elements, and of the third nothing is
    /// the same.
    #[test]
    fn engines_are_held_against_what_all_orders_share() {
        let (in_order, reversed) = (ends("7, [1, 2, 0], [1, 2]"), ends("7, [2, 1, 0], [2, 2]"));
        let holds = |found: &str| holds(&in_order, std::slice::from_ref(&reversed), &ends(found));
        assert!(holds("7, [0, 2, 1], [5, 5]"));
        assert!(!holds("8, [2, 1, 0], [2, 2]"));
        assert!(!holds("7, [2, 2, 0], [2, 2]"));
        assert!(!holds("7, [2, 1, 0]"));
    }

    #[test]
    fn where_all_orders_end_alike_one_order_stands_for_all() {
        let wanted = ends("7, [1, 2]");
        assert!(!holds(&wanted, &[wanted.clone(), wanted.clone()], &ends("7, [2, 1]")));
        assert_eq!(
            orders(std::slice::from_ref(&wanted)).differ(EngineId::own(Device::LANG), &wanted),
            None
        );
    }

    #[test]
    fn who_is_stuck_may_depend_on_the_order() {
        assert!(holds(&stuck(1), &[stuck(2)], &stuck(3)));
        assert!(holds(&ends("1"), &[stuck(2)], &stuck(3)));
        assert!(holds(&stuck(1), &[ends("1")], &stuck(3)));
        assert!(!holds(&stuck(1), &[stuck(2)], &ends("1")));
        assert!(!holds(&ends("1"), &[ends("2")], &stuck(1)));
    }

    /// A program that is stuck in an order is wrong, so what an engine gives may be that of another order.
    #[test]
    fn an_order_that_is_stuck_excuses_every_result() {
        assert!(holds(&ends("1"), &[stuck(2)], &ends("2")));
        assert!(holds(&stuck(1), &[ends("1")], &ends("2")));
    }

    /// Only results differ: an order that is stuck or races makes the program wrong.
    #[test]
    fn a_race_in_another_order_comes_before_one_that_is_stuck() {
        let own = || EngineId::own(Device::LANG);
        let side = |thread| Side { thread: vec![thread], wrote: true, span: None };
        let (first, second) = (side(1), side(2));
        let race = Race { span: Span::default(), first, second, block: "m".to_owned(), offset: 0 };
        let raced = Outcome { races: vec![race], ..ends("1") };
        let wrong = |in_order: &Outcome, others: &[Outcome]| {
            orders(others).wrong(in_order).map(|(_, outcome)| outcome.clone())
        };
        assert_eq!(wrong(&ends("1"), &[stuck(2), raced.clone()]), Some(raced));
        assert_eq!(wrong(&ends("1"), &[ends("2"), stuck(2)]), Some(stuck(2)));
        assert_eq!(wrong(&ends("1"), &[ends("2")]), None);
        assert_eq!(wrong(&stuck(1), &[ends("2"), stuck(2)]), None);
        assert_eq!(orders(&[stuck(2)]).differ(own(), &stuck(1)), None);
        assert_eq!(orders(&[stuck(2)]).differ(own(), &ends("1")), None);
        assert_eq!(orders(&[ends("1")]).differ(own(), &stuck(1)), None);
        assert!(orders(&[stuck(2), ends("2")]).differ(own(), &ends("1")).is_some());
    }

    #[test]
    fn no_order_excuses_what_broke() {
        let broke: Outcome = Ending::Broken(Broken::Undefined("a shift".to_owned())).into();
        for other in [ends("2"), stuck(1)] {
            assert!(!holds(&ends("1"), &[other], &broke));
        }
    }
}
