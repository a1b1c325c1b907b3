//! Takes out of a quiet or bare form what is left over: the question whether an invocation lives, where no
//! test is left that it could die of, and values that nobody looks at.

use super::forward::Uses;
use crate::pass::fold::fold;
use crate::pass::slots::Slots;
use crate::pass::types::Types;
use crate::pass::walk::{any_stm, change_block};
use reference::device::syntax::{Block, Carried, Exp, Kind, Lit, Loop, Place};
use reference::device::visit;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// The body of a quiet form in which no barrier stands and nothing is shared.
pub(super) fn trim(body: &mut Block, alive: Var, types: &Types) {
    let dies = any_stm(body, &mut |kind| match kind {
        Kind::Store(Place::Var(var), _) => *var == alive,
        // Of several tests the first may be what it starts from.
        Kind::Var(var, _, init) => *var == alive && *init != Some(Exp::Lit(Lit::Bool(true))),
        _ => false,
    });
    if !dies {
        let lives = Exp::load(Place::Var(alive));
        change_block(body, &mut |exp| {
            if *exp == lives {
                *exp = Exp::Lit(Lit::Bool(true));
            }
            fold(exp, types);
        });
        straighten(body);
    }
    without_unused(body, true);
}

/// Takes out what nobody looks at, of a body in which no barrier stands and nothing is shared. It may have
/// variables of its own, or none. Of what is left it tells how often it uses each name.
pub(super) fn without_unused(body: &mut Block, has_variables: bool) -> Uses {
    loop {
        let mut used = Used::default();
        if has_variables {
            used.variables(body);
        }
        used.block(body);
        // What only a value that is gone has looked at goes next.
        if !used.read_in_vain {
            return if used.miscounted { Uses::of(body) } else { used.uses };
        }
    }
}

/// The variable that a place is a part of.
fn root(place: &Place) -> Option<Var> {
    match place {
        Place::Var(var) => Some(*var),
        Place::At(inner, _) | Place::Field(inner, _) => root(inner),
        Place::Deref(_) | Place::Element(..) => None,
    }
}

/// Does a loop count up to something, so that it comes to an end?
fn only_counts(rounds: &Loop<Kind>) -> bool {
    let [Carried { var, .. }] = rounds.carried.as_slice() else { return false };
    let counter = Exp::Var(*var);
    let ends = matches!(&rounds.cond, Exp::Bin(BinOp::Lt, ab) if ab[0] == counter);
    ends && rounds.next == [Exp::bin(BinOp::Add, counter, Exp::u32(1))]
}

/// Branches that are known to be taken, or not to be.
fn straighten(body: &mut Block) {
    let mut out = Vec::with_capacity(body.len());
    for mut stm in std::mem::take(body) {
        match &mut stm.kind {
            Kind::If(branch) => {
                straighten(&mut branch.then);
                straighten(&mut branch.orelse);
                if let Exp::Lit(Lit::Bool(taken)) = branch.cond {
                    out.append(if taken { &mut branch.then } else { &mut branch.orelse });
                    continue;
                }
            }
            Kind::Loop(rounds) => straighten(&mut rounds.body),
            _ => {}
        }
        out.push(stm);
    }
    *body = out;
}

/// What is looked at, as far as a body was gone through, from its end.
#[derive(Default)]
struct Used {
    /// How often a name is used, and inside of how many loops.
    uses: Uses,
    /// Loops around.
    rounds: u32,
    /// Was a use counted that is gone?
    miscounted: bool,
    /// Variables that are read somewhere, or stored to in part.
    loaded: Slots<bool>,
    /// Variables of the body itself.
    own: Slots<bool>,
    /// Has something read one of these that is gone?
    read_in_vain: bool,
}

impl Used {
    /// Notes the variables of a body, if it has any, and which of them are read.
    fn variables(&mut self, body: &Block) {
        let mut has_own = false;
        any_stm(body, &mut |kind| {
            if let Kind::Var(var, ..) = kind {
                *self.own.of_mut(*var) = true;
                has_own = true;
            }
            false
        });
        if !has_own {
            return;
        }
        let mut load =
            |place: &Place| root(place).iter().for_each(|var| *self.loaded.of_mut(*var) = true);
        visit::block(body, &mut |exp| match exp {
            Exp::Load(place) | Exp::Ref(place) => load(place),
            _ => {}
        });
        any_stm(body, &mut |kind| {
            match kind {
                Kind::Store(Place::Var(_), _) => {}
                // A part of a variable is stored to, so the variable has to be there.
                Kind::Store(place, _)
                | Kind::Atomic { place, .. }
                | Kind::UniformLoad { place, .. } => load(place),
                _ => {}
            }
            false
        });
    }

