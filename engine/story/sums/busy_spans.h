// SPDX-License-Identifier: Apache-2.0
// When which device does which operation inside a stretch of time: what range statistics and the table of
// operations over time are both summed from.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "engine/run/trace_source.h"
#include "engine/story/story.h"

namespace shardscope {

// The operations of a run that have events, each with the instructions that do it.
struct Operations {
  std::vector<std::string> keys;  // in the order in which the program has them
  std::vector<std::vector<int32_t>> instructions;
  std::vector<int32_t> of_instruction;  // place in `keys`, by Program::global_index; -1: it has no events
};
// `story`: which arrays travel; without one a collective's key has none.
Operations operations_of_events(const Run& run, const Story* story);

// Disjoint, ascending, all inside the range.
using Spans = std::vector<TimeRange>;
Picoseconds length_of(const Spans& spans);
Picoseconds covered(std::vector<TimeRange> spans);          // by the union of spans in any order
Picoseconds common_length(const Spans& a, const Spans& b);  // of what lies in both

// An operation on a device; a transfer is done by the device that it leaves and by the one that it arrives
// at.
struct OperationOnDevice {
  int32_t operation = 0;  // place in Operations::keys
  int32_t device = 0;     // place among the chosen devices
  Spans spans;
};

struct BusySpans {
  std::vector<OperationOnDevice> operations;  // by operation, then device; those that have time
  std::vector<Spans> compute, comm;           // by place of the device: its products, its transfers
};
// `devices`: those that count, ascending, each once.
BusySpans busy_spans(const Run& run, const Operations& operations, TimeRange range,
                     std::span<const int32_t> devices);

// By device of the run its place in `devices`; -1: it does not count.
std::vector<int32_t> places_of(const Run& run, std::span<const int32_t> devices);
std::vector<int32_t> all_devices(const Run& run);

}  // namespace shardscope
