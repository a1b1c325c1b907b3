//! What programs are compiled for: what an adapter can do, and what is known to be wrong with it. Data only,
//! below everything else in this crate: passes, the emitter, the pipeline and what runs shaders ask here.

pub mod adapter;
pub mod defects;
pub mod fcl;
pub mod limits;
pub mod shapes;

pub use adapter::{Adapter, Needs};
pub use defects::{Defect, Spoils};
pub use fcl::Fcl;
pub use limits::{Features, Limits};
pub use shapes::Shape;
