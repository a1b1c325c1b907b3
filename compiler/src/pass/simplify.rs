//! `simplify`: kernels and functions with less in them that compute the same.
//!
//! | | |
//! |---|---|
//! | before | kernels and functions in which whatever can get stuck stands behind a check |
//! | after | variables that are given one value are names; names of literals, of other names and of what has a name already are gone; what literals make is computed; a check is gone that holds for literals, or that an earlier one on the same way made |
//! | stuck | the same site: a check that is gone could not fail where the earlier one held |
//!
//! Drivers compile each kernel anew, and what they take for it grows with what stands in it.

use super::fingerprint::fingerprint;
use super::fold::fold;
use super::single_assignment::{self, Once, Stored};
use super::slots::Substitution;
use super::take;
use super::types::Types;
use reference::device::parts::Statement;
use reference::device::syntax::{
    Block, Check, Exp, Kind, Lit, Loop, Place, Program, Site, Stm, Ty,
};
use reference::device::visit::any_exp;
use reference::device::visit_mut::{change_exp, change_place};
use reference::kit::decisions::Decisions;
use reference::kit::names::{Names, Var};
use reference::kit::outcome::{Cause, holds};
use reference::kit::scalar::BinOp;

/// The pass.
pub fn simplify(mut program: Program, decisions: &mut Decisions) -> Program {
    let mut simplify = Simplify {
        decisions,
        names: &program.names,
        types: Types::of_params(&program),
        sites: &program.sites,
        once: Once::default(),
        sequence: 0,
        looks: false,
        values: Substitution::with_room(program.names.len()),
        known: Vec::new(),
        named: Vec::new(),
    };
    for kernel in &mut program.kernels {
        simplify.types.enter_kernel(kernel);
        simplify.once.note(&kernel.body, None);
        kernel.body = simplify.block(std::mem::take(&mut kernel.body));
    }
    for function in &mut program.functions {
        simplify.types.enter_all(&function.params);
        let mut result = function.result.as_mut().map(|(_, result)| result);
        simplify.once.note(&function.body, result.as_deref());
        function.body = simplify.block(std::mem::take(&mut function.body));
        result.iter_mut().for_each(|result| simplify.exp(result));
    }
    program
}

struct Simplify<'p> {
    decisions: &'p mut Decisions,
    /// Those of the program, for reports.
    names: &'p Names,
    /// Of the variables that are bound so far.
    types: Types,
    sites: &'p [Site],
    /// Which variables are given one value, and become names.
    once: Once,
    /// The sequence of statements at hand.
    sequence: u32,
    /// Does an expression gone over since this was put to false look at a place?
    looks: bool,
    /// What names stand for: literals and other names.
    values: Substitution,
    /// What checks on the way made sure of.
    known: Vec<Known>,
    /// Names of values that nothing changes.
    named: Vec<Named>,
}

/// What a check made sure of. Its operands, which nothing changes, are here until its sequence of
/// statements ends, and then in the check again.
struct Known {
    cause: Cause,
    operands: Vec<Exp>,
    /// Which statement of its sequence it is.
    at: usize,
}

/// A name and its value, which is here until its sequence of statements ends, and then behind the
/// name again.
struct Named {
    var: Var,
    value: Exp,
    /// The fingerprint of the value.
    fingerprint: u32,
    /// Which statement of its sequence it is.
    at: usize,
}

