//! Adapters live in child processes: a driver can crash, and a device that hangs cannot be
//! dropped, only its process can be ended.

mod mock_adapter;
mod mock_shader;
mod parent;
mod process;
mod protocol;
mod serve;
mod settings;
mod timeout;

pub use mock_adapter::MockAdapter;
pub(super) use parent::unlisted;
pub use parent::{Child, Launcher};
pub use process::End;
pub(super) use process::{Process, settle};
pub use serve::serve;
pub use settings::{Setting, UNREMEMBERED};
