//! What of the rule book is absent, and why.

use serde::Serialize;

/// A law of the rule book that is not in the book.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Absent {
    /// Its name.
    pub absent: &'static str,
    /// What it says.
    pub says: &'static str,
    /// Why it is absent.
    pub why: &'static str,
}

const fn absent(absent: &'static str, says: &'static str, why: &'static str) -> Absent {
    Absent { absent, says, why }
}

/// The laws that are absent.
pub const ABSENT: [Absent; 11] = [
    absent(
        "split-build-ceil",
        "a build of ceil(n/t) tiles with a condition inside",
        "the merged axis has t * ceil(n/t) rounds, not n, and no term cuts an axis; split-red-ceil is the law for \
         reductions",
    ),
    absent("seq-fuse", "two loops of the same count as one", "a seq has one state, a scalar"),
    absent("scan-split", "a blocked scan with carry is a scan", "no term is a scan"),
    absent(
        "transpose-get",
        "a transposed view as indices",
        "no term is a view: import makes indices of views",
    ),
    absent("slice-get", "a slice as indices", "no term is a view: import makes indices of views"),
    absent(
        "reverse-get",
        "a reversed view as indices",
        "no term is a view: import makes indices of views",
    ),
    absent(
        "force-push",
        "force (push<l> a) = a",
        "a forced array enters as a store: inline and materialise are the law for terms",
    ),
    absent(
        "force-force",
        "force (force a) = force a",
        "an array in memory that is forced again enters as it is",
    ),
    absent(
        "concat-split",
        "concat n (map push (splitUp n a)) = push<1+l> a",
        "chunks enter as a merge: split-build is the law for terms",
    ),
    absent(
        "level-change",
        "a push at another level of the hierarchy",
        "levels enter as none: level, level-group and level-lane are the laws for terms",
    ),
    absent(
        "while-unroll",
        "a while of a known count written out",
        "a loop with a counter enters as a seq: unroll-seq is the law for terms; another one enters written out",
    ),
];
