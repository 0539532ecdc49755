// SPDX-License-Identifier: Apache-2.0
// XLA's sharding propagation: from the annotated arrays of a module to all others, and why each dimension is
// split as it is (xla/service/sharding_propagation.cc).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/partition/types/partitioned.h"
#include "engine/program/stages/stage.h"
#include "engine/sharding/propagation_kind.h"

namespace shardscope::inline partitioner {

struct PropagationOptions {
  std::optional<int64_t> devices{};  // unset: what the module's shardings or its num_partitions say
  // What becomes of the result's arrays that have no sharding; unset: as the module's header says
  // (allow_spmd_sharding_propagation_to_output), else free where the module is in Shardy's words or
  // PyTorch/XLA's, which is compiled so and does not say it.
  std::optional<Results> results{};
  std::stop_token stop{};
  std::optional<Propagation> propagation{};  // as of PartitionOptions
  // By Shardy, of the entry's parameters and results: of what cuts a dimension the first axis that is not
  // whole and those behind it go, as XLA compiles modules; Shardy's own partitioner keeps them.
  bool whole_axes_at_ends = true;
};

// A dimension of an array of a module: of an instruction's, or of a leaf of its tuple.
struct ArrayDimension {
  InstructionPlace of;
  int32_t leaf = 0;
  int32_t dimension = 0;
};

// One dimension of one array became split. All in numbers, since a module has hundreds of thousands of steps;
// instructions are of PropagatedModule::program.
struct PropagationStep {
  enum class Pass : unsigned char { forward, backward };  // from operands, from users

  ArrayDimension to;
  ArrayDimension from;    // the neighbour that it comes from
  ArrayDimension origin;  // the annotated array at the start of the chain of neighbours
  // Places in PropagatedModule's shardings and cuts: the whole array's after this step, what cuts the
  // dimension.
  uint32_t sharding = 0, cut = 0;
  Pass pass = Pass::forward;
  int8_t level = 0;  // 0 … 4, how aggressive
  // By Shardy: the factor of which operation's rule; none: of what only hands arrays over.
  InstructionPlace through{};
  int32_t factor = -1;
};

// Its program is the module as the partitioner reads it (calls inlined, annotations moved onto arrays), with
// a sharding on everything that is split. An instruction is there for the one that it was before calls were
// inlined.
struct PropagatedModule : ModuleStage {
  int64_t devices = 1;
  std::vector<PropagationStep> steps;  // in the order in which they were made
  std::vector<HloSharding> shardings;  // that steps led to
  std::vector<std::string> cuts;       // "by x", "4 ways", "'x':(1)2"
  Propagation by = Propagation::gspmd;
  std::vector<std::string> notes;  // who spread them and why, which of several meshes is meant
};
// The stage that is propagated, `last` or before it; null: it is not.
std::shared_ptr<const PropagatedModule> propagated_stage(const StagePtr& last);

// Errors: as prepare_for_spmd and partition_devices.
Result<PropagatedModule> propagate(const StagePtr& module, const PropagationOptions& options);
Result<PropagatedModule> propagate(const Program& module, const PropagationOptions& options);
// Its program as partitioning reads it in that dialect, the very same where nothing is to be done. `renamed`:
// as of prepare_for_spmd.
Result<std::shared_ptr<const Program>> prepared_spread(const PropagatedModule& spread, SpmdDialect dialect,
                                                       std::map<std::string, std::string>& renamed);

const Instruction& instruction_of(const PropagatedModule& module, const ArrayDimension& dimension);
// "dimension 0 is split by x because of p0.1 (dimension 0), by way of dot.3"
std::string reason_of(const PropagatedModule& module, const PropagationStep& step);
// Why an instruction of `module.program` is sharded as it is, one sentence per dimension; empty when it is
// annotated or whole.
std::vector<std::string> reasons_of(const PropagatedModule& module, const std::string& instruction);

}  // namespace shardscope::inline partitioner
