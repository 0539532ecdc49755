// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/numbered.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/shardy/axis_lists.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/open_ends.h"

namespace shardscope::inline partitioner {

// The axes of every array of a module while they spread; in numbers, since arrays are cut in few ways.
// Invariant: axes are only added behind those that are there, so that spreading ends.
class ShardyArrays {
 public:
  // What the module says: Shardy's words where it has them, XLA's shardings as closed dimensions.
  static Result<ShardyArrays> make(const Program& module, int64_t devices, const OpenEnds& may_cut);

  const AxisMesh& mesh() const { return mesh_; }
  const std::string& note() const { return note_; }
  size_t first_leaf(InstructionPlace place) const;
  uint32_t axes(size_t array) const { return arrays_[array].axes; }
  const ArrayAxes& axes_numbered(uint32_t axes) const { return axes_[axes]; }
  uint32_t number(ArrayAxes axes) { return axes_.number(std::move(axes)); }
  const std::vector<int64_t>& dims(size_t array) const;
  // Nothing spreads to or from what is in a region that is manual along all axes.
  bool takes_part(size_t array) const { return arrays_[array].takes_part; }
  void set(size_t array, uint32_t axes) { arrays_[array].axes = axes; }
  ArrayDimension dimension(size_t array, size_t dimension) const;
  // Where the cut of a dimension began.
  ArrayDimension& origin(size_t array, size_t dimension) {
    return origins_[arrays_[array].first_origin + dimension];
  }

  // Rounds of the users' priorities, the first is 0. What counts later is not there before its round.
  std::vector<int64_t> rounds() const;
  // Puts there what counts from this round on.
  void begin(int64_t round);
  // XLA's sharding of an array that is cut so; remembered.
  const Result<HloSharding>& sharding_of(uint32_t axes);
  // The same of all axes by number; replicated where XLA has none.
  std::vector<HloSharding> shardings();
  // Writes what became of the arrays.
  Result<void> write(Program& module);
  // The same of the entry's parameters and results: axes that do not divide a dimension go, as Shardy has it,
  // since callers hold no padding; with `whole_axes` those from the first that is not whole on too. How many
  // arrays these were of.
  Result<int64_t> write_ends(Program& module, bool whole_axes);

 private:
  struct Array {
    InstructionPlace place;
    int32_t number = 0;  // of its instruction's leaves
    bool takes_part = true;
    uint32_t axes = 0, said = 0;
    Rare<std::vector<int64_t>> priorities{};  // by dimension; empty: all are 0
    size_t first_origin = 0;
  };
  // Of the leaves, where some are not so as they are.
  Result<std::optional<std::vector<HloSharding>>> end_shardings(InstructionPlace place, bool whole_axes,
                                                                int64_t& were_parts);
  void add(Array array, std::optional<ArrayAxes> said, bool kept, const AxisList& manual);
  // Along a region's manual axes an array that enters or leaves it is cut as it says, and no further.
  void close_edges(const ModuleRegions& regions, const std::vector<std::optional<AxisList>>& manual);

  const Program* module_ = nullptr;
  AxisMesh mesh_;
  std::string note_;
  std::vector<Array> arrays_;
  std::vector<ArrayDimension> origins_;  // of the arrays' dimensions
  Numbered<ArrayAxes> axes_;
  std::vector<std::optional<Result<HloSharding>>> known_;  // by axes
  std::vector<std::vector<size_t>> first_;                 // [computation][instruction]
};

}  // namespace shardscope::inline partitioner
