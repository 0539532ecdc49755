// SPDX-License-Identifier: Apache-2.0
// Which algorithm is legal for which collective, and what makes it.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/collectives/collective.h"
#include "engine/collectives/ring.h"

namespace shardscope {

namespace {

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;
using Schedule = std::shared_ptr<const CollectiveSchedule>;

struct Group {
  Kind kind;
  int32_t ranks;
  const GroupTopology& topology;
  int64_t bytes;

  // Two ranks have one link each way: halves would share it and pay its latency twice.
  bool round() const { return (topology.wraps || topology.all_pairs) && ranks > 2; }
  bool one_axis() const { return topology.axes.size() <= 1; }
};

Schedule ring_of(const Group& g, RingForm form) {
  return std::make_shared<RingSchedule>(g.kind, g.round() ? form : RingForm::line, g.ranks, g.one_axis());
}

struct Legal {
  Algorithm algorithm;
  std::vector<Kind> kinds;
  Result<Schedule> (*make)(const Group& group);
};

const std::vector<Kind> kGathersAndSums = {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce};

const std::vector<Legal>& table() {
  static const std::vector<Legal> rows = {
      {Algorithm::ring, kGathersAndSums,
       [](const Group& g) -> Result<Schedule> { return ring_of(g, RingForm::one_way); }},
      {Algorithm::bidirectional, kGathersAndSums,
       [](const Group& g) -> Result<Schedule> { return ring_of(g, RingForm::halves); }},
      {Algorithm::bidirectional_whole, kGathersAndSums,
       [](const Group& g) -> Result<Schedule> { return ring_of(g, RingForm::whole); }},
      {Algorithm::bidirectional_whole_oneside, kGathersAndSums,
       [](const Group& g) -> Result<Schedule> { return ring_of(g, RingForm::whole_oneside); }},
  };
  return rows;
}

bool is_for(const Legal& row, Kind kind) {
  return std::find(row.kinds.begin(), row.kinds.end(), kind) != row.kinds.end();
}

}  // namespace

std::vector<CollectiveAlgorithm> algorithms_for(CollectiveKind kind) {
  std::vector<CollectiveAlgorithm> out;
  for (const Legal& row : table()) {
    if (is_for(row, kind)) out.push_back(row.algorithm);
  }
  return out;
}

std::string algorithm_words(CollectiveKind kind) {
  std::vector<std::string> words;
  for (const CollectiveAlgorithm algorithm : algorithms_for(kind)) words.emplace_back(name(algorithm));
  return join(words, ", ");
}

Result<Schedule> lower(CollectiveKind kind, CollectiveAlgorithm algorithm, int32_t ranks,
                       const GroupTopology& topology, int64_t bytes) {
  if (ranks < 1) return invalid(fmt::format("a collective needs at least one device, got {}", ranks));
  const Algorithm chosen = chosen_algorithm(algorithm, ranks, topology);
  for (const Legal& row : table()) {
    if (row.algorithm == chosen && is_for(row, kind)) return row.make({kind, ranks, topology, bytes});
  }
  return invalid(fmt::format("{} does not go by {}", name(kind), name(chosen)), "",
                 fmt::format("{} goes by auto, {}", name(kind), algorithm_words(kind)));
}

CollectiveAlgorithm chosen_algorithm(CollectiveAlgorithm asked, int32_t ranks,
                                     const GroupTopology& topology) {
  if (asked != CollectiveAlgorithm::automatic) return asked;
  return topology.wraps && !topology.all_pairs && ranks > 2 ? CollectiveAlgorithm::bidirectional
                                                            : CollectiveAlgorithm::ring;
}

}  // namespace shardscope
