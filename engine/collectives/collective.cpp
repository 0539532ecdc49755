// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/collective.h"

#include <array>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/collectives/ring.h"

namespace shardscope {

namespace {

constexpr std::array<const char*, 7> kKindNames = {"all-gather",        "reduce-scatter",       "all-reduce",
                                                   "all-to-all",        "collective-broadcast", "reduce",
                                                   "collective-permute"};
constexpr std::array<const char*, 13> kAlgorithmNames = {"auto",          "ring",
                                                         "bidirectional", "bidirectional.whole",
                                                         "doubling",      "halving-doubling",
                                                         "bruck",         "direct",
                                                         "tree",          "binomial",
                                                         "chain",         "torus",
                                                         "hierarchical"};

Result<RingForm> ring_form(CollectiveAlgorithm algorithm, int32_t ranks, GroupTopology topology) {
  // Two ranks have one link each way: halves would share it and pay its latency twice.
  const bool round = (topology.wraps || topology.all_pairs) && ranks > 2;
  switch (algorithm) {
    case CollectiveAlgorithm::automatic:
      if (!round) return RingForm::line;
      return topology.all_pairs ? RingForm::one_way : RingForm::halves;
    case CollectiveAlgorithm::ring:
      return round ? RingForm::one_way : RingForm::line;
    case CollectiveAlgorithm::bidirectional:
      return round ? RingForm::halves : RingForm::line;
    case CollectiveAlgorithm::bidirectional_whole:
      return round ? RingForm::whole : RingForm::line;
    default:
      return invalid(fmt::format("collective algorithm '{}' is not available yet", name(algorithm)), "",
                     "use auto, ring, bidirectional or bidirectional.whole");
  }
}

}  // namespace

const char* name(CollectiveKind kind) {
  return kKindNames[static_cast<size_t>(kind)];
}
const char* name(CollectiveAlgorithm algorithm) {
  return kAlgorithmNames[static_cast<size_t>(algorithm)];
}

Result<CollectiveAlgorithm> parse_collective_algorithm(std::string_view text) {
  std::vector<std::string> words;
  for (size_t i = 0; i < kAlgorithmNames.size(); ++i) {
    if (trim(text) == kAlgorithmNames[i]) return static_cast<CollectiveAlgorithm>(i);
    words.emplace_back(kAlgorithmNames[i]);
  }
  const auto near = nearest(trim(text), words);
  return invalid(fmt::format("unknown collective algorithm '{}'", trim(text)), "",
                 near ? fmt::format("did you mean {}?", *near) : "use one of " + join(words, ", "));
}

Result<std::shared_ptr<const CollectiveSchedule>> lower(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                                        int32_t ranks, GroupTopology topology) {
  if (ranks < 1) return invalid(fmt::format("a collective needs at least one device, got {}", ranks));
  if (kind != CollectiveKind::all_gather && kind != CollectiveKind::reduce_scatter &&
      kind != CollectiveKind::all_reduce) {
    return invalid(fmt::format("{} has no transfer schedule yet", name(kind)), "",
                   "use all-gather, reduce-scatter, all-reduce or collective-permute");
  }
  TRY(const RingForm form, ring_form(algorithm, ranks, topology));
  return std::shared_ptr<const CollectiveSchedule>(std::make_shared<RingSchedule>(kind, form, ranks));
}

CollectiveAlgorithm chosen_algorithm(CollectiveAlgorithm asked, int32_t ranks, GroupTopology topology) {
  if (asked != CollectiveAlgorithm::automatic) return asked;
  return topology.wraps && !topology.all_pairs && ranks > 2 ? CollectiveAlgorithm::bidirectional
                                                            : CollectiveAlgorithm::ring;
}

}  // namespace shardscope
