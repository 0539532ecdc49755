// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "views/scene/core/layouts.h"
#include "views/scene/story/held_now.h"

namespace shardscope::inline views {

// What pictures of one run ask again and again: found when it is first asked for, and kept until something
// else of its kind is asked. Of one thread; what was found before it is handed over may be read by another.
class FoundOnce {
 public:
  explicit FoundOnce(std::optional<EqualDevices> equal = std::nullopt) : equal_(std::move(equal)) {}
  const EqualDevices& equal(const ViewInput& input);
  const TermCounts& counts(const ViewInput& input, const std::vector<int32_t>& devices);
  const HeldNow& held(const Story& story, Picoseconds time);
  int64_t most_load(const ViewInput& input);

 private:
  struct Counted {
    size_t events = 0;  // none while they are still to be read
    std::vector<int32_t> devices;
    TermCounts counts;
  };
  std::optional<EqualDevices> equal_;
  std::optional<Counted> counted_;
  std::optional<HeldNow> held_;
  std::optional<int64_t> most_load_;
};

inline const EqualDevices& equal_devices(const ViewInput& input) {
  return input.found->equal(input);
}
// Of the devices that have rows; refers to what the next such question may replace, as the next does.
inline const TermCounts& term_counts(const ViewInput& input, const RowChoice& rows) {
  return input.found->counts(input, row_devices(input, rows));
}
// The input has a story.
inline const HeldNow& held_now(const ViewInput& input, Picoseconds time) {
  return input.found->held(*input.story, time);
}

// The most bytes that a step of the run puts on one link: the end of its scale of loads. The input has a
// story.
inline int64_t most_load(const ViewInput& input) {
  return input.found->most_load(input);
}

}  // namespace shardscope::inline views
