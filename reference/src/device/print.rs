//! From the device language to text that parses to the same program, up to the numbering of names,
//! to spans, and to sites: the text gives each check a site of its own.

use super::parse::LEXICON;
use super::record::Layout;
use super::syntax::{
    Block, Builtin, Case, Check, Element, Exp, Function, Given, Host, HostBlock, If, Kernel, Kind,
    Launch, Lit, Loop, Output, Par, Param, Place, Program, Sc, Scope, Shown, Space, Strided,
    Struct, Switch, Ty, UnOp, Wide,
};
use crate::kit::names::Var;
use crate::kit::scalar::{BinOp, Notation};
use std::collections::{HashMap, HashSet};

/// The text of a program.
pub fn program(program: &Program) -> String {
    let mut to = Printer::new(program);
    for declared in &program.structs {
        let fields = declared.fields.iter();
        let fields = fields.map(|(field, ty)| format!("{field} : {}", to.ty(ty)));
        let fields = fields.collect::<Vec<_>>().join(", ");
        to.line(&format!("struct {} {{ {fields} }}", declared.name));
    }
    to.variables(&program.workgroup, &program.private);
    for function in &program.functions {
        to.function(function);
    }
    for kernel in &program.kernels {
        to.kernel(kernel);
    }
    for param in &program.params {
        to.line(&to.param(param));
    }
    to.host(&program.host);
    for output in &program.results {
        to.line(&to.output(output));
    }
    to.text
}

/// `x : τ`
pub fn binder(program: &Program, var: Var, ty: &Ty) -> String {
    let printer = Printer::new(program);
    format!("{} : {}", printer.name(var), printer.ty(ty))
}

/// The line of a parameter.
pub fn parameter(program: &Program, param: &Param) -> String {
    Printer::new(program).param(param)
}

/// The line of a result.
pub fn result(program: &Program, output: &Output) -> String {
    Printer::new(program).output(output)
}

/// The text of an expression.
pub fn exp(program: &Program, exp: &Exp) -> String {
    Printer::new(program).exp(exp)
}

/// The text of a scalar type.
pub fn scalar(sc: Sc) -> &'static str {
    match sc {
        Sc::Bool => "bool",
        Sc::I32 => "i32",
        Sc::U32 => "u32",
        Sc::I64 => "i64",
        Sc::F32 => "f32",
        Sc::F64 => "f64",
    }
}

/// The first line of a statement of a kernel or function.
pub fn statement(program: &Program, kind: &Kind) -> String {
    let mut printer = Printer::new(program);
    printer.stm(kind);
    printer.text.lines().next().unwrap_or_default().to_owned()
}

/// The first line of a statement of the host.
pub fn host_statement(program: &Program, kind: &Host) -> String {
    let mut printer = Printer::new(program);
    printer.host_stm(kind);
    printer.text.lines().next().unwrap_or_default().to_owned()
}

/// How a type is written, among these structures.
pub fn ty(structs: &[Struct], of: &Ty) -> String {
    match of {
        Ty::Scalar(sc) => scalar(*sc).to_owned(),
        Ty::Vector(sc, n) => format!("vec{n}[{}]", scalar(*sc)),
        Ty::Array(part, n) => format!("array[{}, {n}]", ty(structs, part)),
        Ty::Struct(k) => match structs.get(*k as usize) {
            Some(declared) => declared.name.clone(),
            None => format!("struct_{k}"),
        },
        Ty::Ptr(at, to) => format!("ptr[{}, {}]", space(*at), ty(structs, to)),
        Ty::Block(of) => format!("block[{}]", elements(*of)),
        Ty::Atomic(sc) => format!("atomic[{}]", scalar(*sc)),
    }
}

/// How elements of blocks are written.
pub fn elements(of: Element) -> String {
    match of {
        Element::Plain(sc) => scalar(sc).to_owned(),
        Element::Atomic(sc) => format!("atomic[{}]", scalar(sc)),
    }
}

/// How an operator of one operand is written.
pub fn unary(op: UnOp) -> &'static str {
    match op {
        UnOp::Neg => "neg",
        UnOp::Not => "not",
        UnOp::Complement => "complement",
    }
}

/// How an operator of two operands is written.
pub fn binary(op: BinOp) -> &'static str {
    match op.notation() {
        Notation::Call(name) | Notation::Infix(name, _) => name,
    }
}

