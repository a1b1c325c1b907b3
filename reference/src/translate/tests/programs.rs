//! Hand-written FUN programs, aimed at what such translations broke before.

use super::keeps;

#[test]
fn derived_arrays() {
    let matrix = "param (n : int) (m : int) (a : [n][m])\n";
    for (body, inputs) in [
        ("let (t : [m][n]) = transpose a in (t)", &["2, 3, [[1,2,3],[4,5,6]]"][..]),
        (
            "let (t : [m][n]) = transpose a let (s : [1][n]) = t[2 : 1, 1 : n] \
             let (u : [n][1]) = transpose s in (u, a)",
            &["2, 3, [[1,2,3],[4,5,6]]", "3, 1, [[1],[2],[3]]", "0, 4, []"],
        ),
        (
            "let (s : [n][2]) = a[1 : n, m : 2 : -1] let (r : [n][1]) = s[n : n : -1, 2 : 1] \
             in (r)",
            &["3, 3, [[1,2,3],[4,5,6],[7,8,9]]", "2, 2, [[1,2],[3,4]]", "1, 1, [[5]]"],
        ),
        ("let (s : [n][m]) = a[1 : n : 0, 1 : m] in (s)", &["2, 2, [[1,2],[3,4]]", "0, 2, []"]),
    ] {
        for input in inputs {
            keeps(&format!("{matrix}{body}"), input);
        }
    }
}

#[test]
fn branches() {
    let source = "param (c : int) (n : int) (a : [n][n])
        let (t : [n][n]) = transpose a
        let (z : [n][n]) = if c then in (t) else
            let (k : [n][n]) = kernel i <= n do
                let (row : [n]) = kernel j <= n do let (x : int) = i * 10 + j in (x)
                in (row)
            in (k)
        let (k : int) (s : [k][n]) =
            if c then let (one : int) = 1 let (r : [one][n]) = z[n : 1, 1 : n] in (one, r)
            else in (n, z)
        in (z, k, s)";
    keeps(source, "1, 3, [[1,2,3],[4,5,6],[7,8,9]]");
    keeps(source, "0, 2, [[1,2],[3,4]]");
    keeps(source, "1, 0, []");
}

#[test]
fn loops() {
    let grow = "param (n : int) (k : int)
        let (a : [1]) = kernel i <= 1 do in (7)
        let (m : int) (r : [m]) = loop (m : int = 1) (x : [m] = a) for i <= k do
            let (m2 : int) = m * 2
            let (y : [m2]) = kernel j <= m2 do
                let (p : int) = (j + 1) / 2
                let (e : int) = x[p]
                let (f : int) = e + j
                in (f)
            in (m2, y)
        in (m, r)";
    keeps(grow, "0, 4");
    keeps(grow, "0, 0");
    keeps(grow, "0, -1");
    let swap = "param (n : int) (a : [n]) (b : [n]) (k : int)
        let (x : [n]) (y : [n]) (s : int) (t : int) =
            loop (x : [n] = a) (y : [n] = b) (s : int = 3) (t : int = 4) for i <= k do
            in (y, x, t, s)
        in (x, y, s, t)";
    keeps(swap, "2, [1,2], [3,4], 1");
    keeps(swap, "2, [1,2], [3,4], 2");
    let shift = "param (n : int) (a : [n][n]) (k : int)
        let (x : [n][n]) = loop (x : [n][n] = a) for i <= k do
            let (t : [n][n]) = transpose x
            let (u : [n][n]) = t[n : n : -1, 1 : n]
            in (u)
        in (x)";
    for k in 0..5 {
        keeps(shift, &format!("3, [[1,2,3],[4,5,6],[7,8,9]], {k}"));
    }
}

