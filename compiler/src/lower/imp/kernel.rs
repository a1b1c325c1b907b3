//! Kernels. In 32 bits offsets are made exact as [`address`](crate::lower::address) says.

use super::begin::{Begun, begun, target};
use super::{Bound, Lower, counted, device_type, nothing, round};
use crate::lower::address::{self, Condition, Exact};
use reference::device::syntax::{Block, Exp, I32, If, Kind, Par, Place, Stm, Ty, UnOp};
use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax as imp;
use reference::kit::names::Var;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::{Refused, Span};

impl<'p> Lower<'p> {
    /// A kernel whose threads are `thread = 1, …, count`. `path` are the iterations of the nested
    /// kernels around its body.
    pub(super) fn par(
        &mut self,
        span: Span,
        thread: Var,
        count: Exp,
        body: &'p [imp::Stm],
        path: &mut Vec<Var>,
    ) -> Result<Par, Refused> {
        let outside = (self.assigned.clone(), self.known.clone());
        let mut assigned = Vec::new();
        // The body may assign its own thread too.
        self.bind(thread, Bound::Count(thread));
        self.outer_assigned(body, &mut assigned);
        let mut inner = Vec::with_capacity(2 * body.len());
        let outer: Vec<Bound> = assigned.iter().map(|var| self.find(*var)).collect();
        for (var, outer) in assigned.iter().zip(&outer) {
            let copy = self.like(*var);
            let kind = Kind::Var(copy, device_type(outer.ty()), Some(outer.value()));
            inner.push(Stm { span, kind });
            self.bind(*var, Bound::Place(copy, outer.ty()));
        }
        self.block(body, path, &mut inner)?;
        // What the body declares is not named outside of it.
        assigned.into_iter().zip(outer).for_each(|(var, outer)| self.bind(var, outer));
        (self.assigned, self.known) = outside;
        Ok(Par { var: thread, count, body: inner })
    }

    fn block(
        &mut self,
        stms: &'p [imp::Stm],
        path: &mut Vec<Var>,
        out: &mut Block,
    ) -> Result<(), Refused> {
        for stm in begun(stms) {
            self.begins(stm).try_for_each(|stm| self.stm(stm, path, out))?;
        }
        Ok(())
    }

    /// An offset in 32 bits, exact: before it stands what gives up where 32 bits do not do, unless
    /// that was asked on the way, of the same values.
    fn offset(&mut self, span: Span, se: &'p Se, path: &[Var], out: &mut Block) -> Exp {
        if address::is_exact(se, self) || self.known.exact.contains(&se) {
            return self.se(se);
        }
        self.known.exact.push(se);
        if address::partial(se) {
            let named = self.divided(span, se, path, out);
            return self.exact(span, &named, path, out);
        }
        self.exact(span, se, path, out)
    }

    /// The same, behind its conditions.
    fn exact(&mut self, span: Span, se: &Se, path: &[Var], out: &mut Block) -> Exp {
        let Exact { value, conditions } = address::exact(se, self);
        for condition in conditions {
            self.condition(span, condition, path, out);
        }
        value
    }

    /// The expression with names for its quotients and remainders. They are made in the order of evaluation, so that no
    /// condition for one part is asked before another part divides.
    fn divided(&mut self, span: Span, se: &Se, path: &[Var], out: &mut Block) -> Se {
        let Se::Bin(op, ab) = se else { return se.clone() };
        let [a, b] = &**ab;
        let a = self.divided(span, a, path, out);
        let whole = Se::bin(*op, a, self.divided(span, b, path, out));
        if !op.is_partial() {
            return whole;
        }
        let value = self.exact(span, &whole, path, out);
        let part = self.name(span, I32, value, "part", out);
        self.bind(part, Bound::Value(part, imp::Ty::Int));
        Se::from(part)
    }

    /// A condition for 32 bits to do, asked before the value is used.
    fn condition(&mut self, span: Span, condition: Condition, path: &[Var], out: &mut Block) {
        let kind = match condition {
            Condition::Fits(number) => {
                Kind::Check(self.check(span, Cause::Width, vec![number], path))
            }
            Condition::Holds(exact) => {
                let give_up = Kind::Check(self.check(span, Cause::Width, Vec::new(), path));
                let then = vec![Stm { span, kind: give_up }];
                let cond = Exp::Un(UnOp::Not, Box::new(exact));
                Kind::If(If { cond, then, orelse: Vec::new() })
            }
        };
        out.push(Stm { span, kind });
    }

    /// Lowers a branch or a round, which may not be executed. What is known of what it does
    /// not assign stays known in it and behind it, and nothing else.
    fn inside<T>(&mut self, body: &'p [imp::Stm], lower: impl FnOnce(&mut Self) -> T) -> T {
        if !self.known.is_empty() {
            let mut assigned = Vec::new();
            self.outer_assigned(body, &mut assigned);
            assigned.into_iter().for_each(|var| self.known.forget(var));
        }
        let known = self.known.clone();
        let lowered = lower(self);
        self.known = known;
        lowered
    }

