//! Every style means the same to the executor of SPIR-V, and the styles that campaigns draw write
//! the shapes that compilers of WGSL have been wrong about.
#![allow(clippy::print_stdout)]

use compiler::emit::style::{Construct, Sites, Style};
use compiler::emit::workarounds::Workarounds;
use oracle::campaign::draw;
use oracle::check::{Class, Depth, Skipped, Tester, Verdict};
use oracle::corpus::judge;
use oracle::engine::{Case, EngineId, Origin};
use oracle::generate::Weights;
use oracle::language::{self, Lang};
use oracle::stages::{Plan, Stages};
use reference::kit::language::Settings;
use reference::kit::outcome::Budget;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// All constructs at once, and one alone by turns: the programs of the corpus do what they say.
#[test]
fn every_program_does_what_it_says_in_every_style() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut tester = Tester::new(Vec::new(), Plan::default());
    tester.only = vec!["spirv".to_owned()];
    let (mut files, mut skipped, mut failures) = (0, 0, Vec::new());
    for entry in walkdir::WalkDir::new(&corpus).sort_by_file_name() {
        let entry = entry.expect("the corpus can be read");
        let folder = entry.path().parent().and_then(|folder| folder.file_name());
        let says = folder.is_some_and(|folder| folder == "pass" || folder == "stuck");
        let Some(lang) = language::of(entry.path()).filter(|_| says) else { continue };
        if !matches!(lang, Lang::Fun | Lang::Device) {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).expect("the corpus is text");
        let alone = Construct::ALL[files % Construct::ALL.len()];
        files += 1;
        for style in [Style::FULL, Style::PLAIN.with(alone, Sites::All)] {
            tester.plan.style = style;
            let name = format!("{} in {style}", entry.path().display());
            let judged = judge(&mut tester, &name, lang, &text);
            let spirv = |skip: &&Skipped| skip.not_run.engine == EngineId::Spirv;
            skipped += judged.skipped.iter().filter(spirv).count();
            failures.extend(judged.failures.iter().map(|failure| failure.of(&name)));
        }
    }
    assert!(files > 80, "only {files} programs in the corpus");
    assert!(skipped < files / 2, "{skipped} runs of {files} programs were skipped");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// How many programs the shapes are counted over.
const PROGRAMS: u64 = 3_000;

/// Drawn programs in drawn styles, no bug worked around, write each shape that some release of
/// naga is wrong about.
#[test]
fn drawn_styles_write_what_compilers_were_wrong_about() {
    let mut counts: BTreeMap<&str, u64> = SHAPES.iter().map(|(name, _)| (*name, 0)).collect();
    let mut compiled = 0;
    for number in 0..PROGRAMS {
        let drawn = draw(11, number, &Weights::default());
        if drawn.style.is_plain() {
            continue;
        }
        let plan = Plan { style: drawn.style, workarounds: Workarounds::None, ..Plan::default() };
        let Some(shaders) = Stages::of(&drawn.case.program, plan).shaders else { continue };
        compiled += u64::from(!shaders.is_empty());
        for (name, written) in SHAPES {
            let found = shaders.iter().any(|shader| written(&shader.wgsl));
            *counts.entry(name).or_default() += u64::from(found);
        }
    }
    println!("of {PROGRAMS} programs {compiled} have a style and a kernel: {counts:?}");
    let share = compiled * 100 / PROGRAMS;
    assert!((20..45).contains(&share), "{share} % have a style and a kernel");
    for (name, count) in counts {
        assert!(count >= 5, "{name} is written {count} times in {PROGRAMS} programs");
    }
}

