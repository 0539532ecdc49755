// SPDX-License-Identifier: Apache-2.0
// What a rule of the partitioner reads and writes with: the instruction at hand, and the program being made.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/partition/reshard/resharder.h"
#include "engine/partition/reshard/spmd_writer.h"
#include "engine/partition/types/fitted_module.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/partitioned.h"

namespace shardscope::inline partitioner {

// An instruction of the source on all devices: its array, or the arrays of its tuple in pre-order.
using ShardedLeaves = std::vector<Sharded>;

// The program that all computations are written into.
struct SpmdContext {
  const Program& source;
  const PartitionOptions& options;
  SpmdWriter& writer;
  Resharder& resharder;
  const FittedModule* fitted = nullptr;  // by Shardy's partitioner: what `source` is
  bool spread_by_shardy = false;         // whose passes beside propagation XLA runs then

  SpmdContext with(Resharder& other) const {
    return {source, options, writer, other, fitted, spread_by_shardy};
  }
};

// Where the instructions of one computation are done, and what they are there.
struct SpmdPlaces {
  ManualRegions regions;
  std::vector<SpmdScope> scopes;                               // by region
  std::map<std::pair<int32_t, size_t>, ShardedLeaves> values;  // by source instruction and region
  // By source instruction that the module leaves to be added up later: what each device has of it.
  std::map<int32_t, ShardedLeaves> parts;
};

// An instruction of the source and what is known of it before its rule writes it.
struct Visit {
  const Instruction& i;
  const Computation& here;
  SpmdPlaces& places;
  size_t region = 0;
  std::vector<HloSharding> shardings;          // per leaf, as the module says
  std::vector<Tiling> wanted;                  // per leaf
  const std::vector<Tiling>* given = nullptr;  // of a called computation's parameter: as the caller says

  const Tiling& out() const { return wanted.front(); }
  // The devices that the instruction is done on: tilings number them by their place.
  const SpmdScope& scope() const { return places.scopes[region]; }
  const DeviceGroups& groups() const { return places.regions.groups[region]; }
  bool in_region() const { return groups().count() > 1; }
  const ShardedLeaves& leaves(size_t k) const { return places.values.at({i.operands[k].value, region}); }
  const Sharded& operand(size_t k) const { return leaves(k).front(); }
  const Instruction& source_of(size_t k) const { return here.at(i.operands[k]); }
};

// Operand k in another tiling, for the reason that its reader needs it so; and on every device whole.
Sharded operand_as(const SpmdContext& cx, const Visit& v, size_t k, const Tiling& tiling);
Sharded whole_operand(const SpmdContext& cx, const Visit& v, size_t k);
// A local instruction like `i`, with the same attributes.
InstructionId write_like(const SpmdContext& cx, const Instruction& i, Shape tile,
                         std::vector<InstructionId> operands);
// The instruction itself on tiles of `at`.
Sharded write_tiled(const SpmdContext& cx, const Visit& v, const Tiling& at,
                    std::vector<InstructionId> operands);
// `shape` (an array or a tuple of arrays) with each leaf in its tiling.
Shape tiled_shape(const Shape& shape, const std::vector<Tiling>& tilings);
// `shape` (an array or a tuple of arrays) with these dimensions.
Shape with_dims(Shape shape, const std::vector<int64_t>& dims);
std::vector<Tiling> replicated_leaves(const Shape& shape, int64_t devices);
// A value of `shape` out of its leaves, and the leaves of a value.
InstructionId tuple_of(SpmdWriter& writer, const ShardedLeaves& leaves, const Shape& shape);
ShardedLeaves leaves_of_value(SpmdWriter& writer, InstructionId value, const Shape& shape,
                              const std::vector<Tiling>& tilings);

}  // namespace shardscope::inline partitioner
