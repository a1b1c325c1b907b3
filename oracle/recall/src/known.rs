//! Faults that are explained: what they look like, which releases have them, the thread, and by
//! which words of the WGSL specification they are faults.

use crate::releases::{Release, named};
use crate::signature::{Kind, Signature};
use compiler::emit::style::Construct;
use compiler::emit::workarounds::{
    INDEXED_IN_VARIABLES, INITIALISED_VARIABLES, WHOLE_POINTERS, Workaround, ZERO_EXTENSION,
};

/// A fault that is explained.
#[derive(Debug)]
pub struct Known {
    /// The thread, or a name where there is none.
    pub name: &'static str,
    /// Its address.
    pub thread: Option<&'static str>,
    /// Its place in the table of faults that a recall has to find, from 1.
    pub row: Option<usize>,
    /// The releases that have it: the first and the last of each stretch.
    pub releases: &'static [(&'static str, &'static str)],
    /// What it is, and by which section of the WGSL specification it is a fault.
    pub why: &'static str,
    /// What it looks like.
    marks: Marks,
}

/// What a signature must be.
#[derive(Debug)]
struct Marks {
    kind: Kind,
    /// One of these is part of what was seen; nothing is asked if there are none.
    what: &'static [&'static str],
    /// Some of these constructs are needed, and no others; nothing is asked if there are none.
    needs: &'static [Construct],
    /// These may be needed besides.
    besides: &'static [Construct],
    /// Or the workarounds avoid it, but not without this one, and nothing but plain text is needed. Where `what` names
    /// something, it tells the fault by itself, and constructs may be needed besides: what makes an index a value of run
    /// time, for example.
    by: Option<&'static Workaround>,
}

impl Known {
    /// Does a release have it?
    pub fn is_of(&self, release: &Release) -> bool {
        let number = |version: &str| named(version).map(|release| release.number);
        let within = |(first, last): &(&str, &str)| {
            number(first) <= Some(release.number) && Some(release.number) <= number(last)
        };
        self.releases.iter().any(within)
    }

    fn looks_like(&self, signature: &Signature) -> bool {
        let Marks { kind, what, needs, besides, by } = &self.marks;
        let says = what.is_empty() || what.iter().any(|part| signature.what.contains(part));
        let needed = signature.needs_only(needs, besides);
        let tells = !what.is_empty() || signature.shape.is_empty();
        let avoided = by.is_some_and(|one| signature.by == Some(one.name)) && tells;
        let asked = !needs.is_empty() || by.is_some();
        *kind == signature.kind && says && (!asked || needed || avoided)
    }
}

/// What explains a fault of a release, if something does.
pub fn explained(release: &Release, signature: &Signature) -> Option<&'static Known> {
    TABLE.iter().find(|known| known.is_of(release) && known.looks_like(signature))
}

/// What would explain it, were the release another.
pub fn resembled(signature: &Signature) -> Option<&'static Known> {
    TABLE.iter().find(|known| known.looks_like(signature))
}

const fn told(kind: Kind, what: &'static [&'static str]) -> Marks {
    Marks { kind, what, needs: &[], besides: &[], by: None }
}

const fn shaped(kind: Kind, needs: &'static [Construct]) -> Marks {
    Marks { kind, what: &[], needs, besides: &[], by: None }
}

