//! Adapters live in child processes: a driver can crash, and a device that hangs cannot be
//! dropped, only its process can be ended.

mod parent;
mod protocol;
mod serve;
mod settings;

pub use parent::{Child, Launcher};
pub use protocol::{Answer, EVALUATOR, Misbehaviour, Request};
pub use serve::serve;
pub use settings::{Setting, UNREMEMBERED};
