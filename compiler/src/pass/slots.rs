//! Tables by the slots of variables.

use reference::device::syntax::Exp;
use reference::kit::names::Var;

/// What is known of variables; of those that nothing was put down of, the default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slots<T>(Vec<T>);

impl<T: Copy + Default> Slots<T> {
    /// With room for so many variables.
    pub(crate) fn with_room(variables: usize) -> Self {
        Self(vec![T::default(); variables])
    }

    /// What is known of a variable.
    #[inline]
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

/// The values that variables are replaced by.
#[derive(Clone, Default)]
pub(crate) struct Substitution {
    values: Vec<Exp>,
    /// Where among these, by variable, counted from 1; 0 for most, which are not replaced.
    places: Slots<u32>,
}

impl Substitution {
    /// None of so many variables is replaced.
    pub(crate) fn with_room(variables: usize) -> Self {
        Self { values: Vec::new(), places: Slots::with_room(variables) }
    }

    /// The variable is replaced by the value from now on.
    pub(crate) fn put(&mut self, var: Var, value: Exp) {
        self.values.push(value);
        *self.places.of_mut(var) = self.values.len() as u32;
    }

    /// The value that the variable is replaced by, if it is.
    #[inline]
    pub(crate) fn of(&self, var: Var) -> Option<&Exp> {
        match self.places.of(var) {
            0 => None,
            place => Some(&self.values[place as usize - 1]),
        }
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
