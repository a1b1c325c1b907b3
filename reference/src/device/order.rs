//! Can the order of invocations be told by what a program computes? Without a race only atomics can tell it.

use super::levels::pars;
use super::syntax::{AtomicOp, Block, Kind, Program};
use super::visit;

/// May a program give different results in different orders of its invocations, though none race?
///
/// It cannot if it has no atomic operation, or only ones of a single kind that commute and whose old values
/// are not bound: in every order the same operands then come to the same.
pub(super) fn is_open(program: &Program) -> bool {
    let mut seen = Seen { only: None, open: false };
    for kernel in &program.kernels {
        seen.body(&kernel.body);
    }
    for function in &program.functions {
        seen.body(&function.body);
    }
    for (_, par) in pars(program) {
        seen.body(&par.body);
    }
    seen.open
}

/// The atomic operations so far.
struct Seen {
    /// The only kind of operation.
    only: Option<AtomicOp>,
    open: bool,
}

impl Seen {
    fn body(&mut self, body: &Block) {
        visit::stms(body, &mut |stm| {
            if let Kind::Atomic { into, op, .. } = &stm.kind {
                let another = self.only.is_some_and(|only| only != *op);
                self.open |= into.is_some() || !commutes(*op) || another;
                self.only = Some(*op);
            }
        });
    }
}

/// Do operations of this kind come to the same in every order?
fn commutes(op: AtomicOp) -> bool {
    match op {
        AtomicOp::Add
        | AtomicOp::Min
        | AtomicOp::Max
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor => true,
        AtomicOp::Load | AtomicOp::Store | AtomicOp::Exchange | AtomicOp::CompareExchange => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_open;
    use crate::device::parse;

    fn open(statements: &str) -> bool {
        let source = format!(
            "kernel k(n : block[atomic[u32]], ys : block[u32]) group 4 {{ {statements} }}
            let n = alloc atomic[u32](2);
            let ys = alloc u32(8);
            launch k(n, ys) for 8;
            result n : [2] at 0 strides (1);"
        );
        is_open(&parse::program(&source).expect("it parses"))
    }

    #[test]
    fn only_what_commutes_and_is_not_looked_at_is_closed() {
        assert!(!open("ys.[global_id] = global_id;"));
        assert!(!open("atomic add(n.[0], global_id); atomic add(n.[1], u32 1);"));
        assert!(open("let old = atomic add(n.[0], u32 1);"));
        assert!(open("atomic add(n.[0], u32 1); atomic max(n.[0], global_id);"));
        assert!(open("atomic store(n.[0], global_id);"));
        assert!(open("if global_id == u32 0 { let now = atomic load(n.[0]); }"));
    }
}
