//! Every style means the same: naga takes what it writes, and a driver runs it to the same end.

use crate::common::{ends_with, on_each_adapter};
use compiler::emit::spirv::{Series, for_vulkan};
use compiler::emit::style::{Construct, Sites, Style};
use compiler::emit::wgsl::Writing;
use compiler::emit::workarounds::Workarounds;
use compiler::pipeline::{self, CHECKED};
use compiler::route::{Artifact, KernelOptions, Plan};
use compiler::run::forms::Forms;
use reference::device::eval::{self, Order};
use reference::device::syntax::Program;
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Budget, Ending, Value, Why};
use reference::kit::value::parse_values;
use std::path::Path;

/// A program of the corpus that gives values, as the device program that a machine runs.
struct Known {
    file: String,
    program: Program,
    /// Inputs and results, as the header writes them.
    runs: Vec<(String, String)>,
}

/// The programs of the corpus that give values.
fn corpus() -> Vec<Known> {
    let mut known = Vec::new();
    for language in ["fun", "device"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus").join(language);
        let files = folder.join("pass").read_dir().expect("the corpus has a folder for it");
        let mut paths: Vec<_> = files.map(|file| file.expect("it can be listed").path()).collect();
        paths.sort();
        for path in paths {
            let source = std::fs::read_to_string(&path).expect("it can be read");
            known.extend(read(language, &path.display().to_string(), &source));
        }
    }
    assert!(known.len() > 50, "{} programs in the corpus", known.len());
    known
}

/// Is it left to a device what the floats of a program come to?
fn is_open(program: &Program, input: &[Value]) -> bool {
    let mut recorder = Recorder::counting();
    eval::run(program, input, Order::InOrder, &Budget::default(), &mut recorder).stats.open_floats
}

fn read(language: &str, file: &str, source: &str) -> Option<Known> {
    let header = |key: &str| -> Vec<String> {
        let lines = source.lines().filter_map(|line| line.strip_prefix(key));
        lines.map(|line| line.trim().to_owned()).collect()
    };
    let (mut inputs, results) = (header("-- input:"), header("-- result:"));
    inputs.resize(results.len(), String::new());
    let artifact = match language {
        "fun" => Artifact::Fun(reference::fun::parse::program(source).expect("it parses")),
        _ => Artifact::Device(reference::device::parse::program(source).expect("it parses")),
    };
    let stages = pipeline::stages(artifact, &Plan::default());
    if stages.stop.is_some() {
        return None;
    }
    let Artifact::Device(program) = stages.by(CHECKED)?.artifact.clone() else { return None };
    let runs = inputs.into_iter().zip(results).collect();
    Some(Known { file: file.to_owned(), program, runs })
}

/// The shaders of a program: the fast form of each kernel, and the full one.
fn shaders(program: &Program, writing: Writing) -> Vec<String> {
    let forms = Forms::of(program, KernelOptions { writing, ..KernelOptions::default() });
    let both = |number: usize| {
        let group = program.kernels[number].group;
        [forms.fast_for_all(number, group), forms.full(number, group)]
    };
    let both = (0..program.kernels.len()).flat_map(both);
    both.map(|form| form.expect("it is flat").form.wgsl.clone()).collect()
}

fn only(construct: Construct) -> Style {
    Style::PLAIN.with(construct, Sites::All)
}

/// Each construct alone, and all together, on every program: naga makes SPIR-V of it, and every
/// construct is written somewhere.
#[test]
fn naga_takes_every_style_of_every_program() {
    let programs = corpus();
    let odd = Construct::ALL.iter().fold(Style::PLAIN, |s, c| s.with(*c, Sites::Odd));
    let even = Construct::ALL.iter().fold(Style::PLAIN, |s, c| s.with(*c, Sites::Even));
    let alone = Construct::ALL.iter().map(|construct| only(*construct));
    let styles: Vec<Style> = alone.chain([Style::FULL, odd, even]).collect();
    let mut written = vec![0; styles.len()];
    for known in &programs {
        let plain = shaders(&known.program, Writing::default());
        for (style, written) in styles.iter().zip(&mut written) {
            let writing = Writing { style: *style, ..Writing::default() };
            for (shader, plain) in shaders(&known.program, writing).iter().zip(&plain) {
                if shader == plain {
                    continue;
                }
                *written += 1;
                for_vulkan(shader)
                    .unwrap_or_else(|e| panic!("{}, {style}: {e}\n{shader}", known.file));
            }
        }
    }
    for (style, written) in styles.iter().zip(written) {
        assert!(written >= 5, "{style} changes {written} shaders");
    }
}

