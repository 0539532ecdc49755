// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/choose.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/collectives/link_load.h"
#include "engine/collectives/lower.h"

namespace shardscope {

namespace {

// Of long schedules every k-th step is looked at: what follows each other in them is alike.
constexpr int32_t kMostSteps = 256;

double seconds_of(const CollectiveSchedule& schedule, LinkLoad& load, double bytes) {
  const int32_t stride = (schedule.steps() + kMostSteps - 1) / kMostSteps;
  double seconds = 0;
  for (int32_t s = 0; s < schedule.steps(); s += stride) {
    seconds += load.step_seconds(schedule, s, bytes) * std::min(stride, schedule.steps() - s);
  }
  return seconds;
}

std::string why_of(const std::vector<TimedAlgorithm>& timed) {
  std::string text = fmt::format("{}: {}", name(timed[0].algorithm), format_seconds(timed[0].seconds));
  for (size_t i = 1; i < std::min<size_t>(timed.size(), 3); ++i) {
    text += fmt::format("{} {} by {}", i == 1 ? ", against" : " and", format_seconds(timed[i].seconds),
                        name(timed[i].algorithm));
  }
  return text;
}

}  // namespace

AlgorithmChoice choose(CollectiveKind kind, int32_t ranks, const GroupTopology& topology, int64_t bytes,
                       const LinkCosts& costs) {
  CHECK(kind != CollectiveKind::permute, "a permute goes one way");
  AlgorithmChoice choice;
  LinkLoad load(ranks, topology, costs);
  for (const CollectiveAlgorithm algorithm : distinct_algorithms(kind, ranks, topology)) {
    const auto schedule = lower(kind, algorithm, ranks, topology, bytes);
    if (schedule.ok()) {
      choice.timed.push_back({algorithm, seconds_of(**schedule, load, static_cast<double>(bytes))});
    }
  }
  CHECK(!choice.timed.empty(), name(kind), ranks);
  // By picoseconds: of equals the earlier in the table of algorithms wins, whatever the last bits say.
  std::stable_sort(choice.timed.begin(), choice.timed.end(),
                   [](const TimedAlgorithm& a, const TimedAlgorithm& b) {
                     return std::llround(a.seconds * 1e12) < std::llround(b.seconds * 1e12);
                   });
  choice.algorithm = choice.timed[0].algorithm;
  choice.why = choice.timed[0].seconds > 0 ? why_of(choice.timed) : "nothing is sent";
  return choice;
}

}  // namespace shardscope
