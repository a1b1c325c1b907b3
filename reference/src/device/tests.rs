//! What the corpus cannot say in headers: operands and thread paths of what gets stuck, made-up blocks,
//! budgets, counts, and that print and parse are inverse.

mod precedence;

use super::eval::{Order, run};
use super::rules::Rule;
use super::syntax::{self, Exp, Host, Kind, Param, Program, Sc, Stm};
use super::{parse, print, validate};
use crate::kit::derivation::Recorder;
use crate::kit::names::Var;
use crate::kit::outcome::{Budget, Cause, Ending, Outcome, Side, Stuck, Value, Why};
use crate::kit::scalar::BinOp;
use crate::kit::text::{MAX_NESTING, Span};

fn valid(source: &str) -> Program {
    let program = parse::program(source).unwrap_or_else(|error| panic!("{error:?}"));
    let checked = validate::check(&program, &mut Recorder::<Rule>::counting());
    checked.unwrap_or_else(|error| panic!("{error:?}"));
    program
}

fn ints(data: &[i32]) -> Value {
    Value::ints(vec![data.len()], data.to_vec())
}

fn outcome(source: &str, input: &[Value], budget: &Budget) -> Outcome {
    run(&valid(source), input, Order::InOrder, budget, &mut Recorder::counting())
}

fn ending(source: &str, input: &[Value]) -> Ending {
    outcome(source, input, &Budget::default()).ending
}

pub(super) fn stuck(source: &str, input: &[Value]) -> Stuck {
    match ending(source, input) {
        Ending::Stuck(stuck) => stuck,
        other => panic!("not stuck: {other:?}"),
    }
}

const GATHER: &str = "
kernel gather(is : block[i32], n : i32) group 2 {
  if global_id < invocations {
    let i : i32 = is.[global_id];
    check index(i, n);
  }
}
param is : [5];
launch gather(is, 5) for 5;";

#[test]
fn the_lowest_invocation_is_reported() {
    let stuck = stuck(GATHER, &[ints(&[5, 1, 6, 0, 2])]);
    let span = stuck.site.span;
    assert_eq!(&GATHER[span.start as usize..span.end as usize], "check index(i, n)");
    assert_eq!((stuck.site.cause, stuck.rule.as_str()), (Cause::Index, "D-CHECK"));
    assert_eq!((stuck.thread, stuck.operands), (vec![3], vec![6, 5]));
}

/// A premise of what is no statement points at its declaration or result.
#[test]
fn declarations_and_results_are_pointed_at() {
    let cases = [
        ("struct S { a : i32 } struct T { }", "T"),
        ("workgroup w : i32; private o : ptr[private, i32];", "o"),
        ("private p : i32; private q : array[i32, 4294967295];", "q"),
        ("kernel k(x : i32, q : array[i32, 2]) group 1 { }", "q"),
        ("kernel k() group 1 { workgroup w : i32; private w : i32; }", "w"),
        ("param n : i32; param xs : bool[n][m];", "xs"),
        ("param z : i32; param z : i32;", "z"),
        ("param n : i32; result n; result n : u32;", "result n : u32"),
        ("result 1 : [2] at 0 strides (1);", "result 1 : [2] at 0 strides (1)"),
    ];
    for (source, at) in cases {
        let program = parse::program(source).unwrap_or_else(|error| panic!("{error:?}"));
        let checked = validate::check(&program, &mut Recorder::<Rule>::counting());
        let span = checked.expect_err(source).span;
        assert_eq!(&source[span.start as usize..span.end as usize], at, "{source}");
        assert_eq!(Some(span.start as usize), source.rfind(at), "the last of them: {source}");
    }
    let short = "let b = alloc i32(1); result 1; result b : [2] at 0 strides (1);";
    let span = stuck(short, &[]).site.span;
    let at = "result b : [2] at 0 strides (1)";
    assert_eq!(&short[span.start as usize..span.end as usize], at);
}

#[test]
fn nested_iterations_are_in_the_path() {
    let source = "
param n : i32;
par i <= n {
  par j <= 4 {
    check size(i - j) at (j);
  }
}";
    let stuck = stuck(source, &[Value::from(3)]);
    assert_eq!((stuck.thread, stuck.operands), (vec![1, 2], vec![-1]));
}

