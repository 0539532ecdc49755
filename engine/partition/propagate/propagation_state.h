// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/partition/propagate/propagation.h"
#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/types/open_ends.h"
#include "engine/sharding/tiling.h"

namespace shardscope::inline partitioner {

// The tilings of every array of a module while they spread, and the record of how. Invariant: an offer that
// is taken makes more tiles, so that spreading ends.
class PropagationState {
 public:
  using Pass = PropagationStep::Pass;

  // Reads the annotations.
  static Result<PropagationState> make(const Program& module, int64_t devices, const OpenEnds& may_split);

  // Places of the leaves of an instruction: first, first+1, …
  size_t first_leaf(ComputationId computation, InstructionId instruction) const;
  const std::optional<Tiling>& tiling(size_t leaf) const { return leaves_[leaf].tiling; }

  // Offers `to` a tiling that its neighbour `from` stands for; true when that split something further.
  bool offer(size_t to, Tiling candidate, size_t from, Pass pass, int level);

  // How often a leaf was split so far, and the number of the last time that this one was; 0: never.
  int64_t changes() const { return changes_; }
  int64_t changed(size_t leaf) const { return leaves_[leaf].changed; }

  // Hands over the steps, and writes the tilings onto the arrays that had no sharding.
  void write(Program& module, PropagatedModule& out) &&;

 private:
  struct Leaf {
    enum class Kind { open, said, in_region };  // said: by the module, or kept as it is
    ComputationId computation;
    InstructionId instruction;
    int64_t number = 0;
    Shape shape;
    std::optional<Tiling> tiling;
    Kind kind = Kind::open;
    std::vector<ArrayDimension> origins;  // by dimension: where its cut began
    int64_t changed = 0;
  };
  Result<void> add_leaves(InstructionPlace place, bool in_region, const OpenEnds& may_split);
  void take(Leaf& to, Tiling tiling, const Leaf& from, Pass pass, int level);
  // A tiling that steps led to: its place among the shardings, and by dimension among the cuts.
  struct Known {
    uint32_t sharding = 0;
    std::vector<uint32_t> cuts;
  };
  const Known& known(const Tiling& tiling);

  const Program* module_ = nullptr;
  int64_t devices_ = 1;
  Mesh mesh_;  // for the names of its axes
  std::vector<Leaf> leaves_;
  std::vector<std::vector<size_t>> first_;  // [computation][instruction]
  std::vector<PropagationStep> steps_;
  int64_t changes_ = 0;
  // By counts and order: a module has few different tilings.
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, Known> known_;
  std::vector<HloSharding> shardings_;
  std::vector<std::string> cuts_;
};

// XLA's levels one after the other, each until nothing changes.
void spread_by_tiles(const Program& module, PropagationState& state, const std::stop_token& stop);

}  // namespace shardscope::inline partitioner
