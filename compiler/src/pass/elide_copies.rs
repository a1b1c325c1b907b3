//! `elide_copies`: results that are given as they are, where insertion of memory copied them.
//!
//! | | |
//! |---|---|
//! | before | a well-typed FUNMEM program; insertion of memory copied each array of its results to a row-major block of its own |
//! | after | a copy is gone, with its block, whose array is row-major over the whole of a block that the program itself allocated; that block and that array are given instead |
//! | stuck | the same site: what is gone could not get stuck, for the size of its block is not negative and both arrays are inside of theirs |
//!
//! Each copy that is left is a kernel of its own, which is made, compiled and launched.
//!
//! ```text
//! let (m' : mem) = alloc ∏ max(0, dᵢ) … let (x : d̄ @ m' → R(d̄)) = e …
//! let (m : mem) = alloc ∏ max(0, dᵢ) let (c : d̄ @ m → R(d̄)) = copy x in (…, m, c, …)
//!     becomes
//! let (m' : mem) = alloc ∏ max(0, dᵢ) … let (x : d̄ @ m' → R(d̄)) = e … in (…, m', x, …)
//! ```
//!
//! This holds for programs that race or are invalid too. What is read at the end instead of at the
//! copy is the same, since behind the allocation of m there are only allocations and other copies,
//! and these write to blocks that are not m': the names of allocations at the top of a program stand
//! for different blocks, which the names that come out of an `if` or a `loop` need not. Where e makes
//! no array, E-MEM has tested that x stands where its type says.
//!
//! A block of a parameter is not given, for it belongs to the caller of the program. Nor is a block
//! given twice: each array of the results has one of its own, as insertion has it. So all copies stay
//! where a result stands in a block that comes out of an `if` or a `loop`, and may be any.

use reference::fun::syntax::Atom;
use reference::funmem::syntax::{ArrayTy, Body, Exp, FunMem, Lmad, MemExp, MemTy, Program, Stm};
use reference::kit::decisions::Decisions;
use reference::kit::names::Var;
use reference::translate::symbolic;

/// The pass.
pub fn elide_copies(mut program: Program<FunMem>, decisions: &mut Decisions) -> Program<FunMem> {
    let body = &program.body;
    let known = Known::new(&program);
    let Some(mut given) = known.given() else { return program };
    let mut gone = vec![false; body.stms.len()];
    let mut results = body.results.clone();
    for at in 1..results.len() {
        let Some(found) = known.find(results[at - 1], results[at]) else { continue };
        let what = || {
            let [copy, array] = [body.results[at].var(), Some(found.array)]
                .map(|var| var.map_or("", |var| program.names.text(var)));
            format!(
                "the result `{copy}` is `{array}` itself, not a copy: `{array}` fills a block of its own, \
                 which nothing writes to behind"
            )
        };
        if !given.contains(&found.block) && decisions.decide(what) {
            given.push(found.block);
            results[at - 1] = found.block.into();
            results[at] = found.array.into();
            gone[found.alloc] = true;
            gone[found.copy] = true;
        }
    }
    let mut gone = gone.into_iter();
    program.body.stms.retain(|_| gone.next() == Some(false));
    program.body.results = results;
    program
}

/// What is known of the body of a program.
struct Known<'p> {
    body: &'p Body<FunMem>,
    /// By slot: which statement of the body binds a name, and its type.
    bound: Vec<Option<(usize, &'p MemTy)>>,
    /// The first statement of the end, where only allocations stand, and copies to blocks that are
    /// allocated at the top.
    end: usize,
    /// What is copied at the end.
    read: Vec<Var>,
    /// The copies at the end with the blocks that they write to, the last one first.
    written: Vec<(Var, usize)>,
}

/// A copy that may go.
struct Found {
    /// Which statement allocates its block.
    alloc: usize,
    /// Which statement it is.
    copy: usize,
    /// The block that is given instead.
    block: Var,
    /// The array that is given instead.
    array: Var,
}

impl<'p> Known<'p> {
    fn new(program: &'p Program<FunMem>) -> Self {
        let body = &program.body;
        let mut known = Self {
            body,
            bound: vec![None; program.names.len()],
            end: body.stms.len(),
            read: Vec::new(),
            written: Vec::new(),
        };
        for (at, stm) in body.stms.iter().enumerate() {
            for binding in &stm.pattern {
                known.bound[binding.var.slot()] = Some((at, &binding.ty));
            }
        }
        for (at, stm) in body.stms.iter().enumerate().rev() {
            if !known.is_of_the_end(at, stm) {
                break;
            }
            known.end = at;
        }
        known
    }

