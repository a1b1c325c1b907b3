//! Statements to flat code.

use super::code::{Atomic, Check, Code, FIXED, GLOBAL_ID, NONE, Op, Reg, Target, Within};
use super::places::Address;
use crate::device::levels::captured;
use crate::device::rules::Rule;
use crate::device::scalar::{self, Cell};
use crate::device::syntax::{
    self, AtomicOp, Block, Exp, If, Kernel, Kind, Loop, Par, Program, Stm, Ty,
};
use crate::device::types::{Bound, Types};
use crate::kit::names::Var;
use crate::kit::text::Span;
use std::collections::HashMap;

/// Invocations of a group when a parallel loop of the host runs as it is.
const PAR_GROUP: u32 = 64;

/// A translation.
pub(super) struct Compiler<'p, 't> {
    pub(super) types: &'t Types<'p>,
    pub(super) code: Code,
    /// The first free register.
    pub(super) top: Reg,
    /// The highest register ever needed.
    high: Reg,
    /// Registers of values; cells of variables.
    pub(super) places: HashMap<Var, Reg>,
    pub(super) constants: HashMap<Cell, Reg>,
    /// Functions: entry, return register, parameters, results.
    functions: HashMap<u32, Entry>,
    /// Rules of the statement that is being translated, and its cost.
    pub(super) rules: Vec<Rule>,
    pub(super) cost: u32,
    pub(super) span: Span,
    /// The number of the loops around it.
    within: u32,
}

#[derive(Clone, Debug)]
struct Entry {
    at: u32,
    back: Reg,
    params: Vec<(Reg, u32)>,
    result: Reg,
}

/// The code of a kernel.
pub(super) fn kernel(types: &Types<'_>, kernel: &Kernel) -> Code {
    let program = types.program;
    let mut compiler = Compiler::new(types, &kernel.body, kernel.span);
    compiler.code.group = kernel.group;
    compiler.params(kernel.params.iter().cloned());
    for (var, ty) in &kernel.workgroup {
        compiler.places.insert(*var, compiler.code.workgroup);
        compiler.code.variables.push((compiler.code.workgroup, *var));
        compiler.code.workgroup += compiler.cells(ty);
    }
    let first = compiler.top;
    for (var, ty) in &kernel.private {
        let cells = compiler.cells(ty);
        let reg = compiler.take(cells);
        compiler.places.insert(*var, reg);
    }
    compiler.code.private = (first, compiler.top - first);
    compiler.functions(program, &kernel.body);
    compiler.code.entry = compiler.here();
    compiler.block(&kernel.body);
    compiler.finish()
}

/// The code of a parallel loop of the host.
pub(super) fn par(types: &Types<'_>, par: &Par, span: Span) -> Code {
    let mut compiler = Compiler::new(types, &par.body, span);
    compiler.code.group = PAR_GROUP;
    compiler.code.exact = true;
    let params = captured(par).into_iter().map(|var| match types.bound(var) {
        Some(Bound::Value(ty)) => (var, ty.ty()),
        _ => unreachable!("validated: a parallel loop of the host captures values"),
    });
    compiler.params(params);
    compiler.functions(types.program, &par.body);
    compiler.code.entry = compiler.here();
    let x = compiler.take(1);
    compiler.places.insert(par.var, x);
    compiler.op(Op::Offset { dst: x, a: GLOBAL_ID, k: 1 });
    compiler.block(&par.body);
    compiler.finish()
}

impl<'p, 't> Compiler<'p, 't> {
    fn new(types: &'t Types<'p>, body: &Block, span: Span) -> Self {
        let code = Code {
            ops: Vec::new(),
            spans: Vec::new(),
            within: Vec::new(),
            loops: vec![Within { iterations: Vec::new(), back: NONE }],
            entry: 0,
            atomics: Vec::new(),
            checks: Vec::new(),
            counters: Vec::new(),
            frame: Vec::new(),
            params: Vec::new(),
            private: (0, 0),
            workgroup: 0,
            variables: Vec::new(),
            group: 1,
            exact: false,
            barriers: false,
            span,
        };
        let mut compiler = Self {
            types,
            code,
            top: FIXED,
            high: FIXED,
            places: HashMap::new(),
            constants: HashMap::new(),
            functions: HashMap::new(),
            rules: Vec::new(),
            cost: 1,
            span,
            within: 0,
        };
        compiler.literals(body);
        compiler
    }

