// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/measure/import/profile.h"

namespace shardscope::inline measure {

struct FoundSteps {
  std::vector<TimeRange> steps;
  int16_t device = 0;  // whose they are
  std::string note;    // what is to be known of them, empty: nothing
};
// Steps of a trace whose devices mark none. The host's own marks, where the devices work within them; where
// the host runs ahead of its devices as many steps as it marks, each as long as its part of the work. Without
// marks: where a module's work comes again, each of its instructions as often. What other modules do as often
// is of the steps too, on all devices: in front of that module's first run and behind its last one. `events`
// are by start, their operations known.
FoundSteps find_steps(const std::vector<ProfiledOperation>& operations,
                      const std::vector<MeasuredEvent>& events,
                      const std::map<std::string, std::vector<TimeRange>>& marks);

}  // namespace shardscope::inline measure
