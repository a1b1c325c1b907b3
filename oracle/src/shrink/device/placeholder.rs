//! What stands for names that are no longer bound: plain values, other names, or nothing where
//! what is done with them can go too.

use super::code::retain;
use reference::device::syntax::{Exp, Host, Kind, Lit, Place, Program, Sc, Ty, Wide};
use reference::device::types::{Bound, Typed, Types};
use reference::device::visit;
use reference::device::visit_mut::{self, Visitor};
use reference::kit::names::Var;
use std::collections::{HashMap, HashSet};

/// What stands for names that are no longer bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placeholder {
    /// 1 for a value; for a place, a pointer or a block the last other one in scope.
    Last,
    /// 0 for a value; what is read of places, pointers and blocks is 0, what is done with them goes.
    Zero,
    /// The same with 1.
    One,
    /// 0 for a value; the first other place, pointer or block in scope.
    First,
}

pub(super) const PLACEHOLDERS: [Placeholder; 4] =
    [Placeholder::Last, Placeholder::Zero, Placeholder::One, Placeholder::First];

impl Placeholder {
    fn number(self) -> u8 {
        match self {
            Placeholder::Last | Placeholder::One => 1,
            Placeholder::Zero | Placeholder::First => 0,
        }
    }
}

/// Most parts of a value that is written down.
const MOST_PARTS: usize = 16;

/// A value of the type, all of it 1 or 0. There is no plain pointer.
pub(super) fn plain(program: &Program, ty: &Ty, number: u8) -> Option<Exp> {
    let parts: Vec<Ty> = match ty {
        Ty::Scalar(sc) => return Some(Exp::Lit(literal(*sc, number))),
        Ty::Block(element) => return Some(Exp::block(*element, Exp::u32(0), Exp::u32(0))),
        Ty::Ptr(..) | Ty::Atomic(_) => return None,
        Ty::Vector(sc, n) => vec![Ty::Scalar(*sc); usize::from(*n)],
        Ty::Array(_, n) if *n as usize > MOST_PARTS => return None,
        Ty::Array(part, n) => vec![(**part).clone(); *n as usize],
        Ty::Struct(k) => {
            program.structs.get(*k as usize)?.fields.iter().map(|(_, ty)| ty.clone()).collect()
        }
    };
    let parts = parts.iter().map(|part| plain(program, part, number)).collect::<Option<_>>()?;
    Some(Exp::make(ty.clone(), parts))
}

/// The literal of a type that is 1 or 0.
fn literal(sc: Sc, number: u8) -> Lit {
    match sc {
        Sc::Bool => Lit::Bool(number != 0),
        Sc::I32 => Lit::I32(number.into()),
        Sc::U32 => Lit::U32(number.into()),
        Sc::I64 => Lit::I64(Wide(number.into())),
        Sc::F32 => Lit::F32(f32::from(number).to_bits()),
        Sc::F64 => Lit::F64(Wide(f64::from(number).to_bits() as i64)),
    }
}

/// Gives the uses of `gone` something of the same type, if there is something; else the program is
/// left invalid. `types` are those before anything was taken out, `scope` is what is still there.
pub(super) fn put_placeholders(
    program: &mut Program,
    types: &mut Types,
    gone: &[Var],
    scope: &[Var],
    stand: Placeholder,
) {
    let mut with = HashMap::new();
    let mut erased = Vec::new();
    for &var in gone {
        let Some(bound) = types.bound(var) else { continue };
        let is_named = match bound {
            Bound::Value(ty) => matches!(ty, Typed::Block(_) | Typed::Ptr(..)),
            Bound::Place(..) => true,
        };
        let wants_name = is_named && matches!(stand, Placeholder::Last | Placeholder::First);
        match wants_name.then(|| other(types, bound, scope, stand)).flatten() {
            Some(other) => {
                with.insert(var, other);
            }
            None => erased.push(var),
        }
    }
    erase(program, types, erased, stand.number(), &mut with);
    substitute(program, with);
}