/// What naga keeps of a shader does not show in the next ones.
#[test]
fn the_modules_of_a_series_are_those_of_each_shader() {
    let mut series = Series::default();
    for known in corpus() {
        for style in [Style::PLAIN, Style::FULL] {
            for shader in shaders(&known.program, Writing { style, ..Writing::default() }) {
                let module = series.for_vulkan(&shader);
                assert!(module == for_vulkan(&shader), "{}: {shader}", known.file);
            }
        }
    }
}

/// A `continue` in a branch would make all that comes behind it, and the barriers of the next rounds, what
/// only some invocations come to. naga does not look, Tint does.
#[test]
fn a_round_around_a_barrier_ends_for_all_at_once() {
    let source = |wait: &str| {
        format!(
            "kernel k(xs : block[i32]) group 4 {{
              loop (i : i32 = 0) while i < 3 {{
                {wait}
                if xs.[i] > 0 {{ xs.[i] = 1; }}
              }} next (i + 1);
            }}
            let xs = alloc i32(4); launch k(xs) for 4;"
        )
    };
    for (wait, early) in [("", true), ("barrier storage;", false)] {
        let Known { program, .. } = read("device", "a loop", &source(wait)).expect("it compiles");
        let writing = Writing { style: only(Construct::Continue), ..Writing::default() };
        for shader in shaders(&program, writing) {
            let lines: Vec<&str> = shader.lines().map(str::trim).collect();
            let continues = lines.windows(2).filter(|pair| pair[0] == "continue;");
            let in_branch = continues.filter(|pair| pair[1] != "continuing {").count();
            assert_eq!(in_branch > 0, early, "{shader}");
        }
    }
}

/// A plain style is what is emitted for use.
#[test]
fn plain_is_plain() {
    let cx = Plan::default();
    let plain = Writing { style: Style::PLAIN, ..Writing::default() };
    assert_eq!((cx.writing(), cx.workarounds), (plain, Workarounds::All));
}

/// One construct alone by turns, and all together on a third of the programs: on each adapter the
/// results are those of the header.
#[test]
fn drivers_give_the_same_results_in_every_style() {
    let programs = corpus();
    on_each_adapter("programs in all styles", |gpu| {
        let (mut compared, mut turn) = (0, 0);
        for known in &programs {
            turn += 1;
            let alone = only(Construct::ALL[turn % Construct::ALL.len()]);
            let styles = if turn % 3 == 0 { vec![alone, Style::FULL] } else { vec![alone] };
            for style in styles {
                let writing = Writing { style, ..Writing::default() };
                gpu.set_kernels(KernelOptions { writing, ..KernelOptions::default() });
                let Some((input, result)) = known.runs.first() else { continue };
                let input = parse_values(input).expect("a list of values");
                let outcome = gpu.run(&known.program, &input, &Budget::default());
                let not_run = matches!(outcome.ending, Ending::Unknown(Why::NoAdapter(_)));
                if not_run || is_open(&known.program, &input) {
                    continue;
                }
                let expected = parse_values(result).expect("a list of values");
                let (id, ending) = (&gpu.adapter().id, &outcome.ending);
                assert!(
                    ends_with(&outcome, &expected),
                    "{} on {id}, {style}: {ending:?}",
                    known.file
                );
                compared += 1;
            }
        }
        gpu.set_kernels(KernelOptions::default());
        assert!(compared > 80, "{compared} runs were compared");
    });
}
