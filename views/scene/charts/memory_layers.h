// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// Buffers that hold the same thing, one layer of the memory picture: "X", "gather W over row".
struct MemoryLayer {
  std::string name;
  int32_t instruction = -1;  // one maker; -1: of several things
  int64_t buffers = 0;
  int64_t peak_bytes = 0;  // held by this layer when the device holds most
};

// A stretch of time in which no layer changes: bytes of each layer, bottom first.
struct MemorySpan {
  Picoseconds start = 0, end = 0;
  std::vector<int64_t> bytes;
  int64_t total() const;
};

struct MemoryLayers {
  std::vector<MemoryLayer> layers;  // bottom first: what lives longest lies lowest
  std::vector<MemorySpan> spans;    // by time, without gaps
};

// What device `device` holds over time, in at most `most` layers; what is smallest at the peak shares the top
// one. Empty when the run kept no buffers.
MemoryLayers memory_layers(const ViewInput& input, int32_t device, size_t most);

}  // namespace shardscope::inline views
