// SPDX-License-Identifier: Apache-2.0
// What a profiler measured of a real run: values that the record keeps, and that are drawn and compared
// beside a simulated run. Measured time is an axis of its own; it is never one number with simulated time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/trace_source.h"

namespace shardscope::inline run {

enum class MeasuredKind : uint8_t { product, elementwise, collective, copy, other };
const char* name(MeasuredKind kind);
std::optional<MeasuredKind> parse_measured_kind(std::string_view text);

// Events of one name, shapes, element type and group, on all devices. Times are of its events less what they
// waited for the last device to arrive.
struct MeasuredOperation {
  std::string op;  // as the profiler names it
  MeasuredKind kind = MeasuredKind::other;
  std::string opcode;  // HLO's: "dot", "all-reduce"; empty: not known
  std::string module;  // the HLO module that it was part of, empty: not known
  std::string
      instruction;     // its name in that module, empty: not known. Of a fusion the dot that it stands for
  std::string shapes;  // "bf16[1024,512] × bf16[512,256]", empty: the file has none
  std::string dtype;   // "bf16", empty: not known
  // Of a collective its whole bytes per device (the larger one of what goes in and what comes out); otherwise
  // what it reads and writes. 0: not known.
  int64_t bytes = 0;
  double flops = 0;                        // of one event, 0: not known
  int64_t batch = 0, m = 0, k = 0, n = 0;  // of a product, 0: not known
  int32_t group = 0;                       // devices of a collective, 0: not known
  bool matched = false;                    // it is known what this was; see MeasuredTrace::matched_share
  int64_t count = 0;
  double total_s = 0, mean_s = 0, p50_s = 0, p95_s = 0;
  double wait_s = 0;  // of all events: from their start until the last device of the group had started
  bool operator==(const MeasuredOperation&) const = default;
};

// 32 bytes: a profile holds millions.
struct MeasuredEvent {
  Picoseconds start = 0, end = 0;  // from the start of the first step, or of the first event without steps
  Picoseconds wait = 0;            // of a collective: the part before the last device arrived
  int16_t device = 0;
  int16_t lane = 0;
  int32_t operation = 0;  // place in MeasuredTrace::operations
  Picoseconds duration() const { return end - start; }
  auto operator<=>(const MeasuredEvent&) const = default;
};

struct MeasuredUnmatched {
  std::string name;
  double time_s = 0;
  int64_t count = 0;
  bool operator==(const MeasuredUnmatched&) const = default;
};
// By name, the longest first.
std::vector<MeasuredUnmatched> unmatched_of(const std::vector<MeasuredOperation>& operations);

// What a list shows of a measured trace.
struct MeasuredSummary {
  int64_t id = 0;       // in its workspace, 0: not recorded
  std::string created;  // ISO 8601, UTC; empty: not recorded
  std::string format;   // "xplane", "chrome", "kineto", "nsys", "nccl-tests", "csv"
  std::string source;   // the files it was read from
  std::string title;
  int32_t devices = 0;
  int64_t event_count = 0;
  double device_time_s = 0;  // of all events on all devices, waiting too
  // Time of the events of which it is known what they were (with a module: which of its instructions), over
  // device_time_s; 1 without any event.
  double matched_share = 1;
  bool operator==(const MeasuredSummary&) const = default;
};

struct MeasuredTrace : MeasuredSummary {
  std::vector<std::string> device_names;  // by device
  std::vector<std::string> lanes;         // the same on all devices; a device need not have events on each
  std::vector<MeasuredOperation> operations;
  std::vector<MeasuredEvent> events;  // by (start, device, lane)
  std::vector<TimeRange> steps;       // of the first device that has any, by start
  std::vector<MeasuredUnmatched>
      unmatched;                   // by time, the longest first; with the operations that match it is all
  std::vector<std::string> notes;  // what a reader of the numbers should know: one sentence each
  bool operator==(const MeasuredTrace&) const = default;
};

}  // namespace shardscope::inline run
