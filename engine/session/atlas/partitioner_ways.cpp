// SPDX-License-Identifier: Apache-2.0
#include "engine/session/atlas/partitioner_ways.h"

#include "engine/partition/entry/partition.h"
#include "engine/program/mlir/module_text.h"

namespace shardscope::inline session {

Result<PartitionerWays> partitioner_ways(const AtlasQuestion& q, const AxisSplit& lhs, const AxisSplit& rhs,
                                         const AxisSplit& result, ProgramCosts& costs,
                                         const std::stop_token& stop) {
  PartitionerWays out;
  TRY(const Program module, read_stablehlo(atlas_module(q, lhs, rhs, result)));
  PartitionOptions options;
  options.devices = q.mesh.device_count();
  options.propagate = true;
  TRY(const Partitioned xla, partition(module, options));
  TRY(out.xla, costs.of(*xla.program, stop));
  options.partitioner = Partitioner::shardy;
  TRY(const Partitioned shardy, partition(module, options));
  TRY(out.shardy, costs.of(*shardy.program, stop));
  return out;
}

}  // namespace shardscope::inline session
