//! The roll of λG. The paper names hardly any of its rules, so most names are ours.

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
    }
}
