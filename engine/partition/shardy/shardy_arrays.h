// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/partition/propagate/propagation.h"
#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/shardy/axis_lists.h"
#include "engine/partition/types/open_ends.h"

namespace shardscope {

// Where the cut of a dimension began.
struct AxesOrigin {
  std::string instruction;
  int64_t dimension = 0;
};

// The axes of every array of a module while they spread. Invariant: axes are only added behind those that are
// there, so that spreading ends.
class ShardyArrays {
 public:
  // What the module says: Shardy's words where it has them, XLA's shardings as closed dimensions.
  static Result<ShardyArrays> make(const Program& module, int64_t devices, const OpenEnds& may_cut);

  const AxisMesh& mesh() const { return mesh_; }
  const std::string& note() const { return note_; }
  size_t first_leaf(InstructionPlace place) const;
  const ArrayAxes& axes(size_t array) const { return arrays_[array].axes; }
  const Shape& shape(size_t array) const { return arrays_[array].shape; }
  // Nothing spreads to or from what is in a manual region.
  bool takes_part(size_t array) const { return arrays_[array].takes_part; }
  const Instruction& instruction_of(size_t array) const;
  AxesOrigin origin_of(size_t array, size_t dimension) const;
  void set(size_t array, ArrayAxes axes) { arrays_[array].axes = std::move(axes); }
  void set_origin(size_t array, size_t dimension, AxesOrigin origin);
  std::string computation_of(size_t array) const;
  int64_t leaf_number(size_t array) const { return arrays_[array].number; }

  // Rounds of the users' priorities, the first is 0. What counts later is not there before its round.
  std::vector<int64_t> rounds() const;
  // Puts there what counts from this round on.
  void begin(int64_t round);
  // XLA's sharding of an array that is cut so; remembered.
  const Result<HloSharding>& sharding_of(const ArrayAxes& axes);
  // Writes what became of the arrays.
  Result<void> write(Program& module);
  // The same of the entry's parameters and results: axes that do not divide a dimension go, as Shardy has it,
  // since callers hold no padding.
  Result<void> write_even_ends(Program& module);

 private:
  struct Array {
    InstructionPlace place;
    int64_t number = 0;  // of its instruction's leaves
    Shape shape;
    ArrayAxes axes, said;
    std::vector<int64_t> priorities{};  // by dimension; empty: all are 0
    std::vector<AxesOrigin> origins{};
    bool takes_part = true;
  };
  // Of the leaves, where some are not even as they are.
  Result<std::optional<std::vector<HloSharding>>> even_shardings(InstructionPlace place);
  void add(const Instruction& instruction, Array array, std::optional<ArrayAxes> said, bool kept);

  const Program* module_ = nullptr;
  AxisMesh mesh_;
  std::string note_;
  std::vector<Array> arrays_;
  std::map<std::vector<int64_t>, Result<HloSharding>> known_;  // by the axes in numbers
  std::vector<std::vector<size_t>> first_;                     // [computation][instruction]
};

}  // namespace shardscope
