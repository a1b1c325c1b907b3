//! Modules from text, as `spirv-dis` prints it and `spirv-as` reads it. Tint prints its modules so, and the
//! samples of the tests are written so.
//!
//! Opcodes and names of enumerations are those of `rspirv`'s grammar. An operand is read by its form (an id, a
//! number, a string, a name) and not checked against the grammar: [`parse`](super::parse) does that.

use super::half;
use rspirv::grammar::INSTRUCTION_TABLE;
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, GlslStd450Op,
    GroupOperation, MemoryModel, Op, SourceLanguage, StorageClass,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::str::FromStr;

/// A line that is no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Unread {
    /// Its number, from 1.
    pub line: usize,
    /// What of it is not understood.
    pub what: String,
}

/// A part of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'t> {
    /// `%name`
    Id(&'t str),
    /// Between quotation marks.
    Text(&'t str),
    /// A number, or a name of the grammar.
    Word(&'t str),
}
use Token::{Id, Text, Word};

/// How a literal of a type is written.
#[derive(Clone, Copy, Debug)]
struct Literal {
    float: bool,
    bits: u32,
}

#[derive(Default)]
struct Assembler {
    ids: FxHashMap<String, u32>,
    /// Of the scalar types, by their ids.
    literals: FxHashMap<u32, Literal>,
    /// The types of values, by their ids, as far as they are scalars.
    types: FxHashMap<u32, u32>,
    words: Vec<u32>,
    /// Ids that `OpName` names.
    named: FxHashSet<u32>,
    /// Where the first instruction that may not stand before names begins.
    behind_names: Option<usize>,
}

/// The words of a module.
///
/// # Errors
/// A line is not understood.
pub fn assemble(text: &str) -> Result<Vec<u32>, Unread> {
    Ok(assembled(text, false)?.words())
}

/// The same, with an `OpLine` before each instruction that says its line of the text, and names of the text for ids
/// that have none, so that reports can point into the text.
///
/// # Errors
/// A line is not understood.
pub fn assemble_with_lines(text: &str) -> Result<Vec<u32>, Unread> {
    let mut assembler = assembled(text, true)?;
    assembler.name();
    Ok(assembler.words())
}

fn assembled(text: &str, lines: bool) -> Result<Assembler, Unread> {
    let mut assembler =
        Assembler { words: vec![0x0723_0203, 0x0001_0000, 0, 0, 0], ..Assembler::default() };
    for (number, line) in text.lines().enumerate() {
        let unread = |what| Unread { line: number + 1, what };
        let tokens = tokens(line).map_err(unread)?;
        if tokens.is_empty() {
            continue;
        }
        let start = assembler.words.len();
        if lines {
            let file = assembler.id(FILE);
            assembler.words.extend([4 << 16 | Op::Line as u32, file, number as u32 + 1, 0]);
        }
        let op = assembler.instruction(&tokens).map_err(unread)?;
        if !stands_before_names(op) {
            assembler.behind_names.get_or_insert(start);
        }
    }
    Ok(assembler)
}

/// The key of the id of the text's own name, which no id of a text has.
const FILE: &str = "";

/// Does the instruction belong to the sections up to that of names?
fn stands_before_names(op: Op) -> bool {
    matches!(
        op,
        Op::Capability
            | Op::Extension
            | Op::ExtInstImport
            | Op::MemoryModel
            | Op::EntryPoint
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::String
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::Name
            | Op::MemberName
            | Op::ModuleProcessed
    )
}

fn tokens(line: &str) -> Result<Vec<Token<'_>>, String> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            ';' => break,
            '"' => {
                let end = rest[1..].find('"').ok_or("a string without an end")?;
                tokens.push(Text(&rest[1..=end]));
                end + 2
            }
            _ => {
                let end = rest.find([' ', '\t', ';']).unwrap_or(rest.len());
                let word = &rest[..end];
                tokens.push(if first == '%' { Id(word) } else { Word(word) });
                end
            }
        };
        rest = rest[end..].trim_start();
    }
    Ok(tokens)
}

impl Assembler {
    fn words(mut self) -> Vec<u32> {
        self.words[3] = self.ids.len() as u32 + 1;
        self.words
    }

    /// Names ids as the text does.
    fn name(&mut self) {
        let mut ids: Vec<(u32, &str)> =
            self.ids.iter().map(|(name, id)| (*id, name.trim_start_matches('%'))).collect();
        ids.retain(|(id, _)| !self.named.contains(id));
        ids.sort_unstable();
        let mut names = Vec::new();
        for (id, name) in ids {
            let op = if name.is_empty() { Op::String } else { Op::Name };
            let name = string(name);
            names.push((name.len() as u32 + 2) << 16 | op as u32);
            names.push(id);
            names.extend(name);
        }
        let at = self.behind_names.unwrap_or(self.words.len());
        self.words.splice(at..at, names);
    }

