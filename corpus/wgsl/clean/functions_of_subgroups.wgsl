// The built-in functions of WGSL for subgroups, each with a result that no size of subgroups changes.
// judge: --groups 1 --subgroup 4,8,32 --buffer x=u32[3,1,4,1,5,9,2,6] --buffer out=zero:21
// judge: --expect out=u32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]
// verdict: clean
enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
var<workgroup> wrong: array<atomic<u32>, 21>;

fn check(number: u32, holds: bool) {
  if !holds { atomicStore(&wrong[number], 1u); }
}

@compute @workgroup_size(8)
fn main(
  @builtin(local_invocation_index) i: u32,
  @builtin(subgroup_invocation_id) lane: u32,
  @builtin(subgroup_size) size: u32,
) {
  let own = x[i];
  // What the lanes hold, by another way.
  var ones = subgroupBallot(true).x;
  let lanes = countOneBits(ones);
  check(0u, subgroupAdd(1u) == lanes);
  check(1u, subgroupExclusiveAdd(1u) == lane);
  check(2u, subgroupInclusiveAdd(1u) == lane + 1u);
  let all_are = subgroupAll(own > 0u);
  check(3u, all_are & !subgroupAll(lane == 0u));
  let any_is = subgroupAny(lane == 0u);
  check(4u, any_is & !subgroupAny(own == 0u));
  check(5u, subgroupAnd(~(1u << lane)) == ~ones);
  check(6u, subgroupOr(1u << lane) == ones);
  check(7u, subgroupXor(1u << lane) == ones);
  check(8u, subgroupMax(lane) == lanes - 1u);
  check(9u, subgroupMin(lane + 7u) == 7u);
  check(10u, subgroupMul(2u) == 1u << lanes);
  check(11u, subgroupExclusiveMul(2u) == 1u << lane);
  check(12u, subgroupInclusiveMul(2u) == 2u << lane);
  check(13u, subgroupBroadcast(own, 1u) == subgroupShuffle(own, 1u));
  check(14u, subgroupBroadcastFirst(lane) == 0u);
  check(15u, subgroupShuffle(lane, lane ^ 1u) == (lane ^ 1u));
  check(16u, subgroupShuffleXor(own, 2u) == subgroupShuffle(own, lane ^ 2u));
  // A lane that is not there gives any value.
  let up = subgroupShuffleUp(lane, 1u);
  if lane > 0u { check(17u, up == lane - 1u); }
  let down = subgroupShuffleDown(lane, 1u);
  if lane + 1u < lanes { check(18u, down == lane + 1u); }
  check(19u, quadBroadcast(lane, 2u) == (lane & ~3u) + 2u);
  let swapped = vec3u(quadSwapX(lane), quadSwapY(lane), quadSwapDiagonal(lane));
  check(20u, all(swapped == vec3u(lane ^ 1u, lane ^ 2u, lane ^ 3u)));
  workgroupBarrier();
  if i == 0u {
    for (var k = 0u; k < 21u; k++) { out[k] = 1u - atomicLoad(&wrong[k]); }
  }
}
