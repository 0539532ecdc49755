// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/measure/import/trace_builder.h"

namespace shardscope::inline measure {

// Steps of devices by what the host launches in its own: kernels run later than they are launched, and bear
// their launch's number.
class LaunchedSteps {
 public:
  // A mark of the host, "ProfilerStep#3" or "step 3"; others, without a number, are none.
  void mark(std::string_view name, ClockTime start, Picoseconds duration);
  void launch(int64_t correlation, ClockTime at);
  void learned();  // all marks and launches are
  // Whether it is of the steps, not launched before the first one; true where no launch is known.
  bool run(int64_t correlation, ClockTime start, Picoseconds duration, int16_t lane);
  // Each from its first kernel to the next one's on the lane that works the most, the last to its last
  // kernel's end; the first begins where the device has done what was launched before, as it leaves some of
  // the last to its end. Where nothing is known of launches the marks themselves.
  Result<void> finish(int16_t device, TraceBuilder& builder) const;

 private:
  struct Ran {
    ClockTime start, end;
  };
  struct Step {
    ClockTime start;  // on the host
    Picoseconds duration = 0;
    std::optional<Ran> ran;              // on the device, all of it
    std::map<int16_t, ClockTime> begin;  // by lane
  };
  struct Lane {
    double busy = 0;  // with the steps' work
    std::vector<Ran> before;
  };
  int16_t busiest_lane() const;
  ClockTime begin(const Ran& all) const;

  std::map<std::string, std::vector<Step>> marks_;  // by name without its number
  std::vector<Step> steps_;
  std::map<int16_t, Lane> lanes_;
  std::vector<std::pair<int64_t, ClockTime>> launches_;  // by correlation once learned
};

}  // namespace shardscope::inline measure