/// What the evaluator sees itself and what the host decodes of words are the same failure.
#[test]
fn records_tell_what_checks_tell() {
    let recorded = "
fn put(fails : block[atomic[u32]], first : u32, nth : u32, key : u32, word : u32) {
  atomic max(fails.[first + u32 2 * nth], key | word & u32 65535);
  atomic max(fails.[first + u32 2 * nth + u32 1], key | word >> u32 16);
}
kernel gather(xs : block[i32], n : i32, fails : block[atomic[u32]]) group 2 {
  record 0 2;
  let i : i32 = xs.[global_id];
  if (i < 1) | (i > n) {
    let first : u32 = u32 1 + group_id * u32 14;
    let key : u32 = u32 1024 - local_id << u32 16;
    call put(fails, first, u32 0, key, u32 0);
    call put(fails, first, u32 1, key, global_id);
    call put(fails, first, u32 3, key, bitcast u32(i));
    call put(fails, first, u32 4, key, bitcast u32(i >> 31));
    call put(fails, first, u32 5, key, bitcast u32(n));
    call put(fails, first, u32 6, key, bitcast u32(n >> 31));
    atomic max(fails.[0], u32 4294967295 - group_id);
  }
}
param is : [6];
check index(1, 1);
let all = alloc atomic[u32](43);
launch gather(is, 5, all) for 6 record all;";
    let native = stuck(GATHER, &[ints(&[5, 1, -6, 4, 0])]);
    let decoded = stuck(recorded, &[ints(&[5, 1, -6, 4, 0, 1])]);
    assert_eq!((&native.thread, &native.operands), (&vec![3], &vec![-6, 5]));
    assert_eq!((decoded.thread, decoded.operands), (native.thread, native.operands));
    assert_eq!((decoded.rule, decoded.site.cause), (native.rule, native.site.cause));
}

#[test]
fn made_up_blocks_end_at_blocks() {
    let source = "
kernel k(p : block[i32], far : u32) group 1 {
  let b : block[i32] = block(i32, base(p), u32 100);
  b.[far] = 1;
}
param xs : [3];
param by : i32;
launch k(xs, u32(by)) for 1;
result xs : [3] at 0 strides (1);";
    let input = |by| [ints(&[7, 8, 9]), Value::from(by)];
    assert_eq!(ending(source, &input(2)), Ending::Value(vec![ints(&[7, 8, 1])]));
    // A guard word lies behind the block, and no access of a program reaches it.
    let outside = stuck(source, &input(3));
    assert_eq!((outside.site.cause, outside.operands), (Cause::OutsideBlock, vec![3, 100]));
}

#[test]
fn budgets_hold() {
    let small = Budget { fuel: 10_000, memory: 1 << 20 };
    let why = |source: &str| match outcome(source, &[], &small).ending {
        Ending::Unknown(why) => why,
        other => panic!("it answers {other:?}"),
    };
    let endless = "kernel k() group 1 { loop () while true { } next (); }\nlaunch k() for 1;";
    assert_eq!(why(endless), Why::Fuel);
    assert_eq!(why("loop () while true { } next ();"), Why::Fuel);
    let many = "kernel k(b : block[i32]) group 64 { b.[0] = 1; }
let b = alloc i32(1);
launch k(b) for 2000000000;";
    assert_eq!(why(many), Why::Fuel);
    assert_eq!(why("kernel k() group 64 { }\nlaunch k() for i64 9000000000000;"), Why::Fuel);
    let cells = "loop (i : i32 = 0) while i < 1000 {
  let b = alloc i32(10000);
  free b;
} next (i + 1);";
    assert_eq!(why(cells), Why::Fuel);
    let zeroed = "kernel k() group 1 { private a : array[i32, 60000]; }
launch k() for 100;";
    assert_eq!(why(zeroed), Why::Fuel);
    let terabytes = why("let b = alloc i64(2000000000 * 2000);");
    assert_eq!(terabytes, Why::Memory(32_000_000_000_000));
    assert!(matches!(why("let b = alloc i32(200000);"), Why::Memory(_)));
    let frames = "kernel k() group 1024 {
  private a : array[i32, 60000];
  barrier workgroup;
}
launch k() for 1;";
    assert!(matches!(why(frames), Why::Memory(_)));
    let result = "param xs : [1];\nresult xs : [65536][65536][65536] at 0 strides (0, 0, 0);";
    let big = outcome(result, &[ints(&[1])], &small).ending;
    assert!(matches!(big, Ending::Unknown(Why::Memory(_))), "{big:?}");
    // Of 400,000 bytes each: two fit, three do not.
    let one = "result xs : [100000] at 0 strides (0);\n";
    let results = |count, budget: &Budget| {
        outcome(&format!("param xs : [1];\n{}", one.repeat(count)), &[ints(&[1])], budget).ending
    };
    let fuel = Budget { fuel: 1_000_000, ..small };
    assert!(matches!(results(2, &fuel), Ending::Value(_)));
    assert_eq!(results(3, &fuel), Ending::Unknown(Why::Memory(1_200_000)));
    // Elements that are shown cost fuel.
    assert_eq!(results(2, &small), Ending::Unknown(Why::Fuel));
}

