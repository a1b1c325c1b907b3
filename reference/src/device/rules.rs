//! The roll of the device language. All rules are ours: each is stated in the doc block above
//! its function.

crate::causes! {
    impl Cause {
        /// A thread had more loop rounds than it was given.
        Fuel = "rounds", [], never, "out of loop rounds",
            gives_up "more loop rounds than a thread of compiled code is given";
        /// A thread met a number that is too wide for its 32-bit arithmetic. A check may have the
        /// number, in 64 bits. What has no 64 bits may give up earlier.
        Width = "width", [number],
            ((i32::MIN as i64) <= number, number <= (i32::MAX as i64)), "{number} is beyond 32 bits",
            gives_up "a number beyond 32 bits";
        /// A launch told of a failed check of a work group, but what stands in its record block is no record.
        Record = "record", [group], never,
            "what the launch recorded for work group {group} is no record of a failed check";
        /// A block holds a nested value, and more words behind it.
        Whole = "whole", [words, length], (length <= words),
            "a value of {words} words in a block of {length}";
    }
}

crate::roll! {
    /// Rules of the device language.
    pub enum Rule in "device" {
        // Types: expressions and places.
        TType = "D-T-TYPE", "device", ["type"];
        TBind = "D-T-BIND", "device", ["once"];
        TVar = "D-T-VAR", "device", ["scope"];
        TBuiltin = "D-T-BUILTIN", "device", ["kernel"];
        TUn = "D-T-UN", "device", ["type"];
        TBin = "D-T-BIN", "device", ["type"];
        TSelect = "D-T-SELECT", "device", ["type"];
        TCast = "D-T-CAST", "device", ["type"];
        TBitcast = "D-T-BITCAST", "device", ["type"];
        TMake = "D-T-MAKE", "device", ["arity", "type"];
        TAt = "D-T-AT", "device", ["type"];
        TField = "D-T-FIELD", "device", ["type"];
        TLoad = "D-T-LOAD", "device", ["type"];
        TRef = "D-T-REF", "device", ["place"];
        TLength = "D-T-LENGTH", "device", ["type"];
        TBase = "D-T-BASE", "device", ["type"];
        TBlock = "D-T-BLOCK", "device", ["type"];
        TPlace = "D-T-PLACE", "device", ["place", "group"];
        TDeref = "D-T-DEREF", "device", ["type"];
        TElement = "D-T-ELEMENT", "device", ["type"];
        THost = "D-T-HOST", "device", ["host"];
        // Types: statements.
        TLet = "D-T-LET", "device", ["type"];
        TVariable = "D-T-VARIABLE", "device", ["type"];
        TStore = "D-T-STORE", "device", ["type"];
        TAtomic = "D-T-ATOMIC", "device", ["place", "arity", "type", "result"];
        TIf = "D-T-IF", "device", ["type"];
        TSwitch = "D-T-SWITCH", "device", ["type", "distinct"];
        TLoop = "D-T-LOOP", "device", ["arity", "type"];
        TCall = "D-T-CALL", "device", ["earlier", "arity", "type", "result", "alias", "group"];
        TCheck = "D-T-CHECK", "device", ["arity", "type", "kernel"];
        TBarrier = "D-T-BARRIER", "device", ["kernel", "uniform"];
        TUniformVariable = "D-T-UNIFORM-VARIABLE", "device", ["address", "value", "control"];
        TUniformLoad = "D-T-UNIFORM-LOAD", "device", ["kernel", "place", "type", "uniform"];
        TPar = "D-T-PAR", "device", ["type"];
        // Types: the host.
        TAssign = "D-T-ASSIGN", "device", ["once", "type"];
        TAlloc = "D-T-ALLOC", "device", ["type"];
        TFree = "D-T-FREE", "device", ["type"];
        TLaunch = "D-T-LAUNCH", "device", ["kernel", "arity", "type", "record"];
        TCopy = "D-T-COPY", "device", ["arity", "type"];
        TRead = "D-T-READ", "device", ["type"];
        TWrite = "D-T-WRITE", "device", ["type"];
        TStruct = "D-T-STRUCT", "device", ["field", "earlier"];
        TFunction = "D-T-FUNCTION", "device", ["parameter", "type"];
        TKernel = "D-T-KERNEL", "device", ["parameter", "group", "size", "record"];
        TParam = "D-T-PARAM", "device", ["type"];
        TResult = "D-T-RESULT", "device", ["type"];
        // Evaluation: expressions and places.
        Lit = "D-LIT", "device", [];
        Var = "D-VAR", "device", [];
        Builtin = "D-BUILTIN", "device", [];
        Un = "D-UN", "device", [];
        Bin = "D-BIN", "device", ["division"];
        Select = "D-SELECT", "device", [];
        Cast = "D-CAST", "device", [];
        Bitcast = "D-BITCAST", "device", [];
        Make = "D-MAKE", "device", [];
        At = "D-AT", "device", ["inside"];
        Field = "D-FIELD", "device", [];
        Load = "D-LOAD", "device", [];
        Ref = "D-REF", "device", [];
        Length = "D-LENGTH", "device", [];
        Base = "D-BASE", "device", [];
        Block = "D-BLOCK", "device", [];
        PlaceVar = "D-PLACE-VAR", "device", [];
        Deref = "D-DEREF", "device", [];
        Element = "D-ELEMENT", "device", ["inside"];
        // Evaluation: statements.
        Let = "D-LET", "device", [];
        Variable = "D-VARIABLE", "device", [];
        Store = "D-STORE", "device", [];
        Atomic = "D-ATOMIC", "device", [];
        If = "D-IF", "device", [];
        Switch = "D-SWITCH", "device", [];
        Loop = "D-LOOP", "device", [];
        Call = "D-CALL", "device", [];
        Check = "D-CHECK", "device", causes;
        Barrier = "D-BARRIER", "device", [];
        UniformLoad = "D-UNIFORM-LOAD", "device", [];
        Par = "D-PAR", "device", [];
        Group = "D-GROUP", "device", [];
        // Evaluation: the host.
        HostLet = "D-HOST-LET", "device", [];
        Assign = "D-ASSIGN", "device", [];
        Alloc = "D-ALLOC", "device", ["size"];
        Free = "D-FREE", "device", [];
        Launch = "D-LAUNCH", "device", ["racefree", "record"];
        Copy = "D-COPY", "device", ["size", "inside", "racefree"];
        Read = "D-READ", "device", ["inside"];
        Write = "D-WRITE", "device", ["inside"];
        HostIf = "D-HOST-IF", "device", [];
        HostLoop = "D-HOST-LOOP", "device", [];
        HostPar = "D-HOST-PAR", "device", [];
        Result = "D-RESULT", "device", ["block", "size", "inside", "whole"];
    }
}

/// What is said where a value would have to be stored to.
pub(super) const NO_PLACE: &str =
    "what `let` binds does not change; `var x : T = e;` declares a variable that can be stored to";