    /// Gives each literal a register, once for all invocations.
    fn literals(&mut self, body: &Block) {
        let mut literals = Vec::new();
        let mut called = Vec::new();
        reachable(self.types.program, body, &mut called);
        for body in called.iter().map(|k| &self.types.program.functions[*k as usize]) {
            crate::device::visit::block(&body.body, &mut |exp| literal(exp, &mut literals));
            if let Some((_, exp)) = &body.result {
                crate::device::visit::exp(exp, &mut |exp| literal(exp, &mut literals));
            }
        }
        crate::device::visit::block(body, &mut |exp| literal(exp, &mut literals));
        for cell in literals {
            if !self.constants.contains_key(&cell) {
                let reg = self.take(1);
                self.constants.insert(cell, reg);
            }
        }
    }

    fn params(&mut self, params: impl Iterator<Item = (Var, Ty)>) {
        for (var, ty) in params {
            let cells = self.cells(&ty);
            let reg = self.take(cells);
            self.places.insert(var, reg);
            self.code.params.push((reg, ty));
        }
    }

    /// Translates the functions that a body reaches, callees first. Each has registers of its
    /// own: no function is active twice, since none calls itself.
    fn functions(&mut self, program: &Program, body: &Block) {
        let mut called = Vec::new();
        reachable(program, body, &mut called);
        called.sort_unstable();
        called.dedup();
        for number in called {
            let function = &program.functions[number as usize];
            let back = self.take(1);
            let mut params = Vec::new();
            for (var, ty) in &function.params {
                let cells = self.cells(ty);
                let reg = self.take(cells);
                self.places.insert(*var, reg);
                params.push((reg, cells));
            }
            let at = self.here();
            let around = self.enter(Within { iterations: Vec::new(), back });
            let bottom = self.top;
            // What the body takes stays taken.
            let mut peak = std::mem::replace(&mut self.high, self.top);
            for stm in &function.body {
                self.stm(stm);
            }
            let mut result = NONE;
            if let Some((ty, exp)) = &function.result {
                self.span = function.span;
                let count = self.count();
                let (reg, _) = self.exp(exp);
                let cells = self.cells(ty);
                let high = self.high;
                self.top = high;
                result = self.take(cells);
                self.copy(result, reg, cells);
                self.close(count);
            }
            self.op(Op::Leave { back });
            self.within = around;
            peak = peak.max(self.high);
            self.top = self.high.max(bottom);
            self.high = peak;
            self.functions.insert(number, Entry { at, back, params, result });
        }
    }

    fn finish(mut self) -> Code {
        self.op(Op::End);
        self.code.frame = vec![0; self.high as usize];
        for (cell, reg) in &self.constants {
            self.code.frame[*reg as usize] = *cell;
        }
        self.code
    }

    pub(super) fn cells(&self, ty: &Ty) -> u32 {
        self.types.cells(ty) as u32
    }

    /// Registers in a row, taken until the block ends.
    pub(super) fn take(&mut self, cells: u32) -> Reg {
        let reg = self.top;
        self.top += cells;
        self.high = self.high.max(self.top);
        reg
    }

    pub(super) fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    pub(super) fn op(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.spans.push(self.span);
        self.code.within.push(self.within);
    }

    /// What is translated from now on stands in these loops; gives the number of those before.
    fn enter(&mut self, within: Within) -> u32 {
        self.code.loops.push(within);
        std::mem::replace(&mut self.within, self.code.loops.len() as u32 - 1)
    }

    pub(super) fn copy(&mut self, dst: Reg, src: Reg, n: u32) {
        match n {
            _ if dst == src => {}
            0 => {}
            1 => self.op(Op::Copy { dst, src }),
            _ => {
                self.cost += n / 16;
                self.op(Op::CopyAll { dst, src, n });
            }
        }
    }

    /// Opens a counter; [`Compiler::close`] says what it counts.
    fn count(&mut self) -> u32 {
        self.code.counters.push(Vec::new());
        let counter = self.code.counters.len() as u32 - 1;
        self.op(Op::Count { counter, cost: 1 });
        self.cost = 1;
        self.here() - 1
    }

    fn close(&mut self, at: u32) {
        if let Op::Count { counter, cost } = &mut self.code.ops[at as usize] {
            *cost = self.cost;
            self.code.counters[*counter as usize] = std::mem::take(&mut self.rules);
        }
    }

    fn block(&mut self, body: &Block) {
        let bottom = self.top;
        for stm in body {
            self.stm(stm);
        }
        self.top = bottom;
    }

