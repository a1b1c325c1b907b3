//! Blocks, as far as costs go: where each lies in memory, who wrote it last, and how many words live.

use super::machine::{Machine, Times};
use super::provider::Provider;
use rustc_hash::FxHashMap;
use serde::Serialize;

#[derive(Clone, Copy, Debug)]
struct Block {
    /// Its first word: a multiple of the width of a warp (L69).
    base: u64,
    words: u64,
    /// Is what it holds there, in each world? New memory is zero in both.
    host: bool,
    device: bool,
    /// The launch that used it last, and whether that launch wrote it.
    used: u64,
    written: u64,
}

/// Words and time of what is brought from one world to the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Transfers {
    /// Words to the device, in `paper` and in the other modes.
    pub to_device: [u64; 2],
    /// Words to the host, likewise.
    pub to_host: [u64; 2],
    /// How long that takes.
    pub times: Times,
}

/// The blocks of a run.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: FxHashMap<u32, Block>,
    /// Where the next one lies.
    end: u64,
    live: u64,
    /// Words of a thread that runs in a launch, and the most of any.
    inside: Option<[u64; 2]>,
    pub(super) peak: u64,
    pub(super) allocated: u64,
    launches: u64,
    /// What the running launch used.
    used: Vec<u32>,
    pub(super) transfers: Transfers,
}

impl Blocks {
    /// A block of so many words, which stands for as many as `times` says.
    pub(super) fn alloc(&mut self, number: u32, words: u64, times: u64, width: u64) {
        let block = Block { base: self.end, words, host: true, device: true, used: 0, written: 0 };
        self.end = self.end.saturating_add(words).next_multiple_of(width);
        self.blocks.insert(number, block);
        self.allocated = self.allocated.saturating_add(words.saturating_mul(times));
        match &mut self.inside {
            Some([own, most]) => {
                *own += words;
                *most = (*own).max(*most);
            }
            None => {
                self.live += words;
                self.peak = self.peak.max(self.live);
            }
        }
    }

    pub(super) fn free(&mut self, number: u32) {
        let Some(block) = self.blocks.remove(&number) else { return };
        match &mut self.inside {
            Some([own, _]) => *own = own.saturating_sub(block.words),
            None => self.live = self.live.saturating_sub(block.words),
        }
    }

    /// A launch starts.
    pub(super) fn launch(&mut self) {
        self.launches += 1;
        self.inside = Some([0, 0]);
        self.used.clear();
    }

    /// The running launch accesses a block: the address of its first word.
    #[inline]
    pub(super) fn device(&mut self, number: u32, writes: bool) -> u64 {
        let Some(block) = self.blocks.get_mut(&number) else { return 0 };
        if block.used != self.launches {
            block.used = self.launches;
            self.used.push(number);
        }
        if writes {
            block.written = self.launches;
        }
        block.base
    }

    /// The host accesses a block, which is brought to it if the device wrote it last. In `paper` it was brought at once.
    pub(super) fn host(&mut self, number: u32, writes: bool, machine: &Machine) {
        let Some(block) = self.blocks.get_mut(&number) else { return };
        if !block.host {
            block.host = true;
            self.transfers.to_host[1] += block.words;
            let time = machine.to_host(block.words);
            self.transfers.times.umm += time;
            self.transfers.times.cal += time as f64;
        }
        if writes {
            block.device = false;
        }
    }

    /// The launch is over, of which so many threads run at once: how long its transfers take to the device (`δ*`) and
    /// back (`δ†`). In `paper` all that it uses is brought, and all that it wrote comes back (L18, L62); else what the
    /// other world wrote last.
    pub(super) fn ends(&mut self, at_once: u64, machine: &Machine) -> [Times; 2] {
        let most = self.inside.take().map_or(0, |[_, most]| most.saturating_mul(at_once));
        self.peak = self.peak.max(self.live.saturating_add(most));
        let (mut there, mut back) = (Times::default(), Times::default());
        for number in std::mem::take(&mut self.used) {
            // What a thread allocated is gone.
            let Some(block) = self.blocks.get_mut(&number) else { continue };
            let to_device = machine.to_device(block.words);
            let to_host = machine.to_host(block.words);
            there.paper += to_device;
            self.transfers.to_device[0] += block.words;
            if !block.device {
                block.device = true;
                self.transfers.to_device[1] += block.words;
                there += Times { paper: 0, umm: to_device, cal: to_device as f64 };
            }
            if block.written == self.launches {
                block.host = false;
                back.paper += to_host;
                self.transfers.to_host[0] += block.words;
            }
        }
        self.transfers.times += there;
        self.transfers.times += back;
        [there, back]
    }
}