#[test]
fn giving_up_is_unknown() {
    let mut program = valid(&GATHER.replace("index(i, n)", "annotation()"));
    for cause in [Cause::Fuel, Cause::Width] {
        program.sites[0].cause = cause;
        let input = [ints(&[1, 1, 1, 1, 1])];
        let budget = Budget::default();
        let outcome = run(&program, &input, Order::InOrder, &budget, &mut Recorder::counting());
        assert_eq!(Some(outcome.ending), cause.gives_up().map(Ending::Unknown));
    }
}

#[test]
fn launches_are_counted() {
    let source = "
kernel k(b : block[i32]) group 4 {
  loop (i : u32 = u32 0) while i < global_id {
  } next (i + u32 1);
}
let b = alloc i32(10);
let c = alloc i32(20);
free b;
let d = alloc i32(5);
launch k(c) for 7;
launch k(d) for 3;
launch k(d) for 0;";
    let stats = outcome(source, &[], &Budget::default()).stats;
    assert_eq!((stats.launches, stats.invocations, stats.threads), (2, 10, 10));
    // Padding runs too: eight invocations of the first launch. The end of the loop counts as well.
    assert_eq!((stats.rounds, stats.elements), (8, 30));
}

#[test]
fn inputs_must_fit() {
    let source = "param n : i32;\nparam xs : [n][2];\nresult n;";
    let refused =
        |input: &[Value]| matches!(ending(source, input), Ending::Unknown(Why::Refused(_)));
    let matrix = |rows: usize| Value::ints(vec![rows, 2], vec![0; 2 * rows]);
    assert!(!refused(&[Value::from(2), matrix(2)]));
    assert!(refused(&[Value::from(2), matrix(3)]));
    assert!(refused(&[Value::from(2)]));
    assert!(refused(&[Value::from(4), ints(&[1, 2, 3, 4])]));
    assert!(refused(&[matrix(2), matrix(2)]));
    assert!(refused(&[Value::from(2), Value::from(2)]));
}

/// The two threads, the block and the place of a race.
#[test]
fn races_say_who_and_where() {
    let source = "
kernel k(p : block[i64]) group 4 {
  p.[global_id / u32 2] = i64 1;
}
let xs = alloc i64(4);
launch k(xs) for 8;";
    let races = outcome(source, &[], &Budget::default()).races;
    let race = races.first().expect("it races");
    let side = |thread| Side { thread: vec![thread], wrote: true, span: None };
    assert_eq!((&race.first, &race.second), (&side(1), &side(2)));
    assert_eq!((race.block.as_str(), race.offset, races.len()), ("xs", 0, 1));
}

#[test]
fn names_that_are_keywords_are_printed_otherwise() {
    let mut program = Program::default();
    let next = program.names.fresh("next");
    let other = program.names.fresh("next_");
    let sum = Exp::bin(BinOp::Add, Exp::var(next), Exp::i32(1));
    program.params.push(Param::scalar(next, Sc::I32));
    let kind = Host::Let(other, syntax::I32, sum);
    program.host.push(Stm { span: Span::nth(0), kind });
    let text = print::program(&program);
    assert_eq!(text, "param next__ : i32;\nlet next_ : i32 = next__ + 1;\n");
    valid(&text);
}

