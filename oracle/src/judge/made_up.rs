//! Contents of buffers that nobody said anything of, and which findings hang on them.

use super::Judge;
use super::class::{Class, Level};
use super::contents::{Contents, Kind, Spec};
use super::devices::Asked;
use super::orders::{orders, told_as, tried};
use super::runs::told;
use super::shader::{Loaded, called};
use super::verdict::Verdict;
use reference::kit::schedule::Order;

/// The buffers whose contents are made up.
pub(super) struct MadeUp {
    /// Their numbers.
    pub(super) buffers: Vec<usize>,
    /// How many elements they have, where their type leaves that open.
    pub(super) elements: u32,
}

/// Instructions of an invocation with other contents.
const FUEL: u64 = 1 << 14;

/// In which ways contents are made up otherwise.
#[derive(Clone, Copy)]
enum Otherwise {
    Filled(Kind),
    Longer,
}

const OTHERWISE: [Otherwise; 4] = [
    Otherwise::Filled(Kind::Zero),
    Otherwise::Filled(Kind::Iota),
    Otherwise::Filled(Kind::Random),
    Otherwise::Longer,
];

impl MadeUp {
    /// None yet; arrays without a stated length get so many elements.
    pub(super) fn with(elements: u32) -> Self {
        Self { buffers: Vec::new(), elements }
    }

    /// What the buffers are called.
    pub(super) fn names(&self, loaded: &Loaded) -> Vec<String> {
        self.buffers.iter().map(|number| called(&loaded.resources[*number])).collect()
    }

    /// How much each verdict weighs. What is made up may be what no caller gives, so what is denied and hangs on that only
    /// warns, unless its class is denied by name or `--strict`. What is found with other contents too does not hang on them.
    pub(super) fn weigh(
        &self,
        (judge, loaded): (&Judge, &Loaded),
        asked: Asked<'_>,
        verdicts: &mut [Verdict],
    ) {
        for verdict in &mut *verdicts {
            verdict.level = judge.levels.of(verdict.class);
        }
        let mut hanging: Vec<&mut Verdict> =
            verdicts.iter_mut().filter(|verdict| self.may_hang(verdict, judge)).collect();
        if hanging.is_empty() {
            return;
        }
        let seen = |order: &Order| {
            hanging.iter().any(|verdict| verdict.order.as_deref() == Some(&told_as(*order)))
        };
        let orders: Vec<Order> = orders(judge).filter(seen).collect();
        let others = OTHERWISE.map(|otherwise| {
            let contents = self.contents(asked.0, loaded, otherwise);
            found((judge, loaded), (&contents, asked.1), &orders)
        });
        let names = self.names(loaded).join(", ");
        for verdict in &mut hanging {
            let found = |other: &Vec<Verdict>| other.iter().any(|it| it.is_as(verdict));
            if self.hangs_on_length(verdict, loaded) || !others.iter().all(found) {
                verdict.level = Level::Warn;
                verdict.help = Some(format!(
                    "this may hang on the contents of {names}, which are made up, so it only warns: say them with --buffer"
                ));
            }
        }
    }

    /// Is it denied, and may that be for what was made up?
    fn may_hang(&self, verdict: &Verdict, judge: &Judge) -> bool {
        let of_a_run = !self.buffers.is_empty() && verdict.order.is_some();
        of_a_run && verdict.level == Level::Deny && !judge.levels.insists(verdict.class)
    }

    /// Is it of an array whose length is made up?
    fn hangs_on_length(&self, verdict: &Verdict, loaded: &Loaded) -> bool {
        let open = self.buffers.iter().map(|number| &loaded.resources[*number]);
        let mut open = open.filter(|resource| resource.step.is_some());
        verdict.class == Class::OutOfBounds
            && match verdict.element {
                Some(_) => open.any(|resource| called(resource) == verdict.variable()),
                None => open.next().is_some(),
            }
    }

    /// These contents, but what is made up is so otherwise.
    fn contents(&self, first: &[Contents], loaded: &Loaded, otherwise: Otherwise) -> Vec<Contents> {
        let mut contents = first.to_vec();
        for number in &self.buffers {
            let words = contents[*number].words.len() as u32;
            contents[*number] = match otherwise {
                Otherwise::Filled(kind) => Spec::Filled(kind, words).contents(),
                Otherwise::Longer => {
                    let elements = self.elements.saturating_mul(2).saturating_add(1);
                    Contents::made_up(&loaded.resources[*number], elements)
                }
            };
        }
        contents
    }
}

/// What is found in these orders.
fn found((judge, loaded): (&Judge, &Loaded), asked: Asked<'_>, orders: &[Order]) -> Vec<Verdict> {
    let judge = Judge { fuel: judge.fuel.min(FUEL), ..judge.clone() };
    let subgroup = judge.subgroups.first().copied().unwrap_or(1);
    let runs = tried(&judge, loaded, asked, (orders, subgroup));
    told((&judge, loaded), &runs, &mut Vec::new())
}