    /// A block and an offset in it. The offset is evaluated first, and is bound if that can get
    /// stuck.
    fn element(
        &mut self,
        span: Span,
        block: Var,
        se: &'p Se,
        path: &[Var],
        out: &mut Block,
    ) -> (Exp, Exp) {
        let mut offset = self.offset(span, se, path, out);
        if address::partial(se) {
            offset = Exp::Var(self.name(span, I32, offset, "offset", out));
        }
        (self.block_of(span, block, path, Kind::If, Kind::Check, out), offset)
    }

    /// The variable has another value from now on. Of one that begins here nothing is known.
    fn forget(&mut self, var: Var) {
        if self.is_declared(var) {
            self.known.forget(var);
        }
    }

    /// The variables that statements, which are yet to be lowered and are lowered once, assign and do not
    /// declare, in order, each once: those that are declared already. Nested kernels assign none outside of themselves, but what
    /// they assign they have copies of.
    fn outer_assigned(&self, stms: &[imp::Stm], assigned: &mut Vec<Var>) {
        for stm in stms {
            match &stm.kind {
                imp::Kind::If { then, orelse, .. } => {
                    self.outer_assigned(then, assigned);
                    self.outer_assigned(orelse, assigned);
                }
                imp::Kind::For { body, .. } => self.outer_assigned(body, assigned),
                _ => {}
            }
            if let Some(var) = target(stm)
                && self.is_declared(var)
                && !assigned.contains(&var)
            {
                assigned.push(var);
            }
        }
    }

    /// Does the body of a loop assign its own counter, which is declared already?
    pub(super) fn reassigns(&self, counter: Var, body: &[imp::Stm]) -> bool {
        let mut assigned = Vec::new();
        self.outer_assigned(body, &mut assigned);
        assigned.contains(&counter)
    }

    /// A name for a value.
    fn name(&mut self, span: Span, ty: Ty, value: Exp, wish: &'static str, out: &mut Block) -> Var {
        let var = self.names.fresh(wish);
        out.push(Stm { span, kind: Kind::Let(var, ty, value) });
        var
    }

    /// The remainder in `x % n + 1`, if a variable that keeps its value is declared so: 1 less than an index,
    /// which is what its elements are found by.
    fn index_from_zero(&self, var: Var, declares: Option<imp::Ty>, se: &Se) -> Option<Exp> {
        let Se::Bin(BinOp::Add, ab) = se else { return None };
        let [from_zero @ Se::Bin(BinOp::Rem, _), Se::Atom(Atom::Const(1))] = &**ab else {
            return None;
        };
        (declares.is_some() && self.assignments.is_once(var)).then(|| self.se(from_zero))
    }

    fn place(&self, var: Var) -> Place {
        match self.find(var) {
            Bound::Place(place, _) => Place::Var(place),
            // Whatever a kernel's body assigns was copied into a variable of the thread.
            Bound::Value(var, _) | Bound::Count(var) => {
                panic!("`{}` is assigned and cannot be", self.names.text(var))
            }
        }
    }

    /// A variable is given a value; its type, if it is declared here.
    fn assign(&mut self, var: Var, declares: Option<imp::Ty>, value: Exp) -> Kind {
        self.forget(var);
        match declares {
            None => Kind::Store(self.place(var), value),
            Some(ty) if self.assignments.is_once(var) => {
                self.declare(var, Bound::Value(var, ty));
                Kind::Let(var, device_type(ty), value)
            }
            Some(ty) => {
                self.declare(var, Bound::Place(var, ty));
                Kind::Var(var, device_type(ty), Some(value))
            }
        }
    }

