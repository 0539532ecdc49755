// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/build/builder_value.h"
#include "engine/program/ir/mesh_place.h"
#include "engine/program/ir/problem.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// Writes a Program the way the papers and shard_map do. The first error sticks: later calls do nothing and
// finish() returns it as "cannon: needs a square mesh, got row=2, col=4". Roles (row, col, depth) stand for
// the user's axes. Products of 16-bit types and their sums are held in problem.accumulate until finish()
// rounds them. Whatever moves or multiplies says what it does: "gather W over col", "partial Y = X W".
class SpmdBuilder {
 public:
  // `roles`: role -> axis of the mesh; a role that is not in it stands for the axis of the same name. A step
  // that begins after `stop` was asked for is an error, cancelled.
  SpmdBuilder(std::string strategy, const Mesh& mesh, const MatmulProblem& problem,
              std::map<std::string, std::string> roles = {}, std::stop_token stop = {});
  ~SpmdBuilder();
  SpmdBuilder(const SpmdBuilder&) = delete;
  SpmdBuilder& operator=(const SpmdBuilder&) = delete;

  // What the algorithm needs, refused where it is not so. The sentence, "n must equal m, got m=4, n=5", also
  // makes the entry in needs(): "n equals m".
  void require(bool condition, std::string_view sentence);
  // "m must be divisible by rows, got m=10, rows=4", for one role or the product of several.
  void require_divisible(std::string_view what, int64_t quantity, const std::vector<std::string>& roles);
  // The same by a number that has a name of its own: lcm(rows,cols).
  void require_multiple(std::string_view what, int64_t quantity, const std::string& of, int64_t divisor);
  // "n/cols must be even, got 3", about quantity / size(role).
  void require_even(std::string_view what, int64_t quantity, std::string_view role);
  // As many rows as columns; gives their number. `where` follows "needs a square mesh" in the refusal.
  int64_t require_square(std::string_view where = "");
  // Refuses what is no need of the algorithm: an option's value, sizes beyond what is handled.
  void limit(bool condition, std::string_view message);
  void fail(Error error);
  bool ok() const;
  // All that was required so far, held or not, in the order of the calls: "rows divide m", "k/cols even".
  const std::vector<std::string>& needs() const;

  // The problem and the mesh.
  const MatmulProblem& problem() const;
  // Role -> axis. From then on names are those of the mesh's axes, as in the specs that users give.
  std::map<std::string, std::string> take_roles();
  bool has_axis(std::string_view role) const;
  int64_t size(std::string_view role) const;      // 1 after an error
  Index axis_index(std::string_view role);        // this device's coordinate
  std::string axis(std::string_view role) const;  // the user's axis name
  // In messages: "rows", "cols", or the name of any other axis.
  std::string axis_count(std::string_view role) const;

  // Inputs: global dims and spec by role names; gives the local shard. Dims must divide.
  Value input(ArrayRole role, std::vector<int64_t> dims, PartitionSpec spec, bool transposed = false);
  // X and W by the letters of the problem's sizes, as they are stored: "mk", or "km" for X transposed. Of X
  // devices may hold partial sums along `unreduced` roles.
  Value lhs(std::string_view letters, PartitionSpec spec, std::vector<std::string> unreduced = {});
  Value rhs(std::string_view letters, PartitionSpec spec);
  Value operand(const std::string& symbol, std::string_view letters, PartitionSpec spec);  // beside X and W
  // Where its sizes are not the problem's; `sizes` says them: "experts*k,n".
  Value operand(const std::string& symbol, std::vector<int64_t> dims, PartitionSpec spec,
                std::string_view sizes);
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

  // Communication over one axis; nothing when its size is 1. `dim` grows or shrinks by the axis size. Or over
  // several at once, the first the most significant.
  using Roles = std::vector<std::string>;
  Value all_gather(Value v, std::string_view role, size_t dim);
  Value all_gather(Value v, const Roles& roles, size_t dim);
  Value reduce_scatter(Value v, std::string_view role, size_t dim);
  Value reduce_scatter(Value v, const Roles& roles, size_t dim);
  Value all_reduce(Value v, std::string_view role);
  Value all_reduce(Value v, const Roles& roles);
  // Part i of `dim` goes to device i of the axis; what came from device i is part i.
  Value all_to_all(Value v, std::string_view role, size_t dim);
  Value all_to_all(Value v, const Roles& roles, size_t dim);
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
  Value broadcast(Value v, std::string_view role, const RootOf& root, std::string_view what = "");
  Value reduce(Value v, std::string_view role, int64_t root);
  Value reduce(Value v, std::string_view role, const RootOf& root);
  // Each device's v to the place that `target` gives for its own, as in Cannon's skew: no two to the same.
  // `what`: how the paper calls it.
  Value permute(Value v, const std::function<MeshPlace(const MeshPlace&)>& target,
                std::string_view what = "");
  // Communication written from now on starts only when all of `done` is there, so that buffers are free
  // again.
  void after(const std::vector<Value>& done);  // nothing: starts as soon as it can

