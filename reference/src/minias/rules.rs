//! The roll of MiniAS. The numbers of figures and sections are the paper's; what it has not is marked as an extension.

use crate::kit::rules::Roll;
use crate::kit::text::Rejected;

crate::roll! {
    /// Rules of MiniAS.
    pub enum Rule in "minias" {
        KRow = "K-ROW", "section 3.2", ["lacks", "constant", "generic"];
        LAssume = "L-ASSUME", "fig. 4", [];
        LExt = "L-EXT", "fig. 4", ["distinct"];
        LEmpty = "L-EMPTY", "fig. 4", [];
        TVar = "T-VAR", "fig. 5", ["scope"];
        TInt = "T-INT", "fig. 3", [];
        TNull = "T-NULL", "section 6", [];
        TOp = "T-OP", "fig. 3", ["operand"];
        TOffset = "T-OFFSET", "extension", ["operand"], extension;
        TDiff = "T-DIFF", "extension", ["pointee", "overlap"], extension;
        TCompare = "T-COMPARE", "section 6", ["pointee", "overlap"];
        TCond = "T-COND", "extension", ["condition", "unify", "overlap"], extension;
        TAddress = "T-ADDRESS", "extension", ["place"], extension;
        TLoad = "T-LOAD", "section 2.1", ["pointer"];
        TStore = "T-STORE", "section 2.1", ["pointer", "unify", "constant"];
        TDynamic = "T-DYNAMIC", "section 6", ["target", "pointer", "unify"];
        TCast = "T-CAST", "extension", ["pointer", "unify"], extension;
        TApp = "T-APP", "fig. 5", ["function", "arity", "unify"];
        TBuiltin = "T-BUILTIN", "section 1", [];
        TExpr = "T-EXPR", "fig. 5", [];
        TDecl = "T-DECL", "fig. 5", ["once", "unify", "place", "initialiser", "private"];
        TAssign = "T-ASSIGN", "fig. 5", ["scope", "assignable", "unify"];
        TEmpty = "T-EMPTY", "fig. 5", [];
        TBlock = "T-BLOCK", "extension", [], extension;
        TIf = "T-IF", "fig. 5", ["condition"];
        TWhile = "T-WHILE", "fig. 5", ["condition"];
        TFor = "T-FOR", "extension", ["condition"], extension;
        TReturn = "T-RETURN", "fig. 5", ["unify", "void"];
        TBarrier = "T-BARRIER", "extension", ["kernel"], extension;
        TFunction = "T-FUNCTION", "fig. 5", ["once", "place", "returns", "prototype"];
        TKernel = "T-KERNEL", "fig. 3", ["parameter"];
        TConst = "T-CONST", "extension", ["constant"], extension;
        TProgram = "T-PROGRAM", "fig. 5", ["once"];
        QualElim = "=>E", "fig. 5", ["lacks", "single"];
        QualIntro = "=>I", "fig. 5", [];
        AllElim = "∀E", "fig. 5", [];
        AllIntro = "∀I", "fig. 5", [];
        UId = "U-ID", "fig. 6", [];
        UBindL = "U-BIND-L", "fig. 6", ["occurs"];
        UBindR = "U-BIND-R", "fig. 6", ["occurs"];
        UApply = "U-APPLY", "fig. 6", ["clash"];
        URow = "U-ROW", "fig. 6", ["tail"];
        IVar = "I-VAR", "fig. 7", [];
        ITail = "I-TAIL", "fig. 7", [];
        IHead = "I-HEAD", "fig. 7", ["closed"];
        VFixed = "V-FIXED", "section 2.2", [];
        VAssume = "V-ASSUME", "fig. 9", [];
        VExt = "V-EXT", "fig. 9", [];
        VEmpty = "V-EMPTY", "fig. 9", [];
        CElim = "C=>E", "section 5", [];
        CIntro = "C=>I", "section 5", [];
        COpen = "C-OPEN", "extension", [], extension;
        CTable = "C-TABLE", "extension", [], extension;
        EInt = "E-INT", "extension", [], extension;
        ENull = "E-NULL", "extension", [], extension;
        EVar = "E-VAR", "extension", [], extension;
        EUnary = "E-UNARY", "extension", [], extension;
        EOp = "E-OP", "extension", ["division"], extension;
        EOffset = "E-OFFSET", "extension", ["null"], extension;
        EDiff = "E-DIFF", "extension", ["same_block"], extension;
        ECompare = "E-COMPARE", "extension", ["same_block"], extension;
        ELogic = "E-LOGIC", "extension", [], extension;
        ECond = "E-COND", "extension", [], extension;
        EAddress = "E-ADDRESS", "extension", [], extension;
        ELoad = "E-LOAD", "extension", ["null", "inside"], extension;
        EStore = "E-STORE", "extension", ["null", "inside"], extension;
        EDynamic = "E-DYNAMIC", "section 6", [];
        ECast = "E-CAST", "extension", ["space"], extension;
        EApp = "E-APP", "extension", [], extension;
        EBuiltin = "E-BUILTIN", "extension", [], extension;
        EExpr = "E-EXPR", "extension", [], extension;
        EDecl = "E-DECL", "extension", [], extension;
        EAssign = "E-ASSIGN", "extension", [], extension;
        EEmpty = "E-EMPTY", "extension", [], extension;
        EBlock = "E-BLOCK", "extension", [], extension;
        EIf = "E-IF", "extension", [], extension;
        EWhile = "E-WHILE", "extension", [], extension;
        EFor = "E-FOR", "extension", [], extension;
        EReturn = "E-RETURN", "extension", [], extension;
        EBarrier = "E-BARRIER", "extension", [], extension;
        EItem = "E-ITEM", "extension", [], extension;
        EGroup = "E-GROUP", "extension", [], extension;
        ELaunch = "E-LAUNCH", "extension", ["together", "racefree"], extension;
        XPair = "X-PAIR", "section 2.2", [];
        XRetag = "X-RETAG", "extension", [], extension;
        XThin = "X-THIN", "extension", [], extension;
        XLoad = "X-LOAD", "section 2.2", ["null", "inside"];
        XStore = "X-STORE", "section 2.2", ["null", "inside"];
        XDynamic = "X-DYNAMIC", "section 6", [];
        XCast = "X-CAST", "extension", ["space"], extension;
    }
}

impl Rule {
    /// The refusal, because this premise of the rule fails.
    pub(super) fn refuses(self, premise: &'static str, refused: Rejected) -> Rejected {
        refused.by_rule(self.info().name, premise)
    }
}
