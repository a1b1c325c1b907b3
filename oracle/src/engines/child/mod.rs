//! Adapters live in child processes: a driver can crash, and a device that hangs cannot be
//! dropped, only its process can be ended.

mod parent;
mod patience;
mod process;
mod protocol;
mod serve;
mod settings;
mod stand_in;

pub(super) use parent::unlisted;
pub use parent::{Child, Launcher};
pub use process::End;
pub(super) use process::{Process, settle};
pub use serve::serve;
pub use settings::{Setting, UNREMEMBERED};
pub use stand_in::StandIn;
