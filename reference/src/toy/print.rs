//! From programs of the toy language to text.

use super::syntax::{Program, Term};

/// The program as the parser reads it.
pub fn program(program: &Program) -> String {
    let mut text = String::new();
    if !program.params.is_empty() {
        let params: Vec<&str> = program.params.iter().map(|var| program.names.text(*var)).collect();
        text.push_str(&format!("param {}\n", params.join(" ")));
    }
    for (var, terms) in &program.lets {
        text.push_str(&format!("let {} = {}\n", program.names.text(*var), sum(program, terms)));
    }
    text + &format!("in {}\n", sum(program, &program.result))
}

/// A sum of the program.
pub fn sum(program: &Program, sum: &[Term]) -> String {
    let term = |term: &Term| match term {
        Term::Var(var) => program.names.text(*var).to_owned(),
        Term::Int(k) => k.to_string(),
    };
    sum.iter().map(term).collect::<Vec<_>>().join(" + ")
}