impl Simplify<'_> {
    fn block(&mut self, body: Block) -> Block {
        let (known, named) = (self.known.len(), self.named.len());
        let begun = self.once.begins();
        let around = std::mem::replace(&mut self.sequence, begun);
        let mut out = Vec::with_capacity(body.len());
        let mut gone = Vec::new();
        for stm in body {
            self.stm(stm, &mut out, &mut gone);
        }
        self.sequence = around;
        for Known { operands, at, .. } in self.known.drain(known..) {
            if let Kind::Check(check) = &mut out[at].kind {
                check.operands = operands;
            }
        }
        for Named { value, at, .. } in self.named.drain(named..) {
            if let Kind::Let(_, _, exp) = &mut out[at].kind {
                *exp = value;
            }
        }
        single_assignment::remove(&mut out, gone);
        out
    }

    /// Makes an expression the same with less in it.
    #[inline]
    fn change(&mut self, part: &mut Exp) {
        match part {
            Exp::Lit(_) => {}
            Exp::Var(var) if self.values.of(*var).is_none() => {}
            other => self.change_other(other),
        }
    }

    fn change_other(&mut self, part: &mut Exp) {
        match part {
            Exp::Var(var) => {
                if let Some(value) = self.values.of(*var) {
                    *part = value.clone();
                }
            }
            Exp::Load(place) => {
                if let Place::Var(var) = **place
                    && self.once.looks(var)
                {
                    *part = self.values.of(var).cloned().unwrap_or(Exp::Var(var));
                } else {
                    self.looks = true;
                }
            }
            Exp::Ref(_) => self.looks = true,
            Exp::Bin(BinOp::Max, ab) if ab[1] == Exp::i32(0) && self.is_size(&ab[0]) => {
                *part = take(&mut ab[0]);
            }
            other => fold(other, &self.types),
        }
    }

    fn exp(&mut self, exp: &mut Exp) {
        change_exp(exp, &mut |part| self.change(part));
    }

    /// The same. Is the value then the same wherever the expression stands?
    fn becomes_constant(&mut self, exp: &mut Exp) -> bool {
        self.looks = false;
        self.exp(exp);
        !self.looks || is_constant(exp)
    }

    /// Did a check make sure that it is not negative?
    fn is_size(&self, exp: &Exp) -> bool {
        self.known.iter().any(|Known { cause, operands, .. }| {
            *cause == Cause::NegativeSize && operands.as_slice() == std::slice::from_ref(exp)
        })
    }

    fn exps(&mut self, exps: &mut [Exp]) {
        exps.iter_mut().for_each(|exp| self.exp(exp));
    }

    fn place(&mut self, place: &mut Place) {
        change_place(place, &mut |part| self.change(part));
    }

    /// A statement goes to the end of `out`, if it is needed; the places there of declarations that are
    /// not are put into `gone`.
    fn stm(&mut self, mut stm: Stm<Kind>, out: &mut Block, gone: &mut Vec<usize>) {
        self.types.binds(&stm.kind);
        match &mut stm.kind {
            Kind::Let(var, ty, exp) => {
                let constant = self.becomes_constant(exp);
                let pointer = matches!(ty, Ty::Ptr(..));
                if self.is_named(*var, pointer, exp, constant, out.len()) {
                    return;
                }
            }
            Kind::Var(var, ty, init) => {
                init.iter_mut().for_each(|exp| self.exp(exp));
                self.once.declares(*var, ty, self.sequence, out.len());
            }
            Kind::Store(Place::Var(var), exp) => {
                let constant = self.becomes_constant(exp);
                let var = *var;
                match self.begins(var) {
                    Stored::Stays => {}
                    Stored::Binds(declared) => {
                        gone.push(declared);
                        if self.is_named(var, false, exp, constant, out.len()) {
                            return;
                        }
                        let ty = single_assignment::declared_type(&mut out[declared].kind);
                        stm.kind = Kind::Let(var, ty, take(exp));
                    }
                    Stored::Starts(declared) => {
                        gone.push(declared);
                        let ty = single_assignment::declared_type(&mut out[declared].kind);
                        stm.kind = Kind::Var(var, ty, Some(take(exp)));
                    }
                }
            }
            Kind::Store(place, exp) => {
                self.place(place);
                self.exp(exp);
            }
            Kind::Atomic { place, operands, .. } => {
                self.place(place);
                self.exps(operands);
            }
            Kind::If(branch) => {
                self.exp(&mut branch.cond);
                branch.then = self.block(std::mem::take(&mut branch.then));
                branch.orelse = self.block(std::mem::take(&mut branch.orelse));
                if let Exp::Lit(Lit::Bool(taken)) = branch.cond
                    && self.decisions.decide(|| format!("an `if {taken}` is the branch taken"))
                {
                    out.append(if taken { &mut branch.then } else { &mut branch.orelse });
                    return;
                }
            }
            Kind::Switch(switch) => {
                self.exp(&mut switch.value);
                for inner in stm.kind.blocks_mut() {
                    *inner = self.block(std::mem::take(inner));
                }
                if let Kind::Switch(switch) = &mut stm.kind
                    && let Exp::Lit(value) = switch.value
                    && self
                        .decisions
                        .decide(|| "a `switch` of a literal is the case taken".to_owned())
                {
                    out.append(switch.taken_mut(value));
                    return;
                }
            }
            Kind::Loop(rounds) => self.rounds(rounds),
            Kind::Call { args, .. } => self.exps(args),
            Kind::Check(check) => {
                if !self.is_needed(check, out.len()) {
                    return;
                }
            }
            // A work-group variable or a field of one: nothing in it can be simpler.
            Kind::Barrier(_) | Kind::UniformLoad { .. } | Kind::Par(_) => {}
        }
        out.push(stm);
    }

    /// What becomes of a store to all of a variable.
    fn begins(&mut self, var: Var) -> Stored {
        let stored = self.once.stores(var, self.sequence);
        let name = self.names.text(var);
        let decided = match &stored {
            Stored::Stays => return stored,
            Stored::Binds(_) => {
                let why = "it is stored to once, before anything looks at it";
                self.decisions.decide(|| format!("the variable `{name}` is a value: {why}"))
            }
            Stored::Starts(_) => self.decisions.decide(|| {
                format!("`{name}` starts from its first store: nothing looks at it before")
            }),
        };
        if !decided {
            self.once.keeps(var);
            return Stored::Stays;
        }
        stored
    }

    /// Has the value of this name a name already, or needs none? `at` is where in its sequence it is
    /// bound.
    fn is_named(
        &mut self,
        var: Var,
        pointer: bool,
        exp: &mut Exp,
        constant: bool,
        at: usize,
    ) -> bool {
        let name = self.names.text(var);
        if matches!(exp, Exp::Lit(_) | Exp::Var(_)) && !pointer {
            // Like the folding of literals this is no decision: WGSL rejects a constant expression that
            // fails, such as `1 / zero` of a name for 0, so no name of a literal may come to the shaders.
            let what = || format!("replace `{name}` by the name that it is bound to");
            if matches!(exp, Exp::Var(_)) && !self.decisions.decide(what) {
                return false;
            }
            self.values.put(var, exp.clone());
            return true;
        }
        if !constant {
            return false;
        }
        let fingerprint = fingerprint(exp);
        let is_same = |named: &&Named| named.fingerprint == fingerprint && named.value == *exp;
        if let Some(same) = self.named.iter().find(is_same) {
            let other = self.names.text(same.var);
            if !self.decisions.decide(|| format!("`{name}` is `{other}`, which has the same value"))
            {
                return false;
            }
            self.values.put(var, Exp::Var(same.var));
            return true;
        }
        self.named.push(Named { var, value: take(exp), fingerprint, at });
        false
    }

    fn rounds(&mut self, rounds: &mut Loop<Kind>) {
        rounds.carried.iter_mut().for_each(|carried| self.exp(&mut carried.init));
        rounds.fuel.iter_mut().for_each(|fuel| self.exp(fuel));
        self.exp(&mut rounds.cond);
        rounds.body = self.block(std::mem::take(&mut rounds.body));
        self.exps(&mut rounds.next);
    }

    /// Can the check fail, for all that is known? `at` is where in its sequence it stands.
    fn is_needed(&mut self, check: &mut Check, at: usize) -> bool {
        let mut constant = true;
        for operand in &mut check.operands {
            constant &= self.becomes_constant(operand);
        }
        self.exps(&mut check.path);
        self.exps(check.components_mut());
        let cause = self.sites[check.site as usize].cause;
        if let Some(operands) = integers(&check.operands)
            && !operands.is_empty()
            && cause.takes(operands.len())
            && holds(cause, &operands)
            && self.decisions.decide(|| format!("a check of {} is gone: it holds", cause.name()))
        {
            return false;
        }
        if check.operands.is_empty() || !constant {
            return true;
        }
        let cause = test(cause);
        let same = |known: &Known| known.cause == cause && known.operands == check.operands;
        if self.known.iter().any(same) {
            let why = "one before it made sure of the same";
            return !self
                .decisions
                .decide(|| format!("a check of {} is gone: {why}", cause.name()));
        }
        self.known.push(Known { cause, operands: std::mem::take(&mut check.operands), at });
        true
    }
}

