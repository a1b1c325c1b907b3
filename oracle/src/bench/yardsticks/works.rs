//! The work that FCL is measured by: programs of this folder, beside shaders of it.

use super::Yardstick;
use crate::language::{Lang, Listed};
use compiler::run::{Pass, Passes};
use reference::fcl::Fcl;
use reference::kit::outcome::Value;

/// What a program and shaders do.
pub struct Work {
    /// What it is called.
    pub name: &'static str,
    /// The language of the program.
    pub lang: Lang,
    /// The program.
    pub program: &'static str,
    /// What the paper tells of such a program (figure 2, section 4), measured on an NVIDIA GeForce GTX 780 Ti.
    pub paper: &'static str,
    /// The work of about so many elements.
    pub at: fn(u32) -> Yardstick,
}

/// The fewest and the most elements.
pub const FEWEST: u32 = 1 << 12;
/// The arena is one binding: four arrays of so many fit where a binding may have a GiB.
pub const MOST: u32 = 1 << 26;
/// How many elements there are if nobody says how many: on a processor, and on a GPU.
pub const ELEMENTS: [u32; 2] = [1 << 18, 1 << 24];

/// All of it.
pub const WORKS: [Work; 7] = [
    Work {
        name: "copy",
        lang: Fcl::LANG,
        program: include_str!("copy.fcl"),
        paper: "",
        at: |n| {
            let input = numbers(n);
            let wanted = input.clone();
            simple(input, wanted, include_str!("copy.wgsl"))
        },
    },
    Work {
        name: "reverse",
        lang: Fcl::LANG,
        program: include_str!("reverse.fcl"),
        paper: "the bandwidth measured by NVIDIA's tool, 254.9 GB/s",
        at: |n| {
            let input = numbers(n);
            let wanted = input.iter().rev().copied().collect();
            simple(input, wanted, include_str!("reverse.wgsl"))
        },
    },
    Work {
        name: "transpose",
        lang: Fcl::LANG,
        program: include_str!("transpose.fcl"),
        paper: "not quite NVIDIA's",
        at: |n| transposition(side(n, 16), side(n, 16)),
    },
    Work {
        name: "transpose, 1:4",
        lang: Fcl::LANG,
        program: include_str!("transpose.fcl"),
        paper: "",
        at: |n| transposition(2 * side(n, 32), side(n, 32) / 2),
    },
    Work {
        name: "reduce",
        lang: Fcl::LANG,
        program: include_str!("reduce.fcl"),
        paper: "below NVIDIA's",
        at: reduction,
    },
    Work { name: "scan", lang: Fcl::LANG, program: include_str!("scan.fcl"), paper: "", at: scan },
    Work {
        name: "matrix product",
        lang: Fcl::LANG,
        program: include_str!("product.fcl"),
        paper: "",
        at: product,
    },
];

/// Elements of a chunk of the shaders that reduce and scan.
const CHUNK: usize = 2_048;

/// Made-up numbers, a multiple of 1,024 of them.
fn numbers(n: u32) -> Vec<i32> {
    (0..n / 1_024 * 1_024).map(|k| (k.wrapping_mul(2_654_435_761) >> 20) as i32 - 2_048).collect()
}

/// The side of a square of so many elements at most, as a multiple of `unit`.
fn side(n: u32, unit: u32) -> u32 {
    n.isqrt() / unit * unit
}

fn words(numbers: &[i32]) -> Vec<u32> {
    numbers.iter().map(|number| *number as u32).collect()
}

fn array(numbers: Vec<i32>) -> Value {
    Value::ints(vec![numbers.len()], numbers)
}

/// Work groups of 256 invocations for so many elements, in a grid that every adapter takes.
fn grid(elements: usize) -> [u32; 2] {
    let groups = (elements as u32).div_ceil(256);
    let rows = groups.div_ceil(32_768).max(1);
    [groups.div_ceil(rows), rows]
}

/// One shader from an array to another.
fn simple(input: Vec<i32>, wanted: Vec<i32>, wgsl: &'static str) -> Yardstick {
    let passes = vec![Pass { wgsl, buffers: vec![0, 1], groups: grid(wanted.len()) }];
    let buffers = vec![words(&input), vec![0; wanted.len()]];
    Yardstick {
        size: input.len().to_string(),
        bytes: 4 * (input.len() + wanted.len()) as u64,
        by_hand: Passes { buffers, passes, result: 1 },
        input: vec![array(input)],
        wanted,
    }
}