#[test]
fn updates() {
    let prefix = "param (n : int)
        let (a : [n]) = iota n
        let (r : [n]) = loop (x : [n] = a) for i <= n do
            let (p : int) = max(i - 1, 1)
            let (c : int) = x[p]
            let (d : int) = x[i]
            let (e : int) = (i != 1) * c + d
            let (y : [n]) = x with [i : 1] = e
            in (y)
        in (r, a)";
    keeps(prefix, "9");
    keeps(prefix, "0");
    let own = "param (n : int) (p : [n])
        let (r : [n]) = loop (x : [n] = p) for i <= 3 do
            let (y : [n]) = x with [1 : 1] = i
            let (z : [n]) = y with [2 : 1] = 5
            in (z)
        in (r, p)";
    keeps(own, "3, [7, 8, 9]");
    let two = "param (n : int) (p : [n])
        let (a : [n]) (b : [n]) = loop (x : [n] = p) (y : [n] = p) for i <= 3 do
            let (z : [n]) = x with [i : 1] = i
            in (y, z)
        in (a, b, p)";
    keeps(two, "3, [7, 8, 9]");
    let kept = "param (n : int) (p : [n])
        let (a : [n]) (b : [n]) = loop (x : [n] = p) (y : [n] = p) for i <= 3 do
            let (z : [n]) = x with [i : 1] = i
            in (z, z)
        in (a, b, p)";
    keeps(kept, "3, [7, 8, 9]");
    let overlap = "param (n : int)
        let (a : [n]) = iota n
        let (k : int) = n - 1
        let (s : [k]) = a[1 : k]
        let (b : [n]) = a with [2 : k] = s
        in (b)";
    keeps(overlap, "5");
    keeps(overlap, "1");
    let reverse = "param (n : int)
        let (a : [n]) = iota n
        let (s : [n]) = a[n : n : -1]
        let (b : [n]) = a with [1 : n] = s
        in (b)";
    keeps(reverse, "5");
    let fill = "param (n : int) (o : int) (k : int) (s : int)
        let (a : [n]) = iota n
        let (b : [n]) = a with [o : k : s] = 42
        in (b)";
    for input in
        ["6, 1, 3, 2", "6, 6, 3, -2", "6, 3, 0, 5", "6, 3, 4, 0", "6, 3, 4, 2", "6, 3, -1, 2"]
    {
        keeps(fill, input);
    }
    let last = "param (n : int) (o : int) (k : int) (s : int) (v : [k])
        let (a : [n]) = iota n
        let (b : [n]) = a with [o : k : s] = v
        in (b)";
    for input in ["6, 1, 3, 2, [7,8,9]", "6, 2, 3, 0, [7,8,9]", "6, 2, 0, 0, []", "6, 9, 1, 0, [1]"]
    {
        keeps(last, input);
    }
    let wide = "param (n : int)
        let (a : [n]) = iota n
        let (s : [4]) = a[2 : 4 : 0]
        let (b : [4]) = s with [1 : 1] = 9
        in (b)";
    keeps(wide, "5");
}

#[test]
fn stuck() {
    let source = "param (n : int) (m : int) (a : [n][m]) (i : int) (j : int) (k : int)
        let (r : [k]) = kernel t <= k do
            let (x : int) = t * i
            let (y : int) = a[x, j]
            let (z : int) = y / (t - 3)
            in (z)
        in (r)";
    for input in [
        "2, 2, [[1,2],[3,4]], 1, 1, 2",
        "2, 2, [[1,2],[3,4]], 1, 1, 3",
        "2, 2, [[1,2],[3,4]], 1, 3, 3",
        "2, 2, [[1,2],[3,4]], 0, 1, 1",
        "4, 1, [[1],[2],[3],[4]], 1, 1, 4",
        "2, 2, [[1,2],[3,4]], 1, 1, -2",
    ] {
        keeps(source, input);
    }
    let nested = "param (n : int) (k : int)
        let (r : [n][k]) = kernel t <= n do
            let (l : int) = k
            let (u : [k]) = kernel s <= l do
                let (p : int) = (t - 2) * (s - 2)
                let (q : int) = 6 / p
                in (q)
            in (u)
        in (r)";
    keeps(nested, "3, 3");
    keeps(nested, "3, -3");
    keeps(nested, "0, -1");
    keeps(nested, "-1, -1");
}

#[test]
fn several_results() {
    let source = "param (n : int) (m : int)
        let (a : [n][m]) (b : [n]) (c : [n][m]) = kernel i <= n do
            let (r : [m]) = kernel j <= m do let (x : int) = i * j in (x)
            let (s : int) = i * i
            in (r, s, r)
        in (a, b, c, n)";
    keeps(source, "2, 3");
    keeps(source, "0, 3");
    keeps(source, "3, 0");
}