    /// Is the statement an allocation, or a copy to a block that is allocated at the top?
    fn is_of_the_end(&mut self, at: usize, stm: &Stm<FunMem>) -> bool {
        let Some(array) = copied(stm) else { return is_alloc(stm) };
        for binding in &stm.pattern {
            match &binding.ty {
                MemTy::Array(to) if self.alloc(to.block).is_some() => {
                    self.written.push((to.block, at));
                }
                // Another name might stand for any block.
                _ => return false,
            }
        }
        self.read.push(array);
        true
    }

    /// The blocks that are given already; nothing if one has a name that may stand for any.
    fn given(&self) -> Option<Vec<Var>> {
        let block = |var: Var| self.array(var).map_or(var, |array| array.block);
        let given: Vec<Var> =
            self.body.results.iter().filter_map(|result| result.var()).map(block).collect();
        let joins = |var: &Var| {
            matches!(self.bound[var.slot()], Some((_, MemTy::Mem))) && self.alloc(*var).is_none()
        };
        (!given.iter().any(joins)).then_some(given)
    }

    /// How often the results name it.
    fn named(&self, var: Var) -> usize {
        self.body.results.iter().filter(|result| **result == var.into()).count()
    }

    /// The copies to the block at the end, the last one first.
    fn written(&self, block: Var) -> impl Iterator<Item = usize> {
        self.written.iter().filter(move |(to, _)| *to == block).map(|(_, at)| *at)
    }

    /// The copy that the array c is, in the block m, if it may go.
    fn find(&self, m: Atom, c: Atom) -> Option<Found> {
        let (m, c) = (m.var()?, c.var()?);
        let (copy, _) = self.bound[c.slot()]?;
        let x = copied(&self.body.stms[copy])?;
        let (to, from) = (self.array(c)?, self.array(x)?);
        let alloc = self.owned(to)?;
        self.owned(from)?;
        let may_go = to.block == m
            && to.shape == from.shape
            && [m, c].iter().all(|var| self.named(*var) == 1)
            && self.end <= alloc
            && !self.read.contains(&c)
            && self.written(m).eq([copy])
            && self.written(from.block).next().is_none_or(|last| last < alloc);
        may_go.then_some(Found { alloc, copy, block: from.block, array: x })
    }

    /// The type of an array that a statement of the body binds.
    fn array(&self, var: Var) -> Option<&'p ArrayTy> {
        match self.bound[var.slot()]?.1 {
            MemTy::Array(ty) => Some(ty),
            MemTy::Int | MemTy::Mem => None,
        }
    }

    /// Which statement of the body allocates the block.
    fn alloc(&self, block: Var) -> Option<usize> {
        self.bound[block.slot()].map(|(at, _)| at).filter(|at| is_alloc(&self.body.stms[*at]))
    }

    /// Which statement of the body allocates the block of the array, if the array is row-major over
    /// the whole of it.
    fn owned(&self, array: &ArrayTy) -> Option<usize> {
        let alloc = self.alloc(array.block)?;
        let size = symbolic::elements(&array.shape);
        let exp = &self.body.stms[alloc].exp;
        let fills = matches!(exp, Exp::Extra(MemExp::Alloc(room)) if *room == size);
        (fills && array.lmad == Lmad::row_major(&array.shape)).then_some(alloc)
    }
}

/// What the statement copies, if it is a copy.
fn copied(stm: &Stm<FunMem>) -> Option<Var> {
    match stm.exp {
        Exp::Extra(MemExp::Copy(array)) => Some(array),
        _ => None,
    }
}

