//! What a run of IMP consists of: environments `E`, the heap `H`, and the ways to halt.

use super::rules::Rule;
use super::syntax::Program;
use crate::fun::eval::scalar::{self, ZeroDivisor};
use crate::fun::syntax::{Atom, Se};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::heap::{Heap, Label};
use crate::kit::memory::Memory;
use crate::kit::names::{Names, Var};
use crate::kit::outcome::{Budget, Cause, Ending, Outcome, Unwritten, Value, Why, cells};
use crate::kit::run::{Eval, State, Stop};
use crate::kit::shadow::{Conflict, Located, Place, Shadow, threads};
use crate::kit::tap::{Access, Space};
use crate::kit::text::Span;

/// An environment `E`, by slot: ints, and labels of blocks. Which of the two a name is, is known
/// by its type.
#[derive(Clone, Debug)]
pub struct Env(Vec<i32>);

/// `⊥`: declared and not assigned.
const NO_LABEL: i32 = -1;

impl Env {
    /// Nothing is declared.
    pub fn new(names: &Names) -> Self {
        Env(vec![0; names.len()])
    }

    /// `E(x)` of an int.
    #[inline]
    pub fn int(&self, var: Var) -> i32 {
        self.0[var.slot()]
    }

    /// `E(x)` of a block; `None` is `⊥`.
    #[inline]
    pub fn block(&self, var: Var) -> Option<Label> {
        u32::try_from(self.0[var.slot()]).ok().map(Label)
    }

    /// `E, x ↦ k`
    #[inline]
    pub fn set_int(&mut self, var: Var, k: i32) {
        self.0[var.slot()] = k;
    }

    /// `E, x ↦ ℓ`
    #[inline]
    pub fn set_block(&mut self, var: Var, label: Option<Label>) {
        self.0[var.slot()] = label.map_or(NO_LABEL, |Label(label)| label as i32);
    }

    /// What `x` is bound to, of whatever type, to be put back by [`Env::restore`].
    #[inline]
    pub fn save(&self, var: Var) -> i32 {
        self.0[var.slot()]
    }

    /// Undoes assignments of `x` since [`Env::save`].
    #[inline]
    pub fn restore(&mut self, var: Var, saved: i32) {
        self.0[var.slot()] = saved;
    }

    /// The value of an atom.
    #[inline]
    pub fn atom(&self, atom: Atom) -> i32 {
        scalar::atom(atom, |var| self.int(var))
    }
}

/// The thread that runs: its environment is elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Path {
    /// Places, outermost kernel first.
    pub places: Vec<Place>,
    /// The kernels themselves.
    pub spans: Vec<Span>,
}

impl Path {
    /// Enters thread `thread` of the kernel instance.
    pub fn enter(&mut self, kernel: u32, thread: i32, span: Span) {
        self.places.push(Place { kernel, thread });
        self.spans.push(span);
    }

    /// Goes on to another thread of the kernel at this level, the innermost one.
    #[inline]
    pub fn turn(&mut self, level: usize, thread: i32) {
        self.places[level].thread = thread;
    }

    /// Leaves the kernels from this level on.
    #[inline]
    pub fn leave(&mut self, level: usize) {
        self.places.truncate(level);
        self.spans.truncate(level);
    }
}

/// All that the threads of a run share.
pub struct Shared<'r> {
    /// What every run has.
    pub state: State<'r, Rule>,
    shadow: Shadow,
    located: Option<Located>,
    heap: Heap,
    memory: u64,
}

/// A location: a block, and an offset inside it.
type Cell = (Label, usize);

impl<'r> Shared<'r> {
    /// An empty heap.
    pub fn new(
        memory: &mut Memory,
        program: &'r Program,
        budget: &Budget,
        recorder: &'r mut Recorder<Rule>,
    ) -> Self {
        let (heap, shadow) = memory.take(Planted::NONE, budget.memory);
        Shared {
            located: Located::wanted(recorder),
            state: State::new(&program.names, recorder, budget),
            shadow,
            heap,
            memory: budget.memory,
        }
    }

    /// The run is over, and ended so.
    pub(super) fn end(mut self, memory: &mut Memory, ended: Eval<Vec<Value>>) -> Outcome {
        self.state.meter.stats.elements = self.heap.peak();
        let mut outcome = self.state.meter.outcome(ended);
        // Beyond the budget, for what the races would be seen by has no room.
        if let Some(bytes) = self.shadow.missing() {
            outcome.ending = Ending::Unknown(Why::Memory(self.memory.saturating_add(bytes)));
        }
        memory.put_back(self.heap, self.shadow);
        outcome
    }

    /// Pays so many units of fuel.
    #[inline]
    pub fn charge(&mut self, fuel: u64) -> Eval {
        self.state.meter.charge(fuel)
    }

    /// A kernel starts: the number of the instance.
    pub fn kernel(&mut self) -> u32 {
        self.shadow.kernel()
    }

    /// `premise` of `rule` failed.
    #[cold]
    pub fn stuck(
        &mut self,
        rule: Rule,
        span: Span,
        cause: Cause,
        operands: &[i64],
        path: &Path,
    ) -> Box<Stop> {
        self.state.stuck(rule, span, cause, threads(&path.places), operands)
    }

    #[cold]
    fn division(&mut self, rule: Rule, span: Span, by: ZeroDivisor, path: &Path) -> Box<Stop> {
        self.stuck(rule, span, Cause::DivisionByZero, &by.operands(), path)
    }

