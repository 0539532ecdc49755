// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/collectives/choose.h"
#include "engine/collectives/group_place.h"
#include "engine/program/ir/program.h"
#include "engine/schedule/fabric.h"

namespace shardscope {

// How the members of a group stand on the mesh of a fabric.
GroupPlace group_place(const Mesh& mesh, const Fabric& fabric, const std::vector<int32_t>& members);

// Finds the algorithms of a program's collectives; like ones are looked at once.
class AlgorithmFinder {
 public:
  AlgorithmFinder(const Program& program, const Fabric& fabric, CollectiveAlgorithm asked)
      : program_(program), fabric_(fabric), asked_(asked) {}

  struct Found {
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::automatic;
    std::string why;      // automatic chose it
    std::string ignored;  // the algorithm that was asked for is none of this kind
  };
  // The instruction's own word; else what was asked for, if it is a word for this kind; else the fastest.
  Result<Found> find(const Instruction& instruction, int32_t ranks, const GroupPlace& shape);

 private:
  struct Known {
    CollectiveKind kind;
    int32_t ranks;
    int64_t bytes;
    GroupTopology topology;
    CollectiveAlgorithm algorithm;
    std::string why;
  };
  const Known& fastest(CollectiveKind kind, int32_t ranks, int64_t bytes, const GroupTopology& topology);

  const Program& program_;
  const Fabric& fabric_;
  CollectiveAlgorithm asked_;
  std::vector<Known> known_;
};

}  // namespace shardscope
