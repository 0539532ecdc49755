// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/partition/reshard/resharder.h"
#include "engine/partition/reshard/spmd_writer.h"
#include "engine/partition/rules/dot_partitioner.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/partitioned.h"

namespace shardscope {

// An instruction of the source on all devices: its array, or the arrays of its tuple in pre-order.
using ShardedLeaves = std::vector<Sharded>;

// What changes nothing under `opcode`; none when there is no such literal.
std::optional<std::string> identity_of(Opcode opcode, ElementType type);

// Writes what every device does for each instruction of a computation, one rule per kind of instruction.
class SpmdVisitor {
 public:
  // `around`: the groups of devices that do the computation each by itself; one of all, outside of regions.
  SpmdVisitor(const Program& source, const PartitionOptions& options, SpmdWriter& writer,
              Resharder& resharder, DeviceGroups around)
      : source_(source),
        options_(options),
        writer_(writer),
        resharder_(resharder),
        around_(std::move(around)) {}

  // The computation's root in the tilings that it asks for. `parameters`: tilings of the parameters' leaves,
  // by number, where the computation's own text does not say (bodies of loops); `results`: what the root must
  // be.
  Result<InstructionId> computation(const Computation& computation,
                                    const std::vector<std::vector<Tiling>>* parameters,
                                    const std::vector<Tiling>* results);

  // Entry: shardings of the leaves of parameters by number, and of the root's leaves, over all devices.
  std::vector<std::vector<HloSharding>> parameter_shardings;
  std::vector<HloSharding> result_shardings;
  std::vector<MemoryLine> visits;  // what the visits made, for the log: the largest

 private:
  struct Visit {
    const Instruction& i;
    std::vector<HloSharding> shardings;  // per leaf, as the module says
    std::vector<Tiling> wanted;          // per leaf
    const Tiling& out() const { return wanted.front(); }
  };

  // The devices that the instruction is done on: tilings number them by their place.
  const SpmdScope& scope() const { return scopes_[region_]; }
  bool in_region() const { return regions_.groups[region_].count() > 1; }
  const Sharded& operand(const Visit& v, size_t k) const { return leaves(v, k).front(); }
  const ShardedLeaves& leaves(const Visit& v, size_t k) const {
    return values_.at({v.i.operands[k].value, region_});
  }
  Sharded operand_as(const Visit& v, size_t k, const Tiling& tiling);
  Sharded whole(const Visit& v, size_t k);
  // Makes the scopes of a computation's regions.
  Result<void> open_regions(const Computation& computation);
  // Values from outside of a region, brought in whole; none come out but by SPMDShardToFullShape.
  Result<void> bring_in(const Visit& v);
  // A local instruction like the source's, with the same attributes.
  InstructionId like(const Instruction& i, Shape tile, std::vector<InstructionId> operands);
  Sharded result(const Visit& v, InstructionId id, const Tiling& tiling) const;

  void log_visit(int64_t first, InstructionId shown);
  Result<ShardedLeaves> dispatch(const Visit& v);
  Result<ShardedLeaves> parameter(const Visit& v);
  // One device's array, given to all.
  Sharded from_one_device(const Sharded& value, int64_t device);
  Sharded constant(const Visit& v);
  Sharded iota(const Visit& v);
  Sharded elementwise(const Visit& v);
  Sharded broadcast(const Visit& v);
  Sharded transpose(const Visit& v);
  Sharded reshape(const Visit& v);
  Sharded concatenate(const Visit& v);
  Sharded slice(const Visit& v);
  Result<ShardedLeaves> pad(const Visit& v);
  Sharded dynamic_slice(const Visit& v);
  Sharded dynamic_update_slice(const Visit& v);
  Sharded reverse(const Visit& v);
  Result<ShardedLeaves> reduce(const Visit& v);
  Result<ShardedLeaves> reduce_in_parts(const Visit& v);
  Result<ShardedLeaves> sort(const Visit& v);
  Result<ShardedLeaves> top_k(const Visit& v);
  Sharded product(const Visit& v, const DotAxes& axes, const Sharded& lhs, Sharded rhs, const Tiling& out);
  Result<ShardedLeaves> convolution(const Visit& v);
  Result<ShardedLeaves> gather(const Visit& v);
  Result<ShardedLeaves> scatter(const Visit& v);
  Result<ShardedLeaves> enter_region(const Visit& v);
  Result<ShardedLeaves> leave_region(const Visit& v);
  // A collective that the module itself holds, in a region.
  Result<ShardedLeaves> own_collective(const Visit& v);
  Result<ShardedLeaves> while_loop(const Visit& v);
  Result<ShardedLeaves> conditional(const Visit& v);
  Result<ShardedLeaves> replicated(const Visit& v);  // no rule: every device does all of it
  // Rows [start, start + size) of the padded array for each device along `dim`, from its neighbours.
  Sharded window(const Sharded& value, size_t dim, const std::vector<int64_t>& starts, int64_t size);
  // The value where row `starts[device]` + i is a row of the array, `filler` where it is not.
  InstructionId only_rows_of(const Sharded& value, size_t dim, const std::vector<int64_t>& starts,
                             InstructionId filler);
  // Another computation, written beside this one.
  Result<ComputationId> called(const Computation& computation,
                               const std::vector<std::vector<Tiling>>& parameters,
                               const std::vector<Tiling>& results);
  InstructionId tuple_of(const ShardedLeaves& leaves, const Shape& shape, size_t& next);
  ShardedLeaves leaves_from(InstructionId tuple, const Shape& shape, const std::vector<Tiling>& tilings);
  void collect(InstructionId id, const Shape& shape, const std::vector<Tiling>& tilings, ShardedLeaves& out);

  const Program& source_;
  const PartitionOptions& options_;
  SpmdWriter& writer_;
  Resharder& resharder_;
  const Computation* here_ = nullptr;
  const std::vector<std::vector<Tiling>>* given_ = nullptr;
  DeviceGroups around_;
  ManualRegions regions_;
  std::vector<SpmdScope> scopes_;                               // by region
  size_t region_ = 0;                                           // of the instruction at hand
  std::map<std::pair<int32_t, size_t>, ShardedLeaves> values_;  // by source instruction and region
  bool is_entry_ = true;
};

}  // namespace shardscope
