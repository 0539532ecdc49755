// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace shardscope::testing {

// A sum between devices 0 and 1, and one between 2 and 3.
inline constexpr const char* kPairs = R"(HloModule jit_f, is_scheduled=true, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[64]{0} parameter(0)
  ROOT psum.1 = f32[64]{0} all-reduce(x), replica_groups={{0,1},{2,3}}, channel_id=1, use_global_device_ids=true, to_apply=add
}
)";

}  // namespace shardscope::testing
