// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/module_source.h"

#include "engine/partition/entry/partition.h"
#include "engine/program/source/shard_map_source.h"
#include "engine/session/hlo_run.h"
#include "engine/session/modules/module_arrays.h"

namespace shardscope::inline session {

namespace {

Result<std::string> source_of(const Partitioned& partitioned) {
  Program program = *partitioned.program;
  say_arrays(partitioned, program);
  return shard_map_source(program, program.name);
}

}  // namespace

Result<std::string> module_source(const StagePtr& last, const PartitionOptions& options) {
  if (const auto made = partitioned_stage(last)) return source_of(*made);
  const Program& module = *first_stage(*last).program;
  if (is_partitioned(module)) return shard_map_source(module, module.name);
  TRY(const Partitioned made, partition(last, options));
  return source_of(made);
}

Result<std::string> module_source(const Program& module, const PartitionOptions& options) {
  return module_source(read_stage(module), options);
}

}  // namespace shardscope::inline session
