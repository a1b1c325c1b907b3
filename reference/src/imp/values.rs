//! What a run of IMP consists of: environments `E`, the heap `H`, and the ways to halt.

use super::rules::Rule;
use super::syntax::Program;
use crate::fun::eval::scalar::{self, ZeroDivisor};
use crate::fun::syntax::{Atom, Se};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::names::{Names, Var};
use crate::kit::outcome::{Budget, Cause, MAX_RACES, Race, Site, Stats, Stuck, Why};
use crate::kit::rules::Roll;
use crate::kit::scalar::BinOp;
use crate::kit::shadow::{Conflict, Place, Shadow, threads};
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
    pub fn block(&self, var: Var) -> Option<usize> {
        usize::try_from(self.0[var.slot()]).ok()
    }

    /// `E, x ↦ k`
    #[inline]
    pub fn set_int(&mut self, var: Var, k: i32) {
        self.0[var.slot()] = k;
    }

    /// `E, x ↦ ℓ`
    #[inline]
    pub fn set_block(&mut self, var: Var, label: Option<usize>) {
        self.0[var.slot()] = label.map_or(NO_LABEL, |label| label as i32);
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
        scalar::atom(atom, &|var| self.int(var))
    }
}

/// A block of the heap.
#[derive(Clone, Debug)]
struct Block {
    name: Var,
    cells: Vec<i32>,
}

/// The heap `H`: labels are numbers. A block that no environment can reach any more is taken
/// off the end, so that a label may be used again.
#[derive(Clone, Debug, Default)]
struct Heap {
    blocks: Vec<Option<Block>>,
    free: Vec<usize>,
    elements: u64,
}

/// Why a run does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// No rule applies. Boxed, since it is rare.
    Stuck(Box<Stuck>),
    /// Beyond the budget.
    Unknown(Why),
}

/// A result that may halt the run.
pub type Run<T> = Result<T, Halt>;

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

    /// Leaves it.
    pub fn leave(&mut self) {
        self.places.pop();
        self.spans.pop();
    }
}

/// All that the threads of a run share.
pub struct Shared<'r> {
    /// The names, for reports.
    pub names: &'r Names,
    /// Rules that fired.
    pub recorder: &'r mut Recorder<Rule>,
    /// Races, in the order in which they were seen.
    pub races: Vec<Race>,
    /// What was counted.
    pub stats: Stats,
    /// Labels in the order of their allocation, as far as [`Shared::free_since`] may free them.
    allocated: Vec<usize>,
    shadow: Shadow,
    heap: Heap,
    fuel: u64,
    memory: u64,
}

impl<'r> Shared<'r> {
    /// An empty heap.
    pub fn new(program: &'r Program, budget: &Budget, recorder: &'r mut Recorder<Rule>) -> Self {
        Shared {
            names: &program.names,
            recorder,
            races: Vec::new(),
            stats: Stats::default(),
            allocated: Vec::new(),
            shadow: Shadow::new(Planted::NONE),
            heap: Heap::default(),
            fuel: budget.fuel,
            memory: budget.memory,
        }
    }

