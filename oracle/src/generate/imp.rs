//! IMP programs are translations of FUNMEM programs: none are drawn.

use super::{Generate, Generator};
use reference::imp::Imp;

impl Generate for Imp {
    const GENERATOR: Option<Generator<Imp>> = None;
}
