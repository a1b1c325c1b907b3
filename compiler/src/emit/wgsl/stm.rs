//! Statements and functions in WGSL.

use super::held::Mark;
use super::place::Alias;
use super::{Writer, scalar};
use crate::emit::workarounds::{INITIALISED_VARIABLES, WHOLE_POINTERS};
use crate::pass::guard::is_of_launch;
use reference::device::syntax::{
    AtomicOp, Block, Exp, Function, If, Kind, Lit, Loop, Place, Sc, Scope, Space, Stm, Ty, U32,
};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    pub(super) fn function(&mut self, number: usize, function: &Function) {
        let declared = function.params.iter().map(|(_, ty)| ty);
        declared.chain(function.result.iter().map(|(ty, _)| ty)).for_each(|ty| self.note_type(ty));
        let params: Vec<String> = function
            .params
            .iter()
            .map(|(var, ty)| [&self.ident(*var), ": ", &self.ty(ty)].concat())
            .collect();
        let result = match &function.result {
            Some((ty, _)) => format!(" -> {}", self.ty(ty)),
            None => String::new(),
        };
        self.depth = 0;
        self.line(&format!("fn f{number}({}){result} {{", params.join(", ")));
        self.depth = 1;
        // Its callers may call it from loops.
        self.round(&function.body);
        if let Some((_, result)) = &function.result {
            let result = self.exp(result);
            self.line(&format!("return {result};"));
        }
        self.depth = 0;
        self.line("}");
        self.depth = 1;
    }

    pub(super) fn body(&mut self, body: &Block) {
        self.body_of(body);
    }

    pub(super) fn body_of(&mut self, body: &[Stm<Kind>]) {
        for stm in body {
            self.stm(&stm.kind);
        }
    }

    pub(super) fn nested(&mut self, body: &Block) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        // What nests too deeply is refused at the end; deeper still only costs text.
        if self.depth <= super::MAX_DEPTH {
            let visible = self.visible();
            self.shadowed();
            self.body(body);
            self.out_of_scope(visible);
        }
        self.depth -= 1;
    }

    fn stm(&mut self, kind: &Kind) {
        match kind {
            Kind::Let(var, ty @ Ty::Ptr(..), exp) => {
                self.note_type(ty);
                let alias = self.pointer(exp);
                self.aliases.insert(*var, alias);
            }
            Kind::Let(var, ty, exp) => {
                self.note_type(ty);
                if self.styled_declaration(*var, ty, Some(exp)) {
                    return self.declared(*var, ty);
                }
                let from = self.held.mark();
                self.put_for(*var, exp);
                if !self.is_plain() {
                    self.put_within_array(ty, from);
                }
                self.bind("let ", (*var, ty), from);
                self.declared(*var, ty);
            }
            Kind::Var(var, ty, init) => {
                self.note_type(ty);
                if self.styled_declaration(*var, ty, init.as_ref()) {
                    return;
                }
                let ty = if self.bits.of(*var) { &U32 } else { ty };
                let value = match init {
                    Some(exp) => return self.bind_variable(*var, ty, exp),
                    None if self.workarounds.uses(&INITIALISED_VARIABLES) => {
                        format!(" = {}()", self.ty(ty))
                    }
                    None => String::new(),
                };
                let line = format!("var {}: {}{value};", self.ident(*var), self.ty(ty));
                self.line(&line);
            }
            Kind::Store(place, exp) => {
                if self.styled_assignment(place, exp) || self.assigned_by_pointer(place, exp) {
                    return;
                }
                self.store(place, exp);
            }
            Kind::Atomic { into, op, place, operands } => {
                self.atomic(*into, *op, place, operands);
            }
            Kind::If(branch) => self.branch(branch),
            Kind::Loop(rounds) => self.rounds(rounds),
            Kind::Call { into, function, args } => self.call(*into, *function, args),
            Kind::Barrier(Scope::Workgroup) => self.line("workgroupBarrier();"),
            Kind::Barrier(Scope::Storage) => self.line("storageBarrier();"),
            // Only bare forms have any.
            Kind::Check(check) if self.read.is_some() => self.told(&check.operands[0]),
            Kind::Check(_) | Kind::Par(_) => {
                panic!("the passes leave no check and no par in a kernel")
            }
        }
    }

    /// A variable that begins with this value.
    fn bind_variable(&mut self, var: Var, ty: &Ty, init: &Exp) {
        let from = self.held.mark();
        let ty = if self.bits.of(var) { &U32 } else { ty };
        if let Some(ty) = self.zeroed(ty, init) {
            self.held.put("var ");
            self.put_ident(var);
            self.held.put(":");
            self.held.put(ty);
            return self.held_line(from, ";");
        }
        self.put_for(var, init);
        self.bind("var ", (var, ty), from);
    }

    /// A check of a bare form: an invocation in which the test does not hold tells so, and ends.
    fn told(&mut self, test: &Exp) {
        let from = self.held.mark();
        self.put_failure(test);
        self.records = true;
        self.condition(from, [" {", "{"]);
        self.depth += 1;
        self.line("atomicStore(&records[0], 1u);");
        self.line("return;");
        self.depth -= 1;
        self.line("}");
    }

    /// The type of what is bound, where the value does not tell it: in plain text every scalar
    /// does. In terse text nobody is told what every value tells.
    pub(super) fn annotated(&self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(_) if self.is_plain() => String::new(),
            _ if self.terse => String::new(),
            other => format!(": {}", self.ty(other)),
        }
    }

    /// Puts what holds where this does not: of two integers in plain text the opposite comparison.
    fn put_failure(&mut self, cond: &Exp) {
        if let Some((opposite, ab)) = self.opposite(cond) {
            return self.put_binary_alone(opposite, ab);
        }
        self.held.put_operator('!');
        self.held.put("(");
        self.put_alone(cond);
        self.held.put(")");
    }

    fn opposite<'e>(&self, cond: &'e Exp) -> Option<(BinOp, &'e [Exp; 2])> {
        let Exp::Bin(op, ab) = cond else { return None };
        let opposite = match op {
            BinOp::Lt => BinOp::Ge,
            BinOp::Le => BinOp::Gt,
            BinOp::Gt => BinOp::Le,
            BinOp::Ge => BinOp::Lt,
            _ => return None,
        };
        let integers = matches!(self.types.sc(&ab[0]), Some(Sc::I32 | Sc::U32 | Sc::I64));
        (integers && self.is_plain()).then_some((opposite, ab))
    }

    /// Begins a block of which the condition was put since then: with this, or in terse text with that.
    fn condition(&mut self, from: Mark, block: [&str; 2]) {
        if self.is_plain() {
            return self.worded_line("if", from, block);
        }
        let cond = self.held.take(from);
        self.line(&format!("if ({cond}){}", block[0]));
    }

    /// What a pointer points to, in text that means the same wherever it stands: what the place
    /// is found by is bound here.
    fn pointer(&mut self, exp: &Exp) -> Alias {
        match exp {
            Exp::Ref(place) => match self.place(place) {
                Alias::Element { address, sc } => {
                    let name = self.temporary();
                    self.line(&format!("let {name} = {address};"));
                    Alias::Element { address: name, sc }
                }
                Alias::Reference { text, whole: false } => {
                    let text = self.freeze(&text);
                    Alias::Reference { text, whole: false }
                }
                other => other,
            },
            Exp::Var(var) if self.aliases.contains_key(var) => self.aliases[var].clone(),
            other => {
                let pointer = self.exp(other);
                Alias::Reference { text: format!("(*{pointer})"), whole: true }
            }
        }
    }

    /// A reference to a part of a variable, found once: through a pointer of WGSL.
    fn freeze(&mut self, text: &str) -> String {
        let name = self.temporary();
        self.line(&format!("let {name} = &{text};"));
        format!("(*{name})")
    }

    fn branch(&mut self, branch: &If<Kind>) {
        if self.styled_branch(branch) {
            return;
        }
        let from = self.held.mark();
        self.put_alone(&branch.cond);
        self.condition(from, [" {", "{"]);
        let inside = branch.orelse.is_empty() && branch.cond == is_of_launch();
        if self.depth == 1 && self.is_plain() && inside {
            self.inside = self.inside.or(Some(self.text.len()));
        }
        self.nested(&branch.then);
        if !branch.orelse.is_empty() {
            self.line("} else {");
            self.nested(&branch.orelse);
        }
        self.line("}");
    }

    /// Everything that a round evaluates stands in the loop's own block, in front of what needs
    /// it.
    fn rounds(&mut self, rounds: &Loop<Kind>) {
        for carried in &rounds.carried {
            self.note_type(&carried.ty);
            self.bind_variable(carried.var, &carried.ty, &carried.init);
        }
        let fuel = rounds.fuel.as_ref().map(|fuel| {
            let fuel = self.exp(fuel);
            let name = self.temporary();
            self.line(&format!("var {name}: u32 = {fuel};"));
            name
        });
        if self.styled_rounds(rounds, fuel.as_deref()) {
            return;
        }
        self.line("loop {");
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        if self.depth <= super::MAX_DEPTH {
            let from = self.held.mark();
            if let Some(fuel) = &fuel {
                let stop = format!("!({}) || {fuel} == 0u", self.alone(&rounds.cond));
                self.held.put_spaced(&stop);
            } else {
                self.put_failure(&rounds.cond);
            }
            self.condition(from, [" { break; }", "{break;}"]);
            if let Some(fuel) = &fuel {
                self.line(&format!("{fuel} = {fuel} - 1u;"));
            }
            self.round(&rounds.body);
            self.assign_next(rounds, None);
        }
        self.depth -= 1;
        self.line("}");
    }

    /// Assigns what a loop carries, all at once: none sees what another becomes. The one at
    /// `stepped` is assigned elsewhere, after the others.
    pub(super) fn assign_next(&mut self, rounds: &Loop<Kind>, stepped: Option<usize>) {
        let nexts = || rounds.carried.iter().zip(&rounds.next).enumerate();
        let nexts = || nexts().filter(|(at, _)| Some(*at) != stepped).map(|(_, pair)| pair);
        if let ([carried], [next]) = (&rounds.carried[..], &rounds.next[..])
            && stepped.is_none()
        {
            if self.is_plain() && counts(carried.var, next) {
                let from = self.held.mark();
                self.put_ident(carried.var);
                return self.held_line(from, "++;");
            }
            if self.styled_assignment(&Place::Var(carried.var), next) {
                return;
            }
        }
        let from = self.held.mark();
        let mut values = Vec::new();
        for (carried, next) in nexts() {
            let value = self.held.mark();
            self.put_for(carried.var, next);
            if rounds.next.len() > 1 {
                self.bind_temporary("let ", value);
            }
            values.push((value, self.held.mark()));
        }
        for ((carried, _), (value, end)) in nexts().zip(values) {
            let line = self.held.mark();
            self.put_ident(carried.var);
            self.held.put_sign(" = ");
            self.held.put_again(value, end);
            self.held_line(line, ";");
        }
        self.held.rewind(from);
    }

    fn call(&mut self, into: Option<Var>, function: u32, args: &[Exp]) {
        let mut texts = Vec::new();
        let mut copied_back = Vec::new();
        for (arg, (_, ty)) in args.iter().zip(&self.program.functions[function as usize].params) {
            let Ty::Ptr(space, to) = ty else {
                texts.push(self.exp(arg));
                continue;
            };
            match self.pointer(arg) {
                Alias::Reference { text, whole: false }
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
                other => texts.push(format!("&{}", self.reference(&other))),
            }
        }
        let call = format!("f{function}({})", texts.join(", "));
        match into {
            Some(into) => {
                let line = format!("let {} = {call};", self.ident(into));
                self.line(&line);
            }
            None if self.program.functions[function as usize].result.is_some() => {
                self.line(&format!("_ = {call};"));
            }
            None => self.line(&format!("{call};")),
        }
        for (text, name) in copied_back {
            self.line(&format!("{text} = {name};"));
        }
    }

    fn atomic(&mut self, into: Option<Var>, op: AtomicOp, place: &Place, operands: &[Exp]) {
        let sc = match self.types.place(place) {
            Ty::Atomic(sc) | Ty::Scalar(sc) => sc,
            other => panic!("an atomic operation on {other:?}"),
        };
        let place = self.place(place);
        // The words of the arena are u32; what is signed goes through the same bits.
        let foreign = sc == Sc::I32 && !matches!(place, Alias::Reference { .. });
        let place = format!("&{}", self.reference(&place));
        let mut values = Vec::new();
        for operand in operands {
            values.push(match op {
                _ if foreign => format!("bitcast<u32>({})", self.exp(operand)),
                AtomicOp::CompareExchange => self.exp(operand),
                _ => self.argument_of(operand),
            });
        }
        let name = match op {
            AtomicOp::Load => "atomicLoad",
            AtomicOp::Store => "atomicStore",
            AtomicOp::Add => "atomicAdd",
            AtomicOp::Min => "atomicMin",
            AtomicOp::Max => "atomicMax",
            AtomicOp::And => "atomicAnd",
            AtomicOp::Or => "atomicOr",
            AtomicOp::Xor => "atomicXor",
            AtomicOp::Exchange => "atomicExchange",
            AtomicOp::CompareExchange => {
                return self.compare_exchange(into, &place, &values, foreign);
            }
        };
        if foreign && matches!(op, AtomicOp::Min | AtomicOp::Max) {
            return self.signed_extremum(into, op, &place, &values[0]);
        }
        let arguments = std::iter::once(place).chain(values).collect::<Vec<_>>().join(", ");
        let call = format!("{name}({arguments})");
        match into {
            _ if op == AtomicOp::Store => self.line(&format!("{call};")),
            Some(into) => self.old(into, &call, foreign),
            None if op == AtomicOp::Load => self.line(&format!("_ = {call};")),
            None => self.line(&format!("{call};")),
        }
    }

    fn old(&mut self, into: Var, value: &str, foreign: bool) {
        let value = if foreign { format!("bitcast<i32>({value})") } else { value.to_owned() };
        let line = format!("let {} = {value};", self.ident(into));
        self.line(&line);
    }

    /// WGSL has the weak operation only, which may fail without reason: again, then.
    fn compare_exchange(
        &mut self,
        into: Option<Var>,
        place: &str,
        values: &[String],
        foreign: bool,
    ) {
        let (expected, new) = (self.temporary(), self.temporary());
        let (old, tried) = (self.temporary(), self.temporary());
        self.line(&format!("let {expected} = {};", values[0]));
        self.line(&format!("let {new} = {};", values[1]));
        self.line(&format!("var {old} = {expected};"));
        self.line("loop {");
        self.line(&format!(
            "    let {tried} = atomicCompareExchangeWeak({place}, {expected}, {new});"
        ));
        self.line(&format!("    {old} = {tried}.old_value;"));
        self.line(&format!("    if ({tried}.exchanged || {old} != {expected}) {{ break; }}"));
        self.line("}");
        if let Some(into) = into {
            self.old(into, &old, foreign);
        }
    }

    /// A signed minimum or maximum of a word that is unsigned: until nobody comes between.
    fn signed_extremum(&mut self, into: Option<Var>, op: AtomicOp, place: &str, value: &str) {
        let (old, new, tried) = (self.temporary(), self.temporary(), self.temporary());
        let name = if op == AtomicOp::Min { "min" } else { "max" };
        let signed = scalar(Sc::I32);
        self.line(&format!("var {old} = atomicLoad({place});"));
        self.line("loop {");
        self.line(&format!(
            "    let {new} = bitcast<u32>({name}(bitcast<{signed}>({old}), bitcast<{signed}>({value})));"
        ));
        self.line(&format!("    let {tried} = atomicCompareExchangeWeak({place}, {old}, {new});"));
        self.line(&format!("    {old} = {tried}.old_value;"));
        self.line(&format!("    if ({tried}.exchanged) {{ break; }}"));
        self.line("}");
        if let Some(into) = into {
            self.old(into, &old, true);
        }
    }
}

/// Is it the next value of a counter? naga writes for `v++` what it writes for `v = v + 1u`, and reads
/// it sooner.
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
