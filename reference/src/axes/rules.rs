//! The roll of axes.

crate::roll! {
    /// Rules of terms over named axes.
    pub enum Rule in "axes" {
        TProgram = "T-AX-PROGRAM", "axes", ["names", "sizes", "results"];
        TScalar = "T-AX-SCALAR", "axes", ["scalar"];
        TTensor = "T-AX-TENSOR", "axes", ["tensor"];
        TBind = "T-AX-BIND", "axes", ["fresh", "axis"];
        TLayout = "T-AX-LAYOUT", "axes", ["axes", "size"];
        TNumber = "T-AX-NUMBER", "axes", [];
        TIndex = "T-AX-INDEX", "axes", ["scope", "fits"];
        TName = "T-AX-NAME", "axes", ["scope"];
        TArray = "T-AX-ARRAY", "axes", [];
        TApply = "T-AX-APPLY", "axes", [];
        TIf = "T-AX-IF", "axes", ["axes"];
        TGet = "T-AX-GET", "axes", ["array", "rank"];
        TSeq = "T-AX-SEQ", "axes", [];
        TBuild = "T-AX-BUILD", "axes", [];
        TRed = "T-AX-RED", "axes", ["identity"];
        TMerge = "T-AX-MERGE", "axes", ["axes", "differ", "fresh"];
        TKeep = "T-AX-KEEP", "axes", [];
        TStore = "T-AX-STORE", "axes", ["room"];
        TOut = "T-AX-OUT", "axes", [];
        TResults = "T-AX-RESULTS", "axes", ["out"];
        EMeaning = "E-AX-MEANING", "axes", ["index", "division"];
    }
}
