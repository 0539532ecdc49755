// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"
#include "engine/run/run.h"
#include "engine/run/spans.h"
#include "engine/run/timeline.h"

namespace shardscope::inline run {

// A stretch of one lane at a resolution: either one event (`count` == 1, `event` valid) or several merged
// ones that fall into the same pixels.
struct LaneBin {
  TimeRange range;       // from the first start to the last end of what it merges
  Picoseconds busy = 0;  // time covered inside, none of it by an earlier event of the lane
  int64_t count = 0;
  int64_t bytes = 0;
  int32_t event = -1;     // number of the first event
  bool critical = false;  // one of them is on the critical path
  bool operator==(const LaneBin&) const = default;
};

// Where views read a run's events from: a Run in memory or a workspace file; both pass the same tests. Event
// numbers are places in Timeline::events.
class TraceSource {
 public:
  virtual ~TraceSource() = default;

  virtual int32_t devices() const = 0;
  virtual const std::vector<Lane>& lanes() const = 0;
  virtual Picoseconds total() const = 0;
  virtual int64_t event_count() const = 0;
  // How many of them it can tell of: all, or none of a run of which only totals were kept.
  virtual int64_t events_kept() const = 0;
  // By device: the first that does the same on its lanes at the same times, as far as the way in which events
  // are kept says so; itself when it says of none before. Others may do the same, too.
  virtual std::vector<int32_t> known_alike() const = 0;
  virtual Result<Event> event(int32_t number) const = 0;
  // Events of one lane that touch `range`, by start.
  virtual Result<std::vector<int32_t>> events(DeviceId device, int lane, TimeRange range) const = 0;
  // At most about 2 · `pixels` bins of one lane over `range`; an event of a pixel or more stays alone. O(log
  // events + pixels).
  virtual Result<std::vector<LaneBin>> bins(DeviceId device, int lane, TimeRange range, int pixels) const = 0;
  virtual Result<std::vector<int32_t>> critical_path() const = 0;
  // (program step, transfer step) pairs in time order, each with when its first event starts and its last one
  // ends. A pair that comes again for another instruction after a pause is a step of its own.
  struct Step {
    int32_t step = -1;
    int32_t transfer_step = -1;
    TimeRange range;
    auto operator<=>(const Step&) const = default;
  };
  virtual Result<std::vector<Step>> steps() const = 0;
};

// Over a finished run; keeps it alive. Building sorts once and makes a level-of-detail pyramid per lane.
std::unique_ptr<TraceSource> memory_trace(RunPtr run);

}  // namespace shardscope::inline run
