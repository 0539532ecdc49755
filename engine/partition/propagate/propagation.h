// SPDX-License-Identifier: Apache-2.0
// XLA's sharding propagation: from the annotated arrays of a module to all others, and why each dimension is
// split as it is (xla/service/sharding_propagation.cc).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/ir/program.h"
#include "engine/sharding/propagation_kind.h"

namespace shardscope {

struct PropagationOptions {
  std::optional<int64_t> devices;  // unset: what the module's shardings or its num_partitions say
  // What becomes of the result's arrays that have no sharding; unset: as the module's header says
  // (allow_spmd_sharding_propagation_to_output), else free where the module is in Shardy's words or
  // PyTorch/XLA's, which is compiled so and does not say it.
  std::optional<Results> results;
  std::stop_token stop{};
  std::optional<Propagation> propagation{};  // as of PartitionOptions
};

// One dimension of one array became split.
struct PropagationStep {
  enum class Pass { forward, backward };  // from operands, from users

  std::string computation, instruction;
  int64_t leaf = 0;       // of a tuple
  int64_t dimension = 0;  // of the array
  HloSharding sharding;   // of the whole array, after this step
  std::string from;       // the neighbour that it comes from
  int64_t from_dimension = 0;
  std::string origin;  // the annotated instruction at the start of the chain of neighbours
  int64_t origin_dimension = 0;
  Pass pass = Pass::forward;
  int level = 0;       // 0 … 3, how aggressive
  std::string reason;  // "dimension 0 is split by x because of p0.1 (dimension 0), by way of dot.3"
};

struct PropagatedModule {
  // The module as the partitioner reads it (calls inlined, annotations moved onto arrays), with a sharding on
  // everything that is split.
  Program module;
  int64_t devices = 1;
  std::vector<PropagationStep> steps;  // in the order in which they were made
  Propagation by = Propagation::gspmd;
  std::vector<std::string> notes;  // who spread them and why, which of several meshes is meant
  // What the given module calls an instruction, where it is not the name in `module`.
  std::map<std::string, std::string> renamed;
};

// Errors: as prepare_for_spmd and partition_devices.
Result<PropagatedModule> propagate(const Program& module, const PropagationOptions& options);

// Why an instruction of `module.module` is sharded as it is, one sentence per dimension; empty when it is
// annotated or whole.
std::vector<std::string> reasons_of(const PropagatedModule& module, const std::string& instruction);

}  // namespace shardscope