/// Counts and sizes are tested alike.
fn test(cause: Cause) -> Cause {
    if cause == Cause::NegativeCount { Cause::NegativeSize } else { cause }
}

/// The literals, if all are integers.
fn integers(exps: &[Exp]) -> Option<Vec<i64>> {
    let integer = |exp: &Exp| match exp {
        Exp::Lit(Lit::I32(k)) => Some(i64::from(*k)),
        Exp::Lit(Lit::U32(k)) => Some(i64::from(*k)),
        Exp::Lit(Lit::I64(k)) => Some(k.0),
        _ => None,
    };
    exps.iter().map(integer).collect()
}

/// Is the value the same wherever the expression stands? Carried variables change between the
/// rounds and behind their loop, but checks of a round are known in no other, and no check in
/// front of a loop has its variables.
pub(crate) fn is_constant(exp: &Exp) -> bool {
    !any_exp(exp, &mut |part| matches!(part, Exp::Load(_) | Exp::Ref(_)))
}

#[cfg(test)]
mod tests {
    use super::simplify;
    use reference::device::{parse, print, validate};
    use reference::kit::decisions::Decisions;
    use reference::kit::derivation::Recorder;

    /// What is left of a kernel with this body.
    fn left(body: &str) -> String {
        let source = format!(
            "kernel k(xs : block[i32], n : i32) group 1 {{\n{body}\n}}\n\
             param a : [4];\nparam n : i32;\nlaunch k(a, n) for 1;"
        );
        let program = parse::program(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let simple = simplify(program, &mut Decisions::default());
        validate::check(&simple, &mut Recorder::counting()).expect("it is valid");
        print::program(&simple)
    }

    /// A check is known by all of its operands, wherever the one that may change stands.
    #[test]
    fn a_check_of_what_changes_is_made_again() {
        let checks = |operands: &str| {
            let check = format!("check index({operands});");
            let body = format!("var x : i32 = n; {check} x = x + 1; {check} xs.[0] = x;");
            left(&body).matches("check index").count()
        };
        assert_eq!(checks("x, n"), 2);
        assert_eq!(checks("n, x"), 2);
        assert_eq!(checks("n, n + 3"), 1);
    }

    #[test]
    fn a_switch_of_a_literal_is_the_case_taken() {
        let taken = |k: i32| {
            let cases = "1 { xs.[0] = 7; } 2 { xs.[0] = 8; } else { xs.[0] = 9; }";
            let text = left(&format!("let k : i32 = {k}; switch k {{ {cases} }}"));
            assert!(!text.contains("switch"), "{text}");
            [7, 8, 9].map(|stored| text.contains(&format!("xs.[0] = {stored};")))
        };
        assert_eq!(taken(1), [true, false, false]);
        assert_eq!(taken(2), [false, true, false]);
        assert_eq!(taken(5), [false, false, true]);
    }

    /// Functions are simplified likewise, with what they result in.
    #[test]
    fn a_function_is_less_too() {
        let source = "fn f(a : i32) -> i32 {
              check index(a, 3); var x : i32; x = a; let y : i32 = x; check index(y, 3); return y + x;
            }
            kernel k() group 1 { let z = call f(1); }
            launch k() for 1;";
        let program = parse::program(source).unwrap_or_else(|error| panic!("{error}"));
        let simple = simplify(program, &mut Decisions::default());
        validate::check(&simple, &mut Recorder::counting()).expect("it is valid");
        let text = print::program(&simple);
        assert_eq!(text.matches("check").count(), 1, "{text}");
        assert!(!text.contains("var") && text.contains("return a + a"), "{text}");
    }

    /// Nor has a pointer a name already where its index was another.
    #[test]
    fn a_pointer_to_another_element_is_another() {
        let text = left(
            "var t : array[i32, 4]; var x : i32 = 0;
             let p : ptr[function, i32] = &t[x]; x = x + 1;
             let q : ptr[function, i32] = &t[x]; *p = 1; xs.[0] = *q;",
        );
        assert_eq!(text.matches("&t[x]").count(), 2, "{text}");
    }
}
