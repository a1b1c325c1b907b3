//! What the host orders of a device, timed.

use std::time::Duration;

/// How long it takes to allocate some words, to bring them to the device, and to bring them back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// A buffer of zeros.
    pub allocate: Duration,
    /// Its words.
    pub to_device: Duration,
    /// The same words.
    pub to_host: Duration,
}
