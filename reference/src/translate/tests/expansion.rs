//! Programs that allocate inside kernels.

use super::keeps;
use crate::funmem;
use crate::kit::decisions::Decisions;
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::translate::expand_memory::{Form, expand};

#[test]
fn a_block_for_each_thread() {
    keeps(
        "param (n : int) (m : int)
        let (r : [n]) = kernel i <= n do
            let (a : [m]) = kernel j <= m do let (x : int) = i * 100 + j in (x)
            let (s : int) = loop (s : int = 0) for k <= m do
                let (x : int) = a[k]
                let (t : int) = s * 7 + x
                in (t)
            in (s)
        in (r)",
        "5, 4",
    );
}

#[test]
fn nested_kernels() {
    let source = "param (n : int) (m : int) (l : int)
        let (r : [n][m]) = kernel i <= n do
            let (q : [m]) = kernel j <= m do
                let (a : [l]) = kernel k <= l do let (x : int) = i * 100 + j * 10 + k in (x)
                let (b : [l]) = if j & 1 then in (a) else
                    let (c : [l]) = a[l : l : -1] in (c)
                let (d : [l]) = copy b
                let (s : int) = loop (s : int = 0) for k <= l do
                    let (x : int) = d[k]
                    let (y : int) = b[k]
                    let (t : int) = s * 7 + x - y * 3
                    in (t)
                in (s)
            in (q)
        in (r)";
    keeps(source, "2, 3, 4");
    keeps(source, "1, 1, 1");
    keeps(source, "3, 0, 2");
    keeps(source, "0, 2, 2");
    keeps(source, "2, 2, 0");
}

#[test]
fn branches_with_blocks() {
    let source = "param (n : int) (m : int) (a : [n][m])
        let (r : [n][m]) = kernel i <= n do
            let (rows : [1][m]) = a[i : 1, 1 : m]
            let (z : [m]) = if i % 3 then
                let (x : [m]) = kernel j <= m do
                    let (e : int) = rows[1, j]
                    let (f : int) = e * i
                    in (f)
                in (x)
            else
                let (o : [m]) = if i % 2 then
                    let (k : [m]) = kernel j <= m do let (e : int) = rows[1, j] in (e)
                    in (k)
                else
                    let (y : [m]) = replicate m i
                    in (y)
                in (o)
            let (v : [m]) = z[m : m : -1]
            let (w : [m]) = copy v
            let (u : [m]) = w with [1 : 1] = i
            in (u)
        in (r)";
    keeps(source, "4, 3, [[1,2,3],[4,5,6],[7,8,9],[10,11,12]]");
    keeps(source, "7, 1, [[1],[2],[3],[4],[5],[6],[7]]");
}

#[test]
fn rounds_that_need_no_other() {
    keeps(
        "param (n : int) (k : int)
        let (r : [n]) = kernel i <= n do
            let (s : int) = loop (s : int = i) for q <= k do
                let (a : [3]) = kernel j <= 3 do let (x : int) = s + j * q in (x)
                let (x : int) = a[2]
                in (x)
            in (s)
        in (r)",
        "4, 5",
    );
}

#[test]
fn rounds_in_turns() {
    let source = "param (n : int) (m : int) (k : int)
        let (r : [n][m]) = kernel i <= n do
            let (a : [m]) = kernel j <= m do let (x : int) = i * j in (x)
            let (z : [m]) = loop (b : [m] = a) for q <= k do
                let (c : [m]) = kernel j <= m do
                    let (p : int) = j % m + 1
                    let (x : int) = b[p]
                    let (y : int) = x * 3 + q
                    in (y)
                let (d : [m]) = c[m : m : -1]
                in (d)
            in (z)
        in (r)";
    for k in 0..4 {
        keeps(source, &format!("3, 4, {k}"));
    }
    keeps(source, "3, 0, 2");
}

