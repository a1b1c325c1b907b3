//! The shader that copies blocks of words with strides between them, where the host cannot copy them itself.

use super::wgsl::Form;
use reference::device::host::Dim;
use std::sync::LazyLock;

/// Invocations in a work group.
const GROUP: u32 = 64;

/// The shader. It is launched like a kernel without a failure record ([`wgsl`](super::wgsl)).
pub fn form() -> &'static Form {
    static FORM: LazyLock<Form> = LazyLock::new(|| Form {
        wgsl: include_str!("copy.wgsl").to_owned(),
        sets_flag: false,
        group: GROUP,
        i64: false,
        f64: false,
        shapes: Vec::new(),
        group_memory: 0,
    });
    &FORM
}

/// The number of invocations that a copy takes, and the words of its arguments; `None` if a launch cannot
/// have as many.
///
/// # Panics
/// With more than three dimensions.
pub fn launch(dims: &[Dim], from: u32, to: u32) -> Option<(u32, Vec<u32>)> {
    let invocations = u32::try_from(Dim::words(dims)).ok().filter(|n| *n <= u32::MAX - GROUP)?;
    let mut all = [Dim { size: 1, from: 0, to: 0 }; 3];
    all[3 - dims.len()..].copy_from_slice(dims);
    let strides = |of: fn(&Dim) -> i64| all.iter().map(move |dim| of(dim) as u32);
    let mut args = vec![all[1].size as u32, all[2].size as u32, from];
    args.extend(strides(|dim| dim.from));
    args.push(to);
    args.extend(strides(|dim| dim.to));
    Some((invocations, args))
}
