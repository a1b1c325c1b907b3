//! Texts of mutants are read in a thread of their own, for a time. No text that anybody might write may break or
//! hold up a parser or a checker; one that does ends neither the campaign nor its worker.

use crate::language::{Artifact, Lang};
use crate::panics::catch;
use crate::rolls::Rolls;
use reference::kit::text::Rejected;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the making of one mutant may take. It reads some hundred texts at most, each in a millisecond or so.
const LIMIT: Duration = Duration::from_secs(20);

/// A text that could not be read: a parser, a checker or a printer broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The language.
    pub lang: Lang,
    /// The text.
    pub text: String,
    /// What the text is made of.
    pub made_of: String,
    /// What happened.
    pub why: Why,
}

/// Why a text could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// A panic that said this.
    Panicked(String),
    /// No answer within this time.
    Hangs(Duration),
}

/// Reads texts, and notes which one it is at.
#[derive(Default)]
pub(super) struct Reader {
    at: Arc<Mutex<Option<Unread>>>,
}

impl Reader {
    /// A text as a program, if it is one.
    ///
    /// # Errors
    /// A panic.
    pub(super) fn read(
        &self,
        lang: Lang,
        text: &str,
        made_of: &str,
    ) -> Result<Result<Artifact, Rejected>, Box<Unread>> {
        let (text, made_of) = (text.to_owned(), made_of.to_owned());
        let unread = Unread { lang, text, made_of, why: Why::Hangs(LIMIT) };
        let text = unread.text.clone();
        self.note(Some(unread));
        let read = catch(|| lang.read(&text, &mut Rolls::default()));
        let unread = self.note(None);
        read.map_err(|said| {
            let unread = unread.expect("noted above");
            Box::new(Unread { why: Why::Panicked(said), ..unread })
        })
    }

    /// What was noted before.
    fn note(&self, unread: Option<Unread>) -> Option<Unread> {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut at, unread)
    }
}

/// Makes something by reading texts, within some time. A thread that takes longer is left alone: nothing can end it,
/// and it ends with the process.
///
/// # Errors
/// The text that a panic or a hang came to.
///
/// # Panics
/// As `make` does elsewhere than in reading.
pub(super) fn within_limit<T: Send + 'static>(
    make: impl FnOnce(&Reader) -> Result<T, Box<Unread>> + Send + 'static,
) -> Result<T, Box<Unread>> {
    within(LIMIT, make)
}

fn within<T: Send + 'static>(
    limit: Duration,
    make: impl FnOnce(&Reader) -> Result<T, Box<Unread>> + Send + 'static,
) -> Result<T, Box<Unread>> {
    let reader = Reader::default();
    let noted = Reader { at: Arc::clone(&reader.at) };
    let (to, made) = channel();
    let thread = std::thread::Builder::new().stack_size(crate::STACK).spawn(move || {
        // Nobody waits any more for what comes too late.
        let _ = to.send(catch(|| make(&reader)));
    });
    if let Err(error) = thread {
        resume_unwind(Box::new(format!("no thread to read texts in: {error}")));
    }
    match made.recv_timeout(limit) {
        Ok(Ok(made)) => made,
        Ok(Err(said)) => resume_unwind(Box::new(said)),
        Err(RecvTimeoutError::Disconnected) => resume_unwind(Box::new("a reader was lost")),
        Err(RecvTimeoutError::Timeout) => match noted.note(None) {
            Some(unread) => Err(Box::new(Unread { why: Why::Hangs(limit), ..unread })),
            None => resume_unwind(Box::new(format!("no mutant was made within {limit:?}"))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{LIMIT, Reader, Unread, Why, within};
    use crate::language::Lang;
    use crate::panics::catch;
    use std::time::{Duration, Instant};

    fn unread(text: &str, why: Why) -> Unread {
        let (text, made_of) = (text.to_owned(), "a.imp".to_owned());
        Unread { lang: Lang::named("imp").expect("a language"), text, made_of, why }
    }

    /// A reader that is at this text, and does not get on.
    fn hangs(reader: &Reader, text: &str) {
        reader.note(Some(unread(text, Why::Hangs(LIMIT))));
        std::thread::sleep(Duration::from_secs(600));
    }

    #[test]
    fn who_reads_for_too_long_is_left_alone() {
        let limit = Duration::from_millis(50);
        let start = Instant::now();
        let made = within(limit, |reader| {
            hangs(reader, "results (x)");
            Ok(())
        });
        assert_eq!(made, Err(Box::new(unread("results (x)", Why::Hangs(limit)))));
        assert!(start.elapsed() < Duration::from_secs(60));
        // What hangs elsewhere is no matter of a text.
        let made = catch(|| {
            within(limit, |_| {
                std::thread::sleep(Duration::from_secs(600));
                Ok(())
            })
        });
        assert!(made.is_err_and(|said| said.starts_with("no mutant was made")));
    }

    #[test]
    fn what_is_made_in_time_is_made_and_panics_are_passed_on() {
        let lang = Lang::named("imp").expect("a language");
        let read = within(LIMIT, move |reader| {
            reader.read(lang, "param (n : int)\nskip\nresults (n)", "a.imp")
        });
        assert!(matches!(read, Ok(Ok(_))), "{read:?}");
        let refused = within(LIMIT, move |reader| reader.read(lang, "results (x)", "a.imp"));
        assert!(matches!(refused, Ok(Err(_))), "{refused:?}");
        let panicked = catch(|| within(LIMIT, |_| -> Result<(), _> { panic!("by mistake") }));
        assert!(panicked.is_err_and(|said| said.starts_with("by mistake")));
    }
}