/// A shape: what it is, and whether a shader has it.
type Shape = (&'static str, fn(&str) -> bool);

const SHAPES: &[Shape] = &[
    ("a variable without initialiser in a loop", uninitialised_in_loop),
    ("a remainder of a negative operand", negative_remainder),
    ("a division by 0", |wgsl| divides(wgsl, &["0i", "0u"])),
    ("a division by -1", |wgsl| divides(wgsl, &["(-1i)"])),
    ("a call behind &&", |wgsl| wgsl.contains(" && h")),
    ("a constant ==", |wgsl| wgsl.contains("(1 == 1)") || wgsl.contains("(5i == 5i)")),
    ("a by-value array indexed at run time twice", |wgsl| {
        let mut lines = wgsl.lines();
        lines.any(|line| line.contains("[1u - t") && line.matches('[').count() == 2)
    }),
    ("a for whose body ends in break", for_that_ends_in_break),
    ("1 << n", |wgsl| wgsl.contains("(1 << t")),
    ("a constant i32 sum that wraps around", |wgsl| {
        wgsl.contains("(2147483647i + ") || wgsl.contains("((-2147483647i) + ")
    }),
    ("work-group memory read before it is written", |wgsl| {
        wgsl.contains("launch[0] + w") && wgsl.contains("var<workgroup> w")
    }),
    ("a chain of constants whose sum overflows", |wgsl| {
        let mut lines = wgsl.lines();
        lines.any(|line| line.starts_with("const c") && line.contains("i32 = c"))
    }),
];

/// The line that the block at each depth was opened by, while lines are gone through.
fn in_blocks(wgsl: &str, mut is: impl FnMut(&[&str], &str, &str) -> bool) -> bool {
    let mut open = Vec::new();
    let mut before = "";
    wgsl.lines().map(str::trim).any(|line| {
        let found = is(&open, before, line);
        before = line;
        if line.starts_with('}') {
            open.pop();
        }
        if line.ends_with('{') {
            open.push(line);
        }
        found
    })
}

fn uninitialised_in_loop(wgsl: &str) -> bool {
    let opens_loop = |line: &&str| ["loop", "for", "while"].iter().any(|k| line.starts_with(k));
    in_blocks(wgsl, |open, _, line| {
        line.starts_with("var ") && !line.contains('=') && open.iter().any(opens_loop)
    })
}

fn for_that_ends_in_break(wgsl: &str) -> bool {
    in_blocks(wgsl, |open, before, line| {
        line == "}" && before == "break;" && open.last().is_some_and(|o| o.starts_with("for"))
    })
}

/// `var t = (-20i);` and `(t % 13i)`
fn negative_remainder(wgsl: &str) -> bool {
    wgsl.lines().map(str::trim).any(|line| {
        let name = line.strip_prefix("var ").and_then(|line| line.split_once(" = (-"));
        name.is_some_and(|(name, _)| wgsl.contains(&format!("({name} % ")))
    })
}

/// `var t2 = 0i;` and `(t1 / t2)`
fn divides(wgsl: &str, by: &[&str]) -> bool {
    wgsl.lines().filter_map(|line| line.trim().strip_prefix("var t")?.split_once(" = ")).any(
        |(number, value)| {
            let divisor = by.iter().any(|by| value.strip_suffix(';') == Some(by));
            let divided = |op| wgsl.contains(&format!(" {op} t{number})"));
            divisor && (divided('/') || divided('%'))
        },
    )
}

/// A style that evaluates one side of a `select` only leaves out a race of the other: no race is missed.
#[test]
fn a_race_is_looked_for_in_plain_text() {
    let source = "kernel k() group 2 {
          workgroup w : array[i32, 2];
          private q : bool;
          w[local_id] = 1;
          q = 1 <= select(not(q), 1, w[u32 1]);
        }
        launch k() for 1;";
    let program = Lang::Device.parse(source).expect("the program parses");
    let origin = Origin::File(String::new());
    let case = Case {
        program,
        input: Vec::new(),
        schedule: 0,
        settings: Settings::default(),
        budget: Budget::default(),
        origin,
    };
    let style = "choice".parse().expect("there is such a construct");
    let mut tester = Tester::new(Vec::new(), Plan { style, ..Plan::default() });
    let seen = tester.examine(&case, Depth::Quick);
    assert_eq!(seen.class, Class::Race);
    assert!(matches!(seen.verdict, Verdict::Agree), "{:?}", seen.verdict);
}
