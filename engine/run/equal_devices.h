// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/run/trace_source.h"

namespace shardscope::inline run {

// Which devices of a run do the same on their lanes at the same times, and which lanes are used at all: found
// once, read by every picture.
struct EqualDevices {
  std::vector<int32_t> like;  // by device: the first that does the same; itself when none before it does
  std::vector<bool> used;     // by lane
  bool exact = true;          // compared event by event, else as far as sums and merged bins show
  bool operator==(const EqualDevices&) const = default;
};
EqualDevices equal_devices(const Run& run, const TraceSource& trace);

}  // namespace shardscope::inline run
