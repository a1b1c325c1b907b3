//! Tests of MiniAS.

mod syntax;
