//! Seventeen releases of naga, the oldest first, each asked as the wgpu of its time asked it on a
//! driver of Vulkan 1.3 that bounds the accesses of buffers itself and zeroes work-group memory.

mod asked;

use compiler::emit::spirv::Rejection;
use oracle::engines::spirv::{NoWords, Translator};

/// A release of naga.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// Its version.
    pub version: &'static str,
    /// Its place in [`RELEASES`].
    pub number: usize,
    words: fn(&str, bool) -> Result<Vec<u32>, Rejection>,
}

impl PartialEq for Release {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

/// The releases, the oldest first.
pub const RELEASES: &[Release] = &asked::RELEASES;

/// The release of this version; its last parts may be left out.
pub fn named(version: &str) -> Option<&'static Release> {
    let wanted: Vec<&str> = version.split('.').collect();
    let starts = |release: &&Release| {
        let parts: Vec<&str> = release.version.split('.').collect();
        parts.starts_with(&wanted)
    };
    // `0` and the empty text name several.
    let mut found = RELEASES.iter().filter(starts);
    found.next().filter(|_| found.next().is_none())
}

impl Translator for Release {
    fn name(&self) -> &str {
        "naga"
    }

    fn words(&self, wgsl: &str, lines: bool) -> Result<Vec<u32>, NoWords> {
        Ok((self.words)(wgsl, lines)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{RELEASES, named};

    #[test]
    fn releases_are_named_by_the_start_of_their_versions() {
        assert_eq!(RELEASES.len(), 17);
        for (number, release) in RELEASES.iter().enumerate() {
            assert_eq!(release.number, number);
            assert_eq!(named(release.version), Some(release));
        }
        assert_eq!(named("0.9").map(|release| release.version), Some("0.9.0"));
        assert_eq!(named("22").map(|release| release.version), Some("22.1.0"));
        for unknown in ["", "0", "2", "0.15", "22.2", "v22"] {
            assert_eq!(named(unknown), None, "{unknown}");
        }
    }
}
