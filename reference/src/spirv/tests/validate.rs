//! Modules of the corpus that break one premise of [`validate`] each.

use super::{Rule, assemble};
use crate::kit::derivation::Recorder;
use crate::spirv::validate::validate;
use std::fs;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/wgsl/invalid");

/// A module and what it breaks.
const BROKEN: [(&str, Rule, &str); 57] = [
    ("decoration_late", Rule::Sections, "order"),
    ("capability_late", Rule::Sections, "order"),
    ("constant_in_function", Rule::Sections, "order"),
    ("memory_model_late", Rule::Sections, "order"),
    ("memory_model_missing", Rule::Sections, "memory model"),
    ("two_memory_models", Rule::Sections, "memory model"),
    ("wide_without_capability", Rule::Capability, "declared"),
    ("half_without_capability", Rule::Capability, "declared"),
    ("half_in_buffer", Rule::Capability, "declared"),
    ("subgroups_without_capability", Rule::Capability, "declared"),
    ("type_twice", Rule::TypeOnce, "once"),
    ("vector_of_one", Rule::TypeSize, "components"),
    ("array_of_none", Rule::TypeSize, "length"),
    ("constant_of_booleans", Rule::Constant, "scalar"),
    ("variable_storage_class", Rule::Declared, "class"),
    ("function_variable_outside", Rule::Declared, "function"),
    ("group_variable_inside", Rule::Declared, "function"),
    ("variable_in_second_block", Rule::Declared, "first"),
    ("variable_behind_others", Rule::Declared, "first"),
    ("store_to_input", Rule::ReadOnly, "stored"),
    ("store_to_uniform", Rule::ReadOnly, "stored"),
    ("built_in_class", Rule::BuiltIn, "class"),
    ("built_in_type", Rule::BuiltIn, "type"),
    ("entry_points_of_one_name", Rule::EntryPoint, "name"),
    ("entry_point_called", Rule::EntryPoint, "called"),
    ("interface_of_a_type", Rule::EntryPoint, "variable"),
    ("interface_without_input", Rule::EntryPoint, "interface"),
    ("entry_point_parameter", Rule::EntryType, "parameters"),
    ("entry_point_result", Rule::EntryType, "void"),
    ("mode_of_no_entry_point", Rule::EntryMode, "entry point"),
    ("no_local_size", Rule::LocalSize, "size"),
    ("binding_twice", Rule::Decorated, "once"),
    ("stride_twice", Rule::Decorated, "once"),
    ("set_missing", Rule::Resource, "set"),
    ("binding_missing", Rule::Resource, "binding"),
    ("no_block", Rule::Resource, "block"),
    ("stride_missing", Rule::Explicit, "stride"),
    ("stride_too_small", Rule::Explicit, "apart"),
    ("offset_missing", Rule::Explicit, "offset"),
    ("offset_unaligned", Rule::Explicit, "aligned"),
    ("offsets_overlap", Rule::Explicit, "overlap"),
    ("strides_of_matrix", Rule::Explicit, "overlap"),
    ("runtime_array_in_front", Rule::RuntimeArray, "last"),
    ("block_missing", Rule::RuntimeArray, "block"),
    ("merge_alone", Rule::Structured, "merge"),
    ("loop_merge_and_switch", Rule::Structured, "merge"),
    ("branch_to_entry", Rule::Structured, "entry"),
    ("merge_shared", Rule::Structured, "shared"),
    ("back_edge_without_loop", Rule::Structured, "header"),
    ("switch_loops_back", Rule::Structured, "header"),
    ("loop_without_back_edge", Rule::Structured, "back edge"),
    ("loop_two_back_edges", Rule::Structured, "back edge"),
    ("missing_merge", Rule::Structured, "selection"),
    ("switch_without_merge", Rule::Structured, "selection"),
    ("atomic_of_function", Rule::AtomicMemory, "class"),
    ("atomic_of_float", Rule::AtomicMemory, "type"),
    ("barrier_semantics_both", Rule::Semantics, "order"),
];

/// Each breaks its premise.
pub(super) fn broken(recorder: &mut Recorder<Rule>) {
    for (name, rule, premise) in BROKEN {
        let path = format!("{FOLDER}/{name}.spvasm");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let found =
            validate(&assemble(&text), recorder).map_err(|it| (it.rule, it.premise, it.text));
        assert!(
            matches!(&found, Err((its, which, _)) if (*its, *which) == (rule, premise)),
            "{name}: {found:?}"
        );
    }
}
