//! Verdicts of LLVM's InferAddressSpaces, of clang, of OpenCL 2.0's manual and of the paper's text, each in a program of
//! ours after its kind. Where Lockstep decides otherwise than the source, the line says so.

use crate::kit::derivation::Recorder;
use crate::minias::infer;
use crate::minias::parse;
use crate::minias::types::Mode;
use Mode::{Generic as G, Infer as I, Private as P, Single as S};

/// What a program begins with.
fn framed(frame: char, program: &str) -> String {
    let head = match frame {
        'F' => {
            "void f(global int *g, global int *h, local int *l, local int *m, private int *p, private int *q, constant int *c, int *e, int n)"
        }
        'N' => {
            "void f(global int *g, local int *l, global int * private *gg, global int * private *hh, local int * private *ll)"
        }
        'K' => "kernel void k(global int *g, local int *l, constant int *c, int n)",
        _ => return program.to_owned(),
    };
    format!("{head} {{ {program} }}")
}

/// `accept`, `reject`, or variables with their types.
fn verdict(mode: Mode, source: &str, said: &str) -> String {
    let Ok(program) = parse::program(source) else { return "reject".to_owned() };
    let Ok(typed) = infer::infer(&program, mode, &mut Recorder::counting()) else {
        return "reject".to_owned();
    };
    if said == "accept" || said == "reject" {
        return "accept".to_owned();
    }
    let parts = said.split("; ").map(|part| {
        let (name, _) = part.split_once(": ").expect("a name and its row");
        let ty = typed.variable(&program.names, name).expect("it is bound");
        format!("{name}: {}", ty.trim_end_matches(" int *"))
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// Frame, mode, program, verdict.
const FACTS: &[(char, Mode, &str, &str)] = &include!("facts.in");

#[test]
fn programs_are_judged_as_their_sources_say() {
    let mut wrong = Vec::new();
    for (frame, mode, program, said) in FACTS {
        let found = verdict(*mode, &framed(*frame, program), said);
        if found != *said {
            wrong.push(format!("{} {program}\n  {found}, and not {said}", mode.name()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(FACTS.len() >= 100, "{}", FACTS.len());
}
