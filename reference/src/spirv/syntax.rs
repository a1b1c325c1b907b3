//! The executable form of a module: flat operations over the slots of a frame.
//!
//! Every id of a function has slots in its frame, one for each component. Constants have slots there too, so
//! every operand is an offset in the frame. A vector instruction becomes one operation for each component.
//! Parts of a composite are other names for its slots.

use super::bindings::Bound;
use super::open::Rounding;
use super::rules::Rule;
use super::types::Leaf;
use super::values::Slot;
use crate::kit::groups;
use rspirv::spirv::{Op as Opcode, Word};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Offset of a slot in the frame.
pub(super) type At = u32;

/// No slot.
pub(super) const NONE: At = At::MAX;

/// The premise of an operation that failed, counted from 1; 0 if none did.
pub(super) type Premise = u8;

/// A function of up to four operands that leaves its result undefined if a premise fails.
pub(super) type PartialFn = fn([u64; 4]) -> (u64, Premise);

/// Where a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// Memory of the invocation: variables of functions, private ones, inputs.
    Own,
    /// Memory of the group.
    Group,
    /// A buffer.
    Buffer,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// `count` slots.
    Copy {
        to: At,
        from: At,
        count: u32,
    },
    /// A total function.
    Unary {
        f: fn(u64) -> u64,
        to: At,
        a: At,
    },
    /// A total function.
    Binary {
        f: fn(u64, u64) -> u64,
        to: At,
        a: At,
        b: At,
    },
    /// Sums, differences and products of 32 bits, and comparisons: the most frequent operators, without a
    /// call.
    Add {
        to: At,
        a: At,
        b: At,
    },
    Subtract {
        to: At,
        a: At,
        b: At,
    },
    Multiply {
        to: At,
        a: At,
        b: At,
    },
    Equal {
        to: At,
        a: At,
        b: At,
    },
    Less {
        to: At,
        a: At,
        b: At,
    },
    NotLess {
        to: At,
        a: At,
        b: At,
    },
    /// `a & b`, defined if one of them is 0.
    And {
        to: At,
        a: At,
        b: At,
    },
    /// `a | b`, defined if one of them is all ones.
    Or {
        to: At,
        a: At,
        b: At,
        ones: u64,
    },
    /// The number in the table of operations with premises.
    Partial(u32),
    /// The number in the table of roundings: is the result before it open?
    Rounding(u32),
    /// `count` slots of one of two.
    Select {
        to: At,
        condition: At,
        a: At,
        b: At,
        count: u32,
        /// Does each have its own condition?
        each: bool,
    },
    /// Leaves slots undefined.
    Undefine {
        to: At,
        count: u32,
    },
    /// A component of a vector.
    Extract {
        to: At,
        vector: At,
        index: At,
        count: u32,
    },
    /// A vector with one component replaced.
    Insert {
        to: At,
        vector: At,
        index: At,
        value: At,
        count: u32,
    },
    /// A variable of a function: its address, and its initial value.
    Variable {
        to: At,
        offset: u32,
        count: u32,
        init: At,
    },
    /// A pointer some slots or words further.
    Offset {
        to: At,
        base: At,
        by: u32,
    },
    /// A pointer to an element of an array of `count`.
    Element {
        to: At,
        base: At,
        index: At,
        count: u32,
        stride: u32,
    },
    /// A pointer to an element of an array that ends with its buffer.
    RuntimeElement {
        to: At,
        base: At,
        index: At,
        stride: u32,
    },
    /// A pointer to an element in a buffer, of a module that has numbers of less than 32 bits there: the
    /// stride is in bytes. Of an array that ends with its buffer the count is [`NONE`].
    ByteElement {
        to: At,
        base: At,
        index: At,
        count: u32,
        stride: u32,
    },
    /// Elements of an array that ends with its buffer.
    Length {
        to: At,
        base: At,
        offset: u32,
        stride: u32,
    },
    LoadOwn {
        to: At,
        pointer: At,
        count: u32,
    },
    StoreOwn {
        pointer: At,
        from: At,
        count: u32,
    },
    LoadGroup {
        to: At,
        pointer: At,
        count: u32,
    },
    StoreGroup {
        pointer: At,
        from: At,
        count: u32,
    },
    /// A component of a vector in a buffer was stored: that is an access of all `count` words of the vector.
    RewriteBuffer {
        vector: At,
        stored: At,
        count: u32,
        /// Of a component.
        bytes: u32,
    },
    /// To store a component is an access of all `count` components of the vector.
    StoreComponent {
        pointer: At,
        from: At,
        vector: At,
        count: u32,
    },
    LoadWord {
        to: At,
        pointer: At,
    },
    StoreWord {
        pointer: At,
        from: At,
    },
    /// The number in the table of layouts.
    LoadLaid {
        to: At,
        pointer: At,
        layout: u32,
    },
    StoreLaid {
        pointer: At,
        from: At,
        layout: u32,
    },
    /// The number in the table of atomics.
    Atomic(u32),
    /// To a block.
    Jump {
        block: u32,
    },
    /// To one of two blocks.
    Branch {
        condition: At,
        yes: u32,
        no: u32,
    },
    /// The number in the table of switches.
    Switch(u32),
    /// The number in the table of calls.
    Call(u32),
    /// From a function, with as many slots.
    Return {
        from: At,
        count: u32,
    },
    /// The number in the table of subgroup operations.
    Subgroup(u32),
    /// All invocations of the group wait; which memory is in order afterwards.
    Barrier {
        group: bool,
        buffers: bool,
    },
    Unreachable,
}

