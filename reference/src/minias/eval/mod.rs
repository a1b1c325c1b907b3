//! Big steps over groups and items (readings M17 to M19). An item's step goes to its end or to a barrier; in what order
//! groups and, between barriers, the items of a group make their steps is an argument.

mod exps;
mod launch;
mod stmts;
mod target;

use super::launch::Launch;
use super::print::{self, Text};
use super::rules::Rule;
use super::syntax::{Program, Space, Stmt};
use super::values::{Code, Expression, Pointer, Store, Word};
use crate::kit::accesses::Accesses;
use crate::kit::cause::Cause;
use crate::kit::derivation::Recorder;
use crate::kit::groups::{Access, Conflict, Shadow, Who};
use crate::kit::names::Var;
use crate::kit::outcome::{Budget, Outcome, Race, Side, Site, Stuck, Value, Why, holds};
use crate::kit::run::{Eval, Meter, Stop};
use crate::kit::schedule::Order;
use crate::kit::text::Span;
use stmts::Frame;

pub use target::run_target;

/// Runs a program that has types on an input that fits the launch. Results are the global arrays, in the order of the
/// parameters.
///
/// # Panics
/// If the program has no types, or the launch no kernel of it.
pub fn run(
    program: &Program,
    launch: &Launch,
    input: &[Value],
    order: Order,
    budget: &Budget,
    to: &mut Recorder<Rule>,
) -> Outcome {
    runs(program, launch, input, order, budget, None, to).0
}

/// Runs a program of MiniAS as [`run`], and tells its loads and stores.
///
/// # Panics
/// As [`run`].
pub fn run_touching(
    program: &Program,
    launch: &Launch,
    input: &[Value],
    order: Order,
    budget: &Budget,
    to: &mut Recorder<Rule>,
) -> (Outcome, Vec<Touch>) {
    let (outcome, touched) = runs(program, launch, input, order, budget, Some(Vec::new()), to);
    (outcome, touched.unwrap_or_default())
}

/// Where an item loaded or stored: its number, the space, the block in the memory of the space, the offset, and whether it
/// stored.
pub type Touch = (u32, Space, u32, i64, bool);

/// Runs a program of MiniAS or of the target, and tells its loads and stores.
fn runs<E: Form>(
    program: &Program<E>,
    launch: &Launch,
    input: &[Value],
    order: Order,
    budget: &Budget,
    touched: Option<Vec<Touch>>,
    to: &mut Recorder<Rule>,
) -> (Outcome, Option<Vec<Touch>>) {
    let kernel = launch.kernel(program).expect("the input was made to fit this launch");
    let code = Code::new(program);
    let located = Accesses::wanted(to);
    let mut run = Run {
        program,
        launch,
        code: &code,
        to,
        open: 0,
        meter: Meter::new(budget),
        memory: budget.memory,
        global: Store::default(),
        constant: Store::default(),
        local: Store::default(),
        shadows: [Shadow::default(), Shadow::default()],
        passed: [0, 0],
        kernel_span: kernel.span,
        item: Item::default(),
        depth: 0,
        touched,
        located,
    };
    let ended = run.e_launch(kernel, input, order);
    (run.meter.outcome(ended), run.touched)
}

/// The deepest nesting of expressions in calls: beyond it there is no answer.
const MAX_DEPTH: usize = 1_000;

/// A run.
pub(super) struct Run<'p, 'r, E: Form> {
    program: &'p Program<E>,
    launch: &'p Launch,
    code: &'r Code<'p, E>,
    to: &'r mut Recorder<Rule>,
    /// Open nodes of the derivation, below that of the item.
    open: usize,
    meter: Meter,
    /// Bytes that are left.
    memory: u64,
    global: Store,
    constant: Store,
    /// The memory of the running group.
    local: Store,
    /// The accesses of the launch to global memory, and of the group to local memory.
    shadows: [Shadow; 2],
    /// The barriers of global and of local memory that the group has passed.
    passed: [u32; 2],
    kernel_span: Span,
    /// The running item.
    item: Item<'p, E>,
    depth: usize,
    /// Loads and stores so far, if somebody asks.
    touched: Option<Vec<Touch>>,
    /// Where accesses stand, if the recorder asks for it: by scope, place in its memory, item, and whether it writes.
    located: Option<Accesses<(usize, usize, u32, bool)>>,
}

