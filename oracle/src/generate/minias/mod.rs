//! Programs of MiniAS, well typed in the mode `infer` by construction, whose items do not race.
//!
//! Each item has a region of [`REGION`] cells in two global arrays, in local and in private memory, and pointers to the first
//! one of each. Pointers whose space is elided take these through branches, loops, calls, casts and arrays; they stand at
//! one of the first four cells, and what they access lies at most three behind. Items read each other's local memory only
//! between two barriers. A few kernels have a barrier where the items of a group may part.

mod build;
pub mod ill_typed;
mod stmts;

use super::draw::Draw;
use super::{Generate, Generator, Intent, Made, Weights};
use arbitrary::Unstructured;
use build::Build;
use reference::kit::derivation::Recorder;
use reference::kit::dice::Dice;
use reference::kit::language::{Language, Settings};
use reference::kit::names::Var;
use reference::kit::outcome::Value;
use reference::minias::Minias;
use reference::minias::infer;
use reference::minias::launch::Launch;
use reference::minias::syntax::{
    Decl, Exp, Function, Init, Item, Kind, Options, Param, Program, Space, Stmt, StmtKind,
};
use reference::minias::types::{MODE, Mode};

/// Percentage of programs for which a mode is drawn.
const OTHER_MODES: u64 = 40;

/// Cells of a region.
const REGION: i32 = 8;

impl Generate for Minias {
    const GENERATOR: Generator<Minias> = program;
    const SHARE: u32 = 4;

    /// The launch that the program was made for, and the mode: often another one, if the program is well typed in it.
    fn settings(program: &Program, dice: &mut Dice) -> Settings {
        let mut settings = Minias::options_of(program);
        if dice.below(100) < OTHER_MODES {
            let mode = Mode::ALL[dice.below(Mode::ALL.len() as u64) as usize];
            if infer::types_of(program, mode, &mut Recorder::counting()).is_ok() {
                let set = settings.set(Minias::OPTIONS, MODE.name, mode.name());
                set.unwrap_or_else(|told| unreachable!("a mode has its name: {told}"));
            }
        }
        settings
    }
}

/// Makes a program from bytes.
pub fn program(bytes: &mut Unstructured<'_>, _: &Weights) -> Made<Program> {
    let mut build = Build::new(Draw::new(bytes));
    let stuck = build.draw.chance(16);
    let functions = build.draw.below(3);
    let constant = build.draw.chance(15).then(|| constant(&mut build));
    let mut items: Vec<Item> = constant.into_iter().collect();
    items.extend((0..functions).map(|_| function(&mut build)));
    let groups = if build.draw.chance(32) { 2 + build.draw.below(2) as u32 } else { 1 };
    let size = [1, 2, 4][build.draw.below(3)];
    let parted = build.draw.chance(2);
    let (kernel, name) = kernel(&mut build, size, stuck, parted);
    items.push(Item::Function(kernel));
    let items_of_launch = groups * size;
    let cells = items_of_launch as usize * REGION as usize;
    let mut array =
        || -> Vec<i32> { (0..cells).map(|_| build.draw.between(-9, 99) as i32).collect() };
    let arrays = [array(), array()].map(|data| Value::ints(vec![data.len()], data));
    let [g, h] = arrays;
    let input =
        vec![g, h, Value::from(size as i32 * REGION), Value::from(build.draw.below(9) as i32)];
    let launch = Launch::of(&name, items_of_launch, size);
    let options = Options { mode: Mode::Infer, launch };
    let intent = if stuck || parted { Intent::Stuck } else { Intent::Runs };
    Made { program: Program { names: build.names, items, options }, input, intent }
}

/// `constant int c[4] = {…};`
fn constant(build: &mut Build<'_, '_>) -> Item {
    let var = build.names.fresh("c");
    build.constants.push(var);
    let span = build.span();
    let mut number = || Exp { span, kind: Kind::Int(build.draw.between(-9, 99) as i32) };
    let init = Init::Many((0..4).map(|_| number()).collect());
    Item::Constant(Decl {
        span,
        var,
        ty: build::constant_int(span),
        extent: Some(4),
        init: Some(init),
    })
}

/// `int f(int *p, int *q, int n) { … }`, or one whose result is a pointer.
fn function(build: &mut Build<'_, '_>) -> Item {
    let pointer = build.draw.chance(40);
    let name = build.names.fresh("f");
    let params = [build.names.fresh("p"), build.names.fresh("q")];
    let n = build.names.fresh("n");
    build.enter();
    build.scope.elided.extend(params);
    build.scope.ints.push(n);
    let mut body = build.stmts(2, 4);
    let result = if pointer { build.pointer(2) } else { build.int(2) };
    body.push(build.stmt(StmtKind::Return(Some(result))));
    build.leave();
    let span = build.span();
    let mut declared: Vec<Param> = params
        .into_iter()
        .map(|var| Param { span, var: Some(var), ty: build::elided_pointer(span) })
        .collect();
    declared.push(Param { span, var: Some(n), ty: build::int(span) });
    let result = if pointer { build::elided_pointer(span) } else { build::int(span) };
    build.functions.push((name, pointer));
    Item::Function(Function {
        span,
        name,
        kernel: false,
        result,
        params: declared,
        body: Some(body),
    })
}

/// `kernel void k(global int *g, global int *h, local int *l, int n) { … }`
fn kernel(build: &mut Build<'_, '_>, size: u32, stuck: bool, parted: bool) -> (Function, String) {
    let name = build.names.fresh("k");
    let [g, h, l] = ["g", "h", "l"].map(|text| build.names.fresh(text));
    let n = build.names.fresh("n");
    let span = build.span();
    build.enter();
    let mut body = Vec::new();
    for (var, space, id) in [
        (g, Space::Global, reference::minias::syntax::Builtin::GlobalId),
        (h, Space::Global, reference::minias::syntax::Builtin::GlobalId),
        (l, Space::Local, reference::minias::syntax::Builtin::LocalId),
    ] {
        body.push(build.region(var, space, id));
    }
    if build.draw.chance(40) {
        body.extend(build.local_region(size));
    }
    body.push(build.private_region());
    build.scope.ints.push(n);
    body.extend(build.stmts(3, 7));
    if build.draw.chance(18) {
        body.extend(build.exchange(l));
    }
    if stuck {
        body.push(build.stuck());
    }
    if parted {
        body.push(build.parted());
    }
    body.extend(build.stmts(2, 3));
    let last = build.int(2);
    let first = build.scope.written[0].0;
    body.push(build.store(first, Exp { span, kind: Kind::Int(0) }, last));
    build.leave();
    let mut params: Vec<Param> = Vec::new();
    for (var, ty) in [
        (g, build::pointer_to(span, Space::Global)),
        (h, build::pointer_to(span, Space::Global)),
        (l, build::pointer_to(span, Space::Local)),
        (n, build::int(span)),
    ] {
        params.push(Param { span, var: Some(var), ty });
    }
    let text = build.names.text(name).to_owned();
    let result = reference::minias::syntax::Type { void: true, ..build::int(span) };
    let body: Vec<Stmt> = body;
    (Function { span, name, kernel: true, result, params, body: Some(body) }, text)
}

/// The variables of a pointer and the space that it is written to point to.
type Written = (Var, Space);