/// An operation with premises.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partial {
    pub(super) f: PartialFn,
    pub(super) to: At,
    pub(super) operands: [At; 4],
    pub(super) rule: Rule,
    /// Has its operand 16 bits?
    pub(super) half: bool,
}

/// What an atomic does.
#[derive(Clone, Copy, Debug)]
pub(super) enum AtomicKind {
    Load,
    Store,
    /// Old and operand to new.
    Update(fn(u64, u64) -> u64),
    CompareExchange,
}

/// An operation that invocations of a subgroup do together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subgroup {
    pub(super) kind: SubgroupKind,
    pub(super) to: At,
    pub(super) value: At,
    /// The operand that tells a lane.
    pub(super) lane: At,
    /// Components of the value.
    pub(super) count: u32,
}

/// What a subgroup does.
#[derive(Clone, Copy, Debug)]
pub(super) enum SubgroupKind {
    /// Tells the first of them.
    Elect,
    All,
    Any,
    /// For whom the value holds, a bit each.
    Ballot,
    /// The value of the first of them.
    First,
    /// The value of the lane that is told by its own number and the operand, and by which rule.
    From(fn(u32, u32) -> u32, Rule),
    /// Values put together, in the order of the lanes.
    Fold {
        f: fn(u64, u64) -> u64,
        identity: u64,
        scan: Scan,
        /// The number that a lane has, if it is told where finite ones give an infinity or NaN.
        float: Option<fn(u64) -> f64>,
    },
}

/// Of which values a lane gets the sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// All of them.
    Reduce,
    /// Those up to its own.
    Inclusive,
    /// Those before its own.
    Exclusive,
}

/// An atomic operation on 32 or 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atomic {
    /// Is it on 64 bits?
    pub(super) wide: bool,
    pub(super) kind: AtomicKind,
    pub(super) space: Space,
    pub(super) to: At,
    pub(super) pointer: At,
    pub(super) value: At,
    pub(super) comparator: At,
}

/// A switch: cases and their blocks.
#[derive(Clone, Debug)]
pub(super) struct Switch {
    pub(super) selector: At,
    pub(super) cases: Vec<(u64, u32)>,
    pub(super) default: u32,
}

/// A call: slots of arguments and how many, in the order of the parameters.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) function: u32,
    pub(super) arguments: Vec<(At, u32)>,
    pub(super) to: At,
}

/// A block, or an edge to one.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) start: u32,
    /// Instructions.
    pub(super) cost: u32,
    /// The block that it goes to, if it does nothing else; else [`NONE`].
    pub(super) onward: u32,
    /// Rules that apply there, by their numbers in the module.
    pub(super) rules: Range<u32>,
}

/// A function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// The first block.
    pub(super) entry: u32,
    /// The frame at its start: constants, and undefined slots.
    pub(super) frame: Vec<Slot>,
    /// Slots of its variables.
    pub(super) memory: u32,
    /// Where its parameters lie.
    pub(super) params: Vec<At>,
}

impl Function {
    /// Slots of its frame, and of its variables.
    pub(super) fn size(&self) -> (u32, u32) {
        (self.frame.len() as u32, self.memory)
    }
}

/// A builtin that an input variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    GlobalId,
    LocalId,
    LocalIndex,
    GroupId,
    Groups,
    GroupSize,
    SubgroupSize,
    /// The number in its subgroup.
    SubgroupLocalId,
    Subgroups,
    SubgroupId,
}

impl Input {
    /// Of how many numbers it consists.
    pub(super) fn components(self) -> usize {
        match self {
            Input::LocalIndex
            | Input::SubgroupSize
            | Input::SubgroupLocalId
            | Input::Subgroups
            | Input::SubgroupId => 1,
            _ => 3,
        }
    }
}

/// The instruction of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) opcode: Opcode,
    pub(super) result: Word,
    pub(super) line: u32,
    pub(super) function: u32,
}

