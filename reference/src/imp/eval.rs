//! Big-step evaluation `H; E ⊢ s → H'; E'` (fig. 12). The iterations of kernels run one after the other, in the
//! order of a [`Schedule`]; [`step`](super::step) interleaves them.
//!
//! Heap and environment are threaded as `&mut`. An iteration starts from the environment at the
//! entry of its kernel, so what its body assigns and did not declare itself is put back.

use super::observe;
use super::rules::Rule;
use super::step;
use super::syntax::{Kind, Program, Stm};
use super::values::{Env, Path, Shared};
use crate::fun::print::scalar;
use crate::fun::syntax::{Atom, Se};
use crate::kit::derivation::Recorder;
use crate::kit::memory::Memory;
use crate::kit::names::Var;
use crate::kit::outcome::{Budget, Cause, Outcome, Stuck, Value, holds};
use crate::kit::run::{Eval, Stop};
use crate::kit::schedule::Schedule;
use crate::kit::tap::Inside;
use crate::kit::text::Span;

pub use super::observe::{fit, takes};
pub use crate::kit::schedule::Order;

/// Runs a well-typed program. Accesses are logged, so that races are seen in every order.
///
/// In order the run stops at the first thread that gets stuck. In other orders a thread that gets
/// stuck stops, the others run on, and the lowest one is reported.
pub fn run(
    program: &Program,
    input: &[Value],
    schedule: impl Into<Box<dyn Schedule>>,
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    run_in(&mut Memory::default(), program, input, schedule, budget, recorder)
}

/// [`run`] in the memory of runs before.
pub fn run_in(
    memory: &mut Memory,
    program: &Program,
    input: &[Value],
    schedule: impl Into<Box<dyn Schedule>>,
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    let schedule = schedule.into();
    if schedule.preempts() {
        return step::run_in(memory, program, input, schedule, budget, recorder);
    }
    let mut shared = Shared::new(memory, program, budget, recorder);
    let mut env = Env::new(&program.names);
    let started = observe::start(&mut shared, program, input, &mut env);
    let mut big = BigStep { shared, schedule, assigned: Assigned::new(program) };
    let body = started.and_then(|()| big.e_imp_seq(&program.body, &mut env, &mut Path::default()));
    observe::outcome(memory, big.shared, program, &env, body)
}

/// For each kernel, by the slot of its thread, what its body assigns and does not declare. What a
/// kernel inside it assigns is put back by that one.
pub(super) struct Assigned {
    /// Where the names of the kernel start and end among all.
    of: Vec<(usize, usize)>,
    /// The names of one kernel after the other.
    all: Vec<Var>,
}

impl Assigned {
    pub(super) fn new(program: &Program) -> Self {
        let names = program.names.len();
        let assigned = Assigned { of: vec![(0, 0); names], all: Vec::new() };
        let mut walk = Walk { assigned, open: Vec::new(), declared: vec![0; names] };
        walk.body(&program.body, 0);
        walk.assigned
    }

    fn of(&self, thread: Var) -> &[Var] {
        let (start, end) = self.of[thread.slot()];
        &self.all[start..end]
    }
}

struct Walk {
    assigned: Assigned,
    /// What the kernels assign that the walk stands in, the outermost first.
    open: Vec<Var>,
    /// In how many kernels each name is declared; parameters and counters are as if in none.
    declared: Vec<u32>,
}

impl Walk {
    /// A body in so many kernels.
    fn body(&mut self, body: &[Stm], depth: u32) {
        for stm in body {
            match &stm.kind {
                Kind::Var(x, _) => self.declared[x.slot()] = depth,
                Kind::Assign(x, _)
                | Kind::AssignMem(x, _)
                | Kind::Alloc(x, _)
                | Kind::Read { into: x, .. } => self.assigns(*x, depth),
                Kind::If { then, orelse, .. } => {
                    self.body(then, depth);
                    self.body(orelse, depth);
                }
                Kind::For { counter, body, .. } => {
                    self.assigns(*counter, depth);
                    self.body(body, depth);
                }
                Kind::Kernel { thread, body, .. } => {
                    let outer = self.open.len();
                    self.body(body, depth + 1);
                    self.leave(*thread, outer);
                }
                Kind::Skip | Kind::Write { .. } | Kind::Check { .. } => {}
            }
        }
    }

    fn assigns(&mut self, x: Var, depth: u32) {
        if self.declared[x.slot()] < depth {
            self.open.push(x);
        }
    }

