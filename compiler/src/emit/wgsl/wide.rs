//! Whether a shader computes in 64 bits, which not every device does.

use super::{Writer, called};
use reference::device::syntax::{Block, Exp, Kernel, Kind, Sc, Ty};
use reference::device::visit;

impl Writer<'_> {
    /// Does the kernel compute in 64 bits, or a function that is written with it? By the types of what
    /// they bind and convert, and those of the structures, all of which are written.
    pub(super) fn uses_i64(&self, kernel: &Kernel) -> bool {
        let program = self.program;
        let mut used = vec![false; program.functions.len()];
        called(program, &kernel.body, &mut used);
        let functions = program.functions.iter().zip(&used).filter(|(_, used)| **used);
        let functions: Vec<_> = functions.map(|(function, _)| function).collect();
        let fields = program.structs.iter().flat_map(|declared| &declared.fields);
        let variables = [&kernel.params, &kernel.private, &kernel.workgroup].into_iter().flatten();
        let params = functions.iter().flat_map(|function| &function.params);
        let results = functions.iter().flat_map(|function| &function.result);
        let mut declared =
            fields.map(|(_, ty)| ty).chain(variables.chain(params).map(|(_, ty)| ty));
        declared.any(holds_i64)
            || results.into_iter().any(|(ty, exp)| holds_i64(ty) || self.computes_i64(exp))
            || self.body_uses_i64(&kernel.body)
            || functions.iter().any(|function| self.body_uses_i64(&function.body))
    }

    fn body_uses_i64(&self, body: &Block) -> bool {
        let mut found = crate::pass::walk::any_stm(body, &mut |kind| match kind {
            Kind::Let(_, ty, _) | Kind::Var(_, ty, _) => holds_i64(ty),
            Kind::Loop(rounds) => rounds.carried.iter().any(|carried| holds_i64(&carried.ty)),
            _ => false,
        });
        visit::block(body, &mut |exp| found |= self.is_i64(exp));
        found
    }

    fn computes_i64(&self, exp: &Exp) -> bool {
        let mut found = false;
        visit::exp(exp, &mut |part| found |= self.is_i64(part));
        found
    }

    /// Is this an expression that brings an i64 in?
    fn is_i64(&self, exp: &Exp) -> bool {
        match exp {
            Exp::Lit(lit) => lit.sc() == Sc::I64,
            Exp::Cast(sc, _) => *sc == Sc::I64,
            Exp::Load(place) => self.types.place(place) == Ty::Scalar(Sc::I64),
            _ => false,
        }
    }
}

fn holds_i64(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(sc) | Ty::Block(sc) => *sc == Sc::I64,
        Ty::Array(inner, _) | Ty::Ptr(_, inner) => holds_i64(inner),
        _ => false,
    }
}
