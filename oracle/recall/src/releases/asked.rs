//! What each release is asked, after `wgpu-hal`'s `vulkan/adapter.rs` of its time.
//!
//! | | which |
//! |---|---|
//! | SPIR-V | 1.0 up to 25; 1.6 from 26 on, where wgpu asks for what the driver can |
//! | indices | restricted, in every release |
//! | buffers | unchecked, as on drivers with robust buffer access, in every release |
//! | work-group memory | zeroed by the driver from 0.11 on; before that naga could not ask for it |
//! | 64-bit integers | from 0.20 on; before that naga had none |

use super::Release;
use compiler::emit::spirv::Rejection;
use std::error::Error;

/// The error with its causes, which naga's errors do not repeat.
fn rejected(error: &dyn Error) -> Rejection {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    Rejection(text)
}

/// Whether 64-bit integers are there, and 64-bit floats with them.
macro_rules! capabilities {
    ($naga:ident, short) => {
        ::$naga::valid::Capabilities::empty()
    };
    ($naga:ident, long) => {
        ::$naga::valid::Capabilities::SHADER_INT64 | ::$naga::valid::Capabilities::FLOAT64
    };
}

/// How work-group memory is zeroed.
macro_rules! zeroed {
    ($naga:ident, $options:ident, never) => {};
    ($naga:ident, $options:ident, native) => {
        $options.zero_initialize_workgroup_memory =
            ::$naga::back::spv::ZeroInitializeWorkgroupMemoryMode::Native;
    };
}

/// How the lines of the source are given.
macro_rules! lines {
    ($naga:ident, $options:ident, $wgsl:ident, none) => {};
    ($naga:ident, $options:ident, $wgsl:ident, unnamed($file:expr)) => {
        $options.debug_info =
            Some(::$naga::back::spv::DebugInfo { source_code: $wgsl, file_name: $file });
    };
    ($naga:ident, $options:ident, $wgsl:ident, named($file:expr)) => {
        $options.debug_info = Some(::$naga::back::spv::DebugInfo {
            source_code: $wgsl,
            file_name: $file,
            language: ::$naga::back::spv::SourceLanguage::WGSL,
        });
    };
}

/// Whether every binding has to be placed.
macro_rules! bindings {
    ($naga:ident, $options:ident, $module:ident, same) => {};
    ($naga:ident, $options:ident, $module:ident, placed) => {
        for (_, global) in $module.global_variables.iter() {
            let Some(binding) = global.binding else { continue };
            let place = ::$naga::back::spv::BindingInfo {
                descriptor_set: binding.group,
                binding: binding.binding,
                binding_array_size: None,
            };
            $options.binding_map.insert(binding, place);
        }
        $options.fake_missing_bindings = false;
    };
}

macro_rules! releases {
    ($($number:literal $naga:ident $version:literal, $language:expr, $ints:ident, $zeroed:ident,
        $bindings:ident, $lines:ident $(($file:expr))?;)*) => {
        pub(super) const RELEASES: [Release; 17] = [$(
            Release { version: $version, number: $number, words: $naga::words },
        )*];

        $(mod $naga {
            use super::{Rejection, rejected};
            use ::$naga::back::spv;
            use ::$naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
            use ::$naga::valid::{ValidationFlags, Validator};

            pub(super) fn words(wgsl: &str, lines: bool) -> Result<Vec<u32>, Rejection> {
                let module = ::$naga::front::wgsl::parse_str(wgsl)
                    .map_err(|error| Rejection(error.emit_to_string(wgsl)))?;
                let capabilities = capabilities!($naga, $ints);
                let info = Validator::new(ValidationFlags::all(), capabilities)
                    .validate(&module)
                    .map_err(|error| rejected(&error))?;
                let mut options = spv::Options {
                    lang_version: $language,
                    flags: spv::WriterFlags::LABEL_VARYINGS,
                    bounds_check_policies: BoundsCheckPolicies {
                        index: BoundsCheckPolicy::Restrict,
                        buffer: BoundsCheckPolicy::Unchecked,
                        ..BoundsCheckPolicies::default()
                    },
                    ..spv::Options::default()
                };
                zeroed!($naga, options, $zeroed);
                bindings!($naga, options, module, $bindings);
                if lines {
                    options.flags |= spv::WriterFlags::DEBUG;
                    lines!($naga, options, wgsl, $lines $(($file))?);
                }
                let entry = spv::PipelineOptions {
                    shader_stage: ::$naga::ShaderStage::Compute,
                    entry_point: "main".to_owned(),
                };
                spv::write_vec(&module, &info, &options, Some(&entry))
                    .map_err(|error| rejected(&error))
            }
        })*
    };
}

releases! {
    0 naga_0_9 "0.9.0", (1, 0), short, never, same, none;
    1 naga_0_10 "0.10.0", (1, 0), short, never, same, none;
    2 naga_0_11 "0.11.0", (1, 0), short, native, same, none;
    3 naga_0_12 "0.12.3", (1, 0), short, native, same, none;
    4 naga_0_13 "0.13.0", (1, 0), short, native, same, unnamed("kernel.wgsl");
    5 naga_0_14 "0.14.2", (1, 0), short, native, same, unnamed(std::path::Path::new("kernel.wgsl"));
    6 naga_0_19 "0.19.2", (1, 0), short, native, same, unnamed(std::path::Path::new("kernel.wgsl"));
    7 naga_0_20 "0.20.0", (1, 0), long, native, same, unnamed(std::path::Path::new("kernel.wgsl"));
    8 naga_22 "22.1.0", (1, 0), long, native, same, unnamed(std::path::Path::new("kernel.wgsl"));
    9 naga_23 "23.1.0", (1, 0), long, native, same, named(std::path::Path::new("kernel.wgsl"));
    10 naga_24 "24.0.0", (1, 0), long, native, same, named(std::path::Path::new("kernel.wgsl"));
    11 naga_25 "25.0.1", (1, 0), long, native, same, named(std::path::Path::new("kernel.wgsl"));
    12 naga_26 "26.0.0", (1, 6), long, native, same, named("kernel.wgsl".into());
    13 naga_27 "27.0.3", (1, 6), long, native, placed, named("kernel.wgsl");
    14 naga_28 "28.0.0", (1, 6), long, native, placed, named("kernel.wgsl");
    15 naga_29 "29.0.0", (1, 6), long, native, placed, named("kernel.wgsl");
    16 naga_30 "30.0.1", (1, 6), long, native, placed, named("kernel.wgsl");
}
