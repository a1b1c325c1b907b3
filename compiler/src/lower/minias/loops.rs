//! Loops. They carry the variables that they assign, of pointers the parts by which those of the type differ.

use super::scan;
use super::value::{Part, Pointer, Val};
use super::{Lower, Lowered, fold};
use reference::device::syntax::{BOOL, Carried, Exp, I32, Kind, Loop, Ty as DeviceTy};
use reference::kit::names::{Var, Wish};
use reference::kit::text::Span;
use reference::minias::rows::Ty;
use reference::minias::syntax::{Exp as Source, Stmt};

impl<'p> Lower<'p> {
    /// `while` and `for`: the condition is the loop's own if it does nothing but compute; else it is evaluated before the
    /// first round and at the end of each.
    pub(super) fn rounds(
        &mut self,
        span: Span,
        condition: &'p Source,
        next: Option<&'p Stmt>,
        body: &'p Stmt,
    ) -> Lowered {
        self.fits(span)?;
        let (mut vars, returns) = scan::assigned(body, next);
        vars.retain(|var| !self.around.homes.contains_key(var) && self.code.has(*var));
        if returns {
            vars.extend([self.returned, self.result]);
        }
        let mark = self.code.mark();
        let mut carried = Vec::new();
        let own = self.own_condition(condition, &vars, &mut carried)?;
        let go = self.names.fresh("go");
        let cond = match own {
            Some(cond) => cond,
            None => {
                self.code.undo(mark);
                carried.clear();
                let first = self.exp(condition)?.0.truth();
                let var = self.carries(go, &Val::Truth(first), &mut carried);
                vars.iter().for_each(|var| self.carries_variable(*var, &mut carried));
                self.code.set(go, Val::Truth(var));
                vars.push(go);
                self.code.get(go).clone().truth()
            }
        };
        let has_go = vars.last() == Some(&go);
        self.code.open();
        self.round(span, body, next, has_go.then_some((go, condition)))?;
        let mut nexts = Vec::new();
        if has_go {
            nexts.push(self.code.get(go).clone().truth());
        }
        for var in vars.iter().filter(|var| **var != go) {
            nexts.extend(self.carried_parts(*var));
        }
        let body = self.code.close();
        drop(self.code.undo(mark));
        let rounds = Loop { carried, cond, fuel: None, body, next: nexts };
        let ends = self.carried_values(&vars, &rounds.carried, has_go);
        self.emit(span, Kind::Loop(Box::new(rounds)));
        for (var, val) in ends {
            self.code.set(var, val);
        }
        Ok(())
    }

