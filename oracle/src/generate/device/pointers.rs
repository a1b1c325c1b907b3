//! Pointers: into variables of the invocation, and into memory that is shared.

use super::scope::{Into, Making, Mode, Phase, Pointer, Variable, What};
use reference::device::syntax::{Exp, Kind, Place, Space, Ty};

impl Making<'_, '_> {
    /// `let p : ptr[τ] = &place`
    pub(super) fn pointer(&mut self) -> bool {
        if self.draw.chance(40) && self.pointer_to_shared() {
            return true;
        }
        let count = self.variables.len();
        if count == 0 {
            return false;
        }
        let Variable { place, ty, space, root } = self.variables[self.draw.below(count)].clone();
        let (place, ty) = self.part_of_place(place, ty);
        let pointer = self.bound(space, &ty, place);
        let place = Place::Deref(pointer);
        self.variables.push(Variable { place, ty, space, root });
        true
    }

    /// A pointer into what the work group shares, or into a block.
    fn pointer_to_shared(&mut self) -> bool {
        let (shared, held) = (self.shared.len(), self.held.len());
        if shared + held == 0 {
            return false;
        }
        let at = self.draw.below(shared + held);
        let (place, ty, space, into) = if at < shared {
            let it = self.shared[at].clone();
            let own = self.is_own(&it);
            let (place, ty) = match it.what {
                // Whatever is done to it, and when, is done atomically.
                What::Counters(var, sc, count) => {
                    (self.counter(Place::Var(var), count), Ty::Atomic(sc))
                }
                _ if own || it.phase == Phase::Read => (self.shared_place(&it), it.part()),
                _ => return false,
            };
            let space = match it.what {
                What::Block(..) => Space::Storage,
                _ => Space::Workgroup,
            };
            (place, ty, space, Into::Shared { at, own })
        } else {
            let held = self.held[at - shared].clone();
            let into = match held.mode {
                Mode::Input => Into::Input,
                Mode::Update(update) => Into::Update(update),
                _ if self.here.one.is_none() => return false,
                Mode::Own { atomic: true, .. } => Into::OwnAtomic,
                _ => Into::Own,
            };
            let ty = held.mode.element(held.element).ty();
            (self.held_place(&held), ty, Space::Storage, into)
        };
        let (place, ty) = self.part_of_place(place, ty);
        let pointer = self.bound(space, &ty, place);
        let Exp::Var(var) = pointer else { return false };
        self.pointers.push(Pointer { var, ty, into });
        true
    }

    /// Binds the pointer to a place.
    fn bound(&mut self, space: Space, ty: &Ty, place: Place) -> Exp {
        let var = self.fresh('p');
        let pointer = Ty::Ptr(space, Box::new(ty.clone()));
        self.emit(Kind::Let(var, pointer, Exp::Ref(Box::new(place))));
        Exp::Var(var)
    }

    /// The place, or one in it.
    pub(super) fn part_of_place(&mut self, mut place: Place, mut ty: Ty) -> (Place, Ty) {
        while self.draw.chance(50) {
            // A component of a vector has no pointer.
            (place, ty) = match ty {
                Ty::Array(part, n) => (Place::At(Box::new(place), self.index_below(n)), *part),
                Ty::Struct(k) => {
                    let fields = &self.program.structs[k as usize].fields;
                    let field = self.draw.below(fields.len());
                    (Place::Field(Box::new(place), field as u32), fields[field].1.clone())
                }
                _ => break,
            };
        }
        (place, ty)
    }
}
