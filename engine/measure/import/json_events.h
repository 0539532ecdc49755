// SPDX-License-Identifier: Apache-2.0
// The Trace Event Format of Chrome, event by event, without the file in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/measure/import/byte_source.h"
#include "engine/measure/import/trace_builder.h"

namespace shardscope::inline measure {

struct JsonEvent {
  std::string phase, name, category, process, thread;
  std::optional<ClockTime> start;                              // "ts", microseconds
  std::optional<Picoseconds> duration;                         // "dur", microseconds
  bool bad_time = false;                                       // one of them is no number that fits
  std::vector<std::pair<std::string, std::string>> arguments;  // lists as their JSON text
  std::string_view argument(std::string_view key) const;       // empty without it
  int64_t integer(std::string_view key) const;                 // 0 without it
  // Where it is used, is no longer than 64 KiB and there are no 64 of them.
  void add_argument(std::string_view key, std::string_view text);
};
// Whether an argument is ever asked for; others are not kept.
bool is_used_argument(std::string_view key);

// What stands beside the events.
struct JsonHeader {
  std::optional<int64_t> base_ns;  // baseTimeNanoseconds
  std::optional<int64_t> rank;     // distributedInfo.rank
  std::string chip;                // deviceProperties' first name
  bool torch = false;              // schemaVersion or deviceProperties, which PyTorch writes
};

// Calls `take` for each event, with those of its arguments that are used; its error ends the reading.
Result<JsonHeader> read_json_events(ByteSource& source, const std::function<Result<void>(JsonEvent&)>& take);

// What a field of an event says, beside its arguments; others than those above say nothing.
void set_event_field(std::string_view field, std::string_view text, JsonEvent& event);

// "12.345678" microseconds to the picosecond; none: no number, or out of range.
std::optional<ClockTime> parse_microseconds(std::string_view text);

}  // namespace shardscope::inline measure