#[test]
fn rounds_that_keep_blocks() {
    let source = "param (n : int) (m : int) (k : int)
        let (r : [n][m]) (s : [n][m]) = kernel i <= n do
            let (a : [m]) = kernel j <= m do let (x : int) = i * j in (x)
            let (z : [m]) (w : [m]) = loop (b : [m] = a) (o : [m] = a) for q <= k do
                let (c : [m]) = if q & 1 then in (o) else
                    let (e : [m]) = kernel j <= m do
                        let (x : int) = b[j]
                        let (y : int) = o[j]
                        let (f : int) = x * 3 + q - y
                        in (f)
                    in (e)
                in (c, b)
            in (z, w)
        in (r, s)";
    for k in 0..7 {
        keeps(source, &format!("3, 2, {k}"));
    }
}

#[test]
fn sizes_that_vary() {
    let source = "param (n : int)
        let (r : [n]) = kernel i <= n do
            let (m : int) = i * 2 - 3
            let (p : int) = max(m, 0)
            let (a : [p]) = kernel j <= p do let (x : int) = i * 10 + j in (x)
            let (s : int) = loop (s : int = 0) for k <= p do
                let (x : int) = a[k]
                let (t : int) = s * 3 + x
                in (t)
            in (s)
        in (r)";
    keeps(source, "6");
    keeps(source, "1");
    keeps(source, "0");
    let triangle = "param (n : int) (sizes : [n])
        let (r : [n]) = kernel i <= n do
            let (p : int) = sizes[i]
            let (v : [n]) = kernel q <= n do
                let (u : int) = p + q / i
                let (a : [u]) = kernel j <= u do let (x : int) = i * 10 + j in (x)
                let (s : int) = loop (s : int = 0) for k <= u do
                    let (x : int) = a[k]
                    let (t : int) = s * 3 + x
                    in (t)
                in (s)
            let (s : int) = v[n]
            in (s)
        in (r)";
    keeps(triangle, "4, [3, 1, 0, 2]");
    keeps(triangle, "3, [1, -4, 2]");
    let doubling = "param (n : int) (k : int)
        let (r : [n]) = kernel i <= n do
            let (a : [1]) = [i]
            let (m : int) (z : [m]) = loop (m : int = 1) (x : [m] = a) for q <= k do
                let (m2 : int) = m + m
                let (y : [m2]) = concat x x
                let (w : [m2]) = kernel j <= m2 do
                    let (e : int) = y[j]
                    let (f : int) = e * 5 + j
                    in (f)
                in (m2, w)
            let (s : int) = loop (s : int = 0) for j <= m do
                let (e : int) = z[j]
                let (t : int) = s * 3 + e
                in (t)
            in (s)
        in (r)";
    for k in 0..4 {
        keeps(doubling, &format!("3, {k}"));
    }
    let existential = "param (n : int) (c : int)
        let (r : [n]) = kernel i <= n do
            let (k : int) (a : [k]) = if i % 2 == c then
                let (three : int) = 3
                let (b : [three]) = iota three
                in (three, b)
            else
                let (b : [i]) = replicate i 7
                in (i, b)
            let (d : [k]) = copy a
            let (s : int) = loop (s : int = 0) for j <= k do
                let (e : int) = d[j]
                let (t : int) = s * 3 + e
                in (t)
            in (s)
        in (r)";
    keeps(existential, "5, 0");
    keeps(existential, "5, 1");
}

/// Sizes are exact, and what no memory holds stays that way when it is the largest of many.
#[test]
fn sizes_beyond_an_int() {
    let source = "param (n : int) (m : int)
        let (a : [n]) = kernel i <= n do
            let (k : int) = i * m
            let (r : [k][k]) = kernel j <= k do
                let (q : [k]) = iota k
                in (q)
            let (t : [k][k]) = transpose r
            let (u : [k][k]) = copy t
            let (v : int) = if k > 0 then let (e : int) = u[k, 1] in (e) else in (0 - 1)
            in (v)
        in (a)";
    keeps(source, "2, 3");
    keeps(source, "1, 65536");
    keeps(source, "1, 46341");
    keeps(source, "2, 0");
}

