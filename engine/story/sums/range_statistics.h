// SPDX-License-Identifier: Apache-2.0
// What devices do in a stretch of time, by operation, as CONTRIBUTING.md defines the words: the one place
// that panels, pictures, the table of operations over time and `story --range` read.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/story/sums/busy_spans.h"
#include "engine/story/sums/layer_times.h"

namespace shardscope::inline story {

// An event that straddles the range's ends counts in `sum`, `bytes` and all times of the devices with its
// part inside; its length in `least`, `most` and `whole` is its own.
struct OperationStatistics {
  std::string key;
  std::vector<int32_t> instructions;  // Program::global_index
  int64_t count = 0;                  // events; a transfer is its source's
  int64_t cut = 0;                    // of them: straddle an end of the range
  int64_t bytes = 0;
  Picoseconds sum = 0;              // of the parts inside
  Picoseconds least = 0, most = 0;  // of the whole events
  Picoseconds whole = 0;            // likewise, all together
  Picoseconds busy = 0;             // during which a device does it, added up over the devices
  Picoseconds hidden = 0;           // of `busy` of transfers and copies: that device computes meanwhile
  Picoseconds gaps = 0;             // during which none of the devices does it
  bool computes = false;            // it is what others hide under
  Picoseconds mean() const { return count > 0 ? whole / count : 0; }
  bool operator==(const OperationStatistics&) const = default;
};

struct RangeStatistics {
  TimeRange range;      // inside the run
  int32_t devices = 0;  // that count
  int64_t events = 0, cut = 0;
  int64_t bytes_sent = 0;
  // Added up over the devices: compute + exposed + idle = devices · range.
  Picoseconds compute = 0, comm = 0, exposed = 0, idle = 0;
  std::vector<OperationStatistics> operations;  // the busiest first
  // Of the devices' time in the range: during which they do it.
  double share(Picoseconds busy) const;
  bool operator==(const RangeStatistics&) const = default;
};
// `devices`: those that count, ascending, each once. Needs the timeline's events; without them it is empty.
// One pass over the events; whoever stops it throws away what it gives.
RangeStatistics range_statistics(const Run& run, const Operations& operations, TimeRange range,
                                 std::span<const int32_t> devices, const std::stop_token& stop = {});
RangeStatistics range_statistics(const Run& run, const Story* story, TimeRange range,
                                 std::span<const int32_t> devices);

// Operations over time: how long the devices do each in each of several equal parts of a range.
struct OperationTimes {
  TimeRange range;
  int32_t devices = 0;
  std::vector<TimeRange> bins;  // one after the other, the range between them
  struct Row {
    std::string key, name, place;  // as Operations has them
    std::vector<int32_t> instructions;
    std::vector<Picoseconds> busy;  // by bin, added up over the devices
    Picoseconds sum() const;
    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;  // the busiest first
  bool operator==(const OperationTimes&) const = default;
};
OperationTimes operation_times(const Run& run, const Operations& operations, TimeRange range,
                               std::span<const int32_t> devices, int bins, const std::stop_token& stop = {});
OperationTimes operation_times(const Run& run, const Story* story, TimeRange range,
                               std::span<const int32_t> devices, int bins);
// In fewer parts, a divisor of what there are.
OperationTimes in_parts(const OperationTimes& times, int parts);

// What views sum of a whole run, all its devices: found once, however many events there are.
struct RunSums {
  static constexpr int kParts = 96;
  Operations operations;
  OperationTimes times;  // in kParts parts
  RangeStatistics whole;
  std::vector<LayerTimes> layers;
  bool operator==(const RunSums&) const = default;
};
// Errors: stopped.
Result<RunSums> sum_run(const Run& run, const Story* story, const std::stop_token& stop = {});

}  // namespace shardscope::inline story
