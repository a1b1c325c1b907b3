//! The roll of λG. The paper names no rules of its type system, so the names are ours.

crate::roll! {
    /// Rules of λG.
    pub enum Rule in "lambda_g" {
        RegCons = "REG-CONS", "fig. 17", ["fresh"];
        Place = "PLACE", "fig. 16", ["scope"];
        TVar = "T-VAR", "fig. 14", ["scope"];
    }
}
