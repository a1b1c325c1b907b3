//! What the work groups of a launch write down when checks fail, after the pass `poison_checks`.
//! One layout for every machine, so that all of them are decoded alike.
//!
//! A record block is a block of u32, zero before the launch:
//!
//! ```text
//! word 0                  0 if no check failed, else MAX - g for the lowest work group g in which
//!                         one failed (kept by an atomic maximum)
//! word 1 + g · stride     record of work group g: of the first failures of its invocations the one
//!                         with the least order, of these the one of the lowest invocation
//!
//! record                  site number
//!                         number of the invocation in the launch, from 0
//!                         how many words of the path count; with the highest bit set ([`WHOLE`]) the
//!                         thread is the path alone, without the invocation
//!                         path: `layout.path` words, i32
//!                         operands: `layout.operands` words, i32, if `layout.narrow`, or else as many
//!                         pairs of words, i64, low word first
//!                         each word as two: its low half, its high half, each with the key
//!                         of the invocation above it
//! ```
//!
//! The key of an invocation is [`HIGHEST_KEY`] less its number in the work group: at least 1, and
//! highest for the lowest. So an atomic maximum of each half keeps the record of the lowest
//! failing invocation whole, without a barrier. Halves that carry another key are zero. Where checks have
//! orders, only invocations whose failure has the least order write.

use super::syntax::{Block, Kind, MAX_GROUP, Program};
use super::visit;
use crate::kit::outcome::{Site, Stuck};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// How long the variable parts of a kernel's records are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Layout {
    /// The longest path of a check in the kernel.
    pub path: u32,
    /// The most operands of a check in the kernel.
    pub operands: u32,
    /// Is every operand of every check in the kernel an i32, or as small as one?
    pub narrow: bool,
}

/// Word of a record: the site number.
pub const SITE: u32 = 0;
/// Word of a record: the invocation.
pub const INVOCATION: u32 = 1;
/// Word of a record: how many words of the path count.
pub const PATH_LENGTH: u32 = 2;
/// Set in the length of the path where the thread is the path alone.
pub const WHOLE: u32 = 1 << 31;
/// First word of the path.
pub const PATH: u32 = 3;

/// Most words that a record may tell, so that no count of them overflows.
const MAX_WORDS: u64 = 1 << 16;

/// The key of the first invocation of a work group.
pub const HIGHEST_KEY: u32 = MAX_GROUP;

impl Layout {
    /// The layout that holds every check of `body`, and of the functions that it calls, whatever
    /// their operands.
    pub fn of(program: &Program, body: &Block) -> Self {
        let mut layout = Self::default();
        layout.add(program, body, &mut HashSet::new());
        layout
    }

    /// Makes room for the checks of a body, and of each function that it calls and that was not seen.
    fn add(&mut self, program: &Program, body: &Block, seen: &mut HashSet<u32>) {
        visit::stms(body, &mut |stm| match &stm.kind {
            Kind::Check(check) => {
                self.path = self.path.max(check.path.len() as u32);
                self.operands = self.operands.max(check.operands.len() as u32);
            }
            Kind::Call { function, .. } => {
                let callee = program.functions.get(*function as usize);
                if let Some(callee) = callee.filter(|_| seen.insert(*function)) {
                    self.add(program, &callee.body, seen);
                }
            }
            _ => {}
        });
    }

    /// Does one record tell no more words than any may?
    pub fn is_small(self) -> bool {
        let operands = u64::from(self.operand_words()) * u64::from(self.operands);
        u64::from(PATH) + u64::from(self.path) + operands <= MAX_WORDS
    }

    /// Words of one record, as it is written.
    pub fn stride(self) -> u32 {
        2 * self.words_told()
    }

    /// Words that one record tells.
    pub fn words_told(self) -> u32 {
        self.operand(self.operands)
    }

    /// First word of operand `i` in a record.
    pub fn operand(self, i: u32) -> u32 {
        PATH + self.path + self.operand_words() * i
    }

    /// Words of an operand.
    pub fn operand_words(self) -> u32 {
        if self.narrow { 1 } else { 2 }
    }

    /// First word of the record of a work group in a record block.
    pub fn record(self, group: u32) -> u64 {
        1 + u64::from(group) * u64::from(self.stride())
    }

    /// Words of a record block for a launch of so many work groups.
    pub fn words(self, groups: u64) -> u64 {
        1 + groups * u64::from(self.stride())
    }

