// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "engine/numerics/rules/execution.h"

namespace shardscope::inline numerics {

// Sees that a loop never ends: what its condition depends on, round by round, is what it was some rounds ago.
class EndlessLoop {
 public:
  EndlessLoop(const Program& program, const Computation& condition, const Computation& body);
  // After each round, of all devices.
  bool repeats(const DeviceValues& state);

 private:
  bool same(const DeviceValues& a, const DeviceValues& b) const;

  std::optional<std::set<int64_t>> deciding_;  // elements of the state; none: rounds may differ by themselves
  DeviceValues seen_;                          // of the round `at_`, the latest power of two (Brent)
  int64_t round_ = 0, at_ = 1;
};

}  // namespace shardscope::inline numerics
