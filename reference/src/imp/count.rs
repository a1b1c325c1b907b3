//! Operations of IMP, counted: what a pass is for is pinned by them.

use super::syntax::{Kind, Stm};
use crate::kit::language::{Around, Operation};

/// The operations, in the words of the printer.
pub(super) const OPERATIONS: [&str; 7] = ["alloc", "read", "write", "if", "kernel", "for", "check"];

/// How often the operation occurs in these statements.
pub(super) fn count(of: &[Stm], wanted: &Operation<'_>, around: Around) -> u64 {
    let mut found = 0;
    for stm in of {
        let (name, bodies, within): (_, [&[Stm]; 2], _) = match &stm.kind {
            Kind::Alloc(..) => ("alloc", [&[], &[]], around),
            Kind::Read { .. } => ("read", [&[], &[]], around),
            Kind::Write { .. } => ("write", [&[], &[]], around),
            Kind::Check { .. } => ("check", [&[], &[]], around),
            Kind::If { then, orelse, .. } => ("if", [then, orelse], around),
            Kind::Kernel { body, .. } => ("kernel", [body, &[]], Around { kernel: true, ..around }),
            Kind::For { body, .. } => ("for", [body, &[]], Around { repeat: true, ..around }),
            _ => continue,
        };
        found += wanted.counts(name, around);
        found += bodies.into_iter().map(|body| count(body, wanted, within)).sum::<u64>();
    }
    found
}
