//! FCL has one semantics, at several locations: no ending depends on the location.

use super::judge::Judge;
use reference::fcl::Fcl;

impl Judge for Fcl {}
