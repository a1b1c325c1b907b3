//! A panic is a broken promise of ours. Inside a run it becomes an ending that names the
//! promise, outside it the command line says so and ends with a status of its own.

use reference::kit::outcome::{Broken, Ending, Outcome};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Where the last panic of this thread happened: the payload that `catch_unwind` gives does
    /// not know.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Prints no message of a panic: the code that catches it reports it.
pub fn install() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|at| format!("{}:{}", at.file(), at.line()));
        PLACE.with(|kept| *kept.borrow_mut() = place);
    }));
}

/// The answer, or what the panic said and where.
///
/// # Errors
/// The message of the panic.
pub fn catch<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    PLACE.with(|kept| *kept.borrow_mut() = None);
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| describe(payload.as_ref()))
}

/// What a panic said, and where it happened if [`install`] was called.
pub fn describe(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_owned());
    match PLACE.with(|kept| kept.borrow_mut().take()) {
        Some(place) => format!("{text} (at {place})"),
        None => text,
    }
}

/// Runs an engine; a panic becomes its ending.
pub fn guarded(run: impl FnOnce() -> Outcome) -> Outcome {
    catch(run).unwrap_or_else(|text| Ending::Broken(Broken::Panic(text)).into())
}