fn is_alloc(stm: &Stm<FunMem>) -> bool {
    matches!(stm.exp, Exp::Extra(MemExp::Alloc(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reference::funmem::{eval, parse, print, types, validity};
    use reference::kit::derivation::Recorder;
    use reference::kit::faults::Planted;
    use reference::kit::outcome::{Budget, Ending, Value};
    use reference::translate::fun_to_funmem::transform_program;

    /// A kernel that fills the block `x_mem`, and what `behind` says.
    fn after_kernel(behind: &str) -> String {
        format!(
            "param (n : int) (p_mem : mem) (p : [n] @ p_mem -> R(n))
let (x_mem : mem) = alloc max(0, n)
let (x : [n] @ x_mem -> R(n)) = kernel i <= n do
  in (i * 3)
{behind}"
        )
    }

    /// A copy to a block of its own, both called after `name`.
    fn copy(name: &str, of: &str) -> String {
        let alloc = format!("let ({name}_mem : mem) = alloc max(0, n)\n");
        format!("{alloc}let ({name} : [n] @ {name}_mem -> R(n)) = copy {of}\n")
    }

    fn ends(program: &Program<FunMem>) -> Vec<Ending> {
        let mut recorder = Recorder::counting();
        types::check(program, &mut recorder).expect("the program is well typed");
        let input = vec![Value::from(3), Value::ints(vec![3], vec![7, 8, 9])];
        let input = eval::fit(program, input).expect("the input fits");
        let budget = Budget::default();
        let judged = validity::judge(program, &input, &budget, &mut recorder, Planted::NONE);
        vec![judged.value.ending, judged.heap.ending]
    }

    /// The pass makes `after` of `before`, which ends as before.
    #[track_caller]
    fn becomes(before: &str, after: &str) {
        let before = parse::program(before).expect("the program parses");
        let after = parse::program(after).expect("what is wanted parses");
        let made = elide_copies(before.clone(), &mut Decisions::default());
        assert_eq!(print::program(&made), print::program(&after));
        assert_eq!(ends(&made), ends(&before));
    }

    #[track_caller]
    fn stays(program: &str) {
        becomes(program, program);
    }

    #[test]
    fn a_fresh_array_is_given_as_it_is() {
        let copied = after_kernel(&format!("{}in (c_mem, c)", copy("c", "x")));
        becomes(&copied, &after_kernel("in (x_mem, x)"));
    }

    /// Its block may have a history: what counts is where the array stands, and that is tested where
    /// it is bound.
    #[test]
    fn an_array_is_given_that_was_updated_or_comes_out_of_an_if() {
        for exp in ["x with [1] = 5", "if n then in (x) else in (x)"] {
            let y = format!("let (y : [n] @ x_mem -> R(n)) = {exp}\n");
            let copied = after_kernel(&format!("{y}{}in (c_mem, c)", copy("c", "y")));
            becomes(&copied, &after_kernel(&format!("{y}in (x_mem, y)")));
        }
        let other = "let (y : [n] @ x_mem -> R(n)) = if n then in (p) else in (x)\n";
        let copied = after_kernel(&format!("{other}{}in (c_mem, c)", copy("c", "y")));
        let stuck = parse::program(&copied).expect("the program parses");
        assert!(matches!(ends(&stuck)[1], Ending::Stuck(_)));
        becomes(&copied, &after_kernel(&format!("{other}in (x_mem, y)")));
    }

    /// What stands behind is kept, in its order, and so are the other results.
    #[test]
    fn nothing_else_changes() {
        let (c, d) = (copy("c", "x"), copy("d", "p"));
        let copied = after_kernel(&format!("{c}{d}in (n, c_mem, c, d_mem, d, 4)"));
        becomes(&copied, &after_kernel(&format!("{d}in (n, x_mem, x, d_mem, d, 4)")));
        stays(&after_kernel("in (x_mem, x)"));
    }

    /// Insertion copies each result; of these one has all of a block to itself.
    #[test]
    fn views_parameters_and_what_joins_are_copied() {
        let source = "param (n : int) (p : [n])
let (x : [n][n]) = kernel i <= n do
  let (row : [n]) = kernel j <= n do
    in (i * 10 + j)
  in (row)
let (y : [n][n]) = kernel i <= n do
  let (row : [n]) = kernel j <= n do
    in (i + j)
  in (row)
let (t : [n][n]) = transpose y
let (z : [n]) = kernel i <= n do
  in (i)
let (joined : [n]) = if n then in (iota n) else in (copy z)
let (looped : [n]) = loop (l : [n] = z) for i <= n do
  in (iota n)
in (x, t, z[n : n : -1], z[1 : n - 1], p, joined, looped)";
        let source = reference::fun::parse::program(source).expect("the program parses");
        let before = transform_program(&source, Planted::NONE);
        let made = elide_copies(before.clone(), &mut Decisions::default());
        let results = |program: &Program<FunMem>| -> Vec<String> {
            let names = program.body.results.iter().filter_map(|result| result.var());
            names.map(|var| program.names.text(var).to_owned()).collect()
        };
        let (is, was) = (results(&made), results(&before));
        assert_eq!(is[..2], ["x_mem", "x"]);
        assert_eq!(is[2..], was[2..]);
        assert_eq!(made.body.stms.len() + 2, before.body.stms.len());
        assert_eq!(ends(&made), ends(&before));
    }

    /// The first result gets the block, the second has its copy still; an array that is a result as
    /// it is keeps its block to itself.
    #[test]
    fn a_block_is_given_once() {
        let (c, d) = (copy("c", "x"), copy("d", "x"));
        let twice = after_kernel(&format!("{c}{d}in (c_mem, c, d_mem, d)"));
        becomes(&twice, &after_kernel(&format!("{d}in (x_mem, x, d_mem, d)")));
        stays(&after_kernel(&format!("{c}in (x_mem, x, c_mem, c)")));
        stays(&after_kernel(&format!("{c}in (x, c_mem, c)")));
        stays(&after_kernel(&format!("{c}in (x_mem, c_mem, c)")));
    }

    /// What comes out of an `if` may stand in any block.
    #[test]
    fn no_block_is_given_where_a_result_joins_some() {
        let joined =
            "let (a : mem) (y : [n] @ a -> R(n)) = if n then in (p_mem, p) else in (x_mem, x)\n";
        let c = copy("c", "x");
        stays(&after_kernel(&format!("{joined}{c}in (a, y, c_mem, c)")));
        stays(&after_kernel(&format!("{joined}{c}in (y, c_mem, c)")));
        let without = after_kernel(&format!("{joined}in (x_mem, x)"));
        becomes(&after_kernel(&format!("{joined}{c}in (c_mem, c)")), &without);
    }

    #[test]
    fn a_copy_that_is_named_elsewhere_stays() {
        let c = copy("c", "x");
        stays(&after_kernel(&format!("{c}in (c_mem, c, c)")));
        stays(&after_kernel(&format!("{c}in (c_mem, c_mem, c)")));
        stays(&after_kernel(&format!("{c}in (c, c_mem)")));
        stays(&after_kernel(&format!("{c}in (p_mem, c)")));
        stays(&after_kernel(&format!("{c}let (k : int) = c[1]\nin (k, c_mem, c)")));
        let e = "let (e_mem : mem) = alloc n + n\nlet (e : [n] @ e_mem -> R(n)) = copy c\n";
        stays(&after_kernel(&format!("{c}{e}in (c_mem, c, e_mem, e)")));
    }

    /// Something else may be written to the block of the copy, or happen behind it.
    #[test]
    fn a_copy_that_is_not_at_the_end_stays() {
        let c = copy("c", "x");
        stays(&after_kernel(&format!("{c}let (k : int) = n + 1\nin (k, c_mem, c)")));
        let over = "let (o : [n] @ c_mem -> R(n)) = copy p\n";
        stays(&after_kernel(&format!("{c}{over}in (c_mem, c)")));
    }

    /// What is copied to where the array stands, by its name or by another, is not seen in the copy.
    #[test]
    fn a_block_that_is_written_behind_the_copy_is_not_given() {
        let c = copy("c", "x");
        let over = "let (o : [n] @ x_mem -> R(n)) = copy p\n";
        stays(&after_kernel(&format!("{c}{over}in (c_mem, c)")));
        let other = "let (a : mem) = if n then in (x_mem) else in (p_mem)\n";
        let over = "let (o : [n] @ a -> R(n)) = copy p\n";
        stays(&after_kernel(&format!("{other}{c}{over}in (c_mem, c)")));
    }

    /// A block with room for more, or of a size that says the same in other words.
    #[test]
    fn an_array_that_does_not_show_that_it_fills_its_block_is_copied() {
        let c = copy("c", "x");
        let copied = after_kernel(&format!("{c}in (c_mem, c)"));
        for room in ["max(0, n) + 1", "n"] {
            let alloc = |block: &str| format!("let ({block} : mem) = alloc max(0, n)");
            let other = |block: &str| format!("let ({block} : mem) = alloc {room}");
            stays(&copied.replace(&alloc("x_mem"), &other("x_mem")));
            stays(&copied.replace(&alloc("c_mem"), &other("c_mem")));
        }
    }

    /// An array whose sizes have other names has the same elements, if the type rules know it.
    #[test]
    fn an_array_of_sizes_with_other_names_is_copied() {
        let alloc = "let (c_mem : mem) = alloc max(0, k)\n";
        let c = format!("{alloc}let (c : [k] @ c_mem -> R(k)) = copy x\n");
        stays(&after_kernel(&format!("let (k : int) = n\n{c}in (c_mem, c)")));
    }

    /// Rows that a kernel lays out by columns, or backwards, fill their block, too.
    #[test]
    fn an_array_that_is_not_row_major_is_copied() {
        let copied = after_kernel(&format!("{}in (c_mem, c)", copy("c", "x")));
        let ty = |lmad: &str| format!("let (x : [n] @ x_mem -> {lmad})");
        stays(&copied.replace(&ty("R(n)"), &ty("n - 1 + {(n : -1)}")));
        let ty = |lmad: &str| format!("let (c : [n] @ c_mem -> {lmad})");
        stays(&copied.replace(&ty("R(n)"), &ty("n - 1 + {(n : -1)}")));
    }
}
