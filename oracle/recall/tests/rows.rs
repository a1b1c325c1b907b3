//! Each entry of the table of known faults, as a shader of its own: a release that has the fault shows
//! it, and one where it is mended does not.

use oracle::engines::spirv::Translator;
use oracle::panics::catch;
use recall::known::TABLE;
use recall::releases::named;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::schedule::Order;
use reference::spirv::eval::Executor;
use reference::spirv::parse::load;
use reference::spirv::values::{Buffer, Launch, LoadError, Strictness};

/// What came of a shader on a release.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Came {
    /// Words of the buffer.
    Words(Vec<u32>),
    Undefined(String),
    Invalid,
    Refused,
    Panicked,
}

/// Declarations, and a body over a buffer `b`; the words that it begins with and those that it
/// has to end with; releases that have the fault with what comes of it there; releases without it.
struct Row {
    name: &'static str,
    outside: &'static str,
    body: &'static str,
    before: &'static [u32],
    after: &'static [u32],
    broken: &'static [(&'static str, Came)],
    mended: &'static [&'static str],
}

fn came(version: &str, wgsl: &str, before: &[u32]) -> Came {
    let release = named(version).expect("it is a release");
    let words = match catch(|| release.words(wgsl, false)) {
        Ok(Ok(words)) => words,
        Ok(Err(_)) => return Came::Refused,
        Err(_) => return Came::Panicked,
    };
    let mut recorder = Recorder::counting();
    let module = match load(&words, "main", &mut recorder) {
        Ok(module) => module,
        Err(LoadError::Invalid(_)) => return Came::Invalid,
        Err(LoadError::Unsupported(text)) => panic!("{version}: {text}"),
    };
    let mut buffers = [Buffer { set: 0, binding: 0, words: before.to_vec() }];
    let launch = Launch { groups: [1, 1, 1], fuel: 100_000, traced: false, subgroup: 1, strictness: Strictness::Accesses, planted: Planted::NONE };
    let mut in_order = Order::InOrder.schedule();
    let report =
        Executor::new().launch(&module, &mut buffers, &launch, &mut *in_order, &mut recorder);
    match report.findings.first() {
        Some(finding) => {
            let origin = finding.origin.as_ref().unwrap_or(&finding.place);
            Came::Undefined(origin.opcode.clone())
        }
        None => Came::Words(buffers[0].words.clone()),
    }
}