/// The table.
pub const TABLE: &[Known] = &[
    Known {
        name: "wgpu#9489",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/9489"),
        row: Some(1),
        releases: &[("0.9", "29")],
        why: "a `var` without initialiser inside a loop keeps its value from round to round; it has \
              the zero value each time its declaration is reached (Variable and Value Declarations, \
              var Declarations)",
        marks: Marks {
            by: Some(&INITIALISED_VARIABLES),
            ..shaped(Kind::WrongValue, &[Construct::Uninitialised])
        },
    },
    Known {
        name: "wgpu#8191",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/8191"),
        row: Some(2),
        releases: &[("0.9", "29")],
        why: "`%` of a negative operand is written as OpSRem, whose result Vulkan leaves undefined \
              there; WGSL defines it as e1 - truncate(e1 / e2) * e2 (Arithmetic Expressions)",
        marks: told(Kind::Undefined, &["OpSRem (negative)"]),
    },
    Known {
        name: "unmasked shift",
        thread: None,
        row: Some(3),
        releases: &[("0.9", "30")],
        why: "a shift by 32 or more at run time is written as it stands, which SPIR-V leaves \
              undefined; WGSL shifts by the amount modulo the width (Bit Expressions)",
        marks: told(
            Kind::Undefined,
            &[
                "OpShiftLeftLogical (width)",
                "OpShiftRightLogical (width)",
                "OpShiftRightArithmetic (width)",
            ],
        ),
    },
    Known {
        name: "wgpu#4394",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/4394"),
        row: Some(4),
        releases: &[("0.9", "27")],
        why: "in `a && f()` f is called whatever a is; its right operand is evaluated only if the \
              left one is true (Logical Expressions: short-circuiting)",
        marks: shaped(Kind::WrongValue, &[Construct::Effect]),
    },
    Known {
        name: "wgpu#5544",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/5544"),
        row: Some(5),
        releases: &[("0.19", "0.19")],
        why: "`==` and `!=` of constants are folded to each other's result (Comparison Expressions)",
        marks: shaped(Kind::WrongValue, &[Construct::Equal]),
    },
    Known {
        name: "wgpu#7048",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/7048"),
        row: Some(6),
        releases: &[("23", "24")],
        why: "an array value that is indexed at run time twice in one function is spilled to a \
              variable that is declared once too few; any array value may be indexed (Array Access \
              Expression)",
        marks: Marks {
            what: &["ids (defined) at OpStore"],
            by: Some(&INDEXED_IN_VARIABLES),
            ..shaped(Kind::InvalidSpirv, &[Construct::ByValue])
        },
    },
    Known {
        name: "wgpu#6220",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/6220"),
        row: Some(7),
        releases: &[("0.11", "22")],
        why: "behind the `break` that a `for` ends with a block is left that nothing leads to and that \
              goes on with the loop; a `break` may be the last statement of a body (Break Statement)",
        marks: shaped(Kind::InvalidSpirv, &[Construct::Once]),
    },
    Known {
        name: "wgpu#6961",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/6961"),
        row: Some(8),
        releases: &[("0.9", "24")],
        why: "division and remainder by 0, and of the least i32 by -1, are written as they stand, \
              which SPIR-V leaves undefined; WGSL defines them: e1, or 0 of the remainder \
              (Arithmetic Expressions)",
        marks: told(
            Kind::Undefined,
            &[
                "OpSDiv (divisor)",
                "OpSDiv (overflow)",
                "OpUDiv (divisor)",
                "OpSRem (divisor)",
                "OpSRem (overflow)",
                "OpUMod (divisor)",
            ],
        ),
    },
    Known {
        name: "wgpu#5085",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/5085"),
        row: Some(9),
        releases: &[("0.19", "24")],
        why: "`1 << n` is refused (wgpu#7243 too), since 1 stays abstract; where the amount is no constant it becomes \
              an i32 (Bit Expressions; Abstract Types: concretization)",
        marks: told(
            Kind::Refused,
            &[
                "Abstract types may only appear in constant expressions",
                "failed to convert expression to a concrete type",
            ],
        ),
    },
    Known {
        name: "wgpu#6023",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/6023"),
        row: Some(10),
        releases: &[("0.19", "23")],
        why: "a constant sum of i32 that overflows is refused; integers of known width wrap around, \
              also in constant expressions (Arithmetic Expressions)",
        marks: told(Kind::Refused, &["operation overflowed (i32)"]),
    },
    Known {
        name: "naga#2111",
        thread: Some("https://github.com/gfx-rs/naga/pull/2111"),
        row: Some(11),
        releases: &[("0.9", "0.10")],
        why: "work-group memory that is read before it is written holds anything; it begins as zero \
              (var Declarations: a variable of the workgroup space without initialiser)",
        marks: told(
            Kind::Undefined,
            &[
                "OpLoad (written)",
                "OpAtomicLoad (defined)",
                "OpAtomicExchange (defined)",
                "OpAtomicIAdd (defined)",
                "OpAtomicISub (defined)",
                "OpAtomicSMin (defined)",
                "OpAtomicUMin (defined)",
                "OpAtomicSMax (defined)",
                "OpAtomicUMax (defined)",
                "OpAtomicAnd (defined)",
                "OpAtomicOr (defined)",
                "OpAtomicXor (defined)",
            ],
        ),
    },
    Known {
        name: "panic of a constant sum",
        thread: None,
        row: Some(12),
        releases: &[("0.11", "0.12"), ("0.14", "0.14")],
        why: "a `const` that is a sum of another and overflows is refused with an error whose place is \
              missing, and printing it panics; the sum wraps around (const Declarations, Arithmetic \
              Expressions)",
        marks: told(Kind::Panic, &["called `_` on a `_` value (at front/wgsl/"]),
    },
    Known {
        name: "constant sum of u32",
        thread: None,
        row: None,
        releases: &[("0.19", "28")],
        why: "a constant sum of u32 that overflows is refused; integers of known width wrap around, \
              also in constant expressions (Arithmetic Expressions)",
        marks: told(Kind::Refused, &["operation overflowed (u32)"]),
    },
    Known {
        name: "shift by a `let`",
        thread: None,
        row: None,
        releases: &[("29", "30")],
        why: "a shift by 32 or more is refused where a `let` names the number; only an amount that is a \
              const-expression is an error, and a `let` is none: the shift is by the amount modulo the \
              width (Bit Expressions; let Declarations)",
        marks: told(Kind::Refused, &["Shift amount exceeds the bit width"]),
    },
    Known {
        name: "naga#2126",
        thread: Some("https://github.com/gfx-rs/naga/pull/2126"),
        row: None,
        releases: &[("0.9", "0.10")],
        why: "clauses of a `switch` that stand behind its default are left out; the default may stand \
              anywhere (Switch Statement)",
        marks: shaped(Kind::WrongValue, &[Construct::Switch]),
    },
    Known {
        name: "early `break if`",
        thread: None,
        row: None,
        releases: &[("0.9", "0.14")],
        why: "parts of the condition of `break if` are evaluated before the statements of \
              `continuing`, from 0.11 on before the loop; it is evaluated at the end of each round, \
              after those statements (Break-If Statement)",
        // Where an operator is a function, its call is such a part.
        marks: Marks {
            besides: &[Construct::Function],
            ..shaped(Kind::WrongValue, &[Construct::BreakIf])
        },
    },
    Known {
        name: "wgpu#9181",
        thread: Some("https://github.com/gfx-rs/wgpu/pull/9181"),
        row: None,
        releases: &[("0.11", "28")],
        why: "in `x += f(&x)` x is read after f has changed it; the left operand is evaluated first \
              (Compound Assignment; Evaluation Order)",
        marks: shaped(Kind::WrongValue, &[Construct::Compound]),
    },
    Known {
        name: "wgpu#7387",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/7387"),
        row: None,
        releases: &[("0.9", "24")],
        why: "a float that the integer type does not hold is converted as it stands, which SPIR-V \
              leaves undefined; WGSL converts it to the nearest value that both types hold \
              (Floating Point Conversion: scalar floating point to integral conversion)",
        marks: told(Kind::Undefined, &["OpConvertFToU (range)", "OpConvertFToS (range)"]),
    },
    Known {
        name: "array value at a `const`",
        thread: None,
        row: None,
        releases: &[("0.13", "0.13")],
        why: "an array value that a `const` indexes passes the validator, and the SPIR-V writer takes \
              the index for one of run time and refuses it; any array value may be indexed (Array \
              Access Expression)",
        marks: told(Kind::Refused, &["only vectors may be dynamically indexed by value"]),
    },
    Known {
        name: "wgpu#4540",
        thread: Some("https://github.com/gfx-rs/wgpu/issues/4540"),
        row: None,
        releases: &[("0.9", "30")],
        why: "`f(&x[1])` passes the validator and panics the SPIR-V writer; it is valid where the \
              language extension unrestricted_pointer_parameters is there, and else to be refused \
              (Restrictions on Functions)",
        marks: Marks {
            what: &["is not cached! (at back/spv/block.rs)"],
            by: Some(&WHOLE_POINTERS),
            ..shaped(Kind::Panic, &[])
        },
    },
    Known {
        name: "u32 extended by its sign",
        thread: None,
        row: None,
        releases: &[("0.20", "30")],
        why: "`i64(x)` of a u32 becomes OpSConvert, which extends by the sign; i64 is naga's own, and \
              stands in for what WGSL says of its types: a conversion gives the same value where the \
              target has it (Conversion Expressions; Value Constructor Built-in Functions)",
        marks: Marks { by: Some(&ZERO_EXTENSION), ..shaped(Kind::WrongValue, &[]) },
    },
];

