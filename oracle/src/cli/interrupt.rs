//! Ctrl-C and SIGTERM: long work ends with what it has.

use super::Status;
use super::problem::Problem;
use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
use signal_hook::low_level::unregister;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Signals that end long work, with their names.
#[cfg(unix)]
const SIGNALS: [(i32, &str); 3] =
    [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (signal_hook::consts::SIGHUP, "SIGHUP")];
#[cfg(not(unix))]
const SIGNALS: [(i32, &str); 2] = [(SIGINT, "SIGINT"), (SIGTERM, "SIGTERM")];

/// What a signal sets.
pub(super) struct Interrupt {
    /// Long work ends.
    pub(super) stop: Arc<AtomicBool>,
    /// The signal; 0 before there is one.
    signal: Arc<AtomicUsize>,
    /// What is done at a signal.
    registered: Vec<SigId>,
}

/// Listens to signals until it is dropped. The second one ends the process at once.
pub(super) fn listen() -> Result<Interrupt, Problem> {
    let (stop, signal) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut interrupt = Interrupt { stop, signal, registered: Vec::new() };
    for (number, name) in SIGNALS {
        let no = |error| Problem::new(format!("{name} cannot be listened to: {error}"));
        let (stop, signal) = (&interrupt.stop, &interrupt.signal);
        let ends = register_conditional_shutdown(number, 128 + number, Arc::clone(stop));
        let named = register_usize(number, Arc::clone(signal), number as usize);
        let stops = register(number, Arc::clone(stop));
        for registered in [ends, named, stops] {
            interrupt.registered.push(registered.map_err(no)?);
        }
    }
    Ok(interrupt)
}

impl Drop for Interrupt {
    /// One process may run many command lines, as the fuzz target does.
    fn drop(&mut self) {
        for registered in self.registered.drain(..) {
            unregister(registered);
        }
    }
}

impl Interrupt {
    /// Was long work told to end?
    pub(super) fn is_set(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The name of the signal that ended it, if one did.
    pub(super) fn signal(&self) -> Option<&'static str> {
        let number = self.signal.load(Ordering::Relaxed);
        SIGNALS.iter().find(|(of, _)| *of as usize == number).map(|(_, name)| *name)
    }

    /// How the command ends: by the signal, if there was one.
    pub(super) fn status(&self, ended: Status) -> Status {
        match u8::try_from(self.signal.load(Ordering::Relaxed)) {
            Ok(signal) if signal > 0 => Status::Signal(signal),
            _ => ended,
        }
    }
}