/// How a space is written.
pub fn space(space: Space) -> &'static str {
    match space {
        Space::Function => "function",
        Space::Private => "private",
        Space::Workgroup => "workgroup",
        Space::Storage => "storage",
    }
}

struct Printer<'p> {
    program: &'p Program,
    /// What variables are called whose own names are keywords here.
    renamed: HashMap<Var, String>,
    text: String,
    indent: usize,
}

/// How tightly prefixes and postfixes bind.
const PREFIX: u8 = 8;
const POSTFIX: u8 = 9;

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Self {
        let vars = || (0..program.names.len() as u32).map(Var);
        let keyword = |var: &Var| LEXICON.keywords.contains(&program.names.text(*var));
        let mut renamed = HashMap::new();
        if vars().any(|var| keyword(&var)) {
            let mut taken: HashSet<String> =
                vars().map(|var| program.names.text(var).to_owned()).collect();
            for var in vars().filter(keyword) {
                let mut text = format!("{}_", program.names.text(var));
                while !taken.insert(text.clone()) {
                    text.push('_');
                }
                renamed.insert(var, text);
            }
        }
        Self { program, renamed, text: String::new(), indent: 0 }
    }

    fn name(&self, var: Var) -> &str {
        match self.renamed.get(&var) {
            Some(text) => text,
            None => self.program.names.text(var),
        }
    }

    fn line(&mut self, text: &str) {
        self.text.extend(std::iter::repeat_n("  ", self.indent));
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn inside(&mut self, body: impl FnOnce(&mut Self)) {
        self.indent += 1;
        body(self);
        self.indent -= 1;
    }

    fn ty(&self, of: &Ty) -> String {
        ty(&self.program.structs, of)
    }

    /// The type of an array at the border of the program; that of i32 is not written.
    fn array(&self, sc: Sc, sizes: &[Exp]) -> String {
        let element = if sc == Sc::I32 { "" } else { scalar(sc) };
        let sizes = sizes.iter().map(|size| format!("[{}]", self.exp(size)));
        format!("{element}{}", sizes.collect::<String>())
    }

    fn typed(&self, typed: &[(Var, Ty)]) -> String {
        let typed = typed.iter().map(|(var, ty)| format!("{} : {}", self.name(*var), self.ty(ty)));
        typed.collect::<Vec<_>>().join(", ")
    }

    fn exps(&self, list: &[Exp]) -> String {
        list.iter().map(|e| self.exp(e)).collect::<Vec<_>>().join(", ")
    }

    fn param(&self, Param { var, given }: &Param) -> String {
        let ty = match given {
            Given::Scalar(sc) => scalar(*sc).to_owned(),
            Given::Array(sc, sizes) => self.array(*sc, sizes),
            Given::Words(nested) => format!("words {nested}"),
        };
        format!("param {} : {ty};", self.name(*var))
    }

    fn output(&self, output: &Output) -> String {
        let text = match &output.shown {
            Shown::Scalar(Sc::I32, e) => self.exp(e),
            Shown::Scalar(sc, e) => format!("{} : {}", self.exp(e), scalar(*sc)),
            Shown::Array { sc, block, shape, offset, strides } => format!(
                "{} : {} at {} strides ({})",
                self.exp(block),
                self.array(*sc, shape),
                self.exp(offset),
                self.exps(strides)
            ),
            Shown::Words(nested, block) => format!("{} : words {nested}", self.exp(block)),
        };
        format!("result {text};")
    }

    fn function(&mut self, function: &Function) {
        let (name, params) = (&function.name, self.typed(&function.params));
        let result = function.result.as_ref();
        let arrow = result.map_or(String::new(), |(ty, _)| format!(" -> {}", self.ty(ty)));
        self.line(&format!("fn {name}({params}){arrow} {{"));
        self.inside(|to| {
            to.block(&function.body);
            if let Some((_, e)) = result {
                to.line(&format!("return {};", to.exp(e)));
            }
        });
        self.line("}");
    }

    fn variables(&mut self, workgroup: &[(Var, Ty)], private: &[(Var, Ty)]) {
        for (at, variables) in [("workgroup", workgroup), ("private", private)] {
            for (var, ty) in variables {
                self.line(&format!("{at} {} : {};", self.name(*var), self.ty(ty)));
            }
        }
    }

    fn kernel(&mut self, kernel: &Kernel) {
        let (name, params) = (&kernel.name, self.typed(&kernel.params));
        self.line(&format!("kernel {name}({params}) group {} {{", kernel.group));
        self.inside(|to| {
            to.variables(&kernel.workgroup, &kernel.private);
            if let Some(layout) = kernel.record {
                let Layout { path, operands, narrow } = layout;
                let of = if narrow { " i32" } else { "" };
                to.line(&format!("record {path} {operands}{of};"));
            }
            to.block(&kernel.body);
        });
        self.line("}");
    }

    fn block(&mut self, body: &Block) {
        for stm in body {
            self.stm(&stm.kind);
        }
    }

    fn host(&mut self, body: &HostBlock) {
        for stm in body {
            self.host_stm(&stm.kind);
        }
    }

    fn let_into(&self, into: Option<Var>) -> String {
        into.map_or(String::new(), |var| format!("let {} = ", self.name(var)))
    }

    fn stm(&mut self, kind: &Kind) {
        let text = match kind {
            Kind::Let(var, ty, e) => {
                format!("let {} : {} = {};", self.name(*var), self.ty(ty), self.exp(e))
            }
            Kind::Var(var, ty, init) => {
                let init = init.as_ref().map_or(String::new(), |e| format!(" = {}", self.exp(e)));
                format!("var {} : {}{init};", self.name(*var), self.ty(ty))
            }
            Kind::Store(place, e) => format!("{} = {};", self.place(place), self.exp(e)),
            Kind::Atomic { into, op, place, operands } => {
                let into = self.let_into(*into);
                let mut list = vec![self.place(place)];
                list.extend(operands.iter().map(|e| self.exp(e)));
                format!("{into}atomic {}({});", op.name(), list.join(", "))
            }
            Kind::Call { into, function, args } => {
                let name = &self.program.functions[*function as usize].name;
                format!("{}call {name}({});", self.let_into(*into), self.exps(args))
            }
            Kind::Check(check) => self.check(check),
            Kind::UniformLoad { into, place } => {
                format!("let {} = uniform load {};", self.name(*into), self.place(place))
            }
            Kind::Barrier(Scope::Workgroup) => "barrier workgroup;".to_owned(),
            Kind::Barrier(Scope::Storage) => "barrier storage;".to_owned(),
            Kind::If(branch) => return self.branch(branch, Self::block),
            Kind::Switch(switch) => return self.switch(switch),
            Kind::Loop(rounds) => return self.rounds(rounds, Self::block),
            Kind::Par(par) => return self.par(par),
        };
        self.line(&text);
    }

    fn host_stm(&mut self, kind: &Host) {
        let text = match kind {
            Host::Let(var, ty, e) => {
                format!("let {} : {} = {};", self.name(*var), self.ty(ty), self.exp(e))
            }
            Host::Assign(pairs) => match &pairs[..] {
                [(var, e)] => format!("{} = {};", self.name(*var), self.exp(e)),
                _ => {
                    let names = pairs.iter().map(|(var, _)| self.name(*var));
                    let values = pairs.iter().map(|(_, e)| self.exp(e));
                    let names = names.collect::<Vec<_>>().join(", ");
                    format!("({names}) = ({});", values.collect::<Vec<_>>().join(", "))
                }
            },
            Host::Alloc { block, element, size } => {
                let (name, of) = (self.name(*block), elements(*element));
                format!("let {name} = alloc {of}({});", self.exp(size))
            }
            Host::Free(block) => format!("free {};", self.exp(block)),
            Host::Launch(Launch { kernel, count, args, record }) => {
                let name = &self.program.kernels[*kernel as usize].name;
                let record = record.as_ref();
                let record = record.map_or(String::new(), |e| format!(" record {}", self.exp(e)));
                format!("launch {name}({}) for {}{record};", self.exps(args), self.exp(count))
            }
            Host::Copy(copy) => {
                let sizes: Vec<String> =
                    copy.sizes.iter().map(|size| self.exp(&size.exp)).collect();
                let sizes = match &sizes[..] {
                    [size] => size.clone(),
                    sizes => format!("({})", sizes.join(", ")),
                };
                format!(
                    "copy {sizes} from {} to {};",
                    self.strided(&copy.from),
                    self.strided(&copy.to)
                )
            }
            Host::Read { into, block, offset } => {
                let (name, block) = (self.name(*into), self.tight(block, POSTFIX));
                format!("let {name} = read {block}.[{}];", self.exp(offset))
            }
            Host::Write { block, offset, value } => {
                let (block, offset) = (self.tight(block, POSTFIX), self.exp(offset));
                format!("write {block}.[{offset}] = {};", self.exp(value))
            }
            Host::Check(check) => self.check(check),
            Host::If(branch) => return self.branch(branch, Self::host),
            Host::Loop(rounds) => return self.rounds(rounds, Self::host),
            Host::Par(par) => return self.par(par),
        };
        self.line(&text);
    }

    /// Elements in a row are written without strides.
    fn strided(&self, Strided { block, offset, strides, .. }: &Strided) -> String {
        let first = format!("{}.[{}]", self.tight(block, POSTFIX), self.exp(offset));
        match &strides[..] {
            [one] if *one == Exp::i32(1) => first,
            _ => format!("{first} strides ({})", self.exps(strides)),
        }
    }

    fn check(&self, check: &Check) -> String {
        let cause = self.program.sites.get(check.site as usize);
        let cause = cause.map_or("unknown", |site| site.cause.name());
        let path = match &check.path[..] {
            [] => String::new(),
            path => format!(" at ({})", self.exps(path)),
        };
        let order = match &check.order {
            None => String::new(),
            Some(order) => format!(" order ({})", self.exps(&order.0)),
        };
        format!("check {cause}({}){path}{order};", self.exps(&check.operands))
    }

    fn branch<K>(&mut self, branch: &If<K>, body: fn(&mut Self, &Vec<super::syntax::Stm<K>>)) {
        self.line(&format!("if {} {{", self.exp(&branch.cond)));
        self.inside(|to| body(to, &branch.then));
        if !branch.orelse.is_empty() {
            self.line("} else {");
            self.inside(|to| body(to, &branch.orelse));
        }
        self.line("}");
    }

    fn switch(&mut self, switch: &Switch) {
        self.line(&format!("switch {} {{", self.exp(&switch.value)));
        self.inside(|to| {
            for Case { literal, body } in &switch.cases {
                to.line(&format!("{} {{", to.exp(&Exp::Lit(*literal))));
                to.inside(|to| to.block(body));
                to.line("}");
            }
            if !switch.orelse.is_empty() {
                to.line("else {");
                to.inside(|to| to.block(&switch.orelse));
                to.line("}");
            }
        });
        self.line("}");
    }

    fn rounds<K>(&mut self, rounds: &Loop<K>, body: fn(&mut Self, &Vec<super::syntax::Stm<K>>)) {
        let carried = rounds.carried.iter().map(|carried| {
            let (name, ty) = (self.name(carried.var), self.ty(&carried.ty));
            format!("{name} : {ty} = {}", self.exp(&carried.init))
        });
        let carried = carried.collect::<Vec<_>>().join(", ");
        let cond = self.exp(&rounds.cond);
        let fuel = rounds.fuel.as_ref();
        let fuel = fuel.map_or(String::new(), |e| format!(" fuel {}", self.exp(e)));
        self.line(&format!("loop ({carried}) while {cond}{fuel} {{"));
        self.inside(|to| body(to, &rounds.body));
        self.line(&format!("}} next ({});", self.exps(&rounds.next)));
    }

    fn par(&mut self, par: &Par) {
        let (name, count) = (self.name(par.var), self.exp(&par.count));
        self.line(&format!("par {name} <= {count} {{"));
        self.inside(|to| to.block(&par.body));
        self.line("}");
    }

    /// The expression as an operand that must bind at least so tightly.
    fn tight(&self, e: &Exp, strength: u8) -> String {
        let text = self.exp(e);
        if strength_of(e) < strength { format!("({text})") } else { text }
    }

    fn exp(&self, e: &Exp) -> String {
        match e {
            Exp::Lit(lit) => literal(*lit),
            Exp::Var(var) => self.name(*var).to_owned(),
            Exp::Builtin(builtin) => match builtin {
                Builtin::GlobalId => "global_id",
                Builtin::LocalId => "local_id",
                Builtin::GroupId => "group_id",
                Builtin::Invocations => "invocations",
            }
            .to_owned(),
            Exp::Un(op, a) => {
                format!("{}({})", unary(*op), self.exp(a))
            }
            Exp::Bin(op, ab) => self.binary(*op, ab),
            Exp::Select(parts) => format!("select({})", self.exps(&**parts)),
            Exp::Cast(sc, a) => format!("{}({})", scalar(*sc), self.exp(a)),
            Exp::Bitcast(sc, a) => format!("bitcast {}({})", scalar(*sc), self.exp(a)),
            Exp::Make(made) => format!("make {}({})", self.ty(&made.0), self.exps(&made.1)),
            Exp::At(parts) => format!("{}[{}]", self.value(&parts[0]), self.exp(&parts[1])),
            Exp::Field(a, k) => format!("{}#{k}", self.value(a)),
            Exp::Load(place) => self.place(place),
            Exp::Ref(place) => format!("&{}", self.place(place)),
            Exp::Length(a) => format!("length({})", self.exp(a)),
            Exp::Base(a) => format!("base({})", self.exp(a)),
            Exp::Block(of, parts) => format!("block({}, {})", elements(*of), self.exps(&**parts)),
        }
    }

    fn binary(&self, op: BinOp, [a, b]: &[Exp; 2]) -> String {
        match op.notation() {
            Notation::Call(name) => format!("{name}({}, {})", self.exp(a), self.exp(b)),
            Notation::Infix(symbol, strength) => {
                // Comparisons do not associate, the others to the left.
                let left = if strength == 4 { 5 } else { strength };
                let a = self.tight(a, left);
                // A minus in front of a number is not the beginning of a comment.
                let b = match self.tight(b, strength + 1) {
                    b if b.starts_with('-') => format!("({b})"),
                    b => b,
                };
                format!("{a} {symbol} {b}")
            }
        }
    }

    /// What a value is taken apart of: a place is loaded first, else it would be the place
    /// that is taken apart.
    fn value(&self, e: &Exp) -> String {
        match e {
            Exp::Load(place) => format!("(load {})", self.place(place)),
            Exp::Make(..) | Exp::Bin(..) => format!("({})", self.exp(e)),
            _ => self.tight(e, POSTFIX),
        }
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Var(var) => self.name(*var).to_owned(),
            Place::Deref(pointer) => format!("*{}", self.tight(pointer, PREFIX)),
            Place::Element(block, i) => {
                format!("{}.[{}]", self.tight(block, POSTFIX), self.exp(i))
            }
            Place::At(inner, i) => format!("{}[{}]", self.inner(inner), self.exp(i)),
            Place::Field(inner, k) => format!("{}#{k}", self.inner(inner)),
        }
    }

    fn inner(&self, place: &Place) -> String {
        let text = self.place(place);
        if let Place::Deref(_) = place { format!("({text})") } else { text }
    }
}