    /// The words that a failure of invocation `local` of its work group is written as.
    ///
    /// # Panics
    /// If the path or the operands are longer than the layout.
    pub fn encode(
        self,
        site: u32,
        (invocation, local): (u32, u32),
        path: &[i32],
        operands: &[i64],
    ) -> Vec<u32> {
        let mut words = vec![0; self.words_told() as usize];
        words[SITE as usize] = site;
        words[INVOCATION as usize] = invocation;
        words[PATH_LENGTH as usize] = path.len() as u32;
        for (word, x) in words[PATH as usize..][..self.path as usize].iter_mut().zip(path) {
            *word = *x as u32;
        }
        for (i, x) in operands.iter().enumerate() {
            let at = self.operand(i as u32) as usize;
            words[at] = *x as u32;
            if !self.narrow {
                words[at + 1] = (*x >> 32) as u32;
            }
        }
        let key = (HIGHEST_KEY - local) << 16;
        words.into_iter().flat_map(|word| [key | word & 0xffff, key | word >> 16]).collect()
    }

    /// The failure that a record tells, or why its words are none.
    ///
    /// # Errors
    /// What is wrong with the words, for a report of a broken machine.
    pub fn decode(self, sites: &[Site], words: &[u32]) -> Result<Stuck, String> {
        if words.len() != self.stride() as usize {
            return Err(format!("a record has {} words, not {}", self.stride(), words.len()));
        }
        let key = words.iter().map(|half| half >> 16).max().unwrap_or(0);
        if key == 0 {
            return Err("no invocation wrote the record".to_owned());
        }
        let half = |half: u32| if half >> 16 == key { half & 0xffff } else { 0 };
        let words: Vec<u32> =
            words.chunks(2).map(|halves| half(halves[0]) | half(halves[1]) << 16).collect();
        let number = words[SITE as usize];
        let Some(site) = sites.get(number as usize) else {
            return Err(format!("a record names site {number} of {}", sites.len()));
        };
        let whole = words[PATH_LENGTH as usize] & WHOLE != 0;
        let length = words[PATH_LENGTH as usize] & !WHOLE;
        let mut operands = site.cause.operands().len() as u32;
        if site.cause.gives_up().is_some() && operands > self.operands {
            // Such a check may have none.
            operands = 0;
        }
        if length > self.path || operands > self.operands {
            return Err(format!("a record of site {number} is longer than its layout"));
        }
        let mut thread = Vec::with_capacity(1 + length as usize);
        if !whole {
            thread.push(words[INVOCATION as usize].wrapping_add(1) as i32);
        }
        thread.extend(words[PATH as usize..][..length as usize].iter().map(|word| *word as i32));
        let operand = |i: u32| {
            let at = self.operand(i) as usize;
            if self.narrow {
                return i64::from(words[at] as i32);
            }
            (u64::from(words[at]) | u64::from(words[at + 1]) << 32) as i64
        };
        Ok(Stuck {
            site: *site,
            rule: "D-CHECK".to_owned(),
            thread,
            operands: (0..operands).map(operand).collect(),
        })
    }
}

/// The lowest work group in which a check failed, as word 0 of a record block tells.
pub fn lowest_group(header: u32) -> Option<u32> {
    (header != 0).then(|| u32::MAX - header)
}

