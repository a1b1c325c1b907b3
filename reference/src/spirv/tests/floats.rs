//! Open floats, and infinities and NaNs that come of finite ones, in a module that is made from WGSL.

use super::{LAUNCH, Words, assemble, body};
use crate::kit::derivation::Recorder;
use crate::kit::schedule::Order;
use crate::spirv::eval::Executor;
use crate::spirv::parse::{Floats, specialized};
use crate::spirv::rules::Rule;
use crate::spirv::values::{Buffer, Launch, Remark, Report, Strictness};

const GLOBALS: &str = "
OpCapability Float16
%h = OpTypeFloat 16
%2f = OpTypeVector %f 2
%3f = OpTypeVector %f 3
%2h = OpTypeVector %h 2
%m2 = OpTypeMatrix %2f 2
%zero = OpConstant %f 0
%one = OpConstant %f 1
%two = OpConstant %f 2
%three = OpConstant %f 3
%third = OpConstant %f 0.3
%tenth = OpConstant %f 0.1
%ten = OpConstant %f 10
%minus_one = OpConstant %f -1
%hundred = OpConstant %f 100
%large = OpConstant %f 3e38
%wide = OpConstant %f 1e25
%small = OpConstant %f 1e-25
%7c00 = OpConstant %u 0x7c00
%ff800000 = OpConstant %u 0xff800000
%h0 = OpConstant %h 0
%h300 = OpConstant %h 300
%v00 = OpConstantComposite %2f %zero %zero
%v11 = OpConstantComposite %2f %one %one
%v10 = OpConstantComposite %2f %one %zero
%v01 = OpConstantComposite %2f %zero %one
%far = OpConstantComposite %2f %wide %zero
%near = OpConstantComposite %2f %small %zero
%fall = OpConstantComposite %2f %wide %minus_one
%rise = OpConstantComposite %2f %wide %one
%h3 = OpConstantComposite %2h %h300 %h0
%singular = OpConstantComposite %m2 %v11 %v11
%tall = OpConstantComposite %2f %one %wide
%large_ones = OpConstantComposite %m2 %far %tall
%unit = OpConstantComposite %m2 %v10 %v01
%far_down = OpConstantComposite %2f %zero %small
%few = OpConstantComposite %m2 %near %far_down
%undefined_float = OpUndef %f
";

/// What a launch of the body says, with open floats.
fn report(text: &str, strictness: Strictness) -> Report {
    let sample = super::Sample { globals: GLOBALS, ..body("", "", Words(&[])) };
    let text = sample
        .text()
        .replace("OpReturn\nOpFunctionEnd", &format!("{text}\nOpReturn\nOpFunctionEnd"));
    let mut recorder = Recorder::counting();
    let module = specialized(&assemble(&text), "main", &[], Floats::Open, &mut recorder);
    let module = module.unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut buffers = [Buffer { set: 0, binding: 0, words: vec![10, 11, 12, 13] }];
    let launch = Launch { strictness, ..LAUNCH };
    let mut schedule = Order::InOrder.schedule();
    Executor::new().launch(&module, &mut buffers, &launch, &mut *schedule, &mut recorder)
}

/// Of which class is what is remarked?
fn remarks(text: &str) -> Vec<Remark> {
    let report = report(text, Strictness::Wgsl);
    assert_eq!(report.findings, [], "{text}");
    let mut remarks: Vec<Remark> = report.notes.iter().map(|note| note.remark).collect();
    remarks.sort();
    remarks.dedup();
    remarks
}

