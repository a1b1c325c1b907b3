//! Contents of buffers that nobody said anything of, and which findings may hang on them.

use super::Judge;
use super::class::{Class, Level};
use super::shader::{Loaded, called};
use super::verdict::Verdict;
use reference::spirv::decides::decides;

/// The buffers whose contents are made up.
pub(super) struct MadeUp {
    /// Their numbers.
    pub(super) buffers: Vec<usize>,
    /// How many elements they have, where their type leaves that open.
    pub(super) elements: u32,
}

impl MadeUp {
    /// None yet; arrays without a stated length get so many elements.
    pub(super) fn with(elements: u32) -> Self {
        Self { buffers: Vec::new(), elements }
    }

    /// What the buffers are called.
    pub(super) fn names(&self, loaded: &Loaded) -> Vec<String> {
        self.buffers.iter().map(|number| called(&loaded.resources[*number])).collect()
    }

    /// Verdicts that are denied only warn if they may hang on what is made up, which may be what no caller gives.
    pub(super) fn weigh(&self, (judge, loaded): (&Judge, &Loaded), verdicts: &mut [Verdict]) {
        let denied = |verdict: &&mut Verdict| {
            let of_a_run = !self.buffers.is_empty() && verdict.order.is_some();
            of_a_run && verdict.level == Level::Deny && !judge.levels.insists(verdict.class)
        };
        let denied: Vec<&mut Verdict> = verdicts.iter_mut().filter(denied).collect();
        if denied.is_empty() {
            return;
        }
        let place = |number: &usize| {
            let resource = &loaded.resources[*number];
            (resource.group, resource.binding)
        };
        let places: Vec<(u32, u32)> = self.buffers.iter().map(place).collect();
        let decide = decides(&loaded.words, &places);
        let names = self.names(loaded).join(", ");
        for verdict in denied {
            if decide || hangs_on_values(verdict.class) || self.hangs_on_length(verdict, loaded) {
                verdict.level = Level::Warn;
                verdict.help = Some(format!(
                    "this may hang on the contents of {names}, which are made up, so it only warns: say them with --buffer"
                ));
            }
        }
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
}

/// May it be there for some values and not for others, whichever way invocations go and whatever they access?
fn hangs_on_values(class: Class) -> bool {
    !matches!(
        class,
        Class::Race
            | Class::SameValue
            | Class::Barrier
            | Class::OutOfBounds
            | Class::NeverEnds
            | Class::Uninitialised
    )
}