/// What the expressions of a program are: those of MiniAS, or of the target of its translations.
pub(super) trait Form: Expression + Text + std::fmt::Debug + Sized {
    /// The rule of a store.
    const STORE: Rule;
    /// What a function is passed beside its arguments.
    type Passed: Default + std::fmt::Debug;

    /// The place in the text.
    fn span(&self) -> Span;
    /// The variable that it is, if it is one.
    fn variable(&self) -> Option<Var>;
    /// A pointer to what the input has, as the kernel takes it.
    fn argument(at: Pointer) -> Word;
    /// The pointer of a place that is no variable.
    fn place<'p>(run: &mut Run<'p, '_, Self>, place: &'p Self) -> Eval<Word>;
    /// The value, one rule an expression.
    fn rule<'p>(run: &mut Run<'p, '_, Self>, exp: &'p Self) -> Eval<Word>;
}

/// An item.
#[derive(Debug)]
struct Item<'p, E: Form> {
    /// Its number in the launch, from 0.
    number: u32,
    /// Its private memory.
    private: Store,
    /// The first block of the running activation.
    base: usize,
    /// What the running activation is passed beside its arguments.
    passed: E::Passed,
    /// What is left to do in the kernel, the innermost last.
    frames: Vec<Frame<'p, E>>,
    state: State,
}

impl<E: Form> Default for Item<'_, E> {
    fn default() -> Self {
        Item {
            number: 0,
            private: Store::default(),
            base: 0,
            passed: E::Passed::default(),
            frames: Vec::new(),
            state: State::Ready,
        }
    }
}

/// What an item waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Its turn.
    #[default]
    Ready,
    /// The others, at this barrier.
    Waits(Space, Span),
    /// Nothing: it is at its end.
    Ended,
    /// Nothing: it is stuck, and counts as present at barriers.
    Stuck,
}

