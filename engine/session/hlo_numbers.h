// SPDX-License-Identifier: Apache-2.0
// The numbers of a module, as far as they can be computed.
#pragma once

#include "engine/session/hlo_run.h"
#include "engine/session/proof/prove.h"

namespace shardscope::inline session {

struct NumbersRequest {
  PartitionOptions partition;
  // What `partition` makes of the module, when that is known already.
  std::shared_ptr<const Partitioned> made{};
  bool came_partitioned = false;
  ArgumentRequest arguments{};
  std::string cut;         // why the module is itself a part of one; "": it is whole
  Ranks* ranks = nullptr;  // who executes programs; null: this process
  bool compare = true;     // with the module itself; false: only its values are wanted
  ProofTypes types = ProofTypes::own;
};
struct ModuleNumbers {
  NumericsReport report;
  bool bit_equal = false;  // to what it was compared with
  Measured measured;
  std::vector<ModuleArgument> arguments;
  std::vector<ModuleResult> results;
  std::optional<ComputedPart> part;
  StagePtr computed;  // the last stage of what was computed: partitioned, unless it came so
  // Instructions without a meaning here, and why; how many of the entry do not depend on them.
  std::map<std::string, std::string> stopped;
  int64_t instructions = 0;
};
// "2 constants whose text is left out ({...}): drawn from seed 0: a, b".
std::string drawn_words(const std::vector<std::string>& drawn, uint64_t seed);

// What an operation has no meaning for is not known, with all that depends on it: the results that are not
// say why, the others are computed and judged. Where none is known what stands before is judged.
Result<ModuleNumbers> compute_module(const StagePtr& module, const NumbersRequest& request,
                                     const Workers& workers, const RunLimits& limits);

}  // namespace shardscope::inline session
