//! The roll of the toy language.

crate::roll! {
    /// Rules of the toy language.
    pub enum Rule in "toy" {
        TVar = "T-TOY-VAR", "toy", ["scope"];
        ELet = "E-TOY-LET", "toy", [];
        ESkip = "E-TOY-SKIP", "toy", [];
        ESum = "E-TOY-SUM", "toy", [];
    }
}
