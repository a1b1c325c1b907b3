//! What WGSL has as functions, and naga makes instructions of, by the executor of SPIR-V.

use compiler::emit::spirv::for_vulkan;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::schedule::Order;
use reference::spirv::eval::Executor;
use reference::spirv::parse::load;
use reference::spirv::values::{Buffer, Launch, Strictness};

/// The words of the buffer `out` after one work group; nothing is wrong in it.
fn run(wgsl: &str, given: &[u32], out: usize) -> Vec<u32> {
    let words = for_vulkan(wgsl).unwrap_or_else(|no| panic!("{no}"));
    let recorder = &mut Recorder::counting();
    let module = load(&words, "main", recorder).unwrap_or_else(|no| panic!("{no}"));
    let mut buffers = [
        Buffer { set: 0, binding: 0, words: vec![0; out] },
        Buffer { set: 0, binding: 1, words: given.to_vec() },
    ];
    let launch = Launch {
        groups: [1, 1, 1],
        fuel: 100_000,
        subgroup: 2,
        traced: false,
        strictness: Strictness::Accesses,
        planted: Planted::NONE,
    };
    let schedule = &mut *Order::InOrder.schedule();
    let report = Executor::new().launch(&module, &mut buffers, &launch, schedule, recorder);
    assert_eq!(report.findings, []);
    buffers[0].words.clone()
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|bits| f32::from_bits(*bits)).collect()
}

/// A softmax of two numbers.
#[test]
fn exponentials() {
    let given = [0f32, std::f32::consts::LN_2].map(f32::to_bits);
    let out = run(
        "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @group(0) @binding(1) var<storage, read> a: array<f32>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
            let sum = exp(a[0]) + exp(a[1]);
            out[i] = exp(a[i]) / sum;
        }",
        &given,
        2,
    );
    assert_eq!(floats(&out), [0.333_333_34, 0.666_666_7]);
}

#[test]
fn packing() {
    let out = run(
        "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(1) fn main() {
            var one = 1.0;
            out[0] = pack4x8unorm(vec4f(one, 0.0, one, 0.0));
            out[1] = u32(unpack4x8unorm(out[0]).z);
            out[2] = dot4U8Packed(out[0], out[0]);
            out[3] = u32(dot4I8Packed(out[0], out[0]));
        }",
        &[],
        4,
    );
    assert_eq!(out, [16_711_935, 1, 2 * 255 * 255, 2]);
}

/// Columns of a matrix of the group are apart.
#[test]
fn matrices() {
    let out = run(
        "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
        var<workgroup> m: mat2x2<f32>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
            m[i] = vec2f(f32(i + 1u) * 2.0);
            workgroupBarrier();
            out[i] = (m * vec2f(1.0, 2.0))[i];
        }",
        &[],
        2,
    );
    assert_eq!(floats(&out), [10.0, 10.0]);
}

/// Matrices in a storage buffer, by columns that are padded.
#[test]
fn matrices_in_buffers() {
    let out = run(
        "struct Both { a: mat3x3f, b: mat2x3f, c: array<mat2x2f, 2> }
        @group(0) @binding(0) var<storage, read_write> out: Both;
        @group(0) @binding(1) var<storage, read> a: array<f32>;
        @compute @workgroup_size(1) fn main() {
            let m = mat3x3f(a[0], 0.0, 0.0, 0.0, a[1], 0.0, 1.0, 0.0, a[2]);
            out.a = m * m - m + transpose(m);
            out.b[1] = out.a * vec3f(1.0);
            out.b[0].y = determinant(m);
            out.c[1] = 2.0 * mat2x2f(1.0, 2.0, 3.0, 4.0);
        }",
        &[2f32, 3.0, 4.0].map(f32::to_bits),
        32,
    );
    let mut expected = [0f32; 32];
    for (at, k) in [(0, 4.0), (2, 1.0), (5, 9.0), (8, 5.0), (10, 16.0)] {
        expected[at] = k;
    }
    expected[13] = 24.0;
    expected[16..19].copy_from_slice(&[9.0, 9.0, 17.0]);
    expected[24..28].copy_from_slice(&[2.0, 4.0, 6.0, 8.0]);
    assert_eq!(floats(&out), expected);
}

