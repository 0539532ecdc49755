// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace shardscope::inline study {

// As the opcode of a measured operation: single transfers of a collective, which is measured as a whole, too.
inline constexpr const char* kTransfer = "transfer";

// The critical path of what was measured: seconds that add up to `total_s`.
struct MeasuredPath {
  double total_s = 0;
  double work_s = 0;      // instructions that compute
  double transfer_s = 0;  // transfers, from when both sides were ready
  double between_s = 0;   // neither: views, copies, waiting for a core
  int64_t events = 0;
  int32_t device = 0;  // whose event ends last
};

}  // namespace shardscope::inline study