#[test]
fn loops_in_loops() {
    let source = "param (n : int) (m : int) (k : int)
        let (r : [n][m]) = kernel i <= n do
            let (a : [m]) = kernel j <= m do let (x : int) = i * j in (x)
            let (z : [m]) = loop (b : [m] = a) for q <= k do
                let (y : [m]) = loop (c : [m] = b) for p <= q do
                    let (d : [m]) = kernel j <= m do
                        let (x : int) = c[j]
                        let (w : int) = b[j]
                        let (y : int) = x * 3 + q - w * p
                        in (y)
                    in (d)
                let (e : [m]) = kernel j <= m do
                    let (x : int) = b[j]
                    let (w : int) = y[j]
                    let (y : int) = x * 3 + w
                    in (y)
                let (u : [m]) = e with [1 : 1] = q
                in (u)
            in (z)
        in (r)";
    for k in 0..4 {
        keeps(source, &format!("2, 3, {k}"));
    }
}

#[test]
fn updates_in_kernels() {
    let source = "param (n : int) (m : int) (v : [m])
        let (r : [n][m]) = kernel i <= n do
            let (a : [m]) = copy v
            let (z : [m]) = loop (x : [m] = a) for q <= m do
                let (p : int) = (q * i) % m + 1
                let (e : int) = x[q]
                let (y : [m]) = x with [p : 1] = e
                in (y)
            let (w : [m]) = loop (x : [m] = v) for q <= m do
                let (e : int) = z[q]
                let (y : [m]) = x with [q : 1] = e
                in (y)
            in (w)
        in (r, v)";
    keeps(source, "3, 4, [9, 8, 7, 6]");
    keeps(source, "3, 1, [9]");
    keeps(source, "2, 0, []");
}

#[test]
fn stuck_in_threads() {
    let source = "param (n : int) (m : int) (d : int)
        let (r : [n]) = kernel i <= n do
            let (a : [m]) = kernel j <= m do
                let (x : int) = 100 / (i * j - d)
                in (x)
            let (b : [2]) = if i == 2 then
                let (k : int) = d / (i - 2)
                let (c : [2]) = iota 2
                in (c)
            else
                let (c : [2]) = replicate 2 i
                in (c)
            let (x : int) = a[m]
            let (y : int) = b[x]
            in (y)
        in (r)";
    for input in [
        "1, 2, 5", "3, 3, 6", "3, 3, 9", "3, 3, 50", "2, 3, 50", "3, 0, 50", "3, -1, 1", "0, -1, 1",
    ] {
        keeps(source, input);
    }
}