    fn stm(
        &mut self,
        Begun { stm, declares, .. }: Begun<'p>,
        path: &mut Vec<Var>,
        out: &mut Block,
    ) -> Result<(), Refused> {
        let span = stm.span;
        let kind = match &stm.kind {
            imp::Kind::Skip => return Ok(()),
            imp::Kind::Var(var, ty) => {
                self.forget(*var);
                self.declare(*var, Bound::Place(*var, *ty));
                Kind::Var(*var, device_type(*ty), Some(nothing(*ty)))
            }
            imp::Kind::Assign(var, se) => {
                let value = match self.index_from_zero(*var, declares, se) {
                    Some(from_zero) => {
                        let from_zero = self.name(span, I32, from_zero, "from_zero", out);
                        self.less_one.insert(*var, from_zero);
                        Exp::bin(BinOp::Add, Exp::Var(from_zero), Exp::i32(1))
                    }
                    None => self.se(se),
                };
                self.assign(*var, declares, value)
            }
            imp::Kind::AssignMem(var, from) => {
                let from = self.block_of(span, *from, path, Kind::If, Kind::Check, out);
                let kind = self.assign(*var, declares, from);
                self.assigned.insert(*var);
                kind
            }
            imp::Kind::Alloc(var, _) => {
                return Err(Refused {
                    span,
                    statement: format!("{} <- alloc …", self.names.text(*var)),
                    reason: "a kernel that allocates was left by memory expansion".to_owned(),
                    second: None,
                });
            }
            imp::Kind::Read { into, block, offset } => {
                let (block, offset) = self.element(span, *block, offset, path, out);
                let read = Exp::load(Place::Element(block, offset));
                self.assign(*into, declares, read)
            }
            imp::Kind::Write { block, offset, value } => {
                let mut written = self.se(value);
                if address::partial(value) {
                    written = Exp::Var(self.name(span, I32, written, "value", out));
                }
                let (block, offset) = self.element(span, *block, offset, path, out);
                Kind::Store(Place::Element(block, offset), written)
            }
            imp::Kind::If { cond, then, orelse } => {
                let cond = Exp::bin(BinOp::Ne, self.atom(*cond), Exp::i32(0));
                let mut yes = Vec::with_capacity(then.len());
                let mut no = Vec::with_capacity(orelse.len());
                let before = self.assigned.clone();
                self.inside(then, |to| to.block(then, path, &mut yes))?;
                let after_then = std::mem::replace(&mut self.assigned, before);
                self.inside(orelse, |to| to.block(orelse, path, &mut no))?;
                self.assigned.and(&after_then);
                Kind::If(If { cond, then: yes, orelse: no })
            }
            imp::Kind::For { counter, count, body } => {
                let n = self.counted(span, Cause::NegativeCount, count, path, out);
                let before = self.assigned.clone();
                let rounds = self.names.fresh("rounds");
                self.bind(*counter, Bound::Count(*counter));
                let kind = if self.reassigns(*counter, body) {
                    self.bind(*counter, Bound::Place(*counter, imp::Ty::Int));
                    Kind::Var(*counter, I32, Some(round(rounds)))
                } else {
                    Kind::Let(*counter, I32, round(rounds))
                };
                let mut inner = Vec::with_capacity(2 * body.len());
                inner.push(Stm { span, kind });
                self.inside(body, |to| to.block(body, path, &mut inner))?;
                self.assigned = before;
                Kind::Loop(Box::new(counted(rounds, n, inner)))
            }
            imp::Kind::Kernel { thread, count, body } => {
                let n = self.counted(span, Cause::NegativeSize, count, path, out);
                path.push(*thread);
                let par = self.par(span, *thread, n, body, path)?;
                path.pop();
                Kind::Par(par)
            }
            imp::Kind::Check { cause, operands } => {
                if self.dropped(*cause) {
                    return Ok(());
                }
                // What makes a later operand exact stands before the check, and behind this operand.
                let mut tested = Vec::with_capacity(operands.len());
                for se in operands {
                    let mut operand = self.offset(span, se, path, out);
                    if address::partial(se) {
                        operand = Exp::Var(self.name(span, I32, operand, "operand", out));
                    }
                    tested.push(operand);
                }
                if *cause == Cause::Index {
                    self.known.checks_index(operands);
                }
                Kind::Check(self.check(span, *cause, tested, path))
            }
        };
        out.push(Stm { span, kind });
        Ok(())
    }

    /// Binds a count and checks it.
    fn counted(
        &mut self,
        span: Span,
        cause: Cause,
        count: &'p Se,
        path: &[Var],
        out: &mut Block,
    ) -> Exp {
        let value = self.offset(span, count, path, out);
        let n = Exp::Var(self.name(span, I32, value, "n", out));
        let check = self.check(span, cause, vec![n.clone()], path);
        out.push(Stm { span, kind: Kind::Check(check) });
        n
    }
}

#[cfg(test)]
mod tests {
    use reference::device::print;
    use reference::kit::decisions::Decisions;
    use reference::kit::faults::Planted;

    /// What becomes of a kernel with this body.
    fn lowered(body: &str, planted: Planted) -> String {
        let source = format!(
            "param (n : int) (s : int) (xs : mem [n])
             kernel i <= n do var x : int; {body} done
             results (xs : [n] @ 0 + {{(n : 1)}})"
        );
        let program = reference::imp::parse::program(&source).expect("the program parses");
        let lowered = super::super::lower(&program, planted, &mut Decisions::default())
            .expect("it is lowered");
        print::program(&lowered)
    }

    /// How often a thread asks whether 32 bits do for an offset.
    fn asked(body: &str) -> usize {
        lowered(body, Planted::NONE).matches("check width(").count()
    }