    fn id(&mut self, name: &str) -> u32 {
        let next = self.ids.len() as u32 + 1;
        *self.ids.entry(name.to_owned()).or_insert(next)
    }

    fn instruction(&mut self, tokens: &[Token<'_>]) -> Result<Op, String> {
        let (result, rest) = match tokens {
            [Id(result), Word("="), rest @ ..] => (Some(self.id(result)), rest),
            _ => (None, tokens),
        };
        let [Word(name), rest @ ..] = rest else { return Err("no opcode".to_owned()) };
        let known = name.strip_prefix("Op").and_then(|name| {
            INSTRUCTION_TABLE.iter().find(|instruction| instruction.opname == name)
        });
        let op = known.ok_or_else(|| format!("no opcode `{name}`"))?.opcode;
        let mut operands = Vec::new();
        let mut rest = rest;
        let mut ty = 0;
        if let Some(result) = result {
            let untyped = matches!(op, Op::Label | Op::ExtInstImport | Op::String)
                || name.starts_with("OpType");
            if let ([Id(named), others @ ..], false) = (rest, untyped) {
                ty = self.id(named);
                operands.push(ty);
                rest = others;
                self.types.insert(result, ty);
            }
            operands.push(result);
            self.scalar(op, result, rest);
        }
        let literal = match (op, rest) {
            (Op::Constant | Op::SpecConstant, _) => self.literals.get(&ty).copied(),
            (Op::Switch, [Id(selector), ..]) => {
                let ty = self.ids.get(*selector).and_then(|id| self.types.get(id));
                ty.and_then(|ty| self.literals.get(ty)).copied()
            }
            _ => None,
        };
        for (n, token) in rest.iter().enumerate() {
            match token {
                Id(name) => operands.push(self.id(name)),
                Text(text) => operands.extend(string(text)),
                Word(word) => match number(word, literal) {
                    Some(number) => operands.extend(number),
                    None => operands
                        .push(named(op, n, word).ok_or_else(|| format!("no number of `{word}`"))?),
                },
            }
        }
        let count =
            u16::try_from(operands.len() + 1).map_err(|_| "too many operands".to_owned())?;
        if op == Op::Name {
            self.named.extend(operands.first());
        }
        self.words.push(u32::from(count) << 16 | op as u32);
        self.words.extend(operands);
        Ok(op)
    }

    /// Notes how literals of a type are written.
    fn scalar(&mut self, op: Op, id: u32, operands: &[Token<'_>]) {
        let float = match op {
            Op::TypeInt => false,
            Op::TypeFloat => true,
            _ => return,
        };
        let bits = match operands.first() {
            Some(Word(bits)) => bits.parse().unwrap_or(32),
            _ => 32,
        };
        self.literals.insert(id, Literal { float, bits });
    }
}

/// The words of a string, with the zero behind it.
fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    let word = |four: &[u8]| u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    bytes.chunks_exact(4).map(word).collect()
}

/// The words of a number.
fn number(word: &str, literal: Option<Literal>) -> Option<Vec<u32>> {
    let wide = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    match literal {
        Some(Literal { float: true, bits: 64 }) => Some(wide(float(word)?.to_bits())),
        Some(Literal { float: true, bits: 16 }) => Some(vec![half::to_bits(float(word)?).into()]),
        Some(Literal { float: true, .. }) => {
            // The nearest of the decimal number, not of its nearest of 64 bits.
            let single = word.parse::<f32>().ok().or_else(|| Some(float(word)? as f32));
            Some(vec![single?.to_bits()])
        }
        Some(Literal { bits: 64, .. }) => Some(wide(integer(word)?)),
        _ => Some(vec![integer(word)? as u32]),
    }
}

fn integer(word: &str) -> Option<u64> {
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse::<u64>().ok().or_else(|| Some(word.parse::<i64>().ok()? as u64)),
    }
}

/// A decimal number, or one like `-0x1.8p+3`.
fn float(word: &str) -> Option<f64> {
    let (sign, digits) = word.strip_prefix('-').map_or((1.0, word), |digits| (-1.0, digits));
    let Some(digits) = digits.strip_prefix("0x") else { return word.parse().ok() };
    let (mantissa, exponent) = digits.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent = exponent.parse::<i32>().ok()? - 4 * fraction.len() as i32;
    Some(sign * bits as f64 * 2f64.powi(exponent))
}

