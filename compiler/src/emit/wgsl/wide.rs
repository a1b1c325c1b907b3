//! Whether a shader computes in 64 bits, which not every device does.

use super::Writer;
use reference::device::syntax::{Kernel, Sc, Ty};

impl Writer<'_> {
    /// Is a 64-bit integer declared in front of the body of a kernel? That of structures are, all of which
    /// are written. What functions and bodies compute is noted when it is written.
    pub(super) fn declares_i64(&self, kernel: &Kernel) -> bool {
        let fields = self.program.structs.iter().flat_map(|declared| &declared.fields);
        let variables = [&kernel.params, &kernel.private, &kernel.workgroup].into_iter().flatten();
        fields.map(|(_, ty)| ty).chain(variables.map(|(_, ty)| ty)).any(holds_i64)
    }

    /// Notes a type that is written.
    pub(super) fn note_type(&mut self, ty: &Ty) {
        self.i64 |= holds_i64(ty);
    }
}

fn holds_i64(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(sc) | Ty::Block(sc) => *sc == Sc::I64,
        Ty::Array(inner, _) | Ty::Ptr(_, inner) => holds_i64(inner),
        _ => false,
    }
}
