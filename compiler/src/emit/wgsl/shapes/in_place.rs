//! A kernel with the functions that it calls where they are called, as a driver sees it.

use reference::device::parts::Statement;
use reference::device::syntax::{Block, Check, Kind, Program, Stm};
use reference::device::visit::any_stm;
use std::borrow::Cow;

/// The most statements of such a kernel: functions that call each other twice double with each.
const MOST: usize = 1 << 14;

/// The body, unless it is too large. Parameters are bound each time, by the same names.
pub(super) fn body<'p>(program: &'p Program, body: &'p Block) -> Option<Cow<'p, Block>> {
    if !any_stm(body, &mut |kind| matches!(kind, Kind::Call { .. })) {
        return Some(Cow::Borrowed(body));
    }
    let mut left = MOST;
    in_place(program, body, &mut left).map(Cow::Owned)
}

fn in_place(program: &Program, body: &Block, left: &mut usize) -> Option<Block> {
    let mut out = Vec::with_capacity(body.len());
    for stm in body {
        *left = left.checked_sub(1)?;
        let span = stm.span;
        if let Kind::Call { into, function, args } = &stm.kind {
            let called = &program.functions[*function as usize];
            let bound = called.params.iter().zip(args);
            out.extend(bound.map(|((param, ty), arg)| Stm {
                span,
                kind: Kind::Let(*param, ty.clone(), arg.clone()),
            }));
            out.extend(in_place(program, &called.body, left)?);
            if let Some((ty, result)) = &called.result {
                let result = result.clone();
                let kind = match into {
                    Some(into) => Kind::Let(*into, ty.clone(), result),
                    // It is evaluated, and has no name.
                    None => Kind::Check(Check {
                        site: 0,
                        operands: vec![result],
                        path: Vec::new(),
                        order: None,
                    }),
                };
                out.push(Stm { span, kind });
            }
            continue;
        }
        let mut stm = stm.clone();
        for inner in stm.kind.blocks_mut() {
            *inner = in_place(program, inner, left)?;
        }
        out.push(stm);
    }
    Some(out)
}
