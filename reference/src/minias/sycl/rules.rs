//! The roll of MiniSYCL: what elaboration asks before a program is one of MiniAS (readings Y1 to Y4). What MiniAS asks of it
//! then, and how it runs, is on MiniAS's own roll. The paper has no rules, so all are extensions.

use crate::kit::text::Rejected;

crate::roll! {
    /// Rules of MiniSYCL.
    pub enum Rule in "sycl" {
        YProgram = "Y-PROGRAM", "extension", ["once", "kernel"], extension;
        YFunction = "Y-FUNCTION", "overview", ["result", "cycle"], extension;
        YTemplate = "Y-TEMPLATE", "template instantiation", ["deduce"], extension;
        YLambda = "Y-LAMBDA", "lambda captures", ["capture"], extension;
        YCall = "Y-CALL", "extension", ["function", "arity"], extension;
        YName = "Y-NAME", "extension", ["scope"], extension;
        YType = "Y-TYPE", "extension", ["arguments", "auto", "value"], extension;
        YDecltype = "Y-DECLTYPE", "decltype keyword", [], extension;
        YDecl = "Y-DECL", "maintaining exact address space information", ["once", "initialiser"], extension;
        YStruct = "Y-STRUCT", "extension", ["itself"], extension;
        YMember = "Y-MEMBER", "extension", ["field"], extension;
        YConvert = "Y-CONVERT", "extension", ["type", "const"], extension;
        YReference = "Y-REFERENCE", "overview", ["place"], extension;
        YAssign = "Y-ASSIGN", "extension", ["place", "const"], extension;
        YCast = "Y-CAST", "extension", ["pointer"], extension;
        YAssert = "Y-ASSERT", "template instantiation", ["same"], extension;
    }
}

impl Rule {
    /// The refusal, because this premise of the rule fails.
    pub(super) fn refuses(self, premise: &'static str, refused: Rejected) -> Rejected {
        use crate::kit::rules::Roll;
        refused.by_rule(self.info().name, premise)
    }
}
