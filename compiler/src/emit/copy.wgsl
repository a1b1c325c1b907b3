// Copies words of the arena, in up to three dimensions, each invocation one.
// launch: invocations, groups; sizes 2 and 3; for either side the first word and three strides.
@group(0) @binding(0) var<storage, read_write> arena: array<u32>;
@group(0) @binding(1) var<storage, read> launch: array<u32, 12>;
@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local_id: u32,
) {
    let group_id = group.x + group.y * groups.x;
    let global_id = group_id * 64u + local_id;
    if group_id < launch[1] && global_id < launch[0] {
        let k = global_id % launch[3];
        let rest = global_id / launch[3];
        let j = rest % launch[2];
        let i = rest / launch[2];
        let from_at = launch[4] + i * launch[5] + j * launch[6] + k * launch[7];
        let to_at = launch[8] + i * launch[9] + j * launch[10] + k * launch[11];
        arena[to_at] = arena[from_at];
    }
}
