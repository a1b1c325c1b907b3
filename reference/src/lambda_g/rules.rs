//! The roll of λG. The paper names hardly any of its rules, so most names are ours.

crate::causes! {
    /// A value that does not fit into a region of the device, which cannot grow there.
    pub FULL = "region-full", [wanted, free], (wanted <= free),
        "a value of {wanted} words goes into a region with {free} words left, which cannot grow on the device";
    /// A region that is not there: it ended, or it was not copied to the device. No program that has a type comes
    /// to this.
    pub GONE = "region-gone", [], never, "the region is not there";
}

crate::roll! {
    /// Rules of λG.
    pub enum Rule in "lambda_g" {
        RegBase = "REG-BASE", "fig. 17", [];
        RegCons = "REG-CONS", "fig. 17", ["fresh"];
        RcEmpty = "RC-EMPTY", "fig. 17", [];
        RcCons = "RC-CONS", "fig. 17", [];
        VcEmpty = "VC-EMPTY", "fig. 17", [];
        VcCons = "VC-CONS", "fig. 17", [];
        Ctxt = "CTXT", "fig. 17", [];
        Place = "PLACE", "fig. 16", ["scope", "world"];
        TyBool = "TY-BOOL", "fig. 16", [];
        TyBoxed = "TY-BOXED", "fig. 16", [];
        BtInt = "BT-INT", "fig. 16", [];
        BtFn = "BT-FN", "fig. 16", [];
        BtPair = "BT-PAIR", "fig. 16", [];
        BtVec = "BT-VEC", "fig. 16", [];
        BtPi = "BT-PI", "fig. 16", ["bound"];
        Eff = "EFF", "fig. 16", [];
        RrBound = "RR-BOUND", "fig. 15", [];
        RrRefl = "RR-REFL", "fig. 15", [];
        RrTrans = "RR-TRANS", "fig. 15", [];
        Re = "RE", "fig. 15", [];
        ErIn = "ER-IN", "fig. 15", [];
        ErOutlives = "ER-OUTLIVES", "fig. 15", [];
        Ee = "EE", "fig. 15", [];
        TInt = "T-INT", "fig. 14", ["effect"];
        TMult = "T-MULT", "fig. 14", ["operand", "effect"];
        TArith = "T-ARITH", "extension", ["operand", "effect"], extension;
        TLess = "T-LESS", "fig. 14", ["operand", "effect"];
        TCompare = "T-COMPARE", "extension", ["operand", "effect"], extension;
        TFalse = "T-FALSE", "fig. 14", [];
        TTrue = "T-TRUE", "fig. 14", [];
        TIf = "T-IF", "fig. 14", ["condition", "branches"];
        TVar = "T-VAR", "fig. 14", ["scope"];
        TFn = "T-FN", "fig. 14", ["host", "effect"];
        TApp = "T-APP", "fig. 14", ["function", "argument", "effect", "latent"];
        TPair = "T-PAIR", "fig. 14", ["effect"];
        TFst = "T-FST", "fig. 14", ["pair", "effect"];
        TSnd = "T-SND", "fig. 14", ["pair", "effect"];
        TVector = "T-VECTOR", "fig. 14", ["element", "effect"];
        TRfn = "T-RFN", "fig. 14", ["bound", "host", "effect"];
        TInst = "T-INST", "fig. 14", ["abstraction", "effect", "bound", "latent"];
        TFix = "T-FIX", "fig. 14", ["function", "type"];
        TPar = "T-PAR", "fig. 2", ["effect"];
        TParmap = "T-PARMAP", "fig. 2", ["function", "vector", "argument", "effect", "latent"];
        TLetregion = "T-LETREGION", "fig. 2", ["world", "host", "escape"];
        TOn = "T-ON", "fig. 2", ["world", "host", "effect", "boxed", "region"];
        TLet = "T-LET", "extension", [], extension;
        TIndex = "T-INDEX", "extension", ["vector", "operand", "effect"], extension;
        TLength = "T-LENGTH", "extension", ["vector", "effect"], extension;
        TIota = "T-IOTA", "extension", ["operand", "effect"], extension;
        TProgram = "T-PROGRAM", "extension", ["parameter"], extension;
        ENoExpandW = "E-NOEXPANDW", "fig. 9", ["region-gone"];
        EExpandW = "E-EXPANDW", "fig. 9", [];
        ERead = "E-READ", "fig. 9", ["region-gone"];
        ENoExpandWE = "E-NOEXPANDWE", "fig. 9", ["region-full"];
        ENBankConfW = "E-NBANKCONFW", "fig. 9", ["region-gone"];
        ENBankConfR = "E-NBANKCONFR", "fig. 9", ["region-gone"];
        EVar = "E-VAR", "fig. 5", [];
        EInt = "E-INT", "fig. 5", [];
        ETrue = "E-TRUE", "fig. 5", [];
        EFalse = "E-FALSE", "fig. 5", [];
        EMult = "E-MULT", "fig. 14", [];
        EArith = "E-ARITH", "extension", ["division"], extension;
        ELess = "E-LESS", "fig. 14", [];
        ECompare = "E-COMPARE", "extension", [], extension;
        EIf = "E-IF", "fig. 5", [];
        EFn = "E-FN", "fig. 5", [];
        EApp = "E-APP", "fig. 5", [];
        EPair = "E-PAIR", "fig. 5", [];
        EFst = "E-FST", "fig. 5", [];
        ESnd = "E-SND", "fig. 5", [];
        EFix = "E-FIX", "fig. 5", [];
        ERfn = "E-RFN", "fig. 14", [];
        EInst = "E-INST", "fig. 14", [];
        EVector = "E-VECTOR", "fig. 6", [];
        EPar = "E-PAR", "fig. 6", [];
        EParmap = "E-PARMAP", "fig. 6", [];
        ELetregion = "E-LETREGION", "fig. 6", [];
        EOn = "E-ON", "fig. 6", [];
        EPush = "E-PUSH", "fig. 6", [];
        EMerge = "E-MERGE", "def. 4.3", [];
        ELet = "E-LET", "extension", [], extension;
        EIndex = "E-INDEX", "extension", ["inside"], extension;
        ELength = "E-LENGTH", "extension", [], extension;
        EIota = "E-IOTA", "extension", [], extension;
    }
}
