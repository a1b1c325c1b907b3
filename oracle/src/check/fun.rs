//! FUN has one semantics, which all else is held against.

use super::judge::Judge;
use crate::engine::StageId;
use crate::stages::INSERT_MEMORY;
use reference::fun::Fun;

impl Judge for Fun {
    const MEMORY: StageId = INSERT_MEMORY;
}