    fn stm(&mut self, stm: &Stm<Kind>) {
        self.span = stm.span;
        let count = self.count();
        let bottom = self.top;
        match &stm.kind {
            Kind::Let(var, ty, exp) => {
                self.rules.push(Rule::Let);
                let cells = self.cells(ty);
                let reg = self.take(cells);
                self.exp_into(exp, reg);
                self.places.insert(*var, reg);
                self.top = bottom + cells;
            }
            Kind::Var(var, ty, init) => {
                self.rules.push(Rule::Variable);
                let cells = self.cells(ty);
                let reg = self.take(cells);
                match init {
                    Some(exp) => self.exp_into(exp, reg),
                    None => {
                        self.cost += cells / 16;
                        self.op(Op::Zero { dst: reg, n: cells });
                    }
                }
                self.places.insert(*var, reg);
                self.top = bottom + cells;
            }
            Kind::Store(place, exp) => {
                self.rules.push(Rule::Store);
                let (address, ty) = self.place(place);
                let (src, _) = self.exp(exp);
                self.store(address, src, &ty);
                self.top = bottom;
            }
            Kind::Atomic { into, op, place, operands } => {
                self.rules.push(Rule::Atomic);
                let result = into.map_or(NONE, |_| self.take(1));
                self.atomic(*op, place, operands, result);
                self.top = bottom;
                if let Some(into) = into {
                    self.places.insert(*into, result);
                    self.top += 1;
                }
            }
            Kind::Call { into, function, args } => {
                self.rules.push(Rule::Call);
                self.call(*into, *function, args);
            }
            Kind::Check(check) => {
                self.rules.push(Rule::Check);
                let operands = check.operands.iter().map(|exp| self.exp(exp).0).collect();
                let path = check.path.iter().map(|exp| self.exp(exp).0).collect();
                let site = self.types.program.sites[check.site as usize];
                self.code.checks.push(Check { site, operands, path });
                self.op(Op::Check { number: self.code.checks.len() as u32 - 1 });
                self.top = bottom;
            }
            Kind::Barrier(scope) => {
                self.rules.push(Rule::Barrier);
                self.code.barriers = true;
                self.op(Op::Barrier { scope: *scope });
            }
            Kind::If(branch) => return self.branch(count, branch),
            Kind::Loop(rounds) => return self.rounds(count, rounds),
            Kind::Par(par) => return self.nested(count, par),
        }
        self.close(count);
    }

    fn call(&mut self, into: Option<Var>, function: u32, args: &[Exp]) {
        let Entry { at, back, params, result } = self.functions[&function].clone();
        let result_ty = self.types.program.functions[function as usize].result.as_ref();
        let cells = result_ty.map_or(0, |(ty, _)| self.cells(ty));
        let kept = into.map(|_| self.take(cells));
        let bottom = self.top;
        let args: Vec<Reg> = args.iter().map(|arg| self.exp(arg).0).collect();
        for (arg, (param, cells)) in args.into_iter().zip(params) {
            self.copy(param, arg, cells);
        }
        self.top = bottom;
        self.op(Op::Enter { back, to: at });
        if let (Some(into), Some(kept)) = (into, kept) {
            self.copy(kept, result, cells);
            self.places.insert(into, kept);
        }
    }

    fn atomic(&mut self, op: AtomicOp, place: &syntax::Place, operands: &[Exp], into: Reg) {
        let (address, ty) = self.place(place);
        let sc = match ty {
            Ty::Atomic(sc) | Ty::Scalar(sc) => sc,
            _ => unreachable!("validated: atomics are scalars"),
        };
        let target = match address {
            Address::Group { base, at } => Target::Group { base, at },
            Address::Element { block, index, sc } => {
                let at = self.take(1);
                self.op(Op::WordAddress { sc, dst: at, block, index });
                Target::Word { at }
            }
            Address::Word { at, .. } => Target::Word { at },
            Address::Frame { .. } => unreachable!("validated: atomics are shared"),
        };
        let mut regs = [NONE; 2];
        for (reg, operand) in regs.iter_mut().zip(operands) {
            *reg = self.exp(operand).0;
        }
        self.code.atomics.push(Atomic { op, sc, target, into, operands: regs });
        self.op(Op::Atomic { number: self.code.atomics.len() as u32 - 1 });
    }

    /// A jump whose target is not known yet.
    fn jump_unless(&mut self, c: Reg) -> u32 {
        self.op(Op::JumpUnless { c, to: 0 });
        self.here() - 1
    }

    fn land(&mut self, jump: u32) {
        let here = self.here();
        match &mut self.code.ops[jump as usize] {
            Op::Jump { to } | Op::JumpUnless { to, .. } => *to = here,
            _ => unreachable!("only jumps land"),
        }
    }

    fn branch(&mut self, count: u32, branch: &If<Kind>) {
        self.rules.push(Rule::If);
        let bottom = self.top;
        let (c, _) = self.exp(&branch.cond);
        self.top = bottom;
        self.close(count);
        let unless = self.jump_unless(c);
        self.block(&branch.then);
        if branch.orelse.is_empty() {
            return self.land(unless);
        }
        self.op(Op::Jump { to: 0 });
        let end = self.here() - 1;
        self.land(unless);
        self.block(&branch.orelse);
        self.land(end);
    }

