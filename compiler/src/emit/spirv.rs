//! WGSL through naga: validation, and the SPIR-V that a driver is handed.

use naga::back::spv::{
    self, BindingInfo, DebugInfo, PipelineOptions, SourceLanguage, WriterFlags,
    ZeroInitializeWorkgroupMemoryMode,
};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

/// Why naga rejected a shader, as it says itself.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejection(pub String);

/// The capabilities that emitted shaders may use.
fn capabilities() -> Capabilities {
    Capabilities::SHADER_INT64.union(Capabilities::FLOAT64)
}

/// Parses and validates.
///
/// # Errors
/// What naga says against it.
pub fn validate(wgsl: &str) -> Result<(naga::Module, ModuleInfo), Rejection> {
    validated(&mut validator(), wgsl)
}

fn validator() -> Validator {
    Validator::new(ValidationFlags::all(), capabilities())
}

fn validated(
    validator: &mut Validator,
    wgsl: &str,
) -> Result<(naga::Module, ModuleInfo), Rejection> {
    let module = naga::front::wgsl::parse_str(wgsl)
        .map_err(|error| Rejection(error.emit_to_string(wgsl)))?;
    let info =
        validator.validate(&module).map_err(|error| Rejection(error.emit_to_string(wgsl)))?;
    Ok((module, info))
}

/// The words of the module that wgpu hands to a driver of Vulkan 1.3 for this WGSL, all of its
/// entry points in it: what wgpu-hal 30 asks of naga for a shader that is not trusted, on a driver
/// with `robustBufferAccess2` and zeroed work-group memory. There naga leaves accesses of buffers
/// unchecked, so that one which leaves its buffer can be seen; arrays of known length it checks.
///
/// # Errors
/// What naga says against it.
pub fn for_vulkan(wgsl: &str) -> Result<Vec<u32>, Rejection> {
    Series::default().for_vulkan(wgsl)
}

/// The same module with the names and lines of the WGSL in it.
///
/// # Errors
/// What naga says against it.
pub fn with_lines(wgsl: &str) -> Result<Vec<u32>, Rejection> {
    Naga::new(true)?.words(wgsl)
}

/// Compiles modules one after the other, reusing the memory of naga. Each module is the same as if it were
/// compiled alone.
#[derive(Default)]
pub struct Series(Option<Box<Naga>>);

impl Series {
    /// What the function [`for_vulkan`] gives.
    ///
    /// # Errors
    /// What naga says against it.
    pub fn for_vulkan(&mut self, wgsl: &str) -> Result<Vec<u32>, Rejection> {
        let mut naga = match self.0.take() {
            Some(naga) => naga,
            None => Box::new(Naga::new(false)?),
        };
        // After a shader that naga refuses, or panics at, it begins anew.
        let words = naga.words(wgsl)?;
        self.0 = Some(naga);
        Ok(words)
    }
}

/// What naga makes modules with.
struct Naga {
    validator: Validator,
    /// With the bindings of all modules so far: of one, naga looks up its own.
    options: spv::Options<'static>,
    writer: spv::Writer,
}

impl Naga {
    fn new(lines: bool) -> Result<Self, Rejection> {
        let debug = if lines { WriterFlags::DEBUG } else { WriterFlags::empty() };
        let options = spv::Options {
            lang_version: (1, 6),
            flags: WriterFlags::LABEL_VARYINGS | debug,
            fake_missing_bindings: false,
            bounds_check_policies: BoundsCheckPolicies {
                index: BoundsCheckPolicy::Restrict,
                buffer: BoundsCheckPolicy::Unchecked,
                image_load: BoundsCheckPolicy::Unchecked,
                binding_array: BoundsCheckPolicy::Unchecked,
            },
            zero_initialize_workgroup_memory: ZeroInitializeWorkgroupMemoryMode::Native,
            ..spv::Options::default()
        };
        let writer = spv::Writer::new(&options).map_err(unwritten)?;
        Ok(Self { validator: validator(), options, writer })
    }