/// How tightly an expression binds: as [`BinOp::notation`](crate::kit::scalar::BinOp::notation)
/// counts.
fn strength_of(e: &Exp) -> u8 {
    match e {
        Exp::Bin(op, ..) => match op.notation() {
            Notation::Infix(_, strength) => strength,
            Notation::Call(_) => u8::MAX,
        },
        Exp::Ref(_) => PREFIX,
        Exp::Lit(lit) if literal(*lit).starts_with('-') => PREFIX,
        Exp::Load(place) => match **place {
            Place::Deref(_) => PREFIX,
            _ => u8::MAX,
        },
        _ => u8::MAX,
    }
}

/// The text of a literal.
pub fn literal(lit: Lit) -> String {
    match lit {
        Lit::Bool(b) => b.to_string(),
        Lit::I32(k) => k.to_string(),
        Lit::U32(k) => format!("u32 {k}"),
        Lit::I64(Wide(k)) => format!("i64 {k}"),
        Lit::F32(bits) => {
            let x = f32::from_bits(bits);
            if !x.is_finite() {
                return format!("f32 #{bits}");
            }
            decimal(format!("{x:?}"))
        }
        Lit::F64(Wide(bits)) => {
            let x = f64::from_bits(bits as u64);
            if !x.is_finite() {
                return format!("f64 #{}", bits as u64);
            }
            format!("f64 {}", decimal(format!("{x:?}")))
        }
    }
}

/// A float as the lexer knows it: with a point before a power.
fn decimal(text: String) -> String {
    match text.split_once('e') {
        Some((digits, power)) if !digits.contains('.') => format!("{digits}.0e{power}"),
        _ => text,
    }
}