#[cfg(test)]
mod tests {
    use super::{TABLE, explained};
    use crate::releases::named;
    use crate::signature::{Kind, Signature};
    use compiler::emit::style::Construct;
    use compiler::emit::workarounds::{
        INDEXED_IN_VARIABLES, INITIALISED_VARIABLES, WHOLE_POINTERS, ZERO_EXTENSION,
    };

    #[test]
    fn every_entry_names_releases_and_a_section() {
        for known in TABLE {
            let number = |version| named(version).expect("it is a release").number;
            for (first, last) in known.releases {
                assert!(number(first) <= number(last), "{known:?}");
            }
            assert!(known.why.ends_with(')'), "{known:?}");
        }
    }

    fn plain(kind: Kind, what: &str, by: Option<&'static str>) -> Signature {
        let avoided = Some(by.is_some());
        let shape = Vec::new();
        Signature { kind, what: what.to_owned(), shape, behind_others: false, avoided, by }
    }

    /// What plain text shows is told by the workaround that avoids it, and by what was seen.
    #[test]
    fn plain_text_is_explained_by_what_avoids_it() {
        let name = |version, signature: &Signature| {
            let release = named(version).expect("it is a release");
            explained(release, signature).map(|known| known.name)
        };
        let wrong = |by| plain(Kind::WrongValue, "", by);
        assert_eq!(name("29", &wrong(Some(INITIALISED_VARIABLES.name))), Some("wgpu#9489"));
        assert_eq!(name("30", &wrong(Some(INITIALISED_VARIABLES.name))), None);
        let extended = wrong(Some(ZERO_EXTENSION.name));
        assert_eq!(name("29", &extended), Some("u32 extended by its sign"));
        assert_eq!(name("0.19", &extended), None);
        for by in [None, Some(INDEXED_IN_VARIABLES.name)] {
            assert_eq!(name("29", &wrong(by)), None);
        }
        // Any of several workarounds avoids it.
        assert_eq!(name("29", &Signature { avoided: Some(true), ..wrong(None) }), None);
        let invalid = |what, by| plain(Kind::InvalidSpirv, what, by);
        let undeclared = "Universal Validation Rules: ids (defined) at OpStore";
        let by = Some(INDEXED_IN_VARIABLES.name);
        assert_eq!(name("23", &invalid(undeclared, by)), Some("wgpu#7048"));
        // A quotient is a value of run time, as an index.
        let shape = vec![Construct::Quotient.name()];
        let indexed = |by| Signature { shape: shape.clone(), ..invalid(undeclared, by) };
        assert_eq!(name("23", &indexed(by)), Some("wgpu#7048"));
        assert_eq!(name("23", &indexed(None)), None);
        assert_eq!(name("25", &invalid(undeclared, by)), None);
        assert_eq!(name("23", &invalid(undeclared, None)), None);
        assert_eq!(name("23", &invalid("ids (once) at OpStore", by)), None);
        let uncached = "internal error: Expression [_] is not cached! (at back/spv/block.rs)";
        let panics = |by| plain(Kind::Panic, uncached, by);
        assert_eq!(name("30", &panics(Some(WHOLE_POINTERS.name))), Some("wgpu#4540"));
        assert_eq!(name("30", &panics(None)), None);
    }

