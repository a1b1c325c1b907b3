//! What has one part becomes that part: structures of one field, arrays of one element.

use super::super::Shrinking;
use reference::device::syntax::{Exp, Place, Program, Ty};
use reference::device::types::Types;
use reference::device::visit_mut::{self, Visitor};

impl Shrinking<'_, Program> {
    /// Structures of one field, one after the other, and then all arrays of one element become what they
    /// are made of.
    pub(super) fn unwrap(&mut self) {
        let mut number = self.program.structs.len();
        while number > 0 {
            number -= 1;
            let only = match self.program.structs.get(number).map(|declared| &declared.fields[..]) {
                Some([(_, ty)]) => ty.clone(),
                _ => continue,
            };
            self.unwrap_all(Wrapper::Struct(number as u32, only));
        }
        self.unwrap_all(Wrapper::Array);
    }

    fn unwrap_all(&mut self, wrapper: Wrapper) {
        let mut program = self.program.clone();
        let mut unwrap = Unwrap { types: Types::of(&self.program), wrapper };
        visit_mut::program(&mut program, &mut unwrap);
        self.attempt(program, self.input.clone());
    }
}

/// What has one part.
enum Wrapper {
    /// The structure of this number, with the type of its field.
    Struct(u32, Ty),
    /// Every array of one element.
    Array,
}

impl Wrapper {
    /// The type of the part, if `ty` has but one.
    fn part<'t>(&'t self, ty: &'t Ty) -> Option<&'t Ty> {
        match (self, ty) {
            (Wrapper::Struct(number, only), Ty::Struct(other)) if number == other => Some(only),
            (Wrapper::Array, Ty::Array(only, 1)) => Some(only),
            _ => None,
        }
    }
}

/// Changes types, what makes such values, and what asks for their part. The types are those of before.
struct Unwrap<'p> {
    types: Types<'p>,
    wrapper: Wrapper,
}

impl Unwrap<'_> {
    fn is_wrapped(&mut self, exp: &Exp) -> bool {
        self.types.exp(exp).is_ok_and(|ty| self.wrapper.part(&ty.ty()).is_some())
    }
}

impl Visitor for Unwrap<'_> {
    fn exp(&mut self, exp: &mut Exp) -> bool {
        loop {
            let part = match exp {
                Exp::Field(of, _) => self.is_wrapped(of).then_some(&mut **of),
                Exp::At(parts) => self.is_wrapped(&parts[0]).then_some(&mut parts[0]),
                Exp::Make(made) if self.wrapper.part(&made.0).is_some() => match &mut made.1[..] {
                    [only] => {
                        *exp = std::mem::replace(only, Exp::u32(0));
                        continue;
                    }
                    _ => None,
                },
                _ => None,
            };
            let Some(part) = part else { return true };
            *exp = std::mem::replace(part, Exp::u32(0));
        }
    }

    fn place(&mut self, place: &mut Place) -> bool {
        loop {
            let (Place::Field(of, _) | Place::At(of, _)) = place else { return true };
            let one =
                self.types.place(of).is_ok_and(|(_, ty)| self.wrapper.part(&ty.ty()).is_some());
            if !one {
                return true;
            }
            *place = std::mem::replace(of, Place::Deref(Exp::u32(0)));
        }
    }

    fn ty(&mut self, ty: &mut Ty) {
        while let Some(part) = self.wrapper.part(ty) {
            *ty = part.clone();
        }
    }
}