/// A module that can be executed, of one entry point.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub(super) code: Vec<Op>,
    /// Sites of the operations, and behind them that of the first instruction that does something,
    /// where an invocation is that has no fuel to begin.
    pub(super) sites: Vec<Site>,
    pub(super) blocks: Vec<Block>,
    /// The rules that each block applies, and how often.
    pub(super) rules: Vec<(Rule, u32)>,
    pub(super) functions: Vec<Function>,
    pub(super) partials: Vec<Partial>,
    pub(super) roundings: Vec<Rounding>,
    pub(super) layouts: Vec<Vec<Leaf>>,
    pub(super) atomics: Vec<Atomic>,
    pub(super) subgroups: Vec<Subgroup>,
    pub(super) switches: Vec<Switch>,
    pub(super) calls: Vec<Call>,
    /// The function to start with.
    pub(super) entry: u32,
    /// Invocations of a group in each dimension.
    pub(super) size: [u32; 3],
    pub(super) bound: Vec<Bound>,
    /// Cells in a word of a buffer: accesses of different ones do not conflict. More than one where buffers
    /// hold numbers of less than 32 bits.
    pub(super) cells: u32,
    /// Where they stand in memory of an invocation.
    pub(super) inputs: Vec<(Input, u32)>,
    /// And in the frame of the entry point, where nothing else reads them.
    pub(super) framed: Vec<(Input, At)>,
    /// What else stands there before the first instruction: the first values of variables.
    pub(super) initial: Vec<(At, Slot)>,
    /// Memory of an invocation at its start: inputs and private variables, and behind them those of
    /// functions at the deepest call.
    pub(super) own: Vec<Slot>,
    /// Memory of a group at its start.
    pub(super) group: Vec<Slot>,
    /// Where variables begin there, in order, and their ids.
    pub(super) group_variables: Vec<(u32, Word)>,
    /// Slots of all frames, and of all variables, at the deepest call.
    pub(super) depth: (u32, u32),
    pub(super) barriers: bool,
    /// Do atomic operations or memory barriers order what is around them?
    pub(super) releases: bool,
    /// Is memory of invocations written?
    pub(super) writes_own: bool,
    /// Does the entry point begin with phis, which are read without having been written?
    pub(super) phis_at_entry: bool,
    /// The pointers that access chains go out from, by the ids of the chains, if that is kept.
    pub(super) bases: FxHashMap<Word, Word>,
    /// Names of ids.
    pub(super) names: FxHashMap<Word, String>,
    /// Ids of the functions.
    pub(super) function_ids: Vec<Word>,
}

impl Module {
    /// The rules that a block applies, and how often.
    pub(super) fn rules_of(&self, block: &Block) -> &[(Rule, u32)] {
        let Range { start, end } = block.rules;
        &self.rules[start as usize..end as usize]
    }

    /// The name of the variable that a chain of accesses goes out from.
    pub(super) fn named(&self, mut chain: Word) -> Option<&str> {
        while let Some(base) = self.bases.get(&chain) {
            chain = *base;
        }
        self.names.get(&chain).map(String::as_str)
    }

    /// What the variable of the group is called that has this slot, and the number of the slot in it; none of a variable of
    /// one slot.
    pub fn group_variable(&self, slot: u32) -> Option<(String, Option<u32>)> {
        let behind = self.group_variables.partition_point(|(start, _)| *start <= slot);
        let (start, id) = *self.group_variables.get(behind.checked_sub(1)?)?;
        let end = self.group_variables.get(behind).map_or(self.group.len() as u32, |next| next.0);
        let name = self.names.get(&id).cloned().unwrap_or_else(|| format!("%{id}"));
        Some((name, (end - start > 1).then_some(slot - start)))
    }

    /// The lines of its atomic operations.
    pub fn atomic_lines(&self) -> Vec<u32> {
        let atomics =
            self.code.iter().zip(&self.sites).filter(|(op, _)| matches!(op, Op::Atomic(_)));
        let mut lines: Vec<u32> =
            atomics.map(|(_, site)| site.line).filter(|line| *line > 0).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Does it load by atomic operations?
    pub fn loads_atomically(&self) -> bool {
        self.atomics.iter().any(|atomic| matches!(atomic.kind, AtomicKind::Load))
    }

    /// Has it atomic operations or memory barriers that release and acquire? What they order is not modelled: an access behind
    /// one races as if it were relaxed.
    pub fn releases(&self) -> bool {
        self.releases
    }

    /// Invocations of a work group in each dimension.
    pub fn group_size(&self) -> [u32; 3] {
        self.size
    }

    /// How many invocations of a group are there at once where the schedule does not preempt: all where they wait for each
    /// other, and one where each runs to its end before the next one starts.
    pub(super) fn at_once(&self) -> u64 {
        match self.barriers {
            true => self.size.iter().map(|size| u64::from(*size)).product(),
            false => 1,
        }
    }

    /// Bytes that a run takes besides the buffers, by a schedule that preempts or by one that does not. Work groups that wait
    /// for others may take some 16 MiB more.
    pub fn bytes(&self, preempts: bool) -> u64 {
        let size: u64 = self.size.iter().map(|size| u64::from(*size)).product();
        let (invocations, groups) = match preempts {
            true => (size, self.groups_at_once()[0]),
            false => (self.at_once(), 1),
        };
        let each = self.own.len() as u64 + u64::from(self.depth.0);
        let slot = std::mem::size_of::<Slot>() as u64;
        let group = self.group.len() as u64 * (slot + groups::BYTES);
        (each * slot).saturating_mul(invocations).saturating_add(group).saturating_mul(groups)
    }

    /// Bytes that a word of a buffer takes, with its shadow.
    pub fn word_bytes(&self) -> u64 {
        4 + groups::BYTES * u64::from(self.cells)
    }
}
