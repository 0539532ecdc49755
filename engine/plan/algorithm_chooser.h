// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/collectives/choose.h"
#include "engine/hardware/hardware.h"

namespace shardscope::inline planner {

// What an algorithm is chosen, and a schedule made, for.
struct CollectiveShape {
  CollectiveKind kind;
  int32_t ranks;
  int64_t bytes;  // of the whole array
  GroupTopology topology;
  bool operator==(const CollectiveShape&) const = default;
};

// A collective whose algorithm is asked for, and the links that it goes over.
struct CollectiveQuery {
  CollectiveShape shape;
  LinkCosts costs;
  std::vector<LinkOp> rows{};  // of its kind, where the chip's measurements time it
  bool operator==(const CollectiveQuery&) const = default;
};

// Who knows by which algorithm a collective ends first.
class AlgorithmChooser {
 public:
  struct Choice {
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
    std::string why;  // as AlgorithmChoice says it; empty: nobody asks why
  };
  virtual ~AlgorithmChooser() = default;
  virtual bool knows(const CollectiveQuery& asked) const = 0;  // without looking for it
  // None when told to stop: on thousands of ranks it takes minutes.
  virtual std::optional<Choice> of(const CollectiveQuery& asked, const std::stop_token& stop) = 0;
};

}  // namespace shardscope::inline planner