    /// What held for the same values, on the way, holds again.
    #[test]
    fn an_offset_is_asked_for_once() {
        let read = "x <- xs[i * s]";
        for (body, times) in [
            ("x <- xs[i * s]; xs[i * s] <- x", 1),
            ("x <- xs[i * s]; xs[i * n] <- x", 2),
            ("x <- xs[i * x]; xs[i * x] <- x", 2),
            ("x <- xs[i * s]; x <- s; xs[i * s] <- x", 1),
        ] {
            assert_eq!(asked(body), times, "{body}");
        }
        assert_eq!(asked(&format!("{read}; for j <= n do {read} done")), 1);
        assert_eq!(asked(&format!("for j <= n do {read} done; {read}")), 2);
        assert_eq!(asked(&format!("if s then {read} else {read} fi; {read}")), 3);
        assert_eq!(asked(&format!("{read}; if s then {read} else skip fi; {read}")), 1);
        assert_eq!(asked(&format!("{read}; kernel j <= n do {read} done")), 1);
        assert_eq!(asked(&format!("{read}; kernel j <= n do {read} done; {read}")), 1);
        // What a nested kernel assigns are copies of its own; what is asked beside it, in what may not
        // come, is asked again.
        let beside = "kernel j <= n do x <- s done; xs[i * n] <- s";
        for maybe in
            [format!("if s then {beside} else skip fi"), format!("for j <= n do {beside} done")]
        {
            assert_eq!(asked(&format!("xs[i * x] <- s; {maybe}; xs[i * n] <- s")), 3, "{maybe}");
            assert_eq!(asked(&format!("xs[i * x] <- s; {maybe}; xs[i * x] <- s")), 2, "{maybe}");
        }
        let own = "x <- xs[i * x]";
        assert_eq!(asked(&format!("xs[i * x] <- s; for j <= n do {own} done")), 2);
        assert_eq!(asked(&format!("xs[i * x] <- s; if s then {own} else skip fi; {own}")), 3);
    }

    /// An index that was checked is at least 1, as long as it has the same value, and where the check came.
    #[test]
    fn an_index_that_was_checked_fits() {
        let (check, read) = ("check index(s, n)", "x <- xs[s - 1]");
        assert_eq!(asked(read), 1);
        for surely in [
            format!("{check}; {read}"),
            format!("{check}; if x then {read} else skip fi; {read}"),
            format!("{check}; for j <= n do {read} done; {read}"),
            format!("{check}; kernel j <= n do {read} done; {read}"),
            format!("{check}; kernel j <= n do s <- x done; {read}"),
            "check index(x, s); x <- s; xs[s - 1] <- x".to_owned(),
        ] {
            assert_eq!(asked(&surely), 0, "{surely}");
        }
        for maybe in [
            format!("{read}; {check}"),
            format!("{check}; s <- x; {read}"),
            format!("check index(s * 1, n); {read}"),
            format!("check size(s); {read}"),
            format!("if x then {check} else skip fi; {read}"),
            format!("for j <= n do {check} done; {read}"),
            format!("kernel j <= n do {check} done; {read}"),
            format!("{check}; for j <= n do {read}; s <- x done"),
            format!("{check}; if x then s <- x else skip fi; {read}"),
        ] {
            assert!(asked(&maybe) > 0, "{maybe}");
        }
    }

    /// A check that a planted fault drops tells nothing.
    #[cfg(feature = "faults")]
    #[test]
    fn an_index_that_was_not_checked_may_not_fit() {
        let planted = Planted::new(reference::kit::faults::Fault::B1);
        let text = lowered("check index(s, n); x <- xs[s - 1]", planted);
        assert!(!text.contains("check index(") && text.contains("check width("), "{text}");
    }

    /// An index that is a remainder and 1 is found by the remainder.
    #[test]
    fn a_remainder_is_an_offset() {
        let of = |body: &str| lowered(body, Planted::NONE);
        let once = of("var c : int; c <- (s + i) % n + 1; x <- xs[c - 1]; xs[(c - 1) * s] <- c");
        assert!(once.contains("let from_zero : i32 = (s + i) % n;"), "{once}");
        assert!(once.contains("xs.[from_zero]") && once.contains("xs.[from_zero * s]"), "{once}");
        for other in [
            "var c : int; c <- s % n + 2; x <- xs[c - 1]",
            "var c : int; c <- s / n + 1; x <- xs[c - 1]",
            "var c : int; c <- s % n + 1; x <- xs[c - 1]; c <- 7",
            "var c : int; c <- s % n + 1; x <- xs[c - 2]",
            "x <- i; x <- s % n + 1; xs[x - 1] <- s",
        ] {
            let text = of(other);
            assert!(!text.contains("[from_zero]"), "{text}");
        }
    }
}