fn transposition(cols: u32, rows: u32) -> Yardstick {
    let matrix = numbers((cols * rows).next_multiple_of(1_024));
    let matrix = matrix[..(cols * rows) as usize].to_vec();
    let at = |k: u32| matrix[(k % rows * cols + k / rows) as usize];
    let wanted: Vec<i32> = (0..cols * rows).map(at).collect();
    let (wgsl, groups) = (include_str!("transpose.wgsl"), [cols / 16, rows / 16]);
    Yardstick {
        size: format!("{rows} x {cols}"),
        bytes: 8 * u64::from(cols * rows),
        by_hand: Passes {
            buffers: vec![words(&matrix), vec![0; wanted.len()], vec![cols, rows]],
            passes: vec![Pass { wgsl, buffers: vec![0, 1, 2], groups }],
            result: 1,
        },
        input: vec![Value::from(cols as i32), Value::from(rows as i32), array(matrix)],
        wanted,
    }
}

fn reduction(n: u32) -> Yardstick {
    let input = numbers(n);
    let sum = input.iter().fold(0_i32, |sum, number| sum.wrapping_add(*number));
    let (mut buffers, mut passes) = (vec![words(&input)], Vec::new());
    let mut left = input.len();
    while left > 1 {
        left = left.div_ceil(CHUNK);
        buffers.push(vec![0; left]);
        let last = buffers.len() - 1;
        let wgsl = include_str!("reduce.wgsl");
        passes.push(Pass { wgsl, buffers: vec![last - 1, last], groups: [left as u32, 1] });
    }
    Yardstick {
        size: input.len().to_string(),
        bytes: 4 * input.len() as u64,
        by_hand: Passes { result: buffers.len() - 1, buffers, passes },
        input: vec![array(input)],
        wanted: vec![sum],
    }
}

fn scan(n: u32) -> Yardstick {
    let input = numbers(n);
    let mut sum = 0_i32;
    let running = input.iter().map(|number| {
        sum = sum.wrapping_add(*number);
        sum
    });
    let wanted = running.collect();
    let mut work = Passes { buffers: vec![words(&input)], passes: Vec::new(), result: 0 };
    work.result = scanned(&mut work, 0);
    Yardstick {
        size: input.len().to_string(),
        bytes: 8 * input.len() as u64,
        by_hand: work,
        input: vec![array(input)],
        wanted,
    }
}

/// Scans a buffer into another: its chunks, their sums, and then both together.
fn scanned(work: &mut Passes<'static>, from: usize) -> usize {
    let length = work.buffers[from].len();
    let chunks = length.div_ceil(CHUNK);
    let first = work.buffers.len();
    work.buffers.extend([vec![0; length], vec![0; chunks]]);
    let (of_chunks, totals) = (first, first + 1);
    let groups = [chunks as u32, 1];
    let wgsl = include_str!("scan.wgsl");
    work.passes.push(Pass { wgsl, buffers: vec![from, of_chunks, totals], groups });
    if chunks == 1 {
        return of_chunks;
    }
    let totals = scanned(work, totals);
    let all = work.buffers.len();
    work.buffers.push(vec![0; length]);
    let wgsl = include_str!("scan_add.wgsl");
    work.passes.push(Pass { wgsl, buffers: vec![of_chunks, totals, all], groups });
    all
}

/// Of square matrices whose product takes some eight multiplications for each element that is said.
fn product(n: u32) -> Yardstick {
    let side = ((2.0 * f64::from(n).cbrt()) as u32 / 16 * 16).max(16);
    let (m, all) = (side as usize, (side * side) as usize);
    let made = numbers((2 * side * side).next_multiple_of(1_024));
    let (a, b) = (made[..all].to_vec(), made[all..2 * all].to_vec());
    let mut wanted = vec![0_i32; all];
    for (row, sums) in wanted.chunks_mut(m).enumerate() {
        for (k, x) in a[row * m..][..m].iter().enumerate() {
            for (sum, y) in sums.iter_mut().zip(&b[k * m..][..m]) {
                *sum = sum.wrapping_add(x.wrapping_mul(*y));
            }
        }
    }
    let (wgsl, groups) = (include_str!("product.wgsl"), [side / 16; 2]);
    Yardstick {
        size: format!("{side} x {side}"),
        bytes: 12 * u64::from(side * side),
        by_hand: Passes {
            buffers: vec![words(&a), words(&b), vec![0; all], vec![side]],
            passes: vec![Pass { wgsl, buffers: vec![0, 1, 2, 3], groups }],
            result: 2,
        },
        input: vec![Value::from(side as i32), array(a), array(b)],
        wanted,
    }
}
