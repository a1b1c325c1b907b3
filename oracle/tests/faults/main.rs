//! Planted faults are found, blamed and made smaller, each soon: `cargo test --workspace --test faults`

mod blame;
mod causes;
mod fcl;
mod judge;
mod kill;
mod lambda_g;
mod minias;
mod places;
mod rewriting;
mod toy;
