//! Modules from text, as `spirv-as` takes it, as far as the tests need it.

use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, GlslStd450Op,
    MemoryModel, Op, StorageClass,
};
use std::collections::HashMap;
use std::str::FromStr;

/// The words of a module.
///
/// # Panics
/// If a line is not understood.
pub(super) fn assemble(text: &str) -> Vec<u32> {
    let mut ids = HashMap::new();
    let mut words = vec![0x0723_0203, 0x0001_0000, 0, 0, 0];
    for line in text.lines() {
        let tokens = tokens(line);
        if !tokens.is_empty() {
            instruction(&tokens, &mut ids, &mut words);
        }
    }
    words[3] = ids.len() as u32 + 1;
    words
}

fn tokens(line: &str) -> Vec<&str> {
    let line = line.split(';').next().unwrap_or_default();
    let mut tokens = Vec::new();
    for (n, part) in line.split('"').enumerate() {
        if n % 2 == 1 {
            tokens.push(part);
        } else {
            tokens.extend(part.split_whitespace());
        }
    }
    tokens
}

fn opcode(name: &str) -> Op {
    let found = (0..400).filter_map(Op::from_u32).find(|op| format!("Op{op:?}") == name);
    found.unwrap_or_else(|| panic!("no opcode `{name}`"))
}

fn instruction(tokens: &[&str], ids: &mut HashMap<String, u32>, words: &mut Vec<u32>) {
    let mut id = |name: &str| {
        let next = ids.len() as u32 + 1;
        *ids.entry(name.to_owned()).or_insert(next)
    };
    let (result, rest) = match tokens {
        [result, "=", rest @ ..] => (Some(id(result)), rest),
        _ => (None, tokens),
    };
    let op = opcode(rest[0]);
    let mut operands = Vec::new();
    let mut rest = &rest[1..];
    let untyped = matches!(op, Op::Label | Op::ExtInstImport | Op::String);
    if let Some(result) = result {
        if !untyped && !format!("{op:?}").starts_with("Type") {
            operands.push(id(rest[0]));
            rest = &rest[1..];
        }
        operands.push(result);
    }
    for (n, token) in rest.iter().enumerate() {
        if token.starts_with('%') {
            operands.push(id(token));
        } else if let Some(wide) = token.strip_suffix('L') {
            let k = wide.parse::<i64>().expect("a number");
            operands.extend([k as u32, (k >> 32) as u32]);
        } else if let Ok(k) = token.parse::<i64>() {
            operands.push(k as u32);
        } else if let Ok(k) = token.parse::<f32>() {
            operands.push(k.to_bits());
        } else if let Some(k) = word(op, n, token) {
            operands.push(k);
        } else {
            let mut bytes = token.as_bytes().to_vec();
            bytes.resize(bytes.len() / 4 * 4 + 4, 0);
            let string = bytes
                .chunks(4)
                .map(|four| u32::from_le_bytes(four.try_into().expect("four bytes")));
            operands.extend(string);
        }
    }
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend(operands);
}

/// The number of a name, by the instruction in which it stands.
fn word(op: Op, n: usize, name: &str) -> Option<u32> {
    fn of<T: FromStr>(name: &str, number: fn(T) -> u32) -> Option<u32> {
        T::from_str(name).ok().map(number)
    }
    if name == "None" {
        return Some(0);
    }
    match op {
        Op::TypePointer | Op::Variable => of::<StorageClass>(name, |x| x as u32),
        Op::Decorate | Op::MemberDecorate => {
            of::<Decoration>(name, |x| x as u32).or_else(|| of::<BuiltIn>(name, |x| x as u32))
        }
        Op::Capability => of::<Capability>(name, |x| x as u32),
        Op::MemoryModel if n == 0 => of::<AddressingModel>(name, |x| x as u32),
        Op::MemoryModel => of::<MemoryModel>(name, |x| x as u32),
        Op::EntryPoint if n == 0 => of::<ExecutionModel>(name, |x| x as u32),
        Op::ExecutionMode => of::<ExecutionMode>(name, |x| x as u32),
        Op::ExtInst => (0..100)
            .find(|k| GlslStd450Op::from_u32(*k).is_some_and(|op| format!("{op:?}") == name)),
        _ => None,
    }
}
