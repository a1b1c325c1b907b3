//! Tint's SPIR-V. Dawn shows what it hands to the driver when it is told to dump its shaders: the
//! text of `spirv-dis`, which is assembled again.

use super::device::Device;
use super::protocol::Asks;
use crate::engine::EngineId;
use crate::engines::child::{End, Launcher};
use crate::engines::spirv::{Maker, NoWords, Translator};
use compiler::emit::spirv::Rejection;
use reference::device::host::Halt;
use reference::kit::outcome::{Broken, Ending};
use reference::spirv::assemble::assemble;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// What Dawn is told: to show its shaders, with the names that they have in the WGSL.
const TOGGLES: &[&str] =
    &["backend=vulkan", "enable-dawn-features=dump_shaders,disable_symbol_renaming"];

/// What stands before the text of a module.
const HEAD: &str = "/* Dumped SPIRV disassembly */";

/// The name of the entry point of every module of Dawn.
const ENTRY: &str = "\"dawn_entry_point\"";

/// Shaders whose modules are kept at most.
const MAX_SHOWN: usize = 512;

/// Dawn, as what writes SPIR-V.
pub struct Tint(Mutex<Asked>);

struct Asked {
    device: Device,
    /// What was shown of each shader.
    shown: HashMap<String, Result<Vec<u32>, NoWords>>,
    /// How often Dawn was asked.
    times: u64,
}

impl Tint {
    /// Its process is started when it is first asked.
    pub(super) fn new(launcher: &Launcher) -> Self {
        let device = Device::new(launcher, TOGGLES);
        Self(Mutex::new(Asked { device, shown: HashMap::new(), times: 0 }))
    }
}

impl Translator for Tint {
    fn name(&self) -> &'static str {
        "Tint"
    }

    /// The module has the names of the WGSL in any case, and lines in none.
    fn words(&self, wgsl: &str, _: bool) -> Result<Vec<u32>, NoWords> {
        let Asked { device, shown, times } =
            &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shown.get(wgsl) {
            return known.clone();
        }
        *times += 1;
        // Dawn keeps what it has compiled, and shows it once: no text comes to it twice.
        let answer = ask(device, &format!("{wgsl}// {times}\n"));
        if matches!(answer, Err(NoWords::Absent(_))) {
            return answer;
        }
        if shown.len() >= MAX_SHOWN {
            shown.clear();
        }
        shown.insert(wgsl.to_owned(), answer.clone());
        answer
    }

    fn take_ends(&self) -> Vec<End> {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut asked.device.ends)
    }

    fn engine(&self) -> EngineId {
        EngineId::Tint
    }

    fn maker(&self) -> Maker {
        Maker::Tint
    }

    fn takes_i64(&self) -> bool {
        false
    }
}

fn ask(device: &mut Device, wgsl: &str) -> Result<Vec<u32>, NoWords> {
    device.begin();
    let answer = device.ask(&Asks::Compile {}, &[wgsl.as_bytes()]);
    device.settle(&match &answer {
        // What it says against a text is an answer like another.
        Ok(_) | Err(Halt::Broken(Broken::Invalid(_))) => Ending::Value(Vec::new()),
        Err(Halt::Broken(broken)) => Ending::Broken(broken.clone()),
        Err(Halt::Unknown(why)) => Ending::Unknown(why.clone()),
    });
    let answer = answer.map_err(|halt| match halt {
        Halt::Broken(Broken::Invalid(text)) => NoWords::Refused(Rejection(text)),
        // What else breaks there is for the engine `dawn` to find.
        other => NoWords::Absent(format!("Dawn shows no SPIR-V: {other:?}")),
    })?;
    // It shows the WGSL too, so that no other shader's module is taken for this one's.
    let shown = answer.printed.split_once(wgsl).and_then(|(_, behind)| behind.split_once(HEAD));
    let (_, text) = shown.ok_or_else(|| {
        NoWords::Unread("Dawn does not show its SPIR-V on this driver".to_owned())
    })?;
    assemble(&text.replace(ENTRY, "\"main\""))
        .map_err(|error| NoWords::Unread(format!("Dawn's SPIR-V cannot be read: {error}")))
}
