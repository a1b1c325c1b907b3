//! Each fault that is planted in FCL's types or compiler is found without a driver, its stage is blamed, and the
//! witness is small. `--nocapture` shows when.
#![allow(clippy::print_stdout)]

use super::blame::settings;
use oracle::campaign::{self, Elapsed, Kept, Record, Tally, Watch};
use oracle::check::{Depth, Tester};
use oracle::faults::Entry;
use oracle::stages::Plan;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Definitions and bindings of a program that shows one.
const BINDINGS: usize = 8;

/// Ends a campaign with the first finding that is the fault's: without the fault there is none.
struct First {
    stop: Arc<AtomicBool>,
    kept: Mutex<Option<Kept>>,
}

impl Watch for First {
    fn progress(&self, _: &Tally, _: Elapsed) {}
    fn found(&self, kept: &Kept) {
        let mut without = Tester::new(Vec::new(), Plan::default());
        let mut first = self.kept.lock().expect("nobody broke");
        if first.is_none() && without.examine(&kept.record.case, Depth::Whole).finding().is_none() {
            *first = Some(kept.clone());
            self.stop.store(true, Ordering::Relaxed);
        }
    }
    fn flaked(&self, record: &Record, _: &Path) {
        panic!("no adapter is asked: {}", record.text());
    }
    fn unwritten(&self, _: &Record, error: &std::io::Error) {
        panic!("a finding cannot be written: {error}");
    }
    fn broken(&self, text: &str) {
        panic!("{text}");
    }
    fn unsaved(&self, error: &std::io::Error) {
        panic!("the campaign cannot be kept: {error}");
    }
}

fn is_found(id: &str) {
    let fault = Entry::find(id).expect("it is on the list");
    let folder = tempfile::TempDir::new().expect("a folder");
    let mut settings = settings(folder.path(), fault, 1);
    settings.first_only = false;
    let stop = Arc::new(AtomicBool::new(false));
    let watch = First { stop: Arc::clone(&stop), kept: Mutex::default() };
    campaign::run(&settings, &stop, &watch);
    let kept = watch.kept.into_inner().expect("nobody broke");
    let kept = kept.unwrap_or_else(|| panic!("{id} is not found"));
    let finding = &kept.record.finding;
    assert_eq!(finding.stage, fault.pass, "{id}: {}", finding.text);
    let text = kept.record.text();
    assert!(kept.record.statements() <= BINDINGS, "{id} is not small:\n{text}");
    println!("{id} after {:.1} s, {} bindings: {}", kept.seen.as_secs_f64(), kept.record.statements(), finding.text);
}

/// A campaign finds each within a minute.
macro_rules! faults {
    ($($name:ident $id:literal)*) => {
        $(#[test] fn $name() { is_found($id); })*

        pub(super) const TESTED: &[&str] = &[$($id),*];
    };
}

faults! {
    loops_of_groups_in_place "F1"
    loops_of_the_grid_in_place "F2"
    arrays_of_groups_that_are_cut "F3"
    quotients_that_are_folded "F4"
    shifts_of_negative_numbers "F5"
    a_quotient_of_itself "F6"
    an_order_that_is_forgotten "F7"
    one_element_for_one_invocation "F8"
    a_condition_without_a_barrier "F9"
    a_warp_without_barriers "F10"
    threads_that_share_arrays "F11"
    a_forgotten_back_edge "F12"
    an_incomplete_round "F13"
    the_lowest_invocation "F14"
    chunks_of_any_length "F15"
    a_context_that_is_generalised "F16"
    levels_without_successors "F17"
}