  // Loops that stay loops of the program (a `while` of a known number of rounds) are those of at least so
  // many rounds; the others are written out. Until somebody says so, all are.
  void keep_loops(int64_t fewest_rounds);
  bool keeps_loop(int64_t rounds) const;
  // What is written is only looked at: for its sizes, and for what waits for what. Nothing has a name, slices
  // and constants do not say which, nothing is verified beyond its sizes, and of many rounds that are alike,
  // in a loop or not (rounds), the first few and the last are written: what comes before the last but one
  // comes before each later one, what comes after it after each but the last, so it stands for all in
  // between.
  void sketch();
  bool is_sketch() const;
  // After finish(), by instruction: how often it is done. Empty: each once.
  std::vector<double> times() const;
  // What `round` makes of the values, so many times over, as one loop. They keep their shapes. Of values from
  // outside it reads only those; its steps are numbered from the one that it names.
  using Round = std::function<std::vector<Value>(Index round, std::vector<Value> values)>;
  std::vector<Value> repeat(int64_t rounds, std::vector<Value> values, const Round& round);
  // Writes rounds `first` to `last`, one after the other. From the third on they are alike but for slices,
  // constants and who a root is, none of which a sketch shows: of many it has the first two, the third, one
  // that stands for all behind it, and the last. They hand on to each other what the writer has in variables.
  void rounds(int64_t first, int64_t last, const std::function<void(int64_t round)>& write);
  // Nothing but that `v` is there, for step(): what a round waits for without reading it.
  Value done(Value v);

  // Provenance of what follows. A product's steps are counted from 0; a chain's next product goes on where
  // the one before ended.
  void step(int k);
  // The same where `sum` grows a step at a time and its operands travel: what arrives for step k takes the
  // place of what step k-2 used.
  void step(int k, Value sum);
  void end_steps();                      // what follows is no step, waits for nothing, says what it does
  void phase(std::string_view op_name);  // instead of what it says by itself; "": that again
  void choice(std::string name, std::string value);  // in a chain "slices.dX": of which product
  // What arrays are called: an input by its symbol, what is made of it likewise, and products `symbol`, from
  // now on.
  void makes(std::string symbol);
  const std::string& product() const;
  Value named(Value v, std::string symbol);

  // A chain's outputs beside the main one, and what all of them are (Program::definitions).
  void result(std::string symbol, Value v, std::string_view letters, const PartitionSpec& spec);
  void define(std::string definition);

  // Partial products, their sums and the result in f32, whatever was asked for a 16-bit type.
  void keep_f32();
  // The verified program, or the first error. The builder is done then.
  Result<Program> finish(Value result, ArrayRole role, std::vector<int64_t> dims, const PartitionSpec& spec,
                         std::vector<std::string> unreduced = {});
  Result<Program> finish(Value result, const PartitionSpec& spec);  // the product, [m,n]
  Result<Program> finish(Value result, std::string_view letters, const PartitionSpec& spec);

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

  Value emit(Instruction&& instruction);
  Value travelling(Value v);  // a sum in the type that sums have between devices, all else as it is
  Value parameter(ArrayInfo info, std::string name, const std::vector<std::string>& sizes);
  std::vector<int64_t> extents(std::string_view letters) const;
  void say(const std::string& op_name);  // unless a phase says it
  int64_t size(const Roles& roles) const;
  std::string axes(const Roles& roles) const;  // "row,col"
  void check(bool condition, std::string_view need, std::string_view message);
  Value tuple(std::vector<InstructionId> elements);
  std::vector<Value> elements(Value tuple);
  Computation body_of(int64_t rounds, const Shape& shape, const std::vector<std::string>& symbols,
                      const Round& round);
  ComputationId fewer_rounds_than(int64_t rounds, const Shape& values);
  Result<void> check(const Program& program) const;
  ArrayInfo output_info(ArrayRole role, std::string symbol, Value v, std::vector<int64_t> dims,
                        const PartitionSpec& spec, std::vector<std::string> unreduced);
  const Shape& shape_of(Value v) const;
  Rare<ReplicaGroups> rooted_groups(std::string_view role, const RootOf& root);
  Rare<ReplicaGroups> rooted_groups(std::string_view role, int64_t root);
  Value broadcast_in(Value v, std::string_view role, Rare<ReplicaGroups> groups, std::string_view what);
  Value reduce_in(Value v, std::string_view role, Rare<ReplicaGroups> groups);
  Shape shape_of_dot(Value lhs, Value rhs, const DotDims& dims) const;
  void say_product(Value lhs, Value rhs, const DotDims& dims, bool is_partial);
  InstructionId scalar(Opcode opcode, ElementType type, InstructionId first = {}, InstructionId second = {},
                       int64_t value = 0);
  InstructionId scalar_constant(ElementType type, int64_t value);
  InstructionId materialize(Index index);
  Range range_of(Index index) const;
  Index ranged(InstructionId id, int64_t lowest, int64_t highest);
  std::vector<InstructionId> with_starts(std::initializer_list<Value> values, size_t rank, size_t dim,
                                         Index start);

  std::unique_ptr<State> state_;
};

}  // namespace shardscope::inline program
