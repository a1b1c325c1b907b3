//! Functions, and calls of them.

use super::scope::{Making, Variable};
use reference::device::globals::Globals;
use reference::device::syntax::{Element, Exp, Function, I32, Kind, Place, Sc, Space, Ty};
use reference::kit::names::Var;

/// How many statements a run of a function executes at most.
const ROOM: i64 = 12;

impl Making<'_, '_> {
    /// Declares up to three functions.
    pub(super) fn functions(&mut self) {
        for number in 0..self.draw.weighed(&[4, 4, 3, 1]) {
            self.leave(ROOM);
            let span = self.span();
            let params: Vec<_> = (0..self.draw.below(4)).map(|_| self.parameter()).collect();
            self.know_globals();
            let size = 1 + self.draw.below(4);
            let result = self.draw.chance(70).then(|| match self.draw.below(5) {
                0 if self.reads_blocks() => {
                    Ty::Block(Element::Plain(self.input_element().unwrap_or(Sc::I32)))
                }
                0 | 1 => self.storable(1),
                _ => Ty::Scalar(self.scalar_type()),
            });
            let here = self.here.clone();
            let (body, result) = self.body(1, here, |making| {
                making.statements(size);
                result.map(|ty| {
                    let exp = match making.trouble && ty == I32 && making.draw.chance(30) {
                        true => making.no_quotient(),
                        false => making.value(&ty, 2),
                    };
                    (ty, exp)
                })
            });
            let name = format!("f{number}");
            self.program.functions.push(Function { name, params, body, result, span });
        }
    }

    /// A parameter, in scope of the function's body.
    fn parameter(&mut self) -> (Var, Ty) {
        let var = self.fresh('a');
        let ty = match self.draw.below(8) {
            0..=2 => {
                let ty = self.storable(1);
                let space = self.draw.pick(&[Space::Function, Space::Private]);
                let place = Place::Deref(Exp::Var(var));
                self.variables.push(Variable { place, ty: ty.clone(), space, root: var });
                return (var, Ty::Ptr(space, Box::new(ty)));
            }
            3 => {
                let element = self.element();
                self.hold(var, element);
                return (var, Ty::Block(Element::Plain(element)));
            }
            4 => self.storable(1),
            _ => Ty::Scalar(self.scalar_type()),
        };
        self.know(var, ty.clone(), true);
        (var, ty)
    }

    /// `v = call f(e, …)`
    pub(super) fn call(&mut self) -> bool {
        let functions = self.program.functions.len();
        // A function runs as often as it is called, and calls others.
        if functions == 0 || !self.is_roomy(ROOM) {
            return false;
        }
        let number = self.draw.below(functions);
        let params = self.program.functions[number].params.clone();
        // A pointer must not lead to what the function names itself.
        let mut roots = Globals::of(&self.program).function(number as u32).to_vec();
        let mut args = Vec::with_capacity(params.len());
        for (_, ty) in params {
            let arg = match &ty {
                Ty::Ptr(space, to) => self.pointer_to(*space, to, &mut roots),
                Ty::Block(element) => self.input_block(element.sc(), 1),
                _ => Some(self.value(&ty, 2)),
            };
            let Some(arg) = arg else { return false };
            args.push(arg);
        }
        let result = self.program.functions[number].result.as_ref().map(|(ty, _)| ty.clone());
        let into = result.filter(|_| self.draw.chance(80)).map(|ty| (self.fresh('r'), ty));
        let function = number as u32;
        self.emit(Kind::Call { into: into.as_ref().map(|(var, _)| *var), function, args });
        self.room -= self.times * ROOM;
        match into {
            Some((var, Ty::Block(element))) => self.hold(var, element.sc()),
            Some((var, ty)) => self.know(var, ty, true),
            None => {}
        }
        true
    }

    /// A pointer into a variable that no other argument points into; where there is none, one is made.
    fn pointer_to(&mut self, space: Space, to: &Ty, roots: &mut Vec<Var>) -> Option<Exp> {
        if self.draw.chance(30)
            && let Some((root, place)) = self.part_to(space, to, roots)
        {
            roots.push(root);
            return Some(Exp::Ref(Box::new(place)));
        }
        let fits = |it: &&Variable| it.space == space && it.ty == *to && !roots.contains(&it.root);
        let fitting: Vec<Variable> = self.variables.iter().filter(fits).cloned().collect();
        let variable = match fitting.len() {
            0 if space == Space::Function => {
                self.variable_of(to.clone());
                self.variables.last()?.clone()
            }
            // A function has no private variables but those that it is given.
            0 => self.private_of(to.clone())?,
            count => fitting[self.draw.below(count)].clone(),
        };
        roots.push(variable.root);
        Some(match variable.place {
            Place::Deref(pointer) => pointer,
            place => Exp::Ref(Box::new(place)),
        })
    }

    /// A part of a variable that no other argument points into, and what it is a part of, if there is such a
    /// part of this type.
    fn part_to(&mut self, space: Space, to: &Ty, roots: &[Var]) -> Option<(Var, Place)> {
        let larger =
            |it: &&Variable| it.space == space && it.ty != *to && !roots.contains(&it.root);
        let larger: Vec<Variable> = self.variables.iter().filter(larger).cloned().collect();
        if larger.is_empty() {
            return None;
        }
        // What its parts are is found by trying.
        for _ in 0..4 {
            let Variable { place, ty, root, .. } = larger[self.draw.below(larger.len())].clone();
            let (place, ty) = self.part_of_place(place, ty);
            if ty == *to {
                return Some((root, place));
            }
        }
        None
    }
}
