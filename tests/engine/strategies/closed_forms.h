// SPDX-License-Identifier: Apache-2.0
// What a strategy sends and multiplies, written out by hand from its paper: one table per group of
// strategies.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace shardscope::testing {

struct Volume {
  int64_t row = 0, col = 0;  // elements that a device sends over each axis, the mean over devices
  int64_t flops = 0;         // per device
  int64_t both = 0;          // elements over rows and columns in one permute
};

struct Sizes {
  int64_t R, C, M, K, N;
  int64_t p() const { return R * C; }
};

using ClosedForm = Volume (*)(const Sizes&);
using ClosedForms = std::map<std::string, ClosedForm>;

ClosedForms two_collective_forms();  // collective, wang, meshslice, psum, pjit and the parts
ClosedForms one_axis_forms();        // megatron, fsdp, ring
ClosedForms pallas_forms();

}  // namespace shardscope::testing