/// A source of choices.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % n
    }

    fn boxed(&mut self, depth: u32) -> Box<Exp> {
        Box::new(self.exp(depth))
    }

    /// Any expression over a value `x0`, a place `x1`, whatever its type.
    fn exp(&mut self, depth: u32) -> Exp {
        use syntax::{Lit, UnOp};
        if depth == 0 {
            let k = self.roll(1 << 32);
            return match self.roll(9) {
                0 => Exp::Lit(Lit::Bool(k.is_multiple_of(2))),
                1 => Exp::i32(k as i32),
                2 => Exp::u32(k as u32),
                3 => Exp::i64((k as i64).wrapping_mul(-0x1_0000_0001)),
                4 => Exp::Lit(Lit::F32(k as u32)),
                5 => Exp::load(syntax::Place::Var(Var(1))),
                6 => Exp::Lit(Lit::F64(syntax::Wide(-(k as i64) << 20))),
                _ => Exp::var(Var(0)),
            };
        }
        let depth = depth - 1;
        let sc = [syntax::Sc::I32, syntax::Sc::F32, syntax::Sc::I64, syntax::Sc::F64]
            [self.roll(4) as usize];
        match self.roll(16) {
            0 => Exp::Un(UnOp::Neg, self.boxed(depth)),
            1 => Exp::Un(UnOp::Not, self.boxed(depth)),
            2 => Exp::select(self.exp(depth), self.exp(depth), self.exp(depth)),
            3 => Exp::Cast(sc, self.boxed(depth)),
            4 => Exp::Bitcast(sc, self.boxed(depth)),
            5 => Exp::make(syntax::Ty::Vector(sc, 2), vec![self.exp(depth), self.exp(depth)]),
            6 => Exp::at(self.exp(depth), self.exp(depth)),
            7 => Exp::Field(self.boxed(depth), 3),
            8 => Exp::load(self.place(depth)),
            9 => Exp::Ref(Box::new(self.place(depth))),
            10 => Exp::Length(self.boxed(depth)),
            11 => {
                let of = [syntax::Element::Plain(sc), syntax::Element::Atomic(sc)];
                Exp::block(of[self.roll(2) as usize], self.exp(depth), self.exp(depth))
            }
            _ => {
                let op = BinOp::ALL[self.roll(18) as usize];
                Exp::bin(op, self.exp(depth), self.exp(depth))
            }
        }
    }

    fn place(&mut self, depth: u32) -> syntax::Place {
        use syntax::Place;
        if depth == 0 {
            return Place::Var(Var(1));
        }
        match self.roll(4) {
            0 => Place::Deref(self.exp(depth - 1)),
            1 => Place::Element(self.exp(depth - 1), self.exp(depth - 1)),
            2 => Place::At(Box::new(self.place(depth - 1)), self.exp(depth - 1)),
            _ => Place::Field(Box::new(self.place(depth - 1)), 2),
        }
    }
}

/// Every expression parses to itself again, whatever its type.
#[test]
fn print_and_parse_are_inverse() {
    let mut program = valid("kernel k(x0 : i32) group 1 { private x1 : i32; x1 = x0; }");
    for seed in 0..4000 {
        let mut dice = Dice(seed);
        let exp = dice.exp((seed % 6) as u32);
        let kernel = &mut program.kernels[0];
        kernel.body[0].kind = Kind::Store(syntax::Place::Var(Var(1)), exp.clone());
        let text = print::program(&program);
        let again = parse::program(&text).unwrap_or_else(|error| panic!("{text}\n{error:?}"));
        let Kind::Store(_, parsed) = &again.kernels[0].body[0].kind else {
            panic!("{text}");
        };
        assert_eq!(*parsed, exp, "{text}");
    }
}

/// A launch takes time for every block whose guards it verifies, so it takes fuel for them.
#[test]
fn launches_over_many_blocks_take_fuel() {
    let blocks: String = (0..150).map(|b| format!("let xs{b} = alloc i32(1);\n")).collect();
    let source = &format!(
        "kernel k(n : i32) group 1 {{ }}
{blocks}loop (i : i32 = 0) while i < 300 {{
  launch k(i) for 1;
}} next (i + 1);"
    );
    let budget = |fuel| Budget { fuel, ..Budget::default() };
    assert_eq!(outcome(source, &[], &budget(20_000)).ending, Ending::Unknown(Why::Fuel));
    assert_eq!(outcome(source, &[], &budget(80_000)).ending, Ending::Value(Vec::new()));
}