fn rows() -> Vec<Row> {
    let undefined = |opcode: &str| Came::Undefined(opcode.to_owned());
    let row = |name, outside, body, before, after, broken, mended| Row {
        name,
        outside,
        body,
        before,
        after,
        broken: Vec::leak(broken),
        mended,
    };
    vec![
        row(
            "wgpu#9489",
            "",
            "for (var i = 0u; i < 3u; i++) { var x: u32; x += 1u; b[i] = x; }",
            &[0, 0, 0],
            &[1, 1, 1],
            vec![("0.9", Came::Words(vec![1, 2, 3])), ("29", Came::Words(vec![1, 2, 3]))],
            &["30"],
        ),
        row(
            "wgpu#8191",
            "",
            "b[1] = bitcast<u32>(bitcast<i32>(b[0]) % 3i);",
            &[-7_i32 as u32, 0],
            &[-7_i32 as u32, -1_i32 as u32],
            vec![("0.9", undefined("OpSRem")), ("29", undefined("OpSRem"))],
            &["30"],
        ),
        row(
            "unmasked shift",
            "",
            "b[1] = 1u << b[0];",
            &[33, 0],
            &[33, 2],
            vec![("0.9", undefined("OpShiftLeftLogical")), ("30", undefined("OpShiftLeftLogical"))],
            &[],
        ),
        row(
            "wgpu#4394",
            "fn f() -> bool { b[1] = 7u; return true; }",
            "if (b[0] != 0u && f()) { b[2] = 7u; }",
            &[0, 0, 0],
            &[0, 0, 0],
            vec![("0.9", Came::Words(vec![0, 7, 0])), ("27", Came::Words(vec![0, 7, 0]))],
            &["28", "30"],
        ),
        row(
            "wgpu#5544",
            "",
            "b[0] = select(7u, 5u, 1 == 1);",
            &[0],
            &[5],
            vec![("0.19", Came::Words(vec![7]))],
            &["0.14", "0.20", "30"],
        ),
        row(
            "wgpu#7048",
            "",
            "let i = b[0] & 1u; let a = array<u32, 2>(b[1], b[2]); b[3] = a[i]; b[4] = a[1u - i];",
            &[1, 5, 6, 0, 0],
            &[1, 5, 6, 6, 5],
            vec![("23", Came::Invalid), ("24", Came::Invalid)],
            &["25", "30"],
        ),
        row(
            "wgpu#6220",
            "",
            "for (; b[0] == 0u; ) { b[0] = 5u; break; }",
            &[0],
            &[5],
            vec![("0.11", Came::Invalid), ("22", Came::Invalid)],
            &["0.10", "23", "30"],
        ),
        row(
            "wgpu#6961",
            "",
            "b[1] = 7u / b[0];",
            &[0, 0],
            &[0, 7],
            vec![("0.9", undefined("OpUDiv")), ("24", undefined("OpUDiv"))],
            &["25", "30"],
        ),
        row(
            "wgpu#5085",
            "",
            "let n = b[0]; b[1] = u32(1 << n);",
            &[3, 0],
            &[3, 8],
            vec![("0.19", Came::Refused), ("24", Came::Refused)],
            &["0.14", "25", "30"],
        ),
        row(
            "wgpu#6023",
            "",
            "b[0] = bitcast<u32>(2147483647i + 7i);",
            &[0],
            &[0x8000_0006],
            vec![("0.20", Came::Refused), ("23", Came::Refused)],
            &["0.14", "24", "30"],
        ),
        row(
            "naga#2111",
            "var<workgroup> w: u32;",
            "b[0] = w;",
            &[5],
            &[0],
            vec![("0.9", undefined("OpLoad")), ("0.10", undefined("OpLoad"))],
            &["0.11", "30"],
        ),
        row(
            "panic of a constant sum",
            "const c: i32 = 2147483647i; const d: i32 = c + 7i;",
            "b[0] = bitcast<u32>(d);",
            &[0],
            &[0x8000_0006],
            vec![("0.11", Came::Panicked), ("0.12", Came::Panicked), ("0.14", Came::Panicked)],
            &["24", "30"],
        ),
        row(
            "naga#2111",
            "var<workgroup> w: array<atomic<u32>, 2>;",
            "atomicMax(&w[b[0]], 3u); b[1] = atomicLoad(&w[b[0]]);",
            &[1, 5],
            &[1, 3],
            vec![("0.9", undefined("OpAtomicUMax")), ("0.10", undefined("OpAtomicUMax"))],
            &["0.11", "30"],
        ),
        row(
            "constant sum of u32",
            "const c: u32 = 4294967295u + 7u;",
            "b[0] = c;",
            &[0],
            &[6],
            vec![("0.19", Came::Refused), ("28", Came::Refused)],
            &["29", "30"],
        ),
        row(
            "naga#2126",
            "",
            "switch b[0] { default: { b[1] = 5u; } case 3u: { b[1] = 7u; } }",
            &[3, 0],
            &[3, 7],
            vec![("0.9", Came::Words(vec![3, 5])), ("0.10", Came::Words(vec![3, 5]))],
            &["0.11", "30"],
        ),
        row(
            "early `break if`",
            "",
            "var i = 0u; \
             loop { b[0] += 1u; if b[0] == 3u { break; } continuing { i += 1u; break if i == 1u; } }",
            &[0],
            &[1],
            vec![("0.9", Came::Words(vec![2])), ("0.14", Came::Words(vec![3]))],
            &["0.19", "30"],
        ),
        row(
            "wgpu#9181",
            "fn f(p: ptr<function, u32>) -> u32 { *p = 10u; return 1u; }",
            "var x = b[0]; x += f(&x); b[0] = x;",
            &[1],
            &[2],
            vec![("0.11", Came::Words(vec![11])), ("28", Came::Words(vec![11]))],
            &["0.10", "29", "30"],
        ),
        row(
            "wgpu#7387",
            "",
            "b[1] = u32(bitcast<f32>(b[0]));",
            &[0xbf80_0000, 5],
            &[0xbf80_0000, 0],
            vec![("0.9", undefined("OpConvertFToU")), ("24", undefined("OpConvertFToU"))],
            &["25", "30"],
        ),
        row(
            "wgpu#7387",
            "",
            "b[1] = bitcast<u32>(i32(bitcast<f32>(b[0])));",
            &[0xdf80_0000, 5],
            &[0xdf80_0000, 0x8000_0000],
            vec![("0.9", undefined("OpConvertFToS")), ("24", undefined("OpConvertFToS"))],
            &["25", "30"],
        ),
        row(
            "shift by a `let`",
            "",
            "let n = 35u; b[1] = b[0] >> n;",
            &[64, 0],
            &[64, 8],
            vec![("29", Came::Refused), ("30", Came::Refused)],
            &[],
        ),
        row(
            "array value at a `const`",
            "const c: u32 = 1u;",
            "b[0] = array<u32, 2>(7u, 8u)[c];",
            &[0],
            &[8],
            vec![("0.13", Came::Refused)],
            &["0.12", "0.14", "30"],
        ),
        row(
            "wgpu#4540",
            "fn f(p: ptr<function, u32>) { *p = *p + 1u; }",
            "var x = array<u32, 2>(7u, 8u); f(&x[1]); b[0] = x[1];",
            &[0],
            &[9],
            vec![("0.9", Came::Panicked), ("30", Came::Panicked)],
            &[],
        ),
        row(
            "u32 extended by its sign",
            "",
            "b[1] = u32((i64(b[0]) >> 32u) & 4294967295li);",
            &[0x8000_0000, 5],
            &[0x8000_0000, 0],
            vec![
                ("0.20", Came::Words(vec![0x8000_0000, 0xffff_ffff])),
                ("30", Came::Words(vec![0x8000_0000, 0xffff_ffff])),
            ],
            &[],
        ),
    ]
}

#[test]
fn each_entry_is_shown_by_a_release_that_has_it_and_by_no_other() {
    let rows = rows();
    for known in TABLE {
        assert!(rows.iter().any(|row| row.name == known.name), "{known:?}");
    }
    let mut wrong = Vec::new();
    for row in rows {
        let Row { name, outside, body, before, after, broken, mended } = row;
        let wgsl = format!(
            "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n{outside}\n\
             @compute @workgroup_size(1)\nfn main() {{\n    {body}\n}}\n"
        );
        let known = TABLE.iter().find(|known| known.name == name).expect("it is known");
        let expected = broken.iter().map(|(version, came)| (*version, came.clone(), true));
        let mended = mended.iter().map(|version| (*version, Came::Words(after.to_vec()), false));
        for (version, expected, has) in expected.chain(mended) {
            let release = named(version).expect("it is a release");
            assert_eq!(known.is_of(release), has, "{name} and {version}");
            let came = came(version, &wgsl, before);
            if came != expected {
                wrong.push(format!("{name} on {version}: {came:?} and not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
