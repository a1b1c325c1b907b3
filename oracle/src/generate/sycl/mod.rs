//! Programs of MiniSYCL, accepted under the default options by construction: each pointer is of one space. Items do not race,
//! since each has a region of its own in global, local and private memory.

pub mod ill_typed;
mod walk;

use super::draw::Draw;
use super::{Generate, Generator, Intent, Made, Weights};
use arbitrary::Unstructured;
use reference::kit::dice::Dice;
use reference::kit::language::{Language, Settings};
use reference::kit::outcome::Value;
use reference::sycl::Sycl;
use reference::sycl::syntax::Program;

/// Cells of a region.
const REGION: i32 = 8;

/// What stands before each kernel.
const LIBRARY: &str = "struct Pair { int x; int y; };
template<typename T> struct Box { T v; };
template<typename T> T get(T *p, int i) { T t = p[i]; return t; }
template<typename T> void put(T &to, const T &from) { to = from; }
template<typename F> int apply(F f, int x) { return f(x) + 1; }
int *same(int *p) { return p; }
int read(int *p, int n) { int s = 0; for (int i = 0; i < 3; i = i + 1) { s = s + p[i] * n; } return s; }
void bump(int &r) { r = r + 1; }
int sum(Pair p) { return p.x - p.y; }
";

/// The regions of an item.
const BASES: [&str; 3] = ["r", "s", "a"];

impl Generate for Sycl {
    const GENERATOR: Generator<Sycl> = program;
    const SHARE: u32 = 2;

    /// The launch that the program was made for.
    fn settings(program: &Program, _: &mut Dice) -> Settings {
        Sycl::options_of(program)
    }
}

/// What is in scope.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<String>,
    pointers: Vec<String>,
}

struct Build<'u, 'b> {
    draw: Draw<'u, 'b>,
    scope: Scope,
    names: usize,
}

/// Makes a program from bytes.
///
/// # Panics
/// If what is made is no program.
pub fn program(bytes: &mut Unstructured<'_>, _: &Weights) -> Made<Program> {
    let mut build = Build { draw: Draw::new(bytes), scope: Scope::default(), names: 0 };
    let stuck = build.draw.chance(12);
    let groups = if build.draw.chance(32) { 2 + build.draw.below(2) } else { 1 };
    let size = [1, 2, 4][build.draw.below(3)];
    build.scope.ints.push("n".to_owned());
    build.scope.pointers.extend(BASES.map(str::to_owned));
    let mut body = build.stmts(3, 9);
    if stuck {
        body += &build.stuck();
    }
    if build.draw.chance(16) {
        body += "barrier(local); int other = l[(get_local_id(0) + 1) % get_local_size(0) * 8]; barrier(local); r[1] = other;\n";
    }
    let last = build.int(2);
    let text = format!(
        "{LIBRARY}kernel void k(global_ptr<int> g, local_ptr<int> l, int n) {{
int *r = g + get_global_id(0) * {REGION}; int *s = l + get_local_id(0) * {REGION}; int a[{REGION}] = {{1, 2, 3}};
{body}*r = {last};
}}"
    );
    let items = groups * size;
    let data: Vec<i32> =
        (0..items * REGION as usize).map(|_| build.draw.between(-9, 99) as i32).collect();
    let input = vec![
        Value::ints(vec![data.len()], data),
        Value::from(size as i32 * REGION),
        Value::from(build.draw.below(9) as i32),
    ];
    let program = Sycl::parse(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"));
    let mut settings = Settings::default();
    let set = settings.set(Sycl::OPTIONS, "launch", &format!("k {items} {size}"));
    set.unwrap_or_else(|told| unreachable!("it is a launch: {told}"));
    let intent = if stuck { Intent::Stuck } else { Intent::Runs };
    Made { program: Sycl::under(program, &settings), input, intent }
}

