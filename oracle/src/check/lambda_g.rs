//! λG has one semantics, which runs side by side what branches do and is deterministic.

use super::judge::Judge;
use reference::lambda_g::LambdaG;

impl Judge for LambdaG {}
