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
  // Whether its launch is known; true where no launch is.
  bool run(int64_t correlation, ClockTime start, Picoseconds duration);
  // Each from its first kernel to the next one's, the last to its last kernel's end; where nothing is known
  // of launches the marks themselves.
  Result<void> finish(int16_t device, TraceBuilder& builder) const;

 private:
  struct Step {
    ClockTime start;  // on the host
    Picoseconds duration = 0;
    std::optional<ClockTime> first, last;  // on the device: start and end
  };
  std::map<std::string, std::vector<Step>> marks_;  // by name without its number
  std::vector<Step> steps_;
  std::vector<std::pair<int64_t, ClockTime>> launches_;  // by correlation once learned
};

}  // namespace shardscope::inline measure
