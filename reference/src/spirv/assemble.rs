//! Modules from text, as `spirv-dis` prints it and `spirv-as` reads it. Tint prints its modules so, and the
//! samples of the tests are written so.
//!
//! Opcodes, operands and names of enumerations are those of `rspirv`'s grammar ([`grammar`]). What hangs on more than one
//! instruction, [`parse`](super::parse) checks.

mod grammar;

use super::half;
use rspirv::grammar::{INSTRUCTION_TABLE, OperandKind};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A line that is no instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Unread {
    /// Its number, from 1.
    pub line: usize,
    /// The part of it that is not understood, as bytes of the text.
    pub part: Range<usize>,
    /// What of it is not understood.
    pub what: String,
    /// What may help.
    pub help: Option<String>,
}

/// What is wrong with a line.
struct Wrong {
    /// Where in the text it begins, by its address, and its bytes.
    part: (usize, usize),
    what: String,
    help: Option<String>,
}

impl Wrong {
    /// With a part of the line.
    fn new(part: &str, what: impl Into<String>) -> Self {
        Self { part: (part.as_ptr() as usize, part.len()), what: what.into(), help: None }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// In this line of this text.
    fn within(self, text: &str, line: usize) -> Unread {
        let (address, bytes) = self.part;
        let start = address.saturating_sub(text.as_ptr() as usize);
        Unread { line, part: start..start + bytes, what: self.what, help: self.help }
    }
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

impl<'t> Token<'t> {
    /// As it stands in the line, a string without its quotation marks.
    fn text(&self) -> &'t str {
        let (Id(text) | Text(text) | Word(text)) = self;
        text
    }

    /// What it is.
    fn form(&self) -> &'static str {
        match self {
            Id(_) => "an id",
            Text(_) => "a string",
            Word(word) if is_numeric(word) => "a number",
            Word(_) => "a name",
        }
    }
}

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
        let unread = |wrong: Wrong| wrong.within(text, number + 1);
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

fn tokens(line: &str) -> Result<Vec<Token<'_>>, Wrong> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            ';' => break,
            '"' => {
                let end = end_of_string(&rest[1..]).ok_or_else(|| {
                    let help = "a string ends in its line, with a quotation mark";
                    Wrong::new(rest.trim_end(), "a string without an end").help(help)
                })?;
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

/// Where the quotation mark stands that ends a string; one behind a backslash is of its text.
fn end_of_string(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => return Some(at),
            b'\\' => _ = bytes.next(),
            _ => {}
        }
    }
    None
}

