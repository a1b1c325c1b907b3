//! Work-group memory: arguments that one invocation passes to the others, and a zero that is read before
//! anything is written.

use super::super::Writer;
use crate::emit::style::Construct;
use reference::device::syntax::{Kernel, Sc, Ty};
use reference::device::visit::has_barrier;

impl Writer<'_> {
    /// Binds a kernel's arguments, given by name, type and value: through work-group memory, unless
    /// they are to be plain. Stands in uniform control flow.
    pub(in super::super) fn bind_arguments(
        &mut self,
        kernel: &Kernel,
        args: Vec<(String, Ty, String)>,
    ) {
        let mut staged = Vec::new();
        let mut bound = Vec::new();
        for (name, ty, value) in args {
            if self.stands(Construct::Staged) {
                let shared = self.shared(&ty);
                staged.push(format!("{shared} = {};", self.shared_of_value(&ty, &value)));
                let read = match has_barrier(&kernel.body) {
                    // Barriers may depend on it, so the compiler has to know that it is uniform.
                    true => format!("workgroupUniformLoad(&{shared})"),
                    false => shared,
                };
                let read = self.value_of_shared(&ty, &read).value();
                bound.push(format!("let {name} = {read};"));
            } else {
                bound.push(format!("let {name} = {value};"));
            }
        }
        if !staged.is_empty() {
            self.line("if (local_id == 0u) {");
            self.indented(|to| staged.iter().for_each(|line| to.line(line)));
            self.line("}");
            self.line("workgroupBarrier();");
        }
        bound.iter().for_each(|line| self.line(line));
    }

    /// A zero that is read from a work-group variable that nothing writes to, unless it is to be plain. It
    /// is added to a value that is the same for all invocations.
    pub(in super::super) fn unwritten_zero(&mut self, kernel: &Kernel) -> Option<String> {
        if !self.stands(Construct::GroupZero) {
            return None;
        }
        let shared = self.shared(&Ty::Scalar(Sc::U32));
        Some(match has_barrier(&kernel.body) {
            true => format!("workgroupUniformLoad(&{shared})"),
            false => shared,
        })
    }

    /// The name of a new variable of the work group.
    fn shared(&mut self, ty: &Ty) -> String {
        let name = format!("w{}", self.styled.shared.len());
        self.styled.shared_bytes += self.bytes(ty);
        let ty = self.shared_ty(ty);
        self.styled.shared.push(format!("var<workgroup> {name}: {ty};\n"));
        name
    }
}
