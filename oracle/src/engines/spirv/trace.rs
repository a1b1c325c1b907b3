//! What the launches of a run work on, for a reader who has no Lockstep.

use crate::engines::words::Words;
use compiler::pass::poison_checks::Detail;
use compiler::run::launcher::Dispatch;

/// The launches of a run.
#[derive(Debug, Default)]
pub struct Trace {
    /// The first of them, in order: those of fast forms, and where one failed those of full forms.
    pub launches: Vec<Traced>,
    /// How many more there were.
    pub more: usize,
    /// Words that are kept.
    words: usize,
}

/// A launch.
#[derive(Debug)]
pub struct Traced {
    /// The kernel; none is the shader that copies for the host.
    pub kernel: Option<String>,
    /// Which form of the kernel it is.
    pub detail: Detail,
    /// The shader.
    pub wgsl: String,
    /// Work groups in the two dimensions of the grid.
    pub grid: [u32; 2],
    /// The words of each binding before it.
    pub before: [Vec<u32>; 4],
    /// And behind it, by the SPIR-V that was executed; none where there was no module.
    pub after: Option<[Vec<u32>; 4]>,
}

/// Launches and words that are kept at most: a report is read by people.
const LAUNCHES: usize = 16;
const WORDS: usize = 1 << 20;

impl Trace {
    /// A launch begins.
    pub(super) fn begin(&mut self, kernel: Option<&str>, dispatch: &Dispatch<'_>, words: &Words) {
        let before = bindings(words);
        self.words += 2 * before.iter().map(Vec::len).sum::<usize>();
        if self.more > 0 || self.launches.len() == LAUNCHES || self.words > WORDS {
            self.more += 1;
            return;
        }
        self.launches.push(Traced {
            kernel: kernel.map(str::to_owned),
            detail: dispatch.detail,
            wgsl: dispatch.form.wgsl.clone(),
            grid: dispatch.grid,
            before,
            after: None,
        });
    }

    /// It has ended.
    pub(super) fn end(&mut self, words: &Words) {
        if self.more > 0 {
            return;
        }
        if let Some(last) = self.launches.last_mut() {
            last.after = Some(bindings(words));
        }
    }
}

fn bindings(words: &Words) -> [Vec<u32>; 4] {
    let Words { memory, launch, records, .. } = words;
    [memory.plain.clone(), launch.clone(), records.clone(), memory.atomic.clone()]
}
