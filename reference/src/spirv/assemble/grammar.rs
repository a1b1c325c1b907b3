//! Which operands an instruction has, and by which names: the grammar of `rspirv`, held against a line of text.

use super::{Id, Text, Token, Word, Wrong};
use crate::spirv::parse::outline::refused;
use rspirv::binary::{Consumer, ParseAction, parse_words};
use rspirv::dr::{self, ModuleHeader};
use rspirv::grammar::{
    INSTRUCTION_TABLE, Instruction, LogicalOperand, OperandKind as Kind, OperandQuantifier,
};
use rspirv::spirv::{
    self, GlslStd450Op, MAGIC_NUMBER, NonsemanticDebugprintfOp, NonsemanticShaderDebuginfo100Op, Op,
};
use smallvec::{SmallVec, smallvec};
use std::str::FromStr;

/// The kinds of the operands that stand in a line behind the opcode, the type of the result among them; none of those whose
/// kind hangs on the one before, such as the number behind a decoration.
///
/// # Errors
/// An operand that is missing, too many, or none of its kind.
pub(super) fn kinds(
    class: &Instruction<'_>,
    opcode: &str,
    tokens: &[Token<'_>],
) -> Result<Vec<Option<Kind>>, Wrong> {
    let mut kinds = Vec::with_capacity(tokens.len());
    let operands = class.operands.iter().filter(|operand| operand.kind != Kind::IdResult);
    for operand in operands {
        loop {
            if operand.quantifier != OperandQuantifier::One && kinds.len() == tokens.len() {
                break;
            }
            for kind in parts(operand.kind) {
                let Some(token) = tokens.get(kinds.len()) else {
                    let what = format!("{opcode} lacks an operand: {}", of_kind(kind));
                    return Err(Wrong::new(opcode, what).help(signature(class)));
                };
                is_of(class, token, kind)?;
                kinds.push(Some(kind));
            }
            if has_parameters(operand.kind) {
                kinds.resize(tokens.len().max(kinds.len()), None);
                return Ok(kinds);
            }
            if operand.quantifier != OperandQuantifier::ZeroOrMore {
                break;
            }
        }
    }
    match tokens.get(kinds.len()) {
        Some(token) => {
            let what = format!("an operand too many of {opcode}");
            Err(Wrong::new(token.text(), what).help(signature(class)))
        }
        None => Ok(kinds),
    }
}

/// Is the token written as operands of this kind are?
fn is_of(class: &Instruction<'_>, token: &Token<'_>, kind: Kind) -> Result<(), Wrong> {
    let fits = match kind {
        Kind::IdResultType | Kind::IdRef | Kind::IdScope | Kind::IdMemorySemantics => {
            matches!(token, Id(_))
        }
        Kind::LiteralString => matches!(token, Text(_)),
        _ => matches!(token, Word(_)),
    };
    if fits {
        return Ok(());
    }
    let what =
        format!("`{}` is {}, and {} belongs here", token.text(), token.form(), of_kind(kind));
    Err(Wrong::new(token.text(), what).help(signature(class)))
}

/// The operands of which one of this kind consists.
fn parts(kind: Kind) -> SmallVec<[Kind; 2]> {
    match kind {
        Kind::PairLiteralIntegerIdRef => smallvec![Kind::LiteralInteger, Kind::IdRef],
        Kind::PairIdRefLiteralInteger => smallvec![Kind::IdRef, Kind::LiteralInteger],
        Kind::PairIdRefIdRef => smallvec![Kind::IdRef, Kind::IdRef],
        kind => smallvec![kind],
    }
}

/// May an operand of this kind have others behind it, which the grammar of the instruction does not list?
pub(super) fn has_parameters(kind: Kind) -> bool {
    let is_id =
        matches!(kind, Kind::IdResultType | Kind::IdRef | Kind::IdScope | Kind::IdMemorySemantics);
    let is_number = matches!(
        kind,
        Kind::LiteralInteger
            | Kind::LiteralString
            | Kind::LiteralFloat
            | Kind::LiteralContextDependentNumber
            | Kind::LiteralExtInstInteger
            | Kind::PairLiteralIntegerIdRef
            | Kind::PairIdRefLiteralInteger
            | Kind::PairIdRefIdRef
    );
    let is_plain = matches!(
        kind,
        Kind::SelectionControl
            | Kind::FunctionControl
            | Kind::SourceLanguage
            | Kind::ExecutionModel
            | Kind::AddressingModel
            | Kind::MemoryModel
            | Kind::StorageClass
            | Kind::Dim
            | Kind::ImageFormat
            | Kind::AccessQualifier
            | Kind::GroupOperation
            | Kind::Capability
            | Kind::PackedVectorFormat
    );
    !(is_id || is_number || is_plain)
}

fn of_kind(kind: Kind) -> String {
    match kind {
        Kind::IdResultType => "the id of a type".to_owned(),
        Kind::IdRef | Kind::IdScope | Kind::IdMemorySemantics => "an id".to_owned(),
        Kind::LiteralString => "a string".to_owned(),
        Kind::LiteralInteger | Kind::LiteralFloat | Kind::LiteralContextDependentNumber => {
            "a number".to_owned()
        }
        Kind::LiteralExtInstInteger => "the name of an extended instruction".to_owned(),
        Kind::LiteralSpecConstantOpInteger => "an opcode".to_owned(),
        kind => format!("a name of {kind:?}"),
    }
}

/// How the instruction is written: `%result = OpLoad %type %id [MemoryAccess]`.
pub(super) fn signature(class: &Instruction<'_>) -> String {
    let mut text = format!("it is written Op{}", class.opname.trim_start_matches("Op"));
    if class.operands.iter().any(|operand| operand.kind == Kind::IdResult) {
        text = text.replacen("written ", "written %result = ", 1);
    }
    for LogicalOperand { kind, quantifier } in class.operands {
        let kind = match kind {
            Kind::IdResult => continue,
            Kind::IdResultType => "%type".to_owned(),
            Kind::IdRef => "%id".to_owned(),
            Kind::IdScope => "%scope".to_owned(),
            Kind::IdMemorySemantics => "%semantics".to_owned(),
            Kind::LiteralString => "\"text\"".to_owned(),
            Kind::LiteralInteger | Kind::LiteralFloat | Kind::LiteralContextDependentNumber => {
                "NUMBER".to_owned()
            }
            Kind::LiteralExtInstInteger => "NAME".to_owned(),
            Kind::LiteralSpecConstantOpInteger => "OPCODE".to_owned(),
            Kind::PairLiteralIntegerIdRef => "NUMBER %id".to_owned(),
            Kind::PairIdRefLiteralInteger => "%id NUMBER".to_owned(),
            Kind::PairIdRefIdRef => "%id %id".to_owned(),
            kind => format!("{kind:?}"),
        };
        text += &match quantifier {
            OperandQuantifier::One => format!(" {kind}"),
            OperandQuantifier::ZeroOrOne => format!(" [{kind}]"),
            OperandQuantifier::ZeroOrMore => format!(" [{kind} ...]"),
        };
    }
    text
}

macro_rules! enumerations {
    ($($kind:ident)*; masks $($mask:ident)*) => {
        /// The number of a name, where an operand of this kind stands; of names with `|` between them that of all.
        pub(super) fn number(kind: Kind, name: &str) -> Option<u32> {
            match kind {
                $(Kind::$kind => spirv::$kind::from_str(name).ok().map(|known| known as u32),)*
                $(Kind::$mask => name.split('|').try_fold(0, |mask, name| {
                    let mut flags = spirv::$mask::all().iter_names();
                    let found = flags.find(|(flag, _)| is_called(flag, name));
                    Some(mask | found.map(|(_, flag)| flag.bits()).or((name == "None").then_some(0))?)
                }),)*
                Kind::Dim => spirv::Dim::from_str(&format!("Dim{name}")).ok().map(|known| known as u32),
                Kind::LiteralExtInstInteger => extended().find(|(known, _)| known == name).map(|(_, k)| k),
                Kind::LiteralSpecConstantOpInteger => {
                    let mut all = INSTRUCTION_TABLE.iter();
                    all.find(|class| class.opname == name).map(|class| class.opcode as u32)
                }
                _ => None,
            }
        }

        /// The names of operands of this kind.
        fn names(kind: Kind) -> Vec<String> {
            match kind {
                $(Kind::$kind => {
                    let known = |k| Some(format!("{:?}", spirv::$kind::from_u32(k)?));
                    (0..NUMBERS).filter_map(known).collect()
                })*
                $(Kind::$mask => {
                    let flags = spirv::$mask::all().iter_names();
                    flags.map(|(flag, _)| camel(flag)).collect()
                })*
                Kind::Dim => ["1D", "2D", "3D", "Cube", "Rect", "Buffer"].map(str::to_owned).to_vec(),
                Kind::LiteralExtInstInteger => extended().map(|(name, _)| name).collect(),
                Kind::LiteralSpecConstantOpInteger => {
                    INSTRUCTION_TABLE.iter().map(|class| class.opname.to_owned()).collect()
                }
                _ => Vec::new(),
            }
        }
    };
}

enumerations! {
    SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass
    SamplerAddressingMode SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType
    FPRoundingMode FPDenormMode QuantizationModes FPOperationMode OverflowModes LinkageType
    AccessQualifier HostAccessQualifier FunctionParameterAttribute Decoration BuiltIn Scope
    GroupOperation KernelEnqueueFlags Capability PackedVectorFormat FPEncoding ComponentType;
    masks ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl
    MemorySemantics MemoryAccess KernelProfilingInfo RayFlags FragmentShadingRate
}

/// Numbers of names lie below this.
const NUMBERS: u32 = 1 << 13;

/// The kinds of what may stand behind a decoration.
const BEHIND_DECORATIONS: [Kind; 5] = [
    Kind::BuiltIn,
    Kind::FPRoundingMode,
    Kind::FPFastMathMode,
    Kind::LinkageType,
    Kind::FunctionParameterAttribute,
];

/// The number of a name whose kind hangs on the operands before.
pub(super) fn number_behind(op: Op, name: &str) -> Option<u32> {
    match op {
        Op::Decorate | Op::MemberDecorate | Op::DecorateId => {
            BEHIND_DECORATIONS.iter().find_map(|kind| number(*kind, name))
        }
        _ => None,
    }
}

/// Instructions of the sets that shaders import, with their numbers.
fn extended() -> impl Iterator<Item = (String, u32)> {
    let glsl = |k| Some((format!("{:?}", GlslStd450Op::from_u32(k)?), k));
    let print = |k| Some((format!("{:?}", NonsemanticDebugprintfOp::from_u32(k)?), k));
    let debug = |k| Some((format!("{:?}", NonsemanticShaderDebuginfo100Op::from_u32(k)?), k));
    let each = move |k| glsl(k).into_iter().chain(print(k)).chain(debug(k));
    (0..200).flat_map(each)
}

/// Is `DONT_INLINE` what a text calls `DontInline`?
fn is_called(flag: &str, name: &str) -> bool {
    flag.bytes()
        .filter(|byte| *byte != b'_')
        .map(|byte| byte.to_ascii_lowercase())
        .eq(name.bytes().map(|byte| byte.to_ascii_lowercase()))
}

/// `DontInline` of `DONT_INLINE`.
fn camel(flag: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at_checked(1).unwrap_or((word, ""));
        format!("{first}{}", rest.to_ascii_lowercase())
    };
    flag.split('_').map(word).collect()
}

