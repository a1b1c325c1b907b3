//! MiniAS by its semantics in several orders, and its translations by evidence in both readings: all end alike.

use super::judge::Judge;
use reference::minias::Minias;

impl Judge for Minias {}
