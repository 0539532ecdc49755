// SPDX-License-Identifier: Apache-2.0
// What it takes to hand one layer's result to the next one when they store it differently.
#pragma once

#include <cstdint>

#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// How an array [tokens, features] lies on a mesh.
struct ActivationLayout {
  PartitionSpec spec;       // of the array as stored
  bool transposed = false;  // stored as [features, tokens]
  bool operator==(const ActivationLayout&) const = default;
};

struct ActivationSize {
  int64_t tokens = 0, features = 0, element_bytes = 0;
};

// `bytes`: what the device that lacks most must receive to go from `from` to `to`. `seconds`: these over all
// links into a device, one latency, and the local transposition; no schedule is faster.
struct Resharding {
  double bytes = 0;
  double seconds = 0;
};
// An array that `from` cannot split counts as wholly lacking. `to` splits it.
Resharding resharding(const Mesh& mesh, const Hardware& hardware, const ActivationLayout& from,
                      const ActivationLayout& to, const ActivationSize& size);

}  // namespace shardscope
