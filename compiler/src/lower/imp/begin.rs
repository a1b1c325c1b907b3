//! Variables that begin with a value: `var x : τ; x ← …` is one statement of the device language. If nothing
//! else assigns to it, the variable is a value there, which the passes have less to do with.

use super::Lower;
use crate::lower::address::mentions;
use reference::imp::syntax::{Kind, Program, Stm, Ty};
use reference::kit::names::Var;

/// A statement with the declaration before it, if that declares what the statement gives a value to.
#[derive(Clone, Copy)]
pub(super) struct Begun<'p> {
    pub(super) stm: &'p Stm,
    /// The type of the variable that begins here.
    pub(super) declares: Option<Ty>,
    /// The statement that declares it.
    declaration: Option<&'p Stm>,
}

/// The statements of a sequence, without the declarations that belong to the next one.
pub(super) fn begun(stms: &[Stm]) -> impl Iterator<Item = Begun<'_>> {
    let mut declared = None;
    stms.iter().enumerate().filter_map(move |(at, stm)| {
        let before = declared.take();
        if let Kind::Var(var, ty) = stm.kind
            && stms.get(at + 1).is_some_and(|next| gives_value(next, var))
        {
            declared = Some((ty, stm));
            return None;
        }
        let (declares, declaration) = before.unzip();
        Some(Begun { stm, declares, declaration })
    })
}

impl<'p> Lower<'p> {
    /// A statement as it is, or its declaration apart, as it is decided.
    pub(super) fn begins(&mut self, begun: Begun<'p>) -> impl Iterator<Item = Begun<'p>> + use<'p> {
        let apart = begun.declaration.filter(|declaration| {
            let Kind::Var(var, _) = declaration.kind else { return false };
            let name = self.names.text(var);
            !self.decisions.decide(|| {
                format!(
                    "`{name}` is declared with its first value: the next statement gives it one"
                )
            })
        });
        let alone = |stm| Begun { stm, declares: None, declaration: None };
        let last = if apart.is_some() { alone(begun.stm) } else { begun };
        apart.map(alone).into_iter().chain([last])
    }
}

/// Does the statement assign to the variable, without looking at it?
fn gives_value(stm: &Stm, var: Var) -> bool {
    match &stm.kind {
        Kind::Assign(to, se) | Kind::Alloc(to, se) => *to == var && !mentions(se, var),
        Kind::AssignMem(to, from) => *to == var && *from != var,
        Kind::Read { into, offset, .. } => *into == var && !mentions(offset, var),
        _ => false,
    }
}

/// The variable that a statement itself assigns to.
pub(super) fn target(stm: &Stm) -> Option<Var> {
    match &stm.kind {
        Kind::Assign(var, _)
        | Kind::AssignMem(var, _)
        | Kind::Alloc(var, _)
        | Kind::Read { into: var, .. } => Some(*var),
        _ => None,
    }
}

/// How often variables are assigned to, by slot; more than twice is twice.
pub(super) struct Assignments(Vec<u8>);

impl Assignments {
    /// In a program.
    pub(super) fn of(program: &Program) -> Self {
        let mut assignments = Self(vec![0; program.names.len()]);
        assignments.count(&program.body);
        assignments
    }

    fn count(&mut self, stms: &[Stm]) {
        for stm in stms {
            if let Some(var) = target(stm) {
                let times = &mut self.0[var.slot()];
                *times = (*times + 1).min(2);
            }
            match &stm.kind {
                Kind::If { then, orelse, .. } => {
                    self.count(then);
                    self.count(orelse);
                }
                Kind::For { body, .. } | Kind::Kernel { body, .. } => self.count(body),
                _ => {}
            }
        }
    }

    /// Is it assigned to in one place?
    pub(super) fn is_once(&self, var: Var) -> bool {
        self.0[var.slot()] == 1
    }
}

