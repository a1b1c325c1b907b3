//! Atomic operations.

use serde::{Deserialize, Serialize};

/// Atomic operations; all but `Store` give the old value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AtomicOp {
    /// No operand.
    Load,
    /// One operand, no result.
    Store,
    /// Wraps.
    Add,
    /// Minimum.
    Min,
    /// Maximum.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The operand is stored.
    Exchange,
    /// Two operands, expected and new: the new one is stored if the old value is the expected.
    /// It never fails without reason.
    CompareExchange,
}

impl AtomicOp {
    /// Every operation.
    pub const ALL: [AtomicOp; 10] = [
        AtomicOp::Load,
        AtomicOp::Store,
        AtomicOp::Add,
        AtomicOp::Min,
        AtomicOp::Max,
        AtomicOp::And,
        AtomicOp::Or,
        AtomicOp::Xor,
        AtomicOp::Exchange,
        AtomicOp::CompareExchange,
    ];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            AtomicOp::Load => "load",
            AtomicOp::Store => "store",
            AtomicOp::Add => "add",
            AtomicOp::Min => "min",
            AtomicOp::Max => "max",
            AtomicOp::And => "and",
            AtomicOp::Or => "or",
            AtomicOp::Xor => "xor",
            AtomicOp::Exchange => "exchange",
            AtomicOp::CompareExchange => "compare_exchange",
        }
    }

    /// How many operands it takes.
    pub fn arity(self) -> usize {
        match self {
            AtomicOp::Load => 0,
            AtomicOp::CompareExchange => 2,
            _ => 1,
        }
    }
}
