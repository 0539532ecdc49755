// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/module_source.h"

#include "engine/partition/entry/partition.h"
#include "engine/program/source/shard_map_source.h"
#include "engine/session/hlo_run.h"
#include "engine/session/modules/module_arrays.h"

namespace shardscope {

Result<std::string> module_source(const Partitioned& partitioned) {
  Program program = partitioned.program;
  say_arrays(partitioned, program);
  return shard_map_source(program, program.name);
}

Result<std::string> module_source(const Program& module, const PartitionOptions& options) {
  if (is_partitioned(module)) return shard_map_source(module, module.name);
  TRY(const Partitioned made, partition(module, options));
  return module_source(made);
}

}  // namespace shardscope