    /// The walk leaves the kernel of this thread, which assigns what came after the `outer` names.
    fn leave(&mut self, thread: Var, outer: usize) {
        let Assigned { of, all } = &mut self.assigned;
        self.open[outer..].sort_unstable();
        let start = all.len();
        for x in self.open.drain(outer..) {
            if all[start..].last() != Some(&x) {
                all.push(x);
            }
        }
        of[thread.slot()] = (start, all.len());
    }
}

struct BigStep<'r> {
    shared: Shared<'r>,
    schedule: Box<dyn Schedule>,
    assigned: Assigned,
}

impl BigStep<'_> {
    /// `E-IMP-SEQ`
    ///
    /// ```text
    /// H₁; E₁ ⊢ s₁ → H₂; E₂      H₂; E₂ ⊢ s₂ → H₃; E₃
    /// ──────────────────────────────────────────────
    /// H₁; E₁ ⊢ s₁; s₂ → H₃; E₃
    /// ```
    fn e_imp_seq(&mut self, stms: &[Stm], env: &mut Env, path: &mut Path) -> Eval {
        // One statement is itself, not a sequence.
        let is_sequence = stms.len() != 1;
        if is_sequence {
            self.shared
                .state
                .recorder
                .enter(Rule::ESeq, move || format!("{} statements", stms.len()));
        }
        for stm in stms {
            self.stm(stm, env, path)
                .map_err(|stop| self.shared.state.meter.stops(stm.span, stop))?;
        }
        if is_sequence {
            self.shared.state.recorder.leave(String::new);
        }
        Ok(())
    }

    #[inline(always)] // A statement costs no call of its own.
    fn stm(&mut self, stm: &Stm, env: &mut Env, path: &mut Path) -> Eval {
        self.shared.state.meter.statement()?;
        match &stm.kind {
            Kind::If { cond, then, orelse } => {
                self.e_imp_if(stm.span, *cond, [then, orelse], env, path)
            }
            Kind::Kernel { thread, count, body } => {
                self.e_imp_kernel(stm.span, *thread, count, body, env, path)
            }
            Kind::For { counter, count, body } => {
                self.e_imp_for(stm.span, *counter, count, body, env, path)
            }
            _ => self.shared.simple(stm, env, path),
        }
    }

    /// `E-IMP-TRUE`, `E-IMP-FALSE`
    ///
    /// ```text
    /// E(x) ≠ 0      H; E ⊢ s₁ → H'; E'
    /// ──────────────────────────────────────
    /// H; E ⊢ if x then s₁ else s₂ fi → H'; E'
    ///
    /// E(x) = 0      H; E ⊢ s₂ → H'; E'
    /// ──────────────────────────────────────
    /// H; E ⊢ if x then s₁ else s₂ fi → H'; E'
    /// ```
    // Out of line, as all rules but those of ints, so that these keep to registers.
    #[inline(never)]
    fn e_imp_if(
        &mut self,
        span: Span,
        cond: Atom,
        sides: [&[Stm]; 2],
        env: &mut Env,
        path: &mut Path,
    ) -> Eval {
        let k = env.atom(cond);
        let (rule, side) = if k != 0 { (Rule::ETrue, 0) } else { (Rule::EFalse, 1) };
        self.shared.state.recorder.enter(rule, move || format!("if, condition {k}"));
        self.shared.state.tells(|tap, clock| tap.parts(span, clock));
        self.e_imp_seq(sides[side], env, path)?;
        self.shared.state.tells(|tap, clock| tap.joins(span, side as u32, clock));
        self.shared.state.recorder.leave(String::new);
        Ok(())
    }

    /// `E-IMP-KERNEL`
    ///
    /// ```text
    /// E(se) = k                                                    (division)
    /// k ≥ 0                                                        (size)
    /// H; E, x ↦ 1 ⊢ s → H'₁; E'₁      ⋯      H'ₖ₋₁; E, x ↦ k ⊢ s → H'ₖ; E'ₖ
    /// ─────────────────────────────────────────────────────────────────────
    /// H; E ⊢ kernel x ≤ se do s done → H'ₖ; E
    /// ```
    #[inline(never)]
    fn e_imp_kernel(
        &mut self,
        span: Span,
        thread: Var,
        count: &Se,
        body: &[Stm],
        env: &mut Env,
        path: &mut Path,
    ) -> Eval {
        let names = self.shared.state.names;
        self.shared.state.recorder.enter(Rule::EKernel, move || {
            format!("kernel {} ≤ {}", names.text(thread), scalar(names, count))
        });
        let k = self.shared.exact(Rule::EKernel, span, count, env, path)?;
        if !holds(Cause::NegativeSize, &[k]) {
            let cause = Cause::NegativeSize;
            return Err(self.shared.stuck(Rule::EKernel, span, cause, &[k], path));
        }
        let count = k as u64;
        let order = self.schedule.order(count);
        let instance = self.shared.kernel();
        let saved: Vec<_> =
            self.assigned.of(thread).iter().map(|&var| (var, env.save(var))).collect();
        let mark = self.shared.mark();
        let mut lowest: Option<Stuck> = None;
        let level = path.places.len();
        path.enter(instance, 0, span);
        self.shared.state.tells(|tap, clock| tap.kernel_starts(level, span, k as u64, clock));
        let mut next = 0;
        loop {
            let at = match order.is_forward() {
                true => self.shared.state.next(next, |tap| tap.next_of_kernel(level, next)),
                false => next,
            };
            if at >= count {
                break;
            }
            next = at + 1;
            self.shared.charge(1)?;
            let i = (order.at(at) + 1) as i32;
            self.shared.state.meter.starts_thread(level + 1);
            path.turn(level, i);
            self.shared.state.tells(|tap, clock| tap.thread_starts(level, i as u64, clock));
            env.set_int(thread, i);
            let ended = self.e_imp_seq(body, env, path);
            for &(var, value) in &saved {
                env.restore(var, value);
            }
            self.shared.state.meter.ends_thread(level + 1);
            if let Err(stop) = ended {
                match *stop {
                    Stop::Stuck(stuck) if !order.is_forward() => {
                        if lowest.as_ref().is_none_or(|lowest| stuck.thread < lowest.thread) {
                            lowest = Some(stuck);
                        }
                    }
                    stop => return Err(Box::new(stop)),
                }
            }
            self.shared.free_since(mark);
        }
        self.shared.state.tells(|tap, clock| tap.kernel_ends(level, clock));
        path.leave(level);
        if let Some(stuck) = lowest {
            return Err(stuck.into());
        }
        self.shared.state.recorder.leave(move || format!("{k} iterations"));
        Ok(())
    }

    /// `E-IMP-FOR` (extension)
    ///
    /// ```text
    /// E(se) = k                                                    (division)
    /// k ≥ 0                                                        (count)
    /// H₀; E₀, x ↦ 1 ⊢ s → H₁; E₁      ⋯      Hₖ₋₁; Eₖ₋₁, x ↦ k ⊢ s → Hₖ; Eₖ
    /// ─────────────────────────────────────────────────────────────────────
    /// H₀; E₀ ⊢ for x ≤ se do s done → Hₖ; Eₖ
    /// ```
    #[inline(never)]
    fn e_imp_for(
        &mut self,
        span: Span,
        counter: Var,
        count: &Se,
        body: &[Stm],
        env: &mut Env,
        path: &mut Path,
    ) -> Eval {
        let names = self.shared.state.names;
        self.shared.state.recorder.enter(Rule::EFor, move || {
            format!("for {} ≤ {}", names.text(counter), scalar(names, count))
        });
        let k = self.shared.exact(Rule::EFor, span, count, env, path)?;
        if !holds(Cause::NegativeCount, &[k]) {
            let cause = Cause::NegativeCount;
            return Err(self.shared.stuck(Rule::EFor, span, cause, &[k], path));
        }
        let rounds = k as u64;
        self.shared.state.tells(|tap, clock| tap.enter(span, Inside::Rounds(rounds), clock));
        let mut next = 0;
        loop {
            let at = self.shared.state.next(next, |tap| tap.next_round(next));
            if at >= rounds {
                break;
            }
            next = at + 1;
            self.shared.charge(1)?;
            self.shared.state.meter.starts_round(path.places.len());
            self.shared.state.tells(|tap, clock| tap.round(clock));
            env.set_int(counter, next as i32);
            self.e_imp_seq(body, env, path)?;
        }
        self.shared.state.tells(|tap, clock| tap.leave(clock));
        self.shared.state.recorder.leave(move || format!("{k} rounds"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::outcome::Ending;

    /// What a kernel's body assigns and does not declare is put back for the next iteration.
    #[test]
    fn iterations_start_from_the_environment_at_entry() {
        let source = "param (n : int)
            var s : int;
            s <- 5;
            var out : mem;
            out <- alloc n;
            kernel i <= n do
              s <- s + i;
              out[i - 1] <- s
            done
            results (out : [n] @ 0 + {(n : 1)})";
        let program = crate::imp::parse::program(source).expect("it parses");
        for order in [Order::InOrder, Order::Reversed] {
            let (input, budget) = ([Value::from(3)], Budget::default());
            let outcome = run(&program, &input, order, &budget, &mut Recorder::counting());
            let data = vec![6, 7, 8];
            assert_eq!(outcome.ending, Ending::Value(vec![Value::ints(vec![3], data)]));
        }
    }
}
