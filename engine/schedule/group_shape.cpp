// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/group_shape.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/collectives/opcode_kind.h"

namespace shardscope {

GroupPlace group_place(const Mesh& mesh, const Fabric& fabric, const std::vector<int32_t>& members) {
  MeshLinks links{fabric.all_pairs(), fabric.node(), {}};
  for (int axis = 0; axis < mesh.rank(); ++axis) links.wraps.push_back(fabric.axis_wraps(axis));
  return place_group(mesh, links, {members.begin(), members.end()});
}

const AlgorithmFinder::Known& AlgorithmFinder::fastest(CollectiveKind kind, int32_t ranks, int64_t bytes,
                                                       const GroupTopology& topology) {
  for (const Known& known : known_) {
    if (known.kind == kind && known.ranks == ranks && known.bytes == bytes && known.topology == topology)
      return known;
  }
  Known& fresh = known_.emplace_back(Known{kind, ranks, bytes, topology, CollectiveAlgorithm::automatic, ""});
  if (fabric_.link_error().ok()) {
    AlgorithmChoice choice = choose(kind, ranks, topology, bytes, fabric_.link_costs());
    fresh.algorithm = choice.algorithm;
    fresh.why = std::move(choice.why);
  } else {
    fresh.algorithm = chosen_algorithm(CollectiveAlgorithm::automatic, ranks, topology);
  }
  return fresh;
}

Result<AlgorithmFinder::Found> AlgorithmFinder::find(const Instruction& i, int32_t ranks,
                                                     const GroupPlace& shape) {
  const CollectiveKind kind = collective_kind(i).value();
  Found found;
  CollectiveAlgorithm wanted = asked_;
  if (wanted != CollectiveAlgorithm::automatic) {
    const std::vector<CollectiveAlgorithm> words = algorithms_for(kind);
    if (std::find(words.begin(), words.end(), wanted) == words.end()) {
      found.ignored = fmt::format("no {} goes by {}: it goes by the fastest of {}", name(kind), name(wanted),
                                  algorithm_words(kind));
      wanted = CollectiveAlgorithm::automatic;
    }
  }
  const bool asked_nothing = wanted == CollectiveAlgorithm::automatic;
  if (!i.algorithm.empty()) {
    TRY(wanted, parse_collective_algorithm(i.algorithm));
  }
  if (asked_nothing || wanted == CollectiveAlgorithm::automatic) {
    const int64_t bytes = collective_bytes(program_.entry_computation(), i, ranks);
    const Known& best = fastest(kind, ranks, bytes, shape.topology);
    if (wanted == CollectiveAlgorithm::automatic) wanted = best.algorithm;
    if (wanted == best.algorithm) found.why = best.why;
  }
  found.algorithm = wanted;
  return found;
}

}  // namespace shardscope
