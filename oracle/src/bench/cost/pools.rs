//! Programs whose plans are measured.

use compiler::rewrite::draw::Drawn;
use compiler::rewrite::import;
use compiler::rewrite::search::{Limits, Searched, search};
use reference::fun::Fun;
use reference::kit::language::Language;
use std::time::Duration;

/// A program, and the sizes at which its plans are measured if no others are asked for.
pub struct Pool {
    /// Its name.
    pub name: &'static str,
    /// The program, in FUN.
    pub source: &'static str,
    /// The sizes.
    pub sizes: &'static [(&'static str, i32)],
}

/// All of them.
pub const POOLS: [Pool; 5] = [
    Pool {
        name: "matrix-product",
        source: include_str!("../../../../corpus/fun/pass/matrix_product.fun"),
        sizes: &[("n", 1024), ("m", 1024), ("l", 1024)],
    },
    Pool {
        name: "sum",
        source: include_str!("../../../../corpus/fun/pass/sum.fun"),
        sizes: &[("n", 1 << 20)],
    },
    Pool {
        name: "row-sums",
        source: include_str!("../../../../corpus/fun/pass/sums_of_rows.fun"),
        sizes: &[("n", 4096), ("m", 4096)],
    },
    Pool {
        name: "maps",
        source: include_str!("../../../../corpus/fun/pass/maps_of_maps.fun"),
        sizes: &[("n", 2048), ("m", 2048)],
    },
    Pool {
        name: "stencil",
        source: "param (n : int) (m : int) (xs : [n][m])
let (ys : [n][m]) = kernel i <= n do
  let (row : [m]) = kernel j <= m do
    let (up : int) = xs[max(i - 1, 1), j]
    let (down : int) = xs[min(i + 1, n), j]
    let (left : int) = xs[i, max(j - 1, 1)]
    let (right : int) = xs[i, min(j + 1, m)]
    in (up + down + left + right - 4 * xs[i, j])
  in (row)
in (ys)
",
        sizes: &[("n", 2048), ("m", 2048)],
    },
];

/// The pool of this name.
pub fn named(name: &str) -> Option<&'static Pool> {
    POOLS.iter().find(|pool| pool.name == name)
}

impl Pool {
    /// The e-graph of its program at these sizes, where others than its own are said.
    ///
    /// # Errors
    /// What is wrong with the sizes.
    pub fn search(&self, said: &[(String, i32)]) -> Result<Searched, String> {
        let program = Fun::parse(self.source).map_err(|no| no.to_string())?;
        let mut sizes: Vec<(String, i32)> =
            self.sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
        for (name, size) in said {
            let own = sizes.iter_mut().find(|(own, _)| own == name);
            let names = || self.sizes.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            let Some((_, own)) = own else {
                return Err(format!("{} has the sizes {}, not `{name}`", self.name, names()));
            };
            *own = *size;
        }
        let term = import::import(&program, &sizes).map_err(|no| no.to_string())?;
        let limits = Limits { nodes: 20_000, time: Duration::from_secs(60), ..Limits::default() };
        search(&term, &limits).map_err(|no| no.message)
    }

    /// Plans of it, the same ones for each seed.
    pub fn drawn(searched: &Searched, seed: u64) -> Drawn<'_> {
        Drawn::new(searched, seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each pool has plans, other ones for another seed.
    #[test]
    fn pools_have_plans() {
        for pool in &POOLS {
            let small: Vec<_> =
                pool.sizes.iter().map(|(name, _)| ((*name).to_owned(), 64)).collect();
            let searched = pool.search(&small).expect(pool.name);
            let texts = |seed| -> Vec<String> {
                let plans = Pool::drawn(&searched, seed).take(3);
                plans.map(|(program, _)| reference::axes::print::program(&program)).collect()
            };
            assert_eq!(texts(1).len(), 3, "{}", pool.name);
            assert_eq!(texts(1), texts(1), "{}", pool.name);
        }
        let no = named("sum").expect("it is one").search(&[("k".to_owned(), 3)]);
        assert_eq!(no.err().as_deref(), Some("sum has the sizes n, not `k`"));
    }
}
