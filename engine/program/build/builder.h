// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/build/builder_value.h"
#include "engine/program/ir/mesh_place.h"
#include "engine/program/ir/problem.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// Writes a Program the way the papers and shard_map do. The first error sticks: later calls do nothing and
// finish() returns it as "cannon: needs a square mesh, got row=2, col=4". Roles (row, col, depth) stand for
// the user's axes. Products of 16-bit types and their sums are held in problem.accumulate until finish()
// rounds them.
class SpmdBuilder {
 public:
  // `roles`: role -> axis of the mesh; a role that is not in it stands for the axis of the same name.
  SpmdBuilder(std::string strategy, const Mesh& mesh, const MatmulProblem& problem,
              std::map<std::string, std::string> roles = {});
  ~SpmdBuilder();
  SpmdBuilder(const SpmdBuilder&) = delete;
  SpmdBuilder& operator=(const SpmdBuilder&) = delete;

  // Refusals: require(m == n, "needs n = m, got ...").
  void require(bool condition, std::string_view message);
  // "m must be divisible by rows, got m=10, rows=4", for one role or the product of several.
  void require_divisible(std::string_view what, int64_t quantity, const std::vector<std::string>& roles);
  // "n/cols must be even, got 3", about quantity / size(role).
  void require_even(std::string_view what, int64_t quantity, std::string_view role);
  void fail(Error error);
  bool ok() const;

  // The mesh.
  bool has_axis(std::string_view role) const;
  int64_t size(std::string_view role) const;      // 1 after an error
  Index axis_index(std::string_view role);        // this device's coordinate
  std::string axis(std::string_view role) const;  // the user's axis name
  // In messages: "rows", "cols", or the name of any other axis.
  std::string axis_count(std::string_view role) const;

  // Inputs: global dims and spec by role names; gives the local shard. Dims must divide.
  Value input(ArrayRole role, std::vector<int64_t> dims, PartitionSpec spec, bool transposed = false);
  Value operand(std::string symbol, std::vector<int64_t> dims, PartitionSpec spec);  // beside X and W
  Value zeros(std::vector<int64_t> dims);  // of the accumulation type
  Value zeros(std::vector<int64_t> dims, ElementType type);
  // This device's row of a constant table of s32, by its place on the axis.
  Value table_row(const std::vector<std::vector<int64_t>>& rows, std::string_view role);
  // From now on inputs and results are arrays that only the devices at `coordinate` hold.
  void home(std::string_view role, int64_t coordinate);

  // Data movement on one device; free in the cost model. What would change nothing is left out.
  Value slice(Value v, size_t dim, int64_t start, int64_t size);
  Value dynamic_slice(Value v, size_t dim, Index start, int64_t size);  // clamped like HLO
  Value dynamic_update_slice(Value target, Value update, size_t dim, Index start);
  Value concatenate(const std::vector<Value>& values, size_t dim);
  Value reshape(Value v, std::vector<int64_t> dims);

  // Arithmetic.
  Value add(Value a, Value b);
  Value dot(Value lhs, Value rhs, std::vector<int64_t> lhs_contracting, std::vector<int64_t> rhs_contracting);
  // Rows of lhs[m,k], group after group of the given sizes, times the group's own matrix of rhs[g,k,n]; zeros
  // below the last group.
  Value ragged_dot(Value lhs, Value rhs, Value group_sizes);
  Value convert(Value v, ElementType type);
  Value relu(Value v);
  Value stored(Value v);  // rounded to the problem's type, as an array that a chain keeps

  // Communication over one axis; nothing when its size is 1. `dim` grows or shrinks by the axis size.
  Value all_gather(Value v, std::string_view role, size_t dim);
  Value reduce_scatter(Value v, std::string_view role, size_t dim);
  Value all_reduce(Value v, std::string_view role);
  // Part i of `dim` goes to device i of the axis; what came from device i is part i.
  Value all_to_all(Value v, std::string_view role, size_t dim);
  // Rows of v to rows of `target`, which keeps its others. Entry r·updates + u of a table is about the u-th
  // message to rank r (received: from rank r); `updates` is the same for all.
  struct RaggedTables {
    Value input_offsets, send_sizes, output_offsets, receive_sizes;
  };
  Value ragged_all_to_all(Value v, Value target, std::string_view role, const RaggedTables& tables);
  Value shift(Value v, std::string_view role,
              int64_t distance);  // to the device `distance` further on, around
  // One member of each group, `root`, gives v to the others, or is alone to get the sum (the others must not
  // use the result, which is zeros). A root may depend on where the group is, as in Fox's row i: (i + t) mod
  // q.
  using RootOf = std::function<int64_t(const MeshPlace&)>;
  Value broadcast(Value v, std::string_view role, int64_t root);
  Value broadcast(Value v, std::string_view role, const RootOf& root);
  Value reduce(Value v, std::string_view role, int64_t root);
  Value reduce(Value v, std::string_view role, const RootOf& root);
  // Each device's v to the place that `target` gives for its own, as in Cannon's skew: no two to the same.
  Value permute(Value v, const std::function<MeshPlace(const MeshPlace&)>& target);
  // Communication written from now on starts only when `done` is there, so that buffers are free again.
  void after(Value done);  // nothing yet: starts as soon as it can

  // Provenance of what follows.
  void step(int k);                      // the algorithm's step; -1: none
  int next_step() const;                 // one past the highest so far: where a chain's next product begins
  void phase(std::string_view op_name);  // "gather W over row"
  void choice(std::string name, std::string value);

  // A chain's outputs beside the main one, and what all of them are (Program::definitions).
  void result(std::string symbol, Value v, std::vector<int64_t> dims, PartitionSpec spec);
  void define(std::string definition);

  // What finish() rounds its result to, where that is not the problem's type.
  void result_type(ElementType type);
  // The verified program, or the first error.
  Result<Program> finish(Value result, ArrayRole role, std::vector<int64_t> dims, PartitionSpec spec,
                         std::vector<std::string> unreduced = {});

 private:
  friend class Value;
  friend Index operator+(Index a, Index b);
  friend Index operator-(Index a, Index b);
  friend Index operator*(Index a, Index b);
  friend Index operator%(Index a, int64_t modulus);
  friend Index min(Index a, int64_t b);
  friend Index max(Index a, int64_t b);
  Index bounded(Opcode opcode, Index a, int64_t bound);
  struct State;
  struct Range {
    int64_t lowest = 0, highest = 0;
  };

  Value emit(Instruction instruction);
  Value parameter(ArrayInfo info, std::string name);
  Value tuple(std::vector<InstructionId> elements);
  ArrayInfo output_info(ArrayRole role, std::string symbol, Value v, std::vector<int64_t> dims,
                        const PartitionSpec& spec, std::vector<std::string> unreduced);
  const Shape& shape_of(Value v) const;
  const ReplicaGroups& rooted_groups(std::string_view role, const RootOf& root);
  InstructionId scalar(Opcode opcode, ElementType type, std::vector<InstructionId> operands,
                       std::string literal = "");
  InstructionId scalar_constant(ElementType type, int64_t value);
  InstructionId materialize(Index index);
  Range range_of(Index index) const;
  Index ranged(InstructionId id, int64_t lowest, int64_t highest);
  std::vector<InstructionId> starts(size_t rank, size_t dim, Index start);

  std::unique_ptr<State> state_;
};

}  // namespace shardscope