    fn block(&mut self, body: &mut Block) {
        body.reverse();
        body.retain_mut(|stm| self.stm(&mut stm.kind));
        body.reverse();
    }

    /// Does the statement do something that is looked at?
    fn stm(&mut self, kind: &mut Kind) -> bool {
        match kind {
            Kind::Let(var, _, value) if !self.uses.any(*var) => {
                self.gone(value);
                return false;
            }
            Kind::Var(var, _, init) if !self.loaded.of(*var) => {
                init.iter().for_each(|value| self.gone(value));
                return false;
            }
            Kind::Store(Place::Var(var), value) if self.own.of(*var) && !self.loaded.of(*var) => {
                self.gone(value);
                return false;
            }
            Kind::If(branch) => {
                self.block(&mut branch.then);
                self.block(&mut branch.orelse);
                if branch.then.is_empty() && branch.orelse.is_empty() {
                    return false;
                }
                self.exp(&branch.cond);
            }
            Kind::Loop(rounds) => {
                let counted = rounds.carried.iter().any(|carried| self.uses.any(carried.var));
                self.rounds += 1;
                rounds.next.iter().chain([&rounds.cond]).for_each(|exp| self.exp(exp));
                self.block(&mut rounds.body);
                self.rounds -= 1;
                if !counted && rounds.body.is_empty() && only_counts(rounds) {
                    self.miscounted = true;
                    return false;
                }
                let inits = rounds.carried.iter().map(|carried| &carried.init);
                inits.chain(&rounds.fuel).for_each(|exp| self.exp(exp));
            }
            other => visit::kind(other, &mut |exp| self.uses.note(exp, self.rounds)),
        }
        true
    }

    /// This is not evaluated any longer.
    fn gone(&mut self, value: &Exp) {
        visit::exp(value, &mut |part| {
            self.read_in_vain |= matches!(part, Exp::Load(place)
                if root(place).is_some_and(|var| self.own.of(var)));
        });
    }

    fn exp(&mut self, exp: &Exp) {
        self.uses.exp(exp, self.rounds);
    }
}

#[cfg(test)]
mod tests {
    use super::without_unused;
    use reference::device::{parse, print};

    /// What is left of a kernel with this body.
    fn left(body: &str) -> String {
        let source = format!(
            "kernel k(xs : block[i32]) group 1 {{ {body} }}\nparam a : [8];\nlaunch k(a) for 1;"
        );
        let mut program = parse::program(&source).expect("the test's program parses");
        without_unused(&mut program.kernels[0].body, true);
        let text = print::program(&program);
        let [_, body, ..] = text.split(['{', '}']).collect::<Vec<_>>()[..] else {
            panic!("{text}");
        };
        body.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_nobody_looks_at_goes() {
        assert_eq!(left("let x : i32 = 1; let y : i32 = x + 1; xs.[0] = 7;"), "xs.[0] = 7;");
        assert_eq!(left("let x : i32 = 1; xs.[x] = x;"), "let x : i32 = 1; xs.[x] = x;");
    }

    /// What is pointed to, what others see, and what is changed in part.
    #[test]
    fn what_somebody_may_look_at_stays() {
        for body in [
            "var x : i32 = 1; let p : ptr[function, i32] = &x; *p = 2; xs.[0] = *p;",
            "private y : i32; y = 3;",
            "var a : array[i32, 2]; a[0] = 3; xs.[0] = a[1];",
            "var a : array[i32, 2]; a[xs.[0]] = 3;",
        ] {
            assert_eq!(left(body), body);
        }
    }

    /// A variable that was read only for what is gone itself goes, and so on.
    #[test]
    fn a_variable_that_is_read_in_vain_goes() {
        let read = "var x : i32 = 1; x = 2; let y : i32 = x;";
        assert_eq!(left(&format!("{read} xs.[0] = 7;")), "xs.[0] = 7;");
        assert_eq!(left(&format!("{read} var z : i32 = y; z = x; xs.[0] = 7;")), "xs.[0] = 7;");
        let looked_at = format!("{read} xs.[0] = y;");
        assert_eq!(left(&looked_at), looked_at);
    }
}
