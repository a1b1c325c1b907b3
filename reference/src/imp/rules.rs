//! The roll of IMP: fig. 12, with `for` and `check` of `proofs-notes/readings.md`, and the type
//! rules, which the paper elides as "trivial and uninteresting".
//!
//! Premises of type rules: `scope`, a name is declared where it is used; `type`, it is an int or a
//! block, as wanted; `cause`, a `check` tests what can be tested; `arity`, it has the operands of its
//! cause; `rank`, an array of the
//! result has a stride for each size. Premises of evaluation rules are named as
//! [`Cause`](crate::kit::outcome::Cause) names them.

crate::roll! {
    /// Rules of IMP.
    pub enum Rule in "imp" {
        TConst = "T-IMP-CONST", "section 4", [];
        TVar = "T-IMP-VAR", "section 4", ["scope", "type"];
        TOp = "T-IMP-OP", "section 4", [];
        TSkip = "T-IMP-SKIP", "section 4", [];
        TDec = "T-IMP-DEC", "section 4", [];
        TAssignInt = "T-IMP-ASSIGN-INT", "section 4", ["scope", "type"];
        TAssignMem = "T-IMP-ASSIGN-MEM", "section 4", ["scope", "type"];
        TAlloc = "T-IMP-ALLOC", "section 4", ["scope", "type"];
        TRead = "T-IMP-READ", "section 4", ["scope", "type"];
        TWrite = "T-IMP-WRITE", "section 4", ["scope", "type"];
        TIf = "T-IMP-IF", "section 4", [];
        TKernel = "T-IMP-KERNEL", "section 4", [];
        TFor = "T-IMP-FOR", "extension", [], extension;
        TCheck = "T-IMP-CHECK", "extension", ["cause", "arity"], extension;
        TParam = "T-IMP-PARAM", "extension", ["scope", "type"], extension;
        TResult = "T-IMP-RESULT", "extension", ["scope", "type", "rank"], extension;
        TProg = "T-IMP-PROG", "section 4", [];
        EDecInt = "E-IMP-DEC-INT", "fig. 12", [];
        EDecMem = "E-IMP-DEC-MEM", "fig. 12", [];
        EAssignInt = "E-IMP-ASSIGN-INT", "fig. 12", ["division"];
        EAssignMem = "E-IMP-ASSIGN-MEM", "fig. 12", ["block"];
        ERead = "E-IMP-READ", "fig. 12", ["division", "block", "inside"];
        EWrite = "E-IMP-WRITE", "fig. 12", ["division", "block", "inside"];
        EAlloc = "E-IMP-ALLOC", "fig. 12", ["division", "size"];
        ESeq = "E-IMP-SEQ", "fig. 12", [];
        ETrue = "E-IMP-TRUE", "fig. 12", [];
        EFalse = "E-IMP-FALSE", "fig. 12", [];
        ESkip = "E-IMP-SKIP", "fig. 12", [];
        EKernel = "E-IMP-KERNEL", "fig. 12", ["division", "size"];
        EFor = "E-IMP-FOR", "extension", ["division", "count"], extension;
        ECheck = "E-IMP-CHECK", "extension",
            ["division", "index", "slice", "size", "count", "inside"], extension;
        EResult = "E-IMP-RESULT", "extension", ["division", "block", "size", "inside"], extension;
    }
}
