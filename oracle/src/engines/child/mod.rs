//! Adapters live in child processes: a driver can crash, and a device that hangs cannot be
//! dropped, only its process can be ended.

mod parent;
mod protocol;
mod serve;
mod settings;
mod stand_in;

pub use parent::{Child, End, Launcher};
pub use serve::serve;
pub use settings::{Setting, UNREMEMBERED};
pub use stand_in::StandIn;