/// Another place, pointer or block that is bound to the same.
fn other(types: &Types, bound: Bound, scope: &[Var], stand: Placeholder) -> Option<Exp> {
    let is_same = |var: &&Var| match (bound, types.bound(**var)) {
        (_, Some(other)) if other == bound => true,
        // A pointer to a variable is as good as a pointer to it that has a name.
        (Bound::Value(Typed::Ptr(at, to)), Some(Bound::Place(space, ty))) => {
            at == space && Typed::of(to) == ty
        }
        _ => false,
    };
    let mut same = scope.iter().filter(is_same);
    let found = *if stand == Placeholder::Last { same.next_back() } else { same.next() }?;
    match (bound, types.bound(found)) {
        (Bound::Value(_), Some(Bound::Place(..))) => Some(Exp::Ref(Box::new(Place::Var(found)))),
        _ => Some(Exp::Var(found)),
    }
}

/// Takes out a variable that holds values: what was stored to it, somewhere, stands where it is read,
/// and 0 for parts of it.
pub(super) fn forward(program: &mut Program, types: &mut Types, var: Var, stored: &Exp) {
    let Ok(ty) = types.exp(stored) else { return };
    let ty = ty.ty();
    let stored = Some((ty, stored.clone()));
    let mut with = HashMap::new();
    Erased { types, number: 0, stored, vars: HashSet::new() }.all(program, vec![var], &mut with);
    substitute(program, with);
}

/// What is stored to a variable, or to parts of it, as it stands in the text.
pub(super) fn stored_to(program: &mut Program, types: &mut Types, var: Var) -> Vec<Exp> {
    let alone = Erased { types, number: 0, stored: None, vars: HashSet::from([var]) };
    let mut stored = Vec::new();
    retain::<Kind>(program, &mut |kind| {
        let value = match kind {
            Kind::Store(place, value) if alone.roots(place) => Some(value),
            Kind::Var(other, _, Some(value)) if *other == var => Some(value),
            _ => None,
        };
        stored.extend(value.filter(|value| !alone.is_read_in(value)).cloned());
        true
    });
    stored
}

/// Takes out what is done with places, pointers and blocks that are no longer there, and puts plain
/// values for what is read of them and for the other values.
fn erase(
    program: &mut Program,
    types: &mut Types,
    gone: Vec<Var>,
    number: u8,
    with: &mut HashMap<Var, Exp>,
) {
    Erased { types, number, stored: None, vars: HashSet::new() }.all(program, gone, with);
}

/// What is no longer there.
struct Erased<'t, 'p> {
    types: &'t mut Types<'p>,
    number: u8,
    /// What stands where something of this type is read, if not a plain value.
    stored: Option<(Ty, Exp)>,
    vars: HashSet<Var>,
}

impl Erased<'_, '_> {
    fn all(&mut self, program: &mut Program, mut gone: Vec<Var>, with: &mut HashMap<Var, Exp>) {
        while let Some(var) = gone.pop() {
            let value = match self.types.bound(var) {
                Some(Bound::Value(ty)) => plain(program, &ty.ty(), self.number),
                _ => None,
            };
            with.extend(value.map(|value| (var, value)));
            self.vars.insert(var);
            // What was bound by what goes is gone too.
            retain::<Kind>(program, &mut |kind| self.keeps(kind, &mut gone));
            retain::<Host>(program, &mut |kind| self.keeps_host(kind, &mut gone));
        }
        visit_mut::program(program, self);
    }

    /// Is something that is gone read in the expression?
    fn is_read_in(&self, exp: &Exp) -> bool {
        let mut read = false;
        visit::exp(exp, &mut |part| {
            read |= matches!(part, Exp::Load(place) if self.roots(place));
        });
        read
    }

