//! Flat code: what bodies are translated into, so that an invocation is a program counter and a
//! frame of cells, and can wait at a barrier.

use crate::device::floats::Open;
use crate::device::rules::Rule;
use crate::device::scalar::{Binary, Cell, Unary};
use crate::device::syntax::{AtomicOp, Sc, Scope, Ty};
use crate::kit::names::Var;
use crate::kit::outcome::Site;
use crate::kit::scalar::BinOp;
use crate::kit::text::Span;

/// A cell of the frame. Composite values take cells in a row.
pub(super) type Reg = u32;

/// No register.
pub(super) const NONE: Reg = Reg::MAX;

/// Registers with a fixed meaning; the constants and then the arguments come behind them.
pub(super) const GLOBAL_ID: Reg = 0;
pub(super) const LOCAL_ID: Reg = 1;
pub(super) const GROUP_ID: Reg = 2;
pub(super) const INVOCATIONS: Reg = 3;
pub(super) const ROUNDS: Reg = 4;
/// Not 0 once a float came to what a device may have otherwise.
pub(super) const OPEN: Reg = 5;
pub(super) const FIXED: Reg = 6;

/// Instructions. Addresses in the frame and in the memory of a group are cells, `base` plus the
/// register `at` if there is one; addresses in the arena are words.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// A counter of executed statements, and what it costs.
    Count {
        counter: u32,
        cost: u32,
    },
    /// The same at the end of a round of a loop, and at its end.
    Round {
        counter: u32,
    },
    Const {
        dst: Reg,
        value: Cell,
    },
    Copy {
        dst: Reg,
        src: Reg,
    },
    CopyAll {
        dst: Reg,
        src: Reg,
        n: u32,
    },
    Zero {
        dst: Reg,
        n: u32,
    },
    Un {
        f: Unary,
        dst: Reg,
        a: Reg,
    },
    Bin {
        f: Binary,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Marks the run where a float operation of these operands is open.
    Watch {
        open: Open,
        a: Reg,
        b: Reg,
    },
    /// The commonest operators have instructions of their own: a call costs more than they do.
    AddI32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    SubI32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    MulI32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    AddU32 {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Of i32, i64 and, since their cells are not negative, u32.
    Less {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    LessEqual {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Equal {
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Divide {
        op: BinOp,
        sc: Sc,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Select {
        dst: Reg,
        c: Reg,
        a: Reg,
        b: Reg,
        n: u32,
    },
    /// Element `index` of `length`: `dst = from + index * stride`.
    Index {
        dst: Reg,
        from: Reg,
        index: Reg,
        length: u32,
        stride: u32,
    },
    /// `dst = a + k`
    Offset {
        dst: Reg,
        a: Reg,
        k: u32,
    },
    LoadFrame {
        dst: Reg,
        base: Reg,
        at: Reg,
        n: u32,
    },
    StoreFrame {
        src: Reg,
        base: Reg,
        at: Reg,
        n: u32,
    },
    LoadGroup {
        dst: Reg,
        base: u32,
        at: Reg,
        n: u32,
    },
    StoreGroup {
        src: Reg,
        base: u32,
        at: Reg,
        n: u32,
    },
    LoadElement {
        sc: Sc,
        dst: Reg,
        block: Reg,
        index: Reg,
    },
    StoreElement {
        sc: Sc,
        src: Reg,
        block: Reg,
        index: Reg,
    },
    WordAddress {
        sc: Sc,
        dst: Reg,
        block: Reg,
        index: Reg,
    },
    LoadWord {
        sc: Sc,
        dst: Reg,
        at: Reg,
    },
    StoreWord {
        sc: Sc,
        src: Reg,
        at: Reg,
    },
    Atomic {
        number: u32,
    },
    Check {
        number: u32,
    },
    Jump {
        to: u32,
    },
    /// If the register is 0.
    JumpUnless {
        c: Reg,
        to: u32,
    },
    /// Goes to the body of a function; the register keeps where to return.
    Enter {
        back: Reg,
        to: u32,
    },
    Leave {
        back: Reg,
    },
    Barrier {
        scope: Scope,
    },
    End,
}

/// Where an atomic operation works.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Group { base: u32, at: Reg },
    Word { at: Reg },
}

/// An atomic operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atomic {
    pub(super) op: AtomicOp,
    pub(super) sc: Sc,
    pub(super) target: Target,
    pub(super) into: Reg,
    pub(super) operands: [Reg; 2],
}

/// A check.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) site: Site,
    pub(super) operands: Vec<Reg>,
    pub(super) path: Vec<Reg>,
}

/// The nested parallel loops around an instruction.
#[derive(Clone, Debug)]
pub(super) struct Within {
    /// Their iterations, outermost first.
    pub(super) iterations: Vec<Reg>,
    /// Where the function that they stand in keeps the instruction to return to; [`NONE`] in the
    /// body of the kernel itself.
    pub(super) back: Reg,
}

/// A kernel or a parallel loop of the host, translated.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    /// For each instruction, the place of the statement.
    pub(super) spans: Vec<Span>,
    /// For each instruction, the number of the loops around it.
    pub(super) within: Vec<u32>,
    /// The loops around instructions; the first are none.
    pub(super) loops: Vec<Within>,
    pub(super) entry: u32,
    pub(super) atomics: Vec<Atomic>,
    pub(super) checks: Vec<Check>,
    /// For each counter, the rules that apply when it counts.
    pub(super) counters: Vec<Vec<Rule>>,
    /// The cells of a frame at the start: constants are there already.
    pub(super) frame: Vec<Cell>,
    /// The parameters: register and type.
    pub(super) params: Vec<(Reg, Ty)>,
    /// Private variables: first cell and how many.
    pub(super) private: (Reg, u32),
    /// Cells of work-group memory, and its variables with their first cells.
    pub(super) workgroup: u32,
    pub(super) variables: Vec<(u32, Var)>,
    /// Invocations in a group.
    pub(super) group: u32,
    /// Invocations beyond those asked for do not run: this is a parallel loop of the host.
    pub(super) exact: bool,
    pub(super) barriers: bool,
    /// The kernel, as races name it.
    pub(super) span: Span,
}