    /// What shows a fault only beside another construct is still told by its own.
    #[test]
    fn a_construct_beside_explains_nothing_alone() {
        use Construct::{BreakIf, Compound, Effect, Function, Switch, Uninitialised};
        let name = |version, shape: &[Construct], behind_others| {
            let shape = shape.iter().map(|construct| construct.name()).collect();
            let signature = Signature { shape, behind_others, ..plain(Kind::WrongValue, "", None) };
            explained(named(version).expect("it is a release"), &signature).map(|known| known.name)
        };
        assert_eq!(name("0.14", &[BreakIf, Function], false), Some("early `break if`"));
        assert_eq!(name("0.14", &[Function], false), None);
        assert_eq!(name("27", &[Effect], false), Some("wgpu#4394"));
        assert_eq!(name("28", &[Effect], false), None);
        for (version, shape, other) in [
            ("27", [Switch, Effect], "wgpu#4394"),
            ("28", [Compound, Effect], "wgpu#9181"),
            ("27", [Switch, Uninitialised], "wgpu#9489"),
        ] {
            assert_eq!(name(version, &shape, true), Some(other));
            assert_eq!(name(version, &shape, false), None);
        }
        assert_eq!(name("27", &[Switch], true), None);
        assert_eq!(name("28", &[Switch, Effect], true), None);
    }

    /// Memory that holds nothing is of old releases; later ones are asked to zero it.
    #[test]
    fn undefined_results_are_explained_by_instruction_and_premise() {
        let name = |version, what: &str| {
            let signature = plain(Kind::Undefined, what, None);
            let signature = Signature { avoided: None, ..signature };
            explained(named(version).expect("it is a release"), &signature).map(|known| known.name)
        };
        assert_eq!(name("0.10", "OpAtomicUMin (defined)"), Some("naga#2111"));
        assert_eq!(name("0.11", "OpAtomicUMin (defined)"), None);
        assert_eq!(name("0.10", "OpAtomicUMin (inside)"), None);
        assert_eq!(name("24", "OpConvertFToS (range)"), Some("wgpu#7387"));
        assert_eq!(name("25", "OpConvertFToS (range)"), None);
        assert_eq!(name("24", "OpConvertFToS (defined)"), None);
    }
}
