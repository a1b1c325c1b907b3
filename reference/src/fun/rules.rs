//! The roll of FUN: figs. 3 and 4, with the extensions of `proofs-notes/readings.md`.
//!
//! Premises of type rules: `scope`, a name is bound; `consumed`, neither the array nor one that may
//! share its elements has been updated; `type`, a name has the type that is wanted; `pattern`, the pattern has as many bindings, of the types and ranks, that the rule
//! concludes; `rank`, as many indices as dimensions; `size`, two sizes are equal; `arity`, as many
//! results as names; `consumable`, the array may be updated. Premises of evaluation rules are named
//! as [`Cause`](crate::kit::outcome::Cause) names them.

crate::roll! {
    /// Rules of FUN.
    pub enum Rule in "fun" {
        TConst = "T-CONST", "fig. 3", [];
        TVar = "T-VAR", "fig. 3", ["scope", "type"];
        TOp = "T-OP", "fig. 3", [];
        TScalar = "T-SCALAR", "fig. 3", ["pattern"];
        TIndex = "T-INDEX", "fig. 3", ["consumed", "type", "rank", "pattern"];
        TIf = "T-IF", "fig. 3", ["type"];
        TTranspose = "T-TRANSPOSE", "fig. 3", ["consumed", "rank", "pattern", "size"];
        TSlice = "T-SLICE", "fig. 3", ["consumed", "type", "rank", "pattern", "size"];
        TKernel = "T-KERNEL", "fig. 3", ["type", "pattern", "size"];
        TLoop = "T-LOOP", "extension", ["type", "pattern", "size"], extension;
        TUpdate = "T-UPDATE", "extension",
            ["consumed", "type", "rank", "pattern", "size", "consumable"], extension;
        TResult = "T-RESULT", "fig. 3", ["consumed", "arity", "type", "size"];
        TStm = "T-STM", "fig. 3", [];
        TParam = "T-PARAM", "extension", ["scope", "type"], extension;
        TProg = "T-PROG", "fig. 3", ["consumed"];
        EScalar = "E-SCALAR", "fig. 4", ["division"];
        EIndex = "E-INDEX", "fig. 4", ["index"];
        EIfTrue = "E-IF-TRUE", "fig. 4", [];
        EIfFalse = "E-IF-FALSE", "fig. 4", [];
        ETranspose = "E-TRANSPOSE", "fig. 4", [];
        ESlice = "E-SLICE", "fig. 4", ["slice"];
        EKernel = "E-KERNEL", "fig. 4", ["size"];
        ELoop = "E-LOOP", "extension", ["count"], extension;
        EUpdate = "E-UPDATE", "extension", ["slice"], extension;
        ELet = "E-LET", "fig. 4", [];
        EIn = "E-IN", "fig. 4", [];
    }
}
