//! Statements.

use super::Writer;
use super::module::FAILED;
use super::place::Location;
use super::text::MAX_DEPTH;
use crate::emit::workarounds::{INITIALISED_VARIABLES, WHOLE_POINTERS};
use crate::pass::poison_checks::holds;
use reference::device::syntax::{
    AtomicOp, Block, Check, Exp, If, Kind, Lit, Loop, Place, Sc, Scope, Space, Stm, Switch, Ty,
};
use reference::kit::faults::Fault;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// Statements of the block that is open.
    pub(super) fn body(&mut self, body: &[Stm<Kind>]) {
        for stm in body {
            self.stm(&stm.kind);
        }
    }

    /// The statements of an inner block. What nests too deeply is left out: the module is refused.
    pub(super) fn nested(&mut self, body: &Block) {
        self.indented(|to| {
            if to.depth() <= MAX_DEPTH {
                let visible = to.visible();
                to.shadowed();
                to.body(body);
                to.out_of_scope(visible);
            }
        });
    }

    fn stm(&mut self, kind: &Kind) {
        match kind {
            Kind::Let(var, Ty::Ptr(..), pointer) => {
                let pointee = self.bound_pointee(pointer);
                self.pointers.insert(*var, pointee);
            }
            Kind::Let(var, ty, value) => {
                if !self.styled_declaration(*var, ty, Some(value)) {
                    let value = self.value(value);
                    let value = self.within_array(ty, value);
                    self.line(&format!(
                        "let {}{} = {value};",
                        self.ident(*var),
                        self.annotation(ty)
                    ));
                }
                self.declared(*var, ty);
            }
            Kind::Var(var, ty, init) => {
                if !self.styled_declaration(*var, ty, init.as_ref()) {
                    self.declaration(*var, ty, init.as_ref());
                }
            }
            Kind::Store(place, value) => {
                if !self.styled_assignment(place, value) && !self.assigned_by_pointer(place, value)
                {
                    self.store(place, value);
                }
            }
            Kind::Atomic { into, op, place, operands } => {
                self.atomic(*into, *op, place, operands);
            }
            Kind::If(branch) => self.branch(branch),
            Kind::Switch(switch) => self.switch(switch),
            Kind::Loop(rounds) => self.rounds(rounds),
            Kind::Call { into, function, args } => self.call(*into, *function, args),
            Kind::UniformLoad { into, place } => {
                let call = format!("workgroupUniformLoad(&{})", self.location(place).reference());
                self.old_value(*into, &call, false);
            }
            Kind::Barrier(Scope::Workgroup) => self.line("workgroupBarrier();"),
            Kind::Barrier(Scope::Storage) => self.line("storageBarrier();"),
            Kind::Check(check) => self.check(check),
            Kind::Par(_) => panic!("the pass `map_levels` leaves no par in a kernel"),
        }
    }

    /// A check of a fast form: an invocation in which it fails sets the flag and ends. In a function it also says so to the
    /// caller, and returns. A full form has no checks here, since `poison_checks` replaced them.
    fn check(&mut self, check: &Check) {
        let cause = self.program.sites[check.site as usize].cause;
        // Where it always fails a block is opened too, since no statement may stand behind a `return`.
        let failed = match holds(cause, &check.operands, self.types) {
            Some(test) => self.negated(&test),
            None => "true".to_owned(),
        };
        self.braced(&format!("if {failed}"), |to| {
            if to.in_function {
                to.line(&format!("{FAILED} = true;"));
            }
            if !(to.in_function && to.planted.is(Fault::W1)) {
                to.line("atomicStore(&records[0], 1u);");
            }
            to.leave();
        });
    }

    /// Ends the function or the kernel.
    fn leave(&mut self) {
        let leaves = self.leaves.clone();
        self.line(&leaves);
    }

    /// A variable of the function space, which is zero without a value.
    fn declaration(&mut self, var: Var, ty: &Ty, init: Option<&Exp>) {
        let name = self.ident(var);
        let (annotation, value) = match init {
            Some(value) => (self.annotation(ty), format!(" = {}", self.value(value))),
            None if self.workarounds.uses(&INITIALISED_VARIABLES) => {
                (format!(": {}", self.ty(ty)), format!(" = {}()", self.ty(ty)))
            }
            None => (format!(": {}", self.ty(ty)), String::new()),
        };
        self.line(&format!("var {name}{annotation}{value};"));
    }

    fn branch(&mut self, branch: &If<Kind>) {
        if self.styled_branch(branch) {
            return;
        }
        let cond = self.value(&branch.cond);
        self.line(&format!("if {cond} {{"));
        self.nested(&branch.then);
        if !branch.orelse.is_empty() {
            self.line("} else {");
            self.nested(&branch.orelse);
        }
        self.line("}");
    }

    /// A switch, with a `default` as WGSL wants it. A `break` there would leave the switch and no loop around
    /// it, but rounds end at the head of their loop, so none stands in a case.
    fn switch(&mut self, switch: &Switch) {
        if self.styled_switch(switch) {
            return;
        }
        let value = self.value(&switch.value);
        self.line(&format!("switch {value} {{"));
        self.indented(|to| {
            to.cases(switch);
            to.otherwise(switch);
        });
        self.line("}");
    }

    /// `case k: { … }`, each with its literal.
    pub(super) fn cases(&mut self, switch: &Switch) {
        for case in &switch.cases {
            let literal = self.plain_integer(case.literal);
            self.line(&format!("case {literal}: {{"));
            self.nested(&case.body);
            self.line("}");
        }
    }

    /// `default: { … }`
    pub(super) fn otherwise(&mut self, switch: &Switch) {
        self.line("default: {");
        self.nested(&switch.orelse);
        self.line("}");
    }

    /// A loop. What a round evaluates is inside of its braces, in front of what needs it.
    fn rounds(&mut self, rounds: &Loop<Kind>) {
        for carried in &rounds.carried {
            self.declaration(carried.var, &carried.ty, Some(&carried.init));
        }
        let fuel = rounds.fuel.as_ref().map(|fuel| {
            let fuel = self.value(fuel);
            let name = self.temporary();
            self.line(&format!("var {name}: u32 = {fuel};"));
            name
        });
        if self.styled_rounds(rounds, fuel.as_deref()) {
            return;
        }
        self.braced("loop", |to| {
            if to.depth() > MAX_DEPTH {
                return;
            }
            let stops = to.stops(rounds, fuel.as_deref());
            to.line(&format!("if {stops} {{ break; }}"));
            to.spend(fuel.as_deref());
            to.round(&rounds.body);
            to.assign_next(rounds, None);
        });
    }

    /// The test that ends a loop.
    pub(super) fn stops(&mut self, rounds: &Loop<Kind>, fuel: Option<&str>) -> String {
        let stops = self.negation(&rounds.cond);
        match fuel {
            Some(fuel) => format!("{} || {fuel} == 0u", self.operand(&stops)),
            None => self.value(&stops),
        }
    }

    /// Takes a round from those that are left.
    pub(super) fn spend(&mut self, fuel: Option<&str>) {
        if let Some(fuel) = fuel {
            self.line(&format!("{fuel} = {fuel} - 1u;"));
        }
    }

    /// Assigns to the variables that a loop carries, as if all at once: no value is computed from one that
    /// was assigned already. The variable with the index `stepped` is assigned elsewhere, after the others.
    pub(super) fn assign_next(&mut self, rounds: &Loop<Kind>, stepped: Option<usize>) {
        if let ([carried], [next], None) = (&rounds.carried[..], &rounds.next[..], stepped) {
            if counts(carried.var, next) {
                self.line(&format!("{}++;", self.ident(carried.var)));
            } else if !self.styled_assignment(&Place::Var(carried.var), next) {
                self.store(&Place::Var(carried.var), next);
            }
            return;
        }
        let mut lines = Vec::new();
        for (at, (carried, next)) in rounds.carried.iter().zip(&rounds.next).enumerate() {
            if Some(at) != stepped {
                let value = self.value(next);
                let value = self.bound(&value);
                lines.push(format!("{} = {value};", self.ident(carried.var)));
            }
        }
        lines.iter().for_each(|line| self.line(line));
    }

    fn call(&mut self, into: Option<Var>, function: u32, args: &[Exp]) {
        let declared = &self.program.functions[function as usize];
        let mut texts = Vec::new();
        let mut copied_back = Vec::new();
        for (arg, (_, ty)) in args.iter().zip(&declared.params) {
            let Ty::Ptr(space, to) = ty else {
                texts.push(self.argument(arg));
                continue;
            };
            match self.bound_pointee(arg) {
                Location::Variable { text, whole: false }
                    if self.workarounds.uses(&WHOLE_POINTERS) =>
                {
                    let name = self.temporary();
                    if *space == Space::Private {
                        self.line(&format!("{name} = {text};"));
                        self.copies.push((name.clone(), (**to).clone()));
                    } else {
                        self.line(&format!("var {name} = {text};"));
                    }
                    texts.push(format!("&{name}"));
                    copied_back.push((text, name));
                }
                other => texts.push(format!("&{}", other.reference())),
            }
        }
        let call = format!("f_{function}({})", texts.join(", "));
        match into {
            Some(into) => self.line(&format!("let {} = {call};", self.ident(into))),
            None if declared.result.is_some() => self.line(&format!("_ = {call};")),
            None => self.line(&format!("{call};")),
        }
        if self.uses.failing.contains(&(function as usize)) {
            self.braced(&format!("if {FAILED}"), Self::leave);
        }
        for (text, name) in copied_back {
            self.line(&format!("{text} = {name};"));
        }
    }

    fn atomic(&mut self, into: Option<Var>, op: AtomicOp, place: &Place, operands: &[Exp]) {
        let sc = match self.types.place(place) {
            Ty::Atomic(sc) => sc,
            other => panic!("an atomic operation on {other:?}"),
        };
        let location = self.location(place);
        // The words of blocks are u32. An i32 is kept there by its bits.
        let by_bits = sc == Sc::I32 && !matches!(location, Location::Variable { .. });
        let place = format!("&{}", location.reference());
        let mut values = Vec::new();
        for operand in operands {
            let value = self.argument(operand);
            values.push(if by_bits { format!("bitcast<u32>({value})") } else { value });
        }
        let name = match op {
            AtomicOp::Load => "atomicLoad",
            AtomicOp::Store => "atomicStore",
            AtomicOp::Add => "atomicAdd",
            AtomicOp::Min | AtomicOp::Max if by_bits => {
                return self.signed_extremum(into, op, &place, &values[0]);
            }
            AtomicOp::Min => "atomicMin",
            AtomicOp::Max => "atomicMax",
            AtomicOp::And => "atomicAnd",
            AtomicOp::Or => "atomicOr",
            AtomicOp::Xor => "atomicXor",
            AtomicOp::Exchange => "atomicExchange",
            AtomicOp::CompareExchange => {
                return self.compare_exchange(into, &place, &values, by_bits);
            }
        };
        let arguments = std::iter::once(place).chain(values).collect::<Vec<_>>().join(", ");
        let call = format!("{name}({arguments})");
        match into {
            _ if op == AtomicOp::Store => self.line(&format!("{call};")),
            Some(into) => self.old_value(into, &call, by_bits),
            None if op == AtomicOp::Load => self.line(&format!("_ = {call};")),
            None => self.line(&format!("{call};")),
        }
    }

    /// Binds what an atomic operation or a uniform load gives.
    fn old_value(&mut self, into: Var, value: &str, by_bits: bool) {
        let name = self.ident(into);
        if by_bits {
            self.line(&format!("let {name} = bitcast<i32>({value});"));
        } else {
            self.line(&format!("let {name} = {value};"));
        }
    }

    /// WGSL only has the weak operation, which may fail without reason. So it is tried until it succeeds, or
    /// fails because the old value is another.
    fn compare_exchange(
        &mut self,
        into: Option<Var>,
        place: &str,
        values: &[String],
        by_bits: bool,
    ) {
        let (expected, new) = (self.bound(&values[0]), self.bound(&values[1]));
        let (old, tried) = (self.variable(&expected), self.temporary());
        self.braced("loop", |to| {
            to.line(&format!(
                "let {tried} = atomicCompareExchangeWeak({place}, {expected}, {new});"
            ));
            to.line(&format!("{old} = {tried}.old_value;"));
            to.line(&format!("if {tried}.exchanged || {old} != {expected} {{ break; }}"));
        });
        if let Some(into) = into {
            self.old_value(into, &old, by_bits);
        }
    }

    /// The minimum or maximum of an i32 that is kept as u32: computed from the old value, and stored if that
    /// is still the old value, else tried again.
    fn signed_extremum(&mut self, into: Option<Var>, op: AtomicOp, place: &str, value: &str) {
        let name = if op == AtomicOp::Min { "min" } else { "max" };
        let old = self.variable(&format!("atomicLoad({place})"));
        let (new, tried) = (self.temporary(), self.temporary());
        self.braced("loop", |to| {
            to.line(&format!(
                "let {new} = bitcast<u32>({name}(bitcast<i32>({old}), bitcast<i32>({value})));"
            ));
            to.line(&format!("let {tried} = atomicCompareExchangeWeak({place}, {old}, {new});"));
            to.line(&format!("{old} = {tried}.old_value;"));
            to.line(&format!("if {tried}.exchanged {{ break; }}"));
        });
        if let Some(into) = into {
            self.old_value(into, &old, true);
        }
    }
}

/// Is `next` the variable and one more? naga writes the same for `v++` as for `v = v + 1u`, and reads it
/// sooner.
fn counts(var: Var, next: &Exp) -> bool {
    matches!(next, Exp::Bin(BinOp::Add, ab) if **ab == [Exp::Var(var), Exp::Lit(Lit::U32(1))])
}

#[cfg(test)]
mod tests {
    use super::counts;
    use reference::device::syntax::Exp;
    use reference::kit::names::Var;
    use reference::kit::scalar::BinOp;

    #[test]
    fn only_one_more_of_itself_is_counted() {
        let more = |var, k| Exp::bin(BinOp::Add, Exp::Var(Var(var)), Exp::u32(k));
        assert!(counts(Var(3), &more(3, 1)));
        assert!(!counts(Var(3), &more(4, 1)) && !counts(Var(3), &more(3, 2)));
    }
}
