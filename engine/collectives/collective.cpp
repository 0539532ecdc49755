// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/collective.h"

#include <array>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope {

namespace {

constexpr std::array<const char*, 7> kKindNames = {"all-gather",        "reduce-scatter",       "all-reduce",
                                                   "all-to-all",        "collective-broadcast", "reduce",
                                                   "collective-permute"};
constexpr std::array<const char*, 16> kAlgorithmNames = {"auto",
                                                         "ring",
                                                         "bidirectional",
                                                         "bidirectional.whole",
                                                         "doubling",
                                                         "halving-doubling",
                                                         "bruck",
                                                         "direct",
                                                         "tree",
                                                         "binomial",
                                                         "chain",
                                                         "torus",
                                                         "hierarchical",
                                                         "shift",
                                                         "torus.bidirectional",
                                                         "bidirectional.whole_oneside"};

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

}  // namespace shardscope