#[cfg(test)]
mod tests {
    use reference::device::{print, validate};
    use reference::kit::decisions::Decisions;
    use reference::kit::derivation::Recorder;
    use reference::kit::faults::Planted;

    /// A program with these statements in the device language.
    fn lowered(statements: &str) -> String {
        let source = format!(
            "param (n : int) (xs : mem [n])\n{statements}\n\
             results (xs : [n] @ 0 + {{(n : 1)}})"
        );
        let program = reference::imp::parse::program(&source).expect("the program parses");
        let lowered = super::super::lower(&program, Planted::NONE, &mut Decisions::default())
            .expect("it is lowered");
        validate::check(&lowered, &mut Recorder::counting()).expect("it is valid");
        print::program(&lowered)
    }

    /// They become these lines, on the host and in a thread.
    #[track_caller]
    fn check(statements: &str, host: &[&str], thread: &[&str]) {
        let in_thread = format!("kernel i <= n do {statements} done");
        for (text, expected) in [(lowered(statements), host), (lowered(&in_thread), thread)] {
            let mut rest = text.as_str();
            for line in expected {
                let at = rest.find(line).unwrap_or_else(|| panic!("no `{line}` in\n{text}"));
                rest = &rest[at + line.len()..];
            }
        }
    }

    #[test]
    fn a_variable_is_declared_with_its_first_value() {
        check(
            "var x : int; x <- n * 2; xs[0] <- x",
            &["let x : i32 = n * 2;", "write xs.[0] = x;"],
            &["let x : i32 = n * 2;", "xs.[0] = x;"],
        );
        check(
            "var x : int; x <- xs[1]; xs[0] <- x + 1",
            &["let x = read xs.[1];"],
            &["let x : i32 = xs.[1];"],
        );
        check(
            "var b : mem; b <- xs; b[0] <- 7",
            &["let b : block[i32] = xs;"],
            &["let b : block[i32] = xs;"],
        );
    }

    /// Of several values the first.
    #[test]
    fn a_variable_of_several_values_stays_one() {
        check(
            "var x : int; x <- 1; x <- x + 2; xs[0] <- x",
            &["let x : i32 = 1;\n", "x = x + 2;"],
            &["var x : i32 = 1;\n", "x = x + 2;"],
        );
        check(
            "var x : int; x <- xs[1]; kernel j <= n do x <- j done; xs[0] <- x",
            &["let x_1 = read xs.[1];", "let x : i32 = x_1;", "var x_2 : i32 = x;"],
            &["var x : i32 = xs.[1];", "var x_1 : i32 = x;"],
        );
    }

    /// What is looked at before is 0, and what may be assigned nothing is declared.
    #[test]
    fn what_has_no_first_value_begins_with_zero() {
        for statements in [
            "var x : int; x <- x + 1; xs[0] <- x",
            "var x : int; x <- xs[x]; xs[0] <- x",
            "var x : int; xs[0] <- x; x <- 1",
            "var x : int; if n then x <- 1 else skip fi; xs[0] <- x",
        ] {
            check(statements, &["let x : i32 = 0;"], &["var x : i32 = 0;"]);
        }
    }

    /// A block that is given itself is none, and to do so gets stuck.
    #[test]
    fn a_block_is_not_its_own_first_value() {
        check(
            "var b : mem; b <- b; xs[0] <- n",
            &["let b : block[i32] = block(", "check block", "b = b;"],
            &["var b : block[i32] = block(", "check block", "b = b;"],
        );
    }

    /// A block that is made where it is declared needs no other name.
    #[test]
    fn an_allocation_is_named_once() {
        let host = lowered("var b : mem; b <- alloc n; xs[0] <- n");
        assert!(host.contains("let b = alloc i32(n);") && !host.contains("b_1"), "{host}");
        let host = lowered("var b : mem; b <- alloc n; b <- alloc n; xs[0] <- n");
        assert!(host.contains("let b : block[i32] = b_1;"), "{host}");
    }
}
