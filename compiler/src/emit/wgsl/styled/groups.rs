//! Work-group memory: arguments that one invocation hands to the others, and a zero that nobody
//! wrote.

use super::super::Writer;
use crate::emit::style::Construct;
use crate::pass::walk::has_barrier;
use reference::device::syntax::{Kernel, Sc, Ty};

impl Writer<'_> {
    /// Binds a kernel's arguments, of which it is given name, type and value: by work-group memory,
    /// unless they are to be plain. Stands in uniform control flow.
    pub(in super::super) fn bind_styled(&mut self, kernel: &Kernel, args: &[(String, Ty, String)]) {
        let mut staged = Vec::new();
        let mut bound = Vec::new();
        for (name, ty, value) in args {
            if self.stands(Construct::Staged) {
                let shared = self.shared(ty);
                staged.push(format!("{shared} = {value};"));
                let read = match has_barrier(&kernel.body) {
                    // Barriers may depend on it: it has to be known that all read the same.
                    true => format!("workgroupUniformLoad(&{shared})"),
                    false => shared,
                };
                bound.push(format!("let {name} = {read};"));
            } else {
                bound.push(format!("let {name} = {value};"));
            }
        }
        if !staged.is_empty() {
            self.line("if (local_id == 0u) {");
            self.inner(|to| staged.iter().for_each(|line| to.line(line)));
            self.line("}");
            self.line("workgroupBarrier();");
        }
        bound.iter().for_each(|line| self.line(line));
    }

    /// A zero that is read from work-group memory which nobody writes, to be added to what is the
    /// same for all; unless that is to be plain.
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
        let ty = self.ty(ty);
        self.styled.shared.push(format!("var<workgroup> {name}: {ty};\n"));
        name
    }
}
