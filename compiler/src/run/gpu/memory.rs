//! Blocks: placed in the arena, written, read and copied.

use super::connection::DeviceError;
use super::pages::Pages;
use super::{Gpu, Held, SMALL};
use reference::device::arena::{ATOMIC, GUARD, Region, Where, Words, guard};
use reference::device::host::Halt;
use reference::device::syntax::Element;
use reference::kit::names::{Names, Var};
use reference::kit::outcome::{Broken, Why};
use std::ops::Range;

/// The host's copy of memory.
#[derive(Debug)]
pub(super) enum Mirror {
    /// All of its words, and which of them the device does not have yet.
    Whole {
        /// The words.
        words: Words,
        /// What changed here since the last launch, of each region.
        changed: [Range<usize>; 2],
    },
    /// The device has them, and the host what it used of them since the last launch.
    Device(Pages),
}

impl Default for Mirror {
    fn default() -> Self {
        Mirror::Whole { words: Words::default(), changed: [0..0, 0..0] }
    }
}

/// Words in bytes, as the device takes them.
pub(super) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words that bytes of the device are.
pub(super) fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

impl Gpu {
    pub(super) fn place(
        &mut self,
        (block, names): ((Var, Where), &Names),
        element: Element,
        words: u64,
    ) -> Result<u32, Halt> {
        let limit = self.adapter.words();
        let Some(base) = self.placed.place(block, element, words, limit) else {
            let name = names.text(block.0);
            let text = self.adapter.no_room(name, words, self.placed.words().into());
            return Err(Halt::Unknown(Why::NoAdapter(text)));
        };
        let words = words as u32;
        let (region, _) = Region::split(base);
        let end = self.placed.words_of(region);
        if self.placed.words() > SMALL {
            self.leave_mirror()?;
        }
        match &mut self.mirror {
            Mirror::Whole { words: all, changed } => {
                all.fresh(base, words);
                extend(changed, base - GUARD, words + 2 * GUARD);
            }
            Mirror::Device(_) => {
                self.with_pages(|held, pages| {
                    pages.forget(held, base - GUARD, words + 2 * GUARD)?;
                    held.reserve(region, u64::from(end))?;
                    held.clear(base, words)?;
                    for side in [base - GUARD, base + words] {
                        let guards: Vec<u32> = (side..side + GUARD).map(guard).collect();
                        held.write(side, &guards)?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(base)
    }

    /// From here on the device has the words.
    fn leave_mirror(&mut self) -> Result<(), Halt> {
        let Mirror::Whole { words, .. } = &mut self.mirror else { return Ok(()) };
        let words = std::mem::take(words);
        self.mirror = Mirror::Device(Pages::default());
        let ends = REGIONS.map(|(region, _)| self.placed.words_of(region));
        self.with(|held| {
            for ((region, start), end) in REGIONS.into_iter().zip(ends) {
                let words = words.of(region);
                held.reserve(region, u64::from(end).max(words.len() as u64))?;
                if !words.is_empty() {
                    held.write(start, words)?;
                }
            }
            Ok(())
        })
    }

    pub(super) fn write_words(&mut self, at: u32, new: &[u32]) -> Result<(), Halt> {
        match &mut self.mirror {
            Mirror::Whole { words, changed } => {
                words.write(at, new).ok_or_else(|| beyond(at))?;
                extend(changed, at, new.len() as u32);
                Ok(())
            }
            Mirror::Device(_) => {
                let done = self.with_pages(|held, pages| pages.write(held, at, new))?;
                done.ok_or_else(|| beyond(at))
            }
        }
    }

    pub(super) fn read_words(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt> {
        match &self.mirror {
            Mirror::Whole { words, .. } => {
                words.read(at, count).map(<[u32]>::to_vec).ok_or_else(|| beyond(at))
            }
            Mirror::Device(_) => {
                let read = self.with_pages(|held, pages| pages.read(held, at, count))?;
                read.ok_or_else(|| beyond(at))
            }
        }
    }

    pub(super) fn copy_words(&mut self, from: u32, to: u32, count: u32) -> Result<(), Halt> {
        match &mut self.mirror {
            Mirror::Whole { words, changed } => {
                words.copy(from, to, count).ok_or_else(|| beyond(from.max(to)))?;
                extend(changed, to, count);
                Ok(())
            }
            Mirror::Device(_) if count == 0 => Ok(()),
            Mirror::Device(_) => self.with_pages(|held, pages| {
                pages.forget(held, to, count)?;
                held.copy(from, to, count)
            }),
        }
    }

    /// With what the host has of memory on the device.
    pub(super) fn with_pages<T>(
        &mut self,
        job: impl FnOnce(&mut Held, &mut Pages) -> Result<T, DeviceError>,
    ) -> Result<T, Halt> {
        let mut pages = match &mut self.mirror {
            Mirror::Device(pages) => std::mem::take(pages),
            Mirror::Whole { .. } => Pages::default(),
        };
        let done = self.with(|held| job(held, &mut pages));
        if let Mirror::Device(kept) = &mut self.mirror {
            *kept = pages;
        }
        done
    }
}

/// The regions with their first addresses.
pub(super) const REGIONS: [(Region, u32); 2] = [(Region::Plain, 0), (Region::Atomic, ATOMIC)];

/// A host that leaves memory broke.
fn beyond(at: u32) -> Halt {
    Halt::Broken(Broken::Panic(format!("words from {at} on are beyond memory")))
}

/// So many words from an address on changed as well.
fn extend(changed: &mut [Range<usize>; 2], at: u32, count: u32) {
    let (region, first) = Region::split(at);
    let (changed, first) = (&mut changed[region as usize], first as usize);
    let by = first..first + count as usize;
    if by.start >= by.end {
        return;
    }
    if changed.start >= changed.end {
        *changed = by;
    } else {
        *changed = changed.start.min(by.start)..changed.end.max(by.end);
    }
}

/// A word's place in bytes.
pub(super) fn byte(word: u32) -> u64 {
    u64::from(word) * 4
}

/// What the buffers of the regions are called.
pub(super) const LABELS: [&str; 2] = ["arena", "atomics"];

impl Held {
    /// The buffer of an address, and its place there in bytes.
    pub(super) fn at(&self, address: u32) -> (&wgpu::Buffer, u64) {
        let (region, word) = Region::split(address);
        (&self.regions[region as usize], byte(word))
    }

    /// A buffer of at least `words` words.
    pub(super) fn buffer(
        connection: &super::Connection,
        label: &str,
        words: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, DeviceError> {
        connection.attempt(|to| {
            to.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: words * 4,
                usage,
                mapped_at_creation: false,
            })
        })
    }

    /// Makes a region at least `words` words long and keeps what is in it.
    pub(super) fn reserve(&mut self, region: Region, words: u64) -> Result<(), DeviceError> {
        let region = region as usize;
        let most = self.connection.device.limits();
        let most = most.max_storage_buffer_binding_size.min(most.max_buffer_size) / 4;
        if self.regions[region].size() / 4 >= words {
            return Ok(());
        }
        let words = words.next_power_of_two().min(most);
        let usage = self.regions[region].usage();
        let new = Self::buffer(&self.connection, LABELS[region], words, usage)?;
        let old = std::mem::replace(&mut self.regions[region], new);
        self.group = None;
        self.submit(|encoder, held| {
            encoder.copy_buffer_to_buffer(&old, 0, &held.regions[region], 0, old.size());
        })
    }

    /// Makes the buffer for records at least `words` words long.
    pub(super) fn reserve_records(&mut self, words: u64) -> Result<(), DeviceError> {
        if self.records.size() / 4 < words {
            let usage = self.records.usage();
            let words = words.next_power_of_two();
            self.records = Self::buffer(&self.connection, "records", words, usage)?;
            self.records_told = false;
            self.group = None;
        }
        Ok(())
    }

    /// Makes the buffer that comes back at least `words` words long.
    pub(super) fn reserve_readback(&mut self, words: u64) -> Result<(), DeviceError> {
        if self.readback.size() / 4 < words {
            let usage = self.readback.usage();
            let words = words.next_power_of_two();
            self.readback = Self::buffer(&self.connection, "readback", words, usage)?;
        }
        Ok(())
    }

    /// Submits what `record` records and does not wait.
    fn submit(
        &self,
        record: impl FnOnce(&mut wgpu::CommandEncoder, &Held),
    ) -> Result<(), DeviceError> {
        self.connection.attempt(|to| {
            let mut encoder = to.device.create_command_encoder(&Default::default());
            record(&mut encoder, self);
            to.queue.submit([encoder.finish()]);
        })
    }

    fn clear(&self, at: u32, words: u32) -> Result<(), DeviceError> {
        if words == 0 {
            return Ok(());
        }
        self.submit(|encoder, held| {
            let (buffer, at) = held.at(at);
            encoder.clear_buffer(buffer, at, Some(byte(words)));
        })
    }

    pub(super) fn write(&self, at: u32, words: &[u32]) -> Result<(), DeviceError> {
        self.connection.attempt(|to| {
            let (buffer, at) = self.at(at);
            to.queue.write_buffer(buffer, at, &bytes(words));
            // Now, so that it stays in order with what is submitted later.
            to.queue.submit([]);
        })
    }

    pub(super) fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, DeviceError> {
        let (region, word) = Region::split(at);
        self.read_of(&self.regions[region as usize].clone(), word, count)
    }

    /// Words of the record of the last launch.
    pub(super) fn read_record(&mut self, at: u32, count: u32) -> Result<Vec<u32>, DeviceError> {
        self.read_of(&self.records.clone(), at, count)
    }

    fn read_of(
        &mut self,
        buffer: &wgpu::Buffer,
        at: u32,
        count: u32,
    ) -> Result<Vec<u32>, DeviceError> {
        self.reserve_readback(count.into())?;
        let commands = self.connection.attempt(|to| {
            let mut encoder = to.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(buffer, byte(at), &self.readback, 0, byte(count));
            encoder.finish()
        })?;
        let read = |all: &[u8]| words(all).collect();
        self.connection.submit_and_read(commands, &self.readback, byte(count), read)
    }

    /// Through a buffer between: source and destination may lie in the same one.
    fn copy(&self, from: u32, to: u32, count: u32) -> Result<(), DeviceError> {
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let between = Self::buffer(&self.connection, "between", count.into(), usage)?;
        self.submit(|encoder, held| {
            let size = byte(count);
            let ((source, from), (target, to)) = (held.at(from), held.at(to));
            encoder.copy_buffer_to_buffer(source, from, &between, 0, size);
            encoder.copy_buffer_to_buffer(&between, 0, target, to, size);
        })
    }
}