impl Build<'_, '_> {
    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn stmts(&mut self, depth: usize, most: usize) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.draw.below(most) {
            if self.draw.is_spent() {
                break;
            }
            text += &self.stmt(depth);
            text.push('\n');
        }
        text
    }

    fn block(&mut self, depth: usize) -> String {
        let outer = self.scope.clone();
        let text = self.stmts(depth, 3);
        self.scope = outer;
        format!("{{\n{text}}}")
    }

    fn pointer(&mut self) -> String {
        let at = self.draw.below(self.scope.pointers.len());
        self.scope.pointers[at].clone()
    }

    fn index(&mut self, height: usize) -> String {
        match height == 0 || self.draw.chance(60) {
            true => self.draw.below(4).to_string(),
            false => format!("(({}) & 3)", self.int(height - 1)),
        }
    }

    fn int(&mut self, height: usize) -> String {
        if height == 0 || self.draw.is_spent() {
            return match self.draw.chance(50) {
                true => {
                    let at = self.draw.below(self.scope.ints.len());
                    self.scope.ints[at].clone()
                }
                false => self.draw.below(20).to_string(),
            };
        }
        match self.draw.below(8) {
            0 | 1 => {
                let (one, other) = (self.int(height - 1), self.int(height - 1));
                let op = self.draw.pick(&["+", "-", "*", "&", "|", "^", "<", "=="]);
                format!("({one} {op} {other})")
            }
            2 | 3 => format!("{}[{}]", self.pointer(), self.index(height - 1)),
            4 => format!("get({}, {})", self.pointer(), self.index(height - 1)),
            5 => format!("read(same({}), {})", self.pointer(), self.int(height - 1)),
            6 if self.draw.chance(30) => format!("((int) {})", self.int(height - 1)),
            6 => format!("({} % {})", self.int(height - 1), 1 + self.draw.below(7)),
            _ => format!("({} ? {} : 2)", self.int(height - 1), self.int(height - 1)),
        }
    }

    fn stmt(&mut self, depth: usize) -> String {
        match self.draw.below(if depth > 0 { 15 } else { 12 }) {
            0 => {
                let (init, name) = (self.int(2), self.name("x"));
                let text = format!("int {name} = {init};");
                self.scope.ints.push(name);
                text
            }
            1 => {
                let (of, name) = (self.pointer(), self.name("p"));
                let ty = self.draw.pick(&["int *", "auto "]);
                let text = format!("{ty}{name} = {of};");
                self.scope.pointers.push(name);
                text
            }
            2 => {
                let (like, of, name) = (self.pointer(), self.pointer(), self.name("d"));
                let text = format!("decltype(same({like})) {name} = {of};");
                self.scope.pointers.push(name);
                text
            }
            3 => format!("{}[{}] = {};", self.pointer(), self.index(1), self.int(2)),
            4 => {
                let (of, index, name) = (self.pointer(), self.index(1), self.name("y"));
                format!(
                    "int &{name} = {of}[{index}]; bump({name}); put<int>({name}, {});",
                    self.int(1)
                )
            }
            5 => {
                let (of, name, result) = (self.pointer(), self.name("f"), self.name("x"));
                let captures = self.draw.pick(&["=", "&"]);
                let (index, by) = (self.index(0), self.int(1));
                let text = format!(
                    "auto {name} = [{captures}](int v) {{ return {of}[{index}] + v; }}; int {result} = apply({name}, {by});"
                );
                // An array is captured by reference only.
                let text = if of == "a" { text.replace("[=]", "[&]") } else { text };
                self.scope.ints.push(result);
                text
            }
            6 => {
                let (name, of, other) = (self.name("f"), self.pointer(), self.pointer());
                format!(
                    "auto {name} = [](auto q, int v) {{ *q = v; }}; {name}({of}, {}); {name}({other}, 3);",
                    self.int(1)
                )
            }
            7 => {
                let (name, x, y) = (self.name("w"), self.int(1), self.int(1));
                let text = format!("Pair {name} = {{{x}, {y}}}; {name}.x = sum({name});");
                self.scope.ints.push(format!("{name}.x"));
                text
            }
            8 => {
                let (name, x) = (self.name("b"), self.int(1));
                let text = format!("Box<int> {name}{{{x}}};");
                self.scope.ints.push(format!("{name}.v"));
                text
            }
            9 => {
                let (name, x) = (self.name("c"), self.int(2));
                let text = format!("bool {name} = {x};");
                self.scope.ints.push(name);
                text
            }
            10 => format!("put<int>({}[{}], {});", self.pointer(), self.index(1), self.int(1)),
            11 => "static_assert(std::is_same<decltype(n), int>::value && \"n\");".to_owned(),
            12 => {
                let (condition, then) = (self.int(2), self.block(depth - 1));
                let otherwise = match self.draw.chance(50) {
                    true => format!(" else {}", self.block(depth - 1)),
                    false => String::new(),
                };
                format!("if ({condition}) {then}{otherwise}")
            }
            13 => {
                let name = self.name("i");
                let rounds = 1 + self.draw.below(4);
                format!(
                    "for (int {name} = 0; {name} < {rounds}; {name} = {name} + 1) {}",
                    self.block(depth - 1)
                )
            }
            _ => {
                let name = self.name("z");
                let of = self.pointer();
                format!("if (int *{name} = {of}) {}", self.block(depth - 1))
            }
        }
    }

    /// A statement at which some items get stuck.
    fn stuck(&mut self) -> String {
        let at = self.draw.below(2);
        let what = match self.draw.below(3) {
            0 => "r[1000000] = 1;",
            1 => "{ int *q = nullptr; *q = 1; }",
            _ => "{ int none = 0; s[0] = 1 / none; }",
        };
        format!("if (get_global_id(0) >= {at}) {what}\n")
    }
}
