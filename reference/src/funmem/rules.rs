//! The roll of FUNMEM: figs. 8 and 10, with the extensions of `proofs-notes/readings.md`.
//!
//! The rules for scalar expressions are FUN's. Premises of type rules are named as on the roll of
//! FUN, and `total`: an index function cannot get stuck; `block`: an array parameter stands
//! row-major in a block parameter of its own. Premises of evaluation rules are named as
//! [`Cause`](crate::kit::outcome::Cause) names them: `annotation`, the block and LMAD of a pattern
//! are those of the value that is bound; `inside`, an access is inside its block. `racefree` is
//! eq. 4: that it fails is recorded and does not end the run.
//!
//! What reads an array has no premise `inside`: each element was written when the array was made.

crate::causes! {
    impl Cause {
        /// An annotation that is not the block and LMAD of the value it is bound to.
        Annotation = "annotation", [], never,
            "the annotation is not the block and index function of the value";
    }
}

crate::roll! {
    /// Rules of FUNMEM.
    pub enum Rule in "funmem" {
        TConst = "T-CONST", "fig. 3", [];
        TVar = "T-VAR", "fig. 3", ["scope", "type"];
        TOp = "T-OP", "fig. 3", [];
        TMemType = "T-MEM-TYPE", "fig. 8", ["type"];
        TMemLmad = "T-MEM-LMAD", "fig. 8", ["rank", "size", "total"];
        TMemScalar = "T-MEM-SCALAR", "fig. 8", ["pattern"];
        TMemAlloc = "T-MEM-ALLOC", "fig. 8", ["pattern"];
        TMemCopy = "T-MEM-COPY", "section 3.5", ["type", "pattern", "size"], extension;
        TMemIndex = "T-MEM-INDEX", "fig. 8", ["type", "rank", "pattern"];
        TMemIf = "T-MEM-IF", "fig. 8", ["type"];
        TMemTranspose = "T-MEM-TRANSPOSE", "fig. 8", ["rank", "pattern", "size"];
        TMemSlice = "T-MEM-SLICE", "fig. 8", ["type", "rank", "pattern", "size"];
        TMemKernel = "T-MEM-KERNEL", "fig. 8", ["type", "pattern", "size"];
        TMemLoop = "T-MEM-LOOP", "extension", ["type", "pattern", "size"], extension;
        TMemUpdate = "T-MEM-UPDATE", "extension", ["type", "rank", "pattern", "size"], extension;
        TMemResult = "T-MEM-RESULT", "fig. 8", ["arity", "type", "size"];
        TStm = "T-STM", "fig. 3", [];
        TMemParam = "T-MEM-PARAM", "extension", ["block"], extension;
        TMemProg = "T-MEM-PROG", "fig. 8", [];
        EMemScalar = "E-MEM-SCALAR", "fig. 10", ["division"];
        EMemAlloc = "E-MEM-ALLOC", "fig. 10", ["division", "size"];
        EMemCopy = "E-MEM-COPY", "eq. 5", ["inside", "racefree"], extension;
        EMemIndex = "E-MEM-INDEX", "fig. 10", ["index"];
        EMemIfTrue = "E-MEM-IF-T", "fig. 10", ["annotation"];
        EMemIfFalse = "E-MEM-IF-F", "fig. 10", ["annotation"];
        EMemTranspose = "E-MEM-TRANSPOSE", "fig. 10", ["annotation"];
        EMemSlice = "E-MEM-SLICE", "fig. 10", ["slice", "annotation"];
        EMemKernel = "E-MEM-KERNEL", "fig. 10", ["size", "inside", "racefree"];
        EMemLoop = "E-MEM-LOOP", "extension", ["count", "annotation"], extension;
        EMemUpdate = "E-MEM-UPDATE", "extension", ["slice", "inside", "racefree"], extension;
        EStms = "E-STMS", "fig. 10", [];
        EMemProg = "E-MEM-PROG", "fig. 10", [];
    }
}
