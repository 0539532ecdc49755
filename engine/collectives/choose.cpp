// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/choose.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/collectives/algorithm_table.h"
#include "engine/collectives/link_load.h"

namespace shardscope::inline collectives {

namespace {

// Of long schedules every k-th step is looked at, as what follows each other in them is alike: as many steps
// as all ranks together send this many messages in, but no fewer than that many steps.
constexpr int32_t kMostMessages = 1 << 17;
constexpr int32_t kFewestSteps = 32;

TimedAlgorithm estimate(CollectiveAlgorithm algorithm, const CollectiveSchedule& schedule, LinkLoad& load,
                        double bytes) {
  const int32_t looked_at = std::max(kFewestSteps, kMostMessages / schedule.ranks());
  const int32_t stride = (schedule.steps() + looked_at - 1) / looked_at;
  TimedAlgorithm timed{algorithm};
  for (int32_t s = 0; s < schedule.steps(); s += stride) {
    const int32_t span = std::min(stride, schedule.steps() - s);
    timed.seconds += load.step_seconds(schedule, s + span / 2, bytes) * span;
    timed.events += load.step_events() * span;
  }
  return timed;
}

// Everyone to everyone among thousands, each different: never the fastest over shared links, and slow to add
// up.
bool too_many_at_once(const CollectiveSchedule& schedule, CollectiveAlgorithm algorithm) {
  constexpr int32_t kMostDirect = 2048;
  return algorithm == CollectiveAlgorithm::direct && schedule.ranks() > kMostDirect &&
         schedule.kind() != CollectiveKind::broadcast && schedule.kind() != CollectiveKind::reduce &&
         !schedule.rotation_symmetric();
}

std::string why_of(const std::vector<TimedAlgorithm>& timed) {
  std::string text = fmt::format("{}: {}", name(timed[0].algorithm), format_seconds(timed[0].seconds));
  for (size_t i = 1; i < std::min(timed.size(), kSaidOf); ++i) {
    text += fmt::format("{} {} by {}", i == 1 ? ", against" : " and", format_seconds(timed[i].seconds),
                        name(timed[i].algorithm));
  }
  return text;
}

}  // namespace

AlgorithmChoice choose(CollectiveKind kind, int32_t ranks, const GroupTopology& topology, int64_t bytes,
                       const LinkCosts& costs) {
  CHECK(kind != CollectiveKind::permute, "a permute goes one way");
  std::vector<TimedAlgorithm> timed;
  LinkLoad load(ranks, topology, costs);
  for (const CollectiveAlgorithm algorithm : distinct_algorithms(kind, ranks, topology)) {
    const auto schedule = lower(kind, algorithm, ranks, topology, bytes);
    if (schedule.ok() && !too_many_at_once(**schedule, algorithm)) {
      timed.push_back(estimate(algorithm, **schedule, load, static_cast<double>(bytes)));
    }
  }
  CHECK(!timed.empty(), name(kind), ranks);
  return decide(std::move(timed));
}

AlgorithmChoice decide(std::vector<TimedAlgorithm> timed) {
  AlgorithmChoice choice;
  choice.timed = std::move(timed);
  // By picoseconds: of equals the earlier in the table of algorithms wins, whatever the last bits say.
  const auto key = [](const TimedAlgorithm& t) {
    return std::pair(std::llround(t.seconds * 1e12), t.algorithm);
  };
  std::sort(choice.timed.begin(), choice.timed.end(),
            [&](const TimedAlgorithm& a, const TimedAlgorithm& b) { return key(a) < key(b); });
  choice.algorithm = choice.timed[0].algorithm;
  choice.why = choice.timed[0].seconds > 0 ? why_of(choice.timed) : "nothing is sent";
  return choice;
}

}  // namespace shardscope::inline collectives