/// What is wrong with a word that stands where an operand of this kind belongs, and is none.
pub(super) fn no_name(op: Op, word: &str, kind: Option<Kind>) -> Wrong {
    let what = match kind {
        Some(kind) => format!("`{word}` is no {}", of_kind(kind).trim_start_matches("a ")),
        None => format!("`{word}` is neither a number nor a name that is known"),
    };
    let known: Vec<String> = match (kind, op) {
        (Some(kind), _) => names(kind),
        (None, Op::Decorate | Op::MemberDecorate | Op::DecorateId) => {
            BEHIND_DECORATIONS.iter().flat_map(|kind| names(*kind)).collect()
        }
        _ => Vec::new(),
    };
    let near = near(word, known.iter().map(String::as_str));
    Wrong::new(word, what).help(near.unwrap_or_else(|| match known.len() {
        1..=FEW => format!("one is {}", known.join(", ")),
        _ => "names are those of the specification of SPIR-V, as spirv-dis prints them".to_owned(),
    }))
}

/// So many names are listed.
const FEW: usize = 20;

/// Does the grammar take the operands whose kinds hang on others? These are the words of the instruction, and its tokens.
pub(super) fn check_parameters(words: &[u32], tokens: &[Token<'_>]) -> Result<(), Wrong> {
    let module = [&[MAGIC_NUMBER, 0x0001_0600, 0, u32::MAX, 0], words].concat();
    parse_words(&module, &mut Nobody).map_err(|state| {
        let last = tokens.last().map_or("", Token::text);
        let what = refused(&state, &module).what;
        Wrong::new(last, what).help(format!("the specification says what stands with `{last}`"))
    })
}

/// Takes what is read, and keeps nothing.
struct Nobody;

impl Consumer for Nobody {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, _: ModuleHeader) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, _: dr::Instruction) -> ParseAction {
        ParseAction::Continue
    }
}

/// What a word that is not known may have been meant to be.
pub(super) fn near<'n>(word: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let near = known
        .map(|known| (strsim::osa_distance(known, word), known))
        .filter(|(distance, known)| *distance <= known.len() / 3)
        .min();
    near.map(|(_, known)| format!("there is `{known}`"))
}