    /// The body of a loop, its last part and its condition.
    fn round(
        &mut self,
        span: Span,
        body: &'p Stmt,
        next: Option<&'p Stmt>,
        again: Option<(Var, &'p Source)>,
    ) -> Lowered {
        // The condition says that it has not.
        self.code.set(self.returned, Val::Truth(fold::bool(false)));
        self.stmt(body)?;
        let last = |lower: &mut Self| {
            next.iter().try_for_each(|next| lower.stmt(next))?;
            if let Some((go, condition)) = again {
                let holds = lower.exp(condition)?.0.truth();
                let holds = lower.named(span, "go", BOOL, holds);
                lower.code.set(go, Val::Truth(holds));
            }
            Ok(())
        };
        match fold::truth(&self.has_returned()) {
            Some(false) => last(self),
            Some(true) => self.ends(again),
            None => {
                let mut goes_on = |lower: &mut Self| last(lower);
                let ended = self.has_returned();
                self.unless_returned(span, &mut goes_on)?;
                // A round that returned is the last.
                if let Some((go, _)) = again {
                    let holds = self.code.get(go).clone().truth();
                    let holds = fold::and(fold::not(ended), holds);
                    let holds = self.named(span, "go", BOOL, holds);
                    self.code.set(go, Val::Truth(holds));
                }
                Ok(())
            }
        }
    }

    /// The round is the last.
    fn ends(&mut self, again: Option<(Var, &'p Source)>) -> Lowered {
        if let Some((go, _)) = again {
            self.code.set(go, Val::Truth(fold::bool(false)));
        }
        Ok(())
    }

    /// The condition over what the loop carries, if it does nothing but compute.
    fn own_condition(
        &mut self,
        condition: &'p Source,
        vars: &[Var],
        carried: &mut Vec<Carried>,
    ) -> Lowered<Option<Exp>> {
        vars.iter().for_each(|var| self.carries_variable(*var, carried));
        self.code.open();
        let holds = self.exp(condition)?.0.truth();
        if !self.code.close().is_empty() {
            return Ok(None);
        }
        if vars.contains(&self.returned) {
            return Ok(Some(fold::and(fold::not(self.has_returned()), holds)));
        }
        Ok(Some(holds))
    }

    /// A loop carries a variable, which is what it carries from here on.
    fn carries_variable(&mut self, var: Var, carried: &mut Vec<Carried>) {
        let before = self.code.get(var).clone();
        let val = match before {
            Val::Pointer(pointer) => {
                let spaces = self.spaces(&self.variable_type(var));
                let carries = |part: Part| {
                    let to = self.names.fresh(Wish::Of(var, part.name()));
                    let init = pointer.part(part).clone();
                    self.code.binds(to);
                    carried.push(Carried { var: to, ty: part.ty(), init });
                    Exp::Var(to)
                };
                Val::Pointer(Pointer::of(spaces, carries))
            }
            Val::Nothing => return,
            Val::Truth(_) if var == self.returned => {
                Val::Truth(self.carries(var, &before, carried))
            }
            before => Val::Int(self.carries(var, &Val::Int(before.int()), carried)),
        };
        self.code.set(var, val);
    }

    fn carries(&mut self, like: Var, val: &Val, carried: &mut Vec<Carried>) -> Exp {
        let (ty, init): (DeviceTy, Exp) = match val {
            Val::Truth(truth) => (BOOL, truth.clone()),
            val => (I32, val.clone().int()),
        };
        let var = self.names.fresh(Wish::Like(like));
        self.code.binds(var);
        carried.push(Carried { var, ty, init });
        Exp::Var(var)
    }

    /// The type of a variable, or of what the function returns.
    fn variable_type(&self, var: Var) -> Ty {
        if var == self.result {
            let body = self.graph.instances[self.around.instance].body;
            let function = self.graph.bodies[body].function.name;
            return self.here(&self.schemes[&function].result);
        }
        self.here(self.types[&var])
    }

    /// What is carried on of a variable.
    fn carried_parts(&self, var: Var) -> Vec<Exp> {
        match self.code.get(var).clone() {
            Val::Nothing => Vec::new(),
            Val::Pointer(pointer) => {
                let spaces = self.spaces(&self.variable_type(var));
                Part::of(spaces).map(|part| pointer.part(part).clone()).collect()
            }
            Val::Truth(truth) if var == self.returned => vec![truth],
            val => vec![val.int()],
        }
    }

    /// What the variables are behind the loop.
    fn carried_values(
        &mut self,
        vars: &[Var],
        carried: &[Carried],
        has_go: bool,
    ) -> Vec<(Var, Val)> {
        carried.iter().for_each(|carried| self.code.binds(carried.var));
        let mut left = carried.iter().skip(usize::from(has_go)).map(|it| Exp::Var(it.var));
        let mut take = || left.next().expect("each part is carried");
        let count = vars.len() - usize::from(has_go);
        let mut found = Vec::new();
        for var in &vars[..count] {
            let val = match self.code.get(*var) {
                Val::Nothing => continue,
                Val::Pointer(_) => {
                    let spaces = self.spaces(&self.variable_type(*var));
                    Val::Pointer(Pointer::of(spaces, |_| take()))
                }
                Val::Truth(_) if *var == self.returned => Val::Truth(take()),
                _ => Val::Int(take()),
            };
            found.push((*var, val));
        }
        found
    }
}