#[test]
fn bad_sources_are_refused() {
    let deep = format!("result {}1{};", "(".repeat(200_000), ")".repeat(200_000));
    let long = format!("result 1{};", " + 1".repeat(100_000));
    let postfix = format!("result x{};", "#0".repeat(100_000));
    let prefix = format!("result {}x;", "*".repeat(100_000));
    let blocks = "if true { ".repeat(MAX_NESTING + 1);
    for source in [&deep, &long, &postfix, &prefix, &blocks] {
        let error = parse::program(source).expect_err("it is too deep");
        let said = ["nested deeper", "operators in one another"];
        assert!(said.iter().any(|said| error.message.contains(said)), "{}", error.message);
    }
    for source in [
        "result 2147483648;",
        "result u32 -1;",
        "result i64 9223372036854775808;",
        "let x : bool = bool 1;",
        "kernel k() group 4294967296 { }",
        "kernel k() group 1 { atomic frobnicate(x); }",
        "kernel k() group 1 { atomic add(); }",
        "check frobs();",
        "(a, b) = (1);",
        "let x = read y;",
        "\u{1}\u{2}",
        "kernel",
        "}",
    ] {
        parse::program(source).expect_err(source);
    }
}

/// However many elements a copy has, it ends, and says for want of what.
#[test]
fn copies_of_too_much_end() {
    let source = "
param n : i32;
let xs = alloc i64(4);
copy (n, n, n, n) from xs.[0] strides (0, 0, 0, 0) to xs.[1] strides (0, 0, 0, 0);";
    let ending = |n: i32, budget: &Budget| outcome(source, &[Value::from(n)], budget).ending;
    let plenty = Budget { fuel: u64::MAX, ..Budget::default() };
    assert_eq!(ending(i32::MAX, &Budget::default()), Ending::Unknown(Why::Fuel));
    for n in [i32::MAX, 60_000, 300] {
        let ending = ending(n, &plenty);
        assert!(matches!(ending, Ending::Unknown(Why::Memory(_))), "{n}: {ending:?}");
    }
    // Each word takes fuel where a machine counts it.
    let row = "let xs = alloc i32(2000); copy 1000 from xs.[0] to xs.[1000];";
    let budget = |fuel| Budget { fuel, ..Budget::default() };
    assert_eq!(outcome(row, &[], &budget(900)).ending, Ending::Unknown(Why::Fuel));
    assert_eq!(outcome(row, &[], &budget(1_100)).ending, Ending::Value(Vec::new()));
}

/// Above some function of this room, the doc block of each rule states it.
#[test]
fn rules_are_stated() {
    use crate::kit::rules::Roll;
    fn sources(folder: &std::path::Path, into: &mut String) {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("it is listed").path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|it| it == "rs") {
                for line in std::fs::read_to_string(&path).expect("it is text").lines() {
                    into.push_str(line.trim());
                    into.push('\n');
                }
            }
        }
    }
    let mut text = String::new();
    sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/device"), &mut text);
    let is_stated = |name: &str| {
        let head = format!("/// `{name}`");
        text.match_indices(&head).any(|(at, _)| {
            let mut lines = text[at..].lines().skip(1);
            lines.next() == Some("///") && lines.next() == Some("/// ```text")
        })
    };
    let missing = Rule::ALL.iter().map(|rule| rule.info().name).filter(|name| !is_stated(name));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new());
}

/// What a program that allocates in the rounds of a loop ends with, in a mebibyte: a block of 5,000
/// elements for each of 100 rounds is far more.
fn in_a_mebibyte(source: &str) -> Ending {
    let small = Budget { memory: 1 << 20, ..Budget::default() };
    outcome(source, &[], &small).ending
}

/// A block that is carried to the next round is there in it, and no longer.
#[test]
fn blocks_of_earlier_rounds_are_freed() {
    let carried = "let first = alloc i32(5000);
write first.[0] = 1;
loop (a : block[i32] = first, i : i32 = 0) while i < 100 {
  let b = alloc i32(5000);
  let x = read a.[0];
  let y = read b.[0];
  write b.[0] = x + y + 1;
} next (b, i + 1);
let first_still = read first.[0];
result a : [2] at 0 strides (1);
result first_still;";
    let ended = in_a_mebibyte(carried);
    assert_eq!(ended, Ending::Value(vec![ints(&[101, 0]), Value::from(1)]));
    let assigned = "let a : block[i32] = block(i32, u32 0, u32 0);
loop (i : i32 = 1) while i <= 100 {
  let b = alloc i32(5000);
  if base(a) != u32 0 {
    let x = read a.[7];
    write b.[7] = x;
  }
  let y = read b.[7];
  write b.[7] = y + i;
  a = b;
} next (i + 1);
result a : [2] at 6 strides (1);";
    assert_eq!(in_a_mebibyte(assigned), Ending::Value(vec![ints(&[0, 5050])]));
}

