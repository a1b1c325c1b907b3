//! Modules as text, an instruction a line, with words that say the lines: so reports about a module that has no source point
//! into that text.

use super::parse::words::whole;
use rspirv::binary::{Consumer, Disassemble, ParseAction, parse_words};
use rspirv::dr::{Instruction, ModuleHeader};
use rspirv::spirv::Op;

/// A module and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disassembled {
    /// Its words, with an `OpLine` before each instruction.
    pub words: Vec<u32>,
    /// Its text.
    pub text: String,
}

/// Words of a module at most: the text is some times as large.
const LARGEST: usize = 1 << 20;

/// The text of a module; none if the words are no module, or too many.
pub fn disassemble_with_lines(words: &[u32]) -> Option<Disassembled> {
    if words.len() > LARGEST || whole(words) < words.len() {
        return None;
    }
    let mut lines = Lines::default();
    parse_words(words, &mut lines).ok()?;
    // Nothing asks what the file is: its id is the first one that the module does not have.
    let file = *words.get(3)?;
    let (header, mut rest) = words.split_at_checked(5)?;
    let mut lined = header.to_vec();
    let mut number = 0;
    while let Some(first) = rest.first() {
        let (instruction, others) = rest.split_at_checked(((first >> 16) as usize).max(1))?;
        rest = others;
        number += 1;
        // Lines of a source that is not at hand would go before.
        if [Op::Line as u32, Op::NoLine as u32].contains(&(first & 0xffff)) {
            continue;
        }
        lined.extend([4 << 16 | Op::Line as u32, file, number, 0]);
        lined.extend(instruction);
    }
    Some(Disassembled { words: lined, text: lines.0 })
}

/// The lines so far.
#[derive(Default)]
struct Lines(String);

impl Consumer for Lines {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, instruction: Instruction) -> ParseAction {
        // A string may have line breaks of its own.
        self.0.push_str(&instruction.disassemble().replace(['\n', '\r'], " "));
        self.0.push('\n');
        ParseAction::Continue
    }
}

#[cfg(test)]
mod tests {
    use super::disassemble_with_lines;
    use crate::spirv::assemble::assemble;

    #[test]
    fn each_instruction_is_a_line() {
        let words = assemble("OpCapability Shader\n%a = OpTypeVoid\n").expect("it is understood");
        let module = disassemble_with_lines(&words).expect("it is a module");
        assert_eq!(module.text, "OpCapability Shader\n%1 = OpTypeVoid\n");
        let lined =
            [4 << 16 | 8, 2, 1, 0, words[5], words[6], 4 << 16 | 8, 2, 2, 0, words[7], words[8]];
        assert_eq!(module.words[5..], lined);
        assert_eq!(disassemble_with_lines(&words[..8]), None);
        // An instruction that ends within a string.
        let words = assemble("OpExtension \"SPV_KHR_storage_buffer_storage_class\"\n");
        let words = words.expect("it is understood");
        for end in 6..words.len() {
            assert_eq!(disassemble_with_lines(&words[..end]), None);
        }
    }
}