/// What cannot be expanded is refused with the statement and the reason.
#[test]
fn what_is_refused() {
    let check = |body: &str, statement: &str, reason: &str| {
        let source = format!(
            "param (n : int) (xs_mem : mem) (xs : [n] @ xs_mem -> R(n))
             let (r_mem : mem) = alloc n
             let (r : [n] @ r_mem -> R(n)) = kernel i <= n do {body} in (1)
             in (r_mem, r)"
        );
        let program = super::good(funmem::parse::program(&source), &source);
        super::good(funmem::types::check(&program, &mut Recorder::counting()), &source);
        for form in [Form::Paper, Form::Coalesced] {
            let refused = expand(program.clone(), form, Planted::NONE, &mut Decisions::default());
            let refused = refused.expect_err("it is refused");
            assert_eq!((refused.statement.as_str(), refused.reason.as_str()), (statement, reason));
            let span = refused.span;
            assert_eq!(&source[span.start as usize..span.end as usize], statement);
        }
    };
    check(
        "let (a : mem) = alloc n / i",
        "let (a : mem) = alloc n / i",
        "its size may divide by zero",
    );
    check("let (a : mem) = alloc n - i", "let (a : mem) = alloc n - i", "its size may be negative");
    check(
        "let (a : mem) = alloc n
         let (y : [n] @ a -> R(n)) = kernel j <= n do in (j)
         let (k : int) = y[i]
         let (b : mem) = alloc max(0, k)",
        "let (b : mem) = alloc max(0, k)",
        "its size depends on an array that is made inside",
    );
    let branch = "let (z_mem : mem) (z : [n] @ z_mem -> R(n)) = if i";
    check(
        &format!(
            "{branch} then
                let (a : mem) = alloc n
                let (y : [n] @ a -> R(n)) = kernel j <= n do in (j)
                in (a, y)
             else in (xs_mem, xs)"
        ),
        branch,
        "an array that comes out of it has no offset and strides as results of their own",
    );
    // The same of a block that comes out of a loop and is handed on from there.
    let handed_on = |branch: &str, behind: &str, statement: &str, reason: &str| {
        let body = format!(
            "let (a : mem) = alloc n
             let (y : [n] @ a -> R(n)) = kernel j <= n do in (j)
             let (z_mem : mem) (z_o : int) (z_s : int) (z : [n] @ z_mem -> z_o + {{(n : z_s)}}) =
             loop (c_mem : mem = a) (c_o : int = 0) (c_s : int = 1)
                  (c : [n] @ c_mem -> c_o + {{(n : c_s)}} = y) for t <= 1 do
                 {branch}
                 {behind}"
        );
        check(&body, statement, reason);
    };
    let constant = "let (b_mem : mem) (b_o : int) (b : [n] @ b_mem -> b_o + {(n : 1)}) = if t";
    handed_on(
        &format!("{constant} then in (c_mem, c_o, c) else in (xs_mem, 0, xs)"),
        "in (b_mem, b_o, 1, b)",
        constant,
        "an array that comes out of it has no offset and strides as results of their own",
    );
    let named =
        "let (b_mem : mem) (b_o : int) (b_s : int) (b : [n] @ b_mem -> b_o + {(n : b_s)}) = if t";
    let branch = format!("{named} then in (c_mem, c_o, c_s, c) else in (xs_mem, 0, 1, xs)");
    for (behind, statement, reason) in [
        (
            "let (d : [n] @ b_mem -> R(n)) = copy b in (b_mem, 0, 1, d)",
            named,
            "another array is placed in a block that comes out of it",
        ),
        // With another index function than its operand an update is a copy.
        (
            "let (d : [n] @ b_mem -> R(n)) = b with [1 : 1] = 5 in (b_mem, 0, 1, d)",
            named,
            "another array is placed in a block that comes out of it",
        ),
        // A view that its operand's block is given another name of.
        (
            "let (d : [n] @ b_mem -> R(n)) = c[1 : n] in (b_mem, 0, 1, d)",
            named,
            "another array is placed in a block that comes out of it",
        ),
        ("let (k : int) = b[b_o] in (b_mem, b_o, b_s, b)", "let (k : int) = b[b_o]", ELSEWHERE),
        (
            "let (k : int) = b_o * n
             let (e : int) = if k then in (1) else in (2)
             in (b_mem, b_o, b_s, b)",
            "let (e : int) = if k",
            ELSEWHERE,
        ),
        (
            "let (d : mem) = alloc max(0, n)
             let (e : [n] @ d -> b_o + {(n : b_s)}) = copy b
             in (b_mem, b_o, b_s, b)",
            "let (e : [n] @ d -> b_o + {(n : b_s)}) = copy b",
            ELSEWHERE,
        ),
        // With another number its uses may get stuck.
        (
            "let (k : int) = 7 / (b_o - 1) in (b_mem, b_o, b_s, b)",
            "let (k : int) = 7 / (b_o - 1)",
            ELSEWHERE,
        ),
        (
            "let (v : [n] @ a -> b_o + {(n : b_s)}) = b[1 : n] in (b_mem, b_o, b_s, b)",
            "let (v : [n] @ a -> b_o + {(n : b_s)}) = b[1 : n]",
            ELSEWHERE,
        ),
    ] {
        handed_on(&branch, behind, statement, reason);
    }
}