/// Word 0 of a record block that tells of a work group.
pub fn header(group: u32) -> u32 {
    u32::MAX - group
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::tests::stuck;
    use crate::kit::outcome::Cause;
    use crate::kit::text::Span;

    #[test]
    fn what_is_encoded_is_decoded() {
        let sites = [Cause::Index, Cause::Slice].map(|cause| Site { span: Span::nth(3), cause });
        let wide = [-1, i64::MAX, i64::MIN, 5_000_000_000];
        let narrow = [-1, i32::MAX.into(), i32::MIN.into(), 5];
        for (narrow, operands) in [(false, wide), (false, narrow), (true, narrow)] {
            let layout = Layout { path: 2, operands: 4, narrow };
            let words = layout.encode(1, (41, 9), &[-7], &operands);
            assert_eq!(words.len() as u32, layout.stride());
            let stuck = layout.decode(&sites, &words).unwrap();
            assert_eq!((stuck.site, stuck.thread), (sites[1], vec![42, -7]));
            assert_eq!(stuck.operands, operands);
        }
    }

    /// Where nothing but a test of the width fails, there may be no operand.
    #[test]
    fn a_width_without_its_number_is_decoded() {
        let sites = [Site { span: Span::nth(3), cause: Cause::Width }];
        let layout = Layout { path: 0, operands: 0, narrow: false };
        let stuck = layout.decode(&sites, &layout.encode(0, (41, 9), &[], &[])).unwrap();
        assert_eq!((stuck.thread, stuck.operands), (vec![42], vec![]));
    }

    /// A function that two calls name is looked at once, so that calls of calls do not double the work.
    #[test]
    fn a_function_is_looked_at_once() {
        let mut source = "fn g0(x : i32) { check index(x, 9); }\n".to_owned();
        for k in 1..60 {
            let before = k - 1;
            source += &format!("fn g{k}(x : i32) {{ call g{before}(x); call g{before}(x); }}\n");
        }
        source += "kernel k(x : i32) group 1 { call g59(x); }\nlaunch k(1) for 0;";
        let program = crate::device::parse::program(&source).expect("the program parses");
        let layout = Layout::of(&program, &program.kernels[0].body);
        assert_eq!((layout.path, layout.operands), (0, 2));
    }

    /// Whatever higher invocations wrote beside it does not show.
    #[test]
    fn the_lowest_invocation_wins_word_by_word() {
        let sites = [Cause::Index, Cause::Slice].map(|cause| Site { span: Span::nth(3), cause });
        let layout = Layout { path: 0, operands: 4, narrow: false };
        let low = layout.encode(0, (64, 0), &[], &[0, 3]);
        let high = layout.encode(1, (127, 63), &[], &[-1, i64::MAX, i64::MIN, -9]);
        let both: Vec<u32> = low.iter().zip(&high).map(|(a, b)| *a.max(b)).collect();
        assert_eq!(layout.decode(&sites, &both), layout.decode(&sites, &low));
        assert_eq!(layout.decode(&sites, &low).unwrap().operands, [0, 3]);
    }

    #[test]
    fn words_that_are_no_record_are_refused() {
        let sites = [Site { span: Span::nth(0), cause: Cause::Index }];
        let layout = Layout { path: 0, operands: 2, narrow: false };
        assert!(layout.decode(&sites, &layout.encode(1, (0, 0), &[], &[1, 1])).is_err());
        assert!(layout.decode(&sites, &[0; 3]).is_err());
        let mut words = layout.encode(0, (0, 0), &[], &[1, 1]);
        words[2 * PATH_LENGTH as usize] = HIGHEST_KEY << 16 | 9;
        assert!(layout.decode(&sites, &words).is_err());
    }

    #[test]
    fn the_lowest_group_wins_an_atomic_maximum() {
        assert_eq!(lowest_group(0), None);
        assert_eq!(lowest_group(header(9).max(header(4)).max(header(7))), Some(4));
    }

    /// What a program writes into its record block by hand may be anything.
    #[test]
    fn words_that_are_no_record_are_stuck_at_their_launch() {
        let recorded = |layout: &str, words: u32, writes: &str| {
            let source = format!(
                "
    kernel k(fails : block[atomic[u32]]) group 1 {{
      record {layout};
      {writes}
    }}
    check index(1, 1);
    check size(1);
    let fails = alloc atomic[u32]({words});
    launch k(fails) for 2 record fails;"
            );
            stuck(&source, &[])
        };
        // The host is told of work group 5 of 2, of one that has no room, and of one that wrote nothing.
        for (words, header, group) in
            [(200, 4294967290_u32, 5), (8, 4294967294, 1), (200, 4294967294, 1)]
        {
            let stuck = recorded("0 2", words, &format!("atomic store(fails.[0], u32 {header});"));
            assert_eq!((stuck.site.cause, stuck.rule.as_str()), (Cause::Record, "D-LAUNCH"));
            assert_eq!((stuck.thread, stuck.operands), (vec![], vec![group]));
        }
        // A site that takes more operands than there are, none at all, one whose operands hold.
        let of_site = |layout: &str, site: u32| {
            let header = "atomic store(fails.[0], u32 4294967295);";
            recorded(
                layout,
                200,
                &format!("{header} atomic store(fails.[1], u32 {});", 1024 << 16 | site),
            )
        };
        for (layout, site) in [("0 1", 0), ("0 0", 1), ("0 2", 2), ("0 1", 1), ("3 1 i32", 1)] {
            assert_eq!(of_site(layout, site).site.cause, Cause::Record, "{layout}, site {site}");
        }
        // Index 0 of an array of 0 elements is one that failed.
        assert_eq!(of_site("0 2", 0).site.cause, Cause::Index);
    }
}
