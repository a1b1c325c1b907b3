//! Tables by the slots of variables.

use reference::kit::names::Var;

/// What is known of variables; of those that nothing was put down of, the default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots<T>(Vec<T>);

impl<T: Copy + Default> Slots<T> {
    /// What is known of a variable.
    pub(crate) fn of(&self, var: Var) -> T {
        self.0.get(var.slot()).copied().unwrap_or_default()
    }

    /// The same, to be changed.
    pub(crate) fn of_mut(&mut self, var: Var) -> &mut T {
        let slot = var.slot();
        if self.0.len() <= slot {
            self.0.resize(2 * slot + 1, T::default());
        }
        &mut self.0[slot]
    }
}

#[cfg(test)]
mod tests {
    use super::Slots;
    use reference::kit::names::Var;

    #[test]
    fn what_nobody_put_down_is_the_default() {
        let mut known: Slots<u32> = Slots::default();
        *known.of_mut(Var(7)) += 3;
        *known.of_mut(Var(70)) += 1;
        let all = [6, 7, 8, 70, 71, 1000].map(|slot| known.of(Var(slot)));
        assert_eq!(all, [0, 3, 0, 1, 0, 0]);
    }
}