    fn words(&mut self, wgsl: &str) -> Result<Vec<u32>, Rejection> {
        let (module, info) = validated(&mut self.validator, wgsl)?;
        self.bind(&module)?;
        // wgpu asks for one entry point, so that what others use is left out.
        let entry = match module.entry_points.as_slice() {
            [only] => {
                Some(PipelineOptions { shader_stage: only.stage, entry_point: only.name.clone() })
            }
            _ => None,
        };
        let lines = self.options.flags.contains(WriterFlags::DEBUG).then_some(DebugInfo {
            source_code: wgsl,
            file_name: "kernel.wgsl",
            language: SourceLanguage::WGSL,
        });
        let mut words = Vec::new();
        self.writer.write(&module, &info, entry.as_ref(), &lines, &mut words).map_err(unwritten)?;
        Ok(words)
    }

    /// Lets the writer know where the bindings of a module are.
    fn bind(&mut self, module: &naga::Module) -> Result<(), Rejection> {
        let known = self.options.binding_map.len();
        for binding in module.global_variables.iter().filter_map(|(_, global)| global.binding) {
            let place = BindingInfo {
                descriptor_set: binding.group,
                binding: binding.binding,
                binding_array_size: None,
            };
            self.options.binding_map.insert(binding, place);
        }
        if self.options.binding_map.len() > known {
            self.writer.set_options(&self.options).map_err(unwritten)?;
        }
        Ok(())
    }
}

fn unwritten(error: spv::Error) -> Rejection {
    Rejection(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::{Series, for_vulkan};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Of shaders that make naga write most of what it keeps, one that it does not read, one that
    /// it does not take, and one that it panics at.
    const SHADERS: &[&str] = &[
        "@group(0) @binding(0) var<storage, read_write> a: array<i32>;
         var<workgroup> g: array<vec3<i32>, 4>;
         fn f(x: i32, y: i32) -> i32 { return x / y + abs(x % y); }
         @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
             var p = array(1, 2, 3);
             for (var k = 0u; k < i; k++) { p[k] = f(a[k], p[i]); }
             g[i].y = p[1] + i32(i64(p[2]) >> i);
             workgroupBarrier();
             a[i] = g[3u - i].y;
         }",
        "fn main( {",
        "struct S { m: u32, n: atomic<u32> }
         @group(0) @binding(2) var<storage, read_write> s: array<S>;
         @group(1) @binding(7) var<uniform> u: vec4<u32>;
         @compute @workgroup_size(1) fn one() { s[0].m = min(atomicAdd(&s[1].n, 1u), u.w); }
         @compute @workgroup_size(2) fn two() { s[u.x].m = u.y % u.z; }",
        "@compute @workgroup_size(1) fn main() { var x = 1i; if x == 1i { x = 2i + true; } }",
        "@compute @workgroup_size(1) fn main() {}",
        "@group(0) @binding(1) var<storage, read> a: array<f64>;
         @compute @workgroup_size(1) fn main() { let x = a[0]; }",
        "fn f(p: ptr<function, i32>) { *p = 1i; }
         @compute @workgroup_size(1) fn main() { var x: array<i32, 2>; f(&x[1]); }",
    ];

    #[test]
    fn a_module_of_a_series_is_as_it_is_alone() {
        let caught = |words: &mut dyn FnMut(&str) -> Result<Vec<u32>, _>, wgsl: &str| {
            catch_unwind(AssertUnwindSafe(|| words(wgsl))).map_err(|_| "it panics")
        };
        let mut series = Series::default();
        let mut seen = [0; 3];
        for step in 1..=SHADERS.len() {
            for wgsl in SHADERS.iter().cycle().step_by(step).take(20) {
                let alone = caught(&mut for_vulkan, wgsl);
                let next = caught(&mut |wgsl| series.for_vulkan(wgsl), wgsl);
                assert_eq!(next, alone, "{wgsl}");
                seen[match alone {
                    Ok(Ok(_)) => 0,
                    Ok(Err(_)) => 1,
                    Err(_) => 2,
                }] += 1;
            }
        }
        assert!(seen.iter().all(|times| *times > 10), "{seen:?}");
    }
}
