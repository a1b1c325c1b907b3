//! Which blocks a phi takes its values from.

use super::Read;
use super::body::{Body, Here};
use super::structure::RawFunction;
use crate::spirv::rules::Rule;
use rspirv::spirv::Word;

impl Body<'_> {
    /// Each phi of a function has one operand for each block that goes to its own, and no other: a pair for the block
    /// itself, whether that is reached or not (SPIR-V, OpPhi).
    pub(super) fn phis(&self, function: &RawFunction) -> Read<()> {
        for (number, block) in function.blocks.iter().enumerate() {
            let mut before: Option<Vec<Word>> = None;
            for at in block.range.clone().take_while(|at| self.is_phi(*at)) {
                let before = before.get_or_insert_with(|| {
                    let to_here = function.blocks.iter().filter(|from| from.next.contains(&number));
                    to_here.map(|from| from.label).collect()
                });
                self.phi_of(&self.here(at), before)?;
            }
        }
        Ok(())
    }

    /// A phi of a block to which these lead.
    fn phi_of(&self, at: &Here<'_>, before: &[Word]) -> Read<()> {
        let invalid =
            |text: String| Err(self.reader.invalid(at.number, Rule::Blocks, "label", &text));
        let mut parents = Vec::new();
        for n in (1..at.operands.len()).step_by(2) {
            let parent = self.id(at, n)?;
            if !before.contains(&parent) {
                return invalid(format!(
                    "{} of the phi does not lead to its block",
                    self.reader.called(parent)
                ));
            }
            if parents.contains(&parent) {
                return invalid(format!(
                    "the phi has two operands for {}",
                    self.reader.called(parent)
                ));
            }
            parents.push(parent);
        }
        match before.iter().find(|from| !parents.contains(from)) {
            Some(from) => invalid(format!("the phi has no operand for %{from}")),
            None => Ok(()),
        }
    }
}
