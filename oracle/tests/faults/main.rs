//! What takes planted faults: `cargo test -p lockstep-oracle --features faults --test faults`

mod blame;
mod causes;
mod fcl;
mod kill;
mod lambda_g;
mod minias;
mod places;
#[path = "../it/readme.rs"]
mod readme;
mod rewriting;
#[cfg(feature = "toy")]
mod toy;