/// Each function of numbers that WGSL has, and what it gives.
#[test]
fn functions_of_numbers() {
    let x = 0.5f32;
    let real = f64::from(x);
    let cases: &[(&str, f64)] = &[
        ("acos(x)", real.acos()),
        ("asin(x)", real.asin()),
        ("atan(x)", real.atan()),
        ("atan2(x, 2.0)", 0.25f64.atan()),
        ("acosh(x + 1.0)", 1.5f64.acosh()),
        ("asinh(x)", real.asinh()),
        ("atanh(x)", real.atanh()),
        ("cos(x)", real.cos()),
        ("sin(x)", real.sin()),
        ("tan(x)", real.tan()),
        ("cosh(x)", real.cosh()),
        ("sinh(x)", real.sinh()),
        ("tanh(x)", real.tanh()),
        ("exp(x)", real.exp()),
        ("exp2(x)", real.exp2()),
        ("log(x)", real.ln()),
        ("log2(x)", -1.0),
        ("pow(x, x)", real.sqrt()),
        ("inverseSqrt(x)", 1.0 / real.sqrt()),
        ("round(x)", 0.0),
        ("fract(x + 1.0)", 0.5),
        ("sign(-x)", -1.0),
        ("degrees(x)", real.to_degrees()),
        ("radians(x)", real.to_radians()),
        ("mix(x, 1.5, x)", 1.0),
        ("step(x, 1.0)", 1.0),
        ("smoothstep(0.0, 1.0, x)", 0.5),
        ("saturate(x + 1.0)", 1.0),
        ("fma(x, x, x)", 0.75),
        ("ldexp(x, 3)", 4.0),
        ("frexp(x + 1.0).fract", 0.75),
        ("f32(frexp(x + 1.0).exp)", 1.0),
        ("modf(x + 1.0).whole", 1.0),
        ("modf(x + 1.0).fract", 0.5),
        ("length(vec2f(3.0, 4.0) * x)", 2.5),
        ("distance(vec2f(3.0, 4.0) * x, vec2f())", 2.5),
        ("normalize(vec2f(3.0, 4.0) * x).x", 0.6),
        ("dot(vec3f(x), vec3f(1.0, 2.0, 3.0))", 3.0),
        ("cross(vec3f(x, 0.0, 0.0), vec3f(0.0, x, 0.0)).z", 0.25),
        ("reflect(vec2f(x, -x), vec2f(0.0, 1.0)).y", 0.5),
        ("refract(vec2f(x, -x), vec2f(0.0, 1.0), x).x", 0.25),
        ("faceForward(vec2f(x, x), vec2f(0.0, 1.0), vec2f(0.0, 1.0)).y", -0.5),
        ("x % 0.375", 0.125),
        ("unpack4x8snorm(pack4x8snorm(vec4f(-x))).x", -63.0 / 127.0),
        ("unpack2x16snorm(pack2x16snorm(vec2f(-1.0))).y", -1.0),
        ("unpack2x16unorm(pack2x16unorm(vec2f(x))).y", 32768.0 / 65535.0),
    ];
    let body: String = (0..)
        .zip(cases)
        .map(|(n, (expression, _))| format!("out[{n}] = {expression};\n"))
        .collect();
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @group(0) @binding(1) var<storage, read> a: array<f32>;
        @compute @workgroup_size(1) fn main() {{ let x = a[0];\n{body} }}"
    );
    let out = floats(&run(&wgsl, &[x.to_bits()], cases.len()));
    for ((expression, value), got) in cases.iter().zip(out) {
        assert_eq!(got, *value as f32, "{expression}");
    }
}