    /// Charges for one statement, round or iteration.
    #[inline]
    pub fn charge(&mut self) -> Run<()> {
        match self.fuel.checked_sub(1) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => Err(Halt::Unknown(Why::Fuel)),
        }
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
        operands: Vec<i64>,
        path: &Path,
    ) -> Halt {
        self.recorder.fail(rule, cause.name());
        Halt::Stuck(Box::new(Stuck {
            site: Site { span, cause },
            rule: rule.info().name.to_owned(),
            thread: threads(&path.places),
            operands,
        }))
    }

    #[cold]
    fn division(&mut self, rule: Rule, span: Span, by: ZeroDivisor, path: &Path) -> Halt {
        self.stuck(rule, span, Cause::DivisionByZero, by.operands().to_vec(), path)
    }

    /// `E(se)`, modulo 2³².
    #[inline]
    pub fn int(&mut self, rule: Rule, span: Span, se: &Se, env: &Env, path: &Path) -> Run<i32> {
        scalar::wrapping(se, &|var| env.int(var))
            .map_err(|zero| self.division(rule, span, zero, path))
    }

    /// `E(se)`, exactly; beyond 64 bits the nearest number of 64 bits.
    #[inline]
    pub fn exact(&mut self, rule: Rule, span: Span, se: &Se, env: &Env, path: &Path) -> Run<i64> {
        if let Some(k) = narrow(se, env) {
            return Ok(k);
        }
        match scalar::exact(se, &|var| env.int(var)) {
            Ok(k) => Ok(scalar::clamp(k)),
            Err(zero) => Err(self.division(rule, span, zero, path)),
        }
    }

    /// Places a block of `cells` in the heap: its label.
    pub fn place(&mut self, name: Var, cells: Vec<i32>, path: &Path) -> usize {
        self.heap.elements += cells.len() as u64;
        self.stats.elements = self.stats.elements.max(self.heap.elements);
        let length = cells.len();
        let block = Some(Block { name, cells });
        let label = match self.heap.free.pop() {
            Some(label) => {
                self.heap.blocks[label] = block;
                label
            }
            None => {
                self.heap.blocks.push(block);
                self.heap.blocks.len() - 1
            }
        };
        self.shadow.allocate(&path.places, label, length);
        self.allocated.push(label);
        label
    }

    /// A fresh block of `size` zeros, if the budget allows.
    pub fn alloc(&mut self, name: Var, size: i64, path: &Path) -> Run<usize> {
        let size = size.max(0) as u64;
        let bytes = size.saturating_add(self.heap.elements).saturating_mul(4);
        if bytes > self.memory {
            return Err(Halt::Unknown(Why::Memory(bytes)));
        }
        Ok(self.place(name, vec![0; size as usize], path))
    }

    /// How many blocks there were, for [`Shared::free_since`].
    #[inline]
    pub fn mark(&self) -> usize {
        self.allocated.len()
    }

    /// Blocks that were allocated since the mark are out of reach of every environment.
    #[inline]
    pub fn free_since(&mut self, mark: usize) {
        while self.allocated.len() > mark {
            if let Some(label) = self.allocated.pop()
                && let Some(block) = self.heap.blocks[label].take()
            {
                self.heap.elements -= block.cells.len() as u64;
                self.heap.free.push(label);
            }
        }
    }

    /// Bytes that the budget allows.
    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    /// The cells of a block.
    ///
    /// # Panics
    /// If the block was freed: something reached it after all.
    #[inline]
    fn cells(&mut self, label: usize) -> &mut Vec<i32> {
        match &mut self.heap.blocks[label] {
            Some(block) => &mut block.cells,
            None => unreachable!("a block that was out of reach is used"),
        }
    }

    /// `H[ℓ, k]`, without an access in the log.
    pub fn look(&mut self, label: usize, offset: usize) -> Option<i32> {
        self.cells(label).get(offset).copied()
    }

    /// How many cells the block has.
    pub fn length(&mut self, label: usize) -> usize {
        self.cells(label).len()
    }

    /// `H[ℓ, k]`, with an access in the log.
    #[inline]
    pub(super) fn read(&mut self, label: usize, offset: usize, path: &Path) -> i32 {
        if let Some(conflict) = self.shadow.read(&path.places, label, offset) {
            self.race(conflict, label, offset, path);
        }
        self.cells(label)[offset]
    }

    /// `H[ℓ, k] ↦ j`, with an access in the log.
    #[inline]
    pub(super) fn write(&mut self, label: usize, offset: usize, k: i32, path: &Path) {
        if let Some(conflict) = self.shadow.write(&path.places, label, offset) {
            self.race(conflict, label, offset, path);
        }
        self.cells(label)[offset] = k;
    }

    #[cold]
    fn race(&mut self, conflict: Conflict, label: usize, offset: usize, path: &Path) {
        if self.races.len() < MAX_RACES
            && let Some(block) = &self.heap.blocks[label]
        {
            let name = self.names.text(block.name);
            let span = path.spans[conflict.level];
            self.races.push(conflict.race(&path.places, span, name, offset as u64));
        }
    }

    /// The label and the offset of an access that is inside its block.
    #[inline]
    pub(super) fn address(
        &mut self,
        rule: Rule,
        span: Span,
        (block, offset): (Var, &Se),
        env: &Env,
        path: &Path,
    ) -> Run<(usize, usize)> {
        let offset = self.exact(rule, span, offset, env, path)?;
        let Some(label) = env.block(block) else {
            return Err(self.stuck(rule, span, Cause::NoBlock, Vec::new(), path));
        };
        let length = self.length(label) as i64;
        if (0..length).contains(&offset) {
            Ok((label, offset as usize))
        } else {
            Err(self.stuck(rule, span, Cause::OutsideBlock, vec![offset, length], path))
        }
    }
}

/// The exact value of `se` where every part of it fits into 64 bits, and nothing but sums,
/// products and bounds occurs: the case of every address that a translation makes.
#[inline]
fn narrow(se: &Se, env: &Env) -> Option<i64> {
    match se {
        Se::Atom(atom) => Some(env.atom(*atom).into()),
        Se::Bin(op, a, b) => narrow_bin(*op, a, b, env),
    }
}

fn narrow_bin(op: BinOp, a: &Se, b: &Se, env: &Env) -> Option<i64> {
    let a = narrow(a, env)?;
    let b = narrow(b, env)?;
    match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Max => Some(a.max(b)),
        BinOp::Min => Some(a.min(b)),
        _ => None,
    }
}
