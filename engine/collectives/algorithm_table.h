// SPDX-License-Identifier: Apache-2.0
// What algorithms there are, for which collectives and groups: help, refusals, the candidates of `auto` and
// the window's list are read off these rows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/collectives/collective.h"

namespace shardscope::inline collectives {

struct CollectiveGroup;

// What an algorithm needs of the group, whatever the kind.
enum class GroupNeed : uint8_t {
  any,
  ring,  // more than two ranks whose links close to a ring; elsewhere it is the same as another row
  power_of_two,
  two_axes,           // the group spans two or more mesh axes
  nodes_or_two_axes,  // … or nodes of equal size of a two-level machine
};

struct AlgorithmRow {
  CollectiveAlgorithm id = CollectiveAlgorithm::automatic;
  const char* word = "";
  uint8_t kinds = 0;  // a bit each
  GroupNeed need = GroupNeed::any;
  const char* does = "";
  Result<std::shared_ptr<const CollectiveSchedule>> (*make)(const CollectiveGroup& group) = nullptr;

  bool is_for(CollectiveKind kind) const { return (kinds >> static_cast<int>(kind) & 1) != 0; }
};
// Without `auto`, which is no algorithm but the choice of one.
std::span<const AlgorithmRow> collective_algorithms();

// Whether the group has what the row needs; the error says what it lacks and what is legal there.
Result<void> check_legal(const AlgorithmRow& row, const CollectiveGroup& group);
// The algorithms of a kind that are legal on a group and differ there: `auto` chooses among them.
std::vector<CollectiveAlgorithm> distinct_algorithms(CollectiveKind kind, int32_t ranks,
                                                     const GroupTopology& topology);

// For the help of an option: every word, and what groups the particular ones need.
std::string legality_help();

}  // namespace shardscope::inline collectives
