//! Takes out of a kernel or a function values that nothing uses, and branches and loops in which nothing is left.
//!
//! What can get stuck stands behind a check, so a value may go whatever it is computed by.

use super::held::root;
use crate::pass::slots::Slots;
use reference::device::parts::Statement;
use reference::device::syntax::{Block, Carried, Exp, Kind, Loop, Place};
use reference::device::visit::{self, any_stm};
use reference::kit::scalar::BinOp;

/// Takes out of a body what nothing uses: neither it nor the result behind it.
pub(super) fn remove(body: &mut Block, result: Option<&Exp>) {
    loop {
        let mut used = Used::default();
        used.variables(body, result);
        result.iter().for_each(|result| used.exp(result));
        used.block(body);
        // A variable may be unused once a value that read it is removed, so repeat.
        if !used.read_in_vain {
            return;
        }
    }
}

/// Does a loop count up to something, so that it comes to an end?
fn only_counts(rounds: &Loop<Kind>) -> bool {
    let [Carried { var, .. }] = rounds.carried.as_slice() else { return false };
    let counter = Exp::Var(*var);
    let ends = matches!(&rounds.cond, Exp::Bin(BinOp::Lt, ab) if ab[0] == counter);
    ends && rounds.next == [Exp::bin(BinOp::Add, counter, Exp::u32(1))]
}

/// What is used in a body, as far as it was gone through, from its end.
#[derive(Default)]
struct Used {
    /// Names.
    names: Slots<bool>,
    /// Variables that are read somewhere, or stored to in part.
    loaded: Slots<bool>,
    /// Variables of the function space.
    own: Slots<bool>,
    /// Was a value taken out that reads one of these?
    read_in_vain: bool,
}

impl Used {
    /// Notes the variables of a body, if it has any, and which of them are read.
    fn variables(&mut self, body: &Block, result: Option<&Exp>) {
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
        let mut look = |exp: &Exp| match exp {
            Exp::Load(place) | Exp::Ref(place) => load(place),
            _ => {}
        };
        visit::block(body, &mut look);
        result.iter().for_each(|result| visit::exp(result, &mut look));
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

    /// Does the statement do something that is used?
    fn stm(&mut self, kind: &mut Kind) -> bool {
        match kind {
            Kind::Let(var, _, value) if !self.names.of(*var) => {
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
            Kind::Switch(_) => {
                kind.blocks_mut().into_iter().for_each(|inner| self.block(inner));
                if kind.blocks().into_iter().all(Vec::is_empty) {
                    return false;
                }
                if let Kind::Switch(switch) = kind {
                    self.exp(&switch.value);
                }
            }
            Kind::Loop(rounds) => {
                let counted = rounds.carried.iter().any(|carried| self.names.of(carried.var));
                rounds.next.iter().chain([&rounds.cond]).for_each(|exp| self.exp(exp));
                self.block(&mut rounds.body);
                if !counted && rounds.body.is_empty() && only_counts(rounds) {
                    return false;
                }
                let inits = rounds.carried.iter().map(|carried| &carried.init);
                inits.chain(&rounds.fuel).for_each(|exp| self.exp(exp));
            }
            other => visit::kind(other, &mut |exp| self.note(exp)),
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
        visit::exp(exp, &mut |part| self.note(part));
    }

    fn note(&mut self, part: &Exp) {
        if let Exp::Var(var) = part {
            *self.names.of_mut(*var) = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::remove;
    use reference::device::{parse, print};

    /// What is left of a kernel with this body.
    fn left(body: &str) -> String {
        let source = format!(
            "kernel k(xs : block[i32]) group 1 {{ {body} }}\nparam a : [8];\nlaunch k(a) for 1;"
        );
        let mut program = parse::program(&source).expect("the test's program parses");
        remove(&mut program.kernels[0].body, None);
        let text = print::program(&program);
        let [_, body, ..] = text.split(['{', '}']).collect::<Vec<_>>()[..] else {
            panic!("{text}");
        };
        body.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_nothing_uses_goes() {
        assert_eq!(left("let x : i32 = 1; let y : i32 = x + 1; xs.[0] = 7;"), "xs.[0] = 7;");
        assert_eq!(left("let x : i32 = 1; xs.[x] = x;"), "let x : i32 = 1; xs.[x] = x;");
    }

    /// What is pointed to, what others see, and what is changed in part.
    #[test]
    fn what_may_be_used_stays() {
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
