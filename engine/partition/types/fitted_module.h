// SPDX-License-Identifier: Apache-2.0
// The stages of Shardy's partitioner between propagation and the program of one device.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "engine/program/stages/stage.h"
#include "engine/sharding/axis_parts.h"
#include "engine/sharding/split_step.h"

namespace shardscope::inline partitioner {

// An array changes how it lies. Partial results along axes that are not partial behind are combined by
// `combining`.
struct ReshardMove {
  AxisSplit from, to;
  Opcode combining = Opcode::add;
};
// The same in one collective, or one slice.
struct CollectiveMove {
  SplitStep step;
  Opcode combining = Opcode::add;
};

// All arrays whole, each with its sharding; what changes a sharding is a copy by itself. Of kind `resharded`
// each copy of `moves` is a reshard, of kind `collectives` each of `steps` is what devices do at once.
struct FittedModule : ModuleStage {
  Mesh mesh;
  int64_t devices = 1;
  std::unordered_map<std::string, ReshardMove> moves;     // by the copy's name
  std::unordered_map<std::string, CollectiveMove> steps;  // by the copy's name
  // Operations that each device does on what it has, by name; what they leave are partial results along axes.
  std::unordered_map<std::string, AxisParts> local;
};
// The stage that is of one of these kinds, `last` or before it; null: it was not partitioned by Shardy.
std::shared_ptr<const FittedModule> fitted_stage(const StagePtr& last, StageKind kind);

}  // namespace shardscope::inline partitioner
