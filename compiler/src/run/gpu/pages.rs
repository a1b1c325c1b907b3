//! What the host has of memory that stays on the device: pages that it has read, and what it has written to them. A read of
//! the device is waited for, so code of the host that goes through small blocks word by word waits once for each page of
//! them, and not for each word.

use super::Held;
use super::connection::DeviceError;
use reference::device::arena::Region;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

/// Words of a page. Regions begin at a multiple of it, so no page lies in two.
const PAGE: u32 = 1 << 12;

/// Pages by their first address, since the last launch.
#[derive(Debug, Default)]
pub(super) struct Pages(BTreeMap<u32, Page>);

#[derive(Debug)]
struct Page {
    /// Fewer where the buffer ends.
    words: Vec<u32>,
    /// What the device does not have yet.
    changed: Range<usize>,
}

impl Pages {
    /// So many words; `None` if memory ends before.
    pub(super) fn read(
        &mut self,
        held: &mut Held,
        at: u32,
        count: u32,
    ) -> Result<Option<Vec<u32>>, DeviceError> {
        if count >= PAGE {
            self.flush(held)?;
            return held.read(at, count).map(Some);
        }
        let mut all = Vec::with_capacity(count as usize);
        for (start, part) in parts(at, count) {
            let Some(words) = self.page(held, start)?.words.get(part) else { return Ok(None) };
            all.extend_from_slice(words);
        }
        Ok(Some(all))
    }

    /// Writes words; `None` if memory ends before.
    pub(super) fn write(
        &mut self,
        held: &mut Held,
        at: u32,
        new: &[u32],
    ) -> Result<Option<()>, DeviceError> {
        let count = new.len() as u32;
        if count >= PAGE {
            self.forget(held, at, count)?;
            return held.write(at, new).map(Some);
        }
        let mut new = new;
        for (start, part) in parts(at, count) {
            let page = self.page(held, start)?;
            let (now, later) = new.split_at(part.len());
            let Some(words) = page.words.get_mut(part.clone()) else { return Ok(None) };
            words.copy_from_slice(now);
            let changed = &mut page.changed;
            *changed = match changed.start >= changed.end {
                true => part,
                false => changed.start.min(part.start)..changed.end.max(part.end),
            };
            new = later;
        }
        Ok(Some(()))
    }

    /// The device gets what was written, and has these words alone from here on.
    pub(super) fn forget(&mut self, held: &Held, at: u32, count: u32) -> Result<(), DeviceError> {
        self.flush(held)?;
        for (start, _) in parts(at, count) {
            self.0.remove(&start);
        }
        Ok(())
    }

    /// The device gets what was written.
    pub(super) fn flush(&mut self, held: &Held) -> Result<(), DeviceError> {
        for (start, page) in &mut self.0 {
            let changed = std::mem::replace(&mut page.changed, 0..0);
            if !changed.is_empty() {
                held.write(start + changed.start as u32, &page.words[changed])?;
            }
        }
        Ok(())
    }

    /// The page that begins here.
    fn page(&mut self, held: &mut Held, start: u32) -> Result<&mut Page, DeviceError> {
        Ok(match self.0.entry(start) {
            Entry::Occupied(page) => page.into_mut(),
            Entry::Vacant(place) => {
                let (region, word) = Region::split(start);
                let end = held.regions[region as usize].size() / 4;
                let count = end.saturating_sub(word.into()).min(PAGE.into()) as u32;
                let words = if count == 0 { Vec::new() } else { held.read(start, count)? };
                place.insert(Page { words, changed: 0..0 })
            }
        })
    }
}

/// The pages of so many words from an address on, each with the part of it.
fn parts(at: u32, count: u32) -> impl Iterator<Item = (u32, Range<usize>)> {
    let end = u64::from(at) + u64::from(count);
    let first = u64::from(at / PAGE);
    let pages = if count == 0 { first..first } else { first..end.div_ceil(PAGE.into()) };
    pages.map(move |page| {
        let start = page * u64::from(PAGE);
        let from = u64::from(at).max(start) - start;
        let to = end.min(start + u64::from(PAGE)) - start;
        (start as u32, from as usize..to as usize)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lie_in_pages() {
        let all = |at, count| parts(at, count).collect::<Vec<_>>();
        assert_eq!(all(5, 0), []);
        assert_eq!(all(5, 1), [(0, 5..6)]);
        assert_eq!(all(PAGE - 1, 1), [(0, PAGE as usize - 1..PAGE as usize)]);
        assert_eq!(all(PAGE, 2), [(PAGE, 0..2)]);
        assert_eq!(all(PAGE - 2, 4), [(0, PAGE as usize - 2..PAGE as usize), (PAGE, 0..2)]);
        assert_eq!(all(u32::MAX, 1), [(u32::MAX - (PAGE - 1), PAGE as usize - 1..PAGE as usize)]);
    }
}