    /// `E(se)`, modulo 2³².
    #[inline(always)]
    pub fn int(&mut self, rule: Rule, span: Span, se: &Se, env: &Env, path: &Path) -> Eval<i32> {
        scalar::wrapping(se, |var| env.int(var))
            .map_err(|zero| self.division(rule, span, zero, path))
    }

    /// `E(se)`, exactly; beyond 64 bits the nearest number of 64 bits.
    #[inline]
    pub fn exact(&mut self, rule: Rule, span: Span, se: &Se, env: &Env, path: &Path) -> Eval<i64> {
        scalar::exact(se, |var| env.int(var)).map_err(|zero| self.division(rule, span, zero, path))
    }

    /// A fresh block of `size` zeros, if the budget allows: its label.
    pub fn alloc(&mut self, name: Var, size: i64, path: &Path) -> Eval<Label> {
        let label = self.heap.allocate(usize::try_from(size).ok(), name)?;
        let made = self.shadow.made().saturating_add(size as u64);
        self.charge(cells(made))?;
        self.shadow.allocate(&path.places, label.number(), size as usize);
        self.state.tells(|tap, clock| tap.alloc(label.0, size as u64, clock));
        Ok(label)
    }

    /// How many blocks there were, for [`Shared::free_since`].
    #[inline]
    pub fn mark(&self) -> usize {
        self.heap.mark()
    }

    /// Blocks that were allocated since the mark are out of reach of every environment.
    #[inline]
    pub fn free_since(&mut self, mark: usize) {
        let freed = self.heap.since(mark);
        self.state.tells(|tap, _| freed.for_each(|label| tap.free(label.0)));
        self.heap.release(mark, |_| false);
    }

    /// The cells of a block.
    #[inline]
    pub fn cells(&mut self, label: Label) -> &mut [i32] {
        &mut self.heap.block_mut(label).data
    }

    /// Every cell of the block is written.
    pub(super) fn wrote_all(&mut self, label: Label) {
        self.heap.wrote_all(label);
    }

    /// Are the reads looked for of memory that nothing wrote?
    pub(super) fn watches(&self) -> bool {
        self.heap.watches()
    }

    /// The cell is read: was it written?
    #[inline]
    pub(super) fn looks(&mut self, span: Span, label: Label, offset: usize, path: &Path) {
        if self.heap.lacks(label, offset) {
            self.lacked(span, label, offset, path);
        }
    }

    #[cold]
    fn lacked(&mut self, span: Span, label: Label, offset: usize, path: &Path) {
        let State { names, meter, .. } = &mut self.state;
        let block = names.written(self.heap.block(label).name).to_owned();
        let thread = threads(&path.places);
        meter.lacked(|| Unwritten { span, thread, block, offset: offset as u64 });
    }

    /// May so many elements be observed, beside those that live and were observed before?
    pub(super) fn observe(&self, elements: Option<usize>) -> Eval<usize> {
        Ok(self.heap.observe(elements)?)
    }

    /// Tells the tap of an access.
    #[inline]
    fn tells_access(&mut self, (label, offset): Cell, writes: bool, site: Span) {
        let (block, offset) = (label.0, offset as u64);
        let access = Access { space: Space::Global, block, offset, writes, site };
        self.state.tells(|tap, clock| tap.access(access, clock));
    }

    /// `H[ℓ, k]`, with an access in the log.
    #[inline]
    pub(super) fn read(&mut self, span: Span, (label, offset): Cell, path: &Path) -> i32 {
        if let Some(conflict) = self.shadow.read(&path.places, label.number(), offset) {
            self.race(conflict, span, (label, offset), path);
        }
        if let Some(located) = &mut self.located {
            located.note(&path.places, (label.number(), offset, false), span);
        }
        self.tells_access((label, offset), false, span);
        self.cells(label)[offset]
    }

    /// `H[ℓ, k] ↦ j`, with an access in the log.
    #[inline]
    pub(super) fn write(&mut self, span: Span, (label, offset): Cell, k: i32, path: &Path) {
        if let Some(conflict) = self.shadow.write(&path.places, label.number(), offset) {
            self.race(conflict, span, (label, offset), path);
        }
        if let Some(located) = &mut self.located {
            located.note(&path.places, (label.number(), offset, true), span);
        }
        self.tells_access((label, offset), true, span);
        self.heap.wrote(label, offset);
        self.cells(label)[offset] = k;
    }

    #[cold]
    fn race(&mut self, conflict: Conflict, at: Span, (label, offset): Cell, path: &Path) {
        let State { names, meter, .. } = &mut self.state;
        let name = names.written(self.heap.block(label).name);
        let span = path.spans[conflict.level];
        let located = self.located.as_ref();
        meter.saw(|| {
            let at = located.map(|located| {
                [located.earlier(conflict, &path.places, (label.number(), offset)), Some(at)]
            });
            conflict.race(&path.places, (span, at.unwrap_or_default()), (name, offset as u64))
        });
    }

    /// The label and the offset of an access that is inside its block.
    #[inline(always)]
    pub(super) fn address(
        &mut self,
        rule: Rule,
        span: Span,
        (block, offset): (Var, &Se),
        env: &Env,
        path: &Path,
    ) -> Eval<Cell> {
        let offset = self.exact(rule, span, offset, env, path)?;
        let Some(label) = env.block(block) else {
            return Err(self.stuck(rule, span, Cause::NoBlock, &[], path));
        };
        let length = self.cells(label).len() as i64;
        if (0..length).contains(&offset) {
            Ok((label, offset as usize))
        } else {
            Err(self.stuck(rule, span, Cause::OutsideBlock, &[offset, length], path))
        }
    }
}
