//! How near extraction comes to the best term: programs of a few lines at several sizes and tiles, of
//! which all terms can be listed.

use compiler::rewrite::optimal::{Compared, Way, compare};
use compiler::rewrite::search::{Limits, search};
use reference::axes::parse;
use reference::cost::Machine;
use serde::Serialize;
use std::time::Duration;

/// What is compared: `N` is a size, `L` one less.
const PROGRAMS: [(&str, &str); 13] = [
    ("sum", "param (xs : [N])\n(out (red + k N (get xs k)))"),
    ("least", "param (xs : [N])\n(out (red min k N (get xs k)))"),
    ("dot product", "param (xs : [N]) (ys : [N])\n(out (red + k N (* (get xs k) (get ys k))))"),
    ("map", "param (xs : [N])\n(out (build seq i N (+ 1 (get xs i))) i)"),
    ("sums of rows", "param (xs : [N][N])\n(out (build seq i N (red + k N (get xs i k))) i)"),
    ("sums of columns", "param (xs : [N][N])\n(out (build seq i N (red + k N (get xs k i))) i)"),
    ("sum of a matrix", "param (xs : [N][N])\n(out (red + i N (red + k N (get xs i k))))"),
    ("largest sum of a row", "param (xs : [N][N])\n(out (red max i N (red + k N (get xs i k))))"),
    ("transpose", "param (xs : [N][N])\n(out (build seq i N (build seq j N (get xs j i))) i j)"),
    (
        "squares from both ends",
        "param (xs : [N])\n(out (build seq i N (+
            (get (store glob (build seq m N (* (get xs m) (get xs m))) m) i)
            (get (store glob (build seq m N (* (get xs m) (get xs m))) m) {L - i}))) i)",
    ),
    (
        "one map after the other",
        "param (xs : [N])\n(out (build seq i N (* 3
            (get (store glob (build seq m N (+ 1 (get xs m))) m) i))) i)",
    ),
    (
        "sum of squares of sums",
        "param (xs : [N][N])\n(out (red + i N (*
            (get (store glob (build seq m N (red + k N (get xs m k))) m) i)
            (get (store glob (build seq m N (red + k N (get xs m k))) m) i))))",
    ),
    (
        "matrix product",
        "param (a : [N][N]) (b : [N][N])\n(out (build seq i N (build seq j N
            (red + k N (* (get a i k) (get b k j))))) i j)",
    ),
];

/// What each is searched with.
#[derive(Clone, Copy, Debug)]
pub struct Draws {
    /// The sizes.
    sizes: &'static [u32],
    /// The tiles; none are a search without them.
    tiles: &'static [&'static [u32]],
}

impl Draws {
    /// One size, with and without tiles: less than a minute.
    pub const FEW: Draws = Draws { sizes: &[1_024], tiles: &[&[], &[32]] };

    /// All.
    pub const ALL: Draws = Draws { sizes: &[64, 1_024, 65_536], tiles: &[&[], &[32], &[4, 32]] };
}

/// How many terms are listed.
const MOST: usize = 100_000;

/// How often a way held the best, and how far it was from it.
#[derive(Debug, Serialize)]
pub struct Extractor {
    /// The way.
    pub extractor: String,
    /// Programs whose best term it found.
    pub held: usize,
    /// Programs of which all terms were listed.
    pub of: usize,
    /// Programs for which it gave no term with a plan, or no answer in time.
    pub without: usize,
    /// The largest cost over the best.
    pub worst: f64,
    /// For which program that is.
    pub worst_of: String,
    /// The mean of all, where it gave one.
    pub mean: f64,
}

/// What was listed.
#[derive(Debug, Default)]
pub struct Listed {
    /// The e-graphs of which all terms could be listed, with how many there are.
    pub listed: Vec<(String, usize)>,
    /// Those of which they could not.
    pub more: Vec<String>,
    /// The ways.
    pub extractors: Vec<Extractor>,
}

/// Compares the ways on each program, size and set of tiles. An integer program may take so long.
pub fn compared(
    draws: Draws,
    time: Duration,
    look: &mut dyn FnMut(&str, Option<&Compared>),
) -> Listed {
    let machine = Machine::default();
    let mut to = Listed::default();
    let mut all: Vec<(String, Compared)> = Vec::new();
    for (name, text) in PROGRAMS {
        let fits = |size: &&u32| !text.contains("[N][N]") || **size <= 1_024;
        for size in draws.sizes.iter().filter(fits) {
            for tiles in draws.tiles {
                let what = format!("{name}, {size}, tiles {tiles:?}");
                let text = text.replace('N', &size.to_string());
                let text = text.replace('L', &(size - 1).to_string());
                let program = parse::program(&text).expect("it is ours");
                let limits = Limits {
                    tiles: tiles.to_vec(),
                    nodes: 5_000,
                    time: Duration::from_secs(30),
                    ..Limits::default()
                };
                let searched = search(&program, &limits).expect("it is a term");
                let compared = compare(&searched, &machine, MOST, time);
                look(&what, compared.as_ref());
                match compared {
                    Some(compared) => all.push((what, compared)),
                    None => to.more.push(what),
                }
            }
        }
    }
    to.extractors = Way::ALL.iter().enumerate().map(|(nth, way)| row(*way, nth, &all)).collect();
    to.listed = all.into_iter().map(|(what, compared)| (what, compared.terms)).collect();
    to
}

fn row(way: Way, nth: usize, all: &[(String, Compared)]) -> Extractor {
    let ratio = |of: &Compared| Some(of.chosen[nth]? / of.best.max(1.0));
    let ratios: Vec<(f64, &String)> =
        all.iter().filter_map(|(what, of)| Some((ratio(of)?, what))).collect();
    let worst = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0));
    Extractor {
        extractor: way.text(),
        held: ratios.iter().filter(|(ratio, _)| *ratio <= 1.0 + 1e-9).count(),
        of: all.len(),
        without: all.len() - ratios.len(),
        worst: worst.map_or(1.0, |(ratio, _)| *ratio),
        worst_of: worst.map(|(_, what)| (*what).clone()).unwrap_or_default(),
        mean: ratios.iter().map(|(ratio, _)| ratio).sum::<f64>() / ratios.len().max(1) as f64,
    }
}
