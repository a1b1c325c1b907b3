//! `x = q[i][c]; q[1][c] = y;`: a component of a vector in a private array is read at an index that is known
//! at run time only, and the same component is stored to at a constant index later.
//!
//! NVIDIA's driver moves the store in front of the read, unless the component is the first.

use crate::pass::types::Types;
use reference::device::parts::Statement;
use reference::device::syntax::{Block, Exp, If, Kernel, Kind, Lit, Place, Space, Switch, Ty};
use reference::device::visit;
use reference::kit::names::Var;

/// A component of a vector in a private array.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Component {
    /// The private variable, unless it is found by a pointer.
    variable: Option<Var>,
    /// Its index in the vector, if that is a literal.
    index: Option<u32>,
    /// Is the index of the vector in the array a literal?
    is_constant: bool,
}

impl Component {
    /// The component that a place is, if it is one and not the first of its vector.
    fn of(place: &Place, kernel: &Kernel, types: &Types) -> Option<Self> {
        let Place::At(vector, index) = place else { return None };
        if !matches!(types.place(vector), Ty::Vector(..)) {
            return None;
        }
        let index = literal(index);
        let (mut within_array, mut is_constant) = (false, true);
        let mut inner = &**vector;
        let variable = loop {
            inner = match inner {
                Place::At(array, at) => {
                    within_array = true;
                    is_constant &= literal(at).is_some();
                    array
                }
                Place::Field(value, _) => value,
                Place::Deref(Exp::Ref(place)) => place,
                Place::Deref(pointer) => match types.exp(pointer) {
                    // What it points to may be an element of an array.
                    Ty::Ptr(Space::Private, _) => {
                        return (index != Some(0)).then_some(Self {
                            variable: None,
                            index,
                            is_constant: false,
                        });
                    }
                    _ => return None,
                },
                Place::Var(var) => break *var,
                Place::Element(..) => return None,
            };
        };
        let is_private = kernel.private.iter().any(|(private, _)| *private == variable);
        (is_private && within_array && index != Some(0)).then_some(Self {
            variable: Some(variable),
            index,
            is_constant,
        })
    }

    /// May it be the same component of the same variable?
    fn may_be(self, other: Self) -> bool {
        let same = |a: Option<u32>, b: Option<u32>| a.is_none() || b.is_none() || a == b;
        let variables = (self.variable, other.variable);
        (variables.0.is_none() || variables.1.is_none() || variables.0 == variables.1)
            && same(self.index, other.index)
    }
}

fn literal(index: &Exp) -> Option<u32> {
    match index {
        Exp::Lit(Lit::I32(k)) => Some(*k as u32),
        Exp::Lit(Lit::U32(k)) => Some(*k),
        _ => None,
    }
}

/// Does a body have such a store behind such a read?
pub(super) fn any_stored(body: &Block, kernel: &Kernel, types: &Types) -> bool {
    Search { kernel, types, read: Vec::new() }.block(body)
}

struct Search<'p> {
    kernel: &'p Kernel,
    types: &'p Types,
    /// The components that are read so far.
    read: Vec<Component>,
}

impl Search<'_> {
    fn block(&mut self, body: &Block) -> bool {
        body.iter().any(|stm| self.statement(&stm.kind))
    }

    /// Goes over a statement; true if it stores to a component that was read.
    fn statement(&mut self, kind: &Kind) -> bool {
        match kind {
            Kind::If(If { cond: value, .. }) | Kind::Switch(Switch { value, .. }) => {
                self.note_reads(value);
                // One block comes, so what another reads does not count in it.
                let before = self.read.len();
                let mut of_others = Vec::new();
                let found = kind.blocks().into_iter().any(|inner| {
                    let found = self.block(inner);
                    of_others.extend(self.read.split_off(before));
                    found
                });
                self.read.extend(of_others);
                found
            }
            // What a round reads comes before what the next one stores.
            Kind::Loop(rounds) => {
                visit::kind(kind, &mut |exp| self.note_read(exp));
                self.block(&rounds.body)
            }
            Kind::Store(place, _) => {
                visit::kind(kind, &mut |exp| self.note_read(exp));
                let Some(stored) = Component::of(place, self.kernel, self.types) else {
                    return false;
                };
                (stored.is_constant || stored.variable.is_none())
                    && self.read.iter().any(|read| read.may_be(stored))
            }
            Kind::Let(..)
            | Kind::Var(..)
            | Kind::Atomic { .. }
            | Kind::Call { .. }
            | Kind::Check(_)
            | Kind::Barrier(_)
            | Kind::UniformLoad { .. }
            | Kind::Par(_) => {
                visit::kind(kind, &mut |exp| self.note_read(exp));
                false
            }
        }
    }

    fn note_reads(&mut self, exp: &Exp) {
        visit::exp(exp, &mut |exp| self.note_read(exp));
    }

    fn note_read(&mut self, exp: &Exp) {
        if let Exp::Load(place) = exp
            && let Some(read) = Component::of(place, self.kernel, self.types)
            && !read.is_constant
            && !self.read.contains(&read)
        {
            self.read.push(read);
        }
    }
}