    fn rounds(&mut self, count: u32, rounds: &Loop<Kind>) {
        let span = self.span;
        self.rules.push(Rule::Loop);
        for carried in &rounds.carried {
            let cells = self.cells(&carried.ty);
            let reg = self.take(cells);
            let bottom = self.top;
            self.exp_into(&carried.init, reg);
            self.top = bottom;
            self.places.insert(carried.var, reg);
        }
        // The carried variables stay; what else the loop takes is free again after it.
        let after = self.top;
        let left = rounds.fuel.as_ref().map(|fuel| {
            let left = self.take(1);
            self.exp_into(fuel, left);
            self.top = left + 1;
            left
        });
        self.close(count);
        let bottom = self.top;
        let start = self.here();
        let count = self.count();
        let out = left.map(|left| self.jump_unless(left));
        let (c, _) = self.exp(&rounds.cond);
        self.top = bottom;
        self.close(count);
        let unless = self.jump_unless(c);
        for stm in &rounds.body {
            self.stm(stm);
        }
        self.span = span;
        self.code.counters.push(Vec::new());
        let counter = self.code.counters.len() - 1;
        self.op(Op::Round { counter: counter as u32 });
        let next: Vec<(Reg, u32)> = rounds
            .next
            .iter()
            .map(|exp| {
                let ty = self.type_of(exp);
                let cells = self.cells(&ty);
                let reg = self.take(cells);
                self.exp_into(exp, reg);
                (reg, cells)
            })
            .collect();
        for (carried, (reg, cells)) in rounds.carried.iter().zip(next) {
            self.copy(self.places[&carried.var], reg, cells);
        }
        self.code.counters[counter] = std::mem::take(&mut self.rules);
        if let Some(left) = left {
            self.op(Op::Un { f: |left| left - 1, dst: left, a: left });
        }
        self.op(Op::Jump { to: start });
        self.land(unless);
        if let Some(out) = out {
            self.land(out);
        }
        self.look();
        self.top = after;
    }

    /// `D-PAR`: a nested parallel loop runs its iterations in order.
    ///
    /// ```text
    /// E ⊢ e ⇓ n      M; E, x ↦ i ⊢ s̄ ⇓ M' for i = 1, …, n one after the other
    /// ────────────────────────────────────────────────────────────────
    /// M; E ⊢ par x <= e { s̄ } ⇓ M'; E
    /// ```
    fn nested(&mut self, count: u32, par: &Par) {
        self.rules.push(Rule::Par);
        let bottom = self.top;
        // The count is kept as an i64 beside the iteration, so that i32::MAX rounds end.
        let n = self.take(1);
        self.exp_into(&par.count, n);
        let x = self.take(1);
        let more = self.take(1);
        self.places.insert(par.var, x);
        self.op(Op::Const { dst: x, value: 1 });
        self.close(count);
        let start = self.here();
        self.op(Op::LessEqual { dst: more, a: x, b: n });
        let unless = self.jump_unless(more);
        let mut within = self.code.loops[self.within as usize].clone();
        within.iterations.push(x);
        let around = self.enter(within);
        self.block(&par.body);
        self.within = around;
        self.code.counters.push(Vec::new());
        let counter = self.code.counters.len() as u32 - 1;
        self.op(Op::Round { counter });
        self.op(Op::Un { f: |x| x + 1, dst: x, a: x });
        self.op(Op::Jump { to: start });
        self.land(unless);
        self.look();
        self.top = bottom;
    }

    /// Counts the last look at a loop's condition, which fires no rule.
    fn look(&mut self) {
        self.code.counters.push(Vec::new());
        let counter = self.code.counters.len() as u32 - 1;
        self.op(Op::Round { counter });
    }
}

fn literal(exp: &Exp, literals: &mut Vec<Cell>) {
    if let Exp::Lit(lit) = exp {
        literals.push(scalar::literal(*lit));
    }
}

/// Numbers of the functions that a body calls, and that those call.
fn reachable(program: &Program, body: &Block, called: &mut Vec<u32>) {
    for stm in body {
        match &stm.kind {
            Kind::Call { function, .. } if !called.contains(function) => {
                called.push(*function);
                reachable(program, &program.functions[*function as usize].body, called);
            }
            Kind::If(branch) => {
                reachable(program, &branch.then, called);
                reachable(program, &branch.orelse, called);
            }
            Kind::Loop(rounds) => reachable(program, &rounds.body, called),
            Kind::Par(par) => reachable(program, &par.body, called),
            _ => {}
        }
    }
}