/// A block is there as long as some variable holds it or a part of it.
#[test]
fn blocks_that_are_reached_are_kept() {
    let aliased = "let kept : block[i32] = block(i32, u32 0, u32 0);
let last : block[i32] = kept;
let part : block[i32] = kept;
loop (i : i32 = 0) while i < 100 {
  let b = alloc i32(5000);
  write b.[3] = i;
  last = b;
  if i == 40 {
    kept = b;
  }
  if i == 60 {
    let c = alloc i32(5000);
    write c.[3] = 1000;
    part = block(i32, base(c) + u32 2, length(c) - u32 2);
  }
} next (i + 1);
result kept : [2] at 3 strides (1);
result last : [2] at 3 strides (1);
result part : [2] at 1 strides (1);";
    let ended = [&[40, 0], &[99, 0], &[1000, 0]].map(|data| ints(data));
    assert_eq!(in_a_mebibyte(aliased), Ending::Value(ended.to_vec()));
    // Blocks that change places, one of which is allocated in no round.
    let swapped = "let a : block[i32] = block(i32, u32 0, u32 0);
let b = alloc i32(5000);
write b.[0] = 7;
loop (i : i32 = 0) while i < 100 {
  let c = alloc i32(5000);
  write c.[0] = i;
  a = c;
  (a, b) = (b, a);
  (a, b) = (b, a);
} next (i + 1);
result a : [1] at 0 strides (1);
result b : [1] at 0 strides (1);";
    assert_eq!(in_a_mebibyte(swapped), Ending::Value(vec![ints(&[99]), ints(&[7])]));
}

/// What a round of the outer loop binds is in scope in all rounds of the inner one.
#[test]
fn blocks_of_outer_rounds_are_kept_in_inner_ones() {
    let nested = "let sum = alloc i32(1);
loop (i : i32 = 0) while i < 10 {
  let outer = alloc i32(5000);
  write outer.[9] = i;
  let best : block[i32] = outer;
  loop (j : i32 = 0, before : block[i32] = outer) while j < 10 {
    let inner = alloc i32(5000);
    let x = read before.[9];
    write inner.[9] = x + 1;
    if j == 4 {
      best = inner;
    }
  } next (j + 1, inner);
  let x = read outer.[9];
  let y = read best.[9];
  let z = read before.[9];
  let s = read sum.[0];
  write sum.[0] = s + x + 100 * (y - x) + 10000 * (z - x);
} next (i + 1);
result sum : [1] at 0 strides (1);";
    let sum = 45 + 10 * 100 * 5 + 10 * 10000 * 10;
    assert_eq!(in_a_mebibyte(nested), Ending::Value(vec![ints(&[sum])]));
}

/// Where a block is observed by more than the variables that hold it, none is freed: by numbers, or
/// by a variable that may hold what was freed.
#[test]
fn nothing_is_freed_where_that_could_be_observed() {
    let rounds = |before: &str, inside: &str, after: &str| {
        in_a_mebibyte(&format!(
            "{before}
loop (i : i32 = 0) while i < 100 {{
  let b = alloc i32(5000);
  {inside}
}} next (i + 1);
{after}"
        ))
    };
    let full = |ending: Ending| matches!(ending, Ending::Unknown(Why::Memory(_)));
    assert_eq!(rounds("", "", ""), Ending::Value(Vec::new()));
    let compared = "if u32 0 == base(b) { write b.[0] = 1; }";
    assert_eq!(rounds("", compared, ""), Ending::Value(Vec::new()));
    assert!(full(rounds("let place : u32 = u32 0;", "place = base(b);", "")));
    assert!(full(rounds("", "if base(b) == u32 1 { write b.[0] = 1; }", "")));
    let made = "let c : block[i32] = block(i32, u32 64, u32 1);";
    assert!(full(rounds("", made, "")));
    let kernel = "kernel k(b : block[i32]) group 1 { b.[0] = i32(base(b)); }";
    assert!(full(rounds(kernel, "", "")));
    assert!(full(rounds("let a = alloc i32(1);\nfree a;", "", "")));
    assert!(full(rounds("", "", "result i32(base(block(i32, u32 0, u32 0)));")));
}