impl<'p, E: Form> Run<'p, '_, E> {
    /// Opens a node of the derivation: a rule and an expression.
    fn enter(&mut self, rule: Rule, exp: &E) {
        let names = &self.program.names;
        self.open += 1;
        self.to.enter(rule, || exp.text(names));
    }

    /// Closes the innermost node.
    fn leave(&mut self, word: Word) {
        self.open -= 1;
        self.to.leave(|| shown(word));
    }

    /// Opens a node for a statement, which concludes nothing: it is there for its effect.
    fn starts(&mut self, rule: Rule, stmt: &Stmt<E>) {
        let names = &self.program.names;
        self.open += 1;
        self.to.enter(rule, || print::head(names, stmt));
    }

    /// Closes nodes that conclude nothing, until so many are open.
    fn close(&mut self, open: usize) {
        while self.open > open {
            self.open -= 1;
            self.to.leave(String::new);
        }
    }

    /// The premise `cause` of the rule failed.
    #[cold]
    fn stuck<T>(&mut self, rule: Rule, span: Span, cause: Cause, operands: &[i64]) -> Eval<T> {
        self.to.fail(rule, cause.name());
        let thread = vec![self.item.number as i32 + 1];
        Err(Stuck::by(rule, Site { span, cause }, thread, operands).into())
    }

    /// The premise `cause` of the rule.
    fn require<const N: usize>(
        &mut self,
        rule: Rule,
        span: Span,
        cause: Cause,
        operands: [i64; N],
    ) -> Eval {
        if holds(cause, &operands) { Ok(()) } else { self.stuck(rule, span, cause, &operands) }
    }

    /// Takes memory for so many cells, and pays for them.
    fn take(&mut self, cells: u64) -> Eval {
        let bytes = cells.saturating_mul(std::mem::size_of::<Word>() as u64);
        self.meter.charge(crate::kit::outcome::cells(cells))?;
        match self.memory.checked_sub(bytes) {
            Some(left) => {
                self.memory = left;
                Ok(())
            }
            None => Err(Why::Memory(bytes).into()),
        }
    }

    fn store(&self, space: Space) -> &Store {
        match space {
            Space::Global => &self.global,
            Space::Local => &self.local,
            Space::Private => &self.item.private,
            Space::Constant => &self.constant,
        }
    }

    fn store_mut(&mut self, space: Space) -> &mut Store {
        match space {
            Space::Global => &mut self.global,
            Space::Local => &mut self.local,
            Space::Private => &mut self.item.private,
            Space::Constant => &mut self.constant,
        }
    }

    /// What is read through a pointer.
    fn read(&mut self, rule: Rule, at: Word, span: Span) -> Eval<Word> {
        let pointer = self.inside(rule, at, span)?;
        self.touches(rule, pointer, false);
        self.note(pointer, Access::Read, span);
        let store = self.store(pointer.space);
        Ok(store.cells[store.place(pointer.block, pointer.offset)])
    }

    /// Writes through a pointer.
    fn write(&mut self, rule: Rule, at: Word, word: Word, span: Span) -> Eval {
        let pointer = self.inside(rule, at, span)?;
        assert_ne!(pointer.space, Space::Constant, "typing promised that constants stay");
        self.touches(rule, pointer, true);
        self.note(pointer, Access::Write, span);
        let store = self.store_mut(pointer.space);
        let place = store.place(pointer.block, pointer.offset);
        store.cells[place] = word;
        Ok(())
    }

    fn touches(&mut self, rule: Rule, at: Pointer, stores: bool) {
        if let Some(touched) = &mut self.touched
            && (at.space != Space::Private || !matches!(rule, Rule::EVar | Rule::EAssign))
        {
            touched.push((self.item.number, at.space, at.block, at.offset, stores));
        }
    }

    /// The pointer is not NULL (null), and its offset is in its block (inside).
    fn inside(&mut self, rule: Rule, at: Word, span: Span) -> Eval<Pointer> {
        let Word::Pointer(pointer) = at else { return self.stuck(rule, span, Cause::Null, &[]) };
        let length = self.store(pointer.space).len(pointer.block) as i64;
        self.require(rule, span, Cause::OutsideBlock, [pointer.offset, length])?;
        Ok(pointer)
    }

    /// Two items that access one location conflict if one writes, and no barrier of that scope lies between that both
    /// passed (racefree).
    fn note(&mut self, pointer: Pointer, access: Access, span: Span) {
        let scope = match pointer.space {
            Space::Global => 0,
            Space::Local => 1,
            Space::Private | Space::Constant => return,
        };
        let (invocation, size) = (self.item.number, self.launch.size);
        let group = invocation / size * size;
        let who = Who { invocation, group, size, epoch: self.passed[scope] };
        let place = self.store(pointer.space).place(pointer.block, pointer.offset);
        if let Some(conflict) = self.shadows[scope].access(access, place, who) {
            self.saw(pointer, access, span, (conflict, scope, place));
        }
        if let Some(located) = &mut self.located {
            located.note((scope, place, invocation, access.writes()), span);
        }
    }

    #[cold]
    fn saw(
        &mut self,
        pointer: Pointer,
        access: Access,
        span: Span,
        (conflict, scope, place): (Conflict, usize, usize),
    ) {
        self.to.fail(Rule::ELaunch, crate::kit::derivation::RACEFREE);
        let side = |number: u32, wrote: bool, span: Option<Span>| Side {
            thread: vec![number as i32 + 1],
            wrote,
            span,
        };
        let block = self.store(pointer.space).name(pointer.block);
        let block = self.program.names.written(block).to_owned();
        let (kernel, number) = (self.kernel_span, self.item.number);
        let earlier = (scope, place, conflict.other, conflict.other_wrote);
        let earlier = self.located.as_ref().and_then(|located| located.at(&earlier));
        self.meter.saw(|| Race {
            span: kernel,
            first: side(conflict.other, conflict.other_wrote, earlier),
            second: side(number, access.writes(), Some(span)),
            block,
            offset: pointer.offset as u64,
        });
    }

    /// The variable's block of the running activation, or its only one.
    fn home(&self, var: crate::kit::names::Var) -> (Pointer, bool) {
        let home = self.code.homes[var.slot()].expect("typing promised that the variable is bound");
        let base = if home.lies == Space::Private { self.item.base as u32 } else { 0 };
        (Pointer { space: home.lies, block: base + home.at, offset: 0 }, home.array)
    }
}

/// A value as a derivation shows it.
fn shown(word: Word) -> String {
    match word {
        Word::Int(k) => k.to_string(),
        Word::Null => "NULL".to_owned(),
        Word::Pointer(at) => format!("ptr({}, {}, {})", at.space, at.block, at.offset),
        Word::Thin(at) => format!("({}, {})", at.block, at.offset),
        Word::Pair(tag, at) => format!("<{tag}, ({}, {})>", at.block, at.offset),
    }
}

/// Is the run over, or only the item stuck?
fn of_item(stop: Stop) -> Result<Stuck, Box<Stop>> {
    match stop {
        Stop::Stuck(stuck) => Ok(stuck),
        other => Err(Box::new(other)),
    }
}
