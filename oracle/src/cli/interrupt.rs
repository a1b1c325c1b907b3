//! Ctrl-C: long work ends with what it has.

use super::problem::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What Ctrl-C sets from now on. The second one ends the process at once.
pub(super) fn listen() -> Result<Arc<AtomicBool>, Problem> {
    let stop = Arc::new(AtomicBool::new(false));
    let handler = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if handler.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .map_err(|error| Problem::new(format!("Ctrl-C cannot be listened to: {error}")))?;
    Ok(stop)
}
