//! What the drivers of a child are told through its environment. A variable that
//! is set already, even to nothing, is not changed.

/// A variable and its value.
pub type Setting = (&'static str, &'static str);

/// Kernels run once, and drivers take longer to compile them than to run them.
///
/// - lavapipe leaves LLVM's optimizer out: it is not what is tested here, and takes half of the
///   time. `GALLIVM_PERF= lockstep fuzz` has it in.
/// - The C library keeps what is freed: compiling one kernel takes and frees some MiB, which would
///   go back to the system and come again, zeroed, for the next.
pub(super) const SETTINGS: [Setting; 3] = [
    ("GALLIVM_PERF", "nopt"),
    ("MALLOC_TRIM_THRESHOLD_", "268435456"),
    ("MALLOC_TOP_PAD_", "67108864"),
];

/// Mesa remembers on disk what it compiled, so that a benchmark would measure its second run by
/// the first.
pub const UNREMEMBERED: Setting = ("MESA_SHADER_CACHE_DISABLE", "true");
