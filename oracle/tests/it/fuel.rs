//! Fuel bounds what a run does, also where one statement or one result takes many elements.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Programs that take `n` elements at once, of a block or an array of one, or launch `n` invocations that do nothing.
const PROGRAMS: [(&str, &str); 9] = [
    ("slice.fun", "param (n : int) (xs : [1])\nlet (ys : [n]) = xs[1 : n : 0]\nin (ys)\n"),
    (
        "update.fun",
        "param (n : int) (xs : [1])\nlet (a : [1]) = kernel i <= 1 do\n  in (xs[i])\nlet (b : [1]) = a with [1 : n : 0] = 3\nin (b)\n",
    ),
    (
        "result.funmem",
        "param (n : int) (m : mem) (xs : [1] @ m -> R(1))
let (ys : [n] @ m -> 0 + {(n : 0)}) = xs[1 : n : 0]
in (m, ys)
",
    ),
    (
        "fill.funmem",
        "param (n : int) (m : mem) (xs : [1] @ m -> R(1))
let (ys : [1] @ m -> R(1)) = xs with [1 : n : 0] = 3
in (m, ys)
",
    ),
    (
        "copy.funmem",
        "param (n : int) (m : mem) (xs : [1] @ m -> R(1))
let (ys : [n] @ m -> 0 + {(n : 0)}) = xs[1 : n : 0]
let (zs : [n] @ m -> 0 + {(n : 0)}) = copy ys
in (n)
",
    ),
    (
        "idle.dev",
        "kernel k(xs : block[i32]) group 1 { }\nparam n : i32;\nparam xs : [1];\nlaunch k(xs) for n;\nresult n;\n",
    ),
    ("result.imp", "param (n : int) (xs : mem [1])\nskip\nresults (xs : [n] @ 0 + {(n : 0)})\n"),
    ("result.dev", "param n : i32;\nparam xs : [1];\nresult xs : [n] at 0 strides (0);\n"),
    (
        "copy.dev",
        "param n : i32;\nparam xs : [1];\ncopy n from xs.[0] strides (0) to xs.[0] strides (0);\nresult n;\n",
    ),
];

#[test]
fn elements_that_are_taken_at_once_cost_fuel() {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in PROGRAMS {
        let path = folder.path().join(name);
        fs::write(&path, text).expect("it can be written");
        let path = path.to_str().expect("the name is plain");
        let run = |n: i32| {
            let input = format!("{n}, [7]");
            let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
            command.args(["run", path, "--fuel", "1000", "--input", &input]);
            let output = command.output().expect("lockstep starts");
            let err = String::from_utf8_lossy(&output.stderr).into_owned();
            (output.status.code(), err)
        };
        assert_eq!(run(1).0, Some(0), "{name}: {}", run(1).1);
        // As many as the memory budget allows.
        let start = Instant::now();
        let (status, err) = run(1 << 28);
        assert_eq!(status, Some(2), "{name}: {err}");
        assert!(err.contains("out of fuel"), "{name}: {err}");
        assert!(start.elapsed() < Duration::from_secs(10), "{name}");
    }
}
