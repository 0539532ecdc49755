// SPDX-License-Identifier: Apache-2.0
// The partitioner's entry: a module with shardings in, one program for all devices out.
#pragma once

#include "engine/base/result.h"
#include "engine/partition/propagate/propagation.h"
#include "engine/partition/types/partitioned.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline partitioner {

// A module as its shardings say, calls inlined; `before` is the module as it was read or already propagated.
// Instructions without a sharding are replicated, unless the options ask to propagate first: then that is a
// stage of its own. Errors: shardings that name other devices than there are, regions whose arrays do not fit
// together, what has no rule.
Result<Partitioned> partition(const StagePtr& before, const PartitionOptions& options);
Result<Partitioned> partition(const Program& module, const PartitionOptions& options);

// The module with its calls and fusions written out and its annotations gone: what it computes on one device.
Result<Program> unannotated(const Program& module);

// A module with manual regions does not mean anything on one device. The same with whole arrays outside of
// its regions: every device slices its operand on the way in and gathers the result on the way out.
Result<Partitioned> partition_regions_only(const StagePtr& module, const PartitionOptions& options);

// How partition() spreads shardings.
PropagationOptions propagation_options(const PartitionOptions& options);

// Devices that the module asks for: its options, num_partitions, or the largest device number in a sharding.
Result<int64_t> partition_devices(const Program& module, const PartitionOptions& options);

}  // namespace shardscope::inline partitioner