/// The text of a string, without the backslashes before its characters.
fn unescaped(text: &str) -> String {
    let mut chars = text.chars();
    let mut plain = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
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

    fn instruction(&mut self, tokens: &[Token<'_>]) -> Result<Op, Wrong> {
        let (result, rest) = match tokens {
            [Id(result), Word("="), rest @ ..] => (Some(*result), rest),
            _ => (None, tokens),
        };
        let (name, rest) = match rest {
            [Word(name), rest @ ..] => (*name, rest),
            [other, ..] => {
                let help =
                    "an instruction begins with its opcode, or with `%result = ` before that";
                return Err(Wrong::new(other.text(), "no opcode").help(help));
            }
            [] => {
                let part = tokens.first().map_or("", Token::text);
                return Err(Wrong::new(part, "no opcode").help("an opcode belongs behind `=`"));
            }
        };
        let mut known = INSTRUCTION_TABLE.iter();
        let known = known.find(|class| name.strip_prefix("Op") == Some(class.opname));
        let class = known.ok_or_else(|| no_opcode(name))?;
        let op = class.opcode;
        let gives = class.operands.iter().any(|operand| operand.kind == OperandKind::IdResult);
        match result {
            None if gives => {
                let what = format!("{name} gives a result, which has no id here");
                return Err(Wrong::new(name, what).help(grammar::signature(class)));
            }
            Some(result) if !gives => {
                let what = format!("{name} gives no result");
                return Err(Wrong::new(result, what).help(grammar::signature(class)));
            }
            _ => {}
        }
        let kinds = grammar::kinds(class, name, rest)?;
        let has_parameters =
            kinds.last().is_some_and(|last| last.is_none_or(grammar::has_parameters));
        let result = result.map(|result| self.id(result));
        let mut operands = Vec::new();
        let mut behind = rest.iter().zip(kinds);
        let mut ty = 0;
        if let Some((Id(named), Some(OperandKind::IdResultType))) = behind.clone().next() {
            behind.next();
            ty = self.id(named);
            operands.push(ty);
            self.types.extend(result.map(|result| (result, ty)));
        }
        if let Some(result) = result {
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
        for (token, kind) in behind {
            match token {
                Id(name) => operands.push(self.id(name)),
                Text(text) => operands.extend(string(&unescaped(text))),
                Word(word) => match number(word, literal) {
                    Some(number) => operands.extend(number),
                    None => {
                        let named = match kind {
                            Some(kind) => grammar::number(kind, word),
                            None => grammar::number_behind(op, word),
                        };
                        operands.push(named.ok_or_else(|| match is_numeric(word) {
                            true => no_number(word, literal),
                            false => grammar::no_name(op, word, kind),
                        })?);
                    }
                },
            }
        }
        let count = u16::try_from(operands.len() + 1).map_err(|_| {
            let help = "an instruction has 65,535 words at most";
            Wrong::new(name, "too many operands").help(help)
        })?;
        if op == Op::Name {
            self.named.extend(operands.first());
        }
        let start = self.words.len();
        self.words.push(u32::from(count) << 16 | op as u32);
        self.words.extend(operands);
        if has_parameters {
            grammar::check_parameters(&self.words[start..], rest)?;
        }
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
        Some(Literal { float: true, bits: 64 }) => {
            let number = float(word)?;
            (number.is_finite() || may_be_infinite(word)).then(|| wide(number.to_bits()))
        }
        Some(Literal { float: true, bits: 16 }) => {
            let bits = half::to_bits(float(word)?);
            (half::from_bits(bits).is_finite() || may_be_infinite(word)).then(|| vec![bits.into()])
        }
        Some(Literal { float: true, .. }) => {
            // The nearest of the decimal number, not of its nearest of 64 bits.
            let single = word.parse::<f32>().ok().or_else(|| Some(float(word)? as f32))?;
            (single.is_finite() || may_be_infinite(word)).then(|| vec![single.to_bits()])
        }
        Some(Literal { bits: 64, .. }) => Some(wide(integer(word)?)),
        literal => {
            let bits = literal.map_or(32, |literal| literal.bits.min(32));
            let (number, end) = (integer(word)? as i64, 1i64 << bits);
            // A number of 64 bits with its sign stands for itself.
            let fits = (-end / 2..end).contains(&number) && (number < 0) == word.starts_with('-');
            (fits || number == 0).then(|| vec![number as u32])
        }
    }
}

/// Is it a number, perhaps one that is too large?
fn is_numeric(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && !digits.contains(|c: char| !c.is_ascii_hexdigit() && !".xXpP+-".contains(c))
}

/// May it say an infinity? A decimal number that is too large does not.
fn may_be_infinite(word: &str) -> bool {
    word.trim_start_matches('-').starts_with("0x") || !is_numeric(word)
}

/// What is wrong with a number that its type does not have.
fn no_number(word: &str, literal: Option<Literal>) -> Wrong {
    let Literal { float, bits } = literal.unwrap_or(Literal { float: false, bits: 32 });
    let (what, help) = match float {
        true => ("float", "the finite ones are written in decimals".to_owned()),
        false => {
            let bits = bits.clamp(1, 64);
            let (least, most) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
            ("integer", format!("those are the numbers from {least} to {most}"))
        }
    };
    Wrong::new(word, format!("`{word}` is no {what} of {bits} bits")).help(help)
}

/// What is wrong with a word that stands where an opcode belongs.
#[cold]
fn no_opcode(word: &str) -> Wrong {
    let known = INSTRUCTION_TABLE.iter().map(|class| format!("Op{}", class.opname));
    let known: Vec<String> = known.collect();
    let help = grammar::near(word, known.iter().map(String::as_str))
        .unwrap_or_else(|| "an instruction begins with its opcode, such as OpLoad".to_owned());
    Wrong::new(word, format!("no opcode `{word}`")).help(help)
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
    let exponent = exponent.parse::<i32>().ok()?.saturating_sub(4 * fraction.len() as i32);
    Some(sign * bits as f64 * 2f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::{Literal, assemble, assemble_with_lines, float, number};

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

    /// With its line, the part of that, and what helps.
    #[test]
    fn what_is_not_understood_is_underlined() {
        for (text, line, part, what, help) in [
            ("OpCapability Shader\nOpLaod %1", 2, "OpLaod", "no opcode `OpLaod`", "`OpLoad`"),
            ("What %1", 1, "What", "no opcode `What`", "such as OpLoad"),
            ("OpCapability Shadre", 1, "Shadre", "`Shadre` is no name of Capability", "`Shader`"),
            ("OpCapability", 1, "OpCapability", "OpCapability lacks an operand", "Capability"),
            ("OpName %1 \"a", 1, "\"a", "a string without an end", "quotation mark"),
            ("OpName %1 a", 1, "a", "`a` is a name, and a string belongs here", "\"text\""),
            ("OpName 1 \"a\"", 1, "1", "`1` is a number, and an id belongs here", "OpName %id"),
            ("%a = ; OpUndef", 1, "%a", "no opcode", "behind `=`"),
            ("%a %b", 1, "%a", "no opcode", "`%result = `"),
            ("%a = OpTypeInt 32", 1, "OpTypeInt", "OpTypeInt lacks an operand: a number", "NUMBER"),
            ("%a = OpTypeInt 32 %b", 1, "%b", "`%b` is an id, and a number belongs here", "NUMBER"),
            ("%a = OpTypeInt 32 0 1", 1, "1", "an operand too many of OpTypeInt", "NUMBER NUMBER"),
            ("OpTypeVoid", 1, "OpTypeVoid", "OpTypeVoid gives a result", "%result = OpTypeVoid"),
            ("%a = OpReturn", 1, "%a", "OpReturn gives no result", "OpReturn"),
            ("%a = OpLoad", 1, "OpLoad", "lacks an operand: the id of a type", "%type %id"),
            ("%a = OpTypeInt 4294967296 0", 1, "4294967296", "no integer of 32 bits", "4294967295"),
            ("%a = OpTypeInt 1.5 0", 1, "1.5", "`1.5` is no integer of 32 bits", "numbers from"),
            ("%i = OpTypeInt 8 0\n%a = OpConstant %i 256", 2, "256", "of 8 bits", "-128 to 255"),
            ("%i = OpTypeFloat 32\n%a = OpConstant %i 1e39", 2, "1e39", "no float of 32", "finite"),
            ("OpDecorate %a BuiltIn Nope", 1, "Nope", "neither a number nor a name", "spirv-dis"),
            ("OpDecorate %a BuiltIn GlobalInvocationid", 1, "GlobalInvocationid", "", "`GlobalI"),
            ("OpDecorate %a ArrayStride", 1, "ArrayStride", "OpDecorate lacks an operand", ""),
            ("OpExecutionMode %a LocalSize 4 1", 1, "1", "OpExecutionMode lacks an operand", ""),
            ("OpDecorate %a Block 3", 1, "3", "OpDecorate has an operand too many", ""),
            ("OpStore %a %b Aligned", 1, "Aligned", "OpStore lacks an operand", "`Aligned`"),
            (
                "OpStore %a %b What",
                1,
                "What",
                "`What` is no name of MemoryAccess",
                "one is Volatile",
            ),
        ] {
            let unread = assemble(text).expect_err(text);
            assert_eq!((unread.line, &text[unread.part.clone()]), (line, part), "{unread:?}");
            let helps = unread.help.as_deref().unwrap_or_default().contains(help);
            assert!(unread.what.contains(what) && helps, "{unread:?}");
        }
    }

    /// Images are not modelled, but understood; as are masks, and quotation marks in strings.
    #[test]
    fn names_of_all_kinds_are_known() {
        for (text, words) in [
            ("%a = OpTypeImage %f 2D 0 0 0 1 Unknown", &[9 << 16 | 25, 1, 2, 1, 0, 0, 0, 1, 0][..]),
            ("%a = OpFunction %v DontInline|Pure %t", &[5 << 16 | 54, 2, 1, 6, 3]),
            ("OpDecorate %a FuncParamAttr Zext", &[4 << 16 | 71, 1, 38, 0]),
            (r#"OpName %a "\"b\\""#, &[3 << 16 | 5, 1, u32::from_le_bytes(*b"\"b\\\0")]),
            ("%a = OpConstant %f -1", &[4 << 16 | 43, 2, 1, u32::MAX]),
        ] {
            let known = assemble(text).map(|known| known[5..].to_vec());
            assert_eq!(known.as_deref(), Ok(words), "{text}");
        }
        assert!(float("0x1.8p-2147483648").is_some());
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
