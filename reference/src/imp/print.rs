//! From IMP to text that parses to the same program, up to the numbering of names and to spans.

use super::syntax::{Kind, Output, Param, Program, Stm, Ty};
use crate::fun::print::scalar;
use crate::fun::syntax::{Atom, Se};
use crate::kit::names::{Names, Var};
use crate::kit::scalar::BinOp;

/// The text of a program.
pub fn program(program: &Program) -> String {
    let mut to = Printer { names: &program.names, text: String::new(), indent: 0 };
    if !program.params.is_empty() {
        to.text.push_str("param");
        for Param { var, shape } in &program.params {
            let name = to.name(*var);
            let ty = match shape {
                None => "int".to_owned(),
                Some(sizes) => format!("mem {}", to.sizes(sizes)),
            };
            to.text.push_str(&format!(" ({name} : {ty})"));
        }
        to.text.push('\n');
    }
    to.sequence(&program.body);
    if !program.body.is_empty() {
        to.text.push('\n');
    }
    if !program.results.is_empty() {
        to.text.push_str("results");
        for output in &program.results {
            let text = to.output(output);
            to.text.push_str(&format!(" ({text})"));
        }
        to.text.push('\n');
    }
    to.text
}

/// The statement without the bodies in it, as a diagnostic or a derivation shows it.
pub fn statement(names: &Names, stm: &Stm) -> String {
    Printer { names, text: String::new(), indent: 0 }.head(stm)
}

struct Printer<'a> {
    names: &'a Names,
    text: String,
    indent: usize,
}

impl<'a> Printer<'a> {
    fn name(&self, var: Var) -> &'a str {
        self.names.text(var)
    }

    fn scalar(&self, se: &Se) -> String {
        scalar(self.names, se)
    }

    fn atom(&self, atom: Atom) -> String {
        self.scalar(&Se::Atom(atom))
    }

    fn sizes(&self, sizes: &[Atom]) -> String {
        sizes.iter().map(|&size| format!("[{}]", self.atom(size))).collect()
    }

    fn output(&self, output: &Output) -> String {
        match output {
            Output::Int(atom) => self.atom(*atom),
            Output::Array { block, shape, offset, strides } => {
                let loose = !matches!(
                    offset,
                    Se::Atom(_) | Se::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..)
                );
                let offset = self.scalar(offset);
                let offset = if loose { format!("({offset})") } else { offset };
                // Only an ill-typed result has more strides than sizes: any extent stands there.
                let sizes = shape.iter().copied().chain(std::iter::repeat(Atom::Const(0)));
                let dims: String = sizes
                    .zip(strides)
                    .map(|(size, stride)| {
                        format!("({} : {})", self.atom(size), self.scalar(stride))
                    })
                    .collect();
                let (block, sizes) = (self.name(*block), self.sizes(shape));
                format!("{block} : {sizes} @ {offset} + {{{dims}}}")
            }
        }
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("  ", self.indent));
    }

    fn sequence(&mut self, stms: &[Stm]) {
        for (nth, stm) in stms.iter().enumerate() {
            if nth > 0 {
                self.text.push(';');
                self.line();
            }
            self.stm(stm);
        }
    }

    /// A body on lines of its own, two further in.
    fn body(&mut self, stms: &[Stm]) {
        if !stms.is_empty() {
            self.indent += 1;
            self.line();
            self.sequence(stms);
            self.indent -= 1;
        }
        self.line();
    }

    fn stm(&mut self, stm: &Stm) {
        let head = self.head(stm);
        self.text.push_str(&head);
        match &stm.kind {
            Kind::If { then, orelse, .. } => {
                self.text.push_str(" then");
                self.body(then);
                self.text.push_str("else");
                self.body(orelse);
                self.text.push_str("fi");
            }
            Kind::Kernel { body, .. } | Kind::For { body, .. } => {
                self.text.push_str(" do");
                self.body(body);
                self.text.push_str("done");
            }
            _ => {}
        }
    }

    fn head(&self, stm: &Stm) -> String {
        match &stm.kind {
            Kind::Skip => "skip".to_owned(),
            Kind::Var(x, Ty::Int) => format!("var {} : int", self.name(*x)),
            Kind::Var(x, Ty::Mem) => format!("var {} : mem", self.name(*x)),
            Kind::Assign(x, se) => format!("{} <- {}", self.name(*x), self.scalar(se)),
            Kind::AssignMem(x, y) => format!("{} <- {}", self.name(*x), self.name(*y)),
            Kind::Alloc(x, se) => format!("{} <- alloc {}", self.name(*x), self.scalar(se)),
            Kind::Read { into, block, offset } => {
                let (into, block) = (self.name(*into), self.name(*block));
                format!("{into} <- {block}[{}]", self.scalar(offset))
            }
            Kind::Write { block, offset, value } => {
                let (offset, value) = (self.scalar(offset), self.scalar(value));
                format!("{}[{offset}] <- {value}", self.name(*block))
            }
            Kind::If { cond, .. } => format!("if {}", self.atom(*cond)),
            Kind::Kernel { thread, count, .. } => {
                format!("kernel {} <= {}", self.name(*thread), self.scalar(count))
            }
            Kind::For { counter, count, .. } => {
                format!("for {} <= {}", self.name(*counter), self.scalar(count))
            }
            Kind::Check { cause, operands } => {
                let operands: Vec<String> = operands.iter().map(|se| self.scalar(se)).collect();
                format!("check {}({})", cause.name(), operands.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::imp::laws::print_and_parse_are_inverse;
    use crate::imp::parse;

    /// As many strides as there are, also where the result is ill typed.
    #[test]
    fn strides_of_ill_typed_results_are_printed() {
        for dims in ["", "(n : 1)", "(n : 1)(n : 2)", "(n : 1)(7 : n)(3 : n + 1)"] {
            let source =
                format!("param (n : int) (x : mem [n]) results (x : [n] @ n + {{{dims}}})");
            let program = parse::program(&source).expect("it parses");
            print_and_parse_are_inverse(&program).expect("they are inverses");
        }
    }
}