    fn is(&self, exp: &Exp) -> bool {
        match exp {
            Exp::Var(var) => self.vars.contains(var),
            Exp::Ref(place) => self.roots(place),
            _ => false,
        }
    }

    /// Does the place lie in something that is gone?
    fn roots(&self, place: &Place) -> bool {
        match place {
            Place::Var(var) => self.vars.contains(var),
            Place::Deref(pointer) => self.is(pointer),
            Place::Element(block, _) => self.is(block),
            Place::At(inner, _) | Place::Field(inner, _) => self.roots(inner),
        }
    }

    fn keeps(&self, kind: &Kind, gone: &mut Vec<Var>) -> bool {
        match kind {
            Kind::Store(place, _) => !self.roots(place),
            Kind::Atomic { place, into, .. } if self.roots(place) => {
                gone.extend(into);
                false
            }
            Kind::UniformLoad { place, into } if self.roots(place) => {
                gone.push(*into);
                false
            }
            // A name for what is gone is gone.
            Kind::Let(var, Ty::Ptr(..) | Ty::Block(_), exp) if self.is(exp) => {
                gone.push(*var);
                false
            }
            _ => true,
        }
    }

    fn keeps_host(&self, kind: &mut Host, gone: &mut Vec<Var>) -> bool {
        match kind {
            Host::Assign(pairs) => {
                pairs.retain(|(var, _)| !self.vars.contains(var));
                !pairs.is_empty()
            }
            Host::Free(block) | Host::Write { block, .. } => !self.is(block),
            Host::Copy(copy) => !self.is(&copy.from.block) && !self.is(&copy.to.block),
            Host::Read { into, block, .. } if self.is(block) => {
                gone.push(*into);
                false
            }
            _ => true,
        }
    }
}

impl Visitor for Erased<'_, '_> {
    fn exp(&mut self, exp: &mut Exp) -> bool {
        if let Exp::Load(place) = exp
            && self.roots(place)
            && let Ok(ty) = self.types.exp(exp).map(Typed::ty)
        {
            match &self.stored {
                Some((of, stored)) if *of == ty => {
                    *exp = stored.clone();
                    return false;
                }
                _ => *exp = plain(self.types.program, &ty, self.number).unwrap_or(exp.clone()),
            }
        }
        true
    }
}

/// Puts expressions in the place of names, everywhere. Where a place is wanted another name has to
/// stand; where none does, the program is left invalid.
pub(super) fn substitute(program: &mut Program, with: HashMap<Var, Exp>) {
    if !with.is_empty() {
        visit_mut::program(program, &mut Substitution { with });
    }
}

/// Puts expressions in the place of names in one expression.
pub(super) fn substitute_in(exp: &mut Exp, with: &HashMap<Var, Exp>) {
    visit_mut::exp(exp, &mut Substitution { with: with.clone() });
}

/// What stands for names is written with names that stay: no name leads back to itself.
struct Substitution {
    with: HashMap<Var, Exp>,
}

impl Visitor for Substitution {
    fn exp(&mut self, exp: &mut Exp) -> bool {
        if let Exp::Var(var) = exp
            && let Some(other) = self.with.get(var)
        {
            *exp = other.clone();
            visit_mut::exp(exp, self);
            return false;
        }
        if let Exp::Ref(place) = exp
            && let Place::Deref(pointer) = &mut **place
        {
            *exp = std::mem::replace(pointer, Exp::u32(0));
            visit_mut::exp(exp, self);
            return false;
        }
        true
    }

    fn place(&mut self, place: &mut Place) -> bool {
        if let Place::Deref(pointer) = place {
            visit_mut::exp(pointer, self);
            if let Exp::Ref(inner) = pointer {
                *place = (**inner).clone();
            }
            return false;
        }
        true
    }

    fn uses(&mut self, var: &mut Var) {
        if let Some(Exp::Var(other)) = self.with.get(var) {
            *var = *other;
        }
    }
}