/// An instruction of GLSL.std.450 with operands and the type of its result.
type Call = (&'static str, &'static str, &'static str);

fn call((function, operands, ty): Call) -> String {
    format!("%a = OpExtInst %{ty} %glsl {function} {operands}")
}

/// Functions of finite numbers that give an infinity or NaN, or may do so on the way.
const NOT_FINITE: &[Call] = &[
    ("Log", "%zero", "f"),
    ("Log2", "%minus_one", "f"),
    ("Sqrt", "%minus_one", "f"),
    ("InverseSqrt", "%zero", "f"),
    ("Asin", "%two", "f"),
    ("Acos", "%two", "f"),
    ("Acosh", "%zero", "f"),
    ("Atanh", "%one", "f"),
    ("Pow", "%minus_one %two", "f"),
    ("Pow", "%zero %zero", "f"),
    ("Exp", "%hundred", "f"),
    ("Sinh", "%hundred", "f"),
    ("Tanh", "%hundred", "f"),
    ("Tanh", "%large", "f"),
    ("Acosh", "%wide", "f"),
    ("FMix", "%large %zero %minus_one", "f"),
    ("FMix", "%large %large %two", "f"),
    ("Fma", "%large %two %zero", "f"),
    ("Ldexp", "%large %i7", "f"),
    ("Degrees", "%large", "f"),
    ("Length", "%far", "f"),
    ("Length", "%h3", "h"),
    ("Distance", "%far %v00", "f"),
    ("Normalize", "%v00", "2f"),
    ("Normalize", "%near", "2f"),
    ("Normalize", "%h3", "2h"),
    ("Reflect", "%rise %rise", "2f"),
    ("FaceForward", "%v11 %rise %rise", "2f"),
    ("Refract", "%rise %rise %one", "2f"),
    ("Determinant", "%large_ones", "f"),
    ("MatrixInverse", "%singular", "m2"),
    ("MatrixInverse", "%few", "m2"),
    ("PackHalf2x16", "%far", "u"),
];

/// Functions that do not.
const FINITE: &[Call] = &[
    ("Log", "%tenth", "f"),
    ("Pow", "%zero %two", "f"),
    ("Tanh", "%two", "f"),
    ("Ldexp", "%one %i7", "f"),
    ("Length", "%v11", "f"),
    ("Normalize", "%v11", "2f"),
    ("Distance", "%v11 %v00", "f"),
    ("MatrixInverse", "%unit", "m2"),
    ("PackHalf2x16", "%v11", "u"),
    ("UnpackHalf2x16", "%31", "2f"),
    ("UnpackHalf2x16", "%7c00", "2f"),
    ("Atan2", "%zero %zero", "f"),
];

#[test]
fn an_infinity_or_nan_of_finite_numbers_is_remarked() {
    for of in NOT_FINITE {
        assert_eq!(remarks(&call(*of)), [Remark::NotFinite], "{of:?}");
    }
    for of in FINITE {
        assert_eq!(remarks(&call(*of)), [], "{of:?}");
    }
    let operators = [
        ("OpFDiv %f %one %zero", true),
        ("OpFMul %f %large %two", true),
        ("OpFRem %f %one %zero", true),
        ("OpFRem %f %wide %small", true),
        ("OpDot %f %fall %fall", true),
        ("OpFDiv %f %one %two", false),
        ("OpDot %f %v11 %v11", false),
    ];
    for (text, remarked) in operators {
        assert_eq!(
            remarks(&format!("%a = {text}")).contains(&Remark::NotFinite),
            remarked,
            "{text}"
        );
    }
    // What comes of an infinity is not of finite numbers.
    let report = report("%a = OpFDiv %f %one %zero\n%b = OpFAdd %f %a %one", Strictness::Wgsl);
    assert_eq!(report.notes.len(), 1);
}

/// What need not be finite is open: something may hang on it, also behind further operations, in memory, and behind bounds.
#[test]
fn what_hangs_on_an_infinity_or_nan_is_remarked() {
    let of = |made: &str| {
        let text = format!(
            "%given = OpBitcast %f %ff800000\n{made}\n%c = OpFOrdGreaterThan %bool %a %one\n%s = OpSelect %u %c %1 %0
            %at = OpAccessChain %pu %data %0 %s"
        );
        report(&text, Strictness::Wgsl).notes
    };
    for (made, hangs) in [
        ("%a = OpFDiv %f %one %zero", true),
        ("%a = OpFDiv %f %zero %zero", true),
        ("%b = OpFDiv %f %one %zero\n%a = OpFDiv %f %one %b", true),
        ("%b = OpFDiv %f %one %zero\n%a = OpExtInst %f %glsl FMin %b %ten", true),
        ("%b = OpFDiv %f %one %zero\n%a = OpExtInst %f %glsl Floor %b", true),
        ("%a = OpExtInst %f %glsl Log %zero", true),
        ("%a = OpExtInst %f %glsl Length %far", true),
        ("%a = OpFDiv %f %ten %one", false),
        // Given, as in a buffer.
        ("%a = OpExtInst %f %glsl Exp %given", false),
        ("%b = OpFNegate %f %given\n%a = OpExtInst %f %glsl Exp2 %b", false),
        ("%a = OpExtInst %f %glsl Tanh %given", false),
        ("%b = OpExtInst %2f %glsl UnpackHalf2x16 %7c00\n%a = OpCompositeExtract %f %b 0", false),
    ] {
        let notes = of(made);
        let hung: Vec<_> = notes.iter().filter(|note| note.origin.is_some()).collect();
        assert_eq!(!hung.is_empty(), hangs, "{made}: {notes:?}");
        assert!(hung.iter().all(|note| note.remark == Remark::NotFinite), "{made}: {notes:?}");
    }
    let converted = "%a = OpFDiv %f %one %zero\n%b = OpConvertFToU %u %a";
    let notes = report(converted, Strictness::Wgsl).notes;
    assert!(notes.iter().any(|note| note.remark == Remark::NotFinite && note.origin.is_some()));
    // It need not compare with itself either.
    let text = "%a = OpFDiv %f %one %zero\n%c = OpFOrdEqual %bool %a %a\n%s = OpSelect %u %c %1 %0
        %at = OpAccessChain %pu %data %0 %s";
    assert_eq!(report(text, Strictness::Wgsl).notes.len(), 2);
}

/// The words of GLSL.std.450 hold of a module that is none of WGSL.
#[test]
fn outside_of_a_domain_a_module_of_spirv_is_undefined() {
    for of in
        [("Log", "%zero", "f"), ("Acos", "%two", "f"), ("SmoothStep", "%one %zero %zero", "f")]
    {
        let text = format!("{}\n%b = OpBitcast %u %a\nOpStore %mine %b", call(of));
        let report = report(&text, Strictness::Values);
        let found = report.findings.first().map(|finding| (finding.rule, finding.premise));
        assert_eq!(found, Some((Rule::Store, "defined")), "{of:?}");
    }
}

/// `%x` lies so far from `%y` that rounding does not matter, or at it.
const SUMS: &str = "
%sum = OpFMul %f %tenth %three
%off = OpFSub %f %sum %third
";

/// What is converted to an integer behind a choice, and whether that hangs on rounding.
const CHOICES: &[(&str, bool)] = &[
    ("FMax %sum %one", false),
    ("NMax %one %sum", false),
    ("FMin %sum %zero", false),
    ("NMin %zero %sum", false),
    ("FClamp %sum %one %ten", false),
    ("NClamp %sum %minus_one %zero", false),
    ("Step %one %sum", false),
    ("Step %third %sum", true),
    ("FSign %sum", false),
    ("Floor %sum", false),
    ("Ceil %sum", false),
    ("RoundEven %sum", false),
    ("SmoothStep %zero %tenth %sum", false),
    ("FMax %near_one %zero", true),
    ("FMin %near_one %ten", true),
    ("FClamp %near_one %zero %ten", true),
    ("Floor %near_one", true),
    ("FSign %off", true),
];

#[test]
fn a_bound_that_no_rounding_passes_is_exact() {
    for (choice, hangs) in CHOICES {
        let text = format!(
            "{SUMS}\n%near_one = OpFDiv %f %tenth %tenth\n%a = OpExtInst %f %glsl {choice}
            %b = OpConvertFToU %u %a"
        );
        let want: &[Remark] = if *hangs { &[Remark::Rounding] } else { &[] };
        assert_eq!(remarks(&text), want, "{choice}");
    }
}

/// What is chosen of a value that there is not is none, whatever the bound.
#[test]
fn a_bound_does_not_define_what_is_undefined() {
    for choice in [
        "FMax %undefined_float %one",
        "FClamp %undefined_float %zero %one",
        "Floor %undefined_float",
    ] {
        let text =
            format!("%a = OpExtInst %f %glsl {choice}\n%b = OpBitcast %u %a\nOpStore %mine %b");
        let report = report(&text, Strictness::Wgsl);
        let found = report.findings.first().map(|finding| (finding.rule, finding.premise));
        assert_eq!(found, Some((Rule::Store, "defined")), "{choice}");
    }
}

/// A selection by an open comparison is as open as its values lie apart, and one of equal values is not.
#[test]
fn a_selection_is_open_by_what_it_selects() {
    let of = |condition: &str, a: &str, b: &str| {
        remarks(&format!(
            "{SUMS}\n%c = OpFOrdLessThan %bool {condition}\n%s = OpSelect %f %c {a} {b}
            %d = OpFOrdGreaterThan %bool %s %tenth\n%a = OpSelect %u %d %1 %0
            %at = OpAccessChain %pu %data %0 %a"
        ))
    };
    assert_eq!(of("%sum %third", "%zero", "%one"), [Remark::Rounding]);
    assert_eq!(of("%sum %third", "%one", "%one"), []);
    assert_eq!(of("%sum %one", "%zero", "%one"), []);
}

/// Quotients, rests and multiples of 0, which are exact.
const PARTS: &str = "
%none = OpFDiv %f %zero %three
%rest = OpFRem %f %zero %three
%angle = OpExtInst %f %glsl Degrees %zero
";

/// Whatever a number is, it compares with itself, and is none that is infinite.
#[test]
fn a_comparison_with_itself_is_not_open() {
    for (condition, hangs) in [
        ("OpFUnordNotEqual %bool %sum %sum", false),
        ("OpIsNan %bool %sum", false),
        ("OpIsInf %bool %sum", false),
        ("OpFUnordNotEqual %bool %sum %third", true),
        ("OpFOrdEqual %bool %none %zero", false),
        ("OpFOrdEqual %bool %rest %zero", false),
        ("OpFOrdEqual %bool %angle %zero", false),
    ] {
        let text = format!(
            "{SUMS}{PARTS}\n%c = {condition}\n%a = OpSelect %u %c %1 %0\n%at = OpAccessChain %pu %data %0 %a"
        );
        assert_eq!(remarks(&text).contains(&Remark::Rounding), hangs, "{condition}");
    }
}
