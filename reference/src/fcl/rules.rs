//! The roll of FCL, and the causes that only FCL has. Numbers in brackets are the paper's.

crate::causes! {
    /// An array of one level is forced at a location of another; a level is how often `1 +` stands in it.
    pub LEVEL = "level", [array, location], (array <= location, location <= array),
        "an array of level {array} is forced at a location of level {location}";
    /// A chunk of `concat` or `interleave` that is not as long as the first argument says.
    pub LENGTH = "length", [found, wanted], (found <= wanted, wanted <= found),
        "a chunk of {found} elements instead of {wanted}";
    /// A round of `while` that makes a longer array than the first one.
    pub GROWTH = "growth", [new, first], (new <= first),
        "a loop's array grows from {first} to {new} elements";
    /// Two elements of `interleave` have the same place.
    pub TAKEN = "taken", [target], never,
        "another element has the place {target} already";
}

crate::roll! {
    /// Rules of FCL.
    pub enum Rule in "fcl" {
        KInt = "K-INT", "(1)", [];
        KDouble = "K-DOUBLE", "(2)", [];
        KBool = "K-BOOL", "(3)", [];
        KVar = "K-VAR", "(4)", ["scope"];
        KPair = "K-PAIR", "(5)", [];
        KGt = "K-GT", "(6)", [];
        KTyp = "K-TYP", "(7)", [];
        KFun = "K-FUN", "(8)", [];
        KLevelFun = "K-LFUN", "(9)", [];
        KPull = "K-PULL", "(10)", ["ground"];
        KPush = "K-PUSH", "(11)", ["base"];
        KZero = "K-Z", "(12)", [];
        KSucc = "K-SUCC", "(13)", [];
        IVar = "I-VAR", "(14)", ["kind"];
        IRefl = "I-REFL", "(15)", [];
        ITrans = "I-TRANS", "(16)", [];
        TInt = "T-INT", "(17)", [];
        TDouble = "T-DOUBLE", "(18)", [];
        TBool = "T-BOOL", "(19)", [];
        TArray = "T-ARRAY", "(20)", ["element", "ground"];
        TPair = "T-PAIR", "(21)", [];
        TFst = "T-FST", "(22)", ["pair"];
        TSnd = "T-SND", "(23)", ["pair"];
        TVar = "T-VAR", "(24)", ["scope"];
        TLet = "T-LET", "(25)", ["signature"];
        TApp = "T-APP", "(26)", ["function", "argument"];
        TLevelApp = "T-LAPP", "(27)", ["function"];
        TFn = "T-FN", "(28)", [];
        TLevelFn = "T-LFN", "(29)", ["escape"];
        TConcat = "T-CONCAT", "(30)", ["size", "array", "turnstile"];
        TInterleave = "T-INTERLEAVE", "section 5", ["size", "order", "array", "turnstile"], extension;
        TIf = "T-IF", "extension", ["condition", "branches"], extension;
        TDef = "T-DEF", "extension", ["signature"], extension;
        TMain = "T-MAIN", "extension", ["result", "parameter"], extension;
        VPull = "V-PULL", "(33)", [];
        VPush = "V-PUSH", "(34)", [];
        VConcat = "V-CONCAT", "(35)", [];
        LThread = "LOC-THREAD", "(31)", [];
        LGroup = "LOC-GROUP", "(32)", [];
        EBeta = "E-BETA", "section 5.2", [];
        ELevelBeta = "E-LBETA", "section 5.2", [];
        ELet = "E-LET", "section 5.2", [];
        EFst = "E-FST", "section 5.2", [];
        ESnd = "E-SND", "section 5.2", [];
        EOp = "E-OP", "section 5.2", ["division"];
        EIf = "E-IF", "extension", [], extension;
        EGenerate = "E-GENERATE", "section 5.2", ["size"];
        EIndex = "E-INDEX", "section 5.2", ["inside"];
        ELengthPull = "E-LENGTH-PULL", "section 5.2", [];
        ELengthPush = "E-LENGTH-PUSH", "section 5.2", [];
        ELengthConcat = "E-LENGTH-CONCAT", "section 5.2", ["size"];
        EPush = "E-PUSH", "section 5.2", [];
        EMapPull = "E-MAP-PULL", "(36)", [];
        EMapPush = "E-MAP-PUSH", "(37)", [];
        EMapConcat = "E-MAP-CONCAT", "section 5.2", [];
        EConcat = "E-CONCAT", "(38)", [];
        EInterleave = "E-INTERLEAVE", "section 5", [], extension;
        EForceDone = "E-FORCE-DONE", "(39)", ["level"];
        EForceThread = "E-FORCE-THREAD", "(40)", ["level"];
        EForceGroup = "E-FORCE-GROUP", "(41)", ["level"];
        EForceConcat = "E-FORCE-CONCAT", "(42)", ["level", "size", "length"];
        EForceInterleave = "E-FORCE-INTERLEAVE", "section 5",
            ["level", "size", "length", "inside", "taken"], extension;
        EWhile = "E-WHILE", "section 3.3", [];
        EWhileStep = "E-WHILE-STEP", "section 3.3", ["growth"];
        EWhileEnd = "E-WHILE-END", "section 3.3", [];
        EContext = "E-CONTEXT", "section 5.2", [];
    }
}
