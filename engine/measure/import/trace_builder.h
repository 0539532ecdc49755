// SPDX-License-Identifier: Apache-2.0
// Puts a MeasuredTrace together from events in any order: names once, statistics, who waited for whom.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/measure/import/module_index.h"
#include "engine/run/measured.h"

namespace shardscope::inline measure {

// A moment of a profile's clock: nanoseconds since whenever that clock began, and picoseconds on top.
struct ClockTime {
  int64_t ns = 0;
  int64_t ps = 0;
};

class TraceBuilder {
 public:
  static constexpr size_t kMostEvents = 20'000'000;
  static constexpr size_t kMostOperations = 500'000;
  static constexpr size_t kMostNames = 4096;  // devices, lanes, groups of devices

  // Devices of files that come after this are others, even under the same names; `label` tells them apart.
  void begin_file(std::string label);
  // What the file's clock counts from, told at its end: all its events move.
  Result<void> set_clock_start(int64_t ns);

  Result<int16_t> device(const std::string& name);
  // Events of a lane that nests lie in others of it, as a loop's body in its loop: they take that time from
  // them.
  Result<int16_t> lane(const std::string& name, bool nests = false);
  Result<int32_t> operation(const ProfiledOperation& facts);
  // Which devices take part in a collective, in the file's words: what an event of one has for `wait` when it
  // is added. 0: the file does not say.
  Result<int64_t> members(const std::string& names);
  // An event like `event`, from `start` on for `duration`; one with a negative duration is counted, and left
  // out.
  Result<void> add(ClockTime start, Picoseconds duration, MeasuredEvent event);
  Result<void> add_step(ClockTime start, Picoseconds duration, int16_t device);
  // From the first to the last work of the steps, wider than they are where steps overlap on a device.
  Result<void> add_worked(ClockTime start, Picoseconds duration, int16_t device);
  // A step as the program on the host marks it, with a mark of this name. Work that the host starts in it may
  // run later.
  void add_annotated_step(const std::string& name, ClockTime start, Picoseconds duration);
  // A measurement without a moment: what it took. Several of one operation are its statistics.
  Result<void> add_point(const MeasuredOperation& facts, Picoseconds time);
  void note(const std::string& sentence);

  size_t event_count() const { return trace_.events.size(); }
  size_t operation_count() const { return facts_.size(); }
  // Sorts, gives kernels back to the instructions of `modules`, splits waiting from collectives, finds steps,
  // counts. The builder is empty afterwards.
  Result<Profile> finish(Modules& modules, const std::stop_token& stop);

 private:
  using Names = std::unordered_map<std::string, int16_t>;
  Result<TimeRange> range_of(ClockTime start, Picoseconds duration);
  void find_steps();
  // The same of what they worked.
  TimeRange begin_at_first_step();
  void count();

  MeasuredTrace trace_;                   // its operations come last
  std::vector<ProfiledOperation> facts_;  // by operation
  std::string file_label_;
  size_t first_event_of_file_ = 0, first_step_of_file_ = 0, first_worked_of_file_ = 0;
  std::optional<int64_t> clock_;        // ns of the clock that picoseconds count from
  std::optional<int64_t> clock_start_;  // of the first file that tells
  Names devices_, lanes_, members_;
  std::set<int16_t> nesting_lanes_;
  std::unordered_map<std::string, int32_t> operations_;
  std::vector<std::pair<int32_t, Picoseconds>> points_;  // operation, time
  std::vector<std::pair<int16_t, TimeRange>> steps_, worked_;
  std::map<std::string, std::vector<TimeRange>> annotated_;  // by the mark's name
  int64_t negative_ = 0;
};

}  // namespace shardscope::inline measure
