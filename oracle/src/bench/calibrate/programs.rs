//! Micro programs: each spends its time on one thing that has a price.

/// A program of the device language over `words` ints, with one launch of a kernel.
pub(super) struct Micro {
    /// The constant that it is meant for.
    pub(super) meant: &'static str,
    /// Its text.
    pub(super) text: String,
    /// How many ints it is given: a power of two.
    pub(super) words: u32,
}

/// Threads of a launch and rounds of each thread.
const SHAPES: [(u32, u32); 4] = [(64, 64), (64, 512), (1024, 64), (8192, 32)];

/// Words of group memory.
const TILE: u32 = 2048;

/// Kernels for a machine with warps of so many threads.
pub(super) fn kernels(width: u32) -> Vec<Micro> {
    let mut all = Vec::new();
    for (threads, rounds) in SHAPES {
        let steps = "sum = sum * 3 + 1;";
        all.push(global("calibrated.unit", steps, threads, rounds));
        for (meant, stride) in [("calibrated.request", 1), ("calibrated.request", width)] {
            let read = format!(
                "sum = sum + xs.[global_id * u32 {stride} + r * u32 64 & u32 {}];",
                words(threads, stride) - 1
            );
            let kernel = global(meant, &read, threads, rounds);
            all.push(Micro { words: words(threads, stride), ..kernel });
        }
        for stride in [1, width] {
            all.push(group(stride, threads, rounds));
        }
    }
    for rounds in [64, 256, 1024] {
        // Each access waits for the one before.
        all.push(global(
            "calibrated.wait",
            "sum = xs.[u32(sum) * u32 33 + r & u32 1023];",
            1,
            rounds,
        ));
    }
    all
}

/// Elements that so many threads read which are so far from each other: a power of two, and no more than some MiB.
fn words(threads: u32, stride: u32) -> u32 {
    (threads * stride).next_power_of_two().clamp(1024, 1 << 18)
}

/// Rounds of a statement, which makes a sum of itself.
fn global(meant: &'static str, statement: &str, threads: u32, rounds: u32) -> Micro {
    let text = format!(
        "kernel work(xs : block[i32], ys : block[i32]) group 64 {{
  var sum : i32;
  if global_id < invocations {{
    loop (r : u32 = u32 0) while r < u32 {rounds} {{
      {statement}
    }} next (r + u32 1);
    ys.[global_id] = sum;
  }}
}}
{}",
        host(threads)
    );
    Micro { meant, text, words: words(threads, 1) }
}

/// Rounds of reads of group memory that are so far from each other.
fn group(stride: u32, threads: u32, rounds: u32) -> Micro {
    let text = format!(
        "kernel work(xs : block[i32], ys : block[i32]) group 64 {{
  workgroup tile : array[i32, {TILE}];
  var sum : i32;
  tile[local_id] = 1;
  barrier workgroup;
  loop (r : u32 = u32 0) while r < u32 {rounds} {{
    sum = sum + tile[local_id * u32 {stride} + r & u32 {}];
  }} next (r + u32 1);
  if global_id < invocations {{
    ys.[global_id] = sum;
  }}
}}
{}",
        TILE - 1,
        host(threads)
    );
    Micro { meant: "calibrated.group_request", text, words: words(threads, 1) }
}

fn host(threads: u32) -> String {
    format!(
        "param n : i32;
param xs : [n];
let ys = alloc i32({threads});
launch work(xs, ys) for {threads};
let one = read ys.[0];
result one;
"
    )
}

/// So many launches one after the other, each of which the host waits for.
pub(super) fn launches(count: u32) -> String {
    format!(
        "kernel work(xs : block[i32]) group 64 {{
  if global_id < invocations {{
    xs.[global_id] = 1;
  }}
}}
let xs = alloc i32(64);
loop (i : i32 = 0) while i < {count} fuel u32 {count} {{
  launch work(xs) for 64;
}} next (i + 1);
let one = read xs.[0];
result one;
"
    )
}

/// What the host does alone, in λG: an application, its reads and writes, and branches, for each element.
pub(super) const HOST: &str = "param xs : (Vec (int, r0), r0);
parmap (fn (x : (int, r0)) ! {r0} => x + x at r0 at r0) xs at r0
";

#[cfg(test)]
mod tests {
    use super::*;
    use reference::device::Device;
    use reference::kit::language::Language;
    use reference::lambda_g::LambdaG;

    #[test]
    fn micro_programs_are_programs() {
        for width in [4, 8, 32, 64] {
            for micro in kernels(width) {
                Device::parse(&micro.text).unwrap_or_else(|no| panic!("{no:?}\n{}", micro.text));
                assert!(micro.words.is_power_of_two(), "{}", micro.words);
            }
        }
        Device::parse(&launches(8)).expect("a program");
        LambdaG::parse(HOST).expect("a program");
    }
}
