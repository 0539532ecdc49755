// SPDX-License-Identifier: Apache-2.0
// The tables of names of XSpace's planes, and what a statistic of an event says
// (tsl/profiler/protobuf/xplane.proto).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/measure/import/event_words.h"
#include "engine/measure/import/wire.h"

namespace shardscope::inline measure::xplane {

// Statistics that are read, by their names in the file.
enum class StatName : uint8_t {
  hlo_op,
  hlo_module,
  program_id,
  hlo_category,
  flops,
  model_flops,
  bytes_accessed,
  shape_with_layout,
  long_name,
  flow,
  device_ordinal,
  step_num,
  none
};
inline constexpr size_t kStatNames = static_cast<size_t>(StatName::none);

// One of them: a number, a text or bytes of its own, or a reference to a text in the plane's table.
struct Stat {
  int64_t id = 0;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  bool refers = false;
};
bool read_stat(wire::CodedInputStream& in, uint32_t tag, Stat& out);

struct EventName {
  std::string name, display_name;
  std::vector<Stat> stats;  // of all its events
};

struct Plane {
  std::string name;
  std::unordered_map<int64_t, EventName> events;
  std::unordered_map<int64_t, std::string> texts;  // names of statistics, and texts that statistics refer to
  std::unordered_map<int64_t, StatName> known;     // of `texts`, those that are read
  std::vector<Stat> stats;                         // of the plane itself

  std::string_view text_of(const Stat& stat) const;
  StatName name_of(const Stat& stat) const;
};

// What the file says beside its events.
struct Space {
  std::vector<Plane> planes;            // by their place in the file
  std::vector<std::string> complaints;  // of the profiler: errors and warnings
  std::string host;
  std::string chip;                                  // what the file calls the first of its devices
  std::unordered_map<int64_t, std::string> modules;  // by program_id, from "jit_f(12)"
  // Serialised HloProtos that the profiler kept.
  struct Proto {
    std::string name;  // "jit_f(12)"
    int64_t program = 0;
    std::string bytes;
  };
  std::vector<Proto> protos;
};
// One reading of the file for its tables. Planes that are none of a device or of the host's threads stay
// empty.
Result<Space> read_tables(ByteSource& source);

// Calls `take(in, tag, place)` for each plane, where it reads or skips the message.
Result<void> each_plane(ByteSource& source,
                        const std::function<bool(wire::CodedInputStream&, uint32_t, size_t)>& take,
                        const std::function<bool(wire::CodedInputStream&, uint32_t)>& other);

}  // namespace shardscope::inline measure::xplane