const ELSEWHERE: &str = "offset or strides of an array in a block that comes out of an `if` or a `loop` are \
                         used for something else";

/// A view in a block that comes out of an `if` is not written out again, or a chain of them would grow.
#[test]
fn a_chain_of_views_stays_linear() {
    let bytes = |count: usize| {
        let mut views = String::new();
        for at in 0..count {
            let next = at + 1;
            views += &format!("let (v{next} : [m][m]) = v{at}[m : m : -1, m : m : -1] ");
        }
        let source = format!(
            "param (n : int) (m : int)
            let (r : [n]) = kernel i <= n do
                let (a : [m][m]) = kernel j <= m do
                    let (b : [m]) = iota m
                    in (b)
                let (v0 : [m][m]) = if i & 1 then in (a) else
                    let (t : [m][m]) = transpose a
                    in (t)
                {views}
                let (x : int) = v{count}[1, m]
                in (x)
            in (r)"
        );
        if count < 4 {
            keeps(&source, "2, 3");
        }
        let program = super::good(crate::fun::parse::program(&source), &source);
        let inserted = super::transform_program(&program, Planted::NONE);
        let expanded = expand(inserted, Form::Coalesced, Planted::NONE, &mut Decisions::default())
            .expect("it is expanded");
        funmem::print::program(&expanded).len()
    };
    let [_, half, whole] = [3, 30, 60].map(bytes);
    assert!(whole < 3 * half, "{half} bytes became {whole}");
}

/// `depth` kernels in one another, each with a size that varies with the thread around it.
fn towers(depth: usize) -> String {
    let mut open = String::new();
    let mut close = String::new();
    for at in 0..depth {
        let next = at + 1;
        open += &format!(
            "let (t{next} : int) = t{at} % 3 + i{at} + 1
            let (c{next} : int) = t{next} % 2 + 1
            let (r{next} : [c{next}]) = kernel i{next} <= c{next} do "
        );
        close = format!("let (e{next} : int) = r{next}[1] in (e{next}) {close}");
    }
    format!(
        "param (n : int) let (t0 : int) = n let (r : [n]) = kernel i0 <= n do {open}
        let (a : [t{depth}]) = iota t{depth}
        let (b : [t{depth}]) = copy a
        let (e : int) = b[1] in (e) {close} in (r)"
    )
}

/// How many bytes the expansion of [`towers`] has as a text.
fn expanded(depth: usize, form: Form) -> Result<usize, String> {
    let source = towers(depth);
    let program = super::good(crate::fun::parse::program(&source), &source);
    let inserted = super::transform_program(&program, Planted::NONE);
    match expand(inserted, form, Planted::NONE, &mut Decisions::default()) {
        Ok(expanded) => Ok(funmem::print::program(&expanded).len()),
        Err(refused) => Err(refused.reason),
    }
}

/// A size is made total once for each kernel that it leaves. It must not double each time.
#[test]
fn sizes_do_not_double_with_each_kernel() {
    keeps(&towers(2), "2");
    for form in Form::ALL {
        let (half, whole) = (expanded(8, form), expanded(16, form));
        let (half, whole) = (half.expect("it is expanded"), whole.expect("it is expanded"));
        assert!(whole < 16 * half, "{half} bytes became {whole}");
    }
}

#[test]
fn programs_that_would_become_too_large_are_refused() {
    let refused = expanded(100, Form::Paper).expect_err("there is no room");
    assert!(refused.starts_with("the program would become too large"), "{refused}");
}
