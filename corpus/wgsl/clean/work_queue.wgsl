// A queue of tasks: invocations take the next one until none is left, and each task has a word of its own.
// judge: --groups 2 --buffer next=zero:1 --buffer squares=zero:7 --expect squares=u32[0,1,4,9,16,25,36]
// verdict: clean
@group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> squares: array<u32>;

@compute @workgroup_size(2)
fn main() {
  loop {
    let task = atomicAdd(&next, 1u);
    if task >= arrayLength(&squares) { break; }
    squares[task] = task * task;
  }
}