/// The number of a name, by the instruction in which it stands; of names with `|` between them
/// that of all.
fn named(op: Op, n: usize, name: &str) -> Option<u32> {
    fn of<T: FromStr>(name: &str, number: fn(T) -> u32) -> Option<u32> {
        T::from_str(name).ok().map(number)
    }
    match op {
        Op::TypePointer | Op::Variable => of::<StorageClass>(name, |x| x as u32),
        Op::Decorate | Op::MemberDecorate => {
            of::<Decoration>(name, |x| x as u32).or_else(|| of::<BuiltIn>(name, |x| x as u32))
        }
        Op::Capability => of::<Capability>(name, |x| x as u32),
        Op::Source => of::<SourceLanguage>(name, |x| x as u32),
        Op::MemoryModel if n == 0 => of::<AddressingModel>(name, |x| x as u32),
        Op::MemoryModel => of::<MemoryModel>(name, |x| x as u32),
        Op::EntryPoint => of::<ExecutionModel>(name, |x| x as u32),
        Op::ExecutionMode | Op::ExecutionModeId => of::<ExecutionMode>(name, |x| x as u32),
        Op::SpecConstantOp => INSTRUCTION_TABLE
            .iter()
            .find(|instruction| instruction.opname == name)
            .map(|instruction| instruction.opcode as u32),
        Op::ExtInst => (0..100)
            .find(|k| GlslStd450Op::from_u32(*k).is_some_and(|op| format!("{op:?}") == name)),
        _ => of::<GroupOperation>(name, |x| x as u32).or_else(|| masks(name)),
    }
}

/// Masks of memory accesses and of control flow.
fn masks(names: &str) -> Option<u32> {
    names.split('|').try_fold(0, |mask, name| {
        let bit = match name {
            "None" => 0,
            // Memory accesses.
            "Volatile" => 1,
            "Aligned" => 2,
            "Nontemporal" => 4,
            "MakePointerAvailable" => 8,
            "MakePointerVisible" => 16,
            "NonPrivatePointer" => 32,
            // Selections, loops and functions.
            "Flatten" | "Unroll" | "Inline" => 1,
            "DontFlatten" | "DontUnroll" | "DontInline" => 2,
            "Pure" => 4,
            "Const" => 8,
            _ => return None,
        };
        Some(mask | bit)
    })
}

#[cfg(test)]
mod tests {
    use super::{Literal, Unread, assemble, assemble_with_lines, float, number};

    #[test]
    fn numbers_are_of_their_type() {
        let words = |word, float, bits| number(word, Some(Literal { float, bits }));
        assert_eq!(words("-1", false, 32), Some(vec![u32::MAX]));
        assert_eq!(words("-2", false, 64), Some(vec![u32::MAX - 1, u32::MAX]));
        assert_eq!(words("4294967296", false, 64), Some(vec![0, 1]));
        assert_eq!(words("0.5", true, 32), Some(vec![0.5f32.to_bits()]));
        assert_eq!(words("0.5", true, 16), Some(vec![0x3800]));
        assert_eq!(words("3", true, 32), Some(vec![3f32.to_bits()]));
        assert_eq!(words("-0x1.8p+3", true, 32), Some(vec![(-12f32).to_bits()]));
        assert_eq!(words("0x1p+128", true, 32), Some(vec![f32::INFINITY.to_bits()]));
        assert_eq!(words("1.5", true, 64), Some(vec![0, 0x3ff8_0000]));
        assert_eq!(float("0x1.8p"), None);
    }

    #[test]
    fn what_is_not_understood_is_named_with_its_line() {
        let unread = |line, what: &str| Err(Unread { line, what: what.to_owned() });
        assert_eq!(assemble("OpCapability Shader\nOpWhat %1"), unread(2, "no opcode `OpWhat`"));
        assert_eq!(assemble("OpCapability What"), unread(1, "no number of `What`"));
        assert_eq!(assemble("OpName %1 \"a"), unread(1, "a string without an end"));
        assert_eq!(assemble("%1 = ; OpUndef"), unread(1, "no opcode"));
    }

    /// Each instruction has its line, and ids the names of the text.
    #[test]
    fn lines_are_kept() {
        let text = "\nOpCapability Shader\n\n%a = OpTypeVoid\n";
        let words = assemble_with_lines(text).expect("it is understood");
        let file = [3 << 16 | 7, 1, 0];
        let name = [3 << 16 | 5, 2, u32::from_le_bytes(*b"a\0\0\0")];
        let [capability, void] = [(2 << 16 | 17, 1), (2 << 16 | 19, 2)];
        let first = [4 << 16 | 8, 1, 2, 0, capability.0, capability.1];
        let second = [4 << 16 | 8, 1, 4, 0, void.0, void.1];
        assert_eq!(words[5..], [&first[..], &file, &name, &second].concat());
        assert_eq!(words[3], 3);
    }

    /// As `spirv-dis` prints them: comments, names, strings with semicolons, masks.
    #[test]
    fn lines_become_words() {
        let text = "; Version: 1.4\n   OpName %a \"x; y\" ; a name\n\
            %b = OpLoad %u %a MakePointerVisible|NonPrivatePointer %two\n";
        let words = assemble(text).expect("it is understood");
        assert_eq!(words[3], 5);
        assert_eq!(words[5..9], [4 << 16 | 5, 1, u32::from_le_bytes(*b"x; y"), 0]);
        assert_eq!(words[9..], [6 << 16 | 61, 3, 2, 1, 48, 4]);
    }
}
